"""What a count table says: rates of each class, their averages, kappa, MCC, the confusion matrix, intervals.

Conventions are scikit-learn's: classes are the union of the labels of both sides; macro is the mean of the classes'
rates, weighted the mean by support, micro the rate of the sums.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from fieldwise.bulk_aggregator import ratio
from fieldwise.classify.counts import Cell, CountTable
from fieldwise.classify.labels import MISSING, Key, display_names
from fieldwise.results.classes import Average, Confusion, Judge, Missing, RowCounts, UndefinedRates
from fieldwise.stats.histograms import Part, by_denominator
from fieldwise.stats.intervals import logit_interval, t_quantile
from fieldwise.values import Json

Ints: TypeAlias = npt.NDArray[np.int64]
Floats: TypeAlias = npt.NDArray[np.float64]
ZeroDivision: TypeAlias = float | Literal["shown"] | None
"""What 0/0 is: a number; None, left out of averages; "shown": None in its row and 0 in averages."""


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


class ClassParts(NamedTuple):
    """What units have of one class, by the denominators of its rates."""

    precision: list[Part]
    recall: list[Part]
    f1: list[Part]
    """Of 2·right / (predicted + expected)."""


@dataclass(frozen=True)
class UnitCounts:
    """What rows count by unit: by cluster, or each row alone where they come without. Equal rows are one unit here.

    ``right`` and ``rows`` are of each unit over all classes, ``times`` is how many such units there are. An entry is
    what a unit has of a class: the rows right among those predicted as it, those predicted, right among those expected,
    and expected; ``of_unit`` and ``of_class`` say whose it is.
    """

    keys: list[Key]
    right: Ints
    rows: Ints
    times: Ints
    of_unit: Ints
    of_class: Ints
    entries: Ints

    @classmethod
    def of(cls, table: CountTable, judge: Judge) -> UnitCounts:
        """Count the clusters of a table, or its rows where some are in none."""
        units = _rows_alone(table) if None in table.groups else _clusters(table)
        keys = table.classes()
        place = {key: i for i, key in enumerate(keys)}
        found: dict[tuple[int, int], list[int]] = {}
        wholes: list[list[int]] = []
        for number, (cells, times) in enumerate(units):
            whole = [0, 0, times]
            for cell, n in cells:
                is_right = n if (cell.correct if judge == "correct" else cell.same) else 0
                whole[0] += is_right
                whole[1] += n
                for key, first in ((cell.predicted, 0), (cell.golden, 2)):
                    if key in place:
                        entry = found.setdefault((number, place[key]), [0, 0, 0, 0])
                        entry[first] += is_right
                        entry[first + 1] += n
            wholes.append(whole)
        columns = np.array(wholes, np.int64).reshape(-1, 3).T
        of_unit, of_class = np.array([*found], np.int64).reshape(-1, 2).T
        entries = np.array([*found.values()], np.int64).reshape(-1, 4)
        return cls(keys, columns[0], columns[1], columns[2], of_unit, of_class, entries)

    @property
    def n(self) -> int:
        """The number of units."""
        return int(self.times.sum())

    def accuracy(self) -> list[Part]:
        """Return the units of the share of right rows."""
        return _parts(self.right, self.rows, self.times)

    def class_parts(self) -> dict[Key, ClassParts]:
        """Return of each class what the units have of it; those that have nothing of it are left out."""
        parts: dict[Key, ClassParts] = {}
        for place, key in enumerate(self.keys):
            own = self.of_class == place
            (right_predicted, predicted, right, expected) = self.entries[own].T
            times = self.times[self.of_unit[own]]
            parts[key] = ClassParts(
                _parts(right_predicted, predicted, times),
                _parts(right, expected, times),
                _parts(right_predicted + right, predicted + expected, times),
            )
        return parts

    def macro_f1_interval(self, confidence: float) -> tuple[float, float] | None:
        """Return the interval of macro F1, the mean over the classes that occur; None with fewer than 2 units.

        SE² = (n-1)/n · Σ (F₋ - F̄)² with F₋ without each unit and F̄ the mean of these. Each bound is
        logit F' ± t(n-1) · √(SE² + (F' - F)²) / (F'(1-F')), where F' has half of one more unit of mean size, its
        classes in the proportion of all: wholly wrong for the lower bound, wholly right for the upper one.
        """
        n = self.n
        if n < 2 or not self.keys:
            return None
        total = np.zeros((len(self.keys), 4))
        np.add.at(total, self.of_class, self.entries * self.times[self.of_unit, None])
        without = self._macro_f1_without(total)
        spread = float(self.times @ (without - self.times @ without / n) ** 2) * (n - 1) / n
        wrong = total * (0, 1, 0, 1) / (2 * n)
        right = total[:, 3:] / (2 * n)
        value, quantile = _macro_f1(total), t_quantile(n - 1, confidence)

        def bound(more: Floats, side: int) -> float:
            shifted = _macro_f1(total + more)
            if not 0 < shifted < 1:
                return shifted
            return logit_interval(shifted, math.sqrt(spread + (shifted - value) ** 2), quantile)[side]

        return bound(wrong, 0), bound(right, 1)

    def _macro_f1_without(self, total: Floats) -> Floats:
        """Return macro F1 without each unit, which changes only the classes that the unit has something of."""
        f1, occurs = _class_f1(total), total[:, 1] + total[:, 3] > 0
        remains = total[self.of_class] - self.entries
        change = _class_f1(remains) - f1[self.of_class]
        gone = occurs[self.of_class] & (remains[:, 1] + remains[:, 3] == 0)
        units = len(self.times)
        sums = f1.sum() + np.bincount(self.of_unit, change, units)
        number: Floats = occurs.sum() - np.bincount(self.of_unit, gone, units)
        rates: Floats = np.divide(sums, number, out=np.zeros(units), where=number > 0)
        return rates


def _macro_f1(counts: Floats) -> float:
    occurs = int((counts[:, 1] + counts[:, 3] > 0).sum())
    return float(_class_f1(counts).sum()) / occurs if occurs else 0.0


def _class_f1(counts: Floats) -> Floats:
    """Return F1 of rows of the four counts; 0 where a rate is undefined."""
    rates = [
        np.divide(counts[:, at], counts[:, at + 1], out=np.zeros(len(counts)), where=counts[:, at + 1] > 0)
        for at in (0, 2)
    ]
    both = rates[0] + rates[1]
    f1: Floats = np.divide(2 * rates[0] * rates[1], both, out=np.zeros(len(counts)), where=both > 0)
    return f1


_Unit: TypeAlias = tuple[Sequence[tuple[Cell, int]], int]
"""The rows of a unit, and how many units have the same."""


def _clusters(table: CountTable) -> Iterator[_Unit]:
    for name in sorted(table.groups, key=str):
        yield list(table.groups[name].items()), 1
    yield from table.closed.items()


def _rows_alone(table: CountTable) -> Iterator[_Unit]:
    for cell, times in sorted(table.cells.items()):
        yield [(cell, 1)], times


def _parts(right: Ints, rows: Ints, times: Ints) -> list[Part]:
    units = zip(right.tolist(), rows.tolist(), times.tolist(), strict=True)
    return by_denominator(Part(whole, n, n * numerator, n * numerator * numerator) for numerator, whole, n in units)
