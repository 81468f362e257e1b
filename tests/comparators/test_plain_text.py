"""Numbers and text where nothing was declared: what is alike, and what only looks alike."""

from __future__ import annotations

import pytest

from fieldwise.comparators import AmountComparator, TextComparator
from fieldwise.values import Json


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


@pytest.mark.parametrize("method", ["levenshtein", "token_sort_ratio"])
@pytest.mark.parametrize(
    ("expected", "predicted"),
    [
        ("10 mg", "100 mg"),
        ("Hex nut M4", "Hex nut M5"),
        ("1234.50", "1234.51"),
        ("500 mg", "500 kg"),
        ("5 mg tablet", "5 g tablet"),
        ("12 Main St, Apt 4", "4 Main St, Apt 12"),
        ("12 Main St, Apt 4A", "12 Main St, Apt 4B"),
        ("5 apples and 3 pears", "3 apples and 5 pears"),
        ("temperature -5 degrees", "temperature 5 degrees"),
        ("≥ 5 mg", "≤ 5 mg"),
        ("due on 2024-01-15", "due on 2024-01-16"),
        ("2024-01-15", "2024-01-16"),
        ("2024-01-01 to 2024-01-31", "2024-01-01 to 2024-01-30"),
        ("Jan 2002 - Jun 2003", "Jan 2002 - Jul 2003"),
        ("Jan 2002 - Jun 2003", "Jun 2002 - Jan 2003"),
    ],
)
def test_digits_must_agree(expected: str, predicted: str, method: str) -> None:
    """However similar two texts are, they are not alike where their numbers, signs or units differ."""
    comparator = TextComparator(method)
    assert comparator.compare(expected, predicted) == comparator.compare(predicted, expected) == 0.0
    assert comparator.grid([expected, "x"], [predicted, "x"])[0, 0] == 0.0
    assert comparator.notes(expected, predicted)


@pytest.mark.parametrize("method", ["levenshtein", "token_sort_ratio"])
@pytest.mark.parametrize(
    ("expected", "predicted", "note"),
    [
        ("The tenant is not liable for repairs", "The tenant is liable for repairs", "a negation differs"),
        ("The goods cannot be returned by the buyer", "The goods can be returned by the buyer", "a negation differs"),
        ("Es besteht kein Anspruch auf Ersatz", "Es besteht ein Anspruch auf Ersatz", "a negation differs"),
        ("本合同不得转让给任何第三方公司", "本合同得转让给任何第三方公司", "a negation differs"),
        ("no known allergies to penicillin", "known allergies to penicillin", "a negation differs"),
        ("$1.5 million", "$1.5 billion", "a number in words differs"),
        ("one tablet twice daily", "one tablet once daily", "a number in words differs"),
        ("Jan 2002 - Present", "Jun 2002 - Present", "a month differs"),
        ("open on Tuesday", "open on Thursday", "a weekday differs"),
        ("12 North Street", "12 South Street", "a direction differs"),
        ("fracture of the left femur", "fracture of the right femur", "left and right differ"),
        ("Meeting at 5 pm", "Meeting at 5 am", "am and pm differ"),
        ("Class A Common Stock", "Class B Common Stock", "a single letter differs"),
        ("Phase II trial", "Phase III trial", "a single letter differs"),
        ("Apt 4A, Main Street", "Apt 4, Main Street", "digits differ"),
        ("$219.00", "$219.00k", "digits differ"),
        ("$500 per month", "€500 per month", "currencies differ"),
        ("rent of 500 USD per month", "rent of 500 EUR per month", "currencies differ"),
        ("payment by credit card", "payment by debit card", "a telling word differs"),
        ("10 mg PO BID", "10 mg PO TID", "a telling word differs"),
        ("notice of thirty (30) days", "notice of thirty (30) months", "a telling word differs"),
        ("John Smith Jr.", "John Smith Sr.", "a telling word differs"),
        ("Cotton shirt, black", "Cotton shirt, white", "a telling word differs"),
        ("as stated in Section 4(a)", "as stated in Section 4(b)", "a single letter differs"),
        ("burger w/ cheese", "burger w/o cheese", "a negation differs"),
        ("an Austrian company", "an Australian company", "a telling word differs"),
        ("25 King St, London SW1A 1AA", "25 King Street, London SW1A 1AB", "digits differ"),
        ("M.Sc. in Physics", "B.Sc. in Physics", "a single letter differs"),
        ("J. Smithson-Jones", "K. Smithson-Jones", "a single letter differs"),
        ("Stable angina pectoris", "Unstable angina pectoris", "opposite words"),
        ("Essential hypertension", "Essential hypotension", "opposite words"),
        ("symptomatic stenosis", "asymptomatic stenosis", "opposite words"),
        ("an exclusive, limited license", "a non-exclusive, limited license", "opposite words"),
        ("the fee includes all taxes", "the fee excludes all taxes", "opposite words"),
        ("Take 1/2 tablet daily", "Take 1-2 tablets daily", "digits differ"),
        ("Take 1.5 tablets daily", "Take 1-5 tablets daily", "digits differ"),
        ("Take .5 mg of it daily", "Take 5 mg of it daily", "digits differ"),
        ("more than 5 years old", "more than 5+ years old", "digits differ"),
        ("½ inch copper pipe", "¼ inch copper pipe", "digits differ"),
    ],
)
def test_telling_words_must_agree(expected: str, predicted: str, note: str, method: str) -> None:
    """However similar two texts are, a negation, another month, number or letter keeps them apart."""
    comparator = TextComparator(method)
    assert comparator.compare(expected, predicted) == comparator.compare(predicted, expected) == 0.0
    assert comparator.grid([expected, "x"], [predicted, "x"])[0, 0] == 0.0
    assert comparator.notes(expected, predicted) == note


@pytest.mark.parametrize(
    ("expected", "predicted", "method"),
    [
        ("1,234.50", "1234.5", "levenshtein"),
        ("2024-01-15", "January 15, 2024", "levenshtein"),
        ("Jan 2002 - Jun 2003", "January 2002 to June 2003", "levenshtein"),
        ("café", "cafe\u0301", "token_sort_ratio"),
        ("O'Neil", "O’Neil", "levenshtein"),
        ("10115 Berlin, Hauptstr. 5", "Hauptstr. 5, 10115 Berlin", "token_sort_ratio"),
        ("Hammer drill, 750W", "Hammer drill, 750 W", "levenshtein"),
        ("Ali_Baba_Inc.", "ALI BABA INC.", "levenshtein"),
        ("it isn't included in the price", "it is not included in the price", "levenshtein"),
        ("you may cancel in March, in writing", "you can cancel in March, in writing", "levenshtein"),
        ("123 N Main Street, Apt B", "123 North Main Street, Apt B", "levenshtein"),
        ("Contact No: see below", "Contact: see below", "levenshtein"),
        ("NO 12, Jalan Sagu", "NO. 12, Jalan Sagu", "levenshtein"),
        ("within thirty (30) days of the notice", "within (30) days of the notice given", "token_sort_ratio"),
        ("about 5,000 of them", "about 5000 of them", "levenshtein"),
        ("take .5 mg twice", "take 0.5 mg twice", "token_sort_ratio"),
        ("½ inch copper pipe", "1/2 inch copper pipe", "levenshtein"),
        ("$500 per month", "500 USD per month", "token_sort_ratio"),
        ("a non-exclusive license", "a nonexclusive license", "levenshtein"),
        ("Jonathan P. Smithson Jr.", "Jonathan P. Smithson Junior", "levenshtein"),
        ("payable within 30 days", "payable within 30 day", "levenshtein"),
        ("Smith & Brown, London", "Smith and Brown, London", "levenshtein"),
    ],
)
def test_the_same_written_differently(expected: str, predicted: str, method: str) -> None:
    """Numbers and dates in another form, letters in another form, words in another order are alike."""
    assert TextComparator(method).compare(expected, predicted) >= 0.8
