"""A value as the text that the tests of kinds look at; None where there is none to look at."""

from __future__ import annotations

import re

from fieldwise.comparators.texts import text_of
from fieldwise.values import Json

LONGEST = 4096
"""Characters of a text up to which its letters are looked at one by one."""

LARGEST = 1024
"""Bits of an integer up to which its digits are looked at."""

_DIGIT = re.compile(r"\d")


def text_in(value: Json) -> str | None:
    """Return the text of a scalar; None for true, false, objects, lists and integers of hundreds of digits.

    >>> text_in("a b"), text_in(5.0), text_in(True), text_in([1])
    ('a b', '5.0', None, None)
    """
    kind = type(value)
    if kind is str:
        return value  # type: ignore[no-any-return]  # it is one
    if kind is float:
        return repr(value)
    if kind is int:
        return str(value) if value.bit_length() <= LARGEST else None
    return None if isinstance(value, (bool, int)) else text_of(value)


def number_texts(left: str, right: str) -> tuple[str, str]:
    """Write two numbers with as many decimals, so that their digits stand below each other.

    >>> number_texts("10.5", "110.58"), number_texts("3", "4.0")
    (('10.50', '110.58'), ('3.0', '4.0'))
    """
    if "e" in left or "e" in right or "n" in left or "n" in right:
        return left, right
    here, there = left.partition("."), right.partition(".")
    if len(here[2]) == len(there[2]):
        return left, right
    decimals = max(len(here[2]), len(there[2]))
    return f"{here[0]}.{here[2].ljust(decimals, '0')}", f"{there[0]}.{there[2].ljust(decimals, '0')}"


def squeezed(text: str) -> str:
    """Return text without case and blanks.

    >>> squeezed("Mill  Lane ")
    'milllane'
    """
    return "".join(text.split()).casefold()


def has_digit(text: str) -> bool:
    """Tell whether a text holds a digit."""
    return _DIGIT.search(text) is not None
