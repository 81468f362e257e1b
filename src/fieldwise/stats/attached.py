"""Metrics of what comes with values, as the dicts of ``compare_with`` have them: confidences, and boxes with theirs."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import numpy as np

from fieldwise.bulk_aggregator import Json
from fieldwise.errors import SettingError, closest, nearest
from fieldwise.stats.calibration import Placements, brier, calibration_error, equal_width_bins
from fieldwise.stats.confidences import Confidences, Pairs
from fieldwise.stats.review import errors_caught

IOU_THRESHOLDS = tuple(round(0.5 + 0.05 * k, 2) for k in range(10))
_RECALLS = np.linspace(0.0, 1.0, 101)


def auroc(pairs: Pairs) -> dict[str, float | None]:
    """Return the chance that a right value has the higher confidence, ties counting half; None for one class only.

    >>> auroc([(True, 0.9), (False, 0.2), (True, 0.2)])
    {'value': 0.75}
    """
    placed = Placements.of(Confidences.from_pairs(pairs))
    return {"value": None if placed is None else placed.auroc}


def brier_score(pairs: Pairs) -> dict[str, float | None]:
    """Return the mean of (confidence - right)²; None without values.

    >>> brier_score([(True, 0.5), (False, 0.5)])
    {'value': 0.25}
    """
    found = brier(Confidences.from_pairs(pairs), ())
    return {"value": None if found is None else found.score}


def expected_calibration_error(pairs: Pairs, bins: int = 10) -> dict[str, Json]:
    """Return the mean distance of confidence and accuracy over equal-width bins [a, b), the last one closed."""
    held = equal_width_bins(Confidences.from_pairs(pairs), bins)
    shown: list[dict[str, Json]] = [
        {"range": [k / bins, (k + 1) / bins], "count": 0, "accuracy": None, "mean_confidence": None}
        for k in range(bins)
    ]
    for one in held:
        shown[round(one.low * bins)] |= {
            "count": one.count,
            "accuracy": one.right,
            "mean_confidence": one.confidence,
        }
    return {"value": calibration_error(held), "bins": shown}


def error_capture(pairs: Pairs, budgets: Sequence[float] = (0.1, 0.3, 0.5)) -> dict[str, Json]:
    """Return the share of errors found when the least confident values are reviewed first, for each budget.

    Values of equal confidence are reviewed in the order given.
    """
    values = Confidences.from_pairs(pairs)
    if not values.errors:
        return {"value": None, "budgets": {}}
    found: dict[str, dict[str, float]] = {}
    for budget in budgets:
        reviewed = min(values.n, max(1, int(values.n * budget)))
        caught, random = round(errors_caught(values, reviewed)), reviewed / values.n
        found[f"{budget:.2f}"] = {
            "fields_reviewed": reviewed,
            "errors_found": caught,
            "pct_errors_caught": caught / values.errors,
            "pct_errors_random": random,
            "gain": caught / values.errors / random,
        }
    middle = f"{budgets[len(budgets) // 2]:.2f}"
    return {"value": found[middle]["gain"], "budgets": found}


METRICS: dict[str, Callable[[Pairs], Mapping[str, Json]]] = {
    "auroc": auroc,
    "brier_score": brier_score,
    "ece": expected_calibration_error,
    "error_capture_at_budget": error_capture,
}
"""The metrics of confidence by name."""


def unknown_metric(name: str) -> SettingError:
    """Return the error for the name of a metric of confidence that nobody knows."""
    return SettingError(
        f"Unknown confidence metric {name!r}{nearest(name, METRICS)}",
        path="confidence_metrics",
        code="metric.unknown",
        facts={"got": name, "nearest": closest(name, METRICS)},
    )


def average_precision(detections: Sequence[tuple[float, float]], expected: int, threshold: float) -> float:
    """Return the mean, over 101 recalls, of the best precision at that recall or more, as COCO defines it.

    ``detections`` are (confidence, overlap with the box it belongs to), ``expected`` is how many boxes there are.

    >>> average_precision([(0.9, 0.8)], 1, 0.5)
    1.0
    """
    if not expected or not detections:
        return 0.0
    ordered = sorted(detections, key=lambda d: -d[0])
    hits = np.cumsum([iou >= threshold for _, iou in ordered])
    recall = hits / expected
    precision = hits / np.arange(1, len(ordered) + 1)
    best = np.maximum.accumulate(precision[::-1])[::-1]
    at = np.searchsorted(recall, _RECALLS, side="left")
    reached = at < len(best)
    return float(np.where(reached, best[np.minimum(at, len(best) - 1)], 0.0).mean())
