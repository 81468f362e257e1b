"""Comparators: each scores two values from 0 to 1; ``build`` makes them from their names.

They are imported when they are asked for, so that importing the package is quick.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from fieldwise.comparators.base import BaseComparator, FunctionComparator
from fieldwise.comparators.catalogue import (
    HOMES,
    build,
    comparator_names,
    get_comparator_class,
    register_comparator,
)

if TYPE_CHECKING:
    from fieldwise.comparators.amount import AmountComparator
    from fieldwise.comparators.anls import ANLSStarComparator, ScoreNode, anls_score
    from fieldwise.comparators.base import StructuredModelComparator
    from fieldwise.comparators.box import BBoxIoUComparator
    from fieldwise.comparators.choice import BooleanComparator, EnumComparator
    from fieldwise.comparators.contains import ContainsComparator
    from fieldwise.comparators.currency import CurrencyComparator
    from fieldwise.comparators.date import DateComparator
    from fieldwise.comparators.judge import LLMComparator
    from fieldwise.comparators.number import NumericComparator
    from fieldwise.comparators.phone import PhoneComparator
    from fieldwise.comparators.plain_text import CodeComparator, TextComparator
    from fieldwise.comparators.semantic import SemanticComparator
    from fieldwise.comparators.text import (
        ExactComparator,
        FuzzyComparator,
        LevenshteinComparator,
        NormalizedComparator,
    )

__all__ = [
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
    "FunctionComparator",
    "FuzzyComparator",
    "LLMComparator",
    "LevenshteinComparator",
    "NormalizedComparator",
    "NumericComparator",
    "PhoneComparator",
    "ScoreNode",
    "SemanticComparator",
    "StructuredModelComparator",
    "TextComparator",
    "anls_score",
    "build",
    "comparator_names",
    "get_comparator_class",
    "register_comparator",
]

_LAZY = {**HOMES, "anls_score": "anls", "ScoreNode": "anls"}


def __getattr__(name: str) -> Any:
    if name not in _LAZY:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(importlib.import_module(f"{__name__}.{_LAZY[name]}"), name)


def __dir__() -> list[str]:
    return sorted(__all__)
