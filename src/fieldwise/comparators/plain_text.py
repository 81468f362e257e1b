"""The comparator of text where nothing was declared: two texts are alike where they have the same words."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray
from rapidfuzz.distance import LCSseq, Levenshtein
from rapidfuzz.process import cdist

from fieldwise.checks import checked_choice, checked_flag
from fieldwise.comparators.amount import AmountComparator
from fieldwise.comparators.as_text import text_of
from fieldwise.comparators.base import CALL, SCALARS, BaseComparator, Grid, equal_keys
from fieldwise.comparators.date import DateComparator
from fieldwise.comparators.long_text import MAX_LETTERS
from fieldwise.comparators.same_words import (
    MATCH,
    MAX_UNLIKE,
    SAME,
    Difference,
    Judged,
    are_misspelt,
    judged_as_free_text,
    judged_by_words,
    shared_words,
)
from fieldwise.comparators.words import NEGATIONS, Words, words_of
from fieldwise.values import Json, canonical, same

ORDERS = ("sequence", "any")
_NEAR, _NEAR_FREE = 0.7, 0.5
"""The similarity from which words are paired; texts that are less similar match nowhere."""
_OPEN_FROM = 100_000
"""The cells from which it matters whether texts are judged one by one."""
_FREE_FROM = 6
"""The words from which on free text may differ in some of them."""
_AMOUNT, _DATE = AmountComparator(), DateComparator(times=True, range_mode="strict")


class TextComparator(BaseComparator):
    """Scores 1 where two texts have the same words, in the same order or with ``order="any"`` in any.

    Letters are folded and punctuation is put aside; a number, date, amount or quantity is one word. 0 where a word
    without a partner is a number, has a digit or is a negation; 1 - misspelt words / words where each other word has
    its equal; else the similarity of letters, at most 0.69. ``free``: texts of six words or more score the share of
    words that have an equal, and match from 0.7 on, others only from 0.9 on.

    >>> TextComparator().compare("Hex nut M4", "Hex nut M5"), TextComparator().compare("CO₂ level", "co2-level")
    (0.0, 1.0)
    >>> TextComparator(order="any").compare("Müller, Ima", "Ima Mueller")
    1.0
    """

    own_threshold: ClassVar[float] = MATCH
    takes: ClassVar[frozenset[str]] = SCALARS
    cell = 1

    def __init__(
        self,
        threshold: float | None = None,
        order: str = "sequence",
        free: bool = False,
    ) -> None:
        super().__init__(threshold)
        self.order = checked_choice("order", order, ORDERS)
        self.free = checked_flag("free", free)
        self._any_order = order == "any"

    def key(self, value: Json) -> Hashable | None:
        """Return the words of a text in one form, or the JSON of an object or list in a tuple of one."""
        text = text_of(value)
        return (canonical(value),) if text is None else self._words(text).key

    def loose_key(self, key: Hashable) -> Hashable:
        """Return a key without its currencies: one that stands on one side only is put aside."""
        return key.partition("|")[0] if isinstance(key, str) else key

    def _words(self, text: str) -> Words:
        return words_of(text, any_order=self._any_order)

    def _compare(self, expected: Json, predicted: Json) -> float:
        left, right = text_of(expected), text_of(predicted)
        if left is None or right is None:
            return float(same(expected, predicted))
        quick = self._compare_unlike(left, right)
        return self._judge(self._words(left), self._words(right)).score if quick is None else quick

    def _compare_unlike(self, left: str, right: str) -> float | None:
        """Score two texts of plain letters that differ in one word or in most, without reading more of them.

        None for all others. Most texts that differ are such; this takes a third of the time of `_judge`.
        """
        both = left + right
        if not both.isascii() or not both.replace(" ", "").isalpha():
            return None
        ours, theirs = left.lower().split(), right.lower().split()
        if "".join(ours) == "".join(theirs):
            return 1.0
        words = ours + theirs
        if not NEGATIONS.isdisjoint(words) or (self.free and max(len(ours), len(theirs)) >= _FREE_FROM):
            return None
        if self._any_order:
            if 1 in map(len, words):
                return None
            ours.sort()
            theirs.sort()
        one, other = " ".join(ours), " ".join(theirs)
        if one == other:
            return 1.0
        if len(both) > MAX_LETTERS:
            return None
        alike = Levenshtein.normalized_similarity(one, other)
        if alike < _NEAR:
            return alike
        differing = [(a, b) for a, b in zip(ours, theirs, strict=False) if a != b]
        if len(differing) != 1 or len(ours) != len(theirs):
            return None
        unlike = min(alike, MAX_UNLIKE)
        is_likely = not self.free and are_misspelt(*differing[0])
        return max(1 - 1 / len(ours), unlike) if is_likely else unlike

    def _judge(self, left: Words, right: Words) -> Judged:
        """Score two texts and say what differs."""
        if left.key == right.key or left.in_order == right.in_order or _is_turned(left, right):
            return SAME
        if left.value and left.value == right.value:
            return Judged(_as_values(left, right), "digits differ")
        is_free = self._is_free(left, right)
        difference = _apart(left, right, is_free)
        if difference:
            return Judged(0.0, difference)
        alike = shared_words(left, right) if is_free else _similarity(left, right)
        return self._judge_similar(left, right, alike, is_free)

    def _judge_similar(self, left: Words, right: Words, alike: float, is_free: bool) -> Judged:
        """Score two texts whose numbers are no hindrance by their similarity, and from some on by their words."""
        if alike < (_NEAR_FREE if is_free else _NEAR) and not (left.is_open or right.is_open):
            return Judged(alike if is_free or left.telling == right.telling else 0.0, "words differ")
        if is_free:
            return judged_as_free_text(left, right, any_order=self._any_order)
        judged = judged_by_words(left, right, alike, any_order=self._any_order)
        if self.free and MAX_UNLIKE < judged.score < MATCH:
            return judged._replace(score=MAX_UNLIKE)  # free text matches from 0.7 on
        return judged

    def _is_free(self, left: Words, right: Words) -> bool:
        return self.free and (len(left.words) >= _FREE_FROM or len(right.words) >= _FREE_FROM)

    def grid(self, expected: Sequence[Json], predicted: Sequence[Json]) -> Grid:
        """Score every pair; each text is read once, and words are paired only where texts are similar."""
        texts = [[text_of(value) for value in side] for side in (expected, predicted)]
        if not expected or not predicted or any(t is None or len(t) > MAX_LETTERS for side in texts for t in side):
            return super().grid(expected, predicted)
        rows, columns = ([self._words(text or "") for text in side] for side in texts)
        out = self._similarities(rows, columns)
        free = self._free_cells(rows, columns)
        is_open = np.logical_or.outer(*([words.is_open for words in side] for side in (rows, columns)))
        apart = ~(_equal([w.numbers for w in rows], [w.numbers for w in columns]) | is_open | free)
        told = ~(_equal([w.telling for w in rows], [w.telling for w in columns]) | free)
        near = (out >= np.where(free, _NEAR_FREE, _NEAR)) | is_open
        out[apart | (told & ~near)] = 0.0
        equal = _equal([w.key for w in rows], [w.key for w in columns])
        if self._any_order:
            equal |= _equal([w.in_order for w in rows], [w.in_order for w in columns])
        if any(w.turned for w in (*rows, *columns)):
            equal |= _are_turned(rows, columns) | _are_turned(columns, rows).T
        out[equal] = 1.0
        for i, j in np.argwhere(near & ~apart & ~equal).tolist():
            out[i, j] = self._judge_similar(rows[i], columns[j], float(out[i, j]), bool(free[i, j])).score
        valued = np.logical_and.outer(*([bool(w.value or w.money) for w in side] for side in (rows, columns)))
        for i, j in np.argwhere(valued & ~equal).tolist():
            out[i, j] = self._judge(rows[i], columns[j]).score
        return out

    def _similarities(self, rows: Sequence[Words], columns: Sequence[Words]) -> Grid:
        """Return the similarity of letters, of free text that of words."""
        letters = [[w.letters for w in side] for side in (rows, columns)]
        out = cdist(*letters, scorer=Levenshtein.normalized_similarity, dtype=np.float64)
        free = self._free_cells(rows, columns)
        if free.any():
            left, right = [w.words for w in rows], [w.words for w in columns]
            out[free] = cdist(left, right, scorer=LCSseq.normalized_similarity, dtype=np.float64)[free]
        return out

    def _free_cells(self, rows: Sequence[Words], columns: Sequence[Words]) -> NDArray[np.bool_]:
        if not self.free:
            return np.zeros((len(rows), len(columns)), dtype=np.bool_)
        return np.logical_or.outer(*([len(w.words) >= _FREE_FROM for w in side] for side in (rows, columns)))

    def cells(self, expected: Sequence[Json], predicted: Sequence[Json]) -> int:
        """Return what a grid counts for; a text that can be read in two ways is judged with each other by a call."""
        cells = super().cells(expected, predicted)
        if cells < _OPEN_FROM:
            return cells
        are_open = any(self._words(text).is_open for value in (*expected, *predicted) if (text := text_of(value)))
        return cells * CALL if are_open else cells

    def notes(self, expected: Json, predicted: Json) -> str:
        """Say what differs, or that two values were compared as numbers or dates."""
        left, right = text_of(expected), text_of(predicted)
        if left is None or right is None or left == right:
            return ""
        words, others = self._words(left), self._words(right)
        if words.value and words.value == others.value:
            return "compared as numbers" if words.value == "quantity" else "compared as dates"
        return self._judge(words, others).difference

    def describe(self) -> str:
        """Return ``text`` and how it is compared."""
        settings = (("words in any order", self._any_order), ("free", self.free))
        return ", ".join(["text", *(words for words, holds in settings if holds)])


def differ_by_letters(expected: str, predicted: str) -> bool:
    """Return whether two texts have the same words but for misspelt ones.

    >>> differ_by_letters("Station Road, Bristol", "Statlon Road, Bristcl"), differ_by_letters("Mill Lane", "Mill Road")
    (True, False)
    """
    if Levenshtein.normalized_similarity(expected.lower(), predicted.lower()) < _NEAR:
        return False
    return TextComparator()._judge(words_of(expected), words_of(predicted)).difference == "letters differ"


def _as_values(left: Words, right: Words) -> float:
    """Compare two texts that both are numbers, or both dates, as a whole."""
    return (_AMOUNT if left.value == "quantity" else _DATE)._compare(left.text, right.text)


def _apart(left: Words, right: Words, is_free: bool) -> Difference:
    """Return what keeps two texts apart whatever their words: their numbers, or what these are in."""
    if not is_free and left.numbers != right.numbers and not (left.is_open or right.is_open):
        return "digits differ"
    if len(left.money) == len(right.money) and any(
        ours and theirs and not ours & theirs for ours, theirs in zip(left.money, right.money, strict=True)
    ):
        return "currencies differ"
    return ""


def _similarity(left: Words, right: Words) -> float:
    if max(len(left.text), len(right.text)) > MAX_LETTERS:
        return min(shared_words(left, right), MAX_UNLIKE)
    return Levenshtein.normalized_similarity(left.letters, right.letters)


def _is_turned(left: Words, right: Words) -> bool:
    """Return whether one of two texts is the other with its last word first and a comma behind it."""
    if bool(left.turned) is bool(right.turned):
        return False
    return left.turned == right.in_order if left.turned else right.turned == left.in_order


def _are_turned(rows: Sequence[Words], columns: Sequence[Words]) -> NDArray[np.bool_]:
    """Return which cells have a row that is turned round and a column that is the same text straight on."""
    return _equal([w.turned or object() for w in rows], [object() if w.turned else w.in_order for w in columns])


def _equal(rows: Sequence[Hashable], columns: Sequence[Hashable]) -> NDArray[np.bool_]:
    """Return which cells have two equal keys."""
    return equal_keys(rows, columns) > 0
