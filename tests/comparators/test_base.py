"""Comparators of one's own: classes and functions."""

from __future__ import annotations

import re
from decimal import Decimal
from typing import Any

import numpy as np
import pytest

from fieldwise.comparators import (
    BaseComparator,
    FunctionComparator,
    LevenshteinComparator,
    StructuredModelComparator,
)
from fieldwise.errors import SettingError


class FirstLetter(BaseComparator):
    """Scores 1 where the first letters are equal."""

    def __init__(self, letters: int = 1, threshold: float | None = None) -> None:
        super().__init__(threshold=threshold)
        self.letters = letters

    def _compare(self, expected: Any, predicted: Any) -> float:
        return float(str(expected)[: self.letters] == str(predicted)[: self.letters])


class Bare(BaseComparator):
    """Never calls the constructor of its base."""

    def __init__(self) -> None:
        pass

    def _compare(self, expected: Any, predicted: Any) -> float:
        return 0.5


class Measured:
    """Something that can compare itself."""

    def __init__(self, size: float) -> None:
        self.size = size

    def compare(self, other: Measured) -> float:
        return min(self.size, other.size) / max(self.size, other.size)


def test_own_class_needs_one_method() -> None:
    """A class with `_compare` has pairs, grids, calls, verdicts, a name and a configuration."""
    comparator = FirstLetter()
    assert comparator.compare("abc", "axe") == comparator("abc", "axe") == 1.0
    assert comparator.grid(["ab", "b"], ["a"]).tolist() == [[1.0], [0.0]]
    assert comparator.binary_compare("ab", "cd") == (0, 1)
    assert (comparator.name, comparator.config, comparator.describe()) == ("FirstLetter", {}, "firstletter")
    assert FirstLetter(2).config == {"letters": 2}
    assert comparator.notes("a", "b") == ""


def test_own_class_without_constructor_call() -> None:
    """A class that does not call its base's constructor still has a threshold."""
    assert Bare().threshold == 0.7
    assert Bare().given_threshold is None
    assert Bare() == Bare()


def test_compare_alone_is_enough() -> None:
    """A class that implements only `compare` is asked through it, in pairs and grids; one with neither is abstract."""

    class Half(BaseComparator):
        def compare(self, expected: Any, predicted: Any) -> float:
            return 0.5

    class Neither(BaseComparator):
        pass

    half = Half()  # type: ignore[abstract]
    assert half._compare("a", "b") == half("a", "b") == 0.5
    assert half.grid(["a"], ["b", "c"]).tolist() == [[0.5, 0.5]]
    with pytest.raises(TypeError, match="abstract"):
        Neither()  # type: ignore[abstract]


def test_thresholds() -> None:
    """A given threshold is kept for the plan; a comparator's own serves only its own verdict."""
    assert LevenshteinComparator().given_threshold is None
    assert LevenshteinComparator().threshold == 0.7
    assert LevenshteinComparator(threshold=0.9).given_threshold == 0.9
    assert LevenshteinComparator(threshold=0.9).config == {}
    assert LevenshteinComparator().binary_compare("kitten", "sitting") == (0, 1)
    assert LevenshteinComparator(threshold=0.5).binary_compare("kitten", "sitting") == (1, 0)


def test_equality() -> None:
    """Comparators are equal by class, settings and given threshold."""
    assert LevenshteinComparator() == LevenshteinComparator()
    assert LevenshteinComparator() != LevenshteinComparator(threshold=0.7)
    assert LevenshteinComparator() != LevenshteinComparator(normalize=False)
    assert LevenshteinComparator() != FirstLetter()
    assert LevenshteinComparator() != "levenshtein"
    assert repr(LevenshteinComparator(False, threshold=0.9)) == "LevenshteinComparator(normalize=False, threshold=0.9)"


@pytest.mark.parametrize(
    ("result", "score"),
    [(0.25, 0.25), (True, 1.0), (np.float64(0.5), 0.5), (np.bool_(True), 1.0), (1 + 1e-6, 1.0), (-1e-6, 0.0)],
)
def test_function_results_are_scores(result: Any, score: float) -> None:
    """A function's number is its score; up to 1e-6 outside of 0..1 is rounding."""
    assert FunctionComparator(lambda a, b: result).compare("a", "b") == score


@pytest.mark.parametrize("result", [float("nan"), "0.5", None, [1], 7, -3, 1.00001, float("inf")])
def test_other_function_results_are_refused(result: Any) -> None:
    """A result that is no number from 0 to 1 is an error that names the function, both values and the result."""

    def closeness(expected: Any, predicted: Any) -> Any:
        return result

    words = rf"`closeness` for 'a' and 'b', got {re.escape(repr(result))}"
    with pytest.raises(SettingError, match=words):
        FunctionComparator(closeness).compare("a", "b")


def test_function_errors_propagate() -> None:
    """What a user's function raises arrives as it is."""
    with pytest.raises(ZeroDivisionError):
        FunctionComparator(lambda a, b: 1 / 0).compare("a", "b")


def test_function_names() -> None:
    """A function comparator goes by the given name, else the function's."""
    assert FunctionComparator(max, "biggest", threshold=0.3).name == "biggest"
    assert FunctionComparator(max).describe() == "max"
    assert FunctionComparator(max) != FunctionComparator(min)
    with pytest.raises(SettingError, match="Expected a function"):
        FunctionComparator("max")  # type: ignore[arg-type]


def test_structured() -> None:
    """Values that compare themselves do; others are alike where they are the same."""
    comparator = StructuredModelComparator()
    assert comparator.compare(Measured(1), Measured(4)) == 0.25
    assert comparator.compare(Measured(1), 4) == 0.0
    assert comparator.compare(1, 1.0) == 1.0
    assert comparator.compare({"a": [1]}, {"a": [1]}) == 1.0
    assert comparator.compare(Decimal(1), Decimal(2)) == 0.0
    assert StructuredModelComparator(strict_types=True).compare(1, 1.0) == 0.0
