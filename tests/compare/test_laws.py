"""What holds for every comparison, whatever the spec and the documents."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, field
from itertools import product
from typing import Any

import pytest
from hypothesis import HealthCheck, assume, example, given, settings
from hypothesis import strategies as st

from fieldwise import Comparison, Plan, Spec, StructuredModel
from fieldwise.compare.nodes import PlanNode
from fieldwise.compare.results import LeafResult, ListResult, ObjectResult, Result
from fieldwise.compare.shapes import RefPlan, ShapePlan
from fieldwise.spec.nodes import ListOf
from fieldwise.spec.paths import escape
from fieldwise.values import Json
from tests.reference import OUTCOMES, TIE, Matching, Reference, assignments
from tests.strategies import FITTING, TEXTS, Noise, documents, examples, predictions, schemas

CAREFUL = settings(deadline=None, max_examples=examples(60), suppress_health_check=list(HealthCheck))
STEADY = settings(CAREFUL, derandomize=True)
"""For laws that rounding could break where a sum in another order meets a threshold to the last bit."""

ANYTHING = Noise()
VIEWS = [{"unmatched": u, "extras": e} for u, e in product(("objects", "leaves"), ("root", "leaves", "ignore"))]
ERRORS = ("fd", "fa", "fn")

Case = tuple[dict[str, Any], Json, Json]


@st.composite
def cases(draw: st.DrawFn, noise: Noise = ANYTHING, *, depth: int = 2, symmetric: bool = False) -> Case:
    schema = draw(schemas(depth=depth, symmetric=symmetric))
    expected = draw(documents(schema, noise))
    return schema, expected, draw(predictions(schema, expected, noise))


def compare(schema: dict[str, Any], expected: Json, predicted: Json) -> Comparison:
    return Plan.compile(Spec.from_json_schema(schema)).compare(expected, predicted)


def matrix(comparison: Comparison, **options: Any) -> dict[str, Any]:
    found = comparison.to_dict(include_confusion_matrix=True, **options)["confusion_matrix"]
    assert isinstance(found, dict)
    return found


def nodes(node: Mapping[str, Any], path: str = "") -> Iterator[tuple[str, Mapping[str, Any]]]:
    """Yield every node of a matrix with its path, parents first."""
    yield path, node
    for name, child in node["fields"].items():
        yield from nodes(child, f"{path}.{escape(name)}" if path else escape(name))


def counted(counts: Mapping[str, Any]) -> Counter[str]:
    return Counter({key: counts[key] for key in OUTCOMES})


def errors(node: Mapping[str, Any]) -> int:
    return sum(node[which][key] for which in ("overall", "aggregate") for key in ERRORS)


@CAREFUL
@given(cases())
def test_a_document_against_itself_has_no_errors(case: Case) -> None:
    """Whatever a document holds, it agrees with itself: no error in any node of any view, score 1."""
    schema, document, _ = case
    comparison = compare(schema, document, document)
    assert comparison.score == 1.0
    assert comparison.raw_score == 1.0
    assert comparison.weighted_score in (1.0, None)
    for unmatched, extras in product(("objects", "leaves"), ("leaves", "ignore")):
        found = matrix(comparison, unmatched=unmatched, extras=extras)
        assert {path: errors(node) for path, node in nodes(found) if errors(node)} == {}
        assert found["overall"]["all_fields_matched"] is True


@CAREFUL
@given(cases())
def test_counts_of_every_node_add_up(case: Case) -> None:
    """False positives are spurious and mismatched, in every node of every view."""
    comparison = compare(*case)
    for options in VIEWS:
        for _, node in nodes(matrix(comparison, **options)):
            for which in ("overall", "aggregate"):
                assert node[which]["fp"] == node[which]["fa"] + node[which]["fd"]


@CAREFUL
@given(cases())
def test_the_sum_over_leaf_paths_is_the_aggregate(case: Case) -> None:
    """With leaves as the unit, the verdicts of a path are the counts of its node and sum up to the whole."""
    comparison = compare(*case)
    found = matrix(comparison, unmatched="leaves", extras="leaves")
    by_path: dict[str, Counter[str]] = {}
    for verdict in comparison.verdicts:
        by_path.setdefault(verdict.field, Counter())[verdict.outcome.value] += 1
    whole = sum(by_path.values(), Counter[str]())
    assert {key: found["aggregate"][key] for key in comparison.counts()} == comparison.counts()
    assert comparison.counts() == {key: whole[key] for key in comparison.counts()}
    for path, node in nodes(found):
        below = sum((counted(sub["aggregate"]) for sub in node["fields"].values()), Counter[str]())
        own = {key: node["aggregate"][key] - below[key] for key in comparison.counts()}
        assert +Counter(own) == by_path.get(path, Counter())


@CAREFUL
@given(cases())
def test_verdicts_name_places_that_exist(case: Case) -> None:
    """The paths of a verdict without its indices are its field, and each place has one verdict."""
    comparison = compare(*case)
    places = [(v.path, v.predicted_path, v.outcome) for v in comparison.verdicts]
    assert len(set(places)) == len(places)
    for verdict in comparison.verdicts:
        assert 0.0 <= verdict.score <= 1.0
        assert 0.0 <= verdict.raw_score <= 1.0
        assert verdict.reason


@CAREFUL
@given(cases(), st.booleans(), st.booleans(), st.booleans())
def test_every_view_is_plain_json(case: Case, derived: bool, with_fd: bool, evaluator: bool) -> None:
    """Every view and every verdict can be written as JSON, under all options."""
    comparison = compare(*case)
    for options in VIEWS:
        shown = comparison.to_dict(
            include_confusion_matrix=True,
            document_non_matches=True,
            document_field_comparisons=True,
            add_derived_metrics=derived,
            recall_with_fd=with_fd,
            evaluator_format=evaluator,
            **options,  # type: ignore[arg-type]
        )
        assert json.loads(json.dumps(shown)) is not None
    for verdict in comparison.verdicts:
        json.dumps({**asdict(verdict), "outcome": verdict.outcome.value})


NEARLY: Case = (
    {
        "type": "object",
        "properties": {
            "rows": {
                "type": "array",
                "items": {
                    "type": "object",
                    "properties": {
                        "object": {
                            "type": "object",
                            "properties": {"text": {"type": "string"}},
                            "x-aws-stickler-threshold": 0.9,
                        }
                    },
                },
            }
        },
    },
    {"rows": [{"object": {"text": "alpha"}}]},
    {"rows": [{"object": {"text": "alpha1"}}]},
)
"""Every leaf matches and the rows too, but an object in them does not."""


@CAREFUL
@example(NEARLY)
@given(cases())
def test_all_fields_matched_means_what_it_says(case: Case) -> None:
    """A node is all matched exactly where nothing in it and below it is wrong, missed or spurious."""
    comparison = compare(*case)
    for options in VIEWS:
        for path, node in nodes(matrix(comparison, **options)):
            clean = not any(errors(inner) for _, inner in nodes(node))
            assert node["overall"]["all_fields_matched"] is clean, (options, path)


TEXT = {"type": "string"}
ANY_PARTNER = {
    "type": "object",
    "properties": {"a": TEXT, "b": TEXT, "c": {**TEXT, "x-aws-stickler-threshold": 0.0}},
    "x-aws-stickler-match-threshold": 0.0,
}
ROW = {"a": "one", "b": "two", "c": "three"}
LIST_OF_ANY: Any = {"type": "object", "properties": {"rows": {"type": "array", "items": ANY_PARTNER}}}
TEXTS_OR_NUMBER = {"anyOf": [{"type": "array", "items": TEXT}, {"type": "integer"}]}
LIST_OF_LISTS: Any = {"type": "object", "properties": {"rows": {"type": "array", "items": TEXTS_OR_NUMBER}}}


@CAREFUL
@given(cases())
@example((LIST_OF_ANY, {"rows": [ROW]}, {"rows": ["junk"]}))
@example((LIST_OF_ANY, {"rows": [ROW]}, {"rows": [{**ROW, "c": "junk"}]}))
@example((LIST_OF_LISTS, {"rows": [["a", "b", "c", "d", "e"], 3]}, {"rows": [["a", "b", "c", "d", "zz"], 3]}))
def test_all_fields_matched_does_not_depend_on_what_else_is_shown(case: Case) -> None:
    """The flag at the top is the same with and without the matrix beside it."""
    comparison = compare(*case)
    for options in VIEWS:
        shown = comparison.to_dict(include_confusion_matrix=True, **options)  # type: ignore[arg-type]
        alone = comparison.to_dict(**options)  # type: ignore[arg-type]
        assert shown["all_fields_matched"] is shown["confusion_matrix"]["overall"]["all_fields_matched"]
        assert alone["all_fields_matched"] is shown["all_fields_matched"], options


@CAREFUL
@given(cases())
def test_options_change_views_not_numbers(case: Case) -> None:
    """Scores are the same under all options, and a view does not depend on what was looked at before."""
    comparison, again = compare(*case), compare(*case)
    scores = {(comparison.score, comparison.raw_score, comparison.weighted_score)}
    plain = comparison.to_dict()
    for options in VIEWS:
        shown = comparison.to_dict(include_confusion_matrix=True, document_non_matches=True, **options)  # type: ignore[arg-type]
        assert (
            shown["overall_score"] == plain["overall_score"] == shown["confusion_matrix"]["overall"]["similarity_score"]
        )
        assert shown["field_scores"] == plain["field_scores"]
        assert shown["confusion_matrix"] == matrix(again, **options)
        scores.add((comparison.score, comparison.raw_score, comparison.weighted_score))
    assert len(scores) == 1
    assert comparison.to_dict() == again.to_dict() == plain


@CAREFUL
@given(cases())
def test_leaves_outside_of_lists_count_the_same_in_both_modes(case: Case) -> None:
    """A top-level value has one outcome, whichever unit is counted."""
    schema, expected, predicted = case
    comparison = compare(schema, expected, predicted)
    by_objects, by_leaves = (matrix(comparison, unmatched=u, extras="ignore") for u in ("objects", "leaves"))
    for name, sub in schema["properties"].items():
        if "properties" not in sub and sub["type"] != "array":
            assert by_objects["fields"][name]["overall"] == by_leaves["fields"][name]["overall"]


def is_tied(reference: Reference, node: ListOf, a: Json, b: Json) -> bool:
    """Tell whether the best total of two lists is reached in more than one way."""
    left, right = reference.items(node, a), reference.items(node, b)
    grid = [[round(reference.pair(node.item, x, y).scores.raw * TIE) for y in right] for x in left]
    totals = sorted(sum(grid[i][j] for i, j in way) for way in assignments(len(left), len(right)))
    return len(totals) > 1 and totals[-1] - totals[-2] <= len(left)


@dataclass(frozen=True)
class Tied(Reference):
    """The reference, noting every list that is tied."""

    ties: list[ListOf] = field(default_factory=list)

    def match(self, node: ListOf, a: Json, b: Json) -> Matching:
        if is_tied(self, node, a, b):
            self.ties.append(node)
        return super().match(node, a, b)


@STEADY
@given(cases(Noise(junk=0, unknown=0, absent=4, longest=3), symmetric=True))
def test_swapping_the_sides_swaps_missed_and_spurious(case: Case) -> None:
    """For comparators that don't mind which side is which, what was missed is then spurious, and the rest stays."""
    schema, expected, predicted = case
    full = Spec.from_json_schema(schema).resolved()
    reference = Tied(full.root, full.definitions)
    reference.leaves(expected, predicted)
    assume(not reference.ties)
    here, there = compare(schema, expected, predicted), compare(schema, predicted, expected)
    swapped = {"fn": "fa", "fa": "fn"}
    assert Counter((v.field, v.outcome.value) for v in here.verdicts if v.declared) == Counter(
        (v.field, swapped.get(v.outcome.value, v.outcome.value)) for v in there.verdicts if v.declared
    )
    assert here.score == pytest.approx(there.score, abs=1e-9)
    assert here.raw_score == pytest.approx(there.raw_score, abs=1e-9)


@STEADY
@given(cases(Noise(absent=4, unknown=2, shortest=1, longest=4)), st.randoms(use_true_random=False))
def test_the_order_of_items_does_not_matter(case: Case, random: Any) -> None:
    """Shuffling the rows of either side changes no count and no score, also where totals tie."""
    schema, expected, predicted = case
    sides = [side.get("rows") for side in (expected, predicted)]
    assume(all(isinstance(rows, list) for rows in sides) and max(map(len, sides)) > 1)
    shuffled = [
        {**side, "rows": random.sample(rows, len(rows))}
        for side, rows in zip((expected, predicted), sides, strict=True)
    ]
    here, there = compare(schema, expected, predicted), compare(schema, *shuffled)
    assert here.score == pytest.approx(there.score, abs=1e-9)
    assert here.raw_score == pytest.approx(there.raw_score, abs=1e-9)
    for options in VIEWS:
        counted = [counts_by_path(matrix(comparison, **options)) for comparison in (here, there)]
        assert counted[0] == counted[1]


def counts_by_path(found: Mapping[str, Any]) -> dict[tuple[str, str], Counter[str]]:
    return {(path, which): counted(node[which]) for path, node in nodes(found) for which in ("overall", "aggregate")}


ROWS_SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {
        "rows": {
            "type": "array",
            "items": {"type": "object", "properties": {"what": {"type": "string"}, "price": {"type": "number"}}},
        },
        "tags": {"type": "array", "items": {"type": "string"}},
    },
}
ROWS = st.lists(
    st.fixed_dictionaries({"what": st.sampled_from(TEXTS), "price": st.sampled_from([1, 2, 2.5, 40])}), max_size=4
)
TAGS = st.lists(st.sampled_from(TEXTS), max_size=4)
DOCUMENTS = st.fixed_dictionaries({"rows": ROWS, "tags": TAGS})


@CAREFUL
@given(DOCUMENTS, DOCUMENTS)
def test_one_more_wrong_row_never_raises_precision(expected: Json, predicted: Json) -> None:
    """An invented row or element that resembles nothing adds an error and takes no match away."""
    worse = {
        "rows": [*predicted["rows"], {"what": "☃☃☃☃☃☃☃☃☃☃", "price": 123456}],
        "tags": [*predicted["tags"], "☃☃☃☃☃☃☃☃☃☃"],
    }
    before, after = compare(ROWS_SCHEMA, expected, predicted), compare(ROWS_SCHEMA, expected, worse)
    for unmatched in ("objects", "leaves"):
        for path in ("rows", "tags"):
            counts = [matrix(c, unmatched=unmatched)["fields"][path]["overall"] for c in (before, after)]
            assert counts[0]["tp"] == counts[1]["tp"]
            assert counts[0]["fp"] + 1 == counts[1]["fp"]
    assert before.counts()["tp"] == after.counts()["tp"]
    assert before.counts()["fd"] + before.counts()["fa"] + 3 == after.counts()["fd"] + after.counts()["fa"]


@CAREFUL
@given(cases(FITTING))
def test_a_prediction_that_is_missing_is_missed_leaf_by_leaf(case: Case) -> None:
    """A null prediction misses every leaf that is expected and invents nothing."""
    schema, expected, _ = case
    itself, nothing = compare(schema, expected, expected), compare(schema, expected, None)
    assert nothing.counts()["fn"] == itself.counts()["tp"]
    assert {nothing.counts()[key] for key in ("tp", "fd", "fa")} == {0}


@CAREFUL
@given(schemas())
def test_a_fingerprint_stands_for_the_rules(schema: dict[str, Any]) -> None:
    """The same schema has the same fingerprint, however its keys are ordered and whatever it says in words."""
    plan = Plan.compile(Spec.from_json_schema(schema))
    again = json.loads(json.dumps(schema, sort_keys=True))
    again["description"] = "told in other words"
    assert Plan.compile(Spec.from_json_schema(again)).fingerprint() == plan.fingerprint()
    assert plan.fingerprint() == plan.fingerprint()
    assert plan.fingerprint(unmatched="objects") != plan.fingerprint(unmatched="leaves")
    assert plan.fingerprint(extras="ignore") != plan.fingerprint(extras="leaves")


def _field(**keys: Json) -> dict[str, Any]:
    rows = {"type": "array", "items": {"type": "object", "properties": {"b": {"type": "string"}}}}
    return {"type": "object", "properties": {"a": {"type": "string", **keys}, "rows": rows}}


@pytest.mark.parametrize(
    "changed",
    [
        _field(**{"x-aws-stickler-threshold": 0.51}),
        _field(**{"x-aws-stickler-weight": 2}),
        _field(**{"x-aws-stickler-clip-under-threshold": False}),
        _field(**{"x-aws-stickler-comparator": "Exact"}),
        _field(
            **{"x-aws-stickler-comparator": "Levenshtein", "x-aws-stickler-comparator-config": {"normalize": False}}
        ),
        _field(format="date"),
    ],
)
def test_a_fingerprint_differs_where_a_rule_differs(changed: dict[str, Any]) -> None:
    """A threshold, weight, clip, comparator, its config or a type: each makes another fingerprint."""
    plan = Plan.compile(Spec.from_json_schema(_field()))
    assert Plan.compile(Spec.from_json_schema(changed)).fingerprint() != plan.fingerprint()


@pytest.mark.parametrize(
    ("key", "value"),
    [("x-fieldwise-order", "sequence"), ("x-fieldwise-order", "position"), ("x-fieldwise-key", ["b"])],
)
def test_a_fingerprint_differs_where_a_list_is_paired_otherwise(key: str, value: Json) -> None:
    """Order and key of a list are rules."""
    changed = _field()
    changed["properties"]["rows"][key] = value
    plan = Plan.compile(Spec.from_json_schema(_field()))
    assert Plan.compile(Spec.from_json_schema(changed)).fingerprint() != plan.fingerprint()


def test_a_fingerprint_differs_where_rows_match_otherwise() -> None:
    """The match threshold of list items is a rule."""
    changed = _field()
    changed["properties"]["rows"]["items"]["x-aws-stickler-match-threshold"] = 0.71
    plan = Plan.compile(Spec.from_json_schema(_field()))
    assert Plan.compile(Spec.from_json_schema(changed)).fingerprint() != plan.fingerprint()


def made_by(node: PlanNode[Any]) -> list[PlanNode[Any]]:
    """Return the plans that may compare an object or a list where a node is declared."""
    if isinstance(node, RefPlan):
        return made_by(node.target)
    return [plan for arm in node.arms for plan in made_by(arm)] if isinstance(node, ShapePlan) else [node]


def with_nodes(node: PlanNode[Any], result: Result) -> Iterator[tuple[PlanNode[Any], Result]]:
    """Yield every result with the node that is declared at its place, parents first."""
    yield node, result
    if isinstance(result, ObjectResult):
        for child, sub in zip(result.plan.fields.values(), result.children, strict=True):
            yield from with_nodes(child, sub)
    elif isinstance(result, ListResult):
        for pair in result.pairs:
            yield from with_nodes(result.plan.item, pair.result)


@CAREFUL
@given(cases())
def test_objects_and_lists_carry_the_plan_that_compared_them(case: Case) -> None:
    """A result has the plan that is declared at its place, one of several where a field has several shapes."""
    comparison = compare(*case)
    assert comparison.plan is comparison.result.plan
    for node, result in with_nodes(comparison.plan, comparison.result):
        if not isinstance(result, LeafResult):
            assert result.plan.path == node.path
            assert any(result.plan is plan for plan in made_by(node))


@CAREFUL
@given(cases(depth=0), st.booleans(), st.booleans())
def test_flat_documents_are_shown_as_all_others(case: Case, derived: bool, with_fd: bool) -> None:
    """What `compare_with` returns of objects that hold only leaves is what the separate views return together."""
    schema, expected, predicted = case
    model = StructuredModel.from_json_schema(schema)
    left, right = model.from_json(expected), model.from_json(predicted)
    whole = left.comparison(right)
    for options in VIEWS:
        for non_matches in (True, False):
            asked: Any = {
                "include_confusion_matrix": True,
                "document_non_matches": non_matches,
                "add_derived_metrics": derived,
                "recall_with_fd": with_fd,
                **options,
            }
            shown = left.compare_with(right, **asked)
            apart = whole.to_dict(**asked)
            assert repr({name: shown[name] for name in apart}) == repr(apart)
