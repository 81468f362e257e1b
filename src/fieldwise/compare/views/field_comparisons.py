"""Every compared field as a flat row, matches included, as ``document_field_comparisons`` gives it."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import TypedDict

from fieldwise.compare.leaves import LeafPlan
from fieldwise.compare.lists import ListPlan, items_of
from fieldwise.compare.nodes import PlanNode, maker, mapping_of
from fieldwise.compare.objects import ObjectPlan
from fieldwise.compare.results import (
    ABSENT,
    MATCH,
    MISMATCH,
    MISSED,
    SPURIOUS,
    ListResult,
    ObjectResult,
    Outcome,
    Pair,
    Result,
)
from fieldwise.compare.views.non_matches import below, declared
from fieldwise.values import Json

_Maker = LeafPlan | ObjectPlan | ListPlan
_ALONE = {MISSED: "false negative (unmatched ground truth)", SPURIOUS: "false alarm (unmatched prediction)"}


class FieldComparison(TypedDict):
    """A row of ``field_comparisons``."""

    expected_key: str
    expected_value: Json
    actual_key: str | None
    actual_value: Json
    match: bool
    score: float
    weighted_score: float
    reason: str


def field_comparisons(result: ObjectResult) -> list[FieldComparison]:
    """Return the rows in field order; list items in the order of the expected list."""
    return list(_children(result, ""))


def _children(result: ObjectResult, prefix: str) -> Iterator[FieldComparison]:
    e, p = mapping_of(result.expected) or {}, mapping_of(result.predicted) or {}
    for (name, child), sub in zip(result.plan.fields.items(), result.children, strict=True):
        yield from _field(child, sub, e.get(name), p.get(name), prefix + name)


def _field(node: PlanNode[Result], result: Result, e: Json, p: Json, path: str) -> Iterator[FieldComparison]:
    if isinstance(result, ListResult):
        yield from _list(result, path)
    elif isinstance(result, ObjectResult) and result.outcome in (MATCH, MISMATCH) and not result.wrong_shape:
        yield from _children(result, f"{path}.")
    else:
        yield _judged((path, e), (path, p), result, result.raw_score, maker(node, result))


def _judged(
    expected: tuple[str, Json], actual: tuple[str, Json], result: Result, score: float, plan: _Maker
) -> FieldComparison:
    threshold = _threshold(plan)
    matched = result.outcome in (MATCH, ABSENT) or (result.outcome is None and score >= threshold)
    one_none = (expected[1] is None) != (actual[1] is None)
    return _row(
        expected[0],
        declared(plan, expected[1]),
        actual[0],
        declared(plan, actual[1]),
        match=matched,
        score=score,
        weighted=result.score * plan.weight,
        reason=_reason(result.outcome if one_none else None, score, threshold),
    )


def _threshold(plan: _Maker) -> float:
    """Return what a value must reach; in a list of leaves that is what its items must reach."""
    return plan.item.threshold if isinstance(plan, ListPlan) and isinstance(plan.item, LeafPlan) else plan.threshold


def _reason(outcome: Outcome | None, score: float, threshold: float) -> str:
    if outcome is MISSED or outcome is SPURIOUS:
        return _ALONE[outcome]
    return _above(score, threshold) if score >= threshold else below(score, threshold)


def _list(result: ListResult, path: str) -> Iterator[FieldComparison]:
    plan = result.plan
    e, p = items_of(result.expected) or (), items_of(result.predicted) or ()
    whole = result.wrong_shape or result.expected is None or result.predicted is None
    if whole and result.outcome is not None:
        empty = result.outcome is ABSENT and (result.expected is not None or result.predicted is not None)
        if not empty:
            yield _judged((path, result.expected), (path, result.predicted), result, result.raw_score, plan)
        return
    for pair in result.pairs:
        yield from _pair(plan, pair, path, e[pair.expected_index], p[pair.predicted_index])
    for i in result.missed:
        yield _alone(f"{path}[{i}]", declared(plan.item, e[i]), None, None, MISSED)
    for j in result.spurious:
        yield _alone(f"{path}[]", None, f"{path}[{j}]", declared(plan.item, p[j]), SPURIOUS)


def _pair(plan: ListPlan, pair: Pair, path: str, e: Json, p: Json) -> Iterator[FieldComparison]:
    e_at, p_at = f"{path}[{pair.expected_index}]", f"{path}[{pair.predicted_index}]"
    if pair.accepted and isinstance(pair.result, ObjectResult):
        e_map, p_map = mapping_of(e) or {}, mapping_of(p) or {}
        for (name, child), sub in zip(pair.result.plan.fields.items(), pair.result.children, strict=True):
            left, right = (f"{e_at}.{name}", e_map.get(name)), (f"{p_at}.{name}", p_map.get(name))
            yield _judged(left, right, sub, sub.score, maker(child, sub))
        return
    item = maker(plan.item, pair.result)
    threshold = item.threshold if isinstance(item, LeafPlan) else item.accept
    yield _row(
        e_at,
        declared(plan.item, e),
        p_at,
        declared(plan.item, p),
        match=pair.accepted,
        score=pair.similarity,
        weighted=pair.similarity,
        reason=_reason(None, pair.similarity, threshold),
    )


def _alone(
    expected_key: str, expected: Json, actual_key: str | None, actual: Json, outcome: Outcome
) -> FieldComparison:
    return _row(
        expected_key,
        expected,
        actual_key,
        actual,
        match=False,
        score=0.0,
        weighted=0.0,
        reason=_ALONE[outcome],
    )


def _row(
    expected_key: str,
    expected: Json,
    actual_key: str | None,
    actual: Json,
    *,
    match: bool,
    score: float,
    weighted: float,
    reason: str,
) -> FieldComparison:
    return {
        "expected_key": expected_key,
        "expected_value": expected,
        "actual_key": actual_key,
        "actual_value": actual,
        "match": match,
        "score": score,
        "weighted_score": weighted,
        "reason": reason,
    }


def _above(score: float, threshold: float) -> str:
    """Say that a score reaches its threshold, or that the values are the same.

    >>> _above(1.0, 0.8), _above(0.9, 0.8)
    ('exact match', 'above threshold (0.900 >= 0.8)')
    """
    if math.isclose(score, 1.0):
        return "exact match"
    return f"above threshold ({score:.3f} >= {threshold})"
