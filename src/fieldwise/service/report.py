"""What was found in one document, as Markdown: a summary with ratings, and a table of the fields of each section."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence

from fieldwise.results.document_result import AttributeResult, DocumentRates, DocumentResult, SectionResult
from fieldwise.text import markdown_safe as _safe
from fieldwise.values import Json
from fieldwise.views.numbers import rate

_MAX_VALUE = 100
_GRADES = ((0.9, "excellent"), (0.7, "good"), (0.5, "fair"))
_RATES = (
    ("Precision", "precision"),
    ("Recall", "recall"),
    ("F1", "f1_score"),
    ("Accuracy", "accuracy"),
    ("Weighted score", "weighted_score"),
    ("Weighted score of the fields", "weighted_overall_score"),
)
_ERROR_RATES = (("False alarm rate", "false_alarm_rate"), ("False discovery rate", "false_discovery_rate"))
_SPLITS = (
    ("Page class", "page_level_accuracy"),
    ("Split, any page order", "split_accuracy_without_order"),
    ("Split, same page order", "split_accuracy_with_order"),
)


def report_of(document: DocumentResult) -> str:
    """Return the report of a document; nothing that a document says is Markdown or HTML in it."""
    lines = [f"# Evaluation of {_safe(document.document_id)}", "", f"Status: {_safe(document.status)}"]
    if document.reason:
        lines += ["", _safe(document.reason)]
    lines += ["", "## Summary", "", *_rates_table(document.overall_metrics)]
    lines += [*_splitting(document), *_excluded(document), *_classification(document)]
    for section in document.section_results:
        lines += _section(section)
    scorer = document.scorer
    return "\n".join([*lines, "", f"Scorer {scorer.version}, spec {scorer.spec_fingerprint[:12]}", ""])


def rating(value: float | None, *, is_error: bool = False) -> str:
    """Return a word for a rate; of an error rate, less is better.

    >>> rating(0.95), rating(0.05, is_error=True), rating(0.2), rating(None)
    ('excellent', 'excellent', 'poor', '–')
    """
    if value is None:
        return "–"
    good = 1.0 - value if is_error else value
    return next((word for least, word in _GRADES if good >= least), "poor")


def _rates_table(rates: DocumentRates) -> list[str]:
    rows = [(title, getattr(rates, name), False) for title, name in _RATES]
    rows += [(title, getattr(rates, name), True) for title, name in _ERROR_RATES]
    cells = [(title, rate(value), rating(value, is_error=is_error)) for title, value, is_error in rows]
    return _table(("metric", "value", "rating"), cells)


def _splitting(document: DocumentResult) -> list[str]:
    held = document.doc_split_metrics
    if held is None:
        return []
    rows = [(title, rate(held[name]["accuracy"]), rating(held[name]["accuracy"])) for title, name in _SPLITS]
    return ["", "## Splitting", "", *_table(("metric", "accuracy", "rating"), rows)]


def _excluded(document: DocumentResult) -> list[str]:
    rows = [(section.section_id, section.reason) for section in document.excluded_sections]
    return ["", "## Excluded sections", "", *_table(("section", "reason"), rows)] if rows else []


def _classification(document: DocumentResult) -> list[str]:
    rows = [
        (error.section_id, error.kind, error.expected_class or "–", error.predicted_class or "–")
        for error in document.classification_errors
    ]
    headings = ("section", "error", "expected class", "predicted class")
    return ["", "## Classification errors", "", *_table(headings, rows)] if rows else []


def _section(section: SectionResult) -> list[str]:
    named = f" ({_safe(section.document_class)})" if section.document_class else ""
    lines = ["", f"## Section {_safe(section.section_id)}{named}: {section.status.replace('_', ' ')}", ""]
    lines += _rates_table(section.metrics)
    return [*lines, "", *_table(_COLUMNS, map(_row, section.attributes))]


_COLUMNS = ("status", "attribute", "expected", "actual", "confidence", "score", "weight", "method", "reason")


def _row(attribute: AttributeResult) -> Sequence[str]:
    return (
        "match" if attribute.matched else "wrong",
        attribute.name,
        _value(attribute.expected),
        _value(attribute.actual),
        rate(attribute.confidence),
        rate(attribute.score),
        f"{attribute.weight:g}",
        attribute.evaluation_method or "–",
        attribute.reason,
    )


def _value(value: Json) -> str:
    if value is None:
        return "–"
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)
    return text if len(text) <= _MAX_VALUE else f"{text[: _MAX_VALUE - 1]}…"


def _table(headings: Sequence[str], rows: Iterable[Sequence[str]]) -> list[str]:
    lines = [headings, ["---"] * len(headings)]
    made = [f"| {' | '.join(line)} |" for line in lines]
    return [*made, *(f"| {' | '.join(map(_safe, row))} |" for row in rows)]
