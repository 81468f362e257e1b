"""What did not match, as the list of dicts that ``compare_with`` documents."""

from __future__ import annotations

import enum
from collections.abc import Iterator
from typing import Any

from fieldwise.compare.leaves import LeafPlan
from fieldwise.compare.lists import ListPlan, items_of
from fieldwise.compare.nodes import PlanNode
from fieldwise.compare.objects import ObjectPlan
from fieldwise.compare.results import (
    MATCH,
    MISMATCH,
    MISSED,
    SPURIOUS,
    LeafResult,
    ListResult,
    ObjectResult,
    Outcome,
    Pair,
    Result,
)
from fieldwise.compare.shapes import maker_of
from fieldwise.compare.views.declared import declared
from fieldwise.compare.views.words import ALONE, below
from fieldwise.values import Json, plain


class NonMatchType(str, enum.Enum):
    """Why a value is no match."""

    FALSE_DISCOVERY = "false_discovery"
    FALSE_ALARM = "false_alarm"
    FALSE_NEGATIVE = "false_negative"


_TYPES = {
    MISMATCH: NonMatchType.FALSE_DISCOVERY,
    SPURIOUS: NonMatchType.FALSE_ALARM,
    MISSED: NonMatchType.FALSE_NEGATIVE,
}


def non_matches(root: ObjectPlan, result: ObjectResult) -> list[dict[str, Any]]:
    """Return one entry for each value, object or list item that is wrong, missed or invented."""
    return list(_children(root, result, ""))


def _children(
    plan: ObjectPlan, result: ObjectResult, prefix: str, *, in_row: bool = False
) -> Iterator[dict[str, Any]]:
    for (name, child), sub in zip(plan.fields.items(), result.children, strict=True):
        if type(sub) is LeafResult and sub.outcome not in _TYPES:
            continue
        yield from _field(child, sub, prefix + name, in_row=in_row)


def _field(plan: PlanNode[Any], result: Result, path: str, *, in_row: bool) -> Iterator[dict[str, Any]]:
    plan = maker_of(plan, result)
    if isinstance(result, ListResult) and not (result.stray and result.outcome is MISMATCH):
        assert isinstance(plan, ListPlan)
        yield from _list(plan, result, path)
    elif isinstance(result, ObjectResult) and not result.stray and result.outcome in (MATCH, MISMATCH):
        assert isinstance(plan, ObjectPlan)
        yield from _children(plan, result, f"{path}.", in_row=in_row)
    elif result.outcome in _TYPES:
        assert result.outcome is not None
        reason = _reason(plan, result)
        entry = _entry(
            path, result.outcome, declared(plan, result.expected), declared(plan, result.predicted), reason
        )
        if in_row:
            entry["reason"] = "field mismatch"
        if result.outcome is MISMATCH:
            entry["similarity_score"] = result.share
        yield entry


def _reason(plan: PlanNode[Any], result: Result) -> str:
    if result.outcome is not MISMATCH:
        assert result.outcome is not None
        return ALONE[result.outcome]
    if result.note == "type" or not isinstance(plan, LeafPlan):
        return "the values are of different types"
    return below(result.share, plan.threshold)


def _list(plan: ListPlan, result: ListResult, path: str) -> Iterator[dict[str, Any]]:
    e, p = items_of(result.expected) or (), items_of(result.predicted) or ()
    if result.stray:
        assert result.outcome is not None
        if result.outcome is not MATCH:
            yield _entry(
                path, result.outcome, plain(result.expected), plain(result.predicted), _reason(plan, result)
            )
        return
    for pair in result.pairs:
        yield from _pair(plan, pair, path, e[pair.expected_index], p[pair.predicted_index])
    for i in result.missed:
        yield _entry(f"{path}[{i}]", MISSED, declared(plan.item, e[i]), None, ALONE[MISSED])
    for j in result.spurious:
        yield _entry(f"{path}[{j}]", SPURIOUS, None, declared(plan.item, p[j]), ALONE[SPURIOUS])


def _pair(plan: ListPlan, pair: Pair, path: str, e: Json, p: Json) -> Iterator[dict[str, Any]]:
    at = f"{path}[{pair.expected_index}]"
    item = maker_of(plan.item, pair.result)
    if not pair.accepted:
        threshold = item.threshold if isinstance(item, LeafPlan) else item.accept
        entry = _entry(at, MISMATCH, declared(item, e), declared(item, p), below(pair.similarity, threshold))
        yield {**entry, "similarity": pair.similarity, "similarity_score": pair.similarity}
    elif isinstance(item, ObjectPlan) and isinstance(pair.result, ObjectResult) and not pair.result.stray:
        yield from _children(item, pair.result, f"{at}.", in_row=True)
    elif isinstance(pair.result, ListResult) and isinstance(item, ListPlan):
        yield from _list(item, pair.result, at)


def _entry(path: str, outcome: Outcome, expected: Json, predicted: Json, reason: str) -> dict[str, Any]:
    return {
        "field_path": path,
        "non_match_type": _TYPES[outcome],
        "ground_truth_value": expected,
        "prediction_value": predicted,
        "reason": reason,
        "details": {"reason": reason},
    }
