"""The answer of a gate on a terminal."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import compress

from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.table import Table
from rich.text import Text

from fieldwise.cli.advice import with_options
from fieldwise.cli.console import NameText
from fieldwise.report.gate_words import (
    BROKEN,
    BUDGET_COLUMNS,
    FLIP_COLUMNS,
    SYMBOLS,
    budget_cells,
    check_table,
    flip_cells,
    method,
)
from fieldwise.results.gate import Decision, GateReport
from fieldwise.runs.sentences import answer
from fieldwise.text import one_line

_STYLES: dict[Decision, str] = {"pass": "green", "fail": "red", "not_enough_documents": "yellow"}
_EXTRA = ("baseline", "candidate", "documents")
_NARROW = 120
_NARROWEST = 72


def print_gate(console: Console, report: GateReport) -> None:
    """Print the answer, the checks, the budgets, values that broke, and what was left out."""
    style = f"bold reverse {_STYLES[report.decision]}"
    first = Text(f" {SYMBOLS[report.decision]} {answer(report).upper()} ", style=style)
    console.print(first.append(f"  {report.reason}", style="not reverse default"), soft_wrap=True)
    columns, rows = check_table(report)
    _print_decisions(console, columns, list(zip((check.decision for check in report.checks), rows, strict=True)))
    if report.budgets:
        budgets = [(check.decision, budget_cells(check)) for check in report.budgets]
        _print_decisions(console, BUDGET_COLUMNS, budgets)
    if flips := report.broken_values:
        console.print(Text(BROKEN, style="bold"))
        _print_values(console, [flip_cells(flip) for flip in flips])
    for note in report.notes:
        console.print(Text(f"! {one_line(with_options(note))}", style="yellow"))
    console.print(Text(method(report.policy), style="dim"))


def _print_decisions(console: Console, columns: Sequence[str], rows: Sequence[tuple[Decision, Sequence[str]]]) -> None:
    """Print a table, without some columns where there is no room for them; lines where there is room for none."""
    if console.width >= _NARROWEST:
        console.print(_table(columns, rows, without=_EXTRA if console.width < _NARROW else ()))
        return
    for decision, cells in rows:
        facts = dict(zip(columns, map(one_line, cells), strict=True))
        name, word = facts.pop(columns[0]), facts.pop("decision")
        console.print(Text(f"{word}  ", style=_STYLES[decision]).append(name, style="default"))
        console.print(_facts({label: fact for label, fact in facts.items() if fact and label not in _EXTRA}))


def _table(columns: Sequence[str], rows: Iterable[tuple[Decision, Sequence[str]]], *, without: Sequence[str]) -> Table:
    table = Table(box=SIMPLE_HEAD, pad_edge=False)
    kept = [name not in without for name in columns]
    for name in compress(columns, kept):
        right = name not in (columns[0], "decision", "needed")
        wraps = name in (columns[0], "needed")
        table.add_column(name, justify="right" if right else "left", overflow="fold", no_wrap=not wraps)
    for decision, cells in rows:
        styles = [_STYLES[decision] if name == "decision" else "" for name in columns]
        texts = [Text(one_line(cell), style) for cell, style in zip(cells, styles, strict=True)]
        table.add_row(*compress([NameText.of(cells[0]), *texts[1:]], kept))
    return table


def _print_values(console: Console, rows: Iterable[Sequence[str]]) -> None:
    if console.width < _NARROWEST:
        for document, path, *values in rows:
            console.print(Text(f"{one_line(document)}  {one_line(path)}"))
            console.print(_facts(dict(zip(FLIP_COLUMNS[2:], map(one_line, values), strict=True))))
        return
    table = Table(box=SIMPLE_HEAD, pad_edge=False)
    for name in FLIP_COLUMNS:
        table.add_column(name, overflow="fold")
    for row in rows:
        table.add_row(*map(NameText.of, row[:2]), *(Text(one_line(cell)) for cell in row[2:]))
    console.print(table)


def _facts(facts: Mapping[str, str]) -> Table:
    """Return what is told of one thing below each other."""
    table = Table(box=None, show_header=False, pad_edge=True)
    table.add_column(style="dim", no_wrap=True)
    table.add_column(overflow="fold")
    for label, fact in facts.items():
        table.add_row(Text(f"  {label}"), Text(fact))
    return table
