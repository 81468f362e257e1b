"""Documents that belong together, such as those of one vendor: their counts summed by cluster before any uncertainty.

Counts are kept by cluster and path until the end, so memory grows with clusters and fields, not with documents.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Literal, TypeAlias

import numpy as np

from fieldwise.compare.results import MATCH, Outcome
from fieldwise.counting.document_sums import UNIT, DocumentSums
from fieldwise.counting.flat import Differing, FlatCounts
from fieldwise.counting.sums import Sums
from fieldwise.states import MAX_COUNT, by_name, listed, named, refuse, row, text, whole
from fieldwise.stats.histograms import CountHistogram, Part, by_denominator
from fieldwise.values import Json

Scope: TypeAlias = Literal["fields", "nodes", "total", "matrix"]
"""Whose counts: of leaves, of objects and lists, of all values (under an empty path), and of confusion matrices."""
_SCOPES: tuple[Scope, ...] = ("fields", "nodes", "total", "matrix")
Mean: TypeAlias = Literal["exact", "f1", "score"]
_MEANS: dict[Mean, tuple[int, int]] = {"exact": (0, 1), "f1": (2, 3), "score": (4, 5)}
"""Where the documents that have a figure are, and the sum of it over them, in units."""
_WIDTH = len(Outcome)
ALONE, NAMED = "#", "="
"""How the name of a document begins that belongs to no cluster, and that of a cluster: the two are never the same."""


class ClusterCounts:
    """What each cluster counts: tp, fd, fa and fn of every path, and sums over its documents as wholes.

    Merging is associative and commutative, and empty counts change nothing.
    """

    def __init__(self) -> None:
        self._numbers: dict[str, int] = {}
        """The clusters, numbered as they came."""
        self._wholes: list[list[int]] = []
        """Of each cluster: documents, exactness, and how many have a strict F1 and a score, with the sums of these."""
        self._counts: dict[Scope, dict[str, dict[int, list[int]]]] = {scope: {} for scope in _SCOPES}

    def __len__(self) -> int:
        return len(self._numbers)

    def number(self, cluster: str) -> int:
        """Return the number of a cluster, a new one where there is none."""
        number = self._numbers.get(cluster)
        if number is None:
            number = self._numbers[cluster] = len(self._numbers)
            self._wholes.append([0] * 6)
        return number

    def _add(self, scope: Scope, path: str, number: int, counts: Iterable[int]) -> None:
        held = self._counts[scope].setdefault(path, {})
        before = held.get(number)
        held[number] = list(counts) if before is None else [a + b for a, b in zip(before, counts, strict=True)]

    def _add_wholes(self, number: int, sums: Iterable[int]) -> None:
        self._wholes[number] = [a + b for a, b in zip(self._wholes[number], sums, strict=True)]

    def add(self, cluster: str, sums: Sums, matrices: Mapping[str, CountHistogram] | None = None) -> None:
        """Add documents of one cluster that were counted apart; ``matrices`` by path, all leaves under an empty one."""
        sums.settle()
        number = self.number(cluster)
        self._add_wholes(number, _of_documents(sums.wholes))
        for scope, histograms in _by_scope(sums, matrices):
            for path, histogram in histograms.items():
                self._add(scope, path, number, histogram.totals())

    def add_flat(
        self, clusters: Sequence[str], paths: Sequence[str], differing: Differing, counted: FlatCounts
    ) -> None:
        """Add documents of declared leaves only, given the cluster of each and the leaves that are not the same."""
        numbers, places = np.unique([self.number(name) for name in clusters], return_inverse=True)
        size, width = len(numbers), len(paths)
        at = (places[differing.documents] * width + differing.fields) * _WIDTH + differing.outcomes
        table = np.bincount(at, minlength=size * width * _WIDTH).reshape(size, width, _WIDTH)
        table[:, :, MATCH.at] += np.bincount(places, minlength=size)[:, None] - table.sum(axis=2)
        totals = table.sum(axis=1)
        wholes = _flat_wholes(counted)
        for number, rows, total in zip(numbers.tolist(), table[:, :, :4].tolist(), totals[:, :4].tolist(), strict=True):
            self._add("total", "", number, total)
            for path, counts in zip(paths, rows, strict=True):
                self._add("fields", path, number, counts)
        for number, sums in zip(numbers[places].tolist(), wholes, strict=True):
            self._add_wholes(number, sums)

    def merge(self, other: ClusterCounts) -> None:
        """Add the counts of other documents, of the same clusters or of others."""
        numbers = [self.number(name) for name in other._numbers]
        for number, sums in zip(numbers, other._wholes, strict=True):
            self._add_wholes(number, sums)
        for scope, paths in other._counts.items():
            for path, held in paths.items():
                for theirs, counts in held.items():
                    self._add(scope, path, numbers[theirs], counts)

    # What was counted

    def in_place_of_documents(self, sums: Sums) -> Sums:
        """Return the same sums with histograms of clusters in place of those of documents."""
        made = Sums()
        made.__dict__.update({name: sums.__dict__[name] for name in made.__dict__})
        made.fields = self._histograms("fields", sums.fields)
        made.nodes = self._histograms("nodes", sums.nodes)
        made.total = self._histograms("total", {"": sums.total})[""]
        return made

    def in_place_of_matrices(self, matrices: Mapping[str, CountHistogram]) -> dict[str, CountHistogram]:
        """Return histograms of clusters in place of those of matrices by path."""
        return self._histograms("matrix", matrices)

    def _histograms(self, scope: Scope, of: Mapping[str, CountHistogram]) -> dict[str, CountHistogram]:
        made: dict[str, CountHistogram] = {}
        for path, histogram in of.items():
            made[path] = CountHistogram()
            made[path].tn = histogram.tn
            made[path].of_documents = histogram
            for tp, fd, fa, fn in self._counts[scope].get(path, {}).values():
                made[path].add((tp, fd, fa, fn))
        return made

    @property
    def documents_alone(self) -> int:
        """How many documents belong to no cluster, and are one each."""
        return sum(name.startswith(ALONE) for name in self._numbers)

    @property
    def are_documents(self) -> bool:
        """Whether every cluster is one document."""
        return all(sums[0] == 1 for sums in self._wholes)

    def mean_parts(self, mean: Mean) -> list[Part]:
        """Return the clusters by the number of their documents, in units, of which the mean is a ratio of sums."""
        n, total = _MEANS[mean]
        return by_denominator(Part(sums[n] * UNIT, 1, sums[total], sums[total] ** 2) for sums in self._wholes)

    # As JSON

    def to_state(self) -> dict[str, Json]:
        """Return everything as JSON, in one order whatever the order of the documents."""
        names = sorted(self._numbers)
        places = {self._numbers[name]: place for place, name in enumerate(names)}
        return {
            "names": names,
            "documents": [list(self._wholes[self._numbers[name]]) for name in names],
            **{
                scope: {path: _rows(held[path], places) for path in sorted(held)}
                for scope, held in self._counts.items()
            },
        }

    @classmethod
    def from_state(cls, state: Mapping[str, Json]) -> ClusterCounts:
        """Return the counts that a state was made of; InputError for anything else."""
        check_clusters(state, "")
        made = cls()
        for name in state["names"]:
            made.number(name)
        made._wholes = [list(sums) for sums in state["documents"]]
        for scope in _SCOPES:
            made._counts[scope] = {
                path: {number: counts for number, *counts in rows} for path, rows in state[scope].items()
            }
        return made


def _rows(held: Mapping[int, Sequence[int]], places: Mapping[int, int]) -> list[list[int]]:
    return sorted([places[number], *counts] for number, counts in held.items())


def _by_scope(
    sums: Sums, matrices: Mapping[str, CountHistogram] | None
) -> Iterator[tuple[Scope, Mapping[str, CountHistogram]]]:
    yield "fields", sums.fields
    yield "nodes", sums.nodes
    yield "total", {"": sums.total}
    if matrices is not None:
        yield "matrix", matrices


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


_ROW = row(whole(), whole(), whole(), whole(), whole())
_LOOKS_LIKE = named(
    {
        "names": listed(text),
        "documents": listed(listed(whole(MAX_COUNT * UNIT), 6)),
        **dict.fromkeys(_SCOPES, by_name(listed(_ROW))),
    }
)


def check_clusters(state: Json, path: str) -> None:
    """Check that a state can be one of clusters."""
    _LOOKS_LIKE(state, path)
    size = len(state["names"])
    if len(set(state["names"])) != size or len(state["documents"]) != size:
        raise refuse("names that differ, each with its documents", state["names"], path)
    for scope in _SCOPES:
        for name, rows in state[scope].items():
            numbers = [held[0] for held in rows]
            if numbers != sorted(set(numbers)) or (numbers and numbers[-1] >= size):
                raise refuse("clusters that rise", numbers, f"{path}.{scope}.{name}")
