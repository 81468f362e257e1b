"""May the candidate replace the baseline? Non-inferiority with a margin, critical fields and budgets.

A check passes when the lower bound of the difference is above -margin; it fails when the difference itself is below
-margin and its upper bound below 0, with Holm's adjustment over the checks of one kind; else the documents are not
enough to decide, and the number that would be is told.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

import pyarrow.parquet as pq

from fieldwise.errors import SettingError
from fieldwise.runs.budgets import BudgetCheck, Decision, check_budget
from fieldwise.runs.difference import Difference, measured
from fieldwise.runs.folder import Run
from fieldwise.runs.outcomes import Counts
from fieldwise.runs.pairing import PairedRuns, Pairing
from fieldwise.runs.policy import Group, Policy, chosen_fields
from fieldwise.stats.multiple import holm
from fieldwise.stats.paired import t_below
from fieldwise.stats.permutation import permutation_test
from fieldwise.stats.power import documents_for_difference, documents_for_margin

Kind: TypeAlias = Literal["overall", "field", "group", "critical"]
_ORDER: tuple[Decision, ...] = ("fail", "not_enough", "pass")


@dataclass(frozen=True)
class MarginCheck:
    """Whether some fields together lost less than a margin."""

    kind: Kind
    name: str
    margin: float
    difference: Difference
    p_worse: float | None
    """The chance of so low a difference if there were none, after Holm's adjustment over checks of its kind."""
    decision: Decision
    needed: int | None
    """About how many documents would decide it, where these don't; None where none can be told."""


@dataclass(frozen=True)
class GateResult:
    """The answer of a gate: fail where a check fails, else not enough documents where one is open, else pass."""

    policy: Policy
    pairing: Pairing
    checks: tuple[MarginCheck, ...]
    budgets: tuple[BudgetCheck, ...]

    @property
    def decision(self) -> Decision:
        decisions: set[Decision] = {check.decision for check in self.checks}
        decisions |= {check.decision for check in self.budgets}
        return next(decision for decision in _ORDER if decision in decisions)

    @property
    def needed(self) -> int | None:
        """About how many documents decide every open check."""
        return max((check.needed for check in self.checks if check.needed is not None), default=None)


@dataclass(frozen=True)
class _Asked:
    kind: Kind
    name: str
    margin: float
    fields: Sequence[str]


def run_gate(runs: PairedRuns, policy: Policy) -> GateResult:
    """Judge the candidate of two paired runs by a policy."""
    asked = _asked(runs, policy)
    families: dict[Kind, list[_Asked]] = {}
    for one in asked:
        families.setdefault(one.kind, []).append(one)
    checks = [check for family in families.values() for check in _family(runs, family, policy)]
    budgets = tuple(check_budget(runs, name, limit, policy) for name, limit in policy.budgets.items())
    return GateResult(policy, runs.pairing, tuple(checks), budgets)


def _asked(runs: PairedRuns, policy: Policy) -> list[_Asked]:
    known = sorted({*runs.fields, *_declared(runs.base), *_declared(runs.candidate)})
    asked = [_Asked("overall", "all values", policy.margin, list(runs.fields))]
    for pattern, margin in policy.fields.items():
        fields = chosen_fields([pattern], known, path="$.fields")
        asked += [_Asked("field", field, margin, [field]) for field in fields]
    for name, group in policy.groups.items():
        asked.append(_Asked("group", name, group.margin or policy.margin, _members(runs, name, group, known)))
    critical = chosen_fields(policy.critical, known, path="$.critical")
    margins = {one.name: one.margin for one in asked if one.kind == "field"}
    return asked + [_Asked("critical", field, margins.get(field, policy.margin), [field]) for field in critical]


def _declared(run: Run) -> Iterable[str]:
    """Return the leaf fields that the metrics know, also those without a value in any document."""
    fields: Mapping[str, object] = run.metrics["fields"]
    inner = {path.rpartition(".")[0] for path in fields}
    return (path for path in fields if path not in inner)


def _members(runs: PairedRuns, name: str, group: Group, known: Sequence[str]) -> list[str]:
    if group.fields is not None:
        return chosen_fields(group.fields, known, path=f"$.groups.{name}.fields")
    weights = _weights(runs.base) | _weights(runs.candidate)
    heavy = [field for field in known if weights.get(field, 0.0) >= (group.weight or 0.0)]
    if not heavy:
        most = max(weights.values(), default=0.0)
        raise SettingError(f"No field weighs {group.weight:g} or more; the heaviest {most:g}", path=f"$.groups.{name}")
    return heavy


def _weights(run: Run) -> dict[str, float]:
    table = pq.read_table(run.verdict_rows("A group by weight"), columns=["field", "weight"])
    rows = table.group_by("field").aggregate([("weight", "max")]).to_pylist()
    return {row["field"]: row["weight_max"] for row in rows}


def _family(runs: PairedRuns, family: Sequence[_Asked], policy: Policy) -> list[MarginCheck]:
    tables = [runs.sum_of(field for field in one.fields if field in runs.fields) for one in family]
    found = [measured(table, policy.metric, policy.confidence) for table in tables]
    chances = [p_worse(table, one, policy) for table, one in zip(tables, found, strict=True)]
    known = [p for p in chances if p is not None]
    adjusted = dict(zip([k for k, p in enumerate(chances) if p is not None], holm(known), strict=True))
    return [
        check_margin(one.kind, one.name, difference, margin=one.margin, p=adjusted.get(k), policy=policy)
        for k, (one, difference) in enumerate(zip(family, found, strict=True))
    ]


def p_worse(tables: tuple[Counts, Counts], found: Difference, policy: Policy) -> float | None:
    """Return the chance of so low a difference if there were none; by swaps where documents have no spread."""
    if found.delta is None or found.se is None:
        return None
    if found.se > 0:
        return t_below(found.delta / found.se, found.n - 1)
    swapped = permutation_test(tables[1], tables[0], policy.metric)
    return None if swapped is None else swapped.p_greater


def check_margin(
    kind: Kind, name: str, found: Difference, *, margin: float, p: float | None, policy: Policy
) -> MarginCheck:
    """Decide one check by the difference and its chance ``p``, adjusted for others of its kind."""
    decision = decide(found, margin=margin, p=p, confidence=policy.confidence)
    needed = documents_needed(found, margin=margin, confidence=policy.confidence) if decision == "not_enough" else None
    return MarginCheck(kind, name, margin, found, p, decision, needed)


def decide(found: Difference, *, margin: float, p: float | None, confidence: float) -> Decision:
    """Return pass, fail or not_enough; ``p`` below half of what the confidence leaves: an upper bound below 0."""
    if found.delta is None or found.low is None or p is None:
        return "not_enough"
    if found.low > -margin:
        return "pass"
    return "fail" if found.delta < -margin and p < (1 - confidence) / 2 else "not_enough"


def documents_needed(found: Difference, *, margin: float, confidence: float) -> int | None:
    """Return with how many documents an equally good candidate passes four times out of five.

    Where there are so many already, the difference lies close to the margin: then the number is for a difference as
    large as the one found. None where no spread is known.
    """
    if found.se is None or found.delta is None:
        return None
    sd = found.se * math.sqrt(found.n)
    if not sd:
        return math.ceil(math.log2(2 / (1 - confidence))) + 1
    equal = documents_for_margin(sd, margin, confidence=confidence)
    if equal is not None and equal > found.n:
        return equal
    if found.delta <= -margin:
        return documents_for_difference(sd, found.delta, confidence=confidence)
    return documents_for_margin(sd, margin, delta=found.delta, confidence=confidence)
