"""The class report as text and as a data frame."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from fieldwise.errors import MissingExtraError
from fieldwise.results.classes import ClassRow, ClassScores
from fieldwise.values import Json

if TYPE_CHECKING:
    import pandas as pd

_DASH = "–"


def as_frame(scores: ClassScores) -> pd.DataFrame:
    """Return one row per class."""
    try:
        import pandas as pd
    except ImportError as error:
        raise MissingExtraError(
            "Expected pandas for a data frame; pip install 'fieldwise[notebook]'",
            facts={"package": "pandas", "extra": "notebook"},
        ) from error
    rows = [_flat(row) for row in scores.classes]
    return pd.DataFrame(rows, index=pd.Index([row.name for row in scores.classes], name="class"))


def _flat(row: ClassRow) -> dict[str, Json]:
    members = row.to_dict()
    del members["name"]
    for name in ("precision", "recall"):
        rate = members[name]
        members |= {name: rate["value"], f"{name}_low": rate["low"], f"{name}_high": rate["high"]}
    return members


def as_text(scores: ClassScores, digits: int) -> str:
    """Return a table: the classes, then accuracy and the averages."""
    lines = list(_lines(scores, digits))
    width = max(len(line[0]) for line in lines if line)
    cells = max(9, digits + 3)
    head = " " * (width + 1) + "".join(f" {name:>{cells}}" for name in ("precision", "recall", "f1-score", "support"))
    body = [f"{name:>{width}} " + "".join(f" {cell:>{cells}}" for cell in row) if name else "" for name, *row in lines]
    return "\n".join([head, "", *body]) + "\n"


def _lines(scores: ClassScores, digits: int) -> Iterator[tuple[str, ...]]:
    def rate(value: float | None) -> str:
        return _DASH if value is None else f"{value:.{digits}f}"

    used = str(scores.rows.used)
    for row in scores.classes:
        yield printable(row.name), rate(row.precision.value), rate(row.recall.value), rate(row.f1), str(row.support)
    yield ("",)
    yield "accuracy", "", "", rate(scores.accuracy.value), used
    averages = {"micro avg": scores.micro, "macro avg": scores.macro, "weighted avg": scores.weighted}
    for name, average in averages.items():
        yield name, rate(average.precision), rate(average.recall), rate(average.f1), used


def printable(text: str) -> str:
    """Return a name as a terminal can show it: on one line, nothing in it a command.

    >>> printable("a\\x1b[31m")
    'a\\\\x1b[31m'
    """
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text) or '""'
