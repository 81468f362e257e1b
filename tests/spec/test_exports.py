"""A spec out: whichever way it was declared, it comes back from JSON Schema and from config as the same plan."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from fieldwise import (
    Plan,
    SettingError,
    Spec,
    StructuredModel,
)
from tests.spec.samples import (
    FIELD_CONFIGS,
    FIELD_SCHEMAS,
    KEY,
    RECURSIVE,
    Bare,
    Declared,
    Inferred,
    Invoice,
    Nested,
    Order,
    PlainTree,
    Schema,
    Tree,
    config_of,
    fingerprint,
    schema_of,
)
from tests.strategies import documents, examples, schemas

TWO_DEFINITIONS = {
    **schema_of(n={"$ref": "#/$defs/a~1b"}, m={"$ref": "#/definitions/a~1b"}),
    "$defs": {"a/b": schema_of(v={"type": "string"}, k={"$ref": "#/$defs/a~1b", f"{KEY}weight": 2})},
    "definitions": {"a/b": schema_of(w={"type": "number"}, k={"$ref": "#/definitions/a~1b"})},
}


SHAPES = schema_of(
    either={"type": ["string", "number"]},
    shape={"anyOf": [{"type": "integer"}, {"type": "array", "items": {"type": "string"}}, schema_of(q={"const": 1})]},
    items={"type": "array", "items": {"anyOf": [{"type": "string"}, schema_of(q={"type": "number"})]}},
)


CONFIG = {
    "model_name": "Receipt",
    "match_threshold": 0.35,
    "fields": {
        "number": {"type": "str", "comparator": "Exact", "alias": "No.", "required": True},
        "total": {"type": "Optional[float]", "comparator": "Numeric", "comparator_config": {"relative_tolerance": 0.1}},
        "day": {"type": "date", "comparator": "Date"},
        "guess": {"type": "int", "comparator": "auto"},
        "either": {"type": "Union[str, int]", "comparator": "Exact", "weight": 2},
        "free": {"type": "dict", "comparator": "ANLSStar", "clip_under_threshold": True},
        "tags": {"type": "List[str]", "comparator": "Fuzzy", "order": "sequence", "alternates": True},
        "Ship To": {
            "type": "optional_structured_model",
            "fields": {"city": {"type": "str", "comparator": "Levenshtein"}},
        },
        "rows": {
            "type": "list_structured_model",
            "key": "sku",
            "match_threshold": 0.2,
            "fields": {"sku": {"type": "str", "comparator": "Exact", "weight": 0}},
        },
    },
}


SAMPLE = {
    "invoice_id": "A-1",
    "total": 10.5,
    "due": "2024-01-15",
    "open": True,
    "box": [0, 0, 1, 1],
    "tags": ["alpha", "beta"],
    "lines": [{"sku": "x", "prices": [1.5], "Ship To": {"city": "Ulm"}}],
    "never": None,
}


SPECS: dict[str, Callable[[], Spec]] = {
    "class": Invoice.spec,
    "class with typed fields": Declared.spec,
    "bare class": Bare.spec,
    "recursive class": Tree.spec,
    "schema": lambda: Spec.from_json_schema(
        schema_of(**{f"f{k}": schema for k, (schema, _) in enumerate(FIELD_SCHEMAS)})
    ),
    "recursive schema": lambda: Spec.from_json_schema(RECURSIVE),
    "two definitions": lambda: Spec.from_json_schema(TWO_DEFINITIONS),
    "shapes": lambda: Spec.from_json_schema(SHAPES),
    "config": lambda: Spec.from_config(CONFIG),
    "config fields": lambda: Spec.from_config(
        config_of(**{f"f{k}": config for k, (config, _) in enumerate(FIELD_CONFIGS)})
    ),
    "pydantic": lambda: Spec.from_pydantic(Inferred, weight_hints=True),
    "recursive pydantic": lambda: Spec.from_pydantic(PlainTree),
    "dataclass": lambda: Spec.from_pydantic(Order, match_threshold=0.4),
    "samples": lambda: Spec.infer([SAMPLE], weight_hints=True),
    "lists in lists": lambda: Spec.infer([{"cells": [[1, 2], [3]], "rows": [[[{"a": "x"}]]]}]),
}


NO_CONFIG = {
    "recursive class": "children",
    "recursive schema": "kids",
    "two definitions": "n",
    "shapes": "shape",
    "recursive pydantic": "children",
    "lists in lists": "cells",
}
"""What a config has no words for, with the first field that it stumbles over."""


@pytest.mark.parametrize("name", SPECS)
def test_a_spec_comes_back_from_json_schema(name: str) -> None:
    """What `to_json_schema` writes compiles to the same plan."""
    spec = SPECS[name]()
    back = Spec.from_json_schema(spec.to_json_schema())
    assert back.to_json_schema() == spec.to_json_schema()
    assert fingerprint(back) == fingerprint(spec)


@pytest.mark.parametrize("name", [name for name in SPECS if name not in NO_CONFIG])
def test_a_spec_comes_back_from_config(name: str) -> None:
    """What `to_config` writes compiles to the same plan."""
    spec = SPECS[name]()
    assert fingerprint(Spec.from_config(spec.to_config())) == fingerprint(spec)


@pytest.mark.parametrize("name", NO_CONFIG)
def test_what_a_config_cannot_spell_is_refused(name: str) -> None:
    """A spec that has no config says which field is in the way."""
    with pytest.raises(SettingError, match="to_json_schema") as caught:
        SPECS[name]().to_config()
    assert caught.value.path == NO_CONFIG[name]


@pytest.mark.parametrize("cls", [Invoice, Declared, Bare, Nested, Tree])
def test_a_class_comes_back_from_json_schema(cls: type[StructuredModel]) -> None:
    """A class made from the schema of a class compares in the same way, and its schema is the same."""
    back = StructuredModel.from_json_schema(cls.to_json_schema())
    assert back.plan().fingerprint() == cls.plan().fingerprint()
    assert back.to_json_schema() == cls.to_json_schema()
    assert back.__name__ == cls.__name__


@pytest.mark.parametrize("cls", [Invoice, Declared, Bare, Nested])
def test_a_class_comes_back_from_config(cls: type[StructuredModel]) -> None:
    """A class made from the config of a class compares in the same way, fields without settings included."""
    back = StructuredModel.model_from_json(cls.to_stickler_config())
    assert back.plan().fingerprint() == cls.plan().fingerprint()


def test_definitions_that_end_alike_stay_apart() -> None:
    """Two definitions of one name at different places are two definitions in the export."""
    back = Plan.compile(Spec.from_json_schema(Spec.from_json_schema(TWO_DEFINITIONS).to_json_schema()))
    document = {"n": {"v": "x", "k": {"v": "y"}}, "m": {"w": 1, "k": {"w": 2}}}
    assert [v.path for v in back.compare(document, document).verdicts if v.outcome.value == "tp"] == [
        "n.v",
        "n.k.v",
        "m.w",
        "m.k.w",
    ]


@settings(max_examples=examples(40), deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(schema=schemas(), data=st.data())
def test_any_spec_comes_back(schema: Schema, data: st.DataObject) -> None:
    """Schema, config and class of any spec give the same plan and the same score."""
    spec = Spec.from_json_schema(schema)
    plan = Plan.compile(spec)
    model = StructuredModel.from_json_schema(schema)
    for back in (Spec.from_json_schema(spec.to_json_schema()), Spec.from_config(spec.to_config())):
        assert fingerprint(back) == plan.fingerprint()
    as_peer = Spec.from_json_schema(schema, defaults="stickler")
    for back in (model.spec(), StructuredModel.from_json_schema(model.to_json_schema()).spec()):
        assert fingerprint(back) == fingerprint(as_peer)
    expected, predicted = data.draw(documents(schema)), data.draw(documents(schema))
    again = Plan.compile(Spec.from_json_schema(spec.to_json_schema())).compare(expected, predicted)
    assert again.score == plan.compare(expected, predicted).score
    assert again.counts() == plan.compare(expected, predicted).counts()


def test_what_was_inferred_says_so_after_a_round_trip() -> None:
    """The reason of a guess is kept in the exported schema and config."""
    spec = Spec.infer([{"invoice_id": "A-1"}])
    for back in (Spec.from_json_schema(spec.to_json_schema()), Spec.from_config(spec.to_config())):
        assert "inferred: the name contains 'id'" in str(Plan.compile(back))
