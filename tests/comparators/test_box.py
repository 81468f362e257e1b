"""Bounding boxes."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fieldwise.comparators import BBoxIoUComparator

small = st.lists(st.integers(0, 8), min_size=4, max_size=4)


def cells(box: list[int]) -> set[tuple[int, int]]:
    """Return the unit squares that a box covers."""
    x1, y1, x2, y2 = box
    return {(x, y) for x in range(min(x1, x2), max(x1, x2)) for y in range(min(y1, y2), max(y1, y2))}


@given(a=small, b=small)
def test_overlap_counts_squares(a: list[int], b: list[int]) -> None:
    """The score is the squares that both cover over those that either covers, 0 where there are none."""
    both, either = cells(a) & cells(b), cells(a) | cells(b)
    wanted = len(both) / len(either) if either else 0.0
    assert BBoxIoUComparator().compare(a, b) == wanted
    assert BBoxIoUComparator().compare(a, [b[:2], b[2:]]) == wanted


@given(st.lists(st.floats(allow_nan=False, allow_infinity=False), min_size=4, max_size=4))
def test_a_box_is_like_itself(box: list[float]) -> None:
    """A box that has an area is like itself, however small or large."""
    has_area = box[0] != box[2] and box[1] != box[3]
    assert BBoxIoUComparator().compare(box, box) == float(has_area)


@pytest.mark.parametrize(
    ("a", "b", "score"),
    [
        ((0, 0, 10, 10), [[0, 0], [10, 10]], 1.0),
        ([10, 10, 0, 0], [0, 0, 10, 10], 1.0),
        ([0, 0, 5, 10], [5, 0, 10, 10], 0.0),
        ([0, 0, 1e308, 1e308], [0, 0, 1e308, 1e308], 1.0),
        ([0, 0, 10**400, 1], [0, 0, 10**400, 2.0], 0.5),
        ([0, 0, Decimal("0.5"), 1], [0, 0, 0.5, 1], 1.0),
        ([0, 0, 1e-200, 1e-200], [0, 0, 1e-200, 2e-200], 0.5),
    ],
)
def test_forms(a: Any, b: Any, score: float) -> None:
    """A box has four numbers or two corners, in any order and of any size."""
    assert BBoxIoUComparator().compare(a, b) == score


@pytest.mark.parametrize(
    "value",
    [
        "0,0,1,1",
        {"x": 1},
        [0, 0, 1],
        [0, 0, "1", 1],
        [0, 0, float("inf"), 1],
        [0, 0, float("nan"), 1],
        [[0, 0], [1, 1], [2, 2]],
        [[0, 0], [1]],
        [0, 0, Decimal("1E+999999"), 1],
        5,
        [],
    ],
)
def test_what_is_no_box_scores_0(value: Any) -> None:
    """Anything malformed is unlike every box, and itself."""
    assert BBoxIoUComparator().compare(value, [0, 0, 1, 1]) == 0.0
    assert BBoxIoUComparator().compare(value, value) == 0.0


def test_own_threshold() -> None:
    """Half an overlap is enough for a verdict of its own."""
    assert BBoxIoUComparator().binary_compare([0, 0, 2, 1], [0, 0, 1, 1]) == (1, 0)
    assert BBoxIoUComparator(threshold=0.6).binary_compare([0, 0, 2, 1], [0, 0, 1, 1]) == (0, 1)
