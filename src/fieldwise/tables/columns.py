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


class Side(NamedTuple):
    """The values of one side: as text, whether that is JSON, and length and hash of what was cut, None if nothing."""

    text: Any
    is_json: Any
    length: Any
    sha256: Any


def side(values: Sequence[Json]) -> Side:
    """Return the columns of some values."""
    kinds = set(map(type, values))
    if kinds <= _TEXTS:
        text, is_json = text_column(values), np.zeros(len(values), bool)
    elif kinds <= _NUMBERS:
        text, is_json = _number_column(values), np.ones(len(values), bool)
    else:
        texts = [value if type(value) in _TEXTS else _json(value) for value in values]
        text, is_json = text_column(texts), np.array([type(value) not in _TEXTS for value in values], bool)
    return _cut(text, is_json)


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


def joined(parts: Sequence[Any | None], sizes: Sequence[int], kind: Any) -> Any:
    """Return parts of a column as one; a part that is None holds nothing."""
    if all(part is None for part in parts):
        return pa.nulls(sum(sizes), kind)
    return pa.concat_arrays(
        [pa.nulls(size, kind) if part is None else part for part, size in zip(parts, sizes, strict=True)]
    )


def _number_column(numbers: Sequence[float]) -> Any:
    """Return numbers, as JSON writes them, as a column: all are written at once and cut at the commas."""
    try:
        written = np.frombuffer(orjson.dumps(numbers), np.uint8)[1:-1]
    except TypeError:  # an integer of more than 64 bits
        return text_column(list(map(_json, numbers)))
    is_comma = written == ord(",")
    ends = np.zeros(len(numbers) + 1, np.int32)
    ends[1:-1] = np.flatnonzero(is_comma) - np.arange(len(numbers) - 1)
    ends[-1] = len(written) - len(numbers) + 1
    return _text_array(ends, written[~is_comma])


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
