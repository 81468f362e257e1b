"""What an evaluation's sums come to: the `Metrics` that ``metrics.json`` holds."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from typing import get_args

from msgspec.structs import replace

from fieldwise.bulk_aggregator import metrics_of, ratio
from fieldwise.compare.verdicts import Accepted
from fieldwise.counting.clusters import ClusterCounts, Mean
from fieldwise.counting.document_sums import UNIT, DocumentSums
from fieldwise.counting.sums import Sums, SumsRow
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
from fieldwise.results.metrics import Scope, whole_key
from fieldwise.results.rates import Unit
from fieldwise.spec import parent_of
from fieldwise.stats.histograms import CountHistogram
from fieldwise.stats.intervals import mean_interval, rate_intervals, ratio_interval, share_interval
from fieldwise.values import Json

ACCEPTED: tuple[Accepted, ...] = get_args(Accepted)
_STRICT = ("strict_recall", "strict_f1")


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
    scopes: Mapping[str, Scope] | None = None,
    clusters: ClusterCounts | None = None,
) -> Metrics:
    """Return the metrics of an evaluation; ``by_objects`` are those in which list rows count as objects only.

    ``scopes`` says what the row of each declared path counts: a path that one class declares and another does not is
    declared. What is said of documents as wholes looks at every value in both cases. With ``clusters`` these are the
    units of all intervals, not documents.
    """
    sums.settle()
    sums = sums if clusters is None else clusters.in_place_of_documents(sums)
    undeclared = sums.undeclared - (scopes or {}).keys()
    scopes = {**(scopes or {}), **dict.fromkeys(undeclared, "undeclared")}
    if by_objects is None:
        both = sums.value_paths() & sums.nodes.keys()
        scopes |= {whole_key(path): scopes.get(path, "rows") for path in both} | dict.fromkeys(both, "values")
        made, leaves = _of_leaves(sums), sums.value_paths() - undeclared
    else:
        made, leaves = by_objects, sums.value_paths() - sums.nodes.keys() - undeclared
    made = _with_remarks(made, sums, leaves | undeclared, rejected=by_objects is None)
    outside, others = sums.outside.counts()
    unit: Unit = "documents" if clusters is None else "clusters"
    return replace(
        made,
        aggregate=_in_units(made.aggregate, unit),
        fields={
            path: _in_units(replace(row, scope=scopes.get(path, "values")), unit) for path, row in made.fields.items()
        },
        trial_count=sums.wholes.documents + sums.wholes.more_trials,
        document_metrics=document_metrics(sums.wholes, clusters),
        field_macro=field_macro(made.fields, leaves),
        undeclared_fields=tuple(sorted(undeclared)),
        outside=outside,
        outside_not_listed=others,
    )


def _in_units(row: FieldMetrics, unit: Unit) -> FieldMetrics:
    if unit == row.rates.f1.unit:
        return row
    return replace(row, rates=Rates(**{name: replace(row.rates.of(name), unit=unit) for name in RATIOS}))


def _of_leaves(sums: Sums) -> Metrics:
    """Return the metrics of every path, of the top level in mixed units, and of all leaves."""
    values, rows = sums.value_paths(), sums.rows()
    nodes = sums.nodes.keys()
    top = [row.counts for row in rows if not parent_of(row.path) and not (row.of_values and row.path in nodes)]
    keys = [whole_key(row.path) if not row.of_values and row.path in values else row.path for row in rows]
    return Metrics(
        aggregate=_row(sums.total_counts(), sums.total, scope="total"),
        document_count=sums.wholes.documents,
        overall=seed_row([sum(counts[at] for counts in top) for at in range(5)]),
        fields={key: _sums_row(sums, row) for key, row in zip(keys, rows, strict=True)},
    )


def _sums_row(sums: Sums, row: SumsRow) -> FieldMetrics:
    counts = row.counts
    if not row.of_values:
        return _row(counts, row.histogram)
    mean = ratio(sums.scores.get(row.path, 0) / UNIT, sum(counts[:4]))
    return replace(_row(counts, row.histogram), mean_score=mean)


def _row(counts: Sequence[int], histogram: CountHistogram, scope: Scope = "values") -> FieldMetrics:
    return FieldMetrics(**_flat(seed_row(counts)), rates=rates_of(histogram), scope=scope)


def _flat(row: SeedRow) -> dict[str, Json]:
    return {name: getattr(row, name) for name in row.__struct_fields__}


def _with_remarks(made: Metrics, sums: Sums, leaves: AbstractSet[str], *, rejected: bool) -> Metrics:
    """Say of each leaf field, and of all values, how many matches are of values that are not identical.

    ``row_rejected``, where the values of rejected rows count: how many are right, and wrong because of their row.
    """
    row_rejected: Mapping[str, int] = sums.row_rejected if rejected else {}
    fields = dict(made.fields)
    for path in leaves & fields.keys():
        near = dict(zip(ACCEPTED, sums.near.get(path, (0, 0)), strict=True))
        fields[path] = replace(fields[path], **near, row_rejected=row_rejected.get(path, 0))
    near = {name: sum(counts[at] for counts in sums.near.values()) for at, name in enumerate(ACCEPTED)}
    aggregate = replace(made.aggregate, **near, row_rejected=sum(row_rejected.values()))
    return replace(made, aggregate=aggregate, fields=fields)


def document_metrics(sums: DocumentSums, clusters: ClusterCounts | None = None) -> DocumentMetrics:
    """Return what is known of documents as wholes; a mean is None where there is none to take.

    With ``clusters`` the mean over documents is a ratio of sums over clusters. Where each has one document it is the
    same, and so are its bounds.
    """
    if clusters is None or clusters.are_documents:
        macro = mean_interval(sums.f1_sum, sums.f1_squares, sums.rated, unit=UNIT)
        score = mean_interval(sums.score_sum, sums.score_squares, sums.scored, unit=UNIT)
        exact = exact_rate(sums)
    else:
        exact, macro, score = (ratio_interval(clusters.mean_parts(mean)) for mean in get_args(Mean))
    if clusters is not None:
        exact, macro, score = (replace(rate, unit="clusters") for rate in (exact, macro, score))
    return DocumentMetrics(
        exact_documents=sums.exact,
        exact_rate=exact,
        macro_strict_f1=_mean(macro, sums.documents - sums.rated),
        weighted_score=_mean(score, sums.documents - sums.scored),
        score_histogram=tuple(sums.histogram),
    )


def exact_rate(sums: DocumentSums) -> Rate:
    """Return the share of documents without error; where some are so in a part of their trials, the mean of these."""
    if not sums.exact_sum:
        return share_interval(sums.exact, sums.documents)
    total, squares = sums.exact * UNIT + sums.exact_sum, sums.exact * UNIT * UNIT + sums.exact_squares
    return mean_interval(total, squares, sums.documents, unit=UNIT)


def field_macro(fields: Mapping[str, FieldMetrics], leaves: Iterable[str]) -> FieldMacro:
    """Return the mean over declared leaf fields of their strict F1; skipped ones have no value in any document."""
    rows = [fields[path] for path in sorted(leaves) if path in fields]
    known = [row.strict_f1 for row in rows if row.strict_f1 is not None and row.seen]
    value = math.fsum(known) / len(known) if known else None
    return FieldMacro(FieldMean(value, len(known), len(rows) - len(known)))


def _mean(rate: Rate, skipped: int) -> DocumentMean:
    return DocumentMean(rate.value, rate.low, rate.high, rate.n, rate.unit, rate.effective_n, skipped)
