"""Is the candidate really better? Two runs on the same documents, compared as a whole and field by field."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from fieldwise.runs.flips import Flips, find_flips
from fieldwise.runs.headlines import Headline, headlines_of
from fieldwise.runs.measures import Difference, Finding, difference_of, finding_of, measured, tested
from fieldwise.runs.outcomes import Counts
from fieldwise.runs.pairing import PairedRuns, Pairing
from fieldwise.stats.mcnemar import clustered_mcnemar, mcnemar
from fieldwise.stats.moments import Ratio
from fieldwise.stats.multiple import benjamini_hochberg, holm


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
    headlines: tuple[Headline, ...]
    fields: tuple[FieldDifference, ...]
    flips: Flips
    by_objects: bool
    """Whether the metrics of a run count rows of lists as objects; here, values are always counted one by one."""

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
        headlines=headlines_of(runs.total, ratio=ratio, confidence=confidence),
        fields=tuple(sorted(_adjusted(fields), key=_worst_first)),
        flips=find_flips(runs),
        by_objects=runs.by_objects,
    )


def _of_field(runs: PairedRuns, path: str, ratio: Ratio, confidence: float) -> Difference:
    """Compare one field by the values that flipped: McNemar's test where a document has one, else sign flips."""
    tables = runs.fields[path]
    found = measured(tables, ratio, confidence)
    gained = _net_right(tables[1]) - _net_right(tables[0])
    if found.finding == "too_few":
        return found
    sizes = np.maximum(tables[0].sum(axis=1), tables[1].sum(axis=1))
    if path in runs.scalar_fields:
        worse, better = int((gained < 0).sum()), int((gained > 0).sum())
        return tested(found, "mcnemar", mcnemar(worse, better, int((sizes > 0).sum())).p)
    return tested(found, "sign_flip", clustered_mcnemar(gained, np.maximum(sizes, np.abs(gained))).sign_flip.p)


def _net_right(table: Counts) -> Counts:
    """Return for each document how many values are right, less those invented."""
    return table[:, 0] - table[:, 2]


def _adjusted(fields: Sequence[FieldDifference]) -> list[FieldDifference]:
    """Adjust the p-values of the fields in which some document differs; others cannot show anything."""
    differing = [field for field in fields if field.difference.finding not in ("equal", "too_few")]
    p_values = {field.path: field.difference.p for field in differing if field.difference.p is not None}
    by_holm = dict(zip(p_values, holm(list(p_values.values())), strict=True))
    by_rate = dict(zip(p_values, benjamini_hochberg(list(p_values.values())), strict=True))
    return [_judged(field, by_holm.get(field.path), by_rate.get(field.path)) for field in fields]


def _judged(field: FieldDifference, p_holm: float | None, q: float | None) -> FieldDifference:
    if q is None:
        return field
    found = replace(field.difference, finding=finding_of(field.difference, q))
    return replace(field, difference=found, p_holm=p_holm, q=q)


_RANKS: dict[Finding, int] = {"worse": 0, "not_shown": 1, "undefined": 2, "better": 3, "too_few": 4, "equal": 5}


def _worst_first(field: FieldDifference) -> tuple[int, float, str]:
    return _RANKS[field.difference.finding], field.difference.delta or 0.0, field.path
