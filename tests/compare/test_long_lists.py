"""Long lists: rows that are the same are found in lists of any length, and what a document costs is bounded."""

from __future__ import annotations

import json
import random
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import linear_sum_assignment

from fieldwise import Comparison, Plan, Spec, StructuredModel, evaluate_pairs, open_pairs
from fieldwise.cli.compare import compare as compare_command
from fieldwise.cli.evaluate import evaluate as evaluate_command
from fieldwise.comparators import build
from fieldwise.comparators.as_text import LONG_TEXT_NOTE
from fieldwise.errors import SettingError
from fieldwise.limits import MAX_CELLS
from fieldwise.results.notes import Note
from fieldwise.values import Json
from tests.strategies import examples

TEXT = {"type": "string", "x-fieldwise-comparator": "Levenshtein"}
LETTERS = "abcdefgh ijklmnop"
Row = dict[str, Any]


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


def compare(schema: Json, expected: Json, predicted: Json, max_cells: int = MAX_CELLS) -> Comparison:
    return Plan.compile(Spec.from_json_schema(schema), max_cells=max_cells).compare(expected, predicted)


def pairs_of(comparison: Comparison, field: str) -> dict[str, str]:
    return {
        v.path: v.predicted_path for v in comparison.verdicts if v.field == field and v.outcome.value in ("tp", "fd")
    }


# Rows that are the same


def mileage(count: int) -> tuple[list[Row], list[Row]]:
    """Return rows by vehicle and state, and the same with thousands marks."""
    rng = random.Random(count)
    states = ["Alabama", "Ohio", "Iowa", "Texas", "Maine"]
    rows = [
        {"vehicle": str(1000 + n // 60), "state": rng.choice(states), "miles": round(rng.uniform(1, 9_000), 1)}
        for n in range(count)
    ]
    return rows, [{**row, "miles": f"{row['miles']:,.1f}"} for row in rows]


def statement(count: int) -> tuple[list[Row], list[Row]]:
    """Return the rows of a bank statement, and the same with dates and amounts written otherwise."""
    rng = random.Random(count)
    shops = ["Card payment Deli", "Transfer Smith", "Standing order rent", "Fee"]
    rows: list[Row] = [
        {
            "date": f"2024-{rng.randrange(1, 13):02}-{rng.randrange(1, 29):02}",
            "description": rng.choice(shops),
            "amount": round(rng.uniform(-5_000, 5_000), 2),
        }
        for _ in range(count)
    ]
    return rows, [
        {
            "date": "/".join(row["date"].split("-")[::-1]),
            "description": f" {row['description'].upper()}",
            "amount": f"{row['amount']:,.2f}",
        }
        for row in rows
    ]


def repeated(count: int) -> tuple[list[Row], list[Row]]:
    """Return one row many times, and the same written otherwise."""
    row = {"date": "2024-05-13", "description": "Fee", "amount": 1234.5}
    return [row] * count, [{**row, "amount": "1,234.50"}] * count


@pytest.mark.parametrize("shuffled", [False, True])
@pytest.mark.parametrize(
    ("made", "count"),
    [
        (mileage, 2_100),
        (mileage, 3_000),
        (statement, 2_000),
        (statement, 10_000),
        (repeated, 3_000),
    ],
)
def test_rows_that_are_written_differently_are_all_right(made: Any, count: int, shuffled: bool, tmp_path: Path) -> None:
    """Lists of thousands of rows whose numbers, dates and case are written otherwise have no error, in any order."""
    rows, others = made(count)
    if shuffled:
        random.Random(1).shuffle(others)
    path = tmp_path / "pairs.jsonl"
    path.write_text(json.dumps({"id": "1", "expected": {"rows": rows}, "predicted": {"rows": others}}))
    metrics = evaluate_pairs(open_pairs(path)).metrics
    assert metrics.aggregate.tp == count * 3
    assert metrics.aggregate.strict_f1 == 1.0
    spec = Spec.infer([{"rows": rows}])
    comparison = Plan.compile(spec).compare({"rows": rows}, {"rows": others})
    assert comparison.counts() == {"tp": count * 3, "fd": 0, "fa": 0, "fn": 0, "tn": 0}
    assert comparison.notes == ()


def canonical(row: Row) -> tuple[str, str, float]:
    """Return what a row says, read without any code of ours."""
    date = "-".join(str(row["date"]).split("/")[::-1])
    return date, row["description"].strip().lower(), float(str(row["amount"]).replace(",", ""))


def agreement(left: Sequence[Row], right: Sequence[Row]) -> int:
    """Return how many fields agree in the best pairing of all."""
    sides = [[canonical(row) for row in side] for side in (left, right)]
    columns = [[np.array([row[k] for row in side], dtype=object) for side in sides] for k in range(3)]
    agree = sum((e[:, None] == p[None, :]).astype(int) for e, p in columns)
    return int(np.asarray(agree)[linear_sum_assignment(agree, maximize=True)].sum())


def test_rows_that_are_missing_extra_or_wrong_leave_the_others_as_they_are() -> None:
    """What is not the same is paired as well as can be, which an independent assignment says."""
    rng = random.Random(7)
    rows, others = statement(2_500)
    for at in rng.sample(range(2_500), 60):
        others[at] = {**others[at], "amount": f"{rng.uniform(1, 9):.4f}"}
    for at in rng.sample(range(2_500), 40):
        others[at] = {**others[at], "description": "Something else"}
    others = [row for row in others if rng.random() < 0.98] + statement(30)[1]
    rng.shuffle(others)
    comparison = compare(
        schema_of(
            rows=list_of(
                schema_of(
                    date={"type": "string", "format": "date"}, description={"type": "string"}, amount={"type": "number"}
                )
            )
        ),
        {"rows": rows},
        {"rows": others},
    )
    right = sum(v.raw_score == 1.0 for v in comparison.verdicts if v.outcome.value in ("tp", "fd"))
    assert right == agreement(rows, others)


@pytest.mark.parametrize(("count", "limit"), [(2_000, 25_000_000), (3_000, 2_000_000)])
def test_rows_with_one_wrong_value_each_find_their_twins(count: int, limit: int) -> None:
    """Where no row is the same, each is paired with the one that agrees in all other fields, also in blocks."""
    rng = random.Random(8)
    rows, others = statement(count)
    for row in others:
        row[rng.choice(["description", "amount"])] = "?"
    order = rng.sample(range(count), count)
    schema = schema_of(
        rows=list_of(
            schema_of(
                date={"type": "string", "format": "date"}, description={"type": "string"}, amount={"type": "string"}
            )
        )
    )
    rows = [{**row, "amount": f"{row['amount']:,.2f}"} for row in rows]
    comparison = compare(schema, {"rows": rows}, {"rows": [others[k] for k in order]}, max_cells=limit)
    agreed = sum(v.outcome.value == "tp" for v in comparison.verdicts)
    assert agreed >= count * 2 * (1.0 if limit > count**2 else 0.95)
    assert bool(comparison.notes) == (limit < count**2)


def test_the_same_rows_pair_first_whatever_the_total() -> None:
    """A row pairs with the one that is the same, although two half-alike pairs would add up to as much."""
    fields = {"a": {"type": "number"}, "b": {"type": "number"}}
    expected, predicted = [{"a": 1, "b": 1}, {"a": 1, "b": 2}], [{"a": 2, "b": 1}, {"a": "1.0", "b": 1}]
    comparison = compare(schema_of(x=list_of(schema_of(**fields))), {"x": expected}, {"x": predicted})
    assert pairs_of(comparison, "x.a") == {"x[0].a": "x[1].a", "x[1].a": "x[0].a"}


def test_lists_inside_rows_are_part_of_what_is_the_same() -> None:
    """Rows with lists are the same where the items are, in any order, however they are written."""
    rng = random.Random(9)
    rows: list[Row] = [
        {"id": f"R-{n % 50}", "lines": [{"n": k, "net": round(rng.uniform(1, 5_000), 2)} for k in range(3)]}
        for n in range(600)
    ]
    others = [{**row, "lines": [{**line, "net": f"{line['net']:,.2f}"} for line in row["lines"][::-1]]} for row in rows]
    rng.shuffle(others)
    lines = list_of(schema_of(n={"type": "integer"}, net={"type": "number"}))
    comparison = compare(
        schema_of(x=list_of(schema_of(id={"type": "string"}, lines=lines))), {"x": rows}, {"x": others}
    )
    assert comparison.counts() == {"tp": 600 * 7, "fd": 0, "fa": 0, "fn": 0, "tn": 0}


SAMPLES: list[Any] = [
    *(
        1,
        1.0,
        1.5,
        "1",
        "1.0",
        "1,234.50",
        "1234.5",
        "$1,234.50",
        "€5",
        "5",
        "5.00",
        "1e3",
        "1000",
        True,
        "true",
        "yes ",
    ),
    *("2024-03-04", "04/03/2024", "03/04/2024", "March 4, 2024", "4 Mar 2024", "2024-03-04T10:00", "Mar 2024"),
    *(
        "13/05/75",
        "2024-03-04T10:00Z",
        "1.1.2024 - 3.1.2024",
        "Café",
        "cafe\u0301",
        "CAFE",
        " café ",
        "A-1",
        "a–1",
        "a 1",
    ),
    *("(206) 555-0100", "+1 206 555 0100", "5 mg", "5 MG", "hex nut M4", "hex  nut m4", "USD", "US$", "N/A"),
    *({"a": 1}, {"a": 1.0}),
    ["x"],
]
VALUES = st.sampled_from(SAMPLES) | st.text(max_size=4) | st.floats(allow_nan=False) | st.integers()
COMPARATORS: list[tuple[str, Row]] = [
    *((name, {}) for name in ("Exact", "Normalized", "Code", "Contains", "Enum", "Boolean", "Phone", "Currency")),
    *((name, {}) for name in ("Levenshtein", "Fuzzy", "Text", "Numeric", "Amount", "Date", "ANLSStar", "BBoxIoU")),
    ("Exact", {"case_sensitive": False}),
    ("Numeric", {"tolerance": 0.5}),
    ("Numeric", {"relative_tolerance": 0.1}),
    ("Amount", {"thousands": True}),
    ("Amount", {"locale": "de"}),
    *(("Fuzzy", {"method": m}) for m in ("token_sort_ratio", "token_set_ratio", "partial_ratio", "weighted_ratio")),
    ("Levenshtein", {"normalize": False}),
    ("Text", {"order": "any"}),
    ("Date", {"times": True, "range_mode": "strict"}),
    ("Date", {"range_mode": "reject", "dayfirst": True}),
    ("Date", {"precision_mode": "overlap", "tolerance": 1}),
    ("Date", {"tolerance": 0.25}),
]


@pytest.mark.parametrize(("name", "config"), COMPARATORS)
@settings(deadline=None, max_examples=examples(150))
@given(st.lists(VALUES, min_size=2, max_size=12))
def test_values_of_equal_keys_score_1(name: str, config: Row, values: list[Any]) -> None:
    """What a comparator says of two values with the same key is exactly 1, one by one and in a grid."""
    comparator = build(name, config)
    keys = [comparator.key(value) for value in values]
    grid = comparator.grid(values, values)
    for i, left in enumerate(values):
        for j, right in enumerate(values):
            if keys[i] is not None and keys[i] == keys[j]:
                assert comparator._compare(left, right) == grid[i, j] == 1.0
                assert comparator.loose_key(keys[i]) == comparator.loose_key(keys[j])


def test_a_match_threshold_stands_on_the_list_or_on_its_items() -> None:
    """Both places mean the same; two different ones are refused, and so is one on a list of values."""
    key, row = "x-fieldwise-match-threshold", schema_of(a={"type": "string"}, b={"type": "string"})
    sides = {"x": [{"a": "one", "b": "two"}]}, {"x": [{"a": "one", "b": "else"}]}
    for schema in (list_of(row, **{key: 0.9}), list_of({**row, key: 0.9}), list_of({**row, key: 0.9}, **{key: 0.9})):
        assert compare(schema_of(x=schema), *sides).counts()["fd"] == 2
    for refused in (list_of({**row, key: 0.5}, **{key: 0.9}), list_of({"type": "string"}, **{key: 0.9})):
        with pytest.raises(SettingError, match="match"):
            Plan.compile(Spec.from_json_schema(schema_of(x=refused)))


# What a document costs


@pytest.mark.parametrize("as_objects", [False, True])
def test_pages_that_are_too_many_find_their_partners(as_objects: bool) -> None:
    """Long pages whose beginnings differ are paired by their letters, and each pair is compared exactly."""
    rng = random.Random(1)
    pages = [text(rng, 3_000) for _ in range(20)]
    copies = ["?" + noisy(rng, page) for page in pages][::-1]
    left, right = ([{"text": page} for page in side] if as_objects else side for side in (pages, copies))
    schema = schema_of(x=list_of(schema_of(text=TEXT) if as_objects else TEXT))
    comparison = compare(schema, {"x": left}, {"x": right}, max_cells=10_000)
    end = ".text" if as_objects else ""
    assert pairs_of(comparison, f"x{end}") == {f"x[{i}]{end}": f"x[{19 - i}]{end}" for i in range(20)}
    assert {round(v.raw_score, 2) for v in comparison.verdicts} == {0.98}
    note = Note.of("lists.paired_in_blocks", path="x", expected=20, predicted=20, max_cells=10_000)
    assert comparison.notes == (note,)
    assert compare(schema, {"x": left}, {"x": right}).notes == ()


def test_texts_that_repeat_are_counted_once() -> None:
    """Many rows of few long texts are within the limit, and compared exactly."""
    rng = random.Random(2)
    texts = [text(rng, 3_000) for _ in range(4)]
    left = [texts[k % 4] for k in range(500)]
    right = [texts[k % 3] for k in range(500)]
    comparison = compare(schema_of(x=list_of(TEXT)), {"x": left}, {"x": right})
    assert comparison.notes == ()
    assert comparison.counts()["tp"] == 375


def test_lists_in_one_document_share_the_limit() -> None:
    """Each list would be within the limit alone; the first ones are compared each with each, the others in blocks."""
    rng = random.Random(4)
    names = [f"list_{n}" for n in range(5)]
    whole = {name: [text(rng, 30) for _ in range(200)] for name in names}
    moved = {name: [noisy(rng, value) + "?" for value in values][::-1] for name, values in whole.items()}
    comparison = compare(schema_of(**dict.fromkeys(names, list_of(TEXT))), whole, moved, max_cells=100_000)
    assert [note.facts["path"] for note in comparison.notes] == ["list_2", "list_3", "list_4"]
    assert comparison.counts()["tp"] > 950


@pytest.mark.parametrize("order", ["any", "sequence", "position"])
@pytest.mark.parametrize("max_cells", [1, 50, 2_000])
@pytest.mark.parametrize("key", [None, "id"])
def test_every_row_is_accounted_for(order: str, max_cells: int, key: str | None) -> None:
    """Whatever the limit, each item is in one pair or left over."""
    rng = random.Random(6)
    rows = [{"id": str(n % 7), "text": text(rng, 100)} for n in range(15)]
    others = [{"id": str(n % 5), "text": noisy(rng, rows[n % 15]["text"])} for n in range(20)]
    declared: dict[str, Json] = {"x-fieldwise-order": order, **({"x-fieldwise-key": key} if key else {})}
    schema = schema_of(x=list_of(schema_of(id={"type": "string"}, text=TEXT), **declared))
    comparison = compare(schema, {"x": rows}, {"x": others}, max_cells=max_cells)
    found = comparison.to_dict(include_confusion_matrix=True)["confusion_matrix"]["fields"]["x"]["overall"]
    assert (found["tp"] + found["fd"] + found["fn"], found["tp"] + found["fd"] + found["fa"]) == (15, 20)
    assert len({v.path for v in comparison.verdicts if v.field == "x.id" and v.outcome.value != "fa"}) == 15


def test_the_limit_is_that_of_one_document() -> None:
    """A plan counts each document anew."""
    rng = random.Random(7)
    plan = Plan.compile(Spec.from_json_schema(schema_of(x=list_of(TEXT))), max_cells=10_000)
    for _ in range(3):
        sides = [{"x": [text(rng, 20) for _ in range(90)]} for _ in range(2)]
        assert plan.compare(*sides).notes == ()


def test_models_have_the_same_limit() -> None:
    """``compare_with`` pairs pages that are too many by their letters too."""
    rng = random.Random(8)
    pages = [text(rng, 19_000) for _ in range(20)]
    model = StructuredModel.from_json_schema(schema_of(pages=list_of({"type": "string"})))
    copies = [noisy(rng, page) for page in pages][::-1]
    found = model(pages=pages).compare_with(model(pages=copies), include_confusion_matrix=True)
    assert found["confusion_matrix"]["fields"]["pages"]["overall"]["tp"] == 20
    assert [note["code"] for note in found["notes"]] == ["lists.paired_in_blocks"]


@pytest.fixture
def lists_file(tmp_path: Path) -> Path:
    """Four documents, three of them with a list that is too long for a limit of 100 cells."""
    rng = random.Random(9)
    path = tmp_path / "pairs.jsonl"
    with path.open("w") as file:
        for number in range(4):
            values = [text(rng, 30) for _ in range(12 if number else 1)]
            row = {"id": f"doc-{number}", "expected": {"x": values}, "predicted": {"x": [v[::-1] for v in values]}}
            file.write(json.dumps(row) + "\n")
    return path


@pytest.mark.parametrize("workers", [1, 2])
def test_the_run_names_the_list_and_the_documents(lists_file: Path, workers: int, tmp_path: Path) -> None:
    """Metrics and their notes say which list of which documents was paired in blocks, and what to set."""
    spec = Spec.from_json_schema(schema_of(x=list_of(TEXT)))
    found = evaluate_pairs(
        open_pairs(lists_file), spec, out=tmp_path / "out", max_cells=100, workers=workers, shard_documents=2
    ).metrics
    assert found.limits.met == {"max_cells": 3}
    named = {"path": "x", "documents": 3, "first": ["doc-1", "doc-2", "doc-3"]}
    assert Note.of("lists.in_blocks", lists=[named], count=1, max_cells=100) in found.notes
    usual = evaluate_pairs(open_pairs(lists_file), spec).metrics
    assert usual.limits.met == {}
    assert usual.spec_fingerprint != found.spec_fingerprint


@pytest.mark.parametrize(("written", "number"), [("1e2", "100"), ("1_00", "100"), ("0,100", "100")])
def test_the_limit_is_an_option(lists_file: Path, written: str, number: str) -> None:
    """``--max-cells`` takes powers of ten, underscores and commas."""
    done = CliRunner().invoke(evaluate_command, [str(lists_file), "--max-cells", written])
    assert f"(--max-cells {number};" in " ".join(done.output.split())


@pytest.mark.parametrize("written", ["0", "-1", "1.5", "1e999", "many"])
def test_a_limit_that_is_no_count_is_refused(lists_file: Path, written: str) -> None:
    """Anything but a whole number of 1 or more is refused."""
    done = CliRunner().invoke(evaluate_command, [str(lists_file), f"--max-cells={written}"])
    assert done.exit_code == 2
    assert "whole number of 1 or more" in " ".join(done.output.split())


def test_comparing_two_files_has_the_limit_too(tmp_path: Path) -> None:
    """``compare --max-cells`` names the list below its table, and its fingerprint is another one."""
    rng = random.Random(10)
    names = []
    for side in ("a", "b"):
        path = tmp_path / f"{side}.json"
        path.write_text(json.dumps({"x": [text(rng, 20) for _ in range(30)]}))
        names.append(str(path))
    shown = " ".join(CliRunner().invoke(compare_command, [*names, "--max-cells", "100"]).output.split())
    assert "x: 30 × 30 items: the same ones paired first, the others in blocks (--max-cells 100)" in shown
    assert "blocks" not in CliRunner().invoke(compare_command, names).output
    found = json.loads(CliRunner().invoke(compare_command, [*names, "--json", "--max-cells", "100"]).output)
    usual = json.loads(CliRunner().invoke(compare_command, [*names, "--json"]).output)
    facts = {"path": "x", "expected": 30, "predicted": 30, "max_cells": 100}
    assert found["notes"] == [{"code": "lists.paired_in_blocks", "facts": facts}]
    assert found["spec_fingerprint"] != usual["spec_fingerprint"]


def test_a_text_of_too_many_letters_is_compared_by_its_words() -> None:
    """Beyond 20,000 characters the words that both texts have decide, and the reason says so."""
    words = [f"word{n}" for n in range(4_000)]
    comparison = compare(schema_of(x=TEXT), {"x": " ".join(words)}, {"x": " ".join(["other", *words[1:]])})
    assert comparison.verdicts[0].raw_score == 3_999 / 4_000
    assert comparison.verdicts[0].reason == f"levenshtein: 1.000 ≥ 0.8; {LONG_TEXT_NOTE}"


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
