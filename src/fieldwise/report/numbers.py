"""Numbers as people read them: the one place that rounds, groups digits and writes a dash for what is undefined."""

from __future__ import annotations

import math
from typing import Literal

DASH = "–"
"""What stands where nothing was there to divide by; an undefined rate is not 0."""

Grade = Literal["good", "fair", "poor", "undefined"]

GRADE_SYMBOLS: dict[Grade, str] = {"good": "●", "fair": "◐", "poor": "○", "undefined": DASH}
"""A symbol for each grade, so that colour never speaks alone: the fuller, the better."""

_GOOD_ABOVE = 0.8
_FAIR_FROM = 0.5


def rate(value: float | None) -> str:
    """Write a rate with three decimals; only a perfect one reads 1.000 and only a true zero reads 0.000.

    >>> rate(0.91349), rate(1.0), rate(0.99996), rate(0.0), rate(0.0001), rate(None)
    ('0.913', '1.000', '0.999', '0.000', '0.001', '–')
    """
    return DASH if value is None or not math.isfinite(value) else f"{_kept_apart(value, decimals=3):.3f}"


def percent(value: float | None) -> str:
    """Write a share as a percentage with one decimal, kept apart from 0 % and 100 % as in `rate`.

    >>> percent(0.9731), percent(1.0), percent(0.99999), percent(0.00001), percent(0), percent(None)
    ('97.3%', '100%', '99.9%', '0.1%', '0%', '–')
    """
    if value is None or not math.isfinite(value):
        return DASH
    if value in (0, 1):
        return f"{value:.0%}"
    return f"{_kept_apart(value, decimals=3) * 100:.1f}%"


def share(part: int, whole: int) -> str:
    """Write `part / whole` as a percentage.

    >>> share(292, 300), share(0, 0)
    ('97.3%', '–')
    """
    return percent(part / whole if whole else None)


def interval(bounds: tuple[float, float] | None) -> str:
    """Write an interval of a rate.

    >>> interval((0.9123, 0.9571)), interval(None)
    ('0.912–0.957', '–')
    """
    return DASH if bounds is None else f"{rate(bounds[0])}–{rate(bounds[1])}"


def percent_interval(bounds: tuple[float, float] | None) -> str:
    """Write an interval of a share.

    >>> percent_interval((0.4187, 0.5059)), percent_interval(None)
    ('41.9%–50.6%', '–')
    """
    return DASH if bounds is None else f"{percent(bounds[0])}–{percent(bounds[1])}"


def count(value: int) -> str:
    """Write a count with thousands separators.

    >>> count(1234567)
    '1,234,567'
    """
    return f"{value:,}"


def counted(value: int, noun: str, plural: str = "") -> str:
    """Write a count and what is counted.

    >>> counted(1, "document"), counted(12345, "document"), counted(0, "match", "matches")
    ('1 document', '12,345 documents', '0 matches')
    """
    return f"{count(value)} {noun if value == 1 else plural or noun + 's'}"


def documents_and_trials(documents: int, trials: int | None) -> str:
    """Write how many documents there are, and trials where there are more of these.

    >>> documents_and_trials(40, 120), documents_and_trials(40, None)
    ('40 documents, 120 trials', '40 documents')
    """
    more = f", {counted(trials, 'trial')}" if trials is not None and trials > documents else ""
    return counted(documents, "document") + more


def duration(seconds: float | None) -> str:
    """Write a length of time in its two largest units.

    >>> duration(0.0421), duration(3.14159), duration(59.99), duration(372), duration(7384), duration(200000)
    ('42 ms', '3.1 s', '1 min 00 s', '6 min 12 s', '2 h 03 min', '2 d 07 h')
    >>> duration(0), duration(0.0001), duration(None)
    ('0 s', '< 1 ms', '–')
    """
    if seconds is None or not math.isfinite(seconds):
        return DASH
    if seconds <= 0:
        return "0 s"
    if seconds < 0.001:
        return "< 1 ms"
    if seconds < 0.9995:
        return f"{seconds * 1000:.0f} ms"
    if seconds < 59.95:
        return f"{seconds:.1f} s"
    return _long_duration(seconds)


def grade(value: float | None) -> Grade:
    """Say which band a rate falls into: poor below 0.5, fair up to 0.8, good above.

    >>> grade(0.49), grade(0.5), grade(0.8), grade(0.81), grade(None)
    ('poor', 'fair', 'fair', 'good', 'undefined')
    """
    if value is None or not math.isfinite(value):
        return "undefined"
    if value > _GOOD_ABOVE:
        return "good"
    return "fair" if value >= _FAIR_FROM else "poor"


def _kept_apart(value: float, *, decimals: int) -> float:
    """Round, but not onto 0 or 1 from beside them: 0.9999 of a million values is a hundred errors."""
    rounded, step = round(value, decimals), 10.0**-decimals
    if value != 1 and rounded == 1:
        return 1 - step if value < 1 else 1 + step
    if value != 0 and rounded == 0:
        return math.copysign(step, value)
    return rounded


def _long_duration(seconds: float) -> str:
    minutes, rest = divmod(round(seconds), 60)
    if minutes < 60:
        return f"{minutes} min {rest:02} s"
    hours, minutes = divmod(minutes, 60)
    if hours < 48:
        return f"{hours} h {minutes:02} min"
    days, hours = divmod(hours, 24)
    return f"{days} d {hours:02} h"
