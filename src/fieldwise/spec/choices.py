"""How a field without settings is compared. Read in this order, the first that applies decides: the format, choices
or type that a schema declares; the name, where the values allow it; the values; text. A kind fits where nearly all
values are of it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

from fieldwise.comparators.as_text import text_of
from fieldwise.comparators.currency import is_currency
from fieldwise.comparators.date_text import OPEN_ENDS, is_time
from fieldwise.comparators.date_words import is_month
from fieldwise.comparators.formula import is_formula, is_term
from fieldwise.comparators.number_text import have_thousands, read_unit
from fieldwise.comparators.phone import common_region
from fieldwise.comparators.value_kinds import (
    are_measures,
    has_digit,
    is_code,
    is_date,
    is_marked,
    is_number,
    is_quantity,
    may_be_date,
)
from fieldwise.spec.inference_rules import AMOUNTS, NameRule, Way, head_words, rules_of, singulars
from fieldwise.spec.nodes import Kind, Leaf
from fieldwise.values import DASHES, PLACEHOLDERS, ZEROS, Json, is_list, is_object

ValueKind = Literal["number", "date", "boolean", "code", "phone", "currency", "scalar"]
KIND_WORDS: dict[ValueKind, tuple[str, str]] = {
    "number": ("a number", "numbers"),
    "date": ("a date", "dates"),
    "boolean": ("true or false", "true or false"),
    "code": ("a code", "codes"),
    "phone": ("a phone number", "phone numbers"),
    "currency": ("a currency", "currencies"),
    "scalar": ("a single value", "single values"),
}

_CHOICE_VALUES, _CHOICE_SHARE, _CHOICE_WORDS = 20, 10, 3
_TRUTHS = frozenset({"true", "false", "yes", "no"})
_PHONE_SIGNS = frozenset("+-()./#ext")
_PHONE_DIGITS = 5
_COMMA_DECIMAL = re.compile(r"\d,\d{1,2}(?![\d.,])")
_POINT_DECIMAL = re.compile(r"\d\.\d{1,2}(?![\d.,])")
_DAY_AND_MONTH = re.compile(r"\s*(\d{1,2})[/-](\d{1,2})[/-]\d{4}(?!\d)|\s*(\d{1,2})/(\d{1,2})/\d{2}(?!\d)", re.ASCII)
_MONTHS = 12
_MAX_LINK = 2_000
_LINK = re.compile(
    r"[^\s@]+@[^\s@]+\.[^\s@]+\Z|[a-z][a-z0-9+.-]*://\S+\Z|www\.\S+\Z|[a-z][a-z0-9.-]*\.[a-z]{2,}/\S*\Z", re.IGNORECASE
)


@dataclass(frozen=True)
class Choice:
    """The way to compare a field, why, and the values that it does not fit."""

    way: Way
    why: str
    kind: ValueKind = "scalar"
    odd: Sequence[Json] = ()


def _is_json_number(value: Json) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def _is_phone(text: str) -> bool:
    digits = sum(char.isdecimal() for char in text)
    return digits >= _PHONE_DIGITS and all(c.isdecimal() or c.isspace() or c in _PHONE_SIGNS for c in text.casefold())


def _is_link(text: str) -> bool:
    return len(text) <= _MAX_LINK and _LINK.match(text.strip()) is not None


def _says_nothing(value: Json) -> bool:
    return isinstance(value, str) and bool(value.strip()) and value in PLACEHOLDERS


def _is_truth(text: str) -> bool:
    return text.strip().casefold() in _TRUTHS


_TEXT_TESTS: dict[ValueKind, Callable[[str], bool]] = {
    "number": is_number,
    "date": lambda text: may_be_date(text) or is_month(text),
    "code": has_digit,
    "phone": _is_phone,
    "currency": is_currency,
}


def _is_of(kind: ValueKind, value: Json) -> bool:
    """Tell whether a value is of a kind; every number can be written as a code."""
    if isinstance(value, str):
        return _TEXT_TESTS[kind](value) if kind in _TEXT_TESTS else kind == "scalar"
    if isinstance(value, bool):
        return kind in ("boolean", "scalar")
    if isinstance(value, (int, float)):
        return kind in ("number", "code", "phone", "scalar") or (kind == "date" and may_be_date(str(value)[:20]))
    return kind == "scalar" and not is_object(value) and not is_list(value)


def _nearly_all(count: int, size: int) -> bool:
    return size - count <= max(size // 10, int(size >= 3))


@dataclass(frozen=True)
class Looks:
    """The present expected values of a field, and how they look."""

    values: Sequence[Json]

    @cached_property
    def telling(self) -> Sequence[Json]:
        """Those by which the kind is chosen: all but texts such as n/a, where there are others."""
        return [value for value in self.values if not _says_nothing(value)] or self.values

    @cached_property
    def texts(self) -> list[str]:
        return [value for value in self.telling if isinstance(value, str)]

    @cached_property
    def numbers(self) -> int:
        """How many are JSON numbers."""
        return sum(map(_is_json_number, self.telling))

    def fit(self, count: int) -> bool:
        """Tell whether so many are nearly all: nine of ten, all but one of three to nine, all of one or two."""
        return _nearly_all(count, len(self.telling))

    def are(self, test: Callable[[str], bool]) -> bool:
        """Tell whether nearly all are texts of which something holds."""
        return self.fit(sum(map(test, self.texts)))

    def are_all(self, kind: ValueKind) -> bool:
        """Tell whether nearly all are of a kind."""
        return self.fit(len(self.telling) - len(self.odd(kind, self.telling)))

    def odd(self, kind: ValueKind, values: Sequence[Json]) -> list[Json]:
        """Return the values that are not of a kind; *present* is a date where others are dates."""
        odd = [value for value in values if not _is_of(kind, value)]
        if kind != "date" or len(odd) == len(values):
            return odd
        return [value for value in odd if not (isinstance(value, str) and value.strip().casefold() in OPEN_ENDS)]

    @cached_property
    def are_measures(self) -> bool:
        """Whether they are dates, ranges, or numbers of which some have more than digits."""
        if self.are_all("number") and any(is_number(text) and is_marked(text) for text in self.texts):
            return True
        return self.are(is_date) or self.are(are_measures)

    @cached_property
    def have_decimal_commas(self) -> bool:
        """Whether nearly all numbers that show their decimal mark have a comma there."""
        commas, points = (sum(map(bool, map(p.search, self.texts))) for p in (_COMMA_DECIMAL, _POINT_DECIMAL))
        return commas > 0 and _nearly_all(commas, commas + points)

    def have_thousands(self, name: str) -> bool:
        """Whether points before three digits are thousands marks: 12.000 is twelve thousand."""
        is_money = _is_amount(name)
        numbers = [text for value in self.values if _is_json_number(value) and (text := text_of(value))]
        return have_thousands([*filter(is_number, self.texts), *numbers], is_money=is_money)

    def are_money(self, name: str) -> bool:
        """Whether they are amounts of money, by the name or by a currency at some of them."""
        return _is_amount(name) or any(read_unit(text).currencies for text in self.texts)

    @cached_property
    def have_day_first(self) -> bool | None:
        """Whether dates such as 13/05/2024 have their day first; None where no value shows it, or they contradict."""
        parts = [found.groups() for found in map(_DAY_AND_MONTH.match, self.texts) if found]
        late = [tuple(int(part) > _MONTHS for part in pair if part) for pair in parts]
        shown = {first for first, second in late if first != second}
        return shown.pop() if len(shown) == 1 else None

    @property
    def phone_region(self) -> str | None:
        """The country of most telephone numbers that name theirs."""
        return common_region(self.texts)

    @property
    def are_choices(self) -> bool:
        """Whether a few short texts repeat."""
        words = sum(not is_quantity(text.replace("_", " ")) and not is_date(text) for text in self.texts)
        size = len(self.telling)
        if size < _CHOICE_VALUES or len(self.texts) < size or not self.fit(words):
            return False
        folded = {text.strip().casefold() for text in self.texts}
        few = len(folded) * _CHOICE_SHARE <= size
        return few and all(len(text.split()) <= _CHOICE_WORDS for text in folded)

    def choice(self, way: Way, why: str, kind: ValueKind = "scalar") -> Choice:
        """Return a choice, with the values that are not of its kind."""
        return Choice(way, why, kind, self.odd(kind, self.values))


def _is_amount(name: str) -> bool:
    return any(rule is AMOUNTS for word in head_words(name) for rule, _ in rules_of(word))


def value_words(values: Sequence[Json], *, is_choice: bool, is_nil: bool) -> Iterator[str]:
    """Yield the texts that are values of a field though they stand for none elsewhere.

    Those of an inferred choice; a dash beside a plus; in amounts where these are ``nil``, what is 0 there.
    """
    texts = [value.strip() for value in values if isinstance(value, str)]
    if is_choice:
        yield from texts
    if any(text and not text.strip("+") for text in texts):
        yield from DASHES
    if is_nil:
        yield from ZEROS


_FIXED: dict[Kind, tuple[Way, str, ValueKind]] = {
    "boolean": ("boolean", "the type is boolean", "boolean"),
    "choice": ("choice", "the type is a fixed choice", "scalar"),
    "date": ("date", "the type is a date", "date"),
    "datetime": ("date", "the type is a date with time", "date"),
    "text_format": ("exact", "the type is formatted text", "scalar"),
    "integer": ("number", "the type is integer", "number"),
    "number": ("number", "the type is number", "number"),
    "decimal": ("number", "the type is decimal", "number"),
}


def choose(leaf: Leaf, name: str, looks: Looks) -> Choice:
    """Choose how to compare a field that declares no comparator."""
    declared = leaf.about.schema.get("format")
    if leaf.locale:
        return looks.choice("number", "a locale of numbers is declared", "number")
    if declared in ("email", "idn-email"):
        return looks.choice("link", f"the format is {declared}")
    if declared == "uuid":
        return looks.choice("code", "the format is uuid")
    if leaf.kind == "free":
        return Choice("object", "the type is an object without declared fields")
    if leaf.kind == "box":
        return Choice("box", "the values are boxes")
    if leaf.kind in _FIXED:
        return looks.choice(*_FIXED[leaf.kind])
    if not looks.values:
        return _by_name(name, looks) or Choice(*(("text", "the type is text") if leaf.kind == "string" else _UNSEEN))
    if looks.are_all("boolean"):
        return looks.choice("boolean", "the values are true or false", "boolean")
    if looks.fit(looks.numbers):
        return looks.choice("number", "the values are numbers", "number")
    return _by_name(name, looks) or _by_values(name, looks)


_UNSEEN: tuple[Way, str] = ("exact", "no value was seen")


def _by_name(name: str, looks: Looks) -> Choice | None:
    words = head_words(name)
    for at in range(len(words) - 1):
        if _is_tail(words[at], words[at + 1]):
            words[at], words[at + 1] = words[at + 1], words[at]
    for at, word in enumerate(words):
        for rule, is_plain in rules_of(word):
            if (is_plain or looks.values) and _allows(rule, looks, last=at == 0):
                kind = _RULE_KINDS.get(rule.way, "code" if rule.digits else "scalar")
                return looks.choice(rule.way, f"the name contains {word!r}", kind)
    return None


_TAIL_WORDS: dict[Way, str] = {**dict.fromkeys(("phone", "link"), "number no nr address"), "currency": "code"}
"""Words that say little after others: a phone number is a phone, a mail address no street, a currency code one."""


def _is_tail(word: str, before: str) -> bool:
    tails = {tail for rule, _ in rules_of(before) for tail in _TAIL_WORDS.get(rule.way, "").split()}
    return not tails.isdisjoint(singulars(word))


_RULE_KINDS: dict[Way, ValueKind] = {"number": "number", "date": "date", "phone": "phone", "currency": "currency"}


def _allows(rule: NameRule, looks: Looks, *, last: bool) -> bool:
    """Tell whether the values allow what the name says."""
    if not looks.values:
        return last or not rule.digits
    if rule.way in _RULE_KINDS:
        return looks.are_all(_RULE_KINDS[rule.way])
    if rule.way == "code":
        return not rule.digits or (looks.are_all("code") and not looks.are_measures)
    return rule.way in ("link", "formula") or not (looks.are_measures or looks.are(is_code))


def _by_values(name: str, looks: Looks) -> Choice:
    if looks.are(_is_truth):
        return looks.choice("choice", "the values are true or false, yes or no")
    if looks.are_all("number") and (looks.numbers or looks.are_measures):
        return looks.choice("number", "the values are numbers", "number")
    if looks.are(is_date) or looks.are(is_month):
        return looks.choice("date", "the values are dates", "date")
    if looks.are(is_time):
        return looks.choice("date", "the values are times", "date")
    if looks.are(_is_link):
        return looks.choice("link", "the values are links or mail addresses")
    if looks.are(is_formula) or (looks.are(is_term) and any(map(is_formula, looks.texts))):
        return looks.choice("formula", "the values are formulas")
    digits_are_numbers = _says_how_much(name)
    if looks.are(lambda text: is_code(text) and not (digits_are_numbers and is_number(text))):
        return looks.choice("code", "the values look like codes", "code")
    if looks.are_choices:
        return looks.choice("words", "a few values repeat")
    for kind in ("number", "date"):
        odd = looks.odd(kind, looks.telling)
        if len(odd) * 2 < len(looks.telling):
            return Choice("text", f"too many values are not {KIND_WORDS[kind][1]}", kind, odd)
    return looks.choice("text", "the values are text")


def _says_how_much(name: str) -> bool:
    """Tell whether a name speaks of amounts or quantities, of which digits alone are numbers."""
    return any(rule.way == "number" for word in head_words(name) for rule, _ in rules_of(word))


def kind_of(way: Way, looks: Looks) -> Kind:
    """Return the type of values that are compared in a way; times, and numbers mostly written as text, are text."""
    if way == "number" and looks.numbers * 2 >= len(looks.telling):
        return "number" if any(isinstance(value, float) for value in looks.telling) else "integer"
    return "string" if looks.are(is_time) else _WAY_KINDS.get(way, "string")


_WAY_KINDS: dict[Way, Kind] = {"boolean": "boolean", "date": "date"}
