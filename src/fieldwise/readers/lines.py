"""Files of lines: the id of a line, and the document or the pair that it holds.

The id of a line is what its envelope says; in a broken line, what can still be seen of it; else its number. Many
lines are read quickly where nothing about them is unusual.
"""

from __future__ import annotations

import codecs
import os
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain, filterfalse, islice
from typing import NamedTuple

import orjson

from fieldwise.errors import InputError, LimitError, cannot_read, quoted
from fieldwise.readers.about import About
from fieldwise.readers.blocks import (
    Line,
    LongLine,
    OverLimit,
    is_plain,
    joined,
    read_blocks,
    read_members,
    split_lines,
)
from fieldwise.readers.envelopes import (
    ID_KEYS,
    INNER,
    SIDE_KEYS,
    SIDES,
    Document,
    Opening,
    Side,
    from_fence,
    id_text,
    inside_fence,
    make_pair,
    may_be_rich,
    one_form,
    open_document,
)
from fieldwise.readers.files import convert_advice, too_large, wide_encoding
from fieldwise.readers.json_text import (
    QUICK_BYTES,
    QUICK_LEVELS,
    duplicate_keys,
    has_long_digits,
    parse_json,
    quick_value,
    refuse_duplicates,
    twice,
)
from fieldwise.readers.sides import FIRST, Look, commonest, decide, look_at_values
from fieldwise.readers.source import MISSING, Missing, Nameless, Pair, ReadRules, Unreadable, unreadable
from fieldwise.results.notes import Note
from fieldwise.values import Json

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
    """How the lines of a file are written, decided by the first of them.

    ``opener`` is what lines begin with where the id is their first member, and ``closer`` ends the id.
    Without an ``id_key`` the number of a line is its id. ``openings`` lead to the documents of both sides.
    """

    id_key: str | None = None
    opener: bytes = b""
    closer: bytes = b""
    openings: tuple[Opening, Opening] = ((), ())


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
    side: Side | None = None
    """Which side its documents are of; None where lines hold both."""
    drops_id: bool = False
    """Whether an id among the values of a document is left out."""

    def line_name(self, number: int) -> str:
        """Name a line in messages."""
        return f"{self.noun} {number} of {self.name}"

    def blocks(self, start: int | None = None, end: int | None = None) -> Iterator[Line]:
        """Yield the lines of a range, or all of them, in blocks."""
        start, end = self.start if start is None else start, self.end if end is None else end
        return read_blocks(self.path, start, end, self.rules.limits.max_bytes)

    def is_quick(self, block: Line) -> bool:
        """Tell whether the lines of a block with ids need no more than the quick reader and a look at their keys."""
        rules = self.rules
        if rules.strict or self.layout.id_key is None or rules.limits.max_depth < QUICK_LEVELS:
            return False
        return isinstance(block, bytes) and len(block) <= min(rules.limits.max_bytes, QUICK_BYTES) and is_plain(block)


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
    return LinesFile(path, name, start, end, Layout(), rules, noun)


def is_blank(file: LinesFile) -> bool:
    """Tell whether a file has no line that is not blank."""
    return all(map(is_blank_line, file.blocks()))


def is_blank_line(line: Line) -> bool:
    """Tell whether a line has nothing to read."""
    return isinstance(line, bytes) and (not line or line.isspace())


def _first_lines(file: LinesFile) -> Iterator[Line]:
    lines = chain.from_iterable(map(split_lines, file.blocks()))
    return islice(filterfalse(is_blank_line, lines), FIRST)


def _first_values(file: LinesFile) -> Iterator[Json]:
    """Yield what those of the first lines hold that can be read."""
    for line in _first_lines(file):
        value = read_value(line, file.name, file.rules)
        if not isinstance(value, Unreadable):
            yield value.members if isinstance(value, OverLimit) else value


def look_at_lines(file: LinesFile) -> Look:
    """Look at the first lines of one side."""
    return look_at_values(_first_values(file))


def with_ids(file: LinesFile, key: str | None) -> LinesFile:
    """Return a file whose lines have their ids under a key, or are known by their numbers."""
    if key is None:
        return replace(file, layout=file.layout._replace(id_key=None, opener=b""))
    opening = re.compile(rb'\s*\{\s*%b\s*:\s*("?)' % re.escape(orjson.dumps(key)))
    opener = next((found[0] for found in map(opening.match, map(_head, _first_lines(file))) if found), b"")
    closer = b'"' if opener.endswith(b'"') else b","
    return replace(file, layout=file.layout._replace(id_key=key, opener=opener, closer=closer))


def with_pairs(file: LinesFile) -> tuple[LinesFile, tuple[Note, ...]]:
    """Return a file of which each line holds both sides of a pair, and what people should know of how they are read."""
    whole, held = Look(()), Counter[str]()
    looks = {key: Look((INNER,)) for side in SIDES for key in SIDE_KEYS[side]}
    for value in _first_values(file):
        whole.add(value)
        for key in looks.keys() & value.keys() if type(value) is dict else ():
            held[key] += 1
            looks[key].add(value[key])
    keys = [commonest(held, SIDE_KEYS[side]) or side for side in SIDES]
    decided = decide((looks[key] for key in keys), (INNER,))
    openings = ((keys[0], *decided.expected), (keys[1], *decided.predicted)) if held else ((), ())
    file = replace(file, layout=Layout(openings=openings))
    return with_ids(file, commonest(whole.ids, ID_KEYS)), decided.notes


def _head(line: Line) -> bytes:
    return line if isinstance(line, bytes) else line.head


def number_id(number: int) -> str:
    """Return the id of a line that has none of its own.

    >>> number_id(123)
    'line-000123'
    """
    return f"line-{number:06d}"


def line_id(value: Json | Unreadable | OverLimit, line: Line, number: int, file: LinesFile) -> str:
    """Return the id of a line that holds the value; where others have one and it has none, one that no other has."""
    found = _own_id(value, line, number, file.layout)
    return found or f"{number_id(number)}{' (predicted)' if file.side == 'predicted' else ''}"


def _own_id(value: Json | Unreadable | OverLimit, line: Line, number: int, layout: Layout) -> str | None:
    if layout.id_key is None:
        return number_id(number)
    held = value.members if isinstance(value, OverLimit) else value
    found = id_text(held.get(layout.id_key)) if type(held) is dict else None
    return _visible_id(_head(line), layout) if found is None and isinstance(value, Unreadable | OverLimit) else found


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
        return one_form(found.decode())
    except UnicodeDecodeError:
        return None


def read_value(line: Line, name: str, rules: ReadRules) -> Json | Unreadable | OverLimit:
    """Parse a line as exactly as its digits need."""
    limits = rules.limits
    size = len(line) if isinstance(line, bytes) else line.size
    if isinstance(line, LongLine) or size > limits.max_bytes:
        return read_members(line, name, Unreadable(too_large(name, limits.max_bytes, size), "max_bytes"), rules)
    try:
        if limits.max_depth >= QUICK_LEVELS and size <= QUICK_BYTES and not has_long_digits(line):
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
    found, is_named = line_id(value, line, number, file), _own_id(value, line, number, file.layout) is not None
    document = _document(file, value, line, number, side)
    if is_named:
        return found, document
    why = document.content.reason if isinstance(document.content, Unreadable) else ""
    return found, Document(Nameless(why or f"{name} has no {quoted(str(file.layout.id_key))}, which others have"))


def _document(file: LinesFile, value: Json | Unreadable | OverLimit, line: Line, number: int, side: Side) -> Document:
    name, opening = file.line_name(number), file.layout.openings[SIDES.index(side)]
    if isinstance(value, OverLimit):
        opened = open_document(value.members, opening, side, rich=True)
        return Document(value.why) if opened.content is value.members else opened
    assert isinstance(line, bytes)
    if isinstance(value, Unreadable):
        body = inside_fence(line) if side == "predicted" else None
        inner = None if body is None else read_value(body, name, file.rules)
        fenced = None if body is None else from_fence(_document(file, inner, body, number, side))
        return fenced or Document(value)
    refused = refuse_duplicates(line, name) if file.rules.strict else None
    if refused:
        return Document(refused)
    opened = open_document(value, opening, side, rich=may_be_rich(line))
    if file.drops_id and opened.content is value and type(value) is dict:
        value.pop(file.layout.id_key, None)
    return opened


def read_pair(file: LinesFile, line: Line, number: int) -> Pair | None:
    """Return the pair that a line holds, or None where the line is blank."""
    if is_blank_line(line):
        return None
    name = file.line_name(number)
    value = read_value(line, name, file.rules)
    found, openings = line_id(value, line, number, file), file.layout.openings
    if isinstance(value, Unreadable):
        return Pair(found, value, value, False)
    if isinstance(value, OverLimit):
        return _pair(found, value.members, value.why, openings, rich=True, refused={})
    assert isinstance(line, bytes)
    neither = Unreadable(f"{name} has neither {' nor '.join(opening[0] for opening in openings if opening)}")
    refused = _refused_sides(line, name) if file.rules.strict else {}
    return _pair(found, value, neither, openings, rich=may_be_rich(line), refused=refused)


def _pair(
    found: str,
    value: Json,
    neither: Unreadable,
    openings: tuple[Opening, Opening],
    *,
    rich: bool,
    refused: Mapping[str, Unreadable],
) -> Pair:
    expected, predicted = (
        _member(value, opening, side, rich, refused) for opening, side in zip(openings, SIDES, strict=True)
    )
    if expected.content is MISSING and predicted.content is MISSING:
        return Pair(found, neither, neither, False)
    return make_pair(found, expected, predicted)


def _member(value: Json, opening: Opening, side: Side, rich: bool, refused: Mapping[str, Unreadable]) -> Document:
    if not opening or type(value) is not dict or opening[0] not in value:
        return Document(MISSING)
    why = refused.get(opening[0]) or refused.get("")
    return Document(why) if why else open_document(value, opening, side, rich=rich)


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


def read_span(file: LinesFile, span: Span, side: Side) -> Iterator[LineDocument]:
    """Yield the document of every line."""
    return chain.from_iterable(_blocks_of(file, span, side))


def read_lines(file: LinesFile, lines: tuple[list[Line], list[int]], side: Side) -> Iterator[LineDocument]:
    """Yield the document of every line, given with its number; an empty line gives MISSING."""
    return _read_block(file, joined(lines[0]), zip(lines[1], lines[0], strict=True), side)


def _blocks_of(file: LinesFile, span: Span, side: Side) -> Iterator[Iterator[LineDocument]]:
    number = span.number
    for block in file.blocks(span.start, span.end):
        lines = split_lines(block)
        yield _read_block(file, block, enumerate(lines, number), side)
        number += len(lines)


def _read_block(file: LinesFile, block: Line, lines: Iterable[tuple[int, Line]], side: Side) -> Iterator[LineDocument]:
    id_key, opening = file.layout.id_key, file.layout.openings[SIDES.index(side)]
    if not file.is_quick(block) or len(opening) > 1:
        yield from (_read_with_care(file, line, number, side) for number, line in lines)
        return
    loads, wrapper = orjson.loads, opening[0] if opening else None
    for number, line in lines:
        try:
            value = loads(line)  # type: ignore[arg-type]  # a quick block has no other lines
            found = value[id_key]
            usual = type(found) is str and found and type(value) is dict
        except (ValueError, KeyError, TypeError):
            usual = False
        if usual and not found.isascii():
            found = one_form(found)
        if usual and wrapper is None:
            if file.drops_id:
                del value[id_key]
            yield found, value, False, None, None, None
        elif usual and len(value) == 2 and type(inside := value.get(wrapper)) is dict:
            yield found, inside, False, None, None, None
        else:
            yield _read_with_care(file, line, number, side)


def _read_with_care(file: LinesFile, line: Line, number: int, side: Side) -> LineDocument:
    found, document = read_side(file, line, number, side)
    return found, *document
