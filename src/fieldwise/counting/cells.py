"""Documents by group: one state for each class and combination of slice values, of which the whole and every slice are
sums; the counts of their clusters are in it.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from fieldwise.compare.objects import ObjectPlan
from fieldwise.counting.clusters import ALONE, NAMED, Clusters
from fieldwise.counting.flat import Differing, FlatCounts
from fieldwise.counting.interval_aggregator import IntervalAggregator
from fieldwise.counting.metrics import evaluation_metrics
from fieldwise.counting.tally import Tally
from fieldwise.errors import SliceError, quoted
from fieldwise.results.metrics import Metrics, Scope
from fieldwise.states import (
    EITHER,
    State,
    declared,
    if_wanted,
    listed,
    maybe,
    nested,
    record,
    setting,
    table,
    text,
    truth,
    unfit,
)

MAX_CELLS = 1_000
"""With more combinations of class and slice values than this, a slice key is refused."""


class Cell(NamedTuple):
    """A class, None where documents have none, and a value of every slice key, None where a document has none."""

    document_class: str | None = None
    slices: tuple[str | None, ...] = ()
    is_part: bool = False
    """Whether it has what documents with sections of several classes have of this one: as wholes they are elsewhere."""


WHOLE = Cell()


class Group(NamedTuple):
    """To what a document belongs: its cell, and its cluster, None where it has none."""

    cell: Cell = WHOLE
    cluster: str | None = None

    def cluster_of(self, document: str) -> str:
        """Return the name by which a document is summed up: its cluster's, or its own, which is never the same."""
        return f"{ALONE}{document}" if self.cluster is None else f"{NAMED}{self.cluster}"


UNGROUPED = Group()


def _none_first(value: str | None) -> tuple[bool, str]:
    return value is not None, value or ""


def _order(cell: Cell) -> tuple[bool | tuple[bool, str], ...]:
    return (cell.is_part, *map(_none_first, (cell.document_class, *cell.slices)))


@dataclass(slots=True, eq=False)
class CellCounts(State):
    """What the documents of one cell count; list rows as objects too, and by cluster, where that was asked for."""

    tally: Tally = declared(nested(Tally))
    aggregator: IntervalAggregator | None = declared(if_wanted(nested(IntervalAggregator)))
    clusters: Clusters | None = declared(if_wanted(nested(Clusters)))

    def add_in_cluster(self, cluster: str, alone: CellCounts) -> None:
        """Add a document of a cluster, which was counted alone."""
        if self.clusters is not None:
            if alone.aggregator is not None:
                alone.aggregator.settle()
            self.clusters.add(cluster, alone.tally, {} if alone.aggregator is None else alone.aggregator.histograms)
        self.merge(alone)

    def metrics(self, declared_as: Mapping[str, Collection[Scope]] | None = None) -> Metrics:
        """Return what was counted; ``declared_as`` says what each path is declared as."""
        by_objects = None
        if self.aggregator is not None:
            self.aggregator.settle()
            histograms = self.aggregator.histograms
            if self.clusters is not None:
                histograms = self.clusters.in_place_of_matrices(histograms)
            by_objects = self.aggregator.metrics(histograms)
        return evaluation_metrics(self.tally, by_objects, declared_as, self.clusters)

    def refuse_unfit(self, path: str) -> None:
        """Refuse clusters that are not of the same documents."""
        if self.clusters is not None:
            each = self.clusters.by_name.values()
            totals = [sum(column) for column in zip((0, 0, 0, 0), *(counts.total for counts in each), strict=True)]
            documents = sum(counts.documents[0] for counts in each)
            if (*totals, documents) != (*self.tally.total.totals(), self.tally.wholes.documents):
                raise unfit("clusters of the same documents, got others", path)


@dataclass(slots=True, eq=False)
class Cells(State):
    """The counts of every cell; most sets of documents have one.

    Where documents have more classes than cells are kept, and nobody asked for slices, they are not counted by class:
    classes are data, and no document stops an evaluation.
    """

    keys: tuple[str, ...] = declared(setting(listed(text), ()))
    objects: bool = declared(EITHER)
    clustered: bool = declared(EITHER)
    without_classes: bool = declared(EITHER)
    """Whether there were too many classes."""
    counts: dict[Cell, CellCounts] = declared(
        table(record(Cell, maybe(text), listed(maybe(text)), truth), nested(CellCounts), order=_order)
    )

    def new(self, *, clustered: bool = False) -> CellCounts:
        """Return counts of no documents, which can be added to those of a cell."""
        return CellCounts(
            aggregator=IntervalAggregator() if self.objects else None, clusters=Clusters() if clustered else None
        )

    def of(self, cell: Cell) -> CellCounts:
        """Return the counts of a cell, new ones where there are none; SliceError where there are too many cells."""
        counts = self.counts.get(cell)
        if counts is None and self.without_classes and cell.document_class is not None:
            return self.of(Cell(None, cell.slices))
        if counts is None:
            counts = self.counts[cell] = self.new(clustered=self.clustered)
            if len(self.counts) > MAX_CELLS:
                self.settle()
                return self.of(cell)
        return counts

    def part(self, document_class: str) -> CellCounts | None:
        """Return the counts of what documents of several classes have of one; None where there are too many classes."""
        part = Cell(document_class, is_part=True)
        if part not in self.counts and not self.without_classes:
            self.counts[part] = self.new(clustered=self.clustered)
            self.settle()
        return self.counts.get(part)

    def settle(self) -> None:
        """Count no more by class where there are too many; SliceError where slices make too many cells."""
        parts = sum(cell.is_part for cell in self.counts)
        cells = len(self.counts) - parts
        if cells > MAX_CELLS and self.keys:
            raise self._too_many()
        self.without_classes |= max(cells, parts) > MAX_CELLS
        if self.without_classes and any(cell.document_class is not None for cell in self.counts):
            held, self.counts = self.counts, {}
            for cell, counts in held.items():
                if not cell.is_part:
                    self.of(Cell(None, cell.slices)).merge(counts)

    def _too_many(self) -> SliceError:
        values = [len({cell.slices[at] for cell in self.counts if not cell.is_part}) for at in range(len(self.keys))]
        most = max(values)
        key = self.keys[values.index(most)]
        return SliceError(
            f"Expected a slice key with few values, got {quoted(key)} with {most:,} or more; classes and slice values "
            f"make more than {MAX_CELLS:,} combinations",
            facts={"setting": "slices", "key": key, "values": most, "limit": MAX_CELLS},
        )

    def refuse_unfit(self, path: str) -> None:
        """Refuse cells that have not a value of every key."""
        if any(len(cell.slices) != len(self.keys) for cell in self.counts if not cell.is_part):
            raise unfit("a value of every key in each cell, got others", path)

    def add_flat(
        self, plan: ObjectPlan, differing: Differing, groups: Sequence[Group], names: Sequence[str]
    ) -> FlatCounts:
        """Count documents of declared leaves only, given the group and the name of each."""
        places: dict[Cell, list[int]] = {}
        for at, group in enumerate(groups):
            places.setdefault(group.cell, []).append(at)
        outcomes, scores = np.zeros((len(groups), 5), np.int64), np.full(len(groups), np.nan)
        for cell, own in places.items():
            counts, part = self.of(cell), differing.of_documents(own) if len(places) > 1 else differing
            counted = counts.tally.add_flat(plan, part)
            outcomes[own], scores[own] = counted
            if counts.clusters is not None:
                clusters = [groups[at].cluster_of(names[at]) for at in own]
                counts.clusters.add_flat(clusters, [child.path for child in plan.fields.values()], part, counted)
        return FlatCounts(outcomes, scores)

    # What was counted

    def whole(self) -> CellCounts:
        """Return the counts of all documents together."""
        self.settle()
        return self._sum(counts for cell, counts in self.counts.items() if not cell.is_part)

    def by_class(self) -> dict[str | None, CellCounts]:
        """Return the counts of each class of documents, with those of the parts of documents of several."""
        return self._by(lambda cell: cell.document_class, self._counted())

    def by_slice(self, key: str) -> dict[str | None, CellCounts]:
        """Return the counts of each value of a slice key; those without one under None."""
        at = self.keys.index(key)
        return self._by(lambda cell: cell.slices[at], [cell for cell in self._counted() if not cell.is_part])

    def _counted(self) -> list[Cell]:
        """Return the cells of documents that were counted: not all that are evaluated can be."""
        self.settle()
        for counts in self.counts.values():
            counts.tally.settle()
        return [cell for cell, counts in self.counts.items() if counts.tally.wholes.documents]

    def _by(self, value_of: Callable[[Cell], str | None], cells: Iterable[Cell]) -> dict[str | None, CellCounts]:
        groups: dict[str | None, list[CellCounts]] = {}
        for cell in cells:
            groups.setdefault(value_of(cell), []).append(self.counts[cell])
        return {value: self._sum(groups[value]) for value in sorted(groups, key=_none_first)}

    def _sum(self, cells: Iterable[CellCounts]) -> CellCounts:
        each = list(cells)
        if len(each) == 1:
            return each[0]
        total = self.new(clustered=self.clustered)
        for counts in each:
            total.merge(counts)
        return total
