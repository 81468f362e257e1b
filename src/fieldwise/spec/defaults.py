"""The one table of defaults: what a field gets that declares nothing, by the way it was declared and its kind.

``print(plan)`` cites these rows. Python declarations, JSON Schema and config differ on purpose:
code written for each of them finds the numbers that it is used to.
"""

from __future__ import annotations

from dataclasses import dataclass

from fieldwise.comparators import BaseComparator, build
from fieldwise.spec.nodes import Kind, Origin

MATCH_THRESHOLD = 0.7
WEIGHT = 1.0


@dataclass(frozen=True)
class Default:
    """One row: comparator by name, threshold, and whether scores below the threshold become 0."""

    comparator: str
    threshold: float
    clip: bool

    def build(self) -> BaseComparator:
        return build(self.comparator)


_LEVENSHTEIN = Default("Levenshtein", 0.5, True)
_TYPED: dict[Kind, Default] = {
    "date": Default("Date", 0.5, True),
    "datetime": Default("Date", 0.5, True),
    "decimal": Default("Numeric", 0.5, True),
    "choice": Default("Exact", 0.5, True),
    "text_format": Default("Exact", 0.5, True),
    "free": Default("ANLSStar", 0.5, False),
    "box": Default("BBoxIoU", 0.5, True),
}
_PYTHON: dict[Kind, Default] = {
    **dict.fromkeys(("string", "integer", "number", "boolean", "any"), _LEVENSHTEIN),
    **_TYPED,
}
_SCHEMA: dict[Kind, Default] = {
    "string": _LEVENSHTEIN,
    "integer": Default("Numeric", 0.5, True),
    "number": Default("Numeric", 0.5, True),
    "decimal": Default("Numeric", 0.5, True),
    "boolean": Default("Exact", 0.5, True),
    "date": Default("Date", 1.0, True),
    "datetime": Default("Date", 1.0, True),
    "text_format": Default("Exact", 1.0, True),
    "choice": Default("Exact", 1.0, True),
    "any": Default("Exact", 1.0, True),
    "free": Default("Exact", 1.0, True),
    "box": Default("BBoxIoU", 0.5, True),
}
LEAF: dict[Origin, dict[Kind, Default]] = {
    "field": _PYTHON,
    "bare": _PYTHON,
    "schema": _SCHEMA,
    "config": {**_PYTHON, "free": Default("ANLSStar", 0.5, True)},
    "inferred": _SCHEMA,
    "open": _SCHEMA,
}
"""Comparator, threshold and clip of a leaf. A bare annotation takes its class's match_threshold as threshold."""

NESTED_THRESHOLD: dict[Origin, float] = {
    "field": 0.5,
    "bare": 0.9,
    "schema": 0.7,
    "config": 0.7,
    "inferred": 0.7,
    "open": 0.7,
}
"""Threshold of the verdict on a nested object."""

LIST_THRESHOLD: dict[Origin, float] = {
    "field": 0.5,
    "bare": 0.9,
    "schema": 0.5,
    "config": 0.5,
    "inferred": 0.5,
    "open": 0.5,
}
"""Threshold of a list of objects where it stands in a row as one of its fields."""

ORIGIN_WORDS: dict[Origin, str] = {
    "field": "default of ComparableField",
    "bare": "default of a bare annotation",
    "schema": "default of JSON Schema",
    "config": "default of config",
    "inferred": "inferred",
    "open": "default",
}
