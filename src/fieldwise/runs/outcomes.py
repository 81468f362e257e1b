"""The verdict rows of a run as numbers: which document, place and field, and with what outcome.

Two runs that share their `Names` give the same number to the same document, place or field.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from fieldwise.errors import InputError
from fieldwise.runs.blocks import row_groups
from fieldwise.runs.table_files import AGAIN

Ints: TypeAlias = npt.NDArray[np.int64]
Counts: TypeAlias = npt.NDArray[np.int32]
Bytes: TypeAlias = npt.NDArray[np.int8]
Mask: TypeAlias = npt.NDArray[np.bool_]

MATCH, MISMATCH, SPURIOUS, MISSED, ABSENT = range(5)
WORDS = ("match", "mismatch", "spurious", "missed", "absent")
"""The outcomes, in the order of the columns tp, fd, fa, fn."""
_COLUMNS = ("document", "path", "field", "outcome")
_SPARSE = 64
"""Beyond so many possible numbers for each that there is, marking them takes longer than sorting."""


class Numbers:
    """Gives each name a number, in the order in which names are first seen."""

    def __init__(self, names: Iterable[str] = ()) -> None:
        self.names = list(dict.fromkeys(names))
        self._known = {name: number for number, name in enumerate(self.names)}
        self._again: dict[tuple[int, int], int] = {}

    def __len__(self) -> int:
        return len(self.names)

    def of(self, names: Iterable[str]) -> Ints:
        """Return the numbers of some names; those not seen before get the next ones."""
        for name in names:
            if name not in self._known:
                self._known[name] = len(self.names)
                self.names.append(name)
        return np.array([self._known[name] for name in names], np.int64)

    def again(self, number: int, time: int) -> int:
        """Return another number for a name that stands for several things, the same one for each of them."""
        if (number, time) not in self._again:
            self._again[number, time] = len(self.names)
            self.names.append(self.names[number])
        return self._again[number, time]


@dataclass(frozen=True)
class Names:
    """What the numbers of two runs stand for."""

    documents: Numbers = field(default_factory=Numbers)
    paths: Numbers = field(default_factory=Numbers)
    fields: Numbers = field(default_factory=Numbers)


@dataclass(frozen=True)
class OutcomeRows:
    """The rows of a run that are not absent on both sides; ``rows`` are their numbers in the table."""

    documents: Ints
    paths: Ints
    fields: Ints
    outcomes: Bytes
    rows: Ints

    def taken(self, which: Mask) -> OutcomeRows:
        """Return some of the rows."""
        documents, paths, fields = self.documents[which], self.paths[which], self.fields[which]
        return OutcomeRows(documents, paths, fields, self.outcomes[which], self.rows[which])

    def keys(self, paths: int) -> Ints:
        """Return a number for each row's document, path, and whether it is expected or invented; of so many paths."""
        return (self.documents * paths + self.paths) * 2 + self.has_expected

    @property
    def has_expected(self) -> Mask:
        """Which rows have an expected value."""
        return np.not_equal(self.outcomes, SPURIOUS)


def read_outcomes(path: Path, names: Names) -> OutcomeRows:
    """Read the rows of a table of verdicts, one group of rows after the other; no two have the same key."""
    parts = list(_parts(path, names))
    if not parts:
        none = np.zeros(0, np.int64)
        return OutcomeRows(none, none, none, np.zeros(0, np.int8), none)
    columns = [np.concatenate(column) for column in zip(*parts, strict=True)]
    return _told_apart(path, OutcomeRows(*columns), names)


def _told_apart(path: Path, rows: OutcomeRows, names: Names) -> OutcomeRows:
    """Give each of several invented values at one path a number of its own; an expected one comes once.

    What is invented in a row that has a partner stands at the partner's path, in a row without one at its own.
    """
    keys = rows.keys(len(names.paths))
    if _are_distinct(keys):
        return rows
    times = _times(keys)
    repeated = times > 0
    for at in np.flatnonzero(repeated & rows.has_expected)[:1].tolist():
        place, document = names.paths.names[rows.paths[at]], names.documents.names[rows.documents[at]]
        raise InputError(f"Expected every place once in {path}, got {place} of document {document} twice; {AGAIN}")
    pairs, which = np.unique(np.column_stack([rows.paths, times])[repeated], axis=0, return_inverse=True)
    paths = rows.paths.copy()
    paths[repeated] = np.array([names.paths.again(number, time) for number, time in pairs.tolist()])[which.ravel()]
    return replace(rows, paths=paths)


def _times(keys: Ints) -> Ints:
    """Return for each number how often it came before."""
    order = np.argsort(keys, kind="stable")
    starts = np.flatnonzero(np.append(True, keys[order][1:] != keys[order][:-1]))
    times = np.empty(len(keys), np.int64)
    times[order] = np.arange(len(keys)) - np.repeat(starts, np.diff(np.append(starts, len(keys))))
    return times


def _are_distinct(keys: Ints) -> bool:
    """Tell whether no number comes twice; they are marked, or sorted where they lie far apart."""
    if not len(keys):
        return True
    size = int(keys.max()) + 1
    if size > _SPARSE * len(keys):
        ordered = np.sort(keys)
        return bool((ordered[1:] != ordered[:-1]).all())
    seen = np.zeros(size, bool)
    seen[keys] = True
    return bool(np.count_nonzero(seen) == len(keys))


def _parts(path: Path, names: Names) -> Iterator[tuple[Any, ...]]:
    start = 0
    for table in row_groups(path, _COLUMNS):
        outcomes = _numbered(table["outcome"], Numbers(WORDS)).astype(np.int8)
        kept = np.flatnonzero(outcomes != ABSENT)
        places = (("document", names.documents), ("path", names.paths), ("field", names.fields))
        yield (*(_numbered(table[name], known)[kept] for name, known in places), outcomes[kept], kept + start)
        start += len(table)


def _numbered(column: Any, numbers: Numbers) -> Ints:
    """Return the numbers of a column's names: each name of its dictionary is looked up once."""
    whole = column.combine_chunks()
    if isinstance(whole, pa.ChunkedArray):  # no rows
        return np.zeros(0, np.int64)
    coded: Any = whole if isinstance(whole, pa.DictionaryArray) else whole.dictionary_encode()
    places: Ints = np.asarray(coded.indices)
    return numbers.of(coded.dictionary.to_pylist())[places]
