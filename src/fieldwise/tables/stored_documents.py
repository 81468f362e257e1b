"""The documents of a finished evaluation, read back: what became of each, and its values by outcome."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from fieldwise.results.core import need_pandas
from fieldwise.tables.derived import CELLS
from fieldwise.tables.documents import COUNTED, DOCUMENTS, EXCLUDED_CLASS, FAILED, NO_EXPECTED, UNREADABLE_EXPECTED
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

_COLUMNS = ("document", "trial", "status", *CELLS)
STATUSES = (*COUNTED, FAILED, NO_EXPECTED, UNREADABLE_EXPECTED, EXCLUDED_CLASS)
"""What can become of a document, the best first."""
_WHAT = "a row for each document"


@dataclass(frozen=True, repr=False)
class DocumentTable:
    """What documents.parquet says; ``counts`` has a row of match, mismatch, spurious, missed, absent for each.

    A document with several trials has a row for each of them.
    """

    path: Path
    ids: Any
    statuses: Named
    counts: npt.NDArray[np.signedinteger[Any]]
    trials: Ints
    truths: Any = None
    """A hash of what is expected in each; None where the run keeps none."""

    def __repr__(self) -> str:
        statuses = ", ".join(f"{count:,} {name}" for name, count in self.kinds.items())
        return f"Documents that to_pandas() or to_arrow() reads, a row for each: {statuses or 'none'}"

    @property
    def has_trials(self) -> bool:
        """Whether a document has several trials."""
        return bool((self.trials > 1).any())

    def by_id(self) -> tuple[Any, Ints]:
        """Return the ids, each once, and the status of each as its place in `STATUSES`; of several trials the best."""
        ranks = np.array([STATUSES.index(name) for name in self.statuses.names], np.int64)[self.statuses.codes]
        ids = self.ids.combine_chunks()
        if not self.has_trials:
            return ids, ranks
        coded = ids.dictionary_encode()
        best = np.full(len(coded.dictionary), len(STATUSES), np.int64)
        np.minimum.at(best, np.asarray(coded.indices), ranks)
        return coded.dictionary, best

    def to_arrow(self) -> pa.Table:
        """Return a row for each document: status, score, counts by outcome, the reason where one needs a look, and to
        what it belongs.
        """
        with open_table(self.path, DOCUMENTS, _WHAT) as file:
            table: pa.Table = file.read(columns=[name for name in file.schema_arrow.names if name != "truth"])
        return table

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


def read_documents(path: Path) -> DocumentTable:
    """Read documents.parquet and check it."""
    with open_table(path, DOCUMENTS, _WHAT) as file:
        check_present(file, path, _COLUMNS, "documents")
        read = [*_COLUMNS, *(name for name in ("truth",) if name in file.schema_arrow.names)]
        groups = [read_rows(file, path, number, read) for number in range(file.num_row_groups)]
        table: Any = pa.concat_tables(groups).unify_dictionaries() if groups else file.schema_arrow.empty_table()
    check_filled(table, path, _COLUMNS)
    check_words(table, path, "status", STATUSES)
    counts = np.column_stack([table[name].to_numpy().astype(np.int64) for name in CELLS])
    _refuse_negative(path, table, counts)
    if counts.max(initial=0) <= np.iinfo(np.int32).max:
        counts = counts.astype(np.int32)  # of a million documents, half the memory
    _refuse_repeated(path, table)
    trials = table["trial"].to_numpy().astype(np.int64)
    truths = table["truth"] if "truth" in table.column_names else None
    return DocumentTable(path, table["document"], names_of(table, "status"), counts, trials, truths)


def _refuse_negative(path: Path, table: Any, counts: Ints) -> None:
    if counts.size and counts.min() < 0:
        row, column = (int(at) for at in np.argwhere(counts < 0)[0])
        got = f"got {counts[row, column]} - of document {table['document'][row]} in {path}"
        raise damaged(f"Expected a number from 0 on for {CELLS[column]}, {got}", path)


def _refuse_repeated(path: Path, table: Any) -> None:
    ids, trials = table["document"], table["trial"]
    if pc.count_distinct(ids).as_py() == len(ids):
        return
    names = Counter(zip(ids.to_pylist(), trials.to_pylist(), strict=True))
    (document, trial), times = names.most_common(1)[0]
    if times > 1:
        what = document if trial == 1 else f"trial {trial} of {document}"
        raise damaged(f"Expected every document once in {path}, got {what} {times} times", path)
