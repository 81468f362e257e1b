"""What every node of a compiled plan can do, in pairs and in grids, and how many cells that has taken.

A cell is one item of a list against one of another. It is counted and never timed, so that a document costs the same on
every machine; a text of more than 64 characters counts for several rows, and so do the items of lists inside rows.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Hashable, Mapping, Sequence
from operator import attrgetter
from typing import TYPE_CHECKING, Final, Generic, TypeVar

import numpy as np
from numpy.typing import NDArray
from pydantic import BaseModel
from pydantic_core import PydanticUndefined

from fieldwise.comparators.base import CALL
from fieldwise.compare.contents import View, content_of_single
from fieldwise.compare.results import ABSENT, SAME, AnyOf, LeafResult, Result
from fieldwise.limits import MAX_CELLS
from fieldwise.spec import escape
from fieldwise.values import ONLY_BLANK, AbsentWords, Json, json_name, model_items, opened

if TYPE_CHECKING:
    from fieldwise.compare.leaves import LeafPlan
    from fieldwise.compare.lists import ListPlan
    from fieldwise.compare.objects import ObjectPlan


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


Floats = NDArray[np.float64]
NO_KEY: Final = object()
"""Stands for a value that has no key."""
NOTHING: Final = object()
"""The key of an absent value."""
WRONG_SHAPE: Final = object()
"""Begins the key of a value that is no object or list where one belongs."""
R = TypeVar("R", bound=Result)
R_co = TypeVar("R_co", bound=Result, covariant=True)
S = TypeVar("S")
T = TypeVar("T")


class lazy(Generic[S, T]):  # noqa: N801  # used like property
    """A property computed once. Unlike functools.cached_property of Python 3.11 it takes no lock."""

    def __init__(self, compute: Callable[[S], T]) -> None:
        self.compute, self.__doc__ = compute, compute.__doc__

    def __set_name__(self, owner: type, name: str) -> None:
        self.name = name

    def __get__(self, instance: S, owner: type | None = None) -> T:
        value = instance.__dict__[self.name] = self.compute(instance)
        return value


class Cells:
    """Chosen cells of a grid, by row and column."""

    def __init__(self, pairs: Sequence[tuple[int, int]], width: int) -> None:
        self.pairs = pairs
        self.flat = np.array([i * width + j for i, j in pairs], dtype=np.intp)
        """Their places in a grid of that width, row after row."""


class NodeGrid(Generic[R_co]):
    """Every expected value of a column against every predicted one.

    ``raw_score`` and ``score`` hold for each cell what `Result` says under these names, except that cells where
    both sides are absent are 0 in ``raw_score``. ``has_expected`` and ``has_predicted`` say of each value whether it
    is present.
    """

    raw_score: Floats
    has_expected: Sequence[bool]
    has_predicted: Sequence[bool]
    complete: bool
    """Whether every value of both columns is present."""

    def set_presence(self, expected: Sequence[bool], predicted: Sequence[bool]) -> None:
        """Set which values of the two columns are present."""
        self.has_expected, self.has_predicted = expected, predicted
        self.complete = all(expected) and all(predicted)

    @property
    def score(self) -> Floats:
        raise NotImplementedError

    @property
    def similarity(self) -> Floats:
        """What pairs the items of a list."""
        raise NotImplementedError

    def results(self, cells: Cells) -> list[R_co]:
        """Return the results of the chosen cells, in their order."""
        raise NotImplementedError

    def both_absent(self) -> NDArray[np.bool_] | None:
        """Mark the cells where neither side has a value; None where there is no such cell."""
        if self.complete or all(self.has_expected) or all(self.has_predicted):
            return None
        return np.logical_not(self.has_expected)[:, None] & np.logical_not(self.has_predicted)[None, :]


class PlanNode(Generic[R_co]):
    """A compiled field: compares one pair of values, or a column of values with a column of values.

    No ABC: asking whether a node is a leaf is part of every view, and an ABC answers slowly.
    """

    path: str
    weight: float
    sources: Mapping[str, str]
    work: Work
    """What is counted of the document that is being compared."""
    is_value: bool = False
    """Whether the node can make no other results than those of leaves and lists."""
    holds_lists: bool = False
    """Whether a list may lie in the values."""
    leaf: LeafPlan
    """The plan of the leaf results that the node makes; only a node that makes some has it."""
    absent: AbsentWords = ONLY_BLANK
    """Texts that stand for no value."""
    quick_type: type | None = None
    """A type of which two equal present values score 1 without asking."""

    def pair(self, expected: Json, predicted: Json) -> R_co:
        """Compare one pair of values, either of which may be absent or of a wrong kind."""
        raise NotImplementedError

    def grid(self, expected: Sequence[Json], predicted: Sequence[Json]) -> NodeGrid[R_co]:
        """Compare every expected value with every predicted one; cell by cell the same numbers as ``pair``."""
        raise NotImplementedError

    def has_value(self, value: Json) -> bool:
        """Return whether any declared leaf in ``value`` is present."""
        raise NotImplementedError

    @property
    def accept(self) -> float:
        """The similarity from which two list items of this kind are a pair."""
        raise NotImplementedError

    def accepts(self, result: Result) -> bool:
        """Return whether two list items with this result are a pair."""
        return result.similarity >= maker(self, result).accept

    is_costly: bool = False
    """Whether a model or code of others is asked, so that no pair is compared in vain."""
    has_loose_keys: bool = False
    """Whether values that score 1 may have different keys, and loose keys that are equal."""

    def cells(self, expected: Sequence[Json], predicted: Sequence[Json]) -> int:
        """Return how many cells comparing the columns takes, whatever the order of the values."""
        return len(expected) * len(predicted) * CALL

    def keys(self, values: Sequence[Json]) -> Sequence[Hashable]:
        """Return a key for each value, `NOTHING` for an absent one; values of equal keys score exactly 1.

        `NO_KEY` for a value of which nothing like that is known.
        """
        raise NotImplementedError

    def loose_keys(self, keys: Sequence[Hashable]) -> Sequence[Hashable]:
        """Return what the keys of values that score 1 have in common, as far as that is known."""
        return keys

    def pair_near(self, expected: Json, predicted: Json, keys: tuple[Hashable, Hashable]) -> R_co:
        """Compare two values that may have equal keys: the result that ``pair`` has, sooner where they have."""
        return self.pair_equal(expected, predicted) if keys[0] == keys[1] else self.pair(expected, predicted)

    def pair_equal(self, expected: Json, predicted: Json) -> R_co:
        """Compare two values of equal keys: the result that ``pair`` has, sooner."""
        return self.pair(expected, predicted)

    def content(self, value: Json, view: View) -> str:
        """Return a JSON text that is the same for two values that differ in the order of items only, where it is no
        matter; ``view`` says what else shows.
        """
        return content_of_single(value, view)


class CellGrid(NodeGrid[R_co]):
    """A grid made pair by pair: for a few items, and for values that only pairs can compare."""

    def __init__(self, node: PlanNode[R_co], expected: Sequence[Json], predicted: Sequence[Json]) -> None:
        self.node = node
        self.rows = [[node.pair(e, p) for p in predicted] for e in expected]
        self.set_presence([node.has_value(e) for e in expected], [node.has_value(p) for p in predicted])

    def similarities(self) -> list[list[float]]:
        return [[cell.similarity for cell in row] for row in self.rows]

    @property
    def raw_score(self) -> Floats:  # type: ignore[override]  # computed, not stored
        return np.array([[0.0 if cell.outcome is ABSENT else cell.raw_score for cell in row] for row in self.rows])

    @property
    def score(self) -> Floats:
        return np.array([[cell.score for cell in row] for row in self.rows])

    @property
    def similarity(self) -> Floats:
        return np.array(self.similarities())

    def results(self, cells: Cells) -> list[R_co]:
        return [self.rows[i][j] for i, j in cells.pairs]


def maker(node: PlanNode[Result], result: Result) -> LeafPlan | ObjectPlan | ListPlan:
    """Return the plan that made a result of a node."""
    return node.leaf if isinstance(result, LeafResult) else result.plan


def field_path(path: str, name: str) -> str:
    """Return the path of a field of the object at a path, which is empty for the document itself."""
    return f"{path}.{escape(name)}" if path else escape(name)


def mapping_of(value: Json) -> Mapping[str, Json] | None:
    """Return the keyed values of an object under their JSON names; None where the value is no object."""
    kind = type(value)
    if kind is dict:
        return value  # type: ignore[no-any-return]
    reads = FIELD_READERS.get(kind)
    if reads is None:
        reads = FIELD_READERS[kind] = _field_reader(kind)
    return reads(value)


def mappings_of(values: Sequence[Json]) -> list[Mapping[str, Json] | None]:
    """Return the keyed values of many objects, each as by `mapping_of`."""
    kinds = set(map(type, values))
    reads = FIELD_READERS.get(kinds.pop()) if len(kinds) == 1 else None
    return list(map(reads or mapping_of, values))


FIELD_READERS: dict[type, Callable[[Json], Mapping[str, Json] | None]] = {}
"""How instances of types that came before give their fields."""
_NO_OBJECTS = frozenset({str, int, float, bool, type(None), list, tuple, set, frozenset, AnyOf})


def _field_reader(kind: type) -> Callable[[Json], Mapping[str, Json] | None]:
    """Find out once for each type how its instances give their fields."""
    if issubclass(kind, BaseModel):
        renamed = any(json_name(name, info) != name for name, info in kind.model_fields.items())
        if any(
            info.default not in (None, PydanticUndefined) or info.default_factory for info in kind.model_fields.values()
        ):
            return _given_fields
        return model_items if renamed else _own_fields
    return _no_object if kind in _NO_OBJECTS else _named_values


_own_fields: Callable[[Json], Mapping[str, Json]] = attrgetter("__dict__")


def _given_fields(value: Json) -> Mapping[str, Json]:
    """Leave out defaults that nobody gave: a default never makes a match out of nothing."""
    given, fields = value.__pydantic_fields_set__, type(value).model_fields
    return {json_name(k, fields[k]): v for k, v in value.__dict__.items() if k in given and k in fields}


def _named_values(value: Json) -> Mapping[str, Json] | None:
    parts = opened(value)
    return parts if type(parts) is dict else None


def _no_object(_: Json) -> None:
    return None


def best_alternative(node: PlanNode[R], expected: AnyOf, predicted: Json) -> tuple[int, R]:
    """Compare with each acceptable value; the first of the best ones counts, an identical one before others."""
    results = [node.pair(value, predicted) for value in expected.values]
    best = max(range(len(results)), key=lambda i: (results[i].score, results[i].raw_score, results[i] is SAME))
    return best, results[best]
