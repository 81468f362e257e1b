"""The ids of all lines of a file in one cheap pass, whether one of them comes more than once, and which lines meet.

Where the id is the first member of every line, lines are not parsed; eight bytes for each line are remembered. An
index on disk finds the partner of each line in flat memory.
"""

from __future__ import annotations

import sqlite3
from array import array
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from fieldwise.readers.blocks import Line, LongLine, line_starts
from fieldwise.readers.envelopes import one_form
from fieldwise.readers.json_text import quick_value
from fieldwise.readers.lines import Layout, LinesFile, is_blank_line, line_id, number_id, read_value
from fieldwise.readers.trials import Smallest, index_on_disk

BLANK = b""
"""The id of a blank line."""

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


class Run(NamedTuple):
    """Lines that follow each other: from where to where, the number of the first, where each begins, their ids."""

    start: int
    end: int
    number: int
    starts: list[int]
    ids: list[bytes]

    def spans(self) -> Iterator[tuple[bytes, int, int, int]]:
        """Yield the id, number, place and length of every line that is not blank."""
        ends = [*self.starts[1:], self.end]
        for i, (found, start, end) in enumerate(zip(self.ids, self.starts, ends, strict=True)):
            if found != BLANK:
                yield found, self.number + i, start, end - start


def read_runs(file: LinesFile, count: int) -> Iterator[Run]:
    """Yield all lines of a file in runs of ``count``; the last one may be shorter."""
    starts: list[int] = []
    ids: list[bytes] = []
    number, at = 1, file.start
    for block in file.blocks():
        if isinstance(block, LongLine):
            ids.append(_parsed_id(block, number + len(starts), file))
            starts.append(at)
            at += block.size
        else:
            begins = line_starts(block)
            ids += _ids(block, begins, number + len(starts), file)
            starts += (begins + at).tolist()
            at += len(block)
        while len(starts) > count:
            yield Run(starts[0], starts[count], number, starts[:count], ids[:count])
            del starts[:count], ids[:count]
            number += count
    if starts:
        yield Run(starts[0], at, number, starts, ids)


def smallest_ids(file: LinesFile, count: int) -> list[tuple[bytes, int, int, int]]:
    """Return the first lines of the first ids, in their order: id, number, place, length."""
    first = Smallest[tuple[bytes, int, int, int]](count)
    for run in read_runs(file, 4096):
        if first.may_take(min(run.ids)):
            first.add(run.spans())
    return first.rows()


def _ids(block: bytes, starts: npt.NDArray[np.int64], number: int, file: LinesFile) -> list[bytes]:
    return _first_member_ids(block, starts, file.layout) or _parsed_ids(block, starts.tolist(), number, file)


def _first_member_ids(block: bytes, starts: npt.NDArray[np.int64], layout: Layout) -> list[bytes] | None:
    """Return the ids where all lines begin alike and no id has an escape; else None."""
    opener, closer = layout.opener, layout.closer
    if not opener or starts[-1] + len(opener) > len(block):
        return None
    beginnings = np.frombuffer(block, np.uint8)[starts[:, None] + np.arange(len(opener))]
    if not (beginnings == np.frombuffer(opener, np.uint8)).all():
        return None
    places = (starts + len(opener)).tolist()
    find = block.find
    if find(closer, places[-1]) < 0:
        return None
    ids = [block[at : find(closer, at)] for at in places]
    return ids if _are_plain_ids(ids, digits=closer == b",") else None


def _are_plain_ids(ids: list[bytes], *, digits: bool) -> bool:
    joined = b"\n".join(ids)
    if b"\\" in joined or not all(ids) or joined.count(b"\n") >= len(ids):
        return False
    if digits:
        return b"".join(ids).isdigit()
    try:
        return one_form(text := joined.decode()) == text
    except UnicodeDecodeError:
        return False


def _parsed_ids(block: bytes, starts: list[int], number: int, file: LinesFile) -> list[bytes]:
    ends = [*starts[1:], len(block)]
    lines = (block[start:end] for start, end in zip(starts, ends, strict=True))
    return [_parsed_id(line, n, file) for n, line in enumerate(lines, number)]


def _parsed_id(line: Line, number: int, file: LinesFile) -> bytes:
    if is_blank_line(line):
        return BLANK
    if file.layout.id_key is None:
        return number_id(number).encode()
    if isinstance(line, bytes):
        value = quick_value(line) if len(line) <= file.rules.limits.max_bytes else None
        found = value.get(file.layout.id_key) if type(value) is dict else None
        if type(found) is str and found:
            return one_form(found).encode()
        line = line.rstrip(b"\n")
    return line_id(read_value(line, file.line_name(number), file.rules), line, number, file).encode()


class SeenIds:
    """The hashes of all ids of an input: eight bytes each."""

    def __init__(self) -> None:
        self._hashes = array("q")

    def add(self, ids: Iterable[bytes]) -> None:
        self._hashes.extend(map(hash, ids))

    def count(self) -> int:
        """Return how many ids there are, each counted once."""
        hashes = self._sorted()
        return int(np.count_nonzero(hashes[1:] != hashes[:-1])) + 1 if len(hashes) else 0

    def any_repeated(self) -> bool:
        """Tell whether an id, which is not that of a blank line, comes more than once."""
        hashes = self._sorted()
        repeated = hashes[1:][hashes[1:] == hashes[:-1]]
        return bool((repeated != hash(BLANK)).any())

    def _sorted(self) -> npt.NDArray[np.int64]:
        hashes = np.frombuffer(self._hashes, np.int64)
        hashes.sort()
        return hashes


class Scan(NamedTuple):
    """What one pass over the ids of a file finds, in little memory for each line."""

    seen: SeenIds
    smallest: list[tuple[bytes, int, int, int]]
    """The first lines of the first ids, in their order: id, number, place, length."""
    marks: list[tuple[int, int]]
    """Where every so many lines begin: place, number of the line."""
    end: int


def scan_ids(file: LinesFile, count: int, step: int) -> Scan:
    """Read the ids of a file once: all of them, the ``count`` smallest, and where every ``step`` lines begin."""
    seen, marks, end = SeenIds(), list[tuple[int, int]](), file.start
    first = Smallest[tuple[bytes, int, int, int]](count)
    for run in read_runs(file, step):
        seen.add(run.ids)
        marks.append((run.start, run.number))
        end = run.end
        if first.may_take(min(run.ids)):
            first.add(run.spans())
    return Scan(seen, first.rows(), marks, end)


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
