"""Where the shards of an evaluation go: a sink takes each of them as a whole or not at all, and makes a run of them."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import ExitStack, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Generic, Protocol, TypeVar

import pyarrow as pa

from fieldwise.errors import InputError
from fieldwise.evaluation.checkpoint import Checkpoint, lock_folder
from fieldwise.evaluation.document import DocumentOutcome
from fieldwise.evaluation.folder import Tables, check_contents, publish, write_result
from fieldwise.evaluation.outcome import ShardOutcome
from fieldwise.evaluation.settings import Settings
from fieldwise.evaluation.sums import ShardState, Sums
from fieldwise.readers.inside import paths_of
from fieldwise.readers.pairs import PairSource
from fieldwise.results import Metrics
from fieldwise.values import Json
from fieldwise.version import __version__

Closed = TypeVar("Closed")
ClosedOf = TypeVar("ClosedOf", covariant=True)
FinishedShards = Callable[[int], ShardState | None]
"""Returns what an earlier call committed of a shard; None where that is nothing, or nothing that can be used."""


@dataclass(frozen=True)
class RunDescription:
    """What is evaluated, and how."""

    source: PairSource
    settings: Settings
    shard_documents: int

    def to_json(self) -> dict[str, Json]:
        """Return what a resumed evaluation must agree with."""
        return {
            **self.settings.to_json(),
            **paths_of(self.source),
            "input": self.source.fingerprint(),
            "shard_documents": self.shard_documents,
            "scorer_version": __version__,
        }


class DocumentFiles(Protocol):
    """What is written of every document by itself, where it is evaluated; an evaluation that is resumed goes on in the
    same folder.
    """

    @property
    def folder(self) -> Path:
        """Where the files are."""

    def write(self, document: DocumentOutcome) -> None:
        """Write the files of a document, or of a trial of it; the same ones where it is evaluated again."""


class Sink(Protocol[ClosedOf]):
    """What `run_evaluation` gives its shards to.

    A sink is pickled for worker processes after `begin`; they call `commit` only, everything else is called in the
    process that evaluates.
    """

    @property
    def is_durable(self) -> bool:
        """Whether rows, and shards that were committed, outlive the evaluation."""

    @property
    def ledgers(self) -> Path | None:
        """A folder in which judges keep what they were answered, for as long as an evaluation can be resumed."""

    @property
    def documents(self) -> DocumentFiles | None:
        """What is given every document; without it documents without anything special are evaluated many at once."""

    def begin(self, description: RunDescription, *, resume: bool) -> FinishedShards:
        """Begin a run, or continue the same one; the shards that it has already are not evaluated again."""

    def commit(self, index: int, outcome: ShardOutcome) -> ShardState:
        """Keep a shard, all of it or nothing; LostLeaseError where this evaluation may write no longer."""

    def join(self, index: int) -> None:
        """Take the rows of a shard that was committed to those of the run; called in the order of the shards."""

    def cancelled(self) -> bool:
        """Tell whether the evaluation is to stop; asked between shards."""

    def close(self, sums: Sums, metrics: Metrics) -> ClosedOf:
        """Make a finished run of the shards, which are all there."""

    def release(self, *, discard: bool) -> None:
        """Give back what is held, on every way out; with ``discard`` nothing is worth resuming."""


class MemorySink(Generic[Closed]):
    """Keeps the metrics and nothing else; `close` returns what ``complete`` makes of them."""

    is_durable = False
    ledgers = None

    def __init__(self, complete: Callable[[Metrics], Closed], documents: DocumentFiles | None = None) -> None:
        self._complete, self.documents = complete, documents

    def __getstate__(self) -> dict[str, Any]:
        return {"documents": self.documents}  # all that a worker needs

    def begin(self, description: RunDescription, *, resume: bool) -> FinishedShards:
        """Begin; there is never anything to continue."""
        return lambda _: None

    def commit(self, index: int, outcome: ShardOutcome) -> ShardState:
        """Return the sums of a shard, which the evaluation adds up."""
        return ShardState.of(outcome)

    def join(self, index: int) -> None:
        """Do nothing: no rows are kept."""

    def cancelled(self) -> bool:
        """Never stop."""
        return False

    def close(self, sums: Sums, metrics: Metrics) -> Closed:
        """Hand on the metrics."""
        return self._complete(metrics)

    def release(self, *, discard: bool) -> None:
        """Do nothing: nothing is held."""


class FolderSink(Generic[Closed]):
    """Writes a run into a folder; ``complete`` adds further files to it before anybody sees it, given the folder and
    the rows of the worst documents, and `close` returns what it returns.

    The lock is taken first. Shards are parts in the checkpoint, final only when they are whole. Results are written
    beside them and get their places when all are on the disk, metrics.json last: its presence is the finished run.
    """

    is_durable = True

    def __init__(
        self,
        folder: Path,
        complete: Callable[[Metrics, Path, pa.Table], Closed],
        *,
        overwrite: bool = False,
        should_stop: Callable[[], bool] = lambda: False,
        documents: DocumentFiles | None = None,
    ) -> None:
        self.documents = documents
        self._folder, self._complete = folder, complete
        self._overwrite, self._should_stop = overwrite, should_stop
        self._held, self._is_new = ExitStack(), not folder.exists()
        self._checkpoint: Checkpoint | None = None
        self._tables: Tables | None = None

    def __getstate__(self) -> dict[str, Any]:
        return {"_checkpoint": self._checkpoint, "documents": self.documents}  # all that a worker needs

    @property
    def ledgers(self) -> Path | None:
        """The checkpoint, so that a stopped evaluation asks nothing again when it is resumed."""
        return self._begun.path

    @property
    def _begun(self) -> Checkpoint:
        if self._checkpoint is None:
            raise RuntimeError("a sink is used after `begin`")
        return self._checkpoint

    @property
    def _joined(self) -> Tables:
        if self._tables is None:
            raise RuntimeError("a sink is used after `begin`")
        return self._tables

    def begin(self, description: RunDescription, *, resume: bool) -> FinishedShards:
        """Lock the folder, refuse one that holds anything else, and begin or continue a run in it."""
        _make(self._folder)
        self._held.callback(lock_folder(self._folder).drop)
        check_contents(self._folder, overwrite=self._overwrite, resume=resume)
        beside = None if self.documents is None else str(self.documents.folder.absolute())
        described = {**description.to_json(), "results_json": beside}
        self._checkpoint = Checkpoint.begin(self._folder, described, resume=resume)
        self._tables = Tables(self._checkpoint, description.settings)
        return self._checkpoint.finished

    def commit(self, index: int, outcome: ShardOutcome) -> ShardState:
        """Write the parts of a shard, its state last."""
        return self._begun.commit(index, outcome)

    def join(self, index: int) -> None:
        """Append the rows of a shard to the tables."""
        self._joined.append(index)

    def cancelled(self) -> bool:
        """Ask whoever made the sink."""
        return self._should_stop()

    def close(self, sums: Sums, metrics: Metrics) -> Closed:
        """Write what is left to write, bring everything to its place and remove the checkpoint."""
        checkpoint, tables = self._begun, self._joined
        tables.finish()
        write_result(checkpoint.results / "metrics.json", metrics)
        closed = self._complete(metrics, checkpoint.results, tables.worst)
        publish(checkpoint, self._folder)
        checkpoint.remove()
        return closed

    def release(self, *, discard: bool) -> None:
        """Close the files and give back the lock; a folder that was made for nothing goes."""
        with self._held:
            if self._tables is not None:
                self._tables.close()
            if discard and self._checkpoint is not None:
                self._checkpoint.remove()
        if discard and self._is_new:
            with suppress(OSError):
                self._folder.rmdir()


def _make(folder: Path) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(
            f"Cannot write to {folder}: {error.strerror or error}", code="output.not_writable", facts={"file": folder}
        ) from error
