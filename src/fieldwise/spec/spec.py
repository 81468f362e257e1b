"""`Spec`: what a user declares about the fields of a document, whichever way it was declared."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Literal, get_args

from pydantic import BaseModel

from fieldwise.checks import checked_choice, checked_number
from fieldwise.depth import MAX_LEVEL
from fieldwise.results.notes import Note
from fieldwise.spec import exports
from fieldwise.spec.classes import is_structured, parse_plain, parse_structured
from fieldwise.spec.config import parse_config
from fieldwise.spec.defaults import resolve, resolve_object
from fieldwise.spec.inference import close, completed, infer_root, needs_values, sample_of
from fieldwise.spec.json_schema import parse_json_schema
from fieldwise.spec.nodes import (
    Leaf,
    Node,
    Object,
    Origin,
    OtherClasses,
    Ref,
    SpecExtras,
    Words,
    absent_words,
    check_extras,
    inner_nodes,
    well_formed_names,
    with_leaves,
)
from fieldwise.spec.product_keys import translated
from fieldwise.values import DEFAULT_WORDS, ONLY_BLANK, AbsentWords, Json

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
    absent: AbsentWords | None = None
    """Texts that stand for no value; None where nobody said: ours, or none with the defaults of stickler-eval."""
    outside: frozenset[str] | None = None
    """Undeclared paths that expected documents have, which count nowhere; None where no sample was looked at."""
    classes: Mapping[str, Spec] = field(default_factory=dict)
    """The specs of documents of these classes; all others are compared by ``root``."""
    excluded: Mapping[str, str] = field(default_factory=dict)
    """Classes whose documents are not scored, and why."""
    other_classes: OtherClasses | None = None
    """What becomes of classes that are in neither; None where nobody said, which is ``"infer"``."""
    notes: tuple[Note, ...] = field(default=(), compare=False)
    """What was odd about the expected values by which open settings were closed, and about classes."""

    @classmethod
    def from_json_schema(cls, schema: Mapping[str, Json], *, defaults: Defaults = "fieldwise") -> Spec:
        """Read a JSON Schema; settings that it leaves out are open, or those of stickler-eval if asked for.

        The keys ``x-aws-idp-evaluation-…`` are read as well as ``x-aws-stickler-…``.
        """
        root, definitions, keys = parse_json_schema(translated(schema), origin=_origin(defaults, "schema"))
        classes = {name: cls.from_json_schema(inner, defaults=defaults) for name, inner in keys.classes().items()}
        made = cls(
            root,
            definitions,
            keys.extras(),
            keys.absent(),
            keys.outside(),
            classes,
            keys.excluded_classes(),
            keys.other_classes(),
        )
        return made if made.absent is None else made.inheriting(made.absent)

    @classmethod
    def of_classes(cls, classes: Mapping[str, Spec], excluded: Mapping[str, str] | None = None) -> Spec:
        """Return the spec of documents of several classes.

        Documents without a class have the fields of all of them: where two declare a field, as the first one does.
        Fields that hold themselves stay with their class.
        """
        fields: dict[str, Node] = {}
        for spec in classes.values():
            for name, node in spec.root.fields.items():
                if name not in fields and not _refers(node):
                    fields[name] = node
        first = next(iter(classes.values()), None)
        origin = first.root.origin if first is not None else "open"
        root = Object(fields=fields, name="Document", origin=origin, may_be_empty=True)
        return cls(root, classes=classes, excluded=excluded or {})

    @classmethod
    def from_config(cls, config: Mapping[str, Json], *, defaults: Defaults = "fieldwise") -> Spec:
        """Read the config dict of ``StructuredModel.model_from_json``; what it leaves out as in a JSON Schema.

        Texts stand for no value only where its key ``absent`` lists them.
        """
        words = absent_words(config.get("absent", ())) if isinstance(config, Mapping) else None
        return cls(parse_config(config, origin=_origin(defaults, "config")), absent=words)

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
        cls,
        documents: Iterable[Json],
        *,
        match_threshold: float | None = None,
        weight_hints: bool = False,
        absent: Words | None = None,
    ) -> Spec:
        """Return a closed spec for expected documents, from the first thousand of them.

        ``absent`` are texts that stand for no value, in place of ``n/a`` and its like.
        """
        sample = sample_of(documents)
        words = DEFAULT_WORDS if absent is None else absent_words(absent)
        open_ = cls(infer_root(sample, words), absent=words)
        return open_.closed(sample, match_threshold=match_threshold, weight_hints=weight_hints)

    @property
    def absent_words(self) -> AbsentWords:
        """The texts that stand for no value, those by default where nobody said."""
        if self.absent is not None:
            return self.absent
        return DEFAULT_WORDS if self.root.origin == "open" else ONLY_BLANK

    def with_absent(self, words: Words) -> Spec:
        """Return the spec with other texts that stand for no value, in all of its fields and classes."""
        chosen = absent_words(words)
        classes = {name: spec.with_absent(words) for name, spec in self.classes.items()}
        return replace(self, absent=chosen, classes=classes)._with_leaves(lambda leaf: replace(leaf, absent=None))

    def with_settings(self, *, extras: SpecExtras | None = None, absent: Words | None = None) -> Spec:
        """Return the spec with what is given here in place of what it says itself."""
        spec = self if absent is None else self.with_absent(absent)
        return spec if extras is None else replace(spec, extras=check_extras(extras, ""))

    def inheriting(self, words: AbsentWords) -> Spec:
        """Return the spec with these texts that stand for no value, where it and its classes don't say.

        In a spec that was closed, its fields have said it too.
        """
        classes = {name: spec.inheriting(words) for name, spec in self.classes.items()}
        made = replace(self, absent=words if self.absent is None else self.absent, classes=classes)

        def settled(leaf: Leaf) -> Leaf:
            is_closed = leaf.comparator is not None and leaf.absent is None
            return replace(leaf, absent=made.absent) if is_closed else leaf

        return made if self.outside is None else made._with_leaves(settled)

    def _with_leaves(self, change: Callable[[Leaf], Leaf]) -> Spec:
        root = with_leaves(self.root, change)
        assert isinstance(root, Object)
        named = {name: with_leaves(node, change) for name, node in self.definitions.items()}
        return replace(self, root=root, definitions=named)

    def closed(
        self, documents: Iterable[Json] = (), *, match_threshold: float | None = None, weight_hints: bool = False
    ) -> Spec:
        """Close every open setting by name, type and the values of the first thousand expected documents.

        ``match_threshold`` is that of lists of objects for which none is declared. A spec without open settings
        stays as it is.
        """
        if match_threshold is not None:
            checked_number("match_threshold", match_threshold, high=1.0)
        root, definitions, words = self.root, self.definitions, self.absent_words
        is_partial = self.extras == "infer"
        needed = is_partial or needs_values([root, *definitions.values()], words)
        sample = sample_of(documents) if needed else []
        if is_partial and sample:
            root, definitions = completed(root, definitions, sample, words)
        found = close(root, definitions, sample, words, match_threshold=match_threshold, weight_hints=weight_hints)
        return replace(
            self,
            root=found.root,
            definitions=found.definitions,
            extras="leaves" if is_partial and sample else self.extras,
            absent=words,
            notes=(*self.notes, *found.notes),
        )

    def well_formed(self) -> Spec:
        """Return the spec for documents that were read, whose names have no half of a surrogate pair."""
        root = well_formed_names(self.root)
        assert isinstance(root, Object)
        return replace(
            self,
            root=root,
            definitions={name: well_formed_names(node) for name, node in self.definitions.items()},
            classes={name: spec.well_formed() for name, spec in self.classes.items()},
        )

    def levels(self) -> int:
        """Return how deep the declared fields are nested; a definition that holds itself has no end."""
        if self.definitions:
            return MAX_LEVEL + 1
        own = self._own_levels()
        return max([own, *(spec.levels() for spec in self.classes.values())])

    def _own_levels(self) -> int:
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
        classes = {name: spec.resolved() for name, spec in self.classes.items()}
        return replace(closed, root=resolve_object(closed.root, ""), definitions=definitions, classes=classes)

    def to_json_schema(self) -> dict[str, Json]:
        """Return the spec as JSON Schema with every setting spelt out."""
        full = self.resolved()
        schema = exports.to_json_schema(full.root, full.definitions, full.absent_words)
        schema["x-fieldwise-absent"] = list(full.absent_words)
        if self.extras is not None:
            schema["x-fieldwise-extras"] = self.extras
        if self.outside is not None:
            schema["x-fieldwise-outside"] = sorted(self.outside)
        if self.classes:
            schema["x-fieldwise-classes"] = {name: spec.to_json_schema() for name, spec in self.classes.items()}
        if self.excluded:
            schema["x-fieldwise-excluded-classes"] = dict(self.excluded)
        if self.other_classes == "exclude":
            schema["x-fieldwise-other-classes"] = self.other_classes
        return schema

    def to_config(self) -> dict[str, Json]:
        """Return the spec as a config dict with every setting spelt out."""
        full = self.resolved()
        return exports.to_config(full.root, full.absent_words)


def _refers(node: Node) -> bool:
    return isinstance(node, Ref) or any(map(_refers, inner_nodes(node)))
