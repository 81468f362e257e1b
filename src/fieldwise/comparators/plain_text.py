"""The comparator of text where nothing was declared: two texts are alike where they have the same words.

Which words have no equal on the other side, and what they score for it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterator, Sequence
from typing import ClassVar, Final, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray
from rapidfuzz.distance import LCSseq, Levenshtein
from rapidfuzz.process import cdist

from fieldwise.checks import checked_choice, checked_flag
from fieldwise.comparators.amount import AmountComparator
from fieldwise.comparators.as_text import MAX_LETTERS, text_of
from fieldwise.comparators.base import CALL, SCALARS, BaseComparator, Grid, equal_keys
from fieldwise.comparators.date import DateComparator
from fieldwise.comparators.value_kinds import has_digit
from fieldwise.comparators.words import NEGATIONS, Words, joined, without_groups, words_of
from fieldwise.values import Json, canonical, same

MATCH = 0.9
"""The score from which two texts match."""
MAX_UNLIKE = 0.69
"""The most that two texts score which do not have the same words."""
MAX_ALIGNED = 200_000_000
"""The words of one text times those of another up to which their order is looked at."""
_MISSPELT_FROM, _MISSPELT = 5, 0.7
"""The letters that a misspelt word has, and how alike it is to the right one."""
_SHORT_WORD = 3
"""The letters of a word that & can stand for."""
_MAX_SEARCHED = 10_000
"""The words of one text times those of another up to which each is looked for by itself."""
_MAX_PAIRED = 12
"""The words without an equal up to which a partner is looked for in any order."""
_AMOUNT, _DATE = AmountComparator(), DateComparator(times=True, range_mode="strict")

Difference = Literal["", "letters differ", "words differ", "digits differ", "a negation differs", "currencies differ"]


class Judged(NamedTuple):
    """A score, and what differs."""

    score: float
    difference: Difference = ""


SAME: Final = Judged(1.0)


class _Unpaired(NamedTuple):
    """How many words have a misspelt partner, and those on either side that have none."""

    misspelt: int
    left: list[str]
    right: list[str]


def judged_by_words(left: Words, right: Words, alike: float, *, any_order: bool) -> Judged:
    """Score two texts: 1 with the same words, 0 where numbers or negations differ, ``alike`` where other words do."""
    misspelt, ours, theirs = _unpaired(*sorted((left, right)), any_order=any_order)
    if (left.telling or right.telling) and (difference := _told_apart(both := ours + theirs, both)):
        return Judged(0.0, difference)
    if ours or theirs:
        return Judged(min(alike, MAX_UNLIKE), "words differ")
    if any_order and not _are_numbers_in_place(left, right):
        return Judged(0.0, "digits differ")
    if misspelt:
        size = max(len(left.words), len(right.words))
        return Judged(max(1 - misspelt / size, min(alike, MAX_UNLIKE)), "letters differ")
    return SAME


def judged_as_free_text(left: Words, right: Words, *, any_order: bool) -> Judged:
    """Score two texts by the share of words that have an equal; a number on one side only is a word like others."""
    misspelt, ours, theirs = _unpaired(*sorted((left, right)), any_order=any_order)
    if difference := _told_apart(ours, theirs):
        return Judged(0.0, difference)
    if not (misspelt or ours or theirs):
        return SAME
    differing = misspelt + max(len(ours), len(theirs))
    score = 1 - differing / max(len(left.words), len(right.words))
    return Judged(score, "words differ" if ours or theirs else "letters differ")


def _told_apart(ours: Sequence[str], theirs: Sequence[str]) -> Difference:
    """Return whether a negation has no partner, or words with a digit have none on both sides."""
    if any(map(has_digit, ours)) and any(map(has_digit, theirs)):
        return "digits differ"
    return "" if NEGATIONS.isdisjoint((*ours, *theirs)) else "a negation differs"


def shared_words(left: Words, right: Words) -> float:
    """Return the words that both have, in their order as far as that can be looked at, over those of the longer."""
    if len(left.words) * len(right.words) <= MAX_ALIGNED:
        return LCSseq.normalized_similarity(left.words, right.words)
    return (Counter(left.words) & Counter(right.words)).total() / max(len(left.words), len(right.words))


def _unpaired(left: Words, right: Words, *, any_order: bool) -> _Unpaired:
    """Return which words of two texts differ; ``left`` is the lesser, so that exchanging them changes nothing."""
    misspelt = 0
    lone: tuple[list[str], list[str]] = [], []
    spelt = {**left.spelt, **right.spelt}
    in_any = any_order or len(left.words) * len(right.words) > MAX_ALIGNED
    for ours, theirs in [_left_over(left.words, right.words)] if in_any else _stretches(left.words, right.words):
        if _are_joined_alike(ours, theirs):
            continue
        if len(ours) != len(theirs) or (in_any and len(ours) > _MAX_PAIRED):
            pairs = []
            lone[0].extend(ours)
            lone[1].extend(theirs)
        else:
            pairs = _likest(ours, theirs, spelt) if in_any else list(zip(ours, theirs, strict=True))
        for word, other in pairs:
            likeness = _likeness(word, other, spelt)
            if likeness < 1.0 and are_misspelt(word, other):
                misspelt += 1
            elif likeness < 1.0:
                lone[0].append(word)
                lone[1].append(other)
    return _Unpaired(misspelt, *lone)


def _stretches(ours: Sequence[str], theirs: Sequence[str]) -> Iterator[tuple[list[str], list[str]]]:
    """Yield what stands on either side between the words that both have in the same order."""
    start, end, least = 0, 0, min(len(ours), len(theirs))
    while start < least and ours[start] == theirs[start]:
        start += 1
    while end < least - start and ours[-1 - end] == theirs[-1 - end]:
        end += 1
    left, right = list(ours[start : len(ours) - end]), list(theirs[start : len(theirs) - end])
    a = b = 0
    for block in LCSseq.opcodes(left, right) if len(left) + len(right) > 2 else ():
        if block.tag == "equal":
            yield left[a : block.src_start], right[b : block.dest_start]
            a, b = block.src_end, block.dest_end
    yield left[a:], right[b:]


def _left_over(ours: Sequence[str], theirs: Sequence[str]) -> tuple[list[str], list[str]]:
    """Return the words on either side that have no equal on the other, in their order."""
    if len(ours) * len(theirs) > _MAX_SEARCHED:
        return list((Counter(ours) - Counter(theirs)).elements()), list((Counter(theirs) - Counter(ours)).elements())
    left, right = [], list(theirs)
    for word in ours:
        if word in right:
            right.remove(word)
        else:
            left.append(word)
    return left, right


def _are_joined_alike(ours: list[str], theirs: list[str]) -> bool:
    """Return whether words are the same without the blanks between them; 10 000 is 10000."""
    if len(ours) == 1 == len(theirs) or not (ours and theirs):
        return ours == theirs
    left, right = joined(ours), joined(theirs)
    return left == right or (" " in left + right and (without_groups(left) or left) == (without_groups(right) or right))


def _likest(ours: list[str], theirs: list[str], spelt: dict[str, str]) -> list[tuple[str, str]]:
    """Return each word with one of the others, the likest pairs first."""
    cells = sorted((-_likeness(a, b, spelt), a, b, i, j) for i, a in enumerate(ours) for j, b in enumerate(theirs))
    pairs: list[tuple[str, str]] = []
    rows, columns = set(range(len(ours))), set(range(len(theirs)))
    for _, word, other, i, j in cells:
        if i in rows and j in columns:
            pairs.append((word, other))
            rows.remove(i)
            columns.remove(j)
    return pairs


def _likeness(word: str, other: str, spelt: dict[str, str]) -> float:
    """Return how alike two words are; 1 where they are the same."""
    if spelt and (word == spelt.get(other) or other == spelt.get(word)):
        return 1.0
    if word == "&" or other == "&":
        short = other if word == "&" else word
        return float(len(short) <= _SHORT_WORD and short.isalpha() and short not in NEGATIONS)
    if has_digit(word) and has_digit(other):
        return _number_likeness(word, other)
    return Levenshtein.normalized_similarity(word, other)


def _number_likeness(word: str, other: str) -> float:
    """Return 1 where two words are the same number or date in two writings."""
    if word.casefold() == other.casefold():
        return float(word == other)
    days = _as_day(word), _as_day(other)
    return _DATE._compare(*days) if all(days) and "/" in word + other else 0.0


def _as_day(word: str) -> str:
    """Return a date as its reader knows it, empty where a word is none."""
    if word.count("/") == 2:
        return word
    year, _, rest = word.partition("y")
    month, _, day = rest.partition("m")
    return f"{year}-{month}-{day[:-1]}" if day.endswith("d") else ""


def are_misspelt(word: str, other: str) -> bool:
    """Return whether two words are one that was misspelt; not where one is the other with letters before it.

    >>> are_misspelt("station", "statlon"), are_misspelt("stable", "unstable")
    (True, False)
    """
    return (
        min(len(word), len(other)) >= _MISSPELT_FROM
        and Levenshtein.normalized_similarity(word, other) >= _MISSPELT
        and not word.endswith(other)
        and not other.endswith(word)
        and not has_digit(word + other)
        and NEGATIONS.isdisjoint((word, other))
    )


def _are_numbers_in_place(left: Words, right: Words) -> bool:
    """Return whether numbers stand in the same order, or moved with the words beside them."""
    if _of(left, numbers=True) == _of(right, numbers=True):
        return True
    beside, other = _neighbours(left.words), _neighbours(right.words)
    have_words_moved = _of(left, numbers=False) != _of(right, numbers=False)
    return have_words_moved and all(beside[word] & other.get(word, set()) for word in beside)


def _of(text: Words, *, numbers: bool) -> list[str]:
    """Return the words of a text that have a digit, or those that have none."""
    return [word for word in text.words if has_digit(word) is numbers]


def _neighbours(words: Sequence[str]) -> dict[str, set[str]]:
    """Return the words without a digit beside each word with one."""
    found: dict[str, set[str]] = {}
    for at, word in enumerate(words):
        if has_digit(word):
            around = {other for other in (*words[max(at - 1, 0) : at], *words[at + 1 : at + 2]) if not has_digit(other)}
            found.setdefault(word, set()).update(around)
    return found


ORDERS = ("sequence", "any")
_NEAR, _NEAR_FREE = 0.7, 0.5
"""The similarity from which words are paired; texts that are less similar match nowhere."""
_OPEN_FROM = 100_000
"""The cells from which it matters whether texts are judged one by one."""
_FREE_FROM = 6
"""The words from which on free text may differ in some of them."""


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
