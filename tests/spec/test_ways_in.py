"""Five ways in, one spec out: what each declaration resolves to, what is refused, and that every export comes back."""

from __future__ import annotations

import dataclasses
import datetime as dt
import enum
import uuid
from collections.abc import Callable
from decimal import Decimal
from typing import Any, Literal, Optional

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from pydantic import BaseModel, Field

from fieldwise import (
    ANLSStarComparator,
    BBoxIoUComparator,
    ComparableField,
    DateComparator,
    ExactComparator,
    FuzzyComparator,
    InputError,
    LevenshteinComparator,
    NumericComparator,
    Plan,
    SettingError,
    Spec,
    StructuredModel,
)
from fieldwise.spec import Leaf, ListOf, Node, Object, OneOf, Ref
from fieldwise.values import Json
from tests.strategies import documents, schemas

Schema = dict[str, Any]
Row = tuple[str, float, bool, float]
"""Comparator, threshold, clip, weight."""


def schema_of(**properties: Json) -> Schema:
    return {"type": "object", "properties": properties}


def config_of(**fields: Json) -> Schema:
    return {"fields": fields}


def leaf_of(node: Node) -> Leaf:
    """The leaf of a field: itself, what its list holds, or what scores it where no shape fits."""
    if isinstance(node, ListOf):
        return leaf_of(node.item)
    if isinstance(node, OneOf):
        return node.otherwise
    assert isinstance(node, Leaf)
    return node


def weight_of(node: Node) -> float:
    assert node.weight is not None
    return node.weight


def row_of(spec: Spec, name: str) -> Row:
    """The resolved settings of a top-level field."""
    node = spec.resolved().root.fields[name]
    leaf = leaf_of(node)
    assert leaf.comparator is not None
    assert leaf.threshold is not None
    assert leaf.clip is not None
    return leaf.comparator.name.removesuffix("Comparator"), leaf.threshold, leaf.clip, weight_of(node)


def object_of(node: Node) -> Object:
    node = node.item if isinstance(node, ListOf) else node
    assert isinstance(node, Object)
    return node


def fingerprint(spec: Spec) -> str:
    return Plan.compile(spec).fingerprint()


# StructuredModel


class Colour(enum.Enum):
    RED = "red"
    BLUE = "blue"


class Plain(BaseModel):
    city: str = ""


class Part(StructuredModel):
    sku: str = ComparableField()


class Declared(StructuredModel):
    """Fields declared with ComparableField."""

    text: str = ComparableField()
    whole: int = ComparableField()
    real: float = ComparableField()
    flag: bool = ComparableField()
    anything: Any = ComparableField()
    texts: list[str] = ComparableField()
    maybe: Optional[str] = ComparableField()  # noqa: UP045  # as users write it
    day: dt.date = ComparableField()
    moment: dt.datetime = ComparableField()
    money: Decimal = ComparableField()
    colour: Colour = ComparableField()
    choice: Literal["a", "b"] = ComparableField()
    key: uuid.UUID = ComparableField()
    raw: bytes = ComparableField()
    pair: tuple[int, int] = ComparableField()
    several: set[str] = ComparableField()
    free: dict[str, Any] = ComparableField()
    frees: list[dict[str, Any]] = ComparableField()
    plain: Plain = ComparableField()
    plains: list[Plain] = ComparableField()
    box: list[float] = ComparableField(comparator=BBoxIoUComparator())
    given: str = ComparableField(comparator=FuzzyComparator(), threshold=0.8, weight=2.5, clip_under_threshold=False)
    from_comparator: str = ComparableField(comparator=LevenshteinComparator(threshold=0.9))
    both: str = ComparableField(comparator=LevenshteinComparator(threshold=0.9), threshold=0.4)
    own_default: str = ComparableField(comparator=ExactComparator())
    anls: str = ComparableField(comparator=ANLSStarComparator())


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


class Bare(StructuredModel):
    """Fields with an annotation and nothing else."""

    match_threshold = 0.6

    text: str | None = None
    whole: int | None = None
    texts: list[str] | None = None
    free: dict[str, Any] | None = None
    plains: list[Plain] | None = None
    part: Part | None = None
    parts: list[Part] | None = None


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


class Nested(StructuredModel):
    part: Part = ComparableField()
    strict: Part = ComparableField(threshold=0.95, weight=2.0, clip_under_threshold=False)
    bare: Part | None = None
    parts: list[Part] = ComparableField(weight=3.0)


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


# JSON Schema

KEY = "x-aws-stickler-"
FIELD_SCHEMAS: list[tuple[Schema, Row]] = [
    ({"type": "string"}, ("Levenshtein", 0.5, True, 1.0)),
    ({"type": "string", "format": "email"}, ("Levenshtein", 0.5, True, 1.0)),
    ({"type": "string", "format": "hostname", "minLength": 2}, ("Levenshtein", 0.5, True, 1.0)),
    ({"type": "number", "multipleOf": 0.01}, ("Numeric", 0.5, True, 1.0)),
    ({"type": "integer"}, ("Numeric", 0.5, True, 1.0)),
    ({"type": "boolean"}, ("Exact", 0.5, True, 1.0)),
    ({"type": "string", "format": "date"}, ("Date", 1.0, True, 1.0)),
    ({"type": "string", "format": "date-time"}, ("Date", 1.0, True, 1.0)),
    ({"type": "string", "format": "time"}, ("Exact", 1.0, True, 1.0)),
    ({"type": "string", "format": "uri"}, ("Exact", 1.0, True, 1.0)),
    ({"type": "string", "format": "uuid"}, ("Exact", 1.0, True, 1.0)),
    ({"type": "string", "enum": ["a", "b"]}, ("Exact", 1.0, True, 1.0)),
    ({"enum": ["a", 1]}, ("Exact", 1.0, True, 1.0)),
    ({"const": "a"}, ("Exact", 1.0, True, 1.0)),
    ({"type": "null"}, ("Exact", 1.0, True, 1.0)),
    ({"type": ["null"]}, ("Exact", 1.0, True, 1.0)),
    ({"anyOf": [{"type": "null"}, {"type": "null"}]}, ("Exact", 1.0, True, 1.0)),
    ({"type": ["number", "null"]}, ("Numeric", 0.5, True, 1.0)),
    ({"anyOf": [{"type": "string", "format": "date"}, {"type": "null"}]}, ("Date", 1.0, True, 1.0)),
    ({"oneOf": [{"type": "null"}, {"type": "integer"}]}, ("Numeric", 0.5, True, 1.0)),
    ({"type": ["string", "number"]}, ("Exact", 1.0, True, 1.0)),
    ({"anyOf": [{"type": "string"}, {"type": "integer"}]}, ("Exact", 1.0, True, 1.0)),
    ({"type": "object"}, ("Exact", 1.0, True, 1.0)),
    ({"type": "object", "additionalProperties": {"type": "string"}}, ("Exact", 1.0, True, 1.0)),
    ({"type": "array", "items": {"type": "string"}}, ("Levenshtein", 0.5, True, 1.0)),
    ({"type": "array", "items": {"type": "number"}}, ("Numeric", 0.5, True, 1.0)),
    ({"type": "array", "items": {"type": "object"}}, ("Exact", 1.0, True, 1.0)),
    ({"type": "array", "items": {"type": "array", "items": {"type": "string"}}}, ("Exact", 1.0, True, 1.0)),
    ({"type": "array", "items": {"enum": ["a"]}}, ("Exact", 1.0, True, 1.0)),
    ({"type": "string", f"{KEY}comparator": "Fuzzy"}, ("Fuzzy", 0.5, True, 1.0)),
    ({"type": "string", f"{KEY}comparator": "ExactComparator"}, ("Exact", 0.5, True, 1.0)),
    (
        {"type": "number", f"{KEY}comparator": "Numeric", f"{KEY}comparator-config": {"absolute_tolerance": 1}},
        ("Numeric", 0.5, True, 1.0),
    ),
    ({"type": "string", f"{KEY}threshold": 0.9, f"{KEY}weight": 2}, ("Levenshtein", 0.9, True, 2.0)),
    ({"type": "string", f"{KEY}clip-under-threshold": False}, ("Levenshtein", 0.5, False, 1.0)),
    ({"type": "string", "x-fieldwise-threshold": 0.9, "x-fieldwise-weight": 0}, ("Levenshtein", 0.9, True, 0.0)),
    ({"type": "array", "items": {"type": "string"}, f"{KEY}weight": 4}, ("Levenshtein", 0.5, True, 4.0)),
    ({"type": "string", f"{KEY}aggregate": True}, ("Levenshtein", 0.5, True, 1.0)),
]


@pytest.mark.parametrize(("schema", "row"), FIELD_SCHEMAS, ids=lambda v: str(v)[:60])
def test_what_a_schema_property_resolves_to(schema: Schema, row: Row) -> None:
    """JSON Schema: the type chooses the comparator, keys win over it."""
    assert row_of(Spec.from_json_schema(schema_of(f=schema), defaults="stickler"), "f") == row


def test_what_schema_objects_resolve_to() -> None:
    """A nested object has the threshold 0.7 and clips; a list's items pair at 0.3 or as they say."""
    part = schema_of(a={"type": "string"})
    spec = Spec.from_json_schema(
        schema_of(
            one=part,
            strict={**part, f"{KEY}threshold": 0.2, f"{KEY}clip-under-threshold": False, f"{KEY}weight": 2},
            many={"type": "array", "items": {**part, f"{KEY}match-threshold": 0.4, f"{KEY}model-name": "Part"}},
        )
    )
    fields = spec.resolved().root.fields
    one, strict, many = (object_of(fields[name]) for name in ("one", "strict", "many"))
    assert (one.threshold, one.clip, one.weight, one.match_threshold, one.name) == (0.7, True, 1.0, 0.3, "OneModel")
    assert (strict.threshold, strict.clip, strict.weight) == (0.2, False, 2.0)
    assert (many.match_threshold, many.name) == (0.4, "Part")
    assert spec.root.name == "DynamicModel"


# Config

FIELD_CONFIGS: list[tuple[Schema, Row]] = [
    ({"type": "str", "comparator": "Levenshtein"}, ("Levenshtein", 0.5, True, 1.0)),
    ({"type": "str", "comparator": "ExactComparator"}, ("Exact", 0.5, True, 1.0)),
    ({"type": "float", "comparator": "Numeric"}, ("Numeric", 0.5, True, 1.0)),
    (
        {"type": "str", "comparator": "Levenshtein", "comparator_config": {"threshold": 0.9}},
        ("Levenshtein", 0.5, True, 1.0),
    ),
    (
        {"type": "int", "comparator": "Numeric", "threshold": 0.9, "weight": 0, "clip_under_threshold": False},
        ("Numeric", 0.9, False, 0.0),
    ),
    ({"type": "List[str]", "comparator": "Fuzzy", "weight": 2}, ("Fuzzy", 0.5, True, 2.0)),
    ({"type": "Optional[List[int]]", "comparator": "Numeric"}, ("Numeric", 0.5, True, 1.0)),
    ({"type": "Dict[str, Any]", "comparator": "ANLSStar"}, ("ANLSStar", 0.5, True, 1.0)),
    ({"type": "Tuple[int, int]", "comparator": "Exact"}, ("Exact", 0.5, True, 1.0)),
    ({"type": "Union[str, int]", "comparator": "Exact"}, ("Exact", 0.5, True, 1.0)),
    ({"type": "Any", "comparator": "Exact"}, ("Exact", 0.5, True, 1.0)),
    ({"type": "bytes", "comparator": "Exact"}, ("Exact", 0.5, True, 1.0)),
    ({"type": "float", "comparator": "auto"}, ("Numeric", 0.95, True, 1.0)),
    (
        {"type": "float", "comparator": "auto", "comparator_config": {"relative_tolerance": 0.5}, "threshold": 0.3},
        ("Numeric", 0.3, True, 1.0),
    ),
]


@pytest.mark.parametrize(("config", "row"), FIELD_CONFIGS, ids=lambda v: str(v)[:60])
def test_what_a_config_field_resolves_to(config: Schema, row: Row) -> None:
    """Config: the threshold is 0.5 whatever the comparator, even where its settings name one."""
    assert row_of(Spec.from_config(config_of(f=config), defaults="stickler"), "f") == row


def test_what_config_models_resolve_to() -> None:
    """A structured model has the threshold 0.7, its class is named after the field, its items pair at 0.3."""
    inner = {"a": {"type": "str", "comparator": "Exact"}}
    spec = Spec.from_config(
        config_of(
            part={"type": "structured_model", "fields": inner},
            parts={"type": "list_structured_model", "fields": inner, "match_threshold": 0.3, "threshold": 0.9},
            maybe={"type": "optional_structured_model", "fields": inner, "threshold": 0.2, "weight": 2},
        )
    )
    fields = spec.resolved().root.fields
    part, parts, maybe = (object_of(fields[name]) for name in ("part", "parts", "maybe"))
    assert (part.threshold, part.clip, part.match_threshold, part.name) == (0.7, True, 0.3, "PartModel")
    assert (parts.match_threshold, parts.name) == (0.3, "PartsModel")
    assert (maybe.threshold, maybe.weight) == (0.2, 2.0)


def test_a_config_infers_what_is_not_specified_where_it_says_so() -> None:
    """`infer_unspecified_fields` makes the comparator optional."""
    config = config_of(
        total={"type": "float"}, rows={"type": "list_structured_model", "fields": {"sku": {"type": "str"}}}
    )
    spec = Spec.from_config({**config, "infer_unspecified_fields": True})
    assert row_of(spec, "total") == ("Numeric", 0.95, True, 1.0)
    assert leaf_of(object_of(spec.resolved().root.fields["rows"]).fields["sku"]).threshold == 1.0
    with pytest.raises(SettingError, match="comparator"):
        Spec.from_config(config)


# Plain classes and samples


class Inferred(BaseModel):
    flag: bool
    colour: Colour
    choice: Literal["a", "b"]
    moment: dt.datetime
    day: dt.date
    whole: int
    real: float
    money: Decimal
    text: str
    free: dict[str, Any]
    pair: tuple[int, int]
    several: set[str]
    anything: Any
    either: int | str
    texts: list[str]
    reals: list[float]
    phone: str
    zip_code: str
    customer_id: str
    order_ref: int
    email: str
    amount: float
    totals: list[float]
    quantity: int
    dueDate: dt.date  # noqa: N815  # camel case is read too
    vendorName: str  # noqa: N815
    street: str
    notes: str
    total: str


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


@pytest.mark.parametrize(
    ("values", "row"),
    [
        ({"active": [True, False]}, ("Exact", 1.0, True, 1.0)),
        ({"age": [1, 2]}, ("Amount", 1.0, True, 1.0)),
        ({"ratio": [1, 2.5]}, ("Amount", 1.0, True, 1.0)),
        ({"title": ["alpha beta", "gamma"]}, ("Text", 0.8, True, 1.0)),
        ({"serial": ["AB-1", "AB-2"]}, ("Code", 1.0, True, 1.0)),
        ({"when": ["2024-01-15", "2024-02-01"]}, ("Date", 1.0, True, 1.0)),
        ({"seen": ["2024-01-15T10:00", "2024-01-15T10:00:05Z"]}, ("Date", 1.0, True, 1.0)),
        ({"due": ["Jan 15, 2024", "15.01.2024"]}, ("Date", 1.0, True, 1.0)),
        ({"total": ["$1,200.50", "3.10"]}, ("Amount", 1.0, True, 1.0)),
        ({"total": [10.5, None]}, ("Amount", 1.0, True, 1.0)),
        ({"box": [[0, 0, 1, 1]]}, ("BBoxIoU", 0.5, True, 1.0)),
        ({"sizes": [[1, 2], [3]]}, ("Amount", 1.0, True, 1.0)),
        ({"customer name": ["Ann"]}, ("Text", 0.85, True, 1.0)),
        ({"never": [None, ""]}, ("Exact", 1.0, True, 1.0)),
    ],
)
def test_what_is_inferred_from_samples(values: dict[str, list[Json]], row: Row) -> None:
    """Samples show what the values of a field are."""
    ((name, column),) = values.items()
    assert row_of(Spec.infer([{name: value} for value in column]), name) == row


@pytest.mark.parametrize("samples", [[], [None], [1, "x"], [[]], [{}]])
def test_nothing_can_be_inferred_from_no_object(samples: list[Json]) -> None:
    """Samples without a single field are refused, saying what came."""
    with pytest.raises(InputError, match="at least one JSON object"):
        Spec.infer(samples)


@pytest.mark.parametrize("infer", ["key", "auto"])
def test_a_schema_is_inferred_where_it_says_so(infer: str) -> None:
    """Inference as in stickler-eval is asked for by a key of the object, or field by field; explicit keys win."""
    schema = schema_of(total={"type": "number"}, kept={"type": "string", f"{KEY}comparator": "Exact"})
    if infer == "key":
        schema[f"{KEY}infer-unspecified"] = True
    if infer == "auto":
        schema["properties"]["total"][f"{KEY}comparator"] = "auto"
    spec = Spec.from_json_schema(schema, defaults="stickler")
    assert row_of(spec, "total") == ("Numeric", 0.95, True, 1.0)
    assert row_of(spec, "kept") == ("Exact", 0.5, True, 1.0)


def test_inference_is_inherited_and_can_be_switched_off_below() -> None:
    """`infer-unspecified` of an object holds for the objects in it that do not say otherwise."""
    inner = schema_of(total={"type": "number"})
    schema = {**schema_of(on=inner, off={**inner, f"{KEY}infer-unspecified": False}), f"{KEY}infer-unspecified": True}
    fields = Spec.from_json_schema(schema, defaults="stickler").resolved().root.fields
    assert leaf_of(object_of(fields["on"]).fields["total"]).threshold == 0.95
    assert leaf_of(object_of(fields["off"]).fields["total"]).threshold == 0.5


# Round trips


class Line(StructuredModel):
    match_threshold = 0.4

    sku: str = ComparableField(comparator=ExactComparator(case_sensitive=False), threshold=1.0)
    price: float = ComparableField(comparator=NumericComparator(absolute_tolerance=0.5), weight=0)
    note: str | None = None


class Invoice(StructuredModel):
    """Every shape that a class can declare."""

    number: str = ComparableField(comparator=ExactComparator(), alias="Invoice Number", description="as printed")
    total: Decimal = ComparableField(weight=2.0, threshold=0.9, default=Decimal("0"))
    day: dt.date = ComparableField(comparator=DateComparator(tolerance=2), examples=["2024-01-15"])
    colour: Colour = ComparableField()
    key: uuid.UUID = ComparableField()
    free: dict[str, Any] = ComparableField(clip_under_threshold=True)
    frees: list[dict[str, Any]] = ComparableField()
    pair: tuple[int, int] = ComparableField()
    anything: Any = ComparableField(comparator=ExactComparator())
    box: list[float] = ComparableField(comparator=BBoxIoUComparator())
    boxes: list[list[float]] = ComparableField(comparator=BBoxIoUComparator())
    tags: list[str] = ComparableField(order="sequence", alternates=True)
    either: int | str = ComparableField(threshold=0.3)
    first: Line = ComparableField(threshold=0.2, weight=3.0, clip_under_threshold=False)
    lines: list[Line] = ComparableField(key="sku", order="position", weight=0.5)
    bare: str | None = None


class Tree(StructuredModel):
    label: str = ComparableField(weight=2.0)
    children: list[Tree] = ComparableField()
    twin: Optional[Tree] = ComparableField(weight=3.0)  # noqa: UP045  # as users write it


@dataclasses.dataclass
class Order:
    order_id: str
    total: float
    lines: list[Plain]
    parent: Plain | None = None


class PlainTree(BaseModel):
    name: str
    children: list[PlainTree] = []


RECURSIVE = {
    **schema_of(v={"type": "string"}, kids={"type": "array", "items": {"$ref": "#"}}, twin={"$ref": "#"}),
    f"{KEY}match-threshold": 0.4,
}
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


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.too_slow])
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


# Schema features


def kinds(spec: Spec) -> dict[str, str]:
    """The kinds of the top-level fields in words."""
    words: dict[str, str] = {}
    for name, node in spec.root.fields.items():
        match node:
            case Leaf():
                words[name] = node.kind
            case Object():
                words[name] = f"object of {', '.join(node.fields)}"
            case ListOf():
                words[name] = f"list of {node.item.kind if isinstance(node.item, Leaf) else 'objects'}"
            case OneOf():
                words[name] = f"one of {len(node.arms)}"
            case Ref():
                words[name] = "ref"
    return words


ADDRESS = schema_of(city={"type": "string"}, zip={"type": "string"})


@pytest.mark.parametrize(
    ("schema", "words"),
    [
        ({**schema_of(a={"$ref": "#/$defs/A"}), "$defs": {"A": ADDRESS}}, "object of city, zip"),
        ({**schema_of(a={"$ref": "#/definitions/A"}), "definitions": {"A": ADDRESS}}, "object of city, zip"),
        ({**schema_of(a={"$ref": "#/$defs/A"}), "$defs": {"A": {"$ref": "#/$defs/B"}, "B": ADDRESS}}, "object of city"),
        ({**schema_of(a={"$ref": "#/properties/b"}, b={"type": "integer"})}, "integer"),
        (schema_of(a={"allOf": [ADDRESS, schema_of(country={"type": "string"})]}), "object of country, city, zip"),
        ({**schema_of(a={"allOf": [{"$ref": "#/$defs/A"}]}), "$defs": {"A": ADDRESS}}, "object of city, zip"),
        ({**schema_of(a={"allOf": [{"$ref": "#/$defs/S"}]}), "$defs": {"S": {"enum": ["x"]}}}, "choice"),
        (schema_of(a={"anyOf": [ADDRESS, {"type": "null"}]}), "object of city, zip"),
        ({**schema_of(a={"anyOf": [{"$ref": "#/$defs/A"}, {"type": "null"}]}), "$defs": {"A": ADDRESS}}, "object of"),
        (schema_of(a={"oneOf": [ADDRESS, {"type": "string"}]}), "one of 2"),
        (schema_of(a={"type": ["array", "null"], "items": {"type": "string"}}), "list of string"),
        (schema_of(a={"type": ["object", "string"], "properties": {"x": {"type": "string"}}}), "one of 2"),
        (schema_of(a={"properties": {"x": {"type": "string"}}}), "object of x"),
        (schema_of(a={"type": "object", "additionalProperties": False}), "free"),
        (schema_of(a={"enum": [1, 2]}), "choice"),
        (schema_of(a={"const": "x"}), "choice"),
        (schema_of(a={"type": "string", "format": "date-time"}), "datetime"),
        (schema_of(a={"type": "string", "format": "uuid"}), "text_format"),
        (schema_of(a={"type": "array", "items": ADDRESS}), "list of objects"),
        (
            schema_of(a={"type": "array", "items": {"type": "number"}, f"{KEY}comparator": "BBoxIoU"}),
            "box",
        ),
        (
            schema_of(
                a={
                    "type": "array",
                    "items": {"type": "array", "items": {"type": "number"}},
                    f"{KEY}comparator": "BBoxIoU",
                }
            ),
            "list of box",
        ),
    ],
    ids=str,
)
def test_schema_features(schema: Schema, words: str) -> None:
    """References, combiners, choices and formats are read for what they hold."""
    assert kinds(Spec.from_json_schema(schema))["a"].startswith(words)


def test_a_root_may_be_a_reference_or_put_together() -> None:
    """pydantic writes recursive roots as a reference; allOf merges at the root too."""
    by_ref = {"$ref": "#/$defs/A", "$defs": {"A": ADDRESS}}
    merged = {"allOf": [ADDRESS, schema_of(name={"type": "string"})]}
    assert kinds(Spec.from_json_schema(by_ref)) == {"city": "string", "zip": "string"}
    assert set(kinds(Spec.from_json_schema(merged))) == {"city", "zip", "name"}


@pytest.mark.parametrize(
    "schema",
    [
        RECURSIVE,
        {
            **schema_of(twin={"$ref": "#/$defs/N"}),
            "$defs": {"N": schema_of(v={"type": "string"}, twin={"$ref": "#/$defs/N"})},
        },
        PlainTree.model_json_schema(),
    ],
    ids=["root", "definition", "pydantic"],
)
def test_recursive_schemas_are_compared_as_deep_as_documents_go(schema: Schema) -> None:
    """A definition that holds itself is followed wherever both documents go; a difference is found at its path."""
    plan = Plan.compile(Spec.from_json_schema(schema))
    kids = "kids" if "kids" in str(schema) else "twin" if "twin" in str(schema) else "children"
    many = kids != "twin"
    leaf = "name" if kids == "children" else "v"

    def chain(last: str) -> Json:
        document: Json = {leaf: last}
        for _ in range(5):
            document = {leaf: "node", kids: [document] if many else document}
        return document

    verdicts = plan.compare(chain("end"), chain("else")).verdicts
    wrong = [v.path for v in verdicts if v.outcome.value == "fd" and v.path.endswith(leaf)]
    step = f"{kids}[0]" if many else kids
    assert wrong == [".".join([step] * 5 + [leaf])]


def test_keys_beside_a_reference_win() -> None:
    """What stands beside `$ref` overrides what the definition says."""
    schema = {
        **schema_of(a={"$ref": "#/$defs/S", f"{KEY}threshold": 0.9}, b={"$ref": "#/$defs/S"}),
        "$defs": {"S": {"type": "string", f"{KEY}threshold": 0.3}},
    }
    spec = Spec.from_json_schema(schema)
    assert (row_of(spec, "a")[1], row_of(spec, "b")[1]) == (0.9, 0.3)


# Refusals

STRING = {"type": "string"}
REFUSED_SCHEMAS: dict[str, tuple[Schema, str, str]] = {
    "patternProperties": (
        schema_of(a={"type": "object", "patternProperties": {"^x": STRING}}),
        "$.a",
        "patternProperties",
    ),
    "untyped property": (schema_of(a={"description": "x"}), "$.a", "no type"),
    "array without items": (schema_of(a={"type": "array"}), "$.a", "items"),
    "empty properties": (schema_of(a=schema_of()), "$.a", "no properties"),
    "empty root": (schema_of(), "$", "no properties"),
    "root is no object": ({"type": "string"}, "$", "root"),
    "remote reference": (schema_of(a={"$ref": "https://example.org/a.json"}), "$.a", "within the schema"),
    "dangling reference": (schema_of(a={"$ref": "#/$defs/none"}), "$.a", "leads nowhere"),
    "allOf in a circle": (
        {**schema_of(a={"allOf": [{"$ref": "#/$defs/A"}]}), "$defs": {"A": {"allOf": [{"$ref": "#/$defs/A"}]}}},
        "$.a",
        "refers to itself",
    ),
    "siblings of a combiner": (schema_of(a={"anyOf": [STRING, {"type": "null"}], "properties": {}}), "$.a", "beside"),
    "bad type": (schema_of(a={"type": "text"}), "$.properties.a.type", "Not a valid JSON Schema"),
    "bad model name": ({**schema_of(a=STRING), f"{KEY}model-name": "two words"}, "$", "identifier"),
    "bad match threshold": ({**schema_of(a=STRING), f"{KEY}match-threshold": 1.5}, "$", "0 to 1"),
    "threshold above 1": (schema_of(a={**STRING, f"{KEY}threshold": 2}), "$.a", "0 to 1"),
    "threshold as text": (schema_of(a={**STRING, f"{KEY}threshold": "0.5"}), "$.a", "0 to 1"),
    "threshold true": (schema_of(a={**STRING, f"{KEY}threshold": True}), "$.a", "0 to 1"),
    "weight 0": (schema_of(a={**STRING, f"{KEY}weight": 0}), "$.a", "above 0"),
    "negative weight": (schema_of(a={**STRING, f"{KEY}weight": -1}), "$.a", "0 or more"),
    "negative own weight": (schema_of(a={**STRING, "x-fieldwise-weight": -1}), "$.a", "0 or more"),
    "clip as text": (schema_of(a={**STRING, f"{KEY}clip-under-threshold": "yes"}), "$.a", "true or false"),
    "misspelt key": (schema_of(a={**STRING, f"{KEY}treshold": 0.5}), "$.a", "did you mean 'x-aws-stickler-threshold'"),
    "old prefix": (schema_of(a={**STRING, "x-stickler-weight": 1}), "$.a", "did you mean"),
    "our key under their prefix": (schema_of(a={**STRING, f"{KEY}alternates": True}), "$.a", "Unknown schema key"),
    "field key at the root": ({**schema_of(a=STRING), f"{KEY}threshold": 0.5}, "$", "no meaning on the root"),
    "object key on a value": (schema_of(a={**STRING, f"{KEY}match-threshold": 0.5}), "$.a", "no meaning on a value"),
    "key on list items": (
        schema_of(a={"type": "array", "items": {**STRING, f"{KEY}threshold": 0.5}}),
        "$.a[]",
        "no meaning on list items",
    ),
    "order on a value": (schema_of(a={**STRING, "x-fieldwise-order": "any"}), "$.a", "no meaning on a value"),
    "unknown order": (
        schema_of(a={"type": "array", "items": STRING, "x-fieldwise-order": "positon"}),
        "$.a",
        "did you mean 'position'",
    ),
    "unknown list key": (
        schema_of(a={"type": "array", "items": ADDRESS, "x-fieldwise-key": ["citty"]}),
        "$.a",
        "did you mean 'city'",
    ),
    "unknown kind": (schema_of(a={"x-fieldwise-kind": "strin"}), "$.a", "did you mean 'string'"),
    "ill-fitting comparator": (
        schema_of(a={"type": "object", f"{KEY}comparator": "Numeric"}),
        "$.a",
        "cannot compare objects",
    ),
    "ill-fitting list comparator": (
        schema_of(a={"type": "array", "items": {"type": "object"}, f"{KEY}comparator": "Date"}),
        "$.a",
        "cannot compare objects",
    ),
    "comparator of an object": (schema_of(a={**ADDRESS, f"{KEY}comparator": "Exact"}), "$.a", "field by field"),
    "comparator of a list of objects": (
        schema_of(a={"type": "array", "items": ADDRESS, f"{KEY}comparator": "Exact"}),
        "$.a",
        "field by field",
    ),
    "threshold of a list of objects": (
        schema_of(a={"type": "array", "items": ADDRESS, f"{KEY}threshold": 0.9}),
        "$.a",
        "match-threshold",
    ),
    "unknown comparator": (schema_of(a={**STRING, f"{KEY}comparator": "Levenstein"}), "$.a", "LevenshteinComparator"),
    "unknown comparator setting": (
        schema_of(a={**STRING, f"{KEY}comparator": "Exact", f"{KEY}comparator-config": {"case_sensitiv": True}}),
        "$.a",
        "did you mean 'case_sensitive'",
    ),
    "bad comparator setting": (
        schema_of(a={**STRING, f"{KEY}comparator": "Fuzzy", f"{KEY}comparator-config": {"method": "best"}}),
        "$.a",
        "method",
    ),
    "settings without comparator": (
        schema_of(a={**STRING, f"{KEY}comparator-config": {"normalize": False}}),
        "$.a",
        "without `comparator`",
    ),
    "deep inside": (
        schema_of(a={"type": "array", "items": schema_of(b={**STRING, f"{KEY}threshold": -1})}),
        "$.a[].b",
        "0 to 1",
    ),
}


REFUSED_BY_PEER = {"untyped property", "array without items", "key on list items"}
"""What only code written for stickler-eval is refused; elsewhere values decide, and a key may be on the items."""


@pytest.mark.parametrize("name", REFUSED_SCHEMAS)
def test_wrong_schemas_are_refused_with_their_path(name: str) -> None:
    """A schema that cannot be compared is a SettingError, which is a ValueError, and names the place."""
    schema, path, words = REFUSED_SCHEMAS[name]
    with pytest.raises(SettingError, match=words) as caught:
        Spec.from_json_schema(schema, defaults="stickler" if name in REFUSED_BY_PEER else "fieldwise")
    assert caught.value.path == path
    assert path in str(caught.value)
    with pytest.raises(ValueError, match=words):
        StructuredModel.from_json_schema(schema)


EXACT = {"type": "str", "comparator": "Exact"}
REFUSED_CONFIGS: dict[str, tuple[Json, str, str]] = {
    "no fields": ({}, "$", "fields"),
    "empty fields": (config_of(), "$", "at least one field"),
    "no config": ([], "$", "config object"),
    "unknown model key": ({**config_of(a=EXACT), "match_treshold": 0.5}, "$", "did you mean 'match_threshold'"),
    "bad model name": ({**config_of(a=EXACT), "model_name": "two words"}, "$", "identifier"),
    "bad nested model name": (
        config_of(a={"type": "structured_model", "model_name": "two words", "fields": {"b": EXACT}}),
        "$.fields.a",
        "identifier",
    ),
    "bad match threshold": ({**config_of(a=EXACT), "match_threshold": 2}, "$", "0 to 1"),
    "field is no object": (config_of(a="str"), "$.fields.a", "Expected an object"),
    "no type": (config_of(a={"comparator": "Exact"}), "$.fields.a", "type"),
    "unknown type": (config_of(a={"type": "strr", "comparator": "Exact"}), "$.fields.a", "did you mean 'str'"),
    "unknown key": (config_of(a={**EXACT, "tresholdd": 0.5}), "$.fields.a", "did you mean 'threshold'"),
    "no comparator": (config_of(a={"type": "str"}), "$.fields.a", "comparator"),
    "unknown comparator": (config_of(a={"type": "str", "comparator": "Exakt"}), "$.fields.a", "ExactComparator"),
    "unknown comparator setting": (
        config_of(a={**EXACT, "comparator_config": {"cas": 1}}),
        "$.fields.a",
        "no setting 'cas'",
    ),
    "comparator of a model": (
        config_of(a={"type": "structured_model", "comparator": "Exact", "fields": {"b": EXACT}}),
        "$.fields.a",
        "no `comparator`",
    ),
    "model without fields": (config_of(a={"type": "structured_model"}), "$.fields.a", "fields"),
    "bad threshold": (config_of(a={**EXACT, "threshold": -0.1}), "$.fields.a", "0 to 1"),
    "negative weight": (config_of(a={**EXACT, "weight": -1}), "$.fields.a", "0 or more"),
    "bad clip": (config_of(a={**EXACT, "clip_under_threshold": 1}), "$.fields.a", "true or false"),
    "ill-fitting comparator": (
        config_of(a={"type": "dict", "comparator": "Phone"}),
        "$.fields.a",
        "cannot compare objects",
    ),
    "deep inside": (
        config_of(a={"type": "list_structured_model", "fields": {"b": {**EXACT, "threshold": 7}}}),
        "$.fields.a.fields.b",
        "0 to 1",
    ),
}


@pytest.mark.parametrize("name", REFUSED_CONFIGS)
def test_wrong_configs_are_refused_with_their_path(name: str) -> None:
    """A config that cannot be compared is a SettingError, which is a ValueError, and names the place."""
    config, path, words = REFUSED_CONFIGS[name]
    with pytest.raises(SettingError, match=words) as caught:
        Spec.from_config(config)
    assert caught.value.path == path
    with pytest.raises(ValueError, match=words):
        StructuredModel.model_from_json(config)


def test_foreign_keywords_pass() -> None:
    """JSON Schema keywords that say nothing about comparing are left alone."""
    schema = {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        **schema_of(a={"type": "string", "pattern": "^a", "x-other-tool": 1, "deprecated": True}),
        "additionalProperties": False,
    }
    assert kinds(Spec.from_json_schema(schema)) == {"a": "string"}


# A plan in words


@pytest.mark.parametrize(
    ("spec", "line"),
    [
        (
            Invoice.spec,
            "Invoice Number exact 0.5 1 comparator: ComparableField; threshold: default of ComparableField for string",
        ),
        (
            Invoice.spec,
            "lines list of objects, by sku, then by position 0.4 0.5"
            " match threshold of the items; weight: ComparableField",
        ),
        (
            Bare.spec,
            "text levenshtein 0.6 1"
            " comparator: default of a bare annotation for string; threshold: match_threshold of the class",
        ),
        (
            Declared.spec,
            "from_comparator levenshtein 0.9 1 comparator: ComparableField; threshold: given to the comparator",
        ),
        (
            lambda: Spec.from_json_schema(schema_of(a=STRING), defaults="stickler"),
            "a levenshtein 0.5 1 default of JSON Schema for string",
        ),
        (
            lambda: Spec.from_json_schema(schema_of(a={**STRING, f"{KEY}threshold": 0.9}), defaults="stickler"),
            "a levenshtein 0.9 1 comparator: default of JSON Schema for string; threshold: schema key threshold",
        ),
        (
            lambda: Spec.from_json_schema(schema_of(a={**STRING, f"{KEY}threshold": 0.9})),
            "a text 0.9 1 comparator: inferred: the type is text; threshold: schema key threshold",
        ),
        (
            lambda: Spec.from_json_schema(schema_of(a={**STRING, f"{KEY}comparator": "Levenshtein"})),
            "a levenshtein 0.8 1 comparator: schema key comparator; threshold: default of LevenshteinComparator",
        ),
        (
            lambda: Spec.from_config(config_of(a={**EXACT, "threshold": 1})),
            "a exact 1 1 config",
        ),
        (lambda: Spec.infer([{"total": 1.5}]), "total number 1 1 inferred: the values are numbers"),
        (lambda: Spec.infer([{"total": "1.5"}]), "total number 1 1 inferred: the name contains 'total'"),
        (lambda: Spec.from_pydantic(Inferred), "total number 1 1 inferred: the name contains 'total'"),
        (
            lambda: Spec.from_pydantic(Inferred, defaults="stickler"),
            "total levenshtein 0.7 1"
            " inferred: the type is text; the name contains 'total', which does not fit the type",
        ),
        (Tree.spec, "twin the same definition again 3 recursive reference"),
    ],
)
def test_a_plan_cites_where_each_setting_came_from(spec: Callable[[], Spec], line: str) -> None:
    """`print(plan)` has a line for every path, with the source of its settings."""
    lines = [" ".join(shown.split()) for shown in str(Plan.compile(spec())).splitlines()]
    assert line in lines
    assert lines[0] == "path compared as threshold weight because"


# Hard names

HARD_NAMES = (
    "compare",
    "compare_with",
    "copy",
    "copy_",
    "json",
    "schema",
    "fields",
    "extra_fields",
    "match_threshold",
    "plan",
    "_x",
    "x",
    "_source",
    "__class__",
    "model_name",
    "model_fields",
    "model_config",
    "Invoice Number",
    "a.b",
    "x[0]",
    "back\\slash",
    "class",
    "None",
    "self",
    "cls",
    "1st",
    "",
    " ",
    "été",
    "数量",
    "🙂",
    "description",
    "required",
    "default",
    "type",
    "properties",
    "$ref",
    "value",
    "any_of",
)
HARD = schema_of(**{name: {"type": "string", f"{KEY}comparator": "Exact"} for name in HARD_NAMES})


HARD_MODEL = StructuredModel.from_json_schema(HARD)


def hard_document() -> dict[str, str]:
    return {name: f"value {k}" for k, name in enumerate(HARD_NAMES)}


@pytest.mark.parametrize("name", HARD_NAMES)
def test_every_json_key_works_as_a_field(name: str) -> None:
    """Models and plans find the one wrong value under its JSON name, and nothing else."""
    model = HARD_MODEL
    expected, predicted = hard_document(), {**hard_document(), name: "other"}
    scores = {n: float(n != name) for n in HARD_NAMES}
    by_model = model.from_json(expected).compare_with(model.from_json(predicted), document_non_matches=True)
    by_plan = Plan.compile(Spec.from_json_schema(HARD)).compare(expected, predicted)
    assert by_model["field_scores"] == scores
    assert by_plan.to_dict()["field_scores"] == scores
    assert [entry["field_path"] for entry in by_model["non_matches"]] == [name]
    assert [v.expected for v in by_plan.verdicts if v.outcome.value == "fd"] == [expected[name]]
    assert model.from_json(expected).extra_fields == {}


@pytest.mark.parametrize("name", HARD_NAMES)
def test_a_key_is_never_taken_for_another(name: str) -> None:
    """A document with one key fills one field, however the attributes of the class had to be renamed."""
    model = HARD_MODEL
    made = model.from_json({name: "v"})
    counts = made.compare_with(model.from_json({name: "v"}), include_confusion_matrix=True)["confusion_matrix"][
        "overall"
    ]
    assert (counts["tp"], counts["fa"], counts["tn"]) == (1, 0, len(HARD_NAMES) - 1)
    assert made.compare_field_raw(name, "v") == 1.0


def test_hard_names_come_back() -> None:
    """Names of any kind survive both exports."""
    spec = Spec.from_json_schema(HARD)
    assert fingerprint(Spec.from_json_schema(spec.to_json_schema())) == fingerprint(spec)
    assert fingerprint(Spec.from_config(spec.to_config())) == fingerprint(spec)


@pytest.mark.parametrize("name", HARD_NAMES)
def test_hard_names_of_objects_and_lists(name: str) -> None:
    """A hard name works for nested objects and lists of them, and in what a class exports."""
    schema = schema_of(**{name: {"type": "array", "items": schema_of(**{name: schema_of(**{name: STRING})})}})
    model = StructuredModel.from_json_schema(schema)
    document = {name: [{name: {name: "deep"}}]}
    result = model.from_json(document).compare_with(model.from_json(document), include_confusion_matrix=True)
    assert result["overall_score"] == 1.0
    inner = result["confusion_matrix"]["fields"][name]["fields"][name]["fields"][name]
    assert inner["overall"]["tp"] == 1
    for back in (model.to_json_schema(), Spec.from_config(model.to_stickler_config()).to_json_schema()):
        assert StructuredModel.from_json_schema(back).plan().fingerprint() == model.plan().fingerprint()


def test_paths_of_hard_names_are_escaped_and_can_be_given_back() -> None:
    """Dots and brackets in a name are escaped in our paths; alternates read such paths."""
    schema = schema_of(**{"a.b": {"type": "array", "items": schema_of(**{"x[0]": STRING})}})
    plan = Plan.compile(Spec.from_json_schema(schema))
    expected, predicted = {"a.b": [{"x[0]": "alpha"}]}, {"a.b": [{"x[0]": "zzzzz"}]}
    (verdict,) = plan.compare(expected, predicted).verdicts
    assert verdict.path == r"a\.b[0].x\[0]"
    assert plan.compare(expected, predicted, alternates={verdict.path: ["zzzzz"]}).score == 1.0


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
