"""Adjusted p-values: the recorded ones, and statsmodels'."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from statsmodels.stats.multitest import multipletests  # type: ignore[import-untyped]  # it has no types

from fieldwise.errors import InputError
from fieldwise.stats.multiple import benjamini_hochberg, holm

from .examples import VECTORS

Adjust = Callable[[Sequence[float]], list[float]]
each = pytest.mark.parametrize(("adjust", "name"), [(holm, "holm"), (benjamini_hochberg, "fdr_bh")])


@each
def test_recorded_values(adjust: Adjust, name: str) -> None:
    """Eight p-values have the recorded adjustments, in any order."""
    given_p, recorded = VECTORS["multiple"]["p"], VECTORS["multiple"][name]
    assert adjust(given_p) == pytest.approx(recorded, rel=1e-12)
    assert adjust(given_p[::-1]) == pytest.approx(recorded[::-1], rel=1e-12)


@each
@settings(deadline=None)
@given(p_values=st.lists(st.floats(0, 1), min_size=1, max_size=40))
def test_statsmodels_agrees(adjust: Adjust, name: str, p_values: list[float]) -> None:
    """On any p-values; adjusted ones are never smaller and keep their order."""
    found = adjust(p_values)
    assert found == pytest.approx(list(multipletests(p_values, method=name)[1]), rel=1e-9, abs=1e-300)
    assert all(p <= q * (1 + 1e-12) for p, q in zip(p_values, found, strict=True))
    assert [q for _, q in sorted(zip(p_values, found, strict=True))] == sorted(found)


@each
def test_none_and_one(adjust: Adjust, name: str) -> None:
    """No question has no answer, and a single one is left alone."""
    assert adjust([]) == []
    assert adjust([0.03]) == [0.03], name


@each
@pytest.mark.parametrize("p", [-0.1, 1.1, float("nan")])
def test_what_is_no_p_value_is_refused(adjust: Adjust, name: str, p: float) -> None:
    """p-values are from 0 to 1."""
    with pytest.raises(InputError, match="p-values from 0 to 1"):
        adjust([0.5, p])
