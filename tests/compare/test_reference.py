"""The engine gives what `reference` defines, on generated specs and documents."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from fieldwise import Comparison, Plan, Spec
from fieldwise.spec.nodes import ListOf, Object
from fieldwise.spec.paths import escape
from tests.reference import OUTCOMES, Counts, Reference, Tree, get
from tests.strategies import TEXTS, Noise, documents, examples, predictions, schemas

CAREFUL = settings(deadline=None, max_examples=examples(150), suppress_health_check=list(HealthCheck))
SMALL_LISTS = Noise(junk=0, unknown=0, longest=3)
ANYTHING = Noise()
FULL_ROWS = Noise(absent=0, junk=0, unknown=0, shortest=3, longest=5)
LONG_LISTS = Noise(absent=3, junk=1, unknown=1, shortest=3, longest=5)


@st.composite
def cases(draw: st.DrawFn, noise: Noise, depth: int) -> tuple[dict[str, Any], Any, Any]:
    """Draw a schema, an expected document and a prediction."""
    schema = draw(schemas(depth=depth))
    expected = draw(documents(schema, noise))
    return schema, expected, draw(predictions(schema, expected, noise))


@CAREFUL
@given(cases(SMALL_LISTS, depth=3))
def test_documents_that_fit_their_spec(case: tuple[dict[str, Any], Any, Any]) -> None:
    """Documents that fit their spec are compared as the reference does."""
    agree(*case)


@CAREFUL
@given(cases(ANYTHING, depth=3))
def test_documents_with_junk(case: tuple[dict[str, Any], Any, Any]) -> None:
    """Wrong kinds, absent values and unknown keys are counted as the reference does."""
    agree(*case)


@CAREFUL
@given(cases(LONG_LISTS, depth=2))
def test_lists_that_are_compared_by_grid(case: tuple[dict[str, Any], Any, Any]) -> None:
    """Lists of up to 5 x 6 items, and lists in them, are compared as the reference does."""
    agree(*case)


@CAREFUL
@given(cases(FULL_ROWS, depth=1))
def test_lists_of_flat_rows_without_gaps(case: tuple[dict[str, Any], Any, Any]) -> None:
    """Rows of values that are all there, which the engine may pair by bounds, are paired as the reference does."""
    agree(*case)


RECURSIVE = (
    {
        "type": "object",
        "properties": {
            "name": {"type": "string"},
            "next": {"$ref": "#"},
            "parts": {"type": "array", "items": {"$ref": "#"}},
        },
    },
    {
        "type": "object",
        "properties": {"a": {"$ref": "#/$defs/part", "x-aws-stickler-weight": 2}, "b": {"$ref": "#/$defs/part"}},
        "$defs": {
            "part": {
                "type": "object",
                "properties": {
                    "name": {"type": "string", "x-aws-stickler-threshold": 0.8},
                    "parts": {"type": "array", "items": {"$ref": "#/$defs/part"}},
                    "next": {"$ref": "#/$defs/part", "x-aws-stickler-weight": 0.3},
                },
                "x-aws-stickler-match-threshold": 0.5,
            }
        },
    },
)
# Compiled here once: a recursive spec raises Python's recursion limit, which Hypothesis forbids inside of a test.
for _schema in RECURSIVE:
    Plan.compile(Spec.from_json_schema(_schema))
PARTS = st.recursive(
    st.none() | st.just("junk"),
    lambda inner: st.fixed_dictionaries(
        {},
        optional={
            "name": st.sampled_from(TEXTS[:5]) | st.none(),
            "parts": st.lists(inner, max_size=3),
            "next": inner,
            "zz": st.just(1),
            "a": inner,
        },
    ),
    max_leaves=8,
)


@CAREFUL
@given(st.sampled_from(RECURSIVE), PARTS, PARTS)
def test_definitions_that_hold_themselves(schema: dict[str, Any], expected: Any, predicted: Any) -> None:
    """Recursive schemas are followed as deep as the documents go; where both end, one leaf is absent."""
    agree(schema, {"a": expected, "next": expected}, {"a": predicted, "next": predicted})


ROW = {"type": "object", "properties": {"a": {"type": "string"}, "b": {"type": "string"}}}
EITHER = {"anyOf": [{"type": "string"}, ROW, {"type": "array", "items": {"type": "string"}}]}
NEAR, FAR = {"a": "x", "b": "abcdefghij"}, {"a": "x", "b": "abcdefghix"}
SHAPES: list[Any] = [None, "x", "y", 5, NEAR, FAR, {"a": "x"}, {"a": None}, {"zz": 1}, ["x", "y"], ["x"], []]
LISTS: list[Any] = [
    [],
    ["x"],
    [NEAR],
    [FAR],
    ["x", {"a": "x"}],
    [{"zz": 1}],
    [{"a": "y"}, FAR, "x"],
    [NEAR, NEAR, "q", "q", "q"],
    [FAR, FAR, FAR, "q", "q"],
]


@pytest.mark.parametrize("expected", SHAPES, ids=repr)
def test_fields_of_several_shapes(expected: Any) -> None:
    """The shape of both values chooses how a field is compared."""
    for predicted in SHAPES:
        agree({"type": "object", "properties": {"v": EITHER}}, {"v": expected}, {"v": predicted})


@pytest.mark.parametrize("expected", LISTS, ids=repr)
def test_lists_of_several_shapes(expected: Any) -> None:
    """Items of a list pair by the threshold of their own shape, and are absent by their own fields."""
    items = {"anyOf": [ROW, {"type": "string"}]}
    for predicted in LISTS:
        schema = {"type": "object", "properties": {"v": {"type": "array", "items": items}}}
        agree(schema, {"v": expected}, {"v": predicted})


def agree(schema: dict[str, Any], expected: Any, predicted: Any) -> None:
    spec = Spec.from_json_schema(schema)
    reference = Reference.of(spec)
    comparison = Plan.compile(spec).compare(expected, predicted)
    agree_on_scores(comparison, reference, expected, predicted)
    agree_on_objects(comparison, reference, expected, predicted)
    agree_on_leaves(comparison, reference, expected, predicted)


def agree_on_scores(comparison: Comparison, reference: Reference, expected: Any, predicted: Any) -> None:
    root = reference.root
    assert comparison.score == pytest.approx(reference.overall(root, expected, predicted), abs=1e-9)
    assert comparison.raw_score == pytest.approx(reference.raw(root, expected, predicted), abs=1e-9)
    assert comparison.weighted_score == pytest.approx(reference.weighted(expected, predicted), abs=1e-9)
    fields = {
        name: reference.scores(child, expected.get(name), predicted.get(name)) for name, child in root.fields.items()
    }
    result = comparison.to_dict(include_confusion_matrix=True)
    assert result["field_scores"] == pytest.approx({name: s.credited for name, s in fields.items()}, abs=1e-9)
    for name, scores in fields.items():
        node = result["confusion_matrix"]["fields"][name]
        assert node["raw_similarity_score"] == pytest.approx(scores.raw, abs=1e-9)
        assert node["threshold_applied_score"] == pytest.approx(scores.credited, abs=1e-9)
        child = root.fields[name]
        if isinstance(child, ListOf) and isinstance(child.item, Object) and node["fields"]:
            means = row_scores(reference, child, expected.get(name), predicted.get(name))
            assert {k: v["overall"]["similarity_score"] for k, v in node["fields"].items()} == pytest.approx(means)


def row_scores(reference: Reference, node: ListOf, expected: Any, predicted: Any) -> dict[str, float]:
    """Return the score of each field of a list's rows: the mean over its accepted pairs."""
    assert isinstance(node.item, Object)
    pairs = [p for p in reference.match(node, expected, predicted).pairs if p.accepted]
    rows = [p for p in pairs if reference.fits(node.item, p.expected) and reference.fits(node.item, p.predicted)]
    return {
        name: sum(reference.scores(child, get(p.expected, name), get(p.predicted, name)).raw for p in rows) / len(rows)
        for name, child in node.item.fields.items()
    }


def agree_on_objects(comparison: Comparison, reference: Reference, expected: Any, predicted: Any) -> None:
    for extras in ("root", "ignore"):
        options = {"include_confusion_matrix": True, "unmatched": "objects", "extras": extras}
        matrix = comparison.to_dict(**options)["confusion_matrix"]  # type: ignore[arg-type]
        tree = reference.tree(expected, predicted, extras=extras == "root")
        assert dict(matrix_counts(matrix)) == dict(tree_counts(tree)), extras


def agree_on_leaves(comparison: Comparison, reference: Reference, expected: Any, predicted: Any) -> None:
    verdicts = Counter((v.field, v.outcome.value) for v in comparison.verdicts)
    assert verdicts == reference.leaves(expected, predicted, extras=True)
    for extras in ("leaves", "ignore"):
        options = {"include_confusion_matrix": True, "unmatched": "leaves", "extras": extras}
        matrix = comparison.to_dict(**options)["confusion_matrix"]  # type: ignore[arg-type]
        leaves = reference.leaves(expected, predicted, extras=extras == "leaves")
        found = {path: counts for (path, which), counts in matrix_counts(matrix) if which == "aggregate"}
        assert {p: c for p, c in found.items() if c} == sums(leaves), extras


def sums(leaves: Counter[tuple[str, str]]) -> dict[str, Counts]:
    """Return the counts of every path and of every path above it."""
    out: dict[str, Counts] = {}
    for (path, outcome), count in leaves.items():
        for above in ("", *parents(path)):
            out.setdefault(above, Counter())[outcome] += count
    return out


def parents(path: str) -> Iterator[str]:
    """Yield the paths above a path and the path itself.

    >>> list(parents("a.b\\\\.c.d"))
    ['a', 'a.b\\\\.c', 'a.b\\\\.c.d']
    """
    for at, char in enumerate(path):
        if char == "." and path[at - 1] != "\\":
            yield path[:at]
    if path:
        yield path


def matrix_counts(node: Mapping[str, Any], path: str = "") -> Iterator[tuple[tuple[str, str], Counts]]:
    """Yield the counts of every node of a confusion matrix, by path."""
    for which in ("overall", "aggregate"):
        counts = node[which]
        assert counts["fp"] == counts["fa"] + counts["fd"]
        yield (path, which), +Counter({key: counts[key] for key in OUTCOMES})
    for name, child in node["fields"].items():
        yield from matrix_counts(child, f"{path}.{escape(name)}" if path else escape(name))


def tree_counts(tree: Tree, path: str = "") -> Iterator[tuple[tuple[str, str], Counts]]:
    yield (path, "overall"), +tree.overall
    yield (path, "aggregate"), +tree.aggregate
    for name, child in tree.fields.items():
        yield from tree_counts(child, f"{path}.{escape(name)}" if path else escape(name))
