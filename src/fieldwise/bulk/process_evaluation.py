"""`ProcessEvaluation`: what many comparisons together say, and how a terminal, Markdown and HTML show it."""

from __future__ import annotations

import time
from collections.abc import Mapping
from typing import TYPE_CHECKING

from pydantic import BaseModel, ConfigDict, Field

from fieldwise.bulk.state import failures
from fieldwise.bulk_aggregator import METRIC_KEYS, ratio
from fieldwise.errors import MissingExtraError
from fieldwise.render.markdown import to_markdown
from fieldwise.render.notebook import to_html
from fieldwise.render.terminal import draw, make_console
from fieldwise.values import Json, plain
from fieldwise.views.evaluation import graded_cell
from fieldwise.views.numbers import counted, rate
from fieldwise.views.parts import Cell, Headline, Part, Row, Sentence, Table, View, marked
from fieldwise.views.words import columns

if TYPE_CHECKING:
    import pandas as pd
    import pyarrow as pa

_Metrics = Mapping[str, Json]

_RATES = {"F1 (strict)": "strict_f1", "F1": "cm_f1", "precision": "cm_precision", "recall": "cm_recall"}
_RATE_KEYS = ("cm_precision", "cm_recall", "cm_f1", "cm_accuracy", "strict_recall", "strict_f1", "mean_score")
_COUNTS = ("tp", "fp", "fd", "fa", "fn", "tn")
_MAX_ERRORS = 20
_SAVED = ("field_metrics", "confidence_metrics", "accumulator_metrics", "non_matches", "errors")


class ProcessEvaluation(BaseModel):
    """Counts, ratios and scores over many documents, and what could not be compared.

    ``metrics`` sums the documents' own totals, ``field_metrics`` each path, sorted. Ratios are those of the sums
    (micro-averages), 0.0 where there is nothing to divide by; ``mean_score`` is the mean over the documents that have
    a score there, and is left out where none has. ``errors`` and ``non_matches`` are sorted by document.
    """

    model_config = ConfigDict(frozen=True)

    document_count: int = 0
    metrics: dict[str, Json] = Field(default_factory=dict)
    field_metrics: dict[str, dict[str, Json]] = Field(default_factory=dict)
    errors: list[dict[str, Json]] = Field(default_factory=list)
    matrix: None = None
    total_time: float | None = None
    non_matches: list[dict[str, Json]] | None = None
    confidence_metrics: dict[str, Json] | None = None
    accumulator_metrics: dict[str, Json] | None = None
    accumulator_errors: dict[str, int] | None = None

    def to_dict(self) -> dict[str, Json]:
        """Return everything as plain JSON types."""
        return {name: plain(getattr(self, name)) for name in type(self).model_fields}

    @property
    def failed_count(self) -> int:
        """How many documents count nowhere."""
        return len(failures(self.errors))

    def to_saved(self, target_schema: str | None, settings: Mapping[str, Json]) -> dict[str, Json]:
        """Return everything under the keys of a file of metrics, with how and when it was made."""
        seconds = self.total_time or 0.0
        found = self.to_dict()
        return {
            "overall_metrics": found["metrics"],
            **{key: found[key] for key in _SAVED},
            "evaluation_summary": {
                "total_documents_processed": self.document_count,
                "total_evaluation_time": seconds,
                "documents_per_second": ratio(self.document_count, seconds),
                "error_count": self.failed_count,
                "error_rate": ratio(self.failed_count, self.document_count + self.failed_count),
                "target_schema": target_schema,
            },
            "metadata": {
                "saved_at": time.strftime("%Y-%m-%d %H:%M:%S UTC", time.gmtime()),
                "evaluator_config": dict(settings),
            },
        }

    def to_md(self) -> str:
        """Return a summary in Markdown, worst fields first."""
        return to_markdown(_view(self))

    def pretty_print_metrics(self) -> None:
        """Print a summary to the terminal, worst fields first."""
        draw(make_console(), _view(self))

    def to_arrow(self) -> pa.Table:
        """Return the fields as an Arrow table: path, counts, ratios and mean score, sorted by path."""
        import pyarrow as pa  # imported when first needed: it is slow to import

        return pa.Table.from_pylist(_field_rows(self))

    def to_pandas(self) -> pd.DataFrame:
        """Return the fields as a data frame with the columns of ``to_arrow``."""
        try:
            import pandas as pd
        except ImportError as error:
            raise MissingExtraError(
                "to_pandas() needs pandas; install fieldwise[notebook]",
                facts={"package": "pandas", "extra": "notebook"},
            ) from error
        return pd.DataFrame(_field_rows(self))

    def _repr_html_(self) -> str:
        return to_html(_view(self))


def _field_rows(evaluation: ProcessEvaluation) -> list[dict[str, Json]]:
    """Return one row for each path with the same columns, None where a field has no such value."""
    keys = (*METRIC_KEYS, *_RATE_KEYS)
    return [{"path": path, **{k: row.get(k) for k in keys}} for path, row in evaluation.field_metrics.items()]


# What it shows


def _view(evaluation: ProcessEvaluation) -> View:
    """Return totals, fields worst first, and what failed."""
    count, failed = counted(evaluation.document_count, "document"), evaluation.failed_count
    totals = {**_RATES, "accuracy": "cm_accuracy", "score": "weighted_overall_score"}
    said = "   ".join(f"{name} {rate(evaluation.metrics.get(key))}" for name, key in totals.items())
    parts: list[Part] = [Headline(Sentence(count + (f", {failed:,} failed" if failed else "")), Sentence(said))]
    if evaluation.field_metrics:
        rows = tuple(_row(path, row) for path, row in _worst_first(evaluation))
        parts.append(Table(columns("bulk_fields"), rows, "Field Metrics"))
    parts += [
        Sentence(f"{marked(str(error.get('doc_id')))}: {error.get('error')}", bullet="✗")
        for error in evaluation.errors[:_MAX_ERRORS]
    ]
    if (more := len(evaluation.errors) - _MAX_ERRORS) > 0:
        parts.append(Sentence(f"… and {more:,} more", "quiet"))
    parts.append(_figures("Overall Metrics", evaluation.metrics))
    if (confidence := evaluation.confidence_metrics) is not None:
        values = {name: metric.get("value") for name, metric in confidence["overall"].items()}
        parts.append(_figures("Confidence Metrics", values))
    return View(tuple(parts))


def _figures(title: str, figures: _Metrics) -> Table:
    rows = [
        Row((Cell(key), Cell(value, format="count" if isinstance(value, int) else "rate")))
        for key, value in figures.items()
    ]
    return Table(columns("metrics"), tuple(rows), title)


def _row(path: str, row: _Metrics) -> Row:
    is_seen = _is_seen(row)
    first, *others = (row.get(key) if is_seen else None for key in _RATES.values())
    cells = (Cell(path), graded_cell(first), *map(Cell, others), Cell(row.get("mean_score")))
    return Row((*cells, *(Cell(row[key]) for key in _COUNTS)), "plain" if is_seen else "quiet")


def _worst_first(evaluation: ProcessEvaluation) -> list[tuple[str, _Metrics]]:
    """Return the fields, lowest F1 first, then most errors; those that nothing was expected or predicted of last."""
    return sorted(evaluation.field_metrics.items(), key=lambda item: (not _is_seen(item[1]), *_badness(*item)))


def _is_seen(row: _Metrics) -> bool:
    return bool(row["tp"] or row["fp"] or row["fn"])


def _badness(path: str, row: _Metrics) -> tuple[float, int, str]:
    strict = row.get("strict_f1")
    return (row["cm_f1"] if strict is None else strict), -(row["fp"] + row["fn"]), path
