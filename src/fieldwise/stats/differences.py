"""Differences of two runs on the same documents: their interval, how large a one would be detected, many at once.

A run is a table with a row for each document and the columns tp, fd, fa, fn; the two tables have the same documents
in the same order, and a document that failed in one run stands there as missed. There is one formula for every
difference of a ratio or mean, in comparisons and gates. With N and D of each document in a run, R = ΣN / ΣD:

- u = e' / (ΣD' - D') - e / (ΣD - D) with e = N - R·D of candidate and base: how far the difference moves where the
  document is left out. SE² = Σu².
- Student's t has (ΣS)²/ΣS² - 1 degrees of freedom with S = D + D', which are Kish's documents less one.
- Each bound allows for half of one more document of mean size that only one run has right and the other loses: the
  base has it for the lower bound and the candidate for the upper one. It enters the difference, SE and the degrees like
  any document.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from statistics import NormalDist
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from fieldwise.checks import check_share
from fieldwise.errors import InputError, SettingError
from fieldwise.results.rates import Metric
from fieldwise.stats.count_tables import Floats, PairedParts, Parts, Table, parts_of, rate_of, table_of
from fieldwise.stats.intervals import t_quantile, units_to_one_added
from fieldwise.stats.permutation import SLACK, sign_test


@dataclass(frozen=True, slots=True)
class PairedDelta:
    """The difference candidate - base of a ratio, with its interval; what is undefined is None.

    ``p`` is the chance of so large a difference in either direction if there were none. ``p_loss`` is that of so low a
    one, with the document that the upper bound allows for: half of what the confidence leaves where that bound is 0.
    ``added`` is how far that document moves a bound, as a part of a mean unit.
    """

    base: float | None
    candidate: float | None
    delta: float | None
    n: int
    added: float = 0.5
    se: float | None = None
    t: float | None = None
    p: float | None = None
    low: float | None = None
    high: float | None = None
    p_loss: float | None = None


@dataclass(frozen=True, slots=True)
class Flips:
    """How many documents have a higher, a lower and the same score in the candidate, and the sign test of them."""

    improved: int
    regressed: int
    tied: int
    p: float


def paired_delta(base: Table, candidate: Table, metric: Metric, *, confidence: float = 0.95) -> PairedDelta:
    """Return the difference of a metric of two runs, with the interval that pairs documents.

    n is the number of documents, or of clusters, with a denominator in either run. Runs that are equal in every
    document have no difference to be unsure of: their bounds are 0. Else bounds need 2 documents and a degree of
    freedom.
    """
    return delta_of_parts(parts_of(base, candidate, metric), confidence=confidence)


def delta_of_parts(parts: PairedParts, *, confidence: float = 0.95, one_more: bool = False) -> PairedDelta:
    """Return the same from numerators and denominators.

    With ``one_more`` each bound allows for half of another document, too, which the other run has wholly wrong.
    """
    check_share("confidence", confidence)
    tops, bottoms, documents, kept = parts
    n = int((bottoms > 0).any(axis=0).sum())
    base, candidate = (rate_of(tops[run], bottoms[run]) for run in (0, 1))
    if base is None or candidate is None:
        return PairedDelta(base, candidate, None, n)
    part = n / units_to_one_added(n, documents)
    found = PairedDelta(base, candidate, candidate - base, n, kept * part)
    if n < 2:
        return found
    if (tops[0] == tops[1]).all() and (bottoms[0] == bottoms[1]).all():
        return replace(found, se=0.0, low=0.0, high=0.0, p_loss=1.0)
    plain, size = _Spread.of(tops, bottoms), bottoms.sum(axis=1) * (part / n)
    found = replace(found, se=plain.se)
    if plain.se is not None and plain.se > SLACK and plain.degrees > 0:
        t = plain.delta / plain.se
        found = replace(found, t=t, p=2 * t_below(-abs(t), plain.degrees))
    base_right, candidate_right = (
        _Spread.of(*_with_added(tops, bottoms, size, right=right, kept=(kept, 1.0) if one_more else (kept,)))
        for right in (0, 1)
    )
    if base_right.se is None or candidate_right.se is None or min(base_right.degrees, candidate_right.degrees) < 1:
        return found
    return replace(
        found,
        low=max(base_right.delta - t_quantile(base_right.degrees, confidence) * base_right.se, -1.0),
        high=min(candidate_right.delta + t_quantile(candidate_right.degrees, confidence) * candidate_right.se, 1.0),
        p_loss=candidate_right.chance_of_less(),
    )


class _Spread(NamedTuple):
    """The difference of two runs, its standard error by leaving documents out, and Kish's degrees of freedom."""

    delta: float
    se: float | None
    """None where one document has all of a denominator, so that it cannot be left out."""
    degrees: float

    def chance_of_less(self) -> float:
        """Return the chance of so low a difference if there were none."""
        if not self.se:
            return 0.0 if self.delta < 0 else 1.0
        return t_below(self.delta / self.se, self.degrees)

    @classmethod
    def of(cls, tops: Parts, bottoms: Parts) -> _Spread:
        wholes, sizes = bottoms.sum(axis=1, keepdims=True), bottoms.sum(axis=0)
        rates = tops.sum(axis=1, keepdims=True) / wholes
        delta = float(rates[1, 0] - rates[0, 0])
        degrees = float(sizes.sum()) ** 2 / float((sizes.astype(float) ** 2).sum()) - 1
        without = wholes - bottoms
        if not without.all():
            return cls(delta, None, degrees)
        moved = (tops - rates * bottoms) / without
        return cls(delta, math.sqrt(float(((moved[1] - moved[0]) ** 2).sum())), degrees)


def _with_added(
    tops: Parts, bottoms: Parts, size: Floats, *, right: int, kept: Sequence[float]
) -> tuple[Floats, Floats]:
    """Add documents of this size that one run has right, of which the other keeps so much of the denominator."""
    is_right = np.arange(2) == right
    top, more = np.where(is_right, size, 0.0), [np.where(is_right, size, share * size) for share in kept]
    return np.column_stack([tops, *[top] * len(more)]), np.column_stack([bottoms, *more])


def document_flips(base: Table, candidate: Table, metric: Metric) -> Flips:
    """Count the documents whose own ratio rose, fell or stayed, compared exactly.

    Documents without a denominator in either run are left out. One that has it in the other run only has 1 where it
    has no error, else 0.
    """
    tops, bottoms, *_ = parts_of(base, candidate, metric)
    there = (bottoms > 0).any(axis=0)
    for run, table in enumerate((table_of(base), table_of(candidate))):
        undefined = bottoms[run] == 0
        tops[run][undefined] = (table[undefined, 1:].sum(axis=1) == 0).astype(int)
        bottoms[run][undefined] = 1
    rise = np.sign(tops[1] * bottoms[0] - tops[0] * bottoms[1])[there]
    improved, regressed = int((rise > 0).sum()), int((rise < 0).sum())
    return Flips(improved, regressed, len(rise) - improved - regressed, sign_test(improved, regressed))


def t_below(t: float, degrees: float) -> float:
    """Return the chance that Student's t is at most so large."""
    from scipy.special import stdtr  # slow to import, seldom needed

    return float(stdtr(degrees, t))


def minimum_detectable_effect(
    sd: float,
    documents: int,
    *,
    power: float = 0.8,
    confidence: float = 0.95,
    exact: bool = False,
    added: float = 0.0,
) -> float:
    """Return the difference that these documents show with the given power, for a spread ``sd`` of differences.

    (z(α/2) + z(β)) · sd / √n; ``exact`` takes Student's t with n-1 degrees for the normal distribution. ``added`` is
    how much of one more document bounds allow for: it moves them by added / n, and enters the spread.

    >>> round(minimum_detectable_effect(0.15, 200), 4)
    0.0297
    """
    _check_power(power, confidence)
    if sd < 0 or documents < 2:
        raise InputError(f"Expected a spread from 0 and 2 documents or more, got {sd} and {documents}")
    centre = _t_noncentrality(documents - 1, power, confidence) if exact else _z_sum(power, confidence)
    return centre * math.hypot(sd / math.sqrt(documents), added / documents) + added / documents


def documents_for_difference(
    sd: float, difference: float, *, power: float = 0.8, confidence: float = 0.95, added: float = 0.0
) -> int:
    """Return how many documents show a difference with the given power, by Student's t; ``added`` as above.

    >>> documents_for_difference(0.15, 0.02)
    444
    """
    if not difference or sd < 0:
        raise InputError(f"Expected a spread from 0 and a difference other than 0, got {sd} and {difference}")
    _check_power(power, confidence)

    def shows(documents: int) -> bool:
        effect = minimum_detectable_effect(sd, documents, power=power, confidence=confidence, exact=True, added=added)
        return effect <= abs(difference)

    enough = max(2, math.ceil((_z_sum(power, confidence) * sd / difference) ** 2))
    too_few = enough - 1
    while not shows(enough):
        too_few, enough = enough, enough + max(1, enough // 8)
    while enough - too_few > 1:
        middle = (enough + too_few) // 2
        too_few, enough = (too_few, middle) if shows(middle) else (middle, enough)
    return enough


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
