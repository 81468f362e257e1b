"""How much comparing one document has taken: character cells, counted and never timed.

A cell is what one character against one character costs in a table of edits, about 0.04 ns where these are counted by
the word; whatever else is done is counted as the cells that take as long.
"""

from __future__ import annotations

import threading
from collections.abc import Mapping, Sequence

from fieldwise.limits import MAX_WORK
from fieldwise.values import Json

CALL = 25_000
"""Two values that are compared by a call of their own."""
CELL = 2_500
"""A cell of a grid that pairs items."""
QUICK_CELL = 250
"""A cell of a grid of numbers or keys."""
LONG_TEXT_NOTE = "text too long, compared by equality"
COUNTED_FROM = 20_000
"""The cells from which two texts are counted on their own; below, what surrounds the call costs more."""

_LITTLE = 10_000_000
"""The cells up to which it is no matter what long texts take besides."""
_WORD = 64
_SHORT_TEXT, _LONG_TEXT = 32, 200
"""What a text takes besides its characters: up to a machine word of them, and above."""


class WorkLimitError(Exception):
    """What would come next is more work than is left."""


class Count:
    """What one document may take and has taken, in one thread; begun anew for each document."""

    __slots__ = ("as_came", "is_tight", "limit", "spent", "was_met")

    def __init__(self, limit: int) -> None:
        self.limit = limit
        self.spent = 0
        self.is_tight = False
        """Whether a list was more than was left: from there on lists are estimated before they are begun."""
        self.was_met = False
        """Whether anything was compared in a cheaper way, until somebody takes note."""
        self.as_came: Mapping[int, Sequence[Json]] = {}
        """The items of lists as they were before rich values in them were unwrapped, by the id of the list."""

    def begin(self) -> None:
        """Begin a document."""
        self.spent = 0
        self.is_tight = False

    @property
    def left(self) -> int:
        return self.limit - self.spent

    def take(self, cells: int) -> None:
        """Count what is about to be done; WorkLimitError, and nothing counted, where that is too much."""
        spent = self.spent + cells
        if spent > self.limit:
            raise WorkLimitError
        self.spent = spent

    def meet(self) -> None:
        """Note that something is compared in a cheaper way."""
        self.was_met = True
        self.spent += 1

    def noted(self) -> bool:
        """Return whether the limit was met since this was last asked."""
        met, self.was_met = self.was_met, False
        return met


class Work(threading.local):
    """The count of a plan: ``now`` is that of the document which this thread compares."""

    def __init__(self, limit: int = MAX_WORK) -> None:
        self.limit = limit
        self.now = Count(limit)

    def __reduce__(self) -> tuple[type[Work], tuple[int]]:
        return Work, (self.limit,)


class _OneCall(Count):
    """The count of a comparator that no plan uses: each step for itself is held to the limit."""

    __slots__ = ()

    def take(self, cells: int) -> None:
        if cells > self.limit:
            raise WorkLimitError


class _Alone(Work):
    def __init__(self) -> None:
        self.limit = MAX_WORK
        self.now = _OneCall(MAX_WORK)

    def __reduce__(self) -> str:  # type: ignore[override]  # the name of the only one
        return "ALONE"


ALONE: Work = _Alone()


def texts_cost(left: Sequence[str], right: Sequence[str]) -> int:
    """Return the cells of every text on the left with every text on the right.

    >>> texts_cost(["a" * 1000], ["b" * 1000])
    1065024
    """
    cells = (sum(map(len, left)) + _SHORT_TEXT * len(left)) * (sum(map(len, right)) + _SHORT_TEXT * len(right))
    return cells if cells < _LITTLE else _lengths(left) * _lengths(right)


def _lengths(texts: Sequence[str]) -> int:
    lengths = list(map(len, texts))
    total = sum(lengths) + _SHORT_TEXT * len(lengths)
    if max(lengths, default=0) > _WORD:
        total += (_LONG_TEXT - _SHORT_TEXT) * sum([length > _WORD for length in lengths])
    return total
