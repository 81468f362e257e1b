"""Every leaf of a comparison as one place: the rule that leaves are the unit of truth, decided here alone.

A leaf of a missed item is missed, of an invented item spurious; in a rejected row, a pair below the match threshold,
two values are a mismatch, whatever their score. Where such a row has nothing on either side, nothing is counted.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from fieldwise.checks import shown
from fieldwise.compare.leaves import LeafPlan
from fieldwise.compare.lists import items_of
from fieldwise.compare.nodes import PlanNode, field_path, maker, mapping_of
from fieldwise.compare.objects import ObjectPlan
from fieldwise.compare.results import (
    ABSENT,
    BOTH_ABSENT,
    MATCH,
    MISMATCH,
    MISSED,
    ONLY_PREDICTED,
    SPURIOUS,
    LeafResult,
    ListResult,
    ObjectResult,
    Outcome,
    Pair,
    Result,
)
from fieldwise.compare.undeclared import UndeclaredKeys, unknown_items
from fieldwise.depth import MAX_LEVEL
from fieldwise.errors import quoted
from fieldwise.spec import escape
from fieldwise.text import cut, one_line
from fieldwise.values import Json, children, is_absent, is_list, is_object, is_scalar, within_bounds

MAX_SHOWN = 40
"""So much is shown of what is in place of an object or a list."""


class Row(NamedTuple):
    """The pair of list items around a place: the outermost one that was rejected, else the innermost one.

    ``similarity`` is None for an item without a partner; ``threshold`` is what a rejected pair does not reach.
    """

    similarity: float | None
    accepted: bool
    threshold: float | None = None


class Misfit(NamedTuple):
    """What a prediction has in place of an object or a list, at the field of that."""

    field: str
    value: Json
    belongs: str
    """What the field declares: a list, or an object."""

    def __str__(self) -> str:
        """Say it in words."""
        return f"{self.field or 'the document'} is predicted as {self.shown}, not as {self.belongs}"

    @property
    def shown(self) -> str:
        """The value as a short text; what is in an object or a list is left out."""
        if is_object(self.value) or is_list(self.value):
            return "an object" if is_object(self.value) else "a list"
        if isinstance(self.value, bool):
            return str(self.value).lower()
        if isinstance(self.value, str):
            return quoted(cut(one_line(self.value[: MAX_SHOWN + 1]), MAX_SHOWN))
        return shown(self.value)


class LeafAt(NamedTuple):
    """One leaf, with the plan that judged it; ``plan`` is None for a key that no field declares.

    ``misfit`` is why it is missed, where the prediction has something else than the object or list that it belongs to.
    """

    field: str
    path: str
    predicted_path: str
    expected: Json
    predicted: Json
    outcome: Outcome
    result: LeafResult
    plan: PlanNode[Result] | None
    weight: float
    row: Row | None
    misfit: Misfit | None = None

    @property
    def is_right_in_rejected_row(self) -> bool:
        """Whether the values match and count as a mismatch because their row was rejected."""
        return self.outcome is MISMATCH and self.result.outcome is MATCH


class _Location(NamedTuple):
    """A position in the walk: the two addresses, the product of weights, the list row and the misfit around it."""

    path: str
    predicted: str
    weight: float
    row: Row | None
    misfit: Misfit | None = None

    @property
    def rejected(self) -> bool:
        return self.row is not None and not self.row.accepted

    def field(self, name: str, weight: float) -> _Location:
        step = escape(name)
        if not self.path:
            return _Location(step, step, self.weight * weight, self.row, self.misfit)
        return _Location(f"{self.path}.{step}", f"{self.predicted}.{step}", self.weight * weight, self.row, self.misfit)

    def item(self, expected: int | None, predicted: int | None, row: Row) -> _Location:
        e = predicted if expected is None else expected
        p = expected if predicted is None else predicted
        inner = self.row if self.rejected else row
        return _Location(f"{self.path}[{e}]", f"{self.predicted}[{p}]", self.weight, inner, self.misfit)


_ROOT = _Location("", "", 1.0, None)


def leaves_of(result: ObjectResult, keys: UndeclaredKeys | None) -> Iterator[LeafAt]:
    """Yield every leaf of a comparison, declared ones first, then those of undeclared keys that are spurious.

    Without ``keys`` only declared leaves are looked at.
    """
    yield from _object(result, _ROOT, keys)


def leaves_below(node: PlanNode[Result], result: Result, weight: float, keys: UndeclaredKeys) -> Iterator[LeafAt]:
    """Yield the leaves of a part of a comparison, as by `leaves_of`; their paths begin at the part."""
    yield from _walk(node, result, None, None, _ROOT._replace(weight=weight), keys)


def undeclared_leaves(result: ObjectResult, keys: UndeclaredKeys) -> Iterator[LeafAt]:
    """Yield the spurious leaves under the keys of a predicted object that its plan does not declare."""
    yield from _unknown_keys(result.plan, result.predicted, _ROOT, keys)


def leaves_of_unpaired_rows(result: ListResult, weight: float, keys: UndeclaredKeys) -> Iterator[LeafAt]:
    """Yield the leaves of a list that are not those of an accepted pair."""
    yield from _list(result, _ROOT._replace(weight=weight), keys, only_apart=True)


def _walk(
    node: PlanNode[Result], result: Result, e: Json, p: Json, where: _Location, keys: UndeclaredKeys | None
) -> Iterator[LeafAt]:
    if isinstance(result, LeafResult):
        yield from _leaf(node.leaf, result, e, p, where)
    elif isinstance(result, ObjectResult):
        yield from _object(result, where, keys)
    else:
        yield from _list(result, where, keys)


def _leaf(plan: PlanNode[Result], result: LeafResult, e: Json, p: Json, where: _Location) -> Iterator[LeafAt]:
    outcome = result.outcome
    if where.rejected:
        if outcome is ABSENT:
            return
        if outcome is MATCH:
            outcome = MISMATCH
    misfit = where.misfit if outcome is MISSED else None
    yield LeafAt(plan.path, where.path, where.predicted, e, p, outcome, result, plan, where.weight, where.row, misfit)


def _object(result: ObjectResult, where: _Location, keys: UndeclaredKeys | None) -> Iterator[LeafAt]:
    plan = result.plan
    inside = _inside(result, where) if result.wrong_shape else where
    e, p = mapping_of(result.expected) or {}, mapping_of(result.predicted) or {}
    for (name, child), sub in zip(plan.fields.items(), result.children, strict=True):
        yield from _walk(child, sub, e.get(name), p.get(name), inside.field(name, child.weight), keys)
    if keys:
        keys.look_at(plan, result.expected)
        yield from _unknown_keys(plan, result.predicted, where, keys)
    if result.wrong_shape:
        yield from _wrong_shape(result, where)


def _wrong_shape(result: ObjectResult | ListResult, where: _Location) -> Iterator[LeafAt]:
    """A value of another kind is itself a leaf, unless expected leaves belong there, which are then missed."""
    e_wrong, p_wrong = has_wrong_shape(result, result.expected), has_wrong_shape(result, result.predicted)
    if p_wrong and not e_wrong and result.outcome is MISMATCH:
        return
    outcome = result.outcome if e_wrong == p_wrong or result.outcome is not MISMATCH else MISSED
    assert outcome is not None
    leaf = LeafResult(outcome, result.raw_score, result.score, "type")
    yield from _leaf(result.plan, leaf, result.expected, result.predicted, where)


def _inside(result: ObjectResult | ListResult, where: _Location) -> _Location:
    """Return where the leaves are that belong in an object or a list, which a side may have something else for."""
    if not has_wrong_shape(result, result.predicted):
        return where
    belongs = "a list" if isinstance(result, ListResult) else "an object"
    return where._replace(misfit=Misfit(result.plan.path, result.predicted, belongs))


def has_wrong_shape(result: ObjectResult | ListResult, value: Json) -> bool:
    """Return whether a side of an object or a list has something else, and not nothing."""
    proper = items_of(value) if isinstance(result, ListResult) else mapping_of(value)
    return proper is None and not is_absent(value, result.plan.absent)


def _list(
    result: ListResult, where: _Location, keys: UndeclaredKeys | None, *, only_apart: bool = False
) -> Iterator[LeafAt]:
    item = result.plan.item
    if result.wrong_shape:
        yield from _wrong_shape(result, where)
        where = _inside(result, where)
    if result.outcome is ABSENT:
        if isinstance(item, LeafPlan):
            yield from _leaf(item, BOTH_ABSENT, result.expected, result.predicted, where)
    else:
        pairs = [pair for pair in result.pairs if not pair.accepted] if only_apart else result.pairs
        yield from _items(result, pairs, where, keys)
    if keys and not isinstance(item, LeafPlan):
        yield from _unknown_in_dropped(result, where, keys)


def _items(
    result: ListResult, pairs: Sequence[Pair], where: _Location, keys: UndeclaredKeys | None
) -> Iterator[LeafAt]:
    e, p, item = items_of(result.expected) or (), items_of(result.predicted) or (), result.plan.item
    leaves = isinstance(item, LeafPlan)
    for pair in pairs:
        i, j = pair.expected_index, pair.predicted_index
        row = Row(pair.similarity, True)
        if not (pair.accepted or leaves):
            row = Row(pair.similarity, False, maker(item, pair.result).accept)
        yield from _walk(item, pair.result, e[i], p[j], where.item(i, j, row), keys)
    alone = Row(None, False)
    for i in result.missed:
        yield from _walk(item, item.pair(e[i], None), e[i], None, where.item(i, None, alone), keys)
    for j in result.spurious:
        yield from _walk(item, item.pair(None, p[j]), None, p[j], where.item(None, j, alone), keys)


def _unknown_in_dropped(result: ListResult, where: _Location, keys: UndeclaredKeys) -> Iterator[LeafAt]:
    """Look for undeclared keys in items of which no declared leaf has a value."""
    item = result.plan.item
    if len(result.pairs) + len(result.missed) < len(items_of(result.expected) or ()):
        keys.in_expected = True
    seen = {pair.predicted_index for pair in result.pairs} | set(result.spurious)
    for j, value in enumerate(items_of(result.predicted) or ()):
        if j not in seen and not is_absent(value, item.absent):
            at = where.item(None, j, Row(None, False))
            yield from _walk(item, item.pair(None, value), None, value, at, keys)


def _unknown_keys(plan: ObjectPlan, predicted: Json, where: _Location, keys: UndeclaredKeys) -> Iterator[LeafAt]:
    for name, value in unknown_items(plan, predicted):
        at = where.field(name, 1.0)
        yield from _invented(value, field_path(plan.path, name), at, keys)


def _invented(value: Json, field: str, where: _Location, keys: UndeclaredKeys) -> Iterator[LeafAt]:
    todo = [(within_bounds(value), field, where, 0)]
    while todo:
        value, field, where, level = todo.pop()
        if is_scalar(value) or level > MAX_LEVEL:
            if not is_absent(value, keys.absent) and not keys.leaves_out(field):
                yield LeafAt(
                    field,
                    where.path,
                    where.predicted,
                    None,
                    value,
                    SPURIOUS,
                    ONLY_PREDICTED,
                    None,
                    1.0,
                    where.row,
                )
            continue
        for key, child in reversed(list(children(value) or ())):
            if isinstance(key, int):
                at = where._replace(path=f"{where.path}[{key}]", predicted=f"{where.predicted}[{key}]")
                todo.append((child, field, at, level + 1))
            else:
                todo.append((child, field_path(field, key), where.field(key, 1.0), level + 1))
