"""The same date written otherwise."""

from __future__ import annotations

import datetime as dt
import re
from functools import lru_cache

from fieldwise.comparators.date_text import Moment, iso_day_number, read_date

_LONGEST = 40
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


def same_date(expected: str, predicted: str) -> bool:
    """Tell whether two texts of different form name the same day; either of day and month may come first.

    >>> same_date("2024-03-05", "5 March 2024"), same_date("2024-03-05", "05.03.2024"), same_date("1/2", "2/1")
    (True, True, False)
    """
    if not (is_date_like(expected) and is_date_like(predicted)) or _form(expected) == _form(predicted):
        return False
    if iso_day_number(expected) is not None and iso_day_number(predicted) is not None:
        return False
    left, right = _days(expected), _days(predicted)
    return any(_is_same(a, b) for a in left for b in right)


def is_date_like(text: str) -> bool:
    """Tell at a glance whether a text may be a whole date."""
    return 6 <= len(text) <= _LONGEST and _DATE_LIKE.match(text) is not None


def _form(text: str) -> str:
    return re.sub(r"\d", "0", text)


@lru_cache(maxsize=16_384)
def _days(text: str) -> tuple[dt.datetime, ...]:
    """Return the day in both orders of day and month."""
    english = _WORD.sub(lambda found: _ENGLISH.get(found[0].casefold(), found[0]), text)
    read = (read_date(english, dayfirst=first) for first in (False, True))
    return tuple(m.when for m in read if isinstance(m, Moment) and m.year and m.month and m.day)


def _is_same(left: dt.datetime, right: dt.datetime) -> bool:
    if left.date() != right.date():
        return False
    midnight = dt.time()
    return left.time() == right.time() or midnight in (left.time(), right.time())
