"""Spans of dates: what lies inside, how many days two of them share."""

from __future__ import annotations

import datetime as dt

from fieldwise.comparators.date_text import Moment, Span

_YEAR = 366
"""Days after which the calendar repeats itself."""


def collapsed(date: Moment | Span) -> Moment | Span:
    """Return a span that starts and ends on the same day as its start."""
    if isinstance(date, Span) and _day(date.start) == _day(date.end):
        return date.start
    return date


def is_inside(moment: Moment, span: Span) -> bool:
    """Tell whether a day lies in a span; by month and day, across New Year too, where a year is missing."""
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
    """Tell whether two spans begin and end on the same days, of any year where one has none."""
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
