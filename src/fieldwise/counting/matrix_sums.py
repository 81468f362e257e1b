"""Sums of confusion matrices and of the scores in them, by field path.

What a node counts, and which matrix is malformed, is decided in `fieldwise.bulk_aggregator`.
"""

from __future__ import annotations

import math
import sys
from collections import Counter
from collections.abc import Mapping, Sequence
from operator import add, itemgetter
from typing import TypeAlias, TypeGuard

from fieldwise.bulk_aggregator import METRIC_KEYS, FieldTotals, MalformedMatrixError, Reading, Shape, metrics_of, ratio
from fieldwise.bulk_aggregator import matrix_of as matrix_in
from fieldwise.counting.document_sums import UNIT
from fieldwise.errors import InputError
from fieldwise.states import MOST, by_name, refuse, whole
from fieldwise.states import named as state_of
from fieldwise.values import Json

Row: TypeAlias = list[int]
"""The six counts, the nodes that did not say ``fd``, the sum of scores in units, and how many scores."""
Measures: TypeAlias = dict[str, int | float | None]
"""Counts and ratios as the results of evaluators show them."""

_NAMES = (*METRIC_KEYS, "without_fd", "score_sum", "score_count")
_COUNTED = 7
_UNSAID, _SCORES, _SCORED = 6, 7, 8
_MAX_WAITING = 256
_SCORE = "threshold_applied_score"
_score_of = itemgetter(_SCORE)
_FLOATS = {float}


class MatrixSums:
    """What all matrices together count. Integers that only add: any order and any split gives the same."""

    def __init__(self) -> None:
        self._overall: Row = [0] * _COUNTED
        self._fields = FieldTotals()
        self._scores: dict[str, Row] = {}
        """By path: the sum of scores in units, and how many."""
        self._unsettled: dict[Shape, list[list[Json]]] = {}
        """What the nodes of the last matrices say about their scores; added up for many matrices at once."""
        self._waiting = 0

    def add(self, matrix: Json) -> None:
        """Add one matrix, each node once; one that is malformed anywhere raises InputError and adds nothing."""
        try:
            held = matrix_in(matrix)
            if held is None:
                raise InputError(
                    "Expected a confusion matrix with 'overall' or 'fields', got an empty one", code="input.not_counts"
                )
            reading = self._fields.read(held, with_aggregate=False)
        except MalformedMatrixError as error:
            raise InputError(
                f"{error.reason} - at {error.path or 'the root'} of the confusion matrix",
                code="input.not_counts",
                facts={"path": error.path},
            ) from None
        self._fields.add(reading)
        if reading.overall:
            self._overall = [*map(add, self._overall, reading.overall)]
        self._keep_scores(reading)

    def _keep_scores(self, reading: Reading) -> None:
        for shape, nodes in reading.shapes:
            try:
                scores = [*map(_score_of, nodes.values())]
            except KeyError:
                scores = [node.get(_SCORE) for node in nodes.values()]
            self._unsettled.setdefault(shape, []).append(scores)
        for node in reading.nodes:
            self._add_scores(node.path, [node.held.get(_SCORE)])
        self._waiting += 1
        if self._waiting > _MAX_WAITING:
            self._settle()

    def _add_scores(self, path: str, given: Sequence[Json]) -> None:
        """Add what are perhaps scores; most of them are the same few numbers."""
        scores = given if {*map(type, given)} == _FLOATS else [score for score in given if is_score(score)]
        held = self._scores_of(path) if scores else []
        for score, times in Counter(scores).items():
            if math.isfinite(score):
                held[0] += fixed(score) * times
                held[1] += times

    def _scores_of(self, path: str) -> Row:
        return self._scores.get(path) or self._scores.setdefault(path, [0, 0])

    def _settle(self) -> None:
        for shape, rows in self._unsettled.items():
            for total, scores in zip(shape.totals, zip(*rows, strict=True), strict=True):
                self._add_scores(total.path, scores)
        self._unsettled, self._waiting = {}, 0

    def _rows(self) -> dict[str, Row]:
        """Return the sums by path, sorted."""
        self._settle()
        counted, nothing = self._fields.rows(), [0] * _COUNTED
        paths = sorted({*counted, *self._scores})
        return {path: [*counted.get(path, nothing), *self._scores.get(path, (0, 0))] for path in paths}

    def merge(self, other: MatrixSums) -> None:
        """Add what another has summed."""
        other._settle()
        self._overall = [*map(add, self._overall, other._overall)]
        self._fields.merge(other._fields)
        for path, scores in other._scores.items():
            self._scores[path] = [*map(add, self._scores_of(path), scores)]

    def metrics(self) -> Measures:
        """Return the counts and ratios of all matrices' own ``overall``."""
        return _metrics(self._overall)

    def field_metrics(self) -> dict[str, Measures]:
        """Return counts and ratios by path, sorted, with the mean score where there are scores."""
        rows = self._rows()
        out = {path: _metrics(row) for path, row in rows.items()}
        for path, row in rows.items():
            if row[_SCORED]:
                out[path]["mean_score"] = mean_of(row[_SCORES], row[_SCORED])
        return out

    def to_state(self) -> dict[str, Json]:
        """Return the sums as JSON."""
        fields = {path: _named(row) for path, row in self._rows().items()}
        return {"overall": _named([*self._overall, 0, 0]), "fields": fields}

    @classmethod
    def from_state(cls, state: Mapping[str, Json]) -> MatrixSums:
        """Return the sums that ``to_state`` gave."""
        check_matrix_sums(state, "")
        made = cls()
        made._overall = _row(state["overall"])[:_COUNTED]
        for path, named in state["fields"].items():
            row = _row(named)
            made._fields.total_of(path).add(row[:_COUNTED])
            made._scores[path] = row[_COUNTED:]
        return made


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
    is_number = type(value) is float or (isinstance(value, (int, float)) and not isinstance(value, bool))
    return is_number and math.isfinite(value)


def _metrics(row: Row) -> Measures:
    found = metrics_of(dict(zip(METRIC_KEYS, row, strict=False)), strict=not row[_UNSAID])
    out: Measures = {key: found[key] for key in METRIC_KEYS}
    out |= {f"cm_{key}": found[key] for key in ("precision", "recall", "f1", "accuracy")}
    return out | {key: found[key] for key in ("strict_recall", "strict_f1")}


def _named(row: Row) -> dict[str, int]:
    return dict(zip(_NAMES, row, strict=True))


def _row(named: Mapping[str, Json]) -> Row:
    return [named[name] for name in _NAMES]


_MOST_SUM = int(sys.float_info.max) * UNIT * MOST
_IS_ROW = state_of(
    {
        **{name: whole(MOST * MOST) for name in _NAMES},  # a count is below MOST, a sum of counts need not be
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
