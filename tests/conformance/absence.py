"""Documents without the values that say nothing, written down independently of the package's own rule."""

from __future__ import annotations

from typing import Any

from fieldwise.values import Json

Schema = dict[str, Any]


def says_nothing(value: Json, schema: Schema, root: Schema) -> bool:
    """Tell whether nothing that the schema declares has a value: null, blank text, or made of such alone."""
    schema = _resolved(schema, root)
    if isinstance(value, str):
        return not value.strip()
    if isinstance(value, list):
        return all(says_nothing(item, schema.get("items", {}), root) for item in value)
    if isinstance(value, dict):
        declared = schema.get("properties") or {key: {} for key in value}
        return all(says_nothing(value.get(name), sub, root) for name, sub in declared.items())
    return value is None


def without_nothing(value: Json, schema: Schema, root: Schema | None = None) -> Json:
    """Return a document with null for every field that says nothing, and list items that say nothing left out."""
    root = root or schema
    schema = _resolved(schema, root)
    if isinstance(value, list):
        items = schema.get("items", {})
        return [without_nothing(item, items, root) for item in value if not says_nothing(item, items, root)]
    if isinstance(value, dict) and (declared := schema.get("properties")):
        return {name: _field(sub, declared.get(name), root) for name, sub in value.items()}
    return value


def _field(value: Json, schema: Schema | None, root: Schema) -> Json:
    if schema is None:
        return value
    return None if says_nothing(value, schema, root) else without_nothing(value, schema, root)


def _resolved(schema: Schema, root: Schema) -> Schema:
    while "$ref" in schema:
        target: Any = root
        for step in schema["$ref"].split("/")[1:]:
            target = target[step]
        schema = {**target, **{k: v for k, v in schema.items() if k != "$ref"}}
    return schema


def lenient(schema: Any) -> Any:
    """Return a schema in which nothing is required and nothing has a default."""
    if isinstance(schema, dict):
        kept = {k: v for k, v in schema.items() if not (k == "required" and isinstance(v, list))}
        return {k: lenient(v) for k, v in kept.items() if not (k == "default" and not isinstance(v, dict))}
    return [lenient(v) for v in schema] if isinstance(schema, list) else schema
