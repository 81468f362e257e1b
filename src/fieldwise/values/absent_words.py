"""Texts that stand for no value, such as ``n/a``: which they are by default, and how they are recognised.

Letter case, full-width forms, the kind of dash and blanks do not matter; anything more than a word makes a value.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Iterator
from typing import Final

_BLANKS: Final = frozenset("\t\n\v\f\r\x1c\x1d\x1e\x1f \x85\xa0\u1680\u2028\u2029\u202f\u205f\u3000").union(
    map(chr, range(0x2000, 0x200B))
)
"""The characters of which blank text consists."""
_DASHES: Final = "-\u2010\u2011\u2012\u2013\u2014\u2015\u2212\ufe58\ufe63\uff0d"
_ONE_DASH: Final = str.maketrans(_DASHES, "-" * len(_DASHES))
_MAX_BLANKS: Final = 64
_NAMES: Final = frozenset({"Nil", "Nan", "Null"})
"""Words that are names as well, where they are written so."""


class AbsentWords:
    """Words that say nothing, as blank text does; ``starts`` are the characters with which such text may begin.

    >>> "N/A" in DEFAULT_WORDS, " — " in DEFAULT_WORDS, "Nil" in DEFAULT_WORDS, "n/a yet" in DEFAULT_WORDS
    (True, True, False, False)
    """

    __slots__ = ("_begin", "_folded", "_longest", "starts", "words")

    def __init__(self, words: Iterable[str] = ()) -> None:
        self.words = frozenset(word if word in _NAMES else folded_word(word) for word in words) - {""}
        self._folded = frozenset(map(_without_blanks, self.words))
        self._begin = frozenset(word[:2].lower() for word in self._folded)
        self.starts = _BLANKS.union(form for word in self.words for form in _forms(word[0]))
        self._longest = _MAX_BLANKS + 2 * max(map(len, self.words), default=0)  # letters and their accents are folded

    def __contains__(self, text: str) -> bool:
        if text and text[0] not in self.starts:
            return False
        bare = text.strip()
        if not bare:
            return True
        if bare[1:2].isalnum() and bare.isascii() and bare[:2].lower() not in self._begin:
            return False  # most texts that begin as a word does go on as none does
        if len(bare) > self._longest:
            return False
        return bare in self.words if bare in _NAMES else _without_blanks(folded_word(bare)) in self._folded

    def __iter__(self) -> Iterator[str]:
        return iter(sorted(self.words, key=lambda word: (not word[0].isalnum(), word)))

    def __bool__(self) -> bool:
        return bool(self.words)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, AbsentWords) and self._folded == other._folded

    def __hash__(self) -> int:
        return hash(self._folded)

    def __reduce__(self) -> tuple[type[AbsentWords], tuple[tuple[str, ...]]]:
        return AbsentWords, (tuple(self),)

    def __repr__(self) -> str:
        return f"AbsentWords({list(self)})"

    def without(self, texts: Iterable[str]) -> AbsentWords:
        """Return the words that are none of some texts."""
        taken = AbsentWords(texts)
        if not taken:
            return self
        kept = [word for word in self.words if word not in taken]
        return self if len(kept) == len(self.words) else AbsentWords(kept)


def folded_word(text: str) -> str:
    """Return a text as a word is written in lists.

    >>> folded_word(" N.A. "), folded_word("—"), folded_word("Not  found")
    ('n.a.', '-', 'not found')
    """
    if not text.isascii():
        text = unicodedata.normalize("NFKC", text.translate(_ONE_DASH))
    return " ".join(text.casefold().split())


def _without_blanks(text: str) -> str:
    return "".join(text.split())


def _forms(character: str) -> Iterator[str]:
    """Yield the ways to write the first character of a word."""
    if character == "-":
        yield from _DASHES
    for form in (character, character.upper(), character.lower(), character.title()):
        yield form[0]
        if "!" <= form <= "~":
            yield chr(ord(form) + 0xFEE0)  # its full-width form


DEFAULT_WORDS: Final = AbsentWords(["n/a", "n.a.", "null", "nil", "nan", "-", "--"])
ONLY_BLANK: Final = AbsentWords()
_MORE: Final = (
    "--- | ? | ?? | ??? | na | none | undefined | unknown | tbd | tba | tbc | missing | illegible"
    " | unreadable | unclear | no data | no value | not available | not applicable | not specified | not provided"
    " | not stated | not given | not found | not known | k. a. | k.a. | keine angabe | unbekannt | inconnu"
    " | desconocido | нет | 无 | 無 | なし | 未知"
)
PLACEHOLDERS: Final = AbsentWords([*DEFAULT_WORDS, *_NAMES, *_MORE.split(" | ")])
"""Texts that often stand for no value; they are none by themselves, unless they are among the words above."""
DASHES: Final = AbsentWords(["-", "--"])
ZEROS: Final = AbsentWords(["nil", *DASHES])
"""Words that are zero in amounts."""
