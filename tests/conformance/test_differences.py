"""Where we differ from the peer on purpose: one test for each row of docs/compatibility.md."""

from __future__ import annotations

import datetime as dt
import enum
import json
import uuid
from decimal import Decimal
from fractions import Fraction
from typing import Any, ClassVar

import pytest
from pydantic import ValidationError

from fieldwise import (
    ANLSStarComparator,
    BBoxIoUComparator,
    ComparableField,
    ExactComparator,
    FieldwiseError,
    NumericComparator,
    StructuredModel,
    anls_score,
    compare_json,
)

MATRIX: dict[str, Any] = {"include_confusion_matrix": True}
EVERYTHING: dict[str, Any] = {**MATRIX, "document_non_matches": True, "document_field_comparisons": True}


class Address(StructuredModel):
    street: str | None = ComparableField(threshold=0.8)
    city: str | None = ComparableField(comparator=ExactComparator())


class Item(StructuredModel):
    match_threshold: ClassVar[float] = 0.6
    sku: str | None = ComparableField(comparator=ExactComparator())
    qty: int | None = ComparableField(comparator=NumericComparator())


class Invoice(StructuredModel):
    number: str | None = ComparableField(comparator=ExactComparator(), weight=2.0)
    total: float | None = ComparableField(comparator=NumericComparator(tolerance=0.5))
    paid: bool | None = ComparableField()
    address: Address | None = ComparableField()
    items: list[Item] | None = ComparableField()
    tags: list[str] | None = ComparableField()


DOCUMENT: dict[str, Any] = {
    "number": "A-1",
    "total": 10.0,
    "paid": True,
    "address": {"street": "1 Main St", "city": "Rome"},
    "items": [{"sku": "X", "qty": 1}, {"sku": "Y", "qty": 2}],
    "tags": ["new", "urgent"],
}


def changed(**fields: Any) -> dict[str, Any]:
    return {**DOCUMENT, **fields}


@pytest.mark.parametrize(
    "fields",
    [
        {"number": 5},
        {"total": "ten"},
        {"paid": "perhaps"},
        {"address": "1 Main St"},
        {"items": {"sku": "X"}},
        {"items": ["X"]},
        {"items": [{"qty": 1.5}]},
        {"tags": "new"},
        {"tags": [5]},
    ],
)
def test_construction_is_strict_and_from_json_is_not(fields: dict[str, Any]) -> None:
    """Model(**data) refuses wrong types; from_json keeps them, and the rest of the document is scored as ever."""
    with pytest.raises(ValidationError):
        Invoice(**changed(**fields))
    with pytest.raises(ValidationError):
        Invoice.model_validate(changed(**fields))
    wrong = Invoice.from_json(changed(**fields))
    (name,) = fields
    assert getattr(wrong, name) == fields[name]
    result = Invoice(**DOCUMENT).compare_with(wrong, **EVERYTHING)
    scores = result["field_scores"]
    assert {n: score for n, score in scores.items() if n != name} == dict.fromkeys(scores.keys() - {name}, 1.0)
    assert scores[name] < 1.0
    assert result["confusion_matrix"]["fields"][name]["overall"]["all_fields_matched"] is False


@pytest.mark.parametrize(
    ("kind", "expected", "predicted", "matches"),
    [
        ("string", "5", 5, True),
        ("string", "true", True, True),
        ("string", "5", 6, False),
        ("string", "a", ["a"], False),
        ("string", "a", {"a": "a"}, False),
        ("number", 5, "5", True),
        ("number", 5, " 5.0 ", True),
        ("number", 1234.5, "1.234,50", True),
        ("number", 5, "five", False),
        ("number", 1, True, False),
        ("number", 5, [5], False),
        ("integer", 5, 5.0, True),
        ("integer", 5, "5", True),
        ("integer", 5, 5.5, False),
        ("boolean", True, True, True),
        ("boolean", True, "yes", False),
        ("boolean", True, "true", False),
        ("boolean", True, 1, False),
        ("boolean", False, 0, False),
    ],
)
def test_coercion(kind: str, expected: Any, predicted: Any, matches: bool) -> None:
    """A value is read as its field's type only where nothing is lost; booleans only from true and false."""
    model = StructuredModel.from_json_schema({"type": "object", "properties": {"f": {"type": kind}}})
    document, guess = {"f": expected}, {"f": predicted}
    assert model.plan().compare(document, guess).all_matched is matches
    assert model.from_json(document).compare_with(model.from_json(guess))["all_fields_matched"] is matches
    assert compare_json(document, guess, model)["all_fields_matched"] is matches


@pytest.mark.parametrize("root", [None, "text", 5, True, [], [1], [{"number": "A-1"}], float("nan")])
def test_any_root_is_compared(root: Any) -> None:
    """A document that is no object misses everything; nothing raises."""
    result = compare_json(DOCUMENT, root, Invoice)
    assert result["overall_score"] == 0.0
    assert set(result["field_scores"].values()) == {0.0}
    invented = compare_json(root, DOCUMENT, Invoice)
    assert set(invented["field_scores"].values()) == {0.0}
    counts = Invoice.plan().compare(DOCUMENT, root).counts()
    assert (counts["tp"], counts["fn"]) == (0, 11)


UNKNOWN = {
    **changed(vat=None, more={"deep": [1, None, 2]}),
    "address": {"street": "1 Main St", "city": "Rome", "zip": "1"},
    "items": [{"sku": "X", "qty": 1, "colour": "red"}, {"sku": "Y", "qty": 2}],
}


@pytest.mark.parametrize(("extras", "counted", "leaves"), [("root", 3, 0), ("ignore", 0, 0), ("leaves", 0, 4)])
def test_extras(extras: Any, counted: int, leaves: int) -> None:
    """Unknown keys count at the root, not at all, or each value at its own path, in list items too."""
    matrix = Invoice(**DOCUMENT).compare_with(Invoice.from_json(UNKNOWN), **MATRIX, unmatched="leaves", extras=extras)[
        "confusion_matrix"
    ]
    assert matrix["aggregate"]["fa"] == leaves
    if extras != "leaves":
        assert matrix["overall"]["fa"] == counted
    else:
        assert matrix["fields"]["items"]["fields"]["colour"]["aggregate"]["fa"] == 1
        assert matrix["fields"]["more"]["fields"]["deep"]["aggregate"]["fa"] == 2


def test_every_leaf_counts() -> None:
    """With unmatched="leaves" missing, extra and rejected items count leaf by leaf; by default they are forgotten."""
    expected = Invoice(items=[{"sku": s, "qty": q} for q, s in enumerate("ABCD")])
    predicted = Invoice(items=[{"sku": "A", "qty": 0}, {"sku": "B", "qty": 1}, {"sku": "Z", "qty": 9}])

    def leaves(unmatched: Any) -> dict[str, int]:
        node = expected.compare_with(predicted, **MATRIX, unmatched=unmatched)["confusion_matrix"]["fields"]["items"]
        assert (node["overall"]["tp"], node["overall"]["fd"], node["overall"]["fn"]) == (2, 1, 1)
        return {key: node["aggregate"][key] for key in ("tp", "fd", "fn", "fa")}

    assert leaves("objects") == {"tp": 4, "fd": 0, "fn": 0, "fa": 0}
    assert leaves("leaves") == {"tp": 4, "fd": 2, "fn": 2, "fa": 0}


def test_defaults_match_nothing() -> None:
    """A default is no value of the document: absent on both sides is absent, and against nothing it is no match."""
    schema = {"type": "object", "properties": {"a": {"type": "string", "default": "zz"}, "b": {"type": "string"}}}
    model = StructuredModel.from_json_schema(schema)
    for made in (model.from_json, model.model_validate):
        nodes = made({"b": "q"}).compare_with(made({"b": "q"}), **MATRIX)["confusion_matrix"]["fields"]
        assert (nodes["a"]["overall"]["tp"], nodes["a"]["overall"]["tn"]) == (0, 1)
        nodes = made({"a": "zz"}).compare_with(made({"b": "q"}), **MATRIX)["confusion_matrix"]["fields"]
        assert nodes["a"]["overall"]["fn"] == 1


class Colour(enum.Enum):
    RED = "red"
    BLUE = "blue"


@pytest.mark.parametrize(
    ("annotation", "value", "other"),
    [
        (dt.date, dt.date(2024, 1, 15), dt.date(2024, 1, 16)),
        (dt.datetime, dt.datetime(2024, 1, 15, 10), dt.datetime(2024, 1, 16, 10)),
        (dt.time, dt.time(10, 30), dt.time(10, 31)),
        (Decimal, Decimal("1.50"), Decimal("1.51")),
        (Colour, Colour.RED, Colour.BLUE),
        (uuid.UUID, uuid.UUID(int=1), uuid.UUID(int=2)),
        (tuple[int, int], (1, 2), (2, 1)),
        (set[str], {"a", "b"}, {"a", "c"}),
        (bytes, b"abc", b"xyz"),
        (dict[str, int], {"a": 1}, {"b": 2}),
        (Any, [1, "a"], "completely different"),
    ],
)
@pytest.mark.parametrize("default", [ComparableField(), None], ids=["declared", "bare"])
def test_typed_values_match_themselves(annotation: Any, value: Any, other: Any, default: Any) -> None:
    """Equal values of any type match, at the top, in a list item and in compare(); different ones do not."""
    names = {"__annotations__": {"f": annotation}, "f": default, "__module__": __name__}
    row: Any = type("Row", (StructuredModel,), names)
    names = {"__annotations__": {"rows": list[row]}, "rows": ComparableField(), "__module__": __name__}
    table: Any = type("Table", (StructuredModel,), names)
    assert row(f=value).compare_with(row(f=value))["all_fields_matched"] is True
    assert row(f=value).compare(row(f=value)) == 1.0
    assert row(f=value).compare_with(row(f=other))["all_fields_matched"] is False
    rows = [{"f": value}, {"f": other}]
    result = table(rows=rows).compare_with(table(rows=rows[::-1]), **EVERYTHING)
    assert result["all_fields_matched"] is True
    assert result["non_matches"] == []
    json.dumps(result)


@pytest.mark.parametrize("annotation", [list[float], tuple[float, float, float, float], Any])
def test_a_box_is_a_value(annotation: Any) -> None:
    """A bounding box is compared as one value by its overlap, not as four numbers."""
    names = {
        "__annotations__": {"box": annotation, "boxes": list[list[float]]},
        "box": ComparableField(comparator=BBoxIoUComparator()),
        "boxes": ComparableField(comparator=BBoxIoUComparator()),
        "__module__": __name__,
    }
    boxed: Any = type("Boxed", (StructuredModel,), names)
    here, near, away = [0.0, 0.0, 10.0, 10.0], [0.0, 0.0, 10.0, 8.0], [50.0, 50.0, 60.0, 60.0]
    result = boxed(box=here, boxes=[here, away]).compare_with(boxed(box=near, boxes=[away, near]), **MATRIX)
    assert result["field_scores"] == {"box": pytest.approx(0.8), "boxes": pytest.approx(0.9)}
    counts = {name: node["overall"]["tp"] for name, node in result["confusion_matrix"]["fields"].items()}
    assert counts == {"box": 1, "boxes": 2}


@pytest.mark.parametrize(
    "settings",
    [
        {"weight": -1},
        {"weight": float("inf")},
        {"weight": True},
        {"threshold": 1.01},
        {"threshold": -0.1},
        {"threshold": "0.5"},
        {"order": "sorted"},
        {"comparator": int},
        {"comparator": "Exact"},
    ],
)
def test_wrong_settings_are_refused(settings: dict[str, Any]) -> None:
    """A negative weight or an impossible threshold is a ValueError, before anything is compared."""
    with pytest.raises(ValueError, match="Expected") as caught:
        ComparableField(**settings)
    assert isinstance(caught.value, FieldwiseError)


def test_compare_is_before_thresholds() -> None:
    """compare() leaves out what is absent on both sides and keeps scores below the threshold."""

    class Five(StructuredModel):
        a: str | None = ComparableField(threshold=0.9)
        b: str | None = ComparableField()
        c: str | None = ComparableField()

    one, other = Five(a="abcd"), Five(a="abxx")
    assert one.compare(other) == 0.5
    assert one.compare_with(other)["overall_score"] == pytest.approx(2 / 3)
    assert one.comparison(other).weighted_score == 0.0
    assert Five().compare(Five()) == 1.0
    assert Five().comparison(Five()).weighted_score is None


def test_views_are_plain_json() -> None:
    """Every result can be dumped, lists of two and more included."""
    result = Invoice(**DOCUMENT).compare_with(Invoice(**changed(tags=["urgent", "now", "new"])), **EVERYTHING)
    assert json.loads(json.dumps(result))["field_scores"]["tags"] == pytest.approx(2 / 3)
    assert {type(score) for score in result["field_scores"].values()} == {float}
    assert {type(row["match"]) for row in result["field_comparisons"]} == {bool}


def test_scores_of_nested_nodes_in_lists_do_not_depend_on_the_order() -> None:
    """They are means over the pairs, so reversing the rows changes nothing."""

    class Row(StructuredModel):
        match_threshold: ClassVar[float] = 0.1
        key: str = ComparableField(comparator=ExactComparator())
        inner: Address = ComparableField()

    class Table(StructuredModel):
        rows: list[Row] = ComparableField()

    rows = [{"key": k, "inner": {"street": k, "city": k}} for k in ("aaa", "bbb")]
    guess = [rows[0], {"key": "bbb", "inner": {"street": "bbb", "city": "zzz"}}]
    expected, nodes = Table(rows=rows), []
    for order in (guess, guess[::-1]):
        for e in (rows, rows[::-1]):
            found = Table(rows=e).compare_with(Table(rows=order), **MATRIX)["confusion_matrix"]
            nodes.append(found["fields"]["rows"]["fields"]["inner"]["raw_similarity_score"])
    assert nodes == [0.75] * 4
    assert expected.compare_with(expected)["overall_score"] == 1.0


def test_ties_are_broken_by_position() -> None:
    """Rows that are equally alike pair in their order."""
    expected = Invoice(items=[{"sku": "A", "qty": 1}, {"sku": "A", "qty": 2}])
    predicted = Invoice(items=[{"sku": "A", "qty": 8}, {"sku": "A", "qty": 9}])
    entries = expected.compare_with(predicted, document_non_matches=True)["non_matches"]
    assert [(e["ground_truth_value"]["qty"], e["prediction_value"]["qty"]) for e in entries] == [(1, 8), (2, 9)]


def test_every_view_reads_one_pairing() -> None:
    """Matrix, non-matches and field comparisons of a list of values use the field's comparator and threshold."""

    class Lists(StructuredModel):
        near: list[float] = ComparableField(comparator=NumericComparator(absolute_tolerance=0.5))
        exact: list[str] = ComparableField(comparator=ExactComparator())

    result = Lists(near=[1.0], exact=["A"]).compare_with(Lists(near=[1.2], exact=["a"]), **EVERYTHING)
    nodes = result["confusion_matrix"]["fields"]
    assert (nodes["near"]["overall"]["tp"], nodes["exact"]["overall"]["fd"]) == (1, 1)
    assert [entry["field_path"] for entry in result["non_matches"]] == ["exact[0]"]
    assert [row["match"] for row in result["field_comparisons"]] == [True, False]


@pytest.mark.parametrize("nothing", [None, "", "  ", "\n"])
@pytest.mark.parametrize("other", [None, "", " "])
def test_one_definition_of_absent(nothing: Any, other: Any) -> None:
    """Blank text is absent at the top, in nested objects and in list items."""
    document = {"number": nothing, "address": {"city": nothing, "street": "s"}, "items": [{"sku": nothing, "qty": 1}]}
    guess = {"number": other, "address": {"city": other, "street": "s"}, "items": [{"sku": other, "qty": 1}]}
    result = compare_json(document, guess, Invoice)
    assert result["all_fields_matched"] is True
    outcomes = {v.path: v.outcome.value for v in Invoice.plan().compare(document, DOCUMENT).verdicts}
    assert (outcomes["number"], outcomes["address.city"], outcomes["items[0].sku"]) == ("fa", "fa", "fa")


@pytest.mark.parametrize("empty", [{}, {"street": None}, {"street": " ", "city": ""}])
def test_objects_of_nothing_are_absent(empty: dict[str, Any]) -> None:
    """An object without any value is no object: against another such it is absent, against a value it is missing."""
    absent = Invoice(address=empty).compare_with(Invoice(), **MATRIX)["confusion_matrix"]["fields"]["address"][
        "overall"
    ]
    assert (absent["tn"], absent["fn"]) == (1, 0)
    found = Invoice(address=empty).compare_with(Invoice(**DOCUMENT), **MATRIX)["confusion_matrix"]["fields"]["address"]
    assert (found["overall"]["fa"], found["overall"]["fd"]) == (1, 0)


def test_null_items_are_dropped() -> None:
    """A null element matches nothing and counts nothing, wherever it stands in the list."""

    class Loose(StructuredModel):
        items: list[Item | None] = ComparableField()

    x = {"sku": "X", "qty": 1}
    overall = Loose(items=[x]).compare_with(Loose(items=[None]), **MATRIX)["confusion_matrix"]["fields"]["items"]
    assert (overall["overall"]["tp"], overall["overall"]["fn"]) == (0, 1)
    result = Loose(items=[None, x]).compare_with(Loose(items=[x, None, None]), **EVERYTHING)
    assert result["all_fields_matched"] is True
    assert [row["expected_key"] for row in result["field_comparisons"]] == ["items[1].sku", "items[1].qty"]


RICH: dict[str, Any] = {
    "number": {"_value": "A-1", "_confidence": 0.9, "_bbox": [0, 0, 10, 10], "_page": 2},
    "total": {"value": 10.0, "confidence": 0.4},
    "address": {"_value": {"street": {"_value": "1 Main St", "_confidence": 0.7}, "city": "Rome"}, "_confidence": 0.8},
    "items": [{"sku": {"_value": "X", "_confidence": 0.3}, "qty": 1}, {"_value": {"sku": "Y", "qty": 2}}],
    "tags": ["new", {"_value": "urgent", "_confidence": 0.2}],
    "paid": True,
}


def test_rich_values_are_unwrapped() -> None:
    """Wrapped values, nested ones too and in the older spelling, compare as the values that they wrap."""
    made = Invoice.from_json(RICH)
    assert made.compare_with(Invoice(**DOCUMENT))["all_fields_matched"] is True
    assert made.get_all_confidences() == {
        "number": 0.9,
        "total": 0.4,
        "address": 0.8,
        "address.street": 0.7,
        "items[0].sku": 0.3,
        "tags[1]": 0.2,
    }
    assert made.get_field_confidence("address.street") == 0.7
    assert made.get_field_confidence("paid") is None
    assert made.get_field_extras("number") == {"_bbox": [0, 0, 10, 10], "_page": 2}
    assert made.get_all_extras() == {"number": {"_bbox": [0, 0, 10, 10], "_page": 2}}
    assert Invoice(**DOCUMENT).get_all_confidences() == {}


def test_deep_rich_values() -> None:
    """Wrappings may be as deep as the document."""
    value: Any = "x"
    for _ in range(100):
        value = {"_value": value}
    model = StructuredModel.from_json_schema({"type": "object", "properties": {"a": {"type": "string"}}})
    assert model.from_json({"a": value}).compare(model.from_json({"a": "x"})) == 1.0


def pairs(*marked: tuple[bool, float | None]) -> tuple[StructuredModel, StructuredModel]:
    """Return two documents whose fields match or not, with the prediction's confidences."""
    names = [f"f{k}" for k in range(len(marked))]
    schema = {"type": "object", "properties": {n: {"type": "string"} for n in names}}
    model = StructuredModel.from_json_schema(schema)
    predicted = {
        name: {"_value": "same" if match else "other", **({} if sure is None else {"_confidence": sure})}
        for name, (match, sure) in zip(names, marked, strict=True)
    }
    return model.from_json(dict.fromkeys(names, "same")), model.from_json(predicted)


def test_confidences_that_tell_nothing() -> None:
    """One class only has no AUROC; the older key says 0.5; an unusable confidence is counted, and raises nothing."""
    expected, predicted = pairs((True, 0.9), (True, 1.7), (True, None))
    result = expected.compare_with(predicted, add_confidence_metrics=True)
    assert result["confidence_metrics"]["overall"] == {"auroc": {"value": None}}
    assert result["auroc_confidence_metric"] == 0.5
    assert result["confidence_metrics"]["coverage"]["fields_with_confidence"] == 1
    assert result["confidence_metrics"]["coverage"]["unusable_confidences"] == 1


def boxes(*overlaps: tuple[list[int] | None, list[int] | None]) -> tuple[StructuredModel, StructuredModel]:
    names = [f"f{k}" for k in range(len(overlaps))]
    model = StructuredModel.from_json_schema(
        {"type": "object", "properties": {name: {"type": "string"} for name in names}}
    )
    sides = [
        {name: "v" if box is None else {"_value": "v", "_bbox": box} for name, box in zip(names, side, strict=True)}
        for side in zip(*overlaps, strict=True)
    ]
    return model.from_json(sides[0]), model.from_json(sides[1])


HERE, NEAR, AWAY = [0, 0, 10, 10], [0, 0, 10, 8], [50, 50, 60, 60]


def test_boxes_on_one_side() -> None:
    """A box that is not predicted is a miss; one that is not expected has no precision to speak of, and no zero."""
    expected, predicted = boxes((HERE, HERE), (HERE, None), (None, HERE))
    metrics = expected.compare_with(predicted, add_bbox_metrics=True)["bbox_metrics"]
    assert metrics["mean_ap"] == 0.5
    assert metrics["fields"]["f2"]["ap"] is None
    assert metrics["coverage"]["fields_with_bbox"] == 2
    none = boxes((None, None))
    assert none[0].compare_with(none[1], add_bbox_metrics=True)["bbox_metrics"]["mean_ap"] is None


@pytest.mark.parametrize("key", ["any_of", "_any_of"])
def test_alternates_inline(key: str) -> None:
    """Where the field declares it, the expected value itself may list what is acceptable."""

    class Place(StructuredModel):
        city: Any = ComparableField(comparator=ExactComparator(), alternates=True)
        code: Any = ComparableField(comparator=ExactComparator())

    plan = Place.plan()
    inline = {key: ["Köln", "Cologne"]}
    assert plan.compare({"city": inline}, {"city": "Cologne"}).all_matched
    assert not plan.compare({"city": inline}, {"city": "Bonn"}).all_matched
    assert not plan.compare({"code": inline}, {"code": "Cologne"}).all_matched
    assert Place.from_json({"city": inline}).compare_with(Place.from_json({"city": "Köln"}))["all_fields_matched"]


class Person(StructuredModel):
    match_threshold: ClassVar[float] = 0.5
    name: str | None = ComparableField(comparator=ExactComparator())
    born: str | None = ComparableField(comparator=ExactComparator())
    children: list[Person] | None = ComparableField()
    partner: Person | None = ComparableField(threshold=0.9)
    friend: Person | None = None


def test_classes_that_hold_themselves() -> None:
    """They are compared as deep as their instances go."""
    family = {"name": "a", "children": [{"name": "b", "children": [{"name": "c"}]}, {"name": "d"}]}
    other = {"name": "a", "children": [{"name": "d"}, {"name": "b", "children": [{"name": "x"}]}]}
    assert Person(**family).compare_with(Person(**family), **MATRIX)["all_fields_matched"] is True
    counts = Person.plan().compare(family, other).counts()
    assert (counts["tp"], counts["fd"]) == (3, 1)
    again = StructuredModel.from_json_schema(json.loads(json.dumps(Person.to_json_schema())))
    assert again.plan().fingerprint() == Person.plan().fingerprint()
    assert again.plan().compare(family, other).counts() == counts


def test_settings_of_a_field_that_holds_its_own_class() -> None:
    """Its threshold holds, and that of a bare annotation is 0.9, as for any other nested model."""
    for name in ("partner", "friend"):
        e, p = ({name: {"name": "a", "born": year}} for year in ("1990", "1991"))
        result = Person(**e).compare_with(Person(**p), **MATRIX)
        assert result["field_scores"][name] == 0.0
        assert result["confusion_matrix"]["fields"][name]["overall"]["fd"] == 1


def test_anls_score() -> None:
    """The tree score of two values; a tuple of expected values means any of them."""
    assert anls_score({"a": "x", "b": ["y", "z"]}, {"a": "x", "b": ["z", "y"]}) == 1.0
    assert anls_score(("Köln", "Cologne"), "Cologne") == 1.0
    assert ANLSStarComparator().compare({"a": "x"}, {"a": "x", "b": None}) == 1.0
    assert ANLSStarComparator().compare({"a": "x", "b": None}, {"a": "x"}) == 1.0


@pytest.mark.parametrize(
    ("expected", "predicted", "score"),
    [("1e5", "100000", 1.0), ("1/2", "0.5", 1.0), ("1/2", "12", 0.0), ("1,5", "1.5", 1.0), (Fraction(1, 2), 0.5, 1.0)],
)
def test_numbers_in_text(expected: Any, predicted: Any, score: float) -> None:
    """Exponents, fractions and decimal commas are read right."""
    assert NumericComparator().compare(expected, predicted) == score


@pytest.mark.parametrize(("a", "b"), [(0, 4), (100, 100.9), (0.0, 0.001), (5, 5)])
def test_tolerances_are_symmetric(a: float, b: float) -> None:
    """Which side is which does not matter, also where one of them is 0."""
    comparator = NumericComparator(relative_tolerance=0.01, absolute_tolerance=5)
    assert comparator.compare(a, b) == comparator.compare(b, a) == 1.0


def test_an_empty_list_is_absent_whatever_the_type() -> None:
    """Under Any, too, an empty list is nothing: absent on both sides, and no miss against null."""

    class Loose(StructuredModel):
        f: Any = ComparableField()

    nothings: list[Any] = [[], None, {}, ""]
    for other in nothings:
        overall = Loose(f=[]).compare_with(Loose(f=other), **MATRIX)["confusion_matrix"]["fields"]["f"]["overall"]
        assert {key: overall[key] for key in ("tp", "fd", "fa", "fn", "tn")} == {**NO_COUNTS, "tn": 1}


NO_COUNTS = dict.fromkeys(("tp", "fd", "fa", "fn", "tn"), 0)


def test_missing_items_have_no_actual_key() -> None:
    """The row of a missing list item has no key on the other side, in nested objects too."""

    class Outer(StructuredModel):
        inner: Invoice = ComparableField()

    result = Outer(inner={"tags": ["a", "b"]}).compare_with(Outer(inner={"tags": ["a"]}), **EVERYTHING)
    keys = {row["expected_key"]: row["actual_key"] for row in result["field_comparisons"]}
    assert (keys["inner.tags[0]"], keys["inner.tags[1]"]) == ("inner.tags[0]", None)


def test_settings_and_options_do_not_warn() -> None:
    """A threshold of 0, the older rich values and the metrics of confidences and boxes are taken without a word."""

    class Lenient(StructuredModel):
        f: str = ComparableField(threshold=0.0)

    made = Lenient.from_json({"f": {"value": "x", "confidence": 0.5}})
    made.compare_with(made, add_confidence_metrics=True, add_bbox_metrics=True)  # warnings are errors here
