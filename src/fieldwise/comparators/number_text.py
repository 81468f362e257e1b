"""Numbers as people write them: currencies, percent, thousands marks, brackets, fractions, exponents.

Reads one text into an exact decimal; leaves tolerances to the comparator.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Context, Decimal, InvalidOperation
from functools import lru_cache

from fieldwise.comparators.currency import currencies_beside

MAX_EXPONENT = 100_000
"""Exponents beyond this are not read: 1e999999999 fits in a line and not in memory."""

_CACHED_LENGTH = 64
_MAX_LENGTH = 400
"""Characters of a number in words and marks; longer ones are read only where they are plain digits."""

_PLAIN = re.compile(r"-?[0-9]+(?:\.[0-9]+)?\Z")
_BODY = re.compile(
    r"(?:(?P<whole>[0-9][0-9.,' ]*?) +)?(?P<top>[0-9]+) */ *(?P<bottom>[0-9]+)\Z"
    r"|(?P<mantissa>[0-9.,' ]+?)(?:[eE](?P<exponent>[+-]?[0-9]{1,6}))?\Z"
)
_REMARK = re.compile(r"\([^0-9()]*\)")
NO_CENTS = re.compile(r"[.,/] ?-{1,2}(?![0-9])")
"""What stands for no cents, as in 5,- and 6.800.--"""
_THOUSANDS = re.compile(r"[0-9]{1,3}(?:([.,' ])[0-9]{3})(?:\1[0-9]{3})*\Z")
_WORDS = r"[^0-9()+\-/<>^±]*"
_HEAD = re.compile(rf"(\(?)(?P<before>{_WORDS})(?P<sign>[+-]?)(?P<after>{_WORDS})(\(?)\Z")
_TAIL = re.compile(rf"(\)?)(?P<before>{_WORDS})(?P<sign>-?)(?P<after>{_WORDS})(\)?)\Z")
_LETTERS = re.compile(r"[^\W\d_]+")
_GROUP = re.compile(r"[0-9]{1,3}(?:([ '])[0-9]{3})(?:\1[0-9]{3})*(?=[.,]|\Z)")
_CODES = (
    "aed ars aud bgn brl cad chf clp cny cop czk dkk egp eur gbp hkd huf idr ils inr jpy krw kzt lkr mad"
    " mxn myr ngn nok nzd pen php pkr pln ron rub sar sek sgd thb try twd uah usd vnd zar"
)
_BESIDE_SIGN = frozenset([*_CODES.split(), "fr", "kr", "rm", "rp", "rs", "us"])
_FRACTION_DIGITS = Context(prec=50)
_THREE_DECIMALS = frozenset({"BHD", "IQD", "JOD", "KWD", "LYD", "OMR", "TND"})
_WITHOUT_DECIMALS = frozenset({"CLP", "CNY", "COP", "IDR", "ISK", "JPY", "KRW", "PYG", "VND"})
"""Currencies of which nobody writes three decimals."""
_FEW, _THOUSAND = 3, 1_000
_ONE_POINT = re.compile(r"(?<![0-9.,])([1-9][0-9]{0,2})\.([0-9]{3})(?![.,]?[0-9])")
TWO_POINTS = re.compile(r"(?<![0-9.,])[1-9][0-9]{0,2}(?:\.[0-9]{3}){2,}(?![.,]?[0-9])")
"""Groups of three digits with points between them, as in 1.250.000; 1.2.3 has none."""
_POINT = re.compile(r"[0-9]\.[0-9]")
_GROUP_OF_THREE = re.compile(r"(?<!\A0)[.,][0-9]{3}\Z")
"""What may be thousands; in 0,789 they are not."""
_POWER = re.compile(r"(?<=[0-9 ])([cdkm]?m)\^?([23])\Z", re.IGNORECASE)
_SQUARE = re.compile(
    r"\b(?:(sq\.?|square)|cu\.?|cubic) ?(m|ft|in|yd|feet|foot|met(?:er|re)(?=s?)|inch(?=(?:es)?))(?:e?s)?\.?\Z",
    re.IGNORECASE,
)
_SQUARE_ENDS = frozenset("mtnydseh.MTNYDSEH")


def read_number(text: str, decimal_mark: str | None = None) -> Decimal | None:
    """Return the number that a text holds, None where it holds none or more than one.

    Without a ``decimal_mark`` a comma before exactly three digits is a thousands mark; where both marks
    occur, the last one is the decimal mark.

    >>> read_number("$1,234.50"), read_number("1.234,50 €"), read_number("(5 %)"), read_number("12-34")
    (Decimal('1234.50'), Decimal('1234.50'), Decimal('-5'), None)
    """
    if len(text) <= _CACHED_LENGTH:
        return _read_short(text, decimal_mark)
    return _read(text, decimal_mark)


@lru_cache(maxsize=16_384)
def _read_short(text: str, decimal_mark: str | None) -> Decimal | None:
    return _read(text, decimal_mark)


def _read(text: str, decimal_mark: str | None) -> Decimal | None:
    text = text.strip()
    if decimal_mark != "," and _PLAIN.match(text):
        return Decimal(text)
    if len(text) > _MAX_LENGTH:
        return None
    text = _in_plain_signs(text)
    start, end = _span(text)
    if start < 0:
        return None
    body = text[start:end]
    if (
        end < len(text) and NO_CENTS.match(text[end:].lstrip()) and _THOUSANDS.match(body)
    ):  # no cents, so no decimals before them
        body = re.sub("[.,' ]", "", body)
    number = _unsigned(body, decimal_mark)
    negative = _is_negative(text[:start], text[end:])
    if number is None or negative is None:
        return None
    return number.copy_negate() if negative else number


def _span(text: str) -> tuple[int, int]:
    """Find the stretch from the first digit, with a decimal mark before it, to the last digit."""
    found = re.search(r"[0-9](?:.*[0-9])?", text, re.DOTALL)
    if found is None:
        return -1, -1
    start, end = found.span()
    if text[start - 1 : start] in (".", ",") and not text[: start - 1][-1:].isalpha():
        start -= 1
    return start, end


def _is_negative(before: str, after: str) -> bool | None:
    """Read the signs and brackets around a number; None where what stands there makes it no number."""
    head = _HEAD.match(_REMARK.sub(" ", before))
    tail = _TAIL.match(NO_CENTS.sub("", _REMARK.sub(" ", after)))
    if head is None or tail is None or not (_is_sign(head) and _is_sign(tail)):
        return None
    opened, closed = head[1] + head[5], tail[1] + tail[5]
    if (opened, closed) not in (("", ""), ("(", ")")):
        return None
    signs = [s for s in (head["sign"], tail["sign"], opened) if s]
    return None if len(signs) > 1 else bool(signs) and signs[0] != "+"


def _is_sign(match: re.Match[str]) -> bool:
    """Return whether what looks like a sign is one, and not the hyphen of INV-001 or 5-day."""
    if not match["sign"]:
        return True
    glued = match["before"].rpartition(" ")[2] + " " + match["after"]
    return all(word.lower() in _BESIDE_SIGN for word in _LETTERS.findall(glued))


def _unsigned(body: str, decimal_mark: str | None) -> Decimal | None:
    found = _BODY.match(body)
    if found is None:
        return None
    if found["top"]:
        return _fraction(found, decimal_mark)
    digits = _without_marks(found["mantissa"], decimal_mark)
    if digits is None:
        return None
    exponent = int(found["exponent"] or 0)
    if abs(exponent) > MAX_EXPONENT:
        return None
    return Decimal(digits) if not exponent else Decimal(f"{digits}e{exponent}")


def _fraction(match: re.Match[str], decimal_mark: str | None) -> Decimal | None:
    whole = _without_marks(match["whole"], decimal_mark) if match["whole"] else "0"
    bottom = Decimal(match["bottom"])
    if whole is None or not bottom:
        return None
    try:
        return _FRACTION_DIGITS.add(Decimal(whole), _FRACTION_DIGITS.divide(Decimal(match["top"]), bottom))
    except InvalidOperation:
        return None


def _without_marks(digits: str, decimal_mark: str | None) -> str | None:
    """Return digits with at most one point, None where the marks make no sense."""
    digits = re.sub(r" *([.,]) *", r"\1", digits.strip())
    if " " in digits or "'" in digits:
        grouped = _GROUP.match(digits)
        if grouped is None:
            return None
        digits = re.sub("[ ']", "", grouped[0]) + digits[grouped.end() :]
        if " " in digits or "'" in digits:
            return None
    mark = _decimal_mark(digits, decimal_mark)
    if mark is None:
        return None
    thousands = "," if mark == "." else "."
    return digits.replace(thousands, "").replace(mark, ".")


def _decimal_mark(digits: str, known: str | None) -> str | None:
    """Return which of point and comma is the decimal mark here; None where neither can be."""
    mark = known or "."
    other = "," if mark == "." else "."
    if other not in digits:
        return mark if digits.count(mark) <= 1 else _grouping(digits, mark)
    if mark in digits:
        last = max(digits.rfind(","), digits.rfind("."))
        first_known = known is None or digits[last] == known
        return digits[last] if first_known and digits.count(digits[last]) == 1 else None
    if digits.count(other) > 1:
        return _grouping(digits, other)
    return mark if _GROUP_OF_THREE.search(digits) else other


def _grouping(digits: str, sign: str) -> str | None:
    """Take a repeated sign as a thousands mark if its groups are such, as in 1,234,567 or 12,34,567."""
    head, *groups = digits.split(sign)
    fits = 1 <= len(head) <= 3 and len(groups[-1]) == 3 and all(2 <= len(g) <= 3 for g in groups)
    return ("." if sign == "," else ",") if fits else None


def with_thousands(text: str, *, always: bool) -> str:
    """Return text with a comma in place of a point before exactly three digits, which then is a thousands mark;
    unless ``always``, only in a currency without cents.

    >>> with_thousands("Rp 12.000", always=False), with_thousands("12.000", always=False)
    ('Rp 12,000', '12.000')
    """
    found = _ONE_POINT.search(text)
    return _ONE_POINT.sub(r"\1,\2", text) if found and (always or _is_without_cents(text)) else text


def have_thousands(texts: Sequence[str], *, is_money: bool) -> bool:
    """Return whether a point before three digits is a thousands mark in numbers such as some.

    So it is where every point in them is before three digits, and one number has two points, a sign for no cents behind
    it or a currency without cents, or three amounts of money or more are all round; and where there are three numbers
    or more without any decimals, of which half are in the thousands.

    >>> have_thousands(["12.000", "4.500", "1.250.000"], is_money=False), have_thousands(["12.125"], is_money=True)
    (True, False)
    """
    if any(read_unit(text).currencies & _THREE_DECIMALS for text in texts):
        return False
    pointed = [text for text in texts if _POINT.search(text)]
    if not pointed:
        return _are_in_thousands(texts)
    groups = [TWO_POINTS.search(text) or _ONE_POINT.search(text) for text in pointed]
    if not all(groups):
        return False
    is_round = is_money and len(groups) >= _FEW and all(group and group[0].endswith("00") for group in groups)
    return is_round or any(
        TWO_POINTS.search(text) or NO_CENTS.search(text) or _is_without_cents(text) for text in pointed
    )


def _are_in_thousands(texts: Sequence[str]) -> bool:
    numbers = [abs(number) for text in texts if (number := read_number(text)) is not None]
    if len(numbers) < _FEW or any(number != number.to_integral_value() for number in numbers):
        return False
    return sum(number >= _THOUSAND for number in numbers) * 2 >= len(numbers)


def _is_without_cents(text: str) -> bool:
    currencies = read_unit(text).currencies
    return bool(currencies) and currencies <= _WITHOUT_DECIMALS


def _in_plain_signs(text: str) -> str:
    """Return a text with ASCII digits, blanks and signs; m2, m^2 and *sq. m* at its end are m², *cubic m* is m³."""
    text = " ".join((text if text.isascii() else text.translate(_SIGNS)).split())
    if text[-1:] in ("2", "3"):
        text = _POWER.sub(lambda found: found[1] + "²³"[int(found[2]) - 2], text)
    return (
        _SQUARE.sub(lambda found: f"{found[2]}{'²' if found[1] else '³'}", text) if text[-1:] in _SQUARE_ENDS else text
    )


class _Signs(dict[int, str]):
    """A translation table that learns how digits, blanks and signs of other scripts read in ASCII."""

    def __missing__(self, code: int) -> str:
        self[code] = _ascii(chr(code))
        return self[code]


def _ascii(char: str) -> str:
    digit = unicodedata.decimal(char, None)
    if digit is not None:
        return str(digit)
    if char.isspace():
        return " "
    if unicodedata.decomposition(char).startswith("<fraction>"):
        return " " + unicodedata.normalize("NFKC", char).replace("⁄", "/")
    if unicodedata.category(char) == "Cf":
        return ""
    return _SIGN_LIKE.get(char, char)


_SIGN_LIKE = {
    **dict.fromkeys("−‐‑‒–—﹣－", "-"),
    **dict.fromkeys("’‘ʼ′＇`´", "'"),
    **dict(zip("٫٬⁄∕．，＋（）／º", ".,//.,+()/°", strict=True)),
}
_SIGNS = _Signs({code: chr(code) for code in range(128)})


@dataclass(frozen=True, slots=True)
class Unit:
    """What stands beside a number: the currencies that it may be in, the words behind it, such as kg, and before it.

    The words are in one form, in which a *million* is ``e6``, and ``mW`` keeps its case.
    """

    currencies: frozenset[str] = frozenset()
    words: str = ""
    label: str = ""

    @property
    def is_credit(self) -> bool:
        """Whether it is no unit but a sign: credit or debit."""
        return self.words in ("cr", "dr")

    @property
    def magnitude(self) -> int:
        """The power of ten by which the number is multiplied; 0 where a unit or nothing stands behind it."""
        return _POWERS.get(self.words, 0)

    @property
    def name(self) -> str:
        """The unit in any case."""
        return "" if self.magnitude else self.words.casefold()

    def agrees(self, other: Unit) -> bool:
        """Return whether two units can be the same; one that says nothing agrees with every other but credit and debit,
        which are signs, and labels agree.
        """
        both_money = self.currencies and other.currencies
        if both_money and self.currencies.isdisjoint(other.currencies):
            return False
        if self.words == other.words:
            return True
        if self.is_credit or other.is_credit:
            return False
        left, right = self.name, other.name
        if left and right:
            return left == right and {metric_prefix(self.words), metric_prefix(other.words)} != {"m", "M"}
        return bool(both_money) or not (self.currencies or left) or not (other.currencies or right)


NO_UNIT = Unit()
_INITIALS = re.compile(r"(?<!\w)(?:[^\W\d_]\.)+[^\W\d_](?!\w)")
_UNIT_WORDS = re.compile(r"[^\W\d_]*\$[^\W\d_]*|[^\W\d_]+|[%‰°′″]+[^\W\d_]*|[^\w\s.,:;'()+\-]")
_UNIT_NAMES = """
%: percent pct prozent
c: °c ℃ celsius
f: °f ℉ fahrenheit
kg: kilogram kilogramm kilogramme
g: gram gramm gramme
ug: μg mcg microgram
mg: milligram milligramm
l: liter litre
ml: milliliter millilitre
ul: μl microliter microlitre
umol: μmol
um: μm micrometer micrometre
mm: millimeter millimetre
cm: centimeter centimetre
km: kilometer kilometre
m: meter metre
in: " ″ inch zoll
ft: ′ foot feet
mi: mile
lb: pound
oz: ounce
m²: sqm qm meter² metre²
ft²: sqft feet² foot²
in²: sqin inch²
cm³: ccm cc
m³: cbm meter³ metre³
ft³: feet³ foot³
in³: inch³
s: sec second sekunde
h: hr hour stunde
min: minute
v: volt
a: amp ampere
w: watt
kw: kilowatt
mW: milliwatt
MW: megawatt
mPa: millipascal
MPa: megapascal
MHz: megahertz
nM: nanomolar
mM: millimolar
p: pp page seite
week: wk
month: mo mth monat
year: yr jahr
"""
"""A unit, and how else it is written, in the singular."""
_SAME_WORDS = {
    name: unit
    for line in _UNIT_NAMES.split("\n")
    if line
    for unit, _, rest in [line.partition(": ")]
    for name in rest.split()
}
_KNOWN_WORDS = {**_SAME_WORDS, **{unit: unit for unit in _SAME_WORDS.values() if len(unit) > 1}}
_MAGNITUDE_NAMES = """
3: thousand thsd tsd tausend
5: lakh lac
6: million mio mln mn
7: crore
9: billion bn milliard milliarde mrd
"""
_MAGNITUDES = {
    name: int(power)
    for line in _MAGNITUDE_NAMES.split("\n")
    if line
    for power, _, rest in [line.partition(": ")]
    for name in rest.split()
}
_POWERS = {f"e{power}": power for power in _MAGNITUDES.values()}
_OF_MONEY = {"k": 3, "m": 6, "b": 9}
"""Letters that are powers of ten beside a currency, and units elsewhere."""
_PREFIXED = re.compile(r"([mM])(?:W|V|A|J|Pa|Hz|b|B)\Z|[munμµ]([mM])\Z")


def metric_prefix(unit: str) -> str:
    """Return the m or M of a unit in which its case tells milli from mega or metre from molar, nothing for others.

    >>> metric_prefix("mW"), metric_prefix("MHz"), metric_prefix("mhz"), metric_prefix("nM"), metric_prefix("cm")
    ('m', 'M', '', 'M', '')
    """
    found = _PREFIXED.match(unit)
    return found[1] or found[2] if found else ""


@lru_cache(maxsize=16_384)
def read_unit(text: str) -> Unit:
    """Return the currency and the unit that stand around the number in a text.

    Words before a number are a label, unless they name a currency.

    >>> read_unit("$5").agrees(read_unit("5 USD")), read_unit("$5").agrees(read_unit("€5")), read_unit("5 kg").words
    (True, False, 'kg')
    """
    if _PLAIN.match(text) or len(text) > _MAX_LENGTH:
        return NO_UNIT
    text = _in_plain_signs(text)
    start, end = _span(text)
    if start < 0:
        return NO_UNIT
    before, after = (
        _UNIT_WORDS.findall(_INITIALS.sub(_sign_in_initials, _REMARK.sub(" ", part)))
        for part in (text[:start], NO_CENTS.sub("", text[end:]))
    )
    money = [codes for word in (*before, *after) if (codes := currencies_beside(word))]
    label, words = (" ".join(w for w in part if not currencies_beside(w)) for part in (before, after))
    common = frozenset.intersection(*money) if money else frozenset[str]()
    return Unit(common or frozenset().union(*money), _unit_name(words, is_money=bool(money)), label.casefold())


def _sign_in_initials(found: re.Match[str]) -> str:
    """Return a currency of letters with dots between them, such as R.O., in one word; others as they stand."""
    sign = found[0].replace(".", "")
    return sign if currencies_beside(sign) else found[0]


def _unit_name(words: str, *, is_money: bool) -> str:
    """Return the words behind a number in one form."""
    if words in ("", "x", "X"):  # x: so many times
        return ""
    if metric_prefix(words):
        return words.replace("μ", "u").replace("µ", "u")
    words = words.casefold()
    forms = _singulars(words)
    power = next(
        (_MAGNITUDES[form] for form in forms if form in _MAGNITUDES), _OF_MONEY.get(words) if is_money else None
    )
    return f"e{power}" if power else next((_SAME_WORDS[form] for form in forms if form in _SAME_WORDS), forms[-1])


def unit_word(word: str) -> str:
    """Return the unit that a word behind a number names, in one form; any other word as it stands.

    >>> unit_word("yrs"), unit_word("years"), unit_word("rooms")
    ('year', 'year', 'rooms')
    """
    return next((_KNOWN_WORDS[form] for form in _singulars(word) if form in _KNOWN_WORDS), word)


def _singulars(word: str) -> tuple[str, ...]:
    """Return a word and what may be its singular, of which the last one stands for both."""
    if len(word) <= 2 or not word.endswith("s") or word.endswith("ss"):
        return (word,)
    return word, word.removesuffix("es"), word.removesuffix("s")
