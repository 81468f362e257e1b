"""The limit of work: what a document costs is bounded, counted the same everywhere, and said where it was met."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from fieldwise import Comparison, Plan, Spec, StructuredModel, evaluate_pairs, open_pairs
from fieldwise.cli.compare import compare as compare_command
from fieldwise.cli.evaluate import evaluate as evaluate_command
from fieldwise.comparators.work import LONG_TEXT_NOTE
from fieldwise.limits import MAX_WORK
from fieldwise.values import Json

TEXT = {"type": "string", "x-fieldwise-comparator": "Levenshtein"}
LETTERS = "abcdefgh ijklmnop"


def text(rng: random.Random, size: int) -> str:
    return "".join(rng.choices(LETTERS, k=size))


def noisy(rng: random.Random, value: str) -> str:
    found = list(value)
    for at in rng.sample(range(len(found)), len(found) // 50):
        found[at] = "?"
    return "".join(found)


def schema_of(**fields: Json) -> dict[str, Any]:
    return {"type": "object", "properties": fields}


def list_of(items: Json, **settings: Json) -> dict[str, Any]:
    return {"type": "array", "items": items, **settings}


def compare(schema: Json, expected: Json, predicted: Json, max_work: int = MAX_WORK) -> Comparison:
    return Plan.compile(Spec.from_json_schema(schema), max_work=max_work).compare(expected, predicted)


def pairs_of(comparison: Comparison, field: str) -> dict[str, str]:
    return {
        v.path: v.predicted_path for v in comparison.verdicts if v.field == field and v.outcome.value in ("tp", "fd")
    }


@pytest.mark.parametrize("as_objects", [False, True])
def test_pages_over_the_limit_find_their_partners(as_objects: bool) -> None:
    """Long pages whose beginnings differ are paired by their letters, and each pair is compared exactly."""
    rng = random.Random(1)
    pages = [text(rng, 30_000) for _ in range(20)]
    copies = ["?" + noisy(rng, page) for page in pages][::-1]
    left, right = ([{"text": page} for page in side] if as_objects else side for side in (pages, copies))
    schema = schema_of(x=list_of(schema_of(text=TEXT) if as_objects else TEXT))
    comparison = compare(schema, {"x": left}, {"x": right})
    assert comparison.counts()["tp"] == 20
    end = ".text" if as_objects else ""
    assert pairs_of(comparison, f"x{end}") == {f"x[{i}]{end}": f"x[{19 - i}]{end}" for i in range(20)}
    assert {round(v.raw_score, 2) for v in comparison.verdicts} == {0.98}
    assert comparison.notes == ("x: 20 × 20 items, too much to compare each with each: paired by their letters",)


def test_texts_that_repeat_are_compared_once() -> None:
    """Many rows of few long texts are within the limit, and compared exactly."""
    rng = random.Random(2)
    texts = [text(rng, 3_000) for _ in range(4)]
    left = [texts[k % 4] for k in range(500)]
    right = [texts[k % 3] for k in range(500)]
    comparison = compare(schema_of(x=list_of(TEXT)), {"x": left}, {"x": right})
    assert comparison.notes == ()
    assert comparison.counts()["tp"] == 375


def test_what_is_left_is_spent_in_the_order_of_fields() -> None:
    """Long texts are compared while there is work left; then equality decides, and the verdict says so."""
    rng = random.Random(3)
    names = [f"text_{n}" for n in range(6)]
    left, right = ({name: text(rng, 1_000) for name in names} for _ in range(2))
    right["text_5"] = left["text_5"]
    comparison = compare(schema_of(**dict.fromkeys(names, TEXT)), left, right, max_work=3_500_000)
    reasons = {v.path: v.reason for v in comparison.verdicts}
    assert [LONG_TEXT_NOTE in reasons[name] for name in names] == [False, False, False, True, True, False]
    assert reasons["text_3"] == f"levenshtein: 0.000 < 0.8; {LONG_TEXT_NOTE}"
    assert comparison.counts()["tp"] == 1


def test_lists_in_one_document_share_the_limit() -> None:
    """Each list would be within the limit alone; the first ones are compared each with each, the others cheaply."""
    rng = random.Random(4)
    names = [f"list_{n}" for n in range(5)]
    whole = {name: [text(rng, 300) for _ in range(10)] for name in names}
    moved = {name: [noisy(rng, value) for value in values][::-1] for name, values in whole.items()}
    schema = schema_of(**dict.fromkeys(names, list_of(TEXT)))
    comparison = compare(schema, whole, moved, max_work=60_000_000)
    assert comparison.counts()["tp"] == 50
    assert [note.partition(":")[0] for note in comparison.notes] == ["list_2", "list_3", "list_4"]


def test_identical_rows_pair_first() -> None:
    """Where few rows differ, only these are compared each with each."""
    rng = random.Random(5)
    rows = [text(rng, 1_000) for _ in range(100)]
    others = [*rows[:98], noisy(rng, rows[99]), noisy(rng, rows[98])]
    comparison = compare(schema_of(x=list_of(TEXT)), {"x": rows}, {"x": others}, max_work=200_000_000)
    assert comparison.counts()["tp"] == 100
    assert comparison.notes == ("x: 100 × 100 items, too much to compare each with each: identical ones paired first",)


@pytest.mark.parametrize("order", ["any", "sequence", "position"])
@pytest.mark.parametrize("max_work", [1, 50_000, 2_000_000])
@pytest.mark.parametrize("key", [None, "id"])
def test_every_row_is_accounted_for(order: str, max_work: int, key: str | None) -> None:
    """Whatever the limit, each item is in one pair or left over, and pairs of a sequence don't cross."""
    rng = random.Random(6)
    rows = [{"id": str(n % 7), "text": text(rng, 100)} for n in range(15)]
    others = [{"id": str(n % 5), "text": noisy(rng, rows[n % 15]["text"])} for n in range(20)]
    settings: dict[str, Json] = {"x-fieldwise-order": order, **({"x-fieldwise-key": key} if key else {})}
    schema = schema_of(x=list_of(schema_of(id={"type": "string"}, text=TEXT), **settings))
    comparison = compare(schema, {"x": rows}, {"x": others}, max_work=max_work)
    found = comparison.to_dict(include_confusion_matrix=True)["confusion_matrix"]["fields"]["x"]["overall"]
    assert (found["tp"] + found["fd"] + found["fn"], found["tp"] + found["fd"] + found["fa"]) == (15, 20)
    assert len({v.path for v in comparison.verdicts if v.field == "x.id" and v.outcome.value != "fa"}) == 15


def test_the_limit_is_that_of_one_document() -> None:
    """A plan counts each document anew."""
    rng = random.Random(7)
    plan = Plan.compile(Spec.from_json_schema(schema_of(x=TEXT)), max_work=2_000_000)
    for _ in range(3):
        comparison = plan.compare({"x": text(rng, 1_200)}, {"x": text(rng, 1_200)})
        assert LONG_TEXT_NOTE not in comparison.verdicts[0].reason


def test_models_have_the_same_limit() -> None:
    """``compare_with`` pairs pages that are over the limit by their letters too."""
    rng = random.Random(8)
    pages = [text(rng, 25_000) for _ in range(10)]
    model = StructuredModel.from_json_schema(schema_of(pages=list_of({"type": "string"})))
    copies = [noisy(rng, page) for page in pages][::-1]
    found = model(pages=pages).compare_with(model(pages=copies), include_confusion_matrix=True)
    assert found["confusion_matrix"]["fields"]["pages"]["overall"]["tp"] == 10
    assert "paired by their letters" in found["notes"][0]


@pytest.fixture
def pages_file(tmp_path: Path) -> Path:
    """Four documents, three of them with a list that is too much for the limit."""
    rng = random.Random(9)
    path = tmp_path / "pairs.jsonl"
    with path.open("w") as file:
        for number in range(4):
            pages = [text(rng, 300) for _ in range(12 if number else 1)]
            row = {"id": str(number), "expected": {"x": pages}, "predicted": {"x": [noisy(rng, p) for p in pages]}}
            file.write(json.dumps(row) + "\n")
    return path


@pytest.mark.parametrize("flat", [False, True])
def test_the_run_says_how_many_documents_met_the_limit(pages_file: Path, flat: bool, tmp_path: Path) -> None:
    """Metrics and their notes name the limit and the documents that met it, with rows of one document or of many."""
    field = TEXT if flat else list_of(TEXT)
    if flat:
        rows = [json.loads(line) for line in pages_file.read_text().splitlines()]
        flattened = [
            {**row, **{side: {"x": "".join(row[side]["x"])} for side in ("expected", "predicted")}} for row in rows
        ]
        pages_file.write_text("\n".join(json.dumps(row) for row in flattened))
    spec = Spec.from_json_schema(schema_of(x=field))
    found = evaluate_pairs(open_pairs(pages_file), spec, out=tmp_path / "out", max_work=500_000).metrics
    assert found.limits.met == {"max_work": 3}
    assert "3 documents were compared in cheaper ways (max_work=500,000); their verdicts say so." in found.notes
    usual = evaluate_pairs(open_pairs(pages_file), spec).metrics
    assert usual.limits.met == {}
    assert usual.spec_fingerprint != found.spec_fingerprint


@pytest.mark.parametrize(("written", "number"), [("5e5", "500,000"), ("500_000", "500,000"), ("500,000", "500,000")])
def test_the_limit_is_an_option(pages_file: Path, written: str, number: str) -> None:
    """``--max-work`` takes powers of ten, underscores and commas."""
    done = CliRunner().invoke(evaluate_command, [str(pages_file), "--max-work", written])
    assert f"(--max-work {number})" in " ".join(done.output.split())


@pytest.mark.parametrize("written", ["0", "-1", "1.5", "1e999", "many"])
def test_a_limit_that_is_no_count_is_refused(pages_file: Path, written: str) -> None:
    """Anything but a whole number of 1 or more is refused."""
    done = CliRunner().invoke(evaluate_command, [str(pages_file), f"--max-work={written}"])
    assert done.exit_code == 2
    assert "whole number of 1 or more" in " ".join(done.output.split())


def test_comparing_two_files_has_the_limit_too(tmp_path: Path) -> None:
    """``compare --max-work`` says in the verdict that equality decided, and its fingerprint is another one."""
    rng = random.Random(10)
    names = []
    for side in ("a", "b"):
        path = tmp_path / f"{side}.json"
        path.write_text(json.dumps({"x": text(rng, 2_000)}))
        names.append(str(path))
    found = json.loads(CliRunner().invoke(compare_command, [*names, "--json", "--max-work", "1000"]).output)
    usual = json.loads(CliRunner().invoke(compare_command, [*names, "--json", "--max-work", str(MAX_WORK)]).output)
    assert LONG_TEXT_NOTE in found["verdicts"][0]["reason"]
    assert LONG_TEXT_NOTE not in usual["verdicts"][0]["reason"]
    assert found["spec_fingerprint"] != usual["spec_fingerprint"]


@pytest.mark.parametrize("value", [[3, 3, 3, 3], [1, 2, 3], "no box", {"a": 1}, [[0, 0], [0, 5]]])
@pytest.mark.parametrize("in_list", [False, True])
def test_identical_boxes_are_alike(value: Json, in_list: bool) -> None:
    """Boxes without area, and what is no box, are alike where both sides have the same."""
    box: Json = {"type": "array", "items": {"type": "number"}, "x-fieldwise-comparator": "BBoxIoU"}
    schema = schema_of(x=list_of(schema_of(box=box, name={"type": "string"})) if in_list else box)
    document = {"x": [{"box": value, "name": "a"}, {"box": value, "name": "b"}] if in_list else value}
    comparison = compare(schema, document, document)
    assert comparison.score == 1.0
    assert {v.outcome.value for v in comparison.verdicts} == {"tp"}
