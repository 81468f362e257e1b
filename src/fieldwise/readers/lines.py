"""One line of a file: its id, and the document or the pair that it holds.

The id of a line is what its envelope says; in a broken line, what can still be seen of it; else its number.
"""

from __future__ import annotations

import codecs
import os
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple

import orjson

from fieldwise.errors import InputError
from fieldwise.readers.blocks import may_be_rich, read_blocks, split_lines
from fieldwise.readers.duplicate_keys import Path, duplicate_keys, path_text
from fieldwise.readers.envelopes import (
    SIDE_KEYS,
    SIDES,
    Document,
    Side,
    find_id_key,
    first_key,
    from_fence,
    id_text,
    merged_metadata,
    open_document,
    open_member,
)
from fieldwise.readers.fences import inside_fence
from fieldwise.readers.json_text import has_long_digits, parse_json
from fieldwise.readers.source import MISSING, Pair, Unreadable
from fieldwise.values import Json

_FIRST = 1 << 16


class Layout(NamedTuple):
    """How the first line of a file that can be read is written.

    ``opener`` is what lines begin with where the id is their first member, and ``closer`` ends the id.
    Without an ``id_key`` the number of a line is its id.
    """

    id_key: str | None = None
    opener: bytes = b""
    closer: bytes = b""
    wrapper: str | None = None
    expected: str | None = None
    predicted: str | None = None


@dataclass(frozen=True)
class LinesFile:
    """A file of lines: where it is, what to call it, where its first line begins, how its lines are written."""

    path: str
    name: str
    start: int
    end: int
    layout: Layout
    strict: bool = False
    noun: str = "line"
    drops_id: bool = False
    """Whether an id among the values of a document is left out."""

    def line_name(self, number: int) -> str:
        """Name a line in messages."""
        return f"{self.noun} {number} of {self.name}"


def open_lines(path: str, name: str, *, noun: str = "line", strict: bool) -> LinesFile:
    """Look at the beginning of a file of lines; a byte order mark is no part of the first line."""
    try:
        with open(path, "rb") as file:
            start = len(codecs.BOM_UTF8) if file.read(3) == codecs.BOM_UTF8 else 0
            end = os.fstat(file.fileno()).st_size
    except OSError as error:
        raise InputError(f"Cannot read {path}: {error.strerror or error}") from error
    return LinesFile(path, name, start, end, _find_layout(path, start, end), strict, noun)


def is_blank(file: LinesFile) -> bool:
    """Tell whether a file has no line that is not blank."""
    return all(not block or block.isspace() for block in read_blocks(file.path, file.start, file.end))


def _find_layout(path: str, start: int, end: int) -> Layout:
    """Look at the first lines for one that can be read, and rather for one with a document under a known key."""
    first: Layout | None = None
    for block in read_blocks(path, start, end):
        for line in split_lines(block[:_FIRST] if b"\n" in block[:_FIRST] else block):
            value = read_value(line, path) if line.strip() else None
            if type(value) is dict:
                layout = _layout(line, value)
                if layout.wrapper or layout.expected or layout.predicted:
                    return layout
                first = first or layout
        break
    return first or Layout()


def quick_value(line: bytes) -> Json:
    """Return what a line holds, digits rounded where they are many, or None."""
    try:
        return orjson.loads(line)
    except orjson.JSONDecodeError:
        return None


def _layout(line: bytes, value: dict[str, Json]) -> Layout:
    key = find_id_key(value)
    opening = re.match(rb'\s*\{\s*"([^"\\]*)"\s*:\s*("?)', line)
    opener = opening[0] if opening and key is not None and opening[1] == key.encode() else b""
    return Layout(
        id_key=key,
        opener=opener,
        closer=b'"' if opener.endswith(b'"') else b",",
        wrapper=first_key(value, ("document", *SIDE_KEYS["expected"], *SIDE_KEYS["predicted"])),
        expected=first_key(value, SIDE_KEYS["expected"]),
        predicted=first_key(value, SIDE_KEYS["predicted"]),
    )


def number_id(number: int) -> str:
    """Return the id of a line that has none of its own.

    >>> number_id(123)
    'line-000123'
    """
    return f"line-{number:06d}"


def _id_key(value: Mapping[str, Json], layout: Layout) -> str | None:
    """Return under which key a line has its id: that of the file's first line, or another one."""
    key = layout.id_key
    return key if key is not None and id_text(value.get(key)) is not None else find_id_key(value)


def line_id(value: Json | Unreadable, line: bytes, number: int, layout: Layout) -> str:
    """Return the id of a line that holds the value."""
    if layout.id_key is None:
        return number_id(number)
    found: str | None = None
    if type(value) is dict:
        key = _id_key(value, layout)
        found = None if key is None else id_text(value[key])
    elif isinstance(value, Unreadable):
        found = _visible_id(line, layout)
    return found or number_id(number)


def _visible_id(line: bytes, layout: Layout) -> str | None:
    """Return the id of a broken line whose beginning is whole, or of one in a code fence."""
    fenced = quick_value(inside_fence(line) or b"")
    if type(fenced) is dict:
        return id_text(fenced.get(layout.id_key))
    end = line.find(layout.closer, len(layout.opener)) if layout.opener and line.startswith(layout.opener) else -1
    found = line[len(layout.opener) : max(end, 0)]
    if not found or b"\\" in found or (layout.closer == b"," and not found.isdigit()):
        return None
    try:
        return found.decode()
    except UnicodeDecodeError:
        return None


def read_value(line: bytes, name: str) -> Json | Unreadable:
    """Parse a line as exactly as its digits need."""
    try:
        if not has_long_digits(line):
            return orjson.loads(line)
    except orjson.JSONDecodeError:
        pass  # the exact reader decides
    try:
        return parse_json(line, name)
    except InputError as error:
        return Unreadable(str(error))


def read_side(file: LinesFile, line: bytes, number: int, side: Side) -> tuple[str, Document]:
    """Return the id of a line, and its document without what is around it; MISSING where the line is blank."""
    if not line or line.isspace():
        return number_id(number), Document(MISSING)
    name = file.line_name(number)
    value = read_value(line, name)
    found = line_id(value, line, number, file.layout)
    if isinstance(value, Unreadable):
        body = inside_fence(line) if side == "predicted" else None
        fenced = None if body is None else from_fence(read_side(file, body, number, side)[1])
        return found, fenced or Document(value)
    refused = refuse_duplicates(line, name) if file.strict else None
    if refused:
        return found, Document(refused)
    opened = open_document(value, side, rich=may_be_rich(line))
    if file.drops_id and opened.content is value and type(value) is dict:
        value.pop(_id_key(value, file.layout) or "", None)
    return found, opened


def refuse_duplicates(content: bytes, name: str) -> Unreadable | None:
    """Return why a document with a duplicate key is refused, or None."""
    try:
        paths = duplicate_keys(content, name)
    except InputError as error:
        return Unreadable(str(error))
    return _duplicate(paths[0], name) if paths else None


def _duplicate(path: Path, name: str) -> Unreadable:
    return Unreadable(f"{name} has the key {path[-1]!r} twice - at {path_text(path)}")


def read_pair(file: LinesFile, line: bytes, number: int) -> Pair | None:
    """Return the pair that a line holds, or None where the line is blank."""
    if not line or line.isspace():
        return None
    name = file.line_name(number)
    value = read_value(line, name)
    found = line_id(value, line, number, file.layout)
    if isinstance(value, Unreadable):
        return Pair(found, value, value, False)
    return _pair(found, value, name, may_be_rich(line), _refused_sides(line, name) if file.strict else {})


def _pair(found: str, value: Json, name: str, rich: bool, refused: Mapping[str, Unreadable]) -> Pair:
    expected, predicted = (_member(value, side, rich, refused) for side in SIDES)
    if expected.content is MISSING and predicted.content is MISSING:
        neither = Unreadable(f"{name} has none of the keys {', '.join(SIDE_KEYS['expected'] + SIDE_KEYS['predicted'])}")
        return Pair(found, neither, neither, False)
    metadata = merged_metadata(expected.metadata, predicted.metadata)
    return Pair(found, expected.content, predicted.content, rich, expected.alternates, metadata)


def _member(value: Json, side: Side, rich: bool, refused: Mapping[str, Unreadable]) -> Document:
    key = first_key(value, SIDE_KEYS[side]) if type(value) is dict else None
    if key is None:
        return Document(MISSING)
    why = refused.get(key) or refused.get("")
    return Document(why) if why else open_member(value, key, rich=rich)


def _refused_sides(line: bytes, name: str) -> dict[str, Unreadable]:
    """Return why documents are refused, by the key of their side; under an empty key what refuses both."""
    try:
        paths = duplicate_keys(line, name)
    except InputError as error:
        return {"": Unreadable(str(error))}
    refused: dict[str, Unreadable] = {}
    for path in paths:
        refused.setdefault(str(path[0]) if len(path) > 1 else "", _duplicate(path, name))
    return refused
