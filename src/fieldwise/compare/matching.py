"""Which list item belongs to which: the only place that knows an assignment algorithm.

Similarities are compared in steps of 1e-9. Among pairings of equal total the one with more accepted pairs wins,
then the lexicographically smallest, so that a result never depends on the solver. What is smaller is said by an order
of rows and columns, or by their positions.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from itertools import permutations
from math import perm

import numpy as np
from numpy.typing import NDArray

Grid = NDArray[np.float64]
Pairing = list[tuple[int, int]]
Order = Callable[[], tuple[Sequence[int], Sequence[int]]]
"""Returns the positions of the rows, and of the columns, in the order that decides between equal totals."""

_STEPS = 1e9
CLEARLY = 2 / _STEPS
"""A difference that no rounding to whole steps can undo."""
_FEW_WAYS = 60
"""Up to this many ways of pairing it is quicker to try them all."""


def assign(similarity: Grid, accept: float, order: Order | None = None) -> Pairing:
    """Pair rows with columns, one to one, for the greatest total similarity; always min(m, n) pairs.

    ``order`` is only asked for where totals may tie.

    >>> assign(np.array([[0.1, 0.9], [0.8, 0.9]]), 0.5)
    [(0, 1), (1, 0)]
    """
    rows, columns = similarity.shape
    if rows == 1 and columns == 1:
        return [(0, 0)]
    clear = clear_best(similarity)
    if clear is not None:
        return clear
    if similarity.min() == similarity.max():
        first = order() if order else (range(rows), range(columns))
        return sorted(zip(*first, strict=False))
    if perm(max(rows, columns), min(rows, columns)) <= _FEW_WAYS:
        return _best_of_few(similarity.tolist(), accept, order)
    return _assign_with_ties(similarity, accept, order)


def _best_of_few(similarity: Sequence[Sequence[float]], accept: float, order: Order | None) -> Pairing:
    """Pair a few rows and columns as `assign` does, by trying all ways."""
    rows, columns = len(similarity), len(similarity[0])
    weight = min(rows, columns) + 1
    gain = [[round(cell * _STEPS) * weight + (cell >= accept) for cell in row] for row in similarity]
    if rows > columns:
        gain = [list(column) for column in zip(*gain, strict=True)]
    best, ways = -1, []
    for way in permutations(range(max(rows, columns)), weight - 1):
        total = sum([cells[at] for cells, at in zip(gain, way, strict=True)])
        if total > best:
            best, ways = total, [way]
        elif total == best:
            ways.append(way)
    pairings = [
        sorted(zip(way, range(columns), strict=True)) if rows > columns else list(enumerate(way)) for way in ways
    ]
    if len(pairings) == 1:
        return pairings[0]
    if order is None:
        return min(pairings)
    row_place, column_place = ({at: place for place, at in enumerate(side)} for side in order())
    return min(pairings, key=lambda pairs: sorted((row_place[i], column_place[j]) for i, j in pairs))


def clear_best(similarity: Grid) -> Pairing | None:
    """Pair each item of the shorter side with the one it is clearly most alike; None where two want the same.

    Items that score 1 with each other are among these pairs.
    """
    if similarity.shape[0] > similarity.shape[1]:
        easy = row_maxima(np.ascontiguousarray(similarity.T))
        return None if easy is None else sorted((i, j) for j, i in enumerate(easy))
    easy = row_maxima(similarity)
    return None if easy is None else list(enumerate(easy))


def clear_best_small(similarity: Sequence[Sequence[float]]) -> Pairing | None:
    """Do the same with a few rows held in plain lists, where no more rows than columns are."""
    if len(similarity) > len(similarity[0]):
        return None
    taken: list[int] = []
    for row in similarity:
        ranked = sorted(row, reverse=True)
        column = row.index(ranked[0])
        if column in taken or (len(row) > 1 and ranked[0] - ranked[1] <= CLEARLY):
            return None
        taken.append(column)
    return list(enumerate(taken))


def assign_small(similarity: Sequence[Sequence[float]], accept: float, order: Order | None = None) -> Pairing:
    """Pair as `assign` does a few items held in plain lists, without the cost of an array where none is needed."""
    clear = clear_best_small(similarity)
    return clear if clear is not None else assign(np.array(similarity, dtype=np.float64), accept, order)


def row_maxima(similarity: Grid) -> list[int] | None:
    """Return the column of each row's maximum, where it is strict and no column is taken twice.

    That is the best assignment, and the only one. None where it is not so.
    """
    best = similarity.argmax(axis=1)
    chosen: list[int] = best.tolist()
    if len(set(chosen)) != len(chosen):
        return None
    top = similarity[np.arange(len(chosen)), best]
    near = np.count_nonzero(similarity >= (top - CLEARLY)[:, None])
    return chosen if near == len(chosen) else None


def _assign_with_ties(similarity: Grid, accept: float, order: Order | None) -> Pairing:
    rows, columns = similarity.shape
    size = max(rows, columns)
    # Whole numbers, so that the solver's sums are exact: similarity first, accepted pairs second.
    gain = np.zeros((size, size))
    gain[:rows, :columns] = np.rint(similarity * _STEPS) * (min(rows, columns) + 1) + (similarity >= accept)
    cost = -gain
    match = _solver()(cost)[1]
    tight = _tight_edges(cost, match)
    if np.count_nonzero(tight[:rows]) > rows:
        match = _smallest_matching(tight, match, rows, columns, order)
    return [(i, int(match[i])) for i in range(rows) if match[i] < columns]


@cache
def _solver() -> Callable[[Grid], tuple[NDArray[np.intp], NDArray[np.intp]]]:
    # Imported when first needed: scipy.optimize takes longer to import than all else that comparing needs,
    # and most lists never get here.
    from scipy.optimize import linear_sum_assignment

    return linear_sum_assignment


def _tight_edges(cost: Grid, match: NDArray[np.intp]) -> NDArray[np.bool_]:
    """Mark the cells that some optimal assignment uses at most: reduced cost 0 under optimal potentials."""
    size = len(cost)
    matched = cost[np.arange(size), match]
    potential = np.zeros(size)  # of columns; a row's is its matched cost less its column's
    for _ in range(size + 1):
        row_potential = matched - potential[match]
        better = np.minimum(potential, (cost - row_potential[:, None]).min(axis=0))
        if np.array_equal(better, potential):
            break
        potential = better
    reduced = cost - (matched - potential[match])[:, None] - potential[None, :]
    return np.asarray(reduced <= 0.5)


def _smallest_matching(
    tight: NDArray[np.bool_], match: NDArray[np.intp], rows: int, columns: int, order: Order | None
) -> NDArray[np.intp]:
    """Return the lexicographically smallest perfect matching among the tight cells, in the order that is given."""
    if order is None:
        return _Matching(tight, match).smallest(rows, columns)
    size = len(match)
    by_row, by_column = (
        np.array([*first, *range(len(first), size)], dtype=np.intp) for first in order()
    )  # what was added to make a square comes last
    place = np.empty(size, dtype=np.intp)
    place[by_column] = np.arange(size)
    found = _Matching(tight[np.ix_(by_row, by_column)], place[match[by_row]]).smallest(rows, columns)
    out = np.empty(size, dtype=np.intp)
    out[by_row] = by_column[found]
    return out


class _Matching:
    """A perfect matching among tight cells, made smaller row by row along alternating paths.

    Sets of rows and of columns are the bits of whole numbers.
    """

    def __init__(self, tight: NDArray[np.bool_], match: NDArray[np.intp]) -> None:
        self.column_of: list[int] = match.tolist()
        self.row_of = [0] * len(self.column_of)
        for row, column in enumerate(self.column_of):
            self.row_of[column] = row
        self.columns_of, self.rows_of = _bits(tight), _bits(tight.T)
        self.free = (1 << len(self.column_of)) - 1
        """The rows that have not got their final column."""

    def smallest(self, rows: int, columns: int) -> NDArray[np.intp]:
        taken = 0
        for row in range(rows):
            smaller = (1 << min(columns, self.column_of[row])) - 1
            wanted = self.columns_of[row] & smaller & ~taken
            if wanted:
                self._improve(row, wanted)
            taken |= 1 << self.column_of[row]
            self.free &= ~(1 << row)
        return np.array(self.column_of, dtype=np.intp)

    def _improve(self, row: int, wanted: int) -> None:
        """Give a row the smallest wanted column from which its present one is reached: those who lose one move on."""
        goal = self.column_of[row]
        next_column = {goal: -1}
        unseen = self.free & ~(1 << row)
        best, queue = -1, [goal]
        for column in queue:
            found = self.rows_of[column] & unseen
            unseen &= ~found
            for loser in _places(found):
                own = self.column_of[loser]
                next_column[own] = column
                queue.append(own)
                if wanted >> own & 1:
                    best = own
                    wanted &= (1 << own) - 1
            if not wanted:
                break
        if best >= 0:
            self._move(row, best, next_column)

    def _move(self, row: int, column: int, next_column: dict[int, int]) -> None:
        while column != -1:
            loser = self.row_of[column]
            self.column_of[row], self.row_of[column] = column, row
            row, column = loser, next_column[column]


def _bits(cells: NDArray[np.bool_]) -> list[int]:
    """Return each row as a number, with the bits of its cells."""
    packed = np.packbits(cells, axis=1, bitorder="little")
    return [int.from_bytes(row.tobytes(), "little") for row in packed]


def _places(bits: int) -> list[int]:
    """Return the places of the bits of a number.

    >>> _places(0b1010)
    [1, 3]
    """
    raw = np.frombuffer(bits.to_bytes((bits.bit_length() + 7) // 8, "little"), dtype=np.uint8)
    found: list[int] = np.flatnonzero(np.unpackbits(raw, bitorder="little")).tolist()
    return found


def assign_in_sequence(similarity: Grid, accept: float) -> Pairing:
    """Pair rows with columns without crossing for the greatest total similarity, then the most accepted pairs.

    What is left between two pairs is paired in order, as the least bad choice.
    """
    rows, columns = similarity.shape
    gain = np.rint(similarity * _STEPS) * (min(rows, columns) + 1) + (similarity >= accept)
    best = np.zeros((rows + 1, columns + 1))
    for i in range(rows - 1, -1, -1):
        step = np.maximum(gain[i] + best[i + 1, 1:], best[i + 1, :-1])
        # best[i, j] = max(step[j], best[i, j + 1]): a running maximum from the right
        best[i, :-1] = np.maximum.accumulate(step[::-1])[::-1]
    return _filled(_read_sequence(gain, best), rows, columns)


def _read_sequence(gain: Grid, best: Grid) -> Pairing:
    pairs, i, j = [], 0, 0
    rows, columns = gain.shape
    while i < rows and j < columns:
        if gain[i, j] > 0 and best[i, j] == gain[i, j] + best[i + 1, j + 1]:
            pairs.append((i, j))
            i, j = i + 1, j + 1
        elif best[i, j] == best[i, j + 1]:
            j += 1
        else:
            i += 1
    return pairs


def _filled(pairs: Pairing, rows: int, columns: int) -> Pairing:
    out: Pairing = []
    i = j = 0
    for row, column in [*pairs, (rows, columns)]:
        out += zip(range(i, row), range(j, column), strict=False)
        if row < rows:
            out.append((row, column))
        i, j = row + 1, column + 1
    return out
