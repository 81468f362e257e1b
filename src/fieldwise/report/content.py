"""What an evaluation says, ready to be shown: every number is computed before it gets here."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

RowKind = Literal["leaf", "rows", "object", "undeclared"]
"""A leaf field; the rows of a list, counted as objects; an object, counted as one; a key that no field declares."""


@dataclass(frozen=True)
class FieldRow:
    """The counts and rates of one field over all documents; a rate is None where nothing was there to divide by."""

    path: str
    kind: RowKind
    tp: int
    fd: int
    fa: int
    fn: int
    tn: int
    precision: float | None
    recall: float | None
    f1: float | None
    accuracy: float | None
    strict_recall: float | None
    strict_f1: float | None
    mean_score: float | None = None
    interval: tuple[float, float] | None = None
    """The 95 % interval of strict F1, documents taken as the units; None where there is none."""

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


@dataclass(frozen=True)
class FailureRow:
    """A document that could not be compared, or of which one side was missing or unreadable, and why."""

    document: str
    kind: str
    reason: str


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
    weighted_score: float | None
    worst_documents: Sequence[DocumentRow]
    non_matches: Sequence[NonMatchRow]
    non_match_total: int
    failures: Sequence[FailureRow]
    failure_total: int
    facts: Mapping[str, str] = field(default_factory=dict)
    """What the numbers can be traced by: fingerprint, version, mode of counting, sources."""
