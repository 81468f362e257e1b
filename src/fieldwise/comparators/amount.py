"""The comparator of numbers where nothing was declared: equal when they are equal, in the same currency and unit."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from decimal import Decimal
from functools import lru_cache
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from fieldwise.checks import checked_flag
from fieldwise.comparators.base import Grid
from fieldwise.comparators.number import NumericComparator, Reading
from fieldwise.comparators.number_text import NO_UNIT, Unit, read_number, read_unit, with_thousands
from fieldwise.comparators.value_kinds import read_sizes, unit_of
from fieldwise.comparators.words import words_of
from fieldwise.values import ZEROS, Json
from fieldwise.values.objects import JSON_SCALARS

ROUNDING = 1e-9
"""The relative difference that arithmetic in floats may leave between equal numbers."""
_APART = 2 * ROUNDING
_ZERO = Decimal(0)


class AmountComparator(NumericComparator):
    """Scores 1 where two numbers are equal, whole ones exactly and others up to what floats round, else 0.

    Where both sides carry a currency or a unit, these must agree too. Text that is no number is alike
    only where it has the same words. With a ``locale``, numbers that show both marks are
    read all the same, with the last one as decimal mark. ``thousands``: a point before exactly three digits, as in
    12.000, is a thousands mark, as a comma is. ``nil``: that word and a dash alone are 0.

    >>> AmountComparator().compare("$1,234.50", 1234.5), AmountComparator().compare("$5", "€5")
    (1.0, 0.0)
    """

    is_quick: ClassVar[bool] = False

    def __init__(
        self,
        threshold: float | None = None,
        locale: str | None = None,
        thousands: bool = False,
        nil: bool = False,
    ) -> None:
        super().__init__(threshold, relative_tolerance=ROUNDING, locale=locale)
        self.thousands, self.nil = checked_flag("thousands", thousands), checked_flag("nil", nil)

    def _compare(self, expected: Json, predicted: Json) -> float:
        kind = type(expected)
        if kind is type(predicted) and kind in JSON_SCALARS:  # equality of any other type may raise
            if expected == predicted:
                return 1.0
            if kind is int or (kind is float and abs(expected - predicted) > _APART * (abs(expected) + abs(predicted))):
                return 0.0  # most numbers that differ differ clearly
        if kind is not str and type(predicted) is not str:
            return super()._compare(expected, predicted)
        score = self._decide(self._read(expected), self._read(predicted))
        return score if not score or _unit(expected).agrees(_unit(predicted)) else 0.0

    def _read(self, value: Json) -> Reading:
        if type(value) is str:
            if self._is_nil(value):
                return _ZERO
            number = _number(value, self._decimal_mark, self.thousands)
            if number is not None:
                return number
            sizes = read_sizes(value)
            return ("text", words_of(value).key) if sizes is None else ("sizes", sizes)
        reading = super()._read(value)
        return (
            reading if isinstance(reading, Decimal) or reading[0] != "text" else ("text", words_of(str(reading[1])).key)
        )

    def reads(self, text: str) -> bool:
        """Return whether a text holds a number."""
        return self._is_nil(text) or super().reads(text)

    def _is_nil(self, text: str) -> bool:
        return self.nil and bool(text.strip()) and text in ZEROS

    def _near(self, a: float, b: float) -> float | None:
        if a.is_integer() and b.is_integer():
            return float(a == b)
        return super()._near(a, b)

    def _decide(self, left: Reading, right: Reading) -> float:
        if (
            isinstance(left, Decimal)
            and isinstance(right, Decimal)
            and left != right
            and _whole(left)
            and _whole(right)
        ):
            return 0.0
        return super()._decide(left, right)

    def _widen(
        self,
        out: Grid,
        floats: tuple[NDArray[np.float64], NDArray[np.float64]],
        values: tuple[Sequence[Json], Sequence[Json]],
    ) -> None:
        """Set the cells of numbers that only rounding keeps apart; whole numbers are exact already."""
        same = out.copy()
        super()._widen(out, floats, values)
        whole = [_are_whole(*sides) for sides in zip(floats, values, strict=True)]
        np.copyto(out, same, where=np.logical_and.outer(*whole))

    def grid(self, expected: Sequence[Json], predicted: Sequence[Json]) -> Grid:
        """Score every pair; each value is read once."""
        out = super().grid(expected, predicted)
        rows, columns = ([(at, _unit(value)) for at, value in enumerate(side)] for side in (expected, predicted))
        if not any(unit.is_credit for _, unit in (*rows, *columns)):  # one that says nothing agrees with any other
            rows, columns = ([place for place in side if place[1] is not NO_UNIT] for side in (rows, columns))
        for i, unit in rows:
            for j, other in columns:
                if out[i, j] and not unit.agrees(other) and expected[i] != predicted[j]:
                    out[i, j] = 0.0
        return out

    def key(self, value: Json) -> Hashable | None:
        """Return the number with its unit, if it has one, or the folded text of a value that is none."""
        number = super().key(value)
        unit = _unit(value) if type(value) is str and number is not None else NO_UNIT
        return number if unit is NO_UNIT or unit == NO_UNIT else (unit, number)

    def loose_key(self, key: Hashable) -> Hashable:
        """Return the number alone: a unit on one side only is put aside."""
        return key[1] if isinstance(key, tuple) and isinstance(key[0], Unit) else key

    def notes(self, expected: Json, predicted: Json) -> str:
        """Say where two equal numbers are in different currencies or units."""
        left, right = self._read(expected), self._read(predicted)
        alike = isinstance(left, Decimal) and isinstance(right, Decimal) and super()._decide(left, right) == 1.0
        return "" if not alike or _unit(expected).agrees(_unit(predicted)) else "units differ"

    def describe(self) -> str:
        """Return ``number``, the locale and what a point stands for."""
        thousands = ", 12.000 is twelve thousand" if self.thousands else ""
        return (f"number, locale {self.locale}" if self.locale else "number") + thousands


@lru_cache(maxsize=16_384)
def _number(text: str, decimal_mark: str | None, thousands: bool) -> Decimal | None:
    text = text.strip().removesuffix(".")
    unit = unit_of(text)
    if unit is None:  # more than a number and its unit
        return None
    if decimal_mark is None:
        number = read_number(with_thousands(text, always=thousands))
    else:
        marked = read_number(text, decimal_mark)
        number = read_number(text) if marked is None else marked
    return number if number is None or not unit.magnitude else number.scaleb(unit.magnitude)


def _unit(value: Json) -> Unit:
    return read_unit(value) if type(value) is str else NO_UNIT


def _are_whole(floats: NDArray[np.float64], values: Sequence[Json]) -> NDArray[np.bool_]:
    """Return which numbers are whole; what was read from text is asked itself, as floats may round it."""
    if any(isinstance(value, (Decimal, tuple)) for value in values):
        return np.array([isinstance(value, Decimal) and _whole(value) for value in values], bool)
    return np.asarray(np.mod(floats, 1) == 0)


def _whole(number: Decimal) -> bool:
    return number.is_finite() and number == number.to_integral_value()
