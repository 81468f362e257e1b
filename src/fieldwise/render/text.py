"""Views as plain text, for logs, shells and failures of tests: whatever a name or value holds stays on its line."""

from __future__ import annotations

from collections.abc import Sequence

from fieldwise.text import cut, one_line
from fieldwise.views.parts import Beside, Headline, Row, Sentence, Table, View

_MAX_VALUE = 60


def to_text(view: View) -> str:
    """Return a view as lines of text; sentences that only explain are left out."""
    lines: list[str] = []
    for part in view.parts:
        if isinstance(part, Headline):
            lines += _headline(part)
        elif isinstance(part, Table):
            lines += (
                ["", *([part.title] if part.title else []), *table_lines(part), ""]
                if part.is_ruled
                else table_lines(part)
            )
        elif isinstance(part, Beside):
            lines += [line for table in part.tables for line in table_lines(table)]
        elif not part.folded:
            lines.append(_sentence(part))
    tight = [line for k, line in enumerate(lines) if line or (k and lines[k - 1])]
    return "\n".join(tight).strip("\n")


def _sentence(sentence: Sentence) -> str:
    text = sentence.text()
    return f"- {text.removeprefix(f'{sentence.bullet} ')}" if sentence.bullet else text


def _headline(headline: Headline) -> list[str]:
    if headline.summary is None:
        return [headline.title.text()]
    if headline.badge:
        return [headline.title.text(), headline.summary.text()]
    return [f"{headline.title.text()}: {headline.summary.text()}"]


def table_lines(table: Table) -> list[str]:
    """Return a table as lines with columns of equal width, numbers on the right."""
    if not table.rows:
        return []
    cells = [[one_line(column.title) for column in table.columns], *(_cells(table, row) for row in table.rows)]
    widths = [max(len(row[k]) for row in cells) for k in range(len(table.columns))]
    if table.is_ruled:
        cells.insert(1, ["-" * width for width in widths])
    return [_line(table, row, widths) for row in cells]


def _cells(table: Table, row: Row) -> list[str]:
    return [_cell(table, row, at) for at in range(len(table.columns))]


def _cell(table: Table, row: Row, at: int) -> str:
    text = one_line(table.text(row, at))
    shown = cut(text, _MAX_VALUE) if table.columns[at].format == "value" else text
    return f"{shown} {one_line(row.cells[at].aside)}".rstrip()


def _line(table: Table, cells: Sequence[str], widths: Sequence[int]) -> str:
    columns = zip(table.columns, cells, widths, strict=True)
    padded = (cell.rjust(width) if column.is_number else cell.ljust(width) for column, cell, width in columns)
    return "  ".join(padded).rstrip()
