"""Do confidences tell right from wrong? AUROC with its error, and average precision."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

import numpy as np
import numpy.typing as npt

from fieldwise.stats.clustered import logit_interval, t_quantile
from fieldwise.stats.confidence_values import Confidences, Floats, Ints
from fieldwise.stats.intervals import check_confidence


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
    right: int
    wrong: int
    auroc: float

    @classmethod
    def of(cls, values: Confidences) -> Placements | None:
        """Place the values; None where all are right or all are wrong."""
        rows = values.grouped()
        right, wrong = int(rows.right.sum()), int(rows.wrong.sum())
        if not right or not wrong:
            return None
        below = (rows.wrong.cumsum() - rows.wrong / 2) / wrong
        above = (right - rows.right.cumsum() + rows.right / 2) / right
        return cls(rows.confidence, below, above, right, wrong, float((rows.right * below).sum()) / right)

    def spread(self, confidence: Floats, right: npt.NDArray[np.bool_], documents: Ints) -> DocumentSpread:
        """Return what some documents add to the spread; they are numbered, and each comes whole."""
        at = np.searchsorted(self.confidence, confidence)
        above_area, below_area = np.where(right, self.below[at], 0), np.where(right, 0, self.above[at])
        numbers = np.bincount(documents, right), np.bincount(documents, ~right)
        rights = np.bincount(documents, above_area) - self.auroc * numbers[0]
        wrongs = np.bincount(documents, below_area) - self.auroc * numbers[1]
        return DocumentSpread(
            documents=int(((numbers[0] + numbers[1]) > 0).sum()),
            with_right=int((numbers[0] > 0).sum()),
            with_wrong=int((numbers[1] > 0).sum()),
            right=float((rights**2).sum()),
            wrong=float((wrongs**2).sum()),
            both=float((rights * wrongs).sum()),
        )


@dataclass(frozen=True, slots=True)
class DocumentSpread:
    """How far the values of documents lie from AUROC: sums, over documents, of squares and products; they add up."""

    documents: int = 0
    with_right: int = 0
    with_wrong: int = 0
    right: float = 0.0
    wrong: float = 0.0
    both: float = 0.0

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
    check_confidence(confidence)
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
