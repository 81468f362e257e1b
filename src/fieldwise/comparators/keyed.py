"""Comparators that ask only whether two values come down to the same thing.

Each names a key for a value; equal keys score 1, others 0.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Hashable, Sequence
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from fieldwise.comparators.base import BaseComparator, Grid
from fieldwise.comparators.work import QUICK_CELL
from fieldwise.values import Json

MOST_REPEATS = 4
"""How often a key may repeat on average for `positions` to be of use."""


class KeyedComparator(BaseComparator):
    """Scores 1 where the keys of both values are equal, else 0."""

    own_threshold: ClassVar[float] = 1.0
    binary: ClassVar[bool] = True
    is_quick: ClassVar[bool] = True

    @abstractmethod
    def key(self, value: Json) -> Hashable:
        """Return what stands for the value; equal keys mean alike."""

    def _compare(self, expected: Json, predicted: Json) -> float:
        return 1.0 if self.key(expected) == self.key(predicted) else 0.0

    def grid(self, expected: Sequence[Json], predicted: Sequence[Json]) -> Grid:
        """Score every pair; each value's key is made once."""
        return equal_keys([self.key(v) for v in expected], [self.key(v) for v in predicted])

    def cost(self, expected: Sequence[Json], predicted: Sequence[Json]) -> int:
        """Count keys that are compared as numbers."""
        return len(expected) * len(predicted) * QUICK_CELL

    def candidates(self, expected: Sequence[Json], predicted: Sequence[Json]) -> Sequence[Sequence[int]] | None:
        """Return the positions of equal keys."""
        return positions([self.key(v) for v in expected], [self.key(v) for v in predicted])


def positions(left: Sequence[Hashable], right: Sequence[Hashable]) -> Sequence[Sequence[int]] | None:
    """Return for each key on the left where it stands on the right; None where keys repeat too often to tell.

    >>> positions(["a", "b"], ["b", "c"])
    [(), [0]]
    """
    places: dict[Hashable, list[int]] = {}
    for at, key in enumerate(right):
        places.setdefault(key, []).append(at)
    if len(places) * MOST_REPEATS < len(right):
        return None
    return [places.get(key, ()) for key in left]


def equal_keys(left: Sequence[Hashable], right: Sequence[Hashable]) -> Grid:
    """Return 1.0 in each cell whose two keys are equal, else 0.0.

    >>> equal_keys(["a", "b"], ["b"])
    array([[0.],
           [1.]])
    """
    numbers: dict[Hashable, int] = {}
    rows = _numbered(left, numbers)
    return np.asarray(rows[:, None] == _numbered(right, numbers)[None, :], dtype=np.float64)


def _numbered(keys: Sequence[Hashable], numbers: dict[Hashable, int]) -> NDArray[np.int64]:
    return np.fromiter((numbers.setdefault(k, len(numbers)) for k in keys), dtype=np.int64, count=len(keys))
