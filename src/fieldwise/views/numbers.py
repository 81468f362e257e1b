"""Numbers as people read them: the one place that rounds, groups digits and grades; what is undefined is a dash.

Its rules are in words.json; formats.json holds numbers with their texts, to which every formatter is held.
Differences of rates are in points, hundredths of a rate.
"""

from __future__ import annotations

import math
from collections.abc import Callable

from fieldwise.bulk_aggregator import Json
from fieldwise.results.rates import Unit
from fieldwise.views.words import DASH, WORDS, Format, Grade

GRADE_SYMBOLS = WORDS.grades.symbols
METRIC_NAMES = WORDS.metrics
_RATE, _PERCENT, _POINTS, _CHANCE = (WORDS.decimals[name] for name in ("rate", "percent", "points", "chance"))
_NOTHING = 1e-9
"""Rates that are nearer to each other differ by the rounding of sums only."""


def rate(value: float | None) -> str:
    """Write a rate with three decimals; only a perfect one reads 1.000 and only a true zero reads 0.000.

    >>> rate(0.91349), rate(1.0), rate(0.99996), rate(0.0), rate(0.0001), rate(None)
    ('0.913', '1.000', '0.999', '0.000', '0.001', '–')
    """
    return DASH if value is None or not math.isfinite(value) else f"{_kept_apart(value, decimals=_RATE):.{_RATE}f}"


def percent(value: float | None) -> str:
    """Write a share as a percentage with one decimal, kept apart from 0 % and 100 % as in `rate`.

    >>> percent(0.9731), percent(1.0), percent(0.99999), percent(0.00001), percent(0), percent(None)
    ('97.3%', '100%', '99.9%', '0.1%', '0%', '–')
    """
    if value is None or not math.isfinite(value):
        return DASH
    if value in (0, 1):
        return f"{value:.0%}"
    return f"{_kept_apart(value, decimals=_PERCENT + 2) * 100:.{_PERCENT}f}%"


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


def in_units(value: int, unit: Unit) -> str:
    """Write how many units an interval is over.

    >>> in_units(1, "documents"), in_units(20, "clusters"), in_units(2, "classes")
    ('1 document', '20 clusters', '2 classes')
    """
    return counted(value, WORDS.units[unit].one, WORDS.units[unit].many)


def rough_note(unit: Unit) -> str:
    """Return what the mark of an interval over few units means."""
    return WORDS.few_documents.note.format(units=WORDS.units[unit].many)


def documents_and_trials(documents: int, trials: int | None) -> str:
    """Write how many documents there are, and trials where there are more of these.

    >>> documents_and_trials(40, 120), documents_and_trials(40, None)
    ('40 documents, 120 trials', '40 documents')
    """
    more = f", {counted(trials, 'trial')}" if trials is not None and trials > documents else ""
    return counted(documents, "document") + more


def grade(value: float | None) -> Grade:
    """Say which band a rate falls into: poor below 0.5, fair up to 0.8, good above.

    >>> grade(0.49), grade(0.5), grade(0.8), grade(0.81), grade(None)
    ('poor', 'fair', 'fair', 'good', 'undefined')
    """
    if value is None or not math.isfinite(value):
        return "undefined"
    if value > WORDS.grades.good_above:
        return "good"
    return "fair" if value >= WORDS.grades.fair_from else "poor"


def points(difference: float | None, decimals: int = _POINTS) -> str:
    """Write a difference of two rates in points, with its sign; only two equal rates read 0.00.

    >>> points(-0.0312), points(0.004247), points(0.0), points(-0.00001), points(None)
    ('−3.12', '+0.42', '0.00', '−0.01', '–')
    >>> points(0.0614, decimals=1), points(-1e-17, decimals=1)
    ('+6.1', '0.0')
    """
    if difference is None or not math.isfinite(difference):
        return DASH
    if abs(difference) < _NOTHING:
        return f"{0:.{decimals}f}"
    return f"{'−' if difference < 0 else '+'}{max(abs(100 * difference), 10**-decimals):.{decimals}f}"


def rough(low: float | None, documents: int) -> str:
    """Return a mark where an interval rests on so few documents that it is itself uncertain.

    >>> rough(-0.1, 19), rough(-0.1, 20), rough(None, 1)
    ('*', '', '')
    """
    return WORDS.few_documents.mark if low is not None and documents < WORDS.few_documents.below else ""


def points_interval(low: float | None, high: float | None) -> str:
    """Write the bounds of a difference in points.

    >>> points_interval(-0.05, 0.0123), points_interval(None, None)
    ('−5.00 to +1.23', '–')
    """
    return DASH if low is None or high is None else f"{points(low)} to {points(high)}"


def size_of(difference: float | None) -> str:
    """Write how large a difference is, without its sign.

    >>> size_of(0.0349), size_of(-0.00001), size_of(0.01), size_of(None)
    ('3.49 points', '0.01 points', '1.00 point', '–')
    """
    if difference is None or not math.isfinite(difference):
        return DASH
    number = points(abs(difference)).lstrip("+")
    return f"{number} point" if number == "1.00" else f"{number} points"


def plain_points(margin: float) -> str:
    """Write a size that somebody chose, such as a margin, without more digits than it has.

    >>> plain_points(0.02), plain_points(0.0125), plain_points(0.01)
    ('2 points', '1.25 points', '1 point')
    """
    number = f"{100 * margin:.4g}"
    return f"{number} point" if number == "1" else f"{number} points"


def chance(p: float | None) -> str:
    """Write a p-value.

    >>> chance(0.0312), chance(0.2), chance(0.00004), chance(1.0), chance(None)
    ('0.031', '0.200', '< 0.001', '1.000', '–')
    """
    if p is None or not math.isfinite(p):
        return DASH
    least = WORDS.least_chance
    return f"< {least:g}" if p < least else f"{p:.{_CHANCE}f}"


def number(value: float | None) -> str:
    """Write a number that somebody chose, such as a threshold, with the digits that it has.

    >>> number(0.85), number(1.0), number(None)
    ('0.85', '1', '–')
    """
    return DASH if value is None else f"{value:g}"


def whole_percent(value: float) -> str:
    """Write a share that somebody chose as a percentage with the digits that it has.

    >>> whole_percent(0.05), whole_percent(0.125)
    ('5%', '12.5%')
    """
    return f"{value * 100:g}%"


def change(value: int) -> str:
    """Write a difference of counts with its sign.

    >>> change(1200), change(-3), change(0)
    ('+1,200', '−3', '0')
    """
    return "0" if not value else f"{'+' if value > 0 else '−'}{count(abs(value))}"


def written(how: Format, value: Json) -> str:
    """Write a value in the format of its column; None is a dash, and nothing in a column of words.

    >>> written("rate", 0.5), written("count", 1200), written("points_interval", (-0.05, 0.01)), written("text", None)
    ('0.500', '1,200', '−5.00 to +1.00', '')
    """
    if value is None:
        return "" if how in ("text", "words") else DASH
    return _WRITERS[how](value)


_WRITERS: dict[Format, Callable[[Json], str]] = {
    "text": str,
    "words": str,
    "name": str,
    "value": str,
    "rate": rate,
    "percent": percent,
    "count": count,
    "change": change,
    "number": number,
    "interval": interval,
    "percent_interval": percent_interval,
    "points": points,
    "tenths": lambda value: points(value, decimals=1),
    "points_interval": lambda bounds: points_interval(*bounds),
    "margin": lambda value: f"{100 * value:.4g}",
    "chance": chance,
}
"""The writer of each format."""


def _kept_apart(value: float, *, decimals: int) -> float:
    """Round, but not onto 0 or 1 from beside them: 0.9999 of a million values is a hundred errors."""
    rounded, step = round(value, decimals), 10.0**-decimals
    if value != 1 and rounded == 1:
        return 1 - step if value < 1 else 1 + step
    if value != 0 and rounded == 0:
        return math.copysign(step, value)
    return rounded
