"""Rows of class metrics from a JSONL file: each line a record with correct, golden, predicted and perhaps metadata."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import nullcontext
from pathlib import Path
from typing import IO, Final, NamedTuple, TypeAlias

from fieldwise.classify import UnitMetricResult
from fieldwise.classify.labels import ABSENT, MISSING, key_of
from fieldwise.errors import InputError, cannot_read
from fieldwise.limits import ReadLimits
from fieldwise.readers.files import refuse_special, too_large
from fieldwise.readers.json_text import parse_json
from fieldwise.values import Json

_MAX_BYTES: Final = ReadLimits.max_bytes


NumberedRow: TypeAlias = tuple[int, UnitMetricResult]
LabelKeys: TypeAlias = tuple[str | None, str | None]
"""The keys of the expected and of the predicted label; None stands for the only key of a side."""


class Unusable(NamedTuple):
    """A line that is no record, and why."""

    line: int
    reason: str


def read_rows(source: str | Path, *, by_labels: LabelKeys | None = None) -> Iterator[NumberedRow | Unusable]:
    """Yield the records of a file with their lines, or of standard input where the source is ``-``; blank lines are
    passed over. With ``by_labels``, the keys of both labels, a record without ``correct`` is right if they are equal.
    """
    name = "standard input" if str(source) == "-" else str(source)
    try:
        with _open(source) as file:
            for number, line in enumerate(_lines(file), start=1):
                if line.strip():
                    yield _row(line, number, by_labels)
    except OSError as error:
        raise cannot_read(name, error) from error


def _open(source: str | Path) -> IO[bytes] | nullcontext[IO[bytes]]:
    if str(source) == "-":
        return nullcontext(sys.stdin.buffer)
    if Path(source).is_dir():
        is_run = (Path(source) / "metrics.json").is_file()
        raise InputError(
            f"Expected a file of rows with labels, got the folder {source}",
            code="input.wrong_format",
            facts={"file": str(source)},
            advice="the classes of an evaluation are in its report.html" if is_run else "name a JSONL file in it",
        )
    refuse_special(Path(source))
    return Path(source).open("rb")


def _lines(file: IO[bytes]) -> Iterator[bytes]:
    """Yield the lines of a file; of one that is too long, as much as shows it."""
    while line := file.readline(_MAX_BYTES + 1):
        yield line
        while len(line) > _MAX_BYTES and not line.endswith(b"\n"):
            line = file.readline(_MAX_BYTES + 1)


def _row(line: bytes, number: int, by_labels: LabelKeys | None) -> NumberedRow | Unusable:
    if len(line) > _MAX_BYTES:
        return Unusable(number, too_large("the line", _MAX_BYTES))
    try:
        row = parse_json(line, "the line")
        if by_labels is not None and isinstance(row, dict) and "correct" not in row:
            row = {**row, "correct": _has_equal_labels(row, by_labels)}
        return number, UnitMetricResult.from_dict(row)
    except InputError as error:
        return Unusable(number, str(error))


def _has_equal_labels(row: dict[str, Json], keys: LabelKeys) -> bool:
    labels = []
    for side, key in zip(("golden", "predicted"), keys, strict=True):
        held = row.get(side)
        found = held if isinstance(held, dict) else {}
        only = next(iter(found), None) if key is None and len(found) == 1 else key
        labels.append(key_of(found.get(only, ABSENT)))
    return labels[0] == labels[1] != MISSING
