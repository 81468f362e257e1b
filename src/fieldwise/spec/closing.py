"""Closing what a spec leaves open, once, before anything is compared: settings that were given stay, the others are
chosen by name, type and values. Values that are not of the kind of their field are compared all the same, and noted.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from itertools import islice

from fieldwise.comparators import BaseComparator, build
from fieldwise.comparators.texts import text_of
from fieldwise.spec.choosing import KIND_WORDS, Choice, Looks, ValueKind, choose, kind_of
from fieldwise.spec.inference_rules import THRESHOLDS, WAYS, list_of, weight_hint
from fieldwise.spec.nodes import Leaf, ListOf, Node, Object, OneOf, Ref, inner_nodes
from fieldwise.spec.paths import escape
from fieldwise.values import Json, is_absent, is_list, is_object, opened, written

ROW_THRESHOLD = 0.3
"""The similarity from which two rows of a list are a pair, where none is declared."""
MAX_VALUES = 10_000
"""How many values of a field are looked at."""
COMMA_LOCALE = "de"
"""A locale in which the comma is the decimal mark."""
_EXAMPLE_LENGTH = 40


@dataclass(frozen=True)
class Note:
    """Expected values of a field that are not of the kind as which they are compared."""

    path: str
    kind: ValueKind
    odd: int
    values: int
    example: Json

    def __str__(self) -> str:
        shown = repr(self.example) if isinstance(self.example, str) else text_of(self.example) or written(self.example)
        shown = shown if len(shown) <= _EXAMPLE_LENGTH else f"{shown[:_EXAMPLE_LENGTH]}…"
        one, many = KIND_WORDS[self.kind]
        words = f"is not {one}" if self.odd == 1 else f"are not {many}"
        return f"{self.path}: {self.odd:,} of {self.values:,} expected values {words}, for example {shown}"


@dataclass(frozen=True)
class Closed:
    """Nodes without open settings, and what was odd about the values."""

    root: Object
    definitions: Mapping[str, Node]
    notes: tuple[Note, ...]


def close(
    root: Object,
    definitions: Mapping[str, Node],
    documents: Iterable[Json] = (),
    *,
    match_threshold: float | None = None,
    weight_hints: bool = False,
) -> Closed:
    """Close every open setting by name and type, and by the values of sample documents where there are any.

    ``match_threshold`` is that of lists of objects which declare none.
    """
    values = collect(root, definitions, documents)
    closer = _Closer(values, ROW_THRESHOLD if match_threshold is None else match_threshold, weight_hints)
    whole = closer.node(root, "", "")
    assert isinstance(whole, Object)
    named = {name: closer.node(node, name, "") for name, node in definitions.items()}
    return Closed(whole, named, tuple(closer.notes))


def needs_values(nodes: Iterable[Node]) -> bool:
    """Tell whether a leaf in some nodes is closed by its values: one without a comparator."""
    todo = list(nodes)
    while todo:
        node = todo.pop()
        if isinstance(node, Leaf):
            if node.origin == "open" and node.comparator is None:
                return True
        else:
            todo.extend(inner_nodes(node))
            todo += [node.otherwise] if isinstance(node, OneOf) else []
    return False


Column = list[Json]


def collect(root: Object, definitions: Mapping[str, Node], documents: Iterable[Json]) -> dict[int, Column]:
    """Return the present expected values of each leaf, by the identity of its node; definitions that hold themselves
    are filled from every level.
    """
    found: dict[int, Column] = {}
    todo: list[tuple[Node, Column]] = [(root, [d for d in documents if is_object(d)])]
    while todo:
        node, values = todo.pop()
        present = [value for value in values if not is_absent(value)]
        if not present:
            continue
        match node:
            case Leaf():
                held = found.setdefault(id(node), [])
                held.extend(islice(present, max(MAX_VALUES - len(held), 0)))
            case Object():
                todo += _fields(node, present)
            case ListOf():
                todo.append((node.item, [item for value in present if is_list(value) for item in opened(value) or ()]))
                _note_misfits(found, node.item, [value for value in present if not is_list(value)])
            case OneOf():
                todo += [(arm, [v for v in present if _has_shape(arm, v)]) for arm in node.arms]
                todo.append((node.otherwise, [v for v in present if not is_object(v) and not is_list(v)]))
            case Ref():
                todo.append((root if node.name == "#" else definitions[node.name], present))
    return found


def _note_misfits(found: dict[int, Column], item: Node, values: Column) -> None:
    """Single values in place of a list of values are looked at as its items."""
    if isinstance(item, Leaf) and values:
        held = found.setdefault(id(item), [])
        held.extend(islice(values, max(MAX_VALUES - len(held), 0)))


def _fields(node: Object, values: Column) -> list[tuple[Node, Column]]:
    maps = [parts for parts in map(opened, values) if type(parts) is dict]
    return [(child, [m[name] for m in maps if name in m]) for name, child in node.fields.items()]


def _has_shape(arm: Node, value: Json) -> bool:
    return is_object(value) if isinstance(arm, (Object, Ref)) else is_list(value) and isinstance(arm, ListOf)


@dataclass
class _Closer:
    values: Mapping[int, Column]
    row_threshold: float
    weight_hints: bool
    notes: list[Note] = field(default_factory=list)

    def node(self, node: Node, path: str, name: str) -> Node:
        match node:
            case Leaf():
                return self._leaf(node, path, name)
            case Object():
                return self._object(node, path)
            case ListOf():
                return self._list(node, path, name)
            case OneOf():
                arms = tuple(self.node(arm, path, name) if not isinstance(arm, Leaf) else arm for arm in node.arms)
                return replace(node, arms=arms, otherwise=self._leaf(node.otherwise, path, name, typed=False))
            case Ref():
                return node

    def _object(self, node: Object, path: str) -> Object:
        fields = {
            name: self.node(child, f"{path}.{escape(name)}" if path else escape(name), name)
            for name, child in node.fields.items()
        }
        if node.origin != "open" or node.match_threshold is not None:
            return replace(node, fields=fields)
        sources = {**node.sources, "match_threshold": "default for rows"}
        return replace(node, fields=fields, match_threshold=self.row_threshold, sources=sources)

    def _list(self, node: ListOf, path: str, name: str) -> ListOf:
        item = self.node(node.item, path, name)
        if self.weight_hints and node.origin == "open":
            return list_of(item, node.origin)
        return replace(node, item=item)

    def _leaf(self, leaf: Leaf, path: str, name: str, *, typed: bool = True) -> Leaf:
        """Close a leaf; ``typed``: one without a type gets that of its values."""
        if leaf.origin != "open":
            return leaf
        looks = Looks(self.values.get(id(leaf), ()))
        if leaf.comparator is not None:
            return self._weighed(_with_threshold(leaf, leaf.comparator), name)
        choice = choose(leaf, name, looks)
        if choice.odd:
            self.notes.append(Note(path, choice.kind, len(choice.odd), len(looks.values), choice.odd[0]))
        if typed and leaf.kind == "any" and looks.values:
            leaf = replace(leaf, kind=kind_of(choice.way, looks))
        if choice.way == "number" and leaf.locale is None and looks.have_decimal_commas:
            leaf = replace(leaf, locale=COMMA_LOCALE)
        return self._weighed(_settled(leaf, choice), name)

    def _weighed(self, leaf: Leaf, name: str) -> Leaf:
        if not self.weight_hints or leaf.weight is not None:
            return leaf
        sources = {**leaf.sources, "weight": f"inferred: the name {name!r}"}
        return replace(leaf, weight=weight_hint(name, leaf.kind), sources=sources)


def _with_threshold(leaf: Leaf, comparator: BaseComparator) -> Leaf:
    """Give a declared comparator the threshold that suits it."""
    if leaf.threshold is not None:
        return leaf if leaf.clip is not None else replace(leaf, clip=True)
    given = comparator.given_threshold
    threshold = THRESHOLDS.get(comparator.name, comparator.own_threshold) if given is None else given
    source = f"default of {comparator.name}" if given is None else "given to the comparator"
    clip = True if leaf.clip is None else leaf.clip
    return replace(leaf, threshold=threshold, clip=clip, sources={**leaf.sources, "threshold": source})


def _settled(leaf: Leaf, choice: Choice) -> Leaf:
    chosen = WAYS[choice.way]
    config = {**chosen.config, **({"locale": leaf.locale} if leaf.locale else {})}
    why = f"inferred: {choice.why}"
    return replace(
        leaf,
        comparator=build(chosen.comparator, config),
        threshold=chosen.threshold if leaf.threshold is None else leaf.threshold,
        clip=chosen.clip if leaf.clip is None else leaf.clip,
        sources={"threshold": why, "clip": why, **leaf.sources, "comparator": why},
    )
