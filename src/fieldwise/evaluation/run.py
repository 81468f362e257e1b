"""Running an evaluation: every pair of a source compared, shard after shard, into a sink."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict
from typing import TypeVar

from msgspec import structs

from fieldwise.compare import Plan
from fieldwise.compare.leaves import LeafPlan
from fieldwise.compare.lists import ListPlan
from fieldwise.compare.objects import ObjectPlan
from fieldwise.counting.metrics import evaluation_metrics
from fieldwise.errors import ComparatorError
from fieldwise.evaluation.local import run_shards
from fieldwise.evaluation.notes import input_notes, match_note, notes_on, text_note, work_note
from fieldwise.evaluation.settings import Settings
from fieldwise.evaluation.sinks import RunDescription, Sink
from fieldwise.evaluation.sums import Sums
from fieldwise.readers.pairs import PairSource
from fieldwise.results import ErrorKindCounts, Failure, LimitsMet, Metrics
from fieldwise.results.metrics import Scope
from fieldwise.tables.documents import COUNTED, SCORED
from fieldwise.tables.mistakes import kind_sums
from fieldwise.version import __version__

SHARD_DOCUMENTS = 5000
Progress = Callable[[int, int], None]
"""Called with the units done in all, and how many of them an earlier run had done."""
Closed = TypeVar("Closed")


def run_evaluation(
    source: PairSource,
    settings: Settings,
    sink: Sink[Closed],
    *,
    resume: bool = False,
    workers: int = 1,
    shard_documents: int = SHARD_DOCUMENTS,
    progress: Progress | None = None,
) -> Closed:
    """Evaluate every pair of a source and return what the sink makes of it.

    The numbers don't depend on workers, shards or interruptions. A sink that asks to stop ends this with
    `CancelledError` when the shards in hand are committed; the same call with ``resume`` continues.
    """
    remarks = tuple(input_notes(source))
    discard = False
    try:
        finished = sink.begin(RunDescription(source, settings, shard_documents), resume=resume)
        sums = Sums.empty(objects=settings.unmatched == "objects")
        units = earlier = 0
        for done in run_shards(source.shards(shard_documents), settings, sink, finished, workers=workers):
            sums.merge(done.sums)
            sink.join(done.index)
            units += done.size
            earlier += 0 if done.fresh else done.size
            if progress:
                progress(units, earlier)
        return sink.close(sums, metrics_of(sums, settings, remarks))
    except ComparatorError:
        discard = True
        raise
    finally:
        sink.release(discard=discard)


def metrics_of(sums: Sums, settings: Settings, remarks: Sequence[str]) -> Metrics:
    """Return what metrics.json holds. No clock time, no path: the same input gives the same bytes."""
    kinds = sums.kinds
    by_objects = None if sums.aggregator is None else sums.aggregator.metrics()
    counted = evaluation_metrics(sums.tally, by_objects, row_scopes(settings.plan))
    total = counted.aggregate
    notes = [
        *notes_on(total.row_rejected, total.written_differently, total.similar),
        match_note(kinds, sums.errors, sums.tally.wholes.more_trials),
        text_note(sums.texts),
        work_note(sums.limits_met, settings.max_work),
    ]
    return structs.replace(
        counted,
        errors=tuple([Failure(e.document, e.reason, e.kind, e.trial) for e in sums.errors]),
        error_count=sum(count for kind, count in kinds.items() if kind != SCORED),
        skipped_count=sum(count for kind, count in kinds.items() if kind not in COUNTED),
        documents=dict(sorted(kinds.items())),
        error_kinds=ErrorKindCounts(**kind_sums(sums.error_kinds)) if settings.verdicts else None,
        unmatched=settings.unmatched,
        extras=settings.extras,
        limits=LimitsMet(
            **asdict(settings.reading), max_work=settings.max_work, met=dict(sorted(sums.limits_met.items()))
        ),
        spec_fingerprint=settings.fingerprint,
        scorer_version=__version__,
        notes=(*map(str, settings.spec_of().notes), *remarks, *filter(None, notes)),
    )


def row_scopes(plan: Plan) -> dict[str, Scope]:
    """Return what the row of each path counts, where that is not the values of a field."""
    scopes: dict[str, Scope] = {}
    for node in plan.fields():
        if isinstance(node, ListPlan) and not isinstance(node.item, LeafPlan):
            scopes[node.path] = "rows"
        elif isinstance(node, ObjectPlan) and node.path:
            scopes[node.path] = "object"
    return scopes
