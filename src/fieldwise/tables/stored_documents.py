"""The documents of a finished evaluation, read back: what became of each, and its values by outcome."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from fieldwise.results.core import need_pandas
from fieldwise.results.statuses import (
    STATUSES,
)
from fieldwise.tables.derived import CELLS
from fieldwise.tables.documents import DOCUMENTS
from fieldwise.tables.stored import (
    Ints,
    Named,
    check_filled,
    check_present,
    check_words,
    damaged,
    names_of,
    open_table,
    read_rows,
)

if TYPE_CHECKING:  # optional
    import pandas as pd

_NAMES = ("document", "trial", "status")
_COLUMNS = (*_NAMES, *CELLS)
_WHAT = "a row for each document"
_RANKS = {name: rank for rank, name in enumerate(STATUSES)}


@dataclass(frozen=True, repr=False)
class DocumentTable:
    """What documents.parquet says. A document with several trials has a row for each of them."""

    path: Path
    ids: Any
    statuses: Named
    trials: Ints
    truths: Any = None
    """A hash of what is expected in each; None where the run keeps none."""

    def __repr__(self) -> str:
        statuses = ", ".join(f"{count:,} {name}" for name, count in self.kinds.items())
        return f"Documents that to_pandas() or to_arrow() reads, a row for each: {statuses or 'none'}"

    @cached_property
    def counts(self) -> npt.NDArray[np.signedinteger[Any]]:
        """A row of match, mismatch, spurious, missed, absent for each document."""
        with open_table(self.path, DOCUMENTS, _WHAT) as file:
            groups = [read_rows(file, self.path, number, CELLS) for number in range(file.num_row_groups)]
        table = pa.concat_tables(groups) if groups else DOCUMENTS.empty_table()
        check_filled(table, self.path, CELLS)
        bounds = [abs(bound(table[name]).as_py() or 0) for name in CELLS for bound in (pc.min, pc.max)]
        fits = max(bounds) <= np.iinfo(np.int32).max  # of a million documents, half the memory
        counts = np.empty((len(table), len(CELLS)), np.int32 if fits else np.int64)
        for column, name in enumerate(CELLS):
            counts[:, column] = table[name].to_numpy()
        self._refuse_negative(counts)
        return counts

    def _refuse_negative(self, counts: npt.NDArray[np.signedinteger[Any]]) -> None:
        if counts.size and counts.min() < 0:
            row, column = (int(at) for at in np.argwhere(counts < 0)[0])
            got = f"got {counts[row, column]} - of document {self.ids[row]} in {self.path}"
            raise damaged(f"Expected a number from 0 on for {CELLS[column]}, {got}", self.path)

    @property
    def has_trials(self) -> bool:
        """Whether a document has several trials."""
        return bool((self.trials > 1).any())

    def by_id(self) -> tuple[Any, Ints]:
        """Return the ids, each once, and the status of each as its place in `STATUSES`; of several trials the best."""
        ranks = np.array([_RANKS[name] for name in self.statuses.names], np.int64)[self.statuses.codes]
        ids = self.ids.combine_chunks()
        if not self.has_trials:
            return ids, ranks
        coded = ids.dictionary_encode()
        best = np.full(len(coded.dictionary), len(STATUSES), np.int64)
        np.minimum.at(best, np.asarray(coded.indices), ranks)
        return coded.dictionary, best

    def to_arrow(self, columns: Sequence[str] | None = None) -> pa.Table:
        """Return a row for each document: status, score, counts by outcome, the reason where one needs a look, and to
        what it belongs; or some of these columns.
        """
        with open_table(self.path, DOCUMENTS, _WHAT) as file:
            table: pa.Table = file.read(columns=_there(file, columns))
        return table

    def rows(self, numbers: Ints, columns: Sequence[str]) -> pa.Table:
        """Return the rows of some documents in the order of their numbers, without reading all of them at once."""
        with open_table(self.path, DOCUMENTS, _WHAT) as file:
            names = _there(file, columns)
            order, tables, before = np.argsort(numbers, kind="stable"), [], 0
            ranked = numbers[order]
            for group in range(file.num_row_groups):
                after = before + file.metadata.row_group(group).num_rows
                wanted = ranked[slice(*np.searchsorted(ranked, (before, after)))]
                if len(wanted):
                    tables.append(file.read_row_group(group, columns=names).take(wanted - before))
                before = after
            empty = pa.schema([file.schema_arrow.field(name) for name in names]).empty_table()
        found: pa.Table = pa.concat_tables(tables or [empty]).unify_dictionaries().take(np.argsort(order))
        return found

    def texts(self, column: str) -> list[str | None]:
        """Return a column of texts; nothing where an earlier version wrote no such column."""
        with open_table(self.path, DOCUMENTS, _WHAT) as file:
            if column not in file.schema_arrow.names:
                return [None] * len(self.ids)
            return file.read(columns=[column])[column].to_pylist()

    def to_pandas(self) -> pd.DataFrame:
        """Return the same as a data frame."""
        need_pandas()
        return self.to_arrow().to_pandas()

    @cached_property
    def kinds(self) -> dict[str, int]:
        """How many documents, or trials of them, have each status."""
        names = self.statuses.names
        counts = np.bincount(self.statuses.codes, minlength=len(names)).tolist()
        return {name: count for name, count in zip(names, counts, strict=True) if count}


def _there(file: pq.ParquetFile, columns: Sequence[str] | None) -> list[str]:
    """Return the columns of a file that are asked for; what earlier versions did not write is left out."""
    names: list[str] = file.schema_arrow.names
    return [name for name in (columns or names) if name in names and name != "truth"]


def read_documents(path: Path, *, check: bool = True) -> DocumentTable:
    """Read documents.parquet and check it, but for repeated documents where somebody knows that there are none."""
    with open_table(path, DOCUMENTS, _WHAT) as file:
        check_present(file, path, _COLUMNS, "documents")
        read = [*_NAMES, *(name for name in ("truth",) if name in file.schema_arrow.names)]
        groups = [read_rows(file, path, number, read) for number in range(file.num_row_groups)]
        table: Any = pa.concat_tables(groups).unify_dictionaries() if groups else file.schema_arrow.empty_table()
    check_filled(table, path, _NAMES)
    check_words(table, path, "status", tuple(STATUSES))
    if check:
        _refuse_repeated(path, table)
    trials = table["trial"].to_numpy().astype(np.int64)
    truths = table["truth"] if "truth" in table.column_names else None
    return DocumentTable(path, table["document"], names_of(table, "status"), trials, truths)


def _refuse_repeated(path: Path, table: Any) -> None:
    ids, trials = table["document"], table["trial"]
    if pc.count_distinct(ids).as_py() == len(ids):
        return
    names = Counter(zip(ids.to_pylist(), trials.to_pylist(), strict=True))
    (document, trial), times = names.most_common(1)[0]
    if times > 1:
        what = document if trial == 1 else f"trial {trial} of {document}"
        raise damaged(f"Expected every document once in {path}, got {what} {times} times", path)
