"""Metrics by name: what is built in, what a program adds, what installed packages offer."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator, Mapping
from importlib.metadata import EntryPoint
from typing import Any

import pytest

from fieldwise.classify import (
    AggregatorMetricRegistry,
    UnitMetricRegistry,
    UnitMetricResult,
    aggregator_metric,
    registry,
    run_evaluation,
    unit_metric,
)
from fieldwise.errors import FieldwiseError, SettingError
from tests.classify.rows import rows


class Rows:
    """Counts rows."""

    def __init__(self, times: int = 1) -> None:
        self.times = times

    def calculate(self, results: list[UnitMetricResult]) -> Mapping[str, Any]:
        return {"rows": len(results) * self.times}


@pytest.fixture(autouse=True)
def _as_it_was() -> Iterator[None]:
    yield
    AggregatorMetricRegistry.restore()
    UnitMetricRegistry.restore()


def test_importing_registers_nothing_and_loads_no_metric() -> None:
    """The registry knows names; their modules come when they are asked for."""
    code = """
import sys
from fieldwise.classify import AggregatorMetricRegistry, UnitMetricRegistry
print(AggregatorMetricRegistry.list_metrics(), UnitMetricRegistry.list_metrics())
print([m for m in sys.modules if m.endswith("_metrics") or m in ("scipy", "pandas", "sklearn", "yaml")])
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    names, loaded = done.stdout.splitlines()
    assert "'pass@k'" in names
    assert "'exact_match'" in names
    assert loaded == "[]"


def test_an_unknown_name_is_a_key_error_that_lists_names() -> None:
    """It is also an error of ours, names the nearest, and reads as a sentence."""
    with pytest.raises(KeyError) as caught:
        AggregatorMetricRegistry.get_metric("presicion")
    assert isinstance(caught.value, FieldwiseError)
    assert "'precision', 'recall'" in str(caught.value)
    assert str(caught.value).endswith("did you mean 'precision'?")
    with pytest.raises(KeyError, match="Unit metric 'fuzzy'"):
        UnitMetricRegistry.get_metric_class("fuzzy")


def test_a_decorator_registers_a_class() -> None:
    """It is made by name, listed, described, and can be asked for in a run."""
    assert aggregator_metric("rows")(Rows) is Rows
    assert AggregatorMetricRegistry.get_metric("rows", times=2).calculate([]) == {"rows": 0}
    assert "rows" in AggregatorMetricRegistry.list_metrics()
    assert AggregatorMetricRegistry.get_metrics_info()["rows"] == {"class": "Rows", "module": __name__}
    answer = run_evaluation(rows([("a", "a")]), [{"name": "rows", "params": {"times": 3}}])
    assert answer == {"rows": {"rows": 3}}


def test_unit_metrics_have_a_registry_of_their_own() -> None:
    """With the same methods."""

    @unit_metric("always")
    class Always:
        def evaluate(self, golden: list[Any], predicted: list[Any]) -> list[UnitMetricResult]:
            return [UnitMetricResult(True, a, b) for a, b in zip(golden, predicted, strict=True)]

    assert UnitMetricRegistry.get_metric("always").evaluate([{}], [{}])[0].correct
    assert UnitMetricRegistry.get_metric_class("always") is Always
    assert not AggregatorMetricRegistry.has_metric("always")


def test_names_are_forgotten() -> None:
    """One by one or all at once, built-in ones too; they can be brought back."""
    AggregatorMetricRegistry.unregister("recall")
    assert not AggregatorMetricRegistry.has_metric("recall")
    AggregatorMetricRegistry.register("recall", Rows)
    assert AggregatorMetricRegistry.get_metric_class("recall") is Rows
    AggregatorMetricRegistry.clear()
    assert AggregatorMetricRegistry.list_metrics() == []
    AggregatorMetricRegistry.restore()
    assert AggregatorMetricRegistry.get_metric_class("recall").__name__ == "RecallMetric"


@pytest.mark.parametrize(("name", "given"), [("", Rows), (None, Rows), ("x", 5), ("x", dict), ("accuracy", Rows)])
def test_what_is_no_metric_is_refused(name: Any, given: Any) -> None:
    """A name, a class with the method, and no built-in name."""
    with pytest.raises(SettingError):
        AggregatorMetricRegistry.register(name, given)


def test_installed_packages_offer_metrics(monkeypatch: pytest.MonkeyPatch) -> None:
    """Entry points are read when names are asked for."""
    entry = EntryPoint("rows", f"{__name__}:Rows", "fieldwise.aggregator_metrics")
    groups = {"fieldwise.aggregator_metrics": [entry]}
    monkeypatch.setattr(registry, "entry_points", lambda group: groups.get(group, []))
    assert AggregatorMetricRegistry.get_metric_class("rows").__name__ == "Rows"
    assert "rows" in AggregatorMetricRegistry.list_metrics()
