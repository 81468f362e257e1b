"""``fieldwise evaluate`` and ``fieldwise aggregate`` as people and machines use them."""

from __future__ import annotations

import csv
import json
import re
import shlex
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest

from fieldwise import Plan, Spec
from fieldwise.tables.manifest import TABLES
from tests.command_line import run
from tests.folders import stored_rows


def metrics_of(folder: Path) -> dict[str, Any]:
    return json.loads((folder / "metrics.json").read_bytes())  # type: ignore[no-any-return]


def test_worst_fields_come_first(folders: tuple[Path, Path], tmp_path: Path) -> None:
    """The table lists every field with its strict F1, worst first, and says that the spec was inferred."""
    done = run("evaluate", *folders, "--out", tmp_path)
    assert done.returncode == 0, done.stderr
    assert "60 documents" in done.stdout
    assert "F1 (strict)" in done.stdout
    assert "inferred" in done.stdout
    table = done.stdout.split("field, worst first")[1]
    scores = [float(line.split("●")[1].split()[0]) for line in table.splitlines() if "●" in line]
    assert scores == sorted(scores)
    assert len(scores) > 10


@pytest.mark.parametrize(("width", "rates"), [(80, 2), (120, 3), (150, 4)])
def test_every_rate_stands_with_its_interval(folders: tuple[Path, Path], width: int, rates: int) -> None:
    """A row of a field has as many rates as there is room for, each with its interval, and the documents it has."""
    done = run("evaluate", *folders, COLUMNS=str(width))
    assert max(map(len, done.stdout.splitlines())) <= width
    row = next(line for line in done.stdout.splitlines() if line.strip().startswith("invoice_number"))
    assert len(re.findall(r"[01]\.\d{3} [01]\.\d{3}–[01]\.\d{3}", row)) == rates
    assert "60" in row.split()
    for name in (
        "F1 (strict)",
        "precision",
        "strict recall",
        "detection recall",
        "document macro F1",
        "weighted score",
    ):
        assert re.search(rf"{re.escape(name)}.*[01]\.\d{{3}} +[01]\.\d{{3}}–[01]\.\d{{3}} +60\b", done.stdout), name
    assert re.search(r"documents without error \(\d+\) +\d+\.\d% +\d+\.\d%–\d+\.\d% +60\b", done.stdout)
    assert ("widen the terminal to " in done.stdout) == (width < 150)


def test_quiet_says_in_one_line_why_the_exit_code_is_3(tmp_path: Path) -> None:
    """How many documents have no usable prediction, and where they are listed; nothing where every one has."""
    (tmp_path / "expected").mkdir()
    (tmp_path / "predicted").mkdir()
    for number in range(8):
        (tmp_path / "expected" / f"{number}.json").write_text('{"total": 1}', "utf-8")
        (tmp_path / "predicted" / f"{number}.json").write_text('{"total": 1}' if number > 1 else "no JSON", "utf-8")
    out, given = tmp_path / "results", (tmp_path / "expected", tmp_path / "predicted")
    done = run("evaluate", *given, "--out", out, "--quiet")
    assert (done.returncode, done.stdout) == (3, "")
    where = f"see {out / 'failures.jsonl'}"
    assert done.stderr == f"2 documents failed or have no usable prediction; {where}\n"
    assert len((out / "failures.jsonl").read_text("utf-8").splitlines()) == 2
    good = run("evaluate", given[0], given[0], "--quiet")
    assert (good.returncode, good.stdout, good.stderr) == (0, "", "")


def test_few_documents_are_marked(tmp_path: Path) -> None:
    """A rate of fewer than 20 documents has a mark, which a line explains; one document has no interval to mark."""
    lines = [{"id": str(k), "expected": {"a": "x", "b": "y"}, "predicted": {"a": "x", "b": "y"}} for k in range(20)]
    lines += [{"id": "with c", "expected": {"c": "z"}, "predicted": {"c": "z"}}]
    pairs = tmp_path / "pairs.jsonl"
    pairs.write_text("\n".join(map(json.dumps, lines)))
    enough = run("evaluate", pairs).stdout
    assert re.search(r"^ a +● 1\.000 0\.832–1\.000 ", enough, re.MULTILINE)
    assert re.search(r"^ c +● 1\.000 – +1\.000 – ", enough, re.MULTILINE)
    assert "fewer than 20" not in enough
    pairs.write_text("\n".join(map(json.dumps, [*lines, {**lines[-1], "id": "again"}])))
    two = run("evaluate", pairs).stdout
    assert re.search(r"^ c +● 1\.000 0\.158–1\.000\*", two, re.MULTILINE)
    assert "* fewer than 20 documents: a rough interval" in two
    pairs.write_text("\n".join(map(json.dumps, lines[:20])))
    assert "fewer than 20" not in run("evaluate", pairs).stdout
    pairs.write_text("\n".join(map(json.dumps, lines[:19])))
    assert re.search(r"^ a +● 1\.000 0\.824–1\.000\*", run("evaluate", pairs).stdout, re.MULTILINE)


def test_the_table_of_fields_has_bounds(folders: tuple[Path, Path], tmp_path: Path) -> None:
    """fields.csv says of each rate what metrics.json says: its bounds and its number of documents."""
    run("evaluate", *folders, "--out", tmp_path)
    fields = metrics_of(tmp_path)["fields"]
    with (tmp_path / "fields.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == len(fields)
    for row in rows:
        for ratio, rate in fields[row["field"]]["rates"].items():
            for bound in ("low", "high", "n"):
                assert row[f"{ratio}_{bound}"] == ("" if rate[bound] is None else str(rate[bound]))


def test_the_spec_it_wrote_gives_the_same_numbers(folders: tuple[Path, Path], tmp_path: Path) -> None:
    """``--schema`` takes the spec.json of an earlier evaluation."""
    run("evaluate", *folders, "--out", tmp_path / "a")
    run("evaluate", *folders, "--out", tmp_path / "b", "--schema", tmp_path / "a" / "spec.json")
    assert metrics_of(tmp_path / "a") == metrics_of(tmp_path / "b")


def test_machines_get_json(folders: tuple[Path, Path]) -> None:
    """``--json`` prints the metrics and nothing else."""
    done = run("evaluate", *folders, "--json")
    found = json.loads(done.stdout)
    assert found["document_count"] == 60
    assert found["aggregate"]["tp"] > 0
    assert len(found["spec_fingerprint"]) == 64


@pytest.mark.parametrize(
    ("limit", "code"),
    [("strict_f1=0.5", 0), ("strict_f1=0.999", 1), ("total:f1=0.1", 0), ("iban:strict_f1=1.0", 1)],
)
def test_limits_decide_the_exit_code(folders: tuple[Path, Path], limit: str, code: int) -> None:
    """A metric below its limit gives 1 and is named."""
    done = run("evaluate", *folders, "--fail-under", limit)
    assert done.returncode == code
    assert ("Below the limit" in done.stderr) == (code == 1)


def test_a_limit_on_nothing_is_not_kept(tmp_path: Path) -> None:
    """Where no document has anything to divide by, that is said, and no rate of 0 is claimed."""
    pairs = tmp_path / "pairs.jsonl"
    pairs.write_text('{"id": "a", "expected": {"total": 1}, "predicted": {}}\n')
    done = run("evaluate", pairs, "--fail-under", "total:precision=0.5")
    assert done.returncode == 1
    assert "total:precision cannot be computed here: there is nothing to divide by" in done.stderr


@pytest.mark.parametrize(
    ("limit", "message"),
    [
        ("strict_f=0.5", "did you mean 'strict_f1'"),
        ("f1", "METRIC=VALUE"),
        ("total=0.5", "for a field it is total:strict_f1=0.5"),
        ("f1=7", "from 0 to 1"),
        ("totals:f1=0.5", "did you mean 'total'"),
    ],
)
def test_wrong_limits_are_refused(folders: tuple[Path, Path], limit: str, message: str) -> None:
    """A limit that means nothing is an error that says what was expected."""
    done = run("evaluate", *folders, "--fail-under", limit)
    assert done.returncode == 2
    assert message in done.stderr


@pytest.mark.parametrize("declared", [False, True])
@pytest.mark.parametrize("form", ["jsonl", "json"])
def test_the_id_that_matches_documents_is_no_value(tmp_path: Path, form: str, declared: bool) -> None:
    """It would be right in every document; where the schema declares it, it is compared as any other value."""
    sides = []
    for name, factor in (("e", 1), ("p", 2)):
        documents = [{"id": f"X{k}", "total": k * factor} for k in range(1, 6)]
        text = json.dumps(documents) if form == "json" else "\n".join(map(json.dumps, documents))
        (tmp_path / f"{name}.{form}").write_text(text)
        sides.append(tmp_path / f"{name}.{form}")
    schema = tmp_path / "schema.json"
    properties = {"total": {"type": "number"}, **({"id": {"type": "string"}} if declared else {})}
    schema.write_text(json.dumps({"type": "object", "properties": properties}))
    inferred = json.loads(run("evaluate", *sides, "--json").stdout)
    given = json.loads(run("evaluate", *sides, "--json", "--schema", schema).stdout)
    assert set(inferred["fields"]) == {"total"}
    assert set(given["fields"]) == ({"id", "total"} if declared else {"total"})


def test_any_output_takes_what_is_printed(folders: tuple[Path, Path]) -> None:
    """Signs that an encoding lacks are replaced; a closed output is no error."""
    command = [sys.executable, "-m", "fieldwise", "evaluate", *map(str, folders)]
    done = subprocess.run(command, capture_output=True, env={"PYTHONIOENCODING": "ascii"}, check=False)
    assert done.returncode == 0, done.stderr
    assert b"60 documents" in done.stdout
    closed = subprocess.run(["sh", "-c", f"{shlex.join(command)} >&-"], capture_output=True, check=False)
    assert (closed.returncode, closed.stderr) == (0, b"")


BROKEN = {
    "not_json.json": b"hello",
    "empty.json": b"",
    "truncated.json": b'{"invoice_number": "A',
    "latin.json": '{"invoice_number": "é"}'.encode("latin-1"),
}


@pytest.fixture(scope="module")
def undamaged(folders: tuple[Path, Path]) -> dict[str, Any]:
    """The metrics of the documents as they are."""
    return json.loads(run("evaluate", *folders, "--json").stdout)  # type: ignore[no-any-return]


@pytest.mark.parametrize("name", BROKEN)
@pytest.mark.parametrize("side", ["expected", "predicted"])
def test_unreadable_files_are_listed(
    folders: tuple[Path, Path], undamaged: dict[str, Any], tmp_path: Path, name: str, side: str
) -> None:
    """An unreadable prediction counts as missed, an unreadable truth is a failure; the rest is evaluated: code 3."""
    sides = {which: tmp_path / which for which in ("expected", "predicted")}
    for which, folder in zip(("expected", "predicted"), folders, strict=True):
        shutil.copytree(folder, sides[which])
    good = next(iter(sorted(folders[0].glob("*.json")))).read_bytes()
    (sides["expected"] / name).write_bytes(good)
    (sides["predicted"] / name).write_bytes(good)
    (sides[side] / name).write_bytes(BROKEN[name])
    done = run("evaluate", sides["expected"], sides["predicted"], "--out", tmp_path / "out")
    assert done.returncode == 3, done.stderr
    found = metrics_of(tmp_path / "out")
    failures = [json.loads(line) for line in (tmp_path / "out" / "failures.jsonl").read_text().splitlines()]
    assert [failure["document"] for failure in failures] == [name.removesuffix(".json")]
    assert failures[0]["kind"] == f"unreadable_{'prediction' if side == 'predicted' else 'expected'}"
    assert name.removesuffix(".json") in done.stdout
    assert found["document_count"] == (61 if side == "predicted" else 60)
    missed = found["aggregate"]["fn"] - undamaged["aggregate"]["fn"]
    assert (missed > 5) == (side == "predicted")


def test_a_byte_order_mark_is_no_error(folders: tuple[Path, Path], tmp_path: Path) -> None:
    """Files that begin with one are read."""
    shutil.copytree(folders[1], tmp_path / "predicted")
    file = next((tmp_path / "predicted").glob("*.json"))
    file.write_bytes(b"\xef\xbb\xbf" + file.read_bytes())
    assert run("evaluate", folders[0], tmp_path / "predicted").returncode == 0


def test_missing_sides_are_told(folders: tuple[Path, Path], tmp_path: Path) -> None:
    """A document without a prediction counts as missed; a prediction without a document is listed, not counted."""
    shutil.copytree(folders[1], tmp_path / "predicted")
    names = sorted((tmp_path / "predicted").glob("*.json"))
    names[0].rename(tmp_path / "predicted" / "nobody_expects.json")
    done = run("evaluate", folders[0], tmp_path / "predicted", "--out", tmp_path / "out")
    found = metrics_of(tmp_path / "out")
    assert done.returncode == 3
    assert found["documents"] == {"no_expected": 1, "no_prediction": 1, "scored": 59}
    assert found["document_count"] == 60
    rows = stored_rows(tmp_path / "out", "documents")
    assert {row["document"]: row["status"] for row in rows if row["status"] != "scored"} == {
        "nobody_expects": "no_expected",
        names[0].stem: "no_prediction",
    }


@pytest.mark.parametrize("content", [None, [], "text", 5])
def test_a_prediction_of_another_shape_is_scored_and_told(
    folders: tuple[Path, Path], tmp_path: Path, content: Any
) -> None:
    """Null, a list or a text in place of a document: every expected value is missed, and the reason is listed."""
    shutil.copytree(folders[1], tmp_path / "predicted")
    file = sorted((tmp_path / "predicted").glob("*.json"))[0]
    file.write_text(json.dumps(content))
    done = run("evaluate", folders[0], tmp_path / "predicted", "--out", tmp_path / "out")
    assert done.returncode == 3
    assert metrics_of(tmp_path / "out")["documents"] == {"scored": 59, "wrong_prediction": 1}


def test_an_empty_input_says_what_was_looked_for(tmp_path: Path) -> None:
    """No documents is an error, not a table of zeros."""
    for name in ("expected", "predicted"):
        (tmp_path / name).mkdir()
    done = run("evaluate", tmp_path / "expected", tmp_path / "predicted")
    assert done.returncode == 2
    assert ".json" in done.stderr


def test_a_full_disk_leaves_no_half_file(pairs_file: Path, tmp_path: Path) -> None:
    """Where nothing more can be written, the command says so; there are no results, and no table is half there."""
    out = tmp_path / "out"
    code = (
        "import resource, signal, sys\n"
        "signal.signal(signal.SIGXFSZ, signal.SIG_IGN)\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (20_000, 20_000))\n"
        "from fieldwise.cli import main\n"
        f"sys.argv = ['fieldwise', 'evaluate', {str(pairs_file)!r}, '--out', {str(out)!r}]\n"
        "main()"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 2, done.stderr
    assert "File too large" in done.stderr
    assert {path.name for path in out.iterdir() if not path.name.startswith(".")} <= {*TABLES}
    assert all(pq.read_table(path).num_rows > 0 for path in out.glob("*/*.parquet"))


WAITING = """
import signal, sys, time
from pathlib import Path
from fieldwise import register_comparator
from fieldwise.cli import main

here = Path(sys.argv.pop())

def waits(expected, predicted):
    if not here.exists():
        here.touch()
        while True:
            time.sleep(60)
    return 1.0

signal.signal(signal.SIGINT, signal.default_int_handler)  # which whoever runs the tests may ignore
register_comparator("Waits", waits)
main()
"""
"""The command line with a comparator that says that it was asked, once, and waits to be interrupted."""


def test_control_c_leaves_a_state_to_resume(tmp_path: Path) -> None:
    """An interrupted evaluation says how to go on, and goes on."""
    many, schema, out, here = (tmp_path / name for name in ("many.jsonl", "schema.json", "out", "here"))
    documents = [(number, "other" if number == 5500 else "same") for number in range(6000)]
    rows = [{"id": f"{n:04d}", "expected": {"a": "same"}, "predicted": {"a": value}} for n, value in documents]
    many.write_text("".join(json.dumps(row) + "\n" for row in rows))
    field = {"type": "string", "x-fieldwise-comparator": "Waits", "x-fieldwise-threshold": 0.5}
    schema.write_text(json.dumps({"type": "object", "properties": {"a": field}}))
    arguments = ["evaluate", str(many), "--schema", str(schema), "--out", str(out)]
    command = [sys.executable, "-c", WAITING]
    process = subprocess.Popen([*command, *arguments, str(here)], stderr=subprocess.PIPE, text=True)
    while not here.exists() and process.poll() is None:
        time.sleep(0.01)
    process.send_signal(signal.SIGINT)
    _, errors = process.communicate()
    assert process.returncode == 130, errors
    assert list(out.glob(".fieldwise-work/*.state.json")), "the first shard is done"
    again = shlex.split(errors.partition("go on with: ")[2])
    assert again == ["fieldwise", *arguments, "--resume"]
    done = subprocess.run([*command, *again[1:], str(here)], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert metrics_of(out)["document_count"] == len(rows)


def test_results_that_exist_are_added_up(folders: tuple[Path, Path], tmp_path: Path) -> None:
    """``aggregate`` reads results of comparisons; what is malformed is listed and changes no count."""
    documents = {p.relative_to(folders[0]): json.loads(p.read_bytes()) for p in sorted(folders[0].rglob("*.json"))}
    plan = Plan.compile(Spec.infer(list(documents.values())))
    results = tmp_path / "results"
    for name, expected in documents.items():
        predicted = json.loads((folders[1] / name).read_bytes())
        shown = plan.compare(expected, predicted).to_dict(include_confusion_matrix=True, document_non_matches=True)
        (results / name).parent.mkdir(parents=True, exist_ok=True)
        (results / name).write_text(json.dumps(shown))
    good = json.loads(run("aggregate", results, "--json").stdout)
    assert good["document_count"] == 60
    assert good["fields"]["total"]["rates"]["strict_f1"]["n"] == 60
    (results / "bad.json").write_text('{"confusion_matrix": {"overall": {"tp": -1}}}')
    (results / "worse.json").write_text('{"confusion')
    done = run("aggregate", f"{results}/**/*.json", "--out", tmp_path / "out")
    found = metrics_of(tmp_path / "out")
    assert done.returncode == 3
    assert {key: found[key] for key in ("overall", "fields", "aggregate")} == {
        key: good[key] for key in ("overall", "fields", "aggregate")
    }
    assert found["error_count"] == 2
    assert {path.name for path in (tmp_path / "out").iterdir()} == {
        "metrics.json",
        "fields.csv",
        "failures.jsonl",
        "report.html",
    }


def test_whole_evaluations_are_not_added_up(folders: tuple[Path, Path], tmp_path: Path) -> None:
    """A folder of ``evaluate --out`` or its metrics, which hold many documents, are refused with what to use."""
    assert run("evaluate", *folders, "--out", tmp_path / "out").returncode == 0
    for given in (tmp_path / "out", tmp_path / "out" / "metrics.json", tmp_path):
        done = run("aggregate", given)
        assert done.returncode == 2, done.stdout
        assert "metrics of a whole evaluation" in done.stderr
        assert "fieldwise diff" in done.stderr


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"document_class": {"type": "Invoice"}}, "Expected the class of a document to be text, got dict"),
        ({"document_class": ["Invoice"]}, "Expected the class of a document to be text, got list"),
        ({"metrics": "none"}, "Expected a confusion matrix, got str"),
        ({"metrics": [1]}, "Expected a confusion matrix, got list"),
        ({"metrics": 5}, "Expected a confusion matrix, got int"),
    ],
)
def test_malformed_sections_are_failures(tmp_path: Path, change: dict[str, Any], words: str) -> None:
    """A class that is no text, and metrics that are none, are listed; the other sections count."""
    matrix = {"overall": {"tp": 1}, "fields": {"a": {"overall": {"tp": 1, "fp": 0, "fn": 0, "tn": 0}}}}
    section = {"document_class": "Invoice", "metrics": {"confusion_matrix": matrix}}
    result = {"document_id": "d", "section_results": [section, {**section, **change}]}
    (tmp_path / "results.json").write_text(json.dumps(result))
    done = run("aggregate", tmp_path, "--json")
    found = json.loads(done.stdout)
    assert done.returncode == 3
    assert (found["document_count"], found["fields"]["a"]["tp"]) == (1, 1)
    assert found["fields"]["a"]["rates"]["precision"]["n"] == 1
    assert [(error["doc_id"], error["error"]) for error in found["errors"]] == [("d", words)]


def test_the_mean_overall_score_goes_by_its_name(tmp_path: Path) -> None:
    """What ``aggregate`` averages is the overall score of results, which is not the weighted score of ``evaluate``."""
    matrix = {"overall": {"tp": 1}, "fields": {"a": {"overall": {"tp": 1, "fp": 0, "fn": 0, "tn": 0}}}}
    for name, score in (("a", 0.5), ("b", 1.0)):
        (tmp_path / f"{name}.json").write_text(json.dumps({"overall_score": score, "confusion_matrix": matrix}))
    found = json.loads(run("aggregate", tmp_path, "--json").stdout)
    assert found["document_metrics"]["mean_overall_score"]["value"] == 0.75
    assert found["document_metrics"]["weighted_score"]["value"] is None
    shown = run("aggregate", tmp_path, "--fail-under", "mean_overall_score=0.9")
    assert shown.returncode == 1
    assert re.search(r"mean overall score +0\.750", shown.stdout)
    assert "weighted score" not in shown.stdout
    wrong = run("aggregate", tmp_path, "--fail-under", "weighted_score=0.9")
    assert (wrong.returncode, "did you mean 'mean_overall_score'" in wrong.stderr) == (2, True)


def test_metrics_begin_with_all_values(folders: tuple[Path, Path], tmp_path: Path) -> None:
    """Whoever opens metrics.json reads the headline first."""
    done = run("evaluate", *folders, "--out", tmp_path, "--json")
    assert next(iter(metrics_of(tmp_path))) == next(iter(json.loads(done.stdout))) == "aggregate"


@pytest.mark.parametrize("width", [60, 80, 110, 150])
def test_names_are_broken_between_words(tmp_path: Path, width: int) -> None:
    """Long names of fields are broken after dots and underscores, and nothing of them is lost."""
    name = "a_long_field_name_number_63_of_the_invoice_header_block"
    document = {name: "x", "statementLineItems": [{"currentYearAmount": 5}]}
    path = tmp_path / "pairs.jsonl"
    path.write_text(json.dumps({"id": "1", "expected": document, "predicted": document}))
    done = run("evaluate", path, COLUMNS=str(width))
    assert max(map(len, done.stdout.splitlines())) <= width
    table = done.stdout.split("field, worst first")[1].partition("95%: interval")[0].partition("widen the")[0]
    parts = [line.split()[0] for line in table.splitlines()[1:] if line.strip() and not line.strip().startswith("─")]
    joined = "".join(parts)
    assert name in joined
    assert "statementLineItems.currentYearAmount" in joined
    whole = (name, "statementLineItems.currentYearAmount", "rows")
    assert [part for part in parts if part[-1] not in "._" and not any(one.endswith(part) for one in whole)] == []


def test_sections_of_one_document_count_once(tmp_path: Path) -> None:
    """A results.json with sections is one document."""
    matrix = {"overall": {"tp": 1}, "fields": {"a": {"overall": {"tp": 1, "fp": 0, "fn": 0, "tn": 0}}}}
    section = {"document_class": "Invoice", "metrics": {"confusion_matrix": matrix}}
    (tmp_path / "results.json").write_text(json.dumps({"document_id": "d", "section_results": [section, section]}))
    found = json.loads(run("aggregate", tmp_path, "--json").stdout)
    assert found["document_count"] == 1
    assert found["fields"]["a"]["tp"] == 2


def test_suffixes_of_results_may_be_in_any_case(tmp_path: Path) -> None:
    """``.JSON`` and ``.Jsonl`` are read as ``.json`` and ``.jsonl``; of what is not read, a sentence tells."""
    result = {"confusion_matrix": {"overall": {"tp": 1}, "fields": {"a": {"overall": {"tp": 1, "fp": 0, "fn": 0}}}}}
    (tmp_path / "a.json").write_text(json.dumps(result))
    (tmp_path / "B.JSON").write_text(json.dumps(result))
    (tmp_path / "c.Jsonl").write_text(f"{json.dumps(result)}\n{json.dumps(result)}\n")
    for name in ("notes.txt", "more.txt", ".DS_Store"):
        (tmp_path / name).write_text("no result")
    assert json.loads(run("aggregate", tmp_path, "--json").stdout)["document_count"] == 4
    shown = run("aggregate", tmp_path, COLUMNS="200").stdout
    assert "2 files were not read, such as 'more.txt'; only .json and .jsonl files are." in shown


def test_files_that_are_not_read_are_told(folders: tuple[Path, Path], tmp_path: Path) -> None:
    """Where a folder holds other files, a sentence says how many, with an example; hidden files are no matter."""
    shutil.copytree(folders[1], tmp_path / "predicted")
    assert "not read" not in run("evaluate", folders[0], tmp_path / "predicted", COLUMNS="200").stdout
    (tmp_path / "predicted" / ".DS_Store").touch()
    (tmp_path / "predicted" / "a" / "inv-900.jsonl").touch()
    done = run("evaluate", folders[0], tmp_path / "predicted", "--out", tmp_path / "out", COLUMNS="200")
    assert "1 file was not read, such as 'a/inv-900.jsonl'; only .json files are." in done.stdout
    assert done.returncode == 0


def test_the_id_of_a_single_file_is_its_name_without_the_suffix(tmp_path: Path) -> None:
    """In whatever case the suffix is."""
    for name in ("INV-1.JSON", "other.Json"):
        (tmp_path / name).write_text('{"total": 1}')
    run("evaluate", tmp_path / "INV-1.JSON", tmp_path / "other.Json", "--out", tmp_path / "out")
    assert [row["document"] for row in stored_rows(tmp_path / "out", "documents")] == ["INV-1"]


@pytest.mark.parametrize("command", ["evaluate", "aggregate", "vendor-lambda", "compare"])
def test_help_has_examples(command: str) -> None:
    """Every command shows examples."""
    assert "Examples:" in run(command, "--help").stdout


def test_any_json_is_evaluated(tmp_path: Path) -> None:
    """NaN, half surrogates, huge integers, odd names, markup, nesting of depth 5,000: nothing stops it."""
    deep, big = '{"d":' * 5000 + "1" + "}" * 5000, 10**400
    lines = [
        '{"id": "nan", "expected": {"a": NaN, "b.c": "=x", "": 1}, "predicted": {"a": 1, "d[0]": "</script>"}}',
        "not json",
        "",
        f'{{"id": "big", "expected": {{"a": {big}, "t": "\\ud800"}}, "predicted": {{"a": {big + 1}, "t": "x"}}}}',
        f'{{"id": "deep", "expected": {deep}, "predicted": {deep}}}',
        '{"id": "null", "expected": null, "predicted": {"a": 1}}',
        "[1, 2]",
    ]
    (tmp_path / "pairs.jsonl").write_text("\n".join(lines), encoding="utf-8")
    done = run("evaluate", tmp_path / "pairs.jsonl", "--out", tmp_path / "out")
    assert done.returncode == 3, done.stderr
    found = metrics_of(tmp_path / "out")
    assert found["documents"] == {"scored": 4, "unreadable_expected": 2}
    assert found["fields"]["a"]["fd"] == 1
    assert found["fields"]["a"]["fa"] == 2
    assert "</script><" not in (tmp_path / "out" / "fields.csv").read_text(encoding="utf-8")
