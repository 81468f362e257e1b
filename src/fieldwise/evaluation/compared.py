"""Comparing one pair, whatever its sides are: what becomes of it, and what is found where it is compared."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

from fieldwise.compare import Plan
from fieldwise.compare.comparison import Comparison
from fieldwise.compare.own_comparators import described
from fieldwise.compare.rich_values import unwrap
from fieldwise.evaluation.outcome import ShardOutcome
from fieldwise.evaluation.settings import Settings
from fieldwise.readers.about import scaled
from fieldwise.readers.envelopes import may_hold_json, read_text
from fieldwise.readers.pairs import MISSING, Conflicting, Missing, Pair, Unreadable
from fieldwise.readers.source import FromText, Nameless, TextForm
from fieldwise.readers.trials import times
from fieldwise.tables.documents import (
    EXCLUDED_CLASS,
    FAILED,
    NO_EXPECTED,
    NO_PREDICTION,
    SCORED,
    UNREADABLE_EXPECTED,
    UNREADABLE_PREDICTION,
    WRONG_PREDICTION,
)
from fieldwise.values import Json


class Faulty(Unreadable):
    """An expected document that can be read but not counted."""


class Compared(NamedTuple):
    """A comparison, the expected document without its wrappings, and how sure the prediction is, by path."""

    comparison: Comparison
    expected: Json
    confidences: dict[str, float]


def compare(plan: Plan, pair: Pair, status: str, settings: Settings, outcome: ShardOutcome) -> Compared:
    """Compare a pair; what is odd about its confidences is noted."""
    expected, predicted = (unwrap(side, plan.root, escaped=True) for side in _sides(pair, status, settings))
    comparison = plan.compare(
        expected.document,
        predicted.document,
        alternates=pair.alternates,
        as_came={**expected.as_came, **predicted.as_came},
    )
    beside = pair.confidences.values if pair.confidences is not None else {}
    if not beside and not predicted.confidences:
        return Compared(comparison, expected.document, {})
    sure = scaled({**beside, **predicted.confidences})
    outcome.sections.remark("percentages", int(sure.was_percent))
    outcome.sections.remark("unusable_confidences", sure.unusable)
    return Compared(comparison, expected.document, sure.values)


def limits_met(pair: Pair) -> set[str]:
    """Return the limits of reading that a document is over."""
    return {side.limit for side in (pair.expected, pair.predicted) if isinstance(side, Unreadable) and side.limit}


def matrix_of(comparison: Comparison, settings: Settings) -> dict[str, Any]:
    """Return the confusion matrix in which list rows count as objects."""
    shown = comparison.to_dict(include_confusion_matrix=True, unmatched="objects", extras=settings.extras)
    return shown["confusion_matrix"]  # type: ignore[no-any-return]  # a dict of dicts


def _sides(pair: Pair, kind: str, settings: Settings) -> Iterator[Json]:
    unusable = kind in (NO_PREDICTION, UNREADABLE_PREDICTION)
    for side in (pair.expected, None if unusable else pair.predicted):
        yield {"document": side} if settings.wrapped else side


def status_of(pair: Pair, settings: Settings) -> tuple[str, str]:
    """Return what becomes of a pair, and why where that is not the usual."""
    excluded = settings.why_excluded(pair.document_class)
    if excluded is not None and pair.expected is not MISSING:
        return EXCLUDED_CLASS, f"{excluded}; it is not scored"
    if isinstance(pair.predicted, Nameless):
        return FAILED, f"{pair.predicted.reason}; it belongs to no document"
    if pair.expected is MISSING:
        why = f"; {pair.predicted.reason}" if isinstance(pair.predicted, Unreadable) else ""
        return NO_EXPECTED, f"a prediction without an expected document; it is not scored{why}"
    if isinstance(pair.expected, Unreadable):
        is_read = isinstance(pair.expected, Conflicting | Faulty)
        return FAILED if is_read else UNREADABLE_EXPECTED, pair.expected.reason
    if pair.predicted is MISSING:
        return NO_PREDICTION, f"{_no_prediction(pair)}; every expected value counts as missed"
    if isinstance(pair.predicted, Unreadable):
        return UNREADABLE_PREDICTION, pair.predicted.reason
    if not settings.wrapped and isinstance(pair.expected, dict) and not isinstance(pair.predicted, dict):
        shape = _SHAPES.get(type(pair.predicted), "a number")
        return WRONG_PREDICTION, f"the prediction is {shape}, not an object; every expected value counts as missed"
    return SCORED, ""


FORMS: dict[TextForm | None, str] = {
    None: "",
    "fence": "the prediction was read from a code fence",
    "text": "the prediction was a text that holds JSON",
}


def without_text(pair: Pair, settings: Settings) -> tuple[Pair, TextForm | None]:
    """Return the pair with a prediction that was written as text taken out of it, and how it was written."""
    predicted = pair.predicted
    if type(predicted) is str and type(pair.expected) is dict and not settings.wrapped and may_hold_json(predicted):
        predicted = read_text(predicted, settings.reading.max_depth)
    if isinstance(predicted, FromText):
        return pair._replace(predicted=predicted.document, rich=True), predicted.form
    return pair._replace(predicted=predicted), None


_SHAPES: dict[type, str] = {type(None): "null", str: "a text", list: "a list", bool: "true or false"}


def _no_prediction(pair: Pair) -> str:
    if pair.trials == 1:
        return "no prediction"
    return f"id {pair.id!r} occurs {times(pair.trials)}, and trial {pair.trial} has no prediction"


def unusable(error: BaseException | None) -> Unreadable:
    """Return what a prediction is that cannot be compared."""
    return Unreadable(f"the prediction cannot be compared: {described(error)}; every expected value counts as missed")


def has_prediction(pair: Pair) -> bool:
    """Tell whether there is a prediction that can be read."""
    return not isinstance(pair.predicted, Unreadable | Missing)
