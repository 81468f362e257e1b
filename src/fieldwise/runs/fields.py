"""Fields by their names: what a name stands for where somebody gives one, and how a run compared the field."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from fnmatch import fnmatchcase
from typing import Any

from fieldwise.compare import Plan
from fieldwise.compare.leaves import LeafPlan
from fieldwise.compare.lists import ListPlan
from fieldwise.compare.nodes import PlanNode
from fieldwise.compare.objects import ObjectPlan
from fieldwise.compare.shapes import RefPlan, ShapePlan
from fieldwise.errors import InputError, SettingError, closest, nearest, quoted
from fieldwise.runs.run import Run
from fieldwise.spec import Spec, parent_of

_MAX_KNOWN = 20
_MAX_LISTED = 12


def stands_for(name: str, field: str) -> bool:
    """Say whether a name stands for a field: its own, one above it, or a pattern in which * is any part of a name.

    >>> [stands_for(name, "items.price") for name in ("items.price", "items", "*.price", "item")]
    [True, True, True, False]
    """
    return name == field or name in _above(field) or fnmatchcase(field, name.replace("[", "[[]"))


def _above(field: str) -> Iterator[str]:
    while field := parent_of(field):
        yield field


def chosen_fields(names: Sequence[str], known: Iterable[str], *, path: str = "", among: str = "") -> list[str]:
    """Return the fields that some names stand for; a name that stands for none is refused.

    ``path`` is where the names are given, ``among`` says whose fields are known.
    """
    fields = list(known)
    chosen: dict[str, None] = {}
    for name in names:
        found = [field for field in fields if stands_for(name, field)]
        if not found:
            hint = nearest(name, fields) or _known(fields)
            raise SettingError(
                f"No field{among and f' of {among}'} is called {quoted(name)}{hint}",
                path=path,
                code="field.unknown",
                facts={"field": name, "nearest": closest(name, fields)},
            )
        chosen |= dict.fromkeys(found)
    return list(chosen)


def _known(fields: Sequence[str]) -> str:
    return f"; known are {', '.join(fields[:_MAX_KNOWN])}" + (", …" if len(fields) > _MAX_KNOWN else "")


def fields_below(run: Run, name: str) -> list[str]:
    """Return the fields with counts that a name stands for; one that stands for no field of the run is refused."""
    counted = set(run.fields())
    return [field for field in chosen_fields([name], run.metrics.fields, among=run.name) if field in counted]


def refuse_several(run: Run, name: str) -> None:
    """Refuse a name that stands for several fields with counts, or for none of the run."""
    below = fields_below(run, name)
    if below:
        raise SettingError(
            f"{name} has no counts of its own in {run.name}; the fields below it are {_first(below)}",
            code="field.unknown",
            facts={"field": name, "nearest": below[0]},
        )


def run_plan(run: Run) -> Plan:
    """Return the plan by which a run compared, from its spec."""
    if run.spec_name is None:
        raise InputError(
            f"No spec.json in {run.name}: the current threshold of the field is not known",
            code="run.no_spec",
            facts={"file": run.name},
        )
    declared = run.spec()
    if declared is None:
        raise InputError(
            f"Expected a JSON Schema in {run.spec_name}, got no JSON", code="run.damaged", facts={"file": run.spec_name}
        )
    if not isinstance(declared, dict):
        raise InputError(
            f"Expected a JSON Schema in {run.spec_name}, got a {type(declared).__name__}",
            code="run.damaged",
            facts={"file": run.spec_name},
        )
    try:
        return Plan.compile(Spec.from_json_schema(declared))
    except SettingError as error:
        raise InputError(
            f"{run.spec_name} is no spec of an evaluation: {error}", code="run.damaged", facts={"file": run.spec_name}
        ) from error


def leaf_at(plan: Plan, field: str, can_sweep: Callable[[], Sequence[str]]) -> LeafPlan:
    """Return the leaf that a path names; one that names no leaf is refused with the fields that could be meant."""
    found = list(_nodes_at(plan.root, field))
    leaves = [node for node in found if isinstance(node, LeafPlan)]
    if len({(leaf.cut, leaf.comparator) for leaf in leaves}) == 1:
        return leaves[0]
    if leaves:
        raise SettingError(
            f"{field} has several thresholds, one for each shape of its values; none can be swept alone",
            code="sweep.no_threshold",
            facts={"field": field},
        )
    names = can_sweep()
    below = [name for name in names if name.startswith(f"{field}.")]
    if any(isinstance(node, (ObjectPlan, ListPlan)) for node in found):
        kind = "an object" if isinstance(found[0], ObjectPlan) else "a list of objects"
        raise SettingError(
            f"{field} is {kind}, with no threshold of its own for values; {_listed(below)}",
            code="sweep.no_threshold",
            facts={"field": field},
        )
    declared = [node.path for node in plan.fields() if isinstance(node, LeafPlan)]
    raise SettingError(
        f"No field {quoted(field)} is declared{_hint(field, declared, names)}",
        code="field.unknown",
        facts={"field": field, "nearest": closest(field, declared)},
    )


def _hint(field: str, declared: Sequence[str], can_sweep: Sequence[str]) -> str:
    """Say which field may be meant, and which ones can be swept."""
    meant = nearest(field, declared)
    if not meant:
        return f"; {_listed(can_sweep)}"
    return f"{meant} Fields that can be swept: {_first(can_sweep)}" if can_sweep else meant


def _listed(names: Sequence[str]) -> str:
    if not names:
        return "no field there has scores between 0 and 1"
    return f"fields that can be swept: {_first(names)}"


def _first(names: Sequence[str]) -> str:
    more = f" and {len(names) - _MAX_LISTED} more" if len(names) > _MAX_LISTED else ""
    return ", ".join(names[:_MAX_LISTED]) + more


def _nodes_at(node: PlanNode[Any], field: str) -> Iterator[PlanNode[Any]]:
    """Yield the nodes that compare the values of a field, whatever their shape; a definition is opened on the way."""
    if isinstance(node, RefPlan):
        yield from _nodes_at(node.target, field)
    elif isinstance(node, ShapePlan):
        for arm in (*node.arms, node.otherwise):
            yield from _nodes_at(arm, field)
    elif isinstance(node, ListPlan) and (node.path != field or isinstance(node.item, (LeafPlan, ShapePlan))):
        yield from _nodes_at(node.item, field)
    elif node.path == field:
        yield node
    elif isinstance(node, ObjectPlan):
        for child in node.fields.values():
            if field == child.path or field.startswith(f"{child.path}."):
                yield from _nodes_at(child, field)
