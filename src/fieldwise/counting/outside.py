"""Values outside the spec, counted by path: sums that add up in any order and stay small where keys are data."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeAlias

from fieldwise.states import by_name, listed, named, whole

MAX_PATHS = 2_000
"""As many paths are counted one by one, the first by name; the values of all others are added up."""

_Pair: TypeAlias = list[int]


class OutsideCounts:
    """How many expected and predicted values lie under each path outside the spec.

    The first paths by name of all documents are among the first of every part of them, so what is listed and what is
    added up does not depend on how documents were divided.
    """

    def __init__(self) -> None:
        self._paths: dict[str, _Pair] = {}
        self._others: _Pair = [0, 0]

    def add(self, expected: Mapping[str, int], predicted: Mapping[str, int]) -> None:
        """Add the values of a document, by path."""
        for side, counts in enumerate((expected, predicted)):
            for path, count in counts.items():
                (self._paths.get(path) or self._paths.setdefault(path, [0, 0]))[side] += count
        if len(self._paths) > 2 * MAX_PATHS:
            self._fold()

    def merge(self, other: OutsideCounts) -> None:
        """Add what another has counted."""
        expected, predicted = ({path: pair[side] for path, pair in other._paths.items()} for side in (0, 1))
        self.add(expected, predicted)
        self._others = [mine + theirs for mine, theirs in zip(self._others, other._others, strict=True)]

    def _fold(self) -> None:
        for path in sorted(self._paths)[MAX_PATHS:]:
            for side, count in enumerate(self._paths.pop(path)):
                self._others[side] += count

    def to_state(self) -> dict[str, Any]:
        """Return everything as JSON."""
        self._fold()
        return {"paths": {path: list(self._paths[path]) for path in sorted(self._paths)}, "others": list(self._others)}

    @classmethod
    def from_state(cls, state: Mapping[str, Any]) -> OutsideCounts:
        """Return what a state was made of; InputError for what is no state."""
        check_outside(state, "")
        counts = cls()
        counts._paths = {path: list(pair) for path, pair in state["paths"].items()}
        counts._others = list(state["others"])
        return counts

    def metrics(self) -> dict[str, Any]:
        """Return what metrics.json says of them: ``outside`` by path, ``outside_not_listed`` of all other paths."""
        state = self.to_state()
        return {
            "outside": {path: _named(pair) for path, pair in state["paths"].items()},
            "outside_not_listed": _named(state["others"]),
        }


check_outside = named({"paths": by_name(listed(whole(), 2)), "others": listed(whole(), 2)})
"""Checks a state of these counts."""


def _named(pair: _Pair) -> dict[str, int]:
    return {"expected": pair[0], "predicted": pair[1]}
