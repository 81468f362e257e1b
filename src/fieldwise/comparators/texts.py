"""Values as text: scalars as Python writes them, objects and lists as sorted JSON.

Knows how typed Python values read (enums, bytes, huge integers); leaves normalisation to the comparators.
"""

from __future__ import annotations

import enum
import json
import unicodedata
from decimal import Decimal

from fieldwise.values import Json, is_scalar, plain

_STR_LIMIT = 10_000
"""Bits of an integer up to which str() is always allowed by the interpreter."""

LONGEST_INT = 1_000_000
"""Bits of an integer beyond which decimal digits take seconds; it is then written in hexadecimal."""


def text_of(value: Json) -> str | None:
    """Return a scalar as text, None for an object or a list.

    >>> text_of("a"), text_of(1.0), text_of(True), text_of([1])
    ('a', '1.0', 'True', None)
    """
    kind = type(value)
    if kind is str:
        return str(value)
    if kind is int:
        return _digits(value)
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
        return _digits(int(value))
    return str(value)


def bare(value: Json) -> Json:
    """Return what stands behind an enum member, and bytes as text.

    >>> bare(b"abc")
    'abc'
    """
    while isinstance(value, enum.Enum):
        value = value.value
    return plain(value) if isinstance(value, (bytes, bytearray)) else value


def _digits(value: int) -> str:
    if value.bit_length() < _STR_LIMIT:
        return str(value)
    if value.bit_length() > LONGEST_INT:
        return hex(value)
    return str(Decimal(value))  # str() of an int is limited by the interpreter, that of a Decimal is not


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


def written(value: Json) -> str:
    """Return any value as JSON text with sorted keys; 1 and 1.0 differ, nulls stay.

    >>> written({"b": 1.0, "a": [None]})
    '{"a":[null],"b":1.0}'
    """
    out: list[str] = []
    todo: list[tuple[bool, Json]] = [(False, plain(value))]
    while todo:
        is_text, item = todo.pop()
        if is_text:
            out.append(item)
        elif type(item) is dict:
            todo.extend(_object_steps(item))
        elif type(item) is list:
            todo.extend(_list_steps(item))
        else:
            out.append(_number_text(item) if type(item) is int else json.dumps(item))
    return "".join(out)


def _number_text(value: int) -> str:
    return _digits(value) if value.bit_length() <= LONGEST_INT else json.dumps(_digits(value))


def _object_steps(item: dict[str, Json]) -> list[tuple[bool, Json]]:
    steps: list[tuple[bool, Json]] = [(True, "{")]
    for at, key in enumerate(sorted(item)):
        steps += [(True, f"{',' if at else ''}{json.dumps(key)}:"), (False, item[key])]
    return [(True, "}"), *reversed(steps)]


def _list_steps(item: list[Json]) -> list[tuple[bool, Json]]:
    steps: list[tuple[bool, Json]] = [(True, "[")]
    for at, part in enumerate(item):
        steps += [(True, ",")] if at else []
        steps.append((False, part))
    return [(True, "]"), *reversed(steps)]
