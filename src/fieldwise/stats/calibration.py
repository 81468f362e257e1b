"""Are confidences true, and do they tell right from wrong?

Bins of like confidence against what was right give ECE, Brier score and Spiegelhalter's z; AUROC with its error and
average precision say how well confidences separate right values from wrong ones.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

import numpy as np
import numpy.typing as npt

from fieldwise.checks import check_share
from fieldwise.errors import SettingError
from fieldwise.results.calibration import Bin, Brier
from fieldwise.results.rates import Rate
from fieldwise.stats.confidences import Confidences, Floats, Ints
from fieldwise.stats.intervals import logit_interval, t_quantile, wilson

_NEAR_EDGE = 1e-9
"""A confidence times the number of bins that is so near to a whole number is on the edge of a bin."""
_UNITS = 1_000
"""So many units are given signs at a time."""
_SLACK = 1e-9
"""Two ways to add up one and the same ECE differ by less."""
ClosedEdge: TypeAlias = Literal["left", "right"]
"""Which end of a bin belongs to it: [a, b), the last one closed, or (a, b], the first one closed."""


def equal_width_bins(values: Confidences, bins: int = 10, closed: ClosedEdge = "left") -> list[Bin]:
    """Return the bins of equal width that have values.

    Confidences within 1e-9 of an edge, in widths of a bin, stand on it.
    """
    held = bin_numbers(values.confidence, bins, closed)
    return [_bin(values, held == k, (k / bins, (k + 1) / bins)) for k in np.unique(held).tolist()]


def bin_numbers(confidence: Floats, bins: int, closed: ClosedEdge = "left") -> Ints:
    """Return in which bin of equal width each confidence is."""
    _check_bins(bins)
    places = confidence * bins
    numbers = np.floor(places + _NEAR_EDGE) if closed == "left" else np.ceil(places - _NEAR_EDGE) - 1
    return np.clip(numbers, 0, bins - 1).astype(np.int64)


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


def bin_residuals(confidence: Floats, right: npt.NDArray[np.bool_], units: Ints, size: int, bins: int) -> Floats:
    """Return Σ (right - confidence) over the values of each numbered unit, document or cluster, in each bin."""
    at = units * bins + bin_numbers(confidence, bins)
    sums: Floats = np.bincount(at, right - confidence, size * bins).astype(float)
    return sums.reshape(size, bins)


@dataclass(frozen=True, slots=True)
class ChanceErrors:
    """What ECE would be if every confidence were true: units would be as likely to lie above as below it. They add up.

    ``squares`` has of each bin the sum over units of their squared residuals, ``flipped`` of each draw of signs, and
    each bin, the sum of residuals with these signs.
    """

    squares: Floats
    flipped: Floats

    @classmethod
    def of(cls, residuals: Floats, signs: npt.NDArray[np.int8]) -> ChanceErrors:
        """Return those of units, given the residuals and the drawn signs of each."""
        flipped = np.zeros((signs.shape[1], residuals.shape[1]))
        for start in range(0, len(residuals), _UNITS):
            block = slice(start, start + _UNITS)
            flipped += signs[block].T.astype(float) @ residuals[block]
        return cls((residuals**2).sum(axis=0), flipped)

    def __add__(self, other: ChanceErrors) -> ChanceErrors:
        return ChanceErrors(self.squares + other.squares, self.flipped + other.flipped)

    def mean(self, n: int) -> float:
        """Return the mean of ECE of n values, Σ √(2/π) · √Σr² / n over bins with the residuals r of units."""
        return float(np.sqrt(2 / np.pi * self.squares).sum()) / n

    def p(self, error: float, n: int) -> float:
        """Return the share of draws with an ECE as large as this one, which is counted as one more draw."""
        drawn = np.abs(self.flipped).sum(axis=1) / n
        return (1 + int((drawn >= error - _SLACK).sum())) / (1 + len(drawn))


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


@dataclass(frozen=True, slots=True)
class Discrimination:
    """AUROC with its error and interval; ``se``, ``low`` and ``high`` are None where too little is there to tell."""

    auroc: float
    se: float | None
    low: float | None
    high: float | None


@dataclass(frozen=True, slots=True)
class Placements:
    """Of each confidence, rising: the share of wrong values below it and of right values above it, ties half."""

    confidence: Floats
    below: Floats
    above: Floats
    right: float
    wrong: float
    auroc: float
    added: DocumentSpread
    """What an added document adds to the spread; nothing where there is none."""

    @classmethod
    def of(cls, values: Confidences, *, wrong_added: float = 0.0) -> Placements | None:
        """Place the values; None where all are right or all are wrong.

        ``wrong_added`` values of one more document are wrong, their confidences spread as those of all values.
        """
        rows = values.grouped()
        if not values.errors or values.errors == values.n:
            return None
        more = rows.sizes * (wrong_added / rows.n)
        wrongs, right = rows.wrong + more, float(rows.right.sum())
        wrong = float(wrongs.sum())
        below = (wrongs.cumsum() - wrongs / 2) / wrong
        above = (right - rows.right.cumsum() + rows.right / 2) / right
        auroc = float((rows.right * below).sum()) / right
        moved = float((more * above).sum()) - auroc * wrong_added
        added = DocumentSpread(1, 0, 1, 0.0, moved * moved, 0.0) if wrong_added else DocumentSpread()
        return cls(rows.confidence, below, above, right, wrong, auroc, added)

    def unit_sums(self, confidence: Floats, right: npt.NDArray[np.bool_], units: Ints, size: int) -> Floats:
        """Return of each numbered document, or cluster, how many right and wrong values it has, and their distances
        from AUROC: sums, which add up where a cluster does not come whole.
        """
        at = np.searchsorted(self.confidence, confidence)
        above_area, below_area = np.where(right, self.below[at], 0), np.where(right, 0, self.above[at])
        numbers = np.bincount(units, right, size), np.bincount(units, ~right, size)
        rights = np.bincount(units, above_area, size) - self.auroc * numbers[0]
        wrongs = np.bincount(units, below_area, size) - self.auroc * numbers[1]
        return np.stack([*numbers, rights, wrongs])


@dataclass(frozen=True, slots=True)
class DocumentSpread:
    """How far the values of documents lie from AUROC: sums, over documents, of squares and products; they add up."""

    documents: int = 0
    with_right: int = 0
    with_wrong: int = 0
    right: float = 0.0
    wrong: float = 0.0
    both: float = 0.0

    @classmethod
    def of(cls, sums: Floats) -> DocumentSpread:
        """Return the spread of whole documents, or clusters, given the sums of each."""
        *numbers, rights, wrongs = sums
        return cls(
            documents=int(((numbers[0] + numbers[1]) > 0).sum()),
            with_right=int((numbers[0] > 0).sum()),
            with_wrong=int((numbers[1] > 0).sum()),
            right=float((rights**2).sum()),
            wrong=float((wrongs**2).sum()),
            both=float((rights * wrongs).sum()),
        )

    def __add__(self, other: DocumentSpread) -> DocumentSpread:
        return DocumentSpread(
            self.documents + other.documents,
            self.with_right + other.with_right,
            self.with_wrong + other.with_wrong,
            self.right + other.right,
            self.wrong + other.wrong,
            self.both + other.both,
        )


def clustered_discrimination(placed: Placements, spread: DocumentSpread, confidence: float = 0.95) -> Discrimination:
    """Return AUROC with the error that does not take the values of one document for independent.

    SE² = I'/(I'-1) Σa²/m² + J'/(J'-1) Σb²/n² + 2 I/(I-1) Σab/(mn), with m right and n wrong values, the sums a and b
    of their distances from AUROC in a document, and I documents of which I' have right values and J' wrong ones
    (Obuchowski 1997); with one value in each document it is DeLong's. The interval is logit AUROC ± t · SE, with the
    degrees of the rarer kind of documents; None where only one document has errors or right values, and at 0 and 1.
    """
    check_share("confidence", confidence)
    spread = spread + placed.added
    area, fewest = placed.auroc, min(spread.with_right, spread.with_wrong)
    if fewest < 2:
        return Discrimination(area, None, None, None)
    parts = [
        _corrected(spread.with_right) * spread.right / placed.right**2,
        _corrected(spread.with_wrong) * spread.wrong / placed.wrong**2,
        _corrected(spread.documents) * 2 * spread.both / (placed.right * placed.wrong),
    ]
    se = math.sqrt(max(0.0, sum(parts)))
    if not 0 < area < 1:
        return Discrimination(area, se, None, None)
    return Discrimination(area, se, *logit_interval(area, se, t_quantile(fewest - 1, confidence)))


def _corrected(n: int) -> float:
    return n / (n - 1)


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
