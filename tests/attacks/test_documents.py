"""A document never stops a run, wherever it is touched; what the machine lacks is no document's fault."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import orjson
import pytest

from fieldwise import evaluate_pairs, open_pairs
from fieldwise.compare.results import MISMATCH
from fieldwise.counting.tally import Tally
from fieldwise.errors import FieldwiseError
from fieldwise.tables.compared import ComparedRows
from fieldwise.tables.documents import truth_of
from tests.attacks.conftest import command
from tests.folders import stored_rows
from tests.page_answers import run_of

KEY = "\\\\ud800k"
"""The path of a key that is half of a surrogate pair, and a letter: paths double the backslash of its escape."""


def lines(path: Path, *pairs: str) -> Path:
    path.write_text("\n".join(pairs) + "\n", encoding="utf-8")
    return path


def surrogates(path: Path) -> Path:
    """Half pairs in keys, nested keys, values, ids, metadata and rows, on both sides."""
    return lines(
        path,
        r'{"id":"a\ud801","expected":{"x":1,"rows":[{"n":1,"t":"u"}]},"predicted":{"x":1,"\ud800k":"w","o":{"\udfff":2}}}',
        r'{"id":"b","expected":{"x":2,"\udc01":"\ud802","rows":[{"n":1,"t":"\ud803"}]},"predicted":{"x":3,"\udc01":"\ud804"}}',
        r'{"id":"c","expected":{"x":2,"rows":[{"n":1,"t":"u"}]},"predicted":{"x":{"value":2,"confidence":0.5},"rows":[{"n":1,"\ud805":1}]}}',
        r'{"id":"\ud806","expected":{"x":2},"predicted":"\ud807"}',
    )


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An evaluation of documents with half pairs everywhere."""
    folder = tmp_path_factory.mktemp("surrogates")
    done = command("evaluate", surrogates(folder / "pairs.jsonl"), "--out", folder / "out")
    assert done.returncode == 3, done.stderr
    return folder / "out"


@pytest.mark.parametrize("workers", ["1", "2"])
def test_half_of_a_surrogate_pair_in_a_key_stops_nothing(workers: str, tmp_path: Path) -> None:
    """One prediction with such a key is evaluated as any other."""
    pairs = lines(
        tmp_path / "two.jsonl",
        r'{"id":"a","expected":{"x":1},"predicted":{"x":1,"\ud800k":"w"}}',
        r'{"id":"b","expected":{"x":2},"predicted":{"x":2}}',
    )
    done = command("evaluate", pairs, "--out", tmp_path / "out", "--workers", workers)
    assert done.returncode == 0, done.stderr
    metrics = orjson.loads((tmp_path / "out" / "metrics.json").read_bytes())
    assert metrics["document_count"] == 2
    assert metrics["fields"][KEY]["fa"] == 1
    assert KEY in done.stdout


def test_half_pairs_are_written_as_escapes_everywhere(run: Path) -> None:
    """Every file of a run holds them as the same text, and can be read by every reader."""
    metrics = orjson.loads((run / "metrics.json").read_bytes())
    fields = {row["field"] for row in csv.DictReader(io.StringIO((run / "fields.csv").read_text(encoding="utf-8")))}
    assert fields == metrics["fields"].keys()
    verdicts = stored_rows(run, "verdicts")
    assert {row["field"] for row in verdicts} <= fields
    assert {KEY, r"\\udc01", r"o.\\udfff", r"rows.\\ud805"} <= fields
    assert {"\\ud802", "\\ud804"} <= {row[side] for row in verdicts for side in ("expected", "predicted")}
    ids = {row["document"] for row in stored_rows(run, "documents")}
    assert ids == {"a\\ud801", "b", "c", "\\ud806"}
    failures = [orjson.loads(line) for line in (run / "failures.jsonl").read_bytes().splitlines()]
    assert [failure["document"] for failure in failures] == ["\\ud806"]
    assert KEY in run_of(run).metrics.fields
    assert KEY in {row.field for row in run_of(run).errors}
    orjson.loads((run / "spec.json").read_bytes())


@pytest.mark.parametrize(
    "arguments",
    [
        ("diff", "RUN", "RUN"),
        ("diff", "RUN", "RUN", "--json"),
        ("gate", "RUN", "--baseline", "RUN", "--junit", "OUT/junit.xml", "--markdown", "OUT/gate.md"),
        ("gate", "RUN", "--baseline", "RUN", "--json"),
        ("calibrate", "RUN", "--json"),
        ("calibrate", "RUN", "--out", "OUT"),
        ("sweep", "RUN", "x", "--out", "OUT"),
        ("show", "RUN"),
        ("show", "RUN", "--json"),
        ("show", "RUN", "--csv"),
    ],
    ids=" ".join,
)
def test_commands_take_runs_with_half_pairs(arguments: tuple[str, ...], run: Path, tmp_path: Path) -> None:
    """No command stumbles over what such a run holds."""
    given = [text.replace("RUN", str(run)).replace("OUT", str(tmp_path)) for text in arguments]
    done = command(*given)
    assert done.returncode in (0, 1, 2, 4), done.stderr
    assert "Traceback" not in done.stderr
    assert "defect" not in done.stderr
    if "--json" in arguments and done.returncode != 2:
        orjson.loads(done.stdout)
    for path in tmp_path.glob("*.json"):
        orjson.loads(path.read_bytes())


def test_one_pair_with_half_pairs_is_compared(tmp_path: Path) -> None:
    """``compare`` shows and prints them, as JSON too."""
    for name, text in (("e.json", r'{"\ud800k": "\ud801"}'), ("p.json", r'{"\ud800k": "w", "\ud802": 1}')):
        (tmp_path / name).write_text(text)
    shown = command("compare", tmp_path / "e.json", tmp_path / "p.json")
    assert KEY in shown.stdout, shown.stderr
    printed = command("compare", tmp_path / "e.json", tmp_path / "p.json", "--json")
    assert "\\ud800k" in orjson.loads(printed.stdout)["confusion_matrix"]["fields"]


def test_class_labels_with_half_pairs_are_counted(tmp_path: Path) -> None:
    """``classify`` takes them as any label."""
    rows = lines(
        tmp_path / "rows.jsonl",
        r'{"golden": {"c": "\ud800"}, "predicted": {"c": "a"}, "correct": false}',
        r'{"golden": {"c": "a"}, "predicted": {"c": "a"}, "correct": true}',
    )
    keys = ("--golden-key", "c", "--predicted-key", "c")
    done = command("classify", rows, *keys, "--json", "--html", tmp_path / "page.html")
    assert done.returncode == 0, done.stderr
    orjson.loads(done.stdout)


def test_results_with_half_pairs_are_added_up(tmp_path: Path) -> None:
    """``aggregate`` takes them as any name."""
    result = (
        r'{"id": "\ud801", "confusion_matrix": {"overall": {"tp": 1}, "fields": {"\ud800k": {"overall": {"tp": 1}}}}}'
    )
    (tmp_path / "r.json").write_text(result)
    done = command("aggregate", tmp_path / "r.json", "--out", tmp_path / "out", "--json")
    assert done.returncode in (0, 3), done.stderr
    orjson.loads(done.stdout)
    orjson.loads((tmp_path / "out" / "metrics.json").read_bytes())


def documents(folder: Path) -> Path:
    pairs = [
        json.dumps({"id": f"d{n}", "expected": {"a": n, "b": "x"}, "predicted": {"a": n, "b": "y" if n == 3 else "x"}})
        for n in range(8)
    ]
    return lines(folder / "documents.jsonl", *pairs)


def is_prediction_at_fault(arguments: tuple[Any, ...]) -> bool:
    """Tell whether the document with a wrong value is being touched with its prediction."""
    return "'y'" in repr(arguments)


def fail_on_truth(patched: pytest.MonkeyPatch, error: Exception) -> None:
    """Raise where the expected document d3 is written, whatever its prediction is."""

    def truth(expected: Any) -> bytes:
        if expected == {"a": 3, "b": "x"}:
            raise error
        return truth_of(expected)

    for module in ("flat", "shard"):
        patched.setattr(f"fieldwise.evaluation.{module}.truth_of", truth)


def failing(method: Callable[..., Any], is_at_fault: Callable[[tuple[Any, ...]], bool], error: Exception) -> Any:
    def call(self: Any, *arguments: Any, **named: Any) -> Any:
        answer = method(self, *arguments, **named)
        if is_at_fault(arguments):
            raise error
        return answer

    return call


@pytest.mark.parametrize("keeps_rows", [True, False])
def test_a_prediction_that_cannot_be_written_counts_as_missed(
    keeps_rows: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where counting or writing one document raises half-way, nothing of it is left, and the others are whole."""
    pairs = documents(tmp_path)
    for owner, name in ((ComparedRows, "add_flat"), (Tally, "add_flat")):
        is_rows = owner is ComparedRows
        if is_rows == keeps_rows:
            method = getattr(owner, name)
            at_fault = (
                is_prediction_at_fault
                if is_rows
                else lambda given: bool(((given[1].fields == 1) & (given[1].outcomes == MISMATCH.at)).any())
            )
            monkeypatch.setattr(owner, name, failing(method, at_fault, RecursionError("too deep")))
    found = evaluate_pairs(open_pairs(pairs), out=tmp_path / "out")
    assert found.metrics.documents == {"scored": 7, "unreadable_prediction": 1}
    assert [(error.doc_id, "RecursionError" in error.error) for error in found.metrics.errors] == [("d3", True)]
    assert {key: getattr(found.metrics.aggregate, key) for key in ("tp", "fd", "fn")} == {"tp": 14, "fd": 0, "fn": 2}
    verdicts = stored_rows(tmp_path / "out", "verdicts")
    assert len(verdicts) == 16
    assert [row["outcome"] for row in verdicts if row["document"] == "d3"] == ["missed", "missed"]


def test_a_truth_that_cannot_be_written_is_a_failure(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where it raises whatever the prediction is, the document is not counted."""
    fail_on_truth(monkeypatch, ValueError("odd"))
    found = evaluate_pairs(open_pairs(documents(tmp_path)), out=tmp_path / "out")
    assert found.metrics.documents == {"failed": 1, "scored": 7}
    assert found.metrics.aggregate.tp == 14
    assert "d3" not in {row["document"] for row in stored_rows(tmp_path / "out", "verdicts")}


@pytest.mark.parametrize("error", [MemoryError(), OSError(28, "No space left on device")])
def test_what_the_machine_lacks_is_no_failure_of_a_document(
    error: Exception, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It ends the evaluation, which can be resumed."""
    pairs = documents(tmp_path)
    with monkeypatch.context() as patched:
        fail_on_truth(patched, error)
        with pytest.raises((FieldwiseError, OSError), match=r"resume=True|No space left"):
            evaluate_pairs(open_pairs(pairs), out=tmp_path / "out", shard_documents=2)
    found = evaluate_pairs(open_pairs(pairs), out=tmp_path / "out", shard_documents=2, resume=True)
    assert found.metrics.documents == {"scored": 8}
