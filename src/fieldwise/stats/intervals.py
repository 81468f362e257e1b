"""Intervals for a share of independent trials, and for a figure computed again and again on resampled data."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import NormalDist
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from fieldwise.errors import InputError, SettingError

Floats: TypeAlias = npt.NDArray[np.float64]
REPLICATES = 2_000
"""Enough for an interval; a p near 0.05 needs 10,000."""
_BLOCK = 4_000_000
"""So many weights are held at a time."""


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


def check_confidence(confidence: float) -> None:
    """Refuse a confidence that is not between 0 and 1."""
    if not 0 < confidence < 1:
        raise SettingError(f"Expected a confidence between 0 and 1, got {confidence}")


def _check(successes: float, trials: int, confidence: float) -> None:
    if not 0 <= successes <= trials:
        raise InputError(f"Expected successes from 0 to {trials}, got {successes}")
    check_confidence(confidence)
