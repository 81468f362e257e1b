"""A sweep on a terminal: the rates of a field at each threshold, and what they mean."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.table import Table
from rich.text import Text

from fieldwise.numbers import count, counted, interval, rate
from fieldwise.report.sweep_words import JUDGED, MEANING, PAIRING, RATES, best_words, change, fixed_words
from fieldwise.results.rates import Ratio
from fieldwise.results.sweep import Sweep, SweepPoint
from fieldwise.text import one_line

_LONGEST = 40
_UNBOUNDED = 1000
_NARROW = 60
"""Below so many columns the values next to the threshold stand under each other."""


def print_sweep(console: Console, sweep: Sweep) -> None:
    """Print a sweep."""
    line = Text(one_line(sweep.field), style="bold").append(
        f"   {sweep.comparator}, threshold {sweep.threshold:g}   ", style="dim"
    )
    console.print(line.append(f"{counted(sweep.documents, 'document')}, {fixed_words(sweep)}", style="dim"))
    console.print(_table(console, sweep))
    console.print(Text(best_words(sweep)))
    console.print(Text(f"{MEANING} {PAIRING}", style="dim"))
    if sweep.nearest:
        console.print(_nearest(sweep, narrow=console.width < _NARROW))


class _Column(NamedTuple):
    title: str
    cell: Callable[[SweepPoint], str]
    needed: int
    """The columns that are needed least are left out first where there is no room."""


def _columns(sweep: Sweep) -> list[_Column]:
    (headline, title), *others = RATES
    return [
        _Column("threshold", lambda point: f"{point.threshold:g}", 8),
        _Column("", lambda point: _mark(sweep, point), 7),
        _Column(title, lambda point: rate(point.rates.of(headline).value), 8),
        _Column("95 %", lambda point: interval(point.rates.of(headline).interval), 5),
        *(_rate_column(name, title, 4 if name == "precision" else 2) for name, title in others),
        _Column("TP", lambda point: count(point.tp), 1),
        _Column("FD", lambda point: count(point.fd), 1),
        _Column("change", lambda point: change(sweep, point), 6),
    ]


def _rate_column(name: Ratio, title: str, needed: int) -> _Column:
    return _Column(title, lambda point: rate(point.rates.of(name).value), needed)


def _table(console: Console, sweep: Sweep) -> Table:
    """Return the table with the columns for which there is room, so that what is shown is whole."""
    columns = _columns(sweep)
    for least in sorted({column.needed for column in columns}):
        table = _filled(sweep, [column for column in columns if column.needed >= least])
        if console.measure(table, options=console.options.update(max_width=_UNBOUNDED)).maximum <= console.width:
            break
    return table


def _filled(sweep: Sweep, columns: Sequence[_Column]) -> Table:
    table = Table(box=SIMPLE_HEAD, pad_edge=False)
    for column in columns:
        table.add_column(column.title, justify="right" if column.title else "left", no_wrap=True)
    for point in sweep.points:
        style = "bold" if point.threshold == sweep.current else ""
        table.add_row(*(column.cell(point) for column in columns), style=style)
    return table


def _mark(sweep: Sweep, point: SweepPoint) -> str:
    if point.threshold == sweep.current:
        return "◀ current"
    return "highest" if point.threshold == sweep.best else ""


def _nearest(sweep: Sweep, *, narrow: bool) -> Table:
    table = Table(box=SIMPLE_HEAD, pad_edge=False)
    table.add_column("next to it", justify="right", no_wrap=True)
    for name in ("", "values") if narrow else ("", "expected", "predicted", "document"):
        table.add_column(name, overflow="fold")
    for value in sweep.nearest:
        sign = Text(JUDGED[value.matches][1], style="green" if value.matches else "red")
        texts = [Text(_cut(one_line(text))) for text in (value.expected, value.predicted, value.document)]
        shown = [Text("\n").join(texts)] if narrow else texts
        table.add_row(rate(value.score), sign, *shown)
    return table


def _cut(text: str) -> str:
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 1]}…"
