"""From which confidence on can values be accepted without review? A threshold with a guarantee, by documents.

Values of one document are not taken for independent. Of each candidate there are sums by unit, a document or a cluster,
that add up; a threshold follows from them:

- *error*: the highest candidates with fewer documents than ``fewest_units`` are left out. From there down, each is
  taken while the bound of the share of wrong values among the accepted ones is no more than the target. The bound is
  that of `fieldwise.stats.intervals`, one-sided at 97.5%: it allows for half of one more document that is wholly wrong.
- *expectation*: conformal risk control (Angelopoulos et al. 2022). The loss of a document is the share of its values
  that are wrong and accepted; with the mean loss R of n documents, the lowest candidate with
  n/(n+1) · R + 1/(n+1) ≤ target keeps the mean loss of documents to come below the target.
"""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import numpy.typing as npt

from fieldwise.checks import check_share
from fieldwise.results.calibration import AcceptThreshold, Guarantee
from fieldwise.results.rates import Rate
from fieldwise.stats.confidences import Floats, Ints
from fieldwise.stats.histograms import Part
from fieldwise.stats.intervals import lower_bound, mean_interval, ratio_interval

CANDIDATES = (*(k / 100 for k in range(50, 100)), 0.995, 0.999)
"""The thresholds among which one is chosen, rising, laid down before the data are seen; models are often very sure."""
FEWEST_ACCEPTING = 5
"""With fewer documents that have an accepted value there is no bound."""
_STEPS = len(CANDIDATES) + 1
_UNIT = 10**12
"""Mean losses of documents are summed up as whole numbers of this part."""


def step_counts(right: npt.NDArray[np.bool_], confidence: Floats, units: Ints, size: int) -> Ints:
    """Return of each numbered unit how many values are wrong and right, by how many candidates accept them."""
    steps = np.searchsorted(CANDIDATES, confidence, side="right")
    at = (units * 2 + right) * _STEPS + steps
    return np.bincount(at, minlength=size * 2 * _STEPS).reshape(size, 2, _STEPS)


def steps_from(steps: Ints) -> Ints:
    """Return how many values each candidate accepts, given their number by step along the last axis."""
    return steps[..., ::-1].cumsum(axis=-1)[..., ::-1][..., 1:]


class AcceptedCounts:
    """Of each candidate: units by the denominator of what is promised, and how many values it accepts; sums that add.

    For *error* the denominator of a unit is its accepted values, for *expectation* all of its values; the numerator is
    what of these is not wrongly accepted.
    """

    def __init__(self, guarantee: Guarantee = "error") -> None:
        self.guarantee = guarantee
        self.units = 0
        """How many units there are, whatever a candidate accepts of them."""
        self.values = 0
        self.accepted = np.zeros((2, len(CANDIDATES)), np.int64)
        """How many wrong and right values each candidate accepts."""
        self._parts: list[dict[int, list[int]]] = [{} for _ in CANDIDATES]

    def add(self, steps: Ints) -> None:
        """Add units, given their counts by step; those without a value are left out."""
        steps = steps[steps.any(axis=(1, 2))]
        accepted, sizes = steps_from(steps), steps.sum(axis=(1, 2))
        self.units += len(steps)
        self.values += int(sizes.sum())
        self.accepted += accepted.sum(axis=0)
        wholes = accepted.sum(axis=1)
        if self.guarantee == "expectation":
            wholes = np.broadcast_to(sizes[:, None], wholes.shape)
        self._add_parts(wholes, wholes - accepted[:, 0])

    def _add_parts(self, wholes: Ints, kept: Ints) -> None:
        width, numerators = int(wholes.max(initial=0)) + 1, kept.ravel()
        keys, which = np.unique((wholes + np.arange(len(CANDIDATES)) * width).ravel(), return_inverse=True)
        sums = [np.bincount(which, weights, len(keys)) for weights in (None, numerators, numerators * numerators)]
        columns = (np.rint(column).astype(np.int64).tolist() for column in sums)
        for key, *more in zip(keys.tolist(), *columns, strict=True):
            if key % width:
                self._put(key // width, key % width, more)

    def _put(self, candidate: int, whole: int, more: list[int]) -> None:
        held = self._parts[candidate].setdefault(whole, [0, 0, 0])
        for at, number in enumerate(more):
            held[at] += number

    def merge(self, other: AcceptedCounts) -> None:
        """Add other units."""
        self.units += other.units
        self.values += other.values
        self.accepted = self.accepted + other.accepted
        for candidate, parts in enumerate(other._parts):
            for whole, sums in parts.items():
                self._put(candidate, whole, sums)

    def parts(self, candidate: int) -> list[Part]:
        """Return the units of a candidate by denominator, rising."""
        held = self._parts[candidate]
        return [Part(whole, *held[whole]) for whole in sorted(held)]

    def loss(self, parts: list[Part], confidence: float) -> Rate:
        """Return what is promised of these units, a share of wrong values or its mean over them, with its interval."""
        if self.guarantee == "error":
            kept = ratio_interval(parts, confidence)
        else:
            total = sum((Fraction(part.numerators, part.denominator) for part in parts), Fraction())
            squares = sum((Fraction(part.squares, part.denominator**2) for part in parts), Fraction())
            n = sum(part.documents for part in parts)
            kept = mean_interval(round(total * _UNIT), round(squares * _UNIT**2), n, unit=_UNIT, confidence=confidence)
        value, low, high = (None if one is None else 1 - one for one in (kept.value, kept.high, kept.low))
        return Rate(value, low, high, kept.n, kept.unit, kept.effective_n)

    def found(self, candidate: int, upper: float) -> AcceptThreshold:
        """Return a candidate as a threshold, with the bound of what is promised."""
        wrong, right = self.accepted[:, candidate].tolist()
        n = sum(part.documents for part in self.parts(candidate))
        share = (wrong + right) / self.values if self.values else 0.0
        return AcceptThreshold(CANDIDATES[candidate], wrong + right, wrong, upper, share, n)


def fewest_units(target: float) -> int:
    """Return how many documents a threshold must accept something of: 1.5 · ln .05 / ln(1 - target).

    >>> [fewest_units(target) for target in (0.05, 0.03, 0.02)]
    [88, 148, 223]
    """
    return math.ceil(1.5 * math.log(0.05) / math.log(1 - target))


def accept_threshold(
    counts: AcceptedCounts, target: float, *, confidence: float = 0.95, documents: Ints | None = None
) -> AcceptThreshold | None:
    """Return the lowest threshold that keeps what is promised; None where these units show none.

    ``documents`` is how many documents each candidate accepts something of, where the units are clusters of them. Half
    of what ``confidence`` leaves is the chance that a threshold breaks its promise (*error*).
    """
    check_share("target", target)
    if counts.guarantee == "expectation":
        return _by_expectation(counts, target)
    found: AcceptThreshold | None = None
    start = max(fewest_units(target), counts.units / 2)
    for candidate in reversed(range(len(CANDIDATES))):
        parts = counts.parts(candidate)
        n = sum(part.documents for part in parts)
        if n < start and found is None:
            continue
        inner = None if documents is None else int(documents[candidate])
        upper = 1.0 if n < FEWEST_ACCEPTING else 1 - lower_bound(parts, confidence, documents=inner)
        if upper > target:
            break
        found = counts.found(candidate, upper)
    return found


def _by_expectation(counts: AcceptedCounts, target: float) -> AcceptThreshold | None:
    n = counts.units
    for candidate in range(len(CANDIDATES)):
        parts = counts.parts(candidate)
        lost = sum((part.documents - Fraction(part.numerators, part.denominator) for part in parts), Fraction())
        upper = float((lost + 1) / (n + 1))
        if upper <= target:
            return counts.found(candidate, upper)
    return None
