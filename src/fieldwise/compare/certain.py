"""Pairs of list items that are certain before every item was compared with every other.

Items that are the same as their comparators see them pair before any other, in their order: identical items first, then
those of equal keys, then those that score 1 although their keys differ, such as a date that can be read in two ways and
its ISO form. Of others, some comparators can find cheaply the few values that score anything at all with a given one:
what a row's other fields could add at most is their weight, and a pair that is more alike than that cannot be beaten.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from operator import itemgetter
from typing import TYPE_CHECKING

import numpy as np

from fieldwise.compare.contents import Items, left_of
from fieldwise.compare.leaves import LeafPlan, presence
from fieldwise.compare.matching import CLEARLY, Pairing, assign, row_maxima
from fieldwise.compare.nodes import NO_KEY, Cells, mappings_of
from fieldwise.compare.objects import ObjectPlan, columns_of
from fieldwise.compare.results import ABSENT, Matched, ObjectResult, Result
from fieldwise.values import Json

if TYPE_CHECKING:
    from fieldwise.compare.lists import ListPlan


_MAX_GROUP = 4_096
"""The cells up to which items that have something in common are compared each with each."""


def identical_pairs(plan: ListPlan, e: Items, p: Items) -> Matched:
    """Return the pairs of items whose declared values are identical, with their results."""
    left, right = _raw(plan, e), _raw(plan, p)
    if left is None or right is None:
        return []
    try:
        groups = [*_groups(left, right)]
    except Exception:  # noqa: BLE001  # a value that has no hash, or anybody's
        return []
    pair = plan.item.pair
    found = [(i, j, pair(e.values[i], p.values[j])) for i, j in _in_order(groups, e, p)]
    return [match for match in found if _is_one(match[2])]


def equal_pairs(plan: ListPlan, e: Items, p: Items) -> Matched:
    """Return the pairs of items with equal keys, then of others that score exactly 1."""
    keys = plan.item.keys(e.values), plan.item.keys(p.values)
    pair = plan.item.pair_equal
    pairs = _in_order(_groups(*keys), e, p)
    matched: Matched = [(i, j, pair(e.values[i], p.values[j])) for i, j in pairs]
    if not plan.item.has_loose_keys:
        return matched
    rows, columns = left_of(len(e), [m[0] for m in matched]), left_of(len(p), [m[1] for m in matched])
    if rows and columns:
        some, others = e.some(rows), p.some(columns)
        near = [[known[at] for at in places] for known, places in zip(keys, (rows, columns), strict=True)]
        for group in _groups(*map(plan.item.loose_keys, near)):
            found = _ones(plan, (some, others), near, group)
            matched += [(rows[i], columns[j], result) for i, j, result in found]
    return matched


def _raw(plan: ListPlan, items: Items) -> Sequence[Hashable] | None:
    """Return what is equal for identical items; None where that is not to be had."""
    if isinstance(plan.item, LeafPlan):
        return items.values
    if isinstance(plan.item, ObjectPlan):
        columns = columns_of(plan.item, items.values)
        return columns and list(zip(*columns, strict=True))
    return None


def _groups(left: Sequence[Hashable], right: Sequence[Hashable]) -> Iterator[tuple[list[int], list[int]]]:
    """Return the places of each key that is on both sides."""
    (rows, more_rows), (columns, more_columns) = _places(left), _places(right)
    return (
        (more_rows.get(key) or [at], more_columns.get(key) or [columns[key]])
        for key, at in rows.items()
        if key in columns
    )


def _places(keys: Sequence[Hashable]) -> tuple[dict[Hashable, int], dict[Hashable, list[int]]]:
    """Return where each key is first, and all places of those that repeat; few lists, as most keys are single."""
    first: dict[Hashable, int] = {}
    repeated: dict[Hashable, list[int]] = {}
    for at, key in enumerate(keys):
        if key is not NO_KEY and first.setdefault(key, at) != at:
            repeated.setdefault(key, [first[key]]).append(at)
    return first, repeated


def _in_order(groups: Iterable[tuple[list[int], list[int]]], e: Items, p: Items) -> Iterator[tuple[int, int]]:
    """Yield the pairs within groups, in the order of content, then of the list."""
    for rows, columns in groups:
        if len(rows) == len(columns) == 1:
            yield rows[0], columns[0]
        else:
            first, second = e.some(rows).in_order(), p.some(columns).in_order()
            yield from ((rows[i], columns[j]) for i, j in zip(first, second, strict=False))


def _ones(
    plan: ListPlan,
    sides: tuple[Items, Items],
    keys: Sequence[Sequence[Hashable]],
    group: tuple[Sequence[int], Sequence[int]],
) -> Matched:
    """Return as many pairs that score exactly 1 as there can be among some rows and columns."""
    (e, p), (rows, columns) = sides, group

    def pair(i: int, j: int) -> Result:
        return plan.item.pair_near(e.values[i], p.values[j], (keys[0][i], keys[1][j]))

    if len(rows) == len(columns) == 1:
        result = pair(rows[0], columns[0])
        return [(rows[0], columns[0], result)] if _is_one(result) else []
    if len(rows) * len(columns) > _MAX_GROUP:
        return []
    cells = [[pair(i, j) for j in columns] for i in rows]
    ones = np.array([[float(_is_one(cell)) for cell in row] for row in cells])
    if not ones.any():
        return []
    pairs: Pairing = assign(ones, 1.0, lambda: (e.some(rows).in_order(), p.some(columns).in_order()))
    return [(rows[i], columns[j], cells[i][j]) for i, j in pairs if ones[i, j]]


def _is_one(result: Result) -> bool:
    return result.similarity == 1.0 and result.outcome is not ABSENT


_Matched = list[tuple[int, int, ObjectResult]]
MAX_UNCERTAIN_CELLS = 1_000_000
"""The cells that comparing them with all others may take."""
MAX_UNCERTAIN_SHARE = 0.125
"""The share of rows that may be compared with all others before a grid is the shorter way."""


def certain_pairs(plan: ObjectPlan, expected: Sequence[Json], predicted: Sequence[Json]) -> _Matched | None:
    """Pair each item of the shorter list with the one it is most alike, if that is strict and no two want the same.

    Such a pairing has the greatest total of all, and no other has it. None where it is not certain, or where an
    item may be absent.
    """
    if len(expected) <= len(predicted):
        return _best_for_each_row(plan, expected, predicted, transposed=False)
    pairs = _best_for_each_row(plan, predicted, expected, transposed=True)
    return pairs and sorted([(i, j, result) for j, i, result in pairs], key=itemgetter(0))


def _best_for_each_row(
    plan: ObjectPlan, rows: Sequence[Json], columns: Sequence[Json], *, transposed: bool
) -> _Matched | None:
    """Pair each row with its strictly best column; ``transposed``: the rows are the predicted items."""
    left, right = mappings_of(rows), mappings_of(columns)
    if None in left or None in right:
        return None
    possible = _possible(plan, left, right)  # type: ignore[arg-type]  # no None among them
    if possible is None:
        return None
    hits, rest = possible
    pair_fields: Callable[..., ObjectResult] = plan.pair_fields

    def pair(i: int, j: int) -> ObjectResult:
        if transposed:
            return pair_fields(right[j], left[i], columns[j], rows[i])
        return pair_fields(left[i], right[j], rows[i], columns[j])

    best = [_clear_best(i, near, rest, plan.total_weight, pair) for i, near in enumerate(hits)]
    doubtful = [i for i, result in enumerate(best) if result is None]
    if doubtful:
        if len(doubtful) > min(int(len(rows) * MAX_UNCERTAIN_SHARE) + 1, MAX_UNCERTAIN_CELLS // len(columns)):
            return None
        others = _best_of_all(plan, [rows[i] for i in doubtful], columns, transposed=transposed)
        for i, result in zip(doubtful, others, strict=True):
            best[i] = result
    if None in best or len({j for j, _ in best}) < len(best):  # type: ignore[misc]  # no None left
        return None
    return [(i, *chosen) for i, chosen in enumerate(best)]  # type: ignore[misc]  # no None left


def _possible(
    plan: ObjectPlan, rows: Sequence[Mapping[str, Json]], columns: Sequence[Mapping[str, Json]]
) -> tuple[list[dict[int, float]], float] | None:
    """Return the weight of possible agreement by pair of items, and the weight of the fields that say nothing."""
    hits: list[dict[int, float]] = [{} for _ in rows]
    rest, known = plan.total_weight, False
    for name, leaf in plan.selective:
        near = _near(leaf, [row.get(name) for row in rows], [column.get(name) for column in columns])
        if near is None:
            continue
        known, weight = True, leaf.weight
        rest -= weight
        for row, places in zip(hits, near):  # noqa: B905  # a hot loop
            for j in places:
                row[j] = row.get(j, 0.0) + weight
    return (hits, rest) if known else None


def _near(leaf: LeafPlan, left: list[Json], right: list[Json]) -> Sequence[Sequence[int]] | None:
    values = left + right
    kinds = set(map(type, values))
    if not kinds <= leaf.native or presence(values, kinds, leaf.absent) is not None:
        return None
    return leaf.comparator.candidates(left, right)


def _clear_best(
    i: int, near: dict[int, float], rest: float, total: float, pair: Callable[[int, int], ObjectResult]
) -> tuple[int, ObjectResult] | None:
    """Compare with the candidates, the likeliest first, until no other can come near the best of them."""
    if len(near) == 1:
        (j,) = near
        result = pair(i, j)
        return (j, result) if result.similarity - rest / total > CLEARLY else None
    best, top, second = None, -1.0, -1.0
    for j in sorted(near, key=near.__getitem__, reverse=True):
        if top - (rest + near[j]) / total > CLEARLY:
            break
        result = pair(i, j)
        similarity = result.similarity
        if similarity > top:
            best, top, second = (j, result), similarity, top
        elif similarity > second:
            second = similarity
    return best if top - max(second, rest / total) > CLEARLY else None


def _best_of_all(
    plan: ObjectPlan, rows: Sequence[Json], columns: Sequence[Json], *, transposed: bool
) -> Sequence[tuple[int, ObjectResult] | None]:
    grid = plan.grid(columns, rows) if transposed else plan.grid(rows, columns)
    similarity = grid.similarity
    best = row_maxima(np.ascontiguousarray(similarity.T) if transposed else similarity)
    if best is None:
        return [None] * len(rows)
    cells = [(j, i) if transposed else (i, j) for i, j in enumerate(best)]
    return list(zip(best, grid.results(Cells(cells, similarity.shape[1])), strict=True))
