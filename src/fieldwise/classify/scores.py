"""What a count table says: rates of each class, their averages, kappa, MCC, the confusion matrix, draws of clusters.

Conventions are scikit-learn's: classes are the union of the labels of both sides; macro is the mean of the classes'
rates, weighted the mean by support, micro the rate of the sums.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from fieldwise.bulk_aggregator import ratio
from fieldwise.classify.counts import CountTable
from fieldwise.classify.labels import MISSING, Key, display_names
from fieldwise.results.classes import Average, Confusion, Judge, Missing, RowCounts, UndefinedRates
from fieldwise.stats.histograms import Part
from fieldwise.stats.intervals import REPLICATES, Floats, resample
from fieldwise.values import Json

Ints: TypeAlias = npt.NDArray[np.int64]
ZeroDivision: TypeAlias = float | Literal["shown"] | None
"""What 0/0 is: a number; None, left out of averages; "shown": None in its row and 0 in averages."""
SEED = 20_240_601
"""Draws of clusters begin with it: the same table gives the same interval."""


@dataclass(frozen=True)
class ClassCounts:
    """The counts of one class.

    ``right_predicted`` are the rows predicted as it that are right, ``right_expected`` those expected as it that are
    right. They are one number, the true positives, where equal labels decide; flags may disagree with labels.
    """

    key: Key
    support: int
    predicted: int
    both: int
    right_predicted: int
    right_expected: int

    @property
    def precision(self) -> float | None:
        return self.right_predicted / self.predicted if self.predicted else None

    @property
    def recall(self) -> float | None:
        return self.right_expected / self.support if self.support else None

    @property
    def f1(self) -> float | None:
        """The harmonic mean; 0 where one of the two is undefined, None where both are."""
        if not self.predicted and not self.support:
            return None
        precision, recall = self.precision or 0.0, self.recall or 0.0
        return ratio(2 * precision * recall, precision + recall)


def usable(table: CountTable, missing: Missing) -> CountTable:
    """Return the rows that count: all of them, or only those with both labels."""
    return table.restricted(set(table.values)) if missing == "skip" else table


def count_classes(table: CountTable, judge: Judge) -> list[ClassCounts]:
    """Return the counts of every class, in their order."""
    support: dict[Key, int] = {}
    predicted: dict[Key, int] = {}
    both: dict[Key, int] = {}
    right_expected: dict[Key, int] = {}
    right_predicted: dict[Key, int] = {}
    for cell, n in table.cells.items():
        golden, found, flag = cell
        support[golden] = support.get(golden, 0) + n
        predicted[found] = predicted.get(found, 0) + n
        if golden == found:
            both[golden] = both.get(golden, 0) + n
        if flag if judge == "correct" else cell.same:
            right_expected[golden] = right_expected.get(golden, 0) + n
            right_predicted[found] = right_predicted.get(found, 0) + n
    columns = (support, predicted, both, right_predicted, right_expected)
    return [ClassCounts(key, *(column.get(key, 0) for column in columns)) for key in table.classes()]


def merged(classes: Iterable[ClassCounts]) -> ClassCounts:
    """Return the sum of the counts of several labels, as those of one class."""
    counts = [(c.support, c.predicted, c.both, c.right_predicted, c.right_expected) for c in classes]
    return ClassCounts(MISSING, *(map(sum, zip(*counts, strict=True)) if counts else (0, 0, 0, 0, 0)))


def count_right(table: CountTable, judge: Judge) -> int:
    """Return how many rows are right."""
    return sum(n for cell, n in table.cells.items() if (cell.correct if judge == "correct" else cell.same))


def count_rows(table: CountTable, missing: Missing) -> RowCounts:
    """Return what becomes of the rows of a table under a policy for missing labels."""
    lacking = {"golden": 0, "predicted": 0, "both": 0}
    disagree, total = 0, 0
    for cell, n in table.cells.items():
        total += n
        absent = (cell.golden == MISSING, cell.predicted == MISSING)
        if any(absent):
            lacking["both" if all(absent) else "golden" if absent[0] else "predicted"] += n
        if cell.correct != cell.same and not (missing == "skip" and any(absent)):
            disagree += n
    lacking = {side: n for side, n in lacking.items() if n}
    skipped = {_REASONS[side]: n for side, n in lacking.items()} if missing == "skip" else {}
    return RowCounts(total, total - sum(skipped.values()), skipped, lacking, disagree)


_REASONS = {"golden": "no golden label", "predicted": "no predicted label", "both": "no label on either side"}


def mean(
    rates: Sequence[float | None], zero_division: ZeroDivision, weights: Sequence[int] | None = None
) -> float | None:
    """Return the mean of rates, undefined ones as ``zero_division`` says; without anything to average it is 0/0.

    Where all weights are 0 they don't count, as in scikit-learn.
    """
    each = [1] * len(rates) if weights is None else weights
    pairs = [(filled(rate, zero_division), weight) for rate, weight in zip(rates, each, strict=True)]
    kept = [(rate, weight) for rate, weight in pairs if rate is not None]
    if not any(weight for _, weight in kept):
        kept = [(rate, 1) for rate, _ in kept]
    total = sum(weight for _, weight in kept)
    return sum(rate * weight for rate, weight in kept) / total if total else filled(None, zero_division)


def filled(rate: float | None, zero_division: ZeroDivision) -> float | None:
    """Return what a rate counts as in an average."""
    if rate is not None or zero_division is None:
        return rate
    return 0.0 if zero_division == "shown" else float(zero_division)


def stated(rate: float | None, zero_division: ZeroDivision) -> float | None:
    """Return what a rate is said to be on its own."""
    return rate if zero_division == "shown" else filled(rate, zero_division)


def average(classes: Sequence[ClassCounts], zero_division: ZeroDivision, *, weighted: bool = False) -> Average:
    """Return the macro average, or that by support; each is the mean of the classes' own rates."""
    columns = ([c.precision for c in classes], [c.recall for c in classes], [c.f1 for c in classes])
    weights = [c.support for c in classes] if weighted else None
    precision, recall, f1 = (mean(column, zero_division, weights) for column in columns)
    undefined = UndefinedRates(*(sum(rate is None for rate in column) for column in columns))
    return Average(precision, recall, f1, undefined)


def micro_average(classes: Sequence[ClassCounts], zero_division: ZeroDivision) -> Average:
    """Return the rates of the sums over all classes."""
    total = merged(classes)
    precision, recall, f1 = (stated(rate, zero_division) for rate in (total.precision, total.recall, total.f1))
    return Average(precision, recall, f1)


def cohen_kappa(table: CountTable) -> float | None:
    """Return (po - pe) / (1 - pe), the agreement beyond chance; None where chance alone would agree always.

    A missing label agrees with nothing.
    """
    classes, rows = count_classes(table, "labels"), table.cells.total()
    chance = sum(c.support * c.predicted for c in classes)
    if rows * rows == chance:
        return None
    return (rows * count_right(table, "labels") - chance) / (rows * rows - chance)


def matthews(table: CountTable) -> float | None:
    """Return the correlation of expected and predicted classes (Gorodkin's R_K); None where a side has one class only.

    A missing label is one more class, another one on each side.
    """
    classes, cells = count_classes(table, "labels"), table.cells
    rows = cells.total()
    lost = [sum(n for cell, n in cells.items() if cell[side] == MISSING) for side in (0, 1)]
    chance = sum(c.support * c.predicted for c in classes)
    expected = rows * rows - sum(c.support**2 for c in classes) - lost[0] ** 2
    predicted = rows * rows - sum(c.predicted**2 for c in classes) - lost[1] ** 2
    if not expected or not predicted:
        return None
    found = (rows * count_right(table, "labels") - chance) / (math.sqrt(expected) * math.sqrt(predicted))
    return min(max(found, -1.0), 1.0)  # rounding may lead beyond


def confusion_matrix(table: CountTable) -> Confusion:
    """Return how often which label met which."""
    cells = table.cells
    keys = table.classes()
    if any(MISSING in cell[:2] for cell in cells):
        keys.append(MISSING)
    place = {key: i for i, key in enumerate(keys)}
    counts = [[0] * len(keys) for _ in keys]
    for cell, n in cells.items():
        counts[place[cell.golden]][place[cell.predicted]] += n
    values: dict[Key, Json] = {key: table.values.get(key) for key in keys}
    return Confusion(tuple(display_names(values).values()), tuple(map(tuple, counts)), MISSING in values)


class Replicates(NamedTuple):
    """The number of clusters, and accuracy and macro F1 of each resampled set of them."""

    clusters: int
    accuracy: list[float]
    macro_f1: list[float]


def resample_clusters(table: CountTable, judge: Judge, replicates: int = REPLICATES) -> Replicates:
    """Draw as many clusters as there are, with replacement, and score what was drawn; again and again.

    In each draw macro F1 is the mean over the classes that occur in it.
    """
    sums, classes = _cluster_sums(table, judge)
    drawn = resample(sums, seed=SEED, replicates=replicates)
    accuracy = drawn[:, -2] / np.maximum(drawn[:, -1], 1)
    macro = _macro_f1(drawn[:, : 4 * classes].reshape(len(drawn), 4, classes))
    return Replicates(len(sums), accuracy.tolist(), macro.tolist())


class ClassParts(NamedTuple):
    """What clusters have of one class, by their denominators: of its precision, and of its recall."""

    precision: list[Part]
    recall: list[Part]


def class_parts(table: CountTable, judge: Judge) -> dict[Key, ClassParts]:
    """Return of each class what the clusters have of it; clusters that have nothing of it are left out."""
    sums, classes = _cluster_sums(table, judge)
    columns = sums[:, : 4 * classes].astype(np.int64).reshape(len(sums), 4, classes)
    return {
        key: ClassParts(_parts(columns[:, 0, at], columns[:, 1, at]), _parts(columns[:, 2, at], columns[:, 3, at]))
        for at, key in enumerate(table.classes())
    }


def _parts(right: Ints, rows: Ints) -> list[Part]:
    held: dict[int, list[int]] = {}
    for numerator, denominator in zip(right.tolist(), rows.tolist(), strict=True):
        if denominator:
            part = held.setdefault(denominator, [0, 0, 0])
            part[0] += 1
            part[1] += numerator
            part[2] += numerator * numerator
    return [Part(denominator, *held[denominator]) for denominator in sorted(held)]


def _cluster_sums(table: CountTable, judge: Judge) -> tuple[Floats, int]:
    """Return a row for each cluster, and the number of classes.

    A row has for each class the rows right among those predicted as it, those predicted, right among those expected,
    and expected; then all that are right, and all.
    """
    place = {key: i for i, key in enumerate(table.classes())}
    classes = len(place)
    sums = np.zeros((len(table.groups), 4 * classes + 2))
    for row, name in zip(sums, sorted(table.groups, key=str), strict=True):
        for cell, n in table.groups[name].items():
            right = n if (cell.correct if judge == "correct" else cell.same) else 0
            if cell.predicted in place:
                at = place[cell.predicted]
                row[at] += right
                row[classes + at] += n
            if cell.golden in place:
                at = place[cell.golden]
                row[2 * classes + at] += right
                row[3 * classes + at] += n
            row[-2] += right
            row[-1] += n
    return sums, classes


def _macro_f1(counts: Floats) -> Floats:
    right_predicted, predicted, right_expected, support = (counts[:, part] for part in range(4))
    precision = right_predicted / np.maximum(predicted, 1)
    recall = right_expected / np.maximum(support, 1)
    both = precision + recall
    f1 = np.divide(2 * precision * recall, both, out=np.zeros_like(both), where=both > 0)
    present = (predicted + support) > 0
    mean: Floats = (f1 * present).sum(axis=1) / np.maximum(present.sum(axis=1), 1)
    return mean
