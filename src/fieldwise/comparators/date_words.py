"""Dates of other languages and scripts, as the parser of English dates reads them: months, digits, 年月日, dashes."""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache

from fieldwise.comparators.as_text import plain_form

_MONTHS = """
January: januar jänner jän januari janvier janv enero ene gennaio genn janeiro stycznia ledna tammikuuta января янв
 січня ocak ianuarie يناير
February: februar februari février févr fevrier fevr febrero febbraio febbr fevereiro fev lutego února helmikuuta
 февраля фев февр лютого şubat februarie فبراير
March: märz mär maerz maart mrt mars marzo março marco marca března maaliskuuta марта мар березня mart maret martie
 مارس
April: avril avr abril abr aprile kwietnia dubna huhtikuuta апреля апр квітня nisan aprilie أبريل ابريل
May: mai mei mayo maggio magg maio maja května toukokuuta мая травня maj mayıs مايو
June: juni juin junio giugno giu junho czerwca června kesäkuuta июня июн червня haziran iunie يونيو
July: juli juillet juil julio luglio lug julho lipca července heinäkuuta июля июл липня temmuz iulie يوليو
August: août aout agosto ago augustus augusti sierpnia srpna elokuuta августа авг серпня ağustos agustus agu أغسطس
 اغسطس
September: septembre septiembre setiembre settembre sett setembro września září syyskuuta сентября сен сент вересня
 eylül septembrie سبتمبر
October: oktober okt octobre octubre ottobre ott outubro października října lokakuuta октября окт жовтня ekim
 octombrie أكتوبر اكتوبر
November: novembre noviembre novembro listopadu marraskuuta ноября ноя нояб листопада kasım noiembrie نوفمبر
December: dezember dez décembre déc decembre diciembre dic dicembre dezembro desember grudnia prosince joulukuuta
 декабря дек грудня aralık decembrie des ديسمبر
"""
"""The months in the form that dates have; one word that means two months in two languages is left out."""
_LINES = [line.partition(": ") for line in _MONTHS.replace("\n ", " ").strip().split("\n")]
_ENGLISH = {name: month for month, _, names in _LINES for name in names.split()}
_WORD = re.compile(r"[^\W\d_]+")
_BESIDE = re.compile(r"(?<=\d)(?:er|[ºª°])(?!\w)|\b(?:de|del|di|den|do|le|il|el|г|года|року)\b\.?|(?<=[^\W\d_])\.")
_CJK = re.compile(r"(\d{4})\s*[年년]\s*(\d{1,2})\s*[月월](?:\s*(\d{1,2})\s*[日일]?)?")
_DASH = re.compile(r"\s*[–—〜～]\s*")
_SPAN = re.compile(r"(\d{4}-\d\d-\d\d)\s*/\s*(\d{4}-\d\d-\d\d)\Z|\A((?:19|20)\d\d)-((?:19|20)\d\d)\Z")
"""Two days with a slash, two years with a hyphen between them."""
_UNTIL = re.compile(r"\s(?:bis|until|till)\s", re.IGNORECASE)


@lru_cache(maxsize=16_384)
def in_english(text: str) -> str:
    """Return a date as English writes it; any other text may come back changed.

    >>> in_english("4. März 2024"), in_english("4 de marzo de 2024"), in_english("2024年3月4日")
    ('4. March 2024', '4 March 2024', '2024-3-4')
    """
    if not text.isascii():
        text = _in_ascii_digits(text)
    text = _UNTIL.sub(" to ", _SPAN.sub(r"\1\3 to \2\4", text))
    words = [word.casefold() for word in _WORD.findall(text)]
    if not any(word in _ENGLISH for word in words):
        return text
    text = _WORD.sub(lambda word: _ENGLISH.get(word[0].casefold(), word[0]), text)
    return " ".join(_BESIDE.sub(" ", text).split())


def _in_ascii_digits(text: str) -> str:
    if len(_DASH.findall(text)) == 1:
        text = _DASH.sub(" - ", text)
    text = "".join(str(unicodedata.decimal(char, char)) for char in plain_form(text))
    return _CJK.sub(lambda date: "-".join(filter(None, date.groups())), text)
