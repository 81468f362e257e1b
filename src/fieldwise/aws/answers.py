"""The answers in the shapes of AppSync's schema: names in camel case, JSON inside as text (AWSJSON)."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence

from ..bulk_aggregator import Json
from .metrics import accuracy_breakdown, confusion_counts, field_metrics, overall_accuracy
from .runs import Progress, Row, parsed

AWS_JSON = (
    "weightedOverallScores",
    "confidenceMetrics",
    "accuracyBreakdown",
    "confusionMatrix",
    "fieldMetrics",
    "fieldLevelMetrics",
    "splitClassificationMetrics",
    "gradedPacketMetrics",
    "classificationErrors",
    "costBreakdown",
    "partErrors",
    "config",
)
"""The keys of a test run that are AWSJSON."""
_ROW_KEYS = {
    "testRunId": "TestRunId",
    "testSetId": "TestSetId",
    "testSetName": "TestSetName",
    "status": "Status",
    "completedFiles": "CompletedFiles",
    "failedFiles": "FailedFiles",
    "createdAt": "CreatedAt",
    "completedAt": "CompletedAt",
    "context": "Context",
    "configVersion": "ConfigVersion",
    "testSetVersion": "TestSetVersion",
}
_FROM_OTHERS = (
    "confidenceMetrics",
    "gradedPacketMetrics",
    "classificationErrors",
    "splitClassificationMetrics",
    "accuracyBreakdown",
    "confusionMatrix",
    "fieldMetrics",
    "overallAccuracy",
    "averageConfidence",
    "totalCost",
    "costBreakdown",
)
"""What another resolver may have left in the row; it is shown where this one has computed nothing."""


def test_run(run: Row, metrics: Mapping[str, Json] | None) -> dict[str, Json]:
    """Return a test run with its metrics as JSON; without them, what its row says."""
    left = parsed(run.get("testRunResult"))
    others = {key: parsed(left.get(key)) for key in _FROM_OTHERS} if isinstance(left, dict) else {}
    computed = _metric_keys(metrics or {})
    known = {key: value for key, value in computed.items() if value is not None}
    nothing = dict.fromkeys((*AWS_JSON, *_metric_keys({})))
    return {**nothing, **others, **known, **_row_keys(run), "config": parsed(run.get("Config"))}


def listed_run(run: Row, head: Row) -> dict[str, Json]:
    """Return a run as lists show it: its row, and the summary of its cached result where there is one."""
    held = parsed(head.get("Summary"))
    return {**_row_keys(run), **(held if isinstance(held, dict) else {})}


def summary(metrics: Mapping[str, Json]) -> dict[str, Json]:
    """Return what lists of runs show of the metrics."""
    shown = ("overallAccuracy", "avgWeightedOverallScore", "averageConfidence", "totalCost", "excludedDocumentCount")
    keys = _metric_keys(metrics)
    return {key: keys[key] for key in shown}


def run_status(run: Row, progress: Progress, *, status: str) -> dict[str, Json]:
    """Return how far a run is."""
    return {
        "testRunId": run["TestRunId"],
        "status": status,
        "filesCount": progress.files,
        "completedFiles": progress.completed,
        "failedFiles": progress.failed,
        "evaluatingFiles": progress.evaluating,
        "progress": progress.percent,
    }


def comparison(runs: Sequence[Mapping[str, Json]]) -> dict[str, Json]:
    """Return runs by id, and the settings in which their configurations differ."""
    settings = {run["testRunId"]: dict(_settings(run["config"])) for run in runs}
    names = sorted({name for held in settings.values() for name in held})
    by_name = {name: {run: held.get(name) for run, held in settings.items()} for name in names}
    different = {name: values for name, values in by_name.items() if len(set(map(as_aws_json, values.values()))) > 1}
    return {
        "metrics": as_aws_json({run["testRunId"]: run for run in runs}),
        "configs": [{"setting": name, "values": as_aws_json(values)} for name, values in different.items()],
    }


def with_aws_json(run: Mapping[str, Json]) -> dict[str, Json]:
    """Return a test run as AppSync takes it: JSON inside is text, null stays null."""
    return {key: as_aws_json(value) if key in AWS_JSON and value is not None else value for key, value in run.items()}


def as_aws_json(value: Json) -> str:
    """Return a value as AWSJSON, the same text for equal values."""
    return json.dumps(value, allow_nan=False, sort_keys=True)


def _row_keys(run: Row) -> dict[str, Json]:
    keys = {key: run.get(name) for key, name in _ROW_KEYS.items()}
    keys["createdAt"] = keys["createdAt"] or run.get("InitialEventTime")
    return {**keys, "filesCount": int(run.get("FilesCount") or 0)}


def _metric_keys(metrics: Mapping[str, Json]) -> dict[str, Json]:
    """Return the metrics by their names in the schema; those that an earlier version did not compute are None."""
    fields: Json = metrics.get("field_level_metrics")
    counted: Json = fields if fields and fields["document_count"] else None
    return {
        "fieldLevelMetrics": fields,
        "weightedOverallScores": metrics.get("weighted_overall_scores"),
        "avgWeightedOverallScore": metrics.get("average_weighted_overall_score"),
        "excludedDocumentCount": metrics.get("excluded_document_count"),
        "averageConfidence": metrics.get("average_confidence"),
        "splitClassificationMetrics": metrics.get("split_classification_metrics"),
        "totalCost": metrics.get("total_cost"),
        "costBreakdown": metrics.get("cost_breakdown"),
        "partErrors": metrics.get("part_errors") or None,
        "overallAccuracy": overall_accuracy(fields) if counted else None,
        "accuracyBreakdown": accuracy_breakdown(fields) if counted else None,
        "confusionMatrix": confusion_counts(fields) if counted else None,
        "fieldMetrics": field_metrics(fields) if counted else None,
    }


def _settings(value: Json, path: str = "") -> list[tuple[str, Json]]:
    """Return the values of a configuration with their places."""
    if isinstance(value, dict) and value:
        inner = [(f"{path}.{key}" if path else str(key), held) for key, held in value.items()]
    elif isinstance(value, list) and value:
        inner = [(f"{path}[{at}]", held) for at, held in enumerate(value)]
    else:
        return [(path, value)]
    return [found for place, held in inner for found in _settings(held, place)]
