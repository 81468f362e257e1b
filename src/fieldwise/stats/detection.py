"""Average precision of detected boxes, as COCO defines it."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

IOU_THRESHOLDS = tuple(round(0.5 + 0.05 * k, 2) for k in range(10))
_RECALLS = np.linspace(0.0, 1.0, 101)


def average_precision(detections: Sequence[tuple[float, float]], expected: int, threshold: float) -> float:
    """Return the mean, over 101 recalls, of the best precision at that recall or more.

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
