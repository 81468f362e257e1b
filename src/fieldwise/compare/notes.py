"""What the engine noted while comparing, with the field that it concerns."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from fieldwise.compare.lists import ListPlan
from fieldwise.compare.nodes import PlanNode
from fieldwise.compare.objects import ObjectPlan
from fieldwise.compare.results import ListResult, ObjectResult, Result
from fieldwise.compare.shapes import maker_of


def notes_of(plan: PlanNode[Any], result: Result) -> Iterator[str]:
    """Yield the notes of a result and of all below it; only lists have any."""
    made_by = maker_of(plan, result)
    if isinstance(made_by, ObjectPlan) and isinstance(result, ObjectResult):
        for child, sub in zip(made_by.fields.values(), result.children, strict=True):
            if child.holds_lists:
                yield from notes_of(child, sub)
    elif isinstance(made_by, ListPlan) and isinstance(result, ListResult):
        if result.note and not result.stray:
            yield f"{made_by.path}: {result.note}"
        if made_by.item.holds_lists:
            for pair in result.pairs:
                yield from notes_of(made_by.item, pair.result)
