"""`Comparison`: everything that was found about one pair of documents, and the dict of ``compare_with`` made of it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property

from fieldwise.bulk_aggregator import ratio
from fieldwise.compare.objects import ObjectPlan
from fieldwise.compare.places import leaves_of
from fieldwise.compare.results import ABSENT, IN_BLOCKS, SAME, LeafResult, ListResult, ObjectResult, Outcome, Result
from fieldwise.compare.undeclared import UndeclaredKeys
from fieldwise.compare.verdicts import Verdict, verdict_of
from fieldwise.compare.views.counts import Extras, MatrixNode, MatrixOptions, Unmatched
from fieldwise.compare.views.field_comparisons import field_comparisons
from fieldwise.compare.views.flat import flat_dict
from fieldwise.compare.views.matrix import confusion_matrix, is_all_matched
from fieldwise.compare.views.non_matches import NonMatch, non_matches
from fieldwise.errors import CycleError
from fieldwise.results.notes import Note
from fieldwise.shown import shown_html, shown_text
from fieldwise.spec.nodes import Undeclared
from fieldwise.values import Json, cycle_path, is_list

_HALF = 0.5


@dataclass(frozen=True, init=False, repr=False)
class Comparison:
    """One expected document against one predicted document. Made by ``Plan.compare``; never changes."""

    result: ObjectResult

    def __init__(self, result: ObjectResult) -> None:
        self.__dict__["result"] = result  # what a frozen dataclass does, without its cost for every document

    def __repr__(self) -> str:
        return shown_text(self)

    def _repr_html_(self) -> str:
        return shown_html(self)

    @property
    def plan(self) -> ObjectPlan:
        """The plan that compared the documents."""
        return self.result.plan

    @property
    def score(self) -> float:
        """The weighted mean of the top-level fields' scores; a field absent on both sides counts as 1."""
        return self.result.mean_score

    @property
    def raw_score(self) -> float:
        """The weighted mean of the fields' similarities before thresholds; fields absent on both sides left out."""
        return self.result.similarity

    @cached_property
    def weighted_score(self) -> float | None:
        """The mean score of the leaves that either side has, weighted along their paths; an invented one scores 0."""
        total, weights = self.weighted_sums
        return total / weights if weights else None

    @cached_property
    def weighted_sums(self) -> tuple[float, float]:
        """The sum of the scores of these leaves, each times its weight, and that of their weights."""
        total = weights = 0.0
        for place in leaves_of(self.result, self._keys()):
            if place.outcome is not ABSENT:
                rejected = place.row is not None and not place.row.accepted
                total += 0.0 if rejected else place.weight * place.result.score
                weights += place.weight
        return total, weights

    @cached_property
    def verdicts(self) -> tuple[Verdict, ...]:
        """Every leaf with its outcome, those of unpaired list items and of spurious keys included."""
        with self._naming_cycles():
            return tuple(verdict_of(place) for place in leaves_of(self.result, self._keys()))

    def _keys(self) -> UndeclaredKeys:
        return UndeclaredKeys(self.plan, self.expected, self.extras)

    @contextmanager
    def _naming_cycles(self) -> Iterator[None]:
        try:
            yield
        except CycleError as error:
            raise cycle_in(self.expected, self.predicted) from error

    @property
    def extras(self) -> Undeclared:
        """How predicted keys that no field declares count, as the plan says it."""
        return self.plan.extras or "leaves"

    @cached_property
    def outside(self) -> dict[str, dict[str, int]]:
        """How many values, expected and predicted, lie under undeclared keys and count nowhere, by path."""
        keys = self._keys()
        with self._naming_cycles():
            for _ in leaves_of(self.result, keys):
                pass
            expected = keys.expected()
        return {
            path: {"expected": expected.get(path, 0), "predicted": keys.predicted.get(path, 0)}
            for path in sorted(expected.keys() | keys.predicted.keys())
        }

    @property
    def notes(self) -> tuple[Note, ...]:
        """What a reader of this comparison should know, such as lists too large to be paired at once."""
        return tuple(notes_of(self.result))

    @property
    def expected(self) -> Json:
        return self.result.expected

    @property
    def predicted(self) -> Json:
        return self.result.predicted

    @property
    def all_matched(self) -> bool:
        """Return whether no value is wrong, missed or invented and every nested object reaches its own threshold.

        Values under undeclared keys are invented, unless they are outside the spec. A document all of whose values
        match, and which has a nested object below the object's threshold, is free of wrong values (`counts`), and not
        all matched.
        """
        with self._naming_cycles():
            return is_all_matched(self.result, MatrixOptions.of("leaves", self.extras, False, False))

    def counts(self) -> dict[str, int]:
        """Return how many leaves have each outcome, under the keys tp, fd, fa, fn, tn."""
        out = {outcome.value: 0 for outcome in Outcome}
        with self._naming_cycles():
            for place in leaves_of(self.result, self._keys()):
                out[place.outcome.value] += 1
        return out

    def to_dict(
        self,
        *,
        include_confusion_matrix: bool = False,
        document_non_matches: bool = False,
        evaluator_format: bool = False,
        recall_with_fd: bool = False,
        add_derived_metrics: bool = True,
        document_field_comparisons: bool = False,
        unmatched: Unmatched = "objects",
        extras: Extras | None = None,
    ) -> dict[str, Json]:
        """Return the dict of ``compare_with`` under its options. All values are plain JSON types.

        ``extras`` are those of the plan unless others are given, else ``"root"``, as in ``compare_with``.
        """
        options = MatrixOptions.of(unmatched, extras or self.plan.extras or "root", add_derived_metrics, recall_with_fd)
        wanted = include_confusion_matrix, document_non_matches, document_field_comparisons, evaluator_format
        return result_dict(self.result, options, wanted)


def cycle_in(expected: Json, predicted: Json) -> CycleError:
    """Return the error for a document that contains itself, with the way to the place from its root."""
    side, path = "expected", cycle_path(expected)
    if path is None:
        side, path = "predicted", cycle_path(predicted)
    return CycleError(
        f"The {side} document contains itself - at {path}; pass a tree", facts={"side": side, "path": path}
    )


def compared_dict(
    root: ObjectPlan, expected: Json, predicted: Json, options: MatrixOptions, wanted: tuple[bool, bool, bool, bool]
) -> dict[str, Json]:
    """Compare two documents and return what ``compare_with`` returns, as by `result_dict`."""
    with_matrix, with_missed, with_rows, evaluated = wanted
    try:
        if with_matrix and not with_rows and not evaluated:
            out = flat_dict(root, expected, predicted, options, with_missed)
            if out is not None:
                return out
        result = root.pair(expected, predicted)
    except CycleError as error:
        raise cycle_in(expected, predicted) from error
    return result_dict(result, options, wanted)


def result_dict(result: ObjectResult, options: MatrixOptions, wanted: tuple[bool, bool, bool, bool]) -> dict[str, Json]:
    """Return what ``compare_with`` returns; ``wanted``: matrix, non-matches, field comparisons, evaluator format."""
    with_matrix, with_missed, with_rows, evaluated = wanted
    try:
        matrix = confusion_matrix(result, options) if with_matrix else None
        missed = non_matches(result) if with_missed else None
        if evaluated:
            return _evaluator_format(result, options, matrix=matrix, missed=missed or [])
        matched = is_all_matched(result, options) if matrix is None else matrix["overall"]["all_fields_matched"]
        rows = field_comparisons(result) if with_rows else None
    except CycleError as error:
        raise cycle_in(result.expected, result.predicted) from error
    plan = result.plan
    scores = plan.full_scores.copy()
    for name, sub in zip(plan.names, result.children):  # noqa: B905  # a hot loop
        if sub is not SAME:
            scores[name] = sub.score
    out: dict[str, Json] = {"field_scores": scores, "overall_score": result.mean_score, "all_fields_matched": matched}
    if matrix is not None:
        out["confusion_matrix"] = matrix
    if missed is not None:
        out["non_matches"] = missed
    if rows is not None:
        out["field_comparisons"] = rows
    if plan.holds_lists and (notes := [note.to_dict() for note in notes_of(result)]):
        out["notes"] = notes
    return out


def _evaluator_format(
    result: ObjectResult, options: MatrixOptions, *, matrix: MatrixNode | None, missed: list[NonMatch]
) -> dict[str, Json]:
    """Return the format that evaluation tools read; counts decide ``overall`` where a matrix was asked for."""
    overall = _from_score(result.mean_score)
    if matrix is not None and options.derived:
        derived = matrix["overall"]["derived"]
        overall = {name: derived[f"cm_{name}"] for name in ("precision", "recall", "f1", "accuracy")}
    return {
        "overall": {**overall, "anls_score": result.mean_score},
        "fields": _evaluated_fields(result),
        "confusion_matrix": {} if matrix is None else _flattened(matrix),
        "non_matches": missed,
    }


def _from_score(score: float) -> dict[str, float]:
    tp, fp, fn = (score, 1 - score, 0.0) if score >= _HALF else (0.0, score, 1 - score)
    precision = ratio(tp, tp + fp)
    recall = ratio(tp, tp + fn)
    return {
        "precision": precision,
        "recall": recall,
        "f1": ratio(2 * precision * recall, precision + recall),
        "accuracy": ratio(tp, tp + fp + fn),
        "anls_score": score,
    }


def _evaluated_fields(result: ObjectResult) -> dict[str, Json]:
    return {name: _evaluated_field(child) for name, child in zip(result.plan.names, result.children, strict=True)}


def _evaluated_field(result: Result) -> dict[str, Json]:
    scored = _from_score(result.score)
    if not (isinstance(result, ListResult) and is_list(result.expected)):
        return scored
    rows = [pair.result for pair in result.pairs]
    return {"overall": scored, "items": [_evaluated_item(row) for row in rows if isinstance(row, ObjectResult)]}


def _evaluated_item(result: ObjectResult) -> dict[str, Json]:
    return {
        "overall": _from_score(result.mean_score),
        "fields": {} if result.wrong_shape else _evaluated_fields(result),
        "confusion_matrix": {},
        "non_matches": [],
    }


def _flattened(matrix: MatrixNode) -> dict[str, Json]:
    fields = {
        name: {**node["overall"], **{k: v for k, v in node.items() if k != "overall"}}
        for name, node in matrix["fields"].items()
    }
    return {**matrix, "fields": fields}


def notes_of(result: Result) -> Iterator[Note]:
    """Yield which lists in a result were paired in blocks."""
    if isinstance(result, LeafResult) or not result.plan.holds_lists:
        return
    if isinstance(result, ListResult):
        if result.note == IN_BLOCKS:
            paired, plan = len(result.pairs), result.plan
            items = {"expected": paired + len(result.missed), "predicted": paired + len(result.spurious)}
            yield Note.of("lists.paired_in_blocks", path=plan.path, max_cells=plan.work.limit, **items)
        if result.plan.item.holds_lists:
            for pair in result.pairs:
                yield from notes_of(pair.result)
    else:
        for child in result.children:
            yield from notes_of(child)
