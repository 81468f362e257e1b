"""Comparators that are not built in: their scores are checked, and what they raise is kept instead of passed on."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np

from fieldwise.comparators.base import BaseComparator, FunctionComparator, Grid, StructuredModelComparator, as_score
from fieldwise.errors import ComparatorError, FieldwiseError, JudgeError
from fieldwise.values import Json

FIRST_VALUES = 100
"""A comparator that raises on all of the first values of a field is a wrong setting."""


class Start(NamedTuple):
    """How the first values of a field went: how many raised before one was answered, and the first reason."""

    raised: int
    answered: bool
    reason: str

    def then(self, later: Start) -> Start:
        """Return how the values of both went, one after the other."""
        if self.answered:
            return self
        return Start(self.raised + later.raised, later.answered, self.reason or later.reason)

    def refuse(self) -> None:
        """Raise where enough values raised before one was answered."""
        if self.raised >= FIRST_VALUES:
            raise ComparatorError(
                f"On all of the first {FIRST_VALUES} values, {self.reason}; correct the comparator",
                code="comparator.raises",
                facts={"values": FIRST_VALUES, "reason": self.reason},
            )


NOTHING_ASKED = Start(0, False, "")


class RaisedErrors(threading.local):
    """What the comparators of a plan raised, by field: in this comparison, and since ``begin`` was called.

    ``strict``: nothing is kept, and what they raise is passed on.
    """

    def __init__(self, strict: bool = False) -> None:
        self.strict = strict
        self.current: dict[str, tuple[str, Exception]] = {}
        self.starts: dict[str, Start] = {}

    def begin(self) -> None:
        """Forget everything."""
        self.current, self.starts = {}, {}

    def take(self) -> dict[str, tuple[str, Exception]]:
        """Return the reason and the exception of each field of the comparison that was just made, and forget them."""
        taken, self.current = self.current, {}
        return taken

    def refuse(self) -> None:
        """Raise where a comparator raised on all of the first values of a field."""
        for start in self.starts.values():
            start.refuse()

    def __reduce__(self) -> tuple[type[RaisedErrors], tuple[bool]]:
        return RaisedErrors, (self.strict,)

    def note(self, path: str, reason: str, error: Exception) -> None:
        """Keep what was raised for a field."""
        self.current.setdefault(path, (reason, error))
        self.starts[path] = self.starts.get(path, NOTHING_ASKED).then(Start(1, False, reason))

    def answered(self, path: str) -> None:
        """Keep that a value of a field was answered."""
        start = self.starts.get(path, NOTHING_ASKED)
        if not start.answered:
            self.starts[path] = start.then(Start(0, True, ""))


class RaisedError(Exception):
    """A comparator raised; the message says which, for which field, and what."""


class OwnComparator:
    """Asks a comparator that is not built in for the scores of one field."""

    def __init__(self, comparator: BaseComparator, path: str, errors: RaisedErrors) -> None:
        self.comparator, self.path, self.errors = comparator, path, errors
        self._ask = _question(comparator)
        self._has_grid = _has_grid(type(comparator))

    def pair(self, expected: Json, predicted: Json) -> float:
        """Return the score of two values; RaisedError where the comparator raises."""
        try:
            score = self._ask(expected, predicted)
        except (FieldwiseError, MemoryError):
            raise
        except Exception as error:
            if self.errors.strict:
                raise
            reason = f"the comparator `{self.comparator.name}` of `{self.path}` raised {described(error)}"
            if isinstance(error, OSError):  # the machine or the network, never the values
                raise JudgeError(reason, facts={"comparator": self.comparator.name, "field": self.path}) from error
            self.errors.note(self.path, reason, error)
            raise RaisedError(reason) from error
        self.errors.answered(self.path)
        if type(score) is float and 0.0 <= score <= 1.0:
            return score
        return as_score(score, self.comparator.name, (expected, predicted), path=self.path)

    def grid(self, expected: Sequence[Json], predicted: Sequence[Json]) -> Grid:
        """Return the scores of every pair of values, NaN where the comparator raises."""
        if self._has_grid:
            scores = self._whole_grid(expected, predicted)
            if scores is not None:
                return scores
        return np.array([[self._cell(e, p) for p in predicted] for e in expected]).reshape(
            len(expected), len(predicted)
        )

    def _cell(self, expected: Json, predicted: Json) -> float:
        try:
            return self.pair(expected, predicted)
        except RaisedError:
            return np.nan

    def _whole_grid(self, expected: Sequence[Json], predicted: Sequence[Json]) -> Grid | None:
        """Return the comparator's own grid; None where something is wrong with it, which the pairs then show."""
        try:
            scores = np.asarray(self.comparator.grid(expected, predicted), dtype=np.float64)
        except (FieldwiseError, MemoryError):
            raise
        except Exception:  # noqa: BLE001  # asked again pair by pair
            return None
        if scores.shape != (len(expected), len(predicted)) or not ((scores >= 0.0) & (scores <= 1.0)).all():
            return None
        if scores.size:
            self.errors.answered(self.path)
        return scores


def is_built_in(comparator: BaseComparator) -> bool:
    """Return whether a comparator runs no code but ours, so that its scores need no check."""
    if isinstance(comparator, (FunctionComparator, StructuredModelComparator)):
        return False
    return type(comparator).__module__.startswith("fieldwise.")


def _question(comparator: BaseComparator) -> Callable[[Json, Json], object]:
    cls = type(comparator)
    if cls.compare is not BaseComparator.compare:
        return comparator.compare
    if isinstance(comparator, FunctionComparator) and cls._compare is FunctionComparator._compare:
        return comparator.function
    return comparator._compare


def _has_grid(cls: type[BaseComparator]) -> bool:
    """Return whether a class has a grid that was written for the way in which it compares two values."""
    defined = {name: next(at for at, c in enumerate(cls.__mro__) if name in vars(c)) for name in _METHODS}
    if cls.grid is BaseComparator.grid:
        return False
    return defined["grid"] <= min(defined["compare"], defined["_compare"])


_METHODS = ("grid", "compare", "_compare")


def described(error: BaseException | None) -> str:
    """Return what an exception is and says, on one line."""
    try:
        words = " ".join(str(error).split())
    except Exception:  # noqa: BLE001  # anybody's exception
        words = ""
    return f"{type(error).__name__}: {words[:200]}" if words else type(error).__name__
