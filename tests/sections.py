"""Documents in sections, written to folders as pipelines leave them."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any


def section(document_class: str | None, values: Any, pages: list[Any] | None = None, **beside: Any) -> dict[str, Any]:
    """Return the content of a section's result.json."""
    made: dict[str, Any] = {"inference_result": values, **beside}
    if document_class is not None:
        made["document_class"] = {"type": document_class}
    if pages is not None:
        made["split_document"] = {"page_indices": pages}
    return made


def write_sections(folder: Path, documents: Mapping[str, Mapping[str, Any]]) -> Path:
    """Write documents, each a mapping of sections by id; a section that is text is written as it is."""
    for name, sections in documents.items():
        for number, content in sections.items():
            path = folder / name / "sections" / number / "result.json"
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(content if isinstance(content, str) else json.dumps(content), encoding="utf-8")
    return folder


EXPECTED = {
    "loan.pdf": {
        "1": section("Invoice", {"number": "A1", "total": 10}, [0, 1]),
        "2": section("Receipt", {"shop": "Acme", "total": 5}, [2]),
    },
    "second.pdf": {
        "1": section("Invoice", {"number": "A2", "total": 20}, [0]),
        "2": section("Receipt", {"shop": "Bolt", "total": 7}, [1]),
    },
    "third.pdf": {"1": section("Invoice", {"number": "A3", "total": 30}, [0])},
}
"""Three documents with five sections of two classes."""
PREDICTED = {
    "loan.pdf": {
        "1": section(
            "Invoice",
            {"number": "A1", "total": 11},
            [0, 1],
            explainability_info=[
                {"number": {"confidence": 0.9, "confidence_threshold": 0.8}, "total": {"confidence": 0.4}}
            ],
            metadata={"pages": 2, "latency_ms": 100, "metering": {"Extraction/bedrock/m": {"inputTokens": 7}}},
        ),
        "2": section(
            "Receipt",
            {"shop": "Acme", "total": 5},
            [2],
            explainability_info={"shop": {"confidence": 0.8}, "total": {"confidence": 0.7}},
            metadata={"pages": 1, "latency_ms": 50, "metering": {"Extraction/bedrock/m": {"inputTokens": 3}}},
        ),
    },
    "second.pdf": {"1": section("Receipt", {"shop": "Odd", "total": 20}, [0])},
    "third.pdf": {
        "1": section("Invoice", {"number": "A3", "total": 30}, [0]),
        "2": section("Receipt", {"shop": "Ghost", "total": None}, [1]),
    },
}
"""``second.pdf`` has a section of the wrong class and one lost, ``third.pdf`` one that nobody expects."""
