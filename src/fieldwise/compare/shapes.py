"""Fields whose values choose how they are compared: one of several shapes, and definitions that hold themselves."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from functools import cached_property

from fieldwise.comparators.base import CALL
from fieldwise.compare.contents import View
from fieldwise.compare.leaves import LeafPlan
from fieldwise.compare.lists import ListPlan
from fieldwise.compare.nodes import NO_KEY, NOTHING, CellGrid, NodeGrid, PlanNode, mapping_of
from fieldwise.compare.objects import ObjectPlan
from fieldwise.compare.results import AnyOf, Result
from fieldwise.spec.nodes import Kind
from fieldwise.values import Json, is_absent, is_list, is_object


class ShapePlan(PlanNode[Result]):
    """A field of several shapes: two objects are compared as such, two lists too, the rest by one comparator."""

    holds_lists = True

    def __init__(self, *, path: str, arms: Sequence[PlanNode[Result]], otherwise: LeafPlan) -> None:
        self.path, self.arms, self.otherwise, self.leaf = path, tuple(arms), otherwise, otherwise
        self.weight, self.sources, self.work = otherwise.weight, otherwise.sources, otherwise.work
        self.absent = otherwise.absent
        self._objects = [arm for arm in arms if isinstance(arm, ObjectPlan)]
        self._lists = [arm for arm in arms if isinstance(arm, ListPlan)]
        self._kinds: set[Kind] = {arm.kind for arm in arms if isinstance(arm, LeafPlan)}

    def arm_for(self, expected: Json, predicted: Json) -> PlanNode[Result]:
        """Return the node that compares two values."""
        if self._objects and self._all_of(is_object, expected, predicted):
            return max(self._objects, key=lambda arm: _known_keys(arm, expected))
        if self._lists and self._all_of(is_list, expected, predicted):
            return self._lists[0]
        return self.otherwise

    def _all_of(self, test: Callable[[Json], bool], expected: Json, predicted: Json) -> bool:
        sides = [value for value in (expected, predicted) if not is_absent(value, self.absent)]
        return bool(sides) and all(map(test, sides))

    def pair(self, expected: Json, predicted: Json) -> Result:
        arm = self.arm_for(expected, predicted)
        if arm is self.otherwise:
            return self.otherwise.pair(self._read(expected), self._read(predicted))
        return arm.pair(expected, predicted)

    def _read(self, value: Json) -> Json:
        return float(value) if type(value) is int and self._whole_is_float and abs(value) < 2**53 else value

    @cached_property
    def _whole_is_float(self) -> bool:
        return "number" in self._kinds and "integer" not in self._kinds

    def grid(self, expected: Sequence[Json], predicted: Sequence[Json]) -> NodeGrid[Result]:
        return CellGrid(self, expected, predicted)

    def has_value(self, value: Json) -> bool:
        return self.arm_for(value, None).has_value(value)

    def content(self, value: Json, view: View) -> str:
        return self.arm_for(value, None).content(value, view)

    def cells(self, expected: Sequence[Json], predicted: Sequence[Json]) -> int:
        cells = max(len(expected) * len(predicted) * CALL, self.otherwise.cells(expected, predicted))
        for arm, fits in ((self._objects[:1], is_object), (self._lists[:1], is_list)):
            for node in arm:
                cells += node.cells([v for v in expected if fits(v)], [v for v in predicted if fits(v)])
        return cells

    def keys(self, values: Sequence[Json]) -> Sequence[Hashable]:
        return list(map(self._key, values))

    def _key(self, value: Json) -> Hashable:
        """Return the key that the arm for a value has, with the arm."""
        if type(value) is AnyOf:
            return NO_KEY
        arm = self.arm_for(value, None)
        (key,) = arm.keys([self._read(value) if arm is self.otherwise else value])
        return key if key is NOTHING or key is NO_KEY else (id(arm), key)

    @property
    def accept(self) -> float:
        arms: list[PlanNode[Result]] = [self.otherwise, *self._objects, *self._lists]
        return min(arm.accept for arm in arms)


class RefPlan(PlanNode[Result]):
    """A definition that holds itself, compiled one level at a time when a document goes that deep.

    Nothing on either side ends the recursion: the place is then one absent leaf, ``end``.
    """

    holds_lists = True

    def __init__(self, *, end: LeafPlan, weight: float, compile_: Callable[[], PlanNode[Result]]) -> None:
        self.path, self.end, self.weight, self.sources, self.work = end.path, end, weight, end.sources, end.work
        self.absent, self._compile = end.absent, compile_

    @cached_property
    def target(self) -> PlanNode[Result]:
        return self._compile()

    @property
    def leaf(self) -> LeafPlan:  # type: ignore[override]  # known once the target is compiled
        return self.target if isinstance(self.target, LeafPlan) else self.end

    def pair(self, expected: Json, predicted: Json) -> Result:
        if is_absent(expected, self.absent) and is_absent(predicted, self.absent):
            return self.end.pair(None, None)
        return self.target.pair(expected, predicted)

    def grid(self, expected: Sequence[Json], predicted: Sequence[Json]) -> NodeGrid[Result]:
        if self._are_absent(expected) or self._are_absent(predicted):
            return CellGrid(self, expected, predicted)
        return self.target.grid(expected, predicted)

    def _are_absent(self, values: Sequence[Json]) -> bool:
        return all(is_absent(value, self.absent) for value in values)

    def has_value(self, value: Json) -> bool:
        return not is_absent(value, self.absent) and self.target.has_value(value)

    def content(self, value: Json, view: View) -> str:
        return (self.end if is_absent(value, self.absent) else self.target).content(value, view)

    def cells(self, expected: Sequence[Json], predicted: Sequence[Json]) -> int:
        if self._are_absent(expected) or self._are_absent(predicted):
            return len(expected) * len(predicted)
        return self.target.cells(expected, predicted)

    def keys(self, values: Sequence[Json]) -> Sequence[Hashable]:
        present = [value for value in values if not is_absent(value)]
        keys = iter(self.target.keys(present) if present else ())
        return [NOTHING if is_absent(value) else next(keys) for value in values]

    @property
    def accept(self) -> float:
        return self.target.accept


def _known_keys(arm: ObjectPlan, value: Json) -> int:
    return len(arm.fields.keys() & (mapping_of(value) or {}).keys())
