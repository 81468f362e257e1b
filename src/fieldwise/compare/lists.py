"""Comparing lists: absent items dropped, the rest paired once, every pair compared."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence

import numpy as np

from fieldwise.comparators.work import CELL, Work, WorkLimitError
from fieldwise.compare.certain import certain_pairs
from fieldwise.compare.contents import (
    Items,
    View,
    content_of,
    left_of,
    pair_equal,
    places_by_text,
    same_places,
)
from fieldwise.compare.large_lists import compared_cheaply, matched_in_blocks
from fieldwise.compare.list_grid import FLOOR, PAIRED, ListGrid, one_sided, worth
from fieldwise.compare.matching import Order as ContentOrder
from fieldwise.compare.matching import Pairing, assign, assign_in_sequence, assign_small
from fieldwise.compare.nodes import CellGrid, Cells, Floats, NodeGrid, PlanNode, best_alternative, lazy, mapping_of
from fieldwise.compare.objects import ObjectPlan, outcome_of_wrong_shape
from fieldwise.compare.quick import paired_objects
from fieldwise.compare.results import AnyOf, ListResult, Matched, Pair, Result
from fieldwise.spec.nodes import Order
from fieldwise.values import Json, canonical, is_absent, opened, plain, same

FEW_CELLS = 12
"""Up to this many cells pair by pair is quicker than a grid (benchmarks/crossover.py)."""


class ListPlan(PlanNode[ListResult]):
    """A list with every setting resolved.

    ``is_guarded``: it is in no other list, and is compared in a cheaper way where it is too much work; what is inside
    of a list only says that it is too much.
    """

    is_value = True
    holds_lists = True

    def __init__(
        self,
        *,
        path: str,
        item: PlanNode[Result],
        weight: float,
        order: Order,
        key: tuple[str, ...],
        max_cells: int,
        threshold: float,
        accept: float,
        sources: Mapping[str, str],
        work: Work,
        is_guarded: bool,
        by_position: bool,
        compile_alone: Callable[[], PlanNode[Result]],
    ) -> None:
        self.path, self.item, self.weight, self.order = path, item, weight, order
        self.threshold, self._accept = threshold, accept
        """What a list of objects inside a row needs to be called a match there; its items decide everything else."""
        self.key, self.max_cells, self.sources, self.work = key, max_cells, sources, work
        is_free = order == "any" and not key
        self._certain_item = item if isinstance(item, ObjectPlan) and item.selective and is_free else None
        self.by_content = order == "any" and not by_position
        self.total: Callable[[list[float]], float] = _added if by_position else math.fsum
        self._compile_alone = compile_alone
        if is_guarded:
            self.pair = self._guarded  # type: ignore[method-assign]  # chosen once, not for every list

    @lazy
    def alone(self) -> PlanNode[Result]:
        """The plan of an item that is compared with one other only."""
        return self._compile_alone()

    def pair(self, expected: Json, predicted: Json) -> ListResult:
        e, p = items_of(expected), items_of(predicted)
        if e is None or p is None:
            return self._pair_not_lists(expected, predicted)
        if self._certain_item is not None and e and p and self.item.cells(e, p) <= self.max_cells:
            certain = certain_pairs(self._certain_item, e, p)
            if certain is not None:
                return self._summed(expected, predicted, range(len(e)), range(len(p)), certain)
        if self._takes_grid(e, p):
            self.work.now.take(len(e) * len(p) * CELL)
            grid = self.item.grid(e, p)
            if grid.complete:
                order = self._content_order(lambda: (self.items(expected), self.items(predicted)))
                matched = self._paired(grid, order)
                return self._summed(expected, predicted, range(len(e)), range(len(p)), matched)
        left, right = self.items(expected), self.items(predicted)
        if not left.at or not right.at:
            return one_sided(self, expected, predicted, left.at, right.at)
        return self._summed(expected, predicted, left.at, right.at, *self._match(left, right))

    def _guarded(self, expected: Json, predicted: Json) -> ListResult:
        """Compare in a cheaper way where comparing every item with every other is more work than is left."""
        count = self.work.now
        before = count.spent
        try:
            if count.is_tight and self.cost([expected], [predicted]) > count.left:
                raise WorkLimitError
            return ListPlan.pair(self, expected, predicted)
        except WorkLimitError:
            count.spent, count.is_tight = before, True
            count.meet()
        if items_of(expected) is None or items_of(predicted) is None:
            return self._pair_not_lists(expected, predicted)
        left, right = self.items(expected), self.items(predicted)
        if not left.at or not right.at:
            return one_sided(self, expected, predicted, left.at, right.at)
        return self._summed(expected, predicted, left.at, right.at, *compared_cheaply(self, left, right))

    def items(self, value: Json, at: Sequence[int] | None = None) -> Items:
        """Return the items of a list that have a value, or those at some positions."""
        all_items = items_of(value) or ()
        if at is None:
            has_value = self.item.has_value
            at = [i for i, item in enumerate(all_items) if has_value(item)]
        return Items(self.item, value, at, [all_items[i] for i in at])

    def _takes_grid(self, e: Sequence[Json], p: Sequence[Json]) -> bool:
        """Return whether the lists are compared as one grid, provided that it finds no absent item."""
        if self.key or self.order == "position" or len(e) * len(p) <= FEW_CELLS:
            return False
        return self.item.cells(e, p) <= self.max_cells

    def _pair_not_lists(self, expected: Json, predicted: Json) -> ListResult:
        """Compare where a side is something else than a list."""
        if type(expected) is AnyOf:
            return best_alternative(self, expected, predicted)[1]
        e, p = items_of(expected), items_of(predicted)
        e_at = [i for i, value in enumerate(e or ()) if self.item.has_value(value)]
        p_at = [j for j, value in enumerate(p or ()) if self.item.has_value(value)]
        has_expected, has_predicted = e is None or bool(e_at), p is None or bool(p_at)
        equal = e is None and p is None and same(expected, predicted)
        value = float(equal)
        outcome = outcome_of_wrong_shape(has_expected, has_predicted, equal=equal)
        sides = (plain(expected), plain(predicted)) if equal else (expected, predicted)
        return ListResult(outcome, value, value, self, *sides, (), tuple(e_at), tuple(p_at), True, "type")

    def _summed(
        self,
        expected: Json,
        predicted: Json,
        e_at: Sequence[int],
        p_at: Sequence[int],
        matched: Sequence[tuple[int, int, Result]],
        note: str = "",
        by_key: Sequence[int] = (),
    ) -> ListResult:
        """Add up the pairs; those of the expected items ``by_key`` are accepted whatever their similarity."""
        item = self.item
        if type(item) is ObjectPlan:  # the most common list by far, written out
            pairs, scores = paired_objects(matched, e_at, p_at, item.match_threshold, FLOOR)
            raw_total = total = self.total(scores)
        else:
            pairs = [
                Pair(e_at[i], p_at[j], result.similarity, item.accepts(result), result) for i, j, result in matched
            ]
            values = [worth(result) for _, _, result in matched]
            raw_total, total = self.total([raw for raw, _ in values]), self.total([score for _, score in values])
        if by_key:
            rows = {e_at[i] for i in by_key}
            pairs = [pair._replace(accepted=True) if pair.expected_index in rows else pair for pair in pairs]
        longer = max(len(e_at), len(p_at))
        missed, spurious = _left_over(matched, e_at, p_at)
        means = raw_total / longer, total / longer
        return ListResult(None, *means, self, expected, predicted, tuple(pairs), missed, spurious, note=note)

    def _match(self, e: Items, p: Items) -> tuple[Matched, str, list[int]]:
        """Pair the items. Returned last are the expected ones that have a partner by their key."""
        if not self.key:
            return *self._match_rest(e, p), []
        matched: Matched = []
        notes = []
        for rows, columns in self.groups(e, p):
            found, note = self._match_rest(e.some(rows), p.some(columns))
            matched += [(rows[i], columns[j], result) for i, j, result in found]
            notes += [note] if note else []
        by_key = [i for i, _, _ in matched]
        e_left, p_left = left_of(len(e), by_key), left_of(len(p), [j for _, j, _ in matched])
        if e_left and p_left:
            rest, note = self._match_rest(e.some(e_left), p.some(p_left))
            matched += [(e_left[i], p_left[j], result) for i, j, result in rest]
            notes += [note] if note else []
        return sorted(matched, key=lambda m: m[0]), "; ".join(notes), by_key

    def groups(self, e: Items, p: Items) -> list[tuple[list[int], list[int]]]:
        """Return the places of the items that have the same key, each key once; in an ordered list each pair."""
        left, right = ([self._key_of(value) for value in side.values] for side in (e, p))
        if self.order != "any":
            return [([i], [j]) for i, j in pair_equal(left, right)]
        rows, columns = places_by_text(left), places_by_text(right)
        return [(rows[key], columns[key]) for key in sorted(rows.keys() & columns.keys())]

    def _key_of(self, value: Json) -> str | None:
        mapping = mapping_of(value)
        if mapping is None or any(is_absent(mapping.get(name)) for name in self.key):
            return None
        return canonical([mapping[name] for name in self.key])

    def _match_rest(self, e: Items, p: Items) -> tuple[Matched, str]:
        if len(e) == len(p) == 1 and (self.order == "any" or e.at[0] == p.at[0]):
            return [(0, 0, self.item.pair(e.values[0], p.values[0]))], ""
        if self.order == "position":
            return [(i, j, self.item.pair(e.values[i], p.values[j])) for i, j in same_places(e, p)], ""
        if self.item.cells(e.values, p.values) > self.max_cells:
            return matched_in_blocks(self, e, p)
        return self.match_grid(e, p), ""

    def match_grid(self, e: Items, p: Items) -> Matched:
        """Pair items by comparing every one with every other."""
        item, size = self.item, len(e) * len(p)
        if size <= FEW_CELLS and self.order == "any":
            cells = CellGrid(item, e.values, p.values)
            pairing = assign_small(cells.similarities(), item.accept, self._content_order(lambda: (e, p)))
            return [(i, j, cells.rows[i][j]) for i, j in pairing]
        self.work.now.take(size * CELL)
        return self._paired(item.grid(e.values, p.values), self._content_order(lambda: (e, p)))

    def match_alike(self, e: Items, p: Items) -> Matched:
        """Return the accepted pairs among the items, found by comparing every one with every other."""
        accept = self.item.accept
        self.work.now.take(len(e) * len(p) * CELL)
        grid = self.item.grid(e.values, p.values)
        similarity = np.where(grid.similarity >= accept, grid.similarity, 0.0)
        rows: list[int] = np.flatnonzero(similarity.any(axis=1)).tolist()
        columns: list[int] = np.flatnonzero(similarity.any(axis=0)).tolist()
        if not rows:
            return []
        order = self._content_order(lambda: (e.some(rows), p.some(columns)))
        found = [(rows[i], columns[j]) for i, j in self.pairing(similarity[np.ix_(rows, columns)], order)]
        results = grid.results(Cells(found, len(p)))
        accepts = self.item.accepts
        return [(i, j, result) for (i, j), result in zip(found, results, strict=True) if accepts(result)]

    def _paired(self, grid: NodeGrid[Result], order: ContentOrder | None) -> Matched:
        similarity = grid.similarity
        pairing = self.pairing(similarity, order)
        results = grid.results(Cells(pairing, similarity.shape[1]))
        return [(i, j, result) for (i, j), result in zip(pairing, results, strict=True)]

    def _content_order(self, sides: Callable[[], tuple[Items, Items]]) -> ContentOrder | None:
        """Return what puts both sides in order once it is needed; None where positions decide."""
        return (lambda: _in_order(*sides())) if self.by_content else None

    def pairing(self, similarity: Floats, order: ContentOrder | None) -> Pairing:
        """Pair rows with columns; ``order`` decides between equal totals where positions must not."""
        if self.order == "sequence":
            return assign_in_sequence(similarity, self.item.accept)
        return assign(similarity, self.item.accept, order)

    def grid(self, expected: Sequence[Json], predicted: Sequence[Json]) -> NodeGrid[ListResult]:
        e, p = [items_of(v) for v in expected], [items_of(v) for v in predicted]
        if self.key or self.order == "position" or None in e or None in p:
            return CellGrid(self, expected, predicted)
        return ListGrid(self, expected, predicted, e, p)  # type: ignore[arg-type]  # no None left

    def has_value(self, value: Json) -> bool:
        items = items_of(value)
        return True if items is None else any(map(self.item.has_value, items))

    @property
    def accept(self) -> float:
        return self._accept

    def cells(self, expected: Sequence[Json], predicted: Sequence[Json]) -> int:
        e, p = _all_items(expected), _all_items(predicted)
        return max(len(expected) * len(predicted), self.item.cells(e, p))

    def content(self, value: Json, view: View) -> str:
        items = items_of(value)
        if items is None or (view != "identical" and not items):
            return super().content(value, view)
        if self.order != "position":
            items = [item for item in items if view != "identical" or not is_absent(item)]
        texts = [content_of(self.item, item, view) for item in items]
        return f"[{','.join(sorted(texts) if self.order == 'any' else texts)}]"

    def cost(self, expected: Sequence[Json], predicted: Sequence[Json]) -> int:
        e, p = _all_items(expected), _all_items(predicted)
        return len(expected) * len(predicted) * PAIRED + len(e) * len(p) * CELL + self.item.cost(e, p)


def _in_order(e: Items, p: Items) -> tuple[list[int], list[int]]:
    return e.in_order(), p.in_order()


def _added(values: list[float]) -> float:
    total = 0.0
    for value in values:  # not sum(): newer Pythons round it otherwise than one by one
        total += value
    return total


def items_of(value: Json) -> Sequence[Json] | None:
    """Return the items of a list, none for an absent value; None for a value of another kind."""
    if type(value) is list:
        return value
    if value is None:
        return ()
    if type(value) is AnyOf:
        return None
    parts = opened(value)
    if type(parts) is list:
        return parts
    return () if is_absent(value) else None


def _all_items(values: Sequence[Json]) -> list[Json]:
    return [item for value in values for item in items_of(value) or ()]


def _left_over(
    matched: Sequence[tuple[int, int, Result]], e_at: Sequence[int], p_at: Sequence[int]
) -> tuple[tuple[int, ...], tuple[int, ...]]:
    if len(matched) == len(e_at) == len(p_at):
        return (), ()
    rows, columns = {m[0] for m in matched}, {m[1] for m in matched}
    missed = tuple([at for i, at in enumerate(e_at) if i not in rows])
    return missed, tuple([at for j, at in enumerate(p_at) if j not in columns])
