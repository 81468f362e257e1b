"""The files of an evaluation that people open: report.html and fields.csv."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from fieldwise.files import write_whole
from fieldwise.render.pages.html import html_report
from fieldwise.results import RATIOS, FieldMetrics
from fieldwise.text import csv_text
from fieldwise.views.report import EvaluationReport
from fieldwise.views.words import WORDS

_FIELD_COLUMNS = ("field", "n", "strict_f1", "f1", "precision", "recall", "strict_recall", "accuracy")
_COUNT_COLUMNS = ("tp", "fp", "fn", "tn", "fd", "fa", "mean_score", *WORDS.accepted, "row_rejected")
_BOUNDS = ("low", "high", "n")
_BOUND_COLUMNS = tuple(f"{ratio}_{bound}" for ratio in RATIOS for bound in _BOUNDS)


def write_fields(folder: Path, fields: Mapping[str, FieldMetrics], report: EvaluationReport) -> None:
    """Write the fields in the order of a report as CSV."""
    _write_fields(folder / "fields.csv", fields, [row.path for row in report.fields])


def write_pages(folder: Path, fields: Mapping[str, FieldMetrics], report: EvaluationReport) -> None:
    """Write the page of a report, and its fields in the same order as CSV."""
    write_fields(folder, fields, report)
    write_whole(folder / "report.html", html_report(report).encode("utf-8", "backslashreplace"))


def _write_fields(path: Path, fields: Mapping[str, FieldMetrics], order: Iterable[str]) -> None:
    columns: Sequence[str] = (*_FIELD_COLUMNS, *_COUNT_COLUMNS, *_BOUND_COLUMNS)
    rows = (_cells(name, fields[name]) for name in order)
    text = csv_text(columns, ([row[column] for column in columns] for row in rows))
    write_whole(path, text.encode())


def _cells(name: str, row: FieldMetrics) -> dict[str, Any]:
    """Return a row by its columns; the bounds of each rate and its number of documents have names of their own."""
    bounds = {f"{ratio}_{bound}": getattr(row.rates.of(ratio), bound) for ratio in RATIOS for bound in _BOUNDS}
    return {"field": name, "n": row.seen, **row.to_dict(), **bounds}
