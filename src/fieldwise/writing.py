"""JSON for files, terminals and other programs: every parser takes it, and no terminal obeys it."""

from __future__ import annotations

import json
import math
from collections.abc import Callable

from fieldwise.text import has_half_pair, well_formed, without_steering
from fieldwise.values import MAX_INT_BITS, Json, written


def well_formed_json(value: Json) -> Json:
    r"""Return a JSON value in which every text is well formed, and every number is one that JSON has.

    >>> well_formed_json({"\udc00": [float("nan"), 1.5]})
    {'\\udc00': [None, 1.5]}
    """
    root: list[Json] = [value]
    todo: list[Json] = [root]
    while todo:
        held = todo.pop()
        for key, item in list(held.items() if type(held) is dict else enumerate(held)):
            if isinstance(item, dict):
                held[key] = {_key(name): inner for name, inner in item.items()}
                todo.append(held[key])
            elif isinstance(item, list | tuple):
                held[key] = list(item)
                todo.append(held[key])
            elif isinstance(item, str):
                held[key] = well_formed(item)
            elif isinstance(item, float) and not math.isfinite(item):
                held[key] = None
            elif type(item) is int and item.bit_length() > MAX_INT_BITS:
                held[key] = hex(item)
    return root[0]


def _key(name: Json) -> Json:
    return well_formed(name) if isinstance(name, str) else name


def dump_json(
    value: Json, *, indent: int | None = None, ascii_only: bool = True, default: Callable[[object], Json] | None = None
) -> str:
    r"""Return JSON that every parser takes and no terminal obeys; NaN and infinities are null.

    >>> dump_json({"a": float("inf"), "b": "\x9b\ud800"})
    '{"a": null, "b": "\\u009b\\\\ud800"}'
    """
    try:
        text = json.dumps(value, indent=indent, ensure_ascii=ascii_only, allow_nan=False, default=default)
        if has_half_pair(text):
            value = well_formed_json(value)
            text = json.dumps(value, indent=indent, ensure_ascii=ascii_only, allow_nan=False, default=default)
    except (ValueError, RecursionError):
        value = well_formed_json(value)
        text = _dumped(value, indent=indent, ascii_only=ascii_only, default=default)
    return without_steering(text)


def _dumped(value: Json, *, indent: int | None, ascii_only: bool, default: Callable[[object], Json] | None) -> str:
    try:
        return json.dumps(value, indent=indent, ensure_ascii=ascii_only, allow_nan=False, default=default)
    except (ValueError, RecursionError):  # integers and levels beyond what the standard library writes
        return written(value)
