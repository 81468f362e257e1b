"""Metrics of repeated attempts: pass@k, pass^k, and how many retries the steps of missions took."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from typing import NamedTuple

from fieldwise.bulk_aggregator import ratio
from fieldwise.checks import read_count, read_number
from fieldwise.classify.labels import Key, key_of
from fieldwise.classify.rows import Answer, RowTypeError, UnitMetricResult, key_text
from fieldwise.errors import InputError, SettingError
from fieldwise.values import Json

Rows = Iterable[UnitMetricResult]


class Attempts(NamedTuple):
    """How often a task was tried, and how often with success."""

    tried: int
    passed: int


class PassAtKMetric:
    """The chance that one of k attempts at a task succeeds, averaged over tasks.

    Per task ``1 - C(n-c, k) / C(n, k)``, unbiased (Chen et al. 2021). ``task_key`` names the metadata that says which
    task a row is an attempt at; without it all rows are one task.

    >>> rows = [UnitMetricResult(flag, {}, {}) for flag in (True, True, False)]
    >>> PassAtKMetric(k=2).calculate(rows)["pass@2"]
    1.0
    """

    def __init__(self, k: int, *, task_key: str | None = None) -> None:
        self.k = read_count("k", k, low=1)
        self.task_key = None if task_key is None else key_text("PassAtKMetric", "task_key", task_key)

    def calculate(self, results: Rows) -> Answer:
        """Return ``{"pass@1" … "pass@k"}``; None where no task has as many attempts."""
        tasks, rows = _attempts(results, self.task_key)
        means = {f"pass@{k}": _mean(tasks, k, self.pass_at_k) for k in range(1, self.k + 1)}
        return Answer(means, _about(tasks, rows, self.k))

    @staticmethod
    def pass_at_k(n: int, c: int, k: int) -> float:
        """Return the chance that k of n attempts, c of them successful, contain a success."""
        _check_attempts(n, c, k)
        return 1.0 - math.comb(n - c, k) / math.comb(n, k)


class PassPowerKMetric:
    """The chance that all of k attempts at a task succeed, averaged over tasks: per task ``C(c, k) / C(n, k)``."""

    def __init__(self, k: int, *, task_key: str | None = None) -> None:
        self.k = read_count("k", k, low=1)
        self.task_key = None if task_key is None else key_text("PassPowerKMetric", "task_key", task_key)

    def calculate(self, results: Rows) -> Answer:
        """Return ``{"success_rate", "pass^1" … "pass^k"}``; the success rate is that of all rows together."""
        tasks, rows = _attempts(results, self.task_key)
        numbers: dict[str, float | None] = {
            "success_rate": ratio(sum(t.passed for t in tasks), sum(t.tried for t in tasks))
        }
        numbers |= {f"pass^{k}": _mean(tasks, k, _all_pass) for k in range(1, self.k + 1)}
        return Answer(numbers, _about(tasks, rows, self.k))

    @staticmethod
    def pass_power_k(success_rate: float, k: int) -> float:
        """Return ``success_rate ** k``, the chance of k successes in a row at a known rate."""
        if not 0 <= success_rate <= 1:
            raise SettingError(
                f"Success rate must be between 0 and 1, got {success_rate!r}", facts={"got": success_rate}
            )
        if k <= 0:
            raise SettingError(f"k must be positive, got {k!r}", facts={"k": k})
        return success_rate**k


def _all_pass(n: int, c: int, k: int) -> float:
    _check_attempts(n, c, k)
    return math.comb(c, k) / math.comb(n, k)


def _check_attempts(n: int, c: int, k: int) -> None:
    if n <= 0 or k <= 0 or c < 0:
        raise SettingError(
            f"n and k must be positive, c must be non-negative, got n={n}, c={c}, k={k}", facts={"n": n, "c": c, "k": k}
        )
    if c > n:
        raise SettingError(
            f"Number of correct solutions (c) cannot exceed total attempts (n), got {c} of {n}", facts={"n": n, "c": c}
        )
    if k > n:
        raise SettingError(f"Sample size (k) cannot exceed total attempts (n), got {k} of {n}", facts={"n": n, "k": k})


def _mean(tasks: list[Attempts], k: int, estimate: Callable[[int, int, int], float]) -> float | None:
    found = [estimate(task.tried, task.passed, k) for task in tasks if task.tried >= k]
    return math.fsum(found) / len(found) if found else None


def _attempts(results: Rows, task_key: str | None) -> tuple[list[Attempts], dict[str, int]]:
    """Return the attempts of each task, and how many rows were used and how many name no task."""
    tasks: dict[Key, Attempts] = {}
    unnamed = total = 0
    for row in results:
        total += 1
        name = None if task_key is None else row.metadata.get(task_key)
        if name is None and task_key is not None:
            unnamed += 1
            continue
        tried, passed = tasks.get(key := key_of(name), Attempts(0, 0))
        tasks[key] = Attempts(tried + 1, passed + row.correct)
    if unnamed and unnamed == total:
        raise InputError(
            f"Expected {task_key!r} in the metadata of rows, none of {total} has it",
            code="row.no_key",
            facts={"key": task_key},
        )
    return list(tasks.values()), {"used": total - unnamed, "skipped without a task": unnamed}


def _about(tasks: list[Attempts], rows: dict[str, int], k: int) -> dict[str, Json]:
    left_out = {str(i): n for i in range(1, k + 1) if (n := sum(task.tried < i for task in tasks))}
    return {"rows": rows, "tasks": len(tasks), "tasks_with_too_few_attempts": left_out}


class StepEfficiencyMetric:
    """How directly the steps of missions succeed: the first right attempt scores ``max(0, 1 - retry · penalty)``.

    Rows are attempts; metadata names ``mission_id``, ``step_id`` and ``retry_number`` (or ``retry_id``, whose text
    ends with ``_`` and the number). A step that never succeeds scores 0; the mean is over steps.
    """

    def __init__(self, penalty_per_retry: float = 0.2) -> None:
        self.penalty = read_number("penalty_per_retry", penalty_per_retry, 0.0, 1.0)

    def calculate(self, results: Rows) -> Answer:
        """Return the efficiency and how many steps succeeded at once, after retries, and never."""
        steps: dict[tuple[Key, Key], list[float]] = {}
        for row in results:
            name = key_of(row.metadata.get("mission_id")), key_of(row.metadata.get("step_id"))
            retries = steps.setdefault(name, [])
            retry = _retry(row.metadata)
            if row.correct:
                retries.append(retry)
        first = [min(retries) for retries in steps.values() if retries]
        numbers = {
            "step_efficiency": ratio(math.fsum(max(0.0, 1 - retry * self.penalty) for retry in first), len(steps)),
            "total_steps": len(steps),
            "first_attempt_correct": sum(retry == 0 for retry in first),
            "retry_correct": sum(retry != 0 for retry in first),
            "never_correct": len(steps) - len(first),
            "avg_retries_when_correct": ratio(sum(first), len(first)),
        }
        return Answer(numbers, {"penalty_per_retry": self.penalty})


def _retry(metadata: dict[str, Json]) -> float:
    if "retry_number" in metadata:
        found = metadata["retry_number"]
        if found is not None and (isinstance(found, bool) or not isinstance(found, (int, float))):
            raise RowTypeError(
                f"Expected a number for retry_number in the metadata of a row, got {found!r}",
                facts={"key": "retry_number", "got": found},
            )
        return found or 0
    _, line, last = str(metadata.get("retry_id", "")).rpartition("_")
    return int(last) if line and last.isdecimal() else 0
