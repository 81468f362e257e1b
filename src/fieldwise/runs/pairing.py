"""Two runs side by side: which documents both have, and their counts, document by document and field by field."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from fieldwise.errors import InputError
from fieldwise.results.difference import DocumentIds, Pairing, RunFacts, TrialNumbers
from fieldwise.results.statuses import (
    COMPARATOR_RAISED,
    COUNTED,
    FAILED,
    NO_EXPECTED,
    SCORED,
    STATUSES,
)
from fieldwise.runs.clusters import Clusters, check_clusters, cluster_key, clusters_in
from fieldwise.runs.run import Run
from fieldwise.runs.trials import Counts, Trials, common_scale, trial_tables, trials_in
from fieldwise.stats.count_tables import ClusterTable, added, no_counts
from fieldwise.tables.stored import Ints, Mask
from fieldwise.tables.stored_documents import DocumentTable

Tables: TypeAlias = tuple[Counts, Counts]
"""The counts tp, fd, fa, fn of each document, of base and candidate."""
MATCH, MISMATCH, SPURIOUS, MISSED = range(4)
EXPECTED = [MATCH, MISMATCH, MISSED]
"""The outcomes of values that were expected."""
_UNUSABLE = frozenset(COUNTED) - {SCORED, COMPARATOR_RAISED}


@dataclass(frozen=True)
class PairedDocuments:
    """The ids of the documents of two runs, all of them; what each list means is said by `results.Pairing`."""

    compared: tuple[str, ...]
    """In the order of the base."""
    base_failed: tuple[str, ...]
    candidate_failed: tuple[str, ...]
    base_without_prediction: tuple[str, ...]
    candidate_without_prediction: tuple[str, ...]
    base_only: tuple[str, ...]
    candidate_only: tuple[str, ...]
    excluded: tuple[str, ...]
    without_expected: tuple[str, ...]


@dataclass(frozen=True)
class Side:
    """One of two runs: where its documents are among the paired ones."""

    run: Run
    places: Ints
    """For each row of its documents the place of the paired document; -1 where it is not paired."""
    numbers: Ints
    """Which trial each row is."""
    trials: Trials
    """The trials of paired documents that were counted or failed."""
    failed: Mask
    """Which paired documents it failed at."""

    @cached_property
    def fields(self) -> frozenset[str]:
        """The fields that it has counts of."""
        return frozenset(self.run.fields())

    def table(self, field: str) -> tuple[Counts, bool]:
        """Return the counts of a field in each trial, and whether a value of it is in a list."""
        table = no_counts(len(self.trials.documents))
        if field not in self.fields:  # which the other run has
            return table, False
        counts = self.run.counts(field)
        numbers = counts["document"].to_numpy()
        paired = self.places[numbers] >= 0
        kept = slice(None) if paired.all() else paired
        rows = self.trials.at(numbers[kept])
        for cell, name in enumerate(("tp", "fd", "fa", "fn")):
            table[rows, cell] = counts[name].to_numpy()[kept]
        return table, self.run.is_listed(field)


class FieldTables(Mapping[str, Tables]):
    """The counts of every field in two runs, read when they are asked for, with a row for each paired document.

    A document at which a run failed has there as missed what the other run shows to be expected. Where documents have
    several trials, the counts are those of a mean trial.
    """

    def __init__(self, sides: tuple[Side, Side], documents: int, *, scale: int | None) -> None:
        self._sides, self._documents, self._scale = sides, documents, scale
        self._listed: dict[str, bool] = {}
        self._total: Tables | None = None
        self._names: tuple[str, ...] = ()

    def __getitem__(self, field: str) -> Tables:
        (base, in_list), (candidate, also) = (side.table(field) for side in self._sides)
        self._listed[field] = in_list or also
        if self._scale is not None:
            trials = self._sides[0].trials, self._sides[1].trials
            return trial_tables(base, candidate, trials, self._scale)
        _miss(base, candidate, self._sides[0].failed)
        _miss(candidate, base, self._sides[1].failed)
        return base, candidate

    def each(self) -> Iterator[tuple[str, Tables]]:
        """Yield every field that a paired document has a value of, one at a time."""
        names, total = [], Total(self._documents)
        for field in sorted({*self._sides[0].run.fields(), *self._sides[1].run.fields()}):
            tables = self[field]
            if tables[0].any() or tables[1].any():
                names.append(field)
                total.add(tables)
                yield field, tables
        self._names, self._total = tuple(names), total.tables()

    def total(self) -> Tables:
        """Return all fields together."""
        if self._total is None:
            for _ in self.each():
                pass
        assert self._total is not None
        return self._total

    def __iter__(self) -> Iterator[str]:
        self.total()
        return iter(self._names)

    def __len__(self) -> int:
        self.total()
        return len(self._names)

    def is_scalar(self, field: str) -> bool:
        """Tell whether a field has one value in a document at most: none has a position in its path."""
        if field not in self._listed:
            self[field]
        return not self._listed[field]

    def without(self, fields: Iterable[str], units: Callable[[Tables], Tables]) -> Mapping[str, Tables]:
        """Return the fields but some, which are still read one at a time, by units of statistics."""
        left_out = set(fields)
        return _Some(lambda field: units(self[field]), [field for field in self if field not in left_out])


class _Some(Mapping[str, Tables]):
    def __init__(self, read: Callable[[str], Tables], names: list[str]) -> None:
        self._read, self._names = read, names

    def __getitem__(self, field: str) -> Tables:
        return self._read(field)

    def __iter__(self) -> Iterator[str]:
        return iter(self._names)

    def __len__(self) -> int:
        return len(self._names)


def values_of(table: Counts) -> Ints:
    """Return how many values each document has; a product takes a fifth of the time of a sum over columns."""
    counts = np.asarray(table)
    found: Ints = counts @ np.ones(counts.shape[1], counts.dtype)
    return found


def differing(tables: Tables) -> int:
    """Return in how many documents the counts differ."""
    base, candidate = np.asarray(tables[0]), np.asarray(tables[1])
    apart = base[:, 0] != candidate[:, 0]
    for cell in range(1, base.shape[1]):
        apart |= base[:, cell] != candidate[:, cell]
    return int(np.count_nonzero(apart))


class Total:
    """The sum of tables of the same documents, one added after the other."""

    def __init__(self, documents: int) -> None:
        self._documents = documents
        self._sums: Tables | None = None

    def add(self, tables: Tables) -> None:
        """Add the tables of a field."""
        if self._sums is None:
            self._sums = added([tables[0]], self._documents), added([tables[1]], self._documents)
        else:
            both = zip(self._sums, tables, strict=True)
            base, candidate = (added([one, other], self._documents) for one, other in both)
            self._sums = base, candidate

    def tables(self) -> Tables:
        """Return the sums; those of nothing are 0."""
        if self._sums is None:
            return added([], self._documents), added([], self._documents)
        return self._sums


@dataclass(frozen=True)
class PairedRuns:
    """Two runs on the same documents: tables of counts (tp, fd, fa, fn) with a row for each paired document.

    Where documents have several trials, the counts are those of a mean trial, times ``scale``.
    """

    base: Run
    candidate: Run
    ids: PairedDocuments
    statuses: tuple[Mapping[str, int], Mapping[str, int]]
    """How many documents of base and candidate have each status, paired or not."""
    sides: tuple[Side, Side]
    fields: FieldTables
    other_truth: Mask
    """Which paired documents have other expected values in the two runs."""
    has_trials: bool = False
    """Whether a document has several trials in one of the runs."""
    scale: int = 1
    clusters: Clusters | None = None
    """To what cluster each paired document belongs, where clusters are the units."""

    def units(self, tables: Tables) -> Tables:
        """Return tables with a row for each unit of statistics: for each cluster, where there are any."""
        if self.clusters is None:
            return tables
        numbers = self.clusters.numbers
        return ClusterTable.of(tables[0], numbers), ClusterTable.of(tables[1], numbers)

    def documents(self) -> Pairing:
        """Return how many documents are compared, and which are not, or count as missed."""
        lists = {name: DocumentIds.of(ids) for name, ids in vars(self.ids).items() if name != "compared"}
        other = tuple(self.ids.compared[at] for at in np.flatnonzero(self.other_truth).tolist())
        trials = TrialNumbers(*(len(side.trials.documents) for side in self.sides)) if self.has_trials else None
        compared = len(self.ids.compared)
        by, clusters = (None, None) if self.clusters is None else (self.clusters.key, self.clusters.count)
        return Pairing(
            compared=compared,
            trials=trials,
            other_expected_values=DocumentIds.of(other),
            cluster_by=by,
            cluster_count=clusters,
            **lists,
        )

    @cached_property
    def total(self) -> Tables:
        """All fields together."""
        return self.fields.total()

    def sum_of(self, fields: Iterable[str]) -> Tables:
        """Add up the tables of some fields."""
        total = Total(len(self.ids.compared))
        for field in fields:
            total.add(self.fields[field])
        return total.tables()


def pair_runs(base: Run, candidate: Run, purpose: str, cluster_by: str | None = None) -> PairedRuns:
    """Read two runs and pair them by document id.

    Documents with the same value of ``cluster_by`` belong together; without a key, by the one of both evaluations.
    """
    for run in (base, candidate):
        run.need_rows(purpose)
    documents = base.documents(), candidate.documents()
    held = documents[0].by_id(), documents[1].by_id()
    paired, ids = _paired(*held)
    if not paired.compared:
        shown = " and ".join(str(names[0]) if len(names) else "no document" for names, _ in held)
        raise InputError(
            f"{base.name} and {candidate.name} have no document in common that could be compared ({shown}); "
            "documents are paired by id",
            code="run.no_common_documents",
            facts={"base": base.name, "candidate": candidate.name},
        )
    sides = _side(base, documents[0], ids), _side(candidate, documents[1], ids)
    trials = sides[0].trials, sides[1].trials
    has_trials = documents[0].has_trials or documents[1].has_trials
    scale = common_scale(trials) if has_trials else 1
    return PairedRuns(
        base,
        candidate,
        paired,
        statuses=(documents[0].kinds, documents[1].kinds),
        sides=sides,
        fields=FieldTables(sides, len(paired.compared), scale=scale if has_trials else None),
        other_truth=_other_truth(sides, documents),
        has_trials=has_trials,
        scale=scale,
        clusters=_clusters(sides, documents, cluster_by),
    )


def _clusters(
    sides: tuple[Side, Side], documents: tuple[DocumentTable, DocumentTable], cluster_by: str | None
) -> Clusters | None:
    key = cluster_key([side.run for side in sides], cluster_by)
    if key is None:
        return None
    found: list[str | None] = [None] * len(sides[0].failed)
    for side, table in zip(sides, documents, strict=True):  # what the base says comes first
        for place, value in zip(side.places.tolist(), clusters_in(side.run, table, key), strict=True):
            if place >= 0 and found[place] is None:
                found[place] = value
    check_clusters(sides[0].run, key, found)
    return Clusters.of(key, found)


def run_facts(run: Run) -> RunFacts:
    """Return by what the numbers of a run can be traced."""
    metrics = run.metrics
    return RunFacts(
        name=run.name,
        document_count=metrics.document_count,
        trial_count=metrics.document_count if metrics.trial_count is None else metrics.trial_count,
        spec_fingerprint=metrics.spec_fingerprint,
        scorer_version=metrics.scorer_version,
        unmatched=metrics.unmatched,
    )


def _side(run: Run, table: DocumentTable, ids: Any) -> Side:
    places = np.asarray(pc.index_in(table.ids, value_set=ids).fill_null(-1)).astype(np.int64)
    trials = trials_in(table, places)
    return Side(run, places, table.trials, trials, trials.counted == 0)


def _other_truth(sides: tuple[Side, Side], documents: tuple[DocumentTable, DocumentTable]) -> Mask:
    """Tell which paired documents hold other values in the two runs, where both runs say what they hold."""
    size = len(sides[0].failed)
    truths = [_truths(side, table, size) for side, table in zip(sides, documents, strict=True)]
    known = truths[0][1] & truths[1][1] & ~sides[0].failed & ~sides[1].failed
    other: Mask = known & (truths[0][0] != truths[1][0])
    return other


def _truths(side: Side, table: DocumentTable, size: int) -> tuple[npt.NDArray[np.uint64], Mask]:
    """Return the hash of each paired document, and which have one."""
    hashes, known = np.zeros(size, np.uint64), np.zeros(size, bool)
    if table.truths is not None:
        there = np.flatnonzero(np.asarray(table.truths.is_valid()) & (side.places >= 0))
        known[side.places[there]] = True
        if len(there):
            found = table.truths.take(pa.array(there)).combine_chunks()
            hashes[side.places[there]] = np.frombuffer(found.buffers()[1], np.uint64, len(there), found.offset * 8)
    return hashes, known


def _paired(base: tuple[Any, Ints], candidate: tuple[Any, Ints]) -> tuple[PairedDocuments, Any]:
    """Pair documents by id, given the ids and statuses of both runs; return the ids of paired ones beside it."""
    places = np.asarray(pc.index_in(base[0], value_set=candidate[0]).fill_null(-1)).astype(np.int64)
    in_both = np.flatnonzero(places >= 0)
    before, after = base[1][in_both], candidate[1][places[in_both]]
    counted = _is(before, *COUNTED), _is(after, *COUNTED)
    failed = _is(before, FAILED) & counted[1], counted[0] & _is(after, FAILED)
    kept = (counted[0] & counted[1]) | failed[0] | failed[1]
    unasked = _is(before, NO_EXPECTED) & _is(after, NO_EXPECTED)
    alone = _alone(base, candidate[0]), _alone(candidate, base[0])

    def named(which: Mask) -> tuple[str, ...]:
        return tuple(base[0].take(pa.array(in_both[which])).to_pylist())

    paired = PairedDocuments(
        compared=named(kept),
        base_failed=named(failed[0]),
        candidate_failed=named(failed[1]),
        base_without_prediction=named(kept & _is(before, *_UNUSABLE)),
        candidate_without_prediction=named(kept & _is(after, *_UNUSABLE)),
        base_only=alone[0][0],
        candidate_only=alone[1][0],
        excluded=named(~kept & ~unasked),
        without_expected=(*named(unasked), *alone[0][1], *alone[1][1]),
    )
    return paired, base[0].take(pa.array(in_both[kept]))


def _alone(run: tuple[Any, Ints], others: Any) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the ids that the other run has not: of documents, and of predictions without an expected document."""
    alone, unasked = ~np.asarray(pc.is_in(run[0], value_set=others)), _is(run[1], NO_EXPECTED)
    one, other = (tuple(run[0].filter(pa.array(alone & which)).to_pylist()) for which in (~unasked, unasked))
    return one, other


def _is(statuses: Ints, *names: str) -> Mask:
    return np.isin(statuses, [[*STATUSES].index(name) for name in names])


def _miss(failed: Counts, other: Counts, documents: Mask) -> None:
    """Count as missed, in the run that failed, what the other run shows to be expected."""
    failed[documents] = 0
    failed[documents, MISSED] = other[documents][:, EXPECTED].sum(axis=1)
