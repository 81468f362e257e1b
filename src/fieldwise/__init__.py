"""fieldwise tells how good extracted data is, field by field.

>>> import fieldwise
>>> spec = fieldwise.Spec.infer([{"invoice_id": "A-1", "total": 10.0}])
>>> plan = fieldwise.Plan.compile(spec)
>>> plan.compare({"invoice_id": "A-1", "total": 10.0}, {"invoice_id": "A-1", "total": 11.0}).score
0.5
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from fieldwise.version import __version__

if TYPE_CHECKING:
    from fieldwise.comparators import (
        ANLSStarComparator,
        BaseComparator,
        BBoxIoUComparator,
        BooleanComparator,
        DateComparator,
        EnumComparator,
        ExactComparator,
        FuzzyComparator,
        LevenshteinComparator,
        LLMComparator,
        NormalizedComparator,
        NumericComparator,
        PhoneComparator,
        SemanticComparator,
        StructuredModelComparator,
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
    from fieldwise.spec import Spec


_HOMES = {
    "comparators": (
        "ANLSStarComparator",
        "BBoxIoUComparator",
        "BaseComparator",
        "BooleanComparator",
        "DateComparator",
        "EnumComparator",
        "ExactComparator",
        "FuzzyComparator",
        "LLMComparator",
        "LevenshteinComparator",
        "NormalizedComparator",
        "NumericComparator",
        "PhoneComparator",
        "SemanticComparator",
        "StructuredModelComparator",
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
    "spec": ("Spec",),
}
_HOME_OF = {name: module for module, names in _HOMES.items() for name in names}

__all__ = [
    "ANLSStarComparator",
    "BBoxIoUComparator",
    "BaseComparator",
    "BooleanComparator",
    "ComparableField",
    "Comparison",
    "DateComparator",
    "EnumComparator",
    "EvalResult",
    "EvalSpec",
    "ExactComparator",
    "FieldwiseError",
    "FuzzyComparator",
    "InputError",
    "JudgeError",
    "LLMComparator",
    "LevenshteinComparator",
    "MissingExtraError",
    "NonMatchField",
    "NonMatchType",
    "NormalizedComparator",
    "NumericComparator",
    "Outcome",
    "PhoneComparator",
    "Plan",
    "SemanticComparator",
    "SettingError",
    "Spec",
    "StructuredModel",
    "StructuredModelComparator",
    "Verdict",
    "__version__",
    "anls_score",
    "compare_json",
    "compare_structured_models",
    "eval_for",
    "evaluate",
    "register_comparator",
]


def __getattr__(name: str) -> Any:
    if name not in _HOME_OF:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(importlib.import_module(f"{__name__}.{_HOME_OF[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
