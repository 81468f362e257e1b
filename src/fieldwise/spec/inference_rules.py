"""The rules that guess how to compare a field from its name and its kind; first the name, then the kind.

One table for pydantic classes, JSON Schema, config and sample documents; ``print(plan)`` cites the rule.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal

from fieldwise.comparators import build
from fieldwise.spec.defaults import MATCH_THRESHOLD
from fieldwise.spec.nodes import Kind, Leaf, ListOf, Node

_Family = Literal["text", "number", "date", "other"]
_FAMILY: dict[Kind, _Family] = {
    "string": "text",
    "integer": "number",
    "number": "number",
    "decimal": "number",
    "date": "date",
    "datetime": "date",
}


@dataclass(frozen=True)
class Rule:
    """What a field gets whose name holds one of the words, if its values are of a fitting family."""

    words: frozenset[str]
    families: frozenset[_Family]
    comparator: str
    config: Mapping[str, Any]
    threshold: float
    hint: float
    clip: bool = True


def _rule(
    words: str,
    families: str,
    comparator: str,
    threshold: float,
    hint: float,
    *,
    clip: bool = True,
    **config: Any,
) -> Rule:
    return Rule(
        frozenset(words.split()),
        frozenset(families.split()),  # type: ignore[arg-type]  # the table below spells families
        comparator,
        config,
        threshold,
        hint,
        clip,
    )


NAME_RULES: tuple[Rule, ...] = (
    _rule("phone", "text", "Phone", 1.0, 1.5),
    _rule("zip postal postcode", "text", "Exact", 1.0, 1.5),
    _rule("id uuid guid sku code ref isbn ssn", "text number", "Exact", 1.0, 3.0),
    _rule("email url uri", "text", "Exact", 1.0, 1.5, case_sensitive=False),
    _rule(
        "amount price total subtotal cost balance fee tax salary revenue",
        "number",
        "Numeric",
        0.95,
        2.5,
        relative_tolerance=0.001,
    ),
    _rule("quantity qty count units", "number", "Numeric", 1.0, 1.2),
    _rule("date dob expiry expires created updated issued due birthdate", "date", "Date", 0.95, 1.5),
    _rule("name customer vendor company contact author recipient", "text", "Levenshtein", 0.85, 1.5),
    _rule("address addr street city location", "text", "Fuzzy", 0.8, 1.5, method="token_sort_ratio"),
    _rule(
        "description desc summary notes note comment comments remarks memo body text",
        "text",
        "Fuzzy",
        0.6,
        0.3,
        clip=False,
        method="token_set_ratio",
    ),
)

_KIND_RULES: dict[Kind, tuple[str, dict[str, Any], float, bool]] = {
    "boolean": ("Exact", {}, 1.0, True),
    "choice": ("Exact", {}, 1.0, True),
    "datetime": ("Date", {"tolerance": 1 / 1440}, 0.95, True),
    "date": ("Date", {}, 0.95, True),
    "integer": ("Numeric", {}, 1.0, True),
    "number": ("Numeric", {"relative_tolerance": 0.001}, 0.95, True),
    "decimal": ("Numeric", {}, 1.0, True),
    "string": ("Levenshtein", {}, 0.7, True),
    "free": ("ANLSStar", {}, MATCH_THRESHOLD, False),
    "box": ("BBoxIoU", {}, 0.5, True),
    "text_format": ("Exact", {}, 1.0, True),
    "any": ("Exact", {}, 1.0, True),
}


def tokens(name: str) -> list[str]:
    """Return the words of a field name, lower case, with their singulars.

    >>> tokens("InvoiceIDs"), tokens("unit_prices2")
    (['invoice', 'ids', 'id'], ['unit', 'prices', 'price', 'pric', '2'])
    """
    spaced = re.sub(r"([a-z])([A-Z])", r"\1 \2", name)
    spaced = re.sub(r"([A-Z]+)([A-Z][a-z]{2,})", r"\1 \2", spaced)
    spaced = re.sub(r"(?<=[A-Za-z])(?=\d)|(?<=\d)(?=[A-Za-z])", " ", spaced)
    found: list[str] = []
    for word in re.split(r"[\W_]+", spaced.lower()):
        if word:
            found.append(word)
            if len(word) > 2 and word.endswith("s"):
                found.append(word[:-1])
            if len(word) > 3 and word.endswith("es"):
                found.append(word[:-2])
    return found


def settle(leaf: Leaf, name: str, *, config: Mapping[str, Any] | None = None, weight_hints: bool = False) -> Leaf:
    """Return the leaf with the comparator, threshold and clip that its name and kind suggest."""
    rule, why = _first_rule(name, leaf.kind)
    if rule is not None:
        comparator = build(rule.comparator, {**rule.config, **(config or {})})
        threshold, clip, hint = rule.threshold, rule.clip, rule.hint
    else:
        named, own, threshold, clip = _KIND_RULES[leaf.kind]
        comparator, hint = build(named, {**own, **(config or {})}), 1.0
    sources = {"comparator": why, "threshold": why, "clip": why}
    if weight_hints:
        sources["weight"] = why
    return replace(
        leaf,
        comparator=comparator,
        threshold=threshold,
        clip=clip,
        weight=hint if weight_hints else leaf.weight,
        origin="inferred",
        sources={**leaf.sources, **sources},
    )


def list_of(item: Node) -> ListOf:
    """Return an inferred list; the weight that a value's name suggests is that of the whole list."""
    if not isinstance(item, Leaf) or item.weight is None:
        return ListOf(item=item, origin="inferred")
    sources = {"weight": item.sources["weight"]}
    return ListOf(item=replace(item, weight=None), weight=item.weight, origin="inferred", sources=sources)


def _first_rule(name: str, kind: Kind) -> tuple[Rule | None, str]:
    words, family = tokens(name), _FAMILY.get(kind, "other")
    misfit = ""
    for rule in NAME_RULES:
        hits = [word for word in words if word in rule.words]
        if hits and family in rule.families:
            return rule, f"inferred: the name contains {hits[0]!r}"
        if hits:  # the first rule that the name fits decides, also against itself
            misfit = f"; the name contains {hits[0]!r}, which does not fit the type"
            break
    return None, f"inferred: the type is {_KIND_WORDS.get(kind, kind)}{misfit}"


_KIND_WORDS: dict[Kind, str] = {
    "free": "an object without declared fields",
    "any": "not known",
    "choice": "a fixed choice",
    "text_format": "formatted text",
    "string": "text",
    "datetime": "a date with time",
}
