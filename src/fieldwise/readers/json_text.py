"""JSON from bytes, whatever is in them: fast where possible, exact where digits would be lost, deep where nested.

A byte order mark is accepted; NaN and infinities are absent values; a number too large for a float is kept as its
text; of duplicate keys the last one wins.
"""

from __future__ import annotations

import codecs
import json
import math
import re
import sys
from collections.abc import Callable
from json.decoder import scanstring  # type: ignore[attr-defined]  # public, untyped
from pathlib import Path
from typing import Any

import orjson

from fieldwise.errors import InputError, LimitError
from fieldwise.limits import ReadLimits
from fieldwise.readers.brackets import is_deeper
from fieldwise.readers.files import convert_advice, read_source, source_name, wide_encoding
from fieldwise.values import Json, float_or_text

MAX_DEPTH = ReadLimits().max_depth
QUICK_LEVELS = 1024
"""The quick reader reads no document with more levels."""
_DEPTH = "max_depth"

_DIGITS = bytes(ord("0") if chr(byte).isdecimal() and byte < 128 else ord(" ") for byte in range(256))
_LONG = b"0" * 19
_LONGEST_INTEGER = sys.float_info.max_10_exp
"""Every integer with fewer digits fits into a float."""
_SPACE = re.compile(r"[ \t\n\r]*")
_SCALAR = re.compile(r"(-?(?:0|[1-9]\d*))(\.\d+)?([eE][+-]?\d+)?|true|false|null|NaN|-?Infinity")
_WORDS: dict[str, Json] = {"true": True, "false": False, "null": None, "NaN": None}


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
        raise InputError(f"{name} is empty; expected a JSON document")
    if max_depth >= QUICK_LEVELS and not has_long_digits(content):
        try:
            return orjson.loads(content)
        except orjson.JSONDecodeError:
            pass  # the exact reader decides, and says what is wrong
    if is_deeper(content, max_depth):
        raise LimitError(f"{name} is nested in more than the {max_depth} levels that max_depth allows", limit=_DEPTH)
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
        raise InputError(convert_advice(name, encoding))
    try:
        text = content.decode("utf-8")
    except UnicodeDecodeError as error:
        raise InputError(f"{name} is not UTF-8 text: byte {error.start} cannot be read") from error
    try:
        return json.loads(text, parse_constant=_constant, parse_int=_integer, parse_float=float_or_text)
    except RecursionError:
        return parse_deep(text, name)
    except json.JSONDecodeError as error:
        raise _not_json(name, error) from error


def _constant(_: str) -> None:
    return None


def _integer(digits: str) -> int | str:
    return int(digits) if len(digits) < _LONGEST_INTEGER or math.isfinite(float(digits)) else digits


class _Open:
    """A container that is being filled."""

    def __init__(self, value: Any, end: str) -> None:
        self.value, self.end, self.key = value, end, ""

    def put(self, item: Json) -> None:
        if self.end == "]":
            self.value.append(item)
        else:
            self.value[self.key] = item


def parse_deep(text: str, name: str, new_object: Callable[[], Any] = dict) -> Json:
    """Parse JSON that is nested deeper than the interpreter's stack; objects are filled by assignment."""
    root = _Open([], "]")
    open_, at = [root], 0
    while not root.value or len(open_) > 1:
        at = _skip(text, at)
        char = text[at : at + 1]
        if char in ("[", "{"):
            inner = _Open([], "]") if char == "[" else _Open(new_object(), "}")
            open_[-1].put(inner.value)
            open_.append(inner)
            at = _skip(text, at + 1)
            if text[at : at + 1] != inner.end:
                at = _key(text, at, name, inner)
                continue
        else:
            item, at = _item(text, at, name)
            open_[-1].put(item)
        at = _ends(text, at, name, open_)
    if _skip(text, at) < len(text):
        raise _wrong(name, text, _skip(text, at))
    return root.value[0]


def _ends(text: str, at: int, name: str, open_: list[_Open]) -> int:
    """Return where the next value begins: behind the containers that end here, a comma, and a key."""
    while len(open_) > 1:
        top = open_[-1]
        at = _skip(text, at)
        char = text[at : at + 1]
        if char == ",":
            return _key(text, at + 1, name, top)
        if char != top.end:
            raise _wrong(name, text, at)
        open_.pop()
        at += 1
    return at


def _key(text: str, at: int, name: str, top: _Open) -> int:
    """Return where the next value of a container begins; that of an object has a key before it."""
    if top.end == "]":
        return at
    at = _skip(text, at)
    if text[at : at + 1] != '"':
        raise _wrong(name, text, at)
    top.key, at = _string(text, at, name)
    at = _skip(text, at)
    if text[at : at + 1] != ":":
        raise _wrong(name, text, at)
    return at + 1


def _item(text: str, at: int, name: str) -> tuple[Json, int]:
    if text[at : at + 1] == '"':
        return _string(text, at, name)
    found = _SCALAR.match(text, at)
    if found is None:
        raise _wrong(name, text, at)
    return _scalar(found), found.end()


def _string(text: str, at: int, name: str) -> tuple[str, int]:
    try:
        return scanstring(text, at + 1, True)  # type: ignore[no-any-return]  # untyped
    except json.JSONDecodeError as error:
        raise _not_json(name, error) from error


def _skip(text: str, at: int) -> int:
    found = _SPACE.match(text, at)
    return found.end() if found else at


def _scalar(found: re.Match[str]) -> Json:
    if found[1] is None:
        return _WORDS.get(found[0])
    return float_or_text(found[0]) if found[2] or found[3] else _integer(found[0])


def _not_json(name: str, error: json.JSONDecodeError) -> InputError:
    return InputError(f"{name} is not JSON: {error.msg} at line {error.lineno}, column {error.colno}")


def _wrong(name: str, text: str, at: int) -> InputError:
    line = text.count("\n", 0, at) + 1
    return InputError(f"{name} is not JSON: unexpected text at line {line}, column {at - text.rfind(chr(10), 0, at)}")
