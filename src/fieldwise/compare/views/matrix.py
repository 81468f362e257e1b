"""The confusion matrix of ``compare_with``: a tree of counts that mirrors the declared fields.

By leaves every value counts, those of unpaired list items and of undeclared keys too.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache

from fieldwise.compare.leaves import LeafPlan
from fieldwise.compare.lists import ListPlan
from fieldwise.compare.nodes import PlanNode
from fieldwise.compare.objects import ObjectPlan
from fieldwise.compare.places import LeafAt, leaves_of
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
from fieldwise.compare.undeclared import UndeclaredKeys, unknown_items
from fieldwise.compare.views.counts import Counts, MatrixNode, MatrixOptions, Node, ShownCounts, added, has_no_errors
from fieldwise.compare.wholes import WholeAt, WholeKind, scopes_of, wholes_of
from fieldwise.spec import steps_of
from fieldwise.values import is_object

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


def count_unknown(result: ObjectResult) -> int:
    """Count the undeclared keys of the predicted root and of the objects in it that both sides hold."""
    unknown = len(unknown_items(result.plan, result.predicted))
    for at in result.plan.holders:
        child = result.children[at]
        if type(child) is ObjectResult and is_object(child.expected) and is_object(child.predicted):
            unknown += count_unknown(child)
    return unknown


def with_unknown(result: ObjectResult, options: MatrixOptions, node: Node) -> MatrixNode:
    """Return a tree by objects with a node for every undeclared key; the root counts each of their values."""
    tree = _Branch()
    for place in leaves_of(result, UndeclaredKeys(result.plan, result.expected, "leaves")):
        if place.plan is None:
            tree.add(place)
    unknown = tree.total()
    fields = dict(node.shown["fields"])
    for name, branch in tree.below.items():
        fields[name] = _grafted(Node.of(fields[name]) if name in fields else None, branch, options).shown
    clean = node.clean and not any(unknown)
    return {
        "overall": options.overall(added([node.overall, unknown]), result.mean_score, clean),
        "fields": fields,
        "non_matches": [],
        "aggregate": options.counts(added([node.aggregate, unknown])),
    }


def _grafted(node: Node | None, branch: _Branch, options: MatrixOptions) -> Node:
    if node is None:
        return _merged(None, branch, options)
    fields = dict(node.shown["fields"])
    for name, below in branch.below.items():
        fields[name] = _grafted(Node.of(fields[name]) if name in fields else None, below, options).shown
    aggregate = added([node.aggregate, branch.total()])
    overall: ShownCounts = {**node.shown["overall"], "all_fields_matched": False}
    out: MatrixNode = {**node.shown, "overall": overall, "fields": fields, "aggregate": options.counts(aggregate)}
    return Node(out, node.overall, aggregate, False)


class _Branch:
    """A node of the tree of leaves: its own leaf counts, those of an object or of rows, and what lies below."""

    def __init__(self) -> None:
        self.own = [0] * 5
        self.whole = [0] * 5
        self.kind: WholeKind | None = None
        self.scores: list[float] = []
        self.below: dict[str, _Branch] = {}

    def at(self, path: str) -> _Branch:
        """Return the node of a field."""
        branch = self
        for name in steps_of(path):
            branch = branch.below.setdefault(str(name), _Branch())  # no positions are in the path of a field
        return branch

    def add(self, place: LeafAt) -> None:
        """Count a place where it belongs."""
        branch = self.at(place.field)
        branch.own[place.outcome.at] += 1
        branch.scores.append(place.result.raw_score)

    def add_whole(self, whole: WholeAt) -> _Branch:
        """Count an object, or the rows of a list; return its node."""
        branch = self.at(whole.path)
        branch.kind = whole.kind
        branch.whole = added([branch.whole, whole.counts])
        return branch

    @property
    def overall(self) -> list[int]:
        """What the node itself counts: objects or rows where they are, else its values."""
        return self.own if self.kind is None or self.kind == "grid" else self.whole

    def total(self) -> list[int]:
        """Return the counts of the node and of all below it."""
        return added([self.own, *[branch.total() for branch in self.below.values()]])


def by_leaves(result: ObjectResult, options: MatrixOptions, shown_fields: dict[str, MatrixNode]) -> MatrixNode:
    """Return the tree in which every leaf counts, and every object and row in ``overall`` of its node.

    What has the path of another node stands under ``beside``.
    """
    nodes = {name: Node.of(node) for name, node in shown_fields.items()}
    tree = _Branch()
    keys = UndeclaredKeys(result.plan, result.expected, "leaves") if options.extras == "leaves" else None
    invented = False
    for place in leaves_of(result, keys):
        tree.add(place)
        invented |= place.plan is None
    wholes = {whole.path: tree.add_whole(whole) for whole in wholes_of(result)}
    names = dict.fromkeys([*nodes, *tree.below])
    fields = {name: _merged(nodes.get(name), tree.below.get(name, _Branch()), options) for name in names}
    beside = dict(_beside(wholes))
    # The values of a list of lists are at its own node.
    in_place = [branch.own for branch in tree.below.values() if branch.kind == "object" or branch.kind == "rows"]
    overall = added([*[node.overall for node in fields.values()], *in_place])
    if options.extras == "root":
        unknown = count_unknown(result)
        overall[SPURIOUS.at] += unknown
        invented = unknown > 0
    aggregate = added([tree.own, *[node.aggregate for node in fields.values()]])
    clean = not invented and all(is_clean(child, by_objects=False) for child in result.children)
    shown: MatrixNode = {
        "overall": options.overall(overall, result.mean_score, clean),
        "fields": {name: node.shown for name, node in fields.items()},
        "non_matches": [],
        "aggregate": options.counts(aggregate),
    }
    if beside:
        shown["beside"] = {key: options.counts(counts) for key, counts in beside.items()}
    return shown


def _beside(wholes: Mapping[str, _Branch]) -> Iterator[tuple[str, list[int]]]:
    """Yield what is counted beside the nodes: values in place of objects and rows, and the rows of lists of lists."""
    for path, branch in wholes.items():
        if branch.kind == "grid":
            yield f"{path}[rows]", branch.whole
        elif any(branch.own):
            yield f"{path}[values]", branch.own


def _merged(node: Node | None, branch: _Branch, options: MatrixOptions) -> Node:
    old_fields = node.shown["fields"] if node else {}
    children = {
        name: _merged(
            Node.of(old_fields[name]) if name in old_fields else None,
            branch.below.get(name, _Branch()),
            options,
        )
        for name in dict.fromkeys([*old_fields, *branch.below])
    }
    aggregate = added([branch.own, *[child.aggregate for child in children.values()]])
    overall = branch.overall
    clean = has_no_errors(overall) and has_no_errors(aggregate) and all(child.clean for child in children.values())
    score = (
        node.shown["overall"]["similarity_score"]
        if node
        else sum(branch.scores) / len(branch.scores)
        if branch.scores
        else 0.0
    )
    out: MatrixNode = {
        "overall": options.overall(overall, score, clean),
        "fields": {name: child.shown for name, child in children.items()},
        "aggregate": options.counts(aggregate),
    }
    return Node({**node.shown, **out} if node else out, overall, aggregate, clean)
