"""Metrics of what came with the values of one comparison: confidences and bounding boxes."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypedDict, TypeGuard

from fieldwise.comparators import BBoxIoUComparator
from fieldwise.compare.rich_values import Unwrapped
from fieldwise.compare.views.field_comparisons import FieldComparison
from fieldwise.errors import SettingError
from fieldwise.states import COUNT, State, by_key, declared, first, record, share
from fieldwise.stats.attached import IOU_THRESHOLDS, METRICS, auroc, average_precision, unknown_metric
from fieldwise.values import Json


class BoxMetrics(TypedDict):
    """How well the boxes of one field were found; None where no box was expected."""

    ap: float | None
    ap_50: float | None
    ap_75: float | None
    mean_iou: float
    num_gt: int
    num_detections: int


def confidence_metrics_of(
    rows: Sequence[FieldComparison], confidences: Mapping[str, Json], metrics: Sequence[object] | None
) -> dict[str, Json]:
    """Return the metrics of the confidences that belong to compared values; unusable ones are counted, not used."""
    names = _names(metrics)
    keyed = [(key, row["match"]) for row in rows if isinstance(key := row["actual_key"], str)]
    pairs: dict[str, list[tuple[bool, float]]] = {}
    unusable = 0
    for key, match in keyed:
        confidence = confidences.get(key)
        if is_confidence(confidence):
            pairs.setdefault(key, []).append((match, float(confidence)))
        elif confidence is not None:
            unusable += 1
    every = [pair for found in pairs.values() for pair in found]
    value = auroc(every)["value"]
    coverage = {
        "fields_with_confidence": len(every),
        "fields_total": len(keyed),
        "ratio": len(every) / len(keyed) if keyed else 0.0,
    }
    if unusable:
        coverage["unusable_confidences"] = unusable
    return {
        "confidence_metrics": {
            "overall": {name: METRICS[name](every) for name in names},
            "fields": {key: {name: METRICS[name](found) for name in names} for key, found in pairs.items()},
            "coverage": coverage,
        },
        "auroc_confidence_metric": 0.5 if value is None else value,
    }


def _names(metrics: Sequence[object] | None) -> list[str]:
    names = ["auroc"] if metrics is None else [m if isinstance(m, str) else str(getattr(m, "name", m)) for m in metrics]
    for name in names:
        if name not in METRICS:
            raise unknown_metric(name)
    return names


def is_confidence(value: Json) -> TypeGuard[float]:
    """Return whether a value is a number from 0 to 1."""
    return isinstance(value, (int, float)) and not isinstance(value, bool) and 0 <= value <= 1


def box_metrics(
    rows: Sequence[FieldComparison],
    expected: Unwrapped | None,
    predicted: Unwrapped | None,
    thresholds: float | Iterable[float] | None,
) -> dict[str, Json]:
    """Return mean average precision of the boxes that came with values, for each field and over all fields."""
    at = iou_thresholds_of(thresholds)
    e_boxes = expected.boxes() if expected else {}
    p_boxes = predicted.boxes() if predicted else {}
    confidences = predicted.confidences if predicted else {}
    found = Boxes()
    for row in rows:
        found.add(row, e_boxes, p_boxes, confidences)
    fields = {name: found.measured(name, at) for name in found.names()}
    with_box = sum(found.expected.values())
    return {
        "mean_ap": mean_of_known([f["ap"] for f in fields.values()]),
        "map_50": mean_of_known([f["ap_50"] for f in fields.values()]),
        "map_75": mean_of_known([f["ap_75"] for f in fields.values()]),
        "iou_thresholds": at,
        "fields": fields,
        "coverage": {
            "fields_with_bbox": with_box,
            "fields_total": len(rows),
            "ratio": with_box / len(rows) if rows else 0.0,
        },
    }


_IOU = BBoxIoUComparator()


def _surest(detection: tuple[float, float]) -> tuple[float, float]:
    """Order detections: surest first, of equally sure ones the worst first."""
    return -detection[0], detection[1]


@dataclass(slots=True, eq=False)
class Boxes(State):
    """Detections and expected boxes by field, list positions left out."""

    detections: dict[str, list[tuple[float, float]]] = declared(
        by_key(first(None, record(lambda sure, overlap: (sure, overlap), share, share), _surest))
    )
    expected: dict[str, int] = declared(by_key(COUNT))
    overlaps: dict[str, list[float]] = declared(by_key(first(None, share, float)))
    fields_total: int = declared(COUNT)

    def settle(self) -> None:
        """Bring detections and overlaps into an order that does not depend on which documents came first."""
        for detections in self.detections.values():
            detections.sort(key=_surest)
        for overlaps in self.overlaps.values():
            overlaps.sort()

    def add(
        self,
        row: FieldComparison,
        e_boxes: Mapping[str, Json],
        p_boxes: Mapping[str, Json],
        confidences: Mapping[str, Json],
    ) -> None:
        e_key, p_key = row["expected_key"], row["actual_key"]
        if p_key is None:
            for path in e_boxes:
                if path == e_key or path.startswith((f"{e_key}.", f"{e_key}[")):
                    self._miss(path)
            return
        e_box, p_box = e_boxes.get(e_key), p_boxes.get(p_key)
        name = _field(p_key if e_box is None else e_key)
        if e_box is not None:
            self._miss(e_key)
        if p_box is None:
            return
        overlap = 0.0 if e_box is None else _IOU.compare(e_box, p_box)
        self.overlaps.setdefault(name, []).extend([overlap] if e_box is not None else [])
        confidence = confidences.get(p_key)
        self.detections.setdefault(name, []).append((float(confidence) if is_confidence(confidence) else 1.0, overlap))

    def _miss(self, path: str) -> None:
        name = _field(path)
        self.expected[name] = self.expected.get(name, 0) + 1

    def names(self) -> list[str]:
        return list(dict.fromkeys([*self.expected, *self.detections]))

    def measured(self, name: str, thresholds: Sequence[float]) -> BoxMetrics:
        detections, expected = self.detections.get(name, []), self.expected.get(name, 0)
        overlaps = self.overlaps.get(name, [])
        return {
            "ap": mean_of_known([average_precision(detections, expected, t) for t in thresholds]) if expected else None,
            "ap_50": average_precision(detections, expected, 0.5) if expected else None,
            "ap_75": average_precision(detections, expected, 0.75) if expected else None,
            "mean_iou": mean_of_known(overlaps) or 0.0,
            "num_gt": expected,
            "num_detections": len(detections),
        }


def iou_thresholds_of(given: float | Iterable[float] | None) -> list[float]:
    """Return overlaps as a list, refusing what is none."""
    if given is None:
        return list(IOU_THRESHOLDS)
    values = [given] if isinstance(given, (int, float)) else list(given)
    if not values or not all(is_confidence(v) for v in values):
        raise SettingError(
            f"Expected overlaps from 0 to 1, got {values!r}", path="bbox_iou_thresholds", facts={"got": values}
        )
    return [float(v) for v in values]


def _field(path: str) -> str:
    return re.sub(r"\[\d*\]", "[]", path)


def mean_of_known(values: Sequence[float | None]) -> float | None:
    """Return the mean of what is defined; None where nothing is."""
    defined = [value for value in values if value is not None]
    return sum(defined) / len(defined) if defined else None
