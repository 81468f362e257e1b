"""The comparator of text where nothing was declared: texts are similar; digits and telling words must agree."""

from __future__ import annotations

import copy
import re
import unicodedata
from collections import Counter
from collections.abc import Hashable, Sequence
from typing import ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from fieldwise.checks import checked_choice
from fieldwise.comparators.amount import AmountComparator
from fieldwise.comparators.as_text import plain_form, text_of
from fieldwise.comparators.base import SCALARS, BaseComparator, Grid, equal_keys
from fieldwise.comparators.date import DateComparator
from fieldwise.comparators.date_text import is_time
from fieldwise.comparators.opposite_words import are_opposed, have_opposites, words_of
from fieldwise.comparators.similar_text import FuzzyComparator, LevenshteinComparator
from fieldwise.comparators.telling_words import Telling, may_tell_apart, telling_difference, telling_words
from fieldwise.comparators.value_kinds import UNITS, has_digit, is_date, is_quantity
from fieldwise.comparators.work import CALL, Work
from fieldwise.values import Json

TEXT_METHODS = ("levenshtein", "token_sort_ratio")
_DIGIT = re.compile(r"[\d¼½¾⅐-⅞]").search
_NUMBERS = re.compile(
    r"(?:(?<!\S)(?P<sign>-|[<>≤≥~±] ?))?(?P<digits>\d+)(?P<more>\+(?!\w))?(?P<letters>[^\W\d_]*)"
    r"(?:[ \u00a0]?(?P<unit>[^\W\d_]+))?"
)
_JOINED = re.compile(r"(?<![\d.,/:-])[1-9]?\d([./-]|,(?!\d{3}))\d{1,2}(?![.,/:-]?\d)").findall
"""The mark between two short numbers: 1/2 and 1.2 are no 1-2."""
_THOUSANDS = re.compile(r"(?<![\d.,])\d{1,3}(?:,\d{3})+(?![\d,]|\.\d{3})")
_POINT_FIRST = re.compile(r"(?<![\w.,])\.(?=\d)")
_WORDS = re.compile(r"[^\W\d_]{2,}")
_FRACTION = re.compile("[¼½¾⅐-⅞]")
_FEW = 10_000
"""The pairs up to which what digits take is not worth counting."""
_LOOKED_AT = 5 * CALL
_SIMILAR = 0.5
"""The similarity from which telling words are looked at; texts that are less similar match nowhere."""
_AMOUNT, _DATE = AmountComparator(), DateComparator(times=True, range_mode="strict")


class TextComparator(BaseComparator):
    """Scores two texts by their similarity, but 0 where their digits differ: 10 mg is not 100 mg.

    So it is with telling words: a *not* on one side, two months, two numbers in words. Underscores are blanks. Two
    texts that both read as numbers, or both as dates, are compared as such. ``method`` is ``levenshtein`` or
    ``token_sort_ratio``, which puts the words of both in order first.

    >>> TextComparator().compare("Hex nut M4", "Hex nut M5"), TextComparator().compare("1,234.50", "1234.5")
    (0.0, 1.0)
    """

    own_threshold: ClassVar[float] = 0.8
    takes: ClassVar[frozenset[str]] = SCALARS

    def __init__(self, method: str = "levenshtein", threshold: float | None = None) -> None:
        super().__init__(threshold)
        self.method = checked_choice("method", method, TEXT_METHODS)
        ordered = self.method == "levenshtein"
        self._similar: BaseComparator = LevenshteinComparator() if ordered else FuzzyComparator(self.method)
        self._similarity = self._similar._compare
        self._sorted = not ordered

    def _compare(self, expected: Json, predicted: Json) -> float:
        left, right = text_of(expected), text_of(predicted)
        if left is None or right is None:
            return self._similarity(_plain_value(expected), _plain_value(predicted))
        both = left + right
        if not both.isascii() or "_" in both:
            left, right = _plain(left), _plain(right)
            both = left + right
        # Most texts have no digits: little more work for these than similarity takes.
        if both.replace(" ", "").isalpha() or not _DIGIT(both):
            return self._score(left, right)
        return self._with_digits(left, right)

    def _score(self, left: str, right: str) -> float:
        """Return the similarity of two texts; those that differ in blanks alone are the same."""
        if len(left) != len(right) and _without_blanks(left) == _without_blanks(right):
            return 1.0
        score = self._similarity(_spaced(left), _spaced(right)) if self._sorted else self._similarity(left, right)
        return 0.0 if _SIMILAR <= score < 1.0 and self._told_apart(left, right) else score

    def _told_apart(self, left: str, right: str) -> str:
        """Return which telling words differ, or whether words are opposites; empty where neither is so."""
        if may_tell_apart(left, right):
            told = telling_difference(self._telling(left), self._telling(right))
            if told:
                return told
        return "opposite words" if are_opposed(left, right) else ""

    def _telling(self, value: Json) -> Telling:
        return telling_words(text_of(value) or "", in_order=not self._sorted)

    def _with_digits(self, left: str, right: str) -> float:
        if left == right:
            return 1.0
        score = self._as_values(left, right)
        if score is not None:
            return score
        left, right = _plain_numbers(left), _plain_numbers(right)
        return self._score(left, right) if self._numbers_agree(left, right) else 0.0

    def grid(self, expected: Sequence[Json], predicted: Sequence[Json]) -> Grid:
        """Score every pair; the digits of each text are read once."""
        valued = [[_plain_value(value) for value in side] for side in (expected, predicted)]
        left, right = ([_plain_numbers(v) if type(v) is str else v for v in side] for side in valued)
        texts = [[_spaced(value) for value in side] for side in (left, right)] if self._sorted else (left, right)
        out = self._similar.grid(*texts)
        for i, j in _same_but_blanks(left, right):
            out[i, j] = 1.0
        self._tell_apart(out, left, right)
        rows, columns = [self._key(value) for value in left], [self._key(value) for value in right]
        if any(rows) or any(columns):
            out *= equal_keys(rows, columns)
            for i, j in np.argwhere(out):
                if rows[i] and left[i] != right[j] and not self._numbers_agree(left[i], right[j]):
                    out[i, j] = 0.0
            self._set_values(out, _valued(valued[0]), _valued(valued[1]))
        return out

    def _tell_apart(self, out: Grid, left: Sequence[Json], right: Sequence[Json]) -> None:
        """Set the cells of similar texts whose telling words differ, or that have opposites."""
        similar = (out >= _SIMILAR) & (out < 1.0)
        if not similar.any():
            return
        _oppose(out, similar, left, right)
        rows, columns = (
            {at: self._telling(side[at]) for at in np.flatnonzero(similar.any(axis=axis)).tolist()}
            for side, axis in ((left, 1), (right, 0))
        )
        if any(rows.values()) or any(columns.values()):
            for i, j in np.argwhere(similar).tolist():
                if telling_difference(rows[i], columns[j]):
                    out[i, j] = 0.0

    def cost(self, expected: Sequence[Json], predicted: Sequence[Json]) -> int:
        """Count the texts, and the pairs that are looked at one by one: same digits, two numbers, two dates."""
        cells = self._similar.cost(expected, predicted)
        if len(expected) * len(predicted) <= _FEW:
            return cells
        left, right = (Counter([self._key(_plain_value(value)) for value in side]) for side in (expected, predicted))
        alike = sum([times * right[key] for key, times in left.items() if key != ()])
        valued = len(_valued(expected)) * len(_valued(predicted))
        told = [sum(bool(self._telling(value)) for value in side) for side in (expected, predicted)]
        return cells + (alike + valued + told[0] * len(predicted) + told[1] * len(expected)) * _LOOKED_AT

    def counting(self, work: Work) -> Self:
        """Return a comparator like this one whose texts are counted."""
        twin = copy.copy(self)
        twin._similar = self._similar.counting(work)
        twin._similarity = twin._similar._compare
        return twin

    def _set_values(self, out: Grid, rows: Sequence[tuple[int, str]], columns: Sequence[tuple[int, str]]) -> None:
        for i, left in rows:
            for j, right in columns:
                score = 1.0 if left == right else self._as_values(left, right)
                if score is not None:
                    out[i, j] = score

    def _as_values(self, left: str, right: str) -> float | None:
        """Compare two numbers or two dates as such; None where the texts are not both the same of these."""
        if (is_date(left) and is_date(right)) or (is_time(left) and is_time(right)):
            return _DATE._compare(left, right)
        if is_quantity(left) and is_quantity(right):
            return _AMOUNT._compare(left, right)
        return None

    def _key(self, value: Json) -> Hashable:
        """Return the signed numbers of a text, in their order or, where that of words does not count, sorted."""
        text = text_of(value)
        if text is None or not _DIGIT(text):
            return ()
        found = _NUMBERS.finditer(text)
        numbers = [((number["sign"] or "").strip(), number["digits"], number["more"] or "") for number in found]
        return tuple(sorted(numbers) if self._sorted else numbers)

    def _numbers_agree(self, left: str, right: str) -> bool:
        """Return whether two texts hold the same numbers, with the same letters and units behind them.

        Where only numbers changed places, and no words did, they are not the same.
        """
        if self._key(left) != self._key(right):
            return False
        marks = _JOINED(left)
        if marks and not _marks_agree(marks, _JOINED(right)):
            return False
        ours, theirs = list(_NUMBERS.finditer(left)), list(_NUMBERS.finditer(right))
        if self._sorted and _WORDS.findall(left.casefold()) != _WORDS.findall(right.casefold()):
            ours, theirs = (sorted(side, key=_digits_and_letters) for side in (ours, theirs))
        return all(
            one["digits"] == other["digits"] and _letters_agree(one, other) and _agree(_unit(one), _unit(other))
            for one, other in zip(ours, theirs, strict=True)
        )

    def notes(self, expected: Json, predicted: Json) -> str:
        """Say where digits decided, or that two values were compared as numbers or dates."""
        left, right = text_of(expected), text_of(predicted)
        if left is None or right is None or left == right:
            return self._similar.notes(expected, predicted)
        left, right = _plain(left), _plain(right)
        if has_digit(left) and has_digit(right) and self._as_values(left, right) is not None:
            return "compared as numbers" if is_quantity(left) and is_quantity(right) else "compared as dates"
        left, right = _plain_numbers(left), _plain_numbers(right)
        if not self._numbers_agree(left, right):
            return "digits differ"
        told = self._told_apart(left, right) if not self._score(left, right) else ""
        return told or self._similar.notes(left, right)

    def describe(self) -> str:
        """Return ``text`` and how it is compared."""
        return "text" if self.method == "levenshtein" else "text, words in any order"


def _marks_agree(ours: list[str], theirs: list[str]) -> bool:
    """Return whether the marks between short numbers are the same, where both texts have as many."""
    left, right = ([mark.replace(",", ".") for mark in side] for side in (ours, theirs))
    return len(left) != len(right) or sorted(left) == sorted(right)


def _oppose(out: Grid, similar: NDArray[np.bool_], left: Sequence[Json], right: Sequence[Json]) -> None:
    """Set the cells of similar texts of which one has a word that is the opposite of one of the other."""
    texts = (
        {at: text_of(side[at]) or "" for at in np.flatnonzero(similar.any(axis=axis)).tolist()}
        for side, axis in ((left, 1), (right, 0))
    )
    rows, columns = texts
    everywhere = [words_of(" ".join(side.values())) for side in (rows, columns)]
    if not have_opposites(everywhere[0], everywhere[1]) and not have_opposites(everywhere[1], everywhere[0]):
        return
    for i, j in np.argwhere(similar).tolist():
        if are_opposed(rows[i], columns[j]):
            out[i, j] = 0.0


def _unit(number: re.Match[str]) -> str:
    """Return the unit behind a number in a text, where the word behind it is one."""
    word = (number["letters"] or number["unit"] or "").casefold()
    return word if word in UNITS else ""


def _digits_and_letters(number: re.Match[str]) -> tuple[str, str, str]:
    return number["digits"], number["letters"].casefold(), _unit(number)


def _letters_agree(one: re.Match[str], other: re.Match[str]) -> bool:
    """Return whether what touches two numbers is the same; a single letter counts on one side, too: 4A is not 4."""
    left, right = (number["letters"].casefold() for number in (one, other))
    if (len(left) == 1 or len(right) == 1) and "x" not in (left, right):
        return (left or (one["unit"] or "").casefold()) == (right or (other["unit"] or "").casefold())
    return _agree(left, right)


def _agree(left: str, right: str) -> bool:
    return not left or not right or left.casefold() == right.casefold()


def _without_blanks(text: str) -> str:
    return text.replace(" ", "").lower()


def _same_but_blanks(left: Sequence[Json], right: Sequence[Json]) -> list[tuple[int, int]]:
    """Return the positions of texts of different lengths that are the same without blanks."""
    keys = {text: _without_blanks(text) for text in (*left, *right) if type(text) is str}
    if len({*keys.values()}) == len(keys):
        return []
    places: dict[str, list[int]] = {}
    for j, text in enumerate(right):
        if type(text) is str:
            places.setdefault(keys[text], []).append(j)
    rows = [(i, text, places.get(keys[text], ())) for i, text in enumerate(left) if type(text) is str]
    return [(i, j) for i, text, found in rows for j in found if len(text) != len(right[j])]


def _spaced(value: Json) -> Json:
    """Return a text with a blank behind each comma, so that it ends a word."""
    return value.replace(",", ", ") if type(value) is str and "," in value else value


def _plain_value(value: Json) -> Json:
    text = text_of(value)
    return value if text is None else _plain(text)


def _plain(text: str) -> str:
    """Return a text in its plain form; an underscore stands for a blank."""
    return plain_form(text).replace("_", " ")


def _fraction(sign: re.Match[str]) -> str:
    before = " " if sign.string[: sign.start()][-1:].isdigit() else ""
    return before + unicodedata.normalize("NFKC", sign[0]).replace("⁄", "/")


def _plain_numbers(text: str) -> str:
    """Return a text whose numbers have no thousands commas, a digit before their decimal mark, and 1/2 for ½.

    >>> _plain_numbers("about 5,000 of .5 mg or 1½ g")
    'about 5000 of 0.5 mg or 1 1/2 g'
    """
    if not text.isascii():
        text = _FRACTION.sub(_fraction, text)
    if "," not in text and "." not in text:
        return text
    text = _POINT_FIRST.sub("0.", text)
    return _THOUSANDS.sub(lambda number: number[0].replace(",", ""), text)


def _valued(values: Sequence[Json]) -> list[tuple[int, str]]:
    """Return the texts that read as a number or a date, with their positions."""
    texts = [(at, text) for at, value in enumerate(values) if (text := text_of(value)) and has_digit(text)]
    return [(at, text) for at, text in texts if is_date(text) or is_quantity(text) or is_time(text)]
