"""Comparing lists: absent items dropped, the rest paired once, every pair compared."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any

import numpy as np

from fieldwise.compare.certain import certain_pairs
from fieldwise.compare.matching import Pairing, assign, assign_in_sequence, assign_small
from fieldwise.compare.nodes import CellGrid, Cells, Floats, NodeGrid, PlanNode, best_alternative, mapping_of
from fieldwise.compare.objects import ObjectGrid, ObjectPlan, stray_outcome
from fieldwise.compare.results import ABSENT, MISSED, SPURIOUS, AnyOf, ListResult, ObjectResult, Pair, Result
from fieldwise.spec.nodes import Order
from fieldwise.values import Json, canonical, is_absent, opened, plain, same

FEW_CELLS = 12
"""Up to this many cells pair by pair is quicker than a grid (benchmarks/crossover.py)."""

_new: Any = tuple.__new__
_FLOOR = 0.01
_Matched = list[tuple[int, int, Result]]


class ListPlan(PlanNode[ListResult]):
    """A list with every setting resolved."""

    is_value = True
    holds_lists = True

    def __init__(
        self,
        *,
        path: str,
        item: PlanNode[Any],
        weight: float,
        order: Order,
        key: tuple[str, ...],
        max_cells: int,
        threshold: float,
        accept: float,
        sources: Mapping[str, str],
    ) -> None:
        self.path, self.item, self.weight, self.order = path, item, weight, order
        self.threshold, self._accept = threshold, accept
        """What a list of objects inside a row needs to be called a match there; its items decide everything else."""
        self.key, self.max_cells, self.sources = key, max_cells, sources
        self.finds_certain = type(item) is ObjectPlan and bool(item.selective) and order == "any" and not key

    def pair(self, expected: Json, predicted: Json) -> ListResult:
        e, p = items_of(expected), items_of(predicted)
        if e is None or p is None:
            return self._odd_pair(expected, predicted)
        if self.finds_certain and e and p and self.item.cells(e, p) <= self.max_cells:
            certain: Any = certain_pairs(self.item, e, p)  # type: ignore[arg-type]  # an object, if it finds any
            if certain is not None:
                return self._summed(expected, predicted, range(len(e)), range(len(p)), certain, "")
        if self._takes_grid(e, p):
            grid = self.item.grid(e, p)
            if grid.complete:
                return self._summed(expected, predicted, range(len(e)), range(len(p)), self._paired(grid), "")
        has_value = self.item.has_value
        e_at = [i for i, value in enumerate(e) if has_value(value)]
        p_at = [j for j, value in enumerate(p) if has_value(value)]
        if not e_at or not p_at:
            return _one_sided(expected, predicted, e_at, p_at)
        matched, note, by_key = self._match([e[i] for i in e_at], [p[j] for j in p_at], e_at, p_at)
        found = self._summed(expected, predicted, e_at, p_at, matched, note)
        return _accepting(found, {e_at[i] for i in by_key}) if by_key else found

    def _takes_grid(self, e: Sequence[Json], p: Sequence[Json]) -> bool:
        """Tell whether the lists are compared as one grid, provided that no item is absent, which the grid tells."""
        if self.key or self.order == "position" or len(e) * len(p) <= FEW_CELLS:
            return False
        return self.item.cells(e, p) <= self.max_cells

    def _odd_pair(self, expected: Json, predicted: Json) -> ListResult:
        """Compare where a side is something else than a list."""
        if type(expected) is AnyOf:
            return best_alternative(self, expected, predicted)[1]
        e, p = items_of(expected), items_of(predicted)
        e_at = [i for i, value in enumerate(e or ()) if self.item.has_value(value)]
        p_at = [j for j, value in enumerate(p or ()) if self.item.has_value(value)]
        here, there = e is None or bool(e_at), p is None or bool(p_at)
        equal = e is None and p is None and same(expected, predicted)
        value = float(equal)
        outcome = stray_outcome(here, there, equal=equal)
        sides = (plain(expected), plain(predicted)) if equal else (expected, predicted)
        return ListResult(outcome, value, value, *sides, (), tuple(e_at), tuple(p_at), True, "type")

    def _summed(
        self,
        expected: Json,
        predicted: Json,
        e_at: Sequence[int],
        p_at: Sequence[int],
        matched: _Matched,
        note: str,
    ) -> ListResult:
        item = self.item
        share = kept = 0.0
        pairs = []
        if type(item) is ObjectPlan:  # the most common list by far, written out
            accept = item.match_threshold
            raw: Any
            score: Any
            for i, j, result in matched:
                raw, score = result[3], result[4]
                pairs.append(_new(Pair, (e_at[i], p_at[j], raw, raw >= accept, result)))
                share += score if score >= _FLOOR else 0.0
            kept = share
        else:
            for i, j, result in matched:
                pairs.append(_new(Pair, (e_at[i], p_at[j], item.similarity(result), item.accepts(result), result)))
                worth = _worth(result)
                share += worth[0]
                kept += worth[1]
        longer = max(len(e_at), len(p_at))
        missed, spurious = _left_over(matched, e_at, p_at)
        return ListResult(
            None,
            share / longer,
            kept / longer,
            expected,
            predicted,
            tuple(pairs),
            missed,
            spurious,
            False,
            note,
        )

    def _match(
        self, e: Sequence[Json], p: Sequence[Json], e_at: Sequence[int], p_at: Sequence[int]
    ) -> tuple[_Matched, str, set[int]]:
        """Pair the items; ``e_at`` and ``p_at`` are their places in the lists as they came.

        Returned last are the expected items that have a partner by their key.
        """
        if not self.key:
            return *self._match_rest(e, p, e_at, p_at), set()
        found = pair_equal([self._key_of(v) for v in e], [self._key_of(v) for v in p])
        matched: _Matched = [(i, j, self.item.pair(e[i], p[j])) for i, j in found]
        by_key = {i for i, _ in found}
        e_left = sorted(set(range(len(e))) - by_key)
        p_left = sorted(set(range(len(p))) - {j for _, j in found})
        if not e_left or not p_left:
            return matched, "", by_key
        rest, note = self._match_rest(
            [e[i] for i in e_left], [p[j] for j in p_left], [e_at[i] for i in e_left], [p_at[j] for j in p_left]
        )
        matched += [(e_left[i], p_left[j], result) for i, j, result in rest]
        return sorted(matched, key=lambda m: m[0]), note, by_key

    def _key_of(self, value: Json) -> str | None:
        mapping = mapping_of(value)
        if mapping is None or any(is_absent(mapping.get(name)) for name in self.key):
            return None
        return canonical([mapping[name] for name in self.key])

    def _match_rest(
        self, e: Sequence[Json], p: Sequence[Json], e_at: Sequence[int], p_at: Sequence[int]
    ) -> tuple[_Matched, str]:
        if self.order == "position":
            places = {at: j for j, at in enumerate(p_at)}
            same_place = [(i, places[at]) for i, at in enumerate(e_at) if at in places]
            return [(i, j, self.item.pair(e[i], p[j])) for i, j in same_place], ""
        if self.item.cells(e, p) > self.max_cells:
            return self._match_in_blocks(e, p)
        return self._match_grid(e, p), ""

    def _match_grid(self, e: Sequence[Json], p: Sequence[Json]) -> _Matched:
        item = self.item
        if len(e) * len(p) <= FEW_CELLS and self.order == "any":
            cells = CellGrid(item, e, p)
            pairing = assign_small(cells.similarities(), item.accept)
            return [(i, j, cells.rows[i][j]) for i, j in pairing]
        return self._paired(item.grid(e, p))

    def _paired(self, grid: NodeGrid[Any]) -> _Matched:
        similarity = grid.similarity
        pairing = self.pairing(similarity)
        results = grid.results(Cells(pairing, similarity.shape[1]))
        return [(i, j, result) for (i, j), result in zip(pairing, results, strict=True)]

    def pairing(self, similarity: Floats) -> Pairing:
        if self.order == "sequence":
            return assign_in_sequence(similarity, self.item.accept)
        return assign(similarity, self.item.accept)

    def _match_in_blocks(self, e: Sequence[Json], p: Sequence[Json]) -> tuple[_Matched, str]:
        """Pair identical items first, then the rest in blocks of neighbours that keep the grid within bounds."""
        crossing = self.order != "sequence"
        found = pair_equal([canonical(v) for v in e], [canonical(v) for v in p]) if crossing else []
        matched: _Matched = [(i, j, self.item.pair(e[i], p[j])) for i, j in found]
        e_left = sorted(set(range(len(e))) - {i for i, _ in found})
        p_left = sorted(set(range(len(p))) - {j for _, j in found})
        cells = self.item.cells([e[i] for i in e_left], [p[j] for j in p_left])
        blocks = max(1, min(math.ceil(cells / self.max_cells), len(e_left), len(p_left)))
        for rows, columns in zip(_split(e_left, blocks), _split(p_left, blocks), strict=True):
            if rows and columns:
                part = self._match_grid([e[i] for i in rows], [p[j] for j in columns])
                matched += [(rows[i], columns[j], result) for i, j, result in part]
        first = "identical ones paired first, the rest" if crossing else "paired"
        note = f"{len(e):,} × {len(p):,} items: {first} in blocks ({blocks} of them)"
        return sorted(matched, key=lambda m: m[0]), note

    def grid(self, expected: Sequence[Json], predicted: Sequence[Json]) -> NodeGrid[ListResult]:
        e, p = [items_of(v) for v in expected], [items_of(v) for v in predicted]
        if self.key or self.order == "position" or None in e or None in p:
            return CellGrid(self, expected, predicted)
        return ListGrid(self, expected, predicted, e, p)  # type: ignore[arg-type]  # no None left

    def has_value(self, value: Json) -> bool:
        items = items_of(value)
        return True if items is None else any(map(self.item.has_value, items))

    def similarity(self, result: ListResult) -> float:
        return result.kept

    @property
    def accept(self) -> float:
        return self._accept

    def cells(self, expected: Sequence[Json], predicted: Sequence[Json]) -> int:
        e = [item for value in expected for item in items_of(value) or ()]
        p = [item for value in predicted for item in items_of(value) or ()]
        return max(len(expected) * len(predicted), self.item.cells(e, p))


def _accepting(result: ListResult, rows: set[int]) -> ListResult:
    """Accept the pairs of some expected items whatever their similarity: the same key says that they are one row."""
    pairs = [pair._replace(accepted=True) if pair.expected_index in rows else pair for pair in result.pairs]
    return result._replace(pairs=tuple(pairs))


def _worth(result: Result) -> tuple[float, float]:
    """Return what a pair adds to its list's share and kept score; next to nothing counts as nothing."""
    if type(result) is ObjectResult:
        value = result.score if result.score >= _FLOOR else 0.0
        return value, value
    return result.share, result.kept


def _added(values: list[float]) -> float:
    total = 0.0
    for value in values:  # not sum(): newer Pythons round it otherwise than one by one
        total += value
    return total


def items_of(value: Json) -> Sequence[Json] | None:
    """Return a list's items, none for an absent value; None where a value of another kind stands there."""
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


def pair_equal(e: Sequence[str | None], p: Sequence[str | None]) -> Pairing:
    """Pair equal texts in order, each once; None equals nothing."""
    waiting: dict[str, list[int]] = {}
    for j in range(len(p) - 1, -1, -1):
        text = p[j]
        if text is not None:
            waiting.setdefault(text, []).append(j)
    return [(i, waiting[text].pop()) for i, text in enumerate(e) if text is not None and waiting.get(text)]


def _split(values: Sequence[int], parts: int) -> list[Sequence[int]]:
    edges = [round(k * len(values) / parts) for k in range(parts + 1)]
    return [values[a:b] for a, b in pairwise(edges)]


def _left_over(matched: _Matched, e_at: Sequence[int], p_at: Sequence[int]) -> tuple[tuple[int, ...], tuple[int, ...]]:
    if len(matched) == len(e_at) == len(p_at):
        return (), ()
    rows, columns = {m[0] for m in matched}, {m[1] for m in matched}
    missed = tuple([at for i, at in enumerate(e_at) if i not in rows])
    return missed, tuple([at for j, at in enumerate(p_at) if j not in columns])


def _one_sided(expected: Json, predicted: Json, e_at: Sequence[int], p_at: Sequence[int]) -> ListResult:
    if e_at:
        return ListResult(MISSED, 0.0, 0.0, expected, predicted, (), tuple(e_at))
    if p_at:
        return ListResult(SPURIOUS, 0.0, 0.0, expected, predicted, (), (), tuple(p_at))
    return ListResult(ABSENT, 1.0, 1.0, expected, predicted)


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
        self.share = np.zeros((len(expected), len(predicted)))
        self._kept = np.zeros_like(self.share)
        if self.e_edges[-1] and self.p_edges[-1]:
            self.items = plan.item.grid(
                [items[i] for items, at in zip(e, self.e_at, strict=True) for i in at],
                [items[j] for items, at in zip(p, self.p_at, strict=True) for j in at],
            )
            self._pair_blocks()

    def _pair_blocks(self) -> None:
        similarity = self.items.similarity
        share, kept = self._values()
        for i, e_there in enumerate(self.expected_there):
            for j, p_there in enumerate(self.predicted_there):
                if e_there and p_there:
                    top, left = self.e_edges[i], self.p_edges[j]
                    bottom, right = self.e_edges[i + 1], self.p_edges[j + 1]
                    pairing = self.plan.pairing(similarity[top:bottom, left:right])
                    self.pairings[i, j] = pairing
                    longer = max(bottom - top, right - left)
                    self.share[i, j] = _added([share[top + a][left + b] for a, b in pairing]) / longer
                    self._kept[i, j] = _added([kept[top + a][left + b] for a, b in pairing]) / longer

    def _values(self) -> tuple[list[list[float]], list[list[float]]]:
        items = self.items
        if isinstance(items, ObjectGrid):
            floored = np.where(items.score >= _FLOOR, items.score, 0.0).tolist()
            return floored, floored
        if isinstance(items, CellGrid):
            cells = [[_worth(cell) for cell in row] for row in items.rows]
            return [[c[0] for c in row] for row in cells], [[c[1] for c in row] for row in cells]
        return items.share.tolist(), items.kept.tolist()

    @property
    def kept(self) -> Floats:
        both = self.both_absent()
        return self._kept if both is None else np.where(both, 1.0, self._kept)

    @property
    def similarity(self) -> Floats:
        return self.kept

    def results(self, cells: Cells) -> list[ListResult]:
        return [self._result(i, j) for i, j in cells.pairs]

    def _result(self, i: int, j: int) -> ListResult:
        pairing = self.pairings.get((i, j))
        if pairing is None:
            return _one_sided(self.expected[i], self.predicted[j], self.e_at[i], self.p_at[j])
        top, left = self.e_edges[i], self.p_edges[j]
        results = self.items.results(Cells([(top + a, left + b) for a, b in pairing], self.p_edges[-1]))
        matched = [(a, b, result) for (a, b), result in zip(pairing, results, strict=True)]
        return self.plan._summed(self.expected[i], self.predicted[j], self.e_at[i], self.p_at[j], matched, "")


def _edges(at: Sequence[Sequence[int]]) -> list[int]:
    edges = [0]
    for positions in at:
        edges.append(edges[-1] + len(positions))
    return edges
