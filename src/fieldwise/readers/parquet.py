"""Parquet files, written out as lines: documents as JSON text or as structs, or rows that are documents themselves."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from decimal import Decimal
from pathlib import Path
from typing import Any

import orjson
import pyarrow as pa
import pyarrow.parquet as pq

from fieldwise.errors import InputError
from fieldwise.readers.envelopes import ID_KEYS, SIDE_KEYS, Side, first_key
from fieldwise.readers.json_text import parse_json
from fieldwise.values import Json

_ROWS = 1000
_BROKEN = b"\0"
"""Nowhere in JSON is this allowed: a cell that is no JSON makes no line that is."""

Cells = dict[str, list[bytes | None]]


def require_pairs(files: Sequence[Path]) -> None:
    """Raise an error unless the first file has a column for each side."""
    names = dict.fromkeys(_opened(files[0]).schema_arrow.names)
    if not all(first_key(names, keys) for keys in SIDE_KEYS.values()):
        raise InputError(f"{files[0]} has no columns 'expected' and 'predicted'; its columns are {', '.join(names)}")


def write_documents(files: Sequence[Path], target: Path, side: Side) -> None:
    """Write the documents of one side, a line for each row; the line of a null is blank."""
    names = dict.fromkeys(_opened(files[0]).schema_arrow.names)
    found = first_key(names, (*SIDE_KEYS[side], "document", "inference_result"))
    beside = [name for name in (first_key(names, ID_KEYS), *_beside(side)) if name in names]
    columns = [*beside, found] if found else list(names)
    with target.open("wb") as lines:
        for batch in _batches(files, columns):
            cells = {name: _cells(batch.column(name), text=bool(found) and name not in ID_KEYS) for name in columns}
            lines.writelines(_line(cells, row, found) for row in range(batch.num_rows))


def _beside(side: Side) -> tuple[str, ...]:
    return ("alternates", "metadata") if side == "expected" else ("metadata",)


def _batches(files: Sequence[Path], columns: list[str]) -> Iterator[pa.RecordBatch]:
    for path in files:
        try:
            yield from _opened(path).iter_batches(batch_size=_ROWS, columns=columns)
        except (pa.ArrowException, OSError) as error:
            raise InputError(f"{path} cannot be read as Parquet: {error}") from error


def _opened(path: Path) -> pq.ParquetFile:
    try:
        return pq.ParquetFile(path)
    except (pa.ArrowException, OSError) as error:
        raise InputError(f"{path} cannot be read as Parquet: {error}") from error


def _cells(column: pa.Array[Any], *, text: bool) -> list[bytes | None]:
    """Return the cells as JSON; a column of texts holds JSON already where ``text`` says so."""
    write = _checked if text and _is_text(column.type) else _dumped
    return [None if cell is None else write(cell) for cell in column.to_pylist()]


def _is_text(kind: pa.DataType) -> bool:
    if pa.types.is_dictionary(kind):
        kind = kind.value_type
    return any(test(kind) for test in (pa.types.is_string, pa.types.is_large_string, pa.types.is_binary))


def _checked(cell: str | bytes) -> bytes:
    content = cell.encode() if isinstance(cell, str) else cell
    line = content.replace(b"\n", b" ").replace(b"\r", b" ")
    try:
        parse_json(content, "")
    except InputError:
        return line + _BROKEN
    return line


def _dumped(cell: Json) -> bytes:
    return orjson.dumps(cell, default=_plain, option=orjson.OPT_NON_STR_KEYS)


def _plain(value: Any) -> Any:
    if isinstance(value, Decimal):
        return orjson.Fragment(str(value)) if value.is_finite() else None
    if isinstance(value, bytes):
        return value.decode("utf-8", "replace")
    return value.isoformat() if hasattr(value, "isoformat") else str(value)


def _line(cells: Cells, row: int, found: str | None) -> bytes:
    if found is not None and cells[found][row] is None:
        return b"\n"
    members = (
        orjson.dumps("document" if name == found else name) + b":" + (column[row] or b"null")
        for name, column in cells.items()
        if column[row] is not None or found is None
    )
    return b"{" + b",".join(members) + b"}\n"
