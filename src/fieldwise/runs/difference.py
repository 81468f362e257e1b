"""Is the candidate really better? Two runs on the same documents, compared as a whole and field by field."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal, TypeAlias

import numpy as np

from fieldwise.runs.flips import Flips, find_flips
from fieldwise.runs.outcomes import Counts
from fieldwise.runs.pairing import PairedRuns, Pairing
from fieldwise.stats.clustered import RateInterval, rate_interval
from fieldwise.stats.count_tables import moments_of
from fieldwise.stats.mcnemar import clustered_mcnemar, mcnemar
from fieldwise.stats.moments import Ratio
from fieldwise.stats.multiple import benjamini_hochberg, holm
from fieldwise.stats.paired import document_flips, paired_delta
from fieldwise.stats.permutation import permutation_test
from fieldwise.stats.power import minimum_detectable_effect

Finding: TypeAlias = Literal["better", "worse", "not_shown", "equal", "too_few"]
"""What two runs show: a real rise or fall, no difference that these documents could show, none at all, or nothing
because fewer than two documents have the field."""
Test: TypeAlias = Literal["permutation", "mcnemar", "sign_flip"]
ALPHA = 0.05


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


@dataclass(frozen=True)
class FieldDifference:
    """The difference of one field. Its finding is by ``q``, which counts how many fields were looked at.

    ``p_holm`` and ``q`` (Benjamini and Hochberg) are None where no document differs: that field is left out of both.
    """

    path: str
    scalar: bool
    difference: Difference
    p_holm: float | None
    q: float | None


@dataclass(frozen=True)
class RunDifference:
    """Everything that two runs on the same documents show."""

    ratio: Ratio
    confidence: float
    pairing: Pairing
    total: Difference
    """All leaves together; its test swaps the runs document by document."""
    fields: tuple[FieldDifference, ...]
    flips: Flips

    @property
    def finding(self) -> Finding:
        """The verdict: that of all leaves together."""
        return self.total.finding

    @property
    def tested_fields(self) -> int:
        """In how many fields some document differs; p-values are adjusted for so many."""
        return sum(field.q is not None for field in self.fields)


def compare_runs(runs: PairedRuns, *, ratio: Ratio = "strict_f1", confidence: float = 0.95) -> RunDifference:
    """Compare two paired runs by a ratio of counts."""
    total = difference_of(runs.total, ratio=ratio, confidence=confidence)
    fields = [
        FieldDifference(path, path in runs.scalar_fields, _of_field(runs, path, ratio, confidence), None, None)
        for path in runs.fields
    ]
    return RunDifference(
        ratio=ratio,
        confidence=confidence,
        pairing=runs.pairing,
        total=total,
        fields=tuple(sorted(_adjusted(fields), key=_worst_first)),
        flips=find_flips(runs),
    )


def difference_of(tables: tuple[Counts, Counts], *, ratio: Ratio, confidence: float) -> Difference:
    """Compare two tables of counts; the test swaps the runs document by document."""
    found = measured(tables, ratio, confidence)
    if found.finding == "too_few":
        return found
    swapped = permutation_test(*tables, ratio)
    return found if swapped is None else _tested(found, "permutation", swapped.p)


def _of_field(runs: PairedRuns, path: str, ratio: Ratio, confidence: float) -> Difference:
    """Compare one field by the values that flipped: McNemar's test where a document has one, else sign flips."""
    tables = runs.fields[path]
    found = measured(tables, ratio, confidence)
    gained = _net_right(tables[1]) - _net_right(tables[0])
    if found.finding == "too_few":
        return found
    if path in runs.scalar_fields:
        return _tested(found, "mcnemar", mcnemar(int((gained < 0).sum()), int((gained > 0).sum()), found.n).p)
    sizes = np.maximum(tables[0].sum(axis=1), tables[1].sum(axis=1))
    return _tested(found, "sign_flip", clustered_mcnemar(gained, np.maximum(sizes, np.abs(gained))).sign_flip.p)


def _net_right(table: Counts) -> Counts:
    """Return for each document how many values are right, less those invented."""
    return table[:, 0] - table[:, 2]


def measured(tables: tuple[Counts, Counts], ratio: Ratio, confidence: float) -> Difference:
    """Measure the difference of two tables of counts, without a test."""
    base, candidate = (rate_interval(moments_of(table), ratio, confidence) for table in tables)
    delta = paired_delta(*tables, ratio, confidence=confidence)
    flips = document_flips(*tables, ratio)
    n = int((tables[0].any(axis=1) | tables[1].any(axis=1)).sum())
    equal = bool((tables[0] == tables[1]).all())
    detectable = minimum_detectable_effect(delta.se * math.sqrt(n), n) if delta.se and n > 1 else None
    return Difference(
        base=base,
        candidate=candidate,
        delta=delta.delta,
        low=delta.low,
        high=delta.high,
        n=n,
        se=delta.se,
        test=None,
        p=None,
        improved=flips.improved,
        regressed=flips.regressed,
        tied=n - flips.improved - flips.regressed,
        detectable=detectable,
        finding="too_few" if n < 2 else "equal" if equal else "not_shown",
    )


def _tested(found: Difference, test: Test, p: float) -> Difference:
    finding = found.finding if found.finding == "equal" else _finding(found.delta, p)
    return replace(found, test=test, p=p, finding=finding)


def _finding(delta: float | None, p: float) -> Finding:
    if p >= ALPHA or not delta:
        return "not_shown"
    return "better" if delta > 0 else "worse"


def _adjusted(fields: Sequence[FieldDifference]) -> list[FieldDifference]:
    """Adjust the p-values of the fields in which some document differs; others cannot show anything."""
    tested = {field.path: field.difference.p for field in fields if field.difference.finding == "not_shown"}
    tested |= {field.path: field.difference.p for field in fields if field.difference.finding in ("better", "worse")}
    p_values = {path: p for path, p in tested.items() if p is not None}
    by_holm = dict(zip(p_values, holm(list(p_values.values())), strict=True))
    by_rate = dict(zip(p_values, benjamini_hochberg(list(p_values.values())), strict=True))
    return [_judged(field, by_holm.get(field.path), by_rate.get(field.path)) for field in fields]


def _judged(field: FieldDifference, p_holm: float | None, q: float | None) -> FieldDifference:
    if q is None:
        return field
    found = replace(field.difference, finding=_finding(field.difference.delta, q))
    return replace(field, difference=found, p_holm=p_holm, q=q)


_RANKS: dict[Finding, int] = {"worse": 0, "not_shown": 1, "better": 2, "too_few": 3, "equal": 4}


def _worst_first(field: FieldDifference) -> tuple[int, float, str]:
    return _RANKS[field.difference.finding], field.difference.delta or 0.0, field.path
