"""Data frames of pandas and polars, and tables of Arrow, as rows and documents; the only place that knows them.

No library of data frames is imported: a frame is known by what it can do.
"""

from __future__ import annotations

import reprlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from fieldwise.depth import MAX_LEVEL
from fieldwise.errors import InputError, SettingError, quoted
from fieldwise.spec.paths import steps_of
from fieldwise.values import Json, opened, scalar
from fieldwise.values.objects import written_alike


class FrameLike(Protocol):
    """A data frame of pandas or polars, or a table of Arrow."""

    @property
    def columns(self) -> Iterable[Json]: ...


@dataclass(frozen=True)
class Index:
    """The labels of rows, what they are called, and whether they only count the rows from 0 on."""

    labels: list[Json]
    name: str | None
    is_count: bool


@dataclass(frozen=True)
class Frame:
    """A data frame: the names of its columns, its rows, and their index where the library has one."""

    columns: list[str]
    rows: list[tuple[Json, ...]]
    index: Index | None

    def column(self, name: str) -> list[Json]:
        """Return the cells of a column."""
        at = self.columns.index(name)
        return [row[at] for row in self.rows]


def as_frame(given: Json) -> Frame | None:
    """Return a data frame of pandas, of polars, or a table of Arrow, as rows of Python values."""
    if hasattr(given, "itertuples"):  # pandas
        rows = _widened(given.itertuples(index=False, name=None), given.dtypes)
        return _checked_frame(given.columns, rows, index_of(given.index))
    if hasattr(given, "iter_rows"):  # polars
        return _checked_frame(given.columns, _widened(given.iter_rows(), given.dtypes), None)
    if hasattr(given, "itercolumns"):  # Arrow
        cells = zip(*(column.to_pylist() for column in given.itercolumns()), strict=True)
        return _checked_frame(given.schema.names, _widened(cells, given.schema.types), None)
    return None


def _widened(rows: Iterable[tuple[Json, ...]], types: Iterable[Any]) -> Iterator[tuple[Json, ...]]:
    """Yield rows in which a number of fewer bits is the one of 64 bits that is written alike."""
    columns = [narrow(kind) for kind in types]
    if all(column is _same for column in columns):
        yield from rows
        return
    for row in rows:
        yield tuple([column(cell) for column, cell in zip(columns, row, strict=True)])


def narrow(kind: Any) -> Callable[[Json], Json]:
    """Return what makes cells of a type those that are written alike in 64 bits: 0.1 stays 0.1.

    The type is one of a data frame or of Arrow, lists and structs included.
    """
    digits = _FLOATS.get(str(kind).lower())
    if digits is not None:
        return lambda cell: _written_alike(cell, digits)
    fields = [kind.field(at) for at in range(getattr(kind, "num_fields", 0))] if hasattr(kind, "field") else []
    inner = {field.name: narrow(field.type) for field in fields}
    if all(one is _same for one in inner.values()):
        return _same
    if str(kind).startswith("struct"):
        return lambda cell: cell and {name: inner[name](value) for name, value in cell.items()}
    return lambda cell: cell and [inner[fields[0].name](value) for value in cell]


def _same(cell: Json) -> Json:
    return cell


def _written_alike(cell: Json, kind: type[np.floating[Any]]) -> Json:
    return written_alike(kind(cell)) if isinstance(cell, float | np.floating) else cell


_FLOATS: dict[str, type[np.floating[Any]]] = {
    **dict.fromkeys(("float32", "float", "float[pyarrow]"), np.float32),
    **dict.fromkeys(("float16", "halffloat", "halffloat[pyarrow]"), np.float16),
}
"""Types of floats of fewer than 64 bits, as libraries call them."""


def _checked_frame(columns: Iterable[Json], rows: Iterable[tuple[Json, ...]], index: Index | None) -> Frame:
    levels = next((name for name in columns if isinstance(name, tuple)), None)
    if levels is not None:
        raise InputError(
            f"Expected a text as the name of every column of a data frame, got {levels!r}",
            code="input.wrong_format",
            facts={"got": levels},
            advice="give columns of one level, such as seller.name",
        )
    names = [str(name) for name in columns]
    for at, name in enumerate(names):
        if name in names[:at]:
            raise InputError(
                f"Expected every column of a data frame once, got {quoted(name)} twice",
                code="input.wrong_format",
                facts={"columns": names, "got": name},
            )
    return Frame(names, list(rows), index)


def index_of(index: Any) -> Index:
    is_count = type(index).__name__ == "RangeIndex" and (index.start, index.step, index.name) == (0, 1, None)
    return Index(list(index), None if index.name is None else str(index.name), is_count)


def is_series(given: Json) -> bool:
    """Tell whether an object is a series of pandas: values with an index."""
    return hasattr(given, "index") and not callable(given.index) and hasattr(given, "dtype")


def documents_in(frame: Frame, id_column: str | None) -> list[Json]:
    """Return rows as documents; ``seller.name`` is a column of nested values, a cell without a value is left out."""
    names = [(name,) if name == id_column else _steps(name) for name in frame.columns]
    _check_nesting(frame.columns, names)
    return [_nested(names, row) for row in frame.rows]


def names_in(column: str) -> tuple[str, ...]:
    """Return the keys that the name of a column leads through; none where it is no path of a field.

    >>> names_in("seller.name"), names_in("items[0]")
    (('seller', 'name'), ())
    """
    try:
        steps = steps_of(column)
    except SettingError:
        return ()
    names = tuple(step for step in steps if isinstance(step, str))
    return names if len(names) == len(steps) <= MAX_LEVEL else ()


def _steps(column: str) -> tuple[str, ...]:
    names = names_in(column)
    if not names:
        raise InputError(
            f"Expected the path of a field such as seller.name as the name of a column, got {reprlib.repr(column)}",
            code="input.wrong_format",
            facts={"got": column},
        )
    return names


def _check_nesting(columns: Sequence[str], names: Sequence[tuple[str, ...]]) -> None:
    whole = dict(zip(names, columns, strict=True))
    for steps, column in zip(names, columns, strict=True):
        for length in range(1, len(steps)):
            if steps[:length] in whole:
                raise InputError(
                    f"The data frame has the columns {quoted(whole[steps[:length]])} and {quoted(column)},"
                    " which cannot both be",
                    code="input.wrong_format",
                    facts={"columns": [whole[steps[:length]], column]},
                )


def _nested(names: Sequence[tuple[str, ...]], row: tuple[Json, ...]) -> dict[str, Json]:
    document: dict[str, Json] = {}
    for steps, cell in zip(names, row, strict=True):
        if not is_empty(cell):
            into = document
            for step in steps[:-1]:
                into = into.setdefault(step, {})
            into[steps[-1]] = cell
    return document


def is_empty(cell: Json) -> bool:
    """Tell whether a cell of a data frame has no value: None, NaN, NaT or NA."""
    return opened(cell) is None and scalar(cell) is None
