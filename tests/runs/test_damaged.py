"""Finished evaluations that are damaged: told in one line with file and place, never a traceback and never a number."""

from __future__ import annotations

import json
import shutil
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from fieldwise import Spec
from fieldwise.api import evaluate_pairs
from fieldwise.errors import InputError
from fieldwise.readers.pairs import MISSING, open_pairs
from fieldwise.results.notes import Note
from fieldwise.runs.folder_run import open_run
from tests.folders import part_of, sealed
from tests.page_answers import difference_in
from tests.runs.results import EXACT, Json, answer, command, difference, document, refused, write_run

METRICS = "metrics.json"
Arguments = list[str | Path]


@pytest.fixture(scope="module")
def base(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run of 12 documents, some values of which are wrong."""
    pairs = {f"d{number:02d}": document(number, wrong=["name"] if number % 3 else ["items"]) for number in range(12)}
    return write_run(tmp_path_factory.mktemp("base"), sure(pairs))


def sure(pairs: Mapping[str, tuple[Json, Json]]) -> dict[str, tuple[Json, Json]]:
    """Return pairs whose predictions say how sure they are of a value."""
    return {
        name: (expected, {**predicted, "total": {"_value": predicted["total"], "_confidence": 0.5 + at / 30}})
        for at, (name, (expected, predicted)) in enumerate(pairs.items())
    }


@pytest.fixture
def run(base: Path, tmp_path: Path) -> Path:
    """A copy of it, to damage."""
    return Path(shutil.copytree(base, tmp_path / "run"))


def comparing(base: Path, run: Path) -> list[Arguments]:
    """The commands that read counts and errors by field."""
    return [["diff", base, run], ["gate", "--baseline", base, run]]


def looking(run: Path) -> list[Arguments]:
    """The commands that read values, confidences or scores."""
    return [["calibrate", run], ["sweep", run, "name"], ["show", run]]


def all_refused(base: Path, run: Path, *words: str) -> None:
    """Every command that reads a run back says these words, in one line, and that the input is bad."""
    are_refused([*comparing(base, run), *looking(run)], *words)


def are_refused(commands: Sequence[Arguments], *words: str) -> None:
    """These commands do."""
    for arguments in commands:
        done = command(*arguments)
        assert isinstance(done.exception, InputError), (arguments, done.exception)
        said = str(done.exception)
        assert "\n" not in said
        assert all(word in said for word in words), (arguments, said)


def edit_metrics(path: Path, steps: Sequence[str], value: Json) -> None:
    """Put a value into a metrics file."""
    metrics = json.loads(path.read_bytes())
    inner = metrics
    for step in steps[:-1]:
        inner = inner[step]
    inner[steps[-1]] = value
    path.write_text(json.dumps(metrics), encoding="utf-8")
    sealed(path.parent)


NUMBER, SHARE, COUNT, TEXT = "`float | null`", "`float` <= 1.0", "`int`", "`str | null`"


@pytest.mark.parametrize(
    ("steps", "value", "expected", "got"),
    [
        (["spec_fingerprint"], 5, TEXT, "5"),
        (["spec_fingerprint"], ["x"], TEXT, "a list"),
        (["scorer_version"], 7, TEXT, "7"),
        (["document_count"], "many", COUNT, '"many"'),
        (["document_count"], True, COUNT, "true"),
        (["document_count"], -1, "`int` >= 0", "-1"),
        (["document_count"], 12.0, COUNT, "12.0"),
        (["documents"], [], "`object`", "a list"),
        (["documents", "scored"], "12", COUNT, '"12"'),
        (["aggregate"], [], "`object`", "a list"),
        (["aggregate", "tp"], None, COUNT, "null"),
        (["aggregate", "strict_f1"], "0.9", NUMBER, '"0.9"'),
        (["aggregate", "strict_f1"], 5, SHARE, "5"),
        (["aggregate", "strict_f1"], -1, "`float` >= 0.0", "-1"),
        (["aggregate", "strict_f1"], True, NUMBER, "true"),
        (["aggregate", "rates"], [1], "`object`", "a list"),
        (["aggregate", "rates"], None, "`object`", "null"),
        (["aggregate", "rates", "strict_f1"], None, "`object`", "null"),
        (["aggregate", "rates", "strict_f1", "low"], "x", NUMBER, '"x"'),
        (["aggregate", "rates", "strict_f1", "n"], "many", COUNT, '"many"'),
        (["fields"], "x", "`object`", '"x"'),
        (["fields", "total"], "x", "`object`", '"x"'),
        (["fields", "total", "rates", "recall", "high"], 1.5, SHARE, "1.5"),
    ],
)
def test_metrics_of_wrong_types_are_refused(
    base: Path, run: Path, steps: Sequence[str], value: Json, expected: str, got: str
) -> None:
    """The place inside, what was expected and what was found are told, also where metrics files alone are compared."""
    edit_metrics(run / METRICS, steps, value)
    said = f"Expected {expected}, got {got} - at $.{'.'.join(steps)} in {run / METRICS}"
    all_refused(base, run, said)
    assert said in refused("diff", base / METRICS, run / METRICS)


@pytest.mark.parametrize(
    ("steps", "value", "said"),
    [
        (["unmatched"], "rows", "Invalid enum value 'rows' - at $.unmatched in "),
        (["aggregate", "strict_f1"], float("nan"), "JSON is malformed"),
        (["format"], "fieldwise.metrics/9", "got 'fieldwise.metrics/9'; they are of another version of fieldwise"),
    ],
)
def test_metrics_that_nobody_can_read_are_refused(
    base: Path, run: Path, steps: Sequence[str], value: Json, said: str
) -> None:
    """A word that is none of those known, a number that JSON does not have, and a format of later are told."""
    edit_metrics(run / METRICS, steps, value)
    all_refused(base, run, said)


def test_metrics_of_the_first_version_are_read(base: Path, run: Path) -> None:
    """They did not name their format, and had the bounds of rates under ``intervals``."""
    metrics = json.loads((run / METRICS).read_bytes())
    del metrics["format"], metrics["document_metrics"], metrics["limits"]
    for row in (metrics["aggregate"], *metrics["fields"].values()):
        row["intervals"] = {name: {k: rate[k] for k in ("low", "high", "n")} for name, rate in row.pop("rates").items()}
        del row["scope"]
    (run / METRICS).write_text(json.dumps(metrics), encoding="utf-8")
    sealed(run)
    assert difference(base, run)["finding"] == "equal"
    assert open_run(run).metrics.aggregate.rates == open_run(base).metrics.aggregate.rates


def test_metrics_may_say_more_than_is_known(base: Path, run: Path) -> None:
    """Another version may write other keys; a rate that is null is undefined."""
    for steps in (["later"], ["aggregate", "later"], ["fields", "total", "rates", "later"]):
        edit_metrics(run / METRICS, steps, ["anything"])
    edit_metrics(run / METRICS, ["aggregate", "rates", "strict_f1", "value"], None)
    assert difference(base, run)["finding"] == "equal"
    assert difference(base / METRICS, run / METRICS)["total"]["delta"] is None


TABLES = ("documents", "pairs", "errors", "counts", "scores", "confidences")
FILES = (*TABLES, METRICS, "spec.json", "manifest.json")


def file_of(run: Path, name: str) -> Path:
    """Return a file of a run, or that of a table."""
    return part_of(run, name) if name in TABLES else run / name


def answers(base: Path, run: Path) -> list[tuple[int, str]]:
    """Return what every command that reads a run back says, and whether it refuses that."""
    found = []
    wrong: Arguments = ["show", run, "--outcome", "wrong"]
    for arguments in [*comparing(base, run), *looking(run), wrong]:
        done = command(*arguments)
        if isinstance(done.exception, InputError):
            said = str(done.exception)
            assert "\n" not in said
            found.append((2, said))
        else:
            assert done.exception is None or isinstance(done.exception, SystemExit), (arguments, done.exception)
            found.append((0, done.output))
    return found


def refused_or_the_same(base: Path, run: Path, path: Path, right: Sequence[tuple[int, str]]) -> int:
    """Hold every command to naming the file or answering as before; return how many name it."""
    found = answers(base, run)
    named = [code == 2 and str(path) in said for code, said in found]
    assert all(names or one == other for names, one, other in zip(named, found, right, strict=True)), found
    return sum(named)


def cut(content: bytes) -> bytes:
    return content[: len(content) // 2]


def nothing(content: bytes) -> bytes:
    return b""


def longer(content: bytes) -> bytes:
    return content + content


def zeros(content: bytes) -> bytes:
    return content[:4] + bytes(8) + content[12:]


@pytest.fixture(scope="module")
def other(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Another run of as many documents."""
    pairs = {f"d{number:02d}": document(number, wrong=["code"]) for number in range(12)}
    return write_run(tmp_path_factory.mktemp("other"), sure(pairs))


@pytest.mark.parametrize("name", FILES)
def test_damaged_files_are_refused(base: Path, run: Path, other: Path, name: str) -> None:
    """One that is cut off, empty, too long, partly lost, of another run, gone or a folder is named by what reads it."""
    right, path = answers(base, run), file_of(run, name)
    content = path.read_bytes()
    damages = [change(content) for change in (cut, nothing, longer, zeros)]
    if name != "manifest.json":  # by which all others would be of another run
        damages += [file_of(other, name).read_bytes()]
    for damage in damages:
        path.write_bytes(damage)
        is_read = name != "scores" and damage != content
        assert refused_or_the_same(base, run, path, right) > 0 or not is_read
    path.unlink()
    gone = answers(base, run)
    path.mkdir()
    for found in (gone, answers(base, run)):  # some name the folder of a file that is not there
        assert all(said[0] == 2 or said == other for said, other in zip(found, right, strict=True))


def test_the_manifest_of_another_run_is_refused(base: Path, run: Path, other: Path) -> None:
    """It names files that are not there."""
    shutil.copy(other / "manifest.json", run / "manifest.json")
    assert all(code == 2 for code, _ in answers(base, run))


def whole(run: Path) -> tuple[Any, ...]:
    """Return everything that a run says when it is read in Python."""
    opened = open_run(run)
    rows = [opened.verdicts().to_arrow().to_pylist(), opened.documents().to_arrow().to_pylist()]
    by_field = [
        (opened.counts(field).to_pylist(), opened.errors(field).to_pylist(), opened.score_histogram(field))
        for field in opened.fields()
    ]
    return opened.metrics, opened.spec(), *rows, by_field, opened.confidences().to_pylist(), list(opened.failures())


@pytest.mark.parametrize("name", FILES)
def test_no_flipped_byte_changes_an_answer(run: Path, name: str) -> None:
    """Wherever it is: the file is refused with its name, or what is read is the same."""
    right, path = whole(run), file_of(run, name)
    content = path.read_bytes()
    for at in range(0, len(content), max(1, len(content) // 40)):
        path.write_bytes(content[:at] + bytes([content[at] ^ 0x41]) + content[at + 1 :])
        try:
            assert whole(run) == right
        except InputError as error:
            assert str(path) in str(error)  # noqa: PT017  # both are right


def test_a_run_of_an_earlier_version_is_not_read(base: Path, run: Path) -> None:
    """Without a manifest there are metrics alone, and what needs more says so."""
    (run / "manifest.json").unlink()
    for name in TABLES:
        shutil.rmtree(run / name)
    are_refused(looking(run), "a folder with the tables of an evaluation; evaluate into a folder")


def test_a_spec_that_is_none_is_refused(run: Path) -> None:
    """A sweep names the file whose settings are wrong."""
    (run / "spec.json").write_text('{"type": "object", "properties": {"name": {"x-aws-stickler-threshold": 7}}}')
    sealed(run)
    assert str(run / "spec.json") in refused("sweep", run, "name")


PROPERTIES: Json = EXACT["properties"]
NESTED: Json = {
    "type": "object",
    "properties": {
        "name": PROPERTIES["name"],
        "grid": {"type": "array", "items": {"type": "array", "items": {"type": "string"}}},
        "items": PROPERTIES["items"],
    },
}
ODD = {
    "plain": document(1, wrong=["name", "items"]),
    "missing": (document(2)[0], MISSING),
    "unusable": (document(3)[0], "no object"),
    "unexpected": (MISSING, document(4)[1]),
    "undeclared": (document(5)[0], {**document(5)[1], "extra": {"deep": [1, 2]}}),
    "stray": ({"name": {"first": "a"}, "items": "none"}, {"name": ["a"], "items": [{"sku": "a"}, 7]}),
    "lists": ({"grid": [["a", "b"], ["c"]]}, {"grid": [["a"], ["c", "d"], []]}),
    "nothing": ({}, {}),
}


@pytest.mark.parametrize("unmatched", ["leaves", "objects"])
def test_whatever_was_evaluated_can_be_read_back(tmp_path: Path, unmatched: Any) -> None:
    """Documents of every kind leave files that agree."""
    pairs = tmp_path / "pairs.jsonl"
    rows = ({"id": name, "expected": one, "predicted": other} for name, (one, other) in ODD.items())
    given = [{key: value for key, value in row.items() if value is not MISSING} for row in rows]
    given[0]["alternates"] = {"name": ["name 1", "wrong name"]}
    pairs.write_text("".join(json.dumps(row) + "\n" for row in given), encoding="utf-8")
    for name, spec in (("declared", Spec.from_json_schema(NESTED)), ("inferred", None)):
        evaluate_pairs(open_pairs(str(pairs)), spec, out=tmp_path / name, unmatched=unmatched, shard_documents=3)
        found = difference(tmp_path / name, tmp_path / name)
        assert found["finding"] == "equal"
        assert found["flips"] == {"fixed": 0, "broken": 0, "shown": [], "fields": {}}


def test_a_value_invented_in_two_rows_of_one_place(tmp_path: Path) -> None:
    """What is invented in a paired row and in a row without a partner has its own place in the predicted document."""
    expected = {"items": [{"sku": None, "price": 1.0}]}
    two = {"items": [{"sku": "a", "price": None}, {"sku": "a", "price": 1.0}]}
    runs = [
        write_run(tmp_path / name, {f"d{number}": (expected, predicted) for number in range(4)})
        for name, predicted in (("two", two), ("none", expected))
    ]
    assert difference(runs[0], runs[0])["finding"] == "equal"
    better, worse = difference(runs[0], runs[1])["flips"], difference(runs[1], runs[0])["flips"]
    invented = [flip["path"] for flip in better["shown"] if flip["expected"] is None]
    assert invented == ["items[0].sku", "items[1].sku"] * 4
    assert (better["fixed"], better["broken"]) == (worse["broken"], worse["fixed"])
    assert better["broken"] == 0


def test_an_invented_row_at_another_position_is_no_flip(tmp_path: Path) -> None:
    """What was invented is known by its values: the same invented row counts once more or once less, not elsewhere."""
    known, invented = {"sku": "known-sku", "price": 1.0}, {"sku": "zzzzz", "price": 99.5}
    expected = {"items": [known]}
    first, last, twice = ([invented, known], [known, invented], [invented, known, invented])
    runs = [
        write_run(tmp_path / name, {f"d{number}": (expected, {"items": items}) for number in range(4)})
        for name, items in (("first", first), ("last", last), ("twice", twice))
    ]
    moved, more = difference(runs[0], runs[1])["flips"], difference(runs[1], runs[2])["flips"]
    assert moved == {"fixed": 0, "broken": 0, "shown": [], "fields": {}}
    assert (more["fixed"], more["broken"]) == (0, 8)
    assert {flip["candidate"] for flip in more["shown"]} == {"zzzzz", "99.5"}


def told(*arguments: str | Path) -> str:
    """Return what a command prints, as one line."""
    done = command(*arguments, columns=400)
    assert done.exception is None or isinstance(done.exception, SystemExit), done.exception
    return " ".join(done.output.split())


def test_documents_without_a_usable_prediction_are_told_by_both_commands(base: Path, tmp_path: Path) -> None:
    """Those that are compared are counted, for either run, in the same words."""
    pairs = {f"d{number:02d}": document(number) for number in range(12)}
    less = {name: (one, None if k < 5 else other) for k, (name, (one, other)) in enumerate(pairs.items())}
    run = write_run(tmp_path, less)
    words = "without a usable prediction in the {}, counted there as missed (d00, d01, d02, …)"
    said = "5 documents " + words
    assert told("diff", base, run).count(said.format("candidate")) == 1
    assert told("diff", run, base).count(said.format("base")) == 1
    assert told("gate", "--baseline", base, run).count(said.format("candidate")) == 1
    assert told("gate", "--baseline", run, base).count(said.format("base")) == 1
    assert "usable" not in told("diff", base, base)
    page = tmp_path / "page.html"
    command("diff", base, run, "--html", page)
    facts = {"run": "candidate", "count": 5, "first": ["d00", "d01", "d02"]}
    assert Note("runs.without_prediction", facts) in difference_in(page).notes


def test_documents_that_are_left_out_do_not_count_as_missed(tmp_path: Path) -> None:
    """A document without a prediction that the other run could not read is left out, and said to be so only."""
    pairs = {f"d{number:02d}": document(number) for number in range(12)}
    without = {name: (one, None if name == "d00" else other) for name, (one, other) in pairs.items()}
    base = write_run(tmp_path / "base", {**pairs, "d00": (MISSING, pairs["d00"][1])})
    run = write_run(tmp_path / "run", without)
    for arguments in (("diff", base, run), ("gate", "--baseline", base, run)):
        said = told(*arguments)
        assert "which one of them does not score, left out (d00)" in said
        assert "usable" not in said


def test_versions_that_differ_are_told_by_both_commands(base: Path, run: Path) -> None:
    """Another fieldwise may compare otherwise; each command says so once."""
    edit_metrics(run / METRICS, ["scorer_version"], "0.0.1")
    words = "Compared by different versions: 0.0.1 and "
    assert told("diff", run, base).count(words) == 1
    assert told("gate", "--baseline", run, base).count(words) == 1
    assert "different versions" not in told("diff", base, base)
    [note] = (n for n in answer("--baseline", run, base)["notes"] if n["code"] == "runs.different_versions")
    assert note["facts"]["base"] == "0.0.1"
