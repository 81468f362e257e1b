"""The files that an evaluation leaves, each under its final name only when it is whole."""

from __future__ import annotations

import csv
import io
import json
import os
import shutil
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from fieldwise.bulk.metrics import ACCEPTED
from fieldwise.runner.work import WorkFolder, write_whole
from fieldwise.stats.moments import RATIOS
from fieldwise.tables.documents import DOCUMENTS
from fieldwise.tables.verdict_columns import VERDICTS

_FIELD_COLUMNS = ("field", "n", "strict_f1", "f1", "precision", "recall", "strict_recall", "accuracy")
_COUNT_COLUMNS = ("tp", "fp", "fn", "tn", "fd", "fa", "mean_score", *ACCEPTED, "row_rejected")
_BOUND_COLUMNS = tuple(f"{ratio}_{bound}" for ratio in RATIOS for bound in ("low", "high", "n"))


@dataclass
class Tables:
    """The Parquet files while they grow, shard after shard."""

    work: WorkFolder
    out: Path
    verdicts: bool

    def __post_init__(self) -> None:
        self._writers = {"documents": self._writer("documents", DOCUMENTS)}
        if self.verdicts:
            self._writers["verdicts"] = self._writer("verdicts", VERDICTS)
        self._failures = self._part("failures.jsonl").open("wb")

    def _part(self, name: str) -> Path:
        return self.out / f".{name}.{os.getpid()}.part"

    def _writer(self, name: str, schema: pa.Schema) -> pq.ParquetWriter:
        # Values differ too much for dictionaries. A group of rows holds some documents with all their fields, so only
        # the bounds of documents tell whether to look into it.
        named: Any = [column for column in schema.names if column not in ("expected", "predicted")]
        return pq.ParquetWriter(
            self._part(f"{name}.parquet"),
            schema,
            compression="snappy",
            use_dictionary=named,
            write_statistics=["document"],
        )

    def append(self, index: int) -> None:
        """Add the rows of a finished shard."""
        for name, writer in self._writers.items():
            with pa.memory_map(str(self.work.part(index, f"{name}.arrow"))) as file:
                writer.write_table(pa.ipc.open_file(file).read_all())
        with self.work.part(index, "failures.jsonl").open("rb") as file:
            shutil.copyfileobj(file, self._failures)

    def finish(self) -> None:
        """Give the files their final names."""
        self._failures.close()
        for writer in self._writers.values():
            writer.close()
        for name in [*(f"{name}.parquet" for name in self._writers), "failures.jsonl"]:
            self._part(name).replace(self.out / name)
        if not self.verdicts:
            (self.out / "verdicts.parquet").unlink(missing_ok=True)

    def discard(self) -> None:
        """Remove what was begun."""
        self._failures.close()
        for name in ("documents.parquet", "verdicts.parquet", "failures.jsonl"):
            self._part(name).unlink(missing_ok=True)


def write_json(path: Path, value: Mapping[str, Any]) -> None:
    """Write JSON for people and machines: indented, in the order given."""
    text = json.dumps(value, indent=1, ensure_ascii=False) + "\n"
    write_whole(path, text.encode("utf-8", "backslashreplace"))


def write_fields(path: Path, fields: Mapping[str, Mapping[str, Any]], order: Iterable[str]) -> None:
    """Write one row for each field in an order; cells that a spreadsheet would run are made harmless."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    columns: Sequence[str] = (*_FIELD_COLUMNS, *_COUNT_COLUMNS, *_BOUND_COLUMNS)
    writer.writerow(columns)
    for name in order:
        row = {"field": harmless(name), "n": seen(fields[name]), **fields[name], **_bounds(fields[name])}
        writer.writerow(["" if row.get(column) is None else row[column] for column in columns])
    write_whole(path, text.getvalue().encode("utf-8", "backslashreplace"))


def _bounds(row: Mapping[str, Any]) -> dict[str, Any]:
    """Return the bounds of each rate and its number of documents under names of their own."""
    held: Mapping[str, Mapping[str, Any]] = row.get("intervals", {})
    return {f"{ratio}_{bound}": value for ratio, bounds in held.items() for bound, value in bounds.items()}


def seen(row: Mapping[str, Any]) -> int:
    """Return how many values either side has."""
    return int(row["tp"] + row["fp"] + row["fn"])


def harmless(cell: str) -> str:
    """Return a cell that no spreadsheet takes for a formula.

    >>> harmless("=1+1")
    "'=1+1"
    """
    return f"'{cell}" if cell.startswith(("=", "+", "-", "@", "\t", "\r")) else cell
