"""Comparing leaves: one value, one comparator, one threshold."""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Mapping, Sequence
from operator import eq, itemgetter
from typing import get_args

import numpy as np

from fieldwise.comparators import (
    BaseComparator,
    BBoxIoUComparator,
    BooleanComparator,
    FunctionComparator,
    NumericComparator,
)
from fieldwise.compare.absent_texts import with_texts
from fieldwise.compare.nodes import NO_KEY, NOTHING, Cells, Floats, NodeGrid, PlanNode, Work, best_alternative, lazy
from fieldwise.compare.own_comparators import OwnComparator, RaisedError, RaisedErrors, is_built_in
from fieldwise.compare.quick import are_present, scored_leaf
from fieldwise.compare.reading import WRONG, Reader, native_types, only_numbers, only_understood, read_truth, reader
from fieldwise.compare.results import (
    BOTH_ABSENT,
    EQUIVALENT,
    MATCH,
    MISMATCH,
    ONLY_EXPECTED,
    ONLY_PREDICTED,
    SAME,
    AnyOf,
    LeafNote,
    LeafResult,
    Raised,
    Result,
)
from fieldwise.spec.nodes import Kind
from fieldwise.values import ONLY_BLANK, AbsentWords, Json, canonical, is_absent, same

_QUICKEST: dict[Kind, tuple[type, ...]] = {
    **dict.fromkeys(get_args(Kind), (str,)),
    "integer": (int,),
    "number": (float,),
    "decimal": (float,),
}
_NUMBERS = frozenset({int, float})
_QUICK_SCALARS = frozenset({str, bool, *_NUMBERS})
_TEXT_OR_NULL = frozenset({str, type(None)})
_WORTH_TELLING_APART = 10_000
"""Cells from which texts that repeat are looked for."""
_IDENTICAL = object()
"""Begins the key of a value that is alike to identical ones only."""
_FIRST = itemgetter(0)
_MAY_DIFFER = (FunctionComparator, BBoxIoUComparator, BooleanComparator)


class LeafPlan(PlanNode[LeafResult]):
    """A leaf with every setting resolved. ``cut`` is the score that just matches."""

    is_value = True

    def __init__(
        self,
        *,
        path: str,
        kind: Kind,
        comparator: BaseComparator,
        threshold: float,
        weight: float,
        clip: bool,
        slack: float = 0.0,
        alternates: bool = False,
        absent: AbsentWords = ONLY_BLANK,
        stickler: bool = False,
        errors: RaisedErrors | None = None,
        sources: Mapping[str, str],
        work: Work,
    ) -> None:
        self.path, self.kind, self.comparator = path, kind, comparator
        self.leaf = self
        self.work = work
        self.threshold, self.weight, self.clip, self.sources = threshold, weight, clip, sources
        self.cut, self.absent = threshold - slack, absent
        self.alternates, self.identical_first = alternates, not stickler
        reads_text = isinstance(comparator, NumericComparator)
        self._read = reader(kind, reads_text=reads_text)
        if isinstance(comparator, NumericComparator) and kind in ("number", "integer", "decimal"):
            self._read = only_numbers(self._read, comparator.reads)
        if kind == "boolean" and not stickler and not isinstance(comparator, BooleanComparator):
            self._read = read_truth
        self.native = native_types(kind, reads_text=reads_text)
        if alternates:
            self.native -= {dict}  # it may list what is acceptable
        self.built_in = is_built_in(comparator)
        self.is_quick = self.built_in and comparator.is_quick
        self.is_costly = comparator.is_costly or not self.built_in
        asked = None if self.built_in else OwnComparator(comparator, path, errors or RaisedErrors())
        self._compare: Callable[[Json, Json], float] = asked.pair if asked else comparator._compare
        self.scores: Callable[[Sequence[Json], Sequence[Json]], Floats] = asked.grid if asked else comparator.grid
        if self.built_in:
            self._read = only_understood(self._read)
        if kind == "free" and comparator.is_of_text:
            self._read, self.native = _object_as_text(self._read), frozenset()
            if stickler:
                self._compare, self.scores = _unlike, _all_unlike
        self.selective = self.built_in and comparator.selective
        self.has_loose_keys = self.built_in and type(comparator).loose_key is not BaseComparator.loose_key
        # Equal values of these types score 1 without asking.
        sure = not asked and not isinstance(comparator, _MAY_DIFFER)
        self.equal_is_one = self.native & {str, int, float} if sure else frozenset[type]()
        self.sure_types = {*self.equal_is_one, type(None)}
        """Types of which the comparator itself scores identical values 1, also in a grid."""
        if not stickler:
            self.equal_is_one = self.native & {str, int, float, bool}
            if not self.native <= self.sure_types:
                self._compare = _unless_identical(self._compare)
        self.quick_type = next((kind for kind in _QUICKEST[self.kind] if kind in self.equal_is_one), None)

    def pair(self, expected: Json, predicted: Json) -> LeafResult:
        kind = type(expected)
        if kind is type(predicted) and kind in self.equal_is_one and are_present(expected, predicted, self.absent):
            if expected == predicted:
                return SAME
            is_native = True
        else:
            has_expected, has_predicted = not is_absent(expected, self.absent), not is_absent(predicted, self.absent)
            if not (has_expected and has_predicted):
                return self._one_sided(has_expected, has_predicted, expected, predicted)
            is_native = kind in self.native and type(predicted) in self.native
        if is_native:
            try:
                score = self._compare(expected, predicted)
            except RaisedError as error:
                return LeafResult(MISMATCH, 0.0, 0.0, Raised(str(error)))
            if score >= self.cut:
                if score == 1.0:
                    return SAME if is_identical(expected, predicted) else EQUIVALENT
                return scored_leaf(MATCH, score, score)
            return scored_leaf(MISMATCH, score, 0.0 if self.clip else score)
        return self._read_pair(expected, predicted)

    def _one_sided(self, has_expected: bool, has_predicted: bool, expected: Json, predicted: Json) -> LeafResult:
        if type(expected) is AnyOf:
            has_expected = has_expected and not any(is_absent(value, self.absent) for value in expected.values)
        if has_expected:
            result = ONLY_EXPECTED
        else:
            result = ONLY_PREDICTED if has_predicted else BOTH_ABSENT
        return with_texts(result, expected, predicted) if self.absent else result

    def _read_pair(self, expected: Json, predicted: Json) -> LeafResult:
        if type(expected) is AnyOf:
            index, best = best_alternative(self, expected, predicted)
            return best._replace(alternate=index)
        if self.alternates and (values := inline_alternates(expected)) is not None:
            if self.identical_first and same(expected, predicted):
                return SAME
            return self.pair(AnyOf(values), predicted)
        e, p = self._read(expected), self._read(predicted)
        wrong = e is WRONG or p is WRONG
        if wrong or (self.identical_first and is_identical(expected, predicted)):
            score = float(same(expected, predicted))
        else:
            try:
                score = self._compare(e, p)
            except RaisedError as error:
                return LeafResult(MISMATCH, 0.0, 0.0, Raised(str(error)))
        note: LeafNote = "type" if wrong else ""
        if score == 1.0 and not note:
            return SAME if is_identical(expected, predicted) else EQUIVALENT
        if score >= self.cut:
            return LeafResult(MATCH, score, score, note)
        return LeafResult(MISMATCH, score, 0.0 if self.clip else score, note)

    def grid(self, expected: Sequence[Json], predicted: Sequence[Json]) -> LeafGrid:
        return LeafGrid(self, expected, predicted)

    def has_value(self, value: Json) -> bool:
        return not is_absent(value, self.absent)

    def cells(self, expected: Sequence[Json], predicted: Sequence[Json]) -> int:
        once, cells = len(expected) * len(predicted), self.comparator.cells(expected, predicted)
        if cells <= once:
            return once
        left, right = _distinct(expected), _distinct(predicted)
        return max(once, self.comparator.cells(left or expected, right or predicted))

    def keys(self, values: Sequence[Json]) -> Sequence[Hashable]:
        if len(values) > 1 and {*map(type, values)} <= _TEXT_OR_NULL:
            known = {value: self._key(value) for value in dict.fromkeys(values)}
            return [known[value] for value in values]
        return list(map(self._key, values))

    def _key(self, value: Json) -> Hashable:
        if not self.has_value(value):
            return NOTHING
        if type(value) in self.native:
            key = self._comparator_key(value)
        elif _many(self, value):
            return NO_KEY
        else:
            read = self._read(value)
            key = None if read is WRONG else self._comparator_key(read)
        if key is not None:
            return key
        return (_IDENTICAL, canonical(value)) if self.identical_first else NO_KEY

    def _comparator_key(self, value: Json) -> Hashable | None:
        if self.built_in:
            return self.comparator.key(value)
        try:
            return self.comparator.key(value)
        except Exception:  # noqa: BLE001  # anybody's comparator
            return None

    def loose_keys(self, keys: Sequence[Hashable]) -> Sequence[Hashable]:
        if not self.has_loose_keys:
            return keys
        loose = self.comparator.loose_key
        return [
            key if key is NOTHING or key is NO_KEY or (type(key) is tuple and key[0] is _IDENTICAL) else loose(key)
            for key in keys
        ]

    def pair_equal(self, expected: Json, predicted: Json) -> LeafResult:
        if not self.identical_first or not self.has_value(expected) or is_identical(expected, predicted):
            return self.pair(expected, predicted)
        return EQUIVALENT

    @property
    def accept(self) -> float:
        return self.cut

    def accepts(self, result: Result) -> bool:
        return result.raw_score >= self.cut


def _object_as_text(read: Reader) -> Reader:
    """Return a reader that gives the canonical JSON of an object."""

    def reads(value: Json) -> Json:
        value = read(value)
        return WRONG if value is WRONG else canonical(value)[1:-1]  # which stands in a list

    return reads


def _unlike(_expected: Json, _predicted: Json) -> float:
    return 0.0


def _all_unlike(expected: Sequence[Json], predicted: Sequence[Json]) -> Floats:
    return np.zeros((len(expected), len(predicted)))


def _unless_identical(compare: Callable[[Json, Json], float]) -> Callable[[Json, Json], float]:
    """Return a comparison that is not asked about identical values, which are alike whatever it would say."""
    return lambda expected, predicted: 1.0 if is_identical(expected, predicted) else compare(expected, predicted)


def is_identical(expected: Json, predicted: Json) -> bool:
    """Return whether two values are the same JSON value, as `same` does, quickly where neither is a container."""
    kinds = type(expected), type(predicted)
    if not _QUICK_SCALARS.issuperset(kinds):
        return same(expected, predicted)
    return (kinds[0] is kinds[1] or _NUMBERS.issuperset(kinds)) and bool(expected == predicted)


def inline_alternates(value: Json) -> tuple[Json, ...] | None:
    """Return the acceptable values that stand inline as {"any_of": [...]}; None where the value is no such thing."""
    if isinstance(value, Mapping) and len(value) == 1:
        values = value.get("any_of", value.get("_any_of"))
        if isinstance(values, (list, tuple)) and values:
            return tuple(values)
    return None


class LeafGrid(NodeGrid[LeafResult]):
    """The comparator's scores of two columns; 0 where a side is absent."""

    def __init__(self, plan: LeafPlan, expected: Sequence[Json], predicted: Sequence[Json]) -> None:
        self.plan, self.expected, self.predicted = plan, expected, predicted
        values = (*expected, *predicted)
        kinds = set(map(type, values))
        present = presence(values, kinds, plan.absent)
        if present is None:
            self.has_expected, self.has_predicted = (True,) * len(expected), (True,) * len(predicted)
            self.complete = True
        else:
            self.set_presence(present[: len(expected)], present[len(expected) :])
        self.needs_pairs = not plan.native >= kinds
        self.identical = eq if kinds == {str} or kinds <= _NUMBERS else is_identical
        if self.complete and not self.needs_pairs:
            self.raw_score = self._scores(expected, predicted)
        else:
            self.raw_score = self._scattered()
        if not plan.built_in and (raised := np.isnan(self.raw_score)).any():
            self.raw_score = np.where(raised, 0.0, self.raw_score)
            self.needs_pairs = True  # the pairs say what was raised
        if plan.identical_first and not kinds <= plan.sure_types:
            self._mark_identical()

    def _scores(self, expected: Sequence[Json], predicted: Sequence[Json]) -> Floats:
        """Return the comparator's scores; where that is worth it, texts that repeat are compared once."""
        plan = self.plan
        if not plan.is_quick and plan.built_in and len(expected) * len(predicted) > _WORTH_TELLING_APART:
            left, right = _distinct(expected), _distinct(predicted)
            if left is not None or right is not None:
                rows, columns = left or list(expected), right or list(predicted)
                scores = plan.scores(rows, columns)
                return scores[np.ix_(_places(rows, expected), _places(columns, predicted))]
        return plan.scores(expected, predicted)

    def _mark_identical(self) -> None:
        """Let identical values be alike, whatever the comparator scores them."""
        columns: dict[str, list[int]] = {}
        for j, value in enumerate(self.predicted):
            if self.has_predicted[j]:
                columns.setdefault(canonical(value), []).append(j)
        for i, value in enumerate(self.expected):
            if self.has_expected[i] and type(value) is not AnyOf:
                self.raw_score[i, columns.get(canonical(value), [])] = 1.0

    def _scattered(self) -> Floats:
        e_at, e_values, e_wrong = self._readable(self.expected, self.has_expected)
        p_at, p_values, p_wrong = self._readable(self.predicted, self.has_predicted)
        score = np.zeros((len(self.expected), len(self.predicted)))
        if e_at and p_at:
            score[np.ix_(e_at, p_at)] = self._scores(e_values, p_values)
        texts = {j: canonical(self.predicted[j]) for j in p_wrong}
        for i in e_wrong:
            if _many(self.plan, self.expected[i]):
                score[i] = [self.plan.pair(self.expected[i], p).raw_score for p in self.predicted]
                score[i, np.logical_not(self.has_predicted)] = 0.0
            else:
                text = canonical(self.expected[i])
                score[i, [j for j in p_wrong if texts[j] == text]] = 1.0
        return score

    def _readable(self, values: Sequence[Json], present: Sequence[bool]) -> tuple[list[int], list[Json], list[int]]:
        at, read, wrong = [], [], []
        for i, value in enumerate(values):
            if present[i]:
                got = WRONG if _many(self.plan, value) else self.plan._read(value)
                if got is WRONG:
                    wrong.append(i)
                else:
                    at.append(i)
                    read.append(got)
        return at, read, wrong

    @lazy
    def score(self) -> Floats:
        score = np.where(self.raw_score >= self.plan.cut, self.raw_score, 0.0) if self.plan.clip else self.raw_score
        both = self.both_absent()
        return score if both is None else np.where(both, 1.0, score)

    @property
    def similarity(self) -> Floats:
        return self.raw_score

    def results(self, cells: Cells) -> list[LeafResult]:
        plan, expected, predicted = self.plan, self.expected, self.predicted
        if self.needs_pairs:
            return [plan.pair(expected[i], predicted[j]) for i, j in cells.pairs]
        scores = self.raw_score.take(cells.flat).tolist()
        scored, identical = zip(cells.pairs, scores, strict=True), self.identical
        if self.complete:
            return [
                SAME if score == 1.0 and identical(expected[i], predicted[j]) else self._judged(score)
                for (i, j), score in scored
            ]
        has_expected, has_predicted = self.has_expected, self.has_predicted
        return [
            (SAME if score == 1.0 and identical(expected[i], predicted[j]) else self._judged(score))
            if has_expected[i] and has_predicted[j]
            else plan._one_sided(has_expected[i], has_predicted[j], expected[i], predicted[j])
            for (i, j), score in scored
        ]

    def _judged(self, score: float) -> LeafResult:
        """Return the result of two values that are not identical."""
        if score >= self.plan.cut:
            return EQUIVALENT if score == 1.0 else scored_leaf(MATCH, score, score)
        return scored_leaf(MISMATCH, score, 0.0 if self.plan.clip else score)


def _distinct(values: Sequence[Json]) -> list[Json] | None:
    """Return each text once; None where none repeats, or where not all are text."""
    if set(map(type, values)) != {str}:
        return None
    distinct = list(dict.fromkeys(values))
    return distinct if len(distinct) < len(values) else None


def _places(distinct: Sequence[Json], values: Sequence[Json]) -> list[int]:
    if len(distinct) == len(values):
        return list(range(len(values)))
    place = {value: at for at, value in enumerate(distinct)}
    return [place[value] for value in values]


def presence(values: Sequence[Json], kinds: set[type], words: AbsentWords) -> list[bool] | None:
    """Return of each value whether it is present, None where all are; ``kinds`` are the types of all of them."""
    if kinds == {str}:
        if all(values) and (
            words.starts.isdisjoint(map(_FIRST, values)) if words else not any(map(str.isspace, values))
        ):
            return None
    elif kinds == {int} or (kinds == {float} and all(map(math.isfinite, values))):
        return None
    return [not is_absent(value, words) for value in values]


def _many(plan: LeafPlan, value: Json) -> bool:
    return type(value) is AnyOf or (plan.alternates and inline_alternates(value) is not None)
