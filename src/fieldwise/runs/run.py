"""What a finished evaluation is asked for, wherever it is kept."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Protocol

from fieldwise.bulk_aggregator import Json
from fieldwise.results import Failure, Metrics, ScoreHistogram
from fieldwise.runs.rows import Rows

if TYPE_CHECKING:  # slow to import, and not needed for metrics
    import pyarrow as pa

    from fieldwise.tables.stored_documents import DocumentTable
    from fieldwise.tables.stored_verdicts import Where


class Run(Protocol):
    """A finished evaluation: its metrics, and its rows by question."""

    @property
    def name(self) -> str:
        """What it is called."""

    @property
    def metrics(self) -> Metrics:
        """What metrics.json says."""

    @property
    def has_rows(self) -> bool:
        """Whether there is anything of single documents and values, beside metrics."""

    @property
    def has_values(self) -> bool:
        """Whether the compared values were kept."""

    @property
    def spec_name(self) -> str | None:
        """Where its spec is, for another evaluation by the same rules; None where it was not kept."""

    def spec(self) -> Json:
        """Return its spec as JSON Schema; None where it was not kept or cannot be read."""

    def need_rows(self, purpose: str) -> None:
        """Refuse a run that is metrics alone, for a purpose that needs more."""

    def need_values(self, purpose: str) -> None:
        """Refuse a run that does not keep the compared values, for a purpose that needs them."""

    def documents(self) -> DocumentTable:
        """Return what became of each document, and how many values of each outcome it has."""

    def fields(self) -> tuple[str, ...]:
        """Return the fields that were compared, sorted."""

    def is_listed(self, field: str) -> bool:
        """Tell whether a value of a field lies in a list."""

    def confidences(self) -> pa.Table:
        """Return how sure predictions were of their values, by document: field, document, confidence, right."""

    def counts(self, field: str) -> pa.Table:
        """Return how many values of each outcome a field has, by the number of the document. Any other name is refused;
        of an object or a list the fields below it are named.
        """

    def errors(
        self,
        field: str,
        *,
        outcome: str | None = "wrong",
        first: int | None = None,
        after: int = 0,
        columns: Sequence[str] | None = None,
    ) -> pa.Table:
        """Return the wrong values of a field, by outcome, document and path.

        The outcome ``match`` is that of matches that are not identical; with None there are both. An object, a list or
        a pattern such as ``*.price`` stands for the fields below it, one after the other. Names that are not known are
        refused. ``document`` is the row of the document in the table of documents, ``id`` its name. Without
        ``columns`` there is everything that people look at.
        """

    def score_histogram(self, field: str) -> ScoreHistogram:
        """Return how many values of a field have which raw score."""

    def verdicts(
        self,
        *,
        field: str | None = None,
        document: str | None = None,
        where: Where | None = None,
        columns: Sequence[str] | None = None,
    ) -> Rows:
        """Return compared values, to be read some documents at a time: all, or those of a field, of a document, or with
        one of the names in each of the columns of ``where``. ``field`` may be an object, a list or a pattern,
        for all fields below it; a name that no field or no document has is refused.
        """

    def failures(self) -> Iterator[Failure]:
        """Yield the documents that failed or need a look."""
