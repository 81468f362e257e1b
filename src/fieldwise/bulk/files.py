"""What an evaluation reads and writes: results line by line, JSON that is never half written, rows of data frames."""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Iterator, Mapping
from os import PathLike
from pathlib import Path
from typing import IO, Any, NamedTuple, Protocol, TypeAlias

from fieldwise.errors import InputError
from fieldwise.values import Json, float_or_text, integer_or_text, plain

StrPath: TypeAlias = str | PathLike[str]
Figures: TypeAlias = dict[str, Json]
"""Results under the names that stickler-eval gives them, as JSON."""


class ResultLines:
    """Appends results to a JSONL file; opened by the first line, flushed with every line."""

    def __init__(self, path: StrPath) -> None:
        self.path = Path(path)
        self._file: IO[str] | None = None

    def write(self, line: Mapping[str, Json]) -> None:
        """Append one line; what JSON cannot hold becomes the plain type nearest to it."""
        if self._file is None:
            self._file = self.path.open("a", encoding="utf-8")
        self._file.write(json.dumps(plain(line)) + "\n")
        self._file.flush()

    def close(self) -> None:
        """Close the file; the next line opens it again."""
        if self._file is not None:
            self._file.close()
            self._file = None


def read_lines(path: StrPath) -> Iterator[dict[str, Json]]:
    """Yield the lines of such a file, blank ones left out."""
    with Path(path).open(encoding="utf-8") as file:
        for number, text in enumerate(file, 1):
            if text.strip():
                yield _result(text, f"line {number} of {path}")


def _result(text: str, name: str) -> dict[str, Json]:
    try:
        line = json.loads(text)
    except ValueError as error:
        raise InputError(f"Expected JSON in {name}: {error}", code="input.not_json", facts={"file": name}) from error
    if not isinstance(line, dict) or not {"doc_id", "comparison_result"} <= line.keys():
        raise InputError(
            f"Expected 'doc_id' and 'comparison_result' in {name}", code="input.missing_key", facts={"file": name}
        )
    return line


def read_json_file(path: StrPath) -> Json:
    """Return what a JSON file holds; InputError where it cannot be read."""
    try:
        return json.loads(Path(path).read_bytes())
    except (OSError, ValueError) as error:
        raise InputError(f"Cannot read {path}: {error}", code="input.unreadable", facts={"file": path}) from error


def write_json(path: StrPath, value: Json) -> None:
    """Write JSON under a name at once: whoever opens it finds the old file or the whole new one."""
    target = Path(path)
    handle, name = tempfile.mkstemp(dir=target.parent, prefix=f".{target.name}.")
    try:
        with open(handle, "w", encoding="utf-8") as file:
            json.dump(value, file, indent=2, sort_keys=True)
            file.flush()
            os.fsync(file.fileno())
        os.replace(name, target)
    except BaseException:
        os.unlink(name)
        raise


# Data frames, of which only ``to_dict`` is needed


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
