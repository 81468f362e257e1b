"""Counts over many documents, straight from comparisons: sums by field path that add up in any order.

What a leaf of an unpaired or rejected list row counts as is decided in `fieldwise.compare.places`; here only the
plain cases are short-cut, in which a leaf counts as what its result says.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

from fieldwise.compare.absent_texts import absent_texts
from fieldwise.compare.leaves import LeafPlan
from fieldwise.compare.lists import items_of
from fieldwise.compare.nodes import PlanNode
from fieldwise.compare.objects import ObjectPlan
from fieldwise.compare.places import LeafAt, leaves_below, leaves_of_unpaired_rows, undeclared_leaves
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
from fieldwise.compare.undeclared import UndeclaredKeys
from fieldwise.compare.verdicts import accepted_as
from fieldwise.compare.wholes import whole_at, wholes_in, wholes_in_row, wholes_of, wholes_of_unpaired_rows
from fieldwise.counting.flat import Differing, FlatCounts, count_flat
from fieldwise.counting.open_document import OpenDocument, Slots
from fieldwise.counting.sums import UNIT, Misfits, Sums, add_in, histogram_in
from fieldwise.values import Json, is_absent

MAX_SEEN = 10_000
"""So many different counts of documents are held before they are added up."""

_new: Any = tuple.__new__


class DocumentCounts(NamedTuple):
    """What one document added: its leaves by outcome, and its score, None where neither side has a value."""

    tp: int
    fd: int
    fa: int
    fn: int
    tn: int
    score: float | None


@dataclass(slots=True, eq=False)
class Tally(Sums):
    """Sums to which documents are added; what the short cuts count is in the sums once ``settle`` was called."""

    _seen: dict[tuple[int, int, int, int], int] = field(default_factory=dict, init=False)
    """How many documents had these counts: most of them have the counts of others."""
    _slots: dict[ObjectPlan, Slots] = field(default_factory=dict, init=False)
    _perfect: dict[ObjectPlan, DocumentCounts] = field(default_factory=dict, init=False)

    def add(self, plan: ObjectPlan, result: ObjectResult) -> DocumentCounts:
        """Count one document; its whole comparison, under the plan that made it."""
        slots = self._slots.get(plan) or self._new_slots(plan, 1.0)
        # All fields are there where all are the same; then no more keys means no other keys. A field of several shapes
        # has no slot of its own.
        is_same = result.children is plan.all_same and not slots.others
        if is_same and _has_size(result.expected, plan) and _has_size(result.predicted, plan):
            slots.visits += 1
            return self._without_error(plan, slots)
        document = OpenDocument(plan, result.expected)
        if result.wrong_shape:
            self._places(leaves_below(plan, result, 1.0, document.keys), document)
            document.count_wholes(wholes_of(result))
        else:
            self._object(slots, result, document)
        self._close(document)
        self.add_outside(document.keys)
        return self._finished(document.counts, document.total, document.weight)

    def add_flat(self, plan: ObjectPlan, differing: Differing) -> FlatCounts:
        """Count documents of declared leaves only, given those that are not the same on both sides."""
        counted = count_flat(self._slots.get(plan) or self._new_slots(plan, 1.0), differing)
        if (differing.outcomes > MISMATCH.at).any():
            for note, times in Counter(differing.notes).items():
                self.add_texts(note, times)
        self.wholes.add_scores(counted.scores[~np.isnan(counted.scores)])
        self.total.tn += int(counted.outcomes[:, ABSENT.at].sum())
        for counts, documents in counted.histogram():
            self._seen[counts] = self._seen.get(counts, 0) + documents
        if len(self._seen) > MAX_SEEN:
            self._settle_seen()
        return counted

    def add_trials(self, trials: Tally, counts: Sequence[DocumentCounts]) -> None:
        """Count one document, given a tally of its trials alone and what each added: it enters with their sums."""
        self.add_remarks(trials)
        for held, added in ((self.fields, trials.fields), (self.nodes, trials.nodes)):
            for path, histogram in added.items():
                if not histogram.documents:
                    continue
                own = histogram_in(held, path)
                own.add(histogram.totals())
                own.tn += histogram.tn
        self.total.add(trials.total.totals())
        self.total.tn += trials.total.tn
        scores = [trial.score for trial in counts if trial.score is not None]
        self.wholes.add_trials([trial[:4] for trial in counts], scores)

    def add_sections(self, sections: Sequence[Tally], counts: DocumentCounts) -> None:
        """Count one document, given the tallies of its sections alone and what all of them have together."""
        fields: dict[str, list[int]] = {}
        nodes: dict[str, list[int]] = {}
        for section in sections:
            self.add_remarks(section)
            for held, found in ((fields, section.fields), (nodes, section.nodes)):
                for path, histogram in found.items():
                    if histogram.documents:
                        add_in(held, path, [*histogram.totals(), histogram.tn])
        for sums, added in ((self.fields, fields), (self.nodes, nodes)):
            for path, (tp, fd, fa, fn, tn) in added.items():
                own = histogram_in(sums, path)
                own.add((tp, fd, fa, fn))
                own.tn += tn
        tp, fd, fa, fn, tn, score = counts
        self.total.add((tp, fd, fa, fn))
        self.total.tn += tn
        self.wholes.add_equal(1, (tp, fd, fa, fn))
        if score is not None:
            self.wholes.add_score(score)

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
        """Add to the histograms what the document has of leaves that may occur several times in it, and of its objects.

        Of the rows of a list only the leaves with a wrong or absent value are looked at one by one.
        """
        fields = document.fields
        for slots in document.listed:
            seen = slots.visits - slots.closed
            for k, path in slots.leaves:
                counts = fields.get(path) or fields.setdefault(path, [0, 0, 0, 0, 0])
                counts[0] += seen
                if slots.odd[k] != slots.closed_odd[k]:
                    _add_odd(counts, slots, k)
            slots.closed = slots.visits
        for path, misfit in document.misfits.items():
            known = self.misfits.get(path, Misfits(0, misfit.shown))
            self.misfits[path] = Misfits(known.documents + 1, min(known.example, misfit.shown))
        for held, own in ((self.fields, fields), (self.nodes, document.nodes)):
            for path, (tp, fd, fa, fn, tn) in own.items():
                histogram = held.get(path) or histogram_in(held, path)
                histogram.add((tp, fd, fa, fn))
                histogram.tn += tn

    def _new_perfect(self, plan: ObjectPlan, slots: Slots) -> DocumentCounts:
        counts = self._perfect[plan] = DocumentCounts(slots.leaf_count, 0, 0, 0, 0, 1.0)
        return counts

    def _finished(self, counts: list[int], total: float, weight: float) -> DocumentCounts:
        score = None
        tp, fd, fa, fn, tn = counts
        if tp + fd + fa + fn:
            score = total / weight if weight > 0.0 else 0.0
            if not 0.0 <= score <= 1.0:  # by a rounding
                score = 0.0 if score < 0.0 else 1.0
            self.wholes.add_score(score)
        if tn:
            self.total.tn += tn
        seen, key = self._seen, (tp, fd, fa, fn)
        seen[key] = seen.get(key, 0) + 1
        if len(seen) > MAX_SEEN:
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
        children = result.children
        plan = slots.plan
        if children is not plan.all_same or slots.others:
            is_leaf = slots.is_leaf
            for k, child in enumerate(children):
                if child is not SAME and is_leaf[k]:
                    self._odd_leaf(slots, k, child, document)  # type: ignore[arg-type]  # of a leaf
            for k, node in slots.others:
                self._node(node, children[k], slots.weights[k], document, in_list=slots.in_list)
        expected, predicted, known = result.expected, result.predicted, plan.fields.keys()
        plain = type(expected) is dict and type(predicted) is dict
        if not (plain and predicted.keys() <= known and expected.keys() <= known):
            document.keys.look_at(plan, expected)
            self._places(undeclared_leaves(result, document.keys), document)

    def _odd_leaf(self, slots: Slots, k: int, leaf: LeafResult, document: OpenDocument) -> None:
        outcome, raw, kept, note, _ = leaf
        weight, at, counts = slots.leaf_weights[k], outcome.at, document.counts
        if not at and (note == WRITTEN or raw < 1.0):
            slots.near[k][raw < 1.0] += 1
        slots.odd[k][at] += 1
        counts[0] -= 1
        counts[at] += 1
        if note and at > MISMATCH.at:
            self.add_texts(note)
        if outcome is ABSENT:
            document.total -= weight
            document.weight -= weight
            return
        slots.odd_scores[k] += round(kept * UNIT)
        document.total -= weight * (1.0 - kept)

    def _node(
        self, node: PlanNode[Any], result: Result, weight: float, document: OpenDocument, *, in_list: bool
    ) -> None:
        if isinstance(result, ListResult):
            self._list(result, weight, document)
        elif isinstance(result, ObjectResult):
            plan = result.plan
            if plan.absent and result.outcome not in (MATCH, MISMATCH):
                self._in_place(result)
            if result.wrong_shape or result.outcome not in (MATCH, MISMATCH):
                self._places(leaves_below(plan, result, weight, document.keys), document)
                document.count_wholes(wholes_in(result))
            else:
                document.count_whole(whole_at(result))
                slots = self._slots.get(plan) or self._new_slots(plan, weight, in_list=in_list)
                self._object(slots, result, document)
        else:
            self._places(leaves_below(node, result, weight, document.keys), document)

    def _list(self, result: ListResult, weight: float, document: OpenDocument) -> None:
        plan = result.plan
        item = plan.item
        self._dropped(result)
        if isinstance(item, LeafPlan):
            self._places(leaves_below(plan, result, weight, document.keys), document)
            return
        document.count_whole(whole_at(result))
        plain = 0
        for pair in result.pairs:
            if pair.accepted:
                self._row(item, pair.result, weight, document)
                plain += 1
        if plain < _length(result.expected) or plain < _length(result.predicted) or result.wrong_shape:
            self._places(leaves_of_unpaired_rows(result, weight, document.keys), document)
            document.count_wholes(wholes_of_unpaired_rows(result))

    def _dropped(self, result: ListResult) -> None:
        """Count texts that stand for no value in place of a list and among items that were dropped for them."""
        plan = result.plan
        if not plan.absent:
            return
        paired = len(result.pairs)
        sides = (("expected", result.expected, result.missed), ("predicted", result.predicted, result.spurious))
        for side, value, alone in sides:
            items = items_of(value, plan.absent)
            if items is None:  # a value of another kind
                continue
            if not items:
                self.add_absent(side, absent_texts(value))
            elif len(items) > paired + len(alone):
                dropped = [item for item in items if not plan.item.has_value(item)]
                self.add_absent(side, sum(map(absent_texts, dropped)))

    def _in_place(self, result: ObjectResult) -> None:
        """Count texts that stand for no value in place of an object."""
        for side, value in (("expected", result.expected), ("predicted", result.predicted)):
            if type(value) is str:
                self.add_absent(side, int(is_absent(value, result.plan.absent) and not is_absent(value)))

    def _row(self, item: PlanNode[Any], row: Result, weight: float, document: OpenDocument) -> None:
        """Count a row of an accepted pair."""
        if isinstance(row, ObjectResult) and not row.wrong_shape:
            plan = row.plan
            self._object(self._slots.get(plan) or self._new_slots(plan, weight, in_list=True), row, document)
        else:
            self._places(leaves_below(item, row, weight, document.keys), document)
            document.count_wholes(wholes_in_row(row, apart=False))

    def _places(self, leaves: Iterable[LeafAt], document: OpenDocument) -> None:
        for place in leaves:
            at = place.outcome.at
            document.counts[at] += 1
            own = document.fields.get(place.field) or document.fields.setdefault(place.field, [0, 0, 0, 0, 0])
            own[at] += 1
            self._remark(place)
            if place.misfit is not None:
                document.misfits.setdefault(place.misfit.field, place.misfit)
            if place.plan is None:
                self.undeclared.add(place.field)
            if place.outcome is not ABSENT:
                document.weight += place.weight
                if place.row is None or place.row.accepted:
                    score = place.result.score
                    document.total += place.weight * score
                    self.scores[place.field] = self.scores.get(place.field, 0) + round(score * UNIT)

    def _remark(self, place: LeafAt) -> None:
        """Count a match of values that are not identical, a right value in a rejected row, and texts for no value."""
        self.add_texts(place.result.note)
        if place.is_right_in_rejected_row:
            self.row_rejected[place.field] = self.row_rejected.get(place.field, 0) + 1
        elif place.outcome is MATCH and (accepted := accepted_as(place.result)):
            near = self.near.get(place.field) or self.near.setdefault(place.field, [0, 0])
            near[accepted == "similar"] += 1

    # What was counted

    def _settle_seen(self) -> None:
        for counts, documents in self._seen.items():
            self.total.add(counts, documents)
            self.wholes.add_equal(documents, counts)
        self._seen.clear()

    def settle(self) -> None:
        """Bring the counts of the short cuts to where all counts are."""
        self._settle_seen()
        for slots in self._slots.values():
            for k, path in slots.leaves:
                self._settle_leaf(slots, k, path)
            if slots.perfect:
                self.total.add((slots.leaf_count, 0, 0, 0), slots.perfect)
                self.wholes.add_perfect(slots.perfect, slots.leaf_count)
            slots.visits = slots.closed = slots.perfect = 0
            slots.closed_odd = [[0, 0, 0, 0, 0] for _ in slots.odd]

    def _settle_leaf(self, slots: Slots, k: int, path: str) -> None:
        odd, same = slots.odd[k], slots.visits - sum(slots.odd[k])
        histogram = histogram_in(self.fields, path)
        if not slots.in_list:
            histogram.tn += odd[4]
            for single, documents in zip(_SINGLE, (odd[0] + same, *odd[1:]), strict=True):
                if documents:
                    histogram.add(single, documents)
        self.scores[path] = self.scores.get(path, 0) + slots.odd_scores[k] + same * UNIT
        if any(slots.near[k]):
            add_in(self.near, path, slots.near[k])
        slots.odd[k], slots.odd_scores[k], slots.near[k] = [0, 0, 0, 0, 0], 0, [0, 0]


_SINGLE = ((1, 0, 0, 0), (0, 1, 0, 0), (0, 0, 1, 0), (0, 0, 0, 1), (0, 0, 0, 0))
"""The counts of a document with one value, by its outcome."""


def _add_odd(counts: list[int], slots: Slots, k: int) -> None:
    """Count a document's values of a leaf that are not the same on both sides, which were counted as matches."""
    odd, before = slots.odd[k], slots.closed_odd[k]
    for at in range(5):
        more = odd[at] - before[at]
        counts[at] += more
        counts[0] -= more
    slots.closed_odd[k] = odd[:]


def _has_size(value: Json, plan: ObjectPlan) -> bool:
    return type(value) is dict and len(value) == len(plan.names)


def _length(value: Json) -> int:
    return len(items_of(value) or ())
