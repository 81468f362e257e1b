"""From documents to what is known about a run: field metrics, weighted scores, splitting, confidence, cost.

What is computed here is JSON, and is cached as it is.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence

from ..bulk_aggregator import BulkEvaluationAggregator, Json
from .athena import Row
from .documents import SPLIT_COUNTS, DocumentResult, UnreadDocument

_COUNTS = ("tp", "fp", "tn", "fn", "fd", "fa")
NO_MATRIX = "no_matrix"


def summarize(documents: Iterable[DocumentResult | UnreadDocument]) -> dict[str, Json]:
    """Return field metrics, scores, page counts and confidence of the documents of a run, one after the other.

    ``field_level_metrics`` is None where no document has a matrix and none failed: the results are older than matrices.
    """
    aggregator = BulkEvaluationAggregator()
    unread: list[UnreadDocument] = []
    scores: dict[str, float] = {}
    splits: list[Mapping[str, int]] = []
    confidences: list[float] = []
    listed: list[tuple[str, str, str]] = []
    excluded = 0
    for document in documents:
        if isinstance(document, UnreadDocument):
            unread.append(document)
            listed.append((document.key, document.kind, document.reason))
            continue
        for matrix, group in document.matrices:
            aggregator.update(matrix, document.key, group=group)
        if document.weighted_score is not None:
            scores[document.key] = document.weighted_score
        if document.split_counts is not None:
            splits.append(document.split_counts)
        confidences += document.confidences
        excluded += document.is_excluded
        if document.failure is not None:
            listed.append((document.key, "failed", document.failure))
        elif document.sections_without_matrix:
            listed.append((document.key, NO_MATRIX, _without_matrix(document)))
    return {
        "field_level_metrics": _field_level_metrics(aggregator.compute(), listed),
        "weighted_overall_scores": scores,
        "average_weighted_overall_score": _mean([*scores.values()]),
        "excluded_document_count": excluded,
        "split_classification_metrics": _split_metrics(splits),
        "average_confidence": _mean(confidences),
        "transient_errors": sum(document.kind == "transient" for document in unread),
    }


def _without_matrix(document: DocumentResult) -> str:
    missing, sections = document.sections_without_matrix, len(document.matrices)
    if missing >= sections:
        return "The result has no confusion matrix"
    return f"{missing} of the {sections} sections of the result {'has' if missing == 1 else 'have'} no confusion matrix"


def _field_level_metrics(computed: dict[str, Json], listed: Sequence[tuple[str, str, str]]) -> dict[str, Json] | None:
    """Return the metrics of all matrices, with every document of which something is not counted."""
    if not (computed["document_count"] or computed["errors"]) and all(kind == NO_MATRIX for _, kind, _ in listed):
        return None
    malformed = [{"kind": "malformed_matrix", **error} for error in computed["errors"]]
    others = [{"doc_id": key, "kind": kind, "path": "", "error": reason} for key, kind, reason in listed]
    errors = sorted([*malformed, *others], key=lambda error: (str(error["doc_id"]), error["path"], error["error"]))
    return {**computed, "errors": errors}


def accuracy_breakdown(field_level_metrics: Mapping[str, Json]) -> dict[str, float | None]:
    """Return precision, recall, F1, false alarm rate and false discovery rate of all values; None is 0/0."""
    counts = confusion_counts(field_level_metrics)
    tp, fp, tn, fn, fd, fa = (counts[key] for key in _COUNTS)
    return {
        "precision": _share(tp, tp + fp),
        "recall": _share(tp, tp + fn),
        "f1_score": _share(2 * tp, 2 * tp + fp + fn),
        "false_alarm_rate": _share(fa, fa + tn),
        "false_discovery_rate": _share(fd, fd + tp),
    }


def overall_accuracy(field_level_metrics: Mapping[str, Json]) -> float | None:
    """Return the share of values that are right, those that are rightly absent included; None without any."""
    counts = confusion_counts(field_level_metrics)
    return _share(counts["tp"] + counts["tn"], counts["tp"] + counts["tn"] + counts["fp"] + counts["fn"])


def confusion_counts(field_level_metrics: Mapping[str, Json]) -> dict[str, int]:
    """Return the six counts of all values."""
    return {key: field_level_metrics["aggregate"][key] for key in _COUNTS}


def field_metrics(field_level_metrics: Mapping[str, Json]) -> dict[str, dict[str, Json]]:
    """Return the fields under the names that pages before ``fieldLevelMetrics`` read."""
    names = {"precision": "cm_precision", "recall": "cm_recall", "f1": "cm_f1", "accuracy": "cm_accuracy"}
    return {
        path: {key: row[key] for key in _COUNTS} | {new: row[old] for old, new in names.items()}
        for path, row in field_level_metrics["fields"].items()
    }


def costs(rows: Iterable[Row]) -> dict[str, Json]:
    """Return total and breakdown of the rows of ``COST_SQL``; no total where nothing was metered or has a price."""
    breakdown: dict[str, dict[str, Json]] = {}
    known: list[float] = []
    for context, service_api, unit, value, unit_cost, estimated_cost, unpriced in rows:
        cost = _float(estimated_cost)
        known += [] if cost is None else [cost]
        without = int(unpriced or 0) or int(cost is None)
        breakdown.setdefault(context or "", {})[f"{service_api}_{unit}"] = {
            "unit": unit,
            "value": _float(value),
            "unit_cost": _float(unit_cost),
            "estimated_cost": cost,
        } | ({"unpriced": without} if without else {})
    return {"total_cost": math.fsum(known) if known else None, "cost_breakdown": breakdown or None}


def _split_metrics(splits: Sequence[Mapping[str, int]]) -> dict[str, Json] | None:
    """Return the sums of page and section counts and their ratios (micro-averages); None without any."""
    if not splits:
        return None
    sums: dict[str, Json] = {name: sum(counts[name] for counts in splits) for name in SPLIT_COUNTS}
    return {
        "page_level_accuracy": _share(sums["correctly_classified_pages"], sums["total_pages"]),
        "split_accuracy_without_order": _share(sums["correctly_split_without_order"], sums["total_splits"]),
        "split_accuracy_with_order": _share(sums["correctly_split_with_order"], sums["total_splits"]),
    } | sums


def _mean(values: Sequence[float]) -> float | None:
    return math.fsum(values) / len(values) if values else None


def _share(part: int, whole: int) -> float | None:
    return part / whole if whole else None


def _float(text: str | None) -> float | None:
    """Return the number of a column; what is no quantity, such as NaN, is as if it were not there."""
    number = math.nan if text is None else float(text)
    return number if math.isfinite(number) else None
