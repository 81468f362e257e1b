"""Evaluating one shard: read its pairs, compare each, count, keep rows. The loop that everything runs."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from fieldwise.bulk.tally import Tally
from fieldwise.bulk_aggregator import BulkEvaluationAggregator
from fieldwise.compare.comparison import Comparison
from fieldwise.compare.rich_values import unwrap
from fieldwise.readers.pairs import MISSING, Pair, Shard, Unreadable
from fieldwise.runner.settings import Settings
from fieldwise.tables.documents import SCORED, DocumentRows
from fieldwise.tables.verdicts import VerdictRows
from fieldwise.values import Json

NO_PREDICTION = "no_prediction"
UNREADABLE_PREDICTION = "unreadable_prediction"
WRONG_PREDICTION = "wrong_prediction"
NO_EXPECTED = "no_expected"
UNREADABLE_EXPECTED = "unreadable_expected"
FAILED = "failed"

COUNTED = (SCORED, NO_PREDICTION, UNREADABLE_PREDICTION, WRONG_PREDICTION)
"""Documents of these kinds are scored; where the prediction is missing or unusable, as missed."""
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
    aggregator: BulkEvaluationAggregator | None = None
    kinds: dict[str, int] = field(default_factory=dict)
    failures: list[Failure] = field(default_factory=list)
    documents: DocumentRows = field(default_factory=DocumentRows)
    rows: VerdictRows = field(default_factory=VerdictRows)

    def note(self, kind: str) -> None:
        """Count a document of a kind."""
        self.kinds[kind] = self.kinds.get(kind, 0) + 1


def evaluate_shard(shard: Shard, settings: Settings, *, keep_rows: bool) -> ShardOutcome:
    """Evaluate every pair of a shard; no pair stops the others."""
    outcome = ShardOutcome(aggregator=BulkEvaluationAggregator() if settings.unmatched == "objects" else None)
    root = settings.plan.root
    compare, add, rows = root.pair, outcome.tally.add, outcome.rows if settings.verdicts and keep_rows else None
    kinds, keep = outcome.kinds, outcome.documents.add
    quick = settings.unmatched == "leaves" and not settings.wrapped
    scored = 0
    for pair in shard.read():
        document, expected, predicted, rich, alternates, _ = pair
        if quick and not rich and alternates is None and type(expected) is dict and type(predicted) is dict:
            try:
                result = compare(expected, predicted)
            except Exception as error:  # noqa: BLE001  # a comparator of a user may raise anything
                _failed(outcome, document, error)
                continue
            counts = add(root, result)
            if rows is not None:
                rows.add(document, root, result)
            scored += 1
            if keep_rows:
                keep(document, counts)
        else:
            _slow(pair, settings, outcome, rows)
    if scored:
        kinds[SCORED] = kinds.get(SCORED, 0) + scored
    return outcome


def _slow(pair: Pair, settings: Settings, outcome: ShardOutcome, rows: VerdictRows | None) -> None:
    """Evaluate a pair that needs looking after: a side is missing, unreadable, rich, or of another shape."""
    kind, reason = _kind(pair, settings)
    if kind not in COUNTED:
        _excluded(outcome, Failure(pair.id, kind, reason))
        return
    plan = settings.plan
    try:
        expected, predicted = (unwrap(side, plan.root) for side in _sides(pair, kind, settings))
        comparison = plan.compare(expected.document, predicted.document, alternates=pair.alternates)
        matrix = _matrix(comparison) if outcome.aggregator is not None else None
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


def _matrix(comparison: Comparison) -> dict[str, Any]:
    shown = comparison.to_dict(include_confusion_matrix=True, unmatched="objects", extras="root")
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


def _failed(outcome: ShardOutcome, document: str, error: Exception) -> None:
    _excluded(outcome, Failure(document, FAILED, f"{type(error).__name__}: {error}"))
