"""Nothing of the expected value, a part of it, or one that nobody expects: ``missing``, ``truncated``, ``invented``."""

from __future__ import annotations

from fieldwise.kinds.texts import LONGEST, text_in
from fieldwise.values import Json, is_absent

_FEWEST = 2
_ENOUGH = 3


def is_missing(expected: Json, predicted: Json) -> bool:
    """Tell whether a value was expected and none predicted."""
    return is_absent(predicted) and not is_absent(expected)


def is_invented(expected: Json, predicted: Json) -> bool:
    """Tell whether a value was predicted where none was expected."""
    return is_absent(expected) and not is_absent(predicted)


def is_truncated(expected: Json, predicted: Json) -> bool:
    """Tell whether the predicted value is the beginning, the end or a whole stretch of words of the expected one.

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
    if not _FEWEST <= len(part) < len(whole):
        return False
    if type(predicted) is not str:
        part, whole = part.removesuffix(".0"), whole.removesuffix(".0")
    if len(part) < _ENOUGH and 2 * len(part) < len(whole):
        return False
    return _is_part(whole, part) or (len(whole) <= LONGEST and _is_part(_plain(whole), _plain(part)))


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
    """Tell whether no word goes on across a place within a text."""
    return at == len(text) or not (text[at - 1].isalnum() and text[at].isalnum())


def _plain(text: str) -> str:
    return " ".join(text.split()).casefold()
