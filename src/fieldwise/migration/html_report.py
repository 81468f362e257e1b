"""The HTML reporter of stickler-eval, which writes the page of fieldwise."""

from __future__ import annotations

import time
from collections.abc import Mapping
from pathlib import Path

from markupsafe import Markup
from pydantic import BaseModel, Field

from fieldwise.aggregated import AggregatedResults, add_up
from fieldwise.bulk import ProcessEvaluation
from fieldwise.errors import FieldwiseError
from fieldwise.files import write_whole
from fieldwise.render.studio import studio_page
from fieldwise.results import PageAnswers
from fieldwise.values import Json, plain

_SECTIONS = {
    "include_executive_summary": "executive_summary",
    "include_field_analysis": "field_analysis",
    "include_non_matches": "non_matches",
    "include_confusion_matrix": "confusion_matrix",
}
_TABLES = Markup('<!doctype html><html lang="en"><meta charset="utf-8"><title>{}</title><body>{}</body></html>')


class ReportConfig(BaseModel):
    """What stickler's page shows. The page of fieldwise shows all of it; numbers of entries have no limit there."""

    include_executive_summary: bool = True
    include_field_analysis: bool = True
    include_non_matches: bool = True
    include_confusion_matrix: bool = True
    max_non_matches_displayed: int = Field(1000, gt=0)
    document_file_type: str = "image"
    image_thumbnail_size: int = Field(200, gt=0)
    color_thresholds: dict[str, float] = Field(default_factory=lambda: {"EXCELLENT": 0.8, "GOOD": 0.6, "FAIR": 0.4})


class ReportResult(BaseModel):
    """Where a page was written, or why it was not."""

    output_path: str
    success: bool
    generation_time_seconds: float
    sections_included: list[str]
    errors: list[str] = Field(default_factory=list)
    metadata: dict[str, Json] = Field(default_factory=dict)

    def summary(self) -> str:
        """Return a sentence."""
        if not self.success:
            return f"No report was written: {'; '.join(self.errors)}"
        return f"The report is in {self.output_path}"


class EvaluationHTMLReporter:
    """Writes results of comparisons as one page."""

    def generate_report(
        self,
        evaluation_results: Mapping[str, Json] | ProcessEvaluation,
        output_path: str,
        config: ReportConfig | None = None,
        document_files: Mapping[str, str] | None = None,
        title: str | None = None,
        model_schema: type | None = None,
        individual_results_jsonl_path: str | None = None,
    ) -> ReportResult:
        """Write the page; what is wrong is in the result, as with stickler. Files of documents are not shown."""
        start = time.perf_counter()
        sections = [name for key, name in _SECTIONS.items() if getattr(config or ReportConfig(), key)]
        name = title or (model_schema.__name__ if model_schema is not None else Path(output_path).stem)
        try:
            page, count = _page(name, evaluation_results, individual_results_jsonl_path)
            Path(output_path).parent.mkdir(parents=True, exist_ok=True)
            write_whole(Path(output_path), page.encode("utf-8", "backslashreplace"))
        except (FieldwiseError, OSError) as error:
            seconds = time.perf_counter() - start
            return ReportResult(
                output_path=output_path,
                success=False,
                generation_time_seconds=seconds,
                sections_included=[],
                errors=[str(error)],
            )
        facts = {"document_count": count, "document_files_not_shown": len(document_files or ())}
        return ReportResult(
            output_path=output_path,
            success=True,
            generation_time_seconds=time.perf_counter() - start,
            sections_included=sections,
            metadata=facts,
        )


def _page(name: str, given: Mapping[str, Json] | ProcessEvaluation, lines: str | None) -> tuple[str, int]:
    """Return a page and how many documents it is of; where only sums are known, it is their tables."""
    if lines is None and isinstance(given, ProcessEvaluation):
        return _TABLES.format(name, Markup(given._repr_html_())), given.document_count
    results = AggregatedResults() if lines is None else add_up([lines])
    if lines is None:
        results.add("document", plain(given))
    metrics = results.metrics()
    return studio_page(PageAnswers(name, {}, results.page(metrics))), metrics.document_count
