"""Pairs that are certain without a grid: what the grid would have paired, to the last bit."""

from __future__ import annotations

import random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fieldwise import ExactComparator, NumericComparator, Plan, Spec
from fieldwise.comparators import BaseComparator, NormalizedComparator
from fieldwise.compare.certain import certain_pairs
from fieldwise.compare.lists import ListPlan
from fieldwise.compare.matching import assign
from fieldwise.compare.nodes import Cells
from fieldwise.compare.objects import ObjectPlan
from tests.strategies import examples

Row = dict[str, Any]

TEXTS = st.sampled_from(["bolt", "bolts", "nut", "washer M4", "Washer m4", ""])
NUMBERS = st.integers(1, 9) | st.none()
PRICES = st.floats(0, 1000, allow_nan=False).map(lambda x: round(x, 2)) | st.sampled_from([9.99, 10.0, 10.01, "9.99"])
ROWS = st.lists(st.fixed_dictionaries({"name": TEXTS, "quantity": NUMBERS, "price": PRICES}), min_size=1, max_size=7)
WEIGHTS = st.sampled_from([0.1, 0.5, 1.0, 3.0])


def item_plan(tolerance: float, weight: float = 1.0) -> ObjectPlan:
    row = {
        "type": "object",
        "properties": {
            "name": {"type": "string"},
            "quantity": {"type": "integer"},
            "price": {
                "type": "number",
                "x-aws-stickler-comparator": "NumericComparator",
                "x-aws-stickler-comparator-config": {"relative_tolerance": tolerance},
                "x-aws-stickler-weight": weight,
            },
        },
    }
    schema = {"type": "object", "properties": {"rows": {"type": "array", "items": row}}}
    rows = Plan.compile(Spec.from_json_schema(schema)).root.fields["rows"]
    assert isinstance(rows, ListPlan)
    assert isinstance(rows.item, ObjectPlan)
    return rows.item


def by_grid(plan: ObjectPlan, expected: list[Row], predicted: list[Row]) -> list[Any]:
    grid = plan.grid(expected, predicted)
    pairing = assign(grid.similarity, plan.accept)
    results = grid.results(Cells(pairing, len(predicted)))
    return [(i, j, result) for (i, j), result in zip(pairing, results, strict=True)]


@settings(deadline=None, max_examples=examples(500))
@given(ROWS, ROWS, st.sampled_from([0.0, 0.001, 0.1, 0.6]), WEIGHTS)
def test_a_certain_pairing_is_that_of_the_grid(
    expected: list[Row], predicted: list[Row], tolerance: float, weight: float
) -> None:
    """Where a pairing is certain it is the best one, and each pair has the result that the grid gives it."""
    plan = item_plan(tolerance, weight)
    certain = certain_pairs(plan, expected, predicted) if plan.selective else None
    assert certain is None or certain == by_grid(plan, expected, predicted)


@pytest.mark.parametrize("drop", [0, 1, 2])
@pytest.mark.parametrize("side", ["expected", "predicted"])
def test_noisy_copies_are_certain(drop: int, side: str) -> None:
    """A shuffled copy with a wrong value here and there is paired without a grid, also with rows missing."""
    rng = random.Random(5)
    rows = [{"name": f"part {k}", "quantity": k, "price": round(rng.uniform(1, 99), 2)} for k in range(20)]
    copies = [{**row, "name": "part X"} if k % 4 == 0 else dict(row) for k, row in enumerate(rows)]
    rng.shuffle(copies)
    short = (rows if side == "expected" else copies)[drop:]
    expected, predicted = (short, copies) if side == "expected" else (rows, short)
    plan = item_plan(0.001)
    certain = certain_pairs(plan, expected, predicted)
    assert certain is not None
    assert certain == by_grid(plan, expected, predicted)


def test_twins_are_left_to_the_grid() -> None:
    """Two rows that want the same partner are no certainty."""
    row = {"name": "bolt", "quantity": 1, "price": 2.5}
    assert certain_pairs(item_plan(0.0), [row, row], [row, {**row, "quantity": 2}]) is None


COMPARATORS: list[BaseComparator] = [
    ExactComparator(),
    ExactComparator(case_sensitive=False),
    NormalizedComparator(),
    NumericComparator(),
    NumericComparator(relative_tolerance=0.1),
    NumericComparator(absolute_tolerance=0.5),
    NumericComparator(relative_tolerance=0.01, absolute_tolerance=0.01),
    NumericComparator(relative_tolerance=0.7),
]


@pytest.mark.parametrize("comparator", COMPARATORS, ids=repr)
@settings(deadline=None, max_examples=examples(200))
@given(
    st.lists(st.floats(-1e6, 1e6), min_size=1, max_size=9)
    | st.lists(st.integers(-9, 9), min_size=1, max_size=9)
    | st.lists(st.sampled_from([1, 10, 9.9, 9.0, 1.0, -1.0, 0.1, 11.0, 10.5]), min_size=1, max_size=9)
    | st.lists(TEXTS, min_size=1, max_size=9),
    st.randoms(use_true_random=False),
)
def test_no_candidate_is_forgotten(comparator: BaseComparator, values: list[Any], rng: random.Random) -> None:
    """Every cell of the grid with a score belongs to a candidate."""
    others = rng.sample(values, len(values))
    found = comparator.candidates(values, others)
    if found is not None:
        scores = comparator.grid(values, others)
        scoring = {(i, j) for i in range(len(values)) for j in range(len(others)) if scores[i, j] > 0}
        assert scoring <= {(i, j) for i, row in enumerate(found) for j in row}
