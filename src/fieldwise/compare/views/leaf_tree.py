"""The matrix by leaves: every value counts, those of unpaired list items and of undeclared keys too."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from fieldwise.compare.places import LeafAt, leaves_of
from fieldwise.compare.results import SPURIOUS, ObjectResult, is_clean
from fieldwise.compare.undeclared import UndeclaredKeys, unknown_items
from fieldwise.compare.views.counts import MatrixNode, MatrixOptions, Node, ShownCounts, added, has_no_errors
from fieldwise.compare.wholes import WholeAt, WholeKind, wholes_of
from fieldwise.spec import steps_of
from fieldwise.values import is_object


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
