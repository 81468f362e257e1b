"""What the confidences of a run are worth: of all predicted values together, and of each field."""

from __future__ import annotations

from typing import Literal, TypeAlias

from fieldwise.results.core import Number, Result, Share, Shown
from fieldwise.results.rates import Rate

Guarantee: TypeAlias = Literal["error", "expectation"]
"""What a threshold to accept from promises: that at most a share of the accepted values is wrong, with 97.5%
confidence; or that on average over documents at most that share of a document's values is wrong and accepted."""


class Bin(Result, frozen=True):
    """Values of like confidence: how many, their mean confidence, and the share that is right, values as units."""

    low: Share
    high: Share
    count: Number
    confidence: Share
    accuracy: Rate

    @property
    def right(self) -> float:
        """The share that is right; a bin has values."""
        return self.accuracy.value or 0.0

    @property
    def bounds(self) -> tuple[float, float]:
        """The interval of that share."""
        return self.accuracy.interval or (0.0, 1.0)


class Brier(Result, frozen=True):
    """The mean of (confidence - right)² and its parts: score ≈ reliability - resolution + uncertainty.

    The parts are those of bins, so equality holds up to the spread of confidences inside a bin (Murphy 1973).
    """

    score: float
    reliability: float
    resolution: float
    uncertainty: float


class CurvePoint(Result, frozen=True):
    """A point of a curve: after the values up to ``confidence``, the share of all values and the figure they have."""

    confidence: Share
    share: Share
    figure: Share


class Reviewed(Result, frozen=True):
    """The share of errors that reviewing a share of the values, the least confident, catches."""

    share: Share
    caught: Share


class AcceptThreshold(Result, frozen=True):
    """Values of at least this confidence are accepted: how many, their errors, and the bound of what is promised.

    ``n`` documents, or clusters, are behind that bound.
    """

    threshold: Share
    accepted: Number
    errors: Number
    upper: Share
    coverage: Share
    n: Number


class HeldOut(Result, frozen=True):
    """What thresholds did on documents on which they were not chosen: each half chose one, which the other checked.

    ``thresholds`` are those of the two halves, None where a half alone shows none. The rate is the one that is
    promised, with documents, or clusters, as units of its interval.
    """

    thresholds: tuple[Share | None, Share | None]
    values: Number
    accepted: Number
    errors: Number
    error_rate: Rate


class Acceptance(Result, frozen=True):
    """A threshold to accept from, chosen on all documents, and how choosing on one half does on the other."""

    chosen: AcceptThreshold
    held_out: HeldOut


class FieldCalibration(Result, frozen=True):
    """What the confidences of a field, or of all fields, are worth; None is what is undefined.

    ``undefined`` says why. ``n`` of the predicted values carry a confidence. A right value is a match; a mismatch and
    a spurious value are wrong. ``missed`` values were never predicted and are in none of the figures. ``coverage`` is
    n / predicted, ``accuracy`` right / n, ``signed_error`` mean confidence - accuracy: above 0 is over-confident.
    ``ece_by_chance`` is what ECE would be on average if every confidence were true, with documents, or clusters, as
    units; ``ece_beyond_chance`` what it is above that, and ``ece_p`` the chance of so large an ECE if they were true.
    """

    name: str
    documents: Number
    predicted: Number
    missed: Number
    n: Number
    right: Number
    coverage: Share | None
    accuracy: Share | None
    signed_error: float | None
    mean_confidence: Share | None
    bins: tuple[Bin, ...]
    ece: float | None
    ece_by_chance: float | None
    ece_beyond_chance: float | None
    ece_p: Share | None
    ece_equal_mass: float | None
    mce: float | None
    brier: Brier | None
    log_loss: float | None
    spiegelhalter_z: float | None
    auroc: Rate | None
    error_average_precision: float | None
    review: tuple[Reviewed, ...]
    review_curve: tuple[CurvePoint, ...]
    review_area: float | None
    risk_curve: tuple[CurvePoint, ...]
    risk_area: float | None
    acceptance: Acceptance | None
    undefined: dict[str, str]


class Calibration(Shown, frozen=True):
    """The calibration of a run: of all values together, and of each field that has confidences.

    First come the fields whose ECE is shown to be more than chance, then by what it is beyond chance.
    """

    bins: Number
    target_error: Share
    guarantee: Guarantee
    pooled: FieldCalibration
    fields: dict[str, FieldCalibration]
    without_confidences: tuple[str, ...]
    """Fields with predicted values, none of which carries a confidence."""
    spec_fingerprint: str | None
    cluster_by: str | None = None
    """The key of documents that belong together: these clusters are the units of intervals."""
