"""The aggregator of confusion matrices with what intervals need beside its sums: a histogram of every path.

What a node counts is decided in `fieldwise.bulk_aggregator`, which stays a single file that needs nothing else.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import zip_longest
from typing import NamedTuple, Self

from fieldwise.bulk_aggregator import (
    METRIC_KEYS,
    BulkEvaluationAggregator,
    Reading,
    kind_of_key,
    leaves_of,
    overall_of,
    row_keys,
    rows_of,
)
from fieldwise.bulk_aggregator import Counts as Row
from fieldwise.counting.metrics import SCOPES, field_metrics, without_intervals
from fieldwise.counting.sums import histogram_in
from fieldwise.errors import InputError
from fieldwise.results import Counts, Failure, FieldMetrics, GroupMetrics, Metrics, SeedRow
from fieldwise.states import by_name, checked, named
from fieldwise.stats.histograms import CountHistogram, check_histogram
from fieldwise.values import Json


class DocumentReading(NamedTuple):
    """What the leaves of a document's matrices count, and whether anything in them is wrong, missed or spurious.

    A matrix that counts rows says of one that has no partner that it is missed, and nothing of its leaves.
    """

    counts: Counts
    is_exact: bool


class IntervalAggregator(BulkEvaluationAggregator):
    """Sums confusion matrices; ``metrics()`` has the intervals of all rates beside the sums of ``compute()``.

    Matrices in a row with the same ``doc_id`` are one document: its counts are added up before they enter.

    >>> aggregator = IntervalAggregator()
    >>> for number, right in enumerate([3, 4, 4]):
    ...     aggregator.update({"fields": {"total": {"tp": right, "fd": 4 - right}}}, f"invoice-{number}")
    >>> row = aggregator.metrics().fields["total"]
    >>> row.tp, row.rates.precision.n
    (11, 3)
    """

    STATE_VERSION = 2
    READABLE_VERSIONS = (1, 2)

    def reset(self) -> None:
        """Forget everything."""
        super().reset()
        self._closed = MatrixHistograms()
        self._open: dict[str, Row] = {}
        """What the matrices of the last document count by path, and all their leaves under an empty one."""

    def add_document(self, matrices: Iterable[tuple[Json, str | None]], doc_id: str) -> DocumentReading | None:
        """Add the matrices of a document, each with its group, as ``update`` does; None where none adds anything."""
        readings = [self._added(matrix, doc_id, group) for matrix, group in matrices]
        known = [reading for reading in readings if reading is not None]
        if not known:
            return None
        counts, whole = (Counts(*_summed(map(of, known))[: len(METRIC_KEYS)]) for of in (leaves_of, overall_of))
        return DocumentReading(counts, not any(held.fp or held.fd or held.fa or held.fn for held in (counts, whole)))

    def _added(self, confusion_matrix: Json, doc_id: str | None, group: str | None) -> Reading | None:
        last_id = self._last_id
        reading = super()._added(confusion_matrix, doc_id, group)
        if reading is not None:
            rows = {"": leaves_of(reading) or _NOTHING, **rows_of(reading)}
            if doc_id is None or doc_id != last_id:
                self._closed.add(self._open)
                self._open = rows
            else:
                paths = self._open | rows
                self._open = {path: _summed([self._open.get(path, ()), rows.get(path, ())]) for path in paths}
        return reading

    def histograms(self) -> MatrixHistograms:
        """Return the histograms of all documents, the last one too."""
        everything = MatrixHistograms()
        everything.merge(self._closed)
        everything.add(self._open)
        return everything

    def metrics(self, histograms: MatrixHistograms | None = None) -> Metrics:
        """Return the totals with their rates and intervals, and which documents have a malformed matrix.

        ``histograms`` are those of clusters, where documents are not the units.
        """
        computed = self.compute()
        histograms = self.histograms() if histograms is None else histograms
        rows = _seed_rows(computed["fields"])
        fields = {
            name: field_metrics(rows[name], histograms.fields[key], SCOPES[kind_of_key(key)[1]])
            for key, name in row_keys(histograms.fields).items()
        }
        classes = {
            name: GroupMetrics(_without_intervals(held["fields"])) for name, held in computed.get("classes", {}).items()
        }
        return Metrics(
            aggregate=field_metrics(SeedRow(**computed["aggregate"]), histograms.aggregate, "total"),
            document_count=computed["document_count"],
            overall=SeedRow(**computed["overall"]),
            fields={name: fields[name] for name in sorted(fields)},
            errors=tuple([Failure(e["doc_id"], e["error"], "malformed") for e in computed["errors"]]),
            error_count=len(computed["errors"]),
            skipped_count=computed["skipped_count"],
            classes=classes or None,
        )

    def merge(self, other: BulkEvaluationAggregator) -> None:
        """Add the totals of another aggregator with histograms, which has seen other documents."""
        if not isinstance(other, IntervalAggregator):
            raise InputError(
                "Expected an aggregator with histograms to merge, got one without; intervals need them",
                code="state.different_settings",
            )
        super().merge(other)
        self._closed.merge(other.histograms())

    def to_state(self) -> dict[str, Json]:
        """Return the sums as JSON; the last document ends here."""
        return {**super().to_state(), "histograms": self.histograms().to_state()}

    @classmethod
    def from_state(cls, state: Mapping[str, Json]) -> Self:
        """Return an aggregator with the sums of ``to_state``; InputError for anything else."""
        try:
            return super().from_state(state)
        except InputError:
            raise
        except ValueError as error:
            raise InputError(str(error), code="state.damaged") from error

    def _load(self, state: Mapping[str, Json]) -> None:
        if "moments" in state:
            raise InputError(
                "Expected a histogram of each path, got moments: another version of fieldwise has made this state, "
                "and intervals do not follow from it; add up the results again",
                code="state.damaged",
            )
        super()._load(state)
        self._closed = MatrixHistograms.from_state(state["histograms"])
        unknown = state["fields"].keys() ^ self._closed.fields.keys()
        if unknown:
            raise InputError(
                f"Expected a histogram of each path, got other paths: {min(unknown)[:80]!r}", code="state.damaged"
            )


class MatrixHistograms:
    """The histograms of the leaves of all documents together, and of every path."""

    def __init__(self) -> None:
        self.aggregate = CountHistogram()
        self.fields: dict[str, CountHistogram] = {}

    def add(self, document: Mapping[str, Row]) -> None:
        """Add what a document counts by path, and all its leaves under an empty path; nothing where that is empty."""
        for path, counts in document.items():
            _add(histogram_in(self.fields, path) if path else self.aggregate, counts)

    def merge(self, other: MatrixHistograms) -> None:
        """Add the histograms of other documents."""
        self.aggregate.merge(other.aggregate)
        for path, histogram in other.fields.items():
            histogram_in(self.fields, path).merge(histogram)

    def by_path(self) -> dict[str, CountHistogram]:
        """Return all histograms, that of all leaves under an empty path."""
        return {"": self.aggregate, **self.fields}

    @classmethod
    def of(cls, histograms: Mapping[str, CountHistogram]) -> MatrixHistograms:
        """Return the histograms that ``by_path`` gave."""
        made = cls()
        made.fields = dict(histograms)
        made.aggregate = made.fields.pop("")
        return made

    def to_state(self) -> dict[str, Json]:
        """Return the histograms as JSON."""
        fields = {path: histogram.to_state() for path, histogram in sorted(self.fields.items())}
        return {"aggregate": self.aggregate.to_state(), "fields": fields}

    @classmethod
    def from_state(cls, state: Mapping[str, Json]) -> MatrixHistograms:
        """Return the histograms that ``to_state`` gave; version 1 had one of each matrix's own ``overall`` too."""
        checked(state, _LOOKS_LIKE)
        made = cls()
        made.aggregate = CountHistogram.from_checked(state["aggregate"])
        made.fields = {path: CountHistogram.from_checked(held) for path, held in state["fields"].items()}
        return made


_LOOKS_LIKE = named(
    {"aggregate": check_histogram, "fields": by_name(check_histogram)}, optional={"overall": check_histogram}
)


def _seed_rows(rows: Mapping[str, Mapping[str, Json]]) -> dict[str, SeedRow]:
    return {path: SeedRow(**row) for path, row in rows.items()}


def _without_intervals(rows: Mapping[str, Mapping[str, Json]]) -> dict[str, FieldMetrics]:
    return {path: without_intervals(row) for path, row in _seed_rows(rows).items()}


def _summed(rows: Iterable[Row]) -> Row:
    return tuple(map(sum, zip_longest(_NOTHING, *rows, fillvalue=0)))


def _add(histogram: CountHistogram, counts: Row) -> None:
    """Add the counts of a document; false positives of unknown kind are taken for inventions."""
    tp, fp, tn, fn, fd, fa, *unsaid = counts
    histogram.add((tp, fd, max(fp - fd, 0) if any(unsaid) else fa, fn))
    histogram.tn += tn


_NOTHING = (0, 0, 0, 0, 0, 0)
