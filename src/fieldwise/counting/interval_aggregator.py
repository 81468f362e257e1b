"""Sums of confusion matrices with what intervals need beside them: a histogram of every path; and of their scores.

What a node counts, and which matrix is malformed, is decided in `fieldwise.bulk_aggregator`, which stays a single file
that needs nothing else.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from fieldwise.bulk_aggregator import (
    MAX_WAITING,
    METRIC_KEYS,
    ROW,
    MalformedMatrixError,
    Node,
    Reading,
    Rows,
    add_counts,
    add_nodes,
    add_rows,
    check_group,
    kind_of_key,
    metrics_of_row,
    ratio,
    read_matrix,
    row_keys,
)
from fieldwise.counting.metrics import SCOPES, field_metrics, without_intervals
from fieldwise.counting.sums import UNIT, histogram_in
from fieldwise.results import Counts, Failure, GroupMetrics, Metrics, SeedRow
from fieldwise.states import (
    COUNT,
    MAX_COUNT,
    State,
    below,
    by_key,
    count,
    declared,
    first,
    joined,
    maybe,
    record,
    row,
    text,
    unfit,
)
from fieldwise.stats.histograms import HISTOGRAM, CountHistogram
from fieldwise.values import Json

_MAX_SCORE = sys.float_info.max
_MAX_UNITS = int(_MAX_SCORE) * UNIT * MAX_COUNT
LEAVES = ""
"""Where all leaves of a document are counted together."""


class DocumentReading(NamedTuple):
    """What the leaves of a document's matrices count, and whether anything in them is wrong, missed or spurious.

    A matrix that counts rows says of one that has no partner that it is missed, and nothing of its leaves.
    """

    counts: Counts
    is_exact: bool


class Malformed(NamedTuple):
    """A matrix that cannot be counted: of which document, where in it, and why."""

    doc_id: str | None
    path: str
    error: str


def _place(one: Malformed) -> tuple[bool, str, str, str]:
    return one.doc_id is not None, str(one.doc_id), one.path, one.error


class ScoreSum(NamedTuple):
    """A sum of scores in units, which does not depend on their order, and how many scores there are."""

    units: int = 0
    n: int = 0

    def plus(self, score: Json, times: int = 1) -> ScoreSum:
        """Return the sum with a score, so many times; what is no finite number is none.

        >>> ScoreSum().plus(0.25).plus(True).plus(None).plus(1).mean
        0.625
        """
        if isinstance(score, bool) or not isinstance(score, (int, float)) or not -_MAX_SCORE <= score <= _MAX_SCORE:
            return self
        return ScoreSum(self.units + round(score * UNIT) * times, self.n + times)

    @property
    def mean(self) -> float:
        """The mean of the scores; 0.0 for none."""
        return ratio(self.units, self.n * UNIT)

    def refuse_unfit(self, path: str) -> None:
        """Refuse a sum that so many scores cannot have."""
        if abs(self.units) > self.n * UNIT * int(_MAX_SCORE):
            raise unfit(f"a sum of {self.n:,} scores, got another", path)


NO_SCORES = ScoreSum()
SCORES = joined(ScoreSum, count(_MAX_UNITS, -_MAX_UNITS), COUNT)
_HISTOGRAMS = by_key(HISTOGRAM)
_ROW = row(ROW, MAX_COUNT * MAX_COUNT)


@dataclass(eq=False)
class MatrixSums(State):
    """Sums of confusion matrices, and of the scores of their nodes."""

    overall: list[int] = declared(_ROW)
    """Of the matrices themselves."""
    leaves: list[int] = declared(_ROW)
    rows: Rows = declared(by_key(_ROW))
    """Of every path: the counts, and how many nodes did not say ``fd``."""
    scores: dict[str, ScoreSum] = declared(by_key(SCORES))
    _waiting: list[Node] = field(default_factory=list, init=False)
    """The nodes of the last matrices."""

    def add(self, matrix: Json) -> Reading | None:
        """Add a matrix, or that of a comparison result, and return what it counts; None where it is empty.

        One that is malformed anywhere raises MalformedMatrixError and adds nothing.
        """
        reading = read_matrix(matrix)
        if reading is not None:
            add_counts(self.overall, reading.overall)
            add_counts(self.leaves, reading.leaves)
            self._waiting += reading.nodes
            if len(self._waiting) > MAX_WAITING:
                self.bring_up()
        return reading

    def bring_up(self) -> None:
        """Bring the sums of paths up to date."""
        nodes = Counter(self._waiting)
        add_nodes(self.rows, nodes)
        for (key, _, score), times in nodes.items():
            added = self.scores.get(key, NO_SCORES).plus(score, times)
            if added.n:
                self.scores[key] = added
        self._waiting = []

    def settle(self) -> None:
        """Bring the sums of paths up to date."""
        self.bring_up()

    def refuse_unfit(self, path: str) -> None:
        """Refuse a sum that its scores cannot have."""
        for key, scores in self.scores.items():
            scores.refuse_unfit(below(path, f"scores.{key}"))


@dataclass(eq=False)
class IntervalAggregator(MatrixSums):
    """Sums of confusion matrices, and histograms of documents by path, from which ``metrics()`` has its intervals.

    Matrices in a row with the same ``doc_id`` are one document: its counts are added up before they enter.

    >>> aggregator = IntervalAggregator()
    >>> for number, right in enumerate([3, 4, 4]):
    ...     read = aggregator.update({"fields": {"total": {"tp": right, "fd": 4 - right}}}, f"invoice-{number}")
    >>> row = aggregator.metrics().fields["total"]
    >>> row.tp, row.rates.precision.n
    (11, 3)
    """

    documents: int = declared(COUNT)
    skipped: int = declared(COUNT)
    groups: dict[str, Rows] = declared(by_key(by_key(_ROW)))
    """Of every path by the class of documents, where matrices have one."""
    histograms: dict[str, CountHistogram] = declared(_HISTOGRAMS)
    """By path, those of all leaves together under `LEAVES`."""
    errors: list[Malformed] = declared(first(None, record(Malformed, maybe(text), text, text), _place))
    _last_id: str | None = field(default=None, init=False)
    _open: Rows = field(default_factory=dict, init=False)
    """What the matrices of the last document count by path."""

    def update(self, matrix: Json, doc_id: str | None = None, *, group: str | None = None) -> Reading | None:
        """Add a matrix and return what it counts; one that is malformed is a record, one that is empty is skipped."""
        try:
            if group is not None:
                check_group(group)
            reading = self.add(matrix)
        except MalformedMatrixError as error:
            self.errors.append(Malformed(None if doc_id is None else str(doc_id), error.path, error.reason))
            return None
        if reading is None:
            self.skipped += 1
            return None
        if doc_id is None or doc_id != self._last_id:
            self.end_document()
            self.documents += 1
            self._last_id = doc_id
        nodes = Counter(reading.nodes)
        add_rows(self._open, {LEAVES: reading.leaves})
        add_nodes(self._open, nodes)
        if group is not None:
            add_nodes(self.groups.setdefault(group, {}), nodes)
        return reading

    def add_document(self, matrices: Iterable[tuple[Json, str | None]], doc_id: str) -> DocumentReading | None:
        """Add the matrices of a document, each with its group, as ``update`` does; None where none adds anything."""
        readings = [self.update(matrix, doc_id, group=group) for matrix, group in matrices]
        known = [reading for reading in readings if reading is not None]
        if not known:
            return None
        rows: Rows = {}
        for reading in known:
            add_rows(rows, {LEAVES: reading.leaves, "overall": reading.overall})
        counts, whole = (Counts(*rows[name][: len(METRIC_KEYS)]) for name in (LEAVES, "overall"))
        return DocumentReading(counts, not any(held.fp or held.fd or held.fa or held.fn for held in (counts, whole)))

    def end_document(self) -> None:
        """End the last document: what it counts enters the histograms."""
        _enter(self.histograms, self._open)
        self._open, self._last_id = {}, None

    def settle(self) -> None:
        """Bring all sums up to date, and end the last document."""
        self.bring_up()
        self.end_document()

    def metrics(self, histograms: Mapping[str, CountHistogram] | None = None) -> Metrics:
        """Return the totals with their rates and intervals, and which documents have a malformed matrix.

        ``histograms`` are those of clusters, where documents are not the units. The last document does not end.
        """
        self.bring_up()
        if histograms is None:
            histograms = _HISTOGRAMS.add({}, self.histograms)
            _enter(histograms, self._open)
        names = row_keys(self.rows)
        fields = {
            names[key]: field_metrics(_seed_row(counts), histograms[key], SCOPES[kind_of_key(key)[1]])
            for key, counts in self.rows.items()
        }
        return Metrics(
            aggregate=field_metrics(_seed_row(self.leaves), histograms.get(LEAVES, CountHistogram()), "total"),
            document_count=self.documents,
            overall=_seed_row(self.overall),
            fields={name: fields[name] for name in sorted(fields)},
            errors=tuple([Failure(one.doc_id, one.error, "malformed") for one in sorted(self.errors, key=_place)]),
            error_count=len(self.errors),
            skipped_count=self.skipped,
            classes={name: _group_metrics(self.groups[name]) for name in sorted(self.groups)} or None,
        )

    def refuse_unfit(self, path: str) -> None:
        """Refuse histograms of other paths, or with other counts, than the sums."""
        of_groups = {key for rows in self.groups.values() for key in rows}
        unknown = ((self.rows.keys() ^ self.histograms.keys()) | (of_groups - self.rows.keys())) - {LEAVES}
        if unknown:
            raise unfit(f"a histogram of each path, got other paths: {min(unknown)[:80]!r}", path)
        for key, counts in {**self.rows, LEAVES: self.leaves}.items():
            histogram = self.histograms.get(key, CountHistogram())
            tp, _, _, fn = histogram.totals()
            if [tp, histogram.tn, fn] != [counts[0], counts[2], counts[3]] or histogram.documents > self.documents:
                raise unfit(f"histograms of what the sums count, got others for {key[:80]!r}", path)
        MatrixSums.refuse_unfit(self, path)


def _enter(histograms: dict[str, CountHistogram], document: Rows) -> None:
    """Add a document to histograms; false positives of unknown kind are taken for inventions."""
    for path, (tp, fp, tn, fn, fd, fa, unsaid) in document.items():
        histogram = histogram_in(histograms, path)
        histogram.add((tp, fd, max(fp - fd, 0) if unsaid else fa, fn))
        histogram.tn += tn


def _seed_row(counts: Sequence[int]) -> SeedRow:
    return SeedRow(**metrics_of_row(counts))


def _group_metrics(rows: Rows) -> GroupMetrics:
    names = row_keys(rows)
    fields = {names[key]: without_intervals(_seed_row(counts)) for key, counts in rows.items()}
    return GroupMetrics({name: fields[name] for name in sorted(fields)})
