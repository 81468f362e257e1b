"""Filling in what a spec leaves open, from the one table of defaults, and noting where each setting came from."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from fieldwise.checks import checked_number, checked_weight
from fieldwise.comparators import BaseComparator
from fieldwise.errors import SettingError
from fieldwise.spec.defaults import LEAF, MATCH_THRESHOLD, NESTED_THRESHOLD, ORIGIN_WORDS, WEIGHT
from fieldwise.spec.nodes import Leaf, ListOf, Node, Object, OneOf, Ref
from fieldwise.spec.paths import escape


def resolve(node: Node, path: str = "", *, match_threshold: float = MATCH_THRESHOLD) -> Node:
    """Return the node with every setting filled in; ``match_threshold`` is that of the object around it."""
    match node:
        case Leaf():
            return resolve_leaf(node, path, match_threshold=match_threshold)
        case Object():
            return resolve_object(node, path)
        case ListOf():
            item = resolve(node.item, path, match_threshold=match_threshold)
            weight, sources = _weighed(node.weight, node.sources, path)
            return replace(node, item=item, weight=weight, sources=sources)
        case OneOf():
            arms = tuple(resolve(arm, path, match_threshold=match_threshold) for arm in node.arms)
            otherwise = resolve_leaf(node.otherwise, path, match_threshold=match_threshold)
            return replace(node, arms=arms, otherwise=otherwise)
        case Ref():
            declared = node.threshold is not None or node.origin not in ("field", "bare")
            threshold = node.threshold if declared else NESTED_THRESHOLD[node.origin]
            return replace(node, weight=WEIGHT if node.weight is None else node.weight, threshold=threshold)


def resolve_leaf(leaf: Leaf, path: str, *, match_threshold: float) -> Leaf:
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
        name: resolve(child, f"{path}.{escape(name)}" if path else escape(name), match_threshold=match_threshold)
        for name, child in node.fields.items()
    }
    if not fields:
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
