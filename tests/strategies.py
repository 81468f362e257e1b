"""Hypothesis strategies: JSON Schemas with comparison keys, documents that fit them, and predictions gone wrong.

Values come from small pools, so that near misses, equal rows and tied totals are common.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from hypothesis import strategies as st

from fieldwise.values import Json

Schema = dict[str, Any]

NAMES = ("a", "b", "c", "total", "line items", "x.y", "copy", "_id", "k[0]")
TEXTS = ("alpha", "alpha1", "Alpha", "alhpa one", "beta", "beta-2", "gamma", "g", "42", "true", "été", " x ")
NUMBERS = (0, 1, 2, 2.0, 2.05, 2.5, -3, 41.9, 42, 1e3, 0.1, "2", "42", "1,000", "$2.50")
INTEGERS = (0, 1, 2, 3, 41, 42, -5, 1000)
DATES = ("2024-01-15", "2024-01-16", "15.01.2024", "Jan 15, 2024", "2024-02-01", "2023", "no date")
CHOICES = ("red", "green", "blue")
UUIDS = ("123e4567-e89b-12d3-a456-426614174000", "123e4567-e89b-12d3-a456-426614174001")
ABSENT: tuple[Json, ...] = (None, "", "  ", [], {}, [None, ""], {"a": None}, float("nan"))
JUNK: tuple[Json, ...] = (
    "junk",
    7,
    0.5,
    True,
    False,
    float("inf"),
    ["junk", 1],
    [["junk"]],
    [{"a": "alpha", "zz": 1}],
    {"zz": 1},
    {"a": "alpha", "b": {"zz": ["q"]}},
)
"""Present values, of a wrong kind in most places."""

Choices = dict[str, tuple[tuple[str, dict[str, Json]], ...]]

SYMMETRIC: Choices = {
    "string": (
        ("Exact", {}),
        ("ExactComparator", {"case_sensitive": False}),
        ("Levenshtein", {"normalize": False}),
        ("LevenshteinComparator", {}),
        ("Fuzzy", {"method": "token_sort_ratio"}),
        ("Fuzzy", {}),
        ("Normalized", {}),
    ),
    "number": (
        ("Numeric", {"absolute_tolerance": 0.1}),
        ("Numeric", {"relative_tolerance": 0.05}),
        ("Exact", {}),
        ("Levenshtein", {}),
    ),
    "date": (("Date", {"tolerance": 1}), ("Exact", {})),
    "any": (("Exact", {}),),
}
"""Comparators by the kind of value, with their settings, that don't mind which side is which."""

COMPARATORS: Choices = {
    **SYMMETRIC,
    "string": (*SYMMETRIC["string"], ("ANLSStar", {}), ("Fuzzy", {"method": "partial_ratio"})),
    "date": (*SYMMETRIC["date"], ("Date", {"precision_mode": "gt_loose"}), ("Date", {"precision_mode": "overlap"})),
    "free": (("Exact", {}), ("ANLSStar", {})),
    "any": (("Exact", {}), ("ANLSStar", {})),
}

VALUES: dict[str, tuple[Json, ...]] = {
    "string": TEXTS,
    "number": NUMBERS,
    "integer": INTEGERS,
    "boolean": (True, False),
    "date": DATES,
    "choice": CHOICES,
    "uuid": UUIDS,
    "free": ({"p": 1}, {"p": 1, "q": "alpha"}, {"q": "alhpa"}, {"p": [1, 2]}),
    "any": (["alpha", "beta"], ["alpha"], ["beta", "alpha"], [1, 2], [[1]]),
}
_LEAVES: dict[str, Schema] = {
    "string": {"type": "string"},
    "number": {"type": "number"},
    "integer": {"type": "integer"},
    "boolean": {"type": "boolean"},
    "date": {"type": "string", "format": "date"},
    "choice": {"type": "string", "enum": list(CHOICES)},
    "uuid": {"type": "string", "format": "uuid"},
    "free": {"type": "object"},
    "any": {"type": "array", "items": {"type": "string"}},
}
_AS = {"integer": "number", "choice": "string", "uuid": "string", "boolean": "any"}

THRESHOLDS = st.sampled_from([0.0, 0.3, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0])
WEIGHTS = st.sampled_from([0.1, 0.3, 0.7, 1, 1.5, 2, 3])
PREFIX = "x-aws-stickler-"


def examples(count: int) -> int:
    """Return how many examples of a law to try: all where new ones are looked for (``make laws``), else a third.

    Every other run tries the same ones again.
    """
    return count if os.environ.get("FIELDWISE_LAWS") == "explore" else -(-count // 3)


def chance(percent: int) -> st.SearchStrategy[bool]:
    """True that often; shrinks to False."""
    return st.integers(0, 99).map(lambda n: n >= 100 - percent)


@st.composite
def keys(draw: st.DrawFn, kind: str, *, symmetric: bool) -> Schema:
    """Draw the comparison keys of a value of a kind."""
    out: Schema = {}
    known = (SYMMETRIC if symmetric else COMPARATORS).get(_AS.get(kind, kind))
    if known and draw(chance(60)):
        out.update(draw(st.sampled_from(known).map(_comparator_keys)))
    if draw(chance(40)):
        out[f"{PREFIX}threshold"] = draw(THRESHOLDS)
    if draw(chance(20)):
        out[f"{PREFIX}clip-under-threshold"] = draw(st.booleans())
    return out


def _comparator_keys(choice: tuple[str, dict[str, Json]]) -> Schema:
    name, config = choice
    return {f"{PREFIX}comparator": name, **({f"{PREFIX}comparator-config": config} if config else {})}


def weights(*, percent: int = 40) -> st.SearchStrategy[Schema]:
    weighed = WEIGHTS.map(lambda w: {f"{PREFIX}weight": w})
    return chance(percent).flatmap(lambda given: weighed if given else st.just({}))


@st.composite
def leaf_schemas(draw: st.DrawFn, *, symmetric: bool = False, item: bool = False) -> Schema:
    """Draw a property that one comparator scores; ``item``: keys are left to the list around it."""
    kind = draw(st.sampled_from([k for k in _LEAVES if k != "any" or item]))
    given = {} if item else draw(keys(kind, symmetric=symmetric)) | draw(weights())
    return {**_LEAVES[kind], **given, "title": kind}


@st.composite
def object_schemas(
    draw: st.DrawFn, *, depth: int, symmetric: bool = False, width: int = 4, item: bool = False
) -> Schema:
    names = draw(st.lists(st.sampled_from(NAMES), min_size=min(2, width), max_size=width, unique=True))
    properties = {name: draw(field_schemas(depth=depth - 1, symmetric=symmetric)) for name in names}
    out: Schema = {"type": "object", "properties": properties}
    if draw(chance(50)):
        out[f"{PREFIX}match-threshold"] = draw(THRESHOLDS)
    if not item and draw(chance(30)):
        out[f"{PREFIX}threshold"] = draw(THRESHOLDS)
        out[f"{PREFIX}clip-under-threshold"] = draw(st.booleans())
    return out


@st.composite
def list_schemas(draw: st.DrawFn, *, depth: int, symmetric: bool = False) -> Schema:
    """Draw a list of values, of objects, or of lists."""
    if depth > 0 and draw(chance(60)):
        items = draw(object_schemas(depth=depth, symmetric=symmetric, width=3, item=True))
        return {"type": "array", "items": items}
    items = draw(leaf_schemas(item=True))
    return {"type": "array", "items": items, **draw(keys(items["title"], symmetric=symmetric))}


@st.composite
def field_schemas(draw: st.DrawFn, *, depth: int, symmetric: bool = False) -> Schema:
    shape = draw(st.integers(0, 9))
    if depth > 0 and shape >= 8:
        return draw(object_schemas(depth=depth, symmetric=symmetric)) | draw(weights())
    if depth >= 0 and shape >= 5:
        return draw(list_schemas(depth=depth, symmetric=symmetric)) | draw(weights())
    return draw(leaf_schemas(symmetric=symmetric))


@st.composite
def schemas(draw: st.DrawFn, *, depth: int = 3, symmetric: bool = False) -> Schema:
    """Draw the schema of a document, objects and lists to ``depth`` levels, one list of objects at least."""
    root = draw(object_schemas(depth=depth, symmetric=symmetric, item=True))
    root.pop(f"{PREFIX}match-threshold", None)
    rows = draw(object_schemas(depth=depth - 1, symmetric=symmetric, width=3, item=True))
    root["properties"]["rows"] = {"type": "array", "items": rows} | draw(weights())
    return root


@dataclass(frozen=True)
class Noise:
    """What may be wrong with a document, in percent of its places."""

    absent: int = 8
    junk: int = 4
    unknown: int = 5
    changed: int = 25
    shortest: int = 0
    longest: int = 4

    @property
    def inside(self) -> Noise:
        """The same for what is inside a list, where lists are shorter."""
        return replace(self, shortest=min(self.shortest, 1), longest=max(self.longest - 1, 2))


FITTING = Noise(junk=0, unknown=0)
"""Every value has its declared kind."""


@st.composite
def documents(draw: st.DrawFn, schema: Schema, noise: Noise = FITTING) -> Json:
    """Draw a document for a schema, with absent values, junk and unknown keys as often as told."""
    return draw(_values(schema, noise))


@st.composite
def _values(draw: st.DrawFn, schema: Schema, noise: Noise) -> Json:
    if "properties" in schema:
        out = {name: draw(_placed(sub, noise)) for name, sub in schema["properties"].items()}
        if noise.unknown and draw(chance(noise.unknown)):
            out["zz"] = draw(st.sampled_from((*JUNK, *ABSENT)))
        return out
    if schema["type"] == "array" and schema.get("title") != "any":
        size = draw(st.integers(noise.shortest, noise.longest))
        return [draw(_placed(schema["items"], noise.inside)) for _ in range(size)]
    return draw(st.sampled_from(VALUES[schema["title"]]))


@st.composite
def _placed(draw: st.DrawFn, schema: Schema, noise: Noise) -> Json:
    fate = draw(st.integers(0, 99))
    if fate >= 100 - noise.absent:
        return draw(st.sampled_from(ABSENT))
    if fate >= 100 - noise.absent - noise.junk:
        return draw(st.sampled_from(JUNK))
    return draw(_values(schema, noise))


@st.composite
def predictions(draw: st.DrawFn, schema: Schema, expected: Json, noise: Noise) -> Json:
    """Draw what a system might have made of an expected document."""
    return draw(_noisy(schema, expected, noise))


@st.composite
def _noisy(draw: st.DrawFn, schema: Schema, value: Json, noise: Noise) -> Json:
    if isinstance(value, Mapping) and "properties" in schema:
        kept = {k: v for k, v in value.items() if not draw(chance(noise.absent))}
        out = {k: draw(_fated(schema["properties"].get(k), v, noise)) for k, v in kept.items()}
        if noise.unknown and draw(chance(noise.unknown)):
            out["zz"] = draw(st.sampled_from((*JUNK, *ABSENT)))
        return out
    if isinstance(value, list) and schema.get("type") == "array" and schema.get("title") != "any":
        return draw(_noisy_list(schema["items"], value, noise))
    if draw(chance(noise.changed)):
        return draw(_values(schema, noise))
    return value


@st.composite
def _fated(draw: st.DrawFn, schema: Schema | None, value: Json, noise: Noise) -> Json:
    fate = draw(st.integers(0, 99))
    if fate >= 100 - noise.absent:
        return draw(st.sampled_from(ABSENT))
    if schema is None:
        return value
    if fate >= 100 - noise.absent - noise.junk:
        return draw(st.sampled_from(JUNK))
    return draw(_noisy(schema, value, noise))


@st.composite
def _noisy_list(draw: st.DrawFn, item: Schema, values: Sequence[Json], noise: Noise) -> Json:
    kept = [v for v in values if not draw(chance(noise.absent))]
    changed = [draw(_fated(item, v, noise.inside)) for v in kept]
    added = [draw(_placed(item, noise.inside)) for _ in range(draw(st.integers(0, 1)))]
    return draw(st.permutations(changed + added))


ANY_JSON: st.SearchStrategy[Json] = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8) | st.sampled_from((*TEXTS, *DATES)),
    lambda inner: (
        st.lists(inner, max_size=4) | st.dictionaries(st.sampled_from(NAMES) | st.text(max_size=3), inner, max_size=4)
    ),
    max_leaves=12,
)
"""Any JSON at all."""
