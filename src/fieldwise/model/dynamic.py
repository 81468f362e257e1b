"""Classes made from specs: a spec that came from JSON Schema, config or a plain class becomes a StructuredModel."""

from __future__ import annotations

import datetime as dt
import keyword
from functools import reduce
from operator import or_
from types import GenericAlias
from typing import TYPE_CHECKING, Any, TypedDict

from pydantic import Field, create_model

from fieldwise.spec import Leaf, ListOf, Node, Object, OneOf, Ref, Spec
from fieldwise.spec.nodes import Kind
from fieldwise.values import Json

if TYPE_CHECKING:
    from fieldwise.model.structured_model import StructuredModel

_TYPES: dict[Kind, object] = {
    "string": str,
    "integer": int,
    "number": float,
    "boolean": bool,
    "decimal": float,
    "date": str | dt.datetime | dt.date,
    "datetime": str | dt.datetime | dt.date,
    "text_format": str,
    "choice": Json,
    "free": dict[str, Json],
    "any": Json,
    "box": list[Json],
}


class _Settings(TypedDict, total=False):
    alias: str
    description: str


def make_class(spec: Spec, base: type[StructuredModel]) -> type[StructuredModel]:
    """Return a StructuredModel class whose fields and comparison settings are those of the spec."""
    made = _class(spec.root, base)
    made.__fieldwise_spec__ = spec
    return made


def _class(node: Object, base: type[StructuredModel]) -> type[StructuredModel]:
    fields: dict[str, Any] = {}  # definitions in the form of create_model
    for name, child in node.fields.items():
        attribute = _attribute(name, base, {*fields, *node.fields} - {name})
        annotation = _annotation(child, base)
        about = child.about
        settings: _Settings = {} if attribute == name else {"alias": name}
        if about.description:
            settings["description"] = about.description
        if about.required:
            fields[attribute] = (annotation, Field(..., **settings))
        else:
            fields[attribute] = (or_(annotation, None), Field(default=None, **settings))
    name = node.name if node.name.isidentifier() else "DynamicModel"
    made = create_model(name, __base__=base, **fields)
    if node.match_threshold is not None:
        made.match_threshold = node.match_threshold
    made.__fieldwise_spec__ = Spec(node)
    return made


def _attribute(name: str, base: type, taken: set[str]) -> str:
    """Return an attribute name for a JSON key; keys that cannot be attributes get one that can and is no other's."""
    fits = name.isidentifier() and not keyword.iskeyword(name) and not name.startswith("_")
    if fits and not hasattr(base, name) and name not in taken and not name.startswith("model_"):
        return name
    text = "".join(c if c.isalnum() else "_" for c in name).strip("_") or "field"
    text = f"field_{text}" if text[0].isdigit() or text.startswith("model_") else text
    while hasattr(base, text) or keyword.iskeyword(text) or text in taken or not text.isidentifier():
        text = f"{text}_" if text.isidentifier() else f"field_{len(taken)}"
    return text


def _annotation(node: Node, base: type[StructuredModel]) -> object:
    match node:
        case Leaf():
            return _TYPES[node.kind]
        case Object():
            return _class(node, base)
        case ListOf():
            inner = _annotation(node.item, base)
            return GenericAlias(list, or_(inner, None) if node.item.about.nullable else inner)
        case OneOf():
            return reduce(or_, [_annotation(arm, base) for arm in node.arms])
        case Ref():
            return Json
