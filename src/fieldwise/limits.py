"""What one document may cost: the limits of reading and of comparing, and what they are by default.

Work is counted, never timed, so that a document over a limit is over it on every machine.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass

from fieldwise.checks import checked_count

MIB = 1 << 20
GIB = 1 << 30

MAX_CELLS = 25_000_000
"""Pairs of list items that comparing one document may take before its lists are paired in blocks."""

MAX_EXPANSION = 200
"""How many times larger than its packed form an archive may become, once it is above ``FREE_UNPACKED`` bytes."""
FREE_UNPACKED = 64 * MIB


@dataclass(frozen=True)
class ReadLimits:
    """How large a document may be that is read: its bytes, what an archive may unpack to in all, and its levels."""

    max_bytes: int = 64 * MIB
    max_unpacked: int = 8 * GIB
    max_depth: int = 10_000

    def __post_init__(self) -> None:
        for name, value in asdict(self).items():
            checked_count(name, value)


def changed_limits(reading: ReadLimits, max_cells: int) -> dict[str, int]:
    """Return the limits that are not the default ones, which decide numbers as other settings do.

    >>> changed_limits(ReadLimits(max_depth=200), MAX_CELLS)
    {'max_depth': 200}
    """
    usual = {**asdict(ReadLimits()), "max_cells": MAX_CELLS}
    given = {**asdict(reading), "max_cells": max_cells}
    return {name: value for name, value in given.items() if value != usual[name]}
