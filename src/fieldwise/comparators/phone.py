"""The comparator of telephone numbers."""

from __future__ import annotations

import unicodedata
from collections import Counter
from collections.abc import Hashable, Iterable
from functools import lru_cache
from typing import ClassVar

import phonenumbers

from fieldwise.checks import checked_flag, refusal
from fieldwise.comparators.as_text import text_of
from fieldwise.comparators.base import KeyedComparator
from fieldwise.errors import SettingError, nearest
from fieldwise.values import Json, canonical

_MAX_LENGTH = 250
"""Characters beyond which libphonenumber reads nothing."""


class PhoneComparator(KeyedComparator):
    """Scores 1 where both texts are the same telephone number, extension included; else equal text decides.

    ``region`` is the country (ISO 3166, such as US) of numbers that name none. With ``by_digits`` numbers that are not
    valid there are compared by their digits instead of their text, 00 before a country's code is read as + and (0)
    behind it is put aside.

    >>> PhoneComparator().compare("+1 206 555 0100", "(206) 555-0100")
    1.0
    """

    takes: ClassVar[frozenset[str]] = frozenset({"text", "number"})

    def __init__(self, threshold: float | None = None, region: str = "US", by_digits: bool = False) -> None:
        super().__init__(threshold)
        self.by_digits = checked_flag("by_digits", by_digits)
        self.region = _checked_region(region)

    def key(self, value: Json) -> Hashable:
        """Return the international number with its extension, or the text as it stands."""
        text = text_of(value)
        if text is None:
            return ("value", canonical(value))
        if self.by_digits and text.lstrip().startswith("00"):
            text = f"+{text.lstrip()[2:]}"
        if self.by_digits and text.lstrip().startswith("+"):
            text = text.replace("(0)", "")
        number = _read(text, self.region) if len(text) <= _MAX_LENGTH else None
        if number is None and self.by_digits:
            digits = "".join(str(unicodedata.decimal(char)) for char in text if char.isdecimal())
            return ("digits", digits) if digits else ("text", text.strip().casefold())
        return number or ("text", text)

    def describe(self) -> str:
        """Return ``phone`` and the region."""
        return f"phone, {self.region}"


def common_region(texts: Iterable[str]) -> str | None:
    """Return the country of most numbers that name theirs, None where none does.

    >>> common_region(["+49 30 1234501", "0049 30 1234502", "030/1234503"])
    'DE'
    """
    regions = Counter(region for text in texts if (region := _region_of(text)))
    return min(regions, key=lambda region: (-regions[region], region)) if regions else None


def _region_of(text: str) -> str | None:
    text = text.strip()
    if text.startswith("00"):
        text = f"+{text[2:]}"
    if not text.startswith("+") or len(text) > _MAX_LENGTH:
        return None
    try:
        return phonenumbers.region_code_for_number(phonenumbers.parse(text))
    except phonenumbers.NumberParseException:
        return None


@lru_cache(maxsize=16_384)
def _read(text: str, region: str) -> tuple[str, str, str] | None:
    try:
        number = phonenumbers.parse(text, region)
    except phonenumbers.NumberParseException:
        return None
    if not phonenumbers.is_valid_number(number):
        return None
    written = phonenumbers.format_number(number, phonenumbers.PhoneNumberFormat.E164)
    return ("phone", written, number.extension or "")


def _checked_region(region: Json) -> str:
    if not isinstance(region, str):
        raise refusal("a country code such as US or GB", "region", region)
    known = phonenumbers.SUPPORTED_REGIONS
    if region not in known:
        hint = nearest(region.upper(), ["GB"] if region.upper() == "UK" else sorted(known))
        hint = "; did you mean 'GB'?" if region.upper() == "UK" else hint
        raise SettingError(
            f"Expected a country code such as US or GB for `region`, got {region!r}{hint}",
            facts={"setting": "region", "got": region},
        )
    return region
