"""The comparator of formulas, chemical and mathematical, in which case is the value: CO is no Co."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Hashable
from typing import ClassVar

from fieldwise.comparators.as_text import plain_form, text_of
from fieldwise.comparators.base import SCALARS, KeyedComparator
from fieldwise.values import Json, canonical

_MAX_LENGTH = 400
_SMALL = "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻₀₁₂₃₄₅₆₇₈₉₊₋"
"""Raised and lowered digits and signs."""
_SMALL_BEHIND_DIGIT = re.compile(rf"(?<=[0-9])(?=[{_SMALL}])")
_SMALL_CHAR = re.compile(rf"[{_SMALL}]")
_LAYOUT = re.compile(r"[\s_{}$]")
"""Blanks, and what LaTeX writes around indices."""
_DOT = re.compile(r"[·•∙⋅*]|(?<=[A-Za-z)\]])(?<!\A.)\.(?=\d*[A-Z])|(?<=[A-Za-z)\]]\d)\.(?=\d*[A-Z])")
_POWER = re.compile(r"(?<=[^\W\d])\^(?=[0-9+-])|(?<=[)\]])\^(?=[0-9+-])")
_TIMES = re.compile(r"(?<=[0-9])\*(?=[^\W\d]|\()")
_MATHEMATICAL = re.compile(r"[\w\s.,()\[\]+\-*/^=]+\Z")
_OPERATOR = re.compile(r"[\w)]\s*(?:\*\*?|\^)\s*[\w(]")
_NO_VARIABLE = re.compile(r"[^\W\d_]{2}(?![^\W\d_]*\()")
"""A word of two letters and more that is no function."""


class FormulaComparator(KeyedComparator):
    """Scores 1 where two formulas are the same to the letter, case included, else 0.

    How an index or a power is set makes no difference (``H₂O``, ``H_2O``; ``x**2``, ``x^2``, ``x²``), nor do blanks,
    the forms of dashes and dots, and a sign for *times* between a number and what it multiplies (``3*x``, ``3x``).

    >>> FormulaComparator().compare("H₂O", "H2O"), FormulaComparator().compare("3*x**2", "3x^2")
    (1.0, 1.0)
    >>> FormulaComparator().compare("CO", "Co"), FormulaComparator().compare("10²", "102")
    (0.0, 0.0)
    """

    takes: ClassVar[frozenset[str]] = SCALARS

    def key(self, value: Json) -> Hashable:
        """Return the formula without what does not count."""
        text = text_of(value)
        if text is None:
            return (canonical(value),)
        text = _SMALL_BEHIND_DIGIT.sub("^", text)
        text = _SMALL_CHAR.sub(lambda char: unicodedata.normalize("NFKC", char[0]), text)
        text = _DOT.sub("*", _LAYOUT.sub("", plain_form(text)).replace("**", "^"))
        return _TIMES.sub("", _POWER.sub("", text))


def is_term(text: str) -> bool:
    """Return whether a text may be a mathematical term: of numbers, single letters, functions and operators.

    >>> [is_term(text) for text in ("sin(x) + 2", "x/2", "(a + b)c", "Paris (Texas)", "INV-001")]
    [True, True, True, False, False]
    """
    return len(text) <= _MAX_LENGTH and bool(_MATHEMATICAL.match(text)) and not _NO_VARIABLE.search(text)


def is_formula(text: str) -> bool:
    """Return whether a text is a mathematical term with a product or a power.

    >>> [is_formula(text) for text in ("3*x**2", "x^2 + 2", "2 * (a + b)", "INV-001", "5 x 3 cm", "*required")]
    [True, True, True, False, False, False]
    """
    return len(text) <= _MAX_LENGTH and bool(_MATHEMATICAL.match(text) and _OPERATOR.search(text))
