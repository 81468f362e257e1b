"""Parquet files, written out as lines: documents as JSON text or as structs, or rows that are documents themselves."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from decimal import Decimal
from pathlib import Path
from typing import Any

import orjson
import pyarrow as pa
import pyarrow.parquet as pq

from fieldwise.errors import InputError, LimitError, quoted
from fieldwise.limits import MIB, ReadLimits
from fieldwise.readers.envelopes import ID_KEYS, SIDE_KEYS, WORDS, WRAPPERS, Side, first_key
from fieldwise.readers.formats import check_unpacked
from fieldwise.readers.frames import narrow
from fieldwise.readers.json_text import is_closed, parse_json
from fieldwise.values import Json

_ROWS = 1000
_BYTES = 16 * MIB
_BROKEN = b"\0"
"""Nowhere in JSON is this allowed: a cell that is no JSON makes no line that is."""

_BAD_CELL = (ValueError, TypeError, OverflowError, pa.ArrowException)
"""What a value raises that no Python value can be: text that is no UTF-8, a time after the year 9999."""

Cells = dict[str, list[bytes | None]]


def require_pairs(files: Sequence[Path]) -> None:
    """Raise an error unless the first file has a column for each side."""
    names = _names(files[0])
    if not all(first_key(dict.fromkeys(names), keys) for keys in SIDE_KEYS.values()):
        raise InputError(
            f"{files[0]} has no columns 'expected' and 'predicted'; its columns are {', '.join(names)}",
            code="input.missing_column",
            facts={"file": files[0], "columns": names},
        )


def write_documents(
    files: Sequence[Path], target: Path, side: Side, limits: ReadLimits, *, of_pairs: bool = False
) -> None:
    """Write the documents of one side, a line for each row; the line of a null is blank.

    They are those of a column with nothing but the words of envelopes beside it, or whole rows.
    """
    total, names = 0, _names(files[0])
    others = SIDE_KEYS["predicted" if side == "expected" else "expected"]
    found = first_key(dict.fromkeys(names), [*(key for key in WRAPPERS if key not in others), *others])
    if not (of_pairs or (found and WORDS.issuperset(names) and _holds_documents(files, found, limits))):
        found = None
    beside = [name for name in (first_key(dict.fromkeys(names), ID_KEYS), *_beside(side)) if name in names]
    columns = [*beside, found] if found else names
    with target.open("wb") as lines:
        for batch in _batches(files, columns):
            held = bool(found)
            cells = {name: _cells(batch.column(name), limits, held and name not in ID_KEYS) for name in columns}
            for row in range(batch.num_rows):
                total += lines.write(_line(cells, row, found))
            check_unpacked(files[0], total, total, limits)


def _holds_documents(files: Sequence[Path], column: str, limits: ReadLimits) -> bool:
    """Tell whether the first rows of a column have objects, or texts that are JSON; a label is a field."""
    first = next(_batches(files, [column]), None)
    cells = () if first is None else _cells(first.column(0), limits, True)
    return any(cell is not None and cell.lstrip()[:1] in (b"{", b"`") for cell in cells)


def _beside(side: Side) -> tuple[str, ...]:
    return ("alternates", "metadata") if side == "expected" else ("metadata",)


def _names(path: Path) -> list[str]:
    names = list(_opened(path).schema_arrow.names)
    twice = next((name for at, name in enumerate(names) if name in names[:at]), None)
    if twice is not None:
        raise InputError(
            f"Expected every column of {path} once, got {quoted(twice)} twice",
            code="input.wrong_format",
            facts={"file": path, "columns": names, "got": twice},
        )
    return names


def _batches(files: Sequence[Path], columns: list[str]) -> Iterator[pa.RecordBatch]:
    for path in files:
        try:
            file = _opened(path)
            _names(path)
            yield from file.iter_batches(batch_size=_rows_at_once(file.metadata), columns=columns)
        except (pa.ArrowException, OSError) as error:
            raise InputError(
                f"{path} cannot be read as Parquet: {error}", code="input.wrong_format", facts={"file": path}
            ) from error


def _rows_at_once(metadata: pq.FileMetaData) -> int:
    """Return how many rows take about as much memory as a large document."""
    size = sum(metadata.row_group(group).total_byte_size for group in range(metadata.num_row_groups))
    return max(1, min(_ROWS, _BYTES * metadata.num_rows // max(size, 1)))


def _opened(path: Path) -> pq.ParquetFile:
    try:
        return pq.ParquetFile(path)
    except (pa.ArrowException, OSError) as error:
        raise InputError(
            f"{path} cannot be read as Parquet: {error}", code="input.wrong_format", facts={"file": path}
        ) from error


def _cells(column: pa.Array[Any], limits: ReadLimits, text: bool) -> list[bytes | None]:
    """Return the cells as JSON; a column of texts holds JSON already where ``text`` says so."""
    if text and _is_text(column.type):
        return [None if cell is None else _checked(cell, limits) for cell in _as_bytes(column).to_pylist()]
    short = narrow(column.type)
    try:
        return [None if cell is None else _dumped(short(cell)) for cell in column.to_pylist()]
    except _BAD_CELL:
        return [_one_dumped(cell) for cell in column]


def _as_bytes(column: pa.Array[Any]) -> pa.Array[Any]:
    """Return texts as the bytes that they are: what a file calls text may be none."""
    held: Any = column.dictionary_decode() if isinstance(column, pa.DictionaryArray) else column
    return held.cast(pa.large_binary() if pa.types.is_large_string(held.type) else pa.binary())  # type: ignore[no-any-return]


def _one_dumped(cell: pa.Scalar[Any]) -> bytes | None:
    try:
        value = cell.as_py()
        return None if value is None else _dumped(narrow(cell.type)(value))
    except _BAD_CELL:
        return _time(cell) if pa.types.is_timestamp(cell.type) else _BROKEN


def _time(cell: pa.Scalar[Any]) -> bytes:
    """Return a time that Python has none for, in UTC: of a zone that is unknown here, or after the year 9999."""
    plain = cell.cast(pa.int64()).cast(pa.timestamp(cell.type.unit))
    return _dumped(str(plain.cast(pa.string()).as_py()).replace(" ", "T") + ("Z" if cell.type.tz else ""))


def _is_text(kind: pa.DataType) -> bool:
    if pa.types.is_dictionary(kind):
        kind = kind.value_type
    return any(test(kind) for test in (pa.types.is_string, pa.types.is_large_string, pa.types.is_binary))


def _checked(content: bytes, limits: ReadLimits) -> bytes:
    """Return a cell in one line; one that is over a limit in a form that is over it too, and breaks out of no line."""
    if len(content) > limits.max_bytes:
        return orjson.dumps(content.decode("utf-8", "replace"))
    line = content.replace(b"\n", b" ").replace(b"\r", b" ")
    try:
        parse_json(content, "", limits.max_depth)
    except LimitError:
        return line if is_closed(line) else line + _BROKEN
    except InputError:
        return line + _BROKEN
    return line


def _dumped(cell: Json) -> bytes:
    return orjson.dumps(cell, default=_plain, option=orjson.OPT_NON_STR_KEYS)


def _plain(value: Json) -> Json:
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
