"""`Spec`: what a user declares about the fields of a document, whichever way it was declared."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from pydantic import BaseModel

from fieldwise.depth import MAX_LEVEL
from fieldwise.spec import exports
from fieldwise.spec.classes import is_structured, parse_plain, parse_structured
from fieldwise.spec.config import parse_config
from fieldwise.spec.inference import infer_root
from fieldwise.spec.json_schema import parse_json_schema
from fieldwise.spec.nodes import Node, Object, SpecExtras, inner_nodes
from fieldwise.spec.resolve import resolve, resolve_object
from fieldwise.values import Json


@dataclass(frozen=True)
class Spec:
    """The declared fields of a document. Five ways in, one Spec out; ``Plan.compile`` takes it from here."""

    root: Object
    definitions: Mapping[str, Node] = field(default_factory=dict)
    extras: SpecExtras | None = None
    """How predicted keys that no field declares count; None where nobody said, which is ``"leaves"``."""
    outside: frozenset[str] | None = None
    """Undeclared paths that expected documents have, which count nowhere; None where no sample was looked at."""

    @classmethod
    def from_json_schema(cls, schema: Mapping[str, Json], *, infer: bool = False) -> Spec:
        """Read a JSON Schema; ``infer`` guesses settings for fields that have no comparison keys."""
        root, definitions, keys = parse_json_schema(schema, infer=infer)
        return cls(root, definitions, keys.extras(), keys.outside())

    @classmethod
    def from_config(cls, config: Mapping[str, Json]) -> Spec:
        """Read the config dict of ``StructuredModel.model_from_json``."""
        return cls(parse_config(config))

    @classmethod
    def from_model(cls, model: type[BaseModel]) -> Spec:
        """Read a StructuredModel class; a plain pydantic class is read by inference."""
        if is_structured(model):
            return cls(*parse_structured(model))
        return cls.from_pydantic(model)

    @classmethod
    def from_pydantic(cls, model: type, *, match_threshold: float | None = None, weight_hints: bool = False) -> Spec:
        """Read a plain pydantic class or a dataclass, settings inferred from its names and types."""
        return cls(*parse_plain(model, match_threshold=match_threshold, weight_hints=weight_hints))

    @classmethod
    def infer(cls, documents: Iterable[Json], *, weight_hints: bool = False) -> Spec:
        """Guess a spec from expected documents, the first thousand of them."""
        return cls(infer_root(documents, weight_hints=weight_hints))

    def levels(self) -> int:
        """Return how deep the declared fields are nested; a definition that holds itself has no end."""
        if self.definitions:
            return MAX_LEVEL + 1
        layer: list[Node] = [self.root]
        count = 0
        while layer and count <= MAX_LEVEL:
            layer = [inner for node in layer for inner in inner_nodes(node)]
            count += 1
        return count

    def resolved(self) -> Spec:
        """Return the spec with every default filled in."""
        definitions = {name: resolve(node, name) for name, node in self.definitions.items()}
        return replace(self, root=resolve_object(self.root, ""), definitions=definitions)

    def to_json_schema(self) -> dict[str, Any]:
        """Return the spec as JSON Schema with every setting spelt out."""
        full = self.resolved()
        schema = exports.to_json_schema(full.root, full.definitions)
        if self.extras is not None:
            schema["x-fieldwise-extras"] = self.extras
        if self.outside is not None:
            schema["x-fieldwise-outside"] = sorted(self.outside)
        return schema

    def to_config(self) -> dict[str, Any]:
        """Return the spec as a config dict with every setting spelt out."""
        return exports.to_config(self.resolved().root)
