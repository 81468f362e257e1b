"""From sums and rows to what is shown: the fields worst first, the worst documents, the values that are wrong."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Literal, TypeVar

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from fieldwise.numbers import count
from fieldwise.report.content import (
    DocumentRow,
    EvaluationReport,
    FailureRow,
    FieldRow,
    NonMatchRow,
    OutsideSpec,
    RowKind,
)
from fieldwise.results import Failure, FieldMetrics, Metrics, Rate
from fieldwise.results.metrics import Scope, badness
from fieldwise.tables.columns import text_column
from fieldwise.text import well_formed

MOST_DOCUMENTS = 100
MOST_NON_MATCHES = 1000
MOST_OF_A_FIELD = 250
LONGEST_VALUE = 1000
MOST_FAILURES = 1000
_WRONG = ("mismatch", "missed", "spurious")
_SHOWN = [
    *("document", "trial", "path", "predicted_path", "field", "outcome", "kind", "score"),
    *("expected", "predicted", "expected_is_json", "predicted_is_json"),
]
"""The columns of verdict rows that an example of an error needs."""
_KINDS: dict[Scope, RowKind] = {
    "values": "leaf",
    "total": "leaf",
    "rows": "rows",
    "object": "object",
    "undeclared": "undeclared",
}
_Row = TypeVar("_Row", DocumentRow, NonMatchRow, FailureRow)


def field_row(path: str, row: FieldMetrics) -> FieldRow:
    """Return a row of metrics with its path."""
    return FieldRow(
        path,
        _KINDS[row.scope],
        *(row.tp, row.fd, row.fa, row.fn, row.tn),
        precision=row.rates.precision,
        recall=row.rates.recall,
        f1=row.rates.f1,
        accuracy=Rate(row.accuracy_rate),
        strict_recall=row.rates.strict_recall,
        strict_f1=row.rates.strict_f1,
        mean_score=row.mean_score,
        written_differently=row.written_differently,
        similar=row.similar,
        row_rejected=row.row_rejected,
    )


def field_rows(metrics: Metrics) -> list[FieldRow]:
    """Return the fields, worst first; those that neither side ever has come last."""
    return [field_row(path, row) for path, row in metrics.worst_first()]


def worst_first(row: FieldRow) -> tuple[bool, float, int, str]:
    """Order fields by strict F1, those without any value last; among equals those with more errors come first."""
    return badness(row.path, (row.strict_f1, row.f1), row.tp, row.fd + row.fa + row.fn)


def build_report(
    metrics: Metrics,
    *,
    title: str,
    facts: Mapping[str, str],
    worst_documents: Sequence[DocumentRow] = (),
    non_matches: tuple[Sequence[NonMatchRow], int] = ((), 0),
) -> EvaluationReport:
    """Return the report of an evaluation; ``non_matches`` are those to show, and how many there are in all."""
    of_documents = metrics.document_metrics
    trials = metrics.document_count if metrics.trial_count is None else metrics.trial_count
    several = trials > metrics.document_count
    return EvaluationReport(
        title=title,
        document_count=metrics.document_count,
        total=field_row("", metrics.aggregate),
        fields=field_rows(metrics),
        histogram=of_documents.score_histogram,
        exact_documents=of_documents.exact_documents,
        exact_rate=of_documents.exact_rate,
        weighted_score=of_documents.mean_overall_score or of_documents.weighted_score,
        score_name="weighted score" if of_documents.mean_overall_score is None else "mean overall score",
        document_macro=of_documents.macro_strict_f1,
        field_macro=metrics.field_macro.strict_f1,
        worst_documents=_named(worst_documents, several_trials=several),
        non_matches=_named(non_matches[0], several_trials=several),
        non_match_total=non_matches[1],
        failures=_named([_failure(failure) for failure in metrics.errors[:MOST_FAILURES]], several_trials=several),
        failure_total=metrics.error_count,
        error_kinds=metrics.error_kinds,
        trial_count=trials if several else None,
        notes=metrics.notes,
        outside=OutsideSpec.of(metrics.outside, metrics.outside_not_listed, ignored=metrics.extras == "ignore"),
        facts=facts,
    )


def _failure(failure: Failure) -> FailureRow:
    return FailureRow(failure.doc_id or "", failure.kind, failure.error, failure.trial)


def _named(rows: Sequence[_Row], *, several_trials: bool) -> Sequence[_Row]:
    """Leave out which trial a row is of where no document has several."""
    return rows if several_trials else [replace(row, trial=None) for row in rows]


def notes_on(rejected: int, written: int = 0, similar: int = 0) -> list[str]:
    """Say in sentences what the counts of all values alone don't show.

    >>> notes_on(1)
    ['1 right value counts as wrong because its row was rejected; match_threshold sets how alike two rows must be']
    """
    notes = []
    if rejected:
        whose = ("value counts", "its") if rejected == 1 else ("values count", "their")
        words = f"right {whose[0]} as wrong because {whose[1]} row was rejected"
        notes.append(f"{count(rejected)} {words}; match_threshold sets how alike two rows must be")
    if written or similar:
        which = "match is of values" if written + similar == 1 else "matches are of values"
        parts = [f"{count(n)} {word}" for n, word in ((written, "written differently"), (similar, "similar")) if n]
        how = ", ".join(parts)
        notes.append(f"{count(written + similar)} {which} that are not identical ({how}); fieldwise show lists them")
    return notes


def worst_documents_in(path: Path) -> list[DocumentRow]:
    """Return the documents with the lowest scores from a table of documents, those that come first among equals."""
    file = pq.ParquetFile(path)
    worst: list[tuple[float, int, int]] = []
    for group in range(file.num_row_groups):
        brief: Any = file.read_row_group(group, columns=["score", "fa"])
        score = np.asarray(brief["score"].fill_null(2.0))
        wrong = np.flatnonzero((score < 1.0) | ((score == 1.0) & (np.asarray(brief["fa"]) > 0)))
        order = wrong[np.argsort(score[wrong], kind="stable")[:MOST_DOCUMENTS]]
        worst = sorted([*worst, *((float(score[row]), group, int(row)) for row in order)])[:MOST_DOCUMENTS]
    rows: dict[tuple[int, int], DocumentRow] = {}
    for group in sorted({group for _, group, _ in worst}):
        places = [row for _, held, row in worst if held == group]
        taken: Any = file.read_row_group(group).take(places)
        rows |= {(group, row): _document(entry) for row, entry in zip(places, taken.to_pylist(), strict=True)}
    return [rows[group, row] for _, group, row in worst]


def _document(row: Mapping[str, Any]) -> DocumentRow:
    counts: Any = {key: row[key] for key in ("tp", "fd", "fa", "fn", "tn")}
    return DocumentRow(row["document"], row["score"], **counts, note=row["reason"] or "", trial=row["trial"])


def non_matches_in(path: Path, counts: Mapping[str, int]) -> list[NonMatchRow]:
    """Return examples of every field from a table of verdicts; ``counts``: how many each field has in all."""
    held: dict[str, list[NonMatchRow]] = {}
    wanted = {well_formed(field): min(count, MOST_OF_A_FIELD) for field, count in counts.items() if count}
    file = pq.ParquetFile(path)
    for group in range(file.num_row_groups):
        if all(len(held.get(field, ())) >= count for field, count in wanted.items()):
            break
        table: Any = file.read_row_group(group, columns=_SHOWN)
        wrong = table.filter(pc.is_in(table["outcome"].cast(pa.string()), pa.array(_WRONG)))
        open_fields = [field for field, count in wanted.items() if len(held.get(field, ())) < count]
        _keep(held, wrong.filter(pc.is_in(wrong["field"].cast(pa.string()), text_column(open_fields))).to_pylist())
    return _shared(held)


def _keep(held: dict[str, list[NonMatchRow]], rows: Iterable[Mapping[str, Any]]) -> None:
    for row in rows:
        kept = held.setdefault(row["field"], [])
        if len(kept) < MOST_OF_A_FIELD:
            kept.append(_non_match(row))


def _non_match(row: Mapping[str, Any]) -> NonMatchRow:
    outcome: Literal["mismatch", "missed", "spurious"] = row["outcome"]
    expected, predicted = _shown(row, "expected"), _shown(row, "predicted")
    where = row["document"], row["predicted_path"] if row["path"] is None else row["path"], row["field"]
    return NonMatchRow(*where, outcome, expected, predicted, row["score"], row["kind"], row["trial"])


def _shown(row: Mapping[str, Any], side: str) -> str | None:
    text = row[side]
    if text is not None and not row[f"{side}_is_json"] and text != text.strip():
        return json.dumps(text, ensure_ascii=False)
    return None if text is None else str(text)[:LONGEST_VALUE]


def _shared(held: Mapping[str, Sequence[NonMatchRow]]) -> list[NonMatchRow]:
    """Share the room among the fields, the rarest first, in the order of the documents."""
    chosen: list[NonMatchRow] = []
    waiting = sorted(held.values(), key=len)
    for k, rows in enumerate(waiting):
        room = (MOST_NON_MATCHES - len(chosen)) // (len(waiting) - k)
        chosen += rows[:room]
    return sorted(chosen, key=lambda row: (row.document, row.trial or 0, row.path))
