"""What views are made of: sentences and tables of cells. Every renderer draws these, and knows no field names."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TypeAlias

from fieldwise.results.core import Result
from fieldwise.results.notes import Note
from fieldwise.text import one_line
from fieldwise.views.notes import Medium, More, rest_words, worded
from fieldwise.views.numbers import written
from fieldwise.views.words import Column, Format, Tone

_NAME = re.compile("\x02(.*?)\x03")
"""A name in a sentence stands between two characters that no name on one line can hold."""

Value: TypeAlias = str | float | int | tuple[float, float] | None


def marked(name: str) -> str:
    """Return a name from documents for use in a `Sentence`, so that every medium can show it as a name."""
    return f"\x02{one_line(name)}\x03"


class Sentence(Result, frozen=True):
    """Words, in which names from documents are `marked`, or a note; ``bullet`` stands before them.

    ``more`` names what a medium may offer to see the rest.
    """

    words: str | Note
    tone: Tone = "plain"
    bullet: str = ""
    more: More | None = None
    folded: str = ""
    """The title below which it is folded, where a medium can do that."""
    column: str = ""
    """The key of the column that it explains: where the table before it has no room for that, it is left out."""

    def text(self, medium: Medium = "python") -> str:
        """Return the words for a medium, without marks, on one line."""
        return f"{self.bullet} " * bool(self.bullet) + one_line(_NAME.sub(r"\1", self._words(medium)))

    def spans(self, medium: Medium = "python") -> list[tuple[str, bool]]:
        """Return the words for a medium in pieces, each with whether it is a name."""
        return [(piece, k % 2 == 1) for k, piece in enumerate(_NAME.split(self._words(medium))) if piece]

    def _words(self, medium: Medium) -> str:
        words = worded(self.words, medium) if isinstance(self.words, Note) else self.words
        return words if self.more is None else words + rest_words(self.more, medium)


class Headline(Result, frozen=True):
    """What a reader should see first: a few words with a tone, and a sentence behind them."""

    title: Sentence
    summary: Sentence | None = None
    badge: str = ""
    """The title in a word or two, for media that show these as a badge."""


class Cell(Result, frozen=True):
    """A value with what stands around it: a symbol or word before it, and something quiet behind it."""

    value: Value = None
    tone: Tone = "plain"
    before: str = ""
    aside: str = ""
    mark: str = ""
    """A mark right behind the value, that a note explains."""
    format: Format | None = None
    """How it is written, where that is not how its column is."""


class Row(Result, frozen=True):
    """The cells of a row, in the order of the columns; a ``brief`` one takes one line where rows take several."""

    cells: tuple[Cell, ...]
    tone: Tone = "plain"
    brief: bool = False


class Table(Result, frozen=True):
    """Columns and rows. ``folded`` ones are closed where a medium can do that.

    Below ``stack_below`` columns of a terminal each row takes several lines.
    """

    columns: tuple[Column, ...]
    rows: tuple[Row, ...]
    title: str = ""
    folded: bool = False
    stack_below: int = 0
    is_ruled: bool = True
    """Whether a line stands below the headings."""

    @classmethod
    def of(cls, columns: Sequence[Column], rows: Sequence[Row], *, title: str = "", stack_below: int = 0) -> Table:
        """Return a table; columns in which nothing stands are left out."""
        kept = [
            k for k, column in enumerate(columns) if column.key not in _OPTIONAL or any(_has(row, k) for row in rows)
        ]
        return cls(
            tuple(columns[k] for k in kept),
            tuple(Row(tuple(row.cells[k] for k in kept), row.tone, row.brief) for row in rows),
            title,
            stack_below=stack_below,
        )

    def text(self, row: Row, at: int) -> str:
        """Return a cell as it is written, without what is quiet behind it."""
        cell = row.cells[at]
        return cell.before + written(cell.format or self.columns[at].format, cell.value) + cell.mark


_OPTIONAL = ("needed", "near", "note", "kind")
"""Columns that are left out where no row has anything to say."""


def _has(row: Row, at: int) -> bool:
    return bool(row.cells[at].value or row.cells[at].aside)


class Beside(Result, frozen=True):
    """Tables with the same number of rows that stand beside each other where there is room."""

    tables: tuple[Table, ...]


Part: TypeAlias = Headline | Sentence | Table | Beside


class View(Result, frozen=True):
    """What a result shows, part after part."""

    parts: tuple[Part, ...]

    @property
    def tables(self) -> list[Table]:
        """All its tables."""
        found: list[Table] = []
        for part in self.parts:
            found += part.tables if isinstance(part, Beside) else [part] if isinstance(part, Table) else []
        return found
