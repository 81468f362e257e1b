"""Values as text: scalars as Python writes them, objects and lists as sorted JSON.

Knows how typed Python values read (enums, bytes, huge integers), and up to how many characters letters are compared;
leaves normalisation to the comparators.
"""

from __future__ import annotations

import datetime as dt
import enum
import unicodedata
from collections import Counter
from collections.abc import Sequence
from decimal import Decimal
from math import isqrt
from uuid import UUID

import numpy as np
from numpy.typing import NDArray

from fieldwise.values import Json, int_text, is_scalar, scalar, text_of_object

_KNOWN = frozenset({str, int, float, bool, Decimal, dt.date, dt.datetime, dt.time, dt.timedelta, UUID})


def text_of(value: Json) -> str | None:
    """Return a scalar as text, None for an object or a list.

    >>> text_of("a"), text_of(1.0), text_of(True), text_of([1])
    ('a', '1.0', 'True', None)
    """
    kind = type(value)
    if kind is str:
        return str(value)
    if kind is int:
        return int_text(value)
    if kind is float or kind is bool:
        return str(value)
    return _typed_text(value)


def _typed_text(value: Json) -> str | None:
    value = bare(value)
    if type(value) is str:
        return value
    if not is_scalar(value):
        return None
    if isinstance(value, int) and not isinstance(value, bool):
        return int_text(int.__pos__(value))
    return text_of_object(value)


def bare(value: Json) -> Json:
    """Return what stands behind an enum member, and values of classes that we don't know as JSON.

    >>> bare(b"abc")
    'abc'
    """
    while isinstance(value, enum.Enum):
        value = value.value
    return value if type(value) in _KNOWN or not is_scalar(value) else scalar(value)


def folded(text: str) -> str:
    """Return text in lower case, without outer blanks, each inner run of blanks as one space.

    >>> folded("  New   York ")
    'new york'
    """
    return " ".join(text.lower().split())


class _PlainForms(dict[int, str | int]):
    """A translation table that learns, character by character, the plain form: ``-`` for every dash, ``１`` as ``1``.

    Raised and lowered digits, fractions and circled numbers stay: 10² is not 102.
    """

    def __missing__(self, code: int) -> str | int:
        char = chr(code)
        if unicodedata.decomposition(char).startswith(("<super>", "<sub>", "<fraction>", "<circle>")):
            self[code] = code
        else:
            plain = unicodedata.normalize("NFKC", char)
            self[code] = "-" if plain == "\N{MINUS SIGN}" or unicodedata.category(plain[0]) == "Pd" else plain
        return self[code]


PLAIN_FORMS = _PlainForms()
"""For ``str.translate``."""
_ONE_FORM = {ord(char): "'" for char in "‘’ʼ‛′"} | {ord(char): '"' for char in "“”„‟″«»"} | {ord("×"): "x"}


def plain_form(text: str) -> str:
    """Return text with the forms of dashes, quotes, widths and times made one, and letters composed."""
    if text.isascii():
        return text
    return unicodedata.normalize("NFC", text.translate(PLAIN_FORMS).translate(_ONE_FORM))


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
