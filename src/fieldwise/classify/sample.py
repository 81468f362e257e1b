"""Some of the rows that were counted, for people who want to see what is in a cell of the matrix."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from fieldwise.classify.counts import Cell, CountTable
from fieldwise.classify.labels import ABSENT, MISSING, Key, key_of
from fieldwise.classify.rows import UnitMetricResult
from fieldwise.classify.scores import usable
from fieldwise.results import LabelRow
from fieldwise.results.classes import Judge, Missing
from fieldwise.stats.room import Group, share_room
from fieldwise.values import Json, json_text

MAX_ROWS = 1_000
"""How many rows a page holds."""
_MAX_OF_A_CELL = 200
"""Memory grows with the cells of the matrix, not with the rows."""
_MAX_CHARACTERS = 300


class _Seen(NamedTuple):
    line: int
    golden: str
    predicted: str
    metadata: str


class RowSample:
    """Keeps the first rows of each cell while they are counted."""

    def __init__(self, golden_key: str, predicted_key: str) -> None:
        self._keys = golden_key, predicted_key
        self._held: dict[Cell, list[_Seen]] = {}

    def watch(self, rows: Iterable[tuple[int, UnitMetricResult]]) -> Iterator[UnitMetricResult]:
        """Yield the rows of numbered ones, and keep some."""
        for line, row in rows:
            cell = Cell(*self._labels(row), row.correct)
            held = self._held.setdefault(cell, [])
            if len(held) < _MAX_OF_A_CELL:
                golden, predicted = _more(row.golden, self._keys[0]), _more(row.predicted, self._keys[1])
                held.append(_Seen(line, golden, predicted, _cut(row.metadata) if row.metadata else ""))
            yield row

    def _labels(self, row: UnitMetricResult) -> tuple[Key, Key]:
        golden, predicted = self._keys
        return key_of(row.golden.get(golden, ABSENT)), key_of(row.predicted.get(predicted, ABSENT))

    def shown(self, table: CountTable, judge: Judge, missing: Missing, room: int = MAX_ROWS) -> tuple[LabelRow, ...]:
        """Return rows of all cells, more of those that are wrong; labels are places in the matrix of the table."""
        counted = usable(table, missing)
        place = {key: at for at, key in enumerate([*counted.classes(), MISSING])}
        groups = {}
        for cell, number in counted.cells.items():
            groups[cell] = Group(min(number, _MAX_OF_A_CELL), 0 if _is_right(cell, judge) else number)
        rows = [
            _row(seen, place[cell.golden], place[cell.predicted], is_right=_is_right(cell, judge))
            for cell, size in share_room(groups, room).items()
            for seen in self._held[cell][:size]
        ]
        return tuple(sorted(rows, key=lambda row: row.line))


def _row(seen: _Seen, expected: int, predicted: int, *, is_right: bool) -> LabelRow:
    return LabelRow(seen.line, expected, predicted, is_right, seen.golden, seen.predicted, seen.metadata)


def _is_right(cell: Cell, judge: Judge) -> bool:
    return cell.correct if judge == "correct" else cell.same


def _more(side: dict[str, Json], key: str) -> str:
    """Return a side in full where it holds more than its label."""
    return _cut(side) if side.keys() - {key} else ""


def _cut(value: Json) -> str:
    text = json_text(value)
    return text if len(text) <= _MAX_CHARACTERS else f"{text[: _MAX_CHARACTERS - 1]}…"
