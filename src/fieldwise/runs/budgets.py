"""Budgets of a gate: how much of something there may be, counted plainly, without a test."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import Literal, TypeAlias

import pyarrow.parquet as pq

from fieldwise.errors import InputError
from fieldwise.runs.flips import find_flips
from fieldwise.runs.folder import Run
from fieldwise.runs.measures import measured
from fieldwise.runs.outcomes import MATCH, MISMATCH, MISSED, SPURIOUS
from fieldwise.runs.pairing import PairedRuns
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


def check_budget(runs: PairedRuns, name: BudgetName, limit: Limit, policy: Policy) -> BudgetCheck:
    """Count what the candidate used of a budget."""
    found, of = _spent(runs, name, policy)
    most = limit.most * of if limit.is_share else limit.most
    return BudgetCheck(name, limit, found, of, "pass" if found <= most + _SLACK else "fail")


def _spent(runs: PairedRuns, name: BudgetName, policy: Policy) -> tuple[int, int]:
    """Return how much of a budget the candidate used, and of how many."""
    table = runs.total[1]
    if name == "failures":
        return _failures(runs.candidate)
    if name == "regressed_documents":
        found = measured(runs.total, policy.metric, policy.confidence)
        return found.regressed, len(runs.pairing.documents)
    if name == "broken_values":
        return find_flips(runs, most=0).broken, int(runs.total[0][:, MATCH].sum())
    column = {"mismatch": MISMATCH, "missed": MISSED, "spurious": SPURIOUS}[name]
    return int(table[:, column].sum()), int(table.sum())


def _failures(run: Run) -> tuple[int, int]:
    """Return the documents that failed or had no usable prediction, of all that have an expected document."""
    if run.documents is None:
        raise InputError(f"A budget for failures needs documents.parquet of {run.name}, which is not there")
    kinds = Counter(pq.read_table(run.documents, columns=["status"])["status"].to_pylist())
    of = sum(count for kind, count in kinds.items() if kind not in (NO_EXPECTED, UNREADABLE_EXPECTED))
    return of - kinds[SCORED], of
