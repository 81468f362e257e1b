"""Rows of class metrics from a JSONL file: each line a record with correct, golden, predicted and perhaps metadata."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import nullcontext
from pathlib import Path
from typing import IO, NamedTuple

from fieldwise.classify import UnitMetricResult
from fieldwise.errors import InputError
from fieldwise.readers.json_text import parse_json


class Unusable(NamedTuple):
    """A line that is no record, and why."""

    line: int
    reason: str


def read_rows(source: str | Path) -> Iterator[UnitMetricResult | Unusable]:
    """Yield the records of a file, or of standard input where the source is ``-``; blank lines are passed over."""
    name = "standard input" if str(source) == "-" else str(source)
    try:
        with _open(source) as file:
            for number, line in enumerate(file, start=1):
                if line.strip():
                    yield _row(line, number)
    except OSError as error:
        raise InputError(f"Cannot read {name}: {error.strerror or error}") from error


def _open(source: str | Path) -> IO[bytes] | nullcontext[IO[bytes]]:
    return nullcontext(sys.stdin.buffer) if str(source) == "-" else Path(source).open("rb")


def _row(line: bytes, number: int) -> UnitMetricResult | Unusable:
    try:
        return UnitMetricResult.from_dict(parse_json(line, "the line"))
    except InputError as error:
        return Unusable(number, str(error))
