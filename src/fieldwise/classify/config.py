"""Which metrics are wanted: a list of names, or of names with parameters, checked as a whole before the first row.

In YAML the list stands at ``graph_properties.metrics``; what else the file holds is not looked at.
"""

from __future__ import annotations

import inspect
import reprlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import get_args

import yaml

from fieldwise.classify.registry import AggregatorMetricRegistry, UnitMetricRegistry
from fieldwise.classify.rows import key_text
from fieldwise.errors import SettingError, at_path, cannot_read, closest, nearest, settings_in
from fieldwise.results.classes import Judge
from fieldwise.values import Json

SEED_METRICS = ("accuracy", "precision", "recall", "f1_score")
"""The metrics that are views of the count table."""
_PLACE = "$.graph_properties.metrics"
_CLASS_PARAMETERS = {"accuracy": (), "precision": (), "recall": (), "f1_score": ()} | dict.fromkeys(
    SEED_METRICS[1:], ("golden_key", "predicted_key", "positive_class", "judge")
)


@dataclass(frozen=True)
class MetricRequest:
    """A metric that is wanted, and what it is to be made with."""

    name: str
    params: dict[str, Json] = field(default_factory=dict)

    @property
    def of_classes(self) -> bool:
        """Whether the count table answers it, and not a class of its own."""
        return self.name in SEED_METRICS and _is_built_in(self.name)


def read_config(path: str | Path) -> list[MetricRequest]:
    """Read the metrics that a YAML file lists; SettingError says what is wrong and where."""
    try:
        text = Path(path).read_bytes()
    except OSError as error:
        raise cannot_read(path, error) from error
    try:
        config = yaml.safe_load(text)
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        raise SettingError(
            f"Expected YAML in {path}: {_one_line(error)}", code="setting.not_yaml", facts={"file": path}
        ) from error
    with settings_in(path):
        return metrics_of(config)


def metrics_of(config: Json) -> list[MetricRequest]:
    """Return the metrics of a configuration that has been read.

    >>> [request.name for request in metrics_of({"graph_properties": {"metrics": ["accuracy", "recall"]}})]
    ['accuracy', 'recall']
    """
    properties = config.get("graph_properties") if isinstance(config, Mapping) else None
    if not isinstance(properties, Mapping):
        found = ", ".join(map(str, config)) if isinstance(config, Mapping) else type(config).__name__
        raise SettingError(
            f"Expected an object with the key 'metrics', found {found or 'nothing'}",
            path="$.graph_properties",
            code="setting.missing",
            facts={"setting": "metrics"},
        )
    if "metrics" not in properties:
        raise SettingError(
            f"Expected the key 'metrics'{nearest('metrics', map(str, properties))}",
            path="$.graph_properties",
            code="setting.missing",
            facts={"setting": "metrics"},
        )
    return check_metrics(properties["metrics"], path=_PLACE)


def check_metrics(entries: Iterable[str | Mapping[str, Json]], *, path: str = "$") -> list[MetricRequest]:
    """Check names and parameters; every entry is a name or ``{name, params}``. Naming a metric twice is once."""
    if not isinstance(entries, (list, tuple)) or not entries:
        raise SettingError(f"Expected a list of metrics, got {_brief(entries)}", path=path, facts={"got": entries})
    requests: dict[str, MetricRequest] = {}
    for number, entry in enumerate(entries):
        place = f"{path}[{number}]"
        request = _request(entry, place)
        if requests.setdefault(request.name, request) != request:
            raise SettingError(
                f"The metric {request.name!r} is there twice, with different parameters",
                path=place,
                code="setting.conflict",
                facts={"metric": request.name},
            )
    return list(requests.values())


def _brief(value: Json) -> str:
    """Write what was found; lists and objects by their kind, as aliases may make them huge."""
    if isinstance(value, Mapping):
        return "an object"
    return ("a list" if value else "an empty list") if isinstance(value, (list, tuple)) else reprlib.repr(value)


def _request(entry: Json, place: str) -> MetricRequest:
    if isinstance(entry, str):
        entry = {"name": entry}
    if not isinstance(entry, Mapping) or not isinstance(entry.get("name"), str):
        raise SettingError(
            f"Expected the name of a metric, or name and params, got {_brief(entry)}", path=place, facts={"got": entry}
        )
    for key in entry:
        if key not in ("name", "params"):
            raise SettingError(
                f"Expected name and params, got {key!r}{nearest(str(key), ('name', 'params'))}",
                path=place,
                code="setting.unknown_key",
                facts={"key": key, "nearest": closest(str(key), ("name", "params"))},
            )
    params = entry.get("params") or {}
    if not isinstance(params, Mapping):
        raise SettingError(
            f"Expected an object of parameters, got {_brief(params)}", path=f"{place}.params", facts={"got": params}
        )
    request = MetricRequest(entry["name"], {str(key): value for key, value in params.items()})
    _check_name(request.name, place)
    _check_params(request, f"{place}.params")
    return request


def _check_name(name: str, place: str) -> None:
    known = AggregatorMetricRegistry.list_metrics()
    if name in known:
        return
    if name in UnitMetricRegistry.list_metrics():
        raise SettingError(
            f"{name!r} judges single predictions and makes rows; metrics of rows are listed here",
            path=place,
            facts={"metric": name},
        )
    hint = nearest(name, known) or f"; known are {', '.join(known)}"
    raise SettingError(
        f"Expected the name of a metric, got {name!r}{hint}", path=place, code="metric.unknown", facts={"got": name}
    )


def _check_params(request: MetricRequest, place: str) -> None:
    if request.of_classes:
        _check_class_params(request, place)
        return
    metric_class = AggregatorMetricRegistry.get_metric_class(request.name)
    taken = inspect.signature(metric_class).parameters.values()
    named = [p for p in taken if p.kind in (p.POSITIONAL_OR_KEYWORD, p.KEYWORD_ONLY)]
    if not any(p.kind is p.VAR_KEYWORD for p in taken):
        _refuse_unknown(request, [p.name for p in named], place)
    for parameter in named:
        if parameter.default is parameter.empty and parameter.name not in request.params:
            raise SettingError(
                f"The metric {request.name!r} needs the parameter {parameter.name!r}",
                path=place,
                code="setting.missing",
                facts={"setting": parameter.name, "metric": request.name},
            )
    try:
        metric_class(**request.params)
    except (TypeError, ValueError) as error:
        raise at_path(error, place) from error


def _check_class_params(request: MetricRequest, place: str) -> None:
    _refuse_unknown(request, _CLASS_PARAMETERS[request.name], place)
    for name, value in request.params.items():
        if name.endswith("_key"):
            try:
                key_text(request.name, name, value)
            except SettingError as error:
                raise at_path(error, f"{place}.{name}") from error
    if request.params.get("positive_class", "") is None:
        raise SettingError(
            "positive_class is required (cannot be None)",
            path=f"{place}.positive_class",
            code="setting.missing",
            facts={"setting": "positive_class"},
        )
    judge = request.params.get("judge", "correct")
    if judge not in get_args(Judge):
        raise SettingError(
            f"Expected one of {', '.join(get_args(Judge))}, got {_brief(judge)}",
            path=f"{place}.judge",
            facts={"expected": list(get_args(Judge)), "got": judge},
        )


def _refuse_unknown(request: MetricRequest, valid: Iterable[str], place: str) -> None:
    valid = list(valid)
    for name in request.params:
        if name not in valid:
            hint = nearest(name, valid) or f"; it has {', '.join(valid) or 'none'}"
            raise SettingError(
                f"The metric {request.name!r} has no parameter {name!r}{hint}",
                path=place,
                code="setting.unknown_key",
                facts={"key": name, "metric": request.name, "nearest": closest(name, valid)},
            )


def _is_built_in(name: str) -> bool:
    return AggregatorMetricRegistry.get_metric_class(name).__module__ == "fieldwise.classify.class_metrics"


def _one_line(error: Exception) -> str:
    return " ".join(str(error).split()) or type(error).__name__
