"""The edits between two long texts, counted as work; what happens where that is too much."""

from __future__ import annotations

from rapidfuzz.distance import Levenshtein

from fieldwise.comparators.work import COUNTED_FROM, Work

LONG_TEXT_NOTE = "text too long, compared by equality"

_BAND = 32
"""Texts that differ in at most this part of their length are found alike by a small part of the work."""
_BANDED_FROM = 10_000_000


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
