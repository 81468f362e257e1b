"""A schema for a part: what it does not declare is inferred from the expected documents, where that is asked for."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from fieldwise import Plan, Spec, evaluate_pairs, open_pairs
from tests.command_line import run

SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {
        "shop": {"type": "string", "x-fieldwise-comparator": "ExactComparator"},
        "vendor": {"type": "object", "properties": {"name": {"type": "string"}}},
        "items": {"type": "array", "items": {"type": "object", "properties": {"sku": {"type": "string"}}}},
    },
}
EXPECTED = {
    "shop": "Nook",
    "total": "12.50",
    "vendor": {"name": "Ada Ltd", "city": "Leeds", "bank": {"iban": "DE1"}},
    "items": [{"sku": "A1", "qty": 2}, {"sku": "B2", "qty": 3}],
    "tags": ["new", "red"],
}
PREDICTED = {
    "shop": "Nook",
    "total": 12.5,
    "vendor": {"name": "Ada Ltd", "city": "York", "bank": {"iban": "DE1"}},
    "items": [{"sku": "B2", "qty": 3}, {"sku": "A1", "qty": 20}],
    "tags": ["red"],
    "invented": 1,
}
FIELDS = {"shop", "total", "vendor.name", "vendor.city", "vendor.bank.iban", "items.sku", "items.qty", "tags"}


def leaves(metrics: Any) -> dict[str, tuple[int, int, int, int]]:
    return {
        path: (row.tp, row.fd, row.fa, row.fn)
        for path, row in metrics.fields.items()
        if row.scope in ("values", "undeclared")
    }


def test_what_a_schema_leaves_out_is_inferred_and_scored() -> None:
    """Fields at the root, in nested objects and in items of lists; what only the prediction has is spurious."""
    metrics = evaluate_pairs(
        {"d": EXPECTED}, Spec.from_json_schema(SCHEMA), predicted={"d": PREDICTED}, extras="infer"
    ).metrics
    found = leaves(metrics)
    assert found.keys() == FIELDS | {"invented"}
    assert found["total"] == found["vendor.bank.iban"] == (1, 0, 0, 0)
    assert found["vendor.city"] == (0, 1, 0, 0)
    assert (found["items.qty"], found["tags"], found["invented"]) == ((1, 1, 0, 0), (1, 0, 0, 1), (0, 0, 1, 0))
    assert not metrics.outside


def test_declared_settings_stay() -> None:
    """A declared field is compared as declared, and what is inferred as without a schema."""
    closed = Spec.from_json_schema({**SCHEMA, "x-fieldwise-extras": "infer"}).closed([EXPECTED])
    inferred = Spec.infer([EXPECTED]).root.fields
    assert closed.root.fields["total"] == inferred["total"]
    assert closed.root.fields["tags"] == inferred["tags"]
    assert Plan.compile(closed).root.fields["shop"].leaf.comparator.name == "ExactComparator"


def test_the_closed_spec_declares_what_was_inferred(tmp_path: Path) -> None:
    """``spec.json`` has all fields, and evaluates other documents by the same rules."""
    spec = Spec.from_json_schema({**SCHEMA, "x-fieldwise-extras": "infer"})
    first = evaluate_pairs({"d": EXPECTED}, spec, predicted={"d": PREDICTED}, out=tmp_path / "r").metrics
    written = json.loads((tmp_path / "r" / "spec.json").read_text())
    assert written["x-fieldwise-extras"] == "leaves"
    assert written["x-fieldwise-outside"] == []
    assert set(written["properties"]) == set(EXPECTED)
    again = evaluate_pairs({"e": {"shop": "x"}}, Spec.from_json_schema(written), predicted={"e": {"shop": "x"}}).metrics
    assert again.spec_fingerprint == first.spec_fingerprint


def test_the_option_wins_over_the_schema(tmp_path: Path) -> None:
    """``--extras`` says it for evaluate and compare; without it what is left out counts nowhere."""
    for name, content in (("e", EXPECTED), ("p", PREDICTED), ("s", {**SCHEMA, "x-fieldwise-extras": "ignore"})):
        (tmp_path / f"{name}.json").write_text(json.dumps(content))
    sides, schema = (tmp_path / "e.json", tmp_path / "p.json"), ("--schema", tmp_path / "s.json")
    shown = [
        json.loads(run("compare", *sides, *schema, *more, "--json").stdout) for more in ((), ("--extras", "infer"))
    ]
    fields = [{verdict["field"] for verdict in result["verdicts"]} for result in shown]
    assert fields == [{"shop", "vendor.name", "items.sku"}, FIELDS | {"invented"}]
    pairs = tmp_path / "pairs.jsonl"
    pairs.write_text(json.dumps({"id": "1", "expected": EXPECTED, "predicted": PREDICTED}))
    found = [
        json.loads(run("evaluate", pairs, *schema, *more, "--json").stdout) for more in ((), ("--extras", "infer"))
    ]
    assert ["vendor.city" in metrics["fields"] for metrics in found] == [False, True]
    assert "vendor.city" in run("evaluate", pairs, *schema, "--extras", "infer", "--explain").stdout


def test_each_class_is_completed_by_its_own_documents(tmp_path: Path) -> None:
    """A class has the fields of its own expected documents, and not those of another."""
    of_class = {"type": "object", "properties": {"n": {"type": "string"}}}
    schema = {
        "type": "object",
        "properties": {"n": {"type": "string"}},
        "x-fieldwise-classes": {"A": of_class, "B": of_class},
        "x-fieldwise-extras": "infer",
    }
    sides = [
        ("A", {"n": "1x", "a": "u"}, {"n": "1x", "a": "v"}),
        ("B", {"n": "2x", "b": "u"}, {"n": "2x", "b": "u", "a": "w"}),
    ]
    path = tmp_path / "pairs.jsonl"
    lines = [{"id": name, "expected": {**e, "kind": name}, "predicted": p} for name, e, p in sides]
    path.write_text("\n".join(map(json.dumps, lines)))
    metrics = evaluate_pairs(open_pairs(path, class_key="kind"), Spec.from_json_schema(schema)).metrics
    assert metrics.classes is not None
    found = {name: leaves(group) for name, group in metrics.classes.items()}
    assert found["A"]["a"] == (0, 1, 0, 0)
    assert found["B"]["b"] == (1, 0, 0, 0)
    assert found["B"]["a"] == (0, 0, 1, 0)


def test_definitions_that_hold_themselves_are_completed() -> None:
    """A field of any level is one of the definition."""
    node = {
        "type": "object",
        "properties": {"name": {"type": "string"}, "children": {"type": "array", "items": {"$ref": "#/$defs/node"}}},
    }
    schema = {"type": "object", "properties": {"tree": {"$ref": "#/$defs/node"}}, "$defs": {"node": node}}
    expected = {"tree": {"name": "a", "children": [{"name": "b", "size": 3, "children": [{"name": "c", "size": 4}]}]}}
    plan = Plan.compile(Spec.from_json_schema({**schema, "x-fieldwise-extras": "infer"}).closed([expected]))
    assert plan.compare(expected, expected).counts()["tp"] == 5


@pytest.mark.parametrize("extras", ["infer", "leaves"])
def test_a_document_has_no_error_against_itself(extras: Any) -> None:
    """Whatever the schema leaves out."""
    metrics = evaluate_pairs(
        {"d": EXPECTED}, Spec.from_json_schema(SCHEMA), predicted={"d": EXPECTED}, extras=extras
    ).metrics
    assert metrics.aggregate.strict_f1 == 1.0


def test_without_documents_or_a_schema_there_is_nothing_to_add() -> None:
    """A plan of the schema alone has its fields only; what is inferred anyway is complete."""
    assert set(Plan.compile(Spec.from_json_schema(SCHEMA), extras="infer").root.fields) == set(SCHEMA["properties"])
    whole = evaluate_pairs({"d": EXPECTED}, predicted={"d": PREDICTED}, extras="infer").metrics
    assert leaves(whole) == leaves(evaluate_pairs({"d": EXPECTED}, predicted={"d": PREDICTED}).metrics)
