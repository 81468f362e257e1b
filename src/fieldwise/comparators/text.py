"""Comparators of text: exact, normalised, by edits, by fuzzy tokens.

Objects and lists under them are alike only where they are the same JSON value.
"""

from __future__ import annotations

import copy
import unicodedata
from abc import abstractmethod
from collections.abc import Callable, Hashable, Sequence
from typing import ClassVar, Self

import numpy as np
from rapidfuzz import fuzz
from rapidfuzz.distance import Levenshtein
from rapidfuzz.process import cdist

from fieldwise.checks import checked_choice, checked_flag
from fieldwise.comparators.base import ANY_KIND, SCALARS, BaseComparator, Grid
from fieldwise.comparators.keyed import KeyedComparator, equal_keys
from fieldwise.comparators.long_text import LONG_TEXT_NOTE, edit_similarity, trimmed
from fieldwise.comparators.texts import PLAIN_FORMS, folded, text_of
from fieldwise.comparators.work import ALONE, CALL, COUNTED_FROM, Work, WorkLimitError, texts_cost
from fieldwise.values import Json, canonical, same, written

_edit_similarity = Levenshtein.normalized_similarity

FUZZY_METHODS: dict[str, Callable[..., float]] = {
    "ratio": fuzz.ratio,
    "partial_ratio": fuzz.partial_ratio,
    "token_sort_ratio": fuzz.token_sort_ratio,
    "token_set_ratio": fuzz.token_set_ratio,
    "weighted_ratio": fuzz.WRatio,
}

_ORDERED = ("ratio", "token_sort_ratio")
_SLIDING = 100
"""How many times the cells of two short texts a partial match takes."""


class ExactComparator(KeyedComparator):
    """Scores 1 where both texts are equal, code point by code point; objects and lists by their sorted JSON.

    >>> ExactComparator().compare(1, "1"), ExactComparator(case_sensitive=False).compare("A", "a")
    (1.0, 1.0)
    """

    takes: ClassVar[frozenset[str]] = ANY_KIND

    def __init__(self, threshold: float | None = None, case_sensitive: bool = True) -> None:
        super().__init__(threshold)
        self.case_sensitive = checked_flag("case_sensitive", case_sensitive)

    def _compare(self, expected: Json, predicted: Json) -> float:
        if expected is predicted or (type(expected) is str and type(predicted) is str and expected == predicted):
            return 1.0
        return 1.0 if self.key(expected) == self.key(predicted) else 0.0

    def key(self, value: Json) -> Hashable:
        """Return the text, or for an object or list its JSON in a tuple of one."""
        text = text_of(value)
        if text is None:
            inside = written(value)
            return (inside if self.case_sensitive else inside.casefold(),)
        return text if self.case_sensitive else text.casefold()

    def describe(self) -> str:
        """Return ``exact``, and whether case is ignored."""
        return "exact" if self.case_sensitive else "exact, any case"


class NormalizedComparator(KeyedComparator):
    """Scores 1 where both texts are equal once case, blanks and punctuation are put aside.

    Text is composed (NFC), case-folded, freed of blanks, then of characters of the Unicode categories P*.
    ``fold_symbols``: all dashes and minus signs are one, full-width characters are read as their plain forms, and a
    currency sign that only one side has is put aside.

    >>> NormalizedComparator().compare("SHP-2024 001", "shp 2024-001")
    1.0
    >>> folding = NormalizedComparator(fold_symbols=True)
    >>> folding.compare("66,9 €", "66,9"), folding.compare("66,9 €", "66,9 $")
    (1.0, 0.0)
    """

    takes: ClassVar[frozenset[str]] = SCALARS

    def __init__(
        self,
        threshold: float | None = None,
        case_sensitive: bool = False,
        ignore_whitespace: bool = True,
        ignore_punctuation: bool = True,
        fold_symbols: bool = False,
    ) -> None:
        super().__init__(threshold)
        self.case_sensitive = checked_flag("case_sensitive", case_sensitive)
        self.ignore_whitespace = checked_flag("ignore_whitespace", ignore_whitespace)
        self.ignore_punctuation = checked_flag("ignore_punctuation", ignore_punctuation)
        self.fold_symbols = checked_flag("fold_symbols", fold_symbols)
        self._kept = _Kept(self.ignore_whitespace, self.ignore_punctuation)

    def key(self, value: Json) -> Hashable:
        """Return what is left of the text; with ``fold_symbols`` without its currency signs."""
        text = text_of(value)
        if text is None:
            return (canonical(value),)
        if self.fold_symbols:
            text = "".join([c for c in text.translate(PLAIN_FORMS) if unicodedata.category(c) != "Sc"])
        if not text.isascii():
            text = unicodedata.normalize("NFC", text)
        return (text if self.case_sensitive else text.casefold()).translate(self._kept)

    def _compare(self, expected: Json, predicted: Json) -> float:
        alike = self.key(expected) == self.key(predicted)
        if alike and self.fold_symbols:
            left, right = _currency_signs(expected), _currency_signs(predicted)
            alike = not left or not right or left == right
        return float(alike)

    def grid(self, expected: Sequence[Json], predicted: Sequence[Json]) -> Grid:
        """Score every pair; each value's key is made once."""
        alike = super().grid(expected, predicted)
        if not self.fold_symbols:
            return alike
        left, right = [_currency_signs(v) for v in expected], [_currency_signs(v) for v in predicted]
        one_sided = np.logical_or.outer([not signs for signs in left], [not signs for signs in right])
        return np.where(one_sided, alike, alike * equal_keys(left, right))

    def describe(self) -> str:
        """Return ``normalized``, and whether symbols are folded."""
        return "normalized, symbols folded" if self.fold_symbols else "normalized"


def _currency_signs(value: Json) -> str:
    text = text_of(value) or ""
    return "".join(sorted(c for c in text.translate(PLAIN_FORMS) if unicodedata.category(c) == "Sc"))


class _Kept(dict[int, int | None]):
    """A translation table that learns, character by character, what to drop."""

    def __init__(self, whitespace: bool, punctuation: bool) -> None:
        super().__init__()
        self.whitespace, self.punctuation = whitespace, punctuation

    def __missing__(self, code: int) -> int | None:
        char = chr(code)
        blank = self.whitespace and char.isspace()
        dropped = blank or (self.punctuation and unicodedata.category(char)[0] == "P")
        self[code] = None if dropped else code
        return self[code]

    def __reduce__(self) -> tuple[type[_Kept], tuple[bool, bool]]:
        return (_Kept, (self.whitespace, self.punctuation))


class _SimilarText(BaseComparator):
    """Scores by the similarity of two prepared texts."""

    takes: ClassVar[frozenset[str]] = SCALARS

    def _compare(self, expected: Json, predicted: Json) -> float:
        left, right = self._prepare(expected), self._prepare(predicted)
        if left is None or right is None:
            return float(same(expected, predicted))
        if left == right:
            return 1.0
        if len(left) * len(right) > COUNTED_FROM:
            return self._counted(left, right)
        return self._similar(left, right)

    def _counted(self, left: str, right: str) -> float:
        """Compare two texts that take work; on its own a comparator finds them unlike where that is too much."""
        if left == right:
            return 1.0
        try:
            return self._similar_long(left, right)
        except WorkLimitError:
            if self._work is not ALONE:
                raise
            return 0.0

    def grid(self, expected: Sequence[Json], predicted: Sequence[Json]) -> Grid:
        """Score every pair; each text is prepared once."""
        rows, columns = self._prepare_all(expected), self._prepare_all(predicted)
        if rows is None or columns is None:
            return super().grid(expected, predicted)
        if self._work is ALONE and self._cells(rows, columns) > ALONE.limit:
            return super().grid(expected, predicted)
        return self._similar_all(rows, columns)

    def cost(self, expected: Sequence[Json], predicted: Sequence[Json]) -> int:
        """Count the characters of every text with those of every other."""
        try:
            return self._cells(expected, predicted)
        except TypeError:  # not all of them are text
            rows, columns = ([str(text_of(value)) for value in side] for side in (expected, predicted))
            return self._cells(rows, columns) + len(rows) * len(columns) * CALL

    def counting(self, work: Work) -> Self:
        """Return a comparator like this one that counts long texts."""
        twin = copy.copy(self)
        twin._work = work
        return twin

    def notes(self, expected: Json, predicted: Json) -> str:
        """Say where two texts are too long for anything but equality, whatever else there is to compare."""
        left, right = self._prepare(expected), self._prepare(predicted)
        if left is None or right is None or left == right:
            return ""
        short, other = trimmed(left, right)
        if self._cells([short], [other]) <= ALONE.limit:
            return ""
        try:
            self._similar_long(left, right)
        except WorkLimitError:
            return LONG_TEXT_NOTE
        return ""

    def _cells(self, left: Sequence[str], right: Sequence[str]) -> int:
        """Return how many cells every text with every other takes."""
        return texts_cost(left, right)

    def _prepare_all(self, values: Sequence[Json]) -> list[str] | None:
        """Prepare every value; None where one of them is no scalar."""
        texts = [t for t in map(self._prepare, values) if t is not None]
        return texts if len(texts) == len(values) else None

    @abstractmethod
    def _prepare(self, value: Json) -> str | None: ...

    @abstractmethod
    def _similar(self, left: str, right: str) -> float: ...

    def _similar_long(self, left: str, right: str) -> float:
        """Do the same for texts that are counted; WorkLimitError where they are too much."""
        self._work.now.take(self._cells([left], [right]))
        return self._similar(left, right)

    @abstractmethod
    def _similar_all(self, rows: list[str], columns: list[str]) -> Grid: ...


class LevenshteinComparator(_SimilarText):
    """Scores 1 - edits / length of the longer text, in code points.

    >>> round(LevenshteinComparator().compare("kitten", "Sitting"), 3)
    0.571
    """

    def __init__(self, normalize: bool = True, threshold: float | None = None) -> None:
        super().__init__(threshold)
        self.normalize = checked_flag("normalize", normalize)

    def _prepare(self, value: Json) -> str | None:
        text = value if type(value) is str else text_of(value)
        return folded(text) if text and self.normalize else text

    def _compare(self, expected: Json, predicted: Json) -> float:
        if type(expected) is not str or type(predicted) is not str:
            return super()._compare(expected, predicted)
        if expected == predicted:
            return 1.0
        if self.normalize:  # `folded`, without the calls
            expected, predicted = " ".join(expected.lower().split()), " ".join(predicted.lower().split())
        if len(expected) * len(predicted) > COUNTED_FROM:
            return self._counted(expected, predicted)
        return _edit_similarity(expected, predicted)

    def grid(self, expected: Sequence[Json], predicted: Sequence[Json]) -> Grid:
        """Score every pair; each text is prepared once."""
        if not self.normalize or not expected or not predicted:
            return super().grid(expected, predicted)
        try:
            rows = [" ".join(value.lower().split()) for value in expected]  # `folded`, without the calls
            columns = [" ".join(value.lower().split()) for value in predicted]
        except (AttributeError, TypeError):  # not all of them are text
            return super().grid(expected, predicted)
        if self._work is ALONE and self._cells(rows, columns) > ALONE.limit:
            return BaseComparator.grid(self, expected, predicted)
        return cdist(rows, columns, scorer=_edit_similarity, dtype=np.float64)

    def _similar(self, left: str, right: str) -> float:
        return _edit_similarity(left, right)

    def _similar_long(self, left: str, right: str) -> float:
        return edit_similarity(left, right, self._work)

    def _similar_all(self, rows: list[str], columns: list[str]) -> Grid:
        return cdist(rows, columns, scorer=_edit_similarity, dtype=np.float64)

    def describe(self) -> str:
        """Return ``levenshtein``, and whether text is taken as it stands."""
        return "levenshtein" if self.normalize else "levenshtein, text as it stands"


class FuzzyComparator(_SimilarText):
    """Scores by one of rapidfuzz's ratios, divided by 100.

    >>> FuzzyComparator("token_sort_ratio").compare("new york mets", "Mets New York")
    1.0
    """

    def __init__(self, method: str = "ratio", normalize: bool = True, threshold: float | None = None) -> None:
        super().__init__(threshold)
        self.method = checked_choice("method", method, FUZZY_METHODS)
        self.normalize = checked_flag("normalize", normalize)
        self._ratio = FUZZY_METHODS[method]

    def _prepare(self, value: Json) -> str | None:
        text = value if type(value) is str else text_of(value)
        return text.strip().lower() if text and self.normalize else text

    def _similar(self, left: str, right: str) -> float:
        return self._ratio(left, right) / 100

    def _cells(self, left: Sequence[str], right: Sequence[str]) -> int:
        cells = texts_cost(left, right)
        if self.method in _ORDERED:
            return cells
        if self.method == "token_set_ratio":
            return 2 * cells + len(left) * len(right) * CALL
        # A partial match slides the shorter text along the longer one.
        shorter = min(max(map(len, left), default=0), max(map(len, right), default=0))
        return cells * (_SLIDING + shorter)

    def _similar_all(self, rows: list[str], columns: list[str]) -> Grid:
        out = cdist(rows, columns, scorer=self._ratio, dtype=np.float64) / 100
        for i in (i for i, row in enumerate(rows) if not row or row.isspace()):
            for j in (j for j, column in enumerate(columns) if column == rows[i]):
                out[i, j] = 1.0  # rapidfuzz finds no tokens in two blank texts
        return out

    def describe(self) -> str:
        """Return ``fuzzy`` and the method."""
        words = f"fuzzy {self.method.removesuffix('_ratio')}" if self.method != "ratio" else "fuzzy"
        return words if self.normalize else f"{words}, text as it stands"
