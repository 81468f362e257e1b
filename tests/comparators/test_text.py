"""Exact, normalised, edited and fuzzy text."""

from __future__ import annotations

import datetime as dt
import random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fieldwise.comparators import (
    ExactComparator,
    FuzzyComparator,
    LevenshteinComparator,
    NormalizedComparator,
    build,
)
from fieldwise.comparators.long_text import LONG_TEXT_NOTE
from fieldwise.errors import SettingError
from fieldwise.limits import MAX_WORK

from .samples import Colour

words = st.text(alphabet="abAB é日\t ", max_size=9)


def edits(left: str, right: str) -> int:
    """Count edits by the definition: the cheapest of deleting, inserting and replacing."""
    row = list(range(len(right) + 1))
    for i, a in enumerate(left, 1):
        before, row = row, [i] + [0] * len(right)
        for j, b in enumerate(right, 1):
            row[j] = min(before[j] + 1, row[j - 1] + 1, before[j - 1] + (a != b))
    return row[-1]


def common(left: str, right: str) -> int:
    """Count the letters of the longest common subsequence."""
    row = [0] * (len(right) + 1)
    for a in left:
        before, row = row, [0] * (len(right) + 1)
        for j, b in enumerate(right, 1):
            row[j] = before[j - 1] + 1 if a == b else max(before[j], row[j - 1])
    return row[-1]


@given(a=words, b=words)
def test_levenshtein_is_edits_over_length(a: str, b: str) -> None:
    """The score is 1 - edits / length of the longer text."""
    wanted = 1 - edits(a, b) / max(len(a), len(b)) if a or b else 1.0
    assert LevenshteinComparator(normalize=False).compare(a, b) == wanted


@given(a=words, b=words)
def test_levenshtein_normalises(a: str, b: str) -> None:
    """Case, outer blanks and the length of inner blanks do not count, unless asked for."""
    folded = [" ".join(text.lower().split()) for text in (a, b)]
    assert LevenshteinComparator().compare(a, b) == LevenshteinComparator(normalize=False).compare(*folded)


@given(a=words, b=words)
def test_fuzzy_ratio_is_common_letters(a: str, b: str) -> None:
    """The plain ratio is 2 · common letters in order / all letters."""
    wanted = 2 * common(a, b) / (len(a) + len(b)) if a or b else 1.0
    assert FuzzyComparator(normalize=False).compare(a, b) == pytest.approx(wanted, abs=1e-12)


@given(a=st.lists(st.sampled_from(["new", "york", "mets", "of"]), min_size=1, max_size=4))
def test_fuzzy_tokens_ignore_order(a: list[str]) -> None:
    """Token methods do not see the order of words; the set method not their number either."""
    text, turned = " ".join(a), " ".join(reversed(a))
    assert FuzzyComparator("token_sort_ratio").compare(text, turned.title()) == 1.0
    assert FuzzyComparator("token_set_ratio").compare(text, f"{turned} {turned}") == 1.0


@pytest.mark.parametrize(
    ("method", "a", "b", "score"),
    [
        ("ratio", "hello", "help", 2 * 3 / 9),
        ("partial_ratio", "york", "new york mets", 1.0),
        ("token_sort_ratio", "new york mets", "mets new york", 1.0),
        ("token_set_ratio", "left at door", "door left at the", 1.0),
        ("ratio", " Hello ", "hello", 1.0),
        ("ratio", "a  b", "a b", 2 * 3 / 7),
    ],
)
def test_fuzzy_methods(method: str, a: str, b: str, score: float) -> None:
    """Four methods are known, each with its own idea of a match."""
    assert FuzzyComparator(method).compare(a, b) == pytest.approx(score, abs=1e-12)


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


def test_long_texts_are_compared_by_their_edits() -> None:
    """Long texts that differ in a few places take a small part of the work that two others take."""
    source = random.Random(3)
    a = "".join(source.choices("abcd", k=300_000))
    b = a[:1_000] + "x" + a[1_001:200_000] + "y" + a[200_000:]
    assert len(a) * len(b) > MAX_WORK
    assert LevenshteinComparator().compare(a, b) == 1 - 2 / 300_001
    assert LevenshteinComparator().grid([a], [b])[0, 0] == 1 - 2 / 300_001
    assert LevenshteinComparator().notes(a, b) == ""


@pytest.mark.parametrize("size", [150, 5_000])
def test_counted_texts_score_as_a_grid_does(size: int) -> None:
    """Texts that are long enough to be counted score the same alone and in a grid, to the last bit."""
    source = random.Random(4)
    texts = ["".join(source.choices("abcd", k=size + k)) for k in range(3)]
    texts += [text[:20] + "?" + text[30:] for text in texts]
    for comparator in (LevenshteinComparator(), FuzzyComparator(), FuzzyComparator("token_sort_ratio")):
        cells = [[comparator.compare(a, b) for b in texts] for a in texts]
        assert comparator.grid(texts, texts).tolist() == cells


def test_long_texts_fall_back_to_equality() -> None:
    """Texts that alone are more than the limit are unlike where they differ everywhere, and a note says why."""
    source = random.Random(1)
    a, b = ("".join(source.choices("abcd", k=230_000)) for _ in range(2))
    a, b = f"1{a}1", f"2{b}2"
    for comparator in (FuzzyComparator(), FuzzyComparator("token_set_ratio")):
        assert comparator.compare(a, b) == 0.0
        assert comparator.compare(a, a) == 1.0
        assert comparator.notes(a, b) == LONG_TEXT_NOTE
        assert comparator.notes(a, a) == comparator.notes("a", "b") == comparator.notes([1], "b") == ""
        assert comparator.grid([a, "x"], [b, "x"]).tolist() == [[0.0, comparator.compare(a, "x")], [0.0, 1.0]]


def test_long_partial_matches_fall_back_sooner() -> None:
    """A partial match slides one text along the other, so that shorter texts are already too long for it."""
    source = random.Random(2)
    a, b = ("".join(source.choices("abcd", k=6_000)) for _ in range(2))
    comparator = FuzzyComparator("partial_ratio")
    assert (comparator.compare(a, b), comparator.notes(a, b)) == (0.0, LONG_TEXT_NOTE)
    assert comparator.grid([a], [b]).tolist() == [[0.0]]
    assert comparator.compare(a[100:160], a) == 1.0


def test_integers_too_long_for_digits() -> None:
    """An integer of a million bits and more is text in hexadecimal, not seconds of work."""
    value = 1 << 2_000_000
    assert ExactComparator().compare(value, 1 << 2_000_000) == 1.0
    assert ExactComparator().compare(value, hex(value)) == 1.0
    assert 0.99 < LevenshteinComparator().compare(value, value + 1) < 1.0


def test_unknown_method_names_the_nearest() -> None:
    """A misspelt method is an error that names the nearest one."""
    with pytest.raises(SettingError, match="did you mean 'token_sort_ratio'"):
        FuzzyComparator("token_sort_rati")


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


def test_weighted_ratio() -> None:
    """The method asks rapidfuzz for its weighted ratio."""
    comparator = FuzzyComparator("weighted_ratio")
    assert comparator.compare("New York Mets", "mets new york") == pytest.approx(0.95)
    assert comparator.compare("a", "a") == 1.0
