"""Documents to evaluate: a few dozen generated invoices, as folders and as one file of pairs."""

from __future__ import annotations

import io
import sys
from pathlib import Path
from typing import NamedTuple, Protocol

import pytest

from fieldwise.cli import main
from tests.documents import invoices, write_pairs, write_sides

DOCUMENTS = 60


class Called(NamedTuple):
    """What a command exited with and what it printed."""

    code: int
    out: str
    err: str


class Call(Protocol):
    """Calls the command line in this process."""

    def __call__(self, *arguments: str | Path, stdin: bytes = b"") -> Called: ...


@pytest.fixture
def call(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Call:
    """The command line, from its arguments to its exit code."""
    monkeypatch.setenv("COLUMNS", "300")

    def run(*arguments: str | Path, stdin: bytes = b"") -> Called:
        monkeypatch.setattr(sys, "argv", ["fieldwise", *map(str, arguments)])
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(stdin)))
        with pytest.raises(SystemExit) as ended:
            main()
        return Called(int(ended.value.code or 0), *capsys.readouterr())

    return run


@pytest.fixture(scope="session")
def folders(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """Two folders of invoices, expected and predicted."""
    made = [(f"a/{name}" if number % 2 else name, *both) for number, (name, *both) in enumerate(invoices(DOCUMENTS))]
    return write_sides(tmp_path_factory.mktemp("invoices"), made)


@pytest.fixture(scope="session")
def pairs_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The same kind of documents as one file of pairs."""
    return write_pairs(tmp_path_factory.mktemp("pairs") / "pairs.jsonl", invoices(DOCUMENTS))
