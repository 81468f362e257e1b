"""Comparators of text where nothing was declared: codes, and text in which digits must agree."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Hashable, Sequence
from typing import ClassVar

from fieldwise.comparators.amount import AmountComparator
from fieldwise.comparators.base import SCALARS, BaseComparator, Grid
from fieldwise.comparators.checks import checked_choice
from fieldwise.comparators.date import DateComparator
from fieldwise.comparators.keyed import KeyedComparator, equal_keys
from fieldwise.comparators.text import FuzzyComparator, LevenshteinComparator
from fieldwise.comparators.texts import text_of
from fieldwise.comparators.value_kinds import has_digit, is_date, is_quantity
from fieldwise.values import Json, canonical

TEXT_METHODS = ("levenshtein", "token_sort_ratio")
_DIGITS = re.compile(r"\d+")
_any_digit = re.compile(r"\d").search
_AMOUNT, _DATE = AmountComparator(), DateComparator(times=True)


class CodeComparator(KeyedComparator):
    """Scores 1 where two codes are equal once width, case, white space and the forms of the dash are put aside.

    Other punctuation and leading zeros count.

    >>> CodeComparator().compare("INV–001", "inv-001"), CodeComparator().compare("INV-001", "INV-01")
    (1.0, 0.0)
    """

    takes: ClassVar[frozenset[str]] = SCALARS

    def key(self, value: Json) -> Hashable:
        """Return the code without what does not count."""
        text = text_of(value)
        if text is None:
            return (canonical(value),)
        if not text.isascii():
            text = unicodedata.normalize("NFKC", text).translate(_DASHES)
        return "".join(text.casefold().split())


class _Dashes(dict[int, str | None]):
    """A translation table that learns which characters are dashes, and which cannot be seen."""

    def __missing__(self, code: int) -> str | None:
        category = unicodedata.category(chr(code))
        self[code] = "-" if category == "Pd" or chr(code) == "−" else None if category == "Cf" else chr(code)
        return self[code]


_DASHES = _Dashes()


class TextComparator(BaseComparator):
    """Scores two texts by their similarity, but 0 where their digits differ: 10 mg is not 100 mg.

    Two texts that both read as numbers, or both as dates, are compared as such. ``method`` is ``levenshtein`` or
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
        if type(expected) is str and type(predicted) is str:
            # Most texts have no digits: little more work for these than similarity takes.
            both = expected + predicted
            if both.replace(" ", "").isalpha() or not _any_digit(both):
                return self._similarity(expected, predicted)
            return self._with_digits(expected, predicted)
        left, right = text_of(expected), text_of(predicted)
        if left is None or right is None:
            return self._similarity(expected, predicted)
        return self._with_digits(left, right)

    def _with_digits(self, left: str, right: str) -> float:
        if left == right:
            return 1.0
        digits = self._digits(left)
        if digits != self._digits(right):
            return self._as_values(left, right) or 0.0
        score = self._as_values(left, right) if digits else None
        return self._similarity(left, right) if score is None else score

    def grid(self, expected: Sequence[Json], predicted: Sequence[Json]) -> Grid:
        """Score every pair; the digits of each text are read once."""
        out = self._similar.grid(expected, predicted)
        rows = [self._key(value) for value in expected]
        columns = [self._key(value) for value in predicted]
        if any(rows) or any(columns):
            out *= equal_keys(rows, columns)
            self._set_values(out, _valued(expected), _valued(predicted))
        return out

    def _set_values(self, out: Grid, rows: Sequence[tuple[int, str]], columns: Sequence[tuple[int, str]]) -> None:
        for i, left in rows:
            for j, right in columns:
                score = 1.0 if left == right else self._as_values(left, right)
                if score is not None:
                    out[i, j] = score

    def _as_values(self, left: str, right: str) -> float | None:
        """Compare two numbers or two dates as such; None where the texts are not both the same of these."""
        if is_date(left) and is_date(right):
            return _DATE._compare(left, right)
        if is_quantity(left) and is_quantity(right):
            return _AMOUNT._compare(left, right)
        return None

    def _key(self, value: Json) -> Hashable:
        text = text_of(value)
        return () if text is None else self._digits(text)

    def _digits(self, text: str) -> tuple[str, ...]:
        """Return the runs of digits, in their order or, where that of words does not count, sorted."""
        if not text.isascii():
            text = unicodedata.normalize("NFKC", text)
        runs = _DIGITS.findall(text)
        return tuple(sorted(runs) if self._sorted else runs)

    def notes(self, expected: Json, predicted: Json) -> str:
        """Say where digits decided, or that two values were compared as numbers or dates."""
        left, right = text_of(expected), text_of(predicted)
        if left is None or right is None or left == right:
            return self._similar.notes(expected, predicted)
        if has_digit(left) and has_digit(right) and self._as_values(left, right) is not None:
            return "compared as dates" if is_date(left) and is_date(right) else "compared as numbers"
        return "digits differ" if self._digits(left) != self._digits(right) else self._similar.notes(left, right)

    def describe(self) -> str:
        """Return ``text`` and how it is compared."""
        return "text" if self.method == "levenshtein" else "text, words in any order"


def _valued(values: Sequence[Json]) -> list[tuple[int, str]]:
    """Return the texts that read as a number or a date, with their positions."""
    texts = [(at, text) for at, value in enumerate(values) if (text := text_of(value)) and has_digit(text)]
    return [(at, text) for at, text in texts if is_date(text) or is_quantity(text)]
