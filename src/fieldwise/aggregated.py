"""Evaluation results that exist already, added up and reported like any evaluation."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from msgspec import structs

from fieldwise.bulk_aggregator import matrices_in
from fieldwise.counting.document_sums import UNIT, DocumentSums
from fieldwise.counting.interval_aggregator import IntervalAggregator
from fieldwise.evaluation.checkpoint import only_writer
from fieldwise.evaluation.folder import write_result
from fieldwise.evaluation.outcome import MAX_ERRORS
from fieldwise.files import write_whole
from fieldwise.readers.results import read_results
from fieldwise.readers.trees import Passed
from fieldwise.render.files import write_pages
from fieldwise.results import Counts, DocumentMean, DocumentMetrics, Failure, Metrics, Rate
from fieldwise.runs.report import MAX_DOCUMENTS, MAX_NON_MATCHES
from fieldwise.tables.documents import EXCLUDED_CLASS, NO_EXPECTED, SCORED
from fieldwise.values import Json
from fieldwise.version import __version__
from fieldwise.views.report import DocumentRow, EvaluationReport, NonMatchRow, build_report

_OUTCOMES: dict[str, Any] = {
    "false_discovery": "mismatch",
    "false_alarm": "spurious",
    "false_negative": "missed",
}


@dataclass
class AggregatedResults:
    """The sum of evaluation results; what could not be read is a record, never a number."""

    aggregator: IntervalAggregator = field(default_factory=IntervalAggregator)
    wholes: DocumentSums = field(default_factory=DocumentSums)
    """The overall scores of documents, and how many are without error."""
    failures: list[Failure] = field(default_factory=list)
    non_matches: list[NonMatchRow] = field(default_factory=list)
    non_match_total: int = 0
    worst: list[DocumentRow] = field(default_factory=list)
    fingerprints: set[str] = field(default_factory=set)
    passed: Passed = field(default_factory=Passed)
    """The files of folders that were not read."""
    statuses: Counter[str] = field(default_factory=Counter)
    """What became of documents, where their results say so."""

    def add(self, document: str, result: Json) -> None:
        """Add one result: a comparison, its matrix alone, or a results.json with sections."""
        self._status(document, result)
        counts = self.aggregator.add_document(matrices_in(result), document)
        if counts is not None and isinstance(result, dict):
            self._document(document, result, counts)
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
        return self.statuses[NO_EXPECTED] + self.statuses[EXCLUDED_CLASS]

    def _document(self, document: str, result: Mapping[str, Json], counts: Counts) -> None:
        self.wholes.documents += 1
        self.wholes.exact += not (counts.fd or counts.fa or counts.fn)
        fingerprint = result.get("spec_fingerprint", _inside(result, "scorer").get("spec_fingerprint"))
        if isinstance(fingerprint, str):
            self.fingerprints.add(fingerprint)
        score = result.get("overall_score", _inside(result, "overall_metrics").get("weighted_overall_score"))
        if isinstance(score, bool) or not isinstance(score, (int, float)) or not 0 <= score <= 1:
            return
        self.wholes.add_score(score)
        if score < 1:
            row = DocumentRow(
                document, float(score), tp=counts.tp, fd=counts.fd, fa=counts.fa, fn=counts.fn, tn=counts.tn
            )
            self.worst.append(row)
            if len(self.worst) > 2 * MAX_DOCUMENTS:
                self.worst = self._worst()

    def _worst(self) -> list[DocumentRow]:
        return sorted(self.worst, key=lambda row: (row.score, row.document))[:MAX_DOCUMENTS]

    def _wrong(self, document: str, result: Mapping[str, Json]) -> None:
        entries = result.get("non_matches")
        for entry in entries if isinstance(entries, list) else ():
            if isinstance(entry, dict) and isinstance(entry.get("field_path"), str):
                self.non_match_total += 1
                if len(self.non_matches) < MAX_NON_MATCHES:
                    self.non_matches.append(_non_match(document, entry))

    def metrics(self) -> Metrics:
        """Return what metrics.json holds."""
        summed, wholes = self.aggregator.metrics(), self.wholes
        errors = sorted([*self.failures, *summed.errors], key=lambda failure: (failure.doc_id or "", failure.error))
        documents = summed.document_count
        return structs.replace(
            summed,
            errors=tuple(errors[:MAX_ERRORS]),
            error_count=len(errors),
            documents=dict(sorted(self.statuses.items())),
            notes=tuple(filter(None, [self.passed.sentence(".json and .jsonl")])),
            document_metrics=DocumentMetrics(
                exact_documents=wholes.exact,
                exact_rate=Rate(wholes.exact / documents if documents else None),
                mean_overall_score=DocumentMean(wholes.score_sum / UNIT / wholes.scored if wholes.scored else None),
                score_histogram=tuple(wholes.histogram),
            ),
            spec_fingerprint=min(self.fingerprints) if len(self.fingerprints) == 1 else None,
            scorer_version=__version__,
        )

    def report(self, metrics: Metrics, title: str, facts: Mapping[str, str]) -> EvaluationReport:
        """Return what is shown of them, with what ``metrics`` gave."""
        return build_report(
            metrics,
            title=title,
            facts=facts,
            worst_documents=self._worst(),
            non_matches=(self.non_matches, self.non_match_total),
        )


def _inside(result: Mapping[str, Json], key: str) -> Mapping[str, Json]:
    held = result.get(key)
    return held if isinstance(held, dict) else {}


def _non_match(document: str, entry: Mapping[str, Json]) -> NonMatchRow:
    path = entry["field_path"]
    field_name = "".join(part.partition("]")[2] if k else part for k, part in enumerate(path.split("[")))
    outcome = _OUTCOMES.get(str(entry.get("non_match_type")), "mismatch")
    score = entry.get("similarity_score")
    return NonMatchRow(
        document,
        path,
        field_name,
        outcome,
        _shown(entry.get("ground_truth_value")),
        _shown(entry.get("prediction_value")),
        float(score) if isinstance(score, (int, float)) else 0.0,
    )


def _shown(value: Json) -> str | None:
    if value is None or isinstance(value, str):
        return value
    return json.dumps(value, ensure_ascii=False, default=str)


def add_up(paths: Sequence[str | Path]) -> AggregatedResults:
    """Read and add up every result in files, folders and patterns such as ``results/**/*.json``."""
    total = AggregatedResults()
    for result in read_results(paths, total.passed):
        if isinstance(result, Failure):
            total.failures.append(result)
        else:
            total.add(result.document, result.content)
    return total


def write_results(folder: Path, metrics: Metrics, report: EvaluationReport) -> None:
    """Write metrics.json, fields.csv, failures.jsonl and report.html."""
    folder.mkdir(parents=True, exist_ok=True)
    with only_writer(folder):
        lines = "".join(error.to_json() + "\n" for error in metrics.errors)
        write_whole(folder / "failures.jsonl", lines.encode())
        write_pages(folder, metrics.fields, report)
        write_result(folder / "metrics.json", metrics)
