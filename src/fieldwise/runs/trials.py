"""Documents with several trials, for comparing runs: where the counts of each are, and what failed ones missed."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np

from fieldwise.runs.document_table import DocumentTable
from fieldwise.runs.outcomes import MATCH, MISMATCH, MISSED, Counts, Ints, Mask, Names, OutcomeRows
from fieldwise.stats.count_tables import TrialCounts, trials_of
from fieldwise.tables.documents import COUNTED, FAILED

MAX_SCALE = 10_000
"""Counts of a mean trial are whole numbers of at least this part of a value, where trials have no smaller multiple."""


@dataclass(frozen=True)
class Trials:
    """The trials of a run's paired documents, by document and number; those that were left out are not among them."""

    documents: Ints
    numbers: Ints
    failed: Mask

    @property
    def starts(self) -> Ints:
        """Where the trials of each document begin."""
        return np.flatnonzero(np.append(True, self.documents[1:] != self.documents[:-1]))

    @property
    def by_document(self) -> Ints:
        """How many trials each document has."""
        return trials_of(self.starts, len(self.documents))

    def places(self, documents: Ints, numbers: Counts) -> Ints:
        """Return where some trials are among all."""
        last = int(self.numbers.max(initial=1)) + 1
        return np.searchsorted(self.documents * last + self.numbers, documents * last + numbers)

    def first_counted(self) -> Ints:
        """Return for each document its first trial that was counted, -1 where there is none."""
        first = np.full(len(self.starts), -1, np.int64)
        counted = np.flatnonzero(~self.failed)[::-1]
        first[self.documents[counted]] = counted
        return first


def trials_in(table: DocumentTable, names: Names, documents: int) -> Trials:
    """Return the trials of the first documents, which are paired, that were counted or failed."""
    numbers = names.documents.of(table.ids.to_pylist())
    failed = table.statuses.is_any(FAILED)
    kept = np.flatnonzero((failed | table.statuses.is_any(*COUNTED)) & (numbers < documents))
    kept = kept[np.lexsort((table.trials[kept], numbers[kept]))]
    return Trials(numbers[kept], table.trials[kept], failed[kept])


def common_scale(trials: tuple[Trials, Trials]) -> int:
    """Return by what the counts of mean trials are multiplied to be whole numbers, in both runs."""
    counts = np.unique(np.concatenate([run.by_document for run in trials])).tolist()
    return min(math.lcm(*counts), MAX_SCALE)


def by_trial(rows: OutcomeRows, trials: Trials) -> OutcomeRows:
    """Return rows whose documents are the places of their trials."""
    return replace(rows, documents=trials.places(rows.documents, rows.trials))


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
        table[run.failed, MISSED] = missed
    made = [TrialCounts.of(table, run.starts, scale) for table, run in zip(tables, trials, strict=True)]
    return made[0], made[1]


def _expected(table: Counts, trials: Trials) -> Ints:
    """Return how many values are expected in each document, -1 where no trial was counted."""
    first = trials.first_counted()
    values = table[:, [MATCH, MISMATCH, MISSED]].sum(axis=1).astype(np.int64)
    return np.where(first >= 0, values[first], -1)
