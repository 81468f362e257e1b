"""Values as the trees that ANLS* scores: absent parts left out, text folded, equal trees numbered alike."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, field

from fieldwise.comparators.steps import Steps, run
from fieldwise.comparators.texts import bare, folded, text_of
from fieldwise.errors import InputError
from fieldwise.values import Json, canonical, children, is_absent, is_object, plain

DEEPEST = 200
"""Levels below which a subtree is one leaf, alike only where it is the same value."""

DEEP_NOTE = f"below level {DEEPEST} compared by equality"


@dataclass(slots=True, eq=False)
class Node:
    """A present value: a leaf, an object, a list, or a choice of several acceptable values."""

    value: Json
    number: int
    """Equal for equal trees of the same forest."""
    size: int = 1
    """Its leaves."""
    width: int = 1
    """Its rows and columns in the grid of all lists inside it."""
    text: str | None = None
    fields: dict[str, Node] | None = None
    items: list[Node] | None = None
    options: list[Node] | None = None
    is_optional: bool = False
    """Whether one of the options is that the value is absent."""
    is_deep: bool = False
    """Whether a subtree inside was cut at the deepest level."""
    has_list: bool = False
    order: str = ""
    """What it is sorted by, where that was asked for."""


@dataclass(slots=True)
class Forest:
    """Makes trees; ``with_options`` reads a tuple as several acceptable values."""

    with_options: bool = False
    numbers: dict[Hashable, int] = field(default_factory=dict)

    def tree(self, value: Json) -> Node | None:
        """Return the tree of a value, None where it is absent."""
        return run(self._node(value, 0))

    def choice(self, values: Sequence[Json]) -> Node | None:
        """Return the tree of several acceptable values."""
        return run(self._choice(values, 0))

    def _node(self, value: Json, depth: int) -> Steps[Node | None]:
        if self.with_options and isinstance(value, tuple):
            return (yield from self._choice(value, depth))
        inner = children(value)
        if inner is None:
            return self._leaf(value)
        if depth >= DEEPEST:
            return self._deep(value)
        parts: list[tuple[str | int, Node]] = []
        for key, child in inner:
            node = self._leaf(child) if isinstance(child, (str, int, float)) else (yield self._node(child, depth + 1))
            if node is not None:
                parts.append((key, node))
        return self._container(value, parts) if parts else None

    def _leaf(self, value: Json) -> Node | None:
        if is_absent(value):
            return None
        text = folded(text_of(plain(bare(value))) or "")
        return Node(value, self._number(text), text=text)

    def _deep(self, value: Json) -> Node | None:
        if is_absent(value):
            return None
        return Node(value, self._number(("deep", canonical(value))), is_deep=True)

    def _container(self, value: Json, parts: list[tuple[str | int, Node]]) -> Node:
        nodes = [node for _, node in parts]
        node = Node(value, 0, size=sum(n.size for n in nodes), is_deep=any(n.is_deep for n in nodes))
        if is_object(value):
            node.fields = {str(key): part for key, part in parts}
            node.has_list = any(n.has_list for n in nodes)
            node.width = max(sum(n.width for n in nodes if n.has_list), 1)
            node.number = self._number(frozenset((key, n.number) for key, n in node.fields.items()))
        else:
            node.items, node.has_list = nodes, True
            node.width = sum(n.width for n in nodes)
            node.number = self._number(tuple(n.number for n in nodes))
        return node

    def _choice(self, values: Sequence[Json], depth: int) -> Steps[Node | None]:
        if not values:
            raise InputError("Expected at least one acceptable value in a tuple of the expected side, got none")
        found: list[Node | None] = []
        for value in values:
            node = yield self._node(value, depth + 1)
            found.append(node)
        options = [node for node in found if node is not None]
        if not options:
            return None
        choice = Node(values, self._number(object()), size=max(n.size for n in options), options=options)
        choice.width, choice.has_list = max(n.width for n in options), any(n.has_list for n in options)
        choice.is_optional = len(options) < len(found)
        return choice

    def _number(self, key: Hashable) -> int:
        return self.numbers.setdefault(key, len(self.numbers))
