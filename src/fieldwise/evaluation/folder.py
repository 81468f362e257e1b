"""The folder of results: what may be in it, and its files, each under its final name only when it is whole."""

from __future__ import annotations

import os
import shutil
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from fieldwise.errors import InputError, SettingError
from fieldwise.evaluation.checkpoint import FOLDER, LOCK, Checkpoint, only_writer
from fieldwise.evaluation.settings import Settings
from fieldwise.files import is_draft, sync_folder, write_whole
from fieldwise.readers.folders import Folder
from fieldwise.readers.inside import InsidePairs, name_some
from fieldwise.readers.pairs import PairSource
from fieldwise.readers.trees import TreePairs
from fieldwise.results import Metrics
from fieldwise.tables.manifest import MANIFEST, TABLES, Manifest, Part, StoredFile
from fieldwise.writing import dump_json

_HARMLESS = (".DS_Store", ".gitignore", ".gitkeep")
EVALUATION_FILES = frozenset(
    {
        *("metrics.json", "fields.csv", "failures.jsonl", "spec.json", "report.html", MANIFEST, *TABLES),
        *("verdicts", "verdicts.parquet", "documents.parquet", "counts.parquet", "errors.parquet", "scores.parquet"),
    }
)
"""What an evaluation writes, and what earlier versions wrote."""
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


class Tables:
    """The parts of a run and its failures while they come in, shard after shard."""

    def __init__(self, checkpoint: Checkpoint, settings: Settings) -> None:
        self._checkpoint, self._settings = checkpoint, settings
        self._parts: list[Part] = []
        self._failures = bytearray()

    def append(self, index: int) -> None:
        """Take what a finished shard left."""
        self._parts.append(self._checkpoint.part_of(index))
        self._failures += self._checkpoint.failures(index)

    def finish(self, metrics: Metrics) -> Manifest:
        """Write the files beside the tables, and the manifest, which is returned."""
        contents = {
            "failures.jsonl": bytes(self._failures),
            "spec.json": json_lines(self._settings.plan.spec.to_json_schema()),
            "metrics.json": (metrics.to_json(indent=1) + "\n").encode(),
        }
        results = self._checkpoint.results
        for name, content in contents.items():
            write_whole(results / name, content)
        files = {name: StoredFile.of(name, content) for name, content in contents.items()}
        manifest = Manifest(self._checkpoint.run, tuple(self._parts), files)
        write_whole(results / MANIFEST, json_lines(manifest.to_json()))
        return manifest


def publish(checkpoint: Checkpoint, folder: Path) -> None:
    """Bring the results of a run to where they belong, metrics.json last, as whoever finds it takes the rest as there.

    Everything is on the disk before what an earlier evaluation left is removed, its metrics first.
    """
    names = sorted(os.listdir(checkpoint.results), key=_metrics_last)
    kept = Manifest.read(checkpoint.results / MANIFEST).names
    for table in TABLES:
        sync_folder(folder / table)
    for name in sorted(EVALUATION_FILES.difference(TABLES), key=_metrics_last, reverse=True):
        _remove(folder / name)
    for name in names:
        (checkpoint.results / name).replace(folder / name)
    sync_folder(folder)
    checkpoint.sweep(kept)


def _metrics_last(name: str) -> tuple[bool, str]:
    return name == "metrics.json", name


def _remove(path: Path) -> None:
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path)
    else:
        path.unlink(missing_ok=True)


def json_lines(value: Mapping[str, Any]) -> bytes:
    """Return JSON for people and machines: indented, in the order given."""
    return (dump_json(value, indent=1, ascii_only=False) + "\n").encode()
