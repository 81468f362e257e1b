"""What a user declares about the fields of a document: frozen nodes for a leaf, an object, a list.

A setting that was not declared is None; the plan resolves it from the table in ``defaults``.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from typing import Literal, TypeAlias, get_args

from fieldwise.checks import checked_choice, checked_number, checked_weight, refusal
from fieldwise.comparators import BaseComparator
from fieldwise.errors import SettingError, closest, nearest
from fieldwise.text import well_formed
from fieldwise.values import AbsentWords, Json

Kind = Literal[
    "string",
    "integer",
    "number",
    "boolean",
    "date",
    "datetime",
    "decimal",
    "choice",
    "text_format",
    "free",
    "any",
    "box",
]
"""What values a leaf holds. ``text_format``: uuid, uri, time; ``free``: an object without declared fields."""

Origin = Literal["field", "bare", "schema", "config", "inferred", "open"]
"""Which row of the defaults applies: ComparableField, bare annotation, the peer's of JSON Schema, config and inference;
what is left ``open`` is closed by name, type and values."""

Order = Literal["any", "sequence", "position"]
"""How list items pair: best total similarity, the same without crossing, or by index."""


Undeclared = Literal["leaves", "ignore"]
"""How predicted keys that no field declares count: each value as spurious unless it is outside the spec, or not."""
SpecExtras = Literal[Undeclared, "infer"]
"""The same, or ``infer``: before anything is compared, those of expected documents become fields."""
Words: TypeAlias = str | Sequence[str]
"""Texts that stand for no value, as a list or with commas between them."""
OtherClasses = Literal["infer", "exclude"]
"""What becomes of documents of classes that are not declared: compared as inferred, or not scored."""


@dataclass(frozen=True, kw_only=True)
class About:
    """What a node says of its field beside how to compare it; kept for exports and explanations."""

    description: str = ""
    required: bool = False
    nullable: bool = True
    default: Json = None
    examples: tuple[Json, ...] = ()
    schema: Mapping[str, Json] = field(default_factory=dict, compare=False)
    attribute: str = ""
    python_type: str = ""


@dataclass(frozen=True, kw_only=True)
class _Declared:
    """What leaves, objects and lists have in common; ``sources`` say in words where settings came from."""

    weight: float | None = None
    origin: Origin = "schema"
    sources: Mapping[str, str] = field(default_factory=dict, compare=False)
    about: About = field(default_factory=About, compare=False)

    def __post_init__(self) -> None:
        for name in ("threshold", "match_threshold"):
            value = getattr(self, name, None)
            if value is not None:
                checked_number(name, value, high=1.0)
        if self.weight is not None:
            checked_weight(self.weight)


@dataclass(frozen=True, kw_only=True)
class Leaf(_Declared):
    """A value that one comparator scores: text, number, date, box, or an object without declared fields."""

    kind: Kind = "any"
    comparator: BaseComparator | None = None
    threshold: float | None = None
    clip: bool | None = None
    alternates: bool = False
    locale: str | None = None
    """How numbers are written, where the comparator is still open."""
    absent: AbsentWords | None = None
    """Texts that stand for no value here; None where nobody has said which of those of the spec do."""


@dataclass(frozen=True, kw_only=True)
class Object(_Declared):
    """Named fields. ``match_threshold`` decides on pairs of list items, ``threshold`` on a nested object."""

    fields: Mapping[str, Node]
    name: str = ""
    match_threshold: float | None = None
    threshold: float | None = None
    clip: bool | None = None
    may_be_empty: bool = field(default=False, compare=False)
    """Whether it is the root of documents of classes that nobody declares, in which every value is spurious."""


@dataclass(frozen=True, kw_only=True)
class ListOf(_Declared):
    """A list of leaves or objects, paired by similarity, in sequence or by position; by ``key`` first if given."""

    item: Node
    order: Order = "any"
    key: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True)
class OneOf:
    """A field of several shapes: the shape of both values chooses the arm, ``otherwise`` scores the rest."""

    arms: tuple[Node, ...]
    otherwise: Leaf
    origin: Origin = "schema"
    about: About = field(default_factory=About, compare=False)

    @property
    def weight(self) -> float | None:
        return self.otherwise.weight


@dataclass(frozen=True, kw_only=True)
class Ref:
    """A definition that is used inside itself; looked up by name when a document goes that deep."""

    name: str
    weight: float | None = None
    threshold: float | None = None
    clip: bool | None = None
    origin: Origin = "schema"
    about: About = field(default_factory=About, compare=False)


Node: TypeAlias = Leaf | Object | ListOf | OneOf | Ref


def check_extras(value: Json, path: str) -> SpecExtras:
    """Return ``value`` if it says how undeclared keys count; refuse anything else."""
    return checked_choice("extras", value, get_args(SpecExtras), path=path)  # type: ignore[return-value]  # one of them


def absent_words(words: Words, path: str = "") -> AbsentWords:
    """Return words, given as a list or with commas between them; refuse anything else.

    >>> absent_words("n/a, Not found")
    AbsentWords(['n/a', 'not found'])
    """
    given = words.split(",") if isinstance(words, str) else words
    if not isinstance(given, Sequence) or not all(isinstance(word, str) for word in given):
        raise refusal('a list of texts, or "n/a,-"', "absent", words, path=path)
    return AbsentWords(given)


def check_other_classes(value: Json, path: str) -> OtherClasses:
    """Return ``value`` if it says what becomes of classes that are not declared; refuse anything else."""
    return checked_choice("other_classes", value, get_args(OtherClasses), path=path)  # type: ignore[return-value]  # one


def check_order(value: Json, path: str) -> Order:
    """Return ``value`` if it names an order of list items; refuse anything else."""
    return checked_choice("order", value, get_args(Order), path=path)  # type: ignore[return-value]  # one of them


def check_kind(value: Json, path: str) -> Kind:
    """Return ``value`` if it names what values a leaf holds; refuse anything else."""
    if value not in get_args(Kind):
        raise unknown_type("kind", value, get_args(Kind), path=path)
    return value  # type: ignore[no-any-return]  # one of them


def check_fit(comparator: BaseComparator, kind: Kind, path: str) -> None:
    """Refuse a comparator that cannot score values of a kind."""
    if kind == "free" and "object" not in comparator.takes and not comparator.is_of_text:
        fitting = "use ANLSStarComparator or ExactComparator, a comparator of text (its JSON), or declare properties"
        raise not_allowed(
            f"{comparator.name} cannot compare objects; {fitting}", "comparator", path, got=comparator.name
        )


def unknown_type(what: str, word: Json, valid: Collection[str], *, path: str) -> SettingError:
    """Return the error for the name of a type or kind that there is not; it says which is nearest."""
    facts = {"got": word, "nearest": closest(str(word), valid)}
    message = f"Unknown {what} {word!r}{nearest(str(word), valid)}"
    return SettingError(message, path=path, code="spec.unknown_type", facts=facts)


def unknown_key(what: str, key: Json, valid: Collection[str], *, path: str) -> SettingError:
    """Return the error for a key that nobody reads; it says which is nearest."""
    facts = {"key": key, "nearest": closest(str(key), valid)}
    message = f"Unknown {what} {key!r}{nearest(str(key), valid)}"
    return SettingError(message, path=path, code="setting.unknown_key", facts=facts)


def not_allowed(message: str, setting: str, path: str, **facts: str) -> SettingError:
    """Return the error for a setting that has no meaning where it stands."""
    return SettingError(message, path=path, code="spec.not_allowed", facts={"setting": setting, **facts})


def check_key(item: Node, key: tuple[str, ...], path: str) -> None:
    """Refuse a list key that names no field of the list's items."""
    names = item.fields if isinstance(item, Object) else {}
    for name in key:
        if name not in names:
            raise SettingError(
                f"The list key {name!r} is no field of its items{nearest(name, names)}",
                path=path,
                code="field.unknown",
                facts={"field": name, "nearest": closest(name, names)},
            )


def well_formed_names(node: Node) -> Node:
    """Return the node with the names of fields as files hold them: half of a surrogate pair as its escape."""
    match node:
        case Object():
            fields = {well_formed(name): well_formed_names(child) for name, child in node.fields.items()}
            return replace(node, fields=fields)
        case ListOf():
            return replace(node, item=well_formed_names(node.item), key=tuple(map(well_formed, node.key)))
        case OneOf():
            return replace(node, arms=tuple(map(well_formed_names, node.arms)))
        case _:
            return node


def with_leaves(node: Node, change: Callable[[Leaf], Leaf]) -> Node:
    """Return the node with every leaf in it changed."""
    match node:
        case Leaf():
            return change(node)
        case Object():
            return replace(node, fields={name: with_leaves(child, change) for name, child in node.fields.items()})
        case ListOf():
            return replace(node, item=with_leaves(node.item, change))
        case OneOf():
            arms = tuple(with_leaves(arm, change) for arm in node.arms)
            return replace(node, arms=arms, otherwise=change(node.otherwise))
        case Ref():
            return node


def inner_nodes(node: Node) -> tuple[Node, ...]:
    """Return the nodes that a node holds."""
    match node:
        case Object():
            return tuple(node.fields.values())
        case ListOf():
            return (node.item,)
        case OneOf():
            return node.arms
        case _:
            return ()


def with_weight(node: Node, weight: float | None) -> Node:
    """Return the node with another weight."""
    if isinstance(node, OneOf):
        return replace(node, otherwise=replace(node.otherwise, weight=weight))
    if "weight" in {f.name for f in fields(node)}:
        return replace(node, weight=weight)
    return node
