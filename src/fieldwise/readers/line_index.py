"""An index on disk of the lines of two files, which finds the partner of each line in flat memory."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from itertools import chain
from typing import NamedTuple

from fieldwise.readers.line_ids import DistinctNames, read_runs
from fieldwise.readers.lines import LinesFile
from fieldwise.readers.scratch import Scratch

Place = tuple[int, int, int]
"""The number of a line, where it begins, how long it is."""

_TABLE = """
CREATE TABLE {0} (number INTEGER PRIMARY KEY, id BLOB, start INTEGER, size INTEGER, turn INTEGER DEFAULT 1);
"""
_TURNS = """
CREATE INDEX {0}_id ON {0} (id, number);
UPDATE {0} SET turn = ranked.turn FROM (
    SELECT number, row_number() OVER (PARTITION BY id ORDER BY number) AS turn FROM {0}
    WHERE id IN (SELECT id FROM {0} GROUP BY id HAVING count(*) > 1)
) AS ranked WHERE ranked.number = {0}.number;
"""
_MATCHED = """
SELECT e.id, e.turn, e.number, e.start, e.size, p.number, p.start, p.size
FROM expected AS e LEFT JOIN predicted AS p ON p.id = e.id AND p.turn = e.turn ORDER BY e.number
"""
_ONLY_PREDICTED = """
SELECT p.id, p.turn, NULL, NULL, NULL, p.number, p.start, p.size FROM predicted AS p
WHERE NOT EXISTS (SELECT 1 FROM expected AS e WHERE e.id = p.id AND e.turn = p.turn) ORDER BY p.number
"""
_TAKEN = "SELECT EXISTS (SELECT 1 FROM expected WHERE id = ?1) OR EXISTS (SELECT 1 FROM predicted WHERE id = ?1)"


class Row(NamedTuple):
    """A document, and where its lines are; None where a file has no such line."""

    id: str
    expected: Place | None
    predicted: Place | None


def matched_rows(expected: LinesFile, predicted: LinesFile) -> Iterator[Row]:
    """Yield all documents in the order of the expected file, then those that were only predicted."""
    scratch = Scratch()
    try:
        with closing(sqlite3.connect(scratch.file("lines.sqlite"), isolation_level=None)) as index:
            index.executescript("PRAGMA journal_mode=OFF; PRAGMA synchronous=OFF; PRAGMA temp_store=FILE; BEGIN;")
            _fill(index, "expected", expected)
            _fill(index, "predicted", predicted)
            yield from _rows(index)
    finally:
        scratch.remove()


def _fill(index: sqlite3.Connection, table: str, file: LinesFile) -> None:
    index.execute(_TABLE.format(table))
    spans = (span for run in read_runs(file, 4096) for span in run.spans())
    index.executemany(f"INSERT INTO {table} (id, number, start, size) VALUES (?, ?, ?, ?)", spans)
    for statement in _TURNS.format(table).split(";"):
        index.execute(statement)


def _rows(index: sqlite3.Connection) -> Iterator[Row]:
    names = DistinctNames(lambda name: bool(index.execute(_TAKEN, (name.encode(),)).fetchone()[0]))
    for found, turn, *places in chain(index.execute(_MATCHED), index.execute(_ONLY_PREDICTED)):
        name = found.decode() if turn == 1 else names.make(found.decode(), turn)
        yield Row(name, _place(*places[:3]), _place(*places[3:]))


def _place(number: int | None, start: int, size: int) -> Place | None:
    return None if number is None else (number, start, size)
