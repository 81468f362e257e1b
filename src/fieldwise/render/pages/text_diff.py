"""Where two texts differ, as HTML."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence

from rapidfuzz.distance import Levenshtein

from fieldwise.render.pages.markup import shown, value_block

_JOINER = "\N{ZERO WIDTH JOINER}"
_MOST_CHARACTERS = 500
_LEAST_ALIKE = 0.5


def both_sides(expected: str, predicted: str) -> tuple[str, str]:
    """Return both texts as HTML, with what differs marked where the texts are short and alike enough for it to help.

    >>> both_sides("INV-001", "INV-007")[1]
    '<bdi class="value">INV-00<mark>7</mark></bdi>'
    """
    if not _marks_help(expected, predicted):
        return value_block(shown(expected), expected), value_block(shown(predicted), predicted)
    ours, theirs = _letters(expected), _letters(predicted)
    left, right = [], []
    for step in Levenshtein.opcodes(ours, theirs):
        same = step.tag == "equal"
        left.append(_piece(ours[step.src_start : step.src_end], same=same))
        right.append(_piece(theirs[step.dest_start : step.dest_end], same=same))
    return value_block("".join(left), expected), value_block("".join(right), predicted)


def _marks_help(expected: str, predicted: str) -> bool:
    if max(len(expected), len(predicted)) > _MOST_CHARACTERS:
        return False
    return _LEAST_ALIKE <= Levenshtein.normalized_similarity(expected, predicted) < 1


def _letters(text: str) -> list[str]:
    """Split a text into what a reader sees as one: a letter with its accents, an emoji with its joined parts."""
    letters: list[str] = []
    for character in text:
        if letters and (_clings(character) or letters[-1].endswith(_JOINER)):
            letters[-1] += character
        else:
            letters.append(character)
    return letters


def _clings(character: str) -> bool:
    return character == _JOINER or "🏻" <= character <= "🏿" or unicodedata.category(character).startswith("M")


def _piece(letters: Sequence[str], *, same: bool) -> str:
    text = "".join(letters)
    return shown(text) if same or not text else f"<mark>{shown(text)}</mark>"
