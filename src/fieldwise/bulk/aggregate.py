"""`aggregate_from_comparisons`: from the results of ``compare_with`` to their metrics in one call."""

from __future__ import annotations

from collections.abc import Iterable

from fieldwise.bulk.evaluator import BulkStructuredModelEvaluator
from fieldwise.bulk.process_evaluation import ProcessEvaluation
from fieldwise.values import Json


def aggregate_from_comparisons(results: Iterable[Json], *, strict: bool = False) -> ProcessEvaluation:
    """Return what many results say together; each needs its confusion matrix.

    A result without one, or with one that is malformed, is a record in ``errors`` and counts nowhere; with ``strict``
    it raises ValueError. Documents are called ``doc_0``, ``doc_1`` and so on, by their place in ``results``.
    """
    evaluator = BulkStructuredModelEvaluator(strict=strict)
    evaluator.update_from_comparison_results(results)
    return evaluator.compute()
