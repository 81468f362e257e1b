"""Document rows as a table: one row for each document that was read, with what became of it."""

from __future__ import annotations

from hashlib import blake2b
from typing import Any

import numpy as np
import orjson
import pyarrow as pa

from fieldwise.counting.tally import DocumentCounts
from fieldwise.tables.columns import named_column, text_column
from fieldwise.values import Json, written

SCORED = "scored"
NO_PREDICTION = "no_prediction"
UNREADABLE_PREDICTION = "unreadable_prediction"
WRONG_PREDICTION = "wrong_prediction"
NO_EXPECTED = "no_expected"
UNREADABLE_EXPECTED = "unreadable_expected"
FAILED = "failed"
COMPARATOR_RAISED = "comparator_raised"

COUNTED = (SCORED, NO_PREDICTION, UNREADABLE_PREDICTION, WRONG_PREDICTION, COMPARATOR_RAISED)
"""Documents of these kinds are scored; where the prediction is missing or unusable, as missed;
where a comparator raised, the value is a mismatch."""
TRUTH_BYTES = 8
_NOTHING = DocumentCounts(0, 0, 0, 0, 0, None)
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
]
DOCUMENTS = pa.schema(_COLUMNS)


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
        self.documents: list[str] = []
        self.counts: list[DocumentCounts] = []
        self.notes: dict[int, tuple[str, str]] = {}
        self.trials: dict[int, int] = {}
        """Those of the documents that are no first trial."""
        self.truths: list[bytes | None] = []

    def add(
        self,
        document: str,
        counts: DocumentCounts | None,
        status: str = SCORED,
        reason: str = "",
        trial: int = 1,
        *,
        truth: bytes | None = None,
    ) -> None:
        """Append a document; ``counts`` is None where it was not scored, ``truth`` where rows are not kept."""
        self.truths.append(truth)
        if trial != 1:
            self.trials[len(self.documents)] = trial
        if reason or status != SCORED:
            self.notes[len(self.documents)] = status, reason
        self.documents.append(document)
        self.counts.append(counts or _NOTHING)

    def to_table(self) -> pa.Table:
        """Return the rows as an Arrow table."""
        tp, fd, fa, fn, tn, score = zip(*self.counts, strict=True) if self.counts else ((),) * 6
        counts = [pa.array(column, pa.int64()) for column in (tp, fd, fa, fn, tn)]
        status, reason = self._noted()
        trials = np.ones(len(self.documents), np.int32)
        trials[list(self.trials)] = list(self.trials.values())
        names = [text_column(self.documents), pa.array(trials)]
        truth = pa.array(self.truths, pa.binary(TRUTH_BYTES))
        return pa.table([*names, status, pa.array(score, pa.float64()), *counts, reason, truth], schema=DOCUMENTS)

    def _noted(self) -> tuple[Any, Any]:
        size = len(self.documents)
        kinds = sorted({SCORED, *(kind for kind, _ in self.notes.values())})
        numbers = np.full(size, kinds.index(SCORED), np.int8)
        for at, (kind, _) in self.notes.items():
            numbers[at] = kinds.index(kind)
        if not self.notes:
            return named_column(numbers, kinds), pa.nulls(size, pa.string())
        reasons = [self.notes[at][1] if at in self.notes else None for at in range(size)]
        return named_column(numbers, kinds), text_column(reasons)
