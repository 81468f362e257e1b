"""Text and tables as HTML: whatever a value contains arrives in the page as text, and nothing in it is invisible."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Container, Iterable, Mapping
from dataclasses import dataclass
from html import escape
from typing import Generic, Literal, TypeVar

from fieldwise.text import UNSEEN, seen, unseen_name
from fieldwise.views import words

Row = TypeVar("Row")

PATH_BREAKS = "._"
NAME_BREAKS = "/_"

LONG = 160
"""Values longer than this many characters are folded in the page, with a button that opens them."""
_LONG_LINES = 3


def shown(text: str, *, breaks: str = "") -> str:
    """Return text as HTML; a character that would not be seen is named in a mark, and nothing is lost.

    A long text may break after the characters ``breaks``.

    >>> shown("<b>\\x00")
    '&lt;b&gt;<span class="unseen" title="U+0000">NUL</span>'
    """
    pieces = UNSEEN.split(text)
    return "".join(_mark(piece) if i % 2 else _escaped(piece, breaks=breaks) for i, piece in enumerate(pieces))


def plain(text: str) -> str:
    """Return text for places that hold no elements (titles, options); unseen characters are replaced by their names."""
    return escape(seen(text))


def block(text: str, *, breaks: str = "") -> str:
    """Return text as an element whose direction is its own and which the page folds where it is long."""
    return value_block(shown(text, breaks=breaks), text)


def value_block(content: str, text: str) -> str:
    """Return HTML made from ``text`` as an element whose direction is its own and which the page folds if long."""
    if not text:
        return '<span class="quiet empty">empty text</span>'
    is_long = len(text) > LONG or text.count("\n") > _LONG_LINES
    return f'<bdi class="value{" long" if is_long else ""}">{content}</bdi>'


@dataclass(frozen=True)
class Cell:
    """What a cell shows, and what it is sorted by: None comes last in either direction."""

    html: str
    sort_by: float | str | None


@dataclass(frozen=True)
class Column(Generic[Row]):
    """A column of a table: its heading, what the heading means, and how a row's cell is made."""

    title: str
    cell: Callable[[Row], Cell]
    kind: Literal["text", "number", "rate", "value"] = "text"
    hint: str = ""
    extra: bool = False
    """Shown only when all counts are asked for."""
    sorted: bool = False
    """Rows arrive sorted by this column, the least first."""


def listed_columns(
    declared: Iterable[words.Column],
    cells: Mapping[str, Callable[[Row], Cell]],
    *,
    extra: Container[str] = (),
    sorted_by: str = "",
) -> list[Column[Row]]:
    """Return the columns of a page from those of a view, in their order, with how the cell of each is made."""
    kinds: dict[str, Literal["text", "number", "rate", "value"]] = {"count": "number", "value": "value"}
    return [
        Column(
            column.title,
            cells[column.key],
            kinds.get(column.format, "rate" if column.is_number else "text"),
            column.hint,
            extra=column.key in extra,
            sorted=column.key == sorted_by,
        )
        for column in declared
        if column.key in cells
    ]


def table(
    name: str,
    columns: Iterable[Column[Row]],
    rows: Iterable[Row],
    *,
    caption: str,
    attributes: Callable[[Row], str] = lambda _: "",
) -> str:
    """Return a table whose columns the page can sort."""
    columns = list(columns)
    head = "".join(_head(column) for column in columns)
    body = "\n".join(f"<tr{attributes(row)}>{_cells(columns, row)}</tr>" for row in rows)
    return (
        f'<div class="scroll"><table id="{name}" class="listing {name}">\n'
        f'<caption class="heard-only">{caption}</caption>\n'
        f"<thead><tr>{head}</tr></thead>\n<tbody>\n{body}\n</tbody></table></div>"
    )


def _head(column: Column[Row]) -> str:
    hint = f' title="{escape(column.hint)}"' if column.hint else ""
    order = ' aria-sort="ascending"' if column.sorted else ""
    numeric = column.kind in ("number", "rate")
    sort = "number" if numeric else "text"
    first = "descending" if column.kind == "number" else "ascending"
    return (
        f'<th scope="col" class="{_classes(column)}" data-sort="{sort}" data-first="{first}"{order}{hint}>'
        f"{escape(column.title)}</th>"
    )


def _cells(columns: list[Column[Row]], row: Row) -> str:
    return "".join(_cell(column, column.cell(row)) for column in columns)


def _cell(column: Column[Row], cell: Cell) -> str:
    if column.kind in ("number", "rate"):
        by = "" if cell.sort_by is None else f"{cell.sort_by}"
        return f'<td class="{_classes(column)}" data-by="{by}">{cell.html}</td>'
    return f'<td class="{_classes(column)}">{cell.html}</td>'


def _classes(column: Column[Row]) -> str:
    look = "number" if column.kind in ("number", "rate") else column.kind
    return f"{look} extra" if column.extra else look


def _escaped(text: str, *, breaks: str) -> str:
    escaped = escape(text)
    for character in breaks:
        escaped = escaped.replace(character, f"{character}<wbr>")
    return escaped


def _mark(character: str) -> str:
    title = f"U+{ord(character):04X} {unicodedata.name(character, '')}".strip()
    return f'<span class="unseen" title="{escape(title)}">{unseen_name(character)}</span>'


def card(title: str, number: str, note: str) -> str:
    """Return a figure with its name and a note; all three are HTML."""
    return f'<div><dt>{title}</dt><dd><span class="figure">{number}</span><span>{note}</span></dd></div>'
