"""How a value is read by the kind that its field declares: as it is, coerced without loss, or not at all."""

from __future__ import annotations

import datetime as dt
import enum
import re
from collections.abc import Callable
from decimal import Decimal
from typing import Final
from uuid import UUID

from pydantic import BaseModel

from fieldwise.spec.nodes import Kind
from fieldwise.values import Json, is_list, is_object, is_scalar, json_text, plain

WRONG: Final = object()
"""Stands for a value of another kind than its field's; equality with the other side then decides."""

Reader = Callable[[Json], Json]

_JSON_NUMBER = re.compile(r"\s*-?(0|[1-9]\d{0,300})(\.\d{1,300})?([eE][+-]?\d{1,3})?\s*")
_EXACT_FLOAT = 2**53


def reader(kind: Kind, *, reads_text: bool) -> Reader:
    """Return the function that reads values of a kind.

    ``reads_text``: the field's comparator understands numbers in text, such as "$5.00".
    """
    match kind:
        case "string" | "text_format":
            return read_text
        case "date" | "datetime":
            return read_date
        case "number" | "decimal":
            return _read_number_or_text if reads_text else _read_float
        case "integer":
            return _read_number_or_text if reads_text else _read_integer
        case "boolean":
            return _read_boolean
        case "free":
            return _read_object
        case "box":
            return _read_list
        case "choice" | "any":
            return _read_any


_UNDERSTOOD: Final = frozenset(
    {
        *(str, int, float, bool, type(None), dict, list, tuple, set, frozenset, bytes, bytearray),
        *(Decimal, dt.date, dt.datetime, dt.time, dt.timedelta, UUID),
    }
)
"""Types of values that every comparator of ours can be given."""


def understood(value: Json) -> Json:
    """Return a value of any other class as the JSON that it stands for."""
    kind = type(value)
    return value if kind in _UNDERSTOOD or issubclass(kind, (enum.Enum, BaseModel)) else plain(value)


def only_understood(read: Reader) -> Reader:
    """Return a reader that reads values of any other class as the JSON that they stand for."""
    return lambda value: read(understood(value))


def only_numbers(read: Reader, holds_number: Callable[[str], bool]) -> Reader:
    """Return a reader for which text without a number in it is of the wrong kind."""

    def reads(value: Json) -> Json:
        value = read(value)
        return WRONG if type(value) is str and not holds_number(value) else value

    return reads


def native_types(kind: Kind, *, reads_text: bool) -> frozenset[type]:
    """Return the types that a kind's reader gives back as they are, so that reading can be left out."""
    match kind:
        case "string" | "text_format" | "date" | "datetime":
            return frozenset({str})
        case "number" | "decimal":
            return frozenset({float, int}) if reads_text else frozenset({float})
        case "integer":
            return frozenset({int, float}) if reads_text else frozenset({int})
        case "boolean":
            return frozenset({bool})
        case "free":
            return frozenset({dict})
        case "box":
            return frozenset({list})
        case "choice" | "any":
            return frozenset({str, int, float, bool, dict, list})


def read_text(value: Json) -> Json:
    """Read a scalar as its JSON text."""
    if type(value) is str:
        return value
    return json_text(value) if is_scalar(value) else WRONG


def read_date(value: Json) -> Json:
    """Read text and numbers as text; leave date objects as they are; booleans are no dates."""
    if type(value) is str:
        return value
    if type(value) is bool or not is_scalar(value):
        return WRONG
    return json_text(value) if isinstance(value, (int, float)) else value


def _unwrapped(value: Json) -> Json:
    return value.value if isinstance(value, enum.Enum) else value


def _read_number_or_text(value: Json) -> Json:
    value = _unwrapped(value)
    return WRONG if type(value) is bool or not is_scalar(value) else value


def _read_float(value: Json) -> Json:
    value = _number(value)
    if type(value) is int and abs(value) < _EXACT_FLOAT:
        return float(value)
    return value


def _read_integer(value: Json) -> Json:
    value = _number(value)
    if type(value) is float and value.is_integer():
        return int(value)
    return value


def _number(value: Json) -> Json:
    value = _unwrapped(value)
    if type(value) is str:
        return _number_in_text(value)
    if type(value) in (int, float):
        return value
    if type(value) is bool or not is_scalar(value):
        return WRONG
    value = plain(value)
    return _number_in_text(value) if type(value) is str else value


def _number_in_text(text: str) -> Json:
    if not _JSON_NUMBER.fullmatch(text):
        return WRONG
    return float(text) if any(c in text for c in ".eE") else int(text)


def _read_boolean(value: Json) -> Json:
    return value if type(value) is bool else WRONG


def read_truth(value: Json) -> Json:
    """Read a boolean, also one that is written as text: true or false in any case."""
    if type(value) is str:
        return _TRUTHS.get(value.strip().casefold(), WRONG)
    return _read_boolean(value)


_TRUTHS: Final = {"true": True, "false": False}


def _read_object(value: Json) -> Json:
    return value if is_object(value) else WRONG


def _read_list(value: Json) -> Json:
    return plain(value) if is_list(value) else WRONG


def _read_any(value: Json) -> Json:
    return value
