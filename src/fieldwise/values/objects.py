"""Python objects as JSON: what is a container and what it holds, and what a single value is.

A value may be of anybody's class. What its methods raise is never passed on: such a value is known by its text, or by
what Python calls it.
"""

from __future__ import annotations

import base64
import datetime as dt
import enum
import sys
from collections import UserString
from collections.abc import Callable, Iterable, Iterator, Mapping, MappingView, Sequence, Set, Sized
from dataclasses import fields, is_dataclass
from decimal import Decimal
from fractions import Fraction
from itertools import islice
from typing import Any, Final, TypeAlias

import numpy as np
from numpy.typing import NDArray
from pydantic import BaseModel
from pydantic.fields import FieldInfo

from fieldwise.bulk_aggregator import Json as Json

Parts: TypeAlias = dict[str, Json] | list[Json]
"""What a container holds."""

JSON_SCALARS: Final[frozenset[type]] = frozenset({str, int, float, bool, type(None)})
MAX_PARTS: Final = 10_000_000
"""An object that stands for a list or a mapping of more is taken for a single value."""
_TEXT = frozenset({str})
_MAX_INT = int(sys.float_info.max)
"""An integer beyond it, either way, is too large for a float."""
_MAX_STR_BITS = 10_000
"""Bits of an integer up to which str() is always allowed by the interpreter."""
MAX_INT_BITS = 1_000_000
"""Bits of an integer beyond which decimal digits take seconds; it is then written in hexadecimal."""


_FORMS: dict[type, type | None] = {
    **dict.fromkeys(JSON_SCALARS, None),
    **dict.fromkeys((list, tuple, set, frozenset), list),
    dict: dict,
}


def form_of(value: Json) -> type | None:
    """Return dict or list, whichever a container stands for; None for a single value."""
    kind = type(value)
    if kind in _FORMS:
        return _FORMS[kind]
    if issubclass(kind, BaseModel):
        _FORMS[kind] = dict
        return dict
    parts = opened(value)
    return None if parts is None else type(parts)


def opened(value: Json) -> Parts | None:
    """Return what a container holds, as a dict or a list; None for a single value.

    >>> opened({1: "a"}), opened(("a", "b")), opened("ab")
    ({'1': 'a'}, ['a', 'b'], None)
    """
    kind = type(value)
    if kind is dict:
        return value if _TEXT.issuperset(map(type, value)) else _named(value.items())
    if kind is list:
        return value  # type: ignore[no-any-return]
    if kind in JSON_SCALARS:
        return None
    way = _openers.get(kind)
    if way is None:
        way = _openers[kind] = _opener(kind)
    try:
        return way(value)
    except MemoryError:
        raise
    except Exception:  # noqa: BLE001  # anybody's code
        return None


def keyed(parts: Parts) -> Iterator[tuple[str | int, Json]]:
    """Yield what a container holds, each part with its key or position."""
    return iter(parts.items()) if type(parts) is dict else enumerate(parts)


def scalar(value: Json) -> str | int | float | bool | None:
    """Return a single value as JSON; no number is None, one too large for a float its text.

    >>> scalar(dt.date(2024, 1, 15)), scalar(Decimal("0.1")), scalar(Decimal("NaN")), scalar(float("inf"))
    ('2024-01-15', 0.1, None, None)
    """
    kind = type(value)
    if kind is str or kind is bool or value is None:
        return value  # type: ignore[no-any-return]
    if kind is float:
        return value if value - value == 0.0 else None
    if kind is int:
        return value if -_MAX_INT <= value <= _MAX_INT else int_text(value)
    way = _readers.get(kind)
    if way is None:
        way = _readers[kind] = _reader(kind)
    try:
        made = way(value)
    except MemoryError:
        raise
    except Exception:  # noqa: BLE001  # anybody's code
        return text_of_object(value)
    return scalar(made) if type(made) in JSON_SCALARS else text_of_object(value)


def text_of_object(value: Json) -> str:
    """Return an object as text: what it says itself, else what Python calls it."""
    try:
        return str.__str__(str(value))
    except MemoryError:
        raise
    except Exception:  # noqa: BLE001  # anybody's code
        return object.__repr__(value)


def int_text(value: int) -> str:
    """Return an integer of any length in digits; one of very many bits in hexadecimal ones."""
    if value.bit_length() < _MAX_STR_BITS:
        return str(value)
    if value.bit_length() > MAX_INT_BITS:
        return hex(value)
    return str(Decimal(value))  # str() of an int is limited by the interpreter, that of a Decimal is not


def model_items(model: BaseModel) -> dict[str, Json]:
    """Return a pydantic model's values under their JSON names, unknown keys included."""
    fields = type(model).model_fields
    items = {json_name(k, fields[k]) if k in fields else k: v for k, v in model.__dict__.items()}
    if model.__pydantic_extra__:
        items.update(model.__pydantic_extra__)
    return items


def json_name(name: str, info: FieldInfo) -> str:
    """Return the key under which a pydantic field stands in JSON: its alias, which may be empty, else its name."""
    return name if info.alias is None else info.alias


def key_text(key: Json) -> str:
    """Return a key as the text that it is in JSON."""
    return key if type(key) is str else text_of_object(key)


_openers: dict[type, Callable[[Json], Parts | None]] = {}
_readers: dict[type, Callable[[Json], Json]] = {}
_SINGLE_SEQUENCES = (str, bytes, bytearray, memoryview, UserString)


def _opener(kind: type) -> Callable[[Json], Parts | None]:
    """Find out once for each type how its instances give what they hold."""
    if kind is tuple:
        return list
    if kind in (set, frozenset):
        return lambda value: sorted(value, key=_sorting_text)
    ways: tuple[tuple[type | tuple[type, ...], Callable[[Json], Parts | None]], ...] = (
        (_SINGLE_SEQUENCES, _single),
        (BaseModel, model_items),
        (enum.Enum, lambda value: opened(value.value)),
        (Mapping, lambda value: _named(_bounded(value.items()))),
        (np.ma.MaskedArray, lambda value: value.tolist() if value.ndim else None),
        (np.ndarray, _array_items),
        (np.void, _record_items),
        (Set, lambda value: sorted(_bounded(value), key=_sorting_text)),
        ((Sequence, MappingView), _bounded),
    )
    other = _dataclass_items if is_dataclass(kind) else _single
    return next((way for base, way in ways if issubclass(kind, base)), other)


def _dataclass_items(value: Json) -> dict[str, Json]:
    return {member.name: getattr(value, member.name) for member in fields(value)}


def _single(_: Json) -> None:
    return None


def _bounded(value: Iterable[Json]) -> list[Json]:
    if isinstance(value, Sized) and len(value) > MAX_PARTS:
        raise ValueError("too many parts")
    parts = list(islice(value, MAX_PARTS + 1))
    if len(parts) > MAX_PARTS:
        raise ValueError("too many parts")
    return parts


def _named(items: Iterable[tuple[Json, Json]]) -> dict[str, Json]:
    return {key_text(key): child for key, child in items}


def _sorting_text(value: Json) -> str:
    try:
        return repr(value)
    except MemoryError:
        raise
    except Exception:  # noqa: BLE001  # anybody's code
        return object.__repr__(value)


def _array_items(value: NDArray[np.generic]) -> list[Json] | None:
    array = np.asarray(value)  # a matrix would be one again, row by row
    if array.size > MAX_PARTS or not array.ndim:
        return None
    is_short = array.dtype.kind == "f" and array.dtype.itemsize < 8
    made: list[Json] = list(array) if is_short or array.dtype.kind in "mMOV" else array.tolist()
    return made


def written_alike(value: np.floating[Any]) -> float:
    """Return the number of 64 bits that is written like one of fewer bits.

    >>> written_alike(np.float32(0.1))
    0.1
    """
    return float(str(value))


def _record_items(value: np.void) -> dict[str, Json] | None:
    return {name: value[name] for name in value.dtype.names} if value.dtype.names else None


def _reader(kind: type) -> Callable[[Json], Json]:
    """Find out once for each type how its instances are read as a single JSON value."""
    ways: tuple[tuple[type | tuple[type, ...], Callable[[Json], Json]], ...] = (
        (enum.Enum, lambda value: scalar(value.value)),
        ((dt.date, dt.time), lambda value: value.isoformat() if value == value else None),  # NaT equals nothing
        (dt.timedelta, lambda value: value.total_seconds()),
        (Decimal, _decimal),
        (Fraction, lambda value: value.numerator / value.denominator if value.denominator > 1 else value.numerator),
        (np.datetime64, _moment),
        (np.timedelta64, lambda value: None if np.isnat(value) else float(value / np.timedelta64(1, "s"))),
        ((np.float16, np.float32), written_alike),
        (np.floating, float),
        ((np.bool_, np.integer), lambda value: value.item()),
        ((bytes, bytearray, memoryview, np.void), lambda value: _bytes_text(bytes(value))),
        (np.ndarray, lambda value: scalar(value[()] if value.dtype.kind in "mMf" else value.tolist())),
        (int, int.__pos__),
        (float, float.__pos__),
        (str, str.__str__),
    )
    if kind.__name__ == "NAType" and kind.__module__.partition(".")[0] == "pandas":
        return _single
    return next((way for base, way in ways if issubclass(kind, base)), _item)


def _item(value: Json) -> Json:
    """Read an object that holds one number, as arrays of other libraries do, else its text."""
    item = getattr(value, "item", None)
    made = item() if callable(item) and not isinstance(value, type) else None
    return made if type(made) in (bool, int, float) else text_of_object(value)


def _decimal(value: Decimal) -> Json:
    if not value.is_finite():
        return None
    if value == value.to_integral_value() and value.copy_abs() < 10**15:
        return int(value)
    number = float(value)
    return number if number - number == 0.0 else str(value)


def _moment(value: np.datetime64) -> str | None:
    """Return a date of numpy as ISO text, with no more decimals of a second than `datetime` writes, if that is all."""
    if np.isnat(value):
        return None
    text, _, fraction = str(value).partition(".")
    digits = fraction.rstrip("0")
    return f"{text}.{digits.ljust(6, '0')}" if digits else text


def _bytes_text(value: bytes) -> str:
    try:
        return value.decode("utf-8")
    except UnicodeDecodeError:
        return base64.b64encode(value).decode("ascii")
