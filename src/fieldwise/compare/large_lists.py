"""Lists with more cells than a document may take: each item is compared with its neighbours only.

Items are put into several orders, by the keys of one field first and by the letters of all, and cut into blocks. Of
what the blocks find alike, pairs are accepted from 1.0 down over all of them; what is left at last is cut evenly.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterator, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from fieldwise.compare.contents import Items, left_of
from fieldwise.compare.nodes import NO_KEY, Floats
from fieldwise.compare.results import Matched

if TYPE_CHECKING:
    from fieldwise.compare.lists import ListPlan

_BITS = 10
_SIZE = 1 << _BITS
_SCALE = 1 << 10
_MAX_CHUNK = 1 << 22
"""Characters of a text that are read at a time."""
_FIELDS = 3
"""How many fields items are ordered by, each in an order of its own."""
_NEAREST = 4
"""How many partners of an item are kept in each block."""


class _Edges(NamedTuple):
    """Cells that are worth looking at: how unlike their items are, and their rows and columns."""

    unlike: Floats
    rows: NDArray[np.intp]
    columns: NDArray[np.intp]


def matched_in_blocks(plan: ListPlan, e: Items, p: Items) -> Matched:
    """Return the pairs of two lists with their results; min(m, n) of them."""
    plan.work.now.in_blocks.append(plan.path)
    if plan.order != "any":
        return _cut_evenly(plan, e, p, range(len(e)), range(len(p)))
    rows, columns = (e.in_order(), p.in_order()) if plan.by_content else (range(len(e)), range(len(p)))
    e, p = e.some(rows), p.some(columns)
    pairs = _from_one_down(_edges(plan, e, p))
    matched: Matched = [(rows[i], columns[j], plan.item.pair(e.values[i], p.values[j])) for i, j in pairs]
    left = left_of(len(e), [i for i, _ in pairs]), left_of(len(p), [j for _, j in pairs])
    rest = _cut_evenly(plan, e, p, *left)
    return matched + [(rows[i], columns[j], result) for i, j, result in rest]


def _cut_evenly(plan: ListPlan, e: Items, p: Items, rows: Sequence[int], columns: Sequence[int]) -> Matched:
    """Return the pairs of items in the order in which they are, in as few blocks as may be."""
    if not rows or not columns:
        return []
    e, p = e.some(rows), p.some(columns)
    allowed = plan.work.now.allowed(len(e) + len(p))
    blocks = min(math.ceil(plan.item.cells(e.values, p.values) / allowed), len(e), len(p))
    matched: Matched = []
    for some, others in zip(_split(range(len(e)), blocks), _split(range(len(p)), blocks), strict=True):
        found = plan.match_grid(e.some(some), p.some(others))
        matched += [(rows[some[i]], columns[others[j]], result) for i, j, result in found]
    return matched


def _from_one_down(edges: Sequence[_Edges]) -> list[tuple[int, int]]:
    """Return the pairs that are taken one by one, the most alike first."""
    if not edges:
        return []
    unlike, all_rows, all_columns = map(np.concatenate, zip(*edges, strict=True))
    order = np.lexsort((all_columns, all_rows, unlike))
    rows, columns = set[int](), set[int]()
    pairs = []
    for i, j in zip(all_rows[order].tolist(), all_columns[order].tolist(), strict=True):
        if i not in rows and j not in columns:
            rows.add(i)
            columns.add(j)
            pairs.append((i, j))
    return pairs


def _edges(plan: ListPlan, e: Items, p: Items) -> list[_Edges]:
    """Return the cells that are worth looking at, from all blocks of all orders."""
    allowed = max(plan.work.now.allowed(len(e) + len(p)) // 2, 1)
    if len(e) * len(p) <= allowed:  # it is the texts that are too long
        return [_by_letters(plan, e, p)]
    orders = list(_orders(plan, e, p))
    blocks = math.ceil(plan.item.cells(e.values, p.values) * len(orders) / allowed)
    edges = []
    for left, right in orders:
        for rows, columns in _neighbours(left, right, blocks):
            if rows and columns:
                edges.append(_edges_of_block(plan, e, p, rows, columns))
    return edges


def _edges_of_block(plan: ListPlan, e: Items, p: Items, rows: Sequence[int], columns: Sequence[int]) -> _Edges:
    similarity = plan.similarity(e.some(rows), p.some(columns))
    near = _nearest(similarity, _NEAREST)
    alike = np.take_along_axis(similarity, near, axis=1)
    row, place = np.nonzero(alike >= plan.item.accept)
    return _Edges(1.0 - alike[row, place], np.array(rows)[row], np.array(columns)[near[row, place]])


def _nearest(similarity: Floats, count: int) -> NDArray[np.intp]:
    """Return the columns that each row is most alike, the first of those that are as alike."""
    return np.argsort(-similarity, axis=1, kind="stable")[:, :count]


def _by_letters(plan: ListPlan, e: Items, p: Items) -> _Edges:
    """Return for each item, compared in earnest, the ones whose letters are most alike."""
    left, right = ([text.lower() for text in items.texts(range(len(items)))] for items in (e, p))
    near = _nearest(letter_similarity(left, right), 1)
    cells = {(i, j) for i, row in enumerate(near.tolist()) for j in row}
    pairs = [(i, j, plan.item.pair(e.values[i], p.values[j])) for i, j in sorted(cells)]
    found = [(1.0 - result.similarity, i, j) for i, j, result in pairs if plan.item.accepts(result)]
    unlike, rows, columns = zip(*found, strict=True) if found else ((), (), ())
    return _Edges(np.array(unlike), np.array(rows, dtype=np.intp), np.array(columns, dtype=np.intp))


def _orders(plan: ListPlan, e: Items, p: Items) -> Iterator[tuple[Sequence[Any], Sequence[Any]]]:
    """Yield what both sides are ordered by, once for each order."""
    left, right = plan.item.keys(e.values), plan.item.keys(p.values)
    columns = _columns([*left, *right])
    fields = [_ranks(column[: len(left)], column[len(left) :]) for column in columns]
    fields.sort(key=lambda sides: -len({*sides[0]}))
    for at in range(min(len(fields), _FIELDS)):
        turned = [fields[at], *fields[:at], *fields[at + 1 :]]
        yield tuple(list(zip(*side, strict=True)) for side in zip(*turned, strict=True))  # type: ignore[misc]
    texts = e.texts(range(len(e))), p.texts(range(len(p)))
    yield tuple(list(zip(signatures(side), side, strict=True)) for side in texts)  # type: ignore[misc]


def _columns(keys: Sequence[Hashable]) -> list[list[Hashable]]:
    """Return the keys of rows field by field; those of single values, or of rows without keys, are one field."""
    width = {len(key) if type(key) is tuple else 0 for key in keys if key is not NO_KEY}
    if len(width) != 1 or width == {0}:
        return [list(keys)]
    return [[NO_KEY if key is NO_KEY else key[at] for key in keys] for at in range(width.pop())]  # type: ignore[index]


def _ranks(left: Sequence[Hashable], right: Sequence[Hashable]) -> tuple[list[tuple[str, int]], list[tuple[str, int]]]:
    """Return what puts equal keys beside each other, and texts beside those that begin alike.

    Other keys are in the order in which they come first, which is that of content.
    """
    numbers: dict[Hashable, int] = {}
    return tuple([_rank(key, numbers) for key in side] for side in (left, right))  # type: ignore[return-value]


def _rank(key: Hashable, numbers: dict[Hashable, int]) -> tuple[str, int]:
    return (key, 0) if isinstance(key, str) else ("", numbers.setdefault(key, len(numbers)))


def _neighbours(left: Sequence[Any], right: Sequence[Any], parts: int) -> Iterator[tuple[list[int], list[int]]]:
    """Put both sides into one order, cut it, and yield the places on either side of each part."""
    merged = [(key, 0, i) for i, key in enumerate(left)] + [(key, 1, j) for j, key in enumerate(right)]
    merged.sort()
    for part in _split(range(len(merged)), min(parts, len(merged))):
        chosen = [merged[at] for at in part]
        yield [i for _, side, i in chosen if not side], [j for _, side, j in chosen if side]


def _split(values: Sequence[int], parts: int) -> list[Sequence[int]]:
    edges = [round(k * len(values) / parts) for k in range(parts + 1)]
    return [values[a:b] for a, b in pairwise(edges)]


def letter_similarity(left: Sequence[str], right: Sequence[str]) -> Floats:
    """Return how alike every text is with every other, from 0 to about 1.

    >>> letter_similarity(["hex nut M4"], ["hex nut M5", "hex nut M4"]).round(2).tolist()
    [[0.73, 1.0]]
    """
    cells = np.array([_counts(text) for text in left]) @ np.array([_counts(text) for text in right]).T
    return np.asarray(cells, dtype=np.float64) / _SCALE**2


def signatures(texts: Sequence[str]) -> list[int]:
    """Return the least of the numbers that stand for the threes in each text; alike texts mostly share it."""
    if not texts:
        return []
    codes = _codes("".join([f"\n{text}\n\n" for text in texts]))
    starts = np.cumsum([0, *[len(text) + 3 for text in texts[:-1]]])
    mixed = _mixed(codes) * np.uint32(0x2C1B3C6D)
    found: list[int] = np.minimum.reduceat(mixed ^ mixed >> np.uint32(13), starts).tolist()
    return found


def _codes(text: str) -> NDArray[np.uint32]:
    return np.frombuffer(text.lower().encode("utf-32-le", "surrogatepass"), dtype=np.uint32)


def _mixed(codes: NDArray[np.uint32]) -> NDArray[np.uint32]:
    """Return a number for every three codes in a row."""
    mixed = codes[:-2] * np.uint32(0x9E3779B1) ^ codes[1:-1] * np.uint32(0x85EBCA6B)
    mixed ^= codes[2:] * np.uint32(0xC2B2AE35)
    mixed ^= mixed >> np.uint32(15)
    return mixed


def _counts(text: str) -> NDArray[np.float32]:
    """Return the roots of the shares of threes that fall into each of many places, as whole numbers.

    Products of two such vectors stay below 2^24, so that floats of 32 bits add them exactly in any order.
    """
    codes = _codes(f"\n{text}\n\n")
    found = np.zeros(_SIZE, dtype=np.int64)
    for start in range(0, len(codes) - 2, _MAX_CHUNK):
        mixed = _mixed(codes[start : start + _MAX_CHUNK + 2]) * np.uint32(0x2C1B3C6D)
        found += np.bincount(mixed >> np.uint32(32 - _BITS), minlength=_SIZE)
    return np.asarray(np.rint(np.sqrt(found / found.sum()) * _SCALE), dtype=np.float32)
