"""Runs to compare: documents evaluated into folders, as ``fieldwise evaluate --out`` leaves them."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import Any

from click.testing import CliRunner, Result

from fieldwise import Spec
from fieldwise.api import evaluate_pairs
from fieldwise.cli import cli
from fieldwise.cli.advice import advised
from fieldwise.errors import FieldwiseError
from fieldwise.readers.pairs import open_pairs
from fieldwise.results import GateReport, RunDifference
from fieldwise.views.sentences import check_reason, summary, verdict
from tests.documents import write_pairs
from tests.folders import stored_rows

Json = Any

EXACT = {
    "type": "object",
    "properties": {
        "name": {"type": "string", "x-aws-stickler-comparator": "ExactComparator"},
        "code": {"type": "string", "x-aws-stickler-comparator": "ExactComparator"},
        "total": {"type": "number"},
        "items": {
            "type": "array",
            "items": {
                "type": "object",
                "properties": {
                    "sku": {"type": "string", "x-aws-stickler-comparator": "ExactComparator"},
                    "price": {"type": "number"},
                },
            },
        },
    },
}
"""A schema under which a value is right or wrong."""


def write_run(
    folder: Path,
    documents: Mapping[str, tuple[Json, Json]],
    *,
    again: Mapping[str, tuple[Json, Json]] = MappingProxyType({}),
    schema: Mapping[str, Json] | None = None,
) -> Path:
    """Evaluate pairs of expected and predicted documents into a folder; a side that is MISSING is left out.

    ``again`` are further pairs of some of the documents.
    """
    folder.mkdir(parents=True, exist_ok=True)
    sides = ((name, *both) for name, both in [*documents.items(), *again.items()])
    pairs = write_pairs(folder / "pairs.jsonl", sides)
    evaluate_pairs(open_pairs(str(pairs)), Spec.from_json_schema(dict(schema or EXACT)), out=folder / "results")
    return folder / "results"


def command(*arguments: str | Path, columns: int = 150) -> Result:
    """Run the command line in this process; errors of fieldwise come as they are."""
    return CliRunner().invoke(cli, [str(argument) for argument in arguments], env={"COLUMNS": str(columns)})


def difference(base: Path, candidate: Path, *options: str) -> Json:
    """Return what ``diff --json`` prints."""
    done = command("diff", base, candidate, "--json", *options)
    assert done.exception is None or isinstance(done.exception, SystemExit), done.exception
    return json.loads(done.stdout)


def answer(*arguments: str | Path) -> Json:
    """Return what ``gate --json`` prints, with its exit code."""
    done = command("gate", *arguments, "--json")
    assert done.exception is None or isinstance(done.exception, SystemExit), done.exception
    return json.loads(done.stdout) | {"exit_code": done.exit_code}


def policy_file(folder: Path, text: str) -> Path:
    """Write a policy for the gate."""
    path = folder / "gate.yaml"
    path.write_text(text, encoding="utf-8")
    return path


def tables(folder: Path, field: str | None = None) -> dict[str, Counter[str]]:
    """Count the outcomes of each document straight from the rows."""
    found: dict[str, Counter[str]] = {}
    for row in stored_rows(folder, "verdicts"):
        counts = found.setdefault(row["document"], Counter())
        if field in (None, row["field"]):
            counts[row["outcome"]] += 1
    return found


def refused(*arguments: str | Path) -> str:
    """Run a command that is refused, and return what it prints."""
    error = command(*arguments).exception
    assert isinstance(error, FieldwiseError), error
    return advised(error)


def document(number: int, *, wrong: Sequence[str] = ()) -> tuple[Json, Json]:
    """Return an expected document and a prediction of it with some fields wrong."""
    expected = {
        "name": f"name {number}",
        "code": f"code {number}",
        "total": 100.0 + number,
        "items": [{"sku": f"sku {number} {k}", "price": 10.0 * number + k} for k in range(3)],
    }
    predicted: dict[str, Json] = json.loads(json.dumps(expected))
    for field in wrong:
        _spoil(predicted, field)
    return expected, predicted


def _spoil(predicted: dict[str, Json], field: str) -> None:
    if field == "items":
        predicted["items"] = predicted["items"][1:]
    elif field == "sku":
        predicted["items"][0]["sku"] = "other"
    elif field == "total":
        predicted["total"] = 1.0
    else:
        predicted[field] = f"wrong {field}"


def verdict_of(found: dict[str, Any]) -> str:
    """Return the verdict of a printed difference in words."""
    return verdict(RunDifference.from_json(json.dumps(found)))


def summary_of(found: dict[str, Any]) -> str:
    """Return in words what decided a printed answer of a gate."""
    return summary(GateReport.from_json(json.dumps(found)))


def reasons_of(found: dict[str, Any]) -> list[str]:
    """Return in words why each of its checks was decided so."""
    report = GateReport.from_json(json.dumps(found))
    return [check_reason(check, report.policy) for check in report.checks]
