r"""CSV files: their rows, with cells of any length, and tables of values, written out as lines.

No more is held than one row. A table of values has a row for each document, headers that are paths,
and cells that are text: ``seller.name`` is a nested field and ``a\.b`` a name with a dot; an empty cell is absent.
"""

from __future__ import annotations

import csv
import re
import reprlib
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from itertools import count
from pathlib import Path
from typing import NamedTuple

import orjson

from fieldwise.errors import InputError, quoted
from fieldwise.readers.envelopes import ID_KEYS, first_key
from fieldwise.readers.files import convert_advice, wide_encoding
from fieldwise.readers.frames import names_in
from fieldwise.results.notes import Note
from fieldwise.values import Json

_MAX_CELL = (1 << 31) - 1
"""The most that the csv module can be told on every platform."""
_HEAD = 1 << 16
_SEPARATOR = re.compile(r"sep=(.)\r?\n?", re.IGNORECASE)
"""What some spreadsheets write before the header."""


class _Limit:
    """The limit of a cell, which the csv module has once for the whole process: lifted while any table is read."""

    def __init__(self) -> None:
        self._lock, self._readers, self._usual = threading.Lock(), 0, 0

    def lift(self) -> None:
        with self._lock:
            self._readers += 1
            if self._readers == 1:
                self._usual = csv.field_size_limit(_MAX_CELL)

    def restore(self) -> None:
        with self._lock:
            self._readers -= 1
            if self._readers == 0:
                csv.field_size_limit(self._usual)


_limit = _Limit()


@contextmanager
def open_rows(path: Path) -> Iterator[Iterator[list[str]]]:
    """Open a table; the first row is its header, whose signs say what separates cells."""
    _refuse_encoding(path)
    _limit.lift()
    try:
        with path.open(encoding="utf-8-sig", newline="") as file:
            header = file.readline(_HEAD)
            said = _SEPARATOR.fullmatch(header)
            if not said:
                file.seek(0)
            delimiter = said[1] if said else max(",;\t|", key=header.count)
            yield _rows(csv.reader(file, delimiter=delimiter, strict=True))
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise InputError(
            f"{path} cannot be read as a table: {error}", code="input.wrong_format", facts={"file": path}
        ) from error
    finally:
        _limit.restore()


def _rows(reader: Iterator[list[str]]) -> Iterator[list[str]]:
    for number in count():
        try:
            yield next(reader)
        except StopIteration:
            return
        except csv.Error as error:
            where = f"row {number}" if number else "its header"
            raise csv.Error(f"{where}: a quoted cell is not closed, or goes on behind its quotes ({error})") from error


def _refuse_encoding(path: Path) -> None:
    try:
        with path.open("rb") as file:
            encoding = wide_encoding(file.read(4))
    except OSError as error:
        raise InputError(
            f"{path} cannot be read as a table: {error}", code="input.wrong_format", facts={"file": path}
        ) from error
    if encoding is not None:
        raise InputError(
            convert_advice(str(path), encoding), code="input.encoding", facts={"file": path, "got": encoding}
        )


class Column(NamedTuple):
    """A column of values: its header, where it is, and the names on its path."""

    header: str
    at: int
    names: tuple[str, ...]


class ValueTable(NamedTuple):
    """A CSV file and what its header says."""

    path: Path
    headers: list[str]
    columns: list[Column]
    max_bytes: int
    """A row of more is not read."""


def open_value_table(path: Path, max_bytes: int) -> ValueTable:
    """Read the header of a table."""
    with open_rows(path) as rows:
        headers = [header.strip() for header in next(rows, [])]
    columns = [Column(header, at, _names(header, path)) for at, header in enumerate(headers) if header]
    if not columns:
        raise InputError(
            f"{path} has no header; expected the names of fields in its first row",
            code="input.empty",
            facts={"file": path},
        )
    _check(path, columns)
    return ValueTable(path, headers, columns, max_bytes)


def id_columns(tables: Sequence[ValueTable]) -> list[str | None]:
    """Return the column that identifies documents in each table, the expected one first.

    It is one that is called so, or the first one if no value repeats in it and both tables have it; else None, and rows
    are matched by their numbers.
    """
    named = [_id_header(table.headers) for table in tables]
    first = tables[0].columns[0].header
    shared = not named[0] and all(first in table.headers for table in tables) and _is_unique(tables[0])
    common = first if shared else named[0]
    return [name or (common if common in table.headers else None) for name, table in zip(named, tables, strict=True)]


def _id_header(headers: Sequence[str]) -> str | None:
    """Return the header that is called like an id, in whatever case."""
    known = {key.casefold() for key in ID_KEYS}
    like = next((header for header in headers if header.casefold() in known), None)
    return first_key(dict.fromkeys(headers), ID_KEYS) or like


def describe_tables(names: Sequence[str | None]) -> str:
    """Say what tables are, and by which of their columns documents are matched."""
    what = "2 CSV files of values" if len(names) == 2 else "CSV file of values"
    columns = [quoted(name) for name in dict.fromkeys(names) if name is not None]
    return f"{what} (id column{'s' if len(columns) > 1 else ''} {' and '.join(columns)})" if columns else what


def matching_note(names: Sequence[str | None]) -> Note | None:
    """Return by which column rows are matched, where it is not called an id."""
    guessed = [name for name in names if name not in ID_KEYS]
    return Note.of("input.matched_by_column", column=guessed[0]) if guessed and None not in names else None


def write_rows(table: ValueTable, target: Path, identity: str | None) -> Note | None:
    """Write every row as a line, with its id as the first member; blank rows are blank lines. Return what is odd."""
    short: list[int] = []
    columns = sorted(table.columns, key=lambda column: column.header != identity)
    with open_rows(table.path) as rows, target.open("wb") as lines:
        next(rows, None)
        for number, cells in enumerate(rows, 1):
            if sum(map(len, cells)) > table.max_bytes:
                lines.write(_long_line(cells, columns, identity, table.max_bytes))
                continue
            if any(cell.strip() for cell in cells[len(table.headers) :]):
                _refuse(table, number, cells)
            if any(map(str.strip, cells)) and len(cells) < len(table.headers):
                short.append(number)
            lines.write(_line(cells, columns, identity) + b"\n")
    if not short:
        return None
    return Note.of("input.short_rows", file=table.path.name, count=len(short), first=short[0])


def _line(cells: list[str], columns: list[Column], identity: str | None) -> bytes:
    document: dict[str, Json] = {}
    for header, at, names in columns:
        if at < len(cells) and cells[at].strip():
            if header == identity:
                document[header] = cells[at].strip()
            else:
                _put(document, names, cells[at])
    return orjson.dumps(document) if document else b""


def _long_line(cells: list[str], columns: list[Column], identity: str | None, max_bytes: int) -> bytes:
    """Return a line in place of a row that is too long: with its id, and too long as well."""
    name = _line(cells, [column for column in columns if column.header == identity], identity) or b"{}"
    return name[:-1] + b"," * (name != b"{}") + b'"":"' + b" " * max_bytes + b'"}\n'


def _put(document: dict[str, Json], names: tuple[str, ...], cell: str) -> None:
    for name in names[:-1]:
        document = document.setdefault(name, {})
    document[names[-1]] = cell


def _names(header: str, path: Path) -> tuple[str, ...]:
    names = names_in(header)
    if not names:
        raise InputError(
            f"Expected the path of a field such as seller.name in the header of {path}, got {reprlib.repr(header)}",
            code="input.wrong_format",
            facts={"file": path, "got": header},
        )
    return names


def _check(path: Path, columns: list[Column]) -> None:
    """Refuse a header that is there twice, or that is both a value and an object of others."""
    seen: dict[tuple[str, ...], str] = {}
    for header, _, names in columns:
        for other, first in seen.items():
            shorter = min(len(names), len(other))
            if names[:shorter] == other[:shorter]:
                raise InputError(
                    f"{path} has the columns {quoted(first)} and {quoted(header)}, which cannot both be",
                    code="input.wrong_format",
                    facts={"file": path, "columns": [first, header]},
                )
        seen[names] = header


def _is_unique(table: ValueTable) -> bool:
    at, seen = table.columns[0].at, set[str]()
    with open_rows(table.path) as rows:
        next(rows, None)
        for cells in rows:
            cell = cells[at].strip() if at < len(cells) else ""
            if any(cells) and (not cell or cell in seen):
                return False
            seen.add(cell)
    return True


def _refuse(table: ValueTable, number: int, cells: list[str]) -> None:
    raise InputError(
        f"Row {number} of {table.path} has {len(cells)} cells, its header {len(table.headers)} names",
        code="input.wrong_format",
        facts={"file": table.path, "row": number},
    )
