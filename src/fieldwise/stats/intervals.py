"""Intervals: of ratios of sums over documents, and of shares of independent trials.

The values of one document are not taken for independent. The rule is one for every ratio and mean. With N and D the
numerator and denominator of a document, R = ΣN / ΣD:

- SE² = Σ (e / (1 - D/ΣD))² / (ΣD)² with e = N - R·D. This is Σ (R₋ - R)², where R₋ is the ratio without the document.
- The bounds are logit R ± t · SE / (R(1-R)), back on the scale of R; t has (ΣD)²/ΣD² - 1 degrees of freedom, which are
  Kish's effective documents less one: long documents count for more, so that fewer of them decide.
- Each bound allows for half of one more document of mean size, wholly wrong for the lower bound and wholly right for
  the upper one. It enters R, SE and the degrees like any document.

Where the units are clusters of documents the added one is half of a mean cluster, and no more than one mean document.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from statistics import NormalDist
from typing import NamedTuple

from fieldwise.checks import check_share
from fieldwise.errors import InputError
from fieldwise.results.rates import RATIOS, UNKNOWN, Rate, Ratio
from fieldwise.stats.histograms import CountHistogram, Part


def rate_interval(histogram: CountHistogram, ratio: Ratio, confidence: float = 0.95) -> Rate:
    """Return a ratio of sums over documents, or over clusters of them, with its interval.

    >>> histogram = CountHistogram()
    >>> for tp, fn in [(5, 0), (4, 1), (8, 2), (2, 1)]:
    ...     histogram.add((tp, 0, 0, fn))
    >>> rate = rate_interval(histogram, "recall")
    >>> rate.n, round(rate.value or 0, 4), round(rate.low or 0, 4), round(rate.high or 0, 4)
    (4, 0.8261, 0.2794, 0.9562)
    """
    inner = histogram.of_documents
    documents = None if inner is None else sum(part.documents for part in inner.parts(ratio))
    return ratio_interval(histogram.parts(ratio), confidence, documents=documents)


def rate_intervals(histogram: CountHistogram, confidence: float = 0.95) -> dict[Ratio, Rate]:
    """Return all five ratios with their intervals."""
    return {ratio: rate_interval(histogram, ratio, confidence) for ratio in RATIOS}


def mean_interval(total: int, squares: int, n: int, *, unit: int, confidence: float = 0.95) -> Rate:
    """Return the mean over n documents of a score from 0 to 1, with its interval.

    Scores are whole numbers of which ``unit`` is 1; ``total`` is their sum, ``squares`` the sum of their squares.
    The mean is a ratio whose denominator is the same in every document.

    >>> rate = mean_interval(8 + 6 + 9, 64 + 36 + 81, 3, unit=10)
    >>> rate.n, round(rate.value or 0, 4), round(rate.low or 0, 4), round(rate.high or 0, 4)
    (3, 0.7667, 0.1542, 0.967)
    """
    return ratio_interval([Part(unit, n, total, squares)] if n else [], confidence)


def ratio_interval(parts: Sequence[Part], confidence: float = 0.95, *, documents: int | None = None) -> Rate:
    """Return ΣN / ΣD with its interval, given the units by denominator, which is above 0, rising.

    Units are documents, or clusters of so many ``documents`` with a denominator. Bounds need 2 units, and a degree of
    freedom. ``effective_n`` is Kish's number of units, (ΣD)²/ΣD², where it is below n/2: where few long ones decide.

    Where all units have the same ratio, as they do where it is 0 or 1, they have no spread, which tells nothing:
    the interval is Clopper and Pearson's for R·n of n units, R·n a real number. All sums are whole numbers and are
    divided once, so nothing is lost by cancellation, and equal units give equal bytes.
    """
    check_share("confidence", confidence)
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
    times = units_to_one_added(n, documents)
    degrees = sums.degrees(times)
    if degrees < 1:
        return Rate(value, n=n, effective_n=effective)
    quantile = t_quantile(degrees, confidence)
    low, high = _bound(parts, sums, 0, -quantile, times), _bound(parts, sums, 1, quantile, times)
    return Rate(value, low, high, n, effective_n=effective)


def units_to_one_added(units: int, documents: int | None = None) -> int:
    """Return how many times the added document goes into all: half of a mean unit, and no more than a mean document.

    >>> units_to_one_added(50), units_to_one_added(8, 200), units_to_one_added(8, 8)
    (100, 200, 16)
    """
    return max(2 * units, documents or 0)


def lower_bound(parts: Sequence[Part], confidence: float = 0.95, *, documents: int | None = None) -> float:
    """Return the lower bound of a ratio also where units have no spread: the added document has; 0 without units.

    Fewer degrees of freedom than one count as one.
    """
    sums = _Sums.of(parts)
    if not sums.top:
        return 0.0
    times = units_to_one_added(sums.n, documents)
    return _bound(parts, sums, 0, -t_quantile(max(1.0, sums.degrees(times)), confidence), times)


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

    def degrees(self, times: int) -> float:
        """Return Kish's degrees of freedom with the added document, of size ΣD / times."""
        bottom = self.bottom * (times + 1)
        return bottom * bottom / (times * times * self.squares + self.bottom * self.bottom) - 1


def _effective_n(sums: _Sums) -> float | None:
    """Return how many documents of equal size would tell as much, where these are fewer than half."""
    n, _, bottom, squares = sums
    return bottom * bottom / squares if 2 * bottom * bottom < n * squares else None


def _bound(parts: Sequence[Part], sums: _Sums, right: int, quantile: float, times: int) -> float:
    """Return the lower bound with a document that is wholly wrong (0), or the upper one with one wholly right (1).

    Its size is ΣD / times. With everything multiplied by ``times``, numerators and denominators are whole numbers.
    """
    top, bottom = times * sums.top + right * sums.bottom, sums.bottom * (times + 1)
    # Of the added document e / (1 - D/ΣD) is (right - R) · ΣD / times, here in units of ΣD / times.
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
    check_share("confidence", confidence)
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


def wilson(successes: int, trials: int, confidence: float = 0.95) -> tuple[float, float] | None:
    """Return Wilson's score interval of a share; None without trials.

    centre (p + z²/2n) / (1 + z²/n), half-width z / (1 + z²/n) · √(p(1-p)/n + z²/4n²). It never leaves [0, 1] and has
    a width at 0 and at n of n. Trials must be independent (Wilson 1927; Brown, Cai and DasGupta 2001).

    >>> low, high = wilson(17, 20) or (0, 0)
    >>> round(low, 4), round(high, 4)
    (0.6396, 0.9476)
    """
    _check(successes, trials, confidence)
    if not trials:
        return None
    z = NormalDist().inv_cdf((1 + confidence) / 2)
    share, shrink = successes / trials, 1 + z * z / trials
    centre = (share + z * z / (2 * trials)) / shrink
    half = z / shrink * (share * (1 - share) / trials + z * z / (4 * trials * trials)) ** 0.5
    low = 0.0 if successes == 0 else max(0.0, centre - half)
    high = 1.0 if successes == trials else min(1.0, centre + half)
    return low, high


def clopper_pearson(successes: float, trials: int, confidence: float = 0.95) -> tuple[float, float] | None:
    """Return the exact interval of a share, which covers at least as often as it says; None without trials.

    Successes may be a real number, such as the mean share of each trial times their number: the bounds are quantiles
    of beta distributions, which know no whole numbers.

    >>> low, high = clopper_pearson(17, 20) or (0, 0)
    >>> round(low, 4), round(high, 4)
    (0.6211, 0.9679)
    """
    from scipy.special import betaincinv  # slow to import, seldom needed

    _check(successes, trials, confidence)
    if not trials:
        return None
    tail = (1 - confidence) / 2
    low = 0.0 if successes == 0 else float(betaincinv(successes, trials - successes + 1, tail))
    high = 1.0 if successes == trials else float(betaincinv(successes + 1, trials - successes, 1 - tail))
    return low, high


def _check(successes: float, trials: int, confidence: float) -> None:
    if not 0 <= successes <= trials:
        raise InputError(f"Expected successes from 0 to {trials}, got {successes}")
    check_share("confidence", confidence)
