"""Names of fields that are hard to write as a path: every JSON key works, and is never taken for another."""

from __future__ import annotations

import pytest

from fieldwise import (
    Plan,
    Spec,
    StructuredModel,
)
from tests.spec.samples import KEY, STRING, fingerprint, schema_of

HARD_NAMES = (
    "compare",
    "compare_with",
    "copy",
    "copy_",
    "json",
    "schema",
    "fields",
    "extra_fields",
    "match_threshold",
    "plan",
    "_x",
    "x",
    "_source",
    "__class__",
    "model_name",
    "model_fields",
    "model_config",
    "Invoice Number",
    "a.b",
    "x[0]",
    "back\\slash",
    "class",
    "None",
    "self",
    "cls",
    "1st",
    "",
    " ",
    "été",
    "数量",
    "🙂",
    "description",
    "required",
    "default",
    "type",
    "properties",
    "$ref",
    "value",
    "any_of",
)


HARD = schema_of(**{name: {"type": "string", f"{KEY}comparator": "Exact"} for name in HARD_NAMES})


HARD_MODEL = StructuredModel.from_json_schema(HARD)


def hard_document() -> dict[str, str]:
    return {name: f"value {k}" for k, name in enumerate(HARD_NAMES)}


@pytest.mark.parametrize("name", HARD_NAMES)
def test_every_json_key_works_as_a_field(name: str) -> None:
    """Models and plans find the one wrong value under its JSON name, and nothing else."""
    model = HARD_MODEL
    expected, predicted = hard_document(), {**hard_document(), name: "other"}
    scores = {n: float(n != name) for n in HARD_NAMES}
    by_model = model.from_json(expected).compare_with(model.from_json(predicted), document_non_matches=True)
    by_plan = Plan.compile(Spec.from_json_schema(HARD)).compare(expected, predicted)
    assert by_model["field_scores"] == scores
    assert by_plan.to_dict()["field_scores"] == scores
    assert [entry["field_path"] for entry in by_model["non_matches"]] == [name]
    assert [v.expected for v in by_plan.verdicts if v.outcome.value == "fd"] == [expected[name]]
    assert model.from_json(expected).extra_fields == {}


@pytest.mark.parametrize("name", HARD_NAMES)
def test_a_key_is_never_taken_for_another(name: str) -> None:
    """A document with one key fills one field, however the attributes of the class had to be renamed."""
    model = HARD_MODEL
    made = model.from_json({name: "v"})
    counts = made.compare_with(model.from_json({name: "v"}), include_confusion_matrix=True)["confusion_matrix"][
        "overall"
    ]
    assert (counts["tp"], counts["fa"], counts["tn"]) == (1, 0, len(HARD_NAMES) - 1)
    assert made.compare_field_raw(name, "v") == 1.0


def test_hard_names_come_back() -> None:
    """Names of any kind survive both exports."""
    spec = Spec.from_json_schema(HARD)
    assert fingerprint(Spec.from_json_schema(spec.to_json_schema())) == fingerprint(spec)
    assert fingerprint(Spec.from_config(spec.to_config())) == fingerprint(spec)


@pytest.mark.parametrize("name", HARD_NAMES)
def test_hard_names_of_objects_and_lists(name: str) -> None:
    """A hard name works for nested objects and lists of them, and in what a class exports."""
    schema = schema_of(**{name: {"type": "array", "items": schema_of(**{name: schema_of(**{name: STRING})})}})
    model = StructuredModel.from_json_schema(schema)
    document = {name: [{name: {name: "deep"}}]}
    result = model.from_json(document).compare_with(model.from_json(document), include_confusion_matrix=True)
    assert result["overall_score"] == 1.0
    inner = result["confusion_matrix"]["fields"][name]["fields"][name]["fields"][name]
    assert inner["overall"]["tp"] == 1
    for back in (model.to_json_schema(), Spec.from_config(model.to_stickler_config()).to_json_schema()):
        assert StructuredModel.from_json_schema(back).plan().fingerprint() == model.plan().fingerprint()


def test_paths_of_hard_names_are_escaped_and_can_be_given_back() -> None:
    """Dots and brackets in a name are escaped in our paths; alternates read such paths."""
    schema = schema_of(**{"a.b": {"type": "array", "items": schema_of(**{"x[0]": STRING})}})
    plan = Plan.compile(Spec.from_json_schema(schema))
    expected, predicted = {"a.b": [{"x[0]": "alpha"}]}, {"a.b": [{"x[0]": "zzzzz"}]}
    (verdict,) = plan.compare(expected, predicted).verdicts
    assert verdict.path == r"a\.b[0].x\[0]"
    assert plan.compare(expected, predicted, alternates={verdict.path: ["zzzzz"]}).score == 1.0
