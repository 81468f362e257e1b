"""What was computed about a run, kept in the table of runs: compressed, and in parts where one item cannot hold it.

An item holds 400 KB at most. Parts are written first, under a name of their own, and the item that points to them last,
so that readers see the old result or the new one. What is broken or missing is as if it had never been cached.
"""

from __future__ import annotations

import hashlib
import json
import time
import uuid
import zlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from boto3.dynamodb.conditions import Key

from ..bulk_aggregator import Json
from .services import Client

HEAD = "fieldmetrics"
FORMAT = 1
PART_BYTES = 350_000
"""So much of 400 KB is data; the rest is room for keys and names."""
_ABANDONED_SECONDS = 3600
"""Parts that nothing points to are left by functions that were killed; none runs for so long."""


@dataclass(frozen=True, slots=True)
class CachedResult:
    """A result, and what the run looked like when it was computed."""

    metrics: dict[str, Json]
    made_from: dict[str, Json]


def run_key(test_run_id: str) -> str:
    """Return the partition of a run."""
    return f"testrun#{test_run_id}"


def load(table: Client, test_run_id: str) -> CachedResult | None:
    """Return the cached result of a run, None where there is none that can be read."""
    # The second time is for a result that was replaced between the reading of its head and of its parts.
    return _load_once(table, test_run_id) or _load_once(table, test_run_id)


def _load_once(table: Client, test_run_id: str) -> CachedResult | None:
    head = table.get_item(Key={"PK": run_key(test_run_id), "SK": HEAD}, ConsistentRead=True).get("Item")
    if head is None or head.get("Format") != FORMAT:
        return None
    parts = [*_parts(table, test_run_id, str(head.get("Generation")))] if head.get("Parts") else [head]
    try:
        data = b"".join([bytes(item["Data"]) for item in parts])
        metrics, made_from = json.loads(zlib.decompress(data)), json.loads(head["MadeFrom"])
    except (KeyError, TypeError, ValueError, zlib.error):
        return None
    is_whole = hashlib.sha256(data).hexdigest() == head.get("Digest")
    return CachedResult(metrics, made_from) if is_whole and isinstance(metrics, dict) else None


def exists(table: Client, test_run_id: str) -> bool:
    """Return whether a result of the run is cached, without reading it."""
    request = {"Key": {"PK": run_key(test_run_id), "SK": HEAD}, "ProjectionExpression": "PK"}
    return "Item" in table.get_item(**request, ConsistentRead=True)


def store(table: Client, test_run_id: str, result: CachedResult, *, summary: Mapping[str, Json], days: int) -> None:
    """Keep a result, in place of an earlier one; ``summary`` is what lists of runs show of it."""
    data = zlib.compress(json.dumps(result.metrics, allow_nan=False).encode())
    now = time.time()
    generation = f"{int(now * 1000):015d}-{uuid.uuid4().hex}"
    pieces = [data[at : at + PART_BYTES] for at in range(0, len(data), PART_BYTES)] if len(data) > PART_BYTES else []
    common = {"PK": run_key(test_run_id), "ExpiresAfter": int(now) + days * 86_400}
    for number, piece in enumerate(pieces):
        table.put_item(Item={**common, "SK": _part_key(generation, number), "Data": piece})
    head = {
        **common,
        "SK": HEAD,
        "Format": FORMAT,
        "Generation": generation,
        "Parts": len(pieces),
        "Digest": hashlib.sha256(data).hexdigest(),
        "MadeFrom": json.dumps(result.made_from),
        "Summary": json.dumps(summary, allow_nan=False),
    }
    old = table.put_item(Item=head if pieces else {**head, "Data": data}, ReturnValues="ALL_OLD").get("Attributes", {})
    _remove_parts(table, test_run_id, replaced=old.get("Generation"), current=generation)


def _part_key(generation: str, number: int) -> str:
    return f"{HEAD}#{generation}#{number:05d}"


def _parts(table: Client, test_run_id: str, generation: str = "") -> Iterable[dict[str, Json]]:
    """Yield the parts of one generation, or of all, in order."""
    prefix = f"{HEAD}#{generation}"
    request = {"KeyConditionExpression": Key("PK").eq(run_key(test_run_id)) & Key("SK").begins_with(prefix)}
    if not generation:
        request["ProjectionExpression"] = "SK"
    while True:
        page = table.query(**request, ConsistentRead=True)
        yield from page["Items"]
        if "LastEvaluatedKey" not in page:
            return
        request["ExclusiveStartKey"] = page["LastEvaluatedKey"]


def _remove_parts(table: Client, test_run_id: str, *, replaced: str | None, current: str) -> None:
    """Remove the parts of the result that was replaced, and what killed functions left; others may be writing."""
    oldest_alive = f"{int((time.time() - _ABANDONED_SECONDS) * 1000):015d}"
    for item in _parts(table, test_run_id):
        generation = item["SK"].split("#")[1]
        if generation == replaced or (generation < oldest_alive and generation != current):
            table.delete_item(Key={"PK": run_key(test_run_id), "SK": item["SK"]})
