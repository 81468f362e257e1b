"""The comparator that asks whether one text is inside the other, word by word."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import ClassVar

import numpy as np

from fieldwise.comparators.base import SCALARS, BaseComparator, Grid
from fieldwise.comparators.texts import PLAIN_FORMS, text_of
from fieldwise.comparators.work import CALL
from fieldwise.values import Json, same

_WORDS = re.compile(
    r"(?<!\w)-?\d+(?:[.,:/-]\d+)*(?!\w)"  # a number or a date with the marks between its digits
    r"|\w+"
    r"|[%‰$^+<=>|~]|[^\w\s\x00-\x7f]"  # a sign that says something, such as a currency
)
_SEARCHED = 50
"""Cells that searching one character takes."""
_MARKS = frozenset("«»„“”‘’‚‹›…·•¡¿†‡§¶。、「」『』")
"""Punctuation beyond ASCII, which is put aside as the other is."""


class ContainsComparator(BaseComparator):
    """Scores 1 where the words of one text follow each other in the other text, on whichever side, else 0.

    Words are compared as a whole, so ``10 mg`` is not inside ``110 mg`` nor ``1`` inside ``1.50``. Case, blanks and
    punctuation don't count; full-width characters and dashes are read as their plain forms.

    >>> ContainsComparator().compare("Acme", "ACME Corp."), ContainsComparator().compare("10 mg", "110 mg")
    (1.0, 0.0)
    """

    own_threshold: ClassVar[float] = 1.0
    binary: ClassVar[bool] = True
    takes: ClassVar[frozenset[str]] = SCALARS

    def _compare(self, expected: Json, predicted: Json) -> float:
        return _inside(_read(expected), _read(predicted), expected, predicted)

    def grid(self, expected: Sequence[Json], predicted: Sequence[Json]) -> Grid:
        """Score every pair; each text is read once."""
        rows, columns = [_read(v) for v in expected], [_read(v) for v in predicted]
        cells = [
            [_inside(row, column, e, p) for column, p in zip(columns, predicted, strict=True)]
            for row, e in zip(rows, expected, strict=True)
        ]
        return np.array(cells, dtype=np.float64).reshape(len(rows), len(columns))

    def cost(self, expected: Sequence[Json], predicted: Sequence[Json]) -> int:
        """Count that every text is searched for in every other, of which its characters are read once."""
        rows, columns = ([len(text_of(value) or "") for value in side] for side in (expected, predicted))
        return len(rows) * len(columns) * CALL // 4 + (sum(rows) * len(columns) + sum(columns) * len(rows)) * _SEARCHED


def _read(value: Json) -> str | None:
    """Return the words of a text between single spaces, none for a text without words, None for no scalar."""
    text = text_of(value)
    if text is None:
        return None
    words = [word for word in _WORDS.findall(text.translate(PLAIN_FORMS).casefold()) if word not in _MARKS]
    return f" {' '.join(words)} " if words else ""


def _inside(left: str | None, right: str | None, expected: Json, predicted: Json) -> float:
    if not left or not right:
        return float(left == right and same(expected, predicted))
    return float(left in right or right in left)
