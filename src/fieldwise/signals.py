"""Handlers of signals that are changed for a while."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager


def known_signals(*names: str) -> tuple[signal.Signals, ...]:
    """Return the signals of these names that the system has."""
    return tuple(getattr(signal, name) for name in names if hasattr(signal, name))


@contextmanager
def restored_handlers(numbers: tuple[signal.Signals, ...]) -> Iterator[tuple[signal.Signals, ...]]:
    """Yield the signals whose handlers may be set until the end: all in the main thread, none in others."""
    if threading.current_thread() is not threading.main_thread():
        yield ()
        return
    held = {number: signal.getsignal(number) for number in numbers}
    try:
        yield numbers
    finally:
        for number, handler in held.items():
            if handler is not None:  # as one is that was not set by Python
                signal.signal(number, handler)
