"""The predicted values of a run that carry a confidence, read some documents at a time and gathered by field."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from hashlib import blake2b
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import pyarrow as pa
from msgspec import structs

from fieldwise.results.calibration import Acceptance, Guarantee, HeldOut
from fieldwise.results.rates import Unit
from fieldwise.runs.run import Run
from fieldwise.stats.acceptance import CANDIDATES, AcceptedCounts, accept_threshold, step_counts, steps_from
from fieldwise.stats.calibration import (
    ChanceErrors,
    Discrimination,
    DocumentSpread,
    Placements,
    bin_residuals,
    clustered_discrimination,
)
from fieldwise.stats.confidences import ConfidenceCounts, Confidences, Floats
from fieldwise.stats.histograms import by_denominator
from fieldwise.stats.intervals import units_to_one_added
from fieldwise.tables.stored import Ints, names_of, numbers_of

AT_ONCE = 50_000
"""About so many values are looked at together."""
CONFIDENCE = 0.95
"""Of intervals."""
DRAWS = 512
"""So many random signs each unit has, as bits of one hash."""
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

    def at(self, rows: Bools | Numbers | slice) -> ConfidentValues:
        """Return some of the values."""
        documents, units, fields, right, confidence = self
        return ConfidentValues(documents[rows], units[rows], fields[rows], right[rows], confidence[rows])

    def by_field(self) -> Iterator[tuple[int, ConfidentValues]]:
        """Yield the values of each field with its number."""
        ordered = self.at(np.argsort(self.fields, kind="stable"))
        numbers, starts = np.unique(ordered.fields, return_index=True)
        ends = np.append(starts, len(ordered.fields))[1:]
        for number, start, end in zip(numbers.tolist(), starts.tolist(), ends.tolist(), strict=True):
            yield number, ordered.at(slice(start, end))


class Units(NamedTuple):
    """The units of some values, by number: the half on which each chooses thresholds, and its random signs.

    Both follow from the name of a unit alone, so that neither order nor shards change them.
    """

    in_first_half: Bools
    signs: npt.NDArray[np.int8]

    @classmethod
    def of(cls, names: Sequence[str]) -> Units:
        """Return the units of these names."""
        ids = [name.encode("utf-8", "surrogatepass") for name in names]
        halves = np.array([blake2b(name, digest_size=1).digest()[0] & 1 for name in ids], bool)
        digests = b"".join(blake2b(name, digest_size=DRAWS // 8, person=b"signs").digest() for name in ids)
        bits = np.unpackbits(np.frombuffer(digests, np.uint8)).reshape(-1, DRAWS)
        return cls(halves, 2 * bits.astype(np.int8) - 1)

    def __len__(self) -> int:
        return len(self.in_first_half)


class Clusters(NamedTuple):
    """Clusters of documents: by what name each document is taken, the number of each name, and the units they are."""

    names: Mapping[str, str]
    numbers: Mapping[str, int]
    units: Units

    @classmethod
    def of(cls, names: Mapping[str, str]) -> Clusters:
        """Return the clusters of documents; a name begins with a sign that is no part of it."""
        numbers = {name: number for number, name in enumerate(dict.fromkeys(names.values()))}
        return cls(names, numbers, Units.of([name[1:] for name in numbers]))


class Block(NamedTuple):
    """The values of some documents, the names of its fields, and their units: its documents, or all clusters."""

    values: ConfidentValues
    fields: list[str]
    units: Units


def blocks_of(run: Run, clusters: Clusters | None) -> Iterator[Block]:
    """Yield the values of a run that were predicted with a confidence, some whole documents at a time."""
    table = run.confidences()
    ids: Any = run.documents().ids.combine_chunks().dictionary_encode()
    codes: Any
    fields, codes = names_of(table, "field"), np.asarray(ids.indices)[table["document"].to_numpy()]
    order: Any = np.argsort(codes, kind="stable")
    right, confidence = table["right"].to_numpy()[order], numbers_of(table, "confidence")[order]
    ends: Any = np.append(np.flatnonzero(np.diff(codes[order])) + 1, len(order))
    start = 0
    while start < len(order):
        end = int(ends[min(int(np.searchsorted(ends, start + AT_ONCE)), len(ends) - 1)])
        found, documents = np.unique(codes[order[start:end]], return_inverse=True)
        names = ids.dictionary.take(pa.array(found)).to_pylist()
        own, units = documents, clusters.units if clusters is not None else Units.of(names)
        if clusters is not None:
            own = np.array([clusters.numbers[clusters.names[name]] for name in names], np.int64)[documents]
        some: Any = slice(start, end)
        values = ConfidentValues(documents, own, fields.codes[order[some]], right[some], confidence[some])
        yield Block(values, list(fields.names), units)
        start = end


@dataclass
class Gathered:
    """What is known of one field, or of all, after the first reading and then after the second.

    Each reading makes a table with a row for each unit. Documents come whole and their rows are added up at once; those
    of clusters are kept until all documents were read.
    """

    name: str
    bins: int
    guarantee: Guarantee = "error"
    clusters: Units | None = None
    """All clusters, where these are the units and not documents."""
    predicted: int = 0
    missed: int = 0
    documents: int = 0
    counts: ConfidenceCounts = field(default_factory=ConfidenceCounts)
    values: Confidences | None = None
    placed: Placements | None = None
    pessimistic: Placements | None = None
    """With half of one more document that is wholly wrong."""
    acceptance: Acceptance | None = None
    spread: DocumentSpread = field(default_factory=DocumentSpread)
    chance: ChanceErrors | None = None
    _halves: tuple[AcceptedCounts, AcceptedCounts] | None = None
    _accepting: Ints = field(default_factory=lambda: np.zeros((2, len(CANDIDATES)), np.int64))
    """Of how many documents in the clusters of each half each candidate accepts something."""
    _pessimistic_spread: DocumentSpread = field(default_factory=DocumentSpread)
    _steps: Ints | None = None
    _sums: Floats | None = None

    @property
    def unit(self) -> Unit:
        """What intervals are over."""
        return "documents" if self.clusters is None else "clusters"

    @property
    def halves(self) -> tuple[AcceptedCounts, AcceptedCounts]:
        """What each candidate accepts in the two halves of the units."""
        if self._halves is None:
            self._halves = AcceptedCounts(self.guarantee), AcceptedCounts(self.guarantee)
        return self._halves

    # The first reading

    def count(self, values: ConfidentValues, units: Units) -> None:
        """Count values by confidence, and what each candidate accepts of a unit."""
        self.counts.add(values.right, values.confidence)
        self.documents += len(np.unique(values.documents))
        steps = step_counts(values.right, values.confidence, values.units, len(units))
        if self.clusters is None:
            self._divide(steps, units)
            return
        self._steps = steps if self._steps is None else self._steps + steps
        _, first, own = np.unique(values.documents, return_index=True, return_inverse=True)
        accepting = steps_from(step_counts(values.right, values.confidence, own, len(first)).sum(axis=1)) > 0
        in_first_half = units.in_first_half[values.units[first]]
        self._accepting += accepting[in_first_half].sum(axis=0), accepting[~in_first_half].sum(axis=0)

    def _divide(self, steps: Ints, units: Units) -> None:
        for half, rows in zip(self.halves, (units.in_first_half, ~units.in_first_half), strict=True):
            half.add(steps[rows])

    def close(self, target: float) -> None:
        """Compute what the second reading needs, and the threshold."""
        if self._steps is not None and self.clusters is not None:
            self._divide(self._steps, self.clusters)
            self._steps = None
        self.values = self.counts.values()
        self.placed = Placements.of(self.values)
        if self.units:
            times = units_to_one_added(self.units, None if self.clusters is None else self.documents)
            self.pessimistic = Placements.of(self.values, wrong_added=self.values.n / times)
        self.acceptance = self._accept(target)

    @property
    def units(self) -> int:
        """How many documents, or clusters, have a value with a confidence."""
        return sum(half.units for half in self.halves)

    def _accept(self, target: float) -> Acceptance | None:
        everything = AcceptedCounts(self.guarantee)
        for half in self.halves:
            everything.merge(half)
        documents = None if self.clusters is None else self._accepting.sum(axis=0)
        chosen = accept_threshold(everything, target, confidence=CONFIDENCE, documents=documents)
        return None if chosen is None else Acceptance(chosen, self._held_out(target))

    def _held_out(self, target: float) -> HeldOut:
        """Choose on each half, and count on the other."""
        documents = [None, None] if self.clusters is None else list(self._accepting)
        found = [
            accept_threshold(half, target, confidence=CONFIDENCE, documents=inner)
            for half, inner in zip(self.halves, documents, strict=True)
        ]
        values = wrong = right = 0
        parts = []
        for threshold, other in zip(found, reversed(self.halves), strict=True):
            if threshold is not None:
                at = CANDIDATES.index(threshold.threshold)
                values += other.values
                wrong, right = wrong + int(other.accepted[0, at]), right + int(other.accepted[1, at])
                parts += other.parts(at)
        rate = self.halves[0].loss(by_denominator(parts), CONFIDENCE)
        first, second = (None if one is None else one.threshold for one in found)
        return HeldOut((first, second), values, wrong + right, wrong, structs.replace(rate, unit=self.unit))

    # The second reading

    def spread_out(self, values: ConfidentValues, units: Units) -> None:
        """Sum up how units lie: from their confidences in each bin, and from AUROC."""
        confidence, right, size = values.confidence, values.right, len(units)
        both = [placed for placed in (self.placed, self.pessimistic) if placed is not None]
        from_auroc = (placed.unit_sums(confidence, right, values.units, size).T for placed in both)
        sums = np.column_stack([bin_residuals(confidence, right, values.units, size, self.bins), *from_auroc])
        if self.clusters is None:
            self._add(sums, units)
        else:
            self._sums = sums if self._sums is None else self._sums + sums

    def _add(self, sums: Floats, units: Units) -> None:
        chance = ChanceErrors.of(sums[:, : self.bins], units.signs)
        self.chance = chance if self.chance is None else self.chance + chance
        if self.placed is not None:
            plain, pessimistic = sums[:, self.bins : self.bins + 4], sums[:, self.bins + 4 :]
            self.spread += DocumentSpread.of(plain.T)
            self._pessimistic_spread += DocumentSpread.of(pessimistic.T)

    def close_clusters(self) -> None:
        """Take the sums of clusters, which are all there."""
        if self._sums is not None and self.clusters is not None:
            self._add(self._sums, self.clusters)
            self._sums = None

    def discrimination(self) -> Discrimination | None:
        """Return AUROC; its lower bound is also taken with the added document, and the lower of the two counts."""
        if self.placed is None or self.pessimistic is None:
            return None
        found = clustered_discrimination(self.placed, self.spread, CONFIDENCE)
        if found.low is None:
            return found
        low = clustered_discrimination(self.pessimistic, self._pessimistic_spread, CONFIDENCE).low
        return found if low is None else replace(found, low=min(found.low, low))
