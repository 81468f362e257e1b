"""An index on disk of the lines of two files, which finds the partner of each line in flat memory."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from typing import Any, NamedTuple

from fieldwise.readers.line_ids import read_runs
from fieldwise.readers.lines import LinesFile
from fieldwise.readers.trials import index_on_disk

Place = tuple[int, int, int]
"""The number of a line, where it begins, how long it is."""

_TABLE = """
CREATE TABLE {0} (number INTEGER PRIMARY KEY, id BLOB, start INTEGER, size INTEGER, turn INTEGER DEFAULT 1)
"""
_INDEX = "CREATE INDEX {0}_id ON {0} (id, number)"
_TURNS = """
UPDATE {0} SET turn = ranked.turn FROM (
    SELECT number, row_number() OVER (PARTITION BY id ORDER BY number) AS turn FROM {0}
    WHERE id IN (SELECT id FROM {0} GROUP BY id HAVING count(*) > 1)
) AS ranked WHERE ranked.number = {0}.number
"""
_MATCHED = """
SELECT e.id, e.turn, e.number, e.start, e.size, p.number, p.start, p.size
FROM expected AS e LEFT JOIN predicted AS p ON p.id = e.id AND p.turn = e.turn
"""
_ONLY_PREDICTED = """
SELECT p.id, p.turn, NULL, NULL, NULL, p.number, p.start, p.size FROM predicted AS p
WHERE NOT EXISTS (SELECT 1 FROM expected AS e WHERE e.id = p.id AND e.turn = p.turn)
"""
_TRIALS = f"""
SELECT * FROM ({_MATCHED} UNION ALL {_ONLY_PREDICTED}) AS trial ORDER BY
    (SELECT min(number) FROM expected WHERE id = trial.id) NULLS LAST,
    (SELECT min(number) FROM predicted WHERE id = trial.id),
    trial.turn
"""


class Row(NamedTuple):
    """A document, or one trial of it, and where its lines are; None where a file has no such line."""

    id: str
    expected: Place | None
    predicted: Place | None


def matched_rows(expected: LinesFile, predicted: LinesFile) -> Iterator[Row]:
    """Yield all documents in the order of the expected file, then those that were only predicted.

    Where lines have the same id, the first of one file goes with the first of the other, and so on; they follow each
    other.
    """
    with index_on_disk() as index:
        repeated = [_fill(index, "expected", expected), _fill(index, "predicted", predicted)]
        for found, _, *places in index.execute(_TRIALS) if any(repeated) else _single(index):
            yield Row(found.decode(), _place(*places[:3]), _place(*places[3:]))


def _fill(index: sqlite3.Connection, table: str, file: LinesFile) -> bool:
    """Index the lines of a file; returns whether several have the same id."""
    index.execute(_TABLE.format(table))
    spans = (span for run in read_runs(file, 4096) for span in run.spans())
    index.executemany(f"INSERT INTO {table} (id, number, start, size) VALUES (?, ?, ?, ?)", spans)
    index.execute(_INDEX.format(table))
    return index.execute(_TURNS.format(table)).rowcount > 0


def _single(index: sqlite3.Connection) -> Iterator[tuple[Any, ...]]:
    yield from index.execute(f"{_MATCHED} ORDER BY e.number")
    yield from index.execute(f"{_ONLY_PREDICTED} ORDER BY p.number")


def _place(number: int | None, start: int, size: int) -> Place | None:
    return None if number is None else (number, start, size)
