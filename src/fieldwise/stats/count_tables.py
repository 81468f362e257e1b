"""Counts of two runs, document by document: a table with a row for each document and the columns tp, fd, fa, fn."""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from fieldwise.errors import InputError
from fieldwise.stats.moments import DENOMINATORS, NUMERATORS, RATIOS, Moments, Ratio

Floats: TypeAlias = npt.NDArray[np.float64]
Ints: TypeAlias = npt.NDArray[np.int64]
Table: TypeAlias = npt.ArrayLike
"""Rows of whole numbers."""


def table_of(counts: Table) -> Ints:
    """Check a table of counts."""
    table = np.asarray(counts)
    table = table.reshape(0, 4) if not table.size else table
    if table.ndim != 2 or table.shape[1] != 4 or (len(table) and table.dtype.kind not in "iu"):
        raise InputError(f"Expected rows of the whole numbers tp, fd, fa, fn, got a table of shape {table.shape}")
    if (table < 0).any():
        raise InputError("Expected counts from 0, got a number below 0")
    return table.astype(np.int64)


def parts_of(base: Table, candidate: Table, ratio: Ratio) -> tuple[Ints, Ints]:
    """Return numerators and denominators, each with a row for the base and one for the candidate."""
    tables = table_of(base), table_of(candidate)
    if len(tables[0]) != len(tables[1]):
        raise InputError(f"Expected the same documents in both runs, got {len(tables[0])} and {len(tables[1])}")
    tops = np.stack([table @ np.array(NUMERATORS[ratio]) for table in tables])
    return tops, np.stack([table @ np.array(DENOMINATORS[ratio]) for table in tables])


def rate_of(tops: Ints, bottoms: Ints) -> float | None:
    """Return the ratio of two sums; None where the second is 0."""
    whole = int(bottoms.sum())
    return int(tops.sum()) / whole if whole else None


def moments_of(table: Table) -> Moments:
    """Return the moments of the documents of a table.

    >>> moments_of([[4, 1, 0, 1], [0, 0, 0, 0]]).to_state()[:6]
    [2, 4, 1, 0, 1, 16]
    """
    rows = table_of(table)
    products = rows.T @ rows
    upper = [int(products[i, j]) for i in range(4) for j in range(i, 4)]
    documents = [int((rows @ np.array(DENOMINATORS[ratio]) > 0).sum()) for ratio in RATIOS]
    return Moments.from_state([len(rows), *(int(total) for total in rows.sum(axis=0)), *upper, *documents])
