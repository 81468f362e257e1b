"""Tests that swap two runs document by document: exact where few documents differ, else by random draws."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from fieldwise.errors import InputError, SettingError
from fieldwise.results.rates import Metric
from fieldwise.stats.count_tables import Floats, Ints, PairedParts, Table, parts_of

EXACT_LIMIT = 20
"""Up to so many documents that differ, all ways to swap them are tried."""
REPLICATES = 10_000
"""Beyond, so many are drawn."""
EXACT_FLIPS = 25
"""From so many documents that flipped, McNemar's test is by chi square."""
SLACK = 1e-12
"""Two ways to compute one and the same figure differ by less."""
_BLOCK = 4_000_000
"""So many random numbers are held at a time."""
_MAX_SUMS = 100_000
"""Up to so many different sums, the chance of a loss is exact however many documents differ."""
_WHOLE_BINOMIALS = 60
"""Up to so many equal rows, binomial coefficients are divided as whole numbers; beyond, by their logarithms."""


@dataclass(frozen=True, slots=True)
class PermutationTest:
    """How often a swap of documents gives so large a difference, in either direction."""

    p: float
    exact: bool


def permutation_test(
    base: Table, candidate: Table, metric: Metric, *, seed: int = 0, replicates: int = REPLICATES
) -> PermutationTest | None:
    """Swap the two runs document by document and count how often the ratios differ as much as they do.

    Exact where at most 20 documents differ (others change nothing when swapped): the share of all swaps with
    |delta*| ≥ |delta|. Else p = (1 + #) / (1 + B) for B random swaps. A swap that leaves a run without a denominator
    counts as such a difference. None where a run has no denominator (Noreen 1989; Yeh 2000).
    """
    swaps = _Swaps.of(parts_of(base, candidate, metric))
    if swaps is None:
        return None
    return _Flipped(swaps.rows, seed, replicates).test(swaps.difference, swaps.delta, 1.0)


def chance_of_loss(
    base: Table, candidate: Table, metric: Metric, *, seed: int = 0, replicates: int = REPLICATES
) -> float | None:
    """Return how often a swap of documents makes the candidate worse by so much or more; None as above.

    Exact where at most 20 documents differ, and where the swapped sums take at most 100,000 values: always so for a
    field that has one value in a document, and is right or wrong. Else the signs are drawn with a tilt towards the
    loss that was seen, and every draw is weighted by how much less likely it is without one; so chances far below one
    in the number of draws are found as well, as many fields need them. The arrangement that was seen is one of the
    draws, so that the chance is never too small on average (Harrison 2012).

    >>> chance_of_loss([[1, 0, 0, 0]] * 40, [[0, 1, 0, 0]] * 40, "strict_f1") == 2**-40
    True
    """
    swaps = _Swaps.of(parts_of(candidate, base, metric))  # a loss of the candidate is a gain of the base
    if swaps is None:
        return None
    flips = _Flipped(swaps.rows, seed, replicates)
    if flips.exact or flips.distinct_sums <= _MAX_SUMS:
        return flips.share_above(swaps.difference, swaps.delta)
    return flips.tilted_share_above(swaps)


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


def mcnemar(only_base: int, only_candidate: int) -> float:
    """Return the chance of so unequal numbers of documents that exactly one run has right, b and c.

    Below 25 of them it is the sign test, else chi square with continuity correction, (|b-c|-1)²/(b+c) with one degree
    of freedom (McNemar 1947).

    >>> round(mcnemar(9, 21), 5)
    0.04461
    """
    differing = only_base + only_candidate
    if differing < EXACT_FLIPS:
        return sign_test(only_base, only_candidate)
    corrected = max(abs(only_base - only_candidate) - 1, 0) ** 2 / differing
    return math.erfc(math.sqrt(corrected / 2))


@dataclass(frozen=True, slots=True)
class _Swaps:
    """Two runs whose documents can be swapped: what a document moves, and the difference of the swapped ratios."""

    rows: Floats
    """Of each document, candidate less base: the numerator and the denominator."""
    top: float
    bottom: float
    delta: float

    @classmethod
    def of(cls, parts: PairedParts) -> _Swaps | None:
        """Return None where a run has no denominator."""
        tops, bottoms = parts.tops, parts.bottoms
        if not bottoms[0].sum() or not bottoms[1].sum():
            return None
        rows = np.column_stack([tops[1] - tops[0], bottoms[1] - bottoms[0]]).astype(float)
        delta = float(tops[1].sum() / bottoms[1].sum() - tops[0].sum() / bottoms[0].sum())
        return cls(rows, float(tops.sum()), float(bottoms.sum()), delta)

    def difference(self, sums: Floats) -> Floats:
        """Return the difference of the ratios for signed sums of rows; infinite where a run has no denominator."""
        top, bottom = self.top, self.bottom
        with np.errstate(divide="ignore", invalid="ignore"):
            swapped = (top + sums[:, 0]) / (bottom + sums[:, 1]) - (top - sums[:, 0]) / (bottom - sums[:, 1])
        return np.where(np.isnan(swapped), np.inf, swapped)

    def moved(self, rows: Floats) -> Floats:
        """Return how far rows move the difference, up to a factor: it is almost linear in them."""
        return self.bottom * rows[:, 0] - self.top * rows[:, 1]


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
        least, as_large = abs(observed) - SLACK * scale, 0.0
        for sums, weights in self._all() if self.exact else self._drawn():
            as_large += float(weights[np.abs(statistic(sums)) >= least].sum())
        if self.exact:
            return PermutationTest(min(1.0, as_large), True)
        return PermutationTest((1 + as_large) / (1 + self._replicates), False)

    @property
    def distinct_sums(self) -> int:
        """How many different sums there are at most."""
        return math.prod(size + 1 for size in self._sizes.tolist())

    def share_above(self, statistic: Callable[[Floats], Floats], observed: float) -> float:
        """Return the exact share of sums whose statistic, a difference of rates, is as large as the observed one."""
        ((sums, weights),) = self._all()
        return min(1.0, float(weights[statistic(sums) >= observed - SLACK].sum()))

    def tilted_share_above(self, swaps: _Swaps) -> float:
        """Estimate the same by draws that lean towards what was observed, and weights that undo it."""
        moved = swaps.moved(self._rows)
        unit = float(np.abs(moved).max()) or 1.0
        effects, observed = moved / unit, float(swaps.moved(swaps.rows).sum()) / unit
        tilt = _tilt(effects, self._sizes, observed)
        level = float((self._sizes * np.logaddexp(tilt * effects, -tilt * effects)).sum())
        level -= int(self._sizes.sum()) * math.log(2)
        total = math.exp(level - tilt * observed)
        for signs in self._leaning((1 + np.tanh(tilt * effects)) / 2):
            hit = swaps.difference(signs @ self._rows) >= swaps.delta - SLACK
            total += float(np.exp(level - tilt * (signs[hit] @ effects)).sum())
        return min(1.0, total / (1 + self._replicates))

    def _leaning(self, chances: Floats) -> Iterator[Floats]:
        """Draw signs, summed up by group, where each is positive with a chance of its own."""
        rng = np.random.default_rng(self._seed)
        alone = self._sizes == 1
        block = max(1, _BLOCK // len(self._rows))
        for start in range(0, self._replicates, block):
            count = min(block, self._replicates - start)
            signs = np.empty((count, len(self._rows)))
            signs[:, alone] = 2.0 * (rng.random((count, int(alone.sum()))) < chances[alone]) - 1
            sizes = self._sizes[~alone]
            signs[:, ~alone] = 2.0 * rng.binomial(sizes, chances[~alone], (count, len(sizes))) - sizes
            yield signs

    def _all(self) -> Iterator[tuple[Floats, Floats]]:
        sums, weights = np.zeros((1, self._rows.shape[1])), np.ones(1)
        for row, size in zip(self._rows, self._sizes.tolist(), strict=True):
            steps = np.arange(-size, size + 1, 2.0)
            sums = (sums[:, None, :] + steps[:, None] * row).reshape(-1, len(row))
            weights = np.outer(weights, _binomial_shares(size)).ravel()
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


def _tilt(effects: Floats, sizes: Ints, observed: float) -> float:
    """Return t with Σ effect · tanh(t · effect) = observed: leaning so, signs give on average what was observed.

    Where all signs agree no t is large enough; then all but half a sign of them do.
    """
    reach = float((sizes * np.abs(effects)).sum())
    goal = min(observed, reach * (1 - 0.5 / int(sizes.sum())))
    if goal <= 0:
        return 0.0
    low, high = 0.0, 1.0
    while float((sizes * effects * np.tanh(high * effects)).sum()) < goal:
        low, high = high, 2 * high
    for _ in range(50):
        middle = (low + high) / 2
        below = float((sizes * effects * np.tanh(middle * effects)).sum()) < goal
        low, high = (middle, high) if below else (low, middle)
    return high


def _binomial_shares(size: int) -> Floats:
    """Return the chance of each number of heads in so many throws of a fair coin."""
    if size <= _WHOLE_BINOMIALS:
        return np.array([math.comb(size, k) / 2**size for k in range(size + 1)])
    logs = np.append(0.0, np.log(np.arange(1, size + 1)).cumsum())
    shares: Floats = np.exp(logs[-1] - logs - logs[::-1] - size * math.log(2))
    return shares
