"""Verdict rows as a table: one row for each compared place of each document.

Rows come out by field within a block of documents, not document by document: their key is (document, path).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from operator import itemgetter
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from fieldwise.compare.leaves import LeafPlan
from fieldwise.compare.objects import ObjectPlan
from fieldwise.compare.places import Place, places
from fieldwise.compare.results import MISMATCH, MISSED, SAME, LeafResult, ListResult, ObjectResult, Outcome, Result
from fieldwise.compare.undeclared import UndeclaredKeys
from fieldwise.compare.verdicts import chosen
from fieldwise.kinds import KINDS, Mistake
from fieldwise.spec import escape, row_of
from fieldwise.tables.columns import Side, joined, named_column, optional, side, text_column
from fieldwise.tables.mistakes import Mistakes, kind_codes, mismatch_codes, mistake_at
from fieldwise.tables.plain import is_plain
from fieldwise.values import Json

SCHEMA_VERSION = 2
OBJECTS_AT_ONCE = 1000
"""So many objects are written out together: few enough to be still at hand in the processor's cache."""
OUTCOMES = tuple(outcome.word for outcome in Outcome)
REASONS = ("", "type", "row", "alone", "undeclared")
"""Why a place counts as it does: its score; a value of another kind; a rejected or unpaired row; no such field."""

_NAMES = pa.dictionary(pa.int32(), pa.string())
_FEW_NAMES = pa.dictionary(pa.int8(), pa.string())
_COLUMNS: list[tuple[str, Any]] = [
    ("document", _NAMES),
    ("path", _NAMES),
    ("field", _NAMES),
    ("outcome", _FEW_NAMES),
    ("kind", _FEW_NAMES),
    ("score", pa.float64()),
    ("raw_score", pa.float64()),
    ("expected", pa.string()),
    ("predicted", pa.string()),
    ("expected_is_json", pa.bool_()),
    ("predicted_is_json", pa.bool_()),
    ("expected_length", pa.int64()),
    ("predicted_length", pa.int64()),
    ("expected_sha256", pa.string()),
    ("predicted_sha256", pa.string()),
    ("weight", pa.float64()),
    ("confidence", pa.float64()),
    ("pair_score", pa.float64()),
    ("pair_accepted", pa.bool_()),
    ("alternate_index", pa.int32()),
    ("reason", _FEW_NAMES),
    ("schema_version", pa.int8()),
]
VERDICTS = pa.schema(_COLUMNS)

_new: Any = tuple.__new__
_Odd = tuple[int, float, float, int, int]
"""What is to be said of a row, unless both values are the same: outcome, score, raw score, reason, alternative."""


class _Part(NamedTuple):
    """Some rows as columns; one that holds nothing, as most of the last ones do, is None."""

    documents: Any
    fields: Any
    paths: Any
    expected: Side
    predicted: Side
    pair_scores: Any
    pair_accepted: Any
    confidences: Any
    odd: dict[int, _Odd]
    kinds: dict[int, int]
    """The kinds of the mismatches, by their codes."""


class _Block:
    """Objects of one plan that wait to be written."""

    def __init__(self, plan: ObjectPlan, numbers: Iterable[int], weights: Sequence[float]) -> None:
        self.plans, self.weights = tuple(plan.fields.values()), weights
        self.leaves = [k for k, node in enumerate(self.plans) if type(node) is LeafPlan]
        self.others = [k for k, node in enumerate(self.plans) if type(node) is not LeafPlan]
        self.place_of = {k: place for place, k in enumerate(self.leaves)}
        self.steps = [f".{escape(plan.names[k])}" for k in self.leaves]
        self.inner_steps = {k: f".{escape(plan.names[k])}" for k in self.others}
        self.numbers = list(numbers)
        self.names = [plan.names[k] for k in self.leaves]
        self.paths = [text_column([self.plans[k].path]) for k in self.leaves]
        self._values = itemgetter(*self.names) if len(self.names) > 1 else None
        self.clear()

    def clear(self) -> None:
        self.documents: list[int] = []
        self.prefixes: list[str] = []
        """Where the objects stand, in a list; empty outside of lists, and so are the scores of their pairs."""
        self.pair_scores: list[float | None] = []
        self.expected: list[Sequence[Json]] = []
        self.predicted: list[Sequence[Json]] = []
        self.odd: dict[int, dict[int, _Odd]] = {k: {} for k in self.leaves}
        self.kinds: dict[int, dict[int, int]] = {k: {} for k in self.leaves}
        self.waiting: list[tuple[int, Json, list[int]]] = []
        """Objects, each with the document that it is, and its mismatches, of which the kinds are not known yet."""

    def values(self, value: Mapping[str, Json]) -> Sequence[Json]:
        if self._values is not None:
            try:
                return self._values(value)  # type: ignore[no-any-return]  # a tuple, as it has several names
            except KeyError:
                pass
        return [value.get(name) for name in self.names]

    def choose(self, at: int, k: int, alternate: int) -> None:
        """Keep of several acceptable values the one that counted."""
        values = list(self.expected[at])
        place = self.place_of[k]
        values[place] = chosen(values[place], alternate)
        self.expected[at] = values

    def mistake(self, at: int, k: int, row: str) -> Mistake:
        """Return the two values of an object that differ in a leaf."""
        place = self.place_of[k]
        values = (self.plans[k].path, self.expected[at][place], self.predicted[at][place], row, False)
        return _new(Mistake, values)  # type: ignore[no-any-return]  # quicker than by its name

    def parts(self) -> Iterable[_Part]:
        """Yield the rows of each leaf over all objects."""
        self._settle()
        size = len(self.documents)
        documents = np.array(self.documents, np.int32)
        prefixes = text_column(self.prefixes) if self.prefixes else None
        scores = None if prefixes is None else optional(np.array(self.pair_scores, np.float64))
        accepted = None if prefixes is None else pa.array(np.ones(size, bool))
        columns = zip(zip(*self.expected, strict=True), zip(*self.predicted, strict=True), strict=True)
        for at, (e, p) in enumerate(columns):
            numbers = np.full(size, self.numbers[at], np.int32)
            odd, kinds = self.odd[self.leaves[at]], self.kinds[self.leaves[at]]
            paths = self._paths(at, prefixes)
            yield _Part(documents, numbers, paths, side(e), side(p), scores, accepted, None, odd, kinds)

    def _settle(self) -> None:
        """Find the kinds of the mismatches of all objects, now that they are to be written."""
        for at, document, wrong in self.waiting:
            codes = mismatch_codes(document, [self.mistake(at, k, "") for k in wrong])
            for k, code in zip(wrong, codes, strict=True):
                self.kinds[k][at] = code

    def _paths(self, at: int, prefixes: Any) -> Any:
        if prefixes is None:
            numbers: Any = np.zeros(len(self.documents), np.int32)
            return pa.DictionaryArray.from_arrays(numbers, self.paths[at])
        return pc.binary_join_element_wise(prefixes, self.steps[at], "").dictionary_encode()


class _Loose:
    """Rows that are written one by one."""

    def __init__(self) -> None:
        self.rows: list[tuple[int, int, str, float, int, float]] = []
        self.expected: list[Json] = []
        self.predicted: list[Json] = []
        self.odd: dict[int, _Odd] = {}
        self.kinds: dict[int, int] = {}

    def add(self, document: int, field: int, place: Place, confidences: Mapping[str, Json]) -> None:
        result, row = place.result, place.row
        sure = np.nan if place.outcome is MISSED else _confidence(confidences.get(place.predicted_path))
        similarity = np.nan if row is None or row.similarity is None else row.similarity
        accepted = -1 if row is None else int(row.accepted)
        score = result.kept if row is None or row.accepted else 0.0
        self.odd[len(self.rows)] = (place.outcome.at, score, result.share, _reason(place), result.alternate)
        self.rows.append((document, field, place.path, similarity, accepted, sure))
        self.expected.append(chosen(place.expected, result.alternate))
        self.predicted.append(place.predicted)

    def part(self) -> _Part:
        documents, fields, paths, scores, accepted, sure = zip(*self.rows, strict=True) if self.rows else ((),) * 6
        return _Part(
            np.array(documents, np.int32),
            np.array(fields, np.int32),
            text_column(paths).dictionary_encode(),
            side(self.expected),
            side(self.predicted),
            optional(np.array(scores, np.float64)),
            pa.array(np.array(accepted, np.int8) == 1, mask=np.array(accepted, np.int8) < 0),
            optional(np.array(sure, np.float64)),
            self.odd,
            self.kinds,
        )


class VerdictRows:
    """Collects the rows of documents."""

    def __init__(self) -> None:
        self.fields: dict[str, int] = {}
        self.weights: list[float] = []
        self._blocks: dict[ObjectPlan, _Block] = {}
        self._mistakes = Mistakes()
        self._clear()

    def _clear(self) -> None:
        self.documents: list[str] = []
        self._loose = _Loose()
        self._parts: list[_Part] = []

    def add(
        self, document: str, plan: ObjectPlan, result: ObjectResult, confidences: Mapping[str, Json] | None = None
    ) -> None:
        """Append the rows of one document; ``confidences`` are those of predicted values, by path."""
        number = len(self.documents)
        self.documents.append(document)
        if not confidences and is_plain(plan, result):
            self._object(number, plan, result, 1.0, None, None)
        else:
            for place in places(plan, result, UndeclaredKeys(plan, result.expected, plan.extras or "leaves")):
                self._loose.add(number, self._field(place.field, place.weight), place, confidences or {})
                if place.outcome is MISMATCH:
                    mistake = mistake_at(place, self._loose.expected[-1])
                    self._mistakes.add(mistake, self._loose.kinds, len(self._loose.rows) - 1)
        if self._mistakes.found:
            self._mistakes.settle(result[6])

    def add_flat(
        self,
        document: str,
        plan: ObjectPlan,
        values: tuple[Mapping[str, Json], Mapping[str, Json]],
        differing: Sequence[tuple[int, LeafResult]],
    ) -> None:
        """Append the rows of a document of declared leaves only, given those that are not the same on both sides."""
        block = self._blocks.get(plan) or self._new_block(plan, 1.0)
        at = len(block.documents)
        block.documents.append(len(self.documents))
        self.documents.append(document)
        block.expected.append(block.values(values[0]))
        block.predicted.append(block.values(values[1]))
        wrong: list[int] = []
        for k, (outcome, raw, score, note, alternate) in differing:
            block.odd[k][at] = (outcome.at, score, raw, 1 if note else 0, alternate)
            if alternate >= 0:
                block.choose(at, k, alternate)
            if outcome is MISMATCH:
                wrong.append(k)
        if wrong:
            block.waiting.append((at, values[0], wrong))
        if at > OBJECTS_AT_ONCE:
            self._parts.extend(block.parts())
            block.clear()

    def _field(self, path: str, weight: float) -> int:
        """Return the number of a field, which has the same weight wherever it occurs."""
        number = self.fields.setdefault(path, len(self.fields))
        if number == len(self.weights):
            self.weights.append(weight)
        return number

    def _new_block(self, plan: ObjectPlan, weight: float) -> _Block:
        nodes = plan.fields.values()
        numbers = [self._field(node.path, weight * node.weight) for node in nodes if type(node) is LeafPlan]
        block = self._blocks[plan] = _Block(plan, numbers, [weight * node.weight for node in nodes])
        return block

    def _object(
        self,
        document: int,
        plan: ObjectPlan,
        result: ObjectResult,
        weight: float,
        prefix: str | None,
        pair_score: float | None,
    ) -> None:
        """Append the leaves of an object; ``prefix`` is its path where it stands in a list."""
        block = self._blocks.get(plan) or self._new_block(plan, weight)
        at = len(block.documents)
        block.documents.append(document)
        if prefix is not None:
            block.prefixes.append(prefix)
            block.pair_scores.append(pair_score)
        block.expected.append(block.values(result[6]))
        block.predicted.append(block.values(result[7]))
        children = result[5]
        if children is not plan.all_same:
            for k, child in enumerate(children):
                if child is not SAME and type(child) is LeafResult:
                    block.odd[k][at] = (child[0].at, child[2], child[1], 1 if child[3] else 0, child[4])
                    if child[4] >= 0:
                        block.choose(at, k, child[4])
                    if child[0] is MISMATCH:
                        self._mistakes.add(block.mistake(at, k, row_of(prefix or "")), block.kinds[k], at)
            for k in block.others:
                inner = block.plans[k]
                here = None if prefix is None else prefix + block.inner_steps[k]
                self._inner(document, inner, children[k], block.weights[k], here, pair_score)
        if at > OBJECTS_AT_ONCE:
            self._parts.extend(block.parts())
            block.clear()

    def _inner(
        self, document: int, plan: Any, result: Result, weight: float, prefix: str | None, pair_score: float | None
    ) -> None:
        if type(result) is ObjectResult:
            self._object(document, plan, result, weight, prefix, pair_score)
            return
        assert type(result) is ListResult
        here = plan.path if prefix is None else prefix
        for pair in result[5]:
            row: Any = pair[4]
            self._object(document, plan.item, row, weight, f"{here}[{pair[0]}]", pair[2])

    def to_table(self) -> pa.Table:
        """Return the rows as an Arrow table, and forget them."""
        parts = list(self._parts)
        for block in self._blocks.values():
            if block.documents:
                parts.extend(block.parts())
                block.clear()
        if self._loose.rows or not parts:
            parts.append(self._loose.part())
        table = self._table(parts)
        self._clear()
        return table

    def _table(self, parts: Sequence[_Part]) -> pa.Table:
        fields = np.concatenate([part.fields for part in parts])
        sizes = [len(part.fields) for part in parts]
        columns: dict[str, Any] = {
            "document": named_column(np.concatenate([part.documents for part in parts]), self.documents),
            "path": pa.chunked_array([part.paths for part in parts]).unify_dictionaries().combine_chunks(),
            "field": named_column(fields, list(self.fields)),
            **_judged(parts, len(fields)),
            **_side_columns("expected", [part.expected for part in parts], sizes),
            **_side_columns("predicted", [part.predicted for part in parts], sizes),
            "weight": pa.array(np.array(self.weights or [1.0])[fields]),
            "confidence": joined([part.confidences for part in parts], sizes, pa.float64()),
            "pair_score": joined([part.pair_scores for part in parts], sizes, pa.float64()),
            "pair_accepted": joined([part.pair_accepted for part in parts], sizes, pa.bool_()),
            "schema_version": pa.array(np.full(len(fields), SCHEMA_VERSION, np.int8)),
        }
        return pa.table([columns[name] for name in VERDICTS.names], schema=VERDICTS)


def _judged(parts: Sequence[_Part], size: int) -> dict[str, Any]:
    outcome, reason = np.zeros(size, np.int8), np.zeros(size, np.int8)
    score, raw, alternate = np.ones(size), np.ones(size), np.full(size, -1, np.int32)
    wrong, kinds = [np.zeros(0, np.int64)], [np.zeros(0, np.int8)]
    start = 0
    for part in parts:
        if part.odd:
            at = np.fromiter(part.odd, np.int64, len(part.odd)) + start
            outcome[at], score[at], raw[at], reason[at], alternate[at] = zip(*part.odd.values(), strict=True)
            wrong.append(np.fromiter(part.kinds, np.int64, len(part.kinds)) + start)
            kinds.append(np.fromiter(part.kinds.values(), np.int8, len(part.kinds)))
        start += len(part.fields)
    kind = kind_codes(outcome)
    kind[np.concatenate(wrong)] = np.concatenate(kinds)
    return {
        "outcome": named_column(outcome, OUTCOMES),
        "kind": pa.DictionaryArray.from_arrays(pa.array(kind, mask=kind < 0), pa.array(KINDS)),
        "score": pa.array(score),
        "raw_score": pa.array(raw),
        "reason": named_column(reason, REASONS),
        "alternate_index": pa.array(alternate, mask=alternate < 0),
    }


def _side_columns(name: str, sides: Sequence[Side], sizes: Sequence[int]) -> dict[str, Any]:
    return {
        name: pa.concat_arrays([s.text for s in sides]),
        f"{name}_is_json": pa.array(np.concatenate([s.is_json for s in sides])),
        f"{name}_length": joined([s.length for s in sides], sizes, pa.int64()),
        f"{name}_sha256": joined([s.sha256 for s in sides], sizes, pa.string()),
    }


def _confidence(value: Json) -> float:
    usable = isinstance(value, (int, float)) and not isinstance(value, bool) and 0 <= value <= 1
    return float(value) if usable else np.nan


def _reason(place: Place) -> int:
    if place.plan is None:
        return REASONS.index("undeclared")
    if place.row is not None and not place.row.accepted:
        return REASONS.index("row" if place.row.similarity is not None else "alone")
    return REASONS.index("type") if place.result.note == "type" else 0
