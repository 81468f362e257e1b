"""Accuracy, precision, recall and F1 of rows: of one class with explicit keys, or of all classes at once.

All are views of a count table. Rows are right where their flag says so, or with ``judge="labels"`` where their labels
are the same. Labels are compared with ``==`` here: 1 and True are one class; `ClassReport` keeps them apart.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, Literal

from fieldwise.bulk_aggregator import ratio
from fieldwise.classify.counts import CountTable, labels_by_equality
from fieldwise.classify.labels import MISSING, Key, key_of
from fieldwise.classify.results import Answer, UnitMetricResult, find_keys, key_text
from fieldwise.classify.scores import (
    ClassCounts,
    count_classes,
    count_right,
    count_rows,
    mean,
    stated,
    usable,
)
from fieldwise.errors import InputError, SettingError
from fieldwise.results.classes import Judge, Missing, RowCounts
from fieldwise.values import Json

Rows = Iterable[UnitMetricResult]
RateName = Literal["precision", "recall", "f1_score"]
RATES: dict[RateName, Callable[[ClassCounts], float | None]] = {
    "precision": lambda counts: counts.precision,
    "recall": lambda counts: counts.recall,
    "f1_score": lambda counts: counts.f1,
}


class AccuracyMetric:
    """The share of rows that are called correct; 0.0 without rows."""

    def calculate(self, results: Rows) -> Answer:
        """Return ``{"accuracy": correct / total}``."""
        table = CountTable()
        table.add_results(results, golden_key=None, predicted_key=None)
        return accuracy_answer(table, table.cells.total())


class PrecisionMetric:
    """Of the rows predicted as one class, the share that is right; 0.0 without such rows.

    >>> rows = [UnitMetricResult(True, {"event": "type"}, {"tool": "type"})]
    >>> PrecisionMetric("tool", "click").calculate(rows)
    {'precision': 0.0}
    """

    def __init__(
        self, predicted_key: str, positive_class: Json, *, golden_key: str | None = None, judge: Judge = "correct"
    ) -> None:
        _check(self, positive_class, predicted_key=predicted_key)
        self.metric = OneClassMetric("precision", positive_class, golden_key, predicted_key, judge)

    def calculate(self, results: Rows) -> Answer:
        """Return ``{"precision": TP / (TP + FP)}``."""
        return self.metric.calculate(results)

    @classmethod
    def per_class(
        cls,
        predicted_key: str | None = None,
        golden_key: str | None = None,
        *,
        judge: Judge = "correct",
        missing: Missing = "class",
        zero_division: float | None = 0.0,
    ) -> PerClassMetric:
        """Return the metric of all classes: ``{"average_precision", "precision_per_class"}``."""
        key_text(cls.__name__, "predicted_key", predicted_key)
        return PerClassMetric("precision", golden_key, predicted_key, judge, missing, zero_division)


class RecallMetric:
    """Of the rows expected as one class, the share that is right; 0.0 without such rows."""

    def __init__(
        self, golden_key: str, positive_class: Json, *, predicted_key: str | None = None, judge: Judge = "correct"
    ) -> None:
        _check(self, positive_class, golden_key=golden_key)
        self.metric = OneClassMetric("recall", positive_class, golden_key, predicted_key, judge)

    def calculate(self, results: Rows) -> Answer:
        """Return ``{"recall": TP / (TP + FN)}``."""
        return self.metric.calculate(results)

    @classmethod
    def per_class(
        cls,
        golden_key: str | None = None,
        predicted_key: str | None = None,
        *,
        judge: Judge = "correct",
        missing: Missing = "class",
        zero_division: float | None = 0.0,
    ) -> PerClassMetric:
        """Return the metric of all classes: ``{"average_recall", "recall_per_class"}``."""
        key_text(cls.__name__, "golden_key", golden_key)
        return PerClassMetric("recall", golden_key, predicted_key, judge, missing, zero_division)


class F1ScoreMetric:
    """The harmonic mean of precision and recall of one class; 0.0 without rows of it."""

    def __init__(self, predicted_key: str, golden_key: str, positive_class: Json, *, judge: Judge = "correct") -> None:
        _check(self, positive_class, predicted_key=predicted_key, golden_key=golden_key)
        self.metric = OneClassMetric("f1_score", positive_class, golden_key, predicted_key, judge)

    def calculate(self, results: Rows) -> Answer:
        """Return ``{"f1_score": 2PR / (P + R)}``."""
        return self.metric.calculate(results)

    @classmethod
    def per_class(
        cls,
        predicted_key: str | None = None,
        golden_key: str | None = None,
        *,
        judge: Judge = "correct",
        missing: Missing = "class",
        zero_division: float | None = 0.0,
    ) -> PerClassMetric:
        """Return the metric of all classes: ``{"average_f1_score", "f1_score_per_class"}``, the mean of the latter."""
        key_text(cls.__name__, "predicted_key", predicted_key)
        key_text(cls.__name__, "golden_key", golden_key)
        return PerClassMetric("f1_score", golden_key, predicted_key, judge, missing, zero_division)


@dataclass(frozen=True)
class OneClassMetric:
    """A rate of one class."""

    name: RateName
    positive_class: Json
    golden_key: str | None
    predicted_key: str | None
    judge: Judge

    def calculate(self, results: Rows) -> Answer:
        """Return the rate under its name."""
        found = tabulate(results, self.golden_key, self.predicted_key, both=self.judge == "labels")
        keys = [key for key, value in found.table.values.items() if _equal(key, value, self.positive_class)]
        counts = {c.key: c for c in count_classes(found.table, self.judge)}
        rate = RATES[self.name](merged([counts[key] for key in keys if key in counts]))
        return Answer({self.name: rate or 0.0}, {"rows": found.rows("class").to_dict(), "judge": self.judge})


@dataclass(frozen=True)
class PerClassMetric:
    """A rate of every class, and the mean over the classes of both sides.

    The key of the other side is, where it is not given, the single key that side has, or the same key. Where neither
    is there, the classes are those of the one side, as ``about["classes_of"]`` says.
    """

    name: RateName
    golden_key: str | None
    predicted_key: str | None
    judge: Judge
    missing: Missing
    zero_division: float | None

    def calculate(self, results: Rows) -> Answer:
        """Return the mean and the rates; rows used and skipped, and how many rates are undefined, are in ``about``."""
        found = tabulate(results, self.golden_key, self.predicted_key, both=True, strict=self.judge == "labels")
        rows = found.rows(self.missing)
        rates = class_rates(found.used(self.missing), self.name, self.judge)
        stated_rates = {label: stated(rate, self.zero_division) for label, rate in rates.items()}
        numbers = {
            f"average_{self.name}": mean(list(rates.values()), self.zero_division),
            f"{self.name}_per_class": stated_rates,
        }
        undefined = sum(rate is None for rate in rates.values())
        left_out = undefined if self.zero_division is None else 0
        about = {"rows": rows.to_dict(), "judge": self.judge, "classes_of": found.sides}
        return Answer(numbers, about | {"undefined": undefined, "left_out": left_out})


@dataclass(frozen=True)
class Tabulated:
    """A table, and the keys its labels were found under; without a key the labels of that side are not known."""

    table: CountTable
    golden_key: str | None
    predicted_key: str | None

    @property
    def sides(self) -> Literal["both", "golden", "predicted"]:
        if self.golden_key is None:
            return "predicted"
        return "golden" if self.predicted_key is None else "both"

    def rows(self, missing: Missing) -> RowCounts:
        """Return what became of the rows; a label that is missing on purpose is not counted as missing."""
        found = count_rows(self.table, missing)
        if self.sides == "both":
            return found
        lost = self._lost()
        skipped = {f"no {self.sides} label": lost} if lost and missing == "skip" else {}
        return RowCounts(
            found.total, found.total - sum(skipped.values()), skipped, {self.sides: lost} if lost else {}, 0
        )

    def used(self, missing: Missing) -> CountTable:
        """Return the rows that count; InputError where a label is missing and may not be."""
        if missing == "error" and self.rows("class").missing:
            raise InputError(
                f"Expected a label in every row, found rows without: {self.rows('class').missing}",
                code="row.no_label",
                facts={"rows": self.rows("class").missing},
            )
        if self.sides == "both" or missing != "skip":
            return usable(self.table, missing)
        kept = CountTable()
        kept.values = self.table.values
        for name, cells in self.table.groups.items():
            kept.groups[name] = type(cells)(
                {cell: n for cell, n in cells.items() if getattr(cell, self.sides) != MISSING}
            )
        return kept

    def _lost(self) -> int:
        return sum(n for cell, n in self.table.cells.items() if getattr(cell, self.sides) == MISSING)


def tabulate(
    results: Rows, golden_key: str | None, predicted_key: str | None, *, both: bool, strict: bool = False
) -> Tabulated:
    """Count rows in one pass; with ``both`` a key that is not given is looked for, with ``strict`` it must be found."""
    if both and (golden_key is None or predicted_key is None):
        results = list(results)
        golden, predicted = find_keys(results)
        golden_key = golden_key or _other_key(golden, predicted_key)
        predicted_key = predicted_key or _other_key(predicted, golden_key)
        if strict and results and (golden_key is None or predicted_key is None):
            side, keys = ("golden", golden) if golden_key is None else ("predicted", predicted)
            raise SettingError(
                f"Expected {side}_key to judge by labels; the {side} side has {', '.join(keys) or 'no key'}",
                code="setting.missing",
                facts={"setting": f"{side}_key"},
            )
    table = CountTable()
    table.add_results(results, golden_key=golden_key, predicted_key=predicted_key)
    return Tabulated(table, golden_key, predicted_key)


def class_rates(table: CountTable, name: RateName, judge: Judge) -> dict[Any, float | None]:
    """Return a rate for each label, None where it is undefined; labels that are equal are one."""
    counts = {c.key: c for c in count_classes(table, judge)}
    groups = labels_by_equality({key: table.values[key] for key in counts})
    return {label: RATES[name](merged([counts[key] for key in keys])) for label, keys in groups.items()}


def accuracy_answer(table: CountTable, total: int, judge: Judge = "correct") -> Answer:
    """Return the share of right rows, 0.0 where there are none."""
    rows = {"total": total, "used": table.cells.total()}
    return Answer({"accuracy": ratio(count_right(table, judge), rows["used"])}, {"rows": rows, "judge": judge})


def merged(counts: Iterable[ClassCounts]) -> ClassCounts:
    """Return the sum of the counts of labels that are taken for one class."""
    sums = [0, 0, 0, 0, 0]
    for c in counts:
        parts = (c.support, c.predicted, c.both, c.right_predicted, c.right_expected)
        sums = [total + part for total, part in zip(sums, parts, strict=True)]
    return ClassCounts(MISSING, *sums)


def _equal(key: Key, value: Json, positive_class: Json) -> bool:
    return bool(value == positive_class) or key == key_of(positive_class)


def _other_key(keys: list[str], same: str | None) -> str | None:
    if len(keys) == 1:
        return keys[0]
    return same if same in keys else None


def _check(metric: object, positive_class: Json, **keys: Json) -> None:
    owner = type(metric).__name__
    for name, key in keys.items():
        if not key:
            raise SettingError(f"{owner}: {name} cannot be empty", facts={"setting": name, "metric": owner})
    if positive_class is None:
        raise SettingError(
            f"{owner}: positive_class is required (cannot be None)",
            code="setting.missing",
            facts={"setting": "positive_class", "metric": owner},
        )
