"""The evaluator format: precision, recall, F1 and accuracy read off similarity scores."""

from __future__ import annotations

from typing import Any

from fieldwise.bulk_aggregator import ratio
from fieldwise.compare.results import ListResult, ObjectResult, Result
from fieldwise.compare.views.counts import MatrixOptions
from fieldwise.values import is_list

_HALF = 0.5


def evaluator_format(
    result: ObjectResult, options: MatrixOptions, *, matrix: dict[str, Any] | None, missed: list[dict[str, Any]]
) -> dict[str, Any]:
    """Return the format that evaluation tools read; counts decide ``overall`` where a matrix was asked for."""
    overall = _from_score(result.mean_score)
    if matrix is not None and options.derived:
        derived = matrix["overall"]["derived"]
        overall = {name: derived[f"cm_{name}"] for name in ("precision", "recall", "f1", "accuracy")}
    return {
        "overall": {**overall, "anls_score": result.mean_score},
        "fields": _fields(result),
        "confusion_matrix": {} if matrix is None else _flattened(matrix),
        "non_matches": missed,
    }


def _from_score(score: float) -> dict[str, float]:
    tp, fp, fn = (score, 1 - score, 0.0) if score >= _HALF else (0.0, score, 1 - score)
    precision = ratio(tp, tp + fp)
    recall = ratio(tp, tp + fn)
    return {
        "precision": precision,
        "recall": recall,
        "f1": ratio(2 * precision * recall, precision + recall),
        "accuracy": ratio(tp, tp + fp + fn),
        "anls_score": score,
    }


def _fields(result: ObjectResult) -> dict[str, Any]:
    return {name: _field(child) for name, child in zip(result.plan.names, result.children, strict=True)}


def _field(result: Result) -> dict[str, Any]:
    scored = _from_score(result.score)
    if not (isinstance(result, ListResult) and is_list(result.expected)):
        return scored
    rows = [pair.result for pair in result.pairs]
    return {"overall": scored, "items": [_item(row) for row in rows if isinstance(row, ObjectResult)]}


def _item(result: ObjectResult) -> dict[str, Any]:
    return {
        "overall": _from_score(result.mean_score),
        "fields": {} if result.wrong_shape else _fields(result),
        "confusion_matrix": {},
        "non_matches": [],
    }


def _flattened(matrix: dict[str, Any]) -> dict[str, Any]:
    fields = {
        name: {**node["overall"], **{k: v for k, v in node.items() if k != "overall"}}
        for name, node in matrix["fields"].items()
    }
    return {**matrix, "fields": fields}
