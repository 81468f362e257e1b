"""Declarations of all ways in, and how tests look at what they resolve to."""

from __future__ import annotations

import dataclasses
import datetime as dt
import enum
import uuid
from decimal import Decimal
from typing import Any, Literal, Optional

from pydantic import BaseModel

from fieldwise import (
    ANLSStarComparator,
    BBoxIoUComparator,
    ComparableField,
    DateComparator,
    ExactComparator,
    FuzzyComparator,
    LevenshteinComparator,
    NumericComparator,
    Plan,
    Spec,
    StructuredModel,
)
from fieldwise.spec import Leaf, ListOf, Node, Object, OneOf
from fieldwise.values import Json

Schema = dict[str, Any]


Row = tuple[str, float, bool, float]
"""Comparator, threshold, clip, weight."""


KEY = "x-aws-stickler-"


STRING = {"type": "string"}


EXACT = {"type": "str", "comparator": "Exact"}


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


class Nested(StructuredModel):
    part: Part = ComparableField()
    strict: Part = ComparableField(threshold=0.95, weight=2.0, clip_under_threshold=False)
    bare: Part | None = None
    parts: list[Part] = ComparableField(weight=3.0)


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
