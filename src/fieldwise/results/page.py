"""What the page shows as a file: the answers to its questions, as the data inside of it.

A page holds all sums of a run, and as many rows as keep it small; how many there are in all is in the sums.
"""

from __future__ import annotations

from typing import Literal

import msgspec

from fieldwise.results.calibration import Calibration
from fieldwise.results.classes import Classification
from fieldwise.results.core import Number, Result, Share
from fieldwise.results.difference import RunDifference, UnpairedDifference
from fieldwise.results.metrics import ErrorKind, Metrics
from fieldwise.results.sweep import Sweep

FORMAT: Literal["fieldwise.page/2"] = "fieldwise.page/2"
STEPS = 100
"""A curve has a point at every hundredth of the threshold."""


class PageValue(Result, frozen=True, omit_defaults=True):
    """One compared value. What only one side has lacks the path and the value of the other.

    ``expected`` and ``predicted`` are texts, or JSON where they are no texts; a length says that a text was longer.
    """

    document: str
    field: str
    outcome: Literal["match", "mismatch", "spurious", "missed", "absent"]
    path: str | None = None
    predicted_path: str | None = None
    expected: str | None = None
    predicted: str | None = None
    expected_length: Number | None = None
    predicted_length: Number | None = None
    text_side: Literal["expected", "predicted"] | None = None
    """The side that is a text where the other is a number or another value that looks the same."""
    accepted: Literal["written_differently", "similar"] | None = None
    kind: ErrorKind | None = None
    raw_score: Share = 1.0
    reason: str = ""
    """Why it counts as it does, where its score alone does not say that."""
    confidence: float | None = None
    pair_score: Share | None = None
    trial: Number = 1
    section: str | None = None
    document_class: str | None = msgspec.field(name="class", default=None)
    """The class of its section, or of its document."""
    slices: dict[str, str] = msgspec.field(default_factory=dict)
    """The values of its document by slice key, where it has one."""


class PageSection(Result, frozen=True, omit_defaults=True):
    """A section of a document that has compared values; one of the wrong class is here once for each of both."""

    section: str
    document_class: str | None = msgspec.field(name="class", default=None)
    paired: bool = True
    """Whether it has a partner of its class."""


class PageDocument(Result, frozen=True, omit_defaults=True):
    """What became of one document, or of one trial of it."""

    document: str
    score: Share | None = None
    tp: Number = 0
    fd: Number = 0
    fa: Number = 0
    fn: Number = 0
    tn: Number = 0
    status: str = "scored"
    reason: str = ""
    trial: Number = 1
    opened: bool = False
    """Whether all its values are in the page."""
    document_class: str | None = msgspec.field(name="class", default=None)
    sections: tuple[PageSection, ...] = ()
    slices: dict[str, str] = msgspec.field(default_factory=dict)


class Rule(Result, frozen=True):
    """How one path is compared, and where its settings came from."""

    path: str
    how: str
    threshold: Share | None
    weight: float
    because: str
    document_class: str | None = msgspec.field(name="class", default=None)
    """The class whose documents and sections are compared so; None for all that have no rule of their own."""


class ThresholdCurve(Result, frozen=True):
    """How many values of a field match from each hundredth of the threshold on, with the pairing of rows held fixed.

    ``both`` values are on both sides; ``matches[k]`` of them match at the threshold k / 100.
    """

    field: str
    threshold: Share
    both: Number
    matches: tuple[Number, ...]


class RunPage(Result, frozen=True, omit_defaults=True):
    """A run: its sums, its documents worst first, and rows that are shared over fields and outcomes."""

    metrics: Metrics
    rules: tuple[Rule, ...] = ()
    rule_notes: tuple[str, ...] = ()
    documents: tuple[PageDocument, ...] = ()
    document_total: Number = 0
    """How many rows of documents the run has: those of trials count each."""
    errors: tuple[PageValue, ...] = ()
    accepted: tuple[PageValue, ...] = ()
    """Matches of values that are not identical."""
    values: tuple[PageValue, ...] = ()
    """All values of the documents that are opened."""
    curves: tuple[ThresholdCurve, ...] = ()
    has_rows: bool = False
    counts_only: bool = False
    """Whether counts of others were added up: which values they count is known only where a result lists some."""


class LabelRow(Result, frozen=True, omit_defaults=True):
    """A row of labels, by its line and the places of both labels in the matrix; the sides in full where they hold
    more, and metadata, both as JSON.
    """

    line: Number
    expected: Number
    predicted: Number
    is_right: bool
    golden: str = ""
    answer: str = ""
    metadata: str = ""


class ClassesPage(Result, frozen=True, omit_defaults=True):
    """What ``fieldwise classify`` found, and rows that are shared over the cells of its matrix."""

    classification: Classification
    notes: tuple[str, ...] = ()
    """What a reader of the numbers should know, in sentences."""
    rows: tuple[LabelRow, ...] = ()
    input: str = ""
    """The file that holds all rows; empty where it was standard input."""


class CalibrationWords(Result, frozen=True):
    """What the confidences of a field are worth, in sentences: on which side they err, and from where on to accept."""

    leaning: str
    accept: str
    bare: str
    """How many values have no confidence; nothing where all have one."""


class ConfidencePage(Result, frozen=True):
    """What the confidences of a run are worth, with sentences about all fields together and about each."""

    calibration: Calibration
    pooled: CalibrationWords
    fields: dict[str, CalibrationWords]


class SweepPage(Result, frozen=True):
    """A field at many thresholds, with sentences: where strict F1 is highest, and what no threshold changes."""

    sweep: Sweep
    best: str
    unchanged: str


class PageAnswers(Result, frozen=True, omit_defaults=True):
    """Everything inside a page: a run with its confidences, two that are compared, confidences, a sweep, or labels."""

    title: str
    facts: dict[str, str] = msgspec.field(default_factory=dict)
    """By what the numbers can be traced."""
    run: RunPage | None = None
    difference: RunDifference | None = None
    unpaired: UnpairedDifference | None = None
    confidence: ConfidencePage | None = None
    sweep: SweepPage | None = None
    classes: ClassesPage | None = None
    verdict: str = ""
    """What two runs show, in a sentence or two."""
    notes: tuple[str, ...] = ()
    """What a reader of the numbers should know, in the words of a page."""
    format: Literal["fieldwise.page/2"] = FORMAT
