"""Metrics over many documents beyond counts: state that is added to, saved and merged; and that of boxes."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence

from fieldwise.bulk_aggregator import ratio
from fieldwise.errors import FieldwiseError, InputError
from fieldwise.model.attached import Boxes, iou_thresholds_of, mean_of_known
from fieldwise.stats.attached import IOU_THRESHOLDS
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
