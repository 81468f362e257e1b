"""What happens to texts that are too long to be compared character by character."""

from __future__ import annotations

from rapidfuzz.distance import Levenshtein

LONG_TEXT_CELLS = 1_000_000_000
"""Cells of the edit table (length × length) beyond which texts are trimmed, then compared by equality."""

LONG_TEXT_NOTE = "text too long, compared by equality"


def trimmed(left: str, right: str) -> tuple[str, str] | None:
    """Return two texts without their equal beginnings and ends; None where even that is too long.

    Edit distances do not change by it.

    >>> trimmed("invoice 17 of May", "invoice 18 of May")
    ('7', '8')
    """
    start = _shared(left, right)
    left, right = left[start:], right[start:]
    end = _shared(left[::-1], right[::-1])
    left, right = left[: len(left) - end], right[: len(right) - end]
    return (left, right) if len(left) * len(right) <= LONG_TEXT_CELLS else None


def _shared(left: str, right: str) -> int:
    low, high = 0, min(len(left), len(right))
    while low < high:
        middle = (low + high + 1) // 2
        if left[low:middle] == right[low:middle]:
            low = middle
        else:
            high = middle - 1
    return low


def edit_similarity(left: str, right: str) -> float:
    """Return 1 - edits / length of the longer text; 0 where unequal texts are too long to count edits.

    >>> edit_similarity("abcd", "abce")
    0.75
    """
    if left == right:
        return 1.0
    if len(left) * len(right) <= LONG_TEXT_CELLS:
        return Levenshtein.normalized_similarity(left, right)
    cores = trimmed(left, right)
    return 1 - Levenshtein.distance(*cores) / max(len(left), len(right)) if cores else 0.0
