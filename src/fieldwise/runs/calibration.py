"""What the confidences of one field, or of all together, are worth: a typed result, and the same as JSON."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

from msgspec import to_builtins

from fieldwise.results.rates import Rate
from fieldwise.stats.calibration import (
    Brier,
    ReliabilityBin,
    brier,
    calibration_error,
    equal_mass_bins,
    equal_width_bins,
    log_loss,
    maximum_calibration_error,
    spiegelhalter_z,
)
from fieldwise.stats.confidence_values import Confidences
from fieldwise.stats.discrimination import Discrimination, average_precision
from fieldwise.stats.review import (
    AcceptThreshold,
    CurvePoint,
    area_of_review,
    area_of_risk,
    errors_caught,
    review_curve,
    risk_coverage,
)

REVIEWED = (0.05, 0.1, 0.2, 0.3, 0.5)
"""The shares of values for which the errors caught by review are told."""
_CURVE_POINTS = 200


@dataclass(frozen=True, slots=True)
class HeldOut:
    """What a threshold did on the documents on which it was not chosen; the rate's interval has them as units."""

    values: int
    accepted: int
    errors: int
    error_rate: Rate

    @property
    def coverage(self) -> float | None:
        """The share of values that is accepted."""
        return self.accepted / self.values if self.values else None


@dataclass(frozen=True, slots=True)
class Acceptance:
    """A threshold to accept from, chosen on one half of the documents and checked on the other."""

    chosen: AcceptThreshold
    held_out: HeldOut


@dataclass(frozen=True, slots=True)
class Reviewed:
    """The share of errors that reviewing a share of the values, the least confident, catches."""

    share: float
    caught: float


@dataclass(frozen=True, slots=True)
class Calibration:
    """What confidences are worth. ``n`` of the predicted values carry one; None is what is undefined.

    ``undefined`` says why. A right value is a match; a mismatch and a spurious value are wrong. ``missed`` values
    were never predicted and are in none of the figures.
    """

    name: str
    documents: int
    predicted: int
    missed: int
    n: int
    right: int
    mean_confidence: float | None
    bins: tuple[ReliabilityBin, ...]
    ece: float | None
    ece_equal_mass: float | None
    mce: float | None
    brier: Brier | None
    log_loss: float | None
    spiegelhalter_z: float | None
    auroc: Discrimination | None
    error_average_precision: float | None
    review: tuple[Reviewed, ...]
    review_curve: tuple[CurvePoint, ...]
    review_area: float | None
    risk_curve: tuple[CurvePoint, ...]
    risk_area: float | None
    acceptance: Acceptance | None
    undefined: Mapping[str, str]

    @property
    def coverage(self) -> float | None:
        """The share of predicted values that carry a confidence."""
        return self.n / self.predicted if self.predicted else None

    @property
    def accuracy(self) -> float | None:
        """The share of values with a confidence that is right."""
        return self.right / self.n if self.n else None

    @property
    def signed_error(self) -> float | None:
        """Mean confidence - accuracy: above 0 is over-confident."""
        return None if self.mean_confidence is None or self.accuracy is None else self.mean_confidence - self.accuracy

    def as_json(self) -> dict[str, Any]:
        """Return everything as JSON."""
        found: dict[str, Any] = to_builtins(asdict(self))
        counts = {key: found.pop(key) for key in ("documents", "predicted", "missed", "n", "right")}
        shares = {key: getattr(self, key) for key in ("coverage", "accuracy", "signed_error")}
        return {**counts, **shares, **{key: value for key, value in found.items() if key != "name"}}


@dataclass(frozen=True, slots=True)
class Counted:
    """What was counted beside the confidences themselves."""

    name: str
    documents: int
    predicted: int
    missed: int


def calibration_of(
    counted: Counted,
    values: Confidences,
    *,
    bins: int,
    auroc: Discrimination | None,
    acceptance: Acceptance | None,
    undefined: Mapping[str, str],
) -> Calibration:
    """Compute everything that the values alone tell, and put the rest beside it."""
    width, mass = equal_width_bins(values, bins), equal_mass_bins(values, bins)
    return Calibration(
        name=counted.name,
        documents=counted.documents,
        predicted=counted.predicted,
        missed=counted.missed,
        n=values.n,
        right=values.n - values.errors,
        mean_confidence=float((values.confidence * values.sizes).sum()) / values.n if values.n else None,
        bins=tuple(width),
        ece=calibration_error(width),
        ece_equal_mass=calibration_error(mass),
        mce=maximum_calibration_error(width),
        brier=brier(values, width),
        log_loss=log_loss(values),
        spiegelhalter_z=spiegelhalter_z(values),
        auroc=auroc,
        error_average_precision=average_precision(values, "wrong"),
        review=_reviewed(values),
        review_curve=tuple(review_curve(values, most=_CURVE_POINTS)),
        review_area=area_of_review(values),
        risk_curve=tuple(risk_coverage(values, most=_CURVE_POINTS)),
        risk_area=area_of_risk(values),
        acceptance=acceptance,
        undefined={**_why(values), **undefined},
    )


def _reviewed(values: Confidences) -> tuple[Reviewed, ...]:
    if not values.errors:
        return ()
    return tuple(Reviewed(share, errors_caught(values, share * values.n) / values.errors) for share in REVIEWED)


def _why(values: Confidences) -> dict[str, str]:
    """Say why a figure is undefined."""
    why: dict[str, str] = {}
    if not values.n:
        return why
    if not values.errors:
        why["auroc"] = why["review"] = why["error_average_precision"] = "every value is right"
    elif values.errors == values.n:
        why["auroc"] = "every value is wrong"
    if log_loss(values) is None:
        why["log_loss"] = "a wrong value has the confidence 1, or a right one 0"
    if spiegelhalter_z(values) is None:
        why["spiegelhalter_z"] = "every confidence is 0, 0.5 or 1"
    return why
