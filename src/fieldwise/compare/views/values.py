"""Values and reasons as views show them: plain JSON, objects with all their declared fields, outcomes in words."""

from __future__ import annotations

import math
from functools import lru_cache
from typing import Any

from fieldwise.compare.lists import ListPlan
from fieldwise.compare.nodes import PlanNode
from fieldwise.compare.objects import ObjectPlan
from fieldwise.compare.results import MISSED, SPURIOUS, AnyOf, Outcome
from fieldwise.compare.shapes import RefPlan, ShapePlan
from fieldwise.depth import MAX_LEVEL
from fieldwise.values import Json, plain, scalar

PLAIN = frozenset({str, bool, type(None)})
"""Types that are shown as they are."""


def as_json(value: Json) -> Json:
    """Return a value as plain JSON; what lies deeper than documents are compared, which is one value, as text."""
    return plain(value, MAX_LEVEL)


def declared(plan: PlanNode[Any], value: Json) -> Json:
    """Return a value as plain JSON; declared fields that an object leaves out stand in it as null."""
    kind = type(value)
    if kind in PLAIN or (kind is float and value - value == 0.0):
        return value
    if kind is float or kind is int:
        return scalar(value)
    if isinstance(value, AnyOf):
        return [declared(plan, alternative) for alternative in value.values]
    return _filled(plan, as_json(value))


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


ALONE: dict[Outcome, str] = {MISSED: "unmatched ground truth", SPURIOUS: "unmatched prediction"}


@lru_cache(maxsize=1024)  # the same few scores come again and again, 0 above all
def below(score: float, threshold: float) -> str:
    """Say that a score does not reach its threshold.

    >>> below(0.6, 0.8)
    'below threshold (0.600 < 0.8)'
    """
    return f"below threshold ({score:.3f} < {threshold})"


def above(score: float, threshold: float) -> str:
    """Say that a score reaches its threshold, or that the values are the same.

    >>> above(1.0, 0.8), above(0.9, 0.8)
    ('exact match', 'above threshold (0.900 >= 0.8)')
    """
    if math.isclose(score, 1.0):
        return "exact match"
    return f"above threshold ({score:.3f} >= {threshold})"
