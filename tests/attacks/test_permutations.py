"""A fixed part of the attack on the order of items, and cases that it found."""

from __future__ import annotations

from typing import Any

import pytest

from tests.attacks.permutations import Case, difference, part

TEXT = {"type": "string", "x-fieldwise-comparator": "Levenshtein"}


def rows_of(fields: dict[str, Any], **settings: Any) -> dict[str, Any]:
    rows = {"type": "array", "items": {"type": "object", "properties": fields}, **settings}
    return {"type": "object", "properties": {"rows": rows}}


@pytest.mark.parametrize("seed", [101, 102])
def test_moved_items_change_nothing(seed: int) -> None:
    """No count, score or verdict depends on the order of items, with ties and blocks."""
    assert part(seed, 150)[1] is None


FOUND: list[tuple[dict[str, Any], list[Any], list[Any], list[Any], dict[str, int]]] = [
    (
        rows_of({"sku": TEXT, "qty": {"type": "number"}}),
        [{"sku": "A1"}],
        [{"sku": "C3", "qty": 2}, {"qty": 2}],
        [1, 0],
        {},
    ),
    (
        rows_of({"sku": TEXT}, **{"x-fieldwise-key": "sku"}),
        [{"sku": "A", "more": 1}],
        [{"sku": "A", "new": 1}, {"sku": "A"}],
        [1, 0],
        {},
    ),
    (
        rows_of({"sku": TEXT}),
        [{"sku": "A1"}, {"sku": "B1"}, {"sku": "C1"}],
        [{"sku": "C2"}, {"sku": "A2"}, {"sku": "B2"}],
        [2, 0, 1],
        {"max_cells": 3},
    ),
    (
        rows_of({"in": {"type": "array", "items": TEXT}, "sku": TEXT}),
        [{"in": ["x"], "sku": "bolt"}],
        [{"in": ["x", "y", "z"], "sku": "nut"}, {"in": ["y", "z", "x"], "sku": "nuts"}],
        [1, 0],
        {"max_cells": 1},
    ),
]


@pytest.mark.parametrize(("schema", "expected", "predicted", "order", "limits"), FOUND)
def test_cases_that_depended_on_order(
    schema: dict[str, Any], expected: list[Any], predicted: list[Any], order: list[int], limits: dict[str, int]
) -> None:
    """Rows that tie, repeat a key, or are in other blocks pair by their content."""
    here = Case(schema, {"rows": expected}, {"rows": predicted}, limits, {})
    there = Case(schema, {"rows": expected[::-1]}, {"rows": [predicted[k] for k in order]}, limits, {})
    assert difference(here, there) is None


def test_confidences_decide_between_items_that_are_the_same() -> None:
    """Of two predicted rows that differ in their confidence only, the same one has the partner in either order."""
    sure, unsure = ({"sku": {"_value": "A1", "_confidence": value}} for value in (0.9, 0.2))
    schema = rows_of({"sku": TEXT})
    here = Case(schema, {"rows": [{"sku": "A1"}]}, {"rows": [sure, unsure]}, {}, {})
    there = Case(schema, {"rows": [{"sku": "A1"}]}, {"rows": [unsure, sure]}, {}, {})
    assert difference(here, there) is None
