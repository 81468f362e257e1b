"""Laws that hold for every comparator and every value."""

from __future__ import annotations

import json
import math
import pickle
from typing import Any

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from fieldwise.comparators import BaseComparator, LLMComparator
from fieldwise.values import is_absent
from tests.strategies import examples

from .samples import BOXES, EVERY, HOSTILE, LOPSIDED, SYMMETRIC, json_values, label, values

every = pytest.mark.parametrize("comparator", EVERY, ids=label)
symmetric = pytest.mark.parametrize("comparator", SYMMETRIC + BOXES, ids=label)
no_box = pytest.mark.parametrize("comparator", SYMMETRIC, ids=label)


@every
@given(a=values, b=values)
@settings(max_examples=examples(60), deadline=None)
def test_range(comparator: BaseComparator, a: Any, b: Any) -> None:
    """A score is a float from 0 to 1, whatever the values; nothing raises."""
    score = comparator.compare(a, b)
    assert type(score) is float
    assert 0.0 <= score <= 1.0


@symmetric
@given(a=values, b=values)
@settings(max_examples=examples(60), deadline=None)
def test_symmetry(comparator: BaseComparator, a: Any, b: Any) -> None:
    """Exchanging the sides changes nothing, to the last bit."""
    assert comparator.compare(a, b) == comparator.compare(b, a)


@no_box
@given(a=values)
@settings(max_examples=examples(60), deadline=None)
def test_itself(comparator: BaseComparator, a: Any) -> None:
    """A present value is like itself."""
    assert is_absent(a) or comparator.compare(a, a) == 1.0


@every
@example(left=[[]], right=[math.inf])
@given(left=st.lists(json_values, max_size=5), right=st.lists(values, max_size=5))
@settings(max_examples=examples(40), deadline=None)
def test_grid_equals_pairs(comparator: BaseComparator, left: list[Any], right: list[Any]) -> None:
    """Each cell of a grid equals the score of its pair, to the last bit."""
    grid = comparator.grid(left, right)
    assert grid.shape == (len(left), len(right))
    assert grid.dtype == np.float64
    assert grid.tolist() == [[comparator._compare(a, b) for b in right] for a in left]


@every
def test_hostile_values(comparator: BaseComparator) -> None:
    """Strange values in grids equal their pairs, score 0..1 (0 or 1 where binary), and prefer no side."""
    grid = comparator.grid(HOSTILE, HOSTILE)
    for i, a in enumerate(HOSTILE):
        for j, b in enumerate(HOSTILE):
            assert grid[i, j] == comparator._compare(a, b), (a, b)
    assert ((grid >= 0.0) & (grid <= 1.0)).all()
    assert not comparator.binary or set(grid.flatten().tolist()) <= {0.0, 1.0}
    assert comparator in LOPSIDED or (grid == grid.T).all()


@every
def test_one_kind_grids(comparator: BaseComparator) -> None:
    """Columns of one kind, which have fast paths, equal their pairs too."""
    columns: list[list[Any]] = [
        ["new york", "New  York", "york", "", " "],
        [1, 2.5, 1.01, 1.0, -3, 1e300],
        [10**20, 1, 1.0],
        ["2024-01-15", "2024-01-16", "2024-02-15"],
        ["$1.00", "1.01", "1,00", "x"],
        [True, False],
        [[0, 0, 10, 10], [5, 5, 15, 15]],
        [{"a": "x", "b": 1}, {"a": "y"}],
    ]
    for column in columns:
        grid = comparator.grid(column, column[::-1])
        assert grid.tolist() == [[comparator._compare(a, b) for b in column[::-1]] for a in column]


@every
def test_empty_grids(comparator: BaseComparator) -> None:
    """A grid may have no rows or no columns."""
    assert comparator.grid([], ["a"]).shape == (0, 1)
    assert comparator.grid(["a"], []).shape == (1, 0)
    assert comparator.grid([], []).shape == (0, 0)


@every
def test_none(comparator: BaseComparator) -> None:
    """Two Nones are alike, one is unlike everything."""
    assert comparator.compare(None, None) == 1.0
    assert comparator.compare(None, "") == 0.0
    assert comparator.compare(0, None) == 0.0


@every
def test_config_round_trips(comparator: BaseComparator) -> None:
    """A comparator rebuilt from its configuration, which is JSON, is equal to it."""
    config = json.loads(json.dumps(comparator.config))
    own = vars(comparator)
    needed: dict[str, Any] = {name: own[name] for name in ("function", "embedding_function") if name in own}
    if isinstance(comparator, LLMComparator):
        needed["model"] = comparator.model
    rebuilt = type(comparator)(**config, **needed)
    assert rebuilt == comparator
    assert hash(rebuilt) == hash(comparator)
    assert rebuilt.describe() == comparator.describe()


@every
def test_pickles(comparator: BaseComparator) -> None:
    """Comparators travel to other processes."""
    assert pickle.loads(pickle.dumps(comparator)) == comparator


def test_all_differ() -> None:
    """Comparators with different settings are different."""
    assert len(set(EVERY)) == len(EVERY)
    assert len({c.describe() for c in LOPSIDED}) == len(LOPSIDED)
