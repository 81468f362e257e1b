"""What attacks share: invoices to evaluate, stopped evaluations, and the command line in a process of its own."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from fieldwise import evaluate_pairs, open_pairs
from tests.command_line import Ended, run
from tests.documents import invoices, lines_of
from tests.folders import files_of

DOCUMENTS = 30
SHARD = 6
SHARDS = DOCUMENTS // SHARD


def command(*arguments: str | Path) -> Ended:
    """Run the command line, 150 columns wide."""
    return run(*arguments, COLUMNS="150")


def process(*arguments: str | Path, **variables: str) -> subprocess.CompletedProcess[str]:
    """Run the command line in a process of its own."""
    line = [sys.executable, "-m", "fieldwise", *map(str, arguments)]
    env = {**os.environ, "COLUMNS": "150", "PYTHONIOENCODING": "utf-8", **variables}
    return subprocess.run(line, capture_output=True, text=True, encoding="utf-8", check=False, env=env)


def write_pairs(path: Path, seed: int = 5) -> Path:
    """Write some invoices as a file of pairs; two of them cannot be read."""
    lines = lines_of(invoices(DOCUMENTS, seed, name="i{:03d}"))
    lines[3], lines[20] = lines[3][:-2], lines[20][:-2]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def stop_after(pairs: Path, out: Path, shards: int) -> None:
    """Evaluate so many shards and stop, as Ctrl-C does."""

    def progress(done: int, earlier: int) -> None:
        nonlocal shards
        shards -= 1
        if not shards:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        evaluate_pairs(open_pairs(pairs), out=out, shard_documents=SHARD, progress=progress)


@pytest.fixture(scope="session")
def pairs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Invoices as a file of pairs."""
    return write_pairs(tmp_path_factory.mktemp("pairs") / "pairs.jsonl")


@pytest.fixture(scope="session")
def whole(pairs: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    """The files of an evaluation that nothing disturbed."""
    out = tmp_path_factory.mktemp("whole") / "out"
    evaluate_pairs(open_pairs(pairs), out=out, shard_documents=SHARD)
    return files_of(out)
