"""The evaluation service: what was found in one document, as results.json and report.md."""

from fieldwise.service.evaluation import EvaluationService
from fieldwise.service.files import ResultFiles, check_new

__all__ = ["EvaluationService", "ResultFiles", "check_new"]
