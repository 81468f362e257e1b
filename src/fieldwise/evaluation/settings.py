"""What decides the numbers of an evaluation: the spec, closed by the documents, and how it is applied.

Settings can be sent to other processes, which compile the plan themselves.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Literal

from fieldwise.compare import Plan
from fieldwise.compare.rich_values import unwrap
from fieldwise.counting.cells import Cells
from fieldwise.errors import InputError
from fieldwise.limits import MAX_WORK, ReadLimits, changed_limits
from fieldwise.readers.pairs import PairSource, without_ids
from fieldwise.readers.peek import first_reason
from fieldwise.spec import Spec
from fieldwise.spec.inference import SAMPLE_SIZE
from fieldwise.spec.nodes import SpecExtras
from fieldwise.values import Json

Unmatched = Literal["leaves", "objects"]
WRAPPER = "document"
"""The name under which documents that are no objects are compared."""


@dataclass(frozen=True)
class Settings:
    """``wrapped``: documents that are no objects are compared under one name."""

    spec: Spec
    unmatched: Unmatched = "leaves"
    verdicts: bool = True
    wrapped: bool = False
    reading: ReadLimits = field(default_factory=ReadLimits)
    max_work: int = MAX_WORK
    slices: tuple[str, ...] = ()
    """Keys of metadata by whose values documents are counted apart."""
    cluster_by: str | None = None
    """The key of documents that belong together."""

    def spec_of(self, document_class: str | None = None) -> Spec:
        """Return the spec for documents of a class: one for all of them."""
        return self.spec

    @property
    def extras(self) -> SpecExtras:
        """How predicted keys that no field declares are counted."""
        return self.spec_of().extras or "leaves"

    @cached_property
    def plan(self) -> Plan:
        """The compiled plan, made once in each process."""
        return Plan.compile(self.spec_of(), max_work=self.max_work)

    @cached_property
    def fingerprint(self) -> str:
        """The fingerprint of everything that decides a number."""
        return self.plan.fingerprint(self.unmatched, self.extras, changed_limits(self.reading, self.max_work))

    def to_json(self) -> Mapping[str, Json]:
        """Return what a resumed evaluation must agree with."""
        return {
            "fingerprint": self.fingerprint,
            "verdicts": self.verdicts,
            "wrapped": self.wrapped,
            "slices": list(self.slices),
            "cluster_by": self.cluster_by,
        }

    def new_cells(self) -> Cells:
        """Return counts of no documents."""
        return Cells(self.slices, objects=self.unmatched == "objects", clustered=self.cluster_by is not None)

    def __getstate__(self) -> dict[str, Any]:
        return {name: self.__dict__[name] for name in self.__dataclass_fields__}


def closed_spec(
    source: PairSource, spec: Spec | None = None, *, match_threshold: float | None = None
) -> tuple[Spec, bool]:
    """Return the spec by which a source is evaluated: what is declared, the rest closed by the expected documents with
    the first ids; True where documents are no objects.
    """
    if spec is not None:
        return _closed(spec.well_formed(), source, match_threshold)
    sample = [unwrap(document).document for document in without_ids(source).sample(SAMPLE_SIZE)]
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
    return replace(Spec.infer(sample, match_threshold=match_threshold), outside=frozenset()), wrapped


def _closed(spec: Spec, source: PairSource, match_threshold: float | None) -> tuple[Spec, bool]:
    """Return the spec without open settings, and with the undeclared paths of expected documents, which count nowhere.

    A spec that lists such paths already, as spec.json of an earlier evaluation does, keeps them.
    """
    plan = Plan.compile(spec)
    held = without_ids(source, spec.root.fields).sample(SAMPLE_SIZE)
    wrapped = list(spec.root.fields) == [WRAPPER] and bool(held) and not any(isinstance(d, dict) for d in held)
    sample = [unwrap({WRAPPER: d} if wrapped else d, plan.root).document for d in held]
    outside = plan.undeclared_paths(sample) if spec.outside is None else spec.outside
    return replace(spec.closed(sample, match_threshold=match_threshold), outside=outside), wrapped
