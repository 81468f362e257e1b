"""Evaluating one shard: read its pairs, compare each, count, keep rows. The loop that everything runs.

A document that raises never stops the others. Where it is compared, that is noticed at once. Where it is counted or
written, sums and rows may hold a part of it: then every document of the shard is tried alone, and the shard is
evaluated again with those at fault recorded as such. So the usual way needs no guard around every step.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterable, Iterator, Sequence
from contextlib import AbstractContextManager

from fieldwise.compare.own_comparators import described
from fieldwise.counting.cells import CellCounts
from fieldwise.counting.tally import DocumentCounts, Tally
from fieldwise.errors import ENDS_ALL
from fieldwise.evaluation.compared import (
    FORMS,
    Faulty,
    compare,
    has_prediction,
    limits_met,
    matrix_of,
    status_of,
    unusable,
    without_text,
)
from fieldwise.evaluation.flat import NumberedPair, flat_pairs
from fieldwise.evaluation.outcome import Failure, ShardOutcome
from fieldwise.evaluation.sectioned import SectionedDocuments, adding_to
from fieldwise.evaluation.settings import Settings
from fieldwise.readers.pairs import Pair, Shard, Unreadable
from fieldwise.tables.derived import derive
from fieldwise.tables.documents import COMPARATOR_RAISED, COUNTED, FAILED, SCORED, truth_of
from fieldwise.tables.verdicts import VerdictRows
from fieldwise.tables.worst import worst_rows


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
    missed = unusable(error)
    without = pair._replace(predicted=missed)
    if has_prediction(pair) and _raised_alone(without, settings, keep_rows=keep_rows) is None:
        yield "predicted", missed
    else:
        yield "expected", Faulty(described(error))


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
        if work.in_blocks:
            outcome.note_blocks(work.noted(), pair.id)
        if is_first and settings.plan.has_own_comparators:  # of a later one only those before it can tell
            errors.refuse()
    outcome.starts = errors.starts
    if keep_rows:
        _make_tables(outcome, general.rows, settings)
    return outcome


def _make_tables(outcome: ShardOutcome, rows: VerdictRows | None, settings: Settings) -> None:
    documents = outcome.documents
    outcome.document_table = documents.to_table(settings.slices)
    if rows is not None:
        table = rows.to_table(documents.ids, documents.trials, documents.classes())
        outcome.verdict_table, outcome.derived = table.rows, derive(table)
        outcome.worst_table = worst_rows(table, outcome.document_table)


class _General:
    """Evaluates one pair after the other, whatever they are."""

    def __init__(self, settings: Settings, outcome: ShardOutcome, rows: VerdictRows | None) -> None:
        self._settings, self._plan = settings, settings.plan
        self._outcome, self.rows = outcome, rows
        self._sectioned = SectionedDocuments(settings, outcome, rows)
        self._is_plain = settings.unmatched == "leaves" and not settings.wrapped and not settings.excludes_classes

    def evaluate(self, number: int, pair: Pair) -> None:
        """Evaluate the pair of a document with one trial."""
        if pair.sections is not None and not isinstance(pair.expected, Unreadable):
            self._sectioned.evaluate(number, pair)
            return
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
            counted = [self._evaluate_trial(number, pair, counts, tally) for number, pair in trials]
            found = [trial for trial in counted if trial is not None]
            if found:
                counts.tally.add_trials(tally, found)

    def _evaluate_trial(self, number: int, pair: Pair, into: CellCounts, tally: Tally) -> DocumentCounts | None:
        if pair.sections is not None and not isinstance(pair.expected, Unreadable):
            return self._sectioned.evaluate_trial(number, pair, into, tally)
        return self._evaluate(number, pair, into, tally)

    def _counts_of(self, number: int, pair: Pair) -> AbstractContextManager[CellCounts]:
        cells, group = self._outcome.cells, self._outcome.documents.group(number)
        return adding_to(cells, cells.of(group.cell), group.cluster_of(pair.id))

    def _evaluate_objects(self, number: int, pair: Pair, into: CellCounts) -> None:
        """Evaluate a pair of objects of which there is nothing more to say."""
        root = self._settings.plan_of(pair.document_class).root
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
        outcome, plan = self._outcome, self._settings.plan_of(pair.document_class)
        pair, form = without_text(pair, self._settings)
        if form is not None:
            outcome.texts[form] = outcome.texts.get(form, 0) + 1
        for limit in limits_met(pair):
            outcome.note_limit(limit)
        kind, reason = status_of(pair, self._settings)
        if kind not in COUNTED:
            self._excluded(number, Failure(pair.id, kind, reason, pair.trial))
            return None
        try:
            comparison, expected, sure = compare(plan, pair, kind, self._settings, outcome)
            matrix = matrix_of(comparison, self._settings) if into.aggregator is not None else None
        except ENDS_ALL:
            raise
        except Exception as error:  # noqa: BLE001  # a document never stops the others
            return self._not_compared(error, number, pair, into, tally)
        counts = tally.add(plan.root, comparison.result)
        if into.aggregator is not None:
            into.aggregator.update(matrix, doc_id=pair.id)
        truth = None
        if self.rows is not None:
            self.rows.add(number, plan.root, comparison.result, sure)
            truth = truth_of(expected)
        if plan.errors.current and kind == SCORED:
            self._note_raised(number, pair, counts, truth)
            return counts
        outcome.note(kind)
        if kind != SCORED:
            outcome.failed[number] = Failure(pair.id, kind, reason, pair.trial)
        outcome.documents.add(number, counts, kind, reason or FORMS[form], truth=truth)
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
        if has_prediction(pair):
            return self._evaluate(number, pair._replace(predicted=unusable(error)), into, tally)
        self._excluded(number, Failure(pair.id, FAILED, described(error), pair.trial))
        return None


def _are_objects(pair: Pair) -> bool:
    return type(pair.expected) is dict and type(pair.predicted) is dict
