"""`ProcessEvaluation`: what many comparisons together say, and how a terminal, Markdown and HTML show it."""

from __future__ import annotations

import os
import time
from collections.abc import Mapping, Sequence
from html import escape
from typing import TYPE_CHECKING

from pydantic import BaseModel, ConfigDict, Field
from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.table import Table
from rich.text import Text

from fieldwise.bulk.state import failures
from fieldwise.bulk_aggregator import METRIC_KEYS, ratio
from fieldwise.errors import MissingExtraError
from fieldwise.values import Json, plain

if TYPE_CHECKING:
    import pandas as pd
    import pyarrow as pa

_Metrics = Mapping[str, Json]

_RATES = {"F1 (strict)": "strict_f1", "F1": "cm_f1", "precision": "cm_precision", "recall": "cm_recall"}
_RATE_KEYS = ("cm_precision", "cm_recall", "cm_f1", "cm_accuracy", "strict_recall", "strict_f1", "mean_score")
_COUNTS = ("tp", "fp", "fd", "fa", "fn", "tn")
_HEADINGS = ("field", *_RATES, "mean score", *_COUNTS)
_NARROW = ("field", "F1 (strict)", "precision", "recall", "tp", "fp", "fn")
_TABLE_WIDTH = 110
_FILE_WIDTH = 150
_NONE = "–"
_BAR = 10
_MOST_ERRORS = 20
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
        return _as_markdown(self)

    def pretty_print_metrics(self) -> None:
        """Print a summary to the terminal, worst fields first."""
        _print_metrics(self)

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
        return _as_html(self)


def _field_rows(evaluation: ProcessEvaluation) -> list[dict[str, Json]]:
    """Return one row for each path with the same columns, None where a field has no such value."""
    keys = (*METRIC_KEYS, *_RATE_KEYS)
    return [{"path": path, **{k: row.get(k) for k in keys}} for path, row in evaluation.field_metrics.items()]


def _worst_first(evaluation: ProcessEvaluation) -> list[tuple[str, _Metrics]]:
    """Return the fields, lowest F1 first, then most errors; those that nothing was expected or predicted of last."""
    return sorted(evaluation.field_metrics.items(), key=lambda item: (not _is_seen(item[1]), *_badness(*item)))


def _is_seen(row: _Metrics) -> bool:
    return bool(row["tp"] or row["fp"] or row["fn"])


def _badness(path: str, row: _Metrics) -> tuple[float, int, str]:
    strict = row.get("strict_f1")
    return (row["cm_f1"] if strict is None else strict), -(row["fp"] + row["fn"]), path


# Terminal


def _print_metrics(evaluation: ProcessEvaluation) -> None:
    """Print totals, fields and what failed."""
    console = _console()
    console.print(Text.assemble((_documents(evaluation), "bold"), f"   {_totals(evaluation)}"))
    if evaluation.field_metrics:
        console.print(_table(evaluation, _HEADINGS if console.width >= _TABLE_WIDTH else _NARROW))
    for error in evaluation.errors[:_MOST_ERRORS]:
        console.print(Text.assemble(("✗ ", "red"), f"{error.get('doc_id')}: ", (str(error.get("error")), "dim")))
    if (more := len(evaluation.errors) - _MOST_ERRORS) > 0:
        console.print(Text(f"… and {more:,} more", style="dim"))


def _console() -> Console:
    """Return the console to print to; files and pipes, which have no width of their own, get a wide one."""
    console = Console(highlight=False)
    if not console.is_terminal and "COLUMNS" not in os.environ:
        return Console(highlight=False, width=_FILE_WIDTH)
    return console


def _table(evaluation: ProcessEvaluation, headings: Sequence[str]) -> Table:
    table = Table(box=SIMPLE_HEAD, pad_edge=False)
    table.add_column("field", overflow="fold")
    table.add_column("", no_wrap=True)
    for heading in headings[1:]:
        table.add_column(heading, justify="right", no_wrap=True)
    for path, row in _worst_first(evaluation):
        style = _style(row)
        cells = dict(zip(_HEADINGS[1:], _cells(row), strict=True))
        shown = [Text(cells[heading]) for heading in headings[1:]]
        shown[0].stylize(style)
        table.add_row(Text(path), _bar(row, style), *shown, style=_row_style(row))
    return table


def _row_style(row: _Metrics) -> str:
    return "" if _is_seen(row) else "dim"


def _style(row: _Metrics) -> str:
    if not _is_seen(row):
        return "dim"
    f1 = _badness("", row)[0]
    return "green" if f1 >= 0.9 else "yellow" if f1 >= 0.6 else "red"


def _bar(row: _Metrics, style: str) -> Text:
    filled = round(_badness("", row)[0] * _BAR) if _is_seen(row) else 0
    return Text.assemble(("█" * filled, style), ("░" * (_BAR - filled), "dim"))


# Numbers as text


def _documents(evaluation: ProcessEvaluation) -> str:
    count = evaluation.document_count
    failed = evaluation.failed_count
    return f"{count:,} document{'' if count == 1 else 's'}" + (f", {failed:,} failed" if failed else "")


def _totals(evaluation: ProcessEvaluation) -> str:
    named = {**_RATES, "accuracy": "cm_accuracy", "score": "weighted_overall_score"}
    metrics = evaluation.metrics
    return "   ".join(f"{name} {_rate(metrics.get(key))}" for name, key in named.items())


def _cells(row: _Metrics) -> list[str]:
    rates = [_rate(row.get(key)) if _is_seen(row) else _NONE for key in _RATES.values()]
    return [*rates, _rate(row.get("mean_score")), *(f"{row[key]:,}" for key in _COUNTS)]


def _rate(value: float | None) -> str:
    return _NONE if value is None else f"{value:.3f}"


# Markdown and HTML


def _as_markdown(evaluation: ProcessEvaluation) -> str:
    """Return totals, fields and failures as Markdown; text from documents is escaped."""
    parts = [
        "## Overall Metrics",
        "",
        _documents(evaluation),
        "",
        *_md_table(("metric", "value"), _metric_rows(evaluation)),
    ]
    if evaluation.field_metrics:
        rows = [(_md(path), *_cells(row)) for path, row in _worst_first(evaluation)]
        parts += ["", "## Field Metrics", "", *_md_table(_HEADINGS, rows)]
    if evaluation.errors:
        failed = [(_md(str(e.get("doc_id"))), _md(str(e.get("error")))) for e in evaluation.errors]
        parts += ["", "## Errors", "", *_md_table(("document", "error"), failed)]
    if (confidence := evaluation.confidence_metrics) is not None:
        values = [(name, _rate(metric.get("value"))) for name, metric in confidence["overall"].items()]
        parts += ["", "## Confidence Metrics", "", *_md_table(("metric", "value"), values)]
    return "\n".join(parts) + "\n"


def _metric_rows(evaluation: ProcessEvaluation) -> list[tuple[str, str]]:
    return [(k, f"{v:,}" if isinstance(v, int) else _rate(v)) for k, v in evaluation.metrics.items()]


def _md_table(headings: Sequence[str], rows: Sequence[Sequence[str]]) -> list[str]:
    align = ["---", *["---:"] * (len(headings) - 1)]
    return [f"| {' | '.join(cells)} |" for cells in (headings, align, *rows)]


def _md(text: str) -> str:
    return escape(text, quote=False).replace("\\", "\\\\").replace("|", "\\|").replace("\n", " ")


def _as_html(evaluation: ProcessEvaluation) -> str:
    """Return totals and fields as a small table."""
    head = "".join(f"<th>{escape(heading)}</th>" for heading in _HEADINGS)
    body = "".join(_html_row(path, row) for path, row in _worst_first(evaluation))
    caption = f"<strong>{_documents(evaluation)}</strong> &nbsp; {escape(_totals(evaluation))}"
    return f"<div><p>{caption}</p><table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table></div>"


def _html_row(path: str, row: _Metrics) -> str:
    cells = "".join(f'<td style="text-align:right">{cell}</td>' for cell in _cells(row))
    return f'<tr><td style="text-align:left"><code>{escape(path)}</code></td>{cells}</tr>'
