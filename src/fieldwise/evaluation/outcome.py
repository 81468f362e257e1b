"""What evaluating one shard leaves: sums, rows, and the documents that need a look."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

import pyarrow as pa

from fieldwise.comparators.work import Count
from fieldwise.compare.own_comparators import Start
from fieldwise.counting.cells import Cells
from fieldwise.errors import BudgetError, ComparatorError, SliceError
from fieldwise.tables.derived import Derived
from fieldwise.tables.documents import DocumentRows
from fieldwise.tables.verdicts import VerdictRows

MAX_ERRORS = 1000
"""The most failures that metrics hold; all of them are in failures.jsonl."""

ENDS_ALL = (ComparatorError, SliceError, BudgetError, MemoryError, OSError)
"""What concerns all documents, not only the one at which it was seen: settings, and what the machine lacks."""


class Failure(NamedTuple):
    """A document, or one trial of it, that needs a look, and why."""

    document: str
    kind: str
    reason: str
    trial: int = 1


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
    document_table: pa.Table | None = None
    verdict_table: pa.Table | None = None
    """The rows as tables, where they are kept."""
    derived: Derived | None = None
    """Counts, errors and scores by field, where verdict rows are kept."""
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

    def note_work(self, work: Count) -> None:
        """Count a document of which something was compared in a cheaper way, and begin the next one."""
        if work.noted():
            self.note_limit("max_work")
        work.begin()

    def note_limit(self, limit: str, documents: int = 1) -> None:
        """Count documents that met a limit."""
        self.limits_met[limit] = self.limits_met.get(limit, 0) + documents

    def note(self, kind: str, documents: int = 1) -> None:
        """Count documents of a kind."""
        self.kinds[kind] = self.kinds.get(kind, 0) + documents
