"""Counts, the ratios of counts, and a rate with its interval: one type and one formula for each."""

from __future__ import annotations

from typing import Literal, TypeAlias, get_args

from fieldwise.results.core import Number, Result, Share

Ratio: TypeAlias = Literal["precision", "recall", "strict_recall", "f1", "strict_f1"]
"""The ratios of counts that have an interval."""

RATIOS: tuple[Ratio, ...] = get_args(Ratio)

DocumentMetric: TypeAlias = Literal["document_macro_f1", "exact_documents"]
"""Figures of whole documents: the mean of their own strict F1, and the share of those without any error."""

Metric: TypeAlias = Ratio | DocumentMetric
"""By what two runs can be compared."""

METRICS: tuple[Metric, ...] = (*RATIOS, *get_args(DocumentMetric))

Unit: TypeAlias = Literal["documents", "clusters", "fields", "classes", "values"]

Weights: TypeAlias = tuple[int, int, int, int]
"""A whole number for each of tp, fd, fa and fn."""

NUMERATORS: dict[Ratio, Weights] = {
    "precision": (1, 0, 0, 0),
    "recall": (1, 0, 0, 0),
    "strict_recall": (1, 0, 0, 0),
    "f1": (2, 0, 0, 0),
    "strict_f1": (2, 0, 0, 0),
}
"""The numerator of a ratio is the sum of these weights times the counts."""

DENOMINATORS: dict[Ratio, Weights] = {
    "precision": (1, 1, 1, 0),
    "recall": (1, 0, 0, 1),
    "strict_recall": (1, 1, 0, 1),
    "f1": (2, 1, 1, 1),
    "strict_f1": (2, 2, 1, 1),
}
"""The denominator of a ratio is the sum of these weights times the counts."""

FEW_UNITS = 20
"""With fewer documents than this, an interval is a rough guess itself."""


class Rate(Result, frozen=True):
    """A rate with its 95% interval. What is undefined is None.

    ``n`` units, documents unless ``unit`` says otherwise, have something to divide by. ``value`` is None where none
    has; the bounds are None where fewer than two have, or where nobody knows. ``effective_n`` is how many units of
    equal size would say as much, where that is less than half of n (Kish).
    """

    value: Share | None
    low: Share | None = None
    high: Share | None = None
    n: Number = 0
    unit: Unit = "documents"
    effective_n: float | None = None

    @property
    def interval(self) -> tuple[float, float] | None:
        """Both bounds, or None."""
        return None if self.low is None or self.high is None else (self.low, self.high)

    @property
    def is_of_few(self) -> bool:
        """Whether there are so few units that the interval itself is uncertain."""
        return 0 < self.n < FEW_UNITS


UNKNOWN = Rate(None)
"""A rate of which nothing is known."""


class Counts(Result, frozen=True):
    """How many values matched (tp), differ (fd), were invented (fa), missed (fn), or are absent on both sides (tn).

    ``fp`` is ``fd + fa`` where both are known; matrices of others may state it alone.
    """

    tp: Number
    fp: Number
    tn: Number
    fn: Number
    fd: Number
    fa: Number

    @classmethod
    def of(cls, tp: int, fd: int, fa: int, fn: int, tn: int) -> Counts:
        """Return the counts of five outcomes."""
        return Counts(tp=tp, fp=fd + fa, tn=tn, fn=fn, fd=fd, fa=fa)

    @property
    def seen(self) -> int:
        """How many values either side has."""
        return self.tp + self.fp + self.fn

    def rate(self, ratio: Ratio) -> float | None:
        """Return a ratio of the counts; None where it has nothing to divide by.

        Where only ``fp`` is known, it counts as invented.

        >>> Counts.of(3, 1, 0, 1, 0).rate("strict_recall")
        0.6
        >>> Counts.of(0, 0, 0, 1, 0).rate("precision") is None
        True
        """
        parts = (self.tp, self.fd, self.fp - self.fd, self.fn)
        top, bottom = (
            sum(weight * part for weight, part in zip(weights[ratio], parts, strict=True))
            for weights in (NUMERATORS, DENOMINATORS)
        )
        return top / bottom if bottom else None

    @property
    def accuracy_rate(self) -> float | None:
        """Return the share of right values, absent ones included; None where there is none at all."""
        everything = self.tp + self.tn + self.fp + self.fn
        return (self.tp + self.tn) / everything if everything else None


class Rates(Result, frozen=True):
    """The five ratios of one set of counts, each with its interval."""

    precision: Rate
    recall: Rate
    strict_recall: Rate
    f1: Rate
    strict_f1: Rate

    def of(self, ratio: Ratio) -> Rate:
        """Return one by its name."""
        rate: Rate = getattr(self, ratio)
        return rate
