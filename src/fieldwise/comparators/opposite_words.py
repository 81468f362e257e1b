"""Words of two texts that are opposites by their beginning: available and unavailable, hypertension and hypotension."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache

_NEGATING = "un in im il ir non dis mis anti des"
_PAIRS = "hyper/hypo ante/post pre/post inter/intra in/ex in/out in/de im/ex up/down over/under max/min en/dis"
_LEAST, _LEAST_OF_SHORT = 4, 7
"""Letters behind a beginning; *a* and *de* begin many a word that is no opposite."""
_BOTH = [pair.split("/") for pair in _PAIRS.split()]
_BEGINNINGS: list[tuple[str, str, int]] = [
    *((start, "", _LEAST) for start in _NEGATING.split()),
    *((start, "", _LEAST_OF_SHORT) for start in ("a", "de", "bi", "semi")),
    *((start, other, _LEAST) for pair in _BOTH for start, other in (pair, pair[::-1])),
]
_ANY = tuple({start for start, _, _ in _BEGINNINGS})
_WORDS = re.compile(r"[^\W\d_]{4,}").findall
_NON = re.compile(r"\bnon-(?=\w)")


def words_of(text: str) -> frozenset[str]:
    """Return the words of a text, in lower case, that may have an opposite."""
    text = text.lower()
    return frozenset(_WORDS(_NON.sub("non", text) if "non-" in text else text))


@lru_cache(maxsize=65_536)
def _opposites(word: str) -> tuple[str, ...]:
    if not word.startswith(_ANY):
        return ()
    return tuple(
        other + word[len(start) :]
        for start, other, least in _BEGINNINGS
        if word.startswith(start) and len(word) - len(start) >= least
    )


def have_opposites(words: Iterable[str], others: frozenset[str]) -> bool:
    """Return whether one of some words has an opposite among others."""
    for word in words:
        opposites = _opposites(word)
        if opposites and not others.isdisjoint(opposites):
            return True
    return False


def are_opposed(left: str, right: str) -> bool:
    """Return whether each of two texts has a word that the other has not, and these are opposites.

    >>> are_opposed("stable angina", "Unstable angina"), are_opposed("secured and unsecured", "unsecured and secure")
    (True, False)
    """
    one, other = frozenset(left.lower().split()), frozenset(right.lower().split())
    ours, theirs = one - other, other - one
    if not (ours and theirs):
        return False
    if not "".join((*ours, *theirs)).isalpha():  # else these are words as they are
        left_words, right_words = words_of(" ".join(ours)), words_of(" ".join(theirs))
        ours, theirs = left_words - right_words, right_words - left_words
    return have_opposites(ours, theirs) or have_opposites(theirs, ours)
