"""Whole values: as plain JSON types, and as text. Iterative and linear, so that documents of any depth are fine."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import repeat
from json.encoder import encode_basestring_ascii as _quoted
from typing import Final

from fieldwise.values.objects import JSON_SCALARS, Json, Parts, int_text, opened, scalar
from fieldwise.values.sharing import DICTS_AND_LISTS, MAX_MADE, MAX_TIMES, MAX_UNFOLDED, folded, held, refuse_cycle

_LOOK_AFTER: Final = 100_000
"""The number of containers after which a walk looks whether they are the same ones again and again."""
_AS_THEY_ARE = frozenset({str, bool, type(None)})


class _TooManyError(Exception):
    """A walk has met many containers."""


class _Way:
    """The containers around the place where a walk is; knows when it comes back to one of them."""

    def __init__(self, root: Json, limit: int | None) -> None:
        self.root, self.limit = root, limit
        self.around: set[int] = set()
        self.entered = self.made = 0

    def enter(self, item: Json) -> bool:
        """Go into a container; False where it is one too many of those that are no dict and no list."""
        self.entered += 1
        if self.entered == self.limit:
            self._look()
        if type(item) not in DICTS_AND_LISTS:
            if self.made == MAX_MADE:
                return False
            self.made += 1
        if id(item) in self.around:
            raise refuse_cycle(self.root)
        self.around.add(id(item))
        return True

    def leave(self, item: Json) -> None:
        """Go out of a container."""
        self.around.discard(id(item))
        self.made -= type(item) not in DICTS_AND_LISTS

    def _look(self) -> None:
        """Look how much there is to walk over; more than that, and it is the same again and again."""
        if self.entered > _LOOK_AFTER:
            raise _TooManyError
        self.limit = max(MAX_UNFOLDED, MAX_TIMES * held(self.root))


def plain(value: Json, levels: int | None = None) -> Json:
    """Return a value as plain JSON types: models as dicts, dates as ISO text, sets as lists.

    What lies deeper than ``levels`` is given as JSON text, if a number of them is given.

    >>> plain({"tags": ("a", b"b")})
    {'tags': ['a', 'b']}
    >>> plain({"a": {"b": [1]}}, 1)
    {'a': '{"b":[1]}'}
    """
    if type(value) in JSON_SCALARS:
        return scalar(value)
    try:
        return _plain(value, levels, _Way(value, _LOOK_AFTER))
    except _TooManyError:
        return _plain(folded(value), levels, _Way(value, None))


def _plain(value: Json, levels: int | None, way: _Way) -> Json:
    root: list[Json] = [None]
    todo: list[tuple[Json, Json, str | int | None]] = [(value, root, 0)]
    while todo:
        item, into, at = todo.pop()
        if into is None:
            way.leave(item)
            continue
        parts = opened(item)
        if parts is None or not way.enter(item):
            into[at] = scalar(item)
            continue
        if levels is not None and len(way.around) > levels:
            way.leave(item)
            into[at] = written(item)
            continue
        todo.append((item, None, None))
        below: list[tuple[Json, Json, str | int | None]] = []
        out: Json
        if type(parts) is dict:
            out = into[at] = {}
            for key, child in parts.items():
                if type(child) in _AS_THEY_ARE:
                    out[key] = child
                else:
                    out[key] = None  # keeps the order
                    below.append((child, out, key))
        else:
            out = into[at] = [None] * len(parts)
            for place, child in enumerate(parts):
                if type(child) in _AS_THEY_ARE:
                    out[place] = child
                else:
                    below.append((child, out, place))
        below.reverse()
        todo += below
    return root[0]


def canonical(value: Json) -> str:
    """Return text that is equal for equal values: keys sorted, 1.0 as 1, absent parts left out.

    It is that of a list with the value in it, and empty for an absent value.

    >>> canonical({"b": 1.0, "a": None}) == canonical({"b": 1})
    True
    """
    if type(value) in JSON_SCALARS:
        text = _canonical_text(scalar(value))
        return f"[{text}]" if text else ""
    return _text([value], exact=False)


def written(value: Json) -> str:
    """Return any value as JSON text with sorted keys; 1 and 1.0 differ, nulls stay.

    >>> written({"b": 1.0, "a": [None]})
    '{"a":[null],"b":1.0}'
    """
    return _text([value], exact=True)[1:-1]


def _text(value: Json, *, exact: bool) -> str:
    try:
        return _write(value, exact, _Way(value, _LOOK_AFTER))
    except _TooManyError:
        return _write(folded(value), exact, _Way(value, None))


class _Open:
    """Containers, each the only part of the one before, that are being written: ``rest`` is of the last of them."""

    __slots__ = ("after", "before", "closing", "first", "ids", "rest")

    def __init__(self, first: Json, before: int) -> None:
        self.first, self.before = first, before
        self.ids: list[int] = []
        self.closing: list[str] = []
        self.rest: Iterator[tuple[str | None, Json]] = iter(())
        self.after = 0


def _opening(value: Json, parts: Parts, first: str, out: list[str], way: _Way) -> _Open:
    """Begin a container and those that alone are in it; deep nests are mostly such."""
    made = _Open(value, len(out))
    ids, closing = made.ids, made.closing
    while True:
        ids.append(id(value))
        if type(parts) is dict:
            closing.append("}")
            out.append(f"{first}{{")
            if len(parts) != 1:
                break
            ((key, value),) = parts.items()
            first = f"{_quoted(key)}:"
        else:
            closing.append("]")
            out.append(f"{first}[")
            if len(parts) != 1:
                break
            (value,), first = parts, ""
        if type(value) not in DICTS_AND_LISTS:
            break
        way.enter(value)
        parts = opened(value) or value
    made.after, made.rest = len(out), _in_order(parts)
    return made


def _write(value: Json, exact: bool, way: _Way) -> str:
    out: list[str] = []
    way.enter(value)
    stack = [_opening(value, value, "", out, way)]
    scalar_text = _exact_text if exact else _canonical_text
    while stack:
        top = stack[-1]
        for key, child in top.rest:
            parts = None if type(child) in JSON_SCALARS else opened(child)
            comma = "," if len(out) > top.after else ""
            first = comma if key is None else f"{comma}{_quoted(key)}:"
            if parts is None or not way.enter(child):
                text = scalar_text(scalar(child))
                if text:
                    out.append(first + text)
                continue
            stack.append(_opening(child, parts, first, out, way))
            break
        else:
            stack.pop()
            way.leave(top.first)
            way.around.difference_update(top.ids)
            if len(out) == top.after and not exact:
                del out[top.before :]
            else:
                out += reversed(top.closing)
    return "".join(out)


def _in_order(parts: Parts) -> Iterator[tuple[str | None, Json]]:
    if type(parts) is not dict:
        return zip(repeat(None), parts, strict=False)
    return iter(parts.items()) if len(parts) < 2 else iter([(key, parts[key]) for key in sorted(parts)])


def _exact_text(value: str | int | float | bool | None) -> str:
    if type(value) is str:
        return _quoted(value)
    if value is None:
        return "null"
    if type(value) is bool:
        return "true" if value else "false"
    return str(value) if type(value) is int else float.__repr__(value)


def _canonical_text(value: str | int | float | bool | None) -> str:
    """Return a single value as text; nothing for an absent one."""
    if type(value) is str:
        return "" if not value or value.isspace() else _quoted(value)
    if value is None:
        return ""
    if type(value) is float:
        return int_text(int(value)) if value.is_integer() else repr(value)
    return _exact_text(value)


def same(expected: Json, predicted: Json) -> bool:
    """Return whether two values are the same JSON value.

    >>> same({"a": 1}, {"a": 1.0}), same(True, 1), same("1", 1)
    (True, False, False)
    """
    if type(expected) is str and type(predicted) is str:
        return expected == predicted
    return canonical(expected) == canonical(predicted)
