"""Document rows as a table: one row for each document that was read, with what became of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from hashlib import blake2b
from typing import Any

import numpy as np
import orjson
import pyarrow as pa

from fieldwise.compare.results import Outcome
from fieldwise.counting.cells import UNGROUPED, Group
from fieldwise.counting.flat import FlatCounts
from fieldwise.counting.tally import DocumentCounts
from fieldwise.results.statuses import SCORED
from fieldwise.tables.columns import named_column, optional, text_column
from fieldwise.values import Json, written
from fieldwise.writing import dump_json

TRUTH_BYTES = 8
_STATUS = pa.dictionary(pa.int8(), pa.string())
_COLUMNS: list[tuple[str, Any]] = [
    ("document", pa.string()),
    ("trial", pa.int32()),
    ("status", _STATUS),
    ("score", pa.float64()),
    ("tp", pa.int64()),
    ("fd", pa.int64()),
    ("fa", pa.int64()),
    ("fn", pa.int64()),
    ("tn", pa.int64()),
    ("reason", pa.string()),
    ("truth", pa.binary(TRUTH_BYTES)),
    ("metadata", pa.string()),
    ("document_class", pa.string()),
    ("cluster", pa.string()),
    ("sections", pa.string()),
]
DOCUMENTS = pa.schema(_COLUMNS)
SLICE = "slice."
"""Begins the name of a column with the values of a slice key."""


def documents_schema(slices: Sequence[str] = ()) -> pa.Schema:
    """Return the columns of documents, with one for each slice key."""
    return pa.schema([*_COLUMNS, *((f"{SLICE}{key}", pa.string()) for key in slices)])


def truth_of(expected: Json) -> bytes:
    """Return a hash of an expected document: the same where its values are, whatever the order of its keys.

    Other acceptable values given beside the document are not part of it.
    """
    try:
        text = orjson.dumps(expected, option=orjson.OPT_SORT_KEYS)
    except TypeError:  # an integer of more than 64 bits, a value nested too deep
        text = written(expected).encode("utf-8", "surrogatepass")
    return blake2b(text, digest_size=TRUTH_BYTES).digest()


class DocumentRows:
    """Collects documents; ``status`` is ``scored`` unless there is something to know of one."""

    def __init__(self) -> None:
        self.ids: list[str] = []
        """The documents as they came: the number of one is its place."""
        self.trials: dict[int, int] = {}
        """The trials of documents that have several."""
        self._counts: dict[int, DocumentCounts] = {}
        """By the number of a document; one without any was not scored."""
        self._truths: dict[int, bytes] = {}
        self._flat: list[tuple[list[int], FlatCounts]] = []
        """The numbers of documents that were counted together, and what each of them has."""
        self._notes: dict[int, tuple[str, str]] = {}
        self.metadata: dict[int, Mapping[str, Json]] = {}
        """What was said of a document beside its values."""
        self.groups: dict[int, Group] = {}
        """To what documents belong that have a class, slices or a cluster."""
        self.sections: dict[int, list[tuple[str, str | None, bool]]] = {}
        """The id and class of each section of a document, and whether both sides have it."""

    @property
    def counted(self) -> set[int]:
        """The numbers of the documents that were scored."""
        return set(self._counts).union(*(numbers for numbers, _ in self._flat))

    def group(self, number: int) -> Group:
        """Return to what a document belongs."""
        return self.groups.get(number, UNGROUPED)

    def classes(self) -> dict[int, str]:
        """Return the classes of documents that have one."""
        return {
            number: group.cell.document_class
            for number, group in self.groups.items()
            if group.cell.document_class is not None
        }

    def begin(self, document: str, trial: int = 1, metadata: Mapping[str, Json] | None = None) -> int:
        """Return the number of a document, which comes next; what became of it is added later."""
        number = len(self.ids)
        self.ids.append(document)
        if trial != 1:
            self.trials[number] = trial
        if metadata is not None:
            self.metadata[number] = metadata
        return number

    def add(
        self,
        number: int,
        counts: DocumentCounts | None,
        status: str = SCORED,
        reason: str = "",
        *,
        truth: bytes | None = None,
    ) -> None:
        """Keep what became of a document; ``counts`` is None where it was not scored, ``truth`` where rows are not
        kept.
        """
        if reason or status != SCORED:
            self._notes[number] = status, reason
        if counts is not None:
            self._counts[number] = counts
        if truth is not None:
            self._truths[number] = truth

    def add_flat(self, numbers: list[int], counted: FlatCounts, truths: Sequence[bytes] | None = None) -> None:
        """Keep what documents have that were counted together."""
        self._flat.append((numbers, counted))
        if truths is not None:
            self._truths.update(zip(numbers, truths, strict=True))

    def to_table(self, slices: Sequence[str] = ()) -> pa.Table:
        """Return the rows as an Arrow table, with a column for each slice key."""
        size = len(self.ids)
        outcomes, scores = self._all_counts()
        status, reason = self._noted()
        trials = np.ones(size, np.int32)
        trials[list(self.trials)] = list(self.trials.values())
        names = [text_column(self.ids), pa.array(trials)]
        counts = [pa.array(column) for column in np.ascontiguousarray(outcomes.T)]
        truth = pa.array(list(map(self._truths.get, range(size))), pa.binary(TRUTH_BYTES))
        said = [reason, truth, self._metadata_column()]
        cell, cluster, *of_slices = self._group_columns(len(slices))
        columns = [*names, status, optional(scores), *counts, *said, cell, cluster, self._section_column(), *of_slices]
        return pa.table(columns, schema=documents_schema(slices))

    def _group_columns(self, slices: int) -> list[Any]:
        """Return the classes, the clusters, and the values of each slice key."""
        size = len(self.ids)
        if not self.groups:
            return [pa.nulls(size, pa.string()) for _ in range(2 + slices)]
        groups = [self.group(number) for number in range(size)]
        of_cells = [[group.cell.document_class for group in groups], [group.cluster for group in groups]]
        of_slices = [[group.cell.slices[at] for group in groups] for at in range(slices)]
        return [text_column(column) for column in (*of_cells, *of_slices)]

    def _all_counts(self) -> tuple[Any, Any]:
        """Return the outcomes and the score of each document, NaN where it has none."""
        size = len(self.ids)
        outcomes, scores = np.zeros((size, len(Outcome)), np.int64), np.full(size, np.nan)
        for numbers, counted in self._flat:
            outcomes[numbers], scores[numbers] = counted
        if self._counts:
            numbers = list(self._counts)
            outcomes[numbers] = [counts[:-1] for counts in self._counts.values()]
            scores[numbers] = [np.nan if counts.score is None else counts.score for counts in self._counts.values()]
        return outcomes, scores

    def _section_column(self) -> Any:
        texts = {at: dump_json(held, ascii_only=False) for at, held in self.sections.items()}
        return text_column([texts.get(at) for at in range(len(self.ids))])

    def _metadata_column(self) -> Any:
        if not self.metadata:
            return pa.nulls(len(self.ids), pa.string())
        texts = {at: dump_json(held, ascii_only=False) for at, held in self.metadata.items()}
        return text_column([texts.get(at) for at in range(len(self.ids))])

    def _noted(self) -> tuple[Any, Any]:
        size = len(self.ids)
        kinds = sorted({SCORED, *(kind for kind, _ in self._notes.values())})
        numbers = np.full(size, kinds.index(SCORED), np.int8)
        for at, (kind, _) in self._notes.items():
            numbers[at] = kinds.index(kind)
        if not self._notes:
            return named_column(numbers, kinds), pa.nulls(size, pa.string())
        reasons = [self._notes[at][1] if at in self._notes else None for at in range(size)]
        return named_column(numbers, kinds), text_column(reasons)
