"""What an evaluation says, ready to be shown: every number is computed before it gets here."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from fieldwise.error_kinds import Kind
from fieldwise.numbers import count, counted
from fieldwise.results import DocumentMean, ErrorKindCounts, FieldMean, OutsideCount, Rate
from fieldwise.results.metrics import NO_FIELDS, NOTHING_OUTSIDE, UNKNOWN_MEAN

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


@dataclass(frozen=True)
class DocumentRow:
    """What became of one document. ``note`` is empty unless there is something to know of it."""

    document: str
    score: float | None
    tp: int
    fd: int
    fa: int
    fn: int
    tn: int
    note: str = ""
    trial: int | None = None
    """Which trial of the document it is; None where no document has several."""


@dataclass(frozen=True)
class NonMatchRow:
    """One value that is wrong, missed or invented; values as text, shortened where long."""

    document: str
    path: str
    field: str
    outcome: Literal["mismatch", "missed", "spurious"]
    expected: str | None
    predicted: str | None
    score: float
    kind: Kind | None = None
    """What kind of error it is; None where nobody said."""
    trial: int | None = None
    """In which trial of the document; None where no document has several."""


def name_of(row: DocumentRow | NonMatchRow | FailureRow) -> str:
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
    histogram: Sequence[int]
    """How many documents have a score in each of as many equal steps from 0 to 1; the last step holds 1."""
    exact_documents: int
    """Documents without any wrong, missed or invented value."""
    exact_rate: Rate
    """The share of them."""
    weighted_score: DocumentMean
    """The mean of the documents' weighted scores; of results that were made elsewhere, of their overall scores."""
    worst_documents: Sequence[DocumentRow]
    non_matches: Sequence[NonMatchRow]
    non_match_total: int
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
    notes: Sequence[str] = ()
    """What a reader of the numbers should know, in sentences."""
    outside: OutsideSpec = OutsideSpec()
    """Values under undeclared keys that count nowhere."""
    facts: Mapping[str, str] = field(default_factory=dict)
    """What the numbers can be traced by: fingerprint, version, mode of counting, sources."""
