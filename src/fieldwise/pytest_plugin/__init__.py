"""The fixture ``fieldwise`` of pytest: an extraction is right, a candidate is not worse.

pytest loads this module in every project that has fieldwise installed. So it imports nothing heavy: what a method needs
is imported when a test calls it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from fieldwise.errors import FieldwiseError

if TYPE_CHECKING:
    from fieldwise.pytest_plugin.extraction_check import SpecSource
    from fieldwise.runs.policy import Policy
    from fieldwise.values import Json


class NotEnoughDocuments(AssertionError):
    """Two runs have too few documents to tell whether the candidate is worse."""


class Assertions:
    """What the fixture offers."""

    def assert_extraction(
        self,
        expected: Json,
        predicted: Json,
        spec: SpecSource = None,
        *,
        min_score: float | None = None,
        fields: Sequence[str] | None = None,
        ignore: Sequence[str] = (),
    ) -> None:
        """Fail where a value is not as expected, with a table of those that are not.

        Documents are dicts, JSON texts, paths or instances of a pydantic class. ``spec`` is a Spec, a JSON Schema, a
        config, a file with one of these or a class; without it, how to compare is inferred. ``min_score`` asks for a
        mean score in place of every value; ``fields`` and ``ignore`` choose fields by name or pattern.
        """
        __tracebackhide__ = True
        from fieldwise.pytest_plugin.extraction_check import extraction_failure  # heavy

        try:
            failure = extraction_failure(expected, predicted, spec, min_score=min_score, fields=fields, ignore=ignore)
        except FieldwiseError as error:
            raise error.with_traceback(None) from None
        if failure:
            raise AssertionError(failure)

    def assert_not_worse(
        self,
        baseline: str | Path,
        candidate: str | Path,
        margin: float | str | None = None,
        *,
        policy: Policy | Mapping[str, Json] | str | Path | None = None,
        allow_undecided: bool = False,
        allow_different_rules: bool = False,
    ) -> None:
        """Fail where the gate does not pass; both are folders that ``fieldwise evaluate --out`` wrote.

        ``margin`` is the policy's where there is one, else 0.02; ``"2%"`` works too. A field that is clearly worse by
        more than 5 points fails whatever the margin, unless the policy says otherwise (``any_field``). Too few
        documents to tell are a failure of their own, NotEnoughDocuments, unless ``allow_undecided``: a test that is
        skipped would look as if nothing were wrong.
        """
        __tracebackhide__ = True
        from fieldwise.render.text import to_text
        from fieldwise.runs.gate import gate_runs  # heavy
        from fieldwise.runs.policy import as_policy, with_settings
        from fieldwise.views.gate import gate_view

        try:
            judged = with_settings(as_policy(policy), margin=margin)
            report = gate_runs(baseline, candidate, judged, allow_different_rules=allow_different_rules)
        except FieldwiseError as error:
            raise error.with_traceback(None) from None
        if report.decision == "fail":
            raise AssertionError(to_text(gate_view(report)))
        if report.decision == "not_enough_documents" and not allow_undecided:
            raise NotEnoughDocuments(to_text(gate_view(report)))


@pytest.fixture(scope="session", name="fieldwise")
def fieldwise_fixture() -> Assertions:
    """Assertions about extracted data: assert_extraction and assert_not_worse."""
    return Assertions()
