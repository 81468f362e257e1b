"""What the guide to ``compare_with`` (seed 004) promises: its examples, its outputs, and what readers do with them."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

import pytest

from fieldwise import (
    ComparableField,
    ExactComparator,
    LevenshteinComparator,
    NonMatchType,
    NumericComparator,
    StructuredModel,
)

COUNTS = {"tp", "fa", "fd", "fp", "tn", "fn"}
DERIVED = {"cm_precision", "cm_recall", "cm_f1", "cm_accuracy"}


class Invoice(StructuredModel):
    invoice_number: str = ComparableField(comparator=ExactComparator(), threshold=1.0)
    date: str = ComparableField(comparator=ExactComparator(), threshold=1.0)
    amount: float = ComparableField(comparator=NumericComparator(), threshold=0.9)


class Product(StructuredModel):
    name: str = ComparableField(comparator=LevenshteinComparator(), threshold=0.9)
    price: float = ComparableField(comparator=NumericComparator(tolerance=1.0), threshold=0.9)


class Catalogue(StructuredModel):
    products: list[Product] = ComparableField()


class Address(StructuredModel):
    street: str = ComparableField(threshold=0.8)
    city: str = ComparableField(threshold=0.8)
    zip: str = ComparableField(comparator=ExactComparator())


class Customer(StructuredModel):
    name: str = ComparableField(threshold=0.8)
    address: Address = ComparableField(threshold=0.6)


class Contact(StructuredModel):
    phone: str = ComparableField(threshold=1.0)
    email: str | None = ComparableField()


class Basket(StructuredModel):
    fruit: list[str] = ComparableField(threshold=0.7)


class Order(StructuredModel):
    number: str = ComparableField(comparator=ExactComparator())
    contact: Contact = ComparableField()
    customer: Customer = ComparableField()
    products: list[Product] = ComparableField()
    tags: list[str] = ComparableField(threshold=0.8)
    note: str | None = ComparableField()


JOHN = {"name": "John Doe", "address": {"street": "123 Main St", "city": "Springfield", "zip": "12345"}}
EXPECTED = Order(
    number="INV-001",
    contact={"phone": "555-123-4567", "email": "john@example.org"},
    customer=JOHN,
    products=[{"name": "Widget A", "price": 10.0}, {"name": "Widget B", "price": 20.0}],
    tags=["new", "urgent"],
)
PREDICTED = Order(
    number="INV-001",
    contact={"phone": "555-999-8888"},
    customer={"name": "Jon Doe", "address": {"street": "123 Main St", "city": "Springfield", "zip": "54321"}},
    products=[{"name": "Widget B", "price": 20.0}, {"name": "Widget A", "price": 10.5}, {"name": "Nut", "price": 1.0}],
    tags=["new", "late"],
    note="call back",
)


# The examples


def test_a_simple_invoice() -> None:
    """Two of three fields match: 0.67."""
    expected = Invoice(invoice_number="INV-001", date="2024-01-15", amount=150.00)
    predicted = Invoice(invoice_number="INV-001", date="2024-01-15", amount=155.00)
    result = expected.compare_with(predicted)
    assert result["field_scores"] == {"invoice_number": 1.0, "date": 1.0, "amount": 0.0}
    assert result["overall_score"] == pytest.approx(2 / 3)
    assert result["all_fields_matched"] is False


def test_lists_pair_by_similarity() -> None:
    """The first expected product belongs to the second predicted one, and the second to the first."""
    expected = Catalogue(products=[Product(name="Widget A", price=10.0), Product(name="Widget B", price=20.0)])
    predicted = Catalogue(products=[Product(name="Widget B", price=20.0), Product(name="Widget A", price=10.5)])
    rows = expected.compare_with(predicted, document_field_comparisons=True)["field_comparisons"]
    pairs = [(row["expected_key"], row["actual_key"]) for row in rows]
    assert pairs == [
        ("products[0].name", "products[1].name"),
        ("products[0].price", "products[1].price"),
        ("products[1].name", "products[0].name"),
        ("products[1].price", "products[0].price"),
    ]
    matrix = expected.compare_with(predicted, include_confusion_matrix=True)["confusion_matrix"]
    assert matrix["fields"]["products"]["overall"]["tp"] == 2
    assert matrix["fields"]["products"]["fields"]["price"]["overall"]["tp"] == 2


def test_nested_objects_are_compared_field_by_field() -> None:
    """Each field of the address has its own node, and the address counts in the overall score."""
    expected = Customer.from_json(JOHN)
    predicted = Customer.from_json({"name": "John Doe", "address": {"street": "123 Main St", "city": "Springfield"}})
    result = expected.compare_with(predicted, include_confusion_matrix=True)
    nodes = result["confusion_matrix"]["fields"]
    assert list(nodes) == ["name", "address"]
    assert {name: node["overall"]["tp"] for name, node in nodes["address"]["fields"].items()} == {
        "street": 1,
        "city": 1,
        "zip": 0,
    }
    assert nodes["address"]["fields"]["zip"]["overall"]["fn"] == 1
    assert result["field_scores"] == {"name": 1.0, "address": pytest.approx(2 / 3)}
    assert result["overall_score"] == pytest.approx((1 + 2 / 3) / 2)


def test_weak_pairs_are_mismatches() -> None:
    """Apple and Banana find each other; Cherry and Orange are left, and their weak pair is one false discovery."""
    expected = Basket(fruit=["Apple", "Banana", "Cherry"])
    result = expected.compare_with(
        Basket(fruit=["Banana", "Apple", "Orange"]), include_confusion_matrix=True, document_non_matches=True
    )
    counts = result["confusion_matrix"]["fields"]["fruit"]["overall"]
    assert {key: counts[key] for key in COUNTS} == {"tp": 2, "fd": 1, "fp": 1, "fa": 0, "fn": 0, "tn": 0}
    (entry,) = result["non_matches"]
    assert (entry["ground_truth_value"], entry["prediction_value"]) == ("Cherry", "Orange")
    assert entry["non_match_type"] == NonMatchType.FALSE_DISCOVERY


def test_items_without_a_partner_are_missing_or_extra() -> None:
    """Where the lists differ in length, what is left over is missing or extra."""
    missing = Basket(fruit=["Apple", "Cherry"]).compare_with(Basket(fruit=["Apple"]), include_confusion_matrix=True)
    extra = Basket(fruit=["Apple"]).compare_with(Basket(fruit=["Orange", "Apple"]), include_confusion_matrix=True)
    assert missing["confusion_matrix"]["fields"]["fruit"]["overall"]["fn"] == 1
    assert extra["confusion_matrix"]["fields"]["fruit"]["overall"]["fa"] == 1


def test_scores_percolate() -> None:
    """An object's score is the weighted mean of its fields', a document's that of its objects'."""
    names = {"name": 0.9, "date": 1.0, "amount": 0.8}

    class Inner(StructuredModel):
        name: str = ComparableField(comparator=lambda a, b: names["name"])
        date: str = ComparableField(comparator=lambda a, b: names["date"])
        amount: str = ComparableField(comparator=lambda a, b: names["amount"])

    class Outer(StructuredModel):
        inner: Inner = ComparableField()

    one, other = ({"name": t, "date": t, "amount": t} for t in ("x", "y"))
    assert Inner(**one).compare_with(Inner(**other))["overall_score"] == pytest.approx(0.9)
    assert Outer(inner=one).compare_with(Outer(inner=other))["overall_score"] == pytest.approx(0.9)


# The outputs


def test_basic_output() -> None:
    """Without options there are the fields' scores, the overall score and whether all fields matched."""
    result = EXPECTED.compare_with(PREDICTED)
    assert set(result) == {"field_scores", "overall_score", "all_fields_matched"}
    assert set(result["field_scores"]) == {"number", "contact", "customer", "products", "tags", "note"}
    assert EXPECTED.compare_with(EXPECTED) == {
        "field_scores": dict.fromkeys(result["field_scores"], 1.0),
        "overall_score": 1.0,
        "all_fields_matched": True,
    }


def walk(tree: Mapping[str, Any], path: str = "$") -> Iterator[tuple[str, Mapping[str, Any]]]:
    """Yield every node of a matrix under its path, the root first."""
    yield path, tree
    for name, node in tree["fields"].items():
        yield from walk(node, f"{path}.{name}")


MATRIX = EXPECTED.compare_with(PREDICTED, include_confusion_matrix=True)["confusion_matrix"]
NODES = dict(walk(MATRIX))


@pytest.mark.parametrize("path", NODES)
def test_every_node_is_complete(path: str) -> None:
    """Every node has overall, fields and aggregate; counts, ratios, a score and all_fields_matched at each place."""
    node = NODES[path]
    assert {"overall", "fields", "aggregate"} <= node.keys()
    assert COUNTS | {"similarity_score", "all_fields_matched", "derived"} <= node["overall"].keys()
    assert COUNTS | {"derived"} <= node["aggregate"].keys()
    for counts in (node["overall"], node["aggregate"]):
        assert counts["derived"].keys() == DERIVED
        assert all(type(counts[key]) is int for key in COUNTS)
        assert counts["fp"] == counts["fa"] + counts["fd"]


@pytest.mark.parametrize("path", NODES)
def test_all_fields_matched_means_what_it_says(path: str) -> None:
    """It is true where nothing below is a false discovery, a false alarm or a false negative."""
    wrong = any(node["overall"][key] for _, node in walk(NODES[path]) for key in ("fd", "fa", "fn"))
    assert NODES[path]["overall"]["all_fields_matched"] is not wrong


@pytest.mark.parametrize("path", NODES)
def test_aggregates_are_sums(path: str) -> None:
    """The aggregate of a node is the sum over its fields', of a leaf its own counts."""
    node = NODES[path]
    parts = [child["aggregate"] for child in node["fields"].values()] or [node["overall"]]
    assert {key: node["aggregate"][key] for key in COUNTS} == {key: sum(p[key] for p in parts) for key in COUNTS}


def test_the_matrix_at_the_root() -> None:
    """The root has the counts of its direct fields, an empty list of non-matches, and the overall score."""
    assert {"overall", "fields", "non_matches", "aggregate"} <= MATRIX.keys()
    assert MATRIX["non_matches"] == []
    assert MATRIX["overall"]["similarity_score"] == EXPECTED.compare_with(PREDICTED)["overall_score"]
    json.dumps(MATRIX)


def test_non_matches() -> None:
    """Each entry has its path, its type, both values, a score where there is one, and details with the reason."""
    result = EXPECTED.compare_with(PREDICTED, document_non_matches=True)
    entries = {entry["field_path"]: entry for entry in result["non_matches"]}
    phone = entries["contact.phone"]
    assert phone["non_match_type"] == "false_discovery"
    assert phone["ground_truth_value"] == "555-123-4567"
    assert phone["prediction_value"] == "555-999-8888"
    score = phone["similarity_score"]
    assert phone["details"] == {"reason": f"below threshold ({score:.3f} < 1.0)"}
    assert {path: entry["non_match_type"].value for path, entry in entries.items()} == {
        "contact.phone": "false_discovery",
        "contact.email": "false_negative",
        "customer.address.zip": "false_discovery",
        "products[2]": "false_alarm",
        "tags[1]": "false_discovery",
        "note": "false_alarm",
    }
    assert all(entry["details"]["reason"] and entry["reason"] for entry in entries.values())
    json.dumps(result)


def test_evaluator_format() -> None:
    """It holds overall ratios, those of the fields, the matrix and the non-matches; the last two only if asked for."""
    result = EXPECTED.compare_with(PREDICTED, evaluator_format=True)
    assert set(result) == {"overall", "fields", "confusion_matrix", "non_matches"}
    assert set(result["overall"]) == {"precision", "recall", "f1", "accuracy", "anls_score"}
    assert result["overall"]["anls_score"] == EXPECTED.compare_with(PREDICTED)["overall_score"]
    perfect = {"precision": 1.0, "recall": 1.0, "f1": 1.0, "accuracy": 1.0}
    assert perfect.items() <= result["fields"]["number"].items()
    assert (result["confusion_matrix"], result["non_matches"]) == ({}, [])
    full = EXPECTED.compare_with(
        PREDICTED, evaluator_format=True, include_confusion_matrix=True, document_non_matches=True
    )
    derived = MATRIX["overall"]["derived"]
    assert {f"cm_{key}": full["overall"][key] for key in ("precision", "recall", "f1", "accuracy")} == derived
    assert full["confusion_matrix"]["aggregate"] == MATRIX["aggregate"]
    assert len(full["non_matches"]) == 6


def test_every_parameter() -> None:
    """All parameters together: false discoveries enter recall, and ratios can be left out."""
    usual = EXPECTED.compare_with(PREDICTED, True, True, False, False, True)
    strict = EXPECTED.compare_with(
        PREDICTED,
        include_confusion_matrix=True,
        document_non_matches=True,
        evaluator_format=False,
        recall_with_fd=True,
        add_derived_metrics=True,
    )
    counts = usual["confusion_matrix"]["overall"]
    tp, fd, fn = counts["tp"], counts["fd"], counts["fn"]
    assert counts["derived"]["cm_recall"] == pytest.approx(tp / (tp + fn))
    assert strict["confusion_matrix"]["overall"]["derived"]["cm_recall"] == pytest.approx(tp / (tp + fn + fd))
    bare = EXPECTED.compare_with(PREDICTED, include_confusion_matrix=True, add_derived_metrics=False)
    assert "derived" not in json.dumps(bare)


# What its readers do with a result


def test_scores_are_printed_as_percentages() -> None:
    """Every field's score and the overall one are numbers that a format takes."""
    result = EXPECTED.compare_with(PREDICTED)
    shown = {name: f"{score:.2%}" for name, score in result["field_scores"].items()}
    assert (shown["number"], shown["note"]) == ("100.00%", "0.00%")
    assert f"{result['overall_score']:.2%}" == f"{100 * MATRIX['overall']['similarity_score']:.2f}%"


def test_sections_are_read_one_by_one() -> None:
    """Every field of the matrix, a leaf too, has an aggregate with counts and ratios."""
    sections = {name: node["aggregate"] for name, node in MATRIX["fields"].items()}
    errors = {name: counts["fd"] + counts["fa"] + counts["fn"] for name, counts in sections.items()}
    assert errors == {"number": 0, "contact": 2, "customer": 1, "products": 0, "tags": 1, "note": 1}
    assert {name: f"{counts['derived']['cm_f1']:.3f}" for name, counts in sections.items()} == {
        "number": "1.000",
        "contact": "0.000",
        "customer": "0.857",
        "products": "1.000",
        "tags": "0.667",
        "note": "0.000",
    }


def test_the_whole_is_read_from_the_aggregate_of_the_root() -> None:
    """Its ratios are numbers, and its counts are those of all sections."""
    derived = MATRIX["aggregate"]["derived"]
    ratios = [derived[key] for key in ("cm_precision", "cm_recall", "cm_f1")]
    assert ratios == pytest.approx([9 / 13, 9 / 10, 18 / 23])
    assert MATRIX["aggregate"]["tp"] == sum(node["aggregate"]["tp"] for node in MATRIX["fields"].values())


def test_non_matches_are_read_by_key() -> None:
    """An entry is a mapping, also beside the matrix; without the option there are none."""
    result = EXPECTED.compare_with(PREDICTED, include_confusion_matrix=True, document_non_matches=True)
    lines = [f"{entry['field_path']}: {entry['non_match_type'].value}" for entry in result["non_matches"]]
    assert len(lines) == 6
    assert "note: false_alarm" in lines
    assert result.keys() >= {"field_scores", "overall_score", "confusion_matrix"}
    assert "non_matches" not in EXPECTED.compare_with(PREDICTED)


def test_sections_and_deep_fields_have_aggregates() -> None:
    """Sections and deep fields have their own aggregates."""
    assert MATRIX["aggregate"]["tp"] == 9
    contact = MATRIX["fields"]["contact"]["aggregate"]
    assert (contact["fd"], contact["fn"], contact["derived"]["cm_f1"]) == (1, 1, 0.0)
    address = MATRIX["fields"]["customer"]["fields"]["address"]["aggregate"]
    assert (address["tp"], address["fd"]) == (2, 1)
