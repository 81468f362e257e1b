"""Whether a candidate may replace the base: ``gate --json`` is the dump of `GateReport`."""

from __future__ import annotations

from typing import Literal, TypeAlias

from fieldwise.results.core import Number, Result, Share, Shown
from fieldwise.results.difference import Difference, Flip, FlipCounts, LostDocuments, Pairing, RunFacts
from fieldwise.results.notes import Note
from fieldwise.results.rates import Metric

Decision: TypeAlias = Literal["pass", "fail", "not_enough_documents"]
DECISIONS: tuple[Decision, ...] = ("fail", "not_enough_documents", "pass")
"""The first of these that a part of the gate has is the decision of the whole."""
CheckKind: TypeAlias = Literal["overall", "field", "group", "critical", "any_field"]
BudgetName: TypeAlias = Literal["failures", "mismatch", "missed", "spurious", "regressed_documents", "broken_values"]


class GroupSettings(Result, frozen=True, omit_defaults=True):
    """Fields that are judged together: named ones, or all whose weight is at least so much."""

    fields: tuple[str, ...] | None = None
    weight: float | None = None
    margin: Share | None = None


class LostSettings(Result, frozen=True):
    """How far the own rate of a document must fall for it to be lost, and what share of documents may be lost."""

    drop: Share
    at_most: Share


class PolicySettings(Result, frozen=True):
    """What the gate asked, every default filled in."""

    metric: Metric
    margin: Share
    any_field: Share | Literal["off"]
    common_documents: Share | Literal["off"]
    confidence: Share
    fields: dict[str, Share]
    groups: dict[str, GroupSettings]
    critical: tuple[str, ...]
    budgets: dict[BudgetName, str]
    """The most there may be: a number, or a percentage."""
    lost_documents: LostSettings | None = None


class CommonDocuments(Result, frozen=True):
    """How many documents of the base the candidate has too, and what share is asked for; None where none is.

    Where there are fewer, the gate does not pass, whatever those few documents show.
    """

    found: Number
    of: Number
    least: Share | None
    decision: Decision


class LostCheck(LostDocuments, frozen=True):
    """Lost documents, and whether their share is shown to be small enough; without ``at_most`` nothing is asked."""

    at_most: Share | None = None
    decision: Decision = "pass"
    needed: Number | None = None
    """About how many documents would decide it, where these don't and as many of them are lost."""


class MarginCheck(Result, frozen=True):
    """A question, whether some fields together lost less than a margin, and its answer."""

    kind: CheckKind
    name: str
    fields: tuple[str, ...]
    margin: Share
    difference: Difference
    """Without a test of its own: ``p_worse`` is the gate's."""
    p_worse: Share | None
    """The chance of so low a difference if there were none, after Holm's adjustment over checks of its kind."""
    decision: Decision
    needed: Number | None
    """About how many documents of this kind would decide it, where these don't; None where that is not known."""
    broken_values: tuple[Flip, ...] = ()
    """Some values that only the base has right, where the check failed."""
    at_margin: bool = False
    """Whether the difference lies so near to the margin that more than 20 times as many documents were needed."""


class Limit(Result, frozen=True):
    """The most there may be: a number, or a share of all."""

    most: float
    is_share: bool

    def __str__(self) -> str:
        return f"{100 * self.most:.10g}%" if self.is_share else f"{self.most:.0f}"

    def allowed(self, of: int) -> float:
        """Return the most there may be, as a number."""
        return self.most * of if self.is_share else self.most


class BudgetCheck(Result, frozen=True):
    """Whether there is no more of something than allowed; a plain count, without a test."""

    name: BudgetName
    limit: Limit
    used: Number
    of: Number
    decision: Decision
    broken_values: tuple[Flip, ...] = ()
    """Some values that only the base has right, where a budget of such values was exceeded."""


class GateReport(Shown, frozen=True, kw_only=True):
    """The answer of a gate: fail where a check fails, else not enough documents where one is open, else pass."""

    decision: Decision
    needed: Number | None
    """About how many documents decide every open check."""
    metric: Metric
    policy: PolicySettings
    base: RunFacts
    candidate: RunFacts
    different_rules: tuple[str, ...]
    """How the rules differ under which the runs were made, in words."""
    common_documents: CommonDocuments
    lost_documents: LostCheck
    checks: tuple[MarginCheck, ...]
    """All values first."""
    budgets: tuple[BudgetCheck, ...]
    notes: tuple[Note, ...]
    """What was left out, and what else to know before believing the answer, in sentences."""
    pairing: Pairing
    values: FlipCounts

    @property
    def passed(self) -> bool:
        """Whether the answer is pass; not enough documents is none."""
        return self.decision == "pass"

    @property
    def broken_values(self) -> tuple[Flip, ...]:
        """Some values that only the base has right, for every check and budget that failed, each once."""
        found = [flip for check in self.checks for flip in check.broken_values]
        found += [flip for check in self.budgets for flip in check.broken_values]
        return tuple(dict.fromkeys(found))
