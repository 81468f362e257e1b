"""How many values of each outcome a field has in each document: what most documents have once, and who has another.

What is absent on both sides has no count; a field that a document does not have costs nothing.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from fieldwise.tables.columns import named_column

CELLS = ("tp", "fd", "fa", "fn")
"""The outcomes of values that are there, in the order of `Outcome`."""
COUNTED = pa.schema([("document", pa.int32()), *((name, pa.uint32()) for name in CELLS)])
"""The counts of a field as they are read: a row for each document that has a value of it."""
COUNTS = pa.schema([("field", pa.string()), *COUNTED, ("listed", pa.bool_())])
"""As they are kept. The row without a document is of all counted documents that have no row of their own."""
_MOST_PACKED = 1 << 15
"""Four counts below this are packed into one number."""
Ints = npt.NDArray[np.int64]
Mask = npt.NDArray[np.bool_]


class Added(NamedTuple):
    """Some counts: the number of the field, the document and the cell, and how much is added."""

    fields: Ints
    documents: Ints
    cells: Ints
    amounts: Ints

    @classmethod
    def of(cls, fields: Any, documents: Any, cells: Any, amount: int) -> Added:
        """Return counts that all add the same."""
        of_fields = np.asarray(fields, np.int64)
        amounts = np.full(len(of_fields), amount, np.int64)
        return cls(of_fields, np.asarray(documents, np.int64), np.asarray(cells, np.int64), amounts)


class FieldCounter:
    """Counts by field and document: what objects have in all their fields, and what differs from that."""

    def __init__(self, size: int) -> None:
        self._size = size
        self._whole: dict[int, list[Ints]] = {}
        self._added: list[Added] = []

    def add_objects(self, fields: Iterable[int], documents: Any) -> None:
        """Count a match in each of the fields for each object, given the documents that have these."""
        matches = np.bincount(np.asarray(documents, np.int64), minlength=self._size)
        for field in fields:
            self._whole.setdefault(field, []).append(matches)

    def add(self, added: Added) -> None:
        """Count what is given one by one."""
        self._added.append(added)

    def by_field(self, fields: int) -> Iterator[Ints]:
        """Yield for each field a row of counts for each document."""
        joined = [np.concatenate(column) for column in zip(*self._added, strict=True)] if self._added else []
        numbers, documents, cells, amounts = joined or [np.zeros(0, np.int64)] * 4
        order = np.argsort(numbers, kind="stable")
        starts = np.searchsorted(numbers[order], np.arange(fields + 1)).tolist()
        keys, amounts = (documents * len(CELLS) + cells)[order], amounts[order]
        for field in range(fields):
            some = slice(starts[field], starts[field + 1])
            counts = np.bincount(keys[some], amounts[some], self._size * len(CELLS)).astype(np.int64)
            table: Ints = counts.reshape(self._size, len(CELLS))
            for matches in self._whole.get(field, ()):
                table[:, 0] += matches
            yield table


def counts_table(names: Sequence[str], tables: Iterable[Ints], counted: Mask, listed: Iterable[bool]) -> pa.Table:
    """Return the counts of fields as they are kept, sorted by field; ``counted`` tells which documents are scored."""
    rows = np.flatnonzero(counted)
    made = [_kept(table, rows) for table in tables]
    order = sorted(range(len(names)), key=names.__getitem__)
    sizes = [len(made[field][0]) for field in order]
    flags = list(listed)
    documents = np.concatenate([made[field][0] for field in order] or [np.zeros(0, np.int64)])
    counts = np.concatenate([made[field][1] for field in order] or [np.zeros((0, len(CELLS)), np.int64)])
    columns = [
        named_column(np.repeat(np.arange(len(order), dtype=np.int32), sizes), [names[field] for field in order]),
        pa.array(documents.astype(np.int32), mask=documents < 0),
        *(pa.array(column.astype(np.uint32)) for column in counts.T),
        pa.array(np.repeat([flags[field] for field in order], sizes).astype(bool)),
    ]
    return pa.table(columns, names=COUNTS.names)


def _kept(table: Ints, rows: Ints) -> tuple[Ints, Ints]:
    """Return documents and their counts: first, as -1, what most have, then those that have another."""
    some = table[rows]
    if not len(some) or not (some != some[0]).any():
        return np.full(1, -1), some[:1] if len(some) else np.zeros((1, len(CELLS)), np.int64)
    keys = some @ (int(some.max()) + 1) ** np.arange(len(CELLS)) if some.max() < _MOST_PACKED else _numbered(some)
    _, first, places, times = np.unique(keys, return_index=True, return_inverse=True, return_counts=True)
    most = int(np.argmax(times))
    others = np.flatnonzero(places.ravel() != most)
    return np.append(-1, rows[others]), np.concatenate([some[first[most] : first[most] + 1], some[others]])


def _numbered(counts: Ints) -> Ints:
    """Return a number for each row, the same for the same counts."""
    numbers: Ints = np.unique(counts, axis=0, return_inverse=True)[1].ravel()
    return numbers


def counted_rows(table: pa.Table, counted: Ints) -> pa.Table:
    """Return the counts of a field in each document that has any; ``counted`` are the numbers of scored documents."""
    documents: Any = table["document"]
    is_most = np.asarray(documents.is_null())
    numbers = np.asarray(documents.fill_null(-1)).astype(np.int64)
    counts = np.column_stack([table[name].to_numpy().astype(np.int64) for name in CELLS])
    most = counts[is_most].sum(axis=0)
    if most.any():
        others = np.setdiff1d(counted, numbers[~is_most])
        numbers = np.concatenate([numbers[~is_most], others])
        counts = np.concatenate([counts[~is_most], np.broadcast_to(most, (len(others), len(CELLS)))])
    order = np.argsort(numbers)
    order = order[counts[order].any(axis=1) & (numbers[order] >= 0)]
    columns = [pa.array(numbers[order].astype(np.int32)), *(pa.array(c.astype(np.uint32)) for c in counts[order].T)]
    return pa.table(columns, schema=COUNTED)
