"""Every recorded result of the peer, held against ours: as models and as plain JSON.

``conformance/exemptions.json`` names the keys on which we differ on purpose, case by case; all others agree to 1e-9.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from pydantic import ValidationError

from fieldwise import Comparison, Plan, Spec, StructuredModel, compare_json
from tests.conformance.agreement import differences, matches
from tests.recorded import recorded

HERE = Path(__file__).parents[1]
RECURSIVE = "schema-error/recursive"


class Exemption(NamedTuple):
    """Keys of one case on which we differ, and why."""

    id: str
    difference: str
    reason: str
    keys: list[str]


CASES: list[dict[str, Any]] = recorded("comparison")["cases"]
EXEMPTIONS = [Exemption(**entry) for entry in json.loads((HERE / "conformance" / "exemptions.json").read_bytes())]
OBJECT_AS_TEXT = {"compare-error/lev-on-object", "compare-error/lev-on-object-in-list"}
SCORED = [case for case in CASES if "error" not in case]
PLAIN = [
    case
    for case in SCORED
    if not {"construct", "add_bbox_metrics"} & case["options"].keys() and case["id"] not in OBJECT_AS_TEXT
]
FAILED = {
    stage: [case for case in CASES if case.get("error", {}).get("stage") == stage] for stage in ("schema", "construct")
}


def each(cases: list[dict[str, Any]]) -> pytest.MarkDecorator:
    return pytest.mark.parametrize("case", cases, ids=lambda case: case["id"])


def as_models(case: Mapping[str, Any]) -> dict[str, Any]:
    model = StructuredModel.from_json_schema(case["schema"])
    options = dict(case["options"])
    tolerant = options.pop("construct", None) == "from_json"
    expected, predicted = (
        model.from_json(document) if tolerant else model(**document)
        for document in (case["ground_truth"], case["prediction"])
    )
    return {**expected.compare_with(predicted, **options), "compare()": expected.compare(predicted)}


def as_documents(case: Mapping[str, Any]) -> dict[str, Any]:
    comparison = compared(case)
    return {**comparison.to_dict(**case["options"]), "compare()": comparison.raw_score}


def compared(case: Mapping[str, Any]) -> Comparison:
    plan = Plan.compile(Spec.from_json_schema(case["schema"], defaults="stickler"), stickler=True)
    return plan.compare(case["ground_truth"], case["prediction"])


def check(case: Mapping[str, Any], ours: dict[str, Any]) -> None:
    """Every recorded key agrees or is exempt, and every exemption is needed."""
    theirs = {**case["result"], "compare()": case["compare"]}
    found = list(differences(theirs, json.loads(json.dumps(ours))))
    exempt = [key for exemption in EXEMPTIONS if exemption.id == case["id"] for key in exemption.keys]
    assert [d for d in found if not any(matches(key, d.path) for key in exempt)] == []
    assert [key for key in exempt if not any(matches(key, d.path) for d in found)] == [], "exemptions without a need"


@each(SCORED)
def test_models_give_the_recorded_result(case: dict[str, Any]) -> None:
    """Code written for the peer finds the peer's numbers under the peer's keys."""
    check(case, as_models(case))


@each(PLAIN)
def test_plain_documents_give_the_recorded_result(case: dict[str, Any]) -> None:
    """Two JSON documents under a plan give the same as two models."""
    check(case, as_documents(case))


def test_every_exemption_names_a_recorded_case() -> None:
    """An exemption belongs to a case with a result and to rows of the page on differences; none is written twice."""
    known = {case["id"] for case in CASES if "error" not in case}
    page = Path(__file__).parents[2] / "docs" / "compatibility.md"
    explained = set(re.findall(r"^\| ([^|]+?) \|", page.read_text(encoding="utf-8"), re.MULTILINE))
    assert [e for e in EXEMPTIONS if e.id not in known] == []
    assert [e for e in EXEMPTIONS if not explained.issuperset(e.difference.split(", ")) or not e.reason] == []
    named = Counter((e.id, key) for e in EXEMPTIONS for key in e.keys)
    assert [key for key, times in named.items() if times > 1] == []


@each([case for case in CASES if case["id"] in OBJECT_AS_TEXT])
def test_text_comparators_read_objects_as_json(case: dict[str, Any]) -> None:
    """What the peer scores as 0, as `compare_with` does, a plan compares as canonical JSON: the same is a match."""
    assert case["ground_truth"] == case["prediction"]
    plan = Plan.compile(Spec.from_json_schema(case["schema"], defaults="stickler"))
    assert plan.compare(case["ground_truth"], case["prediction"]).all_matched


@each([case for case in FAILED["schema"] if case["id"] != RECURSIVE])
def test_schemas_that_the_peer_refuses_are_refused(case: dict[str, Any]) -> None:
    """A wrong schema raises ValueError before any document is read."""
    with pytest.raises(ValueError, match=r"\w"):
        StructuredModel.from_json_schema(case["schema"])
    with pytest.raises(ValueError, match=r"\w"):
        Spec.from_json_schema(case["schema"], defaults="stickler")


@each([case for case in FAILED["schema"] if case["id"] == RECURSIVE])
def test_a_recursive_schema_is_accepted(case: dict[str, Any]) -> None:
    """A schema that holds itself compiles, and its documents compare with themselves without error."""
    model = StructuredModel.from_json_schema(case["schema"])
    document = model.from_json(case["ground_truth"])
    assert document.compare_with(document)["overall_score"] == 1.0
    assert compared({**case, "prediction": case["ground_truth"]}).all_matched


@each(FAILED["construct"])
def test_construction_stays_strict(case: dict[str, Any]) -> None:
    """A model made of a document of the wrong types raises what pydantic raises."""
    model = StructuredModel.from_json_schema(case["schema"])
    with pytest.raises(ValidationError):
        [model(**document) for document in (case["ground_truth"], case["prediction"])]


@each(FAILED["construct"])
def test_wrongly_typed_documents_are_scored(case: dict[str, Any]) -> None:
    """What the peer cannot construct is compared: by from_json, by compare_json and by the plan, all the same."""
    model = StructuredModel.from_json_schema(case["schema"])
    expected, predicted = model.from_json(case["ground_truth"]), model.from_json(case["prediction"])
    options = case["options"]
    by_plan = compared(case)
    result = expected.compare_with(predicted, **options)
    assert result.pop("prediction_raw") == case["prediction"]
    assert result == by_plan.to_dict(**options)
    assert compare_json(case["ground_truth"], case["prediction"], model)["overall_score"] == by_plan.score
    assert sum(by_plan.counts().values()) > 0


PAGE = HERE.parent / "docs" / "compatibility.md"


@pytest.mark.parametrize("difference", sorted({q for e in EXEMPTIONS for q in e.difference.split(", ")}))
def test_every_exempt_difference_is_on_the_page(difference: str) -> None:
    """The compatibility page has a row for each difference that an exemption cites."""
    rows = [row.split("|")[1] for row in PAGE.read_text("utf-8").splitlines() if row.startswith("| ")]
    assert difference in {cited.strip() for row in rows for cited in row.split(",")}


@pytest.mark.parametrize("test", re.findall(r"`(tests/[\w/]+\.py::\w+)`", PAGE.read_text("utf-8")))
def test_every_test_on_the_page_exists(test: str) -> None:
    """What the page says holds a row is there."""
    file, name = test.split("::")
    assert f"def {name}(" in (HERE.parent / file).read_text("utf-8")


# The recorded schemas and documents as specs


@each(SCORED)
def test_recorded_schemas_round_trip(case: dict[str, Any]) -> None:
    """A schema comes back from both exports as the same plan, and so does what its documents suggest."""
    schema = Spec.from_json_schema(case["schema"], defaults="stickler")
    inferred = [Spec.infer([case["ground_truth"]])] if case["ground_truth"] else []
    for spec in (schema, *inferred):
        plan = Plan.compile(spec, stickler=True)
        exported = json.loads(json.dumps(spec.to_json_schema()))
        again: list[Plan] = [
            Plan.compile(Spec.from_json_schema(exported), stickler=True),
            StructuredModel.from_json_schema(exported).plan(),
        ]
        configs = [Spec.from_config(json.loads(json.dumps(config))) for config in _configs(spec)]
        again += [Plan.compile(config, stickler=True) for config in configs]
        for other in again:
            assert other.fingerprint() == plan.fingerprint()
            both = [p.compare(case["ground_truth"], case["prediction"]).counts() for p in (plan, other)]
            assert both[0] == both[1]


def _configs(spec: Spec) -> list[dict[str, Any]]:
    try:
        return [spec.to_config()]
    except ValueError:
        return []  # unions of objects and lists in lists have no config


# The views against each other

HARD_NAMES = "compare-error/spaces-in-names"  # "x[0]" is a name there


@each([case for case in SCORED if case["id"] != HARD_NAMES])
def test_non_matches_and_matrix_tell_the_same(case: dict[str, Any]) -> None:
    """Every wrong, missed or invented leaf and list item that the matrix counts has its entry, and no other has."""
    result = compared(case).to_dict(include_confusion_matrix=True, document_non_matches=True)
    entries = [(entry["field_path"], entry["non_match_type"].value) for entry in result["non_matches"]]
    listed = Counter((re.sub(r"\[\d+\]", "", path), kind) for path, kind in entries)
    counted = {
        (path, kind): node["overall"][key]
        for path, node in nodes(result["confusion_matrix"])
        for key, kind in (("fd", "false_discovery"), ("fa", "false_alarm"), ("fn", "false_negative"))
        if node["overall"][key] and not (key == "fd" and "non_matches" in node)
    }
    assert listed == counted


def nodes(tree: Mapping[str, Any], prefix: str = "") -> Iterator[tuple[str, Mapping[str, Any]]]:
    """Yield every node of a matrix; that of a nested object has ``non_matches``, and its wrong leaves their entries."""
    for name, node in tree["fields"].items():
        yield prefix + name, node
        yield from nodes(node, f"{prefix}{name}.")
