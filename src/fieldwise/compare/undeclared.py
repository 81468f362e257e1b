"""Keys that no field declares: which of their values are outside the spec, and which count as spurious.

A path, without list positions, is outside the spec where the sample of expected documents or the expected document
itself has the key there, with a value or null. What is predicted under any other undeclared key is spurious.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cached_property

from fieldwise.compare.lists import ListPlan, items_of
from fieldwise.compare.nodes import PlanNode, field_path, mapping_of
from fieldwise.compare.objects import ObjectPlan
from fieldwise.compare.results import AnyOf, Result
from fieldwise.compare.shapes import RefPlan, ShapePlan
from fieldwise.depth import MAX_LEVEL
from fieldwise.spec.nodes import Undeclared
from fieldwise.values import AbsentWords, Json, children, is_absent, is_scalar, key_text, within_bounds

_NONE: list[tuple[str, Json]] = []


class UndeclaredKeys:
    """What becomes of the undeclared keys of one pair of documents; ``predicted`` counts the values left out so far."""

    def __init__(self, root: ObjectPlan, expected: Json, extras: Undeclared) -> None:
        self._root, self._expected, self._ignored = root, expected, extras == "ignore"
        self.absent = root.absent
        self.predicted: dict[str, int] = {}
        self.in_expected = False
        """Whether an object that was looked at has undeclared keys in the expected document."""

    def look_at(self, plan: ObjectPlan, expected: Json) -> None:
        """Note whether an expected object has undeclared keys."""
        if not (type(expected) is dict and expected.keys() <= plan.fields.keys()):
            self.in_expected = True

    def expected(self) -> dict[str, int]:
        """Return how many expected values there are under undeclared keys, by path, once every object was looked at."""
        return undeclared_values(self._root, self._expected) if self.in_expected else {}

    def leaves_out(self, path: str) -> bool:
        """Return whether a predicted value under an undeclared key counts nowhere, and count it if so."""
        if not (self._ignored or path in self._root.outside or path in self._expected_paths):
            return False
        self.predicted[path] = self.predicted.get(path, 0) + 1
        return True

    def leaves_out_all(self, predicted: Json) -> bool:
        """Look at both documents and return whether no predicted value under an undeclared key is spurious."""
        self.look_at(self._root, self._expected)
        if not unknown_items(self._root, predicted):
            return True
        return all(value is None or self.leaves_out(path) for path, value in _keys(self._root, predicted))

    @cached_property
    def _expected_paths(self) -> frozenset[str]:
        return undeclared_paths(self._root, self._expected)


def unknown_items(plan: ObjectPlan, value: Json) -> list[tuple[str, Json]]:
    """Return the keys of an object that its plan does not declare, with their values."""
    known: Mapping[str, Json] = value if type(value) is dict else _may_be_unknown(value)
    if not known or known.keys() <= plan.fields.keys():
        return _NONE
    return [(key_text(name), v) for name, v in known.items() if name not in plan.fields]


def _may_be_unknown(value: Json) -> Mapping[str, Json]:
    extra: Mapping[str, Json] | None = getattr(value, "__pydantic_extra__", None)
    return extra if extra is not None else mapping_of(value) or {}


def undeclared_paths(root: ObjectPlan, document: Json) -> frozenset[str]:
    """Return the path of every key of a document that no field declares, and of the keys below it."""
    return frozenset(path for path, _ in _keys(root, document))


def undeclared_values(root: ObjectPlan, document: Json) -> dict[str, int]:
    """Return how many values a document has under undeclared keys, by path."""
    counts: dict[str, int] = {}
    for path, value in _keys(root, document):
        if value is not None:
            counts[path] = counts.get(path, 0) + 1
    return counts


def _keys(plan: PlanNode[Result], document: Json) -> Iterator[tuple[str, Json]]:
    """Yield the path of every undeclared key as often as it occurs; its value where that is a single present one."""
    for path, value in _undeclared(plan, document):
        yield from _below(path, value, plan.absent)


def _undeclared(plan: PlanNode[Result], value: Json) -> Iterator[tuple[str, Json]]:
    """Yield the undeclared keys of declared objects."""
    if type(value) is AnyOf:
        for alternative in value.values:
            yield from _undeclared(plan, alternative)
    elif isinstance(plan, ObjectPlan):
        for name, unknown in unknown_items(plan, value):
            yield field_path(plan.path, name), unknown
        known = mapping_of(value) or {}
        for name, node in plan.inner:
            yield from _undeclared(node, known.get(name))
    elif isinstance(plan, ListPlan):
        for item in items_of(value) or ():
            yield from _undeclared(plan.item, item)
    elif isinstance(plan, ShapePlan):
        yield from _undeclared(plan.arm_for(value, None), value)
    elif isinstance(plan, RefPlan) and value is not None:
        yield from _undeclared(plan.target, value)


def _below(path: str, value: Json, words: AbsentWords) -> Iterator[tuple[str, Json]]:
    todo = [(path, within_bounds(value), 0)]
    while todo:
        path, inner, level = todo.pop()
        if is_scalar(inner) or level > MAX_LEVEL:
            yield path, None if is_absent(inner, words) else inner
            continue
        yield path, None
        for key, child in reversed(list(children(inner) or ())):
            todo.append((path if isinstance(key, int) else field_path(path, key), child, level + 1))
