"""A value that is right in one of two runs only, and what was expected and predicted there."""

from __future__ import annotations

from bisect import insort
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from fieldwise.results.difference import Direction, Flip, Reason
from fieldwise.runs.pairing import PairedRuns, Side
from fieldwise.tables.stored_fields import KEYS
from fieldwise.tables.verdict_columns import ERRORS
from fieldwise.values import Json

EXPECTED_ROWS = ("match", "mismatch", "missed")
"""The outcomes of rows that have an expected value."""
_PLACE = ("document", "trial", "section", "path", "outcome")
_SHOWN = ("expected", "predicted", "reason", "alternate_index")


class Flipped(NamedTuple):
    """A flip before its values are read."""

    document: int
    path: str
    shares: tuple[float, float]
    invented: tuple[int, int] | None = None
    """Where an invented value is among the errors of base and candidate; None for one that was expected."""
    is_open: bool = False
    """Whether its values are among the verdicts, and not all among the errors."""

    def direction(self) -> Direction:
        """Say which run has it right."""
        return "fixed" if self.shares[1] > self.shares[0] else "broken"


class _Row(NamedTuple):
    """What a run has at a place, in one trial."""

    trial: int
    outcome: str
    expected: str | None
    predicted: str | None
    reason: Reason | None
    is_alternate: bool = False
    """Whether what was expected is one of several acceptable values, and not what the document holds."""


def kept_errors(side: Side, path: str, columns: Sequence[str]) -> pa.Table:
    """Return the errors of a field of paired documents."""
    asked = (*columns, "section")
    if path not in side.fields:  # which the other run has
        return with_sections(ERRORS.empty_table().select(list(dict.fromkeys([*KEYS, *asked]))))
    table = with_sections(side.run.errors(path, outcome=None, columns=asked))
    kept = side.places[table["document"].to_numpy()] >= 0
    return table if kept.all() else table.filter(pa.array(kept))


def with_sections(table: pa.Table) -> pa.Table:
    """Return rows whose paths begin with their section, such as ``2: total``, where documents have sections."""
    sections = table["section"]
    if sections.null_count == len(table):
        return table
    names: Any = sections.cast(pa.string())
    for column in ("path", "predicted_path"):
        if column in table.column_names:
            paths: Any = table[column].cast(pa.string())
            joined: Any = pc.coalesce(pc.binary_join_element_wise(names, paths, ": "), paths)
            wanted = table.schema.field(column).type
            joined = joined.dictionary_encode() if pa.types.is_dictionary(wanted) else joined
            table = table.set_column(table.column_names.index(column), column, joined)
    return table


def with_values(runs: PairedRuns, path: str, flips: Sequence[Flipped]) -> Iterator[Flip]:
    """Read what was expected and predicted of some flips of one field."""
    rows = [_FieldRows(runs, run, path, flips) for run in (0, 1)]
    for k, own in enumerate(rows):
        own.read_verdicts({flip.document for flip in flips if flip.is_open or _is_hidden(flip, own, rows[1 - k])})
    for flip in flips:
        base, candidate = (own.row(flip) for own in rows)
        if flip.invented is None and not flip.is_open:
            base, candidate = base or _identical(candidate), candidate or _identical(base)
        yield _flip(runs, path, flip, base, candidate)


def _identical(other: _Row | None) -> _Row | None:
    """Return a match of two values that are the same: what was expected is in the other run's row."""
    return None if other is None else _Row(1, "match", other.expected, other.expected, None)


def _is_hidden(flip: Flipped, own: _FieldRows, other: _FieldRows) -> bool:
    """Tell whether what a run has is neither among its errors nor what the other run's row says to be expected."""
    there = other.row(flip)
    return own.row(flip) is None and there is not None and there.is_alternate


class _FieldRows:
    """The rows of one run that are needed to show flips of a field."""

    def __init__(self, runs: PairedRuns, run: int, path: str, flips: Sequence[Flipped]) -> None:
        self._run, self._side, self._path, self._names = run, runs.sides[run], path, runs.ids.compared
        self._errors = kept_errors(self._side, path, _SHOWN)
        self._numbers = self._errors["document"].to_numpy()
        self._places: dict[tuple[int, str], list[_Row]] = {}
        self._whole: set[int] = set()
        """Documents whose rows are all there, not only those that are wrong."""
        self._read_errors({flip.document for flip in flips if flip.invented is None and not flip.is_open})

    def _read_errors(self, documents: set[int]) -> None:
        rows = np.flatnonzero(np.isin(self._side.places[self._numbers], list(documents)))
        for row in self._errors.take(rows).to_pylist():
            if row["outcome"] in EXPECTED_ROWS:
                number = row["document"]
                self._add(int(self._side.places[number]), int(self._side.numbers[number]), row)

    def read_verdicts(self, documents: set[int]) -> None:
        """Read all values of some documents."""
        if not documents:
            return
        self._whole |= documents
        self._places = {key: rows for key, rows in self._places.items() if key[0] not in documents}
        of_name = {self._names[document]: document for document in documents}
        where = {"document": of_name.keys(), "field": (self._path,), "outcome": EXPECTED_ROWS}
        for table in self._side.run.verdicts(where=where, columns=(*_PLACE, *_SHOWN)):
            for row in with_sections(table).to_pylist():
                self._add(of_name[row["document"]], row["trial"], row)

    def _add(self, document: int, trial: int, row: Mapping[str, Json]) -> None:
        insort(self._places.setdefault((document, row["path"]), []), _row(trial, row), key=lambda held: held.trial)

    def row(self, flip: Flipped) -> _Row | None:
        """Return the first row in which the value is right where this run has it right, else the first wrong one.

        None where there is none: the run has no such place, or both values are the same, which is no error.
        """
        if flip.invented is not None:
            at = flip.invented[self._run]
            return None if at < 0 else _row(1, self._errors.slice(at, 1).to_pylist()[0])
        held = self._places.get((flip.document, flip.path), [])
        right = flip.shares[self._run] > flip.shares[1 - self._run]
        if right and flip.document not in self._whole:
            first = self._first_right(flip.document, {row.trial for row in held if row.outcome != "match"})
            return next((row for row in held if row.trial == first), None)
        return next((row for row in held if (row.outcome == "match") == right), held[0] if held else None)

    def _first_right(self, document: int, wrong: set[int]) -> int:
        """Return the first trial that is not wrong."""
        trials = self._side.trials
        start = int(np.searchsorted(trials.documents, document))
        end = int(np.searchsorted(trials.documents, document, side="right"))
        return next((trial for trial in trials.numbers[start:end].tolist() if trial not in wrong), 1)


def _row(trial: int, row: Mapping[str, Json]) -> _Row:
    is_alternate = row["alternate_index"] is not None
    return _Row(trial, row["outcome"], row["expected"], row["predicted"], row["reason"], is_alternate)


def _flip(runs: PairedRuns, path: str, flip: Flipped, base: _Row | None, candidate: _Row | None) -> Flip:
    outcomes = [_outcome(side, flip, row) for side, row in zip(runs.sides, (base, candidate), strict=True)]
    has_several = any(side.trials.by_document[flip.document] > 1 for side in runs.sides)
    shares = flip.shares if has_several else (None, None)
    return Flip(
        direction=flip.direction(),
        document=runs.ids.compared[flip.document],
        path=flip.path,
        field=path,
        expected=_expected(base, candidate),
        base=base.predicted if base else None,
        candidate=candidate.predicted if candidate else None,
        base_outcome=outcomes[0],
        candidate_outcome=outcomes[1],
        base_reason=_reason(base),
        candidate_reason=_reason(candidate),
        base_share=shares[0],
        candidate_share=shares[1],
    )


def _outcome(side: Side, flip: Flipped, row: _Row | None) -> str | None:
    if row is not None:
        return row.outcome
    return "missed" if side.failed[flip.document] else None


def _reason(row: _Row | None) -> Reason | None:
    """Return why a value counts as it does; one that is right needs no reason."""
    return None if row is None or row.outcome == "match" else row.reason or None


def _expected(base: _Row | None, candidate: _Row | None) -> str | None:
    """Return what was expected; where the truth itself changed between the runs, both."""
    if base is None or candidate is None:
        only = base or candidate
        return None if only is None else only.expected
    if base.expected == candidate.expected:
        return base.expected
    return f"{base.expected} in the base, {candidate.expected} in the candidate"
