"""The command line in this process: its arguments in, what it prints and its exit code out.

It is the entry point of ``fieldwise`` itself, with streams of its own. What only a process can show (signals, closed
outputs, limits of the system) is tested with one.
"""

from __future__ import annotations

import io
import sys
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from fieldwise.cli import main


class Ended(NamedTuple):
    """What a command printed, and its exit code."""

    returncode: Any
    stdout: str
    stderr: str


def run(*arguments: str | Path, stdin: bytes = b"", **environment: str) -> Ended:
    """Run ``fieldwise`` with these arguments and variables of the environment."""
    out, err = (io.TextIOWrapper(io.BytesIO(), "utf-8", newline="\n", write_through=True) for _ in range(2))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sys, "argv", ["fieldwise", *map(str, arguments)])
        patch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(stdin), "utf-8"))
        patch.setattr(sys, "stdout", out)
        patch.setattr(sys, "stderr", err)
        for name, value in environment.items():
            patch.setenv(name, value)
        with pytest.raises(SystemExit) as end:
            main()
    return Ended(end.value.code or 0, _text(out), _text(err))


def _text(stream: io.TextIOWrapper) -> str:
    buffer = stream.buffer
    assert isinstance(buffer, io.BytesIO)
    return buffer.getvalue().decode("utf-8")
