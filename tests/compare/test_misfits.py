"""Predictions with something else where an object or a list belongs: what is said of the values that are missed."""

from __future__ import annotations

from pathlib import Path

import pytest

from fieldwise import Plan, Spec, evaluate_pairs, open_run
from fieldwise.results.notes import Note
from fieldwise.values import Json
from tests.documents import write_pairs
from tests.runs.results import command

EXPECTED: Json = {"tags": ["red", "blue"], "seller": {"name": "Ada", "town": "Ulm"}, "rows": [{"n": 1}, {"n": 2}]}


@pytest.mark.parametrize(
    ("field", "predicted", "reason"),
    [
        ("tags", "red, blue", "type: tags is predicted as 'red, blue', not as a list"),
        ("tags", {"a": "red"}, "type: tags is predicted as an object, not as a list"),
        ("tags", True, "type: tags is predicted as true, not as a list"),
        ("seller", "Ada, Ulm", "type: seller is predicted as 'Ada, Ulm', not as an object"),
        ("seller", ["Ada"], "type: seller is predicted as a list, not as an object"),
        ("rows", {"n": 1}, "type: rows is predicted as an object, not as a list"),
        ("rows", "x" * 10**6, f"type: rows is predicted as '{'x' * 39}…', not as a list"),
        ("rows", 7, "type: rows is predicted as 7, not as a list"),
    ],
)
def test_a_value_that_is_missed_says_what_is_predicted_in_its_place(field: str, predicted: Json, reason: str) -> None:
    """Its list or object is predicted as something else, which counts nowhere and is named."""
    comparison = Plan.compile(Spec.infer([EXPECTED])).compare(EXPECTED, {**EXPECTED, field: predicted})
    missed = [verdict for verdict in comparison.verdicts if verdict.outcome.word != "match"]
    assert [(verdict.outcome.word, verdict.predicted, verdict.reason) for verdict in missed] == [
        ("missed", None, reason)
    ] * 2


def test_what_is_predicted_nowhere_is_not_said_to_be_something_else() -> None:
    """A list or an object that is absent is missed as ever, and so is a row without a partner."""
    plan = Plan.compile(Spec.infer([EXPECTED]))
    nothing: list[Json] = [{}, {"tags": None, "seller": "", "rows": []}]
    for predicted in nothing:
        assert {verdict.reason for verdict in plan.compare(EXPECTED, predicted).verdicts} == {"expected, not predicted"}


def test_a_row_that_is_no_object_is_named() -> None:
    """In a list the field of the rows is named, whose path is that of the list."""
    expected = {"rows": [{"n": 1, "lines": ["a", "b"]}]}
    found = Plan.compile(Spec.infer([expected])).compare(expected, {"rows": [{"n": 1, "lines": "a b"}]})
    assert [v.reason for v in found.verdicts if v.field == "rows.lines"] == [
        "type: rows.lines is predicted as 'a b', not as a list"
    ] * 2


def pairs() -> list[tuple[str, Json, Json]]:
    odd: list[Json] = [{"tags": "red, blue"}, {"tags": "blue, red"}, {"seller": "Ada of Ulm"}, {"tags": []}, {}, {}]
    return [(f"d{at}", EXPECTED, {**EXPECTED, **change}) for at, change in enumerate(odd)]


def test_an_evaluation_says_of_which_fields(tmp_path: Path) -> None:
    """One sentence for a field says in how many predictions, with an example; rows have the reason as well."""
    metrics = evaluate_pairs(pairs(), out=tmp_path / "run").metrics
    assert metrics.notes[:2] == (
        Note.of("values.of_another_shape", field="tags", expected="list", count=2, example="'blue, red'"),
        Note.of("values.of_another_shape", field="seller", expected="object", count=1, example="'Ada of Ulm'"),
    )
    rows = open_run(tmp_path / "run").errors("tags").to_pylist()
    assert [row["reason"] for row in rows] == ["type"] * 4 + ["alone"] * 2
    shown = command("show", tmp_path / "run", "--field", "tags", "--outcome", "wrong").stdout
    assert shown.count("something else is predicted in place of") == 4


def test_workers_and_shards_say_the_same(tmp_path: Path) -> None:
    """The sentences don't depend on how documents were divided."""
    write_pairs(tmp_path / "pairs.jsonl", pairs())
    notes = []
    for workers in (1, 2):
        out = tmp_path / str(workers)
        assert command("evaluate", tmp_path / "pairs.jsonl", "--workers", str(workers), "--out", out).exit_code == 0
        notes.append(open_run(out).metrics.notes)
    assert notes[0] == notes[1]
    assert notes[0][0].facts["count"] == 2


def test_only_the_first_fields_are_named_one_by_one() -> None:
    """A system that gets every list wrong does not fill the screen."""
    expected = {f"list_{at}": ["a", "b"] for at in range(9)}
    notes = evaluate_pairs([("d", expected, dict.fromkeys(expected, "a b"))]).metrics.notes
    assert [note.code for note in notes].count("values.of_another_shape") == 5
    assert Note.of("values.more_of_another_shape", fields=4) in notes
