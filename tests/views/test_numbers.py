"""Numbers read alike everywhere, and never better than they are."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fieldwise.views import numbers
from fieldwise.views.words import DASH


@given(st.floats(0, 1))
def test_only_a_perfect_rate_reads_as_one_and_only_zero_as_zero(value: float) -> None:
    """Rounding never turns an error into none, nor a match into none."""
    assert (numbers.rate(value) == "1.000") == (value == 1)
    assert (numbers.rate(value) == "0.000") == (value == 0)
    assert (numbers.percent(value) == "100%") == (value == 1)
    assert (numbers.percent(value) == "0%") == (value == 0)
    assert abs(float(numbers.rate(value)) - value) <= 0.001


@pytest.mark.parametrize("value", [None, math.nan, math.inf])
def test_what_is_undefined_is_a_dash(value: float | None) -> None:
    """An undefined rate or share is a dash, never a zero."""
    assert numbers.rate(value) == numbers.percent(value) == DASH
    assert numbers.grade(value) == "undefined"
