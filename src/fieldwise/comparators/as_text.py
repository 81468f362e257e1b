"""Values as text: scalars as Python writes them, objects and lists as sorted JSON.

Knows how typed Python values read (enums, bytes, huge integers); leaves normalisation to the comparators.
"""

from __future__ import annotations

import datetime as dt
import enum
import unicodedata
from decimal import Decimal
from uuid import UUID

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
