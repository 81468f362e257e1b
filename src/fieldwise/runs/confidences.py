"""The confidences of a run, read from its verdict rows: per field and of all fields together.

Rows are read twice, some documents at a time. The first reading counts right and wrong values by confidence, exactly as
it was given, for each half of the documents; the second one, which needs these counts, sums up how documents spread and
checks thresholds on the other half.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from fieldwise.errors import InputError, SettingError
from fieldwise.runs.calibration import Acceptance, Calibration, Counted, HeldOut, calibration_of
from fieldwise.runs.confidence_rows import CANDIDATES, COLUMNS, CONFIDENCE, Gathered, confident_values
from fieldwise.runs.fields import chosen_fields
from fieldwise.runs.run import Run
from fieldwise.stats.clustered import rate_interval
from fieldwise.stats.discrimination import DocumentSpread, clustered_discrimination
from fieldwise.tables.stored import names_of
from fieldwise.tables.stored_verdicts import whole_documents

POOLED = "all fields"


@dataclass(frozen=True)
class RunCalibration:
    """The calibration of a run: of all values together, and of each field that has confidences, worst first."""

    pooled: Calibration
    fields: tuple[Calibration, ...]
    without: tuple[str, ...]
    """Fields with predicted values, none of which carries a confidence."""
    bins: int
    target_error: float


def calibrate_run(
    run: Run, *, fields: Sequence[str] = (), bins: int = 10, target_error: float = 0.05
) -> RunCalibration:
    """Return what the confidences of a run are worth; ``fields`` takes only what these names stand for."""
    if bins < 1:
        raise SettingError(f"Expected 1 bin or more, got {bins}", facts={"setting": "bins", "got": bins})
    if not 0 < target_error < 1:
        raise SettingError(
            f"Expected a target error between 0 and 1, got {target_error:g}",
            facts={"setting": "target_error", "got": target_error},
        )
    run.need_rows("Calibration")
    gathered = _chosen(_first_reading(run), fields)
    pooled = Gathered(POOLED)
    for found in gathered.values():
        pooled.merge(found)
    for found in (pooled, *gathered.values()):
        found.close(target_error)
    _refuse_none(pooled, list(gathered) if fields else [], run)
    _second_reading(run, gathered, pooled)
    made = [_calibration(found, bins, target_error) for found in gathered.values()]
    worst = sorted((one for one in made if one.n), key=lambda one: (-(one.ece or 0.0), one.name))
    without = sorted(one.name for one in made if one.predicted and not one.n)
    total = _calibration(pooled, bins, target_error)
    return RunCalibration(total, tuple(worst), tuple(without), bins, target_error)


def _first_reading(run: Run) -> dict[str, Gathered]:
    gathered: dict[str, Gathered] = {}
    for block in whole_documents(run.verdicts(columns=COLUMNS)):
        names, outcomes = names_of(block, "field"), names_of(block, "outcome")
        counts = [
            np.bincount(names.codes[outcomes.is_any(*wanted)], minlength=len(names.names)).tolist()
            for wanted in (("match", "mismatch", "spurious"), ("missed",))
        ]
        for name, predicted, missed in zip(names.names, *counts, strict=True):
            one = gathered.setdefault(name, Gathered(name))
            one.predicted += predicted
            one.missed += missed
        for number, found in confident_values(block).by_field():
            gathered[names.names[number]].add(found)
    return gathered


def _second_reading(run: Run, gathered: Mapping[str, Gathered], pooled: Gathered) -> None:
    for block in whole_documents(run.verdicts(columns=COLUMNS)):
        names, values = names_of(block, "field").names, confident_values(block)
        wanted = np.array([name in gathered for name in names], bool)
        values = values.at(wanted[values.fields])
        pooled.spread_out(values)
        for number, found in values.by_field():
            gathered[names[number]].spread_out(found)


def _chosen(gathered: dict[str, Gathered], fields: Sequence[str]) -> dict[str, Gathered]:
    if not fields:
        return gathered
    chosen = set(chosen_fields(fields, gathered, among="the results"))
    return {field: found for field, found in gathered.items() if field in chosen}


def _refuse_none(pooled: Gathered, asked: Sequence[str], run: Run) -> None:
    if pooled.values is None or not pooled.values.n:
        of = f" of {', '.join(asked)}" if asked else ""
        raise InputError(
            f"None of the {pooled.predicted:,} predicted values{of} in {run.name} carries a confidence that counts; "
            "it is a number from 0 to 1 on the value itself, not around an object or a list: "
            '{"total": {"_value": 119.0, "_confidence": 0.93}}',
            code="run.no_confidences",
            facts={"file": run.name, "fields": asked},
            advice="evaluate such predictions again",
        )


def _calibration(found: Gathered, bins: int, target: float) -> Calibration:
    assert found.values is not None
    undefined: dict[str, str] = {}
    auroc = None
    if found.placed is not None:
        auroc = clustered_discrimination(found.placed, found.spread, CONFIDENCE)
        if auroc.low is None:
            undefined["auroc_interval"] = _no_interval(found.spread)
    if found.threshold is None:
        undefined["acceptance"] = _no_threshold(found.choosing.values().n, target)
    return calibration_of(
        Counted(found.name, found.documents, found.predicted, found.missed),
        found.values,
        bins=bins,
        auroc=auroc,
        acceptance=None if found.threshold is None else Acceptance(found.threshold, _held_out(found)),
        undefined=undefined,
    )


def _held_out(found: Gathered) -> HeldOut:
    wrong, right, _, _ = found.accepted.totals()
    rate = rate_interval(found.accepted, "precision", CONFIDENCE)
    return HeldOut(found.checking.values().n, wrong + right, wrong, rate)


def _no_interval(spread: DocumentSpread) -> str:
    if min(spread.with_right, spread.with_wrong) < 2:
        return f"only one document has {'errors' if spread.with_wrong < 2 else 'right values'}"
    return "right and wrong values are told apart completely, so far"


def _no_threshold(values: int, target: float) -> str:
    needed = math.ceil(math.log((1 - CONFIDENCE) / len(CANDIDATES)) / math.log(1 - target))
    if values < needed:
        there = f"{values:,} {'is' if values == 1 else 'are'} there to choose on"
        return f"at least {needed:,} values without an error are needed to show it; {there}"
    return f"no threshold from {CANDIDATES[0]:g} to {CANDIDATES[-1]:g} has so few errors, or enough values to show it"
