"""A sweep on a terminal: the rates of a field at each threshold, and what they mean."""

from __future__ import annotations

from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.table import Table
from rich.text import Text

from fieldwise.report.numbers import count, counted, rate
from fieldwise.report.sweep_words import MEANING, PAIRING, RATES, best_words, bounds, change, fixed_words
from fieldwise.report.text_table import one_line
from fieldwise.runs.sweep import Sweep, SweepPoint

_LONGEST = 40
_NARROW = 110
_NARROWEST = 72


def print_sweep(console: Console, found: Sweep) -> None:
    """Print a sweep."""
    line = Text(one_line(found.field), style="bold").append(
        f"   {found.comparator}, threshold {found.threshold:g}   ", style="dim"
    )
    console.print(line.append(f"{counted(found.documents, 'document')}, {fixed_words(found)}", style="dim"))
    console.print(_table(found, width=console.width))
    console.print(Text(best_words(found)))
    console.print(Text(f"{MEANING} {PAIRING}", style="dim"))
    if found.nearest:
        console.print(_nearest(found))


def _table(found: Sweep, *, width: int) -> Table:
    narrow = width < _NARROW
    kept = ("strict_f1",) if width < _NARROWEST else ("strict_f1", "precision")
    shown = [(name, title) for name, title in RATES if not narrow or name in kept]
    table = Table(box=SIMPLE_HEAD, pad_edge=False)
    table.add_column("threshold", justify="right", no_wrap=True)
    table.add_column("", no_wrap=True)
    names = [title for _, title in shown]
    for name in (names[0], "95 %", *names[1:], *([] if narrow else ["TP", "FD"]), "change"):
        table.add_column(name, justify="right", no_wrap=True)
    for point in found.points:
        cells = [rate(point.rates[name].value) for name, _ in shown]
        cells.insert(1, bounds(point.rates["strict_f1"]))
        cells += [] if narrow else [count(point.tp), count(point.fd)]
        style = "bold" if point is found.current else ""
        table.add_row(f"{point.threshold:g}", _mark(found, point), *cells, change(found, point), style=style)
    return table


def _mark(found: Sweep, point: SweepPoint) -> str:
    if point is found.current:
        return "◀ current"
    return "highest" if point is found.best else ""


def _nearest(found: Sweep) -> Table:
    table = Table(box=SIMPLE_HEAD, pad_edge=False)
    table.add_column("next to it", justify="right")
    for name in ("", "expected", "predicted", "document"):
        table.add_column(name, overflow="fold")
    for value in found.nearest:
        sign = Text("✓", style="green") if value.matches else Text("✗", style="red")
        texts = [Text(_cut(one_line(text))) for text in (value.expected, value.predicted, value.document)]
        table.add_row(rate(value.score), sign, *texts)
    return table


def _cut(text: str) -> str:
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 1]}…"
