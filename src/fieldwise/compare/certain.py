"""Pairs of list items that are certain before every item was compared with every other.

Some comparators can find cheaply the few values that score anything at all with a given one. What a row's other fields
could add at most is their weight; a pair that is more alike than that cannot be beaten.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from operator import itemgetter
from typing import TYPE_CHECKING

import numpy as np

from fieldwise.compare.leaves import LeafPlan, presence
from fieldwise.compare.matching import CLEARLY, row_maxima
from fieldwise.compare.nodes import Cells, mappings_of
from fieldwise.compare.results import ObjectResult
from fieldwise.values import Json

if TYPE_CHECKING:
    from fieldwise.compare.objects import ObjectPlan

_Matched = list[tuple[int, int, ObjectResult]]
MAX_UNCERTAIN_CELLS = 1_000_000
"""The cells that comparing them with all others may take."""
MAX_UNCERTAIN_SHARE = 0.125
"""The share of rows that may be compared with all others before a grid is the shorter way."""

MIN_SELECTIVE_WEIGHT = 0.2
"""The share of the weight that fields with few candidates must have; below it certainty is too rare."""


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
