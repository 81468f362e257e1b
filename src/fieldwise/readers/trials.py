"""Trials: pairs with the same id are predictions of one document, brought together wherever they are in the input."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import closing, contextmanager
from itertools import groupby
from operator import attrgetter
from typing import Any, Generic, Protocol, TypeVar

import orjson

from fieldwise.readers.envelopes import merged_metadata
from fieldwise.readers.source import MISSING, Conflicting, Pair, Unreadable
from fieldwise.readers.temporary import Scratch
from fieldwise.values import same


class HasId(Protocol):
    """A row of an index."""

    @property
    def id(self) -> str | bytes: ...


Row = TypeVar("Row", bound=HasId)
Columns = TypeVar("Columns", bound=tuple[Any, ...])
Held = TypeVar("Held")

_BATCH = 1 << 20

_TABLE = "CREATE TABLE rows (at INTEGER PRIMARY KEY, id, a, b, c)"
_INDEX = "CREATE INDEX rows_id ON rows (id, at)"
_ROWS = "SELECT id, a, b, c FROM rows AS r ORDER BY (SELECT min(at) FROM rows WHERE id = r.id), at"


@contextmanager
def index_on_disk() -> Iterator[sqlite3.Connection]:
    """Open an empty database in a temporary file; it goes with the context."""
    scratch = Scratch()
    try:
        with closing(sqlite3.connect(scratch.file("index.sqlite"), isolation_level=None)) as index:
            index.executescript("PRAGMA journal_mode=OFF; PRAGMA synchronous=OFF; PRAGMA temp_store=FILE; BEGIN;")
            yield index
    finally:
        scratch.remove()


def by_id(rows: Iterable[tuple[Any, Any, Any, Any]]) -> Iterator[tuple[Any, Any, Any, Any]]:
    """Yield rows, of which the first member is an id, so that those of one id follow each other, in flat memory.

    Ids come in the order of their first rows, the rows of an id in their own.
    """
    with index_on_disk() as index:
        index.execute(_TABLE)
        index.executemany("INSERT INTO rows (id, a, b, c) VALUES (?, ?, ?, ?)", rows)
        index.execute(_INDEX)
        yield from index.execute(_ROWS)


def whole_documents(rows: Iterable[Row], count: int) -> Iterator[tuple[Row, ...]]:
    """Yield batches of about ``count`` rows; those of one id, which follow each other, are never parted."""
    batch: list[Row] = []
    for row in rows:
        if len(batch) >= count and row.id != batch[-1].id:
            yield tuple(batch)
            batch = []
        batch.append(row)
    if batch:
        yield tuple(batch)


def batches(rows: Iterable[Held], size: Callable[[Held], int]) -> Iterator[list[Held]]:
    """Yield rows in batches of about a megabyte."""
    batch, held = list[Held](), 0
    for row in rows:
        batch.append(row)
        held += size(row)
        if held > _BATCH:
            yield batch
            batch, held = [], 0
    if batch:
        yield batch


def have_trials(rows: Sequence[HasId]) -> bool:
    """Tell whether two rows have the same id."""
    return len({row.id for row in rows}) < len(rows)


def number_trials(pairs: Iterable[Pair]) -> Iterator[Pair]:
    """Yield pairs of which those of one id follow each other; where there are several, they become its trials.

    A trial without an expected document takes that of the others; where these differ, one pair says so.
    """
    for _, held in groupby(pairs, attrgetter("id")):
        trials = list(held)
        if len(trials) == 1:
            yield trials[0]
        else:
            yield from _numbered(trials)


def _numbered(trials: Sequence[Pair]) -> Iterator[Pair]:
    known = [pair for pair in trials if pair.expected is not MISSING and not isinstance(pair.expected, Unreadable)]
    truth = known[0] if known else next((pair for pair in trials if pair.expected is not MISSING), None)
    name, count = trials[0].id, len(trials)
    if truth and not all(_same_truth(truth, pair) for pair in known[1:]):
        differ = Conflicting(f"id {name!r} occurs {times(count)}, and its expected documents differ")
        yield Pair(name, differ, MISSING, False)
        return
    for trial, pair in enumerate(trials, 1):
        if pair.expected is MISSING and truth is not None:
            metadata = merged_metadata(truth.metadata, pair.metadata)
            rich = truth.rich or pair.rich
            yield truth._replace(predicted=pair.predicted, rich=rich, metadata=metadata, trial=trial, trials=count)
        else:
            yield pair._replace(trial=trial, trials=count)


def _same_truth(first: Pair, second: Pair) -> bool:
    truths = [first.expected, first.alternates], [second.expected, second.alternates]
    try:
        if orjson.dumps(truths[0]) == orjson.dumps(truths[1]):  # written alike, as most are
            return True
    except TypeError:  # an integer of more than 64 bits
        pass
    return same(*truths)


def times(count: int) -> str:
    """Return how often in words.

    >>> [times(n) for n in (1, 2, 3)]
    ['once', 'twice', '3 times']
    """
    return {1: "once", 2: "twice"}.get(count, f"{count} times")


class Smallest(Generic[Columns]):
    """The first row of each of the smallest ids, which are the rows' first members."""

    def __init__(self, count: int) -> None:
        self._count, self._held = count, dict[Any, Columns]()
        self._limit: Any = None

    def may_take(self, name: Any) -> bool:
        """Tell whether a row of this id would be among them."""
        return self._count > 0 and (self._limit is None or name < self._limit)

    def add(self, rows: Iterable[Columns]) -> None:
        """Take the rows that are among them."""
        held, limit = self._held, self._limit
        for row in rows:
            if limit is None or row[0] < limit:
                held.setdefault(row[0], row)
                if len(held) >= 2 * self._count:
                    held = {name: held[name] for name in sorted(held)[: self._count]}
                    limit = max(held)
        self._held, self._limit = held, limit

    def rows(self) -> list[Columns]:
        """Return them in the order of their ids."""
        return [self._held[name] for name in sorted(self._held)[: self._count]]


def smallest(count: int, rows: Iterable[Columns]) -> list[Columns]:
    """Return the first row of each of the smallest ids, in the order of the ids."""
    first = Smallest[Columns](count)
    first.add(rows)
    return first.rows()
