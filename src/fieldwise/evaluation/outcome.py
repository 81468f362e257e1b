"""What evaluating one shard leaves: sums, rows, and the documents that need a look."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple, TypeAlias

import pyarrow as pa

from fieldwise.classify.counts import CountTable
from fieldwise.compare.own_comparators import Start
from fieldwise.counting.cells import Cells
from fieldwise.readers.sections import natural
from fieldwise.states import (
    COUNT,
    State,
    by_key,
    declared,
    first,
    joined,
    listed,
    maybe,
    names,
    nested,
    record,
    text,
    whole,
)
from fieldwise.tables.compared import ComparedRows, ShardTables
from fieldwise.tables.documents import DocumentRows
from fieldwise.tables.manifest import TABLES

MAX_ERRORS = 1000
"""The most failures that metrics hold; all of them are in failures.jsonl."""


class Failure(NamedTuple):
    """A document, or one trial of it, that needs a look, and why."""

    document: str
    kind: str
    reason: str
    trial: int = 1


FAILURES = first(MAX_ERRORS, record(Failure, text, text, text, whole()), lambda one: (one[0], one[3], one[1], one[2]))
"""The first failures, by document, trial and kind."""


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


MAX_NAMED = 3
"""The documents that are named for each list."""


class Blocked(NamedTuple):
    """A list that was too long to be paired but in blocks: in how many documents, and the first of these."""

    documents: int
    names: set[str]


BlockedLists: TypeAlias = dict[str, Blocked]
"""Such lists by path."""
BLOCKED = by_key(joined(Blocked, COUNT, names(MAX_NAMED)))


_PAGES = maybe(listed(whole()))
_FAULTS = first(
    MAX_ERRORS,
    record(ClassificationFault, text, text, text, maybe(text), maybe(text), _PAGES, _PAGES),
    lambda fault: (fault.document, natural(fault.section), fault.kind),
)


@dataclass(slots=True, eq=False)
class SectionCounts(State):
    """What is counted of the sections of documents; all of it adds."""

    statuses: dict[str, int] = declared(by_key(COUNT))
    faults: list[ClassificationFault] = declared(_FAULTS)
    """The first by document."""
    splits: dict[str, int] = declared(by_key(COUNT))
    remarks: dict[str, int] = declared(by_key(COUNT))
    """How many documents, sections or values have something that people should know of."""
    classes: CountTable = declared(nested(CountTable))
    """Which classes of sections met which, by document or cluster; those of a side without the section are missing."""

    def note(self, status: str) -> None:
        """Count a section."""
        self.statuses[status] = self.statuses.get(status, 0) + 1

    def add_classes(self, unit: str, pairs: Sequence[ClassPair], *, stays_open: bool) -> None:
        """Count classes in a document or cluster; those of one document come one after the other, in all its trials."""
        if not stays_open and unit not in self.classes.groups:
            self.classes.close()
        self.classes.add_pairs(unit, pairs)

    def remark(self, what: str, count: int = 1) -> None:
        """Count something that people should know of."""
        if count:
            self.remarks[what] = self.remarks.get(what, 0) + count


@dataclass
class ShardOutcome:
    """Everything that one shard adds."""

    cells: Cells = field(default_factory=Cells)
    kinds: dict[str, int] = field(default_factory=dict)
    failed: dict[int, Failure] = field(default_factory=dict)
    """The documents that need a look, by their numbers."""
    documents: DocumentRows = field(default_factory=DocumentRows)
    rows: ComparedRows = field(default_factory=ComparedRows)
    texts: dict[str, int] = field(default_factory=dict)
    """How many predictions were read from text, by its form."""
    starts: dict[str, Start] = field(default_factory=dict)
    """How the first values went of fields with comparators that are not built in."""
    limits_met: dict[str, int] = field(default_factory=dict)
    """How many documents met each limit."""
    in_blocks: BlockedLists = field(default_factory=dict)
    sections: SectionCounts = field(default_factory=SectionCounts)
    document_table: pa.Table | None = None
    rows_table: ShardTables | None = None
    """What is kept of documents and of their values, where anything is."""

    @property
    def failures(self) -> list[Failure]:
        """The documents that need a look, in the order of all documents."""
        return [self.failed[number] for number in sorted(self.failed)]

    def tables(self) -> Iterator[tuple[str, pa.Table]]:
        """Yield the tables that are kept, by their names."""
        if self.document_table is not None and self.rows_table is not None:
            yield "documents", self.document_table
            for name in TABLES:
                table = getattr(self.rows_table, name, None)
                if table is not None:
                    yield name, table

    def note_blocks(self, paths: Sequence[str], document: str) -> None:
        """Note that lists of a document were too long to be paired but in blocks."""
        self.note_limit("max_cells")
        BLOCKED.add(self.in_blocks, {path: Blocked(1, {document}) for path in paths})

    def note_limit(self, limit: str, documents: int = 1) -> None:
        """Count documents that met a limit."""
        self.limits_met[limit] = self.limits_met.get(limit, 0) + documents

    def note(self, kind: str, documents: int = 1) -> None:
        """Count documents of a kind."""
        self.kinds[kind] = self.kinds.get(kind, 0) + documents
