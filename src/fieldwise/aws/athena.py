"""Athena: the SQL of the resolver, whose text never changes, and queries with bound parameters.

The run's id is compared as text (``starts_with``), so that no letter in it is a wildcard.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from datetime import date, timedelta

from .services import Client, Settings

DOCUMENT_KEYS_SQL = """
SELECT DISTINCT document_id
FROM document_evaluations
WHERE starts_with(document_id, ?) AND "date" BETWEEN ? AND ?
ORDER BY document_id
"""
COST_SQL = """
SELECT
    context,
    service_api,
    unit,
    sum(value) AS value,
    CASE WHEN min(unit_cost) = max(unit_cost) THEN min(unit_cost)
         ELSE sum(estimated_cost) / nullif(sum(value), 0) END AS unit_cost,
    sum(estimated_cost) AS estimated_cost,
    count(*) - count(estimated_cost) AS unpriced
FROM metering
WHERE starts_with(document_id, ?) AND "date" BETWEEN ? AND ?
GROUP BY context, service_api, unit
ORDER BY context, service_api, unit
"""
_FIRST_DAY, _LAST_DAY = "0001-01-01", "9999-12-31"
_FIRST_PAUSE, _MAX_PAUSE = 0.2, 2.0

Row = list[str | None]


class AthenaError(RuntimeError):
    """A query failed, was cancelled or took too long."""


def run_parameters(test_run_id: str, created_at: str | None, completed_at: str | None) -> list[str]:
    """Return the parameters of both queries: the prefix of the run's documents, and the days of their partitions.

    The days are those of the run with one more on each side, for zones and late writers.
    """
    first = _day(created_at, days=-1) or _FIRST_DAY
    last = _day(completed_at, days=1) or _LAST_DAY
    return [text_literal(f"{test_run_id}/"), text_literal(first), text_literal(last)]


def text_literal(value: str) -> str:
    """Return a text as an execution parameter: Athena takes its parameters as literals.

    >>> text_literal("Bob's run")
    "'Bob''s run'"
    """
    return "'" + value.replace("'", "''") + "'"


def query(athena: Client, settings: Settings, sql: str, parameters: Sequence[str]) -> list[Row]:
    """Run a query and return its rows, without the names of columns; AthenaError where there is no result."""
    request = {"QueryString": sql, "ExecutionParameters": list(parameters)}
    context = {"Database": settings.athena_database}
    more = {
        "WorkGroup": settings.athena_workgroup,
        "ResultConfiguration": {"OutputLocation": location} if (location := settings.athena_output_location) else None,
    }
    given = {name: value for name, value in more.items() if value}
    query_id = athena.start_query_execution(**request, QueryExecutionContext=context, **given)["QueryExecutionId"]
    _wait(athena, query_id, seconds=settings.athena_seconds)
    pages = athena.get_paginator("get_query_results").paginate(QueryExecutionId=query_id)
    rows = [[cell.get("VarCharValue") for cell in row["Data"]] for page in pages for row in page["ResultSet"]["Rows"]]
    return rows[1:]


def _wait(athena: Client, query_id: str, *, seconds: float) -> None:
    limit, pause = time.monotonic() + seconds, _FIRST_PAUSE
    while True:
        status = athena.get_query_execution(QueryExecutionId=query_id)["QueryExecution"]["Status"]
        if status["State"] == "SUCCEEDED":
            return
        if status["State"] in ("FAILED", "CANCELLED"):
            raise AthenaError(f"The query {query_id} {status['State']}: {status.get('StateChangeReason', 'no reason')}")
        if time.monotonic() > limit:
            athena.stop_query_execution(QueryExecutionId=query_id)
            raise AthenaError(f"The query {query_id} took more than {seconds} seconds and was stopped")
        time.sleep(pause)
        pause = min(2 * pause, _MAX_PAUSE)


def _day(moment: str | None, *, days: int) -> str | None:
    """Return the day of an ISO time, some days earlier or later; None where it has none."""
    try:
        return (date.fromisoformat((moment or "")[:10]) + timedelta(days=days)).isoformat()
    except (ValueError, OverflowError):
        return None
