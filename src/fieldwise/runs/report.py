"""What a report shows of a finished run beside its metrics: the worst documents, and examples of wrong values."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Literal

from fieldwise.results import Metrics
from fieldwise.runs.row_list import ListedRow
from fieldwise.runs.run import Run
from fieldwise.views.report import DocumentRow, EvaluationReport, NonMatchRow, build_report

MAX_DOCUMENTS = 100
MAX_NON_MATCHES = 1000
MAX_OF_A_FIELD = 250
MAX_VALUE_LENGTH = 1000
_SHOWN = (
    *("kind", "score", "raw_score", "expected", "predicted", "expected_is_json", "predicted_is_json", "reason"),
    *("pair_score", "pair_threshold"),
)
"""The columns of errors that an example needs, beside those by which it is known."""


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
    return NonMatchRow(
        *(document, path, field, outcome, expected, predicted, row["score"], row["kind"], trial),
        predicted_path=row["predicted_path"] if row["predicted_path"] not in (None, path) else None,
        reason=ListedRow(dict(row)).reason,
    )


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
