"""The semantics of a comparison, defined by recursion and as plainly as they allow; the engine is held to it.

Nothing here is fast. Every list is matched by trying all assignments, so lists must be short; what is asked for again
is remembered.
It covers lists in any order without a key, and documents without alternates.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import permutations
from math import fsum
from typing import Any, NamedTuple, TypeVar

from fieldwise import ExactComparator, NumericComparator, Spec
from fieldwise.compare.contents import undeclared_content
from fieldwise.compare.reading import WRONG, reader
from fieldwise.spec.nodes import Leaf, ListOf, Node, Object, OneOf, Ref
from fieldwise.spec.paths import escape
from fieldwise.values import ONLY_BLANK, AbsentWords, Json, is_absent, is_list, is_object, same, written

T = TypeVar("T")
N = TypeVar("N", bound=Node)

Counts = Counter[str]
Leaves = Counter[tuple[str, str]]
"""How often each (path, outcome) occurs."""

OUTCOMES = ("tp", "fd", "fa", "fn", "tn")
LIST_SLACK = 1e-10
WEAK_PAIR = 0.01
TIE = 10**9
INNER_LIST = {True: 0.3, False: 0.7}
"""From where two lists that are items of a list are a pair, by whether nothing is declared."""


class Scores(NamedTuple):
    """What two values of one place score."""

    raw: float
    """Decides the verdict of the place; for list items, whether and how they pair."""
    credited: float
    """T: what the place adds to the overall score S of the object around it."""
    plain: float
    """R: what it adds to the RAW of the object around it; for list items, to the score of the list."""


END = Leaf(comparator=ExactComparator(), threshold=1.0, clip=True)
"""A definition inside itself, where neither side goes on."""
ALIKE = Scores(1.0, 1.0, 1.0)
UNLIKE = Scores(0.0, 0.0, 0.0)


class Pair(NamedTuple):
    expected: Json
    predicted: Json
    scores: Scores
    accepted: bool


class Place(NamedTuple):
    """A leaf and what came of it."""

    path: str
    outcome: str
    weight: float
    credited: float
    declared: bool = True


@dataclass(frozen=True)
class Where:
    """The way to a place; ``apart``: it leads through a list item without an accepted partner."""

    path: str = ""
    weight: float = 1.0
    apart: bool = False

    def below(self, name: str, weight: float = 1.0) -> Where:
        path = f"{self.path}.{escape(name)}" if self.path else escape(name)
        return Where(path, self.weight * weight, self.apart)

    def found(self, outcome: str, credited: float = 0.0) -> Place:
        return Place(self.path, outcome, self.weight, credited)


@dataclass
class Matching:
    """The items of two lists, absent ones dropped: in pairs, and left over on either side."""

    pairs: list[Pair]
    missed: list[Json]
    spurious: list[Json]

    @property
    def longer(self) -> int:
        return len(self.pairs) + max(len(self.missed), len(self.spurious))


@dataclass
class Tree:
    """A node of the confusion matrix: its own counts and those of the fields below it."""

    overall: Counts
    fields: dict[str, Tree] = field(default_factory=dict)

    @property
    def aggregate(self) -> Counts:
        if not self.fields:
            return self.overall
        below = total(child.aggregate for child in self.fields.values())
        return below if below.total() else total(child.overall for child in self.fields.values())


def total(counts: Iterable[Counts]) -> Counts:
    return sum(counts, Counter())


def mean(weighted: Iterable[tuple[float, float]], *, empty: float) -> float:
    """Return the weighted mean of (weight, value), summed from left to right; 0 where all weights are 0."""
    weights = values = 0.0
    count = 0
    for weight, value in weighted:
        weights, values, count = weights + weight, values + weight * value, count + 1
    if not count:
        return empty
    return values / weights if weights else 0.0


def get(value: Json, name: str) -> Json:
    return value.get(name) if is_object(value) else None


@dataclass(frozen=True)
class Reference:
    """The comparison of documents under one spec; ``outside`` are undeclared paths that it knows not to count."""

    root: Object
    definitions: Mapping[str, Node]
    outside: frozenset[str] = frozenset()
    words: AbsentWords = ONLY_BLANK
    """Texts that stand for no value, where a field has no others."""
    known: dict[tuple[str, int, int, int], tuple[Any, ...]] = field(default_factory=dict, compare=False, repr=False)
    """Answers that are asked for again and again, by the identity of what they are about, which is kept alive."""

    @classmethod
    def of(cls, spec: Spec) -> Reference:
        full = spec.resolved()
        return cls(full.root, full.definitions, full.outside or frozenset(), full.absent or ONLY_BLANK)

    # What is there

    def node(self, node: Node, *values: Json) -> Leaf | Object | ListOf:
        """Return the node that compares these values: references followed, one arm of several chosen."""
        if isinstance(node, Ref):
            if values and all(self.says_nothing(node, value) for value in values):
                return replace(END, weight=node.weight)
            return self.node(self.definitions.get(node.name, self.root), *values)
        if not isinstance(node, OneOf):
            return node
        present = [v for v in values if not self.says_nothing(node, v)]
        arms = [self.node(arm) for arm in node.arms if not isinstance(arm, Leaf)]
        fitting = [arm for arm in arms if present and all(self.fits(arm, v) for v in present)]
        return fitting[0] if fitting else node.otherwise

    def fits(self, node: Node, value: Json) -> bool:
        """Tell whether a value has the shape that is declared; for leaves, comparison decides."""
        return {Object: is_object, ListOf: is_list}.get(type(self.node(node, value)), lambda _: True)(value)

    def says_nothing(self, node: Node, value: Json) -> bool:
        """Tell whether a value is none at all, whatever is declared: nothing, blank, or a text that stands for none."""
        node = node.otherwise if isinstance(node, OneOf) else node
        own = node.absent if isinstance(node, Leaf) else None
        return is_absent(value, self.words if own is None else own)

    def absent(self, node: Node, value: Json) -> bool:
        """Tell whether nothing that is declared has a value."""
        node = self.node(node, value)
        if isinstance(node, Object) and is_object(value):
            return all(self.absent(child, get(value, name)) for name, child in node.fields.items())
        if isinstance(node, ListOf) and is_list(value):
            return not self.items(node, value)
        return self.says_nothing(node, value)

    def items(self, node: ListOf, value: Json) -> list[Json]:
        return [v for v in value if not self.absent(node.item, v)] if is_list(value) else []

    # What it scores

    def scores(self, node: Node, a: Json, b: Json) -> Scores:
        return self.once(self._scores, node, a, b)

    def once(self, ask: Callable[[N, Json, Json], T], node: N, a: Json, b: Json) -> T:
        """Return the answer to a question about two values, which is looked for once."""
        key = (ask.__name__, id(node), id(a), id(b))
        if key not in self.known:
            self.known[key] = (ask(node, a, b), node, a, b)
        found: T = self.known[key][0]
        return found

    def _scores(self, node: Node, a: Json, b: Json) -> Scores:
        node = self.node(node, a, b)
        nothing = self.absent(node, a), self.absent(node, b)
        if any(nothing):
            return ALIKE if all(nothing) else UNLIKE
        fit = self.fits(node, a), self.fits(node, b)
        if not all(fit):
            return ALIKE if not any(fit) and same(a, b) else UNLIKE
        match node:
            case Leaf():
                raw = self.similarity(node, a, b)
                return Scores(raw, clipped(node, raw), raw)
            case Object():
                raw = self.raw(node, a, b)
                return Scores(raw, clipped(node, raw), self.overall(node, a, b))
            case ListOf(item=Leaf()):
                matching = self.match(node, a, b)
                kept = fsum(pair.scores.raw if pair.accepted else pair.scores.credited for pair in matching.pairs)
                plain = fsum(pair.scores.plain for pair in matching.pairs)
                return Scores(kept / matching.longer, kept / matching.longer, plain / matching.longer)
            case ListOf():
                matching = self.match(node, a, b)
                values = [pair.scores.plain for pair in matching.pairs]
                score = fsum(v for v in values if v >= WEAK_PAIR) / matching.longer
                return Scores(score, score, score)

    def similarity(self, leaf: Leaf, a: Json, b: Json) -> float:
        if same(a, b):
            return 1.0
        comparator = leaf.comparator
        assert comparator is not None
        read = reader(leaf.kind, reads_text=isinstance(comparator, NumericComparator))
        left, right = read(a), read(b)
        if left is WRONG or right is WRONG:
            return float(same(a, b))
        return comparator._compare(left, right)

    def overall(self, node: Object, a: Json, b: Json) -> float:
        """Return S: the weighted mean of T over all fields."""
        if not any(map(weight, node.fields.values())):
            return self.alike(node, a, b)
        return mean(((weight(c), s.credited) for c, s, _ in self.children(node, a, b)), empty=0.0)

    def raw(self, node: Object, a: Json, b: Json) -> float:
        """Return RAW: the weighted mean of R over the fields that a side has."""
        present = [(weight(c), s.plain) for c, s, absent in self.children(node, a, b) if not absent]
        return mean(present, empty=1.0) if any(w for w, _ in present) else self.alike(node, a, b)

    def alike(self, node: Object, a: Json, b: Json) -> float:
        """Return 1 where no field differs: what decides where nothing that is there has a weight."""
        return float(all(absent or s.plain == 1.0 for _, s, absent in self.children(node, a, b)))

    def children(self, node: Object, a: Json, b: Json) -> Iterator[tuple[Node, Scores, bool]]:
        for name, child in node.fields.items():
            x, y = get(a, name), get(b, name)
            yield child, self.scores(child, x, y), self.absent(child, x) and self.absent(child, y)

    # Which items pair

    def match(self, node: ListOf, a: Json, b: Json) -> Matching:
        """Return the pairs of items that are the same, then the best assignment of the others.

        Best is the highest total, then the most accepted pairs, then the first in the order of the items' content.
        """
        return self.once(self._match, node, a, b)

    def _match(self, node: ListOf, a: Json, b: Json) -> Matching:
        left, right = (sorted(self.items(node, side), key=partial(self.content_key, node.item)) for side in (a, b))
        grid = [[self.pair(node.item, x, y) for y in right] for x in left]

        def rank(places: Sequence[tuple[int, int]]) -> tuple[int, int, Sequence[tuple[int, int]]]:
            pairs = [grid[i][j] for i, j in places]
            return -sum(round(p.scores.raw * TIE) for p in pairs), -sum(p.accepted for p in pairs), places

        first = self.same_first(node.item, left, right)
        rows = [i for i in range(len(left)) if i not in {i for i, _ in first}]
        columns = [j for j in range(len(right)) if j not in {j for _, j in first}]
        ways = [[(rows[i], columns[j]) for i, j in way] for way in assignments(len(rows), len(columns))]
        best = sorted([*first, *min(map(rank, ways))[2]])
        return Matching(
            pairs=[grid[i][j] for i, j in best],
            missed=[x for i, x in enumerate(left) if i not in {i for i, _ in best}],
            spurious=[y for j, y in enumerate(right) if j not in {j for _, j in best}],
        )

    def same_first(self, item: Node, left: list[Json], right: list[Json]) -> list[tuple[int, int]]:
        """Pair items, in their order, whose values are identical, then those whose comparators see the same value."""
        pairs: list[tuple[int, int]] = []
        for is_same in (self.identical, self.sees_same):
            for i, x in enumerate(left):
                for j, y in enumerate(right):
                    free = all(i != row and j != column for row, column in pairs)
                    if free and is_same(item, x, y):
                        pairs.append((i, j))
        return pairs

    def identical(self, node: Node, x: Json, y: Json) -> bool:
        node = self.node(node, x, y)
        if isinstance(node, Object) and is_object(x) and is_object(y):
            return all(self.identical(child, get(x, name), get(y, name)) for name, child in node.fields.items())
        return (self.says_nothing(node, x) and self.says_nothing(node, y)) or same(x, y)

    def sees_same(self, node: Node, x: Json, y: Json) -> bool:
        """Tell whether two values are one value to the comparators of their leaves."""
        node = self.node(node, x, y)
        nothing = self.absent(node, x), self.absent(node, y)
        if any(nothing) or self.identical(node, x, y):
            return all(nothing) or not any(nothing)
        if not (self.fits(node, x) and self.fits(node, y)):
            return False
        if isinstance(node, Object):
            return all(self.sees_same(child, get(x, name), get(y, name)) for name, child in node.fields.items())
        if isinstance(node, ListOf):
            left, right = self.items(node, x), self.items(node, y)
            return len(left) == len(right) == len(self.same_first(node.item, left, right))
        assert node.comparator is not None
        read = reader(node.kind, reads_text=isinstance(node.comparator, NumericComparator))
        keys = [None if value is WRONG else node.comparator.key(value) for value in (read(x), read(y))]
        return keys[0] is not None and keys[0] == keys[1]

    def content_key(self, node: Node, value: Json) -> tuple[str, str]:
        """Return what puts items in order: what is declared, then everything."""
        return self.content(node, value, whole=False), self.content(node, value, whole=True)

    def content(self, node: Node, value: Json, *, whole: bool) -> str:
        """Return JSON by which items are in order; the order of items inside of them is no matter."""
        node = self.node(node, value)
        if isinstance(node, Object) and is_object(value):
            texts = {k: self.content(node.fields[k], v, whole=whole) for k, v in value.items() if k in node.fields}
            others = {k: v for k, v in value.items() if whole and k not in node.fields}
            declared = ",".join(f'"{name}":{text}' for name, text in sorted(texts.items()))
            return f"{{{declared}}}{undeclared_content(others) if others else ''}"
        if isinstance(node, ListOf) and is_list(value) and value:
            return "[" + ",".join(sorted(self.content(node.item, item, whole=whole) for item in value)) + "]"
        return json.dumps(value, ensure_ascii=False) if isinstance(value, str) else written(value)

    def pair(self, item: Node, a: Json, b: Json) -> Pair:
        scores = self.scores(item, a, b)
        item = self.node(item, a, b)
        if isinstance(item, ListOf):
            return Pair(a, b, scores, scores.raw >= INNER_LIST[item.origin == "open"])
        limit = item.threshold if isinstance(item, Leaf) else item.match_threshold
        assert limit is not None
        slack = LIST_SLACK if isinstance(item, Leaf) else 0.0
        return Pair(a, b, scores, scores.raw >= limit - slack)

    # How it is counted: objects

    def tree(self, a: Json, b: Json, *, extras: bool = False) -> Tree:
        """Return the counts of ``unmatched="objects"``, unknown keys counted at the root if asked for."""
        fields = {name: self.field(child, get(a, name), get(b, name)) for name, child in self.root.fields.items()}
        overall = total(child.overall for child in fields.values())
        return Tree(overall + Counter(fa=self.unknown_keys(self.root, a, b) if extras else 0), fields)

    def field(self, node: Node, a: Json, b: Json) -> Tree:
        node = self.node(node, a, b)
        nothing = self.absent(node, a), self.absent(node, b)
        if all(nothing):
            return Tree(Counter(tn=1))
        if any(nothing):
            present = b if nothing[0] else a
            count = len(self.items(node, present)) if isinstance(node, ListOf) else 1
            return Tree(Counter({"fa" if nothing[0] else "fn": count or 1}))
        fit = self.fits(node, a) and self.fits(node, b)
        if isinstance(node, ListOf) and fit:
            return self.list(node, a, b)
        limit = node.threshold if isinstance(node, (Leaf, Object)) else 1.0
        assert limit is not None
        alike = self.scores(node, a, b).raw >= limit
        tree = Tree(Counter(tp=1) if alike and (fit or same(a, b)) else Counter(fd=1))
        if isinstance(node, Object) and fit:
            tree.fields = {k: self.field(child, get(a, k), get(b, k)) for k, child in node.fields.items()}
        return tree

    def list(self, node: ListOf, a: Json, b: Json) -> Tree:
        matching = self.match(node, a, b)
        accepted = [pair for pair in matching.pairs if pair.accepted]
        bad = len(matching.pairs) - len(accepted)
        counts = {"tp": len(accepted), "fd": bad, "fn": len(matching.missed), "fa": len(matching.spurious)}
        below = (self.field(node.item, pair.expected, pair.predicted).fields for pair in accepted)
        return Tree(+Counter(counts), merged(below))

    def unknown_keys(self, node: Object, a: Json, b: Json) -> int:
        if not (is_object(a) and is_object(b)):
            return 0
        nested = ((self.node(c, get(a, k), get(b, k)), get(a, k), get(b, k)) for k, c in node.fields.items())
        below = sum(self.unknown_keys(child, x, y) for child, x, y in nested if isinstance(child, Object))
        return sum(key not in node.fields for key in b) + below

    # How it is counted: leaves

    def leaves(self, a: Json, b: Json, *, extras: bool = False) -> Leaves:
        """Return the counts of ``unmatched="leaves"``, values that are spurious under unknown keys if asked for."""
        places = self.places(self.root, a, b, Where())
        outside = self.outside | {path for path, _ in self.unknown(self.root, a, "")}
        return Counter(
            (place.path, place.outcome) for place in places if place.declared or (extras and place.path not in outside)
        )

    def unknown(self, node: Node, value: Json, path: str) -> Iterator[tuple[str, Json]]:
        """Yield every key of a document that is not declared, with its path, and all that is below it."""
        node = self.node(node, value)
        if isinstance(node, Object) and is_object(value):
            for name, inner in value.items():
                at = f"{path}.{escape(name)}" if path else escape(name)
                if name in node.fields:
                    yield from self.unknown(node.fields[name], inner, at)
                else:
                    yield from below(at, inner)
        elif isinstance(node, ListOf) and is_list(value):
            for item in value:
                yield from self.unknown(node.item, item, path)

    def outside_values(self, a: Json, b: Json) -> dict[str, tuple[int, int]]:
        """Return how many values of either side count nowhere, by path."""
        ours = Counter(path for path, value in self.unknown(self.root, a, "") if self.has_value(value))
        known = self.outside | {path for path, _ in self.unknown(self.root, a, "")}
        theirs = Counter(p.path for p in self.places(self.root, a, b, Where()) if not p.declared and p.path in known)
        return {path: (ours[path], theirs[path]) for path in ours.keys() | theirs.keys()}

    def weighted(self, a: Json, b: Json) -> float | None:
        """Return the mean T of the leaves that a side has, weighted; None where there are none.

        An invented value under an undeclared key weighs 1.
        """
        outside = self.outside | {path for path, _ in self.unknown(self.root, a, "")}
        places = [p for p in self.places(self.root, a, b, Where()) if p.outcome != "tn"]
        places = [p for p in places if p.declared or p.path not in outside]
        return mean(((p.weight, p.credited) for p in places), empty=0.0) if places else None

    def places(self, node: Node, a: Json, b: Json, at: Where) -> Iterator[Place]:
        node = self.node(node, a, b)
        if isinstance(node, Leaf):
            yield from self.leaf(node, a, b, at)
            return
        # A value of a wrong kind holds no declared leaves. It is a leaf itself, unless it only spoils a prediction.
        wrong = [None if self.says_nothing(node, v) or self.fits(node, v) else v for v in (a, b)]
        stray = wrong[0] is not None or (wrong[1] is not None and self.absent(node, a))
        if stray:
            yield from self.leaf(node, wrong[0], wrong[1], at)
        a, b = (v if w is None else None for v, w in zip((a, b), wrong, strict=True))
        if isinstance(node, Object):
            for name, child in node.fields.items():
                yield from self.places(child, get(a, name), get(b, name), at.below(name, weight(child)))
            yield from self.unknown_leaves(node, b, at)
        else:
            yield from self.item_places(node, a, b, at, stray)

    def leaf(
        self, node: Leaf | Object | ListOf, a: Json, b: Json, at: Where, accepted: bool = False
    ) -> Iterator[Place]:
        """Yield the outcome of a value, or of two values of a wrong kind."""
        match self.says_nothing(node, a), self.says_nothing(node, b):
            case True, True:
                if not at.apart:
                    yield at.found("tn")
            case True, False:
                yield at.found("fa")
            case False, True:
                yield at.found("fn")
            case _:
                scores = self.scores(node, a, b)
                limit = node.threshold if isinstance(node, Leaf) else 1.0
                assert limit is not None
                alike = not at.apart and (accepted or scores.raw >= limit)
                credited = scores.raw if alike else scores.credited
                yield at.found("tp" if alike else "fd", 0.0 if at.apart else credited)

    def item_places(self, node: ListOf, a: Json, b: Json, at: Where, stray: bool) -> Iterator[Place]:
        matching = self.match(node, a, b)
        alone = replace(at, apart=True)
        if isinstance(node.item, Leaf) and not matching.longer and not stray:
            yield from self.leaf(node.item, None, None, at)
        for pair in matching.pairs:
            if isinstance(node.item, Leaf):
                yield from self.leaf(node.item, pair.expected, pair.predicted, at, pair.accepted)
            else:
                yield from self.places(node.item, pair.expected, pair.predicted, at if pair.accepted else alone)
        for item in matching.missed:
            yield from self.places(node.item, item, None, alone)
        for item in matching.spurious:
            yield from self.places(node.item, None, item, alone)
        for item in b if is_list(b) else ():
            if self.absent(node.item, item):
                yield from self.places(node.item, None, item, alone)

    def unknown_leaves(self, node: Object, value: Json, at: Where) -> Iterator[Place]:
        """Yield one spurious place for each leaf with a value under a key that is not declared."""
        todo = [(at.below(k), v) for k, v in value.items() if k not in node.fields] if is_object(value) else []
        for place, inner in todo:
            if is_object(inner):
                todo.extend((place.below(k), v) for k, v in inner.items())
            elif is_list(inner):
                todo.extend((place, v) for v in inner)
            elif self.has_value(inner):
                yield place.found("fa")._replace(declared=False, weight=1.0)

    def has_value(self, value: Json) -> bool:
        return not (is_object(value) or is_list(value) or is_absent(value, self.words))


def below(path: str, value: Json) -> Iterator[tuple[str, Json]]:
    """Yield a value and all values in it, each with its path without list positions."""
    yield path, value
    if is_object(value):
        for name, inner in value.items():
            yield from below(f"{path}.{escape(name)}", inner)
    elif is_list(value):
        for inner in value:
            yield from below(path, inner)


def clipped(node: Leaf | Object, raw: float) -> float:
    assert node.threshold is not None
    return 0.0 if raw < node.threshold and node.clip else raw


def weight(node: Node) -> float:
    assert node.weight is not None
    return node.weight


def assignments(rows: int, columns: int) -> Iterator[list[tuple[int, int]]]:
    """Yield every way to pair as many as possible, each in order of rows."""
    if rows <= columns:
        yield from (list(enumerate(p)) for p in permutations(range(columns), rows))
    else:
        yield from (sorted((i, j) for j, i in enumerate(p)) for p in permutations(range(rows), columns))


def merged(fields: Iterable[Mapping[str, Tree]]) -> dict[str, Tree]:
    """Return the fields of several accepted pairs, counts added."""
    together: dict[str, list[Tree]] = {}
    for below in fields:
        for name, tree in below.items():
            together.setdefault(name, []).append(tree)
    return {
        name: Tree(total(t.overall for t in trees), merged(t.fields for t in trees)) for name, trees in together.items()
    }
