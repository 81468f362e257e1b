"""Rows of a run that are read when they are asked for: some at a time, or all as one table or data frame."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

from fieldwise.results.core import need_pandas

if TYPE_CHECKING:  # slow to import, and not needed for metrics
    import pandas as pd
    import pyarrow as pa


class Rows:
    """Tables of rows, which are read anew each time that somebody goes through them."""

    def __init__(self, schema: pa.Schema, read: Callable[[], Iterator[pa.Table]]) -> None:
        self.schema, self._read = schema, read

    def __repr__(self) -> str:
        return f"Rows that to_pandas() or to_arrow() reads, with the columns {', '.join(self.schema.names)}"

    def __iter__(self) -> Iterator[pa.Table]:
        return self._read()

    def to_arrow(self) -> pa.Table:
        """Return all rows as one table."""
        import pyarrow as pa  # slow to import

        parts = list(self)
        return pa.concat_tables(parts).unify_dictionaries() if parts else self.schema.empty_table()

    def to_pandas(self) -> pd.DataFrame:
        """Return all rows as a data frame."""
        need_pandas()
        return self.to_arrow().to_pandas()
