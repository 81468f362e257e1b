"""What did not match, as the list of dicts that ``compare_with`` documents."""

from __future__ import annotations

import enum
from typing import Any

from fieldwise.compare.leaves import LeafPlan
from fieldwise.compare.lists import items_of
from fieldwise.compare.nodes import PlanNode, maker, mapping_of
from fieldwise.compare.objects import ObjectPlan
from fieldwise.compare.results import (
    ABSENT,
    MATCH,
    MISMATCH,
    MISSED,
    SAME,
    SPURIOUS,
    LeafResult,
    ListResult,
    ObjectResult,
    Outcome,
    Pair,
    Result,
)
from fieldwise.compare.views.values import ALONE, PLAIN, as_json, below, declared
from fieldwise.values import Json


class NonMatchType(enum.StrEnum):
    """Why a value is no match."""

    FALSE_DISCOVERY = "false_discovery"
    FALSE_ALARM = "false_alarm"
    FALSE_NEGATIVE = "false_negative"


_Entries = list[dict[str, Any]]
_TYPES = {
    MISMATCH: NonMatchType.FALSE_DISCOVERY,
    SPURIOUS: NonMatchType.FALSE_ALARM,
    MISSED: NonMatchType.FALSE_NEGATIVE,
}


def non_matches(result: ObjectResult) -> list[dict[str, Any]]:
    """Return one entry for each value, object or list item that is wrong, missed or invented."""
    entries: _Entries = []
    _children(entries, result, "", False)
    return entries


def _children(entries: _Entries, result: ObjectResult, prefix: str, in_row: bool) -> None:
    plan = result.plan
    if result.children is plan.all_same:
        return
    values = None
    for name, sub in zip(plan.names, result.children):  # noqa: B905  # a hot loop
        if sub is SAME:
            continue
        if type(sub) is LeafResult:
            outcome = sub.outcome
            if outcome is MATCH or outcome is ABSENT:
                continue
            values = values or (mapping_of(result.expected) or {}, mapping_of(result.predicted) or {})
            e, p = values[0].get(name), values[1].get(name)
            entries.append(non_match(plan.fields[name].leaf, sub, e, p, prefix + name, in_row))
        else:
            _field(entries, sub, prefix + name, in_row)


def _field(entries: _Entries, result: ObjectResult | ListResult, path: str, in_row: bool) -> None:
    if isinstance(result, ListResult) and not (result.wrong_shape and result.outcome is MISMATCH):
        _list(entries, result, path)
    elif isinstance(result, ObjectResult) and not result.wrong_shape and result.outcome in (MATCH, MISMATCH):
        _children(entries, result, f"{path}.", in_row)
    elif result.outcome in _TYPES:
        entries.append(non_match(result.plan, result, result.expected, result.predicted, path, in_row))


def non_match(plan: PlanNode[Any], result: Result, e: Json, p: Json, path: str, in_row: bool = False) -> dict[str, Any]:
    """Return the entry of a value that is wrong, missed or invented by itself."""
    outcome = result.outcome
    assert outcome is not None
    reason = _reason(plan, result)
    entry = {
        "field_path": path,
        "non_match_type": _TYPES[outcome],
        "ground_truth_value": e if type(e) in PLAIN else declared(plan, e),
        "prediction_value": p if type(p) in PLAIN else declared(plan, p),
        "reason": "field mismatch" if in_row else reason,
        "details": {"reason": reason},
    }
    if outcome is MISMATCH:
        entry["similarity_score"] = result.raw_score
    return entry


def _reason(plan: PlanNode[Any], result: Result) -> str:
    if result.outcome is not MISMATCH:
        assert result.outcome is not None
        return ALONE[result.outcome]
    if not isinstance(plan, LeafPlan) or result.note == "type":
        return "the values are of different types"
    return result.note or below(result.raw_score, plan.threshold)


def _list(entries: _Entries, result: ListResult, path: str) -> None:
    item = result.plan.item
    if result.wrong_shape:
        assert result.outcome is not None
        if result.outcome is not MATCH:
            e, p = as_json(result.expected), as_json(result.predicted)
            entries.append(_entry(path, result.outcome, e, p, _reason(result.plan, result)))
        return
    e, p = items_of(result.expected) or (), items_of(result.predicted) or ()
    all_same = item.all_same if isinstance(item, ObjectPlan) else None
    for pair in result.pairs:
        i, j, _, accepted, row = pair
        if not accepted or (row is not SAME and (type(row) is not ObjectResult or row.children is not all_same)):
            _pair(entries, item, pair, path, e[i], p[j])
    for i in result.missed:
        entries.append(_entry(f"{path}[{i}]", MISSED, declared(item, e[i]), None, ALONE[MISSED]))
    for j in result.spurious:
        entries.append(_entry(f"{path}[{j}]", SPURIOUS, None, declared(item, p[j]), ALONE[SPURIOUS]))


def _pair(entries: _Entries, item: PlanNode[Any], pair: Pair, path: str, e: Json, p: Json) -> None:
    at, result = f"{path}[{pair.expected_index}]", pair.result
    if not pair.accepted:
        made_by = maker(item, result)
        threshold = made_by.threshold if isinstance(made_by, LeafPlan) else made_by.accept
        entry = _entry(at, MISMATCH, declared(made_by, e), declared(made_by, p), below(pair.similarity, threshold))
        entries.append({**entry, "similarity": pair.similarity, "similarity_score": pair.similarity})
    elif isinstance(result, ListResult):
        _list(entries, result, at)
    elif isinstance(result, ObjectResult) and not result.wrong_shape:
        _children(entries, result, f"{at}.", True)


def _entry(path: str, outcome: Outcome, expected: Json, predicted: Json, reason: str) -> dict[str, Any]:
    return {
        "field_path": path,
        "non_match_type": _TYPES[outcome],
        "ground_truth_value": expected,
        "prediction_value": predicted,
        "reason": reason,
        "details": {"reason": reason},
    }
