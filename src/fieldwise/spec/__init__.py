"""What a user declares about the fields: the nodes, and the parsers that make them."""

from fieldwise.spec.classes import FieldSettings
from fieldwise.spec.nodes import About, Leaf, ListOf, Node, Object, OneOf, Ref
from fieldwise.spec.paths import escape, parent_of, positions_of, row_of, steps_of
from fieldwise.spec.spec import Spec

__all__ = [
    "About",
    "FieldSettings",
    "Leaf",
    "ListOf",
    "Node",
    "Object",
    "OneOf",
    "Ref",
    "Spec",
    "escape",
    "parent_of",
    "positions_of",
    "row_of",
    "steps_of",
]
