"""Objects and rows of lists as wholes: what each of them counts, wherever it lies, decided here alone.

What is lost takes along the objects and rows inside, and so does what is invented. In a row without an accepted partner
nothing is right, and what neither side has counts nothing. A value in place of an object or a list is neither.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import Literal, NamedTuple, TypeAlias

from fieldwise.compare.leaves import LeafPlan
from fieldwise.compare.lists import ListPlan, items_of
from fieldwise.compare.nodes import PlanNode
from fieldwise.compare.objects import ObjectPlan
from fieldwise.compare.places import has_wrong_shape
from fieldwise.compare.results import (
    ABSENT,
    MATCH,
    MISMATCH,
    MISSED,
    SPURIOUS,
    LeafResult,
    ListResult,
    ObjectResult,
    Result,
    item_counts,
)

WholeKind: TypeAlias = Literal["object", "rows", "grid"]
"""An object, the rows of a list, or the rows of a list of lists of values, which has its values at the same path."""
Scope: TypeAlias = Literal["object", "rows"]
Five: TypeAlias = tuple[int, int, int, int, int]
_NOTHING: Five = (0, 0, 0, 0, 0)


class WholeAt(NamedTuple):
    """An object by its outcome, or a list by the outcomes of its rows: tp, fd, fa, fn and tn."""

    path: str
    kind: WholeKind
    counts: Five

    @property
    def key(self) -> str:
        """What tells it from other wholes and from values of the same path."""
        return f"{self.path}[{self.kind}]"


def kind_of(plan: PlanNode[Result]) -> WholeKind | None:
    """Return as what a node is counted whole; None for values and lists of values."""
    if isinstance(plan, ObjectPlan):
        return "object"
    if not isinstance(plan, ListPlan) or isinstance(plan.item, LeafPlan):
        return None
    item: PlanNode[Result] = plan.item
    while isinstance(item, ListPlan):
        item = item.item
    return "grid" if isinstance(item, LeafPlan) else "rows"


@lru_cache(maxsize=256)
def _declared_kinds(root: ObjectPlan) -> Mapping[str, WholeKind]:
    """Return which paths of a plan are objects or lists of rows, whatever the values."""
    kinds = {node.path: kind_of(node) for node in reversed([*_inner_nodes(root)])}
    return {path: kind for path, kind in kinds.items() if kind is not None}


def scopes_of(result: ObjectResult, *, by_objects: bool) -> dict[str, Scope]:
    """Return which nodes of a result count objects or rows; those of a list of lists count rows only ``by_objects``."""
    kinds = {**_declared_kinds(result.plan)}
    if _chooses_shapes(result.plan):
        kinds |= {whole.path: whole.kind for whole in wholes_of(result)}
    if by_objects:
        return {path: "object" if kind == "object" else "rows" for path, kind in kinds.items()}
    return {path: kind for path, kind in kinds.items() if kind != "grid"}


@lru_cache(maxsize=256)
def _chooses_shapes(root: ObjectPlan) -> bool:
    """Return whether values choose what a field is."""
    return not all(isinstance(node, ObjectPlan | ListPlan | LeafPlan) for node in _inner_nodes(root))


def _inner_nodes(root: ObjectPlan) -> Iterator[PlanNode[Result]]:
    """Yield every node below an object that is no leaf of it, and the items of lists."""
    for _, node in root.inner:
        yield node
        while isinstance(node, ListPlan):
            node = node.item
            if not isinstance(node, ObjectPlan):
                yield node
        if isinstance(node, ObjectPlan):
            yield from _inner_nodes(node)


def wholes_of(result: ObjectResult, *, apart: bool = False) -> Iterator[WholeAt]:
    """Yield every object and list in an object; ``apart``: it is a row without an accepted partner."""
    if result.plan.inner:
        for child in result.children:
            yield from wholes_in(child, apart=apart)


def wholes_in(result: Result, *, apart: bool = False) -> Iterator[WholeAt]:
    """Yield an object or a list, and all that lie inside."""
    if isinstance(result, LeafResult):
        return
    whole = whole_at(result, apart=apart)
    if whole is not None:
        yield whole
    if isinstance(result, ObjectResult):
        yield from wholes_of(result, apart=apart)
    elif whole is not None:
        yield from _inside_rows(result, apart=apart)


def wholes_of_unpaired_rows(result: ListResult) -> Iterator[WholeAt]:
    """Yield what lies in rows of a list that have no accepted partner."""
    yield from _inside_rows(result, apart=False, only_apart=True)


def whole_at(result: ObjectResult | ListResult, *, apart: bool = False) -> WholeAt | None:
    """Return what an object, or the rows of a list, count; None for a list of values."""
    kind = kind_of(result.plan)
    if kind is None:
        return None
    counts = _object_counts(result) if isinstance(result, ObjectResult) else _row_counts(result)
    if apart:
        tp, fd, fa, fn, _ = counts
        counts = 0, tp + fd, fa, fn, 0
    return WholeAt(result.plan.path, kind, counts)


def _object_counts(result: ObjectResult) -> Five:
    outcome = result.outcome
    if result.wrong_shape and has_wrong_shape(result, result.expected):
        if outcome is not MISMATCH or has_wrong_shape(result, result.predicted):
            return _NOTHING
        outcome = SPURIOUS
    elif result.wrong_shape and outcome is SPURIOUS:
        return _NOTHING
    tp, fd, fa, fn, tn = (int(outcome is one) for one in (MATCH, MISMATCH, SPURIOUS, MISSED, ABSENT))
    return tp, fd, fa, fn, tn


def _row_counts(result: ListResult) -> Five:
    if result.outcome is None:
        return item_counts(result)
    is_nothing = result.outcome is ABSENT and not result.wrong_shape
    return 0, 0, len(result.spurious), len(result.missed), int(is_nothing)


def _inside_rows(result: ListResult, *, apart: bool, only_apart: bool = False) -> Iterator[WholeAt]:
    item = result.plan.item
    if isinstance(item, ObjectPlan) and not item.inner:
        return
    for pair in result.pairs:
        if not (only_apart and pair.accepted):
            yield from wholes_in_row(pair.result, apart=apart or not pair.accepted)
    if result.missed:
        expected = items_of(result.expected) or ()
        for i in result.missed:
            yield from wholes_in_row(item.pair(expected[i], None), apart=True)
    if result.spurious:
        predicted = items_of(result.predicted) or ()
        for j in result.spurious:
            yield from wholes_in_row(item.pair(None, predicted[j]), apart=True)


def wholes_in_row(row: Result, *, apart: bool) -> Iterator[WholeAt]:
    """Yield what lies in a row, which is counted with its list; the items of a list that is a row are no rows."""
    if isinstance(row, ObjectResult):
        yield from wholes_of(row, apart=apart)
    elif isinstance(row, ListResult):
        yield from _inside_rows(row, apart=apart)
