"""What one document may cost: the limits of reading and of comparing, and what they are by default.

Work is counted, never timed, so that a document over a limit is over it on every machine.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass

from fieldwise.checks import checked_count

MIB = 1 << 20
GIB = 1 << 30

MAX_WORK = 50_000_000_000
"""Character cells that comparing one document may take before its texts and rows are compared in cheaper ways."""

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


def changed_limits(reading: ReadLimits, max_work: int) -> dict[str, int]:
    """Return the limits that are not the default ones, which decide numbers as other settings do.

    >>> changed_limits(ReadLimits(max_depth=200), MAX_WORK)
    {'max_depth': 200}
    """
    usual = {**asdict(ReadLimits()), "max_work": MAX_WORK}
    given = {**asdict(reading), "max_work": max_work}
    return {name: value for name, value in given.items() if value != usual[name]}
