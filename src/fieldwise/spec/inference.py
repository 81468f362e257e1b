"""The fields that sample documents have: objects, lists and values. How to compare them is left open."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import islice
from typing import Any

from fieldwise.depth import MAX_LEVEL, allow_levels
from fieldwise.errors import InputError
from fieldwise.spec.inference_rules import tokens
from fieldwise.spec.nodes import Leaf, ListOf, Node, Object
from fieldwise.values import Json, children, is_absent, is_scalar, key_text, opened, plain, within_bounds

SAMPLE_SIZE = 1_000

_BOX_WORDS = frozenset(["bbox", "box", "geometry"])


def sample_of(documents: Iterable[Json]) -> list[Json]:
    """Return the first thousand documents as plain values."""
    return [within_bounds(d) if isinstance(d, Mapping) else plain(d) for d in islice(documents, SAMPLE_SIZE)]


def infer_root(samples: list[Json]) -> Object:
    """Return the root node that fits the documents; what most values of a field are, the field is."""
    objects = [d for d in samples if isinstance(d, Mapping) and d]
    if not objects:
        raise InputError(
            f"Nothing to infer a spec from: expected at least one JSON object with fields, got {_shapes(samples)}",
            code="spec.nothing_to_infer",
        )
    allow_levels(_levels(objects))
    return _object(objects, "Document", 0)


def _levels(documents: list[Json]) -> int:
    """Return how deep the documents are nested, as far as that matters."""
    layer: list[Json] = documents
    for level in range(MAX_LEVEL + 1):
        layer = [child for value in layer for _, child in children(value) or () if not is_scalar(child)]
        if not layer:
            return level + 1
    return MAX_LEVEL + 1


def _shapes(samples: list[Json]) -> str:
    kinds = sorted({type(s).__name__ for s in samples})
    return ", ".join(kinds) if kinds else "no document"


def _object(values: Sequence[Mapping[str, Json]], name: str, level: int) -> Object:
    columns: dict[str, list[Json]] = {}
    for value in values:
        for key, child in value.items():
            columns.setdefault(key_text(key), []).append(child)
    fields = {key: _node(column, key, level + 1) for key, column in columns.items()}
    return Object(fields=fields, name=_identifier(name), clip=True, origin="open")


def _node(values: list[Json], name: str, level: int) -> Node:
    present = [v for v in values if not is_absent(v)]
    objects: list[dict[str, Json]] = []
    lists: list[list[Json]] = []
    for value in present:
        parts = opened(value)
        if type(parts) is dict:
            objects.append(parts)
        elif type(parts) is list:
            lists.append(parts)
    scalars = len(present) - len(objects) - len(lists)
    if level < MAX_LEVEL and objects and len(objects) >= max(len(lists), scalars):
        return _object(objects, name, level)
    if level < MAX_LEVEL and lists and len(lists) >= scalars:
        return _list(lists, name, level)
    return Leaf(origin="open")


def _list(values: list[list[Json]], name: str, level: int) -> Node:
    if _BOX_WORDS & set(tokens(name)) and all(_is_box(v) for v in values):
        return Leaf(kind="box", origin="open")
    items = [item for value in values for item in value]
    return ListOf(item=_node(items, name, level + 1), origin="open")


def _is_box(value: Json) -> bool:
    return len(value) == 4 and all(isinstance(n, (int, float)) and not isinstance(n, bool) for n in value)


def _identifier(name: str) -> str:
    text: Any = "".join(c if c.isalnum() else "_" for c in name)
    return text if text.isidentifier() else f"_{text}"
