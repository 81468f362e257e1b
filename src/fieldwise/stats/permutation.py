"""Tests that swap two runs document by document: exact where few documents differ, else by random draws."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from fieldwise.errors import InputError, SettingError
from fieldwise.stats.count_tables import Floats, Table, parts_of
from fieldwise.stats.moments import Ratio

EXACT_LIMIT = 20
"""Up to so many documents that differ, all ways to swap them are tried."""
REPLICATES = 10_000
"""Beyond, so many are drawn."""

_SLACK = 1e-12
"""Two ways to compute one and the same figure differ by less."""
_BLOCK = 4_000_000
"""So many random numbers are held at a time."""


@dataclass(frozen=True, slots=True)
class PermutationTest:
    """How often a swap of documents gives so large a difference: in either direction, and upwards."""

    p: float
    p_greater: float
    exact: bool


def permutation_test(
    base: Table, candidate: Table, ratio: Ratio, *, seed: int = 0, replicates: int = REPLICATES
) -> PermutationTest | None:
    """Swap the two runs document by document and count how often the ratios differ as much as they do.

    Exact where at most 20 documents differ (others change nothing when swapped): the share of all swaps with
    |delta*| ≥ |delta|. Else p = (1 + #) / (1 + B) for B random swaps. A swap that leaves a run without a denominator
    counts as such a difference. None where a run has no denominator (Noreen 1989; Yeh 2000).
    """
    tops, bottoms = parts_of(base, candidate, ratio)
    if not bottoms[0].sum() or not bottoms[1].sum():
        return None
    differences = np.column_stack([tops[1] - tops[0], bottoms[1] - bottoms[0]]).astype(float)
    top, bottom = float(tops.sum()), float(bottoms.sum())
    delta = float(tops[1].sum() / bottoms[1].sum() - tops[0].sum() / bottoms[0].sum())

    def difference(sums: Floats) -> Floats:
        with np.errstate(divide="ignore", invalid="ignore"):
            swapped = (top + sums[:, 0]) / (bottom + sums[:, 1]) - (top - sums[:, 0]) / (bottom - sums[:, 1])
        return np.where(np.isnan(swapped), np.inf, swapped)

    flips = _Flipped(differences, seed, replicates)
    return flips.test(difference, delta, 1.0)


def sign_flip_test(
    differences: Sequence[float] | Floats, *, seed: int = 0, replicates: int = REPLICATES
) -> PermutationTest:
    """Flip the sign of each document's difference and count how often their sum is as large as it is.

    Exact where at most 20 differences are not 0, else p = (1 + #) / (1 + B) for B random draws.

    >>> sign_flip_test([1, 2, 3, 4, 5]).p
    0.0625
    """
    rows = np.asarray(differences, dtype=float).reshape(-1, 1)
    if not np.isfinite(rows).all():
        raise InputError("Expected differences that are numbers")
    flips = _Flipped(rows, seed, replicates)
    return flips.test(lambda sums: sums[:, 0], float(rows.sum()), float(np.abs(rows).sum()))


def sign_test(up: int, down: int) -> float:
    """Return twice the chance of so few in the rarer direction, at most 1, where both are equally likely.

    >>> round(sign_test(5, 3), 7)
    0.7265625
    """
    if up < 0 or down < 0:
        raise InputError(f"Expected counts from 0, got {up} and {down}")
    return min(1.0, 2 * at_most(min(up, down), up + down))


class _Flipped:
    """Sums of rows whose signs are flipped: all there are, or drawn at random.

    Equal rows and opposite ones form a group, of which only the number of flips counts.
    """

    def __init__(self, rows: Floats, seed: int, replicates: int) -> None:
        if replicates < 1:
            raise SettingError(f"Expected 1 replicate or more, got {replicates}")
        rows = rows[(rows != 0).any(axis=1)]
        self.exact = len(rows) <= EXACT_LIMIT
        self._seed = seed
        self._replicates = replicates
        first = rows[np.arange(len(rows)), (rows != 0).argmax(axis=1)] if len(rows) else np.zeros(0)
        self._rows, self._sizes = np.unique(rows * np.sign(first)[:, None], axis=0, return_counts=True)

    def test(self, statistic: Callable[[Floats], Floats], observed: float, scale: float) -> PermutationTest:
        """Count the sums whose statistic is as large as the observed one; figures are of the size of ``scale``."""
        both = above = 0.0
        slack = _SLACK * scale
        for sums, weights in self._all() if self.exact else self._drawn():
            values = statistic(sums)
            both += float(weights[np.abs(values) >= abs(observed) - slack].sum())
            above += float(weights[values >= observed - slack].sum())
        if self.exact:
            return PermutationTest(min(1.0, both), min(1.0, above), True)
        chances = 1 + self._replicates
        return PermutationTest((1 + both) / chances, (1 + above) / chances, False)

    def _all(self) -> Iterator[tuple[Floats, Floats]]:
        sums, weights = np.zeros((1, self._rows.shape[1])), np.ones(1)
        for row, size in zip(self._rows, self._sizes.tolist(), strict=True):
            steps = np.arange(-size, size + 1, 2.0)
            shares = np.array([math.comb(size, k) / 2**size for k in range(size + 1)])
            sums = (sums[:, None, :] + steps[:, None] * row).reshape(-1, len(row))
            weights = np.outer(weights, shares).ravel()
        yield sums, weights

    def _drawn(self) -> Iterator[tuple[Floats, Floats]]:
        rng = np.random.default_rng(self._seed)
        block = max(1, _BLOCK // len(self._rows))
        for start in range(0, self._replicates, block):
            count = min(block, self._replicates - start)
            yield self._draw(rng, count) @ self._rows, np.ones(count)

    def _draw(self, rng: np.random.Generator, count: int) -> Floats:
        signs = np.empty((count, len(self._rows)))
        alone = self._sizes == 1
        sizes = self._sizes[~alone]
        signs[:, alone] = 2.0 * rng.integers(0, 2, (count, int(alone.sum())), dtype=np.int8) - 1
        signs[:, ~alone] = 2.0 * rng.binomial(sizes, 0.5, (count, len(sizes))) - sizes
        return signs


def at_most(k: int, n: int) -> float:
    """Return the chance of at most k heads in n throws of a fair coin."""
    from scipy.special import bdtr  # slow to import, seldom needed

    return float(bdtr(k, n, 0.5))
