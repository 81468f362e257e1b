"""What the rates of a field would be at other thresholds of its comparator, from the scores that a run stored.

The pairing of list items stays as it was; values in rejected rows, and values of another type, count as they did.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from fieldwise.checks import checked_number, refusal
from fieldwise.compare import Plan
from fieldwise.compare.leaves import LeafPlan
from fieldwise.errors import InputError, SettingError
from fieldwise.results.page import STEPS, ThresholdCurve
from fieldwise.results.rates import RATIOS, Counts, Rates
from fieldwise.results.sweep import ScoreBin, Sweep, SweepPoint, ThresholdDifference
from fieldwise.runs.field_scores import FieldScores, nearest_values, read_scores, sweepable_fields
from fieldwise.runs.fields import leaf_at, run_plan
from fieldwise.runs.run import Run
from fieldwise.stats.count_tables import ratio_parts
from fieldwise.stats.differences import paired_delta
from fieldwise.stats.intervals import ratio_interval
from fieldwise.tables.derived import CELLS

THRESHOLDS = tuple(k / 20 for k in range(21))
"""The thresholds of a sweep where none are asked for."""
SCORE_BINS = 20
Ints = npt.NDArray[np.int64]


def threshold_counts(run: Run, field: str, threshold: float) -> Counts:
    """Return the counts that a field would have at a threshold from 0 to 1: those of a point of its sweep.

    They come from the histogram of raw scores, without reading a verdict row. Where it is not exact, they are right at
    steps of 0.001.
    """
    _check_thresholds([threshold])
    leaf = leaf_at(run_plan(run), field, lambda: sweepable_fields(run))
    counted = run.counts(field)
    tp, fd, fa, fn, tn = (int(counted[name].to_numpy().sum()) for name in CELLS)
    matches = run.score_histogram(field).matches(_cut(leaf, threshold))
    return Counts.of(matches, tp + fd - matches, fa, fn, tn)


def threshold_curve(run: Run, plan: Plan, field: str) -> ThresholdCurve | None:
    """Return how many values of a field match at every hundredth of the threshold, as `threshold_counts` does.

    None where no threshold of the field says anything: it has none of its own, or every score is 0 or 1.
    """
    try:
        leaf = leaf_at(plan, field, lambda: ())
    except SettingError:
        return None
    histogram = run.score_histogram(field)
    if not any(score.scored and 0 < score.raw_score < 1 for score in histogram.scores):
        return None
    matches = tuple(histogram.matches(_cut(leaf, k / STEPS)) for k in range(STEPS + 1))
    return ThresholdCurve(field, leaf.threshold, histogram.values, matches)


def _check_thresholds(thresholds: Sequence[float]) -> None:
    if not thresholds:
        raise refusal("numbers from 0 to 1", "thresholds", list(thresholds))
    for value in thresholds:
        checked_number("thresholds", value, high=1.0)


def _cut(leaf: LeafPlan, threshold: float) -> float:
    """Return from which score on values match at a threshold, with the slack of the field's own."""
    return leaf.cut if threshold == leaf.threshold else threshold - round(leaf.threshold - leaf.cut, 12)


def sweep_field(run: Run, field: str, thresholds: Sequence[float] = THRESHOLDS) -> Sweep:
    """Return the rates of a field at each threshold, from 0 to 1, and at the current one."""
    _check_thresholds(thresholds)
    run.need_rows("A sweep")
    leaf = leaf_at(run_plan(run), field, lambda: sweepable_fields(run))
    scores = read_scores(run, field)
    _refuse_unfit(scores, leaf, run)
    levels = sorted({*map(float, thresholds), leaf.threshold})
    tables = [scores.counts(_cut(leaf, level)) for level in levels]
    points = tuple(_point(level, table) for level, table in zip(levels, tables, strict=True))
    at = levels.index(leaf.threshold)
    best = max(range(len(points)), key=lambda k: (points[k].strict_f1 or 0.0, -abs(levels[k] - leaf.threshold)))
    return Sweep(
        field=field,
        comparator=leaf.comparator.describe(),
        threshold=leaf.threshold,
        documents=len(scores.fixed),
        swept=len(scores.raw),
        rejected=scores.rejected,
        mistyped=scores.mistyped,
        raised=scores.raised,
        points=points,
        current=levels[at],
        best=levels[best],
        difference=_difference(tables[at], tables[best]),
        scores=_histogram(scores, leaf.cut),
        nearest=nearest_values(run, field, leaf.cut),
    )


def _point(threshold: float, table: Ints) -> SweepPoint:
    tp, fd, fa, fn = (int(total) for total in table.sum(axis=0))
    rates = {ratio: ratio_interval(ratio_parts(table, ratio)) for ratio in RATIOS}
    return SweepPoint(threshold, tp, fd, fa, fn, Rates(**rates))


def _difference(current: Ints, best: Ints) -> ThresholdDifference:
    delta = paired_delta(current, best, "strict_f1")
    return ThresholdDifference(
        base=delta.base,
        candidate=delta.candidate,
        delta=delta.delta,
        low=delta.low,
        high=delta.high,
        n=delta.n,
        se=delta.se,
        t=delta.t,
        p=delta.p,
    )


def _refuse_unfit(scores: FieldScores, leaf: LeafPlan, run: Run) -> None:
    if not len(scores.raw):
        raise InputError(
            f"No document in {run.name} has a value of {leaf.path} on both sides: there is no score to sweep",
            code="sweep.no_scores",
            facts={"file": run.name, "field": leaf.path},
        )
    if bool(np.isin(scores.raw, (0.0, 1.0)).all()):
        raise InputError(
            f"Every score of {leaf.path} by {leaf.comparator.describe()} is 0 or 1 in {run.name}, so every threshold "
            "above 0 gives the same counts",
            code="sweep.all_or_nothing",
            facts={"file": run.name, "field": leaf.path},
        )
    if bool(((scores.raw >= leaf.cut) != scores.matched).any()):
        raise InputError(
            f"The outcomes of {leaf.path} in {run.name} were not decided by the threshold {leaf.threshold:g} that "
            "stands in its spec.json",
            code="sweep.other_threshold",
            facts={"file": run.name, "field": leaf.path, "threshold": leaf.threshold},
            advice="evaluate again",
        )


def _histogram(scores: FieldScores, cut: float) -> tuple[ScoreBin, ...]:
    """Count scores in bins [a, b), the last one closed, with an edge at the current threshold."""
    edges = np.array(sorted({*(k / SCORE_BINS for k in range(SCORE_BINS + 1)), min(max(round(cut, 9), 0.0), 1.0)}))
    places = np.clip(np.searchsorted(edges, scores.raw + 1e-9, side="right") - 1, 0, len(edges) - 2)
    matches = np.bincount(places[scores.matched], minlength=len(edges) - 1).tolist()
    others = np.bincount(places[~scores.matched], minlength=len(edges) - 1).tolist()
    return tuple(ScoreBin(*row) for row in zip(edges[:-1].tolist(), edges[1:].tolist(), matches, others, strict=True))
