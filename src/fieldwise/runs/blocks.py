"""The verdict rows of a run, some whole documents at a time: memory stays flat however many there are."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.parquet as pq

from fieldwise.errors import InputError

Codes: TypeAlias = npt.NDArray[np.int64]


class Named(NamedTuple):
    """A column of names: the names that occur, and for each row the number of its name."""

    codes: Codes
    names: list[str]

    def is_any(self, *names: str) -> npt.NDArray[np.bool_]:
        """Tell of each row whether it has one of these names."""
        return np.isin(self.codes, [number for number, name in enumerate(self.names) if name in names])


def read_blocks(path: Path, columns: Sequence[str]) -> Iterator[pa.Table]:
    """Yield the rows in parts that share no document; row groups that do are joined.

    The rows of a document stand together, in one row group or in a few that follow each other.
    """
    waiting: list[pa.Table] = []
    held: set[str] = set()
    for group in row_groups(path, ["document", *columns]):
        documents = set(names_of(group, "document").names)
        if waiting and held.isdisjoint(documents):
            yield _joined(waiting)
            waiting, held = [], set()
        waiting.append(group)
        held |= documents
    if waiting:
        yield _joined(waiting)


def names_of(table: pa.Table, column: str) -> Named:
    """Return a column of names."""
    found: Any = table.column(column).combine_chunks()
    if isinstance(found, pa.ChunkedArray):
        found = found.chunk(0) if found.num_chunks else pa.array([], pa.string())
    if not isinstance(found, pa.DictionaryArray):
        found = found.dictionary_encode()
    return Named(found.indices.to_numpy(zero_copy_only=False).astype(np.int64), found.dictionary.to_pylist())


def numbers_of(table: pa.Table, column: str) -> npt.NDArray[np.float64]:
    """Return a column of numbers, NaN where there is none."""
    return table.column(column).to_numpy().astype(np.float64)


def row_groups(path: Path, columns: Sequence[str]) -> Iterator[pa.Table]:
    """Yield the rows of a table of verdicts, one group after the other; what cannot be read is told with its file."""
    try:
        file = pq.ParquetFile(path)
    except (pa.ArrowInvalid, OSError) as error:
        raise InputError(f"Expected verdict rows in {path}, got no Parquet file: {error}") from error
    with file:
        missing = [name for name in columns if name not in file.schema_arrow.names]
        if missing:
            raise InputError(f"Expected the columns of verdict rows in {path}, it has no {', '.join(missing)}")
        for number in range(file.num_row_groups):
            yield read_group(file, path, number, columns)


def read_group(file: pq.ParquetFile, path: Path, number: int, columns: Sequence[str]) -> pa.Table:
    """Read one group of rows."""
    try:
        return file.read_row_group(number, columns=list(columns))
    except (pa.ArrowException, OSError) as error:
        raise InputError(f"{path} is damaged: {' '.join(str(error).split())}") from error


def _joined(tables: list[pa.Table]) -> pa.Table:
    return tables[0] if len(tables) == 1 else pa.concat_tables(tables).unify_dictionaries().combine_chunks()
