"""The files that an evaluation leaves, each under its final name only when it is whole."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from fieldwise.counting.metrics import ACCEPTED
from fieldwise.evaluation.checkpoint import WorkFolder
from fieldwise.files import sync_file, sync_folder, write_whole
from fieldwise.results import RATIOS, FieldMetrics, Result
from fieldwise.tables.derived import Derived, FieldFiles
from fieldwise.tables.documents import DOCUMENTS
from fieldwise.tables.verdict_columns import VERDICTS
from fieldwise.text import csv_text
from fieldwise.writing import dump_json

_FIELD_COLUMNS = ("field", "n", "strict_f1", "f1", "precision", "recall", "strict_recall", "accuracy")
_COUNT_COLUMNS = ("tp", "fp", "fn", "tn", "fd", "fa", "mean_score", *ACCEPTED, "row_rejected")
_BOUNDS = ("low", "high", "n")
_BOUND_COLUMNS = tuple(f"{ratio}_{bound}" for ratio in RATIOS for bound in _BOUNDS)

EVALUATION_FILES = frozenset(
    {
        *("metrics.json", "fields.csv", "failures.jsonl", "spec.json", "report.html"),
        *("verdicts.parquet", "documents.parquet", "counts.parquet", "errors.parquet", "scores.parquet"),
    }
)
"""What an evaluation writes."""
RESULT_FILES = EVALUATION_FILES | frozenset(
    {
        *(f"{name}.{suffix}" for name in ("calibration", "sweep") for suffix in ("json", "html", "png")),
    }
)
"""What a folder of results may hold: the files of an evaluation, and those of commands that look at it."""


@dataclass
class Tables:
    """The Parquet files while they grow, shard after shard, in the work folder."""

    work: WorkFolder
    verdicts: bool

    def __post_init__(self) -> None:
        self._writers = {"documents": self._writer("documents", DOCUMENTS)}
        if self.verdicts:
            self._writers["verdicts"] = self._writer("verdicts", VERDICTS)
        self._failures = (self.work.results / "failures.jsonl").open("wb")
        self._by_field = FieldFiles()
        self._documents = 0

    def _writer(self, name: str, schema: pa.Schema) -> pq.ParquetWriter:
        # Values differ too much for dictionaries. A group of rows holds some documents with all their fields, so only
        # the bounds of documents tell whether to look into it.
        named: Any = [column for column in schema.names if column not in ("expected", "predicted")]
        return pq.ParquetWriter(
            self.work.results / f"{name}.parquet",
            schema,
            compression="snappy",
            use_dictionary=named,
            write_statistics=["document"],
        )

    def append(self, index: int) -> None:
        """Add the rows of a finished shard."""
        tables = {name: self.work.table(index, f"{name}.arrow") for name in self._writers}
        for name, writer in self._writers.items():
            writer.write_table(tables[name])
        if self.verdicts:
            derived = Derived(*(self.work.table(index, f"{name}.arrow") for name in Derived._fields))
            self._by_field.add(self._documents, derived)
        self._documents += len(tables["documents"])
        self._failures.write(self.work.failures(index))

    def finish(self) -> None:
        """Join what is kept by field, now that all shards are there."""
        if self.verdicts:
            self._by_field.write(self.work.results)

    def close(self) -> None:
        """End the files."""
        self._failures.close()
        for writer in self._writers.values():
            writer.close()


def publish(work: WorkFolder, folder: Path) -> None:
    """Bring the results of a run to where they belong, metrics.json last, as whoever finds it takes the rest as there.

    Everything is on the disk before anything is replaced.
    """
    names = sorted(os.listdir(work.results), key=lambda name: (name == "metrics.json", name))
    for name in names:
        sync_file(work.results / name)
    for name in EVALUATION_FILES - set(names):
        (folder / name).unlink(missing_ok=True)
    for name in names:
        (work.results / name).replace(folder / name)
    sync_folder(folder)


def write_json(path: Path, value: Mapping[str, Any]) -> None:
    """Write JSON for people and machines: indented, in the order given."""
    write_whole(path, (dump_json(value, indent=1, ascii_only=False) + "\n").encode())


def write_result(path: Path, result: Result) -> None:
    """Do the same for a result."""
    write_whole(path, (result.to_json(indent=1) + "\n").encode())


def write_fields(path: Path, fields: Mapping[str, FieldMetrics], order: Iterable[str]) -> None:
    """Write one row for each field in an order, as CSV."""
    columns: Sequence[str] = (*_FIELD_COLUMNS, *_COUNT_COLUMNS, *_BOUND_COLUMNS)
    rows = (_cells(name, fields[name]) for name in order)
    text = csv_text(columns, ([row[column] for column in columns] for row in rows))
    write_whole(path, text.encode())


def _cells(name: str, row: FieldMetrics) -> dict[str, Any]:
    """Return a row by its columns; the bounds of each rate and its number of documents have names of their own."""
    bounds = {f"{ratio}_{bound}": getattr(row.rates.of(ratio), bound) for ratio in RATIOS for bound in _BOUNDS}
    return {"field": name, "n": row.seen, **row.to_dict(), **bounds}
