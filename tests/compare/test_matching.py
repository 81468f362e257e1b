"""Which list item belongs to which: the solvers against all assignments, and the options of a list."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from itertools import combinations, pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from fieldwise import Comparison, Plan, Spec
from fieldwise.compare.matching import assign, assign_in_sequence, assign_small
from fieldwise.values import Json
from tests.reference import TIE, assignments
from tests.strategies import examples

Grid = Any
Pairs = list[tuple[int, int]]

SHAPES = st.tuples(st.integers(1, 5), st.integers(1, 5))
FEW_VALUES = st.sampled_from([0.0, 0.25, 0.5, 0.75, 1.0])
NEAR_VALUES = st.sampled_from([0.0, 0.5, 0.5 + 1e-12, 0.5 - 1e-12, 0.5 + 1e-8, 1 / 3, 2 / 3, 1.0 - 1e-12, 1.0])
GRIDS = SHAPES.flatmap(lambda shape: arrays(np.float64, shape, elements=FEW_VALUES | NEAR_VALUES))
LIMITS = st.sampled_from([0.0, 0.3, 0.5, 0.7, 1.0])
MANY = settings(deadline=None, max_examples=examples(400))


def rank(grid: Grid, accept: float, pairs: Pairs) -> tuple[int, int, Pairs]:
    """Order pairings, the best one first: total in steps of 1e-9, accepted pairs, positions."""
    cells = [float(grid[i, j]) for i, j in pairs]
    return -sum(round(cell * TIE) for cell in cells), -sum(cell >= accept for cell in cells), pairs


def without_crossing(rows: int, columns: int) -> Iterator[Pairs]:
    for size in range(min(rows, columns) + 1):
        for left in combinations(range(rows), size):
            for right in combinations(range(columns), size):
                yield list(zip(left, right, strict=True))


@MANY
@given(GRIDS, LIMITS)
def test_assignment_is_the_best_of_all(grid: Grid, accept: float) -> None:
    """The greatest total wins, then the most accepted pairs, then the smallest positions."""
    best = min(rank(grid, accept, pairs) for pairs in assignments(*grid.shape))[2]
    assert assign(grid, accept) == best


@MANY
@given(GRIDS, LIMITS)
def test_few_items_are_assigned_alike(grid: Grid, accept: float) -> None:
    """The short way for a few items gives what the long one gives."""
    assert assign_small(grid.tolist(), accept) == assign(grid, accept)


@MANY
@given(GRIDS, LIMITS)
def test_assignment_in_sequence_is_the_best_of_all_without_crossing(grid: Grid, accept: float) -> None:
    """In sequence the greatest total wins among pairings that keep the order, then the most accepted pairs."""
    pairs = assign_in_sequence(grid, accept)
    assert pairs == sorted(pairs)
    assert all(a[1] < b[1] for a, b in pairwise(pairs))
    best = min(rank(grid, accept, ways) for ways in without_crossing(*grid.shape))
    assert rank(grid, accept, pairs)[:2] == best[:2]


@MANY
@given(GRIDS, LIMITS)
def test_assignment_turned_around_has_the_same_total(grid: Grid, accept: float) -> None:
    """More rows than columns or the other way: the total and the accepted pairs are the same."""
    turned = [(i, j) for j, i in assign(np.ascontiguousarray(grid.T), accept)]
    assert rank(grid, accept, turned)[:2] == rank(grid, accept, assign(grid, accept))[:2]


@pytest.mark.parametrize(("rows", "columns"), [(40, 40), (25, 60), (60, 25)])
def test_ties_in_large_lists_go_to_the_smallest_positions(rows: int, columns: int) -> None:
    """Where all is alike, the first pairs with the first."""
    grid = np.full((rows, columns), 0.5)
    assert assign(grid, 0.5) == [(k, k) for k in range(min(rows, columns))]


def schema(order: str | None = None, key: Json = None, *, of_objects: bool = False) -> dict[str, Any]:
    exact = {"x-aws-stickler-comparator": "Exact", "x-aws-stickler-threshold": 1.0}
    row = {"type": "object", "properties": {"id": {"type": "string", **exact}, "text": {"type": "string"}}}
    items: dict[str, Any] = {
        "type": "array",
        **({"items": row} if of_objects else {"items": {"type": "string"}, **exact}),
    }
    if order is not None:
        items["x-fieldwise-order"] = order
    if key is not None:
        items["x-fieldwise-key"] = key
    return {"type": "object", "properties": {"list": items}}


def compare(rules: dict[str, Any], expected: Json, predicted: Json, **options: Any) -> Comparison:
    plan = Plan.compile(Spec.from_json_schema(rules), **options)
    return plan.compare({"list": expected}, {"list": predicted})


def outcomes(comparison: Comparison) -> dict[str, int]:
    return {key: count for key, count in comparison.counts().items() if count}


@pytest.mark.parametrize(
    ("order", "expected", "predicted", "counts"),
    [
        ("any", ["a", "b"], ["b", "a"], {"tp": 2}),
        ("sequence", ["a", "b", "c"], ["a", "b", "c"], {"tp": 3}),
        ("sequence", ["a", "b", "c"], ["a", "c"], {"tp": 2, "fn": 1}),
        ("sequence", ["b", "c"], ["a", "b", "c", "d"], {"tp": 2, "fa": 2}),
        ("position", ["a", "b", "c"], ["a", "b", "c"], {"tp": 3}),
        ("position", ["a", "b"], ["b", "a"], {"fd": 2}),
        ("position", ["a", "b", "c"], ["a", "c"], {"tp": 1, "fd": 1, "fn": 1}),
        ("position", ["a"], ["a", "b"], {"tp": 1, "fa": 1}),
    ],
)
def test_order_of_a_list(order: str, expected: Json, predicted: Json, counts: dict[str, int]) -> None:
    """Items pair by likeness, by likeness without crossing, or by position."""
    assert outcomes(compare(schema(order), expected, predicted)) == counts


@pytest.mark.parametrize("order", ["any", "sequence", "position"])
def test_a_weak_pair_is_a_mismatch_in_every_order(order: str) -> None:
    """Two items that are alike in nothing are one mismatch where nothing better is left, not missed and spurious."""
    assert outcomes(compare(schema(order), ["a"], ["b"])) == {"fd": 1}
    assert outcomes(compare(schema(order), ["a", "b", "c"], ["a", "x", "c"])) == {"tp": 2, "fd": 1}


def test_in_sequence_no_pairs_cross() -> None:
    """Of two matches that cross, one is given up."""
    comparison = compare(schema("sequence"), ["a", "b"], ["b", "a"])
    assert outcomes(comparison)["tp"] == 1


def test_absent_items_keep_their_position() -> None:
    """By position, what comes after a null still pairs with its own place."""
    comparison = compare(schema("position"), ["a", None, "c"], ["a", "b", "c"])
    assert outcomes(comparison) == {"tp": 2, "fa": 1}
    assert [v.path for v in comparison.verdicts if v.outcome.value == "tp"] == ["list[0]", "list[2]"]


def row(number: str | None, text: str) -> dict[str, Json]:
    return {"id": number, "text": text}


@pytest.mark.parametrize("key", ["id", ["id"]])
def test_a_key_pairs_first(key: Json) -> None:
    """Rows of the same key are a pair, though another row is more alike; the rest pairs by likeness."""
    expected = [row("1", "apples"), row("2", "pears"), row("3", "plums")]
    predicted = [row("9", "plums"), row("2", "apples"), row("1", "pears")]
    comparison = compare(schema(key=key, of_objects=True), expected, predicted)
    paired = {v.path: v.predicted_path for v in comparison.verdicts if v.field == "list.id"}
    assert paired == {"list[0].id": "list[2].id", "list[1].id": "list[1].id", "list[2].id": "list[0].id"}


def test_rows_without_a_key_pair_by_likeness() -> None:
    """An absent key equals no other; rows of one key pair by likeness, each once."""
    expected = [row(None, "apples"), row(None, "pears"), row("1", "kiwis"), row("1", "limes")]
    predicted = [row("1", "limes"), row(None, "pears"), row("1", "kiwis"), row(None, "apples")]
    comparison = compare(schema(key="id", of_objects=True), expected, predicted)
    paired = {v.path: v.predicted_path for v in comparison.verdicts if v.field == "list.text"}
    assert paired == {
        "list[0].text": "list[3].text",
        "list[1].text": "list[1].text",
        "list[2].text": "list[2].text",
        "list[3].text": "list[0].text",
    }


def test_a_key_of_several_fields_needs_all_of_them() -> None:
    """Rows pair where every field of the key is the same."""
    expected = [row("1", "apples"), row("1", "pears")]
    predicted = [row("1", "pears"), row("2", "apples")]
    comparison = compare(schema(key=["id", "text"], of_objects=True), expected, predicted)
    paired = {v.path: v.predicted_path for v in comparison.verdicts if v.field == "list.id"}
    assert paired == {"list[0].id": "list[1].id", "list[1].id": "list[0].id"}


def rows(numbers: range) -> list[Json]:
    return [row(str(n), f"item number {n}") for n in numbers]


def accounted_for(comparison: Comparison, expected: int, predicted: int) -> None:
    counts = comparison.to_dict(include_confusion_matrix=True)["confusion_matrix"]["fields"]["list"]["overall"]
    assert counts["tp"] + counts["fd"] + counts["fn"] == expected
    assert counts["tp"] + counts["fd"] + counts["fa"] == predicted
    found = [int(v.path[5:-4]) for v in comparison.verdicts if v.field == "list.id" and v.expected is not None]
    assert sorted(found) == list(range(expected))


@pytest.mark.parametrize(
    ("expected", "predicted", "matches"),
    [
        (range(30), range(29, -1, -1), 30),
        (range(30), range(30), 30),
        (range(30), range(10, 40), 20),
        (range(30), range(5), 5),
        (range(3), range(40), 3),
        (range(30), range(100, 130), 0),
    ],
)
@pytest.mark.parametrize("order", ["any", "sequence", "position"])
def test_large_lists_are_paired_in_blocks(order: str, expected: range, predicted: range, matches: int) -> None:
    """Above the limit of cells identical rows pair first, the rest in blocks; every row is accounted for."""
    wanted, got = rows(expected), rows(predicted)
    comparison = compare(schema(order, of_objects=True), wanted, got, max_cells=50)
    accounted_for(comparison, len(wanted), len(got))
    if order == "any":
        exact = sum(v.outcome.value == "tp" and v.field == "list.id" for v in comparison.verdicts)
        assert exact == matches


@pytest.mark.parametrize("order", ["any", "sequence"])
def test_pairing_in_blocks_is_noted(order: str) -> None:
    """A result that was not paired as a whole says so."""
    comparison = compare(schema(order, of_objects=True), rows(range(30)), rows(range(15, 45)), max_cells=50)
    [note] = comparison.notes
    assert (note.code, note.facts["expected"], note.facts["predicted"]) == ("lists.paired_in_blocks", 30, 30)
    small = compare(schema(order, of_objects=True), rows(range(5)), rows(range(5)), max_cells=50)
    assert not small.notes


def test_pairs_in_sequence_do_not_cross_in_blocks_either() -> None:
    """The limit of cells changes how pairs are found, not that they keep their order."""
    values = [f"value {n}" for n in range(30)]
    comparison = compare(schema("sequence"), values, values[::-1], max_cells=50)
    pairs = [
        (int(v.path[5:-1]), int(v.predicted_path[5:-1])) for v in comparison.verdicts if v.outcome.value in ("tp", "fd")
    ]
    assert all(a[1] < b[1] for a, b in pairwise(sorted(pairs)))


def test_scalar_lists_in_blocks_account_for_every_element() -> None:
    """Elements of long scalar lists are each matched, mismatched, missed or spurious once."""
    expected = [f"value {n}" for n in range(40)]
    predicted = [f"value {n}" for n in range(60, 20, -1)]
    counts = Counter(outcomes(compare(schema(), expected, predicted, max_cells=100)))
    assert counts["tp"] == 19
    assert counts["tp"] + counts["fd"] + counts["fn"] == 40
    assert counts["tp"] + counts["fd"] + counts["fa"] == 40


@pytest.mark.parametrize("outer", [1, 2, 5])
def test_lists_in_lists_count_all_their_cells(outer: int) -> None:
    """The limit is for the whole nested grid; inner lists above it are paired in blocks and stay complete."""
    rules = {
        "type": "object",
        "properties": {
            "list": {
                "type": "array",
                "items": {
                    "type": "object",
                    "properties": {"id": {"type": "string"}, "in": {"type": "array", "items": {"type": "string"}}},
                },
            }
        },
    }
    document = [{"id": str(n), "in": [f"value {n} {k}" for k in range(20)]} for n in range(outer)]
    comparison = compare(rules, document, [{**item, "in": item["in"][::-1]} for item in document], max_cells=60)
    assert outcomes(comparison) == {"tp": outer * 21}
