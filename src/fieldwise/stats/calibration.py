"""What confidences are worth: are they true, do they tell right from wrong, how much review do they save.

Every function takes ``Confidences``, which come from pairs or from a histogram that shards keep and merge.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import NormalDist
from typing import Any, Literal, TypeAlias

import numpy as np
import numpy.typing as npt

from fieldwise.errors import InputError, SettingError
from fieldwise.stats.clustered import check_confidence
from fieldwise.stats.confidence import Pairs
from fieldwise.stats.intervals import clopper_pearson, wilson

Floats: TypeAlias = npt.NDArray[np.float64]
Ints: TypeAlias = npt.NDArray[np.int64]
ClosedEdge: TypeAlias = Literal["left", "right"]
"""Which end of a bin belongs to it: [a, b), the last one closed, or (a, b], the first one closed."""

STEPS = 10_000
"""A histogram keeps confidences in steps of 1/10,000."""
THRESHOLDS = tuple(k / 100 for k in range(50, 100))
"""The thresholds among which one is chosen, laid down before the data are seen."""


@dataclass(frozen=True, slots=True)
class Confidences:
    """Rows of a confidence from 0 to 1 with the number of right and wrong values that have it, in the order given.

    The values of one row are taken as evenly mixed; rows of equal confidence keep their order.
    """

    confidence: Floats
    right: Ints
    wrong: Ints

    @classmethod
    def from_pairs(cls, pairs: Pairs) -> Confidences:
        """Return a row for each pair (is it right, confidence)."""
        confidence = np.array([given for _, given in pairs], dtype=float)
        if not ((confidence >= 0) & (confidence <= 1)).all():
            raise InputError("Expected confidences from 0 to 1")
        right = np.array([bool(match) for match, _ in pairs], dtype=np.int64)
        return cls(confidence, right, 1 - right)

    @property
    def sizes(self) -> Ints:
        """The number of values of each row."""
        return self.right + self.wrong

    @property
    def n(self) -> int:
        """The number of values."""
        return int(self.sizes.sum())

    @property
    def errors(self) -> int:
        """The number of wrong values."""
        return int(self.wrong.sum())

    def ascending(self) -> Confidences:
        """Return the rows by rising confidence."""
        return self._taken(np.argsort(self.confidence, kind="stable"))

    def descending(self) -> Confidences:
        """Return the rows by falling confidence."""
        return self._taken(np.argsort(-self.confidence, kind="stable"))

    def grouped(self) -> Confidences:
        """Return one row for each confidence, rising."""
        distinct, places = np.unique(self.confidence, return_inverse=True)
        right, wrong = (np.bincount(places, counts, len(distinct)) for counts in (self.right, self.wrong))
        return Confidences(distinct, right.astype(np.int64), wrong.astype(np.int64))

    def _taken(self, order: npt.NDArray[np.intp]) -> Confidences:
        return Confidences(self.confidence[order], self.right[order], self.wrong[order])


class ConfidenceHistogram:
    """Right and wrong values by confidence in steps of 1/10,000: sums that merge.

    >>> histogram = ConfidenceHistogram()
    >>> histogram.add(True, 0.91)
    >>> histogram.to_state()
    [[9100, 1, 0]]
    """

    __slots__ = ("_steps",)

    def __init__(self) -> None:
        self._steps: dict[int, list[int]] = {}

    def add(self, right: bool, confidence: float) -> None:
        """Add one value; its confidence is rounded to the nearest step."""
        if not 0 <= confidence <= 1:
            raise InputError(f"Expected a confidence from 0 to 1, got {confidence}")
        self._steps.setdefault(round(confidence * STEPS), [0, 0])[0 if right else 1] += 1

    def merge(self, other: ConfidenceHistogram) -> None:
        """Add the values of another histogram."""
        for step, (right, wrong) in other._steps.items():
            mine = self._steps.setdefault(step, [0, 0])
            mine[0] += right
            mine[1] += wrong

    def values(self) -> Confidences:
        """Return a row for each step that has values, rising."""
        rows = np.array([row for row in self.to_state() if row[1] or row[2]], dtype=np.int64).reshape(-1, 3)
        return Confidences(rows[:, 0] / STEPS, rows[:, 1], rows[:, 2])

    def to_state(self) -> list[list[int]]:
        """Return a list of [step, right, wrong], rising."""
        return [[step, *counts] for step, counts in sorted(self._steps.items())]

    @classmethod
    def from_state(cls, state: Any) -> ConfidenceHistogram:
        """Return the histogram that gave this state."""
        histogram = cls()
        if not isinstance(state, list) or not all(_is_step(row) for row in state):
            raise InputError(f"Expected rows of a step up to {STEPS} and the numbers of right and wrong values")
        for step, right, wrong in state:
            counts = histogram._steps.setdefault(step, [0, 0])
            counts[0] += right
            counts[1] += wrong
        return histogram


def _is_step(row: Any) -> bool:
    if not isinstance(row, list) or len(row) != 3:
        return False
    return all(type(value) is int and value >= 0 for value in row) and row[0] <= STEPS


@dataclass(frozen=True, slots=True)
class ReliabilityBin:
    """Values of like confidence: how many, their mean confidence, the share that is right and its Wilson interval."""

    low: float
    high: float
    count: int
    confidence: float
    accuracy: float
    accuracy_low: float
    accuracy_high: float


def equal_width_bins(values: Confidences, bins: int = 10, closed: ClosedEdge = "left") -> list[ReliabilityBin]:
    """Return the bins of equal width that have values.

    Confidences within 1e-9 of an edge stand on it.
    """
    _check_bins(bins)
    places = np.round(values.confidence * bins, 9)
    numbers = np.floor(places) if closed == "left" else np.ceil(places) - 1
    held = np.clip(numbers, 0, bins - 1).astype(np.int64)
    return [_bin(values, held == k, (k / bins, (k + 1) / bins)) for k in np.unique(held).tolist()]


def equal_mass_bins(values: Confidences, bins: int = 10) -> list[ReliabilityBin]:
    """Return bins of as many values each, as nearly as rows allow: a row goes where its middle falls."""
    _check_bins(bins)
    rows = values.ascending()
    middles = rows.sizes.cumsum() - rows.sizes / 2
    held = np.minimum(middles * bins // max(rows.n, 1), bins - 1).astype(np.int64)
    return [_bin(rows, held == k, _ends(rows.confidence[held == k])) for k in np.unique(held).tolist()]


def _ends(confidence: Floats) -> tuple[float, float]:
    return float(confidence.min()), float(confidence.max())


def _bin(values: Confidences, held: npt.NDArray[np.bool_], ends: tuple[float, float]) -> ReliabilityBin:
    sizes, right = values.sizes[held], int(values.right[held].sum())
    count = int(sizes.sum())
    low, high = wilson(right, count) or (0.0, 1.0)
    mean = float((values.confidence[held] * sizes).sum()) / count
    return ReliabilityBin(*ends, count, mean, right / count, low, high)


def calibration_error(bins: Sequence[ReliabilityBin]) -> float | None:
    """Return ECE, the mean over values of |accuracy - confidence| of their bin; None without values."""
    n = sum(b.count for b in bins)
    return sum(b.count * abs(b.accuracy - b.confidence) for b in bins) / n if n else None


def signed_calibration_error(bins: Sequence[ReliabilityBin]) -> float | None:
    """Return mean confidence - accuracy: above 0 is over-confident; None without values."""
    n = sum(b.count for b in bins)
    return sum(b.count * (b.confidence - b.accuracy) for b in bins) / n if n else None


def maximum_calibration_error(bins: Sequence[ReliabilityBin]) -> float | None:
    """Return the largest |accuracy - confidence| of a bin; None without values."""
    return max((abs(b.accuracy - b.confidence) for b in bins), default=None)


@dataclass(frozen=True, slots=True)
class Brier:
    """The mean of (confidence - right)² and its parts: score ≈ reliability - resolution + uncertainty.

    The parts are those of bins, so equality holds up to the spread of confidences inside a bin (Murphy 1973).
    """

    score: float
    reliability: float
    resolution: float
    uncertainty: float


def brier(values: Confidences, bins: Sequence[ReliabilityBin]) -> Brier | None:
    """Return the Brier score with the parts that these bins of the values give; None without values.

    reliability Σ n(c - a)²/N, resolution Σ n(a - A)²/N and uncertainty A(1 - A), with confidence c, accuracy a and
    number n of a bin and the accuracy A of all N values.
    """
    n = values.n
    if not n:
        return None
    squares = values.right * (1 - values.confidence) ** 2 + values.wrong * values.confidence**2
    accuracy = 1 - values.errors / n
    return Brier(
        score=float(squares.sum()) / n,
        reliability=sum(b.count * (b.confidence - b.accuracy) ** 2 for b in bins) / n,
        resolution=sum(b.count * (b.accuracy - accuracy) ** 2 for b in bins) / n,
        uncertainty=accuracy * (1 - accuracy),
    )


def spiegelhalter_z(values: Confidences) -> float | None:
    """Return Σ(y - c)(1 - 2c) / √Σ(1 - 2c)²c(1 - c), normal where confidences are true; None without spread.

    Positive: the Brier score is larger than true confidences would give.
    """
    c, sizes = values.confidence, values.sizes
    variance = float((sizes * (1 - 2 * c) ** 2 * c * (1 - c)).sum())
    return float(((values.right - sizes * c) * (1 - 2 * c)).sum()) / math.sqrt(variance) if variance else None


def log_loss(values: Confidences) -> float | None:
    """Return the mean of -ln of the chance given to what happened; None without values, or where it was 0."""
    chances = np.concatenate([values.confidence, 1 - values.confidence])
    counts = np.concatenate([values.right, values.wrong])
    chances, counts = chances[counts > 0], counts[counts > 0]
    if not len(counts) or not chances.all():
        return None
    return float(-(counts * np.log(chances)).sum()) / values.n


@dataclass(frozen=True, slots=True)
class Discrimination:
    """AUROC with DeLong's error and interval; ``se``, ``low`` and ``high`` are None with one right or wrong value."""

    auroc: float
    se: float | None
    low: float | None
    high: float | None


def discrimination(values: Confidences, confidence: float = 0.95) -> Discrimination | None:
    """Return the chance that a right value has the higher confidence than a wrong one, ties counting half.

    SE² = var(V)/right + var(W)/wrong, where V is the share of wrong values below a right one and W the share of right
    values above a wrong one (DeLong et al. 1988); the interval is normal, cut at 0 and 1. Values are taken as
    independent. None where all are right or all are wrong.
    """
    check_confidence(confidence)
    rows = values.grouped()
    right, wrong = int(rows.right.sum()), int(rows.wrong.sum())
    if not right or not wrong:
        return None
    below = (rows.wrong.cumsum() - rows.wrong / 2) / wrong
    above = (right - rows.right.cumsum() + rows.right / 2) / right
    area = float((rows.right * below).sum()) / right
    if right < 2 or wrong < 2:
        return Discrimination(area, None, None, None)
    spread = (rows.right * (below - area) ** 2).sum() / (right - 1) / right
    spread += (rows.wrong * (above - area) ** 2).sum() / (wrong - 1) / wrong
    se = math.sqrt(float(spread))
    half = NormalDist().inv_cdf((1 + confidence) / 2) * se
    return Discrimination(area, se, max(0.0, area - half), min(1.0, area + half))


def average_precision(values: Confidences, of: Literal["right", "wrong"] = "right") -> float | None:
    """Return Σ (recall - recall before) · precision over the confidences; None where there is none of them.

    Right values are looked for from the highest confidence down, wrong ones from the lowest up; values of equal
    confidence come together.
    """
    rows = values.grouped()
    hits, sizes = (rows.right[::-1], rows.sizes[::-1]) if of == "right" else (rows.wrong, rows.sizes)
    total = int(hits.sum())
    if not total:
        return None
    return float((hits * hits.cumsum() / sizes.cumsum()).sum()) / total


@dataclass(frozen=True, slots=True)
class CurvePoint:
    """A point of a curve: after the rows up to ``confidence``, the share of values and the figure they have."""

    confidence: float
    share: float
    figure: float


def review_curve(values: Confidences) -> list[CurvePoint]:
    """Return the share of errors caught by the share reviewed, least confident first; empty without errors."""
    rows, errors = values.ascending(), values.errors
    if not errors:
        return []
    shares, caught = rows.sizes.cumsum() / rows.n, rows.wrong.cumsum() / errors
    return _curve(rows.confidence, shares, caught)


def errors_caught(values: Confidences, reviewed: int) -> float:
    """Return how many errors the given number of least confident values has, those of one row in proportion."""
    if not 0 <= reviewed <= values.n:
        raise InputError(f"Expected to review from 0 to {values.n} values, got {reviewed}")
    rows = values.ascending()
    sizes, wrong = np.append(0, rows.sizes.cumsum()), np.append(0, rows.wrong.cumsum())
    return float(np.interp(reviewed, sizes, wrong))


def area_of_review(values: Confidences) -> float | None:
    """Return the area under the review curve by trapezoids: 1/2 is chance; None without errors."""
    curve = review_curve(values)
    if not curve:
        return None
    shares, caught = ([0.0, *column] for column in ([p.share for p in curve], [p.figure for p in curve]))
    return sum((x - a) * (y + b) / 2 for a, x, b, y in zip(shares, shares[1:], caught, caught[1:], strict=False))


def risk_coverage(values: Confidences) -> list[CurvePoint]:
    """Return the error rate among the accepted by the share accepted, most confident first."""
    rows = values.descending()
    accepted = rows.sizes.cumsum()
    return _curve(rows.confidence, accepted / max(rows.n, 1), rows.wrong.cumsum() / accepted)


def area_of_risk(values: Confidences) -> float | None:
    """Return AURC: the mean, over k = 1 to n, of the error rate among the k most confident; None without values.

    Geifman and El-Yaniv 2017. Inside a row of w values with e errors the k-th has e·k/w of them.
    """
    rows = values.descending()
    if not rows.n:
        return None
    harmonic = np.append(0.0, (1 / np.arange(1, rows.n + 1)).cumsum())
    after = rows.sizes.cumsum()
    before, errors = after - rows.sizes, rows.wrong.cumsum() - rows.wrong
    tilt = errors - rows.wrong * before / rows.sizes
    return float((rows.wrong + tilt * (harmonic[after] - harmonic[before])).sum()) / rows.n


def _curve(confidence: Floats, shares: Floats, figures: Floats) -> list[CurvePoint]:
    columns = confidence.tolist(), shares.tolist(), figures.tolist()
    return [CurvePoint(*point) for point in zip(*columns, strict=True)]


@dataclass(frozen=True, slots=True)
class AcceptThreshold:
    """Values of at least this confidence are accepted: how many, their errors, and the bound of their error rate."""

    threshold: float
    accepted: int
    errors: int
    upper: float
    coverage: float


def upper_error_bound(errors: int, accepted: int, confidence: float = 0.95) -> float:
    """Return Clopper and Pearson's one-sided upper bound of an error rate; 1 where nothing is accepted.

    >>> round(upper_error_bound(2, 8), 4)
    0.5997
    """
    check_confidence(confidence)
    if not accepted:
        return 1.0
    if confidence <= 0.5:
        raise SettingError(f"Expected a one-sided confidence above 0.5, got {confidence}")
    _, high = clopper_pearson(errors, accepted, 2 * confidence - 1) or (0.0, 1.0)
    return high


def accept_threshold(
    values: Confidences,
    target: float,
    *,
    confidence: float = 0.95,
    candidates: Sequence[float] = THRESHOLDS,
    method: Literal["bonferroni", "fixed_sequence"] = "bonferroni",
) -> AcceptThreshold | None:
    """Return the smallest threshold whose accepted values have at most ``target`` errors, with a guarantee; or None.

    The one-sided bound of the error rate must not exceed the target. ``bonferroni`` bounds each of m candidates at
    α/m; ``fixed_sequence`` at α, from the highest candidate down to the first that fails (Learn then Test, Angelopoulos
    et al. 2021). Candidates are laid down before the data are seen; report the error rate on other data.
    """
    if not 0 < target < 1:
        raise SettingError(f"Expected a target between 0 and 1, got {target}")
    levels = sorted(set(candidates), reverse=True)
    check_confidence(confidence)
    level = 1 - (1 - confidence) / max(len(levels), 1) if method == "bonferroni" else confidence
    found: AcceptThreshold | None = None
    for threshold in levels:
        accepted = accept_at(values, threshold, level)
        if accepted.upper <= target:
            found = accepted
        elif method == "fixed_sequence":
            break
    return found


def accept_at(values: Confidences, threshold: float, confidence: float = 0.95) -> AcceptThreshold:
    """Return what a threshold accepts, with the one-sided bound of its error rate."""
    held = values.confidence >= threshold
    accepted, errors = int(values.sizes[held].sum()), int(values.wrong[held].sum())
    upper = upper_error_bound(errors, accepted, confidence)
    return AcceptThreshold(threshold, accepted, errors, upper, accepted / values.n if values.n else 0.0)


def _check_bins(bins: int) -> None:
    if bins < 1:
        raise SettingError(f"Expected 1 bin or more, got {bins}")
