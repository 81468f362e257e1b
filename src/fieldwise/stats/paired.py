"""Two runs on the same documents: is the difference real, and how large a one could these documents show.

A run is a table with a row for each document and the columns tp, fd, fa, fn; the two tables have the same documents
in the same order, and a document that failed in one run stands there as missed.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from statistics import NormalDist
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from fieldwise.errors import InputError, SettingError
from fieldwise.stats.clustered import check_confidence, t_quantile
from fieldwise.stats.moments import DENOMINATORS, NUMERATORS, Ratio

Floats: TypeAlias = npt.NDArray[np.float64]
Ints: TypeAlias = npt.NDArray[np.int64]
Table: TypeAlias = npt.ArrayLike
"""Rows of whole numbers."""

EXACT_LIMIT = 20
"""Up to so many documents that differ, all ways to swap them are tried."""
REPLICATES = 10_000
"""Beyond, so many are drawn."""
EXACT_FLIPS = 25
"""From so many documents that flipped, McNemar's test is by chi square."""

_SLACK = 1e-12
"""Two ways to compute one and the same figure differ by less."""
_BLOCK = 4_000_000
"""So many random numbers are held at a time."""


@dataclass(frozen=True, slots=True)
class PairedDelta:
    """The difference candidate - base of a ratio, with its interval; what is undefined is None."""

    base: float | None
    candidate: float | None
    delta: float | None
    low: float | None
    high: float | None
    n: int
    se: float | None
    t: float | None
    p: float | None


@dataclass(frozen=True, slots=True)
class PermutationTest:
    """How often a swap of documents gives so large a difference: in either direction, and upwards."""

    p: float
    p_greater: float
    exact: bool


@dataclass(frozen=True, slots=True)
class Flips:
    """How many documents have a higher, a lower and the same score in the candidate, and the sign test of them."""

    improved: int
    regressed: int
    tied: int
    p: float


@dataclass(frozen=True, slots=True)
class McNemar:
    """Documents that only the base or only the candidate has right, the difference in shares and its tests.

    ``p`` is the exact one below 25 such documents, else that of chi square with continuity correction.
    """

    only_base: int
    only_candidate: int
    n: int
    difference: float
    se: float
    p: float
    p_exact: float
    p_mid: float
    chi2: float
    p_chi2: float
    chi2_corrected: float
    p_corrected: float


@dataclass(frozen=True, slots=True)
class ClusteredMcNemar:
    """McNemar's question for several values in a document, which are not independent."""

    score: float
    p_score: float
    durkalski: float
    p_durkalski: float
    sign_flip: PermutationTest


def paired_delta(base: Table, candidate: Table, ratio: Ratio, *, confidence: float = 0.95) -> PairedDelta:
    """Return the difference of a ratio of sums over documents, with the interval that pairs documents.

    u = e'/ΣD' - e/ΣD with the residuals e = N - R·D of candidate and base; SE² = n/(n-1) · Σu², and the interval is
    delta ± t(n-1) · SE. n is the number of documents with a denominator in either run. ``t`` and ``p`` are None
    where the documents have no spread.
    """
    check_confidence(confidence)
    tops, bottoms = _parts(base, candidate, ratio)
    n = int((bottoms.sum(axis=0) > 0).sum())
    rates = [_rate(tops[run], bottoms[run]) for run in (0, 1)]
    if rates[0] is None or rates[1] is None:
        return PairedDelta(rates[0], rates[1], None, None, None, n, None, None, None)
    delta = rates[1] - rates[0]
    if n < 2:
        return PairedDelta(rates[0], rates[1], delta, None, None, n, None, None, None)
    first, second = ((tops[k] - rate * bottoms[k]) / bottoms[k].sum() for k, rate in enumerate((rates[0], rates[1])))
    se = math.sqrt(n / (n - 1) * float(((second - first) ** 2).sum()))
    half = t_quantile(n - 1, confidence) * se
    t, p = (delta / se, _t_tails(delta / se, n - 1)) if se > _SLACK else (None, None)
    return PairedDelta(rates[0], rates[1], delta, delta - half, delta + half, n, se, t, p)


def permutation_test(
    base: Table, candidate: Table, ratio: Ratio, *, seed: int = 0, replicates: int = REPLICATES
) -> PermutationTest | None:
    """Swap the two runs document by document and count how often the ratios differ as much as they do.

    Exact where at most 20 documents differ (others change nothing when swapped): the share of all swaps with
    |delta*| ≥ |delta|. Else p = (1 + #) / (1 + B) for B random swaps. A swap that leaves a run without a denominator
    counts as such a difference. None where a run has no denominator (Noreen 1989; Yeh 2000).
    """
    tops, bottoms = _parts(base, candidate, ratio)
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


def document_flips(base: Table, candidate: Table, ratio: Ratio) -> Flips:
    """Count the documents whose own ratio rose, fell or stayed, compared exactly.

    A document without a denominator has 1 where it has no error, else 0.
    """
    tops, bottoms = _parts(base, candidate, ratio)
    for run, table in enumerate((_table(base), _table(candidate))):
        undefined = bottoms[run] == 0
        tops[run][undefined] = (table[undefined, 1:].sum(axis=1) == 0).astype(int)
        bottoms[run][undefined] = 1
    rise = np.sign(tops[1] * bottoms[0] - tops[0] * bottoms[1])
    improved, regressed = int((rise > 0).sum()), int((rise < 0).sum())
    return Flips(improved, regressed, len(rise) - improved - regressed, sign_test(improved, regressed))


def sign_test(up: int, down: int) -> float:
    """Return twice the chance of so few in the rarer direction, at most 1, where both are equally likely.

    >>> round(sign_test(5, 3), 7)
    0.7265625
    """
    if up < 0 or down < 0:
        raise InputError(f"Expected counts from 0, got {up} and {down}")
    return min(1.0, 2 * _at_most(min(up, down), up + down))


def mcnemar(only_base: int, only_candidate: int, n: int) -> McNemar:
    """Compare a scalar field of two runs by the documents that exactly one of them has right, b and c of n.

    difference (c-b)/n with SE √((b+c) - (b-c)²/n) / n. Exact: the sign test of b and c; mid-p: half the chance of the
    table itself is left out; chi square (b-c)²/(b+c), corrected (|b-c|-1)²/(b+c) (McNemar 1947; Fagerland et al. 2013).

    >>> round(mcnemar(9, 21, 200).p_exact, 6), mcnemar(9, 21, 200).difference
    (0.042774, 0.06)
    """
    b, c, flipped = only_base, only_candidate, only_base + only_candidate
    if min(b, c) < 0 or flipped > n or n < 1:
        raise InputError(f"Expected flips from 0 to the {n} documents, got {b} and {c}")
    exact = sign_test(b, c)
    mid = min(1.0, 2 * _at_most(min(b, c), flipped) - _exactly(min(b, c), flipped))
    plain = (b - c) ** 2 / flipped if flipped else 0.0
    corrected = max(abs(b - c) - 1, 0) ** 2 / flipped if flipped else 0.0
    return McNemar(
        only_base=b,
        only_candidate=c,
        n=n,
        difference=(c - b) / n,
        se=math.sqrt(flipped - (b - c) ** 2 / n) / n,
        p=exact if flipped < EXACT_FLIPS else _chi2_tail(corrected),
        p_exact=exact,
        p_mid=mid,
        chi2=plain,
        p_chi2=_chi2_tail(plain),
        chi2_corrected=corrected,
        p_corrected=_chi2_tail(corrected),
    )


def clustered_mcnemar(
    only_base: Sequence[int], only_candidate: Sequence[int], sizes: Sequence[int], *, seed: int = 0
) -> ClusteredMcNemar:
    """Compare a list field of two runs by d = c - b, flips of a document, of its m values.

    score (Σd)²/Σd², Durkalski's (Σd/m)²/Σ(d/m)², both chi square with one degree; and the sign flip of d.
    """
    if not len(only_base) == len(only_candidate) == len(sizes):
        raise InputError(f"Expected as many rows, got {len(only_base)}, {len(only_candidate)} and {len(sizes)}")
    d = np.asarray(only_candidate, dtype=float) - np.asarray(only_base, dtype=float)
    m = np.asarray(sizes, dtype=float)
    if (np.asarray(only_candidate) + np.asarray(only_base) > m).any():
        raise InputError("Expected no more flips in a document than values")
    score, weighted = _sum_score(d), _sum_score(d / np.maximum(m, 1))
    return ClusteredMcNemar(score, _chi2_tail(score), weighted, _chi2_tail(weighted), sign_flip_test(d, seed=seed))


def minimum_detectable_effect(
    sd: float, documents: int, *, power: float = 0.8, confidence: float = 0.95, exact: bool = False
) -> float:
    """Return the difference that these documents show with the given power, for a spread ``sd`` of differences.

    (z(α/2) + z(β)) · sd / √n; ``exact`` takes Student's t with n-1 degrees for the normal distribution.

    >>> round(minimum_detectable_effect(0.15, 200), 4)
    0.0297
    """
    _check_power(power, confidence)
    if sd < 0 or documents < 2:
        raise InputError(f"Expected a spread from 0 and 2 documents or more, got {sd} and {documents}")
    centre = _t_noncentrality(documents - 1, power, confidence) if exact else _z_sum(power, confidence)
    return centre * sd / math.sqrt(documents)


def documents_for_difference(sd: float, difference: float, *, power: float = 0.8, confidence: float = 0.95) -> int:
    """Return how many documents show a difference with the given power, by Student's t.

    >>> documents_for_difference(0.15, 0.02)
    444
    """
    if not difference or sd < 0:
        raise InputError(f"Expected a spread from 0 and a difference other than 0, got {sd} and {difference}")
    _check_power(power, confidence)
    needed = max(2, math.ceil((_z_sum(power, confidence) * sd / difference) ** 2))
    while minimum_detectable_effect(sd, needed, power=power, confidence=confidence, exact=True) > abs(difference):
        needed += 1
    return needed


def documents_for_margin(
    sd: float, margin: float, *, delta: float = 0.0, power: float = 0.8, confidence: float = 0.95
) -> int | None:
    """Return how many documents put the lower bound of the difference above -margin, if it is ``delta``.

    None where delta is not above -margin: no number of documents does.

    >>> documents_for_margin(0.15, 0.02), documents_for_margin(0.15, 0.02, delta=-0.03)
    (444, None)
    """
    if margin + delta <= 0:
        return None
    return documents_for_difference(sd, margin + delta, power=power, confidence=confidence)


def documents_for_flips(
    discordance: float, difference: float, *, power: float = 0.8, confidence: float = 0.95
) -> float:
    """Return how many documents McNemar's test needs: (z(α/2)√ψ + z(β)√(ψ-δ²))² / δ² (Connor 1987).

    ψ is the share of documents that exactly one run has right, δ the difference of the two shares.

    >>> round(documents_for_flips(0.1, 0.05), 1)
    311.6
    """
    _check_power(power, confidence)
    if not 0 < abs(difference) <= discordance <= 1:
        raise InputError(f"Expected 0 < |difference| ≤ discordance ≤ 1, got {difference} and {discordance}")
    spread = NormalDist().inv_cdf((1 + confidence) / 2) * math.sqrt(discordance)
    shifted = NormalDist().inv_cdf(power) * math.sqrt(discordance - difference**2)
    return (spread + shifted) ** 2 / difference**2


def documents_unpaired(base: float, candidate: float, *, power: float = 0.8, confidence: float = 0.95) -> float:
    """Return how many documents each run needs where they have different ones: 2 (z(α/2) + z(β))² / h².

    h = 2 asin√candidate - 2 asin√base (Cohen 1988).
    """
    _check_power(power, confidence)
    if base == candidate or not 0 <= min(base, candidate) <= max(base, candidate) <= 1:
        raise InputError(f"Expected two different shares from 0 to 1, got {base} and {candidate}")
    h = 2 * (math.asin(math.sqrt(candidate)) - math.asin(math.sqrt(base)))
    return 2 * (_z_sum(power, confidence) / h) ** 2


def design_effect(values_per_document: float, correlation: float) -> float:
    """Return 1 + (m-1)ρ, by which values of one document are worth less than independent ones."""
    return 1 + (values_per_document - 1) * correlation


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


def _table(counts: Table) -> Ints:
    table = np.asarray(counts)
    table = table.reshape(0, 4) if not table.size else table
    if table.ndim != 2 or table.shape[1] != 4 or (len(table) and table.dtype.kind not in "iu"):
        raise InputError(f"Expected rows of the whole numbers tp, fd, fa, fn, got a table of shape {table.shape}")
    if (table < 0).any():
        raise InputError("Expected counts from 0, got a number below 0")
    return table.astype(np.int64)


def _parts(base: Table, candidate: Table, ratio: Ratio) -> tuple[Ints, Ints]:
    """Return numerators and denominators, each with a row for the base and one for the candidate."""
    tables = _table(base), _table(candidate)
    if len(tables[0]) != len(tables[1]):
        raise InputError(f"Expected the same documents in both runs, got {len(tables[0])} and {len(tables[1])}")
    tops = np.stack([table @ np.array(NUMERATORS[ratio]) for table in tables])
    return tops, np.stack([table @ np.array(DENOMINATORS[ratio]) for table in tables])


def _rate(tops: Ints, bottoms: Ints) -> float | None:
    whole = int(bottoms.sum())
    return int(tops.sum()) / whole if whole else None


def _sum_score(d: Floats) -> float:
    squares = float((d * d).sum())
    return float(d.sum()) ** 2 / squares if squares else 0.0


def _t_tails(t: float, degrees: int) -> float:
    from scipy.special import stdtr  # slow to import, seldom needed

    return float(2 * stdtr(degrees, -abs(t)))


def _t_noncentrality(degrees: int, power: float, confidence: float) -> float:
    """Return how far off t must lie, in standard errors, to pass its limit with the given power."""
    from scipy.special import nctdtrinc  # slow to import, seldom needed

    return float(nctdtrinc(degrees, 1 - power, t_quantile(degrees, confidence)))


def _at_most(k: int, n: int) -> float:
    from scipy.special import bdtr  # slow to import, seldom needed

    return float(bdtr(k, n, 0.5))


def _exactly(k: int, n: int) -> float:
    return math.exp(math.lgamma(n + 1) - math.lgamma(k + 1) - math.lgamma(n - k + 1) - n * math.log(2))


def _chi2_tail(value: float) -> float:
    return math.erfc(math.sqrt(value / 2))


def _z_sum(power: float, confidence: float) -> float:
    return NormalDist().inv_cdf((1 + confidence) / 2) + NormalDist().inv_cdf(power)


def _check_power(power: float, confidence: float) -> None:
    check_confidence(confidence)
    if not 0.5 <= power < 1:
        raise SettingError(f"Expected a power from 0.5 to 1, got {power}")
