"""Amounts: a number with the unit around it. The same number written otherwise, or another scale, unit or sign."""

from __future__ import annotations

import math
import re
from decimal import Decimal
from functools import lru_cache
from typing import NamedTuple

from fieldwise.comparators.number_text import read_number
from fieldwise.error_kinds.text import MAX_BITS
from fieldwise.values import Json

CURRENCIES = {
    "€": "eur",
    "euro": "eur",
    "euros": "eur",
    "$": "usd",
    "us$": "usd",
    "£": "gbp",
    "¥": "jpy",
    "₹": "inr",
    "fr": "chf",
    "sfr": "chf",
}
"""Other ways to write the code of a currency."""
_SIGNS = {**CURRENCIES, "percent": "%", "pct": "%"}
"""Other ways to write a unit."""
_UNIT_WORDS = (
    "% ‰ eur usd gbp chf jpy inr cny cad aud sek nok dkk pln czk huf brl mxn ct cent cents p"
    " t kg g mg µg μg lb lbs oz km m cm mm in ft l dl cl ml m² m2 m³ m3 h hrs hours hour min s d days day"
    " w kw mw wh kwh mwh v a ma hz khz mhz ghz kb mb gb tb °c °f k pcs pc piece pieces stk st ea x"
    " iu mmol mol bar kpa hpa"
)
_UNITS = frozenset(_UNIT_WORDS.split())
_MAX_LENGTH = 48
_ONE_NUMBER = re.compile(r"([^\d]{0,16})\d(?:[\d.,'’\s]*\d)?([^\d]{0,16})", re.DOTALL)
_AROUND = re.compile(r"[-−–+()\[\].,:;=*/\s]+")
_NEAR = 0.05
_MAX_POWER = 12


class Amount(NamedTuple):
    """A number in one or two readings, and what stands around it; ``known`` where that is nothing or a unit."""

    numbers: frozenset[Decimal]
    unit: str
    known: bool


def same_amount(expected: Json, predicted: Json) -> bool:
    """Return whether two values are the same amount, written otherwise, at least one of them as text.

    >>> same_amount(1234.5, "$1,234.50"), same_amount("1.234,50 €", "1234.50"), same_amount("5 kg", "5 g")
    (True, True, False)
    """
    pair = _amounts(expected, predicted)
    if pair is None:
        return False
    left, right = pair
    return not left.numbers.isdisjoint(right.numbers) and not _is_unit_changed(left, right)


def is_scale(expected: Json, predicted: Json) -> bool:
    """Return whether a number is right but for a power of ten, its unit or its sign.

    A number that was also rounded counts where two digits or more are left.

    >>> is_scale(1234.5, 123450), is_scale(0.19, "19 %"), is_scale("5 kg", "5 g"), is_scale(-5, 5), is_scale(5, 6)
    (True, True, True, True, False)
    """
    kind, other = type(expected), type(predicted)
    if (kind is float or kind is int) and (other is float or other is int):
        return is_rescaled(expected, predicted)
    pair = _amounts(expected, predicted)
    if pair is None:
        return False
    left, right = pair
    if not left.numbers.isdisjoint(right.numbers):
        return _is_unit_changed(left, right)
    return any(is_rescaled(_plain(a), _plain(b)) for a in left.numbers for b in right.numbers)


def _amounts(expected: Json, predicted: Json) -> tuple[Amount, Amount] | None:
    """Read both values; None where one is no amount, or words around a number tell that it is something else."""
    left = _amount(expected)
    right = None if left is None else _amount(predicted)
    if left is None or right is None:
        return None
    as_text = type(expected) is str and type(predicted) is str
    if as_text and left.unit != right.unit and not (left.known and right.known):
        return None
    return left, right


def _amount(value: Json) -> Amount | None:
    if type(value) is str:
        return _read(value) if len(value) <= _MAX_LENGTH else None
    if type(value) is int and value.bit_length() <= MAX_BITS:
        return Amount(frozenset((Decimal(value),)), "", True)
    if type(value) is float and math.isfinite(value):
        return Amount(frozenset((Decimal(repr(value)),)), "", True)
    return None


@lru_cache(maxsize=16_384)
def _read(text: str) -> Amount | None:
    found = _ONE_NUMBER.fullmatch(text)
    if found is None:
        return None
    number = read_number(text)
    if number is None:
        return None
    # A point before three digits may be a thousands mark, as in 1.234; a comma there is one anyway.
    other = read_number(text, ",") if "." in text else None
    numbers = frozenset((number,) if other is None else (number, other))
    unit = _AROUND.sub(" ", f"{found[1]} {found[2]}").strip().casefold()
    unit = _SIGNS.get(unit, unit)
    return Amount(numbers, unit, not unit or unit in _UNITS)


def _is_unit_changed(left: Amount, right: Amount) -> bool:
    return bool(left.unit and right.unit) and left.unit != right.unit and left.known and right.known


def _plain(number: Decimal) -> float:
    return float(number) if abs(number.adjusted()) < 300 else math.nan


def is_rescaled(expected: float, predicted: float) -> bool:
    """Return whether two numbers have the same digits, at another power of ten, or another sign."""
    try:
        ratio = abs(predicted / expected)
    except (OverflowError, ZeroDivisionError):
        return False
    if 0.2 < ratio < 5.0:
        return predicted == -expected
    if not 0.0 < ratio < math.inf:
        return False
    power = math.log10(ratio)
    if abs(power - round(power)) > _NEAR or abs(power) > _MAX_POWER:
        return False
    return _are_digits_same(_digits(expected), _digits(predicted))


def _digits(number: float) -> str:
    return repr(abs(number)).partition("e")[0].replace(".", "").strip("0")


def _are_digits_same(left: str, right: str) -> bool:
    """Return whether two rows of digits are the same, or one is the other rounded to two digits or more."""
    if left == right:
        return True
    short, long = sorted((left, right), key=len)
    if len(short) < 2 or len(short) == len(long):
        return False
    step: int = 10 ** (len(long) - len(short))
    return 2 * abs(int(short) * step - int(long)) <= step
