"""The fields of an evaluation as a file for spreadsheets."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from fieldwise.bulk_aggregator import Json
from fieldwise.files import write_whole
from fieldwise.results import RATIOS, FieldMetrics, Metrics
from fieldwise.text import csv_text
from fieldwise.views.words import WORDS

_FIELD_COLUMNS = ("field", "n", "strict_f1", "f1", "precision", "recall", "strict_recall", "accuracy")
_COUNT_COLUMNS = ("tp", "fp", "fn", "tn", "fd", "fa", "mean_score", *WORDS.accepted, "row_rejected")
_BOUNDS = ("low", "high", "n")
_BOUND_COLUMNS = tuple(f"{ratio}_{bound}" for ratio in RATIOS for bound in _BOUNDS)


def write_fields(folder: Path, metrics: Metrics) -> None:
    """Write the fields as fields.csv, worst first."""
    columns: Sequence[str] = (*_FIELD_COLUMNS, *_COUNT_COLUMNS, *_BOUND_COLUMNS)
    rows = (_cells(name, row) for name, row in metrics.worst_first())
    text = csv_text(columns, ([row[column] for column in columns] for row in rows))
    write_whole(folder / "fields.csv", text.encode())


def _cells(name: str, row: FieldMetrics) -> dict[str, Json]:
    """Return a row by its columns; the bounds of each rate and its number of documents have names of their own."""
    bounds = {f"{ratio}_{bound}": getattr(row.rates.of(ratio), bound) for ratio in RATIOS for bound in _BOUNDS}
    return {"field": name, "n": row.seen, **row.to_dict(), **bounds}
