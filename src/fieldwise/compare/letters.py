"""How alike texts are by their letters: counts of three characters in a row, far cheaper than counting edits.

All numbers are whole, so that they are the same on every machine.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from fieldwise.compare.nodes import Floats

_BITS = 10
_SIZE = 1 << _BITS
_SCALE = 1 << 10
_MAX_CHUNK = 1 << 22
"""Characters of a text that are read at a time."""
READ = 1_000
"""The work of reading one character, in character cells."""
COMPARED = 5_000
"""The work of comparing and pairing two texts."""


def letter_similarity(left: Sequence[str], right: Sequence[str]) -> Floats:
    """Return how alike every text is with every other, from 0 to about 1.

    >>> letter_similarity(["hex nut M4"], ["hex nut M5", "hex nut M4"]).round(2).tolist()
    [[0.73, 1.0]]
    """
    cells = np.array([_counts(text) for text in left]) @ np.array([_counts(text) for text in right]).T
    return np.asarray(cells, dtype=np.float64) / _SCALE**2


def signatures(texts: Sequence[str]) -> list[int]:
    """Return the least of the numbers that stand for the threes in each text; alike texts mostly share it."""
    if not texts:
        return []
    codes = _codes("".join([f"\n{text}\n\n" for text in texts]))
    starts = np.cumsum([0, *[len(text) + 3 for text in texts[:-1]]])
    mixed = _mixed(codes) * np.uint32(0x2C1B3C6D)
    found: list[int] = np.minimum.reduceat(mixed ^ mixed >> np.uint32(13), starts).tolist()
    return found


def _codes(text: str) -> NDArray[np.uint32]:
    return np.frombuffer(text.lower().encode("utf-32-le", "surrogatepass"), dtype=np.uint32)


def _mixed(codes: NDArray[np.uint32]) -> NDArray[np.uint32]:
    """Return a number for every three codes in a row."""
    mixed = codes[:-2] * np.uint32(0x9E3779B1) ^ codes[1:-1] * np.uint32(0x85EBCA6B)
    mixed ^= codes[2:] * np.uint32(0xC2B2AE35)
    mixed ^= mixed >> np.uint32(15)
    return mixed


def _counts(text: str) -> NDArray[np.float32]:
    """Return the roots of the shares of threes that fall into each of many places, as whole numbers.

    Products of two such vectors stay below 2^24, so that floats of 32 bits add them exactly in any order.
    """
    codes = _codes(f"\n{text}\n\n")
    found = np.zeros(_SIZE, dtype=np.int64)
    for start in range(0, len(codes) - 2, _MAX_CHUNK):
        mixed = _mixed(codes[start : start + _MAX_CHUNK + 2]) * np.uint32(0x2C1B3C6D)
        found += np.bincount(mixed >> np.uint32(32 - _BITS), minlength=_SIZE)
    return np.asarray(np.rint(np.sqrt(found / found.sum()) * _SCALE), dtype=np.float32)
