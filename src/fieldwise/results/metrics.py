"""What an evaluation says in numbers: ``metrics.json`` is the dump of `Metrics`."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Literal, TypeAlias

import msgspec

from fieldwise.bulk_aggregator import Json
from fieldwise.results.core import Number, Result, Share, Shown, need_pandas
from fieldwise.results.notes import Note
from fieldwise.results.rates import RATIOS, UNKNOWN, Counts, Rate, Rates
from fieldwise.results.sections import SectionMetrics
from fieldwise.shown import shown_html, shown_text

if TYPE_CHECKING:  # slow to import, and not needed to read or write results
    import pandas as pd
    import pyarrow as pa

FORMAT: Literal["fieldwise.metrics/3"] = "fieldwise.metrics/3"

Scope: TypeAlias = Literal["values", "rows", "object", "undeclared", "total"]
"""What a row counts: the values of a field, the rows of a list, an object as one, values under a key that no field
declares, or all values."""
_BESIDE = re.compile(r"(?<!\\)\[(?:values|rows|grid|object)\]$")
"""Ends the key of a row beside another one of the same path; in the name of a field a bracket is escaped."""


def path_of(key: str) -> str:
    """Return the path to which the row of a key belongs.

    >>> path_of("items.price"), path_of("grid[rows]"), path_of("vendor[values]")
    ('items.price', 'grid', 'vendor')
    """
    return _BESIDE.sub("", key)


ErrorKind: TypeAlias = Literal[
    "missing",
    "invented",
    "format",
    "case_or_spacing",
    "ocr",
    "truncated",
    "wrong_row",
    "row_rejected",
    "swapped_fields",
    "scale",
    "other",
]
"""What went wrong with a value."""


class SeedRow(Counts, frozen=True):
    """Six counts and the ratios of them, 0.0 where there is nothing to divide by; the strict ones None where a matrix
    did not say which false positives are wrong values.
    """

    precision: Share
    recall: Share
    f1: Share
    accuracy: Share
    strict_recall: Share | None
    strict_f1: Share | None


class FieldMetrics(SeedRow, frozen=True):
    """The counts of one field over all documents, and its rates with their intervals, documents taken as units."""

    rates: Rates
    mean_score: Share | None = None
    """The mean of the scores of its values; None of lists and objects."""
    written_differently: Number = 0
    """Matches with a score of 1 of values that are not identical."""
    similar: Number = 0
    """Matches with a lower score."""
    row_rejected: Number = 0
    """Mismatches of right values, whose row was rejected."""
    scope: Scope = "values"

    @property
    def near(self) -> int:
        """How many matches are of values that are not identical."""
        return self.written_differently + self.similar

    def __str__(self) -> str:
        return shown_text(self)

    def _repr_html_(self) -> str:
        return shown_html(self)


class DocumentMean(Rate, frozen=True):
    """A mean over documents, each weighing the same; ``skipped`` ones had nothing to divide by."""

    skipped: Number = 0


UNKNOWN_MEAN = DocumentMean(None)


class DocumentMetrics(Result, frozen=True):
    """What is known of documents as wholes.

    - ``exact_rate`` is the share of documents without any wrong, missed or invented value: those that could go straight
      through. Documents without any value are among them. ``exact_documents`` are without error in every trial.
    - ``macro_strict_f1`` is the mean of the documents' own strict F1, 2·tp / (2·tp + 2·fd + fa + fn); skipped documents
      have no value on either side, which is 0/0.
    - ``weighted_score`` is the mean of the documents' weighted scores; skipped ones have no value on either side.
    - ``mean_overall_score`` is the mean of the overall scores that results made elsewhere state; None for others.
    - ``score_histogram``: how many documents have a score in each of as many equal steps; the last step holds 1.

    Where a document has several trials, its own value is the mean over them.
    """

    exact_documents: Number = 0
    exact_rate: Rate = UNKNOWN
    macro_strict_f1: DocumentMean = UNKNOWN_MEAN
    weighted_score: DocumentMean = UNKNOWN_MEAN
    mean_overall_score: DocumentMean | None = None
    score_histogram: tuple[Number, ...] = ()


class FieldMean(Result, frozen=True):
    """A mean over ``n`` fields, every field weighing the same; ``skipped`` fields had nothing to divide by.

    There is no interval: fields are not drawn from others, and the documents that they share make them vary together.
    """

    value: Share | None
    n: Number = 0
    skipped: Number = 0


NO_FIELDS = FieldMean(None)


class FieldMacro(Result, frozen=True):
    """Means over declared leaf fields."""

    strict_f1: FieldMean


class Failure(Result, frozen=True):
    """A document, or one trial of it, that could not be compared, or of which one side was missing, and why."""

    doc_id: str | None
    error: str
    kind: str = "error"
    trial: Number | None = None


class ErrorKindCounts(Result, frozen=True):
    """How often each kind of error occurs, among all values and in each field."""

    total: dict[ErrorKind, Number]
    fields: dict[str, dict[ErrorKind, Number]]


class OutsideCount(Result, frozen=True):
    """How many values are under a key that no field declares and count nowhere."""

    expected: Number = 0
    predicted: Number = 0


NOTHING_OUTSIDE = OutsideCount()


class LimitsMet(Result, frozen=True):
    """The limits under which documents were read and compared, and how many documents met each."""

    max_bytes: Number | None = None
    max_unpacked: Number | None = None
    max_depth: Number | None = None
    max_cells: Number | None = None
    met: dict[str, Number] = msgspec.field(default_factory=dict)


_NO_DOCUMENTS = DocumentMetrics()


class GroupMetrics(Result, frozen=True):
    """What some of the documents count, those of one class or with one slice value.

    Matrices made elsewhere give the fields of a class alone, without intervals.
    """

    fields: dict[str, FieldMetrics]
    aggregate: FieldMetrics | None = None
    """All values together."""
    document_count: Number | None = None
    document_metrics: DocumentMetrics = _NO_DOCUMENTS


class SliceMetrics(Result, frozen=True):
    """The documents by their values of one slice key; ``missing`` are those that have none."""

    values: dict[str, GroupMetrics]
    missing: GroupMetrics | None = None


_NO_MACRO = FieldMacro(NO_FIELDS)
_NO_LIMITS = LimitsMet()


class Metrics(Shown, frozen=True):
    """Everything that an evaluation counted. No clock time and no path: the same input gives the same bytes."""

    aggregate: FieldMetrics
    """All values together."""
    document_count: Number
    overall: SeedRow
    """The fields at the top level in a mixed unit: values, and rows of lists."""
    fields: dict[str, FieldMetrics]
    """By path. Where a path is an object or a list of rows, values in place of these, of any document or class, are
    at ``path[values]``; a list of lists has its values at its path, and its rows beside them at ``path[rows]``.
    """
    trial_count: Number | None = None
    """The trials of all documents; None where nobody counted them."""
    errors: tuple[Failure, ...] = ()
    """The first 1,000."""
    error_count: Number = 0
    skipped_count: Number = 0
    documents: dict[str, Number] = msgspec.field(default_factory=dict)
    """How many documents have each status; empty where nobody counted them."""
    document_metrics: DocumentMetrics = _NO_DOCUMENTS
    field_macro: FieldMacro = _NO_MACRO
    error_kinds: ErrorKindCounts | None = None
    """None where values were not kept, or where results were added up that do not tell kinds."""
    undeclared_fields: tuple[str, ...] = ()
    outside: dict[str, OutsideCount] = msgspec.field(default_factory=dict)
    """Values under undeclared keys that expected documents have, by path; they count nowhere."""
    outside_not_listed: OutsideCount = NOTHING_OUTSIDE
    """Those of all other such paths."""
    classes: dict[str, GroupMetrics] | None = None
    """The documents of each class, where they have classes; of one with sections of several, what is of this class."""
    sections: SectionMetrics | None = None
    """The sections of documents, where these have any."""
    slices: dict[str, SliceMetrics] | None = None
    """The documents by each slice key that was asked for."""
    cluster_by: str | None = None
    """The key of documents that belong together: these clusters are the units of all intervals."""
    cluster_count: Number | None = None
    unmatched: Literal["leaves", "objects"] = "leaves"
    extras: Literal["leaves", "ignore"] | None = None
    limits: LimitsMet = _NO_LIMITS
    spec_fingerprint: str | None = None
    scorer_version: str | None = None
    notes: tuple[Note, ...] = ()
    """What a reader of the numbers should know."""
    format: Literal["fieldwise.metrics/3"] = FORMAT

    def values_at(self, path: str) -> FieldMetrics | None:
        """Return the row of the values at a path, or its only row where these have none of their own."""
        return self.fields.get(f"{path}[values]") or self.fields.get(path)

    def worst_first(self) -> list[tuple[str, FieldMetrics]]:
        """Return the fields by strict F1, those without any value last; among equals those with more errors first."""
        shown = [(path, row) for path, row in self.fields.items() if row.seen or row.tn or row.scope != "undeclared"]
        return sorted(shown, key=_field_badness)

    def to_arrow(self) -> pa.Table:
        """Return the fields as a table, worst first: counts, rates with the bounds of their 95% intervals and the
        number of documents behind them, the mean score. What is undefined is null.
        """
        import pyarrow as pa  # slow to import

        rows = [_row(path, row) for path, row in self.worst_first()]
        types = {"field": pa.string(), "scope": pa.string()} | dict.fromkeys(_WHOLE, pa.int64())
        schema = pa.schema([(name, types.get(name, pa.float64())) for name in _COLUMNS])
        return pa.Table.from_pylist(rows, schema=schema)

    def to_pandas(self) -> pd.DataFrame:
        """Return the same as a data frame; what is undefined is NaN."""
        need_pandas()
        return self.to_arrow().to_pandas()


_COUNTS = ("tp", "fd", "fa", "fn", "tn", "fp")
_ACCEPTED = ("written_differently", "similar", "row_rejected")
_WHOLE = ("n", *_COUNTS, *_ACCEPTED, *(f"{ratio}_n" for ratio in RATIOS))
_COLUMNS = (
    *("field", "scope", "n", *_COUNTS),
    *(f"{ratio}{bound}" for ratio in reversed(RATIOS) for bound in ("", "_low", "_high", "_n")),
    *("accuracy", "mean_score", *_ACCEPTED),
)


def badness(path: str, f1: tuple[Rate, Rate], right: int, wrong: int) -> tuple[bool, float, int, str]:
    """Return by what fields are sorted, worst first: strict F1, or F1 where it is undefined, then errors, then path."""
    worst = f1[0].value if f1[0].value is not None else f1[1].value
    return not right + wrong, 2.0 if worst is None else worst, -wrong, path


def _field_badness(item: tuple[str, FieldMetrics]) -> tuple[bool, float, int, str]:
    path, row = item
    return badness(path, (row.rates.strict_f1, row.rates.f1), row.tp, row.fd + row.fa + row.fn)


def _row(path: str, row: FieldMetrics) -> dict[str, Json]:
    cells = {name: getattr(row, name) for name in ("scope", *_COUNTS, "mean_score", *_ACCEPTED)}
    for ratio in RATIOS:
        rate = row.rates.of(ratio)
        cells |= {ratio: rate.value, f"{ratio}_low": rate.low, f"{ratio}_high": rate.high, f"{ratio}_n": rate.n}
    return {"field": path, "n": row.seen, "accuracy": row.accuracy_rate, **cells}
