"""The formulas of intervals and differences for many sets at once, as the product has them for one.

`tests/stats/test_many_sets.py` holds them to the product. Sets are rows, documents columns.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy.special import expit, logit, stdtrit

from benchmarks.worlds import Bools, Floats, Ints, f1_parts
from fieldwise.stats.histograms import Part
from fieldwise.stats.intervals import ratio_interval


class Bounds(NamedTuple):
    """The bounds of many sets; NaN where there is no interval."""

    low: Floats
    high: Floats

    def hold(self, truth: float) -> Bools:
        """Tell in which sets the truth lies within the bounds."""
        return (self.low <= truth) & (truth <= self.high)


def ratio_bounds(tops: Ints, bottoms: Ints, *, added: float = 0.5) -> Bounds:
    """Return the 95% intervals of ΣN / ΣD; bounds allow for so much of one more document of mean size."""
    n = (bottoms > 0).sum(axis=1)
    with np.errstate(divide="ignore", invalid="ignore"):
        low, high = (_ratio_bound(tops, bottoms, added / n, right) for right in (0, 1))
        spread = _left_out(tops, bottoms, (tops.sum(axis=1) / bottoms.sum(axis=1))[:, None])
    value = tops.sum(axis=1) / np.maximum(bottoms.sum(axis=1), 1)
    for at in np.flatnonzero((n < 2) | (value == 0) | (value == 1) | ~(spread > 1e-9)):
        found = ratio_interval([Part(*row) for row in _parts(tops[at], bottoms[at])])
        low[at], high[at] = (np.nan if bound is None else bound for bound in (found.low, found.high))
    return Bounds(low, high)


def _parts(tops: Ints, bottoms: Ints) -> list[tuple[int, int, int, int]]:
    parts = []
    for size in np.unique(bottoms[bottoms > 0]).tolist():
        own = tops[bottoms == size].astype(object)
        parts.append((size, len(own), int(own.sum()), int((own * own).sum())))
    return parts


def _ratio_bound(tops: Ints, bottoms: Ints, part: Floats, right: int) -> Floats:
    size = (bottoms.sum(axis=1) * part)[:, None]
    more_tops, more_bottoms = np.hstack([tops, right * size]), np.hstack([bottoms, size])
    whole = more_bottoms.sum(axis=1)
    rate = more_tops.sum(axis=1) / whole
    se = np.sqrt(_left_out(more_tops, more_bottoms, rate[:, None])) / whole
    degrees = whole**2 / (more_bottoms**2).sum(axis=1) - 1
    half = np.where(degrees < 1, np.nan, stdtrit(np.maximum(degrees, 1), 0.975)) * se / (rate * (1 - rate))
    found: Floats = expit(logit(rate) + (2 * right - 1) * half)
    return found


def _left_out(tops: Floats | Ints, bottoms: Floats | Ints, rate: Floats) -> Floats:
    whole = bottoms.sum(axis=1, keepdims=True)
    found: Floats = (((tops - rate * bottoms) / (1 - bottoms / whole)) ** 2).sum(axis=1)
    return found


class Differences(NamedTuple):
    """The differences of two runs in many sets, and their bounds."""

    delta: Floats
    low: Floats
    high: Floats


def paired_bounds(tops: tuple[Ints, Ints], bottoms: tuple[Ints, Ints], *, one_more: bool = False) -> Differences:
    """Return the 95% intervals of candidate - base in F1; bounds allow for half of a lost document.

    With ``one_more`` they allow for half of one that is wholly wrong, too.
    """
    n = ((bottoms[0] > 0) | (bottoms[1] > 0)).sum(axis=1)
    delta = tops[1].sum(axis=1) / bottoms[1].sum(axis=1) - tops[0].sum(axis=1) / bottoms[0].sum(axis=1)
    low, high = (_paired_bound(tops, bottoms, 0.5 / n, right, one_more) for right in (0, 1))
    same = (tops[0] == tops[1]).all(axis=1) & (bottoms[0] == bottoms[1]).all(axis=1)
    return Differences(delta, np.where(same, 0.0, np.maximum(low, -1)), np.where(same, 0.0, np.minimum(high, 1)))


def _paired_bound(
    tops: tuple[Ints, Ints], bottoms: tuple[Ints, Ints], part: Floats, right: int, one_more: bool
) -> Floats:
    rates, moved, sizes = [], [], []
    for run in (0, 1):
        size = (bottoms[run].sum(axis=1) * part)[:, None]
        kept = (1.0, 1.0) if run == right else (0.5, 1.0)
        top = np.hstack([tops[run], *[size * (run == right)] * (1 + one_more)])
        bottom = np.hstack([bottoms[run], *(share * size for share in kept[: 1 + one_more])])
        whole = bottom.sum(axis=1, keepdims=True)
        rates.append(top.sum(axis=1, keepdims=True) / whole)
        moved.append((top - rates[run] * bottom) / (whole - bottom))
        sizes.append(bottom)
    both = sizes[0] + sizes[1]
    degrees = both.sum(axis=1) ** 2 / (both**2).sum(axis=1) - 1
    quantile = np.where(degrees < 1, np.nan, stdtrit(np.maximum(degrees, 1), 0.975))
    se = np.sqrt(((moved[1] - moved[0]) ** 2).sum(axis=1))
    found: Floats = (rates[1] - rates[0])[:, 0] + (2 * right - 1) * quantile * se
    return found


def earlier_bounds(tops: tuple[Ints, Ints], bottoms: tuple[Ints, Ints]) -> Differences:
    """Return the intervals of the rule before: residuals as they are, t with n - 1 degrees, no document added."""
    n = ((bottoms[0] > 0) | (bottoms[1] > 0)).sum(axis=1)
    rates, moved = [], []
    for top, bottom in zip(tops, bottoms, strict=True):
        whole = bottom.sum(axis=1, keepdims=True)
        rates.append(top.sum(axis=1, keepdims=True) / whole)
        moved.append((top - rates[-1] * bottom) / whole)
    delta = (rates[1] - rates[0])[:, 0]
    half = stdtrit(n - 1, 0.975) * np.sqrt(n / (n - 1) * ((moved[1] - moved[0]) ** 2).sum(axis=1))
    return Differences(delta, delta - half, delta + half)


def differing(base: Ints, candidate: Ints) -> Ints:
    """Return how many documents of each set rose or fell by their own strict F1."""
    (first, of_first), (second, of_second) = f1_parts(base), f1_parts(candidate)
    found: Ints = (first * np.maximum(of_second, 1) != second * np.maximum(of_first, 1)).sum(axis=1)
    return found
