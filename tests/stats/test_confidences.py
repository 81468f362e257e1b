"""Confidences kept as a histogram: sums that merge, and what is no confidence."""

from __future__ import annotations

import json
import math
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fieldwise.errors import InputError
from fieldwise.stats.calibration import (
    Placements,
    average_precision,
    calibration_error,
    equal_width_bins,
    log_loss,
    spiegelhalter_z,
)
from fieldwise.stats.confidences import ConfidenceHistogram, Confidences
from tests.strategies import examples

from .examples import Pair, confidence_histogram, some_pairs


def area(values: Confidences) -> float | None:
    placed = Placements.of(values)
    return None if placed is None else placed.auroc


@settings(max_examples=examples(50), deadline=None)
@given(some_pairs, st.integers(1, 4))
def test_histograms_merge(pairs: list[Pair], shards: int) -> None:
    """Sharded equals whole, through JSON; what is computed from it does not depend on the order of ties."""
    merged = ConfidenceHistogram()
    for k in range(shards):
        merged.merge(
            ConfidenceHistogram.from_state(json.loads(json.dumps(confidence_histogram(pairs[k::shards]).to_state())))
        )
    assert merged.to_state() == confidence_histogram(pairs).to_state()
    held, values = merged.values(), Confidences.from_pairs(pairs)
    assert (held.n, held.errors) == (values.n, values.errors)
    for compute in (area, spiegelhalter_z, log_loss, average_precision):
        assert_close(compute(held), compute(values))
    for closed in ("left", "right"):
        ours, theirs = equal_width_bins(held, closed=closed), equal_width_bins(values, closed=closed)
        assert_close(calibration_error(ours), calibration_error(theirs))


def assert_close(one: float | None, other: float | None) -> None:
    """Both are undefined, or the same number."""
    if one is None or other is None:
        assert one is other
    else:
        assert math.isclose(one, other, rel_tol=1e-9, abs_tol=1e-9)


@pytest.mark.parametrize(
    "state",
    [
        None,
        {},
        *({"steps": steps} for steps in (None, [[1]], [[10_001, [1, 0]]], [[1, [-1, 0]]], [[1, [1.0, 0]]], [1])),
    ],
)
def test_a_malformed_state_is_refused(state: Any) -> None:
    """A state has steps, each with two whole numbers."""
    with pytest.raises(InputError, match="of the state"):
        ConfidenceHistogram.from_state(state)


@pytest.mark.parametrize("confidence", [-0.1, 1.1, math.nan, math.inf])
def test_what_is_no_confidence_is_refused(confidence: float) -> None:
    """Confidences are from 0 to 1."""
    with pytest.raises(InputError, match="from 0 to 1"):
        ConfidenceHistogram().add(True, confidence)
    with pytest.raises(InputError, match="from 0 to 1"):
        Confidences.from_pairs([(True, confidence)])
