"""What a comparison and a gate say in sentences: verdict, answer, reasons. Every view prints these same words."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from decimal import Decimal
from pathlib import Path
from typing import TypeAlias

from fieldwise.results.difference import (
    FEWEST,
    Difference,
    LostDocuments,
    RunDifference,
    TotalDifference,
    WorseField,
)
from fieldwise.results.gate import (
    BudgetCheck,
    CommonDocuments,
    Decision,
    GateReport,
    LostCheck,
    MarginCheck,
    PolicySettings,
)
from fieldwise.results.rates import Metric, Unit
from fieldwise.text import one_line
from fieldwise.views.numbers import (
    METRIC_NAMES,
    chance,
    count,
    counted,
    in_units,
    percent,
    plain_points,
    points,
    points_interval,
    rate,
    size_of,
)
from fieldwise.views.words import WORDS

MAX_NAMED = 5
"""So many fields that are clearly worse are named in a sentence, the worst first."""
_KIND_WORDS = {"critical": " (critical)", "any_field": " (clearly worse)"}
_MAX_NEEDED = 1_000_000


# Two runs


def verdict(difference: RunDifference) -> str:
    """Say in a sentence or two what two runs show; fields that are clearly worse are named, whatever the total."""
    total, worse = difference.total, difference.worse_fields
    of_all = _of_all_values(total, difference.metric)
    if not worse:
        return of_all
    named = f"Clearly worse in {_named(worse)}"
    if total.finding == "better":
        return f"{named}, though better on all values together: {of_all.partition(': ')[2]}"
    return f"{of_all} {named}." if total.finding in ("worse", "mixed") else f"{named}. {of_all}"


def _named(fields: Sequence[WorseField]) -> str:
    names = [f"{one_line(field.path)} ({points(field.delta)} points)" for field in fields[:MAX_NAMED]]
    more = f" and {count(len(fields) - MAX_NAMED)} more" if len(fields) > MAX_NAMED else ""
    return f"{counted(len(fields), 'field')}: {', '.join(names)}{more}"


def _of_all_values(total: TotalDifference, metric: Metric) -> str:
    name, finding, units = METRIC_NAMES[metric], total.finding, in_units(total.n, total.unit)
    if finding == "too_few":
        few = f"Too few {_many(total)} to tell: {units}, and fewer than {FEWEST} cannot show a difference."
        return f"{few} {_so_far(total)}".strip()
    if finding == "undefined":
        return f"Cannot be told: {name} has nothing to divide by in the {_undefined(total)}."
    if finding == "equal":
        return _equal(total, metric)
    if finding == "not_shown":
        shown = f"No clear change: {name} differs by {points(total.delta)} points{_bounds(total)}."
        return f"{shown} {detectable(total)}".strip()
    moved = f"{name} is {size_of(total.delta)} {'higher' if (total.delta or 0.0) > 0 else 'lower'}{_bounds(total)}"
    if finding == "mixed":
        right = total.right_values
        more = "more" if right.gained > right.lost else "fewer"
        counts = f"{count(right.gained)} gained, {count(right.lost)} lost"
        return f"Mixed: {moved} in {units}, and {more} values are right: {counts} ({_sure(right.p)})."
    return f"The candidate is {finding}: {moved} in {units} ({_sure(total.p)})."


def _one(difference: Difference) -> str:
    return WORDS.units[difference.unit].one


def _many(difference: Difference) -> str:
    return WORDS.units[difference.unit].many


def _equal(total: Difference, metric: Metric) -> str:
    if not total.n:
        return f"No difference: no {_one(total)} has a value on either side."
    where = f"in the only {_one(total)}" if total.n == 1 else f"in each of {in_units(total.n, total.unit)}"
    if metric == "document_macro_f1":
        return f"No difference: {where} F1 (strict) is the same."
    if metric == "exact_documents" and total.unit == "documents":
        return f"No difference: the same documents of {count(total.n)} are without error."
    return f"No difference: {where} the same numbers of values are right, wrong, missed and invented."


def _sure(p: float | None) -> str:
    return f"p = {chance(p)}".replace("= <", "<")


def _so_far(total: Difference) -> str:
    return "" if total.delta is None else f"There it is {points(total.delta)} points{_bounds(total)}."


def _undefined(total: Difference) -> str:
    sides = {"base": total.base.value, "candidate": total.candidate.value}
    return " and the ".join(side for side, value in sides.items() if value is None)


def _bounds(total: Difference) -> str:
    return "" if total.low is None else f" (95%: {points_interval(total.low, total.high)})"


def detectable(difference: Difference) -> str:
    """Say how large a difference could be detected with these documents."""
    if difference.detectable is None:
        return ""
    units = in_units(difference.n, difference.unit)
    return f"With these {units} a difference of {size_of(difference.detectable)} or more could be detected."


def lost_words(lost: LostDocuments) -> str:
    """Say how many documents are lost as wholes, and what share of all such documents may be; nothing without any."""
    if lost.high is None:
        return ""
    return WORDS.notes["lost"].format(
        count=count(lost.count),
        units=in_units(lost.n, lost.unit),
        drop=plain_points(lost.drop),
        many=WORDS.units[lost.unit].many,
        share=percent(lost.high),
    )


def run_names(base: str, candidate: str) -> tuple[str, str]:
    """Return what two runs are called: their folders, with those above them only as far as they tell them apart.

    >>> run_names("/home/me/v1/results", "/home/me/v2/results"), run_names("demo/baseline", "demo/candidate")
    (('v1/results', 'v2/results'), ('baseline', 'candidate'))
    >>> run_names("/home/me/results", "/home/me/results")
    ('/home/me/results', '/home/me/results')
    """
    ours, theirs = Path(base).parts, Path(candidate).parts
    for depth in range(1, max(len(ours), len(theirs)) + 1):
        if ours[-depth:] != theirs[-depth:]:
            break
    return Path(*ours[-depth:]).as_posix(), Path(*theirs[-depth:]).as_posix()


# A gate


def answer(report: GateReport) -> str:
    """Return the answer: pass, fail, or not enough documents with the number needed."""
    words = WORDS.decisions[report.decision].of(unit_of(report)).word
    if report.decision != "not_enough_documents":
        return words
    if report.common_documents.decision == report.decision:
        return f"{words}: {_in_common(report.common_documents)}"
    is_open = [check for check in report.checks if check.decision == report.decision]
    return f"{words}: {needed_words(report.needed, at_margin=any(check.at_margin for check in is_open))}"


def unit_of(report: GateReport) -> Unit:
    """Return what the intervals of a gate are over, and what more is needed of."""
    common = report.common_documents
    return "documents" if common.decision == "not_enough_documents" else report.checks[0].difference.unit


def headline(report: GateReport, named: Callable[[str], str] = one_line) -> str:
    """Return the answer with what it is about, where that is not all values; ``named`` writes the names of fields."""
    first = deciding(report)[0]
    if first is report.checks[0] or isinstance(first, CommonDocuments):
        return answer(report)
    about = _about(first, named)
    return f"{answer(report)}: {about}" if report.decision == "fail" else f"{answer(report)} (for {about})"


def _about(part: MarginCheck | BudgetCheck | LostCheck, named: Callable[[str], str]) -> str:
    if isinstance(part, LostCheck):
        return "lost documents"
    return f"budget {part.name}" if isinstance(part, BudgetCheck) else check_name(part, named)


def summary(report: GateReport, named: Callable[[str], str] = one_line) -> str:
    """Return one line about what decided, the worst where several did, with the name of the next and how many others.

    It is a check with both rates, the difference with its interval and the margin, or a budget; where all pass, the
    check of all values. ``named`` writes the names of fields.
    """
    first, *others = deciding(report)
    if isinstance(first, CommonDocuments):
        words = common_reason(first).removesuffix(".")
    elif isinstance(first, BudgetCheck):
        words = budget_reason(first).removesuffix(".")
    elif isinstance(first, LostCheck):
        words = lost_reason(first).removesuffix(".")
    elif first.kind == "overall":
        words = _change(first, report.policy)
    else:
        words = f"{check_name(first, named)}: {_change(first, report.policy)}"
    return words + _others(report.decision, others, named)


_Deciding: TypeAlias = MarginCheck | BudgetCheck | LostCheck | CommonDocuments


def deciding(report: GateReport) -> Sequence[_Deciding]:
    """Return what was decided as the whole: common documents, checks, lost documents, then budgets.

    The worst come first, but all values where they pass; what was asked for, before fields that are clearly worse.
    """
    decision = report.decision
    checks = [check for check in report.checks if check.decision == decision]
    budgets = [check for check in report.budgets if check.decision == decision]
    if decision == "pass":
        return *checks, *budgets
    checks.sort(key=lambda check: (check.kind == "any_field", _rank(check)))
    budgets.sort(key=lambda budget: -budget.used / max(budget.limit.allowed(budget.of), 1))
    common = [report.common_documents] if report.common_documents.decision == decision else []
    lost = [report.lost_documents] if report.lost_documents.decision == decision else []
    return *common, *checks, *lost, *budgets


def _rank(check: MarginCheck) -> float:
    """Put what lost most beyond its margin first, or where documents are not enough what needs most of them."""
    if check.decision == "fail":
        return (check.difference.delta or 0.0) + check.margin
    return -math.inf if check.at_margin else -(check.needed or 0)


def needed_words(needed: int | None, *, at_margin: bool = False) -> str:
    """Say about how many documents are needed."""
    if at_margin:
        return "the difference lies at the margin"
    if needed is None:
        return "how many are needed cannot be told from these"
    return f"about {count(needed)} needed" if needed <= _MAX_NEEDED else "more than a million needed"


def _others(decision: Decision, others: Sequence[_Deciding], named: Callable[[str], str]) -> str:
    if decision == "pass" or not others:
        return ""
    following = others[0]  # common documents come first of all
    assert not isinstance(following, CommonDocuments)
    names = _about(following, named)
    if len(others) > 1:
        names += f" and {counted(len(others) - 1, 'other')}"
    if decision == "fail":
        return f"; {names} {'fails' if len(others) == 1 else 'fail'} too"
    return f"; {names} {'is' if len(others) == 1 else 'are'} open too"


def _change(check: MarginCheck, policy: PolicySettings) -> str:
    found = check.difference
    if found.delta is None:
        return undecided_words(check)
    rates = f"{METRIC_NAMES[policy.metric]} {rate(found.base.value)} → {rate(found.candidate.value)}"
    around = f" ({level(policy)}: {points_interval(found.low, found.high)})" if found.low is not None else ""
    return (
        f"{rates}, {points(found.delta)} points{around} on {in_units(found.n, found.unit)}; "
        f"the margin is {plain_points(check.margin)}"
    )


def level(policy: PolicySettings) -> str:
    """Write the confidence as it was given, so that 0.99999 does not read 100 %."""
    return f"{(100 * Decimal(str(policy.confidence))).normalize():f}%"


def check_name(check: MarginCheck, named: Callable[[str], str] = str) -> str:
    """Return what a check is about; ``named`` writes the names of fields and groups."""
    if check.kind == "overall":
        return check.name
    name = named(check.name)
    if check.kind == "group":
        return f"{name} ({counted(len(check.fields), 'field')})"
    return f"{name}{_KIND_WORDS.get(check.kind, '')}"


def undecided_words(check: MarginCheck) -> str:
    """Say why a check cannot be decided by any number of documents like these."""
    if not check.difference.n:
        return f"no {_one(check.difference)} has a value"
    if check.difference.n < 2:
        return f"one {_one(check.difference)} shows no spread"
    return "a run has nothing to divide by"


def check_reason(check: MarginCheck, policy: PolicySettings) -> str:
    """Return why a check was decided so, in a sentence."""
    found, margin = check.difference, plain_points(check.margin)
    if check.decision == "not_enough_documents" and check.needed is None and not check.at_margin:
        return f"{check_name(check)}: {undecided_words(check)}."
    if check.decision == "pass" and found.low is None:
        return f"{METRIC_NAMES[policy.metric]} of {check_name(check)} is the same in both runs."
    name = check.name if check.kind == "any_field" else check_name(check)
    change = f"{METRIC_NAMES[policy.metric]} of {name} changed by {points(found.delta)} points"
    said = f"{change} ({level(policy)}: {points_interval(found.low, found.high)}) on {in_units(found.n, found.unit)}"
    if check.kind == "any_field":
        return f"{said}: no field may be clearly worse by more than {margin} (any_field)."
    if check.decision == "fail":
        return f"{said}: a loss that is real, and larger than the margin of {margin}."
    if check.decision == "pass":
        return f"{said}: the lower bound is within the margin of {margin}."
    few = needed_words(check.needed, at_margin=check.at_margin)
    return f"{said}: neither is the lower bound within the margin of {margin}, nor is a larger loss shown; {few}."


def budget_reason(check: BudgetCheck) -> str:
    """Return why a budget was kept or not, in a sentence."""
    words = f"{count(check.used)} of {count(check.of)} {WORDS.budgets[check.name]}, at most {check.limit} allowed."
    return words if check.decision == "pass" else f"Budget {check.name} exceeded: {words}"


def lost_reason(check: LostCheck) -> str:
    """Return what was found of lost documents, and what is asked, in a sentence."""
    asked = f"; at most {100 * (check.at_most or 0.0):.10g}% are allowed (lost_documents)"
    needed = ""
    if check.decision == "not_enough_documents":
        needed = f": {needed_words(check.needed)}"
    return f"{lost_words(check).removesuffix('.')}{asked}{needed}."


def common_reason(common: CommonDocuments) -> str:
    """Return why there are or are not enough documents in both runs, in a sentence."""
    asked = "" if common.least is None else f"; at least {100 * common.least:.10g}% are asked for (common_documents)"
    return f"The candidate has {_in_common(common)}{asked}."


def _in_common(common: CommonDocuments) -> str:
    return f"{count(common.found)} of the baseline's {counted(common.of, 'document')}"
