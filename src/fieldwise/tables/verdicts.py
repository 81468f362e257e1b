"""Verdict rows as a table: one row for each compared place of each document.

A value that is text stands as it is, any other as JSON (``*_is_json``); a long one is cut, with its length and hash.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from operator import itemgetter
from typing import Any, NamedTuple

import numpy as np
import orjson
import pyarrow as pa

from fieldwise.compare.leaves import LeafPlan
from fieldwise.compare.lists import ListPlan, items_of
from fieldwise.compare.objects import ObjectPlan
from fieldwise.compare.places import Place, places, unknown_items
from fieldwise.compare.results import SAME, LeafResult, ListResult, ObjectResult, Outcome, Result
from fieldwise.compare.verdicts import chosen
from fieldwise.spec import escape
from fieldwise.values import Json, plain

SCHEMA_VERSION = 1
LONGEST = 4096
"""So many characters of a value are kept."""
OUTCOMES = tuple(outcome.word for outcome in Outcome)
REASONS = ("", "type", "row", "alone", "undeclared")
"""Why a place counts as it does: its score; a value of another kind; a rejected or unpaired row; no such field."""

_NAMES = pa.dictionary(pa.int32(), pa.string())
_COLUMNS: list[tuple[str, Any]] = [
    ("document", _NAMES),
    ("path", _NAMES),
    ("field", _NAMES),
    ("outcome", pa.dictionary(pa.int8(), pa.string())),
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
    ("reason", pa.dictionary(pa.int8(), pa.string())),
    ("schema_version", pa.int8()),
]
VERDICTS = pa.schema(_COLUMNS)


class _Names:
    """Names in order of their first use, by number."""

    def __init__(self) -> None:
        self.numbers: dict[str, int] = {}

    def number(self, name: str) -> int:
        return self.numbers.setdefault(name, len(self.numbers))

    def column(self, numbers: Sequence[int]) -> Any:
        return _named(np.array(numbers, dtype=np.int32), list(self.numbers))


class _Fields:
    """The leaves of an object of the plan, ready to be appended as a block of rows."""

    def __init__(self, plan: ObjectPlan, rows: VerdictRows, weight: float) -> None:
        self.plans = tuple(plan.fields.values())
        self.weights = [weight * node.weight for node in self.plans]
        leaves = [k for k, node in enumerate(self.plans) if type(node) is LeafPlan]
        self.position = {k: at for at, k in enumerate(leaves)}
        self.others = [k for k in range(len(self.plans)) if k not in self.position]
        self.steps = [f".{escape(plan.names[k])}" for k in leaves]
        self.fields = [rows.field_number(self.plans[k].path, self.weights[k]) for k in leaves]
        self.paths = [rows.paths.number(self.plans[k].path) for k in leaves]
        self.names = [plan.names[k] for k in leaves]
        self._values = itemgetter(*self.names) if len(self.names) > 1 else None

    def values(self, value: Mapping[str, Json]) -> Sequence[Json]:
        if self._values is not None:
            try:
                return self._values(value)  # type: ignore[no-any-return]  # a tuple, as it has several names
            except KeyError:
                pass
        return [value.get(name) for name in self.names]


class _Odd(NamedTuple):
    """What is to be said of a row, unless both values are the same."""

    outcome: int
    score: float
    raw: float
    reason: int = 0
    alternate: int = -1


class VerdictRows:
    """Collects the rows of documents, column by column; rows whose values are the same need the least."""

    def __init__(self) -> None:
        self.fields, self.paths = _Names(), _Names()
        self.weights: list[float] = []
        self._blocks: dict[ObjectPlan, _Fields] = {}
        self._empty()

    def _empty(self) -> None:
        self.documents: list[str] = []
        self.rows_of: list[int] = []
        self.field: list[int] = []
        self.path: list[int] = []
        self.expected: list[Json] = []
        self.predicted: list[Json] = []
        self.odd: dict[int, _Odd] = {}
        self.confidences: dict[int, float] = {}
        self.pairs: list[tuple[int, int, float | None, bool]] = []
        """Runs of rows that stand in a pair of list items: where, how many, its similarity, whether accepted."""

    def field_number(self, path: str, weight: float) -> int:
        """Return the number of a field, which has the same weight wherever it occurs."""
        number = self.fields.number(path)
        if number == len(self.weights):
            self.weights.append(weight)
        return number

    def add(
        self, document: str, plan: ObjectPlan, result: ObjectResult, confidences: Mapping[str, Json] | None = None
    ) -> None:
        """Append the rows of one document; ``confidences`` are those of predicted values, by path."""
        before = len(self.field)
        if not confidences and _is_plain(plan, result):
            self._object(plan, result, 1.0, None)
        else:
            for place in places(plan, result):
                self._place(place, confidences or {})
        self.documents.append(document)
        self.rows_of.append(len(self.field) - before)

    def _object(self, plan: ObjectPlan, result: ObjectResult, weight: float, prefix: str | None) -> None:
        """Append the leaves of an object; ``prefix`` is its path where it stands in a list."""
        block = self._blocks.get(plan)
        if block is None:
            block = self._blocks[plan] = _Fields(plan, self, weight)
        base = len(self.field)
        self.field.extend(block.fields)
        if prefix is None:
            self.path.extend(block.paths)
        else:
            number = self.paths.number
            self.path.extend([number(prefix + step) for step in block.steps])
        self.expected.extend(block.values(result[6]))
        self.predicted.extend(block.values(result[7]))
        children = result[5]
        if children is plan.all_same:
            return
        for k, child in enumerate(children):
            if child is not SAME and type(child) is LeafResult:
                leaf = _Odd(child[0].at, child[2], child[1], int(child[3] == "type"))
                self.odd[base + block.position[k]] = leaf
        for k in block.others:
            self._inner(block.plans[k], children[k], block.weights[k], prefix)

    def _inner(self, plan: Any, result: Result, weight: float, prefix: str | None) -> None:
        here = plan.path if prefix is None else f"{prefix}.{plan.path.rpartition('.')[2]}"
        if type(result) is ObjectResult:
            self._object(plan, result, weight, None if prefix is None else here)
            return
        assert type(result) is ListResult
        for pair in result[5]:
            before = len(self.field)
            row: Any = pair[4]
            self._object(plan.item, row, weight, f"{here}[{pair[0]}]")
            self.pairs.append((before, len(self.field) - before, pair[2], True))

    def _place(self, place: Place, confidences: Mapping[str, Json]) -> None:
        result, row = place.result, place.row
        at = len(self.field)
        sure = confidences.get(place.predicted_path.replace("\\", ""))
        if isinstance(sure, (int, float)) and not isinstance(sure, bool) and 0 <= sure <= 1:
            self.confidences[at] = float(sure)
        self.field.append(self.field_number(place.field, place.weight))
        self.path.append(self.paths.number(place.path))
        self.expected.append(chosen(place.expected, result.alternate))
        self.predicted.append(place.predicted)
        if row is not None:
            self.pairs.append((at, 1, row.similarity, row.accepted))
        score = result.kept if row is None or row.accepted else 0.0
        self.odd[at] = _Odd(place.outcome.at, score, result.share, _reason(place), result.alternate)

    def to_table(self) -> pa.Table:
        """Return the rows as an Arrow table, and forget them."""
        size = len(self.field)
        columns: dict[str, Any] = {
            "document": _repeated(self.documents, self.rows_of),
            "path": self.paths.column(self.path),
            "field": self.fields.column(self.field),
            **self._judged(size),
            **_values("expected", self.expected),
            **_values("predicted", self.predicted),
            "weight": pa.array(np.array(self.weights)[self.field] if size else [], pa.float64()),
            "confidence": self._sure(size),
            **self._paired(size),
            "schema_version": pa.array(np.full(size, SCHEMA_VERSION, np.int8)),
        }
        table = pa.table([columns[name] for name in VERDICTS.names], schema=VERDICTS)
        self.paths = _Names()
        self._blocks = {}
        self._empty()
        return table

    def _judged(self, size: int) -> dict[str, Any]:
        outcome, reason = np.zeros(size, np.int8), np.zeros(size, np.int8)
        score, raw, alternate = np.ones(size), np.ones(size), np.full(size, -1, np.int32)
        if self.odd:
            at = np.fromiter(self.odd, np.int64, len(self.odd))
            outcome[at], score[at], raw[at], reason[at], alternate[at] = zip(*self.odd.values(), strict=True)
        return {
            "outcome": _named(outcome, OUTCOMES),
            "score": pa.array(score),
            "raw_score": pa.array(raw),
            "reason": _named(reason, REASONS),
            "alternate_index": pa.array(alternate, mask=alternate < 0),
        }

    def _sure(self, size: int) -> Any:
        if not self.confidences:
            return pa.nulls(size, pa.float64())
        sure = np.full(size, np.nan)
        sure[list(self.confidences)] = list(self.confidences.values())
        return pa.array(sure, mask=np.isnan(sure))

    def _paired(self, size: int) -> dict[str, Any]:
        if not self.pairs:
            return {"pair_score": pa.nulls(size, pa.float64()), "pair_accepted": pa.nulls(size, pa.bool_())}
        score, accepted, inside = np.full(size, np.nan), np.zeros(size, bool), np.zeros(size, bool)
        starts, counts, similarities, decisions = zip(*self.pairs, strict=True)
        rows = np.repeat(np.array(starts) - np.concatenate(([0], np.cumsum(counts)[:-1])), counts)
        rows += np.arange(len(rows))
        score[rows] = np.repeat(np.array([np.nan if s is None else s for s in similarities]), counts)
        accepted[rows], inside[rows] = np.repeat(np.array(decisions), counts), True
        return {
            "pair_score": pa.array(score, mask=np.isnan(score)),
            "pair_accepted": pa.array(accepted, mask=~inside),
        }


def _repeated(names: Sequence[str], counts: Sequence[int]) -> Any:
    return _named(np.repeat(np.arange(len(counts), dtype=np.int32), counts), names)


def _named(numbers: Any, names: Sequence[str]) -> Any:
    return pa.DictionaryArray.from_arrays(pa.array(numbers), _strings(names))


def _is_plain(plan: ObjectPlan, result: ObjectResult) -> bool:
    """Tell whether every leaf counts as what its result says: no stray value, no undeclared key, no row apart."""
    if result.stray or type(result[6]) is not dict or type(result[7]) is not dict:
        return False
    if unknown_items(plan, result[7]):
        return False
    if result[5] is plan.all_same:
        return True
    for node, child in zip(plan.fields.values(), result[5], strict=True):
        if child is not SAME and not _is_plain_child(node, child):
            return False
    return True


def _is_plain_child(node: Any, child: Result) -> bool:
    if type(child) is LeafResult:
        return type(node) is LeafPlan and child[4] < 0
    if type(child) is ObjectResult:
        return type(node) is ObjectPlan and _is_plain(node, child)
    if type(node) is not ListPlan or type(node.item) is not ObjectPlan or type(child) is not ListResult:
        return False
    if child.stray or child.missed or child.spurious or child.outcome is not None:
        return False
    pairs = child[5]
    if len(pairs) < len(items_of(child.predicted) or ()):
        return False  # an item of which no declared leaf has a value
    item: Any = node.item
    return all(pair[3] and _is_plain(item, pair[4]) for pair in pairs)  # type: ignore[arg-type]  # rows of objects


def _reason(place: Place) -> int:
    if place.plan is None:
        return 4
    if place.row is not None and not place.row.accepted:
        return 2 if place.row.similarity is not None else 3
    return 1 if place.result.note == "type" else 0


def _values(side: str, values: Sequence[Json]) -> dict[str, Any]:
    """Return the columns of one side: the text, whether it is JSON, and length and hash where it was cut."""
    texts = _texts(values)
    is_json = np.fromiter([type(value) is not str for value in values], bool, len(values))
    lengths, hashes = pa.nulls(len(values), pa.int64()), pa.nulls(len(values), pa.string())
    if max(map(len, filter(None, texts)), default=0) > LONGEST:
        cut = [_cut(text) for text in texts]
        texts, lengths, hashes = [c[0] for c in cut], pa.array([c[1] for c in cut]), pa.array([c[2] for c in cut])
    found = _strings(texts)
    return {
        side: found,
        f"{side}_is_json": pa.array(is_json, mask=np.asarray(found.is_null())),
        f"{side}_length": lengths.cast(pa.int64()),
        f"{side}_sha256": hashes.cast(pa.string()),
    }


def _texts(values: Sequence[Json]) -> list[str | None]:
    """Return each value as text; all numbers are written at once, which is quicker by far."""
    numbers = [value for value in values if type(value) is float or type(value) is int]
    try:
        written = iter(orjson.dumps(numbers)[1:-1].decode().split(","))
    except TypeError:  # an integer of more than 64 bits
        written = map(str, numbers)
    return [
        value
        if type(value) is str
        else next(written)
        if type(value) is float or type(value) is int
        else None
        if value is None
        else _json(value)
        for value in values
    ]


def _cut(text: str | None) -> tuple[str | None, int | None, str | None]:
    if text is None or len(text) <= LONGEST:
        return text, None, None
    return text[:LONGEST], len(text), hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def _strings(texts: Sequence[str | None]) -> Any:
    try:
        return pa.array(texts, pa.string())
    except UnicodeEncodeError:  # half of a surrogate pair
        return pa.array([t and t.encode("utf-8", "replace").decode() for t in texts], pa.string())


def _json(value: Json) -> str:
    try:
        return orjson.dumps(value).decode()
    except TypeError:
        return orjson.dumps(plain(value), default=str).decode()
