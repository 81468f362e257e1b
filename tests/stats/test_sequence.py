"""The confidence sequence: recorded half-widths, and that looking often does no harm."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fieldwise.errors import InputError, SettingError
from fieldwise.stats.sequence import confidence_sequence, mixture_rho, sequence_radius

from .examples import VECTORS

RECORDED = VECTORS["confidence_sequence_halfwidth_vs_fixed_hoeffding"]


@pytest.mark.parametrize("t", [20, 50, 100, 200, 500, 1000])
def test_recorded_half_widths(t: int) -> None:
    """The half-width is the recorded one, and wider than Hoeffding's, which may be looked at once."""
    sequence, once = RECORDED[str(t)]
    assert sequence_radius(t) == pytest.approx(sequence, rel=1e-9)
    assert math.sqrt(math.log(2 / 0.05) / (2 * t)) == pytest.approx(once)
    assert sequence > once


def test_rho() -> None:
    """ρ is 6.300 for 200 documents and 95 %."""
    assert mixture_rho() == pytest.approx(6.300, abs=5e-4)


def test_looking_after_every_document_does_no_harm() -> None:
    """The truth leaves the sequence, at any time in 500 documents, in at most 5 % of 1,000 runs."""
    scores = np.random.default_rng(0).random((1000, 500)) < 0.5
    times = np.arange(1, 501)
    means = scores.cumsum(axis=1) / times
    radii = np.array([sequence_radius(int(t)) for t in times])
    assert (np.abs(means - 0.5) > radii).any(axis=1).mean() <= 0.05


@given(st.integers(1, 10**6), st.floats(0, 1))
def test_intervals_lie_in_0_to_1_and_hold_the_mean(documents: int, mean: float) -> None:
    """0 ≤ low ≤ mean ≤ high ≤ 1, and ten times the documents narrow it."""
    interval = confidence_sequence(mean * documents, documents)
    assert interval is not None
    assert 0 <= interval[0] <= mean + 1e-12
    assert mean - 1e-12 <= interval[1] <= 1
    assert sequence_radius(documents * 10) < sequence_radius(documents)


def test_before_the_first_document() -> None:
    """There is no interval."""
    assert confidence_sequence(0.0, 0) is None


def test_what_is_no_score_is_refused() -> None:
    """Scores are from 0 to 1, documents at least one, settings sensible."""
    with pytest.raises(InputError, match="sum of 2 scores"):
        confidence_sequence(3.0, 2)
    with pytest.raises(InputError, match="1 document or more"):
        sequence_radius(0)
    with pytest.raises(SettingError, match="tune at 1 document"):
        sequence_radius(5, tuned_at=0)
    with pytest.raises(SettingError, match="confidence between 0 and 1"):
        sequence_radius(5, 1.0)
