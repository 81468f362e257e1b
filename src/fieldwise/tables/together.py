"""Verdicts put together from what a run keeps: what is not among the errors is the same on both sides, or absent.

Nothing is compared again. The spec says where values are, and which texts stand for none; comparators are not needed.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa

from fieldwise.compare import Plan
from fieldwise.compare.leaves import LeafPlan
from fieldwise.compare.lists import ListPlan, items_of
from fieldwise.compare.nodes import PlanNode, mapping_of
from fieldwise.compare.objects import ObjectPlan
from fieldwise.compare.results import Result
from fieldwise.compare.shapes import RefPlan, ShapePlan
from fieldwise.spec import Object, Spec, escape
from fieldwise.tables.columns import optional, side, text_column
from fieldwise.tables.compared import side_columns
from fieldwise.tables.pairs import Pairing
from fieldwise.tables.verdict_columns import VERDICTS
from fieldwise.values import Json, is_absent

_NO_FIELDS = Object(fields={}, name="Document", origin="open", may_be_empty=True)
_COMPARATOR = ("comparator", "comparator-config")
_PREFIXES = ("x-aws-stickler-", "x-fieldwise-")
_AT = re.compile(r"\[(\d+)\]")


class Document(NamedTuple):
    """A document or a trial of it: its number in the run, its id, its class, and its pair as text."""

    number: int
    id: str
    trial: int
    document_class: str | None
    expected: str
    predicted: str
    beside: str | None


class _Unit(NamedTuple):
    """What was compared under one spec: a document, or a section of it."""

    number: int
    section: str | None
    document_class: str | None
    expected: Json
    predicted: Json
    said: Mapping[str, Any]


class _Same(NamedTuple):
    """A value that is the same on both sides."""

    field: str
    path: str
    predicted_path: str
    value: Json
    predicted: Json
    weight: float
    similarity: float


class _Place(NamedTuple):
    """Where the walk is: both paths, the product of weights, and how alike the row around it is."""

    path: str
    predicted_path: str
    weight: float
    similarity: float

    def field(self, name: str, weight: float) -> _Place:
        step = escape(name)
        if not self.path:
            return _Place(step, step, self.weight * weight, self.similarity)
        return self._replace(
            path=f"{self.path}.{step}", predicted_path=f"{self.predicted_path}.{step}", weight=self.weight * weight
        )


class Together:
    """Puts documents together by the spec of their run, as JSON Schema."""

    def __init__(self, schema: Mapping[str, Json]) -> None:
        self._schema = schema
        self._roots: dict[str | None, ObjectPlan] = {}
        self._weights: dict[tuple[str | None, str], float] = {}

    @cached_property
    def _spec(self) -> Spec:
        return Spec.from_json_schema(_without_comparators(self._schema))

    def root(self, document_class: str | None) -> ObjectPlan:
        """Return the plan by which documents of a class are laid out; a class that nobody expects has no fields."""
        if document_class not in self._roots:
            spec = self._spec
            if document_class is not None and spec.classes:
                names = {name.casefold(): name for name in spec.classes}
                own = names.get(document_class.casefold())
                spec = Spec(_NO_FIELDS, outside=frozenset()) if own is None else spec.classes[own]
            self._roots[document_class] = Plan.compile(spec).root
        return self._roots[document_class]

    def verdicts(self, documents: Sequence[Document], errors: pa.Table) -> pa.Table:
        """Return the verdicts of some documents, one after the other, given their errors."""
        units = [unit for document in documents for unit in _units(document)]
        wrong: dict[tuple[int, str | None], set[str]] = {}
        columns: Any = (errors[name].to_pylist() for name in ("document", "section", "path", "field", "predicted_path"))
        numbers, sections, paths, fields, predicted_paths = columns
        for number, section, path in zip(numbers, sections, paths, strict=True):
            if path is not None:
                wrong.setdefault((number, section), set()).add(path)
        same = [
            (unit, value)
            for unit in units
            for value in _same(
                self.root(unit.document_class),
                unit,
                wrong.get((unit.number, unit.section), frozenset()),
            )
        ]
        table: pa.Table = pa.concat_tables([self._same_rows(same), self._error_rows(errors)])
        places = {(unit.number, unit.section): at for at, unit in enumerate(units)}
        keys: list[Any] = [
            (places[unit.number, unit.section], self._rank(unit.document_class, value.field), _at(value.path))
            for unit, value in same
        ]
        classes = errors["class"].to_pylist()
        keys += [
            (places[number, section], self._rank(own, field), _at(predicted_path if path is None else path))
            for number, section, own, field, path, predicted_path in zip(
                numbers, sections, classes, fields, paths, predicted_paths, strict=True
            )
        ]
        ids = {document.number: (document.id, document.trial) for document in documents}
        order = sorted(range(len(keys)), key=keys.__getitem__)
        rows: Any = table["number"].to_pylist()
        named = [ids[number] for number in rows]
        table = table.append_column("document", text_column([name for name, _ in named]).dictionary_encode())
        table = table.append_column("trial", pa.array([trial for _, trial in named], pa.int32()))
        found: pa.Table = table.select(VERDICTS.names).take(pa.array(order, pa.int64())).cast(VERDICTS)
        return found

    def errors_only(self, ids: Sequence[str], trials: Sequence[int], errors: pa.Table) -> pa.Table:
        """Return errors as verdicts, given the id and the trial of each, in the same order."""
        columns: Any = (errors[name].to_pylist() for name in ("document", "class", "field", "path", "predicted_path"))
        sections: Any = [section or "" for section in errors["section"].to_pylist()]
        keys = [
            (document, section, self._rank(own, field), _at(predicted_path if path is None else path))
            for document, own, field, path, predicted_path, section in zip(*columns, sections, strict=True)
        ]
        table = self._error_rows(errors)
        table = table.append_column("document", text_column(ids).dictionary_encode())
        table = table.append_column("trial", pa.array(trials, pa.int32()))
        order = sorted(range(len(keys)), key=keys.__getitem__)
        found: pa.Table = table.select(VERDICTS.names).take(pa.array(order, pa.int64())).cast(VERDICTS)
        return found

    def _rank(self, document_class: str | None, field: str) -> tuple[int, str]:
        order = self._order(document_class)
        return order.get(field, len(order)), field

    def _order(self, document_class: str | None) -> Mapping[str, int]:
        """Return the place of each declared field."""
        if document_class not in self._orders:
            found = dict.fromkeys(_fields(self.root(document_class)))
            self._orders[document_class] = {field: at for at, field in enumerate(found)}
        return self._orders[document_class]

    @cached_property
    def _orders(self) -> dict[str | None, Mapping[str, int]]:
        return {}

    def weight(self, document_class: str | None, field: str) -> float:
        """Return what a value of a field weighs in a document of a class."""
        key = document_class, field
        if key not in self._weights:
            self._weights[key] = _weight_at(self.root(document_class), field, 1.0)
        return self._weights[key]

    def weights(self, fields: Iterable[str]) -> dict[str, float]:
        """Return the weight of each field; the largest where classes give it several."""
        classes: list[str | None] = [*self._spec.classes] or [None]
        return {field: max(self.weight(name, field) for name in classes) for field in fields}

    def _same_rows(self, same: Sequence[tuple[_Unit, _Same]]) -> pa.Table:
        size = len(same)
        ones: Any = np.ones(size)
        similarity = optional(np.array([value.similarity for _, value in same], np.float64))
        confidences = (unit.said.get("confidences", {}).get(value.predicted_path) for unit, value in same)
        usable = [sure if _is_share(sure) else None for sure in confidences]
        columns: dict[str, Any] = {
            "number": pa.array([unit.number for unit, _ in same], pa.int32()),
            "section": text_column([unit.section for unit, _ in same]),
            "class": text_column([unit.document_class for unit, _ in same]),
            "path": text_column([value.path for _, value in same]),
            "predicted_path": text_column([value.predicted_path for _, value in same]),
            "field": text_column([value.field for _, value in same]),
            "outcome": pa.array(["match"] * size, pa.string()),
            "score": pa.array(ones),
            "raw_score": pa.array(ones),
            **side_columns("expected", side([value.value for _, value in same])),
            **side_columns("predicted", side([value.predicted for _, value in same])),
            "weight": pa.array([value.weight for _, value in same], pa.float64()),
            "confidence": pa.array(usable, pa.float64()),
            "pair_score": similarity,
            "pair_accepted": pa.array([True] * size, pa.bool_(), mask=np.asarray(similarity.is_null())),
            "reason": pa.array([""] * size, pa.string()),
        }
        return _complete(columns, size)

    def _error_rows(self, errors: pa.Table) -> pa.Table:
        classes: Any = errors["class"].to_pylist()
        fields: Any = errors["field"].to_pylist()
        weights = [self.weight(own, field) for own, field in zip(classes, fields, strict=True)]
        columns: dict[str, Any] = {name: errors[name] for name in errors.column_names if name != "document"}
        columns |= {"number": errors["document"], "weight": pa.array(weights, pa.float64())}
        return _complete(columns, len(errors))


def _complete(columns: Mapping[str, Any], size: int) -> pa.Table:
    """Return the columns of verdicts as plain ones, null where nothing is said; documents stand there by number."""
    kinds = {field.name: getattr(field.type, "value_type", field.type) for field in VERDICTS}
    kinds = {"number": pa.int32(), **{name: kind for name, kind in kinds.items() if name not in ("document", "trial")}}
    made = [columns[name].cast(kind) if name in columns else pa.nulls(size, kind) for name, kind in kinds.items()]
    return pa.table(made, names=list(kinds))


def _is_share(value: Json) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value <= 1


def _at(path: str) -> list[int]:
    return [int(at) for at in _AT.findall(path)] if "[" in path else []


def _units(document: Document) -> Iterator[_Unit]:
    beside: Any = json.loads(document.beside) if document.beside is not None else {}
    sides = json.loads(document.expected), json.loads(document.predicted)
    if isinstance(beside, dict):
        yield _Unit(document.number, None, document.document_class, *sides, beside)
        return
    for said, expected, predicted in zip(beside, *sides, strict=True):
        yield _Unit(document.number, said["section"], said["class"], expected, predicted, said)


def _same(root: ObjectPlan, unit: _Unit, wrong: set[str] | frozenset[str]) -> Iterator[_Same]:
    walk = _Walk(wrong, unit.said.get("pairing", {}), unit.said.get("chosen", {}))
    yield from walk.below(root, unit.expected, unit.predicted, _Place("", "", 1.0, np.nan))


class _Walk(NamedTuple):
    """Goes through both documents of a pair at once."""

    wrong: set[str] | frozenset[str]
    pairing: Mapping[str, Pairing]
    chosen: Mapping[str, Json]

    def below(self, node: PlanNode[Result], e: Json, p: Json, at: _Place) -> Iterator[_Same]:
        """Yield the values that both sides have, at their places, and that are not among the errors."""
        while not isinstance(node, LeafPlan):
            e = self.chosen.get(at.path, e)
            if isinstance(node, RefPlan):
                if is_absent(e, node.absent) and is_absent(p, node.absent):
                    return
                node = node.target
            elif isinstance(node, ShapePlan):
                node = node.arm_for(e, p)
            else:
                inner = self._object(node, e, p, at) if isinstance(node, ObjectPlan) else self._list(node, e, p, at)
                yield from inner
                return
        if at.path not in self.wrong and not is_absent(e, node.absent) and not is_absent(p, node.absent):
            yield _Same(node.path, at.path, at.predicted_path, e, p, at.weight, at.similarity)

    def _object(self, node: ObjectPlan, e: Json, p: Json, at: _Place) -> Iterator[_Same]:
        expected, predicted = mapping_of(e), mapping_of(p)
        if not expected or not predicted:
            return
        for name, child in node.fields.items():
            if name in expected and name in predicted:
                yield from self.below(child, expected[name], predicted[name], at.field(name, child.weight))

    def _list(self, node: PlanNode[Any], e: Json, p: Json, at: _Place) -> Iterator[_Same]:
        assert isinstance(node, ListPlan)
        expected, predicted = items_of(e, node.absent), items_of(p, node.absent)
        if not expected or not predicted:
            return
        by_place = ((k, k, 1.0, True) for k in range(min(len(expected), len(predicted))))
        for i, j, similarity, accepted in self.pairing.get(at.path, by_place):
            if accepted:
                inside = _Place(f"{at.path}[{i}]", f"{at.predicted_path}[{j}]", at.weight, similarity)
                yield from self.below(node.item, expected[i], predicted[j], inside)


def _fields(node: PlanNode[Any]) -> Iterator[str]:
    """Yield the paths of declared leaves; definitions that hold themselves are not opened."""
    if isinstance(node, ObjectPlan):
        for child in node.fields.values():
            yield from _fields(child)
    elif isinstance(node, ListPlan):
        yield from _fields(node.item)
    elif isinstance(node, ShapePlan):
        for arm in (*node.arms, node.otherwise):
            yield from _fields(arm)
    else:
        yield node.path


def _weight_at(node: PlanNode[Any], field: str, weight: float) -> float:
    """Return the product of weights on the way to a field; 1 for one that is not declared."""
    while True:
        if isinstance(node, RefPlan):
            node = node.target
        elif isinstance(node, ListPlan) and node.path != field:
            node = node.item
        elif isinstance(node, ShapePlan) and node.path != field:
            node = next((arm for arm in node.arms if not isinstance(arm, LeafPlan)), node.otherwise)
        elif isinstance(node, ObjectPlan) and node.path != field:
            below = (c for c in node.fields.values() if field == c.path or field.startswith(f"{c.path}."))
            child = max(below, key=lambda one: len(one.path), default=None)
            if child is None:
                return 1.0
            node, weight = child, weight * child.weight
        else:
            return weight if node.path == field else 1.0


def _without_comparators(schema: Json) -> Json:
    """Return a JSON Schema that says where values are and not how they are compared: whoever reads it need not know
    comparators of others.
    """
    if isinstance(schema, list):
        return [_without_comparators(inner) for inner in schema]
    if not isinstance(schema, dict):
        return schema
    left_out: set[str] = set()
    for prefix in _PREFIXES:
        if isinstance(schema.get(f"{prefix}{_COMPARATOR[0]}"), str):
            left_out |= {f"{prefix}{name}" for name in _COMPARATOR}
    return {name: _without_comparators(inner) for name, inner in schema.items() if name not in left_out}
