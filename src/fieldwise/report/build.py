"""From sums and rows to what is shown: the fields worst first, the worst documents, the values that are wrong."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, Literal

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
from fieldwise.stats.rates import RATES, rate_in

MOST_DOCUMENTS = 100
MOST_NON_MATCHES = 1000
MOST_OF_A_FIELD = 250
LONGEST_VALUE = 1000
MOST_FAILURES = 1000
_WRONG = ("mismatch", "missed", "spurious")


def field_row(path: str, kind: RowKind, row: Mapping[str, Any]) -> FieldRow:
    """Return a row of metrics; the value of a rate that has nothing to divide by is None."""
    intervals = row.get("intervals", {})
    rates: Any = {name: _rate({**intervals.get(name, {}), "value": rate_in(row, name)}) for name in RATES}
    counts: Any = {key: row[key] for key in ("tp", "fd", "fa", "fn", "tn")}
    return FieldRow(path, kind, **counts, **rates, mean_score=row.get("mean_score"))


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
    error_kinds = metrics.get("error_kinds")
    return EvaluationReport(
        title=title,
        document_count=documents,
        total=field_row("", "leaf", metrics["aggregate"]),
        fields=field_rows(metrics, kinds),
        histogram=metrics["score_histogram"],
        exact_documents=exact,
        exact_rate=_rate(of_documents.get("exact_rate", {"value": exact / documents if documents else None})),
        weighted_score=_rate(of_documents.get("weighted_score", {"value": metrics["weighted_score"]})),
        document_macro=_rate(of_documents.get("macro_strict_f1", {})),
        field_macro=FieldMean(**metrics.get("field_macro", {}).get("strict_f1", {})),
        worst_documents=worst_documents,
        non_matches=non_matches[0],
        non_match_total=non_matches[1],
        failures=[FailureRow(f["doc_id"] or "", f.get("kind", "error"), f["error"]) for f in failures[:MOST_FAILURES]],
        failure_total=metrics.get("error_count", len(failures)),
        error_kinds=None if error_kinds is None else ErrorKinds(**error_kinds),
        outside=OutsideSpec.of(
            metrics.get("outside", {}), metrics.get("outside_not_listed"), ignored=metrics.get("extras") == "ignore"
        ),
        facts=facts,
    )


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
    return DocumentRow(row["document"], row["score"], **counts, note=row["reason"] or "")


def non_matches_in(path: Path, counts: Mapping[str, int]) -> list[NonMatchRow]:
    """Return examples of every field from a table of verdicts; ``counts``: how many each field has in all."""
    held: dict[str, list[NonMatchRow]] = {}
    wanted = {field: min(count, MOST_OF_A_FIELD) for field, count in counts.items() if count}
    file = pq.ParquetFile(path)
    for group in range(file.num_row_groups):
        if all(len(held.get(field, ())) >= count for field, count in wanted.items()):
            break
        table: Any = file.read_row_group(group)
        wrong = table.filter(pc.is_in(table["outcome"].cast(pa.string()), pa.array(_WRONG)))
        open_fields = [field for field, count in wanted.items() if len(held.get(field, ())) < count]
        _keep(held, wrong.filter(pc.is_in(wrong["field"].cast(pa.string()), pa.array(open_fields))).to_pylist())
    return _shared(held)


def _keep(held: dict[str, list[NonMatchRow]], rows: Iterable[Mapping[str, Any]]) -> None:
    for row in rows:
        kept = held.setdefault(row["field"], [])
        if len(kept) < MOST_OF_A_FIELD:
            kept.append(_non_match(row))


def _non_match(row: Mapping[str, Any]) -> NonMatchRow:
    outcome: Literal["mismatch", "missed", "spurious"] = row["outcome"]
    expected, predicted = _shown(row, "expected"), _shown(row, "predicted")
    where = row["document"], row["path"], row["field"]
    return NonMatchRow(*where, outcome, expected, predicted, row["score"], row["kind"])


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
    return sorted(chosen, key=lambda row: (row.document, row.path))
