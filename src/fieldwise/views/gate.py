"""What a gate answers: the decision with its reason, the checks, the budgets, the values that broke."""

from __future__ import annotations

from fieldwise.results.core import Result
from fieldwise.results.difference import Flip
from fieldwise.results.gate import BudgetCheck, Decision, GateReport, MarginCheck, PolicySettings
from fieldwise.views.difference import flip_sides
from fieldwise.views.numbers import METRIC_NAMES, counted, in_units, plain_points
from fieldwise.views.parts import Cell, Headline, Part, Row, Sentence, Table, View, marked
from fieldwise.views.sentences import (
    answer,
    budget_reason,
    check_name,
    check_reason,
    common_reason,
    headline,
    level,
    lost_reason,
    lost_words,
    needed_words,
    run_names,
    summary,
    undecided_words,
)
from fieldwise.views.words import WORDS, columns

_STACK_BELOW = 72


def gate_view(report: GateReport, *, about: str = "") -> View:
    """Return the answer, what decided, the checks and budgets, what was left out, and values that broke.

    ``about`` stands before the answer.
    """
    look = WORDS.decisions[report.decision]
    before = f"{look.symbol} {about}: " if about else f"{look.symbol} "
    title = Sentence(before + headline(report, marked), look.tone)
    badge = f"{look.symbol} {answer(report)}"
    parts: list[Part] = [Headline(title, Sentence(summary(report, marked)), badge), _checks(report)]
    if report.budgets:
        parts.append(Table(columns("budgets"), tuple(map(_budget, report.budgets)), stack_below=_STACK_BELOW))
    parts += [Sentence(note, "warning", "!") for note in report.notes]
    if lost := lost_words(report.lost_documents):
        parts.append(Sentence(lost, "quiet"))
    if report.broken_values:
        parts.append(broken_table(report.broken_values, WORDS.notes["broken"]))
    return View((*parts, Sentence(method(report), "quiet", folded="What the decisions mean")))


def _checks(report: GateReport) -> Table:
    units = WORDS.units[report.checks[0].difference.unit].many
    titled = columns("checks", metric=METRIC_NAMES[report.policy.metric], level=level(report.policy), units=units)
    return Table.of(titled, [_check(check) for check in report.checks], stack_below=_STACK_BELOW)


def _check(check: MarginCheck) -> Row:
    found, look = check.difference, WORDS.decisions[check.decision]
    is_open = check.decision == "not_enough_documents"
    bounds = None if found.low is None or found.high is None else (found.low, found.high)
    name = Cell(check.name, aside=check_name(check, str).removeprefix(check.name).strip())
    return Row(
        (
            Cell(check.name, format="text") if check.kind == "overall" else name,
            *(Cell(found.base.value), Cell(found.candidate.value), Cell(found.delta), Cell(bounds)),
            *(Cell(check.margin), Cell(found.n)),
            Cell(f"{look.symbol} {look.word.removesuffix(' {units}')}", look.tone),
            Cell(_needed(check) if is_open else None),
        )
    )


def _needed(check: MarginCheck) -> str:
    if check.at_margin:
        return needed_words(None, at_margin=True)
    return undecided_words(check) if check.needed is None else needed_words(check.needed).removesuffix(" needed")


def _budget(check: BudgetCheck) -> Row:
    look = WORDS.decisions[check.decision]
    return Row(
        (
            Cell(WORDS.budgets[check.name]),
            *(Cell(check.used), Cell(check.of), Cell(f"at most {check.limit}")),
            Cell(look.text, look.tone),
        )
    )


def broken_table(flips: tuple[Flip, ...], title: str = "") -> Table:
    """Return values that are no longer right."""
    rows = tuple(Row((Cell(flip.document), Cell(flip.path), *flip_sides(flip))) for flip in flips)
    return Table(columns("broken"), rows, title, folded=True, stack_below=_STACK_BELOW)


def method(report: GateReport) -> str:
    """Return in sentences what the decisions mean, and which runs were compared."""
    policy = report.policy
    base, candidate = run_names(report.base.name, report.candidate.name)
    runs = f"Baseline {marked(base)}, candidate {marked(candidate)}."
    units, paired = _units(report)
    return (
        f"{paired}; intervals are at {level(policy)}. Pass: the lower bound of the difference is within the margin. "
        f"Fail: the loss is larger than the margin, and real. Else more {units} are needed.{_any_field(policy)} {runs}"
    )


def _units(report: GateReport) -> tuple[str, str]:
    """Return what the units are called, and what makes them."""
    units = WORDS.units[report.checks[0].difference.unit].many
    if report.pairing.cluster_by is None:
        return units, f"{units.capitalize()} are paired and are the units"
    many = counted(report.pairing.compared, "document")
    by = f"{in_units(report.pairing.cluster_count or 0, 'clusters')} by {marked(report.pairing.cluster_by)}"
    return units, f"Documents are paired; {units} of them are the units ({many} in {by})"


def _any_field(policy: PolicySettings) -> str:
    if policy.any_field == "off":
        return ""
    return (
        " Whatever all values together do, a field without a check of its own fails where it is clearly worse: by more "
        f"than {plain_points(policy.any_field)}, and more than chance explains among all fields (any_field)."
    )


# One case for each check


class Case(Result, frozen=True):
    """One thing that was checked: its name, what was decided and why, and the values that broke."""

    name: str
    decision: Decision
    reason: str
    details: Table | None = None


_CASES = {"overall": "", "field": "field ", "group": "group ", "critical": "critical field ", "any_field": "any field "}


def gate_cases(report: GateReport) -> list[Case]:
    """Return a case for each check and budget; and for the documents in both runs, where they are too few."""
    common, cases = report.common_documents, []
    if common.decision != "pass":
        cases.append(Case("common documents", common.decision, common_reason(common)))
    cases += [
        Case(
            _CASES[check.kind] + check.name,
            check.decision,
            check_reason(check, report.policy),
            broken_table(check.broken_values) if check.broken_values else None,
        )
        for check in report.checks
    ]
    lost = report.lost_documents
    if lost.at_most is not None:
        cases.append(Case("lost documents", lost.decision, lost_reason(lost)))
    return cases + [Case(f"budget {check.name}", check.decision, budget_reason(check)) for check in report.budgets]
