"""What an evaluation's sums come to: the `Metrics` that ``metrics.json`` holds."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import get_args

from msgspec.structs import replace

from fieldwise.bulk_aggregator import metrics_of, ratio
from fieldwise.compare.verdicts import Accepted
from fieldwise.counting.clusters import ClusterCounts, Mean
from fieldwise.counting.document_sums import UNIT, DocumentSums
from fieldwise.counting.sums import Sums, counts_of
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
from fieldwise.results.metrics import Scope, key_beside
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
    declared = sums.fields.keys() - sums.strays - undeclared
    if by_objects is None:
        made = _of_leaves(sums, scopes)
    else:
        made = _of_objects(by_objects, sums, scopes)
        declared -= sums.nodes.keys()
    outside, others = sums.outside.counts()
    unit: Unit = "documents" if clusters is None else "clusters"
    return replace(
        made,
        aggregate=_in_units(replace(made.aggregate, **_all_near(sums)), unit),
        fields={key: _in_units(row, unit) for key, row in made.fields.items()},
        trial_count=sums.wholes.documents + sums.wholes.more_trials,
        document_metrics=document_metrics(sums.wholes, clusters),
        field_macro=field_macro(made.fields, declared),
        undeclared_fields=tuple(sorted(undeclared)),
        outside=outside,
        outside_not_listed=others,
    )


def _in_units(row: FieldMetrics, unit: Unit) -> FieldMetrics:
    if unit == row.rates.f1.unit:
        return row
    return replace(row, rates=Rates(**{name: replace(row.rates.of(name), unit=unit) for name in RATIOS}))


def _of_leaves(sums: Sums, scopes: Mapping[str, Scope]) -> Metrics:
    """Return the metrics of every path, of the top level in mixed units, and of all leaves.

    The values of a list of lists are at its path, its rows beside them. What is of another kind than the object or the
    list at its path stands beside these.
    """
    leaves, fields = sums.leaves, dict[str, FieldMetrics]()
    for path, counts in leaves.items():
        scope: Scope = "undeclared" if scopes.get(path) == "undeclared" else "values"
        row = replace(_row(counts, sums.fields[path], scope), **_remarks(sums, path, counts))
        fields[key_beside(path, "values") if path in sums.strays else path] = row
    nodes = {path: counts_of(histogram) for path, histogram in sums.nodes.items()}
    for path, counts in nodes.items():
        scope = scopes.get(path, "rows")
        row = _row(counts, sums.nodes[path], scope)
        fields[key_beside(path, scope) if path in fields else path] = row
    own = {path: counts for path, counts in leaves.items() if path not in sums.strays}
    top = [counts for path, counts in {**nodes, **own}.items() if not parent_of(path)]
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


def _of_objects(made: Metrics, sums: Sums, scopes: Mapping[str, Scope]) -> Metrics:
    """Return metrics in which the rows of lists count as objects only, with what is known of matches."""
    fields = {}
    for path, row in made.fields.items():
        is_values = path in sums.fields and path not in sums.nodes
        fields[path] = replace(row, scope=scopes.get(path, "values"), **(_near(sums, path) if is_values else {}))
    return replace(made, fields=fields)


def _row(counts: Sequence[int], histogram: CountHistogram, scope: Scope = "values") -> FieldMetrics:
    return FieldMetrics(**_flat(seed_row(counts)), rates=rates_of(histogram), scope=scope)


def _flat(row: SeedRow) -> dict[str, Json]:
    return {name: getattr(row, name) for name in row.__struct_fields__}


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
