"""Outcomes in words, the same ones in every view."""

from __future__ import annotations

import math
from functools import lru_cache

from fieldwise.compare.results import MISSED, SPURIOUS, Outcome

ALONE: dict[Outcome, str] = {MISSED: "unmatched ground truth", SPURIOUS: "unmatched prediction"}


@lru_cache(maxsize=1024)  # the same few scores come again and again, 0 above all
def below(score: float, threshold: float) -> str:
    """Say that a score does not reach its threshold.

    >>> below(0.6, 0.8)
    'below threshold (0.600 < 0.8)'
    """
    return f"below threshold ({score:.3f} < {threshold})"


def above(score: float, threshold: float) -> str:
    """Say that a score reaches its threshold, or that the values are the same.

    >>> above(1.0, 0.8), above(0.9, 0.8)
    ('exact match', 'above threshold (0.900 >= 0.8)')
    """
    if math.isclose(score, 1.0):
        return "exact match"
    return f"above threshold ({score:.3f} >= {threshold})"
