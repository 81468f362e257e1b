"""What confidences are worth, in words for people who never heard of an expected calibration error."""

from __future__ import annotations

from fieldwise.numbers import DASH, count, counted, percent, points, rate
from fieldwise.results.calibration import FieldCalibration

REVIEW_SHARE = 0.2
"""The share of review that sentences and tables speak of."""
FEW = 30
"""With fewer values a field says little of itself."""


def signed_error(field: FieldCalibration) -> str:
    """Write mean confidence - share right in points, with as many digits as the rates have."""
    return points(field.signed_error, decimals=1)


def leaning(field: FieldCalibration) -> str:
    """Say on which side confidences err, and how far.

    It is an average: errors in both directions may cancel, which ECE shows.
    """
    error, written = field.signed_error, signed_error(field)
    if error is None:
        return DASH
    if written == "0.0":
        return "neither over- nor under-confident on average"
    return f"{'over' if error > 0 else 'under'}-confident by {written[1:]} points"


def bare_words(field: FieldCalibration) -> str:
    """Say how many predicted values have no confidence, and how to give them one; nothing where all have one."""
    bare = field.predicted - field.n
    if not bare:
        return ""
    return (
        f"{counted(bare, 'predicted value')} without a confidence: one counts if it stands on the value itself, not "
        "around an object or a list, and is a number from 0 to 1."
    )


def caught(field: FieldCalibration, share: float = REVIEW_SHARE) -> float | None:
    """Return the share of errors that reviewing a share of the values catches; None where there are no errors."""
    return next((point.caught for point in field.review if point.share == share), None)


def review_words(field: FieldCalibration) -> str:
    """Say what review is worth."""
    share = caught(field)
    if share is None:
        return "There is no error to catch: every value with a confidence is right."
    return (
        f"Review the {REVIEW_SHARE:.0%} least confident values and you catch {percent(share)} of the errors "
        f"(by chance {REVIEW_SHARE:.0%})."
    )


def accept_words(field: FieldCalibration, target: float) -> str:
    """Say from which confidence on values can be accepted, and how that went on the documents not used to choose."""
    most = f"at most {target * 100:g}% wrong"
    if field.acceptance is None:
        return f"No confidence from which on values are {most} can be shown: {field.undefined.get('acceptance', '')}."
    chosen, held = field.acceptance.chosen, field.acceptance.held_out
    promise = f"Accept from {chosen.threshold:g}: {percent(chosen.coverage)} of values, {most}"
    how = "shown with 95% confidence on one half of the documents, values taken as independent"
    if not held.accepted:
        return f"{promise} ({how}). The other half has no value to check it on."
    around = held.error_rate
    bounds = f", 95% interval {percent(around.low)} to {percent(around.high)}" if around.low is not None else ""
    worse = "" if (around.value or 0.0) <= target else " That is more than promised: don't rely on it."
    return (
        f"{promise} ({how}). On the other half {count(held.errors)} of {count(held.accepted)} accepted values were "
        f"wrong, {percent(around.value)}{bounds}.{worse}"
    )


def auroc_words(field: FieldCalibration) -> str:
    """Write AUROC with its interval, or why there is none."""
    ranking = field.auroc
    if ranking is None:
        return field.undefined.get("auroc", "")
    if ranking.low is None or ranking.high is None:
        return f"no interval: {field.undefined.get('auroc_interval', '')}"
    return f"{rate(ranking.low)} to {rate(ranking.high)}"
