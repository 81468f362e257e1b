"""ANLS*: the similarity of two JSON values of any shape, from the edits of their leaves.

score = sum of leaf scores / number of leaves, over the union of keys and the best assignment of list items. Behind a
score are the truth nearest to the prediction, and a score per key. What is compared are trees: absent parts are left
out, text is folded, equal trees are numbered alike. None has more than `MAX_DEPTH` levels, so that plain calls walk it.
"""

from __future__ import annotations

import math
from collections import defaultdict, deque
from collections.abc import Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import ClassVar, Literal, TypeAlias, overload

import numpy as np
from scipy.optimize import linear_sum_assignment

from fieldwise.checks import checked_number
from fieldwise.comparators.as_text import bare, folded, text_of, width
from fieldwise.comparators.base import ANY_KIND, CALL, BaseComparator, Grid
from fieldwise.comparators.similar_text import LevenshteinComparator
from fieldwise.depth import MAX_LEVEL, allow_levels
from fieldwise.errors import InputError
from fieldwise.limits import MAX_CELLS
from fieldwise.values import Json, canonical, children, is_absent, is_object, plain, written

MAX_DEPTH = MAX_LEVEL
"""Levels below which a subtree is one leaf, alike only where it is the same value."""

DEEP_NOTE = f"below level {MAX_DEPTH} compared by equality"

BLOCKS_NOTE = "list too long, matched in blocks"
_EQUAL_BONUS = 1e-10
_EDITS = LevenshteinComparator(normalize=False)

Score: TypeAlias = tuple[float, int]
"""The sum of leaf scores, and the number of leaves that it is over."""

Pairs: TypeAlias = list[tuple[int, int]]


@dataclass(slots=True, eq=False)
class Node:
    """A present value: a leaf, an object, a list, or a choice of several acceptable values."""

    value: Json
    number: int
    """Equal for equal trees of the same forest."""
    size: int = 1
    """Its leaves."""
    width: int = 1
    """Its rows and columns in the grid of all lists inside it."""
    text: str | None = None
    fields: dict[str, Node] | None = None
    items: list[Node] | None = None
    options: list[Node] | None = None
    is_optional: bool = False
    """Whether one of the options is that the value is absent."""
    is_deep: bool = False
    """Whether a subtree inside was cut at the deepest level."""
    has_list: bool = False
    order: str = ""
    """What it is sorted by, where that was asked for."""


@dataclass(slots=True)
class Forest:
    """Makes trees; ``with_options`` reads a tuple as several acceptable values."""

    with_options: bool = False
    numbers: dict[Hashable, int] = field(default_factory=dict)

    def tree(self, value: Json) -> Node | None:
        """Return the tree of a value, None where it is absent."""
        return self._node(value, 0)

    def choice(self, values: Sequence[Json]) -> Node | None:
        """Return the tree of several acceptable values."""
        return self._choice(values, 0)

    def _node(self, value: Json, depth: int) -> Node | None:
        inner = children(value)
        if inner is None:
            return self._leaf(value)
        if depth >= MAX_DEPTH:
            return self._deep(value)
        allow_levels(depth)
        if self.with_options and isinstance(value, tuple):
            return self._choice(value, depth)
        nodes = ((key, self._node(child, depth + 1)) for key, child in inner)
        parts = [(key, node) for key, node in nodes if node is not None]
        return self._container(value, parts) if parts else None

    def _leaf(self, value: Json) -> Node | None:
        if is_absent(value):
            return None
        text = folded(text_of(plain(bare(value))) or "")
        return Node(value, self._number(text), width=width(text), text=text)

    def _deep(self, value: Json) -> Node | None:
        if is_absent(value):
            return None
        return Node(value, self._number(("deep", canonical(value))), is_deep=True)

    def _container(self, value: Json, parts: list[tuple[str | int, Node]]) -> Node:
        nodes = [node for _, node in parts]
        node = Node(value, 0, size=sum(n.size for n in nodes), is_deep=any(n.is_deep for n in nodes))
        if is_object(value):
            node.fields = {str(key): part for key, part in parts}
            node.has_list = any(n.has_list for n in nodes)
            node.width = max(sum(n.width for n in nodes if n.has_list or n.width > 1), 1)
            node.number = self._number(frozenset((key, n.number) for key, n in node.fields.items()))
        else:
            node.items, node.has_list = nodes, True
            node.width = sum(n.width for n in nodes)
            node.number = self._number(tuple(n.number for n in nodes))
        return node

    def _choice(self, values: Sequence[Json], depth: int) -> Node | None:
        if not values:
            raise InputError("Expected at least one acceptable value in a tuple of the expected side, got none")
        found = [self._node(value, depth + 1) for value in values]
        options = [node for node in found if node is not None]
        if not options:
            return None
        choice = Node(values, self._number(object()), size=max(n.size for n in options), options=options)
        choice.width, choice.has_list = max(n.width for n in options), any(n.has_list for n in options)
        choice.is_optional = len(options) < len(found)
        return choice

    def _number(self, key: Hashable) -> int:
        return self.numbers.setdefault(key, len(self.numbers))


@dataclass(slots=True)
class Walk:
    """Scores pairs of trees of one forest.

    ``flipped`` solves assignments with the sides exchanged, so that ties fall alike in both directions.
    """

    leaf_threshold: float
    flipped: bool = False
    pairings: dict[tuple[int, int], Pairs] = field(default_factory=dict)

    def score(self, left: Node, right: Node) -> Score:
        """Return the score of two trees."""
        if left.number == right.number:
            return float(left.size), left.size
        if left.text is not None and right.text is not None:
            return self._similar(left.text, right.text), 1
        if left.options:
            return max([self.score(option, right) for option in left.options], key=mean)
        if left.fields and right.fields:
            return self._score_objects(left.fields, right.fields)
        if left.items and right.items:
            return self.score_lists(left, right)
        return 0.0, max(left.size, right.size)

    def _similar(self, left: str, right: str) -> float:
        similarity = _EDITS._similar(left, right)
        return similarity if similarity >= self.leaf_threshold else 0.0

    def _score_objects(self, left: dict[str, Node], right: dict[str, Node]) -> Score:
        both = [self.score(left[key], right[key]) for key in left.keys() & right.keys()]
        alone = [(left.get(key) or right[key]) for key in left.keys() ^ right.keys()]
        return _added(both, alone)

    def score_lists(self, left: Node, right: Node) -> Score:
        """Return the score of two lists, and keep their pairing even where they are equal."""
        rows, columns = left.items or [], right.items or []
        pairs: Pairs = []
        scores: list[Score] = []
        for some, others in _blocks(left, right):
            found, values = self._match([rows[i] for i in some], [columns[j] for j in others])
            pairs += [(some[i], others[j]) for i, j in found]
            scores += values
        self.pairings[id(left), id(right)] = pairs
        alone = [rows[i] for i in _rest(rows, {i for i, _ in pairs})]
        return _added(scores, alone + [columns[j] for j in _rest(columns, {j for _, j in pairs})])

    def _match(self, rows: list[Node], columns: list[Node]) -> tuple[Pairs, list[Score]]:
        if not rows or not columns:
            return [], []
        scores, lengths = self._grid(rows, columns)
        equal = np.array([n.number for n in rows])[:, None] == np.array([n.number for n in columns])[None, :]
        pairs = self._assign(scores / lengths + _EQUAL_BONUS * equal)
        return pairs, [(float(scores[i, j]), int(lengths[i, j])) for i, j in pairs]

    def _assign(self, similarity: Grid) -> Pairs:
        if self.flipped:
            columns, rows = linear_sum_assignment(similarity.T, maximize=True)
        else:
            rows, columns = linear_sum_assignment(similarity, maximize=True)
        return list(zip(rows.tolist(), columns.tolist(), strict=True))

    def grid(self, rows: list[Node], columns: list[Node]) -> Grid:
        """Return the score per leaf of every pair."""
        if not rows or not columns:
            return np.empty((len(rows), len(columns)))
        scores, lengths = self._grid(rows, columns)
        return scores / lengths

    def _grid(self, rows: list[Node], columns: list[Node]) -> tuple[Grid, Grid]:
        lengths: Grid = np.ones((len(rows), len(columns)))
        scores = self._text_grid(rows, columns)
        if scores is not None:
            return scores, lengths
        scores = np.empty_like(lengths)
        for i, row in enumerate(rows):
            for j, column in enumerate(columns):
                scores[i, j], lengths[i, j] = self.score(row, column)
        return scores, lengths

    def _text_grid(self, rows: list[Node], columns: list[Node]) -> Grid | None:
        left, right = [n.text for n in rows if n.text], [n.text for n in columns if n.text]
        if len(left) < len(rows) or len(right) < len(columns):
            return None
        scores = _EDITS.grid(left, right)
        scores[scores < self.leaf_threshold] = 0.0
        return scores


def mean(score: Score) -> float:
    """Return the score per leaf."""
    return score[0] / score[1]


def _added(scores: list[Score], alone: list[Node]) -> Score:
    """Return the score of pairs and of trees without a counterpart, for which being absent may be acceptable."""
    lonely = sum(node.size for node in alone if not node.is_optional)
    return math.fsum(score for score, _ in scores), sum(leaves for _, leaves in scores) + lonely


def is_blocked(left: Node, right: Node) -> bool:
    """Return whether two lists, with the lists inside, are too long for one grid."""
    return left.width * right.width * _cell(left, right) > MAX_CELLS


def _cell(left: Node, right: Node) -> int:
    return 1 if all(item.text is not None for item in (*(left.items or ()), *(right.items or ()))) else CALL


def _blocks(left: Node, right: Node) -> Iterator[tuple[Sequence[int], Sequence[int]]]:
    """Yield rows and columns to match together: all, or equal ones first and the rest by position."""
    rows, columns = left.items or [], right.items or []
    if not is_blocked(left, right):
        yield range(len(rows)), range(len(columns))
        return
    equal = _equal_pairs(rows, columns)
    yield from (([i], [j]) for i, j in equal)
    some, others = _rest(rows, {i for i, _ in equal}), _rest(columns, {j for _, j in equal})
    start = 0
    while start < max(len(some), len(others)):
        end = start + 1
        while end < max(len(some), len(others)) and _cells(rows, columns, some[start:end], others[start:end]):
            end += 1
        yield some[start:end], others[start:end]
        start = end


def _cells(rows: list[Node], columns: list[Node], some: list[int], others: list[int]) -> bool:
    high = sum(rows[i].width for i in some)
    wide = sum(columns[j].width for j in others)
    return (high + 1) * (wide + 1) <= MAX_CELLS


def _equal_pairs(rows: list[Node], columns: list[Node]) -> Pairs:
    waiting: defaultdict[int, deque[int]] = defaultdict(deque)
    for j, column in enumerate(columns):
        waiting[column.number].append(j)
    return [(i, waiting[row.number].popleft()) for i, row in enumerate(rows) if waiting[row.number]]


def _rest(nodes: list[Node], taken: set[int]) -> list[int]:
    return [i for i in range(len(nodes)) if i not in taken]


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
