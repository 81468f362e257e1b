"""Repeated attempts: the estimators against enumeration, tasks apart from each other, steps of missions."""

from __future__ import annotations

from itertools import combinations
from statistics import fmean
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fieldwise.classify import PassAtKMetric, PassPowerKMetric, StepEfficiencyMetric, UnitMetricResult
from fieldwise.errors import InputError, SettingError
from tests.classify.rows import flags

TASKS = st.lists(st.text("01", min_size=1, max_size=6), min_size=1, max_size=5)


def attempts(tasks: list[str]) -> list[UnitMetricResult]:
    return [row for number, text in enumerate(tasks) for row in flags(text, task=number)]


@given(TASKS, st.integers(1, 7))
def test_estimators_are_the_mean_over_all_choices(tasks: list[str], k: int) -> None:
    """pass@k and pass^k are what all choices of k attempts give, averaged over the tasks that have k."""
    at = PassAtKMetric(k, task_key="task").calculate(attempts(tasks))
    power = PassPowerKMetric(k, task_key="task").calculate(attempts(tasks))
    chosen = [list(combinations(text, k)) for text in tasks if len(text) >= k]
    any_pass = [fmean("1" in choice for choice in choices) for choices in chosen]
    all_pass = [fmean("0" not in choice for choice in choices) for choices in chosen]
    assert at[f"pass@{k}"] == (pytest.approx(fmean(any_pass)) if chosen else None)
    assert power[f"pass^{k}"] == (pytest.approx(fmean(all_pass)) if chosen else None)


def test_half_of_the_tasks_always_pass() -> None:
    """Pooling would call this 0.876 and 0.125; both are a half."""
    results = attempts(["111"] * 50 + ["000"] * 50)
    assert PassAtKMetric(3, task_key="task").calculate(results)["pass@3"] == 0.5
    assert PassPowerKMetric(3, task_key="task").calculate(results)["pass^3"] == 0.5


def test_tasks_with_too_few_attempts_are_said() -> None:
    """They are left out of the mean, and counted; so are rows that name no task."""
    answer = PassAtKMetric(2, task_key="task").calculate([*attempts(["11", "0"]), *flags("1")])
    assert answer == {"pass@1": 0.5, "pass@2": 1.0}
    assert answer.about["tasks_with_too_few_attempts"] == {"2": 1}
    assert answer.about["rows"] == {"used": 3, "skipped without a task": 1}


def test_a_task_key_that_no_row_has_is_refused() -> None:
    """A misspelt key gives no numbers."""
    with pytest.raises(InputError, match="tsak"):
        PassAtKMetric(1, task_key="tsak").calculate(attempts(["1"]))


@pytest.mark.parametrize("k", [0, -1, None, "x", 2.5, [], {}, float("nan")])
def test_k_is_a_whole_number_from_1(k: Any) -> None:
    """Anything else is refused before there are rows."""
    with pytest.raises(SettingError, match="for `k`"):
        PassAtKMetric(k)
    with pytest.raises(SettingError, match="for `k`"):
        PassPowerKMetric(k)


@pytest.mark.parametrize("penalty", [-0.1, 1.1, "x", None])
def test_the_penalty_is_a_share(penalty: Any) -> None:
    """From 0 to 1."""
    with pytest.raises(SettingError, match="penalty_per_retry"):
        StepEfficiencyMetric(penalty)


def test_steps_score_by_their_first_success() -> None:
    """At once 1, after two retries 1 - 2 · 0.2, never 0."""
    tries = [("m", 1, 0, True), ("m", 2, 0, False), ("m", 2, 2, True), ("n", 1, 0, False)]
    results = [
        UnitMetricResult(correct, {}, {}, {"mission_id": mission, "step_id": step, "retry_number": retry})
        for mission, step, retry, correct in tries
    ]
    assert StepEfficiencyMetric().calculate(results) == {
        "step_efficiency": pytest.approx((1 + 0.6 + 0) / 3),
        "total_steps": 3,
        "first_attempt_correct": 1,
        "retry_correct": 1,
        "never_correct": 1,
        "avg_retries_when_correct": 1.0,
    }
    assert StepEfficiencyMetric().calculate([])["step_efficiency"] == 0.0
