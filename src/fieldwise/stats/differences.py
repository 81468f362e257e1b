"""Differences of two runs on the same documents: their interval, how large a one would be detected, many at once.

A run is a table with a row for each document and the columns tp, fd, fa, fn; the two tables have the same documents
in the same order, and a document that failed in one run stands there as missed.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import NormalDist

import numpy as np
import numpy.typing as npt

from fieldwise.checks import check_share
from fieldwise.errors import InputError, SettingError
from fieldwise.results.rates import Metric
from fieldwise.stats.count_tables import Floats, Parts, Table, parts_of, rate_of, table_of
from fieldwise.stats.intervals import t_quantile
from fieldwise.stats.permutation import SLACK, sign_test


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
    check_share("confidence", confidence)
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
    t, p = (delta / se, 2 * t_below(-abs(delta / se), n - 1)) if se > SLACK else (None, None)
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


def _t_noncentrality(degrees: int, power: float, confidence: float) -> float:
    """Return how far off t must lie, in standard errors, to pass its limit with the given power."""
    from scipy.special import nctdtrinc  # slow to import, seldom needed

    return float(nctdtrinc(degrees, 1 - power, t_quantile(degrees, confidence)))


def _z_sum(power: float, confidence: float) -> float:
    return NormalDist().inv_cdf((1 + confidence) / 2) + NormalDist().inv_cdf(power)


def _check_power(power: float, confidence: float) -> None:
    check_share("confidence", confidence)
    if not 0.5 <= power < 1:
        raise SettingError(f"Expected a power from 0.5 to 1, got {power}")


def holm(p_values: Sequence[float]) -> list[float]:
    """Return Holm's adjusted p-values, which bound the chance of any false alarm.

    The k-th smallest of m becomes the largest of (m - j + 1) · p(j) for j ≤ k, at most 1 (Holm 1979).

    >>> holm([0.01, 0.04])
    [0.02, 0.04]
    """
    ordered, places = _sorted(p_values)
    steps = np.arange(len(ordered), 0, -1)
    return _in_place(np.maximum.accumulate(steps * ordered), places)


def benjamini_hochberg(p_values: Sequence[float]) -> list[float]:
    """Return q-values, which bound the expected share of false alarms among independent or positively tied tests.

    The k-th smallest of m becomes the smallest of m/j · p(j) for j ≥ k, at most 1 (Benjamini and Hochberg 1995).

    >>> benjamini_hochberg([0.01, 0.04])
    [0.02, 0.04]
    """
    ordered, places = _sorted(p_values)
    m = len(ordered)
    scaled = ordered * m / np.arange(1, m + 1)
    return _in_place(np.minimum.accumulate(scaled[::-1])[::-1], places)


def _sorted(p_values: Sequence[float]) -> tuple[Floats, npt.NDArray[np.intp]]:
    values = np.asarray(p_values, dtype=float)
    if not ((values >= 0) & (values <= 1)).all():
        raise InputError(f"Expected p-values from 0 to 1, got {list(p_values)}")
    places = np.argsort(values, kind="stable")
    return values[places], places


def _in_place(adjusted: Floats, places: npt.NDArray[np.intp]) -> list[float]:
    result = np.empty(len(places))
    result[places] = np.minimum(adjusted, 1.0)
    return [float(value) for value in result]
