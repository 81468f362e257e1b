"""What the rates of a field would be at other thresholds of its comparator, from the scores that a run stored.

The pairing of list items stays as it was; values in rejected rows, and values of another type, count as they did.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from fieldwise.checks import checked_number, refusal
from fieldwise.compare import Plan
from fieldwise.compare.leaves import LeafPlan
from fieldwise.errors import InputError, SettingError, quoted
from fieldwise.results.page import STEPS, ThresholdCurve
from fieldwise.results.rates import RATIOS, Counts, Rates
from fieldwise.results.sweep import (
    ScoreBin,
    ScoredValue,
    ScoreHistogram,
    Sweep,
    SweepPoint,
    ThresholdDifference,
)
from fieldwise.runs.fields import leaf_at, run_plan
from fieldwise.runs.run import Run
from fieldwise.stats.count_tables import ratio_parts
from fieldwise.stats.differences import paired_delta
from fieldwise.stats.intervals import ratio_interval
from fieldwise.tables.counts import CELLS
from fieldwise.tables.scores import UNSCORED
from fieldwise.tables.stored import Ints, names_of, numbers_of
from fieldwise.values import Json

THRESHOLDS = tuple(k / 20 for k in range(21))
"""The thresholds of a sweep where none are asked for."""
SCORE_BINS = 20
_MAX_TIED = 1_000
"""Of values with one and the same score in a block, so many are looked at."""


def threshold_counts(run: Run, field: str, threshold: float) -> Counts:
    """Return the counts that a field would have at a threshold from 0 to 1: those of a point of its sweep.

    They come from the histogram of raw scores, without reading an error. Where it is not exact, they are right at
    steps of 0.001.
    """
    _check_thresholds([threshold])
    leaf = leaf_at(run_plan(run), field, lambda: sweepable_fields(run))
    counted = run.counts(field)
    tp, fd, fa, fn = (int(counted[name].to_numpy().sum()) for name in CELLS)
    held = run.metrics.values_at(field)
    histogram = run.score_histogram(field)
    fixed = _fixed_matches(histogram, leaf, tp)
    if fixed is None:
        raise _undecided(leaf, run)
    matches = fixed + histogram.matches(_cut(leaf, threshold))
    return Counts.of(matches, tp + fd - matches, fa, fn, 0 if held is None else held.tn)


def threshold_curve(run: Run, plan: Plan, field: str) -> ThresholdCurve | None:
    """Return how many values of a field match at every hundredth of the threshold, as `threshold_counts` does.

    None where no threshold of the field says anything: it has none of its own, every score is 0 or 1, or classes have
    thresholds of their own.
    """
    try:
        leaf = leaf_at(plan, field, lambda: ())
    except SettingError:
        return None
    histogram = run.score_histogram(field)
    if not _decides(histogram):
        return None
    fixed = _fixed_matches(histogram, leaf, _matched(run, field))
    if fixed is None:
        return None
    matches = tuple(fixed + histogram.matches(_cut(leaf, k / STEPS)) for k in range(STEPS + 1))
    return ThresholdCurve(field, leaf.threshold, histogram.values, matches)


def _matched(run: Run, field: str) -> int:
    held = run.metrics.values_at(field) if run.metrics.unmatched == "leaves" else None
    return int(run.counts(field)["tp"].to_numpy().sum()) if held is None else held.tp


def _fixed_matches(histogram: ScoreHistogram, leaf: LeafPlan, matched: int) -> int | None:
    """Return how many matches do not follow from a score, as those of another type than declared; they are matches at
    every threshold. None where the threshold of the leaf did not decide on the others.
    """
    fixed = matched - histogram.matches(leaf.cut)
    unscored = sum(score.values for score in histogram.scores if not score.scored)
    if histogram.exact:
        return fixed if 0 <= fixed <= unscored else None
    return min(max(fixed, 0), unscored)


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
            f"{leaf.path} is compared as {quoted(leaf.comparator.describe())}, and every score of it in {run.name} is "
            "0 or 1, so every threshold above 0 gives the same counts",
            code="sweep.all_or_nothing",
            facts={"file": run.name, "field": leaf.path},
        )
    if bool(((scores.raw >= leaf.cut) != scores.matched).any()):
        raise _undecided(leaf, run)


def _undecided(leaf: LeafPlan, run: Run) -> InputError:
    has_classes = run.metrics.classes is not None
    return InputError(
        f"The outcomes of {leaf.path} in {run.name} were not decided by the threshold {leaf.threshold:g} that "
        f"stands in its spec.json{'; classes may have thresholds of their own' if has_classes else ''}",
        code="sweep.other_threshold",
        facts={"file": run.name, "field": leaf.path, "threshold": leaf.threshold},
        advice="" if has_classes else "evaluate again",
    )


def _histogram(scores: FieldScores, cut: float) -> tuple[ScoreBin, ...]:
    """Count scores in bins [a, b), the last one closed, with an edge at the current threshold."""
    edges = np.array(sorted({*(k / SCORE_BINS for k in range(SCORE_BINS + 1)), min(max(round(cut, 9), 0.0), 1.0)}))
    places = np.clip(np.searchsorted(edges, scores.raw + 1e-9, side="right") - 1, 0, len(edges) - 2)
    matches = np.bincount(places[scores.matched], minlength=len(edges) - 1).tolist()
    others = np.bincount(places[~scores.matched], minlength=len(edges) - 1).tolist()
    return tuple(ScoreBin(*row) for row in zip(edges[:-1].tolist(), edges[1:].tolist(), matches, others, strict=True))


@dataclass(frozen=True)
class FieldScores:
    """The values of a field that both sides have, with their scores, and what counts whatever the threshold.

    ``fixed`` has a row of tp, fd, fa, fn for each document, which ``documents`` of the scored values point to.
    """

    fixed: npt.NDArray[np.int64]
    documents: Ints
    raw: npt.NDArray[np.float64]
    matched: npt.NDArray[np.bool_]
    rejected: int
    mistyped: int
    raised: int = 0
    """Values whose comparator raised."""

    def counts(self, cut: float) -> npt.NDArray[np.int64]:
        """Return the counts of each document if scores from ``cut`` on are a match."""
        is_match = self.raw >= cut
        table = self.fixed.copy()
        table[:, 0] += np.bincount(self.documents[is_match], minlength=len(table))
        table[:, 1] += np.bincount(self.documents[~is_match], minlength=len(table))
        return table


_NOTHING = FieldScores(np.zeros((0, 4), np.int64), np.zeros(0, np.int64), np.zeros(0), np.zeros(0, bool), 0, 0)


def read_scores(run: Run, field: str) -> FieldScores:
    """Return the scores of a field: those of its errors, and 1 for every match that is none."""
    if field not in run.fields():  # no document could have a value of it
        return _NOTHING
    errors, counts = run.errors(field, outcome=None, columns=("raw_score", "reason")), run.counts(field)
    ids: Any = run.documents().ids.combine_chunks().dictionary_encode()  # one for all trials
    found, places = np.unique(np.asarray(ids.indices)[counts["document"].to_numpy()], return_inverse=True)
    rows = np.full(len(ids), -1, np.int64)
    rows[counts["document"].to_numpy()] = places.ravel()
    fixed = np.zeros((len(found), len(CELLS)), np.int64)
    for cell, name in enumerate(CELLS):
        np.add.at(fixed[:, cell], places.ravel(), counts[name].to_numpy())
    documents, outcomes = rows[errors["document"].to_numpy()], names_of(errors, "outcome")
    is_match, scored, reasons = outcomes.is_any("match"), _is_scored(errors), names_of(errors, "reason")
    same = fixed[:, 0] - np.bincount(documents[is_match], minlength=len(found))
    for cell, matches in enumerate((True, False)):
        fixed[:, cell] -= np.bincount(documents[scored & (is_match == matches)], minlength=len(found))
    fixed[:, 0] -= same
    both = outcomes.is_any("match", "mismatch") & ~scored
    return FieldScores(
        fixed=fixed,
        documents=np.append(documents[scored], np.repeat(np.arange(len(found)), same)),
        raw=np.append(numbers_of(errors, "raw_score")[scored], np.ones(int(same.sum()))),
        matched=np.append(is_match[scored], np.ones(int(same.sum()), bool)),
        rejected=int((both & reasons.is_any("row")).sum()),
        mistyped=int((both & reasons.is_any("type")).sum()),
        raised=int((both & reasons.is_any("comparator")).sum()),
    )


def nearest_values(run: Run, field: str, cut: float, most: int = 6) -> tuple[ScoredValue, ...]:
    """Return values that are not the same on both sides and whose scores are nearest to a threshold: so many below it
    and so many from it on, rising; of those with one score the first by document and path.
    """
    errors = run.errors(field, outcome=None, columns=("raw_score", "reason"))
    raw, scored = numbers_of(errors, "raw_score"), _is_scored(errors)
    values = run.errors(field, outcome=None, columns=("id", "raw_score", "expected", "predicted"))
    found: list[list[ScoredValue]] = []
    for side in (scored & (raw < cut), scored & (raw >= cut) & (raw < 1)):
        places = np.flatnonzero(side).astype(np.int64)
        away = np.abs(raw[places] - cut)
        limit = np.partition(away, most - 1)[most - 1] if len(places) > most else np.inf
        near = [_scored_value(row, cut) for row in values.take(places[away <= limit][:_MAX_TIED]).to_pylist()]
        found.append(sorted(near, key=lambda value: (abs(value.score - cut), value.document, value.path))[:most])
    below, above = found
    return (*reversed(below), *above)


def _scored_value(row: dict[str, Json], cut: float) -> ScoredValue:
    score = row["raw_score"]
    return ScoredValue(row["id"], row["path"], row["expected"], row["predicted"], score, score >= cut)


def _is_scored(block: pa.Table) -> npt.NDArray[np.bool_]:
    """Tell of each row whether its outcome follows from its score."""
    return names_of(block, "outcome").is_any("match", "mismatch") & ~names_of(block, "reason").is_any(*UNSCORED)


def sweepable_fields(run: Run) -> list[str]:
    """Return the fields that have scores between 0 and 1."""
    return [field for field in run.fields() if _decides(run.score_histogram(field))]


def _decides(histogram: ScoreHistogram) -> bool:
    return any(score.scored and 0 < score.raw_score < 1 for score in histogram.scores)
