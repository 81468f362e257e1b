"""Configs of classes in every shape in which the product ships its own, of our own making."""

from __future__ import annotations

from typing import Any

METHOD, THRESHOLD, WEIGHT, MATCH = (
    f"x-aws-idp-evaluation-{name}" for name in ("method", "threshold", "weight", "match-threshold")
)
ALLOW = "x-aws-idp-evaluation-allow-llm-in-list"
TEXT, NUMBER = {"type": "string"}, {"type": "number"}


def rows(*, inside: Any = None, **keys: Any) -> dict[str, Any]:
    """Return a list of objects with a text."""
    return {"type": "array", "items": {"type": "object", "properties": {"sku": inside or TEXT}}, **keys}


SHAPES: dict[str, dict[str, Any]] = {
    "nothing declared": {"who": TEXT, "net": NUMBER, "rows": rows()},
    "exact": {"who": {**TEXT, METHOD: "EXACT"}},
    "numeric with tolerance": {"net": {**NUMBER, METHOD: "NUMERIC_EXACT", THRESHOLD: 0.5}},
    "fuzzy": {"who": {**TEXT, METHOD: "FUZZY", THRESHOLD: 0.7}},
    "levenshtein with weight": {"who": {**TEXT, METHOD: "LEVENSHTEIN", THRESHOLD: 0.8, WEIGHT: 2.0}},
    "date": {"day": {**TEXT, METHOD: "DATE", "x-aws-idp-evaluation-method-config": {"dayfirst": True}}},
    "hungarian rows": {"rows": rows(**{METHOD: "HUNGARIAN", MATCH: 0.6})},
    "threshold as text": {"who": {**TEXT, METHOD: "LEVENSHTEIN", THRESHOLD: "0.7"}},
    "tolerance as text": {"net": {**NUMBER, METHOD: "NUMERIC_EXACT", THRESHOLD: "0.5"}},
    "weight as text": {"who": {**TEXT, METHOD: "EXACT", WEIGHT: "2.0"}},
    "match threshold as text": {"rows": rows(**{METHOD: "HUNGARIAN", MATCH: "0.6"})},
    "minimum as text": {"net": {**NUMBER, "minimum": "0", METHOD: "NUMERIC_EXACT"}},
    "judge of a value": {"who": {**TEXT, METHOD: "LLM", THRESHOLD: 0.8}},
    "judge on rows": {"rows": rows(**{METHOD: "LLM"})},
    "judge inside rows": {"rows": rows(inside={**TEXT, METHOD: "LLM"})},
    "judge allowed inside rows": {"rows": rows(inside={**TEXT, METHOD: "LLM", ALLOW: True})},
    "allowed without a judge": {"rows": rows(inside={**TEXT, METHOD: "FUZZY", ALLOW: True})},
    "empty method": {"who": {**TEXT, METHOD: ""}},
    "method in lower case": {"who": {**TEXT, METHOD: "exact"}, "rows": rows(**{METHOD: "hungarian"})},
    "meaning without a model": {"who": {**TEXT, METHOD: "SEMANTIC", THRESHOLD: 0.7}},
    "empty object": {"who": TEXT, "extra": {"type": "object", "properties": {}}},
    "null description": {"who": {**TEXT, "description": None, METHOD: "EXACT"}, "net": {**NUMBER, "description": None}},
}
REFUSED: dict[str, tuple[dict[str, Any], str]] = {
    "date on rows": ({"rows": rows(**{METHOD: "DATE"})}, "compared by HUNGARIAN, got DATE"),
    "threshold on rows": ({"rows": rows(**{THRESHOLD: 0.8})}, "takes no 'x-aws-idp-evaluation-threshold'"),
    "hungarian on texts": (
        {"tags": {"type": "array", "items": TEXT, METHOD: "HUNGARIAN"}},
        "HUNGARIAN compares lists of objects",
    ),
    "a text that is no number": ({"who": {**TEXT, METHOD: "FUZZY", THRESHOLD: "high"}}, "got 'high'"),
    "another method": ({"who": {**TEXT, METHOD: "fuzy"}}, "FUZZY"),
}
EVALUATION = {
    "enabled": True,
    "llm_method": {"model": "some.judge-v1:0", "temperature": 0.0, "top_p": 0.1, "max_tokens": 4096},
}


def config_of(properties: dict[str, Any], *, with_model: bool = False) -> dict[str, Any]:
    """Return a whole config with one class."""
    declared = {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$id": "Payslip",
        "x-aws-idp-document-type": "Payslip",
        "type": "object",
        "description": "what is paid",
        "properties": properties,
    }
    evaluation = EVALUATION if with_model else {"enabled": True, "llm_method": {}}
    return {"notes": "ours", "ocr": {"backend": "textract"}, "evaluation": evaluation, "classes": [declared]}
