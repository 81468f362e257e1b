"""Made-up test sets whose truth is known: how many values a document has, and how its errors come together.

A world draws many sets at once: tp, fd, fa and fn of the documents of each, along the last axis. Of the values that are
not right 60 % are wrong and 40 % missed, and 3 % more are invented, unless the world says otherwise.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

import numpy as np
import numpy.typing as npt
from scipy.special import expit, logit, ndtr, ndtri

Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]
Bools = npt.NDArray[np.bool_]
Shape: TypeAlias = tuple[int, int]
"""Sets, and documents of each."""
Random = np.random.Generator
Draw: TypeAlias = Callable[[Random, Shape], Ints]


def outcomes(rng: Random, values: Ints, quality: Floats | float, invented: Floats | float = 0.03) -> Ints:
    """Draw tp, fd, fa, fn of documents with so many expected values, each right with the quality of its document."""
    right = rng.binomial(values, quality)
    wrong = rng.binomial(values - right, 0.6)
    return np.stack([right, wrong, rng.poisson(invented * values), values - right - wrong], axis=-1)


def lists(rng: Random, shape: Shape, mean: float = 11.0) -> Ints:
    """Draw sizes with a heavy tail: 1 + negative binomial."""
    return 1 + rng.negative_binomial(1.2, 1.2 / (1.2 + mean), shape)


def pareto(rng: Random, shape: Shape) -> Ints:
    """Draw sizes of Pareto's law with exponent 1.3, 400 at most."""
    return np.minimum(3 * (1 + rng.pareto(1.3, shape)), 400).astype(np.int64)


def weibull(rng: Random, shape: Shape) -> Ints:
    """Draw sizes of which the longest tenth has more than half of the values."""
    return 1 + np.floor(8 * rng.weibull(0.5, shape)).astype(np.int64)


def fixed(shape: Shape, size: int) -> Ints:
    """Return one size for all."""
    return np.full(shape, size)


def shared(rng: Random, shape: Shape, accuracy: float, ties: float = 4.0) -> Floats:
    """Draw a quality for each document, Beta with this mean; the smaller ``ties``, the more documents differ."""
    return rng.beta(ties * accuracy, ties * (1 - accuracy), shape)


def some(rng: Random, shape: Shape, share: float) -> Bools:
    """Draw a share of documents."""
    return rng.random(shape) < share


def chain(rng: Random, values: Ints, wrong: float, stays: float) -> Ints:
    """Draw how many values are right where errors follow each other."""
    begins = wrong * (1 - stays) / (1 - wrong)
    is_wrong = rng.random(values.shape) < wrong
    right = np.zeros(values.shape, np.int64)
    for place in range(int(values.max())):
        right += ~is_wrong & (place < values)
        is_wrong = rng.random(values.shape) < np.where(is_wrong, stays, begins)
    return right


def in_bursts(rng: Random, shape: Shape, accuracy: float, stays: float) -> Ints:
    """Draw documents of 4 to 40 values whose errors follow each other."""
    values = rng.integers(4, 41, shape)
    right = chain(rng, values, 1 - accuracy, stays)
    wrong = rng.binomial(values - right, 0.6)
    return np.stack([right, wrong, rng.poisson(0.03 * values), values - right - wrong], axis=-1)


def lost(rng: Random, shape: Shape, share: float, else_: float, *, garbage: float = 0.0) -> Ints:
    """Draw documents of which some are missed as a whole, and some wholly wrong."""
    values, chance = lists(rng, shape), rng.random(shape)
    table = outcomes(rng, values, else_, 0.03 if else_ < 1 else 0.0)
    nothing = np.zeros_like(values)
    table = np.where((chance < share)[..., None], np.stack([nothing, nothing, nothing, values], axis=-1), table)
    is_garbage = (chance >= share) & (chance < share + garbage)
    return np.where(is_garbage[..., None], np.stack([nothing, values, nothing, nothing], axis=-1), table)


def two_types(rng: Random, shape: Shape, *, rates: tuple[float, float], sizes: tuple[int, int], short: float) -> Ints:
    """Draw short documents and long ones."""
    is_short = some(rng, shape, short)
    values = np.where(is_short, 1 + rng.poisson(sizes[0], shape), 1 + rng.poisson(sizes[1], shape))
    quality = np.where(is_short, shared(rng, shape, rates[0], 8), shared(rng, shape, rates[1], 8))
    return outcomes(rng, values, quality)


def longer_is_worse(rng: Random, shape: Shape, sizes: Ints, accuracy: float, slope: float) -> Ints:
    """Draw documents whose quality falls with their length."""
    quality = expit(logit(accuracy) - slope * np.log(sizes / 10))
    return outcomes(rng, sizes, quality)


def limited(rng: Random, sizes: Ints, rows: int, accuracy: float) -> Ints:
    """Draw documents whose rows beyond a limit are missed."""
    table = outcomes(rng, np.minimum(sizes, rows), accuracy)
    table[..., 3] += np.maximum(sizes - rows, 0)
    return table


def inventing(rng: Random, shape: Shape, share: float, times: float) -> Ints:
    """Draw documents of which some have many invented values."""
    values = lists(rng, shape)
    return outcomes(rng, values, 0.95, np.where(some(rng, shape, share), times, 0.01))


def fields(rng: Random, shape: Shape, number: int, accuracy: float, factor: Floats, weight: float) -> Ints:
    """Draw documents of scalar fields that are right together where a factor of the document is large."""
    chance = ndtr(ndtri(accuracy) * np.sqrt(1 + weight * weight) + weight * factor)
    return outcomes(rng, fixed(shape, number), chance, 0.0)


def mixed(rng: Random, shape: Shape, shares: tuple[float, ...], rates: tuple[float, ...], sizes: Ints) -> Ints:
    """Draw documents of several qualities."""
    return outcomes(rng, sizes, np.array(rates)[rng.choice(len(rates), shape, p=shares)])


def catastrophic(rng: Random, shape: Shape, accuracy: float) -> Ints:
    """Draw documents of which 5 %, or half of the errors, have almost no right value."""
    share = min(0.05, (1 - accuracy) / 2)
    return outcomes(rng, lists(rng, shape), np.where(some(rng, shape, share), 0.05, accuracy / (1 - share)))


KNOWN: dict[str, Draw] = {
    "even, 15 values, 95 %": lambda rng, shape: outcomes(rng, fixed(shape, 15), 0.95),
    "3 % lost, 1 % garbage": lambda rng, shape: lost(rng, shape, 0.03, 0.98, garbage=0.01),
    "1 % lost, else perfect": lambda rng, shape: lost(rng, shape, 0.01, 1.0),
    "Pareto lists": lambda rng, shape: outcomes(rng, pareto(rng, shape), shared(rng, shape, 0.94)),
    "Pareto lists, long ones worse": lambda rng, shape: longer_is_worse(rng, shape, pareto(rng, shape), 0.95, 0.5),
    "receipts and statements": lambda rng, shape: two_types(rng, shape, rates=(0.96, 0.85), sizes=(6, 50), short=0.85),
    "99.5 %, even": lambda rng, shape: outcomes(rng, fixed(shape, 15), 0.995, 0.0),
    "99.5 %, bursts": lambda rng, shape: in_bursts(rng, shape, 0.995, 0.8),
    "20 fields, heavy-tailed factor": lambda rng, shape: fields(rng, shape, 20, 0.95, rng.standard_t(3, shape), 0.7),
    "a list that 70 % do not have": lambda rng, shape: outcomes(
        rng, np.where(some(rng, shape, 0.7), 0, lists(rng, shape)), shared(rng, shape, 0.93)
    ),
    "limit of 40 rows": lambda rng, shape: limited(rng, weibull(rng, shape), 40, 0.98),
    "4 % with invented rows": lambda rng, shape: inventing(rng, shape, 0.04, 2.0),
    "half perfect, half 70 %": lambda rng, shape: mixed(rng, shape, (0.5, 0.5), (1.0, 0.7), lists(rng, shape)),
    "poor system, short documents": lambda rng, shape: outcomes(
        rng, 1 + rng.poisson(4, shape), shared(rng, shape, 0.35), 0.1
    ),
    "beta-binomial, 90 %": lambda rng, shape: outcomes(rng, lists(rng, shape), shared(rng, shape, 0.9)),
    "beta-binomial, 99 %": lambda rng, shape: outcomes(rng, lists(rng, shape), shared(rng, shape, 0.99), 0.0),
    "5 % catastrophic, 90 %": lambda rng, shape: catastrophic(rng, shape, 0.9),
    "5 % catastrophic, 99 %": lambda rng, shape: catastrophic(rng, shape, 0.99),
    "heavy lists, 90 %": lambda rng, shape: outcomes(rng, weibull(rng, shape), shared(rng, shape, 0.9)),
    "heavy lists, 99 %": lambda rng, shape: outcomes(rng, weibull(rng, shape), shared(rng, shape, 0.99), 0.0),
    "8 flat fields, 90 %": lambda rng, shape: fields(rng, shape, 8, 0.9, rng.standard_normal(shape), 1.0),
    "8 flat fields, 99 %": lambda rng, shape: fields(rng, shape, 8, 0.99, rng.standard_normal(shape), 1.0),
}
"""Worlds of the kind on which the half document was chosen."""

FRESH: dict[str, Draw] = {
    "8 values, 97 %": lambda rng, shape: outcomes(rng, fixed(shape, 8), 0.97),
    "40 values, 90 %": lambda rng, shape: outcomes(rng, fixed(shape, 40), 0.9),
    "geometric sizes, 95 %": lambda rng, shape: outcomes(rng, rng.geometric(0.1, shape), shared(rng, shape, 0.95, 9)),
    "geometric sizes, 80 %": lambda rng, shape: outcomes(rng, rng.geometric(0.1, shape), shared(rng, shape, 0.8, 9)),
    "lognormal sizes, 93 %": lambda rng, shape: outcomes(
        rng, 1 + rng.lognormal(2, 1, shape).astype(np.int64), shared(rng, shape, 0.93)
    ),
    "wide lognormal sizes, 85 %": lambda rng, shape: outcomes(
        rng, 1 + rng.lognormal(2, 1.4, shape).astype(np.int64), shared(rng, shape, 0.85)
    ),
    "6 % half read": lambda rng, shape: mixed(rng, shape, (0.94, 0.06), (0.98, 0.5), lists(rng, shape)),
    "2 % lost, else 97 %": lambda rng, shape: lost(rng, shape, 0.02, 0.97),
    "10 % lost, else 99 %": lambda rng, shape: lost(rng, shape, 0.1, 0.99),
    "scans of three qualities": lambda rng, shape: mixed(
        rng, shape, (0.7, 0.25, 0.05), (0.99, 0.93, 0.6), 1 + rng.poisson(11, shape)
    ),
    "forms, letters and reports": lambda rng, shape: mixed(
        rng, shape, (0.6, 0.3, 0.1), (0.98, 0.95, 0.9), np.array((5, 15, 60))[rng.choice(3, shape, p=(0.6, 0.3, 0.1))]
    ),
    "longer is a little worse": lambda rng, shape: longer_is_worse(rng, shape, lists(rng, shape), 0.95, 0.3),
    "limit of 60 rows": lambda rng, shape: limited(rng, 1 + rng.lognormal(2.5, 1, shape).astype(np.int64), 60, 0.97),
    "8 % with repeated rows": lambda rng, shape: inventing(rng, shape, 0.08, 0.5),
    "bursts, 95 %": lambda rng, shape: in_bursts(rng, shape, 0.95, 0.9),
    "an optional field, 90 %": lambda rng, shape: outcomes(rng, some(rng, shape, 0.6).astype(np.int64), 0.9, 0.0),
    "one field, 98 %": lambda rng, shape: outcomes(rng, fixed(shape, 1), 0.98, 0.0),
    "two fields that err together": lambda rng, shape: fields(rng, shape, 2, 0.92, rng.standard_normal(shape), 2.0),
    "15 fields with a factor": lambda rng, shape: fields(rng, shape, 15, 0.94, rng.standard_normal(shape), 0.8),
    "nearly all or nothing": lambda rng, shape: outcomes(rng, lists(rng, shape), rng.beta(0.5, 0.05, shape)),
    "poor system": lambda rng, shape: outcomes(rng, lists(rng, shape), shared(rng, shape, 0.4), 0.2),
    "30 values, 99.8 %": lambda rng, shape: outcomes(rng, fixed(shape, 30), 0.998, 0.0),
}
"""Worlds that chose no rule: laid down before it was tried on them."""


def f1_parts(table: Ints) -> tuple[Ints, Ints]:
    """Return the numerator and the denominator of strict F1 of each document."""
    return 2 * table[..., 0], table @ np.array((2, 2, 1, 1))
