"""How many values of a field have which raw score: counted in each shard, and joined by field when they are read.

Scores are kept exactly where a field has at most 1,000 different ones in the whole run, else rounded down to steps of
0.001. A shard that has more of them alone knows that the run has; so neither shards nor their order decide.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from fieldwise.tables.columns import named_column

MAX_SCORES = 1_000
"""A field with more different raw scores has them rounded."""
STEPS = 1_000
"""Rounded scores are whole numbers of these parts of 1."""
UNSCORED = ("row", "type", "comparator")
"""Reasons for which the outcome of a value does not follow from its score: its row is no pair, it is of another type
than declared, or the comparator raised."""
_COLUMNS: list[tuple[str, Any]] = [
    ("field", pa.string()),
    ("raw_score", pa.float64()),
    ("scored", pa.bool_()),
    ("values", pa.int64()),
    ("exact", pa.bool_()),
]
SCORES = pa.schema(_COLUMNS)
Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]
Mask = npt.NDArray[np.bool_]


class Tallied(NamedTuple):
    """The raw scores of one field, rising, with whether outcomes follow from them, and how many values have them."""

    raw: Floats
    scored: Mask
    values: Ints
    exact: bool

    def shortened(self) -> Tallied:
        """Return the same with rounded scores where there are too many different ones."""
        if self.exact and len(self.raw) > MAX_SCORES and len(np.unique(self.raw)) > MAX_SCORES:
            return self.rounded()
        return self

    def rounded(self) -> Tallied:
        """Return the same with every score rounded down to a step."""
        step = np.floor(self.raw * STEPS)
        step += (step + 1) / STEPS <= self.raw  # the product was rounded
        step -= step / STEPS > self.raw
        return _summed(step / STEPS, self.scored, self.values, exact=False)

    def columns(self) -> list[Any]:
        """Return the columns beside that of the field."""
        return [pa.array(self.raw), pa.array(self.scored), pa.array(self.values), _repeated(self.exact, len(self.raw))]


def _repeated(value: bool, times: int) -> Any:
    return pa.array(np.full(times, value))


def _summed(raw: Floats, scored: Mask, values: Ints, *, exact: bool) -> Tallied:
    """Add the values of equal scores."""
    different, places = np.unique(raw, return_inverse=True)
    sums = np.bincount(places * 2 + scored, values, len(different) * 2).astype(np.int64)
    held = np.flatnonzero(sums)
    return Tallied(different[held // 2], held % 2 == 1, sums[held], exact)


def tally_scores(fields: Ints, names: Sequence[str], raw: Floats, scored: Mask, same: Ints) -> pa.Table:
    """Count the scores of a shard, given the number of the field of values that both sides have; ``same`` is how many
    more values of each field are the same.
    """
    ends, between = _end_counts(fields, len(names), raw, scored, same)
    order = between[np.argsort(fields[between], kind="stable")]
    starts = np.searchsorted(fields[order], np.arange(len(names) + 1)).tolist()
    parts: list[tuple[int, Tallied]] = []
    for field in sorted(
        np.flatnonzero(np.bincount(fields, minlength=len(names)) + same).tolist(), key=names.__getitem__
    ):
        rows = order[starts[field] : starts[field + 1]]
        inner = _summed(raw[rows], scored[rows], np.ones(len(rows), np.int64), exact=True)
        parts.append((field, _joined([ends[field], inner]).shortened()))
    numbers = np.repeat([field for field, _ in parts], [len(part.raw) for _, part in parts]).astype(np.int32)
    columns = [pa.chunked_array(list(column)) for column in zip(*(part.columns() for _, part in parts), strict=True)]
    own = [column.combine_chunks() for column in columns] or [pa.array([], field.type) for field in SCORES][1:]
    return pa.table([named_column(numbers, names), *own], names=SCORES.names)


def _end_counts(fields: Ints, count: int, raw: Floats, scored: Mask, same: Ints) -> tuple[list[Tallied], Ints]:
    """Count the scores 0 and 1 of each field, which most values have, without sorting; and return the other rows."""
    is_one, is_between = raw == 1.0, (raw != 0.0) & (raw != 1.0)
    cells = np.bincount((fields * 3 + is_one + 2 * is_between) * 2 + scored, minlength=count * 6).reshape(count, 6)
    cells[:, 3] += same  # which score 1
    ends = np.array([0.0, 0.0, 1.0, 1.0])
    held = [np.flatnonzero(row) for row in cells[:, :4]]
    tallied = [Tallied(ends[at], at % 2 == 1, row[at], exact=True) for at, row in zip(held, cells, strict=True)]
    return tallied, np.flatnonzero(is_between)


def _joined(parts: Sequence[Tallied]) -> Tallied:
    exact = all(part.exact for part in parts)
    kept = parts if exact else [part.rounded() for part in parts]
    raw = np.concatenate([part.raw for part in kept])
    scored = np.concatenate([part.scored for part in kept])
    return _summed(raw, scored, np.concatenate([part.values for part in kept]), exact=exact)


def join_scores(field: str, tables: Sequence[pa.Table]) -> pa.Table:
    """Return the scores of a field from those of its shards."""
    parts = [
        Tallied(
            table["raw_score"].to_numpy(),
            table["scored"].to_numpy(),
            table["values"].to_numpy(),
            exact=bool(table["exact"][0].as_py()),
        )
        for table in tables
    ]
    whole = _joined(parts).shortened()
    return pa.table([pa.array([field] * len(whole.raw)), *whole.columns()], names=SCORES.names)
