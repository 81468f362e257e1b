"""Metrics over many documents beyond counts, saved and merged as states; those of boxes and of confidences."""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from fieldwise.bulk_aggregator import ratio
from fieldwise.compare.rich_values import unwrap
from fieldwise.errors import FieldwiseError, InputError, SettingError
from fieldwise.model.attached import Boxes, iou_thresholds_of, is_confidence, mean_of_known
from fieldwise.states import COUNT, State, by_key, declared, nested, unfit
from fieldwise.stats.attached import (
    IOU_THRESHOLDS,
    auroc,
    brier_score,
    error_capture,
    expected_calibration_error,
    unknown_metric,
)
from fieldwise.stats.confidences import ConfidenceHistogram
from fieldwise.values import Json


class PostComparisonAccumulator(ABC):
    """Sees the result of every comparison. Its state is JSON, and merging states adds them, in any order."""

    @property
    @abstractmethod
    def name(self) -> str:
        """The key under which its metrics and its state stand."""

    @abstractmethod
    def reset(self) -> None:
        """Forget everything."""

    @abstractmethod
    def accumulate(self, comparison_result: Mapping[str, Json], prediction_raw: Json) -> None:
        """Add what one result holds; ``prediction_raw`` is the prediction as it came, None where not known."""

    @abstractmethod
    def compute(self) -> dict[str, Json] | None:
        """Return the metrics; None where nothing was seen."""

    @abstractmethod
    def get_state(self) -> dict[str, Json]:
        """Return everything as JSON."""

    @abstractmethod
    def merge_state(self, other_state: Mapping[str, Json]) -> None:
        """Add the state of another."""

    def load_state(self, state: Mapping[str, Json]) -> None:
        """Become what the state says."""
        self.reset()
        self.merge_state(state)


def merge_states(
    accumulators: Sequence[PostComparisonAccumulator], states: Mapping[str, Mapping[str, Json]], *, anew: bool = False
) -> None:
    """Add to each accumulator its state, ``anew``: in place of its own. A broken state changes none of them."""
    before = [accumulator.get_state() for accumulator in accumulators]
    try:
        for accumulator in accumulators:
            (accumulator.load_state if anew else accumulator.merge_state)(states[accumulator.name])
    except Exception as error:
        for accumulator, state in zip(accumulators, before, strict=True):
            accumulator.load_state(state)
        if isinstance(error, FieldwiseError):
            raise
        raise InputError(
            f"Expected the states of accumulators, got one that is broken: {error!r}", code="state.damaged"
        ) from error


class BBoxMAPAccumulator(PostComparisonAccumulator):
    """Boxes by field, list positions left out. State is the detections as they are, which merging puts together."""

    name = "bbox_map_metrics"

    def __init__(self, iou_thresholds: float | Iterable[float] = IOU_THRESHOLDS) -> None:
        self._at = iou_thresholds_of(iou_thresholds)
        self.reset()

    def reset(self) -> None:
        self._boxes = Boxes()

    def accumulate(self, comparison_result: Mapping[str, Json], prediction_raw: Json) -> None:
        """Add the boxes of expected and predicted values; a predicted box without confidence has 1.0."""
        rows = comparison_result.get("field_comparisons") or ()
        expected = comparison_result.get("ground_truth_bboxes") or {}
        predicted = comparison_result.get("prediction_bboxes") or {}
        sure = comparison_result.get("prediction_confidences") or {}
        self._boxes.fields_total += len(rows)
        for row in rows:
            self._boxes.add(row, expected, predicted, sure)

    def compute(self) -> dict[str, Json] | None:
        """Return the mean over fields and overlaps, at 0.5 and at 0.75, and the same by field."""
        boxes = self._boxes
        if not boxes.fields_total:
            return None
        boxes.settle()
        fields = {name: boxes.measured(name, self._at) for name in sorted(boxes.names())}
        with_box = sum(boxes.expected.values())
        return {
            "mean_ap": mean_of_known([f["ap"] for f in fields.values()]),
            "map_50": mean_of_known([f["ap_50"] for f in fields.values()]),
            "map_75": mean_of_known([f["ap_75"] for f in fields.values()]),
            "iou_thresholds": self._at,
            "fields": fields,
            "coverage": {
                "fields_with_bbox": with_box,
                "fields_total": boxes.fields_total,
                "ratio": ratio(with_box, boxes.fields_total),
            },
        }

    def get_state(self) -> dict[str, Json]:
        return self._boxes.to_state()

    def merge_state(self, other_state: Mapping[str, Json]) -> None:
        self._boxes.merge(Boxes.from_state(other_state, self.name))


# Confidences


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


@dataclass(slots=True, eq=False)
class Confident(State):
    """Confidences by field path, of how many compared values, and how many cannot be used."""

    histograms: dict[str, ConfidenceHistogram] = declared(by_key(nested(ConfidenceHistogram)))
    fields_total: int = declared(COUNT)
    unusable: int = declared(COUNT)

    def refuse_unfit(self, path: str) -> None:
        """Refuse more confidences than compared values."""
        known = sum(histogram.n for histogram in self.histograms.values()) + self.unusable
        if known > self.fields_total:
            raise unfit(f"{known:,} fields or more, got {self.fields_total:,}", path)


class ConfidenceAccumulator(PostComparisonAccumulator):
    """Confidences by field path, list positions left out. State is a histogram for each path, which merging adds."""

    name = "confidence_metrics"

    def __init__(self, metrics: Sequence[ConfidenceMetric | str] | None = None) -> None:
        self._metrics = [_metric(given) for given in (("auroc",) if metrics is None else metrics)]
        self.reset()

    def reset(self) -> None:
        self._seen = Confident()

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
        self._seen.fields_total += 1
        if is_confidence(confidence):
            histograms = self._seen.histograms
            (histograms.get(path) or histograms.setdefault(path, ConfidenceHistogram())).add(match, confidence)
        elif confidence is not None:
            self._seen.unusable += 1

    def compute(self) -> dict[str, Json] | None:
        """Return each metric overall and by path, and how many compared values have a confidence."""
        seen = self._seen
        if not seen.fields_total:
            return None
        every = ConfidenceHistogram()
        for histogram in seen.histograms.values():
            every.merge(histogram)
        coverage: dict[str, Json] = {"fields_with_confidence": every.n, "fields_total": seen.fields_total}
        coverage["ratio"] = ratio(every.n, seen.fields_total)
        if seen.unusable:
            coverage["unusable_confidences"] = seen.unusable
        fields = {path: self._measured(histogram) for path, histogram in sorted(seen.histograms.items())}
        return {"overall": self._measured(every), "fields": fields, "coverage": coverage}

    def _measured(self, histogram: ConfidenceHistogram) -> dict[str, Json]:
        pairs = [ConfidencePair(*pair) for pair in histogram.pairs()]
        return {metric.name: metric.compute(pairs) for metric in self._metrics}

    def get_state(self) -> dict[str, Json]:
        return self._seen.to_state()

    def merge_state(self, other_state: Mapping[str, Json]) -> None:
        self._seen.merge(Confident.from_state(other_state, self.name))


def field_of(key: str) -> str:
    """Return the path of a field without list positions.

    >>> field_of("items[3].sku")
    'items.sku'
    """
    return re.sub(r"\[\d*\]", "", key)
