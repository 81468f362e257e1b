"""Evaluation results that exist already, added up and reported like any evaluation."""

from __future__ import annotations

import json
import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from msgspec import structs

from fieldwise.bulk_aggregator import matrices_in
from fieldwise.counting.interval_aggregator import DocumentReading, IntervalAggregator
from fieldwise.counting.metrics import document_metrics
from fieldwise.counting.sums import UNIT, DocumentSums
from fieldwise.errors import InputError
from fieldwise.evaluation.checkpoint import only_writer
from fieldwise.evaluation.outcome import MAX_ERRORS
from fieldwise.files import write_whole
from fieldwise.readers.results import read_results
from fieldwise.readers.trees import Passed
from fieldwise.render.files import write_fields
from fieldwise.render.studio import studio_page
from fieldwise.results import (
    DocumentMean,
    DocumentMetrics,
    Failure,
    FieldMetrics,
    Metrics,
    PageAnswers,
    PageDocument,
    PageValue,
    RunPage,
)
from fieldwise.results.document_result import FORMAT
from fieldwise.results.metrics import UNKNOWN_MEAN, GroupMetrics, path_of
from fieldwise.results.notes import Note
from fieldwise.results.statuses import LEFT_OUT, SCORED
from fieldwise.runs.page import MAX_DOCUMENTS, PAGE_ROWS
from fieldwise.spec import parent_of
from fieldwise.values import Json
from fieldwise.version import __version__
from fieldwise.views.numbers import counted

_MAX_CHARACTERS = 1_000
_OUTCOMES: dict[str, Literal["mismatch", "spurious", "missed"]] = {
    "false_discovery": "mismatch",
    "false_alarm": "spurious",
    "false_negative": "missed",
}


@dataclass
class _Rules:
    """By what results say that they were made; results without a word of it are under None."""

    fingerprints: Counter[str | None] = field(default_factory=Counter)
    modes: Counter[str | None] = field(default_factory=Counter)
    formats: Counter[str] = field(default_factory=Counter)

    def add(self, result: Mapping[str, Json]) -> None:
        """Note what one result says."""
        self.fingerprints[_text(result.get("spec_fingerprint", _inside(result, "scorer").get("spec_fingerprint")))] += 1
        sections = result.get("section_results")
        for section in sections if isinstance(sections, list) else ():
            if isinstance(section, dict):
                self.modes[_text(_inside(section, "metrics").get("unmatched"))] += 1
        made_as = _text(result.get("format"))
        if made_as is not None and made_as != FORMAT and "section_results" in result:
            self.formats[made_as] += 1

    @property
    def fingerprint(self) -> str | None:
        """The spec of all results; None where they have several, or some have none."""
        return next(iter(self.fingerprints)) if len(self.fingerprints) == 1 else None

    @property
    def unmatched(self) -> Literal["leaves", "objects"]:
        """How the rows of unpaired list items are counted, where all results say the same."""
        return "objects" if list(self.modes) == ["objects"] else "leaves"

    def notes(self) -> Iterator[Note]:
        """Yield that results don't go together, or may not be read rightly."""
        if len(self.fingerprints) > 1:
            without = self.fingerprints[None]
            yield Note.of("results.several_specs", specs=len(self.fingerprints) - bool(without), without=without)
        if len(self.modes) > 1:
            yield Note.of("results.mixed_counts")
        if self.formats:
            yield Note.of("results.unknown_formats", count=self.formats.total(), formats=sorted(self.formats))


@dataclass
class _Trials:
    """The results of one document that follow each other: of its sections, or of its trials."""

    is_exact: dict[int, bool] = field(default_factory=dict)
    weighted: dict[int, list[float]] = field(default_factory=dict)
    overall: dict[int, list[float]] = field(default_factory=dict)

    def add(self, trial: int, reading: DocumentReading, name: str, score: float | None) -> None:
        """Add one result with its score and the name of that; what is of one trial is of different sections."""
        self.is_exact[trial] = self.is_exact.get(trial, True) and reading.is_exact
        if score is not None:
            (self.weighted if name == "weighted_score" else self.overall).setdefault(trial, []).append(score)

    def add_to(self, by_values: DocumentSums, overall: DocumentSums) -> None:
        """Add the document to what is known of all: of values by themselves, and of overall scores."""
        if self.is_exact:
            counts = [(0, 0, 0, int(not right)) for right in self.is_exact.values()]
            by_values.add_trials(counts, _means(self.weighted))
            if self.overall:
                overall.add_trials(counts, _means(self.overall))


def _means(scores: Mapping[int, list[float]]) -> list[float]:
    return [math.fsum(held) / len(held) for held in scores.values()]


def _score(result: Mapping[str, Json]) -> tuple[str, float | None]:
    """Return the score that a result states, with its name: that of its values, else its overall score."""
    rates = _inside(result, "overall_metrics")
    for name, held in (("weighted_score", rates), ("overall_score", result), ("weighted_overall_score", rates)):
        if name in held:
            score = held[name]
            is_score = isinstance(score, (int, float)) and not isinstance(score, bool) and 0 <= score <= 1
            return name, float(score) if is_score else None
    return "", None


@dataclass
class AggregatedResults:
    """The sum of evaluation results; what could not be read is a record, never a number."""

    aggregator: IntervalAggregator = field(default_factory=IntervalAggregator)
    by_values: DocumentSums = field(default_factory=DocumentSums)
    """What results say of documents as wholes; the last document is still open."""
    overall: DocumentSums = field(default_factory=DocumentSums)
    """The same of those that state an overall score."""
    last: tuple[str, _Trials] = field(default_factory=lambda: ("", _Trials()))
    """The last document with its results, to which the next one may belong."""
    failures: list[Failure] = field(default_factory=list)
    errors: list[PageValue] = field(default_factory=list)
    """The first values that results say are wrong."""
    worst: list[PageDocument] = field(default_factory=list)
    """Documents with something wrong."""
    rules: _Rules = field(default_factory=_Rules)
    passed: Passed = field(default_factory=Passed)
    """The files of folders that were not read."""
    statuses: Counter[str] = field(default_factory=Counter)
    """What became of documents, where their results say so."""

    def add(self, document: str, result: Json) -> None:
        """Add one result: a comparison, its matrix alone, or a results.json with sections."""
        if not result:
            said = f"Expected an evaluation result, got {json.dumps(result)}"
            self.failures.append(Failure(document, said, "unreadable"))
            return
        self._status(document, result)
        reading = self.aggregator.add_document(matrices_in(result), document)
        if reading is not None and isinstance(result, dict):
            self._document(document, result, reading)
            self._wrong(document, result)

    def _status(self, document: str, result: Json) -> None:
        """Note what became of a document, and why where there is something to know of it."""
        status = result.get("status") if isinstance(result, dict) and "section_results" in result else None
        if isinstance(status, str):
            self.statuses[status] += 1
            if status != SCORED:
                self.failures.append(Failure(document, str(result.get("reason") or status), status))

    @property
    def left_out(self) -> int:
        """How many documents nobody wanted to be scored."""
        return sum(self.statuses[status] for status in LEFT_OUT)

    def _document(self, document: str, result: Mapping[str, Json], reading: DocumentReading) -> None:
        counts = reading.counts
        self.rules.add(result)
        name, score = _score(result)
        trial = result.get("trial")
        if self.last[0] != document:
            self._end(document)
        self.last[1].add(trial if type(trial) is int else 1, reading, name, score)
        if not reading.is_exact if score is None else score < 1:
            sums = {name: getattr(counts, name) for name in ("tp", "fd", "fa", "fn", "tn")}
            self.worst.append(PageDocument(document, score, **sums))
            if len(self.worst) > 2 * MAX_DOCUMENTS:
                self.worst = self._worst()

    def _end(self, following: str = "") -> None:
        """End the last document."""
        self.last[1].add_to(self.by_values, self.overall)
        self.last = following, _Trials()

    def _worst(self) -> list[PageDocument]:
        return sorted(self.worst, key=_badness)[:MAX_DOCUMENTS]

    def _wrong(self, document: str, result: Mapping[str, Json]) -> None:
        entries = result.get("non_matches")
        for entry in entries if isinstance(entries, list) else ():
            if len(self.errors) < PAGE_ROWS and isinstance(entry, dict) and isinstance(entry.get("field_path"), str):
                self.errors.append(_error(document, entry))

    def metrics(self) -> Metrics:
        """Return what metrics.json holds."""
        self._end()
        summed, more_trials = self.aggregator.metrics(), self.by_values.more_trials
        errors = sorted([*self.failures, *summed.errors], key=lambda failure: (failure.doc_id or "", failure.error))
        return structs.replace(
            summed,
            fields=_scoped(summed.fields),
            classes=summed.classes and {name: _scoped_group(group) for name, group in summed.classes.items()},
            errors=tuple(errors[:MAX_ERRORS]),
            error_count=len(errors),
            documents=dict(sorted(self.statuses.items())),
            notes=(*self.passed.notes(".json", ".jsonl"), *self.rules.notes()),
            trial_count=summed.document_count + more_trials if more_trials else None,
            unmatched=self.rules.unmatched,
            document_metrics=_of_documents(self.by_values, self.overall),
            spec_fingerprint=self.rules.fingerprint,
            scorer_version=__version__,
        )

    def page(self, metrics: Metrics) -> RunPage:
        """Return what their page holds: all sums, documents with something wrong, and values that results list."""
        return RunPage(
            metrics,
            documents=tuple(self._worst()),
            document_total=metrics.document_count,
            errors=tuple(self.errors),
            has_rows=bool(self.errors),
            counts_only=True,
        )


def _of_documents(by_values: DocumentSums, overall: DocumentSums) -> DocumentMetrics:
    """Return what is known of documents as wholes: not the strict F1 of each, for which rows may stand for values."""
    made = document_metrics(by_values)
    histogram = [a + b for a, b in zip(made.score_histogram, overall.histogram, strict=True)]
    mean = DocumentMean(overall.score_sum / UNIT / overall.scored) if overall.scored else None
    return structs.replace(
        made, macro_strict_f1=UNKNOWN_MEAN, mean_overall_score=mean, score_histogram=tuple(histogram)
    )


def _scoped(fields: Mapping[str, FieldMetrics]) -> dict[str, FieldMetrics]:
    """Say which rows are above others where a result made elsewhere did not: they are called objects."""
    above = {parent_of(path_of(key)) for key in fields}
    while higher := {parent_of(path) for path in above} - above:
        above |= higher
    return {
        key: structs.replace(row, scope="object") if row.scope == "values" and key in above else row
        for key, row in fields.items()
    }


def _scoped_group(group: GroupMetrics) -> GroupMetrics:
    return structs.replace(group, fields=_scoped(group.fields))


def _inside(result: Mapping[str, Json], key: str) -> Mapping[str, Json]:
    held = result.get(key)
    return held if isinstance(held, dict) else {}


def _text(value: Json) -> str | None:
    return value if isinstance(value, str) else None


def _badness(row: PageDocument) -> tuple[bool, float, int, str]:
    return row.score is None, row.score or 0.0, -row.fd - row.fa - row.fn, row.document


def _error(document: str, entry: Mapping[str, Json]) -> PageValue:
    path = entry["field_path"]
    field_name = "".join(part.partition("]")[2] if k else part for k, part in enumerate(path.split("[")))
    score: Json = entry.get("similarity_score")
    is_score = isinstance(score, (int, float)) and not isinstance(score, bool) and 0 <= score <= 1
    return PageValue(
        document,
        field_name,
        _OUTCOMES.get(str(entry.get("non_match_type")), "mismatch"),
        path=path,
        expected=_shown(entry.get("ground_truth_value")),
        predicted=_shown(entry.get("prediction_value")),
        raw_score=round(float(score), 4) if is_score else 0.0,
    )


def _shown(value: Json) -> str | None:
    """Return a value as text, as much as a page shows of it."""
    text = value if value is None or isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)
    return None if text is None else text[:_MAX_CHARACTERS]


def add_up(paths: Sequence[str | Path]) -> AggregatedResults:
    """Read and add up every result in files, folders and patterns such as ``results/**/*.json``."""
    total = AggregatedResults()
    for result in read_results(paths, total.passed):
        if isinstance(result, Failure):
            total.failures.append(result)
        else:
            total.add(result.document, result.content)
    _refuse_nothing(total)
    return total


def _refuse_nothing(total: AggregatedResults) -> None:
    """Refuse files of which none is a result, such as documents in place of what comparing them gave."""
    if total.by_values.documents or total.statuses:
        return
    metrics = total.metrics()
    if metrics.document_count or metrics.skipped_count or not metrics.errors:
        return
    first = metrics.errors[0]
    raise InputError(
        f"None of {counted(metrics.error_count, 'result')} can be added up, the first is {first.doc_id}: {first.error}",
        code="input.no_results",
        facts={"results": metrics.error_count},
        advice="a result is what comparing a document gave; documents themselves are evaluated",
    )


def write_results(folder: Path, metrics: Metrics, answers: PageAnswers) -> None:
    """Write metrics.json, fields.csv, failures.jsonl and report.html."""
    folder.mkdir(parents=True, exist_ok=True)
    with only_writer(folder):
        lines = "".join(error.to_json() + "\n" for error in metrics.errors)
        write_whole(folder / "failures.jsonl", lines.encode())
        write_fields(folder, metrics)
        write_whole(folder / "report.html", studio_page(answers).encode("utf-8", "backslashreplace"))
        write_whole(folder / "metrics.json", (metrics.to_json(indent=1) + "\n").encode())
