"""Texts that are the same: exact, normalised, as codes, one inside the other."""

from __future__ import annotations

import datetime as dt
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fieldwise.comparators import (
    CodeComparator,
    ContainsComparator,
    ExactComparator,
    FuzzyComparator,
    LevenshteinComparator,
    NormalizedComparator,
    build,
)
from fieldwise.errors import SettingError

from .samples import Colour

LISTS_OF_WORDS = st.lists(st.text("abcdé019", min_size=1, max_size=4), min_size=1, max_size=6)


LINKS = {"ignore_punctuation": False, "links": True}


@pytest.mark.parametrize(
    ("a", "b", "score"),
    [
        ("abc", "abc", 1.0),
        ("abc", "ABC", 0.0),
        (1, "1", 1.0),
        (1, 1.0, 0.0),
        (True, "True", 1.0),
        ("é", "e\u0301", 0.0),
        ({"a": 1, "b": [1]}, {"b": [1], "a": 1}, 1.0),
        ({"a": 1}, {"a": 1.0}, 0.0),
        ({"a": 1, "b": None}, {"a": 1}, 0.0),
        ([{"a": 1, "b": 2}], [{"b": 2, "a": 1}], 1.0),
        ([1, 2], [2, 1], 0.0),
        ([1], "[1]", 0.0),
        ({"d": dt.date(2024, 1, 1)}, {"d": "2024-01-01"}, 1.0),
        (dt.date(2024, 1, 1), "2024-01-01", 1.0),
        (Colour.RED, "red", 1.0),
        (b"red", "red", 1.0),
    ],
)
def test_exact(a: Any, b: Any, score: float) -> None:
    """Scalars are alike by their text, objects and lists by their sorted JSON."""
    assert ExactComparator().compare(a, b) == score


@pytest.mark.parametrize(("a", "b"), [("ABC", "abc"), ({"A": "x"}, {"a": "X"}), ("STRASSE", "straße")])
def test_exact_without_case(a: Any, b: Any) -> None:
    """Case can be put aside, in keys and values too."""
    assert ExactComparator(case_sensitive=False).compare(a, b) == 1.0


@pytest.mark.parametrize(
    ("settings", "a", "b", "score"),
    [
        ({}, "SHP-2024 001", "shp 2024-001", 1.0),
        ({}, "STRASSE", "straße", 1.0),
        ({}, "é", "e\u0301", 1.0),
        ({}, "a\xa0b_c", "abc", 1.0),
        ({}, "$5", "5", 0.0),
        ({}, "a\u200bb", "ab", 0.0),
        ({"case_sensitive": True}, "A", "a", 0.0),
        ({"ignore_whitespace": False}, "a b", "ab", 0.0),
        ({"ignore_punctuation": False}, "a-b", "ab", 0.0),
        ({"ignore_punctuation": False}, "a b", "ab", 1.0),
        ({}, {"a": 1}, {"a": 1.0}, 1.0),
        (LINKS, "www.a.example", "HTTP://A.example/", 1.0),
        (LINKS, "a@b.example", "mailto:A@b.example", 1.0),
        (LINKS, "a.example/x", "a.example/y", 0.0),
        (LINKS, "a.example", "b.a.example", 0.0),
        (LINKS, "http://", "https://", 0.0),
    ],
)
def test_normalized(settings: dict[str, Any], a: Any, b: Any, score: float) -> None:
    """Case, blanks and punctuation are put aside as the settings say; symbols stay."""
    assert build("Normalized", settings).compare(a, b) == score


@pytest.mark.parametrize("comparator", [LevenshteinComparator(), FuzzyComparator(), NormalizedComparator()])
def test_containers_under_text(comparator: LevenshteinComparator) -> None:
    """An object or list under a text comparator is alike only to the same JSON value."""
    assert comparator.compare({"a": 1}, {"a": 1.0}) == 1.0
    assert comparator.compare({"a": 1}, {"a": 2}) == 0.0
    assert comparator.compare(["a"], "a") == 0.0


def test_integers_too_long_for_digits() -> None:
    """An integer of a million bits and more is text in hexadecimal, not seconds of work."""
    value = 1 << 2_000_000
    assert ExactComparator().compare(value, 1 << 2_000_000) == 1.0
    assert ExactComparator().compare(value, hex(value)) == 1.0
    assert LevenshteinComparator().compare(value, value + 1) == 0.0


@pytest.mark.parametrize(
    ("name", "settings"),
    [
        ("Levenshtein", {"normalize": "yes"}),
        ("Exact", {"case_sensitive": 1}),
        ("Fuzzy", {"method": 3}),
        ("Normalized", {"ignore_punctuation": None}),
        ("Levenshtein", {"threshold": 1.5}),
        ("Levenshtein", {"threshold": True}),
        ("Levenshtein", {"threshold": float("nan")}),
    ],
)
def test_wrong_settings(name: str, settings: dict[str, Any]) -> None:
    """Settings of the wrong type or range are refused with what was expected."""
    with pytest.raises(SettingError, match=r"Expected .* for `"):
        build(name, settings)


@pytest.mark.parametrize(
    ("one", "other", "folded", "plain"),
    [
        ("1−1−1", "1-1-1", 1.0, 0.0),
        ("１２３", "123", 1.0, 0.0),
        ("ＡＢ", "ab", 1.0, 0.0),
        ("66,9 €", "66,9", 1.0, 0.0),
        ("$5", "5 $", 1.0, 0.0),
        ("66,9 €", "66,9 $", 0.0, 0.0),
        ("￥5", "¥5", 1.0, 0.0),
        ("10²", "102", 0.0, 0.0),
        ("1½", "11/2", 0.0, 0.0),
    ],
)
def test_folded_symbols(one: str, other: str, folded: float, plain: float) -> None:
    """Dashes, minus signs and full-width forms are one, and a currency sign of one side only is dropped, if asked."""
    assert NormalizedComparator(fold_symbols=True).compare(one, other) == folded
    assert NormalizedComparator().compare(one, other) == plain


def test_dashes_are_one_where_punctuation_counts() -> None:
    """All dashes and the minus sign are the same character."""
    comparator = NormalizedComparator(ignore_punctuation=False, fold_symbols=True)
    assert {comparator.compare("a-b", f"a{dash}b") for dash in "-‐‑‒–—―−﹘﹣－"} == {1.0}
    assert comparator.compare("a-b", "ab") == 0.0


@pytest.mark.parametrize(
    ("expected", "predicted", "alike"),
    [
        ("INV-001", "inv–001", True),
        ("DE89 3704", "DE893704", True),
        ("１２３-A", "123-a", True),
        ("INV-001", "INV-002", False),
        ("007", "7", False),
        ("10²", "102", False),
        ("AB.1", "AB1", False),
        ("AB.1", "ab.1.", True),
        (".", ",", False),
    ],
)
def test_codes(expected: str, predicted: str, alike: bool) -> None:
    """Width, case, blanks, the forms of the dash and a stop at the end don't count; everything else does."""
    assert CodeComparator().compare(expected, predicted) == float(alike)


@pytest.mark.parametrize(
    ("inside", "around"),
    [
        ("Acme", "ACME Corp."),
        ("new york", "in New-York, NY"),
        ("10 mg", "Take 10 mg daily"),
        ("5", "$5"),
        ("001", "INV-001"),
        ("“Acme”", "the acme company"),
        ("１０ mg", "10 mg a day"),
        ("1.50", "a total of 1.50"),
        ("2024-01-15", "on 2024-01-15"),
        (7, "room 7"),
    ],
)
def test_words_inside(inside: object, around: str) -> None:
    """Words that follow each other in the other text are found on either side; case and punctuation don't count."""
    comparator = ContainsComparator()
    assert comparator.compare(inside, around) == comparator.compare(around, inside) == 1.0


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("10 mg", "110 mg"),
        ("10 mg", "10 ml and 5 mg"),
        ("1", "1.50"),
        ("50", "1,050"),
        ("15", "2024-01-15"),
        ("5", "-5"),
        ("$5", "€5"),
        ("Acme", "Acmeville"),
        ("mg 10", "10 mg"),
        ("!", "Hello!"),
        ("", "Hello"),
    ],
)
def test_parts_of_words_are_not_inside(one: str, other: str) -> None:
    """A part of a word or number is not inside, nor is a text without words."""
    assert ContainsComparator().compare(one, other) == 0.0


@given(LISTS_OF_WORDS, LISTS_OF_WORDS, LISTS_OF_WORDS)
def test_law_of_containment(before: list[str], words: list[str], after: list[str]) -> None:
    """Whatever stands before and after, the words are inside."""
    text = " ".join([*before, *words, *after])
    assert ContainsComparator().compare(" ".join(words), text) == 1.0


@given(LISTS_OF_WORDS, LISTS_OF_WORDS)
def test_lists_of_words_decide(one: list[str], other: list[str]) -> None:
    """Two texts are alike exactly where the words of one stand in a row among those of the other."""

    def holds(many: list[str], few: list[str]) -> bool:
        return any(many[k : k + len(few)] == few for k in range(len(many) - len(few) + 1))

    expected = float(holds(one, other) or holds(other, one))
    assert ContainsComparator().compare(" ".join(one), " ".join(other)) == expected


def test_objects_are_inside_the_same_object_only() -> None:
    """Objects and lists are alike where they are the same JSON."""
    comparator = build("contains")
    assert comparator.compare({"a": 1}, {"a": 1.0}) == 1.0
    assert comparator.compare(["a"], ["a", "b"]) == 0.0
