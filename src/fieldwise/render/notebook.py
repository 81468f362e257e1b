"""Views as fragments of HTML for notebooks, in which every name is text."""

from __future__ import annotations

from markupsafe import Markup, escape

from fieldwise.text import cut, one_line
from fieldwise.views.parts import Beside, Headline, Part, Row, Sentence, Table, View

_MAX_VALUE = 60


def to_html(view: View) -> Markup:
    """Return a view as a fragment; sentences that only explain are left out."""
    return Markup("<div>{}</div>").format(Markup("").join(map(_part, view.parts)))


def _part(part: Part) -> Markup:
    if isinstance(part, Headline):
        more = Markup(": {}").format(part.summary.text()) if part.summary else ""
        return Markup("<p><b>{}</b>{}</p>").format(part.title.text(), more)
    if isinstance(part, Table):
        return _table(part)
    if isinstance(part, Beside):
        return Markup("").join(map(_table, part.tables))
    return Markup("") if part.folded else _sentence(part)


def _sentence(sentence: Sentence) -> Markup:
    return Markup("<p>{}</p>").format(sentence.text())


def _table(table: Table) -> Markup:
    if not table.rows:
        return Markup("")
    title = Markup("<p><b>{}</b></p>").format(table.title) if table.title else ""
    head = Markup("").join(Markup("<th>{}</th>").format(column.title) for column in table.columns)
    body = Markup("").join(Markup("<tr>{}</tr>").format(_cells(table, row)) for row in table.rows)
    return Markup("{}<table><thead><tr>{}</tr></thead><tbody>{}</tbody></table>").format(title, head, body)


def _cells(table: Table, row: Row) -> Markup:
    return Markup("").join(Markup("<td>{}</td>").format(_cell(table, row, at)) for at in range(len(table.columns)))


def _cell(table: Table, row: Row, at: int) -> Markup:
    text = one_line(table.text(row, at))
    shown = cut(text, _MAX_VALUE) if table.columns[at].format == "value" else text
    return escape(f"{shown} {one_line(row.cells[at].aside)}".rstrip())
