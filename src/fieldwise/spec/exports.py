"""A spec out: as JSON Schema with comparison keys, and as the config dict; both come back as the same plan."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from fieldwise.comparators import BBoxIoUComparator
from fieldwise.errors import SettingError
from fieldwise.spec.nodes import Kind, Leaf, ListOf, Node, Object, OneOf, Ref
from fieldwise.spec.schema_keys import OWN, PEER
from fieldwise.values import AbsentWords, Json, plain

_SCHEMA_TYPES: dict[Kind, dict[str, Json]] = {
    "string": {"type": "string"},
    "integer": {"type": "integer"},
    "number": {"type": "number"},
    "boolean": {"type": "boolean"},
    "date": {"type": "string", "format": "date"},
    "datetime": {"type": "string", "format": "date-time"},
    "decimal": {"type": "number", "x-fieldwise-kind": "decimal"},
    "choice": {"x-fieldwise-kind": "choice"},
    "text_format": {"type": "string", "format": "uuid"},
    "free": {"type": "object"},
    "any": {"x-fieldwise-kind": "any"},
    "box": {"type": "array", "items": {"type": "number"}},
}
_CONFIG_TYPES: dict[Kind, str] = {
    "string": "str",
    "integer": "int",
    "number": "float",
    "boolean": "bool",
    "date": "date",
    "datetime": "datetime",
    "decimal": "Decimal",
    "free": "dict",
    "box": "List[float]",
    "choice": "Any",
    "text_format": "Any",
    "any": "Any",
}


def to_json_schema(root: Object, definitions: Mapping[str, Node], absent: AbsentWords) -> dict[str, Json]:
    """Return a resolved spec as JSON Schema; definitions that hold themselves stand under ``$defs``.

    Fields name the texts that stand for no value there only where these are not ``absent``.
    """
    writer = _Writer(_pointer_names(definitions), absent)
    out = writer.object(root, PEER)
    if definitions:
        out["$defs"] = {
            writer.names[name].replace("~1", "/").replace("~0", "~"): _without_weight(writer.node(node, OWN))
            for name, node in definitions.items()
        }
    for key in ("threshold", "weight", "clip-under-threshold"):
        out.pop(f"{PEER}{key}", None)
    return out


def _without_weight(schema: dict[str, Json]) -> dict[str, Json]:
    return {key: value for key, value in schema.items() if key != f"{OWN}weight"}


def _weighed(weight: float | None, prefix: str) -> dict[str, Json]:
    """Write a weight; 0 has no spelling but our own."""
    return {f"{prefix if weight else OWN}weight": weight}


def _pointer_names(definitions: Mapping[str, Node]) -> dict[str, str]:
    """Name each definition by the end of its pointer; those that end alike are told apart by a number."""
    names: dict[str, str] = {}
    for pointer in definitions:
        word = name = pointer.rsplit("/", 1)[-1].lstrip("#") or "root"
        count = 1
        while name in names.values():
            count += 1
            name = f"{word}{count}"
        names[pointer] = name
    return names


@dataclass(frozen=True)
class _Writer:
    """Writes nodes as schemas, under the names that definitions have there."""

    names: Mapping[str, str]
    absent: AbsentWords

    def node(self, node: Node, prefix: str = PEER) -> dict[str, Json]:
        match node:
            case Leaf():
                return {**_leaf_type(node), **self._keys(node, prefix), **_said(node)}
            case ListOf():
                return self._list(node, prefix)
            case Object():
                return self.object(node, prefix)
            case OneOf():
                arms = [_leaf_type(arm) if isinstance(arm, Leaf) else self.node(arm, OWN) for arm in node.arms]
                return {"anyOf": arms, **self._keys(node.otherwise, prefix), **_said(node)}
            case Ref():
                return self._reference(node, prefix)

    def _keys(self, leaf: Leaf, prefix: str, *, weight: bool = True) -> dict[str, Json]:
        keys = _leaf_keys(leaf, prefix, weight=weight)
        if leaf.absent is not None and leaf.absent != self.absent:
            keys[f"{OWN}absent"] = list(leaf.absent)
        return keys

    def _reference(self, node: Ref, prefix: str) -> dict[str, Json]:
        out: dict[str, Json] = {"$ref": f"#/$defs/{self.names[node.name]}"}
        if node.weight not in (None, 1.0):
            out |= _weighed(node.weight, prefix)
        if node.threshold is not None:
            out[f"{prefix}threshold"] = node.threshold
        if node.clip is not None:
            out[f"{prefix}clip-under-threshold"] = node.clip
        return out

    def object(self, node: Object, prefix: str) -> dict[str, Json]:
        return {
            "type": "object",
            f"{PEER}model-name": node.name or "DynamicModel",
            "properties": {name: self.node(child) for name, child in node.fields.items()},
            "required": [name for name, child in node.fields.items() if child.about.required],
            f"{PEER}match-threshold": node.match_threshold,
            f"{prefix}threshold": node.threshold,
            **_weighed(node.weight, prefix),
            f"{prefix}clip-under-threshold": node.clip,
            **_said(node),
        }

    def _list(self, node: ListOf, prefix: str) -> dict[str, Json]:
        out: dict[str, Json] = {"type": "array"}
        item = node.item
        if isinstance(item, Leaf):
            boxed = item.kind == "box"
            out["items"] = {"type": "array", "items": {"type": "number"}} if boxed else _leaf_type(item)
            out |= self._keys(item, prefix, weight=False)
        else:
            out["items"] = self._item(item)
        out |= _weighed(node.weight, prefix)
        if node.order != "any":
            out[f"{OWN}order"] = node.order
        if node.key:
            out[f"{OWN}key"] = list(node.key)
        return {**out, **_said(node)}

    def _item(self, item: Node) -> dict[str, Json]:
        out = self.node(item, OWN)
        if isinstance(item, Object):
            for name in ("threshold", "weight", "clip-under-threshold"):
                out.pop(f"{OWN}{name}", None)
        return out


def _leaf_type(leaf: Leaf) -> dict[str, Json]:
    declared = {k: v for k, v in leaf.about.schema.items() if k in ("format", "enum", "const")}
    if leaf.kind == "choice" and ("enum" in declared or "const" in declared):
        return dict(declared)
    base = dict(_SCHEMA_TYPES[leaf.kind])
    if leaf.kind == "text_format" and "format" in declared:
        base["format"] = declared["format"]
    if leaf.kind == "box" and not isinstance(leaf.comparator, BBoxIoUComparator):
        base = {f"{OWN}kind": "box"}
    if leaf.about.nullable and isinstance(base.get("type"), str):
        base["type"] = [base["type"], "null"]
    return base


def _leaf_keys(leaf: Leaf, prefix: str, *, weight: bool) -> dict[str, Json]:
    assert leaf.comparator is not None
    keys: dict[str, Json] = {f"{prefix}comparator": leaf.comparator.name}
    if leaf.comparator.config:
        keys[f"{prefix}comparator-config"] = plain(leaf.comparator.config)
    keys[f"{prefix}threshold"] = leaf.threshold
    if weight:
        keys |= _weighed(leaf.weight, prefix)
    keys[f"{prefix}clip-under-threshold"] = leaf.clip
    if leaf.alternates:
        keys[f"{OWN}alternates"] = True
    return keys | _reason(leaf, f"{OWN}why")


def _reason(leaf: Leaf, key: str) -> dict[str, Json]:
    """Write why a comparator was chosen, where it was not declared."""
    why = leaf.sources.get("comparator", "")
    return {key: why} if why.startswith("inferred") else {}


def _described(node: Node) -> dict[str, Json]:
    return {"description": node.about.description} if node.about.description else {}


def _said(node: Node) -> dict[str, Json]:
    about = node.about
    said = _described(node)
    if about.default is not None:
        said["default"] = plain(about.default)
    if about.examples:
        said["examples"] = plain(list(about.examples))
    return said


def to_config(root: Object, absent: AbsentWords) -> dict[str, Json]:
    """Return a resolved spec as the config dict of ``model_from_json``, with the texts that stand for no value."""
    return {**_object_config(root, "DynamicModel", absent), **({"absent": list(absent)} if absent else {})}


def _config(node: Node, name: str, absent: AbsentWords) -> dict[str, Json]:
    match node:
        case Leaf():
            return _leaf_config(node, _CONFIG_TYPES[node.kind], node.weight, absent)
        case ListOf() if isinstance(node.item, Leaf):
            inner = "List[float]" if node.item.kind == "box" else _CONFIG_TYPES[node.item.kind]
            held = _leaf_config(node.item, f"List[{inner}]", node.weight, absent)
            return {**held, **_ordered(node), **_described(node)}
        case ListOf() if isinstance(node.item, Object):
            nested = {"type": "list_structured_model", **_object_config(node.item, "NestedModel", absent)}
            keyed = {"key": list(node.key)} if node.key else {}
            return {**nested, "weight": node.weight, **_ordered(node), **keyed, **_described(node)}
        case Object():
            kind = "optional_structured_model" if node.about.nullable else "structured_model"
            judged = {"threshold": node.threshold, "weight": node.weight, "clip_under_threshold": node.clip}
            return {"type": kind, **_object_config(node, "NestedModel", absent), **judged, **_described(node)}
        case OneOf() if all(isinstance(arm, Leaf) and _CONFIG_TYPES[arm.kind] != "Any" for arm in node.arms):
            kinds = ", ".join(_CONFIG_TYPES[arm.kind] for arm in node.arms if isinstance(arm, Leaf))
            return _leaf_config(node.otherwise, f"Union[{kinds}]", node.weight, absent)
        case _:
            raise SettingError("A config cannot spell this field; use to_json_schema", path=name, code="spec.no_config")


def _leaf_config(leaf: Leaf, kind: str, weight: float | None, absent: AbsentWords) -> dict[str, Json]:
    assert leaf.comparator is not None
    out: dict[str, Json] = {"type": kind, "comparator": leaf.comparator.name}
    if leaf.comparator.config:
        out["comparator_config"] = plain(leaf.comparator.config)
    if leaf.kind in ("choice", "text_format"):
        out["kind"] = leaf.kind
        out |= {key: plain(value) for key, value in leaf.about.schema.items() if key in ("format", "enum", "const")}
    if leaf.alternates:
        out["alternates"] = True
    if leaf.absent is not None and leaf.absent != absent:
        out["absent"] = list(leaf.absent)
    return {
        **out,
        "threshold": leaf.threshold,
        "weight": weight,
        "clip_under_threshold": leaf.clip,
        "required": leaf.about.required,
        "default": plain(leaf.about.default),
        **_reason(leaf, "why"),
        **_described(leaf),
    }


def _ordered(node: ListOf) -> dict[str, Json]:
    return {"order": node.order} if node.order != "any" else {}


def _object_config(node: Object, unnamed: str, absent: AbsentWords) -> dict[str, Json]:
    return {
        "model_name": node.name or unnamed,
        "match_threshold": node.match_threshold,
        "fields": {name: _config(child, name, absent) for name, child in node.fields.items()},
    }
