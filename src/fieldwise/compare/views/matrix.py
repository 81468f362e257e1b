"""The confusion matrix of ``compare_with``: a tree of counts that mirrors the declared fields."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import lru_cache

from fieldwise.compare.leaves import LeafPlan
from fieldwise.compare.lists import ListPlan
from fieldwise.compare.nodes import PlanNode
from fieldwise.compare.objects import ObjectPlan
from fieldwise.compare.places import leaves_of
from fieldwise.compare.results import (
    ABSENT,
    EQUIVALENT,
    MATCH,
    MISMATCH,
    SAME,
    SPURIOUS,
    LeafResult,
    ListResult,
    ObjectResult,
    Result,
    is_clean,
    item_counts,
    objects_below,
)
from fieldwise.compare.undeclared import UndeclaredKeys
from fieldwise.compare.views.counts import Counts, MatrixNode, MatrixOptions, Node, ShownCounts, added, has_no_errors
from fieldwise.compare.views.leaf_tree import by_leaves, count_unknown, with_unknown
from fieldwise.compare.wholes import scopes_of

_Column = tuple[PlanNode[Result], tuple[Result, ...]]
_LeafParts = tuple[MatrixNode, ShownCounts, dict[str, float]]


def confusion_matrix(result: ObjectResult, options: MatrixOptions) -> MatrixNode:
    """Return the whole tree; ``unmatched`` chooses whether leaves of unpaired items are counted.

    Where undeclared keys don't count as in other systems, it says which paths are objects or lists of rows.
    """
    matrix = _matrix(result, options)
    if options.extras != "root" and (scopes := scopes_of(result, by_objects=options.unmatched == "objects")):
        matrix["scopes"] = scopes
    return matrix


def _matrix(result: ObjectResult, options: MatrixOptions) -> MatrixNode:
    matrix = matrix_of(options)
    fields, leaves, nodes = matrix.fields(result)
    if options.unmatched == "leaves":
        return by_leaves(result, options, fields)
    overall, aggregate, clean = leaves, leaves, has_no_errors(leaves)
    if nodes:
        overall = added([leaves, *[node.overall for node in nodes]])
        aggregate = added([leaves, *[node.aggregate for node in nodes]])
        aggregate = aggregate if any(aggregate) else overall
        clean = clean and all(node.clean for node in nodes)
    if options.extras == "root" and (unknown := count_unknown(result)):
        overall = [count + unknown * (at == SPURIOUS.at) for at, count in enumerate(overall)]
        clean = False
    shown: MatrixNode = {
        "overall": options.overall(overall, result.mean_score, clean),
        "fields": fields,
        "non_matches": [],
        "aggregate": options.counts(aggregate),
    }
    if options.extras == "leaves":
        return with_unknown(result, options, Node(shown, overall, aggregate, clean))
    return shown


def is_all_matched(result: ObjectResult, options: MatrixOptions) -> bool:
    """Return whether nothing that the matrix would count is wrong, missed or invented, however deep."""
    by_objects = options.unmatched == "objects"
    if not all(is_clean(child, by_objects=by_objects) for child in result.children):
        return False
    if options.extras == "leaves":
        keys = UndeclaredKeys(result.plan, result.expected, "leaves")
        return all(place.plan is not None for place in leaves_of(result, keys))
    return options.extras == "ignore" or not count_unknown(result)


def _aggregate(overall: Counts, children: Iterable[Node]) -> Counts:
    nodes = list(children)
    if not nodes:
        return overall
    total = added([node.aggregate for node in nodes])
    return total if any(total) else added([node.overall for node in nodes])


@lru_cache(maxsize=64)
def matrix_of(options: MatrixOptions) -> Matrix:
    """Return the one object for these options."""
    return Matrix(options)


class Matrix:
    """Builds nodes; the nodes of list items add up over the accepted pairs."""

    def __init__(self, options: MatrixOptions) -> None:
        self.options = options
        self.leaf_parts = [self._leaf_parts(index) for index in range(5)]

    def _leaf_parts(self, index: int) -> _LeafParts:
        counts = [int(i == index) for i in range(5)]
        score = 1.0 if has_no_errors(counts) else 0.0
        overall = self.options.overall(counts, score, has_no_errors(counts))
        node: MatrixNode = {
            "overall": overall,
            "fields": {},
            "raw_similarity_score": score,
            "similarity_score": score,
            "threshold_applied_score": score,
            "weight": 1.0,
            "aggregate": overall,
        }
        return node, overall, dict(overall.get("derived", {}))

    def leaf(self, weight: float, result: LeafResult) -> MatrixNode:
        """Return the node of a leaf outside of lists: a copy of what its outcome makes it, and its scores.

        A leaf is all that lies below it: its ``aggregate`` and its ``overall`` are one.
        """
        node, overall, derived = self.leaf_parts[result.outcome.at]
        node, overall = node.copy(), overall.copy()
        node["overall"] = node["aggregate"] = overall
        node["fields"] = {}
        node["weight"] = weight
        if derived:
            overall["derived"] = derived.copy()
        if result is not SAME:
            raw_score = result.raw_score
            overall["similarity_score"] = node["raw_similarity_score"] = node["similarity_score"] = raw_score
            node["threshold_applied_score"] = result.score
        return node

    def fields(self, result: ObjectResult) -> tuple[dict[str, MatrixNode], list[int], list[Node]]:
        """Return the nodes of the top-level fields, the counts of the leaves among them, and the other nodes."""
        root = result.plan
        fields: dict[str, MatrixNode] = {}
        leaves, nodes = [0, 0, 0, 0, 0], []
        for name, weight, sub in zip(root.names, root.weights, result.children, strict=True):
            if isinstance(sub, LeafResult):
                fields[name] = self.leaf(weight, sub)
                leaves[sub.outcome.at] += 1
            else:
                made = self.node(root.fields[name], [sub], in_list=False)
                fields[name] = made.shown
                nodes.append(made)
        return fields, leaves, nodes

    def node(self, plan: PlanNode[Result], results: Sequence[Result], *, in_list: bool) -> Node:
        overall, columns = _tally(plan, results)
        inside = in_list or _has_list(results)
        children = {
            name: self._leaf_node(sub, column, in_list=inside)  # type: ignore[arg-type]  # which a leaf made
            if type(sub) is LeafPlan
            else self.node(sub, column, in_list=inside)
            for name, (sub, column) in columns.items()
        }
        clean = has_no_errors(overall) and all(child.clean for child in children.values())
        aggregate = _aggregate(overall, children.values())
        similarity = _mean([_similarity(r) for r in results])
        out: MatrixNode = {
            "overall": self.options.overall(overall, similarity, clean),
            "fields": {name: child.shown for name, child in children.items()},
        }
        if not in_list or _holds_objects(results):
            out["raw_similarity_score"] = out["similarity_score"] = similarity
            out["threshold_applied_score"] = _mean([r.score for r in results])
            out["weight"] = plan.weight
        if type(results[0]) is ObjectResult and children:
            out["non_matches"] = []
        out["aggregate"] = self.options.counts(aggregate)
        return Node(out, overall, aggregate, clean)

    def _leaf_node(self, plan: LeafPlan, results: Sequence[LeafResult], *, in_list: bool) -> Node:
        if not in_list:
            at = results[0].outcome.at
            counts = [int(k == at) for k in range(5)]
            return Node(self.leaf(plan.weight, results[0]), counts, counts, has_no_errors(counts))
        counts, total, same = [0, 0, 0, 0, 0], 0.0, 0
        for result in results:
            if result is SAME or result is EQUIVALENT:
                same += 1
            else:
                counts[result.outcome.at] += 1
                total += result.raw_score
        counts[0] += same
        total += same
        clean = has_no_errors(counts)
        overall = self.options.overall(counts, total / len(results), clean)
        return Node({"overall": overall, "fields": {}, "aggregate": overall}, counts, counts, clean)


_Rows = dict[ObjectPlan, list[tuple[Result, ...]]]


def _tally(node: PlanNode[Result], results: Sequence[Result]) -> tuple[list[int], dict[str, _Column]]:
    """Return the counts of objects and list items, and the results of the fields below them."""
    overall = [0] * 5
    rows: _Rows = {}
    for result in results:
        below = node
        if isinstance(result, ListResult):
            for index, count in enumerate(item_counts(result)):
                overall[index] += count
            below = (node if isinstance(node, ListPlan) else result.plan).item
        else:
            overall[result.outcome.at] += 1
        if not isinstance(result, LeafResult):
            _collect(rows, below, objects_below(result))
    return overall, _columns(rows)


def _collect(rows: _Rows, node: PlanNode[Result], objects: Sequence[ObjectResult]) -> None:
    """Add the children of objects, in their order; where a node has several shapes, each to the plan that made it."""
    if isinstance(node, ObjectPlan):
        rows.setdefault(node, []).extend([result.children for result in objects])
    else:
        for result in objects:
            rows.setdefault(result.plan, []).append(result.children)


def _columns(rows: _Rows) -> dict[str, _Column]:
    """Return the results of each field over many objects of one or several plans."""
    columns: dict[str, _Column] = {}
    for plan, children in rows.items():
        for name, child, column in zip(plan.names, plan.fields.values(), zip(*children)):  # noqa: B905  # a hot loop
            columns[name] = (child, (*columns[name][1], *column)) if name in columns else (child, column)
    return columns


def _has_list(results: Sequence[Result]) -> bool:
    return any(type(result) is ListResult for result in results)


def _holds_objects(results: Sequence[Result]) -> bool:
    first = results[0]
    return not isinstance(first.plan.item, LeafPlan) if isinstance(first, ListResult) else type(first) is ObjectResult


def _similarity(result: Result) -> float:
    if type(result) is ObjectResult:
        if result.outcome in (MATCH, MISMATCH):
            return result.similarity
        return 1.0 if result.outcome is ABSENT else 0.0
    return result.score if type(result) is ListResult else result.raw_score


def _mean(values: Sequence[float]) -> float:
    return values[0] if len(values) == 1 else sum(values) / len(values)
