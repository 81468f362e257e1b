"""Where a JSON Schema holds other schemas."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from fieldwise.values import Json

INNER: Final = ("items", "additionalProperties", "not", "if", "then", "else")
INNER_LISTS: Final = ("anyOf", "oneOf", "allOf", "prefixItems")
INNER_MAPS: Final = ("properties", "$defs", "definitions", "patternProperties")
_DEFINITIONS: Final = ("$defs", "definitions")


def definitions_in_lists(schema: Mapping[str, Json]) -> frozenset[str]:
    """Return the references to definitions that lists hold, directly or inside others.

    >>> sorted(definitions_in_lists({"items": {"$ref": "#/$defs/a"}, "$defs": {"a": {"$ref": "#/$defs/b"}, "b": {}}}))
    ['#/$defs/a', '#/$defs/b']
    """
    found: set[str] = set()
    waiting: list[tuple[Json, bool]] = [(schema, False)]
    while waiting:
        node, in_list = waiting.pop()
        if not isinstance(node, Mapping):
            continue
        pointer = node.get("$ref")
        if in_list and isinstance(pointer, str) and pointer not in found:
            found.add(pointer)
            waiting.append((_at(schema, pointer), True))
        waiting.extend(_inner(node, in_list))
    return frozenset(found)


def _inner(node: Mapping[str, Json], in_list: bool) -> Iterator[tuple[Json, bool]]:
    for key in INNER:
        yield node.get(key), in_list or key == "items"
    for key in INNER_LISTS:
        held = node.get(key)
        yield from ((part, in_list) for part in (held if isinstance(held, list) else ()))
    for key in INNER_MAPS:
        held = node.get(key)
        parts = held.values() if isinstance(held, Mapping) else ()
        yield from ((part, in_list and key not in _DEFINITIONS) for part in parts)


def _at(schema: Json, pointer: str) -> Json:
    for step in pointer.removeprefix("#").split("/")[1:]:
        schema = schema.get(step.replace("~1", "/").replace("~0", "~")) if isinstance(schema, Mapping) else None
    return schema
