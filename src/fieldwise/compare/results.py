"""What the engine says of one compared place: plain, immutable tuples that mirror the plan.

The first three entries mean the same in all of them: ``outcome``; ``share``, what the place adds to its
parent's raw similarity; ``kept``, what it adds to its parent's score after threshold and clipping. Objects and lists
carry the ``plan`` that compared them; which plan a leaf has, the node around it knows.
"""

from __future__ import annotations

import enum
from typing import TYPE_CHECKING, NamedTuple, TypeAlias, final

from fieldwise.values import Json

if TYPE_CHECKING:
    from fieldwise.compare.lists import ListPlan
    from fieldwise.compare.objects import ObjectPlan


class Outcome(enum.Enum):
    """What became of one compared place; the value is its key in counts, ``at`` its position in a list of counts."""

    MATCH = "tp"
    MISMATCH = "fd"
    SPURIOUS = "fa"
    MISSED = "fn"
    ABSENT = "tn"

    at: int
    __hash__ = object.__hash__  # members are singletons; hashing them by name is slow

    def __init__(self, _key: str) -> None:
        self.at = len(type(self).__members__)

    @property
    def word(self) -> str:
        return self.name.lower()


MATCH, MISMATCH, SPURIOUS, MISSED, ABSENT = Outcome


@final
class LeafResult(NamedTuple):
    """One value against one value; the values themselves stand in the object or list around it.

    ``share`` is the comparator's own score. ``alternate`` is the index of the acceptable value that counted. ``note``
    is ``type`` where a value is of another type than declared, ``written`` where two that match in full differ as JSON.
    """

    outcome: Outcome
    share: float
    kept: float
    note: str = ""
    alternate: int = -1


SAME = LeafResult(MATCH, 1.0, 1.0)
"""Both values are the same. This and the next three are most of all results, and need no memory."""
ONLY_EXPECTED = LeafResult(MISSED, 0.0, 0.0)
ONLY_PREDICTED = LeafResult(SPURIOUS, 0.0, 0.0)
NOWHERE = LeafResult(ABSENT, 1.0, 1.0)
WRITTEN = "written"
EQUIVALENT = LeafResult(MATCH, 1.0, 1.0, WRITTEN)
"""The values match in full and are written differently: as JSON they are not the same."""


@final
class ObjectResult(NamedTuple):
    """One object against one object, children in the plan's order, also where a side is absent.

    ``raw``, the weighted mean of the children's shares, pairs list items and judges a nested object; ``score``
    is the weighted mean of what the children kept. ``stray``: a side holds something that is no object.
    """

    outcome: Outcome
    share: float
    kept: float
    plan: ObjectPlan
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


@final
class ListResult(NamedTuple):
    """One list against one list: pairs by expected position, then the positions left over on either side.

    ``outcome`` is None where both lists hold items; the counts then come from the pairs.
    """

    outcome: Outcome | None
    share: float
    kept: float
    plan: ListPlan
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


def is_clean(result: Result, *, by_objects: bool) -> bool:
    """Return whether nothing in a result is wrong, missed or invented, undeclared keys aside.

    ``by_objects``: a list row counts as one, so that an accepted one is right, and only the fields of an object in it
    are looked at; else the values in it count, whatever it holds.
    """
    if result is SAME:
        return True
    if type(result) is ListResult and result.outcome is None:
        if result.missed or result.spurious:
            return False
        return all(pair.accepted and _is_clean_row(pair.result, by_objects=by_objects) for pair in result.pairs)
    if result.outcome is not MATCH and result.outcome is not ABSENT:
        return False
    return type(result) is not ObjectResult or are_clean(result, by_objects=by_objects)


def are_clean(result: ObjectResult, *, by_objects: bool) -> bool:
    """Return whether the fields of an object are clean, whatever the object as a whole is."""
    if result.children is result.plan.all_same:
        return True
    return all(is_clean(child, by_objects=by_objects) for child in result.children)


def _is_clean_row(result: Result, *, by_objects: bool) -> bool:
    if type(result) is ObjectResult and not result.stray:
        return are_clean(result, by_objects=by_objects)
    return by_objects or is_clean(result, by_objects=False)
