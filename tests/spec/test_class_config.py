"""Specs of classes: both families of keys, the older lists of attributes, and what is refused."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from fieldwise import Plan, SettingError, Spec
from fieldwise.readers.specs import read_classes
from fieldwise.spec.class_config import spec_of_classes

KEY = "x-aws-idp-evaluation-"
PEER = "x-aws-stickler-"


def one_class(**properties: Any) -> list[dict[str, Any]]:
    return [{"x-aws-idp-document-type": "A", "type": "object", "properties": properties}]


def with_attribute(**keys: str) -> dict[str, Any]:
    return {"classes": [{"name": "A", "attributes": [{"name": "x", **keys}]}]}


def fingerprint(spec: Spec) -> str:
    return Plan.compile(spec).fingerprint()


def test_both_families_of_keys_declare_the_same_spec() -> None:
    """Every key of the product has its counterpart."""
    product = one_class(
        name={"type": "string", f"{KEY}method": "LEVENSHTEIN", f"{KEY}threshold": 0.7, f"{KEY}weight": 2.0},
        total={"type": "number", f"{KEY}method": "NUMERIC_EXACT", f"{KEY}threshold": 5},
        day={"type": "string", f"{KEY}method": "DATE", f"{KEY}method-config": {"dayfirst": True}},
        rows={
            "type": "array",
            f"{KEY}method": "HUNGARIAN",
            f"{KEY}match-threshold": 0.6,
            "items": {"type": "object", "properties": {"sku": {"type": "string", f"{KEY}method": "EXACT"}}},
        },
    )
    peer = one_class(
        name={
            "type": "string",
            f"{PEER}comparator": "LevenshteinComparator",
            f"{PEER}threshold": 0.7,
            f"{PEER}weight": 2.0,
        },
        total={
            "type": "number",
            f"{PEER}comparator": "NumericComparator",
            f"{PEER}comparator-config": {"absolute_tolerance": 5},
        },
        day={
            "type": "string",
            f"{PEER}comparator": "DateComparator",
            f"{PEER}comparator-config": {"dayfirst": True},
        },
        rows={
            "type": "array",
            "items": {
                "type": "object",
                f"{PEER}match-threshold": 0.6,
                "properties": {"sku": {"type": "string", f"{PEER}comparator": "ExactComparator"}},
            },
        },
    )
    assert fingerprint(spec_of_classes(product)) == fingerprint(spec_of_classes(peer))
    plan = Plan.compile(spec_of_classes(product).classes["A"])
    assert plan.compare({"total": 10}, {"total": 15}).counts()["tp"] == 1
    assert plan.compare({"total": 10}, {"total": 15.5}).counts()["tp"] == 0


def test_older_lists_of_attributes_are_read(tmp_path: Path) -> None:
    """``classes: [{name, attributes: […]}]``, with groups and lists."""
    config = tmp_path / "config.yaml"
    config.write_text(
        "ocr: {backend: textract}\n"
        "classes:\n"
        "- name: Payslip\n"
        "  attributes:\n"
        "  - {name: Employee, description: who, evaluation_method: FUZZY, evaluation_threshold: 0.8}\n"
        "  - {name: Net, evaluation_method: NUMERIC_EXACT, evaluation_threshold: 0.5}\n"
        "  - name: Address\n"
        "    attributeType: group\n"
        "    groupAttributes: [{name: City, evaluation_method: EXACT}]\n"
        "  - name: Deductions\n"
        "    attributeType: list\n"
        "    listItemTemplate: {itemAttributes: [{name: Kind}, {name: Amount, evaluation_method: NUMERIC_EXACT}]}\n"
    )
    plan = Plan.compile(read_classes(config).classes["Payslip"])
    assert [node.path for node in plan.fields() if node.path] == [
        "Employee",
        "Net",
        "Address",
        "Address.City",
        "Deductions",
        "Deductions.Kind",
        "Deductions.Amount",
    ]
    assert plan.compare({"Net": 10}, {"Net": 10.5}).counts()["tp"] == 1


def test_classes_come_in_many_forms(tmp_path: Path) -> None:
    """A mapping, a list, a product's config, and a folder of schemas named by class or file declare the same."""
    schema = {"type": "object", "properties": {"total": {"type": "number"}}}
    named = {**schema, "x-aws-idp-document-type": "A"}
    forms = [{"A": schema}, [named], {"classes": [named], "evaluation": {"enabled": True}}, {"classes": {"A": schema}}]
    prints = {fingerprint(spec_of_classes(form)) for form in forms}
    (tmp_path / "A.json").write_text(json.dumps(schema))
    (tmp_path / "notes.txt").write_text("none")
    prints.add(fingerprint(read_classes(tmp_path)))
    (tmp_path / "A.json").rename(tmp_path / "other.json")
    (tmp_path / "other.json").write_text(json.dumps(named))
    prints.add(fingerprint(read_classes(tmp_path)))
    prints.add(fingerprint(read_classes(tmp_path / "other.json")))
    assert len(prints) == 1


def test_a_spec_of_classes_survives_its_json() -> None:
    """spec.json of a run brings back the specs of all classes, and what is excluded."""
    spec = spec_of_classes(
        [
            *one_class(total={"type": "number", f"{KEY}method": "NUMERIC_EXACT", f"{KEY}threshold": 2}),
            {"name": "B", "x-aws-idp-exclude-from-processing": True, "x-aws-idp-exclusion-reason": "blank pages"},
            {"name": "C", "properties": {}},
        ]
    )
    again = Spec.from_json_schema(json.loads(json.dumps(spec.to_json_schema())))
    assert fingerprint(again) == fingerprint(spec)
    assert again.excluded == {"B": "blank pages", "C": "its class has no fields"}


def test_several_instances_of_a_class_are_rows() -> None:
    """A class that a page may hold several times is a list of objects."""
    spec = spec_of_classes([{**one_class(total={"type": "number"})[0], "x-aws-idp-multi-instance": True}])
    assert list(spec.classes["A"].root.fields) == ["instances"]


@pytest.mark.parametrize(
    ("config", "path", "words"),
    [
        (one_class(t={"type": "string", f"{KEY}metod": "EXACT"}), "$[0].t", f"{KEY}method"),
        (one_class(t={"type": "string", f"{PEER}treshold": 1}), "$[0].t", f"{PEER}threshold"),
        (one_class(t={"type": "string", f"{KEY}method": "FUZY"}), "$[0].t", "FUZZY"),
        (one_class(t={"type": "boolean", f"{KEY}method": "DATE"}), "$[0].t", "does not fit values of type boolean"),
        (one_class(t={"type": "string", f"{KEY}method": "HUNGARIAN"}), "$[0].t", "lists of objects"),
        (one_class(t={"type": "string", f"{KEY}threshold": 7}), "$[0].t", "threshold"),
        (
            one_class(t={"type": "array", f"{KEY}method": "FUZZY", "items": {"properties": {"a": {"type": "string"}}}}),
            "$[0].t",
            "HUNGARIAN",
        ),
        (
            one_class(t={"type": "array", f"{KEY}threshold": 1, "items": {"properties": {"a": {"type": "string"}}}}),
            "$[0].t",
            "match-threshold",
        ),
        (
            {"classes": [{"name": "A", "attributes": [{"name": "x", "evaluation_metod": "EXACT"}]}]},
            "$.classes[0].x",
            "evaluation_method",
        ),
        (
            {"classes": [{"name": "A", "attributes": [{"name": "x", "evaluation_method": "EXAKT"}]}]},
            "$.classes[0].x",
            "EXACT",
        ),
        ({"classes": [{"name": "A", "attributes": [{}]}]}, "$.classes[0][0]", "name"),
        ([{"properties": {"a": {"type": "string"}}}], "$[0]", "name"),
        ([*one_class(a={"type": "string"}), {"name": "a", "attributes": [{"name": "b"}]}], "$[1]", "twice"),
        ([7], "$[0]", "schema of a class"),
    ],
)
def test_a_wrong_config_is_refused_with_its_place(config: Any, path: str, words: str) -> None:
    """The message says where, and names what is nearest to what was meant."""
    with pytest.raises(SettingError) as refused:
        spec_of_classes(config)
    assert refused.value.facts["path"] == path
    assert words in str(refused.value)
