"""The verdict rows of the worst documents of a shard: those that people open first, kept beside all others.

Of most runs the page then reads no part of the verdicts again, of which it would need a row in a hundred.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from fieldwise.compare.results import ABSENT
from fieldwise.tables.derived import CELLS
from fieldwise.tables.stored import Ints
from fieldwise.tables.verdict_columns import VERDICTS
from fieldwise.tables.verdicts import VerdictTable

MAX_KEPT = 4_000
"""Documents are kept, the worst first, while a shard keeps no more values than these."""
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
