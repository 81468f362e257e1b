"""Files that were tampered with: other bytes, cut short, one value replaced, rows and columns of other shapes."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import yaml
from hypothesis import strategies as st

Json = Any
BOMB = "a: &a [x, x, x, x, x, x, x, x, x]\n" + "".join(
    f"{name}: &{name} [{', '.join([f'*{before}'] * 9)}]\n" for before, name in zip("abcdef", "bcdefg", strict=True)
)
"""Half a million references in three hundred bytes."""
ODD_FILES = [
    *((BOMB + end).encode() for end in ("", "graph_properties: {metrics: *g}", "margin: *g", "critical: *g")),
    b"\xef\xbb\xbf{}", b"{}", b"[]", b"null", b'"\\ud800"', b"{" * 3000, b"[" * 30_000, b"\n" * 9,
]  # fmt: skip
ODD_VALUES: list[Json] = [
    None, True, -1, 0, 10**400, 1e308, -0.5, float("nan"), float("inf"), "", "x", "\ud800", "\x1b[31m\u202e", "0.5",
    "x" * 5000, [], {}, [[]], [None], {"": None}, {"x": {"y": []}}, ["a", 1, {}], "../../x", "leaves",
]  # fmt: skip


def places(value: Json, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Yield the path of every value inside."""
    yield path
    inside = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, below in inside:
        yield from places(below, (*path, key))


def replaced(value: Json, path: tuple[Any, ...], new: Json) -> Json:
    """Return a value with another one at a path; ``...`` removes what is there."""
    if not path:
        return None if new is ... else new
    copy = dict(value) if isinstance(value, dict) else list(value)
    if len(path) == 1 and new is ...:
        del copy[path[0]]
    else:
        copy[path[0]] = replaced(copy[path[0]], path[1:], new)
    return copy


@st.composite
def tampered(draw: st.DrawFn, path: Path) -> bytes:
    """Draw the new content of a file: JSON, JSON lines, YAML or Parquet."""
    old = path.read_bytes()
    how = draw(st.integers(0, 9))
    if how == 0:
        return draw(st.binary(max_size=200))
    if how == 1:
        return old[: draw(st.integers(0, len(old)))]
    if how == 2:
        return draw(st.sampled_from(ODD_FILES))
    if path.suffix == ".parquet":
        return draw(other_table(path))
    if path.suffix == ".jsonl":
        lines = old.splitlines() or [b"{}"]
        place = draw(st.integers(0, len(lines) - 1))
        lines[place] = draw(other_value(json.loads(lines[place])))
        return b"\n".join(lines)
    return draw(other_value(yaml.safe_load(old) if path.suffix == ".yaml" else json.loads(old)))


@st.composite
def other_value(draw: st.DrawFn, value: Json) -> bytes:
    """Draw JSON in which a value or two are replaced or gone."""
    for _ in range(draw(st.integers(1, 2))):
        place = draw(st.sampled_from(list(places(value))))
        value = replaced(value, place, draw(st.sampled_from([..., *ODD_VALUES])))
    return json.dumps(value).encode()


@st.composite
def other_table(draw: st.DrawFn, path: Path) -> bytes:
    """Draw a table with a column that is gone, of another type, empty or doubled, or with other rows."""
    table = pq.read_table(path)
    index = draw(st.integers(0, table.num_columns - 1))
    name, rows = table.column_names[index], table.num_rows
    kind = draw(st.sampled_from(["drop", "null", "integer", "text", "list", "rename", "rows", "double", "flip"]))
    columns: dict[str, Any] = {
        "null": pa.nulls(rows),
        "integer": pa.array([-(2**60)] * rows),
        "text": pa.array(["\x1b[31m"] * rows),
        "list": pa.array([[1.5, None]] * rows),
    }
    if kind == "drop":
        table = table.drop_columns([name])
    elif kind == "rename":
        table = table.rename_columns(["x" if old == name else old for old in table.column_names])
    elif kind == "rows":
        table = table.slice(draw(st.integers(0, rows)))
    elif kind == "double":
        table = pa.concat_tables([table, table])
    elif kind != "flip":
        table = table.set_column(index, name, columns[kind])
    written = pa.BufferOutputStream()
    pq.write_table(table, written)
    content = bytearray(written.getvalue().to_pybytes())
    if kind == "flip":
        content[draw(st.integers(0, len(content) - 1))] ^= draw(st.integers(1, 255))
    return bytes(content)
