"""Declared states: merging, JSON and pickling follow from the declaration, under one law for all of them."""

from __future__ import annotations

import json
import pickle
import random
import sys
from collections.abc import Callable, Iterator
from typing import Any, TypeVar

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fieldwise import Plan, Spec
from fieldwise.bulk.accumulators import Confident
from fieldwise.bulk.state import EvaluationState
from fieldwise.classify.counts import CountTable
from fieldwise.classify.report import ReportState
from fieldwise.counting.cells import Cell, CellCounts, Cells, Group
from fieldwise.counting.clusters import ClusterCounts, Clusters
from fieldwise.counting.interval_aggregator import IntervalAggregator, MatrixSums
from fieldwise.counting.sums import DocumentSums, OutsideCounts, Sums
from fieldwise.counting.tally import Tally
from fieldwise.errors import InputError
from fieldwise.evaluation import sums as evaluation
from fieldwise.evaluation.outcome import Blocked, ClassificationFault, Failure, SectionCounts
from fieldwise.model.attached import Boxes
from fieldwise.states import STATE_VERSION, State
from fieldwise.stats.confidences import ConfidenceHistogram
from tests.strategies import examples

PLAN = Plan.compile(
    Spec.from_json_schema(
        {
            "type": "object",
            "properties": {
                "id": {"type": "string"},
                "total": {"type": "number"},
                "rows": {"type": "array", "items": {"type": "object", "properties": {"what": {"type": "string"}}}},
                "vendor": {"type": "object", "properties": {"name": {"type": "string"}}},
            },
        }
    )
)
S = TypeVar("S", bound=State)


def document(rng: random.Random) -> dict[str, Any]:
    return {
        "id": rng.choice(["a", "b", "n/a"]),
        "total": rng.randrange(3),
        "rows": [{"what": rng.choice("xyz")} for _ in range(rng.randrange(3))],
        "vendor": rng.choice([{"name": "Iff"}, "Iff", None]),
        rng.choice(["more", "other"]): 1,
    }


def tally(rng: random.Random) -> Tally:
    made = Tally()
    for _ in range(rng.randrange(4)):
        made.add(PLAN.root, PLAN.compare(document(rng), document(rng)).result)
    made.settle()
    return made


def outside(rng: random.Random) -> OutsideCounts:
    made = OutsideCounts()
    made.add({rng.choice("ab"): 2}, {rng.choice("bc"): 1})
    return made


def matrix(rng: random.Random) -> dict[str, Any]:
    node = {"tp": rng.randrange(3), "fd": rng.randrange(2), "threshold_applied_score": rng.choice([0.5, 1.0, None])}
    return {"fields": {rng.choice(["total", "rows"]): rng.choice([node, {**node, "tp": -1}])}}


def matrix_sums(rng: random.Random) -> MatrixSums:
    made = MatrixSums()
    made.add({"overall": {"tp": rng.randrange(3)}, "fields": {"a": {"fn": 1, "threshold_applied_score": 0.25}}})
    return made


def intervals(rng: random.Random) -> IntervalAggregator:
    made = IntervalAggregator()
    for number in range(rng.randrange(4)):
        made.update(matrix(rng), f"d{number}", group=rng.choice([None, "letter"]))
    return made


def cells(rng: random.Random) -> Cells:
    made = Cells(("key",), objects=True, clustered=True)
    for number in range(rng.randrange(4)):
        group = Group(Cell(rng.choice([None, "letter"]), (rng.choice([None, "x"]),)), rng.choice([None, "c"]))
        alone = made.new()
        alone.tally.add(PLAN.root, PLAN.compare(document(rng), document(rng)).result)
        assert alone.aggregator is not None
        alone.aggregator.update({"fields": {"total": {"tp": 1}}})
        for counts in (made.of(group.cell), made.part("letter")):
            assert counts is not None
            counts.add_in_cluster(group.cluster_of(f"d{number}-{rng.random()}"), alone)
    return made


def cell(rng: random.Random) -> CellCounts:
    return cells(rng).whole()


def clusters(rng: random.Random) -> Clusters:
    made = Clusters()
    made.add(rng.choice(["=a", "=b"]), tally(rng), {})
    return made


def confidences(rng: random.Random) -> ConfidenceHistogram:
    made = ConfidenceHistogram()
    for _ in range(rng.randrange(4)):
        made.add(rng.random() < 0.5, rng.choice([0.1, 0.5, 0.123]))
    return made


def confident(rng: random.Random) -> Confident:
    return Confident({rng.choice("ab"): confidences(rng)}, fields_total=9, unusable=rng.randrange(3))


def boxes(rng: random.Random) -> Boxes:
    return Boxes({rng.choice("ab"): [(rng.random(), 0.5)]}, {"a": rng.randrange(3)}, {"b": [rng.random()]}, 1)


def labels(rng: random.Random) -> CountTable:
    made = CountTable()
    made.add_labels(
        rng.choices(["a", 1, True, None, {"a": 0}], k=5),
        rng.choices(["a", 1.0, "1"], k=5),
        clusters=rng.choices("xy", k=5),
    )
    if rng.random() < 0.5:
        made.close()
    return made


def report(rng: random.Random) -> ReportState:
    return ReportState("golden", "predicted", labels(rng))


def sections(rng: random.Random) -> SectionCounts:
    made = SectionCounts({"paired": rng.randrange(3)}, splits={"total_pages": 3}, remarks={"percentages": 1})
    made.faults.append(ClassificationFault(f"d{rng.random()}", "2", "extra", None, "letter", None, (1, 2)))
    made.add_classes("#d1", [("letter", "invoice"), ("letter", None)], stays_open=rng.random() < 0.5)
    return made


def shards(rng: random.Random) -> evaluation.Sums:
    return evaluation.Sums(
        cells(rng),
        {"scored": rng.randrange(9)},
        [Failure(f"d{rng.random()}", "failed", "no object", 2)],
        {"total": {"missing": 1}},
        {"fence": 1},
        limits_met={"max_cells": 1},
        sections=sections(rng),
        in_blocks={"rows": Blocked(rng.randrange(1, 3), set(rng.sample("abcde", 3)))},
    )


def bulk(rng: random.Random) -> EvaluationState:
    made = EvaluationState("1f", "Invoice", non_matches=[{"doc_id": f"d{rng.random()}"}])
    made.add({"overall": {"tp": rng.randrange(3)}, "fields": {"a": {"fn": 1}}}, rng.choice([0.25, None]))
    made.errors.append({"doc_id": f"d{rng.random()}", "error": "no object"})
    made.accumulator_errors["boxes"] = rng.randrange(3)
    return made


MADE: dict[type[State], Callable[[random.Random], State]] = {
    Boxes: boxes,
    CellCounts: cell,
    Cells: cells,
    ClusterCounts: lambda rng: next(iter(clusters(rng).by_name.values())),
    Clusters: clusters,
    ConfidenceHistogram: confidences,
    Confident: confident,
    CountTable: labels,
    DocumentSums: lambda rng: tally(rng).wholes,
    EvaluationState: bulk,
    IntervalAggregator: intervals,
    MatrixSums: matrix_sums,
    OutsideCounts: outside,
    ReportState: report,
    SectionCounts: sections,
    Sums: lambda rng: Sums.from_state(tally(rng).to_state()),
    Tally: tally,
    evaluation.Sums: shards,
}


def text(state: State) -> str:
    return json.dumps(state.to_state())


def added(*states: State) -> State:
    """Return the sum of states, the first of which is copied by pickling."""
    total: State = pickle.loads(pickle.dumps(states[0]))
    for state in states[1:]:
        total.merge(state)
    return total


def zero_of(state: State) -> State:
    """Return the state of no documents that was asked for the same."""
    return type(state)(*(state.keys, True, True)) if isinstance(state, Cells) else type(state)()


@pytest.mark.parametrize("cls", MADE, ids=lambda cls: f"{cls.__module__}.{cls.__name__}")
@settings(deadline=None, max_examples=examples(8))
@given(seed=st.integers(0, 2**32))
def test_merging_is_associative_and_commutative_and_has_a_zero(cls: type[State], seed: int) -> None:
    """(a + b) + c = a + (b + c), a + b = b + a, a + 0 = 0 + a = a, byte by byte; what is added stays as it is."""
    rng = random.Random(seed)
    a, b, c = (MADE[cls](rng) for _ in range(3))
    before = text(b)
    assert text(added(added(a, b), c)) == text(added(a, added(b, c)))
    assert text(added(a, b)) == text(added(b, a))
    assert text(added(a, zero_of(a))) == text(added(zero_of(a), a)) == text(a)
    assert text(b) == before


@pytest.mark.parametrize("cls", MADE, ids=lambda cls: f"{cls.__module__}.{cls.__name__}")
@settings(deadline=None, max_examples=examples(5))
@given(seed=st.integers(0, 2**32))
def test_a_state_is_json_and_returns(cls: type[State], seed: int) -> None:
    """What was written is read, and goes on as if it had never been written."""
    rng = random.Random(seed)
    a, b = MADE[cls](rng), MADE[cls](rng)
    again = cls.from_state(json.loads(text(a)))
    assert text(again) == text(a)
    again.merge(b)
    assert text(again) == text(added(a, b))


def declared_states(cls: type[Any] = State) -> Iterator[type[State]]:
    """Yield every state of the package; a dataclass with slots leaves the class that it was made of."""
    for one in cls.__subclasses__():
        if one.__module__.startswith("fieldwise.") and getattr(sys.modules[one.__module__], one.__name__, None) is one:
            yield one
        yield from declared_states(one)


def test_every_state_is_under_the_law() -> None:
    """Whoever declares another one gives an example of it here."""
    assert {*declared_states()} == {*MADE}


def test_a_state_of_another_version_is_refused() -> None:
    """What was left by a version that kept other sums gives no wrong number: it says what to do."""
    state = evaluation.Sums().to_state()
    assert evaluation.Sums.from_state(state).to_state() == state
    for other, got in (({**state, "version": 3}, "3"), ({"documents": 0, "exact": 0}, "'none'")):
        with pytest.raises(InputError, match=rf"version {STATE_VERSION}, got {got}: another version.*start anew"):
            evaluation.Sums.from_state(other)


def test_another_kind_of_state_is_not_merged() -> None:
    """Sums of other things do not add."""
    with pytest.raises(InputError, match="Expected another Sums to merge, got a Tally"):
        Sums().merge(Tally())
