"""The same value, written otherwise: kinds ``format`` and ``case_or_spacing``."""

from __future__ import annotations

import datetime as dt
import re
import unicodedata
from functools import lru_cache

from fieldwise.comparators.date_text import Moment, iso_day_number, read_date
from fieldwise.comparators.value_kinds import has_digit
from fieldwise.error_kinds.amounts import CURRENCIES, same_amount
from fieldwise.error_kinds.text import MAX_LENGTH, squeezed, text_in
from fieldwise.values import Json

_YES = frozenset(["true", "yes", "y", "t", "on", "1", "x", "✓", "✔", "☑", "☒", "checked", "ja", "oui", "sí", "si"])
_NO = frozenset(["false", "no", "n", "f", "off", "0", "☐", "unchecked", "nein", "non"])
_MIN_CODE = 5
_MAX_DATE = 40
_SEPARATED = r"\d{1,4}(?:st|nd|rd|th|\.)?[-/. ]+(?:of )?(?:\d{1,2}|[^\W\d]{3,10})\.?[-/., ]+'?\d{1,4}"
_MONTH_FIRST = r"[^\W\d]{3,10}\.? \d{1,2}(?:st|nd|rd|th)?,? \d{4}"
_DATE_LIKE = re.compile(rf"(?:\w{{2,9}}\.?,? )?(?:{_SEPARATED}|{_MONTH_FIRST}|\d{{8}})(?:\Z|[T ,])")
_WORD = re.compile(r"[^\W\d_]{3,}")
_FOREIGN = {
    "January": "januar jänner janvier enero gennaio januari janeiro",
    "February": "februar février fevrier febrero febbraio februari fevereiro",
    "March": "märz maerz mrz mars marzo maart março marco",
    "April": "avril abril aprile",
    "May": "mai mayo maggio mei maio",
    "June": "juni juin junio giugno junho",
    "July": "juli juillet julio luglio julho",
    "August": "août aout agosto augustus",
    "September": "septembre septiembre settembre setembro",
    "October": "oktober octobre octubre ottobre outubro okt",
    "November": "novembre noviembre novembro",
    "December": "dezember décembre decembre diciembre dicembre dezembro dez",
}
_ENGLISH = {word: month for month, words in _FOREIGN.items() for word in words.split()}


def is_format(expected: Json, predicted: Json) -> bool:
    """Return whether both values mean the same and are written otherwise.

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
    """Return whether two texts are the same but for case and blanks.

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
    if text is None or len(text) > MAX_LENGTH:
        return None
    word = squeezed(text)
    return True if word in _YES else False if word in _NO else None


def _is_same_currency(left: str, right: str) -> bool:
    one, other = squeezed(left[:8]), squeezed(right[:8])
    if one not in CURRENCIES and other not in CURRENCIES:
        return False
    return CURRENCIES.get(one, one) == CURRENCIES.get(other, other)


def _is_same_code(left: str, right: str) -> bool:
    """Compare the letters and digits of texts that hold digits; few of them tell little, and a mark may be a decimal
    mark, a sign or a stroke of a fraction."""
    if max(len(left), len(right)) > MAX_LENGTH:
        return False
    bare = _bare(left)
    if len(bare) < _MIN_CODE or bare != _bare(right):
        return False
    return squeezed(left) != squeezed(right) and not (
        bare.isdecimal() and _is_number_like(left) and _is_number_like(right)
    )


def _is_number_like(text: str) -> bool:
    marks = {mark for mark in text if not mark.isdecimal() and not mark.isspace()}
    return not marks or (marks <= set(".,+-−'") and text.count(".") <= 1 and text.count("-") <= 1)


def _is_same_text(left: str, right: str) -> bool:
    if max(len(left), len(right)) > MAX_LENGTH:
        return False
    bare = _bare(left)
    return bool(bare) and bare == _bare(right) and squeezed(left) != squeezed(right)


def _bare(text: str) -> str:
    """Return the letters and digits of a text, without case, in one encoding."""
    if text.isascii():
        return "".join(filter(str.isalnum, text)).lower()
    return "".join(filter(str.isalnum, unicodedata.normalize("NFKC", text))).casefold()


def same_date(expected: str, predicted: str) -> bool:
    """Return whether two texts of different form name the same day; either of day and month may come first.

    >>> same_date("2024-03-05", "5 March 2024"), same_date("2024-03-05", "05.03.2024"), same_date("1/2", "2/1")
    (True, True, False)
    """
    if not (is_date_like(expected) and is_date_like(predicted)) or _form(expected) == _form(predicted):
        return False
    if iso_day_number(expected) is not None and iso_day_number(predicted) is not None:
        return False
    left, right = _days(expected), _days(predicted)
    return any(_is_same_time(a, b) for a in left for b in right)


def is_date_like(text: str) -> bool:
    """Return at a glance whether a text may be a whole date."""
    return 6 <= len(text) <= _MAX_DATE and _DATE_LIKE.match(text) is not None


def _form(text: str) -> str:
    return re.sub(r"\d", "0", text)


@lru_cache(maxsize=16_384)
def _days(text: str) -> tuple[dt.datetime, ...]:
    """Return the day in both orders of day and month."""
    english = _WORD.sub(lambda found: _ENGLISH.get(found[0].casefold(), found[0]), text)
    read = (read_date(english, dayfirst=first) for first in (False, True))
    return tuple(m.when for m in read if isinstance(m, Moment) and m.year and m.month and m.day)


def _is_same_time(left: dt.datetime, right: dt.datetime) -> bool:
    if left.date() != right.date():
        return False
    midnight = dt.time()
    return left.time() == right.time() or midnight in (left.time(), right.time())
