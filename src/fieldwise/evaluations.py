"""Evaluating a set of documents from Python: pairs go in, a run comes out, with its report beside it."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass, replace
from pathlib import Path

from fieldwise.evaluation.checks import check_fields, check_names, check_partners, check_paths
from fieldwise.evaluation.folder import check_folder
from fieldwise.evaluation.run import SHARD_DOCUMENTS, Progress, run_evaluation
from fieldwise.evaluation.settings import Settings, Unmatched, closed_spec
from fieldwise.evaluation.sinks import FolderSink, MemorySink
from fieldwise.limits import MAX_WORK
from fieldwise.readers.pairs import PairLike, PairSource, as_source, without_ids
from fieldwise.report.build import build_report, facts_of, report_of_run
from fieldwise.report.content import EvaluationReport
from fieldwise.report.files import write_pages
from fieldwise.results import Metrics
from fieldwise.runs.run import open_run
from fieldwise.spec import Spec
from fieldwise.spec.nodes import SpecExtras, check_extras
from fieldwise.tables.documents import SCORED


@dataclass(frozen=True)
class Evaluation:
    """What an evaluation found: ``metrics`` as in metrics.json, ``report`` ready to be shown."""

    metrics: Metrics
    report: EvaluationReport
    spec: Spec
    folder: Path | None

    @property
    def troubled(self) -> int:
        """How many documents failed, or had no usable prediction."""
        kinds = self.metrics.documents
        return sum(count for kind, count in kinds.items() if kind not in (SCORED, "no_expected"))


def evaluate_pairs(
    source: PairSource | Iterable[PairLike],
    spec: Spec | None = None,
    *,
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
    A source is what `open_pairs` returns, or an iterable of ``(id, expected, predicted)`` or of dicts with these keys.
    An input in which no document has both sides, a spec that fits no document, and ``limited_fields`` that the spec
    does not have are refused before the first document.
    Ids by which documents were matched are no values, unless the spec declares them.
    ``out`` is a folder for metrics.json, fields.csv, verdicts.parquet, documents.parquet, counts.parquet,
    errors.parquet, failures.jsonl, spec.json and report.html; without it nothing is written. What an earlier
    evaluation left there is replaced with ``overwrite`` only, or continued with ``resume``. The numbers don't depend
    on workers, shards or interruptions.
    ``max_work`` is how many character cells comparing one document may take before cheaper ways are used, which the
    verdicts say.
    """
    source = as_source(source)
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
    described = source.describe()

    def report_on(metrics: Metrics) -> Evaluation:
        report = build_report(metrics, title=title, facts=facts_of(metrics, described))
        return Evaluation(metrics, report, spec, None)

    def complete(metrics: Metrics, results: Path) -> Evaluation:
        report = report_of_run(open_run(results), metrics, title=title, facts=facts_of(metrics, described))
        write_pages(results, metrics.fields, report)
        return Evaluation(metrics, report, spec, folder)

    return run_evaluation(
        source,
        settings,
        MemorySink(report_on) if folder is None else FolderSink(folder, complete, overwrite=overwrite),
        resume=resume,
        workers=workers,
        shard_documents=shard_documents,
        progress=progress,
    )
