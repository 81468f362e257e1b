"""Items of two lists that are the same as their comparators see them: they pair before any other, in their order.

Identical items first, then those of equal keys, then those that score 1 although their keys differ, such as a date
that can be read in two ways and its ISO form.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

import numpy as np

from fieldwise.compare.contents import Items, left_of
from fieldwise.compare.leaves import LeafPlan
from fieldwise.compare.matching import Pairing, assign
from fieldwise.compare.nodes import NO_KEY
from fieldwise.compare.objects import ObjectPlan, columns_of
from fieldwise.compare.results import ABSENT, Matched, Result

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
