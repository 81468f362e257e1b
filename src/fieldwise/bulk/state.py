"""What an evaluation gathers, and what it reads and writes.

Sums and records merge in any order, and go to a file and back; results are written line by line, as they come; rows of
data frames are read as pairs.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import IO, Any, ClassVar, NamedTuple, Protocol, TypeAlias

from fieldwise.bulk_aggregator import METRIC_KEYS, ROW, MalformedMatrixError, metrics_of_row, row_keys
from fieldwise.counting.interval_aggregator import SCORES, MatrixSums, ScoreSum
from fieldwise.errors import InputError
from fieldwise.files import write_whole
from fieldwise.states import (
    COUNT,
    Kind,
    Reader,
    State,
    an_object,
    below,
    by_key,
    declared,
    if_wanted,
    json_value,
    listed,
    maybe,
    nested,
    read_key,
    setting,
    text,
    truth,
)
from fieldwise.values import Json, float_or_text, integer_or_text, plain, written

StrPath: TypeAlias = str | PathLike[str]
Record = dict[str, Json]
"""What is known of a document that failed, or of one value that did not match; has a ``doc_id``."""
Measures: TypeAlias = dict[str, int | float | None]
"""Counts and ratios as the results of evaluators show them."""

_KNOWN: dict[str, Reader[Any]] = {"doc_id": text, "error": text, "counted": truth, "accumulator": text}


def _records(*needed: str) -> Kind[list[Record]]:
    """Records of documents in any order, each with these texts."""

    def read(value: Json, path: str) -> Record:
        record = an_object(value, path)
        for name in needed:
            read_key(record, name, text, path)
        return {name: _KNOWN.get(name, json_value)(part, below(path, name)) for name, part in record.items()}

    def both(mine: list[Record], theirs: list[Record]) -> list[Record]:
        mine += theirs
        return mine

    items = listed(read)
    return Kind(list, both, lambda value, path: list(items(value, path)), lambda held: in_order(plain(held)))


def _states(value: Json, path: str) -> dict[str, Json]:
    return {name: dict(an_object(part, below(path, name))) for name, part in an_object(value, path).items()}


@dataclass(slots=True, eq=False)
class EvaluationState(State):
    """Everything that was gathered of documents; what accumulators hold is put into it where it is to be kept."""

    versioned: ClassVar[bool] = True
    fingerprint: str | None = declared(setting(maybe(text), None))
    target_schema: str | None = declared(setting(maybe(text), None))
    accumulators: dict[str, Json] = declared(setting(_states, {}))
    documents: int = declared(COUNT)
    matrices: MatrixSums = declared(nested(MatrixSums))
    overall_score: ScoreSum = declared(SCORES)
    errors: list[Record] = declared(_records("doc_id", "error"))
    non_matches: list[Record] | None = declared(if_wanted(_records("doc_id")))
    """None where these are not documented."""
    accumulator_errors: dict[str, int] = declared(by_key(COUNT))

    def add(self, matrix: Json, score: Json) -> None:
        """Add the matrix of a document and its score; InputError, and nothing added, where it cannot be counted."""
        try:
            reading = self.matrices.add(matrix)
        except MalformedMatrixError as error:
            raise InputError(
                f"{error.reason} - at {error.path or 'the root'} of the confusion matrix",
                code="input.not_counts",
                facts={"path": error.path},
            ) from None
        if reading is None:
            raise InputError(
                "Expected a confusion matrix with 'overall' or 'fields', got an empty one", code="input.not_counts"
            )
        self.documents += 1
        self.overall_score = self.overall_score.plus(score)

    def metrics(self) -> Measures:
        """Return the metrics of all documents, and the mean of their overall scores."""
        return {**_measures(self.matrices.overall), "weighted_overall_score": self.overall_score.mean}

    def field_metrics(self) -> dict[str, Measures]:
        """Return counts and ratios by path, sorted, with the mean score where there are scores."""
        self.matrices.settle()
        rows, scores, out = self.matrices.rows, self.matrices.scores, dict[str, Measures]()
        for key, name in row_keys({**rows, **scores}).items():
            out[name] = _measures(rows.get(key) or [0] * ROW)
            if key in scores:
                out[name]["mean_score"] = scores[key].mean
        return {name: out[name] for name in sorted(out)}

    @property
    def seen(self) -> int:
        """How many documents came, those that failed included."""
        return self.documents + len(failures(self.errors))


def _measures(counts: Sequence[int]) -> Measures:
    row = metrics_of_row(counts)
    out: Measures = {key: row[key] for key in METRIC_KEYS}
    out |= {f"cm_{key}": row[key] for key in ("precision", "recall", "f1", "accuracy")}
    return out | {key: row[key] for key in ("strict_recall", "strict_f1")}


def failures(errors: Sequence[Record]) -> list[Record]:
    """Return the records of documents that count nowhere."""
    return [error for error in errors if "accumulator" not in error and not error.get("counted")]


def in_order(records: Sequence[Record]) -> list[Record]:
    """Return records sorted by document and path, those of one place by all they say."""
    places = [(str(record["doc_id"]), str(record.get("field_path", ""))) for record in records]
    order = sorted(range(len(records)), key=places.__getitem__)
    if len({*places}) < len(places):
        shared = {place for place, times in Counter(places).items() if times > 1}
        order.sort(key=lambda at: (places[at], written(records[at]) if places[at] in shared else ""))
    return [records[at] for at in order]


def read_state(given: Mapping[str, Json] | StrPath) -> EvaluationState:
    """Return a state, read from a file where a path is given; InputError for what is none."""
    return EvaluationState.from_state(given if isinstance(given, Mapping) else _read_json(given))


def _read_json(path: StrPath) -> Json:
    try:
        return json.loads(Path(path).read_bytes())
    except (OSError, ValueError) as error:
        raise InputError(f"Cannot read {path}: {error}", code="input.unreadable", facts={"file": path}) from error


def write_json(path: StrPath, value: Json) -> None:
    """Write JSON to a file, which is there as a whole or not at all."""
    write_whole(Path(path), json.dumps(value, indent=2, sort_keys=True).encode())


# Results, line by line


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
