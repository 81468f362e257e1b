"""JSON from bytes, whatever is in them: fast where possible, exact where digits would be lost, deep where nested.

A byte order mark is accepted; NaN and infinities are absent values; a number too large for a float is kept as its
text; half of a surrogate pair, in keys too, becomes its escape as text; of duplicate keys the last one wins.
"""

from __future__ import annotations

import json
import math
import re
import sys
from collections.abc import Iterator
from json.decoder import scanstring  # type: ignore[attr-defined]  # public, untyped
from pathlib import Path
from typing import Any

import orjson

from fieldwise.errors import InputError
from fieldwise.values import Json, float_or_text
from fieldwise.writing import has_half_pair, well_formed_json

_DIGITS = bytes(ord("0") if chr(byte).isdecimal() and byte < 128 else ord(" ") for byte in range(256))
_LONG = b"0" * 19
_LONGEST_INTEGER = sys.float_info.max_10_exp
"""Every integer with fewer digits fits into a float."""
_SPACE = re.compile(r"[ \t\n\r]*")
_SCALAR = re.compile(r"(-?(?:0|[1-9]\d*))(\.\d+)?([eE][+-]?\d+)?|true|false|null|NaN|-?Infinity")
_WORDS: dict[str, Json] = {"true": True, "false": False, "null": None, "NaN": None}


def read_json(source: str | Path) -> Json:
    """Read one JSON document from a file, or from standard input where the source is ``-``."""
    return parse_json(read_source(source), "standard input" if str(source) == "-" else str(source))


def read_source(source: str | Path) -> bytes:
    """Return what a file holds, or standard input where the source is ``-``."""
    if str(source) == "-":
        return sys.stdin.buffer.read()
    try:
        return Path(source).read_bytes()
    except OSError as error:
        raise InputError(f"Cannot read {source}: {error.strerror or error}") from error


def parse_json(content: bytes, name: str) -> Json:
    """Parse one JSON document; ``name`` says in errors where it came from.

    >>> parse_json(b'{"id": 12345678901234567890123}', "example")
    {'id': 12345678901234567890123}
    """
    content = content.removeprefix(b"\xef\xbb\xbf")
    if not content.strip():
        raise InputError(f"{name} is empty; expected a JSON document")
    if not has_long_digits(content):
        try:
            return orjson.loads(content)
        except orjson.JSONDecodeError:
            pass  # the exact reader decides, and says what is wrong
    return _parse_exactly(content, name)


def has_long_digits(content: bytes) -> bool:
    """Tell whether there is a run of 19 digits or more, the shortest integer that the quick reader could round.

    Integers of 64 bits it reads exactly, and fractions as every reader rounds them. A run of 19 has a digit at four
    neighbouring multiples of four, which is seen sooner than the run itself.
    """
    return _LONG[:4] in content[::4].translate(_DIGITS) and _LONG in content.translate(_DIGITS)


def _parse_exactly(content: bytes, name: str) -> Json:
    try:
        text = content.decode("utf-8")
    except UnicodeDecodeError as error:
        raise InputError(f"{name} is not UTF-8 text: byte {error.start} cannot be read") from error
    value = _parse_text(text, name)
    return well_formed_json(value) if has_half_pair(text) else value


def _parse_text(text: str, name: str) -> Json:
    try:
        return json.loads(text, parse_constant=_constant, parse_int=_integer, parse_float=float_or_text)
    except RecursionError:
        return _parse_deep(text, name)
    except json.JSONDecodeError as error:
        raise _not_json(name, error) from error


def _constant(_: str) -> None:
    return None


def _integer(digits: str) -> int | str:
    return int(digits) if len(digits) < _LONGEST_INTEGER or math.isfinite(float(digits)) else digits


class _Open:
    """A container that is being filled."""

    def __init__(self, value: Any) -> None:
        self.value, self.key = value, ""

    def put(self, item: Json) -> None:
        if isinstance(self.value, dict):
            self.value[self.key] = item
        else:
            self.value.append(item)


def _parse_deep(text: str, name: str) -> Json:
    """Parse JSON that is nested deeper than the interpreter's stack."""
    root = _Open([])
    open_: list[_Open] = [root]
    for token, at in _tokens(text, name):
        top = open_[-1]
        if token in ("{", "["):
            inner = _Open({} if token == "{" else [])
            top.put(inner.value)
            open_.append(inner)
        elif token in ("}", "]"):
            if len(open_) == 1 or isinstance(top.value, dict) != (token == "}"):
                raise _wrong(name, text, at)
            open_.pop()
        elif isinstance(token, tuple):
            top.key = token[0]
        else:
            top.put(token.value if isinstance(token, _Value) else token)
    if len(open_) != 1 or len(root.value) != 1:
        raise _wrong(name, text, len(text))
    return root.value[0]


class _Value:
    """A scalar among the tokens."""

    def __init__(self, value: Json) -> None:
        self.value = value


def _tokens(text: str, name: str) -> Iterator[tuple[Any, int]]:
    """Yield brackets, keys as one-tuples, and values; commas are passed over."""
    at, end = 0, len(text)
    while True:
        at = _skip(text, at)
        if at >= end:
            return
        char = text[at]
        if char in "{[]}":
            yield char, at
            at += 1
        elif char == ",":
            at += 1
        elif char == '"':
            string, after = _string(text, at, name)
            colon = _skip(text, after)
            is_key = colon < end and text[colon] == ":"
            yield ((string,) if is_key else _Value(string)), at
            at = colon + 1 if is_key else after
        else:
            found = _SCALAR.match(text, at)
            if found is None:
                raise _wrong(name, text, at)
            yield _Value(_scalar(found)), at
            at = found.end()


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
