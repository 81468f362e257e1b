"""What a text is as a whole: a number, a date, a code. Asked of expected values before anything is compared, and of
the two sides of a text.
"""

from __future__ import annotations

import re
from decimal import Decimal
from functools import lru_cache

from fieldwise.comparators.date_text import is_time, read_any_date, start_of_open_span
from fieldwise.comparators.date_words import in_english
from fieldwise.comparators.number_text import NO_CENTS, TWO_POINTS, Unit, read_number, read_unit

_MAX_LENGTH = 64
"""Characters beyond which a text is neither a number nor a date."""

_CJK = r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]"
_NO_NUMBER = re.compile(
    rf"[_:;#*=<>&@~≥≤≈±!?|\\]|\"(?!\Z)|/(?!-\Z)|(?:(?<!\A)\(|\((?![^()]*\)\Z))[^)]*[^\W\d_]|\d(?![xX]|{_CJK})[^\W\d_¼-¾⅐-⅞](?=[\s.,)]|\Z)"
    r"|,(?:\d{1,2}|\d{4,})\.\d|(?<=\d)\.(?:\d{1,2}|\d{4,}),\d"
)
"""What no number has: other signs, a remark, a single letter that touches a digit but a unit as in 84分 or an x, two
marks with fewer or more than three digits between them.
"""
_LETTERS_OF_MONEY = tuple("kKmMbB")
"""Letters that may touch a number in money, as in $1.2M."""
_BY = re.compile(r" ?(?<=[\w.″\" ])[xX×] ?(?=[\d.])")
"""What stands between the numbers of a size."""
_TIMES = re.compile(r"\A[xX×] ?(?=[0-9]{1,2}\Z)")
"""How many times, before a number."""
_OTHER_MAGNITUDES = frozenset({"k", "m", "mil", "b", "t", "tn", "trillion", "hundred", "dozen"})
"""Words that may be units, or powers of ten of which nobody knows which."""
_UNIT_WORDS = "mg g kg mcg µg μg ug ml cl dl l mm cm m km oz lb w kw v kv ma mah a gb mb tb kb hz ghz mhz iu"
UNITS = frozenset(_UNIT_WORDS.split())
"""Units that are known as such wherever they stand behind a number."""
_MORE_UNITS = "% ° c f in ft h pc year month week day hour minute 分 点 度 岁 歳 个 個 件 枚 人 名 本 台"
_TOUCHING = UNITS | frozenset(_MORE_UNITS.split())
"""Units that touch their number in no code; c and f are those behind a degree sign."""
_DIGIT = re.compile(r"\d")
_N, _DECIMALS = r"[+-]?\d+(?:[.,]\d+)?", r"[+-]?\d+[.,]\d+"
_MEASURES = re.compile(
    rf"\s*[(\[]?(?:{_DECIMALS}(?:(?:\s*[/;-]\s*|,?\s+){_DECIMALS})+"
    rf"|{_N}(?: ?[-–] | ?to ){_N}|[<>≤≥]=? ?{_N})[)\]]?\s*\Z"
)
_LEADING_ZERO = re.compile(r"(?<![\d.,'’‘`´])(?<!\d\s)(?<!\d[.,]\s)(?<!\d[eE][+-])0\d")
_MARKED = re.compile(r"[^\d\sxX×]")
_CODE_WORD = re.compile(r"\S*\d\S*\Z|[A-Z]{1,3}(?:-[A-Z]{1,3})?\Z")
_MAX_WORDS = 10
_MONTH = r"(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*"
_YEAR = r"(?:1[6-9]|20)\d\d"
_MONTH_NUMBER = r"(?:0[1-9]|1[0-2])"
_CLOCK = r"(?:[T ,]+\d{1,2}:\d\d.*)?"
_DATE = re.compile(
    rf"\d{{1,2}}([./-])\d{{1,2}}\1{_YEAR}{_CLOCK}"
    rf"|{_YEAR}([./-])\d{{1,2}}\2\d{{1,2}}{_CLOCK}"
    rf"|(?:[a-z]{{3,9}},? +)?\d{{1,2}}(?:st|nd|rd|th)?\.?(?: +of)?[ -]+{_MONTH}[.,]?[ -]+\d{{2,4}}{_CLOCK}"
    rf"|(?:[a-z]{{3,9}},? +)?{_MONTH}[.]? +\d{{1,2}}(?:st|nd|rd|th)?,? +\d{{4}}{_CLOCK}"
    rf"|{_MONTH}[.,]? +{_YEAR}(?:\Z| +(?:-|to|through) +{_MONTH}[.,]? +{_YEAR}\Z)"
    rf"|{_YEAR} (?:-|to) {_YEAR}\Z|{_MONTH_NUMBER}/{_YEAR}(?:\Z| (?:-|to) {_MONTH_NUMBER}/{_YEAR}\Z)",
    re.IGNORECASE,
)
_ENDS = re.compile(r" (?:-|to|through) ")
"""What stands between the two ends of a span."""
_ANY_DATE = re.compile(rf"(?=.*\d)[\w./,: +'-]{{4,40}}\Z|{_YEAR}\d{{4}}\Z")


def is_number(text: str) -> bool:
    """Return whether a text is one number as a whole, with its sign, marks, currency or per cent sign.

    >>> [is_number(t) for t in ("-1,234.50", "(5 %)", "EUR 3", "$1.2M", "007", "1.2.3", "5 kg", "INV-1")]
    [True, True, True, True, False, False, False, False]
    """
    unit = unit_of(text)
    if unit is None or unit.name not in ("", "%") or (unit.magnitude and not unit.currencies):
        return False
    return read_number(text) is not None


def is_quantity(text: str) -> bool:
    """Return whether a text is a number as a whole, or one followed by one word for its unit, or several with an x
    between them.

    >>> [is_quantity(t) for t in ("$5", "500 mg", "20°C", "5 million", "M5", "5 hex nuts", "5M", "≥ 5", "3 x 4 cm")]
    [True, True, True, True, False, False, False, False, True]
    """
    return (unit_of(text) is not None and read_number(text) is not None) or read_sizes(text) is not None


def read_sizes(text: str) -> tuple[Decimal, ...] | None:
    """Return the numbers of a size, which have an x between them and one unit; None for any other text.

    >>> read_sizes("23,5 × 16 cm"), read_sizes("2 x 3"), read_sizes("3 cm x 4 mm"), read_sizes("M8 x 20")
    ((Decimal('23.5'), Decimal('16')), (Decimal('2'), Decimal('3')), None, None)
    """
    may_be_one = len(text) <= _MAX_LENGTH and ("x" in text or "X" in text or "×" in text)
    return _read_sizes(text.strip()) if may_be_one else None


@lru_cache(maxsize=16_384)
def _read_sizes(text: str) -> tuple[Decimal, ...] | None:
    parts = _BY.split(text)
    if len(parts) == 1:
        return None
    units = [unit_of(part) for part in parts]
    numbers = [read_number(part) for part, unit in zip(parts, units, strict=True) if unit is not None]
    words = {unit.words for unit in units if unit and unit.words}
    if None in numbers or len(numbers) < len(parts) or (words and words != {units[-1] and units[-1].words}):
        return None
    return tuple(number for number in numbers if number is not None)


def unit_of(text: str) -> Unit | None:
    """Return the unit of the number that a text may be; None where it holds more than a number and a unit."""
    if not 0 < len(text) <= _MAX_LENGTH:
        return None
    return _unit_of(_TIMES.sub("", text.strip().removeprefix("@").lstrip()))


@lru_cache(maxsize=16_384)
def _unit_of(text: str) -> Unit | None:
    bare = text[:-1] if text.endswith(_LETTERS_OF_MONEY) and text[-2:-1].isdigit() else text
    if _NO_NUMBER.search(bare) or _LEADING_ZERO.search(bare):
        return None
    unit = read_unit(text)
    if unit.label or " " in unit.words or unit.name in _OTHER_MAGNITUDES:
        return None
    if text.count(".") > 1 and not unit.currencies and _are_dots_of_no_number(text):
        return None
    return unit if bare == text or unit.currencies else None


def _are_dots_of_no_number(text: str) -> bool:
    """Return whether dots stand in a text as in 1.2.3, and neither in groups of three digits nor at its end."""
    ends_apart = NO_CENTS.sub("", text).removesuffix(".")
    return ends_apart.count(".") > 1 and "," not in text and not TWO_POINTS.search(text)


def are_measures(text: str) -> bool:
    """Return whether a text is several numbers that all have decimals, the two ends of a range or one of them.

    >>> [are_measures(text) for text in ("47.3769, 8.5417", "3.8/4.0", "70 - 99", "≥ 60", "70-99", "1.2.3", "5.5")]
    [True, True, True, True, False, False, False]
    """
    return len(text) <= _MAX_LENGTH and _MEASURES.match(text) is not None


def is_marked(text: str) -> bool:
    """Return whether a number has more than digits: a sign, a decimal mark, a currency, a per cent sign.

    >>> is_marked("12"), is_marked("12.0"), is_marked("$12")
    (False, True, True)
    """
    return _MARKED.search(text) is not None


def is_date(text: str) -> bool:
    """Return whether a text is one date as a whole, with its year, such that it can be little else.

    >>> [is_date(t) for t in ("2024-01-15", "15.1.2024", "Jan 5, 2024", "12-05-24", "1.2.3", "2024")]
    [True, True, True, False, False, False]
    """
    return len(text) <= _MAX_LENGTH and _is_date(text.strip())


@lru_cache(maxsize=16_384)
def _is_date(text: str) -> bool:
    english = in_english(text)
    return (_DATE.match(english) is not None or _is_span(english)) and _is_readable(text)


def _is_span(english: str) -> bool:
    """Return whether a text has a date at the end of a span, or at the start of one that goes on."""
    if "-" not in english and " to " not in english:
        return False
    start = start_of_open_span(english)
    if start:
        return bool(_DATE.match(start) or re.fullmatch(_YEAR, start))
    return _DATE.match(_ENDS.split(english)[-1]) is not None


def may_be_date(text: str) -> bool:
    """Return whether a text is a date where its name says so: also one with two digits for the year.

    >>> [may_be_date(t) for t in ("12/05/24", "20240115", "March 2024", "12.50", "30 days", "n/a")]
    [True, True, True, False, False, False]
    """
    return len(text) <= _MAX_LENGTH and _may_be_date(text.strip())


@lru_cache(maxsize=16_384)
def _may_be_date(text: str) -> bool:
    if _is_date(text) or is_time(text):
        return True
    if is_number(text) and not re.fullmatch(rf"{_YEAR}(?:\d{{4}})?", text):
        return False
    return _ANY_DATE.match(in_english(text)) is not None and _is_readable(text)


def _is_readable(text: str) -> bool:
    return read_any_date(text) is not None or read_any_date(text, dayfirst=True) is not None


def is_code(text: str) -> bool:
    """Return whether a text looks like a code: one word with a digit, or several of which each has one or is up to
    three capitals, and which are no date and no number with its unit, in which an underscore stands for a blank.

    >>> [is_code(text) for text in ("INV-001", "B-AB 123", "two words 1", "word", "5 KG", "20°C", "2_years", "12AB")]
    [True, True, False, False, False, False, False, True]
    """
    if not has_digit(text) or is_date(text) or is_time(text) or are_measures(text):
        return False
    words = text.split(None, _MAX_WORDS)
    if len(words) == 1:
        unit = unit_of(text.replace("_", " "))
        return unit is None or not (unit.name in _TOUCHING or unit.currencies)
    return all(map(_CODE_WORD.match, words)) and not is_quantity(text)


def has_digit(text: str) -> bool:
    """Return whether there is a digit in a text, of whatever script."""
    return _DIGIT.search(text) is not None
