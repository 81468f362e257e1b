"""The ratios of counts: what each divides by what, how rows of metrics hold them, and whether 0.0 there is 0/0."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, Literal, TypeAlias, get_args

Ratio: TypeAlias = Literal["precision", "recall", "strict_recall", "f1", "strict_f1"]
"""The ratios of counts that have an interval."""

RATIOS: tuple[Ratio, ...] = get_args(Ratio)

DocumentMetric: TypeAlias = Literal["document_macro_f1", "exact_documents"]
"""Figures of whole documents: the mean of their own strict F1, and the share of those without any error."""

Metric: TypeAlias = Ratio | DocumentMetric
"""By what two runs can be compared."""

METRICS: tuple[Metric, ...] = (*RATIOS, *get_args(DocumentMetric))

Weights: TypeAlias = tuple[int, int, int, int]
"""A whole number for each of tp, fd, fa and fn."""

NUMERATORS: dict[Ratio, Weights] = {
    "precision": (1, 0, 0, 0),
    "recall": (1, 0, 0, 0),
    "strict_recall": (1, 0, 0, 0),
    "f1": (2, 0, 0, 0),
    "strict_f1": (2, 0, 0, 0),
}
"""The numerator of a ratio is the sum of counts times weights."""

DENOMINATORS: dict[Ratio, Weights] = {
    "precision": (1, 1, 1, 0),
    "recall": (1, 0, 0, 1),
    "strict_recall": (1, 1, 0, 1),
    "f1": (2, 1, 1, 1),
    "strict_f1": (2, 2, 1, 1),
}
"""And so is its denominator."""

_COUNTS = ("tp", "fd", "fa", "fn")
_DIVIDED_BY: dict[str, tuple[str, ...]] = {
    "accuracy": ("tp", "tn", "fp", "fn"),
    **{
        ratio: tuple(key for key, weight in zip((*_COUNTS, "fp"), (*weights, weights[2]), strict=True) if weight)
        for ratio, weights in DENOMINATORS.items()
    },
}
"""Where some of these counts is not 0 a rate is defined; ``fp`` is there for rows that don't tell its two parts."""

RATES = tuple(_DIVIDED_BY)


def rate_in(row: Mapping[str, Any], name: str) -> float | None:
    """Return a rate of a row; None where it has nothing to divide by, or is not there.

    >>> rate_in({"tp": 0, "fn": 2, "precision": 0.0, "recall": 0.0}, "recall")
    0.0
    >>> rate_in({"tp": 0, "fn": 2, "precision": 0.0, "recall": 0.0}, "precision") is None
    True
    """
    return row.get(name) if any(row.get(key) for key in _DIVIDED_BY[name]) else None


def percentage(text: str) -> float | None:
    """Read a share that is written as a percentage; None for any other text.

    >>> percentage("2.5%"), percentage("5 %"), percentage("0.05"), percentage("five%")
    (0.025, 0.05, None, None)
    """
    number, sign, rest = text.strip().partition("%")
    try:
        share = float(number) / 100
    except ValueError:
        return None
    return share if sign and not rest and math.isfinite(share) else None
