"""The keys ``x-aws-idp-…`` of a JSON Schema and the older lists of attributes, as the keys that are read."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from difflib import get_close_matches
from typing import Any, Final

from fieldwise.checks import checked_flag, checked_number
from fieldwise.errors import SettingError
from fieldwise.spec.nodes import not_allowed, unknown_key, unknown_type
from fieldwise.spec.schema_keys import PEER
from fieldwise.values import Json

PRODUCT: Final = "x-aws-idp-"
EVALUATION: Final = f"{PRODUCT}evaluation-"
METHOD: Final = f"{EVALUATION}method"
_BEGINS: Final = f"{PRODUCT}eval"
_LIST_METHOD: Final = "HUNGARIAN"
_COMPARATORS: Final = {
    "EXACT": "ExactComparator",
    "NUMERIC_EXACT": "NumericComparator",
    "FUZZY": "FuzzyComparator",
    "LEVENSHTEIN": "LevenshteinComparator",
    "SEMANTIC": "SemanticComparator",
    "DATE": "DateComparator",
    "LLM": "LLMComparator",
}
METHODS: Final = (*_COMPARATORS, _LIST_METHOD)
_FITTING: Final = {
    "string": frozenset(_COMPARATORS),
    "number": frozenset({"EXACT", "NUMERIC_EXACT", "LLM"}),
    "integer": frozenset({"EXACT", "NUMERIC_EXACT", "LLM"}),
    "boolean": frozenset({"EXACT", "LLM"}),
}
_KEYS: Final = frozenset(
    {
        *("method", "threshold", "weight", "match-threshold", "method-config"),
        *("clip-under-threshold", "aggregate", "allow-llm-in-list", "model-name"),
    }
)
_NUMBERS: Final = frozenset({"threshold", "weight", "match-threshold"})
_FLAGS: Final = frozenset({"clip-under-threshold", "allow-llm-in-list"})
_FLAG_WORDS: Final = {
    "true": True,
    "yes": True,
    "on": True,
    "1": True,
    "false": False,
    "no": False,
    "off": False,
    "0": False,
}


def translated(schema: Json) -> Json:
    """Return a JSON Schema with the evaluation keys of the product as those of stickler-eval.

    ``NUMERIC_EXACT`` takes its threshold as an absolute tolerance. A key or method that is not known, and a method that
    does not fit the type, are refused. A judge inside a list is left out unless it is allowed, as the product does.
    """
    if not isinstance(schema, Mapping):
        return schema
    return _translated(schema, "$", definitions_in_lists(schema), in_list=False)


def _translated(schema: Json, path: str, listed: frozenset[str], *, in_list: bool) -> Json:
    if not isinstance(schema, Mapping):
        return schema
    given = _own_keys(schema, path)
    made: dict[str, Json] = {key: value for key, value in schema.items() if not key.startswith(_BEGINS)}
    for key in INNER:
        if key in made:
            below = f"{path}[]" if key == "items" else f"{path}.{key}"
            made[key] = _translated(made[key], below, listed, in_list=in_list or key == "items")
    for key in INNER_LISTS:
        if isinstance(made.get(key), list):
            made[key] = [
                _translated(item, f"{path}.{key}[{at}]", listed, in_list=in_list) for at, item in enumerate(made[key])
            ]
    for key in INNER_MAPS:
        if isinstance(made.get(key), Mapping):
            below = path if key == "properties" else f"{path}.{key}"
            made[key] = {
                name: _translated(item, f"{below}.{name}", listed, in_list=in_list or f"#/{key}/{name}" in listed)
                for name, item in made[key].items()
            }
    if (in_list or _type_of(schema) == "array") and given.get("method") == "LLM" and not _allows_judge(given, path):
        given = {name: value for name, value in given.items() if name in ("weight", "match-threshold")}
    return _agreeing(_with_settings(made, given, path), schema, path) if given else made


def _allows_judge(given: Mapping[str, Json], path: str) -> bool:
    return checked_flag("allow-llm-in-list", given.get("allow-llm-in-list", False), path=path)


def _agreeing(made: dict[str, Json], schema: Mapping[str, Json], path: str) -> dict[str, Json]:
    """Return a schema in both families of keys, unless what one of them says is not what the other says."""
    for key, value in schema.items():
        if key.startswith(PEER) and made[key] != value:
            raise SettingError(
                f"The key {key!r} says {value!r}, and the keys {EVALUATION}… say {made[key]!r}; give one of them",
                path=path,
                code="setting.conflict",
                facts={"setting": key, "got": value},
            )
    return made


def _own_keys(schema: Mapping[str, Json], path: str) -> dict[str, Json]:
    given = {}
    for key, value in schema.items():
        if key.startswith(_BEGINS):
            name = key.removeprefix(EVALUATION)
            if name not in _KEYS:
                raise unknown_key("schema key", key, [EVALUATION + known for known in _KEYS], path=path)
            read = _read(name, value)
            if read not in (None, ""):
                given[name] = read
    return given


def _read(name: str, value: Json) -> Json:
    """Return the value of a key as the product reads it: numbers and flags may be text, methods in any case."""
    if name in _NUMBERS:
        return as_number(value)
    if not isinstance(value, str):
        return value
    if name in _FLAGS:
        return _FLAG_WORDS.get(value.strip().lower(), value)
    return value.strip().upper() if name == "method" else value


def as_number(value: Json) -> Json:
    """Return the number that a text holds, as configs write numbers; anything else as it is."""
    try:
        return float(value) if isinstance(value, str) else value
    except ValueError:
        return value


def _with_settings(schema: dict[str, Json], given: Mapping[str, Json], path: str) -> dict[str, Json]:
    made = dict(schema)
    for name in ("weight", "clip-under-threshold", "aggregate", "model-name"):
        if name in given:
            made[PEER + name] = given[name]
    if _is_list_of_objects(schema):
        return _of_rows(made, given, path)
    if "match-threshold" in given:
        made[f"{PEER}match-threshold"] = given["match-threshold"]
    method = given.get("method")
    if method is not None:
        return _compared_by(made, _checked_method(method, schema, path), given, path)
    if "method-config" in given:
        raise not_allowed(f"The key {EVALUATION + 'method-config'!r} needs a method beside it", "method-config", path)
    if "threshold" in given:
        made[f"{PEER}threshold"] = given["threshold"]
    return made


def _compared_by(made: dict[str, Json], method: str, given: Mapping[str, Json], path: str) -> dict[str, Json]:
    config: Json = given.get("method-config") or {}
    if not isinstance(config, Mapping):
        raise SettingError(
            f"Expected an object for `method-config`, got {config!r}",
            path=path,
            facts={"setting": "method-config", "got": config},
        )
    config = dict(config)
    made[f"{PEER}comparator"] = _COMPARATORS[method]
    if method == "NUMERIC_EXACT":
        if "threshold" in given:
            config["absolute_tolerance"] = checked_number("threshold", given["threshold"], path=path)
    elif "threshold" in given:
        made[f"{PEER}threshold"] = given["threshold"]
    if method == "LLM" and _allows_judge(given, path):
        config["allow_grid"] = True
    if config:
        made[f"{PEER}comparator-config"] = config
    return made


def _of_rows(made: dict[str, Json], given: Mapping[str, Json], path: str) -> dict[str, Json]:
    """Return a list of objects; how alike two rows must be is a setting of its items."""
    method = given.get("method", _LIST_METHOD)
    if method != _LIST_METHOD:
        _known_method(method, path)
        raise not_allowed(f"A list of objects is compared by {_LIST_METHOD}, got {method}", "method", path, got=method)
    for name in ("threshold", "method-config"):
        if name in given:
            message = f"A list of objects takes no {EVALUATION + name!r}; {EVALUATION}match-threshold decides on rows"
            raise not_allowed(message, name, path)
    if "match-threshold" in given:
        made["items"] = {**made["items"], f"{PEER}match-threshold": given["match-threshold"]}
    return made


def _is_list_of_objects(schema: Mapping[str, Json]) -> bool:
    items = schema.get("items")
    if _type_of(schema) != "array" or not isinstance(items, Mapping):
        return False
    return "properties" in items or "$ref" in items or _type_of(items) == "object"


def _type_of(schema: Mapping[str, Json]) -> Json:
    kind = schema.get("type")
    real = [one for one in kind if one != "null"] if isinstance(kind, list) else [kind]
    return real[0] if len(real) == 1 else None


def _known_method(method: Json, path: str) -> str:
    if not isinstance(method, str) or method not in METHODS:
        raise unknown_type("evaluation method", method, METHODS, path=path)
    return method


def _checked_method(method: Json, schema: Mapping[str, Json], path: str) -> str:
    known = _known_method(method, path)
    items: Json = schema.get("items")
    kind = _type_of(items) if _type_of(schema) == "array" and isinstance(items, Mapping) else _type_of(schema)
    if known == _LIST_METHOD:
        raise not_allowed(f"{_LIST_METHOD} compares lists of objects, and this is none", "method", path, got=known)
    if "properties" in schema:
        message = f"An object with properties is compared field by field; it takes no method, got {known}"
        raise not_allowed(message, "method", path, got=known)
    fitting = _FITTING.get(str(kind))
    if fitting is not None and known not in fitting:
        listed = ", ".join(sorted(fitting))
        raise not_allowed(f"{known} does not fit values of type {kind}; these do: {listed}", "method", path, got=known)
    return known


# The older lists of attributes

_ATTRIBUTE_KEYS: Final = {
    "evaluation_method": "method",
    "evaluation_threshold": "threshold",
    "evaluation_weight": "weight",
    "evaluation_match_threshold": "match-threshold",
    "evaluation_method_config": "method-config",
}
_GROUPS: Final = ("groupAttributes", "group_attributes")
_LISTS: Final = ("listItemTemplate", "list_item_template")
_ITEMS: Final = ("itemAttributes", "item_attributes")
_NEARLY: Final = 0.88


def schema_of_attributes(attributes: Json, path: str) -> dict[str, Json]:
    """Return the JSON Schema of a list of attributes: ``[{name, evaluation_method, evaluation_threshold, …}]``."""
    if not isinstance(attributes, list):
        raise SettingError(
            f"Expected a list of attributes, got {type(attributes).__name__}", path=path, facts={"got": attributes}
        )
    properties: dict[str, Json] = {}
    for at, attribute in enumerate(attributes):
        name = attribute.get("name") if isinstance(attribute, Mapping) else None
        if not isinstance(name, str) or not name:
            raise SettingError(
                f"Expected an attribute with a name, got {attribute!r}", path=f"{path}[{at}]", facts={"got": attribute}
            )
        if name in properties:
            raise SettingError(
                f"The attribute {name!r} is given twice",
                path=f"{path}[{at}]",
                code="setting.conflict",
                facts={"field": name},
            )
        properties[name] = _attribute(attribute, f"{path}.{name}")
    return {"type": "object", "properties": properties}


def _attribute(attribute: Mapping[str, Json], path: str) -> dict[str, Json]:
    keys: dict[str, Any] = {}
    for key, value in attribute.items():
        if key.startswith("eval") and value is not None:
            if key not in _ATTRIBUTE_KEYS:
                raise unknown_key("key", key, list(_ATTRIBUTE_KEYS), path=path)
            name = _ATTRIBUTE_KEYS[key]
            keys[EVALUATION + name] = _read(name, value)
    _refuse_misspelt(attribute, (*_GROUPS, *_LISTS), path)
    group, template = (next((attribute[k] for k in names if k in attribute), None) for names in (_GROUPS, _LISTS))
    if group:
        return {**schema_of_attributes(group, path), **keys}
    if template:
        inner = template
        if isinstance(template, Mapping):
            _refuse_misspelt(template, _ITEMS, path)
            inner = next((template[k] for k in _ITEMS if k in template), [])
        return {"type": "array", "items": schema_of_attributes(inner, path), **keys}
    method = keys.get(METHOD) or None
    if method == "NUMERIC_EXACT":
        return {"type": "number", **keys}
    return {"type": "string", **keys} if method is not None else keys


def _refuse_misspelt(attribute: Mapping[str, Json], known: tuple[str, ...], path: str) -> None:
    """Refuse a key that is nearly one below which attributes are; others say more than how to compare."""
    for key in attribute:
        if isinstance(key, str) and key not in known and get_close_matches(key, known, n=1, cutoff=_NEARLY):
            raise unknown_key("key", key, known, path=path)


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
