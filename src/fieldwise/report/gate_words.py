"""A gate in words: headline, cells of its tables, reasons and notes, the same for every view."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from decimal import Decimal

from fieldwise.numbers import DASH, METRIC_NAMES, count, counted, plain_points, points, points_interval, rate
from fieldwise.report.difference_words import reason_text, remarks, unseen_note
from fieldwise.runs.budgets import BudgetCheck, Decision
from fieldwise.runs.flips import Flip
from fieldwise.runs.gate import GateResult, MarginCheck
from fieldwise.runs.gated import GateReport
from fieldwise.runs.policy import Policy
from fieldwise.text import one_line

SYMBOLS: dict[Decision, str] = {"pass": "✓", "fail": "✗", "not_enough": "?"}
"""A symbol for each decision, so that colour never speaks alone."""
_WORDS: dict[Decision, str] = {"pass": "pass", "fail": "fail", "not_enough": "not enough documents"}
_SHORT: dict[Decision, str] = {"pass": "pass", "fail": "fail", "not_enough": "not enough"}
_BUDGETS = {
    "failures": "documents failed or without a usable prediction",
    "mismatch": "wrong values",
    "missed": "missed values",
    "spurious": "invented values",
    "regressed_documents": "documents worse than in the baseline",
    "broken_values": "values right in the baseline and no longer",
}
BROKEN = "Values right in the baseline and no longer"
FLIP_COLUMNS = ("document", "path", "expected", "baseline", "candidate")
BUDGET_COLUMNS = ("budget", "used", "of", "limit", "decision")
_REMARKS = {"critical": " (critical)", "any_field": " (clearly worse)"}
_MOST_COUNTED = 1_000_000
_VALUE_WIDTH = 60


def answer(result: GateResult) -> str:
    """Return the answer: pass, fail, or not enough documents with the number needed."""
    if result.decision != "not_enough":
        return _WORDS[result.decision]
    return f"{_WORDS['not_enough']}: {_needed(result.needed)}"


def headline(result: GateResult, named: Callable[[str], str] = one_line) -> str:
    """Return the answer with what it is about, where that is not all values; ``named`` writes the names of fields."""
    first = result.deciding[0]
    if first is result.checks[0]:
        return answer(result)
    about = f"budget {first.name}" if isinstance(first, BudgetCheck) else check_name(first, named)
    if result.decision == "fail":
        return f"{answer(result)}: {about}"
    return f"{answer(result)} (for {about})"


def _needed(needed: int | None) -> str:
    if needed is None:
        return "how many are needed cannot be told from these"
    return f"about {count(needed)} needed" if needed <= _MOST_COUNTED else "more than a million needed"


def summary(result: GateResult, named: Callable[[str], str] = one_line) -> str:
    """Return one line about what decided, the worst where several did, and how many others did so too.

    It is a check with both rates, the difference with its interval and the margin, or a budget; where all pass, the
    check of all values. ``named`` writes the names of fields.
    """
    first, *others = result.deciding
    if isinstance(first, BudgetCheck):
        words = budget_reason(first).removesuffix(".")
    elif first.kind == "overall":
        words = _change(first, result.policy)
    else:
        words = f"{check_name(first, named)}: {_change(first, result.policy)}"
    return words + _others(result.decision, len(others))


def _others(decision: Decision, number: int) -> str:
    if decision == "pass" or not number:
        return ""
    more = counted(number, "other")
    if decision == "fail":
        return f"; {more} {'fails' if number == 1 else 'fail'} too"
    return f"; {more} {'is' if number == 1 else 'are'} open too"


def _change(check: MarginCheck, policy: Policy) -> str:
    found = check.difference
    if found.delta is None:
        return _unknown(check)
    rates = f"{METRIC_NAMES[policy.metric]} {rate(found.base.value)} → {rate(found.candidate.value)}"
    around = f" ({_level(policy)}: {points_interval(found.low, found.high)})" if found.low is not None else ""
    return (
        f"{rates}, {points(found.delta)} points{around} on {counted(found.n, 'document')}; "
        f"the margin is {plain_points(check.margin)}"
    )


def _level(policy: Policy) -> str:
    """Write the confidence as it was given, so that 0.99999 does not read 100 %."""
    return f"{(100 * Decimal(str(policy.confidence))).normalize():f} %"


def check_table(result: GateResult) -> tuple[tuple[str, ...], list[tuple[str, ...]]]:
    """Return the headings and rows of the checks; how many documents are needed only where a check is open."""
    metric, interval = METRIC_NAMES[result.policy.metric], f"{_level(result.policy)} interval"
    columns = (metric, "baseline", "candidate", "points", interval, "margin", "documents", "decision", "needed")
    is_open = any(check.decision == "not_enough" for check in result.checks)
    kept = len(columns) if is_open else len(columns) - 1
    return columns[:kept], [_cells(check)[:kept] for check in result.checks]


def _cells(check: MarginCheck) -> tuple[str, ...]:
    found = check.difference
    return (
        check_name(check),
        rate(found.base.value),
        rate(found.candidate.value),
        points(found.delta),
        points_interval(found.low, found.high),
        f"{100 * check.margin:.4g}",
        count(found.n),
        f"{SYMBOLS[check.decision]} {_SHORT[check.decision]}",
        "" if check.decision != "not_enough" else _number_needed(check),
    )


def check_name(check: MarginCheck, named: Callable[[str], str] = str) -> str:
    """Return what a check is about; ``named`` writes the names of fields and groups."""
    if check.kind == "overall":
        return check.name
    name = named(check.name)
    if check.kind == "group":
        return f"{name} ({counted(len(check.fields), 'field')})"
    return f"{name}{_REMARKS.get(check.kind, '')}"


def _number_needed(check: MarginCheck) -> str:
    return _unknown(check) if check.needed is None else _needed(check.needed).removesuffix(" needed")


def _unknown(check: MarginCheck) -> str:
    if not check.difference.n:
        return "no document has a value"
    if check.difference.n < 2:
        return "one document shows no spread"
    return "a run has nothing to divide by"


def check_reason(check: MarginCheck, policy: Policy) -> str:
    """Return why a check was decided so, in a sentence."""
    found, margin = check.difference, plain_points(check.margin)
    if check.decision == "not_enough" and check.needed is None:
        return f"{check_name(check)}: {_unknown(check)}."
    if check.decision == "pass" and found.low is None:
        return f"{METRIC_NAMES[policy.metric]} of {check_name(check)} is the same in both runs."
    name = check.name if check.kind == "any_field" else check_name(check)
    change = f"{METRIC_NAMES[policy.metric]} of {name} changed by {points(found.delta)} points"
    around = f"{_level(policy)}: {points_interval(found.low, found.high)}"
    documents = counted(found.n, "document")
    if check.kind == "any_field":
        return f"{change} ({around}) on {documents}: no field may be clearly worse by more than {margin} (any_field)."
    if check.decision == "fail":
        return f"{change} ({around}) on {documents}: a loss that is real, and larger than the margin of {margin}."
    if check.decision == "pass":
        return f"{change} ({around}) on {documents}: a loss of {margin} or more is ruled out."
    return (
        f"{change} ({around}) on {documents}: a loss of {margin} is neither shown nor ruled out; "
        f"{_needed(check.needed)}."
    )


def budget_cells(check: BudgetCheck) -> tuple[str, ...]:
    """Return a budget as cells of a table."""
    return (
        _BUDGETS[check.name],
        count(check.found),
        count(check.of),
        f"at most {check.limit}",
        f"{SYMBOLS[check.decision]} {check.decision}",
    )


def budget_reason(check: BudgetCheck) -> str:
    """Return why a budget was kept or not, in a sentence."""
    words = f"{count(check.found)} of {count(check.of)} {_BUDGETS[check.name]}, at most {check.limit} allowed."
    return words if check.decision == "pass" else f"Budget {check.name} exceeded: {words}"


def flip_cells(flip: Flip) -> tuple[str, ...]:
    """Return a value that broke as cells of a table; long values are shortened."""
    candidate = f"{_shown(flip.candidate)} {reason_text(flip.candidate_reason, flip.candidate_share)}".rstrip()
    return flip.document, flip.path, _shown(flip.expected), _shown(flip.base), candidate


def _shown(value: str | None) -> str:
    if value is None:
        return DASH
    return value if len(value) <= _VALUE_WIDTH else f"{value[: _VALUE_WIDTH - 1]}…"


def notes(report: GateReport) -> Iterator[str]:
    """Yield what a reader should know: which documents were left out or count as missed, what makes runs unlike."""
    by_objects = "objects" in (report.base.metrics.unmatched, report.candidate.metrics.unmatched)
    told = report.result.pairing, report.flips.other_truth, report.differing_rules
    yield from remarks(*told, base="baseline", by_objects=by_objects)
    yield from unseen_note(report.result.checks[0].difference, report.result.unseen)


def method(policy: Policy) -> str:
    """Return in a sentence what the decisions mean."""
    return (
        f"Documents are paired and are the units; intervals are at {_level(policy)}. Pass: among documents like these "
        "a loss as large as the margin is ruled out. Fail: the loss is larger than the margin, and real. Else more "
        f"documents are needed.{_any_field(policy)}"
    )


def _any_field(policy: Policy) -> str:
    if policy.any_field == "off":
        return ""
    return (
        " Whatever all values together do, a field without a check of its own fails where it is clearly worse: by more "
        f"than {plain_points(policy.any_field)}, and not by chance among so many fields (any_field)."
    )
