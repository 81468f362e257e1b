"""Hostile values: objects of any class, cycles, shared parts, any depth are compared or wrong, never raised at."""

from __future__ import annotations

import json
import math
import tracemalloc
from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from fieldwise import BulkStructuredModelEvaluator, InputError, Plan, Spec, StructuredModel, evaluate_pairs
from fieldwise.comparators import TextComparator, build
from fieldwise.compare.rich_values import unwrap
from fieldwise.errors import CycleError
from fieldwise.values import Json, canonical, cycle_path, is_absent, plain, same, within_bounds, written
from tests.attacks.hostile_pairs import compare_all, run_batch
from tests.attacks.hostile_values import OBJECTS, Endless, Raises, cycle, deep, shared
from tests.folders import stored_rows
from tests.rows import verdicts_of

ROW: dict[str, Any] = {"type": "object", "properties": {"what": {"type": "string"}, "price": {"type": "number"}}}
SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {
        "text": {"type": "string"},
        "number": {"type": "number"},
        "count": {"type": "integer"},
        "flag": {"type": "boolean"},
        "day": {"type": "string", "format": "date"},
        "choice": {"enum": ["red", 3, None]},
        "free": {"type": "object"},
        "similar": {"type": "object", "x-aws-stickler-comparator": "ANLSStar"},
        "box": {"type": "array", "items": {"type": "number"}, "x-aws-stickler-comparator": "BBoxIoU"},
        "either": {"anyOf": [{"type": "string"}, ROW, {"type": "array", "items": {"type": "number"}}]},
        "object": ROW,
        "tags": {"type": "array", "items": {"type": "string"}},
        "grid": {"type": "array", "items": {"type": "array", "items": {"type": "number"}}},
        "rows": {"type": "array", "items": ROW},
    },
}
PLAN = Plan.compile(Spec.from_json_schema(SCHEMA))
FIELDS = tuple(SCHEMA["properties"])
Model = StructuredModel.from_json_schema(SCHEMA)
LEVELS = 10_000
"""What takes room or time by the square of the depth takes gigabytes or minutes here; `test_read_limits.py` goes to a
million.
"""


@pytest.mark.parametrize("make", OBJECTS, ids=range(len(OBJECTS)))
def test_objects_of_any_class_stand_in_any_field(make: Callable[[], Json]) -> None:
    """Whatever the class of a value, it is compared on either side, in lists, rows and undeclared keys too."""
    for place in (lambda v: v, lambda v: [v, "x"], lambda v: {"what": v, "price": v, "more": v}):
        odd = {**{name: place(make()) for name in FIELDS}, "unknown": place(make())}
        for other in ("x", [1], place(make())):
            compare_all(PLAN, odd, {name: other for name in FIELDS})  # noqa: C420  # nothing changes it
            compare_all(PLAN, {name: other for name in FIELDS}, odd)  # noqa: C420


@pytest.mark.parametrize("make", [make for make in OBJECTS if type(make()) is not range])
def test_objects_of_any_class_go_into_models_and_bulk(make: Callable[[], Json]) -> None:
    """Models are made from them and compared, one by one and in bulk."""
    evaluator = BulkStructuredModelEvaluator(Model)
    for name in FIELDS:
        expected, predicted = {name: make(), "unknown": make()}, {name: make(), "unknown": 1}
        result = Model.from_json(expected).compare_with(
            Model.from_json(predicted), include_confusion_matrix=True, document_non_matches=True
        )
        assert 0.0 <= result["overall_score"] <= 1.0
        evaluator.update(expected, predicted)
    assert evaluator.compute().errors == []


@pytest.mark.parametrize(
    "name", ["Exact", "Levenshtein", "Fuzzy", "Numeric", "Date", "Enum", "ANLSStar", "Text", "Amount"]
)
def test_comparators_take_any_object(name: str) -> None:
    """A comparator that is asked directly answers with a score."""
    comparator = build(name, {})
    for make in OBJECTS:
        for other in ("x", 5, [1], {"a": 1}):
            assert 0.0 <= comparator.compare(make(), other) <= 1.0
            assert 0.0 <= comparator.compare(other, make()) <= 1.0


@pytest.mark.parametrize(
    ("value", "json_value"),
    [
        (np.float32(1.5), 1.5),
        (np.int64(7), 7),
        (np.bool_(True), True),
        (np.datetime64("2024-01-15"), "2024-01-15"),
        (np.datetime64("2024-01-15T12:30:00", "ns"), "2024-01-15T12:30:00"),
        (np.datetime64("NaT"), None),
        (np.timedelta64(2, "D"), 172_800.0),
        (np.arange(4).reshape(2, 2), [[0, 1], [2, 3]]),
        (np.array(["2024-01-15"], dtype="datetime64[D]"), ["2024-01-15"]),
        (np.array([(1, "x")], dtype=[("n", "i4"), ("t", "U4")]), [{"n": 1, "t": "x"}]),
        (np.array([]), []),
        (Decimal("0.1"), 0.1),
        (Decimal("sNaN"), None),
        (Decimal("Infinity"), None),
        (Decimal("1E+400"), "1E+400"),
        (Fraction(1, 4), 0.25),
        (math.inf, None),
        (10**400, str(10**400)),
        ({1: "a", (1, 2): "b"}, {"1": "a", "(1, 2)": "b"}),
    ],
    ids=repr,
)
def test_what_python_values_are_in_json(value: Json, json_value: Json) -> None:
    """Numbers are numbers, no number is null, dates are ISO text, arrays are lists, records are objects."""
    assert plain(value) == json_value
    assert same(value, json_value)


def test_an_object_that_says_nothing_is_like_itself_only() -> None:
    """An object without a text of its own matches itself, and no other of its class."""
    one, other = Raises(), Raises()
    assert PLAN.compare({"text": one}, {"text": one}).counts()["tp"] == 1
    assert PLAN.compare({"text": one}, {"text": other}).counts()["fd"] == 1


def test_views_are_json_for_every_parser() -> None:
    """No view holds NaN, an infinity or an integer that no parser reads; what is no number is absent."""
    numbers = [math.nan, math.inf, -math.inf, 10**5_000, 10**400, {"x": [math.inf, math.nan]}]
    for value in numbers:
        document = {**dict.fromkeys(FIELDS, value), "unknown": value}
        compare_all(PLAN, document, dict.fromkeys(FIELDS, "x"))
        compare_all(PLAN, dict.fromkeys(FIELDS, "x"), document)
    counts = PLAN.compare({"number": math.inf}, {"number": math.inf}).counts()
    assert counts.pop("tn") > 0
    assert not any(counts.values())


@pytest.mark.parametrize("place", ["text", "free", "tags", "rows", "grid", "either", "unknown"])
def test_what_is_shared_is_compared_in_bounds(place: str) -> None:
    """Forty lists, each of which holds the next one twice, are compared: alike, or not, as they are."""
    assert PLAN.compare({place: shared(40)}, {place: shared(40)}).counts()["fd"] == 0
    compare_all(PLAN, {place: shared(40)}, {place: shared(41)})
    compare_all(PLAN, {place: [{"what": shared(30)}]}, {place: "x"})


def test_a_part_that_is_held_twice_is_no_cycle() -> None:
    """The same object in two places is two values."""
    part = {"what": "a", "price": 1}
    assert PLAN.compare({"object": part, "rows": [part, part]}, {"object": part, "rows": [part, part]}).score == 1.0
    assert cycle_path({"a": part, "b": [part]}) is None
    assert within_bounds(shared(12)) == shared(12)


@pytest.mark.parametrize("levels", [0, 1, 500, LEVELS])
def test_a_cycle_is_found_at_any_depth(levels: int) -> None:
    """The error names the way to the cycle; of a very long way the middle is left out."""
    value: Json = {"inner": None}
    value["inner"] = value
    for _ in range(levels):
        value = [value]
    path = cycle_path(value)
    assert path is not None
    assert path.endswith(".inner")
    assert len(path) < 300
    for function in (plain, canonical, written, within_bounds):
        with pytest.raises(CycleError, match="inner"):
            function(value)


def test_cycles_with_many_ways_are_found() -> None:
    """A value that holds itself in several places is refused at once."""
    value: list[Json] = []
    value += [value, {"a": value}, value]
    for place in FIELDS:
        with pytest.raises(InputError, match=r"\$"):
            compare_all(PLAN, {place: value}, {place: "x"})


def test_cyclic_pairs_are_scored_in_an_evaluation(tmp_path: Path) -> None:
    """A prediction that contains itself is missed, a truth that does is a failure; the others are scored."""
    pairs = [
        ("good", {"text": "a"}, {"text": "a"}),
        ("bad prediction", {"text": "a"}, {"text": cycle()}),
        ("bad truth", {"text": cycle()}, {"text": "a"}),
        ("folded", {"text": "a"}, {"text": shared(40)}),
    ]
    metrics = evaluate_pairs(pairs, Spec.from_json_schema(SCHEMA), out=tmp_path / "out").metrics
    assert metrics.document_count == 3
    assert (metrics.aggregate.tp, metrics.aggregate.fn, metrics.aggregate.fd) == (1, 1, 1)
    failures = [json.loads(line) for line in (tmp_path / "out" / "failures.jsonl").read_text().splitlines()]
    assert {failure["document"] for failure in failures} == {"bad prediction", "bad truth"}
    assert all("contains itself - at $.text.self[0]" in failure["reason"] for failure in failures)


@pytest.mark.parametrize("place", [*FIELDS, "unknown"])
def test_many_levels_in_any_place(place: str) -> None:
    """What is nested far deeper than documents are compared is one value: alike, or not, and shown as text below."""
    for value in (deep(LEVELS), [deep(LEVELS)]):
        compare_all(PLAN, {place: value}, {place: "x"})
        compare_all(PLAN, {place: "x"}, {place: value})
    assert PLAN.compare({place: deep(LEVELS)}, {place: deep(LEVELS)}).counts()["fd"] == 0
    assert is_absent(deep(LEVELS, None)) is False


def test_memory_is_linear_in_depth() -> None:
    """A document of many levels takes some hundred bytes for each, whatever is asked of it."""
    value = deep(LEVELS)
    tracemalloc.start()
    for function in (plain, canonical, written, within_bounds, cycle_path, is_absent):
        function(value)
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert most < LEVELS * 1_500


def test_deep_documents_are_inferred_from() -> None:
    """A spec is made of documents of any depth, as far down as they are compared."""
    for value in (deep(LEVELS), deep(LEVELS + 1), shared(40)):
        document = {"total": 5, "x": value}
        plan = Plan.compile(Spec.infer([document, document]))
        assert plan.compare(document, document).counts()["fd"] == 0


def test_confidences_of_deep_values_take_no_room() -> None:
    """Rich values far down are unwrapped; their confidences, which no compared value has, are left out."""
    value: Json = "end"
    for _ in range(20_000):
        value = {"_value": {"a": value}, "_confidence": 0.5}
    unwrapped = unwrap(value)
    assert len(unwrapped.confidences) < 300
    assert cycle_path(unwrapped.document) is None


@pytest.mark.parametrize("name", ["plain", ""])
def test_fields_of_several_shapes_and_without_a_name_have_rows(tmp_path: Path, name: str) -> None:
    """Every value of a document has its row, also of a field that may be a text or an object, whatever its name."""
    schema = {
        "type": "object",
        "properties": {name: {"type": "string"}, "either": {"anyOf": [{"type": "string"}, ROW]}},
    }
    pairs = [
        ("same", {name: "a", "either": "x"}, {name: "a", "either": "x"}),
        ("wrong", {name: "a", "either": "x"}, {name: "b", "either": "x"}),
        ("missed", {name: "a", "either": "x"}, {"either": "y"}),
    ]
    found = evaluate_pairs(pairs, Spec.from_json_schema(schema), out=tmp_path / "out")
    assert len(stored_rows(tmp_path / "out", "verdicts")) == 6
    assert (found.metrics.aggregate.tp, found.metrics.fields["either"].tp) == (3, 2)


@pytest.mark.parametrize("seed", range(8, 16))
def test_hostile_pairs_are_compared(seed: int) -> None:
    """A part of what ``make attacks`` compares; one batch is evaluated into a folder, with its report."""
    run_batch(seed, 120)


def test_rows_with_keys_of_any_type_are_put_in_order() -> None:
    """Where totals tie, rows with keys that are no texts have an order, too."""
    inner = {"type": "object", "properties": {"a": {"type": "string"}}}
    rows = {"type": "array", "items": {"type": "object", "properties": {"inner": inner, "n": {"type": "string"}}}}
    plan = Plan.compile(Spec.from_json_schema({"type": "object", "properties": {"rows": rows}}))
    odd: Json = {1: "a", "1": "b", None: "c", (1, 2): "d"}
    document = {"rows": [{"inner": odd, "n": "x"}, {"inner": {"a": "y"}, "n": "x"}, {"inner": odd, "n": "x"}]}
    compare_all(plan, document, {"rows": [*document["rows"][::-1], {"n": "x"}]})


def test_amounts_that_are_arrays_are_compared() -> None:
    """Arrays have no equality that is true or false; they are values as any other."""
    field = {"type": "number", "x-fieldwise-comparator": "Amount"}
    plan = Plan.compile(Spec.from_json_schema({"type": "object", "properties": {"total": field}}))
    for value in (np.array([]), np.array([1.0, 2.0]), np.zeros((2, 0))):
        compare_all(plan, {"total": value}, {"total": value.copy()})


def test_names_that_no_file_can_hold_are_the_same_in_specs_and_documents() -> None:
    """A field whose name is half of a surrogate pair is found in the documents of an evaluation."""
    spec = Spec.from_json_schema({"type": "object", "properties": {"\ud800": {"type": "string"}}})
    metrics = evaluate_pairs([("a", {"\ud800": "x"}, {"\ud800": "x"}), ("b", {"\ud800": "x"}, {})], spec).metrics
    assert (metrics.aggregate.tp, metrics.aggregate.fn) == (1, 1)
    assert list(metrics.fields) == ["\\\\ud800"]


def test_rows_have_fields_with_names_that_no_file_can_hold(tmp_path: Path) -> None:
    """Their paths are written with the escape."""
    item = {"type": "object", "properties": {"\ud800": {"type": "string"}}}
    spec = Spec.from_json_schema({"type": "object", "properties": {"rows": {"type": "array", "items": item}}})
    plan = Plan.compile(spec)
    document = {"rows": [{"\ud800": "x"}, {"\ud800": "y"}]}
    assert [row["path"] for row in verdicts_of(plan, [plan.compare(document, document)])] == [
        "rows[0].\\ud800",
        "rows[1].\\ud800",
    ]


def test_numbers_of_any_size_may_be_in_rows() -> None:
    """Rows are paired though a number in them is larger than floats are."""
    item = {"type": "object", "properties": {"n": {"type": "number"}, "m": {"type": "number"}}}
    plan = Plan.compile(
        Spec.from_json_schema({"type": "object", "properties": {"rows": {"type": "array", "items": item}}})
    )
    rows = [{"n": 10**400 + k, "m": k} for k in range(6)]
    assert plan.compare({"rows": rows}, {"rows": rows[::-1]}).counts()["tp"] == 12
    small = [{"n": k, "m": k} for k in range(6)]
    compare_all(plan, {"rows": rows}, {"rows": small})
    compare_all(plan, {"rows": small}, {"rows": rows})


def test_what_goes_on_for_ever_under_an_undeclared_key_ends() -> None:
    """Where totals tie, rows are put in order by what is undeclared, too, also by objects without an end."""
    item = {"type": "object", "properties": {"a": {"type": "string"}}}
    plan = Plan.compile(
        Spec.from_json_schema({"type": "object", "properties": {"rows": {"type": "array", "items": item}}})
    )
    rows = [
        {"a": "x", "later": Endless()},
        {"a": "x", "later": shared(40)},
        {"a": "x"},
        {"a": "x", "later": [Endless()]},
    ]
    compare_all(plan, {"rows": rows}, {"rows": rows[::-1]})


@pytest.mark.parametrize("run", ["a" * 20_000, "a." * 10_000, "a@" * 10_000, "a+" * 10_000, "@" * 20_000])
def test_a_long_run_beside_an_address_is_read_in_one_pass(run: str) -> None:
    """Addresses and links are looked for once in each run of characters, not from each of its letters."""
    scores = [TextComparator().compare(f"{run} a@b.org ://", f"{run} {other} ://") for other in ("a@b.org", "c@b.org")]
    assert scores[0] == 1.0 > scores[1]
