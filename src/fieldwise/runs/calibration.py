"""The confidences of a run, read from its table of them: what they are worth per field and of all fields together.

Rows are read twice, some documents at a time. The first reading counts right and wrong values by confidence, exactly as
it was given, and by document what each threshold accepts; the second one, which needs these counts, sums up how
documents spread.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from typing import get_args

import numpy as np

from fieldwise.checks import check_share, checked_choice, checked_count
from fieldwise.errors import InputError
from fieldwise.results.calibration import Calibration, FieldCalibration, Guarantee, Reviewed
from fieldwise.results.rates import Rate
from fieldwise.runs.clusters import check_clusters, cluster_key, clusters_in
from fieldwise.runs.confidence_rows import Block, Clusters, ConfidentValues, Gathered, blocks_of
from fieldwise.runs.fields import chosen_fields, stands_for
from fieldwise.runs.run import Run
from fieldwise.stats.acceptance import CANDIDATES, fewest_units
from fieldwise.stats.calibration import (
    average_precision,
    brier,
    calibration_error,
    equal_mass_bins,
    equal_width_bins,
    log_loss,
    maximum_calibration_error,
    spiegelhalter_z,
)
from fieldwise.stats.confidences import Confidences
from fieldwise.stats.review import area_of_review, area_of_risk, errors_caught, review_curve, risk_coverage
from fieldwise.tables.counts import CELLS

POOLED = "all fields"
MISCALIBRATED = 0.05
"""Where the chance of so large an ECE is below, confidences are shown to be untrue."""
REVIEWED = (0.05, 0.1, 0.2, 0.3, 0.5)
"""The shares of values for which the errors caught by review are told."""


def calibrate_run(
    run: Run,
    *,
    fields: Sequence[str] = (),
    bins: int = 10,
    target_error: float = 0.05,
    guarantee: Guarantee = "error",
    cluster_by: str | None = None,
    curve_points: int = 200,
) -> Calibration:
    """Return what the confidences of a run are worth; ``fields`` takes only what these names stand for.

    Documents with the same value of ``cluster_by`` belong together: they are the units of intervals, and are on the
    same side where values are divided to check how a threshold is chosen. Curves have about ``curve_points`` points
    at most.
    """
    checked_count("bins", bins)
    check_share("target error", target_error)
    checked_choice("guarantee", guarantee, get_args(Guarantee))
    run.need_rows("Calibration")
    key = cluster_key([run], cluster_by)
    clusters = None if key is None else _clusters(run, key)
    pooled, gathered = _first_reading(run, fields, partial(_gathered, bins, guarantee, clusters), clusters)
    _refuse_none(pooled, list(gathered) if fields else [], run)
    for found in (pooled, *gathered.values()):
        found.close(target_error)
    _second_reading(run, gathered, pooled, clusters)
    pooled_figures, *made = (_calibration(found, target_error, curve_points) for found in (pooled, *gathered.values()))
    without = sorted(one.name for one in made if one.predicted and not one.n)
    return Calibration(
        bins=bins,
        target_error=target_error,
        guarantee=guarantee,
        pooled=pooled_figures,
        fields={one.name: one for one in sorted((one for one in made if one.n), key=_worst_first)},
        without_confidences=tuple(without),
        cluster_by=key,
        spec_fingerprint=run.metrics.spec_fingerprint,
    )


def _gathered(bins: int, guarantee: Guarantee, clusters: Clusters | None, name: str) -> Gathered:
    return Gathered(name, bins, guarantee, None if clusters is None else clusters.units)


def _worst_first(field: FieldCalibration) -> tuple[bool, float, str]:
    """Put fields first whose error is more than chance, then those with most of it beyond chance."""
    is_shown = field.ece_p is not None and field.ece_p < MISCALIBRATED
    return not is_shown, -(field.ece_beyond_chance or 0.0), field.name


def _clusters(run: Run, key: str) -> Clusters:
    """Return by what name each document is taken, that of its cluster."""
    documents = run.documents()
    names = clusters_in(run, documents, key)
    check_clusters(run, key, names)
    by_id: dict[str, str] = {}
    for document, name in zip(documents.ids.to_pylist(), names, strict=True):
        if name is not None or document not in by_id:
            by_id[document] = f"#{document}" if name is None else f"={name}"
    return Clusters.of(by_id)


def _first_reading(
    run: Run, fields: Sequence[str], made: Callable[[str], Gathered], clusters: Clusters | None
) -> tuple[Gathered, dict[str, Gathered]]:
    """Return all values together, and those of each field, or of those that the names stand for."""
    pooled, gathered, others = made(POOLED), dict[str, Gathered](), set[str]()
    for name in run.fields():
        if fields and not any(stands_for(given, name) for given in fields):
            others.add(name)
            continue
        gathered[name] = made(name)
        tp, fd, fa, fn = (int(run.counts(name)[cell].to_numpy().sum()) for cell in CELLS)
        for one in (pooled, gathered[name]):
            one.predicted += tp + fd + fa
            one.missed += fn
    for block in blocks_of(run, clusters):
        for one, values in _by_field(block, gathered, pooled):
            one.count(values, block.units)
    if fields:
        chosen_fields(fields, sorted({*gathered, *others}), among="the results")  # refuses a name that stands for none
    return pooled, gathered


def _by_field(
    block: Block, gathered: Mapping[str, Gathered], pooled: Gathered
) -> Iterator[tuple[Gathered, ConfidentValues]]:
    """Yield the values of a block that are looked at: all together, then those of each field."""
    wanted = np.array([name in gathered for name in block.fields], bool)
    values = block.values.at(wanted[block.values.fields])
    yield pooled, values
    for number, found in values.by_field():
        yield gathered[block.fields[number]], found


def _second_reading(run: Run, gathered: Mapping[str, Gathered], pooled: Gathered, clusters: Clusters | None) -> None:
    for block in blocks_of(run, clusters):
        for one, values in _by_field(block, gathered, pooled):
            one.spread_out(values, block.units)
    for one in (pooled, *gathered.values()):
        one.close_clusters()


def _refuse_none(pooled: Gathered, asked: Sequence[str], run: Run) -> None:
    if not pooled.counts.values().n:
        of = f" of {', '.join(asked)}" if asked else ""
        raise InputError(
            f"None of the {pooled.predicted:,} predicted values{of} in {run.name} carries a confidence that counts; "
            "it is a number from 0 to 1 on the value itself, not around an object or a list: "
            '{"total": {"_value": 119.0, "_confidence": 0.93}}',
            code="run.no_confidences",
            facts={"file": run.name, "fields": asked},
            advice="evaluate such predictions again",
        )


def _calibration(gathered: Gathered, target: float, curve_points: int) -> FieldCalibration:
    values, bins, chance = gathered.values, gathered.bins, gathered.chance
    assert values is not None
    width, auroc = equal_width_bins(values, bins), _auroc(gathered)
    ece = calibration_error(width)
    by_chance = None if ece is None or chance is None else chance.mean(values.n)
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
        ece=ece,
        ece_by_chance=by_chance,
        ece_beyond_chance=None if ece is None or by_chance is None else max(0.0, ece - by_chance),
        ece_p=None if ece is None or chance is None else chance.p(ece, values.n),
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
        acceptance=gathered.acceptance,
        undefined=_why(values) | _why_not_shown(gathered, auroc, target),
    )


def _auroc(gathered: Gathered) -> Rate | None:
    area = gathered.discrimination()
    if area is None:
        return None
    return Rate(area.auroc, area.low, area.high, gathered.spread.documents, gathered.unit)


def _reviewed(values: Confidences) -> tuple[Reviewed, ...]:
    if not values.errors:
        return ()
    return tuple(Reviewed(share, errors_caught(values, share * values.n) / values.errors) for share in REVIEWED)


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
    if gathered.acceptance is None:
        why["acceptance"] = _no_threshold(gathered, target)
    return why


def _no_interval(gathered: Gathered) -> str:
    spread = gathered.spread
    if min(spread.with_right, spread.with_wrong) < 2:
        unit = "document" if gathered.unit == "documents" else "cluster"
        return f"only one {unit} has {'errors' if spread.with_wrong < 2 else 'right values'}"
    return "right and wrong values are told apart completely, so far"


def _no_threshold(gathered: Gathered, target: float) -> str:
    few = math.ceil(1 / target) - 1 if gathered.guarantee == "expectation" else fewest_units(target)
    units, many = gathered.units, gathered.unit
    if units < few:
        return f"at least {few:,} {many} are needed to show it, without an error; {units:,} have such values"
    return f"no threshold from {CANDIDATES[0]:g} to {CANDIDATES[-1]:g} has so few errors, or enough {many} to show it"
