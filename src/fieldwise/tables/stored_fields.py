"""Counts, errors and scores of a finished evaluation, read back field by field from all of its parts."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from fieldwise.results.sweep import ScoreCount, ScoreHistogram
from fieldwise.tables.compared import CONFIDENCES
from fieldwise.tables.counts import COUNTED, COUNTS, counted_rows
from fieldwise.tables.parts import BY_FIELD, RunFiles
from fieldwise.tables.scores import join_scores
from fieldwise.tables.stored import Ints, names_of
from fieldwise.tables.stored_documents import DocumentTable
from fieldwise.tables.verdict_columns import ERRORS

KEYS = ("document", "outcome", "path", "predicted_path")
"""What every reading of errors has, beside what it asks for."""


class _Rows(NamedTuple):
    """Rows of one field that stand together in a group of rows of a part."""

    part: int
    group: int
    start: int
    size: int


class FieldTable:
    """A table whose rows are sorted by field in each part: those of one field are read without the others."""

    def __init__(self, files: RunFiles, name: str) -> None:
        self._files, self._name, self._schema = files, name, BY_FIELD[name]
        self._metadata: dict[int, Any] = {}
        self._rows: dict[str, list[_Rows]] = {}
        self._last: dict[tuple[int, tuple[str, ...]], tuple[int, pa.Table]] = {}
        for part in range(len(files.manifest.parts)):
            file = files.open(part, name)
            if file is not None:
                with file:
                    self._metadata[part] = file.metadata
                    for group in range(file.num_row_groups):
                        self._find(file, part, group)

    @property
    def fields(self) -> tuple[str, ...]:
        """The fields that have rows, sorted."""
        return tuple(sorted(self._rows))

    def __contains__(self, field: str) -> bool:
        return field in self._rows

    def _find(self, file: pq.ParquetFile, part: int, group: int) -> None:
        column: Any = file.metadata.row_group(group).column(self._schema.names.index("field"))
        bounds = column.statistics
        if bounds is not None and bounds.has_min_max and bounds.min == bounds.max:
            self._rows.setdefault(bounds.min, []).append(_Rows(part, group, 0, column.num_values))
            return
        found = names_of(file.read_row_group(group, columns=["field"]), "field")
        starts = np.append(np.flatnonzero(np.diff(found.codes, prepend=-1)), len(found.codes)).tolist()
        for start, end in pairwise(starts):
            rows = _Rows(part, group, start, end - start)
            self._rows.setdefault(found.names[found.codes[start]], []).append(rows)

    def parts(self, field: str, columns: Sequence[str]) -> list[tuple[int, pa.Table]]:
        """Return some columns of the rows of a field, with the part in which they are."""
        return [(rows.part, self._read(rows, tuple(columns))) for rows in self._rows.get(field, ())]

    def read(self, field: str, columns: Sequence[str]) -> pa.Table:
        """Return the same as one table, in which documents have their numbers in the run."""
        return self._joined([(part, table) for part, table in self.parts(field, columns)], columns)

    def take(self, field: str, rows: Ints, columns: Sequence[str]) -> pa.Table:
        """Return some columns of some rows of a field, which are read in the order of parts; others are not read."""
        found, before = [], 0
        order = np.argsort(rows, kind="stable")
        ranked = rows[order]
        for held in self._rows.get(field, ()):
            wanted = ranked[slice(*np.searchsorted(ranked, (before, before + held.size)))]
            if len(wanted):
                found.append((held.part, self._read(held, tuple(columns)).take(wanted - before)))
            before += held.size
        return self._joined(found, columns).take(np.argsort(order))

    def _joined(self, parts: Sequence[tuple[int, pa.Table]], columns: Sequence[str]) -> pa.Table:
        starts = self._files.starts
        tables = [_numbered(table, starts[part]) for part, table in parts]
        return pa.concat_tables([self._schema.empty_table().select(list(columns)), *tables])

    def _read(self, rows: _Rows, columns: tuple[str, ...]) -> pa.Table:
        last = self._last.get((rows.part, columns))
        if last is None or last[0] != rows.group:
            file = self._files.manifest.parts[rows.part].files[self._name]
            source = pa.OSFile(str(self._files.check(file)), "rb")
            with pq.ParquetFile(source, metadata=self._metadata[rows.part], page_checksum_verification=True) as opened:
                table = opened.read_row_group(rows.group, columns=list(columns), use_threads=False).select(columns)
            last = self._last[rows.part, columns] = rows.group, table
        return last[1].slice(rows.start, rows.size)


def _numbered(table: pa.Table, start: int) -> pa.Table:
    """Return a table in which documents have the numbers that they have in the run."""
    if not start or "document" not in table.column_names:
        return table
    numbers = pa.array(table["document"].to_numpy() + np.int32(start))
    return table.set_column(table.schema.get_field_index("document"), "document", numbers)


class StoredFields:
    """What a run keeps by field."""

    def __init__(self, files: RunFiles, documents: DocumentTable) -> None:
        self._files, self._documents = files, documents
        self._last: tuple[str, pa.Table] | None = None

    @cached_property
    def _counts(self) -> FieldTable:
        return FieldTable(self._files, "counts")

    @cached_property
    def _errors(self) -> FieldTable:
        return FieldTable(self._files, "errors")

    @cached_property
    def _scores(self) -> FieldTable:
        return FieldTable(self._files, "scores")

    @cached_property
    def _scored(self) -> list[Ints]:
        """The numbers of the scored documents of each part, within it."""
        counted, starts = self._documents.is_counted, self._files.starts
        ends = [*starts[1:], len(counted)]
        return [np.flatnonzero(counted[start:end]) for start, end in zip(starts, ends, strict=True)] if starts else []

    @property
    def fields(self) -> tuple[str, ...]:
        """The fields that were compared."""
        return self._counts.fields

    def __contains__(self, field: str) -> bool:
        return field in self._counts

    def is_listed(self, field: str) -> bool:
        """Tell whether a value of a field lies in a list."""
        return any(table["listed"][0].as_py() for _, table in self._counts.parts(field, ["listed"]))

    def counts(self, field: str) -> pa.Table:
        """Return the counts of a field in each document that has a value of it."""
        if self._last is not None and self._last[0] == field:
            return self._last[1]
        starts, by_part = self._files.starts, dict[int, list[pa.Table]]()
        for part, held in self._counts.parts(field, COUNTS.names[1:]):
            by_part.setdefault(part, []).append(held)
        tables = [
            _numbered(counted_rows(pa.concat_tables(held), self._scored[part]), starts[part])
            for part, held in by_part.items()
        ]
        table = pa.concat_tables([COUNTED.empty_table(), *tables])
        self._last = field, table
        return table

    def errors(self, field: str, columns: Sequence[str] = ()) -> pa.Table:
        """Return the errors of a field with some columns, sorted by outcome, document and path."""
        asked = list(dict.fromkeys([*KEYS, *columns]))
        return self._errors.take(field, self._rows_with(field, None), asked)

    def page(
        self,
        fields: Sequence[str],
        columns: Sequence[str],
        *,
        outcomes: Sequence[str] | None = None,
        first: int | None = None,
        after: int = 0,
    ) -> pa.Table:
        """Return the errors of some fields, one after the other: all or those of some outcomes, ``first`` of them
        ``after`` so many; the column ``id`` has the names of their documents.
        """
        names = list(dict.fromkeys([*KEYS, *(name for name in columns if name != "id")]))
        page = ERRORS.empty_table().select(names)
        for field in fields:
            rows = self._rows_with(field, outcomes)
            chosen = rows[after:][: None if first is None else first - len(page)]
            after = max(after - len(rows), 0)
            page = pa.concat_tables([page, self._errors.take(field, chosen, names)])
        if "id" not in columns:
            return page
        return page.add_column(0, "id", self._documents.ids.take(page["document"].to_numpy()).cast(pa.string()))

    def _rows_with(self, field: str, outcomes: Sequence[str] | None) -> Ints:
        """Return the rows of the errors of a field that have one of these outcomes, by outcome and document."""
        found = names_of(self._errors.read(field, ["outcome"]), "outcome")
        ranks = np.argsort(np.argsort(np.array(found.names, object))) if found.names else np.zeros(0, np.int64)
        rows = np.arange(len(found.codes)) if outcomes is None else np.flatnonzero(found.is_any(*outcomes))
        chosen: Ints = rows[np.argsort(ranks[found.codes[rows]], kind="stable")]
        return chosen

    def confidences(self) -> pa.Table:
        """Return how sure predictions were of their values, by document."""
        starts = self._files.starts
        tables = [
            _numbered(table, start) for start, table in zip(starts, self._files.tables("confidences"), strict=True)
        ]
        whole = pa.concat_tables([CONFIDENCES.empty_table(), *tables])
        return whole.take(np.argsort(whole["document"].to_numpy(), kind="stable"))

    def scores(self, field: str) -> ScoreHistogram:
        """Return how many values of a field have which raw score."""
        parts = [table for _, table in self._scores.parts(field, [n for n in BY_FIELD["scores"].names if n != "field"])]
        if not parts:
            return ScoreHistogram(field, True, ())
        table = join_scores(field, parts)
        rows = zip(*(table[name].to_pylist() for name in ("raw_score", "scored", "values")), strict=True)
        return ScoreHistogram(field, all(table["exact"].to_pylist()), tuple(ScoreCount(*row) for row in rows))
