"""What decides the numbers of an evaluation. It can be sent to other processes, which compile the plan themselves."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Literal

from fieldwise.compare import Plan
from fieldwise.limits import MAX_WORK, ReadLimits, changed_limits
from fieldwise.spec import Spec
from fieldwise.spec.nodes import SpecExtras
from fieldwise.values import Json

Unmatched = Literal["leaves", "objects"]


@dataclass(frozen=True)
class Settings:
    """``wrapped``: documents that are no objects stand under one name."""

    spec: Spec
    unmatched: Unmatched = "leaves"
    verdicts: bool = True
    wrapped: bool = False
    reading: ReadLimits = field(default_factory=ReadLimits)
    max_work: int = MAX_WORK

    @property
    def extras(self) -> SpecExtras:
        """How predicted keys that no field declares are counted."""
        return self.spec.extras or "leaves"

    @cached_property
    def plan(self) -> Plan:
        """The compiled plan, made once in each process."""
        return Plan.compile(self.spec, max_work=self.max_work)

    @cached_property
    def fingerprint(self) -> str:
        """The fingerprint of everything that decides a number."""
        return self.plan.fingerprint(self.unmatched, self.extras, changed_limits(self.reading, self.max_work))

    def to_json(self) -> Mapping[str, Json]:
        """Return what a resumed evaluation must agree with."""
        return {"fingerprint": self.fingerprint, "verdicts": self.verdicts, "wrapped": self.wrapped}

    def __getstate__(self) -> dict[str, Any]:
        return {name: self.__dict__[name] for name in self.__dataclass_fields__}
