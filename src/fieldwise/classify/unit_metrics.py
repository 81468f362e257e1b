"""Metrics that judge single predictions: each turns lists of golden and predicted dicts into records.

A key that is missing or null on both sides is a wrong answer, not an agreement.
"""

from __future__ import annotations

import difflib
from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import ClassVar

from fieldwise.checks import checked_flag, read_number
from fieldwise.classify.rows import UnitMetricResult, check_dict
from fieldwise.errors import InputError
from fieldwise.values import Json


class PairMetric(ABC):
    """Judges pairs one by one; ``name`` is what the metadata call it."""

    name: ClassVar[str]

    def evaluate(self, golden: Sequence[Json], predicted: Sequence[Json]) -> list[UnitMetricResult]:
        """Return a record for each pair; InputError for lists of unequal length."""
        if len(golden) != len(predicted):
            lengths = f"got {len(golden)} and {len(predicted)}"
            raise InputError(
                f"{type(self).__name__}: golden and predicted must have same length ({lengths})",
                code="input.different_lengths",
            )
        return [self._record(*pair) for pair in zip(golden, predicted, strict=True)]

    def _record(self, golden: Json, predicted: Json) -> UnitMetricResult:
        check_dict("golden", golden)
        check_dict("predicted", predicted)
        correct, metadata = self.judge(golden, predicted)
        return UnitMetricResult(correct, golden, predicted, {"validator": self.name, **metadata})

    @abstractmethod
    def judge(self, golden: dict[str, Json], predicted: dict[str, Json]) -> tuple[bool, dict[str, Json]]:
        """Say whether a prediction is right, and what was compared."""


class ExactMatchMetric(PairMetric):
    """Equal texts, by default in any case and with any white space; of one key, or of the whole dicts."""

    name = "exact_match"

    def __init__(
        self, *, case_sensitive: bool = False, normalize_whitespace: bool = True, key: str | None = None
    ) -> None:
        self.case_sensitive = checked_flag("case_sensitive", case_sensitive)
        self.normalize_whitespace = checked_flag("normalize_whitespace", normalize_whitespace)
        self.key = key

    def judge(self, golden: dict[str, Json], predicted: dict[str, Json]) -> tuple[bool, dict[str, Json]]:
        sides = [side.get(self.key, "") if self.key else str(side) for side in (golden, predicted)]
        one, other = (self._text(side) for side in sides)
        metadata = {
            "golden_text": sides[0],
            "predicted_text": sides[1],
            "case_sensitive": self.case_sensitive,
            "normalize_whitespace": self.normalize_whitespace,
        }
        return one == other and not (self.key and _in_neither(self.key, self.key, golden, predicted)), metadata

    def _text(self, value: Json) -> str:
        text = str(value)
        if self.normalize_whitespace:
            text = " ".join(text.split())
        return text if self.case_sensitive else text.lower()


class ActionWithinBboxMetric(PairMetric):
    """A point inside a box of x, y, width and height, its edges included."""

    name = "action_within_bbox"

    def __init__(
        self, *, predicted_x_key: str = "x", predicted_y_key: str = "y", golden_bbox_key: str = "bbox"
    ) -> None:
        self.keys = {"predicted_x_key": predicted_x_key, "predicted_y_key": predicted_y_key}
        self.keys["golden_bbox_key"] = golden_bbox_key

    def _record(self, golden: Json, predicted: Json) -> UnitMetricResult:
        sides = (side if isinstance(side, dict) else {"value": side} for side in (golden, predicted))
        return super()._record(*sides)

    def judge(self, golden: dict[str, Json], predicted: dict[str, Json]) -> tuple[bool, dict[str, Json]]:
        return self._inside(golden.get(self.keys["golden_bbox_key"]), predicted), dict(self.keys)

    def _inside(self, box: Json, predicted: dict[str, Json]) -> bool:
        try:
            left, top, width, height = (float(box[side]) for side in ("x", "y", "width", "height"))
            x, y = (float(predicted[self.keys[key]]) for key in ("predicted_x_key", "predicted_y_key"))
        except (KeyError, TypeError, ValueError):
            return False
        return left <= x <= left + width and top <= y <= top + height


class ScrollDirectionMetric(PairMetric):
    """The same direction: up, down, left or right."""

    name = "scroll_direction"
    DIRECTIONS = ("up", "down", "left", "right")

    def __init__(self, *, golden_direction_key: str = "direction", predicted_direction_key: str = "direction") -> None:
        self.golden_key, self.predicted_key = golden_direction_key, predicted_direction_key

    def judge(self, golden: dict[str, Json], predicted: dict[str, Json]) -> tuple[bool, dict[str, Json]]:
        expected, found = golden.get(self.golden_key), predicted.get(self.predicted_key)
        metadata = {"golden_direction": expected, "predicted_direction": found}
        return expected in self.DIRECTIONS and expected == found, metadata


class ScrollAmountMetric(PairMetric):
    """Amounts within a percentage of the golden one; within ``scroll_threshold`` where the golden one is 0."""

    name = "scroll_amount"

    def __init__(
        self,
        *,
        tolerance_percent: float = 20.0,
        scroll_threshold: float = 10.0,
        golden_amount_key: str = "amount",
        predicted_amount_key: str = "amount",
    ) -> None:
        self.tolerance = read_number("tolerance_percent", tolerance_percent, 0.0)
        self.threshold = read_number("scroll_threshold", scroll_threshold, 0.0)
        self.golden_key, self.predicted_key = golden_amount_key, predicted_amount_key

    def judge(self, golden: dict[str, Json], predicted: dict[str, Json]) -> tuple[bool, dict[str, Json]]:
        try:
            expected, found = float(golden.get(self.golden_key, 0)), float(predicted.get(self.predicted_key, 0))
        except (TypeError, ValueError) as error:
            return False, {"error": str(error)}
        difference = abs(expected - found)
        percent = difference / abs(expected) * 100 if expected else float("inf") if difference else 0.0
        valid = percent <= self.tolerance if expected else difference <= self.threshold
        valid = valid and not _in_neither(self.golden_key, self.predicted_key, golden, predicted)
        return valid, {
            "is_valid": valid,
            "difference": difference,
            "difference_percent": percent,
            "tolerance_used": self.tolerance,
            "scroll_threshold": self.threshold,
            "golden_scroll_amount": expected,
            "predicted_scroll_amount": found,
        }


class TypedValueMatchMetric(PairMetric):
    """Typed texts that are equal but for case and white space, or similar enough (difflib's ratio)."""

    name = "typed_value_match"

    def __init__(
        self,
        *,
        fuzzy_match_threshold: float = 0.8,
        golden_text_key: str = "text",
        predicted_text_key: str = "text",
    ) -> None:
        self.threshold = read_number("fuzzy_match_threshold", fuzzy_match_threshold, 0.0, 1.0)
        self.golden_key, self.predicted_key = golden_text_key, predicted_text_key

    def judge(self, golden: dict[str, Json], predicted: dict[str, Json]) -> tuple[bool, dict[str, Json]]:
        texts = str(golden.get(self.golden_key, "")), str(predicted.get(self.predicted_key, ""))
        one, other = (" ".join(text.lower().split()) for text in texts)
        matcher = difflib.SequenceMatcher(None, one, other)
        exact, similarity = one == other, matcher.ratio()
        fuzzy = similarity >= self.threshold
        both_missing = _in_neither(self.golden_key, self.predicted_key, golden, predicted)
        return (exact or fuzzy) and not both_missing, {
            "golden_text": texts[0],
            "predicted_text": texts[1],
            "exact_match": exact,
            "similarity_score": similarity,
            "fuzzy_match": fuzzy,
            "differences": [
                {"operation": tag, "golden": one[i:j], "predicted": other[k:m]}
                for tag, i, j, k, m in matcher.get_opcodes()
                if tag != "equal"
            ],
        }


def _in_neither(golden_key: str, predicted_key: str, golden: dict[str, Json], predicted: dict[str, Json]) -> bool:
    return golden.get(golden_key) is None and predicted.get(predicted_key) is None
