"""What the engine says of one compared place: plain, immutable tuples that mirror the plan.

The first three entries mean the same in all of them: ``outcome``; ``share``, what the place adds to its
parent's raw similarity; ``kept``, what it adds to its parent's score after threshold and clipping.
"""

from __future__ import annotations

import enum
from typing import NamedTuple, TypeAlias

from fieldwise.values import Json


class Outcome(enum.Enum):
    """What became of one compared place; the value is its key in counts."""

    MATCH = "tp"
    MISMATCH = "fd"
    SPURIOUS = "fa"
    MISSED = "fn"
    ABSENT = "tn"

    @property
    def word(self) -> str:
        return self.name.lower()


MATCH, MISMATCH, SPURIOUS, MISSED, ABSENT = Outcome


class LeafResult(NamedTuple):
    """One value against one value. ``share`` is the comparator's own score."""

    outcome: Outcome
    share: float
    kept: float
    expected: Json
    predicted: Json
    note: str = ""
    alternate: int = -1


class ObjectResult(NamedTuple):
    """One object against one object, children in the plan's order, also where a side is absent.

    ``raw``, the weighted mean of the children's shares, pairs list items and judges a nested object; ``score``
    is the weighted mean of what the children kept. ``stray``: a side holds something that is no object.
    """

    outcome: Outcome
    share: float
    kept: float
    raw: float
    score: float
    children: tuple[Result, ...]
    expected: Json
    predicted: Json
    stray: bool = False
    note: str = ""


class Pair(NamedTuple):
    """Two list items that belong together, by their original positions."""

    expected_index: int
    predicted_index: int
    similarity: float
    accepted: bool
    result: Result


class ListResult(NamedTuple):
    """One list against one list: pairs by expected position, then the positions left over on either side.

    ``outcome`` is None where both lists hold items; the counts then come from the pairs.
    """

    outcome: Outcome | None
    share: float
    kept: float
    expected: Json
    predicted: Json
    pairs: tuple[Pair, ...] = ()
    missed: tuple[int, ...] = ()
    spurious: tuple[int, ...] = ()
    stray: bool = False
    note: str = ""


Result: TypeAlias = LeafResult | ObjectResult | ListResult


class AnyOf(NamedTuple):
    """Several expected values of which the best one counts."""

    values: tuple[Json, ...]
