"""Generated documents, compared by the peer and by us: the same numbers wherever we do not differ on purpose.

Run with ``.venv-peers/bin/python -m pytest tests/conformance/test_differential.py``.
"""

from __future__ import annotations

import datetime as dt
import enum
import itertools
import json
import re
import typing
from collections.abc import Sequence
from decimal import Decimal
from functools import cache
from pathlib import Path
from statistics import fmean
from typing import Any

import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st
from pydantic import BaseModel

import fieldwise
from fieldwise import Comparison, Plan, Spec, StructuredModel
from fieldwise.compare.lists import ListPlan, items_of
from fieldwise.compare.nodes import PlanNode, mapping_of
from fieldwise.compare.objects import ObjectPlan
from fieldwise.compare.results import ListResult
from fieldwise.values import Json
from tests.conformance import peer
from tests.conformance.absence import lenient, without_nothing
from tests.conformance.agreement import Difference, differences
from tests.conformance.documents import Case, Schema, cases, wrapped
from tests.recorded import recorded
from tests.strategies import examples

pytestmark = [pytest.mark.peers, pytest.mark.skipif(not peer.INSTALLED, reason="stickler-eval is not installed")]

HERE = Path(__file__).parents[1]
EXEMPTIONS = HERE / "conformance" / "exemptions.json"

many = settings(
    max_examples=examples(300),
    deadline=None,
    suppress_health_check=[HealthCheck.filter_too_much, HealthCheck.too_slow, HealthCheck.data_too_large],
)
EVERYTHING = {"include_confusion_matrix": True, "document_non_matches": True, "document_field_comparisons": True}
SCORES = ("raw_similarity_score", "similarity_score", "threshold_applied_score")


def ours(case: Case, **options: Any) -> dict[str, Any]:
    """Return our result for models, having checked that plain documents give the same.

    Where pairings tie, models decide by position as the peer does, and documents by content.
    """
    model = StructuredModel.from_json_schema(case.schema)
    result = peer.compared(model(**case.expected), model(**case.predicted), **options)
    plan = Plan.compile(Spec.from_json_schema(case.schema, defaults="stickler"))
    if not is_tied(plan.root, case.expected, case.predicted, by_value=False):
        comparison = plan.compare(case.expected, case.predicted)
        plain = peer.as_json({**comparison.to_dict(**options), "compare()": comparison.raw_score})
        assert list(differences(result, plain)) == []
    return result


def theirs(case: Case, **options: Any) -> dict[str, Any]:
    """Return the peer's result; inside nested objects it writes the key of a missing item as "b.None", not as None."""
    result = peer.run(case.schema, case.expected, case.predicted, **options)
    for row in result.get("field_comparisons", ()):
        if row["actual_value"] is None and str(row["actual_key"]).endswith(".None"):
            row["actual_key"] = None
    return result


# Where lists could be paired in several ways, which one the peer takes depends on its solver (Q10)


def is_tied(plan: PlanNode[Any], expected: Json, predicted: Json, *, by_value: bool = True) -> bool:
    """Tell whether some list, at any depth and in any pair of items, has several best pairings that tell apart.

    Those of scalars with the same similarities are one, unless ``by_value`` is False.
    """
    if isinstance(plan, ObjectPlan):
        e, p = mapping_of(expected) or {}, mapping_of(predicted) or {}
        return any(is_tied(node, e.get(name), p.get(name), by_value=by_value) for name, node in plan.fields.items())
    if not isinstance(plan, ListPlan):
        return False
    e_items = [v for v in items_of(expected) or () if plan.item.has_value(v)]
    p_items = [v for v in items_of(predicted) or () if plan.item.has_value(v)]
    if any(is_tied(plan.item, a, b, by_value=by_value) for a in e_items for b in p_items):
        return True
    grid = [[plan.item.pair(a, b).similarity for b in p_items] for a in e_items]
    return _has_several_optima(grid, by_value=by_value and not isinstance(plan.item, ObjectPlan))


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
    plan = Plan.compile(Spec.from_json_schema(case.schema, defaults="stickler"))
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
    for name, index in re.findall(r"([^.\[\]]+)((?:\[\d*\])?)", path):
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


@settings(many, max_examples=examples(100))
@given(case=cases())
def test_switches_off(case: Case) -> None:
    """Without derived metrics the counts agree, and no ratio is left anywhere (Q22)."""
    assume_no_ties(case)
    options = {"include_confusion_matrix": True, "add_derived_metrics": False}
    us = ours(case, **options)
    found = unexplained(case, theirs(case, **options), us)
    assert [d for d in found if not d.path.endswith("/derived")] == []
    assert "derived" not in str(us)


# What says nothing (Q3, Q4, Q7, Q26): our result is the peer's for the document without it


def positionless(result: dict[str, Any]) -> dict[str, Any]:
    """Return a result whose entries speak of no list positions and repeat no values, which cleaning changes."""
    silent = ("ground_truth_value", "prediction_value")
    entries = [
        {**{k: v for k, v in e.items() if k not in silent}, "field_path": re.sub(r"\[\d+\]", "[]", e["field_path"])}
        for e in result["non_matches"]
    ]
    return {**result, "non_matches": entries}


def cleaned(case: Case) -> Case:
    schema = lenient(case.schema)
    return Case(schema, *(without_nothing(document, schema) for document in (case.expected, case.predicted)))


def check_absence(case: Case) -> None:
    options = {"include_confusion_matrix": True, "document_non_matches": True}
    them, us = theirs(cleaned(case), **options), ours(case, **options)
    assert unexplained(case, positionless(them), positionless(us)) == []


@many
@given(case=cases(blanks=True))
def test_what_says_nothing_is_absent(case: Case) -> None:
    """Blank text, objects without a value and null items count as if they were not there.

    Lists in lists of values are one value each, compared by their text, in which a blank is a blank.
    """
    assume_no_ties(case)
    assume('"items": {"type": "array"' not in json.dumps(case.schema))
    check_absence(case)


CASES = {case["id"]: case for case in recorded("comparison")["cases"]}
ABSENCE = {"blank text", "empty objects", "null items"}
ABSENT = sorted({e["id"] for e in json.loads(EXEMPTIONS.read_bytes()) if ABSENCE & set(e["difference"].split(", "))})


@pytest.mark.parametrize("name", [name for name in ABSENT if not name.startswith("comparator/")])
def test_exemptions_for_absence_are_just_that(name: str) -> None:
    """Where an exemption names absence as its reason, the peer agrees once the absent values are taken away."""
    recorded = CASES[name]
    check_absence(Case(recorded["schema"], recorded["ground_truth"], recorded["prediction"]))


# Scores inside lists (Q9)


@settings(many, max_examples=examples(100))
@given(case=cases())
def test_scores_inside_lists_are_means_over_the_pairs(case: Case) -> None:
    """A nested node inside a list has the mean of what the peer says of each accepted pair alone."""
    comparison = Plan.compile(Spec.from_json_schema(case.schema, defaults="stickler")).compare(
        case.expected, case.predicted
    )
    matrix = comparison.to_dict(include_confusion_matrix=True)["confusion_matrix"]
    rows = [name for name, sub in case.schema["properties"].items() if "properties" in sub.get("items", {})]
    assume(any(matrix["fields"][name]["fields"] for name in rows))
    for name in rows:
        for path, means in _means_of_pairs(case, comparison, name).items():
            ours_there = matrix["fields"][name]["fields"][path]
            assert {key: ours_there[key] for key in means} == pytest.approx(means, abs=1e-9)


def _means_of_pairs(case: Case, comparison: Comparison, name: str) -> dict[str, dict[str, float]]:
    found: dict[str, list[dict[str, float]]] = {}
    result = comparison.result.children[comparison.plan.names.index(name)]
    assert isinstance(result, ListResult)
    schema = {"type": "object", "properties": {"rows": {**case.schema["properties"][name]}}}
    for pair in result.pairs:
        e, p = result.expected[pair.expected_index], result.predicted[pair.predicted_index]
        alone = peer.run(schema, {"rows": [e]}, {"rows": [p]}, include_confusion_matrix=True)
        for path, node in alone["confusion_matrix"]["fields"]["rows"]["fields"].items():
            if SCORES[0] in node:
                found.setdefault(path, []).append({key: node[key] for key in SCORES})
    return {path: {key: fmean(s[key] for s in scores) for key in SCORES} for path, scores in found.items()}


# The other ways in


CLASSES = """
class Address(StructuredModel):
    street: Optional[str] = ComparableField(comparator=LevenshteinComparator(), threshold=0.8)
    city: Optional[str] = ComparableField(weight=2.0)
    zip: Optional[str] = None

class Plain(BaseModel):
    a: Optional[str] = None
    b: Optional[int] = None

class Piece(StructuredModel):
    match_threshold = 0.4
    maker: Optional[str] = ComparableField()
    mass: Optional[float] = ComparableField(comparator=NumericComparator())

class Item(StructuredModel):
    match_threshold = 0.6
    sku: Optional[str] = ComparableField(comparator=ExactComparator())
    qty: Optional[int] = ComparableField(comparator=NumericComparator(), threshold=1.0)
    price: Optional[float] = ComparableField(comparator=NumericComparator(tolerance=0.5), clip_under_threshold=False)
    tags: Optional[List[str]] = ComparableField(threshold=0.9)
    origin: Optional[Address] = ComparableField()
    pieces: Optional[List[Piece]] = ComparableField()
    spares: Optional[List[Piece]] = None

class Invoice(StructuredModel):
    number: Optional[str] = ComparableField(comparator=LevenshteinComparator(threshold=0.9))
    total: Optional[float] = ComparableField()
    paid: Optional[bool] = ComparableField()
    count: Optional[int] = None
    note: Optional[str] = ComparableField(FuzzyComparator(method="token_sort_ratio"), 0.7, 0.5)
    meta: Optional[Dict[str, Any]] = ComparableField()
    bare_meta: Optional[Dict[str, Any]] = None
    ship: Optional[Address] = ComparableField(threshold=0.6)
    bill: Optional[Address] = None
    items: Optional[List[Item]] = ComparableField(weight=3.0)
    more: Optional[List[Item]] = None
    ratings: Optional[List[float]] = ComparableField(comparator=NumericComparator())
    names: Optional[List[str]] = None
    logs: Optional[List[Dict[str, Any]]] = ComparableField()
    plain: Optional[Plain] = ComparableField()
    plains: Optional[List[Plain]] = None
"""
TEXT = {"type": "str", "comparator": "LevenshteinComparator"}
ADDRESS = {"street": {**TEXT, "threshold": 0.8}, "city": {"type": "str", "comparator": "auto"}, "zip": TEXT}
PIECE = {"maker": TEXT, "mass": {"type": "float", "comparator": "NumericComparator"}}
ITEM: dict[str, Any] = {
    "sku": {"type": "str", "comparator": "ExactComparator"},
    "qty": {"type": "int", "comparator": "NumericComparator", "threshold": 1.0},
    "price": {"type": "float", "comparator": "NumericComparator", "comparator_config": {"tolerance": 0.5}},
    "tags": {"type": "List[str]", "comparator": "LevenshteinComparator"},
    "origin": {"type": "optional_structured_model", "fields": ADDRESS, "clip_under_threshold": False},
    "pieces": {"type": "list_structured_model", "match_threshold": 0.4, "fields": PIECE},
    "spares": {"type": "list_structured_model", "fields": PIECE},
}
CONFIG: dict[str, Any] = {
    "model_name": "Invoice",
    "match_threshold": 0.8,
    "fields": {
        "number": {**TEXT, "threshold": 0.9},
        "total": {"type": "float", "comparator": "LevenshteinComparator"},
        "paid": {"type": "bool", "comparator": "ExactComparator"},
        "count": {"type": "int", "comparator": "LevenshteinComparator", "weight": 2.0},
        "note": {"type": "str", "comparator": "FuzzyComparator", "clip_under_threshold": False},
        "meta": {"type": "dict", "comparator": "ANLSStarComparator"},
        "bare_meta": {"type": "Dict[str, Any]", "comparator": "ExactComparator"},
        "ship": {"type": "optional_structured_model", "threshold": 0.6, "fields": ADDRESS},
        "bill": {"type": "optional_structured_model", "fields": ADDRESS},
        "items": {"type": "list_structured_model", "match_threshold": 0.6, "weight": 3.0, "fields": ITEM},
        "more": {"type": "list_structured_model", "fields": ITEM},
        "ratings": {"type": "List[float]", "comparator": "NumericComparator"},
        "names": {"type": "Optional[List[str]]", "comparator": "auto"},
        "logs": {"type": "List[Dict[str, Any]]", "comparator": "ANLSStarComparator"},
        "plain": {"type": "Any", "comparator": "ExactComparator"},
        "plains": {"type": "list", "comparator": "ExactComparator"},
    },
}

texts = st.sampled_from(("widget", "wigdet", "Widget 2", "gadget", "gadget three", "cover", "spring", "hinge kappa"))
amounts = st.sampled_from((1.0, 1.5, 2.25, 19.99, 20.0, 150.0, 155.0, 1234.5))


def _maybe(**fields: st.SearchStrategy[Any]) -> st.SearchStrategy[dict[str, Any]]:
    """Draw an object with some of its fields, at least one."""
    return st.fixed_dictionaries({}, optional=fields).filter(bool)


addresses = _maybe(street=texts, city=texts, zip=texts)
pieces = _maybe(maker=texts, mass=amounts)
objects = st.fixed_dictionaries({"a": texts, "b": st.integers(1, 9)})
items = _maybe(
    sku=texts,
    qty=st.integers(1, 9),
    price=amounts,
    tags=st.lists(texts, min_size=1, max_size=2, unique=True),
    origin=addresses,
    pieces=st.lists(pieces, min_size=1, max_size=2),
    spares=st.lists(pieces, min_size=1, max_size=2),
)
invoices = _maybe(
    number=texts,
    total=amounts,
    paid=st.booleans(),
    count=st.integers(0, 99),
    note=texts,
    meta=st.dictionaries(st.sampled_from("pq"), texts, min_size=1),
    bare_meta=st.dictionaries(st.sampled_from("pq"), texts, min_size=1),
    ship=addresses,
    bill=addresses,
    items=st.lists(items, min_size=1, max_size=3),
    more=st.lists(items, min_size=1, max_size=2),
    ratings=st.lists(amounts, min_size=1, max_size=3),
    names=st.lists(texts, min_size=1, max_size=3),
    logs=st.lists(objects, min_size=1, max_size=2),
    plain=objects,
    plains=st.lists(objects, min_size=1, max_size=2),
)


@cache
def invoice_class(library: Any) -> Any:
    """Return the same class, declared with one library or the other."""
    names: dict[str, Any] = {"__name__": "invoices", "BaseModel": BaseModel, **vars(typing)}
    names |= {name: getattr(library, name) for name in USED}
    with peer.quiet():
        exec(compile(CLASSES, "invoices", "exec", dont_inherit=True), names)
    return names["Invoice"]


@cache
def config_class(library: Any) -> Any:
    with peer.quiet():
        return library.StructuredModel.model_from_json(CONFIG)


USED = (
    "StructuredModel",
    "ComparableField",
    "LevenshteinComparator",
    "ExactComparator",
    "NumericComparator",
    "FuzzyComparator",
)


def check_classes(us: Any, them: Any, expected: Json, predicted: Json) -> None:
    schema = us.to_json_schema()
    assume(not is_tied(us.plan().root, expected, predicted))
    case = Case(schema, expected, predicted)
    results = [peer.compared(cls(**expected), cls(**predicted), **EVERYTHING) for cls in (them, us)]
    assert unexplained(case, *results) == []


@many
@given(expected=invoices, predicted=invoices)
def test_classes_give_the_same(expected: Json, predicted: Json) -> None:
    """A class declared with ComparableField or bare annotations finds the peer's comparators and thresholds."""
    check_classes(invoice_class(fieldwise), invoice_class(peer.module()), expected, predicted)


@many
@given(expected=invoices, predicted=invoices)
def test_configs_give_the_same(expected: Json, predicted: Json) -> None:
    """A config dict finds the peer's defaults."""
    check_classes(config_class(fieldwise), config_class(peer.module()), expected, predicted)


# What came with the values


def has_scalar_lists(schema: Schema) -> bool:
    subs = schema.get("properties", {}).values()
    return any(
        has_scalar_lists(sub.get("items", sub)) or ("items" in sub and "properties" not in sub["items"]) for sub in subs
    )


@settings(many, max_examples=examples(200))
@given(case=cases().filter(lambda case: not has_scalar_lists(case.schema)), data=st.data())
def test_the_same_confidences_and_boxes(case: Case, data: st.DataObject) -> None:
    """Metrics of confidences and boxes agree; the key "b.None" of a missing item is none to us, and not counted."""
    assume_no_ties(case)
    expected, predicted = (data.draw(wrapped(case.schema, d)) for d in (case.expected, case.predicted))
    results = []
    for library in (peer.module(), fieldwise):
        with peer.quiet():
            model = library.StructuredModel.from_json_schema(case.schema)
            made = model.from_json(expected), model.from_json(predicted)
        results.append(peer.compared(*made, add_confidence_metrics=True, add_bbox_metrics=True))
    assume(not any(str(row["actual_key"]).endswith(".None") for row in results[0]["field_comparisons"]))
    assert unexplained(case, *results) == []


# Inference


RULES = (
    "phone",
    "zip postal postcode",
    "id uuid guid sku code ref isbn ssn",
    "email url uri",
    "amount price total subtotal cost balance fee tax salary revenue",
    "quantity qty count units",
    "date dob expiry expires created updated issued due birthdate",
    "name customer vendor company contact author recipient",
    "address addr street city location",
    "description desc summary notes note comment comments remarks memo body text",
    "other",
)
WORDS = [word for rule in RULES for word in rule.split()]
NAMES = [
    *WORDS,
    *(f"{word.capitalize()}s" for word in WORDS),
    *(f"my_{word}" for word in WORDS),
    *(f"{word}2" for word in WORDS),
    *(f"invoice{word.capitalize()}" for word in WORDS),
    *("phone_type_code", "totalAmountDue", "priceID", "InvoiceIDs", "idx", "valid", "taxes", "boxes", "street-name"),
]
SAMPLES: list[tuple[Schema, Json, Json]] = [
    ({"type": "string"}, "A-1", "a-1"),
    ({"type": "string"}, "John Smith", "John Smyth"),
    ({"type": "string"}, "left at door", "door left at the"),
    ({"type": "string"}, "206-555-0100", "(206) 555-0100"),
    ({"type": "number"}, 100.0, 100.05),
    ({"type": ["number", "null"]}, 5.0, 5.2),
    ({"type": "integer"}, 1000, 1001),
    ({"type": "integer"}, 10000, 10001),
    ({"type": "boolean"}, True, False),
    ({"type": "string", "format": "date"}, "2024-01-02", "Jan 2 2024"),
    ({"type": "string", "format": "date-time"}, "2024-01-02T03:04:05", "2024-01-02T03:04:50"),
    ({"type": "string", "format": "date-time"}, "2024-01-02T03:04:05", "2024-01-02T13:04:50"),
    ({"type": "string", "format": "uuid"}, "A", "a"),
    ({"enum": ["A", "a"]}, "A", "a"),
    ({"type": "object"}, {"k": "v", "l": "left at"}, {"k": "w", "l": "left at"}),
    ({"type": "array", "items": {"type": "string"}}, ["John Smith"], ["John Smyth"]),
    ({"type": "array", "items": {"type": "number"}}, [100.0], [100.05]),
    ({"type": ["string", "number"]}, "A", "a"),
]


@pytest.mark.parametrize("how", ["x-aws-stickler-infer-unspecified", "x-aws-stickler-comparator"])
@pytest.mark.parametrize(("schema", "expected", "predicted"), SAMPLES)
def test_the_same_guesses(how: str, schema: Schema, expected: Json, predicted: Json) -> None:
    """Names and types suggest the same comparators and thresholds; the first rule whose word is there decides."""
    whole = {how: True} if how.endswith("unspecified") else {}
    field = {} if whole else {how: "auto"}
    properties = {name: {**schema, **field} for name in NAMES}
    case = Case(
        {"type": "object", "properties": properties, **whole},
        dict.fromkeys(NAMES, expected),
        dict.fromkeys(NAMES, predicted),
    )
    options = {"include_confusion_matrix": True, "document_non_matches": True}
    assert unexplained(case, theirs(case, **options), ours(case, **options)) == []


class State(enum.Enum):
    NEW = "new"
    OLD = "old"


class Part(BaseModel):
    sku: str | None = None
    description: str | None = None
    unit_price: float | None = None
    qty: int | None = None
    made: dt.date | None = None


class Order(BaseModel):
    order_id: str | None = None
    phone: str | None = None
    emailAddress: str | None = None  # noqa: N815  # as people write them
    total_amount: float | None = None
    amount: str | None = None
    due_date: dt.date | None = None
    created: dt.datetime | None = None
    flag: bool | None = None
    price: Decimal | None = None
    misc: dict[str, Any] | None = None
    ids: list[str] | None = None
    tags: list[str] | None = None
    parts: list[Part] | None = None
    ship: Part | None = None
    state: State | None = None
    pair: tuple[str, int] | None = None
    either: int | str | None = None
    anything: Any = None


words = st.sampled_from(("A-1", "a-1", "left at door", "door left at", "John Smith", "John Smyth", "98101"))
days = st.sampled_from((dt.date(2024, 1, 2), dt.date(2024, 1, 3), dt.date(2023, 5, 5)))
prices = st.sampled_from((100.0, 100.05, 100.5, 7.25))
part = st.builds(Part, sku=words, description=st.none() | words, unit_price=prices, qty=st.integers(1, 3), made=days)
orders = st.builds(
    Order,
    order_id=st.none() | words,
    phone=st.sampled_from((None, "206-555-0100", "(206) 555-0100", "+1 206 555 0101", "abc")),
    emailAddress=st.sampled_from((None, "A@b.com", "a@B.com", "c@d.org")),
    total_amount=st.none() | prices,
    amount=words,
    due_date=st.none() | days,
    created=st.sampled_from((dt.datetime(2024, 1, 2, 3, 4, 5), dt.datetime(2024, 1, 2, 3, 4, 50))),
    flag=st.none() | st.booleans(),
    price=st.sampled_from((None, Decimal("1.5"), Decimal("1.50"), Decimal(2))),
    misc=st.none() | st.dictionaries(st.sampled_from("pq"), words, min_size=1),
    ids=st.none() | st.lists(words, min_size=1, max_size=2, unique=True),
    tags=st.none() | st.lists(words, min_size=1, max_size=2, unique=True),
    parts=st.none() | st.lists(part, min_size=1, max_size=2),
    ship=st.none() | part,
    state=st.sampled_from(State),
    pair=st.sampled_from((None, ("a", 1), ("a", 2))),
    either=st.sampled_from((1, "1", "x")),
    anything=st.sampled_from(([1, 2], {"a": 1}, "text", 5)),
)


@many
@given(expected=orders, predicted=orders, hints=st.booleans(), threshold=st.sampled_from((None, 0.5, 0.9)))
def test_the_same_without_settings(expected: Order, predicted: Order, hints: bool, threshold: float | None) -> None:
    """``evaluate`` of two plain pydantic models gives the peer's scores, counts and verdict."""
    us = fieldwise.evaluate(expected, predicted, weight_hints=hints, match_threshold=threshold)
    assume(not is_tied(us.spec.plan.root, expected, predicted))
    with peer.quiet():
        them = peer.module().evaluate(expected, predicted, weight_hints=hints, match_threshold=threshold)
        names = (
            "overall_score",
            "field_scores",
            "precision",
            "recall",
            "f1",
            "accuracy",
            "matched",
            "confusion_matrix",
        )
        results = [peer.as_json({name: getattr(found, name) for name in names}) for found in (them, us)]
    schema = us.spec.plan.spec.to_json_schema()
    assert unexplained(Case(schema, expected, predicted), *results) == []
