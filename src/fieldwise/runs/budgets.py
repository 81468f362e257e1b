"""Budgets of a gate: how much of something there may be, counted plainly, without a test."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, TypeAlias

from fieldwise.runs.flips import Flips
from fieldwise.runs.measures import measured
from fieldwise.runs.pairing import MATCH, MISMATCH, MISSED, SPURIOUS, PairedRuns
from fieldwise.runs.policy import BudgetName, Limit, Policy
from fieldwise.tables.documents import NO_EXPECTED, SCORED, UNREADABLE_EXPECTED

Decision: TypeAlias = Literal["pass", "fail", "not_enough"]
_SLACK = 1e-6
"""29 % of 100 are 29, though a computer finds a little less."""


@dataclass(frozen=True)
class BudgetCheck:
    """Whether there is no more of something than allowed; a plain count, without a test."""

    name: BudgetName
    limit: Limit
    found: int
    of: int
    decision: Decision

    @property
    def allowed(self) -> float:
        """The most there may be, as a number."""
        return _allowed(self.limit, self.of)


def _allowed(limit: Limit, of: int) -> float:
    return limit.most * of if limit.is_share else limit.most


def check_budget(runs: PairedRuns, flips: Flips, policy: Policy, name: BudgetName) -> BudgetCheck:
    """Count what the candidate used of a budget of the policy."""
    limit = policy.budgets[name]
    found, of = _spent(runs, flips, policy, name)
    return BudgetCheck(name, limit, found, of, "pass" if found <= _allowed(limit, of) + _SLACK else "fail")


def _spent(runs: PairedRuns, flips: Flips, policy: Policy, name: BudgetName) -> tuple[int, int]:
    """Return how much of a budget the candidate used, and of how many; values are those of a mean trial."""
    table = runs.total[1]
    if name == "failures":
        return _failures(runs.statuses[1])
    if name == "regressed_documents":
        found = measured(runs.total, policy.metric, policy.confidence)
        return found.regressed, len(runs.pairing.documents)
    if name == "broken_values":
        return flips.broken, round(runs.total[0][:, MATCH].sum() / runs.scale)
    column = {"mismatch": MISMATCH, "missed": MISSED, "spurious": SPURIOUS}[name]
    return round(table[:, column].sum() / runs.scale), round(table.sum() / runs.scale)


def _failures(statuses: Mapping[str, int]) -> tuple[int, int]:
    """Return the documents that failed or had no usable prediction, of all that have an expected document."""
    of = sum(count for status, count in statuses.items() if status not in (NO_EXPECTED, UNREADABLE_EXPECTED))
    return of - statuses.get(SCORED, 0), of
