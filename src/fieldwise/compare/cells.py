"""How many cells comparing one document has taken, and which of its lists were paired in blocks.

A cell is one item of a list against one of another. It is counted and never timed, so that a document costs the same on
every machine; a text of more than 64 characters counts for several rows, and so do the items of lists inside rows.
"""

from __future__ import annotations

import threading
from collections.abc import Mapping, Sequence

from fieldwise.limits import MAX_CELLS
from fieldwise.values import Json

FREE = 64
"""The cells that each item of a list may take whatever other lists of the document have taken."""


class Count:
    """What one document has taken, in one thread; begun anew for each document."""

    __slots__ = ("as_came", "in_blocks", "limit", "spent")

    def __init__(self, limit: int) -> None:
        self.limit = limit
        self.spent = 0
        self.in_blocks: list[str] = []
        """The paths of the lists that were paired in blocks, until somebody takes note."""
        self.as_came: Mapping[int, Sequence[Json]] = {}
        """The items of lists as they were before rich values in them were unwrapped, by the id of the list."""

    def begin(self) -> None:
        """Begin a document."""
        self.spent = 0

    def allowed(self, items: int) -> int:
        """Return how many cells two lists of so many items may take."""
        return max(self.limit - self.spent, min(self.limit, FREE * items))

    def noted(self) -> list[str]:
        """Return the lists that were paired in blocks since this was last asked, each once."""
        paths, self.in_blocks = self.in_blocks, []
        return sorted(set(paths))


class Work(threading.local):
    """The count of a plan: ``now`` is that of the document which this thread compares."""

    def __init__(self, limit: int = MAX_CELLS) -> None:
        self.limit = limit
        self.now = Count(limit)

    def __reduce__(self) -> tuple[type[Work], tuple[int]]:
        return Work, (self.limit,)
