"""Whether the files of a run belong together: metrics, documents and rows count the same values."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from fieldwise.results import Metrics
from fieldwise.tables.derived import CELLS
from fieldwise.tables.stored import Ints, apart, damaged, names_of, times_before
from fieldwise.tables.stored_documents import DocumentTable
from fieldwise.tables.stored_verdicts import count_outcomes, row_groups
from fieldwise.tables.verdict_columns import OUTCOMES

_COLUMNS = ("document", "trial", "path", "predicted_path", "outcome")
_VALUES = len(OUTCOMES) - 1
"""The outcomes of values that are there: all but *absent*."""


def check_documents(metrics_path: Path, metrics: Metrics, documents: DocumentTable) -> None:
    """Refuse documents that are not those of the metrics, by their kinds and their sums."""
    _check_kinds(metrics_path, metrics.documents, documents)
    found = documents.counts.sum(axis=0).tolist()
    for word, one, other in zip(OUTCOMES, _counted(metrics) or found, found, strict=True):
        if one != other:
            raise apart(metrics_path, documents.path, f"the outcome {word} comes {one:,} and {other:,} times")


def _counted(metrics: Metrics) -> list[int] | None:
    """Return how many values have each outcome, where the metrics count them one by one."""
    return [getattr(metrics.aggregate, cell) for cell in CELLS] if metrics.unmatched == "leaves" else None


def _check_kinds(metrics_path: Path, kinds: Mapping[str, int], documents: DocumentTable) -> None:
    if not kinds:
        return
    found = documents.kinds
    for kind in sorted({*found, *kinds}):
        one, other = kinds.get(kind, 0), found.get(kind, 0)
        if one != other:
            raise apart(metrics_path, documents.path, f"the status {kind} comes {one:,} and {other:,} times")


def check_verdicts(verdicts: Path, metrics_path: Path, metrics: Metrics, documents: DocumentTable | None) -> None:
    """Refuse verdict rows that are not those of the documents, or of the metrics where documents are lost."""
    totals = count_outcomes(verdicts)
    found = [totals[word] for word in OUTCOMES]
    expected = _counted(metrics) if documents is None else documents.counts.sum(axis=0).tolist()
    if expected is None or found == expected:
        return
    if documents is not None:
        _check_rows(verdicts, documents)
    _refuse(verdicts, metrics_path if documents is None else documents.path, found, expected)


def _refuse(verdicts: Path, other: Path, found: Sequence[int], expected: Sequence[int]) -> None:
    if sum(found) != sum(expected):
        raise apart(verdicts, other, f"{sum(found):,} rows and {sum(expected):,} values")
    word, one, two = next(three for three in zip(OUTCOMES, found, expected, strict=True) if three[1] != three[2])
    raise apart(verdicts, other, f"the outcome {word} comes {one:,} and {two:,} times")


def _check_rows(verdicts: Path, documents: DocumentTable) -> None:
    """Refuse rows that come twice, and documents with more or fewer values of an outcome than is said of them."""
    ids = {name: number for number, name in enumerate(dict.fromkeys(documents.ids.to_pylist()))}
    places: dict[str, int] = {}
    parts = [_numbered(table, ids, places) for table in row_groups(verdicts, _COLUMNS)]
    rows = np.concatenate(parts) if parts else np.zeros((0, 4), np.int64)
    names = list(ids)
    last, size = int(rows[:, 1].max(initial=1)) + 1, len(names)
    keys = ((rows[:, 0] * last + rows[:, 1]) * (len(places) + 1) + rows[:, 2]) * 2 + (rows[:, 3] == 2)
    if len(np.unique(keys)) < len(keys):
        at = int(np.flatnonzero(times_before(keys))[0])
        of = f"{list(places)[rows[at, 2]]} of document {names[rows[at, 0]]}"
        raise damaged(f"Expected every place once in {verdicts}, got {of} twice", verdicts)
    found = np.bincount(rows[:, 0] * _VALUES + rows[:, 3], minlength=size * _VALUES).reshape(size, _VALUES)
    said = np.zeros((size, _VALUES), np.int64)
    np.add.at(said, [ids[name] for name in documents.ids.to_pylist()], documents.counts[:, :_VALUES])
    if not np.array_equal(found, said):
        number, outcome = (int(at) for at in np.argwhere(found != said)[0])
        times = f"the outcome {OUTCOMES[outcome]} comes {found[number, outcome]:,} and {said[number, outcome]:,} times"
        raise apart(verdicts, documents.path, f"{times} in document {names[number]}")


def _numbered(table: Any, ids: dict[str, int], places: dict[str, int]) -> Ints:
    """Return document, trial, place and outcome of each row that is not absent on both sides, as numbers."""
    outcomes, documents = names_of(table, "outcome"), names_of(table, "document")
    paths, predicted = names_of(table, "path"), names_of(table, "predicted_path")
    own = _places(predicted.names, places)[predicted.codes]
    found = np.where(paths.codes < 0, own, _places(paths.names, places)[paths.codes])
    words = np.array([OUTCOMES.index(word) for word in outcomes.names], np.int64)[outcomes.codes]
    numbers = np.array([ids.setdefault(name, len(ids)) for name in documents.names], np.int64)[documents.codes]
    rows = np.column_stack([numbers, table["trial"].to_numpy(), found, words]).astype(np.int64)
    kept: Ints = rows[words != _VALUES]
    return kept


def _places(names: Sequence[str], places: dict[str, int]) -> Ints:
    return np.array([*(places.setdefault(name, len(places)) for name in names), -1], np.int64)
