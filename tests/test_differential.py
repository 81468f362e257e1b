"""Generated documents, compared by the peer and by us: the same numbers wherever we do not differ on purpose.

Run with ``.venv-peers/bin/python -m pytest tests/test_differential.py``.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from fieldwise import Plan, Spec, StructuredModel
from fieldwise.compare.lists import ListPlan, items_of
from fieldwise.compare.nodes import PlanNode, mapping_of
from fieldwise.compare.objects import ObjectPlan
from fieldwise.values import Json, is_absent

from .conformance import peer
from .conformance.agreement import Difference, differences
from .conformance.documents import Case, Schema, cases

pytestmark = [pytest.mark.peers, pytest.mark.skipif(not peer.INSTALLED, reason="stickler-eval is not installed")]

many = settings(
    max_examples=400,
    deadline=None,
    suppress_health_check=[HealthCheck.filter_too_much, HealthCheck.too_slow, HealthCheck.data_too_large],
)
EVERYTHING = {"include_confusion_matrix": True, "document_non_matches": True, "document_field_comparisons": True}
SCORES = ("raw_similarity_score", "similarity_score", "threshold_applied_score")


def ours(case: Case, **options: Any) -> dict[str, Any]:
    """Return our result for models, having checked that plain documents give the same."""
    model = StructuredModel.from_json_schema(case.schema)
    result = peer.compared(model(**case.expected), model(**case.predicted), **options)
    comparison = Plan.compile(Spec.from_json_schema(case.schema)).compare(case.expected, case.predicted)
    assert (
        list(differences(result, peer.as_json({**comparison.to_dict(**options), "compare()": comparison.raw_score})))
        == []
    )
    return result


def theirs(case: Case, **options: Any) -> dict[str, Any]:
    """Return the peer's result; inside nested objects it writes the key of a missing item as "b.None", not as None."""
    result = peer.run(case.schema, case.expected, case.predicted, **options)
    for row in result.get("field_comparisons", ()):
        if row["actual_value"] is None and str(row["actual_key"]).endswith(".None"):
            row["actual_key"] = None
    return result


# Where lists could be paired in several ways, which one the peer takes depends on its solver (Q10)


def is_tied(plan: PlanNode[Any], expected: Json, predicted: Json) -> bool:
    """Tell whether some list, at any depth and in any pair of items, has several best pairings that tell apart."""
    if isinstance(plan, ObjectPlan):
        e, p = mapping_of(expected) or {}, mapping_of(predicted) or {}
        return any(is_tied(node, e.get(name), p.get(name)) for name, node in plan.fields.items())
    if not isinstance(plan, ListPlan):
        return False
    e_items = [v for v in items_of(expected) or () if plan.item.has_value(v)]
    p_items = [v for v in items_of(predicted) or () if plan.item.has_value(v)]
    if any(is_tied(plan.item, a, b) for a in e_items for b in p_items):
        return True
    grid = [[plan.item.similarity(plan.item.pair(a, b)) for b in p_items] for a in e_items]
    return _has_several_optima(grid, by_value=not isinstance(plan.item, ObjectPlan))


def _has_several_optima(grid: Sequence[Sequence[float]], *, by_value: bool) -> bool:
    """Count the best pairings; those of scalars are the same where the same similarities are paired."""
    if not grid or not grid[0]:
        return False
    rows = grid if len(grid) <= len(grid[0]) else [list(column) for column in zip(*grid, strict=True)]
    best, found = -1.0, set[tuple[float, ...]]()
    for columns in itertools.permutations(range(len(rows[0])), len(rows)):
        chosen = tuple(round(row[column], 9) for row, column in zip(rows, columns, strict=True))
        total = round(sum(chosen), 9)
        key = tuple(sorted(chosen)) if by_value else tuple(map(float, columns))
        if total > best + 1e-8:
            best, found = total, {key}
        elif total > best - 1e-8:
            found.add(key)
    return len(found) > 1


def assume_no_ties(case: Case) -> None:
    plan = Plan.compile(Spec.from_json_schema(case.schema))
    assume(not is_tied(plan.root, case.expected, case.predicted))


# What is left out of an agreement


def agree_but_for(difference: Difference, schema: Schema) -> bool:
    """Tell whether a difference is one of ours: scores inside lists (Q9), entries of scalar lists (Q11), Q22."""
    steps = difference.path.split("/")
    if steps[1] in ("non_matches", "field_comparisons"):
        return _ends_in_scalar_list(schema, steps[2].split(" ")[0])
    if steps[-1] in SCORES and steps[-2] != "overall":
        return _passes_rows(schema, steps)
    return False


def _ends_in_scalar_list(schema: Schema, path: str) -> bool:
    for name, index in re.findall(r"(\w+)((?:\[\d*\])?)", path):
        schema = schema["properties"][name]
        if index:
            schema = schema["items"]
    return path.endswith("]") and "properties" not in schema


def _passes_rows(schema: Schema, steps: Sequence[str]) -> bool:
    """Tell whether the way down a matrix leads through the rows of a list of objects."""
    names = [name for parent, name in itertools.pairwise(steps) if parent == "fields"]
    for name in names[:-1]:
        schema = schema["properties"][name]
        if "items" in schema:
            return True
    return False


def unexplained(case: Case, them: Any, us: Any) -> list[Difference]:
    return [d for d in differences(them, us) if not agree_but_for(d, case.schema)]


@many
@given(case=cases(), strict_recall=st.booleans())
def test_the_same_scores_counts_and_entries(case: Case, strict_recall: bool) -> None:
    """Scores, compare(), the whole matrix, non-matches and field comparisons agree with the peer's."""
    assume_no_ties(case)
    options = {**EVERYTHING, "recall_with_fd": strict_recall}
    assert unexplained(case, theirs(case, **options), ours(case, **options)) == []


@many
@given(case=cases(), with_matrix=st.booleans(), with_entries=st.booleans())
def test_the_same_evaluator_format(case: Case, with_matrix: bool, with_entries: bool) -> None:
    """The evaluator format agrees with the peer's, with a matrix and without."""
    assume_no_ties(case)
    options = {
        "evaluator_format": True,
        "include_confusion_matrix": with_matrix,
        "document_non_matches": with_entries,
    }
    assert unexplained(case, theirs(case, **options), ours(case, **options)) == []


@settings(many, max_examples=100)
@given(case=cases())
def test_switches_off(case: Case) -> None:
    """Without derived metrics the counts agree, and no ratio is left anywhere (Q22)."""
    assume_no_ties(case)
    options = {"include_confusion_matrix": True, "add_derived_metrics": False}
    us = ours(case, **options)
    found = unexplained(case, theirs(case, **options), us)
    assert [d for d in found if not d.path.endswith("/derived")] == []
    assert "derived" not in str(us)
