"""The same value, written otherwise: kinds ``format`` and ``case_or_spacing``."""

from __future__ import annotations

import unicodedata

from fieldwise.kinds.amounts import same_amount
from fieldwise.kinds.dates import same_date
from fieldwise.kinds.texts import LONGEST, has_digit, squeezed, text_in
from fieldwise.kinds.units import CURRENCIES
from fieldwise.values import Json

_YES = frozenset(["true", "yes", "y", "t", "on", "1", "x", "✓", "✔", "☑", "☒", "checked", "ja", "oui", "sí", "si"])
_NO = frozenset(["false", "no", "n", "f", "off", "0", "☐", "unchecked", "nein", "non"])
_LEAST_CODE = 5


def is_format(expected: Json, predicted: Json) -> bool:
    """Tell whether both values mean the same and are written otherwise.

    Dates and amounts by what they mean; yes and no; currencies by sign or code; other texts by their letters and
    digits alone, so that only punctuation and the encoding of characters differ.

    >>> is_format("2024-03-05", "5 March 2024"), is_format(1234.5, "1.234,50 €"), is_format("GB12-NWBK", "GB12 NWBK")
    (True, True, True)
    """
    kind, other = type(expected), type(predicted)
    if kind is bool or other is bool:
        return _is_same_answer(expected, predicted)
    if kind is not str and other is not str:
        return False
    left, right = text_in(expected), text_in(predicted)
    if left is None or right is None:
        return False
    if has_digit(left) and has_digit(right):
        if same_amount(expected, predicted):
            return True
        return same_date(left, right) or (kind is other is str and _is_same_code(left, right))
    return kind is other is str and (_is_same_currency(left, right) or _is_same_text(left, right))


def is_case_or_spacing(expected: Json, predicted: Json) -> bool:
    """Tell whether two texts are the same but for case and blanks.

    >>> is_case_or_spacing("Mill Lane", "MILL  LANE"), is_case_or_spacing("GB12 NWBK", "GB12NWBK")
    (True, True)
    """
    if type(expected) is not str or type(predicted) is not str:
        return False
    return expected.lower() == predicted.lower() or squeezed(expected) == squeezed(predicted)


def _is_same_answer(expected: Json, predicted: Json) -> bool:
    answers = (_answer(expected), _answer(predicted))
    return answers[0] is not None and answers[0] is answers[1] and type(expected) is not type(predicted)


def _answer(value: Json) -> bool | None:
    if isinstance(value, bool):
        return value
    text = text_in(value)
    if text is None or len(text) > LONGEST:
        return None
    word = squeezed(text)
    return True if word in _YES else False if word in _NO else None


def _is_same_currency(left: str, right: str) -> bool:
    here, there = squeezed(left[:8]), squeezed(right[:8])
    if here not in CURRENCIES and there not in CURRENCIES:
        return False
    return CURRENCIES.get(here, here) == CURRENCIES.get(there, there)


def _is_same_code(left: str, right: str) -> bool:
    """Compare the letters and digits of texts that hold digits; few of them tell little, and a mark may be a decimal
    mark, a sign or a stroke of a fraction."""
    if max(len(left), len(right)) > LONGEST:
        return False
    bare = _bare(left)
    if len(bare) < _LEAST_CODE or bare != _bare(right):
        return False
    return squeezed(left) != squeezed(right) and not (
        bare.isdecimal() and _is_number_like(left) and _is_number_like(right)
    )


def _is_number_like(text: str) -> bool:
    marks = {mark for mark in text if not mark.isdecimal() and not mark.isspace()}
    return not marks or (marks <= set(".,+-−'") and text.count(".") <= 1 and text.count("-") <= 1)


def _is_same_text(left: str, right: str) -> bool:
    if max(len(left), len(right)) > LONGEST:
        return False
    bare = _bare(left)
    return bool(bare) and bare == _bare(right) and squeezed(left) != squeezed(right)


def _bare(text: str) -> str:
    """Return the letters and digits of a text, without case, in one encoding."""
    if text.isascii():
        return "".join(filter(str.isalnum, text)).lower()
    return "".join(filter(str.isalnum, unicodedata.normalize("NFKC", text))).casefold()
