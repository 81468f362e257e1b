"""Accumulators over many documents: confidences and boxes by field, whatever the order of the documents."""

from __future__ import annotations

import json
import math
import random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.metrics import brier_score_loss, roc_auc_score  # type: ignore[import-untyped]  # has no types

from fieldwise import ComparableField, SettingError, StructuredModel
from fieldwise.bulk import (
    AUROCMetric,
    BBoxMAPAccumulator,
    BrierScoreMetric,
    BulkStructuredModelEvaluator,
    ConfidenceAccumulator,
    ConfidencePair,
    ECEMetric,
    ErrorCaptureAtBudgetMetric,
    PostComparisonAccumulator,
)
from fieldwise.values import Json
from tests.strategies import examples


class Item(StructuredModel):
    sku: str | None = ComparableField(threshold=1.0)


class Order(StructuredModel):
    number: str | None = ComparableField(threshold=1.0)
    items: list[Item] | None = ComparableField(weight=1.0)


def rich(value: Json, confidence: Json = None, box: Json = None) -> dict[str, Json]:
    given = {"_value": value, "_confidence": confidence, "_bbox": box}
    return {key: item for key, item in given.items() if item is not None}


def result(matches: list[tuple[str, bool, Json]]) -> dict[str, Any]:
    """A result whose rows have these keys, outcomes and confidences."""
    return {
        "field_comparisons": [{"expected_key": k, "actual_key": k, "match": m, "score": 1.0} for k, m, _ in matches],
        "prediction_confidences": {k: c for k, _, c in matches if c is not None},
    }


CONFIDENCES = st.integers(0, 10_000).map(lambda step: step / 10_000)
ROWS = st.lists(st.tuples(st.sampled_from(["a", "items[0].b", "items[7].b"]), st.booleans(), CONFIDENCES), max_size=6)
EVERY = [AUROCMetric(), BrierScoreMetric(), ECEMetric(n_bins=4), ErrorCaptureAtBudgetMetric(budgets=[0.2, 0.5])]


def unique(rows: list[tuple[str, bool, Json]]) -> dict[str, Any]:
    return result(list({row[0]: row for row in rows}.values()))


@settings(deadline=None, max_examples=examples(60))
@given(st.lists(ROWS.map(unique), max_size=8))
def test_metrics_are_those_of_all_pairs(results: list[dict[str, Any]]) -> None:
    """AUROC and Brier score over all documents are those that scikit-learn computes."""
    accumulator = ConfidenceAccumulator(EVERY)
    pairs: list[tuple[bool, float]] = []
    for one in results:
        accumulator.accumulate(one, None)
        sure = one["prediction_confidences"]
        pairs += [(row["match"], sure[row["actual_key"]]) for row in one["field_comparisons"]]
    found = accumulator.compute()
    if not pairs:
        assert found is None
        return
    assert found is not None
    right, sure = [m for m, _ in pairs], [c for _, c in pairs]
    brier = brier_score_loss([*right, True, False], [*sure, 1.0, 0.0]) * (len(pairs) + 2) / len(pairs)
    assert math.isclose(found["overall"]["brier_score"]["value"], brier, abs_tol=1e-9)
    area = found["overall"]["auroc"]["value"]
    assert area is None if len(set(right)) < 2 else math.isclose(area, roc_auc_score(right, sure), abs_tol=1e-9)
    assert found["coverage"] == {"fields_with_confidence": len(pairs), "fields_total": len(pairs), "ratio": 1.0}


def boxed(rows: list[tuple[str, bool, Json]]) -> dict[str, Any]:
    made = unique(rows)
    keys = [row["actual_key"] for row in made["field_comparisons"]]
    made["ground_truth_bboxes"] = {key: [0, 0, 10, 10] for key in keys}
    made["prediction_bboxes"] = {
        row["actual_key"]: [0, 0, 10, 10 if row["match"] else 4] for row in made["field_comparisons"]
    }
    return made


@pytest.mark.parametrize("make", [lambda: ConfidenceAccumulator(EVERY), BBoxMAPAccumulator])
@settings(deadline=None, max_examples=examples(40))
@given(results=st.lists(ROWS.map(boxed), max_size=8), seed=st.integers(0, 99), parts=st.integers(1, 3))
def test_any_split_and_order_gives_the_same_state(
    make: Any, results: list[dict[str, Any]], seed: int, parts: int
) -> None:
    """States of shuffled parts, merged, are the state of the whole, and compute the same."""
    whole, merged = make(), make()
    for one in results:
        whole.accumulate(one, None)
    shuffled = random.Random(seed).sample(results, len(results))
    for k in range(parts):
        part: PostComparisonAccumulator = make()
        for one in shuffled[k::parts]:
            part.accumulate(one, None)
        merged.merge_state(json.loads(json.dumps(part.get_state())))
    assert json.dumps(merged.get_state()) == json.dumps(whole.get_state())
    assert json.dumps(merged.compute()) == json.dumps(whole.compute())
    again = make()
    again.load_state(json.loads(json.dumps(whole.get_state())))
    assert json.dumps(again.compute()) == json.dumps(whole.compute())


def test_confidences_are_measured_by_field_without_list_positions() -> None:
    """The rows of a list are one field."""
    evaluator = BulkStructuredModelEvaluator(Order, confidence_metrics=["auroc", "brier_score"])
    truth = {"number": "1", "items": [{"sku": "aa"}, {"sku": "bb"}]}
    guess = {"number": rich("1", 0.9), "items": [{"sku": rich("aa", 0.8)}, {"sku": rich("bb", 0.6)}]}
    evaluator.update(Order.from_json(truth), Order.from_json(guess))
    found = evaluator.compute().confidence_metrics
    assert found is not None
    assert list(found["fields"]) == ["items.sku", "number"]
    assert found["fields"]["items.sku"]["brier_score"]["value"] == pytest.approx((0.2**2 + 0.4**2) / 2)


def test_confidences_come_from_the_raw_prediction_where_none_are_given() -> None:
    """Rich values are unwrapped."""
    accumulator = ConfidenceAccumulator()
    rows = {"field_comparisons": [{"expected_key": "a", "actual_key": "a", "match": True, "score": 1.0}]}
    accumulator.accumulate(rows, {"a": {"_value": 1, "_confidence": 0.5}})
    accumulator.accumulate(rows, None)
    found = accumulator.compute()
    assert found is not None
    assert found["coverage"] == {"fields_with_confidence": 1, "fields_total": 2, "ratio": 0.5}


@pytest.mark.parametrize("confidence", [1.5, -0.1, True, "high", float("nan")])
def test_unusable_confidences_are_counted_not_used(confidence: Json) -> None:
    """One that is no number from 0 to 1 does not fail the document."""
    accumulator = ConfidenceAccumulator()
    accumulator.accumulate(result([("a", True, confidence), ("b", True, 0.5)]), None)
    found = accumulator.compute()
    assert found is not None
    assert found["coverage"]["unusable_confidences"] == 1
    assert list(found["fields"]) == ["b"]


def test_error_capture_and_bins() -> None:
    """The metrics of stats, with their settings; of equally sure values the right ones are reviewed first."""
    accumulator = ConfidenceAccumulator([ECEMetric(n_bins=2), ErrorCaptureAtBudgetMetric(budgets=[0.5])])
    accumulator.accumulate(result([("a", False, 0.1), ("b", True, 0.1), ("c", True, 0.9), ("d", True, 0.9)]), None)
    found = accumulator.compute()
    assert found is not None
    assert [b["count"] for b in found["overall"]["ece"]["bins"]] == [2, 2]
    assert found["overall"]["error_capture_at_budget"] == {
        "value": 2.0,
        "budgets": {
            "0.50": {
                "fields_reviewed": 2,
                "errors_found": 1,
                "pct_errors_caught": 1.0,
                "pct_errors_random": 0.5,
                "gain": 2.0,
            }
        },
    }


def test_a_metric_of_ones_own() -> None:
    """Anything with a name and a compute of pairs is a metric."""

    class Mean:
        name = "mean"

        def compute(self, pairs: list[ConfidencePair]) -> dict[str, Any]:
            return {"value": sum(pair.confidence for pair in pairs if pair.is_match)}

    accumulator = ConfidenceAccumulator([Mean()])  # type: ignore[list-item]
    accumulator.accumulate(result([("a", True, 0.25), ("b", False, 0.5)]), None)
    found = accumulator.compute()
    assert found is not None
    assert found["overall"] == {"mean": {"value": 0.25}}


@pytest.mark.parametrize(
    "wrong",
    [
        lambda: ECEMetric(n_bins=0),
        lambda: ErrorCaptureAtBudgetMetric(budgets=[]),
        lambda: ErrorCaptureAtBudgetMetric(budgets=[2.0]),
        lambda: ConfidenceAccumulator(["nothing"]),
        lambda: ConfidenceAccumulator([5]),  # type: ignore[list-item]
        lambda: BBoxMAPAccumulator([]),
        lambda: BBoxMAPAccumulator(1.5),
    ],
)
def test_wrong_settings_are_refused(wrong: Any) -> None:
    """Before any document."""
    with pytest.raises(SettingError):
        wrong()


def test_mean_average_precision_of_boxes() -> None:
    """Two fields with overlaps of 0.8 and 0: 7 of 10 thresholds for one, none for the other."""
    evaluator = BulkStructuredModelEvaluator(Order, accumulators=[BBoxMAPAccumulator()])
    truth = {"number": rich("1", box=[0, 0, 10, 10]), "items": [{"sku": rich("a", box=[0, 0, 1, 1])}]}
    guess = {"number": rich("1", 0.9, [0, 0, 10, 8]), "items": [{"sku": rich("a", 0.5, [5, 5, 6, 6])}]}
    evaluator.update(Order.from_json(truth), Order.from_json(guess))
    found = evaluator.compute().accumulator_metrics
    assert found is not None
    metrics = found["bbox_map_metrics"]
    assert (metrics["mean_ap"], metrics["map_50"]) == (pytest.approx(0.35), pytest.approx(0.5))
    assert list(metrics["fields"]) == ["items[].sku", "number"]
    assert metrics["coverage"] == {"fields_with_bbox": 2, "fields_total": 2, "ratio": 1.0}


def test_nothing_seen_is_none() -> None:
    """Accumulators that saw no compared value have nothing to say."""
    for accumulator in (ConfidenceAccumulator(), BBoxMAPAccumulator()):
        accumulator.accumulate({}, None)
        assert accumulator.compute() is None
