"""The answer of a gate on a terminal."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import compress

from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.table import Table
from rich.text import Text

from fieldwise.report.gate_words import (
    BROKEN,
    BUDGET_COLUMNS,
    FLIP_COLUMNS,
    SYMBOLS,
    budget_cells,
    check_table,
    flip_cells,
    headline,
    method,
    notes,
    summary,
)
from fieldwise.report.text_table import one_line
from fieldwise.runs.budgets import Decision
from fieldwise.runs.gated import GateReport

_STYLES: dict[Decision, str] = {"pass": "green", "fail": "red", "not_enough": "yellow"}


_EXTRA = ("baseline", "candidate", "documents")
_NARROW = 120


def print_gate(console: Console, report: GateReport) -> None:
    """Print the answer, the checks, the budgets, values that broke, and what was left out."""
    result = report.result
    style = f"bold reverse {_STYLES[result.decision]}"
    answer = Text(f" {SYMBOLS[result.decision]} {headline(result).upper()} ", style=style)
    console.print(answer.append(f"  {summary(result)}", style="not reverse default"), soft_wrap=True)
    columns, rows = check_table(result)
    checks = zip((check.decision for check in result.checks), rows, strict=True)
    console.print(_table(columns, checks, without=_EXTRA if console.width < _NARROW else ()))
    if result.budgets:
        console.print(_table(BUDGET_COLUMNS, [(check.decision, budget_cells(check)) for check in result.budgets]))
    if flips := report.all_broken():
        console.print(Text(BROKEN, style="bold"))
        console.print(_values(flip_cells(flip) for flip in flips))
    for note in notes(report):
        console.print(Text(f"! {one_line(note)}", style="yellow"))
    console.print(Text(method(result.policy), style="dim"))


def _table(
    columns: Sequence[str], rows: Iterable[tuple[Decision, Sequence[str]]], *, without: Sequence[str] = ()
) -> Table:
    """Return a table of decisions; ``without`` some columns, where there is no room for them."""
    table = Table(box=SIMPLE_HEAD, pad_edge=False)
    kept = [name not in without for name in columns]
    for name in compress(columns, kept):
        right = name not in (columns[0], "decision", "needed")
        wraps = name in (columns[0], "needed")
        table.add_column(name, justify="right" if right else "left", overflow="fold", no_wrap=not wraps)
    for decision, cells in rows:
        styles = [_STYLES[decision] if name == "decision" else "" for name in columns]
        table.add_row(*compress(map(Text, cells, styles), kept))
    return table


def _values(rows: Iterable[Sequence[str]]) -> Table:
    table = Table(box=SIMPLE_HEAD, pad_edge=False)
    for name in FLIP_COLUMNS:
        table.add_column(name, overflow="fold")
    for row in rows:
        table.add_row(*(Text(one_line(cell)) for cell in row))
    return table
