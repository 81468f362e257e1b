"""Lists with more pairs of items than a grid may hold: identical items pair first, the rest in blocks of neighbours.

Neighbours are found by content, then by signatures that two items share the likelier the more alike they are; pairs
that are accepted stay, the others are looked for again. What is left at last is paired as it stands.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from fieldwise.compare.contents import Items, equal_items, left_of, neighbours, split
from fieldwise.compare.letters import signatures

if TYPE_CHECKING:
    from fieldwise.compare.lists import ListPlan

_Matched = list[tuple[int, int, Any]]


def matched_in_blocks(plan: ListPlan, e: Items, p: Items) -> tuple[_Matched, str]:
    """Return the pairs of two lists with their results, and a note for the reader."""
    crossing = plan.order != "sequence"
    rows, columns = (e.in_order(), p.in_order()) if plan.by_content else (range(len(e)), range(len(p)))
    found = equal_items(e, p, rows, columns) if crossing else []
    matched: _Matched = [(i, j, plan.item.pair(e.values[i], p.values[j])) for i, j in found]
    most = 1
    for parts in (_by_content if plan.by_content else _by_position)(plan, e, p, rows, columns, matched):
        most = max(most, parts)
    first = "identical ones paired first, the rest" if crossing else "paired"
    note = f"{len(e):,} × {len(p):,} items: {first} in blocks ({most} of them)"
    return sorted(matched, key=lambda m: m[0]), note


def _by_content(
    plan: ListPlan, e: Items, p: Items, rows: Sequence[int], columns: Sequence[int], matched: _Matched
) -> Iterator[int]:
    """Add the pairs of neighbours by content and by signatures; yield how many blocks there were."""
    for by_signature in (False, True):
        rows, columns = left_of(rows, [m[0] for m in matched]), left_of(columns, [m[1] for m in matched])
        blocks = _blocks(plan, e, p, rows, columns)
        if blocks == 1 or not rows or not columns:
            break
        left, right = e.texts(rows), p.texts(columns)
        if by_signature:
            signed = [list(zip(signatures(side), side, strict=True)) for side in (left, right)]
            parts = neighbours(signed[0], signed[1], blocks)
        else:
            parts = neighbours(left, right, blocks)
        for some, others in parts:
            if some and others:
                near_rows, near_columns = [rows[i] for i in some], [columns[j] for j in others]
                pairs = plan.match_alike(e.some(near_rows), p.some(near_columns))
                matched += [(near_rows[i], near_columns[j], result) for i, j, result in pairs]
        yield blocks
    yield from _by_position(plan, e, p, rows, columns, matched)


def _by_position(
    plan: ListPlan, e: Items, p: Items, rows: Sequence[int], columns: Sequence[int], matched: _Matched
) -> Iterator[int]:
    """Add the pairs of what is left, cut evenly; yield into how many blocks."""
    rows, columns = left_of(rows, [m[0] for m in matched]), left_of(columns, [m[1] for m in matched])
    blocks = max(1, min(_blocks(plan, e, p, rows, columns), len(rows), len(columns)))
    for some, others in zip(split(rows, blocks), split(columns, blocks), strict=True):
        if some and others:
            found = plan.match_grid(e.some(some), p.some(others))
            matched += [(some[i], others[j], result) for i, j, result in found]
    yield blocks


def _blocks(plan: ListPlan, e: Items, p: Items, rows: Sequence[int], columns: Sequence[int]) -> int:
    cells = plan.item.cells([e.values[i] for i in rows], [p.values[j] for j in columns])
    return max(1, math.ceil(cells / plan.max_cells))
