"""Evaluating a set of documents: from a source of pairs to metrics, rows and a report."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from contextlib import closing, contextmanager, suppress
from dataclasses import asdict, dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from msgspec import structs

from fieldwise.compare import Plan
from fieldwise.compare.leaves import LeafPlan
from fieldwise.compare.lists import ListPlan
from fieldwise.compare.objects import ObjectPlan
from fieldwise.compare.rich_values import unwrap
from fieldwise.counting.metrics import evaluation_metrics
from fieldwise.errors import ComparatorError, InputError, SettingError
from fieldwise.evaluation.checkpoint import WorkFolder, only_writer
from fieldwise.evaluation.checks import (
    check_contents,
    check_fields,
    check_folder,
    check_names,
    check_partners,
    check_paths,
    input_notes,
    match_note,
    text_note,
    work_note,
)
from fieldwise.evaluation.local import Done, run_shards
from fieldwise.evaluation.outputs import Tables, publish, write_fields, write_json, write_result
from fieldwise.evaluation.settings import Settings, Unmatched
from fieldwise.evaluation.summary import Summary
from fieldwise.files import write_whole
from fieldwise.limits import MAX_WORK
from fieldwise.readers.inside import paths_of
from fieldwise.readers.pairs import InMemory, PairSource, as_source, without_ids
from fieldwise.readers.peek import first_reason
from fieldwise.report.build import build_report, non_matches_in, notes_on, worst_documents_in
from fieldwise.report.content import EvaluationReport
from fieldwise.report.html import html_report
from fieldwise.results import ErrorKindCounts, Failure, LimitsMet, Metrics
from fieldwise.results.metrics import Scope
from fieldwise.runs.overview import overview_html, overview_text
from fieldwise.runs.rows import Rows
from fieldwise.runs.run import FolderRun, open_run
from fieldwise.spec import Spec
from fieldwise.spec.inference import SAMPLE_SIZE
from fieldwise.spec.nodes import SpecExtras, check_extras
from fieldwise.tables.documents import COUNTED, SCORED
from fieldwise.tables.mistakes import kind_sums
from fieldwise.tables.stored_documents import DocumentTable
from fieldwise.values import Json
from fieldwise.version import __version__

if TYPE_CHECKING:  # optional, and slow to import
    import pandas as pd
    import pyarrow as pa

SHARD_DOCUMENTS = 5000
WRAPPER = "document"
"""The name under which documents that are no objects are compared."""
Progress = Callable[[int, int], None]
"""Called with the units done in all, and how many of them an earlier run had done."""


@dataclass(frozen=True, repr=False)
class Evaluation:
    """What an evaluation found: ``metrics`` as in metrics.json, ``report`` ready to be shown."""

    metrics: Metrics
    report: EvaluationReport
    spec: Spec
    folder: Path | None

    @cached_property
    def run(self) -> FolderRun:
        """The run in the folder, with the rows; an evaluation without ``out`` keeps none."""
        if self.folder is None:
            raise InputError(
                "An evaluation in memory keeps its metrics, and no rows",
                code="run.no_rows",
                advice="evaluate into a folder, with out=…",
            )
        return open_run(self.folder)

    def to_arrow(self) -> pa.Table:
        """Return the fields, worst first, with their counts, rates and intervals."""
        return self.metrics.to_arrow()

    def to_pandas(self) -> pd.DataFrame:
        """Return the same as a data frame."""
        return self.metrics.to_pandas()

    def __repr__(self) -> str:
        return overview_text(self.metrics, self.report.title)

    def _repr_html_(self) -> str:
        return overview_html(self.metrics, self.report.title)

    def documents(self) -> DocumentTable:
        """Return what became of each document."""
        return self.run.documents()

    def errors(self, field: str, *, outcome: str | None = None, first: int | None = None) -> pa.Table:
        """Return the wrong values of a field, and matches that are not identical."""
        return self.run.errors(field, outcome=outcome, first=first)

    def verdicts(self, *, field: str | None = None, document: str | None = None) -> Rows:
        """Return compared values: all, or those of a field or of a document."""
        return self.run.verdicts(field=field, document=document)

    @property
    def troubled(self) -> int:
        """How many documents failed, or had no usable prediction."""
        kinds = self.metrics.documents
        return sum(count for kind, count in kinds.items() if kind not in (SCORED, "no_expected"))


def closed_spec(
    source: PairSource, spec: Spec | None = None, *, match_threshold: float | None = None
) -> tuple[Spec, bool]:
    """Return the spec by which a source is evaluated: what is declared, the rest closed by the expected documents with
    the first ids; True where documents are no objects.
    """
    if spec is not None:
        return _closed(spec.well_formed(), source, match_threshold)
    sample = [unwrap(document).document for document in without_ids(source).sample(SAMPLE_SIZE)]
    if not sample:
        why = first_reason(source, "expected")
        raise InputError(
            f"Nothing to infer a spec from: {source.describe()} has no expected document that can be read"
            + f"; {why}" * bool(why),
            code="spec.nothing_to_infer",
            facts={"file": source.describe()},
        )
    wrapped = not any(isinstance(document, dict) for document in sample)
    sample = [{WRAPPER: document} for document in sample] if wrapped else sample
    return replace(Spec.infer(sample, match_threshold=match_threshold), outside=frozenset()), wrapped


def _closed(spec: Spec, source: PairSource, match_threshold: float | None) -> tuple[Spec, bool]:
    """Return the spec without open settings, and with the undeclared paths of expected documents, which count nowhere.

    A spec that lists such paths already, as spec.json of an earlier evaluation does, keeps them.
    """
    plan = Plan.compile(spec)
    held = without_ids(source, spec.root.fields).sample(SAMPLE_SIZE)
    wrapped = list(spec.root.fields) == [WRAPPER] and bool(held) and not any(isinstance(d, dict) for d in held)
    sample = [unwrap({WRAPPER: d} if wrapped else d, plan.root).document for d in held]
    outside = plan.undeclared_paths(sample) if spec.outside is None else spec.outside
    return replace(spec.closed(sample, match_threshold=match_threshold), outside=outside), wrapped


def evaluate_pairs(
    source: PairSource | str | Path | InMemory,
    spec: Spec | None = None,
    *,
    predicted: str | Path | InMemory | None = None,
    id_column: str | None = None,
    out: str | Path | None = None,
    workers: int = 1,
    unmatched: Unmatched = "leaves",
    match_threshold: float | None = None,
    extras: SpecExtras | None = None,
    verdicts: bool = True,
    resume: bool = False,
    overwrite: bool = False,
    limited_fields: Collection[str] = (),
    shard_documents: int = SHARD_DOCUMENTS,
    progress: Progress | None = None,
    title: str = "Evaluation",
    max_work: int = MAX_WORK,
) -> Evaluation:
    """Evaluate every pair of a source; what the spec leaves open, or all of it, is inferred from expected documents.

    ``match_threshold`` is that of lists of objects for which none is declared. ``extras`` says how predicted keys that
    no field declares count, in place of what the spec says: ``"leaves"``, each value as spurious unless expected
    documents have the key, or ``"ignore"``.
    A source is what `open_pairs` returns, or whatever it takes: paths, pairs or documents in memory, data frames. Where
    expected and predicted documents are apart, the second ones are ``predicted``; ``id_column`` names the key or column
    by which they are matched. These are keywords because the second argument has always been the spec.
    An input in which no document has both sides, a spec that fits no document, and ``limited_fields`` that the spec
    does not have are refused before the first document.
    Ids by which documents were matched are no values, unless the spec declares them.
    ``out`` is a folder for metrics.json, fields.csv, verdicts.parquet, documents.parquet, counts.parquet,
    errors.parquet, scores.parquet, failures.jsonl, spec.json and report.html; without it nothing is written. What an
    earlier evaluation left there is replaced with ``overwrite`` only, or continued with ``resume``. The numbers don't
    depend on workers, shards or interruptions.
    ``max_work`` is how many character cells comparing one document may take before cheaper ways are used, which the
    verdicts say.
    """
    if not (spec is None or isinstance(spec, Spec)):
        raise SettingError(
            f"Expected a Spec as the second argument, got a {type(spec).__name__}",
            facts={"setting": "spec", "got": type(spec).__name__},
            advice="give predicted documents as predicted=…, and make a Spec of a schema or class by Spec.from_…",
        )
    source = as_source(source, predicted, id_column)
    folder = Path(out) if out is not None else None
    if folder is not None:
        check_folder(folder, source, overwrite=overwrite, resume=resume)
    check_partners(source)
    check_paths(source)
    is_declared = spec is not None
    spec, wrapped = closed_spec(source, spec, match_threshold=match_threshold)
    if extras is not None:
        spec = replace(spec, extras=check_extras(extras, ""))
    source = without_ids(source, spec.root.fields)
    if is_declared:
        check_fields(source, spec)
    settings = Settings(spec, unmatched, verdicts and out is not None, wrapped, source.rules.limits, max_work)
    check_names(limited_fields, settings.plan, "limited_fields")
    run = _Run(source, settings, title, tuple(input_notes(source)))
    if folder is None:
        summary = run.shards(None, workers, shard_documents, progress)
        metrics = run.metrics(summary)
        return Evaluation(metrics, run.report(metrics, summary), spec, None)
    is_new = not folder.exists()
    try:
        with _writing_to(folder):
            check_contents(folder, overwrite=overwrite, resume=resume)
            return run.into_folder(folder, workers, shard_documents, progress, resume=resume)
    except ComparatorError:
        if is_new:
            with suppress(OSError):
                folder.rmdir()
        raise


@contextmanager
def _writing_to(folder: Path) -> Iterator[None]:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(
            f"Cannot write to {folder}: {error.strerror or error}", code="output.not_writable", facts={"file": folder}
        ) from error
    with only_writer(folder):
        yield


@dataclass(frozen=True)
class _Run:
    source: PairSource
    settings: Settings
    title: str
    notes: tuple[str, ...] = ()

    def into_folder(
        self, folder: Path, workers: int, shard_documents: int, progress: Progress | None, *, resume: bool
    ) -> Evaluation:
        work = WorkFolder.begin(folder, self._described(shard_documents), resume=resume)
        try:
            summary = self.shards(work, workers, shard_documents, progress)
        except ComparatorError:
            work.remove()  # nothing in it is worth resuming
            raise
        metrics, spec = self.metrics(summary), self.settings.plan.spec
        report = self.report(metrics, summary, work.results)
        write_json(work.results / "spec.json", spec.to_json_schema())
        write_fields(work.results / "fields.csv", metrics.fields, [row.path for row in report.fields])
        write_whole(work.results / "report.html", html_report(report).encode("utf-8", "backslashreplace"))
        write_result(work.results / "metrics.json", metrics)
        publish(work, folder)
        work.remove()
        return Evaluation(metrics, report, spec, folder)

    def _described(self, shard_documents: int) -> dict[str, Json]:
        return {
            **self.settings.to_json(),
            **paths_of(self.source),
            "input": self.source.fingerprint(),
            "shard_documents": shard_documents,
            "scorer_version": __version__,
        }

    def shards(self, work: WorkFolder | None, workers: int, shard_documents: int, progress: Progress | None) -> Summary:
        if work is None:
            return self._merged(None, None, workers, shard_documents, progress)
        with closing(Tables(work, self.settings.verdicts)) as tables:
            return self._merged(work, tables, workers, shard_documents, progress)

    def _merged(
        self,
        work: WorkFolder | None,
        tables: Tables | None,
        workers: int,
        shard_documents: int,
        progress: Progress | None,
    ) -> Summary:
        summary = Summary.empty(objects=self.settings.unmatched == "objects")
        units = earlier = 0
        done: Done
        for done in run_shards(self.source.shards(shard_documents), self.settings, work, workers=workers):
            summary.merge(done.summary)
            if tables:
                tables.append(done.index)
            units += done.size
            earlier += 0 if done.fresh else done.size
            if progress:
                progress(units, earlier)
        if tables:
            tables.finish()
        return summary

    def metrics(self, summary: Summary) -> Metrics:
        """Return what metrics.json holds. No clock time, no path: the same input gives the same bytes."""
        settings, kinds = self.settings, summary.kinds
        by_objects = None if summary.aggregator is None else summary.aggregator.metrics()
        counted = evaluation_metrics(summary.tally, by_objects, row_scopes(settings.plan))
        total = counted.aggregate
        notes = [
            *notes_on(total.row_rejected, total.written_differently, total.similar),
            match_note(kinds, summary.errors, summary.tally.wholes.more_trials),
            text_note(summary.texts),
            work_note(summary.limits_met, settings.max_work),
        ]
        return structs.replace(
            counted,
            errors=tuple([Failure(e.document, e.reason, e.kind, e.trial) for e in summary.errors]),
            error_count=sum(count for kind, count in kinds.items() if kind != SCORED),
            skipped_count=sum(count for kind, count in kinds.items() if kind not in COUNTED),
            documents=dict(sorted(kinds.items())),
            error_kinds=ErrorKindCounts(**kind_sums(summary.error_kinds)) if settings.verdicts else None,
            unmatched=settings.unmatched,
            extras=settings.extras,
            limits=LimitsMet(
                **asdict(settings.reading), max_work=settings.max_work, met=dict(sorted(summary.limits_met.items()))
            ),
            spec_fingerprint=settings.fingerprint,
            scorer_version=__version__,
            notes=(*map(str, settings.spec.notes), *self.notes, *filter(None, notes)),
        )

    def report(self, metrics: Metrics, summary: Summary, tables: Path | None = None) -> EvaluationReport:
        facts = {
            "input": self.source.describe(),
            "spec fingerprint": self.settings.fingerprint,
            "fieldwise": __version__,
            "values of unpaired rows": _MODES[self.settings.unmatched],
            "values under undeclared keys": _EXTRAS[self.settings.extras],
        }
        if metrics.notes:
            facts["notes"] = " ".join(metrics.notes)
        if tables is None:
            return build_report(metrics, title=self.title, facts=facts)
        wrong = {path: fd + fa + fn for path, (_, fd, fa, fn, _) in summary.tally.leaves.items()}
        shown = non_matches_in(tables / "verdicts.parquet", wrong) if self.settings.verdicts else []
        return build_report(
            metrics,
            title=self.title,
            facts=facts,
            worst_documents=worst_documents_in(tables / "documents.parquet"),
            non_matches=(shown, sum(wrong.values())),
        )


_MODES: dict[Literal["leaves", "objects"], str] = {
    "leaves": "counted one by one (unmatched=leaves)",
    "objects": "counted as rows only (unmatched=objects)",
}

_EXTRAS: dict[SpecExtras, str] = {
    "leaves": "spurious, unless expected documents have the key (extras=leaves)",
    "ignore": "not counted (extras=ignore)",
}


def row_scopes(plan: Plan) -> dict[str, Scope]:
    """Return what the row of each path counts, where that is not the values of a field."""
    scopes: dict[str, Scope] = {}
    for node in plan.fields():
        if isinstance(node, ListPlan) and not isinstance(node.item, LeafPlan):
            scopes[node.path] = "rows"
        elif isinstance(node, ObjectPlan) and node.path:
            scopes[node.path] = "object"
    return scopes
