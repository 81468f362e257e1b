"""Intervals of shares agree with statsmodels."""

from __future__ import annotations

import re
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from statsmodels.stats.proportion import proportion_confint  # type: ignore[import-untyped]  # it has no types

from fieldwise.stats.intervals import clopper_pearson, percentile_interval, wilson
from tests.recorded import recorded

METHODS = {"wilson": wilson, "beta": clopper_pearson}
COUNTS = st.integers(1, 500).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n)))


@given(COUNTS, st.sampled_from([0.8, 0.95, 0.99]), st.sampled_from(sorted(METHODS)))
def test_statsmodels_agrees(counts: tuple[int, int], confidence: float, method: str) -> None:
    """For any share and confidence."""
    theirs = proportion_confint(*counts, alpha=1 - confidence, method=method)
    assert METHODS[method](*counts, confidence) == pytest.approx([float(x) for x in theirs], abs=1e-9)


def test_the_recorded_intervals() -> None:
    """Both methods, at the edges too."""
    binomial: dict[str, Any] = recorded("statistics")["binomial"]
    shares = {share: expected for share, expected in binomial.items() if re.fullmatch(r"\d+/\d+", share)}
    assert len(shares) > 2
    for share, expected in shares.items():
        successes, trials = map(int, share.split("/"))
        for method, interval in METHODS.items():
            assert interval(successes, trials) == pytest.approx(expected[method], abs=1e-9)


def test_without_trials_there_is_no_interval() -> None:
    """Nothing is known, which is not 0 to 1 of something."""
    assert wilson(0, 0) is None
    assert clopper_pearson(0, 0) is None
    assert percentile_interval([]) is None


@pytest.mark.parametrize(("successes", "trials", "confidence"), [(2, 1, 0.95), (-1, 1, 0.95), (1, 1, 1.0)])
def test_impossible_counts_are_refused(successes: int, trials: int, confidence: float) -> None:
    """As are confidences of 0 and 1."""
    for interval in METHODS.values():
        with pytest.raises(ValueError, match="Expected"):
            interval(successes, trials, confidence)
