"""The predicted values of a run that carry a confidence, read some documents at a time and gathered by field."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from hashlib import blake2b
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from fieldwise.results.calibration import AcceptThreshold
from fieldwise.stats.calibration import DocumentSpread, Placements
from fieldwise.stats.confidences import ConfidenceCounts, Confidences, Floats
from fieldwise.stats.count_tables import histogram_of
from fieldwise.stats.histograms import CountHistogram
from fieldwise.stats.review import CANDIDATES, accept_threshold
from fieldwise.tables.stored import Ints, names_of, numbers_of

COLUMNS = ("document", "field", "outcome", "confidence")
"""What is read of verdict rows."""
CONFIDENCE = 0.95
"""Of intervals, and of the promise that a threshold gives."""
Bools = npt.NDArray[np.bool_]
Numbers = npt.NDArray[np.intp]


class ConfidentValues(NamedTuple):
    """The predicted values of some documents that carry a confidence."""

    documents: Ints
    fields: Ints
    right: Bools
    confidence: Floats
    chosen_on: Bools
    """Whether its document belongs to the half on which thresholds are chosen."""

    def at(self, rows: Bools | Numbers | slice) -> ConfidentValues:
        """Return some of the values."""
        return ConfidentValues(
            self.documents[rows], self.fields[rows], self.right[rows], self.confidence[rows], self.chosen_on[rows]
        )

    def by_field(self) -> Iterator[tuple[int, ConfidentValues]]:
        """Yield the values of each field with its number."""
        ordered = self.at(np.argsort(self.fields, kind="stable"))
        numbers, starts = np.unique(ordered.fields, return_index=True)
        ends = np.append(starts, len(ordered.fields))[1:]
        for number, start, end in zip(numbers.tolist(), starts.tolist(), ends.tolist(), strict=True):
            yield number, ordered.at(slice(start, end))


def confident_values(block: pa.Table) -> ConfidentValues:
    """Return the values of a block that were predicted with a confidence from 0 to 1."""
    documents, outcomes = names_of(block, "document"), names_of(block, "outcome")
    confidence = numbers_of(block, "confidence")
    half = np.array([_chooses(name) for name in documents.names], bool)
    sure = outcomes.is_any("match", "mismatch", "spurious") & (confidence >= 0) & (confidence <= 1)
    columns = documents.codes, names_of(block, "field").codes, outcomes.is_any("match"), confidence
    return ConfidentValues(*columns, half[documents.codes]).at(sure)


def _chooses(document: str) -> bool:
    """Tell by a hash of its id whether a document belongs to the half on which thresholds are chosen."""
    return bool(blake2b(document.encode("utf-8", "surrogatepass"), digest_size=1).digest()[0] & 1)


@dataclass
class Gathered:
    """What is known of one field, or of all, after the first reading and then after the second."""

    name: str
    predicted: int = 0
    missed: int = 0
    choosing: ConfidenceCounts = field(default_factory=ConfidenceCounts)
    checking: ConfidenceCounts = field(default_factory=ConfidenceCounts)
    values: Confidences | None = None
    placed: Placements | None = None
    threshold: AcceptThreshold | None = None
    spread: DocumentSpread = field(default_factory=DocumentSpread)
    documents: int = 0
    accepted: CountHistogram = field(default_factory=CountHistogram)

    def add(self, found: ConfidentValues) -> None:
        """Add values to those of their half."""
        for counts, rows in ((self.choosing, found.chosen_on), (self.checking, ~found.chosen_on)):
            counts.add(found.right[rows], found.confidence[rows])

    def merge(self, other: Gathered) -> None:
        """Add what the first reading found of another field."""
        self.predicted += other.predicted
        self.missed += other.missed
        self.choosing.merge(other.choosing)
        self.checking.merge(other.checking)

    def close(self, target: float) -> None:
        """Compute what the second reading needs."""
        both = ConfidenceCounts()
        both.merge(self.choosing)
        both.merge(self.checking)
        self.values = both.values()
        self.placed = Placements.of(self.values)
        self.threshold = accept_threshold(self.choosing.values(), target, confidence=CONFIDENCE, candidates=CANDIDATES)

    def spread_out(self, found: ConfidentValues) -> None:
        """Add documents to the sums that have them as units."""
        self.documents += len(np.unique(found.documents))
        if self.placed is not None:
            self.spread += self.placed.spread(found.confidence, found.right, found.documents)
        if self.threshold is not None:
            self.accepted.merge(_accepted(found.at((found.confidence >= self.threshold.threshold) & ~found.chosen_on)))


def _accepted(found: ConfidentValues) -> CountHistogram:
    """Count accepted values document by document, wrong ones as if found: their share is then a precision."""
    numbers, documents = np.unique(found.documents, return_inverse=True)
    wrong = np.bincount(documents[~found.right], minlength=len(numbers))
    right = np.bincount(documents[found.right], minlength=len(numbers))
    nothing = np.zeros(len(numbers), np.int64)
    return histogram_of(np.column_stack([wrong, right, nothing, nothing]))
