"""``compare_with`` of two objects that have only leaves: scores, matrix and non-matches in one walk.

The same dict as the other views make together; what is asked of most documents, and most documents are like this.
"""

from __future__ import annotations

from collections.abc import Sequence

from fieldwise.compare.nodes import mapping_of
from fieldwise.compare.objects import ObjectPlan
from fieldwise.compare.quick import compared
from fieldwise.compare.results import ABSENT, MATCH, SAME, LeafResult
from fieldwise.compare.undeclared import unknown_items
from fieldwise.compare.views.counts import MatrixNode, MatrixOptions
from fieldwise.compare.views.matrix import Matrix, matrix_of
from fieldwise.compare.views.non_matches import non_match
from fieldwise.values import Json


def flat_dict(
    plan: ObjectPlan, expected: Json, predicted: Json, options: MatrixOptions, with_missed: bool
) -> dict[str, Json] | None:
    """Return what `result_dict` would, with a matrix; None where the documents or the options ask for more."""
    if not (plan.is_flat and plan.total_weight and options.is_usual):
        return None
    e, p = mapping_of(expected), mapping_of(predicted)
    if e is None or p is None or (options.extras == "root" and unknown_items(plan, predicted)):
        return None
    leaves = compared(plan.numbered, e, p) or [SAME] * len(plan.names)
    nodes, counts, scores, total, wrong = _walked(plan, leaves, matrix_of(options))
    score, clean = total / plan.total_weight, not wrong
    aggregate = options.counts(counts)
    overall = options.copied(aggregate)
    overall["similarity_score"], overall["all_fields_matched"] = score, clean
    out = {
        "field_scores": scores,
        "overall_score": score,
        "all_fields_matched": clean,
        "confusion_matrix": {"overall": overall, "fields": nodes, "non_matches": [], "aggregate": aggregate},
    }
    if with_missed:
        out["non_matches"] = [non_match(plan.fields[k].leaf, leaf, e.get(k), p.get(k), k) for k, leaf in wrong]
    return out


_Wrong = list[tuple[str, LeafResult]]


def _walked(
    plan: ObjectPlan, leaves: Sequence[LeafResult], matrix: Matrix
) -> tuple[dict[str, MatrixNode], list[int], dict[str, float], float, _Wrong]:
    """Return the nodes of the matrix, their counts, the scores, the weighted sum of these, and what is wrong."""
    node, overall, derived = matrix.leaf_parts[MATCH.at]
    nodes: dict[str, MatrixNode] = {}
    counts, scores = [0, 0, 0, 0, 0], plan.full_scores.copy()
    total, wrong = 0.0, []
    for name, weight, leaf in zip(plan.names, plan.weights, leaves):  # noqa: B905  # the hottest loop
        if leaf is SAME:  # as in `matrix.leaf`, without the call
            total += weight
            nodes[name] = own = node.copy()
            own["overall"] = own["aggregate"] = whole = overall.copy()
            own["fields"] = {}
            own["weight"] = weight
            if derived:
                whole["derived"] = derived.copy()
        else:
            outcome, _, score, _, _ = leaf
            total += weight * score
            scores[name] = score
            counts[outcome.at] += 1
            nodes[name] = matrix.leaf(weight, leaf)
            if outcome is not MATCH and outcome is not ABSENT:
                wrong.append((name, leaf))
    counts[MATCH.at] += len(leaves) - sum(counts)
    return nodes, counts, scores, total, wrong
