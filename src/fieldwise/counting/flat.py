"""Documents of declared leaves only, counted many at a time: what differs in them as columns, added up with numpy.

The sums are those of counting the documents one by one, to the last bit: a document's leaves are taken in the order of
its fields, and all else are integers.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import repeat
from operator import eq
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from fieldwise.compare.results import ABSENT, MATCH, WRITTEN, LeafNote, LeafResult, Outcome
from fieldwise.counting.open_document import Slots
from fieldwise.counting.sums import UNIT

Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]
_WIDTH = len(Outcome)


class Differing(NamedTuple):
    """The leaves of some documents that are not the same on both sides, in the order of documents and fields."""

    sizes: Ints
    """How many leaves of each document these are."""
    fields: Ints
    """The position of each leaf among the fields."""
    outcomes: Ints
    raw_scores: Floats
    scores: Floats
    notes: Sequence[LeafNote]
    alternates: Ints

    @classmethod
    def of(cls, sizes: Sequence[int], places: Sequence[int], leaves: Sequence[LeafResult]) -> Differing:
        """Return leaves, given with their fields, of documents each of which has so many of them."""
        outcomes, raw_scores, scores, notes, alternates = zip(*leaves, strict=True) if leaves else ((),) * 5
        return cls(
            np.array(sizes, np.int64),
            np.array(places, np.int64),
            np.array([outcome.at for outcome in outcomes], np.int64),
            np.array(raw_scores, np.float64),
            np.array(scores, np.float64),
            notes,
            np.array(alternates, np.int64),
        )

    def of_documents(self, documents: Sequence[int]) -> Differing:
        """Return the leaves of some of the documents."""
        sizes = self.sizes[documents]
        starts = (self.sizes.cumsum() - self.sizes)[documents]
        rows = np.arange(int(sizes.sum())) + np.repeat(starts - (sizes.cumsum() - sizes), sizes)
        return Differing(
            sizes,
            self.fields[rows],
            self.outcomes[rows],
            self.raw_scores[rows],
            self.scores[rows],
            [self.notes[row] for row in rows.tolist()],
            self.alternates[rows],
        )

    @property
    def documents(self) -> Ints:
        """The position of the document of each leaf."""
        return np.repeat(np.arange(len(self.sizes)), self.sizes)


class FlatCounts(NamedTuple):
    """What documents added, each with its outcomes and its score, NaN where neither side has a value."""

    outcomes: Ints
    scores: Floats

    def histogram(self) -> Iterator[tuple[tuple[int, int, int, int], int]]:
        """Yield the tp, fd, fa and fn that documents have, each with how many have them."""
        counts = self.outcomes[:, :4]
        base = int(counts.max(initial=0)) + 1
        digits = np.array([base**3, base**2, base, 1], np.int64 if base**4 < 2**63 else object)
        _, places, sizes = np.unique(counts @ digits, return_index=True, return_counts=True)
        return zip(map(tuple, counts[places].tolist()), sizes.tolist(), strict=True)


def count_flat(slots: Slots, differing: Differing) -> FlatCounts:
    """Add the leaves of documents to where they are counted, and return what each document has."""
    size, (cells, units, near) = len(differing.sizes), _by_field(len(slots.leaf_weights), differing)
    slots.visits += size
    for k, (odd, score, (written, similar)) in enumerate(zip(cells, units, near, strict=True)):
        slots.odd[k] = [a + b for a, b in zip(slots.odd[k], odd, strict=True)]
        slots.odd_scores[k] += score
        slots.near[k][0] += written
        slots.near[k][1] += similar
    documents = differing.documents
    outcomes = np.bincount(documents * _WIDTH + differing.outcomes, minlength=size * _WIDTH).reshape(size, _WIDTH)
    outcomes[:, MATCH.at] += slots.leaf_count - differing.sizes
    return FlatCounts(outcomes, _scores(slots, differing, documents, outcomes))


def _by_field(fields: int, differing: Differing) -> tuple[list[list[int]], list[int], list[list[int]]]:
    """Return by field how many leaves have each outcome, the sum of their scores in units, and near matches."""
    cells = np.bincount(differing.fields * _WIDTH + differing.outcomes, minlength=fields * _WIDTH).reshape(
        fields, _WIDTH
    )
    held = differing.outcomes != ABSENT.at
    units = np.rint(differing.scores[held] * UNIT)
    sums = np.bincount(differing.fields[held], units, fields)  # exact: integers below 2**53
    written = np.fromiter(map(eq, differing.notes, repeat(WRITTEN)), bool, len(differing.notes))
    similar = differing.raw_scores < 1.0
    near = (differing.outcomes == MATCH.at) & (written | similar)
    kinds = np.bincount(differing.fields[near] * 2 + similar[near], minlength=fields * 2).reshape(fields, 2)
    return cells.tolist(), sums.astype(np.int64).tolist(), kinds.tolist()


def _scores(slots: Slots, differing: Differing, documents: Ints, outcomes: Ints) -> Floats:
    """Return the weighted scores: the documents' weights less what is lost in each leaf, leaf by leaf."""
    own = np.array(slots.leaf_weights)[differing.fields]
    absent = differing.outcomes == ABSENT.at
    totals = np.full(len(differing.sizes), slots.weight)
    weights = totals.copy()
    np.subtract.at(totals, documents, np.where(absent, own, own * (1.0 - differing.scores)))
    np.subtract.at(weights, documents[absent], own[absent])
    scores: Floats = np.divide(totals, weights, out=np.zeros_like(totals), where=weights > 0.0)
    np.clip(scores, 0.0, 1.0, out=scores)  # by a rounding
    scores[differing.sizes == 0] = 1.0
    scores[outcomes[:, : ABSENT.at].sum(axis=1) == 0] = np.nan
    return scores
