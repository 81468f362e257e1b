"""Views on a terminal: each table with the columns for which there is room, names broken between words only."""

from __future__ import annotations

import errno
import os
import re
from collections.abc import Iterable, Sequence
from itertools import zip_longest
from typing import Self

from rich.box import SIMPLE_HEAD
from rich.cells import cell_len, chop_cells
from rich.console import Console, ConsoleOptions, JustifyMethod, OverflowMethod, RenderableType
from rich.containers import Lines
from rich.measure import Measurement
from rich.segment import Segment
from rich.table import Table as RichTable
from rich.text import Text

from fieldwise.text import cut, one_line, terminal_safe
from fieldwise.views.notes import Medium
from fieldwise.views.parts import Beside, Cell, Headline, Row, Sentence, Table, View
from fieldwise.views.words import Column, Tone

_FILE_WIDTH = 150
_UNBOUNDED = 1000
_MAX_VALUE = 40
_LEAST_VALUE, _LEAST_NAME = 16, 18
"""No narrower become columns of values and of names so that more columns can be shown."""
_NARROW_INDENT, _NARROW = 4, 60
_NARROW_HEADLINE = 80
"""In a narrower terminal the summary of a headline begins on a line of its own, unless both fit on one."""
_STYLES: dict[Tone, str] = {
    "plain": "",
    "quiet": "dim",
    "strong": "bold",
    "good": "green",
    "fair": "yellow",
    "poor": "red",
    "undefined": "dim",
    "bad": "red",
    "warning": "yellow",
    "mismatch": "red",
    "missed": "magenta",
    "spurious": "yellow",
}


def draw(console: Console, view: View, medium: Medium = "python") -> None:
    """Print a view, in the words for a medium."""
    left_out: list[str] = []
    for part in view.parts:
        if isinstance(part, Headline):
            _print_headline(console, part, medium)
        elif isinstance(part, Sentence):
            if part.column not in left_out:
                console.print(Text(part.text(medium), style=_STYLES[part.tone]))
        elif isinstance(part, Table):
            left_out = [column.key for column in _print_table(console, part)]
        else:
            console.print(_beside(console, part))


def _print_headline(console: Console, headline: Headline, medium: Medium) -> None:
    style = f"bold {_STYLES[headline.title.tone]}".strip()
    if not headline.badge:
        words = Text(headline.title.text(medium), style=style)
        if headline.summary is not None:
            quieter = f"not bold {_STYLES[headline.summary.tone]}".strip()
            words.append(f": {headline.summary.text(medium)}", style=quieter)
        console.print(words)
        return
    answer, colon, more = headline.badge.partition(":")
    words = Text(f" {answer.upper()}{colon}{more} ", style=f"{style} reverse")
    summary = Text("" if headline.summary is None else headline.summary.text(medium), style="bold")
    if console.width < _NARROW_HEADLINE and cell_len(words.plain) + 2 + cell_len(summary.plain) > console.width:
        console.print(words, summary, sep="\n")
    else:
        console.print(words.append("  ").append_text(summary) if summary else words)


# Tables


def _print_table(console: Console, table: Table) -> list[Column]:
    """Print a table, and return the columns for which there was no room."""
    if not table.rows:
        return []
    if table.title:
        console.print(Text(table.title, style="bold"))
    if console.width < table.stack_below and _least_width(console, table, table.columns) > console.width:
        for row in table.rows:
            _print_stacked(console, table, row)
        return []
    drawn, left_out = _fitted(console, table)
    console.print(drawn)
    if left_out:
        names = ", ".join(column.title.partition("  ")[0] for column in left_out if column.title)
        width = _least_width(console, table, table.columns)
        console.print(Text(f"widen the terminal to {width} columns for {names}", style="dim"))
    return left_out


def _fitted(console: Console, table: Table) -> tuple[RichTable, list[Column]]:
    """Return the table with the columns for which there is room without a word broken, and those left out."""
    for least in sorted({column.priority for column in table.columns}, reverse=True):
        kept = [column for column in table.columns if column.priority <= least]
        if least == 1 or _least_width(console, table, kept) <= console.width:
            break
    return _drawn(table, kept), [column for column in table.columns if column not in kept]


def _least_width(console: Console, table: Table, kept: Sequence[Column]) -> int:
    """Return the width that a table takes at least where names and values are broken between words."""
    options = console.options.update(max_width=_UNBOUNDED)
    spare = 0
    for at in [table.columns.index(column) for column in kept if column.format in ("name", "value", "words")]:
        sizes = [console.measure(_cell(table, row, at), options=options) for row in table.rows]
        widest, least = max(size.maximum for size in sizes), max(size.minimum for size in sizes)
        room = _LEAST_NAME if table.columns[at].format == "name" else _LEAST_VALUE
        spare += max(widest - max(least, len(table.columns[at].title), room), 0)
    return console.measure(_drawn(table, kept), options=options).maximum - spare


def _drawn(table: Table, kept: Sequence[Column]) -> RichTable:
    drawn = RichTable(box=SIMPLE_HEAD if table.is_ruled else None, pad_edge=False)
    if not table.is_ruled:
        drawn.padding, drawn.header_style = (0, 2, 0, 0), "dim"
    places = [table.columns.index(column) for column in kept]
    for column, at in zip(kept, places, strict=True):
        has_asides = any(row.cells[at].aside for row in table.rows)
        right = column.is_number and not has_asides
        whole = column.format not in ("name", "value", "words")
        drawn.add_column(column.title, justify="right" if right else "left", overflow="fold", no_wrap=whole)
    for row in table.rows:
        drawn.add_row(*(_cell(table, row, at) for at in places), style=_STYLES[row.tone])
    return drawn


def _cell(table: Table, row: Row, at: int) -> Text:
    column, cell = table.columns[at], row.cells[at]
    if column.format == "name":
        return _name(cell)
    text = Text(_written(table, row, at), style=_STYLES[cell.tone])
    if not cell.mark and any(other.cells[at].mark for other in table.rows):
        text.append(" ")
    if cell.aside or (column.is_number and any(other.cells[at].aside for other in table.rows)):
        if column.is_number:
            text.pad_right(max(cell_len(_written(table, other, at)) for other in table.rows) - cell_len(text.plain))
        text.append(f" {one_line(cell.aside)}", style="dim")
    return text


def _written(table: Table, row: Row, at: int) -> str:
    text = one_line(table.text(row, at))
    return cut(text, _MAX_VALUE) if table.columns[at].format == "value" else text


def _name(cell: Cell) -> Text:
    name = NameText(cell.before, style="dim")
    name.append(one_line(str(cell.value or "")), style=_STYLES[cell.tone] or "default")
    return name.append(f" {one_line(cell.aside)}", style="dim") if cell.aside else name


def _beside(console: Console, part: Beside) -> RichTable:
    """Return tables beside each other, or where there is no room with all rows in the columns of the first."""
    first = part.tables[0]
    wide = RichTable(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="dim")
    for table in part.tables:
        for column in table.columns:
            wide.add_column(column.title, justify="right" if column.format in ("rate", "count") else "left")
    for rows in zip_longest(*(table.rows for table in part.tables)):
        cells = list[Text]()
        for table, row in zip(part.tables, rows, strict=True):
            cells += [_cell(table, row, at) if row is not None else Text() for at in range(len(table.columns))]
        wide.add_row(*cells)
    if console.measure(wide, options=console.options.update(max_width=_UNBOUNDED)).maximum <= console.width:
        return wide
    joined = Table(first.columns, tuple(row for table in part.tables for row in table.rows), is_ruled=False)
    return _drawn(joined, joined.columns)


def _print_stacked(console: Console, table: Table, row: Row) -> None:
    """Print a row over several lines, for narrow terminals; a brief one takes one."""
    start, lines, indent = Text(), [], 0
    for at, column in enumerate(table.columns):
        text = _cell(table, row, at)
        if column.stacked == "first":
            text.pad_right(max(cell_len(_cell(table, other, at).plain) for other in table.rows) - cell_len(text.plain))
            start.append_text(text).append("  ")
            indent = indent or cell_len(start.plain)
        elif column.stacked == "line" and text.plain:
            lines.append((column.title, text))
        elif column.stacked == "same" and text.plain and lines:
            lines[-1][1].append(f", {column.title} ").append_text(text)
    heads = [_cell(table, row, at) for at, column in enumerate(table.columns) if column.stacked == "head"]
    console.print(start, Text("  ").join(heads), sep="")
    indent = max(indent, _NARROW_INDENT) if console.width >= _NARROW else _NARROW_INDENT
    width = max((len(title) for title, _ in lines), default=0)
    for title, text in () if row.brief else lines:
        console.print(Text(f"{'':{indent}}{title:<{width}}  ", style="dim").append_text(text))


# The terminal


class _Console(Console):
    """One that prints nothing which steers a terminal but styles of its own.

    It leaves a closed pipe to `cli.main`, which decides what commands exit with.
    """

    def render(self, renderable: RenderableType, options: ConsoleOptions | None = None) -> Iterable[Segment]:
        """Yield what is to be printed."""
        for segment in super().render(renderable, options):
            text, style, control = segment
            yield segment if control or text.isprintable() else Segment(terminal_safe(text), style)

    def on_broken_pipe(self) -> None:
        """Let the error pass."""
        raise BrokenPipeError(errno.EPIPE, os.strerror(errno.EPIPE))


def make_console(*, stderr: bool = False) -> Console:
    """Return the console to print to; files and pipes, which have no width of their own, get a wide one."""
    console = _Console(highlight=False, stderr=stderr)
    if not console.is_terminal and "COLUMNS" not in os.environ:
        return _Console(highlight=False, stderr=stderr, width=_FILE_WIDTH)
    return console


class NameText(Text):
    """The name of a field or document in a table, which is broken after dots, underscores, dashes and blanks only.

    A part that is wider than its column is broken before its capitals, and elsewhere only where that is not enough.
    """

    @classmethod
    def of(cls, name: str, style: str = "") -> Self:
        """Return a name on one line."""
        return cls(one_line(name), style=style)

    def __rich_measure__(self, console: Console, options: ConsoleOptions) -> Measurement:
        return Measurement(max(map(cell_len, _parts(self.plain)), default=0), cell_len(self.plain))

    def wrap(
        self,
        console: Console,
        width: int,
        *,
        justify: JustifyMethod | None = None,
        overflow: OverflowMethod | None = None,
        tab_size: int = 8,
        no_wrap: bool | None = None,
    ) -> Lines:
        """Return the name in lines of a width."""
        ends: list[int] = []
        at = used = 0
        for part in _fitting(self.plain, width):
            if used and used + cell_len(part.rstrip()) > width:
                ends.append(at)
                used = 0
            at, used = at + len(part), used + cell_len(part)
        lines = self.divide(ends)
        for line in lines:
            line.rstrip_end(width)
        if justify:
            lines.justify(console, width, justify=justify, overflow=overflow or "fold")
        return lines


def _parts(name: str) -> list[str]:
    return re.findall(r"[^._\-/\s]*[._\-/\s]+|[^._\-/\s]+", name)


def _fitting(name: str, width: int) -> Iterable[str]:
    """Yield the parts of a name, the wide ones cut before capitals, and where they must be."""
    for part in _parts(name):
        pieces = [part] if cell_len(part) <= width else re.split(r"(?<=[^A-Z])(?=[A-Z])", part)
        for piece in pieces:
            yield from [piece] if cell_len(piece) <= width else chop_cells(piece, max(width, 1))
