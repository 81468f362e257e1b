"""The folder of results: what may be in it, and its files, each under its final name only when it is whole."""

from __future__ import annotations

import mmap
import os
import shutil
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from fieldwise.errors import InputError, SettingError
from fieldwise.evaluation.checkpoint import FOLDER, LOCK, VERDICTS, Checkpoint, only_writer
from fieldwise.evaluation.settings import Settings
from fieldwise.files import is_draft, sync_file, sync_folder, write_whole
from fieldwise.readers.folders import Folder
from fieldwise.readers.inside import InsidePairs, name_some
from fieldwise.readers.pairs import PairSource
from fieldwise.readers.trees import TreePairs
from fieldwise.results import Result
from fieldwise.tables.derived import Derived, FieldFiles
from fieldwise.tables.documents import documents_schema
from fieldwise.tables.worst import WorstRows
from fieldwise.writing import dump_json

_HARMLESS = (".DS_Store", ".gitignore", ".gitkeep")
EVALUATION_FILES = frozenset(
    {
        *("metrics.json", "fields.csv", "failures.jsonl", "spec.json", "report.html"),
        *("verdicts", "verdicts.parquet", "documents.parquet", "counts.parquet", "errors.parquet", "scores.parquet"),
    }
)
"""What an evaluation writes, and the one file of verdicts that an earlier version wrote in place of a folder."""
RESULT_FILES = EVALUATION_FILES | frozenset(
    {
        *(f"{name}.{suffix}" for name in ("calibration", "sweep") for suffix in ("json", "html", "png")),
    }
)
"""What a folder of results may hold: the files of an evaluation, and those of commands that look at it."""


def check_folder(folder: Path, source: PairSource, *, overwrite: bool, resume: bool) -> None:
    """Refuse a folder for results that is an input, holds something else, or holds results that nobody gave up."""
    check_outside(folder, input_folders(source))
    check_results(folder, overwrite=overwrite, resume=resume)


def check_outside(folder: Path, inputs: Sequence[Path]) -> None:
    """Refuse a folder for results in which, or above which, documents are looked for."""
    for root in inputs:
        if root.is_dir() and folder.resolve().is_relative_to(root.resolve()):
            raise SettingError(
                f"Cannot write results to {folder}: it would be part of the input {root}",
                code="output.inside_input",
                facts={"file": folder, "input": root},
                advice="choose another folder",
            )


def check_results(folder: Path, *, overwrite: bool, resume: bool = False) -> None:
    """Refuse a folder into which another evaluation writes, and what `check_contents` refuses."""
    if (folder / LOCK).exists():
        with only_writer(folder):  # a lock that is nobody's goes with this
            pass
    check_contents(folder, overwrite=overwrite, resume=resume)


def check_contents(folder: Path, *, overwrite: bool, resume: bool = False) -> None:
    """Refuse a folder that holds anything but results, and results unless they may be replaced or continued."""
    names = [name for name in _entries(folder) if name not in (*_HARMLESS, LOCK)]
    others = sorted(name for name in names if name not in RESULT_FILES and not _is_ours(name))
    is_result = FOLDER in names or "metrics.json" in names
    if others or (names and not is_result):
        held = name_some(others or sorted(names))
        raise SettingError(
            f"Cannot write results to {folder}: it holds {held}; choose an empty folder or a new one",
            code="output.not_empty",
            facts={"file": folder, "holds": others or sorted(names)},
        )
    if overwrite or not names:
        return
    if FOLDER not in names:
        nothing = " and nothing to resume" if resume else ""
        raise SettingError(
            f"{folder} holds an earlier result{nothing}",
            code="output.exists",
            facts={"file": folder},
            advice="overwrite=True replaces it",
        )
    if not resume:
        raise SettingError(
            f"{folder} holds an evaluation that was not finished",
            code="output.unfinished",
            facts={"file": folder},
            advice="resume=True continues it, overwrite=True replaces it",
        )


def is_unfinished(folder: Path) -> bool:
    """Tell whether an evaluation into a folder was stopped, and can be resumed."""
    return (folder / FOLDER).exists()


def _entries(folder: Path) -> list[str]:
    try:
        return os.listdir(folder)
    except FileNotFoundError:
        return []
    except OSError as error:
        raise InputError(
            f"Cannot write to {folder}: {error.strerror or error}", code="output.not_writable", facts={"file": folder}
        ) from error


def _is_ours(name: str) -> bool:
    return name == FOLDER or is_draft(name)


def input_folders(source: PairSource) -> list[Path]:
    """Return the folders in which a source looks for documents."""
    if isinstance(source, InsidePairs):
        return input_folders(source.source)
    trees = (source.expected, source.predicted) if isinstance(source, TreePairs) else ()
    return [Path(tree.path) for tree in trees if isinstance(tree, Folder)]


@dataclass
class Tables:
    """The Parquet files while they grow, shard after shard, in the checkpoint."""

    checkpoint: Checkpoint
    settings: Settings

    def __post_init__(self) -> None:
        results = self.checkpoint.results
        self._documents = pq.ParquetWriter(
            results / "documents.parquet",
            documents_schema(self.settings.slices),
            compression="snappy",
            write_statistics=["document"],
        )
        self._failures = (results / "failures.jsonl").open("wb")
        self._mapped: list[mmap.mmap] = []
        self._worst = WorstRows()
        self._by_field = FieldFiles(partial(_forget, self._mapped)) if self.settings.verdicts else None
        self._size = 0
        if self.settings.verdicts:
            (results / "verdicts").mkdir()

    def append(self, index: int) -> None:
        """Add the rows of a finished shard."""
        documents = self.checkpoint.table(index, "documents.arrow")
        self._documents.write_table(documents)
        if self._by_field is not None:
            read = [self.checkpoint.mapped_table(index, f"{name}.arrow") for name in Derived._fields]
            self._mapped += [mapped for _, mapped in read]
            self._by_field.add(self._size, Derived(*(table for table, _ in read)))
            _forget([mapped for _, mapped in read])
            self._worst.add(self.checkpoint.table(index, "worst.arrow"), documents)
            _link(self.checkpoint.part(index, VERDICTS), self.checkpoint.results / "verdicts" / f"{index:06d}.parquet")
        self._size += len(documents)
        self._failures.write(self.checkpoint.failures(index))

    @property
    def worst(self) -> pa.Table:
        """The verdict rows of the worst documents of each shard."""
        return self._worst.table()

    def finish(self) -> None:
        """Join what is kept by field, now that all shards are there, and end the files."""
        results = self.checkpoint.results
        if self._by_field is not None:
            self._by_field.write(results)
        self.close()
        write_json(results / "spec.json", self.settings.plan.spec.to_json_schema())

    def close(self) -> None:
        """End the files."""
        self._failures.close()
        self._documents.close()


def _forget(files: Iterable[mmap.mmap]) -> None:
    """Let what was read of mapped files leave the memory; it is read again where it is needed."""
    if hasattr(mmap, "MADV_DONTNEED"):  # elsewhere the system decides for itself
        for file in files:
            file.madvise(mmap.MADV_DONTNEED)


def _link(path: Path, name: Path) -> None:
    """Give a file a second name; a copy of it where the system has no such thing."""
    try:
        os.link(path, name)
    except OSError:
        shutil.copyfile(path, name)


def publish(checkpoint: Checkpoint, folder: Path) -> None:
    """Bring the results of a run to where they belong, metrics.json last, as whoever finds it takes the rest as there.

    Everything is on the disk before what an earlier evaluation left is removed, its metrics first.
    """
    names = sorted(os.listdir(checkpoint.results), key=_metrics_last)
    for name in names:
        _sync(checkpoint.results / name)
    for name in sorted(EVALUATION_FILES, key=_metrics_last, reverse=True):
        _remove(folder / name)
    for name in names:
        (checkpoint.results / name).replace(folder / name)
    sync_folder(folder)


def _metrics_last(name: str) -> tuple[bool, str]:
    return name == "metrics.json", name


def _sync(path: Path) -> None:
    if not path.is_dir():
        sync_file(path)
        return
    for inner in path.iterdir():
        sync_file(inner)  # again, where it is a copy
    sync_folder(path)


def _remove(path: Path) -> None:
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path)
    else:
        path.unlink(missing_ok=True)


def write_json(path: Path, value: Mapping[str, Any]) -> None:
    """Write JSON for people and machines: indented, in the order given."""
    write_whole(path, (dump_json(value, indent=1, ascii_only=False) + "\n").encode())


def write_result(path: Path, result: Result) -> None:
    """Do the same for a result."""
    write_whole(path, (result.to_json(indent=1) + "\n").encode())
