"""Numbers and text where nothing was declared: what is alike, and what only looks alike."""

from __future__ import annotations

import random
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fieldwise import Plan, Spec
from fieldwise.comparators import AmountComparator, TextComparator
from fieldwise.comparators.words import NEGATIONS
from fieldwise.spec.inference_rules import WAYS
from fieldwise.values import Json
from tests.strategies import examples

from .judged_pairs import JUDGED, Judged

SEQUENCE, ANY, FREE = TextComparator(), TextComparator(order="any"), TextComparator(free=True)
WAY = {"text": SEQUENCE, "name": ANY, "address": ANY, "free_text": FREE}
MISJUDGED = {("McDonald, John", "John Mc Donald")}
"""Pairs that come out otherwise than a reader says: a name that is both moved and written in two words."""

ROOT = Path(__file__).parents[2]
WORDS = (
    "not no station Statlon Müller Mueller Muller & and CO₂ co2 5 mg 5mg $5 €5 5,000 5000 A+ A- 1/2 ½ 東京 ★"
    " a@b.example 3/4/2024 2024-03-04 -5 v1.2 O'Neil non exclusive nonexclusive 10 000 hypertension kein"
)
word = st.sampled_from(WORDS.split())
text = st.lists(word, min_size=1, max_size=14).map(" ".join)


@pytest.mark.parametrize(
    ("expected", "predicted", "alike"),
    [
        (1234.5, "$1,234.50", True),
        ("5", "5 kg", True),
        ("5 kg", "5kg", True),
        ("5 lb", "5 lbs", True),
        ("RM9.00", "9.00", True),
        ("$5", "5 USD", True),
        ("5 eur", "EUR 5", True),
        ("n/a", "N/A", True),
        (0.1 + 0.2, 0.3, True),
        (9306, 9308, False),
        (12345678901, 12345678902, False),
        (12345678901.0, 12345678902.0, False),
        ("10000000000000000.5", "10000000000000000", True),
        ("$5", "€5", False),
        ("5 kg", "5 g", False),
        ("5 km", "$5", False),
        ("5.00 CR", "5.00cr", True),
        ("5.00 CR", "5.00 DR", False),
        ("5.00 CR", "5.00", False),
        ("x2", "2 x", True),
        ("2’034.00", "CHF 2034", True),
        ("5 kg", "5 EUR", False),
        ("5 pln", "5 eur", False),
        ("1,234.50", "1,234.5O", False),
        (5, "5 million", False),
        ("$1.50", "$1.50 bn", False),
        (5, "5A", False),
        (5, "not 5", False),
        ("5", "≥5", False),
        (1234, "01234", False),
    ],
)
def test_amounts(expected: Json, predicted: Json, alike: bool) -> None:
    """Numbers are equal when they are equal, in the same unit, and text is one only as a whole; grids say the same."""
    comparator = AmountComparator()
    assert comparator.compare(expected, predicted) == comparator.compare(predicted, expected) == float(alike)
    assert comparator.grid([expected], [predicted])[0, 0] == float(alike)


@pytest.mark.parametrize("pair", JUDGED, ids=lambda pair: f"{pair.topic}: {pair.expected} | {pair.predicted}")
def test_texts_are_alike_where_a_reader_says_so(pair: Judged) -> None:
    """Texts that a reader calls the same reach the threshold of their field, from either side, and others don't."""
    comparator, threshold = WAY[pair.way], WAYS[pair.way].threshold  # type: ignore[index]  # the ways of texts
    score = comparator.compare(pair.expected, pair.predicted)
    assert score == comparator.compare(pair.predicted, pair.expected)
    assert comparator.grid([pair.expected, "x"], [pair.predicted, "x"])[0, 0] == score
    is_right = (score >= threshold) == pair.alike
    assert is_right == ((pair.expected, pair.predicted) not in MISJUDGED)


@pytest.mark.parametrize("pair", [pair for pair in JUDGED if not pair.alike], ids=lambda pair: pair.expected)
def test_texts_that_differ_say_what_differs(pair: Judged) -> None:
    """A reason stands beside the score of every two texts that are not alike."""
    assert WAY[pair.way].notes(pair.expected, pair.predicted)


@pytest.mark.parametrize(
    ("comparator", "expected", "predicted", "score", "difference"),
    [
        (SEQUENCE, "Hex nut M4", "Hex nut M5", 0.0, "digits differ"),
        (SEQUENCE, "may be returned", "may not be returned", 0.0, "a negation differs"),
        (SEQUENCE, "rent of $500", "rent of €500", 0.0, "currencies differ"),
        (SEQUENCE, "Station Road, Bristol", "Statlon Road, Bristol", 0.69, "letters differ"),
        (SEQUENCE, "Station Road", "Statlon Road", 0.69, "letters differ"),
        (SEQUENCE, "black cotton shirt", "white cotton shirt", 0.69, "words differ"),
        (
            SEQUENCE,
            "the quick station of the old town on hill",
            "the quick statlon of the old town on hill",
            8 / 9,
            "letters differ",
        ),
        (
            SEQUENCE,
            "the quick station of the old town on a hill",
            "the quick statlon of the old town on a hill",
            0.9,
            "letters differ",
        ),
        (ANY, "Ima Buyn Hansen", "Hanson, Ima Buyn", 0.69, "letters differ"),
        (FREE, "left at the back door by noon", "left at the front door by noon", 6 / 7, "words differ"),
        (FREE, "left at the back door by noon", "left at the back door by noon [12]", 7 / 8, "words differ"),
        (FREE, "left at the back door", "left at the front door", 0.69, "words differ"),
        (FREE, "5 boxes left at the back door", "6 boxes left at the back door", 0.0, "digits differ"),
        (SEQUENCE, "alpha", "omega", 0.2, "words differ"),
    ],
)
def test_scores(comparator: TextComparator, expected: str, predicted: str, score: float, difference: str) -> None:
    """The score says how much differs, and the note what: words that differ never score more than 0.69."""
    assert comparator.compare(expected, predicted) == pytest.approx(score)
    assert comparator.notes(expected, predicted) == difference


@pytest.mark.parametrize(
    ("expected", "predicted", "note"),
    [
        ("1,234.50", "1234.5", "compared as numbers"),
        ("2024-01-15", "January 15, 2024", "compared as dates"),
        ("Jan 2002 - Jun 2003", "January 2002 to June 2003", "compared as dates"),
        ("1½ in", "1.5 in", "compared as numbers"),
    ],
)
def test_two_numbers_and_two_dates_are_compared_as_such(expected: str, predicted: str, note: str) -> None:
    """Texts that as a whole are both numbers, or both dates, are compared as these are."""
    assert SEQUENCE.compare(expected, predicted) == 1.0
    assert SEQUENCE.notes(expected, predicted) == note


@given(a=text, b=text, any_order=st.booleans(), free=st.booleans())
@settings(max_examples=examples(300), deadline=None)
def test_sides_can_be_exchanged_and_grids_agree(a: str, b: str, any_order: bool, free: bool) -> None:
    """A score is the same from either side, in a grid, and 1 where the keys are equal."""
    comparator = TextComparator(order="any" if any_order else "sequence", free=free)
    score = comparator.compare(a, b)
    assert score == comparator.compare(b, a) == comparator.grid([a, b], [b])[0, 0]
    assert comparator.compare(a, a) == 1.0
    assert comparator.key(a) != comparator.key(b) or score == 1.0


@given(
    words=st.lists(st.sampled_from(["anna", "berg", "müller", "&", "de", "la", "o'neil"]), min_size=1, max_size=6),
    seed=st.integers(),
)
@settings(max_examples=examples(200), deadline=None)
def test_the_order_of_words_counts_in_no_name(words: list[str], seed: int) -> None:
    """A name is the same with its words in any order, and differs from others by as much."""
    moved = random.Random(seed).sample(words, len(words))
    assert ANY.compare(" ".join(words), " ".join(moved).upper()) == 1.0
    assert ANY.compare(" ".join(words), "anna hansen") == ANY.compare(" ".join(moved), "anna hansen")


@given(
    a=text,
    marks=st.lists(
        st.sampled_from([" ", "  ", ", ", "; ", " (", ") ", ". ", "\n", "\u00a0", "… "]), min_size=14, max_size=14
    ),
)
@settings(max_examples=examples(200), deadline=None)
def test_punctuation_and_blanks_are_put_aside(a: str, marks: list[str]) -> None:
    """Whatever stands between the words, they are the same words."""
    words = [word for word in a.split() if word.isalpha()]
    written = "".join(word + mark for word, mark in zip(words, marks, strict=False))
    assert not words or SEQUENCE.compare(" ".join(words), written) == 1.0


def test_every_negation_counts() -> None:
    """With each of the words that are known as negations on one side only, two texts are apart."""
    assert {
        SEQUENCE.compare("the goods may be returned", f"the goods may {word} be returned") for word in NEGATIONS
    } == {0.0}


def test_negations_are_printed_on_the_page() -> None:
    """The page names the words that are known as negations, and no others."""
    page = (ROOT / "docs" / "inference.md").read_text("utf-8")
    listed = page.partition("known as such are **negations**")[2].partition("```text")[2].partition("```")[0]
    assert set(listed.split()) == NEGATIONS


def test_long_texts_are_compared_by_their_words() -> None:
    """Beyond 20,000 characters letters are not compared: another word is one, however little of the text it is."""
    words = [f"word{'abcdefghij'[at % 10]}" for at in range(5_000)]
    other = [*words[:100], "another", *words[101:]]
    assert SEQUENCE.compare(" ".join(words), " ".join(words).upper()) == 1.0
    assert SEQUENCE.compare(" ".join(words), " ".join(other)) == 0.69
    assert FREE.compare(" ".join(words), " ".join(other)) == pytest.approx(1 - 1 / 5_000)


def test_rows_with_a_misspelt_name_find_each_other() -> None:
    """A row whose only text is misspelt is paired with its own, not with a stranger."""
    expected = {"rows": [{"product": "Hammer drill"}, {"product": "Copper pipe"}, {"product": "Office chair"}]}
    predicted = {"rows": [{"product": "Office chalr"}, {"product": "Hamner drill"}, {"product": "Copper pipe"}]}
    comparison = Plan.compile(Spec.infer([expected])).compare(expected, predicted)
    found = {verdict.path: (verdict.predicted_path, verdict.outcome.value) for verdict in comparison.verdicts}
    assert found == {
        "rows[0].product": ("rows[1].product", "fd"),
        "rows[1].product": ("rows[2].product", "tp"),
        "rows[2].product": ("rows[0].product", "fd"),
    }
