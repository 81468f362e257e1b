"""Views on terminals of different widths."""

from __future__ import annotations

import io

import pytest
from rich.console import Console

from fieldwise.render.terminal import draw
from fieldwise.views.parts import Cell, Headline, Row, Sentence, Table, View
from fieldwise.views.words import Column


def lines(view: View, width: int) -> list[str]:
    """Return what is printed on a terminal, without blanks at the ends of lines."""
    printed = io.StringIO()
    draw(Console(file=printed, width=width, highlight=False), view)
    return [line.rstrip() for line in printed.getvalue().splitlines()]


@pytest.mark.parametrize(
    ("width", "expected"),
    [
        (120, [" ✗ FAIL   total: 0.9 → 0.8, which is a loss of ten points, on 60 documents"]),
        (76, [" ✗ FAIL   total: 0.9 → 0.8, which is a loss of ten points, on 60 documents"]),
        (50, [" ✗ FAIL", "total: 0.9 → 0.8, which is a loss of ten points,", "on 60 documents"]),
    ],
)
def test_a_summary_begins_on_a_line_of_its_own_where_it_is_narrow(width: int, expected: list[str]) -> None:
    """It stays beside the answer where both fit on one line."""
    summary = Sentence("total: 0.9 → 0.8, which is a loss of ten points, on 60 documents")
    headline = Headline(Sentence("✗ fail", "bad"), summary, badge="✗ fail")
    assert lines(View((headline,)), width) == expected


def test_lines_of_a_stacked_row_begin_below_its_name() -> None:
    """Whatever the width of the first cell is."""
    name = "total" * 8  # no table of this width has room for it
    columns = (Column("decision", "decision", stacked="first"), Column("name", "name", stacked="head"))
    table = Table(
        (*columns, Column("margin", "margin")),
        tuple(Row((Cell(answer), Cell(name), Cell("5"))) for answer in ("? not enough", "✓ pass")),
        stack_below=80,
    )
    shown = lines(View((table,)), 60)
    assert shown == [
        f"? not enough  {name}",
        "              margin  5",
        f"✓ pass        {name}",
        "              margin  5",
    ]


def test_rows_are_stacked_only_where_the_table_has_no_room() -> None:
    """Below the width from which it always is a table, it is one where all its columns fit."""
    columns = (Column("document", "document", stacked="first"), Column("path", "path"), Column("because", "because"))
    table = Table(columns, (Row((Cell("inv-1"), Cell("total"), Cell("missing"))),), stack_below=110)
    assert lines(View((table,)), 60)[1:4] == [
        " document   path    because",
        " ──────────────────────────",
        " inv-1      total   missing",
    ]
    assert lines(View((table,)), 25) == ["inv-1", "    path     total", "    because  missing"]
