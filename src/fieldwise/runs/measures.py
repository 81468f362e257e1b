"""A rate of two runs on the same documents: how far apart, within what bounds, and whether that is more than chance."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import numpy as np
from msgspec.structs import replace

from fieldwise.results.difference import FEWEST, Difference, Finding, Measure, Test
from fieldwise.results.rates import RATIOS, Metric, Rate, Ratio
from fieldwise.runs.pairing import Tables, differing, values_of
from fieldwise.stats.count_tables import (
    PairedParts,
    Parts,
    documents_with,
    is_clustered,
    is_compound,
    mean_parts,
    parts_of,
    ratio_parts,
)
from fieldwise.stats.differences import (
    Flips,
    PairedDelta,
    delta_of_parts,
    document_flips,
    holm,
    minimum_detectable_effect,
    paired_delta,
)
from fieldwise.stats.histograms import Part
from fieldwise.stats.intervals import ratio_interval, share_interval
from fieldwise.stats.permutation import chance_of_loss, mcnemar, permutation_test, sign_flip_test
from fieldwise.tables.stored import Ints

ALPHA = 0.05
CONFIDENCE = 0.95
MANY = 20_000
"""Where more documents differ, p is by Student's t: the two agree, and swaps would take long."""
LEFT = 0.025
"""The chance of a false alarm among the fields; as much is left for all values together, which makes 5 in 100."""
DOCUMENTS = 20
"""Fields that fewer documents have are not looked at."""
SLIGHT = 0.01
"""A comparison does not name a field that lost no more than this, a point."""
_UNIT = 10**12
"""Rates of documents are summed up as whole numbers of this part."""


def difference_of(tables: Tables, metric: Metric) -> Difference:
    """Compare two tables of counts, with a test of the metric.

    It swaps the runs document by document for a ratio of counts, flips the signs of the documents' differences for the
    mean of their own rates, and is McNemar's for the share of documents without error; where documents have several
    trials it flips signs there, too. Where more than 20,000 documents differ it is Student's t in place of swaps and
    flips.
    """
    found = measured(tables, metric, CONFIDENCE)
    if found.n < 2:
        return found
    if metric in RATIOS:
        return with_swaps(found, tables, metric)
    if metric == "exact_documents" and not is_compound(tables[0]):
        return tested(found, "mcnemar", mcnemar(found.regressed, found.improved))
    return _flipped(found, tables, parts_of(*tables, metric))


def mean_difference(tables: Tables, ratio: Ratio) -> Difference:
    """Compare the means of the documents' own rates; the test flips the signs of their differences."""
    parts = mean_parts(*tables, ratio)
    sides = _in_units(_mean_sides(parts, CONFIDENCE), tables)
    found = _measured(parts, sides, document_flips(*tables, ratio), CONFIDENCE)
    return found if found.n < 2 else _flipped(found, tables, parts)


def with_swaps(difference: Difference, tables: Tables, metric: Metric) -> Difference:
    """Test a measured difference by swapping the runs document by document; untested where a rate is undefined."""
    p = _paired_t(tables, parts_of(*tables, metric))
    if p is not None:
        return tested(difference, "paired_t", p)
    swapped = permutation_test(*tables, metric)
    return difference if swapped is None else tested(difference, "permutation", swapped.p)


def _flipped(difference: Difference, tables: Tables, parts: PairedParts) -> Difference:
    p = _paired_t(tables, parts)
    if p is not None:
        return tested(difference, "paired_t", p)
    return tested(difference, "sign_flip", sign_flip_test(parts.tops[1] - parts.tops[0]).p)


def _paired_t(tables: Tables, parts: PairedParts) -> float | None:
    """Return the chance of so large a difference by Student's t of the paired residuals; None unless many differ."""
    return delta_of_parts(parts).p if differing(tables) > MANY else None


def measured(tables: Tables, metric: Metric, confidence: float) -> Difference:
    """Measure the difference of two tables of counts, without a test."""
    parts = parts_of(*tables, metric)
    sides, flips = _sides(tables, parts, metric, confidence), document_flips(*tables, metric)
    sides = _in_units(sides, tables)
    equal = bool((tables[0] == tables[1]).all()) if metric in RATIOS else None
    return _measured(parts, sides, flips, confidence, equal=equal)


def _measured(
    parts: PairedParts,
    sides: tuple[Rate, Rate],
    flips: Flips,
    confidence: float,
    *,
    equal: bool | None = None,
) -> Difference:
    """Measure by parts; documents are ``equal``, where nothing else is said, if none rose or fell."""
    improved, regressed = flips.improved, flips.regressed
    delta = delta_of_parts(parts, confidence=confidence)
    same = not (improved or regressed) if equal is None else equal
    found = untested(sides, improved=improved, regressed=regressed, n=delta.n, equal=same)
    if delta.delta is None:
        return replace(found, finding="undefined" if found.finding == "not_shown" else found.finding)
    return _with_bounds(replace(found, delta=delta.delta, se=delta.se), delta)


def _sides(tables: Tables, parts: PairedParts, metric: Metric, confidence: float) -> tuple[Rate, Rate]:
    if metric == "document_macro_f1":
        return _mean_sides(parts, confidence)
    if metric == "exact_documents":
        base, candidate = (_share(right, there, confidence) for right, there in zip(*parts[:2], strict=True))
    else:
        base, candidate = (
            ratio_interval(ratio_parts(table, metric), confidence, documents=documents_with(table, metric))
            for table in tables
        )
    return base, candidate


def _mean_sides(parts: PairedParts, confidence: float) -> tuple[Rate, Rate]:
    base, candidate = (_mean(rates, there, confidence) for rates, there in zip(*parts[:2], strict=True))
    return base, candidate


def _in_units(sides: tuple[Rate, Rate], tables: Tables) -> tuple[Rate, Rate]:
    if not is_clustered(tables[0]):
        return sides
    return replace(sides[0], unit="clusters"), replace(sides[1], unit="clusters")


def _share(right: Parts, there: Parts, confidence: float) -> Rate:
    """Return the share of documents without error; the mean where some are so in a part of their trials, or where
    documents are in clusters.
    """
    if (there == 1).all() and ((right == 0) | (right == 1)).all():
        return share_interval(int(right.sum()), len(right), confidence)
    return _mean(right, there, confidence)


def _mean(rates: Parts, there: Parts, confidence: float) -> Rate:
    """Return the mean over documents, given its sum and their number in each unit, of those that have some."""
    sizes, units = (np.rint(of[there > 0]).astype(np.int64) for of in (there, rates * _UNIT))
    parts = [_part(size, units[sizes == size]) for size in np.unique(sizes).tolist()]
    return ratio_interval(parts, confidence, documents=int(sizes.sum()))


def _part(size: int, units: Ints) -> Part:
    """Add up the units of documents, or clusters, of one size; their squares are larger than numpy's numbers."""
    totals, times = (column.tolist() for column in np.unique(units, return_counts=True))
    sums = (sum(count * total**power for total, count in zip(totals, times, strict=True)) for power in range(3))
    return Part(size * _UNIT, *sums)


def _with_bounds(difference: Difference, delta: PairedDelta) -> Difference:
    """Add the bounds of a difference, and what so many documents could have shown."""
    if delta.low is None or delta.high is None:
        return difference
    detectable = None
    if delta.se and delta.n >= FEWEST:
        detectable = minimum_detectable_effect(delta.se * math.sqrt(delta.n), delta.n, added=delta.added)
    return replace(difference, low=delta.low, high=delta.high, detectable=detectable)


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


def tested(difference: Difference, test: Test, p: float) -> Difference:
    """Add what a test says."""
    return replace(difference, test=test, p=p, finding=finding_of(difference, p))


def finding_of(difference: Difference, p: float) -> Finding:
    """Return what a difference and the chance of one so large say; by documents where the rate itself is undefined.

    Both the test and the interval must rule out chance: a test that swaps documents finds that a tiny change of the
    denominator, on which nothing depends, is not by chance.
    """
    if difference.finding in ("equal", "too_few"):
        return difference.finding
    rise = difference.improved - difference.regressed if difference.delta is None else difference.delta
    within = difference.low is not None and difference.high is not None and difference.low <= 0 <= difference.high
    if p >= ALPHA or not rise or within:
        return "undefined" if difference.delta is None else "not_shown"
    return "better" if rise > 0 else "worse"


def headlines_of(tables: Tables, metric: Metric) -> dict[Measure, Difference]:
    """Compare two runs by what stands beside the metric: other ratios, the mean of documents, documents without error.

    The mean of documents is that of the metric, where it is a ratio. A document that neither run has values in is
    without error.
    """
    shown: dict[Measure, Difference] = {}
    if metric not in RATIOS:
        shown["strict_f1"] = difference_of(tables, "strict_f1")
    if metric != "precision":
        shown["precision"] = difference_of(tables, "precision")
    if metric != "strict_recall":
        shown["strict_recall"] = difference_of(tables, "strict_recall")
    if metric != "document_macro_f1":
        shown["document_macro"] = mean_difference(tables, "strict_f1" if metric == "exact_documents" else metric)
    if metric != "exact_documents":
        shown["exact_documents"] = difference_of(tables, "exact_documents")
    return shown


@dataclass(frozen=True)
class FieldLoss:
    """How much the rate of a field fell, negative where it rose, and the lower bound of its loss.

    A field is clearly worse where the chance of so large a loss, by swaps of its documents and adjusted by Holm over
    all fields that can show one, is below what is left for false alarms; the interval of its difference lies below 0;
    and the loss is large enough to matter. A better total must not hide it, and chance must not name one.
    """

    path: str
    loss: float
    least: float
    p: float
    """The chance of such a loss without a change, after Holm's adjustment; 1 where the rate did not fall."""

    def is_clear(self, more_than: float, left: float = LEFT) -> bool:
        """Tell whether the field lost more than so much, and not by chance.

        A test that swaps documents calls a tiny change of denominators no chance, so the interval must say so too.
        """
        return self.loss > more_than and self.least > 0 and self.p < left


def field_losses(
    fields: Mapping[str, Tables], metric: Metric, *, confidence: float = CONFIDENCE
) -> dict[str, FieldLoss]:
    """Test each field that at least 20 documents have and 6 differ in; others cannot show anything."""
    return adjusted_losses(field_loss(path, tables, metric, confidence) for path, tables in fields.items())


def adjusted_losses(found: Iterable[FieldLoss | None]) -> dict[str, FieldLoss]:
    """Adjust the chances of fields that were tested alone by Holm, over those that can show a loss."""
    losses = [loss for loss in found if loss is not None]
    adjusted = holm([loss.p for loss in losses])
    return {loss.path: dataclasses.replace(loss, p=p) for loss, p in zip(losses, adjusted, strict=True)}


def _can_show(tables: Tables) -> bool:
    there = int(np.count_nonzero(values_of(tables[0]) + values_of(tables[1])))
    return there >= DOCUMENTS and differing(tables) >= FEWEST


def field_loss(path: str, tables: Tables, metric: Metric, confidence: float = CONFIDENCE) -> FieldLoss | None:
    """Measure and test a field alone, None where it cannot show anything; chances of half or more are 1, as Holm's
    rule does not ask for them.
    """
    if not _can_show(tables):
        return None
    found = paired_delta(*tables, metric, confidence=confidence)
    if found.delta is None or found.high is None:
        return None
    chance = chance_of_loss(*tables, metric) if found.delta < 0 else 1.0
    return FieldLoss(path, -found.delta, -found.high, 1.0 if chance is None else chance)
