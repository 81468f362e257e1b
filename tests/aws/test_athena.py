"""Athena: the SQL finds the documents of one run and no others, whatever its id; queries that fail say so."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import Any

import boto3
import duckdb
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fieldwise.aws import athena
from fieldwise.aws.metrics import costs
from tests.aws.services import preset_rows
from tests.aws.world import World, matrix, result, section

NAMES = st.text(
    st.one_of(st.sampled_from("ab%_'\"\\/;-?ü"), st.characters(codec="utf-8", exclude_characters="\0")), min_size=1
)
Row = tuple[Any, ...]


def run_sql(sql: str, parameters: list[str], **tables: tuple[str, list[Row]]) -> list[Row]:
    """Run a query as Athena does: prepared once, its parameters given as literals."""
    with duckdb.connect() as database:
        for name, (columns, rows) in tables.items():
            database.execute(f"CREATE TABLE {name} ({columns})")
            if rows:
                database.executemany(f"INSERT INTO {name} VALUES ({', '.join('?' * len(rows[0]))})", rows)
        database.execute(f"PREPARE question AS {sql}")
        return database.execute(f"EXECUTE question({', '.join(parameters)})").fetchall()


def evaluated(documents: list[str], *, day: str = "2026-03-01") -> tuple[str, list[Row]]:
    """Return a table of evaluated documents."""
    return 'document_id VARCHAR, "date" VARCHAR', [(document, day) for document in documents]


@given(NAMES, st.lists(st.tuples(NAMES, NAMES)))
def test_a_run_has_the_documents_below_its_own_id(run_id: str, others: list[tuple[str, str]]) -> None:
    """No letter is a wildcard, and no quote ends the text."""
    documents = [f"{run_id}/a", f"{run_id}/a", f"{run_id}x/a", run_id, *(f"{run}/{name}" for run, name in others)]
    parameters = athena.run_parameters(run_id, "2026-03-01T10:00:00Z", None)
    found = run_sql(athena.DOCUMENT_KEYS_SQL, parameters, document_evaluations=evaluated(documents))
    assert {key for (key,) in found} == {key for key in documents if key.startswith(f"{run_id}/")}
    assert len(found) == len(set(found))


@pytest.mark.parametrize(
    ("created", "completed", "days"),
    [
        ("2026-03-01T23:30:00.000Z", "2026-03-03T01:00:00Z", ["2026-02-28", "2026-03-04"]),
        ("2026-03-01", None, ["2026-02-28", "9999-12-31"]),
        (None, None, ["0001-01-01", "9999-12-31"]),
        ("yesterday", "0001", ["0001-01-01", "9999-12-31"]),
    ],
)
def test_partitions_are_those_of_the_run(created: str | None, completed: str | None, days: list[str]) -> None:
    """From the day before it began to the day after it ended; all of them where that is not known."""
    assert athena.run_parameters("r", created, completed) == ["'r/'", *(f"'{day}'" for day in days)]


def test_days_outside_the_run_are_not_read() -> None:
    """Earlier and later partitions have documents of other runs only."""
    columns, inside = evaluated(["r/a"])
    rows = [*inside, ("r/early", "2026-02-27"), ("r/late", "2026-03-05")]
    parameters = athena.run_parameters("r", "2026-03-01T10:00:00Z", "2026-03-03T10:00:00Z")
    assert run_sql(athena.DOCUMENT_KEYS_SQL, parameters, document_evaluations=(columns, rows)) == [("r/a",)]


def test_cost_is_summed_by_context_service_and_unit() -> None:
    """A price that changed is shown as what was paid on average; what has no price is counted as such."""
    columns = (
        "document_id VARCHAR, context VARCHAR, service_api VARCHAR, unit VARCHAR, value DOUBLE, unit_cost DOUBLE,"
        ' estimated_cost DOUBLE, "date" VARCHAR'
    )
    day = "2026-03-01"
    rows: list[Row] = [
        ("r/a", "OCR", "textract/analyze", "pages", 10, 0.1, 1.0, day),
        ("r/b", "OCR", "textract/analyze", "pages", 20, 0.1, 2.0, day),
        ("r/a", "Extraction", "bedrock/m", "inputTokens", 1000, 0.001, 1.0, day),
        ("r/b", "Extraction", "bedrock/m", "inputTokens", 1000, 0.003, 3.0, day),
        ("r/b", "Extraction", "bedrock/new", "inputTokens", 5, None, None, day),
        ("r2/a", "OCR", "textract/analyze", "pages", 99, 0.1, 9.9, day),
    ]
    parameters = athena.run_parameters("r", "2026-03-01T10:00:00Z", None)
    found = run_sql(athena.COST_SQL, parameters, metering=(columns, rows))
    assert found == [
        ("Extraction", "bedrock/m", "inputTokens", 2000, 0.002, 4.0, 0),
        ("Extraction", "bedrock/new", "inputTokens", 5, None, None, 1),
        ("OCR", "textract/analyze", "pages", 30, 0.1, 3.0, 0),
    ]
    told = costs([[None if cell is None else str(cell) for cell in row] for row in found])
    assert told["total_cost"] == 7.0
    assert told["cost_breakdown"]["Extraction"]["bedrock/new_inputTokens"]["estimated_cost"] is None


def test_what_is_no_quantity_is_no_cost() -> None:
    """NaN and infinities, which JSON has not, are unpriced and leave the other costs."""
    found = costs([["a", "b", "u", "NaN", "NaN", "NaN", "0"], ["a", "b", "v", "1", "Infinity", "2.5", None]])
    assert found["total_cost"] == 2.5
    assert found["cost_breakdown"]["a"] == {
        "b_u": {"unit": "u", "value": None, "unit_cost": None, "estimated_cost": None, "unpriced": 1},
        "b_v": {"unit": "v", "value": 1.0, "unit_cost": None, "estimated_cost": 2.5},
    }


def test_nothing_metered_is_no_cost_of_zero() -> None:
    """Where there are no rows the cost is not known."""
    assert costs([]) == {"total_cost": None, "cost_breakdown": None}


@pytest.mark.services
def test_the_text_of_a_query_never_has_the_run_in_it(world: World) -> None:
    """The id is a parameter, in quotes of its own."""
    world.set(ATHENA_DATABASE="reporting", ATHENA_WORKGROUP="primary")
    preset_rows(world.addresses["athena"], [["context"]])
    world.put_run("Bob's run")
    world.query("getTestRun", testRunId="Bob's run")
    client = boto3.client("athena")
    asked = [
        client.get_query_execution(QueryExecutionId=query_id)["QueryExecution"]
        for query_id in client.list_query_executions()["QueryExecutionIds"]
    ]
    assert "'Bob''s run/'" in [query["ExecutionParameters"][0] for query in asked]
    assert {query["Query"] for query in asked} <= {athena.COST_SQL, athena.DOCUMENT_KEYS_SQL}


@contextmanager
def unlucky_athena(**status: str) -> Iterator[tuple[str, list[str]]]:
    """Run a server on which every query has this status, and yield its address and what it is asked."""
    asked: list[str] = []

    class Answers(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            self.rfile.read(int(self.headers["Content-Length"]))
            asked.append(self.headers["X-Amz-Target"].rpartition(".")[2])
            body = json.dumps({"QueryExecutionId": "q-1", "QueryExecution": {"Status": status}}).encode()
            self.send_response(200)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - its name there
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Answers) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        try:
            yield f"http://127.0.0.1:{server.server_port}", asked
        finally:
            server.shutdown()


@pytest.mark.services
@pytest.mark.parametrize(
    ("status", "reason", "last_call"),
    [
        (
            {"State": "FAILED", "StateChangeReason": "TABLE_NOT_FOUND"},
            "q-1 FAILED: TABLE_NOT_FOUND",
            "GetQueryExecution",
        ),
        ({"State": "CANCELLED"}, "q-1 CANCELLED: no reason", "GetQueryExecution"),
        ({"State": "RUNNING"}, "took more than 1 seconds and was stopped", "StopQueryExecution"),
    ],
)
def test_a_query_that_fails_is_said_and_takes_no_metrics(
    world: World, status: dict[str, str], reason: str, last_call: str
) -> None:
    """The cost is not known, which is not zero; the fields are there."""
    world.put_run("run")
    world.put_result("run/a", result(section(matrix(1))))
    with unlucky_athena(**status) as (address, asked):
        world.set(ATHENA_DATABASE="reporting", ATHENA_SECONDS="1", AWS_ENDPOINT_URL_ATHENA=address)
        run = world.query("getTestRun", testRunId="run")
    assert asked[-1] == last_call
    assert reason in json.loads(run["partErrors"])["cost"]
    assert (run["totalCost"], run["costBreakdown"]) == (None, None)
    assert json.loads(run["fieldLevelMetrics"])["document_count"] == 1
