"""One field of two runs by the values that flipped: right in one run only."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from fieldwise.errors import InputError
from fieldwise.stats.count_tables import Floats, Ints
from fieldwise.stats.permutation import PermutationTest, at_most, sign_flip_test, sign_test

EXACT_FLIPS = 25
"""From so many documents that flipped, McNemar's test is by chi square."""


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
    mid = min(1.0, 2 * at_most(min(b, c), flipped) - _exactly(min(b, c), flipped))
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
    differences: Sequence[int] | Ints, sizes: Sequence[int] | Ints, *, seed: int = 0
) -> ClusteredMcNemar:
    """Compare a list field of two runs by d = c - b, the values of a document that flipped for less those against.

    score (Σd)²/Σd², Durkalski's (Σd/m)²/Σ(d/m)² with m values in a document, both chi square with one degree; and the
    sign flip of d (Obuchowski 1998; Durkalski et al. 2003).
    """
    d, m = np.asarray(differences, dtype=float), np.asarray(sizes, dtype=float)
    if len(d) != len(m):
        raise InputError(f"Expected as many sizes as differences, got {len(m)} and {len(d)}")
    if (np.abs(d) > m).any():
        raise InputError("Expected no more flips in a document than values")
    score, weighted = _sum_score(d), _sum_score(d / np.maximum(m, 1))
    return ClusteredMcNemar(score, _chi2_tail(score), weighted, _chi2_tail(weighted), sign_flip_test(d, seed=seed))


def _sum_score(d: Floats) -> float:
    squares = float((d * d).sum())
    return float(d.sum()) ** 2 / squares if squares else 0.0


def _exactly(k: int, n: int) -> float:
    return math.exp(math.lgamma(n + 1) - math.lgamma(k + 1) - math.lgamma(n - k + 1) - n * math.log(2))


def _chi2_tail(value: float) -> float:
    return math.erfc(math.sqrt(value / 2))
