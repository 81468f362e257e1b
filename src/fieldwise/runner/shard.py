"""Evaluating one shard: read its pairs, compare each, count, keep rows. The loop that everything runs."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from fieldwise.bulk.interval_aggregator import IntervalAggregator
from fieldwise.bulk.tally import DocumentCounts, Tally
from fieldwise.compare.comparison import Comparison
from fieldwise.compare.objects import ObjectPlan
from fieldwise.compare.results import MATCH, MISMATCH, LeafResult
from fieldwise.compare.rich_values import unwrap
from fieldwise.compare.undeclared import UndeclaredKeys
from fieldwise.readers.pairs import MISSING, Pair, Shard, Unreadable
from fieldwise.runner.settings import Settings
from fieldwise.tables.documents import (
    COUNTED,
    FAILED,
    NO_EXPECTED,
    NO_PREDICTION,
    SCORED,
    UNREADABLE_EXPECTED,
    UNREADABLE_PREDICTION,
    WRONG_PREDICTION,
    DocumentRows,
)
from fieldwise.tables.verdicts import VerdictRows
from fieldwise.values import Json

MOST_ERRORS = 1000
"""So many failures are kept in metrics; all of them stand in failures.jsonl."""


class Failure(NamedTuple):
    """A document with something to tell, and what."""

    document: str
    kind: str
    reason: str


@dataclass
class ShardOutcome:
    """Everything that one shard adds. Sums, and lists in the order of the documents."""

    tally: Tally = field(default_factory=Tally)
    aggregator: IntervalAggregator | None = None
    kinds: dict[str, int] = field(default_factory=dict)
    failures: list[Failure] = field(default_factory=list)
    documents: DocumentRows = field(default_factory=DocumentRows)
    rows: VerdictRows = field(default_factory=VerdictRows)

    def note(self, kind: str) -> None:
        """Count a document of a kind."""
        self.kinds[kind] = self.kinds.get(kind, 0) + 1


def evaluate_shard(shard: Shard, settings: Settings, *, keep_rows: bool) -> ShardOutcome:
    """Evaluate every pair of a shard; no pair stops the others."""
    outcome = ShardOutcome(aggregator=IntervalAggregator() if settings.unmatched == "objects" else None)
    rows = outcome.rows if settings.verdicts and keep_rows else None
    count = _counting(settings.plan.root, outcome, rows)
    quick = settings.unmatched == "leaves" and not settings.wrapped
    keep, scored = outcome.documents.add, 0
    for pair in shard.read():
        document, expected, predicted, rich, alternates, _ = pair
        if quick and not rich and alternates is None and type(expected) is dict and type(predicted) is dict:
            try:
                counts = count(document, expected, predicted)
            except _NotComparedError as error:
                _failed(outcome, document, error)
                continue
            scored += 1
            if keep_rows:
                keep(document, counts)
        else:
            _slow(pair, settings, outcome, rows)
    if scored:
        outcome.kinds[SCORED] = outcome.kinds.get(SCORED, 0) + scored
    return outcome


class _NotComparedError(Exception):
    """Two documents could not be compared; the cause says why."""


_Object = dict[str, Json]


def _counting(
    root: ObjectPlan, outcome: ShardOutcome, rows: VerdictRows | None
) -> Callable[[str, _Object, _Object], DocumentCounts]:
    """Return what compares two objects, counts them and keeps their rows; objects of leaves only need less."""
    tally = outcome.tally

    def count(document: str, expected: _Object, predicted: _Object) -> DocumentCounts:
        try:
            result = root.pair(expected, predicted)
        except Exception as error:  # a comparator of a user may raise anything
            raise _NotComparedError from error
        counts = tally.add(root, result)
        if rows is not None:
            rows.add(document, root, result)
        return counts

    def count_flat(document: str, expected: _Object, predicted: _Object) -> DocumentCounts:
        try:
            differing = root.differing(expected, predicted)
        except Exception as error:
            raise _NotComparedError from error
        if not _have_all(root, expected, predicted, differing):
            keys = UndeclaredKeys(root, expected, root.extras or "leaves")
            if not keys.leaves_out_all(predicted):
                return count(document, expected, predicted)
            tally.add_outside(keys)
        counts = tally.add_flat(root, differing)
        if rows is not None:
            rows.add_flat(document, root, (expected, predicted), differing)
        return counts

    return count_flat if root.is_flat else count


def _have_all(
    root: ObjectPlan, expected: _Object, predicted: _Object, differing: Sequence[tuple[int, LeafResult]]
) -> bool:
    """Tell whether both documents have every declared field with a value, and no other key."""
    if not len(expected) == len(predicted) == len(root.names):
        return False
    for _, leaf in differing:  # noqa: SIM110  # all() of a generator is slower
        if leaf[0] is not MISMATCH and leaf[0] is not MATCH:
            return False
    return True


def _slow(pair: Pair, settings: Settings, outcome: ShardOutcome, rows: VerdictRows | None) -> None:
    """Evaluate a pair that needs looking after: a side is missing, unreadable, rich, or of another shape."""
    kind, reason = _kind(pair, settings)
    if kind not in COUNTED:
        _excluded(outcome, Failure(pair.id, kind, reason))
        return
    plan = settings.plan
    try:
        expected, predicted = (unwrap(side, plan.root, escaped=True) for side in _sides(pair, kind, settings))
        comparison = plan.compare(expected.document, predicted.document, alternates=pair.alternates)
        matrix = _matrix(comparison, settings) if outcome.aggregator is not None else None
    except Exception as error:  # noqa: BLE001  # a document never stops the others
        _failed(outcome, pair.id, error)
        return
    counts = outcome.tally.add(plan.root, comparison.result)
    if outcome.aggregator is not None:
        outcome.aggregator.update(matrix, doc_id=pair.id)
    if rows is not None:
        rows.add(pair.id, plan.root, comparison.result, predicted.confidences)
    outcome.note(kind)
    if kind != SCORED:
        outcome.failures.append(Failure(pair.id, kind, reason))
    outcome.documents.add(pair.id, counts, kind, reason)


def _matrix(comparison: Comparison, settings: Settings) -> dict[str, Any]:
    shown = comparison.to_dict(include_confusion_matrix=True, unmatched="objects", extras=settings.extras)
    return shown["confusion_matrix"]  # type: ignore[no-any-return]  # a dict of dicts


def _sides(pair: Pair, kind: str, settings: Settings) -> Iterator[Json]:
    unusable = kind in (NO_PREDICTION, UNREADABLE_PREDICTION)
    for side in (pair.expected, None if unusable else pair.predicted):
        yield {"document": side} if settings.wrapped else side


def _kind(pair: Pair, settings: Settings) -> tuple[str, str]:
    if pair.expected is MISSING:
        return NO_EXPECTED, "a prediction without an expected document; it is not scored"
    if isinstance(pair.expected, Unreadable):
        return UNREADABLE_EXPECTED, pair.expected.reason
    if pair.predicted is MISSING:
        return NO_PREDICTION, "no prediction; every expected value counts as missed"
    if isinstance(pair.predicted, Unreadable):
        return UNREADABLE_PREDICTION, pair.predicted.reason
    if not settings.wrapped and isinstance(pair.expected, dict) and not isinstance(pair.predicted, dict):
        shape = "null" if pair.predicted is None else f"a {type(pair.predicted).__name__}"
        return WRONG_PREDICTION, f"the prediction is {shape}, not an object; every expected value counts as missed"
    return SCORED, ""


def _excluded(outcome: ShardOutcome, failure: Failure) -> None:
    outcome.note(failure.kind)
    outcome.failures.append(failure)
    outcome.documents.add(failure.document, None, failure.kind, failure.reason)


def _failed(outcome: ShardOutcome, document: str, error: BaseException) -> None:
    cause = error.__cause__ if isinstance(error, _NotComparedError) and error.__cause__ else error
    _excluded(outcome, Failure(document, FAILED, f"{type(cause).__name__}: {cause}"))
