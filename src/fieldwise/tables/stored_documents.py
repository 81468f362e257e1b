"""The documents of a finished evaluation, read back: what became of each, and its values by outcome."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from fieldwise.compare.results import Outcome
from fieldwise.results.core import need_pandas
from fieldwise.results.statuses import COUNTED, STATUSES
from fieldwise.tables.documents import DOCUMENTS
from fieldwise.tables.parts import RunFiles
from fieldwise.tables.stored import Ints, Mask, Named, names_of

if TYPE_CHECKING:  # optional
    import pandas as pd

_NAMES = ("document", "trial", "status", "truth")
_CELLS = tuple(outcome.value for outcome in Outcome)
_RANKS = {name: rank for rank, name in enumerate(STATUSES)}


@dataclass(frozen=True, repr=False)
class DocumentTable:
    """What became of documents. A document with several trials has a row for each of them."""

    files: RunFiles
    ids: Any
    statuses: Named
    trials: Ints
    truths: Any
    """A hash of what is expected in each; null where it was not compared."""

    def __repr__(self) -> str:
        statuses = ", ".join(f"{count:,} {name}" for name, count in self.kinds.items())
        return f"Documents that to_pandas() or to_arrow() reads, a row for each: {statuses or 'none'}"

    @cached_property
    def counts(self) -> npt.NDArray[np.signedinteger[Any]]:
        """A row of match, mismatch, spurious, missed, absent for each document."""
        table = self.to_arrow(_CELLS)
        most = max([pc.max(table[name]).as_py() or 0 for name in _CELLS])
        fits = most <= np.iinfo(np.int32).max  # of a million documents, half the memory
        counts = np.empty((len(table), len(_CELLS)), np.int32 if fits else np.int64)
        for column, name in enumerate(_CELLS):
            counts[:, column] = table[name].to_numpy()
        return counts

    @cached_property
    def is_counted(self) -> Mask:
        """Which documents were scored."""
        return self.statuses.is_any(*COUNTED)

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
        tables = [_read(self.files, part, columns) for part in range(len(self.files.manifest.parts))]
        return pa.concat_tables(tables).unify_dictionaries() if tables else _nothing(columns)

    def rows(self, numbers: Ints, columns: Sequence[str]) -> pa.Table:
        """Return the rows of some documents in the order of their numbers, without reading all of them at once."""
        order, tables = np.argsort(numbers, kind="stable"), []
        ranked, starts = numbers[order], [*self.files.starts, len(self.ids)]
        for part, (start, end) in enumerate(pairwise(starts)):
            wanted = ranked[slice(*np.searchsorted(ranked, (start, end)))]
            if len(wanted):
                tables.append(_read(self.files, part, columns).take(wanted - start))
        found: pa.Table = pa.concat_tables(tables or [_nothing(columns)]).unify_dictionaries().take(np.argsort(order))
        return found

    def texts(self, column: str) -> list[str | None]:
        """Return a column of texts."""
        texts: list[str | None] = self.to_arrow([column])[column].to_pylist()
        return texts

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


def _nothing(columns: Sequence[str] | None) -> pa.Table:
    names = [name for name in DOCUMENTS.names if (name in columns if columns else name != "truth")]
    return DOCUMENTS.empty_table().select(names)


def _read(files: RunFiles, part: int, columns: Sequence[str] | None) -> pa.Table:
    file = files.open(part, "documents")
    assert file is not None  # every part has it
    with file:
        names = [name for name in (columns or file.schema_arrow.names) if columns or name != "truth"]
        return file.read(columns=names, use_threads=False)


def read_documents(files: RunFiles) -> DocumentTable:
    """Read what became of the documents of a run."""
    tables = [_read(files, part, _NAMES) for part in range(len(files.manifest.parts))]
    table: Any = pa.concat_tables(tables).unify_dictionaries() if tables else _nothing(_NAMES)
    trials = table["trial"].to_numpy().astype(np.int64)
    return DocumentTable(files, table["document"], names_of(table, "status"), trials, table["truth"])
