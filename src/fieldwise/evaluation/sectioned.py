"""Documents in sections: each section compared under the spec of its class, all of them counted as one document."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, NamedTuple

from fieldwise.bulk.doc_split import DocSplitClassificationMetrics
from fieldwise.compare import Plan
from fieldwise.compare.own_comparators import described
from fieldwise.counting.cells import Cell, CellCounts, Cells, Group
from fieldwise.counting.tally import DocumentCounts, Tally
from fieldwise.errors import ENDS_ALL
from fieldwise.evaluation.compared import (
    Compared,
    compare,
    has_prediction,
    limits_met,
    matrix_of,
    status_of,
    unusable,
    without_text,
)
from fieldwise.evaluation.outcome import ClassificationFault, ClassPair, Failure, ShardOutcome
from fieldwise.evaluation.sections import SectionPair, pair_sections
from fieldwise.evaluation.settings import Settings
from fieldwise.readers.pairs import MISSING, Pair, Unreadable
from fieldwise.readers.source import Section, Sections
from fieldwise.tables.documents import (
    COMPARATOR_RAISED,
    EXCLUDED_CLASS,
    FAILED,
    NO_PREDICTION,
    SCORED,
    UNREADABLE_EXPECTED,
    UNREADABLE_PREDICTION,
    truth_of,
)
from fieldwise.tables.verdicts import VerdictRows
from fieldwise.values import Json


@contextmanager
def adding_to(cells: Cells, counts: CellCounts, cluster: str) -> Iterator[CellCounts]:
    """Give the counts to which a document is added; where there are clusters, it is first counted alone."""
    if counts.clusters is None:
        yield counts
        return
    alone = cells.new()
    yield alone
    alone.tally.settle()
    if alone.tally.wholes.documents:
        counts.add_in_cluster(cluster, alone)


@dataclass(frozen=True)
class Unit:
    """What is compared under the spec of one class: a section with its partner, or one side of it alone."""

    section: str
    document_class: str | None
    pair: Pair
    spurious: bool = False
    """Whether nobody expects the section."""
    instead_of: str | None = None
    """The class that was expected in its place."""


class ComparedUnit(NamedTuple):
    """A unit, the plan by which it was compared, and what was found; ``status`` is that of its prediction."""

    unit: Unit
    plan: Plan
    found: Compared
    status: str
    reason: str


class NotComparedError(Exception):
    """A section cannot be compared, whatever its prediction is."""


def section_class(section: Section | None, settings: Settings) -> str | None:
    """Return the class of a section as the spec spells it."""
    return None if section is None or section.document_class is None else settings.class_named(section.document_class)


def units_of(found: SectionPair, name: str, settings: Settings) -> list[Unit]:
    """Return what is compared of a section: where the class is wrong, each side alone, under its own class."""
    units = []
    expected, predicted = found.expected, found.predicted
    if expected is not None:
        partner = predicted if found.status == "paired" else None
        own = section_class(expected, settings)
        units.append(Unit(found.id, own, _pair_of(name, expected, partner, own)))
    own = section_class(predicted, settings)
    if predicted is not None and found.status != "paired" and settings.why_excluded(own) is None:
        instead_of = section_class(expected, settings)
        units.append(Unit(predicted.id, own, _pair_of(name, None, predicted, own), True, instead_of))
    return units


def _pair_of(name: str, expected: Section | None, predicted: Section | None, document_class: str | None) -> Pair:
    return Pair(
        name,
        {} if expected is None else expected.content,
        MISSING if predicted is None else predicted.content,
        True,
        None if expected is None else expected.alternates,
        document_class=document_class,
        confidences=None if predicted is None else predicted.confidences,
    )


def compare_unit(unit: Unit, settings: Settings, outcome: ShardOutcome) -> ComparedUnit:
    """Compare a unit; a prediction that cannot be compared counts as missed."""
    pair, form = without_text(unit.pair, settings)
    if form is not None:
        outcome.texts[form] = outcome.texts.get(form, 0) + 1
    for limit in limits_met(pair):
        outcome.note_limit(limit)
    plan = settings.plan_of(unit.document_class, unit.instead_of)
    try:
        status, reason = status_of(pair, settings)
        return ComparedUnit(unit, plan, compare(plan, pair, status, settings, outcome), status, reason)
    except ENDS_ALL:
        raise
    except Exception as error:  # a document never stops the others
        plan.errors.take()
        if not has_prediction(pair):
            raise NotComparedError(f"section {unit.section}: {described(error)}") from error
        pair = pair._replace(predicted=unusable(error))
        status, reason = status_of(pair, settings)
        return ComparedUnit(unit, plan, compare(plan, pair, status, settings, outcome), status, reason)


def summed(counts: Sequence[DocumentCounts], compared: Sequence[ComparedUnit]) -> DocumentCounts:
    """Return what the sections of a document have together; its score is that of all their values."""
    tp, fd, fa, fn, tn = (sum(column) for column in zip(*(held[:5] for held in counts), strict=True))
    scores = [held.score for held in counts if held.score is not None]
    if len(counts) == 1 or not scores:
        return DocumentCounts(tp, fd, fa, fn, tn, scores[0] if scores else None)
    sums = [held.found.comparison.weighted_sums for held in compared]
    total, weight = sum(one for one, _ in sums), sum(one for _, one in sums)
    return DocumentCounts(tp, fd, fa, fn, tn, min(max(total / weight, 0.0), 1.0) if weight else 0.0)


def split_details(sections: Sequence[Sequence[Section]]) -> DocSplitClassificationMetrics:
    """Return how well the pages of a document were split and classified; letter case of classes does not matter."""
    made = DocSplitClassificationMetrics()
    known = [section.document_class for side in reversed(sections) for section in side if section.document_class]
    spelt = {name.casefold(): name for name in known}
    sides = [[_split_row(section, spelt) for section in side] for side in sections]
    made.load_sections(sides[0], sides[1])
    return made


def _split_row(section: Section, spelt: Mapping[str, str]) -> dict[str, Json]:
    return {
        "section_id": section.id,
        "document_class": spelt.get((section.document_class or "").casefold()),
        "page_indices": list(section.pages or ()),
    }


class SectionedDocuments:
    """Evaluates documents in sections, one after the other."""

    def __init__(self, settings: Settings, outcome: ShardOutcome, rows: VerdictRows | None) -> None:
        self._settings, self._outcome, self._rows = settings, outcome, rows

    def evaluate(self, number: int, pair: Pair) -> None:
        """Evaluate a document: counted once, and once in each class of its sections."""
        found = self._compared(number, pair)
        if found is None:
            return
        by_class: dict[str | None, list[int]] = {}
        for at, held in enumerate(found):
            by_class.setdefault(held.unit.document_class, []).append(at)
        self._regroup(number, next(iter(by_class)) if len(by_class) == 1 else None)
        tallies = [Tally() for _ in found]
        counts = [
            tally.add(held.plan.root, held.found.comparison.result) for tally, held in zip(tallies, found, strict=True)
        ]
        matrices = self._matrices(found)
        cells, group = self._outcome.cells, self._outcome.documents.group(number)
        whole = summed(counts, found)
        with adding_to(cells, cells.of(group.cell), group.cluster_of(pair.id)) as into:
            _add(into, pair.id, tallies, whole, matrices)
        for name, places in by_class.items() if len(by_class) > 1 else ():
            part = None if name is None else cells.part(name)
            if part is not None:
                own = summed([counts[at] for at in places], [found[at] for at in places])
                with adding_to(cells, part, group.cluster_of(pair.id)) as into:
                    _add(into, pair.id, [tallies[at] for at in places], own, [matrices[at] for at in places])
        self._keep(number, pair, found, whole)

    def evaluate_trial(self, number: int, pair: Pair, into: CellCounts, tally: Tally) -> DocumentCounts | None:
        """Evaluate one trial of a document, which is added to the tally of its trials."""
        found = self._compared(number, pair)
        if found is None:
            return None
        tallies = [Tally() for _ in found]
        counts = [
            own.add(held.plan.root, held.found.comparison.result) for own, held in zip(tallies, found, strict=True)
        ]
        whole = summed(counts, found)
        tally.add_sections(tallies, whole)
        for matrix in self._matrices(found) if into.aggregator is not None else ():
            if into.aggregator is not None:
                into.aggregator.update(matrix, doc_id=pair.id)
        self._keep(number, pair, found, whole)
        return whole

    def _regroup(self, number: int, document_class: str | None) -> None:
        documents = self._outcome.documents
        group = documents.group(number)
        if document_class is not None or group.cell.slices or group.cluster is not None:
            documents.groups[number] = Group(Cell(document_class, group.cell.slices), group.cluster)

    def _matrices(self, found: Sequence[ComparedUnit]) -> list[Any]:
        if self._settings.unmatched != "objects":
            return [None] * len(found)
        return [matrix_of(held.found.comparison, self._settings) for held in found]

    # What becomes of a document

    def _compared(self, number: int, pair: Pair) -> list[ComparedUnit] | None:
        """Return what was found in each section; None where the document is not scored, which is noted."""
        assert pair.sections is not None
        outcome, settings = self._outcome, self._settings
        unread = _unreadable(pair.sections.expected)
        if not pair.sections.expected:
            self._not_scored(number, pair, *status_of(pair._replace(document_class=None), settings))
            return None
        if unread is not None:
            self._not_scored(number, pair, UNREADABLE_EXPECTED, unread)
            return None
        pairs = pair_sections(pair.sections)
        counted = [held for held in pairs if self._why_excluded(held) is None]
        if not counted:
            self._count_sections(number, pair, pairs)
            self._not_scored(number, pair, EXCLUDED_CLASS, f"{self._why_excluded(pairs[0])}; it is not scored")
            return None
        try:
            units = [unit for held in counted for unit in units_of(held, pair.id, settings)]
            found = [compare_unit(unit, settings, outcome) for unit in units if not is_nothing(unit)]
        except NotComparedError as error:
            self._not_scored(number, pair, FAILED, str(error))
            return None
        self._count_sections(number, pair, pairs)
        return found

    def _why_excluded(self, held: SectionPair) -> str | None:
        section = held.predicted if held.expected is None else held.expected
        return self._settings.why_excluded(None if section is None else section.document_class)

    def _not_scored(self, number: int, pair: Pair, status: str, reason: str) -> None:
        self._outcome.note(status)
        self._outcome.failed[number] = Failure(pair.id, status, reason, pair.trial)
        self._outcome.documents.add(number, None, status, reason)

    def _count_sections(self, number: int, pair: Pair, pairs: Sequence[SectionPair]) -> None:
        assert pair.sections is not None
        counts = self._outcome.sections
        for held in pairs:
            is_excluded = self._why_excluded(held) is not None
            counts.note("excluded" if is_excluded else held.status)
            if held.status != "paired" and not is_excluded:
                counts.faults.append(fault_of(pair.id, held))
            sides = (held.expected, held.predicted)
            counts.remark("wrong_pages", sum(section.wrong_pages > 0 for section in sides if section is not None))
        if any(section.pages for side in pair.sections for section in side):
            for name, count in split_counts(split_details(pair.sections)).items():
                counts.splits[name] = counts.splits.get(name, 0) + count
        judged = [self._classes(held) for held in pairs if self._why_excluded(held) is None]
        unit = self._outcome.documents.group(number).cluster_of(pair.id)
        named = [held for held in judged if held is not None]
        counts.add_classes(unit, named, stays_open=self._settings.cluster_by is not None)
        counts.remark("without_class", len(judged) - len(named))

    def _classes(self, held: SectionPair) -> ClassPair | None:
        """Return both classes of a section; None where a side that is there has none, and may be of any."""
        expected, predicted = (section_class(section, self._settings) for section in held[1:])
        if any(section is not None and section.document_class is None for section in held[1:]):
            return None
        return (expected, expected) if held.status == "paired" else (expected, predicted)

    def _keep(self, number: int, pair: Pair, found: Sequence[ComparedUnit], whole: DocumentCounts) -> None:
        """Keep the rows of a document, and what is to be said of it."""
        truth = None
        if self._rows is not None:
            for held in found:
                named = held.unit.section, held.unit.document_class
                self._rows.add(
                    number, held.plan.root, held.found.comparison.result, held.found.confidences, section=named
                )
            truth = truth_of([held.found.expected for held in found if not held.unit.spurious])
        assert pair.sections is not None
        status, reason = document_status(pair.sections, found, self._settings.plan.errors.take())
        self._outcome.note(status)
        if status != SCORED:
            self._outcome.failed[number] = Failure(pair.id, status, reason, pair.trial)
        self._outcome.documents.add(number, whole, status, reason, truth=truth)


def document_status(
    sections: Sections, found: Sequence[ComparedUnit], raised: Mapping[str, tuple[str, Exception]]
) -> tuple[str, str]:
    """Return what became of a document whose sections were compared, and why where that is not the usual."""
    if not sections.predicted:
        return NO_PREDICTION, "no prediction; every expected value counts as missed"
    odd = [held for held in found if held.status not in (SCORED, NO_PREDICTION)]
    unread = _unreadable(sections.predicted)
    if odd:
        return odd[0].status, f"section {odd[0].unit.section}: {odd[0].reason}"
    if unread is not None:
        return UNREADABLE_PREDICTION, unread
    if raised:
        reasons = [reason for reason, _ in raised.values()]
        return COMPARATOR_RAISED, f"{reasons[0]}; the value counts as a mismatch"
    return SCORED, ""


def _add(
    into: CellCounts, name: str, tallies: Sequence[Tally], counts: DocumentCounts, matrices: Sequence[Any]
) -> None:
    into.tally.add_sections(tallies, counts)
    if into.aggregator is not None:
        for matrix in matrices:
            into.aggregator.update(matrix, doc_id=name)


def _unreadable(sections: Sequence[Section]) -> str | None:
    """Return which of the sections cannot be read, and why; None where all can."""
    reasons = (
        f"section {section.id}: {section.content.reason}"
        for section in sections
        if isinstance(section.content, Unreadable)
    )
    return next(reasons, None)


def is_nothing(unit: Unit) -> bool:
    """Tell whether a unit is a section that nobody expects and nobody can read."""
    return unit.spurious and isinstance(unit.pair.predicted, Unreadable)


def fault_of(document: str, held: SectionPair) -> ClassificationFault:
    """Return what is wrong with a section that has no partner of its class."""
    expected, predicted = held.expected, held.predicted
    return ClassificationFault(
        document,
        held.id,
        held.status,
        None if expected is None else expected.document_class,
        None if predicted is None else predicted.document_class,
        None if expected is None or expected.pages is None else list(expected.pages),
        None if predicted is None or predicted.pages is None else list(predicted.pages),
    )


def split_counts(made: DocSplitClassificationMetrics) -> dict[str, int]:
    """Return the counts of pages and sections of a document, which add."""
    pages = made.calculate_page_level_accuracy()
    split, ordered = made.calculate_split_accuracy_without_order(), made.calculate_split_accuracy_with_order()
    return {
        "total_pages": pages["total_pages"],
        "correctly_classified_pages": pages["correct_pages"],
        "total_splits": split["total_sections"],
        "correctly_split_without_order": split["correct_sections"],
        "correctly_split_with_order": ordered["correct_sections"],
    }
