"""The comparator of dates: moments and spans, partial dates, tolerances."""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Hashable, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import ClassVar, TypeAlias, TypeVar

import numpy as np

from fieldwise.checks import checked_choice, checked_flag, checked_number, refusal
from fieldwise.comparators.as_text import text_of
from fieldwise.comparators.base import Grid, ReadComparator
from fieldwise.comparators.date_text import (
    DELIMITERS,
    MAX_LENGTH,
    OPEN_ENDS,
    Moment,
    Span,
    check_format,
    iso_day_number,
    read_any_date,
    read_date,
)
from fieldwise.comparators.date_words import in_english
from fieldwise.values import Json, same

RANGE_MODES = ("strict", "reject", "contains", "graded")
PRECISION_MODES = ("exact", "gt_loose", "overlap")
PARTIAL_YEAR_SCORE = 0.7
INSIDE_SCORE = 0.5
_DOTTED = re.compile(r"\s*\d{1,2}\.\s?\d{1,2}\.\s?\d{2,4}\b")
"""A date with dots, which has its day first wherever such dates are written."""
_SECOND_YEAR = re.compile(r"(?:19|20)\d\d\D.*\D(?:19|20)\d\d(?:\D|\Z)")
_DAY = 86_400_000_000
"""Microseconds of a day."""
_YEAR = 366
"""Days after which the calendar repeats itself."""


class DateComparator(ReadComparator["_Seen"]):
    """Scores two dates or spans of dates; text that is no date is alike only where it is the same text.

    A date in a span scores 0.5 (``graded``) or 1 (``contains``); two spans score the share of their days that
    both have (``graded``), or 1 where both ends are equal. A year on one side only scores 0, or 0.7 times the
    rest with ``allow_partial_year``. With ``times``, times of day count where both sides have one, dates with dots have
    their day first, two dates beside each other are none, and a year of two digits is of the other side's century. A
    tolerance finer than days counts times, too.

    >>> DateComparator().compare("2024-01-15", "Jan 15, 2024")
    1.0
    """

    own_threshold: ClassVar[float] = 1.0
    takes: ClassVar[frozenset[str]] = frozenset({"text", "date", "number"})
    cell = 1

    def __init__(
        self,
        threshold: float | None = None,
        tolerance: dt.timedelta | float | None = None,
        dayfirst: bool | None = None,
        allow_partial_year: bool = False,
        range_mode: str = "graded",
        precision_mode: str = "exact",
        formats: list[str] | None = None,
        times: bool = False,
    ) -> None:
        super().__init__(threshold)
        self.times = checked_flag("times", times)
        self.tolerance = _days(tolerance)
        self.dayfirst = None if dayfirst is None else checked_flag("dayfirst", dayfirst)
        self.allow_partial_year = checked_flag("allow_partial_year", allow_partial_year)
        self.range_mode = checked_choice("range_mode", range_mode, RANGE_MODES)
        self.precision_mode = checked_choice("precision_mode", precision_mode, PRECISION_MODES)
        self.formats = None if formats is None else _checked_formats(formats)
        self._formats = tuple(self.formats or ())
        self._readings = (False, True) if self.dayfirst is None else (self.dayfirst,)
        self._rules = self.times, self.dayfirst, self._formats
        self._allowed = round((self.tolerance or 0.0) * _DAY)

    def _compare(self, expected: Json, predicted: Json) -> float:
        if type(expected) is type(predicted) is str and expected == predicted and self.range_mode != "reject":
            return 1.0
        days = None if self._formats else _iso_days((expected, predicted))
        if days is not None:
            return 1.0 if abs(days[0] - days[1]) * _DAY <= self._allowed else 0.0
        return super()._compare(expected, predicted)

    def grid(self, expected: Sequence[Json], predicted: Sequence[Json]) -> Grid:
        """Score every pair; each value is read once, and plain days are compared as numbers."""
        left, right = ([self._read(value) for value in side] for side in (expected, predicted))
        days = [[_plain_days(seen) for seen in side] for side in (left, right)]
        rows, columns = ([at for at, plain in enumerate(side) if plain] for side in days)
        out = np.zeros((len(left), len(right)))
        if rows and columns:
            x, y = (np.array([side[at] for at in places]) for side, places in zip(days, (rows, columns), strict=True))
            apart = np.abs(x[:, None, :] - y[None, :, :]).min(axis=2)
            out[np.ix_(rows, columns)] = apart <= self._allowed // _DAY
        others = [j for j, plain in enumerate(days[1]) if not plain]
        for i, row in enumerate(left):
            for j in others if days[0][i] else range(len(right)):
                out[i, j] = self._score(row, right[j])
        return out

    def key(self, value: Json) -> Hashable | None:
        """Return the day in each order of day and month, with its time where that counts; else the folded text."""
        day = None if self._formats or type(value) is not str else iso_day_number(value)
        if day is not None:
            return ("day", *(day,) * len(self._readings))
        seen = self._read(value)
        days = tuple(map(self._day_key, seen.dates))
        if any(day is not None for day in days) and "" not in days:
            return ("day", *days)
        return None if seen.text is None or self.range_mode == "reject" else ("text", seen.text)

    def _day_key(self, date: Moment | Span | None) -> Hashable | None:
        """Return a whole date as a number, with a time of day that counts as it is; empty for anything less."""
        if date is None:
            return None
        if isinstance(date, Span) or date.resolution < 2 or not date.year:
            return ""
        has_time = date.when.tzinfo is not None or self._allowed % _DAY or (self.times and date.clock)
        return (date.when, date.clock) if has_time else date.when.toordinal()

    def loose_key(self, key: Hashable) -> Hashable:
        """Return the day without its time, day and month in either order."""
        if not isinstance(key, tuple) or key[0] != "day":
            return key
        day = next(day for day in key[1:] if day is not None)
        date = day[0] if isinstance(day, tuple) else dt.date.fromordinal(day)
        return date.year, *sorted((date.month, date.day))

    def _read(self, value: Json) -> _Seen:
        see = _seen if type(value) is str and len(value) <= MAX_LENGTH else _see
        return see(value, self._rules)

    def _score(self, left: _Seen, right: _Seen) -> float:
        if left.text is None or right.text is None:
            return float(same(left.value, right.value))
        pairs = zip(left.dates, right.dates, strict=True)
        if left.text == right.text and not (self.range_mode == "reject" and isinstance(left.dates[0], Span)):
            return 1.0
        if self.times:
            return max(self._score_dates(_of_century(a, b), _of_century(b, a)) for a, b in pairs)
        return max(self._score_dates(a, b) for a, b in pairs)

    def _score_dates(self, left: Moment | Span | None, right: Moment | Span | None) -> float:
        if left is None or right is None:
            return 0.0
        if isinstance(left, Moment) and isinstance(right, Moment):
            return self._share(left, right) if self._agree(left, right) else 0.0
        if self.range_mode == "reject":
            return 0.0
        left, right = collapsed(left), collapsed(right)
        if isinstance(left, Span) and isinstance(right, Span):
            return self._score_spans(left, right)
        if isinstance(left, Moment) and isinstance(right, Moment):
            return self._score_dates(left, right)
        return self._score_inside(left, right)

    def _share(self, left: Moment, right: Moment) -> float:
        """Return what two moments can score: 1, less for a year on one side, 0 where precision differs."""
        finer = right.resolution - left.resolution
        if (self.precision_mode == "exact" and finer) or (self.precision_mode == "gt_loose" and finer < 0):
            return 0.0
        if left.year == right.year:
            return 1.0
        return PARTIAL_YEAR_SCORE if self.allow_partial_year else 0.0

    def _agree(self, left: Moment, right: Moment) -> bool:
        if left.year and right.year and left.resolution == right.resolution == 2:
            to_the_day = not (self._allowed % _DAY or (self.times and left.clock and right.clock))
            return self._apart(left.when, right.when, to_the_day=to_the_day) <= self._allowed
        if self.times and left.clock and right.clock and left.when.time() != right.when.time():
            return False
        return (
            (left.when.year == right.when.year or not (left.year and right.year))
            and (left.when.month == right.when.month or not (left.month and right.month))
            and (left.when.day == right.when.day or not (left.day and right.day))
        )

    def _apart(self, left: dt.datetime, right: dt.datetime, *, to_the_day: bool) -> int:
        if left.tzinfo is None or right.tzinfo is None:
            left, right = left.replace(tzinfo=None), right.replace(tzinfo=None)
        return abs(_microseconds(left, to_the_day=to_the_day) - _microseconds(right, to_the_day=to_the_day))

    def _score_inside(self, left: Moment | Span, right: Moment | Span) -> float:
        span, moment = (left, right) if isinstance(left, Span) else (right, left)
        assert isinstance(span, Span)
        assert isinstance(moment, Moment)
        if self.range_mode == "strict":
            return 0.0
        ends = ((e, moment) if span is left else (moment, e) for e in (span.start, span.end))
        share = min(self._share(*pair) for pair in ends)
        inside = 1.0 if self.range_mode == "contains" else INSIDE_SCORE
        return share * inside if is_inside(moment, span) else 0.0

    def _score_spans(self, left: Span, right: Span) -> float:
        share = min(self._share(left.start, right.start), self._share(left.end, right.end))
        if self.range_mode == "graded":
            return share * shared_days(left, right)
        return share if equal_ends(left, right) else 0.0

    def describe(self) -> str:
        """Return ``date`` and the settings that differ from the defaults."""
        order = {None: "", True: ", day first", False: ", month first"}[self.dayfirst]
        within = f", ±{self.tolerance:g} days" if self.tolerance else ""
        modes = [str(self.config[key]) for key in ("range_mode", "precision_mode") if key in self.config]
        return ", ".join([f"{'date, with times' if self.times else 'date'}{order}{within}", *modes])


_Date = TypeVar("_Date", Moment, Span, "Moment | Span | None")


def _of_century(date: _Date, other: Moment | Span | None) -> _Date:
    """Return a date whose year has two digits in the century of another: 13/05/75 beside 1975-05-13 is of 1975."""
    if isinstance(date, Span) and isinstance(other, Span):
        return Span(_of_century(date.start, other.start), _of_century(date.end, other.end))
    if not isinstance(date, Moment) or not isinstance(other, Moment) or date.century or not other.century:
        return date
    try:
        year = other.when.year // 100 * 100 + date.when.year % 100
        return replace(date, when=date.when.replace(year=year)) if date.year and other.year else date
    except ValueError:  # 29 February
        return date


def _microseconds(when: dt.datetime, *, to_the_day: bool) -> int:
    """Return an instant in UTC as a number, or its day."""
    clock = ((when.hour * 60 + when.minute) * 60 + when.second) * 1_000_000 + when.microsecond
    offset = when.utcoffset() or dt.timedelta()
    instant = when.toordinal() * _DAY + clock - round(offset / dt.timedelta(microseconds=1))
    return instant - instant % _DAY if to_the_day else instant


@dataclass(frozen=True, slots=True)
class _Seen:
    """A value as the comparator sees it: its folded text, itself, its dates in each day-month order."""

    text: str | None
    value: Json
    dates: tuple[Moment | Span | None, ...]


_Rules: TypeAlias = "tuple[bool, bool | None, tuple[str, ...]]"
"""The settings that decide how a value is read: ``times``, ``dayfirst`` and ``formats``."""


def _see(value: Json, rules: _Rules) -> _Seen:
    times, dayfirst, formats = rules
    readings = (False, True) if dayfirst is None else (dayfirst,)
    text = text_of(value)
    if text is None:
        return _Seen(None, value, ())
    text = in_english(text) if times and len(text) <= MAX_LENGTH else text
    if times and text.strip().casefold() in OPEN_ENDS:
        text = OPEN_ENDS[0]
    if times and _SECOND_YEAR.search(text) and not any(between in text for between in DELIMITERS):
        return _Seen(text.strip().casefold(), value, (None,) * len(readings))
    dotted = times and not dayfirst and _DOTTED.match(text) is not None
    read = read_any_date if times else read_date
    dates = tuple(read(value, dayfirst=first or dotted, formats=formats) for first in readings)
    return _Seen(text.strip().casefold(), value, dates)


_seen = lru_cache(maxsize=16_384)(_see)


def _plain_days(seen: _Seen) -> tuple[int, ...]:
    """Return whole days as numbers, in each order of day and month; empty where a time or less than a day counts."""
    days = []
    for date in seen.dates:
        if not isinstance(date, Moment) or date.resolution < 2 or not (date.year and date.century):
            return ()
        if date.clock or date.when.tzinfo is not None:
            return ()
        days.append(date.when.toordinal())
    return tuple(days)


def _iso_days(values: Sequence[Json]) -> list[int] | None:
    """Return texts of the form YYYY-MM-DD as day numbers, None where one has another form."""
    days = [iso_day_number(value) if type(value) is str else None for value in values]
    return None if None in days else [day for day in days if day is not None]


def _days(tolerance: Json) -> float | None:
    if tolerance is None:
        return None
    if isinstance(tolerance, dt.timedelta):
        tolerance = tolerance / dt.timedelta(days=1)
    return checked_number("tolerance", tolerance)


def _checked_formats(formats: Json) -> list[str]:
    if not isinstance(formats, (list, tuple)) or not formats or not all(isinstance(f, str) for f in formats):
        raise refusal("a list of strptime formats such as '%d.%m.%Y'", "formats", formats)
    for pattern in formats:
        check_format(pattern)
    return list(formats)


def collapsed(date: Moment | Span) -> Moment | Span:
    """Return a span that starts and ends on the same day as its start."""
    if isinstance(date, Span) and _day(date.start) == _day(date.end):
        return date.start
    return date


def is_inside(moment: Moment, span: Span) -> bool:
    """Return whether a day lies in a span; by month and day, across New Year too, where a year is missing."""
    if moment.year == span.start.year:
        return _day(span.start) <= _day(moment) <= _day(span.end)
    start, at, end = (_month_day(m) for m in (span.start, moment, span.end))
    return start <= at <= end if start <= end else at >= start or at <= end


def shared_days(left: Span, right: Span) -> float:
    """Return the days that both spans have, divided by the days that either has.

    Where one span has no years, days are those of the calendar: months and days.
    """
    if left.start.year != right.start.year:
        return _jaccard(_calendar(left), _calendar(right))
    first, last = _inner(left, right)
    both = max((last - first).days + 1, 0)
    return both / (_length(left) + _length(right) - both)


def _jaccard(left: set[tuple[int, int]], right: set[tuple[int, int]]) -> float:
    return len(left & right) / len(left | right)


def _calendar(span: Span) -> set[tuple[int, int]]:
    start, length = _day(span.start), min(_length(span), _YEAR)
    days = (start + dt.timedelta(days=n) for n in range(length))
    return {(day.month, day.day) for day in days}


def equal_ends(left: Span, right: Span) -> bool:
    """Return whether two spans begin and end on the same days, of any year where one has none."""
    return _same_day(left.start, right.start) and _same_day(left.end, right.end)


def _same_day(left: Moment, right: Moment) -> bool:
    if left.year != right.year:
        return _month_day(left) == _month_day(right)
    if left.when.tzinfo is None or right.when.tzinfo is None:
        return left.when.date() == right.when.date()
    return _day(left) == _day(right)


def _inner(left: Span, right: Span) -> tuple[dt.date, dt.date]:
    return max(_day(left.start), _day(right.start)), min(_day(left.end), _day(right.end))


def _length(span: Span) -> int:
    return (_day(span.end) - _day(span.start)).days + 1


def _day(moment: Moment) -> dt.date:
    when = moment.when
    try:
        return (when.astimezone(dt.UTC) if when.tzinfo else when).date()
    except OverflowError:
        return when.date()  # in the first or last hours that a datetime can hold


def _month_day(moment: Moment) -> tuple[int, int]:
    return moment.when.month, moment.when.day
