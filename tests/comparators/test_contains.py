"""One text inside the other."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fieldwise.comparators import ContainsComparator, build

WORDS = st.lists(st.text("abcdé019", min_size=1, max_size=4), min_size=1, max_size=6)


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


@given(WORDS, WORDS, WORDS)
def test_law_of_containment(before: list[str], words: list[str], after: list[str]) -> None:
    """Whatever stands before and after, the words are inside."""
    text = " ".join([*before, *words, *after])
    assert ContainsComparator().compare(" ".join(words), text) == 1.0


@given(WORDS, WORDS)
def test_lists_of_words_decide(one: list[str], other: list[str]) -> None:
    """Two texts are alike exactly where the words of one stand in a row among those of the other."""

    def holds(many: list[str], few: list[str]) -> bool:
        return any(many[k : k + len(few)] == few for k in range(len(many) - len(few) + 1))

    expected = float(holds(one, other) or holds(other, one))
    assert ContainsComparator().compare(" ".join(one), " ".join(other)) == expected


def test_objects_are_compared_as_values() -> None:
    """Objects and lists are alike where they are the same JSON."""
    comparator = build("contains")
    assert comparator.compare({"a": 1}, {"a": 1.0}) == 1.0
    assert comparator.compare(["a"], ["a", "b"]) == 0.0
