"""What evaluating one shard leaves: sums, rows, and the documents that need a look."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple, TypeAlias

import pyarrow as pa

from fieldwise.compare.own_comparators import Start
from fieldwise.counting.cells import Cells
from fieldwise.readers.sections import natural
from fieldwise.stats.histograms import CountHistogram
from fieldwise.tables.derived import Derived
from fieldwise.tables.documents import DocumentRows
from fieldwise.tables.verdicts import VerdictRows

MAX_ERRORS = 1000
"""The most failures that metrics hold; all of them are in failures.jsonl."""


class Failure(NamedTuple):
    """A document, or one trial of it, that needs a look, and why."""

    document: str
    kind: str
    reason: str
    trial: int = 1


class ClassificationFault(NamedTuple):
    """A section of a document that has no partner of its class, and what both sides say of it."""

    document: str
    section: str
    kind: str
    expected_class: str | None = None
    predicted_class: str | None = None
    expected_pages: Sequence[int] | None = None
    predicted_pages: Sequence[int] | None = None


ClassPair = tuple[str | None, str | None]
"""The expected and the predicted class of a section; None where that side has no such section."""


@dataclass
class ClassCounts:
    """Which classes of sections met which, and how often each class was found, by document; all of it adds."""

    pairs: dict[ClassPair, int] = field(default_factory=dict)
    histograms: dict[str, CountHistogram] = field(default_factory=dict)
    """Documents by how many sections of a class are right, extra and not found."""
    open: dict[str, dict[str, list[int]]] = field(default_factory=dict)
    """Right, extra and missed sections by class, of documents or clusters that may not be complete."""

    def add(self, unit: str, pairs: Sequence[ClassPair], *, stays_open: bool) -> None:
        """Add sections of a document or cluster; those of one document come one after the other, in all its trials."""
        if not stays_open and unit not in self.open:
            self.settle()
        counts = self.open.setdefault(unit, {})
        for expected, predicted in pairs:
            self.pairs[expected, predicted] = self.pairs.get((expected, predicted), 0) + 1
            for name, at in ((expected, 0 if expected == predicted else 2), (predicted, 1)):
                if name is not None and (at != 1 or expected != predicted):
                    counts.setdefault(name, [0, 0, 0])[at] += 1

    def settle(self) -> None:
        """Take all documents as complete."""
        for counts in self.open.values():
            for name, (right, extra, missed) in counts.items():
                self.histograms.setdefault(name, CountHistogram()).add((right, 0, extra, missed))
        self.open = {}

    def merge(self, other: ClassCounts) -> None:
        """Add the counts of other documents."""
        for pair, count in other.pairs.items():
            self.pairs[pair] = self.pairs.get(pair, 0) + count
        for name, histogram in other.histograms.items():
            self.histograms.setdefault(name, CountHistogram()).merge(histogram)
        for unit, counts in other.open.items():
            mine = self.open.setdefault(unit, {})
            for name, more in counts.items():
                mine[name] = [a + b for a, b in zip(mine.get(name, (0, 0, 0)), more, strict=True)]

    def to_state(self) -> dict[str, Any]:
        """Return the counts as JSON."""
        return {
            "pairs": sorted(([*pair, count] for pair, count in self.pairs.items()), key=str),
            "histograms": {name: self.histograms[name].to_state() for name in sorted(self.histograms)},
            "open": {unit: dict(sorted(counts.items())) for unit, counts in sorted(self.open.items())},
        }

    @classmethod
    def from_state(cls, state: Mapping[str, Any]) -> ClassCounts:
        """Return the counts that a state was made of."""
        return cls(
            {(expected, predicted): count for expected, predicted, count in state["pairs"]},
            {name: CountHistogram.from_state(held) for name, held in state["histograms"].items()},
            {unit: dict(counts) for unit, counts in state["open"].items()},
        )


BlockedLists: TypeAlias = dict[str, tuple[int, tuple[str, ...]]]
"""The lists that were too long to be paired but in blocks, by path: in how many documents, and the first of these."""
MAX_NAMED = 3
"""The documents that are named for each list."""


def add_blocks(mine: BlockedLists, theirs: Mapping[str, tuple[int, Sequence[str]]]) -> None:
    """Add the lists of other documents that were paired in blocks."""
    for path, (documents, names) in theirs.items():
        known, held = mine.get(path, (0, ()))
        mine[path] = known + documents, tuple(sorted({*held, *names})[:MAX_NAMED])


@dataclass
class SectionCounts:
    """What is counted of the sections of documents; all of it adds."""

    statuses: dict[str, int] = field(default_factory=dict)
    faults: list[ClassificationFault] = field(default_factory=list)
    """The first by document."""
    splits: dict[str, int] = field(default_factory=dict)
    remarks: dict[str, int] = field(default_factory=dict)
    """How many documents, sections or values have something that people should know of."""
    classes: ClassCounts = field(default_factory=ClassCounts)

    def note(self, status: str) -> None:
        """Count a section."""
        self.statuses[status] = self.statuses.get(status, 0) + 1

    def remark(self, what: str, count: int = 1) -> None:
        """Count something that people should know of."""
        if count:
            self.remarks[what] = self.remarks.get(what, 0) + count

    def merge(self, other: SectionCounts) -> None:
        """Add the counts of other documents."""
        for mine, theirs in (
            (self.statuses, other.statuses),
            (self.splits, other.splits),
            (self.remarks, other.remarks),
        ):
            for name, count in theirs.items():
                mine[name] = mine.get(name, 0) + count
        self.faults = sorted([*self.faults, *other.faults], key=_fault_order)[:MAX_ERRORS]
        self.classes.merge(other.classes)

    def to_state(self) -> dict[str, Any]:
        """Return the counts as JSON."""
        counts = {"statuses": self.statuses, "splits": self.splits, "remarks": self.remarks}
        sorted_counts = {name: dict(sorted(held.items())) for name, held in counts.items()}
        return {
            **sorted_counts,
            "faults": [list(fault) for fault in sorted(self.faults, key=_fault_order)[:MAX_ERRORS]],
            "classes": self.classes.to_state(),
        }

    @classmethod
    def from_state(cls, state: Mapping[str, Any]) -> SectionCounts:
        """Return the counts that a state was made of."""
        faults = [ClassificationFault(*fault) for fault in state["faults"]]
        classes = ClassCounts.from_state(state["classes"])
        return cls(dict(state["statuses"]), faults, dict(state["splits"]), dict(state["remarks"]), classes)


def _fault_order(fault: ClassificationFault) -> tuple[str, tuple[int, str], str]:
    return fault.document, natural(fault.section), fault.kind


@dataclass
class ShardOutcome:
    """Everything that one shard adds."""

    cells: Cells = field(default_factory=Cells)
    kinds: dict[str, int] = field(default_factory=dict)
    failed: dict[int, Failure] = field(default_factory=dict)
    """The documents that need a look, by their numbers."""
    documents: DocumentRows = field(default_factory=DocumentRows)
    rows: VerdictRows = field(default_factory=VerdictRows)
    texts: dict[str, int] = field(default_factory=dict)
    """How many predictions were read from text, by its form."""
    starts: dict[str, Start] = field(default_factory=dict)
    """How the first values went of fields with comparators that are not built in."""
    limits_met: dict[str, int] = field(default_factory=dict)
    """How many documents met each limit."""
    in_blocks: BlockedLists = field(default_factory=dict)
    sections: SectionCounts = field(default_factory=SectionCounts)
    document_table: pa.Table | None = None
    verdict_table: pa.Table | None = None
    """The rows as tables, where they are kept."""
    derived: Derived | None = None
    """Counts, errors and scores by field, where verdict rows are kept."""
    worst_table: pa.Table | None = None
    """The verdict rows of the worst documents, where they are kept."""
    content: int = 0
    """The checksum of the bytes that were read."""

    @property
    def failures(self) -> list[Failure]:
        """The documents that need a look, in the order of all documents."""
        return [self.failed[number] for number in sorted(self.failed)]

    def tables(self) -> Iterator[tuple[str, pa.Table]]:
        """Yield the tables that are joined with those of other shards, by their names."""
        if self.document_table is not None:
            yield "documents", self.document_table
        if self.derived is not None:
            yield from self.derived._asdict().items()
        if self.worst_table is not None:
            yield "worst", self.worst_table

    def note_blocks(self, paths: Sequence[str], document: str) -> None:
        """Note that lists of a document were too long to be paired but in blocks."""
        self.note_limit("max_cells")
        add_blocks(self.in_blocks, dict.fromkeys(paths, (1, (document,))))

    def note_limit(self, limit: str, documents: int = 1) -> None:
        """Count documents that met a limit."""
        self.limits_met[limit] = self.limits_met.get(limit, 0) + documents

    def note(self, kind: str, documents: int = 1) -> None:
        """Count documents of a kind."""
        self.kinds[kind] = self.kinds.get(kind, 0) + documents
