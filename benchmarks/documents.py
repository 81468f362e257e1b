"""Documents to measure on: a few shapes, noisy and shuffled, the same ones for every engine."""

from __future__ import annotations

import random
from typing import Any

ERRORS = 0.1
"""The share of values that a prediction gets wrong, where nothing else is said."""

_WORDS = [
    "alpha",
    "bravo",
    "charlie",
    "delta",
    "echo",
    "foxtrot",
    "golf",
    "hotel",
    "india",
    "juliet",
    "kilo",
    "lima",
    "mike",
    "november",
    "oscar",
    "papa",
    "quebec",
    "romeo",
    "sierra",
    "tango",
    "uniform",
    "victor",
    "whiskey",
    "xray",
    "yankee",
    "zulu",
    "widget",
    "gadget",
    "bolt",
    "panel",
    "frame",
]


def text(rng: random.Random, words: int = 3) -> str:
    """Return a few words."""
    return " ".join(rng.choice(_WORDS) for _ in range(words))


def smudged(rng: random.Random, value: Any, errors: float = ERRORS) -> Any:
    """Return a value as a careless reader would copy it: sometimes with an error."""
    if rng.random() >= errors:
        return value
    if isinstance(value, str):
        at = rng.randrange(len(value))
        return value[:at] + rng.choice("abcdefgh") + value[at + 1 :]
    return value + rng.choice([1, -1])


def flat(rng: random.Random, errors: float = ERRORS) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return a pair with six texts of three words and four numbers."""
    expected: dict[str, Any] = {f"text_{k}": text(rng) for k in range(6)}
    expected |= {f"number_{k}": round(rng.uniform(1, 1000), 2) for k in range(4)}
    return expected, {name: smudged(rng, value, errors) for name, value in expected.items()}


def row(rng: random.Random) -> dict[str, Any]:
    """Return a line item: three texts, an integer, a number."""
    return {
        "sku": text(rng, 1) + str(rng.randrange(10_000)),
        "name": text(rng),
        "unit": text(rng, 2),
        "quantity": rng.randrange(1, 100),
        "price": round(rng.uniform(1, 1000), 2),
    }


def rows(rng: random.Random, count: int) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """Return line items and a noisy, shuffled copy of them."""
    expected = [row(rng) for _ in range(count)]
    predicted = [{name: smudged(rng, value) for name, value in item.items()} for item in expected]
    rng.shuffle(predicted)
    return expected, predicted


def with_items(rng: random.Random, count: int) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return an invoice with line items."""
    expected, predicted = rows(rng, count)
    return {"number": "INV-1", "items": expected}, {"number": "INV-1", "items": predicted}


def with_groups(rng: random.Random, groups: int, items: int) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return lists in lists: groups, each with line items."""
    made = [rows(rng, items) for _ in range(groups)]
    names = [text(rng) for _ in range(groups)]
    expected = [{"title": name, "items": pair[0]} for name, pair in zip(names, made, strict=True)]
    predicted = [{"title": smudged(rng, name), "items": pair[1]} for name, pair in zip(names, made, strict=True)]
    rng.shuffle(predicted)
    return {"groups": expected}, {"groups": predicted}


def chain(depth: int, leaf: str) -> dict[str, Any]:
    """Return an object in an object in an object."""
    document: dict[str, Any] = {"value": leaf}
    for _ in range(depth):
        document = {"value": leaf, "inner": document}
    return document


def object_schema(**properties: Any) -> dict[str, Any]:
    """Return the JSON Schema of an object."""
    return {"type": "object", "properties": properties}


STRING, NUMBER, INTEGER = {"type": "string"}, {"type": "number"}, {"type": "integer"}
FLAT = object_schema(**{f"text_{k}": STRING for k in range(6)}, **{f"number_{k}": NUMBER for k in range(4)})
ROW = object_schema(sku=STRING, name=STRING, unit=STRING, quantity=INTEGER, price=NUMBER)
ITEMS = object_schema(number=STRING, items={"type": "array", "items": ROW})
GROUPS = object_schema(
    groups={"type": "array", "items": object_schema(title=STRING, items={"type": "array", "items": ROW})}
)


def chain_schema(depth: int) -> dict[str, Any]:
    """Return the schema of a chain of objects."""
    schema = object_schema(value=STRING)
    for _ in range(depth):
        schema = object_schema(value=STRING, inner=schema)
    return schema
