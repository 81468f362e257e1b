"""A rate in a row of metrics, as dicts of metrics hold it, and whether it says anything: 0.0 there may be 0/0."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from fieldwise.stats.moments import DENOMINATORS

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
