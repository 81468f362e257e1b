"""What everything says, as frozen types that are JSON in and out; no numpy, no Arrow and no path in them."""

from fieldwise.results.core import Result
from fieldwise.results.metrics import (
    ClassMetrics,
    DocumentMean,
    DocumentMetrics,
    ErrorKindCounts,
    Failure,
    FieldMacro,
    FieldMean,
    FieldMetrics,
    LimitsMet,
    Metrics,
    OutsideCount,
    SeedRow,
)
from fieldwise.results.rates import RATIOS, Counts, Rate, Rates, Ratio

__all__ = [
    "RATIOS",
    "ClassMetrics",
    "Counts",
    "DocumentMean",
    "DocumentMetrics",
    "ErrorKindCounts",
    "Failure",
    "FieldMacro",
    "FieldMean",
    "FieldMetrics",
    "LimitsMet",
    "Metrics",
    "OutsideCount",
    "Rate",
    "Rates",
    "Ratio",
    "Result",
    "SeedRow",
]
