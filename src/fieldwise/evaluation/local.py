"""Evaluating shards on this machine: in this process, or in several of them, results in the order of the shards."""

from __future__ import annotations

import gc
import multiprocessing
import os
import signal
import sys
import threading
from collections import deque
from collections.abc import Iterable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass
from multiprocessing import forkserver, resource_tracker
from multiprocessing.context import BaseContext
from pathlib import Path

from fieldwise.errors import CancelledError, FieldwiseError
from fieldwise.evaluation.work import Done, Work
from fieldwise.readers.pairs import Shard
from fieldwise.signals import known_signals, restored_handlers

AHEAD = 3
"""How many shards are handed out ahead for each worker; more would only fill memory."""
_STOPPING = known_signals("SIGINT", "SIGTERM", "SIGHUP")


@dataclass(frozen=True)
class LocalExecutor:
    """Evaluates shards on this machine: in this process, or in as many as there are ``workers``."""

    workers: int = 1

    @property
    def is_here(self) -> bool:
        """Whether this process evaluates all shards."""
        return self.workers <= 1

    def run(self, shards: Iterable[Shard], work: Work) -> Iterator[Done]:
        """Evaluate and commit shards and yield them in order."""
        return map(work, shards) if self.is_here else _in_processes(shards, work, self.workers)


_work: list[Work] = []
"""That of a worker process, which is sent it once."""


def _remote(shard: Shard) -> Done:
    gc.disable()  # documents hold no cycles, and the collector would look at them again and again
    try:
        return _work[0](shard)
    finally:
        gc.enable()


def _in_processes(shards: Iterable[Shard], work: Work, workers: int) -> Iterator[Done]:
    pool = ProcessPoolExecutor(workers, mp_context=_context(), initializer=_begin_worker, initargs=(work,))
    waiting: deque[Future[Done]] = deque()
    began = pool.submit(os.getpid)
    try:
        for shard in shards:
            work.check_stop()
            waiting.append(pool.submit(_remote, shard))
            while len(waiting) > AHEAD * workers:
                yield waiting.popleft().result()
        while waiting:
            work.check_stop()
            yield waiting.popleft().result()
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
            facts={"workers": workers},
            advice="evaluate again with fewer workers",
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


def _stop(pool: ProcessPoolExecutor) -> None:
    """End workers that still compute; what they would have written is written whole or not at all."""
    processes = list((getattr(pool, "_processes", None) or {}).values())
    pool.shutdown(wait=False, cancel_futures=True)
    for process in processes:
        process.kill()
    for process in processes:
        process.join()


def _begin_worker(work: Work) -> None:
    _work[:] = [work]
    for number in _STOPPING:
        signal.signal(number, signal.SIG_IGN)  # the parent decides
    threading.Thread(target=_end_with_parent, daemon=True).start()


def _end_with_parent() -> None:
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)
