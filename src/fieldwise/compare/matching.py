"""Which list item belongs to which: the only place that knows an assignment algorithm.

Similarities are compared in steps of 1e-9. Among pairings of equal total the one with more accepted pairs wins,
then the lexicographically smallest, so that a result never depends on the solver.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

Grid = NDArray[np.float64]
Pairing = list[tuple[int, int]]

_STEPS = 1e9
CLEARLY = 2 / _STEPS
"""A difference that no rounding to whole steps can undo."""


def assign(similarity: Grid, accept: float) -> Pairing:
    """Pair rows with columns, one to one, for the greatest total similarity; always min(m, n) pairs.

    >>> assign(np.array([[0.1, 0.9], [0.8, 0.9]]), 0.5)
    [(0, 1), (1, 0)]
    """
    rows, columns = similarity.shape
    if rows == 1 and columns == 1:
        return [(0, 0)]
    if rows > columns:
        easy = row_maxima(np.ascontiguousarray(similarity.T))
        if easy is not None:
            return sorted((i, j) for j, i in enumerate(easy))
    else:
        easy = row_maxima(similarity)
        if easy is not None:
            return list(enumerate(easy))
    return _assign_with_ties(similarity, accept)


def assign_small(similarity: Sequence[Sequence[float]], accept: float) -> Pairing:
    """Do the same for a few items held in plain lists, without the cost of an array where none is needed."""
    if len(similarity) <= len(similarity[0]):
        taken: list[int] = []
        for row in similarity:
            ranked = sorted(row, reverse=True)
            column = row.index(ranked[0])
            if column in taken or (len(row) > 1 and ranked[0] - ranked[1] <= CLEARLY):
                break
            taken.append(column)
        else:
            return list(enumerate(taken))
    return assign(np.array(similarity, dtype=np.float64), accept)


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


def _assign_with_ties(similarity: Grid, accept: float) -> Pairing:
    rows, columns = similarity.shape
    size = max(rows, columns)
    # Whole numbers, so that the solver's sums are exact: similarity first, accepted pairs second.
    gain = np.zeros((size, size))
    gain[:rows, :columns] = np.rint(similarity * _STEPS) * (min(rows, columns) + 1) + (similarity >= accept)
    cost = -gain
    match = _solver()(cost)[1]
    tight = _tight_edges(cost, match)
    if np.count_nonzero(tight[:rows]) > rows:
        match = _smallest_matching(tight, match, rows, columns)
    return [(i, int(match[i])) for i in range(rows) if match[i] < columns]


@cache
def _solver() -> Callable[[Grid], Any]:
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


def _smallest_matching(tight: NDArray[np.bool_], match: NDArray[np.intp], rows: int, columns: int) -> NDArray[np.intp]:
    """Return the lexicographically smallest perfect matching among the tight cells."""
    column_of = match.copy()
    row_of = np.empty_like(match)
    row_of[column_of] = np.arange(len(match))
    fixed = np.zeros(len(match), dtype=bool)
    for row in range(rows):
        for column in np.flatnonzero(tight[row, : min(columns, column_of[row])]):
            if not fixed[column] and _reroute(tight, column_of, row_of, fixed, row, int(column)):
                break
        fixed[column_of[row]] = True
    return column_of


def _reroute(
    tight: NDArray[np.bool_],
    column_of: NDArray[np.intp],
    row_of: NDArray[np.intp],
    fixed: NDArray[np.bool_],
    row: int,
    column: int,
) -> bool:
    """Give ``column`` to ``row`` if the row that loses it reaches the freed column along tight cells."""
    goal = int(column_of[row])
    came_from: dict[int, int] = {column: -1}
    queue = [column]
    for here in queue:
        loser = int(row_of[here])
        open_columns = tight[loser] & ~fixed
        if open_columns[goal]:
            _shift(column_of, row_of, came_from, here, goal)
            column_of[row], row_of[column] = column, row
            return True
        for step in np.flatnonzero(open_columns):
            if int(step) not in came_from:
                came_from[int(step)] = here
                queue.append(int(step))
    return False


def _shift(
    column_of: NDArray[np.intp], row_of: NDArray[np.intp], came_from: dict[int, int], here: int, free: int
) -> None:
    while here != -1:
        loser = row_of[here]
        column_of[loser], row_of[free] = free, loser
        here, free = came_from[here], here


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
