"""What is known of documents once they are counted: histograms and sums that add up in any order, as JSON too."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from fieldwise.compare.absent_texts import ABSENT_TEXT, ALONE
from fieldwise.counting.document_sums import UNIT, DocumentSums
from fieldwise.results import OutsideCount
from fieldwise.states import COUNT, SMALLEST, UNITS, State, below, by_key, declared, joined, names, nested, row, unfit
from fieldwise.stats.histograms import HISTOGRAM, CountHistogram

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
            for path, count in counts.items():
                (self.paths.get(path) or self.paths.setdefault(path, [0, 0]))[side] += count
        if len(self.paths) > 2 * MAX_PATHS:
            self.settle()

    def settle(self) -> None:
        """Add up the values of all paths but the first."""
        for path in sorted(self.paths)[MAX_PATHS:] if len(self.paths) > MAX_PATHS else ():
            for side, count in enumerate(self.paths.pop(path)):
                self.others[side] += count

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

    def add_texts(self, note: str, times: int = 1) -> None:
        """Count what the result of a leaf notes of texts that stand for no value, or may do so."""
        if note.startswith(ABSENT_TEXT):
            for side in note.removeprefix(ABSENT_TEXT).split():
                self.add_absent(side, times)
        elif note.startswith(ALONE):
            text = note.removeprefix(ALONE)
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
