"""Checks of comparator settings: each returns the value in its proper type or says what was expected."""

from __future__ import annotations

import math
import reprlib
from collections.abc import Iterable

from fieldwise.errors import SettingError, nearest
from fieldwise.values import Json


def checked_number(name: str, value: Json, *, high: float = math.inf) -> float:
    """Return a number from 0 to ``high`` as a float.

    >>> checked_number("threshold", 1, high=1.0)
    1.0
    """
    wanted = "a number of 0 or more" if high == math.inf else f"a number from 0 to {high:g}"
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not 0 <= value <= high:
        raise refusal(wanted, name, value)
    try:
        number = float(value)
    except OverflowError:
        raise refusal(wanted, name, value) from None
    if not math.isfinite(number):
        raise refusal(wanted, name, value)
    return number


def checked_count(name: str, value: Json, *, low: int = 1) -> int:
    """Return a whole number of at least ``low``."""
    if isinstance(value, bool) or not isinstance(value, int) or value < low:
        raise refusal(f"a whole number of {low} or more", name, value)
    return value


def checked_flag(name: str, value: Json) -> bool:
    """Return a value that is true or false."""
    if not isinstance(value, bool):
        raise refusal("true or false", name, value)
    return value


def checked_text(name: str, value: Json) -> str:
    """Return a text that is not blank."""
    if not isinstance(value, str) or not value.strip():
        raise refusal("a text", name, value)
    return value


def checked_choice(name: str, value: Json, options: Iterable[str]) -> str:
    """Return one of the options; an error names the nearest."""
    valid = list(options)
    if not isinstance(value, str):
        raise refusal(f"one of {', '.join(valid)}", name, value)
    if value not in valid:
        shown = f"one of {', '.join(valid)}" if len(valid) <= 12 else "a known value"
        raise SettingError(f"Expected {shown} for `{name}`, got {value!r}{nearest(value, valid)}")
    return value


def refusal(wanted: str, name: str, value: Json) -> SettingError:
    """Make the error for a setting that is not what was wanted."""
    return SettingError(f"Expected {wanted} for `{name}`, got {shown(value)}")


def shown(value: Json) -> str:
    """Return a short text for any value, of whatever size."""
    if isinstance(value, int) and value.bit_length() > 10_000:
        return f"an integer of {value.bit_length()} bits"
    return reprlib.repr(value)
