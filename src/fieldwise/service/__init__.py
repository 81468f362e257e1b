"""The evaluation service: what was found in one document, as results.json and report.md."""

from fieldwise.service.evaluation import EvaluationService
from fieldwise.service.files import check_new, export_results

__all__ = ["EvaluationService", "check_new", "export_results"]
