"""Whether the files of a run belong together: metrics, documents and rows count the same values."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np

from fieldwise.errors import InputError
from fieldwise.results import Metrics
from fieldwise.runs.blocks import count_outcomes
from fieldwise.runs.document_table import COUNTS, DocumentTable
from fieldwise.runs.outcomes import WORDS, Names, OutcomeRows, read_outcomes
from fieldwise.runs.table_files import damaged


def check_files(metrics_path: Path, metrics: Metrics, documents: DocumentTable | None, verdicts: Path | None) -> None:
    """Refuse files that are not of one evaluation, by their sums."""
    by_leaves = metrics.unmatched == "leaves"
    counted = [getattr(metrics.aggregate, name) for name in COUNTS] if by_leaves else None
    if documents is not None:
        _check_kinds(metrics_path, metrics.documents, documents)
        summed = documents.counts.sum(axis=0).tolist()
        for word, one, other in zip(WORDS, counted or summed, summed, strict=True):
            if one != other:
                raise _apart(metrics_path, documents.path, f"the outcome {word} comes {one:,} and {other:,} times")
        counted = summed
    if verdicts is not None:
        _check_outcomes(verdicts, counted, metrics_path, documents)


def _check_kinds(metrics_path: Path, kinds: Mapping[str, int], documents: DocumentTable) -> None:
    if not kinds:
        return
    found = documents.kinds
    for kind in sorted({*found, *kinds}):
        one, other = kinds.get(kind, 0), found.get(kind, 0)
        if one != other:
            raise _apart(metrics_path, documents.path, f"the status {kind} comes {one:,} and {other:,} times")


def _check_outcomes(
    verdicts: Path, expected: Sequence[int] | None, metrics_path: Path, documents: DocumentTable | None
) -> None:
    totals = count_outcomes(verdicts)
    found = [totals[word] for word in WORDS]
    if expected is None or found == list(expected):
        return
    if documents is not None:
        names = Names()
        check_rows(verdicts, read_outcomes(verdicts, names), documents, names)
    other = metrics_path if documents is None else documents.path
    if sum(found) != sum(expected):
        raise _apart(verdicts, other, f"{sum(found):,} rows and {sum(expected):,} values")
    word, one, two = next(three for three in zip(WORDS, found, expected, strict=True) if three[1] != three[2])
    raise _apart(verdicts, other, f"the outcome {word} comes {one:,} and {two:,} times")


def check_rows(verdicts: Path, rows: OutcomeRows, documents: DocumentTable, names: Names) -> None:
    """Refuse rows that are not those of the documents: each has as many of every outcome as is said of it."""
    numbers = names.documents.of(documents.ids.to_pylist())
    size, outcomes = len(names.documents), len(WORDS) - 1
    found = np.bincount(rows.documents * outcomes + rows.outcomes, minlength=size * outcomes).reshape(size, outcomes)
    said = np.zeros((size, outcomes), np.int64)
    np.add.at(said, numbers, documents.counts[:, :outcomes])
    if not np.array_equal(found, said):
        number, outcome = (int(at) for at in np.argwhere(found != said)[0])
        times = f"the outcome {WORDS[outcome]} comes {found[number, outcome]:,} and {said[number, outcome]:,} times"
        raise _apart(verdicts, documents.path, f"{times} in document {names.documents.names[number]}")


def _apart(one: Path, other: Path, what: str) -> InputError:
    return damaged(f"{one} and {other.name} are not of one evaluation, or one is damaged: {what}", one, other)
