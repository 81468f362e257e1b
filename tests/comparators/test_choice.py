"""Booleans and closed choices."""

from __future__ import annotations

from typing import Any

import pytest

from fieldwise.comparators import BooleanComparator, EnumComparator
from fieldwise.errors import SettingError

from .samples import Colour


@pytest.mark.parametrize(
    ("a", "b", "score"),
    [
        (True, True, 1.0),
        (False, False, 1.0),
        (True, False, 0.0),
        (True, "true", 0.0),
        (True, 1, 0.0),
        (False, 0, 0.0),
        ("true", "true", 1.0),
        ([True], [True], 1.0),
    ],
)
def test_boolean(a: Any, b: Any, score: float) -> None:
    """Only true and false are booleans; other values are alike where they are the same."""
    assert BooleanComparator().compare(a, b) == score


@pytest.mark.parametrize(
    ("settings", "a", "b", "score"),
    [
        ({}, "Net 30", " net  30 ", 1.0),
        ({}, "net 30", "net 60", 0.0),
        ({}, 7, "7", 1.0),
        ({}, Colour.RED, "RED", 1.0),
        ({"case_sensitive": True}, "A", "a", 0.0),
        ({}, "IN_STOCK", "in stock", 0.0),
        ({"fold_joints": True}, "IN_STOCK", "in stock", 1.0),
        ({"fold_joints": True}, "pre-order", "PRE_ORDER", 1.0),
        ({"fold_joints": True}, "10-K", "10K", 0.0),
        ({"fold_joints": True}, "A-", "A", 0.0),
        ({"fold_joints": True}, "_", "-", 0.0),
        ({"values": ["red", "blue"]}, "RED", "red", 1.0),
        ({"values": ["red", "blue"]}, "green", "green", 1.0),
        ({"values": ["red", "blue"]}, "green", "GREEN", 0.0),
        ({"aliases": {"USD": ["US$", "dollar"]}}, "us$", "Dollar", 1.0),
        ({"aliases": {"USD": "US$"}}, "US$", "usd", 1.0),
        ({"aliases": {"USD": ["US$"]}}, "US$", "EUR", 0.0),
        ({}, {"a": 1}, {"a": 1}, 1.0),
    ],
)
def test_enum(settings: dict[str, Any], a: Any, b: Any, score: float) -> None:
    """Values are alike where they name the same choice, by its spellings."""
    assert EnumComparator(**settings).compare(a, b) == score


@pytest.mark.parametrize(
    "settings",
    [
        {"values": "red"},
        {"values": []},
        {"values": [["red"]]},
        {"aliases": ["red"]},
        {"aliases": {"red": [1]}},
        {"values": ["red"], "aliases": {"blue": ["bleu"]}},
        {"aliases": {"red": ["r"], "rose": ["r"]}},
        {"case_sensitive": "no"},
    ],
)
def test_wrong_settings(settings: dict[str, Any]) -> None:
    """Choices are a list, aliases an object of lists, and no alias stands for two choices."""
    with pytest.raises(SettingError, match="Expected"):
        EnumComparator(**settings)


def test_describes_itself() -> None:
    """A plan shows how many choices there are."""
    assert EnumComparator().describe() == "enum"
    assert EnumComparator(values=["a", "b"]).describe() == "enum of 2"
