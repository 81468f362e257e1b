"""The seeds' metrics of confidence: the same figures as everywhere, in their dicts.

Pairs are (is it right, confidence from 0 to 1). The figures need numpy, which is slow to import and which comparing a
document without confidences never needs.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

Pairs: TypeAlias = Sequence[tuple[bool, float]]


def auroc(pairs: Pairs) -> dict[str, Any]:
    """Return the chance that a right value has the higher confidence, ties counting half; None for one class only.

    >>> auroc([(True, 0.9), (False, 0.2), (True, 0.2)])
    {'value': 0.75}
    """
    from fieldwise.stats.confidence_values import Confidences  # numpy
    from fieldwise.stats.discrimination import Placements

    placed = Placements.of(Confidences.from_pairs(pairs))
    return {"value": None if placed is None else placed.auroc}


def brier_score(pairs: Pairs) -> dict[str, Any]:
    """Return the mean of (confidence - right)²; None without values.

    >>> brier_score([(True, 0.5), (False, 0.5)])
    {'value': 0.25}
    """
    from fieldwise.stats.calibration import brier  # numpy
    from fieldwise.stats.confidence_values import Confidences

    found = brier(Confidences.from_pairs(pairs), ())
    return {"value": None if found is None else found.score}


def expected_calibration_error(pairs: Pairs, bins: int = 10) -> dict[str, Any]:
    """Return the mean distance of confidence and accuracy over equal-width bins [a, b), the last one closed."""
    from fieldwise.stats.calibration import calibration_error, equal_width_bins  # numpy
    from fieldwise.stats.confidence_values import Confidences

    held = equal_width_bins(Confidences.from_pairs(pairs), bins)
    shown: list[dict[str, Any]] = [
        {"range": [k / bins, (k + 1) / bins], "count": 0, "accuracy": None, "mean_confidence": None}
        for k in range(bins)
    ]
    for one in held:
        figures = {"count": one.count, "accuracy": one.right, "mean_confidence": one.confidence}
        shown[round(one.low * bins)] |= figures
    return {"value": calibration_error(held), "bins": shown}


def error_capture(pairs: Pairs, budgets: Sequence[float] = (0.1, 0.3, 0.5)) -> dict[str, Any]:
    """Return the share of errors found when the least confident values are reviewed first, for each budget.

    Values of equal confidence are reviewed in the order given.
    """
    from fieldwise.stats.confidence_values import Confidences  # numpy
    from fieldwise.stats.review import errors_caught

    values = Confidences.from_pairs(pairs)
    if not values.errors:
        return {"value": None, "budgets": {}}
    found: dict[str, dict[str, Any]] = {}
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


METRICS: dict[str, Callable[[Pairs], dict[str, Any]]] = {
    "auroc": auroc,
    "brier_score": brier_score,
    "ece": expected_calibration_error,
    "error_capture_at_budget": error_capture,
}
"""The metrics of confidence by name."""
