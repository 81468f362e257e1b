"""What the comparison keys of a JSON Schema say about a single field: its kind, its comparator, its settings."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import get_args

from fieldwise.comparators import BaseComparator
from fieldwise.errors import SettingError, closest, nearest
from fieldwise.spec import inference_rules
from fieldwise.spec.nodes import About, Kind, Leaf
from fieldwise.spec.schema_keys import Keys
from fieldwise.values import Json


def own_kind(keys: Keys) -> Kind:
    """Return the kind that the keys name; SettingError for an unknown one."""
    kind = keys.text("kind")
    if kind not in get_args(Kind):
        raise SettingError(
            f"Unknown kind {kind!r}{nearest(kind, get_args(Kind))}",
            path=keys.path,
            code="spec.unknown_type",
            facts={"got": kind, "nearest": closest(kind, get_args(Kind))},
        )
    return kind  # type: ignore[return-value]  # narrowed by the membership test


def settled(leaf: Leaf, keys: Keys, *, name: str, infer: bool) -> Leaf:
    """Return the leaf with what its keys declare, and with inferred settings where these are asked for."""
    comparator = keys.comparator()
    guess = keys.auto or (infer and comparator is None)
    if guess:
        leaf = inference_rules.settle(leaf, name, config=keys.config())
    if comparator is not None:
        check_fit(comparator, leaf.kind, keys.path)
    elif keys.config() and not guess and not (leaf.origin == "open" and "comparator-config" not in keys):
        raise SettingError(
            "`comparator-config` without `comparator`",
            path=keys.path,
            code="setting.missing",
            facts={"setting": "comparator"},
        )
    clip, threshold = keys.flag("clip-under-threshold"), keys.unit("threshold")
    return replace(
        leaf,
        comparator=comparator or leaf.comparator,
        threshold=leaf.threshold if threshold is None else threshold,
        weight=leaf.weight if keys.weight() is None else keys.weight(),
        clip=leaf.clip if clip is None else clip,
        alternates=leaf.alternates or bool(keys.flag("alternates")),
        locale=keys.text("locale") if "locale" in keys and comparator is None and not guess else leaf.locale,
        sources={**leaf.sources, **_said(keys)},
    )


def refuse_two_answers(item: Leaf, keys: Keys) -> None:
    """Refuse a list of values whose own keys and those of its items say different things."""
    given = {
        "comparator": (item.comparator, keys.comparator()),
        "threshold": (item.threshold, keys.unit("threshold")),
        "weight": (item.weight, keys.weight()),
        "clip-under-threshold": (item.clip, keys.flag("clip-under-threshold")),
        "locale": (item.locale, keys.given.get("locale")),
    }
    for name, (inner, outer) in given.items():
        if inner is not None and outer is not None and inner != outer:
            raise SettingError(
                f"The list and its items have different settings for `{name}`; give it once",
                path=keys.path,
                code="setting.conflict",
                facts={"setting": name},
            )


def _said(keys: Keys) -> dict[str, str]:
    sources = {k: v for k, v in keys.sources().items() if not (k == "comparator" and keys.auto)}
    if "why" in keys:
        sources["comparator"] = keys.text("why")
    return sources


def check_fit(comparator: BaseComparator, kind: Kind, path: str) -> None:
    """Refuse a comparator that cannot score values of a kind."""
    if kind == "free" and "object" not in comparator.takes and not comparator.is_of_text:
        fitting = "use ANLSStarComparator or ExactComparator, a comparator of text (its JSON), or declare properties"
        raise SettingError(
            f"{comparator.name} cannot compare objects; {fitting}",
            path=path,
            code="spec.not_allowed",
            facts={"setting": "comparator", "got": comparator.name},
        )


def refuse_value_keys(keys: Keys) -> None:
    """Refuse keys of single values on a list of objects."""
    for name in ("comparator", "comparator-config", "locale"):
        if name in keys:
            raise SettingError(
                f"A list of objects is compared field by field; it takes no `{name}`",
                path=keys.path,
                code="spec.not_allowed",
                facts={"setting": name},
            )
    if keys.unit("threshold") not in (None, 0.5):
        raise SettingError(
            "A list of objects takes no `threshold`; set x-aws-stickler-match-threshold on its items",
            path=keys.path,
            code="spec.not_allowed",
            facts={"setting": "threshold"},
        )


def about_field(schema: Mapping[str, Json]) -> About:
    """Return what a schema says about a field beside how it is compared."""
    return About(
        description=str(schema.get("description", "")),
        nullable=False,
        default=schema.get("default"),
        examples=tuple(schema.get("examples", ())),
        schema={k: schema[k] for k in ("format", "enum", "const", "additionalProperties", "title") if k in schema},
    )
