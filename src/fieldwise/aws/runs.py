"""The rows of test runs and of their documents, in the tracking table: found, listed, and their status derived."""

from __future__ import annotations

import json
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from typing import Literal, TypeAlias

from boto3.dynamodb.conditions import Attr, Key
from botocore.exceptions import BotoCoreError, ClientError

from ..bulk_aggregator import Json
from .cache import HEAD, run_key
from .services import Client, Services

Row: TypeAlias = dict[str, Json]
Status: TypeAlias = Literal["QUEUED", "RUNNING", "EVALUATING", "COMPLETE", "PARTIAL_COMPLETE"]

WITH_METRICS = ("COMPLETE", "PARTIAL_COMPLETE")
ENDED_WITHOUT_METRICS = ("FAILED", "ABORTED")
INDEX = "TypeDateIndex"
DEFAULT_HOURS = 2.0
_BATCH = 100
_ATTEMPTS = 8
_QUEUE_SECONDS = 300
_LISTED = (
    *("PK", "SK", "TestRunId", "TestSetId", "TestSetName", "TestSetVersion", "Status", "Summary", "Context"),
    *("FilesCount", "CompletedFiles", "FailedFiles", "CreatedAt", "CompletedAt", "InitialEventTime", "ConfigVersion"),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Progress:
    """How many documents of a run are where, and the status that follows."""

    files: int
    completed: int
    failed: int
    evaluating: int
    queued: int

    @property
    def status(self) -> Status:
        """Return the status of the run."""
        if self.files and self.completed >= self.files and not self.failed:
            return "COMPLETE"
        if self.failed and self.completed + self.failed + self.evaluating >= self.files:
            return "PARTIAL_COMPLETE"
        if self.evaluating:
            return "EVALUATING"
        return "QUEUED" if self.queued >= self.files else "RUNNING"

    @property
    def percent(self) -> float:
        """Return how much of the run is done, from 0 to 100."""
        return min(100.0, 100.0 * (self.completed + self.failed) / self.files) if self.files else 0.0


def read_run(table: Client, test_run_id: str) -> Row | None:
    """Return the row of a run, None where there is no such run."""
    row = table.get_item(Key={"PK": run_key(test_run_id), "SK": "metadata"}, ConsistentRead=True).get("Item")
    return None if row is None else plain(row)


def list_runs(services: Services, start: datetime, end: datetime) -> list[tuple[Row, Row]]:
    """Return the runs that began in a period, newest first, each with the head of its cached result or ``{}``."""
    between = Key("InitialEventTime").between(_moment(start), _moment(end + timedelta(seconds=1)))
    request = {
        "IndexName": INDEX,
        "KeyConditionExpression": Key("ItemType").eq("testrun") & between,
        "ScanIndexForward": False,
        "ProjectionExpression": "PK",
    }
    found: list[str] = []
    while True:
        page = services.table.query(**request)
        found += [item["PK"] for item in page["Items"]]
        if "LastEvaluatedKey" not in page:
            break
        request["ExclusiveStartKey"] = page["LastEvaluatedKey"]
    keys = [{"PK": key, "SK": sort} for key in found for sort in ("metadata", HEAD)]
    rows = {(row["PK"], row["SK"]): row for row in _read_rows(services, keys, _LISTED)}
    return [(rows[key, "metadata"], rows.get((key, HEAD), {})) for key in found if (key, "metadata") in rows]


def read_progress(services: Services, run: Mapping[str, Json]) -> Progress:
    """Return where the documents of a run are; one without a row is queued, an aborted one has failed.

    Where the row does not list its files, its own counts are taken.
    """
    files = [str(name) for name in run.get("Files") or ()]
    if not files:
        return _counted_progress(run)
    keys = [{"PK": f"doc#{run['TestRunId']}/{name}", "SK": "none"} for name in dict.fromkeys(files)]
    rows = _read_rows(services, keys, ["PK", "ObjectStatus", "EvaluationStatus"])
    states = [_document_state(row) for row in rows]
    total = int(run.get("FilesCount") or len(files))
    return Progress(
        files=total,
        completed=states.count("completed"),
        failed=min(total, states.count("failed") + int(run.get("BaselineFailedFiles") or 0)),
        evaluating=states.count("evaluating"),
        queued=states.count("queued") + max(0, total - len(states)),
    )


def evaluated_without(services: Services, run: Mapping[str, Json], keys: Iterable[str]) -> list[str]:
    """Return the keys of documents that were evaluated, as their rows say, and are not among those with a result."""
    files, prefix = run.get("Files"), f"{run['TestRunId']}/"
    found = set(keys)
    wanted = dict.fromkeys(prefix + str(name) for name in files) if isinstance(files, list) else {}
    rows = [{"PK": f"doc#{key}", "SK": "none"} for key in wanted if key not in found]
    held = _read_rows(services, rows, ["PK", "EvaluationStatus"])
    return sorted(row["PK"].removeprefix("doc#") for row in held if row.get("EvaluationStatus") == "COMPLETED")


def _counted_progress(run: Mapping[str, Json]) -> Progress:
    total, completed, failed = (int(run.get(name) or 0) for name in ("FilesCount", "CompletedFiles", "FailedFiles"))
    return Progress(
        files=total, completed=completed, failed=failed, evaluating=0, queued=max(0, total - completed - failed)
    )


def refreshed(services: Services, run: Row) -> tuple[Row, Progress]:
    """Return a run with the status of its documents, which is written back where it changed; and their progress."""
    progress = read_progress(services, run)
    if run.get("Status") in ENDED_WITHOUT_METRICS or not run.get("Files"):
        return run, progress
    changes: Row = {
        "Status": progress.status,
        "CompletedFiles": progress.completed,
        "FailedFiles": progress.failed,
    }
    if progress.status in WITH_METRICS and not run.get("CompletedAt"):
        changes["CompletedAt"] = _moment(datetime.now(UTC)) + "Z"
    changes = {name: value for name, value in changes.items() if run.get(name) != value}
    if changes:
        _write(services.table, run, changes)
    return {**run, **changes}, progress


def may_queue_update(table: Client, test_run_id: str) -> bool:
    """Return whether an update of the run's result may be queued: once in five minutes, and when in doubt."""
    now = int(time.time())
    try:
        table.update_item(
            Key={"PK": run_key(test_run_id), "SK": "metadata"},
            UpdateExpression="SET FieldMetricsQueuedAt = :now",
            ConditionExpression=Attr("PK").exists()
            & (Attr("FieldMetricsQueuedAt").not_exists() | Attr("FieldMetricsQueuedAt").lt(now - _QUEUE_SECONDS)),
            ExpressionAttributeValues={":now": now},
        )
    except ClientError as error:
        return bool(error.response.get("Error", {}).get("Code") != "ConditionalCheckFailedException")
    except BotoCoreError:
        return True
    return True


def plain(value: Json) -> Json:
    """Return a value of DynamoDB as JSON: its decimals are numbers, its sets are lists.

    >>> plain({"n": Decimal("3"), "rate": Decimal("0.5"), "tags": {"b", "a"}})
    {'n': 3, 'rate': 0.5, 'tags': ['a', 'b']}
    """
    if isinstance(value, Decimal):
        return int(value) if value == value.to_integral_value() else float(value)
    if isinstance(value, Mapping):
        return {key: plain(held) for key, held in value.items()}
    if isinstance(value, list):
        return [plain(held) for held in value]
    return sorted(map(plain, value)) if isinstance(value, set) else value


def parsed(value: Json) -> Json:
    """Return what a text of JSON says, other values as they are."""
    try:
        return json.loads(value) if isinstance(value, str) else value
    except ValueError:
        return None


def _document_state(row: Mapping[str, Json]) -> str:
    evaluation, status = row.get("EvaluationStatus"), row.get("ObjectStatus")
    if status in ("FAILED", "ABORTED") or evaluation == "FAILED":
        return "failed"
    if evaluation in ("COMPLETED", "NO_BASELINE"):
        return "completed"
    if evaluation == "RUNNING" or status in ("COMPLETED", "EVALUATING"):
        return "evaluating"
    return "queued" if status in (None, "QUEUED") else "running"


def _read_rows(services: Services, keys: Sequence[dict[str, str]], names: Iterable[str]) -> Iterator[Row]:
    """Yield the rows that exist, some attributes of them, a hundred at a time."""
    aliases = {f"#{name}": name for name in names}
    table = services.settings.tracking_table
    for at in range(0, len(keys), _BATCH):
        waiting = list(keys[at : at + _BATCH])
        for attempt in range(_ATTEMPTS):
            wanted = {"Keys": waiting, "ProjectionExpression": ", ".join(aliases), "ExpressionAttributeNames": aliases}
            page = services.dynamodb.batch_get_item(RequestItems={table: wanted})
            yield from map(plain, page["Responses"].get(table, ()))
            waiting = page.get("UnprocessedKeys", {}).get(table, {}).get("Keys", [])
            if not waiting:
                break
            time.sleep(0.05 * 2**attempt)
        if waiting:
            raise RuntimeError(f"DynamoDB did not return {len(waiting)} of the rows of {table}; try again")


def _write(table: Client, run: Row, changes: Mapping[str, Json]) -> None:
    """Write attributes of a run, unless somebody else has changed its status meanwhile."""
    condition = Attr("Status").eq(run["Status"]) if "Status" in run else Attr("Status").not_exists()
    try:
        table.update_item(
            Key={"PK": run_key(run["TestRunId"]), "SK": "metadata"},
            UpdateExpression="SET " + ", ".join(f"#{name} = :{name}" for name in changes),
            ConditionExpression=Attr("PK").exists() & condition,
            ExpressionAttributeNames={f"#{name}": name for name in changes},
            ExpressionAttributeValues={f":{name}": value for name, value in changes.items()},
        )
    except ClientError as error:
        if error.response.get("Error", {}).get("Code") != "ConditionalCheckFailedException":
            raise


def _moment(time_of_day: datetime) -> str:
    return time_of_day.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%S")
