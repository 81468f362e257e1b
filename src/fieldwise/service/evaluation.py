"""`EvaluationService`: documents and their sections, compared one at a time under the spec of a run."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from fieldwise.bulk.packets import evaluate_packet
from fieldwise.bulk_aggregator import BulkEvaluationAggregator
from fieldwise.errors import SettingError
from fieldwise.evaluation.compared import status_of
from fieldwise.evaluation.outcome import ShardOutcome
from fieldwise.evaluation.sectioned import (
    ComparedUnit,
    NotComparedError,
    compare_unit,
    document_status,
    fault_of,
    is_nothing,
    split_counts,
    split_details,
    units_of,
)
from fieldwise.evaluation.sections import SectionPair, SectionStatus, pair_sections
from fieldwise.evaluation.settings import Settings, Unmatched
from fieldwise.readers.envelopes import Side, open_document, section_of
from fieldwise.readers.pairs import MISSING, Missing, Pair, Unreadable
from fieldwise.readers.sections import natural
from fieldwise.readers.source import Section, Sections
from fieldwise.results.document_result import (
    DocumentRates,
    DocumentResult,
    ExcludedSection,
    Scorer,
    SectionRates,
    SectionResult,
)
from fieldwise.results.sections import ClassificationError
from fieldwise.service.attributes import attributes_of
from fieldwise.spec import Spec
from fieldwise.tables.documents import EXCLUDED_CLASS, FAILED, UNREADABLE_EXPECTED
from fieldwise.values import Json
from fieldwise.version import __version__


class EvaluationService:
    """Compares documents and sections under a closed spec, and says what was found in each.

    ``spec`` is that of a run, or any spec: what it leaves open is closed by the names and types of its fields.

    >>> service = EvaluationService(Spec.infer([{"total": 5, "name": "Acme"}]))
    >>> found = service.evaluate_document("a", {"1": {"total": 5, "name": "Acme"}}, {"1": {"total": 7, "name": "Acme"}})
    >>> found.overall_metrics.precision, found.section_results[0].attributes[0].matched
    (0.5, False)
    """

    def __init__(self, spec: Spec | Settings, *, unmatched: Unmatched = "leaves") -> None:
        if isinstance(spec, Spec):
            spec = Settings(spec.well_formed().closed(), unmatched)
        elif not isinstance(spec, Settings):
            raise SettingError(
                f"Expected a Spec, got a {type(spec).__name__}", facts={"setting": "spec", "got": type(spec).__name__}
            )
        self._settings = spec

    def evaluate_section(
        self, section_id: str, expected: Json, predicted: Json, *, document_class: str | None = None
    ) -> SectionResult:
        """Compare one section; an envelope around a side is opened."""
        sides = [_section(section_id, value, side) for side, value in _sides(expected, predicted)]
        if document_class is not None:
            sides = [section._replace(document_class=document_class) for section in sides]
        held = SectionPair("paired", sides[0], sides[1])
        unit = units_of(held, section_id, self._settings)[0]
        return self._section(compare_unit(unit, self._settings, ShardOutcome()), "paired")

    def evaluate_document(
        self, document_id: str, expected: Mapping[str, Json], predicted: Mapping[str, Json]
    ) -> DocumentResult:
        """Compare a document, given the sections of both sides by their ids.

        Sections are paired by id, then by class and pages. A section may be an envelope with its class and pages.
        """
        sections = Sections(*(_sections(held, side) for side, held in _sides(expected, predicted)))
        first = [next((section.content for section in side), MISSING) for side in sections]
        return self.evaluate_pair(Pair(document_id, first[0], first[1], True, sections=sections))

    def evaluate_pair(self, pair: Pair) -> DocumentResult:
        """Compare a document that was read, as its run did."""
        refused = self._not_scored(pair)
        if refused is not None:
            return self._result(pair, [], status=refused[0], reason=refused[1])
        sections = _sections_of(pair)
        pairs = pair_sections(sections)
        excluded = [(held, self._why_excluded(held)) for held in pairs]
        left_out = tuple([ExcludedSection(held.id, why) for held, why in excluded if why is not None])
        counted = [held for held, why in excluded if why is None]
        faults = tuple(
            [ClassificationError(*fault_of(pair.id, held)) for held in counted if held.status != "paired"]  # type: ignore[arg-type]  # they are faults
        )
        if not counted:
            return self._result(pair, [], status=EXCLUDED_CLASS, reason=left_out[0].reason, excluded=left_out)
        try:
            found = [
                (compare_unit(unit, self._settings, ShardOutcome()), held.status)
                for held in counted
                for unit in units_of(held, pair.id, self._settings)
                if not is_nothing(unit)
            ]
        except NotComparedError as error:
            return self._result(pair, [], status=FAILED, reason=str(error))
        raised = self._settings.plan.errors.take()
        status, reason = document_status(sections, [compared for compared, _ in found], raised)
        return self._result(pair, found, status=status, reason=reason, excluded=left_out, faults=faults)

    def _not_scored(self, pair: Pair) -> tuple[str, str] | None:
        """Return why a document is not scored; None where it is."""
        if pair.sections is not None:
            unread = (s for s in pair.sections.expected if isinstance(s.content, Unreadable))
            for section in unread:
                assert isinstance(section.content, Unreadable)
                return UNREADABLE_EXPECTED, f"section {section.id}: {section.content.reason}"
        if isinstance(pair.expected, Unreadable | Missing):
            return status_of(pair, self._settings)
        return None

    def _why_excluded(self, held: SectionPair) -> str | None:
        section = held.predicted if held.expected is None else held.expected
        return self._settings.why_excluded(None if section is None else section.document_class)

    def _result(
        self,
        pair: Pair,
        found: Sequence[tuple[ComparedUnit, SectionStatus]],
        *,
        status: str,
        reason: str,
        excluded: tuple[ExcludedSection, ...] = (),
        faults: tuple[ClassificationError, ...] = (),
    ) -> DocumentResult:
        made = [self._section(compared, how) for compared, how in found]
        sums = [compared.found.comparison.weighted_sums for compared, _ in found]
        total, weight = sum(one for one, _ in sums), sum(one for _, one in sums)
        score = min(max(total / weight, 0.0), 1.0) if weight else None
        return DocumentResult(
            pair.id,
            DocumentRates(**_rates([section.metrics.confusion_matrix for section in made], score)),
            tuple(made),
            Scorer(__version__, self._settings.fingerprint),
            status,
            reason,
            pair.trial,
            doc_split_metrics=_split_metrics(pair.sections) if found or excluded else None,
            classification_errors=faults,
            excluded_sections=excluded,
        )

    def _section(self, compared: ComparedUnit, status: SectionStatus) -> SectionResult:
        comparison, unit = compared.found.comparison, compared.unit
        mode = self._settings.unmatched
        matrix = comparison.to_dict(
            include_confusion_matrix=True, unmatched=mode, extras=self._settings.extras, add_derived_metrics=False
        )["confusion_matrix"]
        rates = _rates([matrix], comparison.weighted_score)
        return SectionResult(
            unit.section,
            unit.document_class,
            SectionRates(**rates, confusion_matrix=matrix, unmatched=mode),
            status,
            attributes_of(compared),
        )


def _sides(expected: Json, predicted: Json) -> list[tuple[Side, Json]]:
    return [("expected", expected), ("predicted", predicted)]


def _section(name: str, value: Json, side: Side) -> Section:
    return section_of(name, open_document(value, side, rich=True))


def _sections(held: Mapping[str, Json], side: Side) -> tuple[Section, ...]:
    named = {str(name): value for name, value in held.items()}
    return tuple(_section(name, named[name], side) for name in sorted(named, key=natural))


def _sections_of(pair: Pair) -> Sections:
    """Return the sections of a document: a plain one is its own only section."""
    if pair.sections is not None:
        return pair.sections
    own = Section(_ONLY, pair.expected, pair.document_class, alternates=pair.alternates)
    if isinstance(pair.predicted, Missing):
        return Sections((own,), ())
    return Sections((own,), (Section(_ONLY, pair.predicted, pair.document_class, confidences=pair.confidences),))


_ONLY = "1"


def _rates(matrices: Sequence[Mapping[str, Json]], score: float | None) -> dict[str, float | None]:
    """Return the rates of the values of all matrices together."""
    aggregator = BulkEvaluationAggregator()
    for matrix in matrices:
        aggregator.update(matrix, "document")
    counts = aggregator.compute()["aggregate"]
    tp, fp, tn, fn, fd, fa = (counts[name] for name in aggregator.METRIC_KEYS)
    return {
        "precision": _share(tp, tp + fp),
        "recall": _share(tp, tp + fn),
        "f1_score": _share(2 * tp, 2 * tp + fp + fn),
        "accuracy": _share(tp + tn, tp + tn + fp + fn),
        "false_alarm_rate": _share(fa, fa + tn),
        "false_discovery_rate": _share(fd, fd + tp),
        "weighted_overall_score": score,
    }


def _share(part: int, whole: int) -> float | None:
    return part / whole if whole else None


def _split_metrics(sections: Sections | None) -> dict[str, Json] | None:
    if sections is None or not any(section.pages for side in sections for section in side):
        return None
    details = split_details(sections)
    return {**split_counts(details), **details.calculate_all_metrics(), "graded": graded_split(sections)}


def graded_split(sections: Sections) -> dict[str, Json]:
    """Return V-measure, Rand index and ordering of the pages that both sides have; None each where there are none."""
    expected, predicted = (_places(side) for side in sections)
    rows = [
        {
            "group_id": expected[page][0],
            "group_id_predicted": predicted[page][0],
            "page_number": expected[page][1],
            "page_number_predicted": predicted[page][1],
        }
        for page in sorted(expected.keys() & predicted.keys())
    ]
    return evaluate_packet(rows)


def _places(sections: tuple[Section, ...]) -> dict[int, tuple[str, int]]:
    """Return of each page its section and its place there; where several have it, the last."""
    return {page: (section.id, at) for section in sections for at, page in enumerate(section.pages or ())}
