"""Intervals: of ratios of sums over documents, of shares of independent trials, of figures on resampled data.

The values of one document are not taken for independent. The rule is one for every ratio and mean. With N and D the
numerator and denominator of a document, R = ΣN / ΣD:

- SE² = Σ (e / (1 - D/ΣD))² / (ΣD)² with e = N - R·D. This is Σ (R₋ - R)², where R₋ is the ratio without the document.
- The bounds are logit R ± t · SE / (R(1-R)), back on the scale of R; t has (ΣD)²/ΣD² - 1 degrees of freedom, which are
  Kish's effective documents less one: long documents count for more, so that fewer of them decide.
- Each bound allows for a quarter of one more document of mean size, wholly wrong for the lower bound and wholly right
  for the upper one. It enters R, SE and the degrees like any document.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from statistics import NormalDist
from typing import NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from fieldwise.checks import check_share
from fieldwise.errors import InputError, SettingError
from fieldwise.results.rates import RATIOS, UNKNOWN, Rate, Ratio
from fieldwise.stats.histograms import CountHistogram, Part

Floats: TypeAlias = npt.NDArray[np.float64]
REPLICATES = 2_000
"""Enough for an interval; a p near 0.05 needs 10,000."""
_BLOCK = 4_000_000
"""So many weights are held at a time."""
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
    degrees = (bottom * (_QUARTER * n + 1)) ** 2 / (_QUARTER**2 * n * n * sums.squares + bottom * bottom) - 1
    if degrees < 1:
        return Rate(value, n=n, effective_n=effective)
    quantile = t_quantile(degrees, confidence)
    low, high = _bound(parts, sums, 0, -quantile), _bound(parts, sums, 1, quantile)
    return Rate(value, low, high, n, effective_n=effective)


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


def percentile_interval(replicates: Sequence[float], confidence: float = 0.95) -> tuple[float, float] | None:
    """Return the middle part of the replicates of a bootstrap; None without replicates.

    >>> percentile_interval([0.0, 1.0, 2.0, 3.0, 4.0], 0.5)
    (1.0, 3.0)
    """
    if not len(replicates):
        return None
    tail = (1 - confidence) / 2
    low, high = np.quantile(replicates, [tail, 1 - tail])
    return float(low), float(high)


def resample(rows: npt.ArrayLike, *, seed: int = 0, replicates: int = REPLICATES) -> Floats:
    """Return sums of rows drawn with replacement, as many as there are: a row of sums for each replicate.

    Rows are those of documents or other clusters; each replicate weighs them by one multinomial draw. Columns may be
    counts, scores, a 1 for the number of documents, or the counts of two runs side by side.
    """
    table = np.asarray(rows, dtype=float)
    if replicates < 1:
        raise SettingError(f"Expected 1 replicate or more, got {replicates}")
    n = len(table)
    if not n:
        raise InputError("Expected documents to draw from, got none")
    if table.ndim != 2 or not np.isfinite(table).all():
        raise InputError(f"Expected a row of numbers for each document, got a table of shape {table.shape}")
    rng, shares = np.random.default_rng(seed), np.full(n, 1 / n)
    block = max(1, _BLOCK // n)
    sizes = [min(block, replicates - start) for start in range(0, replicates, block)]
    return np.concatenate([rng.multinomial(n, shares, size) @ table for size in sizes])


def _check(successes: float, trials: int, confidence: float) -> None:
    if not 0 <= successes <= trials:
        raise InputError(f"Expected successes from 0 to {trials}, got {successes}")
    check_share("confidence", confidence)
