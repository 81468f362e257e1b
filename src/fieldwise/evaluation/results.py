"""Evaluation results that exist already: read them from files, add them up, and report them like any evaluation."""

from __future__ import annotations

import glob
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from msgspec import structs

from fieldwise.bulk_aggregator import BulkEvaluationAggregator, matrices_in
from fieldwise.counting.document_sums import STEPS, UNIT
from fieldwise.counting.interval_aggregator import IntervalAggregator
from fieldwise.errors import InputError, SettingError
from fieldwise.evaluation.checkpoint import only_writer
from fieldwise.evaluation.outcome import MOST_ERRORS
from fieldwise.evaluation.outputs import write_fields, write_result
from fieldwise.files import write_whole
from fieldwise.readers.json_text import parse_json, read_json
from fieldwise.readers.trees import Passed
from fieldwise.report.build import MOST_NON_MATCHES, build_report
from fieldwise.report.content import DocumentRow, EvaluationReport, NonMatchRow
from fieldwise.report.html import html_report
from fieldwise.results import DocumentMean, DocumentMetrics, Failure, Metrics, Rate
from fieldwise.values import Json
from fieldwise.version import __version__

_OUTCOMES: dict[str, Any] = {
    "false_discovery": "mismatch",
    "false_alarm": "spurious",
    "false_negative": "missed",
}
_COUNTS = ("tp", "fd", "fa", "fn", "tn")
MOST_DOCUMENTS = 100


@dataclass
class ExistingResults:
    """The sum of evaluation results; what could not be read is a record, never a number."""

    aggregator: IntervalAggregator = field(default_factory=IntervalAggregator)
    failures: list[Failure] = field(default_factory=list)
    non_matches: list[NonMatchRow] = field(default_factory=list)
    non_match_total: int = 0
    worst: list[DocumentRow] = field(default_factory=list)
    histogram: list[int] = field(default_factory=lambda: [0] * STEPS)
    scored: int = 0
    score_sum: int = 0
    exact: int = 0
    fingerprints: set[str] = field(default_factory=set)
    passed: Passed = field(default_factory=Passed)
    """The files of folders that were not read."""

    def add(self, document: str, result: Json) -> None:
        """Add one result: a comparison, its matrix alone, or a results.json with sections."""
        matrices = list(matrices_in(result))
        for matrix, group in matrices:
            self.aggregator.update(matrix, doc_id=document, group=group)
        alone = BulkEvaluationAggregator()
        for matrix, group in matrices:
            alone.update(matrix, doc_id=document, group=group)
        computed = alone.compute()
        if isinstance(result, dict) and computed["document_count"]:
            self._document(document, result, [computed["aggregate"][key] for key in _COUNTS])
            self._wrong(document, result)

    def _document(self, document: str, result: Mapping[str, Any], counts: Sequence[int]) -> None:
        self.exact += not (counts[1] or counts[2] or counts[3])
        if isinstance(result.get("spec_fingerprint"), str):
            self.fingerprints.add(result["spec_fingerprint"])
        score = result.get("overall_score")
        if isinstance(score, bool) or not isinstance(score, (int, float)) or not 0 <= score <= 1:
            return
        self.scored += 1
        self.score_sum += round(score * UNIT)
        self.histogram[min(int(score * STEPS), STEPS - 1)] += 1
        if score < 1:
            tp, fd, fa, fn, tn = counts
            self.worst.append(DocumentRow(document, float(score), tp, fd, fa, fn, tn))
            if len(self.worst) > 2 * MOST_DOCUMENTS:
                self.worst = self._worst()

    def _worst(self) -> list[DocumentRow]:
        return sorted(self.worst, key=lambda row: (row.score, row.document))[:MOST_DOCUMENTS]

    def _wrong(self, document: str, result: Mapping[str, Any]) -> None:
        entries = result.get("non_matches")
        for entry in entries if isinstance(entries, list) else ():
            if isinstance(entry, dict) and isinstance(entry.get("field_path"), str):
                self.non_match_total += 1
                if len(self.non_matches) < MOST_NON_MATCHES:
                    self.non_matches.append(_non_match(document, entry))

    def metrics(self) -> Metrics:
        """Return what metrics.json holds."""
        summed = self.aggregator.metrics()
        malformed = [Failure(e["doc_id"], e["error"], "malformed") for e in self.aggregator.compute()["errors"]]
        errors = sorted([*self.failures, *malformed], key=lambda failure: (failure.doc_id or "", failure.error))
        documents = summed.document_count
        return structs.replace(
            summed,
            errors=tuple(errors[:MOST_ERRORS]),
            error_count=len(errors),
            notes=tuple(filter(None, [self.passed.sentence(".json and .jsonl")])),
            document_metrics=DocumentMetrics(
                exact_documents=self.exact,
                exact_rate=Rate(self.exact / documents if documents else None),
                mean_overall_score=DocumentMean(self.score_sum / UNIT / self.scored if self.scored else None),
                score_histogram=tuple(self.histogram),
            ),
            spec_fingerprint=min(self.fingerprints) if len(self.fingerprints) == 1 else None,
            scorer_version=__version__,
        )

    def report(self, title: str, facts: Mapping[str, str]) -> EvaluationReport:
        """Return what is shown of them."""
        return build_report(
            self.metrics(),
            title=title,
            facts=facts,
            worst_documents=self._worst(),
            non_matches=(self.non_matches, self.non_match_total),
        )


def read_results(paths: Iterable[str | Path]) -> ExistingResults:
    """Read and add up every result in files, folders and patterns such as ``results/**/*.json``."""
    found, names = ExistingResults(), 0
    for path in _files(paths, found):
        names += 1
        try:
            for document, result in _results_in(path):
                _refuse_whole_evaluation(path, result)
                found.add(document, result)
        except InputError as error:
            found.failures.append(Failure(str(path), str(error), "unreadable"))
    if not names:
        raise InputError(
            f"No evaluation results: looked for *.json and *.jsonl in {', '.join(map(str, paths))}",
            code="input.no_results",
            facts={"files": list(map(str, paths))},
        )
    return found


def _files(paths: Iterable[str | Path], results: ExistingResults) -> Iterator[Path]:
    for given in paths:
        path = Path(given)
        if path.is_dir():
            yield from _files_in(path, results)
        elif path.exists():
            yield path
        elif any(mark in str(given) for mark in "*?["):
            yield from sorted(Path(name) for name in glob.glob(str(given), recursive=True))
        else:
            raise InputError(
                f"There is no {given}; expected files or folders of evaluation results",
                code="input.not_found",
                facts={"file": given},
            )


def _files_in(folder: Path, results: ExistingResults) -> Iterator[Path]:
    """Yield the files of a folder that hold results, in whatever case their suffixes are; note the others."""
    for path in sorted(path for path in folder.rglob("*") if path.is_file()):
        if path.suffix.lower() in (".json", ".jsonl"):
            yield path
        else:
            results.passed.add(path.relative_to(folder).as_posix())


def _results_in(path: Path) -> Iterator[tuple[str, Json]]:
    if path.suffix.lower() != ".jsonl":
        result = read_json(path)
        yield _document_of(result) or str(path), result
        return
    with path.open("rb") as file:
        for number, line in enumerate(file, 1):
            if line.strip():
                held = parse_json(line, f"{path}, line {number}")
                result = held.get("comparison_result", held) if isinstance(held, dict) else held
                yield _document_of(held) or f"{path}:{number}", result


def _refuse_whole_evaluation(path: Path, result: Json) -> None:
    """Refuse the metrics of many documents, which would count as one."""
    if isinstance(result, dict) and {"document_count", "scorer_version", "fields"} <= result.keys():
        page = path.parent / "report.html"
        raise SettingError(
            f"{path} holds the metrics of a whole evaluation, not the result of a document; {page} shows it,"
            " fieldwise diff compares two of them, and fieldwise evaluate over all documents gives one result",
            code="input.whole_evaluation",
            facts={"file": path},
        )


def _document_of(result: Json) -> str | None:
    if isinstance(result, dict):
        for key in ("doc_id", "document_id", "id"):
            if isinstance(result.get(key), str):
                return str(result[key])
    return None


def _non_match(document: str, entry: Mapping[str, Any]) -> NonMatchRow:
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


def write_results(found: ExistingResults, folder: Path, title: str, facts: Mapping[str, str]) -> EvaluationReport:
    """Write metrics.json, fields.csv, failures.jsonl and report.html."""
    folder.mkdir(parents=True, exist_ok=True)
    with only_writer(folder):
        return _write_results(found, folder, title, facts)


def _write_results(found: ExistingResults, folder: Path, title: str, facts: Mapping[str, str]) -> EvaluationReport:
    metrics, report = found.metrics(), found.report(title, facts)
    write_fields(folder / "fields.csv", metrics.fields, [row.path for row in report.fields])
    lines = "".join(error.to_json() + "\n" for error in metrics.errors)
    write_whole(folder / "failures.jsonl", lines.encode())
    write_whole(folder / "report.html", html_report(report).encode("utf-8", "backslashreplace"))
    write_result(folder / "metrics.json", metrics)
    return report
