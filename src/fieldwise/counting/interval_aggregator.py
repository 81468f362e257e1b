"""The aggregator of confusion matrices with what intervals need beside its sums: a histogram of every path.

What a node counts is decided in `fieldwise.bulk_aggregator`, which stays a single file that needs nothing else.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Self

from fieldwise.bulk_aggregator import BulkEvaluationAggregator
from fieldwise.counting.metrics import field_metrics
from fieldwise.counting.sums import histogram_in
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

    def reset(self) -> None:
        """Forget everything."""
        super().reset()
        self._closed = MatrixHistograms()
        self._open = BulkEvaluationAggregator()

    def update(self, confusion_matrix: Json, doc_id: str | None = None, *, group: str | None = None) -> None:
        """Add one confusion matrix, or that of one comparison result, as the aggregator does."""
        if doc_id is None or doc_id != self._last_id:
            self._close()
        if group is None or isinstance(group, str):  # anything else is malformed
            self._open.update(confusion_matrix, doc_id)
        super().update(confusion_matrix, doc_id, group=group)

    def _close(self) -> None:
        self._closed.add(self._open)
        self._open = BulkEvaluationAggregator()

    def _histograms(self) -> MatrixHistograms:
        everything = MatrixHistograms()
        everything.merge(self._closed)
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


class MatrixHistograms:
    """The histograms of all matrices' own ``overall``, of their leaves, and of every path."""

    def __init__(self) -> None:
        self.overall, self.aggregate = CountHistogram(), CountHistogram()
        self.fields: dict[str, CountHistogram] = {}

    def add(self, document: BulkEvaluationAggregator) -> None:
        """Add one document, given the sums of its matrices; nothing where it has none."""
        state = document.to_state()
        if not state["document_count"]:
            return
        _add(self.overall, state["overall"])
        _add(self.aggregate, state["aggregate"])
        for path, row in state["fields"].items():
            _add(histogram_in(self.fields, path), row)

    def merge(self, other: MatrixHistograms) -> None:
        """Add the histograms of other documents."""
        self.overall.merge(other.overall)
        self.aggregate.merge(other.aggregate)
        for path, histogram in other.fields.items():
            histogram_in(self.fields, path).merge(histogram)

    def to_state(self) -> dict[str, Json]:
        """Return the histograms as JSON."""
        fields = {path: histogram.to_state() for path, histogram in sorted(self.fields.items())}
        return {"overall": self.overall.to_state(), "aggregate": self.aggregate.to_state(), "fields": fields}

    @classmethod
    def from_state(cls, state: Mapping[str, Json]) -> MatrixHistograms:
        """Return the histograms that ``to_state`` gave."""
        checked(state, _LOOKS_LIKE)
        made = cls()
        made.overall, made.aggregate = (CountHistogram.from_checked(state[name]) for name in ("overall", "aggregate"))
        made.fields = {path: CountHistogram.from_checked(held) for path, held in state["fields"].items()}
        return made


_LOOKS_LIKE = named({"overall": check_histogram, "aggregate": check_histogram, "fields": by_name(check_histogram)})


def _add(histogram: CountHistogram, row: Sequence[int]) -> None:
    """Add the counts of a document; false positives of unknown kind are taken for inventions."""
    tp, fp, tn, fn, fd, fa, unsaid = row
    histogram.add((tp, fd, max(fp - fd, 0) if unsaid else fa, fn))
    histogram.tn += tn
