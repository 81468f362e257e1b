"""What a set of documents counts, once more: plain Python over the documents, nothing of fieldwise's own counting.

Which items of two lists pair, and what a value scores, is the recursive definition's; everything that is added up, and
under which name, is said here again, as plainly as it allows. Every door of fieldwise is held to it.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain
from typing import Any, NamedTuple

from fieldwise import Spec
from fieldwise.spec.nodes import Leaf, ListOf, Node, Object
from fieldwise.spec.paths import escape
from tests.reference import Reference, Where, get

Json = Any
Key = tuple[str, str]
"""A path, and what is counted there: values, object, rows or grid, the rows of a list of lists of values."""
UNREADABLE = object()
"""A side that is there and cannot be read."""
MISSING = object()
UNKNOWN_CLASS = ""
"""Of a section that cannot be read: it may be of any class."""


class Section(NamedTuple):
    """A part of a document, without page numbers."""

    id: str
    document_class: str
    content: Json


@dataclass(frozen=True)
class Document:
    """One document as both sides have it, with its trials; of sections, or whole."""

    id: str
    expected: Json
    trials: Sequence[Json]
    document_class: str | None = None


@dataclass
class Counted:
    """Counts by path and kind, the score of the values with its weight, and what is outside of the spec."""

    rows: dict[Key, Counter[str]] = field(default_factory=lambda: defaultdict(Counter))
    score: float = 0.0
    weight: float = 0.0
    seen: int = 0
    """How many values either side has."""
    total_by_objects: Counter[str] = field(default_factory=Counter)
    overall_by_objects: Counter[str] = field(default_factory=Counter)

    def add(self, other: Counted) -> None:
        for key, counts in other.rows.items():
            self.rows[key].update(counts)
        self.score += other.score
        self.weight += other.weight
        self.seen += other.seen
        self.total_by_objects.update(other.total_by_objects)
        self.overall_by_objects.update(other.overall_by_objects)

    @property
    def total(self) -> Counter[str]:
        """The counts of all values."""
        return sum((counts for (_, kind), counts in self.rows.items() if kind == "values"), Counter[str]())

    @property
    def overall(self) -> Counter[str]:
        """The counts of the top level: values, objects and rows, but a list of lists by its values alone."""
        top = [counts for (path, kind), counts in self.rows.items() if "." not in path and kind != "grid"]
        return sum(top, Counter[str]())

    @property
    def weighted(self) -> float | None:
        """The score of the values; None where there are none."""
        return (self.score / self.weight if self.weight else 0.0) if self.seen else None

    def shown(self) -> dict[str, Counter[str]]:
        """Return the counts that are not all 0, under the names that people read."""
        kinds = defaultdict[str, set[str]](set)
        for path, kind in self.rows:
            kinds[path].add(kind)
        shown = {}
        for (path, kind), counts in self.rows.items():
            has_object, has_rows = "object" in kinds[path], "rows" in kinds[path]
            if kind == "values":
                name = f"{path}[values]" if has_object or has_rows else path
            elif kind == "grid":
                name = f"{path}[grid]" if has_object and has_rows else f"{path}[rows]"
            else:
                name = f"{path}[rows]" if kind == "rows" and has_object else path
            if counts.total():
                shown[name] = counts
        return shown


def counted(reference: Reference, expected: Json, predicted: Json, outside: frozenset[str] = frozenset()) -> Counted:
    """Count two documents by values, those under keys that nobody expects included."""
    made = Counted()
    known = reference.outside | outside | {path for path, _ in reference.unknown(reference.root, expected, "")}
    for place in reference.places(reference.root, expected, predicted, Where()):
        if not place.declared and place.path in known:
            continue
        made.rows[place.path, "values"][place.outcome] += 1
        if place.outcome != "tn":
            made.score += place.weight * place.credited
            made.weight += place.weight
            made.seen += 1
    for path, kind, outcomes in wholes(reference, reference.root, expected, predicted, Whole()):
        made.rows[path, kind].update(outcomes)
    return made


def counted_by_objects(reference: Reference, expected: Json, predicted: Json, outside: frozenset[str]) -> Counted:
    """Count two documents as other systems do, a row as one; values under keys that nobody expects by themselves."""
    made, by_values = Counted(), counted(reference, expected, predicted, outside)
    made.score, made.weight, made.seen = by_values.score, by_values.weight, by_values.seen
    tree = reference.tree(expected, predicted)
    spurious = [p.path for p in reference.places(reference.root, expected, predicted, Where()) if not p.declared]
    known = reference.outside | outside | {path for path, _ in reference.unknown(reference.root, expected, "")}
    unknown = Counter(path for path in spurious if path not in known)
    made.total_by_objects = tree.aggregate + Counter(fa=unknown.total())
    made.overall_by_objects = tree.overall + Counter(fa=unknown.total())
    for path, count in unknown.items():
        made.rows[path, "any"]["fa"] += count
    todo = [(escape(name), inner) for name, inner in tree.fields.items()]
    for path, inner in todo:
        made.rows[path, "any"].update(inner.overall)
        todo += [(f"{path}.{escape(name)}", below) for name, below in inner.fields.items()]
    return made


@dataclass(frozen=True)
class Whole:
    """Where an object or a list is; ``apart``: in a row without an accepted partner."""

    path: str = ""
    apart: bool = False
    is_row: bool = False
    """Whether it is the item of a list, which counts it."""

    def outcome(self, expected: bool, predicted: bool, *, alike: bool = True) -> list[str]:
        """Return what it counts, given which sides have it: nothing in a lost row where no side has."""
        if expected or predicted:
            both = "tp" if alike and not self.apart else "fd"
            return [both if expected and predicted else "fn" if expected else "fa"]
        return [] if self.apart else ["tn"]


def wholes(ref: Reference, node: Node, a: Json, b: Json, at: Whole) -> Iterator[tuple[str, str, list[str]]]:
    """Yield the path and kind of every object and list, and what it counts: one outcome, or those of its rows.

    A text in place of an expected object is a wrong object; in place of none it is a value, and no object.
    """
    node = ref.node(node, a, b)
    if isinstance(node, Leaf) or (isinstance(node, ListOf) and isinstance(node.item, Leaf)):
        return
    wrong_a, wrong_b = (not ref.says_nothing(node, v) and not ref.fits(node, v) for v in (a, b))
    left, right = None if wrong_a else a, None if wrong_b else b
    has_a, has_b = not ref.absent(node, left), not ref.absent(node, right)
    if isinstance(node, ListOf):
        yield from rows(ref, node, left, right, at, is_list=not (wrong_a or wrong_b))
        return
    outcomes: list[str] = []
    if wrong_b and has_a:
        outcomes = at.outcome(True, True, alike=False)
    elif has_b or not (wrong_a or wrong_b):
        alike = has_a and has_b and ref.scores(node, a, b).raw >= (node.threshold or 0.0)
        outcomes = at.outcome(has_a, has_b, alike=alike)
    if at.path and not at.is_row:
        yield at.path, "object", outcomes
    for name, child in node.fields.items():
        path = f"{at.path}.{escape(name)}" if at.path else escape(name)
        yield from wholes(ref, child, get(left, name), get(right, name), replace(at, path=path, is_row=False))


def rows(
    ref: Reference, node: ListOf, a: Json, b: Json, at: Whole, *, is_list: bool
) -> Iterator[tuple[str, str, list[str]]]:
    """Yield the rows of a list, unless it is a row itself, and what is inside them."""
    matching, alone = ref.match(node, a, b), replace(at, is_row=True, apart=True)
    sides = [(pair.expected, pair.predicted, pair.accepted) for pair in matching.pairs]
    sides += [(item, None, False) for item in matching.missed] + [(None, item, False) for item in matching.spurious]
    if not at.is_row:
        found = [at.outcome(x is not None, y is not None, alike=accepted) for x, y, accepted in sides]
        none = [] if sides or not is_list else at.outcome(False, False)
        yield at.path, "grid" if is_grid(node) else "rows", [*none, *chain(*found)]
    for x, y, accepted in sides:
        yield from wholes(ref, node.item, x, y, replace(at, is_row=True) if accepted else alone)


def is_grid(node: ListOf) -> bool:
    """Tell whether a list holds lists, and these nothing but values."""
    item: Node = node.item
    while isinstance(item, ListOf):
        item = item.item
    return isinstance(node.item, ListOf) and isinstance(item, Leaf)


# Documents and sections


NOTHING = Object(fields={}, threshold=0.7, match_threshold=0.3, weight=1.0, clip=True)
"""How a class is compared that nobody expects."""


@dataclass
class Recount:
    """Everything that a set of documents counts."""

    whole: Counted = field(default_factory=Counted)
    classes: dict[str, Counted] = field(default_factory=lambda: defaultdict(Counted))
    trials: dict[tuple[str, int], Counted] = field(default_factory=dict)
    statuses: Counter[str] = field(default_factory=Counter)
    sections: Counter[str] = field(default_factory=Counter)

    @property
    def mean_score(self) -> float | None:
        """The mean of the documents' weighted scores, each the mean over its trials."""
        scores = defaultdict[str, list[float]](list)
        for (name, _), held in self.trials.items():
            if held.weighted is not None:
                scores[name].append(held.weighted)
        means = [sum(own) / len(own) for own in scores.values()]
        return sum(means) / len(means) if means else None

    @property
    def document_count(self) -> int:
        return len({name for name, _ in self.trials})


def recount(spec: Spec, documents: Iterable[Document], *, by_objects: bool = False) -> Recount:
    """Count documents under a closed spec."""
    count = counted_by_objects if by_objects else counted
    made, references = Recount(), {name: Reference.of(own) for name, own in spec.classes.items()}
    whole = Reference.of(spec)
    unexpected = replace(whole, root=NOTHING, outside=frozenset(), known={})

    def of(name: str | None) -> Reference:
        return references.get(name, unexpected) if name is not None and references else whole

    for document in documents:
        if document.expected is UNREADABLE:
            made.statuses["unreadable_expected"] += 1
            continue
        for number, predicted in enumerate(document.trials, start=1):
            parts = list(parts_of(document, predicted, made.sections))
            made.statuses[status_of(predicted)] += 1
            own = made.trials[document.id, number] = Counted()
            for name, instead_of, expected, prediction in parts:
                outside = frozenset[str]() if instead_of is None else of(instead_of).outside
                found = count(of(name), expected, prediction, outside)
                own.add(found)
                if name is not None:
                    made.classes[name].add(found)
            made.whole.add(own)
    return made


def status_of(predicted: Json) -> str:
    """Return what becomes of a document by its prediction."""
    if predicted is MISSING or predicted == []:
        return "no_prediction"
    held = [section.content for section in predicted] if isinstance(predicted, list) else [predicted]
    return "unreadable_prediction" if any(content is UNREADABLE for content in held) else "scored"


Part = tuple[str | None, str | None, Json, Json]
"""A class, the class that was expected in its place, and both sides of what is compared."""


def parts_of(document: Document, predicted: Json, statuses: Counter[str]) -> Iterator[Part]:
    """Yield what is compared of a document: its sections by their classes, or the document itself."""
    if not isinstance(document.expected, list):
        prediction = None if predicted is MISSING or predicted is UNREADABLE else predicted
        yield document.document_class, None, document.expected, prediction
        return
    expected: list[Section] = document.expected
    left = [] if predicted is MISSING else list(predicted)
    partners: dict[str, Section] = {}

    def pair(section: Section, partner: Section | None) -> None:
        if partner is not None and section.id not in partners:
            partners[section.id] = partner
            left.remove(partner)

    for section in expected:
        own = (p for p in left if p.id == section.id and p.document_class in (section.document_class, UNKNOWN_CLASS))
        pair(section, next(own, None))
    for section in expected:
        if section.id not in partners:
            pair(section, next((p for p in left if p.document_class == section.document_class), None))
    for section in expected:
        pair(section, next((p for p in left if p.id == section.id), None))
    for section in expected:
        partner = partners.get(section.id)
        if partner is None or partner.content is UNREADABLE:
            statuses["lost"] += 1
            yield section.document_class, None, section.content, None
        elif partner.document_class == section.document_class:
            statuses["paired"] += 1
            yield section.document_class, None, section.content, partner.content
        else:
            statuses["wrong_class"] += 1
            yield section.document_class, None, section.content, None
            yield partner.document_class, section.document_class, {}, partner.content
    for section in left:
        statuses["extra"] += 1
        if section.content is not UNREADABLE:
            yield section.document_class, None, {}, section.content
