"""Evaluation over many documents: sums that merge, checkpoints, and what is computed of them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fieldwise.lazy import lazy_names

if TYPE_CHECKING:
    from fieldwise.bulk.accumulators import (
        AUROCMetric,
        BBoxMAPAccumulator,
        BrierScoreMetric,
        ConfidenceAccumulator,
        ConfidenceMetric,
        ConfidencePair,
        ECEMetric,
        ErrorCaptureAtBudgetMetric,
        PostComparisonAccumulator,
    )
    from fieldwise.bulk.doc_split import DocSplitClassificationMetrics
    from fieldwise.bulk.evaluator import BulkStructuredModelEvaluator, aggregate_from_comparisons
    from fieldwise.bulk.packets import evaluate_packet
    from fieldwise.bulk.process_evaluation import ProcessEvaluation
    from fieldwise.bulk_aggregator import BulkEvaluationAggregator

_HOMES = {
    "fieldwise.bulk.accumulators": (
        "AUROCMetric",
        "BBoxMAPAccumulator",
        "BrierScoreMetric",
        "ConfidenceAccumulator",
        "ConfidenceMetric",
        "ConfidencePair",
        "ECEMetric",
        "ErrorCaptureAtBudgetMetric",
        "PostComparisonAccumulator",
    ),
    "fieldwise.bulk.doc_split": ("DocSplitClassificationMetrics",),
    "fieldwise.bulk.evaluator": ("BulkStructuredModelEvaluator", "aggregate_from_comparisons"),
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

__getattr__, __dir__ = lazy_names(__name__, _HOME_OF)
