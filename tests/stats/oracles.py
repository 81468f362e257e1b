"""The formulas of differences, thresholds and class metrics once more, in plain Python from their definitions."""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from typing import NamedTuple

import numpy as np
from scipy.special import expit, logit
from scipy.stats import t
from sklearn.metrics import f1_score  # type: ignore[import-untyped]  # it has no types

from fieldwise.results.rates import Metric

Pair = tuple[Fraction, Fraction]
"""Numerator and denominator of a document."""
KEPT: dict[Metric, Fraction] = {
    "precision": Fraction(1),
    "recall": Fraction(1),
    "strict_recall": Fraction(1),
    "f1": Fraction(1, 2),
    "strict_f1": Fraction(1, 2),
    "document_macro_f1": Fraction(1),
    "exact_documents": Fraction(1),
}
"""What a lost document keeps of its denominator: only its missed values count, on one side in place of both."""


class Bounds(NamedTuple):
    """A difference, its standard error, and its bounds."""

    delta: float
    se: float
    low: float
    high: float


def paired(
    sides: Sequence[Sequence[tuple[float, float]]],
    metric: Metric = "strict_f1",
    *,
    confidence: float = 0.95,
    times: int | None = None,
    one_more: bool = False,
) -> Bounds:
    """Leave every document of base and candidate out in turn; ``times`` is how often the added document goes into all.

    ``one_more``: another one is added that the other run has wholly wrong.
    """
    runs = [[(Fraction(top), Fraction(bottom)) for top, bottom in run] for run in sides]
    there = [at for at in range(len(runs[0])) if runs[0][at][1] or runs[1][at][1]]
    runs = [[run[at] for at in there] for run in runs]
    sizes = [sum((bottom for _, bottom in run), Fraction()) / (times or 2 * len(there)) for run in runs]
    kept, ends = KEPT[metric], []
    for right, way in ((0, -1), (1, 1)):
        shares = (kept, Fraction(1)) if one_more else (kept,)
        more = [
            [(size, size) if at == right else (Fraction(0), share * size) for share in shares]
            for at, size in enumerate(sizes)
        ]
        delta, se, degrees = _left_out([[*run, *some] for run, some in zip(runs, more, strict=True)])
        ends.append(delta + way * t.ppf((1 + confidence) / 2, degrees) * se)
    delta, se, _ = _left_out(runs)
    return Bounds(delta, se, max(ends[0], -1.0), min(ends[1], 1.0))


def _left_out(runs: list[list[Pair]]) -> tuple[float, float, float]:
    delta = _difference(runs)
    moves = [delta - _difference([run[:at] + run[at + 1 :] for run in runs]) for at in range(len(runs[0]))]
    both = [first[1] + second[1] for first, second in zip(*runs, strict=True)]
    degrees = sum(both) ** 2 / sum(size * size for size in both) - 1
    return float(delta), math.sqrt(sum(move * move for move in moves)), float(degrees)


def _difference(runs: list[list[Pair]]) -> Fraction:
    base, candidate = (
        sum((top for top, _ in run), Fraction()) / sum((bottom for _, bottom in run), Fraction()) for run in runs
    )
    return candidate - base


def upper_error(accepted: Sequence[int], wrong: Sequence[int]) -> float:
    """Bound the error rate among accepted values, given those of each document that has some, at one-sided 97.5%."""
    a, e = np.array(accepted, float), np.array(wrong, float)
    m = a.sum() / (2 * len(a))
    s = a.sum() + m
    r = (e.sum() + m) / s
    se = math.sqrt((((e - r * a) / (1 - a / s)) ** 2).sum() + ((1 - r) * m / (1 - m / s)) ** 2) / s
    degrees = max(1.0, s**2 / ((a**2).sum() + m**2) - 1)
    return float(expit(logit(r) + t.ppf(0.975, degrees) * se / (r * (1 - r)))) if r < 1 else 1.0


def accept(values: Sequence[tuple[int, bool, float]], candidates: Sequence[float], target: float) -> float | None:
    """Choose a threshold by the fixed sequence; values are document, right and confidence."""
    documents = {document for document, _, _ in values}
    start = max(1.5 * math.log(0.05) / math.log(1 - target), len(documents) / 2)
    found, begun = None, False
    for candidate in sorted(candidates, reverse=True):
        of_document: dict[int, list[bool]] = {}
        for document, right, confidence in values:
            if confidence >= candidate:
                of_document.setdefault(document, []).append(right)
        begun = begun or len(of_document) >= start
        if not begun:
            continue
        counts = [(len(rights), rights.count(False)) for rights in of_document.values()]
        if len(counts) < 5 or upper_error(*zip(*counts, strict=True)) > target:
            return found
        found = candidate
    return found


def macro_f1(rows: Sequence[tuple[str, str]], clusters: Sequence[int], confidence: float = 0.95) -> tuple[float, float]:
    """Bound macro F1 by leaving each cluster out, with half of one more that is wholly wrong or wholly right."""
    expected, predicted = [row[0] for row in rows], [row[1] for row in rows]
    names = sorted({*expected, *predicted})
    units = sorted(set(clusters))
    n = len(units)

    def without(unit: int | None) -> float:
        kept = [at for at, own in enumerate(clusters) if own != unit]
        e, p = [expected[at] for at in kept], [predicted[at] for at in kept]
        return float(f1_score(e, p, labels=sorted({*e, *p}), average="macro", zero_division=0))

    value, each = without(None), np.array([without(unit) for unit in units])
    spread = (n - 1) / n * ((each - each.mean()) ** 2).sum()
    support, said = (np.array([side.count(name) for name in names], float) for side in (expected, predicted))
    both = np.array([sum(row == (name, name) for row in rows) for name in names], float)
    more = support / (2 * n)
    ends = []
    for way, (right, predicted_more) in ((-1, (0 * more, said / (2 * n))), (1, (more, more))):
        tp, of_class, as_class = both + right, support + more, said + predicted_more
        shifted = float((2 * tp / (of_class + as_class)).mean())
        se = math.sqrt(spread + (shifted - value) ** 2)
        half = t.ppf((1 + confidence) / 2, n - 1) * se / (shifted * (1 - shifted)) if 0 < shifted < 1 else 0.0
        ends.append(float(expit(logit(shifted) + way * half)))
    return ends[0], ends[1]
