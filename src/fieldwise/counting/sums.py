"""What is summed over documents: of documents as wholes, and of their values by path.

All of it is integers and histograms that merge by adding; means and intervals are made of them in
`fieldwise.counting.metrics`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from operator import mul
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from fieldwise.compare.results import AbsentText, LeafNote, LoneText
from fieldwise.results import OutsideCount
from fieldwise.states import (
    COUNT,
    MAX_COUNT,
    SMALLEST,
    UNITS,
    State,
    below,
    by_key,
    count,
    declared,
    joined,
    names,
    nested,
    row,
    unfit,
)
from fieldwise.stats.histograms import HISTOGRAM, CountHistogram

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


MAX_PATHS = 2_000
"""As many paths are counted one by one, the first by name; the values of all others are added up."""


@dataclass(slots=True, eq=False)
class OutsideCounts(State):
    """How many expected and predicted values lie under each path outside the spec.

    The first paths by name of all documents are among the first of every part of them, so what is listed and what is
    added up does not depend on how documents were divided.
    """

    paths: dict[str, list[int]] = declared(by_key(row(2)))
    others: list[int] = declared(row(2))

    def add(self, expected: Mapping[str, int], predicted: Mapping[str, int]) -> None:
        """Add the values of a document, by path."""
        for side, counts in enumerate((expected, predicted)):
            for path, number in counts.items():
                (self.paths.get(path) or self.paths.setdefault(path, [0, 0]))[side] += number
        if len(self.paths) > 2 * MAX_PATHS:
            self.settle()

    def settle(self) -> None:
        """Add up the values of all paths but the first."""
        for path in sorted(self.paths)[MAX_PATHS:] if len(self.paths) > MAX_PATHS else ():
            for side, number in enumerate(self.paths.pop(path)):
                self.others[side] += number

    def counts(self) -> tuple[dict[str, OutsideCount], OutsideCount]:
        """Return the counts of each listed path, and those of all others together."""
        self.settle()
        return {path: OutsideCount(*self.paths[path]) for path in sorted(self.paths)}, OutsideCount(*self.others)


class Misfits(NamedTuple):
    """In how many documents something else is predicted in place of an object or a list, and the first by its text."""

    documents: int
    example: str


@dataclass(slots=True, eq=False)
class Sums(State):
    """Counts by leaf path, by object and list path, and of whole documents."""

    wholes: DocumentSums = declared(nested(DocumentSums))
    """What is known of documents as wholes."""
    fields: dict[str, CountHistogram] = declared(by_key(HISTOGRAM))
    """By leaf path."""
    nodes: dict[str, CountHistogram] = declared(by_key(HISTOGRAM))
    """Of objects, and of lists by their rows, by the key of `WholeAt`."""
    total: CountHistogram = declared(HISTOGRAM)
    """All leaves of a document together."""
    scores: dict[str, int] = declared(by_key(UNITS))
    """The sum of the scores of each leaf path, in units of 10⁻¹²."""
    near: dict[str, list[int]] = declared(by_key(row(2)))
    """How many matches of each leaf path are of values that are not identical: written differently, similar."""
    row_rejected: dict[str, int] = declared(by_key(COUNT))
    """How many values of each leaf path are right, and count as wrong because their row was rejected."""
    misfits: dict[str, Misfits] = declared(by_key(joined(Misfits, COUNT, SMALLEST)))
    """What is predicted in place of objects and lists, by their paths."""
    undeclared: set[str] = declared(names())
    outside: OutsideCounts = declared(nested(OutsideCounts))
    absent_texts: dict[str, int] = declared(by_key(COUNT))
    """How many texts stand for no value, by side."""
    lone_texts: dict[str, int] = declared(by_key(COUNT))
    """How many texts that may stand for none have nothing on the other side, by side and text."""

    @property
    def leaves(self) -> dict[str, list[int]]:
        """The counts tp, fd, fa, fn and tn of every leaf path."""
        self.settle()
        return {path: counts_of(histogram) for path, histogram in self.fields.items()}

    def total_counts(self) -> list[int]:
        """Return the counts of all leaves together."""
        self.settle()
        return counts_of(self.total)

    def add_remarks(self, other: Sums) -> None:
        """Add the sums that don't depend on what a document is."""
        self.add_sums(other, _REMARKS)

    def add_texts(self, note: LeafNote, times: int = 1) -> None:
        """Count what the result of a leaf notes of texts that stand for no value, or may do so."""
        if isinstance(note, AbsentText):
            self.add_absent("expected", note.expected * times)
            self.add_absent("predicted", note.predicted * times)
        elif isinstance(note, LoneText):
            text = f"{note.side} {note.text}"
            self.lone_texts[text] = self.lone_texts.get(text, 0) + times

    def add_absent(self, side: str, texts: int) -> None:
        """Count texts of a side that stand for no value."""
        if texts:
            self.absent_texts[side] = self.absent_texts.get(side, 0) + texts

    def refuse_unfit(self, path: str) -> None:
        """Refuse sums that no documents can have: all values, those of fields and those with scores are the same."""
        leaves, documents = self.leaves, self.wholes.documents
        for name, paths in (
            ("scores", self.scores),
            ("near", self.near),
            ("row_rejected", self.row_rejected),
            ("undeclared", self.undeclared),
        ):
            unknown = next((one for one in paths if one not in leaves), None)
            if unknown is not None:
                raise unfit(f"paths of leaves, got {unknown[:80]!r}", below(path, name))
        histograms = (self.fields | self.nodes).items()
        too_many = next((one for one, histogram in histograms if histogram.documents > documents), None)
        if too_many is not None:
            raise unfit(f"at most {documents} documents of {too_many[:80]!r}, got more", path)
        for one, score in self.scores.items():
            if score > UNIT * sum(leaves[one][:4]) or sum(self.near.get(one, ())) > leaves[one][0]:
                raise unfit(f"scores and matches that its counts allow, got more of {one[:80]!r}", path)
        summed = [sum(counts[at] for counts in leaves.values()) for at in range(5)]
        if self.total_counts() != summed or self.total.documents != documents:
            raise unfit("sums of all values that are those of the fields, got others", below(path, "total"))


_REMARKS = ("scores", "row_rejected", "absent_texts", "lone_texts", "near", "misfits", "undeclared", "outside")


def counts_of(histogram: CountHistogram) -> list[int]:
    """Return the counts tp, fd, fa, fn and tn."""
    return [*histogram.totals(), histogram.tn]


def histogram_in(held: dict[str, CountHistogram], path: str) -> CountHistogram:
    """Return the histogram of a path, a new one where there is none."""
    histogram = held.get(path)
    if histogram is None:
        histogram = held[path] = CountHistogram()
    return histogram


def add_in(held: dict[str, list[int]], path: str, counts: Sequence[int]) -> None:
    """Add counts to those of a path."""
    held[path] = [a + b for a, b in zip(held.get(path, (0,) * len(counts)), counts, strict=True)]
