"""What the engine says of one compared place: plain, immutable tuples that mirror the plan.

The first three entries mean the same in all of them: ``outcome``; ``raw_score``, what the place adds to the
similarity of the object around it; ``score``, what it adds to that object's mean score, after threshold and clipping.
Objects and lists carry the ``plan`` that compared them; which plan a leaf has, the node around it knows.
"""

from __future__ import annotations

import enum
from typing import TYPE_CHECKING, Final, Literal, NamedTuple, TypeAlias, final

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

IN_BLOCKS = "blocks"
"""The note of a list too long to compare every item with every other."""


class AbsentText(NamedTuple):
    """The note of a leaf where a text stands for no value, on one side or on both."""

    expected: bool
    predicted: bool


class LoneText(NamedTuple):
    """The note of a leaf where a side has a text that may stand for no value, and the other has none."""

    side: Literal["expected", "predicted"]
    text: str


class Raised(NamedTuple):
    """The note of a leaf whose comparator raised."""

    reason: str


LeafNote: TypeAlias = Literal["", "type", "written"] | AbsentText | LoneText | Raised
"""What there is to know of a leaf: nothing; a value is of another type than declared; two that match in full differ as
JSON; or one of the above."""


@final
class LeafResult(NamedTuple):
    """One value against one value; the values themselves stand in the object or list around it.

    ``raw_score`` is what its comparator said. ``alternate`` is the index of the acceptable value that counted.
    """

    outcome: Outcome
    raw_score: float
    score: float
    note: LeafNote = ""
    alternate: int = -1

    @property
    def similarity(self) -> float:
        """What pairs it as a list item."""
        return self.raw_score


SAME = LeafResult(MATCH, 1.0, 1.0)
"""Both values are the same. This and the next three are most of all results, and need no memory."""
ONLY_EXPECTED = LeafResult(MISSED, 0.0, 0.0)
ONLY_PREDICTED = LeafResult(SPURIOUS, 0.0, 0.0)
BOTH_ABSENT = LeafResult(ABSENT, 1.0, 1.0)
WRITTEN: Final = "written"
EQUIVALENT = LeafResult(MATCH, 1.0, 1.0, WRITTEN)
"""The values match in full and are written differently: as JSON they are not the same."""


@final
class ObjectResult(NamedTuple):
    """One object against one object, children in the plan's order, also where a side is absent.

    ``similarity``, the weighted mean of the children's raw scores, pairs list items and judges a nested object;
    ``mean_score`` is the weighted mean of their scores. ``wrong_shape``: a side holds something that is no object.
    """

    outcome: Outcome
    raw_score: float
    score: float
    plan: ObjectPlan
    similarity: float
    mean_score: float
    children: tuple[Result, ...]
    expected: Json
    predicted: Json
    wrong_shape: bool = False
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

    ``outcome`` is None where both lists hold items; the counts then come from the pairs. ``note`` is *type* where the
    shape is wrong, `IN_BLOCKS`, or empty.
    """

    outcome: Outcome | None
    raw_score: float
    score: float
    plan: ListPlan
    expected: Json
    predicted: Json
    pairs: tuple[Pair, ...] = ()
    missed: tuple[int, ...] = ()
    spurious: tuple[int, ...] = ()
    wrong_shape: bool = False
    note: str = ""

    @property
    def similarity(self) -> float:
        """What pairs it as an item of another list."""
        return self.score


Result: TypeAlias = LeafResult | ObjectResult | ListResult

Matched: TypeAlias = list[tuple[int, int, Result]]
"""Pairs of items by their places among those of a list that have a value, with the result of each."""


class AnyOf(NamedTuple):
    """Several expected values of which the best one counts."""

    values: tuple[Json, ...]


def item_counts(result: ListResult) -> tuple[int, int, int, int, int]:
    """Return how many items of a list match, mismatch, are spurious, missed or absent, item by item."""
    if result.outcome is None:
        good = sum([pair.accepted for pair in result.pairs])
        return good, len(result.pairs) - good, len(result.spurious), len(result.missed), 0
    if result.outcome is MISSED:
        return 0, 0, 0, max(len(result.missed), 1), 0
    if result.outcome is SPURIOUS:
        return 0, 0, max(len(result.spurious), 1), 0, 0
    return int(result.outcome is MATCH), int(result.outcome is MISMATCH), 0, 0, int(result.outcome is ABSENT)


def objects_below(result: ObjectResult | ListResult) -> list[ObjectResult]:
    """Return the objects whose fields count below a result: an object that both sides have, or the accepted rows.

    An accepted row is right as a row, whatever its outcome would be outside of a list.
    """
    if isinstance(result, ListResult):
        rows = [pair.result for pair in result.pairs if pair.accepted]
        return [row for row in rows if type(row) is ObjectResult and not row.wrong_shape]
    return [result] if result.outcome in (MATCH, MISMATCH) and not result.wrong_shape else []


def is_clean(result: Result, *, by_objects: bool) -> bool:
    """Return whether a result counts nothing as wrong, missed or invented, and none of the fields below it does.

    ``by_objects``: the items of lists count as wholes; else the values in accepted items that are no objects count too.
    """
    if isinstance(result, LeafResult):
        return result.outcome is MATCH or result.outcome is ABSENT
    if isinstance(result, ObjectResult):
        is_right = result.outcome is MATCH or result.outcome is ABSENT
    else:
        is_right = not any(item_counts(result)[1:4])
        if not by_objects:
            is_right = is_right and all(is_clean(row, by_objects=False) for row in _accepted_values(result))
    return is_right and all(
        is_clean(child, by_objects=by_objects) for row in objects_below(result) for child in row.children
    )


def _accepted_values(result: ListResult) -> list[Result]:
    """Return the accepted items of a list that are no objects."""
    rows = [pair.result for pair in result.pairs if pair.accepted]
    return [row for row in rows if type(row) is not ObjectResult or row.wrong_shape]
