"""Inference: which fields sample documents have, and closing what a spec leaves open.

Open settings are closed once, before anything is compared: those that were given stay, the others are chosen by name,
type and values. Values that are not of the kind of their field are compared all the same, and noted.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice
from typing import TypeAlias

from fieldwise.comparators import AmountComparator, BaseComparator, build
from fieldwise.comparators.as_text import text_of
from fieldwise.depth import MAX_LEVEL, allow_levels
from fieldwise.errors import InputError
from fieldwise.results.notes import Note
from fieldwise.spec.choices import Choice, Looks, choose, kind_of, value_words
from fieldwise.spec.inference_rules import THRESHOLDS, WAYS, list_of, tokens, weight_hint
from fieldwise.spec.nodes import Leaf, ListOf, Node, Object, OneOf, Ref, inner_nodes
from fieldwise.spec.paths import below
from fieldwise.values import (
    ZEROS,
    AbsentWords,
    Json,
    children,
    is_absent,
    is_list,
    is_object,
    is_scalar,
    key_text,
    opened,
    plain,
    within_bounds,
    written,
)

SAMPLE_SIZE = 1_000
"""How many documents are looked at."""
ROW_THRESHOLD = 0.3
"""The similarity from which two rows of a list are a pair, where none is declared."""
MAX_VALUES = 10_000
"""How many values of a field are looked at."""
COMMA_LOCALE = "de"
"""A locale in which the comma is the decimal mark."""
_MAX_EXAMPLE = 100
_BOX_WORDS = frozenset(["bbox", "box", "geometry"])
Column: TypeAlias = list[Json]
"""The values of a field, document by document."""


def sample_of(documents: Iterable[Json]) -> list[Json]:
    """Return the first thousand documents as plain values."""
    return [within_bounds(d) if isinstance(d, Mapping) else plain(d) for d in islice(documents, SAMPLE_SIZE)]


def infer_root(samples: Sequence[Json], absent: AbsentWords) -> Object:
    """Return the root node that fits the documents; what most values of a field are, the field is.

    ``absent`` are texts that stand for no value.
    """
    objects = [d for d in samples if isinstance(d, Mapping) and d]
    if not objects:
        raise InputError(
            f"Nothing to infer a spec from: expected at least one JSON object with fields, got {_shapes(samples)}",
            code="spec.nothing_to_infer",
        )
    allow_levels(_levels(objects))
    return _object(objects, "Document", 0, absent)


def _levels(documents: list[Json]) -> int:
    """Return how deep the documents are nested, as far as that matters."""
    layer: list[Json] = documents
    for level in range(MAX_LEVEL + 1):
        layer = [child for value in layer for _, child in children(value) or () if not is_scalar(child)]
        if not layer:
            return level + 1
    return MAX_LEVEL + 1


def _shapes(samples: Sequence[Json]) -> str:
    kinds = sorted({type(s).__name__ for s in samples})
    return ", ".join(kinds) if kinds else "no document"


def _object(values: Sequence[Mapping[str, Json]], name: str, level: int, absent: AbsentWords) -> Object:
    fields = {key: _node(column, key, level + 1, absent) for key, column in _columns(values).items()}
    return Object(fields=fields, name=_identifier(name), clip=True, origin="open")


def _columns(values: Iterable[Mapping[str, Json]]) -> dict[str, list[Json]]:
    columns: dict[str, list[Json]] = {}
    for value in values:
        for key, child in value.items():
            columns.setdefault(key_text(key), []).append(child)
    return columns


def _node(values: list[Json], name: str, level: int, absent: AbsentWords) -> Node:
    present = [v for v in values if not is_absent(v, absent)]
    objects: list[dict[str, Json]] = []
    lists: list[list[Json]] = []
    for value in present:
        parts = opened(value)
        if type(parts) is dict:
            objects.append(parts)
        elif type(parts) is list:
            lists.append(parts)
    scalars = len(present) - len(objects) - len(lists)
    if level < MAX_LEVEL and objects and len(objects) >= max(len(lists), scalars):
        return _object(objects, name, level, absent)
    if level < MAX_LEVEL and lists and len(lists) >= scalars:
        return _list(lists, name, level, absent)
    return Leaf(origin="open")


def _list(values: list[list[Json]], name: str, level: int, absent: AbsentWords) -> Node:
    if _BOX_WORDS & set(tokens(name)) and all(_is_box(v) for v in values):
        return Leaf(kind="box", origin="open")
    items = [item for value in values for item in value]
    return ListOf(item=_node(items, name, level + 1, absent), origin="open")


def _is_box(value: Json) -> bool:
    return len(value) == 4 and all(isinstance(n, (int, float)) and not isinstance(n, bool) for n in value)


def _identifier(name: str) -> str:
    text = "".join(c if c.isalnum() else "_" for c in name)
    return text if text.isidentifier() else f"_{text}"


def _odd_values(path: str, choice: Choice, values: int, *, as_text: bool) -> Note:
    """Return that some expected values of a field are not of the kind that its others are of; ``as_text``: too many,
    so that all are compared as text.
    """
    odd = choice.odd[0]
    is_text = isinstance(odd, str)
    example = (odd if is_text else text_of(odd) or written(odd))[:_MAX_EXAMPLE]
    numbers, shown = {"count": len(choice.odd), "values": values}, {"example": example, "is_text": is_text}
    return Note.of("fields.odd_values", field=path, kind=choice.kind, **numbers, **shown, as_text=as_text)


@dataclass(frozen=True)
class Closed:
    """Nodes without open settings, and what was odd about the values."""

    root: Object
    definitions: Mapping[str, Node]
    notes: tuple[Note, ...]


def close(
    root: Object,
    definitions: Mapping[str, Node],
    documents: Iterable[Json],
    absent: AbsentWords,
    *,
    match_threshold: float | None = None,
    weight_hints: bool = False,
) -> Closed:
    """Close every open setting by name and type, and by the values of sample documents where there are any.

    ``absent`` are texts that stand for no value; ``match_threshold`` is that of lists of objects which declare none.
    """
    values = collect(root, definitions, documents)
    closer = _Closer(values, absent, ROW_THRESHOLD if match_threshold is None else match_threshold, weight_hints)
    whole = closer.node(root, "", "")
    assert isinstance(whole, Object)
    named = {name: closer.node(node, name, "") for name, node in definitions.items()}
    return Closed(whole, named, tuple(closer.notes))


def needs_values(nodes: Iterable[Node], absent: AbsentWords) -> bool:
    """Tell whether a leaf in some nodes is closed by its values: its comparator, or which texts are absent there."""
    todo = list(nodes)
    while todo:
        node = todo.pop()
        if isinstance(node, Leaf):
            if node.origin == "open" and (node.comparator is None or (node.absent is None and absent)):
                return True
        else:
            todo.extend(inner_nodes(node))
            todo += [node.otherwise] if isinstance(node, OneOf) else []
    return False


def collect(root: Object, definitions: Mapping[str, Node], documents: Iterable[Json]) -> dict[int, Column]:
    """Return the present expected values of each leaf, by the identity of its node."""
    found: dict[int, Column] = {}
    for node, values in _visited(root, definitions, documents):
        if isinstance(node, Leaf):
            _keep(found, node, values)
        elif isinstance(node, ListOf) and isinstance(node.item, Leaf):
            # Single values in place of a list are looked at as its items.
            _keep(found, node.item, [value for value in values if not is_list(value)])
    return found


def _visited(root: Object, definitions: Mapping[str, Node], documents: Iterable[Json]) -> Iterator[tuple[Node, Column]]:
    """Yield every node with its present values in documents; definitions that hold themselves once for each level."""
    todo: list[tuple[Node, Column]] = [(root, [d for d in documents if is_object(d)])]
    while todo:
        node, values = todo.pop()
        present = [value for value in values if not is_absent(value)]
        if not present:
            continue
        yield node, present
        match node:
            case Object():
                todo += _fields(node, present)
            case ListOf():
                todo.append((node.item, [item for value in present if is_list(value) for item in opened(value) or ()]))
            case OneOf():
                todo += [(arm, [v for v in present if _has_shape(arm, v)]) for arm in node.arms]
                todo.append((node.otherwise, [v for v in present if not is_object(v) and not is_list(v)]))
            case Ref():
                todo.append((root if node.name == "#" else definitions[node.name], present))
            case Leaf():
                pass


def completed(
    root: Object, definitions: Mapping[str, Node], documents: Iterable[Json], absent: AbsentWords
) -> tuple[Object, dict[str, Node]]:
    """Return the nodes with a field for every key of sample documents that none declares, as it would be inferred."""
    objects: dict[int, list[Mapping[str, Json]]] = {}
    for node, values in _visited(root, definitions, documents):
        if isinstance(node, Object):
            objects.setdefault(id(node), []).extend(_mappings(values))
    whole = _with_fields(root, objects, absent, 0)
    assert isinstance(whole, Object)
    return whole, {name: _with_fields(node, objects, absent, 1) for name, node in definitions.items()}


def _with_fields(node: Node, objects: Mapping[int, list[Mapping[str, Json]]], absent: AbsentWords, level: int) -> Node:
    match node:
        case Object():
            fields = {name: _with_fields(child, objects, absent, level + 1) for name, child in node.fields.items()}
            more = {name: column for name, column in _columns(objects.get(id(node), ())).items() if name not in fields}
            inferred = {name: _node(column, name, level + 1, absent) for name, column in more.items()}
            return replace(node, fields={**fields, **inferred})
        case ListOf():
            return replace(node, item=_with_fields(node.item, objects, absent, level + 1))
        case OneOf():
            return replace(node, arms=tuple(_with_fields(arm, objects, absent, level + 1) for arm in node.arms))
        case _:
            return node


def _keep(found: dict[int, Column], leaf: Leaf, values: Column) -> None:
    held = found.setdefault(id(leaf), [])
    held.extend(islice(values, max(MAX_VALUES - len(held), 0)))


def _fields(node: Object, values: Column) -> list[tuple[Node, Column]]:
    maps = _mappings(values)
    return [(child, [m[name] for m in maps if name in m]) for name, child in node.fields.items()]


def _mappings(values: Column) -> list[dict[str, Json]]:
    return [parts for parts in map(opened, values) if type(parts) is dict]


def _has_shape(arm: Node, value: Json) -> bool:
    return is_object(value) if isinstance(arm, (Object, Ref)) else is_list(value) and isinstance(arm, ListOf)


@dataclass
class _Closer:
    values: Mapping[int, Column]
    absent: AbsentWords
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
        fields = {name: self.node(child, below(path, name), name) for name, child in node.fields.items()}
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
            return replace(leaf, absent=self._words(leaf)) if self.absent else leaf
        values, words = self.values.get(id(leaf), ()), self._words(leaf)
        if (given := leaf.comparator) is not None:
            is_nil = isinstance(given, AmountComparator) and given.nil
            leaf = _with_words(leaf, words, value_words(values, is_choice=False, is_nil=is_nil))
            return self._weighed(_with_threshold(leaf, given), name)
        looks = Looks([value for value in values if not is_absent(value, words)])
        choice = choose(leaf, name, looks)
        is_money = leaf.absent is None and choice.way == "number" and looks.are_money(name)
        is_nil = is_money and not words.words.isdisjoint(ZEROS)
        is_choice = choice.way == "words" or (choice.way == "choice" and leaf.kind != "choice")
        leaf = _with_words(leaf, words, value_words(values, is_choice=is_choice, is_nil=is_nil))
        if choice.odd:
            size, as_text = len(looks.values), choice.way == "text" and choice.kind != "scalar"
            self.notes.append(_odd_values(path, choice, size, as_text=as_text))
        if typed and leaf.kind == "any" and looks.values:
            leaf = replace(leaf, kind=kind_of(choice.way, looks))
        if choice.way == "number" and leaf.locale is None and looks.have_decimal_commas:
            leaf = replace(leaf, locale=COMMA_LOCALE)
        return self._weighed(_settled(leaf, choice, name, looks, is_nil=is_nil), name)

    def _words(self, leaf: Leaf) -> AbsentWords:
        """Return the texts that stand for no value in a leaf, as far as it says so; a declared choice is a value."""
        if leaf.absent is not None:
            return leaf.absent
        declared = [*leaf.about.schema.get("enum", ()), leaf.about.schema.get("const")]
        return self.absent.without(value for value in declared if isinstance(value, str))

    def _weighed(self, leaf: Leaf, name: str) -> Leaf:
        if not self.weight_hints or leaf.weight is not None:
            return leaf
        sources = {**leaf.sources, "weight": f"inferred: the name {name!r}"}
        return replace(leaf, weight=weight_hint(name, leaf.kind), sources=sources)


def _with_words(leaf: Leaf, words: AbsentWords, values: Iterable[str]) -> Leaf:
    """Return a leaf with the texts that stand for no value there, where it does not say: words but for its values."""
    return leaf if leaf.absent is not None else replace(leaf, absent=words.without(values))


def _with_threshold(leaf: Leaf, comparator: BaseComparator) -> Leaf:
    """Give a declared comparator the threshold that suits it."""
    if leaf.threshold is not None:
        return leaf if leaf.clip is not None else replace(leaf, clip=True)
    given = comparator.given_threshold
    threshold = THRESHOLDS.get(comparator.name, comparator.own_threshold) if given is None else given
    source = f"default of {comparator.name}" if given is None else "given to the comparator"
    clip = True if leaf.clip is None else leaf.clip
    return replace(leaf, threshold=threshold, clip=clip, sources={**leaf.sources, "threshold": source})


def _settled(leaf: Leaf, choice: Choice, name: str, looks: Looks, *, is_nil: bool) -> Leaf:
    chosen = WAYS[choice.way]
    config = {**chosen.config, **({"locale": leaf.locale} if leaf.locale else {})}
    if choice.way == "date" and looks.have_day_first is not None:
        config["dayfirst"] = looks.have_day_first
    if choice.way == "number" and not leaf.locale and looks.have_thousands(name):
        config["thousands"] = True
    if choice.way == "phone" and looks.phone_region:
        config["region"] = looks.phone_region
    if is_nil:
        config["nil"] = True
    why = f"inferred: {choice.why}"
    return replace(
        leaf,
        comparator=build(chosen.comparator, config),
        threshold=chosen.threshold if leaf.threshold is None else leaf.threshold,
        clip=chosen.clip if leaf.clip is None else leaf.clip,
        sources={"threshold": why, "clip": why, **leaf.sources, "comparator": why},
    )
