"""The evaluator format: precision, recall, F1 and accuracy read off similarity scores."""

from __future__ import annotations

from typing import Any

from fieldwise.bulk_aggregator import ratio
from fieldwise.compare.lists import ListPlan
from fieldwise.compare.nodes import PlanNode
from fieldwise.compare.objects import ObjectPlan
from fieldwise.compare.results import ListResult, ObjectResult, Result
from fieldwise.compare.shapes import maker_of
from fieldwise.compare.views.counts import Shown
from fieldwise.values import is_list

_HALF = 0.5


def evaluator_format(
    root: ObjectPlan,
    result: ObjectResult,
    shown: Shown,
    *,
    matrix: dict[str, Any] | None,
    missed: list[dict[str, Any]],
) -> dict[str, Any]:
    """Return the format that evaluation tools read; counts decide ``overall`` where a matrix was asked for."""
    overall = _from_score(result.score, shown)
    if matrix is not None and shown.derived:
        derived = matrix["overall"]["derived"]
        overall = {name: derived[f"cm_{name}"] for name in ("precision", "recall", "f1", "accuracy")}
    return {
        "overall": {**overall, "anls_score": result.score},
        "fields": _fields(root, result, shown),
        "confusion_matrix": {} if matrix is None else _flattened(matrix),
        "non_matches": missed,
    }


def _from_score(score: float, shown: Shown) -> dict[str, float]:
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


def _fields(plan: ObjectPlan, result: ObjectResult, shown: Shown) -> dict[str, Any]:
    return {
        name: _field(child, sub, shown) for (name, child), sub in zip(plan.fields.items(), result.children, strict=True)
    }


def _field(plan: PlanNode[Any], result: Result, shown: Shown) -> dict[str, Any]:
    scored = _from_score(result.kept, shown)
    if not (isinstance(result, ListResult) and is_list(result.expected)):
        return scored
    made_by = maker_of(plan, result)
    items = [
        _item(made_by.item, pair.result, shown)
        for pair in result.pairs
        if isinstance(made_by, ListPlan) and isinstance(pair.result, ObjectResult)
    ]
    return {"overall": scored, "items": items}


def _item(plan: PlanNode[Any], result: ObjectResult, shown: Shown) -> dict[str, Any]:
    made_by = maker_of(plan, result)
    assert isinstance(made_by, ObjectPlan)
    return {
        "overall": _from_score(result.score, shown),
        "fields": {} if result.stray else _fields(made_by, result, shown),
        "confusion_matrix": {},
        "non_matches": [],
    }


def _flattened(matrix: dict[str, Any]) -> dict[str, Any]:
    fields = {
        name: {**node["overall"], **{k: v for k, v in node.items() if k != "overall"}}
        for name, node in matrix["fields"].items()
    }
    return {**matrix, "fields": fields}
