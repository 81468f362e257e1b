"""Two runs on the same documents: the difference with its interval, and which documents rose and fell.

A run is a table with a row for each document and the columns tp, fd, fa, fn; the two tables have the same documents
in the same order, and a document that failed in one run stands there as missed.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from fieldwise.stats.clustered import t_quantile
from fieldwise.stats.count_tables import Parts, Table, parts_of, rate_of, table_of
from fieldwise.stats.intervals import check_confidence
from fieldwise.stats.permutation import sign_test
from fieldwise.stats.rates import Metric

_SLACK = 1e-12
"""Two ways to compute one and the same figure differ by less."""


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
class Flips:
    """How many documents have a higher, a lower and the same score in the candidate, and the sign test of them."""

    improved: int
    regressed: int
    tied: int
    p: float


def paired_delta(base: Table, candidate: Table, metric: Metric, *, confidence: float = 0.95) -> PairedDelta:
    """Return the difference of a ratio of sums over documents, with the interval that pairs documents.

    u = e'/ΣD' - e/ΣD with the residuals e = N - R·D of candidate and base; SE² = n/(n-1) · Σu², and the interval is
    delta ± t(n-1) · SE. n is the number of documents with a denominator in either run. ``t`` and ``p`` are None
    where the documents have no spread.
    """
    return delta_of_parts(*parts_of(base, candidate, metric), confidence=confidence)


def delta_of_parts(tops: Parts, bottoms: Parts, *, confidence: float = 0.95) -> PairedDelta:
    """Return the same from numerators and denominators."""
    check_confidence(confidence)
    n = int((bottoms.sum(axis=0) > 0).sum())
    rates = [rate_of(tops[run], bottoms[run]) for run in (0, 1)]
    if rates[0] is None or rates[1] is None:
        return PairedDelta(rates[0], rates[1], None, None, None, n, None, None, None)
    delta = rates[1] - rates[0]
    if n < 2:
        return PairedDelta(rates[0], rates[1], delta, None, None, n, None, None, None)
    first, second = ((tops[k] - rate * bottoms[k]) / bottoms[k].sum() for k, rate in enumerate((rates[0], rates[1])))
    se = math.sqrt(n / (n - 1) * float(((second - first) ** 2).sum()))
    half = t_quantile(n - 1, confidence) * se
    t, p = (delta / se, 2 * t_below(-abs(delta / se), n - 1)) if se > _SLACK else (None, None)
    return PairedDelta(rates[0], rates[1], delta, delta - half, delta + half, n, se, t, p)


def document_flips(base: Table, candidate: Table, metric: Metric) -> Flips:
    """Count the documents whose own ratio rose, fell or stayed, compared exactly.

    Documents without a denominator in either run are left out. One that has it in the other run only has 1 where it
    has no error, else 0.
    """
    tops, bottoms = parts_of(base, candidate, metric)
    there = (bottoms > 0).any(axis=0)
    for run, table in enumerate((table_of(base), table_of(candidate))):
        undefined = bottoms[run] == 0
        tops[run][undefined] = (table[undefined, 1:].sum(axis=1) == 0).astype(int)
        bottoms[run][undefined] = 1
    rise = np.sign(tops[1] * bottoms[0] - tops[0] * bottoms[1])[there]
    improved, regressed = int((rise > 0).sum()), int((rise < 0).sum())
    return Flips(improved, regressed, len(rise) - improved - regressed, sign_test(improved, regressed))


def t_below(t: float, degrees: int) -> float:
    """Return the chance that Student's t is at most so large."""
    from scipy.special import stdtr  # slow to import, seldom needed

    return float(stdtr(degrees, t))
