"""The config dict of ``model_from_json`` in: types as text, one dict a field."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace

from fieldwise.checks import checked_flag, checked_number, checked_weight
from fieldwise.comparators import BBoxIoUComparator, build
from fieldwise.errors import SettingError
from fieldwise.spec.inference_rules import settle
from fieldwise.spec.json_schema import class_name
from fieldwise.spec.nodes import (
    About,
    Kind,
    Leaf,
    ListOf,
    Node,
    Object,
    OneOf,
    Origin,
    absent_words,
    check_fit,
    check_key,
    check_kind,
    check_order,
    not_allowed,
    unknown_key,
    unknown_type,
)
from fieldwise.values import Json

_DECLARED = ("format", "enum", "const")
"""What a JSON Schema says of formatted text and fixed choices; kept so that it can be written back."""

_MODEL_KEYS = frozenset({"model_name", "match_threshold", "infer_unspecified_fields", "fields", "absent"})
_COMMON_KEYS = frozenset(
    {
        "type",
        "weight",
        "clip_under_threshold",
        "threshold",
        "required",
        "default",
        "description",
        "alias",
        "examples",
    }
)
_SCALAR_KEYS = _COMMON_KEYS | {
    "comparator",
    "comparator_config",
    "order",
    "alternates",
    "absent",
    "aggregate",
    "kind",
    "why",
    *_DECLARED,
}
_NESTED_KEYS = _COMMON_KEYS | {"fields", "match_threshold", "model_name", "order", "key", "aggregate"}
_STRUCTURED = ("structured_model", "list_structured_model", "optional_structured_model")
_KINDS: dict[str, Kind] = {
    "str": "string",
    "int": "integer",
    "float": "number",
    "bool": "boolean",
    "bytes": "text_format",
    "dict": "free",
    "tuple": "any",
    "set": "any",
    "Any": "any",
    "date": "date",
    "datetime": "datetime",
    "Decimal": "decimal",
}
_GENERIC = re.compile(r"\s*(List|Dict|Tuple|Set|Optional|Union|list|dict|tuple|set)\[(.*)\]\s*")


def parse_config(config: Mapping[str, Json], path: str = "$", *, origin: Origin = "open") -> Object:
    """Return the root node of a config; ``origin`` says whose defaults apply."""
    if not isinstance(config, Mapping):
        raise SettingError(
            f"Expected a config object, got {type(config).__name__}",
            path=path,
            code="spec.not_a_schema",
            facts={"got": type(config).__name__},
        )
    _check_keys(config, _MODEL_KEYS, path)
    name = _model_name(config, "DynamicModel", path)
    infer = checked_flag("infer_unspecified_fields", config.get("infer_unspecified_fields", False), path=path)
    root = _object(config, name, path, infer=infer)
    if origin == "config":
        return root
    opened = _opened(root, origin)
    assert isinstance(opened, Object)
    return opened


def _opened(node: Node, origin: Origin) -> Node:
    """Return a node of which the settings that are left out are of another origin."""
    if node.origin != "config":
        return node
    match node:
        case Object():
            return replace(node, fields={k: _opened(v, origin) for k, v in node.fields.items()}, origin=origin)
        case ListOf():
            return replace(node, item=_opened(node.item, origin), origin=origin)
        case OneOf():
            arms, otherwise = tuple(_opened(arm, origin) for arm in node.arms), _opened(node.otherwise, origin)
            assert isinstance(otherwise, Leaf)
            return replace(node, arms=arms, otherwise=otherwise, origin=origin)
        case _:
            return replace(node, origin=origin)


def _model_name(config: Mapping[str, Json], default: str, path: str) -> str:
    name = config.get("model_name", default)
    if not isinstance(name, str) or not name.isidentifier():
        raise SettingError(
            f"Expected an identifier for `model_name`, got {name!r}",
            path=path,
            facts={"setting": "model_name", "got": name},
        )
    return name


def _object(config: Mapping[str, Json], name: str, path: str, *, infer: bool) -> Object:
    declared = config.get("fields")
    if not isinstance(declared, Mapping) or not declared:
        raise SettingError("Expected `fields`, an object with at least one field", path=path, code="spec.no_fields")
    fields = {}
    for key, sub in declared.items():
        where = f"{path}.fields.{key}"
        if not isinstance(sub, Mapping):
            raise SettingError(f"Expected an object for the field, got {sub!r}", path=where, facts={"got": sub})
        fields[str(key if sub.get("alias") is None else sub["alias"])] = _field(sub, str(key), where, infer=infer)
    match_threshold = _unit(config, "match_threshold", path)
    return Object(fields=fields, name=name, match_threshold=match_threshold, origin="config")


def _field(config: Mapping[str, Json], name: str, path: str, *, infer: bool) -> Node:
    kind = config.get("type")
    if not isinstance(kind, str):
        raise SettingError(
            f"Expected `type`, the name of a type, got {kind!r}", path=path, code="spec.no_type", facts={"got": kind}
        )
    if kind in _STRUCTURED:
        return _nested(config, kind, name, path, infer=infer)
    _check_keys(config, _SCALAR_KEYS, path)
    node = _parse_type(kind, path)
    if "kind" in config:
        node = _with_kind(node, check_kind(config["kind"], path))
    about = _about(config, name, kind)
    if isinstance(node, ListOf) and isinstance(node.item, Leaf):
        leaf = _settled(node.item, config, name, path, infer=infer)
        if isinstance(leaf.comparator, BBoxIoUComparator):
            leaf = replace(leaf, kind="box")
            if node.item.kind in ("number", "integer"):
                return replace(leaf, about=about)
        order = check_order(config.get("order", "any"), path)
        item = replace(leaf, weight=None, about=replace(leaf.about, schema=about.schema))
        return replace(node, item=item, weight=_weight(config, path), order=order, about=about)
    if isinstance(node, OneOf):
        return replace(node, otherwise=_settled(node.otherwise, config, name, path, infer=infer), about=about)
    if isinstance(node, Leaf):
        return replace(_settled(node, config, name, path, infer=infer), about=about)
    return replace(node, weight=_weight(config, path), about=about)


def _nested(config: Mapping[str, Json], kind: str, name: str, path: str, *, infer: bool) -> Node:
    if "comparator" in config:
        message = "A structured model is compared field by field; it takes no `comparator`"
        raise not_allowed(message, "comparator", path)
    _check_keys(config, _NESTED_KEYS, path)
    usual = f"{name[:1].upper()}{name[1:]}Model"
    model_name = _model_name(config, usual if usual.isidentifier() else class_name(name), path)
    node = _object(config, model_name, path, infer=infer)
    about = replace(_about(config, name, kind), nullable=kind != "structured_model")
    if kind == "list_structured_model":
        given = config.get("key", ())
        key = (given,) if isinstance(given, str) else tuple(given)
        check_key(node, key, path)
        order = check_order(config.get("order", "any"), path)
        return ListOf(item=node, weight=_weight(config, path), order=order, key=key, origin="config", about=about)
    return replace(
        node,
        threshold=_unit(config, "threshold", path),
        weight=_weight(config, path),
        clip=_flag(config, "clip_under_threshold", path),
        about=about,
    )


def _settled(leaf: Leaf, config: Mapping[str, Json], name: str, path: str, *, infer: bool) -> Leaf:
    comparator, own = config.get("comparator"), config.get("comparator_config", {})
    if not isinstance(own, Mapping):
        raise SettingError(
            f"Expected an object for `comparator_config`, got {own!r}",
            path=path,
            facts={"setting": "comparator_config", "got": own},
        )
    if comparator == "auto" or (comparator is None and infer):
        leaf = settle(leaf, name, config=own)
    elif comparator is None:
        raise SettingError(
            "Expected `comparator`, a name or 'auto' (or set infer_unspecified_fields)",
            path=path,
            code="setting.missing",
            facts={"setting": "comparator"},
        )
    else:
        if not isinstance(comparator, str):
            raise SettingError(
                f"Expected the name of a comparator, got {comparator!r}",
                path=path,
                facts={"setting": "comparator", "got": comparator},
            )
        built = build(comparator, dict(own), path)
        check_fit(built, leaf.kind, path)
        leaf = replace(leaf, comparator=built, sources={"comparator": config.get("why", "config")})
    threshold, clip = _unit(config, "threshold", path), _flag(config, "clip_under_threshold", path)
    weight = _weight(config, path)
    return replace(
        leaf,
        threshold=leaf.threshold if threshold is None else threshold,
        clip=leaf.clip if clip is None else clip,
        weight=leaf.weight if weight is None else weight,
        alternates=bool(_flag(config, "alternates", path)),
        absent=absent_words(config["absent"], path) if "absent" in config else leaf.absent,
        sources={**leaf.sources, **{k: "config" for k in ("threshold", "weight") if k in config}},
    )


def _parse_type(text: str, path: str) -> Node:
    text = text.strip()
    if text in _KINDS:
        return Leaf(kind=_KINDS[text], origin="config")
    if text == "list":
        return ListOf(item=Leaf(kind="any", origin="config"), origin="config")
    found = _GENERIC.fullmatch(text)
    if found is None:
        names = [*_KINDS, "list", *_STRUCTURED, "List[str]", "Optional[str]"]
        raise unknown_type("type", text, names, path=path)
    outer, parts = found[1].capitalize(), _split_parts(found[2])
    if outer == "List":
        return ListOf(item=_as_leaf(_parse_type(parts[0], path)), origin="config")
    if outer in ("Dict", "Tuple", "Set"):
        return Leaf(kind="free" if outer == "Dict" else "any", origin="config")
    arms = [_parse_type(part, path) for part in parts if part.strip() not in ("None", "NoneType")]
    if len(arms) == 1:
        return arms[0]
    return OneOf(arms=tuple(arms), otherwise=Leaf(kind="any", origin="config"), origin="config")


def _with_kind(node: Node, kind: Kind) -> Node:
    if isinstance(node, ListOf):
        return replace(node, item=_with_kind(node.item, kind))
    return replace(node, kind=kind) if isinstance(node, Leaf) else node


def _as_leaf(node: Node) -> Node:
    return Leaf(kind="any", origin="config") if isinstance(node, ListOf) else node


def _split_parts(text: str) -> list[str]:
    parts, depth, start = [], 0, 0
    for at, char in enumerate(text):
        depth += (char == "[") - (char == "]")
        if char == "," and depth == 0:
            parts.append(text[start:at])
            start = at + 1
    return [*parts, text[start:]]


def _check_keys(config: Mapping[str, Json], known: frozenset[str], path: str) -> None:
    for key in config:
        if key not in known:
            raise unknown_key("key", key, known, path=path)


def _unit(config: Mapping[str, Json], name: str, path: str) -> float | None:
    return None if config.get(name) is None else checked_number(name, config[name], high=1.0, path=path)


def _flag(config: Mapping[str, Json], name: str, path: str) -> bool | None:
    return None if config.get(name) is None else checked_flag(name, config[name], path=path)


def _weight(config: Mapping[str, Json], path: str) -> float | None:
    return None if config.get("weight") is None else checked_weight(config["weight"], path=path)


def _about(config: Mapping[str, Json], name: str, kind: str) -> About:
    return About(
        description=str(config.get("description") or ""),
        required=bool(config.get("required", False)),
        default=config.get("default"),
        examples=tuple(config.get("examples") or ()),
        schema={key: config[key] for key in _DECLARED if key in config},
        attribute=name,
        python_type=kind,
    )
