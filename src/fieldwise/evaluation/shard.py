"""Evaluating one shard: read its pairs, compare each, count, keep rows. The loop that everything runs.

A document that raises never stops the others. Where it is compared, that is noticed at once. Where it is counted or
written, sums and rows may hold a part of it: then every document of the shard is tried alone, and the shard is
evaluated again with those at fault recorded as such. So the usual way needs no guard around every step.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from fieldwise.compare.comparison import Comparison
from fieldwise.compare.own_comparators import described
from fieldwise.compare.rich_values import unwrap
from fieldwise.counting.cells import CellCounts
from fieldwise.counting.tally import DocumentCounts, Tally
from fieldwise.errors import JudgeError
from fieldwise.evaluation.flat import NumberedPair, flat_pairs
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
    outcome = ShardOutcome(settings.new_cells())
    errors, work = settings.plan.errors, settings.plan.work.now
    errors.begin()
    work.noted()
    general = _General(settings, outcome, outcome.rows if settings.verdicts and keep_rows else None)
    trials: list[NumberedPair] = []
    for number, pair in flat_pairs(pairs, settings, outcome, keep_rows=keep_rows):
        if pair.trials > 1:
            trials.append((number, pair))
            if len(trials) == pair.trials:
                general.evaluate_trials(trials)
                trials = []
        else:
            general.evaluate(number, pair)
        if work.spent:
            outcome.note_work(work)
        if is_first and settings.plan.has_own_comparators:  # of a later one only those before it can tell
            errors.refuse()
    outcome.starts = errors.starts
    if keep_rows:
        outcome.document_table = outcome.documents.to_table(settings.slices)
    if general.rows is not None:
        table = general.rows.to_table(outcome.documents.ids, outcome.documents.trials)
        outcome.verdict_table, outcome.derived = table.rows, derive(table)
    return outcome


class _General:
    """Evaluates one pair after the other, whatever they are."""

    def __init__(self, settings: Settings, outcome: ShardOutcome, rows: VerdictRows | None) -> None:
        self._settings, self._plan = settings, settings.plan
        self._outcome, self.rows = outcome, rows
        self._is_plain = settings.unmatched == "leaves" and not settings.wrapped

    def evaluate(self, number: int, pair: Pair) -> None:
        """Evaluate the pair of a document with one trial."""
        with self._counts_of(number, pair) as counts:
            if self._is_plain and not pair.rich and pair.alternates is None and _are_objects(pair):
                self._evaluate_objects(number, pair, counts)
            else:
                self._evaluate(number, pair, counts, counts.tally)

    def evaluate_trials(self, trials: Sequence[NumberedPair]) -> None:
        """Evaluate the trials of one document, which is counted once, with the sums of those that could be compared.

        It belongs to what its first trial says.
        """
        tally = Tally()
        with self._counts_of(*trials[0]) as counts:
            counted = [self._evaluate(number, pair, counts, tally) for number, pair in trials]
            found = [trial for trial in counted if trial is not None]
            if found:
                counts.tally.add_trials(tally, found)

    @contextmanager
    def _counts_of(self, number: int, pair: Pair) -> Iterator[CellCounts]:
        """Give the counts to which a document is added; where it belongs to a cluster, it is first counted alone."""
        cells, group = self._outcome.cells, self._outcome.documents.group(number)
        counts = cells.of(group.cell)
        if counts.clusters is None:
            yield counts
            return
        alone = cells.new()
        yield alone
        alone.tally.settle()
        if alone.tally.wholes.documents:
            counts.add_in_cluster(group.cluster_of(pair.id), alone)

    def _evaluate_objects(self, number: int, pair: Pair, into: CellCounts) -> None:
        """Evaluate a pair of objects of which there is nothing more to say."""
        root = self._plan.root
        try:
            result = root.pair(pair.expected, pair.predicted)
        except ENDS_ALL:
            raise
        except Exception as error:  # noqa: BLE001  # a document never stops the others
            self._not_compared(error, number, pair, into, into.tally)
            return
        counts = into.tally.add(root, result)
        truth = None
        if self.rows is not None:
            self.rows.add(number, root, result)
            truth = truth_of(pair.expected)
        if self._plan.errors.current:
            self._note_raised(number, pair, counts, truth)
            return
        self._outcome.note(SCORED)
        self._outcome.documents.add(number, counts, truth=truth)

    def _evaluate(self, number: int, pair: Pair, into: CellCounts, tally: Tally) -> DocumentCounts | None:
        """Evaluate a pair that needs looking after: a side is missing, unreadable, rich, or of another shape, or a
        trial.

        Returns what it added to the tally, that of its trials or of all documents, or None where it was not compared.
        """
        outcome, plan = self._outcome, self._plan
        pair, form = _without_text(pair, self._settings)
        if form is not None:
            outcome.texts[form] = outcome.texts.get(form, 0) + 1
        for limit in _limits_met(pair):
            outcome.note_limit(limit)
        kind, reason = _kind(pair, self._settings)
        if kind not in COUNTED:
            self._excluded(number, Failure(pair.id, kind, reason, pair.trial))
            return None
        try:
            expected, predicted = (unwrap(side, plan.root, escaped=True) for side in _sides(pair, kind, self._settings))
            comparison = plan.compare(
                expected.document,
                predicted.document,
                alternates=pair.alternates,
                as_came={**expected.as_came, **predicted.as_came},
            )
            matrix = _matrix(comparison, self._settings) if into.aggregator is not None else None
        except ENDS_ALL:
            raise
        except Exception as error:  # noqa: BLE001  # a document never stops the others
            return self._not_compared(error, number, pair, into, tally)
        counts = tally.add(plan.root, comparison.result)
        if into.aggregator is not None:
            into.aggregator.update(matrix, doc_id=pair.id)
        truth = None
        if self.rows is not None:
            self.rows.add(number, plan.root, comparison.result, predicted.confidences)
            truth = truth_of(expected.document)
        if plan.errors.current and kind == SCORED:
            self._note_raised(number, pair, counts, truth)
            return counts
        outcome.note(kind)
        if kind != SCORED:
            outcome.failed[number] = Failure(pair.id, kind, reason, pair.trial)
        outcome.documents.add(number, counts, kind, reason or _FORMS[form], truth=truth)
        return counts

    def _excluded(self, number: int, failure: Failure) -> None:
        self._outcome.note(failure.kind)
        self._outcome.failed[number] = failure
        self._outcome.documents.add(number, None, failure.kind, failure.reason)

    def _note_raised(self, number: int, pair: Pair, counts: DocumentCounts, truth: bytes | None) -> None:
        reasons = [reason for reason, _ in self._plan.errors.take().values()]
        more = f"; {len(reasons) - 1} more fields" if len(reasons) > 1 else ""
        reason = f"{reasons[0]}{more}; the value counts as a mismatch"
        self._outcome.note(COMPARATOR_RAISED)
        self._outcome.failed[number] = Failure(pair.id, COMPARATOR_RAISED, reason, pair.trial)
        self._outcome.documents.add(number, counts, COMPARATOR_RAISED, reason, truth=truth)

    def _not_compared(
        self, error: Exception, number: int, pair: Pair, into: CellCounts, tally: Tally
    ) -> DocumentCounts | None:
        """Score a pair that raised as missed where its prediction is at fault; else it is a failure."""
        self._plan.errors.take()
        if _has_prediction(pair) and not isinstance(error, JudgeError):
            return self._evaluate(number, pair._replace(predicted=_unusable(error)), into, tally)
        self._excluded(number, Failure(pair.id, FAILED, described(error), pair.trial))
        return None


def _are_objects(pair: Pair) -> bool:
    return type(pair.expected) is dict and type(pair.predicted) is dict


def _limits_met(pair: Pair) -> set[str]:
    """Return the limits of reading that a document is over."""
    return {side.limit for side in (pair.expected, pair.predicted) if isinstance(side, Unreadable) and side.limit}


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


def _unusable(error: BaseException | None) -> Unreadable:
    return Unreadable(f"the prediction cannot be compared: {described(error)}; every expected value counts as missed")


def _has_prediction(pair: Pair) -> bool:
    return not isinstance(pair.predicted, Unreadable | Missing)
