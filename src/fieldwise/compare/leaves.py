"""Comparing leaves: one value, one comparator, one threshold."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any

import numpy as np

from fieldwise.comparators import BaseComparator, NumericComparator
from fieldwise.compare.nodes import Floats, NodeGrid, PlanNode, best_alternative
from fieldwise.compare.reading import WRONG, native_types, reader
from fieldwise.compare.results import ABSENT, MATCH, MISMATCH, MISSED, SPURIOUS, AnyOf, LeafResult
from fieldwise.spec.nodes import Kind
from fieldwise.values import Json, canonical, is_absent, same

_new: Any = tuple.__new__


class LeafPlan(PlanNode[LeafResult]):
    """A leaf with every setting resolved. ``cut`` is the score that just matches."""

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
        sources: Mapping[str, str],
    ) -> None:
        self.path, self.kind, self.comparator = path, kind, comparator
        self.threshold, self.weight, self.clip, self.sources = threshold, weight, clip, sources
        self.cut = threshold - slack
        self.alternates = alternates
        reads_text = isinstance(comparator, NumericComparator)
        self._read = reader(kind, reads_text=reads_text)
        self._native = native_types(kind, reads_text=reads_text)
        self._compare = comparator._compare

    def pair(self, expected: Json, predicted: Json) -> LeafResult:
        here = bool(expected) and not expected.isspace() if type(expected) is str else not is_absent(expected)
        there = bool(predicted) and not predicted.isspace() if type(predicted) is str else not is_absent(predicted)
        if not (here and there):
            return self._one_sided(here, there, expected, predicted)
        if type(expected) in self._native and type(predicted) in self._native:
            score = self._compare(expected, predicted)
            if score >= self.cut:
                return _new(LeafResult, (MATCH, score, score, expected, predicted, "", -1))  # type: ignore[no-any-return]
            return _new(  # type: ignore[no-any-return]
                LeafResult, (MISMATCH, score, 0.0 if self.clip else score, expected, predicted, "", -1)
            )
        return self._odd_pair(expected, predicted)

    def _one_sided(self, here: bool, there: bool, expected: Json, predicted: Json) -> LeafResult:
        if here and not (type(expected) is AnyOf and any(map(is_absent, expected.values))):
            return LeafResult(MISSED, 0.0, 0.0, expected, predicted)
        if there:
            return LeafResult(SPURIOUS, 0.0, 0.0, expected, predicted)
        return LeafResult(ABSENT, 1.0, 1.0, expected, predicted)

    def _odd_pair(self, expected: Json, predicted: Json) -> LeafResult:
        if type(expected) is AnyOf:
            index, best = best_alternative(self, expected, predicted)
            return best._replace(alternate=index)
        if self.alternates and (values := inline_alternates(expected)) is not None:
            return self.pair(AnyOf(values), predicted)
        e, p = self._read(expected), self._read(predicted)
        wrong = e is WRONG or p is WRONG
        score = float(same(expected, predicted)) if wrong else self._compare(e, p)
        return self._judged(score, expected, predicted, "type" if wrong else "")

    def _judged(self, score: float, expected: Json, predicted: Json, note: str = "") -> LeafResult:
        if score >= self.cut:
            return LeafResult(MATCH, score, score, expected, predicted, note)
        return LeafResult(MISMATCH, score, 0.0 if self.clip else score, expected, predicted, note)

    def grid(self, expected: Sequence[Json], predicted: Sequence[Json]) -> LeafGrid:
        return LeafGrid(self, expected, predicted)

    def has_value(self, value: Json) -> bool:
        return not is_absent(value)

    def similarity(self, result: LeafResult) -> float:
        return result.share

    @property
    def accept(self) -> float:
        return self.cut


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
        self.expected_there = [not is_absent(v) for v in expected]
        self.predicted_there = [not is_absent(v) for v in predicted]
        native = plan._native
        odd = not (native.issuperset(map(type, expected)) and native.issuperset(map(type, predicted)))
        if not odd and all(self.expected_there) and all(self.predicted_there):
            self.share = plan.comparator.grid(expected, predicted)
            self.odd = False
        else:
            self.share = self._scattered()
            self.odd = odd

    def _scattered(self) -> Floats:
        e_at, e_values, e_wrong = self._readable(self.expected, self.expected_there)
        p_at, p_values, p_wrong = self._readable(self.predicted, self.predicted_there)
        score = np.zeros((len(self.expected), len(self.predicted)))
        if e_at and p_at:
            score[np.ix_(e_at, p_at)] = self.plan.comparator.grid(e_values, p_values)
        texts = {j: canonical(self.predicted[j]) for j in p_wrong}
        for i in e_wrong:
            if _many(self.plan, self.expected[i]):
                score[i] = [self.plan.pair(self.expected[i], p).share for p in self.predicted]
                score[i, np.logical_not(self.predicted_there)] = 0.0
            else:
                text = canonical(self.expected[i])
                score[i, [j for j in p_wrong if texts[j] == text]] = 1.0
        return score

    def _readable(self, values: Sequence[Json], there: Sequence[bool]) -> tuple[list[int], list[Json], list[int]]:
        at, read, wrong = [], [], []
        for i, value in enumerate(values):
            if there[i]:
                got = WRONG if _many(self.plan, value) else self.plan._read(value)
                if got is WRONG:
                    wrong.append(i)
                else:
                    at.append(i)
                    read.append(got)
        return at, read, wrong

    @cached_property
    def kept(self) -> Floats:
        kept = np.where(self.share >= self.plan.cut, self.share, 0.0) if self.plan.clip else self.share
        both = self.both_absent()
        return kept if both is None else np.where(both, 1.0, kept)

    @property
    def similarity(self) -> Floats:
        return self.share

    def results(self, rows: Sequence[int], columns: Sequence[int]) -> list[LeafResult]:
        plan, expected, predicted = self.plan, self.expected, self.predicted
        if self.odd:
            return [plan.pair(expected[i], predicted[j]) for i, j in zip(rows, columns, strict=True)]
        cut, clip = plan.cut, plan.clip
        here, there = self.expected_there, self.predicted_there
        out = []
        for i, j, score in zip(rows, columns, self.share[rows, columns].tolist(), strict=True):
            if not (here[i] and there[j]):
                out.append(plan._one_sided(here[i], there[j], expected[i], predicted[j]))
            elif score >= cut:
                out.append(_new(LeafResult, (MATCH, score, score, expected[i], predicted[j], "", -1)))
            else:
                out.append(
                    _new(
                        LeafResult,
                        (MISMATCH, score, 0.0 if clip else score, expected[i], predicted[j], "", -1),
                    )
                )
        return out


def _many(plan: LeafPlan, value: Json) -> bool:
    return type(value) is AnyOf or (plan.alternates and inline_alternates(value) is not None)


