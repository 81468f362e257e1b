"""Moments: exact sums over documents, in any number of parts."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fieldwise.errors import InputError
from fieldwise.results.rates import DENOMINATORS, NUMERATORS, RATIOS
from fieldwise.stats.moments import Moments

from .examples import Document, anything, moments_of

runs = st.lists(anything(3) | anything(10**6), max_size=30)


def state_by_numpy(counts: list[Document]) -> list[int]:
    table = np.array(counts, dtype=object).reshape(-1, 4)
    products = table.T @ table if counts else np.zeros((4, 4), dtype=object)
    present = [sum(1 for row in table if np.dot(row, DENOMINATORS[ratio])) for ratio in RATIOS]
    upper = [int(products[i, j]) for i in range(4) for j in range(i, 4)]
    return [len(table), *(int(value) for value in table.sum(axis=0)), *upper, *present]


@given(runs)
def test_sums_are_those_of_numpy(counts: list[Document]) -> None:
    """Documents, sums, ten products and documents per ratio are what a matrix product gives."""
    assert moments_of(counts).to_state() == state_by_numpy(counts)


@given(runs, st.integers(1, 5))
def test_sharded_equals_whole(counts: list[Document], shards: int) -> None:
    """Parts that are merged in any order have the sums of the whole."""
    parts = [moments_of(counts[k::shards]) for k in range(shards)]
    merged = Moments()
    for part in reversed(parts):
        merged.merge(part)
    assert merged == moments_of(counts)


@given(runs)
def test_state_survives_json(counts: list[Document]) -> None:
    """A state is a list of whole numbers, and moments made from it go on as before."""
    moments = moments_of(counts)
    again = Moments.from_state(json.loads(json.dumps(moments.to_state())))
    again.add(1, 0, 0, 0)
    moments.add(1, 0, 0, 0)
    assert again == moments


@given(runs)
def test_totals_and_products_follow_the_weights(counts: list[Document]) -> None:
    """Numerators and denominators are weighted sums of counts."""
    moments = moments_of(counts)
    for ratio in RATIOS:
        top = [sum(c * w for c, w in zip(d, NUMERATORS[ratio], strict=True)) for d in counts]
        bottom = [sum(c * w for c, w in zip(d, DENOMINATORS[ratio], strict=True)) for d in counts]
        assert moments.total(DENOMINATORS[ratio]) == sum(bottom)
        assert moments.product(NUMERATORS[ratio], DENOMINATORS[ratio]) == sum(
            n * d for n, d in zip(top, bottom, strict=True)
        )
        assert moments.n(ratio) == sum(1 for d in bottom if d)


def test_zero_changes_nothing() -> None:
    """Merging moments of no documents changes nothing."""
    moments = moments_of([(3, 1, 0, 2)])
    before = moments.to_state()
    moments.merge(Moments())
    assert moments.to_state() == before
    assert Moments().is_zero()
    assert not moments.is_zero()


def test_a_document_without_counts_is_a_document() -> None:
    """It has no denominator, so it is in no ratio's n."""
    moments = moments_of([(0, 0, 0, 0)])
    assert not moments.is_zero()
    assert [moments.documents, *(moments.n(ratio) for ratio in RATIOS)] == [1, 0, 0, 0, 0, 0]


@pytest.mark.parametrize(
    "state", [None, {}, [], [0] * 19, [0] * 21, [0.0] * 20, [True] * 20, [-1] + [0] * 19, ["1"] * 20]
)
def test_a_malformed_state_is_refused(state: Any) -> None:
    """A state has 20 whole numbers from 0."""
    with pytest.raises(InputError, match="of the state"):
        Moments.from_state(state)


def test_moments_are_shown_and_not_hashed() -> None:
    """They change, so they are no key."""
    moments = moments_of([(3, 1, 0, 2)])
    assert repr(moments) == "Moments(documents=1, tp=3, fd=1, fa=0, fn=2)"
    assert moments != "else"
    with pytest.raises(TypeError):
        hash(moments)
