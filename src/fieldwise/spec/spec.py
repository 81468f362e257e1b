"""`Spec`: what a user declares about the fields of a document, whichever way it was declared."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Literal, get_args

from pydantic import BaseModel

from fieldwise.checks import checked_choice, checked_number
from fieldwise.depth import MAX_LEVEL
from fieldwise.spec import exports
from fieldwise.spec.classes import is_structured, parse_plain, parse_structured
from fieldwise.spec.config import parse_config
from fieldwise.spec.defaults import resolve, resolve_object
from fieldwise.spec.inference import Note, close, infer_root, needs_values, sample_of
from fieldwise.spec.json_schema import parse_json_schema
from fieldwise.spec.nodes import Node, Object, Origin, SpecExtras, inner_nodes, well_formed_names
from fieldwise.values import Json

Defaults = Literal["fieldwise", "stickler"]
"""Whose defaults apply to what is not declared: ours, which look at values, or those of stickler-eval."""


def _origin(defaults: Defaults, peer: Origin) -> Origin:
    checked_choice("defaults", defaults, get_args(Defaults))
    return "open" if defaults == "fieldwise" else peer


@dataclass(frozen=True)
class Spec:
    """The declared fields of a document. Five ways in, one Spec out; ``Plan.compile`` takes it from here."""

    root: Object
    definitions: Mapping[str, Node] = field(default_factory=dict)
    extras: SpecExtras | None = None
    """How predicted keys that no field declares count; None where nobody said, which is ``"leaves"``."""
    outside: frozenset[str] | None = None
    """Undeclared paths that expected documents have, which count nowhere; None where no sample was looked at."""
    notes: tuple[Note, ...] = field(default=(), compare=False)
    """What was odd about the expected values by which open settings were closed."""

    @classmethod
    def from_json_schema(cls, schema: Mapping[str, Json], *, defaults: Defaults = "fieldwise") -> Spec:
        """Read a JSON Schema; settings that it leaves out are open, or those of stickler-eval if asked for."""
        root, definitions, keys = parse_json_schema(schema, origin=_origin(defaults, "schema"))
        return cls(root, definitions, keys.extras(), keys.outside())

    @classmethod
    def from_config(cls, config: Mapping[str, Json], *, defaults: Defaults = "fieldwise") -> Spec:
        """Read the config dict of ``StructuredModel.model_from_json``; what it leaves out as in a JSON Schema."""
        return cls(parse_config(config, origin=_origin(defaults, "config")))

    @classmethod
    def from_model(cls, model: type[BaseModel]) -> Spec:
        """Read a StructuredModel class; a plain pydantic class is read by inference."""
        if is_structured(model):
            return cls(*parse_structured(model))
        return cls.from_pydantic(model)

    @classmethod
    def from_pydantic(
        cls,
        model: type,
        *,
        match_threshold: float | None = None,
        weight_hints: bool = False,
        defaults: Defaults = "fieldwise",
    ) -> Spec:
        """Read a plain pydantic class or a dataclass; every setting is open, or inferred as stickler-eval does it."""
        origin = _origin(defaults, "inferred")
        return cls(*parse_plain(model, match_threshold=match_threshold, weight_hints=weight_hints, origin=origin))

    @classmethod
    def infer(
        cls, documents: Iterable[Json], *, match_threshold: float | None = None, weight_hints: bool = False
    ) -> Spec:
        """Return a closed spec for expected documents, from the first thousand of them."""
        sample = sample_of(documents)
        open_ = cls(infer_root(sample))
        return open_.closed(sample, match_threshold=match_threshold, weight_hints=weight_hints)

    def closed(
        self, documents: Iterable[Json] = (), *, match_threshold: float | None = None, weight_hints: bool = False
    ) -> Spec:
        """Close every open setting by name, type and the values of the first thousand expected documents.

        ``match_threshold`` is that of lists of objects for which none is declared. A spec without open settings
        stays as it is.
        """
        if match_threshold is not None:
            checked_number("match_threshold", match_threshold, high=1.0)
        found = close(
            self.root,
            self.definitions,
            sample_of(documents) if needs_values([self.root, *self.definitions.values()]) else (),
            match_threshold=match_threshold,
            weight_hints=weight_hints,
        )
        notes = (*self.notes, *found.notes)
        return replace(self, root=found.root, definitions=found.definitions, notes=notes)

    def well_formed(self) -> Spec:
        """Return the spec for documents that were read, whose names have no half of a surrogate pair."""
        root = well_formed_names(self.root)
        assert isinstance(root, Object)
        return replace(
            self, root=root, definitions={name: well_formed_names(node) for name, node in self.definitions.items()}
        )

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
        closed = self.closed()
        definitions = {name: resolve(node, name) for name, node in closed.definitions.items()}
        return replace(closed, root=resolve_object(closed.root, ""), definitions=definitions)

    def to_json_schema(self) -> dict[str, Json]:
        """Return the spec as JSON Schema with every setting spelt out."""
        full = self.resolved()
        schema = exports.to_json_schema(full.root, full.definitions)
        if self.extras is not None:
            schema["x-fieldwise-extras"] = self.extras
        if self.outside is not None:
            schema["x-fieldwise-outside"] = sorted(self.outside)
        return schema

    def to_config(self) -> dict[str, Json]:
        """Return the spec as a config dict with every setting spelt out."""
        return exports.to_config(self.resolved().root)
