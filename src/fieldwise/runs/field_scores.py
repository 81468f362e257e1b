"""The stored scores of one field, by document."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from fieldwise.results.sweep import ScoredValue
from fieldwise.runs.run import Run
from fieldwise.tables.scores import UNSCORED
from fieldwise.tables.stored import Ints, names_of, numbers_of
from fieldwise.tables.stored_verdicts import whole_documents

_COLUMNS = ("document", "field", "outcome", "raw_score", "reason")
_NEAREST = (*_COLUMNS, "path", "expected", "predicted")
_OUTCOMES = ("match", "mismatch", "spurious", "missed")
"""The outcomes in the order of counts: tp, fd, fa, fn."""
_MOST_TIED = 1_000
"""Of values with one and the same score in a block, so many are looked at."""


@dataclass(frozen=True)
class FieldScores:
    """The values of a field that both sides have, with their scores, and what counts whatever the threshold.

    ``fixed`` has a row of tp, fd, fa, fn for each document, which ``documents`` of the scored values point to.
    """

    fixed: npt.NDArray[np.int64]
    documents: Ints
    raw: npt.NDArray[np.float64]
    matched: npt.NDArray[np.bool_]
    rejected: int
    mistyped: int
    raised: int = 0
    """Values whose comparator raised."""

    def counts(self, cut: float) -> npt.NDArray[np.int64]:
        """Return the counts of each document if scores from ``cut`` on are a match."""
        is_match = self.raw >= cut
        table = self.fixed.copy()
        table[:, 0] += np.bincount(self.documents[is_match], minlength=len(table))
        table[:, 1] += np.bincount(self.documents[~is_match], minlength=len(table))
        return table


def read_scores(run: Run, field: str) -> FieldScores:
    """Read the scores of a field from verdict rows."""
    parts = [_part(block, field) for block in whole_documents(run.verdicts(columns=_COLUMNS))]
    parts = [part for part in parts if len(part.fixed)] or parts[:1] or [_NOTHING]
    starts = np.cumsum([0, *(len(part.fixed) for part in parts)])
    return FieldScores(
        fixed=np.concatenate([part.fixed for part in parts]),
        documents=np.concatenate([part.documents + start for part, start in zip(parts, starts, strict=False)]),
        raw=np.concatenate([part.raw for part in parts]),
        matched=np.concatenate([part.matched for part in parts]),
        rejected=sum(part.rejected for part in parts),
        mistyped=sum(part.mistyped for part in parts),
        raised=sum(part.raised for part in parts),
    )


_NOTHING = FieldScores(np.zeros((0, 4), np.int64), np.zeros(0, np.int64), np.zeros(0), np.zeros(0, bool), 0, 0)


def _part(block: pa.Table, field: str) -> FieldScores:
    block = _of_field(block, field)
    if not len(block):
        return _NOTHING
    outcomes, reasons = names_of(block, "outcome"), names_of(block, "reason")
    _, documents = np.unique(names_of(block, "document").codes, return_inverse=True)
    scored = _is_scored(block)
    both = outcomes.is_any("match", "mismatch") & ~scored
    count = int(documents.max()) + 1
    fixed = [np.bincount(documents[outcomes.is_any(name) & ~scored], minlength=count) for name in _OUTCOMES]
    return FieldScores(
        fixed=np.column_stack(fixed).astype(np.int64),
        documents=documents[scored].astype(np.int64),
        raw=numbers_of(block, "raw_score")[scored],
        matched=outcomes.is_any("match")[scored],
        rejected=int((both & reasons.is_any("row")).sum()),
        mistyped=int((both & reasons.is_any("type")).sum()),
        raised=int((both & reasons.is_any("comparator")).sum()),
    )


def nearest_values(run: Run, field: str, cut: float, most: int = 6) -> tuple[ScoredValue, ...]:
    """Return values whose scores are nearest to a threshold: so many below it and so many from it on, rising."""
    below: list[ScoredValue] = []
    above: list[ScoredValue] = []
    for block in whole_documents(run.verdicts(columns=_NEAREST)):
        for value in _nearest_in(block, field, cut, most):
            (above if value.matches else below).append(value)
        below = sorted(below, key=lambda value: (-value.score, value.document, value.path))[:most]
        above = sorted(above, key=lambda value: (value.score, value.document, value.path))[:most]
    return (*reversed(below), *above)


def _nearest_in(block: pa.Table, field: str, cut: float, most: int) -> list[ScoredValue]:
    """Return the nearest values of a block that are not the same on both sides; the first by document and path."""
    block = _of_field(block, field)
    if not len(block):
        return []
    raw, scored = numbers_of(block, "raw_score"), _is_scored(block)
    found: list[ScoredValue] = []
    for side in (scored & (raw < cut), scored & (raw >= cut) & (raw < 1)):
        places = np.flatnonzero(side).astype(np.int64)
        away = np.abs(raw[places] - cut)
        limit = np.partition(away, most - 1)[most - 1] if len(places) > most else np.inf
        found += [_scored_value(row, cut) for row in block.take(places[away <= limit][:_MOST_TIED]).to_pylist()]
    return found


def _scored_value(row: dict[str, Any], cut: float) -> ScoredValue:
    score = row["raw_score"]
    return ScoredValue(row["document"], row["path"], row["expected"], row["predicted"], score, score >= cut)


def _of_field(block: pa.Table, field: str) -> pa.Table:
    return block.filter(pc.equal(block.column("field").cast(pa.string()), pa.scalar(field)))


def _is_scored(block: pa.Table) -> npt.NDArray[np.bool_]:
    """Tell of each row whether its outcome follows from its score."""
    return names_of(block, "outcome").is_any("match", "mismatch") & ~names_of(block, "reason").is_any(*UNSCORED)


def sweepable_fields(run: Run) -> list[str]:
    """Return the fields that have scores between 0 and 1."""
    found: set[str] = set()
    for block in whole_documents(run.verdicts(columns=_COLUMNS)):
        raw, fields = numbers_of(block, "raw_score"), names_of(block, "field")
        between = (raw > 0) & (raw < 1) & _is_scored(block)
        found |= {fields.names[number] for number in np.unique(fields.codes[between]).tolist()}
    return sorted(found)
