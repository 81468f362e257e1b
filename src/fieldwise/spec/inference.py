"""A spec from sample documents: what kinds of values each field holds, and what its name suggests."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import replace
from itertools import islice
from typing import Any

from fieldwise.comparators import build
from fieldwise.depth import MAX_LEVEL, allow_levels
from fieldwise.errors import InputError
from fieldwise.spec.inference_rules import list_of, settle, tokens
from fieldwise.spec.nodes import Kind, Leaf, Node, Object
from fieldwise.values import Json, children, is_absent, is_list, is_object, is_scalar, model_items, plain

SAMPLE_SIZE = 1_000

_ISO_DATE = re.compile(r"\d{4}-\d{2}-\d{2}")
_ISO_DATETIME = re.compile(r"\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}.*")
_DATE_LIKE = re.compile(
    r"(?i)\d{1,4}[./-]\d{1,2}[./-]\d{1,4}|.*\b(jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*\b.*\d.*"
)
_NUMBER_LIKE = re.compile(
    r"[-+(]?\s*[^\w\s]?\s*(?:[A-Z]{3}\s*)?[-+]?\d[\d.,' ]*(?:[eE][+-]?\d+)?\s*(?:[%€$£]|[A-Z]{3})?\)?"
)
_CODE_LIKE = re.compile(r"(?=\S*\d)[A-Za-z]{0,6}[-_/#.]?[\w/-]*\d[\w/-]*")
_DATE_WORDS = frozenset(["date", "dob", "expiry", "expires", "created", "updated", "issued", "due", "birthdate"])
_MONEY_WORDS = frozenset(["amount", "price", "total", "subtotal", "cost", "balance", "fee", "tax", "salary", "revenue"])
_BOX_WORDS = frozenset(["bbox", "box", "geometry"])


def infer_root(documents: Iterable[Json], *, weight_hints: bool = False) -> Object:
    """Return the root node that fits the first thousand documents.

    Values of a wrong or missing kind do not stop it; a field that was never seen with a value gets no comparator
    of its own kind and is compared by equality.
    """
    samples = [plain(d) if not isinstance(d, Mapping) else d for d in islice(documents, SAMPLE_SIZE)]
    objects = [d for d in samples if isinstance(d, Mapping) and d]
    if not objects:
        raise InputError(
            f"Nothing to infer a spec from: expected at least one JSON object with fields, got {_shapes(samples)}"
        )
    allow_levels(_levels(objects))
    return _object(objects, "Document", 0, weight_hints)


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


def _object(values: list[Mapping[str, Json]], name: str, level: int, hints: bool) -> Object:
    columns: dict[str, list[Json]] = {}
    for value in values:
        for key, child in value.items():
            columns.setdefault(str(key), []).append(child)
    fields = {key: _node(column, key, level + 1, hints) for key, column in columns.items()}
    return Object(fields=fields, name=_identifier(name), clip=True, origin="inferred")


def _node(values: list[Json], name: str, level: int, hints: bool) -> Node:
    present = [v for v in values if not is_absent(v)]
    objects = [_mapping(v) for v in present if is_object(v)]
    lists = [v for v in present if is_list(v)]
    scalars = len(present) - len(objects) - len(lists)
    if level < MAX_LEVEL and objects and len(objects) >= max(len(lists), scalars):
        return _object(objects, name, level, hints)
    if level < MAX_LEVEL and lists and len(lists) >= scalars:
        return _list(lists, name, level, hints)
    return _leaf([v for v in present if not is_object(v) and not is_list(v)], name, hints)


def _list(values: list[Json], name: str, level: int, hints: bool) -> Node:
    if _BOX_WORDS & set(tokens(name)) and all(_is_box(v) for v in values):
        return settle(Leaf(kind="box"), name, weight_hints=hints)
    items = [item for value in values for item in value]
    item = _node(items, name, level + 1, hints)
    return list_of(item)


def _is_box(value: Json) -> bool:
    return len(value) == 4 and all(isinstance(n, (int, float)) and not isinstance(n, bool) for n in value)


def _leaf(values: list[Json], name: str, hints: bool) -> Leaf:
    kind = _kind(values, name)
    if kind == "string" and values and _MONEY_WORDS & set(tokens(name)):
        texts = [v.strip() for v in values if isinstance(v, str)]
        if len(texts) == len(values) and all(_NUMBER_LIKE.fullmatch(t) for t in texts):
            kind = "number"
    leaf = settle(Leaf(kind=kind), name, weight_hints=hints)
    if kind == "string" and "the type is" in leaf.sources["comparator"] and _all_codes(values):
        why = "inferred: the values look like codes"
        sources = {**leaf.sources, "comparator": why, "threshold": why}
        return replace(leaf, comparator=build("Exact"), threshold=1.0, sources=sources)
    return leaf


def _all_codes(values: list[Json]) -> bool:
    return bool(values) and all(isinstance(v, str) and _CODE_LIKE.fullmatch(v.strip()) for v in values)


def _kind(values: list[Json], name: str) -> Kind:
    types = {type(v) for v in values}
    if not types:
        return "any"
    if types == {bool}:
        return "boolean"
    if types == {int}:
        return "integer"
    if types <= {int, float}:
        return "number"
    if types == {str}:
        return _text_kind([v.strip() for v in values], name)
    return "string" if str in types else "any"


def _text_kind(texts: list[str], name: str) -> Kind:
    if all(_ISO_DATE.fullmatch(t) for t in texts):
        return "date"
    if all(_ISO_DATETIME.fullmatch(t) for t in texts):
        return "datetime"
    if _DATE_WORDS & set(tokens(name)) and all(_DATE_LIKE.fullmatch(t) or _ISO_DATETIME.fullmatch(t) for t in texts):
        return "date"
    return "string"


def _mapping(value: Json) -> Mapping[str, Json]:
    return value if isinstance(value, Mapping) else model_items(value)


def _identifier(name: str) -> str:
    text: Any = "".join(c if c.isalnum() else "_" for c in name)
    return text if text.isidentifier() else f"_{text}"
