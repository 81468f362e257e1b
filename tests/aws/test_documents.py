"""Evaluation results in S3: all of them are read, from both places of a matrix, whatever the network does."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest

from fieldwise.aws import documents, resolver
from tests.aws.faults import Faults, fault_proxy
from tests.aws.world import World, aggregated, matrix, result, section

pytestmark = pytest.mark.services


@pytest.fixture
def faults(world: World) -> Iterator[Faults]:
    """Put a proxy between the resolver and S3."""
    with fault_proxy(world.addresses["s3"]) as found:
        world.set(AWS_ENDPOINT_URL_S3=found.address, RESULT_READERS="4")
        yield found


def test_five_thousand_documents_are_what_the_aggregator_computes(world: World) -> None:
    """The fields of a large run equal the totals of its matrices, and the result is kept."""
    keys = [f"large/document {number:04d}.pdf" for number in range(5000)]
    held = {key: matrix(number % 105) for number, key in enumerate(keys)}
    world.put_results({key: result(section(found), weighted_overall_score=0.5) for key, found in held.items()})
    world.put_run("large", FilesCount=5000)
    run = world.query("getTestRun", testRunId="large")
    assert json.loads(run["fieldLevelMetrics"]) == aggregated((key, found, "Invoice") for key, found in held.items())
    assert json.loads(run["weightedOverallScores"]) == dict.fromkeys(keys, 0.5)
    assert run["avgWeightedOverallScore"] == 0.5
    assert len(world.cached("large")) == 1


def test_both_places_of_the_matrix_are_read(world: World) -> None:
    """A matrix among the metrics of a section counts, else that of its comparison result."""
    world.put_run("run")
    world.put_result("run/a", result(section(matrix(1)), section(matrix(2), name="W2")))
    world.put_result("run/b", result(section(matrix(3), place="raw")))
    held = [("run/a", matrix(1), "Invoice"), ("run/a", matrix(2), "W2"), ("run/b", matrix(3), "Invoice")]
    assert world.fields("run") == aggregated(held)
    assert resolver._get_field_level_metrics("run") == aggregated(held)


def test_weighted_scores_come_from_the_document_or_its_sections(world: World) -> None:
    """A document's own score counts, else the mean of its sections; excluded ones and those without have none."""
    world.put_run("run")
    world.put_result("run/own", result(section(matrix(1)), weighted_overall_score=0.75))
    world.put_result("run/sections", result(section(matrix(1)), section(matrix(2), place="raw")))
    world.put_result("run/excluded", result(evaluation_excluded=True, weighted_overall_score=0.0))
    world.put_result("run/null", result(section(matrix(1)), weighted_overall_score=None))
    world.put_result("run/odd", b'{"overall_metrics": {"weighted_overall_score": NaN}, "section_results": []}')
    run = world.query("getTestRun", testRunId="run")
    assert json.loads(run["weightedOverallScores"]) == {"run/own": 0.75, "run/sections": 0.375}
    assert run["avgWeightedOverallScore"] == 0.5625
    assert run["excludedDocumentCount"] == 1


UNREADABLE = {
    "run/text": (b"not JSON", "unreadable", "Expected JSON"),
    "run/cut": (b'{"section_results": [', "unreadable", "Expected JSON"),
    "run/bytes": (b"\xff\xfe\xff", "unreadable", "Expected JSON"),
    "run/null": (b"null", "unreadable", "Expected a result, got null"),
    "run/nothing": (b" {} ", "unreadable", "Expected a result, got {}"),
    "run/deep": (b"[" * 100_000, "unreadable", "Expected JSON"),
    "run/list": (b"[1]", "malformed_matrix", "Expected a confusion matrix, got list"),
    "run/count": (
        b'{"section_results": [{"metrics": {"confusion_matrix": {"fields": {"a": {"tp": -1}}}}}]}',
        "malformed_matrix",
        "Expected a count for 'tp', got a number below 0",
    ),
}


def test_documents_that_cannot_be_read_are_listed(world: World) -> None:
    """Each has its key, what kind of error it is and the reason; the others count."""
    world.put_run("run")
    world.put_result("run/good", result(section(matrix(1))))
    world.put_results({key: content for key, (content, _, _) in UNREADABLE.items()})
    found = world.fields("run")
    errors = {error["doc_id"]: error for error in found["errors"]}
    assert [error["doc_id"] for error in found["errors"]] == sorted(UNREADABLE)
    for key, (_, kind, reason) in UNREADABLE.items():
        assert errors[key].keys() == {"doc_id", "kind", "path", "error"}
        assert errors[key]["kind"] == kind
        assert errors[key]["error"].startswith(reason)
    good = aggregated([("run/good", matrix(1), "Invoice")])
    assert {**found, "errors": []} == good


def test_a_document_that_was_evaluated_and_has_no_result_is_listed(world: World) -> None:
    """Where results are listed, the documents' rows say which of them are missing; others have none to miss."""
    names = {"kept.pdf": "COMPLETED", "lost (ü).pdf": "COMPLETED", "bare.pdf": "NO_BASELINE", "broken.pdf": "FAILED"}
    world.put_run("run", [*names, "queued.pdf"])
    for name, status in names.items():
        world.put_document("run", name, ObjectStatus="COMPLETED", EvaluationStatus=status)
    world.put_result("run/kept.pdf", result(section(matrix(1))))
    found = world.fields("run")
    assert found["document_count"] == 1
    reason = "The document was evaluated, and its result is not there"
    assert found["errors"] == [{"doc_id": "run/lost (ü).pdf", "kind": "missing", "path": "", "error": reason}]


def test_an_object_that_is_too_large_is_not_loaded(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is in the errors with its size."""
    monkeypatch.setattr(documents, "MAX_BYTES", 1000)
    world.put_run("run")
    world.put_result("run/large", b" " * 1001)
    [error] = world.fields("run")["errors"]
    assert error == {
        "doc_id": "run/large",
        "kind": "unreadable",
        "path": "",
        "error": "Expected JSON: an object of at most 1000 bytes, got 1001",
    }


OUT_OF_RANGE: dict[str, tuple[dict[str, Any], str]] = {
    "run/confidence": ({"confidence": 55}, "Expected a confidence from 0 to 1, got 55"),
    "run/confidence below": ({"confidence": -1}, "Expected a confidence from 0 to 1, got -1"),
    "run/confidence huge": ({"confidence": 1e308}, "Expected a confidence from 0 to 1, got 1e+308"),
    "run/digits": ({"confidence": 10**400}, "Expected a confidence from 0 to 1, got a larger number"),
    "run/score": ({"score": 7}, "Expected a weighted score from 0 to 1, got 7"),
    "run/score below": ({"score": -5}, "Expected a weighted score from 0 to 1, got -5"),
    "run/score huge": ({"score": 1e308}, "Expected a weighted score from 0 to 1, got 1e+308"),
    "run/pages": (
        {"correctly_classified_pages": 1000},
        "Expected correctly_classified_pages of at most total_pages, got 1000 of 2",
    ),
    "run/no pages": ({"total_pages": 0}, "Expected correctly_classified_pages of at most total_pages, got 2 of 0"),
    "run/pages below": ({"total_pages": -3}, "Expected a whole number from 0 to 1000000000 in total_pages, got -3"),
    "run/half": ({"total_splits": 1.5}, "Expected a whole number from 0 to 1000000000 in total_splits, got 1.5"),
}


def _result_with(**odd: Any) -> dict[str, Any]:
    pages = dict.fromkeys(documents.SPLIT_COUNTS, 2)
    own = {**section(matrix(1)), "attributes": [{"name": "total", "confidence": odd.get("confidence", 0.5)}]}
    found = result(own, weighted_overall_score=odd.get("score", 0.5))
    return {**found, "doc_split_metrics": {**pages, **{key: odd[key] for key in odd.keys() & pages.keys()}}}


def test_numbers_that_cannot_be_are_malformed_results(world: World) -> None:
    """Such a result is listed with the number, and adds nothing; the run has the numbers of the others."""
    world.put_run("run")
    world.put_result("run/good", _result_with())
    world.put_results({key: _result_with(**odd) for key, (odd, _) in OUT_OF_RANGE.items()})
    run = world.query("getTestRun", testRunId="run")
    found = json.loads(run["fieldLevelMetrics"])
    errors = {error["doc_id"]: (error["kind"], error["error"]) for error in found["errors"]}
    assert errors == {key: ("malformed_result", reason) for key, (_, reason) in OUT_OF_RANGE.items()}
    assert {**found, "errors": []} == aggregated([("run/good", matrix(1), "Invoice")])
    assert (run["averageConfidence"], run["avgWeightedOverallScore"]) == (0.5, 0.5)
    assert json.loads(run["splitClassificationMetrics"])["page_level_accuracy"] == 1.0


def test_a_result_without_a_matrix_is_listed(world: World) -> None:
    """Among results with matrices, one of which none or not every scored section has one is an error with its key."""
    plain = {"section_id": "1", "document_class": "W2", "metrics": {"weighted_overall_score": 0.5}}
    skipped = {"section_id": "2", "document_class": "W2", "metrics": {"evaluation_skipped": True}}
    world.put_run("run")
    world.put_result("run/good", result(section(matrix(1)), skipped))
    world.put_result("run/none", result(plain))
    world.put_result("run/half", result(section(matrix(2)), plain))
    world.put_result("run/empty", result())
    world.put_result("run/excluded", result(evaluation_excluded=True))
    found = world.fields("run")
    without = "The result has no confusion matrix"
    assert [(error["doc_id"], error["kind"], error["error"]) for error in found["errors"]] == [
        ("run/empty", "no_matrix", without),
        ("run/half", "no_matrix", "1 of the 2 sections of the result has no confusion matrix"),
        ("run/none", "no_matrix", without),
    ]
    assert found["document_count"] == 2


def test_runs_older_than_matrices_have_no_field_metrics(world: World) -> None:
    """Their fields are null and nothing is an error; their scores are there."""
    world.put_run("old")
    plain = {"section_id": "1", "document_class": "W2", "metrics": {"weighted_overall_score": 0.5}}
    raw = {**plain, "stickler_comparison_result": {"overall_score": 0.5, "field_scores": {"a": 1.0}}}
    world.put_results({"old/a": result(plain), "old/b": result(raw, plain)})
    run = world.query("getTestRun", testRunId="old")
    assert run["fieldLevelMetrics"] is None
    assert run["confusionMatrix"] is None
    assert run["avgWeightedOverallScore"] == 0.5
    assert run["partErrors"] is None


@pytest.mark.parametrize(
    "run_id",
    ['it\'s "quoted"; DROP TABLE--', "50%_off", "año 実行 (ü) 😀", "a/b", "a+b&c=d?e#f", "..", " spaces "],
)
def test_any_text_may_be_the_id_of_a_run(world: World, run_id: str) -> None:
    """Quotes, wildcards, signs of addresses and every script name a run, and that run only."""
    world.put_run(run_id)
    world.put_run("50xxoff")
    world.put_result(f"{run_id}/ä 'b'.pdf", result(section(matrix(3))))
    world.put_result(f"{run_id}x/other", result(section(matrix(5))))
    world.put_result("50xxoff/other", result(section(matrix(5))))
    assert world.fields(run_id) == aggregated([(f"{run_id}/ä 'b'.pdf", matrix(3), "Invoice")])


def test_a_missing_bucket_is_said(world: World) -> None:
    """The run is answered; the part that failed says why, and is tried again next time."""
    world.put_run("run")
    world.put_result("run/a", result(section(matrix(1))))
    world.set(OUTPUT_BUCKET="no-such-bucket")
    run = world.query("getTestRun", testRunId="run")
    assert run["fieldLevelMetrics"] is None
    assert "NoSuchBucket" in json.loads(run["partErrors"])["documents"]
    world.set(OUTPUT_BUCKET=world.bucket)
    assert world.fields("run")["document_count"] == 1


def test_a_bucket_that_nobody_named_is_said(world: World) -> None:
    """The error names the setting."""
    world.put_run("run")
    world.set(OUTPUT_BUCKET="")
    parts = json.loads(world.query("getTestRun", testRunId="run")["partErrors"])
    assert parts["documents"].startswith("OUTPUT_BUCKET is not set")


def test_a_refused_object_is_listed(world: World) -> None:
    """Somebody else's signature is refused at once, and no read is repeated."""
    world.put_result("run/a", result(section(matrix(1))))
    world.set(AWS_SECRET_ACCESS_KEY="wrong")
    s3 = resolver.services().s3
    [found] = documents.read_documents(s3, world.bucket, ["run/a"], readers=2)
    assert isinstance(found, documents.UnreadDocument)
    assert found.reason.startswith("SignatureDoesNotMatch")
    assert found.kind == "denied"


def put_twenty(world: World) -> dict[str, object]:
    """Write a run of twenty documents and return its field metrics."""
    held = {f"run/{number:02d}": matrix(number) for number in range(20)}
    world.put_run("run")
    world.put_results({key: result(section(found)) for key, found in held.items()})
    return aggregated((key, found, "Invoice") for key, found in held.items())


def test_throttled_reads_are_repeated(world: World, faults: Faults) -> None:
    """Where S3 asks for patience, listing included, every document is read in the end."""
    expected = put_twenty(world)
    faults.throttled = range(1, 20, 2)
    assert world.fields("run") == expected
    assert faults.seen >= 30


def test_cut_connections_are_repeated(world: World, faults: Faults) -> None:
    """An answer that ends in its middle, or never comes, is asked for again."""
    expected = put_twenty(world)
    faults.cut, faults.dropped = range(2, 12, 2), range(3, 13, 2)
    assert world.fields("run") == expected
    assert faults.seen >= 31


def test_what_stays_unread_is_tried_again_next_time(
    world: World, faults: Faults, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A document that luck alone kept from being read is an error of this result, which is stale for that."""
    monkeypatch.setattr(documents, "_FIRST_PAUSE", 0.001)
    world.set(RESULT_READERS="1")
    expected = put_twenty(world)
    faults.throttled = range(10, 16)
    found = world.fields("run")
    [error] = found["errors"]
    assert error["kind"] == "transient"
    assert error["error"].startswith("SlowDown: ")
    assert found["document_count"] == 19
    assert world.fields("run") == expected


def test_a_store_that_is_out_of_reach_is_given_up(
    world: World, faults: Faults, monkeypatch: pytest.MonkeyPatch
) -> None:
    """After some documents in a row the rest is not tried; the part that failed says why."""
    monkeypatch.setattr(documents, "_FIRST_PAUSE", 0.001)
    put_twenty(world)
    world.set(RESULT_READERS="1")
    faults.dropped = range(2, 10_000)
    run = world.query("getTestRun", testRunId="run")
    assert "is out of reach" in json.loads(run["partErrors"])["documents"]
    assert faults.seen < 60
