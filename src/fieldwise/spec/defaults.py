"""The one table of defaults, and filling in from it what a spec leaves open.

What a field gets that declares nothing depends on the way it was declared and on its kind; ``print(plan)`` cites these
rows. Python declarations, JSON Schema and config differ on purpose: code written for each of them finds the numbers
that it is used to.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from fieldwise.checks import checked_number, checked_weight
from fieldwise.comparators import BaseComparator, build
from fieldwise.errors import SettingError
from fieldwise.spec.nodes import Kind, Leaf, ListOf, Node, Object, OneOf, Origin, Ref
from fieldwise.spec.paths import below

MATCH_THRESHOLD = 0.7
WEIGHT = 1.0


@dataclass(frozen=True)
class Default:
    """One row: comparator by name, threshold, and whether scores below the threshold become 0."""

    comparator: str
    threshold: float
    clip: bool

    def build(self) -> BaseComparator:
        return build(self.comparator)


_LEVENSHTEIN = Default("Levenshtein", 0.5, True)
_TYPED: dict[Kind, Default] = {
    "date": Default("Date", 0.5, True),
    "datetime": Default("Date", 0.5, True),
    "decimal": Default("Numeric", 0.5, True),
    "choice": Default("Exact", 0.5, True),
    "text_format": Default("Exact", 0.5, True),
    "free": Default("ANLSStar", 0.5, False),
    "box": Default("BBoxIoU", 0.5, True),
}
_PYTHON: dict[Kind, Default] = {
    **dict.fromkeys(("string", "integer", "number", "boolean", "any"), _LEVENSHTEIN),
    **_TYPED,
}
_SCHEMA: dict[Kind, Default] = {
    "string": _LEVENSHTEIN,
    "integer": Default("Numeric", 0.5, True),
    "number": Default("Numeric", 0.5, True),
    "decimal": Default("Numeric", 0.5, True),
    "boolean": Default("Exact", 0.5, True),
    "date": Default("Date", 1.0, True),
    "datetime": Default("Date", 1.0, True),
    "text_format": Default("Exact", 1.0, True),
    "choice": Default("Exact", 1.0, True),
    "any": Default("Exact", 1.0, True),
    "free": Default("Exact", 1.0, True),
    "box": Default("BBoxIoU", 0.5, True),
}
LEAF: dict[Origin, dict[Kind, Default]] = {
    "field": _PYTHON,
    "bare": _PYTHON,
    "schema": _SCHEMA,
    "config": {**_PYTHON, "free": Default("ANLSStar", 0.5, True)},
    "inferred": _SCHEMA,
    "open": _SCHEMA,
}
"""Comparator, threshold and clip of a leaf. A bare annotation takes its class's match_threshold as threshold."""

NESTED_THRESHOLD: dict[Origin, float] = {
    "field": 0.5,
    "bare": 0.9,
    "schema": 0.7,
    "config": 0.7,
    "inferred": 0.7,
    "open": 0.7,
}
"""Threshold of the verdict on a nested object."""

LIST_THRESHOLD: dict[Origin, float] = {
    "field": 0.5,
    "bare": 0.9,
    "schema": 0.5,
    "config": 0.5,
    "inferred": 0.5,
    "open": 0.5,
}
"""Threshold of a list of objects where it stands in a row as one of its fields."""

ORIGIN_WORDS: dict[Origin, str] = {
    "field": "default of ComparableField",
    "bare": "default of a bare annotation",
    "schema": "default of JSON Schema",
    "config": "default of config",
    "inferred": "inferred",
    "open": "default",
}


def resolve(node: Node, path: str = "", *, match_threshold: float = MATCH_THRESHOLD) -> Node:
    """Return the node with every setting filled in; ``match_threshold`` is that of the object around it."""
    match node:
        case Leaf():
            return _resolve_leaf(node, path, match_threshold=match_threshold)
        case Object():
            return resolve_object(node, path)
        case ListOf():
            item = resolve(node.item, path, match_threshold=match_threshold)
            weight, sources = _weighed(node.weight, node.sources, path)
            return replace(node, item=item, weight=weight, sources=sources)
        case OneOf():
            arms = tuple(resolve(arm, path, match_threshold=match_threshold) for arm in node.arms)
            otherwise = _resolve_leaf(node.otherwise, path, match_threshold=match_threshold)
            return replace(node, arms=arms, otherwise=otherwise)
        case Ref():
            declared = node.threshold is not None or node.origin not in ("field", "bare")
            threshold = node.threshold if declared else NESTED_THRESHOLD[node.origin]
            return replace(node, weight=WEIGHT if node.weight is None else node.weight, threshold=threshold)


def _resolve_leaf(leaf: Leaf, path: str, *, match_threshold: float) -> Leaf:
    default = LEAF[leaf.origin][leaf.kind]
    word = ORIGIN_WORDS[leaf.origin]
    sources = dict(leaf.sources)
    comparator = leaf.comparator or default.build()
    sources.setdefault("comparator", f"{word} for {leaf.kind}")
    threshold = leaf.threshold
    if threshold is None:
        threshold, source = _threshold(leaf, comparator, default.threshold, match_threshold)
        sources["threshold"] = source
    clip = default.clip if leaf.clip is None else leaf.clip
    sources.setdefault("clip", f"{word} for {leaf.kind}")
    checked_number("threshold", threshold, high=1.0, path=path)
    weight, said = _weighed(leaf.weight, sources, path)
    return replace(leaf, comparator=comparator, threshold=threshold, clip=clip, weight=weight, sources=said)


def _threshold(leaf: Leaf, comparator: BaseComparator, default: float, match_threshold: float) -> tuple[float, str]:
    if leaf.origin in ("field", "bare") and comparator.given_threshold is not None:
        return comparator.given_threshold, "given to the comparator"
    if leaf.origin == "bare":
        return match_threshold, "match_threshold of the class"
    return default, f"{ORIGIN_WORDS[leaf.origin]} for {leaf.kind}"


def resolve_object(node: Object, path: str) -> Object:
    sources = dict(node.sources)
    match_threshold = MATCH_THRESHOLD if node.match_threshold is None else node.match_threshold
    threshold = node.threshold
    if threshold is None:
        threshold = NESTED_THRESHOLD[node.origin]
        sources["threshold"] = f"{ORIGIN_WORDS[node.origin]} for a nested object"
    checked_number("threshold", threshold, high=1.0, path=path)
    checked_number("match_threshold", match_threshold, high=1.0, path=path)
    fields = {
        name: resolve(child, below(path, name), match_threshold=match_threshold) for name, child in node.fields.items()
    }
    if not fields and not node.may_be_empty:
        raise SettingError("The object has no fields to compare", path=path or "$", code="spec.no_fields")
    weight, said = _weighed(node.weight, sources, path)
    return replace(
        node,
        fields=fields,
        match_threshold=match_threshold,
        threshold=threshold,
        clip=True if node.clip is None else node.clip,
        weight=weight,
        sources=said,
    )


def _weighed(weight: float | None, sources: Mapping[str, str], path: str) -> tuple[float, dict[str, str]]:
    if weight is None:
        return WEIGHT, {**sources, "weight": "default"}
    return checked_weight(weight, path=path), {"weight": "given", **sources}
