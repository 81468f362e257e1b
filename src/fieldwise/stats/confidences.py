"""Confidences with what became of their values: row by row, counted exactly, or as a histogram of steps.

The histogram is for shards, which keep and merge it; where all rows are at hand they are counted exactly.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from fieldwise.errors import InputError
from fieldwise.states import State, declared, row, table, whole

Floats: TypeAlias = npt.NDArray[np.float64]
Ints: TypeAlias = npt.NDArray[np.int64]
Pairs: TypeAlias = Sequence[tuple[bool, float]]
"""Of each value: is it right, and its confidence from 0 to 1."""

_MAX_PARTS = 50
"""So many parts of counts wait before they are brought together."""
STEPS = 10_000
"""A histogram keeps confidences in steps of 1/10,000."""


@dataclass(frozen=True, slots=True)
class Confidences:
    """Rows of a confidence from 0 to 1 with the number of right and wrong values that have it, in the order given.

    The values of one row are taken as evenly mixed; rows of equal confidence keep their order.
    """

    confidence: Floats
    right: Ints
    wrong: Ints

    @classmethod
    def from_pairs(cls, pairs: Pairs) -> Confidences:
        """Return a row for each pair (is it right, confidence)."""
        confidence = np.array([given for _, given in pairs], dtype=float)
        if not ((confidence >= 0) & (confidence <= 1)).all():
            raise InputError("Expected confidences from 0 to 1")
        right = np.array([bool(match) for match, _ in pairs], dtype=np.int64)
        return cls(confidence, right, 1 - right)

    @property
    def sizes(self) -> Ints:
        """The number of values of each row."""
        return self.right + self.wrong

    @property
    def n(self) -> int:
        """The number of values."""
        return int(self.sizes.sum())

    @property
    def errors(self) -> int:
        """The number of wrong values."""
        return int(self.wrong.sum())

    def ascending(self) -> Confidences:
        """Return the rows by rising confidence."""
        return self._taken(np.argsort(self.confidence, kind="stable"))

    def descending(self) -> Confidences:
        """Return the rows by falling confidence."""
        return self._taken(np.argsort(-self.confidence, kind="stable"))

    def grouped(self) -> Confidences:
        """Return one row for each confidence, rising."""
        distinct, places = np.unique(self.confidence, return_inverse=True)
        right, wrong = (np.bincount(places, counts, len(distinct)) for counts in (self.right, self.wrong))
        return Confidences(distinct, right.astype(np.int64), wrong.astype(np.int64))

    def _taken(self, order: npt.NDArray[np.intp]) -> Confidences:
        return Confidences(self.confidence[order], self.right[order], self.wrong[order])


class ConfidenceCounts:
    """Right and wrong values by confidence, exactly as it was given; memory grows with different confidences.

    >>> counts = ConfidenceCounts()
    >>> counts.add(np.array([True, False, True]), np.array([0.91234567, 0.5, 0.91234567]))
    >>> counts.values().right.tolist()
    [0, 2]
    """

    __slots__ = ("_parts",)

    def __init__(self) -> None:
        self._parts: list[Confidences] = []

    def add(self, right: npt.NDArray[np.bool_], confidence: Floats) -> None:
        """Add many values, with confidences from 0 to 1, which are not checked."""
        rights = right.astype(np.int64)
        self._put(Confidences(confidence, rights, 1 - rights).grouped())

    def merge(self, other: ConfidenceCounts) -> None:
        """Add the values of others."""
        self._put(other.values())

    def values(self) -> Confidences:
        """Return a row for each confidence that occurs, rising."""
        if len(self._parts) != 1:
            columns = zip(*((part.confidence, part.right, part.wrong) for part in self._parts), strict=True)
            joined = [np.concatenate(column) for column in columns] or [np.zeros(0), *(np.zeros((2, 0), np.int64))]
            self._parts = [Confidences(*joined).grouped()]
        return self._parts[0]

    def _put(self, part: Confidences) -> None:
        self._parts.append(part)
        if len(self._parts) > _MAX_PARTS:
            self.values()


@dataclass(slots=True, eq=False)
class ConfidenceHistogram(State):
    """Wrong and right values by confidence in steps of 1/10,000: sums that merge.

    >>> histogram = ConfidenceHistogram()
    >>> histogram.add(True, 0.91)
    >>> histogram.steps
    {9100: [0, 1]}
    """

    steps: dict[int, list[int]] = declared(table(whole(STEPS), row(2)))

    def add(self, right: bool, confidence: float) -> None:
        """Add one value; its confidence is rounded to the nearest step."""
        if not 0 <= confidence <= 1:
            raise InputError(f"Expected a confidence from 0 to 1, got {confidence}")
        self.steps.setdefault(round(confidence * STEPS), [0, 0])[right] += 1

    @property
    def n(self) -> int:
        """The number of values."""
        return sum(wrong + right for wrong, right in self.steps.values())

    def values(self) -> Confidences:
        """Return a row for each step that has values, rising."""
        rows = [(step, *counts) for step, counts in sorted(self.steps.items()) if any(counts)]
        columns = np.array(rows, dtype=np.int64).reshape(-1, 3)
        return Confidences(columns[:, 0] / STEPS, columns[:, 2], columns[:, 1])

    def pairs(self) -> list[tuple[bool, float]]:
        """Return each value, least confident first; of equally confident ones the right come first."""
        found: list[tuple[bool, float]] = []
        for step, (wrong, right) in sorted(self.steps.items()):
            found += [(True, step / STEPS)] * right + [(False, step / STEPS)] * wrong
        return found
