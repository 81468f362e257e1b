"""Numbers and their tolerances."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fieldwise.comparators import NumericComparator
from fieldwise.comparators.number_text import read_number
from fieldwise.errors import SettingError

handy = st.one_of(
    st.integers(-1000, 1000),
    st.integers(-10_000, 10_000).map(lambda n: n / 100),
    st.floats(allow_nan=False, allow_infinity=False),
    st.integers(),
)
tolerances = st.sampled_from([0, 0.01, 0.05, 0.1, 1, 2.5, 1e-9])


def within(a: float, b: float, relative: float, absolute: float) -> bool:
    """Decide by the definition, on the decimals that Python writes for the numbers."""
    x, y, r, t = (Fraction(Decimal(repr(n))) for n in (a, b, relative, absolute))
    return abs(x - y) <= max(t, r * max(abs(x), abs(y)))


@given(a=handy, b=handy, relative=tolerances, absolute=tolerances)
def test_definition(a: float, b: float, relative: float, absolute: float) -> None:
    """Numbers are alike where |a - b| <= max(absolute, relative · max(|a|, |b|)), in decimals."""
    comparator = NumericComparator(relative_tolerance=relative, absolute_tolerance=absolute)
    assert comparator.compare(a, b) == within(a, b, relative, absolute)


@given(
    a=st.integers(-500, 500),
    step=st.integers(-3, 3),
    relative=tolerances,
    absolute=st.sampled_from([0, 0.01, 0.02]),
)
def test_at_the_limit(a: int, step: int, relative: float, absolute: float) -> None:
    """Differences right at the tolerance are decided in decimals, not in floats, in pairs and grids."""
    x, y = a / 100, (a + step) / 100
    comparator = NumericComparator(relative_tolerance=relative, absolute_tolerance=absolute)
    wanted = within(x, y, relative, absolute)
    assert comparator.compare(x, y) == wanted
    assert comparator.grid([x, 9e9], [y, str(y)])[0].tolist() == [wanted, wanted]
    assert comparator.grid([x], [y])[0, 0] == wanted


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("123", "123"), ("123.0", "123"), ("00012", "12"), ("-0", "0"), ("+5", "5"), ("5.", "5"),
        (".5", "0.5"), (" 7 ", "7"),
        ("$1,234.50", "1234.50"), ("USD 5.00 ", "5"), ("5.00USD", "5"), ("€ 5", "5"), ("5 €", "5"),
        ("£5", "5"), ("Rs. 500", "500"),
        ("Rs.500", "500"), ("US$ 5", "5"), ("$.50", "0.5"), ("EUR -5", "-5"), ("-EUR 5", "-5"),
        ("$-5", "-5"), ("-$5", "-5"),
        ("5%", "5"), ("5 %", "5"), ("(100)", "-100"), ("($1,000.50)", "-1000.50"), ("$(100)", "-100"),
        ("(100) USD", "-100"),
        ("5-", "-5"), ("5.00- EUR", "-5"), ("−5", "-5"), ("–5", "-5"), ("5.-", "5"), ("5,-- €", "5"),
        ("1e5", "100000"), ("1.5E-3", "0.0015"), ("1,5e3", "1500"), ("1/2", "0.5"), ("1 1/2", "1.5"),
        ("½", "0.5"), ("1½", "1.5"),
        ("1,234", "1234"), ("1,5", "1.5"), ("1,50", "1.5"), ("1,2345", "1.2345"), ("1,234,567", "1234567"),
        ("12,34,567", "1234567"),
        ("1.234", "1.234"), ("1.234,50", "1234.50"), ("1.234.567", "1234567"), ("1.234.567,89", "1234567.89"),
        ("1'234.50", "1234.50"), ("1’234.50", "1234.50"), ("1 234,50", "1234.50"),
        ("1\u202f234,50", "1234.50"), ("1\xa0234 567", "1234567"),
        ("٣٫٥", "3.5"), ("١٬٢٣٤", "1234"), ("１２３", "123"), ("5 kg", "5"), ("approx. 5", "5"),
        ("5 (five)", "5"), ("Total: -5", "-5"),
    ],
)  # fmt: skip
def test_reads(text: str, number: str) -> None:
    """Numbers are read as people write them."""
    assert read_number(text) == Decimal(number)
    assert NumericComparator().compare(text, float(number)) == 1.0


@pytest.mark.parametrize(
    "text",
    [
        "abc", "", "12-34", "1.2.3", "1,2,3", "INV-001", "5-day", "1:30", "2024-01-15", "12 34", "1 2 3",
        "0x1F", "<5", "±5",
        "1/0", "1/2/2024", "--5", "-(5)", "(5", "5)", "1e999999999", "1e9999999999999", "inf", "NaN", "5+",
        "1'23", "1 234'567", "½½",
        "1,234.567.890", "1" + " " * 500 + "2",
    ],
)  # fmt: skip
def test_does_not_read(text: str) -> None:
    """What is no number, or more than one, is not read; equal text is alike, any number is not."""
    assert read_number(text) is None
    comparator = NumericComparator(tolerance=1_000_000)
    assert comparator.compare(text, f" {text} ") == 1.0
    assert comparator.compare(text, 5) == 0.0
    assert comparator.compare(text, f"{text}!") == 0.0


@pytest.mark.parametrize(
    ("locale", "text", "number"),
    [
        ("de", "1.234", 1234), ("de", "1.234,50", 1234.5), ("de_AT", "1,234", 1.234), ("de", "1,5", 1.5),
        ("de", "1.5", 1.5),
        ("en", "1,234", 1234), ("en-US", "1.234", 1.234), ("fr", "1 234,5", 1234.5),
        ("ch", "1'234.50", 1234.5), ("de-CH", "1.234", 1.234),
        ("de", "1.234.567", 1234567), ("en", "1,234,567", 1234567), ("de", "12", 12),
    ],
)  # fmt: skip
def test_locales(locale: str, text: str, number: float) -> None:
    """A locale says which sign is the decimal mark."""
    assert NumericComparator(locale=locale).compare(text, number) == 1.0


def test_locale_refuses_the_other_order() -> None:
    """With a locale, a thousands mark after the decimal mark makes no number."""
    assert NumericComparator(locale="de").compare("1,234.50", 1234.5) == 0.0
    assert NumericComparator(locale="en").compare("1.234,50", 1234.5) == 0.0


@pytest.mark.parametrize(
    ("a", "b", "score"),
    [
        (True, 1, 0.0),
        (True, True, 1.0),
        (False, "0", 0.0),
        (float("inf"), float("inf"), 1.0),
        (float("inf"), float("-inf"), 0.0),
        (float("inf"), 1.7e308, 0.0),
        (float("nan"), float("nan"), 0.0),
        (10**23, 1e23, 1.0),
        (2**53 + 1, float(2**53), 0.0),
        (10**400, 10**400, 1.0),
        (10**400, 10**400 + 1, 0.0),
        (10**400, "1" + "0" * 400, 1.0),
        (Decimal("1.50"), 1.5, 1.0),
        (Fraction(1, 2), 0.5, 1.0),
        (np.float64(1.5), 1.5, 1.0),
        (np.int64(3), 3, 1.0),
        ([1], [1.0], 1.0),
        ([1], 1, 0.0),
        (0.1 + 0.2, 0.3, 0.0),
    ],
)
def test_odd_values(a: Any, b: Any, score: float) -> None:
    """Booleans are no numbers, infinities equal only themselves, long integers are exact."""
    assert NumericComparator().compare(a, b) == score
    assert NumericComparator().grid([a], [b])[0, 0] == score


def test_integers_of_a_hundred_thousand_digits() -> None:
    """Integers too long for str() are compared exactly, with numbers and with text."""
    a = 10**100_000
    assert NumericComparator().compare(a, 10**100_000) == 1.0
    assert NumericComparator().compare(a, a - 1) == 0.0
    assert NumericComparator().compare(a, 5) == 0.0
    assert NumericComparator().compare(a, "1" + "0" * 100_000) == 1.0
    assert NumericComparator(relative_tolerance=0.1).compare(a, a - 1) == 1.0


def test_tolerance_of_long_integers() -> None:
    """Tolerances hold for integers of any length."""
    a = 10**5_000
    assert NumericComparator(tolerance=1).compare(a, a + 1) == 1.0
    assert NumericComparator(tolerance=1).compare(a, a + 2) == 0.0
    assert NumericComparator(relative_tolerance=0.5).compare(a, a // 2) == 1.0
    assert NumericComparator(relative_tolerance=0.1).compare(a, "5") == 0.0


def test_tolerance_of_huge_exponents() -> None:
    """Numbers a hundred thousand digits apart are compared without being written out."""
    assert NumericComparator(relative_tolerance=1).compare("1e99999", "1e-99999") == 1.0
    assert NumericComparator(tolerance=1).compare("1e99999", "1e-99999") == 0.0


def test_infinities_have_no_neighbours() -> None:
    """No tolerance reaches infinity."""
    comparator = NumericComparator(relative_tolerance=5, absolute_tolerance=1e308)
    assert comparator.compare(float("inf"), 1e308) == 0.0
    assert comparator.compare(1.7e308, -1.7e308) == 1.0


def test_readme_example() -> None:
    """1 and 1.01 are within 0.01, although their floats are not."""
    assert NumericComparator(tolerance=0.01).compare(1, 1.01) == 1.0
    assert NumericComparator(tolerance=0.01).compare(1247.5, 1247.48) == 0.0
    assert NumericComparator(relative_tolerance=0.01, absolute_tolerance=5).compare(0, 4) == 1.0


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"tolerance": -1}, "number of 0 or more for `tolerance`"),
        ({"relative_tolerance": "1"}, "for `relative_tolerance`"),
        ({"absolute_tolerance": True}, "for `absolute_tolerance`"),
        ({"tolerance": float("inf")}, "for `tolerance`"),
        ({"tolerance": 10**400}, "for `tolerance`"),
        ({"tolerance": 1, "absolute_tolerance": 1}, "got both"),
        ({"locale": "klingon"}, "Expected a locale"),
        ({"locale": 5}, "for `locale`"),
    ],
)
def test_wrong_settings(settings: dict[str, Any], message: str) -> None:
    """Tolerances are numbers of 0 or more, locales are known."""
    with pytest.raises(SettingError, match=message):
        NumericComparator(**settings)


def test_alias_is_kept_under_its_full_name() -> None:
    """`tolerance` is another word for `absolute_tolerance`."""
    assert NumericComparator(tolerance=2) == NumericComparator(absolute_tolerance=2)
    assert NumericComparator(tolerance=2).config == {"absolute_tolerance": 2.0}


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({}, "numeric"),
        ({"relative_tolerance": 0.001}, "numeric ±0.1%"),
        ({"tolerance": 0.5, "relative_tolerance": 0.01, "locale": "de"}, "numeric ±1% or ±0.5, locale de"),
    ],
)
def test_describes_itself(settings: dict[str, Any], words: str) -> None:
    """A plan shows the tolerances in words."""
    assert NumericComparator(**settings).describe() == words
