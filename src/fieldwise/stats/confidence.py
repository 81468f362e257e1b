"""How well a confidence tells right values from wrong ones. Pairs are (is it right, confidence from 0 to 1)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

Pairs = Sequence[tuple[bool, float]]
NEAR_EDGE = 1e-9
"""A confidence times the number of bins that is so near to a whole number stands on the edge of a bin."""
_Place = TypeVar("_Place", float, "npt.NDArray[np.float64]")


def bin_number(confidence: _Place, bins: int) -> _Place:
    """Return which of so many bins of equal width [a, b) holds a confidence, or each of an array; 1 is in none.

    >>> bin_number(0.29, 100), bin_number(0.3, 10), bin_number(1.0, 10)
    (29.0, 3.0, 10.0)
    """
    return (confidence * bins + NEAR_EDGE) // 1


def auroc(pairs: Pairs) -> dict[str, Any]:
    """Return the chance that a right value has the higher confidence, ties counting half; None for one class only.

    >>> auroc([(True, 0.9), (False, 0.2), (True, 0.2)])
    {'value': 0.75}
    """
    right = sum(1 for match, _ in pairs if match)
    wrong = len(pairs) - right
    if not right or not wrong:
        return {"value": None}
    rank_sum, seen = 0.0, 0
    for group in _by_confidence(pairs):
        rank = seen + (len(group) + 1) / 2
        rank_sum += rank * sum(group)
        seen += len(group)
    return {"value": (rank_sum - right * (right + 1) / 2) / (right * wrong)}


def _by_confidence(pairs: Pairs) -> list[list[bool]]:
    groups: dict[float, list[bool]] = {}
    for match, confidence in sorted(pairs, key=lambda pair: pair[1]):
        groups.setdefault(confidence, []).append(match)
    return list(groups.values())


def brier_score(pairs: Pairs) -> dict[str, Any]:
    """Return the mean of (confidence - right)²; None without values.

    >>> brier_score([(True, 0.5), (False, 0.5)])
    {'value': 0.25}
    """
    if not pairs:
        return {"value": None}
    return {"value": sum((confidence - match) ** 2 for match, confidence in pairs) / len(pairs)}


def expected_calibration_error(pairs: Pairs, bins: int = 10) -> dict[str, Any]:
    """Return the mean distance of confidence and accuracy over equal-width bins [a, b), the last one closed."""
    held: list[list[tuple[bool, float]]] = [[] for _ in range(bins)]
    for match, confidence in pairs:
        held[min(int(bin_number(confidence, bins)), bins - 1)].append((match, confidence))
    shown = [_bin(group, k, bins) for k, group in enumerate(held)]
    if not pairs:
        return {"value": None, "bins": shown}
    gaps = [b["count"] * abs(b["accuracy"] - b["mean_confidence"]) for b in shown if b["count"]]
    return {"value": sum(gaps) / len(pairs), "bins": shown}


def _bin(group: Pairs, k: int, bins: int) -> dict[str, Any]:
    count = len(group)
    return {
        "range": [k / bins, (k + 1) / bins],
        "count": count,
        "accuracy": sum(match for match, _ in group) / count if count else None,
        "mean_confidence": sum(confidence for _, confidence in group) / count if count else None,
    }


def error_capture(pairs: Pairs, budgets: Sequence[float] = (0.1, 0.3, 0.5)) -> dict[str, Any]:
    """Return the share of errors found when the least confident values are reviewed first, for each budget."""
    errors = sum(1 for match, _ in pairs if not match)
    if not errors:
        return {"value": None, "budgets": {}}
    ordered = sorted(pairs, key=lambda pair: pair[1])
    found = {f"{budget:.2f}": _captured(ordered, budget, errors) for budget in budgets}
    middle = f"{budgets[len(budgets) // 2]:.2f}"
    return {"value": found[middle]["gain"], "budgets": found}


def _captured(ordered: Pairs, budget: float, errors: int) -> dict[str, Any]:
    reviewed = min(len(ordered), max(1, int(len(ordered) * budget)))
    caught = sum(1 for match, _ in ordered[:reviewed] if not match)
    random = reviewed / len(ordered)
    return {
        "fields_reviewed": reviewed,
        "errors_found": caught,
        "pct_errors_caught": caught / errors,
        "pct_errors_random": random,
        "gain": caught / errors / random,
    }


METRICS: dict[str, Callable[[Pairs], dict[str, Any]]] = {
    "auroc": auroc,
    "brier_score": brier_score,
    "ece": expected_calibration_error,
    "error_capture_at_budget": error_capture,
}
"""The metrics of confidence by name."""
