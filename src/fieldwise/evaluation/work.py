"""What an executor carries: the work on one shard, the same in whatever process, and how it ends early."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pickle import dumps
from typing import Any, Protocol

from fieldwise.depth import allow_levels
from fieldwise.errors import CancelledError, FieldwiseError, InputError, JudgeError
from fieldwise.evaluation.judge_ledger import FolderLedgers, Ledgers, judges_of, use_ledgers
from fieldwise.evaluation.settings import Settings
from fieldwise.evaluation.shard import evaluate_shard
from fieldwise.evaluation.sinks import Sink
from fieldwise.evaluation.sums import Sums
from fieldwise.readers.pairs import Shard
from fieldwise.readers.temporary import Scratch, live_folders

_AGAIN = "what was finished is kept: evaluate again with resume=True and fewer workers"
_ADVICE = {
    "memory.exhausted": (_AGAIN, ""),
    "worker.died": (_AGAIN, "evaluate again with fewer workers"),
    "run.cancelled": ("the same evaluation with resume=True continues it", ""),
}
"""What to do where an evaluation ended early: where finished shards are kept, and where nothing is."""
_ANSWERS_KEPT = "what was answered is kept for resume=True"


def never() -> bool:
    """Never stop."""
    return False


@dataclass(frozen=True)
class Done:
    """A shard that is finished; ``fresh`` unless an earlier run had finished it."""

    index: int
    size: int
    sums: Sums
    fresh: bool


@dataclass(frozen=True)
class Work:
    """Evaluates one shard and commits it, wherever it was pickled to, as often as it is asked to."""

    settings: Settings
    sink: Sink
    ledgers: Ledgers | None = None
    should_stop: Callable[[], bool] = field(default=never, compare=False)

    def __getstate__(self) -> dict[str, Any]:
        return {"settings": self.settings, "sink": self.sink, "ledgers": self.ledgers}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state, should_stop=never)
        spec = self.settings.spec_of()
        allow_levels(spec.levels())
        use_ledgers(spec, self.ledgers)

    def __call__(self, shard: Shard) -> Done:
        """Evaluate a shard and give it to the sink, unless an earlier call did."""
        self.check_stop()
        sums = self.sink.finished(shard.index)
        if sums is not None:
            return Done(shard.index, shard.size, sums, fresh=False)
        each = None if self.sink.documents is None else self.sink.documents.write
        outcome = evaluate_shard(shard, self.settings, keep_rows=self.sink.is_durable, each=each)
        return Done(shard.index, shard.size, self.sink.commit(shard.index, outcome), fresh=True)

    def check_stop(self) -> None:
        """Raise where the evaluation is to stop; an executor asks between shards, where it was called."""
        if self.should_stop():
            raise CancelledError("The evaluation was cancelled")


def packed(work: Work, shard: Shard) -> bytes:
    """Return the work on a shard as bytes that any machine can unpickle and call which has the input and the sink.

    InputError where the shard is in a temporary file of this machine.
    """
    content = dumps((work, shard))
    if any(str(folder).encode() in content for folder in live_folders()):
        raise InputError(
            "Expected an input that other machines can read, got documents in a temporary file of this one",
            code="input.only_here",
            advice="give files or folders of JSON or JSON Lines in a place that all machines have; what is in memory, "
            "on standard input or in S3, and gzip, CSV and Parquet files, are for workers of this machine",
        )
    return content


class Executor(Protocol):
    """What evaluates shards, here or on other machines."""

    @property
    def is_here(self) -> bool:
        """Whether one process evaluates everything, that which calls ``run``."""

    def run(self, shards: Iterable[Shard], work: Work) -> Iterator[Done]:
        """Yield what ``work`` returns for each shard, in their order; it may be called more than once for one of them.

        `CancelledError`, which it raises here between shards, is passed on when the shards in hand are committed.
        """


@contextmanager
def shared_ledgers(settings: Settings, sink: Sink, *, is_here: bool) -> Iterator[Ledgers | None]:
    """Give the judges ledgers that the sink keeps, or temporary ones; None where there is nothing to share."""
    spec = settings.spec_of()
    if not judges_of(spec) or (sink.ledgers is None and is_here):
        yield None
        return
    scratch = Scratch()
    ledgers = sink.ledgers or FolderLedgers(scratch.path)
    use_ledgers(spec, ledgers)
    try:
        yield ledgers
    finally:
        use_ledgers(spec, None)
        scratch.remove()


@contextmanager
def saying_what_is_kept(sink: Sink) -> Iterator[None]:
    """Let every error that ends an evaluation early say whether what was finished is kept, and what to do."""
    try:
        yield
    except MemoryError as error:
        exhausted = FieldwiseError("The memory of this machine is not enough", code="memory.exhausted")
        raise _with_advice(exhausted, sink) from error
    except FieldwiseError as error:
        if isinstance(error, JudgeError) or error.code in _ADVICE:
            _with_advice(error, sink)
        raise


def _with_advice(error: FieldwiseError, sink: Sink) -> FieldwiseError:
    kept, otherwise = _ADVICE.get(error.code, (_ANSWERS_KEPT, ""))
    error.facts["kept"] = sink.is_durable
    error.advice = kept if sink.is_durable else otherwise
    error.restate(error.statement)
    return error
