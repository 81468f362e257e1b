"""Which comparisons can be written column by column: those in which every leaf counts as what its result says."""

from __future__ import annotations

from typing import Any

from fieldwise.compare.leaves import LeafPlan
from fieldwise.compare.lists import ListPlan, items_of
from fieldwise.compare.nodes import PlanNode
from fieldwise.compare.objects import ObjectPlan
from fieldwise.compare.results import SAME, LeafResult, ObjectResult, Result
from fieldwise.compare.undeclared import unknown_items


def is_plain(result: ObjectResult) -> bool:
    """Return whether every leaf counts as what its result says: all of the declared shape, no undeclared key, no row
    that is rejected or unpaired.
    """
    plan = result.plan
    if result.wrong_shape or type(result.expected) is not dict or type(result.predicted) is not dict:
        return False
    if unknown_items(plan, result.predicted):
        return False
    if result.children is plan.all_same:
        return not plan.inner  # a field of several shapes is no column
    for node, child in zip(plan.fields.values(), result.children, strict=True):
        if type(node) is not LeafPlan if child is SAME else not _is_plain_child(node, child):
            return False
    return True


def _is_plain_child(node: PlanNode[Any], child: Result) -> bool:
    """Return whether a field is plain; ``node`` is one of several shapes where it is not the plan of the result."""
    if isinstance(child, LeafResult):
        return type(node) is LeafPlan
    if isinstance(child, ObjectResult):
        return type(node) is ObjectPlan and is_plain(child)
    if type(node) is not ListPlan or type(node.item) is not ObjectPlan:
        return False
    if child.wrong_shape or child.missed or child.spurious or child.outcome is not None:
        return False
    if len(child.pairs) < len(items_of(child.predicted) or ()):
        return False  # an item of which no declared leaf has a value
    for _, _, _, accepted, row in child.pairs:  # noqa: SIM110  # all() of a generator is slower
        if not (accepted and type(row) is ObjectResult and is_plain(row)):
            return False
    return True
