"""`EvaluationService`: documents and their sections, compared one at a time under the spec of a run."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from operator import mul

from fieldwise.bulk.packets import evaluate_packet
from fieldwise.bulk_aggregator import METRIC_KEYS, ratio
from fieldwise.errors import SettingError
from fieldwise.evaluation.document import ComparedSection, DocumentOutcome, compare_unit, evaluate_document, units_of
from fieldwise.evaluation.sections import SectionPair, fault_of, split_counts, split_details
from fieldwise.evaluation.settings import Settings, Unmatched
from fieldwise.readers.envelopes import SIDES, open_document, section_of
from fieldwise.readers.pairs import MISSING, Pair
from fieldwise.readers.sections import natural
from fieldwise.readers.sides import decide, look_at_values
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
        sides = [side[0] for side in _sections({section_id: expected}, {section_id: predicted})]
        if document_class is not None:
            sides = [section._replace(document_class=document_class) for section in sides]
        held = SectionPair("paired", sides[0], sides[1])
        pair = Pair(section_id, sides[0].content, sides[1].content, True, sections=Sections((sides[0],), (sides[1],)))
        return section_result(compare_unit(units_of(held, pair, self._settings)[0], self._settings), self._settings)

    def evaluate_document(
        self, document_id: str, expected: Mapping[str, Json], predicted: Mapping[str, Json]
    ) -> DocumentResult:
        """Compare a document, given the sections of both sides by their ids.

        Sections are paired by id, then by class and pages. A section may be an envelope with its class and pages.
        """
        sections = _sections(expected, predicted)
        first = [next((section.content for section in side), MISSING) for side in sections]
        return self.evaluate_pair(Pair(document_id, first[0], first[1], True, sections=sections))

    def evaluate_pair(self, pair: Pair) -> DocumentResult:
        """Compare a document that was read, as its run did."""
        return document_result(evaluate_document(pair, self._settings), self._settings)


def document_result(document: DocumentOutcome, settings: Settings) -> DocumentResult:
    """Return what results.json says of a document that was evaluated."""
    pair, compared = document.pair, document.compared
    made = tuple([section_result(section, settings) for section in compared])
    sums = [section.comparison.weighted_sums for section in compared]
    total, weight = sum(one for one, _ in sums), sum(one for _, one in sums)
    score = _within(total / weight) if weight else None
    matrices = [section.metrics.confusion_matrix for section in made]
    faults = [fault_of(pair.id, held) for held in document.sections if held.status != "paired"]
    return DocumentResult(
        pair.id,
        DocumentRates(**_rates(matrices, score, _mean_score(made))),
        made,
        Scorer(__version__, settings.fingerprint),
        document.status,
        document.reason,
        pair.trial,
        doc_split_metrics=_split_metrics(pair.sections) if compared or document.excluded else None,
        classification_errors=tuple([ClassificationError(*fault) for fault in faults]),  # type: ignore[arg-type]  # they are faults
        excluded_sections=tuple([ExcludedSection(held.id, why) for held, why in document.excluded]),
    )


def section_result(compared: ComparedSection, settings: Settings) -> SectionResult:
    """Return what results.json says of a section."""
    comparison, unit, mode = compared.comparison, compared.unit, settings.unmatched
    matrix = comparison.to_dict(
        include_confusion_matrix=True, unmatched=mode, extras=settings.extras, add_derived_metrics=False
    )["confusion_matrix"]
    rates = _rates([matrix], comparison.weighted_score, _within(comparison.score))
    return SectionResult(
        unit.id,
        unit.document_class,
        SectionRates(**rates, confusion_matrix=matrix, unmatched=mode),
        unit.pairing,
        attributes_of(compared),
    )


def _sections(*given: Mapping[str, Json]) -> Sections:
    sides = [{str(name): value for name, value in held.items()} for held in given]
    decided = decide(look_at_values(held.values()) for held in sides)
    expected, predicted = (
        tuple(
            section_of(name, open_document(held[name], opening, side, rich=True)) for name in sorted(held, key=natural)
        )
        for side, held, opening in zip(SIDES, sides, decided[:2], strict=True)
    )
    return Sections(expected, predicted)


def _rates(
    matrices: Sequence[Mapping[str, Json]], score: float | None, overall: float | None
) -> dict[str, float | None]:
    """Return the rates of the values of all matrices together, and two scores: of the values, and of the fields."""
    counts = {key: sum(matrix["aggregate"][key] for matrix in matrices) for key in METRIC_KEYS}
    tp, fp, tn, fn, fd, fa = counts.values()
    return {
        "precision": _share(tp, tp + fp),
        "recall": _share(tp, tp + fn),
        "f1_score": _share(2 * tp, 2 * tp + fp + fn),
        "accuracy": _share(tp + tn, tp + tn + fp + fn),
        "false_alarm_rate": ratio(fa, fa + tn) if matrices else None,
        "false_discovery_rate": _share(fd, fd + tp),
        "weighted_overall_score": overall,
        "weighted_score": score,
    }


def _mean_score(sections: Sequence[SectionResult]) -> float | None:
    """Return the mean of the sections' scores, weighted by how many values they have; None without any section."""
    scores = [section.metrics.weighted_overall_score or 0.0 for section in sections]
    counts = [section.metrics.confusion_matrix["aggregate"] for section in sections]
    sizes = [sum(held[key] for key in ("tp", "fp", "tn", "fn")) for held in counts]
    if not any(sizes):
        return math.fsum(scores) / len(scores) if scores else None
    return _within(math.fsum(map(mul, sizes, scores)) / sum(sizes))


def _within(score: float) -> float:
    return min(max(score, 0.0), 1.0)


def _share(part: int, whole: int) -> float | None:
    return part / whole if whole else None


def _split_metrics(sections: Sections | None) -> dict[str, Json] | None:
    details = None if sections is None else split_details(sections)
    if sections is None or details is None:
        return None
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
