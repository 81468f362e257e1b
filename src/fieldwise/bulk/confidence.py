"""How well the confidences of a set of documents tell right values from wrong ones."""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from fieldwise.bulk.accumulators import PostComparisonAccumulator
from fieldwise.bulk_aggregator import ratio
from fieldwise.compare.rich_values import unwrap
from fieldwise.errors import SettingError
from fieldwise.model.attached import is_confidence
from fieldwise.states import by_name, named, refuse, whole
from fieldwise.stats.attached import auroc, brier_score, error_capture, expected_calibration_error, unknown_metric
from fieldwise.stats.confidences import ConfidenceHistogram, check_confidences
from fieldwise.values import Json


class ConfidencePair(NamedTuple):
    """Whether a value was right, and how sure the prediction was of it."""

    is_match: bool
    confidence: float


class ConfidenceMetric(ABC):
    """A number made of all pairs."""

    @property
    @abstractmethod
    def name(self) -> str:
        """The key under which it stands."""

    @abstractmethod
    def compute(self, pairs: Sequence[ConfidencePair]) -> dict[str, Json]:
        """Return ``{"value": …}`` and what else explains it; the value is None where it is not defined."""


class AUROCMetric(ConfidenceMetric):
    """The chance that a right value has the higher confidence."""

    name = "auroc"

    def compute(self, pairs: Sequence[ConfidencePair]) -> dict[str, Json]:
        return auroc(pairs)


class BrierScoreMetric(ConfidenceMetric):
    """The mean of (confidence - right)²."""

    name = "brier_score"

    def compute(self, pairs: Sequence[ConfidencePair]) -> dict[str, Json]:
        return brier_score(pairs)


@dataclass(frozen=True)
class ECEMetric(ConfidenceMetric):
    """The mean distance of confidence and accuracy over bins of equal width."""

    n_bins: int = 10
    name = "ece"

    def __post_init__(self) -> None:
        if isinstance(self.n_bins, bool) or not isinstance(self.n_bins, int) or self.n_bins < 1:
            raise SettingError(
                f"Expected 1 or more bins, got {self.n_bins!r}", path="n_bins", facts={"got": self.n_bins}
            )

    def compute(self, pairs: Sequence[ConfidencePair]) -> dict[str, Json]:
        return expected_calibration_error(pairs, self.n_bins)


@dataclass(frozen=True)
class ErrorCaptureAtBudgetMetric(ConfidenceMetric):
    """The share of errors found when the least confident values are reviewed first."""

    budgets: Sequence[float] = (0.1, 0.3, 0.5)
    name = "error_capture_at_budget"

    def __post_init__(self) -> None:
        if not self.budgets or not all(is_confidence(b) and b for b in self.budgets):
            raise SettingError(
                f"Expected budgets above 0 and up to 1, got {self.budgets!r}",
                path="budgets",
                facts={"got": self.budgets},
            )

    def compute(self, pairs: Sequence[ConfidencePair]) -> dict[str, Json]:
        return error_capture(pairs, self.budgets)


_METRICS: dict[str, type[ConfidenceMetric]] = {
    "auroc": AUROCMetric,
    "brier_score": BrierScoreMetric,
    "ece": ECEMetric,
    "error_capture_at_budget": ErrorCaptureAtBudgetMetric,
}


def _metric(given: Json) -> ConfidenceMetric:
    if isinstance(given, str):
        if given not in _METRICS:
            raise unknown_metric(given)
        return _METRICS[given]()
    if isinstance(getattr(given, "name", None), str) and callable(getattr(given, "compute", None)):
        metric: ConfidenceMetric = given
        return metric
    raise SettingError(
        f"Expected a confidence metric or its name, got {given!r}", path="confidence_metrics", facts={"got": given}
    )


class ConfidenceAccumulator(PostComparisonAccumulator):
    """Confidences by field path, list positions left out. State is a histogram for each path, which merging adds."""

    name = "confidence_metrics"

    def __init__(self, metrics: Sequence[ConfidenceMetric | str] | None = None) -> None:
        self._metrics = [_metric(given) for given in (("auroc",) if metrics is None else metrics)]
        self.reset()

    def reset(self) -> None:
        self._fields: dict[str, ConfidenceHistogram] = {}
        self._total = self._unusable = 0

    def accumulate(self, comparison_result: Mapping[str, Json], prediction_raw: Json) -> None:
        """Add the confidences of compared values; one that is no number from 0 to 1 is counted, not used."""
        rows = comparison_result.get("field_comparisons")
        if not rows:
            return
        confidences = comparison_result.get("prediction_confidences")
        if confidences is None:
            confidences = unwrap(prediction_raw).confidences
        for compared in rows:
            key = compared["actual_key"]
            if isinstance(key, str):
                self._add(field_of(key), bool(compared["match"]), confidences.get(key))

    def _add(self, path: str, match: bool, confidence: Json) -> None:
        self._total += 1
        if is_confidence(confidence):
            self._of(path).add(match, confidence)
        elif confidence is not None:
            self._unusable += 1

    def _of(self, path: str) -> ConfidenceHistogram:
        return self._fields.get(path) or self._fields.setdefault(path, ConfidenceHistogram())

    def compute(self) -> dict[str, Json] | None:
        """Return each metric overall and by path, and how many compared values have a confidence."""
        if not self._total:
            return None
        every = ConfidenceHistogram()
        for histogram in self._fields.values():
            every.merge(histogram)
        coverage: dict[str, Json] = {"fields_with_confidence": every.n, "fields_total": self._total}
        coverage["ratio"] = ratio(every.n, self._total)
        if self._unusable:
            coverage["unusable_confidences"] = self._unusable
        fields = {path: self._measured(found) for path, found in sorted(self._fields.items())}
        return {"overall": self._measured(every), "fields": fields, "coverage": coverage}

    def _measured(self, histogram: ConfidenceHistogram) -> dict[str, Json]:
        pairs = [ConfidencePair(*pair) for pair in histogram.pairs()]
        return {metric.name: metric.compute(pairs) for metric in self._metrics}

    def get_state(self) -> dict[str, Json]:
        return {
            "histograms": {path: found.to_state() for path, found in sorted(self._fields.items())},
            "fields_total": self._total,
            "unusable": self._unusable,
        }

    def merge_state(self, other_state: Mapping[str, Json]) -> None:
        _check_state(other_state, self.name)
        self._total += other_state["fields_total"]
        self._unusable += other_state["unusable"]
        for path, steps in other_state["histograms"].items():
            self._of(path).merge(ConfidenceHistogram.from_state(steps))


_LOOKS_LIKE = named(
    {
        "histograms": by_name(check_confidences),
        "fields_total": whole(),
        "unusable": whole(),
    }
)


def _check_state(state: Mapping[str, Json], path: str) -> None:
    _LOOKS_LIKE(state, path)
    counted = sum(wrong + right for steps in state["histograms"].values() for _, wrong, right in steps)
    if counted + state["unusable"] > state["fields_total"]:
        raise refuse(f"{counted + state['unusable']:,} fields or more", state["fields_total"], f"{path}.fields_total")


def field_of(key: str) -> str:
    """Return the path of a field without list positions.

    >>> field_of("items[3].sku")
    'items.sku'
    """
    return re.sub(r"\[\d*\]", "", key)
