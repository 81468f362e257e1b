"""What an evaluation's sums come to: the dict that ``metrics.json`` holds, in the shape of ``compute()``."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from fieldwise.bulk.tally import UNIT, Tally
from fieldwise.bulk_aggregator import BulkEvaluationAggregator, metrics_of, ratio
from fieldwise.stats.clustered import rate_intervals
from fieldwise.stats.moments import Moments

_KEYS = ("tp", "fd", "fa", "fn", "tn")


def row_metrics(counts: Sequence[int]) -> dict[str, Any]:
    """Return six counts and their rates; a rate is 0.0 where nothing was there to divide by."""
    named = dict(zip(_KEYS, counts, strict=True))
    return metrics_of({**named, "fp": named["fd"] + named["fa"]})


def intervals_of(moments: Moments) -> dict[str, dict[str, Any]]:
    """Return the 95 % interval of each rate, documents taken as the units, and in how many it is defined."""
    found = rate_intervals(moments)
    return {name: {"low": rate.low, "high": rate.high, "n": rate.n} for name, rate in found.items()}


def tally_metrics(tally: Tally) -> dict[str, Any]:
    """Return the metrics of every path, of the top level in mixed units, and of all leaves."""
    rows = tally.rows()
    top = [counts for path, counts in rows.items() if "." not in path.replace("\\.", "")]
    fields = {}
    for path, counts in rows.items():
        fields[path] = row_metrics(counts)
        if path not in tally.nodes:
            fields[path]["mean_score"] = ratio(tally.scores.get(path, 0) / UNIT, sum(counts[:4]))
            fields[path]["intervals"] = intervals_of(tally.moments[path])
    return {
        "document_count": tally.documents,
        "overall": row_metrics([sum(counts[at] for counts in top) for at in range(5)]),
        "fields": fields,
        "aggregate": {**row_metrics(tally.total()), "intervals": intervals_of(tally.total_moments)},
        **document_metrics(tally),
    }


def document_metrics(tally: Tally) -> dict[str, Any]:
    """Return what is known of documents as wholes; a mean is None where there is none to take."""
    return {
        "exact_documents": tally.exact,
        "weighted_score": tally.score_sum / UNIT / tally.scored if tally.scored else None,
        "score_histogram": list(tally.histogram),
        "undeclared_fields": sorted(tally.undeclared),
    }


def evaluation_metrics(tally: Tally, aggregator: BulkEvaluationAggregator | None) -> Mapping[str, Any]:
    """Return the metrics of an evaluation; ``aggregator`` where list rows count as objects only."""
    if aggregator is None:
        return tally_metrics(tally)
    return {**aggregator.compute(), **document_metrics(tally)}
