"""Counts of two runs, document by document: a table with a row for each document and the columns tp, fd, fa, fn."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from fieldwise.errors import InputError
from fieldwise.results.rates import DENOMINATORS, NUMERATORS, Metric, Ratio
from fieldwise.stats.histograms import CountHistogram, Part

Floats: TypeAlias = npt.NDArray[np.float64]
Ints: TypeAlias = npt.NDArray[np.int64]
Parts: TypeAlias = Ints | Floats
"""A row for the base and one for the candidate, a column for each document."""
Table: TypeAlias = npt.ArrayLike
"""Rows of whole numbers."""


class PairedParts(NamedTuple):
    """Numerators and denominators of two runs on the same units: the rate of a run is the ratio of their sums."""

    tops: Parts
    bottoms: Parts
    documents: int | None = None
    """Where the units are clusters: how many documents have a denominator in one of the runs."""
    kept: float = 1.0
    """What is left of the denominator of a document that is wholly right, where it is lost: half of it for F1, in which
    a right value counts on both sides and a missed one on one."""


_EXACT = 2**53
"""Sums up to here are exact as floating numbers."""
_DENSE = 100_000
"""Denominators below are counted one by one, without sorting them."""


class CompoundCounts(npt.NDArray[np.int64]):
    """A table that remembers what its rows are sums of; what is computed from it is a plain array."""

    def __array_ufunc__(self, ufunc: np.ufunc, method: str, *inputs: object, **options: object) -> object:
        """Compute with it as with any array."""
        plain = [np.asarray(given) if isinstance(given, CompoundCounts) else given for given in inputs]
        return getattr(ufunc, method)(*plain, **options)

    def __getitem__(self, key: Any) -> Any:
        return np.asarray(self)[key]


class ClusterTable(CompoundCounts):
    """A table of counts with a row for each cluster of documents, which remembers the documents."""

    documents: npt.NDArray[np.signedinteger] | None
    clusters: Ints
    """The cluster of each document."""

    @classmethod
    def of(cls, documents: npt.NDArray[np.signedinteger], clusters: Ints) -> ClusterTable:
        """Return the table of documents, given the number of the cluster of each."""
        table = _by_cluster(np.asarray(documents).T, clusters).T.copy().view(cls)
        table.documents, table.clusters = documents, clusters
        return table

    def __array_finalize__(self, source: object) -> None:
        self.documents = None


def _by_cluster(rows: npt.NDArray[Any], clusters: Ints) -> npt.NDArray[Any]:
    """Add up the columns of documents, cluster by cluster."""
    sums = np.zeros((len(rows), int(clusters.max(initial=-1)) + 1), rows.dtype if rows.dtype.kind == "f" else np.int64)
    for row, total in zip(rows, sums, strict=True):
        np.add.at(total, clusters, row)
    return sums


def documents_with(table: Table, ratio: Ratio) -> int | None:
    """Return in how many documents of a table of clusters a ratio has a denominator; None of other tables."""
    if not isinstance(table, ClusterTable) or table.documents is None:
        return None
    return int(np.count_nonzero(_parts(table_of(table.documents), ratio)[1]))


def documents_in(table: npt.NDArray[np.signedinteger]) -> int:
    """Return how many documents a table has."""
    inner = table.documents if isinstance(table, ClusterTable) else None
    return len(table if inner is None else inner)


def is_clustered(table: Table) -> bool:
    """Tell whether a table has a row for each cluster."""
    return isinstance(table, ClusterTable) and table.documents is not None


class TrialCounts(CompoundCounts):
    """A table of counts of documents with several trials, which remembers the counts of each trial.

    As any table it has one row for each document: the sums over its trials divided by their number, and multiplied by
    ``scale`` so that they are whole numbers. Both runs have the same scale, which ratios don't depend on.
    """

    of_trials: Ints | None
    starts: Ints
    """Where the trials of each document begin."""
    scale: int

    @classmethod
    def of(cls, of_trials: Ints, starts: Ints, scale: int) -> TrialCounts:
        """Return the table of some trials; every document has one at least."""
        sums = np.add.reduceat(of_trials.astype(np.int64), starts, axis=0)
        means = np.rint(sums * scale / trials_of(starts, len(of_trials))[:, None]).astype(np.int64)
        table = means.view(cls)
        table.of_trials, table.starts, table.scale = of_trials.astype(np.int64), starts, scale
        return table

    def __array_finalize__(self, source: object) -> None:
        self.of_trials = None

    def means(self, values: Parts, which: npt.NDArray[np.bool_] | None = None) -> Floats:
        """Return the mean over each document's trials of a value, of those it is known for; NaN where of none."""
        known = np.ones(len(values)) if which is None else which.astype(float)
        sums = np.add.reduceat(np.where(known > 0, values, 0.0), self.starts)
        with np.errstate(invalid="ignore"):
            return np.round(sums / np.add.reduceat(known, self.starts), 12)


def trials_of(starts: Ints, count: int) -> Ints:
    """Return how many trials each document has, given where they begin and how many there are."""
    return np.diff(np.append(starts, count))


def added(tables: Sequence[npt.NDArray[np.signedinteger]], documents: int) -> npt.NDArray[np.signedinteger]:
    """Add up tables of the same documents, trial by trial where they have several."""
    first = tables[0] if tables else None
    if isinstance(first, TrialCounts) and first.of_trials is not None:
        parts = [table.of_trials for table in tables if isinstance(table, TrialCounts) and table.of_trials is not None]
        return TrialCounts.of(np.sum(parts, axis=0), first.starts, first.scale)
    return sum(tables, no_counts(documents))


def no_counts(documents: int) -> npt.NDArray[np.int32]:
    """Return a table of zeros; its columns are contiguous, since ratios are added up column by column."""
    return np.zeros((4, documents), np.int32).T


def table_of(counts: Table) -> Ints:
    """Check a table of counts."""
    table = np.asarray(counts)
    table = table.reshape(0, 4) if not table.size else table
    if table.ndim != 2 or table.shape[1] != 4 or (len(table) and table.dtype.kind not in "iu"):
        raise InputError(f"Expected rows of the whole numbers tp, fd, fa, fn, got a table of shape {table.shape}")
    if table.min(initial=0) < 0:
        raise InputError("Expected counts from 0, got a number below 0")
    return table if np.can_cast(table.dtype, np.int64) else table.astype(np.int64)


def parts_of(base: Table, candidate: Table, metric: Metric) -> PairedParts:
    """Return the numerators and denominators of a metric."""
    if metric == "document_macro_f1":
        return mean_parts(base, candidate, "strict_f1")
    inner, tables = _documents(base, candidate), _paired(base, candidate)
    if metric == "exact_documents":
        if inner is not None:
            return _summed(parts_of(inner[0], inner[1], metric), inner[2])
        right: Parts = np.stack([_exactness(base), _exactness(candidate)])  # type: ignore[assignment]  # of one kind
        return PairedParts(right, np.ones_like(right))
    documents = None if inner is None else _documents_rated(parts_of(inner[0], inner[1], metric))
    return PairedParts(*_ratio_parts(tables, metric), documents, _kept(metric))


def _kept(ratio: Ratio) -> float:
    """Return the share for a ratio; a missed value is in no precision, so there the lost document is wrong."""
    of_right, of_wrong, _, of_missed = DENOMINATORS[ratio]
    return (of_missed or of_wrong) / of_right


def _ratio_parts(tables: tuple[Ints, Ints], ratio: Ratio) -> tuple[Ints, Ints]:
    tops, bottoms = np.zeros((2, len(tables[0])), np.int64), np.zeros((2, len(tables[0])), np.int64)
    for table, top, bottom in zip(tables, tops, bottoms, strict=True):
        _add_weighted(table, NUMERATORS[ratio], top)
        _add_weighted(table, DENOMINATORS[ratio], bottom)
    return tops, bottoms


def mean_parts(base: Table, candidate: Table, ratio: Ratio) -> PairedParts:
    """Return the documents' own ratios as numerators, so that the ratio of sums is their mean.

    A document without anything to divide by in one run has 1 there where nothing in it is wrong, else 0; one without
    anything in either run is left out, with the denominator 0. The ratio of a document with several trials is the mean
    of those of its trials, where they have one. Of a cluster both are sums over its documents.
    """
    inner = _documents(base, candidate)
    if inner is not None:
        return _summed(mean_parts(inner[0], inner[1], ratio), inner[2])
    bottoms = parts_of(base, candidate, ratio).bottoms
    rates = np.stack([_own_rates(base, ratio), _own_rates(candidate, ratio)])
    rated = np.broadcast_to((bottoms > 0).any(axis=0), rates.shape).astype(float)
    return PairedParts(rates * rated, rated)


def _documents_rated(parts: PairedParts) -> int:
    return int((parts.bottoms > 0).any(axis=0).sum())


def _documents(base: Table, candidate: Table) -> tuple[Table, Table, Ints] | None:
    """Return the documents of two tables of clusters, and the cluster of each; None of other tables."""
    if not (isinstance(base, ClusterTable) and isinstance(candidate, ClusterTable)):
        return None
    if base.documents is None or candidate.documents is None:
        return None
    return base.documents, candidate.documents, base.clusters


def _summed(parts: PairedParts, clusters: Ints) -> PairedParts:
    return PairedParts(_by_cluster(parts.tops, clusters), _by_cluster(parts.bottoms, clusters), _documents_rated(parts))


def is_compound(table: Table) -> bool:
    """Tell whether the rows of a table are of several trials of a document, or of several documents."""
    if isinstance(table, ClusterTable) and table.documents is not None:
        return len(table) < len(table.documents) or is_compound(table.documents)
    return isinstance(table, TrialCounts) and table.of_trials is not None


def _without_error(table: Ints) -> npt.NDArray[np.bool_]:
    """Tell which documents have no wrong, invented or missed value."""
    right: npt.NDArray[np.bool_] = table[:, 1:].sum(axis=1) == 0
    return right


def _exactness(table: Table) -> Parts:
    """Return 1 for documents without error and 0 for others; of several trials the mean."""
    if isinstance(table, TrialCounts) and table.of_trials is not None:
        return table.means(_without_error(table.of_trials).astype(float))
    return _without_error(table_of(table)).astype(np.int64)


def _own_rates(table: Table, ratio: Ratio) -> Floats:
    counts = table_of(table)
    right = _without_error(counts).astype(float)
    if isinstance(table, TrialCounts) and table.of_trials is not None:
        tops, bottoms = _parts(table.of_trials, ratio)
        means = table.means(tops / np.maximum(bottoms, 1), bottoms > 0)
        return np.where(np.isnan(means), right, means)
    tops, bottoms = _parts(counts, ratio)
    return np.where(bottoms == 0, right, tops / np.maximum(bottoms, 1))


def _parts(table: Ints, ratio: Ratio) -> tuple[Ints, Ints]:
    tops, bottoms = np.zeros(len(table), np.int64), np.zeros(len(table), np.int64)
    _add_weighted(table, NUMERATORS[ratio], tops)
    _add_weighted(table, DENOMINATORS[ratio], bottoms)
    return tops, bottoms


def _add_weighted(table: Ints, weights: Sequence[int], total: Ints) -> None:
    """Add the weighted sum of each row, column by column: a product of whole numbers takes nine times as long."""
    for column, weight in zip(table.T, weights, strict=True):
        if weight:
            total += column if weight == 1 else np.multiply(column, weight, dtype=np.int64)


def _paired(base: Table, candidate: Table) -> tuple[Ints, Ints]:
    tables = table_of(base), table_of(candidate)
    if len(tables[0]) != len(tables[1]):
        raise InputError(f"Expected the same documents in both runs, got {len(tables[0])} and {len(tables[1])}")
    return tables


def rate_of(tops: Parts, bottoms: Parts) -> float | None:
    """Return the ratio of two sums; None where the second is 0."""
    whole = bottoms.sum().item()
    return float(tops.sum().item() / whole) if whole else None


def ratio_parts(table: Table, ratio: Ratio) -> list[Part]:
    """Return the documents of a table by the denominator of a ratio, as their histogram would.

    >>> ratio_parts([[4, 1, 0, 1], [3, 2, 0, 0], [0, 0, 0, 0]], "precision")
    [Part(denominator=5, documents=2, numerators=7, squares=25)]
    """
    tops, bottoms = _parts(table_of(table), ratio)
    if not len(tops) or int(tops.max()) ** 2 * len(tops) > _EXACT:
        return histogram_of(table).parts(ratio)
    if bottoms.max() > _DENSE:
        sizes, which = np.unique(bottoms, return_inverse=True)
    else:
        sizes, which = np.arange(int(bottoms.max()) + 1), bottoms
    columns = [sizes, *(np.bincount(which, weights, len(sizes)) for weights in (None, tops, tops * tops))]
    there = np.flatnonzero((sizes > 0) & (columns[1] > 0))
    return [Part(*row) for row in zip(*(column[there].astype(np.int64).tolist() for column in columns), strict=True)]


def histogram_of(table: Table) -> CountHistogram:
    """Return the histogram of the documents of a table."""
    rows, found = table_of(table), CountHistogram()
    for (tp, fd, fa, fn), documents in zip(*_distinct(rows), strict=True):
        found.add((tp, fd, fa, fn), documents)
    return found


def _distinct(rows: Ints) -> tuple[list[list[int]], list[int]]:
    """Return the different rows of a table and how often each occurs; a row is one number where it fits into one."""
    shape = tuple(most + 1 for most in rows.max(axis=0, initial=0).tolist())
    if math.prod(shape) > _EXACT:
        different, times = np.unique(rows, axis=0, return_counts=True)
    else:
        numbers, times = np.unique(np.ravel_multi_index(tuple(rows.T), shape), return_counts=True)
        different = np.column_stack(np.unravel_index(numbers, shape))
    return different.tolist(), times.tolist()
