"""Running shards on this machine: in this process, or in several of them, results in the order of the shards."""

from __future__ import annotations

import gc
import multiprocessing
import os
import signal
import tempfile
import threading
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from fieldwise.depth import allow_levels
from fieldwise.errors import BudgetError, FieldwiseError
from fieldwise.readers.pairs import Shard
from fieldwise.runner.judge_ledger import judges_of, use_ledgers
from fieldwise.runner.settings import Settings
from fieldwise.runner.shard import evaluate_shard
from fieldwise.runner.work import Summary, WorkFolder

AHEAD = 3
"""So many shards are handed out ahead for each worker; more would only fill memory."""


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
        again = "; what was answered is kept for --resume" if work else ""
        raise BudgetError(f"{error}{again}") from error


@contextmanager
def _ledgers(settings: Settings, work: WorkFolder | None, workers: int) -> Iterator[Path | None]:
    """Give the judges ledgers in the work folder, or in one for the while; None where there is nothing to share."""
    if not judges_of(settings.spec) or (work is None and workers <= 1):
        yield None
        return
    with tempfile.TemporaryDirectory(prefix="fieldwise-") as folder:
        ledgers = work.path if work else Path(folder)
        use_ledgers(settings.spec, ledgers)
        try:
            yield ledgers
        finally:
            use_ledgers(settings.spec, None)


def _finished(shard: Shard, work: WorkFolder | None) -> Done | None:
    summary = work.summary(shard.index) if work else None
    return Done(shard.index, shard.size, summary, False) if summary else None


def _evaluated(shard: Shard, settings: Settings, work: WorkFolder | None) -> Done:
    with _without_collector():
        return _committed(shard, settings, work)


@contextmanager
def _without_collector() -> Iterator[None]:
    """Leave out the garbage collector: documents hold no cycles, and it would look at them again and again."""
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()


def _committed(shard: Shard, settings: Settings, work: WorkFolder | None) -> Done:
    outcome = evaluate_shard(shard, settings, keep_rows=work is not None)
    summary = work.commit(shard.index, outcome, verdicts=settings.verdicts) if work else Summary.of(outcome)
    return Done(shard.index, shard.size, summary, True)


_settings: list[Settings] = []
"""Those of a worker process, sent once."""


def _remote(shard: Shard, work: WorkFolder | None) -> tuple[int, int, object]:
    done = _evaluated(shard, _settings[0], work)
    return done.index, done.size, done.summary.to_state()


def _in_processes(
    shards: Iterable[Shard], settings: Settings, work: WorkFolder | None, workers: int, ledgers: Path | None
) -> Iterator[Done]:
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(["fieldwise.runner.local"])
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
    except BrokenProcessPool as error:
        raise FieldwiseError(
            "A worker process died, perhaps for lack of memory. What was finished is kept: "
            "run again with --resume, with fewer --workers"
        ) from error
    finally:
        pool.shutdown(wait=False, cancel_futures=True)
        _stop(pool)


def _answer(future: Future[tuple[int, int, object]]) -> Callable[[], Done]:
    def wait() -> Done:
        index, size, state = future.result()
        return Done(index, size, Summary.from_state(state), True)  # type: ignore[arg-type]  # as `_remote` made it

    return wait


def _stop(pool: ProcessPoolExecutor) -> None:
    """End workers that still compute; what they would have written is written whole or not at all."""
    processes = list((getattr(pool, "_processes", None) or {}).values())
    for process in processes:
        process.terminate()
    for process in processes:
        process.join()


def _begin_worker(settings: Settings, ledgers: Path | None) -> None:
    allow_levels(settings.spec.levels())
    use_ledgers(settings.spec, ledgers)
    _settings[:] = [settings]
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent decides
    threading.Thread(target=_end_with_parent, daemon=True).start()


def _end_with_parent() -> None:
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)
