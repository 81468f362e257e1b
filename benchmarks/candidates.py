"""Made-up candidates beside a baseline: how a candidate differs, and by which share of something it is worse.

A world draws the documents of many sets in both runs. Its loss runs from 0, as good as the baseline, to 1.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import NamedTuple, TypeAlias

import numpy as np

from benchmarks.worlds import (
    Bools,
    Ints,
    Random,
    Shape,
    f1_parts,
    fields,
    in_bursts,
    lists,
    outcomes,
    pareto,
    shared,
    some,
    weibull,
)

Runs: TypeAlias = tuple[Ints, Ints]
"""Baseline and candidate: tp, fd, fa and fn of each document."""
Compete: TypeAlias = Callable[[Random, Shape, float], Runs]
_MANY = 100_000
_TIMES = 4


class World(NamedTuple):
    """How candidates are drawn, and whether the law of their losses is known to be ordinary."""

    draw: Compete
    kind: str
    """Of ordinary worlds values are lost here and there; of others whole documents, or only in long lists."""


def _anew(rng: Random, shape: Shape, share: float, base: Ints, other: Ints) -> Ints:
    """Take a share of the documents from another reading."""
    return np.where(some(rng, shape, share)[..., None], other, base)


def _less(rng: Random, table: Ints, loss: float) -> Ints:
    """Lose a share of the right values, here and there."""
    gone = rng.binomial(table[..., 0], loss)
    wrong = rng.binomial(gone, 0.6)
    return table + np.stack([-gone, wrong, np.zeros_like(gone), gone - wrong], axis=-1)


def _missed(table: Ints, which: Bools) -> Ints:
    """Miss all values of some documents."""
    expected = table[..., [0, 1, 3]].sum(axis=-1)
    nothing = np.zeros_like(expected)
    return np.where(which[..., None], np.stack([nothing, nothing, nothing, expected], axis=-1), table)


def _jitter(rng: Random, table: Ints, share: float) -> Ints:
    """Read a share of documents a little differently: a right value for a wrong one, or the other way round."""
    chance = rng.random(table.shape[:2])
    up, down = (chance < share) & (table[..., 1] > 0), (chance > 1 - share) & (table[..., 0] > 0)
    step = up.astype(np.int64) - down
    nothing = np.zeros_like(step)
    return table + np.stack([step, -step, nothing, nothing], axis=-1)


def _in_lists(sizes: Callable[[Random, Shape], Ints], accuracy: float, anew: float) -> Compete:
    def draw(rng: Random, shape: Shape, loss: float) -> Runs:
        values = sizes(rng, shape)
        base, other = (outcomes(rng, values, shared(rng, shape, accuracy)) for _ in range(2))
        return base, _less(rng, _anew(rng, shape, anew, base, other), loss)

    return draw


def _scalars(number: int, accuracy: float) -> Compete:
    def draw(rng: Random, shape: Shape, loss: float) -> Runs:
        factor = rng.standard_normal(shape)
        base, other = (fields(rng, shape, number, accuracy, factor, 0.8) for _ in range(2))
        return base, _less(rng, other, loss)

    return draw


def whole(rng: Random, shape: Shape, loss: float) -> Runs:
    """Lose whole documents, and be alike else."""
    base = outcomes(rng, lists(rng, shape), 0.95)
    return base, _missed(base, some(rng, shape, loss))


def whole_with_jitter(rng: Random, shape: Shape, loss: float) -> Runs:
    """Lose whole documents, and read others a little differently."""
    core = outcomes(rng, lists(rng, shape), 0.95)
    base, candidate = (_jitter(rng, core, 0.1) for _ in range(2))
    return base, _missed(candidate, some(rng, shape, loss))


def bursts(rng: Random, shape: Shape, loss: float) -> Runs:
    """Be near perfect, and wholly wrong in a few documents."""
    base, other = (in_bursts(rng, shape, 0.995, 0.8) for _ in range(2))
    values = other[..., [0, 1, 3]].sum(axis=-1)
    nothing = np.zeros_like(values)
    wrong = np.stack([nothing, values, nothing, nothing], axis=-1)
    return base, np.where(some(rng, shape, loss)[..., None], wrong, other)


def _cut(sizes: Callable[[Random, Shape], Ints]) -> Compete:
    def draw(rng: Random, shape: Shape, loss: float) -> Runs:
        core = outcomes(rng, sizes(rng, shape), 0.95)
        base, candidate = (_jitter(rng, core, 0.1) for _ in range(2))
        gone = rng.binomial(np.maximum(candidate[..., 0] - 30, 0), loss)
        nothing = np.zeros_like(gone)
        return base, candidate + np.stack([-gone, nothing, nothing, gone], axis=-1)

    return draw


def inventing(rng: Random, shape: Shape, loss: float) -> Runs:
    """Invent as many values as there are, in some documents."""
    core = outcomes(rng, lists(rng, shape), shared(rng, shape, 0.95))
    base, candidate = (_jitter(rng, core, 0.2) for _ in range(2))
    more = np.where(some(rng, shape, loss), core[..., [0, 1, 3]].sum(axis=-1), 0)
    nothing = np.zeros_like(more)
    return base, candidate + np.stack([nothing, nothing, more, nothing], axis=-1)


def half_read(rng: Random, shape: Shape, loss: float) -> Runs:
    """Read some documents by half."""
    core = outcomes(rng, 1 + rng.poisson(14, shape), 0.96)
    base, candidate = (_jitter(rng, core, 0.15) for _ in range(2))
    gone = np.where(some(rng, shape, loss), rng.binomial(candidate[..., 0], 0.5), 0)
    nothing = np.zeros_like(gone)
    return base, candidate + np.stack([-gone, nothing, nothing, gone], axis=-1)


def trading(rng: Random, shape: Shape, loss: float) -> Runs:
    """Mend a third of the errors everywhere, and lose whole documents for it; worse by ``loss`` of documents more."""
    base = outcomes(rng, lists(rng, shape), 0.93)
    mended = rng.binomial(base[..., 1], 1 / 3)
    nothing = np.zeros_like(mended)
    better = base + np.stack([mended, -mended, nothing, nothing], axis=-1)
    return base, _missed(better, some(rng, shape, TRADED + loss))


def mixed_types(rng: Random, shape: Shape, loss: float) -> Runs:
    """Lose values here and there in forms, letters and reports."""
    which = rng.choice(3, shape, p=(0.6, 0.3, 0.1))
    values, quality = np.array((5, 15, 60))[which], np.array((0.98, 0.95, 0.9))[which]
    base, other = (outcomes(rng, values, quality) for _ in range(2))
    return base, _less(rng, _anew(rng, shape, 0.5, base, other), loss)


TRADED = 0.0292
"""So many documents lost cost what a third of the errors mended brings."""
WORLDS: dict[str, World] = {
    "heavy lists": World(_in_lists(weibull, 0.9, 0.5), "ordinary"),
    "12 scalars": World(_scalars(12, 0.92), "ordinary"),
    "one field (fresh)": World(_scalars(1, 0.9), "ordinary"),
    "forms, letters, reports (fresh)": World(mixed_types, "ordinary"),
    "everything read anew (fresh)": World(_in_lists(lists, 0.93, 1.0), "ordinary"),
    "Pareto lists (fresh)": World(_in_lists(pareto, 0.95, 0.3), "ordinary"),
    "whole documents lost, else alike": World(whole, "documents"),
    "whole documents lost, with jitter": World(whole_with_jitter, "documents"),
    "near perfect, whole documents wrong": World(bursts, "documents"),
    "documents half read (fresh)": World(half_read, "documents"),
    "rows invented in whole documents (fresh)": World(inventing, "documents"),
    "a third mended, documents lost (fresh)": World(trading, "documents"),
    "only long lists cut": World(_cut(weibull), "long lists"),
    "only long lists cut, Pareto (fresh)": World(_cut(pareto), "long lists"),
}


def difference(draw: Compete, loss: float) -> float:
    """Return the true difference of strict F1, from very many documents."""
    rng, sums = np.random.default_rng(1), np.zeros((2, 2))
    for _ in range(_TIMES):
        for side, table in enumerate(draw(rng, (1, _MANY), loss)):
            sums[side] += [part.sum() for part in f1_parts(table)]
    (base, of_base), (candidate, of_candidate) = sums.tolist()
    return candidate / of_candidate - base / of_base


@cache
def loss_of(name: str, points: float) -> float:
    """Return the loss at which the candidate of a world is worse by so much."""
    low, high = 0.0, 1.0
    for _ in range(14):
        middle = (low + high) / 2
        is_less = difference(WORLDS[name].draw, middle) > -points
        low, high = (middle, high) if is_less else (low, middle)
    return (low + high) / 2
