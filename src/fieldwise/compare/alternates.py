"""Other acceptable values, given beside the expected document by path."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from fieldwise.compare.lists import ListPlan
from fieldwise.compare.nodes import PlanNode
from fieldwise.compare.objects import ObjectPlan
from fieldwise.compare.results import AnyOf, Result
from fieldwise.compare.shapes import RefPlan, ShapePlan
from fieldwise.errors import SettingError, closest, nearest
from fieldwise.spec import steps_of
from fieldwise.values import Json, plain


def with_alternates(
    expected: Json, alternates: Mapping[str, Sequence[Json]], plan: PlanNode[Result] | None = None
) -> Json:
    """Return the expected document with every named value widened to what is acceptable there.

    A path that the plan does not declare is refused.

    >>> with_alternates({"city": "Köln"}, {"city": ["Cologne"]})
    {'city': AnyOf(values=('Köln', 'Cologne'))}
    """
    root: list[Json] = [plain(expected)]
    for path, values in alternates.items():
        if isinstance(values, (str, bytes)) or not isinstance(values, Sequence):
            raise SettingError(
                f"Expected a list of acceptable values, got {values!r}", path=path, facts={"got": values}
            )
        steps = steps_of(path)
        _check_declared(plan, steps, path)
        _widen(root, [0, *steps], values, path)
    return root[0]


def _check_declared(plan: PlanNode[Result] | None, steps: Sequence[str | int], path: str) -> None:
    nodes = [] if plan is None else [plan]
    for step in steps:
        nodes = [shape for node in nodes for shape in _shapes(node)]
        if isinstance(step, int):
            nodes = [node.item for node in nodes if isinstance(node, ListPlan)]
            continue
        named = {name: field for node in nodes if isinstance(node, ObjectPlan) for name, field in node.fields.items()}
        if nodes and step not in named and not any(isinstance(node, ListPlan) for node in nodes):
            raise SettingError(
                f"No field {step!r} to give alternates for{nearest(step, named)}",
                path=path,
                code="field.unknown",
                facts={"field": step, "nearest": closest(step, named)},
            )
        nodes = [node.fields[step] for node in nodes if isinstance(node, ObjectPlan) and step in node.fields]


def _shapes(node: PlanNode[Result]) -> Sequence[PlanNode[Result]]:
    """Return the nodes that may compare a value in place of a node."""
    if isinstance(node, RefPlan):
        return _shapes(node.target)
    return [*node.arms, node.otherwise] if isinstance(node, ShapePlan) else [node]


def _widen(holder: Json, steps: Sequence[str | int], values: Sequence[Json], path: str) -> None:
    *way, last = steps
    for step in way:
        holder = _inside(holder, step, path)
    old = _inside(holder, last, path)
    known = old.values if isinstance(old, AnyOf) else (old,)
    holder[last] = AnyOf((*known, *values))


def _inside(holder: Json, step: str | int, path: str) -> Json:
    if isinstance(holder, dict) and isinstance(step, str):
        return holder.get(step)
    if isinstance(holder, list) and isinstance(step, int) and step < len(holder):
        return holder[step]
    raise SettingError(
        f"The expected document has nothing at {path!r} to give alternates for",
        path=path,
        code="field.no_value",
        facts={"field": path},
    )
