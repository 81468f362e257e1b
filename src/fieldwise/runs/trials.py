"""Documents with several trials, for comparing runs: where the counts of each are, and what failed ones missed."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from fieldwise.results.statuses import COUNTED, FAILED
from fieldwise.stats.count_tables import TrialCounts, trials_of
from fieldwise.tables.stored import Ints, Mask
from fieldwise.tables.stored_documents import DocumentTable

Counts: TypeAlias = npt.NDArray[np.signedinteger[Any]]
"""The counts tp, fd, fa, fn of each trial."""
MAX_SCALE = 10_000
"""Counts of a mean trial are whole numbers of at least this part of a value, where trials have no smaller multiple."""


@dataclass(frozen=True)
class Trials:
    """The trials of a run's paired documents, by document and number; those that were left out are not among them."""

    documents: Ints
    numbers: Ints
    failed: Mask
    rows: Ints
    """For each row of the run's documents its place among these trials, -1 where it is left out."""

    @cached_property
    def starts(self) -> Ints:
        """Where the trials of each document begin."""
        return np.flatnonzero(np.append(True, self.documents[1:] != self.documents[:-1]))

    @cached_property
    def by_document(self) -> Ints:
        """How many trials each document has."""
        return trials_of(self.starts, len(self.documents))

    def at(self, rows: Ints) -> Ints:
        """Return where some rows of the run's documents are among these trials."""
        return np.take(self.rows, rows)

    @cached_property
    def counted(self) -> Ints:
        """How many trials of each document were counted."""
        return np.bincount(self.documents[~self.failed], minlength=len(self.starts))

    def first_counted(self) -> Ints:
        """Return for each document its first trial that was counted, -1 where there is none."""
        first = np.full(len(self.starts), -1, np.int64)
        counted = np.flatnonzero(~self.failed)[::-1]
        first[self.documents[counted]] = counted
        return first


def trials_in(table: DocumentTable, places: Ints) -> Trials:
    """Return the trials of paired documents that were counted or failed, given the place of each row's document."""
    failed = table.statuses.is_any(FAILED)
    kept = np.flatnonzero((failed | table.statuses.is_any(*COUNTED)) & (places >= 0))
    kept = kept[np.lexsort((table.trials[kept], places[kept]))]
    rows = np.full(len(places), -1, np.int64)
    rows[kept] = np.arange(len(kept))
    return Trials(places[kept], table.trials[kept], failed[kept], rows)


def common_scale(trials: tuple[Trials, Trials]) -> int:
    """Return by what the counts of mean trials are multiplied to be whole numbers, in both runs."""
    counts = np.unique(np.concatenate([run.by_document for run in trials])).tolist()
    return min(math.lcm(*counts), MAX_SCALE)


def trial_tables(
    base: Counts, candidate: Counts, trials: tuple[Trials, Trials], scale: int
) -> tuple[TrialCounts, TrialCounts]:
    """Return the tables of one field, given the counts of each trial.

    A trial that failed missed what another one of its document, rather of the same run, shows to be expected.
    """
    tables = base, candidate
    expected = [_expected(table, run) for table, run in zip(tables, trials, strict=True)]
    for k, (table, run) in enumerate(zip(tables, trials, strict=True)):
        missed = np.where(expected[k] >= 0, expected[k], expected[1 - k])[run.documents[run.failed]]
        table[run.failed] = 0
        table[run.failed, 3] = missed
    made = [TrialCounts.of(table, run.starts, scale) for table, run in zip(tables, trials, strict=True)]
    return made[0], made[1]


def _expected(table: Counts, trials: Trials) -> Ints:
    """Return how many values are expected in each document, -1 where no trial was counted."""
    first = trials.first_counted()
    values = table[:, [0, 1, 3]].sum(axis=1).astype(np.int64)
    return np.where(first >= 0, values[first], -1)
