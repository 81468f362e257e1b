"""The documents of many lines of one side, quickly where nothing about the lines is unusual."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain
from typing import NamedTuple

import orjson

from fieldwise.readers.blocks import Line, joined, known, split_lines
from fieldwise.readers.envelopes import INNER, WRAPPER_WORDS, Side
from fieldwise.readers.lines import LinesFile, read_side
from fieldwise.readers.source import Missing, Seen, Unreadable
from fieldwise.values import Json

LineDocument = tuple[
    str, Json | Unreadable | Missing, bool, Mapping[str, Sequence[Json]] | None, Mapping[str, Json] | None
]
"""The id of a line, then the members of its ``Document``; MISSING where the line is blank."""


class Span(NamedTuple):
    """Lines that follow each other: from where to where, and the number of the first."""

    start: int
    end: int
    number: int


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
            yield found, value, False, None, None
        elif usual and len(value) == 2 and type(inside := value.get(wrapper)) is dict and INNER not in inside:
            yield found, inside, False, None, None
        else:
            yield _read_with_care(file, line, number, side)


def _read_with_care(file: LinesFile, line: Line, number: int, side: Side) -> LineDocument:
    found, document = read_side(file, line, number, side)
    return found, *document
