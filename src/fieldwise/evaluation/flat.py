"""Documents of declared leaves only, evaluated many at a time: most documents of most sets are such.

Everything else about them is rare, and goes the general way: a side that is missing, rich or no object, trials, keys
that no field declares and that count, and documents that cannot be compared.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from fieldwise.compare.objects import ObjectPlan
from fieldwise.compare.quick import differing
from fieldwise.compare.results import MATCH, MISMATCH, LeafResult
from fieldwise.compare.undeclared import UndeclaredKeys
from fieldwise.counting.flat import Differing
from fieldwise.evaluation.outcome import ENDS_ALL, ShardOutcome
from fieldwise.evaluation.settings import Settings
from fieldwise.readers.pairs import Pair
from fieldwise.tables.documents import SCORED, truth_of
from fieldwise.tables.verdicts import FlatDocuments
from fieldwise.values import Json

AT_ONCE = 1000
"""So many documents are counted together: few enough to be still at hand in the processor's cache."""


def flat_pairs(pairs: Iterable[Pair], settings: Settings, outcome: ShardOutcome, *, keep_rows: bool) -> Iterator[Pair]:
    """Evaluate the pairs of which there is nothing special to say, and yield all others, in their order."""
    plan = settings.plan
    root, work = plan.root, plan.work.now
    if not root.is_flat or plan.has_own_comparators or settings.unmatched != "leaves" or settings.wrapped:
        yield from pairs
        return
    waiting = _Waiting(root, outcome, keep_rows=keep_rows, with_values=settings.verdicts and keep_rows)
    fields, size = root.numbered, len(root.names)
    sizes, places, leaves = waiting.sizes, waiting.places, waiting.leaves
    for pair in pairs:
        document, expected, predicted, rich, alternates, _, _, of = pair
        if rich or of > 1 or alternates is not None or type(expected) is not dict or type(predicted) is not dict:
            yield pair
            continue
        start = len(leaves)
        try:
            differing(fields, expected, predicted, places, leaves)
        except ENDS_ALL:
            raise
        except Exception:  # noqa: BLE001  # the general way says what is wrong
            is_usual = False
        else:
            found = len(leaves) - start
            is_usual = len(expected) == len(predicted) == size and (not found or _are_there(leaves[start:]))
            is_usual = is_usual or _is_declared(root, expected, predicted, outcome)
        if not is_usual:
            del places[start:], leaves[start:]
            work.begin()
            yield pair
            continue
        sizes.append(found)
        if keep_rows:
            waiting.keep(document, expected, predicted, wrong=found > 0)
        if work.spent:
            outcome.note_work(work)
        if len(sizes) == AT_ONCE:
            waiting.settle()
    waiting.settle()


def _are_there(leaves: Sequence[LeafResult]) -> bool:
    """Tell whether both sides have a value in each of these leaves.

    Where that is so, documents with as many keys as there are fields have no undeclared ones.
    """
    for leaf in leaves:  # noqa: SIM110  # all() of a generator is slower
        if leaf[0] is not MISMATCH and leaf[0] is not MATCH:
            return False
    return True


def _is_declared(root: ObjectPlan, expected: Json, predicted: Json, outcome: ShardOutcome) -> bool:
    """Tell whether no value under an undeclared key is spurious; those that count nowhere are noted."""
    keys = UndeclaredKeys(root, expected, root.extras or "leaves")
    if not keys.leaves_out_all(predicted):
        return False
    outcome.tally.add_outside(keys)
    return True


@dataclass
class _Waiting:
    """Documents that were compared, and wait to be counted and written."""

    root: ObjectPlan
    outcome: ShardOutcome
    keep_rows: bool
    with_values: bool
    sizes: list[int] = field(default_factory=list)
    """How many leaves of each document differ."""
    places: list[int] = field(default_factory=list)
    """The fields of the leaves that differ."""
    leaves: list[LeafResult] = field(default_factory=list)
    numbers: list[int] = field(default_factory=list)
    """The numbers of the documents among all of the shard."""

    def __post_init__(self) -> None:
        self.rows = FlatDocuments.empty()
        self.values = self.outcome.rows.values_of(self.root)

    def keep(self, document: str, expected: dict[str, Json], predicted: dict[str, Json], *, wrong: bool) -> None:
        """Keep what the rows of a document need."""
        documents = self.outcome.documents
        self.numbers.append(len(documents.documents))
        documents.documents.append(document)
        documents.truths.append(truth_of(expected) if self.with_values else None)
        if self.with_values:
            rows = self.rows
            if wrong:
                rows.wrong[len(rows.numbers)] = expected
            rows.numbers.append(self.outcome.rows.number(document))
            rows.expected.append(self.values(expected))
            rows.predicted.append(self.values(predicted))

    def settle(self) -> None:
        """Count and write the documents."""
        if not self.sizes:
            return
        found = Differing.of(self.sizes, self.places, self.leaves)
        counted = self.outcome.tally.add_flat(self.root, found)
        self.outcome.kinds[SCORED] = self.outcome.kinds.get(SCORED, 0) + len(self.sizes)
        if self.keep_rows:
            self.outcome.documents.counted.append((self.numbers, counted))
            self.numbers = []
        if self.with_values:
            self.outcome.rows.add_flat(self.root, self.rows, found)
            self.rows = FlatDocuments.empty()
        for held in (self.sizes, self.places, self.leaves):
            held.clear()
