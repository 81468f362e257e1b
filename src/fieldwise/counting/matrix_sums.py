"""Sums of confusion matrices and of the scores in them, by field path.

What a node counts, and which matrix is malformed, is decided in `fieldwise.bulk_aggregator`.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from fieldwise.bulk_aggregator import METRIC_KEYS, FieldTotals, MalformedMatrixError, metrics_of, ratio, row_keys
from fieldwise.counting.document_sums import UNIT
from fieldwise.errors import InputError
from fieldwise.states import MAX_COUNT, by_name, refuse, whole
from fieldwise.states import named as state_of
from fieldwise.values import Json

Measures: TypeAlias = dict[str, int | float | None]
"""Counts and ratios as the results of evaluators show them."""

_COUNTED = (*METRIC_KEYS, "without_fd")
_NAMES = (*_COUNTED, "score_sum", "score_count")
_MAX = sys.float_info.max
_MAX_WAITING = 1_000
_FLOATS = {float}


class MatrixSums:
    """What all matrices together count. Integers that only add: any order and any split gives the same."""

    def __init__(self) -> None:
        self._totals = FieldTotals(scored=True)
        self._scores: dict[str, ScoreSum] = {}
        """By path, without the scores of 1.0 that the totals know."""
        self._whole_scores = NO_SCORES
        self._waiting: list[Json] = []
        """Scores of the last matrices as wholes; they are added up for many matrices at once."""
        self._waiting_below: list[tuple[str, Json]] = []
        """Scores of nodes in them, with their paths."""

    def add(self, matrix: Json, score: Json = None) -> None:
        """Add one matrix, each node once, and its score; what is no finite number is no score.

        A matrix that is malformed anywhere raises InputError and adds nothing.
        """
        try:
            reading = self._totals.count(matrix)
        except MalformedMatrixError as error:
            raise InputError(
                f"{error.reason} - at {error.path or 'the root'} of the confusion matrix",
                code="input.not_counts",
                facts={"path": error.path},
            ) from None
        if reading is None:
            raise InputError(
                "Expected a confusion matrix with 'overall' or 'fields', got an empty one", code="input.not_counts"
            )
        self._waiting.append(score)
        if reading[2]:
            self._waiting_below += reading[2]
        if len(self._waiting) > _MAX_WAITING:
            self._settle()

    def _settle(self) -> None:
        self._whole_scores += ScoreSum.of(self._waiting)
        by_path: dict[str, list[Json]] = {}
        for path, score in self._waiting_below:
            by_path.setdefault(path, []).append(score)
        for path, scores in by_path.items():
            added = ScoreSum.of(scores)
            if added.count:
                self._scores[path] = self._scores.get(path, NO_SCORES) + added
        self._waiting, self._waiting_below = [], []

    def merge(self, other: MatrixSums) -> None:
        """Add what another has summed."""
        self._totals.merge(other._totals)
        self._whole_scores += other.scores
        for path, scores in other._score_sums().items():
            self._scores[path] = self._scores.get(path, NO_SCORES) + scores

    def _score_sums(self) -> dict[str, ScoreSum]:
        self._settle()
        sums = dict(self._scores)
        for path, ones in self._totals.ones().items():
            sums[path] = sums.get(path, NO_SCORES) + ScoreSum(ones * UNIT, ones)
        return sums

    def metrics(self) -> Measures:
        """Return the counts and ratios of all matrices' own ``overall``."""
        return _metrics(self._totals.overall.row())

    @property
    def scores(self) -> ScoreSum:
        """The scores of the matrices as wholes."""
        self._settle()
        return self._whole_scores

    def field_metrics(self) -> dict[str, Measures]:
        """Return counts and ratios by path, sorted, with the mean score where there are scores."""
        rows, out = self._rows(), {}
        for key, name in row_keys(rows).items():
            counts, scores = rows[key]
            out[name] = _metrics(counts)
            if scores.count:
                out[name]["mean_score"] = scores.mean
        return {name: out[name] for name in sorted(out)}

    def _rows(self) -> dict[str, tuple[Sequence[int], ScoreSum]]:
        """Return the sums by path, sorted."""
        counted, scores = self._totals.rows(), self._score_sums()
        nothing = [0] * len(_COUNTED)
        paths = sorted({*counted, *scores})
        return {path: (counted.get(path, nothing), scores.get(path, NO_SCORES)) for path in paths}

    def to_state(self) -> dict[str, Json]:
        """Return the sums as JSON, without the scores of the matrices as wholes."""
        fields = {path: _named(counts, scores) for path, (counts, scores) in self._rows().items()}
        return {"overall": _named(self._totals.overall.row(), NO_SCORES), "fields": fields}

    @classmethod
    def from_state(cls, state: Mapping[str, Json], scores: ScoreSum) -> MatrixSums:
        """Return the sums that ``to_state`` gave, with the scores of the matrices as wholes."""
        check_matrix_sums(state, "")
        made = cls()
        made._whole_scores = scores
        made._totals.overall.add(_counts(state["overall"]))
        for path, named in state["fields"].items():
            made._totals.total_of(path).add(_counts(named))
            made._scores[path] = ScoreSum(named["score_sum"], named["score_count"])
        return made


@dataclass(frozen=True, slots=True)
class ScoreSum:
    """A sum of scores in units, which does not depend on their order, and how many scores there are.

    >>> scores = ScoreSum.of([0.25, 1, None, True])
    >>> scores.units, scores.count, scores.mean
    (1250000000000, 2, 0.625)
    """

    units: int = 0
    count: int = 0

    @classmethod
    def of(cls, given: Sequence[Json]) -> ScoreSum:
        """Add up what is a finite number; most scores are the same few numbers."""
        are_floats = {*map(type, given)} == _FLOATS
        scores = Counter(given if are_floats else filter(_is_number, given))
        for score in [score for score in scores if not -_MAX <= score <= _MAX]:
            del scores[score]
        return cls(sum([round(score * UNIT) * times for score, times in scores.items()]), scores.total())

    def __add__(self, other: ScoreSum) -> ScoreSum:
        return ScoreSum(self.units + other.units, self.count + other.count)

    @property
    def mean(self) -> float:
        """The mean of the scores; 0.0 for none."""
        return ratio(self.units, self.count * UNIT)


NO_SCORES = ScoreSum()


def _is_number(value: Json) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def _metrics(counts: Sequence[int]) -> Measures:
    found = metrics_of(dict(zip(METRIC_KEYS, counts, strict=False)), strict=not counts[-1])
    out: Measures = {key: found[key] for key in METRIC_KEYS}
    out |= {f"cm_{key}": found[key] for key in ("precision", "recall", "f1", "accuracy")}
    return out | {key: found[key] for key in ("strict_recall", "strict_f1")}


def _named(counts: Sequence[int], scores: ScoreSum) -> dict[str, int]:
    return dict(zip(_NAMES, [*counts, scores.units, scores.count], strict=True))


def _counts(named: Mapping[str, Json]) -> list[int]:
    return [named[name] for name in _COUNTED]


_MAX_UNITS = int(_MAX) * UNIT * MAX_COUNT
_IS_ROW = state_of(
    {
        # A count is below MAX_COUNT, a sum of counts need not be.
        **{name: whole(MAX_COUNT * MAX_COUNT) for name in _NAMES},
        "score_sum": whole(_MAX_UNITS, -_MAX_UNITS),
    }
)


def check_scores(total: int, count: int, path: str) -> None:
    """Check that a sum of scores can be one of so many."""
    if abs(total) > count * UNIT * int(_MAX):
        raise refuse(f"a sum of {count:,} scores", total, path)


def _check_row(value: Json, path: str) -> None:
    _IS_ROW(value, path)
    check_scores(value["score_sum"], value["score_count"], path)


check_matrix_sums = state_of({"overall": _check_row, "fields": by_name(_check_row)})
"""Checks a state of these sums."""
