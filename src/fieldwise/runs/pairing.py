"""Two runs side by side: which documents both have, and their counts, document by document and field by field."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from fieldwise.errors import InputError
from fieldwise.runs.agreement import check_rows
from fieldwise.runs.document_table import DocumentTable
from fieldwise.runs.folder import Run
from fieldwise.runs.outcomes import MATCH, MISMATCH, MISSED, Counts, Ints, Names, Numbers, OutcomeRows, read_outcomes
from fieldwise.runs.trials import Trials, by_trial, common_scale, trial_tables, trials_in
from fieldwise.stats.count_tables import added
from fieldwise.tables.documents import COMPARATOR_RAISED, COUNTED, FAILED, SCORED

_UNUSABLE = frozenset(COUNTED) - {SCORED, COMPARATOR_RAISED}


@dataclass(frozen=True)
class Pairing:
    """The documents of two runs. ``documents`` are compared, in the order of the base; the others are not.

    A document that could be compared in one run only, because the other failed at it, is among them: it counts as
    missed in the run that failed. So does one without a usable prediction.
    """

    documents: tuple[str, ...]
    base_failed: tuple[str, ...]
    candidate_failed: tuple[str, ...]
    base_without_prediction: tuple[str, ...]
    candidate_without_prediction: tuple[str, ...]
    base_only: tuple[str, ...]
    candidate_only: tuple[str, ...]
    excluded: tuple[str, ...]
    """Documents that neither run could compare, or without a readable expected document in one of them."""
    scorer_versions: tuple[str | None, str | None]
    """Which fieldwise compared the documents of base and candidate; None where that is not known."""
    trials: tuple[int, int] | None = None
    """How many trials of the compared documents base and candidate have; None where no document has several."""


@dataclass(frozen=True)
class PairedRuns:
    """Two runs on the same documents: tables of counts (tp, fd, fa, fn) with a row for each paired document.

    Where documents have several trials, the counts are those of a mean trial, times ``scale``.
    """

    base: Run
    candidate: Run
    pairing: Pairing
    statuses: tuple[Mapping[str, int], Mapping[str, int]]
    """How many documents of base and candidate have each status, paired or not."""
    names: Names
    rows: tuple[OutcomeRows, OutcomeRows]
    """The rows of base and candidate, of paired documents only; their documents are places in ``pairing``."""
    fields: Mapping[str, tuple[Counts, Counts]]
    scalar_fields: frozenset[str]
    """Fields that have one value in a document at most."""
    trials: tuple[Ints, Ints] | None = None
    """How many trials each document has in base and candidate; None where none has several."""
    scale: int = 1

    @property
    def has_trials(self) -> bool:
        """Whether a document has several trials in one of the runs."""
        return self.trials is not None

    @property
    def by_objects(self) -> bool:
        """Whether the metrics of a run count the rows of lists as objects; the tables never do."""
        return "objects" in (self.base.unmatched, self.candidate.unmatched)

    @cached_property
    def total(self) -> tuple[Counts, Counts]:
        """All fields together."""
        return self.sum_of(self.fields)

    def sum_of(self, fields: Any) -> tuple[Counts, Counts]:
        """Add up the tables of some fields."""
        tables, documents = [self.fields[field] for field in fields], len(self.pairing.documents)
        base, candidate = (added([both[run] for both in tables], documents) for run in (0, 1))
        return base, candidate


def pair_runs(base: Run, candidate: Run, purpose: str) -> PairedRuns:
    """Read two runs and pair them by document id."""
    paths = [run.verdict_rows(purpose) for run in (base, candidate)]
    documents = [_documents(run, purpose) for run in (base, candidate)]
    statuses = [table.by_id for table in documents]
    pairing = _paired(statuses[0], statuses[1], (base.scorer_version, candidate.scorer_version))
    if not pairing.documents:
        shown = " and ".join(next(iter(names), "no document") for names in statuses)
        raise InputError(
            f"{base.name} and {candidate.name} have no document in common that could be compared ({shown}); "
            "documents are paired by id",
            code="run.no_common_documents",
            facts={"base": base.name, "candidate": candidate.name},
        )
    names = Names(documents=Numbers(pairing.documents))
    base_rows, candidate_rows = (_rows(path, table, names) for path, table in zip(paths, documents, strict=True))
    rows = _kept(base_rows, len(pairing.documents)), _kept(candidate_rows, len(pairing.documents))
    runs = PairedRuns(
        base,
        candidate,
        pairing,
        statuses=(documents[0].kinds, documents[1].kinds),
        names=names,
        rows=rows,
        fields={},
        scalar_fields=_scalars(rows, names),
    )
    if not (documents[0].has_trials or documents[1].has_trials):
        return replace(runs, fields=_tables(rows, pairing, names))
    size = len(pairing.documents)
    return _of_trials(runs, (trials_in(documents[0], names, size), trials_in(documents[1], names, size)))


def _of_trials(runs: PairedRuns, trials: tuple[Trials, Trials]) -> PairedRuns:
    """Return runs whose counts are those of mean trials."""
    names, scale = runs.names.fields.names, common_scale(trials)
    base, candidate = (
        _field_tables(by_trial(rows, run), len(run.documents), len(names))
        for rows, run in zip(runs.rows, trials, strict=True)
    )
    order = (k for k in sorted(range(len(names)), key=names.__getitem__) if base[k].any() or candidate[k].any())
    return replace(
        runs,
        pairing=replace(runs.pairing, trials=(len(trials[0].documents), len(trials[1].documents))),
        fields={names[k]: trial_tables(base[k], candidate[k], trials, scale) for k in order},
        trials=(trials[0].by_document, trials[1].by_document),
        scale=scale,
    )


def _documents(run: Run, purpose: str) -> DocumentTable:
    if run.documents is None:
        raise InputError(
            f"{purpose} needs {Path(run.name) / 'documents.parquet'}, which is not there",
            code="run.no_rows",
            facts={"file": run.name, "purpose": purpose},
        )
    return run.documents


def _rows(path: Path, documents: DocumentTable, names: Names) -> OutcomeRows:
    rows = read_outcomes(path, names)
    check_rows(path, rows, documents, names)
    return rows


def _paired(base: Mapping[str, str], candidate: Mapping[str, str], versions: tuple[str | None, str | None]) -> Pairing:
    paired: dict[str, list[str]] = {"both": [], "base": [], "candidate": [], "excluded": []}
    for document in (name for name in base if name in candidate):
        paired[_standing(base[document], candidate[document])].append(document)
    excluded = set(paired["excluded"])
    documents = tuple(name for name in base if name in candidate and name not in excluded)
    return Pairing(
        documents=documents,
        base_failed=tuple(paired["base"]),
        candidate_failed=tuple(paired["candidate"]),
        base_without_prediction=tuple(name for name in documents if base[name] in _UNUSABLE),
        candidate_without_prediction=tuple(name for name in documents if candidate[name] in _UNUSABLE),
        base_only=tuple(name for name in base if name not in candidate),
        candidate_only=tuple(name for name in candidate if name not in base),
        excluded=tuple(paired["excluded"]),
        scorer_versions=versions,
    )


def _standing(base: str, candidate: str) -> str:
    if base in COUNTED and candidate in COUNTED:
        return "both"
    if base in COUNTED and candidate == FAILED:
        return "candidate"
    return "base" if base == FAILED and candidate in COUNTED else "excluded"


def _kept(rows: OutcomeRows, documents: int) -> OutcomeRows:
    """Leave out the rows of documents that are not paired: they came after, so their numbers are higher."""
    return rows.taken(rows.documents < documents)


def _tables(rows: tuple[OutcomeRows, OutcomeRows], pairing: Pairing, names: Names) -> dict[str, tuple[Counts, Counts]]:
    base, candidate = (_field_tables(run, len(pairing.documents), len(names.fields)) for run in rows)
    at = {document: number for number, document in enumerate(pairing.documents)}
    failed = [
        np.array([at[name] for name in part], np.int64) for part in (pairing.base_failed, pairing.candidate_failed)
    ]
    for mine, other in zip(base, candidate, strict=True):
        _miss(mine, other, failed[0])
        _miss(other, mine, failed[1])
    order = sorted(range(len(names.fields)), key=names.fields.names.__getitem__)
    return {names.fields.names[k]: (base[k], candidate[k]) for k in order if base[k].any() or candidate[k].any()}


def _field_tables(rows: OutcomeRows, documents: int, fields: int) -> list[Counts]:
    order = np.argsort(rows.fields, kind="stable")
    ends = np.searchsorted(rows.fields[order], np.arange(fields + 1))
    cells = (rows.documents * 4 + rows.outcomes)[order]
    parts = (cells[ends[k] : ends[k + 1]] for k in range(fields))
    return [np.bincount(part, minlength=documents * 4).reshape(documents, 4).astype(np.int32) for part in parts]


def _miss(failed: Counts, other: Counts, documents: Ints) -> None:
    """Count as missed, in the run that failed, what the other run shows to be expected."""
    failed[documents] = 0
    failed[documents, MISSED] = other[documents][:, [MATCH, MISMATCH, MISSED]].sum(axis=1)


def _scalars(rows: tuple[OutcomeRows, OutcomeRows], names: Names) -> frozenset[str]:
    """Return the fields whose places are all called as the field is: an item of a list has its number in its path."""
    listed: set[int] = set()
    fields, paths = names.fields.names, names.paths.names
    for run in rows:
        seen = np.unique(run.paths * len(fields) + run.fields)
        listed |= {int(key % len(fields)) for key in seen if paths[key // len(fields)] != fields[key % len(fields)]}
    return frozenset(name for number, name in enumerate(fields) if number not in listed)
