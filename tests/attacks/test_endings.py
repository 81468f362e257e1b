"""How commands end: a crash is no verdict, signals end like Ctrl-C; and what they write for other programs."""

from __future__ import annotations

import csv
import io
import json
import os
import re
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import NamedTuple

import click
import orjson
import pytest

from fieldwise import evaluate_pairs
from fieldwise.cli import cli
from fieldwise.cli.commands import SUMMARIES
from fieldwise.tables.manifest import TABLES
from tests.attacks.conftest import command, write_pairs
from tests.folders import files_of


@pytest.mark.parametrize("name", SUMMARIES)
def test_a_crash_has_a_code_of_its_own(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever command fails by a defect ends with 70 and one line that says where the trace is."""

    def crash(**given: object) -> None:
        raise KeyError("\udc80\x1b[31m")

    failing = cli.get_command(click.Context(cli), name)
    monkeypatch.setattr(failing, "callback", crash)
    monkeypatch.setattr(failing, "params", [])
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    done = command(name)
    assert done.returncode == 70
    assert len(done.stderr.splitlines()) == 1
    assert "\x1b" not in done.stderr
    trace = Path(done.stderr.strip().rpartition("its trace is in ")[2])
    assert "in crash" in trace.read_text(encoding="utf-8")


class Ending(NamedTuple):
    """A signal, to whom it is sent, and what the evaluation ends with."""

    signal: signal.Signals
    workers: int
    to_group: bool
    code: int


ENDINGS = [
    Ending(signal.SIGTERM, 1, False, 143),
    Ending(signal.SIGTERM, 2, True, 143),
    Ending(signal.SIGHUP, 1, True, 129),
    Ending(signal.SIGHUP, 2, True, 129),
    Ending(signal.SIGINT, 2, True, 130),
]


@pytest.fixture(scope="module")
def many(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Some invoices, and so many small documents that all are evaluated in two parts."""
    path = write_pairs(tmp_path_factory.mktemp("many") / "many.jsonl")
    with path.open("a", encoding="utf-8") as file:
        for number in range(6000):
            document = {"invoice_number": f"N{number}", "currency": "EUR"}
            file.write(json.dumps({"id": f"s{number}", "expected": document, "predicted": document}) + "\n")
    return path


@pytest.fixture(scope="module")
def undisturbed(many: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    """The files of an evaluation that nothing stopped."""
    out = tmp_path_factory.mktemp("undisturbed") / "out"
    assert command("evaluate", many, "--out", out).returncode == 3
    return files_of(out)


HELD = """
import signal, sys, time
from pathlib import Path
from fieldwise.cli import main
from fieldwise.cli.console import ProgressLine

begun = Path(sys.argv.pop())

def hold(self, done, earlier):
    begun.touch()
    time.sleep(3600)

signal.signal(signal.SIGINT, signal.default_int_handler)  # which whoever runs the tests may ignore
signal.signal(signal.SIGHUP, signal.SIG_DFL)
ProgressLine.__call__ = hold
main()
"""
"""The command line, which waits for a signal when its first part is done."""


@pytest.mark.parametrize("ending", ENDINGS, ids=str)
def test_signals_end_like_control_c(ending: Ending, many: Path, undisturbed: dict[str, bytes], tmp_path: Path) -> None:
    """The evaluation says how to go on, leaves no process and no warning, and goes on to the same bytes."""
    out, begun, workers = tmp_path / "out", tmp_path / "begun", str(ending.workers)
    arguments = ["evaluate", str(many), "--out", str(out), "--workers", workers]
    line = [sys.executable, "-c", HELD, *arguments, str(begun)]
    process = subprocess.Popen(line, stderr=subprocess.PIPE, text=True, start_new_session=True)
    while not begun.exists() and process.poll() is None:
        time.sleep(0.005)
    if ending.to_group:
        os.killpg(process.pid, ending.signal)
    else:
        process.send_signal(ending.signal)
    errors = process.communicate()[1]
    assert process.returncode == ending.code, errors
    assert re.fullmatch(r"\s*Stopped; go on with: fieldwise evaluate .* --resume\s*", errors)
    assert {".fieldwise-work"} <= set(os.listdir(out)) <= {".fieldwise-work", *TABLES}
    again = command(*arguments, "--resume")
    assert again.returncode == 3, again.stderr
    assert files_of(out) == undisturbed


def test_other_commands_end_by_signals_too(tmp_path: Path) -> None:
    """A command that waits for its input ends with the code of the signal."""
    process = subprocess.Popen(
        [
            sys.executable,
            "-c",
            "from fieldwise.cli import main; import sys; sys.stderr.write('.'); main()",
            "compare",
            "-",
            "x",
        ],
        stdin=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stderr is not None
    process.stderr.read(1)
    status = Path(f"/proc/{process.pid}/status")
    while status.exists() and not _handles(status.read_text(), signal.SIGTERM):
        time.sleep(0.005)
    process.send_signal(signal.SIGTERM)
    assert process.communicate()[1].strip() == "Stopped"
    assert process.returncode == 143


def _handles(status: str, number: int) -> bool:
    caught = re.search(r"SigCgt:\s*(\w+)", status)
    return caught is not None and bool(int(caught[1], 16) >> (number - 1) & 1)


def test_help_that_nobody_reads_ends_with_141() -> None:
    """Not only results, help too may be cut off by ``head``."""
    reader, writer = os.pipe()
    os.close(reader)
    done = subprocess.run(
        [sys.executable, "-m", "fieldwise", "--help"], stdout=writer, stderr=subprocess.PIPE, check=False
    )
    os.close(writer)
    assert (done.returncode, done.stderr) == (141, b"")


@pytest.mark.parametrize(("name", "arguments"), [("calibration", ["calibrate"]), ("sweep", ["sweep", "a"])])
def test_files_are_written_whoever_reads_the_table(tmp_path: Path, name: str, arguments: list[str]) -> None:
    """They are there before the table is printed, which ends when its reader leaves."""
    pairs = [(f"d{k}", {"a": "right"}, {"a": {"_value": "right"[: k % 6], "_confidence": 0.5}}) for k in range(12)]
    evaluate_pairs(pairs, out=tmp_path / "run")
    reader, writer = os.pipe()
    os.close(reader)
    given = [arguments[0], str(tmp_path / "run"), *arguments[1:], "--out", str(tmp_path / "found")]
    command_line = [sys.executable, "-m", "fieldwise", *given]
    done = subprocess.run(command_line, stdout=writer, stderr=subprocess.PIPE, check=False)
    os.close(writer)
    assert done.returncode == 141, done.stderr
    assert sorted(path.name for path in (tmp_path / "found").iterdir()) == [f"{name}.html", f"{name}.json"]


NAMES = ["extra\r=1+1", "=cmd|'/C calc'!A0", "\n@x", "a\x0b=2", '"q",b', "\x85-1", "\u2028+1", "-5"]


@pytest.fixture(scope="module")
def formulas(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run whose fields and values are formulas."""
    folder = tmp_path_factory.mktemp("formulas")
    pair = {"id": "=1+2", "expected": {"total": 1}, "predicted": {"total": -2, **{name: name for name in NAMES}}}
    (folder / "pairs.jsonl").write_text(json.dumps(pair) + "\n")
    assert command("evaluate", folder / "pairs.jsonl", "--out", folder / "out").returncode == 0
    return folder / "out"


@pytest.mark.parametrize("which", ["fields.csv", "show"])
def test_no_row_of_csv_begins_with_a_formula(which: str, formulas: Path) -> None:
    """Every cell that is no number is between quotes and holds no character that ends a row."""
    text = (
        (formulas / which).read_text(encoding="utf-8")
        if which == "fields.csv"
        else command("show", formulas, "--csv", "--outcome", "wrong").stdout
    )
    rows = re.split("[\r\n\x0b\x0c\x1c-\x1e\x85\u2028\u2029]", text.rstrip("\n"))
    assert len(rows) == 1 + len(NAMES) + 1
    assert all(row.startswith('"') for row in rows)
    cells = [cell for row in csv.reader(io.StringIO(text)) for cell in row]
    assert not [cell for cell in cells if cell[:1] in tuple("=+@") or (cell[:1] == "-" and not _is_number(cell))]
    assert "extra\\r=1+1" in cells
    unquoted = re.sub(r'"(?:[^"]|"")*"', "", text)
    assert all(_is_number(cell) for cell in re.split("[,\n]", unquoted) if cell)


def _is_number(cell: str) -> bool:
    try:
        float(cell)
    except ValueError:
        return False
    return True


def test_json_of_commands_is_json_for_every_parser(tmp_path: Path) -> None:
    """Numbers beyond floats, NaN, infinities and control characters are written as others can read them."""
    (tmp_path / "e.json").write_text(
        '{"a": 1e999, "b": NaN, "c": "\x9b31m\x7f", "d": -Infinity, "e": 1}', encoding="utf-8"
    )
    (tmp_path / "p.json").write_text('{"a": 1e998, "b": 1, "c": "x", "d": 2, "e": 1e400}', encoding="utf-8")
    done = command("compare", tmp_path / "e.json", tmp_path / "p.json", "--json")
    assert done.returncode == 1, done.stderr
    orjson.loads(done.stdout)
    assert done.stdout.isascii()
    assert "\x7f" not in done.stdout
    shown = command("compare", tmp_path / "e.json", tmp_path / "p.json")
    assert not re.search("[\x7f-\x9f]", shown.stdout)
