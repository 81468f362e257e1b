"""Dates as people write them: one moment, or a span of two, with what the text leaves open.

Reads text and date objects; leaves what counts as equal to the comparator.
"""

from __future__ import annotations

import datetime as dt
import re
from dataclasses import dataclass
from functools import lru_cache

from dateutil import parser as dateutil_parser

from fieldwise.comparators.as_text import text_of
from fieldwise.comparators.date_words import in_english
from fieldwise.errors import SettingError
from fieldwise.values import Json

MAX_LENGTH = 256
DELIMITERS = (" to ", " through ", " - ")
"""What stands between the two ends of a span."""
_EARLY, _LATE = dt.datetime(1900, 1, 1), dt.datetime(2099, 6, 15)
"""Two fillings for what a text leaves open; what differs between the readings was not in the text."""

OPEN_ENDS = ("present", "now", "current", "today", "ongoing", "heute")
"""Words for the end of what goes on."""
_OPEN_END = re.compile(
    rf"(.*[\d.])(?:\s+(?:to|through|until)\s+|\s*-\s*)(?:date|{'|'.join(OPEN_ENDS)})\Z", re.IGNORECASE
)
_YEAR_FIRST = re.compile(r"[0-9]{4}[-/.]|[0-9]{8}(?![0-9])")
_ISO_DAY = re.compile(r"([0-9]{4})-([0-9]{2})-([0-9]{2})\Z", re.ASCII)
_CLOCK = re.compile(r"\d:\d\d|\dT\d\d|\d *[ap]\.?m\b", re.IGNORECASE)
_TIME = re.compile(r"\d{1,2}[:h]\d\d(?::\d\d)?(?:\s?[ap]\.?m\.?)?|\d{1,2}\s?[ap]\.?m\.?", re.IGNORECASE | re.ASCII)
_CLOCK_DIRECTIVE = re.compile(r"%[HIMSfpTRXc]")
_ISO_LENGTH = 10
_FOUR_DIGITS = re.compile(r"\d{4}").search
_DAY_ALONE = re.compile(r"(\d{1,2})(?:st|nd|rd|th)?\.?\Z", re.IGNORECASE)
_BEHIND_DAY = re.compile(r"\d{1,2}(?:st|nd|rd|th)?(?=\D)", re.IGNORECASE)
_MONTH_FIRST = re.compile(r"[^\W\d_]{3,}\.? ")
_WITH_MONTH = re.compile(r"\d{1,2}[./]\d{1,2}\.?\Z|.*[^\W\d_]")
_PARSE_ERRORS = (ValueError, OverflowError, TypeError, LookupError, AttributeError, ArithmeticError)
"""What dateutil raises on text that is no date."""

_DIRECTIVES = {"year": "YyGcxs", "month": "mbBUWjVcxs", "day": "djcxsUWVaAuw"}


@dataclass(frozen=True, slots=True)
class Moment:
    """A date, perhaps with a time, and which of its parts the text holds."""

    when: dt.datetime
    year: bool = True
    month: bool = True
    day: bool = True
    clock: bool = False
    """Whether there is a time of day."""
    century: bool = True
    """Whether the year has more than its last two digits; if not, the century is a guess."""

    @property
    def resolution(self) -> int:
        """0 without a month, 1 for a month, 2 for a day of a month."""
        if not self.month:
            return 0
        return 2 if self.day else 1


@dataclass(frozen=True, slots=True)
class Span:
    """Two moments, both included."""

    start: Moment
    end: Moment


_GOES_ON = Moment(dt.datetime.max)
"""The end of a span that has none."""


def read_date(value: Json, *, dayfirst: bool = False, formats: tuple[str, ...] = ()) -> Moment | Span | None:
    """Return the date or span that a value holds, None where it holds none.

    >>> read_date("Jan 5, 2024").when.date()
    datetime.date(2024, 1, 5)
    """
    if isinstance(value, dt.datetime):
        return Moment(value, clock=True)
    if isinstance(value, dt.date):
        return Moment(dt.datetime(value.year, value.month, value.day))
    text = text_of(value)
    if text is None or len(text := text.strip()) > MAX_LENGTH or not text:
        return None
    return _read(text, dayfirst, formats)


def read_any_date(value: Json, *, dayfirst: bool = False, formats: tuple[str, ...] = ()) -> Moment | Span | None:
    """Return what ``read_date`` does, also of dates in other languages and scripts, and a time of day without a date.

    >>> read_any_date("4. März 2024").when.date(), read_any_date("7:15 pm").when.time()
    (datetime.date(2024, 3, 4), datetime.time(19, 15))
    """
    if not isinstance(value, str):
        return read_date(value, dayfirst=dayfirst, formats=formats)
    text = value.strip()
    return _read_any(text, dayfirst, formats) if 0 < len(text) <= MAX_LENGTH else None


def is_time(text: str) -> bool:
    """Return whether a text is a time of day.

    >>> [is_time(t) for t in ("9:05", "10:30:00", "14h30", "7:15 p.m.", "11 am", "2:1", "12.30")]
    [True, True, True, True, True, False, False]
    """
    return _TIME.fullmatch(text.strip()) is not None


def _time(text: str) -> Moment | None:
    try:
        when = dateutil_parser.parse(text, default=_EARLY)
    except _PARSE_ERRORS:
        return None
    return Moment(when, year=False, month=False, day=False, clock=True)


@lru_cache(maxsize=16_384)
def _read_any(text: str, dayfirst: bool, formats: tuple[str, ...]) -> Moment | Span | None:
    text = in_english(text)
    if is_time(text):
        return _time(text)
    start = start_of_open_span(text)
    if start:
        moment = _moment(start, dayfirst, formats)
        return Span(moment, _GOES_ON) if moment is not None and moment.year else None
    return _read(_with_year(text, dayfirst), dayfirst, formats)


def start_of_open_span(text: str) -> str:
    """Return the start of a span that goes on, empty for any other text.

    >>> start_of_open_span("Jan 2015 - Present"), start_of_open_span("Jan 2015 - May 2016")
    ('Jan 2015', '')
    """
    found = _OPEN_END.match(text)
    return found[1] if found else ""


def _with_year(text: str, dayfirst: bool) -> str:
    """Return a span of which only the end has a year, as March 1 - March 31, 2024, with a year at its start."""
    delimiter = next((delimiter for delimiter in DELIMITERS if delimiter in text), "")
    start, _, end = text.partition(delimiter) if delimiter else (text, "", "")
    year = _FOUR_DIGITS(end)
    if year is None or _FOUR_DIGITS(start):
        return text
    start, end = _with_month(start.strip(), end.strip())
    if not _WITH_MONTH.match(start):
        return text
    start = f"{start.strip(' ,')}{'' if start.endswith('.') else ' '}"
    spans = (f"{start}{number}{delimiter}{end}" for number in (int(year[0]), int(year[0]) - 1))
    return next((span for span in spans if _read(span, dayfirst, ()) is not None), text)


def _with_month(start: str, end: str) -> tuple[str, str]:
    """Return the ends of a span of one month, as 1 - 31 March 2024 or March 1 - 31, 2024, each with its month."""
    day, behind, month = _DAY_ALONE.match(start), _BEHIND_DAY.match(end), _MONTH_FIRST.match(start)
    if day and behind:
        return f"{day[1]}{end[behind.end() : -len('2024')]}", end
    if month and behind and not any(char.isalpha() for char in end[behind.end() :]):
        return start, f"{month[0]}{end}"
    return start, end


@lru_cache(maxsize=16_384)
def _read(text: str, dayfirst: bool, formats: tuple[str, ...]) -> Moment | Span | None:
    moment = _formatted(text, formats)
    if moment is not None:
        return moment
    for delimiter in DELIMITERS:
        span = _span(text, delimiter, dayfirst, formats)
        if span is not None:
            return span if _is_in_order(span) else None
    if any(delimiter in text for delimiter in DELIMITERS) or text[0] == "-" or text[-1] == "-":
        return None
    return _moment(text, dayfirst, formats)


def _span(text: str, delimiter: str, dayfirst: bool, formats: tuple[str, ...]) -> Span | None:
    halves = [half.strip() for half in text.split(delimiter)]
    if len(halves) != 2:
        return None
    start, end = (_moment(half, dayfirst, formats) for half in halves)
    return None if start is None or end is None else Span(start, end)


def _is_in_order(span: Span) -> bool:
    """Return whether a span does not end before it starts; with a year on one end only nobody knows."""
    start, end = span.start.when, span.end.when
    if start.tzinfo is None or end.tzinfo is None:
        start, end = start.replace(tzinfo=None), end.replace(tzinfo=None)
    return span.start.year == span.end.year and start <= end


def _moment(text: str, dayfirst: bool, formats: tuple[str, ...]) -> Moment | None:
    found = _formatted(text, formats) or _iso_day(text)
    if found is not None or not text:
        return found
    dayfirst = dayfirst and not _YEAR_FIRST.match(text)
    try:
        early = dateutil_parser.parse(text, default=_EARLY, dayfirst=dayfirst, tzinfos=_zone)
        late = dateutil_parser.parse(text, default=_LATE, dayfirst=dayfirst, tzinfos=_zone)
    except _PARSE_ERRORS:
        return None
    clock = _CLOCK.search(text) is not None
    same = (early.year == late.year, early.month == late.month, early.day == late.day)
    found = Moment(early, *same, clock=clock, century=_FOUR_DIGITS(text) is not None)
    return found if found.year or found.month or found.day else None


def _zone(name: str | None, offset: int | None) -> dt.tzinfo | None:
    """Return the zone of an offset; a name alone says nothing that holds on every machine."""
    return None if offset is None else dt.timezone(dt.timedelta(seconds=offset))


@lru_cache(maxsize=16_384)
def iso_day_number(text: str) -> int | None:
    """Return the number of the day that a text YYYY-MM-DD names, None for any other text.

    >>> iso_day_number("0001-01-02")
    2
    """
    found = _ISO_DAY.match(text) if len(text) == _ISO_LENGTH else None
    if found is None:
        return None
    try:
        return dt.date(int(found[1]), int(found[2]), int(found[3])).toordinal()
    except ValueError:
        return None


def _iso_day(text: str) -> Moment | None:
    day = iso_day_number(text)
    return None if day is None else Moment(dt.datetime.fromordinal(day))


def _formatted(text: str, formats: tuple[str, ...]) -> Moment | None:
    for pattern in formats:
        try:
            when = dt.datetime.strptime(text, pattern)
        except ValueError:
            continue
        return Moment(when, **parts_of(pattern), clock=_CLOCK_DIRECTIVE.search(pattern) is not None)
    return None


def check_format(pattern: str) -> None:
    """Refuse a pattern that strptime cannot read back or that holds no part of a date."""
    moment = dt.datetime(2024, 12, 31, 23, 59, 58)
    try:
        dt.datetime.strptime(moment.strftime(pattern), pattern)
    except (ValueError, re.error) as error:
        raise SettingError(
            f"Expected a strptime format for `formats`, got {pattern!r} ({error})",
            facts={"setting": "formats", "got": pattern},
        ) from None
    if not any(parts_of(pattern).values()):
        raise SettingError(
            f"Expected a format with a year, month or day for `formats`, got {pattern!r}",
            facts={"setting": "formats", "got": pattern},
        )


def parts_of(pattern: str) -> dict[str, bool]:
    """Return which parts of a date a strptime pattern reads.

    >>> parts_of("%d.%m.")
    {'year': False, 'month': True, 'day': True}
    """
    used = set(re.findall(r"%([A-Za-z])", pattern.replace("%%", "")))
    return {part: bool(used & set(letters)) for part, letters in _DIRECTIVES.items()}
