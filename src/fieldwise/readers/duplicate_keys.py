"""Duplicate keys in JSON, for those who want them refused instead of the last one to win."""

from __future__ import annotations

import json
from typing import Any, NamedTuple

from fieldwise.errors import InputError
from fieldwise.readers.json_text import parse_deep
from fieldwise.readers.source import Unreadable, unreadable

Path = tuple[str | int, ...]


class _Members(list[tuple[str, Any]]):
    """An object as it is written: all members, also those that share a key."""

    def __setitem__(self, key: Any, value: Any) -> None:
        self.append((key, value))


class _Found(Exception):
    """A signal, no error."""


class _Place(NamedTuple):
    """A place in a document; the one around it is linked, so that deep documents stay small."""

    above: _Place | None
    key: str | int

    def path(self) -> Path:
        keys, place = list[str | int](), self
        while place.above is not None:
            keys.append(place.key)
            place = place.above
        return tuple(reversed(keys))


def refuse_duplicates(content: bytes, name: str) -> Unreadable | None:
    """Return why a document with a duplicate key is refused, or None."""
    try:
        paths = duplicate_keys(content, name)
    except InputError as error:
        return unreadable(error)
    return twice(paths[0], name) if paths else None


def twice(path: Path, name: str) -> Unreadable:
    """Return why a document is refused that has a key twice."""
    return Unreadable(f"{name} has the key {path[-1]!r} twice - at {path_text(path)}")


def duplicate_keys(content: bytes, name: str) -> list[Path]:
    """Return the paths of keys that their object has had before; the content is JSON that can be read.

    Of all duplicates inside one member of the document the first is enough.

    >>> duplicate_keys(b'{"a": 1, "rows": [{}, {"b": 1, "b": 2}]}', "example")
    [('rows', 1, 'b')]
    """
    text = content.decode("utf-8-sig")
    try:
        json.loads(text, object_pairs_hook=_unique, parse_int=str)
    except _Found:
        return _paths(json.loads(text, object_pairs_hook=_Members, parse_int=str))
    except RecursionError:
        return _paths(parse_deep(text, name, _Members))
    return []


def path_text(path: Path) -> str:
    """Write a path as ``$.rows[1].b``."""
    return "$" + "".join(f"[{key}]" if isinstance(key, int) else f".{key}" for key in path)


def _unique(members: list[tuple[str, Any]]) -> None:
    if len(members) != len({key for key, _ in members}):
        raise _Found


def _paths(root: Any) -> list[Path]:
    """Find the first duplicate of the document itself, and of each of its members, in the order of the document."""
    found: dict[str | int | None, _Place] = {}
    todo: list[tuple[Any, _Place, str | int | None]] = [(root, _Place(None, ""), None)]
    while todo:
        value, place, member = todo.pop()
        if isinstance(value, _Members):
            if member not in found and (key := _repeated(value)) is not None:
                found[member] = _Place(place, key)
            items: Any = value
        else:
            items = enumerate(value)
        inner = [
            (item, _Place(place, key), key if place.above is None else member)
            for key, item in items
            if isinstance(item, list)
        ]
        todo.extend(reversed(inner))
    return [place.path() for place in found.values()]


def _repeated(members: _Members) -> str | None:
    seen = set[str]()
    for key, _ in members:
        if key in seen:
            return key
        seen.add(key)
    return None
