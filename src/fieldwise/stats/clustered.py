"""Intervals of ratios of sums over documents, which do not take the values of one document for independent.

The rule is one for every ratio and mean. With N and D the numerator and denominator of a document, R = ΣN / ΣD:

- SE² = Σ (e / (1 - D/ΣD))² / (ΣD)² with e = N - R·D. This is Σ (R₋ - R)², where R₋ is the ratio without the document.
- The bounds are logit R ± t · SE / (R(1-R)), back on the scale of R; t has (ΣD)²/ΣD² - 1 degrees of freedom, which are
  Kish's effective documents less one: long documents count for more, so that fewer of them decide.
- Each bound allows for a quarter of one more document of mean size, wholly wrong for the lower bound and wholly right
  for the upper one. It enters R, SE and the degrees like any document.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from fieldwise.results.rates import RATIOS, UNKNOWN, Rate, Ratio
from fieldwise.stats.histograms import CountHistogram, Part
from fieldwise.stats.intervals import check_confidence, clopper_pearson, wilson

_QUARTER = 4
"""The document that a bound allows for is the mean one divided by this."""


def rate_interval(histogram: CountHistogram, ratio: Ratio, confidence: float = 0.95) -> Rate:
    """Return a ratio of sums over documents with its interval.

    >>> histogram = CountHistogram()
    >>> for tp, fn in [(5, 0), (4, 1), (8, 2), (2, 1)]:
    ...     histogram.add((tp, 0, 0, fn))
    >>> rate = rate_interval(histogram, "recall")
    >>> rate.n, round(rate.value or 0, 4), round(rate.low or 0, 4), round(rate.high or 0, 4)
    (4, 0.8261, 0.4294, 0.9535)
    """
    return ratio_interval(histogram.parts(ratio), confidence)


def rate_intervals(histogram: CountHistogram, confidence: float = 0.95) -> dict[Ratio, Rate]:
    """Return all five ratios with their intervals."""
    return {ratio: rate_interval(histogram, ratio, confidence) for ratio in RATIOS}


def mean_interval(total: int, squares: int, n: int, *, unit: int, confidence: float = 0.95) -> Rate:
    """Return the mean over n documents of a score from 0 to 1, with its interval.

    Scores are whole numbers of which ``unit`` is 1; ``total`` is their sum, ``squares`` the sum of their squares.
    The mean is a ratio whose denominator is the same in every document.

    >>> rate = mean_interval(8 + 6 + 9, 64 + 36 + 81, 3, unit=10)
    >>> rate.n, round(rate.value or 0, 4), round(rate.low or 0, 4), round(rate.high or 0, 4)
    (3, 0.7667, 0.2233, 0.968)
    """
    return ratio_interval([Part(unit, n, total, squares)] if n else [], confidence)


def ratio_interval(parts: Sequence[Part], confidence: float = 0.95) -> Rate:
    """Return ΣN / ΣD with its interval, given the documents by denominator, which is above 0, rising.

    Bounds need 2 documents, and a degree of freedom. ``effective_n`` is Kish's number of documents, (ΣD)²/ΣD², where it
    is below n/2: where few long documents decide.

    Where all documents have the same ratio, as they do where it is 0 or 1, they have no spread, which tells nothing:
    the interval is Clopper and Pearson's for R·n of n documents, R·n a real number. All sums are whole numbers and are
    divided once, so nothing is lost by cancellation, and equal documents give equal bytes.
    """
    check_confidence(confidence)
    sums = _Sums.of(parts)
    n, top, bottom = sums.n, sums.top, sums.bottom
    if not n:
        return UNKNOWN
    value, effective = top / bottom, _effective_n(sums)
    if n < 2:
        return Rate(value, n=n, effective_n=effective)
    if top in (0, bottom) or not _left_out(parts, top, bottom, 1):
        low, high = clopper_pearson(value * n, n, confidence) or (0.0, 1.0)
        return Rate(value, low, high, n, effective_n=effective)
    degrees = (bottom * (_QUARTER * n + 1)) ** 2 / (_QUARTER**2 * n * n * sums.squares + bottom * bottom) - 1
    if degrees < 1:
        return Rate(value, n=n, effective_n=effective)
    quantile = t_quantile(degrees, confidence)
    low, high = _bound(parts, sums, 0, -quantile), _bound(parts, sums, 1, quantile)
    return Rate(value, low, high, n, effective_n=effective)


def standard_error(parts: Sequence[Part]) -> float | None:
    """Return the standard error of ΣN / ΣD, without the document that bounds allow for; None below 2 documents."""
    n, top, bottom, _ = _Sums.of(parts)
    return None if n < 2 else math.sqrt(_left_out(parts, top, bottom, 1)) / bottom


class _Sums(NamedTuple):
    """Of documents: how many there are, ΣN, ΣD and ΣD²."""

    n: int
    top: int
    bottom: int
    squares: int

    @classmethod
    def of(cls, parts: Iterable[Part]) -> _Sums:
        n = top = bottom = squares = 0
        for size, documents, numerators, _ in parts:
            n += documents
            top += numerators
            bottom += size * documents
            squares += size * size * documents
        return cls(n, top, bottom, squares)


def _effective_n(sums: _Sums) -> float | None:
    """Return how many documents of equal size would tell as much, where these are fewer than half."""
    n, _, bottom, squares = sums
    return bottom * bottom / squares if 2 * bottom * bottom < n * squares else None


def _bound(parts: Sequence[Part], sums: _Sums, right: int, quantile: float) -> float:
    """Return the lower bound with a document that is wholly wrong (0), or the upper one with one wholly right (1).

    Its size is ΣD/4n. With everything multiplied by 4n, numerators and denominators are whole numbers.
    """
    times = _QUARTER * sums.n
    top, bottom = times * sums.top + right * sums.bottom, sums.bottom * (times + 1)
    # Of the added document e / (1 - D/ΣD) is (right - R) · ΣD / 4n, here in units of ΣD/4n.
    added = (right * bottom - top) / (times * times)
    se = math.sqrt(math.fsum((_left_out(parts, top, bottom, times), added * added))) * times / bottom
    spread = (top / bottom) * ((bottom - top) / bottom)
    return _expit(math.log(top / (bottom - top)) + quantile * se / spread)


def _left_out(parts: Iterable[Part], top: int, bottom: int, times: int) -> float:
    """Return Σ (e / (1 - D/b))² with e = N - r·D, where r = top / bottom and b = bottom / times.

    The square is (N·bottom - D·top)² / (bottom - times·D)²; its sum over documents of one D follows from ΣN and ΣN².
    """
    return math.fsum(
        (bottom * bottom * squares - 2 * top * bottom * size * numerators + top * top * size * size * documents)
        / (bottom - times * size) ** 2
        for size, documents, numerators, squares in parts
    )


def share_interval(part: int, n: int, confidence: float = 0.95) -> Rate:
    """Return the share of n documents that have a property, with Wilson's interval."""
    check_confidence(confidence)
    if n < 2:
        return Rate(part / n if n else None, n=n)
    low, high = wilson(part, n, confidence) or (0.0, 1.0)
    return Rate(part / n, low, high, n)


def logit_interval(value: float, se: float, quantile: float) -> tuple[float, float]:
    """Return logit R ± quantile · SE / (R(1-R)) on the scale of R, for 0 < R < 1."""
    spread = value * (1 - value)
    centre, half = math.log(value / (1 - value)), quantile * se / spread
    return _expit(centre - half), _expit(centre + half)


def _expit(x: float) -> float:
    if x >= 0:
        return 1 / (1 + math.exp(-x))
    return math.exp(max(x, -700.0)) / (1 + math.exp(max(x, -700.0)))


def t_quantile(degrees: float, confidence: float) -> float:
    """Return the quantile of Student's t that leaves (1 - confidence)/2 above it."""
    from scipy.special import stdtrit  # slow to import, seldom needed

    return float(stdtrit(degrees, (1 + confidence) / 2))
