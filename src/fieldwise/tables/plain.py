"""Which comparisons can be written column by column: those in which every leaf counts as what its result says."""

from __future__ import annotations

from typing import Any

from fieldwise.compare.leaves import LeafPlan
from fieldwise.compare.lists import ListPlan, items_of
from fieldwise.compare.objects import ObjectPlan
from fieldwise.compare.results import SAME, LeafResult, ListResult, ObjectResult, Result
from fieldwise.compare.undeclared import unknown_items


def is_plain(plan: ObjectPlan, result: ObjectResult) -> bool:
    """Tell whether every leaf counts as what its result says: no stray value, no undeclared key, no row apart."""
    expected, predicted = result.expected, result.predicted
    if result.stray or type(expected) is not dict or type(predicted) is not dict or unknown_items(plan, predicted):
        return False
    if result.children is plan.all_same:
        return not plan.inner  # a field of several shapes is no column
    for node, child in zip(plan.fields.values(), result.children, strict=True):
        if type(node) is not LeafPlan if child is SAME else not _is_plain_child(node, child):
            return False
    return True


def _is_plain_child(node: Any, child: Result) -> bool:
    if type(child) is LeafResult:
        return type(node) is LeafPlan
    if type(child) is ObjectResult:
        return type(node) is ObjectPlan and is_plain(node, child)
    if type(node) is not ListPlan or type(node.item) is not ObjectPlan or type(child) is not ListResult:
        return False
    if child.stray or child.missed or child.spurious or child.outcome is not None:
        return False
    pairs = child.pairs
    if len(pairs) < len(items_of(child.predicted) or ()):
        return False  # an item of which no declared leaf has a value
    item: Any = node.item
    return all(pair.accepted and is_plain(item, pair.result) for pair in pairs)  # type: ignore[arg-type]  # rows of objects
