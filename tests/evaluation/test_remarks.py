"""Near matches and rejected rows in an evaluation: counted by field, said in sentences, the same from any shards."""

from __future__ import annotations

import csv
import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from hypothesis import given

from fieldwise import Comparison, Plan, Spec
from fieldwise.api import evaluate_pairs
from fieldwise.cli import cli
from fieldwise.counting.metrics import evaluation_metrics
from fieldwise.counting.tally import Tally
from fieldwise.readers.pairs import open_pairs
from fieldwise.results.notes import Note
from fieldwise.views.notes import worded
from tests.counting.test_tally import SOME, runs, tally_of
from tests.documents import write_pairs
from tests.folders import stored_rows
from tests.page_answers import page_of, run_of
from tests.runs.results import command

TEXT = {"type": "string", "x-aws-stickler-comparator": "LevenshteinComparator"}
SCHEMA = {
    "type": "object",
    "properties": {
        "name": TEXT,
        "folded": {"type": "string", "x-aws-stickler-comparator": "ExactComparator"},
        "total": {"type": "number"},
        "tags": {"type": "array", "items": {"type": "number"}},
        "rows": {
            "type": "array",
            "items": {
                "type": "object",
                "properties": {"a": TEXT, "n": {"type": "number"}},
                "x-fieldwise-match-threshold": 0.7,
            },
        },
    },
}


def written(value: Any) -> str:
    """Return the text that is equal for identical values: JSON with sorted keys, numbers by value, nothing left out."""
    if isinstance(value, dict):
        parts = {key: written(item) for key, item in value.items()}
        return json.dumps({key: part for key, part in sorted(parts.items()) if part})
    if isinstance(value, list):
        return json.dumps([part for part in map(written, value) if part])
    if isinstance(value, int | float) and not isinstance(value, bool):
        return json.dumps(int(value) if value == int(value) else value)
    return "" if value is None else json.dumps(value)


@SOME
@given(runs())
def test_near_matches_are_those_of_values_that_differ(run: tuple[Plan, list[Comparison]]) -> None:
    """A match is accepted as something exactly where its values differ as JSON: written differently at a score of 1."""
    for verdict in (verdict for comparison in run[1] for verdict in comparison.verdicts):
        differs = verdict.outcome.word == "match" and written(verdict.expected) != written(verdict.predicted)
        word = "written_differently" if verdict.raw_score == 1.0 else "similar"
        assert verdict.accepted == (word if differs else None)


@SOME
@given(runs())
def test_counts_are_those_of_the_verdicts(run: tuple[Plan, list[Comparison]]) -> None:
    """Near matches and right values in rejected rows add up by field; parts of the documents add up to all."""
    plan, comparisons = run
    near: Counter[tuple[str, str]] = Counter()
    rejected: Counter[str] = Counter()
    for verdict in (verdict for comparison in comparisons for verdict in comparison.verdicts):
        near.update([(verdict.field, verdict.accepted)] if verdict.accepted else [])
        rejected.update([verdict.field] if verdict.row_rejected else [])
    whole, parts = tally_of(plan, comparisons), Tally()
    for comparison in comparisons:
        parts.merge(Tally.from_state(json.loads(json.dumps(tally_of(plan, [comparison]).to_state()))))
    for tally in (whole, parts):
        found = {
            (path, word): count
            for path, counts in tally.near.items()
            for word, count in zip(("written_differently", "similar"), counts, strict=True)
            if count
        }
        assert found == near
        assert tally.row_rejected == rejected
    total = evaluation_metrics(whole, None).aggregate
    assert total.row_rejected == rejected.total()
    assert total.written_differently + total.similar == near.total()


def pairs_file(folder: Path, pairs: list[tuple[Any, Any]]) -> Path:
    return write_pairs(folder / "pairs.jsonl", ((f"d{k}", *both) for k, both in enumerate(pairs)))


EXPECTED: dict[str, Any] = {
    "name": "Morrow Paper Company",
    "total": 5,
    "tags": [1, 2.5],
    "rows": [{"a": f"words of row {k} {'xyz'[k % 3] * 5}", "n": k} for k in range(6)],
}
PREDICTED = {
    "name": "Morrow Paper Company.",
    "total": 5.0,
    "tags": [1.0, "2.50"],
    "rows": [{"a": f"words of row {k} {'xyz'[k % 3] * 5}", "n": f"{k}.0" if k < 2 else k} for k in reversed(range(6))],
}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A run of a right document and one with near matches and a rejected row."""
    last = {**PREDICTED, "rows": [{"a": "something else", "n": 0}]}
    pairs = pairs_file(
        tmp_path, [(EXPECTED, EXPECTED), (EXPECTED, PREDICTED), ({**EXPECTED, "rows": EXPECTED["rows"][:1]}, last)]
    )
    evaluate_pairs(open_pairs(pairs), Spec.from_json_schema(SCHEMA), out=tmp_path / "out", shard_documents=1)
    return tmp_path / "out"


def test_metrics_and_files_count_near_matches(folder: Path) -> None:
    """By field and in total, in metrics, fields.csv and rows: 5 and 5.0 are identical, 2.5 and "2.50" are not."""
    metrics = json.loads((folder / "metrics.json").read_text())
    found = {
        path: (row["written_differently"], row["similar"], row["row_rejected"])
        for path, row in metrics["fields"].items()
        if "similar" in row and (row["written_differently"] or row["similar"] or row["row_rejected"])
    }
    assert found == {"name": (0, 2, 0), "tags": (2, 0, 0), "rows.n": (2, 0, 1)}
    total = metrics["aggregate"]
    assert (total["written_differently"], total["similar"], total["row_rejected"]) == (4, 2, 1)
    assert metrics["fields"]["rows"]["similar"] == 0
    rows = {row["field"]: row for row in csv.DictReader((folder / "fields.csv").read_text().splitlines())}
    assert (rows["rows.n"]["written_differently"], rows["rows.n"]["row_rejected"]) == ("2", "1")
    stored = stored_rows(folder, "verdicts")
    assert Counter(row["accepted"] for row in stored if row["accepted"]) == {"written_differently": 4, "similar": 2}
    assert [row["kind"] for row in stored if row["reason"] == "row" and row["field"] == "rows.n"] == ["row_rejected"]


def test_sentences_say_what_the_counts_hide(folder: Path, tmp_path: Path) -> None:
    """metrics.json, the page and the terminal have the same notes, each in its words."""
    notes = json.loads((folder / "metrics.json").read_text())["notes"]
    near = {"written_differently": 4, "similar": 2, "rows_kept": True}
    assert notes[:2] == [
        {"code": "values.in_rejected_rows", "facts": {"count": 1}},
        {"code": "values.not_identical", "facts": near},
    ]
    said = run_of(folder).metrics
    assert [note.to_dict() for note in said.notes] == notes
    assert list(page_of(folder).notes) == [worded(note, "page") for note in said.notes]
    again = ("evaluate", folder.parent / "pairs.jsonl", "--schema", folder / "spec.json")
    shown = command(*again, "--out", tmp_path / "again").stdout
    assert all(worded(note, "command_line") in shown for note in said.notes)
    assert "; fieldwise show lists them after an evaluation with --out" in command(*again).stdout


def test_matches_that_are_not_identical_are_listed_as_the_note_says() -> None:
    """In Python it names what to call; where no rows were kept it points to no command."""
    pairs = [("a", {"name": "Anna Müller"}, {"name": "ANNA MÜLLER"})]
    kept, bare = (evaluate_pairs(pairs, rows=rows) for rows in (True, False))
    assert "; errors(field, outcome='match') lists them" in str(kept)
    assert kept.errors("name", outcome="match")["accepted"].to_pylist() == ["written_differently"]
    assert "1 match is of values that are not identical" in str(bare)
    assert "fieldwise show" not in str(bare)


def test_rows_are_paired_rejected_missed_or_extra(folder: Path) -> None:
    """Where people read, the rows of a list are not called right or wrong."""
    schema = folder / "spec.json"
    shown = command("evaluate", folder.parent / "pairs.jsonl", "--schema", schema).stdout
    assert "rows of rows: 12 paired · 1 rejected · 0 missed · 0 extra" in shown
    row = run_of(folder).metrics.fields["rows"]
    assert (row.scope, row.tp, row.fd, row.fn, row.fa) == ("rows", 12, 1, 0, 0)


def test_narrow_terminals_have_the_sentences(folder: Path) -> None:
    """The column of near matches is shown where there is room; what it counts is said on any terminal."""
    arguments: list[str | Path] = ["evaluate", folder.parent / "pairs.jsonl", "--schema", folder / "spec.json"]
    narrow, wide = command(*arguments, columns=60).stdout, command(*arguments, columns=150).stdout
    assert "near: matches of values that are not identical" in wide
    assert "near:" not in narrow
    assert "6 matches are of values that are not identical" in " ".join(narrow.split())
    assert max(map(len, narrow.splitlines())) <= 60


def test_identical_documents_have_no_remarks(tmp_path: Path) -> None:
    """Nothing is said where nothing is to be known."""
    found = evaluate_pairs(open_pairs(pairs_file(tmp_path, [(EXPECTED, EXPECTED)] * 3)))
    assert found.metrics.notes == ()
    assert found.metrics.aggregate.written_differently == found.metrics.aggregate.similar == 0


def test_an_acceptable_value_that_is_identical_is_no_near_match() -> None:
    """Of several acceptable values an identical one counts before one that is only written differently."""
    plan = Plan.compile(Spec.from_json_schema(SCHEMA))
    comparison = plan.compare({"total": 5}, {"total": "5.0"}, alternates={"total": ["5.0"]})
    verdict = next(verdict for verdict in comparison.verdicts if verdict.field == "total")
    assert (verdict.expected, verdict.accepted, verdict.alternate_index) == ("5.0", None, 1)


def test_a_reason_says_the_same_only_of_identical_values() -> None:
    """Values that match in full and are written differently show their score."""
    plan = Plan.compile(Spec.from_json_schema(SCHEMA))
    reasons = {
        v.path: v.reason for v in plan.compare({"total": 5, "tags": [1]}, {"total": "5.00", "tags": [1.0]}).verdicts
    }
    assert reasons["total"] == "number: 1.000 ≥ 1"
    assert reasons["tags[0]"] == "number: the same"


def test_rows_counted_as_objects_have_near_matches_too(folder: Path, tmp_path: Path) -> None:
    """Under --unmatched objects the values of rejected rows are not counted, so nothing is said of them."""
    spec = Spec.from_json_schema(SCHEMA)
    found = evaluate_pairs(open_pairs(folder.parent / "pairs.jsonl"), spec, unmatched="objects")
    assert found.metrics.aggregate.similar == 2
    assert found.metrics.aggregate.row_rejected == 0


def test_the_command_is_there() -> None:
    """The sentence names a command that exists."""
    assert CliRunner().invoke(cli, ["show", "--help"]).exit_code == 0


def write_lines(path: Path, documents: dict[str, dict[str, Any]]) -> Path:
    path.write_text("".join(json.dumps({"id": name, "document": held}) + "\n" for name, held in documents.items()))
    return path


def test_ids_that_are_written_in_two_ways_are_named(tmp_path: Path) -> None:
    """A spreadsheet takes away leading zeros; documents are not matched by that, and a sentence says why none is."""
    expected = {f"{number:06}": {"total": number} for number in range(1, 41)}
    predicted = {name if at % 4 else name.lstrip("0"): held for at, (name, held) in enumerate(expected.items())}
    done = command(
        "evaluate",
        write_lines(tmp_path / "expected.jsonl", expected),
        write_lines(tmp_path / "predicted.jsonl", predicted),
    )
    assert done.exit_code == 3
    assert (
        "'000001' is expected and '1' predicted, and 9 more like this: ids that differ in leading zeros" in done.stdout
    )
    listed = done.stdout[done.stdout.index("20 documents need a look") :].splitlines()[1:11]
    assert ["no prediction" in line for line in listed].count(True) == 5


def test_other_ids_without_a_partner_are_only_listed(tmp_path: Path) -> None:
    """Where nothing but the ids' own characters differ, or several would meet, nothing is guessed."""
    ids = ["a-1", "a1"], ["A1", "b2"]
    expected, predicted = ({"same": {"n": 1}} | {name: {"n": 1} for name in names} for names in ids)
    done = command(
        "evaluate",
        write_lines(tmp_path / "expected.jsonl", expected),
        write_lines(tmp_path / "predicted.jsonl", predicted),
    )
    assert "4 documents need a look" in done.stdout
    assert "leading zeros" not in done.stdout


def test_undeclared_keys_say_how_they_are_left_out(tmp_path: Path) -> None:
    """Predicted values that no field declares are counted in one sentence, with the option that ignores them."""
    pairs = [(name, {"total": 1}, {"total": 1, "url": "x", "debug": {"tokens": 3}}) for name in ("a", "b")]
    facts = {"count": 4, "paths": ["debug.tokens", "url"], "path_count": 2, "in_other_form": None}
    note = Note("values.undeclared", facts)
    assert evaluate_pairs(pairs).metrics.notes == (note,)
    folders = [tmp_path / "expected", tmp_path / "predicted"]
    for at, folder in enumerate(folders, 1):
        folder.mkdir()
        for pair in pairs:
            (folder / f"{pair[0]}.json").write_text(json.dumps(pair[at]))
    assert worded(note, "command_line") in " ".join(command("evaluate", *folders).stdout.split())
    assert "count as spurious" not in command("evaluate", *folders, "--extras", "ignore").stdout
