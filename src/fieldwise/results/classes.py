"""What expected and predicted labels say: rates of each class, their averages, and the confusion matrix."""

from __future__ import annotations

from typing import Literal, TypeAlias

import msgspec

from fieldwise.bulk_aggregator import Json
from fieldwise.results.core import Number, Result, Share
from fieldwise.results.rates import Rate

Judge: TypeAlias = Literal["labels", "correct"]
"""Who says what is right: equal labels, or the flag of the row."""
Missing: TypeAlias = Literal["class", "skip", "error"]
"""What becomes of a row without a label: a wrong answer, left out and counted, or refused."""
Normalize: TypeAlias = Literal["true", "pred", "all"]


class RowCounts(Result, frozen=True):
    """What became of the rows: how many there are, were used, were left out and why, lack a label, disagree.

    ``disagree`` counts the used rows whose flag says otherwise than their labels.
    """

    total: Number
    used: Number
    skipped: dict[str, Number]
    missing: dict[str, Number]
    disagree: Number


class LabelKeys(Result, frozen=True):
    """The keys of the rows' two sides that hold the class; None where labels were given without rows."""

    golden: str | None
    predicted: str | None


class UndefinedRates(Result, frozen=True):
    """For how many classes each rate is undefined."""

    precision: Number
    recall: Number
    f1: Number


class Average(Result, frozen=True):
    """Precision, recall and F1 over all classes, and for how many classes each is undefined."""

    precision: Share | None
    recall: Share | None
    f1: Share | None
    undefined: UndefinedRates = UndefinedRates(0, 0, 0)


class Averages(Result, frozen=True):
    """The rates of the sums, the mean of the classes' rates, and their mean by support."""

    micro: Average
    macro: Average
    weighted: Average


class ClassRow(Result, frozen=True):
    """The rates and counts of one class; the value of a rate is None where nothing was there to divide by.

    ``label`` is as JSON writes it, and ``type`` is its type there. The intervals of precision and recall are Wilson's,
    which takes rows as independent; where rows come in clusters, their units are the clusters that have the class.
    """

    label: Json
    type: str
    name: str
    precision: Rate
    recall: Rate
    f1: Share | None
    support: Number
    predicted: Number
    tp: Number
    fp: Number
    fn: Number
    tn: Number


class Confusion(Result, frozen=True):
    """How often each expected label (rows) met each predicted one (columns).

    Where rows lack a label, ``has_missing`` is true and the last name is that of a missing one.
    """

    labels: tuple[str, ...]
    counts: tuple[tuple[Number, ...], ...]
    has_missing: bool

    def is_class(self, place: int) -> bool:
        """Tell whether a place is that of a class, not of missing labels."""
        return not self.has_missing or place < len(self.labels) - 1

    def normalized(self, by: Normalize) -> list[list[float]]:
        """Return shares of the expected label, of the predicted label, or of all; 0.0 where nothing is."""
        columns = [sum(column) for column in zip(*self.counts, strict=True)]
        total = sum(columns)
        shares = []
        for row in self.counts:
            wholes = {"true": [sum(row)] * len(row), "pred": columns, "all": [total] * len(row)}[by]
            shares.append([n / whole if whole else 0.0 for n, whole in zip(row, wholes, strict=True)])
        return shares


class ClassScores(Result, frozen=True):
    """Everything that a class report says.

    The intervals of accuracy and macro F1 have clusters as units where rows come in clusters, else rows. Their level is
    ``confidence``.
    """

    rows: RowCounts
    keys: LabelKeys
    judge: Judge
    missing: Missing
    confidence: Share
    clusters: Number | None
    accuracy: Rate
    averages: Averages
    macro_f1: Rate
    kappa: float | None
    mcc: float | None
    classes: tuple[ClassRow, ...]
    confusion: Confusion = msgspec.field(name="confusion_matrix")

    @property
    def micro(self) -> Average:
        """The rates of the sums over all classes."""
        return self.averages.micro

    @property
    def macro(self) -> Average:
        """The mean of the classes' rates."""
        return self.averages.macro

    @property
    def weighted(self) -> Average:
        """The mean of the classes' rates by support."""
        return self.averages.weighted


class UnusableRow(Result, frozen=True):
    """A line that is no row, and why."""

    line: Number
    reason: str


class ClassificationBasis(Result, frozen=True):
    """What the metrics rest on: where labels are, who judges, the rows, metrics that failed, lines that are no rows."""

    golden_key: str | None
    predicted_key: str | None
    judge: Judge
    rows: RowCounts
    errors: dict[str, str]
    unusable: tuple[UnusableRow, ...]


class Classification(Result, frozen=True):
    """What ``fieldwise classify`` says: the listed metrics by name, what they rest on, and the class report."""

    metrics: dict[str, dict[str, Json]]
    about: ClassificationBasis
    report: ClassScores | None
