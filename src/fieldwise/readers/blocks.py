"""Lines of a file in blocks of about a quarter of a megabyte, and what can be told of a whole block at once.

Looking at a block costs a fraction of looking at each of its lines, and most blocks have nothing special.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import BinaryIO

import numpy as np
import numpy.typing as npt

from fieldwise.errors import InputError
from fieldwise.readers.json_text import has_long_digits
from fieldwise.readers.source import Seen

_BLOCK = 1 << 18
_LUE = int.from_bytes(b'lue"', "little")


def read_blocks(path: str, start: int, end: int, seen: Seen | None = None) -> Iterator[bytes]:
    """Yield the bytes of a range that begins and ends with a line, in blocks of whole lines."""
    try:
        with open(path, "rb", buffering=1 << 16) as file:
            file.seek(start)
            left = end - start
            while left > 0:
                block = file.read(min(left, _BLOCK))
                if len(block) < left:
                    block += file.readline()
                if not block:
                    raise InputError(f"{path} became shorter while it was read")
                left -= len(block)
                if seen:
                    seen(block)
                yield block
    except OSError as error:
        raise InputError(f"Cannot read {path}: {error.strerror or error}") from error


def read_line(file: BinaryIO, size: int) -> bytes:
    """Return a line of so many bytes without its end; the file is where it begins."""
    line = file.read(size)
    if len(line) < size:
        raise InputError(f"{file.name} became shorter while it was read")
    return line.removesuffix(b"\n")


def split_lines(block: bytes) -> list[bytes]:
    """Return the lines of a block; the newline at its end begins no further line."""
    lines = block.split(b"\n")
    if not lines[-1]:
        lines.pop()
    return lines


def line_starts(block: bytes) -> npt.NDArray[np.int64]:
    """Return where in a block the lines begin."""
    ends = np.flatnonzero(np.frombuffer(block, np.uint8) == ord("\n"))
    starts = np.concatenate(([0], ends + 1))
    return starts[:-1] if starts[-1] == len(block) else starts


def may_be_rich(content: bytes) -> bool:
    """Tell whether there may be a rich value: a key ``_value``, or ``value`` beside ``confidence``.

    An escape could hide the name of a key.
    """
    named = b'value"' in content and (b"_value" in content or b"confidence" in content)
    return named or (b"\\" in content and b"\\u" in content)


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
