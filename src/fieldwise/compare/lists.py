"""Comparing lists: absent items dropped, the rest paired once, every pair compared."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Hashable, Mapping, Sequence

import numpy as np

from fieldwise.compare.certain import certain_pairs, equal_pairs, identical_pairs
from fieldwise.compare.contents import (
    Items,
    View,
    content_of,
    left_of,
    pair_equal,
    places_by_text,
    same_places,
)
from fieldwise.compare.large_lists import matched_in_blocks
from fieldwise.compare.list_grid import FLOOR, PAIRED, ListGrid, one_sided, worth
from fieldwise.compare.matching import Order as ContentOrder
from fieldwise.compare.matching import Pairing, assign, assign_in_sequence, assign_small, clear_best, clear_best_small
from fieldwise.compare.nodes import (
    NO_KEY,
    NOTHING,
    WRONG_SHAPE,
    CellGrid,
    Cells,
    Floats,
    NodeGrid,
    PlanNode,
    Work,
    best_alternative,
    mapping_of,
)
from fieldwise.compare.objects import ObjectPlan, outcome_of_wrong_shape
from fieldwise.compare.quick import paired_objects
from fieldwise.compare.results import IN_BLOCKS, AnyOf, ListResult, Matched, Pair, Result
from fieldwise.spec.nodes import Order
from fieldwise.values import ONLY_BLANK, AbsentWords, Json, canonical, is_absent, opened, plain, same

FEW_CELLS = 12
"""Up to this many cells pair by pair is quicker than a grid (benchmarks/crossover.py)."""
MAX_GRID = 1_000_000
"""Cells beyond which a grid keeps the similarities of items and nothing else."""
MAX_AT_ONCE = 10_000
"""Up to this many cells a grid is quicker than looking for the same items first."""


class ListPlan(PlanNode[ListResult]):
    """A list with every setting resolved."""

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
        threshold: float,
        accept: float,
        absent: AbsentWords = ONLY_BLANK,
        sources: Mapping[str, str],
        work: Work,
        by_position: bool,
    ) -> None:
        self.path, self.item, self.weight, self.order = path, item, weight, order
        self.threshold, self._accept = threshold, accept
        """What a list of objects inside a row needs to be called a match there; its items decide everything else."""
        self.key, self.sources, self.work = key, sources, work
        self.absent = absent
        self.is_costly = item.is_costly
        is_free = order == "any" and not key
        self._certain_item = item if isinstance(item, ObjectPlan) and item.selective and is_free else None
        self.by_content = order == "any" and not by_position
        """Whether items that are the same pair first, and content decides between equal totals."""
        self.total: Callable[[list[float]], float] = _added if by_position else math.fsum

    def pair(self, expected: Json, predicted: Json) -> ListResult:
        e, p = items_of(expected, self.absent), items_of(predicted, self.absent)
        if e is None or p is None:
            return self._pair_not_lists(expected, predicted)
        if e and p and (not self.by_content or (len(e) * len(p) <= MAX_AT_ONCE and not self.is_costly)):
            found = self._paired_at_once(e, p, (expected, predicted))
            if found is not None:
                return self._summed(expected, predicted, range(len(e)), range(len(p)), found)
        left, right = self.items(expected), self.items(predicted)
        if not left.at or not right.at:
            return one_sided(self, expected, predicted, left.at, right.at)
        return self._summed(expected, predicted, left.at, right.at, *self._match(left, right))

    def _paired_at_once(self, e: Sequence[Json], p: Sequence[Json], whole: tuple[Json, Json]) -> Matched | None:
        """Pair items in one grid, or without; None where one of them is absent.

        Also where those that are the same must be found first: two score 1, and not every item is clearly most alike
        one other.
        """
        certain = self._certain(e, p)
        if certain is not None:
            return certain
        if not self._takes_grid(e, p):
            return None
        grid = self.item.grid(e, p)
        if not grid.complete:
            return None
        if not self.by_content:
            return self._paired(grid, None)
        pairing = clear_best(grid.similarity)
        if pairing is None and not (grid.similarity == 1.0).any():
            return self._paired(grid, self._content_order(lambda: (self.items(whole[0]), self.items(whole[1]))))
        return None if pairing is None else self._results(grid, pairing)

    def items(self, value: Json, at: Sequence[int] | None = None) -> Items:
        """Return the items of a list that have a value, or those at some positions."""
        all_items = items_of(value, self.absent) or ()
        if at is None:
            has_value = self.item.has_value
            at = [i for i, item in enumerate(all_items) if has_value(item)]
        return Items(self.item, value, at, [all_items[i] for i in at])

    def _certain(self, e: Sequence[Json], p: Sequence[Json]) -> Matched | None:
        if self._certain_item is None or len(e) * len(p) > self.work.now.limit:
            return None
        return certain_pairs(self._certain_item, e, p)  # type: ignore[return-value]  # objects are results

    def _takes_grid(self, e: Sequence[Json], p: Sequence[Json]) -> bool:
        """Return whether the lists are compared as one grid, provided that it finds no absent item."""
        if self.key or self.order == "position" or len(e) * len(p) <= FEW_CELLS:
            return False
        return self._takes(e, p)

    def _takes(self, e: Sequence[Json], p: Sequence[Json]) -> bool:
        """Return whether a document may take the cells of two lists, which are then counted."""
        cells, count = self.item.cells(e, p), self.work.now
        if cells > count.allowed(len(e) + len(p)):
            return False
        count.spent += cells
        return True

    def _pair_not_lists(self, expected: Json, predicted: Json) -> ListResult:
        """Compare where a side is something else than a list."""
        if type(expected) is AnyOf:
            return best_alternative(self, expected, predicted)[1]
        e, p = items_of(expected, self.absent), items_of(predicted, self.absent)
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
            found, were_cut = self._match_rest(e, p)
            return sorted(found, key=_first), IN_BLOCKS * were_cut, []
        matched: Matched = []
        in_blocks = False
        for rows, columns in self.groups(e, p):
            found, were_cut = self._match_rest(e.some(rows), p.some(columns))
            matched += [(rows[i], columns[j], result) for i, j, result in found]
            in_blocks |= were_cut
        by_key = [i for i, _, _ in matched]
        e_left, p_left = left_of(len(e), by_key), left_of(len(p), [j for _, j, _ in matched])
        if e_left and p_left:
            rest, were_cut = self._match_rest(e.some(e_left), p.some(p_left))
            matched += [(e_left[i], p_left[j], result) for i, j, result in rest]
            in_blocks |= were_cut
        return sorted(matched, key=_first), IN_BLOCKS * in_blocks, by_key

    def groups(self, e: Items, p: Items) -> list[tuple[list[int], list[int]]]:
        """Return the places of the items that have the same key, each key once; in an ordered list each pair."""
        left, right = ([self._key_of(value) for value in side.values] for side in (e, p))
        if self.order != "any":
            return [([i], [j]) for i, j in pair_equal(left, right)]
        rows, columns = places_by_text(left), places_by_text(right)
        return [(rows[key], columns[key]) for key in sorted(rows.keys() & columns.keys())]

    def _key_of(self, value: Json) -> str | None:
        mapping = mapping_of(value)
        if mapping is None or any(is_absent(mapping.get(name), self._key_words(name)) for name in self.key):
            return None
        return canonical([mapping[name] for name in self.key])

    def _key_words(self, name: str) -> AbsentWords:
        return self.item.fields[name].absent if isinstance(self.item, ObjectPlan) else self.absent

    def _match_rest(self, e: Items, p: Items) -> tuple[Matched, bool]:
        """Pair items that have no common key to pair by; also return whether that took blocks."""
        if len(e) == len(p) == 1 and (self.order == "any" or e.at[0] == p.at[0]):
            return [(0, 0, self.item.pair(e.values[0], p.values[0]))], False
        if self.order == "position":
            return [(i, j, self.item.pair(e.values[i], p.values[j])) for i, j in same_places(e, p)], False
        if self.by_content:
            return self.match_same_first(e, p)
        if self._takes(e.values, p.values):
            return self.match_grid(e, p), False
        return self.match_same_first(e, p) if self.order == "any" else (matched_in_blocks(self, e, p), True)

    def match_same_first(self, e: Items, p: Items) -> tuple[Matched, bool]:
        """Pair items that are the same before all others."""
        if len(e) * len(p) <= FEW_CELLS and not self.is_costly:
            few = CellGrid(self.item, e.values, p.values)
            clear = clear_best_small(few.similarities())
            if clear is not None:
                return [(i, j, few.rows[i][j]) for i, j in clear], False
        matched = identical_pairs(self, e, p)
        rows, columns = _unpaired(matched, e, p)
        if not rows or not columns:
            return matched, False
        some, others = e.some(rows), p.some(columns)
        if len(rows) * len(columns) <= FEW_CELLS:
            cells = CellGrid(self.item, some.values, others.values)
            similarities = cells.similarities()
            if all(1.0 not in row for row in similarities):
                pairing = assign_small(similarities, self.item.accept, self._content_order(lambda: (some, others)))
                return matched + [(rows[i], columns[j], cells.rows[i][j]) for i, j in pairing], False
        equal = equal_pairs(self, some, others)
        matched += [(rows[i], columns[j], result) for i, j, result in equal]
        rows, columns = _unpaired(matched, e, p)
        if not rows or not columns:
            return matched, False
        some, others = e.some(rows), p.some(columns)
        found, were_cut = self._match_unlike(some, others)
        return matched + [(rows[i], columns[j], result) for i, j, result in found], were_cut

    def _match_unlike(self, e: Items, p: Items) -> tuple[Matched, bool]:
        """Pair items none of which are the same."""
        if len(e) * len(p) > FEW_CELLS:
            certain = self._certain(e.values, p.values)
            if certain is not None:
                return certain, False
            if not self._takes(e.values, p.values):
                return matched_in_blocks(self, e, p), True
        return self.match_grid(e, p), False

    def match_grid(self, e: Items, p: Items) -> Matched:
        """Pair items by comparing every one with every other."""
        item, size = self.item, len(e) * len(p)
        order = self._content_order(lambda: (e, p))
        if size <= FEW_CELLS and self.order == "any":
            cells = CellGrid(item, e.values, p.values)
            pairing = assign_small(cells.similarities(), item.accept, order)
            return [(i, j, cells.rows[i][j]) for i, j in pairing]
        if size > MAX_GRID:
            pairing = self.pairing(self.similarity(e, p), order)
            return [(i, j, item.pair(e.values[i], p.values[j])) for i, j in pairing]
        return self._paired(item.grid(e.values, p.values), order)

    def similarity(self, e: Items, p: Items) -> Floats:
        """Return how alike every item is with every other, made in strips so that memory holds little else."""
        rows = max(1, MAX_GRID // max(len(p), 1))
        if len(e) <= rows:
            return self.item.grid(e.values, p.values).similarity
        out = np.empty((len(e), len(p)))
        for start in range(0, len(e), rows):
            out[start : start + rows] = self.item.grid(e.values[start : start + rows], p.values).similarity
        return out

    def _paired(self, grid: NodeGrid[Result], order: ContentOrder | None) -> Matched:
        similarity = grid.similarity
        return self._results(grid, self.pairing(similarity, order))

    def _results(self, grid: NodeGrid[Result], pairing: Pairing) -> Matched:
        results = grid.results(Cells(pairing, grid.similarity.shape[1]))
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
        e, p = ([items_of(value, self.absent) for value in side] for side in (expected, predicted))
        if self.key or self.order == "position" or None in e or None in p:
            return CellGrid(self, expected, predicted)
        return ListGrid(self, expected, predicted, e, p)  # type: ignore[arg-type]  # no None left

    def has_value(self, value: Json) -> bool:
        items = items_of(value, self.absent)
        return True if items is None else any(map(self.item.has_value, items))

    @property
    def accept(self) -> float:
        return self._accept

    def cells(self, expected: Sequence[Json], predicted: Sequence[Json]) -> int:
        e, p = _all_items(expected), _all_items(predicted)
        return len(expected) * len(predicted) * PAIRED + self.item.cells(e, p)

    def keys(self, values: Sequence[Json]) -> Sequence[Hashable]:
        lists = [items_of(value, self.absent) for value in values]
        known = iter(self.item.keys(_all_items(values)))
        return [
            self._key(value, items, [next(known) for _ in items or ()])
            for value, items in zip(values, lists, strict=True)
        ]

    def _key(self, value: Json, items: Sequence[Json] | None, keys: Sequence[Hashable]) -> Hashable:
        """Return the keys of a list's items: in their order, or how often there is each."""
        if items is None:
            is_identical_enough = type(value) is not AnyOf and self.by_content
            return (WRONG_SHAPE, canonical(value)) if is_identical_enough else NO_KEY
        if all(key is NOTHING for key in keys):
            return NOTHING
        if any(key is NO_KEY for key in keys):
            return NO_KEY
        if self.key:
            keys = [(self._key_of(item), key) for item, key in zip(items, keys, strict=True)]
        if self.order == "position":
            return tuple(keys)
        present = [key for key in keys if key is not NOTHING]
        return frozenset(Counter(present).items()) if self.order == "any" else tuple(present)

    def content(self, value: Json, view: View) -> str:
        items = items_of(value)
        if items is None or (view != "identical" and not items):
            return super().content(value, view)
        if self.order != "position":
            items = [item for item in items if view != "identical" or not is_absent(item, self.item.absent)]
        texts = [content_of(self.item, item, view) for item in items]
        return f"[{','.join(sorted(texts) if self.order == 'any' else texts)}]"


def _in_order(e: Items, p: Items) -> tuple[list[int], list[int]]:
    return e.in_order(), p.in_order()


def _added(values: list[float]) -> float:
    total = 0.0
    for value in values:  # not sum(): newer Pythons round it otherwise than one by one
        total += value
    return total


def items_of(value: Json, words: AbsentWords = ONLY_BLANK) -> Sequence[Json] | None:
    """Return the items of a list, none for an absent value or one of the words; None for a value of another kind."""
    if type(value) is list:
        return value
    if value is None:
        return ()
    if type(value) is AnyOf:
        return None
    parts = opened(value)
    if type(parts) is list:
        return parts
    return () if is_absent(value, words) else None


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


def _first(match: tuple[int, int, Result]) -> int:
    return match[0]


def _unpaired(matched: Matched, e: Items, p: Items) -> tuple[list[int], list[int]]:
    if not matched:
        return list(range(len(e))), list(range(len(p)))
    return left_of(len(e), [m[0] for m in matched]), left_of(len(p), [m[1] for m in matched])
