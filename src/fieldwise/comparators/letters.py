"""Letters as texts are compared by them: marks, widths, quotes and dashes folded, scripts without blanks set apart."""

from __future__ import annotations

import re
import unicodedata

_AS_TWO = "æae ÆAE œoe ŒOE øo ØO łl ŁL đd ĐD ıi ßss ẞSS ðd ÐD þth ÞTH ёе ЁЕ"
_LETTERS = {pair[0]: pair[1:] for pair in _AS_TWO.split()}
_AS_SPELT_OUT = "äae ÄAE öoe ÖOE üue ÜUE åaa ÅAA øoe ØOE"
_SPELT = {pair[0]: pair[1:] for pair in _AS_SPELT_OUT.split()}
"""Letters that some write as two where their marks cannot be written."""
_SIGNS = {
    **dict.fromkeys("‘’ʼ‛′", "'"),
    **dict.fromkeys("“”„‟″", '"'),
    **dict(zip("×⁄∕‰", "x//‰", strict=True)),
    **dict.fromkeys("™®©℠〒", ""),
    "≥": ">=",
    "≤": "<=",
}
_POINTS = re.compile("[\u0300-\u036f\u0591-\u05c7\u0610-\u061a\u0640\u064b-\u0652\u0670\ufe00-\ufe0f]")
"""Marks that stand alone, the points of Hebrew and Arabic, and what only chooses the look of a sign."""
_SINGLE = re.compile(
    "[\u2e80-\u2fdf\u3005-\u3007\u3041-\u30ff\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
    "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff]"
)
"""Han, kana, Thai, Lao, Burmese, Khmer: each of their characters is a word."""
_RAISED = re.compile("[⁰¹²³⁴-⁹⁺⁻₀-₉₊₋]+")
_SIGNED = re.compile("[⁺⁻₊₋][⁰¹²³⁴-⁹₀-₉]")
_FRACTION = re.compile("[¼½¾⅐-⅞]")
_HALF_WIDTH = re.compile("[\uff65-\uff9f]+")
_TRAILING_DASH = re.compile(r"(?<=\w)[–—―]+(?=\s|\Z)")


class _Folds(dict[int, str]):
    """A translation table that learns how characters beyond ASCII are folded; ``spelt``: ä as ae."""

    def __init__(self, spelt: bool) -> None:
        super().__init__({code: chr(code) for code in range(128)})
        self.special = {**_LETTERS, **_SIGNS, **(_SPELT if spelt else {})}

    def __missing__(self, code: int) -> str:
        char = chr(code)
        self[code] = self.special[char] if char in self.special else _plain(char)
        return self[code]


_PLAIN, _AS_SPELT = _Folds(spelt=False), _Folds(spelt=True)


def has_other_spelling(text: str) -> bool:
    """Return whether a text has letters that some write as two, such as ä.

    >>> has_other_spelling("Müller"), has_other_spelling("Muller")
    (True, False)
    """
    return not _SPELT.keys().isdisjoint(unicodedata.normalize("NFC", text))


def folded_letters(text: str, *, spelt: bool = False) -> str:
    """Return text in plain letters, digits and ASCII signs; other signs and characters that are words stand alone.

    >>> folded_letters("CO₂ “Gießen” ５–６ 10² 東京"), folded_letters("Müller", spelt=True)
    ('CO2 "Giessen" 5-6 10^2  東  京 ', 'Mueller')
    """
    if text.isascii():
        return text
    text = _HALF_WIDTH.sub(lambda kana: unicodedata.normalize("NFKC", kana[0]), unicodedata.normalize("NFC", text))
    text = _FRACTION.sub(_written_out, _RAISED.sub(_lowered, _TRAILING_DASH.sub(" ", text)))
    return unicodedata.normalize("NFC", text.translate(_AS_SPELT if spelt else _PLAIN))


def _lowered(run: re.Match[str]) -> str:
    """Return raised or lowered digits: behind a digit, or with a sign before them, they are set off."""
    plain = unicodedata.normalize("NFKC", run[0])
    if run.string[run.start() - 1 : run.start()].isdigit() or _SIGNED.match(run[0]):
        return f"{'_' if run[0][0] in '₀₁₂₃₄₅₆₇₈₉' else '^'}{plain}"
    return plain


def _written_out(sign: re.Match[str]) -> str:
    before = " " if sign.string[: sign.start()][-1:].isdigit() else ""
    return before + unicodedata.normalize("NFKC", sign[0]).replace("⁄", "/")


def _plain(char: str) -> str:
    if char.isspace():
        return " "
    if _POINTS.match(char) or unicodedata.category(char) == "Cf":
        return ""
    digit = unicodedata.decimal(char, None)
    if digit is not None:
        return str(digit)
    plain = unicodedata.normalize("NFKC", char)
    category = unicodedata.category(plain[0])
    if category == "Pd" or plain == "\N{MINUS SIGN}":
        return "-"
    if plain.isascii() and category[0] != "N":
        return plain
    if category[0] in "PZ":
        return " "
    if category[0] == "S" or category == "No" or unicodedata.decomposition(char).startswith("<circle>"):
        return f" {char if category[0] == 'N' else plain} "
    if _SINGLE.match(plain):
        return "".join(f" {one} " for one in plain)
    if unicodedata.name(plain[0], "").startswith(("LATIN", "GREEK")):
        return "".join(c for c in unicodedata.normalize("NFD", plain) if not unicodedata.combining(c))
    return plain
