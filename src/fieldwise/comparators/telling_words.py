"""Words that tell two similar texts apart: a *not* on one side; another month, number in words, direction, letter,
currency; words that are no two names of one thing, such as credit and debit, BID and TID, large and small.

As with units, most of them count only where both sides have one; negations count also where one side has none.
"""

from __future__ import annotations

import re
from collections import defaultdict
from string import ascii_uppercase
from typing import Literal

from fieldwise.comparators.currency import currencies_beside

Kind = Literal[
    "negation", "number", "month", "weekday", "direction", "side", "half", "letter", "currency", "alternative"
]  # fmt: skip
Telling = dict[Kind, tuple[str, ...]]
"""The telling words of a text, by their kind; of negations only how many there are."""

_TABLE: dict[Kind, str] = {
    "negation": (
        "no not cannot never nor neither without non nicht kein keine keinen keinem keiner keines ohne pas sans jamais"
        " aucun aucune sin nunca senza não sem niet geen zonder не нет без"
    ),
    "number": (
        "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen"
        " seventeen eighteen nineteen twenty thirty forty fifty sixty seventy eighty ninety hundred thousand million"
        " billion trillion once twice first second third fourth fifth sixth seventh eighth ninth tenth"
    ),
    "month": (
        "jan feb mar apr may jun jul aug sep sept oct nov dec january february march april june july august september"
        " october november december"
    ),
    "weekday": "monday tuesday wednesday thursday friday saturday sunday",
    "direction": "north south east west northern southern eastern western northeast northwest southeast southwest",
    "side": "left right",
    "half": "am pm",
    "alternative": (
        "hour day week month year daily weekly monthly quarterly yearly morning afternoon evening night noon midnight"
        " qd bid tid qid before after most least more less fewer minimum maximum above below upper lower inner outer"
        " front rear top bottom high low hot cold open closed single double triple acute chronic benign malignant"
        " viral bacterial positive negative male female man woman men women boy girl husband wife mother father son"
        " daughter brother sister junior senior jr sr buyer seller lessor lessee landlord tenant licensor licensee"
        " lender borrower employer employee credit debit gross net income expense fixed floating variable public"
        " private ac dc small medium large xs xl xxl xxxl black white grey gray red green blue yellow orange purple"
        " pink brown beige silver gold old new bsc msc bachelor master austria australia austrian australian iran iraq"
        " iranian iraqi slovakia slovenia slovakian slovenian niger nigeria nigerien nigerian mauritius mauritania"
        " mauritian mauritanian"
    ),
}
_SAME = {"jr": "junior", "sr": "senior", "men": "man", "women": "woman", "gray": "grey"}
_KINDS: dict[str, Kind] = {word: kind for kind, words in _TABLE.items() for word in words.split()}
_KINDS |= {f"{word}s": "alternative" for word, kind in _KINDS.items() if kind == "alternative" and len(word) > 2}
_TELLING = frozenset(_KINDS)
_DIFFERS: dict[Kind, str] = {
    "negation": "a negation differs",
    "number": "a number in words differs",
    "month": "a month differs",
    "weekday": "a weekday differs",
    "direction": "a direction differs",
    "side": "left and right differ",
    "half": "am and pm differ",
    "letter": "a single letter differs",
    "currency": "currencies differ",
    "alternative": "a telling word differs",
}
_WORDS = re.compile(r"\w+").findall
_NUMBER_SIGN = re.compile(r"\bno[.:#]", re.IGNORECASE)
_NON = re.compile(r"\bnon-(?=\w)", re.IGNORECASE)
_WITHOUT = re.compile(r"\bw/o\b", re.IGNORECASE)
_POINT = re.compile(r"\(([a-z]|[ivx]{2,4})\)").findall
_NEGATING = re.compile("[不没未]").findall
_SIGNS = "$€£¥₹₽₩₺₫฿₴₪₦₱"
_MONEY = re.compile(rf"[A-Z]{{0,3}}[{_SIGNS}]|\b[A-Z]{{3}}(?= ?\d)|(?<=\d)[A-Z]{{3}}\b|(?<=\d )[A-Z]{{3}}\b").findall
_LOOKS = re.compile(
    rf"\b(?:[A-Z]|[IVX]{{2,4}})\b|\d[AaPp][Mm]\b|n['’]t\b|[不没未{_SIGNS}]|\d ?[A-Z]{{3}}\b|\b[A-Z]{{3}} ?\d"
    r"|\([a-z]{1,4}\)|\b[wW]/[oO]\b"
).search
"""What may be a telling word by its looks."""
_INITIAL = re.compile(r"[A-Z]\.").match
_ROMAN = frozenset({"II", "III", "IV", "VI", "VII", "VIII", "IX"})
_CAPITALS = frozenset(ascii_uppercase) | _ROMAN


def may_tell_apart(left: str, right: str) -> bool:
    """Return whether either of two texts may have a telling word; of plain words, as most texts are, it has none.

    >>> may_tell_apart("Hex nut", "Hex bolt"), may_tell_apart("Plan A", "Plan")
    (False, True)
    """
    both = f"{left} {right}"
    if not (both.isascii() and both.replace(" ", "").isalpha()):
        return True
    lower = both.lower()
    if not _TELLING.isdisjoint(lower.split(" ")):
        return True
    return lower != both and not _CAPITALS.isdisjoint(both.split(" "))


def telling_words(text: str, *, in_order: bool) -> Telling:
    """Return the telling words of a text, each kind in its order or sorted.

    >>> telling_words("May 2020: not twice, Plan B", in_order=True)
    {'month': ('may',), 'negation': ('',), 'number': ('twice',), 'letter': ('b',)}
    """
    lower = text.lower()
    if _TELLING.isdisjoint(_WORDS(lower)) and not _LOOKS(text):
        return {}
    if "non-" in lower or "w/o" in lower:
        text = _WITHOUT.sub("without", _NON.sub("non", text))
    found: dict[Kind, list[str]] = defaultdict(list)
    words = _WORDS(_NUMBER_SIGN.sub(" ", text) if "no" in lower else text)
    for at, word in enumerate(words):
        before = words[at - 1] if at else _INITIAL(text) and "."
        kind = _kind(word, before or "", words[at + 1] if at + 1 < len(words) else "")
        if kind is not None:
            found[kind].append(_one_form(kind, word))
    if "(" in text:
        found["letter"] += _POINT(text)
    if not text.isascii():
        found["negation"] += ["" for _ in _NEGATING(text)]
    found["currency"] += [code for word in _MONEY(text) for code in currencies_beside(word) or ()]
    return {kind: tuple(words if in_order else sorted(words)) for kind, words in found.items() if words}


def _kind(word: str, before: str, after: str) -> Kind | None:
    """Return the kind of a telling word; some are only beside certain others."""
    lower = word.lower()
    kind = _KINDS.get(lower)
    if kind is None:
        return _kind_by_look(word, lower, before)
    if kind in ("month", "half"):
        return kind if before[-1:].isdigit() or (kind == "month" and after[:1].isdigit()) else None
    if lower == "no":  # short for number, unless a word follows
        return kind if len(after) > 1 and after.isalpha() else None
    return kind


def _kind_by_look(word: str, lower: str, before: str) -> Kind | None:
    if before and ((len(word) == 1 and "A" <= word <= "Z") or word in _ROMAN):
        return "letter"
    if lower == "t" and before[-1:] == "n":  # isn't
        return "negation"
    return "half" if lower[-2:] in ("am", "pm") and word[:-2].isdigit() else None


def _one_form(kind: Kind, word: str) -> str:
    lower = word.lower()
    match kind:
        case "negation":
            return ""
        case "half":
            return lower[-2:]
        case "month":
            return lower[:3]
        case "alternative":
            word = lower if lower in _SAME or lower.removesuffix("s") not in _KINDS else lower.removesuffix("s")
            return _SAME.get(word, word)
        case _:
            return lower


def telling_difference(left: Telling, right: Telling) -> str:
    """Return which kind of telling word differs, in words; empty where none does.

    >>> whole, *others = (telling_words(text, in_order=True) for text in ("may not", "may", "can't", "not once"))
    >>> [telling_difference(whole, other) for other in others]
    ['a negation differs', '', '']
    """
    if left == right:
        return ""
    if left.get("negation") != right.get("negation"):
        return _DIFFERS["negation"]
    return next((_DIFFERS[kind] for kind, words in left.items() if _differ(kind, words, right.get(kind, words))), "")


def _differ(kind: Kind, ours: tuple[str, ...], theirs: tuple[str, ...]) -> bool:
    """Return whether two sides differ; of letters each has one that the other has not: N Main St is North Main St."""
    if kind == "currency":
        return set(ours).isdisjoint(theirs)
    if kind in ("letter", "alternative"):
        return bool(set(ours) - set(theirs) and set(theirs) - set(ours))
    return ours != theirs
