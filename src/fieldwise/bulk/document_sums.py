"""What is summed of whole documents: how many are without error, and their scores with the squares of these.

All of it is integers that merge by adding; means and intervals are made of them in `fieldwise.bulk.metrics`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

UNIT = 10**12
"""Scores are added up as integers of this many parts, so that sums don't depend on their order."""
STEPS = 20
"""The steps of the histogram of document scores."""


class DocumentSums:
    """Sums over documents.

    ``exact`` documents have no wrong, missed or invented value. ``score`` is the weighted score, which the ``scored``
    documents have: those of which either side has a declared value. ``f1`` is a document's own strict F1,
    2·tp / (2·tp + 2·fd + fa + fn), which the ``rated`` documents have: those in which this is not 0/0.

    >>> sums = DocumentSums()
    >>> sums.add_equal(3, (4, 1, 0, 0))
    >>> sums.add_equal(1, (5, 0, 0, 0))
    >>> sums.rated, sums.exact, sums.f1_sum
    (4, 1, 3400000000000)
    """

    __slots__ = (
        "documents",
        "exact",
        "f1_squares",
        "f1_sum",
        "histogram",
        "rated",
        "score_squares",
        "score_sum",
        "scored",
    )

    def __init__(self) -> None:
        self.documents = self.exact = 0
        self.scored = self.score_sum = self.score_squares = 0
        self.rated = self.f1_sum = self.f1_squares = 0
        self.histogram = [0] * STEPS

    def add_score(self, score: float) -> None:
        """Add the weighted score of a document, from 0 to 1."""
        units = round(score * UNIT)
        self.scored += 1
        self.score_sum += units
        self.score_squares += units * units
        self.histogram[int(score * STEPS) if score < 1.0 else -1] += 1

    def add_equal(self, documents: int, counts: tuple[int, int, int, int]) -> None:
        """Add documents that have the same tp, fd, fa and fn, without their weighted scores."""
        self.documents += documents
        tp, fd, fa, fn = counts
        if not (fd or fa or fn):
            self.exact += documents
        whole = 2 * tp + 2 * fd + fa + fn
        if whole:
            units = (2 * tp * UNIT + whole // 2) // whole
            self.rated += documents
            self.f1_sum += documents * units
            self.f1_squares += documents * units * units

    def add_perfect(self, documents: int, values: int) -> None:
        """Add documents in which as many values match and nothing else is, with their weighted scores."""
        self.add_equal(documents, (values, 0, 0, 0))
        self.scored += documents
        self.score_sum += documents * UNIT
        self.score_squares += documents * UNIT * UNIT
        self.histogram[-1] += documents

    def merge(self, other: DocumentSums) -> None:
        """Add the sums of other documents."""
        for name in _SUMS:
            setattr(self, name, getattr(self, name) + getattr(other, name))
        self.histogram = [a + b for a, b in zip(self.histogram, other.histogram, strict=True)]

    def to_state(self) -> dict[str, Any]:
        """Return the sums as JSON."""
        return {**{name: getattr(self, name) for name in _SUMS}, "histogram": list(self.histogram)}

    @classmethod
    def from_state(cls, state: Mapping[str, Any]) -> DocumentSums:
        """Return the sums that ``to_state`` gave."""
        sums = cls()
        for name in _SUMS:
            setattr(sums, name, int(state[name]))
        sums.histogram = list(state["histogram"])
        return sums


_SUMS = ("documents", "exact", "scored", "score_sum", "score_squares", "rated", "f1_sum", "f1_squares")
