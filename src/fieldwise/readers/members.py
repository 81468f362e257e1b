"""Lines over a limit, read member by member: the prediction of a pair may be too large or too deep, its truth not."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from itertools import islice
from typing import Final, NamedTuple

from fieldwise.errors import InputError
from fieldwise.readers.blocks import Line, LongLine
from fieldwise.readers.brackets import cut, outer_marks
from fieldwise.readers.duplicate_keys import refuse_duplicates, twice
from fieldwise.readers.envelopes import INNER, WORDS
from fieldwise.readers.files import too_large
from fieldwise.readers.json_text import parse_json, quick_value
from fieldwise.readers.source import ReadRules, Unreadable, unreadable
from fieldwise.values import Json

_BLOCK: Final = 1 << 20
_HEAD: Final = 1 << 12
_MAX_MEMBERS: Final = 1000
"""An object with more is no envelope around documents."""
_PARTS: Final = 3
"""So many documents may be read of a line: both sides, and what is beside them."""
_KEY: Final = re.compile(rb'\s*("(?:[^"\\]|\\.)*")\s*:\s*')


class OverLimit(NamedTuple):
    """A line that is over a limit: why, and its members, of which each is read or Unreadable for itself."""

    why: Unreadable
    members: dict[str, Json]


def read_members(line: Line, name: str, why: Unreadable, rules: ReadRules) -> OverLimit:
    """Read those members of an object that belong to an envelope, as far as each is within the limits."""
    members: dict[str, Json] = {}
    left = _PARTS * rules.limits.max_bytes
    for start, end in _spans(line):
        found = _KEY.match(_range(line, start, min(end, start + _HEAD)))
        key = None if found is None else quick_value(found[1])
        if found is None or key is None:
            return OverLimit(why, {})
        if rules.strict and key in members:
            why = twice((key,), name)
            return OverLimit(why, dict.fromkeys(members, why))
        start += found.end()
        members[key] = why
        if key in WORDS or key == INNER:
            members[key] = _member(line, (start, end), f"{key!r} in {name}", left, rules)
            left -= 0 if isinstance(members[key], Unreadable) else end - start
    return OverLimit(why, members)


def _member(line: Line, span: tuple[int, int], name: str, left: int, rules: ReadRules) -> Json | Unreadable:
    size, limits = span[1] - span[0], rules.limits
    if size > min(limits.max_bytes, left):
        return Unreadable(too_large(name, limits.max_bytes, size), "max_bytes")
    content = _range(line, *span)
    try:
        value = parse_json(content, name, limits.max_depth)
    except InputError as error:
        return unreadable(error)
    return (refuse_duplicates(content, name) if rules.strict else None) or value


def _spans(line: Line) -> list[tuple[int, int]]:
    return _spans_in_file(line) if isinstance(line, LongLine) else _find_spans(line)


@lru_cache(maxsize=256)
def _spans_in_file(line: LongLine) -> list[tuple[int, int]]:
    """Look once, however often a line that takes seconds is asked for."""
    return _find_spans(line)


def _find_spans(line: Line) -> list[tuple[int, int]]:
    """Return from where to where the members of an object reach; none of what is no object."""
    head = line.head if isinstance(line, LongLine) else line[:_HEAD]
    if head.lstrip()[:1] != b"{":
        return []
    spans, begin = list[tuple[int, int]](), -1
    for place, byte, depth in islice(outer_marks(_blocks(line)), 2 * _MAX_MEMBERS):
        if begin >= 0 and (byte in b"," or depth < 1):
            spans.append((begin, place))
        if depth < 1:
            return spans if _ends_at(line, place + 1) else []
        if begin < 0 or byte in b",":
            begin = place + 1
    return []


def _ends_at(line: Line, place: int) -> bool:
    size = line.size if isinstance(line, LongLine) else len(line)
    return size - place < _HEAD and not _range(line, place, size).strip()


def _blocks(line: Line) -> Iterator[bytes]:
    if isinstance(line, bytes):
        return cut(line)
    return (_range(line, at, min(at + _BLOCK, line.size)) for at in range(0, line.size, _BLOCK))


def _range(line: Line, start: int, end: int) -> bytes:
    if isinstance(line, bytes):
        return line[start:end]
    with open(line.path, "rb") as file:
        file.seek(line.start + start)
        return file.read(end - start)
