"""Evaluating one shard: read its pairs, compare each, count, keep rows. The loop that everything runs."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from fieldwise.bulk.interval_aggregator import IntervalAggregator
from fieldwise.bulk.tally import DocumentCounts, Tally
from fieldwise.comparators.work import Count
from fieldwise.compare.comparison import Comparison
from fieldwise.compare.objects import ObjectPlan
from fieldwise.compare.own_comparators import RaisedErrors, Start
from fieldwise.compare.results import MATCH, MISMATCH, LeafResult
from fieldwise.compare.rich_values import unwrap
from fieldwise.compare.undeclared import UndeclaredKeys
from fieldwise.errors import BudgetError, ComparatorError
from fieldwise.readers.fences import may_hold_json, read_text
from fieldwise.readers.pairs import MISSING, Conflicting, Pair, Shard, Unreadable
from fieldwise.readers.source import FromText, TextForm
from fieldwise.readers.trials import times
from fieldwise.runner.settings import Settings
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
)
from fieldwise.tables.verdicts import VerdictRows
from fieldwise.values import Json

MOST_ERRORS = 1000
"""So many failures are kept in metrics; all of them stand in failures.jsonl."""


class Failure(NamedTuple):
    """A document, or one trial of it, with something to tell, and what."""

    document: str
    kind: str
    reason: str
    trial: int = 1


@dataclass
class ShardOutcome:
    """Everything that one shard adds. Sums, and lists in the order of the documents."""

    tally: Tally = field(default_factory=Tally)
    aggregator: IntervalAggregator | None = None
    kinds: dict[str, int] = field(default_factory=dict)
    failures: list[Failure] = field(default_factory=list)
    documents: DocumentRows = field(default_factory=DocumentRows)
    rows: VerdictRows = field(default_factory=VerdictRows)
    texts: dict[str, int] = field(default_factory=dict)
    """How many predictions were read from text, by its form."""
    starts: dict[str, Start] = field(default_factory=dict)
    """How the first values went of fields with comparators that are not built in."""
    limits_met: dict[str, int] = field(default_factory=dict)
    """How many documents met each limit."""

    def note(self, kind: str) -> None:
        """Count a document of a kind."""
        self.kinds[kind] = self.kinds.get(kind, 0) + 1


def evaluate_shard(shard: Shard, settings: Settings, *, keep_rows: bool) -> ShardOutcome:
    """Evaluate every pair of a shard; no pair stops the others, only a wrong setting or a spent budget does."""
    outcome = ShardOutcome(aggregator=IntervalAggregator() if settings.unmatched == "objects" else None)
    rows = outcome.rows if settings.verdicts and keep_rows else None
    errors, own, work = settings.plan.errors, settings.plan.has_own_comparators, settings.plan.work.now
    errors.begin()
    work.noted()
    count = _counting(settings.plan.root, outcome.tally, rows)
    quick = settings.unmatched == "leaves" and not settings.wrapped
    keep, scored = outcome.documents.add, 0
    trials: list[Pair] = []
    for pair in shard.read():
        document, expected, predicted, rich, alternates, _, _, of = pair
        if of > 1:
            trials.append(pair)
            if len(trials) == of:
                _trials(trials, settings, outcome, rows)
                trials = []
        elif quick and not rich and alternates is None and type(expected) is dict and type(predicted) is dict:
            try:
                counts = count(document, expected, predicted)
            except _NotComparedError as error:
                _failed(outcome, pair, error)
                errors.take()
                work.begin()
                continue
            if own and errors.current:
                _note_raised(outcome, pair, counts, errors)
            else:
                scored += 1
                if keep_rows:
                    keep(document, counts)
        else:
            _slow(pair, settings, outcome, rows, outcome.tally)
        if work.spent:
            _note_work(outcome, work)
        if own and shard.index == 0:  # of a later one only those before it can tell, see `Summary.merge`
            errors.refuse()
    outcome.starts = errors.starts
    if scored:
        outcome.kinds[SCORED] = outcome.kinds.get(SCORED, 0) + scored
    return outcome


def _note_work(outcome: ShardOutcome, work: Count) -> None:
    """Count a document of which something was compared in a cheaper way, and begin the next one."""
    if work.noted():
        outcome.limits_met["max_work"] = outcome.limits_met.get("max_work", 0) + 1
    work.begin()


def _trials(trials: Sequence[Pair], settings: Settings, outcome: ShardOutcome, rows: VerdictRows | None) -> None:
    """Evaluate the trials of one document, which is counted once, with the sums of those that could be compared."""
    tally = Tally()
    counted = [_slow(pair, settings, outcome, rows, tally) for pair in trials]
    counts = [trial for trial in counted if trial is not None]
    if counts:
        outcome.tally.add_trials(tally, counts)


class _NotComparedError(Exception):
    """Two documents could not be compared; the cause says why."""


_ENDS_ALL = (ComparatorError, BudgetError)
"""What concerns all documents, not only the one at which it was seen."""


_Object = dict[str, Json]


def _counting(
    root: ObjectPlan, tally: Tally, rows: VerdictRows | None
) -> Callable[[str, _Object, _Object], DocumentCounts]:
    """Return what compares two objects, counts them and keeps their rows; objects of leaves only need less."""
    size = len(root.names)

    def count(document: str, expected: _Object, predicted: _Object) -> DocumentCounts:
        try:
            result = root.pair(expected, predicted)
        except _ENDS_ALL:
            raise
        except Exception as error:
            raise _NotComparedError from error
        counts = tally.add(root, result)
        if rows is not None:
            rows.add(document, root, result)
        return counts

    def count_flat(document: str, expected: _Object, predicted: _Object) -> DocumentCounts:
        try:
            differing = root.differing(expected, predicted)
        except _ENDS_ALL:
            raise
        except Exception as error:
            raise _NotComparedError from error
        if not (len(expected) == len(predicted) == size and _are_there(differing)):
            keys = UndeclaredKeys(root, expected, root.extras or "leaves")
            if not keys.leaves_out_all(predicted):
                return count(document, expected, predicted)
            tally.add_outside(keys)
        counts = tally.add_flat(root, differing)
        if rows is not None:
            rows.add_flat(document, root, (expected, predicted), differing)
        return counts

    return count_flat if root.is_flat else count


def _are_there(differing: Sequence[tuple[int, LeafResult]]) -> bool:
    """Tell whether both sides have a value in each of these leaves.

    Where that is so, documents with as many keys as there are fields have no undeclared ones.
    """
    for _, leaf in differing:  # noqa: SIM110  # all() of a generator is slower
        if leaf[0] is not MISMATCH and leaf[0] is not MATCH:
            return False
    return True


def _slow(
    pair: Pair, settings: Settings, outcome: ShardOutcome, rows: VerdictRows | None, tally: Tally
) -> DocumentCounts | None:
    """Evaluate a pair that needs looking after: a side is missing, unreadable, rich, or of another shape, or a trial.

    Returns what it added to the tally, or None where it was not compared.
    """
    pair, form = _without_text(pair, settings)
    if form is not None:
        outcome.texts[form] = outcome.texts.get(form, 0) + 1
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
    except _ENDS_ALL:
        raise
    except Exception as error:  # noqa: BLE001  # a document never stops the others
        _failed(outcome, pair, error)
        plan.errors.take()
        return None
    counts = tally.add(plan.root, comparison.result)
    if outcome.aggregator is not None:
        outcome.aggregator.update(matrix, doc_id=pair.id)
    if rows is not None:
        rows.add(pair.id, plan.root, comparison.result, predicted.confidences, trial=pair.trial)
    if plan.errors.current and kind == SCORED:
        _note_raised(outcome, pair, counts, plan.errors)
        return counts
    outcome.note(kind)
    if kind != SCORED:
        outcome.failures.append(Failure(pair.id, kind, reason, pair.trial))
    outcome.documents.add(pair.id, counts, kind, reason or _FORMS[form], trial=pair.trial)
    return counts


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
        return FAILED if isinstance(pair.expected, Conflicting) else UNREADABLE_EXPECTED, pair.expected.reason
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
        predicted = read_text(predicted)
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


def _note_raised(outcome: ShardOutcome, pair: Pair, counts: DocumentCounts, errors: RaisedErrors) -> None:
    reasons = [reason for reason, _ in errors.take().values()]
    more = f"; {len(reasons) - 1} more fields" if len(reasons) > 1 else ""
    reason = f"{reasons[0]}{more}; the value counts as a mismatch"
    outcome.note(COMPARATOR_RAISED)
    outcome.failures.append(Failure(pair.id, COMPARATOR_RAISED, reason, pair.trial))
    outcome.documents.add(pair.id, counts, COMPARATOR_RAISED, reason, trial=pair.trial)


def _failed(outcome: ShardOutcome, pair: Pair, error: BaseException) -> None:
    cause = error.__cause__ if isinstance(error, _NotComparedError) and error.__cause__ else error
    _excluded(outcome, Failure(pair.id, FAILED, f"{type(cause).__name__}: {cause}", pair.trial))
