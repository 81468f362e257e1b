"""What decides the numbers of an evaluation, as plain JSON that any process can rebuild the plan from."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

from fieldwise.compare import Plan
from fieldwise.spec import Spec
from fieldwise.values import Json

Unmatched = Literal["leaves", "objects"]


@dataclass(frozen=True)
class Settings:
    """``schema`` is the spec as JSON text; ``wrapped``: documents that are no objects stand under one name."""

    schema: str
    unmatched: Unmatched = "leaves"
    verdicts: bool = True
    wrapped: bool = False

    @classmethod
    def of(
        cls, spec: Spec, *, unmatched: Unmatched = "leaves", verdicts: bool = True, wrapped: bool = False
    ) -> Settings:
        """Return the settings of a spec."""
        return cls(json.dumps(spec.to_json_schema(), sort_keys=False), unmatched, verdicts, wrapped)

    @property
    def extras(self) -> Literal["leaves", "root"]:
        """How predicted keys that no field declares are counted."""
        return "leaves" if self.unmatched == "leaves" else "root"

    @property
    def plan(self) -> Plan:
        """The compiled plan, made once in each process."""
        return _plan(self.schema)

    @property
    def fingerprint(self) -> str:
        """The fingerprint of everything that decides a number."""
        return self.plan.fingerprint(self.unmatched, self.extras)

    def to_json(self) -> Mapping[str, Json]:
        """Return what a resumed evaluation must agree with."""
        return {"fingerprint": self.fingerprint, "verdicts": self.verdicts, "wrapped": self.wrapped}


@lru_cache(maxsize=8)
def _plan(schema: str) -> Plan:
    return Plan.compile(Spec.from_json_schema(json.loads(schema)))
