"""StructuredModel and what is built on it: making instances, comparing them, and what came with their values."""

from __future__ import annotations

import datetime as dt
import enum
import json
import uuid
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any, Literal, Optional

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from pydantic import BaseModel, Field, ValidationError

from fieldwise import (
    BaseComparator,
    BBoxIoUComparator,
    ComparableField,
    DateComparator,
    EvalResult,
    ExactComparator,
    JudgeError,
    LevenshteinComparator,
    LLMComparator,
    NonMatchField,
    NonMatchType,
    NumericComparator,
    Outcome,
    Plan,
    SemanticComparator,
    SettingError,
    Spec,
    StructuredModel,
    compare_json,
    compare_structured_models,
    eval_for,
    evaluate,
)
from fieldwise.comparators.base import FunctionComparator
from fieldwise.stats.attached import IOU_THRESHOLDS, METRICS
from fieldwise.values import Json
from tests.strategies import ANY_JSON, examples


class Line(StructuredModel):
    sku: str = ComparableField(comparator=ExactComparator())
    quantity: int = ComparableField(comparator=NumericComparator())


class Address(StructuredModel):
    street: str = ComparableField()
    city: str = ComparableField()


class Invoice(StructuredModel):
    number: str = ComparableField(comparator=ExactComparator())
    total: float = ComparableField(comparator=NumericComparator(), threshold=1.0)
    paid: bool = ComparableField(comparator=ExactComparator())
    ship_to: Address = ComparableField()
    lines: list[Line] = ComparableField()
    tags: list[str] = ComparableField()


DOCUMENT: dict[str, Json] = {
    "number": "A-1",
    "total": 5.5,
    "paid": True,
    "ship_to": {"street": "Main St 1", "city": "Ulm"},
    "lines": [{"sku": "x", "quantity": 1}, {"sku": "y", "quantity": 2}],
    "tags": ["red", "blue"],
}


def counts(result: dict[str, Any], *path: str) -> dict[str, int]:
    """The counts that are not 0, of the root or of a field below it."""
    node = result["confusion_matrix"]
    for name in path:
        node = node["fields"][name]
    return {k: node["overall"][k] for k in ("tp", "fd", "fa", "fn", "tn") if node["overall"][k]}


def compared(expected: StructuredModel, predicted: Any) -> dict[str, Any]:
    return expected.compare_with(predicted, include_confusion_matrix=True)


# Making instances


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("number", 5),
        ("total", "five"),
        ("ship_to", "Main St 1"),
        ("lines", "x"),
        ("lines", [{"quantity": 5.5}]),
        ("tags", [["red"]]),
        ("number", None),
        ("number", {"_value": "A-1"}),
    ],
)
def test_construction_is_strict(name: str, value: Json) -> None:
    """`Model(**d)` refuses what pydantic refuses, `from_json` takes it."""
    with pytest.raises(ValidationError):
        Invoice(**{name: value})
    assert isinstance(Invoice.from_json({name: value}), Invoice)


def test_nothing_is_required_of_a_comparable_field() -> None:
    """A field that is left out is None."""
    assert Invoice().number is None
    assert Invoice(**DOCUMENT).total == 5.5


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("number", ["A-1"]),
        ("number", {"zz": 1}),
        ("total", [5.5]),
        ("total", {"amount": 5.5}),
        ("paid", "maybe"),
        ("paid", [True]),
    ],
)
def test_a_value_of_the_wrong_type_is_a_mismatch(name: str, value: Json) -> None:
    """`from_json` keeps it, the rest of the document is compared, and the verdict says `type`."""
    predicted = Invoice.from_json({**DOCUMENT, name: value})
    assert json.loads(json.dumps(getattr(predicted, name))) == value
    expected = Invoice.from_json(DOCUMENT)
    wrong = [v for v in expected.comparison(predicted).verdicts if v.outcome is not Outcome.MATCH]
    assert [(v.path, v.outcome) for v in wrong] == [(name, Outcome.MISMATCH)]
    assert wrong[0].reason.startswith("type")
    assert counts(compared(expected, predicted), name) == {"fd": 1}


@pytest.mark.parametrize(
    ("name", "value", "missed"),
    [
        ("ship_to", "Main St 1", ["ship_to.street", "ship_to.city"]),
        ("lines", "x", ["lines[0].sku", "lines[0].quantity", "lines[1].sku", "lines[1].quantity"]),
        ("tags", {"red": 1}, ["tags[0]", "tags[1]"]),
    ],
)
def test_a_scalar_where_an_object_or_list_belongs_misses_its_leaves(name: str, value: Json, missed: list[str]) -> None:
    """A value of the wrong kind where an object or list is expected: its expected leaves are missed."""
    comparison = Invoice.from_json(DOCUMENT).comparison(Invoice.from_json({**DOCUMENT, name: value}))
    assert [v.path for v in comparison.verdicts if v.outcome is Outcome.MISSED] == missed


@pytest.mark.parametrize(
    ("name", "value"), [("total", "5.5"), ("total", "$5.50"), ("paid", True), ("number", "A-1"), ("total", 5.5)]
)
def test_what_can_be_read_without_loss_is(name: str, value: Json) -> None:
    """A number in text counts as a number where the comparator reads it."""
    result = Invoice.from_json(DOCUMENT).compare_with(Invoice.from_json({**DOCUMENT, name: value}))
    assert result["all_fields_matched"] is True


def test_one_wrong_field_does_not_change_how_the_others_are_read() -> None:
    """Values beside a wrong one are validated as ever, in classes with defaults too."""

    class Defaulted(StructuredModel):
        day: dt.date = ComparableField()
        count: int = ComparableField(default=3)
        label: str = ComparableField()

    good, bad = {"day": "2024-01-15", "count": 7, "label": "a"}, {"day": "2024-01-15", "count": 7, "label": ["a"]}
    made = Defaulted.from_json(bad)
    assert (made.day, made.count) == (dt.date(2024, 1, 15), 7)
    result = compared(Defaulted.from_json(good), made)
    assert result["field_scores"] == {"day": 1.0, "count": 1.0, "label": 0.0}
    assert counts(result) == {"tp": 2, "fd": 1}


def test_unknown_keys_are_kept() -> None:
    """Keys that no field declares are extra fields; at the root each counts as one false alarm."""
    made = Invoice.from_json({**DOCUMENT, "currency": "EUR", "note": None})
    assert made.extra_fields == {"currency": "EUR", "note": None}
    assert counts(compared(Invoice.from_json(DOCUMENT), made))["fa"] == 2


@settings(max_examples=examples(60), deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(
    expected=ANY_JSON | st.fixed_dictionaries({}, optional=dict.fromkeys(DOCUMENT, ANY_JSON)),
    predicted=ANY_JSON | st.fixed_dictionaries({}, optional=dict.fromkeys(DOCUMENT, ANY_JSON)),
)
def test_compare_json_never_raises(expected: Json, predicted: Json) -> None:
    """Any two JSON values can be compared as instances of a class; the result is plain JSON."""
    result = compare_json(expected, predicted, Invoice)
    assert 0.0 <= result["overall_score"] <= 1.0
    assert result["field_scores"].keys() == DOCUMENT.keys()
    json.dumps(result["field_scores"])


@pytest.mark.parametrize("root", [None, 5, "text", True, [], [1], {}, {"zz": 1}])
def test_compare_json_takes_any_root(root: Json) -> None:
    """A prediction that is no object matches nothing; nothing is compared with nothing as equal."""
    assert compare_json(DOCUMENT, root, Invoice)["overall_score"] == 0.0
    assert compare_json(root, root, Invoice)["overall_score"] == 1.0


# Rich values


def test_rich_values_are_unwrapped_and_nest() -> None:
    """Wrapped values inside wrapped values are found, with paths into lists."""
    made = Invoice.from_json(
        {
            "number": {"_value": "A-1", "_confidence": 0.9, "_page": 2},
            "ship_to": {"_value": {"street": {"_value": "Main St 1", "_confidence": 0.8}, "city": "Ulm"}},
            "lines": {"_value": [{"sku": {"_value": "x", "_confidence": 0.7}}, {"_value": {"sku": "y"}, "_row": 5}]},
            "tags": ["red", {"_value": "blue", "_confidence": 0.6}],
        }
    )
    assert made.ship_to.street == "Main St 1"
    assert [line.sku for line in made.lines] == ["x", "y"]
    assert made.tags == ["red", "blue"]
    assert made.get_all_confidences() == {
        "number": 0.9,
        "ship_to.street": 0.8,
        "lines[0].sku": 0.7,
        "tags[1]": 0.6,
    }
    assert made.get_all_extras() == {"number": {"_page": 2}, "lines[1]": {"_row": 5}}
    assert made.get_field_confidence("lines[0].sku") == 0.7
    assert made.get_field_confidence("total") is None
    assert made.get_field_extras("number") == {"_page": 2}
    assert made.get_field_extras("total") == {}


def test_the_older_rich_values_are_unwrapped_too() -> None:
    """`value` and `confidence` together are a rich value; one of them alone is an object."""
    made = Invoice.from_json({"number": {"value": "A-1", "confidence": 0.4}, "total": {"value": 5.5}})
    assert made.number == "A-1"
    assert made.get_all_confidences() == {"number": 0.4}
    assert json.dumps(made.total) == '{"value": 5.5}'


def test_an_object_that_declares_such_fields_stays_as_it_is() -> None:
    """Where the class declares a field `value`, the object is no wrapping."""

    class Reading(StructuredModel):
        value: float = ComparableField()
        confidence: float = ComparableField()

    class Report(StructuredModel):
        reading: Reading = ComparableField()

    made = Report.from_json({"reading": {"value": 5, "confidence": 0.5}})
    assert made.reading.value == 5.0
    assert made.get_all_confidences() == {}


def test_rich_values_can_be_left_wrapped() -> None:
    """`process_rich_values=False` takes the JSON as it stands."""
    made = Invoice.from_json({"number": {"_value": "A-1", "_confidence": 0.9}}, process_rich_values=False)
    assert json.dumps(made.number) == '{"_value": "A-1", "_confidence": 0.9}'
    assert made.get_all_confidences() == {}


def test_constructed_models_came_with_nothing() -> None:
    """Without `from_json` there are no confidences, no extras and no raw JSON."""
    made = Invoice(**DOCUMENT)
    assert (made.get_all_confidences(), made.get_all_extras()) == ({}, {})
    assert "prediction_raw" not in made.compare_with(made)


EXPECTED_BOXES = {
    "number": {"_value": "A-1", "_bbox": [0, 0, 10, 8]},
    "total": {"_value": 5.5, "_bbox": [50, 50, 60, 60]},
}
PREDICTED_BOXES = {
    "number": {"_value": "A-1", "_bbox": [0, 0, 10, 10], "_confidence": 0.9},
    "total": {"_value": 6.5, "_bbox": [0, 0, 1, 1], "_confidence": 0.2},
}


def test_what_came_with_values_stands_in_the_result() -> None:
    """The prediction's JSON, its confidences and both sides' boxes are keys of the result."""
    predicted = Invoice.from_json(PREDICTED_BOXES)
    result = Invoice.from_json(EXPECTED_BOXES).compare_with(predicted)
    assert result["prediction_raw"] == PREDICTED_BOXES
    assert result["prediction_confidences"] == {"number": 0.9, "total": 0.2}
    assert result["ground_truth_bboxes"] == {"number": [0, 0, 10, 8], "total": [50, 50, 60, 60]}
    assert result["prediction_bboxes"] == {"number": [0, 0, 10, 10], "total": [0, 0, 1, 1]}
    plain = Invoice.from_json(DOCUMENT)
    assert plain.compare_with(plain).keys() & result.keys() >= {"prediction_raw", "field_scores"}
    assert "prediction_confidences" not in plain.compare_with(plain)
    assert "prediction_bboxes" not in plain.compare_with(plain)


# Metrics of confidences and boxes


def test_confidence_metrics() -> None:
    """Confidences join the compared values by path; coverage says how many had one."""
    predicted = {
        **DOCUMENT,
        "number": {"_value": "A-1", "_confidence": 0.9},
        "total": {"_value": 7, "_confidence": 0.3},
        "paid": {"_value": True, "_confidence": 0.2},
        "lines": [{"sku": {"_value": "x", "_confidence": 0.8}, "quantity": 1}, {"sku": "y", "quantity": 2}],
    }
    result = Invoice.from_json(DOCUMENT).compare_with(
        Invoice.from_json(predicted),
        add_confidence_metrics=True,
        confidence_metrics=["auroc", "brier_score", "ece", "error_capture_at_budget"],
        document_field_comparisons=True,
    )
    metrics = result["confidence_metrics"]
    pairs = [(True, 0.9), (False, 0.3), (True, 0.2), (True, 0.8)]
    assert metrics["overall"] == {name: metric(pairs) for name, metric in METRICS.items()}
    assert metrics["overall"]["auroc"]["value"] == pytest.approx(2 / 3)
    assert result["auroc_confidence_metric"] == pytest.approx(2 / 3)
    assert metrics["fields"]["total"]["brier_score"]["value"] == pytest.approx(0.09)
    assert set(metrics["fields"]) == {"number", "total", "paid", "lines[0].sku"}
    rows = [row for row in result["field_comparisons"] if row["actual_key"] is not None]
    assert metrics["coverage"] == {
        "fields_with_confidence": 4,
        "fields_total": len(rows),
        "ratio": 4 / len(rows),
    }
    json.dumps(metrics)


@pytest.mark.parametrize("confidence", [1.5, -0.1, "high", True, [0.5]])
def test_a_confidence_that_is_none_is_counted_and_not_used(confidence: Json) -> None:
    """A confidence outside of 0 to 1 changes no metric and does not stop the comparison."""
    predicted = Invoice.from_json({"number": {"_value": "A-1", "_confidence": confidence}})
    result = Invoice.from_json({"number": "A-1"}).compare_with(predicted, add_confidence_metrics=True)
    coverage = result["confidence_metrics"]["coverage"]
    assert (coverage["fields_with_confidence"], coverage["unusable_confidences"]) == (0, 1)
    assert result["confidence_metrics"]["overall"] == {"auroc": {"value": None}}


def test_unknown_metrics_and_overlaps_are_refused() -> None:
    """A misspelt metric gets a suggestion; an overlap outside of 0 to 1 is refused."""
    made = Invoice.from_json(DOCUMENT)
    with pytest.raises(SettingError, match="did you mean 'auroc'"):
        made.compare_with(made, add_confidence_metrics=True, confidence_metrics=["auroq"])
    with pytest.raises(SettingError, match="overlaps"):
        made.compare_with(made, add_bbox_metrics=True, bbox_iou_thresholds=[1.5])


def test_box_metrics_of_the_documented_example() -> None:
    """Two fields whose boxes overlap by 0.8 and 0.0: mean AP 0.35, 0.5 at an overlap of 0.5."""
    result = Invoice.from_json(EXPECTED_BOXES).compare_with(Invoice.from_json(PREDICTED_BOXES), add_bbox_metrics=True)
    metrics = result["bbox_metrics"]
    assert metrics["mean_ap"] == pytest.approx(0.35)
    assert metrics["map_50"] == pytest.approx(0.5)
    assert metrics["iou_thresholds"] == list(IOU_THRESHOLDS)
    assert metrics["fields"]["number"] == {
        "ap": pytest.approx(0.7),
        "ap_50": 1.0,
        "ap_75": 1.0,
        "mean_iou": pytest.approx(0.8),
        "num_gt": 1,
        "num_detections": 1,
    }
    assert metrics["fields"]["total"]["mean_iou"] == 0.0
    assert metrics["coverage"]["fields_with_bbox"] == 2


def test_boxes_of_list_items_are_one_field() -> None:
    """The boxes of a list's items count together under `lines[].sku`; a missing item is a missed box."""
    expected = {
        "lines": [
            {"sku": {"_value": "x", "_bbox": [0, 0, 1, 1]}, "quantity": 1},
            {"sku": {"_value": "y", "_bbox": [5, 5, 6, 6]}, "quantity": 2},
        ]
    }
    predicted = {"lines": [{"sku": {"_value": "y", "_bbox": [5, 5, 6, 6]}, "quantity": 2}]}
    metrics = Invoice.from_json(expected).compare_with(
        Invoice.from_json(predicted), add_bbox_metrics=True, bbox_iou_thresholds=0.5
    )["bbox_metrics"]
    assert set(metrics["fields"]) == {"lines[].sku"}
    row = metrics["fields"]["lines[].sku"]
    assert (row["num_gt"], row["num_detections"], row["mean_iou"]) == (2, 1, 1.0)
    assert metrics["mean_ap"] == pytest.approx(51 / 101)


# Comparing


def test_compare_field_raw_knows_no_threshold() -> None:
    """The similarity of one field with a value, whatever its threshold says; an unknown field is refused."""
    made = Invoice(**DOCUMENT)
    assert made.compare_field_raw("tags", ["red", "blue"]) == 1.0
    assert made.compare_field_raw("total", 7) == 0.0
    assert Address(street="abcd").compare_field_raw("street", "abxx") == 0.5
    with pytest.raises(SettingError, match="did you mean 'total'"):
        made.compare_field_raw("totl", 5)


def test_compare_recursive_has_the_counts_of_compare_with() -> None:
    """The same tree without aggregates and ratios."""
    expected, predicted = Invoice(**DOCUMENT), Invoice(**{**DOCUMENT, "total": 7.0, "lines": []})
    tree, full = expected.compare_recursive(predicted), compared(expected, predicted)["confusion_matrix"]

    def same_counts(left: dict[str, Any], right: dict[str, Any]) -> None:
        assert "aggregate" not in left
        assert "derived" not in left["overall"]
        for key in ("tp", "fd", "fa", "fn", "tn", "fp"):
            assert left["overall"][key] == right["overall"][key]
        assert left["fields"].keys() == right["fields"].keys()
        for name in left["fields"]:
            same_counts(left["fields"][name], right["fields"][name])

    same_counts(tree, full)


def test_the_ways_to_compare_agree() -> None:
    """compare_structured_models is compare_with; `compare` is the similarity before thresholds."""
    expected, predicted = Invoice(**DOCUMENT), Invoice(**{**DOCUMENT, "number": "A-2"})
    assert compare_structured_models(expected, predicted) == expected.compare_with(predicted)
    assert expected.compare(predicted) == expected.comparison(predicted).raw_score
    assert expected.comparison(predicted).to_dict() == expected.compare_with(predicted)


class OtherInvoice(BaseModel):
    number: str
    total: float


class Attributes:
    """Neither a model nor a mapping."""

    def __init__(self, **values: Json) -> None:
        self.__dict__.update(values)


class Renamed(StructuredModel):
    number: str = ComparableField(alias="Invoice Number")
    total: float = ComparableField(comparator=NumericComparator())


@pytest.mark.parametrize(
    ("other", "scores"),
    [
        ({"Invoice Number": "A-1", "total": 7}, {"Invoice Number": 1.0, "total": 0.0}),
        (Renamed(number="A-1", total=7), {"Invoice Number": 1.0, "total": 0.0}),
        (Attributes(number="A-1", total=5), {"Invoice Number": 1.0, "total": 1.0}),
        (Attributes(total=5), {"Invoice Number": 0.0, "total": 1.0}),
        (Attributes(), {"Invoice Number": 0.0, "total": 0.0}),
        (OtherInvoice(number="A-1", total=5), {"Invoice Number": 0.0, "total": 1.0}),
        ({}, {"Invoice Number": 0.0, "total": 0.0}),
        (None, {"Invoice Number": 0.0, "total": 0.0}),
        ("A-1", {"Invoice Number": 0.0, "total": 0.0}),
        ([1], {"Invoice Number": 0.0, "total": 0.0}),
    ],
    ids=["dict", "same class", "attributes", "one attribute", "no attribute", "other class", "{}", "None", "str", "[]"],
)
def test_the_other_side_may_be_anything(other: Any, scores: dict[str, float]) -> None:
    """Another class, a mapping or an object with attributes is read by names; anything else matches nothing."""
    result = Renamed(number="A-1", total=5).compare_with(other, document_non_matches=True)
    assert result["field_scores"] == scores


def test_aliases_key_every_view() -> None:
    """Scores, counts, non-matches and field comparisons are keyed by the JSON name."""
    result = Renamed(number="A-1", total=5).compare_with(
        Renamed(number="zzz", total=5),
        include_confusion_matrix=True,
        document_non_matches=True,
        document_field_comparisons=True,
    )
    assert set(result["confusion_matrix"]["fields"]) == {"Invoice Number", "total"}
    assert [entry["field_path"] for entry in result["non_matches"]] == ["Invoice Number"]
    assert [row["expected_key"] for row in result["field_comparisons"]] == ["Invoice Number", "total"]


def test_non_matches_are_typed_records() -> None:
    """Every entry of `non_matches` makes a NonMatchField; its type is one of NonMatchType."""
    expected = {**DOCUMENT, "paid": None}
    predicted = {**DOCUMENT, "number": "B-2", "total": None}
    result = Invoice.from_json(expected).compare_with(Invoice.from_json(predicted), document_non_matches=True)
    found = {entry["field_path"]: NonMatchField(**entry) for entry in result["non_matches"]}
    assert {path: entry.non_match_type for path, entry in found.items()} == {
        "number": NonMatchType.FALSE_DISCOVERY,
        "total": NonMatchType.FALSE_NEGATIVE,
        "paid": NonMatchType.FALSE_ALARM,
    }
    assert found["number"].ground_truth_value == "A-1"
    assert all(entry.details["reason"] for entry in found.values())
    assert NonMatchType("false_alarm") is NonMatchType.FALSE_ALARM
    assert NonMatchType.FALSE_ALARM.value == "false_alarm"


# Declaring


def test_aggregate_is_accepted_and_has_no_effect() -> None:
    """`aggregate=` of older code warns and changes nothing."""
    with pytest.warns(DeprecationWarning, match="leave it out"):
        field = ComparableField(aggregate=True, weight=2.0)

    class Counted(StructuredModel):
        name: str = field

    assert Counted.plan().root.fields["name"].weight == 2.0


def test_a_comparator_may_be_given_as_its_class() -> None:
    """A class is made with its default settings; one that needs settings is refused with the way out."""

    class Named(StructuredModel):
        name: str = ComparableField(comparator=ExactComparator)

    assert compared(Named(name="a"), Named(name="A"))["field_scores"]["name"] == 0.0
    with pytest.raises(SettingError, match=r"write FunctionComparator\(\.\.\.\) with them"):
        ComparableField(comparator=FunctionComparator)
    with pytest.raises(SettingError, match="got BaseComparator without it"):
        ComparableField(comparator=BaseComparator)


def test_a_subclass_may_override_compare() -> None:
    """A built-in comparator whose `compare` is overridden is asked through it, for values and for list items."""

    class Lenient(LevenshteinComparator):
        def compare(self, expected: Json, predicted: Json) -> float:
            return max(super().compare(expected, predicted), 0.5)

    class Listed(StructuredModel):
        name: str = ComparableField(comparator=Lenient(), threshold=0.5)
        tags: list[str] = ComparableField(comparator=Lenient, threshold=0.5)

    tags = list("abcde")
    result = compared(Listed(name="a", tags=tags), Listed(name="z", tags=list("vwxyz")))
    assert result["field_scores"] == {"name": 0.5, "tags": 0.5}


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"threshold": 0.8}, "no threshold"),
        ({"comparator": ExactComparator()}, "no comparator"),
    ],
)
def test_a_list_of_models_takes_no_settings_of_values(settings: dict[str, Any], words: str) -> None:
    """Refused with a ValueError where the class is defined; Levenshtein and a weight are fine."""
    with pytest.raises(ValueError, match=words):
        type(
            "Wrong",
            (StructuredModel,),
            {"__annotations__": {"lines": list[Line]}, "lines": ComparableField(**settings), "__module__": __name__},
        )

    class Right(StructuredModel):
        lines: list[Line] = ComparableField(comparator=LevenshteinComparator(), weight=2.0)

    assert Right.plan().root.fields["lines"].weight == 2.0


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"weight": -1}, "0 or more"),
        ({"weight": float("nan")}, "0 or more"),
        ({"weight": float("inf")}, "0 or more"),
        ({"weight": True}, "0 or more"),
        ({"threshold": 1.1}, "0 to 1"),
        ({"threshold": "0.5"}, "0 to 1"),
        ({"order": "positional"}, "did you mean 'position'"),
        ({"comparator": int}, "got the class int"),
        ({"comparator": "Exact"}, r"build\('Exact'\) makes one"),
    ],
)
def test_wrong_settings_of_a_field_are_refused(settings: dict[str, Any], words: str) -> None:
    """A negative weight, a threshold out of range, a class in place of a comparator: a ValueError."""
    with pytest.raises(SettingError, match=words):
        ComparableField(**settings)


def test_a_wrong_match_threshold_is_refused_with_the_class() -> None:
    """The class that declares it is named."""
    with pytest.raises(SettingError, match=r"match_threshold.* at Loose"):

        class Loose(StructuredModel):
            match_threshold = 1.5
            name: str = ComparableField()


def test_a_comparator_that_does_not_fit_is_refused_where_the_class_is_defined() -> None:
    """Numbers cannot be compared with objects without declared fields."""
    with pytest.raises(SettingError, match=r"cannot compare objects.* at Wrong\.free"):

        class Wrong(StructuredModel):
            free: dict[str, Any] = ComparableField(comparator=NumericComparator())


def test_text_comparators_read_objects_as_json() -> None:
    """A plan compares the canonical JSON of an object under a comparator of text; `compare_with` scores it as 0."""

    class Free(StructuredModel):
        free: dict[str, Any] = ComparableField(comparator=LevenshteinComparator())

    document, near = {"free": {"a": 1, "b": "xx"}}, {"free": {"b": "xy", "a": 1.0}}
    plan = Plan.compile(Free.spec())
    assert plan.compare(document, document).counts()["tp"] == 1
    assert plan.compare(document, near).verdicts[0].raw_score == pytest.approx(1 - 1 / len('{"a":1,"b":"xx"}'))
    assert plan.compare(document, {"free": 5}).verdicts[0].reason.startswith("type")
    assert compared(Free(**document), Free(**document))["field_scores"]["free"] == 0.0


@pytest.mark.parametrize(
    ("comparator", "expected", "predicted", "reason"),
    [
        (NumericComparator(relative_tolerance=0.001), 9306, 9308, "numeric ±0.1%: 1.000 ≥ 0.5"),
        (NumericComparator(), 5, 5.0, "numeric: the same"),
        (DateComparator(), "2024-01-15", "Jan 15, 2024", "date: 1.000 ≥ 0.5"),
        (LevenshteinComparator(), "Acme", "acme", "levenshtein: 1.000 ≥ 0.5"),
        (LevenshteinComparator(), "Acme", "Acme", "levenshtein: the same"),
    ],
)
def test_the_same_is_said_of_equal_values_only(
    comparator: BaseComparator, expected: Json, predicted: Json, reason: str
) -> None:
    """Where unequal values score 1, the reason gives the score."""

    class Any1(StructuredModel):
        value: Any = ComparableField(comparator=comparator, threshold=0.5)

    assert Any1(value=expected).comparison(Any1(value=predicted)).verdicts[0].reason == reason


def test_a_weight_of_zero_leaves_a_field_out_of_the_score() -> None:
    """The field is compared and counted, its score changes nothing."""

    class Weighed(StructuredModel):
        counted: str = ComparableField()
        shown: str = ComparableField(weight=0)

    result = compared(Weighed(counted="a", shown="b"), Weighed(counted="a", shown="zzz"))
    assert result["overall_score"] == 1.0
    assert counts(result) == {"tp": 1, "fd": 1}


class Colour(enum.Enum):
    RED = "red"
    BLUE = "blue"


class Typed(StructuredModel):
    day: dt.date = ComparableField(comparator=DateComparator())
    moment: dt.datetime = ComparableField()
    clock: dt.time = ComparableField()
    money: Decimal = ComparableField()
    colour: Colour = ComparableField()
    choice: Literal["a", "b"] = ComparableField()
    key: uuid.UUID = ComparableField()
    pair: tuple[int, int] = ComparableField()
    several: set[str] = ComparableField()
    frozen: frozenset[int] = ComparableField()
    raw: bytes = ComparableField()
    anything: Any = ComparableField(comparator=ExactComparator())


TYPED: dict[str, tuple[Any, Any]] = {
    "day": (dt.date(2024, 1, 15), dt.date(2024, 1, 16)),
    "moment": (dt.datetime(2024, 1, 15, 10), dt.datetime(2024, 2, 15, 10)),
    "clock": (dt.time(10, 30), dt.time(10, 31)),
    "money": (Decimal("10.50"), Decimal("10.51")),
    "colour": (Colour.RED, Colour.BLUE),
    "choice": ("a", "b"),
    "key": (uuid.UUID(int=1), uuid.UUID(int=2)),
    "pair": ((1, 2), (2, 1)),
    "several": ({"a", "b"}, {"a", "c"}),
    "frozen": (frozenset({1}), frozenset({2})),
    "raw": (b"abc", b"abd"),
    "anything": ({"k": [1, (2, 3)]}, {"k": [1, (2, 4)]}),
}


@pytest.mark.parametrize("name", TYPED)
@pytest.mark.parametrize("place", ["field", "item"])
def test_equal_python_values_match_and_different_ones_do_not(name: str, place: str) -> None:
    """Dates, Decimals, Enums, UUIDs, tuples, sets and bytes are compared, at the top and in list items."""

    class Rows(StructuredModel):
        rows: list[Typed] = ComparableField()

    def made(value: Any) -> StructuredModel:
        typed = Typed(**{name: value})
        return Rows(rows=[typed]) if place == "item" else typed

    value, other = TYPED[name]
    same, different = compared(made(value), made(value)), compared(made(value), made(other))
    assert same["overall_score"] == 1.0
    assert same["all_fields_matched"] is True
    assert different["all_fields_matched"] is False
    assert different["overall_score"] < 1.0
    assert "fd" in counts(different, *(["rows"] if place == "item" else [name]))


@pytest.mark.parametrize("name", [n for n in TYPED if n != "anything"])
def test_python_values_equal_what_json_says_of_them(name: str) -> None:
    """An instance that was constructed matches one that was made from JSON."""
    made = Typed(**{name: TYPED[name][0]})
    again = Typed.from_json(json.loads(made.model_dump_json(include={name})))
    assert made.compare_with(again)["field_scores"][name] == 1.0


class Defaulted(StructuredModel):
    currency: str = ComparableField(default="EUR")
    lines: list[str] = ComparableField(default=["none"])
    name: str = ComparableField()


def test_a_default_never_makes_a_match_out_of_nothing() -> None:
    """What nobody gave is absent; what somebody gave counts, even if it equals the default."""
    assert counts(compared(Defaulted(name="a"), Defaulted(name="a"))) == {"tp": 1, "tn": 2}
    assert counts(compared(Defaulted(currency="EUR"), Defaulted())) == {"fn": 1, "tn": 2}
    assert counts(compared(Defaulted(currency="EUR"), Defaulted(currency="EUR"))) == {"tp": 1, "tn": 2}
    by_json = compared(Defaulted.from_json({"name": "a"}), Defaulted.from_json({"name": "a"}))
    assert counts(by_json) == {"tp": 1, "tn": 2}


def test_a_schema_default_never_makes_a_match_out_of_nothing() -> None:
    """A class made from a schema does not fill in its defaults."""
    schema = {"type": "object", "properties": {"a": {"type": "string", "default": "x"}, "b": {"type": "string"}}}
    model = StructuredModel.from_json_schema(schema)
    assert counts(compared(model.from_json({"b": "y"}), model.from_json({"b": "y"}))) == {"tp": 1, "tn": 1}


class Boxed(StructuredModel):
    box: list[float] = ComparableField(comparator=BBoxIoUComparator(), threshold=0.5)
    corners: tuple[float, float, float, float] = ComparableField(comparator=BBoxIoUComparator())
    boxes: list[list[float]] = ComparableField(comparator=BBoxIoUComparator())


def test_a_box_is_one_value() -> None:
    """Identical boxes are one match, overlapping ones score their overlap; a list of boxes is paired."""
    box, other, far = [0.0, 0.0, 10.0, 10.0], [0.0, 0.0, 10.0, 8.0], [50.0, 50.0, 60.0, 60.0]
    whole = Boxed(box=box, corners=(0, 0, 10, 10), boxes=[box, far])
    assert counts(compared(whole, whole)) == {"tp": 4}
    result = compared(whole, Boxed(box=other, corners=(50, 50, 60, 60), boxes=[far, other]))
    assert counts(result, "box") == {"tp": 1}
    assert result["field_scores"]["box"] == pytest.approx(0.8)
    assert counts(result, "corners") == {"fd": 1}
    assert counts(result, "boxes") == {"tp": 2}


# Alternates

CITY = {"type": "string", "x-aws-stickler-comparator": "Exact"}
PLACES = Plan.compile(
    Spec.from_json_schema(
        {
            "type": "object",
            "properties": {
                "city": {**CITY, "x-fieldwise-alternates": True},
                "land": CITY,
                "names": {"type": "array", "items": {"type": "string"}, "x-aws-stickler-comparator": "Exact"},
                "stops": {"type": "array", "items": {"type": "object", "properties": {"city": CITY, "day": CITY}}},
            },
        }
    )
)


@pytest.mark.parametrize(
    ("expected", "predicted", "alternates"),
    [
        ({"city": "Köln"}, {"city": "Cologne"}, {"city": ["Cologne"]}),
        ({"land": "DE"}, {"land": "Germany"}, {"land": ["Deutschland", "Germany"]}),
        ({"names": ["a", "b"]}, {"names": ["b", "x"]}, {"names[0]": ["x"]}),
        (
            {"stops": [{"city": "Köln", "day": "1"}, {"city": "Ulm", "day": "2"}]},
            {"stops": [{"city": "Ulm", "day": "2"}, {"city": "Cologne", "day": "1"}]},
            {"stops[0].city": ["Cologne"]},
        ),
        ({"land": "DE"}, {}, {"land": [None]}),
        ({}, {"land": "DE"}, {"land": ["DE"]}),
    ],
    ids=["declared", "second", "list", "list of objects", "may be absent", "may be present"],
)
def test_an_acceptable_value_matches(expected: Json, predicted: Json, alternates: dict[str, list[Json]]) -> None:
    """Alternates beside the expected document count wherever a path leads; the document itself still does."""
    assert not PLACES.compare(expected, predicted).all_matched
    assert PLACES.compare(expected, predicted, alternates=alternates).all_matched
    assert PLACES.compare(expected, expected, alternates=alternates).all_matched


def test_the_alternate_that_counted_is_reported() -> None:
    """The verdict holds the best value and its index; the expected document's own value has index 0."""
    alternates = {"land": ["Deutschland", "Germany"]}
    (verdict,) = [
        v
        for v in PLACES.compare({"land": "DE"}, {"land": "Germany"}, alternates=alternates).verdicts
        if v.path == "land"
    ]
    assert (verdict.alternate_index, verdict.expected, verdict.outcome) == (2, "Germany", Outcome.MATCH)
    (verdict,) = [
        v for v in PLACES.compare({"land": "DE"}, {"land": "DE"}, alternates=alternates).verdicts if v.path == "land"
    ]
    assert (verdict.alternate_index, verdict.expected) == (0, "DE")


@pytest.mark.parametrize(
    ("path", "words"),
    [
        ("contry", "No field 'contry'"),
        ("lnd", "did you mean 'land'"),
        ("stops[0].cty", "did you mean 'city'"),
        ("stops[7].city", "nothing at"),
        ("names.first", "nothing at"),
        ("city.name", "No field 'name'"),
        ("names[x]", "write it like"),
    ],
)
def test_alternates_for_an_unknown_path_are_refused(path: str, words: str) -> None:
    """A misspelt path is a SettingError, not an alternate that never counts."""
    expected = {"city": "Köln", "land": "DE", "names": ["a"], "stops": [{"city": "Ulm"}]}
    with pytest.raises(SettingError, match=words) as caught:
        PLACES.compare(expected, expected, alternates={path: ["x"]})
    assert caught.value.path == path


def test_alternates_are_a_list() -> None:
    """One text in place of a list of texts is refused."""
    with pytest.raises(SettingError, match="list of acceptable values"):
        PLACES.compare({"land": "DE"}, {}, alternates={"land": "Germany"})


def test_inline_alternates_count_only_where_they_are_declared() -> None:
    """`{"any_of": [...]}` is several values under x-fieldwise-alternates, an object of the wrong type elsewhere."""
    inline = {"any_of": ["Köln", "Cologne"]}
    comparison = PLACES.compare({"city": inline, "land": inline}, {"city": "Cologne", "land": "Cologne"})
    outcomes = {v.path: v.outcome for v in comparison.verdicts if v.outcome is not Outcome.ABSENT}
    assert outcomes == {"city": Outcome.MATCH, "land": Outcome.MISMATCH}


def test_a_field_of_a_class_can_declare_alternates() -> None:
    """ComparableField(alternates=True) does the same, for values and lists of values."""

    class Place(StructuredModel):
        city: str = ComparableField(alternates=True)
        names: list[str] = ComparableField(alternates=True, comparator=ExactComparator())

    expected = Place.from_json({"city": {"any_of": ["Köln", "Cologne"]}, "names": [{"any_of": ["a", "b"]}, "c"]})
    assert expected.compare_with(Place(city="Cologne", names=["c", "b"]))["all_fields_matched"] is True
    assert expected.compare_with(Place(city="Bonn", names=["c", "b"]))["all_fields_matched"] is False


# Classes that hold themselves


class Tree(StructuredModel):
    label: str = ComparableField(comparator=ExactComparator())
    children: list[Tree] = ComparableField()
    twin: Optional[Tree] = ComparableField()  # noqa: UP045  # as users write it


def test_a_class_may_hold_itself() -> None:
    """Trees are compared as deep as they go, whatever the order of their branches."""
    expected = Tree(label="a", children=[Tree(label="b", children=[Tree(label="c")]), Tree(label="d")])
    predicted = Tree(label="a", children=[Tree(label="d"), Tree(label="b", children=[Tree(label="x")])])
    assert expected.compare_with(expected)["all_fields_matched"] is True
    wrong = [v for v in expected.comparison(predicted).verdicts if v.outcome is Outcome.MISMATCH]
    assert [(v.path, v.predicted_path) for v in wrong] == [
        ("children[0].children[0].label", "children[1].children[0].label")
    ]
    deep = {"label": "a", "twin": {"label": "b", "twin": {"label": "c"}}}
    assert compare_json(deep, deep, Tree)["overall_score"] == 1.0
    assert "twin" in str(Tree.plan())


# Comparators of one's own


def initials(expected: str, predicted: str) -> float:
    """Score 1 for the same first letter."""
    return float(expected[:1] == predicted[:1])


class Halves(BaseComparator):
    """Scores one half to whatever is not equal."""

    def _compare(self, expected: Json, predicted: Json) -> float:
        return 1.0 if expected == predicted else 0.5


class Custom(StructuredModel):
    by_function: str = ComparableField(comparator=initials)
    by_class: str = ComparableField(comparator=Halves(), threshold=0.6, clip_under_threshold=False)
    by_lambda: list[int] = ComparableField(comparator=lambda e, p: max(1 - abs(e - p) / 10, 0), threshold=0.8)


def test_comparators_of_ones_own() -> None:
    """A function of two values or a class with `_compare` scores fields and list items."""
    expected = Custom(by_function="alpha", by_class="x", by_lambda=[1, 20])
    predicted = Custom(by_function="axis", by_class="y", by_lambda=[21, 9])
    result = compared(expected, predicted)
    assert result["field_scores"]["by_function"] == 1.0
    assert result["field_scores"]["by_class"] == 0.5
    assert counts(result, "by_class") == {"fd": 1}
    assert counts(result, "by_lambda") == {"tp": 1, "fd": 1}
    assert "initials" in str(Custom.plan())


def test_a_function_that_gives_no_score_is_named() -> None:
    """A result that is no number is an error that names the function."""

    def broken(expected: Json, predicted: Json) -> float:
        return "high"  # type: ignore[return-value]

    class Broken(StructuredModel):
        name: str = ComparableField(comparator=broken)

    with pytest.raises(SettingError, match="`broken`"):
        Broken(name="a").compare_with(Broken(name="b"))


def says_yes(prompt: str) -> str:
    return "TRUE"


def test_a_judge_in_a_list_is_refused_before_anything_is_compared() -> None:
    """Pairing would ask it about every pair of items; `allow_grid` allows that, outside of lists nothing is refused."""

    class Row(StructuredModel):
        name: str = ComparableField(comparator=LLMComparator(says_yes))

    class Sheet(StructuredModel):
        rows: list[Row] = ComparableField()

    class Names(StructuredModel):
        names: list[str] = ComparableField(comparator=LLMComparator(says_yes))

    class Allowed(StructuredModel):
        names: list[str] = ComparableField(comparator=LLMComparator(says_yes, allow_grid=True))

    for cls, path in ((Sheet, "rows.name"), (Names, "names")):
        with pytest.raises(SettingError, match="allow_grid") as caught:
            cls.plan()
        assert caught.value.path == path
    assert Row(name="a").compare_with(Row(name="b"))["all_fields_matched"] is True
    assert Allowed(names=["a"]).compare_with(Allowed(names=["b"]))["all_fields_matched"] is True


def test_a_judge_that_fails_is_an_error_and_no_score() -> None:
    """A model that raises is a JudgeError."""

    def fails(prompt: str) -> str:
        raise OSError("no line")

    class Row(StructuredModel):
        name: str = ComparableField(comparator=LLMComparator(fails))

    with pytest.raises(JudgeError, match="no line"):
        Row(name="a").compare_with(Row(name="b"))


MEANINGS = {"car": [1.0, 0.0], "automobile": [0.99, 0.1], "tree": [0.0, 1.0], "oak": [0.1, 0.95]}


def test_meanings_pair_the_items_of_lists() -> None:
    """A semantic comparator scores list items and rows; each text is embedded once."""
    asked: list[str] = []

    def embed(text: str) -> list[float]:
        asked.append(text)
        return MEANINGS[text]

    class Word(StructuredModel):
        match_threshold = 0.8
        text: str = ComparableField(comparator=SemanticComparator(embedding_function=embed), threshold=0.9)

    class Text(StructuredModel):
        words: list[str] = ComparableField(comparator=SemanticComparator(embedding_function=embed), threshold=0.9)
        rows: list[Word] = ComparableField()

    expected = Text(words=["car", "tree"], rows=[Word(text="car"), Word(text="tree")])
    predicted = Text(words=["oak", "automobile"], rows=[Word(text="oak"), Word(text="automobile")])
    result = compared(expected, predicted)
    assert counts(result, "words") == {"tp": 2}
    assert counts(result, "rows") == {"tp": 2}
    assert sorted(asked) == sorted([*MEANINGS, *MEANINGS])


# Comparing without declaring


class PlainLine(BaseModel):
    sku: str
    price: float


class PlainInvoice(BaseModel):
    invoice_id: str
    vendor_name: str
    total: float
    issued: dt.date
    notes: str = ""
    lines: list[PlainLine] = Field(default_factory=list)


@dataclass
class DataLine:
    sku: str
    price: float


@dataclass
class DataInvoice:
    invoice_id: str
    total: float
    lines: list[DataLine] = field(default_factory=list)


GOOD = PlainInvoice(
    invoice_id="A-1",
    vendor_name="Acme Ltd",
    total=100.0,
    issued=dt.date(2024, 1, 15),
    lines=[PlainLine(sku="x", price=1.0), PlainLine(sku="y", price=2.0)],
)


def test_evaluate_infers_how_to_compare() -> None:
    """Tolerances, dates and lists are compared by what names and types suggest."""
    near = GOOD.model_copy(update={"total": 100.05, "lines": list(reversed(GOOD.lines))})
    result = evaluate(GOOD, near)
    assert result.overall_score == 1.0
    assert (result.precision, result.recall, result.f1, result.accuracy) == (1.0, 1.0, 1.0, 1.0)
    assert result.matched
    assert result.non_matches == []


def test_an_eval_result_tells_what_is_wrong() -> None:
    """Scores, ratios, non-matches and reasons of one evaluation."""
    result = evaluate(GOOD, GOOD.model_copy(update={"invoice_id": "B-2", "total": 150.0}))
    assert isinstance(result, EvalResult)
    assert result.field_scores["invoice_id"] == 0.0
    assert {entry["field_path"] for entry in result.non_matches} == {"invoice_id", "total"}
    derived = result.confusion_matrix["overall"]["derived"]
    assert (result.precision, result.recall, result.f1) == (
        derived["cm_precision"],
        derived["cm_recall"],
        derived["cm_f1"],
    )
    assert result.raw["overall_score"] == result.overall_score
    assert result.matched == (result.overall_score >= 0.7)
    explained = result.explain()
    assert explained["invoice_id"]["score"] == 0.0
    assert explained["invoice_id"]["why"] == "inferred: the name contains 'id'"
    assert explained["lines.sku"]["comparator"] == "exact"
    assert "f1=" in repr(result)


def test_eval_for_takes_dicts_and_instances() -> None:
    """A spec of evaluation is made once for a class, and reads dicts, instances and dataclasses."""
    spec = eval_for(PlainInvoice)
    assert eval_for(PlainInvoice) is spec
    assert spec.evaluate(GOOD, GOOD.model_dump(mode="json")).overall_score == 1.0
    assert spec.evaluate({"total": 1}, {"total": "one"}).overall_score < 1.0
    assert spec.eval_model.plan().fingerprint() == spec.plan.fingerprint()
    data = DataInvoice("A-1", 5.0, [DataLine("x", 1.0)])
    assert evaluate(data, DataInvoice("A-1", 5.0, [DataLine("x", 1.0)])).overall_score == 1.0
    assert evaluate(data, DataInvoice("A-1", 5.0, [])).overall_score < 1.0


def test_weights_and_thresholds_of_an_evaluation() -> None:
    """Weight hints change the score, `match_threshold` what counts as matched; a StructuredModel keeps its own."""
    other = GOOD.model_copy(update={"invoice_id": "B-2"})
    assert evaluate(GOOD, other, weight_hints=True).overall_score < evaluate(GOOD, other).overall_score
    assert not evaluate(GOOD, other, match_threshold=0.99).matched
    assert eval_for(Tree).plan.fingerprint() == Tree.plan().fingerprint()
    assert eval_for(Tree).match_threshold == Tree.match_threshold
    with pytest.raises(SettingError, match="0 to 1"):
        eval_for(PlainInvoice, match_threshold=2.0)


@pytest.mark.parametrize("value", [{"total": 1}, 5, "text", None, [1]])
def test_evaluate_needs_an_instance(value: Json) -> None:
    """A dict has no class to infer from: TypeError, and `eval_for` is named."""
    with pytest.raises(TypeError, match="eval_for"):
        evaluate(value, value)
    with pytest.raises(TypeError, match="pydantic class or a dataclass"):
        eval_for(type(value))  # type: ignore[arg-type]  # the cache around it wants hashable classes


def test_a_class_from_a_plain_one() -> None:
    """`from_pydantic` makes a StructuredModel of the same name and fields, settings inferred."""
    model = StructuredModel.from_pydantic(PlainInvoice, weight_hints=True, match_threshold=0.5)
    assert list(model.model_fields) == list(PlainInvoice.model_fields)
    assert model.match_threshold == 0.5
    made = model.from_json(GOOD.model_dump(mode="json"))
    assert made.compare_with(GOOD)["all_fields_matched"] is True
    assert "inferred: the name contains 'vendor'" in str(model.plan())
