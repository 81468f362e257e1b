"""Lines of a file as bytes, in blocks of about a quarter of a megabyte, and what can be told of a whole block at once.

Looking at a block costs a fraction of looking at each of its lines, and most blocks have nothing special. A line over
a limit is read member by member: the prediction of a pair may be too large or too deep, its truth not.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import islice
from typing import BinaryIO, Final, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from fieldwise.errors import InputError, cannot_read
from fieldwise.readers.envelopes import INNER, WORDS, may_be_rich
from fieldwise.readers.files import too_large
from fieldwise.readers.json_text import (
    cut,
    has_long_digits,
    outer_marks,
    parse_json,
    quick_value,
    refuse_duplicates,
    twice,
)
from fieldwise.readers.source import ReadRules, Unreadable, unreadable
from fieldwise.values import Json

_BLOCK: Final = 1 << 18
_HEAD: Final = 1 << 16
_STEP: Final = 1 << 20
_LUE: Final = int.from_bytes(b'lue"', "little")
_GLANCE: Final = 1 << 12
"""So many bytes show the key of a member, or that nothing but blanks follows an object."""
_MAX_MEMBERS: Final = 1000
"""An object with more is no envelope around documents."""
_PARTS: Final = 3
"""So many documents may be read of a line: both sides, and what is beside them."""
_KEY: Final = re.compile(rb'\s*("(?:[^"\\]|\\.)*")\s*:\s*')


class LongLine(NamedTuple):
    """A line that is not read, as it is longer than lines may be: where it is, how long, and how it begins."""

    path: str
    start: int
    size: int
    head: bytes
    time: int
    """When its file was changed."""


Line: TypeAlias = bytes | LongLine


def read_blocks(path: str, start: int, end: int, max_line: int) -> Iterator[Line]:
    """Yield the bytes of a range that begins and ends with a line, in blocks of whole lines.

    A line that fits into no block and is longer than ``max_line`` comes by itself and is not read.
    """
    try:
        with open(path, "rb", buffering=1 << 16) as file:
            file.seek(start)
            state = os.fstat(file.fileno())
            while start < end:
                block = file.read(min(end - start, _BLOCK))
                if len(block) < end - start:
                    block += file.readline(max_line + 1)
                if not block:
                    raise InputError(
                        f"{path} became shorter while it was read", code="input.changed", facts={"file": path}
                    )
                start += len(block)
                if start >= end or block.endswith(b"\n"):
                    yield block
                    continue
                begin = block.rfind(b"\n") + 1
                if begin:
                    yield block[:begin]
                line = start - len(block) + begin
                start = _next_line(path, start, state.st_size, state.st_mtime_ns)
                file.seek(start)
                yield LongLine(path, line, start - line, block[begin : begin + _HEAD], state.st_mtime_ns)
    except OSError as error:
        raise cannot_read(path, error) from error


@lru_cache(maxsize=1024)
def _next_line(path: str, start: int, size: int, time: int) -> int:
    """Return where the next line begins, which is looked for once in a file of this size and time."""
    with open(path, "rb") as file:
        file.seek(start)
        while part := file.readline(_STEP):
            start += len(part)
            if part.endswith(b"\n"):
                break
    return start


def read_line(file: BinaryIO, start: int, size: int, max_line: int) -> Line:
    """Return the line where a file is, without its end; one that is too long is passed over."""
    is_long = size > max_line + len(b"\n")
    wanted = min(size, _HEAD) if is_long else size
    line = file.read(wanted)
    if len(line) < wanted:
        raise InputError(
            f"{file.name} became shorter while it was read", code="input.changed", facts={"file": file.name}
        )
    if not is_long:
        return line.removesuffix(b"\n")
    file.seek(start + size)
    return LongLine(file.name, start, size, line, os.fstat(file.fileno()).st_mtime_ns)


def joined(lines: Sequence[Line]) -> Line:
    """Return lines as one block; the first that is not read where there is one."""
    held = [line for line in lines if isinstance(line, bytes)]
    return b"\n".join(held) if len(held) == len(lines) else next(line for line in lines if isinstance(line, LongLine))


def split_lines(block: Line) -> Sequence[Line]:
    """Return the lines of a block; the newline at its end begins no further line."""
    if isinstance(block, LongLine):
        return [block]
    lines = block.split(b"\n")
    if not lines[-1]:
        lines.pop()
    return lines


def line_starts(block: bytes) -> npt.NDArray[np.int64]:
    """Return where in a block the lines begin."""
    ends = np.flatnonzero(np.frombuffer(block, np.uint8) == ord("\n"))
    starts = np.concatenate(([0], ends + 1))
    return starts[:-1] if starts[-1] == len(block) else starts


def is_plain(block: bytes) -> bool:
    """Tell whether no line of a block needs more than the quick reader and a look at its own keys.

    False where there may be a long run of digits, a rich value or an escaped key.
    """
    if b"\\" in block and b"\\u" in block:
        return False
    if _has_long_digits(block):
        return False
    return not (_may_have_value_key(block) and may_be_rich(block))


def _has_long_digits(block: bytes) -> bool:
    """Look closer only where four neighbouring multiples of four are digits."""
    digit = (np.frombuffer(block, np.uint8)[::4] - np.uint8(ord("0"))) < 10
    places = np.flatnonzero(digit[:-3] & digit[1:-2] & digit[2:-1] & digit[3:]) * 4
    if len(places) > len(block) // 500:
        return has_long_digits(block)
    return any(has_long_digits(block[max(at - 19, 0) : at + 32]) for at in places.tolist())


def _may_have_value_key(block: bytes) -> bool:
    """Look for ``lue"`` at each of the four alignments, four bytes in one step."""
    for shift in range(4):
        words = np.frombuffer(block, "<u4", max(len(block) - shift, 0) // 4, shift if len(block) > shift else 0)
        if (words == _LUE).any():
            return True
    return False


class OverLimit(NamedTuple):
    """A line that is over a limit: why, and its members, of which each is read or Unreadable for itself."""

    why: Unreadable
    members: dict[str, Json]


def read_members(line: Line, name: str, why: Unreadable, rules: ReadRules) -> OverLimit:
    """Read those members of an object that belong to an envelope, as far as each is within the limits."""
    members: dict[str, Json] = {}
    left = _PARTS * rules.limits.max_bytes
    for start, end in _spans(line):
        found = _KEY.match(_range(line, start, min(end, start + _GLANCE)))
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
    head = line.head if isinstance(line, LongLine) else line[:_GLANCE]
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
    return size - place < _GLANCE and not _range(line, place, size).strip()


def _blocks(line: Line) -> Iterator[bytes]:
    if isinstance(line, bytes):
        return cut(line)
    return (_range(line, at, min(at + _STEP, line.size)) for at in range(0, line.size, _STEP))


def _range(line: Line, start: int, end: int) -> bytes:
    if isinstance(line, bytes):
        return line[start:end]
    with open(line.path, "rb") as file:
        file.seek(line.start + start)
        return file.read(end - start)
