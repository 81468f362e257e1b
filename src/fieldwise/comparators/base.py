"""What every comparator is: a score for two present values, one pair at a time or as a grid.

Knows nothing of fields; a threshold given to a comparator is only kept for the plan. Some comparators ask only whether
two values come down to the same key, others compare what they read of each value. Functions, and values that can
compare themselves, are comparators too.
"""

from __future__ import annotations

import inspect
import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Hashable, Sequence
from decimal import Decimal
from functools import lru_cache
from numbers import Real
from typing import ClassVar, Generic, TypeAlias, TypeVar

import numpy as np
from numpy.typing import NDArray

from fieldwise.checks import checked_flag, checked_number, shown
from fieldwise.comparators.as_text import widths
from fieldwise.errors import ComparatorError, SettingError
from fieldwise.values import Json, same

Grid: TypeAlias = NDArray[np.float64]
"""Similarities of every expected value (rows) with every predicted one (columns)."""

ANY_KIND = frozenset({"text", "number", "boolean", "date", "object", "list", "box"})
SCALARS = frozenset({"text", "number", "boolean", "date"})
MAX_REPEATS = 4
"""How often a key may repeat on average for `positions` to be of use."""
CALL = 10
"""The cells that comparing two values by a call of its own counts."""

V = TypeVar("V")


class BaseComparator(ABC):
    """Scores two present values from 0 (unlike) to 1 (alike).

    A comparator of your own implements ``_compare(expected, predicted) -> float`` and nothing else; one that
    overrides ``compare`` instead is asked through it.
    """

    own_threshold: ClassVar[float] = 0.7
    """What ``binary_compare`` asks for where no threshold was given."""
    binary: ClassVar[bool] = False
    """Whether the only scores are 0 and 1."""
    takes: ClassVar[frozenset[str]] = ANY_KIND
    """The kinds of values that it can compare."""
    given_threshold: float | None = None
    """The threshold that the caller passed, kept for the plan."""
    is_costly: ClassVar[bool] = False
    """Whether it asks a model."""
    is_quick: ClassVar[bool] = False
    """Whether a cell of a grid takes next to nothing, however long the values are."""
    cell: int = CALL
    """What a cell of a grid counts."""

    def __init_subclass__(cls, **keywords: object) -> None:
        super().__init_subclass__(**keywords)
        if cls.compare is not BaseComparator.compare and cls._compare is BaseComparator._compare:
            cls._compare = _by_compare  # type: ignore[method-assign]  # so that it is not abstract

    def __init__(self, threshold: float | None = None) -> None:
        if threshold is not None:
            self.given_threshold = checked_number("threshold", threshold, high=1.0)

    @property
    def threshold(self) -> float:
        """The given threshold, else the comparator's own."""
        return self.own_threshold if self.given_threshold is None else self.given_threshold

    def compare(self, expected: Json, predicted: Json) -> float:
        """Score two values; two Nones are alike, one None is unlike everything else."""
        if expected is None or predicted is None:
            return 1.0 if expected is predicted else 0.0
        return self._compare(expected, predicted)

    def __call__(self, expected: Json, predicted: Json) -> float:
        return self.compare(expected, predicted)

    def binary_compare(self, expected: Json, predicted: Json) -> tuple[int, int]:
        """Return (1, 0) where the score reaches the threshold, else (0, 1)."""
        return (1, 0) if self.compare(expected, predicted) >= self.threshold else (0, 1)

    @abstractmethod
    def _compare(self, expected: Json, predicted: Json) -> float:
        """Score two present values; raise for none of them."""

    def grid(self, expected: Sequence[Json], predicted: Sequence[Json]) -> Grid:
        """Score every pair of present values; each cell equals ``_compare`` of its pair to the last bit."""
        out = np.empty((len(expected), len(predicted)))
        for i, left in enumerate(expected):
            for j, right in enumerate(predicted):
                out[i, j] = self._compare(left, right)
        return out

    def key(self, value: Json) -> Hashable | None:
        """Return what stands for a present value: values of equal keys score exactly 1.

        None where nothing does but the value itself.
        """
        return None

    def loose_key(self, key: Hashable) -> Hashable:
        """Return what the keys of values that score 1 have in common; by default they are equal."""
        return key

    def cells(self, expected: Sequence[Json], predicted: Sequence[Json]) -> int:
        """Return how many cells a grid of these values counts for; long texts count several times."""
        if self.is_quick:
            return len(expected) * len(predicted)
        return widths(expected) * widths(predicted) * self.cell

    @property
    def is_of_text(self) -> bool:
        """Whether it compares values as text, so that an object can only be compared as its JSON."""
        return self.takes == SCALARS

    @property
    def selective(self) -> bool:
        """Whether ``candidates`` can answer."""
        return type(self).candidates is not BaseComparator.candidates

    def candidates(self, expected: Sequence[Json], predicted: Sequence[Json]) -> Sequence[Sequence[int]] | None:
        """Return for each expected value the positions of the predicted ones that may score more than 0.

        None where that cannot be told cheaply, or where they are so many that it tells nothing.
        """
        return None

    def notes(self, expected: Json, predicted: Json) -> str:
        """Say in words what a reader of this pair's score should know; mostly nothing."""
        return ""

    @property
    def name(self) -> str:
        """The name in schemas and configurations."""
        return type(self).__name__

    @property
    def config(self) -> dict[str, Json]:
        """The parameters that differ from their defaults, as JSON; ``type(c)(**c.config)`` is like ``c``."""
        found = {name: getattr(self, name, default) for name, default in _defaults(type(self)).items()}
        return {name: value for name, value in found.items() if value != _defaults(type(self))[name]}

    def describe(self) -> str:
        """Return a few words for a plan, such as ``levenshtein``."""
        return type(self).__name__.removesuffix("Comparator").lower()

    def _identity(self) -> tuple[object, ...]:
        return (self.given_threshold, repr(sorted(self.config.items())))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, BaseComparator) and (
            type(self) is type(other) and self._identity() == other._identity()
        )

    def __hash__(self) -> int:
        return hash((type(self), self._identity()))

    def __repr__(self) -> str:
        given = {} if self.given_threshold is None else {"threshold": self.given_threshold}
        inside = ", ".join(f"{name}={value!r}" for name, value in {**self.config, **given}.items())
        return f"{type(self).__name__}({inside})"


def _by_compare(self: BaseComparator, expected: Json, predicted: Json) -> float:
    return self.compare(expected, predicted)


@lru_cache(maxsize=256)
def _defaults(cls: type[BaseComparator]) -> dict[str, Json]:
    parameters = list(inspect.signature(cls.__init__).parameters.values())[1:]
    named = [p for p in parameters if p.kind not in (p.VAR_POSITIONAL, p.VAR_KEYWORD)]
    return {p.name: p.default for p in named if p.name != "threshold"}


class KeyedComparator(BaseComparator):
    """Scores 1 where the keys of both values are equal, else 0."""

    own_threshold: ClassVar[float] = 1.0
    binary: ClassVar[bool] = True
    is_quick: ClassVar[bool] = True

    @abstractmethod
    def key(self, value: Json) -> Hashable:
        """Return what stands for the value; equal keys mean alike."""

    def _compare(self, expected: Json, predicted: Json) -> float:
        return 1.0 if self.key(expected) == self.key(predicted) else 0.0

    def grid(self, expected: Sequence[Json], predicted: Sequence[Json]) -> Grid:
        """Score every pair; each value's key is made once."""
        return equal_keys([self.key(v) for v in expected], [self.key(v) for v in predicted])

    def candidates(self, expected: Sequence[Json], predicted: Sequence[Json]) -> Sequence[Sequence[int]] | None:
        """Return the positions of equal keys."""
        return positions([self.key(v) for v in expected], [self.key(v) for v in predicted])


def positions(left: Sequence[Hashable], right: Sequence[Hashable]) -> Sequence[Sequence[int]] | None:
    """Return for each key on the left where it stands on the right; None where keys repeat too often to tell.

    >>> positions(["a", "b"], ["b", "c"])
    [(), [0]]
    """
    places: dict[Hashable, list[int]] = {}
    for at, key in enumerate(right):
        places.setdefault(key, []).append(at)
    if len(places) * MAX_REPEATS < len(right):
        return None
    return [places.get(key, ()) for key in left]


def equal_keys(left: Sequence[Hashable], right: Sequence[Hashable]) -> Grid:
    """Return 1.0 in each cell whose two keys are equal, else 0.0.

    >>> equal_keys(["a", "b"], ["b"])
    array([[0.],
           [1.]])
    """
    numbers: dict[Hashable, int] = {}
    rows = _numbered(left, numbers)
    return np.asarray(rows[:, None] == _numbered(right, numbers)[None, :], dtype=np.float64)


def _numbered(keys: Sequence[Hashable], numbers: dict[Hashable, int]) -> NDArray[np.int64]:
    return np.fromiter((numbers.setdefault(k, len(numbers)) for k in keys), dtype=np.int64, count=len(keys))


class ReadComparator(BaseComparator, Generic[V]):
    """Scores two values by what each of them reads as, which a grid finds out once for each value."""

    @abstractmethod
    def _read(self, value: Json) -> V:
        """Return what is compared of a value."""

    @abstractmethod
    def _score(self, left: V, right: V) -> float:
        """Score what was read of two values."""

    def _compare(self, expected: Json, predicted: Json) -> float:
        return self._score(self._read(expected), self._read(predicted))

    def grid(self, expected: Sequence[Json], predicted: Sequence[Json]) -> Grid:
        """Score every pair; each value is read once."""
        rows, columns = [self._read(v) for v in expected], [self._read(v) for v in predicted]
        cells = [[self._score(row, column) for column in columns] for row in rows]
        return np.array(cells, dtype=np.float64).reshape(len(rows), len(columns))


class FunctionComparator(BaseComparator):
    """Scores by any function ``(expected, predicted) -> float`` whose results are from 0 to 1.

    >>> FunctionComparator(lambda a, b: 1 - abs(a - b) / 10).compare(3, 5)
    0.8
    """

    def __init__(
        self,
        function: Callable[[Json, Json], float],
        name: str | None = None,
        *,
        threshold: float | None = None,
    ) -> None:
        super().__init__(threshold)
        if not callable(function):
            raise SettingError(f"Expected a function of two values, got {shown(function)}", facts={"got": function})
        self.function = function
        self._name: str = name or str(getattr(function, "__name__", type(function).__name__))

    def _compare(self, expected: Json, predicted: Json) -> float:
        return as_score(self.function(expected, predicted), self._name, (expected, predicted))

    @property
    def name(self) -> str:
        """The name it was given, else that of the function."""
        return self._name

    @property
    def config(self) -> dict[str, Json]:
        """Nothing: a function is no JSON."""
        return {}

    def describe(self) -> str:
        """Return the name of the function."""
        return self._name

    def _identity(self) -> tuple[object, ...]:
        return (self.given_threshold, self._name, self.function)


ROUNDING = 1e-6
"""How far outside of 0..1 a score may be by rounding."""


def as_score(score: object, source: str, values: tuple[Json, Json], *, path: str = "") -> float:
    """Return a score from 0 to 1; anything else is an error that names where it came from.

    >>> as_score(1.0000001, "mine", ("a", "b"))
    1.0
    """
    try:
        number = float(score) if isinstance(score, (Real, np.bool_)) else math.nan
    except OverflowError:  # an integer beyond all floats
        number = math.nan
    if not -ROUNDING <= number <= 1.0 + ROUNDING:
        advice = "; divide it by 100" if 1.0 < number <= 100.0 else ""
        raise ComparatorError(
            f"Expected a score from 0 to 1 from the comparator `{source}` for {shown(values[0])} and"
            f" {shown(values[1])}, got {shown(score)}{advice}",
            path=path,
            facts={"comparator": source, "got": score},
        )
    return min(max(number, 0.0), 1.0)


class StructuredModelComparator(BaseComparator):
    """Scores by the first value's own ``compare`` method where both have one, else 1 for equal values.

    With ``strict_types`` values of different types are unlike.

    >>> StructuredModelComparator().compare({"a": 1}, {"a": 1})
    1.0
    """

    takes: ClassVar[frozenset[str]] = ANY_KIND

    def __init__(self, threshold: float | None = None, strict_types: bool = False) -> None:
        super().__init__(threshold)
        self.strict_types = checked_flag("strict_types", strict_types)

    def _compare(self, expected: Json, predicted: Json) -> float:
        if self.strict_types and type(expected) is not type(predicted):
            return 0.0
        if _compares_itself(expected) and _compares_itself(predicted):
            return as_score(expected.compare(predicted), f"{type(expected).__name__}.compare", (expected, predicted))
        return 1.0 if same(expected, predicted) else 0.0

    def describe(self) -> str:
        """Return ``its own compare``."""
        return "its own compare"


def _compares_itself(value: Json) -> bool:
    return not isinstance(value, (type, Decimal)) and callable(getattr(value, "compare", None))
