"""What a shard leaves beside its rows: sums that add, as JSON between processes and in files."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Self

from fieldwise.compare.own_comparators import NOTHING_ASKED, Start
from fieldwise.counting.cells import Cells
from fieldwise.evaluation.outcome import BLOCKED, FAILURES, BlockedLists, Failure, SectionCounts, ShardOutcome
from fieldwise.states import COUNT, Kind, State, by_key, declared, nested, record, text, truth, whole
from fieldwise.tables.mistakes import KIND_COUNTS, KindCounts


def _then(earlier: Start, later: Start) -> Start:
    both = earlier.then(later)
    both.refuse()
    return both


START = Kind(lambda: NOTHING_ASKED, _then, record(Start, whole(), truth, text), list)
"""How the first values of a field went; the one kind for which it matters which documents came first."""


@dataclass(slots=True, eq=False)
class Sums(State):
    """What is left of shards without their rows: sums, and the failures with the first ids."""

    versioned: ClassVar[bool] = True
    cells: Cells = declared(nested(Cells))
    kinds: dict[str, int] = declared(by_key(COUNT))
    """How many documents have each status."""
    errors: list[Failure] = declared(FAILURES)
    error_kinds: KindCounts = declared(KIND_COUNTS)
    """Of the errors that were written."""
    texts: dict[str, int] = declared(by_key(COUNT))
    """How many predictions were read from text, by its form."""
    starts: dict[str, Start] = declared(by_key(START))
    """How the first values went of fields with comparators that are not built in."""
    limits_met: dict[str, int] = declared(by_key(COUNT))
    """How many documents met each limit."""
    sections: SectionCounts = declared(nested(SectionCounts))
    in_blocks: BlockedLists = declared(BLOCKED)

    @classmethod
    def empty(cls, cells: Cells) -> Self:
        """Return the sums of no documents."""
        return cls(cells)

    @classmethod
    def of(cls, outcome: ShardOutcome) -> Self:
        """Return the sums of a shard."""
        return cls(
            outcome.cells,
            outcome.kinds,
            FAILURES.add([], outcome.failures),
            {} if outcome.rows_table is None else outcome.rows_table.kinds,
            outcome.texts,
            outcome.starts,
            outcome.limits_met,
            outcome.sections,
            outcome.in_blocks,
        )
