"""Hypothesis strategies for what both we and the peer accept: schemas, documents that fit, and predictions of them.

By construction the documents are free of what we treat differently on purpose: blanks, null items, objects without a
value, relative tolerances. Values come from large pools, so that two list items seldom tie.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from hypothesis import strategies as st

from fieldwise.values import Json

Schema = dict[str, Any]
_PEER = "x-aws-stickler-"

_FIRST = ("widget", "gadget", "cover", "screw", "panel", "bolt", "frame", "spring", "hinge", "bracket")
_SECOND = ("alpha", "beta", "gamma", "delta", "omega", "sigma", "kappa", "lambda", "zeta", "theta")
_NUMBERS = tuple(round(17.37 * k - 40, 2) for k in range(24))
_DATES = ("2024-01-15", "2024-01-16", "Jan 17, 2024", "2023-12-31", "2024/02/29", "15 March 2021", "1999-07-04")
_FREE = ({"p": "x"}, {"p": "x", "q": "alpha"}, {"q": "alhpa", "r": "y"}, {"s": ["one", "two"]})

_STRING: tuple[tuple[str, dict[str, Json]], ...] = (
    ("Levenshtein", {}),
    ("Levenshtein", {"normalize": False}),
    ("Exact", {}),
    ("Exact", {"case_sensitive": False}),
    ("Fuzzy", {}),
    ("Fuzzy", {"method": "token_sort_ratio"}),
    ("Fuzzy", {"method": "partial_ratio"}),
    ("Normalized", {}),
    ("Normalized", {"case_sensitive": True}),
)
_NUMBER: tuple[tuple[str, dict[str, Json]], ...] = (
    ("Numeric", {}),
    ("Numeric", {"absolute_tolerance": 0.5}),
    ("Exact", {}),
    ("Levenshtein", {}),
)
_COMPARATORS = {
    "string": _STRING,
    "number": _NUMBER,
    "integer": _NUMBER,
    "boolean": (("Exact", {}), ("Levenshtein", {})),
    "date": (("Date", {}), ("Date", {"tolerance": 1}), ("Exact", {})),
    "free": (("Exact", {}), ("ANLSStar", {})),
    "nested list": (("Exact", {}),),
}
_TYPES: dict[str, Schema] = {
    "string": {"type": "string"},
    "number": {"type": "number"},
    "integer": {"type": "integer"},
    "boolean": {"type": "boolean"},
    "date": {"type": "string", "format": "date"},
    "free": {"type": "object"},
    "nested list": {"type": "array", "items": {"type": "string"}},
}


class Case(NamedTuple):
    """A schema and two documents that fit it."""

    schema: Schema
    expected: Json
    predicted: Json


@st.composite
def cases(draw: st.DrawFn, *, blanks: bool = False) -> Case:
    """Draw a schema, a document, and a prediction made of it; ``blanks``: with values that say nothing in places."""
    schema = draw(_objects(3))
    expected = draw(_documents(schema, blanks))
    return Case(schema, expected, draw(_predictions(schema, expected, blanks)))


# Schemas


@st.composite
def _objects(draw: st.DrawFn, depth: int) -> Schema:
    names = draw(st.lists(st.sampled_from("abcdefg"), min_size=1, max_size=4, unique=True))
    schema: Schema = {"type": "object", "properties": {name: draw(_fields(depth)) for name in names}}
    if draw(st.booleans()):
        schema[f"{_PEER}match-threshold"] = draw(st.sampled_from((0.2, 0.5, 0.7, 0.9, 1.0)))
    return schema


@st.composite
def _fields(draw: st.DrawFn, depth: int) -> Schema:
    shapes = ["leaf", "leaf", "leaf", "list", *(["object", "rows", "rows"] if depth else [])]
    shape = draw(st.sampled_from(shapes))
    if shape == "object":
        return {**draw(_objects(depth - 1)), **draw(_settings(threshold=True))}
    if shape == "rows":
        return {"type": "array", "items": draw(_objects(depth - 1)), **draw(_settings(threshold=False, clip=False))}
    kinds = sorted(_TYPES) if shape == "list" else sorted(_TYPES.keys() - {"nested list"})
    kind = draw(st.sampled_from(kinds))
    field = {"type": "array", "items": _TYPES[kind]} if shape == "list" else dict(_TYPES[kind])
    if draw(st.booleans()):
        name, config = draw(st.sampled_from(_COMPARATORS[kind]))
        field[f"{_PEER}comparator"] = f"{name}Comparator"
        if config:
            field[f"{_PEER}comparator-config"] = config
    return {**field, **draw(_settings(threshold=True))}


def _settings(*, threshold: bool, clip: bool = True) -> st.SearchStrategy[Schema]:
    given: dict[str, st.SearchStrategy[Any]] = {f"{_PEER}weight": st.sampled_from((0.5, 2.0, 3.0))}
    if threshold:
        given[f"{_PEER}threshold"] = st.sampled_from((0.3, 0.5, 0.6, 0.8, 0.95, 1.0))
    if clip:
        given[f"{_PEER}clip-under-threshold"] = st.booleans()
    return st.fixed_dictionaries({}, optional=given)


# Documents


def _leaves(schema: Schema) -> st.SearchStrategy[Json]:
    match schema:
        case {"type": "string", "format": "date"}:
            return st.sampled_from(_DATES)
        case {"type": "string"}:
            return st.builds("{} {}".format, st.sampled_from(_FIRST), st.sampled_from(_SECOND))
        case {"type": "number"}:
            return st.sampled_from(_NUMBERS)
        case {"type": "integer"}:
            return st.integers(-30, 300)
        case {"type": "boolean"}:
            return st.booleans()
        case {"type": "array"}:
            return st.lists(st.sampled_from(_FIRST), min_size=1, max_size=2)
    return st.sampled_from(_FREE)


@st.composite
def _documents(draw: st.DrawFn, schema: Schema, blanks: bool) -> Json:
    """Draw an object in which at least one field has a value; with ``blanks``, maybe none."""
    properties = schema["properties"]
    document = {name: draw(_values(sub, blanks)) for name, sub in properties.items() if draw(st.integers(0, 5))}
    if not blanks and not any(value not in (None, []) for value in document.values()):
        name = draw(st.sampled_from(sorted(properties)))
        document[name] = draw(_present(properties[name], blanks))
    return document


@st.composite
def _values(draw: st.DrawFn, schema: Schema, blanks: bool) -> Json:
    if not draw(st.integers(0, 7)):
        return draw(st.sampled_from((None, *_nothings(schema)))) if blanks else None
    return draw(_present(schema, blanks))


def _nothings(schema: Schema) -> tuple[Json, ...]:
    if schema["type"] == "array":
        return ([],)
    if schema["type"] == "object":
        return ({},)
    return ("", "  ") if schema["type"] == "string" and "format" not in schema else ()


@st.composite
def _present(draw: st.DrawFn, schema: Schema, blanks: bool) -> Json:
    if "properties" in schema:
        return draw(_documents(schema, blanks))
    if schema["type"] == "array":
        items = draw(st.lists(_present(schema["items"], blanks), min_size=1, max_size=3))
        if blanks:
            nothing = draw(st.lists(st.sampled_from((*_nothings(schema["items"]), items[0])), max_size=2))
            items = draw(st.permutations([*items, *nothing]))
        return items
    return draw(_leaves(schema))


# Predictions


@st.composite
def _predictions(draw: st.DrawFn, schema: Schema, expected: Json, blanks: bool) -> Json:
    """Draw what a model may have made of a document: fields right, nearly right, wrong, lost or invented."""
    predicted = {}
    for name, sub in schema["properties"].items():
        choice = draw(st.sampled_from(("kept", "kept", "near", "near", "near", "other", "lost")))
        value = expected.get(name)
        if choice == "other":
            predicted[name] = draw(_values(sub, blanks))
        elif choice == "near" and value not in (None, [], {}):
            predicted[name] = draw(_near(sub, value, blanks))
        elif choice != "lost":
            predicted[name] = value
    if not blanks and not any(value not in (None, []) for value in predicted.values()):
        name = draw(st.sampled_from(sorted(schema["properties"])))
        predicted[name] = draw(_present(schema["properties"][name], blanks))
    if not draw(st.integers(0, 7)):
        predicted["unknown"] = draw(st.sampled_from((None, "invented", {"deep": 1})))
    return predicted


@st.composite
def _near(draw: st.DrawFn, schema: Schema, value: Json, blanks: bool) -> Json:
    if "properties" in schema:
        return draw(_predictions(schema, value, blanks))
    if schema["type"] == "array":
        return draw(_near_list(schema["items"], value, blanks))
    if isinstance(value, bool) or not isinstance(value, (str, int, float)) or "format" in schema:
        return draw(_leaves(schema))
    if isinstance(value, str):
        return draw(_near_text(value))
    return value + draw(st.sampled_from((0, 1, -7)))


@st.composite
def _near_text(draw: st.DrawFn, text: str) -> str:
    at = draw(st.integers(0, len(text)))
    typos = (text.upper(), text.replace(" ", "  "), f"{text[:at]}x{text[at:]}", f"{text[:at]}{text[at + 2 :]}")
    return draw(st.sampled_from(typos))


@st.composite
def _near_list(draw: st.DrawFn, items: Schema, value: list[Json], blanks: bool) -> Json:
    order = draw(st.permutations(value))
    kept = order[: draw(st.integers(1, len(order)))]
    out = [draw(_near(items, v, blanks)) if v and draw(st.booleans()) else v for v in kept]
    return [*out, *draw(st.lists(_present(items, blanks), max_size=1))]


# Rich values


@st.composite
def wrapped(draw: st.DrawFn, schema: Schema, value: Json) -> Json:
    """Draw a document with some of its values in rich wrappings: a confidence, a box, or both."""
    if "properties" in schema and isinstance(value, dict):
        known = schema["properties"]
        return {name: draw(wrapped(known[name], v)) if name in known else v for name, v in value.items()}
    if schema["type"] == "array" and isinstance(value, list):
        return [draw(wrapped(schema["items"], item)) for item in value]
    if value is None or not draw(st.integers(0, 3)):
        return value
    said = {"_confidence": st.sampled_from((0.1, 0.35, 0.5, 0.8, 0.9, 0.99)), "_bbox": st.sampled_from(_BOXES)}
    return draw(st.fixed_dictionaries({"_value": st.just(value)}, optional=said))


_BOXES = ([0, 0, 10, 10], [0, 0, 10, 8], [2, 2, 12, 12], [50, 50, 60, 60], [[0, 0], [5, 5]])
