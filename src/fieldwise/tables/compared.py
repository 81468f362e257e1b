"""What a shard keeps of the values that it compared: the pairs, and of their values what was not identical.

Values that are the same on both sides are counted and have no row: they are found again in the pair.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import groupby
from operator import itemgetter
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from fieldwise.compare.leaves import LeafPlan
from fieldwise.compare.objects import ObjectPlan
from fieldwise.compare.places import LeafAt, leaves_of
from fieldwise.compare.results import (
    ABSENT,
    MATCH,
    MISMATCH,
    MISSED,
    SAME,
    SPURIOUS,
    LeafResult,
    ListResult,
    ObjectResult,
    Result,
)
from fieldwise.compare.undeclared import UndeclaredKeys
from fieldwise.compare.verdicts import chosen
from fieldwise.counting.flat import Differing
from fieldwise.error_kinds import KINDS, Mistake
from fieldwise.spec import escape, row_of
from fieldwise.tables.columns import Side, named_column, optional, side, text_column
from fieldwise.tables.counts import Added, FieldCounter, counts_table
from fieldwise.tables.documents import DocumentRows
from fieldwise.tables.mistakes import KindCounts, Mistakes, count_kinds, kind_codes, mismatch_codes, mistake_at
from fieldwise.tables.pairs import PairRows
from fieldwise.tables.plain import is_plain
from fieldwise.tables.scores import UNSCORED, tally_scores
from fieldwise.tables.verdict_columns import (
    ACCEPTED,
    ERRORS,
    OUTCOMES,
    REASONS,
    VALUE_COLUMNS,
    WRITTEN_CODE,
    note_code,
)
from fieldwise.values import Json

_CONFIDENCES: list[tuple[str, Any]] = [
    ("field", pa.string()),
    ("document", pa.int32()),
    ("confidence", pa.float64()),
    ("right", pa.bool_()),
]
CONFIDENCES = pa.schema(_CONFIDENCES)
"""How sure a prediction was of a value, and whether that is right."""
_UNSCORED = [REASONS.index(reason) for reason in UNSCORED]
_WORDS = sorted(OUTCOMES)
_RANKS = np.array([_WORDS.index(word) for word in OUTCOMES], np.int64)
"""The place of each outcome among their words, by which errors are sorted."""
Ints = npt.NDArray[np.int64]


class FlatDocuments(NamedTuple):
    """Documents of declared leaves only, with their numbers."""

    numbers: Sequence[int]
    expected: Sequence[dict[str, Json]]
    predicted: Sequence[dict[str, Json]]


class _Where(NamedTuple):
    """Where an object is in a list: its paths in the expected and in the predicted document, and the pair's score."""

    path: str
    predicted_path: str
    similarity: float

    def below(self, step: str) -> _Where:
        path = self.path + step
        return _Where(path, path if self.path == self.predicted_path else self.predicted_path + step, self.similarity)


class _Objects:
    """The objects of one plan, of which all leaves count as what their results say."""

    def __init__(self, plan: ObjectPlan, number_of: Any) -> None:
        nodes = list(plan.fields.values())
        self.fields = [number_of(node.path) if type(node) is LeafPlan else -1 for node in nodes]
        self.names, self.paths = plan.names, [node.path for node in nodes]
        self.steps = [f".{escape(name)}" for name in plan.names]
        self.others = [k for k, node in enumerate(nodes) if type(node) is not LeafPlan]
        self.documents: list[int] = []
        self.batches: list[Any] = []
        """Documents of which each is one of the objects."""
        self.in_list = False


class _Row(NamedTuple):
    """A value that is not plainly the same on both sides."""

    document: int
    field: int
    outcome: int
    path: str | None
    predicted_path: str | None
    score: float
    raw_score: float
    reason: int
    alternate: int
    pair_score: float
    pair_threshold: float
    pair_accepted: int
    confidence: float
    expected: Json
    predicted: Json


class ShardTables(NamedTuple):
    """What is kept of the compared values of a shard; the values themselves where they are asked for."""

    errors: pa.Table
    counts: pa.Table
    scores: pa.Table
    confidences: pa.Table | None
    pairs: pa.Table | None
    kinds: KindCounts


class ComparedRows:
    """Collects what is kept of documents."""

    def __init__(self) -> None:
        self.fields: dict[str, int] = {}
        self._listed: set[int] = set()
        self._objects: dict[ObjectPlan, _Objects] = {}
        self._same: tuple[list[int], list[int]] = ([], [])
        """The fields and documents of identical values that were found one by one."""
        self._less: tuple[list[int], list[int], list[int]] = ([], [], [])
        """The fields, documents and outcomes of leaves of objects that are no matches."""
        self._flat: list[Added] = []
        self._rows: list[_Row] = []
        self._alone: list[int] = []
        """Which rows are no leaves of objects that are counted together."""
        self._kinds: dict[int, int] = {}
        self._mistakes = Mistakes()
        self._sure: list[tuple[int, int, float, bool]] = []
        self._sections: list[tuple[int, str, str | None]] = []
        """The documents, ids and classes of sections; a negative number of a document is that of a section."""
        self._pairs = PairRows()

    def add(
        self,
        number: int,
        plan: ObjectPlan,
        result: ObjectResult,
        confidences: Mapping[str, Json] | None = None,
        *,
        section: tuple[str, str | None] | None = None,
    ) -> bool | None:
        """Take a document, or a section with its id and class; ``confidences`` are those of predicted values, by path.

        Return whether both sides have it; None where no field could have a value.
        """
        self._pairs.add(number, result, confidences or {}, section)
        has_both: bool | None = True
        if section is None and not confidences and is_plain(result):
            self._object(number, result, None)
        else:
            if section is not None:
                self._sections.append((number, *section))
                number = -len(self._sections)
            has_both = self._one_by_one(number, plan, result, confidences or {})
        if self._mistakes.found:
            self._mistakes.settle(result.expected)
        return has_both

    def _number(self, field: str) -> int:
        return self.fields.setdefault(field, len(self.fields))

    def _of(self, plan: ObjectPlan) -> _Objects:
        return self._objects.get(plan) or self._objects.setdefault(plan, _Objects(plan, self._number))

    def _object(self, document: int, result: ObjectResult, where: _Where | None) -> None:
        plan = result.plan
        block = self._of(plan)
        block.documents.append(document)
        block.in_list |= where is not None
        children = result.children
        if children is plan.all_same:
            return
        for k, child in enumerate(children):
            if child is SAME:
                continue
            if type(child) is LeafResult:
                self._leaf(document, block, k, child, result, where)
            else:
                inside = None if where is None else where.below(block.steps[k])
                self._inner(document, child, inside)

    def _inner(self, document: int, result: Result, where: _Where | None) -> None:
        """Take an object, or the rows of a list, which are objects."""
        if isinstance(result, ObjectResult):
            self._object(document, result, where)
        elif isinstance(result, ListResult):
            path, predicted_path = (result.plan.path, result.plan.path) if where is None else where[:2]
            for i, j, similarity, _, item in result.pairs:
                at = f"{path}[{i}]"
                predicted_at = at if i == j and path == predicted_path else f"{predicted_path}[{j}]"
                self._inner(document, item, _Where(at, predicted_at, similarity))

    def _leaf(
        self, document: int, block: _Objects, k: int, leaf: LeafResult, result: ObjectResult, where: _Where | None
    ) -> None:
        outcome, raw, score, note, alternate = leaf
        field = block.fields[k]
        if outcome is not MATCH:
            for column, value in zip(self._less, (field, document, outcome.at), strict=True):
                column.append(value)
            if outcome is ABSENT:
                return
        elif raw == 1.0 and not note and alternate < 0:
            return
        path = block.paths[k] if where is None else where.path + block.steps[k]
        predicted_path = path if where is None or where.path == where.predicted_path else where[1] + block.steps[k]
        name = block.names[k]
        expected, predicted = result.expected.get(name), result.predicted.get(name)
        expected = chosen(expected, alternate)
        self._rows.append(
            _Row(
                document,
                field,
                outcome.at,
                None if outcome is SPURIOUS else path,
                None if outcome is MISSED else predicted_path,
                score,
                raw,
                note_code(note) if note else 0,
                alternate,
                np.nan if where is None else where.similarity,
                np.nan,
                -1 if where is None else 1,
                np.nan,
                expected,
                predicted,
            )
        )
        if outcome is MISMATCH:
            place = "" if where is None else row_of(where.path)
            mistake = Mistake(block.paths[k], expected, predicted, place, False)
            self._mistakes.add(mistake, self._kinds, len(self._rows) - 1)

    def _one_by_one(
        self, document: int, plan: ObjectPlan, result: ObjectResult, confidences: Mapping[str, Json]
    ) -> bool | None:
        has_both: bool | None = None
        for place in leaves_of(result, UndeclaredKeys(plan, result.expected, plan.extras or "leaves")):
            outcome, leaf = place.outcome, place.result
            has_both = bool(has_both) or outcome in (MATCH, MISMATCH, ABSENT)
            field = self._number(place.field)
            if outcome is ABSENT:
                continue
            sure = np.nan if outcome is MISSED else _confidence(confidences.get(place.predicted_path))
            if sure == sure:
                self._sure.append((field, document, sure, outcome is MATCH))
            if (place.predicted_path if outcome is SPURIOUS else place.path) != place.field:
                self._listed.add(field)
            if outcome is MATCH and leaf.raw_score == 1.0 and not leaf.note and leaf.alternate < 0:
                self._same[0].append(field)
                self._same[1].append(document)
                continue
            self._place(document, field, place, sure)
        return has_both

    def _place(self, document: int, field: int, place: LeafAt, sure: float) -> None:
        result, row, outcome = place.result, place.row, place.outcome
        expected = chosen(place.expected, result.alternate)
        is_rejected = row is not None and not row.accepted
        self._alone.append(len(self._rows))
        self._rows.append(
            _Row(
                document,
                field,
                outcome.at,
                None if outcome is SPURIOUS else place.path,
                None if outcome is MISSED else place.predicted_path,
                0.0 if is_rejected else result.score,
                result.raw_score,
                _reason(place),
                result.alternate,
                np.nan if row is None or row.similarity is None else row.similarity,
                np.nan if row is None or row.threshold is None else row.threshold,
                -1 if row is None else int(row.accepted),
                sure,
                expected,
                place.predicted,
            )
        )
        if outcome is MISMATCH:
            self._mistakes.add(mistake_at(place, expected), self._kinds, len(self._rows) - 1)

    def add_flat(self, plan: ObjectPlan, flat: FlatDocuments, found: Differing) -> None:
        """Take documents of declared leaves only, given those that are not the same on both sides."""
        block = self._of(plan)
        numbers = np.array(flat.numbers, np.int64)
        block.batches.append(numbers)
        fields = np.array(block.fields, np.int64)[found.fields]
        documents = found.documents
        is_less = found.outcomes != MATCH.at
        self._flat.append(_moved(fields[is_less], numbers[documents[is_less]], found.outcomes[is_less]))
        self._pairs.add_flat(flat.numbers, flat.expected, flat.predicted)
        reasons = np.array([note_code(note) if note else 0 for note in found.notes], np.int64)
        is_odd = is_less | (found.raw_scores < 1.0) | (reasons > 0) | (found.alternates >= 0)
        rows = np.flatnonzero(is_odd & (found.outcomes != ABSENT.at))
        columns = (documents, found.fields, found.outcomes, found.scores, found.raw_scores, reasons, found.alternates)
        wrong: list[tuple[int, int, Mistake]] = []
        for at, k, outcome, score, raw, reason, alternate in zip(
            *(column[rows].tolist() for column in columns), strict=True
        ):
            name, path = block.names[k], block.paths[k]
            expected, predicted = flat.expected[at].get(name), flat.predicted[at].get(name)
            if alternate >= 0:
                expected = chosen(expected, alternate)
            if outcome == MISMATCH.at:
                wrong.append((at, len(self._rows), Mistake(path, expected, predicted)))
            self._rows.append(
                _new_row(
                    _Row,
                    (
                        flat.numbers[at],
                        block.fields[k],
                        outcome,
                        None if outcome == SPURIOUS.at else path,
                        None if outcome == MISSED.at else path,
                        score,
                        raw,
                        reason,
                        alternate,
                        np.nan,
                        np.nan,
                        -1,
                        np.nan,
                        expected,
                        predicted,
                    ),
                )
            )
        for at, group in groupby(wrong, itemgetter(0)):
            some = list(group)
            codes = mismatch_codes(flat.expected[at], [mistake for *_, mistake in some])
            self._kinds.update(zip([row for _, row, _ in some], codes, strict=True))

    # Tables

    def to_tables(self, documents: DocumentRows, *, with_values: bool) -> ShardTables:
        """Return everything as tables."""
        names, size = list(self.fields), len(documents.ids)
        columns = list(zip(*self._rows, strict=True)) if self._rows else [()] * len(_Row._fields)
        counted = np.zeros(size, bool)
        counted[list(documents.counted)] = True
        tables = list(self._counter(columns, size).by_field(len(names)))
        listed = self._listed_fields()
        errors = self._errors(columns, documents, with_values=with_values)
        matches = np.array([table[:, 0].sum() for table in tables], np.int64)
        return ShardTables(
            errors,
            counts_table(names, tables, counted, (field in listed for field in range(len(names)))),
            self._scores(columns, names, matches),
            self._confidences() if self._sure else None,
            self._pairs.to_table(size) if with_values else None,
            count_kinds(errors),
        )

    def _owners(self, numbers: Any) -> Ints:
        """Return the numbers of documents in place of those of their sections."""
        found = np.asarray(numbers, np.int64)
        if not self._sections:
            return found
        owners = np.array([number for number, *_ in self._sections], np.int64)
        return np.where(found < 0, owners[-1 - np.minimum(found, -1)], found)

    def _counter(self, columns: Sequence[Sequence[Any]], size: int) -> FieldCounter:
        counter = FieldCounter(size)
        for block in self._objects.values():
            numbers = np.concatenate([np.array(block.documents, np.int64), *block.batches])
            counter.add_objects([field for field in block.fields if field >= 0], numbers)
        for added in self._flat:
            counter.add(added)
        fields, documents, outcomes = self._less
        counter.add(_moved(np.array(fields, np.int64), np.array(documents, np.int64), np.array(outcomes, np.int64)))
        same = [np.array(column, np.int64) for column in self._same]
        counter.add(Added.of(same[0], self._owners(same[1]), np.zeros(len(same[0]), np.int64), 1))
        alone = np.array(self._alone, np.int64)
        document, field, outcome = (np.array(column, np.int64)[alone] for column in columns[:3])
        counter.add(Added.of(field, self._owners(document), outcome, 1))
        return counter

    def _listed_fields(self) -> set[int]:
        inside = (block.fields for block in self._objects.values() if block.in_list)
        return self._listed.union(*inside)

    def _errors(self, columns: Sequence[Sequence[Any]], documents: DocumentRows, *, with_values: bool) -> pa.Table:
        made: Any = dict(zip(_Row._fields, columns, strict=True))
        numbers, outcomes = np.array(made["document"], np.int64), np.array(made["outcome"], np.int64)
        owners, fields = self._owners(numbers), np.array(made["field"], np.int64)
        names = list(self.fields)
        order_of_names = sorted(range(len(names)), key=names.__getitem__)
        ranks = np.argsort(np.array(order_of_names, np.int64))
        places = [path or other or "" for path, other in zip(made["path"], made["predicted_path"], strict=True)]
        by_path = {path: rank for rank, path in enumerate(sorted(set(places)))}
        of_path = np.array([by_path[path] for path in places], np.int64)
        order = np.lexsort((of_path, owners, _RANKS[outcomes], ranks[fields])) if len(fields) else np.zeros(0, np.int64)
        raw, reasons = np.array(made["raw_score"], np.float64), np.array(made["reason"], np.int64)
        accepted = np.full(len(order), -1, np.int8)
        accepted[(outcomes == MATCH.at) & (raw < 1.0)] = ACCEPTED.index("similar")
        accepted[reasons == WRITTEN_CODE] = ACCEPTED.index("written_differently")
        reasons[reasons == WRITTEN_CODE] = 0
        kinds = kind_codes(outcomes)
        kinds[list(self._kinds)] = list(self._kinds.values())
        flags = np.array(made["pair_accepted"], np.int8)
        alternates = np.array(made["alternate"], np.int32)
        table = {
            "field": named_column(ranks[fields].astype(np.int32), [names[at] for at in order_of_names]),
            "outcome": named_column(_RANKS[outcomes].astype(np.int8), _WORDS),
            "document": pa.array(owners.astype(np.int32)),
            **self._section_columns(numbers, documents),
            "path": text_column(made["path"]),
            "predicted_path": text_column(made["predicted_path"]),
            "accepted": _named(accepted, ACCEPTED),
            "kind": _named(kinds, KINDS),
            "score": pa.array(np.array(made["score"], np.float64)),
            "raw_score": pa.array(raw),
            **_sides(made, with_values=with_values),
            "confidence": optional(np.array(made["confidence"], np.float64)),
            "pair_score": optional(np.array(made["pair_score"], np.float64)),
            "pair_threshold": optional(np.array(made["pair_threshold"], np.float64)),
            "pair_accepted": pa.array(flags == 1, mask=flags < 0),
            "alternate_index": pa.array(alternates, mask=alternates < 0),
            "reason": named_column(reasons.astype(np.int8), REASONS),
        }
        rows: pa.Table = pa.table([table[name] for name in ERRORS.names], names=ERRORS.names).take(order)
        return rows

    def _section_columns(self, numbers: Ints, documents: DocumentRows) -> dict[str, Any]:
        """Return the columns of sections and classes, null where a document has none."""
        classes = documents.classes()
        sections = [None if number >= 0 else self._sections[-1 - number][1] for number in numbers.tolist()]
        own = [classes.get(n) if n >= 0 else self._sections[-1 - n][2] for n in numbers.tolist()]
        return {"section": text_column(sections), "class": text_column(own)}

    def _scores(self, columns: Sequence[Sequence[Any]], names: Sequence[str], matches: Ints) -> pa.Table:
        """Count the raw scores of values that both sides have; those without a row are the same and score 1."""
        at = _Row._fields.index
        fields, outcomes, reasons = (np.array(columns[at(name)], np.int64) for name in ("field", "outcome", "reason"))
        raw = np.array(columns[at("raw_score")], np.float64)
        own = np.bincount(fields[outcomes == MATCH.at], minlength=len(names))
        rows = np.flatnonzero((outcomes == MATCH.at) | (outcomes == MISMATCH.at))
        scored = ~np.isin(reasons[rows], _UNSCORED)
        return tally_scores(fields[rows], names, raw[rows], scored, matches - own)

    def _confidences(self) -> pa.Table:
        fields, documents, sure, right = zip(*self._sure, strict=True)
        names = list(self.fields)
        order = sorted(range(len(names)), key=names.__getitem__)
        ranks = np.argsort(np.array(order, np.int64))[np.array(fields, np.int64)]
        owners = self._owners(documents)
        rows = np.lexsort((owners, ranks))
        columns = [
            named_column(ranks.astype(np.int32), [names[at] for at in order]),
            pa.array(owners.astype(np.int32)),
            pa.array(sure, pa.float64()),
            pa.array(right, pa.bool_()),
        ]
        table: pa.Table = pa.table(columns, names=CONFIDENCES.names).take(rows)
        return table


_new_row: Any = tuple.__new__


def _moved(fields: Any, documents: Any, outcomes: Any) -> Added:
    """Return counts of leaves that are what ``outcomes`` say, where matches were counted; absent ones are nowhere."""
    is_there = outcomes != ABSENT.at
    zeros: Any = np.zeros(len(fields), np.int64)
    taken, given = (
        Added.of(fields, documents, zeros, -1),
        Added.of(fields[is_there], documents[is_there], outcomes[is_there], 1),
    )
    return Added(*(np.concatenate(columns) for columns in zip(taken, given, strict=True)))


def _sides(made: Mapping[str, Sequence[Any]], *, with_values: bool) -> dict[str, Any]:
    if not with_values:
        return {name: pa.nulls(len(made["document"]), ERRORS.field(name).type) for name in VALUE_COLUMNS}
    columns: dict[str, Any] = {}
    for name in ("expected", "predicted"):
        columns |= side_columns(name, side(made[name]))
    return columns


def side_columns(name: str, values: Side) -> dict[str, Any]:
    """Return the columns of the values of one side."""
    size = len(values.is_json)
    return {
        name: values.text,
        f"{name}_is_json": pa.array(values.is_json),
        f"{name}_length": pa.nulls(size, pa.int64()) if values.length is None else values.length,
        f"{name}_sha256": pa.nulls(size, pa.string()) if values.sha256 is None else values.sha256,
    }


def _named(codes: Any, names: Sequence[str]) -> Any:
    """Return a column of names given by their numbers, null where that is negative."""
    numbers: Any = pa.array(codes, mask=codes < 0)
    return pa.DictionaryArray.from_arrays(numbers, pa.array(names))


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
