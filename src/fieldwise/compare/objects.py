"""Comparing objects: their declared fields, one by one, and the weighted means over them."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from functools import reduce
from operator import add, itemgetter
from typing import TypeGuard

import numpy as np
from numpy.typing import NDArray

from fieldwise.compare.contents import View, content_of, undeclared_content
from fieldwise.compare.leaves import LeafPlan
from fieldwise.compare.nodes import (
    FIELD_READERS,
    NO_KEY,
    NOTHING,
    WRONG_SHAPE,
    CellGrid,
    Cells,
    Floats,
    NodeGrid,
    PlanNode,
    Work,
    best_alternative,
    lazy,
    mapping_of,
    mappings_of,
)
from fieldwise.compare.quick import compared, matching_object
from fieldwise.compare.results import (
    ABSENT,
    MATCH,
    MISMATCH,
    MISSED,
    SAME,
    SPURIOUS,
    AnyOf,
    ObjectResult,
    Outcome,
    Result,
)
from fieldwise.spec.nodes import Undeclared
from fieldwise.values import ONLY_BLANK, AbsentWords, Json, canonical, is_absent, same, written

_NOTHING: Mapping[str, Json] = {}
MIN_SELECTIVE_WEIGHT = 0.2
"""The share of the weight that fields with few candidates must have; below it certainty is too rare."""


class ObjectPlan(PlanNode[ObjectResult]):
    """An object with every setting resolved; ``fields`` are its nodes by JSON name."""

    def __init__(
        self,
        *,
        path: str,
        name: str,
        fields: Mapping[str, PlanNode[Result]],
        threshold: float,
        match_threshold: float,
        weight: float,
        clip: bool,
        sources: Mapping[str, str],
        extras: Undeclared | None = None,
        absent: AbsentWords = ONLY_BLANK,
        outside: frozenset[str] = frozenset(),
        identical_first: bool = True,
        work: Work,
    ) -> None:
        self.path, self.name, self.fields, self.work = path, name, dict(fields), work
        self.threshold, self.match_threshold = threshold, match_threshold
        self.weight, self.clip, self.sources = weight, clip, sources
        self.extras, self.outside, self.absent = extras, outside, absent
        """How predicted keys that no field declares count, and the paths that the spec knows to be outside of it."""
        self.identical_first = identical_first
        self._items = tuple(self.fields.items())
        self.numbered = tuple(
            (at, name, node.quick_type, node.absent.starts if node.quick_type is str else "", node.pair)
            for at, (name, node) in enumerate(self._items)
        )
        self._equal = tuple(
            (at, name, kind, starts, self.fields[name].pair_equal) for at, name, kind, starts, _ in self.numbered
        )
        self.names = tuple(self.fields)
        self.sorted_names = tuple(sorted(self.fields))
        self.is_flat = bool(self.fields) and all(type(node) is LeafPlan for node in self.fields.values())
        """Whether there are only leaves in it."""
        self.is_costly = any(node.is_costly for node in self.fields.values())
        self.has_loose_keys = any(node.has_loose_keys for node in self.fields.values())
        self.holds_lists = any(node.holds_lists for node in self.fields.values())
        self.weights = tuple(node.weight for node in self.fields.values())
        self.holders = tuple(at for at, node in enumerate(self.fields.values()) if not node.is_value)
        """The positions of the fields that may hold an object."""
        self.inner = tuple((name, node) for name, node in self._items if type(node) is not LeafPlan)
        self.all_same = (SAME,) * len(self.fields) if identical_first or any(self.weights) else None
        """The children of an object all of whose values are the same; None where that does not give it a score of 1."""
        self.selective = _selective(self.fields, sum(self.weights))
        self.full_scores = dict.fromkeys(self.fields, 1.0)
        """The scores of the fields where all values are the same."""
        self.total_weight = reduce(add, self.weights, 0.0)  # not sum(): newer Pythons round it otherwise

    def pair(self, expected: Json, predicted: Json) -> ObjectResult:
        reads = FIELD_READERS.get(type(expected), mapping_of)  # `mapping_of`, without a call where that is known
        e = reads(expected)
        p = (reads if type(predicted) is type(expected) else mapping_of)(predicted)
        if e is None or p is None:
            return self._pair_not_objects(expected, predicted)
        return self.pair_fields(e, p, expected, predicted)

    def pair_fields(
        self, e: Mapping[str, Json], p: Mapping[str, Json], expected: Json, predicted: Json
    ) -> ObjectResult:
        """Compare two objects whose fields were read; views know ``all_same`` by identity."""
        children = compared(self.numbered, e, p)
        if children is not None:
            return self._added(tuple(children), expected, predicted)
        if self.all_same is not None:
            return matching_object(self, 1.0, 1.0, self.all_same, expected, predicted)
        return self._added((SAME,) * len(self.fields), expected, predicted)

    def _judged(self, children: tuple[Result, ...], expected: Json, predicted: Json) -> ObjectResult:
        """Return the result of two objects whose fields were compared, any of which may be the same."""
        if children == self.all_same:
            return matching_object(self, 1.0, 1.0, self.all_same, expected, predicted)
        return self._added(children, expected, predicted)

    def _added(self, children: tuple[Result, ...], expected: Json, predicted: Json) -> ObjectResult:
        """Add up the children.

        What both sides lack counts in full in the mean score, and not at all in the similarity.
        """
        raw_total = present_weight = total = 0.0
        has_both = has_missed = has_spurious = False
        for child, weight in zip(children, self.weights):  # noqa: B905  # the hottest loop
            if child is SAME:
                total += weight
                raw_total += weight
                present_weight += weight
                has_both = True
                continue
            outcome = child.outcome
            total += weight * child.score
            if outcome is ABSENT:
                continue
            raw_total += weight * child.raw_score
            present_weight += weight
            if outcome is MISSED:
                has_missed = True
            elif outcome is SPURIOUS:
                has_spurious = True
            else:
                has_both = True
        has_expected, has_predicted = has_both or has_missed, has_both or has_spurious
        similarity = raw_total / present_weight if present_weight else self._without_weight(children)
        if self.total_weight:
            mean_score = total / self.total_weight
        else:
            mean_score = self._without_weight(children) if self.identical_first else 0.0
        if has_expected and has_predicted and similarity >= self.threshold:
            return matching_object(self, similarity, mean_score, children, expected, predicted)
        if has_expected and has_predicted:
            scores = MISMATCH, mean_score, 0.0 if self.clip else similarity
        elif has_expected or has_predicted:
            scores = MISSED if has_expected else SPURIOUS, 0.0, 0.0
        else:
            scores = ABSENT, 1.0, 1.0
        return ObjectResult(*scores, self, similarity, mean_score, children, expected, predicted)

    def _without_weight(self, children: tuple[Result, ...]) -> float:
        """Return 1.0 where no value differs, else 0.0: the similarity of objects whose present values weigh nothing."""
        return float(
            all(child.outcome is ABSENT or (self.identical_first and child.raw_score == 1.0) for child in children)
        )

    def _pair_not_objects(self, expected: Json, predicted: Json) -> ObjectResult:
        """Compare where a side is no object: it is absent, or something else is in its place."""
        if type(expected) is AnyOf:
            return best_alternative(self, expected, predicted)[1]
        e, p = mapping_of(expected), mapping_of(predicted)
        judged = self._judged(
            tuple([node.pair((e or _NOTHING).get(k), (p or _NOTHING).get(k)) for k, node in self._items]),
            expected,
            predicted,
        )
        e_wrong = e is None and not is_absent(expected, self.absent)
        p_wrong = p is None and not is_absent(predicted, self.absent)
        if not (e_wrong or p_wrong):
            return judged
        equal = e_wrong and p_wrong and same(expected, predicted)
        outcome = outcome_of_wrong_shape(
            e_wrong or judged.outcome is MISSED, p_wrong or judged.outcome is SPURIOUS, equal=equal
        )
        value = float(equal)
        return judged._replace(
            outcome=outcome,
            raw_score=value,
            score=value,
            similarity=value,
            mean_score=value,
            wrong_shape=True,
            note="type",
        )

    def grid(self, expected: Sequence[Json], predicted: Sequence[Json]) -> NodeGrid[ObjectResult]:
        e, p = columns_of(self, expected), columns_of(self, predicted)
        if e is None or p is None:
            return CellGrid(self, expected, predicted)
        return ObjectGrid(self, expected, predicted, e, p)

    def has_value(self, value: Json) -> bool:
        mapping = mapping_of(value)
        if mapping is None:
            return not is_absent(value, self.absent)
        for name, node in self._items:  # noqa: SIM110  # any() of a generator is slower
            if node.has_value(mapping.get(name)):
                return True
        return False

    @property
    def accept(self) -> float:
        return self.match_threshold

    def content(self, value: Json, view: View) -> str:
        mapping = mapping_of(value)
        if mapping is None:
            return super().content(value, view)
        parts = [
            f"{written(name)}:{content_of(self.fields[name], mapping[name], view)}"
            for name in self.sorted_names
            if name in mapping and (view != "identical" or not is_absent(mapping[name], self.fields[name].absent))
        ]
        others = {} if view != "whole" else {name: mapping[name] for name in mapping if name not in self.fields}
        return f"{{{','.join(parts)}}}{undeclared_content(others) if others else ''}"

    def cells(self, expected: Sequence[Json], predicted: Sequence[Json]) -> int:
        """Count the pairs of objects once, and what their fields take beyond that."""
        once = len(expected) * len(predicted)
        e, p = (_columns(self, mappings_of(side)) for side in (expected, predicted))
        fields = [node.cells(left, right) for (_, node), left, right in zip(self._items, e, p, strict=True)]
        return once + sum([cells - once for cells in fields if cells > once])

    def keys(self, values: Sequence[Json]) -> Sequence[Hashable]:
        maps = mappings_of(values)
        columns = [node.keys(c) for (_, node), c in zip(self._items, _columns(self, maps), strict=True)]
        if not columns:
            return [
                NOTHING if is_absent(value, self.absent) or mapping is not None else NO_KEY
                for value, mapping in zip(values, maps, strict=True)
            ]
        keys = zip(*columns, strict=True)
        if all(maps) and not any(id(NO_KEY) in map(id, column) for column in columns):
            return [
                self._key(key, value) if key[0] is NOTHING else key for key, value in zip(keys, values, strict=True)
            ]
        return [self._key(key, value) for key, value in zip(keys, values, strict=True)]

    def _key(self, key: tuple[Hashable, ...], value: Json) -> Hashable:
        """Return the key of an object, or of what stands in its place."""
        if not is_absent(value, self.absent) and mapping_of(value) is None:
            comparable = self.identical_first and type(value) is not AnyOf
            return (WRONG_SHAPE, canonical(value)) if comparable else NO_KEY
        if any(part is NO_KEY for part in key):
            return NO_KEY
        return NOTHING if all(part is NOTHING for part in key) else key

    def loose_keys(self, keys: Sequence[Hashable]) -> Sequence[Hashable]:
        rows = [at for at, key in enumerate(keys) if type(key) is tuple and key and key[0] is not WRONG_SHAPE]
        columns = zip(*[keys[at] for at in rows], strict=True)
        loose = [node.loose_keys(column) for (_, node), column in zip(self._items, columns, strict=False)]
        found = list(keys)
        for at, key in zip(rows, zip(*loose, strict=True), strict=False):
            found[at] = key
        return found

    def pair_near(self, expected: Json, predicted: Json, keys: tuple[Hashable, Hashable]) -> ObjectResult:
        e, p, (left, right) = mapping_of(expected), mapping_of(predicted), keys
        if e is None or p is None or type(left) is not tuple or type(right) is not tuple:
            return self.pair(expected, predicted)
        fields = zip(self._items, left, right, strict=True)
        children = [node.pair_near(e.get(name), p.get(name), (a, b)) for (name, node), a, b in fields]
        return self._judged(tuple(children), expected, predicted)

    def pair_equal(self, expected: Json, predicted: Json) -> ObjectResult:
        e, p = mapping_of(expected), mapping_of(predicted)
        if e is None or p is None:
            return self.pair(expected, predicted)
        children = compared(self._equal, e, p)
        return self._judged((SAME,) * len(self.fields) if children is None else tuple(children), expected, predicted)


def _selective(fields: Mapping[str, PlanNode[Result]], total: float) -> tuple[tuple[str, LeafPlan], ...]:
    """Return the leaves whose values agree with few others, if they weigh enough to make a pairing certain."""
    leaves = [
        (name, leaf)
        for name, leaf in fields.items()
        if isinstance(leaf, LeafPlan) and leaf.weight and not leaf.alternates and leaf.selective
    ]
    return tuple(leaves) if sum(leaf.weight for _, leaf in leaves) >= MIN_SELECTIVE_WEIGHT * total > 0 else ()


def column(values: Sequence[Json], name: str) -> list[Json]:
    """Return the values of one field over many objects; None where there is none."""
    return [(mapping_of(value) or _NOTHING).get(name) for value in values]


def columns_of(plan: ObjectPlan, values: Sequence[Json]) -> list[Sequence[Json]] | None:
    """Return the values of each declared field over many objects; None where something else stands among them."""
    maps = mappings_of(values)
    have_values = (m is not None or is_absent(value, plan.absent) for m, value in zip(maps, values, strict=True))
    if _are_objects(maps) or all(have_values):
        return _columns(plan, maps)
    return None


def _columns(plan: ObjectPlan, maps: Sequence[Mapping[str, Json] | None]) -> list[Sequence[Json]]:
    """Return the values of each declared field; null for what is no object."""
    rows = maps if _are_objects(maps) else [m or _NOTHING for m in maps]
    if len(plan.names) > 1 and rows:
        try:
            return list(zip(*map(itemgetter(*plan.names), rows), strict=True))
        except KeyError:
            pass  # a field is missing somewhere
    return [[row.get(name) for row in rows] for name in plan.names]


def _are_objects(mappings: Sequence[Mapping[str, Json] | None]) -> TypeGuard[Sequence[Mapping[str, Json]]]:
    return None not in mappings


def outcome_of_wrong_shape(has_expected: bool, has_predicted: bool, *, equal: bool) -> Outcome:
    """Return the outcome where a side has something of another kind than the declared one."""
    if has_expected and has_predicted:
        return MATCH if equal else MISMATCH
    return MISSED if has_expected else SPURIOUS


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
            _any_column([g.has_expected for g in self.grids], len(expected)),
            _any_column([g.has_predicted for g in self.grids], len(predicted)),
        )

    @lazy
    def similarity(self) -> Floats:
        total = np.zeros(self.shape)
        left: float | Floats = 0.0
        for grid, weight in zip(self.grids, self.plan.weights, strict=True):
            total += grid.raw_score if weight == 1.0 else weight * grid.raw_score
            both = grid.both_absent()
            left = left + (weight if both is None else np.where(both, 0.0, weight))
        if isinstance(left, float):
            return total / left if left else self._without_weight()
        with np.errstate(divide="ignore", invalid="ignore"):
            mean = np.where(left > 0, total / left, 0.0 if left.all() else self._without_weight())
        both = self.both_absent()
        return mean if both is None else np.where(both, 1.0, mean)

    @lazy
    def mean_score(self) -> Floats:
        total = np.zeros(self.shape)
        for grid, weight in zip(self.grids, self.plan.weights, strict=True):
            total += weight * grid.score
        return total / self.plan.total_weight if self.plan.total_weight else self._without_weight()

    def _without_weight(self) -> Floats:
        """Return for every cell 1.0 where no value differs, else 0.0, as `ObjectPlan` does for a pair."""
        alike = np.full(self.shape, self.plan.identical_first)
        for grid in self.grids:
            both = grid.both_absent()
            alike &= (grid.raw_score == 1.0) if both is None else (grid.raw_score == 1.0) | both
        return alike.astype(np.float64)

    @lazy
    def raw_score(self) -> Floats:
        return np.where(self._both_present, self.mean_score, 0.0)

    @lazy
    def score(self) -> Floats:
        similarity = self.similarity
        score = np.where(similarity >= self.plan.threshold, similarity, 0.0) if self.plan.clip else similarity
        score = np.where(self._both_present, score, 0.0)
        both = self.both_absent()
        return score if both is None else np.where(both, 1.0, score)

    @property
    def _both_present(self) -> NDArray[np.bool_]:
        return np.logical_and.outer(self.has_expected, self.has_predicted)

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
    for presence in columns:
        if all(presence):
            return presence
    return [any(presence[i] for presence in columns) for i in range(size)]
