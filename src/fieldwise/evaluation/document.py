"""One document compared: what became of it, and what was found in each of its sections.

A plain document is its own only section, and each trial of a document has an outcome of its own. Nothing is counted or
written here: counts, rows and results.json are made of the same outcome.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from fieldwise.compare import Plan
from fieldwise.compare.comparison import Comparison
from fieldwise.compare.own_comparators import described
from fieldwise.compare.rich_values import unwrap
from fieldwise.errors import ENDS_ALL
from fieldwise.evaluation.sections import SectionPair, SectionStatus, pair_sections
from fieldwise.evaluation.settings import WRAPPER, Settings
from fieldwise.readers.about import Scaled, scaled
from fieldwise.readers.envelopes import may_hold_json, read_text
from fieldwise.readers.pairs import MISSING, Conflicting, Missing, Pair, Unreadable
from fieldwise.readers.source import FromText, Nameless, Section, TextForm
from fieldwise.readers.trials import times
from fieldwise.results.statuses import (
    COMPARATOR_RAISED,
    COUNTED,
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

ONLY_SECTION = "1"
"""The id of a plain document as its own section."""
NOT_SURE = Scaled({}, was_percent=False, unusable=0)
"""The confidences of a prediction that states none."""


class Faulty(Unreadable):
    """An expected document that can be read but not counted."""


class Unit(NamedTuple):
    """What is compared under the spec of one class: a section with its partner, or one side of it alone."""

    id: str
    document_class: str | None
    pair: Pair
    pairing: SectionStatus
    is_expected: bool = True
    """False where nobody expects the section."""
    instead_of: str | None = None
    """The class that was expected in its place."""


class ComparedSection(NamedTuple):
    """A unit that was compared; ``status`` and ``reason`` are those of its prediction."""

    unit: Unit
    plan: Plan
    comparison: Comparison
    truth: Json
    """The expected side without what wraps its values."""
    confidences: Scaled
    """How sure the prediction is, by path."""
    status: str = SCORED
    reason: str = ""
    form: TextForm | None = None
    """How the prediction was written, where it was read from text."""
    matrix: dict[str, Any] | None = None
    """The confusion matrix in which list rows count as objects, where that is how they count."""
    limit: str = ""
    """The limit of reading that the prediction is over, be it one that was read from text."""


class DocumentOutcome(NamedTuple):
    """What became of a document, or of one trial of it; nothing is ``compared`` of one that is not scored."""

    pair: Pair
    status: str
    reason: str = ""
    compared: Sequence[ComparedSection] = ()
    sections: Sequence[SectionPair] = ()
    """The sections that are scored, paired."""
    excluded: Sequence[tuple[SectionPair, str]] = ()
    """The sections that are not scored, and why."""
    limits: frozenset[str] = frozenset()
    """The limits of reading that its sides are over."""
    blocks: Sequence[str] = ()
    """The paths of the lists that were too long to be paired but in blocks."""


class NotComparedError(Exception):
    """A section cannot be compared, whatever its prediction is."""

    def __init__(self, section: str, reason: str) -> None:
        super().__init__(section, reason)
        self.section, self.reason = section, reason


def evaluate_document(pair: Pair, settings: Settings) -> DocumentOutcome:
    """Compare a document, or one trial of it, section by section, each under the spec of its class.

    A prediction that cannot be compared counts as missed. What becomes of a document is asked in one order. First,
    whether it is scored: by its class, its id and its truth; then by the truth of each section; then by the classes of
    its sections. Of what was compared: whether there is a prediction, whether one of a section is unusable, and whether
    a comparator raised.
    """
    limits = _limits_met(pair)
    status, reason = status_of(pair, settings)
    if status not in COUNTED:
        return DocumentOutcome(pair, status, reason, limits=limits)
    unread = None if pair.sections is None else _unreadable(pair.sections.expected)
    if unread is not None:
        return DocumentOutcome(pair, UNREADABLE_EXPECTED, unread, limits=limits)
    sections, excluded = _scored(section_pairs(pair), settings)
    units = [unit for section in sections for unit in units_of(section, pair, settings) if not _is_nothing(unit)]
    if not units:
        why = f"{excluded[0][1]}; it is not scored"
        return DocumentOutcome(pair, EXCLUDED_CLASS, why, (), sections, excluded, limits=limits)
    count, errors = settings.plan.work.now, settings.plan.errors
    try:
        compared = [compare_unit(unit, settings) for unit in units]
    except NotComparedError as error:
        return DocumentOutcome(pair, FAILED, _about(pair, error.section, error.reason), limits=limits)
    finally:
        raised = [reason for reason, _ in errors.take().values()] if errors.current else []
        blocks = count.noted() if count.in_blocks else ()
    limits |= {section.limit for section in compared if section.limit}
    if status != NO_PREDICTION:
        status, reason = _status_of_compared(pair, compared, raised)
    return DocumentOutcome(pair, status, reason, compared, sections, excluded, limits, blocks)


def _status_of_compared(pair: Pair, compared: Sequence[ComparedSection], raised: Sequence[str]) -> tuple[str, str]:
    """Return what became of a document of which something was predicted, and why where that is not the usual."""
    for section in compared:
        if section.status not in (SCORED, NO_PREDICTION):
            return section.status, _about(pair, section.unit.id, section.reason)
    unread = None if pair.sections is None else _unreadable(pair.sections.predicted)
    if unread is not None:
        return UNREADABLE_PREDICTION, unread
    if raised:
        more = f"; {len(raised) - 1} more fields" if len(raised) > 1 else ""
        return COMPARATOR_RAISED, f"{raised[0]}{more}; the value counts as a mismatch"
    for section in compared:
        if section.form is not None:
            return SCORED, _about(pair, section.unit.id, _FORMS[section.form])
    return SCORED, ""


def _limits_met(pair: Pair) -> frozenset[str]:
    sides = [pair.expected, pair.predicted]
    if pair.sections is not None:
        sides += [section.content for side in pair.sections for section in side]
    return frozenset([side.limit for side in sides if isinstance(side, Unreadable) and side.limit])


def _unreadable(sections: Sequence[Section]) -> str | None:
    """Return which of the sections cannot be read, and why; None where all can."""
    for section in sections:
        if isinstance(section.content, Unreadable):
            return f"section {section.id}: {section.content.reason}"
    return None


# Sections


def section_pairs(pair: Pair) -> Sequence[SectionPair]:
    """Return the sections of a document, paired: a plain one is its own only section."""
    if pair.sections is not None:
        return pair_sections(pair.sections)
    document_class, predicted = pair.document_class, pair.predicted
    expected = Section(ONLY_SECTION, pair.expected, document_class)
    if predicted is MISSING or (document_class is None and isinstance(predicted, Unreadable)):
        return [SectionPair("lost", expected, None)]
    return [SectionPair("paired", expected, Section(ONLY_SECTION, predicted, document_class))]


def _scored(
    sections: Sequence[SectionPair], settings: Settings
) -> tuple[Sequence[SectionPair], Sequence[tuple[SectionPair, str]]]:
    """Return the sections that are scored, and the others with the reason."""
    if not settings.excludes_classes:
        return sections, ()
    reasons = [settings.why_excluded(held.document_class) for held in sections]
    scored = [held for held, why in zip(sections, reasons, strict=True) if why is None]
    return scored, [(held, why) for held, why in zip(sections, reasons, strict=True) if why is not None]


def section_class(section: Section | None, settings: Settings) -> str | None:
    """Return the class of a section as the spec spells it."""
    return None if section is None or section.document_class is None else settings.class_named(section.document_class)


def units_of(held: SectionPair, pair: Pair, settings: Settings) -> list[Unit]:
    """Return what is compared of a section: where the class is wrong, each side alone, under its own class."""
    status, expected, predicted = held
    if pair.sections is None:
        return [Unit(held.id, section_class(expected, settings), pair, status)]
    units = []
    expected_class, predicted_class = section_class(expected, settings), section_class(predicted, settings)
    if expected is not None:
        partner = predicted if status == "paired" else None
        units.append(Unit(held.id, expected_class, _pair_of(pair.id, expected, partner), status))
    if predicted is not None and status != "paired" and settings.why_excluded(predicted_class) is None:
        alone = _pair_of(pair.id, None, predicted)
        units.append(Unit(predicted.id, predicted_class, alone, status, False, expected_class))
    return units


def _pair_of(name: str, expected: Section | None, predicted: Section | None) -> Pair:
    return Pair(
        name,
        {} if expected is None else expected.content,
        MISSING if predicted is None else predicted.content,
        True,
        None if expected is None else expected.alternates,
        confidences=None if predicted is None else predicted.confidences,
    )


def _is_nothing(unit: Unit) -> bool:
    """Tell whether a unit is a section that nobody expects and nobody can read."""
    return not unit.is_expected and isinstance(unit.pair.predicted, Unreadable)


def _about(pair: Pair, section: str, reason: str) -> str:
    """Return a reason with the section that it is about, where a document has sections."""
    return reason if pair.sections is None else f"section {section}: {reason}"


# Comparing


def compare_unit(unit: Unit, settings: Settings) -> ComparedSection:
    """Compare a unit; a prediction that cannot be compared counts as missed."""
    try:
        return _compared(unit, settings)
    except ENDS_ALL:
        raise
    except Exception as error:  # a document never stops the others
        settings.plan.errors.take()
        if not has_prediction(unit.pair):
            raise NotComparedError(unit.id, described(error)) from error
        return compare_unit(unit._replace(pair=unit.pair._replace(predicted=unusable(error))), settings)


def _compared(unit: Unit, settings: Settings) -> ComparedSection:
    pair, form = _without_text(unit.pair, settings)
    status, reason = status_of(pair, settings)
    plan = settings.plan_of(unit.document_class, unit.instead_of)
    expected, predicted = pair.expected, None if status in _UNUSABLE else pair.predicted
    if settings.wrapped:
        expected, predicted = {WRAPPER: expected}, {WRAPPER: predicted}
    sure: Mapping[str, Json] = {} if pair.confidences is None else pair.confidences.values
    as_came: dict[int, Sequence[Json]] = {}
    if pair.rich:
        sides = [unwrap(side, plan.root, escaped=True) for side in (expected, predicted)]
        expected, predicted = (side.document for side in sides)
        as_came = {**sides[0].as_came, **sides[1].as_came}
        sure = {**sure, **sides[1].confidences}
    comparison = plan.compare(expected, predicted, alternates=pair.alternates, as_came=as_came)
    matrix = _matrix_of(comparison, settings) if settings.unmatched == "objects" else None
    confidences = scaled(sure) if sure else NOT_SURE
    limit = pair.predicted.limit if isinstance(pair.predicted, Unreadable) else ""
    return ComparedSection(unit, plan, comparison, expected, confidences, status, reason, form, matrix, limit)


def _matrix_of(comparison: Comparison, settings: Settings) -> dict[str, Any]:
    """Return the confusion matrix in which list rows count as objects."""
    shown = comparison.to_dict(include_confusion_matrix=True, unmatched="objects", extras=settings.extras)
    return shown["confusion_matrix"]  # type: ignore[no-any-return]  # a dict of dicts


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


_UNUSABLE = (NO_PREDICTION, UNREADABLE_PREDICTION)
_SHAPES: dict[type, str] = {type(None): "null", str: "a text", list: "a list", bool: "true or false"}
_FORMS: dict[TextForm, str] = {
    "fence": "the prediction was read from a code fence",
    "text": "the prediction was a text that holds JSON",
}


def _without_text(pair: Pair, settings: Settings) -> tuple[Pair, TextForm | None]:
    """Return the pair with a prediction that was written as text taken out of it, and how it was written."""
    predicted = pair.predicted
    if type(predicted) is str and type(pair.expected) is dict and not settings.wrapped and may_hold_json(predicted):
        predicted = read_text(predicted, settings.reading.max_depth)
    if isinstance(predicted, FromText):
        return pair._replace(predicted=predicted.document, rich=True), predicted.form
    return pair if predicted is pair.predicted else pair._replace(predicted=predicted), None


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
