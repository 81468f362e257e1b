"""Counts, errors and scores by field, derived from the verdict rows of a shard and joined when a run is complete.

``counts`` says how many values of each outcome a field has in a document; ``errors`` are the rows that are wrong, and
matches that are not plainly identical; ``scores`` says how many values have which raw score. A document is known by its
number, its row in the table of documents. In the joined files no group of rows holds two fields, so a field is read
without the others.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.parquet as pq

from fieldwise.compare.results import ABSENT, MATCH, MISMATCH, Outcome
from fieldwise.tables.columns import named_column
from fieldwise.tables.scores import SCORES, UNSCORED, join_scores, tally_scores
from fieldwise.tables.verdict_columns import OUTCOMES, VERDICTS
from fieldwise.tables.verdicts import VerdictTable

CELLS = tuple(outcome.value for outcome in Outcome)
"""The columns of counts, in the order of outcomes."""
_COUNT_COLUMNS: list[tuple[str, Any]] = [
    ("field", pa.string()),
    ("document", pa.int32()),
    *((name, pa.uint32()) for name in CELLS),
    ("listed", pa.bool_()),
]
COUNTS = pa.schema(_COUNT_COLUMNS)
_KEPT = (
    *("section", "class", "path", "predicted_path", "accepted", "kind", "score", "raw_score"),
    *("expected", "predicted", "expected_is_json", "predicted_is_json"),
    *("expected_length", "predicted_length", "expected_sha256", "predicted_sha256"),
    *("confidence", "pair_score", "pair_threshold", "pair_accepted", "alternate_index", "reason"),
)
"""The columns of verdict rows that errors keep as they are."""
_ERROR_COLUMNS: list[tuple[str, Any]] = [
    ("field", pa.string()),
    ("outcome", pa.string()),
    ("document", pa.int32()),
    *((name, getattr(VERDICTS.field(name).type, "value_type", VERDICTS.field(name).type)) for name in _KEPT),
]
ERRORS = pa.schema(_ERROR_COLUMNS)
_COUNTS_AT_ONCE, _ERRORS_AT_ONCE = 100_000, 20_000
"""The size of a group of rows: a page of errors is read without reading all of them."""
_WORDS = sorted(OUTCOMES)
_RANKS = np.array([_WORDS.index(word) for word in OUTCOMES], np.int64)
"""The place of each outcome among their words, by which errors are sorted."""
_DENSE = 8
"""Up to so many possible cells for each row, cells are counted in a table of all of them."""
Ints = npt.NDArray[np.int64]
Mask = npt.NDArray[np.bool_]


class Derived(NamedTuple):
    """The counts, errors and scores of a shard, sorted by field; documents are numbered within the shard."""

    counts: pa.Table
    errors: pa.Table
    scores: pa.Table


class _Names(NamedTuple):
    """A column of names: the sorted names that occur in its dictionary, and for each row the rank of its own."""

    ranks: Ints
    names: list[str]


def derive(table: VerdictTable) -> Derived:
    """Return counts, errors and scores of the verdict rows of a shard."""
    verdicts, numbers = table
    fields, paths = _ranked([verdicts["field"]]), _places(verdicts)
    outcomes = _codes(verdicts["outcome"])
    listed = _is_listed(fields, paths) & (outcomes != ABSENT.at)
    counts = _counted(fields, numbers, outcomes, listed)
    errors = _errors(verdicts, fields, paths, outcomes, numbers)
    return Derived(counts, errors, _scores(verdicts, fields, outcomes))


def _array(column: Any) -> Any:
    whole = column.combine_chunks()
    return whole.chunk(0) if isinstance(whole, pa.ChunkedArray) else whole


def _codes(column: Any) -> Ints:
    """Return the numbers of a column of names, -1 where there is none."""
    found: Ints = np.asarray(_array(column).indices.fill_null(-1)).astype(np.int64)
    return found


def _ranked(columns: Sequence[Any]) -> _Names:
    """Return the ranks of names; a row without a name in the first column has that of the next one."""
    arrays = [_array(column) for column in columns]
    texts = [array.dictionary.to_pylist() for array in arrays]
    names = sorted(set().union(*texts))
    rank = {name: number for number, name in enumerate(names)}
    found = np.full(len(arrays[0]), -1, np.int64)
    for array, own in zip(arrays, texts, strict=True):
        missing = np.flatnonzero(found < 0)
        codes = np.asarray(array.indices.fill_null(-1))[missing]
        found[missing] = np.array([*(rank[name] for name in own), -1], np.int64)[codes]
    return _Names(found, names)


def _places(verdicts: pa.Table) -> _Names:
    """Return the paths of rows in the expected document; of what was invented, in the predicted one."""
    return _ranked([verdicts["path"], verdicts["predicted_path"]])


def _is_listed(fields: _Names, paths: _Names) -> Mask:
    """Tell which rows are not called as their field is: an item of a list has its position in its path."""
    at = {name: number for number, name in enumerate(fields.names)}
    own = np.array([at.get(path, -1) for path in paths.names], np.int64)
    return np.not_equal(own[paths.ranks], fields.ranks)


def _counted(fields: _Names, numbers: Ints, outcomes: Ints, listed: Mask) -> pa.Table:
    documents, width = int(numbers.max(initial=-1)) + 1, len(CELLS)
    keys = fields.ranks * documents + numbers
    size = len(fields.names) * documents
    if size <= _DENSE * max(len(keys), 1):
        held, places, rows = np.flatnonzero(np.bincount(keys, minlength=size)), keys, size
    else:
        held, places = np.unique(keys, return_inverse=True)
        rows = len(held)
    cells = np.bincount(places * width + outcomes, minlength=rows * width).reshape(rows, width)
    in_list = np.bincount(places[listed], minlength=rows) > 0
    if len(held) < rows:
        cells, in_list = cells[held], in_list[held]
    by_outcome = np.ascontiguousarray(cells.T, np.uint32)
    columns = [
        named_column((held // max(documents, 1)).astype(np.int32), fields.names),
        pa.array((held % max(documents, 1)).astype(np.int32)),
        *map(pa.array, by_outcome),
        pa.array(in_list),
    ]
    return pa.table(columns, names=COUNTS.names)


def _errors(verdicts: pa.Table, fields: _Names, paths: _Names, outcomes: Ints, numbers: Ints) -> pa.Table:
    """Return the rows that are wrong, and matches that are accepted or of one of several acceptable values."""
    said: Any = [_array(verdicts[name]).is_valid() for name in ("accepted", "alternate_index")]
    near = (outcomes == MATCH.at) & (np.asarray(said[0]) | np.asarray(said[1]))
    rows = np.flatnonzero(near | ((outcomes != MATCH.at) & (outcomes != ABSENT.at)))
    ranks = _RANKS[outcomes[rows]]
    rows = rows[np.lexsort((paths.ranks[rows], numbers[rows], ranks, fields.ranks[rows]))]
    kept: Any = verdicts.select(list(_KEPT)).take(rows)
    columns = [
        named_column(fields.ranks[rows].astype(np.int32), fields.names),
        named_column(_RANKS[outcomes[rows]].astype(np.int8), _WORDS),
        pa.array(numbers[rows].astype(np.int32)),
        *kept.columns,
    ]
    return pa.table(columns, names=ERRORS.names)


def _scores(verdicts: pa.Table, fields: _Names, outcomes: Ints) -> pa.Table:
    """Return how many values that both sides have have which raw score."""
    rows = np.flatnonzero((outcomes == MATCH.at) | (outcomes == MISMATCH.at))
    reasons = _array(verdicts["reason"]).dictionary.to_pylist()
    is_scored = np.array([reason not in UNSCORED for reason in reasons], bool)
    scored = is_scored[_codes(verdicts["reason"])[rows]]
    return tally_scores(fields.ranks[rows], fields.names, verdicts["raw_score"].to_numpy()[rows], scored)


class FieldFiles:
    """The tables by field of a run, joined from those of its shards.

    ``forget`` is called after each group of rows: what was read of mapped files may leave the memory.
    """

    def __init__(self, forget: Callable[[], None]) -> None:
        self._forget = forget
        self._counts: list[tuple[int, _Sorted]] = []
        self._errors: list[tuple[int, _Sorted]] = []
        self._scores: list[tuple[int, _Sorted]] = []

    def add(self, start: int, part: Derived) -> None:
        """Add the tables of the next shard, whose first document has this number."""
        self._counts.append((start, _Sorted.of(part.counts)))
        self._errors.append((start, _Sorted.of(part.errors, by_outcome=True)))
        self._scores.append((start, _Sorted.of(part.scores)))

    def write(self, folder: Path) -> None:
        """Write counts.parquet, errors.parquet and scores.parquet."""
        numbers: Any = [*CELLS, "field"]
        delta: Any = {"document": "DELTA_BINARY_PACKED"}
        with _writer(folder / "counts.parquet", COUNTS, dictionary=numbers, encoding=delta) as writer:
            self._write(writer, COUNTS, _counts_by_field(self._counts), _COUNTS_AT_ONCE)
        named: Any = [name for name in ERRORS.names if name not in ("document", "expected", "predicted")]
        with _writer(folder / "errors.parquet", ERRORS, dictionary=named, encoding=delta) as writer:
            self._write(writer, ERRORS, _errors_by_field(self._errors), _ERRORS_AT_ONCE)
        with _writer(folder / "scores.parquet", SCORES, dictionary=["field"], encoding=None) as writer:
            self._write(writer, SCORES, _scores_by_field(self._scores), _COUNTS_AT_ONCE)

    def _write(self, writer: pq.ParquetWriter, schema: pa.Schema, fields: Iterator[list[pa.Table]], size: int) -> None:
        """Write each field in groups of rows of its own, which are the same however shards divided them."""
        for parts in fields:
            table = pa.concat_tables(parts) if parts else schema.empty_table()
            for start in range(0, len(table), size):
                writer.write_table(table.slice(start, size).cast(schema).combine_chunks())
                self._forget()


class _Sorted(NamedTuple):
    """A table that is sorted by its fields, or by field and outcome, and where each of them begins."""

    table: pa.Table
    fields: list[str]
    starts: Ints

    @classmethod
    def of(cls, table: pa.Table, *, by_outcome: bool = False) -> _Sorted:
        fields, keys = _array(table["field"]).dictionary.to_pylist(), _codes(table["field"])
        size = len(fields)
        if by_outcome:
            keys, size = keys * len(_WORDS) + _codes(table["outcome"]), size * len(_WORDS)
        return cls(table, fields, np.searchsorted(keys, np.arange(size + 1)))

    def of_field(self, field: str, outcome: int | None = None) -> pa.Table | None:
        """Return the rows of a field, and of an outcome; None where there are none."""
        at = bisect_left(self.fields, field)
        if at == len(self.fields) or self.fields[at] != field:
            return None
        key = at if outcome is None else at * len(_WORDS) + outcome
        start, end = self.starts[key : key + 2].tolist()
        return self.table.slice(start, end - start) if end > start else None


_Parts = Sequence[tuple[int, _Sorted]]


def _field_names(parts: _Parts) -> list[str]:
    return sorted({name for _, part in parts for name in part.fields})


def _counts_by_field(parts: _Parts) -> Iterator[list[pa.Table]]:
    for field in _field_names(parts):
        found = ((start, part.of_field(field)) for start, part in parts)
        yield [_numbered(start, table) for start, table in found if table is not None]


def _errors_by_field(parts: _Parts) -> Iterator[list[pa.Table]]:
    for field in _field_names(parts):
        found = ((start, part.of_field(field, word)) for word in range(len(_WORDS)) for start, part in parts)
        yield [_numbered(start, table) for start, table in found if table is not None]


def _scores_by_field(parts: _Parts) -> Iterator[list[pa.Table]]:
    for field in _field_names(parts):
        found = [table for _, part in parts if (table := part.of_field(field)) is not None]
        yield [join_scores(field, found)] if found else []


def _numbered(start: int, table: pa.Table) -> pa.Table:
    """Return a table whose documents have the numbers that they have in the run."""
    numbers = pa.array(table["document"].to_numpy() + np.int32(start))
    return table.set_column(table.schema.get_field_index("document"), "document", numbers)


def _writer(path: Path, schema: pa.Schema, *, dictionary: Any, encoding: Any) -> pq.ParquetWriter:
    return pq.ParquetWriter(
        path,
        schema,
        compression="zstd",
        use_dictionary=dictionary,
        column_encoding=encoding,
        write_statistics=[name for name in ("field", "document") if name in schema.names],
    )
