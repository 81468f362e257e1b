"""The rows of CSV files, with cells of any length."""

from __future__ import annotations

import csv
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from fieldwise.errors import InputError
from fieldwise.readers.files import convert_advice, wide_encoding

_MAX_CELL = (1 << 31) - 1
"""The most that the csv module can be told on every platform."""


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
            delimiter = max(",;\t", key=file.readline().count)
            file.seek(0)
            yield csv.reader(file, delimiter=delimiter)
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise InputError(f"{path} cannot be read as a table: {error}") from error
    finally:
        _limit.restore()


def _refuse_encoding(path: Path) -> None:
    try:
        with path.open("rb") as file:
            encoding = wide_encoding(file.read(4))
    except OSError as error:
        raise InputError(f"{path} cannot be read as a table: {error}") from error
    if encoding is not None:
        raise InputError(convert_advice(str(path), encoding))
