"""Accuracy, precision, recall and F1 of rows: of one class with explicit keys, or of all classes at once.

All are views of a count table. Rows are right where their flag says so, or with ``judge="labels"`` where their labels
are the same. Labels are compared with ``==`` here: 1 and True are one class; `ClassReport` keeps them apart.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import ClassVar, Literal

from fieldwise.bulk_aggregator import ratio
from fieldwise.classify.counts import CountTable
from fieldwise.classify.labels import MISSING, Key, Label, key_of, labels_by_equality
from fieldwise.classify.rows import Answer, UnitMetricResult, find_keys, key_text
from fieldwise.classify.scores import (
    ClassCounts,
    count_classes,
    count_right,
    count_rows,
    mean,
    merged,
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


class _ClassRate:
    """A rate of one class, which needs some keys; or, with ``per_class``, of all classes."""

    _rate: ClassVar[RateName]
    _needs: ClassVar[tuple[str, ...]]
    metric: OneClassMetric

    def _ask(
        self, positive_class: Json, *, golden_key: str | None, predicted_key: str | None, judge: Judge
    ) -> OneClassMetric:
        owner, keys = type(self).__name__, {"golden_key": golden_key, "predicted_key": predicted_key}
        for name in self._needs:
            if not keys[name]:
                raise SettingError(f"{owner}: {name} cannot be empty", facts={"setting": name, "metric": owner})
        if positive_class is None:
            raise SettingError(
                f"{owner}: positive_class is required (cannot be None)",
                code="setting.missing",
                facts={"setting": "positive_class", "metric": owner},
            )
        return OneClassMetric(self._rate, positive_class, golden_key, predicted_key, judge)

    def calculate(self, results: Rows) -> Answer:
        """Return the rate under its name."""
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
        """Return the metric of all classes: the rates as ``…_per_class``, and as ``average_…`` their mean."""
        keys = {"golden_key": golden_key, "predicted_key": predicted_key}
        for name in cls._needs:
            key_text(cls.__name__, name, keys[name])
        return PerClassMetric(cls._rate, golden_key, predicted_key, judge, missing, zero_division)


class PrecisionMetric(_ClassRate):
    """Of the rows predicted as one class, the share that is right, TP / (TP + FP); 0.0 without such rows.

    >>> rows = [UnitMetricResult(True, {"event": "type"}, {"tool": "type"})]
    >>> PrecisionMetric("tool", "click").calculate(rows)
    {'precision': 0.0}
    """

    _rate = "precision"
    _needs = ("predicted_key",)

    def __init__(
        self, predicted_key: str, positive_class: Json, *, golden_key: str | None = None, judge: Judge = "correct"
    ) -> None:
        self.metric = self._ask(positive_class, golden_key=golden_key, predicted_key=predicted_key, judge=judge)


class RecallMetric(_ClassRate):
    """Of the rows expected as one class, the share that is right, TP / (TP + FN); 0.0 without such rows."""

    _rate = "recall"
    _needs = ("golden_key",)

    def __init__(
        self, golden_key: str, positive_class: Json, *, predicted_key: str | None = None, judge: Judge = "correct"
    ) -> None:
        self.metric = self._ask(positive_class, golden_key=golden_key, predicted_key=predicted_key, judge=judge)

    @classmethod
    def per_class(  # type: ignore[override]  # the key that it needs comes first
        cls,
        golden_key: str | None = None,
        predicted_key: str | None = None,
        *,
        judge: Judge = "correct",
        missing: Missing = "class",
        zero_division: float | None = 0.0,
    ) -> PerClassMetric:
        """Return the metric of all classes: ``{"average_recall", "recall_per_class"}``."""
        return super().per_class(predicted_key, golden_key, judge=judge, missing=missing, zero_division=zero_division)


class F1ScoreMetric(_ClassRate):
    """The harmonic mean of precision and recall of one class, 2PR / (P + R); 0.0 without rows of it."""

    _rate = "f1_score"
    _needs = ("predicted_key", "golden_key")

    def __init__(self, predicted_key: str, golden_key: str, positive_class: Json, *, judge: Judge = "correct") -> None:
        self.metric = self._ask(positive_class, golden_key=golden_key, predicted_key=predicted_key, judge=judge)


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
        numbers: dict[str, Json] = {self.name: rate or 0.0}
        return Answer(numbers, {"rows": found.rows("class").to_dict(), "judge": self.judge})


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
    results: Rows, golden_key: str | None, predicted_key: str | None, *, both: bool = False, strict: bool = False
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


def class_rates(table: CountTable, name: RateName, judge: Judge) -> dict[Label, float | None]:
    """Return a rate for each label, None where it is undefined; labels that are equal are one."""
    counts = {c.key: c for c in count_classes(table, judge)}
    groups = labels_by_equality({key: table.values[key] for key in counts})
    return {label: RATES[name](merged([counts[key] for key in keys])) for label, keys in groups.items()}


def accuracy_answer(table: CountTable, total: int, judge: Judge = "correct") -> Answer:
    """Return the share of right rows, 0.0 where there are none."""
    rows = {"total": total, "used": table.cells.total()}
    return Answer({"accuracy": ratio(count_right(table, judge), rows["used"])}, {"rows": rows, "judge": judge})


def _equal(key: Key, value: Json, positive_class: Json) -> bool:
    return bool(value == positive_class) or key == key_of(positive_class)


def _other_key(keys: list[str], same: str | None) -> str | None:
    if len(keys) == 1:
        return keys[0]
    return same if same in keys else None
