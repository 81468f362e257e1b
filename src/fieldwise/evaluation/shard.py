"""Evaluating one shard: read its pairs, compare each, count, keep rows. The loop that everything runs.

A document that raises never stops the others. Where it is compared, that is noticed at once. Where it is counted or
written, sums and rows may hold a part of it: then every document of the shard is tried alone, and the shard is
evaluated again with those at fault recorded as such. So the usual way needs no guard around every step.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from fieldwise.compare.comparison import Comparison
from fieldwise.compare.own_comparators import RaisedErrors, described
from fieldwise.compare.rich_values import unwrap
from fieldwise.counting.interval_aggregator import IntervalAggregator
from fieldwise.counting.tally import DocumentCounts, Tally
from fieldwise.errors import JudgeError
from fieldwise.evaluation.flat import flat_pairs
from fieldwise.evaluation.outcome import ENDS_ALL, Failure, ShardOutcome
from fieldwise.evaluation.settings import Settings
from fieldwise.readers.envelopes import may_hold_json, read_text
from fieldwise.readers.pairs import MISSING, Conflicting, Missing, Pair, Shard, Unreadable
from fieldwise.readers.source import FromText, TextForm
from fieldwise.readers.trials import times
from fieldwise.tables.derived import derive
from fieldwise.tables.documents import (
    COMPARATOR_RAISED,
    COUNTED,
    FAILED,
    NO_EXPECTED,
    NO_PREDICTION,
    SCORED,
    UNREADABLE_EXPECTED,
    UNREADABLE_PREDICTION,
    WRONG_PREDICTION,
    DocumentRows,
    truth_of,
)
from fieldwise.tables.verdicts import VerdictRows
from fieldwise.values import Json


class Content:
    """The checksum of what a shard is read from."""

    def __init__(self) -> None:
        self.checksum = 0

    def add(self, block: bytes) -> None:
        """Take the next bytes."""
        self.checksum = zlib.crc32(block, self.checksum)


def content_of(shard: Shard) -> int:
    """Return the checksum of the bytes that a shard is read from, without evaluating it."""
    content = Content()
    for _ in shard.read(content.add):
        pass
    return content.checksum


def evaluate_shard(shard: Shard, settings: Settings, *, keep_rows: bool) -> ShardOutcome:
    """Evaluate every pair of a shard; no pair stops the others, only a wrong setting, a spent budget or a machine
    without memory or room does.
    """
    content = Content()
    seen = content.add if keep_rows else None
    try:
        outcome = _evaluated(shard.read(seen), settings, keep_rows=keep_rows, is_first=shard.index == 0)
    except ENDS_ALL:
        raise
    except Exception:
        faults = _faults(shard, settings, keep_rows=keep_rows)
        if not faults:
            raise
        content = Content()
        pairs = (faults.get(at, pair) for at, pair in enumerate(shard.read(content.add)))
        outcome = _evaluated(pairs, settings, keep_rows=keep_rows, is_first=shard.index == 0)
    outcome.content = content.checksum
    return outcome


class _Faulty(Unreadable):
    """An expected document that can be read but not counted."""


def _faults(shard: Shard, settings: Settings, *, keep_rows: bool) -> dict[int, Pair]:
    """Return, by their position, the pairs that cannot be evaluated, as pairs that can: without what is at fault."""
    return {
        at: pair._replace(predicted=fault) if whose == "predicted" else pair._replace(expected=fault)
        for at, pair in enumerate(shard.read())
        for whose, fault in _fault(pair, settings, keep_rows=keep_rows)
    }


def _fault(pair: Pair, settings: Settings, *, keep_rows: bool) -> Iterator[tuple[str, Unreadable]]:
    error = _raised_alone(pair, settings, keep_rows=keep_rows)
    if error is None:
        return
    missed = _unusable(error)
    without = pair._replace(predicted=missed)
    if _has_prediction(pair) and _raised_alone(without, settings, keep_rows=keep_rows) is None:
        yield "predicted", missed
    else:
        yield "expected", _Faulty(described(error))


def _raised_alone(pair: Pair, settings: Settings, *, keep_rows: bool) -> Exception | None:
    try:
        _evaluated([pair._replace(trials=1)], settings, keep_rows=keep_rows, is_first=False)
    except ENDS_ALL:
        raise
    except Exception as error:  # noqa: BLE001  # a document never stops the others
        return error
    return None


def _evaluated(pairs: Iterable[Pair], settings: Settings, *, keep_rows: bool, is_first: bool) -> ShardOutcome:
    outcome = ShardOutcome(aggregator=IntervalAggregator() if settings.unmatched == "objects" else None)
    rows = outcome.rows if settings.verdicts and keep_rows else None
    errors, own, work = settings.plan.errors, settings.plan.has_own_comparators, settings.plan.work.now
    errors.begin()
    work.noted()
    is_plain = settings.unmatched == "leaves" and not settings.wrapped
    trials: list[Pair] = []
    noted = _noting_metadata(pairs, outcome.documents) if keep_rows else pairs
    for pair in flat_pairs(noted, settings, outcome, keep_rows=keep_rows):
        if pair.trials > 1:
            trials.append(pair)
            if len(trials) == pair.trials:
                _trials(trials, settings, outcome, rows)
                trials = []
        elif is_plain and not pair.rich and pair.alternates is None and _are_objects(pair):
            _evaluate_objects(pair, settings, outcome, rows, keep_rows=keep_rows)
        else:
            _evaluate(pair, settings, outcome, rows, outcome.tally)
        if work.spent:
            outcome.note_work(work)
        if own and is_first:  # of a later one only those before it can tell, see `Sums.merge`
            errors.refuse()
    outcome.starts = errors.starts
    if keep_rows:
        outcome.document_table = outcome.documents.to_table()
    if rows is not None:
        outcome.verdict_table = rows.to_table()
    if outcome.verdict_table is not None and outcome.document_table is not None:
        outcome.derived = derive(outcome.verdict_table, outcome.document_table)
    return outcome


def _noting_metadata(pairs: Iterable[Pair], rows: DocumentRows) -> Iterator[Pair]:
    """Yield the pairs, and keep their metadata for their rows, which come in the same order."""
    for number, pair in enumerate(pairs):
        if pair.metadata is not None:
            rows.metadata[number] = pair.metadata
        yield pair


def _are_objects(pair: Pair) -> bool:
    return type(pair.expected) is dict and type(pair.predicted) is dict


def _evaluate_objects(
    pair: Pair, settings: Settings, outcome: ShardOutcome, rows: VerdictRows | None, *, keep_rows: bool
) -> None:
    """Evaluate a pair of objects of which there is nothing more to say."""
    plan = settings.plan
    try:
        result = plan.root.pair(pair.expected, pair.predicted)
    except ENDS_ALL:
        raise
    except Exception as error:  # noqa: BLE001  # a document never stops the others
        _not_compared(error, pair, settings, outcome, rows, outcome.tally)
        return
    counts = outcome.tally.add(plan.root, result)
    truth = None
    if rows is not None:
        rows.add(pair.id, plan.root, result)
        truth = truth_of(pair.expected)
    if plan.errors.current:
        _note_raised(outcome, pair, counts, plan.errors, truth)
        return
    outcome.note(SCORED)
    if keep_rows:
        outcome.documents.add(pair.id, counts, truth=truth)


def _trials(trials: Sequence[Pair], settings: Settings, outcome: ShardOutcome, rows: VerdictRows | None) -> None:
    """Evaluate the trials of one document, which is counted once, with the sums of those that could be compared."""
    tally = Tally()
    counted = [_evaluate(pair, settings, outcome, rows, tally) for pair in trials]
    counts = [trial for trial in counted if trial is not None]
    if counts:
        outcome.tally.add_trials(tally, counts)


def _evaluate(
    pair: Pair, settings: Settings, outcome: ShardOutcome, rows: VerdictRows | None, tally: Tally
) -> DocumentCounts | None:
    """Evaluate a pair that needs looking after: a side is missing, unreadable, rich, or of another shape, or a trial.

    Returns what it added to the tally, or None where it was not compared.
    """
    pair, form = _without_text(pair, settings)
    if form is not None:
        outcome.texts[form] = outcome.texts.get(form, 0) + 1
    _note_limits(outcome, pair)
    kind, reason = _kind(pair, settings)
    if kind not in COUNTED:
        _excluded(outcome, Failure(pair.id, kind, reason, pair.trial))
        return None
    plan = settings.plan
    try:
        expected, predicted = (unwrap(side, plan.root, escaped=True) for side in _sides(pair, kind, settings))
        comparison = plan.compare(
            expected.document,
            predicted.document,
            alternates=pair.alternates,
            as_came={**expected.as_came, **predicted.as_came},
        )
        matrix = _matrix(comparison, settings) if outcome.aggregator is not None else None
    except ENDS_ALL:
        raise
    except Exception as error:  # noqa: BLE001  # a document never stops the others
        return _not_compared(error, pair, settings, outcome, rows, tally)
    counts = tally.add(plan.root, comparison.result)
    if outcome.aggregator is not None:
        outcome.aggregator.update(matrix, doc_id=pair.id)
    if rows is not None:
        rows.add(pair.id, plan.root, comparison.result, predicted.confidences, trial=pair.trial)
    truth = None if rows is None else truth_of(expected.document)
    if plan.errors.current and kind == SCORED:
        _note_raised(outcome, pair, counts, plan.errors, truth)
        return counts
    outcome.note(kind)
    if kind != SCORED:
        outcome.failures.append(Failure(pair.id, kind, reason, pair.trial))
    outcome.documents.add(pair.id, counts, kind, reason or _FORMS[form], trial=pair.trial, truth=truth)
    return counts


def _note_limits(outcome: ShardOutcome, pair: Pair) -> None:
    """Count the limits of reading that a document is over."""
    sides = (side for side in (pair.expected, pair.predicted) if isinstance(side, Unreadable))
    for limit in {side.limit for side in sides if side.limit}:
        outcome.limits_met[limit] = outcome.limits_met.get(limit, 0) + 1


def _matrix(comparison: Comparison, settings: Settings) -> dict[str, Any]:
    shown = comparison.to_dict(include_confusion_matrix=True, unmatched="objects", extras=settings.extras)
    return shown["confusion_matrix"]  # type: ignore[no-any-return]  # a dict of dicts


def _sides(pair: Pair, kind: str, settings: Settings) -> Iterator[Json]:
    unusable = kind in (NO_PREDICTION, UNREADABLE_PREDICTION)
    for side in (pair.expected, None if unusable else pair.predicted):
        yield {"document": side} if settings.wrapped else side


def _kind(pair: Pair, settings: Settings) -> tuple[str, str]:
    if pair.expected is MISSING:
        why = f"; {pair.predicted.reason}" if isinstance(pair.predicted, Unreadable) else ""
        return NO_EXPECTED, f"a prediction without an expected document; it is not scored{why}"
    if isinstance(pair.expected, Unreadable):
        is_read = isinstance(pair.expected, Conflicting | _Faulty)
        return FAILED if is_read else UNREADABLE_EXPECTED, pair.expected.reason
    if pair.predicted is MISSING:
        return NO_PREDICTION, f"{_no_prediction(pair)}; every expected value counts as missed"
    if isinstance(pair.predicted, Unreadable):
        return UNREADABLE_PREDICTION, pair.predicted.reason
    if not settings.wrapped and isinstance(pair.expected, dict) and not isinstance(pair.predicted, dict):
        shape = _SHAPES.get(type(pair.predicted), "a number")
        return WRONG_PREDICTION, f"the prediction is {shape}, not an object; every expected value counts as missed"
    return SCORED, ""


_FORMS: dict[TextForm | None, str] = {
    None: "",
    "fence": "the prediction was read from a code fence",
    "text": "the prediction was a text that holds JSON",
}


def _without_text(pair: Pair, settings: Settings) -> tuple[Pair, TextForm | None]:
    """Return the pair with a prediction that was written as text taken out of it, and how it was written."""
    predicted = pair.predicted
    if type(predicted) is str and type(pair.expected) is dict and not settings.wrapped and may_hold_json(predicted):
        predicted = read_text(predicted, settings.reading.max_depth)
    if isinstance(predicted, FromText):
        return pair._replace(predicted=predicted.document, rich=True), predicted.form
    return pair._replace(predicted=predicted), None


_SHAPES: dict[type, str] = {type(None): "null", str: "a text", list: "a list", bool: "true or false"}


def _no_prediction(pair: Pair) -> str:
    if pair.trials == 1:
        return "no prediction"
    return f"id {pair.id!r} occurs {times(pair.trials)}, and trial {pair.trial} has no prediction"


def _excluded(outcome: ShardOutcome, failure: Failure) -> None:
    outcome.note(failure.kind)
    outcome.failures.append(failure)
    outcome.documents.add(failure.document, None, failure.kind, failure.reason, trial=failure.trial)


def _note_raised(
    outcome: ShardOutcome, pair: Pair, counts: DocumentCounts, errors: RaisedErrors, truth: bytes | None
) -> None:
    reasons = [reason for reason, _ in errors.take().values()]
    more = f"; {len(reasons) - 1} more fields" if len(reasons) > 1 else ""
    reason = f"{reasons[0]}{more}; the value counts as a mismatch"
    outcome.note(COMPARATOR_RAISED)
    outcome.failures.append(Failure(pair.id, COMPARATOR_RAISED, reason, pair.trial))
    outcome.documents.add(pair.id, counts, COMPARATOR_RAISED, reason, trial=pair.trial, truth=truth)


def _not_compared(
    error: Exception, pair: Pair, settings: Settings, outcome: ShardOutcome, rows: VerdictRows | None, tally: Tally
) -> DocumentCounts | None:
    """Score a pair that raised as missed where its prediction is at fault; else it is a failure."""
    settings.plan.errors.take()
    if _has_prediction(pair) and not isinstance(error, JudgeError):
        return _evaluate(pair._replace(predicted=_unusable(error)), settings, outcome, rows, tally)
    _excluded(outcome, Failure(pair.id, FAILED, described(error), pair.trial))
    return None


def _unusable(error: BaseException | None) -> Unreadable:
    return Unreadable(f"the prediction cannot be compared: {described(error)}; every expected value counts as missed")


def _has_prediction(pair: Pair) -> bool:
    return not isinstance(pair.predicted, Unreadable | Missing)
