"""Verdict rows as a table: one row for each compared place of each document.

Rows come out by field within a block of documents, not document by document.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import groupby, pairwise
from operator import itemgetter
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from fieldwise.compare.leaves import LeafPlan
from fieldwise.compare.objects import ObjectPlan
from fieldwise.compare.places import LeafAt, leaves_of
from fieldwise.compare.results import MISMATCH, MISSED, SAME, LeafResult, ListResult, ObjectResult, Result
from fieldwise.compare.undeclared import UndeclaredKeys
from fieldwise.compare.verdicts import chosen
from fieldwise.counting.flat import Differing
from fieldwise.error_kinds import Mistake
from fieldwise.spec import escape, row_of
from fieldwise.tables.columns import optional, side, text_column
from fieldwise.tables.mistakes import Mistakes, mismatch_codes, mistake_at
from fieldwise.tables.plain import is_plain
from fieldwise.tables.verdict_columns import REASONS, Compared, Odd, Part, SectionName, note_code, verdict_table
from fieldwise.text import well_formed
from fieldwise.values import Json

OBJECTS_AT_ONCE = 1000
"""So many objects are written out together: few enough to be still at hand in the processor's cache."""

_Row = tuple[str, str, float]
"""Where an object is in a list: its path in the expected document and in the predicted one, and the pair's score."""


class FlatDocuments(NamedTuple):
    """Documents of declared leaves only: their numbers, the expected ones, and the values of both sides by field."""

    numbers: Sequence[int]
    documents: Sequence[Json]
    expected: list[Sequence[Json]]
    predicted: list[Sequence[Json]]

    def choose(self, at: int, field: int, alternate: int) -> None:
        """Keep of several acceptable values the one that counted."""
        values = list(self.expected[field])
        values[at] = chosen(values[at], alternate)
        self.expected[field] = values

    def mistakes(self, at: int, paths: Sequence[str], fields: Iterable[int]) -> list[Mistake]:
        """Return the two values of each of the fields in which a document differs."""
        return [Mistake(paths[k], self.expected[k][at], self.predicted[k][at]) for k in fields]


class VerdictTable(NamedTuple):
    """Verdict rows, and for each of them the number of its document."""

    rows: pa.Table
    documents: Any


class _Block:
    """Objects of one plan that wait to be written."""

    def __init__(self, plan: ObjectPlan, numbers: Iterable[int], weights: Sequence[float]) -> None:
        self.plans, self.weights = tuple(plan.fields.values()), weights
        self.leaves = [k for k, node in enumerate(self.plans) if type(node) is LeafPlan]
        self.others = [k for k, node in enumerate(self.plans) if type(node) is not LeafPlan]
        self.place_of = {k: place for place, k in enumerate(self.leaves)}
        self.steps = [well_formed(f".{escape(plan.names[k])}") for k in self.leaves]
        self.inner_steps = {k: f".{escape(plan.names[k])}" for k in self.others}
        self.numbers = list(numbers)
        self.names = [plan.names[k] for k in self.leaves]
        self.paths = [text_column([self.plans[k].path]) for k in self.leaves]
        self.values = values_getter(self.names)
        self.clear()

    def clear(self) -> None:
        self.documents: list[int] = []
        self.prefixes: list[str] = []
        self.predicted_prefixes: list[str] = []
        """Where the objects stand, in a list; empty outside of lists, and so are the scores of their pairs."""
        self.pair_scores: list[float | None] = []
        self.expected: list[Sequence[Json]] = []
        self.predicted: list[Sequence[Json]] = []
        self.odd: dict[int, list[Odd]] = {k: [] for k in self.leaves}
        """What is to be said of rows."""
        self.kinds: dict[int, dict[int, int]] = {k: {} for k in self.leaves}

    def choose(self, at: int, k: int, alternate: int) -> None:
        """Keep of several acceptable values the one that counted."""
        values = list(self.expected[at])
        place = self.place_of[k]
        values[place] = chosen(values[place], alternate)
        self.expected[at] = values

    def mistake(self, at: int, k: int, row: str) -> Mistake:
        """Return the two values of an object that differ in a leaf."""
        place = self.place_of[k]
        return Mistake(self.plans[k].path, self.expected[at][place], self.predicted[at][place], row, False)

    def parts(self) -> Iterator[Part]:
        """Yield the rows of each leaf over all objects."""
        size = len(self.documents)
        documents = np.array(self.documents, np.int32)
        prefixes = text_column(self.prefixes) if self.prefixes else None
        moved = None if self.predicted_prefixes == self.prefixes else text_column(self.predicted_prefixes)
        scores = None if prefixes is None else optional(np.array(self.pair_scores, np.float64))
        accepted = None if prefixes is None else pa.array(np.ones(size, bool))
        columns = zip(zip(*self.expected, strict=True), zip(*self.predicted, strict=True), strict=True)
        for at, (e, p) in enumerate(columns):
            numbers = np.full(size, self.numbers[at], np.int32)
            k = self.leaves[at]
            odd, kinds = list(zip(*self.odd[k], strict=True)), self.kinds[k]
            paths, others = self._paths(at, prefixes), None if moved is None else self._paths(at, moved)
            yield Part(documents, numbers, paths, others, side(e), side(p), scores, None, accepted, None, odd, kinds)

    def flat_parts(
        self, flat: FlatDocuments, odd: Mapping[int, Sequence[Any]], kinds: Mapping[int, Mapping[int, int]]
    ) -> Iterator[Part]:
        """Yield the rows of each leaf over documents that hold nothing else; ``odd`` and ``kinds`` are by field."""
        documents = np.array(flat.numbers, np.int32)
        zeros: Any = np.zeros(len(documents), np.int32)
        for k, (number, path, e, p) in enumerate(
            zip(self.numbers, self.paths, flat.expected, flat.predicted, strict=True)
        ):
            paths = pa.DictionaryArray.from_arrays(zeros, path)
            said, found = odd.get(k, ()), kinds.get(k, {})
            yield Part(documents, zeros + number, paths, None, side(e), side(p), None, None, None, None, said, found)

    def _paths(self, at: int, prefixes: Any) -> Any:
        if prefixes is None:
            numbers: Any = np.zeros(len(self.documents), np.int32)
            return pa.DictionaryArray.from_arrays(numbers, self.paths[at])
        return pc.binary_join_element_wise(prefixes, self.steps[at], "").dictionary_encode()


class _Loose:
    """Rows that are written one by one."""

    def __init__(self) -> None:
        self.rows: list[tuple[int, int, str, str, float, float, int, float]] = []
        self.expected: list[Json] = []
        self.predicted: list[Json] = []
        self.odd: list[Odd] = []
        self.kinds: dict[int, int] = {}

    def add(self, document: int, field: int, place: LeafAt, confidences: Mapping[str, Json]) -> None:
        result, row = place.result, place.row
        sure = np.nan if place.outcome is MISSED else _confidence(confidences.get(place.predicted_path))
        similarity = np.nan if row is None or row.similarity is None else row.similarity
        threshold = np.nan if row is None or row.threshold is None else row.threshold
        accepted = -1 if row is None else int(row.accepted)
        score = result.score if row is None or row.accepted else 0.0
        self.odd.append((len(self.rows), place.outcome.at, score, result.raw_score, _reason(place), result.alternate))
        paths = place.path, place.predicted_path
        self.rows.append((document, field, *paths, similarity, threshold, accepted, sure))
        self.expected.append(chosen(place.expected, result.alternate))
        self.predicted.append(place.predicted)

    def part(self) -> Part:
        columns = zip(*self.rows, strict=True) if self.rows else ((),) * 8
        documents, fields, paths, predicted_paths, scores, thresholds, accepted, sure = columns
        return Part(
            np.array(documents, np.int32),
            np.array(fields, np.int32),
            text_column(paths).dictionary_encode(),
            text_column(predicted_paths).dictionary_encode(),
            side(self.expected),
            side(self.predicted),
            optional(np.array(scores, np.float64)),
            optional(np.array(thresholds, np.float64)),
            pa.array(np.array(accepted, np.int8) == 1, mask=np.array(accepted, np.int8) < 0),
            optional(np.array(sure, np.float64)),
            list(zip(*self.odd, strict=True)),
            self.kinds,
        )


class VerdictRows:
    """Collects the rows of documents."""

    def __init__(self) -> None:
        self.fields: dict[tuple[str, float], int] = {}
        self.sections: list[SectionName] = []
        self.weights: list[float] = []
        self._blocks: dict[ObjectPlan, _Block] = {}
        self._mistakes = Mistakes()
        self._clear()

    def _clear(self) -> None:
        self._loose = _Loose()
        self._parts: list[Part] = []

    def add(
        self,
        number: int,
        plan: ObjectPlan,
        result: ObjectResult,
        confidences: Mapping[str, Json] | None = None,
        *,
        section: tuple[str, str | None] | None = None,
    ) -> None:
        """Append the rows of a document, or of a section with its id and class; ``confidences`` are those of predicted
        values, by path.
        """
        if section is not None:
            self.sections.append(SectionName(number, *section))
            number = -len(self.sections)
        if not confidences and is_plain(result):
            self._object(number, result, 1.0, None)
        else:
            for place in leaves_of(result, UndeclaredKeys(plan, result.expected, plan.extras or "leaves")):
                self._loose.add(number, self._field(place.field, place.weight), place, confidences or {})
                if place.outcome is MISMATCH:
                    mistake = mistake_at(place, self._loose.expected[-1])
                    self._mistakes.add(mistake, self._loose.kinds, len(self._loose.rows) - 1)
        if self._mistakes.found:
            self._mistakes.settle(result.expected)

    def add_flat(self, plan: ObjectPlan, flat: FlatDocuments, found: Differing) -> None:
        """Append the rows of documents of declared leaves only, given those that are not the same on both sides."""
        block = self._blocks.get(plan) or self._blocks.setdefault(plan, self._new_block(plan, 1.0))
        at = found.documents
        for leaf in np.flatnonzero(found.alternates >= 0).tolist():
            flat.choose(int(at[leaf]), int(found.fields[leaf]), int(found.alternates[leaf]))
        reasons = np.array([note_code(note) if note else 0 for note in found.notes], np.int8)
        order = np.argsort(found.fields, kind="stable")
        columns = at, found.outcomes, found.scores, found.raw_scores, reasons, found.alternates
        ends = np.searchsorted(found.fields[order], np.arange(len(plan.names) + 1)).tolist()
        odd = {
            k: [column[order[start:end]] for column in columns]
            for k, (start, end) in enumerate(pairwise(ends))
            if end > start
        }
        self._parts.extend(block.flat_parts(flat, odd, self._flat_kinds(block, flat, found)))

    def _flat_kinds(self, block: _Block, flat: FlatDocuments, found: Differing) -> dict[int, dict[int, int]]:
        """Return the kinds of the mismatches, by field and the place of their document."""
        paths = [node.path for node in block.plans]
        kinds: dict[int, dict[int, int]] = {k: {} for k in block.leaves}
        wrong = found.outcomes == MISMATCH.at
        places = zip(found.documents[wrong].tolist(), found.fields[wrong].tolist(), strict=True)
        for at, cells in groupby(places, itemgetter(0)):
            fields = [k for _, k in cells]
            codes = mismatch_codes(flat.documents[at], flat.mistakes(at, paths, fields))
            for k, code in zip(fields, codes, strict=True):
                kinds[k][at] = code
        return kinds

    def _field(self, path: str, weight: float) -> int:
        """Return the number of a field, which has the same weight wherever it occurs in documents of a class."""
        number = self.fields.setdefault((path, weight), len(self.fields))
        if number == len(self.weights):
            self.weights.append(weight)
        return number

    def _new_block(self, plan: ObjectPlan, weight: float) -> _Block:
        nodes = plan.fields.values()
        numbers = [self._field(node.path, weight * node.weight) for node in nodes if type(node) is LeafPlan]
        return _Block(plan, numbers, [weight * node.weight for node in nodes])

    def _object(self, document: int, result: ObjectResult, weight: float, row: _Row | None) -> None:
        """Append the leaves of an object; ``row`` is where it is in a list."""
        plan = result.plan
        block = self._blocks.get(plan) or self._blocks.setdefault(plan, self._new_block(plan, weight))
        at = len(block.documents)
        block.documents.append(document)
        if row is not None:
            block.prefixes.append(row[0])
            block.predicted_prefixes.append(row[1])
            block.pair_scores.append(row[2])
        block.expected.append(block.values(result.expected))
        block.predicted.append(block.values(result.predicted))
        children = result.children
        if children is not plan.all_same:
            for k, child in enumerate(children):
                if child is not SAME and type(child) is LeafResult:
                    outcome, raw, score, note, alternate = child
                    block.odd[k].append((at, outcome.at, score, raw, note_code(note) if note else 0, alternate))
                    if alternate >= 0:
                        block.choose(at, k, alternate)
                    if outcome is MISMATCH:
                        place = row_of(row[0]) if row else ""
                        self._mistakes.add(block.mistake(at, k, place), block.kinds[k], at)
            for k in block.others:
                inside = None if row is None else _inside(row, block.inner_steps[k])
                self._inner(document, children[k], block.weights[k], inside)
        if at > OBJECTS_AT_ONCE:
            self._parts.extend(block.parts())
            block.clear()

    def _inner(self, document: int, result: Result, weight: float, row: _Row | None) -> None:
        """Append the leaves of an object, or of the rows of a list, which are objects."""
        if isinstance(result, ObjectResult):
            self._object(document, result, weight, row)
        elif isinstance(result, ListResult):
            path, predicted_path = (result.plan.path, result.plan.path) if row is None else row[:2]
            for i, j, similarity, _, item in result.pairs:
                at = f"{path}[{i}]"
                predicted_at = at if i == j and path == predicted_path else f"{predicted_path}[{j}]"
                self._inner(document, item, weight, (at, predicted_at, similarity))

    def to_table(
        self,
        ids: Sequence[str],
        trials: Mapping[int, int] | None = None,
        classes: Mapping[int, str] | None = None,
    ) -> VerdictTable:
        """Return the rows as an Arrow table, and forget them; ``ids``, ``trials`` and ``classes`` are of documents by
        their numbers, a first trial is not named.
        """
        parts = list(self._parts)
        for block in self._blocks.values():
            if block.documents:
                parts.extend(block.parts())
                block.clear()
        if self._loose.rows or not parts:
            parts.append(self._loose.part())
        names = [path for path, _ in self.fields]
        compared = Compared(ids, trials or {}, names, self.weights, self.sections, classes or {})
        rows = verdict_table(parts, compared)
        self._clear()
        numbers = np.concatenate([part.documents for part in parts]).astype(np.int64)
        return VerdictTable(rows, compared.document_numbers(numbers))


def values_getter(names: Sequence[str]) -> Callable[[Mapping[str, Json]], Sequence[Json]]:
    """Return what takes the values of an object that are called so, None where it has none."""
    quick: Any = itemgetter(*names) if len(names) > 1 else None

    def values(value: Mapping[str, Json]) -> Sequence[Json]:
        if quick is not None:
            try:
                return quick(value)  # type: ignore[no-any-return]  # a tuple, as it has several names
            except KeyError:
                pass
        return [value.get(name) for name in names]

    return values


def columns_of(names: Sequence[str], objects: Sequence[Mapping[str, Json]]) -> list[Sequence[Json]]:
    """Return the values of objects that are called so, name by name, None where an object has none."""
    try:
        return [[value[name] for value in objects] for name in names]
    except KeyError:
        return [[value.get(name) for value in objects] for name in names]


def _inside(row: _Row, step: str) -> _Row:
    path = row[0] + step
    return path, path if row[0] == row[1] else row[1] + step, row[2]


def _confidence(value: Json) -> float:
    usable = isinstance(value, (int, float)) and not isinstance(value, bool) and 0 <= value <= 1
    return float(value) if usable else np.nan


def _reason(place: LeafAt) -> int:
    if place.plan is None:
        return REASONS.index("undeclared")
    if place.misfit is not None:
        return REASONS.index("type")
    if place.row is not None and not place.row.accepted:
        return REASONS.index("row" if place.row.similarity is not None else "alone")
    return note_code(place.result.note)
