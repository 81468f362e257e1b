"""Verdicts of a finished evaluation, put together some documents at a time, so that memory stays flat."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from fieldwise.tables.parts import RunFiles
from fieldwise.tables.stored import Ints, Mask, names_of
from fieldwise.tables.stored_documents import DocumentTable
from fieldwise.tables.together import Document, Together
from fieldwise.tables.verdict_columns import ERRORS

Where: TypeAlias = Mapping[str, Collection[str]]
"""Names that some columns may have."""
_AMONG_ERRORS = {
    "outcome": frozenset({"mismatch", "spurious", "missed"}),
    "kind": None,
    "accepted": None,
}
"""Columns by which all verdicts that are asked for are known to be errors: with one of the names, or any."""


@dataclass(frozen=True)
class StoredVerdicts:
    """Puts the documents of a run together from its pairs and errors."""

    files: RunFiles
    documents: DocumentTable
    together: Together

    def tables(self, columns: Sequence[str], where: Where) -> Iterator[pa.Table]:
        """Yield verdicts with one of the names in each of the columns that are given, in the order of documents."""
        for part, start in enumerate(self.files.starts):
            end = start + self.files.manifest.parts[part].documents
            wanted = self._wanted(start, end, where.get("document"))
            if not len(wanted):
                continue
            reads = self._errors(part, wanted) if _only_errors(where) else self._whole(part, start, wanted)
            for table in reads:
                yield _chosen(table, where).select(columns)

    def _wanted(self, start: int, end: int, names: Collection[str] | None) -> Ints:
        """Return which documents of a part are asked for, by their numbers within it."""
        ids = self.documents.ids.slice(start, end - start)
        if names is None:
            return np.arange(end - start)
        return np.flatnonzero(np.asarray(pc.is_in(ids, value_set=pa.array(names, pa.string()))))

    def _errors(self, part: int, wanted: Ints) -> Iterator[pa.Table]:
        errors = self._errors_of(part, wanted)
        numbers = errors["document"].to_numpy() + self.files.starts[part]
        ids = self.documents.ids.take(pa.array(numbers)).to_pylist()
        yield self.together.errors_only(ids, self.documents.trials[numbers].tolist(), errors)

    def _errors_of(self, part: int, wanted: Ints) -> pa.Table:
        """Return the errors of some documents of a part, by document."""
        file = self.files.open(part, "errors")
        if file is None:
            return ERRORS.empty_table()
        with file:
            tables = []
            for group in range(file.num_row_groups):
                numbers = file.read_row_group(group, columns=["document"], use_threads=False)["document"].to_numpy()
                rows = np.flatnonzero(np.isin(numbers, wanted))
                if len(rows):
                    tables.append(file.read_row_group(group, use_threads=False).take(rows).cast(ERRORS))
        errors = pa.concat_tables([ERRORS.empty_table(), *tables])
        return errors.take(np.argsort(errors["document"].to_numpy(), kind="stable"))

    def _whole(self, part: int, start: int, wanted: Ints) -> Iterator[pa.Table]:
        errors = self._errors_of(part, wanted)
        numbers = errors["document"].to_numpy()
        classes = self._classes(part)
        file = self.files.open(part, "pairs")
        assert file is not None  # a run without pairs is refused before
        with file:
            before = 0
            for group in range(file.num_row_groups):
                after = before + file.metadata.row_group(group).num_rows
                rows = wanted[slice(*np.searchsorted(wanted, (before, after)))]
                if len(rows):
                    texts = file.read_row_group(group, use_threads=False).take(rows - before)
                    own = errors.slice(*_span(numbers, int(rows[0]), int(rows[-1]) + 1))
                    yield self.together.verdicts(
                        list(self._documents(start, rows, texts, classes)), _numbered(own, start)
                    )
                before = after

    def _classes(self, part: int) -> Any:
        return self.files.table(part, "documents", ["document_class"])["document_class"]

    def _documents(self, start: int, rows: Ints, texts: pa.Table, classes: Any) -> Iterator[Document]:
        numbers = rows + start
        ids = self.documents.ids.take(pa.array(numbers)).to_pylist()
        columns = (texts[name].to_pylist() for name in ("expected", "predicted", "beside"))
        own = classes.take(pa.array(rows)).to_pylist()
        for number, name, trial, held, expected, predicted, beside in zip(
            numbers.tolist(), ids, self.documents.trials[numbers].tolist(), own, *columns, strict=True
        ):
            if expected is not None:
                yield Document(number, name, trial, held, expected, predicted, beside)


def _only_errors(where: Where) -> bool:
    """Tell whether all verdicts that are asked for are among the errors."""
    return any(
        column in where and (words is None or set(where[column]) <= words) for column, words in _AMONG_ERRORS.items()
    )


def _span(numbers: Any, start: int, end: int) -> tuple[int, int]:
    first, last = np.searchsorted(numbers, (start, end)).tolist()
    return first, last - first


def _numbered(errors: pa.Table, start: int) -> pa.Table:
    numbers = pa.array(errors["document"].to_numpy() + np.int32(start))
    return errors.set_column(errors.schema.get_field_index("document"), "document", numbers)


def _chosen(table: pa.Table, where: Where) -> pa.Table:
    found = np.ones(len(table), bool)
    for column, names in where.items():
        found &= _is_any(table, column, frozenset(names))
    return table if found.all() else table.filter(pa.array(found))


def _is_any(table: pa.Table, column: str, names: Collection[str]) -> Mask:
    """Tell of each row whether it has one of the names."""
    found = names_of(table, column)
    return np.isin(found.codes, [code for code, name in enumerate(found.names) if name in names])
