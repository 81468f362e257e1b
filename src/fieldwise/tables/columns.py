"""Values and names as Arrow columns. Text stands as it is, any other value as JSON; a long one is cut."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import orjson
import pyarrow as pa

from fieldwise.text import well_formed
from fieldwise.values import Json, canonical, within_bounds

LONGEST = 4096
"""So many characters of a value are kept."""

_TEXTS = frozenset({str, type(None)})
_NUMBERS = frozenset({int, float})
_BETWEEN = "\x1f"
"""Between texts that are joined: what ASCII calls the separator of units."""
_MAX_JOINED = 1 << 24
"""Texts of more characters together are taken one by one: joined, they would be in memory several times."""


class Side(NamedTuple):
    """The values of one side: as text, whether that is JSON, and length and hash of what was cut, None if nothing."""

    text: Any
    is_json: Any
    length: Any
    sha256: Any


def side(values: Sequence[Json]) -> Side:
    """Return the columns of some values."""
    if (text := _joined_texts(values)) is not None:
        return _cut(text, np.zeros(len(values), bool))
    if (text := _joined_numbers(values)) is not None:
        return _cut(text, np.ones(len(values), bool))
    texts = [value if type(value) in _TEXTS else _json(value) for value in values]
    return _cut(text_column(texts), np.array([type(value) not in _TEXTS for value in values], bool))


def text_column(texts: Sequence[str | None]) -> Any:
    """Return texts as an Arrow column; what no UTF-8 can hold is written as its escape."""
    try:
        return pa.array(texts, pa.string())
    except UnicodeEncodeError:  # half of a surrogate pair
        return pa.array([text and well_formed(text) for text in texts], pa.string())


def named_column(numbers: Any, names: Sequence[str]) -> Any:
    """Return a column of names, given by their numbers."""
    return pa.DictionaryArray.from_arrays(pa.array(numbers), text_column(names))


def optional(numbers: Any) -> Any:
    """Return a column of floats in which NaN is null."""
    return pa.array(numbers, mask=np.isnan(numbers))


def _joined_texts(values: Sequence[Json]) -> Any:
    """Return texts as a column, by joining all of them; None where one is no text, or they are too long for that."""
    try:
        joined = _BETWEEN.join(values)
        written = np.frombuffer(joined.encode(), np.uint8) if 0 < len(joined) <= _MAX_JOINED else None
    except (TypeError, UnicodeEncodeError):  # another value, half of a surrogate pair
        return None
    return None if written is None else _column_between(written, _BETWEEN, len(values))


def _joined_numbers(values: Sequence[Json]) -> Any:
    """Return numbers, as JSON writes them, as a column, written all at once; None where one is no number, or has more
    than 64 bits.
    """
    if not values or type(values[0]) not in _NUMBERS:
        return None
    try:
        written = np.frombuffer(orjson.dumps(values), np.uint8)[1:-1]
    except TypeError:
        return None
    is_plain = written.min() >= ord(",") and written.max() <= ord("9")  # nothing else is written in these characters
    if not is_plain and not set(map(type, values)) <= _NUMBERS:
        return None
    return _column_between(written, ",", len(values))


def _column_between(written: Any, between: str, count: int) -> Any:
    """Return so many texts with a character between each two of them as a column; None where it is in a text too."""
    is_between = written == ord(between)
    ends = np.zeros(count + 1, np.int32)
    found = np.flatnonzero(is_between)
    if len(found) != count - 1:
        return None
    ends[1:-1] = found - np.arange(count - 1)
    ends[-1] = len(written) - count + 1
    return _text_array(ends, written[~is_between])


def _text_array(ends: Any, content: Any) -> Any:
    return pa.StringArray.from_buffers(len(ends) - 1, pa.py_buffer(ends), pa.py_buffer(content))


def _json(value: Json) -> str:
    try:
        return orjson.dumps(within_bounds(value)).decode()
    except TypeError:
        return canonical(value)[1:-1]  # an integer of more than 64 bits, a value nested too deep


def _cut(text: Any, is_json: Any) -> Side:
    if not len(text) or np.diff(np.frombuffer(text.buffers()[1], np.int32)[: len(text) + 1]).max() <= LONGEST:
        return Side(text, is_json, None, None)
    whole = text.to_pylist()
    long = [value is not None and len(value) > LONGEST for value in whole]
    lengths = [len(value) if cut else None for value, cut in zip(whole, long, strict=True)]
    hashes = [_sha256(value) if cut else None for value, cut in zip(whole, long, strict=True)]
    kept = [value and value[:LONGEST] for value in whole]
    return Side(text_column(kept), is_json, pa.array(lengths, pa.int64()), pa.array(hashes, pa.string()))


def _sha256(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()
