"""Files of lines: the id of a line, and the document or the pair that it holds.

The id of a line is what its envelope says; in a broken line, what can still be seen of it; else its number. Many
lines are read quickly where nothing about them is unusual.
"""

from __future__ import annotations

import codecs
import os
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain, islice
from typing import NamedTuple

import orjson

from fieldwise.errors import InputError, LimitError, cannot_read
from fieldwise.readers.about import About
from fieldwise.readers.blocks import (
    Line,
    LongLine,
    OverLimit,
    is_plain,
    joined,
    known,
    read_blocks,
    read_members,
    split_lines,
)
from fieldwise.readers.envelopes import (
    INNER,
    SIDE_KEYS,
    SIDES,
    WRAPPER_WORDS,
    Document,
    Side,
    find_id_key,
    first_key,
    from_fence,
    id_text,
    inside_fence,
    make_pair,
    may_be_rich,
    open_document,
    open_member,
)
from fieldwise.readers.files import convert_advice, too_large, wide_encoding
from fieldwise.readers.json_text import (
    QUICK_LEVELS,
    duplicate_keys,
    has_long_digits,
    parse_json,
    quick_value,
    refuse_duplicates,
    twice,
)
from fieldwise.readers.source import MISSING, Missing, Pair, ReadRules, Seen, Unreadable, unreadable
from fieldwise.values import Json

_FIRST = 1 << 16
_MAX_BLOCKS = 64

LineDocument = tuple[
    str,
    Json | Unreadable | Missing,
    bool,
    Mapping[str, Sequence[Json]] | None,
    Mapping[str, Json] | None,
    About | None,
]
"""The id of a line, then the members of its ``Document``; MISSING where the line is blank."""


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
    rules: ReadRules = field(default_factory=ReadRules)
    noun: str = "line"
    drops_id: bool = False
    """Whether an id among the values of a document is left out."""

    def line_name(self, number: int) -> str:
        """Name a line in messages."""
        return f"{self.noun} {number} of {self.name}"

    def blocks(self, start: int | None = None, end: int | None = None, seen: Seen | None = None) -> Iterator[Line]:
        """Yield the lines of a range, or all of them, in blocks."""
        start, end = self.start if start is None else start, self.end if end is None else end
        return read_blocks(self.path, start, end, self.rules.limits.max_bytes, seen)

    def is_quick(self, block: Line) -> bool:
        """Tell whether the lines of a block with ids need no more than the quick reader and a look at their keys."""
        rules = self.rules
        if rules.strict or self.layout.id_key is None or rules.limits.max_depth < QUICK_LEVELS:
            return False
        return isinstance(block, bytes) and len(block) <= rules.limits.max_bytes and is_plain(block)


class Span(NamedTuple):
    """Lines that follow each other: from where to where, and the number of the first."""

    start: int
    end: int
    number: int


def open_lines(path: str, name: str, rules: ReadRules, *, noun: str = "line") -> LinesFile:
    """Look at the beginning of a file of lines; a byte order mark is no part of the first line."""
    try:
        with open(path, "rb") as file:
            head = file.read(4)
            start = len(codecs.BOM_UTF8) if head.startswith(codecs.BOM_UTF8) else 0
            end = os.fstat(file.fileno()).st_size
    except OSError as error:
        raise cannot_read(path, error) from error
    encoding = wide_encoding(head)
    if encoding is not None:
        raise InputError(convert_advice(name, encoding), code="input.encoding", facts={"file": name, "got": encoding})
    lines = LinesFile(path, name, start, end, Layout(), rules, noun)
    return replace(lines, layout=_find_layout(lines))


def is_blank(file: LinesFile) -> bool:
    """Tell whether a file has no line that is not blank."""
    return all(map(is_blank_line, file.blocks()))


def is_blank_line(line: Line) -> bool:
    """Tell whether a line has nothing to read."""
    return isinstance(line, bytes) and (not line or line.isspace())


def _find_layout(file: LinesFile) -> Layout:
    """Look at the first lines for one that can be read, and rather for one with a document under a known key."""
    first: Layout | None = None
    for block in islice(file.blocks(), _MAX_BLOCKS):
        few = block[:_FIRST] if isinstance(block, bytes) and b"\n" in block[:_FIRST] else block
        for line in split_lines(few):
            value = None if is_blank_line(line) else read_value(line, file.name, file.rules)
            value = value.members if isinstance(value, OverLimit) else value
            if type(value) is dict and value:
                layout = _layout(_head(line), value)
                if layout.wrapper or layout.expected or layout.predicted:
                    return layout
                first = first or layout
        if first:
            break
    return first or Layout()


def _head(line: Line) -> bytes:
    return line if isinstance(line, bytes) else line.head


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


def line_id(value: Json | Unreadable | OverLimit, line: Line, number: int, layout: Layout) -> str:
    """Return the id of a line that holds the value."""
    if layout.id_key is None:
        return number_id(number)
    found: str | None = None
    held = value.members if isinstance(value, OverLimit) else value
    if type(held) is dict:
        key = _id_key(held, layout)
        found = None if key is None else id_text(held[key])
    if found is None and isinstance(value, Unreadable | OverLimit):
        found = _visible_id(_head(line), layout)
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


def read_value(line: Line, name: str, rules: ReadRules) -> Json | Unreadable | OverLimit:
    """Parse a line as exactly as its digits need."""
    limits = rules.limits
    size = len(line) if isinstance(line, bytes) else line.size
    if isinstance(line, LongLine) or size > limits.max_bytes:
        return read_members(line, name, Unreadable(too_large(name, limits.max_bytes, size), "max_bytes"), rules)
    try:
        if limits.max_depth >= QUICK_LEVELS and not has_long_digits(line):
            return orjson.loads(line)
    except orjson.JSONDecodeError:
        pass  # the exact reader decides
    try:
        return parse_json(line, name, limits.max_depth)
    except LimitError as error:
        return read_members(line, name, unreadable(error), rules)
    except InputError as error:
        return unreadable(error)


def read_side(file: LinesFile, line: Line, number: int, side: Side) -> tuple[str, Document]:
    """Return the id of a line, and its document without what is around it; MISSING where the line is blank."""
    if is_blank_line(line):
        return number_id(number), Document(MISSING)
    name = file.line_name(number)
    value = read_value(line, name, file.rules)
    found = line_id(value, line, number, file.layout)
    if isinstance(value, OverLimit):
        opened = open_document(value.members, side, rich=True)
        return found, Document(value.why) if opened.content is value.members else opened
    assert isinstance(line, bytes)
    if isinstance(value, Unreadable):
        body = inside_fence(line) if side == "predicted" else None
        fenced = None if body is None else from_fence(read_side(file, body, number, side)[1])
        return found, fenced or Document(value)
    refused = refuse_duplicates(line, name) if file.rules.strict else None
    if refused:
        return found, Document(refused)
    opened = open_document(value, side, rich=may_be_rich(line))
    if file.drops_id and opened.content is value and type(value) is dict:
        value.pop(_id_key(value, file.layout) or "", None)
    return found, opened


def read_pair(file: LinesFile, line: Line, number: int) -> Pair | None:
    """Return the pair that a line holds, or None where the line is blank."""
    if is_blank_line(line):
        return None
    name = file.line_name(number)
    value = read_value(line, name, file.rules)
    found = line_id(value, line, number, file.layout)
    if isinstance(value, Unreadable):
        return Pair(found, value, value, False)
    if isinstance(value, OverLimit):
        return _pair(found, value.members, value.why, rich=True, refused={})
    assert isinstance(line, bytes)
    neither = Unreadable(f"{name} has none of the keys {', '.join(SIDE_KEYS['expected'] + SIDE_KEYS['predicted'])}")
    refused = _refused_sides(line, name) if file.rules.strict else {}
    return _pair(found, value, neither, rich=may_be_rich(line), refused=refused)


def _pair(found: str, value: Json, neither: Unreadable, *, rich: bool, refused: Mapping[str, Unreadable]) -> Pair:
    expected, predicted = (_member(value, side, rich, refused) for side in SIDES)
    if expected.content is MISSING and predicted.content is MISSING:
        return Pair(found, neither, neither, False)
    return make_pair(found, expected, predicted)


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
        return {"": unreadable(error)}
    refused: dict[str, Unreadable] = {}
    for path in paths:
        refused.setdefault(str(path[0]) if len(path) > 1 else "", twice(path, name))
    return refused


def read_span(file: LinesFile, span: Span, side: Side, seen: Seen | None = None) -> Iterator[LineDocument]:
    """Yield the document of every line."""
    return chain.from_iterable(_blocks_of(file, span, side, seen))


def read_lines(
    file: LinesFile, lines: tuple[list[Line], list[int]], side: Side, seen: Seen | None = None
) -> Iterator[LineDocument]:
    """Yield the document of every line, given with its number; an empty line gives MISSING."""
    if seen:
        seen(known(lines[0]))
    return _read_block(file, joined(lines[0]), zip(lines[1], lines[0], strict=True), side)


def _blocks_of(file: LinesFile, span: Span, side: Side, seen: Seen | None) -> Iterator[Iterator[LineDocument]]:
    number = span.number
    for block in file.blocks(span.start, span.end, seen):
        lines = split_lines(block)
        yield _read_block(file, block, enumerate(lines, number), side)
        number += len(lines)


def _read_block(file: LinesFile, block: Line, lines: Iterable[tuple[int, Line]], side: Side) -> Iterator[LineDocument]:
    id_key, wrapper = file.layout.id_key, file.layout.wrapper if file.layout.wrapper in WRAPPER_WORDS[side] else None
    if not file.is_quick(block):
        yield from (_read_with_care(file, line, number, side) for number, line in lines)
        return
    loads, bare = orjson.loads, WRAPPER_WORDS[side].isdisjoint
    for number, line in lines:
        try:
            value = loads(line)  # type: ignore[arg-type]  # a quick block has no other lines
            found = value[id_key]
            usual = type(found) is str and found and type(value) is dict
        except (ValueError, KeyError, TypeError):
            usual = False
        if usual and bare(value):
            if file.drops_id:
                del value[id_key]
            yield found, value, False, None, None, None
        elif usual and len(value) == 2 and type(inside := value.get(wrapper)) is dict and INNER not in inside:
            yield found, inside, False, None, None, None
        else:
            yield _read_with_care(file, line, number, side)


def _read_with_care(file: LinesFile, line: Line, number: int, side: Side) -> LineDocument:
    found, document = read_side(file, line, number, side)
    return found, *document
