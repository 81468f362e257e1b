"""Verdict rows, read back one group after the other: memory stays flat however many there are."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from fieldwise.errors import InputError
from fieldwise.tables.stored import (
    Ints,
    Mask,
    check_filled,
    check_filled_but,
    check_present,
    check_words,
    names_of,
    open_table,
    read_rows,
    rows_before,
)
from fieldwise.tables.verdict_columns import OUTCOMES, REASONS, SCHEMA_VERSION, VERDICTS

Where: TypeAlias = Mapping[str, Collection[str]]
"""Names that some columns may have."""
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


def whole_documents(groups: Iterable[pa.Table]) -> Iterator[pa.Table]:
    """Yield rows in parts that share no document, given groups that may; both have the column ``document``.

    The rows of a document stand together, in one group or in a few that follow each other.
    """
    waiting: list[pa.Table] = []
    held: set[str] = set()
    for group in groups:
        documents = set(names_of(group, "document").names)
        if waiting and held.isdisjoint(documents):
            yield _joined(waiting)
            waiting, held = [], set()
        waiting.append(group)
        held |= documents
    if waiting:
        yield _joined(waiting)


def row_groups(folder: Path, columns: Sequence[str], where: Where | None = None) -> Iterator[pa.Table]:
    """Yield verdict rows, one group after the other; what cannot be read is told with its file.

    Where names are given for some columns, only rows that have one of them in each of these columns are read.
    """
    for path in _parts(folder):
        yield from _groups_in(path, columns, where or {})


def _parts(folder: Path) -> list[Path]:
    return sorted(folder.glob("*.parquet"))


def _groups_in(path: Path, columns: Sequence[str], wanted: Where) -> Iterator[pa.Table]:
    with open_rows(path, [*columns, *wanted]) as file:
        for number in range(file.num_row_groups):
            if not wanted:
                yield read_group(file, path, number, columns)
            elif _may_hold(file, number, wanted.get("document", ())):
                places = _places(read_group(file, path, number, list(wanted)), wanted)
                if len(places):
                    yield read_group(file, path, number, columns).take(places)


def _places(table: pa.Table, where: Where) -> Ints:
    found = np.ones(len(table), bool)
    for column, names in where.items():
        found &= _is_any(table, column, frozenset(names))
    return np.flatnonzero(found).astype(np.int64)


def _is_any(table: pa.Table, column: str, names: Collection[str]) -> Mask:
    """Tell of each row whether it has one of the names."""
    found = names_of(table, column)
    return np.isin(found.codes, [code for code, name in enumerate(found.names) if name in names])


def _may_hold(file: pq.ParquetFile, group: int, documents: Iterable[str]) -> bool:
    """Tell by the first and the last id in a group of rows whether it can hold one of the documents."""
    wanted = set(documents)
    if not wanted:
        return True
    column: Any = file.metadata.row_group(group).column(file.schema_arrow.names.index("document"))
    bounds = column.statistics
    if bounds is None or not bounds.has_min_max:
        return True
    return any(bounds.min <= name <= bounds.max for name in wanted)


def open_rows(path: Path, columns: Sequence[str]) -> pq.ParquetFile:
    """Open a part of the verdicts that has some columns."""
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


def count_outcomes(folder: Path) -> Counter[str]:
    """Return how many rows have each outcome; rows of another version are refused: they may mean other things."""
    totals: Counter[str] = Counter()
    for path in _parts(folder):
        for table in _groups_in(path, ["outcome", _VERSION], {}):
            _check_version(table, path)
            found = names_of(table, "outcome")
            counts = np.bincount(found.codes, minlength=len(found.names)).tolist()
            totals.update(dict(zip(found.names, counts, strict=True)))
    return totals


def _check_version(table: pa.Table, path: Path) -> None:
    for version in pc.min_max(table.column(_VERSION)).values():
        if version.as_py() not in (SCHEMA_VERSION, None):
            raise InputError(
                f"Expected rows of version {SCHEMA_VERSION} in {path}, got version {version}",
                code="run.other_version",
                facts={"file": path, "expected": SCHEMA_VERSION, "got": version.as_py()},
                advice="evaluate again",
            )


def _joined(tables: list[pa.Table]) -> pa.Table:
    return tables[0] if len(tables) == 1 else pa.concat_tables(tables).unify_dictionaries().combine_chunks()
