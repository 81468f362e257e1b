"""Pairing two lists by similarity, as ``stickler.algorithms`` offers it."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from fieldwise.bulk_aggregator import ratio
from fieldwise.comparators import BaseComparator, StructuredModelComparator
from fieldwise.comparators.base import FunctionComparator, Grid
from fieldwise.compare.matching import assign
from fieldwise.values import Json

HUNGARIAN_SIZE_WARNING_THRESHOLD = 10_000


class HungarianMatcher:
    """Pairs the items of two lists for the greatest total similarity, and counts the pairs from a threshold on."""

    def __init__(
        self,
        comparator: BaseComparator | Callable[[Json, Json], float] | None = None,
        size_threshold: int = HUNGARIAN_SIZE_WARNING_THRESHOLD,
        normalize_values: bool = True,
        match_threshold: float = 0.7,
    ) -> None:
        given = StructuredModelComparator() if comparator is None else comparator
        self.comparator = given if isinstance(given, BaseComparator) else FunctionComparator(given)
        self.size_threshold, self.normalize_values = size_threshold, normalize_values
        self.match_threshold = match_threshold

    def match(self, list1: Json, list2: Json) -> tuple[list[tuple[int, int]], Grid]:
        """Return the pairs of positions, and the similarities of all items."""
        rows, columns = self._items(list1), self._items(list2)
        if not rows or not columns:
            return [], np.zeros((len(rows), len(columns)))
        grid = np.array([[self.comparator.compare(row, column) for column in columns] for row in rows])
        return assign(grid, self.match_threshold), grid

    def calculate_metrics(self, list1: Json, list2: Json) -> dict[str, Json]:
        """Return the pairs with their similarities, the counts and the rates."""
        pairs, grid = self.match(list1, list2)
        rows, columns = grid.shape
        scored = [(i, j, float(grid[i, j])) for i, j in pairs]
        tp = sum(score >= self.match_threshold for *_, score in scored)
        fd, fa, fn = len(pairs) - tp, columns - len(pairs), rows - len(pairs)
        precision = ratio(tp, tp + fa + fd)
        recall = ratio(tp, rows) if rows else 1.0
        counts = {"tp": tp, "fa": fa, "fd": fd, "fp": fa + fd, "fn": fn}
        f1 = ratio(2 * precision * recall, precision + recall)
        return {"matched_pairs": scored, **counts, "precision": precision, "recall": recall, "f1": f1}

    def binary_compare(self, list1: Json, list2: Json) -> tuple[int, int]:
        """Return how many predicted items are right, and how many are not."""
        metrics = self.calculate_metrics(list1, list2)
        return metrics["tp"], metrics["fp"]

    def _items(self, given: Json) -> list[Json]:
        items = given if isinstance(given, (list, tuple)) else [given]
        return [item.strip().lower() if self.normalize_values and isinstance(item, str) else item for item in items]
