"""Are confidences true? Bins of like confidence against what was right: ECE, Brier score, Spiegelhalter's z."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Literal, TypeAlias

import numpy as np
import numpy.typing as npt

from fieldwise.errors import SettingError
from fieldwise.results.calibration import Bin, Brier
from fieldwise.results.rates import Rate
from fieldwise.stats.confidence_values import Confidences, Floats
from fieldwise.stats.intervals import wilson

_NEAR_EDGE = 1e-9
"""A confidence times the number of bins that is so near to a whole number is on the edge of a bin."""
ClosedEdge: TypeAlias = Literal["left", "right"]
"""Which end of a bin belongs to it: [a, b), the last one closed, or (a, b], the first one closed."""


def equal_width_bins(values: Confidences, bins: int = 10, closed: ClosedEdge = "left") -> list[Bin]:
    """Return the bins of equal width that have values.

    Confidences within 1e-9 of an edge, in widths of a bin, stand on it.
    """
    _check_bins(bins)
    confidence = values.confidence
    places = confidence * bins
    numbers = np.floor(places + _NEAR_EDGE) if closed == "left" else np.ceil(places - _NEAR_EDGE) - 1
    held = np.clip(numbers, 0, bins - 1).astype(np.int64)
    return [_bin(values, held == k, (k / bins, (k + 1) / bins)) for k in np.unique(held).tolist()]


def equal_mass_bins(values: Confidences, bins: int = 10) -> list[Bin]:
    """Return bins of as many values each, as nearly as rows allow: a row goes where its middle falls."""
    _check_bins(bins)
    rows = values.ascending()
    middles = rows.sizes.cumsum() - rows.sizes / 2
    held = np.minimum(middles * bins // max(rows.n, 1), bins - 1).astype(np.int64)
    return [_bin(rows, held == k, _ends(rows.confidence[held == k])) for k in np.unique(held).tolist()]


def _ends(confidence: Floats) -> tuple[float, float]:
    return float(confidence.min()), float(confidence.max())


def _bin(values: Confidences, held: npt.NDArray[np.bool_], ends: tuple[float, float]) -> Bin:
    sizes, right = values.sizes[held], int(values.right[held].sum())
    count = int(sizes.sum())
    low, high = wilson(right, count) or (0.0, 1.0)
    mean = float((values.confidence[held] * sizes).sum()) / count
    return Bin(*ends, count, mean, Rate(right / count, low, high, count, "values"))


def calibration_error(bins: Sequence[Bin]) -> float | None:
    """Return ECE, the mean over values of |accuracy - confidence| of their bin; None without values."""
    n = sum(b.count for b in bins)
    return sum(b.count * _gap(b) for b in bins) / n if n else None


def maximum_calibration_error(bins: Sequence[Bin]) -> float | None:
    """Return the largest |accuracy - confidence| of a bin; None without values."""
    return max((_gap(b) for b in bins), default=None)


def brier(values: Confidences, bins: Sequence[Bin]) -> Brier | None:
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
        reliability=sum(b.count * _gap(b) ** 2 for b in bins) / n,
        resolution=sum(b.count * (b.right - accuracy) ** 2 for b in bins) / n,
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
    return abs(float((counts * np.log(chances)).sum())) / values.n


def _gap(one: Bin) -> float:
    return abs(one.right - one.confidence)


def _check_bins(bins: int) -> None:
    if bins < 1:
        raise SettingError(f"Expected 1 bin or more, got {bins}")
