"""Duplicate keys in JSON, for those who want them refused instead of the last one to win."""

from __future__ import annotations

import json
from typing import Any

from fieldwise.errors import InputError

Path = tuple[str | int, ...]


class _Members(list[tuple[str, Any]]):
    """An object as it is written: all members, also those that share a key."""


class _Found(Exception):
    """A signal, no error."""


def duplicate_keys(content: bytes, name: str) -> list[Path]:
    """Return the path of every key that its object has had before; the content is JSON that can be read.

    >>> duplicate_keys(b'{"a": 1, "rows": [{}, {"b": 1, "b": 2}]}', "example")
    [('rows', 1, 'b')]
    """
    text = content.decode("utf-8-sig")
    try:
        json.loads(text, object_pairs_hook=_unique, parse_int=str)
    except _Found:
        return _paths(json.loads(text, object_pairs_hook=_Members, parse_int=str))
    except RecursionError:
        raise InputError(f"{name} is nested too deep to look for duplicate keys") from None
    return []


def path_text(path: Path) -> str:
    """Write a path as ``$.rows[1].b``."""
    return "$" + "".join(f"[{key}]" if isinstance(key, int) else f".{key}" for key in path)


def _unique(members: list[tuple[str, Any]]) -> None:
    if len(members) != len({key for key, _ in members}):
        raise _Found


def _paths(root: Any) -> list[Path]:
    found: list[Path] = []
    todo: list[tuple[Any, Path]] = [(root, ())]
    while todo:
        value, path = todo.pop()
        if isinstance(value, _Members):
            keys = [key for key, _ in value]
            found += [(*path, key) for i, key in enumerate(keys) if key in keys[:i]]
            todo += [(inner, (*path, key)) for key, inner in reversed(value)]
        elif isinstance(value, list):
            todo += [(inner, (*path, i)) for i, inner in reversed(list(enumerate(value)))]
    return found
