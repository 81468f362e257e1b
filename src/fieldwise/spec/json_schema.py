"""JSON Schema in: 2020-12, with Draft-7 ``definitions``, and the comparison keys of ``schema_keys``."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import Final, Literal, TypeAlias

import jsonschema
from jsonschema.validators import validator_for

from fieldwise.comparators import BBoxIoUComparator
from fieldwise.depth import MAX_LEVEL, allow_levels
from fieldwise.errors import SettingError
from fieldwise.spec.nodes import (
    About,
    Kind,
    Leaf,
    ListOf,
    Node,
    Object,
    OneOf,
    Origin,
    Ref,
    check_key,
    check_kind,
    not_allowed,
    with_weight,
)
from fieldwise.spec.schema_keys import (
    FIELD_KEYS,
    OBJECT_KEYS,
    ROOT_KEYS,
    Keys,
    read_keys,
    refuse_two_answers,
    refuse_value_keys,
    settled,
    with_match_threshold,
)
from fieldwise.values import Json

_FIELD = FIELD_KEYS | {"alternates", "absent", "locale", "why", "kind"}
_REFERENCE = frozenset({"weight", "threshold", "clip-under-threshold"})
_LIST = _FIELD | {"order", "key", "match-threshold"}
_FORMATS: dict[str, Kind] = {
    "date": "date",
    "date-time": "datetime",
    "time": "text_format",
    "uri": "text_format",
    "uuid": "text_format",
}
_TYPES: dict[str, Kind] = {"string": "string", "number": "number", "integer": "integer", "boolean": "boolean"}
_MAX_DEPTH = 2 * MAX_LEVEL + 10
"""A schema of every level that is compared, as spec.json may be, has two for each."""
_MAX_NODES: Final = 100_000
_ARMS: Final = re.compile(r"\.anyOf\[\d+\]")
Place = Literal["field", "item", "arm"]
"""Where a schema stands: a property, what a list holds, one of several alternatives."""
Schema: TypeAlias = Mapping[str, Json]


@dataclass(frozen=True, kw_only=True)
class _At:
    """Where a schema stands, the name it goes by, and whether settings that it leaves out are inferred."""

    path: str
    name: str
    infer: bool
    place: Place = "field"


def parse_json_schema(schema: Schema, *, origin: Origin = "open") -> tuple[Object, dict[str, Node], Keys]:
    """Return the root node, the definitions that use themselves, and the keys of the root.

    ``origin`` says whose defaults apply.
    """
    if not isinstance(schema, Mapping):
        raise SettingError(
            f"Expected a JSON Schema object, got {type(schema).__name__}",
            code="spec.not_a_schema",
            facts={"got": type(schema).__name__},
        )
    allow_levels(_check_depth(schema))
    _check_draft(schema)
    parser = _Parser(schema, origin)
    root = parser.root()
    if "#" in parser.recursive:
        parser.recursive["#"] = root
    return root, parser.recursive, parser.root_keys


def _check_depth(schema: Json) -> int:
    """Return how deep a schema is nested; one that is too deep is refused."""
    level: list[Json] = [schema]
    for depth in range(_MAX_DEPTH):
        level = [
            child
            for node in level
            if isinstance(node, (Mapping, list))
            for child in (node.values() if isinstance(node, Mapping) else node)
        ]
        if not level:
            return depth
    raise SettingError(
        f"The schema is nested deeper than {_MAX_DEPTH} levels; use $ref for recursive data",
        code="spec.too_deep",
        facts={"expected": _MAX_DEPTH},
    )


def _check_draft(schema: Schema) -> None:
    cls = validator_for(schema, default=jsonschema.Draft202012Validator)
    error = jsonschema.exceptions.best_match(cls(cls.META_SCHEMA).iter_errors(schema))
    if error is not None:
        raise SettingError(f"Not a valid JSON Schema: {error.message}", path=error.json_path, code="spec.not_a_schema")


@dataclass
class _Parser:
    document: Schema
    origin: Origin
    open_refs: dict[str, str] = field(default_factory=lambda: {"#": "$"})
    """The references that are being followed, each with the path from which."""
    nodes: int = 0
    recursive: dict[str, Node] = field(default_factory=dict)
    root_keys: Keys = field(default_factory=lambda: Keys({}, "$"))

    @property
    def is_open(self) -> bool:
        return self.origin == "open"

    def root(self) -> Object:
        schema = self._merged(self.document, "$")
        if "$ref" in schema and "properties" not in schema:
            with self._entered(schema["$ref"], "$") as (_, target):
                schema = self._merged({**target, **_without(schema, "$ref")}, "$")
        keys = self.root_keys = read_keys(schema, "$", OBJECT_KEYS, "the root", own=OBJECT_KEYS | ROOT_KEYS)
        if schema.get("type", "object") != "object" or "properties" not in schema:
            raise SettingError(
                "Expected an object with properties at the root of the schema", path="$", code="spec.no_fields"
            )
        return self._object(schema, keys, _At(path="$", name="DynamicModel", infer=False), About())

    def field(self, schema: Json, at: _At) -> Node:
        if not isinstance(schema, Mapping):
            raise SettingError(
                f"Expected a schema object, got {schema!r}",
                path=at.path,
                code="spec.not_a_schema",
                facts={"got": schema},
            )
        self.nodes += 1
        if self.nodes > _MAX_NODES:
            raise SettingError(
                f"The schema unfolds to more than {_MAX_NODES:,} fields, as its definitions refer to each other",
                path=at.path,
                code="spec.too_large",
                facts={"expected": _MAX_NODES},
            )
        if "$ref" in schema:
            return self._referenced(schema, at)
        schema = self._merged(schema, at.path)
        arms = schema.get("anyOf", schema.get("oneOf"))
        if arms is not None:
            return self._choice(schema, arms, at)
        types = schema.get("type")
        return self._several_types(schema, types, at) if isinstance(types, list) else self._typed(schema, at)

    def _typed(self, schema: Schema, at: _At) -> Node:
        kind = schema.get("type")
        if "enum" in schema or "const" in schema:
            return self._leaf(schema, "choice", at)
        if kind == "object" or (kind is None and "properties" in schema):
            return self._object_field(schema, at)
        if kind == "array":
            return self._array(schema, at)
        if kind == "null" or (kind is None and ("x-fieldwise-kind" in schema or self.is_open)):
            return self._leaf(schema, "any", at)
        if kind not in _TYPES:
            raise SettingError(
                "The property has no type; declare one, for example string", path=at.path, code="spec.no_type"
            )
        leaf_kind = _FORMATS.get(schema.get("format", ""), "string") if kind == "string" else _TYPES[kind]
        return self._leaf(schema, leaf_kind, at)

    def _leaf(self, schema: Schema, kind: Kind, at: _At) -> Leaf:
        allowed = _FIELD if at.place == "field" or (at.place == "item" and self.is_open) else frozenset[str]()
        keys = read_keys(schema, at.path, allowed, "a value" if at.place == "field" else "list items", own=_FIELD)
        if "kind" in keys:
            kind = check_kind(keys.text("kind"), at.path)
        leaf = Leaf(kind=kind, about=_about(schema), origin=self.origin)
        return settled(leaf, keys, name=at.name, infer=at.infer)

    def _object_field(self, schema: Schema, at: _At) -> Node:
        if "patternProperties" in schema:
            raise SettingError(
                "patternProperties cannot be compared field by field",
                path=at.path,
                code="spec.not_comparable",
                facts={"key": "patternProperties"},
            )
        if "properties" not in schema:
            return self._leaf(schema, "free", at)
        allowed = OBJECT_KEYS | _FIELD if at.place == "field" else OBJECT_KEYS
        keys = read_keys(schema, at.path, allowed, "an object", own=OBJECT_KEYS | _FIELD)
        if "comparator" in keys:
            message = "An object with properties is compared field by field; it takes no comparator"
            raise not_allowed(message, "comparator", at.path)
        return self._object(schema, keys, replace(at, name=class_name(at.name)), _about(schema))

    def _object(self, schema: Schema, keys: Keys, at: _At, about: About) -> Object:
        properties = schema["properties"]
        has_classes = any(name in keys for name in ("classes", "excluded-classes"))
        if not properties and not has_classes:
            raise SettingError("The object has no properties to compare", path=at.path, code="spec.no_fields")
        inherited = keys.flag("infer-unspecified")
        infer = at.infer if inherited is None else inherited
        required = set(schema.get("required", ()))
        fields = {}
        for key, sub in properties.items():
            node = self.field(sub, _At(path=f"{at.path}.{key}", name=key, infer=infer))
            fields[key] = replace(node, about=replace(node.about, required=key in required))
        return Object(
            fields=fields,
            name=keys.model_name(at.name),
            match_threshold=keys.unit("match-threshold"),
            threshold=keys.unit("threshold"),
            weight=keys.weight(),
            clip=keys.flag("clip-under-threshold"),
            origin=self.origin,
            sources=keys.sources(),
            about=about,
            may_be_empty=has_classes,
        )

    def _array(self, schema: Schema, at: _At) -> Node:
        if at.place == "item" and not any(key.startswith("x-fieldwise-") for key in schema):
            return self._leaf(schema, "any", at)
        items = schema.get("items", {} if self.is_open else None)
        if not isinstance(items, Mapping):
            raise SettingError(
                "The array does not say what its items are; declare `items`", path=at.path, code="spec.no_type"
            )
        about = _about(schema)
        keys = read_keys(schema, at.path, _LIST if at.place == "field" else frozenset[str](), "a list", own=_LIST)
        element = self.field(items, replace(at, path=f"{at.path}[]", place="item"))
        weight = keys.weight()
        if isinstance(element, Leaf):
            if element.origin != "inferred":
                refuse_two_answers(element, keys)
            weight = element.weight if weight is None else weight
            given = settled(element, keys, name=at.name, infer=at.infer and element.comparator is None)
            if isinstance(given.comparator, BBoxIoUComparator):
                given = replace(given, kind="box")
                if element.kind in ("number", "integer"):
                    return replace(given, about=about)
            element = replace(given, weight=None)
        elif not isinstance(element, OneOf):
            refuse_value_keys(keys)
        element = with_match_threshold(element, keys)
        check_key(element, keys.list_key(), at.path)
        return ListOf(
            item=element,
            weight=weight,
            order=keys.order(),
            key=keys.list_key(),
            origin=self.origin,
            sources=keys.sources(),
            about=about,
        )

    def _choice(self, schema: Schema, arms: Sequence[Json], at: _At) -> Node:
        siblings = sorted({"properties", "items", "enum", "const", "required", "allOf"} & schema.keys())
        if siblings:
            raise SettingError(
                f"{siblings[0]!r} beside anyOf or oneOf cannot be compared",
                path=at.path,
                code="spec.not_comparable",
                facts={"key": siblings[0]},
            )
        rest = _without(schema, "anyOf", "oneOf")
        real = [arm for arm in arms if not (isinstance(arm, Mapping) and arm.get("type") == "null")]
        if not real:
            return self._typed({**rest, "type": "null"}, at)
        if len(real) == 1 and isinstance(real[0], Mapping):
            node = self.field({**real[0], **rest}, at)
            return replace(node, about=replace(node.about, nullable=len(real) < len(arms)))
        places = [replace(at, path=f"{at.path}.anyOf[{k}]", infer=False, place="arm") for k in range(len(real))]
        return self._one_of(rest, [self.field(arm, place) for arm, place in zip(real, places, strict=True)], at)

    def _several_types(self, schema: Schema, types: Sequence[str], at: _At) -> Node:
        real = [t for t in types if t != "null"]
        if len(real) <= 1:
            node = self._typed({**schema, "type": (real or ["null"])[0]}, at)
            return replace(node, about=replace(node.about, nullable=len(real) < len(types)))
        bare = {k: v for k, v in schema.items() if not k.startswith("x-") and k != "default"}
        arm = replace(at, infer=False, place="arm")
        return self._one_of(schema, [self._typed({**bare, "type": t}, arm) for t in real], at)

    def _one_of(self, schema: Schema, nodes: Sequence[Node], at: _At) -> Node:
        leaf = self._leaf(schema, "any", at)
        return OneOf(arms=tuple(nodes), otherwise=leaf, origin=self.origin, about=leaf.about)

    def _referenced(self, schema: Schema, at: _At) -> Node:
        pointer = schema["$ref"]
        if _ARMS.sub("", at.path) == _ARMS.sub("", self.open_refs.get(pointer, "")):
            message = f"The reference {pointer!r} leads to itself, with no object or list between"
            raise _bad_reference(message, pointer, at.path)
        if pointer in self.open_refs:
            self.recursive.setdefault(pointer, Leaf())
        if pointer in self.recursive:
            return self._recursive_reference(schema, at.path)
        with self._entered(pointer, at.path) as (ref_name, target):
            named = replace(at, name=ref_name if at.place == "item" else at.name)
            node = self.field({**target, **_without(schema, "$ref")}, named)
            if pointer not in self.recursive:
                return node
            own = self.field(target, replace(at, name=ref_name, place="arm"))
        self.recursive[pointer] = with_weight(own, None)
        return self._recursive_reference(schema, at.path)

    def _recursive_reference(self, schema: Schema, path: str) -> Ref:
        """Return a reference to a definition that holds itself; it is one wherever it is used, not only inside."""
        keys = read_keys(schema, path, _REFERENCE, "a recursive reference")
        return Ref(
            name=schema["$ref"],
            weight=keys.weight(),
            threshold=keys.unit("threshold"),
            clip=keys.flag("clip-under-threshold"),
            origin=self.origin,
        )

    @contextmanager
    def _entered(self, pointer: Json, path: str) -> Iterator[tuple[str, Schema]]:
        target = self._resolve(pointer, path)
        self.open_refs[pointer] = path
        try:
            yield str(pointer).rsplit("/", 1)[-1], target
        finally:
            del self.open_refs[pointer]

    def _resolve(self, pointer: Json, path: str) -> Schema:
        if not isinstance(pointer, str) or not pointer.startswith("#"):
            raise _bad_reference(f"Only references within the schema are read, got {pointer!r}", pointer, path)
        target: Json = self.document
        for step in pointer.removeprefix("#").split("/")[1:]:
            step = step.replace("~1", "/").replace("~0", "~")
            if not isinstance(target, Mapping) or step not in target:
                raise _bad_reference(f"The reference {pointer!r} leads nowhere", pointer, path)
            target = target[step]
        if not isinstance(target, Mapping):
            raise _bad_reference(f"The reference {pointer!r} is no schema", pointer, path)
        return target

    def _merged(self, schema: Schema, path: str, within: frozenset[str] = frozenset()) -> Schema:
        """Return the schema with the parts of allOf put together."""
        if "allOf" not in schema:
            return schema
        out: dict[str, Json] = _without(schema, "allOf")
        for part in schema["allOf"]:
            seen = set(within)
            while isinstance(part, Mapping) and "$ref" in part:
                if part["$ref"] in seen or part["$ref"] in self.open_refs:
                    raise SettingError("allOf refers to itself", path=path, code="spec.bad_reference")
                seen.add(part["$ref"])
                part = {**self._resolve(part["$ref"], path), **_without(part, "$ref")}
            part = self._merged(part, path, frozenset(seen))
            out["properties"] = {**part.get("properties", {}), **out.get("properties", {})}
            out["required"] = [*part.get("required", ()), *out.get("required", ())]
            out = {**_without(part, "properties", "required"), **out}
        if not out["properties"]:
            out = _without(out, "properties", "required")
        return out


def _bad_reference(message: str, pointer: Json, path: str) -> SettingError:
    return SettingError(message, path=path, code="spec.bad_reference", facts={"got": pointer})


def _about(schema: Schema) -> About:
    """Return what a schema says about a field beside how it is compared."""
    return About(
        description=str(schema.get("description", "")),
        nullable=False,
        default=schema.get("default"),
        examples=tuple(schema.get("examples", ())),
        schema={k: schema[k] for k in ("format", "enum", "const", "additionalProperties", "title") if k in schema},
    )


def _without(schema: Schema, *keys: str) -> dict[str, Json]:
    return {k: v for k, v in schema.items() if k not in keys}


def class_name(name: str) -> str:
    words = "".join(c if c.isalnum() else " " for c in name).split()
    joined = "".join(w[:1].upper() + w[1:] for w in words)
    return f"{joined}Model" if joined and not joined[0].isdigit() else "NestedModel"
