"""The words of a text: folded, punctuation put aside, numbers, dates, amounts and quantities one word each.

Letters are compared without marks and widths, quotes and dashes in one form, scripts without blanks set apart. Numbers
and dates are read by those who read them as whole values; what two texts score is for the comparator to say.
"""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache
from itertools import zip_longest
from typing import Literal, NamedTuple

from fieldwise.comparators.as_text import plain_form
from fieldwise.comparators.currency import Currencies, currencies_beside
from fieldwise.comparators.date_text import Moment, is_time, read_any_date
from fieldwise.comparators.date_words import english_month
from fieldwise.comparators.number_text import metric_prefix, read_number, read_unit, unit_word
from fieldwise.comparators.value_kinds import UNITS, has_digit, is_date, is_quantity, unit_of

_AS_TWO = "æae ÆAE œoe ŒOE øo ØO łl ŁL đd ĐD ıi ßss ẞSS ðd ÐD þth ÞTH ёе ЁЕ"
_LETTERS = {pair[0]: pair[1:] for pair in _AS_TWO.split()}
_AS_SPELT_OUT = "äae ÄAE öoe ÖOE üue ÜUE åaa ÅAA øoe ØOE"
_SPELT = {pair[0]: pair[1:] for pair in _AS_SPELT_OUT.split()}
"""Letters that some write as two where their marks cannot be written."""
_SIGN_LETTERS = {
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
        self.special = {**_LETTERS, **_SIGN_LETTERS, **(_SPELT if spelt else {})}

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


_NEGATIONS = (
    "no not cannot never nor neither without non nicht kein keine keinen keinem keiner keines ohne pas sans"
    " jamais aucun aucune sin nunca senza não nao sem niet geen zonder не нет без 不 没 沒 未 无 無 非"
)
NEGATIONS = frozenset(_NEGATIONS.split())
"""The only words that are known as such; n't is *not*."""
_CACHED_LENGTH = 200
_L = r"[^\W\d_]"
_MONTH_AND_YEAR = rf"(?:de |of )?{_L}{{3,10}}\.?,?[ -]?(?:de |of )?\d{{4}}"
_DATE = re.compile(
    r"(?<![\w.,/-])(?:\d{4}(?P<a>[-/.])\d{1,2}(?P=a)\d{1,2}|\d{1,2}(?P<b>[-/])\d{1,2}(?P=b)(?:\d{4}|\d\d)"
    r"|\d{1,2}\.\s?\d{1,2}\.\s?\d{4}|\d{4}\s?[年년]\s?\d{1,2}\s?[月월](?:\s?\d{1,2}\s?[日일])?"
    rf"|\d{{1,2}}(?:st|nd|rd|th|er)?\.?[ -]?{_MONTH_AND_YEAR}"
    rf"|{_L}{{3,10}}\.? \d{{1,2}}(?:st|nd|rd|th)?,? \d{{4}}|{_L}{{3,10}}\.?,? \d{{4}})(?![\w/]|[.,-]\d)"
)
_TIME = re.compile(
    r"(?<![\w:.,])\d{1,2}[:h]\d\d(?::\d\d)?(?:\s?[ap]\.?m\b\.?)?(?![\w:])|(?<![\w:.,])\d{1,2}\s?[ap]\.?m\b\.?",
    re.IGNORECASE,
)
_ALMOST_DATE = re.compile(r"0?(\d{1,2})[/-]0?(\d{1,2})[/-](\d{2,4})\Z")
_TWELVE = 12
_BROKEN = re.compile(rf"(?<={_L})[-\u2010\u00ad][ \t]*\r?\n\s*(?={_L})")
_GROUPED = re.compile(r"(?<=\d)[\u00a0\u2009\u202f'’](?=\d{3}(?!\d))")
_IN_GROUPS = re.compile(r"(?<![\d.,])[1-9]\d{0,2}(?: \d{3})+(?:[.,]\d{1,2})?(?!\d)")
_HAS_NUMBER = re.compile(r"[\d¼½¾⅐-⅞]").search
_END_OF_GROUPS = re.compile(r"\d{3},\d{1,2}\Z")
_NOT = re.compile(r"(?:\b(ca)|\b(wo)|)n't\b", re.IGNORECASE)
_APOSTROPHE = re.compile(rf"(?<=\w)'(?={_L})")
_BRACKETS = re.compile(r"(?<!\w)<(?=\S)([^<>=]*?\S)>(?!\s?\d)")
_PERCENT = re.compile(r"(?<=\d) ?(?:percent|per cent|pct)\b", re.IGNORECASE)
_DEGREES = re.compile(r"(?<=\d)\s*°\s*(?=[CF](?!\w))")
_SIGN_FIRST = re.compile(r"(?<![\w.])(?<![\w.]\s)-\s?([$€£¥₹])\s?(?=[\d.])")
_MINUS = re.compile(r"(?<!\w)minus (?=\d)", re.IGNORECASE)
_BETWEEN = re.compile(r"(?<=\d)(?: ?-- ?| (?:to|bis) )(?=[$€£¥₹]?\d)", re.IGNORECASE)
"""What stands between the two ends of a range, beside a dash."""
_PAGES = re.compile(r"\A(?:pp?\.? |pp?\.|pages? |S\. ?|Seiten? )(?=\d)")
"""What says that a number is a page."""
_FEET = re.compile(r"(\d)\s?(?:'|ft\.?|feet|foot)\s?(\d+(?:\.\d+)?)\s?(?:\"|''|in\b\.?|inch(?:es)?\b)", re.IGNORECASE)
_MONTH = re.compile(rf"{_L}{{3,10}}\b\.?(?= \d{{1,2}}(?:st|nd|rd|th)?\b)|(?<=\d )(?<!\d\d\d ){_L}{{3,10}}\b\.?")
"""What may be a month beside its day."""
_OVER = re.compile(r"(?<=\d) ?/ ?(?=\d)")
_MICRO = re.compile("[µμ](?=[A-Za-z])")
_MAY_BE_DATE = re.compile(r"\d{1,2}\.\d{1,2}\.\d\d\Z|(?:1[6-9]|20)\d\d-(?:0[1-9]|1[0-2])\Z")
"""What is a date beside another date, such as 5.3.24 and 2024-03."""
_SCHEME = re.compile(r"https?://", re.IGNORECASE)
_SIGNS = r"(?:_|[^\w\s])*"
_WHOLE = rf"(?<!\S){_SIGNS}[^\W_][^\s@]*@{_SIGNS}[^\W_]\S*|[A-Za-z][\w+.-]{{0,30}}://\S+|"
_NUMBER = r"\d+(?:[.,/]\d+)*"
_KNOWN_UNITS = "|".join(sorted([*UNITS, "mw", "mv", "mj", "mpa"], key=len, reverse=True))
_TOKENS = (
    r"(?<![^\W_])[A-Za-z]{1,3}\$"
    rf"|(?:(?<![\w)])(?<!\d\s)-(?=\.?\d))?(?:(?<![\w.,])\.(?=\d))?{_NUMBER}(?:[eE][+-]\d+|\s?%|\s?(?i:{_KNOWN_UNITS})(?!\w))?"
    rf"(?:{_NUMBER}|{_L}[^\w\s\x00-\x7f]*)*(?:[+*#-]+(?![\w*]))?"
    rf"|{_L}(?:{_NUMBER}|{_L}|[^\w\s\x00-\x7f])*(?:[+*#-]+(?![\w*]))?"
    r"|[$<>=~^&%]|\+(?!\d)|(?<=[\w)])\+|(?<=[\w)])\*+(?=[\w(])|(?<=[\w)]\s)\*+(?=\s[\w(])|(?<=\d)[\"']"
    r"|[^\w\s\x00-\x7f]"
)
_FIND, _FIND_WHOLE = (re.compile(f"{first}{_TOKENS}").findall for first in ("", _WHOLE))
_ENDING = re.compile(r"[+*#-]+\Z")
_NUMBERS = re.compile(rf"-?\.?{_NUMBER}")
_GLUED = re.compile(r"([A-Za-z]{2,3})(\d.*)|(-?[\d.,]*\d)([A-Za-z]{2,3})\Z")
_BEFORE_UNIT = "-0123456789., "
_MAX_ENDED = 3
"""The characters of a word whose ending signs count: A+, C++, Na+."""

_IS_NAME = re.compile(rf"\s*{_L}+(?:[ .'’-]+{_L}+){{0,3}}\.?\s*\Z").match
"""One to four words without a digit."""

Value = Literal["", "quantity", "date"]


class Words(NamedTuple):
    """What a text is compared as. In ``any_order`` the words of ``letters`` and the numbers are sorted."""

    key: str
    """Two texts with the same key are the same."""
    in_order: str
    """So are two of which these are the same: the words in their order, with the blanks between letters put aside."""
    words: tuple[str, ...]
    letters: str
    numbers: tuple[str, ...] = ()
    """The numbers in all words, however these are joined."""
    telling: tuple[str, ...] = ()
    """The words with a digit, and the negations."""
    money: tuple[Currencies, ...] = ()
    """The currencies that each word with a digit may be in; empty where there are none at all."""
    spelt: dict[str, str] = {}  # noqa: RUF012  # never changed
    """How words with an ä are written without."""
    value: Value = ""
    """What the text is as a whole."""
    turned: str = ""
    """The key of a name without the comma that turns it round, as in *Turing, Alan*; empty for any other text."""
    is_open: bool = False
    """Whether it has a word that can be read in two ways: &, 3/4/2024, and 10 000 in two groups."""
    text: str = ""


def words_of(text: str, *, any_order: bool = False) -> Words:
    """Return the words of a text, and what else two texts are compared by.

    >>> words_of("The CO₂-level: 5,000 mg, due 5 March 2024").words
    ('the', 'co2', 'level', '5000mg', 'due', '2024y03m05d')
    """
    if text.isascii() and text.replace(" ", "").isalpha():
        words = text.lower().split()
        words = _initials_joined(words) if any_order else words
        telling = tuple(sorted(NEGATIONS.intersection(words)))
        letters = " ".join(sorted(words) if any_order else words)
        in_order = "".join(words)
        return Words(letters if any_order else in_order, in_order, tuple(words), letters, telling=telling, text=text)
    read = _read if len(text) <= _CACHED_LENGTH else _read.__wrapped__
    return read(text, any_order)


@lru_cache(maxsize=16_384)
def _read(text: str, any_order: bool) -> Words:
    text = _MINUS.sub("-", _PAGES.sub("", text))
    plain = plain_form(text).replace("_", " ")
    value = _value(plain)
    if value == "quantity":
        words, money = _quantity(plain)
    else:
        words, money = _words(text, spelt=False)
    if not words:
        signs = "".join(folded_letters(text).split()) or text.strip()
        return Words(signs, signs, (signs,), signs, text=text)
    if any_order:
        words = _initials_joined(words)
    other = words
    if value != "quantity" and not text.isascii() and has_other_spelling(text):
        other, _ = _words(text, spelt=True)
        other = _initials_joined(other) if any_order else other
    numbers = tuple(number for word in words for number in _NUMBERS.findall(word))
    in_money = "".join(f"|{at}{sorted(codes)}" for at, codes in enumerate(money) if codes)
    in_order = joined(other) + in_money
    return Words(
        " ".join([*sorted(other), "", *numbers]) + in_money if any_order else in_order,
        in_order,
        tuple(words),
        " ".join(sorted(words) if any_order else words),
        tuple(sorted(numbers)) if any_order else numbers,
        tuple(sorted({word for word in words if word in NEGATIONS or has_digit(word)})),
        tuple(money) if any(money) else (),
        {a: b for a, b in zip(words, other, strict=False) if a != b},
        value,
        "" if any_order else _turned(text),
        "&" in words or any(map(_ALMOST_DATE.match, numbers)) or _IN_GROUPS.search(text) is not None,
        plain if value else text,
    )


def _turned(text: str) -> str:
    last, _, first = text.partition(",")
    if not (_IS_NAME(last) and _IS_NAME(first)) or last.islower() or first.islower():
        return ""
    return joined(_words(f"{first} {last}", spelt=has_other_spelling(text))[0])


def _value(text: str) -> Value:
    if not _HAS_NUMBER(text):
        return ""
    if is_date(text) or is_time(text) or (_MAY_BE_DATE.match(text) and read_any_date(text, dayfirst=True)):
        return "date"
    return "quantity" if is_quantity(text) else ""


def _initials_joined(words: list[str]) -> list[str]:
    """Return words of which single letters beside each other are one, as in J. K. Rowling and 東京."""
    out: list[str] = []
    was_initial = False
    for word in words:
        is_initial = len(word) == 1 and word.isalpha()
        if is_initial and was_initial:
            out[-1] += word
        else:
            out.append(word)
        was_initial = is_initial
    return out


def joined(words: list[str] | tuple[str, ...]) -> str:
    """Return words without the blanks between them, but for those between digits.

    >>> joined(["non", "exclusive"]), joined(["23", "1"])
    ('nonexclusive', '23 1')
    """
    out = ""
    parts = []
    for word in words:
        parts.append(f" {word}" if out[-1:].isdigit() and word[:1].isdigit() else word)
        out = word
    return "".join(parts)


def _quantity(text: str) -> tuple[list[str], list[Currencies]]:
    unit, number = read_unit(text), read_number(text)
    amount = f"{number.normalize():f}" if number is not None else text
    is_word = unit.words.isalpha() and len(unit.words) > 1 and unit.words not in UNITS
    return [amount, unit.words] if is_word else [f"{amount}{unit.words}"], [unit.currencies]


def _words(text: str, *, spelt: bool) -> tuple[list[str], list[Currencies]]:
    """Return the words, and for each with a digit the currencies that stand beside it."""
    text = _GROUPED.sub(",", _BROKEN.sub("", text)).replace("&amp;", "&")
    if has_digit(text):
        text = _TIME.sub(_time_word, _DATE.sub(_date_word, text))
        text = _MONTH.sub(lambda word: english_month(word[0]) or word[0], text)
    if "µ" in text or "μ" in text:
        text = _MICRO.sub("u", text)
    text = _signs_apart(folded_letters(text, spelt=spelt))
    is_shouted = text.isupper()
    words: list[str] = []
    money: list[Currencies] = []
    for token, currencies in _with_money((_FIND_WHOLE if "@" in text or "://" in text else _FIND)(text), is_shouted):
        if "@" in token or "://" in token:
            words.append(_SCHEME.sub("", token).strip(".,;:!?()[]{}<>\"'/").casefold())
            money += [frozenset()] if has_digit(words[-1]) else []
            continue
        is_unit = not is_shouted and (has_digit(token) or (bool(words) and has_digit(words[-1])))
        found = _word(token, is_unit=is_unit).split()
        if len(found) == 1 and words and has_digit(words[-1]) and found[0].isalpha():
            found = [unit_word(found[0])]
        words += found
        money += [currencies for word in found if has_digit(word)]
    return [word for word in words if word], money


def _signs_apart(text: str) -> str:
    """Return text whose apostrophes, brackets and units are written in one way."""
    if "'" in text:
        text = _APOSTROPHE.sub("", _NOT.sub(lambda n: f"{'can' if n[1] else 'will' if n[2] else ''} not", text))
    if has_digit(text):
        text = _OVER.sub("/", _BETWEEN.sub(" - ", _FEET.sub(r"\1ft \2in ", text)))
    for quote in "'\"":
        if text.count(quote) % 2 == 0:
            text = text.replace(quote, " ")  # what is left behind a digit are feet and inches
    if "<" in text:
        text = _BRACKETS.sub(r" \1 ", text)
    if has_digit(text):
        text = _SIGN_FIRST.sub(r"\1-", _DEGREES.sub("", _PERCENT.sub("%", text)))
    return text


def _with_money(tokens: list[str], is_shouted: bool) -> list[tuple[str, Currencies]]:
    """Return tokens with the currencies that they are in; those beside a number are put aside."""
    found: list[tuple[str, Currencies]] = []
    before: Currencies = frozenset()
    was_taken = False
    for token, after in zip_longest(tokens, tokens[1:], fillvalue=""):
        if was_taken:
            was_taken = False
        elif has_digit(token):
            glued = _GLUED.match(token)
            own = _currencies((glued[1] or glued[4]) if glued else "", is_shouted)
            if own and glued:
                token = glued[2] or glued[3]
            else:
                own = before
            if not own and not has_digit(after) and (own := _currencies(after, is_shouted)):
                was_taken = True
            found.append((token, own))
            before = frozenset()
        else:
            before = _currencies(token, is_shouted) if has_digit(after) else frozenset()
            found += [] if before else [(token, before)]
    return found


def _currencies(word: str, is_shouted: bool) -> Currencies:
    if not word or (len(word) == 1 and word.isalpha() and word not in "元円원"):
        return frozenset()
    return currencies_beside(word.lower() if is_shouted else word) or frozenset()


def _word(token: str, *, is_unit: bool) -> str:
    """Return a word folded, its numbers as read; signs at its end only where it is short, its M where it is mega."""
    ending = _ENDING.search(token)
    if ending is not None and len(ending[0]) < len(token):
        base = token[: ending.start()]
        counts = ending[0][0] == "+" if has_digit(base[-1]) and base.isdigit() else len(base) <= _MAX_ENDED
        token = token if counts else base
    is_mega = is_unit and metric_prefix(token.lstrip(_BEFORE_UNIT)) == "M"
    if has_digit(token):
        token = _NUMBERS.sub(lambda number: _number(number[0]), "".join(token.split()))
    word = token.casefold()
    return f"{word.rpartition('m')[0]}M{word.rpartition('m')[2]}" if is_mega else word


@lru_cache(maxsize=16_384)
def _number(digits: str) -> str:
    """Return a number in one form; what is none, such as 007 and 1.2.3, as it stands, and 1,5,7 as three."""
    if digits.isdigit():
        return digits
    almost = _ALMOST_DATE.match(digits)
    if almost is not None:
        return "/".join(almost.groups())
    if "/" in digits and "." in digits:
        return "/".join(map(_number, digits.split("/")))
    number = read_number(digits) if "/" not in digits and unit_of(digits) is not None else None
    if number is None:
        return digits.replace(",", "." if _END_OF_GROUPS.match(digits) else " ")
    return f"{number.normalize():f}"


def without_groups(number: str) -> str:
    """Return a number whose digits stand in groups without the blanks between them; empty for any other text.

    >>> without_groups("10 000.50"), without_groups("5 kg")
    ('10000.5', '')
    """
    return _number(number.replace(" ", "")) if _IN_GROUPS.fullmatch(number) else ""


def _date_word(found: re.Match[str]) -> str:
    text = found[0]
    almost = _ALMOST_DATE.match(text)
    if almost is not None:
        first, second = int(almost[1]), int(almost[2])
        if (first <= _TWELVE and second <= _TWELVE and first != second) or len(almost[3]) != len("2024"):
            return "/".join(almost.groups())
    if not is_date(text):
        return text
    moment = read_any_date(text, dayfirst="." in text or (almost is not None and int(almost[1]) > _TWELVE))
    if not isinstance(moment, Moment):
        return text
    return f" {moment.when:%Yy%mm}{f'{moment.when:%dd}' if moment.day else ''} "


def _time_word(found: re.Match[str]) -> str:
    moment = read_any_date(found[0]) if is_time(found[0]) else None
    if not isinstance(moment, Moment):
        return found[0]
    return f" {moment.when:%Hh%M}{f'm{moment.when:%S}' if moment.when.second else ''} "
