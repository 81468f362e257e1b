"""Documents that a candidate loses as wholes: how many, what share cannot be excluded, and what a policy allows."""

from __future__ import annotations

import numpy as np
from msgspec.structs import asdict

from fieldwise.results.difference import FEWEST, LostDocuments
from fieldwise.results.gate import Decision, LostCheck
from fieldwise.results.rates import RATIOS, Metric
from fieldwise.runs.measures import CONFIDENCE
from fieldwise.runs.pairing import Tables
from fieldwise.runs.policy import DROP, Policy
from fieldwise.stats.count_tables import is_clustered, mean_parts, parts_of
from fieldwise.stats.differences import delta_of_parts, document_flips
from fieldwise.stats.intervals import clopper_pearson
from fieldwise.stats.permutation import SLACK


def lost_documents(
    tables: Tables,
    metric: Metric,
    *,
    above: float | None = None,
    drop: float = DROP,
    confidence: float = CONFIDENCE,
) -> LostDocuments:
    """Count the documents, or clusters, whose own rate fell by ``drop`` or more.

    ``above`` is the limit above which the lower bound of the difference lies, where the answer rests on that.
    """
    tops, there, *_ = mean_parts(*tables, metric if metric in RATIOS else "strict_f1")
    rated = there[0] > 0
    fall = (tops[0] - tops[1])[rated] / there[0][rated]
    n, count = int(np.count_nonzero(rated)), int(np.count_nonzero(fall >= drop - SLACK))
    low, high = clopper_pearson(count, n, confidence) or (None, None)
    flips = document_flips(*tables, metric)
    return LostDocuments(
        drop,
        count,
        n,
        low,
        high,
        unit="clusters" if is_clustered(tables[0]) else "documents",
        few_differ=flips.improved + flips.regressed < FEWEST,
        one_undoes=above is not None and not _survives_one(tables, metric, above, confidence),
    )


def _survives_one(tables: Tables, metric: Metric, above: float, confidence: float) -> bool:
    """Tell whether the lower bound stays above a limit with one more document that is wholly wrong, counted half."""
    low = delta_of_parts(parts_of(*tables, metric), confidence=confidence, one_more=True).low
    return low is not None and low > above


def check_lost_documents(tables: Tables, policy: Policy, *, passed: bool) -> LostCheck:
    """Judge whether few enough documents are lost, by Clopper and Pearson's interval of their share.

    ``passed``: whether the check of all values did, whose lower bound then lies above the margin.
    """
    asked = policy.lost_documents
    found = lost_documents(
        tables,
        policy.metric,
        above=-policy.margin if passed else None,
        drop=DROP if asked is None else asked.drop,
        confidence=policy.confidence,
    )
    if asked is None:
        return LostCheck(**asdict(found))
    decision = _of_share(found, asked.at_most)
    needed = (
        documents_for_share(found, asked.at_most, policy.confidence) if decision == "not_enough_documents" else None
    )
    return LostCheck(**asdict(found), at_most=asked.at_most, decision=decision, needed=needed)


def _of_share(lost: LostDocuments, at_most: float) -> Decision:
    if lost.low is None or lost.high is None or lost.n < FEWEST:
        return "not_enough_documents"
    if lost.high <= at_most:
        return "pass"
    return "fail" if lost.low > at_most else "not_enough_documents"


def documents_for_share(lost: LostDocuments, at_most: float, confidence: float) -> int | None:
    """Return with how many documents a share as large as the one found is shown to be small enough; None with none."""
    share = lost.count / lost.n if lost.n else 0.0

    def shows(n: int) -> bool:
        bounds = clopper_pearson(share * n, n, confidence)
        return bounds is not None and bounds[1] <= at_most

    if share >= at_most:
        return None
    too_few, enough = 0, max(lost.n, FEWEST)
    while not shows(enough):
        too_few, enough = enough, 2 * enough
    while enough - too_few > 1:
        middle = (too_few + enough) // 2
        too_few, enough = (too_few, middle) if shows(middle) else (middle, enough)
    return enough
