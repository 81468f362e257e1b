"""The sums of matrices: what the rule of the aggregator gives, however the matrices look."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator

from hypothesis import given, settings
from hypothesis import strategies as st

from fieldwise.bulk.state import EvaluationState
from fieldwise.bulk_aggregator import BulkEvaluationAggregator
from fieldwise.errors import InputError
from fieldwise.spec import escape
from fieldwise.values import Json
from tests.bulk.results import KEYS, engine_results, trees
from tests.strategies import examples

SOME = settings(deadline=None, max_examples=examples(100))


def summed(matrices: list[Json]) -> tuple[EvaluationState, list[Json]]:
    """Return the sums, and the matrices that were accepted."""
    sums, taken = EvaluationState(), []
    for matrix in matrices:
        try:
            sums.add(matrix, None)
        except InputError:
            continue
        taken.append(matrix)
    return sums, taken


def counts_alone(matrix: Json) -> bool:
    """Tell whether the aggregator finds something in a matrix, and nothing wrong."""
    aggregator = BulkEvaluationAggregator()
    aggregator.update(matrix)
    return bool(aggregator.compute()["document_count"])


def scores_in(node: Json, prefix: str = "") -> Iterator[tuple[str, float]]:
    """Yield every finite score of a matrix with its path."""
    for name, child in {**node.get("nested_fields", {}), **node.get("fields", {})}.items():
        score = child.get("threshold_applied_score")
        if isinstance(score, (int, float)) and not isinstance(score, bool) and math.isfinite(score):
            yield prefix + escape(name), score
        yield from scores_in(child, f"{prefix}{escape(name)}.")


@SOME
@given(st.lists(trees(), max_size=6))
def test_counts_are_those_of_the_rule(matrices: list[Json]) -> None:
    """Any matrices count as the aggregator counts them; those are refused that it refuses, or finds nothing in."""
    sums, taken = summed(matrices)
    assert [id(matrix) for matrix in taken] == [id(matrix) for matrix in matrices if counts_alone(matrix)]
    aggregator = BulkEvaluationAggregator()
    for matrix in taken:
        aggregator.update(matrix)
    ruled = aggregator.compute()
    assert ruled["errors"] == []
    assert ruled["document_count"] == len(taken)
    assert {k: sums.metrics()[k] for k in KEYS} == {k: ruled["overall"][k] for k in KEYS}
    fields = sums.field_metrics()
    assert list(fields) == sorted(fields)
    ours = {path: [row[k] for k in (*KEYS, "strict_f1")] for path, row in fields.items() if path in ruled["fields"]}
    assert ours == {path: [row[k] for k in (*KEYS, "strict_f1")] for path, row in ruled["fields"].items()}
    assert all(not any(row[k] for k in KEYS) for path, row in fields.items() if path not in ruled["fields"])


@SOME
@given(st.lists(trees(bad=False), max_size=6))
def test_mean_scores(matrices: list[Json]) -> None:
    """The mean score of a path is over the nodes that have a finite one."""
    sums, taken = summed(matrices)
    expected: dict[str, list[float]] = {}
    for matrix in taken:
        for path, score in scores_in(matrix):
            expected.setdefault(path, []).append(score)
    found = {path: row["mean_score"] for path, row in sums.field_metrics().items() if "mean_score" in row}
    assert found.keys() == expected.keys()
    for path, scores in expected.items():
        assert math.isclose(found[path] or 0.0, sum(scores) / len(scores), abs_tol=1e-9)


@SOME
@given(st.lists(trees(), max_size=6), st.randoms(use_true_random=False))
def test_any_order_gives_the_same_sums(matrices: list[Json], rng: object) -> None:
    """Which matrix comes first, and which parts are merged, changes no byte of the state."""
    whole, _ = summed(matrices)
    merged = EvaluationState()
    shuffled = rng.sample(matrices, len(matrices))  # type: ignore[attr-defined]
    for part in (shuffled[::2], shuffled[1::2]):
        merged.merge(EvaluationState.from_state(json.loads(json.dumps(summed(part)[0].to_state()))))
    assert json.dumps(merged.to_state()) == json.dumps(whole.to_state())


@settings(deadline=None, max_examples=examples(50))
@given(engine_results())
def test_matrices_that_look_like_earlier_ones_count_as_any(results: list[dict[str, Json]]) -> None:
    """What was seen before changes no sum."""
    matrices = [result["confusion_matrix"] for result in results]
    known, _ = summed(matrices * 2)
    alone = EvaluationState()
    for matrix in matrices * 2:
        alone.merge(summed([matrix])[0])
    assert known.to_state() == alone.to_state()


@SOME
@given(st.lists(trees(), max_size=3), st.lists(trees(), max_size=3))
def test_matrices_of_any_look_count_as_if_each_came_alone(before: list[Json], after: list[Json]) -> None:
    """No matrix depends on those before it, broken ones and odd ones among them."""
    known, _ = summed([*before, *after, *before])
    alone = EvaluationState()
    for matrix in [*before, *after, *before]:
        alone.merge(summed([matrix])[0])
    assert known.to_state() == alone.to_state()


def test_many_matrices_are_added_up_in_between() -> None:
    """Sums that wait for more matrices are in the metrics at any time."""
    sums = EvaluationState()
    matrix = {
        "overall": dict.fromkeys(KEYS, 0),
        "fields": {"a": {"overall": dict.fromkeys(KEYS, 0) | {"tp": 1}, "fields": {}, "threshold_applied_score": 0.5}},
    }
    for number in range(1, 601):
        sums.add(matrix, None)
        if number in (2, 300, 600):
            row = sums.field_metrics()["a"]
            assert (row["tp"], row["mean_score"]) == (number, 0.5)


def test_a_matrix_that_contains_itself_is_refused() -> None:
    """It has no end, and adds nothing."""
    matrix: dict[str, Json] = {"overall": dict.fromkeys(KEYS, 1)}
    matrix["fields"] = {"a": matrix, "b": matrix}
    assert summed([matrix])[1] == []


def test_a_matrix_that_is_broken_anywhere_adds_nothing() -> None:
    """Also where its ``aggregate`` is, which is the sum of its leaves: no evaluator counts what another one refuses."""
    matrix = {"overall": dict.fromkeys(KEYS, 1), "fields": {"a": {"overall": dict.fromkeys(KEYS, 1), "fields": {}}}}
    sums, taken = summed([{**matrix, "aggregate": {"tp": "1"}}, {**matrix, "aggregate": None}])
    assert taken == []
    assert sums.to_state() == EvaluationState().to_state()


def test_a_number_that_no_float_holds_is_no_score() -> None:
    """Means are floats: neither a larger integer nor infinity is in them."""
    sums = EvaluationState()
    for score in (0.5, 1, 10**400, -(10**400), math.inf, math.nan, True, None, "1"):
        node = {"overall": dict.fromkeys(KEYS, 1), "fields": {}, "threshold_applied_score": score}
        sums.add({"overall": dict.fromkeys(KEYS, 1), "fields": {"a": node}}, score)
    assert sums.field_metrics()["a"]["mean_score"] == 0.75
    assert (sums.overall_score.n, sums.overall_score.mean) == (2, 0.75)
