"""Dates of other languages and scripts, as the parser of English dates reads them: months, digits, 年月日, dashes, and
what stands around the two ends of a span.
"""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache

from fieldwise.comparators.as_text import plain_form

_MONTHS = """
January: januar jänner jän januari janvier janv enero ene gennaio genn gen janeiro stycznia ledna tammikuuta января
 янв січня ocak ianuarie يناير
February: febr februar februari février févr fév fevrier fevr febrero febbraio febbr fevereiro fev lutego února
 helmikuuta февраля фев февр лютого şubat februarie فبراير
March: märz mär maerz maart mrt mars marzo março marco marca března maaliskuuta марта мар березня mart maret martie
 مارس
April: avril avr abril abr aprile kwietnia dubna huhtikuuta апреля апр квітня nisan aprilie أبريل ابريل
May: mai mei mayo maggio magg maio maja května toukokuuta мая травня maj mayıs مايو
June: juni juin junio giugno giu junho czerwca června kesäkuuta июня июн червня haziran iunie يونيو
July: juli juillet juil julio luglio lug julho lipca července heinäkuuta июля июл липня temmuz iulie يوليو
August: août aout agosto ago augustus augusti sierpnia srpna elokuuta августа авг серпня ağustos agustus agu أغسطس
 اغسطس
September: set septembre septiembre setiembre settembre sett setembro września září syyskuuta сентября сен сент
 вересня eylül septembrie سبتمبر
October: out oktober okt octobre octubre ottobre ott outubro października října lokakuuta октября окт жовтня ekim
 octombrie أكتوبر اكتوبر
November: novembre noviembre novembro listopadu marraskuuta ноября ноя нояб листопада kasım noiembrie نوفمبر
December: dezember dez décembre déc decembre diciembre dic dicembre dezembro desember grudnia prosince joulukuuta
 декабря дек грудня aralık decembrie des ديسمبر
"""
"""The months in the form that dates have; one word that means two months in two languages is left out."""
_WEEKDAYS = """
montag dienstag mittwoch donnerstag freitag samstag sonnabend sonntag lundi mardi mercredi jeudi vendredi samedi
dimanche lunes martes miércoles jueves viernes sábado domingo lunedì martedì mercoledì giovedì venerdì sabato domenica
maandag dinsdag woensdag donderdag vrijdag zaterdag zondag понедельник вторник среда четверг пятница суббота воскресенье
"""
"""Days of the week that stand before a date; those in English are read."""
_LINES = [line.partition(": ") for line in _MONTHS.replace("\n ", " ").strip().split("\n")]
_ENGLISH = {name: month for month, _, names in _LINES for name in names.split()}
_EVERY_MONTH = _ENGLISH | {name: month for month, _, _ in _LINES for name in (month.lower(), month[:3].lower())}
_EVERY_MONTH["sept"] = "September"
_NUMERALS = dict(
    zip(("I", "II", "III", "IV", "V", "VI", "VII", "VIII", "IX", "X", "XI", "XII"), range(1, 13), strict=True)
)
_WEEKDAY = re.compile(rf"\A(?:{'|'.join(_WEEKDAYS.split())})\b[.,]?(?: den)? +(?=.*\d)", re.IGNORECASE)
_WORD = re.compile(r"[^\W\d_]+")
_BESIDE = re.compile(r"(?<=\d)(?:er|[ºª°])(?!\w)|\b(?:de|del|di|den|do|le|il|el|г|года|року)\b\.?|(?<=[^\W\d_])\.")
_BEFORE_MONTH = re.compile(r"(?<=\d\.)(?=[^\W\d_])")
_CJK = re.compile(r"(\d{4})\s*[年년]\s*(\d{1,2})\s*[月월](?:\s*(\d{1,2})\s*[日일]?)?")
_ERAS = dict(zip(["明治", "大正", "昭和", "平成", "令和"], (1867, 1911, 1925, 1988, 2018), strict=True))
"""The year before the first of each era of Japan."""
_ERA = re.compile(rf"({'|'.join(_ERAS)})\s*(元|\d{{1,2}})(?=\s*年)")
_DASH = re.compile(r"\s*[–—〜～]\s*")
_SPAN = re.compile(
    r"(\d{4}-\d\d-\d\d)\s*/\s*(\d{4}-\d\d-\d\d)\Z|\A((?:1[6-9]|20)\d\d)-((?:1[6-9]|20)\d\d)\Z"
    r"|\A(\d{1,2}[./]\d{1,2}[./]\d{4})-(\d{1,2}[./]\d{1,2}[./]\d{4})\Z"
    r"|\A(\d{1,2}\.?)-(\d{1,2}(?:\.\d{1,2}\.|\.? ?[^\W\d_]{3,}\.? ?)\d{4})\Z"
)
"""Two days with a slash, two years or days with a hyphen between them, of which the first may have its day alone."""
_OCLOCK = re.compile(r"(?<=\d:\d\d)\s?(?:uhr|hrs|h)\b\.?", re.IGNORECASE)
_FROM = re.compile(r"\A\s*(?:from|vom|von|du|de|del|dal|desde|van)\b\s*:?\s*(?=.*\d)", re.IGNORECASE)
_UNTIL = re.compile(r"\s(?:to|bis|until|till|thru|au|al|hasta|tot|t/m)\b\s*:?\s+", re.IGNORECASE)
_BRACKETED = re.compile(r"\s*(?:\[([^][]*)\]|\(([^()]*)\)|<([^<>]*)>)\s*\Z")
"""A date in brackets as a whole, as library cards have them."""
_NUMERAL = re.compile(r"(?<=\d\.)(\s?)([IVX]+)(?=\.\s?\d)")
"""A month in Roman numerals, as in 17.VII.1896."""
_MONTH_AND_YEAR = re.compile(r"(?<![\d.])(\d\d)\.((?:1[6-9]|20)\d\d)(?![\d.])", re.ASCII)
"""As in 03.2019."""
_MONTH_OF_SHORT_YEAR = re.compile(r"(?<![\w-])([^\W\d_]{3,9})(?:-'?|\.? ?')(\d\d)(?![\w-])", re.ASCII)
"""As in Mar-24 and Mar '24."""
_NEXT_CENTURY = 70
_QUARTER = re.compile(
    r"\A(?:(?:Q([1-4])|([1-4])(?:Q|(?:\.|st|nd|rd|th) +(?:Quarter|Quartal)))[ /-]?(\d{4})|(\d{4})[ /-]?Q([1-4]))\Z",
    re.IGNORECASE | re.ASCII,
)


@lru_cache(maxsize=16_384)
def in_english(text: str) -> str:
    """Return a date as English writes it; any other text may come back changed.

    >>> in_english("4. März 2024"), in_english("4 de marzo de 2024"), in_english("2024年3月4日")
    ('4. March 2024', '4 March 2024', '2024-3-4')
    >>> in_english("FROM 04/01/2026 TO 04/01/2027"), in_english("<1636-1673>"), in_english("17.Nov. 1942")
    ('04/01/2026 to 04/01/2027', '1636 to 1673', '17. November 1942')
    """
    if not text.isascii():
        text = _in_ascii_digits(text)
    text = _span_in_english(_without_surroundings(text))
    if "." in text:
        text = _NUMERAL.sub(lambda found: f"{found[1]}{_NUMERALS.get(found[2], found[2])}", text)
        text = _MONTH_AND_YEAR.sub(r"\1/\2", text)
    months = _EVERY_MONTH if "." in text else _ENGLISH  # months in English are read as they are, without dots
    if not any(word.casefold() in months for word in _WORD.findall(text)):
        return text
    text = _WORD.sub(lambda word: _EVERY_MONTH.get(word[0].casefold(), word[0]), text)
    return _BEFORE_MONTH.sub(" ", " ".join(_BESIDE.sub(" ", text).split()))


def _without_surroundings(text: str) -> str:
    """Return a date without the brackets around it, the day of the week before it and what says that it is a time."""
    bracketed = _BRACKETED.match(text)
    if bracketed:
        text = bracketed[bracketed.lastindex or 0]
    if text[:1].isalpha():
        text = _WEEKDAY.sub("", text)
    return _OCLOCK.sub("", text) if ":" in text else text


def _span_in_english(text: str) -> str:
    """Return a span as *start to end*, a quarter as that of its months."""
    if "-" in text or "/" in text:
        text = _SPAN.sub(r"\1\3\5\7 to \2\4\6\8", text)
    if "-" in text or "'" in text:
        text = _MONTH_OF_SHORT_YEAR.sub(_month_of_short_year, text)
    if " " in text:
        text = _UNTIL.sub(" to ", text)
        text = _FROM.sub("", text) if " to " in text else text
    return _QUARTER.sub(_months_of_quarter, text) if "q" in text.casefold() else text


def is_month(text: str) -> bool:
    """Return whether a text is the name of a month, in any of the languages.

    >>> [is_month(text) for text in ("February", "Feb.", "février", "May 2024", "Mayer")]
    [True, True, True, False, False]
    """
    return text.strip().removesuffix(".").casefold() in _EVERY_MONTH


def _month_of_short_year(found: re.Match[str]) -> str:
    century = 20 if int(found[2]) < _NEXT_CENTURY else 19
    return f"{found[1]} {century}{found[2]}" if is_month(found[1]) else found[0]


def english_month(word: str) -> str:
    """Return the English name of a month, empty for any other word."""
    return _EVERY_MONTH.get(word.removesuffix(".").casefold(), "")


def _months_of_quarter(found: re.Match[str]) -> str:
    first = 3 * int(found[1] or found[2] or found[5]) - 2
    year = found[3] or found[4]
    return f"{_LINES[first - 1][0]} {year} to {_LINES[first + 1][0]} {year}"


def _in_ascii_digits(text: str) -> str:
    if len(_DASH.findall(text)) == 1:
        text = _DASH.sub(" - ", text)
    text = "".join(str(unicodedata.decimal(char, char)) for char in plain_form(text))
    text = _ERA.sub(lambda year: str(_ERAS[year[1]] + int(year[2].replace("元", "1"))), text)
    return _CJK.sub(lambda date: "-".join(filter(None, date.groups())), text)
