"""The rows of CSV files, with cells of any length, of which no more is held than one row within the limit."""

from __future__ import annotations

import codecs
import csv
import mmap
import re
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from io import StringIO
from pathlib import Path
from typing import BinaryIO

from fieldwise.errors import InputError
from fieldwise.readers.files import convert_advice, wide_encoding

_MAX_CELL = (1 << 31) - 1
"""The most that the csv module can be told on every platform."""
_HEAD = 1 << 16
_LINE = re.compile(rb"[^\r\n]*(?:\r\n|\r|\n)|[^\r\n]+")


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


class LongRow(list[str]):
    """The first cells of a row that is too long to be read."""


class _TooLong(Exception):
    """A signal, no error."""


@contextmanager
def open_rows(path: Path, max_bytes: int) -> Iterator[Iterator[list[str]]]:
    """Open a table; the first row is its header, whose signs say what separates cells.

    Of a row of more than ``max_bytes`` only its first cells are read.
    """
    _refuse_encoding(path)
    _limit.lift()
    try:
        with path.open("rb") as file:
            yield _Rows(file, max_bytes).read()
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise InputError(
            f"{path} cannot be read as a table: {error}", code="input.wrong_format", facts={"file": path}
        ) from error
    finally:
        _limit.restore()


class _Rows:
    """The rows of a file; what is held of it at a time is one row."""

    def __init__(self, file: BinaryIO, max_bytes: int) -> None:
        self._file, self._max_bytes = file, max_bytes
        self._start = self._end = len(codecs.BOM_UTF8) if file.read(3) == codecs.BOM_UTF8 else 0
        file.seek(self._start)
        header = file.readline(max_bytes)
        self._delimiter = max(",;\t", key=lambda sign: header.count(sign.encode()))
        file.seek(self._start)

    def read(self) -> Iterator[list[str]]:
        rows = csv.reader(self._lines(), delimiter=self._delimiter)
        while True:
            self._start = self._end
            try:
                yield next(rows)
            except StopIteration:
                return
            except _TooLong:
                yield self._long_row()
                rows = csv.reader(self._lines(), delimiter=self._delimiter)

    def _lines(self) -> Iterator[str]:
        most = self._max_bytes + len(b"\r\n")
        while line := self._file.readline(most + 1):
            for part in _LINE.findall(line) if b"\r" in line[:-2] else (line,):
                self._end += len(part)
                if self._end - self._start > most:
                    raise _TooLong
                yield part.decode()

    def _long_row(self) -> LongRow:
        """Go behind a row that is too long, and return its first cells."""
        with mmap.mmap(self._file.fileno(), 0, access=mmap.ACCESS_READ) as content:
            head = content[self._start : self._start + _HEAD].decode("utf-8", "replace")
            self._end = _end_of_row(content, self._start, self._delimiter.encode())
        self._file.seek(self._end)
        return LongRow(next(csv.reader(StringIO(head, newline=""), delimiter=self._delimiter), []))


def _end_of_row(content: mmap.mmap, at: int, delimiter: bytes) -> int:
    """Return where a row ends, by the rules of the csv module: only a quote at its beginning makes a cell quoted."""
    cell_end = re.compile(re.escape(delimiter) + rb"|\r\n|\r|\n")
    while True:
        if content[at : at + 1] == b'"':
            at = _end_of_quotes(content, at + 1)
        found = cell_end.search(content, at)
        if found is None:
            return len(content)
        at = found.end()
        if found[0] != delimiter:
            return at


def _end_of_quotes(content: mmap.mmap, at: int) -> int:
    while (at := content.find(b'"', at)) >= 0:
        if content[at + 1 : at + 2] != b'"':
            return at + 1
        at += 2
    return len(content)


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
