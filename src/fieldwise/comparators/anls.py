"""ANLS*: the similarity of two JSON values of any shape, from the edits of their leaves.

score = sum of leaf scores / number of leaves, over the union of keys and the best assignment of list items. Behind a
score are the truth nearest to the prediction, and a score per key.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import ClassVar, Literal, overload

import numpy as np

from fieldwise.checks import checked_number
from fieldwise.comparators.anls_tree import BLOCKS_NOTE, DEEP_NOTE, Forest, Node, Walk, is_blocked, mean
from fieldwise.comparators.base import ANY_KIND, BaseComparator, Grid
from fieldwise.values import Json, children, written

DEFAULT_LEAF_THRESHOLD = 0.5

__all__ = ["ANLSStarComparator", "ScoreNode", "anls_score"]


class ANLSStarComparator(BaseComparator):
    """Scores values of any shape: leaves by edits (0 below ``leaf_threshold``), then their mean.

    A part that is absent on one side counts as missing there, absent on both it does not count.

    >>> ANLSStarComparator().compare({"a": "x", "b": ["y", "z"]}, {"b": ["z", "y"], "a": None})
    0.6666666666666666
    """

    takes: ClassVar[frozenset[str]] = ANY_KIND

    def __init__(self, threshold: float | None = None, leaf_threshold: float = DEFAULT_LEAF_THRESHOLD) -> None:
        super().__init__(threshold)
        self.leaf_threshold = checked_number("leaf_threshold", leaf_threshold, high=1.0)

    def _compare(self, expected: Json, predicted: Json) -> float:
        forest = Forest()
        return self._score(forest.tree(expected), forest.tree(predicted))

    def grid(self, expected: Sequence[Json], predicted: Sequence[Json]) -> Grid:
        """Score every pair; each tree is made once."""
        forest = Forest()
        rows, columns = [forest.tree(v) for v in expected], [forest.tree(v) for v in predicted]
        present, others = (
            [n for n in rows if n and not n.has_list],
            [n for n in columns if n and not n.has_list],
        )
        if len(present) == len(rows) and len(others) == len(columns):
            return Walk(self.leaf_threshold).grid(present, others)
        cells = [[self._score(row, column) for column in columns] for row in rows]
        return np.array(cells, dtype=np.float64).reshape(len(rows), len(columns))

    def _score(self, left: Node | None, right: Node | None) -> float:
        if left is None or right is None:
            return 1.0 if left is right else 0.0
        if left.number == right.number:
            return 1.0
        return mean(Walk(self.leaf_threshold, _is_flipped(left, right)).score(left, right))

    def notes(self, expected: Json, predicted: Json) -> str:
        """Say where a subtree was too deep or a list too long."""
        left, right = Forest().tree(expected), Forest().tree(predicted)
        if left is None or right is None:
            return ""
        notes = [DEEP_NOTE] if left.is_deep and right.is_deep else []
        notes += [BLOCKS_NOTE] if is_blocked(left, right) else []
        return "; ".join(notes)

    def describe(self) -> str:
        """Return ``ANLS*`` and its leaf threshold where it is not the usual one."""
        return f"ANLS*, leaves from {self.leaf_threshold:g}" if self.config else "ANLS*"


def _is_flipped(left: Node, right: Node) -> bool:
    """Order two values by themselves, so that ties between pairings fall alike in both directions."""
    return left.has_list and right.has_list and _order(left) > _order(right)


def _order(node: Node) -> str:
    if not node.order:
        node.order = written(node.value)
    return node.order


@overload
def anls_score(
    gt: Json,
    pred: Json,
    return_gt: Literal[False] = False,
    return_key_scores: Literal[False] = False,
    threshold: float | None = None,
) -> float: ...


@overload
def anls_score(
    gt: Json,
    pred: Json,
    return_gt: bool = False,
    return_key_scores: bool = False,
    threshold: float | None = None,
) -> float | tuple[Json, ...]: ...


def anls_score(
    gt: Json,
    pred: Json,
    return_gt: bool = False,
    return_key_scores: bool = False,
    threshold: float | None = None,
) -> float | tuple[Json, ...]:
    """Return the ANLS* score, and on request the nearest acceptable truth and a score per key.

    A tuple in ``gt`` holds several acceptable values, and so does a list of texts for one text.

    >>> anls_score({"a": ("x", "yy")}, {"a": "yy"}, return_gt=True)
    (1.0, {'a': 'yy'})
    """
    limit = DEFAULT_LEAF_THRESHOLD if threshold is None else checked_number("threshold", threshold, high=1.0)
    forest = Forest(with_options=True)
    left = forest.choice(gt) if _is_options(gt, pred) else forest.tree(gt)
    right = forest.tree(list(pred) if isinstance(pred, tuple) else pred)
    walk = Walk(limit)
    if left is None or right is None:
        score = 1.0 if left is right else 0.0
    else:
        walk.flipped = _is_flipped(left, right)
        score = mean(walk.score(left, right))
    if not return_gt and not return_key_scores:
        return score
    closest, keys = explain(walk, left, right, gt)
    return (score, *([closest] if return_gt else []), *([keys] if return_key_scores else []))


def _is_options(gt: Json, pred: Json) -> bool:
    return isinstance(pred, str) and isinstance(gt, list) and bool(gt) and all(isinstance(v, str) for v in gt)


@dataclass(frozen=True, slots=True)
class ScoreNode:
    """The score of one key, and of the keys inside its value; in lists the mean over the paired items."""

    name: str
    score: float
    children: dict[str, ScoreNode] = field(default_factory=dict)


def explain(walk: Walk, left: Node | None, right: Node | None, gt: Json) -> tuple[Json, dict[str, ScoreNode]]:
    """Return the truth in the order and choice nearest to the prediction, and the scores of its keys."""
    if left is None or right is None:
        return gt, {}
    return _explain(walk, left, right)


def _explain(walk: Walk, left: Node, right: Node) -> tuple[Json, dict[str, ScoreNode]]:
    if left.options:
        best = max(left.options, key=lambda option: mean(walk.score(option, right)))
        return _explain(walk, best, right)
    if left.fields is not None and right.fields is not None:
        return _explain_objects(walk, left, right)
    if left.items is not None and right.items is not None:
        return _explain_lists(walk, left, right)
    return left.value, {}


def _explain_objects(walk: Walk, left: Node, right: Node) -> tuple[Json, dict[str, ScoreNode]]:
    truth, keys = {str(key): value for key, value in children(left.value) or ()}, {}
    for key in [*truth, *(k for k in right.fields or {} if k not in truth)]:
        a, b = (left.fields or {}).get(key), (right.fields or {}).get(key)
        inside: dict[str, ScoreNode] = {}
        score = 1.0 if a is b else 0.0
        if a is not None and b is not None:
            truth[key], inside = _explain(walk, a, b)
            score = mean(walk.score(a, b))
        keys[key] = ScoreNode(key, score, inside)
        truth.setdefault(key, None)
    return truth, keys


def _explain_lists(walk: Walk, left: Node, right: Node) -> tuple[Json, dict[str, ScoreNode]]:
    rows, columns = left.items or [], right.items or []
    if (id(left), id(right)) not in walk.pairings:
        walk.score_lists(left, right)
    pairs = sorted(walk.pairings[id(left), id(right)], key=lambda pair: pair[1])
    found = [_explain(walk, rows[i], columns[j]) for i, j in pairs]
    taken = {i for i, _ in pairs}
    truth = [value for value, _ in found] + [row.value for i, row in enumerate(rows) if i not in taken]
    return truth, _merged([keys for _, keys in found])


def _merged(many: Iterable[dict[str, ScoreNode]]) -> dict[str, ScoreNode]:
    by_name: dict[str, list[ScoreNode]] = {}
    for keys in many:
        for name, node in keys.items():
            by_name.setdefault(name, []).append(node)
    return {name: _mean_node(name, nodes) for name, nodes in by_name.items()}


def _mean_node(name: str, nodes: list[ScoreNode]) -> ScoreNode:
    score = sum(node.score for node in nodes) / len(nodes)
    return ScoreNode(name, score, _merged(node.children for node in nodes))
