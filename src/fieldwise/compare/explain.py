"""A plan in words: every path with its comparator, threshold and weight, and where each setting came from."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from fieldwise.compare.leaves import LeafPlan
from fieldwise.compare.lists import ListPlan
from fieldwise.compare.nodes import PlanNode
from fieldwise.compare.objects import ObjectPlan
from fieldwise.compare.results import Result
from fieldwise.compare.shapes import RefPlan, ShapePlan

_MAX_EXAMPLES = 5


class PlanRow(NamedTuple):
    """One line of an explained plan."""

    path: str
    how: str
    threshold: str
    weight: str
    why: str


def plan_rows(root: ObjectPlan) -> Iterator[PlanRow]:
    """Yield a row for every declared path, parents before children."""
    for child in root.fields.values():
        yield from _rows(child)


def _rows(node: PlanNode[Result]) -> Iterator[PlanRow]:
    if isinstance(node, LeafPlan):
        yield _leaf(node, node.comparator.describe())
    elif isinstance(node, ObjectPlan):
        yield PlanRow(node.path, "object, field by field", f"{node.threshold:g}", f"{node.weight:g}", _why(node))
        for child in node.fields.values():
            yield from _rows(child)
    elif isinstance(node, ListPlan):
        yield from _list(node)
    elif isinstance(node, ShapePlan):
        shapes = " or ".join(_shape(arm) for arm in node.arms)
        yield _leaf(node.otherwise, f"{shapes}: by its shape, else {node.otherwise.comparator.describe()}")
    elif isinstance(node, RefPlan):
        yield PlanRow(node.path, "the same definition again", "", f"{node.weight:g}", "recursive reference")


def _list(node: ListPlan) -> Iterator[PlanRow]:
    paired = {"any": "best pairs", "sequence": "in sequence", "position": "by position"}[node.order]
    if node.key:
        paired = f"by {', '.join(node.key)}, then {paired}"
    item = node.item
    if isinstance(item, LeafPlan):
        row = _leaf(item, f"list, {paired}: {item.comparator.describe()}")
        yield row._replace(path=node.path, weight=f"{node.weight:g}")
        return
    why = "match threshold of the items"
    if node.sources.get("weight", "default") != "default":
        why += f"; weight: {node.sources['weight']}"
    yield PlanRow(node.path, f"list of {_shape(item)}s, {paired}", _accept(item), f"{node.weight:g}", why)
    if isinstance(item, ObjectPlan):
        for child in item.fields.values():
            yield from _rows(child)


def _accept(item: PlanNode[Result]) -> str:
    return "" if isinstance(item, RefPlan) else f"{item.accept:g}"


def _leaf(node: LeafPlan, how: str) -> PlanRow:
    if not node.clip:
        how += ", scores below the threshold count"
    return PlanRow(node.path, how, f"{node.threshold:g}", f"{node.weight:g}", _why(node))


def _shape(node: PlanNode[Result]) -> str:
    if isinstance(node, LeafPlan):
        return {"any": "value", "free": "object"}.get(node.kind, node.kind)
    return "list" if isinstance(node, ListPlan) else "object"


def _why(node: PlanNode[Result]) -> str:
    """Say where comparator, threshold and weight came from, each source once."""
    said: dict[str, list[str]] = {}
    settings = ("comparator", "threshold", "weight") if isinstance(node, LeafPlan) else ("threshold", "weight")
    for setting in settings:
        source = node.sources.get(setting, "default")
        if not (setting == "weight" and source == "default"):
            said.setdefault(source, []).append(setting)
    if len(said) == 1:
        return next(iter(said))
    return "; ".join(f"{' and '.join(settings)}: {source}" for source, settings in said.items())


def plan_notes(root: ObjectPlan) -> list[str]:
    """Say in a line which paths are known to be outside the spec, in one how other undeclared keys count, and in one
    for the fields that have them which texts are values there though they stand for none elsewhere.
    """
    lines = []
    if root.outside:
        listed = _some(sorted(root.outside))
        lines.append(f"outside the spec, as expected documents have these keys and no field declares them: {listed}")
    if root.extras == "ignore":
        lines.append("predicted keys that no field declares are ignored")
    return [*lines, *_value_words(root)]


def _value_words(root: ObjectPlan) -> Iterator[str]:
    fields: dict[tuple[str, ...], list[str]] = {}
    for leaf in _leaves(root):
        words = tuple(word for word in root.absent if word not in leaf.absent)
        fields.setdefault(words, []).append(leaf.path)
    for words, paths in fields.items():
        if words:
            yield f"stand for no value elsewhere, and are values in {_some(paths)}: {', '.join(words)}"


def _some(names: Sequence[str]) -> str:
    more = len(names) - _MAX_EXAMPLES
    return ", ".join(names[:_MAX_EXAMPLES]) + (f" and {more:,} more" if more > 0 else "")


def _leaves(node: PlanNode[Result]) -> Iterator[LeafPlan]:
    if isinstance(node, LeafPlan):
        yield node
    elif isinstance(node, ObjectPlan):
        for child in node.fields.values():
            yield from _leaves(child)
    elif isinstance(node, ListPlan):
        yield from _leaves(node.item)


def plan_table(root: ObjectPlan) -> str:
    """Return the plan as an aligned table."""
    head = PlanRow("path", "compared as", "threshold", "weight", "because")
    rows = [head, *plan_rows(root)]
    widths = [max(len(row[i]) for row in rows) for i in range(4)]
    lines = ["  ".join([*(cell.ljust(w) for cell, w in zip(row, widths, strict=False)), row.why]) for row in rows]
    return "\n".join(line.rstrip() for line in lines)
