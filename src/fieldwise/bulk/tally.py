"""Counts over many documents, straight from comparisons: sums by field path that add up in any order.

What a leaf of an unpaired or rejected list row counts as is decided in `fieldwise.compare.places`; here only the
plain cases are short-cut, in which a leaf counts as what its result says.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from fieldwise.bulk.document_sums import UNIT, DocumentSums
from fieldwise.bulk.open_document import OpenDocument, Slots
from fieldwise.bulk.outside import OutsideCounts
from fieldwise.bulk.tally_states import STATE_VERSION, check_tally
from fieldwise.compare.leaves import LeafPlan
from fieldwise.compare.lists import ListPlan, items_of
from fieldwise.compare.nodes import PlanNode
from fieldwise.compare.objects import ObjectPlan
from fieldwise.compare.places import Place, places_apart, places_below, undeclared_places
from fieldwise.compare.results import (
    ABSENT,
    MATCH,
    MISMATCH,
    SAME,
    WRITTEN,
    LeafResult,
    ListResult,
    ObjectResult,
    Result,
)
from fieldwise.compare.shapes import maker_of
from fieldwise.compare.undeclared import UndeclaredKeys
from fieldwise.compare.verdicts import accepted_as
from fieldwise.errors import InputError
from fieldwise.states import refuse
from fieldwise.stats.moments import Moments

MOST_SEEN = 10_000
"""So many different counts of documents are held before they are added up."""

_new: Any = tuple.__new__
_NO_COUNTS = (0, 0, 0, 0, 0)


class DocumentCounts(NamedTuple):
    """What one document added: its leaves by outcome, and its score, None where neither side has a value."""

    tp: int
    fd: int
    fa: int
    fn: int
    tn: int
    score: float | None


class Tally:
    """Counts by leaf path, by object and list path, and of whole documents."""

    def __init__(self) -> None:
        self.sums = DocumentSums()
        """What is known of documents as wholes, once `settle` was called."""
        self.leaves: dict[str, list[int]] = {}
        self.scores: dict[str, int] = {}
        self.near: dict[str, list[int]] = {}
        """How many matches of each leaf path are of values that are not identical: written differently, similar."""
        self.row_rejected: dict[str, int] = {}
        """How many values of each leaf path are right, and count as wrong because their row was rejected."""
        self.nodes: dict[str, list[int]] = {}
        self.undeclared: set[str] = set()
        self.outside = OutsideCounts()
        self.strays: set[str] = set()
        """Paths of objects and lists at which some document has a value of another kind, counted as a leaf."""
        self.moments: dict[str, Moments] = {}
        self.node_moments: dict[str, Moments] = {}
        self.total_moments = Moments()
        self._seen: dict[tuple[int, int, int, int], int] = {}
        """How many documents had these counts: most of them have the counts of others."""
        self._slots: dict[ObjectPlan, Slots] = {}
        self._perfect: dict[ObjectPlan, DocumentCounts] = {}

    def add(self, plan: ObjectPlan, result: ObjectResult) -> DocumentCounts:
        """Count one document; its whole comparison, under the plan that made it."""
        slots = self._slots.get(plan) or self._new_slots(plan, 1.0)
        # All fields are there where all are the same; then no more keys means no other keys.
        if result[5] is plan.all_same and _has_size(result[6], plan) and _has_size(result[7], plan):
            slots.visits += 1
            return self._without_error(plan, slots)
        document = OpenDocument(plan, result[6])
        if result.stray:
            self._places(places_below(plan, result, 1.0, document.keys), document)
        else:
            self._object(slots, result, document)
        self._close(document)
        self.add_outside(document.keys)
        return self._finished(document.counts, document.total, document.weight, document.undeclared)

    def add_flat(self, plan: ObjectPlan, differing: Sequence[tuple[int, LeafResult]]) -> DocumentCounts:
        """Count a document of declared leaves only, given those that are not the same on both sides."""
        slots = self._slots.get(plan) or self._new_slots(plan, 1.0)
        slots.visits += 1
        if not differing:
            return self._without_error(plan, slots)
        counts = [slots.leaf_count - len(differing), 0, 0, 0, 0]
        total = weight = slots.weight
        for k, (outcome, raw, kept, note, _) in differing:
            at, own = outcome.at, slots.leaf_weights[k]
            if not at and (note == WRITTEN or raw < 1.0):
                slots.near[k][raw < 1.0] += 1
            slots.odd[k][at] += 1
            counts[at] += 1
            if outcome is ABSENT:
                total -= own
                weight -= own
            else:
                slots.odd_scores[k] += round(kept * UNIT)
                total -= own * (1.0 - kept)
        return self._finished(counts, total, weight)

    def add_trials(self, trials: Tally, counts: Sequence[DocumentCounts]) -> None:
        """Count one document, given a tally of its trials alone and what each added: moments take it with the sums."""
        self._add_counts(trials)
        for path, moments in trials.moments.items():
            _moments_in(self.moments, path).add_sum(moments)
        for path, moments in trials.node_moments.items():
            _moments_in(self.node_moments, path).add_sum(moments)
        self.total_moments.add_sum(trials.total_moments)
        scores = [trial.score for trial in counts if trial.score is not None]
        self.sums.add_trials([trial[:4] for trial in counts], scores)

    def add_outside(self, keys: UndeclaredKeys) -> None:
        """Count the values of a document that are outside the spec, once all of it was looked at."""
        if keys.in_expected or keys.predicted:
            self.outside.add(keys.expected(), keys.predicted)

    def _without_error(self, plan: ObjectPlan, slots: Slots) -> DocumentCounts:
        slots.perfect += 1
        return self._perfect.get(plan) or self._new_perfect(plan, slots)

    def _new_slots(self, plan: ObjectPlan, weight: float, *, in_list: bool = False) -> Slots:
        slots = self._slots[plan] = Slots(plan, weight, in_list=in_list)
        return slots

    def _close(self, document: OpenDocument) -> None:
        """Add to the moments what the document has of leaves that may occur several times in it."""
        fields = document.fields
        for slots in document.listed:
            seen = slots.visits - slots.closed
            for k, path in slots.leaves:
                counts = fields.get(path) or fields.setdefault(path, [0, 0, 0, 0, 0])
                odd = [now - before for now, before in zip(slots.odd[k], slots.closed_odd[k], strict=True)]
                for at in range(5):
                    counts[at] += odd[at]
                counts[0] += seen - sum(odd)
            slots.closed, slots.closed_odd = slots.visits, [list(odd) for odd in slots.odd]
        for path, (tp, fd, fa, fn, _) in fields.items():
            _moments_in(self.moments, path).add(tp, fd, fa, fn)
        for path, own in document.nodes.items():
            counts = self.nodes.get(path) or self.nodes.setdefault(path, [0, 0, 0, 0, 0])
            for at in range(5):
                counts[at] += own[at]
            _moments_in(self.node_moments, path).add(*own[:4])

    def _new_perfect(self, plan: ObjectPlan, slots: Slots) -> DocumentCounts:
        counts = self._perfect[plan] = DocumentCounts(slots.leaf_count, 0, 0, 0, 0, 1.0)
        return counts

    def _finished(self, counts: list[int], total: float, weight: float, undeclared: int = 0) -> DocumentCounts:
        score = None
        tp, fd, fa, fn, tn = counts
        if tp + fd + fa + fn > undeclared:
            score = total / weight if weight > 0.0 else 0.0
            if not 0.0 <= score <= 1.0:  # by a rounding
                score = 0.0 if score < 0.0 else 1.0
            self.sums.add_score(score)
        seen, key = self._seen, (tp, fd, fa, fn)
        seen[key] = seen.get(key, 0) + 1
        if len(seen) > MOST_SEEN:
            self._settle_seen()
        return _new(DocumentCounts, (tp, fd, fa, fn, tn, score))  # type: ignore[no-any-return]

    def _object(self, slots: Slots, result: ObjectResult, document: OpenDocument) -> None:
        """Count an object that is no list row, or a row that was accepted."""
        if slots.in_list and slots.visits == slots.closed:
            document.listed.append(slots)
        slots.visits += 1
        counts = document.counts
        counts[0] += slots.leaf_count
        document.total += slots.weight
        document.weight += slots.weight
        children = result[5]
        plan = slots.plan
        if children is not plan.all_same:
            is_leaf = slots.is_leaf
            for k, child in enumerate(children):
                if child is not SAME and is_leaf[k]:
                    self._odd_leaf(slots, k, child, document)  # type: ignore[arg-type]  # of a leaf
            for k, node in slots.others:
                self._node(node, children[k], slots.weights[k], document, in_list=slots.in_list)
        expected, predicted, known = result[6], result[7], plan.fields.keys()
        plain = type(expected) is dict and type(predicted) is dict
        if not (plain and predicted.keys() <= known and expected.keys() <= known):
            document.keys.look_at(plan, expected)
            self._places(undeclared_places(plan, result, document.keys), document)

    def _odd_leaf(self, slots: Slots, k: int, leaf: LeafResult, document: OpenDocument) -> None:
        outcome, raw, kept, note, _ = leaf
        weight, at, counts = slots.leaf_weights[k], outcome.at, document.counts
        if not at and (note == WRITTEN or raw < 1.0):
            slots.near[k][raw < 1.0] += 1
        slots.odd[k][at] += 1
        counts[0] -= 1
        counts[at] += 1
        if outcome is ABSENT:
            document.total -= weight
            document.weight -= weight
            return
        slots.odd_scores[k] += round(kept * UNIT)
        document.total -= weight * (1.0 - kept)

    def _node(
        self, plan: PlanNode[Any], result: Result, weight: float, document: OpenDocument, *, in_list: bool
    ) -> None:
        plan = maker_of(plan, result)
        if type(result) is ListResult and isinstance(plan, ListPlan):
            self._list(plan, result, weight, document)
        elif type(result) is ObjectResult and isinstance(plan, ObjectPlan):
            document.count_node(plan.path, result.outcome)
            if result.stray or result.outcome not in (MATCH, MISMATCH):
                self._places(places_below(plan, result, weight, document.keys), document)
            else:
                slots = self._slots.get(plan) or self._new_slots(plan, weight, in_list=in_list)
                self._object(slots, result, document)
        else:
            self._places(places_below(plan, result, weight, document.keys), document)

    def _list(self, plan: ListPlan, result: ListResult, weight: float, document: OpenDocument) -> None:
        item = plan.item
        if isinstance(item, LeafPlan):
            self._places(places_below(plan, result, weight, document.keys), document)
            return
        document.count_node(plan.path, result)
        plain = 0
        for pair in result[5]:
            if pair[3]:
                self._row(item, pair[4], weight, document)
                plain += 1
        if plain < _length(result.expected) or plain < _length(result.predicted) or result.stray:
            self._places(places_apart(plan, result, weight, document.keys), document)

    def _row(self, item: PlanNode[Any], row: Result, weight: float, document: OpenDocument) -> None:
        """Count a row of an accepted pair."""
        plan = item if type(item) is ObjectPlan else maker_of(item, row)
        if type(row) is ObjectResult and isinstance(plan, ObjectPlan) and not row.stray:
            self._object(self._slots.get(plan) or self._new_slots(plan, weight, in_list=True), row, document)
        else:
            self._places(places_below(plan, row, weight, document.keys), document)

    def _places(self, found: Iterable[Place], document: OpenDocument) -> None:
        for place in found:
            at = place.outcome.at
            counts = self.leaves.get(place.field) or self.leaves.setdefault(place.field, [0, 0, 0, 0, 0])
            counts[at] += 1
            document.counts[at] += 1
            own = document.fields.get(place.field) or document.fields.setdefault(place.field, [0, 0, 0, 0, 0])
            own[at] += 1
            self._remark(place)
            if place.plan is None:
                self.undeclared.add(place.field)
                document.undeclared += 1
            elif not place.is_field:
                self.strays.add(place.field)
            if place.plan is not None and place.outcome is not ABSENT:
                document.weight += place.weight
                if place.row is None or place.row.accepted:
                    kept = place.result.kept
                    document.total += place.weight * kept
                    self.scores[place.field] = self.scores.get(place.field, 0) + round(kept * UNIT)

    def _remark(self, place: Place) -> None:
        """Count a match of values that are not identical, and a right value in a rejected row."""
        if place.is_right_in_rejected_row:
            self.row_rejected[place.field] = self.row_rejected.get(place.field, 0) + 1
        elif place.outcome is MATCH and (accepted := accepted_as(place.result)):
            near = self.near.get(place.field) or self.near.setdefault(place.field, [0, 0])
            near[accepted == "similar"] += 1

    # What was counted

    def _settle_seen(self) -> None:
        for counts, documents in self._seen.items():
            self.total_moments.add_equal(documents, counts)
            self.sums.add_equal(documents, counts)
        self._seen.clear()

    def settle(self) -> None:
        """Bring the counts of the short cuts to where all counts are."""
        self._settle_seen()
        for slots in self._slots.values():
            for k, path in slots.leaves:
                self._settle_leaf(slots, k, path)
            self.total_moments.add_equal(slots.perfect, (slots.leaf_count, 0, 0, 0))
            self.sums.add_perfect(slots.perfect, slots.leaf_count)
            slots.visits = slots.closed = slots.perfect = 0
            slots.closed_odd = [[0, 0, 0, 0, 0] for _ in slots.odd]

    def _settle_leaf(self, slots: Slots, k: int, path: str) -> None:
        odd, same = slots.odd[k], slots.visits - sum(slots.odd[k])
        counts = self.leaves.setdefault(path, [0, 0, 0, 0, 0])
        for at in range(5):
            counts[at] += odd[at]
        counts[0] += same
        if not slots.in_list:
            moments = _moments_in(self.moments, path)
            for at, single in enumerate(_SINGLE):
                moments.add_equal(odd[at] + (same if at == 0 else 0), single)
        self.scores[path] = self.scores.get(path, 0) + slots.odd_scores[k] + same * UNIT
        if any(slots.near[k]):
            _add_in(self.near, path, slots.near[k])
        slots.odd[k], slots.odd_scores[k], slots.near[k] = [0, 0, 0, 0, 0], 0, [0, 0]

    def rows(self) -> dict[str, list[int]]:
        """Return the counts of every path: of objects and lists of objects as such, of all else by leaves."""
        self.settle()
        declared = {path: counts for path, counts in self.leaves.items() if path not in self.strays}
        return {path: list(counts) for path, counts in sorted((declared | self.nodes).items())}

    def total(self) -> list[int]:
        """Return the counts of all leaves together."""
        self.settle()
        return [sum(counts[at] for counts in self.leaves.values()) for at in range(5)]

    def merge(self, other: Tally) -> None:
        """Add what another tally has counted."""
        self.settle()
        self._add_counts(other)
        self.sums.merge(other.sums)
        for held, added in ((self.moments, other.moments), (self.node_moments, other.node_moments)):
            for path, moments in added.items():
                _moments_in(held, path).merge(moments)
        self.total_moments.merge(other.total_moments)

    def _add_counts(self, other: Tally) -> None:
        """Add the sums that don't depend on what a document is."""
        other.settle()
        for mine, theirs in ((self.leaves, other.leaves), (self.nodes, other.nodes)):
            for path, counts in theirs.items():
                mine[path] = [a + b for a, b in zip(mine.get(path, _NO_COUNTS), counts, strict=True)]
        for sums, added in ((self.scores, other.scores), (self.row_rejected, other.row_rejected)):
            for path, number in added.items():
                sums[path] = sums.get(path, 0) + number
        for path, near in other.near.items():
            _add_in(self.near, path, near)
        self.undeclared |= other.undeclared
        self.outside.merge(other.outside)
        self.strays |= other.strays

    def to_state(self) -> dict[str, Any]:
        """Return everything as JSON, in one order whatever the order of the documents."""
        self.settle()
        return {
            "version": STATE_VERSION,
            "sums": self.sums.to_state(),
            "leaves": {path: list(self.leaves[path]) for path in sorted(self.leaves)},
            "scores": {path: self.scores[path] for path in sorted(self.scores)},
            "near": {path: list(self.near[path]) for path in sorted(self.near)},
            "row_rejected": {path: self.row_rejected[path] for path in sorted(self.row_rejected)},
            "nodes": {path: list(self.nodes[path]) for path in sorted(self.nodes)},
            "moments": {path: self.moments[path].to_state() for path in sorted(self.moments)},
            "node_moments": {path: self.node_moments[path].to_state() for path in sorted(self.node_moments)},
            "total_moments": self.total_moments.to_state(),
            "undeclared": sorted(self.undeclared),
            "outside": self.outside.to_state(),
            "strays": sorted(self.strays),
        }

    @classmethod
    def from_state(cls, state: Mapping[str, Any]) -> Tally:
        """Return the tally that a state was made of; one of another version has other sums and is refused."""
        if not isinstance(state, Mapping):
            raise refuse("an object", state, "")
        if state.get("version") != STATE_VERSION:
            raise InputError(
                f"Expected sums of version {STATE_VERSION}, got version {state.get('version', 1)}: another version of "
                "fieldwise has begun this evaluation",
                code="run.cannot_resume",
                facts={"expected": STATE_VERSION, "got": state.get("version", 1)},
                advice="start it anew",
            )
        check_tally(state)
        tally = cls()
        tally.sums = DocumentSums.from_state(state["sums"])
        tally.leaves = {path: list(counts) for path, counts in state["leaves"].items()}
        tally.scores = dict(state["scores"])
        tally.near = {path: list(counts) for path, counts in state["near"].items()}
        tally.row_rejected = dict(state["row_rejected"])
        tally.nodes = {path: list(counts) for path, counts in state["nodes"].items()}
        tally.moments = {path: Moments.from_state(held) for path, held in state["moments"].items()}
        tally.node_moments = {path: Moments.from_state(held) for path, held in state["node_moments"].items()}
        tally.total_moments = Moments.from_state(state["total_moments"])
        tally.undeclared, tally.strays = set(state["undeclared"]), set(state["strays"])
        tally.outside = OutsideCounts.from_state(state["outside"])
        return tally


_SINGLE = ((1, 0, 0, 0), (0, 1, 0, 0), (0, 0, 1, 0), (0, 0, 0, 1), (0, 0, 0, 0))
"""The counts of a document with one value, by its outcome."""


def _add_in(held: dict[str, list[int]], path: str, counts: Sequence[int]) -> None:
    held[path] = [a + b for a, b in zip(held.get(path, (0,) * len(counts)), counts, strict=True)]


def _moments_in(held: dict[str, Moments], path: str) -> Moments:
    return held.get(path) or held.setdefault(path, Moments())


def _has_size(value: Any, plan: ObjectPlan) -> bool:
    return type(value) is dict and len(value) == len(plan.names)


def _length(value: Any) -> int:
    return len(items_of(value) or ())
