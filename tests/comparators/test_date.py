"""Dates, spans of dates, partial dates."""

from __future__ import annotations

import datetime as dt
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fieldwise.comparators import DateComparator, build
from fieldwise.errors import SettingError

dates = st.dates(dt.date(1950, 1, 1), dt.date(2080, 1, 1))
near = st.tuples(dates, st.integers(-4, 4)).map(lambda pair: (pair[0], pair[0] + dt.timedelta(days=pair[1])))
WEEK = "2024-01-01 to 2024-01-10"


@given(pair=near, tolerance=st.sampled_from([None, 0, 1, 2, 2.5]))
def test_tolerance_is_in_days(pair: tuple[dt.date, dt.date], tolerance: float | None) -> None:
    """Two full dates are alike where they lie no more than the tolerance apart, in text or as objects."""
    a, b = pair
    comparator = DateComparator(tolerance=tolerance)
    wanted = float(abs((a - b).days) <= (tolerance or 0))
    for left in (a, a.isoformat(), a.strftime("%d %B %Y"), dt.datetime(a.year, a.month, a.day)):
        assert comparator.compare(left, b.isoformat()) == wanted
        assert comparator.grid([left], [b, b.isoformat()]).tolist() == [[wanted, wanted]]


@pytest.mark.parametrize(
    ("a", "b", "score"),
    [
        ("2024-01-15", "Jan 15, 2024", 1.0),
        ("2024-01-15", "15.01.2024", 1.0),
        ("Wednesday, 5 March 2025", "2025-03-05", 1.0),
        ("10/24/16", "10/24/2016", 1.0),
        (20240115, "2024-01-15", 1.0),
        ("01/02/2025", "2025-02-01", 1.0),
        ("01/02/2025", "2025-01-02", 1.0),
        ("01/02/2025", "02/01/2025", 0.0),
        ("2024-01-02", "2024-02-01", 0.0),
        ("2024-01-15T23:00:00", "2024-01-15", 1.0),
        ("2024-01-15T23:30:00-05:00", "2024-01-16T04:30:00Z", 1.0),
        ("2024-01-15T23:30:00-05:00", "2024-01-15", 1.0),
        ("2024-01-15T23:30:00-05:00", "2024-01-16", 0.0),
        ("0001-01-01", "0001-01-01T00:00:00+05:00", 1.0),
        ("2024", "2024", 1.0),
        ("2024", "2024-01-01", 0.0),
        ("Jan 2024", "2024-01", 1.0),
        ("Jan 2024", "Jan 1, 2024", 0.0),
        ("11/03", "Nov 3", 1.0),
        ("11/03", "11/03/2012", 0.0),
        (WEEK, "2024-01-05", 0.5),
        ("2024-01-05", WEEK, 0.5),
        (WEEK, "2024-01-11", 0.0),
        (WEEK, "2024-01-06 through 2024-01-15", 5 / 15),
        ("Jan 2024 to Mar 2024", "Jan 2024 to Feb 2024", 32 / 61),
        ("2024-01-01 - 2024-01-01", "2024-01-01", 1.0),
        ("2024-01-10 to 2024-01-01", "2024-01-05", 0.0),
        ("- 10/24/16", "10/24/16", 0.0),
        ("12/20 to 12/30", "12/20/2024 to 12/30/2024", 0.0),
        ("garbage", "2024-01-05", 0.0),
        ([2024], "2024", 0.0),
    ],
)
def test_defaults(a: Any, b: Any, score: float) -> None:
    """Dates are read as people write them, with both orders of day and month, the same on both sides."""
    assert DateComparator().compare(a, b) == score


@pytest.mark.parametrize(
    "text", ["garbage", "12:30 PM", "2024-13-01", "Feb 29", "Q1 2024", "x" * 300, "a to b", "Monday"]
)
def test_same_text_is_alike(text: str) -> None:
    """Text that is no date is alike where it is the same text, outer blanks and case aside."""
    assert DateComparator().compare(text, f" {text.upper()}") == 1.0
    assert DateComparator().compare(text, f"{text} or so") == 0.0


@pytest.mark.parametrize(
    ("settings", "a", "b", "score"),
    [
        ({"dayfirst": True}, "01/02/2024", "2024-02-01", 1.0),
        ({"dayfirst": True}, "2024/01/02", "2024-01-02", 1.0),
        ({"dayfirst": False}, "01/02/2024", "2024-02-01", 0.0),
        ({"tolerance": 0.25}, "2024-01-31T00:00", "2024-01-31T05:00", 1.0),
        ({"tolerance": 0.25}, "2024-01-31T00:00", "2024-01-31T06:01", 0.0),
        ({"tolerance": dt.timedelta(hours=6)}, "2024-01-31T23:00-05:00", "2024-02-01", 1.0),
        ({"tolerance": 1}, "2024-01", "2024-02", 0.0),
        ({"tolerance": 1, "range_mode": "strict"}, WEEK, "2024-01-02 to 2024-01-10", 0.0),
        ({"allow_partial_year": True}, "Jan 5", "Jan 5, 2024", 0.7),
        ({"allow_partial_year": True}, "Jan 5", "Jan 6, 2024", 0.0),
        ({"allow_partial_year": True}, "12/20 to 12/30", "12/25/2024", 0.35),
        ({"allow_partial_year": True}, "12/20/2024 to 01/05/2025", "12/25", 0.35),
        ({"allow_partial_year": True}, "12/20 to 12/30", "12/20/2024 to 12/30/2024", 0.7),
        (
            {"allow_partial_year": True, "range_mode": "strict"},
            "Jan 3 to Jan 8",
            "2024-01-03 to 2025-01-08",
            0.7,
        ),
        ({"precision_mode": "gt_loose"}, "Jan 2024", "Jan 5, 2024", 1.0),
        ({"precision_mode": "gt_loose"}, "Jan 5, 2024", "Jan 2024", 0.0),
        ({"precision_mode": "overlap"}, "Jan 5, 2024", "Jan 2024", 1.0),
        ({"precision_mode": "overlap"}, "Jan 2024 to Mar 2024", "Feb 5 2024", 0.5),
        ({"range_mode": "contains"}, WEEK, "2024-01-10", 1.0),
        ({"range_mode": "contains"}, WEEK, "2024-01-02 to 2024-01-09", 0.0),
        ({"range_mode": "contains"}, WEEK, "Jan 1, 2024 to Jan 10, 2024", 1.0),
        ({"range_mode": "strict"}, WEEK, "2024-01-05", 0.0),
        ({"range_mode": "strict"}, WEEK, "Jan 1, 2024 to Jan 10, 2024", 1.0),
        ({"range_mode": "reject"}, WEEK, WEEK, 0.0),
        ({"range_mode": "reject"}, "2024-01-01 to 2024-01-01", "2024-01-01", 0.0),
        ({"range_mode": "reject"}, "garbage", "garbage", 1.0),
        ({"formats": ["%y%m%d"]}, "240115", "2024-01-15", 1.0),
        ({"formats": ["%d|%m"]}, "05|01", "Jan 5", 1.0),
        ({"formats": ["%d/%m/%Y"]}, "01/02/2024", "2024-02-01", 1.0),
        ({"formats": ["%d/%m/%Y"]}, "01/02/2024", "2024-01-02", 0.0),
        ({"formats": ["%d|%m|%Y"]}, "01|02|2024 to 03|02|2024", "2024-02-02", 0.5),
    ],
)
def test_settings(settings: dict[str, Any], a: str, b: str, score: float) -> None:
    """Each setting changes what counts as alike, as its name says."""
    comparator = DateComparator(**settings)
    assert comparator.compare(a, b) == pytest.approx(score, abs=1e-12)
    assert comparator.grid([a], [b])[0, 0] == comparator.compare(a, b)


@given(start=dates, days=st.integers(1, 40), shift=st.integers(-50, 50), length=st.integers(1, 40))
def test_spans_share_days(start: dt.date, days: int, shift: int, length: int) -> None:
    """Two spans score the days that both have over the days that either has."""
    other = start + dt.timedelta(days=shift)
    left = {start + dt.timedelta(days=n) for n in range(days + 1)}
    right = {other + dt.timedelta(days=n) for n in range(length + 1)}
    score = DateComparator().compare(f"{min(left)} to {max(left)}", f"{min(right)} to {max(right)}")
    assert score == pytest.approx(len(left & right) / len(left | right), abs=1e-12)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"tolerance": -1}, "for `tolerance`"),
        ({"tolerance": True}, "for `tolerance`"),
        ({"tolerance": dt.timedelta(days=-1)}, "for `tolerance`"),
        ({"dayfirst": "yes"}, "for `dayfirst`"),
        ({"range_mode": "contain"}, "did you mean 'contains'"),
        ({"precision_mode": "loose"}, "did you mean 'gt_loose'"),
        ({"formats": "%Y"}, "for `formats`"),
        ({"formats": []}, "for `formats`"),
        ({"formats": ["%H:%M"]}, "with a year, month or day"),
        ({"formats": ["%Q"]}, "strptime format"),
    ],
)
def test_wrong_settings(settings: dict[str, Any], message: str) -> None:
    """Settings that make no sense are refused with what was expected."""
    with pytest.raises(SettingError, match=message):
        build("Date", settings)


def test_config_is_json() -> None:
    """A tolerance given as a timedelta is kept in days."""
    assert DateComparator(tolerance=dt.timedelta(hours=6)).config == {"tolerance": 0.25}


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({}, "date"),
        ({"dayfirst": True}, "date, day first"),
        ({"dayfirst": False, "tolerance": 2}, "date, month first, ±2 days"),
        ({"range_mode": "strict", "precision_mode": "overlap"}, "date, strict, overlap"),
    ],
)
def test_describes_itself(settings: dict[str, Any], words: str) -> None:
    """A plan shows the settings in words."""
    assert DateComparator(**settings).describe() == words


MONTH = [dt.date(2024, month, 1).strftime("%B") for month in range(1, 13)]


@given(start=st.dates(dt.date(1900, 1, 1), dt.date(2090, 1, 1)), days=st.integers(1, 3_000), shift=st.integers(1, 40))
def test_a_span_is_read_however_it_is_written(start: dt.date, days: int, shift: int) -> None:
    """Two days with words, signs or brackets around them are the span, in every order; another end is another span."""
    comparator = DateComparator(times=True, range_mode="strict", dayfirst=False)
    end = start + dt.timedelta(days=days)
    plain = f"{start:%m/%d/%Y} - {end:%m/%d/%Y}"
    a, b = (f"{MONTH[day.month - 1]} {day.day}, {day.year:04}" for day in (start, end))
    forms = [
        f"FROM {start:%m/%d/%Y} TO {end:%m/%d/%Y}", f"from: {a} to: {b}", f"{start:%m/%d/%Y}-{end:%m/%d/%Y}",
        f"[{start} – {end}]", f"vom {start:%d.%m.%Y} bis {end:%d.%m.%Y}", f"({a} until {b})",
    ]  # fmt: skip
    for form in forms:
        assert comparator.compare(plain, form) == comparator.compare(form, plain) == 1.0
        assert comparator.compare(f"{start} to {end + dt.timedelta(days=shift)}", form) == 0.0


@pytest.mark.parametrize(
    ("a", "b", "alike"),
    [
        ("17.Nov. 1942", "1942-11-17", True),
        ("17.VII.1896", "17. Juli 1896", True),
        ("17.VI.1896", "17. Juli 1896", False),
        ("<1636-1673>", "(1636-1673)", True),
        ("February", "Feb.", True),
        ("février", "February", True),
        ("March", "May", False),
        ("Q1 2024", "2024-Q1", True),
        ("1. Quartal 2024", "Q1/2024", True),
        ("Q1 2024", "Q2 2024", False),
        ("Dienstag, 5. März 2024", "2024-03-05", True),
        ("Dec 20 - Jan 19, 2024", "12/20/2023 - 01/19/2024", True),
        ("01.03. - 31.03.2024", "1. März - 31. März 2024", True),
        ("Jan 2015 - Present", "01/2015 – now", True),
        ("Jan 2015 - Present", "Jan 2015 - Mar 2024", False),
        ("14:30 Uhr", "2:30 pm", True),
    ],
)
def test_dates_of_cards_and_statements(a: str, b: str, alike: bool) -> None:
    """With ``times`` dates are read as people write them in fields that nobody declared."""
    comparator = DateComparator(times=True)
    assert (comparator.compare(a, b) == 1.0) is (comparator.compare(b, a) == 1.0) is alike
