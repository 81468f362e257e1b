"""A value as a view shows it: plain JSON, objects with all the fields that their plan declares."""

from __future__ import annotations

from typing import Any

from fieldwise.compare.lists import ListPlan
from fieldwise.compare.nodes import PlanNode
from fieldwise.compare.objects import ObjectPlan
from fieldwise.compare.results import AnyOf
from fieldwise.compare.shapes import RefPlan, ShapePlan
from fieldwise.depth import MAX_LEVEL
from fieldwise.values import Json, plain, scalar

PLAIN = frozenset({str, bool, type(None)})
"""Types that are shown as they are."""


def shown(value: Json) -> Json:
    """Return a value as plain JSON; what lies deeper than documents are compared, which is one value, as text."""
    return plain(value, MAX_LEVEL)


def declared(plan: PlanNode[Any], value: Json) -> Json:
    """Return a value as plain JSON; declared fields that an object leaves out stand in it as null."""
    kind = type(value)
    if kind in PLAIN:
        return value
    if kind is float or kind is int:
        return scalar(value)
    if isinstance(value, AnyOf):
        return [declared(plan, alternative) for alternative in value.values]
    return _filled(plan, shown(value))


def _filled(plan: PlanNode[Any], value: Json) -> Json:
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
