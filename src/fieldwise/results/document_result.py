"""What is said of one document, section by section: ``results.json``."""

from __future__ import annotations

from typing import Literal

from fieldwise.bulk_aggregator import Json
from fieldwise.results.core import Number, Result, Share
from fieldwise.results.sections import ClassificationError

FORMAT: Literal["fieldwise.results/1"] = "fieldwise.results/1"


class DocumentRates(Result, frozen=True):
    """Rates of the values of a section or document; None where there is nothing to divide by.

    false_alarm_rate = fa/(fa+tn), and 0 where nothing could be invented; false_discovery_rate = fd/(fd+tp).
    ``weighted_score`` is the mean score of the values that either side has, weighted along their paths.
    ``weighted_overall_score`` is the mean score of the top-level fields by their weights, one that neither side has
    counting as right; that of a document is the mean over its sections, weighted by how many values they have.
    """

    precision: Share | None = None
    recall: Share | None = None
    f1_score: Share | None = None
    accuracy: Share | None = None
    false_alarm_rate: Share | None = None
    false_discovery_rate: Share | None = None
    weighted_overall_score: Share | None = None
    weighted_score: Share | None = None


class SectionRates(DocumentRates, frozen=True, kw_only=True):
    """The rates of a section, and its confusion matrix in the mode that ``unmatched`` names."""

    confusion_matrix: dict[str, Json]
    unmatched: Literal["leaves", "objects"] = "leaves"


class AttributeResult(Result, frozen=True):
    """A field of a section: its values, and how they were compared; below it, the values that it holds."""

    name: str
    expected: Json
    actual: Json
    matched: bool
    score: Share
    reason: str = ""
    evaluation_method: str | None = None
    evaluation_threshold: float | None = None
    comparator_type: str | None = None
    confidence: Share | None = None
    confidence_threshold: float | None = None
    weight: float = 1.0
    field_comparison_details: tuple[dict[str, Json], ...] = ()


class SectionResult(Result, frozen=True):
    """A section that was compared; ``status`` says whether it has a partner of its class."""

    section_id: str
    document_class: str | None
    metrics: SectionRates
    status: Literal["paired", "wrong_class", "lost", "extra"] = "paired"
    attributes: tuple[AttributeResult, ...] = ()


class ExcludedSection(Result, frozen=True):
    """A section that is not scored, and why."""

    section_id: str
    reason: str


class Scorer(Result, frozen=True):
    """By what a result was made."""

    version: str
    spec_fingerprint: str


class DocumentResult(Result, frozen=True):
    """Everything that was found in one document; ``status`` and ``reason`` are those of the run's documents."""

    document_id: str
    overall_metrics: DocumentRates
    section_results: tuple[SectionResult, ...]
    scorer: Scorer
    status: str = "scored"
    reason: str = ""
    trial: Number = 1
    doc_split_metrics: dict[str, Json] | None = None
    classification_errors: tuple[ClassificationError, ...] = ()
    excluded_sections: tuple[ExcludedSection, ...] = ()
    execution_time: float | None = None
    """Seconds; None where nobody measured them, so that the same input gives the same bytes."""
    format: Literal["fieldwise.results/1"] = FORMAT
