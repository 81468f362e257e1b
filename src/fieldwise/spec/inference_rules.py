"""The rules that choose how to compare a field: two tables, side by side.

Ours (``OUR_RULES``, ``WAYS``) close what a schema, a class or nothing at all leaves open; they look at values too.
The peer's (``settle``) decide by name and type alone, for code that was written for stickler-eval: ``"auto"``,
``infer-unspecified``, ``StructuredModel.from_pydantic``, ``evaluate``. ``print(plan)`` cites the rule.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Literal

from fieldwise.comparators import build
from fieldwise.spec.defaults import MATCH_THRESHOLD
from fieldwise.spec.nodes import Kind, Leaf, ListOf, Node, Origin
from fieldwise.values import Json

Way = Literal[
    "phone", "code", "formula", "link", "currency", "number", "date", "name", "address", "free_text", "text", "choice",
    "words", "boolean", "exact", "object", "box",
]  # fmt: skip
"""How a field that declares nothing is compared."""


@dataclass(frozen=True)
class Chosen:
    """What a way of comparing stands for."""

    comparator: str
    threshold: float
    config: Mapping[str, Json] = field(default_factory=dict)
    clip: bool = True


WAYS: dict[Way, Chosen] = {
    "phone": Chosen("Phone", 1.0, {"by_digits": True}),
    "code": Chosen("Code", 1.0),
    "formula": Chosen("Formula", 1.0),
    "link": Chosen("Normalized", 1.0, {"ignore_punctuation": False, "links": True}),
    "currency": Chosen("Currency", 1.0),
    "number": Chosen("Amount", 1.0),
    "date": Chosen("Date", 1.0, {"times": True}),
    "name": Chosen("Text", 0.9, {"order": "any"}),
    "address": Chosen("Text", 0.9, {"order": "any"}),
    "free_text": Chosen("Text", 0.7, {"free": True}, clip=False),
    "text": Chosen("Text", 0.9),
    "choice": Chosen("Enum", 1.0),
    "words": Chosen("Enum", 1.0, {"fold_joints": True}),
    "boolean": Chosen("Exact", 1.0),
    "exact": Chosen("Exact", 1.0),
    "object": Chosen("Exact", 1.0),
    "box": Chosen("BBoxIoU", 0.5),
}
THRESHOLDS = {"LevenshteinComparator": 0.8, "FuzzyComparator": 0.8}
"""The threshold of a comparator that was declared without one; others have their own."""


@dataclass(frozen=True)
class NameRule:
    """The words of a name that speak for a way to compare.

    ``plain``: speak for it also where there are no values to look at. ``digits``: only where the values have digits,
    and without values only as the last word.
    """

    way: Way
    plain: str
    more: str = ""
    digits: bool = False


AMOUNTS = NameRule(
    "number",
    "amount price total subtotal cost balance fee tax salary revenue",
    "sum discount charge payment gross net wage premium rent profit margin income expense debit credit deposit"
    " tip value paid due vat rate betrag preis summe gehalt lohn montant prix salaire importe precio monto salario"
    " prezzo importo stipendio valor netto brutto saldo",
)
OUR_RULES = (
    NameRule(
        "phone",
        "phone fax mobile tel telephone cellphone phonenumber mobilenumber faxnumber",
        "telefon telefono teléfono téléphone handy",
    ),
    NameRule(
        "code",
        "id uuid guid sku code ref isbn ssn iban bic isin swift vin mpn ean gtin zip postal postcode",
        "shelfmark",
    ),
    NameRule("formula", "formula formulae equation smiles"),
    NameRule(
        "code",
        "number no nr account policy case reference serial tracking order po ticket plate lot batch part vat",
        digits=True,
    ),
    NameRule("link", "email mail url uri website", "doi"),
    NameRule("currency", "currency", "ccy währung waehrung devise moneda valuta"),
    AMOUNTS,
    NameRule(
        "number",
        "quantity qty cnt count units number_of",
        "anzahl menge cantidad quantité"
        " unit pieces pcs pages hours days weeks months years minutes age weight height width length depth size volume"
        " percent percentage score level distance duration",
    ),
    NameRule(
        "date",
        "date dob birthdate birthday timestamp datetime",
        "datum fecha"
        " expiry expires created updated issued founded established due deadline day time at on since until from to"
        " valid start end period",
    ),
    NameRule(
        "name",
        "name customer vendor company contact author recipient",
        "supplier seller buyer merchant client artist judge owner guest passenger driver employee editor",
    ),
    NameRule("address", "address addr street city location", "town place"),
    NameRule(
        "free_text",
        "description desc summary notes note comment comments remarks remark memo body text",
        "details message abstract instructions",
    ),
)
_ENDS = ("price", "amount", "total", "number", "date", "preis", "betrag", "summe", "gehalt", "lohn", "datum")
_DATE_ENDS = frozenset({"date", "datum"})
_CUT = frozenset({"of", "per", "for", "in"})
_SORTS = frozenset(
    {"type", "kind", "class", "category", "status", "style", "material", "color", "colour", "typ", "art"}
)
"""Words behind which a name says of what something is a sort: a body type is no body, an account type no account."""
_NUMBERS = frozenset({"number", "num", "no", "nr"})
_Family = Literal["text", "number", "date", "other"]
_FAMILY: dict[Kind, _Family] = {
    "string": "text",
    "integer": "number",
    "number": "number",
    "decimal": "number",
    "date": "date",
    "datetime": "date",
}


@dataclass(frozen=True)
class Rule:
    """What a field gets whose name holds one of the words, if its values are of a fitting family."""

    words: frozenset[str]
    families: frozenset[_Family]
    comparator: str
    config: Mapping[str, Json]
    threshold: float
    hint: float
    clip: bool = True


def _rule(
    words: str,
    families: str,
    comparator: str,
    threshold: float,
    hint: float,
    *,
    clip: bool = True,
    **config: Json,
) -> Rule:
    return Rule(
        frozenset(words.split()),
        frozenset(families.split()),  # type: ignore[arg-type]  # the table below spells families
        comparator,
        config,
        threshold,
        hint,
        clip,
    )


NAME_RULES: tuple[Rule, ...] = (
    _rule("phone", "text", "Phone", 1.0, 1.5),
    _rule("zip postal postcode", "text", "Exact", 1.0, 1.5),
    _rule("id uuid guid sku code ref isbn ssn", "text number", "Exact", 1.0, 3.0),
    _rule("email url uri", "text", "Exact", 1.0, 1.5, case_sensitive=False),
    _rule(
        "amount price total subtotal cost balance fee tax salary revenue",
        "number",
        "Numeric",
        0.95,
        2.5,
        relative_tolerance=0.001,
    ),
    _rule("quantity qty count units", "number", "Numeric", 1.0, 1.2),
    _rule("date dob expiry expires created updated issued due birthdate", "date", "Date", 0.95, 1.5),
    _rule("name customer vendor company contact author recipient", "text", "Levenshtein", 0.85, 1.5),
    _rule("address addr street city location", "text", "Fuzzy", 0.8, 1.5, method="token_sort_ratio"),
    _rule(
        "description desc summary notes note comment comments remarks memo body text",
        "text",
        "Fuzzy",
        0.6,
        0.3,
        clip=False,
        method="token_set_ratio",
    ),
)

_KIND_RULES: dict[Kind, tuple[str, dict[str, Json], float, bool]] = {
    "boolean": ("Exact", {}, 1.0, True),
    "choice": ("Exact", {}, 1.0, True),
    "datetime": ("Date", {"tolerance": 1 / 1440}, 0.95, True),
    "date": ("Date", {}, 0.95, True),
    "integer": ("Numeric", {}, 1.0, True),
    "number": ("Numeric", {"relative_tolerance": 0.001}, 0.95, True),
    "decimal": ("Numeric", {}, 1.0, True),
    "string": ("Levenshtein", {}, 0.7, True),
    "free": ("ANLSStar", {}, MATCH_THRESHOLD, False),
    "box": ("BBoxIoU", {}, 0.5, True),
    "text_format": ("Exact", {}, 1.0, True),
    "any": ("Exact", {}, 1.0, True),
}


def tokens(name: str) -> list[str]:
    """Return the words of a field name, lower case, with their singulars.

    >>> tokens("InvoiceIDs"), tokens("unit_prices2")
    (['invoice', 'ids', 'id'], ['unit', 'prices', 'price', 'pric', '2'])
    """
    return [form for word in _words(name) for form in singulars(word)]


def _words(name: str) -> list[str]:
    spaced = re.sub(r"([a-z])([A-Z])", r"\1 \2", name)
    spaced = re.sub(r"([A-Z]+)([A-Z][a-z]{2,})", r"\1 \2", spaced)
    spaced = re.sub(r"(?<=[A-Za-z])(?=\d)|(?<=\d)(?=[A-Za-z])", " ", spaced)
    return [word for word in re.split(r"[\W_]+", spaced.lower()) if word]


def singulars(word: str) -> list[str]:
    """Return a word and what may be its singulars."""
    forms = [word]
    if len(word) > 2 and word.endswith("s"):
        forms.append(word[:-1])
    if len(word) > 3 and word.endswith("es"):
        forms.append(word[:-2])
    return forms


def head_words(name: str) -> list[str]:
    """Return the words of a name that say what it is, the most telling first: from the last to the first.

    What comes after *of*, *per*, *for* or *in* only tells which one it is, but a number of things is how many; what
    comes before *type*, *status* and the like tells of what it is one.

    >>> head_words("date_of_birth"), head_words("order_date"), head_words("in_stock"), head_words("no_of_pages")
    (['date'], ['date', 'order'], ['stock', 'in'], ['number_of'])
    >>> head_words("body_type")
    ['type']
    """
    words = _words(name)
    cut = next((at for at, word in enumerate(words) if at and word in _CUT), len(words))
    head = words[:cut][::-1]
    if head and head[0] in _SORTS:
        return head[:1]
    return ["number_of", *head[1:]] if words[cut : cut + 1] == ["of"] and head[0] in _NUMBERS else head


def rules_of(word: str) -> list[tuple[NameRule, bool]]:
    """Return the rules that know a word or its singular, and whether they also speak without values."""
    forms = set(singulars(word))
    found = [(rule, bool(forms & set(rule.plain.split()))) for rule in OUR_RULES]
    known = [(rule, plain) for rule, plain in found if plain or forms & set(rule.more.split())]
    return known or _rules_of_end(word)


def _rules_of_end(word: str) -> list[tuple[NameRule, bool]]:
    """Return the rules of the word in which another one ends, such as unitprice; an update is a date by its values."""
    end = next((end for end in _ENDS if word.endswith((end, f"{end}s"))), None)
    return [] if end is None else [(rule, end not in _DATE_ENDS) for rule, _ in rules_of(end)]


def weight_hint(name: str, kind: Kind) -> float:
    """Return the weight that a name suggests, where such hints are asked for."""
    rule, _ = _first_rule(name, kind)
    return rule.hint if rule else 1.0


def settle(leaf: Leaf, name: str, *, config: Mapping[str, Json] | None = None, weight_hints: bool = False) -> Leaf:
    """Return the leaf with the comparator, threshold and clip that its name and kind suggest."""
    rule, why = _first_rule(name, leaf.kind)
    if rule is not None:
        comparator = build(rule.comparator, {**rule.config, **(config or {})})
        threshold, clip, hint = rule.threshold, rule.clip, rule.hint
    else:
        named, own, threshold, clip = _KIND_RULES[leaf.kind]
        comparator, hint = build(named, {**own, **(config or {})}), 1.0
    sources = {"comparator": why, "threshold": why, "clip": why}
    if weight_hints:
        sources["weight"] = why
    return replace(
        leaf,
        comparator=comparator,
        threshold=threshold,
        clip=clip,
        weight=hint if weight_hints else leaf.weight,
        origin="inferred",
        sources={**leaf.sources, **sources},
    )


def list_of(item: Node, origin: Origin) -> ListOf:
    """Return a list that nobody declared; the weight that a value's name suggests is that of the whole list."""
    if not isinstance(item, Leaf) or item.weight is None:
        return ListOf(item=item, origin=origin)
    sources = {"weight": item.sources["weight"]}
    return ListOf(item=replace(item, weight=None), weight=item.weight, origin=origin, sources=sources)


def _first_rule(name: str, kind: Kind) -> tuple[Rule | None, str]:
    words, family = tokens(name), _FAMILY.get(kind, "other")
    misfit = ""
    for rule in NAME_RULES:
        hits = [word for word in words if word in rule.words]
        if hits and family in rule.families:
            return rule, f"inferred: the name contains {hits[0]!r}"
        if hits:  # the first rule that the name fits decides, also against itself
            misfit = f"; the name contains {hits[0]!r}, which does not fit the type"
            break
    return None, f"inferred: the type is {_KIND_WORDS.get(kind, kind)}{misfit}"


_KIND_WORDS: dict[Kind, str] = {
    "free": "an object without declared fields",
    "any": "not known",
    "choice": "a fixed choice",
    "text_format": "formatted text",
    "string": "text",
    "datetime": "a date with time",
}
