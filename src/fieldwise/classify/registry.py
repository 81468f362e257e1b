"""Metrics by name: built in, registered by a program, or offered by installed packages.

Nothing is registered by importing: built-in metrics are named here and imported when they are asked for, and entry
points are looked at when a name is not known or all names are wanted.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Mapping
from functools import partial
from importlib.metadata import entry_points
from typing import ClassVar, Generic, Protocol, TypeVar, cast

from fieldwise.classify.rows import Numbers, UnitMetricResult
from fieldwise.errors import SettingError, nearest
from fieldwise.values import Json

AGGREGATOR_ENTRY_POINTS = "fieldwise.aggregator_metrics"
UNIT_ENTRY_POINTS = "fieldwise.unit_metrics"

MetricClass = TypeVar("MetricClass", bound=type)
Metric = TypeVar("Metric")


class AggregatorMetric(Protocol):
    """What a metric over rows does."""

    def calculate(self, results: list[UnitMetricResult]) -> Numbers: ...


class UnitMetric(Protocol):
    """What a metric of single predictions does."""

    def evaluate(self, golden: list[Json], predicted: list[Json]) -> list[UnitMetricResult]: ...


class UnknownMetricError(SettingError, KeyError):
    """No metric has this name; the message lists those that there are."""

    code = "metric.unknown"
    __str__ = Exception.__str__


class _Registry(Generic[Metric]):
    """Names and classes; shared by all of a program, so its methods belong to the class."""

    kind: ClassVar[str]
    group: ClassVar[str]
    method: ClassVar[str]
    built_in: ClassVar[Mapping[str, str]]
    _registered: ClassVar[dict[str, type]]
    _removed: ClassVar[set[str]]

    @classmethod
    def register(cls, name: str, metric_class: type) -> None:
        """Make a class known under a name; a name registered before is replaced, a built-in one refused."""
        if not isinstance(name, str) or not name.strip():
            raise SettingError(f"Expected a name for the metric, got {name!r}", facts={"got": name})
        if not isinstance(metric_class, type) or not callable(getattr(metric_class, cls.method, None)):
            raise SettingError(
                f"Expected a class with a method `{cls.method}` for {name!r}, got {metric_class!r}",
                facts={"name": name, "got": metric_class},
            )
        if name in cls.built_in and name not in cls._removed and cls.get_metric_class(name) is not metric_class:
            raise SettingError(
                f"Expected a name that is not built in, got {name!r}; unregister it first",
                code="setting.name_taken",
                facts={"name": name},
            )
        cls._registered[name] = metric_class

    @classmethod
    def get_metric_class(cls, name: str) -> type:
        """Return the class of a name; UnknownMetricError, a KeyError, lists the names that there are."""
        if name in cls._registered:
            return cls._registered[name]
        if name in cls.built_in and name not in cls._removed:
            module, _, attribute = cls.built_in[name].partition(":")
            return cast(type, getattr(importlib.import_module(module), attribute))
        cls._load_entry_points()
        if name in cls._registered:
            return cls._registered[name]
        available = cls._names()
        hint = nearest(str(name), available)
        raise UnknownMetricError(
            f"{cls.kind} metric {name!r} not found in registry. Available metrics: {available}{hint}",
            facts={"got": name},
        )

    @classmethod
    def get_metric(cls, name: str, /, **params: Json) -> Metric:
        """Make a metric; what its class refuses is refused: TypeError for missing and unknown parameters."""
        return cast(Metric, cls.get_metric_class(name)(**params))

    @classmethod
    def has_metric(cls, name: str) -> bool:
        """Tell whether a name is known."""
        return name in cls.list_metrics()

    @classmethod
    def list_metrics(cls) -> list[str]:
        """Return every name, sorted."""
        cls._load_entry_points()
        return cls._names()

    @classmethod
    def get_metrics_info(cls) -> dict[str, dict[str, str]]:
        """Return the class and the module of every name."""
        classes = {name: cls.get_metric_class(name) for name in cls.list_metrics()}
        return {name: {"class": found.__name__, "module": found.__module__} for name, found in classes.items()}

    @classmethod
    def unregister(cls, name: str) -> None:
        """Forget a name; one that is not known is no error."""
        cls._registered.pop(name, None)
        cls._removed.add(name)

    @classmethod
    def clear(cls) -> None:
        """Forget every name, the built-in ones too; ``restore`` brings these back."""
        cls._removed.update(cls.list_metrics())
        cls._registered.clear()

    @classmethod
    def restore(cls) -> None:
        """Forget what a program registered or removed: only what is built in or installed is known."""
        cls._registered.clear()
        cls._removed.clear()

    @classmethod
    def _names(cls) -> list[str]:
        return sorted({*cls._registered, *(set(cls.built_in) - cls._removed)})

    @classmethod
    def _load_entry_points(cls) -> None:
        for entry in entry_points(group=cls.group):
            if entry.name not in cls._registered and entry.name not in cls._removed and entry.name not in cls.built_in:
                cls.register(entry.name, entry.load())


class AggregatorMetricRegistry(_Registry[AggregatorMetric]):
    """Metrics over rows, by name; entry points ``fieldwise.aggregator_metrics``.

    >>> AggregatorMetricRegistry.get_metric("precision", predicted_key="tool", positive_class="click").calculate([])
    {'precision': 0.0}
    """

    kind = "Aggregator"
    group = AGGREGATOR_ENTRY_POINTS
    method = "calculate"
    built_in: ClassVar[Mapping[str, str]] = {
        "accuracy": "fieldwise.classify.class_metrics:AccuracyMetric",
        "precision": "fieldwise.classify.class_metrics:PrecisionMetric",
        "recall": "fieldwise.classify.class_metrics:RecallMetric",
        "f1_score": "fieldwise.classify.class_metrics:F1ScoreMetric",
        "pass@k": "fieldwise.classify.task_metrics:PassAtKMetric",
        "pass^k": "fieldwise.classify.task_metrics:PassPowerKMetric",
        "step_efficiency": "fieldwise.classify.task_metrics:StepEfficiencyMetric",
    }
    _registered: ClassVar[dict[str, type]] = {}
    _removed: ClassVar[set[str]] = set()


class UnitMetricRegistry(_Registry[UnitMetric]):
    """Metrics of single predictions, by name; entry points ``fieldwise.unit_metrics``."""

    kind = "Unit"
    group = UNIT_ENTRY_POINTS
    method = "evaluate"
    built_in: ClassVar[Mapping[str, str]] = {
        "exact_match": "fieldwise.classify.unit_metrics:ExactMatchMetric",
        "action_within_bbox": "fieldwise.classify.unit_metrics:ActionWithinBboxMetric",
        "scroll_direction": "fieldwise.classify.unit_metrics:ScrollDirectionMetric",
        "scroll_amount": "fieldwise.classify.unit_metrics:ScrollAmountMetric",
        "typed_value_match": "fieldwise.classify.unit_metrics:TypedValueMatchMetric",
    }
    _registered: ClassVar[dict[str, type]] = {}
    _removed: ClassVar[set[str]] = set()


def aggregator_metric(name: str) -> Callable[[MetricClass], MetricClass]:
    """Register a class of metrics over rows under a name."""
    return partial(_registered, AggregatorMetricRegistry.register, name)


def unit_metric(name: str) -> Callable[[MetricClass], MetricClass]:
    """Register a class of metrics of single predictions under a name."""
    return partial(_registered, UnitMetricRegistry.register, name)


def _registered(register: Callable[[str, type], None], name: str, metric_class: MetricClass) -> MetricClass:
    register(name, metric_class)
    return metric_class
