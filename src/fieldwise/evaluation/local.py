"""Running shards on this machine: in this process, or in several of them, results in the order of the shards."""

from __future__ import annotations

import gc
import multiprocessing
import os
import signal
import sys
import threading
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from dataclasses import dataclass
from multiprocessing import forkserver, resource_tracker
from multiprocessing.context import BaseContext
from pathlib import Path
from typing import NamedTuple, Protocol

from fieldwise.depth import allow_levels
from fieldwise.errors import CancelledError, FieldwiseError, JudgeError
from fieldwise.evaluation.judge_ledger import judges_of, use_ledgers
from fieldwise.evaluation.settings import Settings
from fieldwise.evaluation.shard import content_of, evaluate_shard
from fieldwise.evaluation.sinks import FinishedShards, Sink
from fieldwise.evaluation.sums import Sums
from fieldwise.readers.pairs import Shard
from fieldwise.readers.temporary import Scratch
from fieldwise.signals import known_signals, restored_handlers

AHEAD = 3
"""How many shards are handed out ahead for each worker; more would only fill memory."""
_AGAIN = "what was finished is kept: evaluate again with resume=True and fewer workers"
_STOPPING = known_signals("SIGINT", "SIGTERM", "SIGHUP")


@dataclass(frozen=True)
class Done:
    """A shard that is finished; ``fresh`` unless an earlier run had finished it."""

    index: int
    size: int
    sums: Sums
    fresh: bool


class Executor(Protocol):
    """What evaluates shards, here or on other machines."""

    def run(
        self, shards: Iterable[Shard], settings: Settings, sink: Sink[object], finished: FinishedShards
    ) -> Iterator[Done]:
        """Evaluate and commit shards and yield them in order; those that are finished already are not evaluated again.

        `evaluate_and_commit` does that with one shard, wherever the settings and the sink were sent to.
        """


@dataclass(frozen=True)
class LocalExecutor:
    """Evaluates shards on this machine: in this process, or in as many as there are ``workers``."""

    workers: int = 1

    def run(
        self, shards: Iterable[Shard], settings: Settings, sink: Sink[object], finished: FinishedShards
    ) -> Iterator[Done]:
        """Evaluate and commit shards and yield them in order."""
        return _run_shards(shards, settings, sink, finished, workers=self.workers)


def _run_shards(
    shards: Iterable[Shard], settings: Settings, sink: Sink[object], finished: FinishedShards, *, workers: int
) -> Iterator[Done]:
    try:
        with _ledgers(settings, sink, workers) as ledgers:
            if workers <= 1:
                for shard in shards:
                    _ask(sink)
                    yield earlier(shard, finished) or evaluate_and_commit(shard, settings, sink)
            else:
                yield from _in_processes(shards, _Work(settings, sink, ledgers), finished, workers)
    except JudgeError as error:
        error.facts["kept"] = sink.is_durable
        error.advice = "what was answered is kept for resume=True" if sink.is_durable else ""
        error.restate(error.statement)
        raise
    except MemoryError as error:
        raise FieldwiseError(
            "The memory of this machine is not enough",
            code="memory.exhausted",
            facts={"kept": sink.is_durable},
            advice=_AGAIN if sink.is_durable else "",
        ) from error


def _ask(sink: Sink[object]) -> None:
    if sink.cancelled():
        raise CancelledError(
            "The evaluation was cancelled",
            facts={"kept": sink.is_durable},
            advice="the same evaluation with resume=True continues it" if sink.is_durable else "",
        )


@contextmanager
def _ledgers(settings: Settings, sink: Sink[object], workers: int) -> Iterator[Path | None]:
    """Give the judges ledgers that the sink keeps, or temporary ones; None where there is nothing to share."""
    spec = settings.spec_of()
    if not judges_of(spec) or (sink.ledgers is None and workers <= 1):
        yield None
        return
    scratch = Scratch()
    ledgers = sink.ledgers or scratch.path
    use_ledgers(spec, ledgers)
    try:
        yield ledgers
    finally:
        use_ledgers(spec, None)
        scratch.remove()


def earlier(shard: Shard, finished: FinishedShards) -> Done | None:
    """Return a shard that an earlier run had finished, where its input is still the same."""
    state = finished(shard.index)
    if state is None or content_of(shard) != state.content:
        return None
    return Done(shard.index, shard.size, state.sums, False)


def evaluate_and_commit(shard: Shard, settings: Settings, sink: Sink[object]) -> Done:
    """Evaluate one shard and give it to the sink."""
    each = None if sink.documents is None else sink.documents.write
    outcome = evaluate_shard(shard, settings, keep_rows=sink.is_durable, each=each)
    return Done(shard.index, shard.size, sink.commit(shard.index, outcome).sums, True)


class _Work(NamedTuple):
    """What a worker process is sent, once."""

    settings: Settings
    sink: Sink[object]
    ledgers: Path | None


_work: list[_Work] = []
"""That of a worker process."""


def _remote(shard: Shard) -> tuple[int, int, object]:
    gc.disable()  # documents hold no cycles, and the collector would look at them again and again
    try:
        done = evaluate_and_commit(shard, _work[0].settings, _work[0].sink)
    finally:
        gc.enable()
    return done.index, done.size, done.sums.to_state()


def _in_processes(shards: Iterable[Shard], work: _Work, finished: FinishedShards, workers: int) -> Iterator[Done]:
    sink = work.sink
    pool = ProcessPoolExecutor(workers, mp_context=_context(), initializer=_begin_worker, initargs=(work,))
    waiting: deque[Callable[[], Done]] = deque()
    began = pool.submit(os.getpid)
    try:
        for shard in shards:
            _ask(sink)
            known = earlier(shard, finished)
            if known:
                waiting.append(lambda done=known: done)  # type: ignore[misc]  # bound now
            else:
                waiting.append(_answer(pool.submit(_remote, shard)))
            while len(waiting) > AHEAD * workers:
                yield waiting.popleft()()
        while waiting:
            _ask(sink)
            yield waiting.popleft()()
        pool.shutdown()
    except CancelledError:
        pool.shutdown(cancel_futures=True)  # what has begun is committed
        raise
    except BrokenProcessPool as error:
        if began.exception() is not None:
            raise FieldwiseError(
                "No worker process could begin; each of them first imports the script that was started",
                code="worker.not_begun",
                facts={"workers": workers},
                advice=f"{_begin_better()}, or leave workers out",
            ) from error
        raise FieldwiseError(
            "A worker process died, perhaps for lack of memory",
            code="worker.died",
            facts={"workers": workers, "kept": sink.is_durable},
            advice=_AGAIN if sink.is_durable else "evaluate again with fewer workers",
        ) from error
    finally:
        _stop(pool)


def _begin_better() -> str:
    script = getattr(sys.modules["__main__"], "__file__", None)
    if script is not None and not Path(script).exists():  # it came by standard input
        return "put the script into a file"
    return 'put the call below `if __name__ == "__main__":`'


def load_ahead(workers: int) -> None:
    """Begin to load what several workers need, beside whatever this process does until it has shards for them."""
    if workers > 1:
        _context()


def _context() -> BaseContext:
    """Return how workers are started: from a server that has loaded everything, where the system has that."""
    if "forkserver" not in multiprocessing.get_all_start_methods():
        return multiprocessing.get_context("spawn")
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(["fieldwise.evaluation.local"])
    with restored_handlers(_STOPPING) as numbers:
        for number in numbers:  # the processes leave these signals to this one, which ends its workers itself
            signal.signal(number, signal.SIG_IGN)
        resource_tracker.ensure_running()
        forkserver.ensure_running()
    return context


def _answer(future: Future[tuple[int, int, object]]) -> Callable[[], Done]:
    def wait() -> Done:
        index, size, state = future.result()
        return Done(index, size, Sums.from_state(state), True)  # type: ignore[arg-type]  # as `_remote` made it

    return wait


def _stop(pool: ProcessPoolExecutor) -> None:
    """End workers that still compute; what they would have written is written whole or not at all."""
    processes = list((getattr(pool, "_processes", None) or {}).values())
    pool.shutdown(wait=False, cancel_futures=True)
    for process in processes:
        process.kill()
    for process in processes:
        process.join()


def _begin_worker(work: _Work) -> None:
    spec = work.settings.spec_of()
    allow_levels(spec.levels())
    use_ledgers(spec, work.ledgers)
    _work[:] = [work]
    for number in _STOPPING:
        signal.signal(number, signal.SIG_IGN)  # the parent decides
    threading.Thread(target=_end_with_parent, daemon=True).start()


def _end_with_parent() -> None:
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)
