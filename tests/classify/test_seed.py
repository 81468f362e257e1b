"""Every example of the seed's page, with the output it promises."""

from __future__ import annotations

from typing import Any

import pytest

from fieldwise.classify import (
    AccuracyMetric,
    AggregatorMetricRegistry,
    F1ScoreMetric,
    PrecisionMetric,
    RecallMetric,
    UnitMetricResult,
    discover_classes,
    metrics_of,
    run_evaluation,
)
from tests.classify.rows import row, rows

RESULTS = rows(
    [("click", "click")] * 3
    + [("type", "click"), ("click", "scroll")]
    + [("type", "type")] * 4
    + [("scroll", "scroll"), ("scroll", "type")]
)
TYPED = [UnitMetricResult(correct=True, golden={"event": "type"}, predicted={"tool": "type"})]


def test_classes_are_the_union_of_both_sides() -> None:
    """Class discovery looks at tools and events."""
    assert discover_classes(RESULTS) == {"click", "type", "scroll"}
    assert discover_classes(rows([("click", "type")])) == {"click", "type"}


def test_the_listed_metrics_come_in_the_promised_shape() -> None:
    """Accuracy is one number; the others have one number for each class."""
    names = metrics_of({"graph_properties": {"metrics": ["accuracy", "precision", "recall", "f1_score"]}})
    answer = run_evaluation(RESULTS, [request.name for request in names])
    assert answer == {
        "accuracy": {"accuracy": 8 / 11},
        "precision": {"click": 3 / 4, "scroll": 1 / 2, "type": 4 / 5},
        "recall": {"click": 3 / 4, "scroll": 1 / 2, "type": 4 / 5},
        "f1_score": {"click": 3 / 4, "scroll": 1 / 2, "type": pytest.approx(4 / 5)},
    }
    assert list(answer) == ["accuracy", "precision", "recall", "f1_score"]


def test_only_what_is_asked_for_is_answered() -> None:
    """A shorter list gives a shorter answer."""
    assert list(run_evaluation(RESULTS, ["accuracy", "precision", "recall"])) == ["accuracy", "precision", "recall"]


def test_the_answer_is_that_of_the_single_metrics() -> None:
    """The orchestration gives what a loop over classes gives."""
    answer = run_evaluation(RESULTS, ["precision", "recall", "f1_score"])
    for label in discover_classes(RESULTS):
        keys: dict[str, Any] = {"positive_class": label}
        made: dict[str, Any] = {
            "precision": PrecisionMetric(predicted_key="tool", **keys),
            "recall": RecallMetric(golden_key="event", **keys),
            "f1_score": F1ScoreMetric(predicted_key="tool", golden_key="event", **keys),
        }
        for name, metric in made.items():
            assert metric.calculate(RESULTS) == {name: answer[name][label]}


def test_a_record_holds_what_it_was_given() -> None:
    """A record has four fields; metadata may be left out."""
    result = UnitMetricResult(
        correct=True, golden={"event": "click"}, predicted={"tool": "click"}, metadata={"step_id": 1}
    )
    assert result.to_dict() == {
        "correct": True,
        "golden": {"event": "click"},
        "predicted": {"tool": "click"},
        "metadata": {"step_id": 1},
    }
    assert list(result.to_dict()) == ["correct", "golden", "predicted", "metadata"]
    assert UnitMetricResult.from_dict(result.to_dict()) == result
    assert UnitMetricResult(True, {}, {}).metadata == {}


def test_the_registry_lists_and_describes_metrics() -> None:
    """The four metrics are there under their names, with class and module."""
    listed = AggregatorMetricRegistry.list_metrics()
    assert [name for name in listed if name in ("accuracy", "f1_score", "precision", "recall")] == [
        "accuracy",
        "f1_score",
        "precision",
        "recall",
    ]
    assert AggregatorMetricRegistry.has_metric("precision")
    info = AggregatorMetricRegistry.get_metrics_info()
    assert info["precision"]["class"] == "PrecisionMetric"
    assert info["precision"]["module"].startswith("fieldwise.")


def test_a_metric_is_made_by_its_name() -> None:
    """Explicit parameters, one class, one number."""
    metric = AggregatorMetricRegistry.get_metric("precision", predicted_key="tool", positive_class="click")
    assert metric.calculate(RESULTS) == {"precision": 0.75}


def test_all_parameters_make_a_metric() -> None:
    """Keys and class are taken by name and by position."""
    PrecisionMetric(predicted_key="tool", positive_class="click")
    RecallMetric(golden_key="event", positive_class="click")
    F1ScoreMetric(predicted_key="tool", golden_key="event", positive_class="click")
    assert PrecisionMetric("tool", "click").calculate(RESULTS) == {"precision": 0.75}


@pytest.mark.parametrize("given", [{}, {"predicted_key": "tool"}, {"positive_class": "click"}])
def test_a_missing_parameter_is_a_type_error(given: dict[str, Any]) -> None:
    """Nothing is assumed."""
    with pytest.raises(TypeError, match="missing"):
        PrecisionMetric(**given)


def test_an_empty_key_is_a_value_error() -> None:
    """A key without a name, and a class that is None, are refused with their names."""
    with pytest.raises(ValueError, match="predicted_key cannot be empty"):
        PrecisionMetric(predicted_key="", positive_class="click")
    with pytest.raises(ValueError, match="positive_class is required"):
        PrecisionMetric(predicted_key="tool", positive_class=None)


def test_nothing_gives_zero() -> None:
    """No rows, no positive predictions, no actual positives: 0.0."""
    assert AccuracyMetric().calculate([]) == {"accuracy": 0.0}
    assert PrecisionMetric("tool", "click").calculate(TYPED) == {"precision": 0.0}
    assert RecallMetric("event", "click").calculate(TYPED) == {"recall": 0.0}


@pytest.mark.parametrize("positive", [0, False, "", 1.5, ("a", 1)])
def test_a_class_can_be_of_any_type(positive: Any) -> None:
    """Falsy classes are classes."""
    found = [row(positive, positive), row("other", positive, correct=False)]
    assert PrecisionMetric("tool", positive).calculate(found) == {"precision": 0.5}
