"""Tables as plain text, for logs and failures of tests."""

from __future__ import annotations

from collections.abc import Sequence

from fieldwise.text import one_line


def text_table(columns: Sequence[str], rows: Sequence[Sequence[str]]) -> list[str]:
    """Return a table as lines with columns of equal width; whatever a cell holds stays on its line.

    >>> print("\\n".join(text_table(["field", "n"], [["total", "3"], ["a\\nb", "12"]])))
    field  n
    -----  --
    total  3
    a⏎b    12
    """
    cells = [[one_line(cell) for cell in row] for row in (columns, *rows)]
    widths = [max(len(row[k]) for row in cells) for k in range(len(columns))]
    cells.insert(1, ["-" * width for width in widths])
    return ["  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in cells]
