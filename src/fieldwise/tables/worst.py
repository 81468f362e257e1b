"""The verdict rows of the worst documents of a shard: those that people open first, kept beside all others.

Of most runs the page then reads no part of the verdicts again, of which it would need a row in a hundred.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from fieldwise.compare.results import ABSENT
from fieldwise.tables.derived import CELLS
from fieldwise.tables.stored import Ints
from fieldwise.tables.verdict_columns import VERDICTS
from fieldwise.tables.verdicts import VerdictTable

MAX_KEPT = 4_000
"""Documents are kept, the worst first, while a shard keeps no more values than these."""
MAX_OPENED = 20_000
"""Documents are opened on a page, the worst first, until it holds so many of their values."""
_COLUMNS: list[tuple[str, Any]] = [(field.name, getattr(field.type, "value_type", field.type)) for field in VERDICTS]
WORST = pa.schema(_COLUMNS)
"""The columns of verdict rows, with names as plain texts: few of a shard's are among these."""


def worst_first(documents: pa.Table) -> Ints:
    """Return the numbers of documents by their scores; those without a score come last."""
    scores: Any = documents["score"]
    order: Ints = np.argsort(np.asarray(scores.fill_null(2.0)), kind="stable")
    return order


def sizes_of(documents: pa.Table) -> Ints:
    """Return how many values each document has, on one side or both."""
    sizes: Ints = np.sum([documents[name].to_numpy() for name in CELLS if name != ABSENT.value], axis=0)
    return sizes


def worst_rows(table: VerdictTable, documents: pa.Table) -> pa.Table:
    """Return the verdict rows of the worst documents of a shard, all of a document or none; rows of which neither side
    has a value are left out.
    """
    order = worst_first(documents)
    ids: Any = documents["document"]
    kept = order[sizes_of(documents)[order].cumsum() <= MAX_KEPT]
    is_kept = np.asarray(pc.is_in(ids, value_set=ids.take(kept).combine_chunks()))  # all trials of a document
    outcomes: Any = table.rows["outcome"].combine_chunks()
    has_value = np.asarray(outcomes.indices) != ABSENT.at
    rows: pa.Table = table.rows.take(np.flatnonzero(is_kept[table.documents] & has_value))
    return rows.cast(WORST)


class WorstRows:
    """The verdict rows of the worst documents of several shards, no more of them than a page opens."""

    def __init__(self, most: int = MAX_OPENED) -> None:
        self._most, self._shards = most, 0
        self._kept: list[_Kept] = []

    def add(self, rows: pa.Table, documents: pa.Table) -> None:
        """Take the rows of the worst documents of the next shard."""
        ids: Any = documents["document"].combine_chunks()
        places = np.asarray(pc.index_in(rows["document"], value_set=ids))
        scores: Any = documents["score"]
        shard = np.full(len(rows), self._shards, np.int32)
        self._shards += 1
        self._kept.append(_Kept(rows, np.asarray(scores.fill_null(2.0))[places], shard, places))
        if sum(len(kept.rows) for kept in self._kept) > 2 * self._most:
            self._kept = [self._worst()]

    def _worst(self) -> _Kept:
        tables, *columns = zip(*self._kept, strict=True)
        score, shard, place = (np.concatenate(column) for column in columns)
        order = np.lexsort([place, shard, score])
        begins = np.any([np.diff(column[order]) != 0 for column in (score, shard, place)], axis=0)
        ends = np.append(np.flatnonzero(begins) + 1, len(order))  # of the rows of each document
        kept = order[: int(ends[ends <= self._most].max(initial=0))]
        return _Kept(pa.concat_tables(tables).take(kept), score[kept], shard[kept], place[kept])

    def table(self) -> pa.Table:
        """Return the rows that are kept."""
        return pa.concat_tables([kept.rows for kept in self._kept]) if self._kept else WORST.empty_table()


class _Kept(NamedTuple):
    """Rows, and of each the score of its document, its shard, and where in the shard the document is."""

    rows: pa.Table
    scores: npt.NDArray[np.float64]
    shards: npt.NDArray[np.int32]
    places: npt.NDArray[np.int32]
