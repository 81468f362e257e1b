"""A rate of two runs on the same documents: how far apart, within what bounds, and whether that is more than chance."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from operator import mul
from typing import Literal, TypeAlias

import numpy as np

from fieldwise.results.rates import RATIOS, Metric, Rate, Ratio
from fieldwise.runs.pairing import Counts
from fieldwise.stats.clustered import mean_interval, ratio_interval, share_interval
from fieldwise.stats.count_tables import Parts, has_trials, mean_parts, parts_of, ratio_parts
from fieldwise.stats.intervals import clopper_pearson
from fieldwise.stats.mcnemar import mcnemar
from fieldwise.stats.paired import Flips, delta_of_parts, document_flips
from fieldwise.stats.permutation import permutation_test, sign_flip_test
from fieldwise.stats.power import minimum_detectable_effect

Finding: TypeAlias = Literal["better", "worse", "mixed", "not_shown", "equal", "undefined", "too_few"]
"""What two runs show: a real rise or fall; a rate that goes one way while right values go the other; no difference
that these documents could show, none at all; or nothing, because the rate has nothing to divide by in one of them, or
because too few documents have the field."""
Test: TypeAlias = Literal["permutation", "mcnemar", "sign_flip"]
Measure: TypeAlias = Literal["strict_f1", "precision", "strict_recall", "document_macro", "exact_documents"]
ALPHA = 0.05
CONFIDENCE = 0.95
FEWEST = 6
"""So few documents can show a difference: of 5 that all change alike, chance alone gives as much in 2 of 32 cases."""
_UNIT = 10**12
"""Rates of documents are summed up as whole numbers of this part."""


@dataclass(frozen=True)
class Difference:
    """A rate of two runs, candidate less base, paired by document; what is undefined is None.

    ``detectable`` is the smallest difference that so many documents with this spread show four times out of five.
    """

    base: Rate
    candidate: Rate
    delta: float | None
    low: float | None
    high: float | None
    n: int
    se: float | None
    test: Test | None
    p: float | None
    improved: int
    regressed: int
    tied: int
    detectable: float | None
    finding: Finding


def difference_of(tables: tuple[Counts, Counts], metric: Metric) -> Difference:
    """Compare two tables of counts, with a test of the metric.

    It swaps the runs document by document for a ratio of counts, flips the signs of the documents' differences for the
    mean of their own rates, and is McNemar's for the share of documents without error; where documents have several
    trials it flips signs there, too.
    """
    found = measured(tables, metric, CONFIDENCE)
    if found.n < 2:
        return found
    if metric == "exact_documents" and has_trials(tables[0]):
        return _flipped(found, parts_of(*tables, metric))
    if metric == "exact_documents":
        return tested(found, "mcnemar", mcnemar(found.regressed, found.improved, found.n).p)
    if metric == "document_macro_f1":
        return _flipped(found, mean_parts(*tables, "strict_f1"))
    swapped = permutation_test(*tables, metric)
    return found if swapped is None else tested(found, "permutation", swapped.p)


def mean_difference(tables: tuple[Counts, Counts], ratio: Ratio) -> Difference:
    """Compare the means of the documents' own rates; the test flips the signs of their differences."""
    parts = mean_parts(*tables, ratio)
    found = _measured(parts, _mean_sides(parts, CONFIDENCE), document_flips(*tables, ratio), CONFIDENCE)
    return found if found.n < 2 else _flipped(found, parts)


def _flipped(found: Difference, parts: tuple[Parts, Parts]) -> Difference:
    return tested(found, "sign_flip", sign_flip_test(parts[0][1] - parts[0][0]).p)


def measured(tables: tuple[Counts, Counts], metric: Metric, confidence: float) -> Difference:
    """Measure the difference of two tables of counts, without a test."""
    parts = parts_of(*tables, metric)
    sides, flips = _sides(tables, parts, metric, confidence), document_flips(*tables, metric)
    equal = bool((tables[0] == tables[1]).all()) if metric in RATIOS else None
    return _measured(parts, sides, flips, confidence, equal=equal)


def _measured(
    parts: tuple[Parts, Parts],
    sides: tuple[Rate, Rate],
    flips: Flips,
    confidence: float,
    *,
    equal: bool | None = None,
) -> Difference:
    """Measure by parts; documents are ``equal``, where nothing else is said, if none rose or fell."""
    improved, regressed = flips.improved, flips.regressed
    delta = delta_of_parts(*parts, confidence=confidence)
    same = not (improved or regressed) if equal is None else equal
    found = untested(sides, improved=improved, regressed=regressed, n=delta.n, equal=same)
    if delta.delta is None:
        return replace(found, finding="undefined" if found.finding == "not_shown" else found.finding)
    return with_bounds(replace(found, delta=delta.delta, se=delta.se), delta.low, delta.high)


def _sides(
    tables: tuple[Counts, Counts], parts: tuple[Parts, Parts], metric: Metric, confidence: float
) -> tuple[Rate, Rate]:
    if metric == "document_macro_f1":
        return _mean_sides(parts, confidence)
    if metric == "exact_documents":
        base, candidate = (_share(right, confidence) for right in parts[0])
    else:
        base, candidate = (ratio_interval(ratio_parts(table, metric), confidence) for table in tables)
    return base, candidate


def _mean_sides(parts: tuple[Parts, Parts], confidence: float) -> tuple[Rate, Rate]:
    base, candidate = (_mean(rates[parts[1][0] > 0], confidence) for rates in parts[0])
    return base, candidate


def _share(right: Parts, confidence: float) -> Rate:
    """Return the share of documents without error; the mean where some are so in a part of their trials."""
    if ((right == 0) | (right == 1)).all():
        return share_interval(int(right.sum()), len(right), confidence)
    return _mean(right, confidence)


def _mean(rates: Parts, confidence: float) -> Rate:
    units = np.rint(rates * _UNIT).astype(np.int64).tolist()
    squares = sum(map(mul, units, units))
    return mean_interval(sum(units), squares, len(units), unit=_UNIT, confidence=confidence)


def with_bounds(found: Difference, low: float | None, high: float | None) -> Difference:
    """Add the bounds of a difference, which cannot be larger than 1, and what so many documents could have shown."""
    if low is None or high is None or found.se is None:
        return found
    could = found.se > 0 and found.n >= FEWEST
    detectable = minimum_detectable_effect(found.se * math.sqrt(found.n), found.n) if could else None
    return replace(found, low=max(low, -1.0), high=min(high, 1.0), detectable=detectable)


def untested(sides: tuple[Rate, Rate], *, improved: int, regressed: int, n: int, equal: bool) -> Difference:
    """Return a difference of which only the documents that rose and fell are known yet."""
    return Difference(
        base=sides[0],
        candidate=sides[1],
        delta=None,
        low=None,
        high=None,
        n=n,
        se=None,
        test=None,
        p=None,
        improved=improved,
        regressed=regressed,
        tied=n - improved - regressed,
        detectable=None,
        finding="equal" if equal else "too_few" if n < FEWEST else "not_shown",
    )


def tested(found: Difference, test: Test, p: float) -> Difference:
    """Add what a test says."""
    return replace(found, test=test, p=p, finding=finding_of(found, p))


def finding_of(found: Difference, p: float) -> Finding:
    """Return what a difference and the chance of one so large say; by documents where the rate itself is undefined.

    Both the test and the interval must rule out chance: a test that swaps documents finds that a tiny change of the
    denominator, on which nothing depends, is not by chance.
    """
    if found.finding in ("equal", "too_few"):
        return found.finding
    rise = found.improved - found.regressed if found.delta is None else found.delta
    within = found.low is not None and found.high is not None and found.low <= 0 <= found.high
    if p >= ALPHA or not rise or within:
        return "undefined" if found.delta is None else "not_shown"
    return "better" if rise > 0 else "worse"


def unseen_losses(found: Difference, confidence: float) -> float | None:
    """Return the share of documents that may have a loss although so few here have one; None where enough differ.

    The interval comes from how documents differ, so it says little where hardly one does: a loss in others was not
    there to be seen. The share is the upper bound of Clopper and Pearson for the documents that got worse.
    """
    if found.improved + found.regressed >= fewest_alike(1 - confidence):
        return None
    bounds = clopper_pearson(found.regressed, found.n, confidence)
    return None if bounds is None else bounds[1]


def fewest_alike(left: float) -> int:
    """Return how many documents that all differ alike are more than chance: 6 where 5 % are left."""
    return math.floor(math.log2(2 / left)) + 1


@dataclass(frozen=True)
class Headline:
    """One figure of two runs. ``document_macro`` is the mean of documents' own rates, ``exact_documents`` the share of
    documents without any wrong, missed or invented value."""

    measure: Measure
    difference: Difference


def headlines_of(tables: tuple[Counts, Counts], metric: Metric) -> tuple[Headline, ...]:
    """Compare two runs by what stands beside the metric: other ratios, the mean of documents, documents without error.

    The mean of documents is that of the metric, where it is a ratio. A document that neither run has values in is
    without error.
    """
    of_documents = metric in ("document_macro_f1", "exact_documents")
    ratios: tuple[Literal["strict_f1", "precision", "strict_recall"], ...] = ("precision", "strict_recall")
    shown = [Headline(name, difference_of(tables, name)) for name in ratios if name != metric]
    if of_documents:
        shown.insert(0, Headline("strict_f1", difference_of(tables, "strict_f1")))
    if metric != "document_macro_f1":
        ratio: Ratio = "strict_f1" if metric == "exact_documents" else metric
        shown.append(Headline("document_macro", mean_difference(tables, ratio)))
    if metric != "exact_documents":
        shown.append(Headline("exact_documents", difference_of(tables, "exact_documents")))
    return tuple(shown)
