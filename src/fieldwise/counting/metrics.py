"""What an evaluation's sums come to: the dict that ``metrics.json`` holds, in the shape of ``compute()``."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, get_args

from fieldwise.bulk_aggregator import BulkEvaluationAggregator, metrics_of, ratio
from fieldwise.compare.verdicts import Accepted
from fieldwise.counting.document_sums import UNIT, DocumentSums
from fieldwise.counting.sums import Sums
from fieldwise.spec import parent_of
from fieldwise.stats.clustered import RateInterval, mean_interval, rate_intervals, share_interval
from fieldwise.stats.histograms import CountHistogram

_KEYS = ("tp", "fd", "fa", "fn", "tn")
ACCEPTED: tuple[Accepted, ...] = get_args(Accepted)


def row_metrics(counts: Sequence[int]) -> dict[str, Any]:
    """Return six counts and their rates; a rate is 0.0 where nothing was there to divide by."""
    named = dict(zip(_KEYS, counts, strict=True))
    return metrics_of({**named, "fp": named["fd"] + named["fa"]})


def intervals_of(histogram: CountHistogram) -> dict[str, dict[str, Any]]:
    """Return the 95 % interval of each rate, documents taken as the units, and in how many it is defined.

    ``effective_n`` is there where few long documents decide: Kish's number of documents, below half of n.
    Accuracy has no interval: it counts what is absent on both sides, which is no part of a histogram's documents.
    """
    return {name: _bounds(rate) for name, rate in rate_intervals(histogram).items()}


def _bounds(rate: RateInterval) -> dict[str, Any]:
    bounds = {"low": rate.low, "high": rate.high, "n": rate.n}
    return bounds if rate.effective_n is None else {**bounds, "effective_n": rate.effective_n}


def sums_metrics(sums: Sums) -> dict[str, Any]:
    """Return the metrics of every path, of the top level in mixed units, and of all leaves."""
    rows = sums.rows()
    top = [counts for path, counts in rows.items() if not parent_of(path)]
    fields = {}
    for path, counts in rows.items():
        fields[path] = row_metrics(counts)
        if path in sums.nodes:
            fields[path]["intervals"] = intervals_of(sums.nodes[path])
        else:
            fields[path]["mean_score"] = ratio(sums.scores.get(path, 0) / UNIT, sum(counts[:4]))
            fields[path]["intervals"] = intervals_of(sums.fields[path])
    return {
        "document_count": sums.wholes.documents,
        "overall": row_metrics([sum(counts[at] for counts in top) for at in range(5)]),
        "fields": fields,
        "aggregate": {**row_metrics(sums.total_counts()), "intervals": intervals_of(sums.total)},
    }


def evaluation_metrics(sums: Sums, aggregator: BulkEvaluationAggregator | None) -> Mapping[str, Any]:
    """Return the metrics of an evaluation; ``aggregator`` where list rows count as objects only.

    What is said of documents as wholes looks at every value in both cases.
    """
    sums.settle()
    found = sums_metrics(sums) if aggregator is None else aggregator.compute()
    leaves = sums.fields.keys() - sums.nodes.keys() - sums.strays - sums.undeclared
    _add_remarks(found, sums, rejected=aggregator is None)
    return {
        **_counted(found, sums.wholes),
        **document_metrics(sums.wholes),
        "field_macro": field_macro(found["fields"], leaves),
        "undeclared_fields": sorted(sums.undeclared),
        **sums.outside.metrics(),
    }


def _counted(found: Mapping[str, Any], sums: DocumentSums) -> dict[str, Any]:
    """Return metrics with the number of trials beside that of documents."""
    trials = {"document_count": found["document_count"], "trial_count": sums.documents + sums.more_trials}
    return trials | {key: value for key, value in found.items() if key not in trials}


def _add_remarks(found: dict[str, Any], sums: Sums, *, rejected: bool) -> None:
    """Say of each leaf field, and of all values, how many matches are of values that are not identical.

    ``row_rejected``, where the values of rejected rows count: how many are right, and wrong because of their row.
    """
    rows = {path: row for path, row in found["fields"].items() if path in sums.fields and path not in sums.nodes}
    for path, row in rows.items():
        row |= _remarks(sums.near.get(path, (0, 0)), sums.row_rejected.get(path, 0) if rejected else None)
    near = [sum(counts[at] for counts in sums.near.values()) for at in range(2)]
    found["aggregate"] |= _remarks(near, sum(sums.row_rejected.values()) if rejected else None)


def _remarks(near: Sequence[int], row_rejected: int | None) -> dict[str, int]:
    counts: dict[str, int] = dict(zip(ACCEPTED, near, strict=True))
    return counts if row_rejected is None else {**counts, "row_rejected": row_rejected}


def document_metrics(sums: DocumentSums) -> dict[str, Any]:
    """Return what is known of documents as wholes; a mean is None where there is none to take.

    Of ``document_metrics``, each with the interval of its value, over n documents:

    - ``macro_strict_f1`` is the mean of the documents' own strict F1, 2·tp / (2·tp + 2·fd + fa + fn), every document
      weighing the same; ``skipped`` documents have no value on either side, which is 0/0.
    - ``exact_rate`` is the share of documents without any wrong, missed or invented value: those that could go straight
      through. Documents without any value are among them.
    - ``weighted_score`` is the mean of the documents' weighted scores; ``skipped`` ones have no declared value.

    Where a document has several trials, its own value is the mean over them; ``exact_documents`` are without error in
    every trial.
    """
    macro = mean_interval(sums.f1_sum, sums.f1_squares, sums.rated, unit=UNIT)
    score = mean_interval(sums.score_sum, sums.score_squares, sums.scored, unit=UNIT)
    return {
        "exact_documents": sums.exact,
        "weighted_score": sums.score_sum / UNIT / sums.scored if sums.scored else None,
        "score_histogram": list(sums.histogram),
        "document_metrics": {
            "macro_strict_f1": {**_rate(macro), "skipped": sums.documents - sums.rated},
            "exact_rate": _rate(_exact_rate(sums)),
            "weighted_score": {**_rate(score), "skipped": sums.documents - sums.scored},
        },
    }


def _exact_rate(sums: DocumentSums) -> RateInterval:
    if not sums.exact_sum:
        return share_interval(sums.exact, sums.documents)
    total, squares = sums.exact * UNIT + sums.exact_sum, sums.exact * UNIT * UNIT + sums.exact_squares
    return mean_interval(total, squares, sums.documents, unit=UNIT)


def field_macro(fields: Mapping[str, Mapping[str, Any]], leaves: Iterable[str]) -> dict[str, Any]:
    """Return the mean over declared leaf fields of their strict F1, every field weighing the same.

    ``skipped`` fields have no value on either side in any document. There is no interval: the fields are not drawn from
    others, and the documents that they share make them vary together.
    """
    rows = [fields[path] for path in sorted(leaves) if path in fields]
    known = [row["strict_f1"] for row in rows if row["strict_f1"] is not None and row["tp"] + row["fp"] + row["fn"]]
    value = math.fsum(known) / len(known) if known else None
    return {"strict_f1": {"value": value, "n": len(known), "skipped": len(rows) - len(known)}}


def _rate(rate: RateInterval) -> dict[str, Any]:
    return {"value": rate.value, "low": rate.low, "high": rate.high, "n": rate.n}
