"""Columns of lists against columns of lists, inside the rows of another list."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from fieldwise.compare.contents import Items
from fieldwise.compare.matching import Pairing, clear_best
from fieldwise.compare.nodes import CellGrid, Cells, Floats, NodeGrid
from fieldwise.compare.objects import ObjectGrid
from fieldwise.compare.results import ABSENT, MISSED, SPURIOUS, ListResult, ObjectResult, Result
from fieldwise.values import Json

if TYPE_CHECKING:
    from fieldwise.compare.lists import ListPlan

FLOOR = 0.01
PAIRED = 100
"""The cells that pairing the items of two short lists counts."""


def worth(result: Result) -> tuple[float, float]:
    """Return what a pair adds to the raw score and the score of its list; next to nothing counts as nothing."""
    if type(result) is ObjectResult:
        value = result.mean_score if result.mean_score >= FLOOR else 0.0
        return value, value
    return result.raw_score, result.score


def one_sided(plan: ListPlan, expected: Json, predicted: Json, e_at: Sequence[int], p_at: Sequence[int]) -> ListResult:
    """Return the result of two lists of which at least one has no items."""
    if e_at:
        return ListResult(MISSED, 0.0, 0.0, plan, expected, predicted, (), tuple(e_at))
    if p_at:
        return ListResult(SPURIOUS, 0.0, 0.0, plan, expected, predicted, (), (), tuple(p_at))
    return ListResult(ABSENT, 1.0, 1.0, plan, expected, predicted)


class ListGrid(NodeGrid[ListResult]):
    """Every list of a column against every other: one grid of all their items, each block of it paired once."""

    def __init__(
        self,
        plan: ListPlan,
        expected: Sequence[Json],
        predicted: Sequence[Json],
        e: Sequence[Sequence[Json]],
        p: Sequence[Sequence[Json]],
    ) -> None:
        self.plan, self.expected, self.predicted = plan, expected, predicted
        has_value = plan.item.has_value
        self.e_at = [[i for i, value in enumerate(items) if has_value(value)] for items in e]
        self.p_at = [[j for j, value in enumerate(items) if has_value(value)] for items in p]
        self.set_presence([bool(at) for at in self.e_at], [bool(at) for at in self.p_at])
        self.e_edges, self.p_edges = _edges(self.e_at), _edges(self.p_at)
        self.pairings: dict[tuple[int, int], Pairing] = {}
        self._orders: dict[tuple[int, int], list[int]] = {}
        self.raw_score = np.zeros((len(expected), len(predicted)))
        self._score = np.zeros_like(self.raw_score)
        if self.e_edges[-1] and self.p_edges[-1]:
            self.items = plan.item.grid(
                [items[i] for items, at in zip(e, self.e_at, strict=True) for i in at],
                [items[j] for items, at in zip(p, self.p_at, strict=True) for j in at],
            )
            self._pair_blocks()

    def _pair_blocks(self) -> None:
        similarity = self.items.similarity
        raw_scores, scores = self._values()
        for i, e_present in enumerate(self.has_expected):
            for j, p_present in enumerate(self.has_predicted):
                if e_present and p_present:
                    top, left = self.e_edges[i], self.p_edges[j]
                    bottom, right = self.e_edges[i + 1], self.p_edges[j + 1]
                    pairing = self._pairing(i, j, similarity[top:bottom, left:right])
                    self.pairings[i, j] = pairing
                    longer = max(bottom - top, right - left)
                    self.raw_score[i, j] = self.plan.total([raw_scores[top + a][left + b] for a, b in pairing]) / longer
                    self._score[i, j] = self.plan.total([scores[top + a][left + b] for a, b in pairing]) / longer

    def _pairing(self, i: int, j: int, similarity: Floats) -> Pairing:
        """Pair the items of two lists, first those that are the same, unless each is clearly most alike one other."""
        if not self.plan.by_content:
            return self.plan.pairing(similarity, None)
        clear = clear_best(similarity)
        if clear is not None:
            return clear
        if (similarity == 1.0).any():
            e, p = self._items_of(0, i), self._items_of(1, j)
            return sorted([(a, b) for a, b, _ in self.plan.match_same_first(e, p)[0]])
        return self.plan.pairing(similarity, partial(self._order, i, j))

    def _order(self, i: int, j: int) -> tuple[list[int], list[int]]:
        """Return the order by content of the items of two lists; that of each list is found once."""
        return self._order_of(0, i), self._order_of(1, j)

    def _order_of(self, side: int, place: int) -> list[int]:
        found = self._orders.get((side, place))
        if found is None:
            found = self._orders[side, place] = self._items_of(side, place).in_order()
        return found

    def _items_of(self, side: int, place: int) -> Items:
        whole, at = (self.predicted, self.p_at) if side else (self.expected, self.e_at)
        return self.plan.items(whole[place], at[place])

    def _values(self) -> tuple[list[list[float]], list[list[float]]]:
        items = self.items
        if isinstance(items, ObjectGrid):
            floored = np.where(items.mean_score >= FLOOR, items.mean_score, 0.0).tolist()
            return floored, floored
        if isinstance(items, CellGrid):
            cells = [[worth(cell) for cell in row] for row in items.rows]
            return [[c[0] for c in row] for row in cells], [[c[1] for c in row] for row in cells]
        return items.raw_score.tolist(), items.score.tolist()

    @property
    def score(self) -> Floats:
        both = self.both_absent()
        return self._score if both is None else np.where(both, 1.0, self._score)

    @property
    def similarity(self) -> Floats:
        return self.score

    def results(self, cells: Cells) -> list[ListResult]:
        return [self._result(i, j) for i, j in cells.pairs]

    def _result(self, i: int, j: int) -> ListResult:
        pairing = self.pairings.get((i, j))
        if pairing is None:
            return one_sided(self.plan, self.expected[i], self.predicted[j], self.e_at[i], self.p_at[j])
        top, left = self.e_edges[i], self.p_edges[j]
        results = self.items.results(Cells([(top + a, left + b) for a, b in pairing], self.p_edges[-1]))
        matched = [(a, b, result) for (a, b), result in zip(pairing, results, strict=True)]
        return self.plan._summed(self.expected[i], self.predicted[j], self.e_at[i], self.p_at[j], matched)


def _edges(at: Sequence[Sequence[int]]) -> list[int]:
    edges = [0]
    for positions in at:
        edges.append(edges[-1] + len(positions))
    return edges
