"""Documents by class and by slice: one state for each cell, of which the whole and every group are sums.

A document is added to exactly one cell: its class, and its value of every slice key.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from fieldwise.compare.objects import ObjectPlan
from fieldwise.counting.clusters import ALONE, NAMED, ClusterCounts
from fieldwise.counting.flat import Differing, FlatCounts
from fieldwise.counting.interval_aggregator import IntervalAggregator, MatrixHistograms
from fieldwise.counting.metrics import evaluation_metrics
from fieldwise.counting.tally import Tally
from fieldwise.errors import InputError, SliceError, quoted
from fieldwise.results.metrics import Metrics, Scope
from fieldwise.states import checked, listed, maybe, named, row, text, truth
from fieldwise.values import Json

MAX_CELLS = 1_000
"""With more combinations of class and slice values than this, a slice key is refused."""


class Cell(NamedTuple):
    """A class, None where documents have none, and a value of every slice key, None where a document has none."""

    document_class: str | None = None
    slices: tuple[str | None, ...] = ()


WHOLE = Cell()


class Group(NamedTuple):
    """To what a document belongs: its cell, and its cluster, None where it has none."""

    cell: Cell = WHOLE
    cluster: str | None = None

    def cluster_of(self, document: str) -> str:
        """Return the name by which a document is summed up: its cluster's, or its own, which is never the same."""
        return f"{ALONE}{document}" if self.cluster is None else f"{NAMED}{self.cluster}"


UNGROUPED = Group()


class CellCounts:
    """What the documents of one cell count; list rows as objects too, and by cluster, where that was asked for."""

    def __init__(self, *, objects: bool = False, clustered: bool = False) -> None:
        self.tally = Tally()
        self.aggregator = IntervalAggregator() if objects else None
        self.clusters = ClusterCounts() if clustered else None

    def add_in_cluster(self, cluster: str, alone: CellCounts) -> None:
        """Add a document of a cluster, which was counted alone."""
        if self.clusters is not None:
            matrices = None if alone.aggregator is None else alone.aggregator.histograms().by_path()
            self.clusters.add(cluster, alone.tally, matrices)
        self._merge(alone)

    def _merge(self, other: CellCounts) -> None:
        self.tally.merge(other.tally)
        if self.aggregator is not None and other.aggregator is not None:
            self.aggregator.merge(other.aggregator)

    def merge(self, other: CellCounts) -> None:
        """Add the counts of other documents."""
        self._merge(other)
        if self.clusters is not None and other.clusters is not None:
            self.clusters.merge(other.clusters)

    def metrics(self, declared: Mapping[str, Collection[Scope]] | None = None) -> Metrics:
        """Return what was counted; ``declared`` says what each path is declared as."""
        by_objects = None
        if self.aggregator is not None:
            own = self.aggregator.histograms()
            if self.clusters is not None:
                own = MatrixHistograms.of(self.clusters.in_place_of_matrices(own.by_path()))
            by_objects = self.aggregator.metrics(own)
        return evaluation_metrics(self.tally, by_objects, declared, self.clusters)

    def to_state(self) -> dict[str, Json]:
        """Return the counts as JSON."""
        return {
            "tally": self.tally.to_state(),
            "aggregator": None if self.aggregator is None else self.aggregator.to_state(),
            "clusters": None if self.clusters is None else self.clusters.to_state(),
        }

    @classmethod
    def from_state(cls, state: Mapping[str, Json]) -> CellCounts:
        """Return the counts that a state was made of; InputError for anything else."""
        checked(state, _COUNTS_LOOK_LIKE)
        made, aggregator, clusters = cls(), state["aggregator"], state["clusters"]
        made.tally = Tally.from_state(state["tally"])
        made.aggregator = None if aggregator is None else IntervalAggregator.from_state(aggregator)
        made.clusters = None if clusters is None else ClusterCounts.from_state(clusters)
        return made


def _later(value: Json, path: str) -> None:
    """Leave the check to where a part of a state is read."""


_COUNTS_LOOK_LIKE = named(dict.fromkeys(("tally", "aggregator", "clusters"), _later))


class Cells:
    """The counts of every cell; most sets of documents have one.

    Where documents have more classes than cells are kept, and nobody asked for slices, they are not counted by class:
    classes are data, and no document stops an evaluation.
    """

    def __init__(self, keys: Sequence[str] = (), *, objects: bool = False, clustered: bool = False) -> None:
        self.keys = tuple(keys)
        self._objects, self._clustered = objects, clustered
        self._held: dict[Cell, CellCounts] = {}
        self._parts: dict[str, CellCounts] = {}
        """By class, what documents with sections of several classes have of it; the cells have them as wholes."""
        self.without_classes = False
        """Whether there were too many classes."""

    def new(self, *, clustered: bool = False) -> CellCounts:
        """Return counts of no documents, which can be added to those of a cell."""
        return CellCounts(objects=self._objects, clustered=clustered)

    def of(self, cell: Cell) -> CellCounts:
        """Return the counts of a cell, new ones where there are none; SliceError where there are too many cells."""
        cell = Cell(None, cell.slices) if self.without_classes else cell
        counts = self._held.get(cell)
        if counts is None:
            if len(self._held) >= MAX_CELLS:
                self._refuse_more(cell)
                return self.of(cell)
            counts = self._held[cell] = self.new(clustered=self._clustered)
        return counts

    def part(self, document_class: str) -> CellCounts | None:
        """Return the counts of what documents of several classes have of one; None where there are too many classes."""
        counts = None if self.without_classes else self._parts.get(document_class)
        if counts is None and not self.without_classes:
            if len(self._parts) >= MAX_CELLS:
                self._leave_out_classes()
                return None
            counts = self._parts[document_class] = self.new(clustered=self._clustered)
        return counts

    def _refuse_more(self, cell: Cell) -> None:
        if not self.keys:
            self._leave_out_classes()
            return
        values = [len({held.slices[at] for held in (*self._held, cell)}) for at in range(len(self.keys))]
        most = max(values)
        key = self.keys[values.index(most)]
        raise SliceError(
            f"Expected a slice key with few values, got {quoted(key)} with {most:,} or more; classes and slice values "
            f"make more than {MAX_CELLS:,} combinations",
            facts={"setting": "slices", "key": key, "values": most, "limit": MAX_CELLS},
        )

    def _leave_out_classes(self) -> None:
        if not self.without_classes:
            self._held = {WHOLE: self.whole()} if not self.keys else self._without_class()
            self._parts, self.without_classes = {}, True

    def _without_class(self) -> dict[Cell, CellCounts]:
        made: dict[Cell, list[CellCounts]] = {}
        for cell, counts in self._held.items():
            made.setdefault(Cell(None, cell.slices), []).append(counts)
        return {cell: self._sum(held) for cell, held in made.items()}

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

    def merge(self, other: Cells) -> None:
        """Add the counts of other documents."""
        if other.without_classes:
            self._leave_out_classes()
        for cell, counts in other._held.items():
            self.of(cell).merge(counts)
        for document_class, counts in other._parts.items():
            part = self.part(document_class)
            if part is not None:
                part.merge(counts)

    # What was counted

    def whole(self) -> CellCounts:
        """Return the counts of all documents together."""
        return self._sum(self._held.values())

    def _sum(self, cells: Iterable[CellCounts]) -> CellCounts:
        held = list(cells)
        if len(held) == 1:
            return held[0]
        total = self.new(clustered=self._clustered)
        for counts in held:
            total.merge(counts)
        return total

    def by_class(self) -> dict[str | None, CellCounts]:
        """Return the counts of each class of documents."""
        found = self._by(lambda cell: cell.document_class)
        for name, counts in sorted(self._parts.items()):
            found[name] = self._sum([found[name], counts]) if name in found else counts
        return {name: found[name] for name in sorted(found, key=_none_first)}

    def by_slice(self, key: str) -> dict[str | None, CellCounts]:
        """Return the counts of each value of a slice key; those without one under None."""
        at = self.keys.index(key)
        return self._by(lambda cell: cell.slices[at])

    def _by(self, value_of: Callable[[Cell], str | None]) -> dict[str | None, CellCounts]:
        groups: dict[str | None, list[CellCounts]] = {}
        for cell, counts in sorted(self._counted().items(), key=lambda item: _order(item[0])):
            groups.setdefault(value_of(cell), []).append(counts)
        return {value: self._sum(groups[value]) for value in sorted(groups, key=_none_first)}

    def _counted(self) -> dict[Cell, CellCounts]:
        """Return the cells of documents that were counted: not all that are evaluated can be."""
        for counts in self._held.values():
            counts.tally.settle()
        return {cell: counts for cell, counts in self._held.items() if counts.tally.wholes.documents}

    # As JSON

    def to_state(self) -> dict[str, Json]:
        """Return everything as JSON, in one order whatever the order of the documents."""
        held = sorted(self._counted().items(), key=lambda item: _order(item[0]))
        return {
            "keys": list(self.keys),
            "objects": self._objects,
            "clustered": self._clustered,
            "without_classes": self.without_classes,
            "cells": [[cell.document_class, list(cell.slices), counts.to_state()] for cell, counts in held],
            "parts": [[name, counts.to_state()] for name, counts in sorted(self._parts.items())],
        }

    @classmethod
    def from_state(cls, state: Mapping[str, Json]) -> Cells:
        """Return the counts that a state was made of; InputError for anything else."""
        checked(state, _LOOKS_LIKE)
        made = cls(state["keys"], objects=state["objects"], clustered=state["clustered"])
        made.without_classes = state["without_classes"]
        for document_class, slices, counts in state["cells"]:
            cell = Cell(document_class, tuple(slices))
            if len(slices) != len(made.keys) or cell in made._held:
                raise InputError("Expected each cell once, with a value of every key", code="state.damaged")
            made._held[cell] = CellCounts.from_state(counts)
        made._parts = {name: CellCounts.from_state(counts) for name, counts in state["parts"]}
        return made


_LOOKS_LIKE = named(
    {
        "keys": listed(text),
        "objects": truth,
        "clustered": truth,
        "without_classes": truth,
        "cells": listed(row(maybe(text), listed(maybe(text)), _later)),
        "parts": listed(row(text, _later)),
    }
)


def _order(cell: Cell) -> tuple[tuple[bool, str], ...]:
    return tuple(map(_none_first, (cell.document_class, *cell.slices)))


def _none_first(value: str | None) -> tuple[bool, str]:
    return value is not None, value or ""
