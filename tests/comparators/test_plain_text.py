"""Numbers and text where nothing was declared: what is alike, and what only looks alike."""

from __future__ import annotations

import pytest

from fieldwise.comparators import AmountComparator, TextComparator
from fieldwise.values import Json


@pytest.mark.parametrize(
    ("expected", "predicted", "alike"),
    [
        (1234.5, "$1,234.50", True),
        ("5", "5 kg", True),
        ("5 kg", "5kg", True),
        ("5 lb", "5 lbs", True),
        ("RM9.00", "9.00", True),
        ("$5", "5 USD", True),
        ("5 eur", "EUR 5", True),
        ("n/a", "N/A", True),
        (0.1 + 0.2, 0.3, True),
        (9306, 9308, False),
        (12345678901, 12345678902, False),
        (12345678901.0, 12345678902.0, False),
        ("10000000000000000.5", "10000000000000000", True),
        ("$5", "€5", False),
        ("5 kg", "5 g", False),
        ("5 km", "$5", False),
        ("5 kg", "5 EUR", False),
        ("5 pln", "5 eur", False),
        ("1,234.50", "1,234.5O", False),
        (5, "5 million", False),
        ("$1.50", "$1.50 bn", False),
        (5, "5A", False),
        (5, "not 5", False),
        ("5", "≥5", False),
        (1234, "01234", False),
    ],
)
def test_amounts(expected: Json, predicted: Json, alike: bool) -> None:
    """Numbers are equal when they are equal, in the same unit, and text is one only as a whole; grids say the same."""
    comparator = AmountComparator()
    assert comparator.compare(expected, predicted) == comparator.compare(predicted, expected) == float(alike)
    assert comparator.grid([expected], [predicted])[0, 0] == float(alike)


@pytest.mark.parametrize("method", ["levenshtein", "token_sort_ratio"])
@pytest.mark.parametrize(
    ("expected", "predicted"),
    [
        ("10 mg", "100 mg"),
        ("Hex nut M4", "Hex nut M5"),
        ("1234.50", "1234.51"),
        ("500 mg", "500 kg"),
        ("5 mg tablet", "5 g tablet"),
        ("12 Main St, Apt 4", "4 Main St, Apt 12"),
        ("12 Main St, Apt 4A", "12 Main St, Apt 4B"),
        ("5 apples and 3 pears", "3 apples and 5 pears"),
        ("temperature -5 degrees", "temperature 5 degrees"),
        ("≥ 5 mg", "≤ 5 mg"),
        ("due on 2024-01-15", "due on 2024-01-16"),
        ("2024-01-15", "2024-01-16"),
    ],
)
def test_digits_must_agree(expected: str, predicted: str, method: str) -> None:
    """However similar two texts are, they are not alike where their numbers, signs or units differ."""
    comparator = TextComparator(method)
    assert comparator.compare(expected, predicted) == comparator.compare(predicted, expected) == 0.0
    assert comparator.grid([expected, "x"], [predicted, "x"])[0, 0] == 0.0
    assert comparator.notes(expected, predicted)


@pytest.mark.parametrize(
    ("expected", "predicted", "method"),
    [
        ("1,234.50", "1234.5", "levenshtein"),
        ("2024-01-15", "January 15, 2024", "levenshtein"),
        ("café", "cafe\u0301", "token_sort_ratio"),
        ("O'Neil", "O’Neil", "levenshtein"),
        ("10115 Berlin, Hauptstr. 5", "Hauptstr. 5, 10115 Berlin", "token_sort_ratio"),
        ("Hammer drill, 750W", "Hammer drill, 750 W", "levenshtein"),
    ],
)
def test_the_same_written_differently(expected: str, predicted: str, method: str) -> None:
    """Numbers and dates in another form, letters in another form, words in another order are alike."""
    assert TextComparator(method).compare(expected, predicted) >= 0.9
