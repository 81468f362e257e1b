"""Document rows as a table: one row for each document that was read, with what became of it."""

from __future__ import annotations

from collections.abc import Mapping
from hashlib import blake2b
from typing import Any

import numpy as np
import orjson
import pyarrow as pa

from fieldwise.compare.results import Outcome
from fieldwise.counting.flat import FlatCounts
from fieldwise.counting.tally import DocumentCounts
from fieldwise.tables.columns import named_column, optional, text_column
from fieldwise.values import Json, written
from fieldwise.writing import dump_json

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
    ("metadata", pa.string()),
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
        self.truths: list[bytes | None] = []
        self.counts: dict[int, DocumentCounts] = {}
        """By the number of a document; one without any was not scored."""
        self.counted: list[tuple[list[int], FlatCounts]] = []
        """The numbers of documents that were counted together, and what each of them has."""
        self.notes: dict[int, tuple[str, str]] = {}
        self.trials: dict[int, int] = {}
        """Those of the documents that are no first trial."""
        self.metadata: dict[int, Mapping[str, Json]] = {}
        """What was said of a document beside its values, by its number."""

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
        number = len(self.documents)
        if trial != 1:
            self.trials[number] = trial
        if reason or status != SCORED:
            self.notes[number] = status, reason
        if counts is not None:
            self.counts[number] = counts
        self.documents.append(document)
        self.truths.append(truth)

    def to_table(self) -> pa.Table:
        """Return the rows as an Arrow table."""
        outcomes, scores = self._all_counts()
        status, reason = self._noted()
        trials = np.ones(len(self.documents), np.int32)
        trials[list(self.trials)] = list(self.trials.values())
        names = [text_column(self.documents), pa.array(trials)]
        counts = [pa.array(column) for column in np.ascontiguousarray(outcomes.T)]
        truth = pa.array(self.truths, pa.binary(TRUTH_BYTES))
        return pa.table([*names, status, optional(scores), *counts, reason, truth, self._metadata()], schema=DOCUMENTS)

    def _all_counts(self) -> tuple[Any, Any]:
        """Return the outcomes and the score of each document, NaN where it has none."""
        size = len(self.documents)
        outcomes, scores = np.zeros((size, len(Outcome)), np.int64), np.full(size, np.nan)
        for numbers, counted in self.counted:
            outcomes[numbers], scores[numbers] = counted
        if self.counts:
            numbers = list(self.counts)
            outcomes[numbers] = [counts[:-1] for counts in self.counts.values()]
            scores[numbers] = [np.nan if counts.score is None else counts.score for counts in self.counts.values()]
        return outcomes, scores

    def _metadata(self) -> Any:
        if not self.metadata:
            return pa.nulls(len(self.documents), pa.string())
        texts = {at: dump_json(held, ascii_only=False) for at, held in self.metadata.items()}
        return text_column([texts.get(at) for at in range(len(self.documents))])

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
