"""Document rows as a table: one row for each document that was read, with what became of it."""

from __future__ import annotations

from typing import Any, NamedTuple

import pyarrow as pa

_COLUMNS: list[tuple[str, Any]] = [
    ("document", pa.string()),
    ("status", pa.dictionary(pa.int8(), pa.string())),
    ("score", pa.float64()),
    ("tp", pa.int64()),
    ("fd", pa.int64()),
    ("fa", pa.int64()),
    ("fn", pa.int64()),
    ("tn", pa.int64()),
    ("reason", pa.string()),
]
DOCUMENTS = pa.schema(_COLUMNS)


class DocumentEntry(NamedTuple):
    """One document; ``status`` is ``scored``, or the kind of its failure; ``score`` None where nothing was there."""

    document: str
    status: str
    score: float | None
    tp: int
    fd: int
    fa: int
    fn: int
    tn: int
    reason: str | None


def documents_table(entries: list[DocumentEntry]) -> pa.Table:
    """Return the rows as an Arrow table."""
    columns = zip(*entries, strict=True) if entries else [()] * len(DOCUMENTS.names)
    arrays = []
    for column, kind in zip(columns, DOCUMENTS.types, strict=True):
        array: Any = pa.array(column, pa.string() if pa.types.is_dictionary(kind) else kind)
        arrays.append(array.cast(kind) if pa.types.is_dictionary(kind) else array)
    return pa.table(arrays, schema=DOCUMENTS)
