"""Results in DynamoDB: used while they are good, replaced as a whole, in as many items as they need."""

from __future__ import annotations

import hashlib
import json
import zlib
from typing import Any

import boto3
import pytest

from fieldwise.aws import resolver
from tests.aws.services import preset_rows
from tests.aws.world import World, aggregated, matrix, result, section

pytestmark = pytest.mark.services


def put_document(world: World, name: str = "a", number: int = 1) -> None:
    """Write one more result of the run."""
    world.put_result(f"run/{name}", result(section(matrix(number))))


def large_matrix() -> dict[str, Any]:
    """Return a matrix whose field names cannot be compressed."""
    names = [hashlib.sha256(str(number).encode()).hexdigest() for number in range(13_000)]
    return {"fields": {name: {"tp": 1, "fd": 0} for name in names}}


def remember(world: World, **changes: Any) -> None:
    """Change what the cache holds, as an earlier version would have written it."""
    [head] = world.cached("run")
    held = json.loads(zlib.decompress(bytes(head["Data"])))
    kept = {name: value for name, value in {**held, **changes}.items() if value is not ...}
    data = zlib.compress(json.dumps(kept).encode())
    world.table.put_item(Item={**head, "Data": data, "Digest": hashlib.sha256(data).hexdigest()})


def queue(world: World) -> Any:
    """Give the resolver a queue, and return a function that takes the messages from it."""
    sqs = boto3.client("sqs")
    url = sqs.create_queue(QueueName=world.bucket)["QueueUrl"]
    world.set(TEST_RESULT_CACHE_UPDATE_QUEUE_URL=url)

    def messages() -> list[str]:
        received = sqs.receive_message(QueueUrl=url, MaxNumberOfMessages=10).get("Messages", [])
        return [json.loads(message["Body"])["testRunId"] for message in received]

    return messages


def test_a_cached_result_is_answered_without_reading_documents(world: World) -> None:
    """What was computed once is answered when the bucket is gone."""
    world.put_run("run")
    put_document(world)
    first = world.query("getTestRun", testRunId="run")
    world.set(OUTPUT_BUCKET="no-such-bucket")
    assert world.query("getTestRun", testRunId="run") == first
    assert json.loads(first["fieldLevelMetrics"])["document_count"] == 1


@pytest.mark.parametrize("change", ["CompletedFiles", "FailedFiles", "CompletedAt"])
def test_a_result_is_stale_when_the_run_has_changed(world: World, change: str) -> None:
    """Documents that finished later are counted when the run's row says so."""
    world.put_run("run")
    put_document(world)
    assert world.fields("run")["document_count"] == 1
    put_document(world, "b", 2)
    assert world.fields("run")["document_count"] == 1
    world.put_run("run", [], **{change: "2026-03-02" if change == "CompletedAt" else 2})
    assert world.fields("run")["document_count"] == 2


def test_a_result_of_an_earlier_version_is_computed_again(world: World) -> None:
    """One that lacks a key of this version is stale."""
    world.put_run("run")
    put_document(world)
    complete = world.query("getTestRun", testRunId="run")
    remember(world, excluded_document_count=...)
    assert world.query("getTestRun", testRunId="run") == complete
    assert "excluded_document_count" in json.loads(zlib.decompress(bytes(world.cached("run")[0]["Data"])))


def test_with_a_queue_a_stale_result_is_answered_and_updated_later(world: World) -> None:
    """The old numbers are answered at once, one message is sent, and it brings the new ones."""
    world.put_run("run")
    put_document(world)
    messages = queue(world)
    world.update("run")
    remember(world, excluded_document_count=...)
    put_document(world, "b", 2)
    assert world.fields("run")["document_count"] == 1
    assert world.fields("run")["document_count"] == 1
    assert messages() == ["run"]
    assert world.update("run") == {"batchItemFailures": []}
    assert world.fields("run")["document_count"] == 2
    assert messages() == []


def test_with_a_queue_a_run_without_a_result_is_still_evaluating(world: World) -> None:
    """It is answered without metrics; one message is sent, however often somebody asks."""
    world.put_run("run")
    put_document(world)
    messages = queue(world)
    for _ in range(3):
        run = world.query("getTestRun", testRunId="run")
        assert (run["status"], run["fieldLevelMetrics"]) == ("EVALUATING", None)
    assert world.query("getTestRunStatus", testRunId="run")["status"] == "EVALUATING"
    assert messages() == ["run"]
    world.update("run")
    assert world.query("getTestRun", testRunId="run")["status"] == "COMPLETE"
    assert world.query("getTestRunStatus", testRunId="run")["status"] == "COMPLETE"


def test_a_result_over_400_kb_is_kept_in_parts(world: World) -> None:
    """It is read back whole; a smaller one later takes its place, and no part is left."""
    world.put_run("run")
    world.put_result("run/a", result(section(large_matrix())))
    expected = aggregated([("run/a", large_matrix(), "Invoice")])
    assert world.fields("run") == expected
    head, *parts = world.cached("run")
    assert "Data" not in head
    assert len(parts) == head["Parts"] > 1
    assert sum(len(bytes(part["Data"])) for part in parts) > 400_000
    world.set(OUTPUT_BUCKET="no-such-bucket")
    assert world.fields("run") == expected
    world.set(OUTPUT_BUCKET=world.bucket)
    put_document(world)
    world.update("run")
    assert len(world.cached("run")) == 1
    assert world.fields("run") == aggregated([("run/a", matrix(1), "Invoice")])


def test_a_result_with_a_part_missing_is_computed_again(world: World) -> None:
    """What cannot be read back whole is as if it had never been cached."""
    world.put_run("run")
    world.put_result("run/a", result(section(large_matrix())))
    world.fields("run")
    lost = world.cached("run")[1]
    world.table.delete_item(Key={"PK": lost["PK"], "SK": lost["SK"]})
    assert world.fields("run") == aggregated([("run/a", large_matrix(), "Invoice")])
    head, *parts = world.cached("run")
    assert len(parts) == head["Parts"]


_LIST = zlib.compress(b"[]")
BROKEN: dict[str, dict[str, Any]] = {
    "no data": {"Data": ...},
    "no digest": {"Digest": ...},
    "no origin": {"MadeFrom": ...},
    "no number of parts, and no data": {"Parts": ..., "Data": ...},
    "data as text": {"Data": "text"},
    "data as a list": {"Data": [1, 2]},
    "data of other bytes": {"Data": b"other"},
    "an origin that is no JSON": {"MadeFrom": "{"},
    "an origin that is no text": {"MadeFrom": 3},
    "parts that are not there": {"Parts": 2},
    "parts as text": {"Parts": "two", "Generation": ...},
    "a list as the result": {"Data": _LIST, "Digest": hashlib.sha256(_LIST).hexdigest()},
    "a summary that is a list": {"Summary": "[1]", "Digest": "x"},
}


@pytest.mark.parametrize("broken", BROKEN)
def test_a_broken_result_is_as_if_it_had_never_been_cached(world: World, broken: str) -> None:
    """It is computed again, and replaced by a good one; lists of runs show the run without it."""
    world.put_run("run")
    put_document(world)
    first = world.query("getTestRun", testRunId="run")
    [head] = world.cached("run")
    changed = {name: value for name, value in {**head, **BROKEN[broken]}.items() if value is not ...}
    world.table.put_item(Item=changed)
    period = {"startDateTime": "2026-03-01T00:00:00Z", "endDateTime": "2026-03-02T00:00:00Z"}
    assert [run["testRunId"] for run in world.query("getTestRuns", **period)] == ["run"]
    assert world.query("getTestRun", testRunId="run") == first
    [mended] = world.cached("run")
    assert mended["Digest"] == head["Digest"]


def test_parts_that_a_killed_function_left_are_removed(world: World) -> None:
    """Old ones go with the next result; those of a function that may still be writing stay."""
    world.put_run("run")
    put_document(world)
    for generation in ("000000000000001-old", "999999999999999-young"):
        world.table.put_item(Item={"PK": "testrun#run", "SK": f"fieldmetrics#{generation}#00000", "Data": b"x"})
    world.update("run")
    assert [item["SK"] for item in world.cached("run")] == ["fieldmetrics", "fieldmetrics#999999999999999-young#00000"]


def test_what_fails_now_does_not_take_what_was_known(world: World) -> None:
    """Where a part cannot be computed, its earlier value stays, with the error beside it."""
    world.set(ATHENA_DATABASE="reporting")
    header: list[str | None] = ["context", "service_api", "unit", "value", "unit_cost", "estimated_cost", "unpriced"]
    preset_rows(world.addresses["athena"], [header, ["OCR", "textract/analyze", "pages", "10", "0.05", "0.5", "0"]])
    world.put_run("run")
    put_document(world)
    first = world.query("getTestRun", testRunId="run")
    assert first["totalCost"] == 0.5
    world.set(OUTPUT_BUCKET="no-such-bucket", AWS_ENDPOINT_URL_ATHENA="http://127.0.0.1:9")
    world.update("run")
    later = world.query("getTestRun", testRunId="run")
    assert json.loads(later.pop("partErrors")).keys() == {"documents", "cost"}
    assert later == {name: value for name, value in first.items() if name != "partErrors"}


def test_messages_that_cannot_be_processed_come_again(world: World) -> None:
    """Each message stands for itself; one about a run that was deleted is done with."""
    world.put_run("run")
    put_document(world)
    records = [
        {"messageId": "good", "body": '{"testRunId": "run"}'},
        {"messageId": "text", "body": "run"},
        {"messageId": "empty", "body": '{"testRunId": ""}'},
        {"messageId": "deleted", "body": '{"testRunId": "deleted"}'},
    ]
    answer = resolver.handle_cache_update_request({"Records": records})
    assert answer == {"batchItemFailures": [{"itemIdentifier": "text"}, {"itemIdentifier": "empty"}]}
    assert len(world.cached("run")) == 1
