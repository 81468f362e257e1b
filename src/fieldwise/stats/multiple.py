"""Many tests at once: p-values adjusted for the number of questions that were asked."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from fieldwise.errors import InputError


def holm(p_values: Sequence[float]) -> list[float]:
    """Return Holm's adjusted p-values, which bound the chance of any false alarm.

    The k-th smallest of m becomes the largest of (m - j + 1) · p(j) for j ≤ k, at most 1 (Holm 1979).

    >>> holm([0.01, 0.04])
    [0.02, 0.04]
    """
    ordered, places = _sorted(p_values)
    steps = np.arange(len(ordered), 0, -1)
    return _in_place(np.maximum.accumulate(steps * ordered), places)


def benjamini_hochberg(p_values: Sequence[float]) -> list[float]:
    """Return q-values, which bound the expected share of false alarms among independent or positively tied tests.

    The k-th smallest of m becomes the smallest of m/j · p(j) for j ≥ k, at most 1 (Benjamini and Hochberg 1995).

    >>> benjamini_hochberg([0.01, 0.04])
    [0.02, 0.04]
    """
    ordered, places = _sorted(p_values)
    m = len(ordered)
    scaled = ordered * m / np.arange(1, m + 1)
    return _in_place(np.minimum.accumulate(scaled[::-1])[::-1], places)


def _sorted(p_values: Sequence[float]) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.intp]]:
    values = np.asarray(p_values, dtype=float)
    if not ((values >= 0) & (values <= 1)).all():
        raise InputError(f"Expected p-values from 0 to 1, got {list(p_values)}")
    places = np.argsort(values, kind="stable")
    return values[places], places


def _in_place(adjusted: npt.NDArray[np.float64], places: npt.NDArray[np.intp]) -> list[float]:
    result = np.empty(len(places))
    result[places] = np.minimum(adjusted, 1.0)
    return [float(value) for value in result]
