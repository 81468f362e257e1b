"""What a shard leaves beside its rows: sums that add, as JSON between processes and in files."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from operator import attrgetter
from typing import Any, NamedTuple

from fieldwise.compare.own_comparators import Start
from fieldwise.counting.cells import Cells
from fieldwise.evaluation.outcome import MAX_ERRORS, BlockedLists, Failure, SectionCounts, ShardOutcome, add_blocks
from fieldwise.tables.mistakes import KindCounts, add_kinds, count_kinds

_BY_TRIAL = attrgetter("document", "trial", "kind", "reason")


@dataclass
class Sums:
    """What is left of shards without their rows: sums, and the failures with the first ids."""

    cells: Cells
    kinds: dict[str, int]
    errors: list[Failure]
    error_kinds: KindCounts = field(default_factory=dict)
    """Of the verdict rows that were written."""
    texts: dict[str, int] = field(default_factory=dict)
    """How many predictions were read from text, by its form."""
    starts: dict[str, Start] = field(default_factory=dict)
    """How the first values went of fields with comparators that are not built in."""
    limits_met: dict[str, int] = field(default_factory=dict)
    """How many documents met each limit."""
    sections: SectionCounts = field(default_factory=SectionCounts)
    in_blocks: BlockedLists = field(default_factory=dict)

    @classmethod
    def empty(cls, cells: Cells) -> Sums:
        """Return the sums of no documents."""
        return cls(cells, {}, [])

    @classmethod
    def of(cls, outcome: ShardOutcome) -> Sums:
        """Return the sums of a shard."""
        errors = sorted(outcome.failures, key=_BY_TRIAL)[:MAX_ERRORS]
        kinds = {} if outcome.verdict_table is None else count_kinds(outcome.verdict_table)
        return cls(
            outcome.cells,
            outcome.kinds,
            errors,
            kinds,
            outcome.texts,
            outcome.starts,
            outcome.limits_met,
            outcome.sections,
            outcome.in_blocks,
        )

    def merge(self, other: Sums) -> None:
        """Add the sums of documents that come after these."""
        self.cells.merge(other.cells)
        for mine, theirs in (
            (self.kinds, other.kinds),
            (self.texts, other.texts),
            (self.limits_met, other.limits_met),
        ):
            for name, count in theirs.items():
                mine[name] = mine.get(name, 0) + count
        self.errors = sorted([*self.errors, *other.errors], key=_BY_TRIAL)[:MAX_ERRORS]
        self.sections.merge(other.sections)
        add_blocks(self.in_blocks, other.in_blocks)
        add_kinds(self.error_kinds, other.error_kinds)
        for path, start in other.starts.items():
            self.starts[path] = self.starts[path].then(start) if path in self.starts else start
            self.starts[path].refuse()

    def to_state(self) -> dict[str, Any]:
        """Return the sums as JSON."""
        return {
            "cells": self.cells.to_state(),
            "kinds": dict(sorted(self.kinds.items())),
            "errors": [list(failure) for failure in self.errors],
            "error_kinds": self.error_kinds,
            "texts": dict(sorted(self.texts.items())),
            "starts": self.starts,
            "limits_met": dict(sorted(self.limits_met.items())),
            "sections": self.sections.to_state(),
            "in_blocks": {path: [n, list(names)] for path, (n, names) in sorted(self.in_blocks.items())},
        }

    @classmethod
    def from_state(cls, state: Mapping[str, Any]) -> Sums:
        """Return the sums that a state was made of."""
        return cls(
            Cells.from_state(state["cells"]),
            dict(state["kinds"]),
            [Failure(*failure) for failure in state["errors"]],
            state["error_kinds"],
            dict(state.get("texts", {})),
            {path: Start(*start) for path, start in state["starts"].items()},
            dict(state["limits_met"]),
            SectionCounts.from_state(state["sections"]),
            {path: (n, tuple(names)) for path, (n, names) in state["in_blocks"].items()},
        )


class ShardState(NamedTuple):
    """A shard that was evaluated and committed: its sums, and the checksum of the bytes that it was read from."""

    sums: Sums
    content: int

    @classmethod
    def of(cls, outcome: ShardOutcome) -> ShardState:
        """Return the state of a shard."""
        return cls(Sums.of(outcome), outcome.content)
