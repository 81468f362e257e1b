"""AppSync's queries: shapes, statuses, lists, comparisons, and what is refused."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from fieldwise import Metrics
from fieldwise.aws import resolver
from fieldwise.aws.answers import AWS_JSON
from fieldwise.aws.runs import Progress
from fieldwise.aws.services import Settings, SettingsError
from tests.aws.services import preset_rows
from tests.aws.world import World, matrix, result, section
from tests.command_line import run as command
from tests.sections import EXPECTED, PREDICTED, write_sections

services = pytest.mark.services
FIELDS = {"Invoice": ["number", "total"], "Receipt": ["shop", "total"]}
COSTS: list[list[str | None]] = [
    ["context", "service_api", "unit", "value", "unit_cost", "estimated_cost", "unpriced"],
    ["Extraction", "bedrock/claude", "inputTokens", "2000", "0.001", "2.0", "0"],
    ["OCR", "textract/analyze", "pages", "10", "0.05", "0.5", "0"],
    ["OCR", "textract/new", "pages", "3", None, None, "3"],
]


@services
def test_a_test_run_has_the_keys_of_the_schema(world: World) -> None:
    """JSON inside is text; numbers of all values are derived from the fields; the row gives the rest."""
    world.put_run("run", ["a", "b"], Context="nightly", ConfigVersion="v2", Config={"model": "m", "top_p": 0.5})
    counts = {"total_pages": 4, "total_splits": 2, "correctly_classified_pages": 3}
    split = {**counts, "correctly_split_without_order": 2, "correctly_split_with_order": 1}
    held = section({"aggregate": {"tp": 6, "fd": 1, "fa": 1, "fn": 2, "tn": 3}, "fields": {"a": {"tp": 6, "fd": 1}}})
    held["attributes"] = [{"confidence": 0.5}, {"confidence": 1}, {"confidence": None}, {"confidence": "high"}]
    world.put_result("run/a", {**result(held, weighted_overall_score=0.5), "doc_split_metrics": split})
    world.put_result("run/b", {**result(), "doc_split_metrics": split})
    run = world.query("getTestRun", testRunId="run")
    assert [name for name in AWS_JSON if not isinstance(run[name], str | None)] == []
    told = {name: json.loads(value) if name in AWS_JSON and value else value for name, value in run.items()}
    fields = told.pop("fieldLevelMetrics")
    assert fields["fields"]["a"]["precision"] == 6 / 7
    assert told == {
        "testRunId": "run",
        "testSetId": "invoices",
        "testSetName": "Invoices",
        "testSetVersion": None,
        "status": "COMPLETE",
        "filesCount": 2,
        "completedFiles": 2,
        "failedFiles": 0,
        "createdAt": "2026-03-01T10:00:00.000Z",
        "completedAt": "2026-03-01T11:00:00.000Z",
        "context": "nightly",
        "configVersion": "v2",
        "config": {"model": "m", "top_p": 0.5},
        "overallAccuracy": 9 / 13,
        "accuracyBreakdown": {
            "precision": 6 / 8,
            "recall": 6 / 8,
            "f1_score": 6 / 8,
            "false_alarm_rate": 1 / 4,
            "false_discovery_rate": 1 / 7,
        },
        "confusionMatrix": {"tp": 6, "fp": 2, "tn": 3, "fn": 2, "fd": 1, "fa": 1},
        "fieldMetrics": {
            "a": {
                "tp": 6,
                "fp": 1,
                "tn": 0,
                "fn": 0,
                "fd": 1,
                "fa": 0,
                "cm_precision": 6 / 7,
                "cm_recall": 1.0,
                "cm_f1": fields["fields"]["a"]["f1"],
                "cm_accuracy": 6 / 7,
            }
        },
        "splitClassificationMetrics": {
            **{name: 2 * value for name, value in split.items()},
            "page_level_accuracy": 0.75,
            "split_accuracy_without_order": 1.0,
            "split_accuracy_with_order": 0.5,
        },
        "weightedOverallScores": {"run/a": 0.5},
        "avgWeightedOverallScore": 0.5,
        "averageConfidence": 0.75,
        "excludedDocumentCount": 0,
        "totalCost": None,
        "costBreakdown": None,
        "partErrors": None,
        "confidenceMetrics": None,
        "gradedPacketMetrics": None,
        "classificationErrors": None,
    }


@services
def test_cost_comes_from_athena(world: World) -> None:
    """Sums by context, service and unit; what has no price is said to have none, and adds nothing."""
    world.set(ATHENA_DATABASE="reporting")
    preset_rows(world.addresses["athena"], COSTS)
    world.put_run("run")
    run = world.query("getTestRun", testRunId="run")
    assert run["totalCost"] == 2.5
    assert json.loads(run["costBreakdown"]) == {
        "Extraction": {
            "bedrock/claude_inputTokens": {
                "unit": "inputTokens",
                "value": 2000.0,
                "unit_cost": 0.001,
                "estimated_cost": 2.0,
            }
        },
        "OCR": {
            "textract/analyze_pages": {"unit": "pages", "value": 10.0, "unit_cost": 0.05, "estimated_cost": 0.5},
            "textract/new_pages": {
                "unit": "pages",
                "value": 3.0,
                "unit_cost": None,
                "estimated_cost": None,
                "unpriced": 3,
            },
        },
    }


@services
def test_document_keys_may_come_from_athena(world: World) -> None:
    """Documents that Athena names are read; one whose result is not there is listed as missing."""
    world.set(ATHENA_DATABASE="reporting", DOCUMENT_KEYS="athena")
    preset_rows(world.addresses["athena"], [["document_id"], ["run/b"], ["run/a"]])
    assert resolver._get_document_keys_for_test_run("run") == ["run/a", "run/b"]
    # The cost is asked for at the same time: whichever query comes first gets this one.
    world.put_run("run")
    world.put_result("run/a", result(section(matrix(1))))
    world.environment.setattr(resolver, "_get_cost_data_from_athena", lambda _: resolver._COST_PART)
    preset_rows(world.addresses["athena"], [["document_id"], ["run/b"], ["run/a"]])
    found = world.fields("run")
    assert found["document_count"] == 1
    assert [(error["doc_id"], error["kind"]) for error in found["errors"]] == [("run/b", "missing")]


@services
def test_what_another_resolver_left_is_shown_where_this_one_computes_nothing(world: World) -> None:
    """Confidence metrics of the row are answered, its field metrics are not."""
    left = {"confidenceMetrics": {"overall": {"ece": {"value": 0.25}}}, "confusionMatrix": {"tp": 99}, "totalCost": 7.5}
    world.put_run("run", testRunResult=left)
    world.put_result("run/a", result(section(matrix(1))))
    run = world.query("getTestRun", testRunId="run")
    assert json.loads(run["confidenceMetrics"]) == left["confidenceMetrics"]
    assert json.loads(run["confusionMatrix"])["tp"] < 99
    assert run["totalCost"] == 7.5


@services
def test_the_status_follows_from_the_documents_and_is_written_back(world: World) -> None:
    """A run closes when its documents are done, whoever asks first; nobody has to keep a page open."""
    names = [f"{number}.pdf" for number in range(250)]
    world.put_run("run", names, Status="QUEUED", CompletedFiles=0, CompletedAt=None)
    for name in names[:200]:
        world.put_document("run", name, ObjectStatus="COMPLETED", EvaluationStatus="COMPLETED")
    world.put_document("run", names[200], ObjectStatus="COMPLETED", EvaluationStatus="NO_BASELINE")
    world.put_document("run", names[201], ObjectStatus="RUNNING", EvaluationStatus="RUNNING")
    world.put_document("run", names[202], ObjectStatus="ABORTED")
    assert world.query("getTestRunStatus", testRunId="run") == {
        "testRunId": "run",
        "status": "EVALUATING",
        "filesCount": 250,
        "completedFiles": 201,
        "failedFiles": 1,
        "evaluatingFiles": 1,
        "progress": 80.8,
    }
    with pytest.raises(resolver.TestRunNotCompleteError, match="EVALUATING"):
        world.query("getTestRun", testRunId="run")
    for name in names[201:202] + names[203:]:
        world.put_document("run", name, ObjectStatus="COMPLETED", EvaluationStatus="COMPLETED")
    world.put_result("run/0.pdf", result(section(matrix(1))))
    run = world.query("getTestRun", testRunId="run")
    assert (run["status"], run["completedFiles"], run["failedFiles"]) == ("PARTIAL_COMPLETE", 249, 1)
    assert run["completedAt"] is not None
    assert json.loads(run["fieldLevelMetrics"])["document_count"] == 1
    stored = world.table.get_item(Key={"PK": "testrun#run", "SK": "metadata"})["Item"]
    assert (stored["Status"], stored["CompletedFiles"]) == ("PARTIAL_COMPLETE", 249)


@pytest.mark.parametrize(
    ("counts", "status"),
    [
        ((4, 4, 0, 0, 0), "COMPLETE"),
        ((4, 3, 1, 0, 0), "PARTIAL_COMPLETE"),
        ((4, 2, 1, 1, 0), "PARTIAL_COMPLETE"),
        ((4, 0, 4, 0, 0), "PARTIAL_COMPLETE"),
        ((4, 2, 0, 2, 0), "EVALUATING"),
        ((4, 1, 1, 1, 1), "EVALUATING"),
        ((4, 0, 0, 0, 4), "QUEUED"),
        ((0, 0, 0, 0, 0), "QUEUED"),
        ((4, 1, 0, 0, 3), "RUNNING"),
        ((4, 0, 0, 0, 3), "RUNNING"),
    ],
)
def test_one_table_of_statuses(counts: tuple[int, int, int, int, int], status: str) -> None:
    """Files, completed, failed, evaluating and queued ones decide."""
    files, completed, failed, evaluating, queued = counts
    progress = Progress(files=files, completed=completed, failed=failed, evaluating=evaluating, queued=queued)
    assert progress.status == status


@services
@pytest.mark.parametrize("status", ["FAILED", "ABORTED"])
def test_a_run_that_failed_is_answered_as_it_is(world: World, status: str) -> None:
    """Its status stays, whatever its documents say, and it has no metrics."""
    world.put_run("run", ["a"], Status=status)
    world.put_document("run", "a", ObjectStatus="COMPLETED", EvaluationStatus="COMPLETED")
    run = world.query("getTestRun", testRunId="run")
    assert (run["status"], run["fieldLevelMetrics"]) == (status, None)
    assert world.query("getTestRunStatus", testRunId="run")["status"] == status


@services
def test_runs_are_listed_newest_first(world: World) -> None:
    """Those of a period, with what is known of their results; documents and caches are not among them."""
    for number in range(130):
        moment = f"2026-03-01T{number // 10:02d}:{number % 10:02d}:30.5Z"
        world.put_run(f"run {number}", ["a"], InitialEventTime=moment, CreatedAt=None)
    world.put_result("run 5/a", result(section(matrix(1)), weighted_overall_score=0.25))
    world.update("run 5")
    period = {"startDateTime": "2026-03-01T00:00:00Z", "endDateTime": "2026-03-01T14:09:30+02:00"}
    runs = world.query("getTestRuns", **period)
    assert [run["testRunId"] for run in runs] == [f"run {number}" for number in reversed(range(130))]
    listed = {run["testRunId"]: run for run in runs}
    assert listed["run 5"]["avgWeightedOverallScore"] == 0.25
    assert listed["run 5"]["createdAt"] == "2026-03-01T00:05:30.5Z"
    assert "avgWeightedOverallScore" not in listed["run 6"]
    assert world.query("getTestRuns") == []
    assert len(world.query("getTestRuns", timePeriodHours=900_000)) == 130


@services
def test_runs_are_compared_with_the_settings_in_which_they_differ(world: World) -> None:
    """All metrics of both runs, and only the settings whose values are not the same."""
    shared = {"classes": [{"name": "W2"}], "ocr": {"features": []}}
    world.put_run("a", Config={**shared, "model": "small", "temperature": 0})
    world.put_run("b", Config=json.dumps({**shared, "model": "large", "temperature": 0.0, "note": None}))
    world.put_result("a/1", result(section(matrix(1))))
    world.put_result("b/1", result(section(matrix(3))))
    found = world.query("compareTestRuns", testRunIds=["a", "b", "a"])
    compared = json.loads(found["metrics"])
    assert list(compared) == ["a", "b"]
    assert compared["a"]["fieldLevelMetrics"] == world.fields("a")
    settings = {held["setting"]: json.loads(held["values"]) for held in found["configs"]}
    assert settings["model"] == {"a": "small", "b": "large"}
    assert not settings.keys() & {"classes[0].name", "ocr.features"}


REFUSED: list[tuple[str, dict[str, Any], str]] = [
    ("getTestRum", {}, "did you mean getTestRun?"),
    ("getTestRun", {}, "Expected the id of a test run in testRunId, got None"),
    ("getTestRun", {"testRunId": 7}, "got 7"),
    ("getTestRun", {"testRunId": "\ud800"}, "no Unicode"),
    ("getTestRun", {"testRunId": "x" * 1025}, "at most 1024 bytes"),
    ("compareTestRuns", {"testRunIds": []}, "Expected 1 to 20 ids"),
    ("compareTestRuns", {"testRunIds": "a"}, "Expected 1 to 20 ids"),
    ("getTestRuns", {"timePeriodHours": -1}, "Expected a number of hours above 0"),
    ("getTestRuns", {"timePeriodHours": "2"}, "Expected a number of hours above 0"),
    ("getTestRuns", {"startDateTime": "2026-03-01T00:00:00Z"}, "startDateTime and endDateTime together"),
    ("getTestRuns", {"startDateTime": "yesterday", "endDateTime": "today"}, "Expected a time such as"),
]


@pytest.mark.parametrize(("field", "arguments", "reason"), REFUSED)
def test_wrong_arguments_are_refused(field: str, arguments: dict[str, Any], reason: str) -> None:
    """Before any service is asked."""
    with pytest.raises(resolver.BadRequestError) as caught:
        resolver.handler({"info": {"fieldName": field}, "arguments": arguments})
    assert reason in str(caught.value)


ODD_EVENTS: tuple[Any, ...] = (
    *(None, [], "getTestRun", 3, {}, {"info": "x"}, {"info": {"fieldName": []}}, {"fieldName": []}, {"fieldName": {}}),
    {"fieldName": "getTestRun", "arguments": "run"},
    *({"Records": None}, {"Records": [None]}, {"Records": {"body": "{}"}}),
)


@pytest.mark.parametrize("event", ODD_EVENTS, ids=repr)
def test_odd_events_are_refused_in_a_sentence(event: Any) -> None:
    """Whatever somebody sends, the answer says what was expected."""
    with pytest.raises(resolver.BadRequestError, match=r"^Expected .*"):
        resolver.handler(event)


@services
def test_a_run_that_does_not_exist_is_said(world: World) -> None:
    """By name."""
    for field in ("getTestRun", "getTestRunStatus"):
        with pytest.raises(resolver.TestRunNotFoundError, match="There is no test run nobody"):
            world.query(field, testRunId="nobody")


@pytest.mark.parametrize(
    ("environment", "reason"),
    [
        ({}, "TRACKING_TABLE, which is not set"),
        ({"TRACKING_TABLE": ""}, "TRACKING_TABLE, which is not set"),
        ({"TRACKING_TABLE": "t", "DOCUMENT_KEYS": "list"}, "Expected listing or athena in DOCUMENT_KEYS, got 'list'"),
        ({"TRACKING_TABLE": "t", "DOCUMENT_KEYS": "athena"}, "ATHENA_DATABASE is not set"),
        ({"TRACKING_TABLE": "t", "RESULT_READERS": "0"}, "Expected a whole number above 0 in RESULT_READERS, got '0'"),
        ({"TRACKING_TABLE": "t", "CACHE_DAYS": "x"}, "Expected a whole number above 0 in CACHE_DAYS, got 'x'"),
    ],
)
def test_wrong_settings_are_refused(environment: dict[str, str], reason: str) -> None:
    """The message names the variable."""
    with pytest.raises(SettingsError, match=reason):
        Settings.from_environment(environment)


@services
@pytest.mark.parametrize("unmatched", ["leaves", "objects"])
def test_results_of_an_own_run_give_its_numbers(world: World, tmp_path: Path, unmatched: str) -> None:
    """Field metrics made of every results.json are those of the run's metrics.json, sections and classes included."""
    more: dict[str, Any] = {
        "unread.pdf": {"1": "{"},
        "cover.pdf": {"1": {"document_class": "Cover", "inference_result": {}}},
    }
    sides = write_sections(tmp_path / "e", {**EXPECTED, **more}), write_sections(tmp_path / "p", {**PREDICTED, **more})
    classes = {name: {"attributes": [{"name": f} for f in fields]} for name, fields in FIELDS.items()}
    (tmp_path / "classes.json").write_text(json.dumps(classes))
    only = "--config", tmp_path / "classes.json", "--other-classes", "exclude"
    out, documents = tmp_path / "out", tmp_path / "documents"
    command("evaluate", *sides, *only, "--out", out, "--results-json", documents, "--unmatched", unmatched)
    metrics = Metrics.from_json((out / "metrics.json").read_bytes())
    written = {path.parents[1].name: json.loads(path.read_bytes()) for path in documents.rglob("results.json")}
    world.put_run("own", sorted(written))
    for name, content in written.items():
        world.put_result(f"own/{name}", content)
    run = world.query("getTestRun", testRunId="own")
    found = json.loads(run["fieldLevelMetrics"])
    keys = ("tp", "fp", "tn", "fn", "fd", "fa", "precision", "recall", "f1", "accuracy")
    assert [(error["doc_id"], error["kind"]) for error in found["errors"]] == [("own/unread.pdf", "failed")]
    assert (run["excludedDocumentCount"], len(written)) == (1, 5)
    assert found["document_count"] == metrics.document_count == 3
    assert metrics.sections is not None
    assert metrics.sections.splitting is not None
    split = json.loads(run["splitClassificationMetrics"])
    assert split == {key: getattr(metrics.sections.splitting, key) for key in split}
    scores = [content["overall_metrics"]["weighted_overall_score"] for content in written.values()]
    known = [score for score in scores if score is not None]
    assert run["avgWeightedOverallScore"] == pytest.approx(sum(known) / len(known))
    for whole in ("overall", "aggregate"):
        assert {key: found[whole][key] for key in keys} == {key: getattr(getattr(metrics, whole), key) for key in keys}
    assert {path: {key: row[key] for key in keys} for path, row in found["fields"].items()} == {
        path: {key: getattr(row, key) for key in keys} for path, row in metrics.fields.items()
    }
