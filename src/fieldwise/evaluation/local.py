"""Running shards on this machine: in this process, or in several of them, results in the order of the shards."""

from __future__ import annotations

import gc
import multiprocessing
import os
import signal
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

from fieldwise.depth import allow_levels
from fieldwise.errors import BudgetError, FieldwiseError
from fieldwise.evaluation.checkpoint import WorkFolder
from fieldwise.evaluation.judge_ledger import judges_of, use_ledgers
from fieldwise.evaluation.settings import Settings
from fieldwise.evaluation.shard import content_of, evaluate_shard
from fieldwise.evaluation.summary import Summary
from fieldwise.readers.pairs import Shard
from fieldwise.readers.temporary import Scratch
from fieldwise.signals import known_signals, restored_handlers

AHEAD = 3
"""So many shards are handed out ahead for each worker; more would only fill memory."""
_AGAIN = "what was finished is kept: evaluate again with resume=True and fewer workers"
_STOPPING = known_signals("SIGINT", "SIGTERM", "SIGHUP")


@dataclass(frozen=True)
class Done:
    """A shard that is finished; ``fresh`` unless an earlier run had finished it."""

    index: int
    size: int
    summary: Summary
    fresh: bool


def run_shards(
    shards: Iterable[Shard], settings: Settings, work: WorkFolder | None, *, workers: int = 1
) -> Iterator[Done]:
    """Evaluate shards and yield them in order; those that the work folder holds already are not evaluated again."""
    try:
        with _ledgers(settings, work, workers) as ledgers:
            if workers <= 1:
                for shard in shards:
                    yield _finished(shard, work) or _evaluated(shard, settings, work)
            else:
                yield from _in_processes(shards, settings, work, workers, ledgers)
    except BudgetError as error:
        advice = "what was answered is kept for resume=True" if work else ""
        raise BudgetError(str(error), facts={**error.facts, "kept": work is not None}, advice=advice) from error
    except MemoryError as error:
        raise FieldwiseError(
            "The memory of this machine is not enough",
            code="memory.exhausted",
            facts={"kept": work is not None},
            advice=_AGAIN if work else "",
        ) from error


@contextmanager
def _ledgers(settings: Settings, work: WorkFolder | None, workers: int) -> Iterator[Path | None]:
    """Give the judges ledgers in the work folder, or in one for the while; None where there is nothing to share."""
    if not judges_of(settings.spec) or (work is None and workers <= 1):
        yield None
        return
    scratch = Scratch()
    ledgers = work.path if work else scratch.path
    use_ledgers(settings.spec, ledgers)
    try:
        yield ledgers
    finally:
        use_ledgers(settings.spec, None)
        scratch.remove()


def _finished(shard: Shard, work: WorkFolder | None) -> Done | None:
    """Return a shard that an earlier run had finished, where its input is still the same."""
    found = work.finished(shard.index) if work else None
    if found is None or content_of(shard) != found.content:
        return None
    return Done(shard.index, shard.size, found.summary, False)


def _evaluated(shard: Shard, settings: Settings, work: WorkFolder | None) -> Done:
    outcome = evaluate_shard(shard, settings, keep_rows=work is not None)
    summary = work.commit(shard.index, outcome) if work else Summary.of(outcome)
    return Done(shard.index, shard.size, summary, True)


_settings: list[Settings] = []
"""Those of a worker process, sent once."""


def _remote(shard: Shard, work: WorkFolder | None) -> tuple[int, int, object]:
    gc.disable()  # documents hold no cycles, and the collector would look at them again and again
    try:
        done = _evaluated(shard, _settings[0], work)
    finally:
        gc.enable()
    return done.index, done.size, done.summary.to_state()


def _in_processes(
    shards: Iterable[Shard], settings: Settings, work: WorkFolder | None, workers: int, ledgers: Path | None
) -> Iterator[Done]:
    context = _context()
    pool = ProcessPoolExecutor(workers, mp_context=context, initializer=_begin_worker, initargs=(settings, ledgers))
    waiting: deque[Callable[[], Done]] = deque()
    try:
        for shard in shards:
            finished = _finished(shard, work)
            if finished:
                waiting.append(lambda done=finished: done)  # type: ignore[misc]  # bound now
            else:
                waiting.append(_answer(pool.submit(_remote, shard, work)))
            while len(waiting) > AHEAD * workers:
                yield waiting.popleft()()
        while waiting:
            yield waiting.popleft()()
        pool.shutdown()
    except BrokenProcessPool as error:
        raise FieldwiseError(
            "A worker process died, perhaps for lack of memory",
            code="worker.died",
            facts={"workers": workers, "kept": work is not None},
            advice=_AGAIN if work else "evaluate again with fewer workers",
        ) from error
    finally:
        _stop(pool)


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
        return Done(index, size, Summary.from_state(state), True)  # type: ignore[arg-type]  # as `_remote` made it

    return wait


def _stop(pool: ProcessPoolExecutor) -> None:
    """End workers that still compute; what they would have written is written whole or not at all."""
    processes = list((getattr(pool, "_processes", None) or {}).values())
    pool.shutdown(wait=False, cancel_futures=True)
    for process in processes:
        process.kill()
    for process in processes:
        process.join()


def _begin_worker(settings: Settings, ledgers: Path | None) -> None:
    allow_levels(settings.spec.levels())
    use_ledgers(settings.spec, ledgers)
    _settings[:] = [settings]
    for number in _STOPPING:
        signal.signal(number, signal.SIG_IGN)  # the parent decides
    threading.Thread(target=_end_with_parent, daemon=True).start()


def _end_with_parent() -> None:
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)
