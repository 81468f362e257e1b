"""Comparators: each scores two values from 0 to 1; ``build`` makes them from their names.

They are imported when they are asked for, so that importing the package is quick.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from fieldwise.comparators.base import BaseComparator, FunctionComparator
from fieldwise.comparators.catalogue import (
    HOMES,
    build,
    comparator_names,
    get_comparator_class,
    register_comparator,
)
from fieldwise.lazy import lazy_names

if TYPE_CHECKING:
    from fieldwise.comparators.amount import AmountComparator
    from fieldwise.comparators.anls import ANLSStarComparator, ScoreNode, anls_score
    from fieldwise.comparators.base import StructuredModelComparator
    from fieldwise.comparators.box import BBoxIoUComparator
    from fieldwise.comparators.choice import BooleanComparator, EnumComparator
    from fieldwise.comparators.currency import CurrencyComparator
    from fieldwise.comparators.date import DateComparator
    from fieldwise.comparators.formula import FormulaComparator
    from fieldwise.comparators.judge import LLMComparator
    from fieldwise.comparators.number import NumericComparator
    from fieldwise.comparators.phone import PhoneComparator
    from fieldwise.comparators.plain_text import TextComparator
    from fieldwise.comparators.semantic import SemanticComparator
    from fieldwise.comparators.similar_text import FuzzyComparator, LevenshteinComparator
    from fieldwise.comparators.text import CodeComparator, ContainsComparator, ExactComparator, NormalizedComparator

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
    "FormulaComparator",
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

_MODULES = {**HOMES, "anls_score": "anls", "ScoreNode": "anls"}

__getattr__, __dir__ = lazy_names(__name__, {name: f"{__name__}.{module}" for name, module in _MODULES.items()})
