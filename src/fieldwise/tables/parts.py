"""The tables of a run in parts, one of each shard: written as Parquet, and read as the manifest says they are."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from fieldwise.tables.compared import CONFIDENCES
from fieldwise.tables.counts import COUNTS
from fieldwise.tables.manifest import Manifest, StoredFile, damaged, digest_of
from fieldwise.tables.pairs import PAIRS, group_sizes
from fieldwise.tables.scores import SCORES
from fieldwise.tables.verdict_columns import ERRORS

BY_FIELD: dict[str, pa.Schema] = {"errors": ERRORS, "counts": COUNTS, "scores": SCORES, "confidences": CONFIDENCES}
"""The tables that are sorted by field."""
_NO_NAMES = ("document", "expected", "predicted", "score", "raw_score", "tp", "fd", "fa", "fn", "confidence")
FEWEST_ROWS, MOST_ROWS = 1_000, 20_000
"""A group of rows ends with a field, once it has the fewest; a field with more than the most has several."""


def written(name: str, table: pa.Table) -> bytes:
    """Return a table of a part as the content of a Parquet file."""
    sink = pa.BufferOutputStream()
    options: dict[str, Any] = {"compression": "zstd", "write_page_checksum": True, "write_statistics": False}
    if name in BY_FIELD:
        schema = BY_FIELD[name]
        options["use_dictionary"] = [column for column in schema.names if column not in _NO_NAMES]
        options["write_statistics"] = ["field"]
        if "document" in schema.names:
            options["column_encoding"] = {"document": "DELTA_BINARY_PACKED"}
        sizes = _by_field(table)
    else:
        schema = table.schema
        options["use_dictionary"] = ["status", "document_class", "cluster"] if name == "documents" else False
        sizes = group_sizes(table) if name == "pairs" else [len(table)]
    with pq.ParquetWriter(sink, schema, **options) as writer:
        start = 0
        for size in sizes:
            writer.write_table(table.slice(start, size).cast(schema))
            start += size
    return sink.getvalue().to_pybytes()


def _by_field(table: pa.Table) -> list[int]:
    """Return how many rows are in each group."""
    fields: Any = table["field"].combine_chunks()
    codes = np.asarray((fields if isinstance(fields, pa.DictionaryArray) else fields.dictionary_encode()).indices)
    ends = [*(np.flatnonzero(np.diff(codes)) + 1).tolist(), len(codes)]
    sizes, start = [], 0
    for end in ends:
        if end - start >= FEWEST_ROWS or end == len(codes):
            sizes += [min(MOST_ROWS, end - at) for at in range(start, end, MOST_ROWS)]
            start = end
    return sizes


@dataclass(frozen=True)
class RunFiles:
    """The files of a run, read where they are as the manifest says; one that this process just wrote needs no look."""

    folder: Path
    manifest: Manifest
    is_new: bool = False
    _checked: set[str] = field(default_factory=set)

    @property
    def starts(self) -> list[int]:
        """The number of the first document of each part."""
        sizes = [part.documents for part in self.manifest.parts]
        return [sum(sizes[:at]) for at in range(len(sizes))]

    def has(self, table: str) -> bool:
        """Tell whether a table was kept."""
        return any(table in part.files for part in self.manifest.parts)

    def check(self, file: StoredFile) -> Path:
        """Return where a file is; one that is not as it was written is refused."""
        path = self.folder / file.name
        if not self.is_new and file.name not in self._checked:
            try:
                content = path.read_bytes()
            except OSError as error:
                raise damaged(path) from error
            if len(content) != file.size or digest_of(content) != file.sha256:
                raise damaged(path)
            self._checked.add(file.name)
        return path

    def open(self, part: int, table: str) -> pq.ParquetFile | None:
        """Open a table of a part; None where that has none."""
        file = self.manifest.parts[part].files.get(table)
        if file is None:
            return None
        path = self.check(file)
        try:
            return pq.ParquetFile(pa.OSFile(str(path), "rb"), page_checksum_verification=True)
        except (pa.ArrowException, OSError) as error:
            raise damaged(path) from error

    def tables(self, table: str, columns: Sequence[str] | None = None) -> Iterator[pa.Table]:
        """Yield a table part after part."""
        for part in range(len(self.manifest.parts)):
            yield self.table(part, table, columns)

    def table(self, part: int, table: str, columns: Sequence[str] | None = None) -> pa.Table:
        """Return a table of one part, empty where it has none."""
        file = self.open(part, table)
        if file is None:
            schema = BY_FIELD.get(table, PAIRS)
            return schema.empty_table().select(list(columns or schema.names))
        with file:
            return file.read(columns=None if columns is None else list(columns), use_threads=False)
