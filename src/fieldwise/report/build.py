"""From sums and rows to what is shown: the fields worst first, the worst documents, the values that are wrong."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, Literal, TypeVar

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
from fieldwise.runs.run import Run

MAX_DOCUMENTS = 100
MAX_NON_MATCHES = 1000
MAX_OF_A_FIELD = 250
MAX_VALUE_LENGTH = 1000
MAX_FAILURES = 1000
_SHOWN = ("kind", "score", "expected", "predicted", "expected_is_json", "predicted_is_json")
"""The columns of errors that an example needs, beside those by which it is known."""
_KINDS: dict[Scope, RowKind] = {
    "values": "leaf",
    "total": "leaf",
    "rows": "rows",
    "object": "object",
    "undeclared": "undeclared",
}
_MODES = {
    "leaves": "counted one by one (unmatched=leaves)",
    "objects": "counted as rows only (unmatched=objects)",
}
_EXTRAS = {
    "leaves": "spurious, unless expected documents have the key (extras=leaves)",
    "ignore": "not counted (extras=ignore)",
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
        failures=_named([_failure(failure) for failure in metrics.errors[:MAX_FAILURES]], several_trials=several),
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


def facts_of(metrics: Metrics, described: str) -> dict[str, str]:
    """Return what a page says of an evaluation beside its numbers; ``described`` is its input in words."""
    facts = {
        "input": described,
        "spec fingerprint": metrics.spec_fingerprint or "",
        "fieldwise": metrics.scorer_version or "",
        "values of unpaired rows": _MODES[metrics.unmatched],
        "values under undeclared keys": _EXTRAS[metrics.extras or "leaves"],
    }
    return {**facts, "notes": " ".join(metrics.notes)} if metrics.notes else facts


def report_of_run(run: Run, metrics: Metrics, *, title: str, facts: Mapping[str, str]) -> EvaluationReport:
    """Return the report of a finished evaluation, with its worst documents and examples of wrong values.

    ``metrics`` are those of the run, for names that no file can hold as they are.
    """
    worst = [_document(row) for row in run.worst_documents(MAX_DOCUMENTS).to_pylist()]
    total = int(run.documents().counts[:, 1:4].sum())
    shown = _shared([_non_matches(run, field) for field in run.fields()]) if run.has_rows else []
    return build_report(metrics, title=title, facts=facts, worst_documents=worst, non_matches=(shown, total))


def _document(row: Mapping[str, Any]) -> DocumentRow:
    counts: Any = {key: row[key] for key in ("tp", "fd", "fa", "fn", "tn")}
    return DocumentRow(row["document"], row["score"], **counts, note=row["reason"] or "", trial=row["trial"])


def _non_matches(run: Run, field: str) -> list[NonMatchRow]:
    documents, examples = run.documents(), run.examples(field, MAX_OF_A_FIELD, _SHOWN)
    numbers, rows = examples["document"].to_numpy(), examples.to_pylist()
    ids, trials = documents.ids.take(numbers).to_pylist(), documents.trials[numbers].tolist()
    return [_non_match(field, *found) for found in zip(ids, trials, rows, strict=True)]


def _non_match(field: str, document: str, trial: int, row: Mapping[str, Any]) -> NonMatchRow:
    outcome: Literal["mismatch", "missed", "spurious"] = row["outcome"]
    path = row["predicted_path"] if row["path"] is None else row["path"]
    expected, predicted = _shown(row, "expected"), _shown(row, "predicted")
    return NonMatchRow(document, path, field, outcome, expected, predicted, row["score"], row["kind"], trial)


def _shown(row: Mapping[str, Any], side: str) -> str | None:
    text = row[side]
    if text is not None and not row[f"{side}_is_json"] and text != text.strip():
        return json.dumps(text, ensure_ascii=False)
    return None if text is None else str(text)[:MAX_VALUE_LENGTH]


def _shared(held: Iterable[Sequence[NonMatchRow]]) -> list[NonMatchRow]:
    """Share the room among the fields, the rarest first, in the order of the documents."""
    chosen: list[NonMatchRow] = []
    waiting = sorted(filter(None, held), key=len)
    for k, rows in enumerate(waiting):
        room = (MAX_NON_MATCHES - len(chosen)) // (len(waiting) - k)
        chosen += rows[:room]
    return sorted(chosen, key=lambda row: (row.document, row.trial or 0, row.path))
