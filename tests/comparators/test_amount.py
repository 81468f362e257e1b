"""Amounts and quantities as they are compared where nothing is declared."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fieldwise import AmountComparator, NumericComparator


def grouped(number: int, mark: str) -> str:
    return f"{number:,}".replace(",", mark)


@given(
    number=st.integers(1_000, 10**9),
    mark=st.sampled_from([".", ",", "'", "’", " ", "\u202f", ""]),
    end=st.sampled_from([".-", ".--", ",-", ",--", ".—", "/-"]),
    currency=st.sampled_from(["", "CHF ", "Fr. "]),
)
def test_a_whole_amount_may_end_in_a_sign_for_no_cents(number: int, mark: str, end: str, currency: str) -> None:
    """However its thousands are marked, the amount is the whole number, for every comparator of numbers."""
    text = f"{currency}{grouped(number, mark)}{end}"
    for comparator in (AmountComparator(), NumericComparator()):
        assert comparator.compare(text, number) == comparator.compare(str(number), text) == 1.0
        assert comparator.compare(text, number + 1) == 0.0


@pytest.mark.parametrize(
    ("expected", "predicted", "alike"),
    [
        ("6.800.-", "6800", True),
        ("6.800.-", "6.8", False),
        ("12.50/-", "12.50", True),
        ("$1.2M", "$1,200,000", True),
        ("$1.2 million", "USD 1,200,000", True),
        ("€ 5 Mrd.", "5000000000 €", True),
        ("₹1.5 lakh", "150000", True),
        ("5 million", "5", False),
        ("$5M", "$5", False),
        ("5M", "5", False),
        ("5 kg", "5 kilograms", True),
        ("3 hrs", "3 hours", True),
        ('25.5"', "25.50 inches", True),
        ("5 kg", "5 g", False),
        ("85 m2", "85 m²", True),
        ("0,789 kg", "0.789 kg", True),
        ("$3,000 plus costs", "$3,000 plus costs.", True),
        ("$3,000 plus costs", "$3,000 plus fees", False),
        ("12.5 KGS", "12.5 kg", True),
        ("10 mM", "10 mm", False),
        ("5 mW", "5.0 mW", True),
        ("5 mW", "5 MW", False),
        ("1 MPa", "1 mPa", False),
        ("100 mb", "100 Mb", False),
        ("100 MHz", "100 mhz", True),
        ("23.5 x 16cm", "23,5 × 16 cm", True),
        ("23.5 cm x 16 cm", "23.5 x 16 cm", True),
        ("23.5 x 16 cm", "16 x 23.5 cm", False),
        ("23.5 x 16 cm", "23.5 x 16 mm", False),
    ],
)
def test_units_and_magnitudes(expected: str, predicted: str, alike: bool) -> None:
    """A word for a power of ten multiplies, names of one unit agree, and case tells milli from mega."""
    comparator = AmountComparator()
    assert comparator.compare(expected, predicted) == comparator.compare(predicted, expected) == float(alike)
    assert comparator.grid([expected], [predicted])[0, 0] == float(alike)
