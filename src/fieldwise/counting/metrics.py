"""What an evaluation's sums come to: the `Metrics` that ``metrics.json`` holds."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from typing import get_args

from msgspec.structs import replace

from fieldwise.bulk_aggregator import Kind, kind_of_key, metrics_of, ratio, row_keys
from fieldwise.compare.verdicts import Accepted
from fieldwise.counting.clusters import Clusters, Mean
from fieldwise.counting.sums import UNIT, DocumentSums, Sums, counts_of
from fieldwise.results import (
    RATIOS,
    DocumentMean,
    DocumentMetrics,
    FieldMacro,
    FieldMean,
    FieldMetrics,
    Metrics,
    Rate,
    Rates,
    SeedRow,
)
from fieldwise.results.metrics import Scope, path_of
from fieldwise.results.rates import Unit
from fieldwise.spec import parent_of
from fieldwise.stats.histograms import CountHistogram
from fieldwise.stats.intervals import mean_interval, rate_intervals, ratio_interval, share_interval
from fieldwise.values import Json

ACCEPTED: tuple[Accepted, ...] = get_args(Accepted)
_STRICT = ("strict_recall", "strict_f1")
SCOPES: dict[Kind, Scope] = {"values": "values", "object": "object", "rows": "rows", "grid": "rows"}
"""What the row of each kind of node counts."""


def rates_of(histogram: CountHistogram) -> Rates:
    """Return the five rates with their 95% intervals, documents taken as the units."""
    return Rates(**rate_intervals(histogram))


def seed_row(counts: Sequence[int]) -> SeedRow:
    """Return the row of five outcomes (tp, fd, fa, fn, tn); a ratio is 0.0 where there is nothing to divide by."""
    tp, fd, fa, fn, tn = counts
    return SeedRow(**metrics_of({"tp": tp, "fp": fd + fa, "tn": tn, "fn": fn, "fd": fd, "fa": fa}))


def field_metrics(row: SeedRow, histogram: CountHistogram, scope: Scope = "values") -> FieldMetrics:
    """Return a row of an aggregator with its rates; without intervals where its ``fp`` contradicts its parts."""
    _, fd, fa, _ = histogram.totals()
    if fd + fa != row.fp:
        return without_intervals(row, scope)
    return FieldMetrics(**_flat(row), rates=_known(rates_of(histogram), row), scope=scope)


def without_intervals(row: SeedRow, scope: Scope = "values") -> FieldMetrics:
    """Return a row with its rates, of which nobody knows how documents spread."""
    rates = Rates(**{name: Rate(row.rate(name)) for name in RATIOS})
    return FieldMetrics(**_flat(row), rates=_known(rates, row), scope=scope)


def _known(rates: Rates, row: SeedRow) -> Rates:
    """Leave out strict rates where false positives are of unknown kind."""
    return rates if row.strict_f1 is not None else replace(rates, **dict.fromkeys(_STRICT, Rate(None)))


def evaluation_metrics(
    sums: Sums,
    by_objects: Metrics | None = None,
    declared: Mapping[str, Collection[Scope]] | None = None,
    clusters: Clusters | None = None,
) -> Metrics:
    """Return the metrics of an evaluation; ``by_objects`` are those in which list rows count as objects only.

    ``declared`` says what each path is declared as: one that one class declares and another does not is declared. What
    is said of documents as wholes looks at every value in both cases. With ``clusters`` these are the units of all
    intervals, not documents.
    """
    sums.settle()
    sums = sums if clusters is None else clusters.in_place_of_documents(sums)
    undeclared = sums.undeclared - (declared or {}).keys()
    made = _of_leaves(sums, undeclared) if by_objects is None else _of_objects(by_objects, sums, undeclared)
    leaves = [path for path in sums.fields if declared is None or "values" in declared.get(path, ())]
    outside, others = sums.outside.counts()
    unit: Unit = "documents" if clusters is None else "clusters"
    return replace(
        made,
        aggregate=_in_units(replace(made.aggregate, **_all_near(sums)), unit),
        fields={key: _in_units(row, unit) for key, row in made.fields.items()},
        trial_count=sums.wholes.documents + sums.wholes.more_trials,
        document_metrics=document_metrics(sums.wholes, clusters),
        field_macro=field_macro([row for path in leaves if (row := made.values_at(path)) and row.scope == "values"]),
        undeclared_fields=tuple(sorted(undeclared)),
        outside=outside,
        outside_not_listed=others,
    )


def _in_units(row: FieldMetrics, unit: Unit) -> FieldMetrics:
    if unit == row.rates.f1.unit:
        return row
    return replace(row, rates=Rates(**{name: replace(row.rates.of(name), unit=unit) for name in RATIOS}))


def _of_leaves(sums: Sums, undeclared: Collection[str]) -> Metrics:
    """Return the metrics of every value, object and list, of the top level in mixed units, and of all leaves."""
    histograms = sums.fields | sums.nodes
    keys, fields, top = row_keys(histograms), dict[str, FieldMetrics](), list[Sequence[int]]()
    for key, histogram in histograms.items():
        path, kind = kind_of_key(key)
        counts = counts_of(histogram)
        row = _row(counts, histogram, "undeclared" if key in undeclared else SCOPES[kind])
        fields[keys[key]] = replace(row, **_remarks(sums, path, counts)) if kind == "values" else row
        if kind != "grid" and not parent_of(path):
            top.append(counts)
    return Metrics(
        aggregate=replace(
            _row(sums.total_counts(), sums.total, scope="total"), row_rejected=sum(sums.row_rejected.values())
        ),
        document_count=sums.wholes.documents,
        overall=seed_row([sum(counts[at] for counts in top) for at in range(5)]),
        fields=dict(sorted(fields.items())),
    )


def _remarks(sums: Sums, path: str, counts: Sequence[int]) -> dict[str, Json]:
    """Say of a leaf path its mean score, how many matches are of values that are not identical, and how many values are
    right and count as wrong because of their row.
    """
    mean = ratio(sums.scores.get(path, 0) / UNIT, sum(counts[:4]))
    return {"mean_score": mean, "row_rejected": sums.row_rejected.get(path, 0), **_near(sums, path)}


def _near(sums: Sums, path: str) -> dict[str, int]:
    return dict(zip(map(str, ACCEPTED), sums.near.get(path, (0, 0)), strict=True))


def _all_near(sums: Sums) -> dict[str, int]:
    return {name: sum(counts[at] for counts in sums.near.values()) for at, name in enumerate(ACCEPTED)}


def _of_objects(made: Metrics, sums: Sums, undeclared: Collection[str]) -> Metrics:
    """Return metrics in which the rows of lists count as objects only, with what is known of matches."""
    fields = {}
    for key, row in made.fields.items():
        path = path_of(key)
        is_values = row.scope == "values"
        scope: Scope = "undeclared" if is_values and path in undeclared else row.scope
        fields[key] = replace(row, scope=scope, **(_near(sums, path) if is_values else {}))
    return replace(made, fields=fields)


def _row(counts: Sequence[int], histogram: CountHistogram, scope: Scope = "values") -> FieldMetrics:
    return FieldMetrics(**_flat(seed_row(counts)), rates=rates_of(histogram), scope=scope)


def _flat(row: SeedRow) -> dict[str, Json]:
    return {name: getattr(row, name) for name in row.__struct_fields__}


def document_metrics(sums: DocumentSums, clusters: Clusters | None = None) -> DocumentMetrics:
    """Return what is known of documents as wholes; a mean is None where there is none to take.

    With ``clusters`` the mean over documents is a ratio of sums over clusters. Where each has one document it is the
    same, and so are its bounds.
    """
    if clusters is None or clusters.are_documents:
        macro = mean_interval(sums.f1_sum, sums.f1_squares, sums.rated, unit=UNIT)
        score = mean_interval(sums.score_sum, sums.score_squares, sums.scored, unit=UNIT)
        exact = exact_rate(sums)
    else:
        exact, macro, score = (_cluster_mean(clusters, mean) for mean in get_args(Mean))
    if clusters is not None:
        exact, macro, score = (replace(rate, unit="clusters") for rate in (exact, macro, score))
    return DocumentMetrics(
        exact_documents=sums.exact,
        exact_rate=exact,
        macro_strict_f1=_mean(macro, sums.documents - sums.rated),
        weighted_score=_mean(score, sums.documents - sums.scored),
        score_histogram=tuple(sums.histogram),
    )


def _cluster_mean(clusters: Clusters, mean: Mean) -> Rate:
    parts = clusters.mean_parts(mean)
    return ratio_interval(parts, documents=sum(part.denominator * part.documents for part in parts) // UNIT)


def exact_rate(sums: DocumentSums) -> Rate:
    """Return the share of documents without error; where some are so in a part of their trials, the mean of these."""
    if not sums.exact_sum:
        return share_interval(sums.exact, sums.documents)
    total, squares = sums.exact * UNIT + sums.exact_sum, sums.exact * UNIT * UNIT + sums.exact_squares
    return mean_interval(total, squares, sums.documents, unit=UNIT)


def field_macro(rows: Sequence[FieldMetrics]) -> FieldMacro:
    """Return the mean over declared leaf fields of their strict F1; skipped ones have no value in any document."""
    known = [row.strict_f1 for row in rows if row.strict_f1 is not None and row.seen]
    value = math.fsum(known) / len(known) if known else None
    return FieldMacro(FieldMean(value, len(known), len(rows) - len(known)))


def _mean(rate: Rate, skipped: int) -> DocumentMean:
    return DocumentMean(rate.value, rate.low, rate.high, rate.n, rate.unit, rate.effective_n, skipped)
