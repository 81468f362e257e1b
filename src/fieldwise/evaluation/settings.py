"""What decides the numbers of an evaluation: the spec, closed by the documents, and how it is applied.

Settings can be sent to other processes, which compile the plan themselves.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Literal

from fieldwise.compare import Plan
from fieldwise.compare.rich_values import unwrap, unwrapped
from fieldwise.counting.cells import Cells
from fieldwise.errors import InputError, SettingError
from fieldwise.limits import MAX_CELLS, ReadLimits, changed_limits
from fieldwise.readers.pairs import PairSource, without_ids
from fieldwise.readers.peek import PEEK, class_samples, first_classes, first_reason
from fieldwise.results.notes import Note
from fieldwise.spec import Object, Spec
from fieldwise.spec.inference import SAMPLE_SIZE, infer_root
from fieldwise.spec.nodes import OtherClasses, SpecExtras, Undeclared, Words, absent_words, check_other_classes
from fieldwise.values import DEFAULT_WORDS, AbsentWords, Json

Unmatched = Literal["leaves", "objects"]
_MAX_LISTED = 5
WRAPPER = "document"
"""The name under which documents that are no objects are compared."""


_NO_FIELDS = Spec(Object(fields={}, name="Document", origin="open", may_be_empty=True), outside=frozenset())


@dataclass(frozen=True)
class Settings:
    """``wrapped``: documents that are no objects are compared under one name."""

    spec: Spec
    unmatched: Unmatched = "leaves"
    rows: bool = True
    """Whether anything of single values is kept, beside sums."""
    values: bool = True
    """Whether the values themselves are, with the pairs."""
    wrapped: bool = False
    reading: ReadLimits = field(default_factory=ReadLimits)
    max_cells: int = MAX_CELLS
    slices: tuple[str, ...] = ()
    """Keys of metadata by whose values documents are counted apart."""
    cluster_by: str | None = None
    """The key of documents that belong together."""

    def spec_of(self, document_class: str | None = None) -> Spec:
        """Return the spec for documents of a class: its own where there are specs of classes, else that of all.

        A class that nobody expects has no fields: whatever is predicted in it is spurious.
        """
        if document_class is None or not self.spec.classes:
            return self.spec
        return self.spec.classes.get(self.class_named(document_class), _NO_FIELDS)

    def class_named(self, document_class: str) -> str:
        """Return a class as the spec spells it: letter case does not matter."""
        return self._spellings.get(document_class.casefold(), document_class)

    def why_excluded(self, document_class: str | None) -> str | None:
        """Return why documents of a class are not scored; None where they are."""
        if document_class is None:
            return None
        name = self.class_named(document_class)
        is_other = self.spec.other_classes == "exclude" and name not in self.spec.classes
        return self.spec.excluded.get(name, "its class is not in the config" if is_other else None)

    @cached_property
    def _spellings(self) -> dict[str, str]:
        return {name.casefold(): name for name in (*self.spec.excluded, *self.spec.classes)}

    @property
    def has_classes(self) -> bool:
        """Whether documents of different classes are compared differently, or not at all."""
        return bool(self.spec.classes or self.spec.excluded)

    @property
    def excludes_classes(self) -> bool:
        """Whether documents of some classes are not scored."""
        return bool(self.spec.excluded or self.spec.other_classes == "exclude")

    @property
    def extras(self) -> Undeclared:
        """How predicted keys that no field declares are counted."""
        return self.plan.root.extras or "leaves"

    @cached_property
    def plan(self) -> Plan:
        """The compiled plan of documents without a class, made once in each process."""
        return Plan.compile(self.spec_of(), max_cells=self.max_cells)

    def plan_of(self, document_class: str | None = None, instead_of: str | None = None) -> Plan:
        """Return the compiled plan of a class; what is predicted ``instead_of`` another class may have what that one
        leaves out.
        """
        spec = self.spec_of(document_class)
        more = frozenset[str]() if instead_of is None else self.spec_of(instead_of).outside or frozenset()
        if spec is self.spec and not more:
            return self.plan
        own = None if spec is _NO_FIELDS else self.class_named(str(document_class))
        key = own, instead_of if more else None
        plan = self._plans.get(key)
        if plan is None:
            spec = replace(spec, outside=(spec.outside or frozenset()) | more)
            plan = self._plans[key] = Plan.compile(spec, max_cells=self.max_cells, extras=self.extras, beside=self.plan)
        return plan

    @cached_property
    def _plans(self) -> dict[tuple[str | None, str | None], Plan]:
        return {}

    @cached_property
    def fingerprint(self) -> str:
        """The fingerprint of everything that decides a number."""
        return self.plan.fingerprint(self.unmatched, self.extras, changed_limits(self.reading, self.max_cells))

    def to_json(self) -> Mapping[str, Json]:
        """Return what a resumed evaluation must agree with."""
        return {
            "fingerprint": self.fingerprint,
            "values": self.values,
            "wrapped": self.wrapped,
            "slices": list(self.slices),
            "cluster_by": self.cluster_by,
        }

    def new_cells(self) -> Cells:
        """Return counts of no documents."""
        return Cells(self.slices, objects=self.unmatched == "objects", clustered=self.cluster_by is not None)

    def __getstate__(self) -> dict[str, Any]:
        return {name: self.__dict__[name] for name in self.__dataclass_fields__}


def with_other_classes(spec: Spec | None, others: OtherClasses) -> Spec | None:
    """Return the spec with what becomes of classes that it does not have; without any class, none can be excluded."""
    check_other_classes(others, "")
    if others == "exclude" and (spec is None or not (spec.classes or spec.excluded)):
        raise SettingError(
            "Expected specs of classes where other classes are excluded, got none",
            code="spec.no_classes",
            facts={"setting": "other_classes"},
            advice="give a spec of classes",
        )
    return None if spec is None else replace(spec, other_classes=others)


def closed_spec(
    source: PairSource,
    spec: Spec | None = None,
    *,
    match_threshold: float | None = None,
    extras: SpecExtras | None = None,
    absent: Words | None = None,
) -> tuple[Spec, bool]:
    """Return the spec by which a source is evaluated: what is declared, the rest closed by the expected documents with
    the first ids, of each class where there are classes; True where documents are no objects.

    ``extras`` and ``absent`` are in place of what the spec says.
    """
    spec = None if spec is None else spec.with_settings(extras=extras, absent=absent)
    declares_classes = spec is not None and bool(spec.classes or spec.excluded)
    if declares_classes or (spec is None and any(name is not None for name, _ in first_classes(source, PEEK))):
        words = DEFAULT_WORDS if absent is None else absent_words(absent)
        return closed_classes(source, spec, match_threshold, words).with_settings(extras=extras), False
    if spec is not None:
        return _closed(spec.well_formed(), source, match_threshold)
    sample = unwrapped(without_ids(source).sample(SAMPLE_SIZE))
    if not sample:
        why = first_reason(source, "expected")
        raise InputError(
            f"Nothing to infer a spec from: {source.describe()} has no expected document that can be read"
            + f"; {why}" * bool(why),
            code="spec.nothing_to_infer",
            facts={"file": source.describe()},
        )
    wrapped = not any(isinstance(document, dict) for document in sample)
    sample = [{WRAPPER: document} for document in sample] if wrapped else sample
    inferred = Spec.infer(sample, match_threshold=match_threshold, absent=absent).with_settings(extras=extras)
    return replace(inferred, outside=frozenset()), wrapped


def closed_classes(source: PairSource, spec: Spec | None, match_threshold: float | None, absent: AbsentWords) -> Spec:
    """Return the spec of each class, closed by its first expected documents; a class that is not declared is inferred.

    Documents without a class are compared by what is inferred from them or, where all have one, by the fields of all
    classes. ``absent`` are texts that stand for no value where there is no spec.
    """
    samples = class_samples(source, SAMPLE_SIZE)
    words = absent if spec is None else spec.absent_words
    declared = {} if spec is None else {name.casefold(): name for name in (*spec.classes, *spec.excluded)}
    classes = {} if spec is None else {name: _completing(own, spec.extras) for name, own in spec.classes.items()}
    excluded = {} if spec is None else spec.excluded
    others: dict[str, str] = {}
    for name in sorted(filter(None, samples)):
        if name.casefold() not in declared and any(isinstance(d, dict) and d for d in samples[name]):
            others.setdefault(name.casefold(), name)
    is_inferred = spec is None or spec.other_classes != "exclude"
    for key, name in others.items() if is_inferred else ():
        classes[name] = Spec(infer_root(unwrapped(samples[name]), words), absent=words)
        declared[key] = name
    notes = [] if spec is None else [*spec.notes, *_other_classes(list(others.values()), is_inferred=is_inferred)]
    held: dict[str, list[Json]] = {}
    for known, documents in samples.items():
        held.setdefault(declared.get((known or "").casefold(), ""), []).extend(documents)
    closed = {name: _closed_by(own, held.get(name, []), match_threshold) for name, own in classes.items()}
    whole = Spec.of_classes(closed, excluded)
    if samples.get(None):
        root = Spec.infer(unwrapped(samples[None]), match_threshold=match_threshold, absent=tuple(words))
        whole = replace(whole, root=root.root, definitions=root.definitions)
    return replace(
        whole,
        root=whole.closed().root,
        extras=None if spec is None or spec.extras == "infer" else spec.extras,
        absent=words,
        other_classes=None if spec is None else spec.other_classes,
        outside=frozenset(),
        notes=(*notes, *(note for own in closed.values() for note in own.notes)),
    )


def _completing(spec: Spec, extras: SpecExtras | None) -> Spec:
    """Return the spec of a class, to be completed by its expected documents where the spec of all asks for that."""
    return replace(spec, extras=extras) if extras == "infer" else spec


def _other_classes(names: Sequence[str], *, is_inferred: bool) -> Iterator[Note]:
    """Yield which classes are not in the config, where there are any."""
    if names:
        listed = list(names[:_MAX_LISTED])
        yield Note.of("classes.not_declared", count=len(names), classes=listed, inferred=is_inferred)


def _closed_by(spec: Spec, sample: Sequence[Json], match_threshold: float | None) -> Spec:
    spec = spec.well_formed()
    plan = Plan.compile(spec)
    documents = [unwrap(document, plan.root).document for document in sample[:SAMPLE_SIZE]]
    return _closed_with(spec, plan, documents, match_threshold)


def _closed(spec: Spec, source: PairSource, match_threshold: float | None) -> tuple[Spec, bool]:
    """Return the spec without open settings, and with the undeclared paths of expected documents, which count nowhere.

    A spec that lists such paths already, as spec.json of an earlier evaluation does, keeps them.
    """
    plan = Plan.compile(spec)
    held = without_ids(source, spec.root.fields).sample(SAMPLE_SIZE)
    wrapped = list(spec.root.fields) == [WRAPPER] and bool(held) and not any(isinstance(d, dict) for d in held)
    sample = [unwrap({WRAPPER: d} if wrapped else d, plan.root).document for d in held]
    return _closed_with(spec, plan, sample, match_threshold), wrapped


def _closed_with(spec: Spec, plan: Plan, sample: Sequence[Json], match_threshold: float | None) -> Spec:
    closed = spec.closed(sample, match_threshold=match_threshold)
    if spec.extras == "infer":  # what was outside is declared now
        return replace(closed, outside=Plan.compile(closed).undeclared_paths(sample))
    return replace(closed, outside=plan.undeclared_paths(sample) if spec.outside is None else spec.outside)
