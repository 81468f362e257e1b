"""Where settings come from: declared, a row of the defaults, or inferred; a plan says which."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from fieldwise import (
    Plan,
    Spec,
)
from tests.spec.samples import EXACT, KEY, STRING, Bare, Declared, Inferred, Invoice, Tree, config_of, schema_of


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
