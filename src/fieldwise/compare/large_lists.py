"""Lists that are too much work, or too long, to compare every item with every other: pairs are found in cheaper ways.

Identical items pair first. Where the grid of the rest would be too large, it is matched in blocks of neighbours: by
content, then by signatures that two items share the likelier the more alike they are; pairs that are accepted stay, the
others are looked for again, and what is left at last is paired as it stands. Where comparing is too much work, the
letters of the items say which belong together, and only the pairs are compared, in the order of their content, while
there is work left.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, TypeVar

import numpy as np
from numpy.typing import NDArray

from fieldwise.comparators.work import CELL, WorkLimitError
from fieldwise.compare.contents import Items, left_of, pair_equal, same_places
from fieldwise.compare.matching import Pairing, assign, assign_in_sequence
from fieldwise.compare.nodes import Floats
from fieldwise.compare.results import Matched, Result

if TYPE_CHECKING:
    from fieldwise.compare.lists import ListPlan

_BITS = 10
_SIZE = 1 << _BITS
_SCALE = 1 << 10
_MAX_CHUNK = 1 << 22
"""Characters of a text that are read at a time."""
READ = 1_000
"""The work of reading one character, in character cells."""
COMPARED = 5_000
"""The work of comparing and pairing two texts."""
_NEVER = 2.0
"""A similarity that no two items have."""

_Key = TypeVar("_Key", str, tuple[int, str])


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


def matched_in_blocks(plan: ListPlan, e: Items, p: Items) -> tuple[Matched, str]:
    """Return the pairs of two lists with their results, and a note for the reader."""
    crossing = plan.order != "sequence"
    rows, columns = (e.in_order(), p.in_order()) if plan.by_content else (range(len(e)), range(len(p)))
    found = _equal_items(e, p, rows, columns) if crossing else []
    matched: Matched = [(i, j, plan.item.pair(e.values[i], p.values[j])) for i, j in found]
    most = 1
    for parts in (_by_content if plan.by_content else _by_position)(plan, e, p, rows, columns, matched):
        most = max(most, parts)
    first = "identical ones paired first, the rest" if crossing else "paired"
    note = f"{len(e):,} × {len(p):,} items: {first} in blocks ({most} of them)"
    return sorted(matched, key=lambda m: m[0]), note


def _by_content(
    plan: ListPlan, e: Items, p: Items, rows: Sequence[int], columns: Sequence[int], matched: Matched
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
            parts = _neighbours(signed[0], signed[1], blocks)
        else:
            parts = _neighbours(left, right, blocks)
        for some, others in parts:
            if some and others:
                near_rows, near_columns = [rows[i] for i in some], [columns[j] for j in others]
                pairs = plan.match_alike(e.some(near_rows), p.some(near_columns))
                matched += [(near_rows[i], near_columns[j], result) for i, j, result in pairs]
        yield blocks
    yield from _by_position(plan, e, p, rows, columns, matched)


def _by_position(
    plan: ListPlan, e: Items, p: Items, rows: Sequence[int], columns: Sequence[int], matched: Matched
) -> Iterator[int]:
    """Add the pairs of what is left, cut evenly; yield into how many blocks."""
    rows, columns = left_of(rows, [m[0] for m in matched]), left_of(columns, [m[1] for m in matched])
    blocks = max(1, min(_blocks(plan, e, p, rows, columns), len(rows), len(columns)))
    for some, others in zip(_split(rows, blocks), _split(columns, blocks), strict=True):
        if some and others:
            found = plan.match_grid(e.some(some), p.some(others))
            matched += [(some[i], others[j], result) for i, j, result in found]
    yield blocks


def _blocks(plan: ListPlan, e: Items, p: Items, rows: Sequence[int], columns: Sequence[int]) -> int:
    cells = plan.item.cells([e.values[i] for i in rows], [p.values[j] for j in columns])
    return max(1, math.ceil(cells / plan.max_cells))


def _equal_items(e: Items, p: Items, rows: Sequence[int], columns: Sequence[int]) -> Pairing:
    """Pair identical items, in the order in which they are given."""
    return [(rows[i], columns[j]) for i, j in pair_equal(e.texts(rows), p.texts(columns))]


def _neighbours(left: Sequence[_Key], right: Sequence[_Key], parts: int) -> Iterator[tuple[list[int], list[int]]]:
    """Put the keys of both sides into one order, cut it, and yield the places on either side of each part."""
    merged = [(key, 0, i) for i, key in enumerate(left)] + [(key, 1, j) for j, key in enumerate(right)]
    merged.sort()
    for part in _split(range(len(merged)), min(parts, len(merged))):
        chosen = [merged[at] for at in part]
        yield [i for _, side, i in chosen if not side], [j for _, side, j in chosen if side]


def _split(values: Sequence[int], parts: int) -> list[Sequence[int]]:
    edges = [round(k * len(values) / parts) for k in range(parts + 1)]
    return [values[a:b] for a, b in pairwise(edges)]


def compared_cheaply(plan: ListPlan, e: Items, p: Items) -> tuple[Matched, str, list[int]]:
    """Return the pairs of two lists with their results, a note for the reader, and the expected items paired by key."""
    return _CheapPairs(plan, e, p).compared()


class _CheapPairs:
    def __init__(self, plan: ListPlan, e: Items, p: Items) -> None:
        self.plan, self.work, self.e, self.p = plan, plan.work, e, p
        if plan.order == "any":
            self.rows, self.columns = e.in_order(), p.in_order()
        else:
            self.rows, self.columns = list(range(len(e))), list(range(len(p)))
        self.results: dict[tuple[int, int], Result] = {}
        self.blocks = 0

    def compared(self) -> tuple[Matched, str, list[int]]:
        by_key = self._pairs_by_key() if self.plan.key else []
        rows, columns = left_of(self.rows, [i for i, _ in by_key]), left_of(self.columns, [j for _, j in by_key])
        pairs = dict([*by_key, *self._pairs(rows, columns)])
        alone = self.plan.alone
        for i in self.rows:
            if i in pairs and (i, pairs[i]) not in self.results:
                self.results[i, pairs[i]] = alone.pair(self.e.values[i], self.p.values[pairs[i]])
        matched = [(i, j, self.results[i, j]) for i, j in sorted(pairs.items())]
        return matched, self._note(), [i for i, _ in by_key]

    def _note(self) -> str:
        size = f"{len(self.e):,} × {len(self.p):,} items, too much to compare each with each"
        if self.plan.order == "position":
            return f"{size}: compared while there was work left"
        how = {0: "identical ones paired first", 1: "paired by their letters"}
        return f"{size}: {how.get(self.blocks, f'paired by their letters in blocks ({self.blocks:,} of them)')}"

    def _pairs_by_key(self) -> Pairing:
        """Pair items of the same key, those of each key among themselves."""
        pairs: Pairing = []
        for rows, columns in self.plan.groups(self.e, self.p):
            if len(rows) == len(columns) == 1:
                pairs.append((rows[0], columns[0]))
            else:
                some, others = set(rows), set(columns)
                pairs += self._pairs([i for i in self.rows if i in some], [j for j in self.columns if j in others])
        return pairs

    def _pairs(self, rows: Sequence[int], columns: Sequence[int]) -> Pairing:
        """Pair some items with some others, both in order."""
        if self.plan.order == "position":
            found = same_places(self.e.some(rows), self.p.some(columns))
            return [(rows[i], columns[j]) for i, j in found]
        equal = _equal_items(self.e, self.p, rows, columns) if self.plan.order == "any" else []
        rows, columns = left_of(rows, [i for i, _ in equal]), left_of(columns, [j for _, j in equal])
        if not rows or not columns:
            return equal
        exact = self._each_with_each(rows, columns)
        return equal + (self._by_letters(rows, columns) if exact is None else exact)

    def _each_with_each(self, rows: Sequence[int], columns: Sequence[int]) -> Pairing | None:
        """Compare every item with every other, where there is work left for it; None where there is not."""
        e, p, before = self.e.some(rows), self.p.some(columns), self.work.now.spent
        cells = self.plan.item.cells(e.values, p.values)
        if cells > self.plan.max_cells or cells * CELL + self.plan.item.cost(e.values, p.values) > self.work.now.left:
            return None
        try:
            found = self.plan.match_grid(e, p)
        except WorkLimitError:
            self.work.now.spent = before
            return None
        self.results.update({(rows[i], columns[j]): result for i, j, result in found})
        return [(rows[i], columns[j]) for i, j, _ in found]

    def _by_letters(self, rows: Sequence[int], columns: Sequence[int]) -> Pairing:
        """Pair items by their letters, in as many blocks as the work and the cells ask for."""
        left = [text.lower() for text in self.e.texts(rows)]
        right = [text.lower() for text in self.p.texts(columns)]
        cells, most = len(rows) * len(columns), min(len(rows), len(columns))
        reading = (sum(map(len, left)) + sum(map(len, right))) * READ
        affordable = min(self.plan.max_cells, (self.work.now.left // 2 - reading) // COMPARED)
        blocks = most if affordable < 1 else min(math.ceil(cells / affordable), most)
        self.blocks = max(self.blocks, blocks)
        if blocks < most or most == 1:
            self.work.now.spent += reading + math.ceil(cells / blocks) * COMPARED
        pairs: Pairing = []
        for some, others in zip(_split(range(len(rows)), blocks), _split(range(len(columns)), blocks), strict=True):
            found = self._block([left[i] for i in some], [right[j] for j in others])
            pairs += [(rows[some[i]], columns[others[j]]) for i, j in found]
        return pairs

    def _block(self, left: Sequence[str], right: Sequence[str]) -> Pairing:
        if min(len(left), len(right)) == 1:
            return [(0, 0)]
        similarity = letter_similarity(left, right)
        if self.plan.order == "sequence":
            return assign_in_sequence(similarity, _NEVER)
        return assign(similarity, _NEVER)
