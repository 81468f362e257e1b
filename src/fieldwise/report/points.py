"""Differences as people read them: in points, hundredths of a rate; and the chance of them."""

from __future__ import annotations

import math

from fieldwise.report.numbers import DASH, interval
from fieldwise.results.rates import FEW_UNITS, Metric, Rate

METRIC_NAMES: dict[Metric, str] = {
    "strict_f1": "F1 (strict)",
    "f1": "F1",
    "precision": "precision",
    "recall": "detection recall",
    "strict_recall": "strict recall",
    "document_macro_f1": "mean F1 of documents",
    "exact_documents": "share of documents without error",
}
"""What the metrics are called by which runs are compared."""
ROUGH = f"* fewer than {FEW_UNITS} documents: a rough interval"
"""What the mark of `rough` means."""
_NOTHING = 1e-9
"""Rates that are nearer to each other differ by the rounding of sums only."""


def bounds(found: Rate) -> str:
    """Write the interval of a rate.

    >>> bounds(Rate(0.5, 0.25, 0.75, 9))
    '0.250–0.750'
    """
    return interval(found.interval)


def points(difference: float | None, decimals: int = 2) -> str:
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
    return "*" if low is not None and documents < FEW_UNITS else ""


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
    return "< 0.001" if p < 0.001 else f"{p:.3f}"
