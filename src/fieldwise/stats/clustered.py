"""Intervals of ratios of sums over documents, which do not take the values of one document for independent."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal, TypeAlias

from fieldwise.results.rates import DENOMINATORS, NUMERATORS, RATIOS, Ratio
from fieldwise.stats.intervals import check_confidence, clopper_pearson, wilson
from fieldwise.stats.moments import Moments

Method: TypeAlias = Literal["logit", "clopper_pearson", "wilson"]
"""How an interval was made."""


@dataclass(frozen=True, slots=True)
class RateInterval:
    """A rate with its interval: ``n`` documents have the field; what is undefined is None.

    ``value`` is None where nothing was counted; ``low``, ``high``, ``se`` and ``method`` with fewer than 2 documents.
    """

    value: float | None
    low: float | None
    high: float | None
    n: int
    se: float | None
    method: Method | None


def rate_interval(moments: Moments, ratio: Ratio, confidence: float = 0.95) -> RateInterval:
    """Return a ratio of sums over documents with its interval.

    With N and D the numerator and denominator of a document, R = ΣN / ΣD and e = N - R·D:
    SE² = n/(n-1) · Σe² / (ΣD)², and the interval is logit R ± t(n-1) · SE / (R(1-R)), back on the scale of R.
    n is the number of documents with D > 0. Where all documents have the same ratio, as they do where R is 0 or 1, SE
    is 0 and tells nothing: the interval is Clopper and Pearson's for R·n of n documents, R·n a real number.

    >>> moments = Moments()
    >>> for tp, fn in [(5, 0), (4, 1), (8, 2), (2, 1)]:
    ...     moments.add(tp, 0, 0, fn)
    >>> rate = rate_interval(moments, "recall")
    >>> rate.n, round(rate.value or 0, 4), round(rate.low or 0, 4), round(rate.high or 0, 4)
    (4, 0.8261, 0.6006, 0.9375)
    """
    check_confidence(confidence)
    numerator, denominator = NUMERATORS[ratio], DENOMINATORS[ratio]
    top, bottom, n = moments.total(numerator), moments.total(denominator), moments.n(ratio)
    if not bottom:
        return RateInterval(None, None, None, n, None, None)
    if n < 2:
        return RateInterval(top / bottom, None, None, n, None, None)
    return _interval(top / bottom, _standard_error(moments, ratio, n), n, confidence)


def rate_intervals(moments: Moments, confidence: float = 0.95) -> dict[Ratio, RateInterval]:
    """Return all five ratios with their intervals."""
    return {ratio: rate_interval(moments, ratio, confidence) for ratio in RATIOS}


def mean_interval(total: int, squares: int, n: int, *, unit: int, confidence: float = 0.95) -> RateInterval:
    """Return the mean over n documents of a score from 0 to 1, with its interval.

    Scores are whole numbers of which ``unit`` is 1; ``total`` is their sum, ``squares`` the sum of their squares.
    The mean is a ratio whose denominator is 1 in every document, and its interval is made as that of other ratios:
    SE² = Σ(score - mean)² / (n(n-1)).

    >>> rate = mean_interval(8 + 6 + 9, 64 + 36 + 81, 3, unit=10)
    >>> rate.n, round(rate.value or 0, 4), round(rate.low or 0, 4), round(rate.high or 0, 4)
    (3, 0.7667, 0.2826, 0.9648)
    """
    check_confidence(confidence)
    if not n:
        return RateInterval(None, None, None, 0, None, None)
    mean = total / (n * unit)
    if n < 2:
        return RateInterval(mean, None, None, n, None, None)
    se = math.sqrt((n * squares - total * total) / (n * n * (n - 1) * unit * unit))
    return _interval(mean, se, n, confidence)


def share_interval(part: int, n: int, confidence: float = 0.95) -> RateInterval:
    """Return the share of n documents that have a property, with Wilson's interval."""
    check_confidence(confidence)
    if not n:
        return RateInterval(None, None, None, 0, None, None)
    share = part / n
    if n < 2:
        return RateInterval(share, None, None, n, None, None)
    low, high = wilson(part, n, confidence) or (0.0, 1.0)
    return RateInterval(share, low, high, n, math.sqrt(share * (1 - share) / n), "wilson")


def _interval(value: float, se: float, n: int, confidence: float) -> RateInterval:
    if not se or value in (0.0, 1.0):
        low, high = clopper_pearson(value * n, n, confidence) or (0.0, 1.0)
        return RateInterval(value, low, high, n, se, "clopper_pearson")
    low, high = logit_interval(value, se, t_quantile(n - 1, confidence))
    return RateInterval(value, low, high, n, se, "logit")


def _standard_error(moments: Moments, ratio: Ratio, n: int) -> float:
    """Return √(n/(n-1) · Σe²) / ΣD, where Σe² · (ΣD)² is a whole number: nothing is lost by cancellation."""
    numerator, denominator = NUMERATORS[ratio], DENOMINATORS[ratio]
    top, bottom = moments.total(numerator), moments.total(denominator)
    squares = (
        moments.product(numerator, numerator) * bottom * bottom
        - 2 * moments.product(numerator, denominator) * top * bottom
        + moments.product(denominator, denominator) * top * top
    )
    return math.sqrt(max(squares, 0) * n / ((n - 1) * bottom**4))


def logit_interval(value: float, se: float, quantile: float) -> tuple[float, float]:
    """Return logit R ± quantile · SE / (R(1-R)) on the scale of R, for 0 < R < 1."""
    spread = value * (1 - value)
    centre, half = math.log(value / (1 - value)), quantile * se / spread
    return _expit(centre - half), _expit(centre + half)


def _expit(x: float) -> float:
    if x >= 0:
        return 1 / (1 + math.exp(-x))
    return math.exp(max(x, -700.0)) / (1 + math.exp(max(x, -700.0)))


def t_quantile(degrees: int, confidence: float) -> float:
    """Return the quantile of Student's t that leaves (1 - confidence)/2 above it."""
    from scipy.special import stdtrit  # slow to import, seldom needed

    return float(stdtrit(degrees, (1 + confidence) / 2))
