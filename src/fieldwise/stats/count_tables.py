"""Counts of two runs, document by document: a table with a row for each document and the columns tp, fd, fa, fn."""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from fieldwise.errors import InputError
from fieldwise.stats.moments import DENOMINATORS, NUMERATORS, RATIOS, Metric, Moments, Ratio

Floats: TypeAlias = npt.NDArray[np.float64]
Ints: TypeAlias = npt.NDArray[np.int64]
Parts: TypeAlias = Ints | Floats
"""A row for the base and one for the candidate, a column for each document."""
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


def parts_of(base: Table, candidate: Table, metric: Metric) -> tuple[Parts, Parts]:
    """Return numerators and denominators: the metric of a run is the ratio of their sums over documents."""
    if metric == "document_macro_f1":
        return mean_parts(base, candidate, "strict_f1")
    tables = _paired(base, candidate)
    if metric == "exact_documents":
        right = without_error(tables).astype(np.int64)
        return right, np.ones_like(right)
    tops = np.stack([table @ np.array(NUMERATORS[metric]) for table in tables])
    return tops, np.stack([table @ np.array(DENOMINATORS[metric]) for table in tables])


def mean_parts(base: Table, candidate: Table, ratio: Ratio) -> tuple[Floats, Floats]:
    """Return the documents' own ratios as numerators, so that the ratio of sums is their mean.

    A document without anything to divide by in one run has 1 there where nothing in it is wrong, else 0; one without
    anything in either run is left out, with the denominator 0.
    """
    tops, bottoms = parts_of(base, candidate, ratio)
    rates = np.where(bottoms == 0, without_error(_paired(base, candidate)), tops / np.maximum(bottoms, 1))
    rated = np.broadcast_to((bottoms > 0).any(axis=0), rates.shape).astype(float)
    return rates * rated, rated


def without_error(tables: tuple[Ints, Ints]) -> npt.NDArray[np.bool_]:
    """Return, for base and candidate, which documents have no wrong, invented or missed value."""
    return np.stack([table[:, 1:].sum(axis=1) == 0 for table in tables])


def _paired(base: Table, candidate: Table) -> tuple[Ints, Ints]:
    tables = table_of(base), table_of(candidate)
    if len(tables[0]) != len(tables[1]):
        raise InputError(f"Expected the same documents in both runs, got {len(tables[0])} and {len(tables[1])}")
    return tables


def rate_of(tops: Parts, bottoms: Parts) -> float | None:
    """Return the ratio of two sums; None where the second is 0."""
    whole = bottoms.sum().item()
    return float(tops.sum().item() / whole) if whole else None


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
