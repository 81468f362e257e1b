"""What an evaluation's sums come to: the dict that ``metrics.json`` holds, in the shape of ``compute()``."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from fieldwise.bulk.document_sums import UNIT, DocumentSums
from fieldwise.bulk.tally import Tally
from fieldwise.bulk_aggregator import BulkEvaluationAggregator, metrics_of, ratio
from fieldwise.spec import parent_of
from fieldwise.stats.clustered import RateInterval, mean_interval, rate_intervals, share_interval
from fieldwise.stats.moments import Moments

_KEYS = ("tp", "fd", "fa", "fn", "tn")


def row_metrics(counts: Sequence[int]) -> dict[str, Any]:
    """Return six counts and their rates; a rate is 0.0 where nothing was there to divide by."""
    named = dict(zip(_KEYS, counts, strict=True))
    return metrics_of({**named, "fp": named["fd"] + named["fa"]})


def intervals_of(moments: Moments) -> dict[str, dict[str, Any]]:
    """Return the 95 % interval of each rate, documents taken as the units, and in how many it is defined.

    Accuracy has none: it counts what is absent on both sides, which moments don't hold.
    """
    found = rate_intervals(moments)
    return {name: {"low": rate.low, "high": rate.high, "n": rate.n} for name, rate in found.items()}


def tally_metrics(tally: Tally) -> dict[str, Any]:
    """Return the metrics of every path, of the top level in mixed units, and of all leaves."""
    rows = tally.rows()
    top = [counts for path, counts in rows.items() if not parent_of(path)]
    fields = {}
    for path, counts in rows.items():
        fields[path] = row_metrics(counts)
        if path in tally.nodes:
            fields[path]["intervals"] = intervals_of(tally.node_moments[path])
        else:
            fields[path]["mean_score"] = ratio(tally.scores.get(path, 0) / UNIT, sum(counts[:4]))
            fields[path]["intervals"] = intervals_of(tally.moments[path])
    return {
        "document_count": tally.sums.documents,
        "overall": row_metrics([sum(counts[at] for counts in top) for at in range(5)]),
        "fields": fields,
        "aggregate": {**row_metrics(tally.total()), "intervals": intervals_of(tally.total_moments)},
    }


def evaluation_metrics(tally: Tally, aggregator: BulkEvaluationAggregator | None) -> Mapping[str, Any]:
    """Return the metrics of an evaluation; ``aggregator`` where list rows count as objects only.

    What is said of documents as wholes looks at every value in both cases.
    """
    found = tally_metrics(tally) if aggregator is None else aggregator.compute()
    leaves = tally.leaves.keys() - tally.nodes.keys() - tally.strays - tally.undeclared
    return {
        **found,
        **document_metrics(tally.sums),
        "field_macro": field_macro(found["fields"], leaves),
        "undeclared_fields": sorted(tally.undeclared),
        **tally.outside.metrics(),
    }


def document_metrics(sums: DocumentSums) -> dict[str, Any]:
    """Return what is known of documents as wholes; a mean is None where there is none to take.

    Of ``document_metrics``, each with the interval of its value, over n documents:

    - ``macro_strict_f1`` is the mean of the documents' own strict F1, 2·tp / (2·tp + 2·fd + fa + fn), every document
      weighing the same; ``skipped`` documents have no value on either side, which is 0/0.
    - ``exact_rate`` is the share of documents without any wrong, missed or invented value: those that could go straight
      through. Documents without any value are among them.
    - ``weighted_score`` is the mean of the documents' weighted scores; ``skipped`` ones have no declared value.
    """
    macro = mean_interval(sums.f1_sum, sums.f1_squares, sums.rated, unit=UNIT)
    score = mean_interval(sums.score_sum, sums.score_squares, sums.scored, unit=UNIT)
    return {
        "exact_documents": sums.exact,
        "weighted_score": sums.score_sum / UNIT / sums.scored if sums.scored else None,
        "score_histogram": list(sums.histogram),
        "document_metrics": {
            "macro_strict_f1": {**_rate(macro), "skipped": sums.documents - sums.rated},
            "exact_rate": _rate(share_interval(sums.exact, sums.documents)),
            "weighted_score": {**_rate(score), "skipped": sums.documents - sums.scored},
        },
    }


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
