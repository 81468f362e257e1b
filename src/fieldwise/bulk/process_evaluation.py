"""`ProcessEvaluation`: what many comparisons together say."""

from __future__ import annotations

import time
from collections.abc import Mapping
from typing import TYPE_CHECKING

from pydantic import BaseModel, ConfigDict, Field

from fieldwise.bulk.evaluation_views import as_html, as_markdown, field_rows, print_metrics
from fieldwise.bulk.files import Figures
from fieldwise.bulk.state import failures
from fieldwise.bulk_aggregator import ratio
from fieldwise.errors import MissingExtraError
from fieldwise.values import Json, plain

if TYPE_CHECKING:
    import pandas as pd
    import pyarrow as pa

_SAVED = ("field_metrics", "confidence_metrics", "accumulator_metrics", "non_matches", "errors")


class ProcessEvaluation(BaseModel):
    """Counts, ratios and scores over many documents, and what could not be compared.

    ``metrics`` sums the documents' own totals, ``field_metrics`` each path, sorted. Ratios are those of the sums
    (micro-averages), 0.0 where there is nothing to divide by; ``mean_score`` is the mean over the documents that have
    a score there, and is left out where none has. ``errors`` and ``non_matches`` are sorted by document.
    """

    model_config = ConfigDict(frozen=True)

    document_count: int = 0
    metrics: dict[str, Json] = Field(default_factory=dict)
    field_metrics: dict[str, dict[str, Json]] = Field(default_factory=dict)
    errors: list[dict[str, Json]] = Field(default_factory=list)
    matrix: None = None
    total_time: float | None = None
    non_matches: list[dict[str, Json]] | None = None
    confidence_metrics: dict[str, Json] | None = None
    accumulator_metrics: dict[str, Json] | None = None
    accumulator_errors: dict[str, int] | None = None

    def to_dict(self) -> Figures:
        """Return everything as plain JSON types."""
        return {name: plain(getattr(self, name)) for name in type(self).model_fields}

    @property
    def failed_count(self) -> int:
        """How many documents count nowhere."""
        return len(failures(self.errors))

    def to_saved(self, target_schema: str | None, settings: Mapping[str, Json]) -> dict[str, Json]:
        """Return everything under the keys of a file of metrics, with how and when it was made."""
        seconds = self.total_time or 0.0
        found = self.to_dict()
        return {
            "overall_metrics": found["metrics"],
            **{key: found[key] for key in _SAVED},
            "evaluation_summary": {
                "total_documents_processed": self.document_count,
                "total_evaluation_time": seconds,
                "documents_per_second": ratio(self.document_count, seconds),
                "error_count": self.failed_count,
                "error_rate": ratio(self.failed_count, self.document_count + self.failed_count),
                "target_schema": target_schema,
            },
            "metadata": {
                "saved_at": time.strftime("%Y-%m-%d %H:%M:%S UTC", time.gmtime()),
                "evaluator_config": dict(settings),
            },
        }

    def to_md(self) -> str:
        """Return a summary in Markdown, worst fields first."""
        return as_markdown(self)

    def pretty_print_metrics(self) -> None:
        """Print a summary to the terminal, worst fields first."""
        print_metrics(self)

    def to_arrow(self) -> pa.Table:
        """Return the fields as an Arrow table: path, counts, ratios and mean score, sorted by path."""
        import pyarrow as pa  # imported when first needed: it is slow to import

        return pa.Table.from_pylist(field_rows(self))

    def to_pandas(self) -> pd.DataFrame:
        """Return the fields as a data frame with the columns of ``to_arrow``."""
        try:
            import pandas as pd
        except ImportError as error:
            raise MissingExtraError(
                "to_pandas() needs pandas; install fieldwise[notebook]",
                facts={"package": "pandas", "extra": "notebook"},
            ) from error
        return pd.DataFrame(field_rows(self))

    def _repr_html_(self) -> str:
        return as_html(self)
