"""Lists that are too much work to compare every item with every other: pairs are found in cheaper ways.

Identical items pair first. Where the rest can be compared each with each, it is; else the letters of the items say
which belong together, in blocks of neighbours by content where even that is too much. Then only the pairs are compared,
in the order of their content, while there is work left.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from fieldwise.comparators.work import CELL, WorkLimitError
from fieldwise.compare.contents import Items, equal_items, left_of, same_places, split
from fieldwise.compare.letters import COMPARED, READ, letter_similarity
from fieldwise.compare.matching import Pairing, assign, assign_in_sequence

if TYPE_CHECKING:
    from fieldwise.compare.lists import ListPlan

_NEVER = 2.0
"""A similarity that no two items have."""


def compared_cheaply(plan: ListPlan, e: Items, p: Items) -> tuple[list[tuple[int, int, Any]], str, list[int]]:
    """Return the pairs of two lists with their results, a note for the reader, and the expected items paired by key."""
    return _CheapPairs(plan, e, p).compared()


class _CheapPairs:
    def __init__(self, plan: ListPlan, e: Items, p: Items) -> None:
        self.plan, self.work, self.e, self.p = plan, plan.work, e, p
        if plan.order == "any":
            self.rows, self.columns = e.in_order(), p.in_order()
        else:
            self.rows, self.columns = list(range(len(e))), list(range(len(p)))
        self.results: dict[tuple[int, int], Any] = {}
        self.blocks = 0

    def compared(self) -> tuple[list[tuple[int, int, Any]], str, list[int]]:
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
        equal = equal_items(self.e, self.p, rows, columns) if self.plan.order == "any" else []
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
        for some, others in zip(split(range(len(rows)), blocks), split(range(len(columns)), blocks), strict=True):
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
