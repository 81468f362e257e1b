"""The comparator of numbers: equal, or within tolerances, decided in exact decimal arithmetic."""

from __future__ import annotations

import math
from bisect import bisect_left, bisect_right
from collections.abc import Hashable, Sequence
from decimal import MAX_EMAX, MAX_PREC, MIN_EMIN, Context, Decimal
from typing import ClassVar, TypeAlias, TypeVar

import numpy as np
from numpy.typing import NDArray

from fieldwise.checks import checked_number, refusal
from fieldwise.comparators.as_text import bare, text_of
from fieldwise.comparators.base import MAX_REPEATS, BaseComparator, Grid, equal_keys, positions
from fieldwise.comparators.number_text import MAX_EXPONENT, read_number
from fieldwise.errors import SettingError, nearest
from fieldwise.values import MAX_INT_BITS, Json, canonical

Reading: TypeAlias = "Decimal | tuple[str, Hashable]"
"""A number, or what stands for a value that is none."""

_Amount = TypeVar("_Amount", float, NDArray[np.float64])

_EXACT = Context(prec=MAX_PREC, Emax=MAX_EMAX, Emin=MIN_EMIN, traps=[])
_WHOLE = 2**53
"""Integers below this are exact as floats."""

_POINT = "en us gb uk ie au nz in il he ja jp zh cn tw hk ko kr th mx es-mx ch de-ch fr-ch it-ch ar fa hi"
_COMMA = (
    "de at fr be es it nl pt br pl ru ua uk-ua sv se da dk nb no nn fi cs cz sk sl si hr sr bg ro hu el gr tr"
    " lt lv et id vi is ca af en-za"
)
LOCALES = {**dict.fromkeys(_POINT.split(), "."), **dict.fromkeys(_COMMA.split(), ",")}
"""The decimal mark of each language, country, or language-country pair."""


class NumericComparator(BaseComparator):
    """Scores 1 where |a - b| <= max(absolute, relative · max(|a|, |b|)), else 0.

    Text is read as a number where it is one; where neither side is, equal text decides. Booleans are none.

    >>> NumericComparator(tolerance=0.01).compare(1, "1.01"), NumericComparator().compare("$1,234.50", 1234.5)
    (1.0, 1.0)
    """

    own_threshold: ClassVar[float] = 1.0
    binary: ClassVar[bool] = True
    is_quick: ClassVar[bool] = True
    cell = 1
    takes: ClassVar[frozenset[str]] = frozenset({"number", "text"})

    def __init__(
        self,
        threshold: float | None = None,
        relative_tolerance: float = 0.0,
        absolute_tolerance: float = 0.0,
        tolerance: float | None = None,
        locale: str | None = None,
    ) -> None:
        super().__init__(threshold)
        if tolerance is not None and absolute_tolerance:
            raise SettingError(
                "Expected `tolerance` or `absolute_tolerance`, which mean the same, got both",
                code="setting.conflict",
                facts={"setting": "tolerance"},
            )
        self.relative_tolerance = checked_number("relative_tolerance", relative_tolerance)
        name, absolute = ("absolute_tolerance", absolute_tolerance) if tolerance is None else ("tolerance", tolerance)
        self.absolute_tolerance = checked_number(name, absolute)
        self.tolerance = None  # an alias, kept under the full name
        self.locale = locale
        self._decimal_mark = None if locale is None else _mark_of(locale)
        self._relative, self._absolute = _exact(self.relative_tolerance), _exact(self.absolute_tolerance)
        self._tolerant = bool(self.relative_tolerance or self.absolute_tolerance)

    def _compare(self, expected: Json, predicted: Json) -> float:
        kind = type(expected)
        if kind is type(predicted) and (kind is float or kind is int or kind is str):
            if expected == predicted:
                return 1.0
            if not self._tolerant and kind is not str:
                return 0.0
        if _is_handy(expected) and _is_handy(predicted):
            near = self._near(float(expected), float(predicted))
            if near is not None:
                return near
        return self._decide(self._read(expected), self._read(predicted))

    def _near(self, a: float, b: float) -> float | None:
        """Decide in floats; None where the difference is too close to the limit for them."""
        if a == b or not self._tolerant:
            return float(a == b)
        apart, size = abs(a - b), max(abs(a), abs(b))
        limit = max(self.absolute_tolerance, self.relative_tolerance * size)
        slack = _slack(size, limit)
        if apart < limit - slack:
            return 1.0
        return 0.0 if apart > limit + slack else None

    def _decide(self, left: Reading, right: Reading) -> float:
        if not (isinstance(left, Decimal) and isinstance(right, Decimal)):
            return 1.0 if type(left) is type(right) and left == right else 0.0
        if left == right:
            return 1.0
        if not self._tolerant or not left.is_finite() or not right.is_finite():
            return 0.0
        apart = _EXACT.abs(_EXACT.subtract(left, right))
        size = _EXACT.max(_EXACT.abs(left), _EXACT.abs(right))
        return 1.0 if apart <= max(self._absolute, _EXACT.multiply(self._relative, size)) else 0.0

    def _read(self, value: Json) -> Reading:
        kind = type(value)
        if kind is str:
            number = read_number(value, self._decimal_mark)
            return ("text", value.strip()) if number is None else number
        if kind is int:
            return _whole(value)
        if kind is float:
            return Decimal(repr(value)) if value == value else _NAN
        return self._read_typed(bare(value))

    def reads(self, text: str) -> bool:
        """Return whether a text holds a number."""
        return read_number(text, self._decimal_mark) is not None

    def _read_typed(self, value: Json) -> Reading:
        if isinstance(value, Decimal):
            return _typed(value)
        if isinstance(value, (bool, np.bool_)):
            return ("value", canonical(value))
        if isinstance(value, (int, np.integer)):
            return _whole(int(value))
        if isinstance(value, (float, np.floating)):
            return self._read(float(value))
        text = text_of(value)
        return ("value", canonical(value)) if text is None else self._read(text)

    def grid(self, expected: Sequence[Json], predicted: Sequence[Json]) -> Grid:
        """Score every pair; each value is read once, and only pairs near the limit leave floats."""
        x, y = _handy_array(expected), _handy_array(predicted)
        if x is not None and y is not None:
            return self._handy_grid(x, y, (expected, predicted))
        rows, columns = [self._read(v) for v in expected], [self._read(v) for v in predicted]
        out = equal_keys([_key(r) for r in rows], [_key(c) for c in columns])
        if self._tolerant:
            self._widen(out, (_floats(rows), _floats(columns)), (rows, columns))
        return out

    def key(self, value: Json) -> Hashable | None:
        """Return the number, whatever the tolerances; for a value that is none what stands for it."""
        reading = self._read(value)
        return None if reading is _NAN or (type(reading) is Decimal and reading.is_nan()) else reading

    def candidates(self, expected: Sequence[Json], predicted: Sequence[Json]) -> Sequence[Sequence[int]] | None:
        """Return the positions of equal numbers, or of those within the tolerances and a little more."""
        kinds = {*map(type, expected), *map(type, predicted)}
        if len(kinds) != 1 or not kinds <= _NUMBERS:
            return None
        if not self._tolerant:
            return positions(expected, predicted)
        return self._around(expected, predicted)

    def _around(self, expected: Sequence[float], predicted: Sequence[float]) -> Sequence[Sequence[int]] | None:
        if not all(-_EXACT_FLOAT < min(side) <= max(side) < _EXACT_FLOAT for side in (expected, predicted)):
            return None
        order = sorted(range(len(predicted)), key=predicted.__getitem__)
        values = [predicted[at] for at in order]
        # |a - b| <= relative · max(|a|, |b|) means |a - b| <= relative / (1 - relative) · |a|.
        share = 1.01 * self.relative_tolerance / (1 - self.relative_tolerance) if self.relative_tolerance < 0.5 else 0.0
        if share == 0.0 and self.relative_tolerance:
            return None
        found = []
        for value in expected:
            reach = 1.01 * self.absolute_tolerance + share * abs(value) + 1e-12 * abs(value) + 1e-300
            found.append(order[bisect_left(values, value - reach) : bisect_right(values, value + reach)])
        return found if sum(map(len, found)) <= MAX_REPEATS * len(found) else None

    def _handy_grid(
        self, x: NDArray[np.float64], y: NDArray[np.float64], values: tuple[Sequence[Json], Sequence[Json]]
    ) -> Grid:
        out: Grid = np.asarray(x[:, None] == y[None, :], dtype=np.float64)
        if self._tolerant:
            self._widen(out, (x, y), values)
        return out

    def _widen(
        self,
        out: Grid,
        floats: tuple[NDArray[np.float64], NDArray[np.float64]],
        values: tuple[Sequence[Json], Sequence[Json]],
    ) -> None:
        """Set the cells of pairs that are within the tolerances; those near the limit are decided exactly."""
        x, y = floats[0][:, None], floats[1][None, :]
        with np.errstate(all="ignore"):
            apart, size = np.abs(x - y), np.maximum(np.abs(x), np.abs(y))
            limit = np.maximum(self.absolute_tolerance, self.relative_tolerance * size)
            slack = _slack(size, limit)
            near, far = apart < limit - slack, apart > limit + slack
        out[near] = 1.0
        for i, j in np.argwhere(~(near | far | (out == 1.0))):
            out[i, j] = self._compare_read(values[0][i], values[1][j])

    def _compare_read(self, left: Json, right: Json) -> float:
        return self._decide(
            left if isinstance(left, (Decimal, tuple)) else self._read(left),
            right if isinstance(right, (Decimal, tuple)) else self._read(right),
        )

    def describe(self) -> str:
        """Return ``numeric`` with its tolerances and locale."""
        parts = [f"±{self.relative_tolerance * 100:g}%"] if self.relative_tolerance else []
        parts += [f"±{self.absolute_tolerance:g}"] if self.absolute_tolerance else []
        words = " ".join(["numeric", " or ".join(parts)]).strip()
        return f"{words}, locale {self.locale}" if self.locale else words


_NAN = Decimal("NaN")


_NUMBERS = frozenset({int, float})
_EXACT_FLOAT = 2.0**53


def _handy_array(values: Sequence[Json]) -> NDArray[np.float64] | None:
    """Return numbers that floats hold exactly as an array; None where there is anything else."""
    if not _NUMBERS.issuperset(map(type, values)):
        return None
    if values and not -_EXACT_FLOAT < min(values) <= max(values) < _EXACT_FLOAT:
        return None
    return np.array(values, dtype=np.float64)


def _is_handy(value: Json) -> bool:
    """Return whether a value is a number that a float holds exactly."""
    kind = type(value)
    if kind is float:
        return math.isfinite(value)
    return kind is int and -_WHOLE < value < _WHOLE


def _slack(size: _Amount, limit: _Amount) -> _Amount:
    """Bound what rounding may have moved; the last term covers numbers so small that floats are coarse."""
    return 1e-14 * size + 1e-12 * limit + 1e-300


def _exact(value: float) -> Decimal:
    return Decimal(repr(value))


def _whole(value: int) -> Reading:
    return Decimal(value) if value.bit_length() <= MAX_INT_BITS else ("value", hex(value))


def _typed(value: Decimal) -> Reading:
    if value.is_nan():
        return _NAN
    if value.is_finite() and value and abs(value.adjusted()) > MAX_EXPONENT:
        return ("text", str(value))
    return value


def _key(reading: Reading) -> Hashable:
    return object() if isinstance(reading, Decimal) and reading.is_nan() else reading


def _floats(readings: Sequence[Reading]) -> NDArray[np.float64]:
    """Return approximations: infinite where too large, NaN where there is no number."""
    return np.array([float(r) if isinstance(r, Decimal) else math.nan for r in readings], dtype=np.float64)


def _mark_of(locale: Json) -> str:
    if not isinstance(locale, str):
        raise refusal("a locale such as en, de or fr", "locale", locale)
    tag = locale.strip().lower().replace("_", "-")
    for known in (tag, tag.partition("-")[0]):
        if known in LOCALES:
            return LOCALES[known]
    raise SettingError(
        f"Expected a locale such as en, de or fr, got {locale!r}{nearest(tag, LOCALES)}",
        facts={"setting": "locale", "got": locale},
    )
