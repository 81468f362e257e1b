"""Currencies as sign, code and name."""

from __future__ import annotations

import re

import pytest

from fieldwise.comparators import CurrencyComparator, build
from fieldwise.comparators.currency import _TABLE

CODES = re.findall(r"^[A-Z]{3}", _TABLE, re.MULTILINE)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("$", "USD"),
        ("US dollar", "usd"),
        ("U.S. Dollars", "US$"),
        ("US-Dollar", "USD"),
        ("dollar", "$"),
        ("US dollar (USD)", "$"),
        ("USD $", "USD"),
        ("EUR/€", "euros"),
        ("€", "EUR"),
        ("Euro", "eur"),
        ("£", "pound sterling"),
        ("British pounds", "GBP"),
        ("¥", "JPY"),
        ("￥", "CNY"),
        ("円", "yen"),
        ("RMB", "yuan"),
        ("kr", "SEK"),
        ("kr.", "Danish krone"),
        ("kr", "NOK"),
        ("Rs.", "₹"),
        ("R$", "Brazilian real"),
        ("zł", "PLN"),
        ("Swiss francs", "Fr."),
        ("$", "CAD"),
        ("$", "Mexican peso"),
    ],
)
def test_one_currency(one: str, other: str) -> None:
    """Sign, code and name of a currency are alike, and what several share is alike to each of them."""
    assert CurrencyComparator().compare(one, other) == CurrencyComparator().compare(other, one) == 1.0


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("USD", "CAD"),
        ("US$", "C$"),
        ("US$", "Canadian dollar"),
        ("$", "€"),
        ("kr", "EUR"),
        ("¥", "KRW"),
        ("CHF", "franc belge"),
        ("GBP", "EGP"),
        ("USD", ""),
        ("USD", "money"),
        ("USD (EUR)", "USD"),
        ("$5", "$"),
    ],
)
def test_other_currencies(one: str, other: str) -> None:
    """Different currencies are unlike, and so is text that names none."""
    assert CurrencyComparator().compare(one, other) == 0.0


@pytest.mark.parametrize("code", CODES)
def test_codes_are_alike_to_themselves_only(code: str) -> None:
    """No code means another currency, in upper or lower case."""
    comparator = CurrencyComparator()
    assert [other for other in CODES if comparator.compare(code, other.lower())] == [code]


def test_codes_are_listed_once_and_in_order() -> None:
    """Each currency has one line."""
    assert sorted(set(CODES)) == CODES


def test_other_values() -> None:
    """Unknown text is alike to the same text in any case; numbers and objects are no currencies."""
    comparator = build("currency")
    assert comparator.compare("Galleon", " galleon ") == 1.0
    assert comparator.compare("Galleon", "Sickle") == 0.0
    assert comparator.compare(5, "5") == 1.0
    assert comparator.compare({"code": "USD"}, {"code": "USD"}) == 1.0
    assert comparator.compare({"code": "USD"}, "USD") == 0.0
