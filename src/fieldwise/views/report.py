"""What an evaluation says, ready to be shown: fields worst first, figures of documents, failures.

Every number is computed before it gets here.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from fieldwise.results import (
    DocumentMean,
    ErrorKindCounts,
    Failure,
    FieldMean,
    FieldMetrics,
    Metrics,
    OutsideCount,
    Rate,
)
from fieldwise.results.metrics import NO_FIELDS, NOTHING_OUTSIDE, UNKNOWN_MEAN, Scope, SliceMetrics
from fieldwise.views.numbers import count, counted

MAX_FAILURES = 1000
MAX_EXAMPLES = 5
"""As many paths are named as examples."""

RowKind = Literal["leaf", "rows", "object", "undeclared"]
"""A leaf field; the rows of a list, counted as objects; an object, counted as one; a key that no field declares."""


@dataclass(frozen=True)
class FieldRow:
    """The counts and rates of one field over all documents."""

    path: str
    kind: RowKind
    tp: int
    fd: int
    fa: int
    fn: int
    tn: int
    precision: Rate
    recall: Rate
    f1: Rate
    accuracy: Rate
    """Without an interval: it counts what is absent on both sides."""
    strict_recall: Rate
    strict_f1: Rate
    mean_score: float | None = None
    written_differently: int = 0
    """Matches with a score of 1 of values that are not identical."""
    similar: int = 0
    """Matches with a lower score."""
    row_rejected: int = 0
    """Mismatches of right values, whose row was rejected."""

    @property
    def row_counts(self) -> str:
        """What became of the rows of a list, in words."""
        named = ((self.tp, "paired"), (self.fd, "rejected"), (self.fn, "missed"), (self.fa, "extra"))
        return " · ".join(f"{number:,} {word}" for number, word in named)

    @property
    def near(self) -> int:
        """How many matches are of values that are not identical."""
        return self.written_differently + self.similar

    @property
    def fp(self) -> int:
        return self.fd + self.fa

    @property
    def n(self) -> int:
        """How many values either side has."""
        return self.tp + self.fd + self.fa + self.fn


def name_of(row: FailureRow) -> str:
    """Return the id of a row's document, with the trial where documents have several."""
    return row.document if row.trial is None else f"{row.document} (trial {row.trial})"


@dataclass(frozen=True)
class FailureRow:
    """A document that could not be compared, or of which one side was missing or unreadable, and why."""

    document: str
    kind: str
    reason: str
    trial: int | None = None
    """Which trial of the document it is; None where no document has several."""


@dataclass(frozen=True)
class OutsideSpec:
    """How many values lie under keys that no field declares and count nowhere, with some of their paths."""

    expected: int = 0
    predicted: int = 0
    paths: tuple[str, ...] = ()
    """Some of the paths, those with the most values first."""
    path_count: int | None = 0
    """How many paths there are; None where nobody knows, so many are they."""
    ignored: bool = False
    """Whether no undeclared key counts, also of those that no expected document has."""

    @classmethod
    def of(
        cls, paths: Mapping[str, OutsideCount], rest: OutsideCount = NOTHING_OUTSIDE, *, ignored: bool = False
    ) -> OutsideSpec:
        """Return it of counts by path; ``rest`` are the values of paths that are not among them."""
        expected = sum(counts.expected for counts in paths.values()) + rest.expected
        predicted = sum(counts.predicted for counts in paths.values()) + rest.predicted
        most = sorted(paths, key=lambda path: (-paths[path].expected - paths[path].predicted, path))[:MAX_EXAMPLES]
        is_rest = bool(rest.expected or rest.predicted)
        return cls(expected, predicted, tuple(most), None if is_rest else len(paths), ignored)

    @property
    def sentence(self) -> str:
        """Say it in one sentence; nothing where there is nothing to say."""
        if not self.expected + self.predicted:
            return ""
        more = "" if self.path_count is not None and self.path_count <= len(self.paths) else ", …"
        held = f"{count(self.expected)} expected and {counted(self.predicted, 'predicted value')}"
        why = (
            "undeclared keys are ignored"
            if self.ignored
            else "expected documents have these keys and the spec does not"
        )
        return f"Outside the spec, counted nowhere: {held} under {', '.join(self.paths)}{more} ({why})."


@dataclass(frozen=True)
class EvaluationReport:
    """Everything that the table, the page and the files of an evaluation show."""

    title: str
    document_count: int
    total: FieldRow
    """All leaves together."""
    fields: Sequence[FieldRow]
    exact_documents: int
    """Documents without any wrong, missed or invented value."""
    exact_rate: Rate
    """The share of them."""
    weighted_score: DocumentMean
    """The mean of the documents' weighted scores; of results that were made elsewhere, of their overall scores."""
    failures: Sequence[FailureRow]
    failure_total: int
    score_name: str = "weighted score"
    """What that mean is called."""
    document_macro: DocumentMean = UNKNOWN_MEAN
    """The mean of the documents' own strict F1, every document weighing the same."""
    field_macro: FieldMean = NO_FIELDS
    """The mean of the strict F1 of declared leaf fields."""
    error_kinds: ErrorKindCounts | None = None
    """None where no verdict rows were written."""
    trial_count: int | None = None
    """The trials of all documents; None where no document has several."""
    cluster_by: str | None = None
    """The key of documents that belong together, where these clusters are the units."""
    cluster_count: int | None = None
    notes: Sequence[str] = ()
    """What a reader of the numbers should know, in sentences."""
    outside: OutsideSpec = OutsideSpec()
    """Values under undeclared keys that count nowhere."""
    facts: Mapping[str, str] = field(default_factory=dict)
    """What the numbers can be traced by: fingerprint, version, mode of counting, sources."""


# From metrics to a report

_KINDS: dict[Scope, RowKind] = {
    "values": "leaf",
    "total": "leaf",
    "rows": "rows",
    "object": "object",
    "undeclared": "undeclared",
}
_EXCLUDED = "excluded_class"
"""The status of documents of excluded classes."""
_MODES = {
    "leaves": "counted one by one (unmatched=leaves)",
    "objects": "counted as rows only (unmatched=objects)",
}
_EXTRAS = {
    "leaves": "spurious, unless expected documents have the key (extras=leaves)",
    "ignore": "not counted (extras=ignore)",
}


def field_row(path: str, row: FieldMetrics) -> FieldRow:
    """Return a row of metrics with its path."""
    return FieldRow(
        path,
        _KINDS[row.scope],
        *(row.tp, row.fd, row.fa, row.fn, row.tn),
        precision=row.rates.precision,
        recall=row.rates.recall,
        f1=row.rates.f1,
        accuracy=Rate(row.accuracy_rate),
        strict_recall=row.rates.strict_recall,
        strict_f1=row.rates.strict_f1,
        mean_score=row.mean_score,
        written_differently=row.written_differently,
        similar=row.similar,
        row_rejected=row.row_rejected,
    )


def field_rows(metrics: Metrics) -> list[FieldRow]:
    """Return the fields, worst first; those that neither side ever has come last."""
    return [field_row(path, row) for path, row in metrics.worst_first()]


def build_report(metrics: Metrics, *, title: str, facts: Mapping[str, str]) -> EvaluationReport:
    """Return the report of an evaluation."""
    of_documents = metrics.document_metrics
    trials = metrics.document_count if metrics.trial_count is None else metrics.trial_count
    several = trials > metrics.document_count
    return EvaluationReport(
        title=title,
        document_count=metrics.document_count,
        cluster_by=metrics.cluster_by,
        cluster_count=metrics.cluster_count,
        total=field_row("", metrics.aggregate),
        fields=field_rows(metrics),
        exact_documents=of_documents.exact_documents,
        exact_rate=of_documents.exact_rate,
        weighted_score=of_documents.mean_overall_score or of_documents.weighted_score,
        score_name="weighted score" if of_documents.mean_overall_score is None else "mean overall score",
        document_macro=of_documents.macro_strict_f1,
        field_macro=metrics.field_macro.strict_f1,
        failures=[_failure(failure, several_trials=several) for failure in failures_of(metrics)[:MAX_FAILURES]],
        failure_total=failure_count(metrics),
        error_kinds=metrics.error_kinds,
        trial_count=trials if several else None,
        notes=metrics.notes,
        outside=OutsideSpec.of(metrics.outside, metrics.outside_not_listed, ignored=metrics.extras == "ignore"),
        facts=facts,
    )


def groups_of(metrics: Metrics) -> dict[str, SliceMetrics]:
    """Return the groups of documents by what divides them: their class, then each slice key."""
    classes = {"class": SliceMetrics(metrics.classes)} if metrics.classes else {}
    return classes | (metrics.slices or {})


def failures_of(metrics: Metrics) -> list[Failure]:
    """Return the documents that need a look; those of excluded classes are left out on purpose, and don't."""
    return [failure for failure in metrics.errors if failure.kind != _EXCLUDED]


def failure_count(metrics: Metrics) -> int:
    """Return how many documents need a look."""
    return metrics.error_count - metrics.documents.get(_EXCLUDED, 0)


def _failure(failure: Failure, *, several_trials: bool) -> FailureRow:
    trial = failure.trial if several_trials else None
    return FailureRow(failure.doc_id or "", failure.kind, failure.error, trial)


def facts_of(metrics: Metrics, described: str) -> dict[str, str]:
    """Return what a page says of an evaluation beside its numbers; ``described`` is its input in words."""
    return {
        "input": described,
        "spec fingerprint": metrics.spec_fingerprint or "",
        "fieldwise": metrics.scorer_version or "",
        "values of unpaired rows": _MODES[metrics.unmatched],
        "values under undeclared keys": _EXTRAS[metrics.extras or "leaves"],
    }
