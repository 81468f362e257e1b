"""What lies behind an ANLS* score: the truth nearest to the prediction, and a score per key."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from fieldwise.comparators.anls_tree import Node
from fieldwise.comparators.anls_walk import Walk, mean
from fieldwise.comparators.steps import Steps, run
from fieldwise.values import Json, children


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
    return run(_explain(walk, left, right))


def _explain(walk: Walk, left: Node, right: Node) -> Steps[tuple[Json, dict[str, ScoreNode]]]:
    if left.options:
        best = max(left.options, key=lambda option: mean(walk.score(option, right)))
        return (yield from _explain(walk, best, right))
    if left.fields is not None and right.fields is not None:
        return (yield from _explain_objects(walk, left, right))
    if left.items is not None and right.items is not None:
        return (yield from _explain_lists(walk, left, right))
    return left.value, {}


def _explain_objects(walk: Walk, left: Node, right: Node) -> Steps[tuple[Json, dict[str, ScoreNode]]]:
    truth, keys = {str(key): value for key, value in children(left.value) or ()}, {}
    for key in [*truth, *(k for k in right.fields or {} if k not in truth)]:
        a, b = (left.fields or {}).get(key), (right.fields or {}).get(key)
        inside: dict[str, ScoreNode] = {}
        score = 1.0 if a is b else 0.0
        if a is not None and b is not None:
            truth[key], inside = yield _explain(walk, a, b)
            score = mean(walk.score(a, b))
        keys[key] = ScoreNode(key, score, inside)
        truth.setdefault(key, None)
    return truth, keys


def _explain_lists(walk: Walk, left: Node, right: Node) -> Steps[tuple[Json, dict[str, ScoreNode]]]:
    rows, columns = left.items or [], right.items or []
    if (id(left), id(right)) not in walk.pairings:
        walk.score_lists(left, right)
    pairs = sorted(walk.pairings[id(left), id(right)], key=lambda pair: pair[1])
    found = []
    for i, j in pairs:
        found.append((yield _explain(walk, rows[i], columns[j])))
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
