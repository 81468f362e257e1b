"""The columns of verdict rows, and the table that parts of them make.

A row is known by (document, trial, section, path, predicted_path). ``path`` is where the expected document has the
value, ``predicted_path`` where the predicted one has it: null where a value was invented or missed. Where both sides
have nothing, both say where it would be.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple, get_args

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from fieldwise.compare.results import MATCH, MISSED, SPURIOUS, WRITTEN, LeafNote, Outcome, Raised
from fieldwise.compare.verdicts import Accepted
from fieldwise.error_kinds import KINDS
from fieldwise.tables.columns import Side, joined, named_column, text_column
from fieldwise.tables.mistakes import kind_codes

SCHEMA_VERSION = 3
OUTCOMES = tuple(outcome.word for outcome in Outcome)
REASONS = ("", "type", "row", "alone", "undeclared", "comparator")
"""Why a place counts as it does: its score; a value of another kind; a rejected or unpaired row; no such field; a
comparator that raised.
"""

ACCEPTED: tuple[Accepted, ...] = get_args(Accepted)
_WRITTEN = len(REASONS)
_NOTES: dict[LeafNote, int] = {"": 0, "type": REASONS.index("type"), WRITTEN: _WRITTEN}
_COMPARATOR = REASONS.index("comparator")


def note_code(note: LeafNote) -> int:
    """Return what the note of a leaf's result says about its reason: a number of `REASONS`, or that it is written
    differently.
    """
    return _COMPARATOR if isinstance(note, Raised) else _NOTES.get(note, 0)


_NAMES = pa.dictionary(pa.int32(), pa.string())
_FEW_NAMES = pa.dictionary(pa.int8(), pa.string())
_COLUMNS: list[tuple[str, Any]] = [
    ("document", _NAMES),
    ("trial", pa.int32()),
    ("section", _NAMES),
    ("class", _NAMES),
    ("path", _NAMES),
    ("predicted_path", _NAMES),
    ("field", _NAMES),
    ("outcome", _FEW_NAMES),
    ("accepted", _FEW_NAMES),
    ("kind", _FEW_NAMES),
    ("score", pa.float64()),
    ("raw_score", pa.float64()),
    ("expected", pa.string()),
    ("predicted", pa.string()),
    ("expected_is_json", pa.bool_()),
    ("predicted_is_json", pa.bool_()),
    ("expected_length", pa.int64()),
    ("predicted_length", pa.int64()),
    ("expected_sha256", pa.string()),
    ("predicted_sha256", pa.string()),
    ("weight", pa.float64()),
    ("confidence", pa.float64()),
    ("pair_score", pa.float64()),
    ("pair_threshold", pa.float64()),
    ("pair_accepted", pa.bool_()),
    ("alternate_index", pa.int32()),
    ("reason", _FEW_NAMES),
    ("schema_version", pa.int8()),
]
VERDICTS = pa.schema(_COLUMNS)

_NAMED: Any = [name for name in VERDICTS.names if name not in ("expected", "predicted")]
"""Columns whose values repeat."""
_ROWS_AT_ONCE = 4096
"""So many rows are encoded together: more are hardly quicker, and of long texts a page would become large."""


def write_verdicts(path: Path, table: pa.Table) -> None:
    """Write verdict rows as a Parquet file.

    A group of rows holds some documents with all their fields, so only the bounds of documents tell whether to look
    into it.
    """
    pq.write_table(
        table,
        path,
        compression="snappy",
        use_dictionary=_NAMED,
        write_statistics=["document"],
        write_batch_size=_ROWS_AT_ONCE,
    )


Odd = tuple[int, int, float, float, int, int]
"""What is to be said of a row, unless both values are the same: its place in the part, outcome, score, raw score,
reason, alternative.
"""


class Part(NamedTuple):
    """Some rows as columns; one that holds nothing, as most of the last ones do, is None."""

    documents: Any
    fields: Any
    paths: Any
    predicted_paths: Any
    """None where they are the same as ``paths``."""
    expected: Side
    predicted: Side
    pair_scores: Any
    pair_thresholds: Any
    pair_accepted: Any
    confidences: Any
    odd: Sequence[Any]
    """The columns of what is to be said of rows, see `Odd`; none where all values are the same."""
    kinds: Mapping[int, int]
    """The kinds of the mismatches, by their codes."""


class SectionName(NamedTuple):
    """The number of a document, and the id and class of one of its sections."""

    document: int
    section: str
    document_class: str | None


class Compared(NamedTuple):
    """What the numbers of parts stand for: documents as they came, those that are no first trial, and fields.

    A negative number is that of a section: -1 is the first of ``sections``.
    """

    documents: Sequence[str]
    trials: Mapping[int, int]
    fields: Sequence[str]
    weights: Sequence[float]
    sections: Sequence[SectionName] = ()
    classes: Mapping[int, str] = {}  # never written to
    """The classes of documents that have one."""

    def document_numbers(self, numbers: Any) -> Any:
        """Return the numbers of documents in place of those of their sections."""
        if not self.sections:
            return numbers
        owners = np.array([section.document for section in self.sections], numbers.dtype)
        return np.where(numbers < 0, owners[-1 - np.minimum(numbers, -1)], numbers)


def verdict_table(parts: Sequence[Part], compared: Compared) -> pa.Table:
    """Return parts as one table."""
    fields = np.concatenate([part.fields for part in parts])
    numbers = np.concatenate([part.documents for part in parts])
    sizes, size = [len(part.fields) for part in parts], len(fields)
    outcomes, judged = _judged(parts, size)
    columns: dict[str, Any] = {
        **_document_columns(compared.document_numbers(numbers), compared),
        **_section_columns(numbers, compared),
        **_path_columns(parts, outcomes),
        "field": _field_column(fields, compared.fields),
        **judged,
        **_side_columns("expected", [part.expected for part in parts], sizes),
        **_side_columns("predicted", [part.predicted for part in parts], sizes),
        "weight": pa.array(np.array(compared.weights or [1.0])[fields]),
        "confidence": joined([part.confidences for part in parts], sizes, pa.float64()),
        "pair_score": joined([part.pair_scores for part in parts], sizes, pa.float64()),
        "pair_threshold": joined([part.pair_thresholds for part in parts], sizes, pa.float64()),
        "pair_accepted": joined([part.pair_accepted for part in parts], sizes, pa.bool_()),
        "schema_version": pa.array(np.full(size, SCHEMA_VERSION, np.int8)),
    }
    return pa.table([columns[name] for name in VERDICTS.names], schema=VERDICTS)


def _document_columns(numbers: Any, compared: Compared) -> dict[str, Any]:
    """Return the columns of ids and trials; several trials of a document have one id."""
    names, trials = compared.documents, np.ones(len(compared.documents), np.int32)
    if compared.trials:
        trials[list(compared.trials)] = list(compared.trials.values())
        codes = {name: code for code, name in enumerate(dict.fromkeys(names))}
        of_document = np.array([codes[name] for name in names], np.int32)
        return {"document": named_column(of_document[numbers], list(codes)), "trial": pa.array(trials[numbers])}
    return {"document": named_column(numbers, names), "trial": pa.array(trials[numbers])}


def _section_columns(numbers: Any, compared: Compared) -> dict[str, Any]:
    """Return the columns of sections and classes, null where a document has none."""
    size, sections = len(numbers), compared.sections
    ids = [section.section for section in sections]
    classes = [section.document_class for section in sections]
    own = pa.nulls(size, _NAMES) if not ids else _named_at(-1 - numbers, ids)
    if not compared.classes and not any(classes):
        return {"section": own, "class": pa.nulls(size, _NAMES)}
    of_documents = [compared.classes.get(number) for number in range(len(compared.documents))]
    places = np.where(numbers < 0, len(of_documents) - 1 - numbers, numbers)
    return {"section": own, "class": _named_at(places, [*of_documents, *classes])}


def _named_at(places: Any, names: Sequence[str | None]) -> Any:
    """Return the names at some places, null where there is none, or the place is negative."""
    codes = {name: code for code, name in enumerate(dict.fromkeys(name for name in names if name is not None))}
    table = np.array([*(-1 if name is None else codes[name] for name in names), -1], np.int32)
    found = table[np.where(places < 0, len(names), places)]
    numbers: Any = pa.array(found, mask=found < 0)
    return pa.DictionaryArray.from_arrays(numbers, text_column(list(codes)))


def _field_column(numbers: Any, names: Sequence[str]) -> Any:
    """Return the names of fields; two numbers may have one name, where classes give a field different weights."""
    codes = {name: code for code, name in enumerate(dict.fromkeys(names))}
    if len(codes) == len(names):
        return named_column(numbers, names)
    return named_column(np.array([codes[name] for name in names], numbers.dtype)[numbers], list(codes))


def _path_columns(parts: Sequence[Part], outcomes: Any) -> dict[str, Any]:
    paths = _unified([part.paths for part in parts])
    predicted = paths
    if any(part.predicted_paths is not None for part in parts):
        predicted = _unified([part.paths if part.predicted_paths is None else part.predicted_paths for part in parts])
    return {
        "path": _without(paths, outcomes == SPURIOUS.at),
        "predicted_path": _without(predicted, outcomes == MISSED.at),
    }


def _unified(parts: Sequence[Any]) -> Any:
    return pa.chunked_array(parts).unify_dictionaries().combine_chunks()


def _without(names: Any, rows: Any) -> Any:
    """Return a column of names with null in some rows."""
    return pa.DictionaryArray.from_arrays(pa.array(np.asarray(names.indices), mask=rows), names.dictionary)


def _judged(parts: Sequence[Part], size: int) -> tuple[Any, dict[str, Any]]:
    outcome, reason = np.zeros(size, np.int8), np.zeros(size, np.int8)
    score, raw, alternate = np.ones(size), np.ones(size), np.full(size, -1, np.int32)
    wrong, kinds = [np.zeros(0, np.int64)], [np.zeros(0, np.int8)]
    start = 0
    for part in parts:
        if part.odd:
            at = np.asarray(part.odd[0], np.int64) + start
            outcome[at], score[at], raw[at], reason[at], alternate[at] = part.odd[1:]
            wrong.append(np.fromiter(part.kinds, np.int64, len(part.kinds)) + start)
            kinds.append(np.fromiter(part.kinds.values(), np.int8, len(part.kinds)))
        start += len(part.fields)
    kind = kind_codes(outcome)
    kind[np.concatenate(wrong)] = np.concatenate(kinds)
    accepted: Any = np.full(size, -1, np.int8)
    accepted[(outcome == MATCH.at) & (raw < 1.0)] = ACCEPTED.index("similar")
    accepted[reason == _WRITTEN] = ACCEPTED.index("written_differently")
    reason[reason == _WRITTEN] = 0
    return outcome, {
        "outcome": named_column(outcome, OUTCOMES),
        "accepted": _few_names(accepted, ACCEPTED),
        "kind": _few_names(kind, KINDS),
        "score": pa.array(score),
        "raw_score": pa.array(raw),
        "reason": named_column(reason, REASONS),
        "alternate_index": pa.array(alternate, mask=alternate < 0),
    }


def _few_names(codes: Any, names: Sequence[str]) -> Any:
    """Return a column of names given by their numbers, null where that is negative."""
    numbers: Any = pa.array(codes, mask=codes < 0)
    return pa.DictionaryArray.from_arrays(numbers, pa.array(names))


def _side_columns(name: str, sides: Sequence[Side], sizes: Sequence[int]) -> dict[str, Any]:
    return {
        name: pa.concat_arrays([s.text for s in sides]),
        f"{name}_is_json": pa.array(np.concatenate([s.is_json for s in sides])),
        f"{name}_length": joined([s.length for s in sides], sizes, pa.int64()),
        f"{name}_sha256": joined([s.sha256 for s in sides], sizes, pa.string()),
    }
