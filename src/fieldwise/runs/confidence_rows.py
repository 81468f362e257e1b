"""The predicted values of a run that carry a confidence, read some documents at a time and gathered by field."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from hashlib import blake2b
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from fieldwise.results.calibration import AcceptThreshold
from fieldwise.results.rates import Unit
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
    units: Ints
    """Those of statistics: its document, or the cluster to which that belongs."""
    fields: Ints
    right: Bools
    confidence: Floats
    chosen_on: Bools
    """Whether its document belongs to the half on which thresholds are chosen."""

    def at(self, rows: Bools | Numbers | slice) -> ConfidentValues:
        """Return some of the values."""
        documents, units, fields, right, confidence, chosen_on = self
        return ConfidentValues(
            documents[rows], units[rows], fields[rows], right[rows], confidence[rows], chosen_on[rows]
        )

    def by_field(self) -> Iterator[tuple[int, ConfidentValues]]:
        """Yield the values of each field with its number."""
        ordered = self.at(np.argsort(self.fields, kind="stable"))
        numbers, starts = np.unique(ordered.fields, return_index=True)
        ends = np.append(starts, len(ordered.fields))[1:]
        for number, start, end in zip(numbers.tolist(), starts.tolist(), ends.tolist(), strict=True):
            yield number, ordered.at(slice(start, end))


class Units(NamedTuple):
    """Clusters of documents: by what name each document is taken, and the number of each name."""

    names: Mapping[str, str]
    numbers: Mapping[str, int]


def confident_values(block: pa.Table, units: Units | None = None) -> ConfidentValues:
    """Return the values of a block that were predicted with a confidence from 0 to 1.

    With ``units`` these clusters are the units, and those by which the halves are made.
    """
    documents, outcomes = names_of(block, "document"), names_of(block, "outcome")
    confidence = numbers_of(block, "confidence")
    names, own = documents.names, documents.codes
    if units is not None:
        names = [units.names[name] for name in documents.names]
        own = np.array([units.numbers[name] for name in names], np.int64)[documents.codes]
        names = [name[1:] for name in names]
    half = np.array([_chooses(name) for name in names], bool)[documents.codes]
    sure = outcomes.is_any("match", "mismatch", "spurious") & (confidence >= 0) & (confidence <= 1)
    columns = documents.codes, own, names_of(block, "field").codes, outcomes.is_any("match"), confidence
    return ConfidentValues(*columns, half).at(sure)


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
    clusters: int = 0
    """How many clusters there are, where these are the units and not documents."""
    _cluster_sums: Floats | None = None
    _cluster_accepted: Ints | None = None

    @property
    def unit(self) -> Unit:
        """What intervals are over."""
        return "clusters" if self.clusters else "documents"

    def add(self, values: ConfidentValues) -> None:
        """Add values to those of their half."""
        for counts, rows in ((self.choosing, values.chosen_on), (self.checking, ~values.chosen_on)):
            counts.add(values.right[rows], values.confidence[rows])

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

    def spread_out(self, values: ConfidentValues) -> None:
        """Add documents to the sums that have them, or clusters of them, as units; clusters are closed at the end."""
        self.documents += len(np.unique(values.documents))
        size = self.clusters
        if self.placed is not None and size:
            sums = self.placed.unit_sums(values.confidence, values.right, values.units, size)
            self._cluster_sums = sums if self._cluster_sums is None else self._cluster_sums + sums
        elif self.placed is not None:
            self.spread += self.placed.spread(values.confidence, values.right, values.units)
        if self.threshold is None:
            return
        accepted = values.at((values.confidence >= self.threshold.threshold) & ~values.chosen_on)
        if size:
            wrong, right = (accepted.units[wanted] for wanted in (~accepted.right, accepted.right))
            counts = np.stack([np.bincount(wrong, minlength=size), np.bincount(right, minlength=size)])
            self._cluster_accepted = counts if self._cluster_accepted is None else self._cluster_accepted + counts
        else:
            self.accepted.merge(_accepted(accepted))

    def close_clusters(self) -> None:
        """Take the sums of clusters, which are all there."""
        if self._cluster_sums is not None:
            self.spread = DocumentSpread.of(self._cluster_sums)
        if self._cluster_accepted is not None:
            self.accepted = _histogram(*self._cluster_accepted)


def _accepted(values: ConfidentValues) -> CountHistogram:
    numbers, units = np.unique(values.units, return_inverse=True)
    counts = [np.bincount(units[wanted], minlength=len(numbers)) for wanted in (~values.right, values.right)]
    return _histogram(*counts)


def _histogram(wrong: Ints, right: Ints) -> CountHistogram:
    """Count accepted values by unit, wrong ones as if found: their share is then a precision."""
    nothing = np.zeros(len(wrong), np.int64)
    return histogram_of(np.column_stack([wrong, right, nothing, nothing])[(wrong + right) > 0])
