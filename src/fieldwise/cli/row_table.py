"""Verdict rows as a table on a terminal; on a narrow one each over several lines."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import islice

from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.table import Table
from rich.text import Text

from fieldwise.cli.comparison_table import LOOKS, path_text
from fieldwise.compare import Outcome
from fieldwise.error_kinds import WORDS
from fieldwise.numbers import DASH, rate
from fieldwise.runs.row_list import ListedRow
from fieldwise.text import one_line

_VALUE_WIDTH = 40
_TABLE_WIDTH = 110
_ROWS_AT_ONCE = 1000
"""So many rows make one table: where all are listed, memory does not grow with their number."""
_ACCEPTED = {"written_differently": "written differently", "similar": "similar"}
_OUTCOMES = {outcome.word: LOOKS[outcome] for outcome in Outcome}


def print_rows(console: Console, rows: Iterable[ListedRow]) -> int:
    """Print rows: where each value is, both values, the outcome, its score and why. Return how many there are."""
    waiting, listed = iter(rows), 0
    while part := list(islice(waiting, _ROWS_AT_ONCE)):
        listed += len(part)
        if console.width >= _TABLE_WIDTH:
            console.print(_table(part))
        else:
            for row in part:
                _print_stacked(console, row)
    return listed


def _table(rows: Sequence[ListedRow]) -> Table:
    table = Table(box=SIMPLE_HEAD, pad_edge=False)
    for name in ("document", "path", "expected", "predicted", "outcome"):
        table.add_column(name, overflow="fold")
    table.add_column("score", justify="right")
    table.add_column("because", overflow="fold")
    for row in rows:
        words, style = _OUTCOMES[row.columns["outcome"]]
        values = Text(_shown(row, "expected")), Text(_shown(row, "predicted"))
        judged = Text(words, style=style), rate(row.columns["score"]), Text(_because(row), style="dim")
        table.add_row(Text(_document(row)), _path(row), *values, *judged)
    return table


def _print_stacked(console: Console, row: ListedRow) -> None:
    words, style = _OUTCOMES[row.columns["outcome"]]
    console.print(Text(f"{words:<11}", style=style), f"{rate(row.columns['score'])} ", _path(row), sep="")
    labels = {
        "document": _document(row),
        "expected": _shown(row, "expected"),
        "predicted": _shown(row, "predicted"),
        "because": _because(row),
    }
    for label, text in labels.items():
        if text:
            console.print(Text(f"            {label:<10}", style="dim"), Text(text), sep="")


def _document(row: ListedRow) -> str:
    trial = row.columns["trial"]
    return one_line(row.columns["document"]) + (f" (trial {trial})" if trial != 1 else "")


def _path(row: ListedRow) -> Text:
    path, predicted = row.columns["path"], row.columns["predicted_path"]
    return path_text(one_line(path or predicted), one_line(predicted or path))


def _because(row: ListedRow) -> str:
    """Say what kind of error it is, or how a match was accepted, and the reason."""
    columns, reason = row.columns, row.reason
    what = "" if columns["kind"] in (None, "row_rejected") else WORDS[columns["kind"]]
    return "; ".join(words for words in (what, _ACCEPTED.get(columns["accepted"], ""), reason) if words)


def _shown(row: ListedRow, side: str) -> str:
    """Return a value on one line; a text between quotes where that tells it from the other side's number."""
    text = row.columns[side]
    if text is None:
        return DASH
    text = one_line(text)
    kinds = row.columns["expected_is_json"], row.columns["predicted_is_json"]
    if not row.columns[f"{side}_is_json"] and (text != text.strip() or any(kinds)):
        text = f'"{text}"'
    return text if len(text) <= _VALUE_WIDTH else f"{text[: _VALUE_WIDTH - 1]}…"
