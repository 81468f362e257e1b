"""What a class label is: any JSON value, kept apart by type, so that ``1``, ``True`` and ``"1"`` are three classes."""

from __future__ import annotations

import json
import math
from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Final, TypeAlias

from fieldwise.errors import InputError
from fieldwise.values import Json, json_text, plain

Key: TypeAlias = tuple[str, str]
"""The type of a label as JSON names it, and a text that is equal for equal labels of that type."""

Label: TypeAlias = str | int | float | bool | None
"""A label as the key of a dict."""

MISSING: Final[Key] = ("missing", "")
"""The place of a label that a row does not have. It is no class: it is never right and enters no average."""


class Absent:
    """Stands for a label that a row does not have."""


ABSENT: Final = Absent()
_KINDS = ("boolean", "number", "string", "array", "object", "missing")
_SCALARS: dict[type, str] = {str: "string", bool: "boolean", int: "number", float: "number"}


def key_of(value: Json | Absent) -> Key:
    """Return what a label is counted under; 1 and 1.0 are one label, null and NaN are missing ones.

    >>> key_of(1), key_of(1.0), key_of(True), key_of("1")
    (('number', '1'), ('number', '1'), ('boolean', 'true'), ('string', '1'))
    """
    if type(value) is str:
        return "string", value
    if value is None or isinstance(value, Absent):
        return MISSING
    value = plain(value)
    if value is None:
        return MISSING
    kind = _SCALARS.get(type(value)) or ("object" if isinstance(value, dict) else "array")
    if type(value) is float:
        if math.isnan(value):
            return MISSING
        return kind, json_text(int(value)) if value.is_integer() else repr(value)
    return kind, value if kind == "string" else _json(value)


def value_of(values: Iterable[Json]) -> Json:
    """Return one value for all that count as the same label: the one that JSON writes shortest, 1 before 1.0.

    Objects that differ in the order of their keys have the one whose keys come first, so that the order of rows
    leaves no trace.

    >>> value_of([1.0, 1])
    1
    >>> value_of([{"b": 1, "a": 0}, {"a": 0, "b": 1}])
    {'a': 0, 'b': 1}
    """

    def size(value: Json) -> tuple[int, str, str]:
        text = _json(value)
        return len(text), text, _json(value, sort_keys=False)

    return min((plain(value) for value in values), key=size)


def sort_key(key: Key, value: Json) -> tuple[int, float, str]:
    """Return what classes are sorted by: their type, then their size or their text; missing labels are last."""
    kind, text = key
    size = float(value) if kind == "number" and abs(value) < 1e300 else 0.0
    return _KINDS.index(kind), size, text


def display_names(values: Mapping[Key, Json]) -> dict[Key, str]:
    """Return a name for each class, different for different classes: its text, with the type where two would clash.

    >>> list(display_names({("number", "1"): 1, ("string", "1"): "1"}).values())
    ['1 (number)', '1']
    """
    texts = {key: _text(key, value) for key, value in values.items()}
    often = Counter(texts.values())
    names = {
        key: text if often[text] == 1 or key[0] == "string" else f"{text} ({key[0]})" for key, text in texts.items()
    }
    taken = Counter(names.values())
    return {key: name if taken[name] == 1 or key[0] != "string" else f"{name} (string)" for key, name in names.items()}


def map_key(value: Json) -> Label:
    """Return a label as the key of a dict: itself, or its text where it cannot be one.

    >>> map_key("click"), map_key([1, 2])
    ('click', '[1, 2]')
    """
    return str(value) if isinstance(value, (list, dict)) else value


def labels_by_equality(values: Mapping[Key, Json]) -> dict[Label, list[Key]]:
    """Return the keys of the labels that ``==`` takes for one: 1, 1.0 and True are, ``"1"`` is another.

    A list or an object, which no dict takes as a key, stands under its text.
    """
    merged: dict[Label, list[Key]] = {}
    for key, value in values.items():
        name = map_key(value)
        if key[0] in ("array", "object") and ("string", name) in values:
            name = f"{name} ({key[0]})"
        merged.setdefault(name, []).append(key)
    return merged


def _text(key: Key, value: Json) -> str:
    if key == MISSING:
        return "(missing)"
    return value if isinstance(value, str) else _json(value)


def _json(value: Json, *, sort_keys: bool = True) -> str:
    if type(value) is int:
        return json_text(value)
    try:
        return json.dumps(value, ensure_ascii=False, sort_keys=sort_keys)
    except RecursionError:
        raise InputError(
            "Expected a label that is not nested so deep; name a key that holds the class", code="row.too_deep"
        ) from None
