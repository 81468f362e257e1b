"""Comparators and values that the laws are checked on."""

from __future__ import annotations

import datetime as dt
import enum
import uuid
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
from hypothesis import strategies as st
from pydantic import BaseModel

from fieldwise.comparators import (
    AmountComparator,
    ANLSStarComparator,
    BaseComparator,
    BBoxIoUComparator,
    BooleanComparator,
    CodeComparator,
    ContainsComparator,
    CurrencyComparator,
    DateComparator,
    EnumComparator,
    ExactComparator,
    FormulaComparator,
    FunctionComparator,
    FuzzyComparator,
    LevenshteinComparator,
    LLMComparator,
    NormalizedComparator,
    NumericComparator,
    PhoneComparator,
    SemanticComparator,
    StructuredModelComparator,
    TextComparator,
)


class Colour(enum.Enum):
    RED = "red"
    SEVEN = 7


class Address(BaseModel):
    street: str = "Main St"
    number: int | None = None


def letters(text: str) -> list[float]:
    """Embed a text by how often it has each of a few letters."""
    return [1.0, *(float(text.count(letter)) for letter in "abcdefg0123")]


def same_letters(prompt: str) -> str:
    """Judge two values alike where they have the same letters."""
    expected = prompt.partition("<expected>")[2].partition("</expected>")[0]
    predicted = prompt.partition("<predicted>")[2].partition("</predicted>")[0]
    return "TRUE" if sorted(expected.lower()) == sorted(predicted.lower()) else "FALSE"


def first_letter(expected: Any, predicted: Any) -> float:
    return float(str(type(expected)) == str(type(predicted)))


SYMMETRIC: list[BaseComparator] = [
    ExactComparator(),
    ExactComparator(case_sensitive=False),
    LevenshteinComparator(),
    LevenshteinComparator(normalize=False),
    NormalizedComparator(),
    NormalizedComparator(case_sensitive=True, ignore_whitespace=False),
    NormalizedComparator(ignore_punctuation=False),
    NormalizedComparator(fold_symbols=True),
    NormalizedComparator(ignore_punctuation=False, fold_symbols=True),
    NormalizedComparator(ignore_punctuation=False, links=True),
    ContainsComparator(),
    CurrencyComparator(),
    FuzzyComparator(),
    FuzzyComparator("partial_ratio"),
    FuzzyComparator("token_sort_ratio", normalize=False),
    FuzzyComparator("token_set_ratio", normalize=False),
    FuzzyComparator("weighted_ratio"),
    NumericComparator(),
    NumericComparator(tolerance=0.01),
    NumericComparator(relative_tolerance=0.1, absolute_tolerance=1),
    NumericComparator(relative_tolerance=2.5, locale="de"),
    DateComparator(),
    DateComparator(tolerance=1, dayfirst=True, range_mode="contains"),
    DateComparator(tolerance=0.25, allow_partial_year=True, precision_mode="overlap"),
    DateComparator(range_mode="strict", formats=["%d.%m.%Y", "%B %Y"]),
    DateComparator(times=True),
    AmountComparator(),
    AmountComparator(locale="de"),
    AmountComparator(thousands=True),
    CodeComparator(),
    FormulaComparator(),
    TextComparator(),
    TextComparator(order="any"),
    TextComparator(free=True),
    PhoneComparator(),
    PhoneComparator(by_digits=True),
    PhoneComparator(region="GB"),
    BooleanComparator(),
    EnumComparator(),
    EnumComparator(fold_joints=True),
    EnumComparator(values=["red", 7], aliases={"red": ["rouge"]}, case_sensitive=True),
    ANLSStarComparator(),
    ANLSStarComparator(leaf_threshold=0.0),
    StructuredModelComparator(),
    StructuredModelComparator(strict_types=True),
    SemanticComparator(embedding_function=letters),
    LLMComparator(same_letters, allow_grid=True),
    FunctionComparator(first_letter),
]
BOXES: list[BaseComparator] = [BBoxIoUComparator()]
LOPSIDED: list[BaseComparator] = [
    DateComparator(precision_mode="gt_loose"),
    DateComparator(range_mode="reject"),
]
EVERY = SYMMETRIC + BOXES + LOPSIDED

TEXTS = [
    "a", "A", " a ", "True", "false", "red", "Rouge", "é", "e\u0301", "ﬁ", "Straße", "STRASSE", "İ",
    "\ud800", "\x00", "\u200b!",
    "1", "1.0", "1e5", "1e999999999", "1e-99999", "-0", "(5)", "5-", "$1,234.50", "1.234,50 €", "1,5",
    "1/2", "1/0", "1 1/2", "½",
    "12-34", "INV-001", "inf", "NaN", "٣٫٥", "１２", "1" * 500, "9" * 5_000, "1" + " " * 300 + "2",
    "2024-01-15", "2024-02-30", "01/02/2024", "Jan 2024", "2024", "5", "Feb 29", "12:30 PM", "garbage",
    "2024-01-01 to 2024-01-10", "Dec 20 - Jan 5", "12/20 to 12/30", "2024-01-15T23:30:00-05:00",
    "0001-01-01T00:00+23:59",
    "9999-12-31T23:59:59-23:59", "2024-01-15 10:00 XYZ", "1/1/23-2025-02-31 10:00 PM",
    "10 mg", "100 mg", "10 kg", "EUR 5", "$5", "€5", "5 USD", "INV–001", "inv-001", "Jan 5, 2024", "5.1.2024",
    "$", "US$", "US dollar (USD)", "kr", "¥", "￥", "10 mg", "110 mg", "take 10 mg", "1−1", "1-1", "!?", "5 €", "5 $",
    "12.000", "12,000", "Rp 12.000", "1.250.000", "10 000,00", "3,400円", "Rs 500/-", "2x", "7:15 pm", "7:15 am",
    "19:15", "4. März 2024", "4 mars 2024", "2024年3月4日", "20240304", "a b,c", "a b, c", "ab,c", "001 206 253 0100",
    "6.800.-", "$1.2M", "5 mW", "5 MW", "23.5 x 16cm", "H₂O", "H2O", "3*x**2", "<1636-1673>", "Q1 2024",
    "206-253-0100", "+1 206 253 0100", "2062530100 x5", "1-800-FLOWERS", "+",
]  # fmt: skip

TYPED: list[Any] = [
    0, 1, -1, True, False, 7, 10**15, 2**53 + 1, 10**400, -(10**400) + 1, 10**5_000, 10**23,
    0.0, -0.0, 1.0, 1.01, 0.1 + 0.2, 5e-324, 1e23, 1.7e308, -1.7e308, float("inf"), float("-inf"),
    dt.date(2024, 1, 15), dt.datetime(2024, 1, 15, 10, tzinfo=dt.UTC), dt.time(12, 30), dt.timedelta(days=2),
    Decimal("1.00"), Decimal("1E+999999"), Decimal("Infinity"), Decimal(10) ** 400, Fraction(1, 3),
    Colour.RED, Colour.SEVEN, uuid.UUID(int=7), b"red", b"\xff\xfe", bytearray(b"a"), np.float64(1.5),
    np.int64(7), np.bool_(True),
    (1, 2), {1, 2}, frozenset({"a"}), Address(), Address(number=5), range(3),
    [0, 0, 10, 10], [[0, 0], [10, 10]], [5, 0, 15, 10.5], [1e308, 0, -1e308, 1], [10**400, 0, 0.5, 1],
    [0, 0, 0, 5],
    {"a": 1}, {"a": 1.0}, {"a": None, "b": "x"}, {"b": "x"}, {1: "int key"}, [1, 2, 3], ["3", "1"],
    [[1, [2]], {"a": [1]}],
    [{"a": 1}, {"b": [1, 2]}], [{"b": [2]}, {"a": "1"}], ["alpha", {"a": 1}], [True, 1],
]  # fmt: skip

HOSTILE: list[Any] = [*TEXTS, *TYPED]

scalars = st.one_of(
    st.booleans(),
    st.integers(),
    st.floats(allow_nan=False),
    st.text(max_size=12),
    st.sampled_from(TEXTS),
    st.integers(-20, 20).map(lambda n: n / 10),
)
json_values = st.recursive(
    scalars,
    lambda inner: st.one_of(
        st.lists(st.one_of(inner, st.none()), max_size=4),
        st.dictionaries(st.sampled_from("abcd"), st.one_of(inner, st.none()), max_size=4),
    ),
    max_leaves=8,
)
values = st.one_of(json_values, st.sampled_from(HOSTILE))


def label(comparator: BaseComparator) -> str:
    return repr(comparator)[:70]
