"""Write the JSON Schema of every file of results, and of questions about runs: ``python -m tools.schemas``."""

from __future__ import annotations

import json
from pathlib import Path
from typing import get_args

import msgspec
from jsonschema import Draft202012Validator

from fieldwise.results import (
    Calibration,
    Classification,
    GateReport,
    Metrics,
    PageAnswers,
    Result,
    RunDifference,
    Sweep,
    UnpairedDifference,
)
from fieldwise.results.document_result import DocumentResult
from fieldwise.results.questions import Answer, Question
from fieldwise.values import Json

FOLDER = Path(__file__).parents[1] / "docs" / "schemas"
FILES: dict[str, type[Result]] = {
    "metrics": Metrics,
    "results": DocumentResult,
    "calibration": Calibration,
    "sweep": Sweep,
    "classes": Classification,
    "difference": RunDifference,
    "unpaired_difference": UnpairedDifference,
    "gate": GateReport,
    "page": PageAnswers,
}
"""What is written, by the name of its schema."""


def questions_text() -> str:
    """Return the JSON Schema of every question and answer; which of them a text is, its sender says."""
    kinds, definitions = msgspec.json.schema_components(
        [*get_args(Question), *get_args(Answer)], ref_template="#/$defs/{name}"
    )
    return _text({"anyOf": list(kinds), "$defs": definitions})


def texts() -> dict[str, str]:
    """Return all schemas by their names."""
    return {name: _text(msgspec.json.schema(kind)) for name, kind in FILES.items()} | {"questions": questions_text()}


def _text(schema: dict[str, Json]) -> str:
    declared = {"$schema": Draft202012Validator.META_SCHEMA["$id"], **schema}
    return json.dumps(declared, indent=1, ensure_ascii=False) + "\n"


def main() -> None:
    """Write them all."""
    FOLDER.mkdir(exist_ok=True)
    for name, text in texts().items():
        (FOLDER / f"{name}.schema.json").write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
