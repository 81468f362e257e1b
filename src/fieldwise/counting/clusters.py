"""Documents that belong together, such as those of one vendor: their counts summed by cluster before any uncertainty.

Counts are kept by cluster and path until the end, so memory grows with clusters and fields, not with documents.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

import numpy as np

from fieldwise.bulk_aggregator import add_counts
from fieldwise.compare.results import MATCH, Outcome
from fieldwise.counting.flat import Differing, FlatCounts
from fieldwise.counting.sums import UNIT, DocumentSums, Sums
from fieldwise.states import MAX_COUNT, State, by_key, declared, kinds_of, nested, row
from fieldwise.stats.histograms import CountHistogram, Part, by_denominator

Mean: TypeAlias = Literal["exact", "f1", "score"]
_MEANS: dict[Mean, tuple[int, int]] = {"exact": (0, 1), "f1": (2, 3), "score": (4, 5)}
"""Where the documents that have a figure are, and the sum of it over them, in units."""
_Counts: TypeAlias = dict[str, list[int]]
_COUNTS = by_key(row(4))
_WIDTH = len(Outcome)
ALONE, NAMED = "#", "="
"""How the name of a document begins that belongs to no cluster, and that of a cluster: the two are never the same."""


@dataclass(slots=True, eq=False)
class ClusterCounts(State):
    """What one cluster counts: tp, fd, fa and fn of every path, and sums over its documents as wholes."""

    documents: list[int] = declared(row(6, MAX_COUNT * UNIT))
    """How many there are, their exactness, and how many have a strict F1 and a score, with the sums of these."""
    total: list[int] = declared(row(4))
    """Of all leaves."""
    fields: _Counts = declared(_COUNTS)
    nodes: _Counts = declared(_COUNTS)
    matrices: _Counts = declared(_COUNTS)
    """Of confusion matrices, by their paths."""


@dataclass(slots=True, eq=False)
class Clusters(State):
    """The counts of every cluster by name."""

    by_name: dict[str, ClusterCounts] = declared(by_key(nested(ClusterCounts)))

    def __len__(self) -> int:
        return len(self.by_name)

    def of(self, cluster: str) -> ClusterCounts:
        """Return the counts of a cluster, new ones where there are none."""
        counts = self.by_name.get(cluster)
        if counts is None:
            counts = self.by_name[cluster] = ClusterCounts()
        return counts

    def add(self, cluster: str, sums: Sums, matrices: Mapping[str, CountHistogram]) -> None:
        """Add documents of one cluster that were counted apart."""
        sums.settle()
        counts = self.of(cluster)
        add_counts(counts.documents, _of_documents(sums.wholes))
        add_counts(counts.total, sums.total.totals())
        for held, histograms in ((counts.fields, sums.fields), (counts.nodes, sums.nodes), (counts.matrices, matrices)):
            for path, histogram in histograms.items():
                add_counts(held.setdefault(path, [0, 0, 0, 0]), histogram.totals())

    def add_flat(
        self, clusters: Sequence[str], paths: Sequence[str], differing: Differing, counted: FlatCounts
    ) -> None:
        """Add documents of declared leaves only, given the cluster of each and the leaves that are not the same."""
        names, places = np.unique(clusters, return_inverse=True)
        size, width = len(names), len(paths)
        at = (places[differing.documents] * width + differing.fields) * _WIDTH + differing.outcomes
        table = np.bincount(at, minlength=size * width * _WIDTH).reshape(size, width, _WIDTH)
        table[:, :, MATCH.at] += np.bincount(places, minlength=size)[:, None] - table.sum(axis=2)
        totals = table.sum(axis=1)[:, :4].tolist()
        each = [self.of(name) for name in names.tolist()]
        for counts, rows, total in zip(each, table[:, :, :4].tolist(), totals, strict=True):
            add_counts(counts.total, total)
            for path, more in zip(paths, rows, strict=True):
                add_counts(counts.fields.setdefault(path, [0, 0, 0, 0]), more)
        for place, sums in zip(places.tolist(), _flat_wholes(counted), strict=True):
            add_counts(each[place].documents, sums)

    # What was counted

    def in_place_of_documents(self, sums: Sums) -> Sums:
        """Return the same sums with histograms of clusters in place of those of documents."""
        made = Sums(**{name: getattr(sums, name) for name in kinds_of(Sums)})
        each = self.by_name.values()
        made.fields = _histograms(sums.fields, [counts.fields for counts in each])
        made.nodes = _histograms(sums.nodes, [counts.nodes for counts in each])
        made.total = _histograms({"": sums.total}, [{"": counts.total} for counts in each])[""]
        return made

    def in_place_of_matrices(self, matrices: Mapping[str, CountHistogram]) -> dict[str, CountHistogram]:
        """Return histograms of clusters in place of those of matrices by path."""
        return _histograms(matrices, [counts.matrices for counts in self.by_name.values()])

    @property
    def documents_alone(self) -> int:
        """How many documents belong to no cluster, and are one each."""
        return sum(name.startswith(ALONE) for name in self.by_name)

    @property
    def are_documents(self) -> bool:
        """Whether every cluster is one document."""
        return all(counts.documents[0] == 1 for counts in self.by_name.values())

    def mean_parts(self, mean: Mean) -> list[Part]:
        """Return the clusters by the number of their documents, in units, of which the mean is a ratio of sums."""
        n, total = _MEANS[mean]
        each = [counts.documents for counts in self.by_name.values()]
        return by_denominator(Part(sums[n] * UNIT, 1, sums[total], sums[total] ** 2) for sums in each)


def _histograms(of: Mapping[str, CountHistogram], clusters: Sequence[_Counts]) -> dict[str, CountHistogram]:
    made: dict[str, CountHistogram] = {}
    for path, histogram in of.items():
        made[path] = CountHistogram()
        made[path].tn = histogram.tn
        made[path].of_documents = histogram
        for counts in clusters:
            if path in counts:
                tp, fd, fa, fn = counts[path]
                made[path].add((tp, fd, fa, fn))
    return made


def _of_documents(sums: DocumentSums) -> tuple[int, ...]:
    exact = sums.exact * UNIT + sums.exact_sum
    return sums.documents, exact, sums.rated, sums.f1_sum, sums.scored, sums.score_sum


def _flat_wholes(counted: FlatCounts) -> Iterator[tuple[int, ...]]:
    for (tp, fd, fa, fn), score in zip(counted.outcomes[:, :4].tolist(), counted.scores.tolist(), strict=True):
        alone = DocumentSums()
        alone.add_equal(1, (tp, fd, fa, fn))
        if score == score:  # not NaN
            alone.add_score(score)
        yield _of_documents(alone)
