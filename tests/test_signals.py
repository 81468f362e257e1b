"""Handlers of signals that are changed for a while."""

from __future__ import annotations

import signal
import threading

from fieldwise.signals import known_signals, restored_handlers

SIGNALS = known_signals("SIGINT", "SIGTERM")


def test_handlers_are_as_before_at_the_end() -> None:
    """Whatever is set in between, also by a block that raises, the handlers come back."""
    before = [signal.getsignal(number) for number in SIGNALS]
    try:
        with restored_handlers(SIGNALS) as numbers:
            for number in numbers:
                signal.signal(number, signal.SIG_IGN)
            assert [signal.getsignal(number) for number in SIGNALS] == [signal.SIG_IGN] * len(SIGNALS)
            raise RuntimeError
    except RuntimeError:
        pass
    assert [signal.getsignal(number) for number in SIGNALS] == before


def test_other_threads_may_change_none() -> None:
    """Python lets only the main thread set handlers, so elsewhere there are none to set."""
    given: list[tuple[signal.Signals, ...]] = []

    def ask() -> None:
        with restored_handlers(SIGNALS) as numbers:
            given.append(numbers)

    thread = threading.Thread(target=ask)
    thread.start()
    thread.join()
    assert given == [()]


def test_signals_that_the_system_does_not_have_are_left_out() -> None:
    """Windows has no SIGHUP, and no system has this one."""
    assert known_signals("SIGINT", "SIGNOTHING") == (signal.SIGINT,)
