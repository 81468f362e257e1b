"""Brackets of JSON outside its strings, found without parsing: how deep it is, and where its outermost parts end.

One pass over the bytes in blocks, in flat memory, whatever they hold.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

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
