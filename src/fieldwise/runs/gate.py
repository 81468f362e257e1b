"""May the candidate replace the baseline? Non-inferiority with a margin, critical fields and budgets.

A check passes when the lower bound of the difference is above -margin; it fails when the difference itself is below
-margin and its upper bound below 0, with Holm's adjustment over the checks of one kind; else the documents are not
enough to decide, and the number that would be is told. A check in which no document differs passes. Fields without a
check of their own fail where they are clearly worse.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

import numpy as np

from fieldwise.errors import SettingError, quoted
from fieldwise.runs.budgets import BudgetCheck, Decision, check_budget
from fieldwise.runs.fields import chosen_fields
from fieldwise.runs.flips import Flips
from fieldwise.runs.measures import Difference, fewest_alike, measured, unseen_losses
from fieldwise.runs.pairing import FieldTables, PairedRuns, Pairing, Tables
from fieldwise.runs.policy import OFF, Group, Policy
from fieldwise.runs.run import Run
from fieldwise.runs.worse_fields import field_losses
from fieldwise.spec import parent_of
from fieldwise.stats.multiple import holm
from fieldwise.stats.paired import t_below
from fieldwise.stats.permutation import permutation_test
from fieldwise.stats.power import documents_for_difference, documents_for_margin
from fieldwise.tables.stored import names_of, numbers_of

Kind: TypeAlias = Literal["overall", "field", "group", "critical", "any_field"]
_ORDER: tuple[Decision, ...] = ("fail", "not_enough", "pass")
_AMONG = "the two runs"
_SLACK = 1e-12
"""A spread below is none: documents that all changed alike, computed in floating point."""


@dataclass(frozen=True)
class Asked:
    """A question: did some fields together lose less than a margin?"""

    kind: Kind
    name: str
    margin: float
    fields: tuple[str, ...]


@dataclass(frozen=True)
class MarginCheck(Asked):
    """A question with its answer."""

    difference: Difference
    p_worse: float | None
    """The chance of so low a difference if there were none, after Holm's adjustment over checks of its kind."""
    decision: Decision
    needed: int | None
    """About how many documents of this kind would decide it, where these don't; None where none can be told."""


@dataclass(frozen=True)
class GateResult:
    """The answer of a gate: fail where a check fails, else not enough documents where one is open, else pass."""

    policy: Policy
    pairing: Pairing
    checks: tuple[MarginCheck, ...]
    budgets: tuple[BudgetCheck, ...]

    @property
    def decision(self) -> Decision:
        decisions = {check.decision for check in self.checks} | {check.decision for check in self.budgets}
        return next(decision for decision in _ORDER if decision in decisions)

    @property
    def deciding(self) -> tuple[MarginCheck | BudgetCheck, ...]:
        """The checks, then the budgets, that were decided as the whole: worst first, but all values where they pass.

        What was asked for comes before fields that are clearly worse.
        """
        checks = [check for check in self.checks if check.decision == self.decision]
        budgets = [check for check in self.budgets if check.decision == self.decision]
        if self.decision != "pass":
            checks.sort(key=lambda check: (check.kind == "any_field", _rank(check)))
            budgets.sort(key=lambda budget: -budget.found / max(budget.allowed, 1))
        return *checks, *budgets

    @property
    def needed(self) -> int | None:
        """About how many documents decide every open check."""
        return max((check.needed for check in self.checks if check.needed is not None), default=None)

    @property
    def unseen(self) -> float | None:
        """The share of documents that may have a loss although all values pass; None where enough of them differ."""
        overall = self.checks[0]
        return unseen_losses(overall.difference, self.policy.confidence) if overall.decision == "pass" else None


def _rank(check: MarginCheck) -> float:
    """Put what lost most beyond its margin first, or where documents are not enough what needs most of them."""
    if check.decision == "fail":
        return (check.difference.delta or 0.0) + check.margin
    return -(check.needed or 0)


def run_gate(runs: PairedRuns, policy: Policy, flips: Flips) -> GateResult:
    """Judge the candidate of two paired runs by a policy."""
    families: dict[Kind, list[Asked]] = {}
    for one in _asked(runs, policy):
        families.setdefault(one.kind, []).append(one)
    checks = [check for family in families.values() for check in judge(family, _tables(runs, family), policy)]
    checks += worse_fields(_unasked(runs.fields, checks), policy)
    budgets = tuple(check_budget(runs, flips, policy, name) for name in policy.budgets)
    return GateResult(policy, runs.pairing, tuple(checks), budgets)


def _unasked(fields: FieldTables, checks: Iterable[Asked]) -> Mapping[str, Tables]:
    """Return the fields without a check of their own: where there is one, its margin decides."""
    return fields.without(check.name for check in checks if check.kind in ("field", "critical"))


def worse_fields(fields: Mapping[str, Tables], policy: Policy) -> list[MarginCheck]:
    """Return a failed check for each field that is clearly worse by more than the policy lets any field be."""
    margin = policy.any_field
    if margin == OFF:
        return []
    losses, left = field_losses(fields, policy.metric, confidence=policy.confidence), (1 - policy.confidence) / 2
    return [
        MarginCheck(
            "any_field",
            loss.path,
            margin,
            (loss.path,),
            difference=measured(fields[loss.path], policy.metric, policy.confidence),
            p_worse=loss.p,
            decision="fail",
            needed=None,
        )
        for loss in losses.values()
        if loss.is_clear(margin, left)
    ]


def _tables(runs: PairedRuns, family: Sequence[Asked]) -> list[Tables]:
    known = set(runs.fields)
    return [
        runs.total if one.kind == "overall" else runs.sum_of(field for field in one.fields if field in known)
        for one in family
    ]


def _asked(runs: PairedRuns, policy: Policy) -> list[Asked]:
    """Return what the policy asks; a critical field that has a margin of its own is asked for once, as critical."""
    known = sorted({*runs.fields, *_declared(runs.base), *_declared(runs.candidate)})
    margins = _margins(policy, known)
    critical = chosen_fields(policy.critical, known, path="$.critical", among=_AMONG)
    return [
        Asked("overall", "all values", policy.margin, tuple(runs.fields)),
        *(Asked("field", field, margin, (field,)) for field, margin in margins.items() if field not in critical),
        *(_of_group(runs, name, group, known, policy) for name, group in policy.groups.items()),
        *(Asked("critical", field, margins.get(field, policy.margin), (field,)) for field in critical),
    ]


def _margins(policy: Policy, known: Sequence[str]) -> dict[str, float]:
    """Return the margin of each field that has one: its own where it is named, else that on which the others agree."""
    givers: dict[str, str] = {}
    for name, margin in policy.fields.items():
        for field in chosen_fields([name], known, path="$.fields", among=_AMONG):
            giver = givers.setdefault(field, field if field in policy.fields else name)
            if giver != field and policy.fields[giver] != margin:
                both = f"{quoted(giver)} and {quoted(name)} give {quoted(field)} different margins"
                raise SettingError(f"{both}; give it one by its own name", path="$.fields")
    return {field: policy.fields[giver] for field, giver in givers.items()}


def _of_group(runs: PairedRuns, name: str, group: Group, known: Sequence[str], policy: Policy) -> Asked:
    return Asked("group", name, group.margin or policy.margin, tuple(_members(runs, name, group, known)))


def _declared(run: Run) -> Iterable[str]:
    """Return the leaf fields that the metrics know, also those without a value in any document."""
    fields = run.metrics.fields
    inner = {parent_of(path) for path in fields}
    return (path for path in fields if path not in inner)


def _members(runs: PairedRuns, name: str, group: Group, known: Sequence[str]) -> list[str]:
    if group.fields is not None:
        return chosen_fields(group.fields, known, path=f"$.groups.{name}.fields", among=_AMONG)
    weights = _weights(runs.base) | _weights(runs.candidate)
    heavy = [field for field in known if weights.get(field, 0.0) >= (group.weight or 0.0)]
    if not heavy:
        most = max(weights.values(), default=0.0)
        raise SettingError(
            f"No field weighs {group.weight:g} or more; the heaviest {most:g}",
            path=f"$.groups.{name}",
            code="field.none_left",
            facts={"group": name, "weight": group.weight},
        )
    return heavy


def _weights(run: Run) -> dict[str, float]:
    """Return the weight of each field, which is the same wherever it occurs."""
    weights: dict[str, float] = {}
    for table in run.verdicts(columns=["field", "weight"]):
        fields = names_of(table, "field")
        heaviest = np.zeros(len(fields.names))
        np.maximum.at(heaviest, fields.codes, numbers_of(table, "weight"))
        for name, weight in zip(fields.names, heaviest.tolist(), strict=True):
            weights[name] = max(weight, weights.get(name, 0.0))
    return weights


def judge(family: Sequence[Asked], tables: Sequence[Tables], policy: Policy) -> list[MarginCheck]:
    """Answer questions of one kind, each by the counts of its fields in both runs, adjusted for their number."""
    found = [measured(table, policy.metric, policy.confidence) for table in tables]
    chances = [p_worse(table, one, policy) for table, one in zip(tables, found, strict=True)]
    adjusted = iter(holm([p for p in chances if p is not None]))
    tests = sum(p is not None for p in chances)
    return [
        _check(asked, difference, None if p is None else next(adjusted), policy, tests=tests, tables=table)
        for asked, difference, p, table in zip(family, found, chances, tables, strict=True)
    ]


def p_worse(tables: Tables, found: Difference, policy: Policy) -> float | None:
    """Return the chance of so low a difference if there were none; by swaps where documents have no spread."""
    if found.delta is None or found.se is None:
        return None
    if found.se > _SLACK:
        return t_below(found.delta / found.se, found.n - 1)
    swapped = permutation_test(tables[1], tables[0], policy.metric)
    return None if swapped is None else swapped.p_greater


def _check(
    asked: Asked, found: Difference, p: float | None, policy: Policy, *, tests: int, tables: Tables
) -> MarginCheck:
    documents, needed = len(tables[0]), None
    decision = decide(found, margin=asked.margin, p=p, confidence=policy.confidence)
    if asked.kind != "overall" and documents > 1 and found.delta is not None and np.array_equal(*tables):
        decision = "pass"  # also where one document alone has the field
    if decision == "not_enough":
        needed = documents_needed(found, margin=asked.margin, confidence=policy.confidence, tests=tests)
    if needed is not None:  # counted in documents that have the field: as many more of all
        needed = math.ceil(needed * documents / found.n)
    return MarginCheck(asked.kind, asked.name, asked.margin, asked.fields, found, p, decision, needed)


def decide(found: Difference, *, margin: float, p: float | None, confidence: float) -> Decision:
    """Return pass, fail or not_enough; ``p`` below half of what the confidence leaves: an upper bound below 0."""
    if found.delta is None or found.low is None or p is None:
        return "not_enough"
    if found.delta and (found.se or 0.0) <= _SLACK and found.n < fewest_alike(1 - confidence):
        return "not_enough"  # an interval of no width, from a handful of documents that differ alike
    if found.low > -margin:
        return "pass"
    return "fail" if found.delta < -margin and p < (1 - confidence) / 2 else "not_enough"


def documents_needed(found: Difference, *, margin: float, confidence: float, tests: int = 1) -> int | None:
    """Return with how many documents that have the field an equally good candidate passes four times out of five.

    Where there are so many already, the difference lies close to the margin: then the number is for a difference as
    large as the one found, which one of ``tests`` questions has to show. None where no spread is known.
    """
    if found.se is None or found.delta is None:
        return None
    left = (1 - confidence) / tests
    if found.se <= _SLACK:
        return fewest_alike(left)
    sd = found.se * math.sqrt(found.n)
    equal = documents_for_margin(sd, margin, confidence=confidence)
    if equal is not None and equal > found.n:
        return equal
    if found.delta <= -margin:
        return documents_for_difference(sd, found.delta, confidence=1 - left)
    return documents_for_margin(sd, margin, delta=found.delta, confidence=confidence)
