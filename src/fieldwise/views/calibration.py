"""What confidences are worth: sentences for people who never heard of ECE, and the fields, worst first."""

from __future__ import annotations

from fieldwise.results.calibration import Calibration, FieldCalibration, Guarantee, HeldOut
from fieldwise.results.page import CalibrationWords, ConfidencePage
from fieldwise.text import one_line
from fieldwise.views.numbers import chance, count, counted, interval, number, percent, points, rate, whole_percent
from fieldwise.views.parts import Cell, Headline, Part, Row, Sentence, Table, View
from fieldwise.views.words import DASH, WORDS, Column, columns

REVIEW_SHARE = 0.2
"""The share of review that sentences and tables speak of."""
FEW = WORDS.few_values.below
"""With fewer values a field says little of itself."""
_REVIEW = whole_percent(REVIEW_SHARE)


def calibration_view(calibration: Calibration, *, most: int | None = None) -> View:
    """Return what confidences are worth; ``most`` limits the fields."""
    shown = [*calibration.fields.values()][:most]
    parts: list[Part] = [*_summary(calibration)]
    parts.append(Table(calibration_columns(calibration), tuple(map(_field, shown))))
    if hidden := len(calibration.fields) - len(shown):
        parts.append(Sentence(f"{counted(hidden, 'better field')} not listed", "quiet", more="calibrated_fields"))
    if calibration.without_confidences:
        parts.append(_quiet(f"Without confidences: {one_line(', '.join(calibration.without_confidences))}"))
    if bare := bare_words(calibration.pooled):
        parts.append(_quiet(bare))
    if any(one.n < FEW for one in shown):
        parts.append(_quiet(WORDS.few_values.note))
    return View(tuple(parts))


def confidence_answers(calibration: Calibration) -> ConfidencePage:
    """Return what a page shows of confidences: the figures, and sentences about them."""

    def words(field: FieldCalibration) -> CalibrationWords:
        return CalibrationWords(
            f"{leaning(field).capitalize()}.",
            accept_words(field, calibration.target_error, calibration.guarantee),
            bare_words(field),
        )

    fields = {name: words(field) for name, field in calibration.fields.items()}
    return ConfidencePage(calibration, words(calibration.pooled), fields)


def _quiet(words: str) -> Sentence:
    return Sentence(words, "quiet")


def calibration_columns(calibration: Calibration) -> tuple[Column, ...]:
    """Return the columns of the fields, with the numbers that their headings name."""
    target = whole_percent(calibration.target_error)
    return columns("calibration", bins=str(calibration.bins), review=_REVIEW, target=target)


def _summary(calibration: Calibration) -> list[Part]:
    total = calibration.pooled
    covered = f"({percent(total.coverage)} of {count(total.predicted)} predicted)"
    how = f"mean confidence {rate(total.mean_confidence)}, right {rate(total.accuracy)}"
    figures = [
        f"ECE {rate(total.ece)} ({calibration.bins} bins; by chance alone {rate(total.ece_by_chance)}, "
        f"p = {chance(total.ece_p)}), with equal-mass bins {rate(total.ece_equal_mass)}".replace("= <", "<"),
        f"Brier {rate(total.brier.score if total.brier else None)}",
        f"log loss {rate(total.log_loss)}",
        f"AUROC {rate(total.auroc.value if total.auroc else None)} ({auroc_words(total)})",
    ]
    return [
        Headline(
            Sentence(counted(total.documents, "document")),
            Sentence(
                f"{counted(total.n, 'value')} with a confidence {covered}, "
                f"{counted(total.missed, 'missed value')} without one"
            ),
        ),
        Headline(Sentence(leaning(total).capitalize()), Sentence(f"{how}.")),
        Sentence(review_words(total)),
        Sentence(accept_words(total, calibration.target_error, calibration.guarantee)),
        _quiet("   ".join(figures)),
    ]


def _field(field: FieldCalibration) -> Row:
    ranking, chosen = field.auroc, field.acceptance.chosen if field.acceptance else None
    return Row(
        (
            Cell(field.name, aside=WORDS.few_values.mark if field.n < FEW else ""),
            *(Cell(field.ece), Cell(field.signed_error), Cell(field.accuracy), Cell(field.mean_confidence)),
            *(Cell(field.coverage), Cell(field.n)),
            Cell(ranking.value if ranking else None, aside=interval(ranking.interval) if ranking else ""),
            Cell(caught(field)),
            Cell(chosen.threshold, aside=f"({percent(chosen.coverage)})") if chosen else Cell(),
        )
    )


def leaning(field: FieldCalibration) -> str:
    """Say on which side confidences err, and how far.

    It is an average: errors in both directions may cancel, which ECE shows.
    """
    error = field.signed_error
    written = points(error, decimals=1)
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
        f"{counted(bare, 'predicted value')} without a confidence, which is a number from 0 to 1 on the value "
        "itself, not around an object or a list."
    )


def caught(field: FieldCalibration, share: float = REVIEW_SHARE) -> float | None:
    """Return the share of errors that reviewing a share of the values catches; None where there are no errors."""
    return next((point.caught for point in field.review if point.share == share), None)


def review_words(field: FieldCalibration) -> str:
    """Say what review is worth."""
    share = caught(field)
    if share is None:
        return WORDS.notes["no_errors"]
    return WORDS.notes["review"].format(share=_REVIEW, caught=percent(share))


def accept_words(field: FieldCalibration, target: float, guarantee: Guarantee = "error") -> str:
    """Say from which confidence on values can be accepted, what that promises, and how choosing it does elsewhere."""
    promise = f"at most {whole_percent(target)} wrong"
    how = "97.5% confidence, by documents"
    if guarantee == "expectation":
        promise = f"on average over documents at most {whole_percent(target)} of a document's values wrong and accepted"
        how = "conformal risk control"
    if field.acceptance is None:
        return f"No confidence is shown from which on {promise}: {field.undefined.get('acceptance', '')}."
    chosen = field.acceptance.chosen
    accepted = f"Accept from {number(chosen.threshold)}: {percent(chosen.coverage)} of values, {promise} ({how})."
    return f"{accepted} {_checked(field.acceptance.held_out, target, guarantee)}"


def _checked(held: HeldOut, target: float, guarantee: Guarantee) -> str:
    if not held.accepted:
        return "Each half of the documents alone shows no threshold, so that it cannot be checked on the other."
    around = held.error_rate
    bounds = f", 95% interval {percent(around.low)} to {percent(around.high)}" if around.low is not None else ""
    worse = "" if (around.value or 0.0) <= target else " That is more than promised: don't rely on it."
    rate_of = " of a document's values on average" if guarantee == "expectation" else ""
    return (
        f"Chosen on one half of the documents, it had {count(held.errors)} of {count(held.accepted)} accepted values "
        f"wrong on the other, {percent(around.value)}{rate_of}{bounds}.{worse}"
    )


def auroc_words(field: FieldCalibration) -> str:
    """Write AUROC with its interval, or why there is none."""
    ranking = field.auroc
    if ranking is None:
        return field.undefined.get("auroc", "")
    if ranking.low is None or ranking.high is None:
        return f"no interval: {field.undefined.get('auroc_interval', '')}"
    return f"{rate(ranking.low)} to {rate(ranking.high)}"
