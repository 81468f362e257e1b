"""States that come from outside are taken as they were made, or refused with the place of what is wrong."""

from __future__ import annotations

import copy
import json
import math
import random
from collections.abc import Callable
from typing import Any, NamedTuple

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fieldwise import Plan, Spec, StructuredModel
from fieldwise.bulk import BBoxMAPAccumulator, BulkStructuredModelEvaluator, ConfidenceAccumulator
from fieldwise.bulk_aggregator import BulkEvaluationAggregator
from fieldwise.classify import ClassReport, UnitMetricResult
from fieldwise.counting.interval_aggregator import IntervalAggregator
from fieldwise.counting.metrics import evaluation_metrics
from fieldwise.counting.tally import Tally
from fieldwise.errors import FieldwiseError, InputError
from fieldwise.values import Json

SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {
        "total": {"type": "number"},
        "name": {"type": "string"},
        "rows": {
            "type": "array",
            "items": {"type": "object", "properties": {"what": {"type": "string"}, "price": {"type": "number"}}},
        },
        "address": {"type": "object", "properties": {"city": {"type": "string"}}},
    },
}
Invoice = StructuredModel.from_json_schema(SCHEMA)
PAIRS: list[tuple[Json, Json]] = [
    (
        {"total": 5, "name": "abc", "rows": [{"what": "x", "price": 1}], "address": {"city": "Rom"}, "more": 1},
        {"total": {"_value": 6, "_confidence": 0.8}, "name": "abd", "rows": [{"what": "x", "price": 2}], "odd": "k"},
    ),
    (
        {"total": 5, "rows": [{"what": "x"}, {"what": "yy"}], "address": {"city": "Rom"}},
        {"total": 5, "name": "new", "rows": [{"what": "x"}, {"what": "qq", "price": 3}], "address": "Rom"},
    ),
    ({"total": 7, "name": "same"}, {"total": 7, "name": "same"}),
]


class Kept(NamedTuple):
    """Something with a state: one that was made, and what is to be done with another one."""

    state: Json
    use: Callable[[Json], Json]
    """Takes a state, computes and merges, and returns the state again."""


def _bulk() -> Kept:
    def made() -> BulkStructuredModelEvaluator:
        return BulkStructuredModelEvaluator(Invoice, accumulators=[ConfidenceAccumulator(), BBoxMAPAccumulator()])

    evaluator = made()
    for number, (expected, predicted) in enumerate(PAIRS):
        evaluator.update(expected, predicted, f"d{number}")
    evaluator._keep({"doc_id": "broken", "error": "no JSON", "error_type": "ValueError"})

    def use(state: Json) -> Json:
        other = made()
        other.load_state(state)
        other.merge_state(state)
        other.compute()
        return other.get_state()

    return Kept(evaluator.get_state(), use)


def _tally() -> Kept:
    plan = Plan.compile(Spec.from_json_schema(SCHEMA))
    tally = Tally()
    for expected, predicted in PAIRS:
        tally.add(plan.root, plan.compare(expected, predicted).result)

    def use(state: Json) -> Json:
        other = Tally.from_state(state)
        other.merge(Tally.from_state(state))
        evaluation_metrics(other, None)
        return other.to_state()

    return Kept(tally.to_state(), use)


def _aggregator(cls: type[BulkEvaluationAggregator] | type[IntervalAggregator]) -> Kept:
    aggregator = cls()
    for number, (expected, predicted) in enumerate(PAIRS):
        result = Invoice.from_json(expected).compare_with(Invoice.from_json(predicted), include_confusion_matrix=True)
        aggregator.update(result["confusion_matrix"], f"d{number}")
    aggregator.update({"fields": {"x": {"tp": -1}}}, "wrong")

    def use(state: Json) -> Json:
        other = cls.from_state(state)
        other.merge(cls.from_state(state))  # type: ignore[arg-type]  # of the same class
        other.metrics() if isinstance(other, IntervalAggregator) else other.compute()
        return other.to_state()

    return Kept(aggregator.to_state(), use)


def _classes() -> Kept:
    report = ClassReport(golden_key="c", predicted_key="c")
    for one, other in [("a", "a"), ("a", "b"), (1, 1.0), (["x"], {"y": 2}), (None, True)]:
        report.update([UnitMetricResult(one == other, {"c": one}, {"c": other}, {})])

    def use(state: Json) -> Json:
        other = ClassReport(golden_key="c", predicted_key="c")
        other.load_state(state)
        other.load_state(state)
        other.to_dict()
        return other.to_state()

    return Kept(report.to_state(), use)


STATES: dict[str, Kept] = {
    "bulk evaluator": _bulk(),
    "tally": _tally(),
    "matrices": _aggregator(BulkEvaluationAggregator),
    "matrices with intervals": _aggregator(IntervalAggregator),
    "classes": _classes(),
}


def deep() -> Json:
    value: Json = "end"
    for _ in range(5_000):
        value = [value]
    return value


ODD: tuple[Callable[[], Json], ...] = (
    lambda: None,
    lambda: -1,
    lambda: -(10**30),
    lambda: 10**400,
    lambda: 2**53 + 1,
    lambda: 3,
    lambda: 0,
    lambda: 0.5,
    lambda: math.inf,
    lambda: -math.inf,
    lambda: math.nan,
    lambda: True,
    lambda: "text",
    lambda: "",
    lambda: "\ud800",
    list,
    dict,
    lambda: [1, 2, 3],
    lambda: {"a": 1},
    deep,
    object,
    lambda: {1: 2},
)


def places(state: Json) -> list[tuple[Any, Any]]:
    """Return every place of a state: its holder, and the key in it."""
    found: list[tuple[Any, Any]] = []
    todo = [state]
    while todo:
        holder = todo.pop()
        keys = list(holder) if isinstance(holder, dict) else range(len(holder))
        for key in keys:
            found.append((holder, key))
            if isinstance(holder[key], (dict, list)):
                todo.append(holder[key])
    return found


def mutated(state: Json, choose: random.Random) -> Json:
    """Return a copy of a state with something odd in one place or two."""
    out = copy.deepcopy(state)
    for _ in range(choose.choice((1, 1, 1, 2))):
        holder, key = choose.choice(places(out))
        act = choose.randrange(8)
        if act == 0:
            del holder[key]
        elif act == 1 and isinstance(holder, dict):
            holder[choose.choice(("new", "", "total", "rows.what"))] = holder[key]
        elif act == 1:
            holder.append(holder[key])
        elif act == 2:
            place = choose.choice(list(holder) if isinstance(holder, dict) else range(len(holder)))
            holder[key], holder[place] = holder[place], holder[key]
        elif act == 3 and type(holder[key]) in (int, float):
            holder[key] += choose.choice((-1, 1, 10**6, 0.5))
        else:
            holder[key] = choose.choice(ODD)()
    return out


def smallest(state: Json) -> float:
    """Return the smallest count of a state; sums of scores are none, nor is what records hold."""
    counted = {key: part for key, part in state.items() if key not in ("errors", "non_matches", "table")}
    for sums in (counted, counted.get("matrices", {})):
        for key in ("scores", "overall_score"):
            sums.pop(key, None)
    numbers = [holder[key] for holder, key in places(counted)]
    return min(float(n) for n in numbers if type(n) in (int, float))


@pytest.mark.parametrize("name", STATES)
def test_a_state_is_taken_as_it_was_made(name: str) -> None:
    """What was saved is loaded, merged, computed and saved again, also by way of JSON."""
    kept = STATES[name]
    assert kept.use(copy.deepcopy(kept.state)) == kept.use(json.loads(json.dumps(kept.state)))


@pytest.mark.parametrize("name", STATES)
@given(seed=st.integers(0, 2**32))
def test_a_state_that_was_changed_is_refused_or_works(name: str, seed: int) -> None:
    """A state with anything odd in it is refused as input, or else computes, merges and has no negative count."""
    kept = STATES[name]
    state = mutated(kept.state, random.Random(seed))
    refusal: type[Exception] = ValueError if name == "matrices" else FieldwiseError
    try:
        again = kept.use(state)
    except refusal:
        return
    assert smallest(again) >= 0


@pytest.mark.parametrize(
    ("name", "way", "value", "words"),
    [
        ("bulk evaluator", ["documents"], math.inf, r"whole number.*inf.*documents"),
        ("bulk evaluator", ["documents"], -3, r"whole number from 0, got -3 - at documents"),
        ("bulk evaluator", ["accumulators"], None, r"object.*None.*accumulators"),
        ("bulk evaluator", ["non_matches", 0], {"field_path": "x"}, r"'doc_id'.*non_matches\[0\]"),
        ("bulk evaluator", ["matrices", "overall", 0], -1, r"-1 - at matrices\.overall\[0\]"),
        ("tally", ["fields", "name", "documents", 0, 4], "many", r"'many' - at fields\.name\.documents\[0\]\[4\]"),
        ("tally", ["wholes", "histogram"], [0] * 3, r"list of 20.*wholes\.histogram"),
        ("tally", ["total", "documents", 0, 0], 100, r"fit each other.*total"),
        ("matrices with intervals", ["histograms"], [], r"object.*histograms"),
        ("classes", ["table", "groups", 0, 1, 0, 1], -1, r"-1 - at table\.groups\[0\]\[1\]\[0\]\[1\]"),
    ],
)
def test_the_refusal_says_where(name: str, way: list[Any], value: Json, words: str) -> None:
    """The error says what was expected, what came, and at which place of the state."""
    kept = STATES[name]
    state = copy.deepcopy(kept.state)
    holder = state
    for key in way[:-1]:
        holder = holder[key]
    holder[way[-1]] = value
    with pytest.raises(InputError, match=words):
        kept.use(state)
