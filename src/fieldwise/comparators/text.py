"""Comparators that ask whether two texts are the same: to the letter, once folded, as codes, or one inside the other.

Objects and lists under them are alike only where they are the same JSON value.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Hashable, Sequence
from typing import ClassVar, TypeAlias

import numpy as np

from fieldwise.checks import checked_flag
from fieldwise.comparators.as_text import PLAIN_FORMS, plain_form, text_of
from fieldwise.comparators.base import ANY_KIND, SCALARS, Grid, KeyedComparator, ReadComparator, equal_keys
from fieldwise.values import Json, canonical, same, written

_WORDS = re.compile(
    r"(?<!\w)-?\d+(?:[.,:/-]\d+)*(?!\w)"  # a number or a date with the marks between its digits
    r"|\w+"
    r"|[%‰$^+<=>|~]|[^\w\s\x00-\x7f]"  # a sign that says something, such as a currency
)
_MARKS = frozenset("«»„“”‘’‚‹›…·•¡¿†‡§¶。、「」『』")
"""Punctuation beyond ASCII, which is put aside as the other is."""
_LINK_START = re.compile(
    r"\A(?:https?://|mailto:)?(?:www\.|(?:doi:\s*)?(?:https?://)?(?:dx\.)?doi\.org/|doi:\s*)?", re.IGNORECASE
)
_Words: TypeAlias = "tuple[str | None, Json]"
"""The words of a text between single spaces, none for a text without words, None for no scalar; and the value."""


class ExactComparator(KeyedComparator):
    """Scores 1 where both texts are equal, code point by code point; objects and lists by their sorted JSON.

    >>> ExactComparator().compare(1, "1"), ExactComparator(case_sensitive=False).compare("A", "a")
    (1.0, 1.0)
    """

    takes: ClassVar[frozenset[str]] = ANY_KIND

    def __init__(self, threshold: float | None = None, case_sensitive: bool = True) -> None:
        super().__init__(threshold)
        self.case_sensitive = checked_flag("case_sensitive", case_sensitive)

    def _compare(self, expected: Json, predicted: Json) -> float:
        if expected is predicted or (type(expected) is str and type(predicted) is str and expected == predicted):
            return 1.0
        return 1.0 if self.key(expected) == self.key(predicted) else 0.0

    def key(self, value: Json) -> Hashable:
        """Return the text, or for an object or list its JSON in a tuple of one."""
        text = text_of(value)
        if text is None:
            inside = written(value)
            return (inside if self.case_sensitive else inside.casefold(),)
        return text if self.case_sensitive else text.casefold()

    def describe(self) -> str:
        """Return ``exact``, and whether case is ignored."""
        return "exact" if self.case_sensitive else "exact, any case"


class NormalizedComparator(KeyedComparator):
    """Scores 1 where both texts are equal once case, blanks and punctuation are put aside.

    Text is composed (NFC), case-folded, freed of blanks, then of characters of the Unicode categories P*.
    ``fold_symbols``: all dashes and minus signs are one, full-width characters are read as their plain forms, and a
    currency sign that only one side has is put aside. ``links``: so are http://, mailto: and www. at the beginning
    and a slash at the end.

    >>> NormalizedComparator().compare("SHP-2024 001", "shp 2024-001")
    1.0
    >>> NormalizedComparator(ignore_punctuation=False, links=True).compare("a.example", "https://www.a.example/")
    1.0
    >>> folding = NormalizedComparator(fold_symbols=True)
    >>> folding.compare("66,9 €", "66,9"), folding.compare("66,9 €", "66,9 $")
    (1.0, 0.0)
    """

    takes: ClassVar[frozenset[str]] = SCALARS

    def __init__(
        self,
        threshold: float | None = None,
        case_sensitive: bool = False,
        ignore_whitespace: bool = True,
        ignore_punctuation: bool = True,
        fold_symbols: bool = False,
        links: bool = False,
    ) -> None:
        super().__init__(threshold)
        self.case_sensitive = checked_flag("case_sensitive", case_sensitive)
        self.ignore_whitespace = checked_flag("ignore_whitespace", ignore_whitespace)
        self.ignore_punctuation = checked_flag("ignore_punctuation", ignore_punctuation)
        self.fold_symbols = checked_flag("fold_symbols", fold_symbols)
        self.links = checked_flag("links", links)
        self._kept = _Kept(self.ignore_whitespace, self.ignore_punctuation)

    def key(self, value: Json) -> Hashable:
        """Return what is left of the text; with ``fold_symbols`` without its currency signs."""
        text = text_of(value)
        if text is None:
            return (canonical(value),)
        if self.fold_symbols:
            text = "".join([c for c in text.translate(PLAIN_FORMS) if unicodedata.category(c) != "Sc"])
        if not text.isascii():
            text = unicodedata.normalize("NFC", text)
        if self.links:
            text = _LINK_START.sub("", text.strip()).removesuffix("/") or text
        return (text if self.case_sensitive else text.casefold()).translate(self._kept)

    def _compare(self, expected: Json, predicted: Json) -> float:
        alike = self.key(expected) == self.key(predicted)
        if alike and self.fold_symbols:
            left, right = _currency_signs(expected), _currency_signs(predicted)
            alike = not left or not right or left == right
        return float(alike)

    def grid(self, expected: Sequence[Json], predicted: Sequence[Json]) -> Grid:
        """Score every pair; each value's key is made once."""
        alike = super().grid(expected, predicted)
        if not self.fold_symbols:
            return alike
        left, right = [_currency_signs(v) for v in expected], [_currency_signs(v) for v in predicted]
        one_sided = np.logical_or.outer([not signs for signs in left], [not signs for signs in right])
        return np.where(one_sided, alike, alike * equal_keys(left, right))

    def describe(self) -> str:
        """Return ``normalized``, whether symbols are folded, and whether values are links."""
        symbols = ", symbols folded" if self.fold_symbols else ""
        return f"normalized{symbols}{', links' if self.links else ''}"


def _currency_signs(value: Json) -> str:
    text = text_of(value) or ""
    return "".join(sorted(c for c in text.translate(PLAIN_FORMS) if unicodedata.category(c) == "Sc"))


class _Kept(dict[int, int | None]):
    """A translation table that learns, character by character, what to drop."""

    def __init__(self, whitespace: bool, punctuation: bool) -> None:
        super().__init__()
        self.whitespace, self.punctuation = whitespace, punctuation

    def __missing__(self, code: int) -> int | None:
        char = chr(code)
        blank = self.whitespace and char.isspace()
        dropped = blank or (self.punctuation and unicodedata.category(char)[0] == "P")
        self[code] = None if dropped else code
        return self[code]

    def __reduce__(self) -> tuple[type[_Kept], tuple[bool, bool]]:
        return (_Kept, (self.whitespace, self.punctuation))


class CodeComparator(KeyedComparator):
    """Scores 1 where two codes are equal once width, case, white space and the forms of the dash are put aside.

    Leading zeros and punctuation inside count.

    >>> CodeComparator().compare("INV–001", "inv-001"), CodeComparator().compare("INV-001", "INV-01")
    (1.0, 0.0)
    """

    takes: ClassVar[frozenset[str]] = SCALARS

    def key(self, value: Json) -> Hashable:
        """Return the code without what does not count."""
        text = text_of(value)
        if text is None:
            return (canonical(value),)
        code = "".join(plain_form(text).casefold().split())
        return code.rstrip(".,;:") or code


class ContainsComparator(ReadComparator[_Words]):
    """Scores 1 where the words of one text follow each other in the other text, on whichever side, else 0.

    Words are compared as a whole, so ``10 mg`` is not inside ``110 mg`` nor ``1`` inside ``1.50``. Case, blanks and
    punctuation don't count; full-width characters and dashes are read as their plain forms.

    >>> ContainsComparator().compare("Acme", "ACME Corp."), ContainsComparator().compare("10 mg", "110 mg")
    (1.0, 0.0)
    """

    own_threshold: ClassVar[float] = 1.0
    binary: ClassVar[bool] = True
    takes: ClassVar[frozenset[str]] = SCALARS

    def _read(self, value: Json) -> _Words:
        text = text_of(value)
        if text is None:
            return None, value
        words = [word for word in _WORDS.findall(text.translate(PLAIN_FORMS).casefold()) if word not in _MARKS]
        return f" {' '.join(words)} " if words else "", value

    def _score(self, left: _Words, right: _Words) -> float:
        one, other = left[0], right[0]
        if not one or not other:
            return float(one == other and same(left[1], right[1]))
        return float(one in other or other in one)

    def key(self, value: Json) -> Hashable | None:
        """Return the words, None where there are none."""
        return self._read(value)[0] or None
