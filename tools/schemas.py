"""Write the JSON Schema of every file of results: ``python -m tools.schemas``."""

from __future__ import annotations

import json
from pathlib import Path

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


def schema_text(kind: type[Result]) -> str:
    """Return the JSON Schema of a result."""
    schema = {"$schema": Draft202012Validator.META_SCHEMA["$id"], **msgspec.json.schema(kind)}
    return json.dumps(schema, indent=1, ensure_ascii=False) + "\n"


def main() -> None:
    """Write them all."""
    FOLDER.mkdir(exist_ok=True)
    for name, kind in FILES.items():
        (FOLDER / f"{name}.schema.json").write_text(schema_text(kind), encoding="utf-8")


if __name__ == "__main__":
    main()
