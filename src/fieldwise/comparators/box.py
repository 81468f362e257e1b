"""The comparator of bounding boxes."""

from __future__ import annotations

import math
from decimal import Decimal
from fractions import Fraction
from typing import ClassVar, TypeAlias

from fieldwise.comparators.base import ReadComparator
from fieldwise.values import Json

Number: TypeAlias = "int | float | Fraction"
Box: TypeAlias = tuple[Number, Number, Number, Number]
"""Left, top, right, bottom."""


class BBoxIoUComparator(ReadComparator["Box | None"]):
    """Scores two boxes by the area that both cover, divided by the area that either covers.

    A box is [x1, y1, x2, y2] or [[x1, y1], [x2, y2]], corners in any order; anything else scores 0,
    and so does a pair without area.

    >>> BBoxIoUComparator().compare([0, 0, 10, 10], [[5, 0], [15, 10]])
    0.3333333333333333
    """

    own_threshold: ClassVar[float] = 0.5
    takes: ClassVar[frozenset[str]] = frozenset({"box", "list"})

    def _read(self, value: Json) -> Box | None:
        return read_box(value)

    def _score(self, left: Box | None, right: Box | None) -> float:
        if left is None or right is None:
            return 0.0
        try:
            both, either = _areas(left, right)
            if 0 < either < math.inf:
                return float(both / either)
        except OverflowError:
            pass  # integers too large for the floats beside them
        both, either = _areas(_exact(left), _exact(right))
        return float(both / either) if either > 0 else 0.0

    def describe(self) -> str:
        """Return ``box overlap``."""
        return "box overlap"


def read_box(value: Json) -> Box | None:
    """Return a box with its corners in order, None where the value is no box.

    >>> read_box([[10, 10], [0, 5]])
    (0, 5, 10, 10)
    """
    if not isinstance(value, (list, tuple)):
        return None
    if len(value) == 2 and all(isinstance(corner, (list, tuple)) and len(corner) == 2 for corner in value):
        value = [*value[0], *value[1]]
    if len(value) != 4 or not all(map(_is_finite, value)):
        return None
    x1, y1, x2, y2 = (Fraction(part) if isinstance(part, Decimal) else part for part in value)
    return min(x1, x2), min(y1, y2), max(x1, x2), max(y1, y2)


def _is_finite(part: Json) -> bool:
    if isinstance(part, (int, Fraction)):
        return True
    if isinstance(part, Decimal):
        return part.is_finite() and abs(part.adjusted()) < 1_000
    return isinstance(part, float) and math.isfinite(part)


def _areas(left: Box, right: Box) -> tuple[Number, Number]:
    width = min(left[2], right[2]) - max(left[0], right[0])
    height = min(left[3], right[3]) - max(left[1], right[1])
    both = width * height if width > 0 and height > 0 else 0
    return both, _area(left) + _area(right) - both


def _area(box: Box) -> Number:
    return (box[2] - box[0]) * (box[3] - box[1])


def _exact(box: Box) -> Box:
    return Fraction(box[0]), Fraction(box[1]), Fraction(box[2]), Fraction(box[3])
