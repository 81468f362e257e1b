"""The checkpoint of an evaluation: what each finished shard left, so that a stopped evaluation can go on.

A shard is finished when its state is there, which is written last and names the other parts with their checksums.
Every part has the id of its run in its name. One that is missing, cut off, damaged or of another run makes its shard be
evaluated again, so nothing that a kill or a power cut leaves can end up in the results.
"""

from __future__ import annotations

import json
import mmap
import os
import secrets
import shutil
import zlib
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np
import pyarrow as pa

from fieldwise.errors import InputError, LostLeaseError, SettingError
from fieldwise.evaluation.outcome import Failure, ShardOutcome
from fieldwise.evaluation.sums import Sums
from fieldwise.files import HeldLock, draft_of, is_draft, sync_file, sync_folder, take_lock, write_whole
from fieldwise.tables.verdict_columns import write_verdicts
from fieldwise.values import Json
from fieldwise.writing import dump_json

FOLDER: Final = ".fieldwise-work"
LOCK: Final = ".fieldwise-lock"
_DESCRIPTION: Final = "run.json"
_FAILURES: Final = "failures.jsonl"
VERDICTS: Final = "verdicts.parquet"
"""The part of a shard that is in its final form."""
_RUN: Final = b"fieldwise.run"
_Checksum = tuple[int, int]
"""The size of a part, and the sum of its words."""


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
    """The folder in which the shards of a run leave their parts, and where its results are written."""

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
    def results(self) -> Path:
        """The folder in which results are written before they get their place."""
        return self.path / "results"

    def part(self, index: int, name: str) -> Path:
        """Return where a part of a shard is."""
        return self.path / f"{index:06d}.{self.run}.{name}"

    def commit(self, index: int, outcome: ShardOutcome) -> Sums:
        """Write what a shard left; its state last, which is returned.

        LostLeaseError where the folder is of another run by now: then nothing names the parts.
        """
        parts: dict[str, _Checksum] = {}
        if outcome.verdict_table is not None:
            parts[VERDICTS] = self._write(self.part(index, VERDICTS), outcome.verdict_table, write_verdicts)
        for name, table in outcome.tables():
            marked = table.replace_schema_metadata({_RUN: self.run})
            parts[f"{name}.arrow"] = self._write(self.part(index, f"{name}.arrow"), marked, _write_arrow)
        failures = self.part(index, _FAILURES)
        write_whole(failures, self._failures(outcome.failures))
        parts[_FAILURES] = _checksum(failures)
        sums = Sums.of(outcome)
        held = {"run": self.run, "shard": index, "parts": parts}
        text = json.dumps({**held, "sums": sums.to_state()}).encode()
        self._check_lease()
        write_whole(self.part(index, "state.json"), b"%08x\n" % zlib.crc32(text) + text)
        return sums

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

    def _write(self, path: Path, table: pa.Table, write: Callable[[Path, pa.Table], None]) -> _Checksum:
        draft = draft_of(path)
        try:
            write(draft, table)
            sync_file(draft)
            checksum = _checksum(draft)
            draft.replace(path)
        except BaseException:
            draft.unlink(missing_ok=True)
            raise
        return checksum

    def finished(self, index: int) -> Sums | None:
        """Return what a shard left; None where it is not finished, or anything of it is damaged or of another run."""
        try:
            checksum, _, text = self.part(index, "state.json").read_bytes().partition(b"\n")
            if checksum != b"%08x" % zlib.crc32(text):
                return None
            held = json.loads(text)
            if (held["run"], held["shard"]) != (self.run, index):
                return None
            for name, (size, words) in held["parts"].items():
                if _checksum(self.part(index, name)) != (size, words) or not self._is_own(index, name):
                    return None
            return Sums.from_state(held["sums"])
        except (OSError, ValueError, LookupError, TypeError, AttributeError):
            return None

    def _is_own(self, index: int, name: str) -> bool:
        if name.endswith(".arrow"):
            self.table(index, name)
        elif name == _FAILURES:
            self.failures(index)
        return True

    def table(self, index: int, name: str) -> pa.Table:
        """Return the rows that a shard left; ValueError where they are of another run."""
        return self.mapped_table(index, name)[0]

    def mapped_table(self, index: int, name: str) -> tuple[pa.Table, mmap.mmap]:
        """Return the same with the mapped file that holds its rows."""
        with self.part(index, name).open("rb") as file:
            mapped = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
        table = pa.ipc.open_file(pa.py_buffer(mapped)).read_all()
        self._check_run((table.schema.metadata or {}).get(_RUN, b"").decode("utf-8", "replace"), name)
        return table.replace_schema_metadata(None), mapped

    def failures(self, index: int) -> bytes:
        """Return the failures of a shard as lines; ValueError where they are of another run."""
        first, _, lines = self.part(index, _FAILURES).read_bytes().partition(b"\n")
        self._check_run(json.loads(first).get("run"), _FAILURES)
        return lines

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


def _write_arrow(path: Path, table: pa.Table) -> None:
    with pa.OSFile(str(path), "wb") as file, pa.ipc.new_file(file, table.schema) as writer:
        writer.write_table(table)


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


def _checksum(path: Path) -> _Checksum:
    """Return the size of a file, and the sum of its words of eight bytes: what a cut or a block of zeros changes."""
    size = path.stat().st_size
    whole = size // 8
    words = int(np.fromfile(path, np.uint64, whole).sum()) if whole else 0
    with path.open("rb") as file:
        file.seek(whole * 8)
        rest = file.read()
    return size, (words + int.from_bytes(rest, "little")) % (1 << 64)
