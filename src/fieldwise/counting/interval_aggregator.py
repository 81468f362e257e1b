"""The aggregator of confusion matrices with what intervals need beside its sums: a histogram of every path.

What a node counts is decided in `fieldwise.bulk_aggregator`, which stays a single file that needs nothing else.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Self

from fieldwise.bulk_aggregator import BulkEvaluationAggregator, Reading
from fieldwise.counting.metrics import field_metrics
from fieldwise.counting.sums import add_in, histogram_in
from fieldwise.errors import InputError
from fieldwise.results import ClassMetrics, Metrics, SeedRow
from fieldwise.states import by_name, checked, named
from fieldwise.stats.histograms import CountHistogram, check_histogram
from fieldwise.values import Json


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
        self._open: DocumentRows | None = None

    def _count(self, reading: Reading, doc_id: str | None) -> None:
        if self._open is None or doc_id is None or doc_id != self._last_id:
            self._close()
            self._open = DocumentRows()
        self._open.add(reading)
        super()._count(reading, doc_id)

    def _close(self) -> None:
        if self._open is not None:
            self._closed.add(self._open)

    def _histograms(self) -> MatrixHistograms:
        everything = MatrixHistograms()
        everything.merge(self._closed)
        if self._open is not None:
            everything.add(self._open)
        return everything

    def metrics(self) -> Metrics:
        """Return the totals with their rates and intervals."""
        computed, histograms = self.compute(), self._histograms()
        classes = {
            name: ClassMetrics({path: SeedRow(**row) for path, row in held["fields"].items()})
            for name, held in computed.get("classes", {}).items()
        }
        return Metrics(
            aggregate=field_metrics(computed["aggregate"], histograms.aggregate, "total"),
            document_count=computed["document_count"],
            overall=SeedRow(**computed["overall"]),
            fields={path: field_metrics(row, histograms.fields[path]) for path, row in computed["fields"].items()},
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
        self._closed.merge(other._histograms())

    def to_state(self) -> dict[str, Json]:
        """Return the sums as JSON; the last document ends here."""
        return {**super().to_state(), "histograms": self._histograms().to_state()}

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
                "and intervals do not follow from it; add up the results anew",
                code="state.damaged",
            )
        super()._load(state)
        self._closed = MatrixHistograms.from_state(state["histograms"])
        unknown = state["fields"].keys() ^ self._closed.fields.keys()
        if unknown:
            raise InputError(
                f"Expected a histogram of each path, got other paths: {min(unknown)[:80]!r}", code="state.damaged"
            )


class DocumentRows:
    """What the matrices of one document count: all leaves together, and every path."""

    def __init__(self) -> None:
        self.aggregate: list[int] = [0] * 7
        self.fields: dict[str, list[int]] = {}

    def add(self, reading: Reading) -> None:
        """Add one matrix."""
        if reading.aggregate:
            self.aggregate = [a + b for a, b in zip(self.aggregate, reading.aggregate, strict=True)]
        for path, row in reading.rows().items():
            add_in(self.fields, path, row)


class MatrixHistograms:
    """The histograms of the leaves of all documents together, and of every path."""

    def __init__(self) -> None:
        self.aggregate = CountHistogram()
        self.fields: dict[str, CountHistogram] = {}

    def add(self, document: DocumentRows) -> None:
        """Add one document."""
        _add(self.aggregate, document.aggregate)
        for path, row in document.fields.items():
            _add(histogram_in(self.fields, path), row)

    def merge(self, other: MatrixHistograms) -> None:
        """Add the histograms of other documents."""
        self.aggregate.merge(other.aggregate)
        for path, histogram in other.fields.items():
            histogram_in(self.fields, path).merge(histogram)

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


def _add(histogram: CountHistogram, row: Sequence[int]) -> None:
    """Add the counts of a document; false positives of unknown kind are taken for inventions."""
    tp, fp, tn, fn, fd, fa, unsaid = row
    histogram.add((tp, fd, max(fp - fd, 0) if unsaid else fa, fn))
    histogram.tn += tn
