"""Differences of rates in points, hundredths of a rate, as people read them."""

from __future__ import annotations

import math

from fieldwise.report.numbers import DASH

_MINUS = "−"


def points(delta: float | None) -> str:
    """Write a difference in points with its sign; only no difference at all reads 0.00.

    >>> points(0.0421), points(-0.5), points(0.0), points(0.00001), points(None)
    ('+4.21', '−50.00', '0.00', '+0.01', '–')
    """
    if delta is None or not math.isfinite(delta):
        return DASH
    if not delta:
        return "0.00"
    return f"{'+' if delta > 0 else _MINUS}{max(abs(100 * delta), 0.01):.2f}"


def bounds(low: float | None, high: float | None) -> str:
    """Write the interval of a difference in points.

    >>> bounds(-0.0381, -0.0043), bounds(None, None)
    ('−3.81 to −0.43', '–')
    """
    return DASH if low is None or high is None else f"{points(low)} to {points(high)}"


def size(delta: float | None) -> str:
    """Write how large a difference is, without its sign.

    >>> size(0.0349), size(-0.00001), size(None)
    ('3.49 points', '0.01 points', '–')
    """
    if delta is None or not math.isfinite(delta):
        return DASH
    return "1.00 point" if f"{abs(100 * delta):.2f}" == "1.00" else f"{points(abs(delta)).lstrip('+')} points"


def chance(p: float | None) -> str:
    """Write a p-value.

    >>> chance(0.0312), chance(0.2), chance(0.00004), chance(1.0), chance(None)
    ('0.031', '0.200', '< 0.001', '1.000', '–')
    """
    if p is None or not math.isfinite(p):
        return DASH
    return "< 0.001" if p < 0.001 else f"{p:.3f}"
