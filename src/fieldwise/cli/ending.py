"""How a command ends: with its own code, with one line where something is wrong, or because it was told to stop.

Exit codes mean the same for all commands. 1 is a verdict of a command and nothing else: a crash has a code of its own,
and so have signals.
"""

from __future__ import annotations

import os
import signal
import sys
import tempfile
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from types import FrameType

import click

from fieldwise.cli.advice import advised
from fieldwise.errors import FieldwiseError
from fieldwise.signals import known_signals, restored_handlers
from fieldwise.text import terminal_safe
from fieldwise.version import __version__

GOOD = 0
DIFFERS = 1
BAD_INPUT = 2
SOME_FAILED = 3
NOT_ENOUGH = 4
CRASHED = 70
"""A defect of fieldwise, never a verdict on documents; the number is that of internal errors in ``sysexits.h``."""
STOPPED = 128
"""With the number of the signal added: 129 SIGHUP, 130 Ctrl-C, 143 SIGTERM, as shells say of other programs."""
PIPE_CLOSED = 141
"""Whoever read the output left early, as ``head`` does; what shells say of other programs then."""

EPILOG = (
    "Exit codes: 0 good · 1 differs, worse, below a limit · 2 bad input or setting, or out of disk or memory · "
    "3 finished, some documents failed or had unreadable predictions · 4 not enough documents to decide · "
    "70 a defect of fieldwise · 129, 130, 143 stopped by a signal · 141 the output was closed."
)


_SIGNALS = known_signals("SIGTERM", "SIGHUP")


class StopSignal(KeyboardInterrupt):
    """A signal that asks a command to end, as Ctrl-C does."""

    def __init__(self, number: int) -> None:
        super().__init__()
        self.number = number


@contextmanager
def stopping_on_signals() -> Iterator[None]:
    """Let SIGTERM and SIGHUP end a command as Ctrl-C does; one that is ignored, as by ``nohup``, stays so."""
    with restored_handlers(_SIGNALS) as numbers:
        for number in numbers:
            if signal.getsignal(number) is signal.SIG_DFL:
                signal.signal(number, _stop)
        yield


def _stop(number: int, frame: FrameType | None) -> None:
    for again in _SIGNALS:
        signal.signal(again, signal.SIG_IGN)
    raise StopSignal(number)


def stop_code(stopped: BaseException | None) -> int:
    """Return what a command exits with that was told to stop."""
    return STOPPED + (stopped.number if isinstance(stopped, StopSignal) else signal.SIGINT)


def ended(command: Callable[[], object]) -> int:
    """Run a command line and return its exit code; what is wrong is said in one line."""
    code = _guarded(command)
    try:
        if sys.stdout is not None:
            sys.stdout.flush()
    except BrokenPipeError:
        code = PIPE_CLOSED
        forget_output()
    except OSError as error:
        code = _refused(error) if code == GOOD else code
        forget_output()
    return code


def _guarded(command: Callable[[], object]) -> int:
    try:
        code = command()
    except SystemExit as end:
        code = end.code
    except click.ClickException as error:
        error.show()
        code = error.exit_code
    except (click.Abort, KeyboardInterrupt) as stopped:
        say("Stopped", colour="yellow")
        code = stop_code(stopped.__cause__ if isinstance(stopped, click.Abort) else stopped)
    except FieldwiseError as error:
        say(f"Error: {advised(error)}")
        code = BAD_INPUT
    except BrokenPipeError:
        forget_output()
        code = PIPE_CLOSED
    except OSError as error:
        code = _refused(error)
    except MemoryError:
        say("Error: the memory of this machine is not enough")
        code = BAD_INPUT
    except Exception as error:  # noqa: BLE001  # the last place that can say what happened
        code = _crashed(error)
    return code if isinstance(code, int) else GOOD


def _refused(error: OSError) -> int:
    place = f" - at {error.filename}" if error.filename else ""
    say(f"Error: {error.strerror or error}{place}")
    return BAD_INPUT


def _crashed(error: Exception) -> int:
    trace = "".join([f"fieldwise {__version__}, Python {sys.version}\n", *traceback.format_exception(error)])
    what = traceback.format_exception_only(error)[-1].strip()
    try:
        handle, name = tempfile.mkstemp(prefix="fieldwise-crash-", suffix=".txt")
        with os.fdopen(handle, "w", encoding="utf-8", errors="backslashreplace") as file:
            file.write(trace)
        where = f"its trace is in {name}"
    except OSError:
        say(trace)
        where = "its trace is above"
    say(f"Error: this is a defect of fieldwise, not of the input: {what}; {where}")
    return CRASHED


def say(text: str, colour: str = "red") -> None:
    """Print a line to standard error, if anybody can read it."""
    with suppress(OSError, ValueError):
        click.secho(terminal_safe(text), fg=colour, err=True)


def forget_output() -> None:
    """Let what nobody can take go nowhere, so that the interpreter does not try again at its end."""
    with suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
