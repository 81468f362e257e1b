"""A gate in words: headline, cells of its tables, reasons and notes, the same for every view."""

from __future__ import annotations

from collections.abc import Iterator

from fieldwise.report.difference_words import remarks
from fieldwise.report.numbers import DASH, count, counted, rate
from fieldwise.report.points import METRIC_NAMES, plain_points, points, points_interval
from fieldwise.runs.budgets import BudgetCheck, Decision
from fieldwise.runs.flips import Flip
from fieldwise.runs.gate import GateResult, MarginCheck
from fieldwise.runs.gated import GateReport, without_prediction
from fieldwise.runs.policy import Policy

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
_MOST_COUNTED = 1_000_000
_VALUE_WIDTH = 60


def headline(result: GateResult) -> str:
    """Return the answer: pass, fail, or not enough documents with the number needed."""
    if result.decision != "not_enough":
        return _WORDS[result.decision]
    return f"{_WORDS['not_enough']}: {_needed(result.needed)}"


def _needed(needed: int | None) -> str:
    if needed is None:
        return "how many are needed cannot be told from these"
    return f"about {count(needed)} needed" if needed <= _MOST_COUNTED else "more than a million needed"


def summary(result: GateResult) -> str:
    """Return one line about all values together: both rates, the difference with its interval, the margin."""
    check, policy = result.checks[0], result.policy
    found = check.difference
    rates = f"{METRIC_NAMES[policy.metric]} {rate(found.base.value)} → {rate(found.candidate.value)}"
    around = f" ({_level(policy)}: {points_interval(found.low, found.high)})" if found.low is not None else ""
    return (
        f"{rates}, {points(found.delta)} points{around} on {counted(found.n, 'document')}; "
        f"the margin is {plain_points(check.margin)}"
    )


def _level(policy: Policy) -> str:
    return f"{100 * policy.confidence:.4g} %"


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


def check_name(check: MarginCheck) -> str:
    """Return what a check is about."""
    if check.kind == "group":
        return f"{check.name} ({counted(len(check.fields), 'field')})"
    return f"{check.name} (critical)" if check.kind == "critical" else check.name


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
    change = f"{METRIC_NAMES[policy.metric]} of {check_name(check)} changed by {points(found.delta)} points"
    around = f"{_level(policy)}: {points_interval(found.low, found.high)}"
    documents = counted(found.n, "document")
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
    candidate = _shown(flip.candidate)
    if flip.candidate == flip.expected and flip.candidate_outcome == "mismatch":
        candidate += " (its row is not the expected one)"
    return flip.document, flip.path, _shown(flip.expected), _shown(flip.base), candidate


def _shown(value: str | None) -> str:
    if value is None:
        return DASH
    return value if len(value) <= _VALUE_WIDTH else f"{value[: _VALUE_WIDTH - 1]}…"


def notes(report: GateReport) -> Iterator[str]:
    """Yield what a reader should know: which documents were left out or count as missed, what makes runs unlike."""
    by_objects = "objects" in (report.base.unmatched, report.candidate.unmatched)
    told = report.result.pairing, report.flips.other_truth, report.differing_rules
    yield from remarks(*told, base="baseline", by_objects=by_objects)
    for side, run in (("baseline", report.base), ("candidate", report.candidate)):
        if missing := without_prediction(run):
            yield f"{counted(missing, 'document')} without a usable prediction in the {side}, counted there as missed"
    versions = report.base.scorer_version, report.candidate.scorer_version
    if versions[0] != versions[1]:
        yield f"Compared by different versions: {versions[0] or 'unknown'} and {versions[1] or 'unknown'} of fieldwise"


def method(policy: Policy) -> str:
    """Return in a sentence what the decisions mean."""
    return (
        f"Documents are paired and are the units; intervals are at {_level(policy)}. Pass: a loss as large as the "
        "margin is ruled out. Fail: the loss is larger than the margin, and real. Else more documents are needed."
    )
