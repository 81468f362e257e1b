"""The work folder of an evaluation: what each finished shard left, so that a stopped evaluation can go on.

A shard is finished when its summary stands under its final name, which happens last; nothing half-written ever does.
"""

from __future__ import annotations

import fcntl
import json
import os
import shutil
from collections.abc import Mapping
from dataclasses import dataclass, field
from operator import attrgetter
from pathlib import Path
from typing import IO, Any

import pyarrow as pa

from fieldwise.bulk.interval_aggregator import IntervalAggregator
from fieldwise.bulk.tally import Tally
from fieldwise.compare.own_comparators import Start
from fieldwise.errors import InputError, SettingError
from fieldwise.runner.shard import MOST_ERRORS, Failure, ShardOutcome
from fieldwise.tables.mistakes import KindCounts, add_kinds, count_kinds
from fieldwise.values import Json

FOLDER = ".fieldwise-work"
_LOCK = "lock"
_BY_TRIAL = attrgetter("document", "trial", "kind", "reason")


@dataclass
class Summary:
    """What is left of shards once their rows are written: sums, and the failures with the first ids."""

    tally: Tally
    aggregator: IntervalAggregator | None
    kinds: dict[str, int]
    errors: list[Failure]
    error_kinds: KindCounts = field(default_factory=dict)
    """Of the verdict rows that were written."""
    texts: dict[str, int] = field(default_factory=dict)
    """How many predictions were read from text, by its form."""
    starts: dict[str, Start] = field(default_factory=dict)
    """How the first values went of fields with comparators that are not built in."""
    limits_met: dict[str, int] = field(default_factory=dict)
    """How many documents met each limit."""

    @classmethod
    def empty(cls, *, objects: bool) -> Summary:
        """Return the summary of no documents."""
        return cls(Tally(), IntervalAggregator() if objects else None, {}, [])

    @classmethod
    def of(cls, outcome: ShardOutcome, error_kinds: KindCounts | None = None) -> Summary:
        """Return the summary of a shard."""
        errors = sorted(outcome.failures, key=_BY_TRIAL)[:MOST_ERRORS]
        kinds = error_kinds or {}
        return cls(
            outcome.tally,
            outcome.aggregator,
            outcome.kinds,
            errors,
            kinds,
            outcome.texts,
            outcome.starts,
            outcome.limits_met,
        )

    def merge(self, other: Summary) -> None:
        """Add another summary, of documents that come after these."""
        self.tally.merge(other.tally)
        if self.aggregator is not None and other.aggregator is not None:
            self.aggregator.merge(other.aggregator)
        for mine, theirs in (
            (self.kinds, other.kinds),
            (self.texts, other.texts),
            (self.limits_met, other.limits_met),
        ):
            for name, count in theirs.items():
                mine[name] = mine.get(name, 0) + count
        self.errors = sorted([*self.errors, *other.errors], key=_BY_TRIAL)[:MOST_ERRORS]
        add_kinds(self.error_kinds, other.error_kinds)
        for path, start in other.starts.items():
            self.starts[path] = self.starts[path].then(start) if path in self.starts else start
            self.starts[path].refuse()

    def to_state(self) -> dict[str, Any]:
        """Return the summary as JSON."""
        return {
            "tally": self.tally.to_state(),
            "aggregator": None if self.aggregator is None else self.aggregator.to_state(),
            "kinds": dict(sorted(self.kinds.items())),
            "errors": [list(failure) for failure in self.errors],
            "error_kinds": self.error_kinds,
            "texts": dict(sorted(self.texts.items())),
            "starts": self.starts,
            "limits_met": dict(sorted(self.limits_met.items())),
        }

    @classmethod
    def from_state(cls, state: Mapping[str, Any]) -> Summary:
        """Return the summary that a state was made of."""
        aggregator = state["aggregator"]
        return cls(
            Tally.from_state(state["tally"]),
            None if aggregator is None else IntervalAggregator.from_state(aggregator),
            dict(state["kinds"]),
            [Failure(*failure) for failure in state["errors"]],
            state["error_kinds"],
            dict(state.get("texts", {})),
            {path: Start(*start) for path, start in state["starts"].items()},
            dict(state["limits_met"]),
        )


@dataclass(frozen=True)
class WorkFolder:
    """The folder in which shards leave their parts."""

    path: Path

    def part(self, index: int, name: str) -> Path:
        """Return where a part of a shard stands."""
        return self.path / f"{index:06d}.{name}"

    def commit(self, index: int, outcome: ShardOutcome, *, verdicts: bool) -> Summary:
        """Write what a shard left; its summary last, which is returned."""
        error_kinds: KindCounts = {}
        if verdicts:
            table = outcome.rows.to_table()
            error_kinds = count_kinds(table)
            _write_table(self.part(index, "verdicts.arrow"), table)
        _write_table(self.part(index, "documents.arrow"), outcome.documents.to_table())
        lines = [json.dumps(failure._asdict(), ensure_ascii=False) + "\n" for failure in outcome.failures]
        write_whole(self.part(index, "failures.jsonl"), "".join(lines).encode("utf-8", "replace"))
        summary = Summary.of(outcome, error_kinds)
        state = json.dumps(summary.to_state())
        write_whole(self.part(index, "summary.json"), state.encode("utf-8", "surrogatepass"))
        return summary

    def summary(self, index: int) -> Summary | None:
        """Return the summary of a finished shard; None where it is not finished."""
        try:
            text = self.part(index, "summary.json").read_bytes()
        except FileNotFoundError:
            return None
        return Summary.from_state(json.loads(text.decode("utf-8", "surrogatepass")))

    def open(self, run: Mapping[str, Json], *, resume: bool) -> IO[bytes]:
        """Begin, or go on where the same evaluation stopped; returns the lock, to be closed at the end."""
        self.path.mkdir(parents=True, exist_ok=True)
        lock = self._lock()
        described = self.path / "run.json"
        try:
            if not resume:
                self._clear()
            if described.exists():
                _check_same(json.loads(described.read_bytes()), run)
            write_whole(described, json.dumps(run, indent=1).encode())
        except BaseException:
            lock.close()
            raise
        return lock

    def _clear(self) -> None:
        """Remove what an earlier evaluation left, but not the lock, which another one could be waiting for."""
        for path in self.path.iterdir():
            if path.name != _LOCK:
                path.unlink()

    def _lock(self) -> IO[bytes]:
        lock = (self.path / _LOCK).open("ab")
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            lock.close()
            raise InputError(
                f"Another evaluation is writing to {self.path.parent}; wait for it or choose another --out"
            ) from error
        return lock

    def remove(self) -> None:
        """Remove everything; the evaluation is complete."""
        shutil.rmtree(self.path, ignore_errors=True)


def _check_same(before: Mapping[str, Json], now: Mapping[str, Json]) -> None:
    differing = [name for name in now if before.get(name) != now[name]]
    if differing:
        raise SettingError(
            f"Cannot resume: {', '.join(differing)} changed since the evaluation was stopped; "
            "start it anew with --overwrite, without --resume"
        )


def write_whole(path: Path, content: bytes) -> None:
    """Write a file so that it is there as a whole or not at all."""
    part = path.with_name(f".{path.name}.{os.getpid()}.part")
    try:
        with part.open("wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        part.replace(path)
    except BaseException:
        part.unlink(missing_ok=True)
        raise


def _write_table(path: Path, table: pa.Table) -> None:
    part = path.with_name(f".{path.name}.{os.getpid()}.part")
    try:
        with pa.OSFile(str(part), "wb") as file, pa.ipc.new_file(file, table.schema) as writer:
            writer.write_table(table)
        part.replace(path)
    except BaseException:
        part.unlink(missing_ok=True)
        raise
