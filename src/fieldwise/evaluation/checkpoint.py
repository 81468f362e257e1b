"""The checkpoint of an evaluation: what each finished shard left, so that a stopped evaluation can go on.

A shard is finished when its state is there, which is written last and names its tables with their digests. One that is
missing, cut off, damaged or of another run makes its shard be evaluated again, so nothing that a kill or a power cut
leaves can end up in the results.
"""

from __future__ import annotations

import json
import os
import secrets
import shutil
from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from fieldwise.errors import InputError, LostLeaseError, SettingError
from fieldwise.evaluation.outcome import Failure, ShardOutcome
from fieldwise.evaluation.sums import Sums
from fieldwise.files import HeldLock, is_draft, sync_folder, take_lock, write_whole
from fieldwise.tables.manifest import MANIFEST, TABLES, Manifest, Part, StoredFile, digest_of
from fieldwise.tables.parts import written
from fieldwise.values import Json
from fieldwise.writing import dump_json

FOLDER: Final = ".fieldwise-work"
LOCK: Final = ".fieldwise-lock"
_DESCRIPTION: Final = "run.json"
_FAILURES: Final = "failures.jsonl"


def lock_folder(folder: Path) -> HeldLock:
    """Keep other evaluations out of a folder. The lock is beside the checkpoint, which is removed under it."""
    lock = take_lock(folder / LOCK)
    if lock is None:
        raise InputError(
            f"Another evaluation is writing to {folder}",
            code="output.locked",
            facts={"file": folder},
            advice="wait for it or choose another folder",
        )
    return lock


@contextmanager
def only_writer(folder: Path) -> Iterator[None]:
    """Hold the lock of a folder for a while."""
    lock = lock_folder(folder)
    try:
        yield
    finally:
        lock.drop()


@dataclass(frozen=True)
class Checkpoint:
    """The folder in which the shards of a run leave their states, and where its results are written."""

    path: Path
    run: str

    @classmethod
    def begin(cls, folder: Path, described: Mapping[str, Json], *, resume: bool) -> Checkpoint:
        """Begin a run, or go on where the same one stopped; whoever calls this is the only writer."""
        path = folder / FOLDER
        before = _described(path) if resume else None
        if before is not None:
            _check_same(before, described)
            checkpoint = cls(path, str(before["run"]))
        else:
            cls(path, "").remove()
            checkpoint = cls(path, secrets.token_hex(8))
            path.mkdir(parents=True)
            write_whole(path / _DESCRIPTION, json.dumps({**described, "run": checkpoint.run}, indent=1).encode())
            checkpoint.sweep(published(folder))
        checkpoint._remove_leftovers(folder)
        checkpoint.results.mkdir(exist_ok=True)
        return checkpoint

    def _remove_leftovers(self, folder: Path) -> None:
        """Remove what processes that were killed had begun to write."""
        for place in (folder, self.path):
            for name in filter(is_draft, os.listdir(place)):
                (place / name).unlink(missing_ok=True)
        shutil.rmtree(self.results, ignore_errors=True)

    @property
    def folder(self) -> Path:
        """The folder of the run, in which tables are where they stay."""
        return self.path.parent

    @property
    def results(self) -> Path:
        """The folder in which results are written before they get their place."""
        return self.path / "results"

    def part(self, index: int, name: str) -> Path:
        """Return where a part of a shard is."""
        return self.path / f"{index:06d}.{self.run}.{name}"

    def commit(self, index: int, outcome: ShardOutcome) -> Sums:
        """Write what a shard left; its state last, which is returned.

        Its tables have their final places already, under names that nothing else has. LostLeaseError where the folder
        is of another run by now: then nothing names the parts.
        """
        attempt = secrets.token_hex(4)
        files = {
            name: self._write(f"{name}/{index:06d}-{attempt}.parquet", written(name, table))
            for name, table in outcome.tables()
        }
        failures = self._failures(outcome.failures)
        write_whole(self.part(index, _FAILURES), failures)
        sums = Sums.of(outcome)
        said = {
            "run": self.run,
            "shard": index,
            "documents": len(outcome.documents.ids),
            "files": {name: list(file) for name, file in files.items()},
            "failures": digest_of(failures),
            "sums": sums.to_state(),
        }
        text = json.dumps(said).encode()
        self._check_lease()
        write_whole(self._state(index), digest_of(text).encode() + b"\n" + text)
        return sums

    def _write(self, name: str, content: bytes) -> StoredFile:
        path = self.folder / name
        path.parent.mkdir(exist_ok=True)
        try:
            with path.open("xb") as file:
                file.write(content)
                file.flush()
                os.fsync(file.fileno())
        except BaseException:
            path.unlink(missing_ok=True)
            raise
        return StoredFile.of(name, content)

    def _check_lease(self) -> None:
        found = _described(self.path)
        if found is None or found.get("run") != self.run:
            raise LostLeaseError(
                f"Another evaluation has begun in {self.path.parent}; this one can commit nothing more",
                facts={"file": self.path.parent, "expected": self.run, "got": found and found.get("run")},
            )

    def _failures(self, failures: list[Failure]) -> bytes:
        lines = [{"run": self.run}, *(failure._asdict() for failure in failures)]
        return "".join(dump_json(line, ascii_only=False) + "\n" for line in lines).encode()

    def finished(self, index: int) -> Sums | None:
        """Return what a shard left; None where it is not finished, or anything of it is damaged or of another run."""
        try:
            said = self._said(index)
            if said is None or (said["run"], said["shard"]) != (self.run, index):
                return None
            for file in _files(said).values():
                content = (self.folder / file.name).read_bytes()
                if StoredFile.of(file.name, content) != file:
                    return None
            if digest_of(self.part(index, _FAILURES).read_bytes()) != said["failures"]:
                return None
            return Sums.from_state(said["sums"])
        except (OSError, ValueError, LookupError, TypeError, AttributeError):
            return None

    def _said(self, index: int) -> Any:
        """Return what the state of a shard says; None where it is not as it was written."""
        digest, _, text = self._state(index).read_bytes().partition(b"\n")
        return json.loads(text) if digest == digest_of(text).encode() else None

    def _state(self, index: int) -> Path:
        return self.part(index, "state.json")

    def part_of(self, index: int) -> Part:
        """Return the tables of a shard that is finished."""
        said = self._said(index)
        self._check_run(said and said.get("run"), self._state(index).name)
        return Part(said["documents"], _files(said))

    def failures(self, index: int) -> bytes:
        """Return the failures of a shard as lines; InputError where they are of another run."""
        first, _, lines = self.part(index, _FAILURES).read_bytes().partition(b"\n")
        self._check_run(json.loads(first).get("run"), _FAILURES)
        return lines

    def sweep(self, kept: Collection[str]) -> None:
        """Remove the tables that are not to be kept, as those of attempts that nobody finished."""
        for table in TABLES:
            folder = self.folder / table
            for name in _names(folder):
                if f"{table}/{name}" not in kept:
                    (folder / name).unlink(missing_ok=True)
            with suppress(OSError):  # there are others, or there is no such folder
                folder.rmdir()

    def _check_run(self, run: Any, name: str) -> None:
        if run != self.run:
            raise InputError(
                f"Expected {name} of the run {self.run} in {self.path}, got one of {run}",
                code="run.damaged",
                facts={"file": self.path, "expected": self.run, "got": run},
            )

    def remove(self) -> None:
        """Remove everything, the description first: without it nothing of what is still there is ever used."""
        if self.path.is_symlink() or (self.path.exists() and not self.path.is_dir()):
            self.path.unlink()
            return
        if not self.path.exists():
            return
        (self.path / _DESCRIPTION).unlink(missing_ok=True)
        sync_folder(self.path)
        shutil.rmtree(self.path, ignore_errors=True)
        if self.path.exists():  # a worker of a process that was killed wrote its last part
            shutil.rmtree(self.path)


def _described(path: Path) -> dict[str, Json] | None:
    """Return the description of the run that was stopped; None where there is none that can be read."""
    with suppress(OSError, ValueError):
        found = json.loads((path / _DESCRIPTION).read_bytes())
        if isinstance(found, dict):
            return found
    return None


def _check_same(before: Mapping[str, Json], now: Mapping[str, Json]) -> None:
    differing = [name for name in now if before.get(name) != now[name]]
    if differing or "run" not in before:
        raise SettingError(
            f"Cannot resume: {', '.join(differing) or 'run'} changed since the evaluation was stopped",
            code="run.cannot_resume",
            facts={"changed": differing or ["run"]},
            advice="start it anew with overwrite=True, without resume",
        )


def _files(said: Mapping[str, Any]) -> dict[str, StoredFile]:
    return {name: StoredFile(*file) for name, file in said["files"].items()}


def _names(folder: Path) -> list[str]:
    return os.listdir(folder) if folder.is_dir() else []


def published(folder: Path) -> frozenset[str]:
    """Return the names of the tables of the finished run in a folder."""
    try:
        return Manifest.read(folder / MANIFEST).names
    except InputError:
        return frozenset()
