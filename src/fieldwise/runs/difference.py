"""Is the candidate really better? Two runs on the same documents, compared as a whole and field by field."""

from __future__ import annotations

import math
from collections.abc import Sequence

from msgspec.structs import asdict, replace

from fieldwise.results import FieldMetrics
from fieldwise.results.difference import (
    FEWEST,
    Difference,
    FieldDifference,
    Finding,
    LostDocuments,
    RightValues,
    RunDifference,
    TotalDifference,
    UnpairedDifference,
    UnpairedRow,
    WorseField,
)
from fieldwise.results.notes import Note
from fieldwise.results.rates import RATIOS, UNKNOWN, Metric, Rate, Ratio
from fieldwise.runs.flips import FlipFinder
from fieldwise.runs.lost_documents import lost_documents
from fieldwise.runs.measures import (
    ALPHA,
    CONFIDENCE,
    SLIGHT,
    FieldLoss,
    adjusted_losses,
    difference_of,
    field_loss,
    finding_of,
    headlines_of,
    measured,
    tested,
    with_swaps,
)
from fieldwise.runs.notes import pairing_notes, rare_loss_notes
from fieldwise.runs.pairing import PairedRuns, Tables, differing, run_facts
from fieldwise.runs.run import Run
from fieldwise.runs.trials import Counts
from fieldwise.stats.count_tables import is_compound, parts_of
from fieldwise.stats.differences import benjamini_hochberg, holm
from fieldwise.stats.permutation import mcnemar, sign_flip_test


def compare_runs(runs: PairedRuns, *, metric: Metric = "strict_f1", rules: tuple[str, ...] = ()) -> RunDifference:
    """Compare two paired runs by a ratio of counts, or by a figure of whole documents; fields by the same.

    ``rules`` says how the rules differ under which they were made.
    """
    fields, found, finder = [], [], FlipFinder(runs)
    for path, tables in runs.fields.each():
        units = runs.units(tables)
        fields.append(_of_field(runs, path, units, metric))
        found.append(field_loss(path, units, metric))
        finder.add(path, tables)
    losses = adjusted_losses(found)
    judged = sorted((_with_loss(field, losses.get(field.path)) for field in _adjusted(fields)), key=_worst_first)
    total, worse = _total(runs, metric), _clearly_worse(judged)
    finding = "mixed" if worse and total.finding != "worse" else total.finding
    documents, units = runs.documents(), runs.units(runs.total)
    lost = lost_documents(units, metric, above=0.0 if total.finding == "better" else None)
    sides = run_facts(runs.base), run_facts(runs.candidate)
    return RunDifference(
        finding=finding,
        worse_fields=worse,
        metric=metric,
        confidence=CONFIDENCE,
        different_rules=rules,
        notes=(*pairing_notes(documents, sides, rules), *_open_losses(total, lost)),
        base=sides[0],
        candidate=sides[1],
        documents=documents,
        total=total,
        lost_documents=lost,
        headlines=headlines_of(units, metric),
        tested_fields=sum(field.q is not None for field in judged),
        fields={field.path: field for field in judged},
        flips=finder.flips(),
    )


def _open_losses(total: TotalDifference, lost: LostDocuments) -> tuple[Note, ...]:
    return (*rare_loss_notes(total, lost),) if total.finding in ("better", "equal", "not_shown") else ()


def _total(runs: PairedRuns, metric: Metric) -> TotalDifference:
    tables = runs.units(runs.total)
    found, right = difference_of(tables, metric), _right_values(tables, scalar=False, scale=runs.scale)
    total = TotalDifference(**asdict(found), right_values=right)
    return replace(total, finding="mixed") if _is_mixed(total, right) else total


def _clearly_worse(fields: Sequence[FieldDifference]) -> tuple[WorseField, ...]:
    worse = [WorseField(field.path, field.delta, field.p_worse) for field in fields if field.clearly_worse]
    return tuple(sorted(worse, key=lambda field: (field.delta or 0.0, field.path)))


def _of_field(runs: PairedRuns, path: str, tables: Tables, metric: Metric) -> FieldDifference:
    scalar = runs.fields.is_scalar(path)
    right = _right_values(tables, scalar=scalar and not is_compound(tables[0]), scale=runs.scale)
    found = asdict(_tested(tables, metric, right))
    return FieldDifference(**found, path=path, scalar=scalar, right_values=right, differing=differing(tables))


def _tested(tables: Tables, metric: Metric, right: RightValues) -> Difference:
    """Test the rate of a field: by its right values alone where nothing else can move it, else by swapping documents.

    Where the rate is undefined in a run, right values are all there is. Where documents have several trials, documents
    are swapped.
    """
    if metric not in RATIOS:
        return difference_of(tables, metric)
    found = measured(tables, metric, CONFIDENCE)
    if found.n < 2:
        return found
    if found.delta is not None:
        bottoms = parts_of(*tables, metric).bottoms
        if is_compound(tables[0]) or (bottoms[0] != bottoms[1]).any():
            return with_swaps(found, tables, metric)
    return tested(found, right.test, right.p)


def _right_values(tables: Tables, *, scalar: bool, scale: int) -> RightValues:
    change = _net_right(tables[1]) - _net_right(tables[0])
    lost, gained = round(-change[change < 0].sum() / scale), round(change[change > 0].sum() / scale)
    if scalar:
        worse, better = int((change < 0).sum()), int((change > 0).sum())
        return RightValues(worse, better, "mcnemar", mcnemar(worse, better))
    return RightValues(lost, gained, "sign_flip", sign_flip_test(change.astype(float)).p)


def _net_right(table: Counts) -> Counts:
    """Return for each document how many values are right, less those invented."""
    return table[:, 0] - table[:, 2]


def _adjusted(fields: Sequence[FieldDifference]) -> list[FieldDifference]:
    """Adjust the p-values of the fields in which enough documents differ; others cannot show anything (Tarone 1990)."""
    p_values = {field.path: field.p for field in fields if field.differing >= FEWEST and field.p is not None}
    by_holm = dict(zip(p_values, holm(list(p_values.values())), strict=True))
    by_rate = dict(zip(p_values, benjamini_hochberg(list(p_values.values())), strict=True))
    return [_judged(field, by_holm.get(field.path), by_rate.get(field.path)) for field in fields]


def _judged(field: FieldDifference, p_holm: float | None, q: float | None) -> FieldDifference:
    if q is None:
        return field
    finding = "mixed" if _is_mixed(field, field.right_values) else finding_of(field, q)
    return replace(field, finding=finding, p_holm=p_holm, q=q)


def _with_loss(field: FieldDifference, loss: FieldLoss | None) -> FieldDifference:
    if loss is None:
        return field
    if not loss.is_clear(SLIGHT):
        return replace(field, p_worse=loss.p)
    finding: Finding = "mixed" if field.finding == "mixed" else "worse"
    return replace(field, finding=finding, p_worse=loss.p, clearly_worse=True)


def _is_mixed(difference: Difference, right: RightValues) -> bool:
    """Tell whether right values are shown to go one way while the rate goes the other."""
    if difference.delta is None or difference.finding in ("equal", "too_few"):
        return False
    return right.p < ALPHA and difference.delta * (right.gained - right.lost) < 0


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
    return _RANKS[field.finding], field.delta or 0.0, field.path


def compare_metrics(
    base: Run, candidate: Run, *, ratio: Ratio = "strict_f1", rules: tuple[str, ...] = ()
) -> UnpairedDifference:
    """Compare the rates of two runs by their metrics alone: documents are not paired, and there is no verdict."""
    sides = base.metrics.fields, candidate.metrics.fields
    rows = [_row(path, sides[0].get(path), sides[1].get(path), ratio) for path in sorted({*sides[0], *sides[1]})]
    worst_first = sorted(rows, key=lambda row: (row.delta is None, row.delta or 0.0))
    return UnpairedDifference(
        metric=ratio,
        different_rules=rules,
        base=run_facts(base),
        candidate=run_facts(candidate),
        total=_row("", base.metrics.aggregate, candidate.metrics.aggregate, ratio),
        fields={row.path: row for row in worst_first},
        without_rows=next((run.name for run in (base, candidate) if not run.has_rows), "neither run"),
    )


def _row(path: str, base: FieldMetrics | None, candidate: FieldMetrics | None, ratio: Ratio) -> UnpairedRow:
    before, after = _rate(base, ratio), _rate(candidate, ratio)
    if before.value is None or after.value is None:
        return UnpairedRow(path, before, after, None, None, None)
    delta = after.value - before.value
    if before.low is None or before.high is None or after.low is None or after.high is None:
        return UnpairedRow(path, before, after, delta, None, None)
    down = math.hypot(after.value - after.low, before.high - before.value)
    up = math.hypot(after.high - after.value, before.value - before.low)
    return UnpairedRow(path, before, after, delta, delta - down, delta + up)


def _rate(row: FieldMetrics | None, ratio: Ratio) -> Rate:
    return UNKNOWN if row is None else row.rates.of(ratio)
