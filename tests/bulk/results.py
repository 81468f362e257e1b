"""Results of comparisons to add up: those the engine makes, and trees that nobody should make."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

from fieldwise import Plan, Spec
from fieldwise.values import Json
from tests.strategies import Noise, chance, documents, predictions, schemas

KEYS = ("tp", "fp", "tn", "fn", "fd", "fa")
EVERYTHING: dict[str, Any] = {
    "include_confusion_matrix": True,
    "document_non_matches": True,
    "document_field_comparisons": True,
}

Result = dict[str, Any]


@st.composite
def engine_results(draw: st.DrawFn, *, most: int = 5) -> list[Result]:
    """Draw the results of some documents under one schema."""
    schema = draw(schemas())
    plan = Plan.compile(Spec.from_json_schema(schema))
    found = []
    for _ in range(draw(st.integers(0, most))):
        expected = draw(documents(schema))
        found.append(plan.compare(expected, draw(predictions(schema, expected, Noise()))).to_dict(**EVERYTHING))
    return found


COUNTS = st.integers(0, 3) | st.sampled_from([0, 0, 0, 1, 1, 2.0, 1 << 52])
BAD_COUNTS = st.sampled_from([True, False, 1.5, -1, "1", None, 1 << 53, float("nan")])
SCORES = st.sampled_from([1.0, 0.0, 0.5, 0.1, 1 / 3, 1, True, None, float("nan"), float("inf"), "high"])
NAMES = st.sampled_from(["a", "b", "c.d", "c", "d", "e[0]", "", "f\\"])


@st.composite
def trees(draw: st.DrawFn, depth: int = 2, *, bad: bool = True) -> Json:
    """Draw a node of a matrix, mostly as the engine makes it, at times in an older or a broken form."""
    if bad and draw(chance(4)):
        return draw(st.sampled_from([None, [], "text", 3]))
    node: dict[str, Json] = {}
    counts = {key: draw(BAD_COUNTS if bad and draw(chance(2)) else COUNTS) for key in KEYS}
    if draw(chance(10)):
        counts = {key: counts[key] for key in draw(st.sets(st.sampled_from(KEYS)))}
    if draw(chance(95)):
        node["overall"] = counts
    if draw(chance(8)):
        node |= dict.fromkeys(draw(st.sets(st.sampled_from(KEYS))), 1)
    if draw(chance(60)):
        node["threshold_applied_score"] = draw(SCORES)
    if depth and draw(chance(90)):
        node["fields"] = draw(st.dictionaries(NAMES, trees(depth - 1, bad=bad), max_size=3))
    if bad and draw(chance(3)):
        node["fields"] = draw(st.sampled_from([None, [], 0, "", [1]]))
    if depth and draw(chance(8)):
        node["nested_fields"] = draw(st.dictionaries(NAMES, trees(depth - 1, bad=bad), max_size=2))
    return node


def broken_results() -> st.SearchStrategy[Json]:
    """Draw what is no result of a comparison."""
    return st.sampled_from(
        [
            None,
            "text",
            {},
            {"overall_score": 1.0},
            {"confusion_matrix": None},
            {"confusion_matrix": {}},
            {"confusion_matrix": {"overall": {"tp": 1}, "fields": {"a": {"overall": {"tp": True}}}}},
            {"confusion_matrix": {"overall": {"tp": 1}}, "non_matches": [5]},
        ]
    )
