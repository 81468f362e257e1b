"""Rows of a data frame as pairs of documents. Needs no pandas: anything with ``to_dict("records")`` is one."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any, NamedTuple, Protocol

from fieldwise.errors import InputError
from fieldwise.values import Json, float_or_text, integer_or_text


class Frame(Protocol):
    """What is needed of a data frame."""

    def to_dict(self, orient: Any) -> Any: ...


class RowPair(NamedTuple):
    """One row; ``unreadable`` says which side is no JSON, and that side is None."""

    doc_id: str
    expected: Json
    predicted: Json
    unreadable: InputError | None


def read_rows(frame: Frame) -> Iterator[RowPair]:
    """Yield every row: columns expected and predicted, and perhaps doc_id."""
    for number, row in enumerate(frame.to_dict("records")):
        name = str(row.get("doc_id", f"doc_{number}"))
        try:
            expected = _document(row.get("expected"), "expected")
            if expected is None:
                raise InputError(
                    "Expected JSON in the column 'expected', found nothing",
                    code="input.not_json",
                    facts={"column": "expected"},
                )
        except InputError as error:
            yield RowPair(name, None, None, error)
            continue
        try:
            yield RowPair(name, expected, _document(row.get("predicted"), "predicted"), None)
        except InputError as error:
            yield RowPair(name, expected, None, error)


def _document(cell: Json, column: str) -> Json:
    if cell is None or (isinstance(cell, float) and cell != cell):
        return None
    if not isinstance(cell, (str, bytes)):
        return cell
    try:
        return json.loads(cell, parse_float=float_or_text, parse_int=integer_or_text, parse_constant=lambda _: None)
    except (ValueError, RecursionError) as error:
        raise InputError(
            f"Expected JSON in the column {column!r}: {error}", code="input.not_json", facts={"column": column}
        ) from error
