"""Values as the texts that the tests of kinds look at, and a part of one: ``missing``, ``truncated``, ``invented``."""

from __future__ import annotations

from fieldwise.comparators.as_text import text_of
from fieldwise.values import Json, is_absent

MAX_LENGTH = 4096
"""Characters of a text up to which its letters are looked at one by one."""

MAX_BITS = 1024
"""Bits of an integer up to which its digits are looked at."""

_MIN_LENGTH = 2
_ENOUGH = 3


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
        return str(value) if value.bit_length() <= MAX_BITS else None
    return None if isinstance(value, (bool, int)) else text_of(value)


def number_texts(left: str, right: str) -> tuple[str, str]:
    """Write two numbers with as many decimals, so that their digits stand below each other.

    >>> number_texts("10.5", "110.58"), number_texts("3", "4.0")
    (('10.50', '110.58'), ('3.0', '4.0'))
    """
    if "e" in left or "e" in right or "n" in left or "n" in right:
        return left, right
    (whole, _, decimals), (other_whole, _, other_decimals) = left.partition("."), right.partition(".")
    if len(decimals) == len(other_decimals):
        return left, right
    length = max(len(decimals), len(other_decimals))
    return f"{whole}.{decimals.ljust(length, '0')}", f"{other_whole}.{other_decimals.ljust(length, '0')}"


def squeezed(text: str) -> str:
    """Return text without case and blanks.

    >>> squeezed("Mill  Lane ")
    'milllane'
    """
    return "".join(text.split()).casefold()


def is_missing(expected: Json, predicted: Json) -> bool:
    """Return whether a value was expected and none predicted."""
    return is_absent(predicted) and not is_absent(expected)


def is_invented(expected: Json, predicted: Json) -> bool:
    """Return whether a value was predicted where none was expected."""
    return is_absent(expected) and not is_absent(predicted)


def is_truncated(expected: Json, predicted: Json) -> bool:
    """Return whether the predicted value is the beginning, the end or a whole stretch of words of the expected one.

    A beginning may stop within a word; an end may begin within a word only where the value has several words or
    digits (``approved`` is no part of ``unapproved``); a middle part consists of whole words. Two characters count
    where they are half of the value, one never does. Text that was captured beyond the value is not this kind.

    >>> is_truncated("Harbour & Finch Ltd.", "Harbour & Fi"), is_truncated(1234.56, 1234.5), is_truncated("male", "ma")
    (True, True, True)
    >>> is_truncated("female", "male"), is_truncated("Finch", "Harbour & Finch"), is_truncated("A4", "A")
    (False, False, False)
    """
    if type(predicted) is float and type(expected) is float and is_no_part(expected, predicted):
        return False
    whole, part = text_in(expected), text_in(predicted)
    if whole is None or part is None or not part:
        return False
    part = part.rstrip(" .…") if part[-1] in ".…" else part
    if not _MIN_LENGTH <= len(part) < len(whole):
        return False
    if type(predicted) is not str:
        part, whole = part.removesuffix(".0"), whole.removesuffix(".0")
    if len(part) < _ENOUGH and 2 * len(part) < len(whole):
        return False
    return _is_part(whole, part) or (len(whole) <= MAX_LENGTH and _is_part(_plain(whole), _plain(part)))


def is_no_part(whole: float, part: float) -> bool:
    """Tell at a glance: without its last digits a number is less by under 1 or by far; without its first, by half."""
    whole, part = abs(whole), abs(part)
    return part >= whole or (whole - part >= 1 and whole <= 2 * part)


def _is_part(whole: str, part: str) -> bool:
    if len(part) >= len(whole):
        return False
    if whole.startswith(part):
        return True
    if whole.endswith(part):
        return _is_edge(whole, len(whole) - len(part)) or not whole.isalpha()
    return len(part) >= _ENOUGH and _is_inside(whole, part)


def _is_inside(whole: str, part: str) -> bool:
    """Look for whole words, on past each hit, so that a text of one letter repeated takes no square of time."""
    at = whole.find(part)
    while at >= 0:
        if _is_edge(whole, at) and _is_edge(whole, at + len(part)):
            return True
        at = whole.find(part, at + len(part))
    return False


def _is_edge(text: str, at: int) -> bool:
    """Return whether no word goes on across a place within a text."""
    return at == len(text) or not (text[at - 1].isalnum() and text[at].isalnum())


def _plain(text: str) -> str:
    return " ".join(text.split()).casefold()
