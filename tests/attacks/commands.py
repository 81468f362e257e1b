"""Running commands as their entry point does, in a folder with one of every kind of file, and what must always hold."""

from __future__ import annotations

import contextlib
import io
import json
import shutil
import sys
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple, NoReturn

import pytest

from fieldwise.cli import main
from tests.runs.results import EXACT, document, write_run

POLICY = "metric: strict_f1\nmargin: 2%\ncritical: {code: 0.1}\nbudgets: {missed: 50%}\n"
CONFIG = "graph_properties:\n  metrics: [accuracy, {name: pass@k, params: {k: 1}}]\n"
PROPERTIES: Any = EXACT["properties"]
NAME = {"type": "string", "x-aws-stickler-comparator": "LevenshteinComparator"}
FUZZY = {**EXACT, "properties": {**PROPERTIES, "name": NAME}}
GOOD_CODES = {0, 1, 3, 4}
BAD_INPUT = 2
LONGEST = 20_000


class Done(NamedTuple):
    """How a command ended."""

    arguments: tuple[str, ...]
    code: Any
    out: bytes
    err: str


def build(folder: Path) -> Path:
    """Write one file of every kind that a command reads."""
    expected, predicted = document(1, wrong=["name", "items"])
    confident = {key: {"_value": value, "_confidence": 0.75} for key, value in predicted.items() if key != "items"}
    pairs = {f"d{k}": document(k, wrong=["name"] if k % 3 else ["items"]) for k in range(8)}
    sure = {
        name: (one, {**other, "total": {"_value": 1, "_confidence": k / 8}})
        for k, (name, (one, other)) in enumerate(pairs.items())
    }
    write_run(folder / "one", sure, schema=FUZZY).rename(folder / "base")
    write_run(folder / "two", {name: document(k) for k, name in enumerate(pairs)}, schema=FUZZY).rename(
        folder / "candidate"
    )
    shutil.copy(folder / "one" / "pairs.jsonl", folder / "pairs.jsonl")
    for name, value in {
        "expected.json": expected,
        "predicted.json": {**predicted, **confident},
        "schema.json": FUZZY,
        "comparison.json": {
            "confusion_matrix": {"overall": {"tp": 1, "fd": 0, "fa": 0, "fn": 1, "tn": 0}, "fields": {}}
        },
        "list.json": [1, [2], None],
    }.items():
        (folder / name).write_text(json.dumps(value), "utf-8")
    for side, place in (("expected", 0), ("predicted", 1)):
        (folder / side).mkdir()
        for name, both in pairs.items():
            (folder / side / f"{name}.json").write_text(json.dumps(both[place]), "utf-8")
    units = [
        {"correct": k > 1, "golden": {"event": "a"}, "predicted": {"tool": "ab"[k % 2]}, "metadata": {"mission_id": k}}
        for k in range(6)
    ]
    (folder / "units.jsonl").write_text("".join(json.dumps(unit) + "\n" for unit in units), "utf-8")
    (folder / "policy.yaml").write_text(POLICY, "utf-8")
    (folder / "config.yaml").write_text(CONFIG, "utf-8")
    (folder / "bytes").write_bytes(bytes(range(256)))
    (folder / "empty").touch()
    (folder / "inside").mkdir()
    for name in ("base", "candidate"):
        (folder / name / "report.html").unlink()
    for name in ("one", "two"):
        shutil.rmtree(folder / name)
    return folder


@contextlib.contextmanager
def copied(world: Path) -> Iterator[Path]:
    """Work in a copy of the folder, so that nothing that a command writes is met by the next one."""
    with tempfile.TemporaryDirectory() as place, pytest.MonkeyPatch.context() as patch:
        there = shutil.copytree(world, Path(place) / "world")
        patch.chdir(there)
        yield there


def run(*arguments: str, stdin: bytes = b"") -> Done:
    """Run the entry point in this process, with streams of its own."""
    out, err = (io.TextIOWrapper(io.BytesIO(), "utf-8", write_through=True) for _ in range(2))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sys, "argv", ["fieldwise", *arguments])
        patch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(stdin), "utf-8"))
        patch.setattr(sys, "stdout", out)
        patch.setattr(sys, "stderr", err)
        patch.setenv("COLUMNS", "120")
        code = ended(main)
    return Done(arguments, code, read(out), read(err).decode("utf-8"))


def ended(entry: Any) -> Any:
    try:
        entry()
    except SystemExit as end:
        return end.code
    return None


def read(stream: io.TextIOWrapper) -> bytes:
    buffer = stream.buffer
    assert isinstance(buffer, io.BytesIO)
    return buffer.getvalue()


def check(done: Done, *, names: Sequence[str] = ()) -> None:
    """Hold what must always hold: a documented code, one sentence where the input is bad, JSON that is JSON.

    A sentence about bad input has one of the names in it.
    """
    assert done.code in GOOD_CODES | {BAD_INPUT}, done
    assert "Traceback" not in done.err
    assert len(done.err) < LONGEST
    steering = set("\x1b\x07\x9b") if "--csv" in done.arguments else set("\x1b\x07\x9b\u202e")
    assert not steering & set(done.err + done.out.decode("utf-8"))
    if done.code == BAD_INPUT:
        (said,) = [line for line in done.err.splitlines() if line.startswith("Error: ")]
        assert len(said) > len("Error: ")
        assert not names or any(name in done.err for name in names), (said, names)
    elif "--json" in done.arguments and not {"-h", "--help"} & set(done.arguments):
        json.loads(done.out, parse_constant=refuse)


def refuse(constant: str) -> NoReturn:
    raise AssertionError(f"{constant} is no JSON")
