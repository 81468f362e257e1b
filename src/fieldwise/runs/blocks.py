"""The verdict rows of a run, some whole documents at a time: memory stays flat however many there are."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from fieldwise.errors import InputError
from fieldwise.runs.table_files import (
    check_filled,
    check_filled_but,
    check_present,
    check_words,
    open_table,
    read_rows,
    rows_before,
)
from fieldwise.tables.verdict_columns import OUTCOMES, REASONS, SCHEMA_VERSION, VERDICTS

Codes: TypeAlias = npt.NDArray[np.int64]
_WHAT = "verdict rows"
_VERSION = "schema_version"
_WORDS = {"outcome": OUTCOMES, "reason": REASONS}
_FILLED = frozenset(
    {
        *("document", "trial", "field", "outcome", "raw_score", "reason", "weight"),
        *("expected_is_json", "predicted_is_json", _VERSION),
    }
)
"""Columns that have a value in every row, among those that are read."""
_PATHS = {"path": "spurious", "predicted_path": "missed"}
"""Columns that have a value in every row but those of an outcome."""


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
    with open_rows(path, columns) as file:
        for number in range(file.num_row_groups):
            yield read_group(file, path, number, columns)


def open_rows(path: Path, columns: Sequence[str]) -> pq.ParquetFile:
    """Open a table of verdicts that has some columns."""
    file = open_table(path, VERDICTS, _WHAT)
    try:
        check_present(file, path, list(dict.fromkeys([*columns, _VERSION])), _WHAT)
    except InputError:
        file.close()
        raise
    return file


def read_group(file: pq.ParquetFile, path: Path, number: int, columns: Sequence[str]) -> pa.Table:
    """Read one group of verdict rows and check them."""
    table = read_rows(file, path, number, columns)
    start = partial(rows_before, file, number)
    check_filled(table, path, _FILLED.intersection(columns), start)
    for name in _WORDS.keys() & columns:
        check_words(table, path, name, _WORDS[name], start)
    for name in _PATHS.keys() & columns if "outcome" in columns else ():
        check_filled_but(table, path, name, ("outcome", _PATHS[name]), start)
    return table


def count_outcomes(path: Path) -> Counter[str]:
    """Return how many rows have each outcome; rows of another version are refused: they may mean other things."""
    totals: Counter[str] = Counter()
    for table in row_groups(path, ["outcome", _VERSION]):
        for version in pc.min_max(table.column(_VERSION)).values():
            if version.as_py() not in (SCHEMA_VERSION, None):
                raise InputError(
                    f"Expected rows of version {SCHEMA_VERSION} in {path}, got version {version}",
                    code="run.other_version",
                    facts={"file": path, "expected": SCHEMA_VERSION, "got": version.as_py()},
                    advice="evaluate again",
                )
        found = names_of(table, "outcome")
        counts = np.bincount(found.codes, minlength=len(found.names)).tolist()
        totals.update(dict(zip(found.names, counts, strict=True)))
    return totals


def _joined(tables: list[pa.Table]) -> pa.Table:
    return tables[0] if len(tables) == 1 else pa.concat_tables(tables).unify_dictionaries().combine_chunks()
