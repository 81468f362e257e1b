"""The aggregator of confusion matrices with what intervals need beside its sums: the moments of every path.

What a node counts is decided in `fieldwise.bulk_aggregator`, which stays a single file that needs nothing else.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Self

from fieldwise.bulk.metrics import intervals_of
from fieldwise.bulk_aggregator import BulkEvaluationAggregator
from fieldwise.errors import InputError
from fieldwise.states import by_name, checked, named
from fieldwise.stats.moments import Moments, check_moments
from fieldwise.values import Json

_STRICT = ("strict_recall", "strict_f1")


class IntervalAggregator(BulkEvaluationAggregator):
    """Sums confusion matrices; each row of ``compute()`` that has counts also has the ``intervals`` of its rates.

    Matrices in a row with the same ``doc_id`` are one document: its counts are added up before they enter.

    >>> aggregator = IntervalAggregator()
    >>> for number, right in enumerate([3, 4, 4]):
    ...     aggregator.update({"fields": {"total": {"tp": right, "fd": 4 - right}}}, f"invoice-{number}")
    >>> row = aggregator.compute()["fields"]["total"]
    >>> row["tp"], row["intervals"]["precision"]["n"]
    (11, 3)
    """

    def reset(self) -> None:
        """Forget everything."""
        super().reset()
        self._closed = MatrixMoments()
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

    def _moments(self) -> MatrixMoments:
        everything = MatrixMoments()
        everything.merge(self._closed)
        everything.add(self._open)
        return everything

    def compute(self) -> dict[str, Any]:
        """Return the totals with their metrics and intervals."""
        found, moments = super().compute(), self._moments()
        _add_intervals(found["overall"], moments.overall)
        _add_intervals(found["aggregate"], moments.aggregate)
        for path, row in found["fields"].items():
            _add_intervals(row, moments.fields[path])
        return found

    def merge(self, other: BulkEvaluationAggregator) -> None:
        """Add the totals of another aggregator with moments, which has seen other documents."""
        if not isinstance(other, IntervalAggregator):
            raise InputError(
                "Expected an aggregator with moments to merge, got one without; intervals need them",
                code="state.different_settings",
            )
        super().merge(other)
        self._closed.merge(other._moments())

    def to_state(self) -> dict[str, Json]:
        """Return the sums as JSON; the last document ends here."""
        return {**super().to_state(), "moments": self._moments().to_state()}

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
        super()._load(state)
        self._closed = MatrixMoments.from_state(state["moments"])
        unknown = state["fields"].keys() ^ self._closed.fields.keys()
        if unknown:
            raise InputError(
                f"Expected moments of each path, got other paths: {min(unknown)[:80]!r}", code="state.damaged"
            )


class MatrixMoments:
    """The moments of all matrices' own ``overall``, of their leaves, and of every path."""

    def __init__(self) -> None:
        self.overall, self.aggregate = Moments(), Moments()
        self.fields: dict[str, Moments] = {}

    def add(self, document: BulkEvaluationAggregator) -> None:
        """Add one document, given the sums of its matrices; nothing where it has none."""
        state = document.to_state()
        if not state["document_count"]:
            return
        _add(self.overall, state["overall"])
        _add(self.aggregate, state["aggregate"])
        for path, row in state["fields"].items():
            _add(self._of(path), row)

    def _of(self, path: str) -> Moments:
        return self.fields.get(path) or self.fields.setdefault(path, Moments())

    def merge(self, other: MatrixMoments) -> None:
        """Add the moments of other documents."""
        self.overall.merge(other.overall)
        self.aggregate.merge(other.aggregate)
        for path, moments in other.fields.items():
            self._of(path).merge(moments)

    def to_state(self) -> dict[str, Json]:
        """Return the moments as JSON."""
        fields = {path: moments.to_state() for path, moments in sorted(self.fields.items())}
        return {"overall": self.overall.to_state(), "aggregate": self.aggregate.to_state(), "fields": fields}

    @classmethod
    def from_state(cls, state: Mapping[str, Json]) -> MatrixMoments:
        """Return the moments that ``to_state`` gave."""
        checked(state, _ARE_MOMENTS)
        made = cls()
        made.overall, made.aggregate = (Moments.from_state(state[name]) for name in ("overall", "aggregate"))
        made.fields = {path: Moments.from_state(held) for path, held in state["fields"].items()}
        return made


_ARE_MOMENTS = named({"overall": check_moments, "aggregate": check_moments, "fields": by_name(check_moments)})


def _add(moments: Moments, row: Sequence[int]) -> None:
    """Add the counts of a document; false positives of unknown kind are taken for inventions."""
    tp, fp, _, fn, fd, fa, unsaid = row
    moments.add(tp, fd, max(fp - fd, 0) if unsaid else fa, fn)


def _add_intervals(row: dict[str, Any], moments: Moments) -> None:
    """Add the intervals of a row, unless its ``fp`` contradicts its parts; without ``fd`` none of the strict rates."""
    if moments.total((0, 1, 1, 0)) != row["fp"]:
        return
    found = intervals_of(moments)
    row["intervals"] = {name: found[name] for name in found if row["strict_f1"] is not None or name not in _STRICT}
