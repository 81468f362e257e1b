"""The one table behind every class metric: how often each pair of labels occurred, filled in one pass.

Counts are integers that are only added, so tables merge in any order. Labels are kept apart by type.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice, repeat
from typing import NamedTuple, TypeAlias, TypeGuard

from fieldwise.classify.labels import ABSENT, MISSING, Key, key_of, sort_key, value_of
from fieldwise.classify.rows import RowTypeError, UnitMetricResult, read_flag
from fieldwise.errors import InputError
from fieldwise.states import (
    COUNT,
    Kind,
    State,
    declared,
    json_value,
    listed,
    maybe,
    record,
    table,
    text,
    truth,
    unfit,
    whole,
)
from fieldwise.values import Json, json_text, plain

_BATCH = 1 << 17
_Counted: TypeAlias = tuple[type, Json, type, Json, bool | None, Json]
"""Type and value of both labels, flag and cluster."""


class Cell(NamedTuple):
    """What rows are counted by: both labels, and whether the row was called correct."""

    golden: Key
    predicted: Key
    correct: bool

    @property
    def same(self) -> bool:
        """Whether both labels are there and equal."""
        return self.golden == self.predicted != MISSING


_KEY = record(lambda kind, value: (kind, value), text, text)
_CELL = record(Cell, _KEY, _KEY, truth)
_ROWS = table(_CELL, COUNT)


def _updated(mine: Counter[Cell], theirs: Counter[Cell]) -> Counter[Cell]:
    mine.update(theirs)
    return mine


_CELLS = Kind(Counter[Cell], _updated, lambda value, path: Counter(_ROWS.read(value, path)), _ROWS.write)
_LABEL: Kind[Json] = Kind(
    lambda: ABSENT, lambda mine, theirs: theirs if mine is ABSENT else value_of([mine, theirs]), json_value, plain
)
"""One value for all that count as the same label."""
Content: TypeAlias = tuple[tuple[Cell, int], ...]
"""What a cluster counts, sorted."""


@dataclass(slots=True, eq=False)
class CountTable(State):
    """Rows counted by golden label, predicted label and flag; in groups where rows carry the name of a cluster."""

    groups: dict[str | None, Counter[Cell]] = declared(
        table(maybe(text), _CELLS, order=lambda name: (name is not None, name or ""))
    )
    closed: dict[Content, int] = declared(
        table(listed(record(lambda cell, number: (cell, number), _CELL, whole())), COUNT)
    )
    """How many clusters that are complete, and whose names nobody needs any more, count the same."""
    values: dict[Key, Json] = declared(table(_KEY, _LABEL))

    @property
    def cells(self) -> Counter[Cell]:
        """The counts of all groups together."""
        if len(self.groups) == 1 and not self.closed:
            return next(iter(self.groups.values()))
        total: Counter[Cell] = Counter()
        for cells in self.groups.values():
            total.update(cells)
        for content, times in self.closed.items():
            for cell, number in content:
                total[cell] += number * times
        return total

    def close(self) -> None:
        """Take all clusters as complete; rows of one that has their name are those of another from now on."""
        for cells in self.groups.values():
            content = tuple(sorted(cells.items()))
            self.closed[content] = self.closed.get(content, 0) + 1
        self.groups = {}

    def classes(self) -> list[Key]:
        """Return every label of either side, sorted; a missing label is none."""
        used = {key for cell in self.cells for key in cell[:2]}
        return sorted(used - {MISSING}, key=lambda key: sort_key(key, self.values[key]))

    def add_labels(
        self,
        golden: Iterable[Json],
        predicted: Iterable[Json],
        *,
        correct: Iterable[object] | None = None,
        clusters: Iterable[Json] | None = None,
    ) -> None:
        """Count pairs of labels; without ``correct`` a pair is correct where its labels are the same.

        All or nothing: columns of unequal length add nothing and raise InputError.
        """
        columns = [_column(name, values) for name, values in (("golden", golden), ("predicted", predicted))]
        others = [None if values is None else _column("rows", values) for values in (correct, clusters)]
        found = CountTable()
        for batch in _batches([*columns, *(column for column in others if column is not None)]):
            rest = iter(batch[2:])
            flags, names = (None if column is None else next(rest) for column in others)
            found._count(batch[0], batch[1], None if flags is None else _flags(flags), names)
        self.merge(found)

    def add_results(
        self,
        results: Iterable[UnitMetricResult],
        *,
        golden_key: str | None,
        predicted_key: str | None,
        cluster_key: str | None = None,
    ) -> None:
        """Count rows by the labels under two keys; without a key the labels of that side are missing."""
        found = CountTable()
        rows = iter(results)
        while batch := list(islice(rows, _BATCH)):
            _check_rows(batch)
            found._count(
                [ABSENT if golden_key is None else row.golden.get(golden_key, ABSENT) for row in batch],
                [ABSENT if predicted_key is None else row.predicted.get(predicted_key, ABSENT) for row in batch],
                [row.correct for row in batch],
                None if cluster_key is None else [_cluster(row, cluster_key) for row in batch],
            )
        self.merge(found)

    def add_pairs(self, cluster: str, pairs: Iterable[tuple[str | None, str | None]]) -> None:
        """Count pairs of labels of a cluster; None is no label."""
        cells = self.groups.setdefault(cluster, Counter())
        for golden, predicted in pairs:
            one, other = self._key(golden), self._key(predicted)
            cells[Cell(one, other, one == other != MISSING)] += 1

    def restricted(self, keys: set[Key]) -> CountTable:
        """Return a table of the rows whose labels are both among the keys."""
        kept = CountTable()
        kept.values = self.values
        for name, cells in self.groups.items():
            kept.groups[name] = Counter({cell: n for cell, n in cells.items() if keys.issuperset(cell[:2])})
        return kept

    def _count(
        self,
        golden: Sequence[Json],
        predicted: Sequence[Json],
        flags: Sequence[bool] | None,
        names: Sequence[Json] | None,
    ) -> None:
        """Count a batch. Python's dicts take 1 for True, so the types are counted along, unless all labels are text."""
        if flags is None and names is None and {*map(type, golden), *map(type, predicted)} == {str}:
            pairs = Counter(zip(golden, predicted, strict=True))
            self._add_counted({(str, one, str, other, None, None): n for (one, other), n in pairs.items()})
            return
        columns = (repeat(None) if flags is None else flags, repeat(None) if names is None else names)
        try:
            raw = Counter(zip(map(type, golden), golden, map(type, predicted), predicted, *columns, strict=False))
        except TypeError:  # a label that cannot be hashed, such as a list
            keys = ([self._key(value) for value in side] for side in (golden, predicted))
            for one, other, flag, name in zip(*keys, *columns, strict=False):
                self._add(one, other, flag, name, 1)
        else:
            self._add_counted(raw)

    def _add_counted(self, raw: Mapping[_Counted, int]) -> None:
        known: dict[tuple[type, Json], Key] = {}

        def key(kind: type, value: Json) -> Key:
            return known.get((kind, value)) or known.setdefault((kind, value), self._key(value))

        for (kind, one, other_kind, other, flag, name), number in raw.items():
            self._add(key(kind, one), key(other_kind, other), flag, name, number)

    def _add(self, golden: Key, predicted: Key, flag: bool | None, name: Json, number: int) -> None:
        same = golden == predicted != MISSING
        group = None if name is None else json_text(name)
        cell = Cell(golden, predicted, same if flag is None else flag)
        cells = self.groups.get(group)
        if cells is None:
            cells = self.groups[group] = Counter()
        cells[cell] += number

    def _key(self, value: Json) -> Key:
        key = key_of(value)
        if key != MISSING:
            self._know(key, value)
        return key

    def _know(self, key: Key, value: Json) -> None:
        value = plain(value)
        self.values[key] = value_of([self.values[key], value]) if key in self.values else value

    def refuse_unfit(self, path: str) -> None:
        """Refuse labels that are not of their keys, and cells of labels that nobody knows."""
        wrong = next((key for key, value in self.values.items() if key_of(value) != key), None)
        known = self.values.keys() | {MISSING}
        wrong = wrong or next((key for cell in self.cells for key in cell[:2] if key not in known), None)
        if wrong is not None:
            raise unfit(f"the label of each key, got another for {wrong[1][:40]!r}", path)


def _column(name: str, values: Iterable[Json]) -> Iterable[Json]:
    if isinstance(values, (str, bytes, Mapping)) or not isinstance(values, Iterable):
        raise InputError(
            f"Expected a list of labels for {name}, got {type(values).__name__}",
            code="input.wrong_type",
            facts={"got": type(values).__name__},
        )
    return values


def _batches(columns: Sequence[Iterable[Json]]) -> Iterator[Sequence[Sequence[Json]]]:
    """Yield the columns whole where they are lists, else in parts."""
    if all(isinstance(column, (list, tuple)) for column in columns):
        lists = [column for column in columns if isinstance(column, (list, tuple))]
        _check_lengths(lists)
        yield lists
        return
    running = [iter(column) for column in columns]
    while any(batch := [list(islice(column, _BATCH)) for column in running]):
        _check_lengths(batch)
        yield batch


def _check_lengths(columns: Sequence[Sequence[Json]]) -> None:
    lengths = [len(column) for column in columns]
    if len(set(lengths)) > 1:
        raise InputError(
            f"Expected columns of one length, got {' and '.join(map(str, lengths))}",
            code="input.different_lengths",
            facts={"lengths": lengths},
        )


def _flags(values: Sequence[object]) -> Sequence[bool]:
    return values if _are_flags(values) else [read_flag(value) for value in values]


def _are_flags(values: Sequence[object]) -> TypeGuard[Sequence[bool]]:
    return set(map(type, values)) <= {bool}


def _check_rows(rows: Sequence[UnitMetricResult]) -> None:
    for kind in set(map(type, rows)):
        if not issubclass(kind, UnitMetricResult):
            raise RowTypeError(
                f"Expected UnitMetricResult rows, got {kind.__name__}; UnitMetricResult.from_dict makes them",
                facts={"got": kind.__name__},
            )


def _cluster(row: UnitMetricResult, key: str) -> Json:
    if row.metadata.get(key) is None:
        others = ", ".join(map(repr, row.metadata)) or "nothing"
        raise InputError(
            f"Expected {key!r} in the metadata of every row, one has {others}", code="row.no_key", facts={"key": key}
        )
    return row.metadata[key]
