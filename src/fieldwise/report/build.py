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

from fieldwise.report.content import (
    DocumentRow,
    ErrorKinds,
    EvaluationReport,
    FailureRow,
    FieldMean,
    FieldRow,
    NonMatchRow,
    OutsideSpec,
    Rate,
    RowKind,
)
from fieldwise.report.numbers import count
from fieldwise.stats.rates import RATES, rate_in
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
_Row = TypeVar("_Row", DocumentRow, NonMatchRow, FailureRow)


def field_row(path: str, kind: RowKind, row: Mapping[str, Any]) -> FieldRow:
    """Return a row of metrics; the value of a rate that has nothing to divide by is None."""
    intervals = row.get("intervals", {})
    rates: Any = {name: _rate({**intervals.get(name, {}), "value": rate_in(row, name)}) for name in RATES}
    counts: Any = {key: row[key] for key in ("tp", "fd", "fa", "fn", "tn")}
    remarks: Any = {key: row.get(key, 0) for key in ("written_differently", "similar", "row_rejected")}
    return FieldRow(path, kind, **counts, **rates, mean_score=row.get("mean_score"), **remarks)


def _rate(held: Mapping[str, Any]) -> Rate:
    return Rate(held.get("value"), held.get("low"), held.get("high"), held.get("n"), held.get("skipped", 0))


def field_rows(metrics: Mapping[str, Any], kinds: Mapping[str, RowKind]) -> list[FieldRow]:
    """Return the fields, worst first; those that neither side ever has come last."""
    undeclared = set(metrics.get("undeclared_fields", ()))
    rows = [
        field_row(path, "undeclared" if path in undeclared else kinds.get(path, "leaf"), row)
        for path, row in metrics["fields"].items()
        if any(row[key] for key in ("tp", "fp", "fn", "tn")) or path not in undeclared
    ]
    return sorted(rows, key=worst_first)


def worst_first(row: FieldRow) -> tuple[bool, float, int, str]:
    """Order fields by strict F1, those without any value last; among equals those with more errors come first."""
    worst = row.strict_f1.value if row.strict_f1.value is not None else row.f1.value
    return not row.n, 2.0 if worst is None else worst, -(row.fp + row.fn), row.path


def build_report(
    metrics: Mapping[str, Any],
    kinds: Mapping[str, RowKind],
    *,
    title: str,
    facts: Mapping[str, str],
    worst_documents: Sequence[DocumentRow] = (),
    non_matches: tuple[Sequence[NonMatchRow], int] = ((), 0),
) -> EvaluationReport:
    """Return the report of an evaluation; ``non_matches`` are those to show, and how many there are in all."""
    failures, of_documents = metrics.get("errors", []), metrics.get("document_metrics", {})
    exact, documents = metrics["exact_documents"], metrics["document_count"]
    trials = metrics.get("trial_count", documents)
    several = trials > documents
    error_kinds = metrics.get("error_kinds")
    return EvaluationReport(
        title=title,
        document_count=documents,
        total=field_row("", "leaf", metrics["aggregate"]),
        fields=field_rows(metrics, kinds),
        histogram=metrics["score_histogram"],
        exact_documents=exact,
        exact_rate=_rate(of_documents.get("exact_rate", {"value": exact / documents if documents else None})),
        weighted_score=_rate(of_documents.get("weighted_score", {"value": metrics.get("mean_overall_score")})),
        score_name="mean overall score" if "mean_overall_score" in metrics else "weighted score",
        document_macro=_rate(of_documents.get("macro_strict_f1", {})),
        field_macro=FieldMean(**metrics.get("field_macro", {}).get("strict_f1", {})),
        worst_documents=_named(worst_documents, several_trials=several),
        non_matches=_named(non_matches[0], several_trials=several),
        non_match_total=non_matches[1],
        failures=_named([_failure(failure) for failure in failures[:MOST_FAILURES]], several_trials=several),
        failure_total=metrics.get("error_count", len(failures)),
        error_kinds=None if error_kinds is None else ErrorKinds(**error_kinds),
        trial_count=trials if several else None,
        notes=metrics.get("notes", ()),
        outside=OutsideSpec.of(
            metrics.get("outside", {}), metrics.get("outside_not_listed"), ignored=metrics.get("extras") == "ignore"
        ),
        facts=facts,
    )


def _failure(failure: Mapping[str, Any]) -> FailureRow:
    return FailureRow(failure["doc_id"] or "", failure.get("kind", "error"), failure["error"], failure.get("trial"))


def _named(rows: Sequence[_Row], *, several_trials: bool) -> Sequence[_Row]:
    """Leave out which trial a row is of where no document has several."""
    return rows if several_trials else [replace(row, trial=None) for row in rows]


def notes_on(total: Mapping[str, Any]) -> list[str]:
    """Say in sentences what the counts of all values alone don't show.

    >>> notes_on({"row_rejected": 1})
    ['1 right value counts as wrong because its row was rejected; match_threshold sets how alike two rows must be']
    """
    notes = []
    if rejected := total.get("row_rejected", 0):
        whose = ("value counts", "its") if rejected == 1 else ("values count", "their")
        words = f"right {whose[0]} as wrong because {whose[1]} row was rejected"
        notes.append(f"{count(rejected)} {words}; match_threshold sets how alike two rows must be")
    written, similar = total.get("written_differently", 0), total.get("similar", 0)
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
