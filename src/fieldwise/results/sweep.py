"""What the rates of a field would be at other thresholds of its comparator."""

from __future__ import annotations

from typing import Literal

from fieldwise.results.core import Number, Result, Share, Shown
from fieldwise.results.rates import Rates


class SweepPoint(Result, frozen=True):
    """Counts and rates of the field at a threshold; the intervals have documents as units."""

    threshold: Share
    tp: Number
    fd: Number
    fa: Number
    fn: Number
    rates: Rates

    @property
    def strict_f1(self) -> float | None:
        """The rate by which points are compared."""
        return self.rates.strict_f1.value


class ThresholdDifference(Result, frozen=True):
    """Strict F1 at the best threshold minus that at the current one, paired by document, with its 95% interval."""

    base: Share | None
    candidate: Share | None
    delta: float | None
    low: float | None
    high: float | None
    n: Number
    se: float | None
    t: float | None
    p: Share | None


class ScoreBin(Result, frozen=True):
    """How many values have a score from ``low`` to ``high``, and how many of them match at the current threshold."""

    low: Share
    high: Share
    matches: Number
    mismatches: Number


class ScoreCount(Result, frozen=True):
    """How many values have a raw score; ``scored`` is whether their outcome follows from it.

    It does not in a rejected list row, for a value of another type than declared, and where the comparator raised.
    """

    raw_score: Share
    scored: bool
    values: Number


class ScoreHistogram(Result, frozen=True):
    """How the raw scores of the values of a field that both sides have are distributed, rising.

    They are ``exact`` where the field has at most 1,000 different ones, else rounded down to steps of 0.001.
    """

    field: str
    exact: bool
    scores: tuple[ScoreCount, ...]

    @property
    def values(self) -> int:
        """The number of values."""
        return sum(score.values for score in self.scores)

    def matches(self, cut: float) -> int:
        """Return how many values match if scores from ``cut`` on do; rounded ones are right at steps of 0.001."""
        return sum(score.values for score in self.scores if score.scored and score.raw_score >= cut)


class ScoredValue(Result, frozen=True):
    """A value that both sides have, with its score."""

    document: str
    path: str
    expected: str
    predicted: str
    score: Share
    matches: bool


class Sweep(Shown, frozen=True):
    """A field at many thresholds, rising, with the current one among them.

    ``swept`` values are scored again at each threshold; ``rejected`` ones are in rows that are no pair, ``mistyped``
    ones are of another type than declared, and the comparator raised for ``raised`` ones. ``threshold`` and ``current``
    are the one of the run; ``best`` has the highest strict F1, of equals the nearest to the current one.
    ``difference`` is best - current. ``nearest`` are values with scores next to the current threshold, without those
    that are the same on both sides.
    """

    field: str
    comparator: str
    threshold: Share
    documents: Number
    swept: Number
    rejected: Number
    mistyped: Number
    raised: Number
    points: tuple[SweepPoint, ...]
    current: Share
    best: Share
    difference: ThresholdDifference
    scores: tuple[ScoreBin, ...]
    nearest: tuple[ScoredValue, ...]
    pairing: Literal["held fixed"] = "held fixed"

    def at(self, threshold: float) -> SweepPoint:
        """Return the point of one of the thresholds; KeyError for any other."""
        for point in self.points:
            if point.threshold == threshold:
                return point
        raise KeyError(threshold)

    @property
    def highest(self) -> tuple[float, ...]:
        """The thresholds among these that have the highest strict F1, rising."""
        best = self.at(self.best).strict_f1
        return tuple(point.threshold for point in self.points if point.strict_f1 == best)
