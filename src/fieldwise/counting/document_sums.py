"""What is summed of whole documents: how many are without error, and their scores with the squares of these.

All of it is integers that merge by adding; means and intervals are made of them in `fieldwise.counting.metrics`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from operator import mul

import numpy as np
import numpy.typing as npt

from fieldwise.states import COUNT, MAX_COUNT, State, count, declared, row, unfit

UNIT = 10**12
"""Scores are added up as integers of this many parts, so that sums don't depend on their order."""
STEPS = 20
"""The steps of the histogram of document scores."""
_SUM = count(MAX_COUNT * UNIT * UNIT)


@dataclass(slots=True, eq=False)
class DocumentSums(State):
    """Sums over documents.

    ``exact`` documents have no wrong, missed or invented value. ``score`` is the weighted score, which the ``scored``
    documents have: those of which either side has a declared value. ``f1`` is a document's own strict F1,
    2·tp / (2·tp + 2·fd + fa + fn), which the ``rated`` documents have: those in which this is not 0/0.
    Where a document has several trials, its score, F1 and exactness are means over them: ``exact`` documents are so in
    every trial, ``exact_sum`` holds the exactness of those that are so in some. ``more_trials`` are those beyond the
    first of each document.

    >>> sums = DocumentSums()
    >>> sums.add_equal(3, (4, 1, 0, 0))
    >>> sums.add_equal(1, (5, 0, 0, 0))
    >>> sums.rated, sums.exact, sums.f1_sum
    (4, 1, 3400000000000)
    """

    documents: int = declared(COUNT)
    more_trials: int = declared(COUNT)
    exact: int = declared(COUNT)
    exact_sum: int = declared(_SUM)
    exact_squares: int = declared(_SUM)
    scored: int = declared(COUNT)
    score_sum: int = declared(_SUM)
    score_squares: int = declared(_SUM)
    rated: int = declared(COUNT)
    f1_sum: int = declared(_SUM)
    f1_squares: int = declared(_SUM)
    histogram: list[int] = declared(row(STEPS))

    def add_score(self, score: float) -> None:
        """Add the weighted score of a document, from 0 to 1."""
        self._add_score(round(score * UNIT), score)

    def add_scores(self, scores: npt.NDArray[np.float64]) -> None:
        """Add the weighted scores of some documents, each from 0 to 1."""
        units = np.rint(scores * UNIT).astype(np.int64).tolist()
        self.scored += len(units)
        self.score_sum += sum(units)
        self.score_squares += sum(map(mul, units, units))  # more than 64 bits
        steps = np.minimum((scores * STEPS).astype(np.int64), STEPS - 1)
        self._add_steps(np.bincount(steps, minlength=STEPS).tolist())

    def _add_score(self, units: int, score: float) -> None:
        self.scored += 1
        self.score_sum += units
        self.score_squares += units * units
        self.histogram[int(score * STEPS) if score < 1.0 else -1] += 1

    def add_equal(self, documents: int, counts: tuple[int, int, int, int]) -> None:
        """Add documents that have the same tp, fd, fa and fn, without their weighted scores."""
        self.documents += documents
        if not any(counts[1:]):
            self.exact += documents
        units = _strict_f1(*counts)
        if units is not None:
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

    def add_trials(self, counts: Sequence[tuple[int, int, int, int]], scores: Sequence[float]) -> None:
        """Add one document, given tp, fd, fa and fn of each of its trials and the weighted scores of those with one.

        Its score, strict F1 and exactness are means over the trials that have them.
        """
        self.documents += 1
        self.more_trials += len(counts) - 1
        exact = _mean([0 if fd or fa or fn else UNIT for _, fd, fa, fn in counts])
        if exact == UNIT:
            self.exact += 1
        else:
            self.exact_sum += exact
            self.exact_squares += exact * exact
        rated = [units for units in (_strict_f1(*trial) for trial in counts) if units is not None]
        if rated:
            self.rated += 1
            self.f1_sum += _mean(rated)
            self.f1_squares += _mean(rated) ** 2
        if scores:
            units = _mean([round(score * UNIT) for score in scores])
            self._add_score(units, units / UNIT)

    def _add_steps(self, histogram: Sequence[int]) -> None:
        self.histogram = [a + b for a, b in zip(self.histogram, histogram, strict=True)]

    def refuse_unfit(self, path: str) -> None:
        """Refuse sums that are larger or smaller than the others allow."""
        fits = max(self.exact, self.scored, self.rated) <= self.documents
        fits &= sum(self.histogram) == self.scored
        fits &= _are_sums(self.scored, self.score_sum, self.score_squares)
        fits &= _are_sums(self.rated, self.f1_sum, self.f1_squares)
        fits &= _are_sums(self.documents - self.exact, self.exact_sum, self.exact_squares)
        if not fits:
            raise unfit("sums that fit each other, got others", path)


def _are_sums(count: int, total: int, squares: int) -> bool:
    return total * total <= count * squares <= count * total * UNIT and total <= count * UNIT


def _strict_f1(tp: int, fd: int, fa: int, fn: int) -> int | None:
    whole = 2 * tp + 2 * fd + fa + fn
    return (2 * tp * UNIT + whole // 2) // whole if whole else None


def _mean(units: Sequence[int]) -> int:
    return (sum(units) + len(units) // 2) // len(units)
