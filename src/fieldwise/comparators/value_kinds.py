"""What a text is as a whole: a number, a date, a code. Asked of expected values before anything is compared, and of
the two sides of a text.
"""

from __future__ import annotations

import re
from functools import lru_cache

from fieldwise.comparators.date_text import read_date
from fieldwise.comparators.number_text import Unit, read_number, read_unit

_MAX_LENGTH = 64
"""Characters beyond which a text is neither a number nor a date."""

_DIGIT = re.compile(r"\d")
_CODE = re.compile(r"\s*\S*?\d\S*\s*\Z")
_LEADING_ZERO = re.compile(r"(?<![\d.,'])0\d")
_MARKED = re.compile(r"[^\d\s]")
_MONTH = r"(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*"
_YEAR = r"(?:1[6-9]|20)\d\d"
_CLOCK = r"(?:[T ,]+\d{1,2}:\d\d.*)?"
_DATE = re.compile(
    rf"\d{{1,2}}([./-])\d{{1,2}}\1{_YEAR}{_CLOCK}"
    rf"|{_YEAR}([./-])\d{{1,2}}\2\d{{1,2}}{_CLOCK}"
    rf"|(?:[a-z]{{3,9}},? +)?\d{{1,2}}(?:st|nd|rd|th)?\.?(?: +of)?[ -]+{_MONTH}[.,]?[ -]+\d{{2,4}}{_CLOCK}"
    rf"|(?:[a-z]{{3,9}},? +)?{_MONTH}[.]? +\d{{1,2}}(?:st|nd|rd|th)?,? +\d{{4}}{_CLOCK}"
    rf"|{_MONTH}[.,]? +{_YEAR}\Z",
    re.IGNORECASE,
)
_ANY_DATE = re.compile(rf"(?=.*\d)[\w./,: +'-]{{4,40}}\Z|{_YEAR}\d{{4}}\Z")


@lru_cache(maxsize=16_384)
def is_number(text: str) -> bool:
    """Tell whether a text is one number as a whole, with its sign, marks, currency or per cent sign.

    >>> [is_number(t) for t in ("-1,234.50", "(5 %)", "EUR 3", "$1e3", "007", "1.2.3", "5 kg", "INV-1")]
    [True, True, True, True, False, False, False, False]
    """
    unit = _unit_of(text.strip())
    return unit is not None and unit.words in ("", "%")


@lru_cache(maxsize=16_384)
def is_quantity(text: str) -> bool:
    """Tell whether a text is a number as a whole, or one followed by one word for its unit.

    >>> [is_quantity(t) for t in ("$5", "500 mg", "20°C", "M5", "5 hex nuts")]
    [True, True, True, False, False]
    """
    unit = _unit_of(text.strip())
    return unit is not None and " " not in unit.words


def _unit_of(text: str) -> Unit | None:
    """Return what stands behind the number that a text is; None where it is none, or begins with something else."""
    if not text or len(text) > _MAX_LENGTH or "/" in text or _LEADING_ZERO.search(text) or read_number(text) is None:
        return None
    unit = read_unit(text)
    return None if unit.label else unit


def is_marked(text: str) -> bool:
    """Tell whether a number has more than digits: a sign, a decimal mark, a currency, a per cent sign.

    >>> is_marked("12"), is_marked("12.0"), is_marked("$12")
    (False, True, True)
    """
    return _MARKED.search(text) is not None


@lru_cache(maxsize=16_384)
def is_date(text: str) -> bool:
    """Tell whether a text is one date as a whole, with its year, such that it can be little else.

    >>> [is_date(t) for t in ("2024-01-15", "15.1.2024", "Jan 5, 2024", "12-05-24", "1.2.3", "2024")]
    [True, True, True, False, False, False]
    """
    text = text.strip()
    return len(text) <= _MAX_LENGTH and _DATE.match(text) is not None and _is_readable(text)


@lru_cache(maxsize=16_384)
def may_be_date(text: str) -> bool:
    """Tell whether a text is a date where its name says so: also one with two digits for the year.

    >>> [may_be_date(t) for t in ("12/05/24", "20240115", "March 2024", "12.50", "30 days", "n/a")]
    [True, True, True, False, False, False]
    """
    text = text.strip()
    if is_date(text):
        return True
    if is_number(text) and not re.fullmatch(rf"{_YEAR}(?:\d{{4}})?", text):
        return False
    return _ANY_DATE.match(text) is not None and _is_readable(text)


def _is_readable(text: str) -> bool:
    return read_date(text) is not None or read_date(text, dayfirst=True) is not None


def is_code(text: str) -> bool:
    """Tell whether a text looks like a code: one word with a digit.

    >>> is_code("INV-001"), is_code("two words 1"), is_code("word")
    (True, False, False)
    """
    return _CODE.match(text) is not None


def has_digit(text: str) -> bool:
    """Tell whether there is a digit in a text, of whatever script."""
    return _DIGIT.search(text) is not None
