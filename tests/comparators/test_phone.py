"""Telephone numbers."""

from __future__ import annotations

from typing import Any

import pytest

from fieldwise.comparators import PhoneComparator
from fieldwise.comparators.phone import common_region
from fieldwise.errors import SettingError


@pytest.mark.parametrize(
    ("a", "b", "score"),
    [
        ("206-555-0100", "(206) 555-0100", 1.0),
        ("+1 206 555 0100", "2065550100", 1.0),
        (2065550100, "206-555-0100", 1.0),
        ("1-800-FLOWERS", "18003569377", 1.0),
        ("206-555-0100 x5", "206-555-0100 ext. 5", 1.0),
        ("206-555-0100 x5", "206-555-0100", 0.0),
        ("+44 20 7946 0958", "020 7946 0958", 0.0),
        ("206-555-0100", "abc", 0.0),
        ("abc", "abc", 1.0),
        ("abc", "ABC", 0.0),
        ("911", "911", 1.0),
        ([2065550100], "2065550100", 0.0),
        ("9" * 10_000_000, "9" * 10_000_000, 1.0),
    ],
    ids=lambda value: str(value)[:30],
)
def test_numbers(a: Any, b: Any, score: float) -> None:
    """Valid numbers are alike where number and extension are; other text where it is the same."""
    assert PhoneComparator().compare(a, b) == score


def test_region() -> None:
    """The region is the country of numbers that name none."""
    assert PhoneComparator(region="GB").compare("+44 20 7946 0958", "020 7946 0958") == 1.0
    assert PhoneComparator(region="GB").describe() == "phone, GB"


@pytest.mark.parametrize(("region", "hint"), [("UK", "'GB'"), ("us", "'US'"), ("001", ""), (None, "")])
def test_unknown_region(region: Any, hint: str) -> None:
    """A region that does not exist is refused; common slips get a hint."""
    with pytest.raises(SettingError, match=f"country code.*{hint}"):
        PhoneComparator(region=region)


@pytest.mark.parametrize(
    ("texts", "region"),
    [
        (["+49 30 1234501", "0049 89 5550123", "+41 61 272 13 14"], "DE"),
        (["030 1234501"], None),
        (["+", "+0", "none"], None),
        ([], None),
    ],
)
def test_the_region_of_some_numbers(texts: list[str], region: str | None) -> None:
    """It is the country of most numbers that name theirs."""
    assert common_region(texts) == region
