"""The confidences of a run, read from its verdict rows: what they are worth per field and of all fields together.

Rows are read twice, some documents at a time. The first reading counts right and wrong values by confidence, exactly as
it was given, for each half of the documents; the second one, which needs these counts, sums up how documents spread and
checks thresholds on the other half.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import numpy as np
from msgspec.structs import replace

from fieldwise.checks import check_share, checked_count
from fieldwise.errors import InputError
from fieldwise.results.calibration import Acceptance, Calibration, FieldCalibration, HeldOut, Reviewed
from fieldwise.results.rates import Rate
from fieldwise.runs.clusters import check_clusters, cluster_key, clusters_in
from fieldwise.runs.confidence_rows import COLUMNS, CONFIDENCE, Gathered, Units, confident_values
from fieldwise.runs.fields import chosen_fields
from fieldwise.runs.run import Run
from fieldwise.stats.calibration import (
    average_precision,
    brier,
    calibration_error,
    calibration_error_by_chance,
    clustered_discrimination,
    equal_mass_bins,
    equal_width_bins,
    log_loss,
    maximum_calibration_error,
    spiegelhalter_z,
)
from fieldwise.stats.confidences import Confidences
from fieldwise.stats.intervals import rate_interval
from fieldwise.stats.review import CANDIDATES, area_of_review, area_of_risk, errors_caught, review_curve, risk_coverage
from fieldwise.tables.stored import names_of
from fieldwise.tables.stored_verdicts import whole_documents

POOLED = "all fields"
REVIEWED = (0.05, 0.1, 0.2, 0.3, 0.5)
"""The shares of values for which the errors caught by review are told."""


def calibrate_run(
    run: Run,
    *,
    fields: Sequence[str] = (),
    bins: int = 10,
    target_error: float = 0.05,
    cluster_by: str | None = None,
    curve_points: int = 200,
) -> Calibration:
    """Return what the confidences of a run are worth; ``fields`` takes only what these names stand for.

    Documents with the same value of ``cluster_by`` belong together: they are the units of intervals, and are on the
    same side where values are divided to choose a threshold and to check it. Curves have about ``curve_points`` points
    at most.
    """
    checked_count("bins", bins)
    check_share("target error", target_error)
    run.need_rows("Calibration")
    key = cluster_key([run], cluster_by)
    units = None if key is None else _units(run, key)
    gathered = _chosen(_first_reading(run, units), fields)
    pooled = Gathered(POOLED)
    for found in gathered.values():
        pooled.merge(found)
    for found in (pooled, *gathered.values()):
        found.close(target_error)
        found.clusters = 0 if units is None else len(units.numbers)
    _refuse_none(pooled, list(gathered) if fields else [], run)
    _second_reading(run, gathered, pooled, units)
    pooled_figures, *made = (
        _calibration(found, bins, target_error, curve_points) for found in (pooled, *gathered.values())
    )
    worst = sorted((one for one in made if one.n), key=lambda one: (-(one.ece or 0.0), one.name))
    without = sorted(one.name for one in made if one.predicted and not one.n)
    return Calibration(
        bins=bins,
        target_error=target_error,
        pooled=pooled_figures,
        fields={one.name: one for one in worst},
        without_confidences=tuple(without),
        cluster_by=key,
        spec_fingerprint=run.metrics.spec_fingerprint,
    )


def _units(run: Run, key: str) -> Units:
    """Return by what name each document is taken, that of its cluster, and the number of each name."""
    documents = run.documents()
    names = clusters_in(run, documents, key)
    check_clusters(run, key, names)
    by_id: dict[str, str] = {}
    for document, name in zip(documents.ids.to_pylist(), names, strict=True):
        if name is not None or document not in by_id:
            by_id[document] = f"#{document}" if name is None else f"={name}"
    return Units(by_id, {name: number for number, name in enumerate(dict.fromkeys(by_id.values()))})


def _first_reading(run: Run, units: Units | None) -> dict[str, Gathered]:
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
        for number, found in confident_values(block, units).by_field():
            gathered[names.names[number]].add(found)
    return gathered


def _second_reading(run: Run, gathered: Mapping[str, Gathered], pooled: Gathered, units: Units | None) -> None:
    for block in whole_documents(run.verdicts(columns=COLUMNS)):
        names, values = names_of(block, "field").names, confident_values(block, units)
        wanted = np.array([name in gathered for name in names], bool)
        values = values.at(wanted[values.fields])
        pooled.spread_out(values)
        for number, found in values.by_field():
            gathered[names[number]].spread_out(found)
    for one in (pooled, *gathered.values()):
        one.close_clusters()


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


def _calibration(gathered: Gathered, bins: int, target: float, curve_points: int) -> FieldCalibration:
    values = gathered.values
    assert values is not None
    width, auroc = equal_width_bins(values, bins), _auroc(gathered)
    right = values.n - values.errors
    mean = float((values.confidence * values.sizes).sum()) / values.n if values.n else None
    return FieldCalibration(
        name=gathered.name,
        documents=gathered.documents,
        predicted=gathered.predicted,
        missed=gathered.missed,
        n=values.n,
        right=right,
        coverage=values.n / gathered.predicted if gathered.predicted else None,
        accuracy=right / values.n if values.n else None,
        signed_error=None if mean is None else mean - right / values.n,
        mean_confidence=mean,
        bins=tuple(width),
        ece=calibration_error(width),
        ece_by_chance=calibration_error_by_chance(values, bins),
        ece_equal_mass=calibration_error(equal_mass_bins(values, bins)),
        mce=maximum_calibration_error(width),
        brier=brier(values, width),
        log_loss=log_loss(values),
        spiegelhalter_z=spiegelhalter_z(values),
        auroc=auroc,
        error_average_precision=average_precision(values, "wrong"),
        review=_reviewed(values),
        review_curve=tuple(review_curve(values, most=curve_points)),
        review_area=area_of_review(values),
        risk_curve=tuple(risk_coverage(values, most=curve_points)),
        risk_area=area_of_risk(values),
        acceptance=None if gathered.threshold is None else Acceptance(gathered.threshold, _held_out(gathered)),
        undefined=_why(values) | _why_not_shown(gathered, auroc, target),
    )


def _auroc(gathered: Gathered) -> Rate | None:
    if gathered.placed is None:
        return None
    area = clustered_discrimination(gathered.placed, gathered.spread, CONFIDENCE)
    return Rate(area.auroc, area.low, area.high, gathered.spread.documents, gathered.unit)


def _reviewed(values: Confidences) -> tuple[Reviewed, ...]:
    if not values.errors:
        return ()
    return tuple(Reviewed(share, errors_caught(values, share * values.n) / values.errors) for share in REVIEWED)


def _held_out(gathered: Gathered) -> HeldOut:
    wrong, right, _, _ = gathered.accepted.totals()
    rate = replace(rate_interval(gathered.accepted, "precision", CONFIDENCE), unit=gathered.unit)
    return HeldOut(gathered.checking.values().n, wrong + right, wrong, rate)


def _why(values: Confidences) -> dict[str, str]:
    """Say why a figure is undefined."""
    why: dict[str, str] = {}
    if not values.n:
        return why
    if not values.errors:
        why["auroc"] = why["review"] = why["error_average_precision"] = "every value is right"
    elif values.errors == values.n:
        why["auroc"] = "every value is wrong"
    if log_loss(values) is None:
        why["log_loss"] = "a wrong value has the confidence 1, or a right one 0"
    if spiegelhalter_z(values) is None:
        why["spiegelhalter_z"] = "every confidence is 0, 0.5 or 1"
    return why


def _why_not_shown(gathered: Gathered, auroc: Rate | None, target: float) -> dict[str, str]:
    """Say why documents do not show an interval of AUROC, or a threshold to accept from."""
    why: dict[str, str] = {}
    if auroc is not None and auroc.low is None:
        why["auroc_interval"] = _no_interval(gathered)
    if gathered.threshold is None:
        why["acceptance"] = _no_threshold(gathered.choosing.values().n, target)
    return why


def _no_interval(gathered: Gathered) -> str:
    spread = gathered.spread
    if min(spread.with_right, spread.with_wrong) < 2:
        unit = "document" if gathered.unit == "documents" else "cluster"
        return f"only one {unit} has {'errors' if spread.with_wrong < 2 else 'right values'}"
    return "right and wrong values are told apart completely, so far"


def _no_threshold(values: int, target: float) -> str:
    needed = math.ceil(math.log((1 - CONFIDENCE) / len(CANDIDATES)) / math.log(1 - target))
    if values < needed:
        there = f"{values:,} {'is' if values == 1 else 'are'} there to choose on"
        return f"at least {needed:,} values without an error are needed to show it; {there}"
    return f"no threshold from {CANDIDATES[0]:g} to {CANDIDATES[-1]:g} has so few errors, or enough values to show it"
