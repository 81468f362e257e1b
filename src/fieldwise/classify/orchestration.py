"""From a list of metric names to numbers: finds the classes, counts the rows once, and answers every metric."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import cast

from fieldwise.classify.class_metrics import RateName, Tabulated, accuracy_answer, class_rates, tabulate
from fieldwise.classify.config import MetricRequest, check_metrics
from fieldwise.classify.labels import Label, labels_by_equality, map_key
from fieldwise.classify.registry import AggregatorMetricRegistry
from fieldwise.classify.rows import Answer, Numbers, UnitMetricResult, find_keys, the_only_key
from fieldwise.classify.scores import stated
from fieldwise.errors import InputError, SettingError, nearest
from fieldwise.results.classes import Judge, Missing
from fieldwise.values import Json

Rows = Sequence[UnitMetricResult]


@dataclass(frozen=True)
class Settings:
    """How rows are read and judged in a run."""

    golden_key: str | None = None
    predicted_key: str | None = None
    judge: Judge = "correct"
    missing: Missing = "class"
    zero_division: float | None = 0.0


def discover_classes(
    results: Iterable[UnitMetricResult], *, golden_key: str | None = None, predicted_key: str | None = None
) -> set[Label]:
    """Return every class that is expected or predicted; without keys, under the single key that each side has.

    >>> discover_classes([UnitMetricResult(False, {"event": "click"}, {"tool": "type"})]) == {"click", "type"}
    True
    """
    rows = list(results)
    if not rows:
        return set()
    table = tabulate(rows, *found_keys(rows, golden_key, predicted_key)).table
    return set(labels_by_equality(table.values))


def run_evaluation(
    results: Iterable[UnitMetricResult],
    metric_names: Sequence[str | Mapping[str, Json]],
    *,
    golden_key: str | None = None,
    predicted_key: str | None = None,
    judge: Judge = "correct",
    missing: Missing = "class",
    zero_division: float | None = 0.0,
) -> Answer:
    """Return the wanted metrics of some rows: ``{"accuracy": {"accuracy": …}, "precision": {"click": …}, …}``.

    Metrics are names, or ``{"name": …, "params": {…}}``; all are checked before the first row. Precision, recall and
    F1 are given for every class of either side. What the numbers rest on is in ``about``: the rows used and skipped,
    the keys, and under ``errors`` the metrics that could not be computed. InputError: there is no row to judge.
    """
    requests = check_metrics(metric_names)
    rows = results if isinstance(results, (list, tuple)) else list(results)
    if not rows:
        raise InputError("Expected rows to evaluate, found none", code="input.no_rows")
    settings = Settings(
        golden_key or asked_key(requests, "golden_key"),
        predicted_key or asked_key(requests, "predicted_key"),
        judge,
        missing,
        zero_division,
    )
    if judge == "labels" or asks_for_classes(requests):
        settings = with_keys(settings, rows)
    return answer_requests(requests, tabulate(rows, settings.golden_key, settings.predicted_key), settings, rows)


def asks_for_classes(requests: Sequence[MetricRequest]) -> bool:
    """Tell whether a metric needs to know the labels of rows."""
    return any(request.of_classes and request.name != "accuracy" for request in requests)


def asked_key(requests: Sequence[MetricRequest], name: str) -> str | None:
    """Return a key that a request names, so that one entry may speak for all."""
    return next((request.params[name] for request in requests if request.of_classes and name in request.params), None)


def with_keys(settings: Settings, rows: Rows) -> Settings:
    """Return settings with the keys that the rows have."""
    golden, predicted = found_keys(rows, settings.golden_key, settings.predicted_key)
    return replace(settings, golden_key=golden, predicted_key=predicted)


def answer_requests(
    requests: Sequence[MetricRequest], counted: Tabulated, settings: Settings, rows: Rows | None = None
) -> Answer:
    """Answer metrics from a table; those that are not of classes, or have keys of their own, need the rows."""
    found = counted.rows(settings.missing) if counted.golden_key or counted.predicted_key else counted.rows("class")
    if not found.used:
        raise InputError(
            f"Expected a row to judge, all {found.total} were left out: {found.skipped}",
            code="input.no_rows",
            facts={"rows": found.total, "skipped": found.skipped},
        )
    answers: dict[Label, Json] = {}
    errors: dict[str, str] = {}
    for request in requests:
        try:
            answers[request.name] = _answer(request, counted, settings, rows)
        except SettingError:
            raise
        except Exception as error:  # noqa: BLE001  # one metric, of whatever origin, does not cost the others
            errors[request.name] = f"{type(error).__name__}: {error}"
    about: dict[str, Json] = {"golden_key": counted.golden_key, "predicted_key": counted.predicted_key}
    return Answer(answers, about | {"judge": settings.judge, "rows": found.to_dict(), "errors": errors})


def needs_rows(requests: Sequence[MetricRequest], settings: Settings) -> bool:
    """Tell whether a table under the keys of the settings is not enough."""
    if settings.golden_key is None or settings.predicted_key is None:
        return True
    return not all(request.of_classes and not _own_keys(request, settings) for request in requests)


def found_keys(rows: Rows, golden_key: str | None, predicted_key: str | None) -> tuple[str, str]:
    """Return the keys of both sides: those given, which some row must have, else the single one there is."""
    golden, predicted = find_keys(rows)
    for side, key, keys in (("golden", golden_key, golden), ("predicted", predicted_key, predicted)):
        if key is not None and keys and key not in keys:
            hint = nearest(key, keys) or f"; there are {', '.join(keys)}"
            raise SettingError(
                f"Expected a key of the {side} side, no row has {key!r}{hint}",
                code="row.no_key",
                facts={"key": key, "side": side},
            )
    return golden_key or the_only_key(golden, "golden"), predicted_key or the_only_key(predicted, "predicted")


def _answer(request: MetricRequest, counted: Tabulated, settings: Settings, rows: Rows | None) -> Numbers:
    if not request.of_classes:
        metric = AggregatorMetricRegistry.get_metric(request.name, **request.params)
        return metric.calculate(list(rows or ()))
    if request.name == "accuracy":
        table = counted.used(settings.missing) if counted.golden_key or counted.predicted_key else counted.table
        return accuracy_answer(table, counted.table.cells.total(), settings.judge)
    if rows is not None and (keys := _own_keys(request, settings)):
        counted = tabulate(rows, *found_keys(rows, *keys))
    judge = request.params.get("judge", settings.judge)
    rates = class_rates(counted.used(settings.missing), cast(RateName, request.name), judge)
    stated_rates = {label: stated(rate, settings.zero_division) for label, rate in rates.items()}
    if "positive_class" in request.params:
        wanted = request.params["positive_class"]
        stated_rates = {label: rate for label, rate in stated_rates.items() if label in (wanted, map_key(wanted))} or {
            map_key(wanted): 0.0
        }
    undefined = sum(rate is None for rate in rates.values())
    return Answer(stated_rates, {"undefined": undefined, "judge": judge})


def _own_keys(request: MetricRequest, settings: Settings) -> tuple[str | None, str | None] | None:
    golden = request.params.get("golden_key", settings.golden_key)
    predicted = request.params.get("predicted_key", settings.predicted_key)
    return None if (golden, predicted) == (settings.golden_key, settings.predicted_key) else (golden, predicted)
