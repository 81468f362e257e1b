"""Comparing objects: their declared fields, one by one, and the weighted means over them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import accumulate
from operator import itemgetter
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from fieldwise.comparators.work import Work
from fieldwise.compare.certain import WORTH_IT
from fieldwise.compare.contents import View, content_of, undeclared_content
from fieldwise.compare.leaves import LeafPlan
from fieldwise.compare.nodes import (
    CellGrid,
    Cells,
    Floats,
    NodeGrid,
    PlanNode,
    best_alternative,
    lazy,
    mapping_of,
    mappings_of,
)
from fieldwise.compare.quick import compared, differing, matching_object
from fieldwise.compare.results import (
    ABSENT,
    MATCH,
    MISMATCH,
    MISSED,
    SAME,
    SPURIOUS,
    AnyOf,
    LeafResult,
    ObjectResult,
    Outcome,
    Result,
)
from fieldwise.values import Json, is_absent, same, written

_NOTHING: Mapping[str, Json] = {}


class ObjectPlan(PlanNode[ObjectResult]):
    """An object with every setting resolved; ``fields`` are its nodes by JSON name."""

    def __init__(
        self,
        *,
        path: str,
        name: str,
        fields: Mapping[str, PlanNode[Any]],
        threshold: float,
        match_threshold: float,
        weight: float,
        clip: bool,
        sources: Mapping[str, str],
        extras: Literal["leaves", "ignore"] | None = None,
        outside: frozenset[str] = frozenset(),
        identical_first: bool = True,
        work: Work,
    ) -> None:
        self.path, self.name, self.fields, self.work = path, name, dict(fields), work
        self.threshold, self.match_threshold = threshold, match_threshold
        self.weight, self.clip, self.sources = weight, clip, sources
        self.extras, self.outside = extras, outside
        """How predicted keys that no field declares count, and the paths that the spec knows to be outside of it."""
        self.identical_first = identical_first
        self._items = tuple(self.fields.items())
        self.pairs = tuple((name, node.quick_type, node.pair) for name, node in self._items)
        self.names = tuple(self.fields)
        self.is_flat = bool(self.fields) and all(type(node) is LeafPlan for node in self.fields.values())
        """Whether there are only leaves in it."""
        self.holds_lists = any(node.holds_lists for node in self.fields.values())
        self.weights = tuple(node.weight for node in self.fields.values())
        self.holders = tuple(at for at, node in enumerate(self.fields.values()) if not node.is_value)
        """The positions of the fields that may hold an object."""
        self.inner = tuple((name, node) for name, node in self._items if type(node) is not LeafPlan)
        self.all_same = (SAME,) * len(self.fields) if identical_first or any(self.weights) else None
        """What the children of an object are of which every value is the same."""
        self.selective = _selective(self.fields, sum(self.weights))
        self.full_scores = dict.fromkeys(self.fields, 1.0)
        """The scores of the fields of an object of which every value is the same."""
        self._sums = (0.0, *accumulate(self.weights))
        self.total_weight = self._sums[-1]

    def pair(self, expected: Json, predicted: Json) -> ObjectResult:
        e, p = mapping_of(expected), mapping_of(predicted)
        if e is None or p is None:
            return self._odd_pair(expected, predicted)
        children, start = compared(self.pairs, e, p)
        return self._judged(tuple(children), expected, predicted, start)

    def differing(self, expected: Mapping[str, Json], predicted: Mapping[str, Json]) -> list[tuple[int, LeafResult]]:
        """Return the leaves of a flat object that are not the same, by position: what `pair` finds, unjudged."""
        return differing(self.pairs, expected, predicted)

    def _judged(self, children: tuple[Result, ...], expected: Json, predicted: Json, start: int = 0) -> ObjectResult:
        """Add up the children; those before ``start`` are known to be the same."""
        if children == self.all_same:
            # by the same object, so that views know it by identity
            return matching_object(self, 1.0, 1.0, self.all_same, expected, predicted)
        share = left = score = self._sums[start]
        here, only_here, only_there = start > 0, False, False
        for child, weight in zip(children[start:], self.weights[start:]):  # noqa: B905  # the hottest loop
            if child is SAME:
                score += weight
                share += weight
                left += weight
                here = True
                continue
            outcome = child.outcome
            score += weight * child.kept
            if outcome is ABSENT:
                continue
            share += weight * child.share
            left += weight
            if outcome is MISSED:
                only_here = True
            elif outcome is SPURIOUS:
                only_there = True
            else:
                here = True
        here, there = here or only_here, here or only_there
        raw = share / left if left else self._without_weight(children)
        if self.total_weight:
            score /= self.total_weight
        else:
            score = self._without_weight(children) if self.identical_first else 0.0
        if here and there:
            if raw >= self.threshold:
                return matching_object(self, raw, score, children, expected, predicted)
            kept = 0.0 if self.clip else raw
            return ObjectResult(MISMATCH, score, kept, self, raw, score, children, expected, predicted)
        if not (here or there):
            return ObjectResult(ABSENT, 1.0, 1.0, self, raw, score, children, expected, predicted)
        return ObjectResult(MISSED if here else SPURIOUS, 0.0, 0.0, self, raw, score, children, expected, predicted)

    def _without_weight(self, children: tuple[Result, ...]) -> float:
        """Return 1.0 where no value differs, else 0.0: the similarity of objects whose present values weigh nothing."""
        return float(
            all(child.outcome is ABSENT or (self.identical_first and child.share == 1.0) for child in children)
        )

    def _odd_pair(self, expected: Json, predicted: Json) -> ObjectResult:
        """Compare where a side is no object: absent, or something else that stands in its place."""
        if type(expected) is AnyOf:
            return best_alternative(self, expected, predicted)[1]
        e, p = mapping_of(expected), mapping_of(predicted)
        judged = self._judged(
            tuple([node.pair((e or _NOTHING).get(k), (p or _NOTHING).get(k)) for k, node in self._items]),
            expected,
            predicted,
        )
        stray_e = e is None and not is_absent(expected)
        stray_p = p is None and not is_absent(predicted)
        if not (stray_e or stray_p):
            return judged
        equal = stray_e and stray_p and same(expected, predicted)
        outcome = stray_outcome(stray_e or judged.outcome is MISSED, stray_p or judged.outcome is SPURIOUS, equal=equal)
        value = float(equal)
        return judged._replace(
            outcome=outcome, share=value, kept=value, raw=value, score=value, stray=True, note="type"
        )

    def grid(self, expected: Sequence[Json], predicted: Sequence[Json]) -> NodeGrid[ObjectResult]:
        e, p = columns_of(self, expected), columns_of(self, predicted)
        if e is None or p is None:
            return CellGrid(self, expected, predicted)
        return ObjectGrid(self, expected, predicted, e, p)

    def has_value(self, value: Json) -> bool:
        mapping = mapping_of(value)
        if mapping is None:
            return not is_absent(value)
        for name, node in self._items:  # noqa: SIM110  # any() of a generator is slower
            if node.has_value(mapping.get(name)):
                return True
        return False

    def similarity(self, result: ObjectResult) -> float:
        return result.raw

    @property
    def accept(self) -> float:
        return self.match_threshold

    def accepts(self, result: ObjectResult) -> bool:
        return result.raw >= self.match_threshold

    def content(self, value: Json, view: View) -> str:
        mapping = mapping_of(value)
        if mapping is None:
            return super().content(value, view)
        parts = []
        for name in sorted(mapping):
            inner = mapping[name]
            if name in self.fields:
                if view != "identical" or not is_absent(inner):
                    parts.append(f"{written(name)}:{content_of(self.fields[name], inner, view)}")
            elif view == "whole":
                parts.append(f"{written(name)}:{undeclared_content(inner)}")
        return f"{{{','.join(parts)}}}"

    def cost(self, expected: Sequence[Json], predicted: Sequence[Json]) -> int:
        return sum([node.cost(column(expected, name), column(predicted, name)) for name, node in self._items])

    def cells(self, expected: Sequence[Json], predicted: Sequence[Json]) -> int:
        widest = len(expected) * len(predicted)
        if not self.holds_lists:
            return widest
        for name, node in self._items:
            if type(node).cells is not PlanNode.cells:
                widest = max(widest, node.cells(column(expected, name), column(predicted, name)))
        return widest


def _selective(fields: Mapping[str, PlanNode[Any]], total: float) -> tuple[tuple[str, LeafPlan], ...]:
    """Return the leaves of which a value agrees with few others, where they weigh enough to tell items apart."""
    found = [
        (name, leaf)
        for name, leaf in fields.items()
        if isinstance(leaf, LeafPlan) and leaf.weight and not leaf.alternates and leaf.selective
    ]
    return tuple(found) if sum(leaf.weight for _, leaf in found) >= WORTH_IT * total > 0 else ()


def column(values: Sequence[Json], name: str) -> list[Json]:
    """Return the values of one field over many objects; None where there is none."""
    return [(mapping_of(value) or _NOTHING).get(name) for value in values]


def columns_of(plan: ObjectPlan, values: Sequence[Json]) -> list[Sequence[Json]] | None:
    """Return the values of each declared field over many objects; None where something else stands among them."""
    maps: list[Any] = mappings_of(values)
    if None in maps:
        if not all(m is not None or is_absent(value) for m, value in zip(maps, values, strict=True)):
            return None
        maps = [m or _NOTHING for m in maps]
    if len(plan.names) > 1 and maps:
        try:
            return list(zip(*map(itemgetter(*plan.names), maps), strict=True))
        except KeyError:
            pass  # a field is missing somewhere
    return [[m.get(name) for m in maps] for name in plan.names]


def stray_outcome(here: bool, there: bool, *, equal: bool) -> Outcome:
    """Return the outcome where a side holds something of another kind than the declared one."""
    if here and there:
        return MATCH if equal else MISMATCH
    return MISSED if here else SPURIOUS


class ObjectGrid(NodeGrid[ObjectResult]):
    """Weighted sums of the children's grids, in the order in which `ObjectPlan` adds."""

    def __init__(
        self,
        plan: ObjectPlan,
        expected: Sequence[Json],
        predicted: Sequence[Json],
        e: Sequence[Sequence[Json]],
        p: Sequence[Sequence[Json]],
    ) -> None:
        self.plan, self.expected, self.predicted = plan, expected, predicted
        self.shape = len(expected), len(predicted)
        columns = zip(plan.fields.values(), e, p, strict=True)
        self.grids = [node.grid(left, right) for node, left, right in columns]
        self.set_presence(
            _any_column([g.expected_there for g in self.grids], len(expected)),
            _any_column([g.predicted_there for g in self.grids], len(predicted)),
        )

    @lazy
    def similarity(self) -> Floats:
        total = np.zeros(self.shape)
        left: Any = 0.0
        for grid, weight in zip(self.grids, self.plan.weights, strict=True):
            total += grid.share if weight == 1.0 else weight * grid.share
            both = grid.both_absent()
            left = left + (weight if both is None else np.where(both, 0.0, weight))
        if type(left) is float:
            return total / left if left else self._without_weight()
        with np.errstate(divide="ignore", invalid="ignore"):
            raw = np.where(left > 0, total / left, 0.0 if left.all() else self._without_weight())
        both = self.both_absent()
        return raw if both is None else np.where(both, 1.0, raw)

    @lazy
    def score(self) -> Floats:
        total = np.zeros(self.shape)
        for grid, weight in zip(self.grids, self.plan.weights, strict=True):
            total += weight * grid.kept
        return total / self.plan.total_weight if self.plan.total_weight else self._without_weight()

    def _without_weight(self) -> Floats:
        """Do the same as the plan of the objects does, for every cell."""
        alike = np.full(self.shape, self.plan.identical_first)
        for grid in self.grids:
            both = grid.both_absent()
            alike &= (grid.share == 1.0) if both is None else (grid.share == 1.0) | both
        return alike.astype(np.float64)

    @lazy
    def share(self) -> Floats:
        return np.where(self._both_there, self.score, 0.0)

    @lazy
    def kept(self) -> Floats:
        raw = self.similarity
        kept = np.where(raw >= self.plan.threshold, raw, 0.0) if self.plan.clip else raw
        kept = np.where(self._both_there, kept, 0.0)
        both = self.both_absent()
        return kept if both is None else np.where(both, 1.0, kept)

    @property
    def _both_there(self) -> NDArray[np.bool_]:
        return np.logical_and.outer(self.expected_there, self.predicted_there)

    def results(self, cells: Cells) -> list[ObjectResult]:
        judged, expected, predicted = self.plan._judged, self.expected, self.predicted
        if not self.grids:
            return [judged((), expected[i], predicted[j]) for i, j in cells.pairs]
        by_field = [grid.results(cells) for grid in self.grids]
        return [
            judged(children, expected[i], predicted[j])
            for children, (i, j) in zip(zip(*by_field, strict=True), cells.pairs, strict=True)
        ]


def _any_column(columns: Sequence[Sequence[bool]], size: int) -> Sequence[bool]:
    for there in columns:
        if all(there):
            return there
    return [any(there[i] for there in columns) for i in range(size)]
