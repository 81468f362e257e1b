"""Tables of a finished evaluation as numbers and words."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt
import pyarrow as pa

Ints: TypeAlias = npt.NDArray[np.int64]
Mask: TypeAlias = npt.NDArray[np.bool_]


class Named(NamedTuple):
    """A column of names: the names that occur, and for each row the number of its name."""

    codes: Ints
    names: list[str]

    def is_any(self, *names: str) -> Mask:
        """Tell of each row whether it has one of these names."""
        return np.isin(self.codes, [number for number, name in enumerate(self.names) if name in names])


def names_of(table: pa.Table, column: str) -> Named:
    """Return a column of names; a row without one has the number -1."""
    found: Any = table.column(column).combine_chunks()
    if isinstance(found, pa.ChunkedArray):
        found = found.chunk(0) if found.num_chunks else pa.array([], pa.string())
    if not isinstance(found, pa.DictionaryArray):
        found = found.dictionary_encode()
    return Named(np.asarray(found.indices.fill_null(-1)).astype(np.int64), found.dictionary.to_pylist())


def dicts_of(table: pa.Table) -> Iterator[dict[str, Any]]:
    """Yield rows as dicts, as ``to_pylist`` does in several times the time."""
    names = table.column_names
    for cells in zip(*(_cells(table, name) for name in names), strict=True):
        yield dict(zip(names, cells, strict=True))


def _cells(table: pa.Table, name: str) -> list[Any]:
    column: Any = table.column(name)
    if column.null_count == len(column):
        return [None] * len(column)
    if pa.types.is_dictionary(column.type):
        named = names_of(table, name)
        names: list[str | None] = [*named.names, None]  # the number -1 is that of no name
        return [names[code] for code in named.codes.tolist()]
    if column.null_count and not pa.types.is_string(column.type):
        cells: list[Any] = column.to_pylist()  # numpy has no way to say that a number is missing
        return cells
    return list(column.to_numpy().tolist())


def numbers_of(table: pa.Table, column: str) -> npt.NDArray[np.float64]:
    """Return a column of numbers, NaN where there is none."""
    return table.column(column).to_numpy().astype(np.float64)


def times_before(keys: Ints) -> Ints:
    """Return for each number how often it came before."""
    order = np.argsort(keys, kind="stable")
    starts = np.flatnonzero(np.append(True, keys[order][1:] != keys[order][:-1]))
    times = np.empty(len(keys), np.int64)
    times[order] = np.arange(len(keys)) - np.repeat(starts, np.diff(np.append(starts, len(keys))))
    return times
