"""Where the shards of an evaluation go: a sink takes each of them as a whole or not at all, and makes a run of them."""

from __future__ import annotations

from contextlib import ExitStack, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from fieldwise.errors import InputError
from fieldwise.evaluation.checkpoint import Checkpoint, lock_folder, published
from fieldwise.evaluation.document import DocumentOutcome
from fieldwise.evaluation.folder import Tables, check_contents, publish
from fieldwise.evaluation.judge_ledger import FolderLedgers, Ledgers
from fieldwise.evaluation.outcome import ShardOutcome
from fieldwise.evaluation.settings import Settings
from fieldwise.evaluation.sums import Sums
from fieldwise.readers.inside import paths_of
from fieldwise.readers.pairs import PairSource
from fieldwise.results import Metrics
from fieldwise.tables.manifest import Manifest
from fieldwise.values import Json
from fieldwise.version import __version__


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


class Sink(Protocol):
    """What `run_evaluation` gives its shards to.

    A sink is pickled for whoever evaluates shards after `begin`; there only `finished`, `commit` and the files of
    ``documents`` are asked for, everything else in the process that began.
    """

    @property
    def is_durable(self) -> bool:
        """Whether rows, and shards that were committed, outlive the evaluation."""

    @property
    def ledgers(self) -> Ledgers | None:
        """Where judges keep what they were answered, for as long as an evaluation can be resumed."""

    @property
    def documents(self) -> DocumentFiles | None:
        """What is given every document; without it documents without anything special are evaluated many at once."""

    def begin(self, description: RunDescription, *, resume: bool) -> None:
        """Begin a run, or continue the same one; the shards that it has already are not evaluated again."""

    def finished(self, index: int) -> Sums | None:
        """Return what an earlier call committed of a shard; None where that is nothing, or nothing that can be used."""

    def commit(self, index: int, outcome: ShardOutcome) -> Sums:
        """Keep a shard, all of it or nothing; LostLeaseError where this evaluation may write no longer."""

    def join(self, index: int) -> None:
        """Take the rows of a shard that was committed to those of the run; called in the order of the shards."""

    def close(self, metrics: Metrics) -> None:
        """Make a whole run of the shards, which are all there; nobody sees it yet."""

    def publish(self) -> None:
        """Let the run be seen, with what others added to it since it was closed."""

    def release(self, *, discard: bool) -> None:
        """Give back what is held, on every way out; with ``discard`` nothing is worth resuming."""


class MemorySink:
    """Keeps nothing."""

    is_durable = False
    ledgers = None

    def __init__(self, documents: DocumentFiles | None = None) -> None:
        self.documents = documents

    def __getstate__(self) -> dict[str, Any]:
        return {"documents": self.documents}  # all that a worker needs

    def begin(self, description: RunDescription, *, resume: bool) -> None:
        """Do nothing: there is never anything to continue."""

    def finished(self, index: int) -> Sums | None:
        """Return None: no shard is kept."""
        return None

    def commit(self, index: int, outcome: ShardOutcome) -> Sums:
        """Return the sums of a shard, which the evaluation adds up."""
        return Sums.of(outcome)

    def join(self, index: int) -> None:
        """Do nothing: no rows are kept."""

    def close(self, metrics: Metrics) -> None:
        """Do nothing: whoever evaluates has the metrics."""

    def publish(self) -> None:
        """Do nothing."""

    def release(self, *, discard: bool) -> None:
        """Do nothing: nothing is held."""


class FolderSink:
    """Writes a run into a folder. Between `close` and `publish` it is in ``results``, where further files may be added.

    The lock is taken first. Tables are written where they stay, and count where the manifest names them. All else is
    written beside them and gets its place when everything is on the disk, metrics.json last: its presence is the
    finished run.
    """

    is_durable = True

    def __init__(
        self,
        folder: Path,
        *,
        overwrite: bool = False,
        documents: DocumentFiles | None = None,
    ) -> None:
        self.documents = documents
        self._folder = folder
        self._overwrite = overwrite
        self._held, self._is_new = ExitStack(), not folder.exists()
        self._checkpoint: Checkpoint | None = None
        self._tables: Tables | None = None
        self._manifest: Manifest | None = None

    def __getstate__(self) -> dict[str, Any]:
        return {"_checkpoint": self._checkpoint, "documents": self.documents}  # all that a worker needs

    @property
    def ledgers(self) -> Ledgers | None:
        """In the checkpoint, so that a stopped evaluation asks nothing again when it is resumed."""
        return FolderLedgers(self._begun.path)

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

    def begin(self, description: RunDescription, *, resume: bool) -> None:
        """Lock the folder, refuse one that holds anything else, and begin or continue a run in it."""
        _make(self._folder)
        self._held.callback(lock_folder(self._folder).drop)
        check_contents(self._folder, overwrite=self._overwrite, resume=resume)
        beside = None if self.documents is None else str(self.documents.folder.absolute())
        described = {**description.to_json(), "results_json": beside}
        self._checkpoint = Checkpoint.begin(self._folder.absolute(), described, resume=resume)
        self._tables = Tables(self._checkpoint, description.settings)

    def finished(self, index: int) -> Sums | None:
        """Read the state of a shard and check its parts."""
        return self._begun.finished(index)

    def commit(self, index: int, outcome: ShardOutcome) -> Sums:
        """Write the parts of a shard, its state last."""
        return self._begun.commit(index, outcome)

    def join(self, index: int) -> None:
        """Append the rows of a shard to the tables."""
        self._joined.append(index)

    @property
    def results(self) -> Path:
        """Where the files of a run are that was closed and not published."""
        return self._begun.results

    @property
    def new_run(self) -> tuple[Path, Path, Manifest]:
        """Where the files are of a run that was closed and not published, where its tables are, and its manifest."""
        if self._manifest is None:
            raise RuntimeError("a run is there after `close`")
        return self.results, self._folder, self._manifest

    def close(self, metrics: Metrics) -> None:
        """Write what is left to write."""
        self._manifest = self._joined.finish(metrics)

    def publish(self) -> None:
        """Bring everything to its place and remove the checkpoint."""
        publish(self._begun, self._folder)
        self._begun.remove()

    def release(self, *, discard: bool) -> None:
        """Give back the lock; a folder that was made for nothing goes."""
        with self._held:
            if discard and self._checkpoint is not None:
                self._checkpoint.sweep(published(self._folder))
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
