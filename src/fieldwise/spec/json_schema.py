"""JSON Schema in: 2020-12, with Draft-7 ``definitions``, and comparison keys of ``schema_keys``."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import Any, Literal

import jsonschema
from jsonschema.validators import validator_for

from fieldwise.comparators import BBoxIoUComparator
from fieldwise.errors import SettingError
from fieldwise.spec.nodes import About, Kind, Leaf, ListOf, Node, Object, OneOf, Origin, Ref, check_key, with_weight
from fieldwise.spec.schema_fields import about_field, own_kind, refuse_two_answers, refuse_value_keys, settled
from fieldwise.spec.schema_keys import FIELD_KEYS, OBJECT_KEYS, ROOT_KEYS, Keys, read_keys
from fieldwise.values import Json

_FIELD = FIELD_KEYS | {"alternates", "locale", "why", "kind"}
_REFERENCE = frozenset({"weight", "threshold", "clip-under-threshold"})
_LIST = _FIELD | {"order", "key"}
_FORMATS: dict[str, Kind] = {
    "date": "date",
    "date-time": "datetime",
    "time": "text_format",
    "uri": "text_format",
    "uuid": "text_format",
}
_TYPES: dict[str, Kind] = {"string": "string", "number": "number", "integer": "integer", "boolean": "boolean"}
_MAX_DEPTH = 300
Place = Literal["field", "item", "arm"]
"""Where a schema stands: a property, what a list holds, one of several alternatives."""


def parse_json_schema(schema: Mapping[str, Json], *, origin: Origin = "open") -> tuple[Object, dict[str, Node], Keys]:
    """Return the root node, the definitions that use themselves, and the keys of the root.

    ``origin`` says whose defaults apply.
    """
    if not isinstance(schema, Mapping):
        raise SettingError(
            f"Expected a JSON Schema object, got {type(schema).__name__}",
            code="spec.not_a_schema",
            facts={"got": type(schema).__name__},
        )
    _check_depth(schema)
    _check_draft(schema)
    parser = _Parser(schema, origin)
    root = parser.root()
    if "#" in parser.recursive:
        parser.recursive["#"] = root
    return root, parser.recursive, parser.root_keys


def _check_depth(schema: Json) -> None:
    level: list[Json] = [schema]
    for _ in range(_MAX_DEPTH):
        level = [
            child
            for node in level
            if isinstance(node, (Mapping, list))
            for child in (node.values() if isinstance(node, Mapping) else node)
        ]
        if not level:
            return
    raise SettingError(
        f"The schema is nested deeper than {_MAX_DEPTH} levels; use $ref for recursive data",
        code="spec.too_deep",
        facts={"expected": _MAX_DEPTH},
    )


def _check_draft(schema: Mapping[str, Json]) -> None:
    cls = validator_for(schema, default=jsonschema.Draft202012Validator)
    error = jsonschema.exceptions.best_match(cls(cls.META_SCHEMA).iter_errors(schema))
    if error is not None:
        raise SettingError(f"Not a valid JSON Schema: {error.message}", path=error.json_path, code="spec.not_a_schema")


@dataclass
class _Parser:
    document: Mapping[str, Json]
    origin: Origin
    open_refs: list[str] = field(default_factory=lambda: ["#"])
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
        return self._object(schema, "$", keys, infer=False, name="DynamicModel", about=About())

    def field(self, schema: Json, path: str, *, name: str, infer: bool, place: Place = "field") -> Node:
        if not isinstance(schema, Mapping):
            raise SettingError(
                f"Expected a schema object, got {schema!r}", path=path, code="spec.not_a_schema", facts={"got": schema}
            )
        if "$ref" in schema:
            return self._referenced(schema, path, name=name, infer=infer, place=place)
        schema = self._merged(schema, path)
        arms = schema.get("anyOf", schema.get("oneOf"))
        if arms is not None:
            return self._choice(schema, arms, path, name=name, infer=infer, place=place)
        types = schema.get("type")
        if isinstance(types, list):
            return self._several_types(schema, types, path, name=name, infer=infer, place=place)
        return self._typed(schema, path, name=name, infer=infer, place=place)

    def _typed(self, schema: Mapping[str, Json], path: str, *, name: str, infer: bool, place: Place) -> Node:
        kind = schema.get("type")
        about = about_field(schema)
        if "enum" in schema or "const" in schema:
            return self._leaf(schema, "choice", path, name=name, infer=infer, place=place, about=about)
        if kind == "object" or (kind is None and "properties" in schema):
            return self._object_field(schema, path, name=name, infer=infer, place=place, about=about)
        if kind == "array":
            return self._array(schema, path, name=name, infer=infer, place=place, about=about)
        if kind == "null":
            return self._leaf(schema, "any", path, name=name, infer=infer, place=place, about=about)
        if kind is None and ("x-fieldwise-kind" in schema or self.is_open):
            return self._leaf(schema, "any", path, name=name, infer=infer, place=place, about=about)
        if kind not in _TYPES:
            raise SettingError(
                "The property has no type; declare one, for example string", path=path, code="spec.no_type"
            )
        leaf_kind = _FORMATS.get(schema.get("format", ""), "string") if kind == "string" else _TYPES[kind]
        return self._leaf(schema, leaf_kind, path, name=name, infer=infer, place=place, about=about)

    def _leaf(
        self,
        schema: Mapping[str, Json],
        kind: Kind,
        path: str,
        *,
        name: str,
        infer: bool,
        place: Place,
        about: About,
    ) -> Leaf:
        allowed = _FIELD if place == "field" or (place == "item" and self.is_open) else frozenset[str]()
        keys = read_keys(schema, path, allowed, "a value" if place == "field" else "list items", own=_FIELD)
        if "kind" in keys:
            kind = own_kind(keys)
        return settled(Leaf(kind=kind, about=about, origin=self.origin), keys, name=name, infer=infer)

    def _object_field(
        self, schema: Mapping[str, Json], path: str, *, name: str, infer: bool, place: Place, about: About
    ) -> Node:
        if "patternProperties" in schema:
            raise SettingError(
                "patternProperties cannot be compared field by field",
                path=path,
                code="spec.not_comparable",
                facts={"key": "patternProperties"},
            )
        if "properties" not in schema:
            return self._leaf(schema, "free", path, name=name, infer=infer, place=place, about=about)
        allowed = OBJECT_KEYS | _FIELD if place == "field" else OBJECT_KEYS
        keys = read_keys(schema, path, allowed, "an object", own=OBJECT_KEYS | _FIELD)
        if "comparator" in keys:
            raise SettingError(
                "An object with properties is compared field by field; it takes no comparator",
                path=path,
                code="spec.not_allowed",
                facts={"setting": "comparator"},
            )
        return self._object(schema, path, keys, infer=infer, name=class_name(name), about=about)

    def _object(
        self, schema: Mapping[str, Json], path: str, keys: Keys, *, infer: bool, name: str, about: About
    ) -> Object:
        properties = schema["properties"]
        if not properties:
            raise SettingError("The object has no properties to compare", path=path, code="spec.no_fields")
        inherited = keys.flag("infer-unspecified")
        infer = infer if inherited is None else inherited
        required = set(schema.get("required", ()))
        fields = {}
        for key, sub in properties.items():
            node = self.field(sub, f"{path}.{key}", name=key, infer=infer)
            fields[key] = replace(node, about=replace(node.about, required=key in required))
        return Object(
            fields=fields,
            name=keys.model_name(name),
            match_threshold=keys.unit("match-threshold"),
            threshold=keys.unit("threshold"),
            weight=keys.weight(),
            clip=keys.flag("clip-under-threshold"),
            origin=self.origin,
            sources=keys.sources(),
            about=about,
        )

    def _array(
        self, schema: Mapping[str, Json], path: str, *, name: str, infer: bool, place: Place, about: About
    ) -> Node:
        if place == "item" and not any(key.startswith("x-fieldwise-") for key in schema):
            return self._leaf(schema, "any", path, name=name, infer=infer, place="item", about=about)
        items = schema.get("items", {} if self.is_open else None)
        if not isinstance(items, Mapping):
            raise SettingError(
                "The array does not say what its items are; declare `items`", path=path, code="spec.no_type"
            )
        allowed = _LIST if place == "field" else frozenset[str]()
        keys = read_keys(schema, path, allowed, "a list", own=_LIST)
        element = self.field(items, f"{path}[]", name=name, infer=infer, place="item")
        weight = keys.weight()
        if isinstance(element, Leaf):
            if element.origin != "inferred":
                refuse_two_answers(element, keys)
            weight = element.weight if weight is None else weight
            given = settled(element, keys, name=name, infer=infer and element.comparator is None)
            if isinstance(given.comparator, BBoxIoUComparator):
                given = replace(given, kind="box")
                if element.kind in ("number", "integer"):
                    return replace(given, about=about)
            element = replace(given, weight=None)
        elif not isinstance(element, OneOf):
            refuse_value_keys(keys)
        check_key(element, keys.list_key(), path)
        return ListOf(
            item=element,
            weight=weight,
            order=keys.order(),
            key=keys.list_key(),
            origin=self.origin,
            sources=keys.sources(),
            about=about,
        )

    def _choice(
        self,
        schema: Mapping[str, Json],
        arms: Sequence[Json],
        path: str,
        *,
        name: str,
        infer: bool,
        place: Place,
    ) -> Node:
        siblings = sorted({"properties", "items", "enum", "const", "required", "allOf"} & schema.keys())
        if siblings:
            raise SettingError(
                f"{siblings[0]!r} beside anyOf or oneOf cannot be compared",
                path=path,
                code="spec.not_comparable",
                facts={"key": siblings[0]},
            )
        rest = _without(schema, "anyOf", "oneOf")
        real = [arm for arm in arms if not (isinstance(arm, Mapping) and arm.get("type") == "null")]
        if not real:
            return self._typed({**rest, "type": "null"}, path, name=name, infer=infer, place=place)
        if len(real) == 1 and isinstance(real[0], Mapping):
            node = self.field({**real[0], **rest}, path, name=name, infer=infer, place=place)
            return replace(node, about=replace(node.about, nullable=len(real) < len(arms)))
        nodes = [
            self.field(arm, f"{path}.anyOf[{k}]", name=name, infer=False, place="arm") for k, arm in enumerate(real)
        ]
        return self._one_of(rest, nodes, path, name=name, infer=infer, place=place)

    def _several_types(
        self,
        schema: Mapping[str, Json],
        types: Sequence[str],
        path: str,
        *,
        name: str,
        infer: bool,
        place: Place,
    ) -> Node:
        real = [t for t in types if t != "null"]
        if len(real) <= 1:
            node = self._typed({**schema, "type": (real or ["null"])[0]}, path, name=name, infer=infer, place=place)
            return replace(node, about=replace(node.about, nullable=len(real) < len(types)))
        bare = {k: v for k, v in schema.items() if not k.startswith("x-") and k != "default"}
        nodes = [self._typed({**bare, "type": t}, path, name=name, infer=False, place="arm") for t in real]
        return self._one_of(schema, nodes, path, name=name, infer=infer, place=place)

    def _one_of(
        self,
        schema: Mapping[str, Json],
        nodes: Sequence[Node],
        path: str,
        *,
        name: str,
        infer: bool,
        place: Place,
    ) -> Node:
        about = about_field(schema)
        leaf = self._leaf(schema, "any", path, name=name, infer=infer, place=place, about=about)
        return OneOf(arms=tuple(nodes), otherwise=leaf, origin=self.origin, about=about)

    def _referenced(self, schema: Mapping[str, Json], path: str, *, name: str, infer: bool, place: Place) -> Node:
        pointer = schema["$ref"]
        if pointer in self.open_refs:
            self.recursive.setdefault(pointer, Leaf())
        if pointer in self.recursive:
            return self._recursive_reference(schema, path)
        with self._entered(pointer, path) as (ref_name, target):
            merged = {**target, **_without(schema, "$ref")}
            named = ref_name if place == "item" else name
            node = self.field(merged, path, name=named, infer=infer, place=place)
            if pointer not in self.recursive:
                return node
            own = self.field(target, path, name=ref_name, infer=infer, place="arm")
        self.recursive[pointer] = with_weight(own, None)
        return self._recursive_reference(schema, path)

    def _recursive_reference(self, schema: Mapping[str, Json], path: str) -> Ref:
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
    def _entered(self, pointer: Json, path: str) -> Iterator[tuple[str, Mapping[str, Json]]]:
        target = self._resolve(pointer, path)
        self.open_refs.append(pointer)
        try:
            yield str(pointer).rsplit("/", 1)[-1], target
        finally:
            self.open_refs.pop()

    def _resolve(self, pointer: Json, path: str) -> Mapping[str, Json]:
        if not isinstance(pointer, str) or not pointer.startswith("#"):
            raise SettingError(
                f"Only references within the schema are read, got {pointer!r}",
                path=path,
                code="spec.bad_reference",
                facts={"got": pointer},
            )
        target: Any = self.document
        for step in pointer.removeprefix("#").split("/")[1:]:
            step = step.replace("~1", "/").replace("~0", "~")
            if not isinstance(target, Mapping) or step not in target:
                raise SettingError(
                    f"The reference {pointer!r} leads nowhere",
                    path=path,
                    code="spec.bad_reference",
                    facts={"got": pointer},
                )
            target = target[step]
        if not isinstance(target, Mapping):
            raise SettingError(
                f"The reference {pointer!r} is no schema", path=path, code="spec.bad_reference", facts={"got": pointer}
            )
        return target

    def _merged(
        self, schema: Mapping[str, Json], path: str, within: frozenset[str] = frozenset()
    ) -> Mapping[str, Json]:
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


def _without(schema: Mapping[str, Json], *keys: str) -> dict[str, Json]:
    return {k: v for k, v in schema.items() if k not in keys}


def class_name(name: str) -> str:
    words = "".join(c if c.isalnum() else " " for c in name).split()
    joined = "".join(w[:1].upper() + w[1:] for w in words)
    return f"{joined}Model" if joined and not joined[0].isdigit() else "NestedModel"
