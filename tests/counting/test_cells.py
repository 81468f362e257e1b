"""Cells and clusters: states that add up in any order, and are checked where they come from outside."""

from __future__ import annotations

import copy
import json
import random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fieldwise import Plan, Spec
from fieldwise.counting.cells import Cell, Cells, Group
from fieldwise.errors import InputError
from tests.stats.examples import LIMITS, folded_above
from tests.strategies import Noise, documents, examples, predictions, schemas

Counted = tuple[Group, str, Any]


@st.composite
def sets(draw: st.DrawFn) -> tuple[Plan, list[Counted]]:
    """A plan, and documents compared under it, each with its group and name."""
    schema = draw(schemas())
    plan, made = Plan.compile(Spec.from_json_schema(schema)), list[Counted]()
    for number in range(draw(st.integers(0, 6))):
        expected = draw(documents(schema))
        result = plan.compare(expected, draw(predictions(schema, expected, Noise()))).result
        value = st.sampled_from(["a", "b", None])
        made.append((Group(Cell(draw(value), (draw(value),)), draw(value)), f"d{number}", result))
    return plan, made


def cells_of(plan: Plan, counted: list[Counted]) -> Cells:
    cells = Cells(("key",), clustered=True)
    for group, name, result in counted:
        alone = cells.new()
        alone.tally.add(plan.root, result)
        cells.of(group.cell).add_in_cluster(group.cluster_of(name), alone)
    return cells


def again(cells: Cells) -> Cells:
    return Cells.from_state(json.loads(json.dumps(cells.to_state())))


@settings(deadline=None, max_examples=examples(40))
@given(sets(), st.integers(0, 2**32), st.integers(1, 4), LIMITS)
def test_any_split_and_order_gives_the_same_state(
    held: tuple[Plan, list[Counted]], seed: int, parts: int, limit: int
) -> None:
    """Merging is associative and commutative, and empty cells change nothing; also where histograms are folded."""
    plan, counted = held
    shuffled = random.Random(seed).sample(counted, len(counted))
    with folded_above(limit):
        merged = Cells(("key",), clustered=True)
        for part in range(parts):
            merged.merge(again(cells_of(plan, shuffled[part::parts])))
        merged.merge(Cells(("key",), clustered=True))
        whole = cells_of(plan, counted)
        assert merged.to_state() == whole.to_state()
        assert merged.whole().metrics() == whole.whole().metrics()
        found = merged.by_slice("key").values()
        assert sum(counts.tally.wholes.documents for counts in found) == len(counted)


def test_a_state_from_outside_is_checked() -> None:
    """What no cells can have been is refused, whatever is wrong."""
    plan = Plan.compile(Spec.from_json_schema({"type": "object", "properties": {"total": {"type": "number"}}}))
    results = [plan.compare({"total": n}, {"total": n % 2}).result for n in range(4)]
    groups = [Group(Cell("a", (str(n % 2),)), "c") for n in range(4)]
    made = cells_of(plan, [(group, "d", result) for group, result in zip(groups, results, strict=True)])
    state = json.loads(json.dumps(made.to_state()))

    def refuse(change: Any) -> None:
        other = copy.deepcopy(state)
        change(other)
        with pytest.raises(InputError):
            Cells.from_state(other)

    def clusters(s: Any) -> Any:
        return s["counts"][0][1]["clusters"]["by_name"]

    refuse(lambda s: s["counts"].append(s["counts"][0]))
    refuse(lambda s: s["counts"][0][0][1].append("more"))
    refuse(lambda s: s.pop("keys"))
    refuse(lambda s: s.update(clustered=1))
    refuse(lambda s: s["counts"][0][1].pop("tally"))
    refuse(
        lambda s: s["counts"][0][1]["clusters"]["by_name"].update(
            {"=d": s["counts"][0][1]["clusters"]["by_name"]["=c"]}
        )
    )
    refuse(lambda s: clusters(s)["=c"]["total"].append(9))
    refuse(lambda s: clusters(s)["=c"]["documents"].append(1))
    assert json.loads(json.dumps(Cells.from_state(state).to_state())) == state
