"""The verdict rows of a run as numbers: which document, place and field, and with what outcome.

Two runs that share their `Names` give the same number to the same document, place or field.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from fieldwise.runs.blocks import row_groups
from fieldwise.runs.table_files import damaged

Ints: TypeAlias = npt.NDArray[np.int64]
Counts: TypeAlias = npt.NDArray[np.signedinteger[Any]]
Bytes: TypeAlias = npt.NDArray[np.int8]
Mask: TypeAlias = npt.NDArray[np.bool_]

MATCH, MISMATCH, SPURIOUS, MISSED, ABSENT = range(5)
WORDS = ("match", "mismatch", "spurious", "missed", "absent")
"""The outcomes, in the order of the columns tp, fd, fa, fn."""
_COLUMNS = ("document", "trial", "path", "predicted_path", "field", "outcome")
_SPARSE = 64
"""Beyond so many possible numbers for each that there is, marking them takes longer than sorting."""


class Numbers:
    """Gives each name a number, in the order in which names are first seen."""

    def __init__(self, names: Iterable[str] = ()) -> None:
        self.names = list(dict.fromkeys(names))
        self._known = {name: number for number, name in enumerate(self.names)}

    def __len__(self) -> int:
        return len(self.names)

    def of(self, names: Iterable[str]) -> Ints:
        """Return the numbers of some names; those not seen before get the next ones."""
        for name in names:
            if name not in self._known:
                self._known[name] = len(self.names)
                self.names.append(name)
        return np.array([self._known[name] for name in names], np.int64)


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
    trials: Counts

    def taken(self, which: Mask) -> OutcomeRows:
        """Return some of the rows."""
        documents, paths, fields = self.documents[which], self.paths[which], self.fields[which]
        return OutcomeRows(documents, paths, fields, self.outcomes[which], self.rows[which], self.trials[which])

    def keys(self, paths: int) -> Ints:
        """Return a number for each row's document, trial, path, and whether it is expected; of so many paths.

        The path of what was invented is that of the predicted document.
        """
        last = int(self.trials.max(initial=1))
        documents = self.documents if last == 1 else self.documents * last + self.trials - 1
        return (documents * paths + self.paths) * 2 + self.has_expected

    @property
    def has_expected(self) -> Mask:
        """Which rows have an expected value."""
        return np.not_equal(self.outcomes, SPURIOUS)


def read_outcomes(path: Path, names: Names) -> OutcomeRows:
    """Read the rows of a table of verdicts, one group of rows after the other; no two have the same key."""
    parts = list(_parts(path, names))
    if not parts:
        none = np.zeros(0, np.int64)
        return OutcomeRows(none, none, none, np.zeros(0, np.int8), none, none)
    rows = OutcomeRows(*(np.concatenate(column) for column in zip(*parts, strict=True)))
    _refuse_repeated(path, rows, names)
    return rows


def _refuse_repeated(path: Path, rows: OutcomeRows, names: Names) -> None:
    keys = rows.keys(len(names.paths))
    if _are_distinct(keys):
        return
    at = int(np.flatnonzero(times_before(keys))[0])
    place, document = names.paths.names[rows.paths[at]], names.documents.names[rows.documents[at]]
    raise damaged(f"Expected every place once in {path}, got {place} of document {document} twice", path)


def times_before(keys: Ints) -> Ints:
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
        documents, fields = _numbered(table["document"], names.documents), _numbered(table["field"], names.fields)
        trials = table["trial"].to_numpy()[kept]
        places = _place_numbers(table, names.paths)[kept]
        yield documents[kept], places, fields[kept], outcomes[kept], kept + start, trials
        start += len(table)


def _place_numbers(table: Any, numbers: Numbers) -> Ints:
    """Return the numbers of the paths in the expected document; of what was invented, in the predicted one."""
    places = _numbered(table["path"], numbers)
    invented = np.flatnonzero(places < 0)
    if len(invented):
        places[invented] = _numbered(table["predicted_path"].take(invented), numbers)
    return places


def _numbered(column: Any, numbers: Numbers) -> Ints:
    """Return the numbers of a column's names, -1 for null: each name of its dictionary is looked up once."""
    whole = column.combine_chunks()
    if isinstance(whole, pa.ChunkedArray):  # no rows
        return np.zeros(0, np.int64)
    coded: Any = whole if isinstance(whole, pa.DictionaryArray) else whole.dictionary_encode()
    places: Ints = np.asarray(coded.indices.fill_null(-1))
    return np.append(numbers.of(coded.dictionary.to_pylist()), -1)[places]
