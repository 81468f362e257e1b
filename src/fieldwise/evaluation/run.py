"""Running an evaluation: every pair of a source compared, shard after shard, into a sink."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import asdict
from itertools import chain
from typing import Any

from msgspec import structs

from fieldwise.classify.counts import CountTable
from fieldwise.classify.scores import ClassCounts, ClassParts, UnitCounts, confusion_matrix, count_classes
from fieldwise.compare import Plan
from fieldwise.compare.wholes import kind_of
from fieldwise.counting.cells import CellCounts, Cells
from fieldwise.counting.metrics import SCOPES
from fieldwise.errors import ComparatorError, SliceError
from fieldwise.evaluation.local import LocalExecutor
from fieldwise.evaluation.notes import (
    absent_notes,
    block_notes,
    class_notes,
    cluster_notes,
    count_notes,
    excluded_notes,
    id_notes,
    input_notes,
    lone_notes,
    match_notes,
    misfit_notes,
    section_notes,
    text_notes,
    undeclared_notes,
)
from fieldwise.evaluation.outcome import ClassificationFault, SectionCounts
from fieldwise.evaluation.settings import Settings
from fieldwise.evaluation.sinks import RunDescription, Sink
from fieldwise.evaluation.sums import Sums
from fieldwise.evaluation.work import Executor, Work, never, saying_what_is_kept, shared_ledgers
from fieldwise.readers.pairs import PairSource
from fieldwise.results import Confusion, ErrorKindCounts, Failure, GroupMetrics, LimitsMet, Metrics, SliceMetrics
from fieldwise.results.metrics import Scope
from fieldwise.results.notes import Note
from fieldwise.results.rates import Unit
from fieldwise.results.sections import ClassificationError, SectionClass, SectionMetrics, SplitMetrics
from fieldwise.results.statuses import COUNTED, EXCLUDED_CLASS, SCORED
from fieldwise.stats.intervals import ratio_interval
from fieldwise.tables.mistakes import kind_sums
from fieldwise.version import __version__

SHARD_DOCUMENTS = 5000
NO_SECTION = "(no section)"
"""What the matrix of classes calls a side that has no such section."""
Progress = Callable[[int, int], None]
"""Called with the units done in all, and how many of them an earlier run had done."""


def run_evaluation(
    source: PairSource,
    settings: Settings,
    sink: Sink,
    *,
    resume: bool = False,
    workers: int = 1,
    executor: Executor | None = None,
    shard_documents: int = SHARD_DOCUMENTS,
    progress: Progress | None = None,
    should_stop: Callable[[], bool] = never,
    complete: Callable[[Metrics], object] | None = None,
) -> Metrics:
    """Evaluate every pair of a source into a sink and return the metrics: begin a run, work on its shards, close it.

    ``executor`` evaluates the shards; without one they are evaluated on this machine, by as many ``workers``. The
    numbers don't depend on executors, workers, shards or interruptions. Where ``should_stop``, asked between shards,
    says so, this ends with `CancelledError` when the shards in hand are committed; the same call with ``resume``
    continues. ``complete`` is called when the run is closed, before anybody sees it: what it adds is part of it.
    """
    description, remarks, discard = RunDescription(source, settings, shard_documents), tuple(input_notes(source)), False
    try:
        sink.begin(description, resume=resume)
        sums = work_on(description, sink, executor or LocalExecutor(workers), progress, should_stop)
        metrics = metrics_of(sums, settings, remarks)
        sink.close(metrics)
        if complete is not None:
            complete(metrics)
        sink.publish()
        return metrics
    except (ComparatorError, SliceError):
        discard = True
        raise
    finally:
        sink.release(discard=discard)


def work_on(
    description: RunDescription,
    sink: Sink,
    executor: Executor,
    progress: Progress | None = None,
    should_stop: Callable[[], bool] = never,
) -> Sums:
    """Evaluate and commit every shard of a run that was begun; return the sums of all of them."""
    source, settings = description.source, description.settings
    sums, units, earlier = Sums.empty(settings.new_cells()), 0, 0
    with saying_what_is_kept(sink), shared_ledgers(settings, sink, is_here=executor.is_here) as ledgers:
        work = Work(settings, sink, ledgers, should_stop)
        for done in executor.run(source.shards(description.shard_documents), work):
            sums.merge(done.sums)
            sink.join(done.index)
            units += done.size
            earlier += 0 if done.fresh else done.size
            if progress:
                progress(units, earlier)
    return sums


def metrics_of(sums: Sums, settings: Settings, remarks: Iterable[Note]) -> Metrics:
    """Return what metrics.json holds. No clock time, no path: the same input gives the same bytes."""
    kinds, whole = sums.kinds, sums.cells.whole()
    scopes = declared_scopes(settings.plan, *map(settings.plan_of, settings.spec.classes))
    counted = whole.metrics(scopes)
    total = counted.aggregate
    words = settings.spec.absent_words
    notes = chain(
        misfit_notes(whole.tally.misfits, scopes),
        absent_notes(whole.tally.absent_texts, words),
        lone_notes(whole.tally.lone_texts, words, total.tp + total.fd + total.fa + total.fn),
        undeclared_notes(counted.fields),
        count_notes(total.row_rejected, total.written_differently, total.similar, has_rows=settings.rows),
        match_notes(kinds, sums.errors, whole.tally.wholes.more_trials),
        id_notes(sums.errors),
        text_notes(sums.texts),
        block_notes(sums.in_blocks, settings.max_cells),
        section_notes(sums.sections),
        excluded_notes(sums.sections.statuses.get("excluded", 0), kinds.get(EXCLUDED_CLASS, 0)),
        class_notes(sums.cells),
        cluster_notes(whole, settings.cluster_by),
    )
    return structs.replace(
        counted,
        errors=tuple([Failure(e.document, e.reason, e.kind, e.trial) for e in sums.errors]),
        error_count=sum(count for kind, count in kinds.items() if kind != SCORED),
        skipped_count=sum(count for kind, count in kinds.items() if kind not in COUNTED),
        documents=dict(sorted(kinds.items())),
        error_kinds=ErrorKindCounts(**kind_sums(sums.error_kinds)) if settings.rows else None,
        classes=_by_class(sums.cells, settings),
        sections=_sections(sums.sections, "documents" if settings.cluster_by is None else "clusters"),
        slices={key: _by_slice(sums.cells, key, scopes) for key in settings.slices} or None,
        cluster_by=settings.cluster_by,
        cluster_count=None if whole.clusters is None else len(whole.clusters),
        unmatched=settings.unmatched,
        extras=settings.extras,
        limits=LimitsMet(
            **asdict(settings.reading), max_cells=settings.max_cells, met=dict(sorted(sums.limits_met.items()))
        ),
        spec_fingerprint=settings.fingerprint,
        scorer_version=__version__,
        notes=(*settings.spec_of().notes, *remarks, *notes),
    )


def _by_class(cells: Cells, settings: Settings) -> dict[str, GroupMetrics] | None:
    """Return the metrics of each class; those of all documents together say the rest."""
    found = {name: counts for name, counts in cells.by_class().items() if name is not None}
    return {name: _of_group(counts, declared_scopes(settings.plan_of(name))) for name, counts in found.items()} or None


def _sections(counts: SectionCounts, unit: Unit) -> SectionMetrics | None:
    """Return what is said of sections; None where no document has any."""
    if not counts.statuses:
        return None
    faults = [ClassificationError(*fault[:2], **_said(fault)) for fault in counts.faults]
    table = counts.classes
    parts = UnitCounts.of(table, "labels").class_parts()
    return SectionMetrics(
        **counts.statuses,
        classification_errors=tuple(faults),
        splitting=SplitMetrics.of(counts.splits) if counts.splits else None,
        classes=tuple(_section_class(one, parts[one.key], unit) for one in count_classes(table, "labels")),
        confusion=_confusion(table),
        without_class=counts.remarks.get("without_class", 0),
    )


def _section_class(counts: ClassCounts, parts: ClassParts, unit: Unit) -> SectionClass:
    precision, recall, f1 = (structs.replace(ratio_interval(one), unit=unit) for one in parts)
    right = counts.both
    return SectionClass(
        counts.key[1], precision, recall, f1, tp=right, fp=counts.predicted - right, fn=counts.support - right
    )


def _confusion(table: CountTable) -> Confusion | None:
    """Return how often which class met which, with a last place for no section where some have no partner."""
    if not table.cells:
        return None
    made, none = confusion_matrix(table), NO_SECTION
    if not made.has_missing:
        return made
    names = made.labels[:-1]
    while none in names:  # a class may be called so
        none = f"({none})"
    return structs.replace(made, labels=(*names, none))


def _said(fault: ClassificationFault) -> dict[str, Any]:
    held = fault._asdict()
    pages = {name: held[name] and tuple(held[name]) for name in ("expected_pages", "predicted_pages")}
    return {name: held[name] for name in ("kind", "expected_class", "predicted_class")} | pages


def _by_slice(cells: Cells, key: str, scopes: Mapping[str, Collection[Scope]]) -> SliceMetrics:
    found = {value: _of_group(counts, scopes) for value, counts in cells.by_slice(key).items()}
    missing = found.pop(None, None)
    return SliceMetrics({value: group for value, group in found.items() if value is not None}, missing)


def _of_group(counts: CellCounts, scopes: Mapping[str, Collection[Scope]]) -> GroupMetrics:
    made = counts.metrics(scopes)
    return GroupMetrics(made.fields, made.aggregate, made.document_count, made.document_metrics)


def declared_scopes(*plans: Plan) -> dict[str, set[Scope]]:
    """Return what each path is declared as by the plans: values, an object, a list of rows, or several of these."""
    scopes: dict[str, set[Scope]] = {}
    for node in (node for plan in plans for node in plan.fields() if node.path):
        kind = kind_of(node) or "values"
        scopes.setdefault(node.path, set()).update({SCOPES[kind], "values"} if kind == "grid" else {SCOPES[kind]})
    return scopes
