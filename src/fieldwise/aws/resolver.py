"""The Lambda function: AppSync's queries about test runs, and messages that ask for a run's result to be updated.

Each part of a result (documents, cost) is computed on its own: one that fails says why in ``partErrors`` and takes
nothing from the others.
"""

from __future__ import annotations

import difflib
import json
import logging
import os
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from functools import lru_cache
from itertools import chain
from typing import Any

from botocore.exceptions import BotoCoreError, ClientError

from ..bulk_aggregator import Json
from . import answers, athena, cache, documents, metrics, runs
from .services import KEYS_BY_ATHENA, Services, Settings

logger = logging.getLogger(__name__)

_DOCUMENT_PART = metrics.summarize(())
_COST_PART = metrics.costs(())
CACHED_KEYS = frozenset((*_DOCUMENT_PART, *_COST_PART, "part_errors"))
"""What this version computes: a cached result without one of them is of an earlier version."""
_MAX_ID_BYTES = 1024
_MAX_COMPARED = 20
_MAX_SHOWN = 100


class BadRequestError(ValueError):
    """An argument is missing or wrong."""


class TestRunNotFoundError(LookupError):
    """There is no such test run."""


class TestRunNotCompleteError(RuntimeError):
    """A test run has no result yet."""


@lru_cache(maxsize=1)
def services() -> Services:
    """Return the clients of this process."""
    return Services(Settings.from_environment(os.environ))


def handler(event: Mapping[str, Json], context: object = None) -> Json:
    """Answer an AppSync event, or take messages from the queue."""
    if not isinstance(event, Mapping):
        raise BadRequestError(f"Expected an event of AppSync or of the queue, got {_kind(event)}")
    if "Records" in event:
        return handle_cache_update_request(event)
    info = event.get("info") or event
    if not isinstance(info, Mapping):
        raise BadRequestError(f"Expected an object with the name of the field in info, got {_kind(info)}")
    return answer(info.get("fieldName"), event.get("arguments") or {})


def answer(field: str | None, arguments: Mapping[str, Json]) -> Json:
    """Answer one query by its name in the schema."""
    if not isinstance(field, str) or field not in OPERATIONS:
        close = difflib.get_close_matches(field, OPERATIONS, 1) if isinstance(field, str) else []
        hint = f"; did you mean {close[0]}?" if close else ""
        got = repr(field[:_MAX_SHOWN]) if isinstance(field, str) else _kind(field)
        raise BadRequestError(f"Expected one of {', '.join(OPERATIONS)}, got {got}{hint}")
    if not isinstance(arguments, Mapping):
        raise BadRequestError(f"Expected an object in arguments, got {_kind(arguments)}")
    return OPERATIONS[field](arguments)


def _kind(value: object) -> str:
    return "null" if value is None else f"a {type(value).__name__}"


def get_test_results(test_run_id: str) -> dict[str, Json]:
    """Return a test run with its metrics, from the cache where it has them.

    A result that is missing or stale is computed by the queue, where there is one, and the run is answered with what is
    known; without a queue it is computed now.
    """
    return answers.with_aws_json(_test_results(test_run_id))


def handle_cache_update_request(event: Mapping[str, Json]) -> dict[str, Json]:
    """Compute and keep the results that messages ask for; name the messages that should come again."""
    records = event["Records"]
    if not isinstance(records, list) or not all(isinstance(record, Mapping) for record in records):
        raise BadRequestError("Expected a list of messages in Records, each an object")
    failed = []
    for record in records:
        try:
            body = runs.parsed(record.get("body"))
            _update_cache(_run_id(body if isinstance(body, dict) else {}))
        except TestRunNotFoundError as error:
            logger.warning("%s; nothing is computed", error)
        except Exception:  # whatever it is, the other messages are worth trying
            logger.exception("The message %s was not processed", record.get("messageId"))
            failed.append({"itemIdentifier": record.get("messageId")})
    return {"batchItemFailures": failed}


def _test_results(test_run_id: str) -> dict[str, Json]:
    run = _existing_run(test_run_id)
    if run.get("Status") not in (*runs.WITH_METRICS, *runs.ENDED_WITHOUT_METRICS):
        run, _ = runs.refreshed(services(), run)
    cached = cache.load(services().table, test_run_id)
    if cached is not None and not _is_stale(cached, run):
        return answers.test_run(run, cached.metrics)
    if run["Status"] in runs.ENDED_WITHOUT_METRICS:
        return answers.test_run(run, cached.metrics if cached else None)
    if run["Status"] not in runs.WITH_METRICS:
        raise TestRunNotCompleteError(f"The test run {test_run_id} is not complete: its status is {run['Status']}")
    if services().settings.queue_url is None:
        return answers.test_run(run, _update_cache(test_run_id))
    if cached is None:
        _queue_update(test_run_id)
        return answers.test_run({**run, "Status": "EVALUATING"}, None)
    try:
        _queue_update(test_run_id)
    except (ClientError, BotoCoreError):
        logger.exception("The update of %s was not queued; its earlier result is answered", test_run_id)
    return answers.test_run(run, cached.metrics)


def _update_cache(test_run_id: str) -> dict[str, Json]:
    """Compute the result of a run, keep it and return it; a part that fails now is kept as it was."""
    run = _existing_run(test_run_id)
    computed = _aggregate_test_run_metrics(test_run_id)
    cached = cache.load(services().table, test_run_id) if computed["part_errors"] else None
    for part in computed["part_errors"]:
        names = _DOCUMENT_PART if part == "documents" else _COST_PART
        computed |= {name: cached.metrics[name] for name in names if cached and name in cached.metrics}
    result = cache.CachedResult(computed, _made_from(run))
    settings = services().settings
    cache.store(services().table, test_run_id, result, summary=answers.summary(computed), days=settings.cache_days)
    return computed


def _aggregate_test_run_metrics(test_run_id: str) -> dict[str, Json]:
    """Compute all parts of a run's result: its documents and, while they are read, its cost."""
    errors: dict[str, str] = {}

    def part(name: str, compute: Callable[[], dict[str, Json]], empty: dict[str, Json]) -> dict[str, Json]:
        try:
            return compute()
        except (RuntimeError, ClientError, BotoCoreError) as error:  # what the store, Athena and the table say
            logger.warning("Test run %s: %s: %s", test_run_id, name, error)
            errors[name] = str(error)
            return empty

    parameters = _query_parameters(test_run_id)
    with ThreadPoolExecutor(1, thread_name_prefix="cost") as pool:
        cost = pool.submit(part, "cost", lambda: _get_cost_data_from_athena(parameters), _COST_PART)
        read = part("documents", lambda: _get_document_metrics(test_run_id), _DOCUMENT_PART)
        return {**read, **cost.result(), "part_errors": errors}


def _get_field_level_metrics(test_run_id: str) -> dict[str, Json] | None:
    """Return the metrics of a run's fields; None where its results are older than matrices."""
    fields: dict[str, Json] | None = _get_document_metrics(test_run_id)["field_level_metrics"]
    return fields


def _get_document_metrics(test_run_id: str) -> dict[str, Json]:
    found = services()
    keys = _get_document_keys_for_test_run(test_run_id)
    read = documents.read_documents(found.s3, _bucket(), keys, readers=found.settings.readers)
    missing = runs.evaluated_without(found, _existing_run(test_run_id), keys)
    return metrics.summarize(chain(read, map(documents.without_result, missing)))


def _get_document_keys_for_test_run(test_run_id: str) -> list[str]:
    """Return the keys of the run's documents, sorted: by Athena, or by listing their results."""
    found = services()
    if found.settings.document_keys == KEYS_BY_ATHENA:
        rows = athena.query(found.athena, found.settings, athena.DOCUMENT_KEYS_SQL, _query_parameters(test_run_id))
        return sorted(key for [key] in rows if key)
    return documents.list_document_keys(found.s3, _bucket(), test_run_id)


def _get_cost_data_from_athena(parameters: Sequence[str]) -> dict[str, Json]:
    """Return the cost of a run; nothing where no database of costs is set."""
    found = services()
    if found.settings.athena_database is None:
        return _COST_PART
    return metrics.costs(athena.query(found.athena, found.settings, athena.COST_SQL, parameters))


def _query_parameters(test_run_id: str) -> list[str]:
    run = runs.read_run(services().table, test_run_id) or {}
    return athena.run_parameters(test_run_id, run.get("CreatedAt"), run.get("CompletedAt"))


def _bucket() -> str:
    bucket = services().settings.output_bucket
    if bucket is None:
        raise documents.StoreError("OUTPUT_BUCKET is not set; the results of documents are in that bucket")
    return bucket


def _is_stale(cached: cache.CachedResult, run: runs.Row) -> bool:
    """Return whether a result is of an earlier version, of fewer documents, or lacks what may be had now."""
    found = cached.metrics
    if CACHED_KEYS - found.keys() or found["part_errors"] or found["transient_errors"]:
        return True
    return cached.made_from != _made_from(run)


def _made_from(run: runs.Row) -> dict[str, Json]:
    """Return what changes in the row of a run when its documents do."""
    return {name: run.get(name) for name in ("CompletedFiles", "FailedFiles", "CompletedAt")}


def _queue_update(test_run_id: str) -> None:
    if runs.may_queue_update(services().table, test_run_id):
        body = json.dumps({"testRunId": test_run_id})
        services().sqs.send_message(QueueUrl=services().settings.queue_url, MessageBody=body)


def _existing_run(test_run_id: str) -> runs.Row:
    run = runs.read_run(services().table, test_run_id)
    if run is None:
        raise TestRunNotFoundError(f"There is no test run {test_run_id}")
    return {"TestRunId": test_run_id, "Status": "QUEUED", **run}


def _get_test_run(arguments: Mapping[str, Json]) -> dict[str, Json]:
    return get_test_results(_run_id(arguments))


def _get_test_run_status(arguments: Mapping[str, Json]) -> dict[str, Json]:
    run, progress = runs.refreshed(services(), _existing_run(_run_id(arguments)))
    status = run["Status"]
    has_queue = services().settings.queue_url is not None
    if has_queue and status in runs.WITH_METRICS and not cache.exists(services().table, run["TestRunId"]):
        _queue_update(run["TestRunId"])
        status = "EVALUATING"
    return answers.run_status(run, progress, status=status)


def _get_test_runs(arguments: Mapping[str, Json]) -> list[dict[str, Json]]:
    start, end = _period(arguments)
    return [answers.listed_run(run, head) for run, head in runs.list_runs(services(), start, end)]


def _compare_test_runs(arguments: Mapping[str, Json]) -> dict[str, Json]:
    given = arguments.get("testRunIds")
    if not isinstance(given, list) or not 1 <= len(given) <= _MAX_COMPARED:
        raise BadRequestError(f"Expected 1 to {_MAX_COMPARED} ids in testRunIds, got {given!r}")
    ids = dict.fromkeys(_run_id({"testRunId": test_run_id}) for test_run_id in given)
    return answers.comparison([_test_results(test_run_id) for test_run_id in ids])


def _run_id(arguments: Mapping[str, Json]) -> str:
    given = arguments.get("testRunId")
    if not isinstance(given, str) or not given:
        raise BadRequestError(f"Expected the id of a test run in testRunId, got {given!r}")
    try:
        size = len(given.encode())
    except UnicodeEncodeError:
        raise BadRequestError("Expected the id of a test run in testRunId, got text that is no Unicode") from None
    if size > _MAX_ID_BYTES:
        raise BadRequestError(f"Expected an id of at most {_MAX_ID_BYTES} bytes in testRunId, got {size}")
    return given


def _period(arguments: Mapping[str, Json]) -> tuple[datetime, datetime]:
    """Return the period of a list of runs: two times, or so many hours until now, two by default."""
    start, end = arguments.get("startDateTime"), arguments.get("endDateTime")
    if start and end:
        return _time("startDateTime", start), _time("endDateTime", end)
    if start or end:
        raise BadRequestError("Expected startDateTime and endDateTime together, or timePeriodHours")
    hours = arguments.get("timePeriodHours")
    hours = runs.DEFAULT_HOURS if hours is None else hours
    if isinstance(hours, bool) or not isinstance(hours, int | float) or not 0 < hours <= 1_000_000:
        raise BadRequestError(f"Expected a number of hours above 0 in timePeriodHours, got {hours!r}")
    now = datetime.now(UTC)
    return now - timedelta(hours=hours), now


def _time(name: str, value: Any) -> datetime:
    try:
        found = datetime.fromisoformat(value)
    except (TypeError, ValueError):
        raise BadRequestError(f"Expected a time such as 2026-01-31T09:30:00Z in {name}, got {value!r}") from None
    return found if found.tzinfo else found.replace(tzinfo=UTC)


OPERATIONS: dict[str, Callable[[Mapping[str, Json]], Json]] = {
    "getTestRun": _get_test_run,
    "getTestRuns": _get_test_runs,
    "getTestRunStatus": _get_test_run_status,
    "compareTestRuns": _compare_test_runs,
}
