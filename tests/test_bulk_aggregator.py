"""The bulk aggregator: what counts, what is refused, and that order and number of parts never matter."""

from __future__ import annotations

import ast
import copy
import json
import subprocess
import sys
from collections import Counter, OrderedDict, defaultdict
from collections.abc import Iterator
from decimal import Decimal
from enum import IntEnum
from fractions import Fraction
from pathlib import Path
from types import MappingProxyType
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from fieldwise import Plan, Spec, StructuredModel, bulk_aggregator
from fieldwise.bulk_aggregator import METRIC_KEYS, BulkEvaluationAggregator, metrics_of
from fieldwise.spec import escape
from fieldwise.values import Json

from .conformance import peer
from .conformance.documents import Case, cases

FILE = Path(bulk_aggregator.__file__)
POSITIVE = ("tp", "fd", "fa", "fn")
RATIOS = ("precision", "recall", "f1", "accuracy")


def aggregated(*matrices: Json) -> dict[str, Any]:
    """Return the totals of matrices, each a document of its own."""
    aggregator = BulkEvaluationAggregator()
    for matrix in matrices:
        aggregator.update(matrix)
    return aggregator.compute()


def counts(row: dict[str, Any]) -> dict[str, int]:
    """Return the counts of a row that are not 0."""
    return {key: row[key] for key in METRIC_KEYS if row[key]}


def same_bytes(aggregator: BulkEvaluationAggregator) -> str:
    """Return the result as text, to compare to the last digit."""
    return json.dumps(aggregator.compute(), sort_keys=True)


def test_metrics_follow_the_formulas() -> None:
    """Precision, recall, F1 and accuracy are ratios of the counts; strict ones count a mismatch on both sides."""
    row = metrics_of({"tp": 6, "fp": 3, "fd": 2, "fa": 1, "fn": 2, "tn": 4})
    assert row["precision"] == 6 / 9
    assert row["recall"] == 6 / 8
    assert row["f1"] == pytest.approx(2 * 6 / (2 * 6 + 3 + 2))
    assert row["accuracy"] == 10 / 15
    assert row["strict_recall"] == 6 / 10
    assert row["strict_f1"] == 12 / (12 + 4 + 1 + 2)


def test_metrics_of_nothing_are_zero() -> None:
    """A ratio with nothing to divide by is 0.0, missing counts are 0, and strict ones are None where not known."""
    row = metrics_of({})
    assert counts(row) == {}
    assert [row[key] for key in (*RATIOS, "strict_recall", "strict_f1")] == [0.0] * 6
    assert metrics_of({"tp": 1}, strict=False)["strict_f1"] is None


def test_no_documents() -> None:
    """Without documents the result has its full shape, and zeros."""
    result = BulkEvaluationAggregator().compute()
    assert list(result) == ["document_count", "overall", "fields", "errors", "aggregate", "skipped_count"]
    assert (result["document_count"], result["fields"], result["errors"]) == (0, {}, [])
    assert list(result["overall"])[:6] == list(METRIC_KEYS) == list(BulkEvaluationAggregator.METRIC_KEYS)


def test_flat_fields() -> None:
    """A field with counts of its own has a row with all six counts."""
    row = aggregated({"fields": {"invoice_id": {"tp": 1, "fp": 0, "fn": 0, "tn": 0}}})["fields"]["invoice_id"]
    assert [row[key] for key in METRIC_KEYS] == [1, 0, 0, 0, 0, 0]
    assert [row[key] for key in RATIOS] == [1.0] * 4


def test_a_list_has_rows_of_its_own_and_of_its_fields() -> None:
    """``overall`` with ``nested_fields``: parent and children stand in the result under dotted paths."""
    items = {
        "overall": {"tp": 3, "fp": 1, "fn": 0, "tn": 0},
        "nested_fields": {
            "description": {"tp": 1, "fp": 0, "fn": 0, "tn": 0},
            "amount": {"tp": 1, "fp": 1, "fn": 0, "tn": 0},
        },
    }
    fields = aggregated({"fields": {"line_items": items}})["fields"]
    assert list(fields) == ["line_items", "line_items.amount", "line_items.description"]
    assert counts(fields["line_items"]) == {"tp": 3, "fp": 1}
    assert fields["line_items.amount"]["precision"] == 0.5


def test_an_object_has_rows_of_its_own_and_of_its_fields() -> None:
    """``overall`` with ``fields``: the same, at any depth and in any mixture."""
    address = {
        "overall": {"tp": 2},
        "fields": {"street": {"tp": 1}, "city": {"overall": {"tp": 1}, "nested_fields": {"zip": {"fn": 1}}}},
    }
    fields = aggregated({"fields": {"address": address}})["fields"]
    assert {path: counts(row) for path, row in fields.items()} == {
        "address": {"tp": 2},
        "address.city": {"tp": 1},
        "address.city.zip": {"fn": 1},
        "address.street": {"tp": 1},
    }


def test_the_rows_of_the_design_document() -> None:
    """Totals of many documents have the printed ratios, exact to a thousandth."""
    result = aggregated({"overall": {"tp": 450, "fp": 12, "fn": 8, "tn": 5}})
    printed = {"precision": 0.974, "recall": 0.982, "f1": 0.978, "accuracy": 0.957}
    assert {key: result["overall"][key] for key in printed} == pytest.approx(printed, abs=0.0015)
    row = aggregated(*[{"fields": {"customer_name": {"tp": 34, "fp": 1.5 * n, "fn": 2}}} for n in (0, 2)])
    assert counts(row["fields"]["customer_name"]) == {"tp": 68, "fp": 3, "fn": 4}
    printed = {"precision": 0.957, "recall": 0.944, "f1": 0.951, "accuracy": 0.907}
    assert {key: row["fields"]["customer_name"][key] for key in printed} == pytest.approx(printed, abs=0.0015)


def test_a_node_counts_once() -> None:
    """Counts of the node itself win over its ``overall``."""
    result = aggregated({"fields": {"a": {"tp": 1, "overall": {"tp": 5, "fn": 7}}}, "tp": 2, "overall": {"tp": 9}})
    assert counts(result["fields"]["a"]) == {"tp": 1}
    assert counts(result["overall"]) == {"tp": 2}


def test_a_child_in_both_places_counts_once() -> None:
    """Where ``fields`` and ``nested_fields`` have the same name, ``fields`` is counted."""
    both = {"overall": {"tp": 1}, "fields": {"x": {"tp": 1}}, "nested_fields": {"x": {"tp": 7}, "y": {"tp": 2}}}
    fields = aggregated({"fields": {"a": both}})["fields"]
    assert counts(fields["a.x"]) == {"tp": 1}
    assert counts(fields["a.y"]) == {"tp": 2}


def test_nodes_without_counts_have_no_row() -> None:
    """A node that counts nothing is no row, its children are."""
    fields = aggregated({"fields": {"a": {"weight": 1.0}, "b": {"fields": {"c": {"tp": 1}}}, "d": {"overall": {}}}})
    assert list(fields["fields"]) == ["b.c"]


@pytest.mark.parametrize("name", ["a.b", "a[0]", "a\\.b", "", "\\0", "ä b", "0"])
def test_names_do_not_collide_with_nesting(name: str) -> None:
    """Dots, brackets and backslashes of a name are escaped as in all paths of the package."""
    matrix = {"fields": {name: {"tp": 1}, "a": {"fields": {"b": {"fn": 1}}}}}
    fields = aggregated(matrix)["fields"]
    assert {path: counts(row) for path, row in fields.items()} == {"a.b": {"fn": 1}, escape(name): {"tp": 1}}


def test_missing_fp_is_the_sum_of_its_parts() -> None:
    """``fp`` is fd + fa where it is not said, and as it is said otherwise."""
    fields = aggregated({"fields": {"a": {"fd": 2, "fa": 1}, "b": {"fp": 3}, "c": {"fp": 4, "fd": 1}}})["fields"]
    assert [row["fp"] for row in fields.values()] == [3, 3, 4]


def test_strict_metrics_need_fd_everywhere() -> None:
    """One node of a path without ``fd`` makes the strict metrics of that path None, and of no other."""
    known, unknown = {"a": {"tp": 1, "fd": 1}, "b": {"tp": 1, "fd": 0}}, {"a": {"tp": 1, "fp": 1}}
    result = aggregated({"fields": known}, {"fields": unknown})
    assert result["fields"]["a"]["strict_f1"] is result["fields"]["a"]["strict_recall"] is None
    assert result["fields"]["b"]["strict_f1"] == 1.0
    assert result["aggregate"]["strict_f1"] is None
    assert aggregated({"fields": known})["aggregate"]["strict_f1"] == pytest.approx(4 / 6)


def test_a_comparison_result_gives_its_matrix() -> None:
    """``update`` takes what ``compare_with`` returns."""
    result = aggregated({"overall_score": 0.5, "confusion_matrix": {"overall": {"tp": 1}}})
    assert result["document_count"] == result["overall"]["tp"] == 1


@pytest.mark.parametrize("nothing", [None, {}, {"confusion_matrix": {}}])
def test_nothing_is_skipped(nothing: Json) -> None:
    """None and empty matrices are no documents and no errors; they are counted apart."""
    result = aggregated(nothing, {"overall": {"tp": 1}})
    assert (result["document_count"], result["skipped_count"], result["errors"]) == (1, 1, [])


def test_documents_are_counted_by_their_ids() -> None:
    """Updates in a row with one id are one document; without id each is one."""
    aggregator = BulkEvaluationAggregator()
    for doc_id in ("a", "a", "b", None, None, "b"):
        aggregator.update({"overall": {"tp": 1}}, doc_id)
    assert aggregator.compute()["document_count"] == 5


def test_a_bad_section_neither_counts_nor_hides_its_document() -> None:
    """A document is counted once if any of its updates is sound, wherever the bad one stands."""
    good, bad = {"overall": {"tp": 1}}, {"overall": {"tp": "1"}}
    for order in ([good, bad, good], [bad, good, good], [good, good, bad], [good, None, good]):
        aggregator = BulkEvaluationAggregator()
        for matrix in order:
            aggregator.update(matrix, "doc")
        assert aggregator.compute()["document_count"] == 1
    assert aggregated(bad)["document_count"] == 0


def test_aggregate_is_the_sum_of_leaves() -> None:
    """Leaf totals: the matrix's own ``aggregate``, else its childless nodes, else its ``overall``."""
    leaves = {"fields": {"a": {"overall": {"tp": 9}, "fields": {"x": {"tp": 1}, "y": {"fn": 2}}}, "b": {"tp": 3}}}
    assert counts(aggregated({"overall": {"tp": 5}, **leaves})["aggregate"]) == {"tp": 4, "fn": 2}
    assert counts(aggregated({"aggregate": {"tp": 7}, **leaves})["aggregate"]) == {"tp": 7}
    assert counts(aggregated({"aggregate": {}, **leaves})["aggregate"]) == {"tp": 4, "fn": 2}
    assert counts(aggregated({"overall": {"tp": 5}})["aggregate"]) == {"tp": 5}


def test_groups_have_fields_of_their_own() -> None:
    """With groups the result also has the fields of each, and ``fields`` is their sum."""
    aggregator = BulkEvaluationAggregator()
    aggregator.update({"fields": {"total": {"tp": 1}}}, "a", group="invoice")
    aggregator.update({"fields": {"total": {"fn": 1}, "name": {"tp": 1}}}, "a", group="cheque")
    result = aggregator.compute()
    assert result["document_count"] == 1
    assert counts(result["fields"]["total"]) == {"tp": 1, "fn": 1}
    assert list(result["classes"]) == ["cheque", "invoice"]
    assert counts(result["classes"]["cheque"]["fields"]["total"]) == {"fn": 1}
    assert list(result["classes"]["invoice"]["fields"]) == ["total"]


def test_reset_forgets_everything() -> None:
    """After ``reset`` the aggregator is as new."""
    aggregator = BulkEvaluationAggregator()
    for matrix in ({"fields": {"a": {"tp": 1}}}, None, 5):
        aggregator.update(matrix, "x", group="g")
    aggregator.reset()
    assert same_bytes(aggregator) == same_bytes(BulkEvaluationAggregator())
    aggregator.update({"overall": {"tp": 1}}, "x")
    assert aggregator.compute()["document_count"] == 1


def test_what_stands_beside_nodes_has_a_row_even_where_it_counts_nothing() -> None:
    """A key in ``beside`` is shown, with zeros where its object is empty."""
    aggregator = BulkEvaluationAggregator()
    aggregator.update({"fields": {"a": {"tp": 1}}, "beside": {"b[values]": {}}})
    result = aggregator.compute()
    assert [(name, row["tp"]) for name, row in result["fields"].items()] == [("a", 1), ("b", 0)]
    assert result["aggregate"]["tp"] == 1


def test_a_result_is_a_copy() -> None:
    """What a caller does to a result or a state does not reach the totals, and inputs are not changed."""
    aggregator = BulkEvaluationAggregator()
    matrix = {"fields": {"a": defaultdict(int, tp=1)}}
    aggregator.update(matrix)
    aggregator.update(7, "bad")
    before = same_bytes(aggregator)
    state, result = aggregator.to_state(), aggregator.compute()
    state["fields"]["a"][0] = state["overall"][0] = 99
    state["errors"][0]["error"] = result["errors"][0]["error"] = "mine"
    assert same_bytes(aggregator) == before
    assert dict(matrix["fields"]["a"]) == {"tp": 1}


def cycle() -> Json:
    """Return a matrix that contains itself, twice."""
    node: dict[str, Any] = {"tp": 1}
    node["fields"] = {"again": node, "and": node}
    return {"overall": {"tp": 1}, "fields": {"a": node}}


def deep(levels: int) -> Json:
    """Return a matrix with so many levels of fields."""
    node: dict[str, Any] = {"tp": 1}
    for _ in range(levels - 1):
        node = {"tp": 1, "fields": {"x": node}}
    return {"fields": {"x": node}}


def bomb() -> Json:
    """Return a small object that stands for 2**60 fields."""
    node: dict[str, Any] = {"tp": 1}
    for _ in range(60):
        node = {"fields": {"a": node, "b": node}}
    return node


MALFORMED: dict[str, tuple[Json, str, str]] = {
    "a text": ("tp", "", "Expected a confusion matrix, got str"),
    "a list": ([{"tp": 1}], "", "Expected a confusion matrix, got list"),
    "a number": (0, "", "Expected a confusion matrix, got int"),
    "no known key": ({"tp_count": 1}, "", "Expected counts"),
    "a result without matrix": ({"overall_score": 1.0}, "", "Expected counts"),
    "a null matrix": ({"confusion_matrix": None}, "", "confusion_matrix is null"),
    "a list of matrices": ({"confusion_matrix": [1]}, "", "got list"),
    "a null node": ({"fields": {"a": {"tp": 1}, "b": None}}, "b", "got null"),
    "a number as node": ({"fields": {"a": {"fields": {"b": 5}}}}, "a.b", "got int"),
    "null overall": ({"overall": None}, "", "got null"),
    "a list as overall": ({"fields": {"a": {"overall": [1]}}}, "a", "got list"),
    "null fields": ({"overall": {"tp": 1}, "fields": None}, "", "got null"),
    "a list as fields": ({"fields": {"a": {"tp": 1, "fields": []}}}, "a", "got list"),
    "a text as nested_fields": ({"fields": {"a": {"nested_fields": ""}}}, "a", "got str"),
    "a null aggregate": ({"overall": {"tp": 1}, "aggregate": None}, "", "got null"),
    "a text count": ({"fields": {"a": {"overall": {"tp": "1"}}}}, "a", "a count for 'tp', got str"),
    "a null count": ({"fields": {"a": {"tp": 1, "fn": None}}}, "a", "a count for 'fn', got null"),
    "a negative count": ({"fields": {"a": {"tp": 1, "fn": -1}}}, "a", "below 0"),
    "a hugely negative count": ({"fields": {"a": {"tp": -(10**5000)}}}, "a", "below 0"),
    "a huge count": ({"fields": {"a": {"tp": 10**5000}}}, "a", "larger number"),
    "NaN": ({"fields": {"a": {"tp": float("nan")}}}, "a", "whole number for 'tp', got nan"),
    "infinity": ({"fields": {"a": {"tp": float("inf")}}}, "a", "whole number"),
    "half a match": ({"fields": {"a": {"tp": 0.5}}}, "a", "got 0.5"),
    "a true count": ({"fields": {"a": dict.fromkeys(METRIC_KEYS, 1) | {"tp": True}}}, "a", "got bool"),
    "a false count": ({"fields": {"a": dict.fromkeys(METRIC_KEYS, 1) | {"fa": False}}}, "a", "got bool"),
    "a name that is no text": ({"fields": {"a": {"fields": {5: {"tp": 1}}}}}, "a", "to be text, got int"),
    "a cycle": (cycle(), "a" + ".and" * 199, "contain itself"),
    "too deep": (deep(201), "x" + ".x" * 199, "at most 200 levels"),
    "too many": (bomb(), "", "100000 fields"),
}


@pytest.mark.parametrize("name", MALFORMED)
def test_a_malformed_matrix_is_a_record_and_changes_no_count(name: str) -> None:
    """It is told in ``errors`` with document, path and reason; nothing of it is counted, in no order."""
    matrix, path, reason = MALFORMED[name]
    sound = {"overall": {"tp": 1}, "fields": {"a": {"tp": 1}, "b": {"fn": 1}}}
    aggregator, alone = BulkEvaluationAggregator(), BulkEvaluationAggregator()
    alone.update(sound, "sound", group="g")
    aggregator.update(matrix, "bad", group="other")
    aggregator.update(sound, "sound", group="g")
    aggregator.update(matrix, "bad", group="g")
    result = aggregator.compute()
    first, second = result.pop("errors")
    assert first == second
    assert first["doc_id"] == "bad"
    assert reason in first["error"]
    if name != "too many":
        assert first["path"] == path
    assert result == {key: value for key, value in alone.compute().items() if key != "errors"}


def usual() -> dict[str, Any]:
    """Return a matrix as the engine makes it: a match, a mismatch, and a list of which one row is right."""
    leaf = {"fields": {}, "weight": 1.0, "threshold_applied_score": 1.0}
    items = {"overall": six(tp=1, fn=1), "fields": {"x": {"overall": six(tp=1), **leaf}}}
    fields = {"a": {"overall": six(tp=1), **leaf}, "b": {"overall": six(fp=1, fd=1), **leaf}, "items": items}
    return {"overall": six(tp=2, fp=1, fd=1, fn=1), "fields": fields, "aggregate": six(tp=2, fp=1, fd=1)}


def six(**some: int) -> dict[str, Any]:
    """Return six counts, 0 where they are not given."""
    return dict.fromkeys(METRIC_KEYS, 0) | some


class One(IntEnum):
    """An integer of a type of its own."""

    ONE = 1


@pytest.mark.parametrize("value", [True, 1.0, np.int64(1), Decimal(1), Fraction(1), One.ONE, "1", None, -1, 1 << 53])
@pytest.mark.parametrize("place", ["fields.a.overall", "fields.items.overall", "fields.items.fields.x.overall"])
def test_a_count_that_equals_an_earlier_one_is_read_by_its_type(place: str, value: Json) -> None:
    """A matrix that looks like earlier ones counts, or is refused, as if it came first."""
    odd = copy.deepcopy(usual())
    holder = odd
    for step in place.split("."):
        holder = holder[step]
    holder["tp"] = value
    assert same_bytes(seen_after(odd)) == same_bytes(merged(known(), fresh(odd)))


ODD_PARTS: dict[str, Json] = {
    "counts of its own": {"overall": six(tp=5), "fields": {}, "tp": 1},
    "another place for children": {"overall": six(tp=1), "fields": {}, "nested_fields": {"z": six(fn=1)}},
    "no fd": {"overall": {"tp": 1, "fp": 0, "tn": 0, "fn": 0, "fa": 0}, "fields": {}},
    "counts that make up what is missing": {"overall": Counter(tp=1), "fields": {}},
    "a node that makes up what is missing": defaultdict(dict, {"overall": six(tp=1)}),
    "counts that cannot be changed": {"overall": MappingProxyType(six(tp=1)), "fields": {}},
    "children that are null": {"overall": six(tp=1), "fields": None},
    "children that are an empty list": {"overall": six(tp=1), "fields": []},
    "children that are an empty dict of another type": {"overall": six(tp=1), "fields": OrderedDict()},
    "new children": {"overall": six(tp=1), "fields": {"new": {"overall": six(tp=1), "fields": {}}}},
}


@pytest.mark.parametrize("name", ODD_PARTS)
def test_a_node_in_place_of_a_usual_one_counts_as_if_it_came_first(name: str) -> None:
    """However many matrices of the same fields came before; and it is left as it is."""
    odd = usual()
    odd["fields"]["a"] = ODD_PARTS[name]
    keys = [*ODD_PARTS[name]]
    assert same_bytes(seen_after(odd)) == same_bytes(merged(known(), fresh(odd)))
    assert [*ODD_PARTS[name]] == keys


def known() -> BulkEvaluationAggregator:
    """Return an aggregator of usual matrices."""
    return fresh(usual(), usual(), usual())


def fresh(*matrices: Json) -> BulkEvaluationAggregator:
    """Return an aggregator of matrices."""
    aggregator = BulkEvaluationAggregator()
    for matrix in matrices:
        aggregator.update(matrix)
    return aggregator


def seen_after(odd: Json) -> BulkEvaluationAggregator:
    """Return the aggregator of a matrix after usual ones."""
    aggregator = known()
    aggregator.update(odd)
    return aggregator


def test_many_different_counts_are_added_up_in_between() -> None:
    """What is remembered of matrices stays small, and the totals are right at any time."""
    aggregator = BulkEvaluationAggregator()
    for number in range(25_000):
        matrix = usual()
        matrix["fields"]["b"]["overall"]["fa"] = matrix["aggregate"]["fa"] = number
        aggregator.update(matrix)
        if number in (1, 9_999, 10_001):
            assert aggregator.compute()["fields"]["b"]["fa"] == sum(range(number + 1))
    result = aggregator.compute()
    assert result["fields"]["b"]["fa"] == result["aggregate"]["fa"] == sum(range(25_000))
    assert counts(result["fields"]["items.x"]) == counts(result["fields"]["a"]) == {"tp": 25_000}


def test_a_deep_matrix_is_counted() -> None:
    """Two hundred levels are fine."""
    assert len(aggregated(deep(200))["fields"]) == 200


def test_whole_floats_are_counts() -> None:
    """Counts that went through a float column are accepted and come out as integers."""
    row = aggregated({"fields": {"a": dict.fromkeys(METRIC_KEYS, 2.0)}})["fields"]["a"]
    assert [type(row[key]) for key in METRIC_KEYS] == [int] * 6
    assert row["tp"] == 2


@pytest.mark.parametrize(
    "state",
    [
        None,
        [],
        {},
        {"version": 2},
        {"version": 1},
        BulkEvaluationAggregator().to_state() | {"overall": [1, 2]},
        BulkEvaluationAggregator().to_state() | {"fields": {"a": ["1"] * 7}},
        BulkEvaluationAggregator().to_state() | {"fields": []},
        BulkEvaluationAggregator().to_state() | {"document_count": -1},
        BulkEvaluationAggregator().to_state() | {"errors": [{}]},
    ],
)
def test_a_broken_state_is_refused(state: Json) -> None:
    """What ``to_state`` did not make is a ValueError."""
    with pytest.raises(ValueError, match="Expected a state"):
        BulkEvaluationAggregator.from_state(state)


# Laws.

names = st.sampled_from(["a", "b", "line items", "x.y", "k[0]", ""])
whole = st.integers(0, 5) | st.integers(0, 5).map(float)
count_objects = st.dictionaries(st.sampled_from(METRIC_KEYS), whole, max_size=6)
complete = st.fixed_dictionaries({key: st.integers(0, 5) for key in METRIC_KEYS})
own_counts = count_objects | complete | st.fixed_dictionaries({"overall": count_objects | complete})


def with_children(nodes: st.SearchStrategy[Json]) -> st.SearchStrategy[Json]:
    """Return nodes that also have fields, in one place or in both."""
    inner = st.dictionaries(names, nodes, max_size=3)
    return st.builds(
        lambda own, children: {**own, **children},
        own_counts,
        st.fixed_dictionaries({}, optional={"fields": inner, "nested_fields": inner}),
    )


nodes_of_matrices = st.recursive(own_counts, with_children, max_leaves=8)
sound_matrices = st.builds(
    lambda node, aggregate: {**node, **aggregate},
    with_children(nodes_of_matrices),
    st.fixed_dictionaries({}, optional={"aggregate": count_objects}),
)
bad_matrices = st.sampled_from([matrix for name, (matrix, _, _) in MALFORMED.items() if name != "too many"])
updates = st.tuples(sound_matrices | bad_matrices | st.none(), st.sampled_from([None, "invoice", "cheque"]))
documents = st.lists(st.lists(updates, min_size=1, max_size=3), max_size=6).map(lambda made: list(enumerate(made)))
Document = tuple[int, list[tuple[Json, str | None]]]
relaxed = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])


def seen(made: list[Document]) -> BulkEvaluationAggregator:
    """Return an aggregator that has seen these documents."""
    aggregator = BulkEvaluationAggregator()
    for number, sections in made:
        for matrix, group in sections:
            aggregator.update(matrix, f"doc-{number}", group=group)
    return aggregator


def merged(*parts: BulkEvaluationAggregator) -> BulkEvaluationAggregator:
    """Return the sum of aggregators, which stay as they are."""
    total = BulkEvaluationAggregator()
    for part in parts:
        total.merge(part)
    return total


@relaxed
@given(documents, st.randoms(use_true_random=False), st.integers(1, 4))
def test_split_and_order_do_not_matter(made: list[Document], random: Any, parts: int) -> None:
    """Documents in any order, in any number of parts merged in any order, give the same bytes."""
    shuffled = random.sample(made, len(made))
    shards = [seen(shuffled[start::parts]) for start in range(parts)]
    random.shuffle(shards)
    assert same_bytes(merged(*shards)) == same_bytes(seen(made))


@relaxed
@given(documents, documents, documents)
def test_merging_is_associative_and_commutative_and_has_a_zero(
    one: list[Document], two: list[Document], three: list[Document]
) -> None:
    """(a + b) + c = a + (b + c), a + b = b + a, a + 0 = 0 + a = a."""
    a, b, c = seen(one), seen(two), seen(three)
    zero = BulkEvaluationAggregator()
    assert same_bytes(merged(merged(a, b), c)) == same_bytes(merged(a, merged(b, c)))
    assert same_bytes(merged(a, b)) == same_bytes(merged(b, a))
    assert same_bytes(merged(a, zero)) == same_bytes(merged(zero, a)) == same_bytes(a)


@relaxed
@given(documents, documents)
def test_state_survives_json(made: list[Document], more: list[Document]) -> None:
    """A state written as JSON and read again is the same state, and goes on as the original does."""
    original = seen(made)
    text = json.dumps(original.to_state(), sort_keys=True)
    restored = BulkEvaluationAggregator.from_state(json.loads(text))
    assert json.dumps(restored.to_state(), sort_keys=True) == text
    assert same_bytes(restored) == same_bytes(original)
    assert same_bytes(merged(restored, seen(more))) == same_bytes(merged(original, seen(more)))


@relaxed
@given(sound_matrices, st.data())
def test_one_bad_value_anywhere_undoes_the_whole_matrix(matrix: Json, data: st.DataObject) -> None:
    """A count that is replaced by a bad one leaves no trace but the record, if it is one that counts."""
    broken = copy.deepcopy(matrix)
    holders = [holder for _, holder, _ in counted(broken, ("",))]
    if not holders:
        return
    holder = data.draw(st.sampled_from(holders))
    key = data.draw(st.sampled_from(sorted(set(holder) & set(METRIC_KEYS))))
    holder[key] = data.draw(st.sampled_from([True, False, None, "1", -1, -1.0, 0.5, float("nan"), [], {}, 10**30]))
    aggregator, alone = seen([(1, [(matrix, None)])]), seen([(1, [(matrix, None)])])
    aggregator.update(broken, "broken", group="g")
    result = aggregator.compute()
    assert len(result["errors"]) == 1
    assert {**result, "errors": []} == alone.compute()


def counted(node: Json, path: tuple[str, ...]) -> Iterator[tuple[tuple[str, ...], Json, bool]]:
    """Define what counts, as a recursion: yield path, holder of the counts, and whether the node has children."""
    children = {**node.get("nested_fields", {}), **node.get("fields", {})}
    holder = node if set(node) & set(METRIC_KEYS) else node.get("overall", {})
    if set(holder) & set(METRIC_KEYS):
        yield path, holder, bool(children)
    for name, child in children.items():
        yield from counted(child, (*path, name))


def expected_counts(holder: Json) -> dict[str, int]:
    """Define the counts of one holder."""
    found = {key: int(holder.get(key, 0)) for key in METRIC_KEYS}
    if "fp" not in holder:
        found["fp"] = found["fd"] + found["fa"]
    return found


def summed(holders: list[Json]) -> dict[str, Any]:
    """Define the row of some holders."""
    rows = [expected_counts(holder) for holder in holders]
    total = {key: sum(row[key] for row in rows) for key in METRIC_KEYS}
    return metrics_of(total, strict=all("fd" in holder for holder in holders))


@relaxed
@given(st.lists(sound_matrices, max_size=4))
def test_counts_are_those_of_the_definition(matrices: list[Json]) -> None:
    """Rows, totals and leaf totals are the ones that a plain recursion over the matrices gives."""
    by_path: dict[tuple[str, ...], list[Json]] = defaultdict(list)
    leaves: list[Json] = []
    for matrix in matrices:
        nodes = list(counted(matrix, ()))
        for path, holder, _ in nodes:
            by_path[path].append(holder)
        childless = not (matrix.get("fields") or matrix.get("nested_fields"))
        given_leaves = [holder for path, holder, parent in nodes if not parent and (path or childless)]
        leaves += [matrix["aggregate"]] if matrix.get("aggregate") else given_leaves
    result = aggregated(*matrices)
    assert result["overall"] == summed(by_path.pop((), []))
    assert result["aggregate"] == summed(leaves)
    assert result["fields"] == {".".join(map(escape, path)): summed(found) for path, found in by_path.items()}
    assert list(result["fields"]) == sorted(result["fields"])


@relaxed
@given(cases())
def test_matrices_of_the_engine_are_counted_as_they_are(case: Case) -> None:
    """Whatever documents are compared: the rows of one matrix are its own counts, its leaves their aggregate."""
    comparison = Plan.compile(Spec.from_json_schema(case.schema, defaults="stickler")).compare(
        case.expected, case.predicted
    )
    by_leaves = comparison.to_dict(include_confusion_matrix=True, unmatched="leaves", extras="leaves")
    for result in (by_leaves, comparison.to_dict(include_confusion_matrix=True)):
        matrix = result["confusion_matrix"]
        total = aggregated(result, result)
        assert (total["document_count"], total["errors"]) == (2, [])
        assert total["overall"] == summed([matrix["overall"]] * 2)
        assert total["aggregate"] == summed([matrix["aggregate"]] * 2)
    # A list that is absent on both sides is a node without children, but no leaf: its tn counts the list.
    own, from_leaves = by_leaves["confusion_matrix"].pop("aggregate"), aggregated(by_leaves)["aggregate"]
    assert {key: from_leaves[key] for key in POSITIVE} == {key: own[key] for key in POSITIVE}


# The file.


def test_the_file_imports_only_the_standard_library() -> None:
    """One file, to be copied anywhere: it imports neither other packages nor its own."""
    for node in ast.walk(ast.parse(FILE.read_text())):
        if isinstance(node, ast.ImportFrom):
            assert node.level == 0
        found = [node.module or ""] if isinstance(node, ast.ImportFrom) else []
        found += [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
        assert {name.split(".")[0] for name in found} <= sys.stdlib_module_names


def script(*arguments: str) -> subprocess.CompletedProcess[str]:
    """Run the file in a Python that has no site packages."""
    command = [sys.executable, "-I", "-S", str(FILE), *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def test_the_file_is_a_script_too(tmp_path: Path) -> None:
    """It prints the totals of the results in files; sections of one file are one document."""
    one, two = tmp_path / "one.json", tmp_path / "two.json"
    one.write_text(json.dumps({"confusion_matrix": {"overall": {"tp": 1}}}))
    section = {"document_class": "W2", "metrics": {"confusion_matrix": {"fields": {"a": {"tp": 1}}}}}
    old = {"document_class": "W2", "stickler_comparison_result": {"confusion_matrix": {"fields": {"a": {"fn": 1}}}}}
    without = {"stickler_comparison_result": {"overall_score": 1.0}}
    two.write_text(json.dumps({"section_results": [section, old, {"metrics": None}, without, 5]}))
    done = script(str(one), str(two))
    assert done.returncode == 0, done.stderr
    result = json.loads(done.stdout)
    assert (result["document_count"], result["overall"]["tp"], result["skipped_count"]) == (2, 1, 2)
    assert counts(result["classes"]["W2"]["fields"]["a"]) == {"tp": 1, "fn": 1}
    assert [error["error"] for error in result["errors"]] == ["Expected a confusion matrix, got int"]


def test_the_script_says_how_to_use_it(tmp_path: Path) -> None:
    """Without arguments it prints one line; a file that is no JSON is named and exits with 2."""
    assert script().stdout.startswith("usage: ")
    assert script().returncode == 0
    (tmp_path / "bad.json").write_text("{")
    done = script(str(tmp_path / "bad.json"))
    assert done.returncode == 2
    assert "bad.json" in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.peers
@pytest.mark.skipif(not peer.INSTALLED, reason="stickler-eval is not installed")
def test_totals_are_those_of_the_peer() -> None:
    """On results of ``compare_with`` the rows have the peer's counts and ratios."""
    from stickler import aggregate_from_comparisons

    root = FILE.parents[2] / "examples"
    model = StructuredModel.from_json_schema(json.loads((root / "invoice.schema.json").read_text()))
    sides = [model(**json.loads((root / f"invoice.{side}.json").read_text())) for side in ("expected", "predicted")]
    results = [a.compare_with(b, include_confusion_matrix=True) for a in sides for b in sides]
    theirs, ours = aggregate_from_comparisons(results), aggregated(*results)
    rows = {"": (ours["overall"], theirs.metrics)}
    rows |= {path: (row, theirs.field_metrics[path]) for path, row in ours["fields"].items()}
    assert set(rows) == {"", *theirs.field_metrics}
    for row, other in rows.values():
        assert {key: row[key] for key in METRIC_KEYS} == {key: other[key] for key in METRIC_KEYS}
        assert [row[key] for key in RATIOS] == [other[f"cm_{key}"] for key in RATIOS]
