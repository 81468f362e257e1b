"""Characters taken for others: kind ``ocr``."""

from __future__ import annotations

import re
import unicodedata

from rapidfuzz.distance import Levenshtein

from fieldwise.comparators.plain_text import differ_by_letters
from fieldwise.error_kinds.text import MAX_LENGTH, number_texts, text_in
from fieldwise.values import Json

_ALIKE = {"0": "OoQD", "1": "lIi|!", "5": "Ss", "8": "B", "2": "Zz", "6": "Gb", "9": "gq", "v": "u", "c": "e"}
"""Characters that look alike in print; each stands for all of its row."""
_SINGLE = str.maketrans({char: first for first, others in _ALIKE.items() for char in others})
_DOUBLE = (("rn", "m"), ("cl", "d"), ("vv", "w"), ("nn", "m"), ("ii", "u"))
_PAIRS = ("06", "08", "09", "17", "27", "35", "38", "39", "49", "56", "58", "68", "79", "89")
_DIGITS = frozenset(digits for pair in _PAIRS for digits in (pair, pair[::-1]))
"""Pairs of digits that look alike."""
_SHORT, _LONG = 6, 10
"""The length from which on any letter may be another one, and that from which on two of them may."""
_SPECKS = re.compile(r"[\W_]")


def is_ocr(expected: Json, predicted: Json) -> bool:
    """Return whether the predicted value reads like the expected one with characters misread.

    Either all that differs looks alike (0 and O, 1 and l, rn and m, an accent lost), or few characters differ: one,
    or two of ten or more. A digit may only be one that looks alike (8 for 3, not 2 for 1), a letter in a text of six
    characters or more may be any other one, and one character may be lost or added; or words are misspelt, and all
    others are the same.

    >>> is_ocr("INV-001", "INV-OO1"), is_ocr("modern", "rnodern"), is_ocr(74.5, 14.5), is_ocr("Bristol", "Bristcl")
    (True, True, True, True)
    >>> is_ocr("INV-001", "INV-002"), is_ocr("cat", "dog"), is_ocr("EUR", "USD")
    (False, False, False)
    """
    kind, other = type(expected), type(predicted)
    if (kind is float or kind is int) and (other is float or other is int):
        return is_number_misread(expected, predicted)
    left, right = text_in(expected), text_in(predicted)
    if left is None or right is None or not left or not right:
        return False
    if max(len(left), len(right)) > MAX_LENGTH or 2 * min(len(left), len(right)) < max(len(left), len(right)):
        return False
    return _are_look_alikes(left, right) or _is_few_misread(left, right) or differ_by_letters(left, right)


def is_number_misread(expected: float, predicted: float) -> bool:
    """Return whether the digits of a number were taken for others that look alike."""
    if type(expected) is float and type(predicted) is float:
        left, right = repr(expected), repr(predicted)
        if len(left) != len(right):
            left, right = number_texts(left, right)
    else:
        texts = text_in(expected) or "", text_in(predicted) or ""
        if not all(texts):
            return False
        left, right = number_texts(*texts)
    if len(left) != len(right):
        return len(left) >= _SHORT and _is_few_misread(left, right)
    left_over = _most(len(left))
    for a, b in zip(left, right):  # noqa: B905  # of one length, and most numbers differ soon
        if a != b:
            left_over -= 1
            if left_over < 0 or a + b not in _DIGITS:
                return False
    return left != right


def _are_look_alikes(left: str, right: str) -> bool:
    return _look(left) == _look(right)


def _look(text: str) -> str:
    """Return a text that is the same for texts that look alike."""
    if not text.isascii():
        text = "".join(char for char in unicodedata.normalize("NFKD", text) if not unicodedata.combining(char))
    for pair, char in _DOUBLE:
        if pair in text:
            text = text.replace(pair, char)
    return text.translate(_SINGLE)


def _most(length: int) -> int:
    return 2 if length >= _LONG else 1


def _is_few_misread(left: str, right: str) -> bool:
    if not left.isascii() or not right.isascii():
        left, right = unicodedata.normalize("NFC", left), unicodedata.normalize("NFC", right)
    length = max(len(left), len(right))
    most = _most(length)
    # A pair such as rn counts as one character, and is two steps.
    distance = Levenshtein.distance(left, right, score_cutoff=most)
    if distance > most:
        left, right = _look(left), _look(right)
        distance = Levenshtein.distance(left, right, score_cutoff=most)
        if not 0 < distance <= most:
            return False
    if abs(len(left) - len(right)) > 1:
        return False
    steps = Levenshtein.opcodes(left, right)
    return all(
        _is_misread(left[s.src_start : s.src_end], right[s.dest_start : s.dest_end], length)
        for s in steps
        if s.tag != "equal"
    )


def _is_misread(before: str, after: str, length: int) -> bool:
    """Return whether characters may have been taken for others in a text of a length."""
    if len(before) == len(after):
        return all(_is_taken_for(a, b, length) for a, b in zip(before, after, strict=True))
    return length >= _SHORT


def _is_taken_for(before: str, after: str, length: int) -> bool:
    if before.isdecimal() and after.isdecimal():
        return before + after in _DIGITS
    if _look(before) == _look(after):
        return True
    if before.isalpha() and after.isalpha():
        return length >= _SHORT
    return bool(_SPECKS.match(before) and _SPECKS.match(after)) and length >= _SHORT
