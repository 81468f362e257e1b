"""Sums of confusion matrices and of the scores in them, by field path.

What a node counts, and which matrix is malformed, is decided in `fieldwise.bulk_aggregator`. Many matrices at once,
as ``compare_with`` makes them, are read here without it, field by field; anything unusual goes the way of the rule.
"""

from __future__ import annotations

import math
import sys
from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import chain
from operator import itemgetter
from typing import Any, TypeAlias, TypeGuard

import orjson

from fieldwise.bulk_aggregator import MAX_DEPTH, MAX_NODES, METRIC_KEYS, BulkEvaluationAggregator, metrics_of, ratio
from fieldwise.counting.document_sums import UNIT
from fieldwise.errors import InputError
from fieldwise.spec import escape
from fieldwise.states import MOST, by_name, refuse, whole
from fieldwise.states import named as state_of
from fieldwise.values import Json

Row: TypeAlias = list[int]
"""The six counts, the nodes that did not say ``fd``, the sum of scores in units, and how many scores."""

_NAMES = (*METRIC_KEYS, "without_fd", "score_sum", "score_count")
_WIDTH = len(_NAMES)
_UNSAID, _SCORES, _SCORED = 6, 7, 8
_MAX_BITS = 53
_SCORE = "threshold_applied_score"
_NO_FIELDS: dict[str, Json] = {}
_six, _overall, _score, _fields = (
    itemgetter(*METRIC_KEYS),
    itemgetter("overall"),
    itemgetter(_SCORE),
    itemgetter("fields"),
)
_has_no_others = frozenset((*METRIC_KEYS, "nested_fields")).isdisjoint


class _UnusualError(Exception):
    """A matrix is not as ``compare_with`` makes it."""


class MatrixSums:
    """What all matrices together count. Integers that only add: any order and any split gives the same."""

    def __init__(self) -> None:
        self.overall: Row = [0] * _WIDTH
        self.fields: dict[str, Row] = {}

    def add(self, matrix: Json) -> None:
        """Add one matrix, each node once; one that is malformed anywhere raises InputError and adds nothing."""
        alone = BulkEvaluationAggregator()
        alone.update(matrix)
        state = alone.to_state()
        for error in state["errors"]:
            raise InputError(
                f"{error['error']} - at {error['path'] or 'the root'} of the confusion matrix",
                code="input.not_counts",
                facts={"path": error["path"]},
            )
        if not state["document_count"]:
            raise InputError(
                "Expected a confusion matrix with 'overall' or 'fields', got an empty one", code="input.not_counts"
            )
        _add(self.overall, state["overall"])
        for path, counts in state["fields"].items():
            _add(self._row(path), counts)
        self._add_scores(matrix)

    def _add_scores(self, matrix: dict[str, Json]) -> None:
        """Add the scores of a matrix that is counted already."""
        todo = [(matrix, "")]
        while todo:
            parent, prefix = todo.pop()
            for name, node in {**parent.get("nested_fields", {}), **parent.get("fields", {})}.items():
                path = prefix + escape(name)
                score = node.get(_SCORE)
                if is_score(score):
                    row = self._row(path)
                    row[_SCORES] += fixed(score)
                    row[_SCORED] += 1
                todo.append((node, f"{path}."))

    def add_usual(self, matrices: Sequence[Json]) -> bool:
        """Add many matrices if all of them are as ``compare_with`` makes them; else add nothing and return False."""
        try:
            overall, fields = _read_columns(matrices)
        except (_UnusualError, KeyError, TypeError, ValueError, AttributeError):
            return False
        _add(self.overall, overall)
        for path, row in fields.items():
            _add(self._row(path), row)
        return True

    def _row(self, path: str) -> Row:
        return self.fields.setdefault(path, [0] * _WIDTH)

    def merge(self, other: MatrixSums) -> None:
        """Add what another has summed."""
        _add(self.overall, other.overall)
        for path, row in other.fields.items():
            _add(self._row(path), row)

    def metrics(self) -> dict[str, Any]:
        """Return the counts and ratios of all matrices' own ``overall``."""
        return _metrics(self.overall)

    def field_metrics(self) -> dict[str, dict[str, Any]]:
        """Return counts and ratios by path, sorted, with the mean score where there are scores."""
        out = {path: _metrics(row) for path, row in sorted(self.fields.items())}
        for path, row in self.fields.items():
            if row[_SCORED]:
                out[path]["mean_score"] = mean_of(row[_SCORES], row[_SCORED])
        return out

    def to_state(self) -> dict[str, Json]:
        """Return the sums as JSON."""
        return {"overall": _named(self.overall), "fields": {p: _named(row) for p, row in sorted(self.fields.items())}}

    @classmethod
    def from_state(cls, state: Mapping[str, Json]) -> MatrixSums:
        """Return the sums that ``to_state`` gave."""
        check_matrix_sums(state, "")
        made = cls()
        made.overall = _row(state["overall"])
        made.fields = {path: _row(row) for path, row in state["fields"].items()}
        return made


def _read_columns(matrices: Sequence[Json]) -> tuple[Row, dict[str, Row]]:
    """Return the sums of the roots and of each path, one path over all matrices after the other."""
    found: dict[str, Row] = {}
    todo = [("", matrices, 0)]
    while todo:
        path, nodes, depth = todo.pop()
        if depth > MAX_DEPTH or len(found) > MAX_NODES:
            raise _UnusualError
        found[path] = _read_column(nodes, scored=depth > 0)
        prefix = f"{path}." if depth else ""
        todo += [(prefix + escape(name), below, depth + 1) for name, below in _below(nodes)]
    return found.pop(""), found


def _read_column(nodes: Sequence[Json], *, scored: bool) -> Row:
    """Return the sum of one path's nodes: six whole numbers in ``overall``, and no other counts."""
    if not all(map(_has_no_others, nodes)):
        raise _UnusualError
    counts = [*map(_six, map(_overall, nodes))]
    # As JSON, whole numbers from 0 are nothing but digits; booleans, floats and texts are not.
    if orjson.dumps(counts).translate(None, b"0123456789[],"):
        raise _UnusualError
    row = [*map(sum, zip(*counts, strict=True)), 0, 0, 0]
    if max(row) >> _MAX_BITS:  # then one count may be as large, which the rule refuses
        raise _UnusualError
    if scored:
        _add_scores_of(nodes, row)
    return row


def _add_scores_of(nodes: Sequence[Json], row: Row) -> None:
    try:
        scores = [*map(_score, nodes)]
    except KeyError:
        scores = [node[_SCORE] for node in nodes if _SCORE in node]
    if bool in {*map(type, scores)}:
        raise _UnusualError
    for score, times in Counter(scores).items():
        if is_score(score):
            row[_SCORES] += fixed(score) * times
            row[_SCORED] += times


def _below(nodes: Sequence[Json]) -> list[tuple[str, list[Json]]]:
    """Return the nodes of each field below, by name."""
    try:
        inner = [*map(_fields, nodes)]
    except KeyError:
        inner = [node.get("fields", _NO_FIELDS) for node in nodes]
    if {*map(type, inner)} != {dict}:
        raise _UnusualError
    return [(name, _named_in(inner, name)) for name in dict.fromkeys(chain.from_iterable(inner))]


def _named_in(inner: Sequence[Json], name: str) -> list[Json]:
    try:
        return [*map(itemgetter(name), inner)]
    except KeyError:
        return [fields[name] for fields in inner if name in fields]


def fixed(score: float) -> int:
    """Return a score in units, so that sums of scores do not depend on their order.

    >>> fixed(0.25)
    250000000000
    """
    return round(score * UNIT)


def mean_of(units: int, count: int) -> float:
    """Return the mean of scores that were summed in units; 0.0 for none."""
    return ratio(units, count * UNIT)


def is_score(value: Json) -> TypeGuard[float]:
    """Tell whether a value is a finite number."""
    return isinstance(value, (int, float)) and not isinstance(value, bool) and math.isfinite(value)


def _metrics(row: Row) -> dict[str, Any]:
    found = metrics_of(dict(zip(METRIC_KEYS, row, strict=False)), strict=not row[_UNSAID])
    out = {key: found[key] for key in METRIC_KEYS}
    out |= {f"cm_{key}": found[key] for key in ("precision", "recall", "f1", "accuracy")}
    return out | {key: found[key] for key in ("strict_recall", "strict_f1")}


def _named(row: Row) -> dict[str, int]:
    return dict(zip(_NAMES, row, strict=True))


def _row(named: Mapping[str, Json]) -> Row:
    return [named[name] for name in _NAMES]


_MOST_SUM = int(sys.float_info.max) * UNIT * MOST
_IS_ROW = state_of(
    {
        **{name: whole() for name in _NAMES},
        "score_sum": whole(_MOST_SUM, -_MOST_SUM),
    }
)


def check_scores(total: int, count: int, path: str) -> None:
    """Check that a sum of scores can be one of so many."""
    if abs(total) > count * UNIT * int(sys.float_info.max):
        raise refuse(f"a sum of {count:,} scores", total, path)


def _check_row(value: Json, path: str) -> None:
    _IS_ROW(value, path)
    check_scores(value["score_sum"], value["score_count"], path)


check_matrix_sums = state_of({"overall": _check_row, "fields": by_name(_check_row)})
"""Checks a state of these sums."""


def _add(row: Row, counts: Sequence[int]) -> None:
    for at, count in enumerate(counts):
        row[at] += count
