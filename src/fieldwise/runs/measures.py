"""A rate of two runs on the same documents: how far apart, within what bounds, and whether that is more than chance."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Literal, TypeAlias

from fieldwise.runs.outcomes import Counts
from fieldwise.stats.clustered import RateInterval, rate_interval
from fieldwise.stats.count_tables import moments_of
from fieldwise.stats.moments import Ratio
from fieldwise.stats.paired import document_flips, paired_delta
from fieldwise.stats.permutation import permutation_test
from fieldwise.stats.power import minimum_detectable_effect

Finding: TypeAlias = Literal["better", "worse", "mixed", "not_shown", "equal", "undefined", "too_few"]
"""What two runs show: a real rise or fall; a rate that goes one way while right values go the other; no difference
that these documents could show, none at all; or nothing, because the rate has nothing to divide by in one of them, or
because too few documents have the field."""
Test: TypeAlias = Literal["permutation", "mcnemar", "sign_flip"]
ALPHA = 0.05
CONFIDENCE = 0.95
FEWEST = 6
"""So few documents can show a difference: of 5 that all change alike, chance alone gives as much in 2 of 32 cases."""


@dataclass(frozen=True)
class Difference:
    """A rate of two runs, candidate less base, paired by document; what is undefined is None.

    ``detectable`` is the smallest difference that so many documents with this spread show four times out of five.
    """

    base: RateInterval
    candidate: RateInterval
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


def difference_of(tables: tuple[Counts, Counts], ratio: Ratio) -> Difference:
    """Compare two tables of counts; the test swaps the runs document by document."""
    found = measured(tables, ratio, CONFIDENCE)
    if found.n < 2:
        return found
    swapped = permutation_test(*tables, ratio)
    return found if swapped is None else tested(found, "permutation", swapped.p)


def measured(tables: tuple[Counts, Counts], ratio: Ratio, confidence: float) -> Difference:
    """Measure the difference of two tables of counts, without a test."""
    base, candidate = (rate_interval(moments_of(table), ratio, confidence) for table in tables)
    flips = document_flips(*tables, ratio)
    equal = bool((tables[0] == tables[1]).all())
    delta = paired_delta(*tables, ratio, confidence=confidence)
    found = untested((base, candidate), improved=flips.improved, regressed=flips.regressed, n=delta.n, equal=equal)
    if delta.delta is None:
        return replace(found, finding="undefined" if found.finding == "not_shown" else found.finding)
    return with_bounds(replace(found, delta=delta.delta, se=delta.se), delta.low, delta.high)


def with_bounds(found: Difference, low: float | None, high: float | None) -> Difference:
    """Add the bounds of a difference, which cannot be larger than 1, and what so many documents could have shown."""
    if low is None or high is None or found.se is None:
        return found
    could = found.se > 0 and found.n >= FEWEST
    detectable = minimum_detectable_effect(found.se * math.sqrt(found.n), found.n) if could else None
    return replace(found, low=max(low, -1.0), high=min(high, 1.0), detectable=detectable)


def untested(
    sides: tuple[RateInterval, RateInterval], *, improved: int, regressed: int, n: int, equal: bool
) -> Difference:
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
