"""``fieldwise show``: any rows of a run as a table, JSON or CSV."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import click
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fieldwise import Spec
from fieldwise.api import evaluate_pairs
from fieldwise.cli.show import show
from fieldwise.error_kinds import KINDS
from fieldwise.errors import SettingError
from fieldwise.readers.pairs import open_pairs
from fieldwise.results.questions import ValueQuestion
from fieldwise.runs.folder_run import open_run
from fieldwise.runs.value_list import value_list
from tests.folders import stored_rows
from tests.runs.results import command, document, refused, write_run
from tests.strategies import examples

SCHEMA = {
    "type": "object",
    "properties": {
        "name": {"type": "string", "x-aws-stickler-comparator": "LevenshteinComparator"},
        "total": {"type": "number"},
        "items": {
            "type": "array",
            "items": {
                "type": "object",
                "x-fieldwise-match-threshold": 0.5,
                "properties": {"sku": {"type": "string"}, "price": {"type": "number"}, "unit": {"type": "string"}},
            },
        },
    },
}
EXPECTED = {
    "name": "Morrow Paper Company",
    "total": 5,
    "items": [{"sku": "AAAA", "price": 1.5, "unit": "kg"}, {"sku": "BBBB", "price": 2.5, "unit": "m"}],
}
PREDICTED = {
    "name": "Morrow Paper Company.",
    "total": "5.00",
    "items": [{"sku": "BBBB", "price": 2.5}, {"sku": "ZZZZ", "price": 9.9, "unit": "kg"}],
    "=cmd": "+1",
}


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run of 30 documents: 29 that are right, and one with an error of each kind that is looked for."""
    pairs = {f"d{number:02d}": (EXPECTED, EXPECTED) for number in range(29)} | {"wrong": (EXPECTED, PREDICTED)}
    return write_run(tmp_path_factory.mktemp("show"), pairs, schema=SCHEMA)


def rows(run: Path, *options: str) -> list[dict[str, Any]]:
    done = command("show", run, "--json", *options)
    assert done.exit_code == 0, done.output
    return json.loads(done.stdout)  # type: ignore[no-any-return]  # a list of objects


def table(run: Path, *options: str, columns: int = 150) -> str:
    done = command("show", run, *options, columns=columns)
    assert done.exit_code == 0, done.output
    return done.stdout


def test_all_rows_with_a_value_are_listed(run: Path) -> None:
    """Without options every value is listed; what is absent on both sides is none, and no outcome of one."""
    assert len(rows(run)) == len(stored_rows(run, "verdicts"))
    assert "No outcome is called 'absent'" in refused("show", run, "--outcome", "absent")


def test_rows_say_where_what_and_why(run: Path) -> None:
    """A row has both paths, both values as JSON, its outcome and kind, and the reason of a rejected row in words."""
    found = {(row["path"], row["predicted_path"]): row for row in rows(run, "--document", "wrong")}
    right = found["items[0].unit", "items[1].unit"]
    assert (right["outcome"], right["kind"], right["reason"]) == (
        "mismatch",
        "row_rejected",
        "row rejected (0.33 < 0.50)",
    )
    wrong = found["items[0].price", "items[1].price"]
    assert (wrong["outcome"], wrong["kind"] == "row_rejected", wrong["reason"]) == (
        "mismatch",
        False,
        f"score 0.000; {right['reason']}",
    )
    assert found["items[1].sku", "items[0].sku"]["outcome"] == "match"
    assert found["items[1].unit", None]["kind"] == "missing"
    assert (found[None, "=cmd"]["kind"], found[None, "=cmd"]["reason"]) == (
        "invented",
        "no field of this name is declared",
    )
    total = found["total", "total"]
    assert (total["expected"], total["predicted"], total["accepted"]) == (5, "5.00", "written_differently")


def test_options_narrow_the_list(run: Path) -> None:
    """Names of one option add up, options narrow each other; a list stands for its fields, a pattern for what fits."""
    assert {row["field"] for row in rows(run, "--field", "items")} == {"items.sku", "items.price", "items.unit"}
    assert {row["field"] for row in rows(run, "--field", "*.price", "--field", "name")} == {"items.price", "name"}
    found = {row["field"] for row in rows(run, "--outcome", "missed", "--outcome", "spurious")}
    assert found == {"items.unit", "=cmd"}
    assert {row["outcome"] for row in rows(run, "--outcome", "wrong")} == {"mismatch", "missed", "spurious"}
    assert [row["path"] for row in rows(run, "--kind", "row_rejected")] == ["items[0].unit"]
    assert [row["field"] for row in rows(run, "--accepted")] == ["name", "total"]
    assert [row["field"] for row in rows(run, "--accepted", "similar")] == ["name"]
    assert [row["field"] for row in rows(run, "--accepted", "written_differently")] == ["total"]
    assert len(rows(run, "--document", "d03", "--document", "d04", "--field", "total")) == 2


def test_the_table_lists_fifty_and_says_how_many_more(run: Path) -> None:
    """--limit changes that, 0 lists all; JSON and CSV list all by default."""
    total = len(rows(run))
    assert f"… {total - 50} more from 50 on; --limit 0 for all, --outcome wrong for errors only" in table(run)
    assert f"… {total - 3} more" in table(run, "--limit", "3")
    assert table(run, "--outcome", "match", "--limit", "3").rstrip().endswith("on; --limit 0 for all")
    assert "more" not in table(run, "--limit", "0")
    assert f"{total} values" in table(run, "--limit", "0")
    assert len(rows(run, "--limit", "7")) == 7
    assert len(list(csv.reader(io.StringIO(table(run, "--csv"))))) == total + 1


def test_the_table_shows_the_predicted_row(run: Path) -> None:
    """A path has the position of its row in the predicted list behind it where that differs, on any terminal."""
    for columns in (150, 60):
        shown = table(run, "--document", "wrong", columns=columns)
        assert "items[0].unit ← [1]" in shown
        assert "row rejected (0.33 < 0.50)" in " ".join(shown.split())
        assert '"5.00"' in shown
        assert max(map(len, shown.splitlines())) <= columns


def test_no_row_is_said_in_a_sentence(run: Path) -> None:
    """Nothing that fits is no error."""
    assert "has the field total and the outcome missed." in table(run, "--field", "total", "--outcome", "missed")
    assert rows(run, "--field", "total", "--outcome", "missed") == []
    assert len(table(run, "--field", "total", "--outcome", "missed", "--csv").splitlines()) == 1


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--field", "totla"], "did you mean 'total'?"),
        (["--outcome", "mismacth"], "did you mean 'mismatch'?"),
        (["--outcome", "wrongg"], "did you mean 'wrong'?"),
        (["--kind", "row_rejectd"], "did you mean 'row_rejected'?"),
        (["--accepted", "simlar"], "did you mean 'similar'?"),
        (["--document", "wron"], "has the id 'wron'; did you mean 'wrong'?"),
    ],
)
def test_unknown_names_are_refused_with_the_nearest(run: Path, options: list[str], said: str) -> None:
    """A name that is not known is told, never an empty list."""
    assert said in refused("show", run, *options)


def test_results_may_follow_accepted(run: Path) -> None:
    """--accepted takes no folder for a way of being accepted."""
    assert command("show", "--accepted", run).stdout == command("show", run, "--accepted").stdout
    assert command("show").exit_code == 2
    assert command("show", run, "--json", "--csv").exit_code == 2


def test_cells_of_csv_are_no_formulas(run: Path) -> None:
    """A name or a value that a spreadsheet would run is made harmless."""
    found = list(csv.DictReader(io.StringIO(table(run, "--csv", "--outcome", "spurious"))))
    assert [(row["field"], row["predicted"], row["predicted_path"]) for row in found] == [("'=cmd", "'+1", "'=cmd")]


def test_negative_numbers_of_csv_stay_numbers(tmp_path: Path) -> None:
    """A number is no formula; a text that looks like one is kept as text."""
    run = write_run(tmp_path, {"a": ({"total": -5.5, "name": "-x"}, {"total": -5.5, "name": "-y"})}, schema=SCHEMA)
    found = {row["field"]: row["expected"] for row in csv.DictReader(io.StringIO(table(run, "--csv")))}
    assert found == {"total": "-5.5", "name": "'-x"}


def test_results_without_rows_are_refused(tmp_path: Path) -> None:
    """Values that were not kept cannot be listed; the message says how to get them."""
    pairs = tmp_path / "pairs.jsonl"
    pairs.write_text(json.dumps({"id": "a", "expected": EXPECTED, "predicted": PREDICTED}))
    spec = Spec.from_json_schema(SCHEMA)
    evaluate_pairs(open_pairs(pairs), spec, out=tmp_path / "out", values=False)
    assert "run fieldwise evaluate without --no-values" in refused("show", tmp_path / "out")


def test_rows_beyond_the_page_are_listed_whatever_the_groups(tmp_path: Path) -> None:
    """Every row is listed once, from as many groups of rows as there are; groups without the document are not read."""
    pairs = tmp_path / "pairs.jsonl"
    given = [dict(zip(("expected", "predicted"), document(k, wrong=["name"]), strict=True)) for k in range(1200)]
    pairs.write_text("".join(json.dumps({"id": f"d{k:04d}", **pair}) + "\n" for k, pair in enumerate(given)))
    evaluate_pairs(open_pairs(pairs), out=tmp_path / "out", shard_documents=100)
    assert len(list((tmp_path / "out" / "pairs").iterdir())) == 12
    found = rows(tmp_path / "out", "--outcome", "mismatch", "--field", "name")
    assert [row["document"] for row in found] == [f"d{k:04d}" for k in range(1200)]
    assert {row["document"] for row in rows(tmp_path / "out", "--document", "d0777")} == {"d0777"}


Names = st.lists(st.sampled_from(["match", "mismatch", "spurious", "missed"]), unique=True)


@settings(deadline=None, max_examples=examples(50))
@given(
    outcomes=Names,
    fields=st.lists(st.sampled_from(["name", "total", "items.sku", "items.unit"]), unique=True),
    kinds=st.lists(st.sampled_from(KINDS), unique=True),
    documents=st.lists(st.sampled_from(["d00", "d28", "wrong"]), unique=True),
)
def test_a_filter_keeps_what_its_definition_keeps(
    run: Path, outcomes: list[str], fields: list[str], kinds: list[str], documents: list[str]
) -> None:
    """The listed rows are those of the table that have one of the names in every column with names."""
    opened = open_run(run)
    asked = ValueQuestion(
        set="wrong" if kinds else "all",
        outcomes=tuple(outcomes),
        fields=tuple(fields),
        kinds=tuple(kinds),
        documents=tuple(documents),
    )
    keeps: list[Callable[[dict[str, Any]], bool]] = [
        lambda row: not outcomes or row["outcome"] in outcomes,
        lambda row: not fields or row["field"] in fields,
        lambda row: not kinds or row["kind"] in kinds,
        lambda row: not documents or row["document"] in documents,
    ]
    stored = stored_rows(run, "verdicts")
    expected = [row for row in stored if all(keep(row) for keep in keeps)]
    listed = value_list(opened, asked)
    found = [row.columns for row in listed.rows()]
    place = ("document", "path", "predicted_path")
    assert sorted(str([row[key] for key in place]) for row in found) == sorted(
        str([row[key] for key in place]) for row in expected
    )
    assert len(listed) == len(expected)


@pytest.mark.parametrize("option", [o.opts[0] for o in show.params if isinstance(o, click.Option)])
def test_every_option_is_explained(option: str) -> None:
    """Each option of the command is named on the page about it."""
    page = Path(__file__).parents[2] / "docs" / "show.md"
    assert option in page.read_text(encoding="utf-8")


def test_unknown_names_are_refused_in_python(run: Path) -> None:
    """The refusal is a wrong setting, with the names that are known where none is near."""
    with pytest.raises(SettingError, match="No kind is called 'qqq'; known are missing, invented"):
        value_list(open_run(run), ValueQuestion(kinds=("qqq",)))
