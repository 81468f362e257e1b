"""A test run as the pipeline leaves it: results in a bucket, rows of the run and of its documents in a table."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

import boto3
import pytest

from fieldwise import BulkEvaluationAggregator, Plan, Spec
from fieldwise.aws import resolver

Json = Any
PLAN = Plan.compile(
    Spec.from_json_schema(
        {
            "type": "object",
            "properties": {
                "number": {"type": "string"},
                "total": {"type": "number"},
                "vendor": {"type": "object", "properties": {"name": {"type": "string"}}},
                "rows": {"type": "array", "items": {"type": "object", "properties": {"sku": {"type": "string"}}}},
            },
        }
    )
)


def matrix(number: int) -> dict[str, Json]:
    """Return the confusion matrix of a document, compared by the engine; some of them are wrong somewhere."""
    expected: dict[str, Json] = {
        "number": f"INV-{number}",
        "total": number + 0.5,
        "vendor": {"name": "Müller & Söhne"},
        "rows": [{"sku": "A-1"}, {"sku": f"B-{number}"}],
    }
    predicted = {
        **expected,
        "total": expected["total"] if number % 3 else 0.25,
        "vendor": {"name": None} if number % 5 == 0 else expected["vendor"],
        "rows": [{"sku": "A-1"}] if number % 7 == 0 else [*expected["rows"], {"sku": "extra"}],
    }
    compared = PLAN.compare(expected, predicted).to_dict(include_confusion_matrix=True)
    found: dict[str, Json] = compared["confusion_matrix"]
    return found


def section(found: Json, *, name: str = "Invoice", place: str = "metrics") -> dict[str, Json]:
    """Return a section with its matrix in one of the two places."""
    held = {"confusion_matrix": found}
    if place == "metrics":
        return {"section_id": "1", "document_class": name, "metrics": {"weighted_overall_score": 0.5, **held}}
    return {
        "section_id": "1",
        "document_class": name,
        "metrics": {"f1_score": 0.5},
        "stickler_comparison_result": {"overall_score": 0.25, **held},
    }


def result(*sections: Json, **overall: Json) -> dict[str, Json]:
    """Return the content of a results.json."""
    return {"document_id": "some", "overall_metrics": overall, "section_results": list(sections)}


def aggregated(updates: Iterable[tuple[str, Json, str | None]]) -> dict[str, Json]:
    """Return what the aggregator computes of matrices, in the order of their keys; its errors say their kind."""
    aggregator = BulkEvaluationAggregator()
    for key, found, group in sorted(updates, key=lambda update: update[0]):
        aggregator.update(found, key, group=group)
    computed = aggregator.compute()
    return {**computed, "errors": [{"kind": "malformed_matrix", **error} for error in computed["errors"]]}


@dataclass
class World:
    """A bucket, a table and the environment of the resolver."""

    s3: Json
    table: Json
    bucket: str
    addresses: Mapping[str, str]
    environment: pytest.MonkeyPatch

    def set(self, **settings: str) -> None:
        """Set variables of the function's environment, as a new process would find them."""
        for name, value in settings.items():
            self.environment.setenv(name, value)
        resolver.services.cache_clear()

    def put_run(self, run_id: str, files: Sequence[str] = (), **more: Json) -> None:
        """Write the row of a run."""
        row = {
            "PK": f"testrun#{run_id}",
            "SK": "metadata",
            "ItemType": "testrun",
            "InitialEventTime": "2026-03-01T10:00:00.000Z",
            "TestRunId": run_id,
            "TestSetId": "invoices",
            "TestSetName": "Invoices",
            "Status": "COMPLETE",
            "FilesCount": len(files),
            "CompletedFiles": len(files),
            "FailedFiles": 0,
            "CreatedAt": "2026-03-01T10:00:00.000Z",
            "CompletedAt": "2026-03-01T11:00:00.000Z",
            **({"Files": list(files)} if files else {}),
            **more,
        }
        self.table.put_item(Item=json.loads(json.dumps(row), parse_float=Decimal))

    def put_document(self, run_id: str, name: str, **statuses: str) -> None:
        """Write the row of a document."""
        self.table.put_item(Item={"PK": f"doc#{run_id}/{name}", "SK": "none", **statuses})

    def put_result(self, key: str, content: Json) -> None:
        """Write the evaluation result of a document; bytes as they are, everything else as JSON."""
        body = content if isinstance(content, bytes) else json.dumps(content).encode()
        self.s3.put_object(Bucket=self.bucket, Key=f"{key}/evaluation/results.json", Body=body)

    def put_results(self, contents: Mapping[str, Json]) -> None:
        """Write many results."""
        with ThreadPoolExecutor(8) as pool:
            list(pool.map(self.put_result, contents, contents.values()))

    def query(self, field: str, **arguments: Json) -> Json:
        """Ask as AppSync does; what comes back has been JSON on the way."""
        event = {"info": {"fieldName": field, "parentTypeName": "Query"}, "arguments": arguments, "identity": None}
        return json.loads(json.dumps(resolver.handler(event, None), allow_nan=False))

    def update(self, *run_ids: str) -> Json:
        """Deliver a message for each run, as SQS does."""
        bodies = [json.dumps({"testRunId": run_id}) for run_id in run_ids]
        records = [{"messageId": str(at), "eventSource": "aws:sqs", "body": body} for at, body in enumerate(bodies)]
        return resolver.handler({"Records": records}, None)

    def fields(self, run_id: str) -> Json:
        """Return ``fieldLevelMetrics`` of a run, which is text on the wire."""
        told = self.query("getTestRun", testRunId=run_id)["fieldLevelMetrics"]
        return None if told is None else json.loads(told)

    def cached(self, run_id: str) -> list[dict[str, Json]]:
        """Return the items that the cache has of a run, the head first."""
        key = boto3.dynamodb.conditions.Key
        found = key("PK").eq(f"testrun#{run_id}") & key("SK").begins_with("fieldmetrics")
        pages = self.table.meta.client.get_paginator("query").paginate(
            TableName=self.table.name, KeyConditionExpression=found
        )
        return [item for page in pages for item in page["Items"]]


def create_table(dynamodb: Json, name: str) -> Json:
    """Create a tracking table, with the index by which runs are listed."""
    names = ("PK", "SK", "ItemType", "InitialEventTime")
    return dynamodb.create_table(
        TableName=name,
        BillingMode="PAY_PER_REQUEST",
        AttributeDefinitions=[{"AttributeName": key, "AttributeType": "S"} for key in names],
        KeySchema=_keys("PK", "SK"),
        GlobalSecondaryIndexes=[
            {
                "IndexName": "TypeDateIndex",
                "KeySchema": _keys("ItemType", "InitialEventTime"),
                "Projection": {"ProjectionType": "KEYS_ONLY"},
            }
        ],
    )


def _keys(partition: str, sort: str) -> list[dict[str, str]]:
    return [{"AttributeName": partition, "KeyType": "HASH"}, {"AttributeName": sort, "KeyType": "RANGE"}]
