"""Is the candidate really better? Two runs on the same documents, compared as a whole and field by field."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from fieldwise.results.rates import RATIOS, Metric
from fieldwise.runs.flips import FlipFinder, Flips
from fieldwise.runs.measures import (
    ALPHA,
    CONFIDENCE,
    FEWEST,
    Difference,
    Finding,
    Headline,
    Test,
    difference_of,
    finding_of,
    headlines_of,
    measured,
    tested,
    unseen_losses,
)
from fieldwise.runs.pairing import Counts, PairedRuns, Pairing, Tables, differing, values_of
from fieldwise.runs.worse_fields import SLIGHT, FieldLoss, adjusted_losses, field_loss
from fieldwise.stats.count_tables import has_trials, parts_of
from fieldwise.stats.mcnemar import clustered_mcnemar, mcnemar
from fieldwise.stats.multiple import benjamini_hochberg, holm
from fieldwise.stats.permutation import permutation_test


@dataclass(frozen=True)
class RightValues:
    """How many more values a run has right, less those it invents; of documents where a field has one value at most.
    Of several trials of a document it is the mean, and the numbers are rounded.

    The test is McNemar's then, else that of the documents' signs. It looks at nothing else: that wrong values are
    left empty instead changes rates, and not this.
    """

    lost: int
    gained: int
    test: Test
    p: float


@dataclass(frozen=True)
class FieldDifference:
    """The difference of one field. Its finding is by ``q``, which counts how many fields were looked at, or *worse*
    where the field is clearly worse.

    ``p_holm`` and ``q`` (Benjamini and Hochberg) are None where so few documents differ that no test could show
    anything: that field is left out of both.
    """

    path: str
    scalar: bool
    difference: Difference
    right: RightValues
    differing: int
    """In how many documents the counts differ."""
    p_holm: float | None = None
    q: float | None = None
    p_worse: float | None = None
    """The chance of so large a loss without a change, by swaps of documents, after Holm's adjustment over the fields
    that at least 20 documents have and 6 differ in; None for others, 1 where the rate did not fall."""
    clearly_worse: bool = False
    """Whether that is below 0.025, and the loss more than a point."""


@dataclass(frozen=True)
class RunDifference:
    """Everything that two runs on the same documents show."""

    metric: Metric
    pairing: Pairing
    total: Difference
    """All leaves together; its test swaps the runs document by document."""
    right: RightValues
    """How many more of all leaves are right."""
    headlines: tuple[Headline, ...]
    fields: tuple[FieldDifference, ...]
    flips: Flips
    by_objects: bool
    """Whether the metrics of a run count rows of lists as objects; here, values are always counted one by one."""

    @property
    def finding(self) -> Finding:
        """The verdict: that of all leaves together, or *mixed* where that is not worse and a field clearly is."""
        return "mixed" if self.worse_fields and self.total.finding != "worse" else self.total.finding

    @property
    def worse_fields(self) -> tuple[FieldDifference, ...]:
        """The fields that are clearly worse, the largest loss first."""
        found = [field for field in self.fields if field.clearly_worse]
        return tuple(sorted(found, key=lambda field: (field.difference.delta or 0.0, field.path)))

    @property
    def unseen(self) -> float | None:
        """The share of documents that may have a loss although none is shown; None where enough of them differ."""
        return unseen_losses(self.total, CONFIDENCE) if self.finding in ("equal", "not_shown") else None

    @property
    def tested_fields(self) -> int:
        """In how many fields enough documents differ to show anything; p-values are adjusted for so many."""
        return sum(field.q is not None for field in self.fields)


def compare_runs(runs: PairedRuns, *, metric: Metric = "strict_f1") -> RunDifference:
    """Compare two paired runs by a ratio of counts, or by a figure of whole documents; fields by the same."""
    fields, found, finder = [], [], FlipFinder(runs)
    for path, tables in runs.fields.each():
        fields.append(_of_field(runs, path, tables, metric))
        found.append(field_loss(path, tables, metric))
        finder.add(path, tables)
    losses = adjusted_losses(found)
    total, right = difference_of(runs.total, metric), _right_values(runs.total, scalar=False, scale=runs.scale)
    judged = [_with_loss(field, losses.get(field.path)) for field in _adjusted(fields)]
    return RunDifference(
        metric=metric,
        pairing=runs.pairing,
        total=replace(total, finding="mixed") if _is_mixed(total, right) else total,
        right=right,
        headlines=headlines_of(runs.total, metric),
        fields=tuple(sorted(judged, key=_worst_first)),
        flips=finder.flips(),
        by_objects=runs.by_objects,
    )


def _of_field(runs: PairedRuns, path: str, tables: Tables, metric: Metric) -> FieldDifference:
    scalar = runs.fields.is_scalar(path)
    right = _right_values(tables, scalar=scalar and not runs.has_trials, scale=runs.scale)
    return FieldDifference(path, scalar, _tested(tables, metric, right), right, differing(tables))


def _tested(tables: tuple[Counts, Counts], metric: Metric, right: RightValues) -> Difference:
    """Test the rate of a field: by its right values alone where nothing else can move it, else by swapping documents.

    Where the rate is undefined in a run, right values are all there is. Where documents have several trials, documents
    are swapped.
    """
    if metric not in RATIOS:
        return difference_of(tables, metric)
    found = measured(tables, metric, CONFIDENCE)
    if found.n < 2:
        return found
    if has_trials(tables[0]) and found.delta is not None:
        return difference_of(tables, metric)
    _, bottoms = parts_of(*tables, metric)
    if found.delta is None or (bottoms[0] == bottoms[1]).all():
        return tested(found, right.test, right.p)
    swapped = permutation_test(*tables, metric)
    return found if swapped is None else tested(found, "permutation", swapped.p)


def _right_values(tables: tuple[Counts, Counts], *, scalar: bool, scale: int) -> RightValues:
    change = _net_right(tables[1]) - _net_right(tables[0])
    sizes = np.maximum(values_of(tables[0]), values_of(tables[1]))
    lost, gained = round(-change[change < 0].sum() / scale), round(change[change > 0].sum() / scale)
    if scalar:
        worse, better = int((change < 0).sum()), int((change > 0).sum())
        return RightValues(worse, better, "mcnemar", mcnemar(worse, better, max(int((sizes > 0).sum()), 1)).p)
    flipped = clustered_mcnemar(change, np.maximum(sizes, np.abs(change))).sign_flip.p
    return RightValues(lost, gained, "sign_flip", flipped)


def _net_right(table: Counts) -> Counts:
    """Return for each document how many values are right, less those invented."""
    return table[:, 0] - table[:, 2]


def _adjusted(fields: Sequence[FieldDifference]) -> list[FieldDifference]:
    """Adjust the p-values of the fields in which enough documents differ; others cannot show anything (Tarone 1990)."""
    p_values = {
        field.path: field.difference.p
        for field in fields
        if field.differing >= FEWEST and field.difference.p is not None
    }
    by_holm = dict(zip(p_values, holm(list(p_values.values())), strict=True))
    by_rate = dict(zip(p_values, benjamini_hochberg(list(p_values.values())), strict=True))
    return [_judged(field, by_holm.get(field.path), by_rate.get(field.path)) for field in fields]


def _judged(field: FieldDifference, p_holm: float | None, q: float | None) -> FieldDifference:
    if q is None:
        return field
    finding = "mixed" if _is_mixed(field.difference, field.right) else finding_of(field.difference, q)
    return replace(field, difference=replace(field.difference, finding=finding), p_holm=p_holm, q=q)


def _with_loss(field: FieldDifference, loss: FieldLoss | None) -> FieldDifference:
    if loss is None:
        return field
    if not loss.is_clear(SLIGHT):
        return replace(field, p_worse=loss.p)
    finding: Finding = "mixed" if field.difference.finding == "mixed" else "worse"
    return replace(field, difference=replace(field.difference, finding=finding), p_worse=loss.p, clearly_worse=True)


def _is_mixed(found: Difference, right: RightValues) -> bool:
    """Tell whether right values are shown to go one way while the rate goes the other."""
    if found.delta is None or found.finding in ("equal", "too_few"):
        return False
    return right.p < ALPHA and found.delta * (right.gained - right.lost) < 0


_RANKS: dict[Finding, int] = {
    "worse": 0,
    "mixed": 1,
    "not_shown": 2,
    "undefined": 3,
    "better": 4,
    "too_few": 5,
    "equal": 6,
}


def _worst_first(field: FieldDifference) -> tuple[int, float, str]:
    return _RANKS[field.difference.finding], field.difference.delta or 0.0, field.path
