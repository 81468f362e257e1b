"""The class report: everything that expected and predicted labels tell, from one table that merges and is stored."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, ClassVar, get_args

from msgspec.structs import replace

from fieldwise.checks import check_share, checked_choice
from fieldwise.classify.counts import CountTable
from fieldwise.classify.labels import Key, display_names
from fieldwise.classify.rows import UnitMetricResult, find_keys, the_only_key
from fieldwise.classify.scores import (
    ClassCounts,
    ClassParts,
    UnitCounts,
    ZeroDivision,
    average,
    cohen_kappa,
    confusion_matrix,
    count_classes,
    count_rows,
    matthews,
    micro_average,
    stated,
    usable,
)
from fieldwise.errors import InputError, MissingExtraError, SettingError
from fieldwise.results.classes import Averages, ClassRow, ClassScores, Judge, LabelKeys, Missing
from fieldwise.results.rates import Rate, Unit
from fieldwise.states import State, declared, maybe, nested, setting, text
from fieldwise.stats.histograms import Part
from fieldwise.stats.intervals import ratio_interval, wilson
from fieldwise.text import fixed
from fieldwise.values import Json
from fieldwise.writing import well_formed_json

if TYPE_CHECKING:
    import pandas as pd


@dataclass(slots=True, eq=False)
class ReportState(State):
    """What is kept of a report: its counts, and where rows hold their labels."""

    versioned: ClassVar[bool] = True
    golden_key: str | None = declared(setting(maybe(text), None))
    predicted_key: str | None = declared(setting(maybe(text), None))
    table: CountTable = declared(nested(CountTable))


class ClassReport:
    """Counts labels in one pass and says how good they are, class by class; scikit-learn's conventions.

    ``golden_key`` and ``predicted_key`` say where rows hold their class; where they are not given, the single key that
    each side has. ``judge``: equal labels are right, or the flag ``correct`` decides. ``missing``: a row without a
    label is a wrong answer ("class"), left out and counted ("skip"), or refused ("error"). ``zero_division``: what an
    undefined rate is, see `ZeroDivision`. ``cluster_key`` names metadata, such as the document, whose rows belong
    together.

    >>> report = ClassReport()
    >>> report.update_labels(["a", "a", "b"], ["a", "b", "b"])
    >>> scores = report.compute()
    >>> scores.classes[0].recall.value, scores.macro.f1
    (0.5, 0.6666666666666666)
    """

    def __init__(
        self,
        *,
        golden_key: str | None = None,
        predicted_key: str | None = None,
        judge: Judge = "labels",
        missing: Missing = "class",
        zero_division: ZeroDivision = "shown",
        cluster_key: str | None = None,
        confidence: float = 0.95,
    ) -> None:
        checked_choice("judge", judge, get_args(Judge))
        checked_choice("missing", missing, get_args(Missing))
        _check_zero_division(zero_division)
        check_share("confidence", confidence)
        self.golden_key, self.predicted_key, self.cluster_key = golden_key, predicted_key, cluster_key
        self.judge, self.missing, self.zero_division, self.confidence = judge, missing, zero_division, confidence
        self.table = CountTable()

    def reset(self) -> None:
        """Forget every row."""
        self.table = CountTable()

    def update(self, results: Iterable[UnitMetricResult]) -> None:
        """Count rows, all of them or, where one is refused, none. With both keys given, rows may stream."""
        if self.golden_key is None or self.predicted_key is None:
            results = list(results)
            if not results:
                return
            golden, predicted = find_keys(results)
            self.golden_key = self.golden_key or the_only_key(golden, "golden")
            self.predicted_key = self.predicted_key or the_only_key(predicted, "predicted")
        found = CountTable()
        found.add_results(
            results, golden_key=self.golden_key, predicted_key=self.predicted_key, cluster_key=self.cluster_key
        )
        self._take(found)

    def update_labels(
        self,
        golden: Iterable[Json],
        predicted: Iterable[Json],
        *,
        correct: Iterable[bool] | None = None,
        clusters: Iterable[Json] | None = None,
    ) -> None:
        """Count pairs of labels. Without ``correct``, rows are correct where their labels are the same."""
        found = CountTable()
        found.add_labels(golden, predicted, correct=correct, clusters=clusters)
        self._take(found)

    def merge(self, other: ClassReport) -> None:
        """Add the rows of another report, which has counted other rows under the same keys."""
        for name in ("golden_key", "predicted_key"):
            mine, theirs = getattr(self, name), getattr(other, name)
            if mine is not None and theirs is not None and mine != theirs:
                raise SettingError(
                    f"Expected reports of one {name}, got {mine!r} and {theirs!r}",
                    code="state.different_settings",
                    facts={"setting": name, "expected": mine, "got": theirs},
                )
            setattr(self, name, mine if theirs is None else theirs)
        self._take(other.table)

    def _take(self, table: CountTable) -> None:
        """Add counts, unless rows without a label are refused and there is one."""
        lost = count_rows(table, "class").missing if self.missing == "error" else {}
        if lost:
            sides = ", ".join(
                f"{n} without a label on {side} side{'s' if side == 'both' else ''}" for side, n in lost.items()
            )
            keys = f"(keys {self.golden_key!r} and {self.predicted_key!r}) " if self.golden_key else ""
            raise InputError(f"Expected a label {keys}in every row, found rows: {sides}", code="row.no_label")
        self.table.merge(table)

    def compute(self) -> ClassScores:
        """Return all rates of the rows counted so far; InputError where there is no row to judge."""
        table = usable(self.table, self.missing)
        rows = count_rows(self.table, self.missing)
        if not rows.used:
            raise InputError("Expected rows with labels, found none to count", code="input.no_rows")
        counts, zero = count_classes(table, self.judge), self.zero_division
        units, clusters = UnitCounts.of(table, self.judge), None not in table.groups
        unit: Unit = "clusters" if clusters else "values"
        averages = Averages(micro_average(counts, zero), average(counts, zero), average(counts, zero, weighted=True))
        return ClassScores(
            rows=rows,
            keys=LabelKeys(self.golden_key, self.predicted_key),
            judge=self.judge,
            missing=self.missing,
            confidence=self.confidence,
            clusters=units.n if clusters else None,
            accuracy=replace(ratio_interval(units.accuracy(), self.confidence), unit=unit),
            averages=averages,
            macro_f1=self._macro_f1(averages.macro.f1, units, unit),
            kappa=stated(cohen_kappa(table), zero),
            mcc=stated(matthews(table), zero),
            classes=self._class_rows(counts, rows.used, table, units.class_parts() if clusters else {}),
            confusion=confusion_matrix(table),
        )

    def _macro_f1(self, value: float | None, units: UnitCounts, unit: Unit) -> Rate:
        low, high = units.macro_f1_interval(self.confidence) or (None, None)
        return Rate(value, low, high, units.n, unit)

    def _class_rows(
        self, counts: Sequence[ClassCounts], rows: int, table: CountTable, parts: Mapping[Key, ClassParts]
    ) -> tuple[ClassRow, ...]:
        names = display_names({c.key: self.table.values[c.key] for c in counts})
        return tuple(self._class_row(c, names[c.key], rows, parts.get(c.key)) for c in counts)

    def _class_row(self, c: ClassCounts, name: str, rows: int, parts: ClassParts | None) -> ClassRow:
        say = partial(stated, zero_division=self.zero_division)
        if parts is None:
            precision = self._rate(say(c.precision), c.right_predicted, c.predicted)
            recall = self._rate(say(c.recall), c.right_expected, c.support)
        else:
            precision = self._by_cluster(say(c.precision), parts.precision)
            recall = self._by_cluster(say(c.recall), parts.recall)
        return ClassRow(
            label=well_formed_json(self.table.values[c.key]),
            type=c.key[0],
            name=name,
            precision=precision,
            recall=recall,
            f1=say(c.f1),
            support=c.support,
            predicted=c.predicted,
            tp=c.right_predicted,
            fp=c.predicted - c.right_predicted,
            fn=c.support - c.right_expected,
            tn=rows - c.support - c.predicted + c.both,
        )

    def _rate(self, value: float | None, right: int, rows: int) -> Rate:
        """Return a share of rows with Wilson's interval."""
        low, high = wilson(right, rows, self.confidence) or (None, None)
        return Rate(value, low, high, rows, "values")

    def _by_cluster(self, value: float | None, parts: Sequence[Part]) -> Rate:
        """Return a share of rows with the interval of a ratio of sums over clusters, those that have the class."""
        return replace(ratio_interval(parts, self.confidence), value=value, unit="clusters")

    def to_dict(self) -> dict[str, Json]:
        """Return all numbers as JSON; classes as a list of {label, type, …}, which keeps ``1`` and ``"1"`` apart."""
        return self.compute().to_dict()

    def to_pandas(self) -> pd.DataFrame:
        """Return one row per class as a data frame, its index the names of the classes. Needs pandas."""
        return _as_frame(self.compute())

    def to_text(self, digits: int = 2) -> str:
        """Return a table as scikit-learn's ``classification_report`` prints it; a dash is an undefined rate."""
        return _as_text(self.compute(), digits)

    def to_state(self) -> dict[str, Json]:
        """Return keys and counts as JSON; settings that only change how counts are read are no part of it."""
        return ReportState(self.golden_key, self.predicted_key, self.table).to_state()

    def load_state(self, state: Mapping[str, Json]) -> None:
        """Add the counts of ``to_state``; InputError for anything else."""
        kept, other = ReportState.from_state(state), ClassReport()
        other.golden_key, other.predicted_key, other.table = kept.golden_key, kept.predicted_key, kept.table
        self.merge(other)


def _check_zero_division(value: object) -> None:
    """Refuse anything but 0, 1, None and "shown"."""
    number = not isinstance(value, bool) and value in (0, 1)
    if not (value is None or value == "shown" or number):
        raise SettingError(
            f"Expected 0, 1, None or 'shown' for zero_division, got {value!r}",
            facts={"setting": "zero_division", "got": value},
        )


def _as_frame(scores: ClassScores) -> pd.DataFrame:
    """Return one row per class."""
    try:
        import pandas as pd
    except ImportError as error:
        raise MissingExtraError(
            "Expected pandas for a data frame; pip install 'fieldwise[notebook]'",
            facts={"package": "pandas", "extra": "notebook"},
        ) from error
    rows = [_flat(row) for row in scores.classes]
    return pd.DataFrame(rows, index=pd.Index([row.name for row in scores.classes], name="class"))


def _flat(row: ClassRow) -> dict[str, Json]:
    members = row.to_dict()
    del members["name"]
    for name in ("precision", "recall"):
        rate = members[name]
        members |= {name: rate["value"], f"{name}_low": rate["low"], f"{name}_high": rate["high"]}
    return members


def _as_text(scores: ClassScores, digits: int) -> str:
    """Return a table: the classes, then accuracy and the averages."""
    lines = list(_lines(scores, digits))
    width = max(len(line[0]) for line in lines if line)
    cells = max(9, digits + 3)
    head = " " * (width + 1) + "".join(f" {name:>{cells}}" for name in ("precision", "recall", "f1-score", "support"))
    body = [f"{name:>{width}} " + "".join(f" {cell:>{cells}}" for cell in row) if name else "" for name, *row in lines]
    return "\n".join([head, "", *body]) + "\n"


def _lines(scores: ClassScores, digits: int) -> Iterator[tuple[str, ...]]:
    rate = partial(fixed, decimals=digits)
    used = str(scores.rows.used)
    for row in scores.classes:
        yield printable(row.name), rate(row.precision.value), rate(row.recall.value), rate(row.f1), str(row.support)
    yield ("",)
    yield "accuracy", "", "", rate(scores.accuracy.value), used
    averages = {"micro avg": scores.micro, "macro avg": scores.macro, "weighted avg": scores.weighted}
    for name, mean in averages.items():
        yield name, rate(mean.precision), rate(mean.recall), rate(mean.f1), used


def printable(text: str) -> str:
    """Return a name as a terminal can show it: on one line, nothing in it a command.

    >>> printable("a\\x1b[31m")
    'a\\\\x1b[31m'
    """
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text) or '""'
