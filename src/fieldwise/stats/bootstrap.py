"""Cluster bootstrap: documents are drawn with replacement, and any figure of their sums is computed again."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from statistics import NormalDist
from typing import Literal, TypeAlias

import numpy as np
import numpy.typing as npt

from fieldwise.errors import InputError, SettingError
from fieldwise.stats.intervals import check_confidence, percentile_interval

Floats: TypeAlias = npt.NDArray[np.float64]
Statistic: TypeAlias = Callable[[Floats], Floats]
"""Computes a figure of each row of sums; NaN where it is undefined."""
BootstrapMethod: TypeAlias = Literal["percentile", "bca"]

REPLICATES = 2_000
"""Enough for an interval; a p near 0.05 needs 10,000."""
_BLOCK = 4_000_000
"""So many weights are held at a time."""


@dataclass(frozen=True, slots=True)
class BootstrapInterval:
    """A figure with its bootstrap interval over ``n`` documents; what is undefined is None.

    ``undefined`` is the number of replicates in which the figure could not be computed; they are left out.
    """

    value: float | None
    low: float | None
    high: float | None
    n: int
    se: float | None
    replicates: int
    undefined: int
    method: BootstrapMethod


def resample(rows: npt.ArrayLike, *, seed: int = 0, replicates: int = REPLICATES) -> Floats:
    """Return sums of rows drawn with replacement, as many as there are: a row of sums for each replicate.

    Each replicate weighs the documents by one multinomial draw. Columns may be counts, scores, a 1 for the number of
    documents, or the counts of two runs side by side.
    """
    table = _table(rows)
    if replicates < 1:
        raise SettingError(f"Expected 1 replicate or more, got {replicates}")
    n = len(table)
    if not n:
        raise InputError("Expected documents to draw from, got none")
    rng, shares = np.random.default_rng(seed), np.full(n, 1 / n)
    block = max(1, _BLOCK // n)
    sizes = [min(block, replicates - start) for start in range(0, replicates, block)]
    return np.concatenate([rng.multinomial(n, shares, size) @ table for size in sizes])


def bootstrap_interval(
    rows: npt.ArrayLike,
    statistic: Statistic,
    *,
    confidence: float = 0.95,
    seed: int = 0,
    replicates: int = REPLICATES,
    method: BootstrapMethod = "percentile",
) -> BootstrapInterval:
    """Return a figure of the sums of rows with the interval of its replicates.

    ``percentile`` takes their quantiles; ``bca`` shifts these for bias and skewness (Efron and Tibshirani 1993).
    With fewer than 2 documents there is no interval.

    >>> rate = bootstrap_interval([(5, 5), (4, 5), (8, 10)], lambda sums: sums[:, 0] / sums[:, 1])
    >>> rate.value, rate.low, rate.high
    (0.85, 0.8, 1.0)
    """
    check_confidence(confidence)
    table = _table(rows)
    n = len(table)
    value = _finite(float(statistic(table.sum(axis=0, keepdims=True))[0])) if n else None
    if value is None or n < 2:
        return BootstrapInterval(value, None, None, n, None, 0, 0, method)
    drawn = statistic(resample(table, seed=seed, replicates=replicates))
    kept = drawn[np.isfinite(drawn)]
    lost = len(drawn) - len(kept)
    if len(kept) < 2:
        return BootstrapInterval(value, None, None, n, None, replicates, lost, method)
    if method == "bca":
        low, high = _bca(kept, value, _left_out(table, statistic), confidence)
    else:
        low, high = percentile_interval(kept.tolist(), confidence) or (value, value)
    return BootstrapInterval(value, low, high, n, float(kept.std(ddof=1)), replicates, lost, method)


def jackknife_se(rows: npt.ArrayLike, statistic: Statistic) -> float | None:
    """Return √((n-1)/n · Σ(θ(i) - θ(.))²) over the figures with one document left out; None below 2 documents."""
    table = _table(rows)
    n = len(table)
    left = _left_out(table, statistic)
    if n < 2 or len(left) < n:
        return None
    return float(np.sqrt((n - 1) / n * ((left - left.mean()) ** 2).sum()))


def _left_out(table: Floats, statistic: Statistic) -> Floats:
    if not len(table):
        return np.zeros(0)
    left = statistic(table.sum(axis=0, keepdims=True) - table)
    return left[np.isfinite(left)]


def _bca(drawn: Floats, value: float, left: Floats, confidence: float) -> tuple[float, float]:
    """Return the quantiles at Φ(z0 + (z0 + z) / (1 - a(z0 + z))), with bias z0 and acceleration a.

    A replicate that equals the value counts half in the bias. Replicates that are all equal, or all on one side of
    the value, have no bias to correct: the plain quantiles stand.
    """
    normal = NormalDist()
    below = (float((drawn < value).mean()) + float((drawn <= value).mean())) / 2
    spread = left.mean() - left if len(left) else np.zeros(1)
    squares = float((spread**2).sum())
    if not 0 < below < 1 or not squares:
        return percentile_interval(drawn.tolist(), confidence) or (value, value)
    bias, acceleration = normal.inv_cdf(below), float((spread**3).sum()) / (6 * squares**1.5)
    tail = normal.inv_cdf((1 + confidence) / 2)
    shifted = [bias + z for z in (-tail, tail)]
    levels = [normal.cdf(bias + z / max(1 - acceleration * z, 1e-9)) for z in shifted]
    low, high = np.quantile(drawn, levels)
    return float(low), float(high)


def _table(rows: npt.ArrayLike) -> Floats:
    table = np.asarray(rows, dtype=float)
    if not table.size:
        return table.reshape(0, 1)
    if table.ndim != 2 or not np.isfinite(table).all():
        raise InputError(f"Expected a row of numbers for each document, got a table of shape {table.shape}")
    return table


def _finite(value: float) -> float | None:
    return value if np.isfinite(value) else None
