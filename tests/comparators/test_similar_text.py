"""Texts that are similar: by edits and by fuzzy tokens, long ones by their words."""

from __future__ import annotations

import random
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fieldwise.comparators import FuzzyComparator, LevenshteinComparator
from fieldwise.comparators.as_text import LONG_TEXT_NOTE, MAX_LETTERS
from fieldwise.errors import SettingError

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


def test_texts_are_compared_by_their_letters_up_to_a_length() -> None:
    """Up to 20,000 characters letters decide; beyond, the share of words that both texts have, and a note says so."""
    source = random.Random(3)
    words = ["".join(source.choices("abcd", k=9)) for _ in range(2_000)]
    short, long = " ".join(words), " ".join([*words, "and", "more"])
    assert len(short) < MAX_LETTERS
    for comparator in (LevenshteinComparator(), FuzzyComparator(), FuzzyComparator("token_set_ratio")):
        assert comparator.notes(short, short[:-1]) == comparator.notes([1], "b") == ""
        changed = " ".join(["?", *words[1:], "more", "words", *words[:400]])
        wanted = sum((Counter(long.split()) & Counter(changed.split())).values()) / len(changed.split())
        assert comparator.compare(long, changed) == pytest.approx(wanted)
        assert comparator.notes(long, changed) == LONG_TEXT_NOTE
        assert comparator.compare(changed, changed) == 1.0


def test_long_texts_with_the_same_words_are_not_the_same() -> None:
    """Words in another order leave a long text below 1."""
    words = [f"word{n}" for n in range(5_000)]
    assert LevenshteinComparator().compare(" ".join(words), " ".join(words[::-1])) == 1 - 1 / 5_000


@pytest.mark.parametrize("size", [150, 5_000, 20_001])
def test_long_texts_score_as_a_grid_does(size: int) -> None:
    """Texts of any length score the same alone and in a grid, to the last bit."""
    source = random.Random(4)
    texts = ["".join(source.choices("abcd ", k=size + k)) for k in range(3)]
    texts += [text[:20] + "?" + text[30:] for text in texts] + ["short", "a short one"]
    for comparator in (LevenshteinComparator(), FuzzyComparator(), FuzzyComparator("token_sort_ratio")):
        cells = [[comparator.compare(a, b) for b in texts] for a in texts]
        assert comparator.grid(texts, texts).tolist() == cells


def test_long_partial_matches_are_compared_by_words_sooner() -> None:
    """A partial match slides one text along the other, so that shorter texts are already too long for it."""
    source = random.Random(2)
    a, b = ("".join(source.choices("abcd", k=6_000)) for _ in range(2))
    comparator = FuzzyComparator("partial_ratio")
    assert (comparator.compare(a, b), comparator.notes(a, b)) == (0.0, LONG_TEXT_NOTE)
    assert comparator.grid([a], [b]).tolist() == [[0.0]]
    assert comparator.compare(a[100:160], a) == comparator.grid([a[100:160]], [a])[0, 0] == 1.0


def test_unknown_method_names_the_nearest() -> None:
    """A misspelt method is an error that names the nearest one."""
    with pytest.raises(SettingError, match="did you mean 'token_sort_ratio'"):
        FuzzyComparator("token_sort_rati")


def test_weighted_ratio() -> None:
    """The method asks rapidfuzz for its weighted ratio."""
    comparator = FuzzyComparator("weighted_ratio")
    assert comparator.compare("New York Mets", "mets new york") == pytest.approx(0.95)
    assert comparator.compare("a", "a") == 1.0
