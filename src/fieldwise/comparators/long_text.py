"""Long texts: up to how many characters letters are compared, and what is compared beyond."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from math import isqrt

import numpy as np
from numpy.typing import NDArray

from fieldwise.values import Json

MAX_LETTERS = 20_000
"""Characters of a text up to which its letters are compared; beyond, its words are."""
LONG_TEXT_NOTE = "text too long, compared by its words"

_WORD = 64
"""Characters that are compared in one step."""


def words_in_common(left: str, right: str) -> float:
    """Return the words that both texts have / the words of the longer text; the order of words does not count.

    Below 1 for texts that are not equal.

    >>> words_in_common("a rose is a rose", "a rose is a flower"), words_in_common("a b c d", "d c b a")
    (0.8, 0.75)
    """
    return 1.0 if left == right else _in_common(Counter(left.split()), Counter(right.split()))


def words_grid(rows: Sequence[str], columns: Sequence[str]) -> NDArray[np.float64]:
    """Return the words that every text has in common with every other; each text is read once."""
    out = np.zeros((len(rows), len(columns)))
    others = [Counter(column.split()) for column in columns]
    for i, row in enumerate(rows):
        words = Counter(row.split())
        out[i] = [
            1.0 if row == column else _in_common(words, other) for column, other in zip(columns, others, strict=True)
        ]
    return out


def _in_common(left: Counter[str], right: Counter[str]) -> float:
    longer = max(left.total(), right.total(), 1)
    return min((left & right).total(), longer - 1) / longer


def width(text: str) -> int:
    """Return how many rows or columns of a grid a text counts for: what comparing it takes.

    >>> width("a short text"), width("a" * 6400)
    (1, 101)
    """
    length = len(text)
    return 1 + length // _WORD if length <= MAX_LETTERS else isqrt(length) // 4


def widths(values: Sequence[Json]) -> int:
    """Return how many rows or columns values count for; what is no text counts for one, and so do short texts.

    >>> widths(["a short text", 5, "a" * 6400])
    103
    """
    return len(values) + sum([width(v) - 1 for v in values if type(v) is str and len(v) >= _WORD])
