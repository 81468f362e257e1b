"""Documents to evaluate: a few dozen generated invoices, as folders and as one file of pairs."""

from __future__ import annotations

import io
import json
import sys
from pathlib import Path
from typing import NamedTuple, Protocol

import pytest
from examples.generate_invoices import generate

from fieldwise.cli import main

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
    root = tmp_path_factory.mktemp("invoices")
    expected, predicted = root / "expected", root / "predicted"
    for folder in (expected, predicted):
        (folder / "a").mkdir(parents=True)
    for number, made in enumerate(generate(DOCUMENTS, 5)):
        name = f"a/inv-{number:03d}.json" if number % 2 else f"inv-{number:03d}.json"
        (expected / name).write_text(json.dumps(made.expected), encoding="utf-8")
        (predicted / name).write_text(json.dumps(made.predicted), encoding="utf-8")
    return expected, predicted


@pytest.fixture(scope="session")
def pairs_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The same kind of documents as one file of pairs."""
    path = tmp_path_factory.mktemp("pairs") / "pairs.jsonl"
    with path.open("w", encoding="utf-8") as file:
        for number, made in enumerate(generate(DOCUMENTS, 5)):
            pair = {"id": f"inv-{number:03d}", "expected": made.expected, "predicted": made.predicted}
            file.write(json.dumps(pair) + "\n")
    return path
