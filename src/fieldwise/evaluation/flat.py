"""Documents of declared leaves only, evaluated many at a time: most documents of most sets are such.

Everything else about them is rare, and goes the general way: a side that is missing, rich or no object, trials, keys
that no field declares and that count, documents that cannot be compared, and those that have sections.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from fieldwise.compare.objects import ObjectPlan
from fieldwise.compare.quick import differing
from fieldwise.compare.results import LeafResult
from fieldwise.compare.undeclared import UndeclaredKeys
from fieldwise.counting.cells import UNGROUPED, WHOLE, CellCounts, Group
from fieldwise.counting.flat import Differing, FlatCounts
from fieldwise.errors import ENDS_ALL
from fieldwise.evaluation.groups import grouping_by
from fieldwise.evaluation.outcome import ShardOutcome
from fieldwise.evaluation.settings import Settings
from fieldwise.readers.pairs import Pair
from fieldwise.results.statuses import SCORED
from fieldwise.tables.compared import FlatDocuments
from fieldwise.tables.documents import truth_of
from fieldwise.values import Json

AT_ONCE = 1000
"""So many documents are counted together: few enough to be still at hand in the processor's cache."""


NumberedPair = tuple[int, Pair]
"""A pair with the number of its document in the shard."""


def flat_pairs(
    pairs: Iterable[Pair], settings: Settings, outcome: ShardOutcome, *, keep_rows: bool, apart: bool = False
) -> Iterator[NumberedPair]:
    """Evaluate the pairs of which there is nothing special to say, and yield all others, in their order.

    ``apart``: all are yielded, as somebody looks at each of them.
    """
    plan, documents, cells = settings.plan, outcome.documents, outcome.cells
    root, group_of = plan.root, grouping_by(settings.slices, settings.cluster_by, settings.class_named)
    is_grouped = bool(settings.slices) or settings.cluster_by is not None
    is_plain = settings.unmatched == "leaves" and not settings.wrapped and not settings.has_classes
    if apart or not root.is_flat or plan.has_own_comparators or not is_plain:
        for pair in pairs:
            number = documents.begin(pair.id, pair.trial, pair.metadata)
            if is_grouped or pair.document_class is not None:
                documents.groups[number] = group_of(pair)
            yield number, pair
        return
    batch = _Batch(root, outcome, keep_rows=keep_rows)
    fields, size, ids = root.numbered, len(root.names), documents.ids
    sizes, places, leaves = batch.sizes, batch.places, batch.leaves
    numbers, expecteds, predicteds = batch.numbers, batch.expected, batch.predicted
    start = 0
    for number, pair in enumerate(pairs, len(ids)):
        document, expected, predicted, rich, alternates, metadata, trial, of, document_class, _, _ = pair
        ids.append(document)
        if metadata is not None:
            documents.metadata[number] = metadata
        grouped = is_grouped or document_class is not None
        if grouped:
            documents.groups[number] = group_of(pair)
        if rich or of > 1 or alternates is not None or type(expected) is not dict or type(predicted) is not dict:
            if of > 1:
                documents.trials[number] = trial
            yield number, pair
            continue
        try:
            has_all = differing(fields, expected, predicted, places, leaves)
        except ENDS_ALL:
            raise
        except Exception:  # noqa: BLE001  # the general way says what is wrong
            is_usual = False
        else:
            end = len(leaves)
            # Where both sides have every field and as many keys, no key is undeclared.
            is_usual = has_all and len(expected) == len(predicted) == size
            is_usual = is_usual or _is_declared(root, expected, predicted, cells.of(documents.group(number).cell))
        if not is_usual:
            del places[start:], leaves[start:]
            yield number, pair
            continue
        sizes.append(end - start)
        if grouped:
            batch.group(document, documents.groups[number])
        if keep_rows:
            numbers.append(number)
            expecteds.append(expected)
            predicteds.append(predicted)
        start = end
        if len(sizes) == AT_ONCE:
            batch.settle()
            start = 0
    batch.settle()


def _is_declared(root: ObjectPlan, expected: Json, predicted: Json, counts: CellCounts) -> bool:
    """Tell whether no value under an undeclared key is spurious; those that count nowhere are noted."""
    keys = UndeclaredKeys(root, expected, root.extras or "leaves")
    if not keys.leaves_out_all(predicted):
        return False
    counts.tally.add_outside(keys)
    return True


class _Batch:
    """Documents that were compared, and wait to be counted and written."""

    def __init__(self, root: ObjectPlan, outcome: ShardOutcome, *, keep_rows: bool) -> None:
        self._root, self._outcome, self._keep_rows = root, outcome, keep_rows
        self.sizes: list[int] = []
        """How many leaves of each document differ."""
        self.places: list[int] = []
        """The fields of the leaves that differ."""
        self.leaves: list[LeafResult] = []
        self.numbers: list[int] = []
        self.expected: list[dict[str, Json]] = []
        self.predicted: list[dict[str, Json]] = []
        """What the rows of documents need, where they are kept."""
        self._groups: dict[int, tuple[str, Group]] = {}

    def _clear(self) -> None:
        for held in (self.sizes, self.places, self.leaves, self.numbers, self.expected, self.predicted):
            held.clear()
        self._groups = {}

    def group(self, document: str, group: Group) -> None:
        """Say to what the last document belongs, where documents are counted apart."""
        self._groups[len(self.sizes) - 1] = document, group

    def settle(self) -> None:
        """Count and write the documents."""
        if not self.sizes:
            return
        found = Differing.of(self.sizes, self.places, self.leaves)
        counted = self._counted(found)
        self._outcome.note(SCORED, len(self.sizes))
        if self._keep_rows:
            self._outcome.documents.add_flat(self.numbers.copy(), counted, list(map(truth_of, self.expected)))
            self._outcome.rows.add_flat(self._root, FlatDocuments(self.numbers, self.expected, self.predicted), found)
        self._clear()

    def _counted(self, found: Differing) -> FlatCounts:
        if not self._groups:
            return self._outcome.cells.of(WHOLE).tally.add_flat(self._root, found)
        held = [self._groups.get(at, ("", UNGROUPED)) for at in range(len(self.sizes))]
        names, groups = [name for name, _ in held], [group for _, group in held]
        return self._outcome.cells.add_flat(self._root, found, groups, names)
