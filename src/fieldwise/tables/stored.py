"""Tables of a finished evaluation, opened again: what is not as it was written is told with its file and place."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from fieldwise.errors import InputError

Ints: TypeAlias = npt.NDArray[np.int64]
Mask: TypeAlias = npt.NDArray[np.bool_]
_MOST_LISTED = 5


def damaged(message: str, *files: Path) -> InputError:
    """Return the error for tables that are not as an evaluation wrote them."""
    return InputError(message, code="run.damaged", facts={"files": list(files)}, advice="evaluate again")


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


def apart(one: Path, other: Path, what: str) -> InputError:
    """Return the error of two files that do not belong together."""
    return damaged(f"{one} and {other.name} are not of one evaluation, or one is damaged: {what}", one, other)


def open_table(path: Path, schema: pa.Schema, what: str) -> pq.ParquetFile:
    """Open a Parquet file; columns that the schema names must hold what it says, as plain texts or as numbered ones."""
    try:
        file = pq.ParquetFile(path)
    except (pa.ArrowException, OSError) as error:
        raise damaged(f"Expected {what} in {path}, got no Parquet file: {_in_one_line(error)}", path) from error
    for found in file.schema_arrow:
        if found.name in schema.names:
            expected = _content(schema.field(found.name).type)
            if _content(found.type) not in (expected, "nothing"):
                file.close()
                words = f"Expected {expected} in the column {found.name} of {path}, got {_content(found.type)}"
                raise damaged(words, path)
    return file


def _content(kind: Any) -> str:
    if pa.types.is_dictionary(kind) and _content(kind.value_type) == "texts":
        return "texts"
    if pa.types.is_string(kind) or pa.types.is_large_string(kind):
        return "texts"
    if pa.types.is_floating(kind):
        return "numbers"
    if pa.types.is_integer(kind):
        return "whole numbers"
    if pa.types.is_boolean(kind):
        return "true or false"
    return "nothing" if pa.types.is_null(kind) else str(kind)


def check_present(file: pq.ParquetFile, path: Path, columns: Sequence[str], what: str) -> None:
    """Refuse a table without these columns."""
    missing = [name for name in columns if name not in file.schema_arrow.names]
    if missing:
        raise damaged(f"Expected the columns of {what} in {path}, it has no {', '.join(missing)}", path)


def read_rows(
    file: pq.ParquetFile, path: Path, number: int, columns: Sequence[str], *, threads: bool = True
) -> pa.Table:
    """Read one group of rows; names are in their dictionary, and texts are text.

    Threads take longer than they save where a group is small.
    """
    try:
        table = file.read_row_group(number, columns=list(columns), use_threads=threads)
        table.validate(full=True)
        return table
    except (pa.ArrowException, OSError) as error:
        raise damaged(f"{path} is damaged: {_in_one_line(error)}", path) from error


def rows_before(file: pq.ParquetFile, number: int) -> int:
    """Return how many rows stand before a group."""
    return sum(file.metadata.row_group(group).num_rows for group in range(number))


def check_filled(table: pa.Table, path: Path, columns: Collection[str], start: Callable[[], int] = lambda: 0) -> None:
    """Refuse a row without a value in one of these columns; ``start`` says how many rows of the file came before."""
    for name in columns:
        column: Any = table.column(name)
        if column.null_count:
            raise _in_row(path, name, start() + _first(pc.is_null(column)), "a value, got none")
        if pa.types.is_floating(column.type) and pc.any(pc.is_nan(column)).as_py():
            raise _in_row(path, name, start() + _first(pc.is_nan(column)), "a number, got NaN")


def check_filled_but(
    table: pa.Table, path: Path, name: str, without: tuple[str, str], start: Callable[[], int] = lambda: 0
) -> None:
    """Refuse a row without a value in a column, unless it has a word in another column; ``without`` is that."""
    column: Any = table.column(name)
    if not column.null_count:
        return
    word: Any = table.column(without[0]).cast(pa.string())
    other: Any = pc.not_equal(word, pa.scalar(without[1]))
    empty: Any = pc.and_(pc.is_null(column), other)
    if pc.any(empty).as_py():
        raise _in_row(path, name, start() + _first(empty), "a value, got none")


def check_words(
    table: pa.Table, path: Path, name: str, words: Sequence[str], start: Callable[[], int] = lambda: 0
) -> None:
    """Refuse a row with another word than these in a column of names."""
    column: Any = table.column(name)
    found: set[Any] = set()
    for chunk in column.chunks:
        found |= set((chunk.dictionary if isinstance(chunk, pa.DictionaryArray) else pc.unique(chunk)).to_pylist())
    if unknown := sorted(found.difference(words)):
        texts = column.cast(pa.string())
        row = start() + _first(pc.is_in(texts, value_set=pa.array(unknown, pa.string())))
        got = ", ".join(map(repr, unknown[:_MOST_LISTED]))
        raise _in_row(path, name, row, f"one of {', '.join(words)}, got {got}")


def _first(mask: Any) -> int:
    return int(pc.index(mask, True).as_py())


def _in_row(path: Path, name: str, row: int, words: str) -> InputError:
    return damaged(f"Expected in the column {name} {words} - in row {row + 1:,} of {path}", path)


def _in_one_line(error: BaseException) -> str:
    return " ".join(str(error).split())
