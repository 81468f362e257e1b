"""Class metrics: labels expected against labels predicted, from rows, label lists or a YAML list of names."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fieldwise.lazy import lazy_names

if TYPE_CHECKING:
    from fieldwise.classify.class_metrics import AccuracyMetric, F1ScoreMetric, PrecisionMetric, RecallMetric
    from fieldwise.classify.config import MetricRequest, check_metrics, metrics_of, read_config
    from fieldwise.classify.orchestration import discover_classes, run_evaluation
    from fieldwise.classify.registry import (
        AggregatorMetricRegistry,
        UnitMetricRegistry,
        UnknownMetricError,
        aggregator_metric,
        unit_metric,
    )
    from fieldwise.classify.report import ClassReport
    from fieldwise.classify.rows import Answer, RowTypeError, UnitMetricResult
    from fieldwise.classify.task_metrics import PassAtKMetric, PassPowerKMetric, StepEfficiencyMetric
    from fieldwise.classify.unit_metrics import (
        ActionWithinBboxMetric,
        ExactMatchMetric,
        ScrollAmountMetric,
        ScrollDirectionMetric,
        TypedValueMatchMetric,
    )
    from fieldwise.results.classes import ClassRow, ClassScores

_HOMES = {
    "fieldwise.classify.class_metrics": ("AccuracyMetric", "F1ScoreMetric", "PrecisionMetric", "RecallMetric"),
    "fieldwise.classify.config": ("MetricRequest", "check_metrics", "metrics_of", "read_config"),
    "fieldwise.classify.orchestration": ("discover_classes", "run_evaluation"),
    "fieldwise.classify.registry": (
        "AggregatorMetricRegistry",
        "UnitMetricRegistry",
        "UnknownMetricError",
        "aggregator_metric",
        "unit_metric",
    ),
    "fieldwise.classify.report": ("ClassReport",),
    "fieldwise.classify.rows": ("Answer", "RowTypeError", "UnitMetricResult"),
    "fieldwise.classify.task_metrics": ("PassAtKMetric", "PassPowerKMetric", "StepEfficiencyMetric"),
    "fieldwise.classify.unit_metrics": (
        "ActionWithinBboxMetric",
        "ExactMatchMetric",
        "ScrollAmountMetric",
        "ScrollDirectionMetric",
        "TypedValueMatchMetric",
    ),
    "fieldwise.results.classes": ("ClassRow", "ClassScores"),
}
_HOME_OF = {name: module for module, names in _HOMES.items() for name in names}

__all__ = [
    "AccuracyMetric",
    "ActionWithinBboxMetric",
    "AggregatorMetricRegistry",
    "Answer",
    "ClassReport",
    "ClassRow",
    "ClassScores",
    "ExactMatchMetric",
    "F1ScoreMetric",
    "MetricRequest",
    "PassAtKMetric",
    "PassPowerKMetric",
    "PrecisionMetric",
    "RecallMetric",
    "RowTypeError",
    "ScrollAmountMetric",
    "ScrollDirectionMetric",
    "StepEfficiencyMetric",
    "TypedValueMatchMetric",
    "UnitMetricRegistry",
    "UnitMetricResult",
    "UnknownMetricError",
    "aggregator_metric",
    "check_metrics",
    "discover_classes",
    "metrics_of",
    "read_config",
    "run_evaluation",
    "unit_metric",
]

__getattr__, __dir__ = lazy_names(__name__, _HOME_OF)
