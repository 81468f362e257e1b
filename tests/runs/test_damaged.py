"""Finished evaluations that are damaged: told in one line with file and place, never a traceback and never a number."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from fieldwise import Spec
from fieldwise.api import evaluate_pairs
from fieldwise.errors import InputError
from fieldwise.readers.pairs import MISSING, open_pairs
from fieldwise.results.notes import Note
from fieldwise.runs.folder_run import open_run
from tests.page_answers import difference_in
from tests.runs.results import EXACT, Json, answer, command, difference, document, refused, tables, write_run

Table = Any
VERDICTS, PART, DOCUMENTS, METRICS = "verdicts", "verdicts/000000.parquet", "documents.parquet", "metrics.json"
COUNTS, ERRORS = "counts.parquet", "errors.parquet"
Arguments = list[str | Path]


@pytest.fixture(scope="module")
def base(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run of 12 documents, some values of which are wrong."""
    pairs = {f"d{number:02d}": document(number, wrong=["name"] if number % 3 else ["items"]) for number in range(12)}
    return write_run(tmp_path_factory.mktemp("base"), pairs)


@pytest.fixture
def run(base: Path, tmp_path: Path) -> Path:
    """A copy of it, to damage."""
    return Path(shutil.copytree(base, tmp_path / "run"))


def comparing(base: Path, run: Path) -> list[Arguments]:
    """The commands that read counts and errors by field."""
    return [["diff", base, run], ["gate", "--baseline", base, run]]


def looking(run: Path) -> list[Arguments]:
    """The commands that read verdict rows."""
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


def edit_table(path: Path, change: Callable[[Table], Table]) -> None:
    """Write a table again, changed."""
    pq.write_table(change(pq.read_table(path)), path)


def with_column(name: str, values: Callable[[int], Sequence[Any]], kind: Any = None) -> Callable[[Table], Table]:
    """Return what replaces a column."""

    def change(table: Table) -> Table:
        return table.set_column(table.schema.get_field_index(name), name, pa.array(values(len(table)), kind))

    return change


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
    assert difference(base, run)["finding"] == "equal"
    assert open_run(run).metrics.aggregate.rates == open_run(base).metrics.aggregate.rates


def test_metrics_may_say_more_than_is_known(base: Path, run: Path) -> None:
    """Another version may write other keys; a rate that is null is undefined."""
    for steps in (["later"], ["aggregate", "later"], ["fields", "total", "rates", "later"]):
        edit_metrics(run / METRICS, steps, ["anything"])
    edit_metrics(run / METRICS, ["aggregate", "rates", "strict_f1", "value"], None)
    assert difference(base, run)["finding"] == "equal"
    assert difference(base / METRICS, run / METRICS)["total"]["delta"] is None


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (with_column("outcome", lambda n: ["match"] * (n - 1) + ["bogus"]), "got 'bogus' - in row 108 of"),
        (with_column("outcome", lambda n: ["match", None] * (n // 2)), "outcome a value, got none - in row 2 of"),
        (with_column("field", lambda n: [None] * n, pa.string()), "field a value, got none - in row 1 of"),
        (with_column("document", range), "Expected texts in the column document of"),
        (with_column("raw_score", lambda n: ["1.0"] * n), "Expected numbers in the column raw_score of"),
        (with_column("confidence", lambda n: [True] * n), "got true or false; evaluate again"),
        (with_column("schema_version", lambda n: [99] * n), "Expected rows of version 3 in"),
        (with_column("schema_version", lambda n: [3] * (n - 1) + [2]), "got version 2; evaluate again"),
        (with_column("schema_version", lambda n: [3] * (n - 1) + [None]), "schema_version a value, got none"),
        (lambda table: table.drop_columns(["outcome"]), "it has no outcome"),
        (lambda table: table.drop_columns(["schema_version"]), "it has no schema_version"),
    ],
)
def test_damaged_rows_are_refused(base: Path, run: Path, change: Callable[[Table], Table], said: str) -> None:
    """Types, names of outcomes, missing values and versions are looked at by every command that reads rows."""
    edit_table(run / PART, change)
    are_refused(looking(run), said, str(run / PART))


@pytest.mark.parametrize(
    ("name", "change", "said"),
    [
        (ERRORS, with_column("outcome", lambda n: ["match"] * (n - 1) + ["bogus"]), "got 'bogus' - in row 16 of"),
        (ERRORS, with_column("outcome", lambda n: ["match", None] * (n // 2)), "outcome a value, got none - in row 2"),
        (ERRORS, with_column("field", lambda n: [None] * n, pa.string()), "field a value, got none - in row 1 of"),
        (ERRORS, with_column("document", lambda n: ["d"] * n), "Expected whole numbers in the column document of"),
        (ERRORS, with_column("document", lambda n: [99] * n), "there is no document 99 of 12"),
        (ERRORS, with_column("path", lambda n: [None] * n, pa.string()), "path a value, got none - in row 1 of"),
        (ERRORS, lambda table: table.drop_columns(["outcome"]), "it has no outcome"),
        (COUNTS, with_column("tp", lambda n: [1] * (n - 1) + [None]), "tp a value, got none - in row 60 of"),
        (COUNTS, with_column("tp", lambda n: ["1"] * n), "Expected whole numbers in the column tp of"),
        (COUNTS, with_column("document", lambda n: [-1] * n), "there is no document -1 of 12"),
        (COUNTS, lambda table: table.drop_columns(["fa", "tn"]), "it has no fa, tn"),
        (COUNTS, with_column("tp", lambda n: [7] * n), "the outcome match comes 35 and "),
    ],
)
def test_damaged_counts_and_errors_are_refused(
    base: Path, run: Path, name: str, change: Callable[[Table], Table], said: str
) -> None:
    """What is read field by field is looked at as rows are."""
    edit_table(run / name, change)
    are_refused(comparing(base, run), said, str(run / name))


@pytest.mark.parametrize("name", [COUNTS, ERRORS])
@pytest.mark.parametrize("kept", [0, 1, 10])
def test_counts_and_errors_that_were_cut_off_are_refused(base: Path, run: Path, name: str, kept: int) -> None:
    """A document and both numbers are told."""
    edit_table(run / name, lambda table: table.slice(0, kept))
    are_refused(comparing(base, run), str(run / name), "are not of one evaluation", "times in document d", "again")


@pytest.mark.parametrize(("name", "what"), [(COUNTS, "every document once for"), (ERRORS, "every place once in")])
def test_counts_and_errors_that_come_twice_are_refused(base: Path, run: Path, name: str, what: str) -> None:
    """A field has one count in a document, and a place one row."""
    edit_table(run / name, lambda table: pa.concat_tables([table, table]))
    are_refused(comparing(base, run), what, "twice; evaluate again", str(run / name))


@pytest.mark.parametrize("lost", [[COUNTS], [ERRORS], [COUNTS, ERRORS]])
def test_a_run_of_an_earlier_version_is_not_compared(base: Path, run: Path, lost: list[str]) -> None:
    """Without counts and errors by field one sentence says what to do; a list of all values still reads them."""
    for name in lost:
        (run / name).unlink()
    said = f"{run} has no {' and no '.join(lost)}: an earlier fieldwise wrote it; evaluate again"
    are_refused(comparing(base, run), said)
    assert said in refused("show", run, "--outcome", "wrong")
    assert command("show", run).exit_code == 0


@pytest.mark.parametrize("value", [None, float("nan")])
def test_a_score_that_is_none_is_no_score(run: Path, value: float | None) -> None:
    """A sweep counts no value whose score is lost."""
    edit_table(run / PART, with_column("raw_score", lambda n: [1.0, value] * (n // 2)))
    assert "column raw_score" in refused("sweep", run, "name")


def test_a_reason_that_nobody_knows_is_refused(run: Path) -> None:
    """Reasons stand beside the values that flipped."""
    edit_table(run / PART, with_column("reason", lambda n: ["weather"] * n))
    assert "got 'weather'" in refused("sweep", run, "name")


def test_rows_may_be_plain_texts(base: Path, run: Path) -> None:
    """Texts that were numbered for size may come plainly."""

    def plain(table: Table) -> Table:
        for name in ("document", "path", "field", "outcome", "reason"):
            texts = table[name].cast(pa.string())
            table = table.set_column(table.schema.get_field_index(name), name, texts)
        return table

    edit_table(run / PART, plain)
    assert difference(base, run)["finding"] == "equal"


@pytest.mark.parametrize("kept", [0, 1, 50])
def test_rows_that_were_cut_off_are_refused(base: Path, run: Path, kept: int) -> None:
    """A valid table with the first rows only is not compared; a document and both numbers are told."""
    edit_table(run / PART, lambda table: table.slice(0, kept))
    words = f"{run / VERDICTS} and {DOCUMENTS} are not of one evaluation", "times in document d0", "evaluate again"
    are_refused(looking(run), *words)


def test_rows_are_held_to_metrics_where_documents_are_lost(run: Path) -> None:
    """Without documents.parquet the metrics still say how many rows there are."""
    (run / DOCUMENTS).unlink()
    edit_table(run / PART, lambda table: table.slice(0, 50))
    assert f"{METRICS} are not of one evaluation, or one is damaged: 50 rows and 108 values" in refused(
        "sweep", run, "name"
    )


def test_rows_that_come_twice_are_refused(base: Path, run: Path) -> None:
    """A place has one row in a run."""
    edit_table(run / PART, lambda table: pa.concat_tables([table, table]))
    are_refused(looking(run), "Expected every place once", "twice; evaluate again", str(run / VERDICTS))


def test_a_row_in_place_of_another_is_refused(base: Path, run: Path) -> None:
    """As many rows as there should be may still have one of them twice, or another outcome."""

    def repeated(table: Table) -> Table:
        return table.take([0, 0, *range(2, len(table))])

    edit_table(run / ERRORS, repeated)
    assert "Expected every place once" in refused("diff", base, run)
    shutil.copy(base / ERRORS, run / ERRORS)
    right = tables(base)["d01"]
    outcomes: list[Any] = pq.read_table(base / VERDICTS)["outcome"].to_pylist()
    edit_table(run / PART, with_column("outcome", lambda _: [o.replace("mismatch", "match") for o in outcomes]))
    wrong = right["match"] + right["mismatch"]
    said = f"the outcome match comes {wrong} and {right['match']} times in document d01"
    assert said in refused("sweep", run, "name")
    outcomes = pq.read_table(base / ERRORS)["outcome"].to_pylist()
    turned = [o.replace("mismatch", "match") for o in outcomes]
    edit_table(run / ERRORS, with_column("outcome", lambda _: turned))
    assert "the outcome mismatch comes 0 and 1 times in document d01" in refused("gate", "--baseline", base, run)


@pytest.mark.parametrize(("name", "without"), [("path", "spurious"), ("predicted_path", "missed")])
def test_rows_without_the_path_of_a_value_are_refused(run: Path, name: str, without: str) -> None:
    """Only what was invented has no expected path, and only what was missed has no predicted one."""
    edit_table(run / PART, with_column(name, lambda n: [None] * n, pa.string()))
    said = refused("show", run)
    assert f"Expected in the column {name} a value, got none - in row 1 of" in said
    assert without not in said


def test_files_of_another_run_are_refused(base: Path, run: Path, tmp_path: Path) -> None:
    """Metrics, documents or rows of another evaluation don't belong to a run."""
    other = write_run(tmp_path / "other", {f"d{number:02d}": document(number) for number in range(12)})
    mine, others = (sum(counts["match"] for counts in tables(folder).values()) for folder in (base, other))
    for name, said in (
        (METRICS, f"the outcome match comes {others} and {mine} times"),
        (DOCUMENTS, f"the outcome match comes {mine} and {others} times"),
        (PART, f"{VERDICTS} and {DOCUMENTS} are not of one evaluation"),
        (COUNTS, f"{COUNTS} and {DOCUMENTS} are not of one evaluation"),
        (ERRORS, f"{ERRORS} and {COUNTS} are not of one evaluation"),
    ):
        shutil.copy(other / name, run / name)
        assert said in (refused("show", run) if name == PART else refused("diff", base, run))
        shutil.copy(base / name, run / name)
    assert difference(base, run)["finding"] == "equal"


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda table: pa.concat_tables([table, table]), "Expected every document once"),
        (lambda table: table.drop_columns(["tp", "fn"]), "it has no tp, fn"),
        (with_column("status", lambda n: ["weird"] * n), "got 'weird' - in row 1 of"),
        (with_column("document", range), "Expected texts in the column document"),
        (with_column("tp", lambda n: [None] * n, pa.int64()), "tp a value, got none - in row 1 of"),
        (with_column("fa", lambda n: [-1] * n), "got -1 - of document d00 in"),
        (lambda table: table.slice(0, 5), "the status scored comes 12 and 5 times"),
    ],
)
def test_damaged_documents_are_refused(base: Path, run: Path, change: Callable[[Table], Table], said: str) -> None:
    """The table of documents is looked at as the rows are."""
    edit_table(run / DOCUMENTS, change)
    all_refused(base, run, said, DOCUMENTS)


@pytest.mark.parametrize("name", [PART, DOCUMENTS, COUNTS, ERRORS])
def test_a_folder_in_place_of_a_table_is_refused(base: Path, run: Path, name: str) -> None:
    """What cannot be a table is said in one line by every command that reads it."""
    (run / name).unlink()
    (run / name).mkdir()
    reading = [*looking(run)] if name in (PART, DOCUMENTS) else []
    reading += [*comparing(base, run)] if name != PART else []
    are_refused(reading, str(run / name), "got no Parquet file")


def test_a_spec_that_is_none_is_refused(run: Path) -> None:
    """A sweep names the file whose settings are wrong."""
    (run / "spec.json").write_text('{"type": "object", "properties": {"name": {"x-aws-stickler-threshold": 7}}}')
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


def test_rows_of_another_run_with_as_many_are_refused(tmp_path: Path) -> None:
    """Also where nothing is paired: a table of as many rows that has other outcomes is that of another run."""
    right = {f"d{k}": ({"name": "a"}, {"name": {"_value": "a", "_confidence": 0.9}}) for k in range(9)}
    wrong = {name: (expected, {"name": {"_value": "b", "_confidence": 0.9}}) for name, (expected, _) in right.items()}
    run, other = write_run(tmp_path / "a", right), write_run(tmp_path / "b", wrong)
    (run / PART).write_bytes((other / PART).read_bytes())
    for arguments in (("calibrate", run), ("sweep", run, "name"), ("show", run)):
        with pytest.raises(InputError, match="the outcome match comes 0 and 1 times in document d0"):
            raise command(*arguments).exception or AssertionError("not refused")
