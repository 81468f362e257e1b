"""An interval of a running mean that may be looked at after every document."""

from __future__ import annotations

import math

from fieldwise.errors import InputError, SettingError
from fieldwise.stats.intervals import check_confidence

TUNED_AT = 200
"""The number of documents at which the sequence is narrowest against others of its kind."""

_VARIANCE = 0.25
"""The largest variance of a score between 0 and 1."""


def mixture_rho(confidence: float = 0.95, tuned_at: int = TUNED_AT) -> float:
    """Return ρ = tσ² / (2 ln(1/α) + ln(1 + 2 ln(1/α))) for σ² = 1/4, which is 6.300 for 200 documents and α = 0.05.

    >>> round(mixture_rho(), 3)
    6.3
    """
    check_confidence(confidence)
    if tuned_at < 1:
        raise SettingError(f"Expected to tune at 1 document or more, got {tuned_at}")
    evidence = 2 * math.log(1 / (1 - confidence))
    return tuned_at * _VARIANCE / (evidence + math.log1p(evidence))


def sequence_radius(documents: int, confidence: float = 0.95, tuned_at: int = TUNED_AT) -> float:
    """Return the half-width after t documents: √((tσ² + ρ) · ln((tσ² + ρ) / (ρα²))) / t, σ² = 1/4.

    It holds for all t at once, whenever one stops (normal mixture; Howard et al. 2021).

    >>> round(sequence_radius(200), 4)
    0.1073
    """
    if documents < 1:
        raise InputError(f"Expected 1 document or more, got {documents}")
    rho, alpha = mixture_rho(confidence, tuned_at), 1 - confidence
    spread = documents * _VARIANCE + rho
    return math.sqrt(spread * math.log(spread / (rho * alpha * alpha))) / documents


def confidence_sequence(
    total: float, documents: int, confidence: float = 0.95, *, tuned_at: int = TUNED_AT
) -> tuple[float, float] | None:
    """Return the interval of the mean of scores in [0, 1], given their sum so far; None before the first document.

    Documents must come in random order.

    >>> low, high = confidence_sequence(90.0, 100) or (0, 0)
    >>> round(low, 4), high
    (0.7458, 1.0)
    """
    if not documents:
        return None
    if not 0 <= total <= documents:
        raise InputError(f"Expected the sum of {documents} scores from 0 to 1, got {total}")
    mean, radius = total / documents, sequence_radius(documents, confidence, tuned_at)
    return max(0.0, mean - radius), min(1.0, mean + radius)
