"""Python classes in: StructuredModel with what it declares, plain pydantic models and dataclasses by inference."""

from __future__ import annotations

import dataclasses
import datetime as dt
import enum
import types
import typing
import uuid
from collections.abc import Callable, Mapping, Sequence, Set
from dataclasses import dataclass, field, replace
from decimal import Decimal
from typing import Annotated, Literal, TypeGuard, TypeVar, Union, get_args, get_origin, get_type_hints

from pydantic import BaseModel
from pydantic.fields import FieldInfo

from fieldwise.checks import checked_number
from fieldwise.comparators import BaseComparator, BBoxIoUComparator, LevenshteinComparator
from fieldwise.errors import SettingError
from fieldwise.spec.inference_rules import list_of, settle, weight_hint
from fieldwise.spec.nodes import (
    About,
    Kind,
    Leaf,
    ListOf,
    Node,
    Object,
    OneOf,
    Order,
    Origin,
    Ref,
    check_fit,
    check_key,
    not_allowed,
)
from fieldwise.values import Json, json_name


@dataclass(frozen=True, kw_only=True)
class FieldSettings:
    """What ``ComparableField`` declares; pydantic carries it as the field's ``json_schema_extra``."""

    comparator: BaseComparator | None = None
    threshold: float | None = None
    weight: float | None = None
    clip: bool | None = None
    order: Order = "any"
    key: tuple[str, ...] = ()
    alternates: bool = False
    extra: Mapping[str, Json] = field(default_factory=dict)

    def __call__(self, schema: dict[str, Json]) -> None:
        """Put the user's own ``json_schema_extra`` into a pydantic schema."""
        schema.update(self.extra)


_KINDS: dict[object, Kind] = {
    str: "string",
    bool: "boolean",
    int: "integer",
    float: "number",
    Decimal: "decimal",
    dt.datetime: "datetime",
    dt.date: "date",
    dt.time: "text_format",
    uuid.UUID: "text_format",
    bytes: "text_format",
    typing.Any: "any",
}
_BARE = FieldSettings()
_Class = TypeVar("_Class")


def parse_structured(cls: type[BaseModel]) -> tuple[Object, dict[str, Node]]:
    """Return the node of a StructuredModel class, and the classes that hold themselves."""
    parser = _Classes()
    return parser.structured(cls), parser.recursive


def parse_plain(
    cls: type, *, match_threshold: float | None = None, weight_hints: bool = False, origin: Origin = "open"
) -> tuple[Object, dict[str, Node]]:
    """Return the node of a plain pydantic class or dataclass, every setting open or inferred from names and types."""
    parser = _Classes(match_threshold=match_threshold, weight_hints=weight_hints, origin=origin)
    return parser.plain(cls), parser.recursive


def is_structured(cls: object) -> TypeGuard[type[BaseModel]]:
    """Tell whether a class carries its own comparison settings."""
    return isinstance(cls, type) and getattr(cls, "__fieldwise_structured__", False)


def _is_model(cls: object) -> TypeGuard[type]:
    return isinstance(cls, type) and (issubclass(cls, BaseModel) or dataclasses.is_dataclass(cls))


@dataclass
class _Classes:
    match_threshold: float | None = None
    weight_hints: bool = False
    origin: Origin = "inferred"
    open: list[type] = field(default_factory=list)
    recursive: dict[str, Node] = field(default_factory=dict)

    def structured(self, cls: type[BaseModel]) -> Object:
        self.open.append(cls)
        match_threshold = getattr(cls, "match_threshold", None)
        if match_threshold is not None:
            checked_number("match_threshold", match_threshold, high=1.0, path=cls.__name__)
        fields: dict[str, Node] = {}
        for name, info in cls.model_fields.items():
            settings = info.json_schema_extra if isinstance(info.json_schema_extra, FieldSettings) else _BARE
            origin: Origin = "bare" if settings is _BARE else "field"
            node = self._declared(_annotation(info), settings, origin, f"{cls.__name__}.{name}")
            fields[json_name(name, info)] = replace(node, about=_about(name, info))
        self.open.pop()
        made = Object(fields=fields, name=cls.__name__, match_threshold=match_threshold, origin="field")
        return self._closed(cls, made)

    def _declared(self, annotation: object, settings: FieldSettings, origin: Origin, path: str) -> Node:
        arms = _arms(annotation)
        if len(arms) != 1:
            nodes = tuple(self._declared(arm, _BARE, origin, path) for arm in arms)
            return OneOf(arms=nodes, otherwise=_leaf("any", settings, origin, path), origin=origin)
        shape = arms[0]
        if is_structured(shape):
            return self._nested(shape, settings, origin)
        if (item := _list_item(shape)) is not None:
            return self._declared_list(item, settings, origin, path)
        if get_origin(shape) in (tuple, set, frozenset) or shape in (tuple, set, frozenset):
            boxed = isinstance(settings.comparator, BBoxIoUComparator)
            return _leaf("box" if boxed else "choice", settings, origin, path)
        return _leaf(_kind(shape), settings, origin, path)

    def _nested(self, cls: type[BaseModel], settings: FieldSettings, origin: Origin) -> Node:
        node = self._inside(cls, self.structured)
        if node is None:
            return Ref(
                name=cls.__qualname__,
                weight=settings.weight,
                threshold=settings.threshold,
                clip=settings.clip,
                origin=origin,
            )
        return replace(
            node,
            threshold=settings.threshold,
            weight=settings.weight,
            clip=settings.clip,
            origin=origin,
            sources=_said(settings),
        )

    def _declared_list(self, item: object, settings: FieldSettings, origin: Origin, path: str) -> Node:
        arms = _arms(item)
        if len(arms) == 1 and is_structured(arms[0]):
            _refuse_list_settings(settings, path)
            bare = replace(settings, threshold=None, weight=None, clip=None)
            element: Node = self._nested(arms[0], bare, origin)
        else:
            element = self._declared(item, settings, origin, path)
            if isinstance(element, Leaf):
                boxed = isinstance(settings.comparator, BBoxIoUComparator)
                if boxed and element.kind in ("number", "integer"):
                    return replace(element, kind="box")
                element = replace(element, weight=None, kind="box" if boxed else element.kind)
            elif isinstance(element, ListOf):
                element = _leaf("choice", replace(settings, weight=None), origin, path)
        check_key(element, settings.key, path)
        return ListOf(
            item=element,
            weight=settings.weight,
            order=settings.order,
            key=settings.key,
            origin=origin,
            sources=_said(settings),
        )

    def plain(self, cls: type) -> Object:
        self.open.append(cls)
        fields = {}
        for name, annotation, about in _plain_fields(cls):
            node = self._inferred(annotation, name)
            fields[name] = replace(node, about=about)
        if not fields:
            raise SettingError(
                f"The class {cls.__name__} has no fields to compare",
                code="spec.no_fields",
                facts={"class": cls.__name__},
            )
        self.open.pop()
        node = Object(
            fields=fields,
            name=cls.__name__,
            match_threshold=self.match_threshold,
            clip=False,
            origin=self.origin,
        )
        return self._closed(cls, node)

    def _inferred(self, annotation: object, name: str) -> Node:
        arms = _arms(annotation)
        if len(arms) != 1:
            nodes = tuple(self._inferred(arm, name) for arm in arms)
            return OneOf(arms=nodes, otherwise=self._plain_leaf("any", name, hints=False), origin=self.origin)
        shape = arms[0]
        if is_structured(shape):
            return self._nested(shape, _BARE, "field")
        if _is_model(shape):
            threshold = 0.7 if self.match_threshold is None else self.match_threshold
            node = self._inside(shape, self.plain)
            if node is None:
                return Ref(name=shape.__qualname__, threshold=threshold, origin=self.origin)
            return replace(node, threshold=threshold)
        if (item := _list_item(shape)) is not None:
            element = self._inferred(item, name)
            if isinstance(element, ListOf):
                element = self._plain_leaf("any", name, hints=False)
            return list_of(element, self.origin)
        kind = "any" if get_origin(shape) in (tuple, set, frozenset) else _kind(shape)
        leaf = self._plain_leaf(kind, name, hints=self.weight_hints)
        if kind == "free" and self.match_threshold is not None:
            leaf = replace(leaf, threshold=self.match_threshold)
        return leaf

    def _plain_leaf(self, kind: Kind, name: str, *, hints: bool) -> Leaf:
        if self.origin == "inferred":
            return settle(Leaf(kind=kind), name, weight_hints=hints)
        if not hints:
            return Leaf(kind=kind, origin=self.origin)
        why = {"weight": "inferred: the name"}
        return Leaf(kind=kind, weight=weight_hint(name, kind), origin=self.origin, sources=why)

    def _inside(self, cls: type[_Class], read: Callable[[type[_Class]], Object]) -> Object | None:
        """Return the node of a class in another one; None where it holds itself, and is a definition."""
        if cls in self.open:
            self.recursive.setdefault(cls.__qualname__, Leaf())
        node = None if cls.__qualname__ in self.recursive else read(cls)
        return None if cls.__qualname__ in self.recursive else node

    def _closed(self, cls: type, node: Object) -> Object:
        if cls.__qualname__ in self.recursive:
            self.recursive[cls.__qualname__] = node
        return node


def _leaf(kind: Kind, settings: FieldSettings, origin: Origin, path: str) -> Leaf:
    if settings.comparator is not None:
        check_fit(settings.comparator, kind, path)
    return Leaf(
        kind=kind,
        comparator=settings.comparator,
        threshold=settings.threshold,
        weight=settings.weight,
        clip=settings.clip,
        alternates=settings.alternates,
        origin=origin,
        sources=_said(settings),
    )


def _said(settings: FieldSettings) -> dict[str, str]:
    names = ("comparator", "threshold", "weight", "clip")
    return {n: "ComparableField" for n in names if getattr(settings, n) is not None}


def _refuse_list_settings(settings: FieldSettings, path: str) -> None:
    if settings.comparator is not None and not isinstance(settings.comparator, LevenshteinComparator):
        raise not_allowed("A list of models is compared field by field; it takes no comparator", "comparator", path)
    if settings.threshold is not None:
        message = "A list of models takes no threshold; set match_threshold on the item's class"
        raise not_allowed(message, "threshold", path)


def _arms(annotation: object) -> list[object]:
    """Return the shapes that an annotation allows, without None and Annotated."""
    if get_origin(annotation) is Annotated:
        return _arms(get_args(annotation)[0])
    if get_origin(annotation) in (Union, types.UnionType):
        return [shape for arm in get_args(annotation) if arm is not type(None) for shape in _arms(arm)]
    return [annotation]


def _list_item(shape: object) -> object:
    """Return what a list annotation holds; None where the annotation is no list."""
    if shape in (list, typing.List):  # noqa: UP006  # as users write it
        return typing.Any
    if get_origin(shape) in (list, Sequence):
        return (get_args(shape) or (typing.Any,))[0]
    return None


def _kind(shape: object) -> Kind:
    if shape in _KINDS:
        return _KINDS[shape]
    origin = get_origin(shape)
    if origin is Literal:
        return "choice"
    cls = origin or shape
    if isinstance(cls, type):
        if issubclass(cls, enum.Enum):
            return "choice"
        if issubclass(cls, Mapping) or issubclass(cls, dict) or _is_model(cls):
            return "free"
        for base, kind in _KINDS.items():
            if isinstance(base, type) and issubclass(cls, base):
                return kind
        if issubclass(cls, (tuple, Set)):
            return "choice"
    return "any"


def _annotation(info: FieldInfo) -> object:
    return typing.Any if info.annotation is None else info.annotation


def _about(name: str, info: FieldInfo) -> About:
    annotation = _annotation(info)
    return About(
        description=info.description or "",
        required=info.is_required(),
        nullable=type(None) in get_args(annotation) or annotation is typing.Any,
        default=None if info.is_required() else info.get_default(call_default_factory=False),
        examples=tuple(info.examples or ()),
        attribute=name,
        python_type=str(annotation),
    )


def _plain_fields(cls: type) -> list[tuple[str, object, About]]:
    if issubclass(cls, BaseModel):
        return [
            (json_name(name, info), _annotation(info), _about(json_name(name, info), info))
            for name, info in cls.model_fields.items()
        ]
    hints = get_type_hints(cls, include_extras=True)
    return [(f.name, hints[f.name], About(attribute=f.name)) for f in dataclasses.fields(cls)]  # type: ignore[arg-type]
