"""What did not match, as the list of dicts that ``compare_with`` documents, and values as such lists show them."""

from __future__ import annotations

import enum
from functools import lru_cache
from typing import NotRequired, TypedDict

from fieldwise.compare.leaves import LeafPlan
from fieldwise.compare.lists import ListPlan, items_of
from fieldwise.compare.nodes import PlanNode, maker, mapping_of
from fieldwise.compare.objects import ObjectPlan
from fieldwise.compare.results import (
    ABSENT,
    MATCH,
    MISMATCH,
    MISSED,
    SAME,
    SPURIOUS,
    AnyOf,
    LeafResult,
    ListResult,
    ObjectResult,
    Outcome,
    Pair,
    Raised,
    Result,
)
from fieldwise.compare.shapes import RefPlan, ShapePlan
from fieldwise.depth import MAX_LEVEL
from fieldwise.values import Json, plain, scalar


class NonMatchType(enum.StrEnum):
    """Why a value is no match."""

    FALSE_DISCOVERY = "false_discovery"
    FALSE_ALARM = "false_alarm"
    FALSE_NEGATIVE = "false_negative"


class NonMatch(TypedDict):
    """An entry of ``non_matches``: ``similarity_score`` is there for two values, ``similarity`` for two list items."""

    field_path: str
    non_match_type: NonMatchType
    ground_truth_value: Json
    prediction_value: Json
    reason: str
    details: dict[str, str]
    similarity_score: NotRequired[float]
    similarity: NotRequired[float]


_TYPES = {
    MISMATCH: NonMatchType.FALSE_DISCOVERY,
    SPURIOUS: NonMatchType.FALSE_ALARM,
    MISSED: NonMatchType.FALSE_NEGATIVE,
}
_ALONE: dict[Outcome, str] = {MISSED: "unmatched ground truth", SPURIOUS: "unmatched prediction"}
_PLAIN = frozenset({str, bool, type(None)})
"""Types that are shown as they are."""


def non_matches(result: ObjectResult) -> list[NonMatch]:
    """Return one entry for each value, object or list item that is wrong, missed or invented."""
    entries: list[NonMatch] = []
    _children(entries, result, "", False)
    return entries


def _children(entries: list[NonMatch], result: ObjectResult, prefix: str, in_row: bool) -> None:
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


def _field(entries: list[NonMatch], result: ObjectResult | ListResult, path: str, in_row: bool) -> None:
    if isinstance(result, ListResult) and not (result.wrong_shape and result.outcome is MISMATCH):
        _list(entries, result, path)
    elif isinstance(result, ObjectResult) and not result.wrong_shape and result.outcome in (MATCH, MISMATCH):
        _children(entries, result, f"{path}.", in_row)
    elif result.outcome in _TYPES:
        entries.append(non_match(result.plan, result, result.expected, result.predicted, path, in_row))


def non_match(plan: PlanNode[Result], result: Result, e: Json, p: Json, path: str, in_row: bool = False) -> NonMatch:
    """Return the entry of a value that is wrong, missed or invented by itself."""
    outcome = result.outcome
    assert outcome is not None
    reason = _reason(plan, result)
    entry: NonMatch = {
        "field_path": path,
        "non_match_type": _TYPES[outcome],
        "ground_truth_value": e if type(e) in _PLAIN else declared(plan, e),
        "prediction_value": p if type(p) in _PLAIN else declared(plan, p),
        "reason": "field mismatch" if in_row else reason,
        "details": {"reason": reason},
    }
    if outcome is MISMATCH:
        entry["similarity_score"] = result.raw_score
    return entry


def _reason(plan: PlanNode[Result], result: Result) -> str:
    if result.outcome is not MISMATCH:
        assert result.outcome is not None
        return _ALONE[result.outcome]
    if not isinstance(plan, LeafPlan) or result.note == "type":
        return "the values are of different types"
    return result.note.reason if isinstance(result.note, Raised) else below(result.raw_score, plan.threshold)


def _list(entries: list[NonMatch], result: ListResult, path: str) -> None:
    item = result.plan.item
    if result.wrong_shape:
        assert result.outcome is not None
        if result.outcome is not MATCH:
            e, p = _as_json(result.expected), _as_json(result.predicted)
            entries.append(_entry(path, result.outcome, e, p, _reason(result.plan, result)))
        return
    e, p = items_of(result.expected) or (), items_of(result.predicted) or ()
    all_same = item.all_same if isinstance(item, ObjectPlan) else None
    for pair in result.pairs:
        i, j, _, accepted, row = pair
        if not accepted or (row is not SAME and (type(row) is not ObjectResult or row.children is not all_same)):
            _pair(entries, item, pair, path, e[i], p[j])
    if result.missed:
        entries += [_entry(f"{path}[{i}]", MISSED, declared(item, e[i]), None, _ALONE[MISSED]) for i in result.missed]
    if result.spurious:
        entries += [
            _entry(f"{path}[{j}]", SPURIOUS, None, declared(item, p[j]), _ALONE[SPURIOUS]) for j in result.spurious
        ]


def _pair(entries: list[NonMatch], item: PlanNode[Result], pair: Pair, path: str, e: Json, p: Json) -> None:
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


def _entry(path: str, outcome: Outcome, expected: Json, predicted: Json, reason: str) -> NonMatch:
    return {
        "field_path": path,
        "non_match_type": _TYPES[outcome],
        "ground_truth_value": expected,
        "prediction_value": predicted,
        "reason": reason,
        "details": {"reason": reason},
    }


def _as_json(value: Json) -> Json:
    """Return a value as plain JSON; what lies deeper than documents are compared, which is one value, as text."""
    return plain(value, MAX_LEVEL)


def declared(plan: PlanNode[Result], value: Json) -> Json:
    """Return a value as plain JSON; declared fields that an object leaves out stand in it as null."""
    kind = type(value)
    if kind in _PLAIN or (kind is float and value - value == 0.0):
        return value
    if kind is float or kind is int:
        return scalar(value)
    if isinstance(value, AnyOf):
        return [declared(plan, alternative) for alternative in value.values]
    return _filled(plan, _as_json(value))


def _filled(plan: PlanNode[Result], value: Json) -> Json:
    if isinstance(plan, ShapePlan):
        plan = plan.arm_for(value, None)
    if isinstance(plan, RefPlan) and type(value) in (dict, list):
        plan = plan.target
    if isinstance(plan, ObjectPlan) and type(value) is dict:
        filled = {name: _filled(child, value.get(name)) for name, child in plan.fields.items()}
        return {**filled, **{name: v for name, v in value.items() if name not in filled}}
    if isinstance(plan, ListPlan) and type(value) is list:
        return [_filled(plan.item, item) for item in value]
    return value


@lru_cache(maxsize=1024)  # the same few scores come again and again, 0 above all
def below(score: float, threshold: float) -> str:
    """Say that a score does not reach its threshold.

    >>> below(0.6, 0.8)
    'below threshold (0.600 < 0.8)'
    """
    return f"below threshold ({score:.3f} < {threshold})"
