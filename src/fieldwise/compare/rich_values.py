"""Rich values: ``{"_value": …, "_confidence": …}`` in place of a plain value, unwrapped before comparing.

The older spelling ``{"value": …, "confidence": …}`` is read too, whatever stands beside it. Where the plan declares an
object with such fields, or expected documents have an object there, it is one, and stays as it is.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

from fieldwise.compare.contents import rich_key
from fieldwise.compare.lists import ListPlan
from fieldwise.compare.nodes import PlanNode
from fieldwise.compare.objects import ObjectPlan
from fieldwise.compare.results import Result
from fieldwise.compare.shapes import RefPlan
from fieldwise.depth import MAX_LEVEL
from fieldwise.spec import escape
from fieldwise.values import Json, within_bounds

_CONTAINERS = frozenset({dict, list})
_PLAIN = {"value", "confidence"}


class Unwrapped(NamedTuple):
    """A document without its wrappings; what they said of each value, by its path such as ``items[0].sku``."""

    document: Json
    confidences: dict[str, Json]
    extras: dict[str, dict[str, Json]]
    as_came: dict[int, Sequence[Json]] = {}  # noqa: RUF012  # never written to
    """The lists as they were, by the id of the list that is in the document now."""

    def boxes(self) -> dict[str, Json]:
        """Return the bounding boxes that came with values."""
        return {path: extra["_bbox"] for path, extra in self.extras.items() if "_bbox" in extra}


class _Step(NamedTuple):
    parent: _Step | None
    key: str | int
    level: int

    def path(self, written: Callable[[str], str]) -> str:
        keys: list[str | int] = []
        step: _Step | None = self
        while step is not None:
            keys.append(step.key)
            step = step.parent
        path = "".join(f"[{k}]" if isinstance(k, int) else f".{written(k)}" for k in reversed(keys))
        return path.removeprefix(".")


def unwrap(document: Json, plan: Place | None = None, *, escaped: bool = False) -> Unwrapped:
    """Take every rich value apart; a document that has none is returned as it is.

    ``escaped`` paths are those of verdicts; else names stand in them as they are, as in the dicts of ``compare_with``.

    >>> unwrap({"total": {"_value": 5, "_confidence": 0.9}})
    Unwrapped(document={'total': 5}, confidences={'total': 0.9}, extras={}, as_came={})
    """
    if not _any_rich(document):
        return Unwrapped(document, {}, {})
    document = within_bounds(document)
    confidences: dict[str, Json] = {}
    extras: dict[str, dict[str, Json]] = {}
    as_came: dict[int, Sequence[Json]] = {}
    root: list[Json] = [None]
    written = escape if escaped else str
    todo: list[tuple[Json, Json, str | int, _Step | None, Place | None]] = [(document, root, 0, None, plan)]
    while todo:
        value, into, at, step, node = todo.pop()
        while (inner := rich_key(value, _fields(node))) is not None:
            if step is None or step.level <= MAX_LEVEL:
                _keep_beside(value, inner, step.path(written) if step else "", confidences, extras)
            value = value[inner]
        level = step.level + 1 if step else 1
        if type(value) is dict:
            into[at] = out = dict.fromkeys(value)
            todo.extend((v, out, k, _Step(step, k, level), _child(node, k)) for k, v in reversed(value.items()))
        elif type(value) is list:
            into[at] = items = [None] * len(value)
            as_came[id(items)] = value
            todo.extend((v, items, i, _Step(step, i, level), _item(node)) for i, v in reversed(list(enumerate(value))))
        else:
            into[at] = value
    return Unwrapped(root[0], confidences, extras, as_came)


def _any_rich(document: Json) -> bool:
    todo, seen = [document], set[int]()
    while todo:
        value = todo.pop()
        if type(value) not in _CONTAINERS or id(value) in seen:
            continue
        seen.add(id(value))
        if type(value) is dict:
            if "_value" in value or ("value" in value and "confidence" in value):
                return True
            todo.extend([inner for inner in value.values() if type(inner) in _CONTAINERS])
        else:
            todo.extend([inner for inner in value if type(inner) in _CONTAINERS])
    return False


def _keep_beside(
    value: Mapping[str, Json], inner: str, path: str, confidences: dict[str, Json], extras: dict[str, dict[str, Json]]
) -> None:
    beside = "_confidence" if inner == "_value" else "confidence"
    if beside in value and path not in confidences:
        confidences[path] = value[beside]
    rest = {k: v for k, v in value.items() if k not in (inner, beside)}
    if rest:
        extras[path] = {**rest, **extras.get(path, {})}


def unwrapped(documents: Sequence[Json]) -> list[Json]:
    """Return sampled documents without rich values, for what is inferred from them.

    A value beside a confidence is rich where nothing else is an object there; ``{"value": …, "confidence": …}`` alone
    always is where no document has more.
    """
    if not any(map(_any_rich, documents)):
        return list(documents)
    shape = _Shape()
    for document in documents:
        shape.add(document)
    return [unwrap(document, shape).document for document in documents]


class _Shape:
    """What documents have at a place: the fields of objects, and the items of lists."""

    def __init__(self) -> None:
        self.fields: dict[str, _Shape] | None = None
        self.item: _Shape | None = None

    def add(self, document: Json) -> None:
        todo: list[tuple[Json, _Shape]] = [(within_bounds(document), self)]
        while todo:
            value, shape = todo.pop()
            if type(value) is list:
                shape.item = shape.item or _Shape()
                todo.extend((item, shape.item) for item in value)
            elif type(value) is dict and ("_value" in value or value.keys() == _PLAIN):
                todo.append((value.get("_value", value.get("value")), shape))
            elif type(value) is dict:
                shape.fields = {} if shape.fields is None else shape.fields
                todo.extend((inner, shape.fields.setdefault(key, _Shape())) for key, inner in value.items())


def _seen(node: Place | None) -> Place | None:
    return node.target if isinstance(node, RefPlan) else node


def _fields(node: Place | None) -> Mapping[str, Place] | None:
    seen = _seen(node)
    return seen.fields if isinstance(seen, ObjectPlan | _Shape) else None


def _child(node: Place | None, key: str) -> Place | None:
    fields = _fields(node)
    return None if fields is None else fields.get(key)


def _item(node: Place | None) -> Place | None:
    seen = _seen(node)
    return seen.item if isinstance(seen, ListPlan | _Shape) else None


Place = PlanNode[Result] | _Shape
"""What is known of a place in documents: what the plan declares there, or what sampled documents have."""
