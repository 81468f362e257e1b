"""Checks of settings: each returns the value in its proper type, or says what was expected and what came."""

from __future__ import annotations

import math
import reprlib
from collections.abc import Iterable

from fieldwise.errors import SettingError, closest, nearest

_MAX_LISTED = 12
_MAX_BITS = 10_000
MAX_WEIGHT = 1e9
"""Weights are multiplied along paths and added up; far larger ones would leave no room for the others."""


def checked_number(name: str, value: object, *, high: float = math.inf, path: str = "") -> float:
    """Return a number from 0 to ``high`` as a float.

    >>> checked_number("threshold", 1, high=1.0)
    1.0
    """
    number = _plain_number(value)
    if number is None or not 0 <= number <= high:
        raise refusal(_range(0, high), name, value, path=path)
    return number


def check_share(name: str, value: float) -> None:
    """Refuse a number that is not between 0 and 1, or that is one of them."""
    if not 0 < value < 1:
        raise SettingError(f"Expected a {name} between 0 and 1, got {value}", facts={"setting": name, "got": value})


def checked_weight(value: object, *, zero: bool = True, path: str = "") -> float:
    """Return a weight from 0 to ``MAX_WEIGHT``; above 0 where ``zero`` is not allowed."""
    number = _plain_number(value)
    if number is None or number < 0:
        raise refusal("a weight of 0 or more", "weight", value, path=path)
    if number > MAX_WEIGHT:
        raise refusal(f"a weight of at most {int(MAX_WEIGHT):,}", "weight", value, path=path)
    if number == 0 and not zero:
        raise refusal("a weight above 0", "weight", value, path=path)
    return number


def checked_count(name: str, value: object, *, low: int = 1, path: str = "") -> int:
    """Return a whole number of at least ``low``."""
    if isinstance(value, bool) or not isinstance(value, int) or value < low:
        raise refusal(f"a whole number of {low} or more", name, value, path=path)
    return value


def checked_flag(name: str, value: object, *, path: str = "") -> bool:
    """Return a value that is true or false."""
    if not isinstance(value, bool):
        raise refusal("true or false", name, value, path=path)
    return value


def checked_text(name: str, value: object, *, path: str = "") -> str:
    """Return a text that is not blank."""
    if not isinstance(value, str) or not value.strip():
        raise refusal("a text", name, value, path=path)
    return value


def checked_choice(name: str, value: object, options: Iterable[str], *, path: str = "") -> str:
    """Return one of the options; an error names the nearest."""
    valid = list(options)
    if isinstance(value, str) and value in valid:
        return value
    wanted = f"one of {', '.join(valid)}" if len(valid) <= _MAX_LISTED else "a known value"
    raise refusal(wanted, name, value, path=path, options=valid)


def read_count(name: str, value: object, *, low: int) -> int:
    """Return a whole number of at least ``low``; text and floats that say one are read.

    >>> read_count("k", 2.0, low=1)
    2
    """
    number = _read_number(value)
    if number is None or not number.is_integer() or number < low:
        raise refusal(f"a whole number of {low} or more", name, value)
    return int(number)


def read_number(name: str, value: object, low: float, high: float = math.inf) -> float:
    """Return a number within limits; text that says one is read."""
    number = _read_number(value)
    if number is None or not low <= number <= high:
        raise refusal(_range(low, high), name, value)
    return number


def refusal(wanted: str, name: str, value: object, *, path: str = "", options: Iterable[str] = ()) -> SettingError:
    """Make the error for a setting that is not what was wanted."""
    valid = list(options)
    hint = nearest(str(value), valid) if isinstance(value, str) else ""
    facts: dict[str, object] = {"setting": name, "expected": valid or wanted, "got": value}
    if valid:
        facts["nearest"] = closest(str(value), valid) if isinstance(value, str) else None
    return SettingError(f"Expected {wanted} for `{name}`, got {shown(value)}{hint}", path=path, facts=facts)


def shown(value: object) -> str:
    """Return a short text for any value, of whatever size."""
    if isinstance(value, int) and value.bit_length() > _MAX_BITS:
        return f"an integer of {value.bit_length()} bits"
    return reprlib.repr(value)


def _range(low: float, high: float) -> str:
    return f"a number of {low:g} or more" if high == math.inf else f"a number from {low:g} to {high:g}"


def _plain_number(value: object) -> float | None:
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return None
    try:
        number = float(value)
    except OverflowError:
        return None
    return number if math.isfinite(number) else None


def _read_number(value: object) -> float | None:
    try:
        number = float(value) if isinstance(value, (int, float, str)) else math.nan
    except (ValueError, OverflowError):
        return None
    return number if math.isfinite(number) else None
