"""Formulas: the same to the letter, however they are set."""

from __future__ import annotations

import pytest

from fieldwise import FormulaComparator


@pytest.mark.parametrize(
    ("expected", "predicted", "alike"),
    [
        ("CO", "Co", False),
        ("H₂O", "H2O", True),
        ("H_2O", "H2O", True),
        ("$Fe_{2}O_{3}$", "Fe₂O₃", True),
        ("Fe²⁺", "Fe2+", True),
        ("Fe²⁺", "Fe³⁺", False),
        ("O₇.₃₅", "O7.35", True),
        ("CaSO4·2H2O", "CaSO₄•2H₂O", True),
        ("Zr6–fBPDC", "Zr6-fBPDC", True),
        ("Zr6-fBPDC", "Zr6-fBDC", False),
        ("3x**2", "3*x**2", True),
        ("4y**3", "4 * y^3", True),
        ("x²", "x**2", True),
        ("10²", "102", False),
        ("2*3", "23", False),
        ("a*b", "ab", False),
        ("x + 1", "x - 1", False),
        ({"a": 1}, "a", False),
    ],
)
def test_formulas(expected: object, predicted: object, alike: bool) -> None:
    """How an index, a power or a product is written makes no difference; a letter, its case and an operator do."""
    assert FormulaComparator().compare(expected, predicted) == float(alike)
