"""Pairs of single files: a table of paths (CSV), or just two files."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import islice
from pathlib import Path
from typing import Literal, NamedTuple

from fieldwise.errors import InputError, nearest
from fieldwise.readers.csv_files import open_rows
from fieldwise.readers.envelopes import (
    ID_KEYS,
    SIDE_KEYS,
    SIDES,
    Document,
    Opening,
    Side,
    first_key,
    make_pair,
    read_bytes,
    read_document,
)
from fieldwise.readers.ids import SeenIds
from fieldwise.readers.sides import Decided, decide_by_files
from fieldwise.readers.source import MISSING, Missing, Origin, Pair, ReadRules, Unreadable, file_state, hash_of
from fieldwise.readers.temporary import Scratch
from fieldwise.readers.trees import path_id
from fieldwise.readers.trials import by_id, number_trials, smallest, whole_documents
from fieldwise.values import Json


class FileRow(NamedTuple):
    """A document and its two files; None where there is none."""

    id: str
    expected: str | None
    predicted: str | None


@dataclass(frozen=True)
class FilesShard:
    """Some documents of a table."""

    index: int
    rows: Sequence[FileRow]
    folder: str
    rules: ReadRules
    openings: tuple[Opening, Opening]

    @property
    def size(self) -> int:
        return len(self.rows)

    def read(self) -> Iterator[Pair]:
        return number_trials(self._pairs())

    def _pairs(self) -> Iterator[Pair]:
        for row in self.rows:
            expected, predicted = (
                read_document(_content(self.folder, path, self.rules), path or "", side, self.rules, opening)
                for side, path, opening in zip(SIDES, row[1:], self.openings, strict=True)
            )
            if expected.content is MISSING and predicted.content is MISSING:
                expected = Document(Unreadable(f"the row of {row.id} names no file"))
            yield make_pair(row.id, expected, predicted)


@dataclass(frozen=True)
class FilePairs:
    """Documents whose files are named one by one, relative to a folder; rows of one id are trials of a document."""

    origin: Origin
    rows: Callable[[], Iterator[FileRow]]
    total: int
    documents: int
    folder: str
    rules: ReadRules = field(default_factory=ReadRules)
    unit: Literal["documents", "bytes"] = "documents"

    def shards(self, documents: int) -> Iterator[FilesShard]:
        rows = self.rows()
        if self.documents < self.total:
            rows = (FileRow(*row[:3]) for row in by_id((*row, None) for row in self.rows()))
        for index, batch in enumerate(whole_documents(rows, documents)):
            yield FilesShard(index, batch, self.folder, self.rules, self.decided[:2])

    @cached_property
    def decided(self) -> Decided:
        """Where the documents of both sides are, by the first of them."""
        return decide_by_files(self._first)

    def _first(self, side: Side, count: int) -> Iterator[bytes | Unreadable | Missing]:
        at = 1 + SIDES.index(side)
        return (_content(self.folder, row[at], self.rules) for row in islice(self.rows(), count))

    def sample(self, count: int) -> list[Json]:
        first = smallest(count, (row for row in self.rows() if row.expected))
        contents = ((_content(self.folder, row.expected, self.rules), row.expected or "") for row in first)
        opening = self.decided.expected
        read = (read_document(content, path, "expected", self.rules, opening).content for content, path in contents)
        return [content for content in read if not isinstance(content, Unreadable | Missing)]

    def describe(self) -> str:
        return f"{self.origin.what}, {self.documents} document{'' if self.documents == 1 else 's'}"

    def fingerprint(self) -> str:
        return hash_of(
            [self.origin.fingerprint(), *(_state(self.folder, path) for row in self.rows() for path in row[1:])]
        )


def _content(folder: str, path: str | None, rules: ReadRules) -> bytes | Unreadable | Missing:
    # A file that a table names is asked for by its name, wherever it lies.
    return read_bytes(os.path.join(folder, path), path, rules, None) if path else MISSING


def _state(folder: str, path: str | None) -> str:
    try:
        return file_state(path, Path(folder, path).stat()) if path else ""
    except (OSError, ValueError):
        return path or ""


def open_two_files(expected: Path, predicted: Path, rules: ReadRules, scratch: Scratch | None = None) -> FilePairs:
    """Open two files with one document each; the id is the name of the expected one."""
    row = FileRow(path_id(expected.name), str(expected.absolute()), str(predicted.absolute()))
    return FilePairs(Origin("2 JSON files", (expected, predicted), scratch), lambda: iter([row]), 1, 1, "", rules)


def open_table(path: Path, rules: ReadRules) -> FilePairs:
    """Open a table whose columns name the expected and the predicted file of each document."""
    seen = SeenIds()
    total = 0
    for row in _read_rows(path):
        seen.add([row.id.encode()])
        total += 1
    if not total:
        raise InputError(
            f"{path} has no rows; expected a document in each row below the header",
            code="input.empty",
            facts={"file": path},
        )
    origin, folder = Origin("CSV table of files", (path,)), str(path.absolute().parent)
    return FilePairs(origin, lambda: _read_rows(path), total, seen.count(), folder, rules)


def _read_rows(path: Path) -> Iterator[FileRow]:
    with open_rows(path) as rows:
        columns = _columns(path, [name.strip() for name in next(rows, [])])
        for number, cells in enumerate(rows, 1):
            if any(cell.strip() for cell in cells):
                yield _row(cells, columns, number)


def _columns(path: Path, names: list[str]) -> tuple[int | None, int, int]:
    """Return where the id, the expected and the predicted path are."""
    places = {name.removesuffix("_path").removesuffix("_file"): i for i, name in reversed(list(enumerate(names)))}
    expected, predicted = first_key(places, SIDE_KEYS["expected"]), first_key(places, SIDE_KEYS["predicted"])
    if expected is None or predicted is None:
        missing = "expected" if expected is None else "predicted"
        found = ", ".join(names) or "nothing"
        hint = "" if expected is None and predicted is None else nearest(missing, names)
        hint = hint or "; for a table of values give a second one with the predicted values"
        raise InputError(
            f"{path} has no column {missing!r}; its header has {found}{hint}",
            code="input.missing_column",
            facts={"file": path, "columns": [missing]},
        )
    identity = first_key(places, ID_KEYS)
    return None if identity is None else places[identity], places[expected], places[predicted]


def _row(cells: list[str], columns: tuple[int | None, int, int], number: int) -> FileRow:
    found, expected, predicted = (cells[at].strip() if at is not None and at < len(cells) else "" for at in columns)
    return FileRow(found or path_id(expected or predicted) or f"row-{number:06d}", expected or None, predicted or None)
