"""How large a difference a number of documents can show, and how many documents a difference needs."""

from __future__ import annotations

import math
from statistics import NormalDist

from fieldwise.errors import InputError, SettingError
from fieldwise.stats.clustered import t_quantile
from fieldwise.stats.intervals import check_confidence


def minimum_detectable_effect(
    sd: float, documents: int, *, power: float = 0.8, confidence: float = 0.95, exact: bool = False
) -> float:
    """Return the difference that these documents show with the given power, for a spread ``sd`` of differences.

    (z(α/2) + z(β)) · sd / √n; ``exact`` takes Student's t with n-1 degrees for the normal distribution.

    >>> round(minimum_detectable_effect(0.15, 200), 4)
    0.0297
    """
    _check_power(power, confidence)
    if sd < 0 or documents < 2:
        raise InputError(f"Expected a spread from 0 and 2 documents or more, got {sd} and {documents}")
    centre = _t_noncentrality(documents - 1, power, confidence) if exact else _z_sum(power, confidence)
    return centre * sd / math.sqrt(documents)


def documents_for_difference(sd: float, difference: float, *, power: float = 0.8, confidence: float = 0.95) -> int:
    """Return how many documents show a difference with the given power, by Student's t.

    >>> documents_for_difference(0.15, 0.02)
    444
    """
    if not difference or sd < 0:
        raise InputError(f"Expected a spread from 0 and a difference other than 0, got {sd} and {difference}")
    _check_power(power, confidence)
    needed = max(2, math.ceil((_z_sum(power, confidence) * sd / difference) ** 2))
    while minimum_detectable_effect(sd, needed, power=power, confidence=confidence, exact=True) > abs(difference):
        needed += 1
    return needed


def documents_for_margin(
    sd: float, margin: float, *, delta: float = 0.0, power: float = 0.8, confidence: float = 0.95
) -> int | None:
    """Return how many documents put the lower bound of the difference above -margin, if it is ``delta``.

    None where delta is not above -margin: no number of documents does.

    >>> documents_for_margin(0.15, 0.02), documents_for_margin(0.15, 0.02, delta=-0.03)
    (444, None)
    """
    if margin + delta <= 0:
        return None
    return documents_for_difference(sd, margin + delta, power=power, confidence=confidence)


def _t_noncentrality(degrees: int, power: float, confidence: float) -> float:
    """Return how far off t must lie, in standard errors, to pass its limit with the given power."""
    from scipy.special import nctdtrinc  # slow to import, seldom needed

    return float(nctdtrinc(degrees, 1 - power, t_quantile(degrees, confidence)))


def _z_sum(power: float, confidence: float) -> float:
    return NormalDist().inv_cdf((1 + confidence) / 2) + NormalDist().inv_cdf(power)


def _check_power(power: float, confidence: float) -> None:
    check_confidence(confidence)
    if not 0.5 <= power < 1:
        raise SettingError(f"Expected a power from 0.5 to 1, got {power}")
