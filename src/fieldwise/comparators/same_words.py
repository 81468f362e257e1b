"""Whether two texts have the same words: which words have no equal on the other side, and what they score for it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Final, Literal, NamedTuple

from rapidfuzz.distance import LCSseq, Levenshtein

from fieldwise.comparators.date import DateComparator
from fieldwise.comparators.value_kinds import has_digit
from fieldwise.comparators.words import NEGATIONS, Words, joined, without_groups

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
_DATE = DateComparator(times=True, range_mode="strict")

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
