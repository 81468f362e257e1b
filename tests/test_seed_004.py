"""The examples of the document that describes ``compare_with``: its three comparisons and every output form."""

from __future__ import annotations

import json
from typing import Any

from fieldwise import ComparableField, ExactComparator, NumericComparator, StructuredModel, compare_structured_models


class Invoice(StructuredModel):
    invoice_number: str = ComparableField(comparator=ExactComparator())
    date: str = ComparableField(comparator=ExactComparator())
    amount: float = ComparableField(comparator=NumericComparator())


class Product(StructuredModel):
    name: str = ComparableField()
    price: float = ComparableField(comparator=NumericComparator())
    match_threshold = 0.5


class Catalogue(StructuredModel):
    products: list[Product] = ComparableField()


class Address(StructuredModel):
    street: str = ComparableField()
    city: str = ComparableField()
    zip: str = ComparableField(comparator=ExactComparator())


class Customer(StructuredModel):
    name: str = ComparableField()
    phone: str = ComparableField(threshold=1.0)
    address: Address = ComparableField()


class Basket(StructuredModel):
    fruit: list[str] = ComparableField()


EXPECTED = Invoice(invoice_number="INV-001", date="2024-01-15", amount=150.0)
PREDICTED = Invoice(invoice_number="INV-001", date="2024-01-15", amount=155.0)
CUSTOMER = Customer(
    name="John Doe",
    phone="555-123-4567",
    address=Address(street="123 Main St", city="Springfield", zip="12345"),
)
GUESS = Customer(
    name="John Doe",
    phone="555-999-8888",
    address=Address(street="123 Main St", city="Springfield", zip="54321"),
)


def test_example_1_a_simple_invoice() -> None:
    """Two of three fields match, the amount does not; the score is their mean."""
    result = EXPECTED.compare_with(PREDICTED)
    assert result["field_scores"] == {"invoice_number": 1.0, "date": 1.0, "amount": 0.0}
    assert round(result["overall_score"], 2) == 0.67
    assert result["all_fields_matched"] is False
    assert set(result) == {"field_scores", "overall_score", "all_fields_matched"}


def test_example_2_products_are_paired_whatever_their_order() -> None:
    """Widget A belongs to widget A though it stands elsewhere; its price is the one thing wrong."""
    expected = Catalogue(products=[Product(name="Widget A", price=10.0), Product(name="Widget B", price=20.0)])
    predicted = Catalogue(products=[Product(name="Widget B", price=20.0), Product(name="Widget A", price=10.5)])
    result = expected.compare_with(
        predicted, include_confusion_matrix=True, document_non_matches=True, document_field_comparisons=True
    )
    pairs = {(row["expected_key"], row["actual_key"]) for row in result["field_comparisons"]}
    assert ("products[0].name", "products[1].name") in pairs
    assert ("products[1].name", "products[0].name") in pairs
    assert [entry["field_path"] for entry in result["non_matches"]] == ["products[0].price"]
    rows = result["confusion_matrix"]["fields"]["products"]
    assert (rows["overall"]["tp"], rows["overall"]["fd"]) == (2, 0)
    assert (rows["fields"]["price"]["overall"]["tp"], rows["fields"]["price"]["overall"]["fd"]) == (1, 1)
    assert rows["fields"]["name"]["overall"]["tp"] == 2


def test_example_3_nested_objects_are_compared_field_by_field() -> None:
    """Each field of the address has its own node below that of the address."""
    matrix = CUSTOMER.compare_with(GUESS, include_confusion_matrix=True)["confusion_matrix"]
    address = matrix["fields"]["address"]
    assert set(address["fields"]) == {"street", "city", "zip"}
    assert address["fields"]["zip"]["overall"]["fd"] == 1
    assert address["aggregate"]["tp"] == 2
    assert address["overall"]["similarity_score"] == 2 / 3


def test_weak_pairs_of_a_list_are_mismatches() -> None:
    """Cherry and orange are paired as the least bad choice, and differ: one mismatch, not a miss and an invention."""
    expected, predicted = Basket(fruit=["Apple", "Banana", "Cherry"]), Basket(fruit=["Banana", "Apple", "Orange"])
    overall = expected.compare_with(predicted, include_confusion_matrix=True)["confusion_matrix"]["fields"]["fruit"]
    counts = {key: overall["overall"][key] for key in ("tp", "fd", "fa", "fn")}
    assert counts == {"tp": 2, "fd": 1, "fa": 0, "fn": 0}


def nodes(node: dict[str, Any]) -> list[dict[str, Any]]:
    """Return a node of the matrix and all below it."""
    return [node, *[inner for child in node["fields"].values() for inner in nodes(child)]]


def test_every_node_of_the_matrix_has_the_whole_shape() -> None:
    """overall, fields and aggregate stand everywhere, with scores, the flag and the derived ratios."""
    matrix = CUSTOMER.compare_with(GUESS, include_confusion_matrix=True)["confusion_matrix"]
    for node in nodes(matrix):
        assert {"overall", "fields", "aggregate"} <= set(node)
        assert {"tp", "fa", "fd", "fp", "tn", "fn", "similarity_score", "all_fields_matched", "derived"} <= set(
            node["overall"]
        )
        assert {"tp", "fa", "fd", "fp", "tn", "fn", "derived"} <= set(node["aggregate"])
        assert set(node["aggregate"]["derived"]) == {"cm_precision", "cm_recall", "cm_f1", "cm_accuracy"}
    assert matrix["non_matches"] == []
    json.dumps(matrix)


def test_aggregate_is_the_sum_of_the_leaves_below() -> None:
    """The root's aggregate adds up every primitive field, however deep."""
    matrix = CUSTOMER.compare_with(GUESS, include_confusion_matrix=True)["confusion_matrix"]
    leaves = [node for node in nodes(matrix) if not node["fields"]]
    for key in ("tp", "fd", "fa", "fn", "tn"):
        assert matrix["aggregate"][key] == sum(leaf["overall"][key] for leaf in leaves)
    assert matrix["aggregate"]["tp"] == 3
    assert matrix["fields"]["address"]["aggregate"]["derived"]["cm_f1"] > 0


def test_non_matches_say_what_failed_and_why() -> None:
    """Each entry has path, type, both values, the score and the reason."""
    result = CUSTOMER.compare_with(GUESS, document_non_matches=True)
    phone = result["non_matches"][0]
    assert phone["field_path"] == "phone"
    assert phone["non_match_type"] == "false_discovery"
    assert (phone["ground_truth_value"], phone["prediction_value"]) == ("555-123-4567", "555-999-8888")
    assert 0 < phone["similarity_score"] < 1
    assert phone["details"]["reason"] == f"below threshold ({phone['similarity_score']:.3f} < 1.0)"
    assert [entry["field_path"] for entry in result["non_matches"]] == ["phone", "address.zip"]


def test_missing_and_invented_values_have_their_types() -> None:
    """A value that only one side has is a false negative or a false alarm."""
    missing = EXPECTED.compare_with(Invoice(invoice_number="INV-001", amount=150.0), document_non_matches=True)
    assert [(e["field_path"], e["non_match_type"]) for e in missing["non_matches"]] == [("date", "false_negative")]
    invented = Invoice(amount=150.0).compare_with(EXPECTED, document_non_matches=True)
    assert {e["non_match_type"] for e in invented["non_matches"]} == {"false_alarm"}


def test_evaluator_format_is_for_evaluation_tools() -> None:
    """Five numbers overall, the same for each field, and nothing that was not asked for."""
    result = EXPECTED.compare_with(PREDICTED, evaluator_format=True)
    assert set(result) == {"overall", "fields", "confusion_matrix", "non_matches"}
    assert set(result["overall"]) == {"precision", "recall", "f1", "accuracy", "anls_score"}
    assert result["fields"]["date"] == {
        "precision": 1.0,
        "recall": 1.0,
        "f1": 1.0,
        "accuracy": 1.0,
        "anls_score": 1.0,
    }
    assert result["confusion_matrix"] == {}
    assert result["non_matches"] == []


def test_all_parameters_of_the_reference_are_taken() -> None:
    """The complete parameter list works, also with recall that counts wrong values."""
    options: dict[str, Any] = {
        "include_confusion_matrix": True,
        "document_non_matches": True,
        "evaluator_format": False,
    }
    loose = CUSTOMER.compare_with(GUESS, **options, recall_with_fd=False, add_derived_metrics=True)
    strict = CUSTOMER.compare_with(GUESS, **options, recall_with_fd=True, add_derived_metrics=True)
    assert loose["confusion_matrix"]["aggregate"]["derived"]["cm_recall"] == 1.0
    assert strict["confusion_matrix"]["aggregate"]["derived"]["cm_recall"] == 3 / 5
    bare = CUSTOMER.compare_with(GUESS, **options, add_derived_metrics=False)
    assert all("derived" not in node["overall"] for node in nodes(bare["confusion_matrix"]))


def test_usage_snippets_run() -> None:
    """What the document shows people to write works as it is written."""
    result = CUSTOMER.compare_with(GUESS, include_confusion_matrix=True, document_non_matches=True)
    assert f"{result['overall_score']:.2%}".endswith("%")
    cm = result["confusion_matrix"]
    lines = [f"{field}: {score:.2%}" for field, score in result["field_scores"].items()]
    for name, data in cm["fields"].items():
        aggregate = data["aggregate"]
        errors = aggregate["fd"] + aggregate["fa"] + aggregate["fn"]
        lines.append(f"{name}: F1={aggregate['derived']['cm_f1']:.3f}, TP={aggregate['tp']}, Errors={errors}")
    lines += [f"Field {e['field_path']} failed: {e['non_match_type']}" for e in result.get("non_matches", [])]
    assert "Field phone failed: false_discovery" in lines
    assert compare_structured_models(CUSTOMER, GUESS) == CUSTOMER.compare_with(GUESS)
