"""Chosen verdict rows of a run, read one group after the other: memory does not grow with how many there are."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from fieldwise.compare.verdicts import row_rejected
from fieldwise.error_kinds import KINDS
from fieldwise.errors import SettingError, nearest, quoted
from fieldwise.readers.sections import natural
from fieldwise.runs.fields import chosen_fields
from fieldwise.runs.run import Run
from fieldwise.tables.documents import SLICE
from fieldwise.tables.stored import dicts_of, names_of
from fieldwise.tables.verdict_columns import ACCEPTED, OUTCOMES
from fieldwise.text import fixed
from fieldwise.values import Json

_FILTERED = ("document", "field", "outcome", "kind", "accepted", "section", "class")
_PLACE = ("document", "trial", "section", "class", "path", "predicted_path", "field")
_JUDGED = ("outcome", "accepted", "kind", "score", "raw_score")
_ROW = ("confidence", "pair_score", "pair_threshold", "pair_accepted")
_SIDES = tuple(f"{side}{what}" for side in ("expected", "predicted") for what in ("", "_is_json", "_length"))
_READ = (*_PLACE, *_JUDGED, *_ROW, *_SIDES, "reason")
COLUMNS = (*_PLACE, *_JUDGED, *_SIDES, "reason", *_ROW)
"""What is listed of a row."""
WRONG = ("mismatch", "spurious", "missed")
"""The outcomes that the word *wrong* stands for."""
_ROWS_AT_ONCE = 1000
_MAX_NEAREST = 10_000
"""Among more documents than this, no name is looked up that is nearest to one that is unknown."""
_REASONS = {
    "type": "a value that is not of the field's type",
    "alone": "a row without a partner",
    "undeclared": "no field of this name is declared",
    "comparator": "the comparator raised an error; failures.jsonl says which",
}
_MISFIT = "something else is predicted in place of its list or object"


@dataclass(frozen=True)
class RowFilter:
    """Which rows are chosen: those that have one of the names in every column that has names here.

    Without outcomes, rows of which neither side has a value are left out.
    """

    documents: frozenset[str] = frozenset()
    fields: frozenset[str] = frozenset()
    outcomes: frozenset[str] = frozenset()
    kinds: frozenset[str] = frozenset()
    accepted: frozenset[str] = frozenset()
    sections: frozenset[str] = frozenset()
    classes: frozenset[str] = frozenset()

    @classmethod
    def of(
        cls,
        run: Run,
        *,
        documents: Sequence[str] = (),
        fields: Sequence[str] = (),
        outcomes: Sequence[str] = (),
        kinds: Sequence[str] = (),
        accepted: Sequence[str] = (),
        sections: Sequence[str] = (),
        classes: Sequence[str] = (),
        slices: Sequence[str] = (),
    ) -> RowFilter:
        """Return a filter of names; one that is not known, or not in the run, is refused.

        The outcome ``wrong`` stands for all of `WRONG`; a field may be an object or a pattern. A slice is a key and its
        value, ``vendor=Acme``, or a key alone for documents without it; with documents, those of them that are in one.
        """
        outcomes = checked_outcomes(outcomes)
        for names, known, what in ((kinds, KINDS, "kind"), (accepted, ACCEPTED, "")):
            _refuse_unknown(names, known, what)
        check_ids(run, documents)
        if slices:
            held = frozenset().union(*(documents_of_slice(run, text) for text in slices))
            documents = sorted(held.intersection(documents) if documents else held)
            if not documents:
                raise SettingError(f"No document of {run.name} that is asked for is in {' or '.join(slices)}")
        chosen = chosen_fields(fields, run.metrics.fields, among=run.name)
        return cls(*map(frozenset, (documents, chosen, outcomes, kinds, accepted, sections, classes)))

    @property
    def columns(self) -> dict[str, frozenset[str]]:
        """The names in each column that has some."""
        outcomes = self.outcomes or frozenset(OUTCOMES) - {"absent"}
        values = (self.documents, self.fields, outcomes, self.kinds, self.accepted, self.sections, self.classes)
        return {column: names for column, names in zip(_FILTERED, values, strict=True) if names}


def checked_outcomes(given: Iterable[str]) -> list[str]:
    """Return outcomes, of which ``wrong`` stands for all of `WRONG`; one that is not known is refused."""
    outcomes = [name for word in given for name in (WRONG if word == "wrong" else (word,))]
    _refuse_unknown(outcomes, OUTCOMES, "outcome")
    return outcomes


def check_ids(run: Run, documents: Sequence[str]) -> None:
    """Refuse an id that no document of a run has."""
    ids = dict.fromkeys(run.documents().ids.to_pylist()) if documents else {}
    for name in (name for name in documents if name not in ids):
        hint = nearest(name, ids) if len(ids) <= _MAX_NEAREST else ""
        raise SettingError(
            f"No document of {run.name} has the id {quoted(name)}{hint}",
            code="run.unknown_document",
            facts={"file": run.name, "document": name},
        )


def documents_of_slice(run: Run, text: str) -> frozenset[str]:
    """Return the ids of the documents of a slice, ``KEY=VALUE``, or ``KEY`` for those that have none."""
    known = run.metrics.slices or {}
    key = max((name for name in known if text == name or text.startswith(f"{name}=")), key=len, default=None)
    if key is None:
        hint = nearest(text.partition("=")[0], known) or f"; it has {', '.join(known) or 'none'}"
        raise SettingError(f"No slice of {run.name} is called {quoted(text.partition('=')[0])}{hint}")
    value = None if text == key else text[len(key) + 1 :]
    if value is not None and value not in known[key].values:
        raise SettingError(
            f"No document of {run.name} has the {key} {quoted(value)}{nearest(value, known[key].values)}"
        )
    ids, values = run.documents().ids.to_pylist(), run.documents().texts(f"{SLICE}{key}")
    return frozenset(name for name, held in zip(ids, values, strict=True) if held == value)


def named_rows(run: Run, field: str | None, document: str | None) -> dict[str, list[str]]:
    """Return the names that rows of a field, of a document or of both have in their columns; others are refused."""
    names: dict[str, list[str]] = {}
    if field is not None:
        names["field"] = chosen_fields([field], run.metrics.fields, among=run.name)
    if document is not None:
        check_ids(run, [document])
        names["document"] = [document]
    return names


def _refuse_unknown(names: Iterable[str], known: Sequence[str], what: str) -> None:
    for name in names:
        if name not in known:
            of_what = f"{what} is called" if what else "way of being accepted is called"
            words = known if what != "outcome" else (*known, "wrong")
            hint = nearest(name, words) or f"; known are {', '.join(words)}"
            raise SettingError(f"No {of_what} {quoted(name)}{hint}", facts={"expected": words, "got": name})


@dataclass(frozen=True)
class ListedRow:
    """A verdict row: the columns of the table, values as texts or JSON, and the reason in words."""

    columns: dict[str, Json]

    def value(self, side: str) -> Json:
        """Return what one side has: as JSON, or as text where it is one or its beginning."""
        text, is_json = self.columns[side], self.columns[f"{side}_is_json"]
        if is_json and text and self.columns[f"{side}_length"] is None:
            with suppress(ValueError):  # an integer too long to be written in digits
                return json.loads(text)
        return text

    @property
    def reason(self) -> str:
        """Why it counts as it does, where its score alone does not say that."""
        row, code = self.columns, self.columns["reason"]
        if code == "type" and row["outcome"] == "missed":
            return _MISFIT
        if code != "row":
            return _REASONS.get(code, "")
        rejected = "row rejected"
        if row["pair_threshold"] is not None:
            rejected = row_rejected(row["pair_score"], row["pair_threshold"])
        is_wrong = row["outcome"] == "mismatch" and row["kind"] != "row_rejected"
        return f"score {fixed(row['raw_score'], 3)}; {rejected}" if is_wrong else rejected

    def to_json(self) -> dict[str, Json]:
        """Return the columns that are listed."""
        values = {side: self.value(side) for side in ("expected", "predicted")}
        listed = {name: self.columns[name] for name in COLUMNS if not name.endswith("_is_json")}
        return listed | values | {"reason": self.reason or None}

    def to_cells(self) -> dict[str, str | float | None]:
        """Return the same as cells of a table: numbers as numbers, other values as the texts that the run has."""
        shown = {name: self.columns[name] for name in COLUMNS} | {"reason": self.reason or None}
        values = {side: self.value(side) for side in ("expected", "predicted")}
        return shown | {side: value for side, value in values.items() if type(value) in (int, float)}


def listed_rows(run: Run, chosen: RowFilter) -> Iterator[ListedRow]:
    """Yield the chosen rows by document and section, as far as a group of rows holds them whole."""
    run.need_rows("Listing rows")
    for table in run.verdicts(where=chosen.columns, columns=_READ):
        ordered = table.take(_in_order(table))
        for start in range(0, len(ordered), _ROWS_AT_ONCE):
            yield from map(ListedRow, dicts_of(ordered.slice(start, _ROWS_AT_ONCE)))


def _in_order(table: pa.Table) -> npt.NDArray[np.intp]:
    sections = names_of(table, "section")
    names = sorted(range(len(sections.names)), key=lambda at: natural(sections.names[at]))
    ranks = np.argsort([*names, len(names)])  # the number -1, that of no section, has the last rank
    trials = table.column("trial").to_numpy()
    return np.lexsort((ranks[sections.codes], trials, names_of(table, "document").codes))


def count_rows(run: Run, chosen: RowFilter) -> int:
    """Return how many rows are chosen."""
    run.need_rows("Listing rows")
    return sum(len(table) for table in run.verdicts(where=chosen.columns, columns=("document",)))
