"""From a list of names to numbers: the list is checked before the first row, and every row is accounted for."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given

from fieldwise.classify import (
    AggregatorMetricRegistry,
    F1ScoreMetric,
    PrecisionMetric,
    RecallMetric,
    UnitMetricResult,
    check_metrics,
    discover_classes,
    metrics_of,
    read_config,
    run_evaluation,
)
from fieldwise.errors import InputError, SettingError
from tests.classify.rows import ANY_PAIRS, row, rows

SOME = rows([("a", "a"), ("a", "b"), ("c", "a")])


# The list of metrics


def test_yaml_lists_names_and_parameters(tmp_path: Path) -> None:
    """Whatever else the file holds."""
    path = tmp_path / "graph_config.yaml"
    path.write_text(
        "data_config: {source: x}\n"
        "graph_properties:\n  chat: true\n  metrics:\n    - accuracy\n"
        "    - name: pass@k\n      params: {k: 3, task_key: task}\n"
    )
    first, second = read_config(path)
    assert (first.name, first.params) == ("accuracy", {})
    assert (second.name, second.params) == ("pass@k", {"k": 3, "task_key": "task"})


@pytest.mark.parametrize(
    ("metrics", "words"),
    [
        (["accuracy", "presicion"], ["'presicion'; did you mean 'precision'?", "$.graph_properties.metrics[1]"]),
        ([{"name": "pass@k", "params": {"kk": 3}}], ["no parameter 'kk'; did you mean 'k'?", "metrics[0].params"]),
        ([{"name": "pass@k"}], ["needs the parameter 'k'"]),
        ([{"name": "pass@k", "params": {"k": 0}}], ["1 or more for `k`, got 0", "metrics[0].params"]),
        ([{"name": "precision", "params": {"positiv_class": 1}}], ["did you mean 'positive_class'?"]),
        ([{"name": "precision", "params": {"predicted_key": ""}}], ["predicted_key cannot be empty"]),
        ([{"name": "recall", "params": {"judge": "x"}}], ["labels, correct", "params.judge"]),
        ([{"name": "f1_score", "params": {"positive_class": None}}], ["positive_class is required"]),
        ([{"name": "accuracy", "params": {"key": 1}}], ["'accuracy' has no parameter 'key'"]),
        ([{"name": "accuracy", "parms": {}}], ["did you mean 'params'?"]),
        ([{"name": "accuracy", "params": [1]}], ["an object of parameters"]),
        (["exact_match"], ["judges single predictions"]),
        ([5], ["Expected the name of a metric"]),
        ([], ["a list of metrics"]),
        ("accuracy", ["a list of metrics"]),
        ([{"name": "pass@k", "params": {"k": 1}}, {"name": "pass@k", "params": {"k": 2}}], ["twice", "metrics[1]"]),
    ],
)
def test_a_wrong_list_is_refused_as_a_whole(metrics: Any, words: list[str]) -> None:
    """With the place and the nearest valid name."""
    with pytest.raises(SettingError) as caught:
        metrics_of({"graph_properties": {"metrics": metrics}})
    assert [word for word in words if word not in str(caught.value)] == []


@pytest.mark.parametrize("config", [None, [], {}, {"graph_properties": None}, {"graph_properties": {"metric": []}}])
def test_a_file_without_a_list_is_refused(config: Any) -> None:
    """The place where it is expected is said."""
    with pytest.raises(SettingError, match="graph_properties"):
        metrics_of(config)


@pytest.mark.parametrize("text", ["a: [", "\t- x", "a: !!python/object:os.system {}", "\x00"])
def test_what_is_no_yaml_is_refused(tmp_path: Path, text: str) -> None:
    """In one line, and nothing in it is run."""
    path = tmp_path / "c.yaml"
    path.write_text(text)
    with pytest.raises(SettingError, match=r"Expected YAML in .*c\.yaml"):
        read_config(path)
    with pytest.raises(InputError, match="Cannot read"):
        read_config(tmp_path / "nowhere.yaml")


def test_the_list_is_checked_before_the_first_row() -> None:
    """A generator is not even started."""

    started: list[bool] = []

    def watched() -> Iterator[UnitMetricResult]:
        started.append(True)
        yield from SOME

    with pytest.raises(SettingError, match="did you mean 'accuracy'"):
        run_evaluation(watched(), ["acuracy"])
    assert started == []


def test_naming_a_metric_twice_is_once() -> None:
    """The same entry again changes nothing."""
    assert [request.name for request in check_metrics(["recall", "recall"])] == ["recall"]


# The answer


@given(ANY_PAIRS)
def test_all_classes_at_once_are_the_single_classes(pairs: list[tuple[Any, Any]]) -> None:
    """For labels of any type, compared with ``==`` as the single metrics do."""
    results = rows(pairs)
    answer = run_evaluation(results, ["precision", "recall", "f1_score"])
    for label in answer["precision"]:
        if label is None or any(str(label) == str(x) for pair in pairs for x in pair if isinstance(x, (list, dict))):
            continue  # None is no positive class; lists and objects stand under their text
        assert PrecisionMetric("tool", label).calculate(results) == {"precision": answer["precision"][label]}
        assert RecallMetric("event", label).calculate(results) == {"recall": answer["recall"][label]}
        assert F1ScoreMetric("tool", "event", label).calculate(results) == {"f1_score": answer["f1_score"][label]}


def test_a_generator_is_enough() -> None:
    """Rows are taken once."""
    names: list[str | Mapping[str, Any]] = ["accuracy", "precision", {"name": "pass@k", "params": {"k": 1}}]
    assert run_evaluation((r for r in SOME), names) == run_evaluation(SOME, names)
    assert discover_classes(r for r in SOME) == {"a", "b", "c"}


def test_what_the_numbers_rest_on_is_in_the_answer() -> None:
    """Keys, judge, rows used and skipped, rows where flag and labels disagree."""
    results = [*SOME, UnitMetricResult(True, {"event": "a"}, {})]
    about = run_evaluation(results, ["precision"], missing="skip").about
    assert (about["golden_key"], about["predicted_key"], about["judge"]) == ("event", "tool", "correct")
    assert about["rows"]["skipped"] == {"no predicted label": 1}
    assert (about["rows"]["total"], about["rows"]["used"]) == (4, 3)
    assert about["errors"] == {}


def test_judging_by_labels() -> None:
    """A flag that contradicts its labels counts only where flags decide."""
    results = [row("A", "B", correct=True)]
    assert run_evaluation(results, ["accuracy"])["accuracy"] == {"accuracy": 1.0}
    assert run_evaluation(results, ["accuracy"], judge="labels")["accuracy"] == {"accuracy": 0.0}
    assert PrecisionMetric("tool", "B", golden_key="event", judge="labels").calculate(results) == {"precision": 0.0}
    assert RecallMetric.per_class("event", judge="labels").calculate(results)["average_recall"] == 0.0


def test_one_class_can_be_asked_for() -> None:
    """A positive class gives that class only; one that never occurs has 0.0."""
    asked = [
        {"name": "precision", "params": {"positive_class": "a"}},
        {"name": "recall", "params": {"positive_class": "z"}},
    ]
    assert run_evaluation(SOME, asked) == {"precision": {"a": 0.5}, "recall": {"z": 0.0}}


def test_keys_of_a_metric_are_its_own() -> None:
    """An entry may look at other keys than the rest."""
    results = [UnitMetricResult(True, {"event": "a", "page": 1}, {"tool": "a"})]
    asked = [
        {"name": "recall", "params": {"golden_key": "page"}},
        {"name": "precision", "params": {"golden_key": "event"}},
    ]
    assert run_evaluation(results, asked, golden_key="event") == {"recall": {1: 1.0, "a": 0.0}, "precision": {"a": 1.0}}


def test_one_failing_metric_does_not_cost_the_others() -> None:
    """Its error stands beside the numbers."""

    class Broken:
        def calculate(self, results: list[UnitMetricResult]) -> Mapping[str, Any]:
            raise ZeroDivisionError("oh")

    AggregatorMetricRegistry.register("broken", Broken)
    try:
        answer = run_evaluation(SOME, ["broken", "accuracy"])
    finally:
        AggregatorMetricRegistry.restore()
    assert list(answer) == ["accuracy"]
    assert answer.about["errors"] == {"broken": "ZeroDivisionError: oh"}


@pytest.mark.parametrize("results", [[], iter(())])
def test_no_row_is_an_error(results: Any) -> None:
    """Zeros of nothing are no result."""
    with pytest.raises(InputError, match="found none"):
        run_evaluation(results, ["accuracy"])


def test_no_usable_row_is_an_error() -> None:
    """Left out one and all."""
    with pytest.raises(InputError, match="left out"):
        run_evaluation(
            [UnitMetricResult(True, {}, {})], ["precision"], golden_key="a", predicted_key="b", missing="skip"
        )
    with pytest.raises(InputError, match="label in every row"):
        PrecisionMetric.per_class("tool", missing="error").calculate([*SOME, UnitMetricResult(True, {"event": 1}, {})])


def test_a_key_that_no_row_has_is_refused() -> None:
    """With the nearest that there is."""
    with pytest.raises(SettingError, match="no row has 'tol'; did you mean 'tool'"):
        run_evaluation(SOME, ["precision"], predicted_key="tol")


def test_averages_say_what_was_left_out() -> None:
    """Null for 0/0 leaves a class out of the mean, with the number of them; 1 counts it as 1."""
    left_out = PrecisionMetric.per_class("tool", zero_division=None).calculate(SOME)
    assert left_out == {"average_precision": 0.25, "precision_per_class": {"a": 0.5, "b": 0.0, "c": None}}
    assert (left_out.about["undefined"], left_out.about["left_out"]) == (1, 1)
    assert PrecisionMetric.per_class("tool", zero_division=1.0).calculate(SOME)["average_precision"] == 0.5


def test_classes_of_one_side_are_said() -> None:
    """Where the other key cannot be told, the classes are those of the key that is given."""
    results = [UnitMetricResult(True, {"event": "a", "x": 1}, {"tool": "b"})]
    answer = PrecisionMetric.per_class("tool").calculate(results)
    assert answer == {"average_precision": 1.0, "precision_per_class": {"b": 1.0}}
    assert answer.about["classes_of"] == "predicted"
    with pytest.raises(SettingError, match="golden_key to judge by labels"):
        PrecisionMetric.per_class("tool", judge="labels").calculate(results)
