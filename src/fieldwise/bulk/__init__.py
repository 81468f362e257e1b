"""Evaluation over many documents: sums that merge, checkpoints, and what is computed of them."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from fieldwise.bulk.accumulators import PostComparisonAccumulator
    from fieldwise.bulk.aggregate import aggregate_from_comparisons
    from fieldwise.bulk.boxes import BBoxMAPAccumulator
    from fieldwise.bulk.confidence import (
        AUROCMetric,
        BrierScoreMetric,
        ConfidenceAccumulator,
        ConfidenceMetric,
        ConfidencePair,
        ECEMetric,
        ErrorCaptureAtBudgetMetric,
    )
    from fieldwise.bulk.doc_split import DocSplitClassificationMetrics
    from fieldwise.bulk.evaluator import BulkStructuredModelEvaluator
    from fieldwise.bulk.packets import evaluate_packet
    from fieldwise.bulk.process_evaluation import ProcessEvaluation
    from fieldwise.bulk_aggregator import BulkEvaluationAggregator

_HOMES = {
    "fieldwise.bulk.accumulators": ("PostComparisonAccumulator",),
    "fieldwise.bulk.aggregate": ("aggregate_from_comparisons",),
    "fieldwise.bulk.boxes": ("BBoxMAPAccumulator",),
    "fieldwise.bulk.confidence": (
        "AUROCMetric",
        "BrierScoreMetric",
        "ConfidenceAccumulator",
        "ConfidenceMetric",
        "ConfidencePair",
        "ECEMetric",
        "ErrorCaptureAtBudgetMetric",
    ),
    "fieldwise.bulk.doc_split": ("DocSplitClassificationMetrics",),
    "fieldwise.bulk.evaluator": ("BulkStructuredModelEvaluator",),
    "fieldwise.bulk.packets": ("evaluate_packet",),
    "fieldwise.bulk.process_evaluation": ("ProcessEvaluation",),
    "fieldwise.bulk_aggregator": ("BulkEvaluationAggregator",),
}
_HOME_OF = {name: module for module, names in _HOMES.items() for name in names}

__all__ = [
    "AUROCMetric",
    "BBoxMAPAccumulator",
    "BrierScoreMetric",
    "BulkEvaluationAggregator",
    "BulkStructuredModelEvaluator",
    "ConfidenceAccumulator",
    "ConfidenceMetric",
    "ConfidencePair",
    "DocSplitClassificationMetrics",
    "ECEMetric",
    "ErrorCaptureAtBudgetMetric",
    "PostComparisonAccumulator",
    "ProcessEvaluation",
    "aggregate_from_comparisons",
    "evaluate_packet",
]


def __getattr__(name: str) -> Any:
    if name not in _HOME_OF:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(importlib.import_module(_HOME_OF[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
