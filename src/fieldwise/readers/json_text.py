"""JSON from bytes, whatever is in them: fast where possible, exact where digits would be lost, deep where nested.

A byte order mark is accepted; NaN and infinities are absent values; a number too large for a float is kept as its
text; half of a surrogate pair, in keys too, becomes its escape as text; of duplicate keys the last one wins, unless
they are to be refused. Brackets outside strings are found without parsing, in one pass over blocks.
"""

from __future__ import annotations

import codecs
import json
import re
from collections.abc import Callable, Iterable, Iterator
from json.decoder import scanstring  # type: ignore[attr-defined]  # public, untyped
from pathlib import Path
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import orjson

from fieldwise.errors import InputError, LimitError
from fieldwise.limits import ReadLimits
from fieldwise.readers.files import convert_advice, read_source, source_name, wide_encoding
from fieldwise.readers.source import Unreadable, unreadable
from fieldwise.text import has_half_pair
from fieldwise.values import Json, float_or_text, integer_or_text
from fieldwise.writing import well_formed_json

_BLOCK = 1 << 18
_QUOTE, _COMMA, _BACKSLASH = b'",\\'
_OPENING, _CLOSING = b"{}"
_SMALL = 0x20
"""Makes a curly bracket of a square one."""


class Marks(NamedTuple):
    """Brackets and commas outside strings in a block: where they are, how many brackets are open after each."""

    places: npt.NDArray[np.int64]
    depths: npt.NDArray[np.int64]
    in_string: npt.NDArray[np.bool_]
    """Of every byte of the block, whether it belongs to a string."""


class BracketScan:
    """A pass over JSON in blocks, which may be cut anywhere."""

    def __init__(self, depth: int = 0) -> None:
        self.depth, self._in_string, self._escapes = depth, False, False

    def feed(self, block: bytes) -> Marks:
        """Return what the next block holds; it is not empty."""
        content = np.frombuffer(block, np.uint8)
        quotes = content == _QUOTE
        if self._escapes or b"\\" in block:
            quotes &= ~self._escaped(content)
        in_string = np.logical_xor.accumulate(quotes) ^ self._in_string
        small = content | _SMALL
        opening, closing = small == _OPENING, small == _CLOSING
        places = np.flatnonzero((opening | closing | (content == _COMMA)) & ~in_string)
        depths = self.depth + np.cumsum(opening[places].astype(np.int64) - closing[places])
        self._in_string = bool(in_string[-1])
        self.depth = int(depths[-1]) if len(depths) else self.depth
        return Marks(places, depths, in_string)

    def _escaped(self, content: npt.NDArray[np.uint8]) -> npt.NDArray[np.bool_]:
        """Tell of every byte whether an odd number of backslashes stands right before it."""
        at = np.arange(len(content))
        slashes = content == _BACKSLASH
        before = np.maximum.accumulate(np.where(slashes, -1 - self._escapes, at))
        escaping = slashes & ((at - before) % 2 == 1)
        escaped = np.concatenate(([self._escapes], escaping[:-1]))
        self._escapes = bool(escaping[-1])
        return escaped


def cut(content: bytes) -> Iterator[bytes]:
    """Yield bytes in blocks."""
    return (content[at : at + _BLOCK] for at in range(0, len(content), _BLOCK))


def is_deeper(content: bytes, levels: int) -> bool:
    """Tell whether lists and objects are nested in more levels.

    >>> is_deeper(b'[["[[[["]]', 2), is_deeper(b'[[{}]]', 2)
    (False, True)
    """
    if content.count(b"[") + content.count(b"{") <= levels:
        return False
    depths = (marks.depths for marks in map(BracketScan().feed, cut(content)))
    return any(int(found.max(initial=0)) > levels for found in depths)


def is_closed(content: bytes) -> bool:
    """Tell whether content begins with a bracket, and every bracket is closed at its end and not before."""
    content = content.strip()
    ends = (place for place, _, depth in outer_marks(cut(content)) if depth < 1)
    return content[:1] in (b"[", b"{") and next(ends, None) == len(content) - 1


def outer_marks(blocks: Iterable[bytes]) -> Iterator[tuple[int, int, int]]:
    """Yield commas and brackets after which at most one is open: their place, the byte, how many are open after it."""
    scan, start = BracketScan(), 0
    for block in blocks:
        marks = scan.feed(block)
        outer = marks.depths <= 1
        for place, depth in zip(marks.places[outer].tolist(), marks.depths[outer].tolist(), strict=True):
            yield start + place, block[place], depth
        start += len(block)


MAX_DEPTH = ReadLimits().max_depth
QUICK_LEVELS = 1024
"""The quick reader reads no document with more levels."""
QUICK_BYTES = 1 << 24
"""It is given no larger one: where memory ends the exact reader says so, and the quick one ends the process."""
_DEPTH = "max_depth"

_DIGITS = bytes(ord("0") if chr(byte).isdecimal() and byte < 128 else ord(" ") for byte in range(256))
_LONG = b"0" * 19
_SPACE = re.compile(r"[ \t\n\r]*")
_TOKEN = re.compile(
    r'[ \t\n\r]*(?:([][{}",:])|((-?(?:0|[1-9]\d*))(\.\d+)?([eE][+-]?\d+)?|true|false|null|NaN|-?Infinity))', re.ASCII
)
_AFTER = re.compile(r"[ \t\n\r]*([]}])")
_WORDS: dict[str, Json] = {"true": True, "false": False, "null": None, "NaN": None}

KeyPath = tuple[str | int, ...]
"""The keys and places on the way to a value."""


def read_json(source: str | Path) -> Json:
    """Read one JSON document from a file, or from standard input where the source is ``-``."""
    return parse_json(read_source(source), source_name(source))


def parse_json(content: bytes, name: str, max_depth: int = MAX_DEPTH) -> Json:
    """Parse one JSON document; ``name`` says in errors where it came from.

    >>> parse_json(b'{"id": 12345678901234567890123}', "example")
    {'id': 12345678901234567890123}
    """
    content = content.removeprefix(codecs.BOM_UTF8)
    if not content.strip():
        raise InputError(f"{name} is empty; expected a JSON document", code="input.empty", facts={"file": name})
    if max_depth >= QUICK_LEVELS and len(content) <= QUICK_BYTES and not has_long_digits(content):
        try:
            return orjson.loads(content)
        except orjson.JSONDecodeError:
            pass  # the exact reader decides, and says what is wrong
    if is_deeper(content, max_depth):
        raise LimitError(
            f"{name} is nested in more than the {max_depth} levels that max_depth allows",
            limit=_DEPTH,
            facts={"file": name, "expected": max_depth},
        )
    return _parse_exactly(content, name)


def quick_value(content: bytes) -> Json:
    """Return what bytes hold, digits rounded where they are many, or None."""
    try:
        return orjson.loads(content)
    except orjson.JSONDecodeError:
        return None


def has_long_digits(content: bytes) -> bool:
    """Tell whether there is a run of 19 digits or more, the shortest integer that the quick reader could round.

    Integers of 64 bits it reads exactly, and fractions as every reader rounds them. A run of 19 has a digit at four
    neighbouring multiples of four, which is seen sooner than the run itself.
    """
    return _LONG[:4] in content[::4].translate(_DIGITS) and _LONG in content.translate(_DIGITS)


def _parse_exactly(content: bytes, name: str) -> Json:
    encoding = wide_encoding(content)
    if encoding is not None:
        raise InputError(convert_advice(name, encoding), code="input.encoding", facts={"file": name, "got": encoding})
    try:
        text = content.decode("utf-8")
    except UnicodeDecodeError as error:
        raise InputError(
            f"{name} is not UTF-8 text: byte {error.start} cannot be read",
            code="input.encoding",
            facts={"file": name, "byte": error.start},
        ) from error
    value = _parse_text(text, name)
    return well_formed_json(value) if has_half_pair(text) else value


def _parse_text(text: str, name: str) -> Json:
    try:
        return json.loads(text, parse_constant=_constant, parse_int=integer_or_text, parse_float=float_or_text)
    except RecursionError:
        return parse_deep(text, name)
    except json.JSONDecodeError as error:
        raise _not_json(name, error) from error


def _constant(_: str) -> None:
    return None


def parse_deep(text: str, name: str, new_object: Callable[[], Json] = dict) -> Json:
    """Parse JSON that is nested deeper than the interpreter's stack; objects are filled by assignment."""
    root: list[Json] = []
    open_: list[Json] = [root]
    top, is_list, at, key = open_[0], True, 0, ""
    while True:
        mark, value, at = _token(text, at, name)
        if mark in ("[", "{"):
            value = [] if mark == "[" else new_object()
        elif mark == '"':
            value, at = _string(text, at - 1, name)
        elif mark:
            raise _wrong(name, text, at - 1)
        if is_list:
            top.append(value)
        else:
            top[key] = value
        if mark in ("[", "{"):
            open_.append(value)
            top, is_list = value, mark == "["
            after = _AFTER.match(text, at)
            if after is None or after[1] != ("]" if is_list else "}"):
                if not is_list:
                    key, at = _key(text, at, name)
                continue
        while len(open_) > 1:
            mark, _, at = _token(text, at, name)
            if mark == ",":
                break
            if mark != ("]" if is_list else "}"):
                raise _wrong(name, text, at - 1)
            open_.pop()
            top = open_[-1]
            is_list = type(top) is list
        else:
            return _only(root, text, at, name)
        if not is_list:
            key, at = _key(text, at, name)


def _token(text: str, at: int, name: str) -> tuple[str, Json, int]:
    """Return the next sign, or else the next number or word, and where it ends."""
    found = _TOKEN.match(text, at)
    if found is None:
        raise _wrong(name, text, _skip(text, at))
    mark = found[1]
    return (mark, None, found.end()) if mark else ("", _scalar(found), found.end())


def _key(text: str, at: int, name: str) -> tuple[str, int]:
    """Return the key of the next member, and where its value begins."""
    mark, _, at = _token(text, at, name)
    if mark != '"':
        raise _wrong(name, text, at - 1)
    key, at = _string(text, at - 1, name)
    mark, _, at = _token(text, at, name)
    if mark != ":":
        raise _wrong(name, text, at - 1)
    return key, at


def _only(root: list[Json], text: str, at: int, name: str) -> Json:
    if _skip(text, at) < len(text):
        raise _wrong(name, text, _skip(text, at))
    return root[0]


def _string(text: str, at: int, name: str) -> tuple[str, int]:
    try:
        return scanstring(text, at + 1, True)  # type: ignore[no-any-return]  # untyped
    except json.JSONDecodeError as error:
        raise _not_json(name, error) from error


def _skip(text: str, at: int) -> int:
    found = _SPACE.match(text, at)
    return found.end() if found else at


def _scalar(found: re.Match[str]) -> Json:
    if found[3] is None:
        return _WORDS.get(found[2])
    return float_or_text(found[2]) if found[4] or found[5] else integer_or_text(found[2])


def _not_json(name: str, error: json.JSONDecodeError) -> InputError:
    return InputError(
        f"{name} is not JSON: {error.msg.removesuffix(' at')} at line {error.lineno}, column {error.colno}",
        code="input.not_json",
        facts={"file": name, "line": error.lineno, "column": error.colno},
    )


def _wrong(name: str, text: str, at: int) -> InputError:
    line = text.count("\n", 0, at) + 1
    return InputError(
        f"{name} is not JSON: unexpected text at line {line}, column {at - text.rfind(chr(10), 0, at)}",
        code="input.not_json",
        facts={"file": name, "line": line},
    )


class _Members(list[tuple[str, Json]]):
    """An object as it is written: all members, also those that share a key."""

    def __setitem__(self, key: Json, value: Json) -> None:
        self.append((key, value))


class _Found(Exception):
    """A signal, no error."""


class _Place(NamedTuple):
    """A place in a document; the one around it is linked, so that deep documents stay small."""

    above: _Place | None
    key: str | int

    def path(self) -> KeyPath:
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


def twice(path: KeyPath, name: str) -> Unreadable:
    """Return why a document is refused that has a key twice."""
    return Unreadable(f"{name} has the key {path[-1]!r} twice - at {path_text(path)}")


def duplicate_keys(content: bytes, name: str) -> list[KeyPath]:
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


def path_text(path: KeyPath) -> str:
    """Write a path as ``$.rows[1].b``."""
    return "$" + "".join(f"[{key}]" if isinstance(key, int) else f".{key}" for key in path)


def _unique(members: list[tuple[str, Json]]) -> None:
    if len(members) != len({key for key, _ in members}):
        raise _Found


def _paths(root: Json) -> list[KeyPath]:
    """Find the first duplicate of the document itself, and of each of its members, in the order of the document."""
    found: dict[str | int | None, _Place] = {}
    todo: list[tuple[Json, _Place, str | int | None]] = [(root, _Place(None, ""), None)]
    while todo:
        value, place, member = todo.pop()
        if isinstance(value, _Members):
            if member not in found and (key := _repeated(value)) is not None:
                found[member] = _Place(place, key)
            items: Json = value
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
