"""A metrics file, read back: what is looked at later is checked once, as a whole. Unknown keys may be there."""

from __future__ import annotations

import json
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Annotated, Any, Literal, TypeAlias

from pydantic import BaseModel, Field, GetPydanticSchema, ValidationError
from pydantic_core import core_schema

from fieldwise.errors import InputError, cannot_read
from fieldwise.readers.duplicate_keys import path_text
from fieldwise.readers.json_text import parse_json
from fieldwise.values import Json

_NEEDED = ("aggregate", "fields", "document_count")
_LONGEST = 60


def _expected(words: str) -> GetPydanticSchema:
    """Say in these words what was expected, whatever is wrong with a value."""
    return GetPydanticSchema(
        lambda source, handler: core_schema.custom_error_schema(
            handler(source), custom_error_type="unfit", custom_error_message=words
        )
    )


_Share: TypeAlias = Annotated[float, Field(strict=True, ge=0, le=1, allow_inf_nan=False)]
_Rate: TypeAlias = Annotated[_Share | None, _expected("a number from 0 to 1 or null")]
_Count: TypeAlias = Annotated[int, Field(strict=True, ge=0), _expected("a whole number from 0 on")]
_Text: TypeAlias = Annotated[str | None, Field(strict=True), _expected("a text or null")]
_Unmatched: TypeAlias = Annotated[Literal["leaves", "objects"], _expected("'leaves' or 'objects'")]


class _Bounds(BaseModel):
    low: _Rate = None
    high: _Rate = None
    n: _Count = 0


class _Intervals(BaseModel):
    precision: _Bounds = _Bounds()
    recall: _Bounds = _Bounds()
    strict_recall: _Bounds = _Bounds()
    f1: _Bounds = _Bounds()
    strict_f1: _Bounds = _Bounds()


class _Row(BaseModel):
    tp: _Count = 0
    fp: _Count = 0
    tn: _Count = 0
    fn: _Count = 0
    fd: _Count = 0
    fa: _Count = 0
    precision: _Rate = None
    recall: _Rate = None
    f1: _Rate = None
    accuracy: _Rate = None
    strict_recall: _Rate = None
    strict_f1: _Rate = None
    intervals: _Intervals = _Intervals()


class _Metrics(BaseModel):
    document_count: _Count
    aggregate: _Row
    fields_: Annotated[dict[str, _Row], Field(alias="fields")]
    documents: dict[str, _Count] = {}
    unmatched: _Unmatched = "leaves"
    spec_fingerprint: _Text = None
    scorer_version: _Text = None


def read_metrics(path: Path) -> Mapping[str, Any]:
    """Read a metrics file; what is wrong in it is told with its place."""
    found = _parsed(path)
    missing = [key for key in _NEEDED if not isinstance(found, dict) or key not in found]
    if missing:
        raise InputError(
            f"{path} is no metrics file of fieldwise: it has no {', '.join(missing)}",
            code="run.not_metrics",
            facts={"file": path, "missing": missing},
        )
    try:
        _Metrics.model_validate(found)
    except ValidationError as error:
        raise _explained(error, path) from error
    return found  # type: ignore[no-any-return]  # an object of JSON


def _parsed(path: Path) -> Json:
    try:
        content = path.read_bytes()
    except OSError as error:
        raise cannot_read(path, error) from error
    found = parse_json(content, str(path))
    if b"NaN" in content or b"Infinity" in content:  # read as absent there, which a rate may be
        with suppress(RecursionError):
            return json.loads(content.decode("utf-8-sig"), parse_constant=float)
    return found


def _explained(error: ValidationError, path: Path) -> InputError:
    """Tell the first thing that is wrong."""
    first = error.errors(include_url=False)[0]
    expected = first["msg"] if first["type"] == "unfit" else "an object"
    return InputError(
        f"Expected {expected}, got {_shown(first['input'])} - at {path_text(first['loc'])} in {path}",
        code="run.damaged",
        facts={"file": path, "path": path_text(first["loc"])},
    )


def _shown(value: Json) -> str:
    if isinstance(value, dict | list):
        return "an object" if isinstance(value, dict) else "a list"
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 1]}…"
