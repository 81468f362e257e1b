"""Views as Markdown for a pull request: what matters in sight, the rest folded; no text of documents comes alive."""

from __future__ import annotations

import re
from collections.abc import Sequence

from fieldwise.text import cut, seen
from fieldwise.views.notes import Medium
from fieldwise.views.parts import Beside, Headline, Part, Row, Sentence, Table, View

_MAX_VALUE = 60
_MARKS = str.maketrans({mark: f"&#{ord(mark)};" for mark in "&<>\"'|*_`[]~\\:."} | {"\n": "⏎", "\t": " "})
"""What Markdown or HTML would read as more than a letter."""
_OWN = str.maketrans({mark: f"&#{ord(mark)};" for mark in "&<>|*_`[]~\\"} | {"\n": "⏎", "\t": " "})
_LINK = re.compile(r"(?<=[^\W\d])[.:](?=\S)")
"""A dot or colon inside a word, which may begin an address."""
_CALL = re.compile("[@#]")
"""Outside of code, pages that show Markdown read names and numbers after these as people and issues to tell."""


def to_markdown(view: View, medium: Medium = "python") -> str:
    """Return a view as Markdown, in the words for a medium."""
    text, was_item = "", False
    for part in view.parts:
        for block in _blocks(part, medium):
            is_item = block.startswith("- ")
            text += ("" if not text else "\n" if is_item and was_item else "\n\n") + block
            was_item = is_item
    return text + "\n"


def _blocks(part: Part, medium: Medium) -> list[str]:
    if isinstance(part, Headline):
        return [_headline(part, medium)]
    if isinstance(part, Beside):
        return [_lines(_table(table)) for table in part.tables]
    if isinstance(part, Table):
        title = [f"**{_escaped(part.title)}**", ""] if part.title else []
        return [_lines(_folded(part.title, _table(part)) if part.folded else [*title, *_table(part)])]
    words = _sentence(part, medium)
    return [_lines(_folded(part.folded, [words]))] if part.folded else [f"- {words}"]


def _lines(lines: Sequence[str]) -> str:
    return "\n".join(lines)


def _headline(headline: Headline, medium: Medium) -> str:
    title = f"### {_sentence(headline.title, medium)}"
    return title if headline.summary is None else f"{title}\n\n{_sentence(headline.summary, medium).removesuffix('.')}."


def _sentence(sentence: Sentence, medium: Medium) -> str:
    return "".join(code(piece) if is_name else _escaped(piece) for piece, is_name in sentence.spans(medium)).strip()


def _table(table: Table) -> list[str]:
    lines = ["---:" if column.is_number else "---" for column in table.columns]
    titles = [_escaped(column.title) for column in table.columns]
    rows = [[_cell(table, row, at) for at in range(len(table.columns))] for row in table.rows]
    return [f"| {' | '.join(cells)} |" for cells in (titles, lines, *rows)]


def _cell(table: Table, row: Row, at: int) -> str:
    cell = row.cells[at]
    how = cell.format or table.columns[at].format
    if how in ("name", "value"):
        text = "–" if cell.value is None else code(cut(str(cell.value), _MAX_VALUE))
        shown = _escaped(cell.before) + text
    else:
        shown = _escaped(table.text(row, at))
    if table.columns[at].is_number or (at and how == "text"):
        shown = shown.replace(" ", "&nbsp;")
    return f"{shown} {_escaped(cell.aside)}".strip()


def _folded(title: str, lines: Sequence[str]) -> list[str]:
    return ["<details>", f"<summary>{_escaped(title)}</summary>", "", *lines, "", "</details>"]


def code(text: str) -> str:
    """Return text from documents as code, in which no mark, mention or link comes alive."""
    return f"<code>{seen(text).translate(_MARKS)}</code>"


def _escaped(text: str) -> str:
    linked = _LINK.sub(lambda found: f"\x02{ord(found[0])};", seen(text))
    calls = _CALL.sub(lambda found: f"\x03{found[0]}\x04", linked)
    safe = calls.translate(_OWN)
    return safe.replace("\x02", "&#").replace("\x03", "<code>").replace("\x04", "</code>")
