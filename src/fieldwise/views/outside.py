"""Values under keys that no field declares and that count nowhere, in one sentence."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from fieldwise.results import OutsideCount
from fieldwise.results.metrics import NOTHING_OUTSIDE
from fieldwise.views.numbers import count, counted

_MAX_EXAMPLES = 5
"""As many paths are named as examples."""


@dataclass(frozen=True)
class OutsideSpec:
    """How many values lie under keys that no field declares and count nowhere, with some of their paths."""

    expected: int = 0
    predicted: int = 0
    paths: tuple[str, ...] = ()
    """Some of the paths, those with the most values first."""
    path_count: int | None = 0
    """How many paths there are; None where nobody knows, so many are they."""
    ignored: bool = False
    """Whether no undeclared key counts, also of those that no expected document has."""

    @classmethod
    def of(
        cls, paths: Mapping[str, OutsideCount], rest: OutsideCount = NOTHING_OUTSIDE, *, ignored: bool = False
    ) -> OutsideSpec:
        """Return it of counts by path; ``rest`` are the values of paths that are not among them."""
        expected = sum(counts.expected for counts in paths.values()) + rest.expected
        predicted = sum(counts.predicted for counts in paths.values()) + rest.predicted
        most = sorted(paths, key=lambda path: (-paths[path].expected - paths[path].predicted, path))[:_MAX_EXAMPLES]
        is_rest = bool(rest.expected or rest.predicted)
        return cls(expected, predicted, tuple(most), None if is_rest else len(paths), ignored)

    @property
    def sentence(self) -> str:
        """Say it in one sentence; nothing where there is nothing to say."""
        if not self.expected + self.predicted:
            return ""
        more = "" if self.path_count is not None and self.path_count <= len(self.paths) else ", …"
        held = f"{count(self.expected)} expected and {counted(self.predicted, 'predicted value')}"
        why = (
            "undeclared keys are ignored"
            if self.ignored
            else "expected documents have these keys and the spec does not"
        )
        return f"Outside the spec, counted nowhere: {held} under {', '.join(self.paths)}{more} ({why})."
