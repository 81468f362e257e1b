"""Comparators of text by similarity: by edits, and by fuzzy tokens; what is too long is compared by its words.

Objects and lists under them are alike only where they are the same JSON value.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Hashable, Sequence
from typing import ClassVar

import numpy as np
from rapidfuzz import fuzz
from rapidfuzz.distance import Levenshtein
from rapidfuzz.process import cdist

from fieldwise.checks import checked_choice, checked_flag
from fieldwise.comparators.as_text import LONG_TEXT_NOTE, MAX_LETTERS, folded, text_of, words_grid, words_in_common
from fieldwise.comparators.base import SCALARS, BaseComparator, Grid
from fieldwise.values import Json, same

_edit_similarity = Levenshtein.normalized_similarity

FUZZY_METHODS: dict[str, Callable[..., float]] = {
    "ratio": fuzz.ratio,
    "partial_ratio": fuzz.partial_ratio,
    "token_sort_ratio": fuzz.token_sort_ratio,
    "token_set_ratio": fuzz.token_set_ratio,
    "weighted_ratio": fuzz.WRatio,
}

_SLIDING = ("partial_ratio", "weighted_ratio")
_MAX_SLID = 1_000
"""Characters up to which a text slides along another one."""
_SLID = 10
"""How many times wider a text counts that slides."""


class _SimilarText(BaseComparator):
    """Scores by the similarity of two prepared texts."""

    takes: ClassVar[frozenset[str]] = SCALARS
    cell = 1

    def _compare(self, expected: Json, predicted: Json) -> float:
        left, right = self._prepare(expected), self._prepare(predicted)
        if left is None or right is None:
            return float(same(expected, predicted))
        return 1.0 if left == right else self._similar(left, right)

    def key(self, value: Json) -> Hashable | None:
        """Return the text that is compared."""
        return self._prepare(value) or None

    def grid(self, expected: Sequence[Json], predicted: Sequence[Json]) -> Grid:
        """Score every pair; each text is prepared once."""
        rows, columns = self._prepare_all(expected), self._prepare_all(predicted)
        if rows is None or columns is None:
            return super().grid(expected, predicted)
        if not rows or not columns or not self._too_long(max(rows, key=len), max(columns, key=len)):
            return self._similar_all(rows, columns)
        if self.cell > 1:
            return super().grid(expected, predicted)
        return self._with_long_texts(rows, columns)

    def _too_long(self, left: str, right: str) -> bool:
        """Return whether two texts are compared by their words, as one of them has too many letters."""
        return len(left) > MAX_LETTERS or len(right) > MAX_LETTERS

    def _with_long_texts(self, rows: Sequence[str], columns: Sequence[str]) -> Grid:
        (few, many), (some, others) = _by_length(rows), _by_length(columns)
        out = np.zeros((len(rows), len(columns)))
        out[np.ix_(few, some)] = self._similar_all([rows[i] for i in few], [columns[j] for j in some])
        out[many] = words_grid([rows[i] for i in many], columns)
        out[np.ix_(few, others)] = words_grid([rows[i] for i in few], [columns[j] for j in others])
        return out

    def notes(self, expected: Json, predicted: Json) -> str:
        """Say where two texts are too long for their letters."""
        left, right = self._prepare(expected), self._prepare(predicted)
        if left is None or right is None or left == right:
            return ""
        return LONG_TEXT_NOTE if self._too_long(left, right) else ""

    def _prepare_all(self, values: Sequence[Json]) -> list[str] | None:
        """Prepare every value; None where one of them is no scalar."""
        texts = [t for t in map(self._prepare, values) if t is not None]
        return texts if len(texts) == len(values) else None

    @abstractmethod
    def _prepare(self, value: Json) -> str | None: ...

    @abstractmethod
    def _similar(self, left: str, right: str) -> float: ...

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
        if len(expected) + len(predicted) <= MAX_LETTERS:  # as `_similar` does, without the calls
            return _edit_similarity(expected, predicted)
        return self._similar(expected, predicted)

    def _prepare_all(self, values: Sequence[Json]) -> list[str] | None:
        if self.normalize and {*map(type, values)} == {str}:
            return [" ".join(value.lower().split()) for value in values]  # `folded`, without the calls
        return super()._prepare_all(values)

    def _similar(self, left: str, right: str) -> float:
        return words_in_common(left, right) if self._too_long(left, right) else _edit_similarity(left, right)

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
        if method in _SLIDING:
            self.cell = _SLID**2

    def _prepare(self, value: Json) -> str | None:
        text = value if type(value) is str else text_of(value)
        return text.strip().lower() if text and self.normalize else text

    def _similar(self, left: str, right: str) -> float:
        return words_in_common(left, right) if self._too_long(left, right) else self._ratio(left, right) / 100

    def _too_long(self, left: str, right: str) -> bool:
        if self.cell > 1 and len(left) > _MAX_SLID and len(right) > _MAX_SLID:
            return True
        return super()._too_long(left, right)

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


def _by_length(texts: Sequence[str]) -> tuple[list[int], list[int]]:
    """Return the places of the texts that are compared by their letters, and of those that are too long."""
    places: tuple[list[int], list[int]] = ([], [])
    for at, text in enumerate(texts):
        places[len(text) > MAX_LETTERS].append(at)
    return places
