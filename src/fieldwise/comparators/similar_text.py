"""Comparators of text by similarity: by edits, and by fuzzy tokens; what two long texts take is counted as work.

Objects and lists under them are alike only where they are the same JSON value.
"""

from __future__ import annotations

import copy
from abc import abstractmethod
from collections.abc import Callable, Sequence
from typing import ClassVar, Self

import numpy as np
from rapidfuzz import fuzz
from rapidfuzz.distance import Levenshtein
from rapidfuzz.process import cdist

from fieldwise.checks import checked_choice, checked_flag
from fieldwise.comparators.as_text import folded, text_of
from fieldwise.comparators.base import SCALARS, BaseComparator, Grid
from fieldwise.comparators.work import (
    ALONE,
    CALL,
    COUNTED_FROM,
    LONG_TEXT_NOTE,
    Work,
    WorkLimitError,
    texts_cost,
)
from fieldwise.values import Json, same

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
_BAND = 32
"""Texts that differ in at most this part of their length are found alike by a small part of the work."""
_BANDED_FROM = 10_000_000


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

    def _compare(self, expected: Json, predicted: Json) -> float:
        if type(expected) is not str or type(predicted) is not str:
            return super()._compare(expected, predicted)
        if self.normalize:  # as `_prepare` does, without the calls
            expected, predicted = expected.strip().lower(), predicted.strip().lower()
        if expected == predicted:
            return 1.0
        if len(expected) * len(predicted) > COUNTED_FROM:
            return self._counted(expected, predicted)
        return self._ratio(expected, predicted) / 100

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


def trimmed(left: str, right: str) -> tuple[str, str]:
    """Return two texts without their equal beginnings and ends. Edit distances do not change by it.

    >>> trimmed("invoice 17 of May", "invoice 18 of May")
    ('7', '8')
    """
    start = _shared(left, right)
    left, right = left[start:], right[start:]
    end = _shared(left[::-1], right[::-1])
    return left[: len(left) - end], right[: len(right) - end]


def _shared(left: str, right: str) -> int:
    low, high = 0, min(len(left), len(right))
    while low < high:
        middle = (low + high + 1) // 2
        if left[low:middle] == right[low:middle]:
            low = middle
        else:
            high = middle - 1
    return low


def edit_similarity(left: str, right: str, work: Work) -> float:
    """Return 1 - edits / length of the longer text; WorkLimitError where unequal texts are too much work.

    >>> edit_similarity("abcd", "abce", Work())
    0.75
    """
    if len(left) * len(right) <= COUNTED_FROM:
        return Levenshtein.normalized_similarity(left, right)
    if left == right:
        return 1.0
    return 1 - _edits(*trimmed(left, right), work) / max(len(left), len(right))


def _edits(left: str, right: str, work: Work) -> int:
    """Count edits: first only up to a few, which takes a part of the work."""
    cells, longer = len(left) * len(right), max(len(left), len(right))
    if cells > _BANDED_FROM:
        most = longer // _BAND
        work.now.take(2 * most * longer)
        edits = Levenshtein.distance(left, right, score_cutoff=most)
        if edits <= most:
            return edits
    work.now.take(cells)
    return Levenshtein.distance(left, right)
