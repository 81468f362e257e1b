"""Classes in: what a declared, a bare and a plain annotation resolve to, at the top and nested."""

from __future__ import annotations

import dataclasses

import pytest
from pydantic import BaseModel, Field

from fieldwise import (
    ComparableField,
    Spec,
    StructuredModel,
)
from fieldwise.values import Json
from tests.spec.samples import Bare, Declared, Inferred, Nested, Part, Plain, Row, leaf_of, object_of, row_of

DECLARED: dict[str, Row] = {
    "text": ("Levenshtein", 0.5, True, 1.0),
    "whole": ("Levenshtein", 0.5, True, 1.0),
    "real": ("Levenshtein", 0.5, True, 1.0),
    "flag": ("Levenshtein", 0.5, True, 1.0),
    "anything": ("Levenshtein", 0.5, True, 1.0),
    "texts": ("Levenshtein", 0.5, True, 1.0),
    "maybe": ("Levenshtein", 0.5, True, 1.0),
    "day": ("Date", 0.5, True, 1.0),
    "moment": ("Date", 0.5, True, 1.0),
    "money": ("Numeric", 0.5, True, 1.0),
    "colour": ("Exact", 0.5, True, 1.0),
    "choice": ("Exact", 0.5, True, 1.0),
    "key": ("Exact", 0.5, True, 1.0),
    "raw": ("Exact", 0.5, True, 1.0),
    "pair": ("Exact", 0.5, True, 1.0),
    "several": ("Exact", 0.5, True, 1.0),
    "free": ("ANLSStar", 0.5, False, 1.0),
    "frees": ("ANLSStar", 0.5, False, 1.0),
    "plain": ("ANLSStar", 0.5, False, 1.0),
    "plains": ("ANLSStar", 0.5, False, 1.0),
    "box": ("BBoxIoU", 0.5, True, 1.0),
    "given": ("Fuzzy", 0.8, False, 2.5),
    "from_comparator": ("Levenshtein", 0.9, True, 1.0),
    "both": ("Levenshtein", 0.4, True, 1.0),
    "own_default": ("Exact", 0.5, True, 1.0),
    "anls": ("ANLSStar", 0.5, True, 1.0),
}


def test_every_declared_field_has_its_row() -> None:
    """The table above leaves no field out."""
    assert DECLARED.keys() == Declared.model_fields.keys()


@pytest.mark.parametrize("name", DECLARED)
def test_what_comparable_field_resolves_to(name: str) -> None:
    """ComparableField: Levenshtein 0.5 unless the type has a comparator of its own; a comparator's class default is
    never adopted, the threshold that its caller gave is."""
    assert row_of(Declared.spec(), name) == DECLARED[name]


@pytest.mark.parametrize(
    ("name", "row"),
    [
        ("text", ("Levenshtein", 0.6, True, 1.0)),
        ("whole", ("Levenshtein", 0.6, True, 1.0)),
        ("texts", ("Levenshtein", 0.6, True, 1.0)),
        ("free", ("ANLSStar", 0.6, False, 1.0)),
        ("plains", ("ANLSStar", 0.6, False, 1.0)),
    ],
)
def test_what_a_bare_annotation_resolves_to(name: str, row: Row) -> None:
    """A bare annotation takes the match threshold of its class."""
    assert row_of(Bare.spec(), name) == row


@pytest.mark.parametrize(
    ("name", "threshold", "clip", "weight"),
    [("part", 0.5, True, 1.0), ("strict", 0.95, False, 2.0), ("bare", 0.9, True, 1.0)],
)
def test_what_a_nested_model_resolves_to(name: str, threshold: float, clip: bool, weight: float) -> None:
    """A nested model has the threshold 0.5 under ComparableField, 0.9 as a bare annotation."""
    node = object_of(Nested.spec().resolved().root.fields[name])
    assert (node.threshold, node.clip, node.weight) == (threshold, clip, weight)
    assert node.match_threshold == 0.7


def test_a_list_of_models_keeps_its_weight_and_its_items_threshold() -> None:
    """What pairs the items of a list is the match threshold of their class."""
    node = Nested.spec().resolved().root.fields["parts"]
    assert node.weight == 3.0
    assert object_of(node).match_threshold == 0.7
    assert object_of(Bare.spec().resolved().root).match_threshold == 0.6


INFERRED: dict[str, tuple[Row, float]] = {
    "flag": (("Exact", 1.0, True, 1.0), 1.0),
    "colour": (("Exact", 1.0, True, 1.0), 1.0),
    "choice": (("Exact", 1.0, True, 1.0), 1.0),
    "moment": (("Date", 0.95, True, 1.0), 1.0),
    "day": (("Date", 0.95, True, 1.0), 1.0),
    "whole": (("Numeric", 1.0, True, 1.0), 1.0),
    "real": (("Numeric", 0.95, True, 1.0), 1.0),
    "money": (("Numeric", 1.0, True, 1.0), 1.0),
    "text": (("Fuzzy", 0.6, False, 1.0), 0.3),
    "free": (("ANLSStar", 0.7, False, 1.0), 1.0),
    "pair": (("Exact", 1.0, True, 1.0), 1.0),
    "several": (("Exact", 1.0, True, 1.0), 1.0),
    "anything": (("Exact", 1.0, True, 1.0), 1.0),
    "either": (("Exact", 1.0, True, 1.0), 1.0),
    "texts": (("Fuzzy", 0.6, False, 1.0), 0.3),
    "reals": (("Numeric", 0.95, True, 1.0), 1.0),
    "phone": (("Phone", 1.0, True, 1.0), 1.5),
    "zip_code": (("Exact", 1.0, True, 1.0), 1.5),
    "customer_id": (("Exact", 1.0, True, 1.0), 3.0),
    "order_ref": (("Exact", 1.0, True, 1.0), 3.0),
    "email": (("Exact", 1.0, True, 1.0), 1.5),
    "amount": (("Numeric", 0.95, True, 1.0), 2.5),
    "totals": (("Numeric", 0.95, True, 1.0), 2.5),
    "quantity": (("Numeric", 1.0, True, 1.0), 1.2),
    "dueDate": (("Date", 0.95, True, 1.0), 1.5),
    "vendorName": (("Levenshtein", 0.85, True, 1.0), 1.5),
    "street": (("Fuzzy", 0.8, True, 1.0), 1.5),
    "notes": (("Fuzzy", 0.6, False, 1.0), 0.3),
    "total": (("Levenshtein", 0.7, True, 1.0), 1.0),
}


CONFIGS: dict[str, dict[str, Json]] = {
    "moment": {"tolerance": 1 / 1440},
    "whole": {},
    "real": {"relative_tolerance": 0.001},
    "money": {},
    "amount": {"relative_tolerance": 0.001},
    "quantity": {},
    "email": {"case_sensitive": False},
    "street": {"method": "token_sort_ratio"},
    "notes": {"method": "token_set_ratio"},
}


HINTED = dataclasses.make_dataclass("HINTED", [(name, info.annotation) for name, info in Inferred.model_fields.items()])


def test_every_inferred_field_has_its_row() -> None:
    """The table above leaves no field out."""
    assert INFERRED.keys() == Inferred.model_fields.keys()


@pytest.mark.parametrize("cls", [Inferred, HINTED], ids=["pydantic", "dataclass"])
@pytest.mark.parametrize("name", INFERRED)
def test_what_is_inferred_from_names_and_types(name: str, cls: type) -> None:
    """The name decides where its word fits the type, else the type; weights change only with weight hints."""
    row, hint = INFERRED[name]
    assert row_of(Spec.from_pydantic(cls, defaults="stickler"), name) == row
    hinted = Spec.from_pydantic(cls, weight_hints=True, defaults="stickler")
    assert row_of(hinted, name) == (*row[:3], hint)


@pytest.mark.parametrize("name", CONFIGS)
def test_what_settings_are_inferred(name: str) -> None:
    """An inferred comparator comes with its tolerances and methods."""
    comparator = leaf_of(Spec.from_pydantic(Inferred, defaults="stickler").root.fields[name]).comparator
    assert comparator is not None
    assert comparator.config == CONFIGS[name]


def test_plain_nested_models_are_inferred_too() -> None:
    """A nested model takes the match threshold and does not clip; a list of models is paired."""

    class Outer(BaseModel):
        inner: Plain
        inners: list[Plain]
        own: Part

    spec = Spec.from_pydantic(Outer, match_threshold=0.4)
    fields = spec.resolved().root.fields
    inner = object_of(fields["inner"])
    assert (inner.threshold, inner.clip, inner.match_threshold) == (0.4, False, 0.4)
    assert object_of(fields["inners"]).match_threshold == 0.4
    assert object_of(fields["own"]).match_threshold == 0.7


def test_classes_with_aliases_are_keyed_by_the_alias() -> None:
    """A field's JSON name is its alias, in specs and in results; both names construct."""

    class Aliased(StructuredModel):
        number: str = ComparableField(alias="Invoice Number")

    class PlainAliased(BaseModel):
        number: str = Field(alias="Invoice Number")

    assert list(Aliased.spec().root.fields) == ["Invoice Number"]
    assert list(Spec.from_pydantic(PlainAliased).root.fields) == ["Invoice Number"]
    by_alias, by_name = Aliased.model_validate({"Invoice Number": "A"}), Aliased.model_validate({"number": "A"})
    assert by_alias.compare_with(by_name)["field_scores"] == {"Invoice Number": 1.0}
