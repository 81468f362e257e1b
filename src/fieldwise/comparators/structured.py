"""The comparator of values that can compare themselves."""

from __future__ import annotations

from decimal import Decimal
from typing import ClassVar

from fieldwise.checks import checked_flag
from fieldwise.comparators.base import ANY_KIND, BaseComparator, as_score
from fieldwise.values import Json, same


class StructuredModelComparator(BaseComparator):
    """Scores by the first value's own ``compare`` method where both have one, else 1 for equal values.

    With ``strict_types`` values of different types are unlike.

    >>> StructuredModelComparator().compare({"a": 1}, {"a": 1})
    1.0
    """

    takes: ClassVar[frozenset[str]] = ANY_KIND

    def __init__(self, threshold: float | None = None, strict_types: bool = False) -> None:
        super().__init__(threshold)
        self.strict_types = checked_flag("strict_types", strict_types)

    def _compare(self, expected: Json, predicted: Json) -> float:
        if self.strict_types and type(expected) is not type(predicted):
            return 0.0
        if _compares_itself(expected) and _compares_itself(predicted):
            return as_score(expected.compare(predicted), f"{type(expected).__name__}.compare", (expected, predicted))
        return 1.0 if same(expected, predicted) else 0.0

    def describe(self) -> str:
        """Return ``its own compare``."""
        return "its own compare"


def _compares_itself(value: Json) -> bool:
    return not isinstance(value, (type, Decimal)) and callable(getattr(value, "compare", None))
