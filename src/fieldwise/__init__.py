"""fieldwise tells how good extracted data is, field by field.

>>> import fieldwise
>>> spec = fieldwise.Spec.infer([{"invoice_id": "A-1", "total": 10.0}])
>>> plan = fieldwise.Plan.compile(spec)
>>> plan.compare({"invoice_id": "A-1", "total": 10.0}, {"invoice_id": "A-1", "total": 11.0}).score
0.5
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

from fieldwise.lazy import lazy_names
from fieldwise.shown import draw_with
from fieldwise.version import __version__

if TYPE_CHECKING:
    from fieldwise.api import Evaluation, evaluate_pairs
    from fieldwise.bulk import BulkStructuredModelEvaluator, ProcessEvaluation, aggregate_from_comparisons
    from fieldwise.bulk_aggregator import BulkEvaluationAggregator
    from fieldwise.comparators import (
        AmountComparator,
        ANLSStarComparator,
        BaseComparator,
        BBoxIoUComparator,
        BooleanComparator,
        CodeComparator,
        ContainsComparator,
        CurrencyComparator,
        DateComparator,
        EnumComparator,
        ExactComparator,
        FormulaComparator,
        FuzzyComparator,
        LevenshteinComparator,
        LLMComparator,
        NormalizedComparator,
        NumericComparator,
        PhoneComparator,
        SemanticComparator,
        StructuredModelComparator,
        TextComparator,
        anls_score,
        register_comparator,
    )
    from fieldwise.compare import Comparison, NonMatchType, Outcome, Plan, Verdict
    from fieldwise.errors import FieldwiseError, InputError, JudgeError, MissingExtraError, SettingError
    from fieldwise.model import (
        ComparableField,
        EvalResult,
        EvalSpec,
        NonMatchField,
        StructuredModel,
        compare_json,
        compare_structured_models,
        eval_for,
        evaluate,
    )
    from fieldwise.readers.pairs import open_pairs
    from fieldwise.results import (
        Counts,
        DocumentMetrics,
        Failure,
        FieldMetrics,
        GateReport,
        Metrics,
        Rate,
        Rates,
        RunDifference,
    )
    from fieldwise.runs.folder_run import open_run
    from fieldwise.service import EvaluationService
    from fieldwise.spec import Spec


_HOMES = {
    "api": ("Evaluation", "evaluate_pairs"),
    "bulk": ("BulkStructuredModelEvaluator", "ProcessEvaluation", "aggregate_from_comparisons"),
    "bulk_aggregator": ("BulkEvaluationAggregator",),
    "comparators": (
        "ANLSStarComparator",
        "AmountComparator",
        "BBoxIoUComparator",
        "BaseComparator",
        "BooleanComparator",
        "CodeComparator",
        "ContainsComparator",
        "CurrencyComparator",
        "DateComparator",
        "EnumComparator",
        "ExactComparator",
        "FormulaComparator",
        "FuzzyComparator",
        "LLMComparator",
        "LevenshteinComparator",
        "NormalizedComparator",
        "NumericComparator",
        "PhoneComparator",
        "SemanticComparator",
        "StructuredModelComparator",
        "TextComparator",
        "anls_score",
        "register_comparator",
    ),
    "compare": ("Comparison", "NonMatchType", "Outcome", "Plan", "Verdict"),
    "errors": ("FieldwiseError", "InputError", "JudgeError", "MissingExtraError", "SettingError"),
    "model": (
        "ComparableField",
        "EvalResult",
        "EvalSpec",
        "NonMatchField",
        "StructuredModel",
        "compare_json",
        "compare_structured_models",
        "eval_for",
        "evaluate",
    ),
    "readers.pairs": ("open_pairs",),
    "results": (
        "Counts",
        "DocumentMetrics",
        "Failure",
        "FieldMetrics",
        "GateReport",
        "Metrics",
        "Rate",
        "Rates",
        "RunDifference",
    ),
    "runs.folder_run": ("open_run",),
    "service": ("EvaluationService",),
    "spec": ("Spec",),
}
_HOME_OF = {name: f"fieldwise.{module}" for module, names in _HOMES.items() for name in names}

__all__ = [
    "ANLSStarComparator",
    "AmountComparator",
    "BBoxIoUComparator",
    "BaseComparator",
    "BooleanComparator",
    "BulkEvaluationAggregator",
    "BulkStructuredModelEvaluator",
    "CodeComparator",
    "ComparableField",
    "Comparison",
    "ContainsComparator",
    "Counts",
    "CurrencyComparator",
    "DateComparator",
    "DocumentMetrics",
    "EnumComparator",
    "EvalResult",
    "EvalSpec",
    "Evaluation",
    "EvaluationService",
    "ExactComparator",
    "Failure",
    "FieldMetrics",
    "FieldwiseError",
    "FormulaComparator",
    "FuzzyComparator",
    "GateReport",
    "InputError",
    "JudgeError",
    "LLMComparator",
    "LevenshteinComparator",
    "Metrics",
    "MissingExtraError",
    "NonMatchField",
    "NonMatchType",
    "NormalizedComparator",
    "NumericComparator",
    "Outcome",
    "PhoneComparator",
    "Plan",
    "ProcessEvaluation",
    "Rate",
    "Rates",
    "RunDifference",
    "SemanticComparator",
    "SettingError",
    "Spec",
    "StructuredModel",
    "StructuredModelComparator",
    "TextComparator",
    "Verdict",
    "__version__",
    "aggregate_from_comparisons",
    "anls_score",
    "compare_json",
    "compare_structured_models",
    "eval_for",
    "evaluate",
    "evaluate_pairs",
    "open_pairs",
    "open_run",
    "register_comparator",
]

draw_with(lambda: import_module("fieldwise.render.results"))  # slow to import, and needed where somebody looks

__getattr__, __dir__ = lazy_names(__name__, _HOME_OF)
