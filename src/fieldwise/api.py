"""Evaluating a set of documents from Python: pairs go in, a run comes out, with its report beside it."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property, partial
from pathlib import Path
from typing import TYPE_CHECKING

from fieldwise.checks import checked_count
from fieldwise.errors import InputError, SettingError
from fieldwise.evaluation.checks import check_fields, check_names, check_partners, check_paths
from fieldwise.evaluation.folder import check_folder, is_unfinished
from fieldwise.evaluation.groups import check_class_key, check_keys
from fieldwise.evaluation.local import load_ahead
from fieldwise.evaluation.run import SHARD_DOCUMENTS, Progress, run_evaluation
from fieldwise.evaluation.settings import Settings, Unmatched, closed_spec, with_other_classes
from fieldwise.evaluation.sinks import FolderSink, MemorySink, Sink
from fieldwise.evaluation.work import Executor, never
from fieldwise.files import write_whole
from fieldwise.limits import MAX_CELLS
from fieldwise.readers.pairs import InMemory, PairSource, as_source, without_ids
from fieldwise.readers.temporary import Scratch
from fieldwise.render.files import write_fields
from fieldwise.render.notebook import to_html
from fieldwise.render.studio import studio_page
from fieldwise.render.text import to_text
from fieldwise.results import Metrics, PageAnswers
from fieldwise.results.statuses import LEFT_OUT, SCORED
from fieldwise.runs.folder_run import FolderRun, open_new_run, open_run
from fieldwise.runs.page import PAGE_ROWS, run_confidence, run_page
from fieldwise.runs.rows import Rows
from fieldwise.service import ResultFiles, check_new
from fieldwise.spec import Spec
from fieldwise.spec.nodes import OtherClasses, SpecExtras, Words
from fieldwise.tables.stored_documents import DocumentTable
from fieldwise.views.calibration import confidence_answers
from fieldwise.views.evaluation import facts_of, overview

if TYPE_CHECKING:  # optional, and slow to import
    import pandas as pd
    import pyarrow as pa


ROWS = "rows"
"""The folder of rows in a temporary one."""


@dataclass(frozen=True, repr=False)
class Evaluation:
    """What an evaluation found: ``metrics`` as in metrics.json, ``title`` as on its page."""

    metrics: Metrics
    title: str
    spec: Spec
    folder: Path | None
    kept: Scratch | None = None
    """A temporary folder with the rows, which goes with the evaluation."""

    @cached_property
    def run(self) -> FolderRun:
        """The run with its rows; an evaluation without ``out`` has them where ``rows`` were asked for."""
        folder = self.folder if self.kept is None else self.kept.file(ROWS)
        if folder is None:
            raise InputError(
                "An evaluation in memory keeps its metrics, and no rows",
                code="run.no_rows",
                advice="evaluate with rows=True, or into a folder, with out=…",
            )
        return open_run(folder)

    def to_arrow(self) -> pa.Table:
        """Return the fields, worst first, with their counts, rates and intervals."""
        return self.metrics.to_arrow()

    def to_pandas(self) -> pd.DataFrame:
        """Return the same as a data frame."""
        return self.metrics.to_pandas()

    def __repr__(self) -> str:
        return to_text(overview(self.metrics, self.title))

    def _repr_html_(self) -> str:
        return to_html(overview(self.metrics, self.title))

    def documents(self) -> DocumentTable:
        """Return what became of each document."""
        return self.run.documents()

    def errors(self, field: str, *, outcome: str | None = "wrong", first: int | None = None) -> pa.Table:
        """Return the wrong values of a field; with ``outcome="match"`` the matches that are not identical."""
        return self.run.errors(field, outcome=outcome, first=first)

    def verdicts(self, *, field: str | None = None, document: str | None = None) -> Rows:
        """Return compared values: all, or those of a field or of a document."""
        return self.run.verdicts(field=field, document=document)

    @property
    def troubled(self) -> int:
        """How many documents failed, or had no usable prediction."""
        kinds = self.metrics.documents
        return sum(count for kind, count in kinds.items() if kind not in (SCORED, *LEFT_OUT))


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
    absent: Words | None = None,
    values: bool = True,
    resume: bool = False,
    overwrite: bool = False,
    limited_fields: Collection[str] = (),
    shard_documents: int = SHARD_DOCUMENTS,
    progress: Progress | None = None,
    title: str | None = None,
    max_cells: int = MAX_CELLS,
    other_classes: OtherClasses | None = None,
    slices: Sequence[str] = (),
    cluster_by: str | None = None,
    rows: bool = False,
    results_json: str | Path | None = None,
    page_rows: int = PAGE_ROWS,
    executor: Executor | None = None,
    sink: Sink | None = None,
    should_stop: Callable[[], bool] = never,
) -> Evaluation:
    """Evaluate every pair of a source; what the spec leaves open, or all of it, is inferred from expected documents.

    ``match_threshold`` is that of lists of objects for which none is declared. ``extras`` says how predicted keys that
    no field declares count, in place of what the spec says: ``"leaves"``, each value as spurious unless expected
    documents have the key, or ``"ignore"``; or ``"infer"``: what expected documents have there is compared as inferred.
    ``absent`` are texts that stand for no value, in place of those of the spec: a list, or a text with commas; an empty
    one for none.
    A source is what `open_pairs` returns, or whatever it takes: paths, pairs or documents in memory, data frames. Where
    expected and predicted documents are apart, the second ones are ``predicted``; ``id_column`` names the key or column
    by which they are matched. These are keywords because the second argument has always been the spec.
    An input in which no document has both sides, a spec that fits no document, and ``limited_fields`` that the spec
    does not have are refused before the first document.
    Ids by which documents were matched are no values, unless the spec declares them.
    ``out`` is a folder for metrics.json, fields.csv, failures.jsonl, spec.json, report.html, and tables in parts of
    documents, pairs, errors, counts, scores and confidences, which manifest.json names; without it nothing is written.
    What an earlier evaluation left there is replaced with ``overwrite`` only, or continued with ``resume``. The numbers
    don't depend on workers, shards or interruptions. Without ``values`` no compared value is kept: neither the pairs
    nor the values of errors.
    ``title`` is what the report is called, by default after its inputs; ``page_rows`` is how many errors it holds,
    shared over fields and outcomes by lost points, and how many matches that are not identical.
    With ``rows`` an evaluation without ``out`` has its rows all the same, in a temporary folder that lasts as long as
    what is returned.
    ``results_json`` is a new folder for results.json and report.md of every document, in a folder named by its id.
    A spec may have specs of classes: the class of an expected document, or of each of its sections, decides by which it
    is compared. ``other_classes`` says, in place of the spec, what becomes of classes that it does not have:
    ``"infer"``, they are compared as inferred, or ``"exclude"``, they are not scored.
    ``max_cells`` is how many pairs of list rows one document may take before lists are paired in blocks, which a note
    says.
    ``slices`` are keys of the documents' metadata, by whose values documents are counted apart as well; ``cluster_by``
    is a key of the metadata, or of expected documents, that those have in common which belong together: counts are
    summed by it before any uncertainty. Both may be paths such as ``source.vendor``.
    ``executor`` evaluates the shards in place of ``workers``; a ``sink`` takes them in place of ``out``.
    ``should_stop`` is asked between shards: where it returns True, the evaluation ends with `CancelledError`.
    """
    _check_spec(spec)
    _check_sink(sink, out=out, rows=rows, results_json=results_json)
    load_ahead(workers)
    title = title or named_after(source, predicted)
    source = as_source(source, predicted, id_column)
    kept = Scratch() if rows and out is None else None
    folder = Path(out) if out is not None else None if kept is None else kept.file(ROWS)
    if folder is not None:
        check_folder(folder, source, overwrite=overwrite, resume=resume)
    _check_source(source)
    spec = spec if other_classes is None else with_other_classes(spec, other_classes)
    source, spec, wrapped = _closed(source, spec, match_threshold=match_threshold, extras=extras, absent=absent)
    keys = tuple(dict.fromkeys([slices] if isinstance(slices, str) else slices))
    check_keys(source, keys, cluster_by)
    has_rows = folder is not None or (sink is not None and sink.is_durable)
    settings = Settings(
        spec, unmatched, has_rows, values, wrapped, source.rules.limits, max_cells, slices=keys, cluster_by=cluster_by
    )
    check_names(limited_fields, settings.plan, "limited_fields")
    checked_count("page_rows", page_rows, low=0)
    facts = partial(facts_of, described=source.describe())
    continues = resume and folder is not None and is_unfinished(folder)
    with _results_of(results_json, settings, folder, overwrite=overwrite, continues=continues) as files:
        into, complete = sink or MemorySink(files), None
        if folder is not None:
            into = FolderSink(folder, overwrite=overwrite, documents=files)
            complete = partial(_write_page, into, settings, title, facts, page_rows) if kept is None else None
        metrics = run_evaluation(
            source,
            settings,
            into,
            resume=resume,
            workers=workers,
            executor=executor,
            shard_documents=shard_documents,
            progress=progress,
            should_stop=should_stop,
            complete=complete,
        )
    return Evaluation(metrics, title, spec, None if kept is not None else folder, kept)


def _check_spec(spec: object) -> None:
    if not (spec is None or isinstance(spec, Spec)):
        raise SettingError(
            f"Expected a Spec as the second argument, got a {type(spec).__name__}",
            facts={"setting": "spec", "got": type(spec).__name__},
            advice="give predicted documents as predicted=…, and a schema as Spec.from_json_schema(…), "
            "a class as Spec.from_model(…)",
        )


def _check_sink(sink: Sink | None, **others: object) -> None:
    """Refuse a sink beside another place for results: it says itself where they go."""
    name = next((name for name, value in others.items() if value), None)
    if sink is not None and name is not None:
        raise SettingError(
            f"Expected a sink or {name}, got both; a sink says itself where results go",
            code="setting.conflict",
            facts={"setting": "sink", "other": name},
        )


def _check_source(source: PairSource) -> None:
    """Refuse an input of which nothing can be compared."""
    check_partners(source)
    check_paths(source)
    check_class_key(source)


def _closed(
    source: PairSource,
    declared: Spec | None,
    *,
    match_threshold: float | None,
    extras: SpecExtras | None,
    absent: Words | None,
) -> tuple[PairSource, Spec, bool]:
    """Return the source without ids, the spec closed by it, and whether its documents are no objects."""
    spec, wrapped = closed_spec(source, declared, match_threshold=match_threshold, extras=extras, absent=absent)
    source = without_ids(source, spec.root.fields)
    if declared is not None and not spec.classes:
        check_fields(source, spec)
    return source, spec, wrapped


@contextmanager
def _results_of(
    place: str | Path | None, settings: Settings, folder: Path | None, *, overwrite: bool, continues: bool
) -> Iterator[ResultFiles | None]:
    """Give the files of documents in a new folder, or in that of an evaluation that goes on; what cannot go on leaves
    none behind.
    """
    if place is None:
        yield None
        return
    files = ResultFiles(check_new(place, overwrite=overwrite or continues).absolute(), settings)
    if not continues:
        files.clear()
    try:
        yield files
    except BaseException:
        if folder is None or not is_unfinished(folder):
            files.clear()
        raise


def _write_page(
    sink: FolderSink,
    settings: Settings,
    title: str,
    facts: Callable[[Metrics], dict[str, str]],
    page_rows: int,
    metrics: Metrics,
) -> None:
    """Add fields.csv and report.html to a run that is closed."""
    write_fields(sink.results, metrics)
    run = open_new_run(*sink.new_run)
    answers = _answers(run, settings, title=title, facts=facts(metrics), page_rows=page_rows)
    write_whole(sink.results / "report.html", studio_page(answers).encode())


def _answers(run: FolderRun, settings: Settings, *, title: str, facts: dict[str, str], page_rows: int) -> PageAnswers:
    """Return what the page of a run holds."""
    plans = {name: settings.plan_of(name) for name in settings.spec.classes}
    page = run_page(run, settings.plan, page_rows=page_rows, class_plans=plans)
    calibration = run_confidence(run)
    return PageAnswers(title, facts, page, confidence=None if calibration is None else confidence_answers(calibration))


def named_after(*inputs: object) -> str:
    """Return a title from the names of the inputs, predictions first; folders above them are nobody's business.

    >>> named_after("data/expected", "data/predicted"), named_after("pairs.jsonl", None), named_after({})
    ('predicted against expected', 'pairs.jsonl', 'Evaluation')
    """
    names = [Path(given).name for given in inputs if isinstance(given, str | Path) and str(given) != "-"]
    if len(names) > 2:
        return f"{names[0]} and {len(names) - 1} more"
    return " against ".join(reversed(names)) or "Evaluation"
