"""What one document adds to a tally while it is being counted, and where the leaves of its objects are."""

from __future__ import annotations

from collections.abc import Iterable

from fieldwise.compare.leaves import LeafPlan
from fieldwise.compare.objects import ObjectPlan
from fieldwise.compare.places import Misfit
from fieldwise.compare.undeclared import UndeclaredKeys
from fieldwise.compare.wholes import WholeAt
from fieldwise.values import Json


class Slots:
    """Where the leaves of one object of the plan are counted. A leaf that is the same on both sides costs nothing:
    how many these were is what is left of the visits."""

    def __init__(self, plan: ObjectPlan, weight: float, *, in_list: bool) -> None:
        self.plan, self.visits, self.perfect, self.in_list = plan, 0, 0, in_list
        self.closed = 0
        """How many visits earlier documents made; those of the open one are after them."""
        children = list(plan.fields.values())
        self.leaf_weights = [weight * child.weight if type(child) is LeafPlan else 0.0 for child in children]
        self.weights = [weight * child.weight for child in children]
        self.weight = sum(self.leaf_weights)
        self.is_leaf = [type(child) is LeafPlan for child in children]
        self.leaf_count = sum(self.is_leaf)
        self.odd: list[list[int]] = [[0, 0, 0, 0, 0] for _ in children]
        self.closed_odd: list[list[int]] = [[0, 0, 0, 0, 0] for _ in children]
        self.odd_scores = [0] * len(children)
        self.near = [[0, 0] for _ in children]
        """Matches of values that are not identical: written differently, and similar."""
        self.leaves = tuple((k, child.path) for k, child in enumerate(children) if type(child) is LeafPlan)
        self.others = tuple((k, child) for k, child in enumerate(children) if type(child) is not LeafPlan)


class OpenDocument:
    """The running counts of one document."""

    __slots__ = ("counts", "fields", "keys", "listed", "misfits", "nodes", "total", "weight")

    def __init__(self, root: ObjectPlan, expected: Json) -> None:
        self.keys = UndeclaredKeys(root, expected, root.extras or "leaves")
        self.counts = [0, 0, 0, 0, 0]
        self.total = self.weight = 0.0
        self.fields: dict[str, list[int]] = {}
        """The counts of leaves that may occur several times, by path."""
        self.nodes: dict[str, list[int]] = {}
        """The counts of objects and of rows of lists, by path and what they are."""
        self.listed: list[Slots] = []
        """Where rows of lists were counted."""
        self.misfits: dict[str, Misfit] = {}
        """What is predicted in place of objects and lists, the first by path."""

    def count_whole(self, whole: WholeAt | None) -> None:
        """Count an object, or the rows of a list."""
        if whole is not None:
            counts = self.nodes.get(whole.key) or self.nodes.setdefault(whole.key, [0, 0, 0, 0, 0])
            for at, count in enumerate(whole.counts):
                counts[at] += count

    def count_wholes(self, wholes: Iterable[WholeAt]) -> None:
        """Count objects and rows of lists."""
        for whole in wholes:
            self.count_whole(whole)
