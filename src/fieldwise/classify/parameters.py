"""Checks of what metrics are made with: each returns the value in its proper type or raises SettingError."""

from __future__ import annotations

import math

from fieldwise.errors import SettingError
from fieldwise.values import Json


def whole_number(name: str, value: Json, *, low: int) -> int:
    """Return a whole number of at least ``low``; text and floats that say one are read.

    >>> whole_number("k", 2.0, low=1)
    2
    """
    number = _number(value)
    if number is None or not number.is_integer() or number < low:
        raise SettingError(f"Expected a whole number of {low} or more for {name}, got {value!r}")
    return int(number)


def number_between(name: str, value: Json, low: float, high: float = math.inf) -> float:
    """Return a number within limits; text that says one is read."""
    number = _number(value)
    if number is None or not low <= number <= high:
        limits = f"of {low:g} or more" if high == math.inf else f"from {low:g} to {high:g}"
        raise SettingError(f"Expected a number {limits} for {name}, got {value!r}")
    return number


def flag(name: str, value: Json) -> bool:
    """Return true or false."""
    if not isinstance(value, bool):
        raise SettingError(f"Expected true or false for {name}, got {value!r}")
    return value


def key_text(owner: str, name: str, value: Json) -> str:
    """Return the name of a key, which is a text and not empty."""
    if not value:
        raise SettingError(f"{owner}: {name} cannot be empty")
    if not isinstance(value, str):
        raise SettingError(f"{owner}: {name} must be a text, got {value!r}")
    return value


def _number(value: Json) -> float | None:
    try:
        number = float(value) if isinstance(value, (int, float, str)) else math.nan
    except (ValueError, OverflowError):
        return None
    return number if math.isfinite(number) else None
