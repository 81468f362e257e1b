"""Any JSON at all is compared, never raised at; only wrong settings and cyclic objects are refused."""

from __future__ import annotations

import datetime as dt
import enum
import json
import uuid
from collections.abc import Callable
from decimal import Decimal
from itertools import product
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from fieldwise import Comparison, InputError, Plan, SettingError, Spec
from fieldwise.values import Json
from tests.strategies import ANY_JSON, examples, schemas

CAREFUL = settings(deadline=None, max_examples=examples(150), suppress_health_check=list(HealthCheck))

ROW = {"type": "object", "properties": {"what": {"type": "string"}, "price": {"type": "number"}}}
SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {
        "text": {"type": "string"},
        "number": {"type": "number"},
        "count": {"type": "integer"},
        "flag": {"type": "boolean"},
        "day": {"type": "string", "format": "date"},
        "choice": {"enum": ["red", "green", 3, None]},
        "uuid": {"type": "string", "format": "uuid"},
        "free": {"type": "object"},
        "similar": {"type": "object", "x-aws-stickler-comparator": "ANLSStar"},
        "exact": {"type": "number", "x-aws-stickler-comparator": "Exact"},
        "close": {"type": "number", "x-aws-stickler-comparator": "Levenshtein"},
        "fuzzy": {"type": "string", "x-aws-stickler-comparator": "Fuzzy"},
        "phone": {"type": "string", "x-aws-stickler-comparator": "Phone"},
        "clean": {"type": "string", "x-aws-stickler-comparator": "Normalized"},
        "box": {"type": "array", "items": {"type": "number"}, "x-aws-stickler-comparator": "BBoxIoU"},
        "either": {"anyOf": [{"type": "string"}, {"type": "number"}, ROW]},
        "object": ROW,
        "tags": {"type": "array", "items": {"type": "string"}},
        "numbers": {"type": "array", "items": {"type": "number"}},
        "grid": {"type": "array", "items": {"type": "array", "items": {"type": "number"}}},
        "rows": {"type": "array", "items": ROW},
        "mixed": {"type": "array", "items": {"anyOf": [ROW, {"type": "string"}]}},
        "sequence": {"type": "array", "items": ROW, "x-fieldwise-order": "sequence"},
        "position": {"type": "array", "items": ROW, "x-fieldwise-order": "position"},
        "keyed": {"type": "array", "items": ROW, "x-fieldwise-key": ["what"]},
    },
}
RECURSIVE: dict[str, Any] = {
    "type": "object",
    "properties": {
        "name": {"type": "string"},
        "next": {"$ref": "#"},
        "parts": {"type": "array", "items": {"$ref": "#"}},
    },
}
PLAN = Plan.compile(Spec.from_json_schema(SCHEMA))
RECURSIVE_PLAN = Plan.compile(Spec.from_json_schema(RECURSIVE))
FIELDS = tuple(SCHEMA["properties"])


def all_views(comparison: Comparison) -> list[Json]:
    """Return the views of a comparison, and check what holds for any."""
    assert 0.0 <= comparison.score <= 1.0
    assert 0.0 <= comparison.raw_score <= 1.0
    assert comparison.weighted_score is None or 0.0 <= comparison.weighted_score <= 1.0
    assert sum(comparison.counts().values()) == len(comparison.verdicts)
    return [
        comparison.to_dict(
            include_confusion_matrix=True,
            document_non_matches=True,
            document_field_comparisons=True,
            unmatched="objects",
            extras="root",
        ),
        comparison.to_dict(include_confusion_matrix=True, unmatched="leaves", extras="leaves"),
        comparison.to_dict(include_confusion_matrix=True, document_non_matches=True, evaluator_format=True),
    ]


def check(plan: Plan, expected: Json, predicted: Json) -> Comparison:
    comparison = plan.compare(expected, predicted)
    for view in all_views(comparison):
        json.dumps(view)
    return comparison


@CAREFUL
@given(ANY_JSON, ANY_JSON)
def test_any_json_is_a_document(expected: Json, predicted: Json) -> None:
    """Whatever the two documents are, they are compared."""
    check(PLAN, expected, predicted)
    check(RECURSIVE_PLAN, expected, predicted)


@CAREFUL
@given(
    st.dictionaries(st.sampled_from(FIELDS), ANY_JSON, max_size=4),
    st.dictionaries(st.sampled_from(FIELDS), ANY_JSON, max_size=4),
)
def test_any_json_stands_in_any_field(expected: Json, predicted: Json) -> None:
    """Whatever a field holds, the rest of the document is compared as well."""
    check(PLAN, expected, predicted)


@CAREFUL
@given(schemas(depth=2), st.data())
def test_any_json_under_any_spec(schema: dict[str, Any], data: st.DataObject) -> None:
    """No spec makes a document fail."""
    plan = Plan.compile(Spec.from_json_schema(schema))
    names = st.sampled_from(tuple(schema["properties"]))
    document = st.dictionaries(names, ANY_JSON, max_size=4) | ANY_JSON
    check(plan, data.draw(document), data.draw(document))


@CAREFUL
@given(ANY_JSON)
def test_any_json_agrees_with_itself(document: Json) -> None:
    """Whatever a document is, it has no errors against itself, unknown keys aside."""
    for plan in (PLAN, RECURSIVE_PLAN):
        comparison = plan.compare(document, document)
        found = [v for v in comparison.verdicts if v.declared and v.outcome.value not in ("tp", "tn")]
        assert found == []
        assert comparison.score == 1.0


ODD: list[Json] = [
    None,
    "",
    " \t\n",
    "\x00",
    "\ud800",
    "é",
    "e\u0301",
    "🧾" * 50,
    "NaN",
    "Infinity",
    "1e999999999",
    "1" * 5_000,
    float("nan"),
    float("inf"),
    float("-inf"),
    -0.0,
    5e-324,
    1.7976931348623157e308,
    10**400,
    -(10**400),
    10**400 + 1,
    2**53 + 1,
    True,
    False,
    0,
    [],
    {},
    [[]],
    [{}],
    [None],
    {"": ""},
    {"": 1},
    {"_value": 1},
    [float("nan")],
    [float("inf"), "x"],
    ["a", 1, None, {"what": "b"}, ["c"]],
    {"what": {"what": {"what": 1}}},
    {"what": "a", "price": "12"},
    [{"what": "a"}, "b", 3, [{"what": "a"}]],
    ["x"] * 30,
    [{"what": "x", "price": k} for k in range(20)],
    [{"what": ["x"], "price": {"y": k}} for k in range(8)],
]


@pytest.mark.parametrize("value", ODD, ids=lambda v: repr(v)[:20])
def test_odd_values_in_every_field(value: Json) -> None:
    """An odd value meets every other odd value in every field, on both sides."""
    for other in (value, None, "x", 1, ["x"], {"what": "x"}, [{"what": "x"}] * 5, float("inf"), 10**400):
        check(PLAN, dict.fromkeys(FIELDS, value), dict.fromkeys(FIELDS, other))
        check(PLAN, dict.fromkeys(FIELDS, other), dict.fromkeys(FIELDS, value))


def test_long_whole_numbers_are_told_apart() -> None:
    """Integers of 400 digits are compared digit by digit."""
    same = PLAN.compare({"count": 10**400}, {"count": 10**400})
    other = PLAN.compare({"count": 10**400}, {"count": 10**400 + 1})
    assert (same.counts()["tp"], other.counts()["fd"]) == (1, 1)


@pytest.mark.parametrize("field", ["text", "fuzzy", "clean", "day", "number"])
def test_texts_of_ten_megabytes(field: str) -> None:
    """Very long texts are compared: the same text is a match, another one a mismatch."""
    text, other = "0123456789" * 1_000_000, "abcdefghij" * 1_000_000
    assert PLAN.compare({field: text}, {field: "".join([text])}).counts()["tp"] == 1
    assert PLAN.compare({field: text}, {field: other}).counts()["fd"] == 1


def nested(depth: int, step: Callable[[Json], Json], end: Json = "end") -> Json:
    for _ in range(depth):
        end = step(end)
    return end


CHAINS: dict[str, Callable[[Json], Json]] = {
    "objects": lambda inner: {"a": inner},
    "lists": lambda inner: [inner],
    "rows": lambda inner: [{"what": inner}],
    "next": lambda inner: {"next": inner, "name": "n"},
    "parts": lambda inner: {"parts": [inner], "name": "n"},
}
DEPTH = 5_000


def agrees(comparison: Comparison) -> bool:
    return all(v.outcome.value in ("tp", "tn") for v in comparison.verdicts if v.declared)


@pytest.mark.parametrize(
    ("place", "name"),
    [
        *product(["text", "free", "similar", "object", "rows", "unknown"], ["objects", "lists"]),
        ("number", "objects"),
        ("tags", "lists"),
        ("rows", "rows"),
        ("mixed", "rows"),
    ],
)
def test_deep_values_in_every_place(place: str, name: str) -> None:
    """A value nested 5,000 levels deep is compared where it stands: the same ones agree, others are just others."""
    step = CHAINS[name]
    deep, again, other = nested(DEPTH, step), nested(DEPTH, step), nested(DEPTH, step, "other")
    assert agrees(PLAN.compare({place: deep}, {place: again}))
    assert agrees(PLAN.compare({place: [deep]}, {place: [again]}))
    for left, right in [(deep, other), (deep, None), ("x", deep), ([deep], [other, deep])]:
        assert len(all_views(PLAN.compare({place: left}, {place: right}))) == 3


@pytest.mark.parametrize("step", CHAINS.values(), ids=CHAINS)
def test_deep_documents_under_a_recursive_schema(step: Callable[[Json], Json]) -> None:
    """A recursive schema follows a document of 5,000 levels as far as it goes field by field, then by equality."""
    deep, again, other = nested(DEPTH, step), nested(DEPTH, step), nested(DEPTH, step, "other")
    assert agrees(RECURSIVE_PLAN.compare(deep, again))
    assert agrees(RECURSIVE_PLAN.compare({"parts": [deep, "x"]}, {"parts": ["x", again]}))
    for left, right in [(deep, other), (deep, None), ("x", deep)]:
        assert len(all_views(RECURSIVE_PLAN.compare(left, right))) == 3
    assert not agrees(RECURSIVE_PLAN.compare({"parts": [deep] * 2}, {"parts": [other] * 2, "name": "x"}))


@pytest.mark.parametrize("name", ["next", "parts"])
def test_a_difference_far_down_is_found(name: str) -> None:
    """What differs below the deepest level that is compared field by field still differs."""
    deep, other = nested(DEPTH, CHAINS[name], {"name": "end"}), nested(DEPTH, CHAINS[name], {"name": "other end"})
    assert RECURSIVE_PLAN.compare(deep, deep).counts()["fd"] == 0
    assert RECURSIVE_PLAN.compare(deep, other).counts()["fd"] > 0


def test_long_lists_of_values() -> None:
    """5,000 texts against 5,000 others are paired, and each of them is accounted for."""
    expected = [f"value {n}" for n in range(5_000)]
    predicted = [f"value {n}" for n in range(6_999, 1_999, -1)]
    counts = PLAN.compare({"tags": expected}, {"tags": predicted}).to_dict(include_confusion_matrix=True)
    tags = counts["confusion_matrix"]["fields"]["tags"]["overall"]
    assert tags["tp"] >= 3_000
    assert tags["tp"] + tags["fd"] + tags["fn"] == tags["tp"] + tags["fd"] + tags["fa"] == 5_000


GOOD = {
    "text": "a",
    "object": {"what": "b", "price": 1},
    "rows": [{"what": "c", "price": 2}, {"what": "d"}],
    "tags": ["e"],
}


@pytest.mark.parametrize("root", [None, [], [GOOD], "text", 5, True, {}, "", float("nan")], ids=repr)
def test_a_wrong_prediction_misses_every_leaf(root: Json) -> None:
    """A predicted document that is null, a list or a text is scored: all that is expected was missed."""
    comparison = check(PLAN, GOOD, root)
    assert comparison.counts()["fn"] == 7
    assert {comparison.counts()[key] for key in ("tp", "fd", "fa")} == {0}
    assert comparison.raw_score == 0.0


@pytest.mark.parametrize("root", [None, [], {}, "", float("nan")], ids=repr)
def test_an_absent_truth_makes_every_predicted_leaf_spurious(root: Json) -> None:
    """Where nothing at all is expected, all that is predicted is spurious."""
    comparison = check(PLAN, root, GOOD)
    assert comparison.counts()["fa"] == 7
    assert {comparison.counts()[key] for key in ("tp", "fd", "fn")} == {0}


@pytest.mark.parametrize("root", [[GOOD], "text", 5, True], ids=repr)
def test_a_truth_of_another_kind_is_one_leaf(root: Json) -> None:
    """An expected document that is no object is one leaf: matched by the same, missed otherwise."""
    assert check(PLAN, root, root).counts()["tp"] == 1
    assert check(PLAN, root, root).score == 1.0
    against_good = check(PLAN, root, GOOD).counts()
    assert (against_good["tp"], against_good["fd"], against_good["fn"], against_good["fa"]) == (0, 0, 1, 7)
    assert check(PLAN, root, None).counts()["fn"] == 1
    assert check(PLAN, root, "other").counts()["fd"] == 1


class Colour(enum.Enum):
    RED = "red"
    BLUE = "blue"


class Size(enum.IntEnum):
    SMALL = 1
    LARGE = 2


DAY = dt.date(2024, 1, 15)
OBJECTS: list[tuple[str, Json, Json]] = [
    ("day", DAY, dt.date(2024, 1, 16)),
    ("day", dt.datetime(2024, 1, 15, 12, 30, tzinfo=dt.UTC), dt.datetime(2023, 1, 15, 12, 30, tzinfo=dt.UTC)),
    ("text", DAY, dt.date(1999, 12, 31)),
    ("text", dt.time(12, 30), "nothing of the kind"),
    ("number", Decimal("12.50"), Decimal("12.51")),
    ("count", Decimal(12), Decimal(13)),
    ("exact", Decimal("1.5"), Decimal("2.5")),
    ("choice", Colour.RED, Colour.BLUE),
    ("text", Colour.RED, Colour.BLUE),
    ("count", Size.SMALL, Size.LARGE),
    ("uuid", uuid.UUID(int=1), uuid.UUID(int=2)),
    ("tags", ("a", "b"), ("x", "y")),
    ("tags", {"a", "b"}, {"x", "y"}),
    ("tags", frozenset({"a"}), frozenset({"x"})),
    ("text", b"abc", b"xyz"),
    ("text", bytearray(b"abc"), bytearray(b"xyz")),
    ("free", {"due": DAY, "sizes": (Size.SMALL,)}, {"due": None, "sizes": (Size.LARGE,)}),
    ("rows", ({"what": Colour.RED, "price": Decimal(1)},), ({"what": Colour.BLUE, "price": Decimal(2)},)),
    ("text", dt.timedelta(days=1), "nothing of the kind"),
    ("text", object, object()),
]


@pytest.mark.parametrize(("field", "value", "other"), OBJECTS, ids=lambda v: type(v).__name__)
def test_python_values_are_compared(field: str, value: Json, other: Json) -> None:
    """Dates, Decimals, Enums, UUIDs, tuples, sets and bytes equal themselves and differ from others."""
    itself = check(PLAN, {field: value}, {field: value})
    assert itself.score == 1.0
    assert itself.counts()["tp"] > 0
    assert {itself.counts()[key] for key in ("fd", "fa", "fn")} == {0}
    differs = check(PLAN, {field: value}, {field: other})
    assert differs.counts()["tp"] == 0


@pytest.mark.parametrize(
    ("field", "value", "text"),
    [
        ("day", DAY, "2024-01-15"),
        ("number", Decimal("12.50"), 12.5),
        ("count", Size.LARGE, 2),
        ("text", Colour.RED, "red"),
        ("uuid", uuid.UUID(int=1), "00000000-0000-0000-0000-000000000001"),
        ("tags", ("a", "b"), ["a", "b"]),
        ("text", b"abc", "abc"),
    ],
)
def test_python_values_equal_their_json(field: str, value: Json, text: Json) -> None:
    """A Python value and what JSON writes for it are the same, whichever side it stands on."""
    assert check(PLAN, {field: value}, {field: text}).score == 1.0
    assert check(PLAN, {field: text}, {field: value}).score == 1.0


def cyclic(kind: type) -> Json:
    if kind is list:
        items: list[Json] = ["a"]
        items.append(items)
        return items
    value: dict[str, Json] = {"a": 1}
    value["self"] = value
    return value


@pytest.mark.parametrize("kind", [dict, list])
@pytest.mark.parametrize("place", ["text", "free", "similar", "object", "tags", "rows", "choice", "unknown"])
def test_a_cyclic_object_is_refused_with_its_path(place: str, kind: type) -> None:
    """A Python object that holds itself has no JSON; the error names the way to it from the root."""
    with pytest.raises(InputError, match=rf"\$\.{place}"):
        all_views(PLAN.compare({place: "x"}, {place: cyclic(kind)}))
    with pytest.raises(InputError, match=rf"\$\.{place}"):
        all_views(PLAN.compare({place: cyclic(kind)}, {place: "x"}))


def test_a_cyclic_document_under_a_recursive_schema_is_refused() -> None:
    """A schema that holds itself does not make a cycle right."""
    document: dict[str, Json] = {"name": "a"}
    document["next"] = document
    with pytest.raises(InputError, match=r"\$\.next"):
        all_views(RECURSIVE_PLAN.compare(document, document))


X = "x-aws-stickler-"


def field(**keys: Json) -> dict[str, Any]:
    return {"type": "object", "properties": {"a": {"type": "object", "properties": {"b": {"type": "string", **keys}}}}}


def rows(on_list: dict[str, Json] | None = None, on_items: dict[str, Json] | None = None) -> dict[str, Any]:
    items = {**ROW, **(on_items or {})}
    return {"type": "object", "properties": {"a": {"type": "array", "items": items, **(on_list or {})}}}


@pytest.mark.parametrize(
    ("schema", "path", "words"),
    [
        (field(**{f"{X}threshold": 1.5}), "a.b", "1.5"),
        (field(**{f"{X}threshold": float("nan")}), "a.b", "nan"),
        (field(**{f"{X}threshold": "0.5"}), "a.b", "0.5"),
        (field(**{f"{X}threshold": True}), "a.b", "True"),
        (field(**{f"{X}weight": -1}), "a.b", "-1"),
        (field(**{f"{X}weight": float("inf")}), "a.b", "inf"),
        (field(**{f"{X}weight": float("nan")}), "a.b", "nan"),
        (field(**{f"{X}clip-under-threshold": "yes"}), "a.b", "yes"),
        (field(**{f"{X}comparator": "Levenstein"}), "a.b", "LevenshteinComparator"),
        (field(**{f"{X}comparator": "Fuzzy", f"{X}comparator-config": {"metod": "ratio"}}), "a.b", "'method'"),
        (field(**{f"{X}comparator-config": {"method": "ratio"}}), "a.b", "comparator"),
        (field(**{f"{X}treshold": 0.5}), "a.b", f"'{X}threshold'"),
        (field(**{"x-fieldwise-wieght": 2}), "a.b", "'x-fieldwise-weight'"),
        (field(**{"x-stickler-threshold": 0.5}), "a.b", "x-stickler-threshold"),
        (field(**{f"{X}match-threshold": 0.5}), "a.b", "match-threshold"),
        (field(type="strnig"), "a.b", "strnig"),
        (rows({"x-fieldwise-order": "sequnce"}), "a", "'sequence'"),
        (rows({"x-fieldwise-order": 3}), "a", "3"),
        (rows({"x-fieldwise-key": ["whta"]}), "a", "'what'"),
        (rows({"x-fieldwise-key": 5}), "a", "5"),
        (rows({f"{X}comparator": "Exact"}), "a", "comparator"),
        (rows(None, {f"{X}match-threshold": -0.1}), "a", "-0.1"),
        (rows(None, {f"{X}match-threshold": float("nan")}), "a", "nan"),
    ],
)
def test_wrong_settings_are_refused_before_anything_is_compared(schema: Json, path: str, words: str) -> None:
    """A wrong setting is an error that says where it stands and what was meant."""
    with pytest.raises(SettingError) as caught:
        Plan.compile(Spec.from_json_schema(schema))
    assert words in str(caught.value)
    assert path in caught.value.path.replace("properties.", "")


@pytest.mark.parametrize("max_cells", [0, -1, 1.5, "many", True, None])
def test_a_wrong_limit_of_cells_is_refused(max_cells: Any) -> None:
    """The guard is a whole number of cells."""
    with pytest.raises(SettingError, match="max_cells"):
        Plan.compile(Spec.from_json_schema(SCHEMA), max_cells=max_cells)


@pytest.mark.parametrize("options", [{"unmatched": "leafs"}, {"extras": "all"}])
def test_wrong_views_are_refused(options: dict[str, Any]) -> None:
    """An option that does not exist is refused, with those that do."""
    with pytest.raises(SettingError, match="leaves"):
        PLAN.compare({}, {}).to_dict(include_confusion_matrix=True, **options)
