"""What an evaluation gathers, and what it reads and writes.

Sums and records merge in any order, and go to a file and back; results are written line by line, as they come; rows of
data frames are read as pairs.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from os import PathLike
from pathlib import Path
from typing import IO, Any, NamedTuple, Protocol, TypeAlias

from fieldwise.counting.matrix_sums import MatrixSums, Measures, ScoreSum, check_matrix_sums, check_scores
from fieldwise.errors import InputError
from fieldwise.files import write_whole
from fieldwise.states import by_name, checked, listed, maybe, named, only, text, truth, whole
from fieldwise.values import Json, float_or_text, integer_or_text, plain, written

VERSION = 1
StrPath: TypeAlias = str | PathLike[str]

_MAX_SUM = 10**400
_LOOKS_LIKE = named(
    {
        "version": only(VERSION),
        "fingerprint": maybe(text),
        "target_schema": maybe(text),
        "accumulators": by_name(named({}, others=True)),
        "processed_count": whole(),
        "overall_score": named({"sum": whole(_MAX_SUM, -_MAX_SUM), "count": whole()}),
        "confusion_matrix": check_matrix_sums,
        "errors": listed(named({"doc_id": text, "error": text}, {"counted": truth, "accumulator": text}, others=True)),
        "non_matches": maybe(listed(named({"doc_id": text}, others=True))),
        "accumulator_errors": by_name(whole()),
    }
)

Record = dict[str, Json]
"""What is known of a document that failed, or of one value that did not match; has a ``doc_id``."""


@dataclass
class EvaluationState:
    """Everything that was gathered of documents, other than what accumulators hold."""

    documents: int = 0
    sums: MatrixSums = field(default_factory=MatrixSums)
    errors: list[Record] = field(default_factory=list)
    non_matches: list[Record] = field(default_factory=list)
    accumulator_errors: Counter[str] = field(default_factory=Counter)

    def merge(self, other: EvaluationState) -> None:
        """Add what another has gathered."""
        self.documents += other.documents
        self.sums.merge(other.sums)
        self.errors += other.errors
        self.non_matches += other.non_matches
        self.accumulator_errors += other.accumulator_errors

    def metrics(self) -> Measures:
        """Return the metrics of all documents, and the mean of their overall scores."""
        return {**self.sums.metrics(), "weighted_overall_score": self.sums.scores.mean}

    def to_json(self) -> dict[str, Json]:
        """Return everything as JSON, in an order that does not depend on which document came first."""
        return {
            "processed_count": self.documents,
            "overall_score": {"sum": self.sums.scores.units, "count": self.sums.scores.count},
            "confusion_matrix": self.sums.to_state(),
            "errors": in_order(plain(self.errors)),
            "non_matches": in_order(plain(self.non_matches)),
            "accumulator_errors": dict(sorted(self.accumulator_errors.items())),
        }

    @classmethod
    def from_json(cls, state: Mapping[str, Json]) -> EvaluationState:
        """Return what ``to_json`` gave; InputError for anything else."""
        scores = state["overall_score"]
        check_scores(scores["sum"], scores["count"], "overall_score")
        return cls(
            documents=state["processed_count"],
            sums=MatrixSums.from_state(state["confusion_matrix"], ScoreSum(scores["sum"], scores["count"])),
            errors=[dict(error) for error in state["errors"]],
            non_matches=[dict(entry) for entry in state["non_matches"] or ()],
            accumulator_errors=Counter(state["accumulator_errors"]),
        )

    @property
    def seen(self) -> int:
        """How many documents came, those that failed included."""
        return self.documents + len(failures(self.errors))


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


def read_state(given: Mapping[str, Json] | StrPath) -> Mapping[str, Json]:
    """Return a state, read from a file where a path is given; InputError for what is none."""
    state = given if isinstance(given, Mapping) else _read_json(given)
    if not isinstance(state, Mapping) or state.get("version") != VERSION:
        raise InputError(
            f"Expected a state of version {VERSION}, as get_state() gives it",
            code="state.version",
            facts={"expected": VERSION},
        )
    return checked(state, _LOOKS_LIKE)  # type: ignore[no-any-return]  # what the check has looked at


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
