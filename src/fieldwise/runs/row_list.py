"""Compared values as they are listed: both sides as values, and in words why one counts as it does."""

from __future__ import annotations

import json
from contextlib import suppress
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from fieldwise.compare.verdicts import row_rejected
from fieldwise.readers.sections import natural
from fieldwise.tables.stored import names_of
from fieldwise.text import fixed
from fieldwise.values import Json

_PLACE = ("document", "trial", "section", "class", "path", "predicted_path", "field")
_JUDGED = ("outcome", "accepted", "kind", "score", "raw_score")
_ROW = ("confidence", "pair_score", "pair_threshold", "pair_accepted")
_SIDES = tuple(f"{side}{what}" for side in ("expected", "predicted") for what in ("", "_is_json", "_length"))
READ = (*_PLACE, *_JUDGED, *_ROW, *_SIDES, "reason")
"""What is read of a row."""
COLUMNS = (*_PLACE, *_JUDGED, *_SIDES, "reason", *_ROW)
"""What is listed of a row."""
_REASONS = {
    "type": "a value that is not of the field's type",
    "alone": "a row without a partner",
    "undeclared": "no field of this name is declared",
    "comparator": "the comparator raised an error; failures.jsonl says which",
}
_MISFIT = "something else is predicted in place of its list or object"


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


def in_order(table: pa.Table) -> npt.NDArray[np.intp]:
    """Return in which order rows stand: by document, trial and section, as far as a group of rows holds these whole."""
    sections = names_of(table, "section")
    names = sorted(range(len(sections.names)), key=lambda at: natural(sections.names[at]))
    ranks = np.argsort([*names, len(names)])  # the number -1, that of no section, has the last rank
    trials = table.column("trial").to_numpy()
    return np.lexsort((ranks[sections.codes], trials, names_of(table, "document").codes))
