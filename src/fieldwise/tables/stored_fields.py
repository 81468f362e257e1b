"""Counts, errors and scores of a finished evaluation, read back field by field."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from fieldwise.errors import InputError
from fieldwise.results.sweep import ScoreCount, ScoreHistogram
from fieldwise.tables.derived import CELLS, COUNTS, ERRORS
from fieldwise.tables.scores import SCORES
from fieldwise.tables.stored import (
    Ints,
    apart,
    check_filled,
    check_filled_but,
    check_present,
    check_words,
    damaged,
    names_of,
    open_table,
    read_rows,
    rows_before,
    times_before,
)
from fieldwise.tables.stored_documents import DocumentTable
from fieldwise.tables.verdict_columns import OUTCOMES, REASONS

_WORDS = {"outcome": tuple(word for word in OUTCOMES if word != "absent"), "reason": REASONS}
_PATHS = {"path": "spurious", "predicted_path": "missed"}
"""Columns that have a value in every row but those of an outcome."""
_FILLED = frozenset({"document", "outcome", "reason", "listed", *SCORES.names, *CELLS})
_WRONG = ("mismatch", "spurious", "missed")
"""The outcomes of which all rows are among the errors."""
KEYS = ("document", "outcome", "path", "predicted_path")
"""What every reading of errors has, beside what it asks for."""


class FieldFile:
    """A table whose rows are sorted by field: those of one field are read without the others."""

    def __init__(self, path: Path, schema: pa.Schema, what: str) -> None:
        self.path, self._schema, self._what = path, schema, what
        with open_table(path, schema, what) as file:
            check_present(file, path, schema.names, what)
            self._metadata: Any = file.metadata
            self._groups: dict[str, list[int]] = {}
            self._shared: set[str] = set()
            """The fields that share a group of rows with others; no evaluation writes such."""
            for number in range(file.num_row_groups):
                fields = self._fields_in(file, number)
                self._shared.update(fields if len(fields) > 1 else ())
                for field in fields:
                    self._groups.setdefault(field, []).append(number)

    @property
    def fields(self) -> tuple[str, ...]:
        """The fields that have rows, sorted."""
        return tuple(sorted(self._groups))

    def __contains__(self, field: str) -> bool:
        return field in self._groups

    def _fields_in(self, file: pq.ParquetFile, number: int) -> list[str]:
        column: Any = self._metadata.row_group(number).column(self._schema.names.index("field"))
        bounds = column.statistics if column.path_in_schema == "field" else None
        if bounds is not None and bounds.has_min_max and bounds.min == bounds.max and not bounds.null_count:
            return [bounds.min]
        table = read_rows(file, self.path, number, ["field"])
        check_filled(table, self.path, ["field"], partial(rows_before, file, number))
        return names_of(table, "field").names

    def read(self, field: str, columns: Sequence[str]) -> pa.Table:
        """Return some columns of the rows of a field."""
        names = list(dict.fromkeys(["field", *columns]))
        parts = [self._schema.empty_table().select(names)]
        with pq.ParquetFile(self.path, metadata=self._metadata) as file:
            for number in self._groups.get(field, ()):
                parts.append(self._checked(file, number, names).cast(parts[0].schema))
        whole: Any = pa.concat_tables(parts)
        if any(len(part) and part["field"][0].as_py() != part["field"][-1].as_py() for part in parts):
            whole = whole.filter(pc.equal(whole["field"], pa.scalar(field)))
        table: pa.Table = whole if "field" in columns else whole.drop_columns(["field"])
        return table

    def take(self, field: str, rows: Ints, columns: Sequence[str]) -> pa.Table:
        """Return some columns of some rows of a field, which rise; groups without such rows are not read."""
        if field in self._shared:
            return self.read(field, columns).take(rows)
        parts, before = [self._schema.empty_table().select(list(columns))], 0
        with pq.ParquetFile(self.path, metadata=self._metadata) as file:
            for number in self._groups.get(field, ()):
                after = before + self._metadata.row_group(number).num_rows
                wanted = rows[slice(*np.searchsorted(rows, (before, after)))]
                if len(wanted):
                    parts.append(self._checked(file, number, columns).take(wanted - before).cast(parts[0].schema))
                before = after
        return pa.concat_tables(parts)

    def _checked(self, file: pq.ParquetFile, number: int, columns: Sequence[str]) -> pa.Table:
        table = read_rows(file, self.path, number, columns, threads=False)
        start = partial(rows_before, file, number)
        check_filled(table, self.path, _FILLED.intersection(columns), start)
        for name in _WORDS.keys() & columns:
            check_words(table, self.path, name, _WORDS[name], start)
        for name in _PATHS.keys() & columns if "outcome" in columns else ():
            check_filled_but(table, self.path, name, ("outcome", _PATHS[name]), start)
        return table


class StoredFields:
    """counts.parquet and errors.parquet of a run, held to its documents and to each other unless ``check`` is false."""

    def __init__(self, counts: Path, errors: Path, documents: DocumentTable, *, check: bool = True) -> None:
        self._counts = FieldFile(counts, COUNTS, "counts by field and document")
        self._errors = FieldFile(errors, ERRORS, "errors by field")
        self._documents, self._check = documents, check
        self._unread = set(self._counts.fields)
        self._sums = np.zeros_like(documents.counts) if check else np.zeros((len(documents.ids), 0), np.int64)
        self._last: tuple[str, pa.Table] | None = None
        self._checked: set[str] = set()
        if check and not self._unread:
            self._check_sums()

    @property
    def fields(self) -> tuple[str, ...]:
        """The fields that a document has a count of."""
        return self._counts.fields

    def __contains__(self, field: str) -> bool:
        return field in self._counts

    def counts(self, field: str) -> pa.Table:
        """Return the counts of a field in each document that has any.

        When every field was read, they are held to what is said of each document.
        """
        if self._last is not None and self._last[0] == field:
            return self._last[1]
        table = self._counts.read(field, COUNTS.names[1:])
        if self._check:
            self._check_counts(field, table)
        self._last = field, table
        return table

    def _check_counts(self, field: str, table: pa.Table) -> None:
        numbers = self._numbers(table, self._counts.path)
        rises = bool((numbers[1:] > numbers[:-1]).all())
        if not rises and len(np.unique(numbers)) < len(numbers):
            at = int(numbers[np.flatnonzero(times_before(numbers))[0]])
            path = self._counts.path
            raise damaged(f"Expected every document once for {field} in {path}, got {self._name(at)} twice", path)
        if field in self._unread:
            self._unread.discard(field)
            rows = slice(None) if rises and len(numbers) == len(self._sums) else numbers
            for cell, name in enumerate(CELLS):
                self._sums[rows, cell] += table[name].to_numpy()
            if not self._unread:
                self._check_sums()

    def errors(self, field: str, columns: Sequence[str] = ()) -> pa.Table:
        """Return the errors of a field with some columns, sorted by outcome, document and path; they are as many in
        each document as its counts say.
        """
        asked = list(dict.fromkeys([*KEYS, *columns]))
        if field in self._checked or not self._check:
            return self._errors.read(field, asked).select(asked)
        table = self._errors.read(field, list(dict.fromkeys([*asked, "section"])))
        self._check_errors(field, table)
        self._checked.add(field)
        return table.select(asked)

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
            if outcomes is None and first is None and not after:
                page = pa.concat_tables([page, self.errors(field, names)])
                continue
            rows = self._rows_with(field, outcomes)
            chosen = rows[after:][: None if first is None else first - len(page)]
            after = max(after - len(rows), 0)
            page = pa.concat_tables([page, self._errors.take(field, chosen, names)])
        if "id" not in columns:
            return page
        return page.add_column(0, "id", self._documents.ids.take(page["document"].to_numpy()).cast(pa.string()))

    def _rows_with(self, field: str, outcomes: Sequence[str] | None) -> Ints:
        """Return which rows of the errors of a field have one of these outcomes."""
        if self._check and field not in self._checked:
            self.errors(field)
        found = names_of(self._errors.read(field, ["outcome"]), "outcome")
        rows: Ints = np.arange(len(found.codes)) if outcomes is None else np.flatnonzero(found.is_any(*outcomes))
        return rows

    def scores(self, field: str, path: Path) -> ScoreHistogram:
        """Return how many values of a field have which raw score, from scores.parquet; they are all that its counts
        have on both sides.
        """
        table = FieldFile(path, SCORES, "scores by field").read(field, SCORES.names[1:])
        if self._check:
            self._check_scores(field, table, path)
        rows = zip(*(table[name].to_pylist() for name in ("raw_score", "scored", "values")), strict=True)
        return ScoreHistogram(field, all(table["exact"].to_pylist()), tuple(ScoreCount(*row) for row in rows))

    def _check_scores(self, field: str, table: pa.Table, path: Path) -> None:
        counted, scored = self.counts(field), int(table["values"].to_numpy().sum())
        both = int(counted["tp"].to_numpy().sum() + counted["fd"].to_numpy().sum())
        if scored != both:
            of = f"{scored:,} and {both:,} values of {field} are on both sides"
            raise apart(path, self._counts.path, of)

    def _check_errors(self, field: str, table: pa.Table) -> None:
        numbers, outcomes = self._numbers(table, self._errors.path), names_of(table, "outcome")
        counted = self.counts(field)
        for word, name in zip(_WRONG, ("fd", "fa", "fn"), strict=True):
            found = np.bincount(numbers[outcomes.is_any(word)], minlength=len(self._sums))
            said = np.zeros(len(self._sums), np.int64)
            said[counted["document"].to_numpy()] = counted[name].to_numpy()
            if not np.array_equal(found, said):
                at = int(np.flatnonzero(found != said)[0])
                times = f"the outcome {word} comes {found[at]:,} and {said[at]:,} times in document {self._name(at)}"
                for other in sorted(self._unread):
                    self.counts(other)  # which says so where the counts are at fault
                raise self._repeated(table, numbers) or apart(self._errors.path, self._counts.path, times)
        repeated = self._repeated(table, numbers)
        if repeated:
            raise repeated

    def _name(self, number: int) -> str:
        return str(self._documents.ids[number])

    def _numbers(self, table: pa.Table, path: Path) -> Ints:
        """Return the numbers of documents; one that no document has is refused."""
        numbers: Ints = table["document"].to_numpy().astype(np.int64)
        if len(numbers) and not 0 <= numbers.min() <= numbers.max() < len(self._sums):
            wrong = int(numbers.min() if numbers.min() < 0 else numbers.max())
            raise apart(path, self._documents.path, f"there is no document {wrong:,} of {len(self._sums):,}")
        return numbers

    def _repeated(self, table: pa.Table, numbers: Ints) -> InputError | None:
        """Return what to say of a place that has two rows."""
        places: Any = pc.coalesce(table["path"], table["predicted_path"]).combine_chunks().dictionary_encode()
        codes, invented = np.asarray(places.indices).astype(np.int64), np.asarray(table["path"].is_null())
        sections: Any = table["section"].combine_chunks().dictionary_encode()
        parts = np.asarray(sections.indices.fill_null(len(sections.dictionary))).astype(np.int64)
        rows = numbers * (len(sections.dictionary) + 1) + parts
        times = times_before((rows * (len(places.dictionary) + 1) + codes) * 2 + invented)
        if not times.any():
            return None
        at = int(np.flatnonzero(times)[0])
        of = f"{places[at]} of document {self._name(int(numbers[at]))}"
        return damaged(f"Expected every place once in {self._errors.path}, got {of} twice", self._errors.path)

    def _check_sums(self) -> None:
        if not np.array_equal(self._sums, self._documents.counts):
            number, cell = (int(at) for at in np.argwhere(self._sums != self._documents.counts)[0])
            found, said = self._sums[number, cell], self._documents.counts[number, cell]
            times = f"the outcome {OUTCOMES[cell]} comes {found:,} and {said:,} times in document {self._name(number)}"
            raise apart(self._counts.path, self._documents.path, times)
