"""The tally: the counts that places and matrices give, in fewer steps, adding up in any order."""

from __future__ import annotations

import json
from collections import Counter
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fieldwise import Comparison, Plan, Spec
from fieldwise.bulk_aggregator import BulkEvaluationAggregator, row_keys
from fieldwise.compare.results import Outcome
from fieldwise.counting.metrics import evaluation_metrics
from fieldwise.counting.sums import UNIT
from fieldwise.counting.tally import Tally
from fieldwise.errors import InputError
from fieldwise.results.metrics import path_of
from fieldwise.stats.histograms import CountHistogram
from fieldwise.values import Json
from tests.stats.examples import LIMITS, folded_above
from tests.strategies import Noise, documents, examples, predictions, schemas

HOSTILE = Noise()
SOME = settings(deadline=None, max_examples=examples(60))


@st.composite
def runs(draw: st.DrawFn) -> tuple[Plan, list[Comparison]]:
    """A plan and some documents compared under it."""
    schema = draw(schemas())
    plan = Plan.compile(Spec.from_json_schema(schema))
    found = []
    for _ in range(draw(st.integers(0, 5))):
        expected = draw(documents(schema))
        found.append(plan.compare(expected, draw(predictions(schema, expected, HOSTILE))))
    return plan, found


def tally_of(plan: Plan, comparisons: list[Comparison]) -> Tally:
    tally = Tally()
    for comparison in comparisons:
        tally.add(plan.root, comparison.result)
    tally.settle()
    return tally


def without_zeros(rows: dict[str, Any]) -> dict[str, list[int]]:
    """Return the counts of rows, without those beside the row of a path: a matrix has one of each."""
    keys = [outcome.value for outcome in Outcome]
    found = {path: [row[k] for k in keys] for path, row in rows.items() if path_of(path) == path}
    return {path: counts for path, counts in found.items() if any(counts)}


@SOME
@given(runs())
def test_rows_are_those_of_the_matrix(run: tuple[Plan, list[Comparison]]) -> None:
    """Fields, objects and list rows count what the confusion matrices add up to."""
    plan, comparisons = run
    aggregator = BulkEvaluationAggregator()
    for comparison in comparisons:
        aggregator.update(
            comparison.to_dict(include_confusion_matrix=True, unmatched="leaves", extras="leaves")["confusion_matrix"]
        )
    tally = tally_of(plan, comparisons)
    computed = aggregator.compute()
    metrics = evaluation_metrics(tally).to_dict()
    assert without_zeros(metrics["fields"]) == without_zeros(computed["fields"])
    assert {key: metrics["aggregate"][key] for key in computed["aggregate"]} == computed["aggregate"]
    assert metrics["overall"] == computed["overall"]
    assert metrics["document_count"] == computed["document_count"]


@SOME
@given(runs())
def test_scores_are_the_weighted_ones(run: tuple[Plan, list[Comparison]]) -> None:
    """A document's score is the weighted mean over the leaves that either side has."""
    plan, comparisons = run
    tally = Tally()
    for comparison in comparisons:
        counts = tally.add(plan.root, comparison.result)
        assert counts.score == pytest.approx(comparison.weighted_score, abs=1e-9)
    tally.settle()
    scores = [c.weighted_score for c in comparisons if c.weighted_score is not None]
    assert tally.wholes.scored == sum(tally.wholes.histogram) == len(scores)
    assert tally.wholes.score_sum / UNIT == pytest.approx(sum(scores), abs=1e-9)
    assert tally.wholes.score_squares / UNIT**2 == pytest.approx(sum(score**2 for score in scores), abs=1e-9)


@SOME
@given(runs())
def test_documents_count_as_wholes(run: tuple[Plan, list[Comparison]]) -> None:
    """Each document enters with its own strict F1, unless it has no value, and as one that is exact or is not."""
    plan, comparisons = run
    found = tally_of(plan, comparisons).wholes
    rated, exact = [], 0
    for comparison in comparisons:
        tp, fd, fa, fn, _ = comparison.counts().values()
        exact += fd + fa + fn == 0
        assert fd + fa + fn == 0 or not comparison.all_matched
        if tp + fd + fa + fn:
            rated.append(Fraction(2 * tp, 2 * tp + 2 * fd + fa + fn))
    assert (found.documents, found.rated) == (len(comparisons), len(rated))
    assert found.exact == exact
    assert found.f1_sum == sum(round(f1 * UNIT) for f1 in rated)
    assert found.f1_squares == sum(round(f1 * UNIT) ** 2 for f1 in rated)


def test_an_object_below_its_threshold_leaves_the_document_exact() -> None:
    """Exact documents are those without a wrong value; a nested object has a threshold besides, which is its own."""
    schema = {
        "type": "object",
        "properties": {
            "address": {
                "type": "object",
                "x-aws-stickler-threshold": 0.9,
                "properties": {"city": {"type": "string", "x-aws-stickler-threshold": 0.5}},
            }
        },
    }
    plan = Plan.compile(Spec.from_json_schema(schema))
    comparison = plan.compare({"address": {"city": "Bonn"}}, {"address": {"city": "Bann"}})
    assert comparison.counts() == {"tp": 1, "fd": 0, "fa": 0, "fn": 0, "tn": 0}
    assert not comparison.all_matched
    assert tally_of(plan, [comparison]).wholes.exact == 1


@SOME
@given(runs(), st.randoms(use_true_random=False), st.integers(1, 4), LIMITS)
def test_any_split_and_order_gives_the_same_state(
    run: tuple[Plan, list[Comparison]], rng: Any, parts: int, limit: int
) -> None:
    """Merging is associative and commutative, and an empty tally changes nothing; also where histograms are folded."""
    plan, comparisons = run
    shuffled = rng.sample(comparisons, len(comparisons))
    with folded_above(limit):
        whole = tally_of(plan, comparisons)
        merged = Tally()
        for k in range(parts):
            part = tally_of(plan, shuffled[k::parts])
            merged.merge(Tally.from_state(json.loads(json.dumps(part.to_state()))))
        merged.merge(Tally())
        assert json.dumps(merged.to_state()) == json.dumps(whole.to_state())
        folded = evaluation_metrics(merged).to_json()
    assert folded == evaluation_metrics(tally_of(plan, comparisons)).to_json()


@pytest.mark.parametrize("predicted", [None, [], "text", 5, {"rows": "none"}, {"rows": [None, {}, {"x": 1}]}])
def test_odd_documents_are_counted(predicted: Json) -> None:
    """A document of another shape misses what was expected, and invents what else it holds."""
    schema = {
        "type": "object",
        "properties": {
            "id": {"type": "string"},
            "rows": {"type": "array", "items": {"type": "object", "properties": {"a": {"type": "string"}}}},
        },
    }
    plan = Plan.compile(Spec.from_json_schema(schema))
    comparison = plan.compare({"id": "1", "rows": [{"a": "x"}, {"a": "y"}]}, predicted)
    tally = Tally()
    counts = tally.add(plan.root, comparison.result)
    assert counts.fn == 3
    assert [*counts[:5]] == list(comparison.counts().values())


def histogram(documents: list[tuple[int, int, int, int, int]]) -> CountHistogram:
    """Return the histogram of documents, given tp, fd, fa, fn and tn of each."""
    made = CountHistogram()
    for tp, fd, fa, fn, tn in documents:
        made.add((tp, fd, fa, fn))
        made.tn += tn
    return made


@SOME
@given(runs())
def test_histograms_are_those_of_the_verdicts(run: tuple[Plan, list[Comparison]]) -> None:
    """Each leaf path counts what its verdicts say, document by document; and so do all leaves together."""
    plan, comparisons = run
    expected: dict[str, list[tuple[int, int, int, int, int]]] = {}
    total: list[tuple[int, int, int, int, int]] = []
    for comparison in comparisons:
        counts: dict[str, Counter[int]] = {}
        for verdict in comparison.verdicts:
            counts.setdefault(verdict.field, Counter())[verdict.outcome.at] += 1
        for path, own in counts.items():
            expected.setdefault(path, []).append((own[0], own[1], own[2], own[3], own[4]))
        tp, fd, fa, fn, tn = (sum(own[at] for own in counts.values()) for at in range(5))
        total.append((tp, fd, fa, fn, tn))
    tally = tally_of(plan, comparisons)
    assert tally.fields == {path: histogram(documents) for path, documents in expected.items()}
    assert tally.leaves == {path: [sum(n) for n in zip(*rows, strict=True)] for path, rows in expected.items()}
    assert tally.total == histogram(total)


@SOME
@given(runs())
def test_histograms_of_objects_and_rows_are_those_of_the_documents(run: tuple[Plan, list[Comparison]]) -> None:
    """An object or a list enters with what it counts in one document, however often it occurs in it."""
    plan, comparisons = run
    expected: dict[str, list[tuple[int, int, int, int, int]]] = {}
    for comparison in comparisons:
        alone = tally_of(plan, [comparison])
        of_matrix = BulkEvaluationAggregator()
        of_matrix.update(comparison.to_dict(include_confusion_matrix=True, unmatched="leaves", extras="leaves"))
        counted, names = of_matrix.compute()["fields"], row_keys({**alone.fields, **alone.nodes})
        for key in alone.nodes:
            row = counted.get(names[key], {})
            tp, fd, fa, fn, tn = (row.get(outcome, 0) for outcome in ("tp", "fd", "fa", "fn", "tn"))
            expected.setdefault(key, []).append((tp, fd, fa, fn, tn))
    found = tally_of(plan, comparisons).nodes
    assert found == {path: histogram(documents) for path, documents in expected.items()}


def test_sums_of_other_documents_are_refused() -> None:
    """Counts of fields, of all values and of documents are of the same documents, or no state."""
    plan = Plan.compile(Spec.from_json_schema({"type": "object", "properties": {"a": {"type": "string"}}}))
    tally = tally_of(plan, [plan.compare({"a": "x"}, {"a": value}) for value in ("x", "y", None)])
    other = tally_of(plan, [plan.compare({"a": "x"}, {"a": "x"})])
    state = tally.to_state()
    for key, words in (("total", "at total"), ("fields", "at total"), ("wholes", "at most 1 documents of 'a'")):
        with pytest.raises(InputError, match=words):
            Tally.from_state({**state, key: other.to_state()[key]})
    with pytest.raises(InputError, match="scores and matches that its counts allow"):
        Tally.from_state({**state, "scores": {"a": 4 * UNIT}})
    assert Tally.from_state(state).to_state() == state
