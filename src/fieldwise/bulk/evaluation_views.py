"""An evaluation as a table on a terminal, in Markdown and in HTML, and as rows."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from html import escape
from typing import TYPE_CHECKING

from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.table import Table
from rich.text import Text

from fieldwise.bulk_aggregator import METRIC_KEYS
from fieldwise.values import Json

if TYPE_CHECKING:
    from fieldwise.bulk.process_evaluation import ProcessEvaluation

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


def field_rows(evaluation: ProcessEvaluation) -> list[dict[str, Json]]:
    """Return one row for each path with the same columns, None where a field has no such value."""
    keys = (*METRIC_KEYS, *_RATE_KEYS)
    return [{"path": path, **{k: row.get(k) for k in keys}} for path, row in evaluation.field_metrics.items()]


def worst_first(evaluation: ProcessEvaluation) -> list[tuple[str, _Metrics]]:
    """Return the fields, lowest F1 first, then most errors; those that nothing was expected or predicted of last."""
    return sorted(evaluation.field_metrics.items(), key=lambda item: (not _is_seen(item[1]), *_badness(*item)))


def _is_seen(row: _Metrics) -> bool:
    return bool(row["tp"] or row["fp"] or row["fn"])


def _badness(path: str, row: _Metrics) -> tuple[float, int, str]:
    strict = row.get("strict_f1")
    return (row["cm_f1"] if strict is None else strict), -(row["fp"] + row["fn"]), path


# Terminal


def print_metrics(evaluation: ProcessEvaluation) -> None:
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
    for path, row in worst_first(evaluation):
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


def as_markdown(evaluation: ProcessEvaluation) -> str:
    """Return totals, fields and failures as Markdown; text from documents is escaped."""
    parts = [
        "## Overall Metrics",
        "",
        _documents(evaluation),
        "",
        *_md_table(("metric", "value"), _metric_rows(evaluation)),
    ]
    if evaluation.field_metrics:
        rows = [(_md(path), *_cells(row)) for path, row in worst_first(evaluation)]
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


def as_html(evaluation: ProcessEvaluation) -> str:
    """Return totals and fields as a small table."""
    head = "".join(f"<th>{escape(heading)}</th>" for heading in _HEADINGS)
    body = "".join(_html_row(path, row) for path, row in worst_first(evaluation))
    caption = f"<strong>{_documents(evaluation)}</strong> &nbsp; {escape(_totals(evaluation))}"
    return f"<div><p>{caption}</p><table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table></div>"


def _html_row(path: str, row: _Metrics) -> str:
    cells = "".join(f'<td style="text-align:right">{cell}</td>' for cell in _cells(row))
    return f'<tr><td style="text-align:left"><code>{escape(path)}</code></td>{cells}</tr>'
